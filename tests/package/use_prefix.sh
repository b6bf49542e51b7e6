#!/usr/bin/env bash
# An installed tree, used as a stranger would: the command started, programs built on each library by pkg-config and by
# CMake, shared and static. Needs a C compiler, cmake, make and pkg-config, and nothing of the tree that was built: it also
# runs inside a bare chroot (tests/chroot_test.sh).
#
#     tests/package/use_prefix.sh PREFIX SOURCE_DIR       CC chooses the compiler
#
# Of SOURCE_DIR only samples/, tests/package/, include/ and src/base.h are read.
set -euo pipefail

prefix=$(cd "$1" && pwd)
source_dir=$(cd "$2" && pwd)
cc=${CC:-cc}
programs=$source_dir/tests/package
unset DESTDIR LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH # what the machine has of its own must not help

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

libdir=$(dirname "$(find "$prefix" -name libpbdr.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig

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

# --- the files ---------------------------------------------------------------------------------------------------------

has_files()
{
    local file status=0
    for file in bin/pbdr libpbdr.a libpbdr.so libpbdr-bodyfile.a libpbdr-bodyfile.so pbdr.pc pbdr-bodyfile.pc \
        pbdrConfig.cmake pbdrConfigVersion.cmake; do
        if [ -z "$(find "$prefix" -path "*/$file")" ]; then
            echo "not installed: $file"
            status=1
        fi
    done
    diff -r "$source_dir/include/pbdr" "$prefix/include/pbdr" || status=1
    return $status
}

# The shared libraries export what the headers declare and what src/base.h shares among them, all of it and no more.
exports_what_is_declared()
{
    local header
    for header in "$prefix"/include/pbdr/*.h "$source_dir/src/base.h"; do
        # A parameter's or a typedef's name is not followed by a parenthesis; the first name that is, is the function's.
        { tr '\n' ' ' <"$header" && echo; } | sed -E 's/PBDR_(PART_)?API /\n@ /g' |
            sed -nE 's/^@ [^;(]*[ *](pbdr[A-Za-z0-9_]+)\(.*/\1/p'
    done | sort -u >"$scratch/declared"
    nm -D --defined-only "$libdir"/libpbdr*.so | awk 'NF == 3 { print $3 }' | sort -u >"$scratch/exported"
    [ "$(wc -l <"$scratch/declared")" -gt 50 ] && diff "$scratch/declared" "$scratch/exported"
}

# --- the command -------------------------------------------------------------------------------------------------------

pbdr() { env -i "$prefix/bin/pbdr" "$@"; } # no PATH, no LD_LIBRARY_PATH, no HOME

command_starts() { (cd / && pbdr info) && [ "$(pbdr --version)" = "pbdr $(pkg-config --modversion pbdr)" ]; }

command_runs_test()
{
    local solvers=pbd-r,xpbdr name
    for name in mujoco ode bullet; do
        if pbdr info | grep -qE "^solvers .* $name "; then
            solvers+=,$name
        fi
    done
    echo "solvers: $solvers"
    (cd "$scratch" && pbdr bench --tests 1 --duration 0.1 --solvers "$solvers" --json "$scratch/bench.json") || return 1
    for name in ${solvers//,/ }; do
        grep -q "\"solver\": *\"$name\"" "$scratch/bench.json" || { echo "no run of $name"; return 1; }
    done
}

# The mesh that came with it, and not the one of a build tree.
command_finds_mesh() { pbdr info | tee /dev/stderr | grep '^bunny' | grep -F "$prefix/" | grep -vF 'not there'; }

# --- pkg-config --------------------------------------------------------------------------------------------------------

# The line of the sample's end is "1.000 x closed-form", to six digits. XPBD-R's box is there to rounding; PBD-R's would be 2e-3 m off.
run_hello() # COMMAND...
{
    "$@" | tee "$scratch/hello.txt"
    awk '$1 == "1.000" { seen = 1; x = $2; exact = $3 }
         END { error = x - exact
               if (!seen || exact != 0.163 || !(error > -1.5e-6 && error < 1.5e-6)) {
                   print "x(1 s) = " x ", closed form " exact "; wanted 0.163 and at most a digit apart"
                   exit 1
               } }' "$scratch/hello.txt"
}

run_program() # NAME FILE
{
    case $1 in
        hello) run_hello "$2" ;;
        first) [ "$("$2" | tee /dev/stderr)" = '0.163 m' ] ;;
        use_meshfile) "$2" "$scratch/cube.obj" ;;
        use_bodyfile) "$2" "$scratch/body.json" ;;
        use_scenefile) "$2" "$scratch/scene.json" ;;
    esac
}

find_source() { if [ -f "$programs/$1.c" ]; then echo "$programs/$1.c"; else echo "$source_dir/samples/$1.c"; fi; } # NAME

# The flags end up in the compiler's command line word by word, here and below.
# shellcheck disable=SC2046
pkg_config_shared() # PACKAGE PROGRAM
{
    $cc -std=c17 -Wall -Wextra -Wpedantic -Werror "$(find_source "$2")" $(pkg-config --cflags --libs "$1") \
        -o "$scratch/$2-so" &&
        ldd_names "$scratch/$2-so" "lib$1.so" &&
        LD_LIBRARY_PATH=$libdir run_program "$2" "$scratch/$2-so"
}

ldd_names() { LC_ALL=C readelf -d "$1" | grep -F "[$2." || { echo "$1 does not ask for $2"; return 1; }; } # FILE LIBRARY

# Without -static: our archives over the system's shared libraries. That works where assimp and jansson have no archive.
# shellcheck disable=SC2046
pkg_config_archives() # PACKAGE PROGRAM
{
    local flags
    flags=$(pkg-config --static --cflags --libs "$1") &&
        [[ " $flags " == *" -lm "* ]] &&
        $cc -std=c17 "$(find_source "$2")" $(sed -E 's/-l(pbdr[a-z-]*)/-l:lib\1.a/g' <<<"$flags") -o "$scratch/$2-a" &&
        ! ldd_names "$scratch/$2-a" libpbdr &&
        run_program "$2" "$scratch/$2-a"
}

# shellcheck disable=SC2046
pkg_config_static() # PACKAGE PROGRAM
{
    $cc -std=c17 "$(find_source "$2")" -static $(pkg-config --static --cflags --libs "$1") -o "$scratch/$2-static" &&
        run_program "$2" "$scratch/$2-static"
}

# The archive of a part over the shared core: what the linker takes where only one of the two was installed shared.
# shellcheck disable=SC2046
archive_over_shared() # PART
{
    $cc -std=c17 "$(find_source "use_$1")" -I"$prefix/include" "$libdir/libpbdr-$1.a" $(pkg-config --libs pbdr) \
        $(pkg-config --static --libs "pbdr-$1" | sed "s/-lpbdr-$1//") -o "$scratch/mixed" &&
        LD_LIBRARY_PATH=$libdir run_program "use_$1" "$scratch/mixed"
}

# --- CMake -------------------------------------------------------------------------------------------------------------

cmake_samples() # ON|OFF: shared?
{
    local dir=$scratch/cmake-$1
    cmake -S "$source_dir/samples" -B "$dir" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$prefix" -DBUILD_SHARED_LIBS="$1" &&
        cmake --build "$dir" &&
        run_program hello "$dir/hello" && run_program first "$dir/first" &&
        "$prefix/bin/pbdr" bench --plugin "$dir/libblock.so" --solvers block --tests 1 --duration 0.1
}

write_project() # DIR REQUEST: a project that calls find_package(pbdr REQUEST)
{
    mkdir "$1"
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES C)\nfind_package(pbdr %s)\n' "$2" \
        >"$1/CMakeLists.txt"
}

configure() { cmake -S "$1" -B "$1/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix"; } # DIR

cmake_component() # COMPONENT PROGRAM
{
    local dir=$scratch/$1
    write_project "$dir" "0.2 REQUIRED COMPONENTS $1"
    printf 'add_executable(user %s)\ntarget_link_libraries(user PRIVATE pbdr::%s)\n' "$(find_source "$2")" "$1" \
        >>"$dir/CMakeLists.txt"
    configure "$dir" && cmake --build "$dir/build" && run_program "$2" "$dir/build/user"
}

# What is not there must be refused, for that reason and no other. CMake breaks its lines, so they are joined again.
cmake_refuses() # NAME REQUEST REASON
{
    write_project "$scratch/$1" "$2"
    ! configure "$scratch/$1" >"$scratch/refusal.txt" 2>&1 || return 1
    tr -s ' \n' ' ' <"$scratch/refusal.txt" | grep -F "$3"
}

# --- all of it ---------------------------------------------------------------------------------------------------------

has_static_libc=
if echo 'int main(void) { return 0; }' | $cc -static -x c - -o "$scratch/probe" 2>/dev/null; then
    has_static_libc=yes
fi

try_library() # PACKAGE PROGRAM
{
    try "pkg_config__builds_${2}_shared" pkg_config_shared "$1" "$2"
    try "pkg_config__builds_${2}_on_archives" pkg_config_archives "$1" "$2"
    # A wholly static program, where everything underneath has an archive; assimp, in Debian, has none.
    local flag lacking=
    for flag in $(pkg-config --static --libs-only-l "$1"); do
        echo 'int main(void) { return 0; }' |
            $cc -static -x c - "-L$libdir" "$flag" -o "$scratch/probe" 2>/dev/null || lacking=yes
    done
    if [ -z "$has_static_libc" ]; then
        skip "pkg_config__builds_${2}_static" "no static C library on this machine"
    elif [ -z "$lacking" ]; then
        try "pkg_config__builds_${2}_static" pkg_config_static "$1" "$2"
    fi
}

try prefix__has_every_file has_files
if command -v nm >/dev/null; then
    try prefix__exports_what_it_declares exports_what_is_declared
else
    skip prefix__exports_what_it_declares "no nm (Debian: binutils)"
fi
try command__starts_in_an_empty_environment command_starts
try command__runs_a_test command_runs_test
if [ -f "$prefix/share/pbdr/bunny.stl" ]; then
    try command__finds_the_mesh_beside_it command_finds_mesh
else
    skip command__finds_the_mesh_beside_it "installed without the mesh (make setup fetches it)"
fi

parts='bodyfile meshfile scenefile'
if command -v pkg-config >/dev/null; then
    try_library pbdr hello
    for part in $parts; do
        try_library "pbdr-$part" "use_$part"
        try "linker__takes_the_archive_of_${part}_over_the_shared_core" archive_over_shared "$part"
    done
else
    skip pkg_config__builds_hello "no pkg-config"
fi
try cmake_package__builds_the_samples_static cmake_samples OFF
try cmake_package__builds_the_samples_shared cmake_samples ON
for part in $parts; do
    try "cmake_package__links_$part" cmake_component "$part" "use_$part"
    try "cmake_package__links_${part}_shared" cmake_component "${part}_shared" "use_$part"
done
try cmake_package__refuses_another_version cmake_refuses version "99.0 REQUIRED" "requested version \"99.0\""
try cmake_package__refuses_an_unknown_component cmake_refuses component "REQUIRED COMPONENTS nonesuch" \
    "without the component nonesuch"
echo "cases: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
