#!/usr/bin/env bash
# Makes README's film strip: a ball hits a tower of boxes. scripts/film.c simulates and draws it.
#
#     scripts/film.sh [OUTPUT.svg]
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-docs/images/film.svg}
[ -f build/src/libpbdr.a ] || { echo "film: build/src/libpbdr.a is missing: make build" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
${CC:-cc} -std=c17 -O2 -Wall -Wextra -I include -I draw scripts/film.c draw/*.c build/src/libpbdr.a -lm -o "$scratch/film"
"$scratch/film" >"$scratch/film.svg"
mkdir -p "$(dirname "$output")"
mv "$scratch/film.svg" "$output"
echo "film: $output"
