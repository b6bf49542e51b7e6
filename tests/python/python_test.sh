#!/usr/bin/env bash
# Runs the tests of the Python package on what a CMake tree has built, and counts them as the other programs do.
#
#     tests/python/python_test.sh SOURCE_DIR BUILD_DIR PYTHON CORE PROGRAM [PYTEST-OPTION...]
#
# The package is put together in BUILD_DIR/python-site: python/pbdr, the compiled part, the command. Under the address
# sanitizer (PBDR_ASAN=1) its library is loaded before Python's, whose own memory is not ours to check for leaks.
set -euo pipefail

source_dir=$1 build_dir=$2 python=$3 core=$4 program=$5
shift 5
site=$build_dir/python-site
rm -rf "$site"
mkdir -p "$site"
cp -r "$source_dir/python/pbdr" "$site/pbdr"
mkdir -p "$site/pbdr/bin"
ln -s "$core" "$site/pbdr/"
ln -s "$program" "$site/pbdr/bin/pbdr"
export PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
if [ "${PBDR_ASAN:-}" = 1 ]; then
    LD_PRELOAD="$(${CC:-cc} -print-file-name=libasan.so) $(${CC:-cc} -print-file-name=libstdc++.so.6)"
    export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
    set -- "$@" --ignore=tests/python/test_notebooks.py --ignore=tests/python/test_typing.py # minutes, and little of ours
fi
cd "$source_dir"
status=0
"$python" -m pytest -q -p no:cacheprovider -rs "$@" tests/python >"$build_dir/pytest.log" 2>&1 || status=$?
cat "$build_dir/pytest.log"
count() { grep -oE "[0-9]+ $1" <<<"$last" | cut -d ' ' -f 1 || true; } # WORD
last=$(tail -n 1 "$build_dir/pytest.log")
sed -n 's/^SKIPPED \[[0-9]*\] /SKIPPED /p' "$build_dir/pytest.log"
passed=$(count passed) failed=$(count failed) errors=$(count 'errors?') skipped=$(count skipped)
failed=$((${failed:-0} + ${errors:-0}))
[ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
echo "cases: ${passed:-0} passed, $failed failed, ${skipped:-0} skipped"
exit "$status"
