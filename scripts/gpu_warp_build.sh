#!/usr/bin/env bash
# Compiles Warp's library for one architecture out of its wheel's sources, with CUDA's compiler of this machine or of another one
# that the sources were carried to (scripts/gpu_mujoco_warp.sh gets them, scripts/gpu_leaderboard.sh may build them there).
#
#     scripts/gpu_warp_build.sh NATIVE CUDA OUTPUT [JOBS]
#
# NATIVE: Warp's folder native; CUDA: the toolkit, with bin/nvcc; OUTPUT: warp.so, objects and stubs go beside it in a folder of
# its name. OUTPUT.names, if it is there, has the functions that Python looks up; those that are not compiled get empty ones.
# NVRTC: where libnvrtc.so.13 and its header are, if not in CUDA.
set -euo pipefail
native=$(realpath "$1") cuda=$(realpath "$2") output=$(realpath -m "$3") jobs=${4:-1}
arch=${PBDR_GPU_ARCH:-sm_90}
folder=$output.build
mkdir -p "$folder/objects" "$folder/stub"
nvrtc=$(find -L ${NVRTC:-} "$cuda" -name 'libnvrtc.so.13' 2>/dev/null | head -n 1)
runtime=$(find -L "$cuda" -name libcudart_static.a | head -n 1)
[[ -n $nvrtc && -n $runtime ]] || { echo "gpu_warp_build: no libnvrtc.so.13 or libcudart_static.a under $cuda" >&2; exit 1; }

# PTX is not compiled: NVRTC makes the device's code itself.
{
    echo '#pragma once'
    echo '#include <stddef.h>'
    echo 'typedef void* nvPTXCompilerHandle;'
    echo 'typedef enum { NVPTXCOMPILE_SUCCESS, NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE, NVPTXCOMPILE_ERROR_INVALID_INPUT,'
    echo '    NVPTXCOMPILE_ERROR_COMPILATION_FAILURE, NVPTXCOMPILE_ERROR_INTERNAL, NVPTXCOMPILE_ERROR_OUT_OF_MEMORY,'
    echo '    NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE, NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION } nvPTXCompileResult;'
    for call in Create Compile GetCompiledProgram GetCompiledProgramSize GetErrorLog GetErrorLogSize Destroy; do
        echo "template <class... A> static inline nvPTXCompileResult nvPTXCompiler$call(A...) { return NVPTXCOMPILE_ERROR_INTERNAL; }"
    done
} >"$folder/stub/nvPTXCompiler.h"

includes="-I $native -I $folder/stub -I $(dirname "$nvrtc")/../include -I $cuda/include -I $cuda/include/cccl"
flags="--std=c++17 -O2 -DNDEBUG -DWP_BUILD_DLL -DWP_ENABLE_DEBUG=0 -DWP_ENABLE_CUDA=1 -DWP_ENABLE_MATHDX=0 -DWP_ENABLE_CUDA_COMPATIBILITY=1 -D_GLIBCXX_USE_CXX11_ABI=0 $includes"
compile()
{
    local source=$1 name object
    name=$(basename "$source") object=$folder/objects/$(basename "$source").o
    [[ -f $object ]] && return
    echo "gpu_warp_build: $name"
    # shellcheck disable=SC2086
    if [[ $name == *.cu ]]; then
        "$cuda/bin/nvcc" $flags "-arch=$arch" -Xcompiler -fPIC,-fvisibility=hidden,-fvisibility-inlines-hidden -c "$source" -o "$object.part" 2>"$object.log"
    else
        g++ $flags -fno-rtti -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -c "$source" -o "$object.part" 2>"$object.log"
    fi || { tail -n 5 "$object.log" >&2; return 1; }
    mv "$object.part" "$object"
}
export -f compile
export folder cuda flags arch
# the longest first
ls -S "$native"/*.cu "$native"/*.cpp | grep -vE '/(bvh_cubql\.|volume\.|volume_builder\.|apic\.cu)' | xargs -P "$jobs" -I{} bash -c 'compile {}'

# What is left out is there by name, for Python to look up.
{
    echo 'namespace wp { template <unsigned L, typename T> struct vec_t; struct BVH; using vec3 = vec_t<3u, float>;'
    echo 'void cubql_bvh_create_device(void*, vec3*, vec3*, int, int, BVH&) {} void cubql_bvh_create_host(vec3*, vec3*, int, int, BVH&) {}'
    echo 'void cubql_bvh_destroy_device(BVH&) {} void cubql_bvh_rebuild_device(BVH&) {} void cubql_bvh_rebuild_host(BVH&) {} }'
    if [[ -f $output.names ]]; then
        comm -23 <(sort -u "$output.names") <(nm --defined-only "$folder"/objects/*.o | awk '$2 == "T" { print $3 }' | sort -u) |
            sed 's/.*/extern "C" __attribute__((visibility("default"))) long &() { return 0; }/'
    fi
} >"$folder/stub/absent.cpp"
g++ -O1 -fPIC -c "$folder/stub/absent.cpp" -o "$folder/stub/absent.o"
g++ -shared -s -o "$output" "$folder"/objects/*.o "$folder/stub/absent.o" "$nvrtc" "$runtime" -static-libstdc++ -static-libgcc \
    -lpthread -ldl -lrt -Wl,--no-undefined -Wl,--exclude-libs,ALL
