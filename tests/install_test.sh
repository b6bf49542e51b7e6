#!/usr/bin/env bash
# The installed package: installs the build into a temporary prefix, moves it (a package that remembers where it was
# installed breaks in every binary distribution), and uses it in an empty environment (package/use_prefix.sh). The same in
# a bare Debian: tests/chroot_test.sh.
#
#     tests/install_test.sh SOURCE_DIR BUILD_DIR       CC chooses the compiler
set -euo pipefail

source_dir=$(cd "$1" && pwd)
build_dir=$(cd "$2" && pwd)
unset DESTDIR

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

cmake --install "$build_dir" --prefix "$scratch/first" >"$scratch/log.txt" 2>&1 ||
    { cat "$scratch/log.txt"; echo "FAILED  install__goes_where_it_is_told"; exit 1; }
mv "$scratch/first" "$scratch/moved"
# Nothing that is text, and no run path, names the folders of this machine.
if grep -rIl -e "$build_dir" -e "$source_dir" -e "$scratch/first" "$scratch/moved"; then
    echo "FAILED  install__names_no_folder_of_the_build_machine: the files above do"
    exit 1
fi
for file in "$scratch/moved/bin/pbdr" "$scratch"/moved/lib*/libpbdr*.so "$scratch"/moved/lib/*/libpbdr*.so; do
    [ -f "$file" ] || continue
    if LC_ALL=C readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -F -e "$build_dir" -e "$source_dir" -e "$scratch"; then
        echo "FAILED  install__names_no_folder_of_the_build_machine: the run path of $file does"
        exit 1
    fi
done
env -i PATH="$PATH" HOME="$scratch" ${CC:+CC="$CC"} ${CCACHE_DIR:+CCACHE_DIR="$CCACHE_DIR"} \
    bash "$source_dir/tests/package/use_prefix.sh" "$scratch/moved" "$source_dir"
