#!/usr/bin/env bash
# The pages and their engine: `make lab`, then vitest in web/test, but for long.test.ts. Without emscripten, node or npm nothing of it can run, and
# without Chromium only the engine's part: each is said.
#
#     tests/web/web_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
cd "$1"
build=$2

skip() # REASON
{
    echo "SKIPPED pages: $1"
    echo "cases: 0 passed, 0 failed, 1 skipped"
    exit 0
}

if [ "$build" != "$PWD/build" ]; then skip "they are built in build/ only, not in $build"; fi
for tool in emcc node npm; do
    command -v "$tool" >/dev/null || skip "$tool is not here: scripts/setup.sh web installs it"
done
version=$(node --version)
[ "$(printf '%s\n' 20.19 "${version#v}" | sort -V | head -n 1)" = 20.19 ] || skip "node $version is older than 20.19"
if [ ! -f web/node_modules/.package-lock.json ] && ! (cd web && timeout 60 npm ping >/dev/null 2>&1); then
    skip "npm's parts are not here, and its registry cannot be reached"
fi

[ -f build/data/bunny.stl ] || skip "the bunny is not here: scripts/setup.sh test fetches it"

JOBS=${JOBS:-1} scripts/web.sh replay lab
files=(test/engine.test.ts test/pace.test.ts)
skipped=0
if [ -x "${PBDR_CHROMIUM:-/usr/bin/chromium}" ]; then
    files+=(test/browser.test.ts test/lab.test.ts)
else
    echo "SKIPPED pages in a browser: chromium is not here: scripts/setup.sh web installs it"
    skipped=1
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd web
PBDR_BUILD=$build node node_modules/vitest/vitest.mjs run --reporter=default --reporter=json --outputFile.json="$scratch/result.json" "${files[@]}" || true
node -e '
    const r = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
    const skipped = Number(process.argv[2]) + r.numPendingTests;
    console.log(`cases: ${r.numPassedTests} passed, ${r.numFailedTests + r.numFailedTestSuites} failed, ${skipped} skipped`);
    process.exit(r.success && r.numPassedTests > 0 ? 0 : 1);' "$scratch/result.json" "$skipped"
