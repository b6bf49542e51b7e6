#!/usr/bin/env bash
# The house stands as docs/architecture.md draws it: who includes whom, and how long files are.
#
#     tests/structure/includes_test.sh SOURCE_DIR            checks, then checks the checks on spoilt copies
#     tests/structure/includes_test.sh --print SOURCE_DIR    the list for docs/architecture.md, from the sources
#
# A folder of src/ is a node of its own (engine/particle apart from engine), src/base.h is `base`, and bench, cli, report,
# draw, samples and include are one node each. `a b` means that some file of a includes some header of b.
set -euo pipefail
LC_ALL=C

page=docs/architecture.md
outside='bench cli report draw samples' # these are built over public headers only, and src/text, which is no part of the
                                        # core: numbers and JSON as text, a library that bench and cli link too
generated='h200_rows.h paper_ablation_rows.h' # headers that CMake writes
longest=500                             # lines of a file in src/; more needs a reason in its first ten lines

list_sources() # in the tree that is the working folder
{
    find include src bench cli report draw samples -type f \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) | sort
}

# "FROM TO FILE:LINE HEADER" for each include of a file of the tree, itself left out; "FROM ? ..." for what is found nowhere.
list_includes()
{
    list_sources >"$scratch/sources.txt"
    awk '
        function folder(path,    parts, n, name, k) {
            n = split(path, parts, "/")
            if (parts[1] != "src") return parts[1]
            if (n == 2) return "base"
            name = parts[2]
            for (k = 3; k < n; k++) name = name "/" parts[k]
            return name
        }
        # Where the compiler finds it: beside the file, in its own top folder, on the include path.
        function resolve(header, file, quoted,    top, near, k) {
            top = near = file
            sub(/\/.*/, "", top)
            sub(/[^\/]*$/, "", near)
            near = near header
            while (sub(/[^\/]+\/\.\.\//, "", near)) ;
            if (quoted && near in known) return near
            if ((top "/" header) in known) return top "/" header
            for (k = 1; k <= placeCount; k++) if ((places[k] "/" header) in known) return places[k] "/" header
            return ""
        }
        BEGIN { placeCount = split("include bench draw report cli src src/text", places, " ") }
        FNR == NR { known[$1] = 1; next }
        /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
            quoted = $0 ~ /include[ \t]*"/
            header = $0
            sub(/^[^<"]*[<"]/, "", header); sub(/[>"].*$/, "", header)
            found = resolve(header, FILENAME, quoted)
            from = folder(FILENAME)
            if (found != "") { if (folder(found) != from) print from, folder(found), FILENAME ":" FNR, found }
            else if (quoted) print from, "?", FILENAME ":" FNR, header
        }' "$scratch/sources.txt" $(cat "$scratch/sources.txt")
}

print_list() # as it stands in the page: a line per folder
{
    list_includes | awk '$2 != "?" { print $1, $2 }' | sort -u | awk '
        { to[$1] = to[$1] " " $2 }
        END { for (from in to) printf "%-16s->%s\n", from, to[from] }' | sort
}

# The edges in the page, "FROM TO".
read_page()
{
    awk '/^<!-- includes/ { on = 1; next } /^<!-- \/includes/ { on = 0 } on && $2 == "->" { for (k = 3; k <= NF; k++) print $1, $k }' "$page"
}

# Each check prints what is wrong and then fails.
check_found() # every quoted header is a file of the tree
{
    local wrong
    wrong=$(list_includes | awk -v generated=" $generated " '$2 == "?" && !index(generated, " " $4 " ") { print $3 ": no such header in the tree: " $4 }')
    [ -z "$wrong" ] || { echo "$wrong"; return 1; }
}

check_cycles()
{
    list_includes | awk '$2 != "?" { print $1, $2 }' | sort -u >"$scratch/edges.txt"
    tsort <"$scratch/edges.txt" >/dev/null 2>"$scratch/loop.txt" || {
        echo "folders include each other in a circle: $(sed -n 's/^tsort: \([^-].*\)/\1/p' "$scratch/loop.txt" | grep -v 'loop:' | paste -sd' ')"
        return 1
    }
}

check_page()
{
    local wrong
    wrong=$(
        list_includes | awk '$2 != "?"' | sort -u >"$scratch/includes.txt"
        read_page | awk -v page="$page" '
            part == 1 { drawn[$1 " " $2] = 1; next }
            !(($1 " " $2) in drawn) { if (told[$1 " " $2]++ == 0) print $3 " includes " $4 ": " page " does not list " $1 " -> " $2; next }
            { used[$1 " " $2] = 1 }
            END { for (edge in drawn) if (!(edge in used)) print page " lists " edge ", and no file includes so" }' part=1 - part=2 "$scratch/includes.txt"
    )
    [ -z "$wrong" ] || { echo "$wrong"; echo "(tests/structure/includes_test.sh --print . prints the list)"; return 1; }
}

check_private()
{
    local wrong
    wrong=$(list_includes | awk -v outside=" $outside " '
        index(outside, " " $1 " ") && $4 ~ /^src\// && $4 !~ /^src\/text\// { print $3 ": " $1 " includes a private header: " $4 }')
    [ -z "$wrong" ] || { echo "$wrong"; return 1; }
}

check_lengths()
{
    local wrong
    wrong=$(find src -type f \( -name '*.c' -o -name '*.h' \) | sort | xargs awk -v longest="$longest" '
        FNR == 1 { if (lines > longest && !excused) print file ": " lines " lines; split it, or say why at its top: // Over " longest " lines: REASON"
                   file = FILENAME; excused = 0 }
        FNR <= 10 && $0 ~ "^// Over " longest " lines: [^ ]" { excused = 1 }
        { lines = FNR }
        END { if (lines > longest && !excused) print file ": " lines " lines; split it, or say why at its top: // Over " longest " lines: REASON" }')
    [ -z "$wrong" ] || { echo "$wrong"; return 1; }
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "$1" = --print ]; then
    cd "$2"
    print_list
    exit
fi
cd "$1"

passed=0 failed=0
report() # STATUS NAME
{
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        echo "ok      $2"
    else
        failed=$((failed + 1))
        sed 's/^/    /' "$scratch/log.txt"
        echo "FAILED  $2"
    fi
}

check() # NAME CHECK
{
    local status=0
    "$2" >"$scratch/log.txt" 2>&1 || status=$?
    report $status "$1"
}

# The check fails on a copy of the tree in which the command has spoilt FILE, for that reason, not given before.
must_fail() # NAME CHECK REASON FILE COMMAND
{
    local status=1 before=0 after=0
    (cd "$scratch/copy" && "$2") >"$scratch/before.txt" 2>&1 || before=$?
    (cd "$scratch/copy" && file=$4 bash -euc "$5")
    (cd "$scratch/copy" && "$2") >"$scratch/log.txt" 2>&1 || after=$?
    if [ "$after" -ne 0 ] && grep -qF -- "$3" "$scratch/log.txt" && ! grep -qF -- "$3" "$scratch/before.txt"; then
        status=0
    else
        echo "before: exit $before, after: exit $after; wanted: $3" >>"$scratch/log.txt"
    fi
    cp "$4" "$scratch/copy/$4"
    report $status "$1"
}

check every_header_included_is_there check_found
check folders_include_each_other_in_no_circle check_cycles
check folders_include_what_the_page_lists_and_no_more check_page
check what_is_outside_src_includes_no_private_header check_private
check files_of_src_are_no_longer_than_500_lines check_lengths

mkdir "$scratch/copy"
{ list_sources; echo "$page"; } | tar -c -T - | tar -x -C "$scratch/copy"
must_fail a_cycle_is_found check_cycles 'circle: ' src/math/vec.h 'echo "#include \"world/internal.h\"" >>$file'
must_fail a_cycle_of_two_is_found check_cycles 'engine' src/engine/engine.h 'echo "#include \"engine/particle/particle.h\"" >>$file'
must_fail an_edge_that_is_not_listed_is_found check_page 'does not list scene -> geometry' src/scene/scene.h \
    'echo "#include \"geometry/mesh.h\"" >>$file'
must_fail a_listed_edge_that_is_not_there_is_found check_page 'lists math world, and no file includes so' "$page" \
    'sed -i "/^<!-- includes/,/^<!-- .includes/ s/^math  *->/& world/" $file'
must_fail a_private_header_is_found check_private 'bench includes a private header: src/math/vec.h' bench/metrics.c \
    'echo "#include \"math/vec.h\"" >>$file'
must_fail a_private_header_by_path_is_found check_private 'samples includes a private header: src/base.h' samples/first.c \
    'echo "#include \"../src/base.h\"" >>$file'
must_fail a_header_from_nowhere_is_found check_found 'no such header in the tree: geometry/none.h' src/world/world.c \
    'echo "#include \"geometry/none.h\"" >>$file'
must_fail a_long_file_is_found check_lengths 'src/math/vec.h: ' src/math/vec.h 'yes "// more" | head -n 600 >>$file'
must_fail a_reason_needs_words check_lengths 'src/math/vec.h: ' src/math/vec.h \
    'sed -i "1i // Over 500 lines:" $file; yes "// more" | head -n 600 >>$file'
excused()
{
    local file=$scratch/copy/src/math/vec.h
    { echo '// Over 500 lines: it is a test'; cat src/math/vec.h; seq 600 | sed 's,^,// ,'; } >"$file"
    ! (cd "$scratch/copy" && check_lengths) | grep -F src/math/vec.h
}
check a_reason_in_words_excuses excused

echo "cases: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
