#!/usr/bin/env bash
# Fetches MuJoCo, a library that the benchmark compares with, into the build tree: libmujoco.so* and include/ out of one
# PyPI wheel of one version, whose sha256 stands below. Any other file is refused. No Python is needed to use it.
#
#     scripts/fetch_mujoco.sh [FOLDER]           default build/mujoco
#     scripts/fetch_mujoco.sh --check [FOLDER]   exit 0 if that version is there, 1 if not
#
# Quiet when it is there; a folder with another version is replaced. Never fatal: without pip, unzip or a network the
# reason is said, and the build takes Debian's libmujoco-dev, or goes without MuJoCo. For another MuJoCo configure with
# -DMUJOCO_DIR=/folder.
#
# The version is that of README.md's table, of the leaderboard (engines/versions) and of the laboratory
# (web/package.json): the newest that PyPI and npm both have. The test named pins holds the three together.
#
# PBDR_NO_SETUP=1   do nothing
set -euo pipefail

readonly VERSION=3.14.0
# A wheel per platform, whatever Python there is: the library is the same in those of all Pythons.
readonly PYTHON_TAG=cp313
readonly WHEELS='
Linux x86_64  | manylinux_2_28_x86_64  | dd02d0744bd5bd802394ee03310fbc4c8e629cfa5ed3d5c2abc56c1914ae316e
Linux aarch64 | manylinux_2_28_aarch64 | 60e31f3ca2320e9f9ab3b783b4189dad422047b42bb5a4fcfcaf04d371143448
Darwin arm64  | macosx_11_0_arm64      | 69b06639629506459d8e4d605668b73d8175d146219c132be406b6a75792d10a
'

say() { printf 'setup: %s\n' "$*"; }

give_up() # WHY
{
    say "MuJoCo: $1"
    say "MuJoCo: without it the build takes Debian's libmujoco-dev if that is installed (apt-get install libmujoco-dev)"
    exit 0
}

is_there() # FOLDER: with this version
{
    [ -f "$1/include/mujoco/mujoco.h" ] && { [ -f "$1/libmujoco.so.$VERSION" ] || [ -f "$1/libmujoco.$VERSION.dylib" ]; }
}

get_sha256() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; } # FILE

check=
if [ "${1:-}" = --check ]; then
    check=yes
    shift
fi
case ${1:-build/mujoco} in
    /*) target=$1 ;;
    *) target=$(cd "$(dirname "$0")/.." && pwd)/${1:-build/mujoco} ;;
esac
if [ -n "$check" ]; then if is_there "$target"; then exit 0; else exit 1; fi; fi
[ "${PBDR_NO_SETUP:-}" != 1 ] || exit 0
! is_there "$target" || exit 0

platform=$(uname -sm)
wheel_line=$(grep "^$platform *|" <<<"$WHEELS") || give_up "there is no pinned wheel for $platform"
IFS='| ' read -r tag sha256 <<<"${wheel_line#*|}"

pip=
for candidate in "python3 -m pip" pip3 pip; do
    # $candidate is split into words on purpose: it is a command line.
    if $candidate --version >/dev/null 2>&1; then
        pip=$candidate
        break
    fi
done
[ -n "$pip" ] || give_up "no pip to fetch its wheel with (apt-get install python3-pip)"
command -v unzip >/dev/null || command -v python3 >/dev/null ||
    give_up "no unzip to open its wheel with (apt-get install unzip)"

mkdir -p "$(dirname "$target")" 2>/dev/null && scratch=$(mktemp -d "$target.XXXXXX" 2>/dev/null) ||
    give_up "$(dirname "$target") cannot be written to"
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

[ ! -e "$target" ] || say "${target#"$PWD"/} holds another MuJoCo than $VERSION: it is fetched anew"
say "fetching MuJoCo $VERSION (its PyPI wheel, 10 to 30 MB)"
$pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --timeout 20 --retries 1 \
    --implementation cp --python-version "${PYTHON_TAG#cp}" --abi "$PYTHON_TAG" --platform "$tag" \
    --dest "$scratch" "mujoco==$VERSION" >"$scratch/log" 2>&1 </dev/null ||
    give_up "fetching its wheel failed (offline?): $(grep -v '^ *$' "$scratch/log" | tail -n 1)"
wheel=$(compgen -G "$scratch/*.whl" | head -n 1) || give_up "pip fetched no wheel"
got=$(get_sha256 "$wheel")
[ "$got" = "$sha256" ] ||
    give_up "$(basename "$wheel") is refused: its sha256 is $got, and scripts/fetch_mujoco.sh wants $sha256"
mkdir "$scratch/wheel"
if command -v unzip >/dev/null; then
    unzip -q "$wheel" -d "$scratch/wheel" >"$scratch/log" 2>&1 || give_up "$(basename "$wheel"): cannot be opened"
else
    python3 -m zipfile -e "$wheel" "$scratch/wheel" >"$scratch/log" 2>&1 ||
        give_up "$(basename "$wheel"): cannot be opened"
fi

mkdir "$scratch/ready"
cp -R "$scratch/wheel/mujoco/include" "$scratch"/wheel/mujoco/libmujoco* "$scratch/ready/" 2>/dev/null || true
cp "$scratch"/wheel/mujoco-*.dist-info/licenses/* "$scratch/ready/" 2>/dev/null || true
is_there "$scratch/ready" || give_up "$(basename "$wheel") holds no libmujoco $VERSION and headers"
chmod 755 "$scratch/ready"
rm -rf "$target"
mv "$scratch/ready" "$target" || give_up "$target cannot be written to" # same file system: the whole folder appears at once, or none
say "mujoco $VERSION is in ${target#"$PWD"/}"
