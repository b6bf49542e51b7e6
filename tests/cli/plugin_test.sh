#!/usr/bin/env bash
# Plug-ins: the sample scores the floor; those that crash, are made for another interface or refuse a test are reported and the others go on.
#
#     plugin_test.sh PBDR PLUGIN_DIR
set -u
pbdr=$(realpath "$1")
dir=$(realpath "$2")
. "$(dirname "$0")/expect.sh"
short=(--tests 1 --duration 0.1 --seeds 2)

expect plugin__sample_runs 0 "block" "$pbdr" bench --plugin "$dir/libblock.so" --solvers block --tests 1-3 --seeds 2 --json sample.json
# floors: 1.63e-3 m, 0.107 deg, 6.44e-4 m
floors() { sed -n 's/.*"'"$1"'": \([0-9.e-]*\).*/\1/p' sample.json | paste -sd ' ' -; }
check plugin__sample_scores_the_floor awk -v a="$(floors final_position_error_m)" -v b="$(floors floor_position_m)" \
    -v c="$(floors final_rotation_error_deg)" -v d="$(floors floor_rotation_deg)" 'BEGIN {
        n = split(a, e, " "); split(b, f, " "); split(c, g, " "); split(d, h, " ")
        for (k = 1; k <= n; k++) if ((e[k] - f[k]) ^ 2 > 1e-18 || (g[k] - h[k]) ^ 2 > 1e-14) exit 1
        exit n != 6 }'
check plugin__engine_is_name_and_version grep -q '"engine": "block 1.0"' sample.json
expect plugin__runs_beside_the_others 0 "pbdr, seed 2" "$pbdr" bench --plugin "$dir/libblock.so" "${short[@]}"
check plugin__is_in_the_table grep -q " block " out

expect plugin__crash_is_contained 1 "crashed (signal 6" "$pbdr" bench --plugin "$dir/libcrash_in_step.so" \
    --plugin "$dir/libblock.so" "${short[@]}" --json crash.json
check plugin__crash_stands_in_the_table grep -q "bad .*crashed" out
check plugin__others_go_on_after_a_crash grep -q '"solver": "block"' crash.json
check plugin__crash_stands_in_the_json grep -q '"failed"' crash.json
# Tests 8 and up: what the sample can do it does at the floor, v dt/2; what it cannot it refuses, and that is a result
expect plugin__runs_the_extended_suite 0 "test 21 tower of 10, block, seed 1: not supported: a block knows no other bodies" "$pbdr" bench --plugin "$dir/libblock.so" --solvers block --tests 9,11,13,21 --seeds 1 --csv extended.csv
check plugin__is_measured_in_the_extended_suite awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next } { e = $at["final_position_error_m"]; f = $at["floor_position_m"] }
    $1 == 9 || $1 == 11 { good += e > 0.98 * f && e < 1.02 * f } $1 == 13 { good += $at["problem"] == "not supported: a block neither rolls nor spins" && e == "" } END { exit good != 3 }' extended.csv
expect plugin__crash_at_load_is_contained 1 "crashed (signal 6" "$pbdr" bench --plugin "$dir/libcrash_at_load.so" "${short[@]}"
check plugin__others_go_on_after_a_crash_at_load grep -q "pushed box *pbd-r" out
expect plugin__exit_is_contained 1 "ended its process (exit code 7)" "$pbdr" bench --plugin "$dir/libexits.so" "${short[@]}"
expect plugin__other_interface_is_refused 1 "version 6 of the plug-in interface, this program has version 5" \
    "$pbdr" bench --plugin "$dir/libwrong_abi.so" "${short[@]}"
check plugin__others_go_on_after_a_refusal grep -q "pushed box *pbd-r" out
# joints: who does not say that it knows them, or says so in a version without them, gets no such scene
expect plugin__of_the_version_before_runs 0 "test 8 push that friction holds, bad, seed 1: distance" "$pbdr" bench --plugin "$dir/libold_abi.so" --solvers bad --tests 8,28 --seeds 1
check plugin__of_the_version_before_gets_no_joints grep -q "test 28 pendulum, bad, seed 1: not supported: joints" err
expect plugin__without_joints_is_not_asked 0 "test 28 pendulum, block, seed 1: not supported: joints" "$pbdr" bench --plugin "$dir/libblock.so" --solvers block --tests 28 --seeds 1
expect plugin__without_functions_is_refused 1 "lacks a name, create, step" "$pbdr" bench --plugin "$dir/libno_functions.so" "${short[@]}"
expect plugin__not_supported_is_a_result 0 "not supported: on Sundays" "$pbdr" bench --plugin "$dir/librefuses.so" "${short[@]}" --json refused.json
check plugin__not_supported_stands_in_the_json grep -q '"not_supported"' refused.json
expect plugin__missing_file 1 "nosuch.so" "$pbdr" bench --plugin nosuch.so "${short[@]}"
echo "no library" >text.so
expect plugin__no_library 1 "text.so" "$pbdr" bench --plugin text.so "${short[@]}"
# --- What plug-ins say is checked ---
one=(--solvers bad --tests 1 --duration 0.05 --seeds 1)
for lie in "nan_rotation:a rotation that is not finite" "zero_rotation:no unit quaternion" "nan_velocity:a velocity that is not finite" \
    "nan_momentum:angular momentum that is not finite" "unknown_flags:flags 0x80"; do
    name=${lie%%:*}
    expect "lie__${name}_fails" 1 "${lie#*:}" "$pbdr" bench --plugin "$dir/lib$name.so" "${one[@]}" --json lie.json --trajectory lies
    check "lie__${name}_is_no_measurement" grep -q '"final_position_error_m": null' lie.json
    check "lie__${name}_is_a_failure" grep -q '"failed"' lie.json
    check "lie__${name}_leaves_no_trajectory" test -z "$(ls lies)"
done
refused() { expect "name__$1_is_refused" 1 "$2" "$pbdr" bench --plugin "$dir/lib$1.so" "${short[@]}" --solvers pbd-r --csv name.csv; }
refused named_pbdr "it calls itself 'pbdr', which is the name of a solver of this program"
check name__of_a_built_in_stays_its_own awk -F, 'NR > 1 && $3 != "reduced" { exit 1 }' name.csv
refused name_with_newline "its name 'two?lines' is not"
refused name_with_escape "its name 'red?[31m' is not"
check name__with_escapes_does_not_reach_the_terminal bash -c '! grep -q "$(printf "\033")" err'
refused name_with_folder "its name '../up' is not"
refused version_with_comma "its version '1,2' is not"
expect name__twice_is_refused 1 "its name 'bad' is taken by" "$pbdr" bench --plugin "$dir/libdoubts.so" --plugin "$dir/libprints.so" "${one[@]}"
expect solvers__unknown_is_named 2 "--solvers block,nosuch: 'nosuch': wanted solvers of: pbd, pbd-r, xpbdr" "$pbdr" bench --plugin "$dir/libblock.so" --solvers block,nosuch "${short[@]}"
check solvers__plugins_are_among_those_wanted grep -q ", block$" err
expect doubts__are_measured 0 "" "$pbdr" bench --plugin "$dir/libdoubts.so" "${one[@]}"
check doubts__are_marked grep -q " bad .*!not converged (1 of 1)" out
# Bytes that the plug-in writes over what its process sends back, whatever they are
for byte in 0 1 2 127 128 255 any; do
    [ $byte = any ] && unset FORGED || export FORGED=$byte
    expect "forged__${byte}_is_contained" 1 "makes no sense" "$pbdr" bench --plugin "$dir/libforges.so" --plugin "$dir/libblock.so" --solvers bad,block "${short[@]}" --json forged.json
    check "forged__${byte}_others_go_on" grep -q '"solver": "block"' forged.json
    check "forged__${byte}_is_no_measurement" test "$(grep -c '"final_position_error_m": null' forged.json)" = 2
done
unset FORGED

# --- What plug-ins may take ---
expect help__names_the_limits 0 "" "$pbdr" bench --help
check help__names_the_time_limit grep -q -e "--plugin-timeout S .*(600)" out
check help__names_the_memory_limit grep -q -e "--plugin-memory MB .*(4096)" out
expect time__is_limited 1 "took longer than 0.3 s (--plugin-timeout)" timeout 20 "$pbdr" bench --plugin "$dir/libhangs.so" "${one[@]}" --plugin-timeout 0.3 --trajectory late
check time__leaves_no_trajectory test -z "$(ls late)"
expect time__is_limited_at_load 1 "took longer than 0.3 s (--plugin-timeout) while it was loaded" timeout 20 "$pbdr" bench \
    --plugin "$dir/libhangs_at_load.so" --solvers pbd-r "${short[@]}" --plugin-timeout 0.3
expect memory__is_limited 1 "there is no 1 GiB" "$pbdr" bench --plugin "$dir/libgrabs_memory.so" "${one[@]}" --plugin-memory 512
expect memory__is_there_by_default 0 "" "$pbdr" bench --plugin "$dir/libgrabs_memory.so" "${one[@]}"
began=$SECONDS
expect grandchild__does_not_delay 1 "crashed (signal 6" "$pbdr" bench --plugin "$dir/libhas_a_child.so" "${one[@]}"
check grandchild__cost_no_time test $((SECONDS - began)) -lt 10
check grandchild__was_there test -s grandchild.pid
check grandchild__is_gone bash -c 'for k in $(seq 50); do [ -e /proc/$(cat grandchild.pid)/cmdline ] && grep -q . /proc/$(cat grandchild.pid)/cmdline || exit 0; sleep 0.1; done; exit 1'
expect stdout__is_the_table_s 0 "WORDS ON STDOUT" "$pbdr" bench --plugin "$dir/libprints.so" "${one[@]}"
check stdout__has_no_foreign_words bash -c '! grep -q WORDS out'
expect crash__runs_with_a_trajectory 1 "crashed" "$pbdr" bench --plugin "$dir/libcrash_in_step.so" "${one[@]}" --trajectory crashed
check crash__leaves_no_trajectory test -z "$(ls crashed)"
expect refusal__runs_with_a_trajectory 0 "not supported" "$pbdr" bench --plugin "$dir/librefuses.so" "${one[@]}" --trajectory refused
check refusal__leaves_no_trajectory test -z "$(ls refused)"
# a disk that fills up while the plug-in's process writes: the file's size is limited to 1 KiB
expect disk__that_fills_up_is_noticed 1 "the trajectory cannot be written" bash -c "trap '' XFSZ; ulimit -f 1; exec '$pbdr' bench --plugin '$dir/libblock.so' --solvers block \
    --tests 1 --duration 1 --seeds 1 --trajectory small"
check disk__that_fills_up_leaves_no_file test -z "$(ls small)"

# Ctrl-C while a plug-in hangs, as soon as its process is there
"$pbdr" bench --plugin "$dir/libhangs.so" "${one[@]}" --json interrupted.json --trajectory hanging >out 2>err &
pid=$!
for k in $(seq 100); do [ -e hanging/test1_bad_seed1.csv.tmp ] && break; sleep 0.1; done
began=$SECONDS
kill -INT $pid
wait $pid
check interrupt__exits_with_130 test $? -eq 130
check interrupt__takes_no_time test $((SECONDS - began)) -lt 3
check interrupt__says_so grep -q "interrupted after 0 of 1 runs" err
check interrupt__leaves_no_file test -z "$(find . -name 'interrupted.json*' -o -path './hanging/*')"
left() { for p in /proc/[0-9]*; do [ "$(readlink "$p/cwd")" = "$PWD" ] && tr '\0' ' ' <"$p/cmdline" | grep "bench --plugin"; done; true; }
check interrupt__leaves_no_process test -z "$(left)"

expect plugin__unknown_preset 2 "block has no preset 'fast'" "$pbdr" bench --plugin "$dir/libblock.so" --solvers block:fast "${short[@]}"
finish
