#!/usr/bin/env bash
# Writes the tables of measured numbers into README.md and docs/*.md, from the results in bench/results/.
#
#     scripts/pages.sh                  run the commands that the tables name, then write the tables
#     scripts/pages.sh --from-results   write the tables from the results that are there
#     scripts/pages.sh --check          fail, and show the difference, where a page is not what the results say
#
# A table, or a line of text with numbers in it, stands between two lines of its page:
#
#     <!-- table: NAME, COMMAND -->
#     <!-- end -->
#
# NAME is one of the functions table_NAME of tables.sh and table_*.sh; COMMAND makes what it reads,
# into bench/results/. A study that is stopped goes on at the next call; after a whole run its log is removed, so that the
# next one measures anew.
# What is not in bench/results/ stands in no table: a table outside of such marks holds definitions.
# PBDR_ROOT=/folder takes pages and results from there (the test does).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${PBDR_ROOT:-$(dirname "$0")/..}"
results=bench/results
shopt -s nullglob # a copy to try things on may have no docs/theory/
pages=(README.md docs/*.md docs/theory/*.md docs/project/*.md)

say() { printf 'pages: %s\n' "$*" >&2; }
. "$here/tables.sh"
. "$here/table_extended.sh"
. "$here/table_many.sh"
. "$here/table_joints.sh"
. "$here/table_paper.sh"

# --- Pages ---

readonly MARK='<!-- table: '

list_commands() # every command once, in the order of the pages; && stands between those of a table
{
    grep -h "^$MARK" "${pages[@]}" | sed 's/^<!-- table: [^,]*, \(.*\) -->$/\1/; s/ && /\n/g' | awk '!seen[$0]++'
}

# PAGE: the page as the results have it, on stdout
render()
{
    local line name inside=
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
            "$MARK"*)
                [ -z "$inside" ] || { say "$1: '$line' stands in table '$inside'; <!-- end --> is missing"; return 1; }
                name=${line#"$MARK"} name=${name%%,*}
                [[ $line == *', '*' -->' ]] || { say "$1: '$line' names no command"; return 1; }
                [ "$(type -t "table_$name")" = function ] || { say "$1: there is no table '$name'"; return 1; }
                inside=$name
                printf '%s\n' "$line"
                "table_$name" || { say "$1: table '$name' cannot be made"; return 1; }
                ;;
            '<!-- end -->')
                [ -n "$inside" ] || { say "$1: <!-- end --> without a table"; return 1; }
                inside=
                printf '%s\n' "$line"
                ;;
            *) [ -n "$inside" ] || printf '%s\n' "$line" ;;
        esac
    done <"$1"
    [ -z "$inside" ] || { say "$1: table '$inside' has no <!-- end -->"; return 1; }
}

mode=${1:-run}
case $mode in
    run | --from-results | --check) ;;
    *) say "unknown option '$mode'; there are --from-results and --check"; exit 2 ;;
esac
if [ "$mode" = run ]; then
    while IFS= read -r command; do
        say "$command"
        begun=$SECONDS
        # the table that make bench prints is kept
        [ "$command" != "make bench" ] || command="make bench ARGS='--table $results/bench.md'"
        bash -c "$command" >&2 </dev/null || { say "failed: $command"; exit 1; }
        say "took $((SECONDS - begun)) s, of $SECONDS s since the start"
    done < <(list_commands)
    rm -f "$results"/*.log "$results"/study.lock
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
for page in "${pages[@]}"; do
    render "$page" >"$scratch/page" || { status=1; continue; }
    cmp -s "$page" "$scratch/page" && continue
    if [ "$mode" = --check ]; then
        say "$page is not what the results say; make pages writes it anew (scripts/pages.sh --from-results: from the results that are there)"
        diff "$page" "$scratch/page" >&2 || true
        status=1
    else
        cat "$scratch/page" >"$page"
        say "$page"
    fi
done
exit $status
