#!/usr/bin/env bash
# The form of the pages: lines of at most 120 characters, links that lead somewhere, a README in each top folder, every page in
# the site's menu; a README of at most 120 lines with tables of at most seven columns; and sentences of at most 35 words on
# the pages that users read.
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

readonly README_LINES=120 README_COLUMNS=7 SENTENCE_WORDS=35
readonly USER_PAGES=(README.md docs/{install,python,scenes,view,benchmark,extended,formats,results,limits}.md)

find_long_readme() # PAGE
{
    local lines
    lines=$(wc -l <"$1")
    [ "$lines" -le $README_LINES ] || echo "$1: $lines lines"
}

find_wide_tables() { python3 scripts/sentences.py --columns $README_COLUMNS "$1"; }          # PAGE
find_long_sentences() { python3 scripts/sentences.py --longer-than $SENTENCE_WORDS "$@"; } # PAGE...

# Pages that the site's menu lacks: by name, or by their folder.
find_pages_without_menu() # MENU
{
    local page
    for page in docs/*.md docs/*/*.md docs/leaderboard/index.html docs/notebooks/*.ipynb; do
        page=${page#docs/} page=${page/%.ipynb/.md}
        [ "$page" = README.md ] && page=pages.md
        grep -qE "(- |: )($page|${page%/*}/)\$" "$1" || echo "$1: not in the menu: $page"
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
check every_page_is_in_the_menu find_pages_without_menu mkdocs.yml
check readme_has_at_most_120_lines find_long_readme README.md
if command -v python3 >/dev/null; then
    check readme_has_tables_of_at_most_7_columns find_wide_tables README.md
    check sentences_have_at_most_35_words find_long_sentences "${USER_PAGES[@]}"
fi

# The checks see what they are there for.
mkdir -p "$scratch/bad"
printf '%0121d\n\n| %0121d |\n\n```output\n%0121d\n```\n' 1 1 1 >"$scratch/bad/long.md"
printf '[here](long.md) [gone](gone.md#there)\n' >"$scratch/bad/link.md"
must_print a_long_line_is_found '^.*long.md:1: 121 characters$' find_long_lines "$scratch/bad/long.md"
only_one() { [ "$(find_long_lines "$scratch/bad/long.md" | wc -l)" -eq 1 ] || echo "tables or output count"; }
check tables_and_output_do_not_count only_one
find docs -name '*.md' -printf '      - %P\n' | grep -v '/view.md$\|- view.md$' >"$scratch/bad/menu.yml"
must_print a_page_without_menu_is_found 'not in the menu: view.md' find_pages_without_menu "$scratch/bad/menu.yml"
seq 121 >"$scratch/bad/readme.md"
must_print a_long_readme_is_found 'readme.md: 121 lines' find_long_readme "$scratch/bad/readme.md"
if command -v python3 >/dev/null; then
    words() { printf "word%.0s $2" $(seq "$1"); } # COUNT BETWEEN
    { words 30 ''; printf 'and\nthen go on, `with code` and a\n[link](to/nowhere.md) more.\n\n- '; words 35 ''; printf 'Short. And `more`.\n'; } >"$scratch/bad/words.md"
    must_print a_long_sentence_is_found 'words.md:1: 40 words: word' find_long_sentences "$scratch/bad/words.md"
    must_print a_long_point_is_found 'words.md:5: 36 words: word' find_long_sentences "$scratch/bad/words.md"
    { words 40 '' | sed 's/^/| /'; printf '\n\n```sh\n'; words 40 ''; printf '\n```\n\n'; words 35 ''; printf '\n'; } >"$scratch/bad/fine.md"
    check tables_code_and_35_words_are_fine find_long_sentences "$scratch/bad/fine.md"
    printf 'x\n| 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 |\n|---|---|---|---|---|---|---|---|\n\n| 1 | 2 | 3 | 4 | 5 | 6 | 7 |\n' >"$scratch/bad/wide.md"
    must_print a_wide_table_is_found 'wide.md:2: 8 columns' find_wide_tables "$scratch/bad/wide.md"
fi
must_print a_dead_link_is_found 'no such file: gone.md' find_dead_links "$scratch/bad/link.md"

echo "cases: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
