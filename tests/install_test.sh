#!/usr/bin/env bash
# The installed package, used as a stranger would: installs the build into a temporary prefix, moves it (a package that
# remembers where it was installed breaks in every binary distribution), and builds samples/hello.c against it outside the tree.
#
#     tests/install_test.sh SOURCE_DIR BUILD_DIR       CC chooses the compiler
set -euo pipefail

source_dir=$(cd "$1" && pwd)
build_dir=$(cd "$2" && pwd)
cc=${CC:-cc}
unset DESTDIR LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH # what the machine has of its own must not help

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
prefix=$scratch/moved

# The first run's number: the sample's last line is "1.000 x closed-form". PBD-R gains 2e-3 m/s while friction builds up
# (docs/theory) and Euler's step adds a t dt/2 = 2e-4 m; without friction x would be 2.1 m, with too much of it 0.
check_numbers() # FILE
{
    awk '$1 == "1.000" { seen = 1; x = $2; exact = $3 }
         END { error = x - exact
               if (!seen || exact != 0.163 || !(error > -5e-3 && error < 5e-3)) {
                   print "    x(1 s) = " x ", closed form " exact "; wanted 0.163 and at most 5e-3 apart"
                   exit 1
               } }' "$1"
}

run_hello() { "$@" >"$scratch/hello.txt" && check_numbers "$scratch/hello.txt"; } # COMMAND...

install_and_move()
{
    cmake --install "$build_dir" --prefix "$scratch/first" && mv "$scratch/first" "$prefix"
}

has_files()
{
    local file status=0
    for file in include/pbdr/pbdr.h libpbdr.a libpbdr.so pbdr.pc pbdrConfig.cmake pbdrConfigVersion.cmake; do
        if [ -z "$(find "$prefix" -path "*/$file")" ]; then
            echo "    not installed: $file"
            status=1
        fi
    done
    # Every public header, and nothing that names the build machine's folders.
    diff -r "$source_dir/include/pbdr" "$prefix/include/pbdr" || status=1
    ! grep -rIl -e "$build_dir" -e "$source_dir" -e "$scratch/first" "$prefix" || status=1
    return $status
}

# The flags end up in the compiler's command line word by word.
# shellcheck disable=SC2046
pkg_config_shared()
{
    $cc -std=c17 "$source_dir/samples/hello.c" $(pkg-config --cflags --libs pbdr) -o "$scratch/hello-so" &&
        run_hello env LD_LIBRARY_PATH="$libdir" "$scratch/hello-so"
}

# shellcheck disable=SC2046
pkg_config_static()
{
    [[ " $(pkg-config --static --libs pbdr) " == *" -lm "* ]] &&
        $cc -std=c17 "$source_dir/samples/hello.c" -static $(pkg-config --static --cflags --libs pbdr) \
            -o "$scratch/hello-a" &&
        run_hello "$scratch/hello-a"
}

cmake_package() # ON|OFF: shared?
{
    local dir=$scratch/cmake-$1
    cmake -S "$source_dir/samples" -B "$dir" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$prefix" -DBUILD_SHARED_LIBS="$1" &&
        cmake --build "$dir" &&
        run_hello "$dir/hello"
}

write_project() # DIR REQUEST: a project that calls find_package(pbdr REQUEST)
{
    mkdir "$1"
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES C)\nfind_package(pbdr %s)\n' "$2" \
        >"$1/CMakeLists.txt"
}

configure() { cmake -S "$1" -B "$1/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix"; } # DIR

# What is not there must be refused, for that reason and no other. CMake breaks its lines, so they are joined again.
cmake_refuses() # NAME REQUEST REASON
{
    write_project "$scratch/$1" "$2"
    ! configure "$scratch/$1" >"$scratch/refusal.txt" 2>&1 || return 1
    tr -s ' \n' ' ' <"$scratch/refusal.txt" | grep -F "$3"
}

cmake_meshfile()
{
    local dir=$scratch/meshfile
    write_project "$dir" "0.1 REQUIRED COMPONENTS static meshfile"
    printf 'add_executable(user user.c)\ntarget_link_libraries(user PRIVATE pbdr::meshfile)\n' >>"$dir/CMakeLists.txt"
    cat >"$dir/user.c" <<'end'
#include <pbdr/meshfile.h>
int main(void)
{
    pbdrMesh mesh = {0};
    return pbdrLoadMesh("/no/such/file.stl", NULL, &mesh, NULL, NULL) != pbdr_statusFileNotFound;
}
end
    configure "$dir" && cmake --build "$dir/build" && "$dir/build/user"
}

cmake_bodyfile()
{
    local dir=$scratch/bodyfile
    write_project "$dir" "0.1 REQUIRED COMPONENTS static bodyfile"
    printf 'add_executable(user user.c)\ntarget_link_libraries(user PRIVATE pbdr::bodyfile)\n' >>"$dir/CMakeLists.txt"
    cat >"$dir/user.c" <<'end'
#include <pbdr/bodyfile.h>
int main(void)
{
    pbdrBodyFile body;
    pbdrStatus wanted = pbdrCanLoadBodyFile() ? pbdr_statusFileNotFound : pbdr_statusNotSupported;
    return pbdrLoadBodyFile("/no/such/body.json", NULL, &body, NULL) != wanted;
}
end
    configure "$dir" && cmake --build "$dir/build" && "$dir/build/user"
}

passed=0 failed=0 skipped=0
try() # NAME COMMAND...
{
    local name=$1
    shift
    if "$@" >"$scratch/log.txt" 2>&1; then
        passed=$((passed + 1))
        printf 'ok      %s\n' "$name"
    else
        failed=$((failed + 1))
        sed 's/^/    /' "$scratch/log.txt"
        printf 'FAILED  %s\n' "$name"
    fi
}
skip() # NAME REASON
{
    skipped=$((skipped + 1))
    printf 'SKIPPED %s: %s\n' "$1" "$2"
}

try install__goes_where_it_is_told install_and_move
try install__has_every_header_and_no_foreign_path has_files
libdir=$(dirname "$(find "$prefix" -name libpbdr.a)")
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$libdir/pkgconfig
    try pkg_config__builds_the_sample_shared pkg_config_shared
    if echo 'int main(void) { return 0; }' | $cc -static -x c - -o "$scratch/probe" 2>/dev/null; then
        try pkg_config__builds_the_sample_static pkg_config_static
    else
        skip pkg_config__builds_the_sample_static "no static C library on this machine"
    fi
else
    skip pkg_config__builds_the_sample_shared "no pkg-config"
    skip pkg_config__builds_the_sample_static "no pkg-config"
fi
try cmake_package__builds_the_sample_static cmake_package OFF
try cmake_package__builds_the_sample_shared cmake_package ON
if [ -f "$libdir/libpbdr-meshfile.a" ]; then
    try cmake_package__links_the_mesh_reader cmake_meshfile
else
    skip cmake_package__links_the_mesh_reader "built without assimp (Debian: libassimp-dev)"
fi
try cmake_package__links_the_body_reader cmake_bodyfile
try cmake_package__refuses_another_version cmake_refuses version "99.0 REQUIRED" "requested version \"99.0\""
try cmake_package__refuses_an_unknown_component cmake_refuses component "REQUIRED COMPONENTS nonesuch" \
    "without the component nonesuch"
echo "cases: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
