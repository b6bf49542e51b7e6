#!/usr/bin/env bash
# pbdr run with snapshots, a ledger and rules: a run that resumes is the run that was not stopped; snapshots that are
# damaged or of another run are refused. run_state_test.sh PBDR
pbdr=$(realpath "$1")
source "$(dirname "$0")/expect.sh"

"$pbdr" export --test 4 --format json -o box.json
"$pbdr" export --test 1 --format json -o other.json
run() { "$pbdr" run box.json --hash "$@"; }

expect whole_run 0 "" run --duration 0.3 --out whole.csv --ledger whole_ledger.csv
for at in 0.05 0.13 0.22; do
    expect "first_part_$at" 0 "" run --duration $at --out a.csv --ledger a_ledger.csv --snapshot run.snap
    expect "second_part_$at" 0 "" run --duration 0.3 --out b.csv --ledger b_ledger.csv --resume run.snap
    # the frame that a run resumes at stands in both parts of the trajectory, with the same bits
    awk -F, 'FNR == 1 && NR > 1 { next } !(($1, $2) in seen) { seen[$1, $2]; print }' a.csv b.csv >both.csv
    awk 'FNR == 1 && NR > 1 { next } 1' a_ledger.csv b_ledger.csv >both_ledger.csv
    expect "trajectory_is_that_of_the_whole_$at" 0 "" "$pbdr" diff whole.csv both.csv
    expect "ledger_is_that_of_the_whole_$at" 0 "" "$pbdr" diff whole_ledger.csv both_ledger.csv
done
# every 0.1 s: what a run that is stopped leaves behind
expect saved_on_the_way 0 "" run --duration 0.25 --snapshot way.snap --snapshot-every 0.1
expect resumed_from_the_end 0 "" run --duration 0.3 --out b.csv --resume way.snap
check ends_alike cmp <(tail -1 whole.csv) <(tail -1 b.csv)

# --- What is refused ---
expect missing_snapshot 1 "no_such.snap: " run --duration 0.3 --resume no_such.snap
expect another_scene 1 "run.snap: " "$pbdr" run other.json --duration 0.3 --resume run.snap
expect another_solver 1 "run.snap: its solver is XPBD-R, and this world's is PBD-R" run --duration 0.3 --solver pbd-r --resume run.snap
expect another_contact 1 "run.snap: its contact is" run --duration 0.3 --contact spheres --resume run.snap
expect another_time_step 1 "run.snap: its time step is 0.001 s, and this run's is 0.002 s (--dt)" run --duration 0.3 --dt 0.002 --resume run.snap
expect a_scene_file 1 "box.json: not a snapshot" run --duration 0.3 --resume box.json
head -c 500 run.snap >short.snap
expect truncated 1 "short.snap: truncated: it has 500 bytes" run --duration 0.3 --resume short.snap
{ head -c 700 run.snap; printf 'x'; tail -c +702 run.snap; } >bad.snap
expect damaged 1 "bad.snap: damaged: its checksum" run --duration 0.3 --resume bad.snap
expect snapshot_nowhere 1 "no/such/folder/run.snap" run --duration 0.3 --snapshot no/such/folder/run.snap
rm -f kept.csv
expect nothing_is_written_by_a_refused_run 1 "" run --duration 0.3 --resume bad.snap --out kept.csv --ledger kept.csv.ledger
check no_file_of_it test ! -e kept.csv -a ! -e kept.csv.ledger -a ! -e kept.csv.tmp

# --- Rules ---
expect rule_that_holds 0 "" run --duration 0.1 --fail-if 'penetration>1e-3' --fail-if 'slip_m>1,kinetic<-1'
expect rule_that_is_met 1 "--fail-if 't>=0.05': frame 5, t 0.05 s: t is 0.05" run --duration 0.1 --fail-if 't>=0.05' --ledger rule.csv
check ledger_up_to_there test "$(tail -n +2 rule.csv | wc -l)" -eq 6
expect rule_of_no_column 2 "the ledger has no column 'depth'; it has t, px" run --duration 0.1 --fail-if 'depth>1'
expect rule_of_no_number 2 "'deep' is not a number" run --duration 0.1 --fail-if 'penetration>deep'
expect rule_on_what_is_not_known 1 "newton_steps is not known" run --duration 0.1 --solver pbd-r --fail-if 'newton_steps>5'
finish
