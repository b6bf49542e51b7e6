#!/usr/bin/env bash
# A test's scene written by `pbdr export`, run by `pbdr run` and measured by `pbdr score` gives what `pbdr bench` measures. So a figure of
# the benchmark's table can be remade with files alone.
#
#     round_trip_test.sh PBDR [BUNNY.stl]
set -u
pbdr=$(realpath "$1")
bunny=${2:-}
. "$(dirname "$0")/expect.sh"
skip() { skipped=$((skipped + 1)); echo "SKIPPED $1"; }

# TEST SOLVER OPTION...: the table's figure of the test (degrees in tests 2 and 5, else metres) by bench, and by the score of what was
# exported and run: the same to 1e-9. Options before "--" are of the scene (export, score, bench), those after it of the solver (run, bench).
agrees()
{
    local test=$1 solver=$2 scene=() way=() start=()
    shift 2
    while [ $# -gt 0 ] && [ "$1" != -- ]; do scene+=("$1"); shift; done
    [ $# -eq 0 ] || { shift; way=("$@"); }
    # spheres start about their own centre of mass, which is not quite the mesh's
    [ "$solver" = xpbdr ] || start=(--of-spheres)
    "$pbdr" bench --tests "$test" --solvers "$solver" --seeds 1 --first-seed 2 --duration 2 "${scene[@]}" "${way[@]}" --json bench.json &&
        "$pbdr" export --test "$test" --seed 2 --format json "${scene[@]}" -o scene.json &&
        "$pbdr" run scene.json --solver "$solver" --duration 2 "${way[@]}" --out run.csv &&
        "$pbdr" score --test "$test" --seed 2 "${scene[@]}" --body "$(sed -n '2s/^[^,]*,\([^,]*\),.*/\1/p' run.csv)" "${start[@]}" \
            run.csv --json score.json || return 1
    python3 - "$test" <<'END'
import json, sys
key = "final_rotation_error_deg" if sys.argv[1] in "25" else "final_position_error_m"
bench, score = (json.load(open(path))["runs"][0][key] for path in ("bench.json", "score.json"))
print(key, bench, score)
sys.exit(not abs(bench - score) <= 1e-9)
END
}

if ! command -v python3 >/dev/null; then
    skip "round trip: python3 compares the results"
else
    for test in 1 2 3 7; do
        check "score_of_the_run_of_the_export__is_that_of_bench_test_$test" agrees $test xpbdr
        for solver in pbd pbd-r; do
            check "score_of_the_run_of_the_export__is_that_of_bench_test_${test}_$solver" agrees $test $solver -- --engine particle --precision f32
        done
    done
    if [ -n "$bunny" ] && [ -f "$bunny" ]; then
        for test in 4 5 6; do
            for base in flat raw; do
                check "score_of_the_run_of_the_export__is_that_of_bench_test_${test}_$base" agrees $test xpbdr --mesh "$bunny" --base $base
            done
            for solver in pbd pbd-r; do
                check "score_of_the_run_of_the_export__is_that_of_bench_test_${test}_$solver" agrees $test $solver --mesh "$bunny" --radius 0.01 \
                    -- --engine particle --precision f32
            done
        done
    else
        skip "tests 4 to 6: no bunny"
    fi
fi
finish
