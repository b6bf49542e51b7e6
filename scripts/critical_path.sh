#!/usr/bin/env bash
# The critical path of two threads on the pile of 1000 boxes over the instructions of one, by valgrind's callgrind; CSV on
# stdout.
#
#     scripts/critical_path.sh > bench/results/critical_path.csv      (four minutes)
#
# Counted are twelve substeps of every hundred, of the first 1200. The count depends neither on what else the machine does nor
# on how far its cores are apart.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "critical_path: needs valgrind: apt-get install valgrind" >&2; exit 1; }
program=build/measure/critical_path
[ -x $program ] || { echo "critical_path: $program is not there: make build" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count() # all|path SOLVER: instructions
{
    valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$work/out" \
        $program "$1" pile1000 "$2" 1200 100 12 "$work/plan" >"$work/counted" 2>"$work/log" || { cat "$work/log" >&2; return 1; }
    awk '/Collected :/ { print $NF }' "$work/log"
}

echo scene,solver,substeps,instructions,critical_path
for solver in xpbdr:spheres xpbdr; do
    $program plan pile1000 "$solver" 1200 100 12 "$work/plan" >/dev/null
    all=$(count all "$solver")
    path=$(count path "$solver")
    printf 'pile1000,%s,%s,%s,%s\n' "$solver" "$(cat "$work/counted")" "$all" "$path"
done
