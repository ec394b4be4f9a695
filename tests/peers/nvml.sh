#!/usr/bin/env bash
# Puts NVIDIA's `libnvidia-ml.so.1` into PEERS/bin and installs nothing system-wide.
# usage: nvml.sh PEERS                says why, and exits 0, where it cannot be had
#
# It is unpacked from `non-free` of this machine's Debian suite, which not every mirror has: no test requires it. Without
# NVIDIA's driver it says that there is none, which is what it is for.
set -euo pipefail

mkdir -p "$1/bin"
peers=$(cd "$1" && pwd)
home=$peers/nvml
library=libnvidia-ml.so.1
why="the set-up was interrupted"

unpack() {
    local suite mirror file
    if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
        why="this machine has no apt-get"
        return 1
    fi
    # shellcheck source=/dev/null
    suite=$(. /etc/os-release && [[ ${ID:-} == debian ]] && echo "${VERSION_CODENAME:-}") 2>/dev/null || true
    if [[ -z $suite ]]; then
        why="this machine does not run a named release of Debian"
        return 1
    fi
    # Asked this way, apt names its mirror even before the first `apt-get update`.
    mirror=$(apt-get update --print-uris 2>/dev/null |
        sed -n "s|^'\(.*\)/dists/$suite/InRelease'.*|\1|p" | sed -n 1p) || true
    if [[ -z $mirror ]]; then
        why="apt has no source for the suite '$suite'"
        return 1
    fi
    rm -rf "$home"
    mkdir -p "$home"/apt/{parts,lists/partial,cache/archives/partial} "$home/debs" "$home/root"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite non-free" >"$home/apt/sources.list"
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
        why="apt-get could not read the package list of 'non-free' in '$suite'"
        return 1
    fi
    if ! (cd "$home/debs" && APT_CONFIG=$home/apt/apt.conf apt-get download -qq libnvidia-ml1); then
        why="apt-get could not download the package 'libnvidia-ml1' of '$suite'"
        return 1
    fi
    if ! dpkg -x "$home"/debs/*.deb "$home/root"; then
        why="dpkg could not unpack the package of '$suite'"
        return 1
    fi
    # The package's own link goes through Debian's alternatives.
    file=$(find "$home/root" -name "libnvidia-ml.so.*.*" -type f | sed -n 1p)
    if [[ -z $file ]]; then
        why="the package of '$suite' holds no library"
        return 1
    fi
    ln -sfn "..${file#"$peers"}" "$peers/bin/$library"
    rm -rf "$home/apt" "$home/debs"
}

if [[ ! -s $peers/bin/$library ]] && ! unpack; then
    echo "could not get $library: $why" >&2
fi
