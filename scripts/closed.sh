#!/usr/bin/env bash
# The closed forms of tests 1 to 6 as a table, for docs/benchmark.md: a row per test, from the exported scenes.
#
#     scripts/closed.sh FILE.csv      needs build/pbdr and build/data/bunny.stl; a second
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { echo "usage: scripts/closed.sh FILE.csv" >&2; exit 2; }
[ -x build/pbdr ] || { echo "closed: build/pbdr is missing: make build" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

{
    echo test,name,body,mu,slope_rad,force_N,torque_Nm,acceleration_mps2,angular_acceleration_radps2,final_distance_m,final_angle_rad,floor_position_m,floor_rotation_deg,x_m,y_m,z_m
    for test in 1 2 3 4 5 6; do
        build/pbdr export --test $test --format json >"$scratch/scene.json"
        # Keys stand on lines of their own; "final" opens the reference's last pose.
        awk -v test=$test '
            function text(    value) { value = $0; sub(/^[^:]*: */, "", value); sub(/,$/, "", value); gsub(/"/, "", value); return value }
            function part(k,    list, parts) { list = text(); gsub(/[\[\] ]/, "", list); split(list, parts, ","); return parts[k] }
            /"final": / { final = 1 }
            /^  "name":/ { name = text() }
            /^      "shape":/ && body == "" { body = text() }
            /"friction":/ && mu == "" { mu = text() }
            /"slope_rad":/ { slope = text() }
            /"force_N":/ { force = part(1) }
            /"torque_Nm":/ { torque = part(3) }
            /"acceleration_mps2":/ { a = text() }
            /"angular_acceleration_radps2":/ { angular = text() }
            /"final_distance_m":/ { distance = text() }
            /"final_angle_rad":/ { angle = text() }
            /"floor_position_m":/ { floor = text() }
            /"floor_rotation_deg":/ { turn = text() }
            final && /"position_m":/ { x = part(1); y = part(2); z = part(3) }
            END {
                if (x == "" || turn == "" || a == "") exit 1
                print test "," name "," body "," mu "," slope "," force "," torque "," a "," angular "," distance "," angle "," floor "," turn "," x "," y "," z
            }' "$scratch/scene.json"
    done
} >"$scratch/table.csv"
mv "$scratch/table.csv" "$1"
