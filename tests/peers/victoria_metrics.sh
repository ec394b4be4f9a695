#!/usr/bin/env bash
# Puts `victoria-metrics` into PEERS/bin and installs nothing system-wide.
# usage: victoria_metrics.sh PEERS    exits 1, and says why, where it cannot be had
#
# It is unpacked from a Debian suite that has one with OTLP (1.92 or newer): trixie, or INSTRUMENT_VICTORIA_SUITE.
# Elsewhere the one found on PATH is taken.
set -euo pipefail
# shellcheck source=tests/peers/debian.sh
. "$(dirname "${BASH_SOURCE[0]}")/debian.sh"

mkdir -p "$1/bin"
peers=$(cd "$1" && pwd)
home=$peers/victoria-metrics
program=victoria-metrics
suite=${INSTRUMENT_VICTORIA_SUITE:-trixie}
why="the set-up was interrupted"

works() {
    [[ -x $1 ]] && "$1" -version >/dev/null 2>&1
}

unpack() {
    unpack_packages "$suite" main "$program" || return
    if ! works "$home/root/usr/bin/$program"; then
        why="the unpacked $program does not run"
        return 1
    fi
    ln -sfn "../victoria-metrics/root/usr/bin/$program" "$peers/bin/$program"
}

take_from_path() {
    local file
    if ! file=$(command -v "$program") || ! works "$file"; then
        why="$why, and $program is not on PATH"
        return 1
    fi
    ln -sfn "$(realpath "$file")" "$peers/bin/$program"
}

if ! works "$peers/bin/$program" && ! unpack && ! take_from_path; then
    echo "could not get victoria-metrics: $why" >&2
    exit 1
fi
