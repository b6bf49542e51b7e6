#!/usr/bin/env bash
# Builds and tests one CMake preset after the other, warnings as errors, and ends with one count over all of them.
#
#     scripts/test.sh [PRESET...]      default: release asan-ubsan
#
# What is counted: each test program prints "cases: P passed, F failed, S skipped". CTest's JUnit file holds that output
# and its own verdict, and the two are joined so that nothing gets lost: a program that CTest calls failed counts as one
# failure at least (a crash, a timeout, a leak prints no case), one without a line of its own counts as one case.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
[ $# -gt 0 ] || set -- release asan-ubsan

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
: >"$scratch/skips"

binary_dir() { if [ "$1" = release ]; then echo build; else echo "build-$1"; fi; } # PRESET

# Sanitizer runtimes are packages of their own with some compilers: without them a build fails at its first link.
has_sanitizer() # PRESET
{
    [ "$1" = asan-ubsan ] || return 0
    echo 'int main(void) { return 0; }' >"$scratch/probe.c"
    # shellcheck disable=SC2086 # CC may carry options
    ${CC:-cc} -fsanitize=address,undefined "$scratch/probe.c" -o "$scratch/probe" 2>/dev/null && "$scratch/probe" 2>/dev/null
}

# CMake keeps the compiler of its first run, whatever CC says later: a tree of another one is configured anew.
is_other_compiler() # DIR
{
    local kept
    [ -n "${CC:-}" ] && [ -f "$1/CMakeCache.txt" ] || return 1
    kept=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$1/CMakeCache.txt")
    [ "$(readlink -f "$kept")" != "$(readlink -f "$(command -v "${CC%% *}")")" ]
}

# Reads CTest's JUnit file. Prints "passed failed skipped" and appends a line per skip, with its reason, to skips.
count_cases() # JUNIT PRESET
{
    awk -v preset="$2" -v skips="$scratch/skips" '
        function attribute(key) {
            return match($0, " " key "=\"[^\"]*\"") ? substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 4) : ""
        }
        function plain(text) {
            gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "\047", text)
            gsub(/&amp;/, "\\&", text)
            return text
        }
        /<testcase / { name = attribute("name"); status = attribute("status"); p = f = s = 0; reason = "disabled" }
        /<skipped / { reason = attribute("message") }
        { sub(/^.*<system-out>/, "") }
        /^cases: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped/ { p += $2; f += $4; s += $6 }
        /^SKIPPED / { print "  [" preset "] " name ": " plain(substr($0, 9)) >> skips }
        /<\/testcase>/ {
            # Run by nobody: told to be skipped (a return code, a setting), or lost (no program to run).
            if (status == "disabled" || (status == "notrun" && reason ~ /^SKIP_/)) {
                s++
                print "  [" preset "] " name ": " plain(reason) >> skips
            } else if (status != "run" && f == 0) {
                f = 1
            } else if (p + f + s == 0) {
                p = 1
            }
            passed += p; failed += f; skipped += s
        }
        END { print passed + 0, failed + 0, skipped + 0 }' "$1"
}

# Measured in processor time, tests and build from nothing: release 260 s + 85 s, asan-ubsan 90 s + 105 s;
# the pages besides, in release: 90 s + 150 s (their library is built twice by Emscripten).
tell_time()
{
    local preset seconds=0
    for preset in "$@"; do
        case $preset in
            release) seconds=$((seconds + 345 + 240)) ;;
            *) seconds=$((seconds + 195)) ;;
        esac
    done
    echo "expected time: $(((seconds + 60 * jobs - 1) / (60 * jobs))) minutes on $jobs cores, builds included ($*)"
}

# The Python package is built and tested with the rest where the set-up made an environment for it.
venv=$PWD/build/python-venv/bin/python
if [ -x "$venv" ] && "$venv" -c 'import nanobind, numpy, pytest' 2>/dev/null; then
    python=(-DPBDR_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$venv")
else
    python=(-DPBDR_BUILD_PYTHON=OFF)
    echo "  the Python package: no build/python-venv with nanobind, NumPy and pytest (make setup makes it)" >>"$scratch/skips"
fi

total_passed=0 total_failed=0 total_skipped=0
summary=
tell_time "$@"
for preset in "$@"; do
    dir=$(binary_dir "$preset")
    printf '\n== %s: configure and build\n' "$preset"
    if ! has_sanitizer "$preset"; then
        echo "  [$preset] the whole run: ${CC:-cc} cannot link sanitizers (Debian: gcc has them)" >>"$scratch/skips"
        total_skipped=$((total_skipped + 1))
        continue
    fi
    fresh=()
    if is_other_compiler "$dir"; then
        echo "$dir was built by another compiler than $CC: configured anew"
        fresh=(--fresh)
    fi
    cmake "${fresh[@]}" --preset "$preset" -DPBDR_WERROR=ON "${python[@]}"
    cmake --build --preset "$preset" --parallel "$jobs"
    if [ "$dir" != build ] && [ -f build/data/bunny.stl ]; then
        mkdir -p "$dir/data"
        cp -p build/data/bunny.stl "$dir/data/"
    fi

    printf '\n== %s: test\n' "$preset"
    junit=$PWD/$dir/junit.xml
    rm -f "$junit"
    status=0
    # Passing programs' output is cut by default, and the count is at its end.
    ctest --preset "$preset" --parallel "$jobs" --output-junit "$junit" --test-output-size-passed 100000000 \
        --test-output-size-failed 100000000 || status=$?
    passed=0 failed=0 skipped=0
    if [ -f "$junit" ]; then
        read -r passed failed skipped < <(count_cases "$junit" "$preset")
    fi
    if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
        failed=1 # CTest's word stands, whatever was printed
    fi
    summary+="$preset: $passed passed, $failed failed, $skipped skipped"$'\n'
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
    total_skipped=$((total_skipped + skipped))
done

# Parts that were not even built leave no case to skip: the set-up knows of them.
scripts/setup.sh --check test | sed 's/^/  /' >>"$scratch/skips" || true
if [ -s "$scratch/skips" ]; then
    rule=$(printf '%.0s*' {1..100})
    printf '\n%s\nSKIPPED OR MISSING:\n' "$rule"
    cat "$scratch/skips"
    printf '%s\n' "$rule"
fi
printf '\n%s' "$summary"
echo "total: $total_passed passed, $total_failed failed, $total_skipped skipped"
[ "$total_failed" -eq 0 ] && [ "$total_passed" -gt 0 ]
