#!/usr/bin/env bash
# What a substep of XPBD-R costs beside the peers, in instructions inside the solvers' step (callgrind): Test 1, n = 4. No clock is read;
# `make speed` shows the times.
#
#     speed_test.sh PBDR
set -u
pbdr=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0
skip() { skipped=$((skipped + 1)); echo "SKIPPED $1"; }

# NAME COLUMN BOUND SOLVER...: xpbdr costs at most BOUND of the cheapest of the solvers that were counted.
at_most()
{
    local verdict
    verdict=$(awk -F, -v column="$2" -v bound="$3" -v names="${*:4}" '
        BEGIN { split(names, list, " "); for (k in list) wanted[list[k]] = 1 }
        $1 == "xpbdr" { own = $column }
        $1 in wanted && $column > 0 && (least == 0 || $column < least) { least = $column; name = $1 }
        END {
            if (least == 0) print "none"
            else printf "%s %.3f of %s (%d of %d instructions)", (own + 0 > 0 && own <= bound * least ? "good" : "bad"), own / least, name, own, least
        }' "$scratch/counts.csv")
    case $verdict in
    none) skip "$1: ${*:4}: not in this build" ;;
    good*) passed=$((passed + 1)); echo "ok      $1: ${verdict#good } (at most $3)" ;;
    *) failed=$((failed + 1)); echo "FAILED  $1: ${verdict#bad }, wanted at most $3" ;;
    esac
}

if ! command -v valgrind >/dev/null; then
    skip "speed: valgrind is not installed (Debian: valgrind)"
elif ! PBDR=$pbdr SEEDS=1 SOLVERS="mujoco ode ode:tuned bullet bullet:tuned" bash "$here/../scripts/speed.sh" instructions >"$scratch/counts.csv" 2>"$scratch/err"; then
    failed=1
    cat "$scratch/err"
    echo "FAILED  speed__is_counted"
else
    cat "$scratch/err" "$scratch/counts.csv"
    at_most speed__of_mujoco_in_the_first_1000_substeps 2 0.2 mujoco
    at_most speed__of_mujoco_over_10000_substeps 3 0.3 mujoco
    at_most speed__of_the_fastest_ode_or_bullet_in_the_first_1000_substeps 2 0.5 ode ode:tuned bullet bullet:tuned
    at_most speed__of_the_fastest_ode_or_bullet_over_10000_substeps 3 0.5 ode ode:tuned bullet bullet:tuned
fi
echo "cases: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
