#!/usr/bin/env bash
# Makes build/gpu/mujoco_warp.tar.xz: mujoco_warp with what it needs, small enough to travel to a machine with a GPU that
# reaches nothing else (scripts/gpu_show.sh runs it there; docs/gpu.md).
#
#     scripts/gpu_mujoco_warp.sh
#
# Warp's library is 299 MB in its wheel: code for fourteen architectures, and CUDA's compilers inside. Its sources are in the
# wheel too. Here they are compiled for one architecture, with NVRTC as a shared library of the other machine's (13 MB), without
# volumes, cuBQL and libmathdx, which this benchmark does not use (mujoco_warp then factors by Warp's own tiles). Python 3.12,
# as on that machine. Needs make gpu first, for CUDA's compiler, and a network.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON_VERSION:-3.12}
arch=${PBDR_GPU_ARCH:-sm_90}
cuda=$(find "$PWD/build/cuda-venv" -path '*/nvidia/cu13' -type d | head -n 1)
[[ -n $cuda ]] || { echo "gpu_mujoco_warp: no CUDA compiler in build/cuda-venv: make gpu" >&2; exit 1; }
folder=$PWD/build/gpu/mujoco_warp
mkdir -p "$folder"/{wheels,warp,package,nvrtc,objects,stub}

pip download -q --no-deps --only-binary=:all: --python-version "$python" -d "$folder/wheels" warp-lang mujoco-warp mujoco \
    mujoco-core absl-py etils importlib_resources zipp typing_extensions fsspec nvidia-cuda-nvrtc nvidia-cuda-profiler-api
for wheel in "$folder"/wheels/*.whl; do
    case $(basename "$wheel") in
    warp_lang*) unzip -q -o "$wheel" -d "$folder/warp" ;;
    nvidia_*) unzip -q -o "$wheel" -d "$folder/nvrtc" ;;
    *) unzip -q -o "$wheel" -d "$folder/package" ;;
    esac
done

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

native=$folder/warp/warp/native
flags=(--std=c++17 -O2 -DNDEBUG -DWP_BUILD_DLL -DWP_ENABLE_DEBUG=0 -DWP_ENABLE_CUDA=1 -DWP_ENABLE_MATHDX=0
    -DWP_ENABLE_CUDA_COMPATIBILITY=1 -D_GLIBCXX_USE_CXX11_ABI=0 -I "$native" -I "$folder/stub"
    -I "$folder/nvrtc/nvidia/cu13/include" -I "$cuda/include" -I "$cuda/include/cccl")
for source in "$native"/*.cu "$native"/*.cpp; do
    name=$(basename "$source")
    case $name in bvh_cubql.* | volume.* | volume_builder.* | apic.cu) continue ;; esac
    object=$folder/objects/$name.o
    [[ -f $object ]] && continue
    echo "gpu_mujoco_warp: $name"
    if [[ $name == *.cu ]]; then
        "$cuda/bin/nvcc" "${flags[@]}" "-arch=$arch" -Xcompiler -fPIC,-fvisibility=hidden,-fvisibility-inlines-hidden -c "$source" -o "$object" 2>/dev/null
    else
        g++ "${flags[@]}" -fno-rtti -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -c "$source" -o "$object"
    fi
done
# What is left out is there by name, for Python to look up.
{
    echo 'namespace wp { template <unsigned L, typename T> struct vec_t; struct BVH; using vec3 = vec_t<3u, float>;'
    echo 'void cubql_bvh_create_device(void*, vec3*, vec3*, int, int, BVH&) {} void cubql_bvh_create_host(vec3*, vec3*, int, int, BVH&) {}'
    echo 'void cubql_bvh_destroy_device(BVH&) {} void cubql_bvh_rebuild_device(BVH&) {} void cubql_bvh_rebuild_host(BVH&) {} }'
    comm -23 <(nm -D --defined-only "$folder/warp/warp/bin/warp.so" | awk '$2 == "T" && $3 ~ /^wp_/ { print $3 }' | sort -u) \
        <(nm --defined-only "$folder"/objects/*.o | awk '$2 == "T" { print $3 }' | sort -u) |
        sed 's/.*/extern "C" __attribute__((visibility("default"))) long &() { return 0; }/'
} >"$folder/stub/absent.cpp"
g++ -O1 -fPIC -c "$folder/stub/absent.cpp" -o "$folder/stub/absent.o"
rm -rf "$folder/package/warp"
cp -r "$folder/warp/warp" "$folder/package/warp"
rm -rf "$folder"/package/warp/{tests,examples,bin} "$folder"/package/mujoco/{include,testdata,doc,sysid}
mkdir "$folder/package/warp/bin"
g++ -shared -s -o "$folder/package/warp/bin/warp.so" "$folder"/objects/*.o "$folder/stub/absent.o" \
    "$folder/nvrtc/nvidia/cu13/lib/libnvrtc.so.13" "$cuda/lib/libcudart_static.a" -static-libstdc++ -static-libgcc \
    -lpthread -ldl -lrt -Wl,--no-undefined -Wl,--exclude-libs,ALL
tar -c -C "$folder/package" . | xz -6 >build/gpu/mujoco_warp.tar.xz
ls -l build/gpu/mujoco_warp.tar.xz
