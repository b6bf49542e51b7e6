#!/usr/bin/env bash
# What the particle engine costs: instructions per particle and iteration (callgrind), and memory at a million spheres. No clock is read.
#
#     cost_test.sh PBDR
set -u
pbdr=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
passed=0 failed=0 skipped=0

# NAME VALUE BOUND UNIT
at_most()
{
    if awk -v v="$2" -v b="$3" 'BEGIN { exit !(v != "" && v + 0 > 0 && v + 0 <= b) }'; then
        passed=$((passed + 1))
        echo "ok      $1: $2 $4 (at most $3)"
    else
        failed=$((failed + 1))
        echo "FAILED  $1: '$2' $4, wanted at most $3"
    fi
}

# Instructions of a run of SECONDS with the other arguments.
count_instructions()
{
    valgrind --tool=callgrind --callgrind-out-file=callgrind.out "$pbdr" bench --solvers pbd-r --precision f32 --seeds 1 \
        --duration "$1" "${@:2}" 2>&1 | awk '/Collected/ { print $4 }'
}

# 100 substeps of 10 iterations more, on 13^3 = 2197 spheres: start-up drops out of the difference.
if command -v valgrind >/dev/null; then
    few=$(count_instructions 0.02 --tests 1 --n 13)
    many=$(count_instructions 0.12 --tests 1 --n 13)
    at_most cost__instructions_per_particle_and_iteration "$(awk -v a="$few" -v b="$many" \
        'BEGIN { printf "%.1f", (b - a) / (100 * 10 * 2197) }')" 100 instructions
else
    skipped=$((skipped + 1))
    echo "SKIPPED cost__instructions_per_particle_and_iteration: valgrind is not installed (Debian: valgrind)"
fi

"$pbdr" bench --tests 1 --n 100 --solvers pbd-r --seeds 1 --duration 0.01 --json million.json >/dev/null 2>&1
at_most cost__memory_of_a_million_spheres "$(sed -n 's/.*"peak_memory_mb": \([0-9.]*\).*/\1/p' million.json)" 200 MB

echo "cases: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
