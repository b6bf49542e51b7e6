#!/usr/bin/env bash
# Makes build/gpu/engines.tar.xz: the engines of the leaderboard that a machine with a GPU can run although it reaches nothing
# else and lends Python 3.12 with JAX (scripts/gpu_leaderboard.sh runs them there): mujoco_warp, MJX, Brax and Newton, of
# engines/versions, with what they import; and build/pbdr with its libraries.
#
#     scripts/gpu_engines.sh
#
# Needs scripts/gpu_mujoco_warp.sh first (Warp's library for one architecture), make build, and a network. Left out is what the
# adapters do not import (viewers, tests, examples), JAX, which is the other machine's (the page tells its version), and Genesis:
# its compiler's wheel alone has 41 MB. Newton's preset "mujoco" needs another MuJoCo than mujoco_warp's, and is left out too.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON_VERSION:-3.12}
warp=build/gpu/mujoco_warp/package
folder=build/gpu/engines
[[ -d $warp/warp ]] || { echo "gpu_engines: no Warp in $warp: scripts/gpu_mujoco_warp.sh" >&2; exit 1; }
[[ -x build/pbdr ]] || { echo "gpu_engines: no build/pbdr: make build" >&2; exit 1; }
mkdir -p "$folder/wheels"
pin() { awk -v name="$1" '$1 == name' engines/versions | grep -oE "(^| )$2==[^ ]+" | tr -d ' '; }

pip download -q --no-deps --only-binary=:all: --python-version "$python" -d "$folder/wheels" "$(pin mjx mujoco-mjx)" "$(pin brax brax)" \
    "$(pin newton newton)" trimesh jaxopt flax msgpack rich markdown-it-py mdurl pygments
rm -rf "$folder/package"
cp -r "$warp" "$folder/package"
for wheel in "$folder"/wheels/*.whl; do
    unzip -q -o "$wheel" -d "$folder/package"
done
(
    cd "$folder/package"
    rm -rf newton/{examples,tests,assets} newton/_src/viewer/viser brax/{training,envs,contact,visualizer,tools} mujoco/mjx/{test_data,_src/*_test.py,benchmark} \
        mujoco_warp/{test_data,_src/*_test.py} mujoco/{include,testdata,doc,sysid} trimesh/{viewer,resources/templates}
    find . -name '*.pyc' -delete -o -name '*.stl' -delete -o -name '*.obj' -delete -o -name '*.png' -delete
)
# Warp is built without libmathdx there: mujoco_warp then factors by Warp's own tiles
sed -i -E 's/^(enable_mathdx_[a-z]+(: *bool)? *= *)True/\1False/' "$folder/package/warp/config.py"
mkdir -p "$folder/package/pbdr-bin"
cp build/pbdr build/data/bunny.stl "$folder/package/pbdr-bin/"
# every library but the system's own
ldd build/pbdr | awk '$2 == "=>" { print $3 }' | grep -vE '/(libc|libm|libdl|libpthread|librt|libgcc_s)\.so' | xargs -I{} cp -L {} "$folder/package/pbdr-bin/"
strip --strip-unneeded "$folder"/package/pbdr-bin/*.so* 2>/dev/null || true
tar -c -C "$folder/package" . | xz -6 -T2 >build/gpu/engines.tar.xz
ls -l build/gpu/engines.tar.xz
