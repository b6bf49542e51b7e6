#!/usr/bin/env bash
# Makes build/gpu/mujoco_warp.tar.xz: mujoco_warp with what it needs, small enough to travel to a machine with a GPU that
# reaches nothing else (scripts/gpu_show.sh runs it there; docs/gpu.md).
#
#     scripts/gpu_mujoco_warp.sh [--sources]     --sources: leaves the compiling to that machine (scripts/gpu_warp_build.sh)
#
# Warp's library is 299 MB in its wheel: code for fourteen architectures, and CUDA's compilers inside. Its sources are in the
# wheel too. Here they are compiled for one architecture, with NVRTC as a shared library of the other machine's (13 MB), without
# volumes, cuBQL and libmathdx, which this benchmark does not use (mujoco_warp then factors by Warp's own tiles). Python 3.12,
# as on that machine. Needs make gpu first, for CUDA's compiler, and a network.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON_VERSION:-3.12}
cuda=$({ find -L "$PWD/build/cuda-venv" -path '*/nvidia/cu13' -type d 2>/dev/null || true; } | head -n 1)
[[ -n $cuda || ${1:-} == --sources ]] || { echo "gpu_mujoco_warp: no CUDA compiler in build/cuda-venv: make gpu" >&2; exit 1; }
folder=$PWD/build/gpu/mujoco_warp
mkdir -p "$folder"/{wheels,warp,package,nvrtc}

# shellcheck disable=SC2046
pip download -q --no-deps --only-binary=:all: --python-version "$python" -d "$folder/wheels" \
    $(awk '$1 == "mujoco_warp"' engines/versions | grep -oE '(warp-lang|mujoco-warp|mujoco)==[^ ]+') \
    absl-py etils importlib_resources zipp typing_extensions fsspec nvidia-cuda-nvrtc nvidia-cuda-profiler-api
for wheel in "$folder"/wheels/*.whl; do
    case $(basename "$wheel") in
    warp_lang*) unzip -q -o "$wheel" -d "$folder/warp" ;;
    nvidia_*) unzip -q -o "$wheel" -d "$folder/nvrtc" ;;
    *) unzip -q -o "$wheel" -d "$folder/package" ;;
    esac
done

rm -rf "$folder"/package/warp*
cp -r "$folder"/warp/* "$folder/package/"
rm -rf "$folder"/package/warp/{tests,examples,bin} "$folder"/package/mujoco/{include,testdata,doc,sysid}
mkdir "$folder/package/warp/bin"
nm -D --defined-only "$folder/warp/warp/bin/warp.so" | awk '$2 == "T" && $3 ~ /^wp_/ { print $3 }' >"$folder/warp.so.names"
if [[ ${1:-} == --sources ]]; then # to be compiled on the other machine
    cp "$folder/warp.so.names" "$folder/package/warp/bin/"
    exit 0
fi
NVRTC=$folder/nvrtc/nvidia/cu13 scripts/gpu_warp_build.sh "$folder/warp/warp/native" "$cuda" "$folder/warp.so" "${JOBS:-1}"
cp "$folder/warp.so" "$folder/package/warp/bin/"
tar -c -C "$folder/package" . | xz -6 >build/gpu/mujoco_warp.tar.xz
ls -l build/gpu/mujoco_warp.tar.xz
