#!/usr/bin/env bash
# pbdr report without gnuplot: every part is on the page, what is missing is named, damaged files are refused by file and line.
# report_text_test.sh has text that would act, report_figures_test.sh draws.
#
#     report_test.sh PBDR
set -u
pbdr=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/expect.sh"
. "$here/report_fixtures.sh"

make_stand_in stand_in
export PATH="$scratch/stand_in:$PATH"
make_results small

expect small__makes_the_page 0 "" "$pbdr" report --results small --out small_page
for part in summary drawings tests stills budget sweep time trajectory contact rotation ablation extended settings; do
    check "page__has_part_$part" grep -q "<section id=\"$part\">" small_page/report.html
done
for table in all_exp_position all_exp_rotation tilt budget_test1 budget_test7 budget_test7_turn sweep time trajectory contact contact_cases rotation ablation extended extended_position extended_time settings solvers; do
    check "table__$table" test -s small_page/tables/$table.md -a -s small_page/tables/$table.csv
done
for figure in drawing_test1 drawing_test2 drawing_test3 drawing_test4 drawing_test5 drawing_test6 drawing_test7_above drawing_test7_side stills; do
    check "figure__${figure}_is_well_formed" is_well_formed small_page/figures/$figure.svg
    check "page__inlines_$figure" grep -q "id=[\"']${figure}_" small_page/report.html
done
check page__loads_nothing bash -c '! grep -Eiq "(src|href) *= *[\"'\'']?(http|//)|url\( *[\"'\'']?http|@import|<script|<link" small_page/report.html'
check page__has_the_papers_ablation grep -q 135.85 small_page/report.html
check page__names_each_command bash -c 'for s in tests stills budget sweep time trajectory resolution-contact resolution-inertia ablation extended; do
    grep -q "pbdr study $s &amp;&amp; pbdr report" small_page/report.html || exit 1; done'
check page__leaves_no_temporary_file bash -c '[ "$(ls small_page)" = "figures
report.html
tables" ]'

# Results of before the paper's solver was called pbd-r, and XPBD-R's engine xpbdr: the same tables
cp -r small before && sed -i -E 's/(^|,)pbd-r,/\1pbdr,/; s/,xpbdr,xpbdr,/,xpbdr,reduced,/' before/*.csv
check before__has_the_old_names bash -c 'grep -q "^7,pbdr,m," before/budget_table.csv && grep -q "pbdr,reduced,f64" before/time.csv && grep -q "xpbdr,reduced,f64" before/time.csv'
expect before__makes_the_page 0 "" "$pbdr" report --results before --out before_page
check before__has_the_same_tables diff -r small_page/tables before_page/tables

# Replays: the page holds the player once, and the data of each; text in them stays text
mkdir -p replays_page/replays
for test in 1 4; do
    "$pbdr" view --test 1 --duration 0.05 --template "$here/../web/template.html" -o replays_page/replays/test$test.html >/dev/null
done
echo '<p>no replay</p>' >replays_page/replays/test7.html
expect replays__make_the_page 0 "" "$pbdr" report --results small --out replays_page
check replays__are_held bash -c 'p=replays_page/report.html; grep -q "<section id=\"replays\">" $p && [ "$(grep -c "id=\"replay-page\"" $p)" = 1 ] &&
    grep -q "id=\"replay-1\">{" $p && grep -q "id=\"replay-4\">{" $p && ! grep -q "id=\"replay-7\"" $p'
check replays__end_no_script_early bash -c '[ "$(grep -o "</script>" replays_page/report.html | wc -l)" = 4 ]'
check replays__are_not_there_unasked bash -c '! grep -q "replay-page" small_page/report.html'

check extended__shows_how_far_figures_are_off bash -c 'grep -q "^9 push that friction cannot hold,distance \[m\],0.196,0,0.0990 (wrong: 1 of 2),-$" small_page/tables/extended.csv'
check extended__shows_a_figure_without_a_reference grep -q "^27 arch that falls,drop of the keystone \[m\],-,0.473,-,-$" small_page/tables/extended.csv
check extended__says_what_is_not_supported bash -c 'grep -q "^15 bouncing ball,.*,not supported$" small_page/tables/extended.csv && grep -q "<li>PBD: not supported: restitution, &lt;b&gt;none&lt;/b&gt;</li>" small_page/report.html'
check extended__shows_the_time grep -q "^27 arch that falls,1400,-,-$" small_page/tables/extended_time.csv
check small__shows_the_divergence grep -q "diverged at 1.25 s" small_page/report.html
check small__shows_what_is_not_supported grep -q "not supported" small_page/report.html
check small__names_the_solvers_without_a_bar grep -q "In the tables only, without a bar: MuJoCo (4 x 4 feet)\." small_page/report.html
check small__names_the_largest_part grep -q "largest part is the integrator's floor in MuJoCo (tuned): 67&nbsp;%; contact and solver in PBD-R: 75&nbsp;%\." small_page/report.html
check small__sees_parts_cancel grep -q "that of MuJoCo (tuned), 1.00e-3 m, in which parts of opposite signs cancel" small_page/report.html
check small__says_what_has_no_split grep -q "PBD diverged: no split. MuJoCo (paper's settings) tumbled: no split" small_page/report.html
check small__marks_seeds_left_out grep -q "1 of 3 tumbled" small_page/tables/budget_test1.md
check small__counts_sliding_cells grep -q "^PBD-R,.*,0 of 3$" small_page/tables/sweep.csv
cp -r small tumbling && awk -F, -v OFS=, '$14 == "mujoco" && $6 == 0.4 { sub(/,0\.5,/, ",31,") } { print }' small/sweep.csv >tumbling/sweep.csv
expect tumbling__makes_the_page 0 "" "$pbdr" report --results tumbling --out tumbling_page
check tumbling__is_counted_where_the_box_slides grep -q "^MuJoCo (paper's settings),.*,1 of 3$" tumbling_page/tables/sweep.csv
# XPBD-R and the reduced engine beside the paper's
check small__bars_name_errors_below_the_axis bash -c 'grep -q " 7e-13$" small_page/figures/all_exp_position.dat && grep -q "drawn as a dot at the foot of the axis, with the value over it" small_page/report.html'
check small__claims_the_worst_error grep -q "XPBD-R's worst final error in tests 1 to 6.*up to 6.00e-13 m (test 6) and 6.00e-9 deg (test 6); PBD-R: up to 0.0200 m" small_page/report.html
check small__claims_the_cost_at_a_million grep -q "XPBD-R's cost with 1000000 spheres.*0.200 μs per substep on one core, 2.00e-4 ns per sphere; with 1000 spheres 0.110 μs, against 100 μs of PBD-R on particles" small_page/report.html
check small__time_tells_engines_apart grep -q "^spheres,\"PBD-R, particles, f32 \[μs\]\",.*\"PBD-R, reduced, f64 \[μs\]\",.*\"XPBD-R, f64 \[μs\]\"" small_page/tables/time.csv
check small__time_leaves_out_what_did_not_run grep -q "^1000000,-,-,-,100,0.100,20.0,0.200," small_page/tables/time.csv
given=$(awk -F, '$1 == "pbd-r" && $2 == 1000 { print $3 }' "$here/../../report/data/h200.csv")
check small__time_has_the_given_figures bash -c 'test -n "$1" && grep -q "^1000,.*,$1$" small_page/tables/time.csv && grep -q "one scene, latency bound" small_page/report.html' - "$given"
check report__has_no_such_figure_in_its_code bash -c '! grep -nE "\b(404|492|1819|13347|77022|135\.85|3\.95|1906)\b" "$1"/../../report/*.c "$1"/../../scripts/cost.sh' - "$here"
check ablation__has_the_printed_values bash -c 'grep -q "^velocity update,position \[m\],1.00e-3,2e-4,1.25,1.33,0.500,0.32,5000,310," small_page/tables/ablation.csv && grep -q "^angular momentum,rotation \[deg\],.*,135.85,.*,64.74,.*,1906," small_page/tables/ablation.csv' - "$here"
# Where the paper's result is not reproduced the page says so, and why; where it is, it does not
check ablation__reproduced_is_not_denied bash -c 'grep -q "^velocity update,position \[m\],.*,reproduced$" small_page/tables/ablation.csv && grep -q "^angular momentum,rotation \[deg\],.*,not reproduced$" small_page/tables/ablation.csv'
check ablation__angular_is_not_reproduced bash -c 'grep -q "Not reproduced: angular momentum" small_page/report.html && grep -q "rotation \[deg\]: 1.50, mean 90.0 times PBD-R.s; not reproduced" small_page/report.html &&
    grep -q "A symmetric, axis-aligned box hides even that" small_page/report.html'
check ablation__spread_of_the_seeds_is_told grep -q "no particular number: 0.200 to 5.00 deg over 2 seeds" small_page/report.html
check bunny__of_pbd_is_not_reproduced_if_it_diverges bash -c '! grep -q "bunny (tests 4 to 6).*not reproduced" small_page/report.html' # it has no error to compare
cp -r small rod && sed -i 's/^7,1,4,4,\(.*\),pbd,\(.*\),diverged,\(.*\),64,1.25,,,/7,1,4,4,\1,pbd,\2,measured,\3,64,,0.0149,0.1,/' rod/tests.csv
expect rod__makes_the_page 0 "" "$pbdr" report --results rod --out rod_page
check rod__pbd_is_not_reproduced bash -c 'grep -q "Not reproduced: PBD.s Test 7" rod_page/report.html && grep -q "not reproduced: PBD ends 0.0149 m off, PBD-R 0.0150 m" rod_page/report.html'
sed -i 's/,64,,0.0149,0.1,/,64,,1.5,0.1,/' rod/tests.csv
expect rod__makes_the_other_page 0 "" "$pbdr" report --results rod --out rod_page
check rod__pbd_that_drifts_is_reproduced bash -c '! grep -q "Not reproduced: PBD.s Test 7" rod_page/report.html && grep -q "yes: PBD ends 1.50 m off, PBD-R 0.0150 m" rod_page/report.html'
# For narrow screens: settings folded, a cue where tables scroll, errors below the axis as dots
check page__folds_the_settings bash -c 'tr "\n" " " <small_page/report.html | grep -q "<details> <summary>The settings.*id=\"table-settings\".*id=\"table-solvers\".*</details>"'
check page__has_a_cue_where_tables_scroll bash -c 'grep -q "class=\"scroll many\" tabindex" small_page/report.html && grep -q "Scroll sideways" small_page/report.html'
check page__draws_dots_below_the_axis bash -c 'grep -q "with points pt 7" small_page/figures/all_exp_position.gp && ! grep -q "^[0-9.]* 1.35e-06 " small_page/figures/all_exp_position.dat'
check small__rotation_tells_masses_apart grep -q "^\"2 box, torque\",27,3.00,-,0.113,3.00e-11," small_page/tables/rotation.csv
check small__rotation_over_time_has_the_papers_masses_alone bash -c '! grep -q -e "0\.77" -e "0\.88" small_page/figures/rotation_test2.dat'
check small__sweep_has_a_floor grep -q "10<sup>-12</sup> and less is black" small_page/report.html
check small__settings_tell_ways_apart bash -c 'grep -q "^time,pbd-r,particle,f32,uniform,2,1," small_page/tables/settings.csv && grep -q "^time,pbd-r,reduced,f64,uniform,3,1," small_page/tables/settings.csv &&
    grep -q "^time,xpbdr,xpbdr,f64,exact,3,1," small_page/tables/settings.csv && grep -q "^time,mujoco,engine 1,f64,-,1,1," small_page/tables/settings.csv'
check small__budget_splits_nothing_tiny grep -q "<p>Too little to split, below 1e-6 in all: XPBD-R. The smallest total is that of XPBD-R, 9.00e-13 m. " small_page/report.html
check small__budget_has_dashes_for_xpbdr grep -q "| XPBD-R | 9.00e-13 (8.0e-13 to 1.0e-12) | - | 0 | - | 9.00e-13 |" small_page/tables/budget_test3.md
check small__escapes_text grep -q "a=1, b&lt;2" small_page/report.html

# The drawings' numbers are the catalogue's
drawn() { check "drawing__test$1_shows_$3" grep -qF -- "$3" "small_page/figures/drawing_test$1$2.svg"; }
for n in 1 2 3; do
    "$pbdr" export --test $n --format json -o scene.json
    mass=$(sed -n 's/.*"mass_kg": *\([0-9.]*\).*/\1/p' scene.json | head -n 1)
    friction=$(sed -n 's/.*"friction": *\([0-9.]*\).*/\1/p' scene.json | head -n 1)
    check "drawing__test${n}_has_values_to_compare" test -n "$mass" -a -n "$friction"
    drawn $n "" "= $mass kg"
    drawn $n "" "= $(printf %g "$friction")<"
done
drawn 1 "" "= 17 N" && drawn 2 "" "= 0.01 N m" && drawn 3 "" "= π/8 = 22.5°"
drawn 4 "" "= 10 N" && drawn 5 "" "= 2.18 kg" && drawn 6 "" "= 0.06441 m/s²"
drawn 7 _above "²/40 m" && drawn 7 _above "= 0.02 m" && drawn 7 _side "= 0.01 m"

# Stills: a column per time, what each shows, and what is said where the shape is missing
check stills__show_tilt_and_time bash -c 'grep -q "> = 2.0 s, .*> = 2.0 m<" small_page/figures/stills.svg && grep -q "tilt 90°" small_page/figures/stills.svg'
check stills__draw_the_spheres test "$(grep -o '<circle' small_page/figures/stills.svg | wc -l)" -ge 6
mkdir shapeless && cp small/stills.csv small/stills_series.csv shapeless
expect missing_shape__is_named 0 "shapeless/stills_shape.csv: there is no such file" "$pbdr" report --results shapeless --out shapeless_page
check missing_shape__names_the_command grep -q "make it with: pbdr study stills" err
check missing_shape__stands_on_the_page grep -q "shapeless/stills_shape.csv.*pbdr study stills" shapeless_page/report.html
check missing_shape__draws_all_the_same is_well_formed shapeless_page/figures/stills.svg
check missing_shape__draws_the_tests is_well_formed shapeless_page/figures/drawing_test5.svg
# NAME FILE SED TEXT: stills that are damaged are refused by file, line and column
refuse()
{
    mkdir "$1" && cp small/stills*.csv "$1" && sed -i "$3" "$1/$2.csv"
    expect "$1__names_file_line_column" 1 "$1/$2.csv:$4" "$pbdr" report --results "$1" --out "$1_page"
    check "$1__leaves_no_page" test ! -e "$1_page/report.html"
}
refuse still_number stills_series '3s/0.07/0.0x7/' "3: column 'z_m': '0.0x7' is no number"
refuse still_empty stills_series '3s/,0.07,/,,/' "3: column 'z_m': nan cannot be drawn"
refuse still_quaternion stills_series '3s/1,0,0,0$/1,1,0,0/' "3: column 'qw': not of a unit quaternion"
refuse still_far stills_series '3s/0.07/1e99/' "3: column 'z_m': 1e+99 cannot be drawn"
refuse shape_index stills_shape 's/^triangle,0,3,1,/triangle,0,4,1,/' "7: column 'b'"
refuse shape_kind stills_shape 's/^sphere/cone/' "10: column 'kind'"
refuse shape_radius stills_shape '11s/0.03/-1/' "11: column 'radius_m'"

mkdir empty
expect missing_files__are_named 0 "empty/sweep.csv" "$pbdr" report --results empty --out empty_page
check missing_files__stand_on_the_page grep -q "empty/ablation_table.csv.*pbdr study ablation" empty_page/report.html
cp -r small column && sed -i 1s/us_per_substep/us/ column/time.csv
expect missing_column__is_named 0 "column/time.csv:1: there is no column 'us_per_substep'" "$pbdr" report --results column --out column_page
expect missing_folder__fails 1 "nowhere" "$pbdr" report --results nowhere --out nowhere_page
check missing_folder__leaves_no_page test ! -e nowhere_page/report.html

cp -r small number && sed -i '3s/,10,0.001,/,10,0.0x1,/' number/sweep.csv
expect damaged_number__names_file_line_column 1 "number/sweep.csv:3: column 'dt_s': '0.0x1'" "$pbdr" report --results number --out number_page
check damaged_number__leaves_no_page test ! -e number_page/report.html
check damaged_number__draws_nothing_first test ! -e number_page/figures
cp -r small cut && head -c -40 small/tests.csv >cut/tests.csv
expect cut_line__names_file_and_line 1 "cut/tests.csv:$(wc -l <small/tests.csv): " "$pbdr" report --results cut --out cut_page
cp -r small zero && printf 'a\0b' >>zero/time.csv
expect zero_byte__is_refused 1 "zero/time.csv:" "$pbdr" report --results zero --out zero_page
cp -r small blank && : >blank/time.csv
expect empty_file__is_refused 1 "blank/time.csv:1: the file is empty" "$pbdr" report --results blank --out blank_page

mkdir no_gnuplot
expect missing_gnuplot__names_the_package 1 "gnuplot-nox" env PATH="$scratch/no_gnuplot" "$pbdr" report --results small --out no_gnuplot_page
expect unknown_option__is_refused 2 "--frobnicate" "$pbdr" report --frobnicate 1
finish
