#!/usr/bin/env bash
# Fetches the newest MuJoCo, a library that the benchmark compares with, into the build tree: libmujoco.so* and include/
# out of the PyPI wheel mujoco-core. No Python is needed to use it.
#
#     scripts/fetch_mujoco.sh [FOLDER]    default build/mujoco
#
# Quiet when it is there. Never fatal: without pip, unzip or a network the reason is said, and the build takes Debian's
# libmujoco-dev, or goes without MuJoCo. Remove the folder to fetch again.
#
# PBDR_NO_SETUP=1             do nothing
# PBDR_MUJOCO_VERSION=4.0.1   that one instead of the newest (up to 3.x the wheel was called mujoco)
set -euo pipefail

say() { printf 'setup: %s\n' "$*"; }

give_up() # WHY
{
    say "MuJoCo: $1"
    say "MuJoCo: without it the build takes Debian's libmujoco-dev if that is installed (apt-get install libmujoco-dev)"
    exit 0
}

is_there() { [ -f "$1/include/mujoco/mujoco.h" ] && compgen -G "$1/libmujoco*" >/dev/null; } # FOLDER

case ${1:-build/mujoco} in
    /*) target=$1 ;;
    *) target=$(cd "$(dirname "$0")/.." && pwd)/${1:-build/mujoco} ;;
esac
[ "${PBDR_NO_SETUP:-}" != 1 ] || exit 0
! is_there "$target" || exit 0

pip=
for candidate in "python3 -m pip" pip3 pip; do
    # $candidate is split into words on purpose: it is a command line.
    if $candidate --version >/dev/null 2>&1; then
        pip=$candidate
        break
    fi
done
[ -n "$pip" ] || give_up "no pip to fetch the wheel mujoco-core with (apt-get install python3-pip)"
command -v unzip >/dev/null || command -v python3 >/dev/null ||
    give_up "no unzip to open the wheel mujoco-core with (apt-get install unzip)"

mkdir -p "$(dirname "$target")" 2>/dev/null && scratch=$(mktemp -d "$target.XXXXXX" 2>/dev/null) ||
    give_up "$(dirname "$target") cannot be written to"
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

say "fetching MuJoCo (the wheel mujoco-core, 10 MB)"
$pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --timeout 20 --retries 1 \
    --dest "$scratch" "mujoco-core${PBDR_MUJOCO_VERSION:+==$PBDR_MUJOCO_VERSION}" >"$scratch/log" 2>&1 </dev/null ||
    give_up "fetching mujoco-core failed (offline?): $(grep -v '^ *$' "$scratch/log" | tail -n 1)"
wheel=$(compgen -G "$scratch/*.whl" | head -n 1) || give_up "pip fetched no wheel"
mkdir "$scratch/wheel"
if command -v unzip >/dev/null; then
    unzip -q "$wheel" -d "$scratch/wheel" >"$scratch/log" 2>&1 || give_up "$(basename "$wheel"): cannot be opened"
else
    python3 -m zipfile -e "$wheel" "$scratch/wheel" >"$scratch/log" 2>&1 ||
        give_up "$(basename "$wheel"): cannot be opened"
fi

mkdir "$scratch/ready"
cp -R "$scratch/wheel/mujoco/include" "$scratch"/wheel/mujoco/libmujoco* "$scratch/ready/" 2>/dev/null || true
cp "$scratch"/wheel/mujoco_core-*.dist-info/licenses/* "$scratch/ready/" 2>/dev/null || true
is_there "$scratch/ready" || give_up "$(basename "$wheel") holds no libmujoco and headers"
chmod 755 "$scratch/ready"
rm -rf "$target"
mv "$scratch/ready" "$target" || give_up "$target cannot be written to" # same file system: the whole folder appears at once, or none
say "$(basename "$wheel" | cut -d - -f 1,2 | tr - ' ') is in ${target#"$PWD"/}"
