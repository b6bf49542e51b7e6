#!/usr/bin/env bash
# Installs pbdr in a bare Debian, a chroot with a C compiler, make, cmake and pkg-config and nothing else, and uses it there
# (package/use_prefix.sh). Then once more, after libassimp-dev and libjansson-dev have been installed there.
#
#     tests/chroot_test.sh [SUITE]       default: the release that this machine runs
#
# Needs root, debootstrap and Debian's packages from the network: two to four minutes, so `make try-install` runs it and
# `make test` does not. What is built and used there has no network. build/chroot/cache keeps the packages.
set -euo pipefail
cd "$(dirname "$0")/.."

refuse() # REASON
{
    local rule
    rule=$(printf '%.0s*' {1..100})
    printf '%s\n* NOT TRIED: the installation in a bare Debian. %s\n%s\n' "$rule" "$1" "$rule" >&2
    exit 1
}

# shellcheck disable=SC1091
suite=${1:-$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")}
[ "$(id -u)" -eq 0 ] || refuse "It needs root for chroot: sudo make try-install"
command -v debootstrap >/dev/null || refuse "debootstrap is missing: apt-get install debootstrap"
command -v unshare >/dev/null || refuse "unshare is missing: apt-get install util-linux"

work=$PWD/build/chroot
root=$work/root
cache=$work/cache
source=/src # in the chroot, like all paths without $root before them
# One file system only: should a mount of someone else's be inside, it is left alone.
remove_root() { rm -rf --one-file-system "$root"; }
trap remove_root EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Name spaces of its own: /proc inside goes away with the command, and there is no network but for apt-get.
inside() # COMMAND...
{
    unshare --mount --pid --fork --mount-proc="$root/proc" "${net[@]}" chroot "$root" \
        /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive PBDR_NO_SETUP=1 "$@"
}
net=(--net)
with_network() { local net=(); "$@"; } # COMMAND...

lay_down_source()
{
    remove_path "$root$source"
    mkdir -p "$root$source/build"
    git ls-files -z --cached --others --exclude-standard |
        tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null | tar -xf - -C "$root$source"
    local fetched
    for fetched in data mujoco; do # what the set-up fetches; optional
        [ ! -d "build/$fetched" ] || cp -a "build/$fetched" "$root$source/build/"
    done
}
remove_path() { rm -rf --one-file-system "$1"; } # PATH

passed=0 failed=0 skipped=0
try_stage() # NAME: builds and installs as README says, moves the prefix, takes the build tree away, uses the prefix
{
    local log=$work/$1.log line
    lay_down_source
    remove_path "$root/opt/pbdr"
    printf '\n== %s: make install (log: %s)\n' "$1" "${log#"$PWD"/}"
    # shellcheck disable=SC2016
    inside bash -ec 'cd "$1" && make install PREFIX=/opt/first && mv /opt/first /opt/pbdr && mv build /opt/away &&
        rm -rf /opt/away' - "$source" >"$log" 2>&1 ||
        { tail -n 30 "$log"; echo "FAILED  $1: make install"; failed=$((failed + 1)); return; }
    inside "$source/tests/package/use_prefix.sh" /opt/pbdr "$source" | tee "$log.cases" || true
    # A crash prints no count: then the stage failed.
    line=$(grep -E '^cases: [0-9]+ passed' "$log.cases") || { failed=$((failed + 1)); return; }
    read -r _ p _ f _ s _ <<<"$line"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

mkdir -p "$cache"
remove_root
printf '== a bare Debian %s: gcc libc6-dev make cmake pkg-config\n' "$suite"
debootstrap --variant=minbase --cache-dir="$cache" --include=gcc,libc6-dev,make,cmake,pkg-config "$suite" "$root" \
    >"$work/debootstrap.log" 2>&1 || {
    tail -n 5 "$work/debootstrap.log" >&2
    refuse "debootstrap failed (no network?): ${work#"$PWD"/}/debootstrap.log"
}
try_stage bare
printf '\n== with libassimp-dev and libjansson-dev\n'
if with_network inside bash -ec 'apt-get -qy update && apt-get -qy install --no-install-recommends libassimp-dev libjansson-dev' \
    >"$work/apt.log" 2>&1; then
    try_stage readers
else
    tail -n 5 "$work/apt.log"
    echo "FAILED  readers: apt-get in the chroot: ${work#"$PWD"/}/apt.log"
    failed=$((failed + 1))
fi
printf '\ntry-install: %d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
