#!/usr/bin/env bash
# The bunny packed in several ways, as a table for docs/packing.md: quality and cost of each.
#
#     scripts/packings.sh FILE.csv      needs build/pbdr, build/data/bunny.stl and glmark2's bunny, which shapes.sh fetches; ten seconds
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { echo "usage: scripts/packings.sh FILE.csv" >&2; exit 2; }
[ -x build/pbdr ] || { echo "packings: build/pbdr is missing: make build" >&2; exit 1; }
fine=build/data/shapes/glmark2-data/bunny.obj
[ -f $fine ] || scripts/shapes.sh --help >/dev/null # fetches, then prints a help text
for mesh in build/data/bunny.stl $fine; do
    [ -f $mesh ] || { echo "packings: $mesh is missing: make setup, make shapes" >&2; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

pack() # LABEL MESH OPTIONS...
{
    local label=$1 mesh=$2
    shift 2
    build/pbdr pack "$mesh" --size 0.2 --density 1000 "$@" -o "$scratch/body.json" >"$scratch/report"
    awk -v label="$label" -v bytes="$(wc -c <"$scratch/body.json")" -v report="$scratch/report" '
        BEGIN { while ((getline line < report) > 0) {
            if (line ~ /^cost/) { if (match(line, /[0-9.e-]+ s packing/)) packing = substr(line, RSTART) + 0; if (match(line, /[0-9.e-]+ s measuring/)) measuring = substr(line, RSTART) + 0 }
            # 115.5 cm^2 (the base of the mesh: "base 120.2"); margin 44 mm (mesh 44.5)
            if (match(line, /base [0-9.]+/)) base = substr(line, RSTART + 5, RLENGTH - 5) / 1e4
            if (match(line, /\(mesh [0-9.]+\)/)) margin = substr(line, RSTART + 6, RLENGTH - 7) / 1e3
        } }
        function value(key) { return match($0, "\"" key "\": *\"?[^,\"}]*") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) : "" }
        { text = text $0 }
        END {
            $0 = text; n = split("spheres mean_gap_m largest_gap_m cover inertia_error_uniform inertia_error masses_rung protrusion_m support_area_m2 support_margin_m", keys, " ")
            printf "%s", label
            for (k = 1; k <= n; k++) { v = value(keys[k]); gsub(/^[ "]+/, "", v); if (v == "") exit 1; printf ",%s", v }
            if (packing == "" || measuring == "") exit 1 # a mesh without a base has no area and margin
            printf ",%s,%s,%s,%s,%d\n", base, margin, packing, measuring, bytes
        }' "$scratch/body.json"
}

{
    echo label,spheres,mean_gap_m,largest_gap_m,cover,inertia_error_uniform,inertia_error,masses_by,protrusion_m,support_area_m2,support_margin_m,mesh_support_area_m2,mesh_margin_m,packing_s,measuring_s,bytes
    pack "grid r = 5 mm" build/data/bunny.stl --packing grid --radius 0.005
    pack surface build/data/bunny.stl --packing surface --count 801
    pack surface build/data/bunny.stl --packing surface --count 2191
    pack surface build/data/bunny.stl --packing surface --count 20000
    pack "glmark2's bunny of 69666 triangles" "$fine" --packing surface --count 2191
} >"$scratch/table.csv"
mv "$scratch/table.csv" "$1"
