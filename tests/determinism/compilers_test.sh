#!/usr/bin/env bash
# The same bits with every compiler: builds the whole core and golden_test.c anew with each set of flags, and compares
# with golden.h. Each build runs plain C and the vector code it has. What is not installed is skipped, loudly.
#
#     compilers_test.sh SOURCE_DIR BUILD_DIR [NAME...]      default: all of the table below
set -u
source_dir=$(cd "$1" && pwd) || exit 1
mkdir -p "$2/determinism" && build_dir=$(cd "$2/determinism" && pwd) || exit 1
shift 2
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
passed=0 failed=0 skipped=0

# name | compilers, the first that is there | flags | vector code that it has
# `native` compiles everything, not only the stages, with what this CPU has, which may be fused multiply-add.
readonly BUILDS='
gcc-O0       | gcc                              | -O0               | avx2
gcc-O3       | gcc                              | -O3               | avx2
gcc-native   | gcc                              | -O3 -march=native | avx2
clang-O2     | clang clang-19 clang-16 clang-14 | -O2               | avx2
clang-native | clang clang-19 clang-16 clang-14 | -O3 -march=native | avx2
aarch64      | aarch64-linux-gnu-gcc            | -O3               | neon
'

first_of() # COMMAND...: the first that is there
{
    local name
    for name in "$@"; do
        command -v "$name" >/dev/null && echo "$name" && return
    done
    return 1
}

skip() { skipped=$((skipped + 1)); echo "SKIPPED golden__bits_of_$1: $2"; } # NAME REASON

# Sets `options` for CMake and `runner`, what runs its programs here; where it fails, `reason`.
prepare() # NAME COMPILER
{
    options=(-DCMAKE_C_COMPILER="$2") runner=()
    case $1 in
    aarch64*)
        options+=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_EXE_LINKER_FLAGS=-static)
        if [ "$(uname -m)" != aarch64 ]; then
            runner=("$(first_of qemu-aarch64 qemu-aarch64-static)") || { reason='no qemu-aarch64 (Debian: qemu-user)'; return 1; }
        fi
        echo 'int main(void) { return 0; }' >"$build_dir/probe.c"
        "$2" -static "$build_dir/probe.c" -o "$build_dir/probe" 2>/dev/null ||
            { reason='cannot link (Debian: libc6-dev-arm64-cross)'; return 1; }
        ;;
    *)
        [ "$(uname -m)" = x86_64 ] || { reason="not an x86-64 machine"; return 1; }
        ;;
    esac
}

build() # DIR FLAGS
{
    cmake -S "$source_dir" -B "$1" "${options[@]}" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$2" -DPBDR_WERROR=ON \
        -DPBDR_BUILD_CLI=OFF -DPBDR_BUILD_TESTS=ON -DPBDR_ASSIMP=OFF -DPBDR_BODYFILE=OFF -DPBDR_INSTALL=OFF &&
        cmake --build "$1" --parallel "$jobs" --target determinism_golden
}

# NAME COMPILERS FLAGS VECTORS
check()
{
    local compiler dir=$build_dir/$1 reason
    # shellcheck disable=SC2086 # a list of words
    compiler=$(first_of $2) || { skip "$1" "none of: $2 (make determinism installs it)"; return; }
    prepare "$1" "$compiler" || { skip "$1" "$reason"; return; }
    if ! build "$dir" "$3" >"$dir.log" 2>&1; then
        failed=$((failed + 1))
        tail -n 20 "$dir.log"
        echo "FAILED  golden__bits_of_$1: does not build, see $dir.log"
    elif "${runner[@]}" "$dir/tests/determinism_golden" >"$dir.log" 2>&1; then
        passed=$((passed + 1))
        echo "ok      golden__bits_of_$1: $("$compiler" --version | head -n 1), $3"
        grep -q "^ok *golden__bits_of_$4" "$dir.log" || skip "$1_with_$4" "this CPU has no $4: plain C alone was compared"
    else
        failed=$((failed + 1))
        cat "$dir.log"
        echo "FAILED  golden__bits_of_$1: $("$compiler" --version | head -n 1), $3"
    fi
}

unset CC CFLAGS LDFLAGS # the table says
while IFS='|' read -r name compilers flags vectors; do
    read -r name <<<"$name"
    read -r compilers <<<"$compilers"
    read -r flags <<<"$flags"
    read -r vectors <<<"$vectors"
    if [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]; then
        check "$name" "$compilers" "$flags" "$vectors"
    fi
done <<<"$(sed '/^$/d' <<<"$BUILDS")"
echo "cases: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
