#!/usr/bin/env bash
# Puts `victoria-metrics` into PEERS/bin and installs nothing system-wide.
# usage: victoria_metrics.sh PEERS    exits 1, and says why, where it cannot be had
#
# It is unpacked from a Debian suite that has one with OTLP (1.92 or newer): trixie, or INSTRUMENT_VICTORIA_SUITE.
# Elsewhere the one found on PATH is taken.
set -euo pipefail

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
    local mirror file own
    if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
        why="this machine has no apt-get"
        return 1
    fi
    # shellcheck source=/dev/null
    own=$(. /etc/os-release && [[ ${ID:-} == debian ]] && echo "${VERSION_CODENAME:-}") 2>/dev/null || true
    if [[ -z $own ]]; then
        why="this machine does not run a named release of Debian"
        return 1
    fi
    # Asked this way, apt names its mirror even before the first `apt-get update`.
    mirror=$(apt-get update --print-uris 2>/dev/null |
        sed -n "s|^'\(.*\)/dists/$own/InRelease'.*|\1|p" | sed -n 1p) || true
    if [[ -z $mirror ]]; then
        why="apt has no source for the suite '$own'"
        return 1
    fi
    rm -rf "$home"
    mkdir -p "$home"/apt/{parts,lists/partial,cache/archives/partial} "$home/debs" "$home/root"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$home/apt/sources.list"
    : >"$home/apt/status"
    cat >"$home/apt/apt.conf" <<CONF
Dir::Etc::sourcelist "$home/apt/sources.list";
Dir::Etc::sourceparts "$home/apt/parts";
Dir::State::lists "$home/apt/lists";
Dir::State::status "$home/apt/status";
Dir::Cache "$home/apt/cache";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "60";
APT::Sandbox::User "root";
CONF
    if ! APT_CONFIG=$home/apt/apt.conf apt-get update -qq --error-on=any; then
        why="apt-get could not read the package list of '$suite'"
        return 1
    fi
    if ! (cd "$home/debs" && APT_CONFIG=$home/apt/apt.conf apt-get download -qq "$program"); then
        why="apt-get could not download the package '$program' of '$suite'"
        return 1
    fi
    for file in "$home"/debs/*.deb; do
        if ! dpkg -x "$file" "$home/root"; then
            why="dpkg could not unpack the package of '$suite'"
            return 1
        fi
    done
    if ! works "$home/root/usr/bin/$program"; then
        why="the unpacked $program does not run"
        return 1
    fi
    ln -sfn "../victoria-metrics/root/usr/bin/$program" "$peers/bin/$program"
    rm -rf "$home/apt" "$home/debs"
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
