"""Asks a server as grpcio-health-checking does, one line for each answer.

usage: health_client.py ADDRESS check NAME...
       health_client.py ADDRESS watch NAME       until the server ends it
"""

import sys

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

PATIENCE = 60  # seconds


def status(answer):
    return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)


def say(name, what):
    print(f"{name or 'the whole'}: {what}", flush=True)


def main(address, what, *names):
    with grpc.insecure_channel(address) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        for name in names:
            request = health_pb2.HealthCheckRequest(service=name)
            try:
                if what == "check":
                    say(name, status(health.Check(request, timeout=PATIENCE)))
                else:
                    for answer in health.Watch(request, timeout=PATIENCE):
                        say(name, status(answer))
                    say(name, "ended")
            except grpc.RpcError as error:
                say(name, error.code().name)


main(*sys.argv[1:])
