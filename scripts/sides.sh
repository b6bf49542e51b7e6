#!/usr/bin/env bash
# The shapes of scripts/shapes.sh pushed from all sides, as a table, for docs/shapes.md: a row per shape and side.
#
#     scripts/sides.sh FILE.csv      needs build/pbdr and a network at the first time; two minutes
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { echo "usage: scripts/sides.sh FILE.csv" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for yaw in 20 45 70 95 120 145 170 195 220 245 270 295 320 345; do
    scripts/shapes.sh --seeds 1 --yaw $yaw --csv "$scratch/side.csv" --markdown "$scratch/side.md" >"$scratch/said" 2>&1 ||
        [ -s "$scratch/side.csv" ] || { cat "$scratch/said" >&2; exit 1; } # a body that does not do what it must is a row
    awk -v yaw=$yaw -v first=$((yaw == 20)) 'NR == 1 { if (first) print "yaw_deg," $0; next } { print yaw "," $0 }' "$scratch/side.csv"
done >"$scratch/table.csv"
mv "$scratch/table.csv" "$1"
