#!/usr/bin/env bash
# Measures replays and the laboratory in a headless Chromium: sizes, hashes met, times, draw calls, substeps per second.
#
#     scripts/view.sh > bench/results/view.csv      six minutes on two idle cores; goes on where it was stopped
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
# Runs test number K of the list, if what it measured is not kept yet.
run_one() # K
{
    # the test's name as a pattern that means itself, and its file
    local test part running=$kept/running.$1
    mapfile -t test < <(node -e '
        const t = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"))[process.argv[2]];
        console.log(t.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "\n" + t.file);' "$kept/list.json" "$1")
    part=$kept/$(sha256sum <<<"${test[0]}" | cut -c1-16).csv # vitest lists them in any order
    [ ! -f "$part" ] || return 0
    echo "view: $(($1 + 1)) of $count: ${test[0]}" >&2
    rm -f "$running.part"
    if PBDR_VIEW_CSV=$running.part vitest run "${test[1]}" -t "^${test[0]}\$" >"$running.log" 2>&1; then
        touch "$running.part" # some measure nothing
        echo "processor,processes that wanted them,$(cut -d' ' -f1 /proc/loadavg)" >>"$kept/loads"
        mv "$running.part" "$part"
    else
        tail -n 40 "$running.log" >&2
        touch "$kept/failed"
    fi
}

# Numbers of the tests whose name has WORD, or, with -v, has not.
list() { node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).map((t) => t.name).join("\n")' "$kept/list.json" | grep -n "$@" | cut -d: -f1; }

# Piles take minutes of one core: side by side, and before what measures rates.
rm -f "$kept/failed"
for k in $(list '125 boxes'); do
    run_one $((k - 1)) &
done
wait
for k in $(list -v '125 boxes'); do
    run_one $((k - 1))
done
failed=0
[ ! -e "$kept/failed" ] || failed=1
[ "$failed" -eq 0 ] || { echo "view: not all of it passed; run it again to go on" >&2; exit 1; }
echo what,quantity,value
sort -t, -k1,1 -s "$kept"/*.csv
echo "processor,cores,$(nproc)"
sort -t, -k3,3n "$kept/loads" | awk -F, '{ load[NR] = $3 } END { printf "processor,processes that wanted them; in the middle of the run,%.1f\n", load[int((NR + 1) / 2)] }'
