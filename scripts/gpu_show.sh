#!/usr/bin/env bash
# Shows what a GPU does (docs/gpu.md): run on the machine with the device, where nothing can be built or fetched; it needs
# build/gpu/pbdr_gpu_show (make gpu) and nothing else.
#
#     scripts/gpu_show.sh [FOLDER] [PART...]     FOLDER: for the tables; default $OUT, else build/gpu-out
#
# Parts: blocks throughput accuracy memory launches profile hashes; default all, the long one last. Writes FOLDER/gpu_*.csv and FOLDER/gpu.log.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=${1:-${OUT:-build/gpu-out}}
shift || true
parts=("$@")
((${#parts[@]})) || parts=(blocks throughput accuracy memory launches profile hashes)
program=build/gpu/pbdr_gpu_show
mkdir -p "$folder"
{
    chmod +x "$program"
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,memory.total --format=csv
    nproc
    start=$SECONDS
    for part in "${parts[@]}"; do
        if [[ $part == profile ]]; then
            # what bounds the kernels: a fifth launch of each scene, warm
            timeout 60 ncu --clock-control none --kernel-name regex:stepWorlds --launch-skip 5 --launch-count 1 \
                --metrics sm__throughput.avg.pct_of_peak_sustained_elapsed,sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active,smsp__inst_executed_pipe_fp64.sum,smsp__inst_executed.sum,smsp__inst_executed.avg.per_cycle_active,sm__warps_active.avg.pct_of_peak_sustained_active,dram__bytes.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,lts__t_bytes.sum,l1tex__t_sector_hit_rate.pct,lts__t_sector_hit_rate.pct,smsp__thread_inst_executed_per_inst_executed.ratio,gpu__time_duration.sum \
                "$program" --only profile --out "$folder" 2>&1 | tail -n 40
        else
            timeout 200 "$program" --only "$part" --out "$folder"
        fi
        echo "part $part: exit $?, $((SECONDS - start)) s so far"
    done
} 2>&1 | tee "$folder/gpu.log"
