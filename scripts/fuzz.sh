#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzz with clang and runs each for its share of the time. What fails is left in
# build-fuzz/found/TARGET/ and makes this fail, too.
#
#     scripts/fuzz.sh [TARGET...]      default: all
#
# FUZZ_SECONDS=600   in all
# FUZZ_CLANG=clang   the compiler
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-600}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
clang=${FUZZ_CLANG:-}
for name in ${clang:-clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14}; do
    if command -v "$name" >/dev/null; then
        clang=$name
        break
    fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo 'int LLVMFuzzerTestOneInput(const unsigned char* d, unsigned long n) { return d == 0 && n > 0; }' >"$scratch/probe.c"
if [ -z "$clang" ] || ! "$clang" -fsanitize=fuzzer,address "$scratch/probe.c" -o "$scratch/probe" 2>/dev/null; then
    echo "fuzz: clang with libFuzzer is needed. Debian: apt-get install clang libclang-rt-14-dev" >&2
    echo "fuzz: (the number is clang's own version; FUZZ_CLANG=NAME chooses another clang)" >&2
    exit 1
fi

cmake --preset fuzz -DCMAKE_C_COMPILER="$clang" >/dev/null
targets=("$@")
[ $# -gt 0 ] || targets=(obj stl ply msh cloud bodyfile scene recipe trajectory view csv options state snapshot)
cmake --build build-fuzz --parallel "$jobs" --target fuzz_seeds "${targets[@]/#/fuzz_}" >build-fuzz/build.log 2>&1 ||
    { cat build-fuzz/build.log >&2; exit 1; }
build-fuzz/tests/fuzz/fuzz_seeds build-fuzz/seeds

share=$((seconds * jobs / ${#targets[@]}))
[ "$share" -ge 1 ] || share=1
echo "fuzz: ${#targets[@]} targets, $share s each, $jobs at a time"

# options and view say on stderr why they refuse something: closed, it costs no time
run() # TARGET
{
    local target=$1 corpus=build-fuzz/corpus/$1 found=build-fuzz/found/$1 mask=0 log=build-fuzz/$1.log status=0
    case $target in options | view) mask=2 ;; esac
    mkdir -p "$corpus" "$found"
    build-fuzz/tests/fuzz/"fuzz_$target" "$corpus" "build-fuzz/seeds/$target" "tests/fuzz/corpus/$target" \
        -max_total_time="$share" -timeout=20 -rss_limit_mb=2048 -max_len=4096 -close_fd_mask="$mask" \
        -print_final_stats=1 -artifact_prefix="$found/" >"$log" 2>&1 || status=$?
    printf '%-12s %s inputs%s\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
        "$([ "$status" -eq 0 ] || echo "; FAILED: see $log and $found/")"
    return "$status"
}
export -f run
export share
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'run {}' || exit 1
