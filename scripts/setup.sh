#!/usr/bin/env bash
# Set-up: installs the Debian packages that a goal needs and fetches the bunny mesh into build/data/.
#
#     scripts/setup.sh build|bench|test|determinism|report|web|python|format           install and fetch what lacks
#     scripts/setup.sh --check build|bench|test|determinism|report|web|python|format   only say what lacks, a line each
#
# Whatever cannot be had (no rights, no network, not Debian) is named, with what is skipped for want of it, and the work
# goes on: the benchmark needs a C compiler and CMake alone (tests 4 to 6 the mesh besides). Only those two are fatal (exit 1).
#
# PBDR_NO_SETUP=1        do nothing
# PBDR_BUNNY=/path.stl   take the mesh from there
set -euo pipefail

# package | goals | proof that it is there (a function or command below) | what needs it ("everything" makes it fatal)
# (No names like g++: apt-get takes a name that it does not know for a regular expression.)
readonly NEEDS='
build-essential | build bench test determinism report web python | has_compiler              | everything: there is no C compiler
cmake           | build bench test determinism report web python | has_cmake                 | everything: CMake 3.25 or newer builds it
pkg-config      | build bench test report | found pkg-config          | finding assimp, jansson and the peers; the pkg-config check
libassimp-dev   | build bench test report | has_module assimp         | meshes in DAE, glTF, 3MF and OFF (OBJ, STL, PLY need nothing)
libjansson-dev  | build bench test report | has_module jansson        | reading body files (pbdr pack --spheres)
build-essential | bench test report | found c++ g++ clang++     | the peer Bullet; the check that the headers compile as C++
libode-dev      | bench test report | has_module ode            | the peer ODE
libbullet-dev   | bench test report | has_module bullet         | the peer Bullet
libopenmpi-dev  | test report | found mpicc                | studies under mpirun (pbdr study; --shard works without)
openmpi-bin     | test             | found mpirun               | the tests of studies under mpirun
python3-pip     | bench test report | has_pip                   | the peer MuJoCo
python3-venv    | test python      | has_venv                  | the Python package and its tests
python3-dev     | test python      | has_python_headers        | the Python package and its tests
valgrind        | test             | found valgrind            | the count of instructions
gnuplot-nox     | test report      | found gnuplot             | figures of the report
clang           | determinism      | found clang clang-19 clang-16 clang-14 | the bits of clang
gcc-aarch64-linux-gnu | determinism | found aarch64-linux-gnu-gcc | the bits of 64-bit ARM
libc6-dev-arm64-cross | determinism | has_arm_library    | the bits of 64-bit ARM
qemu-user       | determinism      | found qemu-aarch64 qemu-aarch64-static | the bits of 64-bit ARM
emscripten      | test web         | found emcc                | the library as WebAssembly: pbdr view, make lab (30 s to install)
nodejs          | test web         | has_node                  | the pages of pbdr view and make lab: node 20.19 or newer
npm             | test web         | found npm                 | the parts of these pages
chromium        | test web         | has_chromium              | pictures by pbdr view, and the tests of its pages
ffmpeg          | web              | found ffmpeg              | films by pbdr view
clang-format    | format           | found clang-format        | make format
'

# The mesh of tests 4 to 6 is not ours, so it is fetched and never committed: Debian's prusa-slicer ships it. The sum
# is that of the version which the benchmark's numbers were made with; any other file is refused.
readonly BUNNY=build/data/bunny.stl
readonly BUNNY_SHA256=4a222346223cf2c207c34d7a3d4e8ea297b004ff862b06b6e4c7c2eeac9f761a
readonly BUNNY_PACKAGE=prusa-slicer
readonly BUNNY_MEMBER=usr/share/PrusaSlicer/shapes/bunny.stl
readonly BUNNY_NEED='the bunny, tests 4 to 6'

# Fail within a minute when offline, and wait for another apt-get instead of failing beside it. root as the download
# user: apt's own one may not enter our temporary folder, and apt says so in words that sound like a failure.
readonly APT_OPTIONS=(-q -y -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20
                      -o DPkg::Lock::Timeout=300 -o APT::Sandbox::User=root)

say() { printf 'setup: %s\n' "$*"; }

# --- what is there ---------------------------------------------------------------------------------------------

found() # NAME...: is one of these commands there?
{
    local name
    for name in "$@"; do
        command -v "$name" >/dev/null && return 0
    done
    return 1
}

has_compiler() { if [ -n "${CC:-}" ]; then found "${CC%% *}"; else found cc gcc clang; fi; }

has_cmake()
{
    local version
    version=$(cmake --version 2>/dev/null | sed -n 's/^cmake version //p') || return 1
    [ -n "$version" ] && [ "$(printf '%s\n' 3.25 "$version" | sort -V | head -n 1)" = 3.25 ]
}

has_module() { pkg-config --exists "$1" 2>/dev/null; } # NAME

has_arm_library() { [ -f /usr/aarch64-linux-gnu/lib/libc.a ]; }

# Vite asks for it; Debian 12's own is older, and then whoever wants pages installs another.
has_node()
{
    local version
    version=$(node --version 2>/dev/null) || return 1
    [ "$(printf '%s\n' 20.19 "${version#v}" | sort -V | head -n 1)" = 20.19 ]
}

has_chromium() { [ -x "${PBDR_CHROMIUM:-/nowhere}" ] || found chromium chromium-browser google-chrome google-chrome-stable; }

# Once MuJoCo is there, nothing needs pip any more.
has_mujoco() { scripts/fetch_mujoco.sh --check; }

has_pip() { has_mujoco || python3 -m pip --version >/dev/null 2>&1 || found pip3 pip; }

has_venv() { has_python_env || python3 -c 'import ensurepip, venv'; }
has_python_headers() { has_python_env || [ -f "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; }

# Whether the tests' environment has all that it needs; the packages are asked for by what is imported last.
readonly PYTHON_ENV=build/python-venv
has_python_env() { "$PYTHON_ENV/bin/python" -c 'import gymnasium, matplotlib, nanobind, nbclient, numpy, pandas, pytest'; }
wants_python() { [ "$goal" = test ]; } # make python begins with a fresh one of its own

sha256() { if found sha256sum; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }

is_bunny() { [ -f "$1" ] && [ "$(sha256 "$1")" = "$BUNNY_SHA256" ]; } # FILE

wants_mujoco() { [ "$goal" = bench ] || [ "$goal" = test ] || [ "$goal" = report ]; }

wants_bunny() { wants_mujoco; }

missing() # prints "package|what needs it" for each package that the goal lacks
{
    local package goals proof need
    while IFS='|' read -r package goals proof need; do
        read -r package <<<"$package"
        read -r need <<<"$need"
        # $proof is split into words on purpose: it is a command line.
        if [[ " $goals " == *" $goal "* ]] && ! $proof >/dev/null 2>&1; then
            printf '%s|%s\n' "$package" "$need"
        fi
    done <<<"$(sed '/^$/d' <<<"$NEEDS")"
}

# --- getting it ------------------------------------------------------------------------------------------------

# Sets `admin` to the words that give a command the right to install; fails if there are none.
find_rights()
{
    admin=()
    [ "$(id -u)" -eq 0 ] && return
    admin=(sudo -n)
    found sudo && sudo -n true 2>/dev/null
}

# The log keeps what apt has to say; descriptor 9 is the lock, which no service that apt starts may inherit.
logged() { "$@" >>"$log" 2>&1 </dev/null 9>&-; }

install_packages()
{
    local list package need updated=
    list=$(missing)
    [ -n "$list" ] && found apt-get && find_rights || return 0
    while IFS='|' read -r package need; do
        if [ -z "$updated" ]; then
            say "reading Debian's package lists"
            logged "${admin[@]}" apt-get "${APT_OPTIONS[@]}" update || say "that failed (offline?): see $log"
            updated=yes
        fi
        [[ $'\n'$(missing) == *$'\n'"$package|"* ]] || continue # came along with another
        say "installing $package ($need)"
        logged "${admin[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${APT_OPTIONS[@]}" install \
            --no-install-recommends "$package" || say "installing $package failed: see $log"
    done <<<"$list"
}

download_bunny() # FILE: from Debian's package, without installing it; this needs no rights
{
    local private=(-o "Dir::State::Lists=$scratch/lists" -o "Dir::Cache=$scratch/cache")
    found apt-get && found dpkg-deb || return 1
    say "fetching the bunny mesh (one small file out of Debian's $BUNNY_PACKAGE, 30 MB)"
    mkdir -p "$scratch/deb" "$scratch/lists/partial" "$scratch/cache/archives/partial"
    (
        cd "$scratch/deb"
        # The second try is for machines whose package lists are old or empty, with lists of our own.
        logged apt-get "${APT_OPTIONS[@]}" download "$BUNNY_PACKAGE" ||
            { logged apt-get "${APT_OPTIONS[@]}" "${private[@]}" update &&
                  logged apt-get "${APT_OPTIONS[@]}" "${private[@]}" download "$BUNNY_PACKAGE"; }
    ) || { say "that failed (offline?): see $log"; return 1; }
    dpkg-deb --fsys-tarfile "$scratch"/deb/*.deb 2>>"$log" | tar -xO "./$BUNNY_MEMBER" >"$1" 2>>"$log" ||
        { say "the package holds no $BUNNY_MEMBER"; return 1; }
}

fetch_bunny()
{
    local source
    is_bunny "$BUNNY" && return
    for source in ${PBDR_BUNNY:+"$PBDR_BUNNY"} "/$BUNNY_MEMBER" download; do
        if [ "$source" = download ]; then
            download_bunny "$scratch/bunny.stl" || continue
        else
            cp -- "$source" "$scratch/bunny.stl" 2>/dev/null ||
                { [ "$source" != "${PBDR_BUNNY:-}" ] || say "PBDR_BUNNY=$source: cannot be read"; continue; }
        fi
        if is_bunny "$scratch/bunny.stl"; then
            chmod 644 "$scratch/bunny.stl"
            mv -f "$scratch/bunny.stl" "$BUNNY" # same file system: the whole file appears at once, or none
            say "$BUNNY is there"
            return
        fi
        say "$source: not the benchmark's mesh (sha256 $(sha256 "$scratch/bunny.stl"), wanted $BUNNY_SHA256)"
    done
}

# An environment of its own for the package's tests: nothing of the system's Python is changed.
make_python_env()
{
    has_python_env 2>/dev/null && return
    python3 -c 'import ensurepip, venv' 2>/dev/null || return 0
    say "making $PYTHON_ENV with what the Python package's tests need (pip, 300 MB)"
    { [ -x "$PYTHON_ENV/bin/python" ] || logged python3 -m venv "$PYTHON_ENV"; } &&
        logged "$PYTHON_ENV/bin/pip" install --quiet --timeout 20 --retries 1 -r python/requirements-test.txt ||
        say "that failed (offline?): see $log"
}

# --- saying what is not there ----------------------------------------------------------------------------------

what_lacks() # "package|need" lines, the mesh included
{
    missing
    ! wants_mujoco || has_mujoco || printf '%s|%s\n' "mujoco" "the peer MuJoCo in the pinned version"
    ! wants_python || has_python_env 2>/dev/null || printf '%s|%s\n' "python-venv" "the tests of the Python package"
    ! wants_bunny || is_bunny "$BUNNY" || printf '%s|%s\n' "bunny.stl" "$BUNNY_NEED"
}

is_fatal() { grep -q '|everything' <<<"$1"; } # LINES of what_lacks

shout() # LINES of what_lacks
{
    local rule packages package need
    rule=$(printf '%.0s*' {1..100})
    packages=$(cut -d '|' -f 1 <<<"$1" | grep -v -e '^bunny\.stl$' -e '^mujoco$' -e '^python-venv$' | sort -u | paste -sd ' ' -) || true
    {
        printf '%s\n* NOT EVERYTHING IS HERE. Skipped for want of it:\n*\n' "$rule"
        while IFS='|' read -r package need; do
            printf '*   %-16s %s\n' "$package" "$need"
        done <<<"$1"
        printf '*\n'
        if [ -n "$packages" ] && found apt-get; then
            printf '* To install it, type:  %sapt-get install %s\n' "$([ "$(id -u)" -eq 0 ] || echo 'sudo ')" "$packages"
        elif [ -n "$packages" ]; then
            printf '* This is no Debian: install what your system calls (Debian names):  %s\n' "$packages"
        fi
        if grep -q '^mujoco|' <<<"$1"; then
            printf '* MuJoCo: scripts/fetch_mujoco.sh fetches its pinned PyPI wheel; or install libmujoco-dev, or set MUJOCO_DIR\n'
        fi
        if grep -q '^bunny' <<<"$1"; then
            printf '* The mesh: with a network, make setup fetches it; or PBDR_BUNNY=/path/to/bunny.stl make setup\n'
            printf '*   (%s of Debian'\''s package %s)\n' "$BUNNY_MEMBER" "$BUNNY_PACKAGE"
        fi
        if is_fatal "$1"; then
            printf '* STOPPED: nothing can be built without a C compiler and CMake 3.25 or newer.\n'
        else
            printf '* The rest goes on: the benchmark needs a C compiler and CMake alone, tests 4 to 6 the mesh besides.\n'
        fi
        printf '%s\n' "$rule"
    } >&2
}

# --- main ------------------------------------------------------------------------------------------------------

check=
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
goal=${1:-}
case $goal in
    build | bench | test | determinism | report | web | python | format) ;;
    *)
        echo "usage: scripts/setup.sh [--check] build|bench|test|determinism|report|web|python|format" >&2
        exit 2
        ;;
esac
case ${PBDR_BUNNY:-/} in
    /*) ;;
    *) PBDR_BUNNY=$PWD/$PBDR_BUNNY ;; # before the cd
esac
cd "$(dirname "$0")/.."

if [ -n "$check" ]; then
    lacking=$(what_lacks)
    while IFS='|' read -r package need; do
        [ -z "$package" ] || echo "missing: $package ($need); make setup gets it"
    done <<<"$lacking"
    if is_fatal "$lacking"; then exit 1; else exit 0; fi
fi
if [ "${PBDR_NO_SETUP:-}" = 1 ]; then
    say "left out (PBDR_NO_SETUP=1)"
    exit 0
fi
lacking=$(what_lacks)
if [ -z "$lacking" ]; then
    say "everything for make $goal is here"
    exit 0
fi

mkdir -p build/data
log=$PWD/build/setup.log
exec 9>build/setup.lock
if found flock && ! flock -n 9; then
    say "waiting for another set-up"
    flock 9
fi
: >"$log"
scratch=$(mktemp -d "$PWD/build/data/fetch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

install_packages
if wants_bunny; then
    fetch_bunny
fi
if wants_python; then
    make_python_env
fi
if wants_mujoco && has_pip; then
    scripts/fetch_mujoco.sh
fi
lacking=$(what_lacks)
[ -z "$lacking" ] || shout "$lacking"
if is_fatal "$lacking"; then exit 1; fi
