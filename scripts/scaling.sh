#!/usr/bin/env bash
# How a study scales with ranks (docs/cluster.md): CSV on stdout. Wall times want a machine that does nothing else; where cores
# are shared, processor times say as much: all ranks' together (do ranks add work?), and the largest of one rank's, which is
# the time that the study would take on as many idle cores as there are ranks.
#
#     scripts/scaling.sh [RANKS...]     default 1 2 4 8
set -euo pipefail
cd "$(dirname "$0")/.."
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A rank, and what it and its jobs took of a processor, in $1.RANK [s].
rank()
{
    build/pbdr study sweep --solvers pbd-r --jobs 1 --out "$1" >/dev/null 2>&1
    local code=$?
    times >"$1.times.${OMPI_COMM_WORLD_RANK:-0}" # not in a pipe, where it is another shell's
    awk 'NR == 2 { for (k = 1; k <= 2; k++) { split($k, part, /[ms]/); sum += 60 * part[1] + part[2] } print sum }' \
        "$1.times.${OMPI_COMM_WORLD_RANK:-0}" >"$1.${OMPI_COMM_WORLD_RANK:-0}"
    return $code
}
export -f rank
echo ranks,wall_s,jobs_own_s,processor_s,largest_rank_s,load
for n in ${@:-1 2 4 8}; do
    load=$(cut -d' ' -f1 /proc/loadavg)
    start=$(date +%s.%N)
    mpirun --oversubscribe -n "$n" bash -c "rank '$folder/$n'" >/dev/null 2>&1
    end=$(date +%s.%N)
    own=$(awk -F, 'NR > 1 { sum += $NF } END { print sum }' "$folder/$n/sweep.csv")
    cat "$folder/$n".? | awk -v n="$n" -v a="$start" -v b="$end" -v own="$own" -v load="$load" '
        { all += $1; most = $1 > most ? $1 : most }
        END { printf "%d,%.2f,%s,%.2f,%.2f,%s\n", n, b - a, own, all, most, load }'
done
