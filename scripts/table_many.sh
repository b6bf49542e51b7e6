# shellcheck shell=bash
# The tables of docs/many.md, from bench/results/many.csv and many_bars.csv; see tables.sh.

# Fills scenes[], solvers[] and have[scene, solver]; SHOWN (a regular expression) says which scenes.
readonly MANY='
{
    s = cell("scene"); v = cell("solver")
    if (s !~ SHOWN) next
    if (!(s in seen)) { seen[s] = 1; scenes[++sceneCount] = s }
    if (!(v in known)) { known[v] = 1; solvers[++solverCount] = v }
    have[s, v] = cell("substeps") > 0
    whole[s, v] = cell("outcome") == "measured"
    far[s, v] = cell("simulated_s"); asked[s] = cell("duration_s")
    outcome[s, v] = cell("outcome")
}
function heading(first,    k, rule) {
    printf "| %s |", first; rule = "|---|"
    for (k = 1; k <= solverCount; k++) { printf " %s |", solvers[k]; rule = rule "---|" }
    print ""; print rule
}
# the mark of a run that its limit ended
function mark(s, v) { return whole[s, v] ? "" : " *" }'

# Cost of a substep [us]: mean, and of the last quarter.
table_many_cost()
{
    awk -F, -v SHOWN=. "$AWK$MANY"'
    { mean[s, v] = cell("cpu_us_mean"); last[s, v] = cell("cpu_us_last_quarter") }
    END {
        if (bad) exit 1
        heading("scene: mean / last quarter [us]")
        for (i = 1; i <= sceneCount; i++) {
            s = scenes[i]; printf "| %s |", s
            for (k = 1; k <= solverCount; k++) {
                v = solvers[k]
                if ((s, v) in have) printf " %s |", (have[s, v] ? group(mean[s, v]) " / " (last[s, v] == "" ? "-" : group(last[s, v])) mark(s, v) : outcome[s, v])
                else printf "  |"
            }
            print ""
        }
        print "\n*: the limit of processor time ended the run before its time."
    }' "$results/many.csv"
}

# What holds: overlap, rise of energy, speed and drift at the end, flags.
table_many_kept()
{
    awk -F, -v SHOWN=. "$AWK$MANY"'
    { overlap[s, v] = cell("overlap_m"); rise[s, v] = cell("energy_rise_J") / cell("energy_start_J"); speed[s, v] = cell("point_speed_end_mps"); until[s, v] = cell("moves_until_s"); drift[s, v] = cell("drift_m"); flagged[s, v] = cell("flagged"); steps[s, v] = cell("substeps") }
    END {
        if (bad) exit 1
        print "| scene | solver | overlap [mm] | energy'"'"'s rise | speed at the end [m/s] | moves until [s] | drift [m] | flagged |\n|---|---|---|---|---|---|---|---|"
        for (i = 1; i <= sceneCount; i++) for (k = 1; k <= solverCount; k++) {
            s = scenes[i]; v = solvers[k]
            if (((s, v) in have) && have[s, v]) printf "| %s | %s%s | %s | %s | %s | %s | %s | %s |\n", s, v, mark(s, v), show(1000 * overlap[s, v], 2), show(rise[s, v], 2), show(speed[s, v], 2), show(until[s, v], 3), show(drift[s, v], 2), (flagged[s, v] > 0 ? flagged[s, v] " of " steps[s, v] : "0")
        }
    }' "$results/many.csv"
}

# What a longer step loses: the piles at 1, 5 and 10 ms.
table_many_dt()
{
    awk -F, -v SHOWN='^pile' "$AWK$MANY"'
    { n = s; sub(/^pile/, "", n); sub(/_.*/, "", n); if (!(n in counted)) { counted[n] = 1; sizes[++sizeCount] = n }
      step = 1000 * cell("time_step_s"); text[n, v, step] = show(1000 * cell("overlap_m"), 2) " / " show(cell("energy_rise_J") / cell("energy_start_J"), 2) " / " show(cell("point_speed_end_mps"), 2) mark(s, v) }
    END {
        if (bad) exit 1
        print "| boxes | solver | 1 ms: overlap [mm] / energy'"'"'s rise / speed at the end [m/s] | 5 ms | 10 ms |\n|---|---|---|---|---|"
        for (i = 1; i <= sizeCount; i++) for (k = 1; k <= solverCount; k++)
            printf "| %s | %s | %s | %s | %s |\n", sizes[i], solvers[k], text[sizes[i], solvers[k], 1], text[sizes[i], solvers[k], 5], text[sizes[i], solvers[k], 10]
    }' "$results/many.csv"
}

# Every bar with what was measured.
table_many_bars()
{
    awk -F, "$AWK"'
    { s = cell("solver"); met = cell("met"); if (!(s in count)) order[++n] = s; count[s]++; good[s] += met == "yes"
      rows = rows sprintf("| %s | %s | %s%s%s | %s |\n", s, cell("bar"), show(cell("value"), 3), (cell("unit") == "" ? "" : " " cell("unit")), (cell("outcome") == "measured" ? "" : ", " cell("outcome")), met) }
    END {
        if (bad) exit 1
        for (k = 1; k <= n; k++) line = line (line == "" ? "" : "; ") order[k] ": " good[order[k]] " of " count[order[k]] " targets are met"
        print line ".\n\n| solver | target | measured | met |\n|---|---|---|---|"; printf "%s", rows
    }' "$results/many_bars.csv"
}

# What threads are worth on one island.
table_threads()
{
    awk -F, '
    NR == 1 { print "| scene | solver | threads | on the wall [s] | over one thread | all processors [s] | caller [s] | core to core and back [ns] | hash |\n|---|---|---|---|---|---|---|---|---|"; next }
    $3 == 1 { one = $5 }
    { printf "| %s, %d substeps | %s | %d | %s | %.2f | %s | %s | %s | %s |\n", $1, $4, $2, $3, $5, $5 / one, $6, $7, $8, $9 }' "$results/threads.csv"
}

# The critical path of two threads over the instructions of one.
table_critical_path()
{
    awk -F, '
    NR == 1 { print "| scene | solver | substeps counted | million instructions a substep | on the critical path | share | target |\n|---|---|---|---|---|---|---|"; next }
    { printf "| %s | %s | %d | %.1f | %.1f | %.2f | 0.6 |\n", $1, $2, $3, $4 / $3 / 1e6, $5 / $3 / 1e6, $5 / $4 }' "$results/critical_path.csv"
}

# Instructions per substep, over the cheapest peer's of the bar, and how they grow with the number of bodies.
table_instructions()
{
    awk -F, '
    function ratio(scene, own, peer) { return cost[scene, own] / cost[scene, peer] }
    function growth(solver) { return log(cost["pile1000", solver] / cost["pile125", solver]) / log(8) }
    NR > 1 { cost[$1, $2] = $5; if (!seen[$1]++) scenes[++count] = $1 }
    END {
        print "| scene | solver | thousand instructions a substep | Bullet | ODE quick | over the peer | target |"
        print "|---|---|---|---|---|---|---|"
        for (k = 1; k <= count; k++) {
            s = scenes[k]
            own = s ~ /^pile/ ? "xpbdr:spheres" : "xpbdr"
            peer = (s, "ode") in cost && cost[s, "ode"] < cost[s, "bullet"] ? "ode" : "bullet"
            bar = s ~ /^hopper/ ? "1.5" : "2"
            printf "| %s | %s | %.0f | %.0f | %s | %.2f | %s |\n", s, own, cost[s, own] / 1000, cost[s, "bullet"] / 1000, \
                (s, "ode") in cost ? sprintf("%.0f", cost[s, "ode"] / 1000) : "", ratio(s, own, peer), bar
        }
        printf "\nFrom 125 to 1000 boxes the instructions of a substep grow with N to the power of %.2f (target 1.15),\nthose of Bullet with %.2f.\n", \
            growth("xpbdr:spheres"), growth("bullet")
    }' "$results/instructions.csv"
}
