#!/usr/bin/env bash
# The command line's contract (shared CLI.md): exit codes, messages that name the culprit, nothing left behind. Runs under the sanitizers too.
#
#     cli_test.sh PBDR CHECK_JSON.cmake
set -u
pbdr=$(realpath "$1")
check_json=$(realpath "$2")
results=$(realpath "$(dirname "$0")/../../bench/results")
. "$(dirname "$0")/expect.sh"
short=(--solvers pbd,pbd-r --duration 0.05 --seeds 2)

# Help and version
expect help__is_success 0 "" "$pbdr" --help
check help__lists_the_commands grep -q bench out
expect help__of_bench_is_success 0 "" "$pbdr" bench --help
for option in tests suite solvers engine precision n layers radius packing masses seeds duration dt iterations mu force ablate \
    plugin trajectory json csv all table; do
    check "help__names_$option" grep -q -e "--$option " out
done
expect version__is_success 0 "" "$pbdr" --version
expect info__is_success 0 "" "$pbdr" info
check info__names_the_vectors grep -q vectors out
check info__lists_the_tests bash -c 'grep -q "^tests .* 1 pushed box," out && grep -q "^extended .* 8 push that friction holds," out && grep -q " 37 IFToMM A05, flyball governor$" out'

# Wrong usage: 2, and the message names option and value
expect usage__no_command 2 "usage" "$pbdr"
expect usage__unknown_command 2 "'fly'" "$pbdr" fly
expect usage__unknown_option 2 "'--wings'" "$pbdr" bench --wings 2
expect usage__stray_argument 2 "'1'" "$pbdr" bench 1
expect usage__missing_value 2 "--n needs a value" "$pbdr" bench --n
expect usage__not_a_number 2 "--n four: not a number" "$pbdr" bench --n four
expect usage__not_whole 2 "--n 4.5: not a whole number" "$pbdr" bench --n 4.5
expect usage__nan 2 "--mu nan: not a number" "$pbdr" bench --mu nan
expect usage__negative_radius 2 "--radius -1: must be above 0" "$pbdr" bench --radius -1
expect usage__zero_step 2 "--dt 0: must be above 0" "$pbdr" bench --dt 0
expect usage__negative_friction 2 "--mu -0.1: must be at least 0" "$pbdr" bench --mu -0.1
expect usage__no_seeds 2 "--seeds 0: must be at least 1" "$pbdr" bench --seeds 0
expect usage__unknown_test 2 "--tests 38: wanted test numbers 1 to 37" "$pbdr" bench --tests 38
expect usage__unknown_suite 2 "--suite second: must be one of: first extended all" "$pbdr" bench --suite second
expect usage__suite_and_tests 2 "--suite extended: --tests names the tests already" "$pbdr" bench --suite extended --tests 8
expect usage__export_has_the_first_suite 2 "--test 8: must be at least 1 and at most 7" "$pbdr" export --test 8 --format json
expect usage__empty_test 2 "--tests 1,: wanted test numbers" "$pbdr" bench --tests 1,
expect usage__unknown_solver 2 "--solvers pbd,xyz: 'xyz': wanted solvers of" "$pbdr" bench --solvers pbd,xyz
expect usage__unknown_precision 2 "--precision f16: must be one of: auto f32 f64" "$pbdr" bench --precision f16
expect usage__unknown_ablation 2 "--ablate mass: wanted parts of" "$pbdr" bench --ablate mass
expect usage__unknown_engine 2 "--engine magic: must be one of" "$pbdr" bench --engine magic
expect usage__too_many_substeps 2 "--duration 0.01 with --dt 1e-12: more than 1e+09 substeps" "$pbdr" bench --dt 1e-12 --duration 0.01
expect usage__one_file_for_two 2 "--csv names the same file" "$pbdr" bench --json same --csv same
# the name of before, for one version: the same run, and one note
expect solvers__alias_is_taken 0 "pbdr: note: the solver 'pbdr' is now called 'pbd-r'; the next version will not know the old name" \
    "$pbdr" bench --tests 1,3 --solvers pbdr,pbd-r,pbdr --seeds 1 --duration 0.02 --csv alias.csv --json alias.json
check solvers__alias_has_one_note test "$(grep -c "now called" err)" -eq 1
check solvers__alias_is_the_name_of_now test "$(cut -d, -f2 alias.csv | paste -sd ' ')" = "solver pbd-r pbd-r"
check results__xpbdr_is_its_own_engine sh -c '"$1" bench --tests 1 --solvers xpbdr,xpbdr:spheres --seeds 1 --duration 0.02 --csv own.csv >own.txt 2>/dev/null && [ "$(cut -d, -f3 own.csv | paste -sd " ")" = "engine xpbdr xpbdr" ] && ! grep -q reduced own.txt' - "$pbdr"
expect usage__equals_sign_works 0 "" "$pbdr" bench --tests=1 --solvers=pbd-r --seeds=1 --duration=0.02

# Files that cannot be had: 1, the file named, nothing left under the final name or beside it
expect files__missing_mesh 1 "no/such.stl" "$pbdr" bench --tests 4 --mesh no/such.stl "${short[@]}"
expect files__missing_mesh_without_tests 1 "no/such.stl" "$pbdr" bench --mesh no/such.stl "${short[@]}"
echo "not a mesh" >bad.stl
expect files__bad_mesh 1 "bad.stl" "$pbdr" bench --tests 4 --mesh bad.stl "${short[@]}"
expect files__json_into_a_missing_folder 1 "no/such/out.json" "$pbdr" bench --tests 1 --json no/such/out.json "${short[@]}"
expect files__csv_into_a_missing_folder 1 "no/such/out.csv" "$pbdr" bench --tests 1 --csv no/such/out.csv "${short[@]}"
touch plain
expect files__trajectory_into_a_file 1 "plain" "$pbdr" bench --tests 1 --trajectory plain "${short[@]}"
mkdir folder.json
expect files__json_onto_a_folder 1 "folder.json" "$pbdr" bench --tests 1 --json folder.json "${short[@]}"
echo old >target.json
ln -s target.json link.json
expect files__links_are_followed 0 "" "$pbdr" bench --tests 1 --json link.json "${short[@]}"
check files__links_stay_links test -L link.json
check files__links_lead_to_the_result grep -q pbdr-bench/2 target.json
mkfifo pipe
cat pipe >from_pipe &
expect files__pipes_are_written_to 0 "" "$pbdr" bench --tests 1 --csv pipe "${short[@]}"
wait
check files__pipes_stay_pipes test -p pipe
check files__pipes_carry_the_result test "$(wc -l <from_pipe)" -eq 5
expect files__full_disk_for_the_table 1 "cannot write to standard output" sh -c "'$pbdr' bench --tests 1 --solvers pbd-r --seeds 1 --duration 0.02 >/dev/full"
check files__leave_no_temporaries test -z "$(find . -name '*.tmp')"

# The default list without a mesh: tests 4 to 6 are skipped aloud, the others are run, Test 7 among them
offline=(--duration 0.02 --seeds 1 --solvers xpbdr)
expect offline__runs_what_needs_no_mesh 0 "TESTS 4, 5 AND 6 ARE SKIPPED" env PBDR_BUNNY=none "$pbdr" bench "${offline[@]}" --csv offline.csv
check offline__has_four_tests test "$(cut -d, -f1 offline.csv | tail -n +2 | paste -sd ' ')" = "1 2 3 7"
# What was asked for and cannot be had is no missing mesh
expect offline__tells_where_the_bunny_comes_from 1 "PBDR_BUNNY names it" env PBDR_BUNNY=none "$pbdr" bench "${offline[@]}" --tests 4
expect offline__spheres_that_are_not_there 1 "typo.json" "$pbdr" bench "${offline[@]}" --spheres typo.json
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' >corner.obj
if "$pbdr" info | grep -qi "assimp [0-9]"; then
    expect offline__spheres_too_large_for_the_mesh 1 "corner.obj" env PBDR_BUNNY=corner.obj "$pbdr" bench "${offline[@]}" --radius 1
fi

# The short table: without tests and solvers; --all has every solver and preset, in the long one
few=(--duration 0.02 --seeds 1)
expect short__is_what_nobody_asks_for 0 "" env PBDR_BUNNY=none "$pbdr" bench "${few[@]}" --table short.md --csv short.csv --json short.json
check short__is_markdown_of_seven_columns awk -F'|' '/^\|/ { n++; if (NF != 9) exit 1 } END { exit n != 7 }' out
check short__is_written_as_it_is_printed cmp out short.md
check short__runs_pbd_as_in_the_paper awk -F, '$2 ~ /^pbd/ && ($3 != "particle" || $4 != "f32") { exit 1 }' short.csv
check short__says_how_each_was_set grep -q "^How each was set: pbd and pbd-r run in single precision on particles, with 10 iterations" out
check short__has_the_solvers_of_the_build bash -c 'for name in pbd pbd-r xpbdr; do grep -q "^7,$name," short.csv || exit 1; done'
expect short__takes_settings 0 "" env PBDR_BUNNY=none "$pbdr" bench "${few[@]}" --precision f64 --iterations 3
check short__says_the_settings_it_took grep -q "in double precision on .*, with 3 iterations" out
expect short__is_written_alone 2 "--table t.md: only the short table is written" "$pbdr" bench --table t.md --solvers pbd
expect short__has_both_bases 2 "--base raw: the short table has both" "$pbdr" bench --base raw
expect short__one_file_for_two 2 "--csv same: --table names the same file" "$pbdr" bench --csv same --table same
expect all__is_the_long_table 0 "" env PBDR_BUNNY=none "$pbdr" bench --all "${few[@]}" --csv all.csv
check all__prints_a_row_for_each bash -c 'grep -q "^1 pushed box  *xpbdr:spheres " out && ! grep -q "^|" out'
check all__has_every_preset bash -c '
    "$1" info | sed -n "s/^solvers  *//p" | tr -d "\n" | sed "s/, /\n/g" | while read -r name rest; do
        presets=$(sed -n "s/.*presets //p" <<<"$rest")
        for preset in "" ${presets//,/ }; do grep -q "^1,$name${preset:+:$preset}," all.csv || exit 1; done
    done' - "$pbdr"
if [ -f "$(dirname "$pbdr")/data/bunny.stl" ]; then
    expect short__has_the_raw_mesh_too 0 "" env PBDR_BUNNY="$(dirname "$pbdr")/data/bunny.stl" "$pbdr" bench --duration 0.01 --seeds 1 --radius 0.02 --csv raw.csv --trajectory raw
    check short__raw_mesh_is_of_those_that_touch_by_surfaces bash -c '[ "$(grep -c "^4,xpbdr,.*,raw," raw.csv)" = 1 ] && [ "$(grep -c "^4,xpbdr,.*,flat," raw.csv)" = 1 ] && ! grep "^4,pbd" raw.csv | grep -q ",raw,"'
    check short__raw_mesh_has_its_row grep -qE "^\| 4, raw mesh \[m\] +\| +- \| +- \|" out
    check short__raw_mesh_has_its_trajectory bash -c 'ls raw | grep -q "^test4_xpbdr_f64_raw_seed1.csv" && ls raw | grep -q "^test4_xpbdr_f64_seed1.csv"'
fi

# The extended suite: by number, as a suite, and what a solver cannot do
extended=(--solvers pbd,xpbdr --seeds 1 --duration 0.02)
expect extended__runs_by_number 0 "test 9 push that friction cannot hold, xpbdr" "$pbdr" bench --tests 8,9,15 "${extended[@]}" --csv some.csv --json some.json
check extended__has_the_tests_asked_for test "$(cut -d, -f1,2 some.csv | tail -n +2 | paste -sd ' ')" = "8,pbd 8,xpbdr 9,pbd 9,xpbdr 15,pbd 15,xpbdr"
check extended__table_says_the_question grep -q "^9 push that friction cannot hold, 0.02 s: distance, exactly " out
check extended__table_says_what_is_not_supported grep -q "^   pbd .*  not supported: restitution" out
check extended__csv_says_what_is_not_supported grep -q "^15,pbd,.*,not_supported,.*,not supported: restitution which" some.csv
expect extended__json_is_written 0 "" "$pbdr" bench --tests 8,9,15 --solvers xpbdr --seeds 1 --duration 0.02 --json own.json
check extended__json_is_json cmake -DFILE=own.json -DRUNS=3 -P "$check_json"
check extended__json_has_the_figure grep -q '"figure": {' some.json
check extended__json_has_the_answer grep -q '"answer": "right"' some.json
expect extended__mixes_with_the_first 0 "" "$pbdr" bench --tests 1,8 --solvers xpbdr --seeds 1 --duration 0.02 --csv mixed.csv
check extended__mixed_table_has_both bash -c 'grep -q "^1 pushed box" out && grep -q "^8 push that friction holds" out'
expect extended__is_a_suite 0 "" "$pbdr" bench --suite extended --solvers xpbdr:spheres --seeds 1 --duration 0.01 --csv suite.csv
check extended__suite_has_all test "$(cut -d, -f1 suite.csv | tail -n +2 | paste -sd ' ')" = "$(seq 8 37 | paste -sd ' ')"
expect extended__takes_its_own_time 0 "" "$pbdr" bench --tests 18 --solvers xpbdr --seeds 1 --csv own.csv
check extended__own_time_is_the_tests awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k } NR == 2 { exit $at["substeps"] != 500 }' own.csv
expect extended__trajectory_has_every_body 0 "" "$pbdr" bench --tests 25 --solvers xpbdr --seeds 1 --duration 0.02 --trajectory balls
check extended__bodies_are_named test "$(cut -d, -f2 balls/test25_xpbdr_f64_seed1.csv | sort -u | paste -sd ' ')" = "ball 1 ball 2 ball 3 ball 4 ball 5 body"
expect extended__needs_no_mesh 0 "" env PBDR_BUNNY=none "$pbdr" bench --tests 26 --solvers xpbdr --seeds 1 --duration 0.01

# A mesh is called by its file's name, and spheres of pbdr pack are taken however the mesh was scaled
if "$pbdr" info | grep -qi "assimp [0-9]"; then
    awk 'BEGIN { for (i = 0; i < 8; i++) print "v", 7 + (i % 2) * 3, 5 + (int(i / 2) % 2) * 2, -4 + (i >= 4) * 2
        print "f 1 3 2\nf 2 3 4\nf 5 6 7\nf 6 8 7\nf 1 2 5\nf 2 6 5\nf 3 7 4\nf 4 7 8\nf 1 5 3\nf 3 5 7\nf 2 4 6\nf 4 8 6" }' >"my crate.obj"
    mesh=(--tests 4 --solvers xpbdr --duration 0.05 --seeds 1 --mesh "my crate.obj" --radius 0.01 --json mesh.json)
    expect mesh__is_called_by_its_file_s_name 0 "test 4 pushed my_crate, xpbdr" "$pbdr" bench "${mesh[@]}"
    check mesh__is_named_in_the_table grep -q "^4 pushed my_crate" out
    check mesh__is_named_in_the_json grep -q '"name": "pushed my_crate"' mesh.json
    if "$pbdr" info | grep -q "read through jansson"; then
        for way in "size cube" "extent extent"; do
            set -- $way
            expect "spheres__pack_by_$1" 0 "" "$pbdr" pack "my crate.obj" "--$1" 0.2 --mass 2.18 --radius 0.01 -o crate.json
            expect "spheres__of_pack_by_$1_are_taken" 0 "" "$pbdr" bench "${mesh[@]}" --fit "$2" --spheres crate.json
            # a box of spheres that stands on its base, pushed: nothing but rounding if the spheres are where the mesh is
            check "spheres__of_pack_by_$1_are_in_place" awk -F'[:,]' '/"final_position_error_m"/ { v = $2 } END { exit !(v < 1e-10) }' mesh.json
        done
        expect spheres__of_another_mesh_are_refused 1 "crate.json: its inertia is not that of corner.obj" "$pbdr" bench "${mesh[@]}" --mesh corner.obj --fit extent --spheres crate.json
    fi
    odd=$(printf 'odd\xff\xc3\033.obj')
    cp "my crate.obj" "$odd"
    expect names__odd_ones_run 0 "" "$pbdr" bench "${mesh[@]}" --mesh "$odd"
    check names__odd_ones_give_valid_utf8 iconv -f UTF-8 -t UTF-8 mesh.json
    check names__odd_ones_give_valid_json cmake -DFILE=mesh.json -DRUNS=1 -P "$check_json"
    check names__odd_bytes_are_replaced grep -qF 'odd\ufffd\ufffd\u001b.obj' mesh.json
    check names__odd_ones_do_not_reach_the_terminal bash -c '! LC_ALL=C grep -q "$(printf "\033")" out err'
fi

# What a file says does not drive the terminal
if command -v gnuplot >/dev/null; then
    mkdir escapes && sed '3s/,0\.001,/,\x1b[31m0.001\x9b,/' "$results/sweep.csv" >escapes/sweep.csv
    expect escapes__damage_is_named 1 "'?[31m0.001?' is no number" "$pbdr" report --results escapes --out escapes_page
    check escapes__do_not_reach_the_terminal bash -c '! LC_ALL=C grep -q "$(printf "[\033\233]")" out err'
fi

# What cannot be printed is a failure, of every command
for command in "info" "--help" "--version" "bench --help" "reference --test 7" "shapes --mesh nosuch.obj"; do
    got=0
    "$pbdr" $command >/dev/full 2>err || got=$?
    check "full_disk__${command// /_}_fails" test $got -eq 1
done
check full_disk__is_said grep -q "." err
expect full_disk__info_says_so 1 "cannot write to standard output" sh -c "'$pbdr' info >/dev/full"

# Counts have a limit that the help names
expect counts__iterations_are_capped 2 "--iterations 10001: must be at least 1 and at most 10000" "$pbdr" bench --iterations 10001
expect counts__help_is_success 0 "" "$pbdr" bench --help
check counts__help_names_the_cap grep -q -e "--iterations K .*at most 10000" out

# A file that a killed process left is used again; one that a living process writes is not touched
echo half >left.json.tmp
expect left__is_used_again 0 "" "$pbdr" bench --tests 1 --json left.json "${short[@]}"
check left__is_gone test ! -e left.json.tmp
check left__gave_way_to_the_result cmake -DFILE=left.json -DRUNS=4 -P "$check_json"
"$pbdr" bench --tests 1 --n 30 --solvers pbd-r --duration 1000 --trajectory killed >out 2>err &
pid=$!
for k in $(seq 100); do [ -e killed/test1_pbd-r_reduced_f64_seed1.csv.tmp ] && break; sleep 0.1; done
expect living__is_not_touched 1 "test1_pbd-r_reduced_f64_seed1.csv: cannot write: another process is writing it" \
    "$pbdr" bench --tests 1 --solvers pbd-r --seeds 1 --duration 0.02 --trajectory killed
kill -KILL $pid
wait $pid 2>/dev/null
check killed__leaves_one_file test "$(ls killed)" = test1_pbd-r_reduced_f64_seed1.csv.tmp
expect killed__is_cleaned_up_by_the_next 0 "" "$pbdr" bench --tests 1 --solvers pbd-r --seeds 1 --duration 0.02 --trajectory killed
check killed__leaves_nothing_then test "$(ls killed)" = test1_pbd-r_reduced_f64_seed1.csv

# What is renamed is on the disk before
if strace -o trace -e trace=fsync,rename "$pbdr" bench --tests 1 --json synced.json "${short[@]}" >out 2>err && [ -s trace ]; then
    check synced__before_it_is_renamed awk '/^fsync\(.*= 0/ { synced = 1 } /synced.json.tmp/ { exit !synced }' trace
else
    echo "SKIPPED synced: no strace here"
    skipped=$((skipped + 1))
fi

# Options that nothing heeds are said
expect bench__notes_an_engine_that_nobody_heeds 0 "note: --engine: no chosen solver heeds it" "$pbdr" bench --tests 1 --solvers xpbdr --seeds 1 --duration 0.02 --engine particle
expect bench__notes_a_friction_that_the_extended_suite_does_not_heed 0 "note: --mu, --force: tests 8 and up keep their own" "$pbdr" bench --tests 8 --solvers xpbdr --seeds 1 --duration 0.02 --mu 0.3
expect contact__is_chosen_by_solver 0 "" "$pbdr" bench --tests 1,7 --solvers pbd-r,xpbdr,xpbdr:spheres --seeds 1 --duration 0.02 --json contact.json --csv contact.csv
check contact__is_the_surface_for_xpbdr_alone test "$(cut -d, -f2 contact.csv | paste -sd' ')/$(cut -d, -f28 contact.csv | paste -sd' ')" = \
    "solver pbd-r xpbdr xpbdr:spheres pbd-r xpbdr xpbdr:spheres/contact spheres surface spheres spheres surface spheres"
check contact__is_in_the_json test "$(grep -c '"contact": "surface"' contact.json)/$(grep -c '"contact": "spheres"' contact.json)" = 2/4
check test7__is_printed_against_both_references grep -q "quasi-static  *dynamic$" out
expect contact__can_be_the_spheres 0 "" "$pbdr" bench --tests 1 --solvers xpbdr --seeds 1 --duration 0.02 --contact spheres --json contact.json
check contact__spheres_are_obeyed grep -q '"contact": "spheres"' contact.json
expect presets__spheres_win_over_the_option 0 "note: --contact surface" "$pbdr" bench --tests 1 --solvers xpbdr:spheres --seeds 1 --duration 0.02 --contact surface
expect bench__notes_a_contact_that_nobody_heeds 0 "note: --contact surface" "$pbdr" bench --tests 1 --solvers pbd-r --seeds 1 --duration 0.02 --contact surface

# Results
expect bench__runs 0 "test 1 pushed box" "$pbdr" bench --tests 1-2 "${short[@]}" --json out.json --csv out.csv --trajectory traj
check bench__prints_a_table grep -q "us per" out
check bench__json_has_the_schema cmake -DFILE=out.json -DRUNS=8 -P "$check_json"
check bench__csv_has_a_row_per_run test "$(wc -l <out.csv)" -eq 9
check bench__writes_trajectories test "$(cat traj/test1_pbd-r_reduced_f64_seed2.csv | wc -l)" -eq 7
check bench__leaves_no_temporaries test -z "$(find . -name '*.tmp')"
# The same command gives the same numbers, with any vector instructions
numbers() { "$pbdr" bench --tests 1 --solvers pbd,pbd-r --seeds 1 --duration 0.1 --csv "$1" --simd "$2" 2>/dev/null >/dev/null; cut -d, -f1-23 "$1"; }
numbers a.csv auto >a
numbers b.csv scalar >b
check bench__repeats_bit_for_bit cmp a b
check bench__repeats_more_than_nothing test "$(wc -l <a)" -eq 3
# A run that diverges is a result: exit 0, null errors, the flag and the time. 1e9 N carry a body off the map.
expect bench__divergence_is_a_result 0 "diverged" "$pbdr" bench --tests 1 --solvers pbd --seeds 1 --duration 4000 --dt 1 \
    --force 1e9 --json diverged.json
check bench__divergence_names_the_range grep -q '"out_of_range"' diverged.json
check bench__divergence_is_in_the_json grep -q '"not_finite"' diverged.json
check bench__divergence_has_null_errors grep -q '"final_position_error_m": null' diverged.json
check bench__divergence_has_its_time grep -q '"failed_at_s": [0-9]' diverged.json
check bench__divergence_is_valid_json cmake -DFILE=diverged.json -DRUNS=1 -P "$check_json"

# A figure that the solver has doubts about is marked in the table: 1e9 N make more than 1e5 m/s
expect flags__do_not_fail_the_run 0 "" "$pbdr" bench --tests 1 --solvers pbd-r --seeds 1 --duration 0.02 --force 1e9
check flags__are_marked_in_the_table grep -q "1 pushed box *pbd-r .*!speed limit (1 of 1)" out
check flags__are_explained_under_it grep -q "^!speed limit: a body was faster" out

# Ctrl-C: 130, the finished runs' table, and no file. It comes when the first run has begun: its file is there.
# NAME OPTIONS...: interrupts that run
interrupt()
{
    local name=$1
    shift
    "$pbdr" bench --tests 1 --solvers pbd-r --json interrupted.json --trajectory traj2 "$@" >out 2>err &
    pid=$!
    for k in $(seq 100); do [ -e traj2/test1_pbd-r_reduced_f64_seed1.csv.tmp ] && break; sleep 0.1; done
    local began=$SECONDS
    kill -INT $pid
    wait $pid
    check "${name}__exits_with_130" test $? -eq 130
    check "${name}__says_so" grep -q "interrupted" err
    check "${name}__is_soon" test $((SECONDS - began)) -le 4
    check "${name}__leaves_no_file" test -z "$(find . -name 'interrupted.json*' -o -name '*.tmp' -o -path './traj2/*.csv')"
}
interrupt interrupt --n 30 --duration 1000
check interrupt__counts_the_runs grep -q "interrupted after 0 of 3 runs" err
interrupt interrupt_within_a_frame --n 10 --dt 1e-8 --duration 0.01

finish
