#!/usr/bin/env bash
# Studies: names and options, jobs that crash, kills at places that PBDR_STUDY_FAULT names, the missing mesh.
# study_runs_test.sh runs every study, and has the lock and Ctrl-C.
#
#     study_test.sh PBDR
set -u
pbdr=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/expect.sh"
. "$here/study_common.sh"

# Names and options
expect study__help_is_success 0 "" "$pbdr" study --help
for name in tests budget sweep time resolution-contact resolution-inertia trajectory stills ablation extended all; do
    check "study__help_names_$name" grep -q "^  $name " out
done
for option in out jobs seeds solvers quick; do
    check "study__help_names_option_$option" grep -q -e "--$option " out
done
expect study__help_of_a_study_is_success 0 "" "$pbdr" study sweep --help
expect study__without_a_name 2 "which study?" "$pbdr" study
expect study__without_a_name_but_options 2 "which study?" "$pbdr" study --quick --out x
expect study__unknown_name 2 "unknown study 'dance'" "$pbdr" study dance
expect study__unknown_option 2 "'--wings'" "$pbdr" study sweep --wings 2
expect study__no_jobs 2 "--jobs 0: must be at least 1" "$pbdr" study sweep --jobs 0
expect study__no_seeds 2 "--seeds 0: must be at least 1" "$pbdr" study sweep --seeds 0
expect study__unknown_solver 2 "--solvers pbd-r,xyz: 'xyz': wanted solvers of" "$pbdr" study sweep --solvers pbd-r,xyz
expect study__alias_of_a_solver 0 "pbdr: note: the solver 'pbdr' is now called 'pbd-r'" "$pbdr" study sweep --quick --solvers pbdr,pbd-r --seeds 1 --out alias
check study__alias_is_the_name_of_now test "$(cut -d, -f2 alias/sweep.csv | sort -u | paste -sd ' ')" = "pbd-r solver"
expect study__empty_solver 2 "--solvers pbd-r,: '': wanted solvers of" "$pbdr" study sweep --solvers pbd-r,
expect study__quick_takes_no_value 2 "takes no value" "$pbdr" study sweep --quick=1
expect study__no_solver_that_fits 2 "nothing to do for the solvers given" "$pbdr" study ablation --quick --solvers pbd --out unfit
expect study__folder_in_nowhere 1 "no/such" "$pbdr" study sweep --quick --out no/such
touch plain
expect study__folder_is_a_file 1 "plain" "$pbdr" study sweep --quick --out plain
mkdir foreign
printf 'my own notes\nunfinished' >foreign/sweep.log
cp foreign/sweep.log notes
expect study__foreign_log_is_refused 1 "is not a study's log" "$pbdr" study sweep --quick --out foreign
check study__foreign_log_stays_as_it_was cmp foreign/sweep.log notes
check study__usage_errors_leave_no_folder test ! -e study-results

# A job that ends before its time is reported and tried again, and the others go on.
sweep=("$pbdr" study sweep --quick --solvers pbd-r) # 9 jobs
expect crash__is_reported 1 "crashed (signal" env PBDR_STUDY_FAULT=crash:3 "${sweep[@]}" --out crash
check crash__says_what_to_do grep -q "1 of 9 jobs failed; the same command tries them again" err
check crash__is_in_the_table test "$(grep -c ",failed,.*crashed" crash/sweep.csv)" -eq 1
check crash__the_others_went_on test "$(grep -c ",measured," crash/sweep.csv)" -eq 8
check crash__is_not_kept test "$(lines crash/sweep.log)" -eq 9 # the header and 8
expect crash__is_tried_again 0 "8 of 9 jobs are taken" "${sweep[@]}" --out crash
check crash__is_mended test "$(grep -c ",measured," crash/sweep.csv)" -eq 9

# Killed between two lines and in the middle of one, then finished: the same table. study_runs_test.sh does so twenty times.
cp crash/sweep.csv calm.csv
for fault in kill:1 tear:2 kill:3; do
    check "kill__${fault}_strikes" is_killed $fault "${sweep[@]}" --out shot --jobs 2
done
check kill__leaves_half_a_line_that_is_cut_off test "$(lines shot/sweep.log)" -eq 6 # the header, 1, 1 and 3
expect kill__resumes 0 "5 of 9 jobs are taken from shot/sweep.log" "${sweep[@]}" --out shot
check kill__table_is_the_same_bytes cmp <(untimed calm.csv) <(untimed shot/sweep.csv)
check kill__no_job_ran_twice test -z "$(cut -f1 shot/sweep.log | sort | uniq -d)"

# Without the mesh its tests are left out, loudly
expect mesh__missing_is_said 0 "THE BUNNY'S TESTS ARE LEFT OUT" env PBDR_BUNNY=none "$pbdr" study tests --quick --solvers pbd-r --out meshless
check mesh__the_others_are_run test "$(lines meshless/tests.csv)" -ge 4

finish
