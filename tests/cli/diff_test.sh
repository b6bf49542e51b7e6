#!/usr/bin/env bash
# pbdr diff: equal runs, the place where two part, and files that are none. diff_test.sh PBDR
pbdr=$(realpath "$1")
source "$(dirname "$0")/expect.sh"

# NAME EXIT-CODE TEXT-ON-STDOUT COMMAND...
says()
{
    local name=$1 code=$2 text=$3
    shift 3
    expect "$name" "$code" "" "$@" && check "$name: $text" grep -qF -- "$text" out
}

header=t,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,hash
row() { echo "$1,$2,$3,0,0,1,0,0,0,0.5,0,0,0,0,0,$4"; }
{
    echo $header
    for k in 0 1 2 3; do
        row 0.0$k left 0.$k 000000000000000$k
        row 0.0$k right 1.$k 000000000000000$k
    done
} >a.csv

cp a.csv b.csv
says equal_files 0 "equal: 4 frames, 8 rows, 14 columns" "$pbdr" diff a.csv b.csv
sed -n '3p' a.csv >swapped; sed -n '2p' a.csv >>swapped
{ sed -n 1p a.csv; cat swapped; sed -n '4,$p' a.csv; } >b.csv
says bodies_in_another_order 0 "equal: 4 frames" "$pbdr" diff a.csv b.csv

sed '7s/^0.02,right,1.2,/0.02,right,1.2000001,/' a.csv >b.csv
says first_frame_body_and_quantity 1 "frame 2, t 0.02 s, body right: px is 1.2 in a.csv and 1.2000001 in b.csv, off by 1e-07" \
    "$pbdr" diff a.csv b.csv
says within_the_tolerance 0 "largest difference 1e-07: frame 2, body right, px" "$pbdr" diff a.csv b.csv --tolerance 1e-6
says beyond_the_tolerance 1 "px is 1.2" "$pbdr" diff a.csv b.csv --tolerance 1e-8

# the last bit, at full precision
sed '7s/,0.5,/,0.50000000000000011,/' a.csv >b.csv
says one_bit_of_a_velocity 1 "body right: vx is 0.5 in a.csv and 0.50000000000000011" "$pbdr" diff a.csv b.csv
# a hash is named where no number parts, and left out within a tolerance; it is no number
sed 's/0000000000000002/00000000000000020/' a.csv >b.csv
says hash_alone 1 "frame 2, t 0.02 s, body left: hash is 0000000000000002 in a.csv and 00000000000000020" "$pbdr" diff a.csv b.csv
says no_hash_within_a_tolerance 0 equal "$pbdr" diff a.csv b.csv --tolerance 1e-9
sed '6s/,0.5,/,0.6,/; 6,7s/0000000000000002/0000000000000009/' a.csv >b.csv
says number_before_hash 1 "vx is 0.5" "$pbdr" diff a.csv b.csv

sed 's/,0.5,/,nan,/' a.csv >nan.csv
says nan_equals_nan 0 equal "$pbdr" diff nan.csv nan.csv
says nan_is_no_number 1 "vx is 0.5 in a.csv and nan in nan.csv" "$pbdr" diff a.csv nan.csv --tolerance 1e9

head -7 a.csv >short.csv
says one_ends_sooner 1 "frame 3, t 0.03 s: only in a.csv; short.csv has 3 frames" "$pbdr" diff a.csv short.csv
says one_ends_sooner_other_way 1 "frame 3, t 0.03 s: only in a.csv; short.csv has 3 frames" "$pbdr" diff short.csv a.csv
sed '5d' a.csv >fewer.csv
says body_in_one_only 1 "frame 1, t 0.01 s, body right: only in a.csv" "$pbdr" diff a.csv fewer.csv
says body_in_the_other_only 1 "frame 1, t 0.01 s: 1 rows in fewer.csv and 2 in a.csv" "$pbdr" diff fewer.csv a.csv
sed 's/^0.02/0.025/' a.csv >later.csv
says other_times 1 "frame 2, t 0.02 s: t is 0.02" "$pbdr" diff a.csv later.csv

# other columns, ledgers
cut -d, -f1-15 a.csv >no_hash.csv
expect column_in_one_only 0 "note: only a.csv has a column 'hash'" "$pbdr" diff a.csv no_hash.csv
printf 't,px,kinetic_J\n0,1,2\n0.01,1,3\n' >ledger.csv
printf 't,kinetic_J,px\n0,2,1\n0.01,3.5,1\n' >ledger2.csv
says ledgers_by_names 1 "frame 1, t 0.01 s: kinetic_J is 3 in ledger.csv and 3.5 in ledger2.csv, off by 0.5" \
    "$pbdr" diff ledger.csv ledger2.csv

# what is no input
expect missing_file 2 "no_such.csv: " "$pbdr" diff a.csv no_such.csv
expect no_second_file 2 "which files" "$pbdr" diff a.csv
expect three_files 2 "unexpected argument" "$pbdr" diff a.csv b.csv c.csv
expect bad_tolerance 2 "tolerance" "$pbdr" diff a.csv b.csv --tolerance -1
expect nan_tolerance 2 "tolerance" "$pbdr" diff a.csv b.csv --tolerance nan
printf 'x,y\n1,2\n' >other.csv
expect no_time 2 "other.csv: line 1: the header names no column 't'" "$pbdr" diff a.csv other.csv
printf 't,u\n0,2\n' >strange.csv
expect nothing_in_common 2 "no column in common" "$pbdr" diff a.csv strange.csv
printf 't,px\n0,1\nsoon,2\n' >words.csv
expect time_is_no_number 2 "words.csv: line 3: t 'soon': not a time" "$pbdr" diff words.csv words.csv
printf 't,px\n0,1\n0.2,2\n0.1,2\n' >back.csv
expect time_goes_back 2 "back.csv: line 4: t 0.1" "$pbdr" diff back.csv back.csv
printf 't,px\n0,1\n0.2\n' >ragged.csv
expect ragged_rows 2 "ragged.csv: line 3" "$pbdr" diff ragged.csv ragged.csv
printf 't,px\n' >empty.csv
expect no_rows 2 "empty.csv: no rows" "$pbdr" diff empty.csv empty.csv
printf 't,px,px\n0,1,2\n' >twice.csv
expect column_twice 2 "two columns 'px'" "$pbdr" diff twice.csv twice.csv
printf 't,body,px\n0,\x1b[31mred,1\n' >escape.csv
printf 't,body,px\n0,\x1b[31mred,2\n' >escape2.csv
says escapes_do_not_reach_the_terminal 1 "body ?[31mred" "$pbdr" diff escape.csv escape2.csv

# a run of the benchmark, twice and with another seed
expect bench_runs 0 "" "$pbdr" bench --tests 1 --solvers xpbdr --seeds 2 --duration 0.1 --trajectory one
expect bench_again 0 "" "$pbdr" bench --tests 1 --solvers xpbdr --seeds 2 --duration 0.1 --trajectory two
file=$(basename one/*seed1.csv) other=$(basename one/*seed2.csv)
says the_same_run_twice 0 "equal: 11 frames" "$pbdr" diff one/"$file" two/"$file"
says another_seed 1 "frame 0, t 0 s, body" "$pbdr" diff one/"$file" one/"$other"
finish
