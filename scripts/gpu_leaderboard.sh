#!/usr/bin/env bash
# The leaderboard's GPU table, on a machine with a GPU where nothing can be fetched: unpacks build/gpu/engines.tar.xz
# (scripts/gpu_engines.sh makes it), makes build/engines/NAME of it, and does what `make leaderboard DEVICE=gpu` does, for some
# engines at once and within a time limit.
#
#     scripts/gpu_leaderboard.sh [FOLDER] [SECONDS]     FOLDER: default $OUT, else build/gpu-out; SECONDS: for all of it, default 400
#
# Where the archive has Warp's sources alone (scripts/gpu_mujoco_warp.sh --sources), they are compiled first, while MJX and Brax run.
# Writes FOLDER/leaderboard_gpu.{csv,json} and FOLDER/leaderboard_gpu.log (and the last words of each engine on stderr). Engines
# and tests run beside each other, since compiling is most of their time, by MPS where the driver has it: the cost of a step was
# the same alone (mujoco_warp 232 to 290 us alone, 244 to 257 us beside six others). What an earlier run has left, put into
# bench/results, is not run again.
# ENGINES, TESTS, LIMIT (of a start, in seconds) and DEVICE=cpu try it out elsewhere.
set -uo pipefail
cd "$(dirname "$0")/.."
folder=${1:-${OUT:-build/gpu-out}}
limit=${2:-400}
deadline=$((SECONDS + limit))
work=$PWD/build/gpu-engines
engines=${ENGINES:-mujoco_warp newton mjx brax}
tests=${TESTS:-1,3,7,2,4,6,5}
export PBDR_BUNNY=$PWD/build/data/bunny.stl # where the archive puts it; the path within pbdr is of the machine that built it
export PBDR_ENGINE_DEVICE=${DEVICE:-gpu} PBDR_ENGINE_LIMIT=${LIMIT:-120} PYTHONUNBUFFERED=1 XLA_PYTHON_CLIENT_PREALLOCATE=false
export PBDR_BOARD_CHECKS=0 # adapter and files are those that the CPU's rows were checked with
mkdir -p "$folder" "$work"
log=$folder/leaderboard_gpu.log

setUp()
{
    [[ -d $work/warp ]] || tar -xJf build/gpu/engines.tar.xz -C "$work" || return 1
    local library
    library=$(find -L /usr/local/cuda*/ /opt /usr/lib -name 'libnvrtc.so.13*' 2>/dev/null | head -n 1)
    echo "nvrtc: $library"
    mkdir -p build/data
    cp -n "$work/pbdr-bin/bunny.stl" build/data/
    if [[ ! -x build/pbdr ]]; then
        printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s/pbdr "$@"\n' "$work/pbdr-bin" "$work/pbdr-bin" >build/pbdr
        chmod +x build/pbdr "$work/pbdr-bin/pbdr"
    fi
    build/pbdr bench --solvers xpbdr --tests 1 --seeds 1 --duration 0.1 | tail -n 1 || return 1
    local name line
    for name in $engines; do
        mkdir -p "build/engines/$name/venv/bin"
        line=$(awk -v name="$name" '$1 == name { $1 = $1; sub(/^[^ ]+ /, ""); print }' engines/versions)
        echo "$name $line (gpu)" >"build/engines/$name/ok"
        {
            echo '#!/bin/sh'
            echo "export PYTHONPATH=$work LD_LIBRARY_PATH=$(dirname "${library:-/}"):\${LD_LIBRARY_PATH:-} WARP_CACHE_PATH=$work/cache-warp"
            echo "exec ${PYTHON:-python3} \"\$@\""
        } >"build/engines/$name/venv/bin/python"
        chmod +x "build/engines/$name/venv/bin/python"
        "build/engines/$name/venv/bin/python" - "$name" >"build/engines/$name/packages" 2>/dev/null <<'PYTHON'
import sys
from importlib.metadata import version
wanted = {"mujoco_warp": ["mujoco-warp", "mujoco", "warp-lang"], "newton": ["newton", "warp-lang"], "mjx": ["mujoco-mjx", "mujoco", "jax"],
          "brax": ["brax", "mujoco-mjx", "mujoco", "jax"]}[sys.argv[1]]
print("pip " + " ".join(f"{package}=={version(package)}" for package in [*wanted, "numpy"]))
PYTHON
        echo "$name: $(cat "build/engines/$name/packages")"
    done
}

# One test of an engine with presets that share compiled kernels, or all tests one after the other: with one start, then with
# three if there is time.
runTests()
{
    local name=$1 presets=$2 numbers=$3 left seeds
    for seeds in ${SEEDS:-1 3}; do
        left=$((deadline - 15 - SECONDS))
        ((left > 5)) || break
        timeout -k 3 "$left" python3 engines/common/leaderboard.py run "$name" --presets "$presets" --tests "$numbers" --seeds "$seeds"
        echo "$name $presets $numbers, $seeds starts: exit $?, $SECONDS s so far"
    done
}

# Warp's library, where it did not come with the archive.
buildWarp()
{
    [[ -f $work/warp/bin/warp.so || $PBDR_ENGINE_DEVICE == cpu ]] && return
    local cuda
    cuda=$(dirname "$(dirname "$(command -v nvcc || ls -d /usr/local/cuda*/bin/nvcc | head -n 1)")")
    (cd "$work/warp/bin" && "$OLDPWD/scripts/gpu_warp_build.sh" "$work/warp/native" "$cuda" "$work/warp/bin/warp.so" $(($(nproc) - 3)))
    echo "Warp compiled: exit $?, $SECONDS s so far"
    rm -rf "$work/warp/bin/warp.so.build"
}

runEngine()
{
    case $1 in mujoco_warp | newton) while [[ -e $work/building ]]; do sleep 0.5; done ;; esac
    local test preset group
    case $1 in
    newton) for group in default tuned semi_implicit; do runTests newton $group "$tests" & done ;;
    mujoco_warp) for group in default tuned; do runTests mujoco_warp $group "$tests" & done ;;
    *) # each test is compiled for itself: all at once
        for test in ${tests//,/ }; do
            for preset in default tuned; do
                runTests "$1" $preset "$test" &
            done
        done
        ;;
    esac
    wait
}

collect()
{
    python3 engines/common/leaderboard.py collect
    cp "bench/results/leaderboard_${PBDR_ENGINE_DEVICE}".{csv,json} "$folder/" 2>/dev/null
    cat "build/leaderboard_$PBDR_ENGINE_DEVICE"/*/study.log >"$folder/study.log" 2>/dev/null
}

{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1
    echo "$(nproc) cores; starts may take $PBDR_ENGINE_LIMIT s"
    setUp || { echo "set-up failed"; exit 1; }
    echo "set up after $SECONDS s"
    # one context for all programs on the device, if the driver lets us
    [[ $PBDR_ENGINE_DEVICE == gpu ]] && { timeout 10 nvidia-cuda-mps-control -d && echo "MPS runs"; } 2>&1
    touch "$work/building"
    { buildWarp; rm -f "$work/building"; } &
    running=($!)
    for name in $engines; do
        runEngine "$name" &
        running+=($!)
    done
    wait "${running[@]}"
    echo "tests end after $SECONDS s"
    collect
    for name in $engines; do
        echo "--- $name"
        tail -n 6 "build/leaderboard_$PBDR_ENGINE_DEVICE/$name/stderr.log" | cut -c 1-600
    done
    [[ $PBDR_ENGINE_DEVICE == gpu ]] && echo quit | timeout 5 nvidia-cuda-mps-control >/dev/null 2>&1
    echo "END: $SECONDS s"
} >"$log" 2>&1
tail -c 11000 "$log"
