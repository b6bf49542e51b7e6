#!/usr/bin/env bash
# pbdr profile: the table, the file's form and sums, exit codes, nothing left behind. No time is judged.
#
#     profile_test.sh PBDR
set -u
pbdr=$(realpath "$1")
. "$(dirname "$0")/expect.sh"

# FILE KIND NAME COLUMN: one value.
value() { awk -F, -v kind="$2" -v name="$3" -v column="$4" '
    NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k }
    NR > 1 && $at["kind"] == kind && $at["name"] == name { print $at[column] }' "$1"; }
# FILE: shares add up to 1, raw = net + clock in every stage, and stages add up to their total.
adds_up() { awk -F, '
    NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    $at["kind"] == "stage" { share += $at["share"]; seconds += $at["seconds"]; calls += $at["calls"]
        gap = $at["seconds"] - $at["clock_seconds"] - $at["net_seconds"]; bad = bad || gap ^ 2 > 1e-16 }
    $at["name"] == "stages" { total = $at["seconds"]; totalCalls = $at["calls"] }
    END { print share, seconds, total; exit bad || (share - 1) ^ 2 > 1e-12 || (seconds - total) ^ 2 > 1e-12 * total ^ 2 || calls != totalCalls }' "$1"; }
# FILE: as many values in every row as names in the first.
is_even() { awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || NR < 5 }' "$1"; }

expect help__is_success 0 "" "$pbdr" profile --help
for option in test solver seed n layers radius mesh mu force offset dt engine precision masses simd iterations relaxation duration csv; do
    check "help__names_$option" grep -q -e "--$option " out
done
expect main__lists_it 0 "" "$pbdr" --help
check main__says_what_it_is grep -q "profile .*stage" out

for solver in pbd pbd-r xpbdr; do
    expect "${solver}__runs" 0 "" "$pbdr" profile --test 1 --solver $solver --duration 0.1 --csv $solver.csv
    check "${solver}__prints_the_sum" grep -q "^sum of stages *100.0%" out
    check "${solver}__says_what_the_clock_costs" grep -q "^clock .* readings of .* ns" out
    check "${solver}__shows_the_plain_run" grep -q "^plain run " out
    check "${solver}__adds_up" adds_up $solver.csv
    check "${solver}__csv_is_even" is_even $solver.csv
    check "${solver}__ran_all_substeps" test "$(value $solver.csv stage close calls)" = 100
    contacts=16 # spheres of the base; xpbdr: 4 x 4 points of its surface, the hindmost row of them lifted by friction
    [ $solver = xpbdr ] && contacts=12
    check "${solver}__counts_contacts" test "$(value $solver.csv count contacts calls)" = $((100 * contacts))
    check "${solver}__counts_the_most" test "$(value $solver.csv count contacts most)" = $contacts
done
check xpbdr__has_its_stages test "$(awk -F, '$8 == "stage" { printf "%s ", $9 }' xpbdr.csv)" = "candidates islands solve move close "
check xpbdr__counts_newton test -n "$(value xpbdr.csv count newton_steps calls)"
check pbdr__iterates_ten_times test "$(value pbd-r.csv stage matchShapes calls)" = 1000
check pbd__has_no_momentum_constraint test -z "$(value pbd.csv stage restoreMomentum calls)"
expect engine__can_be_chosen 0 "" "$pbdr" profile --test 1 --solver pbd-r --engine particle --precision f64 --iterations 3 --duration 0.05 --csv p.csv
check engine__is_named grep -q "pbd-r (particle, f64" out
check iterations__are_obeyed test "$(value p.csv count iterations calls)" = 150
expect scene__options_are_obeyed 0 "" "$pbdr" profile --test 7 --solver xpbdr --n 3 --offset 0.04 --seed 2 --dt 0.002 --duration 0.1 --csv s.csv
check scene__has_the_spheres test "$(value s.csv stage solve calls)" = 50
check scene__has_its_seed test "$(awk -F, 'NR == 2 { print $5 "," $6 }' s.csv)" = "2,27"

# Without a GPU the host's compilation of the kernel runs, and that is said.
expect kernel__runs_and_says_where 0 "" env PBDR_GPU_LIBRARY=/nowhere "$pbdr" profile --backend gpu --test 1 --worlds 40 --duration 0.1 --csv k.csv
check kernel__says_that_there_is_no_gpu grep -q "NO GPU" err
check kernel__has_a_row grep -q "^1,xpbdr:host,host,40,100," k.csv
expect kernel__has_xpbdr_alone 2 "xpbdr alone" "$pbdr" profile --backend gpu --test 1 --solver pbd-r
expect worlds__need_the_kernel 2 "goes with --backend gpu" "$pbdr" profile --test 1 --solver xpbdr --worlds 3
expect bench__runs_by_the_kernel 0 "" env PBDR_GPU_LIBRARY=/nowhere "$pbdr" bench --backend gpu --tests 1 --seeds 1 --duration 0.2 --csv b.csv
check bench__errors_are_rounding awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "final_position_error_m") c = k } NR == 2 && c > 0 { ok = $c < 1e-12 } END { exit !ok }' b.csv

expect solver__alias_has_a_note 0 "pbdr: note: the solver 'pbdr' is now called 'pbd-r'" "$pbdr" profile --test 1 --solver pbdr --duration 0.02
expect usage__test_is_needed 2 "--test N is needed" "$pbdr" profile --solver pbd-r
expect usage__solver_is_needed 2 "--solver NAME is needed: pbd, pbd-r or xpbdr" "$pbdr" profile --test 1
expect usage__peers_have_no_stages 2 "--solver mujoco: must be one of: pbd pbd-r xpbdr" "$pbdr" profile --test 1 --solver mujoco
expect usage__xpbdr_has_one_engine 2 "--engine particle: xpbdr has one engine" "$pbdr" profile --test 1 --solver xpbdr --engine particle
expect usage__xpbdr_has_one_precision 2 "--precision f32: xpbdr has one engine" "$pbdr" profile --test 1 --solver xpbdr --precision f32
expect usage__too_many_substeps 2 "--duration 1 with --dt 1e-12" "$pbdr" profile --test 1 --solver xpbdr --dt 1e-12
expect usage__unknown_option 2 "'--wings'" "$pbdr" profile --wings
expect usage__stray_argument 2 "'1'" "$pbdr" profile 1
expect usage__bad_value 2 "--n four: not a number" "$pbdr" profile --n four
expect file__that_cannot_be_written_is_named 1 "none/x.csv" "$pbdr" profile --test 1 --solver pbd-r --csv none/x.csv
expect file__missing_mesh_is_named 1 "no/such.stl" "$pbdr" profile --test 4 --solver pbd-r --mesh no/such.stl --csv mesh.csv
check file__of_a_failed_run_is_not_written test ! -e mesh.csv
expect file__full_disk_for_the_table 1 "cannot write to standard output" sh -c "'$pbdr' profile --test 1 --solver pbd-r --duration 0.01 >/dev/full"
check files__nothing_is_left_behind test -z "$(find . -name '*.tmp')"
finish
