#!/usr/bin/env bash
# The study of uncertainty in batches (pbdr study uncertainty --backend gpu): by the host's compilation of the kernel, which
# has a GPU's bits. What was stopped goes on, and ends with the tables of a study that was not.
#
#     study_spread_test.sh PBDR
set -u
pbdr=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/expect.sh"
export PBDR_GPU_LIBRARY=/nowhere/libpbdr-gpu.so

folder=spread.$$
what=(uncertainty --backend gpu --points 6 --jobs 2)
expect spread__runs_without_a_gpu 0 "NO GPU" "$pbdr" study "${what[@]}" --out "$folder.one"
check spread__has_all_runs test "$(grep -c '^pbd-r,dynamic_tilt_final_position_m,6,' "$folder.one/uncertainty_table.csv")" -eq 1
check spread__has_xpbdr_too test "$(grep -c '^xpbdr:spheres,dynamic_tilt_final_rotation_deg,6,' "$folder.one/uncertainty_table.csv")" -eq 1
check spread__has_bins test "$(grep -c '^pbd-r,dynamic_tilt_final_position_m,mu,' "$folder.one/uncertainty_bins.csv")" -ge 3

# every run stands in one bin of each setting, caught ones are counted, and errors are those of the table
tail="$folder.one/uncertainty_tail.csv"
for setting in all offset_m push_height_m; do
    check "spread__tail_has_all_runs_by_$setting" test "$(awk -F, -v s="$setting" '$1 == "pbd-r" && $2 == s { n += $4 } END { print n }' "$tail")" -eq 6
done
inTail=$(awk -F, '$1 == "xpbdr:spheres" && $2 == "all" { printf "%.9g", ($6 * ($7 == "" ? 0 : $7) + ($4 - $5 - $6) * $8) / ($4 - $5) }' "$tail")
inTable=$(awk -F, '$1 == "xpbdr:spheres" && $2 ~ /position/ { printf "%.9g", $4 }' "$folder.one/uncertainty_table.csv")
check spread__tail_and_the_others_make_the_mean test "$inTail" = "$inTable"
more=$(awk 'NR == FNR { if ($1 !~ /#/) x[$1] = $2; next } $1 !~ /#/ && x[$1] < 1.25 && $2 > 1.25 { n++ } END { print n + 0 }' "$folder.one/uncertainty.references" "$folder.one/uncertainty.xpbdr-spheres")
check spread__tail_counts_caught_runs test "$(awk -F, '$1 == "xpbdr:spheres" && $2 == "all" { print $6 }' "$tail")" -eq "$more"

# the first point is pushed straight: the box goes with the rod, a t^2/2 = 2.5 m
reference=$(awk '$1 == 0 { print ($2 > 2.499 && $2 < 2.501) ? "there" : $0 }' "$folder.one/uncertainty.references")
check spread__reference_goes_with_the_rod test "$reference" = there

# cut short in the middle of a row, and gone on with
same() { cmp "$folder.one/uncertainty_table.csv" "$1/uncertainty_table.csv" && cmp "$folder.one/uncertainty_bins.csv" "$1/uncertainty_bins.csv" && cmp "$folder.one/uncertainty_tail.csv" "$1/uncertainty_tail.csv"; }
expect spread__solves_references_alone 0 "" "$pbdr" study "${what[@]}" --references --out "$folder.two"
check spread__references_alone_run_no_world test ! -e "$folder.two/uncertainty.pbd-r"
head -c -9 "$folder.two/uncertainty.references" >"$folder.cut" && mv "$folder.cut" "$folder.two/uncertainty.references"
mkdir -p "$folder.two" && head -n 3 "$folder.one/uncertainty.pbd-r" >"$folder.two/uncertainty.pbdr" # as it was called before
expect spread__goes_on 0 "" "$pbdr" study "${what[@]}" --out "$folder.two"
check spread__ends_with_the_same_tables same "$folder.two"
check spread__takes_rows_of_the_old_name test ! -e "$folder.two/uncertainty.pbdr" -a -s "$folder.two/uncertainty.pbd-r"

# stopped while XPBD-R's worlds are under way: tables of what is done, and the rest later
more=(uncertainty --backend gpu --points 24 --jobs 2)
"$pbdr" study "${more[@]}" --out "$folder.four" >stopped.out 2>&1 &
stopped=$!
while kill -0 $stopped 2>/dev/null && [ ! -s "$folder.four/uncertainty.xpbdr-spheres" ]; do
    sleep 0.02
done
kill -TERM $stopped 2>/dev/null
wait $stopped
check spread__that_is_stopped_says_so grep -q "interrupted; what is done stands in" stopped.out
check spread__that_is_stopped_counts_no_point_twice test -z "$(awk '/ points$/ && $(NF-3) > 24' stopped.out)"
check spread__that_is_stopped_has_tables grep -q '^pbd-r,dynamic_tilt_final_position_m,24,' "$folder.four/uncertainty_table.csv"
check spread__that_is_stopped_counts_what_is_done grep -q '^xpbdr:spheres,dynamic_tilt_final_position_m,0,' "$folder.four/uncertainty_table.csv"

echo "7 one two three" >>"$folder.two/uncertainty.pbd-r"
expect spread__names_a_row_that_is_none 1 "uncertainty.pbd-r:10: not a row: '7 one two three'" "$pbdr" study "${what[@]}" --out "$folder.two"
echo "nothing" >"$folder.two/uncertainty.pbd-r"
expect spread__refuses_another_version 1 "uncertainty.pbd-r:1: not of this version" "$pbdr" study "${what[@]}" --out "$folder.two"
expect spread__is_of_one_study_alone 2 "for uncertainty as a whole" "$pbdr" study sweep --backend gpu --out "$folder.three"
expect spread__has_its_own_solvers 2 "for uncertainty as a whole" "$pbdr" study "${what[@]}" --solvers ode --out "$folder.three"
expect spread__references_need_the_backend 2 "goes with --backend gpu" "$pbdr" study uncertainty --references --out "$folder.three"

rm -rf "$folder".*
finish
