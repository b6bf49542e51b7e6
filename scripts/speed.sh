#!/usr/bin/env bash
# What a substep of XPBD-R costs beside MuJoCo, ODE and Bullet, and how that grows with the number of spheres, against the project's bars.
#
#     scripts/speed.sh [bars|scale|instructions]...      default: bars scale
#
# bars: Test 1, n = 4, in instructions (callgrind, the solvers' step alone) and in processor time (all solvers in one run, several runs, median of
# the runs' ratios; the costs shown are the least of the runs), in the first 1000 substeps, in the 9000 after them, and over all 10,000. scale: Test 1, 64 to 1e6 spheres, first 1000 substeps.
# instructions: the counts alone, as CSV (tests/speed_test.sh reads them).
# PBDR: the program (build/pbdr). REPEATS: runs per time (9; scale: a third of it). SEEDS: turned and shuffled starts 1 to SEEDS (3). SOLVERS: the peers.
set -euo pipefail
cd "$(dirname "$0")/.."
pbdr=${PBDR:-build/pbdr} repeats=${REPEATS:-9} seeds=${SEEDS:-3}
[ -x "$pbdr" ] || { echo "speed: $pbdr is missing: make build" >&2; exit 1; }
pbdr=$(realpath "$pbdr")
[ $# -gt 0 ] || set -- bars scale
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

loud() { printf '%s\n' '************************************************************************' "$@" \
    '************************************************************************' >&2; }

# The solvers to compare that this build has; says what is missing.
solvers=(xpbdr)
for solver in ${SOLVERS:-mujoco mujoco:tuned ode ode:tuned bullet bullet:tuned}; do
    if "$pbdr" info | grep -q "^solvers .* ${solver%%:*} "; then
        solvers+=("$solver")
    else
        loud "*  NOT IN THIS BUILD: $solver. Its bars are not judged; make setup."
    fi
done
list() { local IFS=,; echo "$*"; }
load() { echo "$(nproc 2>/dev/null || echo '?') processors, load $(cut -d ' ' -f 1 /proc/loadavg 2>/dev/null || echo unknown)"; }

# awk: the median of value[key, 1] to value[key, count[key]].
median='function median(key,  n, i, j, t, list) {
    n = count[key]
    for (i = 1; i <= n; i++) list[i] = value[key, i]
    for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j] < list[j - 1]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}'

# ARGUMENTS...: runs Test 1 and prints "solver us-per-substep" of every solver, the median over the seeds. Processor time: on a busy machine
# the clock on the wall favours whoever is done before the next program gets its turn.
time_run()
{
    "$pbdr" bench --tests 1 --seeds "$seeds" "$@" --csv "$scratch/run.csv" >/dev/null 2>"$scratch/err" ||
        { cat "$scratch/err" >&2; return 1; }
    awk -F, "$median"' NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
        { s = $at["solver"]; if (!(s in count)) order[++solvers] = s; value[s, ++count[s]] = $at["cpu_us_per_substep"] }
        END { for (k = 1; k <= solvers; k++) print order[k], median(order[k]) }' "$scratch/run.csv"
}

# SOLVER SECONDS: instructions per substep inside the solver's step, nothing else.
count_run()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=step --toggle-collect='*::step(void?, int)' \
        "$pbdr" bench --tests 1 --solvers "$1" --seeds "$seeds" --duration "$2" 2>&1 |
        awk -v substeps=$((seeds * $2 * 1000)) -v solver="$1" '/Collected/ { count = $4 / substeps }
            END { if (count < 1) { print "speed: " solver ": nothing was counted; is its step() inlined?" > "/dev/stderr"; exit 1 } printf "%.0f\n", count }'
}

# "solver,first,all" in instructions per substep.
instructions()
{
    local solver first all
    echo solver,first_1000,all_10000
    for solver in "${solvers[@]}"; do
        first=$(count_run "$solver" 1)
        all=$(count_run "$solver" 10)
        echo "$solver,$first,$all"
    done
}

# Reads "run,solver,first,all" rows; a run's ratios are its own. Prints costs, ratios and what the bars say of them.
judge() # UNIT
{
    awk -F, -v unit="$1" "$median"'
        function least(solver, window,  r, low) {
            if (window == 2) return (10 * least(solver, 3) - least(solver, 1)) / 9
            low = cost[1, solver, window]
            for (r = 2; r <= runs; r++) low = cost[r, solver, window] < low ? cost[r, solver, window] : low
            return low
        }
        function over(solver, window,  r) { # median over the runs of xpbdr/solver
            count["ratio"] = runs
            for (r = 1; r <= runs; r++) value["ratio", r] = cost[r, "xpbdr", window] / cost[r, solver, window]
            return median("ratio")
        }
        function bar(name, window, value, most) {
            printf "  %-46s %-12s %6.3f  at most %-4g %s\n", name, title[window], value, most, value <= most ? "met" : "NOT MET"
        }
        {
            runs = $1 > runs ? $1 : runs
            if (!($2 in known)) { known[$2] = 1; order[++solvers] = $2 }
            cost[$1, $2, 1] = $3; cost[$1, $2, 2] = (10 * $4 - $3) / 9; cost[$1, $2, 3] = $4
        }
        END {
            title[1] = "1..1000"; title[2] = "1001..10000"; title[3] = "1..10000"
            printf "%-14s %32s   %32s\n", "", unit " per substep", "xpbdr over this"
            printf "%-14s", "solver"
            for (k = 0; k < 6; k++) printf " %s%10s", k == 3 ? "  " : "", substr("       " title[k % 3 + 1], length(title[k % 3 + 1]) - 3)
            printf "\n"
            for (k = 1; k <= solvers; k++) {
                s = order[k]
                printf "%-14s", s
                for (w = 1; w <= 3; w++) printf unit == "us" ? " %10.3f" : " %10.0f", least(s, w)
                printf "  "
                for (w = 1; w <= 3; w++) printf " %10.3f", over(s, w)
                printf "\n"
            }
            printf "\n"
            for (p = 1; p <= 2; p++) {
                s = p == 1 ? "mujoco" : "mujoco:tuned"
                if (!(s in known)) { print "  " s ": NOT IN THIS BUILD, no verdict"; continue }
                name = p == 1 ? "MuJoCo, the paper\047s settings" : "MuJoCo tuned (no bar of its own)"
                bar(name, 1, over(s, 1), 0.2); bar(name, 2, over(s, 2), 0.3); bar(name, 3, over(s, 3), 0.3)
            }
            for (w = 1; w <= 3; w++) {
                most = 0
                for (k = 1; k <= solvers; k++) if (order[k] ~ /^(ode|bullet)/ && over(order[k], w) > most) { most = over(order[k], w); s = order[k] }
                if (most == 0) { print "  ODE, Bullet: NOT IN THIS BUILD, no verdict"; break }
                bar("the fastest of ODE and Bullet (" s ")", w, most, 0.5)
            }
            printf "\n"
        }'
}

bars()
{
    echo "== Test 1, n = 4 (64 spheres), seeds 1 to $seeds: instructions inside the solvers' step"
    if command -v valgrind >/dev/null; then
        instructions | awk -F, -v OFS=, 'NR > 1 { print 1, $1, $2, $3 }' | judge instr
    else
        loud "* NO VALGRIND: instructions are not counted. Debian: valgrind"
    fi
    echo "== the same in processor time: all solvers in one run, $repeats runs: least costs, medians of the runs' ratios ($(load))"
    for ((run = 1; run <= repeats; run++)); do
        time_run --solvers "$(list "${solvers[@]}")" --duration 1 >"$scratch/first"
        time_run --solvers "$(list "${solvers[@]}")" --duration 10 | paste -d ' ' "$scratch/first" - |
            awk -v run="$run" -v OFS=, '{ print run, $1, $2, $4 }'
    done | judge us
}

# Repeats go around the sizes, not within them.
scale()
{
    local mujoco='' n run begun rows=$scratch/scale runs=$(((repeats + 2) / 3))
    [[ " ${solvers[*]} " != *" mujoco "* ]] || mujoco=mujoco
    echo "== Test 1, first 1000 substeps, seeds 1 to $seeds, processor time, least of $runs runs ($(load))"
    : >"$rows"
    for ((run = 1; run <= runs; run++)); do
        [ -z "$mujoco" ] || time_run --solvers mujoco --duration 1 | sed 's/^/0 /' >>"$rows"
        for n in 4 6 10 15 22 32 46 68 100; do
            begun=$(date +%s.%N)
            time_run --n $n --solvers xpbdr --duration 1 | sed "s/^/$n /" >>"$rows"
            # what is not the substeps' time: packing, exact masses, the world, and the program's start
            awk -v n=$n -v a="$begun" -v b="$(date +%s.%N)" -v seeds="$seeds" \
                '$1 == n && $2 == "xpbdr" { us = $3 } END { print n, "setup", (b - a) / seeds - 1e-3 * us }' "$rows" >>"$rows.setup"
            ((run > 1)) || time_run --n $n --solvers pbd-r --duration 1 | sed "s/^/$n /" >>"$rows"
            ((run > 1)) || { "$pbdr" profile --test 1 --solver xpbdr --n $n --duration 0.01 --csv "$scratch/profile.csv" >/dev/null
                awk -F, -v n=$n '$9 == "contacts" { print n, "contacts", $17 }' "$scratch/profile.csv" >>"$rows"; }
        done
    done
    cat "$rows.setup" >>"$rows"
    awk '
        function least(key,  i, low) {
            low = value[key, 1]
            for (i = 2; i <= count[key]; i++) low = value[key, i] < low ? value[key, i] : low
            return low
        }
        function bar(name, value, form, most) { printf "  %-58s " form "  at most %-5g %s\n", name, value, most, value <= most ? "met" : "NOT MET" }
        { key = $1 SUBSEP $2; value[key, ++count[key]] = $3; if ($2 == "contacts") sizes[++sizeCount] = $1 }
        END {
            mujoco = count[0 SUBSEP "mujoco"] ? least(0 SUBSEP "mujoco") : 0
            printf "%9s %9s %14s %9s %11s %12s %14s %10s\n", "spheres", "contacts", "xpbdr [us]", "exponent", "ns/contact", "over MuJoCo", "pbd-r [us]", "set-up [s]"
            for (k = 1; k <= sizeCount; k++) {
                n = sizes[k]; us = least(n SUBSEP "xpbdr"); contacts = value[n SUBSEP "contacts", 1]
                printf "%9d %9d %14.3f %9s %11.2f %12s %14.2f %10.3f\n", n ^ 3, contacts, us,
                    (k > 1 ? sprintf("%.2f", log(us / last) / (3 * log(n / sizes[k - 1]))) : ""), 1000 * us / contacts,
                    (mujoco ? sprintf("%.2f", us / mujoco) : "-"), least(n SUBSEP "pbd-r"), least(n SUBSEP "setup")
                last = us
                if (n == 22) large = us
                if (n >= 10) { m++; x = 3 * log(n); y = log(us); sx += x; sy += y; sxx += x * x; sxy += x * y }
            }
            print "  exponent: of xpbdr\047s time in spheres, from the row above. pbd-r: reduced engine, 10 iterations. set-up: packing, masses, world, once.\n"
            bar("exponent in spheres, least squares from 1000 on", (m * sxy - sx * sy) / (m * sxx - sx * sx), "%9.2f", 0.75)
            if (mujoco) {
                bar(sprintf("10,648 spheres over MuJoCo\047s box (%.2f us)", mujoco), large / mujoco, "%9.2f", 2)
                bar("the same, aim", large / mujoco, "%9.2f", 1)
            } else print "  10,648 spheres over MuJoCo\047s box: NO MUJOCO IN THIS BUILD, no verdict"
            bar("1,000,000 spheres [us per substep]: real time", last, "%9.1f", 1000)
        }' "$rows"
}

for part in "$@"; do
    case $part in
    bars | scale | instructions) "$part" ;;
    *) echo "speed: '$part': wanted bars, scale or instructions" >&2; exit 2 ;;
    esac
done
