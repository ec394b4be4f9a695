#!/usr/bin/env bash
# Puts `prometheus` and `promtool` into PEERS/bin and installs nothing system-wide.
# usage: prometheus.sh PEERS          exits 1, and says why, where they cannot be had
#
# They are unpacked from the packages of this machine's Debian suite, or of INSTRUMENT_PROMETHEUS_SUITE
# (`trixie` has a newer Prometheus). Elsewhere those found on PATH are taken.
set -euo pipefail
# shellcheck source=tests/peers/debian.sh
. "$(dirname "${BASH_SOURCE[0]}")/debian.sh"

mkdir -p "$1/bin"
peers=$(cd "$1" && pwd)
home=$peers/prometheus
programs=(prometheus promtool)
why="the set-up was interrupted"

works() {
    [[ -x $1 ]] && "$1" --version >/dev/null 2>&1
}

all_here() {
    local program
    for program in "${programs[@]}"; do
        works "$peers/bin/$program" || return 1
    done
}

unpack() {
    local file program missing
    # Newer suites keep promtool in a package of its own.
    unpack_packages "${INSTRUMENT_PROMETHEUS_SUITE:-}" main prometheus "promtool?" || return
    for program in "${programs[@]}"; do
        file=$home/root/usr/bin/$program
        missing=$(ldd "$file" 2>&1 | sed -n 's/^[[:space:]]*\(.*\) => not found/\1/p' | paste -sd ' ') || true
        if ! works "$file"; then
            why="the unpacked $program does not run; missing libraries: ${missing:-none}"
            return 1
        fi
        ln -sfn "../prometheus/root/usr/bin/$program" "$peers/bin/$program"
    done
}

take_from_path() {
    local program file
    for program in "${programs[@]}"; do
        if ! file=$(command -v "$program") || ! works "$file"; then
            why="$why, and $program is not on PATH"
            return 1
        fi
        ln -sfn "$(realpath "$file")" "$peers/bin/$program"
    done
}

if ! all_here && ! unpack && ! take_from_path; then
    echo "could not get prometheus and promtool: $why" >&2
    exit 1
fi
