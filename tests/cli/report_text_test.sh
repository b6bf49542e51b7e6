#!/usr/bin/env bash
# Nothing that stands in a study's file acts: not in gnuplot's script, not in the page, not in a terminal. Without gnuplot;
# report_figures_test.sh tries the true one.
#
#     report_text_test.sh PBDR
set -u
pbdr=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/expect.sh"
. "$here/report_fixtures.sh"

make_stand_in stand_in
export PATH="$scratch/stand_in:$PATH"
make_results small

# What stands in a file is text, wherever it gets. Free text is escaped: in the page and in the Markdown tables.
markup='1<img src=x onerror=alert(1)> (x'
# FILE COLUMN TEXT: spoilt/ is the small results, but for the last line of a file that has this text in that column
cp -r small spoilt
spoil()
{
    [ -z "${spoilt:-}" ] || cp "small/$spoilt.csv" spoilt/
    spoilt=$1
    awk -F, -v column="$2" -v text="$3" 'BEGIN { OFS = "," } NR == 1 { for (k = 1; k <= NF; k++) if ($k == column) c = k; from = NF }
        { line[NR] = $0 } END { for (k = 1; k < NR; k++) print line[k]
            gsub(/"[^"]*"/, "words", line[NR]); $0 = line[NR]; $c = "\"" text "\""; print }' "small/$1.csv" >"spoilt/$1.csv"
}
mkdir free && cp small/*.csv free/
for file in tests budget sweep time trajectory resolution-contact resolution-inertia stills ablation; do
    awk -F, -v text="$markup" 'BEGIN { OFS = "," } NR > 1 { sub(/"a=1, b<2"/, "words"); $15 = $20 = $21 = "\"" text "\"" } { print }' small/$file.csv >free/$file.csv
done
check markup__is_where_the_test_wants_it test "$(head -n 1 free/tests.csv | cut -d, -f15,20,21)" = engine,settings,problem
expect markup__is_text 0 "" "$pbdr" report --results free --out free_page
check markup__is_escaped_in_the_page bash -c 'grep -q "1&lt;img src=x" free_page/report.html && ! grep -qi "<img" free_page/report.html'
check markup__is_escaped_in_markdown bash -c 'grep -q "1&lt;img src=x" free_page/tables/settings.md && ! grep -rqi "<img" free_page --include="*.md"'
# Names are refused by file, line and column, before anything is drawn.
refused=0 wanted=0
while read -r file columns; do
    markup_once=yes # for the first column of each file; they are checked alike
    for column in ${columns//,/ }; do
        for text in '`>owned`' ${markup_once:+"$markup"}; do
            spoil "$file" "$column" "$text"
            wanted=$((wanted + 1))
            if "$pbdr" report --results spoilt --out spoilt_page 2>err; then
                echo "    $file.csv: column '$column' took $text"
            elif ! grep -qF "spoilt/$file.csv:$(wc -l <spoilt/"$file".csv): column '$column': '$text' is no name" err; then
                echo "    $file.csv: column '$column': $(cat err)"
            else
                refused=$((refused + 1))
            fi
        done
        markup_once=
    done
done <<'COLUMNS'
tests solver,precision,masses,ablate,outcome
budget solver,precision
sweep solver,precision
time solver,precision,masses,ablate,outcome
trajectory solver,precision
resolution-contact solver,precision
resolution-inertia solver,precision,masses
ablation solver,ablate
resolution-inertia_series solver,precision,masses
trajectory_series solver,precision,masses
trajectory_reference reference
ablation_table solver,ablate,quantity
budget_table solver,unit,kind,state
extended solver,outcome,answer
stills_series solver,precision
stills_shape kind
COLUMNS
check names__that_act_are_refused test "$refused" -eq "$wanted" -a "$wanted" -eq 59
check names__leave_no_page test ! -e spoilt_page/report.html
check names__run_nothing bash -c '! find . -name owned | grep .'
spoil time precision "$(printf 'f32\033]0;title\007')"
expect escape_sequence__is_refused 1 "spoilt/time.csv:$(wc -l <small/time.csv): column 'precision': 'f32?]0;title?' is no name" "$pbdr" report --results spoilt --out spoilt_page
check escape_sequence__does_not_reach_the_terminal bash -c '! LC_ALL=C grep -q "[[:cntrl:]]" err'
spoil time solver ""
expect empty_solver__is_refused 1 "column 'solver': '' is no name" "$pbdr" report --results spoilt --out spoilt_page
finish
