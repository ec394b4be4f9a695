"""Asks a health address as Triton's own HTTP client does, and prints what it says, one line for each answer.

usage: triton_http_client.py ADDRESS MODEL VERSION
"""

import json
import sys

from tritonclient.http import InferenceServerClient


def main(address, model, version):
    with InferenceServerClient(address) as client:
        said = {
            "live": client.is_server_live(),
            "ready": client.is_server_ready(),
            "model ready": client.is_model_ready(model),
            "version ready": client.is_model_ready(model, version),
            "unknown model": client.is_model_ready("nobody"),
        }
    for what, answer in said.items():
        print(f"{what}: {json.dumps(answer, sort_keys=True)}")


main(*sys.argv[1:])
