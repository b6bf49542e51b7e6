#!/usr/bin/env bash
# pbdr study many: names and options, rows, going on after a kill, a run that ends early, bars.
#
#     many_test.sh PBDR
set -u
pbdr=$(realpath "$1")
. "$(dirname "$0")/expect.sh"

expect many__help_is_success 0 "" "$pbdr" study many --help
for name in pile27 pile1000_10ms apart10000 hopper1000 balls3000 dominoes20 wall105_hit rods30 bunnies30 tower50_jitter heavy10000 cards7 arch11; do
    check "many__help_names_$name" grep -q "^  $name " out
done
for option in out scenes solvers seconds dt limit; do
    check "many__help_names_option_$option" grep -q -e "--$option " out
done
expect many__is_named_by_study 0 "" "$pbdr" study --help
check many__is_in_the_list grep -q "^  many " out
expect many__unknown_scene 2 "there is no scene 'heap'" "$pbdr" study many --scenes pile27,heap
expect many__unknown_solver 2 "'xyz' is not in this build" "$pbdr" study many --solvers xyz
expect many__no_time 2 "--seconds 0" "$pbdr" study many --seconds 0
expect many__folder_in_nowhere 1 "no/such" "$pbdr" study many --scenes tower10 --out no/such

# Rows and bars
expect many__runs 0 "" "$pbdr" study many --scenes tower10,heavy100 --solvers xpbdr,xpbdr:spheres --seconds 0.05 --out first
cp out first.txt
check many__csv_has_a_row_per_run test "$(wc -l <first/many.csv)" -eq 5
check many__csv_is_as_wide_as_its_header awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' first/many.csv
check many__bars_are_printed grep -q "^xpbdr  *tower10: drift <= 1e-12 m  *[0-9].* yes$" first.txt
check many__bars_are_written grep -q "^xpbdr:spheres,heavy100: drift <= 1e-12 m,.*,yes$" first/many_bars.csv
check many__bars_are_counted grep -q "^xpbdr: 4 of 4 bars met$" first.txt

# The same command takes what is there: not a run more, the same bytes. A torn last line is passed over.
cp first/many.csv kept.csv
expect many__goes_on 0 "4 of 4 runs are taken from" "$pbdr" study many --scenes tower10,heavy100 --solvers xpbdr,xpbdr:spheres --seconds 0.05 --out first
check many__gives_the_same_bytes cmp kept.csv first/many.csv
head -c -40 first/many.log >torn && cp torn first/many.log
expect many__goes_on_after_a_torn_line 0 "3 of 4 runs are taken from" "$pbdr" study many --scenes tower10,heavy100 --solvers xpbdr,xpbdr:spheres --seconds 0.05 --out first
check many__is_whole_again test "$(wc -l <first/many.csv)" -eq 5
# Another time step or duration is another run.
expect many__other_settings_are_other_runs 0 "" "$pbdr" study many --scenes tower10 --solvers xpbdr --seconds 0.02 --dt 0.002 --out first
check many__takes_the_step grep -q "^tower10,xpbdr,[^,]*,0.002,0.02,measured,10,10,0.02," first/many.csv

# A limit
expect many__limit_ends_a_run 0 "processor time are over" "$pbdr" study many --scenes pile27 --solvers xpbdr --limit 0.02 --out short
check many__limit_is_the_outcome grep -q "^pile27,xpbdr,[^,]*,0.001,5,limit,27," short/many.csv
check many__limit_meets_no_bar bash -c '! grep -q ",yes$" short/many_bars.csv'

# A crash is a row, and is tried again
expect many__crash_is_a_row 0 "crashed" env PBDR_STUDY_FAULT=crash:2 "$pbdr" study many --scenes tower10 --solvers xpbdr,xpbdr:spheres --seconds 0.01 --out crash
check many__crash_says_how grep -q "^tower10,xpbdr:spheres,[^,]*,0.001,0.01,crashed,.*signal 6" crash/many.csv
check many__crash_leaves_the_others grep -q "^tower10,xpbdr,[^,]*,0.001,0.01,measured,10,10," crash/many.csv
expect many__crash_is_tried_again 0 "1 of 2 runs are taken from" "$pbdr" study many --scenes tower10 --solvers xpbdr,xpbdr:spheres --seconds 0.01 --out crash
check many__second_try_succeeds test "$(grep -c ",measured," crash/many.csv)" -eq 2

# The bunny that is not there is a row, not the end
expect many__without_a_mesh 0 "" env PBDR_BUNNY=/no/bunny.stl "$pbdr" study many --scenes bunnies30 --solvers xpbdr:spheres --seconds 0.01 --out mesh
check many__without_a_mesh_says_so grep -q "^bunnies30,xpbdr:spheres,[^,]*,0.001,0.01,refused,.*no/bunny.stl" mesh/many.csv

finish
