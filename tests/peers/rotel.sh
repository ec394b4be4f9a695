#!/usr/bin/env bash
# Puts `rotel-agent`, an OTLP collector, into PEERS/bin, from the Python package that carries it.
# usage: rotel.sh PEERS               exits 1, and says why, where it cannot be had
set -euo pipefail

version=0.0.1a15
mkdir -p "$1/bin"
peers=$(cd "$1" && pwd)
venv=$peers/rotel
agent=$peers/bin/rotel-agent
# Written last, so that an interrupted set-up is done again.
finished=$venv/version

fail() {
    echo "could not get rotel-agent: $1" >&2
    exit 1
}

works() {
    [[ -x $agent ]] && "$agent" --help >/dev/null 2>&1
}

if ! works || [[ $(cat "$finished" 2>/dev/null) != "$version" ]]; then
    command -v python3 >/dev/null || fail "this machine has no python3"
    rm -rf "$venv"
    python3 -m venv "$venv" >&2 || fail "python3 -m venv failed (Debian keeps it in the package python3-venv)"
    "$venv/bin/python" -m pip install --quiet "rotel==$version" >&2 || fail "pip install rotel==$version failed"
    binary=$("$venv/bin/python" -c 'import rotel, pathlib; print(pathlib.Path(rotel.__file__).parent / "rotel-agent")')
    ln -sfn "$(realpath --relative-to="$peers/bin" "$binary")" "$agent"
    works || fail "the program in the package does not run here"
    echo "$version" >"$finished"
fi
