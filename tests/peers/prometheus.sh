#!/usr/bin/env bash
# Puts `prometheus` and `promtool` into PEERS/bin and installs nothing system-wide.
# usage: prometheus.sh PEERS          exits 1, and says why, where they cannot be had
#
# They are unpacked from the packages of this machine's Debian suite, or of INSTRUMENT_PROMETHEUS_SUITE
# (`trixie` has a newer Prometheus). Elsewhere those found on PATH are taken.
set -euo pipefail

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
    local suite mirror package file program missing
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
    suite=${INSTRUMENT_PROMETHEUS_SUITE:-$suite}

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
    # Newer suites keep promtool in a package of its own.
    for package in "${programs[@]}"; do
        [[ -n $(APT_CONFIG=$home/apt/apt.conf apt-cache madison "$package") ]] || continue
        if ! (cd "$home/debs" && APT_CONFIG=$home/apt/apt.conf apt-get download -qq "$package"); then
            why="apt-get could not download the package '$package' of '$suite'"
            return 1
        fi
    done
    for file in "$home"/debs/*.deb; do
        if ! dpkg -x "$file" "$home/root"; then
            why="dpkg could not unpack a package of '$suite'"
            return 1
        fi
    done
    for program in "${programs[@]}"; do
        file=$home/root/usr/bin/$program
        missing=$(ldd "$file" 2>&1 | sed -n 's/^[[:space:]]*\(.*\) => not found/\1/p' | paste -sd ' ') || true
        if ! works "$file"; then
            why="the unpacked $program does not run; missing libraries: ${missing:-none}"
            return 1
        fi
        ln -sfn "../prometheus/root/usr/bin/$program" "$peers/bin/$program"
    done
    rm -rf "$home/apt" "$home/debs"
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
