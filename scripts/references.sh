#!/usr/bin/env bash
# Test 7's references as a table, for docs/: a row per model, support and offset.
#
#     scripts/references.sh FILE.csv      needs build/pbdr; ten seconds
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { echo "usage: scripts/references.sh FILE.csv" >&2; exit 2; }
[ -x build/pbdr ] || { echo "references: build/pbdr is missing: make build" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

solve() # OFFSET OPTIONS...: the options stand in the row as they are typed
{
    local offset=$1
    shift
    build/pbdr reference "$@" --offset "$offset" --csv "$scratch/path.csv" 2>"$scratch/moments"
    awk -F, -v offset="$offset" -v options="$*" -v moments="$scratch/moments" '
        BEGIN { while ((getline line < moments) > 0) { split(line, word, " +"); if (line ~ /^corner/) corner = word[3]; if (line ~ /^contact ends/) end = word[3] } }
        $1 == 2 { two = $2 "," $3 "," $4 } $1 == 3 { three = $2 "," $3 "," $4 } { last = $2 "," $3 "," $4 }
        END { if (two == "" || three == "" || end == "") exit 1; print options "," offset "," two "," three "," corner "," end "," last }' "$scratch/path.csv"
}

{
    echo options,offset_m,x2_m,y2_m,theta2_rad,x3_m,y3_m,theta3_rad,corner_s,end_s,x_m,y_m,theta_rad
    for offset in 0.02 0.04 0.06; do
        solve $offset --model quasistatic
        solve $offset --model dynamic --tilt
    done
    for options in "--model dynamic" "--support 10x10" "--support 3x3" "--support ellipsoid" "--support corners" "--model dynamic --tilt --push-height 0.1" \
        "--model quasistatic --tilt" "--model quasistatic --tilt --push-height 0.1"; do
        # shellcheck disable=SC2086 # several words
        solve 0.02 $options
    done
    for cells in 3 4 16; do
        solve 0.02 --model dynamic --tilt --support lattice:$cells
    done
} >"$scratch/table.csv"
mv "$scratch/table.csv" "$1"
