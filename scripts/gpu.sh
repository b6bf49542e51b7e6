#!/usr/bin/env bash
# Builds the GPU's part, here without a device: build/gpu/libpbdr-gpu.a and .so, and build/gpu/pbdr_gpu_show (docs/gpu.md).
#
#     scripts/gpu.sh            set up CUDA's compiler if it is not there, then build
#     scripts/gpu.sh --check    only say what is there
#
# CUDA's compiler comes from its PyPI wheels, into build/cuda-venv (200 MB), unless nvcc is on the PATH or NVCC names one.
# Without network it says so, and nothing else of pbdr needs it.
set -euo pipefail
cd "$(dirname "$0")/.."

wheels='nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-crt nvidia-nvvm nvidia-cuda-cccl'
venv=build/cuda-venv
arch=${PBDR_GPU_ARCH:-sm_90}
jobs=${JOBS:-2}

find_nvcc()
{
    if [[ -n ${NVCC:-} ]]; then
        echo "$NVCC"
    elif [[ -d $venv ]] && find "$venv" -name nvcc -path '*/bin/*' | grep -q .; then
        find "$PWD/$venv" -name nvcc -path '*/bin/*' | head -n 1
    else
        command -v nvcc || true
    fi
}

nvcc=$(find_nvcc)
if [[ ${1:-} == --check ]]; then
    [[ -n $nvcc ]] && echo "gpu: $nvcc" || echo "gpu: no nvcc; make gpu fetches it"
    exit 0
fi
if [[ -z $nvcc ]]; then
    echo "gpu: fetching CUDA's compiler into $venv: $wheels"
    mkdir -p build
    # shellcheck disable=SC2086
    if ! { python3 -m venv "$venv" && "$venv/bin/pip" install -q $wheels; }; then
        rm -rf "$venv"
        echo "gpu: NOT BUILT: the wheels could not be fetched. Install CUDA's toolkit and set NVCC, or connect to a network." >&2
        exit 1
    fi
    nvcc=$(find_nvcc)
fi
[[ -x $nvcc ]] || { echo "gpu: NVCC: $nvcc is no program that runs" >&2; exit 1; }
echo "gpu: $("$nvcc" --version | grep release), for $arch"

cuda=$(cd "$(dirname "$nvcc")/.." && pwd)
runtime=$(find -L "$cuda" -name libcudart_static.a | head -n 1)
[[ -n $runtime ]] || { echo "gpu: no libcudart_static.a under $cuda" >&2; exit 1; }

cmake --preset release >/dev/null
cmake --build --preset release --target pbdr_static --parallel "$jobs" >/dev/null

mkdir -p build/gpu
# No contraction, correctly rounded division and root (nvcc's default, said here): the host's bits.
flags=(-O3 "-arch=$arch" -std=c++17 -fmad=false -prec-div=true -prec-sqrt=true -ftz=false -I src -I include
    -Xcompiler -fPIC -Xptxas -v)
compile()
{
    local object=build/gpu/$1.o
    if [[ -f $object && -z $(find src/gpu include/pbdr src/base.h src/math/series.h -newer "$object" \( -name '*.h' -o -name "$1.cu" \)) ]]; then
        return
    fi
    echo "gpu: compiling $1.cu"
    "$nvcc" "${flags[@]}" -c "src/gpu/$1.cu" -o "$object" >"build/gpu/$1.log" 2>&1 || { cat "build/gpu/$1.log" >&2; return 1; }
    grep -B1 'Used .* registers' "build/gpu/$1.log" | grep -v '^--' || true
}
export -f compile
running=()
for name in cuda_eight cuda_two cuda_pairs cuda_quick_pairs cuda_body cuda_quick cuda_reduced cuda cuda_results cuda_shape; do # the longest first
    compile "$name" &
    running+=($!)
    if ((${#running[@]} >= jobs)); then
        wait "${running[0]}"
        running=("${running[@]:1}")
    fi
done
for id in "${running[@]}"; do
    wait "$id"
done

objects=(build/gpu/cuda.o build/gpu/cuda_results.o build/gpu/cuda_shape.o build/gpu/cuda_body.o build/gpu/cuda_pairs.o build/gpu/cuda_two.o build/gpu/cuda_eight.o build/gpu/cuda_quick.o build/gpu/cuda_quick_pairs.o build/gpu/cuda_reduced.o)
system=(-lpthread -ldl -lrt -lm)
rm -f build/gpu/libpbdr-gpu.a
ar rcs build/gpu/libpbdr-gpu.a "${objects[@]}"
g++ -shared -o build/gpu/libpbdr-gpu.so "${objects[@]}" "$runtime" -static-libstdc++ -static-libgcc "${system[@]}" \
    -Wl,--exclude-libs,ALL
for part in show tools hashes scenes; do
    cc -std=c17 -O2 -Wall -Wextra -DPBDR_HAVE_CUDA -I include -I bench -c "bench/gpu/$part.c" -o "build/gpu/$part.o"
done
g++ -o build/gpu/pbdr_gpu_show build/gpu/show.o build/gpu/tools.o build/gpu/hashes.o build/gpu/scenes.o build/gpu/libpbdr-gpu.a build/src/libpbdr.a "$runtime" \
    -static-libstdc++ -static-libgcc "${system[@]}"
echo "gpu: build/gpu/pbdr_gpu_show, build/gpu/libpbdr-gpu.{a,so}"
