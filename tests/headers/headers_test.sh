#!/usr/bin/env bash
# Every public header compiles alone, twice in a row, without a warning: as C17 and as C++17.
#
#     tests/headers/headers_test.sh INCLUDE_DIR        CC and CXX choose the compilers
set -euo pipefail

include_dir=$(cd "$1" && pwd)
cc=${CC:-cc}
cxx=${CXX:-}
for candidate in c++ g++ clang++; do
    [ -n "$cxx" ] || cxx=$(command -v "$candidate" || true)
done

passed=0 failed=0 skipped=0
compile() # HEADER COMPILER LANGUAGE
{
    # The declaration at the end: macros alone are no translation unit. The compiler may come with options.
    printf '#include "%s"\n#include "%s"\nint unused;\n' "$1" "$1" |
        $2 -x "${3%17}" -std="$3" -Wall -Wextra -Wpedantic -Werror -I"$include_dir" -fsyntax-only -
}

cd "$include_dir"
for header in $(find pbdr -name '*.h' | sort); do
    name=$(tr '/.' '__' <<<"$header")
    for language in c17 c++17; do
        case $language in
            c17) compiler=$cc ;;
            *) compiler=$cxx ;;
        esac
        if [ -z "$compiler" ]; then
            skipped=$((skipped + 1))
            printf 'SKIPPED %s__compiles_alone_as_%s: no C++ compiler\n' "$name" "$language"
        elif compile "$header" "$compiler" "$language"; then
            passed=$((passed + 1))
            printf 'ok      %s__compiles_alone_as_%s\n' "$name" "$language"
        else
            failed=$((failed + 1))
            printf 'FAILED  %s__compiles_alone_as_%s\n' "$name" "$language"
        fi
    done
done
echo "cases: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
