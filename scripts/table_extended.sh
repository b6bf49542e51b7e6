# shellcheck shell=bash
# The tables of the extended suite, for scripts/pages.sh: sourced after tables.sh, which has AWK.

# What every table of it knows: tests and solvers in the file's order, and per test and solver how many runs were measured,
# diverged, flagged, and answered wrongly.
readonly EXTENDED='
    { t = cell("test"); s = cell("solver") }
    !(s in known) { known[s] = 1; solvers[++solverCount] = s }
    !(t in seen) { seen[t] = 1; tests[++testCount] = t }
    cell("figure") != "" { figure[t] = cell("figure"); unit[t] = cell("unit") }
    cell("outcome") == "diverged" { diverged[t, s]++ }
    cell("outcome") == "not_supported" { why = cell("problem"); sub(/^not supported: /, "", why); gsub(/  +/, ", ", why); refuse(why, s, t) }
    cell("outcome") == "measured" { count[t, s]++; wrong[t, s] += cell("answer") == "wrong"; flagged[t, s] += cell("flags") != "" }
    function refuse(why, s, t) {
        if (!(why in reasonAt)) { reasonAt[why] = ++reasonCount; reasons[reasonCount] = why }
        if (!((why, s) in by)) { by[why, s] = 1; who[why] = who[why] (who[why] == "" ? "" : ", ") "`" s "`" }
        if (!((why, t) in of)) { of[why, t] = 1; which[why] = which[why] (which[why] == "" ? "" : ", ") t }
    }
    function heading(first,    k, rule) {
        printf "| %s |", first; rule = "|---|"
        for (k = 1; k <= solverCount; k++) { printf " %s |", solvers[k]; rule = rule "---|" }
        return rule
    }
    function marks(t, s,    text) {
        text = wrong[t, s] == 0 ? "" : wrong[t, s] == count[t, s] ? " **wrong**" : " **" wrong[t, s] " of " count[t, s] " wrong**"
        if (diverged[t, s] > 0) text = text (count[t, s] > 0 ? " (" diverged[t, s] " diverged)" : "diverged")
        return text (flagged[t, s] > 0 ? " !" : "")
    }'

# The figure that each test is about: how far it is off, mean over the seeds.
table_extended()
{
    awk -F, "$AWK$EXTENDED"'
    cell("outcome") == "measured" {
        exact[t] = cell("figure_exact"); off = exact[t] == "" ? cell("figure_value") : cell("figure_value") - exact[t]
        sum[t, s] += off < 0 ? -off : off
    }
    END {
        if (bad) exit 1
        rule = heading("test: figure | exactly"); print "\n|---" rule
        for (i = 1; i <= testCount; i++) {
            t = tests[i]; best = ""
            for (k = 1; k <= solverCount; k++) { s = solvers[k]; if (count[t, s] > 0 && exact[t] != "" && (best == "" || sum[t, s] / count[t, s] < best)) best = sum[t, s] / count[t, s] }
            printf "| %s: %s [%s] | %s |", t, figure[t], unit[t], (exact[t] == "" ? "" : show(exact[t], 6))
            for (k = 1; k <= solverCount; k++) {
                s = solvers[k]; text = "-"
                if (count[t, s] > 0) { mean = sum[t, s] / count[t, s]; text = show(mean, 2); if (mean == best) text = "**" text "**" }
                printf " %s |", (count[t, s] > 0 ? text marks(t, s) : diverged[t, s] > 0 ? "diverged" : "-")
            }
            print ""
        }
        print "\n\"wrong\": a body moved or tipped that must not, or did not where it must. !: a run raised a flag."
        for (k = 1; k <= reasonCount; k++) printf "%s-: %s in tests %s: %s.\n", "\n", who[reasons[k]], which[reasons[k]], reasons[k]
    }' "$results/extended.csv"
}

# Final position error of the worst body.
table_extended_position()
{
    awk -F, "$AWK$EXTENDED"'
    cell("outcome") == "measured" { sum[t, s] += cell("final_position_error_m"); floor[t] = cell("floor_position_m"); followed[t] = followed[t] || cell("final_position_error_m") != "" }
    END {
        if (bad) exit 1
        rule = heading("test | floor"); print "\n|---" rule
        for (i = 1; i <= testCount; i++) {
            t = tests[i]
            if (!followed[t]) continue # there is no reference
            printf "| %s | %s |", t, show(floor[t], 3)
            for (k = 1; k <= solverCount; k++) { s = solvers[k]; printf " %s |", (count[t, s] > 0 ? show(sum[t, s] / count[t, s], 2) : "-") }
            print ""
        }
    }' "$results/extended.csv"
}

# P, L and energy where they are kept, or where the closed form says how they change.
table_extended_laws()
{
    awk -F, "$AWK$EXTENDED"'
    cell("outcome") == "measured" { p[t, s] += cell("final_linear_momentum_error"); l[t, s] += cell("final_angular_momentum_error"); e[t, s] += cell("energy_error_J"); r[t, s] += cell("final_rotation_error_deg"); floor[t] = cell("floor_rotation_deg") }
    function row(label, sums, t,    k, s) {
        printf "| %s: %s |", t, label
        for (k = 1; k <= solverCount; k++) { s = solvers[k]; printf " %s |", (count[t, s] > 0 ? show(sums[t, s] / count[t, s], 2) : "-") }
        print ""
    }
    END {
        if (bad) exit 1
        rule = heading("test: error"); print "\n" rule
        row("rotation [deg] (floor " show(floor[12], 3) ")", r, 12); row("rotation [deg] (floor " show(floor[13], 3) ")", r, 13)
        row("rotation [deg] (floor " show(floor[16], 3) ")", r, 16); row("rotation [deg] (floor " show(floor[18], 3) ")", r, 18)
        split("19 20 24 25", ones, " ")
        for (i = 1; i <= 4; i++) { row("P [kg m/s]", p, ones[i]); row("L [kg m²/s]", l, ones[i]); row("energy [J]", e, ones[i]) }
        for (i = 28; i <= 32; i++) row("energy [J]", e, i)
    }' "$results/extended.csv"
}

# Processor time per substep [us].
table_extended_time()
{
    awk -F, "$AWK$EXTENDED"'
    cell("outcome") == "measured" { sum[t, s] += $(NF - 1) }
    END {
        if (bad) exit 1
        rule = heading("test"); print "\n" rule
        for (i = 1; i <= testCount; i++) {
            t = tests[i]; printf "| %s |", t
            for (k = 1; k <= solverCount; k++) { s = solvers[k]; printf " %s |", (count[t, s] > 0 ? show(sum[t, s] / count[t, s], 2) : "-") }
            print ""
        }
    }' "$results/extended.csv"
}
