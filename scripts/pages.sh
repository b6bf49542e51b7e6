#!/usr/bin/env bash
# Writes the tables of measured numbers into README.md and docs/*.md, from the results in bench/results/.
#
#     scripts/pages.sh                  run the commands that the tables name, then write the tables
#     scripts/pages.sh --from-results   write the tables from the results that are there
#     scripts/pages.sh --check          fail, and show the difference, where a page is not what the results say
#
# A table, or a line of text with numbers in it, stands between two lines of its page:
#
#     <!-- table: NAME, COMMAND -->
#     <!-- end -->
#
# NAME is one of the functions table_NAME below; COMMAND makes what it reads, into bench/results/. A study that is stopped
# goes on at the next call; after a whole run its log is removed, so that the next one measures anew.
# PBDR_ROOT=/folder takes pages and results from there (the test does).
set -euo pipefail
cd "${PBDR_ROOT:-$(dirname "$0")/..}"
results=bench/results
pages=(README.md docs/*.md)

say() { printf 'pages: %s\n' "$*" >&2; }

# Functions for awk: columns by name (our CSV files quote cells in their last columns only, after those that are read by number;
# timings are read from the end), numbers as the pages print them.
readonly AWK='
function need(name) { if (!(name in at)) { printf "pages: %s: there is no column %s\n", FILENAME, name > "/dev/stderr"; bad = 1; exit 1 } return at[name] }
function cell(name) { return $(need(name)) }
function show(x, digits,    text) {
    if (x == "" || x == "nan") return "-"
    if (x == 0) return "0"
    size = x < 0 ? -x : x
    if (size >= 0.01 && size < 99999.5) { text = sprintf("%." digits "g", x); if (text ~ /e/) text = sprintf("%.0f", x); return text }
    text = sprintf("%." (size < 1e-6 ? 1 : digits - 1) "e", x)
    sub(/e-0/, "e-", text); sub(/e\+0/, "e", text)
    return text
}
function group(x,    text) { text = sprintf("%.0f", x); while (text ~ /[0-9][0-9][0-9][0-9]/) text = gensub_once(text); return text }
function gensub_once(text) { match(text, /[0-9]+/); return substr(text, 1, RSTART + RLENGTH - 4) "," substr(text, RSTART + RLENGTH - 3) }
FNR == 1 { delete at; for (k = 1; k <= NF; k++) at[$k] = k; width = NF; next }'

# --- Tables ---

# Final errors of the seven tests: means over the seeds, the smallest bold; Test 7 against both references.
table_tests()
{
    awk -F, "$AWK"'
    {
        t = cell("test"); s = cell("solver")
        if (!(s in known)) { known[s] = 1; solvers[++solverCount] = s }
        if (cell("outcome") == "diverged") { diverged[t, s]++ }
        if (cell("outcome") != "measured") next
        turning = t == 2 || t == 5
        sum[t, s] += cell(turning ? "final_rotation_error_deg" : "final_position_error_m"); count[t, s]++
        if (t == 7) { sum["dynamic", s] += cell("dynamic_tilt_final_position_m"); count["dynamic", s]++ }
        if (cell("max_tilt_deg") > 30) tumbled[t, s]++
        if (cell("flags") != "") { flagged[t, s]++; anyFlag = 1 }
        floor[t] = cell(turning ? "floor_rotation_deg" : "floor_position_m")
    }
    function row(label, key,    s, k, best, text) {
        best = ""
        for (k = 1; k <= solverCount; k++) {
            s = solvers[k]
            if (count[key, s] > 0 && (best == "" || sum[key, s] / count[key, s] < best)) best = sum[key, s] / count[key, s]
        }
        printf "| %s |", label
        for (k = 1; k <= solverCount; k++) {
            s = solvers[k]
            text = count[key, s] > 0 ? show(sum[key, s] / count[key, s], 3) : diverged[key, s] > 0 ? "diverged" : "-"
            if (count[key, s] > 0 && sum[key, s] / count[key, s] == best) text = "**" text "**"
            if (tumbled[key, s] > 0) text = text (tumbled[key, s] == count[key, s] ? " (tumbles)" : " (" tumbled[key, s] " of " count[key, s] " tumble)")
            if (diverged[key, s] > 0 && count[key, s] > 0) text = text " (" diverged[key, s] " diverged)"
            if (flagged[key, s] > 0) text = text " !"
            printf " %s |", text
        }
        printf " %s |\n", show(floor[key], 3)
    }
    END {
        if (bad) exit 1
        printf "| final error |"
        for (k = 1; k <= solverCount; k++) printf " %s |", solvers[k]
        printf " floor |\n|---|"
        for (k = 1; k <= solverCount; k++) printf "---|"
        print "---|"
        split("1 pushed box [m];2 box with torque [deg];3 box on slope [m];4 pushed bunny [m];5 bunny with torque [deg];6 bunny on slope [m];7 rod pushing a box [m]", names, ";")
        for (t = 1; t <= 7; t++) row(names[t], t)
        row("7, dynamic reference [m]", "dynamic")
        if (anyFlag) print "\n!: a run raised a flag (the column flags of bench/results/tests.csv)."
    }' "$results/tests.csv"
}

# Processor time per substep of Test 1 over the spheres, beside the figures given for the H200; the peers below.
table_cost()
{
    awk -F, "$AWK"'
    given { if (cell("solver") == "pbdr") h200[cell("spheres")] = cell("us_per_substep"); next }
    cell("outcome") == "measured" {
        n = cell("particles"); time = $(NF - 1)
        line = cell("solver") (n > 0 ? "," cell("engine") : "")
        sum[line, n] += time; count[line, n]++
        if (n > 0 && !(n in seen)) { seen[n] = 1; sizes[++sizeCount] = n }
        if (n == 0 && !(line in peer)) { peer[line] = 1; peers[++peerCount] = line; name[line] = cell("engine") }
        duration = cell("duration_s")
    }
    function mean(line, n,    x) {
        if (!(count[line, n] > 0)) return ""
        x = sum[line, n] / count[line, n]
        return x < 999.5 ? show(x, x < 99.5 ? 2 : 3) : group(x)
    }
    END {
        if (bad) exit 1
        print "| spheres | xpbdr | pbdr, reduced | pbdr, particles, float | authors\047 PBD-R, H200 |\n|---|---|---|---|---|"
        for (i = 1; i <= sizeCount; i++) for (j = i + 1; j <= sizeCount; j++) if (sizes[j] + 0 < sizes[i] + 0) { x = sizes[i]; sizes[i] = sizes[j]; sizes[j] = x }
        for (i = 1; i <= sizeCount; i++) {
            n = sizes[i]
            if (n in h200 || i == sizeCount)
                printf "| %s | %s | %s | %s | %s |\n", group(n), mean("xpbdr,reduced", n), mean("pbdr,reduced", n), mean("pbdr,particle", n), (n in h200 ? group(h200[n]) : "")
        }
        printf "\nThe same for a true box:"
        for (i = 1; i <= peerCount; i++) printf "%s %s %s us", (i > 1 ? "," : ""), name[peers[i]], mean(peers[i], 0)
        printf ". All: processor time of the solver\047s steps over the same %g s, set-up left out.\n", duration
    }' given=1 <(grep -v '^#' report/data/h200.csv) given=0 "$results/time.csv"
}

# What pbdr leaves in double, from the error budget's runs (particles; the reduced engine's motion is the same to 1e-11 m).
table_double()
{
    awk -F, "$AWK"'
    cell("solver") == "pbdr" && cell("precision") == "f64" && cell("outcome") == "measured" { t = cell("test"); sum[t] += cell("final_position_error_m"); count[t]++ }
    END {
        if (bad) exit 1
        printf "In double pbdr gives %s, %s, %s and %s m in tests 1, 3, 4 and 6: what is left is the method\047s, not rounding\047s\n", show(sum[1] / count[1], 3), show(sum[3] / count[3], 3), show(sum[4] / count[4], 3), show(sum[6] / count[6], 3)
        print "(docs/theory/particle.md); XPBD-R (docs/theory/xpbdr.md) solves the contacts instead."
    }' "$results/budget.csv"
}

# What exact masses leave of pbdr's rotation errors.
table_masses()
{
    awk -F, "$AWK"'
    cell("solver") == "pbdr" && cell("precision") == "f64" && cell("masses") == "exact" && cell("outcome") == "measured" {
        t = cell("test"); if ((t == 2 && cell("n") == 4) || (t == 5 && cell("radius_m") == 0.005)) { sum[t] += cell("final_rotation_error_deg"); count[t]++ }
    }
    END {
        if (bad) exit 1
        print "Tests 2 and 5 of pbdr are off by the inertia of point masses, not by the solver: with `--masses exact`, in double, they"
        printf "end at %s and %s deg.\n", show(sum[2] / count[2], 3), show(sum[5] / count[5], 3)
    }' "$results/resolution-inertia.csv"
}

# Test 7 over the spheres per axis, against the paper's reference.
table_resolution()
{
    awk -F, "$AWK"'
    cell("solver") == "pbdr" && cell("outcome") == "measured" { n = cell("n"); if (!(n in count)) order[++sizes] = n; sum[n] += cell("quasistatic_final_position_m"); count[n]++ }
    END {
        if (bad) exit 1
        print "Test 7, pbdr in double against the paper\047s quasi-static reference, mean over friction, offsets and seeds:"
        for (k = 1; k <= sizes; k++) printf "%s%s", (k > 1 ? ", " : ""), show(sum[order[k]] / count[order[k]], 2)
        printf " m at n = "
        for (k = 1; k <= sizes; k++) printf "%s%s", (k > 1 ? ", " : ""), order[k]
        print "."
    }' "$results/resolution-contact.csv"
}

# Instructions of a substep of Test 1 beside the peers: over the first 1000 substeps and over 10,000.
table_speed()
{
    awk -F, "$AWK"'
    { first[cell("solver")] = cell("first_1000"); all[cell("solver")] = cell("all_10000"); if (NR > 2 && cell("solver") !~ /^(xpbdr|mujoco)/ && (least == "" || cell("all_10000") < all[least])) least = cell("solver") }
    END {
        if (bad) exit 1
        printf "At n = 4 xpbdr takes %.1f k instructions per substep over 10 s of Test 1: %.2f of MuJoCo\047s (%.2f in the first second),\n", all["xpbdr"] / 1000, all["xpbdr"] / all["mujoco"], first["xpbdr"] / first["mujoco"]
        printf "%.2f of the fastest of ODE and Bullet, %s (`make speed`).\n", all["xpbdr"] / all[least], least
    }' "$results/speed.csv"
}

# Other shapes: packed, weighed, upright where they must be; and which runs raised a flag.
table_shapes()
{
    awk -F, "$AWK"'
    function worse(a, b) { return a > b ? a : b }
    BEGIN {
        print "| mesh | turned [deg] | spheres | masses by | mass, centre, inertia off by | (equal masses) | mean gap [mm] | h [mm] | mu h [mm] | reach [mm] | T4 position [m], rotation, tilt [deg] | verdict | T6 position [m], rotation, tilt [deg] | verdict |"
        print "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    }
    {
        shapes++
        if (cell("problem") != "") { printf "| %s | refused: %s |\n", cell("mesh"), cell("problem"); refused++; next }
        off = worse(cell("mass_error") + 0, worse(cell("centre_error") + 0, cell("inertia_error") + 0))
        printf "| %s | %.2f | %d | %s | %.0e | %.0e | %.2f | %.1f | %.1f | %.1f |", cell("mesh"), 57.29577951308232 * cell("turn_rad"), cell("spheres"), cell("masses_by"),
            off, cell("uniform_inertia_error"), 1000 * cell("mean_gap_m"), 1000 * cell("centre_height_m"), 1000 * cell("mu_h_m"), 1000 * cell("reach_m")
        for (k = 1; k <= 2; k++) {
            p = k == 1 ? "t4_" : "t6_"
            printf " %.1e, %.1e, %.1e | %s%s |", cell(p "position_m"), cell(p "rotation_deg"), cell(p "tilt_deg"), cell(p "verdict"), (cell(p "flags") > 0 ? " (flagged)" : "")
            if (cell(p "flags") > 0 && last != cell("mesh")) { last = cell("mesh"); flagged = flagged (flagged == "" ? "" : ", ") "`" last "`" }
            if (cell(p "verdict") ~ /^upright/) { most = worse(most, cell(p "tilt_deg") + 0); upright++ }
        }
        worst = worse(worst, off)
        print ""
    }
    END {
        if (bad) exit 1
        printf "\n%d shapes, %d refused. Mass, centre and inertia are off by %s at most. Largest tilt of the %d rows that stay upright: %s deg.\n", shapes, refused, show(worst, 2), upright, show(most, 2)
        if (flagged == "") print "No run raised a flag."
        else printf "Runs of %s raised a flag (not converged): there the figures are not to be relied on.\n", flagged
    }' "$results/shapes.csv"
}

# Test 7's references for three offsets.
table_references()
{
    awk -F, "$AWK"'
    function pose(at) { return point(cell("x" at "_m")) " " point(cell("y" at "_m")) " " point(cell("theta" at "_rad")) }
    function point(x,    text) { text = sprintf("%.6f", x); sub(/^0\./, ".", text); sub(/^-0\./, "-.", text); return text }
    BEGIN { print "| d | model | at 2 s | at 3 s | contact ends | at rest (10 s) |\n|---|---|---|---|---|---|" }
    cell("options") == "--model quasistatic" || cell("options") == "--model dynamic --tilt" {
        printf "| %s | %s | %s | %s | %.4f s | %s |\n", cell("offset_m"), (cell("options") ~ /dynamic/ ? "dynamic, tilt" : "quasi-static"), pose(2), pose(3), cell("end_s"), pose("")
    }
    END { if (bad) exit 1 }' "$results/references.csv"
}

# The same in the plane, for d = 0.02, without and with inertia.
table_check()
{
    awk -F, "$AWK"'
    function pose(at) { return point(cell("x" at "_m")) " " point(cell("y" at "_m")) " " point(cell("theta" at "_rad")) }
    function point(x,    text) { text = sprintf("%.6f", x); sub(/^0\./, ".", text); sub(/^-0\./, "-.", text); return text }
    BEGIN { print "| `build/pbdr reference ...` | at 2 s | at rest | corner, end [s] |\n|---|---|---|---|" }
    cell("offset_m") == 0.02 && (cell("options") == "--model quasistatic" || cell("options") == "--model dynamic") {
        printf "| `%s` | %s | %s | %.3f, %.3f |\n", cell("options"), pose(2), pose(""), cell("corner_s"), cell("end_s")
    }
    END { if (bad) exit 1 }' "$results/references.csv"
}

# How far the models end from the quasi-static one on an even base.
table_models()
{
    awk -F, "$AWK"'
    cell("offset_m") == 0.02 { o = cell("options"); order[++count] = o; x[o] = cell("x_m"); y[o] = cell("y_m") }
    function off(o,    d) { d = 1000 * sqrt((x[o] - x["--model quasistatic"]) ^ 2 + (y[o] - y["--model quasistatic"]) ^ 2); return show(d, 3) }
    END {
        if (bad) exit 1
        print "| `build/pbdr reference ...` | [mm] |\n|---|---|"
        for (k = 1; k <= count; k++) {
            o = order[k]; twin = o
            if (o ~ /quasistatic/) continue
            sub(/dynamic/, "quasistatic", twin)
            printf "| `%s` | %s%s |\n", o, off(o), (twin != o && twin ~ /tilt/ && twin in x ? " (quasi-static: " off(twin) ")" : "")
        }
    }' "$results/references.csv"
}

# The studies, and what they take: jobs, and the time of the solvers' steps.
table_studies()
{
    printf '%s\n' '| study | what is run | paper | jobs | time |' '|---|---|---|---|---|'
    local study what paper file
    while IFS='|' read -r study what paper; do
        file=$results/$study.csv
        [ -f "$file" ] || { say "$file is missing"; return 1; }
        printf '| %s | %s | %s | %s |\n' "$study" "$what" "$paper" \
            "$(awk -F, 'NR > 1 { jobs++; sum += $NF } END { printf "%d | %.0f s", jobs, sum }' "$file")"
    done <<'STUDIES'
tests|all tests x all solvers and presets of the build; pbd and pbdr on particles in f32|Fig. all_exp
budget|the same; pbd and pbdr on particles in f32 and f64|each error split into its causes
sweep|Test 1, mu .1 to .8 x F 5 to 100 N, solvers without presets, and ode:tuned, bullet:tuned|Fig. sweep_mu_F
time|Test 1: pbdr on particles in f32 with 64 to 97,336 spheres, pbdr reduced in f64 and xpbdr with 64 to 1,000,000; other solvers once|Fig. computation_times
resolution-contact|Test 7, n = 3 to 10, mu .2 to .6 (ground and rod), offset .02 to .06 m, f64; true boxes once each|Fig. rod_push_err
resolution-inertia|Tests 2 and 5, box n = 3 to 10, bunny r = 20 to 5 mm: pbdr in f32 and f64 with uniform masses, in f64 with exact ones; xpbdr|Fig. rot_vs_spheres
trajectory|Test 7, n = 3 and 10, f64, all solvers and presets|Fig. box_traj
stills|Test 4, `mujoco`, `pbdr` in f32, `xpbdr`|Fig. bunny_tumbling
ablation|Test 1, the paper's box (n = 4, one layer), f32, parts of PBD-R off|Table ablation
STUDIES
}

# The bunny packed in several ways.
table_packings()
{
    awk -F, "$AWK"'
    BEGIN { print "| spheres | mean gap [mm] | largest [mm] | cover | inertia off, equal masses | fitted | packing [s] | measuring [s] | file |\n|---|---|---|---|---|---|---|---|---|" }
    {
        printf "| %s, %d | %s | %s | %.0f %% | %s | %s, %s | %s | %s | %.1f MB |\n", cell("label"), cell("spheres"), show(1000 * cell("mean_gap_m"), 2), show(1000 * cell("largest_gap_m"), 2),
            100 * cell("cover"), show(cell("inertia_error_uniform"), 2), show(cell("inertia_error"), 2), cell("masses_by"), show(cell("packing_s"), 1), show(cell("measuring_s"), 1), cell("bytes") / 1e6
    }
    END { if (bad) exit 1 }' "$results/packings.csv"
}

# Real meshes out of Python packages, packed.
table_meshes()
{
    awk -F, "$AWK"'
    BEGIN { print "| mesh | triangles | what was wrong | option | spheres | cover | volume error stated | true | time |\n|---|---|---|---|---|---|---|---|---|" }
    {
        true = cell("true") == "" ? "-" : cell("true") " % (" cell("of") ")"
        if (cell("spheres") == "") printf "| %s | | not packed | | | | | | %s s |\n", cell("mesh"), cell("seconds")
        else printf "| %s | %s | %s | %s | %s | %s %% | %s %% | %s | %s s |\n", cell("mesh"), cell("triangles"), cell("wrong"), cell("option") == "none" ? "" : "`" cell("option") "`",
            cell("spheres"), cell("cover"), cell("stated"), true, cell("seconds")
    }
    END { if (bad) exit 1 }' "$results/meshes.csv"
}

# --- Pages ---

readonly MARK='<!-- table: '

list_commands() # every command once, in the order of the pages
{
    grep -h "^$MARK" "${pages[@]}" | sed 's/^<!-- table: [^,]*, \(.*\) -->$/\1/' | awk '!seen[$0]++'
}

# PAGE: the page as the results have it, on stdout
render()
{
    local line name inside=
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
            "$MARK"*)
                [ -z "$inside" ] || { say "$1: '$line' stands in table '$inside'; <!-- end --> is missing"; return 1; }
                name=${line#"$MARK"} name=${name%%,*}
                [[ $line == *', '*' -->' ]] || { say "$1: '$line' names no command"; return 1; }
                [ "$(type -t "table_$name")" = function ] || { say "$1: there is no table '$name'"; return 1; }
                inside=$name
                printf '%s\n' "$line"
                "table_$name" || { say "$1: table '$name' cannot be made"; return 1; }
                ;;
            '<!-- end -->')
                [ -n "$inside" ] || { say "$1: <!-- end --> without a table"; return 1; }
                inside=
                printf '%s\n' "$line"
                ;;
            *) [ -n "$inside" ] || printf '%s\n' "$line" ;;
        esac
    done <"$1"
    [ -z "$inside" ] || { say "$1: table '$inside' has no <!-- end -->"; return 1; }
}

mode=${1:-run}
case $mode in
    run | --from-results | --check) ;;
    *) say "unknown option '$mode'; there are --from-results and --check"; exit 2 ;;
esac
if [ "$mode" = run ]; then
    while IFS= read -r command; do
        say "$command"
        bash -c "$command" >&2 </dev/null || { say "failed: $command"; exit 1; }
    done < <(list_commands)
    rm -f "$results"/*.log "$results"/study.lock
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
for page in "${pages[@]}"; do
    render "$page" >"$scratch/page" || { status=1; continue; }
    cmp -s "$page" "$scratch/page" && continue
    if [ "$mode" = --check ]; then
        say "$page is not what the results say; make pages writes it anew (scripts/pages.sh --from-results: from the results that are there)"
        diff "$page" "$scratch/page" >&2 || true
        status=1
    else
        cat "$scratch/page" >"$page"
        say "$page"
    fi
done
exit $status
