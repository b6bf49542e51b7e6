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
expect plugin__crash_at_load_is_contained 1 "crashed (signal 6" "$pbdr" bench --plugin "$dir/libcrash_at_load.so" "${short[@]}"
check plugin__others_go_on_after_a_crash_at_load grep -q "pushed box *pbdr" out
expect plugin__exit_is_contained 1 "ended its process (exit code 7)" "$pbdr" bench --plugin "$dir/libexits.so" "${short[@]}"
expect plugin__other_interface_is_refused 1 "version 3 of the plug-in interface, this program has version 2" \
    "$pbdr" bench --plugin "$dir/libwrong_abi.so" "${short[@]}"
check plugin__others_go_on_after_a_refusal grep -q "pushed box *pbdr" out
expect plugin__without_functions_is_refused 1 "lacks a name" "$pbdr" bench --plugin "$dir/libno_functions.so" "${short[@]}"
expect plugin__not_supported_is_a_result 0 "not supported: on Sundays" "$pbdr" bench --plugin "$dir/librefuses.so" "${short[@]}" --json refused.json
check plugin__not_supported_stands_in_the_json grep -q '"not_supported"' refused.json
expect plugin__missing_file 1 "nosuch.so" "$pbdr" bench --plugin nosuch.so "${short[@]}"
echo "no library" >text.so
expect plugin__no_library 1 "text.so" "$pbdr" bench --plugin text.so "${short[@]}"
expect plugin__unknown_preset 2 "block has no preset 'fast'" "$pbdr" bench --plugin "$dir/libblock.so" --solvers block:fast "${short[@]}"
finish
