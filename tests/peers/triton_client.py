"""Asks a server as Triton's own client does, and prints what it says, one line for each answer.

usage: triton_client.py ADDRESS MODEL VERSION
"""

import json
import sys

from tritonclient.grpc import InferenceServerClient
from tritonclient.utils import InferenceServerException


def code_of(call, *arguments):
    try:
        call(*arguments)
    except InferenceServerException as error:
        return error.status()
    return "OK"


def main(address, model, version):
    with InferenceServerClient(address) as client:
        said = {
            "live": client.is_server_live(),
            "ready": client.is_server_ready(),
            "model ready": client.is_model_ready(model),
            "version ready": client.is_model_ready(model, version),
            "server": client.get_server_metadata(as_json=True),
            "model": client.get_model_metadata(model, version, as_json=True),
            "unknown model": code_of(client.is_model_ready, "nobody"),
            "unknown version": code_of(client.get_model_metadata, model, "nobody"),
            "statistics": code_of(client.get_inference_statistics, model),
            "index": code_of(client.get_model_repository_index),
        }
    for what, answer in said.items():
        print(f"{what}: {json.dumps(answer, sort_keys=True)}")


main(*sys.argv[1:])
