#!/usr/bin/env bash
# The form of the pages: lines of at most 120 characters, links that lead somewhere, a README in each top folder.
#
#     tests/docs/form_test.sh SOURCE_DIR
#
# Tables and blocks of output may be wider: they are read as a whole, or they are what a command prints.
set -euo pipefail
export LC_ALL=C.UTF-8

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
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

list_pages() { ls README.md docs/*.md docs/*/*.md ./*/README.md bench/results/README.md | grep -v '^./build' | sed 's,^\./,,'; }

# Lines that are too long, outside of tables, marked tables and output.
find_long_lines() # PAGE
{
    local line number=0 skip= fence=
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        case $line in
            '<!-- table:'*) skip=marked ;;
            '<!-- end'*) skip= ;;
            *'```output'*) fence=output ;;
            *'```'*) fence= ;;
        esac
        if [ "${#line}" -gt 120 ] && [ -z "$skip$fence" ] && [[ $line != '|'* ]]; then
            echo "$1:$number: ${#line} characters"
        fi
    done <"$1"
}

# Links to files, and to headings of pages, that are not there. Links to the web are not tried.
find_dead_links() # PAGE
{
    local target file
    { grep -oE '\]\([^)]+\)' "$1" || true; } | sed 's/^](//; s/)$//' | while IFS= read -r target; do
        case $target in *://*) continue ;; esac
        file=${target%%#*}
        [ -z "$file" ] || [ -e "$(dirname "$1")/$file" ] || echo "$1: no such file: $target"
    done
}

# Pages that sources and scripts name: docs/NAME.md.
find_dead_names()
{
    { grep -rnoE 'docs/[a-z_/-]+\.md' include src bench cli report draw samples scripts tests Makefile --include='*.[ch]' \
        --include='*.cpp' --include='*.sh' --include='*.md' --include='*.txt' --include=Makefile || true; } |
        while IFS=: read -r file line name; do
            [ -e "$name" ] || echo "$file:$line: no such page: $name"
        done
}

find_folders_without_readme()
{
    local folder
    for folder in */; do
        case $folder in build*/ | include/ | cmake/ | report-out/ | study-results/) continue ;; esac
        [ -s "${folder}README.md" ] || echo "${folder}README.md: missing"
    done
}

check() # NAME COMMAND...: passes if the command prints nothing
{
    local status=0 name=$1
    shift
    "$@" >"$scratch/log.txt" 2>&1 || status=$?
    [ ! -s "$scratch/log.txt" ] || status=1
    report $status "$name"
}

must_print() # NAME PATTERN COMMAND...
{
    local status=0 name=$1 pattern=$2
    shift 2
    "$@" >"$scratch/log.txt" 2>&1 || status=$?
    grep -qE -- "$pattern" "$scratch/log.txt" || status=1
    report $status "$name"
}

each_page() { local page; for page in $(list_pages); do "$1" "$page"; done; } # COMMAND

check lines_have_at_most_120_characters each_page find_long_lines
check links_lead_somewhere each_page find_dead_links
check pages_named_in_sources_are_there find_dead_names
check every_folder_says_what_belongs_there find_folders_without_readme

# The checks see what they are there for.
mkdir -p "$scratch/bad"
printf '%0121d\n\n| %0121d |\n\n```output\n%0121d\n```\n' 1 1 1 >"$scratch/bad/long.md"
printf '[here](long.md) [gone](gone.md#there)\n' >"$scratch/bad/link.md"
must_print a_long_line_is_found '^.*long.md:1: 121 characters$' find_long_lines "$scratch/bad/long.md"
only_one() { [ "$(find_long_lines "$scratch/bad/long.md" | wc -l)" -eq 1 ] || echo "tables or output count"; }
check tables_and_output_do_not_count only_one
must_print a_dead_link_is_found 'no such file: gone.md' find_dead_links "$scratch/bad/link.md"

echo "cases: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
