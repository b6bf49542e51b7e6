#!/usr/bin/env bash
# pbdr reference: the file's form, the check figures, exit codes, nothing left behind.
#
#     reference_test.sh PBDR
set -u
pbdr=$(realpath "$1")
. "$(dirname "$0")/expect.sh"

# FILE TIME X Y THETA: the row at that time holds these to 1e-6, the last digit of PUSHING.md's figures.
holds()
{
    awk -F, -v t="$2" -v x="$3" -v y="$4" -v th="$5" '$1 == t {
        found = 1; bad = ($2 - x) ^ 2 > 1e-12 || ($3 - y) ^ 2 > 1e-12 || ($4 - th) ^ 2 > 1e-12; print }
        END { exit !found || bad }' "$1"
}

expect help__is_success 0 "" "$pbdr" reference --help
for option in test model support tilt offset mu mu-rod push-height rod-radius duration csv; do
    check "help__names_$option" grep -q -e "--$option " out
done
planar=(--test 7 --support uniform --offset 0.02 --mu 0.4 --mu-rod 0.4 --push-height 0 --rod-radius 0.01)
expect quasistatic__runs 0 "at rest        4.200626 s" "$pbdr" reference "${planar[@]}" --model quasistatic --csv q.csv
check csv__has_the_columns grep -qx "t,x,y,theta" q.csv
check csv__has_a_row_per_frame test "$(wc -l <q.csv)" -eq 1002
check csv__starts_at_zero grep -qx "0,0,0,0" q.csv
check quasistatic__at_2_s holds q.csv 2 0.094090 -0.019848 -0.203741
check quasistatic__at_rest holds q.csv 10 0.247829 -0.104283 -1.415266
expect dynamic__runs 0 "" "$pbdr" reference "${planar[@]}" --model dynamic --csv d.csv
check dynamic__at_2_s holds d.csv 2 0.094210 -0.019549 -0.200570
check dynamic__at_rest holds d.csv 10 0.253061 -0.104105 -1.417401
expect tilt__runs 0 "contact ends" "$pbdr" reference --model dynamic --tilt --support 3x3
expect lattice__runs 0 "contact ends" "$pbdr" reference --model dynamic --tilt --support lattice:4
check stdout__is_the_csv test "$(head -1 out)" = "t,x,y,theta"
expect duration__is_obeyed 0 "not within the duration" "$pbdr" reference --duration 0.5
check duration__gives_the_rows test "$(wc -l <out)" -eq 52

for bad in "--test 1" "--model fast" "--support 3x4" "--support 1x1" "--support 3" "--support lattice:0" "--support lattice:4x4" "--support lattice:" "--offset 0.1" "--offset x" "--mu 0" \
    "--mu-rod -1" "--push-height 1" "--rod-radius 1" "--duration 0" "--tilt=1" "--what 1" "extra"; do
    # shellcheck disable=SC2086
    expect "usage__${bad// /_}_is_refused" 2 "${bad%%[ =]*}" "$pbdr" reference $bad
done
expect usage__ellipsoid_cannot_tilt 2 "ellipsoid" "$pbdr" reference --support ellipsoid --tilt
expect tipping__is_said 1 "the box tips" "$pbdr" reference --tilt --mu 1 --push-height 0.15 --csv tips.csv
check tipping__leaves_no_file test ! -e tips.csv
expect file__that_cannot_be_written_is_named 1 "none/x.csv" "$pbdr" reference --csv none/x.csv
check files__nothing_is_left_behind test -z "$(find . -name '*.tmp')"
finish
