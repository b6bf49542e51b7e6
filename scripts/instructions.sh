#!/usr/bin/env bash
# Instructions per substep of scenes of many bodies, XPBD-R beside Bullet and ODE, by valgrind's callgrind; CSV on stdout.
#
#     scripts/instructions.sh > bench/results/instructions.csv      (five minutes)
#     scripts/instructions.sh dominoes20 rods30                     some scenes only
#
# The count does not depend on what else the machine does, nor on its caches. Of piles and hoppers a sample of the
# substeps is counted, twelve of every 250, of the others all.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v valgrind >/dev/null || { echo "instructions: needs valgrind: apt-get install valgrind" >&2; exit 1; }
program=build/measure/instructions
[ -x $program ] || { echo "instructions: $program is not there: make build" >&2; exit 1; }
[ $# -gt 0 ] || set -- pile125 pile1000 dominoes20 wall105 rods30
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count() # SCENE SOLVER [EVERY SOME]: a row
{
    local substeps total
    substeps=$(valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$work/out" $program "$@" 2>"$work/log") || {
        cat "$work/log" >&2
        return 1
    }
    total=$(awk '/Collected :/ { print $NF }' "$work/log")
    [ -n "$total" ] || { echo "instructions: callgrind counted nothing for $1 with $2" >&2; return 1; }
    printf '%s,%s,%s,%s,%.0f\n' "$1" "$2" "$substeps" "$total" "$(echo "$total / $substeps" | bc -l)"
}

echo scene,solver,substeps,instructions,instructions_per_substep
for scene; do
    case $scene in
        pile*) solvers="xpbdr:spheres bullet" sample="250 12" ;;
        hopper*) solvers="xpbdr bullet ode" sample="250 12" ;;
        *) solvers="xpbdr bullet" sample="" ;;
    esac
    for solver in $solvers; do
        count "$scene" "$solver" $sample
    done
done
