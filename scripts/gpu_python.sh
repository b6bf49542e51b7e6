#!/usr/bin/env bash
# Python and the command on a GPU (docs/gpu.md): Batch, DLPack, PushBox's vector environment (scripts/gpu_python.py), `pbdr bench
# --backend gpu` and `pbdr profile --backend gpu`, on a machine with a device where nothing can be fetched.
#
#     scripts/gpu_python.sh --pack      here, with a network: build/gpu/python.tar.xz, of pbdr with its libraries, nanobind and Gymnasium
#     scripts/gpu_python.sh [FOLDER]    there, FOLDER: default $OUT, else build/gpu-out: compiles the package for its Python (3.12 with
#                                       headers, NumPy and PyTorch are there) and runs all; writes FOLDER/gpu_python.log
#
# Needs make gpu (build/gpu/libpbdr-gpu.so), and for --pack make build. HOST=1: without a device, by the host's compilation.
set -uo pipefail
cd "$(dirname "$0")/.."
archive=build/gpu/python.tar.xz
if [[ ${1:-} == --pack ]]; then
    set -e
    folder=build/gpu/python
    rm -rf "$folder"
    mkdir -p "$folder/wheels" "$folder/package/pbdr-bin"
    pip download -q --no-deps --only-binary=:all: --python-version 3.12 -d "$folder/wheels" \
        nanobind gymnasium cloudpickle farama-notifications typing_extensions
    for wheel in "$folder"/wheels/*.whl; do
        unzip -q -o "$wheel" -d "$folder/package"
    done
    cp build/pbdr "$folder/package/pbdr-bin/"
    # every library but the system's own
    ldd build/pbdr | awk '$2 == "=>" { print $3 }' | grep -vE '/(libc|libm|libdl|libpthread|librt|libgcc_s)\.so' |
        xargs -I{} cp -L {} "$folder/package/pbdr-bin/"
    strip --strip-unneeded "$folder"/package/pbdr-bin/*.so* 2>/dev/null || true
    tar -c -C "$folder/package" . | xz -6 -T2 >"$archive"
    ls -l "$archive"
    exit 0
fi
folder=${1:-${OUT:-build/gpu-out}}
work=$PWD/build/gpu-python
python=${PYTHON:-python3}
mkdir -p "$folder" "$work/package"
export PBDR_GPU_LIBRARY=$PWD/build/gpu/libpbdr-gpu.so PYTHONUNBUFFERED=1
codes=()

run()
{
    echo "== $*"
    timeout -k 3 150 "$@" 2>&1 | tail -n 40
    local code=${PIPESTATUS[0]}
    codes+=("$code")
    echo "exit $code, $SECONDS s"
}

runAll()
{
    tar -xJf "$archive" -C "$work/package" || return 1
    export PYTHONPATH=$work/package
    "$python" --version
    cmake -S . -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DPBDR_BUILD_PYTHON=ON -DPBDR_BUILD_TESTS=OFF \
        -DPython_EXECUTABLE="$(command -v "$python")" >"$work/cmake.log" 2>&1 || { tail -n 20 "$work/cmake.log"; return 1; }
    cmake --build "$work/build" --target _core --parallel "$(nproc)" >"$work/build.log" 2>&1 || { grep -E -A5 'error|Error' "$work/build.log" | head -n 40; return 1; }
    rm -rf "$work/package/pbdr"
    cp -r python/pbdr "$work/package/pbdr"
    find "$work/build" -name '_core*.so' -exec cp {} "$work/package/pbdr/" \;
    echo "package built, $SECONDS s"
    run "$python" scripts/gpu_python.py ${HOST:+--host}
    pbdr=$work/package/pbdr-bin/pbdr
    chmod +x "$pbdr"
    export LD_LIBRARY_PATH=$work/package/pbdr-bin:${LD_LIBRARY_PATH:-}
    run "$pbdr" bench --backend gpu --tests 1-3,7
    worlds=${HOST:+64}
    worlds=${worlds:-4096}
    for test in 1 7; do
        run "$pbdr" profile --backend gpu --test "$test" --worlds "$worlds"
    done
    for code in "${codes[@]}"; do
        ((code == 0)) || return 1
    done
}

runAll >"$folder/gpu_python.log" 2>&1
code=$?
echo "END: exit $code, $SECONDS s" >>"$folder/gpu_python.log"
tail -c 7000 "$folder/gpu_python.log"
exit $code
