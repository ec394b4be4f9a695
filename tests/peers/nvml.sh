#!/usr/bin/env bash
# Puts NVIDIA's `libnvidia-ml.so.1` into PEERS/bin and installs nothing system-wide.
# usage: nvml.sh PEERS                says why, and exits 0, where it cannot be had
#
# It is unpacked from `non-free` of this machine's Debian suite, which not every mirror has: no test requires it. Without
# NVIDIA's driver it says that there is none, which is what it is for.
set -euo pipefail
# shellcheck source=tests/peers/debian.sh
. "$(dirname "${BASH_SOURCE[0]}")/debian.sh"

mkdir -p "$1/bin"
peers=$(cd "$1" && pwd)
home=$peers/nvml
library=libnvidia-ml.so.1
why="the set-up was interrupted"

unpack() {
    local file
    unpack_packages "" non-free libnvidia-ml1 || return
    # The package's own link goes through Debian's alternatives.
    file=$(find "$home/root" -name "libnvidia-ml.so.*.*" -type f | sed -n 1p)
    if [[ -z $file ]]; then
        why="the package holds no library"
        return 1
    fi
    ln -sfn "..${file#"$peers"}" "$peers/bin/$library"
}

if [[ ! -s $peers/bin/$library ]] && ! unpack; then
    echo "could not get $library: $why" >&2
fi
