#!/usr/bin/env bash
# Every study, the error budget, the same table however often a study was killed, the lock, Ctrl-C. Strikes at places that
# PBDR_STUDY_FAULT names, or that can be seen in a file; never after a time.
#
#     study_runs_test.sh PBDR
set -u
pbdr=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/expect.sh"
. "$here/study_common.sh"

shot=shot.$$ busy=busy.$$

# Every study runs, and all of them in one
expect study__all_runs 0 "" "$pbdr" study all --quick --solvers pbd,pbd-r,xpbdr --out all
for name in tests budget sweep time resolution-contact resolution-inertia trajectory ablation; do
    check "study__all_writes_$name" test -s "all/$name.csv"
done
check study__all_writes_series test "$(lines all/resolution-inertia_series.csv)" -gt 10
check study__all_writes_paths_and_references test "$(lines all/trajectory_series.csv)" -gt 10 -a "$(lines all/trajectory_reference.csv)" -gt 4
check study__all_writes_the_ablation_table test "$(lines all/ablation_table.csv)" -eq 21
check study__full_solver_has_ratio_1 test "$(grep -c '^pbd-r,none,.*,1$' all/ablation_table.csv)" -eq 5
check study__tables_are_rectangular awk -F, 'FNR == 1 { n = NF } NF != n { exit 1 }' all/*.csv
check study__time_has_timings awk -F, 'NR > 1 && !($NF > 0 && $(NF - 1) > 0) { exit 1 }' all/time.csv
check study__jobs_have_keys_of_their_own bash -c 'for log in all/*.log; do [ -z "$(cut -f1 "$log" | sort | uniq -d)" ] || exit 1; done'
# WAYS FILE: the different solvers, engines, precisions and masses of a table are these.
ways() { diff <(cut -d, -f2-5 "$2" | tail -n +2 | sort -u) <(printf '%s\n' $1 | sort) >&2; }
check study__tests_run_the_papers_particles_and_xpbdr ways "pbd,particle,f32,uniform pbd-r,particle,f32,uniform xpbdr,xpbdr,f64,exact" all/tests.csv
check study__time_has_three_lines ways "pbd,particle,f32,uniform pbd-r,particle,f32,uniform pbd-r,reduced,f64,uniform xpbdr,xpbdr,f64,exact" all/time.csv
check study__time_varies_spheres test "$(cut -d, -f2,3,8 all/time.csv | sort -u | grep -c -e ^pbd-r,particle, -e ^pbd-r,reduced, -e ^xpbdr,)" -eq 9
check study__inertia_has_exact_masses ways "pbd,particle,f32,uniform pbd,particle,f64,uniform pbd,particle,f64,exact
    pbd-r,particle,f32,uniform pbd-r,reduced,f64,uniform pbd-r,reduced,f64,exact xpbdr,xpbdr,f64,exact" all/resolution-inertia.csv
check study__budget_changes_the_precision_alone ways "pbd,particle,f32,uniform pbd,particle,f64,uniform
    pbd-r,particle,f32,uniform pbd-r,particle,f64,uniform xpbdr,xpbdr,f64,exact" all/budget.csv
# Poses to draw by, and the shape: where there is a mesh
if [ -f all/stills.csv ]; then
    check study__stills_have_poses test "$(lines all/stills_series.csv)" -eq 10 # three solvers at 0, 0.1 and 0.2 s, and the header
    check study__stills_have_unit_quaternions awk -F, 'NR > 1 { d = $(NF-3)^2 + $(NF-2)^2 + $(NF-1)^2 + $NF^2 - 1; if (d * d > 1e-12) exit 1 }' all/stills_series.csv
    # the seed's turn is taken back: the bunny stands upright, unturned and on the ground, and is pushed along +x
    check study__stills_start_unturned awk -F, '$(NF-7) == 0 { rows++; if (!($(NF-3) > 0.999999 && $(NF-4) > 0.05 && $(NF-6)^2 + $(NF-5)^2 < 1e-8)) exit 1 } END { exit rows == 0 }' all/stills_series.csv
    check study__stills_move_along_x awk -F, '$(NF-7) == 0.2 { rows++; if (!($(NF-6) > 0.005 && $(NF-5)^2 < 1e-6)) exit 1 } END { exit rows == 0 }' all/stills_series.csv
    check study__stills_write_the_shape bash -c 'for kind in vertex triangle sphere; do grep -q "^$kind,.*[0-9]" all/stills_shape.csv || exit 1; done'
else
    skipped=$((skipped + 5))
    echo "SKIPPED  study__stills: no mesh"
fi
check study__leaves_no_temporaries test -z "$(find all -name '*.tmp')"

# The error budget: the box's tests at full length. Each row is test, solver, unit, kind, state, seeds, split, tumbled, diverged, total, rounding,
# packing, floor, contact, least and most total.
budget() { PBDR_BUNNY=none "$pbdr" study budget --seeds 1 --solvers pbd,pbd-r,xpbdr --out budget; }
# TEST SOLVER UNIT CONDITION: of the row's fields total, rounding, packing, floor, contact.
holds()
{
    awk -F, -v test="$1" -v solver="$2" -v unit="$3" 'function abs(x) { return x < 0 ? -x : x }
        $1 == test && $2 == solver && $3 == unit { total = $10; rounding = $11; packing = $12; floor = $13; contact = $14; found = '"$4"' }
        END { exit !found }' budget/budget_table.csv
}
expect budget__runs 0 "THE BUNNY'S TESTS ARE LEFT OUT" budget
check budget__has_a_row_per_test_and_solver_and_turns_of_test_7 test "$(lines budget/budget_table.csv)" -eq 16
check budget__runs_both_precisions_where_there_are_two test "$(grep -c ',f32,' budget/budget.csv)" -eq 8 -a "$(grep -c ',f64,' budget/budget.csv)" -eq 12
check budget__signed_parts_sum_to_the_total awk -F, '
    NR > 1 && $4 == "signed" { rows++; d = $10 - ($11 + $12 + $13 + $14); s = $10 * $10 + 1e-6; if ($5 != "split" || d * d > 1e-22 * s) exit 1 }
    END { exit rows != 12 }' budget/budget_table.csv
# 1 - 1/n^2 of the inertia: 1/15 of 1074.30 deg
check budget__test_2_is_packing holds 2 pbd-r deg 'abs(packing - 71.62) < 0.005 && abs(contact) < 0.02 && abs(rounding) < 0.1'
check budget__test_1_of_pbd_is_rounding holds 1 pbd m 'abs(rounding) > 1 && abs(rounding) > 0.9 * abs(total)'
check budget__test_1_has_the_floor holds 1 pbd-r m 'abs(floor - 1.63e-3) < 1e-9 && abs(packing) < 1e-9 && abs(rounding) < 0.02'
# One precision and a second-order integrator: no such parts. Exact masses: no packing. Both totals are rounding, 1e-12 m and 1e-10 deg; the bars leave
# room for other processors.
check budget__xpbdr_has_neither_rounding_nor_floor holds 1 xpbdr m 'rounding == "" && floor == "" && abs(packing) < 1e-9 && abs(total) < 1e-9'
check budget__xpbdr_has_no_packing_in_test_2 holds 2 xpbdr deg 'rounding == "" && floor == "" && abs(packing) < 1e-8 && abs(total) < 1e-8'
# The points' reference ends 5.7 mm from the base's (pbdr reference --model dynamic --tilt --support 4x4)
check budget__test_7_has_norms_and_no_floor holds 7 pbd-r m '$4 == "norm" && floor == "" && abs(packing - 5.66e-3) < 1e-5 && contact > 0'

# The sweep's numbers are the benchmark's
"$pbdr" bench --tests 1 --precision f32 --solvers pbd-r --seeds 1 --duration 2 --mu 0.4 --force 25 --csv bench.csv >/dev/null 2>&1
check study__agrees_with_bench awk -F, '
    FNR == 1 { for (k = 1; k <= NF; k++) if ($k == "final_position_error_m") c = k; if (NR != 1) m = 0
               for (k = 1; k <= NF; k++) { if ($k == "mu") m = k; if ($k == "force_N") f = k }; next }
    FILENAME == "bench.csv" { wanted = $c; next }
    $2 == "pbd-r" && $m == 0.4 && $f == 25 { found = $c == wanted }
    END { exit !found }' bench.csv all/sweep.csv

# Its own solvers: all without presets, and the tuned ones of ODE and Bullet, if this build has them
expect study__sweep_chooses_solvers 0 "" "$pbdr" study sweep --quick --out own
for peer in ode bullet; do
    check "study__sweep_has_tuned_$peer" test "$(grep -c ",$peer," own/sweep.csv)" -eq "$(grep -c ",$peer:tuned," own/sweep.csv)"
done
check study__sweep_has_no_other_preset test -z "$(cut -d, -f2 own/sweep.csv | grep : | grep -v -e ode:tuned -e bullet:tuned)"

# Killed 20 times, then finished: the same table, no job run twice, none lost
study=("$pbdr" study sweep --quick --seeds 6 --solvers pbd,pbd-r)
expect kill__undisturbed_run 0 "" "${study[@]}" --out calm
jobs=108
check kill__has_all_jobs test "$(lines calm/sweep.csv)" -eq $((jobs + 1))
struck=0 torn=0
for round in $(seq 20); do
    # after 1 to 6 lines; every fifth time in the middle of one
    kind=kill
    [ $((round % 5)) -ne 0 ] || { kind=tear torn=$((torn + 1)); }
    is_killed $kind:$((round * 5 % 6 + 1)) "${study[@]}" --out "$shot" --jobs $((round % 3 + 1)) && struck=$((struck + 1))
    check "kill__round_${round}_leaves_no_process" nobody_is_left "$shot"
done
check kill__struck_every_time test "$struck" -eq 20 -a "$torn" -eq 4
check kill__lines_are_what_was_finished test "$(lines "$shot"/sweep.log)" -eq 71 # of 108, and the header
expect kill__resumes 0 "are taken from $shot/sweep.log" "${study[@]}" --out "$shot"
untimed calm/sweep.csv >calm.csv
untimed "$shot"/sweep.csv >shot.csv
check kill__table_is_the_same_bytes cmp calm.csv shot.csv
check kill__compared_more_than_nothing test "$(wc -c <calm.csv)" -gt 10000
check kill__no_job_ran_twice test -z "$(cut -f1 "$shot"/sweep.log | sort | uniq -d)"
check kill__log_has_all_jobs test "$(lines "$shot"/sweep.log)" -eq $((jobs + 1))
cp "$shot"/sweep.log finished.log
cp "$shot"/sweep.csv finished.csv
expect kill__nothing_is_left_to_do 0 "$jobs of $jobs jobs are taken" "${study[@]}" --out "$shot"
check kill__a_finished_study_adds_nothing cmp "$shot"/sweep.log finished.log
check kill__a_finished_study_rewrites_its_table cmp "$shot"/sweep.csv finished.csv

# Lines of other settings stay, and are not used
expect other__settings_run_anew 0 "" "${study[@]}" --seeds 1 --solvers pbd-r --out "$shot"
check other__settings_find_their_jobs grep -q "9 of 9 jobs are taken" err
sed 's/ dt=0.001 / dt=0.002 /; s/ pbdr=[^ ]* / pbdr=0.0.0 /' finished.log >"$shot"/sweep.log
expect other__versions_are_not_used 0 "" "${study[@]}" --out "$shot"
check other__versions_run_anew test "$(grep -c 'taken from' err)" -eq 0
check other__lines_stay test "$(lines "$shot"/sweep.log)" -eq $((2 * jobs + 1))
untimed "$shot"/sweep.csv >again.csv
check other__table_is_the_same_bytes cmp calm.csv again.csv

# A log of before the paper's solver was called pbd-r, and XPBD-R's engine xpbdr: no job is run anew
what=(study sweep --quick --seeds 2 --solvers pbd-r,xpbdr)
expect renamed__first_run 0 "" "$pbdr" "${what[@]}" --out renamed
jobs=$(($(lines renamed/sweep.log) - 1))
cp renamed/sweep.csv renamed.csv
sed -i 's/ solver=pbd-r / solver=pbdr /; s/ solver=xpbdr engine=xpbdr / solver=xpbdr engine=reduced /' renamed/sweep.log
check renamed__log_has_the_old_names test "$(grep -c ' solver=pbdr engine=reduced \| solver=pbdr engine=particle ' renamed/sweep.log)" -eq $((jobs / 2))
expect renamed__jobs_are_taken 0 "$jobs of $jobs jobs are taken" "$pbdr" "${what[@]}" --out renamed
check renamed__table_is_the_same cmp renamed/sweep.csv renamed.csv

# The lock, and Ctrl-C. More jobs than anybody waits for.
long=("$pbdr" study sweep --seeds 100 --solvers pbd-r --out "$busy")
"${long[@]}" >out1 2>err1 &
pid=$!
await_lines "$busy"/sweep.log 3 $pid
expect lock__second_study_is_refused 1 "another study is at work in this folder (process $pid)" "${long[@]}"
expect lock__of_another_name_too 1 "another study is at work" "$pbdr" study ablation --quick --out "$busy"
expect lock__of_another_folder_is_free 0 "" "$pbdr" study ablation --quick --out idle
kill -INT $pid
wait $pid
check interrupt__exits_with_130 test $? -eq 130
check interrupt__says_how_to_go_on grep -q "interrupted after [0-9]* of 6400 jobs; .* the same command goes on" err1
check interrupt__ends_its_children nobody_is_left "$busy"
check interrupt__writes_no_table test ! -e "$busy"/sweep.csv
kept=$(($(lines "$busy"/sweep.log) - 1))
"${long[@]}" >out1 2>err1 &
pid=$!
await_lines "$busy"/sweep.log $((kept + 3)) $pid
kill -INT $pid
wait $pid
check interrupt__goes_on_from_there grep -q "$kept of 6400 jobs are taken" err1
check interrupt__no_job_ran_twice test -z "$(cut -f1 "$busy"/sweep.log | sort | uniq -d)"

finish
