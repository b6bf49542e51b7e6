#!/usr/bin/env bash
# Meshes that are not ours, as bodies: fetches those of Debian's prusa-slicer (shapes/) and glmark2-data (its bunny) into
# build/data/shapes/, then sets each up, packs it, weighs it and tries it in tests 4 and 6 (build/pbdr shapes).
#
#     scripts/shapes.sh [OPTIONS of pbdr shapes]      table on stdout; build/shapes.csv and build/shapes.md
#
# Exit code 1 if a mesh is refused or a body does not do what it must. Packages that cannot be had are named, and their
# meshes skipped. PBDR_SHAPES=/folder takes all meshes from there instead; PBDR_NO_SETUP=1 fetches nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
pbdr=${PBDR:-build/pbdr}
data=build/data/shapes

# package | files in it | what it has
readonly PACKAGES='
prusa-slicer|./usr/share/PrusaSlicer/shapes/*.stl|13 shapes
glmark2-data|./usr/share/glmark2/models/bunny.obj|the Stanford bunny of 69,666 triangles
'

# As in setup.sh: fail within a minute when offline; root, as apt's own user may not enter our folder.
readonly APT_OPTIONS=(-q -y -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20
                      -o DPkg::Lock::Timeout=300 -o APT::Sandbox::User=root)

say() { printf 'shapes: %s\n' "$*" >&2; }

download() # PACKAGE FOLDER: its .deb, without installing it
{
    local private=(-o "Dir::State::Lists=$scratch/lists" -o "Dir::Cache=$scratch/cache")
    mkdir -p "$2" "$scratch/lists/partial" "$scratch/cache/archives/partial"
    (
        cd "$2"
        # The second try is for machines whose package lists are old or empty, with lists of our own.
        apt-get "${APT_OPTIONS[@]}" download "$1" ||
            { apt-get "${APT_OPTIONS[@]}" "${private[@]}" update &&
                  apt-get "${APT_OPTIONS[@]}" "${private[@]}" download "$1"; }
    ) >>"$log" 2>&1 </dev/null
}

fetch() # PACKAGE PATTERN: its meshes into build/data/shapes/PACKAGE, whole or not at all
{
    [ -d "$data/$1" ] && return
    [ "${PBDR_NO_SETUP:-}" != 1 ] || return 1
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return 1
    say "fetching the meshes of Debian's $1"
    download "$1" "$scratch/deb/$1" || return 1
    mkdir -p "$scratch/$1"
    dpkg-deb --fsys-tarfile "$scratch/deb/$1"/*.deb 2>>"$log" | tar -x -C "$scratch/$1" --wildcards "$2" 2>>"$log" || return 1
    mkdir -p "$scratch/meshes/$1"
    find "$scratch/$1" -type f -exec mv {} "$scratch/meshes/$1/" \;
    if [ "$1" = glmark2-data ]; then
        # Its y is up. As the file has it, it lies on its back; a copy with z up shows it on its feet, too.
        awk '$1 == "v" { print "v", $2, -$4, $3; next } $1 == "vn" { next }
             $1 == "f" { for (k = 2; k <= NF; k++) sub("/.*", "", $k) } { print }' \
            "$scratch/meshes/$1/bunny.obj" >"$scratch/meshes/$1/bunny_y_up.obj"
    fi
    chmod -R u+rwX,go+rX "$scratch/meshes/$1"
    mv "$scratch/meshes/$1" "$data/$1"
}

arguments=()
add_meshes() # FILE...
{
    local file
    for file in "$@"; do
        [ ! -f "$file" ] || arguments+=(--mesh "$file")
    done
}

[ -x "$pbdr" ] || { say "$pbdr is not there: make build"; exit 1; }
shopt -s nullglob nocaseglob
if [ -n "${PBDR_SHAPES:-}" ]; then
    add_meshes "$PBDR_SHAPES"/*.{stl,obj,ply}
else
    mkdir -p "$data"
    log=$PWD/build/shapes.log
    : >"$log"
    scratch=$(mktemp -d "$PWD/build/data/fetch.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    while IFS='|' read -r package pattern what; do
        [ -n "$package" ] || continue
        if fetch "$package" "$pattern"; then
            add_meshes "$data/$package"/*.{stl,obj,ply}
        else
            rule=$(printf '%.0s*' {1..100})
            printf '%s\n* SKIPPED: %s of Debian'\''s package %s could not be had (offline, or not Debian; see %s).\n' \
                "$rule" "$what" "$package" build/shapes.log >&2
            printf '* With a network make shapes fetches it; or PBDR_SHAPES=/folder/of/meshes make shapes.\n%s\n' "$rule" >&2
        fi
    done <<<"$PACKAGES"
    rm -rf "$scratch"
fi
if [ ${#arguments[@]} -eq 0 ]; then
    say "no mesh, nothing to do"
    exit 0
fi
"$pbdr" shapes "${arguments[@]}" --csv build/shapes.csv --markdown build/shapes.md "$@"
say "build/shapes.csv and build/shapes.md are there"
