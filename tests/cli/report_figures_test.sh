#!/usr/bin/env bash
# pbdr report with gnuplot: every figure is drawn and stands in the page, and no text of a file gets into a script.
#
#     report_figures_test.sh PBDR [RESULTS]    RESULTS: a folder of pbdr study's files instead of the small ones made here
set -u
pbdr=$(realpath "$1")
results=${2:-}
[ -z "$results" ] || results=$(cd "$results" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/expect.sh"
. "$here/report_fixtures.sh"

if ! command -v gnuplot >/dev/null; then
    echo "SKIPPED  the report's figures: gnuplot is missing (Debian: gnuplot-nox)"
    exit 77 # CTest's word for a skipped test
fi
make_results small
results=${results:-small}

expect report__makes_the_page 0 "" "$pbdr" report --results "$results" --out page
for figure in all_exp_position all_exp_rotation sweep_position sweep_rotation time trajectory_n3 trajectory_n10 \
    trajectory_xpbdr_n3 trajectory_xpbdr_n10 trajectory_mujoco contact_position contact_rotation contact_dynamic_position contact_dynamic_rotation \
    rotation_test2 rotation_test5 masses_test2 masses_test5; do
    check "figure__$figure" test -s page/figures/$figure.svg -a -s page/figures/$figure.png -a -s page/figures/$figure.gp
    check "page__inlines_$figure" grep -q "id=[\"']${figure}_" page/report.html
done
check page__weighs_under_5_MB test "$(wc -c <page/report.html)" -lt 5000000
check page__repeats_no_id bash -c '! grep -o " id=[\"'\''][^\"'\'']*" page/report.html | sort | uniq -d | grep .'
check gnuplot__complains_of_nothing bash -c '! grep -i -e warning -e error err'
check figures__have_their_legends bash -c 'grep -q ">PBD-R, reduced, f64<" page/figures/time.svg && grep -q ">XPBD-R<" page/figures/all_exp_position.svg &&
    grep -q ">PBD-R<" page/figures/sweep_position.svg && grep -q ">PBD-R<" page/figures/contact_position.svg'
check script__runs_again_where_it_lies bash -c 'cd page/figures && rm time.svg && gnuplot time.gp && test -s time.svg'

cp -r small diverged && sed -i '2,$s/,measured,/,diverged,/' diverged/*.csv
expect all_diverged__still_makes_the_page 0 "" "$pbdr" report --results diverged --out diverged_page

# A solver that the report does not know has its name in the legends, but no script has it: names are data.
cp -r small plugin && sed -i '2,$s/,mujoco,/,my_solver:x_1,/' plugin/*.csv
expect unknown_solver__is_drawn 0 "" "$pbdr" report --results plugin --out plugin_page
check unknown_solver__stands_on_the_page grep -q "my_solver:x_1" plugin_page/report.html
check unknown_solver__is_in_the_legends bash -c 'for f in time all_exp_position sweep_position; do grep -q ">my_solver:x_1<" plugin_page/figures/$f.svg || exit 1; done'
check unknown_solver__is_in_no_script bash -c '! grep -l my_solver plugin_page/figures/*.gp'

# What would run in gnuplot's strings
for column in precision solver; do
    rm -rf shell && cp -r small shell
    [ $column = precision ] && sed -i '2,$s/,f32,/,`>owned`,/' shell/time.csv || sed -i '2,$s/,mujoco,/,`>owned`,/' shell/*.csv
    expect "shell_in_${column}__is_refused" 1 "column '$column': '\`>owned\`' is no name" "$pbdr" report --results shell --out shell_page
    check "shell_in_${column}__runs_nothing" bash -c '! find . -name owned | grep .'
done
finish
