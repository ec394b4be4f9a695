# Sourced by those that take a peer from a package of Debian. Nothing is installed: what is unpacked stays below $home.

# unpack_packages SUITE COMPONENT PACKAGE…    into $home/root, by a list of packages of its own
#
# An empty SUITE is that of this machine. A package whose name ends in `?` may be absent. Says in $why what went wrong.
unpack_packages() {
    local wanted=$1 component=$2 suite mirror package file
    shift 2
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
    suite=${wanted:-$suite}
    rm -rf "$home"
    mkdir -p "$home"/apt/{parts,lists/partial,cache/archives/partial} "$home/debs" "$home/root"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite $component" >"$home/apt/sources.list"
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
        why="apt-get could not read the package list of '$component' in '$suite'"
        return 1
    fi
    for package in "$@"; do
        if [[ $package == *\? ]]; then
            package=${package%\?}
            [[ -n $(APT_CONFIG=$home/apt/apt.conf apt-cache madison "$package") ]] || continue
        fi
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
    rm -rf "$home/apt" "$home/debs"
}
