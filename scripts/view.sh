#!/usr/bin/env bash
# Measures replays and the laboratory in a headless Chromium: sizes, hashes met, times, draw calls, substeps per second.
#
#     scripts/view.sh > bench/results/view.csv      twenty minutes
#
# There is no graphics card behind it: Chromium draws by SwiftShader, on the processor.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/web/lab.html ] || { echo "view: build/web/lab.html is missing: make lab" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PBDR_VIEW_CSV=$scratch/view.csv
(cd web && node node_modules/vitest/vitest.mjs run test/long.test.ts test/lab.test.ts >&2)
echo what,quantity,value
sort -t, -k1,1 -s "$PBDR_VIEW_CSV"
echo "processor,cores,$(nproc)"
echo "processor,processes that wanted them; at the end,$(cut -d' ' -f1 /proc/loadavg)"
