#!/usr/bin/env bash
# Builds the pages: the library twice by Emscripten (with 128-bit vectors, and plain), then the scripts by Vite.
#
#     scripts/web.sh replay|lab...      build/web/replay.html, build/web/lab.html
#
# What has not changed is not built again. npm's parts are fetched once, in the versions that web/package-lock.json names.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
say() { printf 'web: %s\n' "$*"; }

for tool in emcc emcmake cmake node npm; do
    command -v "$tool" >/dev/null || { say "$tool is not here: scripts/setup.sh web installs it" >&2; exit 1; }
done

targets=(pbdr_web_replay)
case " $* " in *" lab "*) targets+=(pbdr_web_lab) ;; esac
for kind in simd plain; do
    dir=build/wasm-$kind
    simd=ON
    build=Release
    # for browsers without vectors, few of which are left: what counts is how much of the page it takes
    [ "$kind" = simd ] || { simd=OFF; build=MinSizeRel; }
    if ! grep -qs "CMAKE_BUILD_TYPE:[A-Z]*=$build\$" "$dir/CMakeCache.txt"; then
        say "configuring the library for WebAssembly ($kind)"
        launcher=()
        if command -v ccache >/dev/null; then launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache); fi
        emcmake cmake -Wno-dev -S . -B "$dir" -DCMAKE_BUILD_TYPE=$build -DPBDR_WASM_SIMD=$simd -DPBDR_ASSIMP=OFF -DPBDR_BODYFILE=OFF \
            -DPBDR_USE_PEERS=OFF -DPBDR_BUILD_TESTS=OFF -DPBDR_INSTALL=OFF "${launcher[@]}" >"$dir.log" 2>&1 ||
            { cat "$dir.log" >&2; exit 1; }
    fi
    cmake -Wno-dev "$dir" >"$dir.log" 2>&1 || { cat "$dir.log" >&2; exit 1; } # targets may have been added
    cmake --build "$dir" --parallel "$jobs" --target "${targets[@]}" >"$dir.log" 2>&1 || { tail -n 40 "$dir.log" >&2; exit 1; }
    say "$dir: $(cd "$dir" && ls ./*.wasm | tr '\n' ' ')"
done

if [ ! -f web/node_modules/.package-lock.json ] || [ web/package-lock.json -nt web/node_modules/.package-lock.json ]; then
    say "fetching npm's parts (web/package-lock.json)"
    (cd web && npm ci --no-audit --no-fund --loglevel=error >&2)
    touch web/node_modules/.package-lock.json
fi
exec node web/build.mjs build/web build/wasm-simd build/wasm-plain "$@"
