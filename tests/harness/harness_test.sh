#!/usr/bin/env bash
# The harness itself (check.h): failures that say what was seen, crashes that name their case, counts that add up.
#
#     harness_test.sh SAMPLE-PROGRAM
set -u
sample=$(realpath "$1")
. "$(dirname "$0")/../cli/expect.sh"
ulimit -c 0

# NAME EXIT-CODE CASES TEXT...: runs cases of the sample; its output must contain every text.
says()
{
    local name=$1 code=$2 case=$3 got=0 good=1 text
    shift 3
    # shellcheck disable=SC2086 # several may be given
    "$sample" $case >out 2>&1 || got=$?
    [ "$got" -eq "$code" ] || { good=0; echo "    exit code $got, wanted $code"; }
    for text in "$@"; do
        grep -qF -- "$text" out || { good=0; echo "    output lacks '$text'"; }
    done
    if [ "$good" -eq 1 ]; then
        passed=$((passed + 1))
        echo "ok      $name"
    else
        failed=$((failed + 1))
        sed 's/^/    | /' out
        echo "FAILED  $name"
    fi
}

says pass__succeeds 0 pass__is_counted "run     pass__is_counted" "ok      pass__is_counted" \
    "cases: 1 passed, 0 failed, 0 skipped"
says skip__succeeds 0 skip__ "SKIPPED skip__is_counted: no reason" "cases: 0 passed, 0 failed, 1 skipped"
says near__prints_value_expectation_tolerance_and_difference 1 near__fails "FAILED  near__fails" \
    "sample.c:" "2.5 = 2.5, wanted 2 +- 0.25, off by 0.5" "cases: 0 passed, 2 failed, 0 skipped"
says near__fails_on_nan 1 near__fails_on_nan "nan, wanted 2 +- 1e+09, off by" "cases: 0 passed, 1 failed"
says bounds__print_what_they_saw 1 bounds__ "not true: 1 > 2" "3.0 = 3, wanted <= 2" "2.0 = 2, wanted >= 3" \
    "2.0 = 2, wanted == 3" '"one two" does not contain "three"' "cases: 0 passed, 1 failed, 0 skipped"
says failures__do_not_stop_later_cases 139 __ "FAILED  bounds__fail" "SKIPPED skip__is_counted"
says crash__by_a_signal_names_its_case 139 by_a_null_pointer "run     crash__by_a_null_pointer" \
    "CRASHED crash__by_a_null_pointer: signal 11" "cases: 0 passed, 1 failed, 0 skipped"
says crash__by_abort_names_its_case 134 by_abort "CRASHED crash__by_abort: signal 6" "cases: 0 passed, 1 failed"
says crash__by_exit_names_its_case 1 by_exit "FAILED  crash__by_exit: the program ended in it" "cases: 0 passed, 1 failed"
says crash__keeps_the_count_so_far 139 __ "cases: 1 passed, 4 failed, 1 skipped"
says choice__may_leave_cases_out 1 "-crash -bounds" "ok      pass__" "FAILED  near__fails" "cases: 1 passed, 2 failed, 1 skipped"
says choice__may_name_and_leave_out 1 "near__ -nan" "FAILED  near__fails" "cases: 0 passed, 1 failed, 0 skipped"
says choice__of_no_case_fails 1 no_such_case "cases: 0 passed, 0 failed, 0 skipped"

finish
