#!/usr/bin/env bash
# pbdr score: a file scores what bench measured while it was written; files that are damaged are refused with file, line and value. Runs under the sanitizers
# too, then without the plug-in.
#
#     score_test.sh PBDR [PLUGIN_DIR]
set -u
pbdr=$(realpath "$1")
plugins=${2:+$(realpath "$2")}
. "$(dirname "$0")/expect.sh"

expect help__of_score_is_success 0 "" "$pbdr" score --help
for option in test seed turn start-from-file body duration name json mu force mesh radius; do
    check "help__names_$option" grep -q -e "--$option " out
done

# --- A file scores what bench measured ---
# FILE KEY: the first value of a number in a result file
number() { sed -n 's/.*"'"$2"'": \([-0-9.e+]*\),*$/\1/p' "$1" | head -1; }
# FILE FILE RELATIVE KEY...: the results agree
agree()
{
    local a=$1 b=$2 slack=$3 key
    shift 3
    for key in "$@"; do
        awk -v x="$(number "$a" "$key")" -v y="$(number "$b" "$key")" -v s="$slack" -v k="$key" 'BEGIN {
            d = x - y; d = d < 0 ? -d : d; m = y < 0 ? -y : y
            if (x == "" || y == "" || d > s * m + 1e-12) { print k ": " x " and " y; exit 1 } }' || return 1
    done
}
errors=(final_position_error_m mean_position_error_m final_rotation_error_deg mean_rotation_error_deg max_tilt_deg
    floor_position_m floor_rotation_deg)

# The particle solver in double: its momenta are those of the spheres, so they are not compared. The file holds 17 digits, the start is read back as it was set.
for test in 1 2 3; do
    "$pbdr" bench --tests $test --solvers pbd-r --precision f64 --seeds 2 --duration 2 --trajectory traj --json bench$test.json >/dev/null 2>&1
    sed -n '/"seed": 2/,$p' bench$test.json >bench$test.seed2
    file=traj/test${test}_pbd-r_reduced_f64_seed2.csv
    expect "score__runs_on_test_$test" 0 "" "$pbdr" score --test $test "$file" --seed 2 --start-from-file --json score.json
    check "score__is_that_of_bench_on_test_$test" agree score.json bench$test.seed2 1e-9 "${errors[@]}"
done
# Every key of bench's runs is there, in the same order; params differ by the solver's own settings
keys() { sed -n '/"schema"/,/"params"/p; /"substeps"/,$p' "$1" | grep -o '"[a-zA-Z_0-9]*":'; }
keys score.json >score.keys
"$pbdr" bench --tests 3 --solvers pbd-r --seeds 1 --duration 0.02 --json one.json >/dev/null 2>&1
keys one.json >bench.keys
check score__writes_the_keys_that_bench_writes cmp score.keys bench.keys
echo 'file(READ ${FILE} text)
string(JSON error GET "${text}" runs 0 final_position_error_m)' >parse.cmake
check score__writes_json cmake -DFILE=score.json -P parse.cmake
check score__engine_is_the_file grep -q '"engine": "test3_pbd-r_reduced_f64_seed2.csv"' score.json
check score__prints_a_row grep -q "3 box on slope" out

"$pbdr" bench --tests 7 --solvers pbd-r --precision f64 --seeds 1 --duration 1 --offset 0.04 --trajectory traj --json bench7.json >/dev/null 2>&1
expect score__runs_on_test_7 0 "" "$pbdr" score --test 7 traj/test7_pbd-r_reduced_f64_seed1.csv --seed 1 --offset 0.04 --json score7.json
check score__is_that_of_bench_on_test_7 agree score7.json bench7.json 1e-9 final_position_error_m mean_position_error_m \
    final_rotation_error_deg mean_rotation_error_deg

# The reference itself scores nothing: at its frames to its 12 digits, between them (half-way along the chord) to A dt^2/8 = 6e-7 m and the reference's own
# interpolation, 1e-6 m. The last row is between frames, too.
"$pbdr" reference --test 7 --duration 2 --csv reference.csv 2>/dev/null
awk -F, 'NR == 1 { print "t,px,py,pz,qw,qx,qy,qz"; next } {
        if (NR > 2) row(($1 + t) / 2, ($2 + x) / 2, ($3 + y) / 2, ($4 + a) / 2)
        if (NR < 202) row($1, $2, $3, $4)
        t = $1; x = $2; y = $3; a = $4 }
    function row(t, x, y, a) { printf "%.12g,%.15g,%.15g,0,%.15g,0,0,%.15g\n", t, x, y, cos(a / 2), sin(a / 2) }' reference.csv >between.csv
expect score__runs_between_frames 0 "the last row is at 1.995 s" "$pbdr" score --test 7 between.csv --json between.json
check score__of_the_reference_between_frames_is_nothing awk -v a="$(number between.json final_position_error_m)" -v b="$(number between.json final_rotation_error_deg)" \
    'BEGIN { print a, b; exit !(a != "" && a < 2e-6 && b < 2e-3) }'
expect score__runs_at_frames 0 "" "$pbdr" score --test 7 between.csv --duration 1.99 --json frames.json
check score__of_the_reference_at_frames_is_zero awk -v a="$(number frames.json final_position_error_m)" 'BEGIN { print a; exit !(a != "" && a < 1e-11) }'

# The sample plug-in: everything is the true body's, so everything agrees.
if [ -n "$plugins" ]; then
    for test in 1 2 3; do
        "$pbdr" bench --tests $test --plugin "$plugins/libblock.so" --solvers block --seeds 1 --trajectory traj --json block.json >/dev/null 2>&1
        expect "score__runs_on_the_plugin_s_test_$test" 0 "" "$pbdr" score --test $test traj/test${test}_block_seed1.csv --seed 1 --json score.json
        # from the final_ keys to the end: errors, velocities, momenta
        errors_of() { sed -n '/"final_position_error_m"/,/"angular_momentum_error"/p' "$1" | grep -v us_per_substep; sed -n '/"angular_momentum_error"/,/}/p' "$1"; }
        errors_of block.json >block.errors
        errors_of score.json >score.errors
        check "score__is_the_plugin_s_to_the_last_digit_on_test_$test" cmp block.errors score.errors
        check "score__compares_more_than_nothing_on_test_$test" test "$(wc -l <score.errors)" -gt 30
    done
else
    skipped=$((skipped + 1))
    echo "SKIPPED score of the sample plug-in: no plug-ins in this build"
fi

# --- A file made by hand: x = a t^2/2 + 0.001 t of Test 1, a = 17/4 - 0.4 9.81 = 0.326 ---
# columns in another order, others between them, another body's rows, sparse, without velocities
awk 'BEGIN { print "name, px, t,py,pz, qx,qy,qz,qw,\"body\""
    for (t = 0; t <= 10; t += 2) { printf "a,%.12f,%g,2,3,0,0,0,1,box\n", 1 + 0.163 * t * t + 0.001 * t, t; print "a,9,7,9,9,0,0,0,1,rod" } }' >sparse.csv
expect score__takes_sparse_rows_and_any_order 0 "" "$pbdr" score --test 1 sparse.csv --body box --json sparse.json
check score__final_error_is_0_01 awk -v e="$(number sparse.json final_position_error_m)" 'BEGIN { exit (e - 0.01)^2 > 1e-20 }'
check score__mean_error_is_0_006 awk -v e="$(number sparse.json mean_position_error_m)" 'BEGIN { exit (e - 0.006)^2 > 1e-20 }'
check score__error_at_2_s_is_0_002 awk -v e="$(number sparse.json t2)" 'BEGIN { exit (e - 0.002)^2 > 1e-20 }'
without_velocities() { sed -n "/\"$1\"/,/}/p" sparse.json | grep -c null | grep -qx 3; }
for key in velocity_error_mps linear_momentum_error angular_momentum_error; do
    check "score__without_velocities_${key}_is_null" without_velocities $key
done
expect score__two_bodies_need_a_choice 1 "sparse.csv: line 3: body 'rod', but line 2 has 'box': choose with --body" "$pbdr" score --test 1 sparse.csv
expect score__unknown_body 1 "sparse.csv: no rows of body 'ball'" "$pbdr" score --test 1 sparse.csv --body ball
expect score__duration_cuts 0 "" "$pbdr" score --test 1 sparse.csv --body box --duration 4 --json cut.json
check score__duration_is_in_the_result grep -q '"duration_s": 4,' cut.json
expect score__duration_without_rows 1 "--duration 1: sparse.csv has no row" "$pbdr" score --test 1 sparse.csv --body box --duration 1

head=t,px,py,pz,qw,qx,qy,qz
# The same motion turned by a quarter turn, scored with --turn
awk -v h=$head 'BEGIN { print h; for (t = 0; t <= 10; t++) printf "%g,0,%.12f,0,1,0,0,0\n", t, 0.163 * t * t }' >turned.csv
expect score__turns_the_push 0 "" "$pbdr" score --test 1 turned.csv --turn 1.5707963267948966 --json turned.json
check score__turned_is_exact awk -v e="$(number turned.json final_position_error_m)" 'BEGIN { exit e > 1e-9 }'
# mu and force: 40 N at mu = 0.5 is 10 - 4.905 = 5.095 m/s^2
awk -v h=$head 'BEGIN { print h; for (t = 0; t <= 10; t++) printf "%g,%.12f,0,0,1,0,0,0\r\n\n# remark\n", t, 2.5475 * t * t }' >pushed.csv
expect score__takes_mu_and_force 0 "" "$pbdr" score --test 1 pushed.csv --mu 0.5 --force 40 --json pushed.json
check score__mu_and_force_are_exact awk -v e="$(number pushed.json final_position_error_m)" 'BEGIN { exit e > 1e-9 }'
# Test 2 turns by 18.75 rad in 10 s; from 8.5 to 9 s by 1.64 rad, more than a quarter turn
awk -v h=$head 'BEGIN { print h; for (t = 0; t <= 10; t += 0.5) { a = 0.1875 * t * t / 2; printf "%g,0,0,0,%.12f,0,0,%.12f\n", t, cos(a), sin(a) } }' >spin.csv
expect score__counts_turns_or_refuses 1 "spin.csv: line 20: 0.5 s after the row before" "$pbdr" score --test 2 spin.csv
expect score__counts_turns_while_it_can 0 "" "$pbdr" score --test 2 spin.csv --duration 8 --json spin.json
check score__counted_turns_are_exact awk -v e="$(number spin.json final_rotation_error_deg)" 'BEGIN { exit e > 1e-6 }'

# --- Divergence is a result; a short file is said to be short ---
printf '%s\n0,0,0,0,1,0,0,0\n1,0.163,0,0,1,0,0,0\n2,nan,0,0,1,0,0,0\n' $head >nan.csv
expect score__divergence_is_a_result 0 "" "$pbdr" score --test 1 nan.csv --json nan.json
check score__divergence_has_its_time grep -q '"failed_at_s": 2' nan.json
check score__divergence_has_null_errors grep -q '"final_position_error_m": null' nan.json
check score__divergence_is_in_the_table grep -q "diverged at 2.00 s" out
printf '%s\n0,0,0,0,1,0,0,0\n1,1e10,0,0,1,0,0,0\n' $head >far.csv
expect score__range_is_a_result 0 "the last row is at 1 s, not at 10 s" "$pbdr" score --test 1 far.csv --json far.json
check score__range_is_named grep -q out_of_range far.json
expect score__says_when_the_start_is_not_the_seed_s 0 "--start-from-file" "$pbdr" score --test 1 turned.csv --seed 1

# --- Damaged files: 1, with file, line and value ---
row=0,0,0,0,1,0,0,0
# NAME TEXT CONTENT
refuse() { printf "$3" >bad.csv; expect "refuse__$1" 1 "bad.csv: $2" "$pbdr" score --test 1 bad.csv --json refused.json; }
refuse an_empty_file "line 1: the file is empty" ""
refuse a_header_alone "no rows" "$head\n"
refuse a_start_alone "a start and nothing after it" "$head\n$row\n"
refuse a_missing_column "line 1: the header names no column 'qw'" "t,px,py,pz,qx,qy,qz\n0,0,0,0,0,0,0\n"
refuse no_header "line 1: the header names no column 't'" "$row\n1,0,0,0,1,0,0,0\n"
refuse a_doubled_column "line 1: two columns 'px'" "$head,px\n"
refuse half_a_velocity "line 1: of vx, vy, vz the header names some but not all" "$head,vx\n$row,0\n"
refuse a_short_row "line 3: 3 cells where the header names 8" "$head\n$row\n1,0,0\n"
refuse a_long_row "line 3: 9 cells where the header names 8" "$head\n$row\n1,0,0,0,1,0,0,0,5\n"
refuse words "line 3: py 'zero': not a number" "$head\n$row\n1,0,zero,0,1,0,0,0\n"
refuse an_empty_cell "line 3: px '': not a number" "$head\n$row\n1,,0,0,1,0,0,0\n"
refuse a_decimal_comma "line 3: 9 cells" "$head\n$row\n1,0,5,0,0,1,0,0,0\n"
refuse a_late_start "line 2: t 0.5: the first row must be the start" "$head\n0.5,0,0,0,1,0,0,0\n1,0,0,0,1,0,0,0\n"
refuse a_start_that_is_nan "line 2: a start that is not finite" "$head\n0,nan,0,0,1,0,0,0\n1,0,0,0,1,0,0,0\n"
refuse time_that_stands "line 4: t 1 does not come after 1" "$head\n$row\n1,0,0,0,1,0,0,0\n1,0,0,0,1,0,0,0\n"
refuse time_that_is_nan "line 3: t nan: not a time" "$head\n$row\nnan,0,0,0,1,0,0,0\n"
refuse time_without_end "line 3: t 1e+99: more than" "$head\n$row\n1e99,0,0,0,1,0,0,0\n"
refuse a_bad_quaternion "line 3: qw, qx, qy, qz 1 1 0 0: length 1.41421" "$head\n$row\n1,0,0,0,1,1,0,0\n"
refuse a_zero_quaternion "line 3: qw, qx, qy, qz 0 0 0 0: length 0" "$head\n$row\n1,0,0,0,0,0,0,0\n"
refuse a_zero_byte "line 3: a zero byte" "$head\n$row\n1,0,\0000,0,1,0,0,0\n"
refuse terminal_escapes "line 3: py '?[31mred?': not a number" "$head\n$row\n1,0,\033[31mred\233,0,1,0,0,0\n"
check refuse__escapes_do_not_reach_the_terminal bash -c '! LC_ALL=C grep -q "$(printf "[\033\233]")" err'
expect refuse__a_missing_file 1 "nosuch.csv: cannot be opened" "$pbdr" score --test 1 nosuch.csv
mkdir folder
expect refuse__a_folder 1 "folder: cannot be" "$pbdr" score --test 1 folder
expect refuse__json_into_a_missing_folder 1 "no/such.json" "$pbdr" score --test 1 turned.csv --json no/such.json
check refuse__leaves_no_file test ! -e refused.json
check refuse__leaves_no_temporaries test -z "$(find . -name '*.tmp')"

# --- Wrong usage: 2 ---
expect usage__no_file 2 "which trajectory" "$pbdr" score --test 1
expect usage__no_test 2 "--test N is needed" "$pbdr" score turned.csv
expect usage__two_files 2 "'far.csv'" "$pbdr" score --test 1 turned.csv far.csv
expect usage__unknown_test 2 "--test 9: must be" "$pbdr" score --test 9 turned.csv
expect usage__seed_and_turn 2 "--seed 1 turns the scene already" "$pbdr" score --test 1 turned.csv --seed 1 --turn 2
expect usage__switch_takes_no_value 2 "--start-from-file takes no value" "$pbdr" score --test 1 turned.csv --start-from-file=yes
finish
