#!/usr/bin/env bash
# How a study scales with ranks (docs/cluster.md): CSV on stdout. Wants a machine that does nothing else.
#
#     scripts/scaling.sh [RANKS...]     default 1 2 4 8
set -euo pipefail
cd "$(dirname "$0")/.."
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo ranks,wall_s,jobs_own_s,load
for ranks in "${@:-1 2 4 8}"; do
    for n in $ranks; do
        load=$(cut -d' ' -f1 /proc/loadavg)
        start=$(date +%s.%N)
        mpirun --oversubscribe -n "$n" build/pbdr study sweep --solvers pbdr --jobs 1 --out "$folder/$n" >/dev/null 2>&1
        end=$(date +%s.%N)
        own=$(awk -F, 'NR > 1 { sum += $NF } END { print sum }' "$folder/$n/sweep.csv")
        echo "$n,$(awk -v a="$start" -v b="$end" 'BEGIN { printf "%.2f", b - a }'),$own,$load"
    done
done
