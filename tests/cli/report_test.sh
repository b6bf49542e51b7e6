#!/usr/bin/env bash
# pbdr report: every part is on the page, what is missing is named, damaged files are refused by file and line.
#
#     report_test.sh PBDR [RESULTS]    RESULTS: a folder of pbdr study's files instead of the small ones made here
set -u
pbdr=$(realpath "$1")
results=${2:-}
[ -z "$results" ] || results=$(cd "$results" && pwd) || exit 1
. "$(dirname "$0")/expect.sh"

if ! command -v gnuplot >/dev/null; then
    echo "SKIPPED  report: gnuplot is missing (Debian: gnuplot-nox)"
    exit 0
fi

header=test,seed,n,layers,radius_m,mu,force_N,mu_rod,offset_m,duration_s,dt_s,iterations,relaxation,solver,engine,precision,masses,ablate,outcome,settings,problem,particles,failed_at_s,final_position_error_m,final_rotation_error_deg,mean_position_error_m,mean_rotation_error_deg,max_tilt_deg,floor_position_m,floor_rotation_deg,quasistatic_final_position_m,quasistatic_final_rotation_deg,dynamic_tilt_final_position_m,dynamic_tilt_final_rotation_deg,us_per_substep

# TEST SEED N MU FORCE SOLVER PRECISION OUTCOME PARTICLES FAILED POSITION ROTATION [MASSES] [MICROSECONDS]: a run; of ours in double, on the reduced engine.
run()
{
    local engine="engine 1" masses=${13:-}
    case $6$7 in
        pbdf32 | pbdrf32) engine=particle masses=${masses:-uniform} ;;
        pbdrf64) engine=reduced masses=${masses:-uniform} ;;
        xpbdr*) engine=reduced masses=${masses:-exact} ;;
    esac
    echo "$1,$2,$3,$3,,$4,$5,,0.02,10,0.001,10,0.9,$6,$engine,$7,$masses,none,$8,\"a=1, b<2\",,$9,${10},${11},${12},0.1,0.1,0.5,0.001,0.1,${11},${12},${11},${12},${14:-5}"
}

make_results()
{
    local test seed n solver mu force
    mkdir -p "$1"
    {
        echo "$header"
        for test in 1 2 3 4 5 6 7; do
            for seed in 1 2; do
                run $test $seed 4 0.4 17 pbdr f32 measured 64 "" 0.0$seed 0.$seed
                run $test $seed 4 0.4 17 xpbdr f64 measured 64 "" ${test}e-13 ${test}e-9
                run $test $seed "" 0.4 17 mujoco f64 measured 0 "" 0.1 1
            done
            run $test 1 4 0.4 17 pbd f32 diverged 64 1.25 "" ""
            run $test 1 "" 0.4 17 "mujoco:feet" f64 not_supported 0 "" "" ""
        done
    } | tee "$1/budget.csv" >"$1/tests.csv"
    {
        echo "test,solver,unit,kind,state,seeds,split,tumbled,diverged,total,rounding,packing,floor,contact,total_least,total_most"
        echo "1,pbd,m,signed,diverged,3,0,0,3,,,,,,,"
        echo "1,pbdr,m,signed,split,3,3,0,0,0.02,0.003,0,0.002,0.015,0.019,0.021"
        echo "1,mujoco,m,signed,tumbled,3,0,3,0,2.5,,,,,2,3"
        echo "1,mujoco:tuned,m,signed,split,3,2,1,0,0.001,,0,0.002,-0.001,0.001,0.001"
        echo "3,xpbdr,m,signed,split,3,3,0,0,9e-13,,0,,9e-13,8e-13,1e-12"
        echo "7,pbdr,m,norm,split,3,3,0,0,0.12,1e-6,0.006,,0.124,0.12,0.12"
        echo "7,pbdr,deg,signed,split,3,3,0,0,-7.2,0,-0.2,,-7,-7.2,-7.2"
    } >"$1/budget_table.csv"
    {
        echo "$header"
        for mu in 0.1 0.4; do
            for force in 5 40; do
                run 1 1 4 $mu $force pbdr f32 measured 64 "" 0.01 0.1
                run 1 1 4 $mu $force xpbdr f64 measured 64 "" 3e-13 4e-14
                run 1 1 "" $mu $force mujoco f64 measured 0 "" 0.01 0.1
            done
        done
    } >"$1/sweep.csv"
    {
        echo "$header"
        for n in 4 10; do
            run 1 1 $n 0.4 17 pbdr f32 measured $((n * n * n)) "" 0.01 0.1 "" $((n * 10))
        done
        for n in 4 10 100; do
            run 1 1 $n 0.4 17 pbdr f64 measured $((n * n * n)) "" 0.01 0.1 "" $n
            run 1 1 $n 0.4 17 xpbdr f64 measured $((n * n * n)) "" 0.01 0.1 "" 0.$((n + 100))
        done
        run 1 1 "" 0.4 17 mujoco f64 measured 0 "" 0.01 0.1
    } >"$1/time.csv"
    {
        echo "$header"
        for n in 3 10; do
            run 7 1 $n 0.4 0 pbdr f64 measured $((n * n * n)) "" 0.$n $n
            run 7 1 $n 0.4 0 xpbdr f64 measured $((n * n * n)) "" 0.0$n $n
        done
        run 7 1 "" 0.4 0 mujoco f64 measured 0 "" 0.2 5
    } | tee "$1/resolution-contact.csv" "$1/trajectory.csv" >"$1/ablation.csv"
    {
        echo "$header"
        for n in 3 4; do
            run 2 1 $n 0 0 pbdr f64 measured $((n * n * n)) "" 0 $n
            run 5 1 "" 0 0 pbdr f64 measured $((n * 10)) "" 0 $n
            for test in 2 5; do
                particles=$([ $test -eq 2 ] && echo $((n * n * n)) || echo $((n * 10)))
                run $test 1 "" 0 0 pbdr f64 measured $particles "" 0 0.11$n exact
                run $test 1 "" 0 0 xpbdr f64 measured $particles "" 0 ${n}e-11
            done
        done
    } >"$1/resolution-inertia.csv"
    {
        echo "test,solver,precision,masses,seed,n,particles,t_s,position_error_m,rotation_error_deg,x_m,y_m,theta_rad"
        for n in 3 4; do
            for t in 0 5 10; do
                echo "2,pbdr,f64,uniform,1,$n,$((n * n * n)),$t,0,$t,0,0,0"
                echo "5,pbdr,f64,uniform,1,,$((n * 10)),$t,0,$t,0,0,0"
                echo "2,pbdr,f64,exact,1,$n,$((n * n * n)),$t,0,0.77,0,0,0"
                echo "2,xpbdr,f64,exact,1,$n,$((n * n * n)),$t,0,0.88,0,0,0"
            done
        done
    } >"$1/resolution-inertia_series.csv"
    {
        echo "test,solver,precision,masses,seed,n,particles,t_s,position_error_m,rotation_error_deg,x_m,y_m,theta_rad"
        for t in 0 2 3 4 10; do
            for n in 3 10; do
                echo "7,pbdr,f64,uniform,1,$n,$((n * n * n)),$t,0,0,0.0$t,0,-0.1"
                echo "7,xpbdr,f64,exact,1,$n,$((n * n * n)),$t,0,0,0.0$t,0,-0.1"
            done
            echo "7,mujoco,f64,,1,,0,$t,0,0,0.0$t,0,-0.1"
        done
    } >"$1/trajectory_series.csv"
    {
        echo "reference,t_s,x_m,y_m,theta_rad"
        for t in 0 2 3 4 10; do
            echo "quasistatic_uniform,$t,0.0$t,0,-0.2"
            echo "dynamic_tilt_uniform,$t,0.0$t,0,-0.3"
        done
    } >"$1/trajectory_reference.csv"
    {
        echo "solver,ablate,quantity,seeds,t2,final,mean,ratio"
        echo "pbdr,none,position_error_m,3,1e-4,2e-4,1e-4,1"
        echo "pbdr,velocity,position_error_m,3,1e-3,1.25,0.5,5000"
    } >"$1/ablation_table.csv"
    {
        echo "$header"
        run 4 1 "" 0.4 10 mujoco f64 measured 0 "" 2 150
        run 4 1 "" 0.4 10 pbdr f32 measured 2 "" 0.1 0.1
    } >"$1/stills.csv"
    {
        echo "solver,precision,seed,particles,t_s,x_m,y_m,z_m,qw,qx,qy,qz"
        for t in 0 1 2; do # MuJoCo's lies on its side at 2 s: 90 degrees about y
            q=$([ $t -eq 2 ] && echo "0.70710678,0,0.70710678,0" || echo "1,0,0,0")
            echo "mujoco,f64,1,0,$t,$t,0,0.07,$q"
            echo "pbdr,f32,1,2,$t,$t,0,0.07,1,0,0,0"
        done
    } >"$1/stills_series.csv"
    printf '%s\n' kind,a,b,c,radius_m vertex,-0.1,0.1,-0.07, vertex,0.1,0.1,-0.07, vertex,0,-0.1,-0.07, vertex,0,0,0.13, triangle,0,1,2, triangle,0,3,1, \
        triangle,1,3,2, triangle,2,3,0, sphere,0,0,0,0.05 sphere,0,0,0.08,0.03 >"$1/stills_shape.csv"
}

# FILE: every tag is closed, in order. xmllint says more, where there is one.
is_well_formed()
{
    awk '{ text = text $0 "\n" }
        END {
            while (match(text, /<[^>]*>/)) {
                tag = substr(text, RSTART + 1, RLENGTH - 2); text = substr(text, RSTART + RLENGTH)
                name = tag; sub(/^\//, "", name); sub(/[ \/\n].*/, "", name)
                if (tag ~ /^[?!]/ || tag ~ /\/$/) continue
                if (tag !~ /^\//) stack[depth++] = name
                else if (depth == 0 || stack[--depth] != name) { print "<" tag ">"; exit 1 }
            }
            exit depth != 0 || text ~ /[<>]/
        }' "$1" && { ! command -v xmllint >/dev/null || xmllint --noout "$1"; }
}

make_results small
results=${results:-small}

expect report__makes_the_page 0 "" "$pbdr" report --results "$results" --out page
for part in summary drawings tests stills budget sweep time trajectory contact rotation ablation settings; do
    check "page__has_part_$part" grep -q "<section id=\"$part\">" page/report.html
done
for figure in all_exp_position all_exp_rotation sweep_position sweep_rotation time trajectory_n3 trajectory_n10 \
    trajectory_xpbdr_n3 trajectory_xpbdr_n10 trajectory_mujoco contact_position contact_rotation contact_dynamic_position contact_dynamic_rotation \
    rotation_test2 rotation_test5 masses_test2 masses_test5; do
    check "figure__$figure" test -s page/figures/$figure.svg -a -s page/figures/$figure.png -a -s page/figures/$figure.gp
    check "page__inlines_$figure" grep -q "id=[\"']${figure}_" page/report.html
done
for figure in drawing_test1 drawing_test2 drawing_test3 drawing_test4 drawing_test5 drawing_test6 drawing_test7_above drawing_test7_side stills; do
    check "figure__${figure}_is_well_formed" is_well_formed page/figures/$figure.svg
    check "page__inlines_$figure" grep -q "id=[\"']${figure}_" page/report.html
done
for table in all_exp_position all_exp_rotation tilt budget_test1 budget_test7 budget_test7_turn sweep time trajectory contact contact_cases rotation ablation settings solvers; do
    check "table__$table" test -s page/tables/$table.md -a -s page/tables/$table.csv
done
check page__weighs_under_5_MB test "$(wc -c <page/report.html)" -lt 5000000
check page__loads_nothing bash -c '! grep -Eiq "(src|href) *= *[\"'\'']?(http|//)|url\( *[\"'\'']?http|@import|<script|<link" page/report.html'
check page__has_the_papers_ablation grep -q 135.85 page/report.html
check page__names_each_command bash -c 'for s in tests stills budget sweep time trajectory resolution-contact resolution-inertia ablation; do
    grep -q "pbdr study $s &amp;&amp; pbdr report" page/report.html || exit 1; done'
check page__repeats_no_id bash -c '! grep -o " id=[\"'\''][^\"'\'']*" page/report.html | sort | uniq -d | grep .'
check page__leaves_no_temporary_file bash -c '[ "$(ls page)" = "figures
report.html
tables" ]'

expect small__makes_the_page 0 "" "$pbdr" report --results small --out small_page
check small__shows_the_divergence grep -q "diverged at 1.25 s" small_page/report.html
check small__shows_what_is_not_supported grep -q "not supported" small_page/report.html
check small__names_the_solvers_without_a_bar grep -q "In the tables only, without a bar: MuJoCo, 4 x 4 feet\." small_page/report.html
check small__names_the_largest_part grep -q "largest part is the integrator's floor in MuJoCo, tuned (67&nbsp;%); contact and solver in PBD-R (75&nbsp;%)\." small_page/report.html
check small__sees_parts_cancel grep -q "that of MuJoCo, tuned, 1.00e-3 m, in which parts of opposite signs cancel" small_page/report.html
check small__says_what_has_no_split grep -q "PBD diverged: no split. MuJoCo, paper's settings tumbled: no split" small_page/report.html
check small__marks_seeds_left_out grep -q "1 of 3 tumbled" small_page/tables/budget_test1.md
check small__counts_sliding_cells grep -q "^PBD-R,.*,0 of 3$" small_page/tables/sweep.csv
cp -r small tumbling && awk -F, -v OFS=, '$14 == "mujoco" && $6 == 0.4 { sub(/,0\.5,/, ",31,") } { print }' small/sweep.csv >tumbling/sweep.csv
expect tumbling__makes_the_page 0 "" "$pbdr" report --results tumbling --out tumbling_page
check tumbling__is_counted_where_the_box_slides grep -q "^\"MuJoCo, paper's settings\",.*,1 of 3$" tumbling_page/tables/sweep.csv
# XPBD-R and the reduced engine beside the paper's
check small__bars_name_errors_below_the_axis bash -c 'grep -q " 7e-13$" small_page/figures/all_exp_position.dat && grep -q "a stub is left, with the value over it" small_page/report.html'
check small__claims_the_worst_error grep -q "XPBD-R's worst final error in tests 1 to 6.*up to 6.00e-13 m (test 6) and 6.00e-9 deg (test 6); PBD-R: up to 0.0200 m" small_page/report.html
check small__claims_the_cost_at_a_million grep -q "XPBD-R's cost with 1000000 spheres.*0.200 μs per substep on one core, 2.00e-4 ns per sphere; with 1000 spheres 0.110 μs, against 100 μs of PBD-R on particles" small_page/report.html
check small__time_tells_engines_apart grep -q "^spheres,\"PBD-R, particles, f32 \[μs\]\",.*\"PBD-R, reduced, f64 \[μs\]\",.*\"XPBD-R, reduced, f64 \[μs\]\"" small_page/tables/time.csv
check small__time_leaves_out_what_did_not_run grep -q "^1000000,-,-,-,100,0.100,20.0,0.200," small_page/tables/time.csv
check small__rotation_tells_masses_apart grep -q "^\"2 box, torque\",27,3.00,-,0.113,3.00e-11," small_page/tables/rotation.csv
check small__rotation_over_time_has_the_papers_masses_alone bash -c '! grep -q -e "0\.77" -e "0\.88" small_page/figures/rotation_test2.dat'
check small__sweep_has_a_floor grep -q "10<sup>-12</sup> and less is black" small_page/report.html
check small__settings_tell_ways_apart bash -c 'grep -q "^time,pbdr,particle,f32,uniform,2,1," small_page/tables/settings.csv && grep -q "^time,pbdr,reduced,f64,uniform,3,1," small_page/tables/settings.csv &&
    grep -q "^time,xpbdr,reduced,f64,exact,3,1," small_page/tables/settings.csv && grep -q "^time,mujoco,engine 1,f64,-,1,1," small_page/tables/settings.csv'
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
# Without the other studies: their parts take the time.
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

cp -r small diverged && sed -i '2,$s/,measured,/,diverged,/' diverged/*.csv
expect all_diverged__still_makes_the_page 0 "" "$pbdr" report --results diverged --out diverged_page
cp -r small plugin && sed -i '2,$s/,mujoco,/,my_solver:x,/' plugin/*.csv
expect unknown_solver__is_drawn 0 "" "$pbdr" report --results plugin --out plugin_page
check unknown_solver__stands_on_the_page grep -q "my_solver:x" plugin_page/report.html
cp -r small shell && sed -i '4s/,mujoco,/,`touch here`,/' shell/tests.csv
expect shell_in_a_name__is_refused 1 "is no solver's name" "$pbdr" report --results shell --out shell_page

cp -r small number && sed -i '3s/,10,0.001,/,10,0.0x1,/' number/sweep.csv
expect damaged_number__names_file_line_column 1 "number/sweep.csv:3: column 'dt_s': '0.0x1'" "$pbdr" report --results number --out number_page
check damaged_number__leaves_no_page test ! -e number_page/report.html
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
