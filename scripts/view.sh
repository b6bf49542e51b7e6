#!/usr/bin/env bash
# Measures replays and the laboratory in a headless Chromium: sizes, hashes met, times, draw calls, substeps per second.
#
#     scripts/view.sh > bench/results/view.csv      twenty minutes; goes on where it was stopped
#
# What each test of web/test/long.test.ts and lab.test.ts measured is kept in build/view until the program or a page changes
# (PBDR_VIEW_ANEW=1 begins anew). There is no graphics card behind it: Chromium draws by SwiftShader, on the processor.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/web/lab.html ] || { echo "view: build/web/lab.html is missing: make lab" >&2; exit 1; }
kept=$PWD/build/view
stamp=$(cat build/pbdr build/web/replay.html build/web/lab.html | sha256sum | cut -c1-16)
[ "$(cat "$kept/stamp" 2>/dev/null)" = "$stamp" ] && [ "${PBDR_VIEW_ANEW:-0}" != 1 ] || rm -rf "$kept"
mkdir -p "$kept"
echo "$stamp" >"$kept/stamp"
cd web
vitest() { node node_modules/vitest/vitest.mjs "$@"; }
vitest list --json="$kept/list.json" test/long.test.ts test/lab.test.ts >&2
count=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).length' "$kept/list.json")
failed=0
for ((k = 0; k < count; k++)); do
    # the test's name as a pattern that means itself, and its file
    mapfile -t test < <(node -e '
        const t = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))[process.argv[2]];
        console.log(t.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "\n" + t.file);' "$kept/list.json" "$k")
    part=$kept/$(sha256sum <<<"${test[0]}" | cut -c1-16).csv # vitest lists them in any order
    [ ! -f "$part" ] || continue
    echo "view: $((k + 1)) of $count: ${test[0]}" >&2
    rm -f "$kept/running.part"
    if PBDR_VIEW_CSV=$kept/running.part vitest run "${test[1]}" -t "^${test[0]}\$" >"$kept/running.log" 2>&1; then
        touch "$kept/running.part" # some measure nothing
        echo "processor,processes that wanted them,$(cut -d' ' -f1 /proc/loadavg)" >>"$kept/loads"
        mv "$kept/running.part" "$part"
    else
        tail -n 40 "$kept/running.log" >&2
        failed=1
    fi
done
[ "$failed" -eq 0 ] || { echo "view: not all of it passed; run it again to go on" >&2; exit 1; }
echo what,quantity,value
sort -t, -k1,1 -s "$kept"/*.csv
echo "processor,cores,$(nproc)"
sort -t, -k3,3n "$kept/loads" | awk -F, '{ load[NR] = $3 } END { printf "processor,processes that wanted them; in the middle of the run,%.1f\n", load[int((NR + 1) / 2)] }'
