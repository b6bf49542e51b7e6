#!/usr/bin/env bash
# Makes README's film: balls hit a tower of bricks. scripts/film.c simulates and draws it on all processors (some minutes of
# processor time), and ffmpeg packs the frames.
#
#     scripts/film.sh [OUTPUT.webp]
#
# FRAMES=150 SIZE=640x360 are its length, at 20 pictures a second, and its size.
set -euo pipefail
cd "$(dirname "$0")/.."
output=${1:-docs/images/film.webp}
frames=${FRAMES:-150} size=${SIZE:-640x360}
[ -f build/src/libpbdr.a ] || { echo "film: build/src/libpbdr.a is missing: make build" >&2; exit 1; }
command -v ffmpeg >/dev/null || { echo "film: ffmpeg is missing: apt-get install ffmpeg" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
${CC:-cc} -std=gnu17 -O3 -Wall -Wextra -I include scripts/film.c build/src/libpbdr.a -pthread -lm -o "$scratch/film"
"$scratch/film" "$frames" "${size%x*}" "${size#*x}" 0 "$frames" >"$scratch/pixels"
mkdir -p "$(dirname "$output")"
# The last picture stays for a second.
ffmpeg -y -loglevel error -f rawvideo -pix_fmt rgb24 -s "$size" -r 20 -i "$scratch/pixels" -vf tpad=stop_mode=clone:stop_duration=1 \
    -c:v libwebp_anim -q:v 85 -compression_level 4 -loop 0 "$output"
echo "film: $output, $(stat -c %s "$output") bytes"
