#!/usr/bin/env bash
# Makes a virtual environment with the packages of requirements.txt in PEERS/venv, and in PEERS/bin `peers-python` to run
# it and the `grpcurl` that is one of them.
# usage: python.sh PEERS              exits 1, and says why, where it cannot be made
set -euo pipefail

requirements=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/requirements.txt
mkdir -p "$1/bin"
peers=$(cd "$1" && pwd)
venv=$peers/venv
# Written last, so that an interrupted set-up is done again.
finished=$venv/requirements.txt

fail() {
    echo "could not get the Python packages of tests/peers/requirements.txt: $1" >&2
    exit 1
}

if ! cmp -s "$requirements" "$finished" || ! "$venv/bin/python" -c '' 2>/dev/null; then
    command -v python3 >/dev/null || fail "this machine has no python3"
    rm -rf "$venv"
    python3 -m venv "$venv" >&2 || fail "python3 -m venv failed (Debian keeps it in the package python3-venv)"
    "$venv/bin/python" -m pip install --quiet --requirement "$requirements" >&2 || fail "pip install failed"
    cp "$requirements" "$finished"
fi

# A name of its own: a python3 found on PATH would lack the packages.
cat >"$peers/bin/peers-python" <<'SH'
#!/bin/sh
exec "$(dirname "$0")/../venv/bin/python" "$@"
SH
cat >"$peers/bin/grpcurl" <<'SH'
#!/bin/sh
exec "$(dirname "$0")/../venv/bin/grpcurl" "$@"
SH
chmod +x "$peers/bin/peers-python" "$peers/bin/grpcurl"
