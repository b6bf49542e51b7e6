#!/usr/bin/env bash
# What a substep costs on this machine, beside the authors' own solver on an H200 (as a CUDA graph; figures given to us, BENCHMARK.md).
# PBD-R, particle engine, float, one core, Test 1, 10 iterations.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x build/pbdr ] || { echo "cost: build/pbdr is missing: make build" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

printf '%9s  %14s  %14s  %6s  %12s\n' spheres 'here [us]' 'H200 [us]' ratio 'memory [MB]'
while read -r n h200; do
    build/pbdr bench --tests 1 --n "$n" --solvers pbdr --precision f32 --seeds 1 --duration 0.1 --json "$scratch/run.json" \
        >/dev/null 2>&1
    here=$(sed -n 's/.*"us_per_substep": \([0-9.]*\).*/\1/p' "$scratch/run.json")
    memory=$(sed -n 's/.*"peak_memory_mb": \([0-9.]*\).*/\1/p' "$scratch/run.json")
    awk -v n="$n" -v a="$here" -v b="$h200" -v m="$memory" \
        'BEGIN { printf "%9d  %14.1f  %14s  %6s  %12.0f\n", n ^ 3, a, b, (b > 0 ? sprintf("%.2f", a / b) : "-"), m }'
done <<EOF
4 404
10 492
22 1819
46 13347
80 77022
100 -
EOF
