#!/usr/bin/env bash
# Every code block of README.md, docs/ and the folders' READMEs, and every command that stands in their text, is run as
# it is printed.
#
#     tests/docs/blocks_test.sh SOURCE_DIR BUILD_DIR [PAGE...]       CC chooses the compiler
#
# Each page gets a copy of the tree of its own, with build/ filled by links, and is run from top to bottom, so a command
# may use what one before it on the page made. What a page writes must land in build/ (or in a folder that git ignores).
#
#     ```sh             run by bash -e, a block in one shell, HOME a temporary folder
#     ```output         what the command before it printed, line by line; "..." stands for any lines; numbers below 1e-12
#                       are rounding and count as equal
#     ```output about   the same, whatever the numbers are: times
#     ```c              a whole program: compiled with warnings as errors, linked by pkg-config, run
#     ```cmake          a CMakeLists.txt of a project with the samples in it: configured and built on the installed package
#     ```json           is JSON
#     ```python         run with the package that build/python-venv or BUILD_DIR/python-site has; without one it is compiled
#     ```xml            is well-formed, where python3 is there to say so
#     ```text           a drawing or a formula: not a command
#
# A block of any other kind fails: whoever prints it adds a rule here. In the text, what stands in backquotes and begins with
# build/pbdr, pbdr, make, scripts/, build/tests/, cc or cmake is a command. A synopsis (pbdr score --test N FILE) is
# checked against --help, option by option. elsewhere.txt lists what is not run as printed, and why.
set -euo pipefail

source_dir=$(cd "$1" && pwd)
build_dir=$(cd "$2" && pwd)
shift 2
cc=${CC:-cc}
limit=180 # [s] for one block, on a busy machine: a longer one is made shorter by the page, or listed in elsewhere.txt
unset DESTDIR LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH PBDR_BUNNY MAKEFLAGS MFLAGS MAKELEVEL
export PBDR_NO_SETUP=1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# --- what is needed ----------------------------------------------------------------------------------------------------

info=$("$build_dir/pbdr" info)
lacking=
[ -f "$build_dir/data/bunny.stl" ] || lacking+=" bunny.stl"
for tool in pkg-config cmake make "${cc%% *}"; do
    command -v "$tool" >/dev/null || lacking+=" $tool"
done
! grep -qE '^(not in it|mesh files +none|body files .*not read)' <<<"$info" || lacking+=" a part of pbdr (see pbdr info)"
if [ -n "$lacking" ]; then
    echo "SKIPPED pages__do_as_they_say: missing:$lacking"
    echo "cases: 0 passed, 0 failed, 1 skipped"
    exit 0
fi

# --- reading -----------------------------------------------------------------------------------------------------------

# Prints, for each block and each span of code in a page, "LINE KIND NUMBER" and writes its text to FOLDER/NUMBER. KIND is
# the fence's words joined by -, "none" for a fence without, "inline" for a span.
extract() # PAGE FOLDER
{
    awk -v folder="$2" '
        function emit(line, kind, text,    name) {
            name = sprintf("%s/%03d", folder, ++count)
            printf "%s", text > name
            close(name)
            printf "%d %s %03d\n", line, kind, count
        }
        fenced && /^ *```/ { emit(start, kind, block); fenced = 0; next }
        fenced { block = block $0 "\n"; next }
        /^ *```/ {
            fenced = 1; start = NR; block = ""; pending = ""
            kind = $0; sub(/^ *```/, "", kind); gsub(/ +/, "-", kind); if (kind == "") kind = "none"
            next
        }
        /^ *$/ { pending = ""; next } # no span of code goes over a blank line
        {
            # A span may go on in the next line.
            if (pending == "") first = NR
            pending = pending == "" ? $0 : pending " " $0
            text = pending
            if (gsub(/`/, "`", text) % 2 == 1) next
            n = split(pending, parts, "`")
            for (k = 2; k <= n; k += 2) { gsub(/  +/, " ", parts[k]); emit(first, "inline", parts[k]) }
            pending = ""
        }
        END { if (fenced) emit(start, "unclosed", block) }' "$1"
}

declare -A instead # by the command as printed
declare -A listed  # the same, to find entries that nothing prints
while IFS= read -r line; do
    [[ $line == *' => '*' | '* ]] || { echo "elsewhere.txt: not 'command => command | why': $line"; exit 1; }
    rest=${line#* => }
    instead[${line%% => *}]=${rest% | *}
    listed[${line%% => *}]=unseen
done < <(grep -vE '^(#|$)' "$source_dir/tests/docs/elsewhere.txt")

# --- running -----------------------------------------------------------------------------------------------------------

last_output=$scratch/output.txt

in_tree() # COMMAND...: in the page's tree, what it prints to last_output
{
    local status=0
    (
        cd "$tree" && HOME=$home PATH=$tree/build:$PATH timeout "$limit" "$@"
    ) >"$last_output" 2>&1 </dev/null || status=$?
    [ "$status" -ne 124 ] || echo "took over $limit s: make it shorter, or list it in tests/docs/elsewhere.txt" >>"$last_output"
    cat "$last_output"
    return $status
}

run_sh() # FILE: with the lines that elsewhere.txt lists replaced
{
    local line bare
    while IFS= read -r line; do
        bare=$(sed -E 's/ +#.*$//; s/ +$//' <<<"$line")
        if [ -n "${instead[$bare]:-}" ]; then
            echo "${instead[$bare]}"
        else
            echo "$line"
        fi
    done <"$1" >"$1.sh"
    in_tree bash -eu -o pipefail "$1.sh"
}

# shellcheck disable=SC2046,SC2086
run_c() # FILE
{
    local packages=pbdr
    grep -q 'int main(' "$1" || { echo "no main: print a whole program"; return 1; }
    ! grep -q '<pbdr/bodyfile.h>' "$1" || packages+=' pbdr-bodyfile'
    ! grep -q '<pbdr/meshfile.h>' "$1" || packages+=' pbdr-meshfile'
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name pbdr.pc)")
    $cc -std=c17 -Wall -Wextra -Wpedantic -Werror -x c "$1" -x none \
        $(PKG_CONFIG_PATH=$PKG_CONFIG_PATH pkg-config --cflags --libs $packages) -Wl,-rpath,"${PKG_CONFIG_PATH%/pkgconfig}" \
        -o "$1.program" && in_tree "$1.program"
}

# README's program is a sample, which other tests compile: the two are the same to the letter.
is_sample() { local file; for file in "$source_dir"/samples/*.c; do ! cmp -s "$1" "$file" || return 0; done; return 1; } # FILE

run_cmake() # FILE
{
    local dir=$1.project
    mkdir "$dir"
    cp "$source_dir"/samples/*.c "$dir"
    grep -q '^project(' "$1" || printf 'cmake_minimum_required(VERSION 3.25)\nproject(user LANGUAGES C)\n' >"$dir/CMakeLists.txt"
    cat "$1" >>"$dir/CMakeLists.txt"
    in_tree cmake -S "$dir" -B "$dir/build" -DCMAKE_C_COMPILER="${cc%% *}" -DCMAKE_PREFIX_PATH="$prefix" &&
        in_tree cmake --build "$dir/build"
}

run_xml() # FILE
{
    ! command -v python3 >/dev/null ||
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
}

run_json() # FILE
{
    cat >"$scratch/json.cmake" <<'end'
file(READ ${FILE} text)
string(JSON type ERROR_VARIABLE error TYPE "${text}")
if(error)
    message(FATAL_ERROR "${error}")
endif()
end
    cmake -DFILE="$1" -P "$scratch/json.cmake"
}

run_python() # FILE
{
    local python=$build_dir/python-venv/bin/python
    [ -x "$python" ] || python=python3
    if PYTHONPATH=$build_dir/python-site "$python" -c 'import pbdr' 2>/dev/null; then
        (cd "$scratch" && PYTHONPATH=$build_dir/python-site timeout "$limit" "$python" "$1")
    else
        "$python" -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$1"
    fi
}

# Are the lines of the block, in order, those of the last output?
compare_output() # FILE MASK
{
    awk -v mask="$2" '
        function plain(text,    out) {
            if (mask == "about") {
                gsub(/[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/, "#", text)
            } else {
                out = "" # numbers at rounding level
                while (match(text, /[-+]?[0-9.]+e-(1[3-9]|[2-9][0-9])/)) {
                    out = out substr(text, 1, RSTART - 1) "~0"
                    text = substr(text, RSTART + RLENGTH)
                }
                text = out text
            }
            gsub(/ +/, " ", text); sub(/ $/, "", text)
            return text
        }
        FNR == NR { real[++n] = $0; next }
        $0 == "..." { any = 1; next }
        {
            wanted = plain($0)
            do { k++ } while (any && k <= n && plain(real[k]) != wanted)
            any = 0
            if (k > n || plain(real[k]) != wanted) {
                print "the page says:    " $0
                print "the command said: " (k <= n ? real[k] : "(nothing more)")
                exit bad = 1
            }
        }
        END { if (!bad && !any && k < n) { print "the command said more: " real[k + 1]; exit 1 } }' "$scratch/output_kept.txt" "$1"
}

# Options that a synopsis names and --help does not.
check_synopsis() # COMMAND
{
    local words option help status=0
    read -ra words <<<"$1"
    help=$("$build_dir/pbdr" "${words[1]}" --help) || return 1
    for option in $(grep -oE -- '--[a-z][a-z-]*' <<<"$1" || true); do
        grep -qE -- "(^|[ ,[])$option( |\$|\])" <<<"$help" || { echo "pbdr ${words[1]} --help knows no $option"; status=1; }
    done
    return $status
}

run_inline() # COMMAND
{
    local command=$1 words
    # Brackets, bars, dots, or a word in capitals: FILE, N, "--yaw DEG".
    local placeholder='[][|]|[.][.][.]|[ ="][A-Z]+[" ]'
    read -ra words <<<"$command"
    if [ -n "${instead[$command]:-}" ]; then
        in_tree bash -eu -c "${instead[$command]}"
    elif [[ $command =~ ^(build/)?pbdr$ ]]; then
        in_tree build/pbdr --help
    elif [[ $command =~ ^pbdr\ [a-z]+$ ]]; then # a command's name, not a call
        in_tree build/pbdr "${words[1]}" --help
    elif [[ $command == *"pbdr "* && "$command " =~ $placeholder ]]; then
        check_synopsis "$command"
    elif [[ $command == *"make "* && "${command#*make } " =~ $placeholder ]]; then
        in_tree bash -eu -c "${command/make /make -n }"
    elif [[ $command == build/tests/* ]]; then # a test of its own, which runs beside this one
        [ -x "$build_dir/${words[0]#build/}" ] || { echo "no such program"; return 1; }
    else
        in_tree bash -eu -c "$command"
    fi
}

is_command() # TEXT
{
    local program='^([A-Z_]+=[^ ]+ )*(build/pbdr|pbdr|make|cc|cmake)( |$)' script='^(scripts|build/tests)/[^ ]*[a-z]'
    [[ $1 =~ $program || $1 =~ $script ]]
}

# --- pages -------------------------------------------------------------------------------------------------------------

passed=0 failed=0
report() # STATUS NAME
{
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        printf 'ok      %s (%d s)\n' "$2" $((SECONDS - began))
    else
        failed=$((failed + 1))
        sed 's/^/    /' "$scratch/log.txt" | tail -n 40
        printf 'FAILED  %s\n' "$2"
    fi
}

# What lies in the tree outside of build/ and of the folders that git ignores.
list_tree() { (cd "$tree" && find . \( -path ./build -o -path ./study-results -o -path ./report-out \) -prune -o -type f -print | sort); }

lay_tree() # a copy of the tree; build/ is its own, with links to everything that the real one holds
{
    local entry
    tree=$scratch/tree home=$scratch/home
    rm -rf "$tree" "$home"
    mkdir -p "$tree/build" "$home"
    (
        cd "$source_dir"
        find . -maxdepth 1 ! -name . ! -name 'build*' ! -name .git ! -name study-results ! -name report-out -exec cp -a {} "$tree" \;
    )
    for entry in "$build_dir"/*; do
        ln -s "$entry" "$tree/build/"
    done
    list_tree >"$scratch/before"
}

try_page() # PAGE: in SOURCE_DIR
{
    local page=$1 line kind number file text status name before=$((passed + failed))
    local -A done_before=()
    tree=
    rm -rf "$scratch/blocks"
    mkdir "$scratch/blocks"
    : >"$scratch/output_kept.txt"
    while read -r line kind number <&3; do
        file=$scratch/blocks/$number
        began=$SECONDS
        status=0
        name="$page:$line \`\`\`$kind"
        case $kind in
            text) continue ;;
            inline) is_command "$(cat "$file")" || continue ;;
        esac
        [ -n "$tree" ] || lay_tree
        case $kind in
            inline)
                text=$(cat "$file")
                [ -z "${listed[$text]:-}" ] || listed[$text]=seen
                [ -z "${done_before[$text]:-}" ] || continue
                done_before[$text]=yes
                name="$page:$line $text"
                run_inline "$text" >"$scratch/log.txt" 2>&1 || status=$?
                ;;
            sh)
                while IFS= read -r text; do
                    text=$(sed -E 's/ +#.*$//; s/ +$//' <<<"$text")
                    [ -z "${listed[$text]:-}" ] || listed[$text]=seen
                done <"$file"
                run_sh "$file" >"$scratch/log.txt" 2>&1 || status=$?
                ;;
            output) compare_output "$file" exact >"$scratch/log.txt" 2>&1 || status=$? ;;
            output-about) compare_output "$file" about >"$scratch/log.txt" 2>&1 || status=$? ;;
            c)
                run_c "$file" >"$scratch/log.txt" 2>&1 || status=$?
                if [ "$page" = README.md ] && [ "$status" -eq 0 ] && ! is_sample "$file"; then
                    echo "README's program is not the same as a file of samples/" >"$scratch/log.txt"
                    status=1
                fi
                ;;
            cmake) run_cmake "$file" >"$scratch/log.txt" 2>&1 || status=$? ;;
            xml) run_xml "$file" >"$scratch/log.txt" 2>&1 || status=$? ;;
            json) run_json "$file" >"$scratch/log.txt" 2>&1 || status=$? ;;
            python) run_python "$file" >"$scratch/log.txt" 2>&1 || status=$? ;;
            *)
                echo "no rule for this kind of block: see the head of tests/docs/blocks_test.sh" >"$scratch/log.txt"
                status=1
                ;;
        esac
        case $kind in
            inline | sh) cp "$last_output" "$scratch/output_kept.txt" 2>/dev/null || true ;;
        esac
        report "$status" "$name"
    done 3< <(extract "${source_page:-$source_dir/$page}" "$scratch/blocks")
    [ $((passed + failed)) -gt "$before" ] || return 0 # a page without commands
    began=$SECONDS status=0
    list_tree | diff "$scratch/before" - >"$scratch/log.txt" || status=$?
    report "$status" "$page leaves nothing in the tree"
}

# A page with a mistake must fail, for that reason. The pages above must not have done so already.
must_fail() # REASON TEXT
{
    began=$SECONDS
    printf '%b\n' "$2" >"$scratch/bad.md"
    local status=0
    (
        source_page=$scratch/bad.md
        failed=0
        try_page README.md
        [ "$failed" -gt 0 ]
    ) >"$scratch/bad.txt" 2>&1 || status=$?
    grep -qF -- "$1" "$scratch/bad.txt" || status=1
    cp "$scratch/bad.txt" "$scratch/log.txt"
    report $status "a page fails: $1"
}

prefix=$scratch/prefix
cmake --install "$build_dir" --prefix "$prefix" >"$scratch/log.txt" 2>&1 || { cat "$scratch/log.txt"; exit 1; }
cd "$source_dir"
if [ $# -gt 0 ]; then
    pages=("$@")
else
    pages=(README.md docs/*.md docs/*/*.md)
    for page in */README.md; do
        case $page in
            build*) ;;
            *) pages+=("$page") ;;
        esac
    done
fi
for page in "${pages[@]}"; do
    try_page "$page"
done
if [ $# -eq 0 ]; then
    began=$SECONDS status=0
    : >"$scratch/log.txt"
    for text in "${!listed[@]}"; do
        [ "${listed[$text]}" = seen ] || { echo "no page prints: $text" >>"$scratch/log.txt"; status=1; }
    done
    report "$status" "elsewhere.txt lists what pages print"

    fence='```'
    must_fail 'no rule for this kind of block' "$fence\nbuild/pbdr info\n$fence"
    must_fail 'mesh.stl' 'Type `build/pbdr pack mesh.stl --mass 1`.'
    must_fail 'knows no --no-such-option' 'Type `pbdr pack MESH --no-such-option\nFILE`.'
    must_fail 'the page says:    pbdr 99.9' "${fence}sh\nbuild/pbdr --version\n$fence\n${fence}output\npbdr 99.9\n$fence"
    must_fail 'the command said more' "${fence}sh\necho 1; echo 2\n$fence\n${fence}output\n1\n$fence"
    must_fail 'no main' "${fence}c\n#include <pbdr/pbdr.h>\nint unused;\n$fence"
    must_fail 'not the same as a file of samples/' "${fence}c\nint main(void)\n{\n    return 0;\n}\n$fence"
    must_fail 'nonesuch' "${fence}cmake\nfind_package(pbdr 0.2 REQUIRED COMPONENTS nonesuch)\n$fence"
    must_fail 'FAILED  README.md:1 ```json' "${fence}json\n{\"schema\": }\n$fence"
    must_fail './left.txt' "${fence}sh\necho 1 > left.txt\n$fence"
    must_fail 'No rule to make target' 'Type `make nonesuch`.'
fi
echo "cases: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
