#!/usr/bin/env bash
# Shows what a GPU does (docs/gpu.md), in one run within a time limit: what matters most comes first, every part has a limit of
# its own, and results are packed after each, so that whatever ends it loses little. Run on the machine with the device, where
# nothing can be built or fetched. It needs build/gpu/pbdr_gpu_show (make gpu); with build/gpu/libpbdr-gpu.so and a pbdr (PBDR,
# default build/pbdr) also the study of uncertainty; with build/gpu/mujoco_warp.tar.xz (scripts/gpu_mujoco_warp.sh) also
# mujoco_warp beside it.
#
#     scripts/gpu_show.sh [FOLDER] [SECONDS]     FOLDER: default $OUT, else build/gpu-out; SECONDS: for all of it, default 280
#
# Writes FOLDER/results.tar.gz with gpu_*.csv, the study's tables and rows, and FOLDER/gpu.log. POINTS: of the study (131072),
# STUDY: seconds that its runs may take (120);
# CORES: of the processor that it may use (all); ONLY: a regular expression of the parts that are wanted (all), such as
# 'smoke|shapes|throughput 7, 1048576|hashes|references|uncertainty'. Hashes of the host's and references that stand in KEPT, a
# folder (hashes-*-0.bin, uncertainty.*), are not made again, nor the study's runs there.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=${1:-${OUT:-build/gpu-out}}
limit=${2:-280}
deadline=$((SECONDS + limit))
program=build/gpu/pbdr_gpu_show
pbdr=${PBDR:-build/pbdr}
points=${POINTS:-131072}
cores=${CORES:-$(nproc)}
only=${ONLY:-.}
quick=${QUICK:+--quick} # to try this script out
host=${HOST:+--host}    # likewise, without a device
work=build/gpu-work
rm -rf "$work"
mkdir -p "$folder" "$work/smoke" "$work/pbd-r" "$work/uncertainty"
if [[ -n ${KEPT:-} ]]; then
    cp "$KEPT"/hashes-*-0.bin "$work" 2>/dev/null
    cp "$KEPT"/uncertainty.* "$work/uncertainty" 2>/dev/null
fi
chmod +x "$program" "$pbdr" 2>/dev/null
export PBDR_GPU_LIBRARY=$PWD/build/gpu/libpbdr-gpu.so PYTHONUNBUFFERED=1

pack()
{
    tar -czf "$folder/results.tmp" -C "$work" --exclude='*.bin' --exclude=python --exclude=cache . 2>/dev/null &&
        mv "$folder/results.tmp" "$folder/results.tar.gz"
}

# part NAME LIMIT COMMAND...: runs it for LIMIT seconds at most, and not past the deadline.
part()
{
    local name=$1 most=$2 left=$((deadline - SECONDS - 2)) begin=$SECONDS
    shift 2
    [[ $name =~ $only ]] || return 1
    if ((left < 3)); then
        echo "PART $name: LEFT OUT, no time is left"
        return 1
    fi
    timeout -k 3 $((most < left ? most : left)) "$@"
    local code=$?
    echo "PART $name: exit $code, $((SECONDS - begin)) s, $SECONDS s so far"
    pack
    return $code
}

show() { "$program" $host $quick --threads "$cores" --out "$work" --append "$@"; }
export -f show
export program host quick cores work

# The processor's share, while the device does other things.
runHost()
{
    [[ -x $pbdr && references =~ $only ]] && nice "$pbdr" study uncertainty --backend gpu --references --points "$points" --jobs "$cores" --out "$work/uncertainty"
    touch "$work/references.done"
    for scene in 2 0 1 3; do
        [[ hashes =~ $only ]] || continue
        "$program" $host $quick --threads $((cores > 1 ? cores - 1 : 1)) --out "$work" --append --only hashes-host --scene "$scene"
    done
}

# mujoco_warp compiles its kernels for minutes: it begins with that, and measures when it is told to.
runPeer()
{
    [[ mujoco_warp =~ $only ]] || return
    [[ -f build/gpu/mujoco_warp.tar.xz ]] || { echo "no build/gpu/mujoco_warp.tar.xz"; return; }
    mkdir -p "$work/python" && tar -xJf build/gpu/mujoco_warp.tar.xz -C "$work/python"
    local library
    library=$(find -L /usr/local/cuda*/ /opt /usr/lib -name 'libnvrtc.so.13*' 2>/dev/null | head -n 1)
    echo "nvrtc: $library"
    PBDR_NO_MATHDX=1 PYTHONPATH=$work/python LD_LIBRARY_PATH=$(dirname "$library"):${LD_LIBRARY_PATH:-} \
        python3 scripts/gpu_mujoco_warp.py --cache "$PWD/$work/cache" --wait "$work/peer.go" --worlds 8192,65536,131072 \
        >"$work/gpu_mujoco_warp.csv" 2>"$work/mujoco_warp.log"
    echo "exit $?" >>"$work/mujoco_warp.log"
}

waitFor() { while [[ ! -e $1 ]]; do sleep 0.2; done; }
export -f waitFor

{
    nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm,memory.total --format=csv
    echo "$cores cores"
    part "cores" 25 bash -c 'show --only host'
    runHost >"$work/host.log" 2>&1 &
    hostProcess=$!
    runPeer >"$work/peer.log" 2>&1 &
    peerProcess=$!
    # a hundred worlds first: are the bits right?
    part "smoke" 20 "$program" $host --quick --threads 1 --out "$work/smoke" --only hashes
    part "shapes" 110 bash -c 'show --only shapes --worlds 524288'
    for worlds in 131072 1048576; do
        part "throughput 1, $worlds" 30 bash -c "show --only throughput --scene 0 --worlds $worlds"
        part "throughput 7, $worlds" 60 bash -c "show --only throughput --scene 2 --worlds $worlds"
    done
    part "hashes" 110 bash -c 'show --only hashes-device'
    part "accuracy" 20 bash -c 'show --only accuracy'
    part "memory" 15 bash -c 'show --only memory'
    part "launches" 10 bash -c 'show --only launches'
    part "PBD-R 1" 15 "$program" $host $quick --threads "$cores" --out "$work/pbd-r" --append --only throughput --pbd-r --scene 0 --worlds 1048576
    part "PBD-R 7" 15 "$program" $host $quick --threads "$cores" --out "$work/pbd-r" --append --only throughput --pbd-r --scene 2 --worlds 131072
    part "throughput 3" 15 bash -c 'show --only throughput --scene 1 --worlds 131072'
    metrics=sm__throughput.avg.pct_of_peak_sustained_elapsed,sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active,smsp__inst_executed_pipe_fp64.sum,smsp__inst_executed.sum,smsp__inst_executed.avg.per_cycle_active,sm__warps_active.avg.pct_of_peak_sustained_active,dram__bytes.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,lts__t_bytes.sum,l1tex__t_sector_hit_rate.pct,lts__t_sector_hit_rate.pct,smsp__thread_inst_executed_per_inst_executed.ratio,smsp__inst_executed_op_local_ld.sum,smsp__inst_executed_op_local_st.sum,gpu__time_duration.sum
    for scene in 0 2; do
        PBDR_GPU_PARTS=1 part "profile $scene" 30 bash -c "ncu --clock-control none --csv --kernel-name regex:stepQuick --launch-skip 9 --launch-count 1 --metrics $metrics $program --only profile --scene $scene >$work/profile-$scene.csv 2>&1"
    done
    for worlds in 16384 4096; do
        for scene in 0 2 1 3; do
            part "throughput $scene, $worlds" 10 bash -c "show --only throughput --scene $scene --worlds $worlds"
        done
    done
    grep -q 'kernels ready' "$work/mujoco_warp.log" 2>/dev/null && touch "$work/peer.go" &&
        part "mujoco_warp" 45 tail --pid=$peerProcess -f /dev/null
    if [[ -x $pbdr ]]; then
        part "references" 90 bash -c "waitFor $work/references.done"
        part "uncertainty" "${STUDY:-120}" "$pbdr" study uncertainty --backend gpu --points "$points" --out "$work/uncertainty"
    fi
    for worlds in 1024 32; do
        for scene in 0 2 1 3; do
            part "throughput $scene, $worlds" 10 bash -c "show --only throughput --scene $scene --worlds $worlds"
        done
    done
    if [[ ! -e $work/peer.go ]]; then
        touch "$work/peer.go"
        part "mujoco_warp, late" 60 tail --pid=$peerProcess -f /dev/null
    fi
    # what the processor has not done by now counts as not done
    while ((SECONDS < deadline - 4)) && kill -0 $hostProcess 2>/dev/null; do
        sleep 0.5
    done
    "$program" $host $quick --out "$work" --only hashes --saved
    cat "$work/smoke/gpu_hashes.csv"
    tail -n 5 "$work/host.log" "$work/peer.log" "$work/mujoco_warp.log" "$work/gpu_mujoco_warp.csv" "$work/pbd-r/gpu_throughput.csv" 2>/dev/null
    pack
    for process in $hostProcess $peerProcess; do
        kill $process 2>/dev/null
    done
    echo "END: $SECONDS s"
} >"$folder/gpu.log" 2>&1
tail -c 11000 "$folder/gpu.log"
