#!/usr/bin/env bash
# What a substep costs on this machine, in processor time, beside the authors' own solver on an H200: one scene, latency bound
# (report/data/h200.csv, which says where its figures come from).
# PBD-R, particle engine, float, one core, Test 1, 10 iterations.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x build/pbdr ] || { echo "cost: build/pbdr is missing: make build" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

printf '%9s  %14s  %14s  %6s  %12s\n' spheres 'here [us]' 'H200 [us]' ratio 'memory [MB]'
for n in 4 10 22 46 80 100; do
    h200=$(awk -F, -v spheres=$((n * n * n)) '$1 == "pbd-r" && $2 == spheres { print $3 }' report/data/h200.csv)
    build/pbdr bench --tests 1 --n "$n" --solvers pbd-r --precision f32 --seeds 1 --duration 0.1 --json "$scratch/run.json" \
        >/dev/null 2>&1
    here=$(sed -n 's/.*"cpu_us_per_substep": \([0-9.]*\).*/\1/p' "$scratch/run.json")
    memory=$(sed -n 's/.*"peak_memory_mb": \([0-9.]*\).*/\1/p' "$scratch/run.json")
    awk -v n="$n" -v a="$here" -v b="${h200:--}" -v m="$memory" \
        'BEGIN { printf "%9d  %14.1f  %14s  %6s  %12.0f\n", n ^ 3, a, b, (b > 0 ? sprintf("%.2f", a / b) : "-"), m }'
done
