#!/usr/bin/env bash
# What a graphics card makes of 100,000 spheres that move (docs/view.md): bench/results/view_card.csv.
#
#     scripts/view_card.sh               by the card of this machine, with Vulkan (PBDR_ANGLE=gl-egl: with OpenGL)
#
# Where Chromium finds no card, it says so and leaves the results as they are. Needs `make web`, node and Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x build/pbdr ] && [ -f build/web/replay.html ] || { echo "view_card: build/pbdr and build/web/replay.html are needed: make web" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PBDR_ANGLE=${PBDR_ANGLE:-vulkan}
echo bodies,window,drawn,draw_calls,vertices,script_ms,pictures_per_s,renderer > "$work/card.csv"
for bodies in 100 800; do
    node web/frames.mjs --scene $bodies > "$work/scene.json"
    build/pbdr view "$work/scene.json" --contact spheres --spheres-per-side $([ $bodies = 100 ] && echo 10 || echo 5) -o "$work/page.html"
    for window in 400x300 960x600 1280x800 1920x1080 3840x2160; do
        found=$(node web/frames.mjs "$work/page.html" $window)
        case $found in
            *SwiftShader* | *llvmpipe*)
                echo "view_card: no graphics card here ($found): bench/results/view_card.csv stays as it is" >&2
                exit 0
                ;;
        esac
        node -e '
            const [bodies, window, text] = process.argv.slice(1), f = JSON.parse(text), by = (x) => x.join(" x ");
            console.log([bodies, by(window.split("x")), by(f.pixels), f.calls, f.vertices, f.script.toFixed(1), f.rate.toFixed(1), `"${f.renderer.replaceAll("\"", "")}"`].join());
        ' "$bodies" $window "$found" | tee -a "$work/card.csv"
    done
done
mv "$work/card.csv" bench/results/view_card.csv
