"""Compares our descriptions of the protocols with those of the clients: every name, number and type is theirs.

usage: protocol_names.py DESCRIPTORS        exits 1, and names each difference
"""

import sys

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_health.v1 import health_pb2
from tritonclient.grpc import model_config_pb2, service_pb2

# theirs lack it: see <https://github.com/grpc/grpc-proto>
NEWER = {
    "HealthListRequest",
    "HealthListResponse",
    "HealthListResponse.StatusesEntry",
    "HealthListResponse.StatusesEntry.key",
    "HealthListResponse.StatusesEntry.value",
    "HealthListResponse.statuses",
    "Health.List",
}


def messages(found, path, message):
    path = f"{path}{message.name}"
    found[path] = "message"
    for field in message.field:
        kind = (field.number, field.type, field.label, field.type_name)
        oneof = field.HasField("oneof_index") and message.oneof_decl[field.oneof_index].name
        found[f"{path}.{field.name}"] = (*kind, oneof)
    for nested in message.nested_type:
        messages(found, f"{path}.", nested)
    for nested in message.enum_type:
        enums(found, f"{path}.", nested)


def enums(found, path, enum):
    for value in enum.value:
        found[f"{path}{enum.name}.{value.name}"] = value.number


def all_of(files):
    found = {}
    for file in files:
        for message in file.message_type:
            messages(found, "", message)
        for enum in file.enum_type:
            enums(found, "", enum)
        for service in file.service:
            for method in service.method:
                kind = (method.input_type, method.output_type)
                streams = (method.client_streaming, method.server_streaming)
                found[f"{service.name}.{method.name}"] = (*kind, *streams)
    return found


def description(module):
    file = FileDescriptorProto()
    module.DESCRIPTOR.CopyToProto(file)
    return file


def main(descriptors):
    with open(descriptors, "rb") as file:
        ours = FileDescriptorSet.FromString(file.read()).file
    theirs = [description(module) for module in (health_pb2, service_pb2, model_config_pb2)]
    assert {file.package for file in ours} == {file.package for file in theirs}
    ours, theirs = all_of(ours), all_of(theirs)
    wrong = [
        f"{name}: ours is {kind}, theirs {theirs.get(name)}"
        for name, kind in ours.items()
        if theirs.get(name) != kind and name not in NEWER
    ]
    print("\n".join(wrong) or f"{len(ours)} names agree")
    return bool(wrong)


sys.exit(main(*sys.argv[1:]))
