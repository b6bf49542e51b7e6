#!/usr/bin/env bash
# Every allocation of a command fails in turn: each time it ends by itself with a status that it gives on purpose, says
# so on stderr or by a flag of its summary, gives all memory back, and leaves no file that is not whole.
# short_memory_test.sh PBDR_SHORT [SCENES] (the command with tests/cli/short_memory.c in it; with SCENES the bunny pile
# there alone)
pbdr=$(realpath "$1") scene=${2:+$(realpath "$2")/bunny_pile.xml}
source "$(dirname "$0")/expect.sh"
export ASAN_OPTIONS=allocator_may_return_null=1:exitcode=99 UBSAN_OPTIONS=halt_on_error=1:exitcode=99
export PBDR_COUNT_TO=$scratch/count
most=20000

# NAME WHOLE-CODE COMMAND...: WHOLE-CODE is the exit code with all the memory that it wants.
starve()
{
    local name=$1 whole=$2 at=0 got bad=0 asked held
    shift 2
    PBDR_FAIL_AT=0 "$pbdr" "$@" >out 2>usual
    while [ "$at" -lt "$most" ]; do
        at=$((at + 1)) got=0
        rm -f count
        PBDR_FAIL_AT=$at "$pbdr" "$@" >out 2>err || got=$?
        read -r asked held 2>/dev/null <count || asked=
        if [ -z "$asked" ]; then
            echo "    allocation $at: it did not end by itself, code $got"
            bad=1
        elif [ "$held" -ne 0 ]; then
            echo "    allocation $at: code $got, $held blocks of memory not given back"
            bad=1
        elif [ "$asked" -lt "$at" ]; then
            break # it never came to that
        elif [ "$got" -gt 2 ]; then
            echo "    allocation $at: code $got"
            bad=1
        elif cmp -s err usual && ! grep -q '^! ' out; then
            echo "    allocation $at: code $got, and not a word"
            bad=1
        elif ls ./*.tmp >/dev/null 2>&1; then
            echo "    allocation $at: left $(echo ./*.tmp)"
            bad=1
        fi
        if [ "$bad" -ne 0 ]; then
            sed 's/^/    /' err | head -20
            break
        fi
    done
    check "$name: $((at - 1)) allocations failed in turn" test "$bad" -eq 0 -a "$at" -gt 2 -a "$at" -lt "$most"
    check "$name: with enough memory it ends with $whole" test "$got" -eq "$whole"
}

files=(--hash --out traj.csv --ledger ledger.csv --json summary.json --fail-if 'penetration>1')
if [ -n "$scene" ]; then
    if "$pbdr" run "$scene" --duration 0.001 >/dev/null 2>&1; then
        # until bodies touch the floor and each other
        starve "run_$(basename "$scene")" 0 run "$scene" --duration 0.15 --frame 0.05 --snapshot run.snap "${files[@]}"
    else
        echo "SKIPPED run_$(basename "$scene"): a mesh or MuJoCo's library is missing"
        skipped=1
    fi
    finish
    exit
fi

{
    echo t,body,px
    for k in $(seq 100); do
        printf '0,b%d,1\n' "$k"
    done
} >a.csv
sed 's/b70,1/b70,2/' a.csv >b.csv
starve diff_equal 0 diff a.csv a.csv
starve diff_parted 1 diff a.csv b.csv

# A run with everything that it can write; then one that goes on.
cat >scene.json <<'END'
{"schema": "pbdr-scene/2", "duration_s": 0.02, "planes": [{}], "bodies": [
 {"name": "a", "shape": "box", "half_extents_m": [0.1, 0.1, 0.1], "mass_kg": 1, "start": {"position_m": [0, 0, 0.1]}},
 {"name": "b", "shape": "compound", "mass_kg": 1, "start": {"position_m": [0, 0, 0.3]}, "parts": [
  {"shape": "box", "half_extents_m": [0.1, 0.1, 0.1]}, {"shape": "ball", "radius_m": 0.1, "position_m": [0, 0, 0.1]}]},
 {"name": "c", "shape": "ball", "radius_m": 0.1, "mass_kg": 1, "start": {"position_m": [0, 0, 0.6]}}]}
END
starve run 0 run scene.json --snapshot run.snap "${files[@]}"
starve run_resumed 0 run scene.json --duration 0.03 --resume run.snap "${files[@]}"
finish
