#!/usr/bin/env bash
# Accelerations of models of our own, at random states with controls, beside MuJoCo's mj_forward: what no robot of the wheels has.
#
#     accelerations_test.sh MEASURE FOLDER      build/measure/joints, and where the models are
set -euo pipefail
measure=$(realpath "$1") folder=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$folder"/*.xml "$scratch"
cd "$scratch"
passed=0 failed=0
for name in balls affine; do
    # a body with two joints has a carrier between them, which weighs 1e-9 of it: the bar that robots have
    bar=1e-12; [ "$name" = affine ] || bar=1e-8
    off=$("$measure" accelerations "$name.xml" | tail -n 1 | awk -F, '{ print $NF }')
    if awk -v off="$off" -v bar="$bar" 'BEGIN { exit !(off + 0 <= bar + 0 && off != "") }'; then
        echo "ok      ${name}__accelerate_as_mujocos ($off)"
        passed=$((passed + 1))
    else
        echo "FAILED  ${name}__accelerate_as_mujocos: off by $off, more than $bar"
        failed=$((failed + 1))
    fi
done
echo "cases: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
