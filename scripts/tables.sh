# shellcheck shell=bash
# The tables of measured numbers, for scripts/pages.sh: table_NAME writes what stands between the marks of table NAME, from the
# results in $results. Lines of text are wrapped at 118 characters.

# Paragraphs of stdin, wrapped; lines of a table and empty ones stay.
wrap()
{
    awk '
    function flush() { if (line != "") print line; line = "" }
    /^$/ || /^\|/ { flush(); print; next }
    { for (k = 1; k <= NF; k++) { if (line != "" && length(line) + 1 + length($k) > 118) flush(); line = line (line == "" ? "" : " ") $k } }
    END { flush() }'
}

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

# What make bench printed (bench/results_short.c).
table_bench()
{
    cat "$results/bench.md"
}

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
    given { if (cell("solver") == "pbd-r") h200[cell("spheres")] = cell("us_per_substep"); next }
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
        print "| spheres | xpbdr | pbd-r, reduced | pbd-r, particles, float | authors\047 PBD-R, H200 |\n|---|---|---|---|---|"
        for (i = 1; i <= sizeCount; i++) for (j = i + 1; j <= sizeCount; j++) if (sizes[j] + 0 < sizes[i] + 0) { x = sizes[i]; sizes[i] = sizes[j]; sizes[j] = x }
        for (i = 1; i <= sizeCount; i++) {
            n = sizes[i]
            if (n in h200 || i == sizeCount)
                printf "| %s | %s | %s | %s | %s |\n", group(n), mean("xpbdr,xpbdr", n), mean("pbd-r,reduced", n), mean("pbd-r,particle", n), (n in h200 ? group(h200[n]) : "")
        }
        printf "\nThe same for a true box:"
        for (i = 1; i <= peerCount; i++) printf "%s %s %s us", (i > 1 ? "," : ""), name[peers[i]], mean(peers[i], 0)
        printf ". All: processor time of the solver\047s steps over the same %g s, set-up left out.\n", duration
    }' given=1 <(grep -v '^#' report/data/h200.csv) given=0 "$results/time.csv" | wrap
}

# What pbd-r leaves in double, from the error budget's runs (particles; the reduced engine's motion is the same to 1e-11 m).
table_double()
{
    awk -F, "$AWK"'
    cell("solver") == "pbd-r" && cell("precision") == "f64" && cell("outcome") == "measured" { t = cell("test"); sum[t] += cell("final_position_error_m"); count[t]++ }
    END {
        if (bad) exit 1
        printf "In double pbd-r gives %s, %s, %s and %s m in tests 1, 3, 4 and 6: what is left is the method\047s, not rounding\047s\n", show(sum[1] / count[1], 3), show(sum[3] / count[3], 3), show(sum[4] / count[4], 3), show(sum[6] / count[6], 3)
        print "(docs/theory/particle.md); XPBD-R (docs/theory/xpbdr.md) solves the contacts instead."
    }' "$results/budget.csv" | wrap
}

# What exact masses leave of pbd-r's rotation errors.
table_masses()
{
    awk -F, "$AWK"'
    cell("solver") == "pbd-r" && cell("precision") == "f64" && cell("masses") == "exact" && cell("outcome") == "measured" {
        t = cell("test"); if ((t == 2 && cell("n") == 4) || (t == 5 && cell("radius_m") == 0.005)) { sum[t] += cell("final_rotation_error_deg"); count[t]++ }
    }
    END {
        if (bad) exit 1
        print "Tests 2 and 5 of pbd-r are off by the inertia of point masses, not by the solver: with `--masses exact`, in double, they"
        printf "end at %s and %s deg.\n", show(sum[2] / count[2], 3), show(sum[5] / count[5], 3)
    }' "$results/resolution-inertia.csv" | wrap
}

# Test 7 over the spheres per axis, against the paper's reference.
table_resolution()
{
    awk -F, "$AWK"'
    cell("solver") == "pbd-r" && cell("outcome") == "measured" { n = cell("n"); if (!(n in count)) order[++sizes] = n; sum[n] += cell("quasistatic_final_position_m"); count[n]++ }
    END {
        if (bad) exit 1
        print "Test 7, pbd-r in double against the paper\047s quasi-static reference, mean over friction, offsets and seeds:"
        for (k = 1; k <= sizes; k++) printf "%s%s", (k > 1 ? ", " : ""), show(sum[order[k]] / count[order[k]], 2)
        printf " m at n = "
        for (k = 1; k <= sizes; k++) printf "%s%s", (k > 1 ? ", " : ""), order[k]
        print "."
    }' "$results/resolution-contact.csv" | wrap
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
    }' "$results/speed.csv" | wrap
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
    }' "$results/shapes.csv" | wrap
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
tests|all tests x all solvers and presets of the build; pbd and pbd-r on particles in f32|Fig. all_exp
raw|tests 4 to 6 on the mesh as it is, its base not made flat: solvers that touch by a surface|the paper's mesh
budget|as tests; pbd and pbd-r on particles in f32 and f64|each error split into its causes
sweep|Test 1, mu .1 to .8 x F 5 to 100 N, solvers without presets, and ode:tuned, bullet:tuned|Fig. sweep_mu_F
time|Test 1: pbd-r on particles in f32 with 64 to 97,336 spheres, pbd-r reduced in f64 and xpbdr with 64 to 1,000,000; other solvers once|Fig. computation_times
resolution-contact|Test 7, n = 3 to 10, mu .2 to .6 (ground and rod), offset .02 to .06 m, f64; true boxes once each|Fig. rod_push_err
resolution-inertia|Tests 2 and 5, box n = 3 to 10, bunny r = 20 to 5 mm: pbd-r in f32 and f64 with uniform masses, in f64 with exact ones; xpbdr|Fig. rot_vs_spheres
trajectory|Test 7, n = 3 and 10, f64, all solvers and presets|Fig. box_traj
stills|Test 4, `mujoco`, `pbd-r` in f32, `xpbdr`|Fig. bunny_tumbling
ablation|Test 1, the paper's box (n = 4, one layer), f32, parts of PBD-R off|Table ablation
extended|tests 8 and up x all solvers and presets of the build; pbd and pbd-r on particles in f32|not in it
STUDIES
}

# The bunny packed in several ways.
table_packings()
{
    awk -F, "$AWK"'
    function of_mesh(a, b, digits) { return b == "" ? "-" : show(a / b, digits) }
    BEGIN {
        print "| spheres | mean gap [mm] | largest [mm] | sticks out [mm] | cover | support area, mesh = 1 | margin (of the mesh) [mm] | inertia off, equal masses | fitted | packing [s] | measuring [s] | file |"
        print "|---|---|---|---|---|---|---|---|---|---|---|---|"
    }
    {
        printf "| %s, %d | %s | %s | %s | %.0f %% | %s | %s | %s | %s, %s | %s | %s | %.1f MB |\n", cell("label"), cell("spheres"), show(1000 * cell("mean_gap_m"), 2), show(1000 * cell("largest_gap_m"), 2), show(1000 * cell("protrusion_m"), 2),
            100 * cell("cover"), of_mesh(cell("support_area_m2"), cell("mesh_support_area_m2"), 2), (cell("mesh_margin_m") == "" ? "-" : sprintf("%.1f (%.1f)", 1000 * cell("support_margin_m"), 1000 * cell("mesh_margin_m"))),
            show(cell("inertia_error_uniform"), 2), show(cell("inertia_error"), 2), cell("masses_by"), show(cell("packing_s"), 1), show(cell("measuring_s"), 1), cell("bytes") / 1e6
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


# --- docs/benchmark.md ---

# The closed forms of tests 1 to 6.
table_closed()
{
    awk -F, "$AWK"'
    function trim(x, digits,    text) { text = sprintf("%." digits "f", x); if (text ~ /\./) { sub(/0+$/, "", text); sub(/\.$/, "", text) } return text == "-0" ? "0" : text }
    BEGIN { print "| test | body | μ | drive | a, or θ\047\047 | after 10 s | floor | at 10 s, turn 0 |\n|---|---|---|---|---|---|---|---|" }
    {
        drive = cell("force_N") > 0 ? "F = " cell("force_N") " N along +x" : cell("torque_Nm") > 0 ? "τ = " cell("torque_Nm") " N m about +z" : "slope π/8"
        turning = cell("torque_Nm") > 0
        printf "| %s %s | %s | %s | %s | ", cell("test"), cell("name"), (cell("body") == "mesh" ? "bunny" : cell("body")), trim(cell("mu"), 3), drive
        if (turning) printf "%s rad/s² | %s rad = %.2f° | %s° | ", trim(cell("angular_acceleration_radps2"), 7), trim(cell("final_angle_rad"), 6), 57.29577951308232 * cell("final_angle_rad"), trim(cell("floor_rotation_deg"), 4)
        else printf "%s m/s² | %s m | %s m | ", trim(cell("acceleration_mps2"), 7), trim(cell("final_distance_m"), 6), show(cell("floor_position_m"), 3)
        printf "(%s, %s, %s) m |\n", trim(cell("x_m"), 6), trim(cell("y_m"), 6), trim(cell("z_m"), 6)
    }
    END { if (bad) exit 1 }' "$results/closed.csv"
}

# What each part of Test 7's model is worth, from where the models end.
table_parts()
{
    awk -F, "$AWK"'
    cell("offset_m") == 0.02 { x[cell("options")] = cell("x_m"); y[cell("options")] = cell("y_m") }
    function off(o) { if (!(o in x)) { bad = 1; return } return sprintf("%.0f", 1000 * sqrt((x[o] - x["--model quasistatic"]) ^ 2 + (y[o] - y["--model quasistatic"]) ^ 2)) }
    END {
        print "Each part of the model matters more than most solvers\047 errors do. With d = 0.02 the end position moves by this much:\n"
        print "| part | moves by [mm] |\n|---|---|"
        printf "| inertia | %s |\n| inertia, and the height of the push, 0.02 m | %s |\n| four corners instead of an even base | %s |\n| an ellipsoid for the limit surface | %s |\n",
            off("--model dynamic"), off("--model dynamic --tilt"), off("--support corners"), off("--support ellipsoid")
        print "\nA simulator that stands the box on its four corners is answering another question, and the table shows by how much. There is no floor. d = 0 is an unstable equilibrium that any simulator leaves, so score it to 4 s at most."
        if (bad) exit 1
    }' "$results/references.csv" | wrap
}

# Where the seeds matter most: the sliding test and solver whose errors differ by the largest factor between them.
table_lucky()
{
    awk -F, "$AWK"'
    cell("outcome") == "measured" && cell("test") ~ /^[1346]$/ && cell("solver") !~ /^(pbd|pbd-r|xpbdr)/ { k = cell("test") " " cell("solver"); e[k, cell("seed")] = cell("final_position_error_m"); known[k] = 1 }
    END {
        if (bad) exit 1
        for (k in known) {
            if (!((k, 1) in e && (k, 2) in e && (k, 3) in e)) continue
            low = high = e[k, 1]
            for (s = 2; s <= 3; s++) { low = e[k, s] < low ? e[k, s] : low; high = e[k, s] > high ? e[k, s] : high }
            if (low > 0 && (high / low > ratio || (high / low == ratio && k < best))) { ratio = high / low; best = k }
        }
        split(best, words, " ")
        printf "A lucky angle is no result: `%s` ends Test %s %s m off with seed 1, %s m with seed 2 and %s m with seed 3.\n", words[2], words[1], show(e[best, 1], 2), show(e[best, 2], 2), show(e[best, 3], 2)
    }' "$results/tests.csv" | wrap
}

# --- docs/pushing.md ---

# What halving every step changes, and how long a run takes.
table_accuracy()
{
    awk -F, "$AWK"'
    {
        k = cell("model") (cell("tilt") == 1 ? ", tilt" : "") SUBSEP (cell("points_per_axis") > 0)
        if (cell("change_m") + 0 > change[k]) change[k] = cell("change_m") + 0
        s = cell("seconds") + 0; if (!(k in least) || s < least[k]) least[k] = s; if (s > most[k]) most[k] = s
    }
    function row(name,    e, p) {
        e = name SUBSEP 0; p = name SUBSEP 1
        printf "| %s | %s m | %s m | %s to %s s | %s to %s s |\n", name, show(change[e], 1), show(change[p], 2), show(least[e], 1), show(most[e], 1), show(least[p], 1), show(most[p], 1)
    }
    END {
        if (bad) exit 1
        print "| | even base | n x n points | time of a run, even base | points |\n|---|---|---|---|---|"
        row("quasi-static"); row("dynamic"); row("quasi-static, tilt"); row("dynamic, tilt")
    }' "$results/accuracy.csv"
}

# XPBD-R against the reference on its own support, and that support against the even base.
table_lattice()
{
    awk -F, "$AWK"'
    FILENAME ~ /checks/ { if (cell("case") ~ /^test7__by_surface_follows/) { n = cell("case"); sub(/.*_/, "", n); most[n, cell("what")] = cell("largest") } next }
    cell("offset_m") == 0.02 { x[cell("options")] = cell("x_m"); y[cell("options")] = cell("y_m") }
    function off(cells,    o, even) { even = "--model dynamic --tilt"; o = even " --support lattice:" cells; if (!(o in x)) bad = 1; return show(1000 * sqrt((x[o] - x[even]) ^ 2 + (y[o] - y[even]) ^ 2), 2) }
    END {
        printf "Against the dynamic reference with tilt on that lattice it is within %s mm and %s° at 2, 3 and 10 s at n = 4, and within %s mm and %s° at n = 10 (d = 0.02, 0.04, 0.06; `build/tests/physics_xpbdr_push`). The points carry by a rule that is exact for X² (Simpson\047s for three cells), so the lattice itself ends %s mm from the even base at N = 3, %s mm at 4 and %s mm at 16.\n",
            show(1000 * most[4, "distance"], 2), show(most[4, "fabs(turn)"], 2), show(1000 * most[10, "distance"], 2), show(most[10, "fabs(turn)"], 2), off(3), off(4), off(16)
        if (bad) exit 1
    }' "$results/checks.csv" "$results/references.csv" | wrap
}

# --- docs/packing.md, docs/shapes.md ---

# The shapes of prusa-slicer: those of the shapes that are STL files.
table_weights()
{
    awk -F, "$AWK"'
    cell("mesh") ~ /\.stl$/ && cell("problem") == "" { n++; spheres = cell("spheres"); if (cell("inertia_error") + 0 > worst) worst = cell("inertia_error") + 0; if (cell("uniform_inertia_error") + 0 > equal) equal = cell("uniform_inertia_error") + 0 }
    END {
        if (bad) exit 1
        printf "The %d shapes of prusa-slicer, largest extent 0.2 m, at %d spheres, have the solid\047s inertia to %s ([shapes](shapes.md)). A surface packing is a shell, so equal masses are far off, up to %.0f %% in these shapes: fit them.\n", n, spheres, show(worst, 1), 100 * equal
    }' "$results/shapes.csv" | wrap
}

# All shapes from all sides.
table_sides()
{
    awk -F, "$AWK"'
    cell("problem") != "" { refused++; next }
    {
        side = "yaw_deg" in at ? cell("yaw_deg") : 0; sides[side] = 1; meshes[cell("mesh")] = 1
        for (k = 4; k <= 6; k += 2) {
            rows++; v = cell("t" k "_verdict")
            if (v == "upright as it must") {
                upright++; slack = cell("reach_m") / cell("mu_h_m") - 1
                if (closest == "" || slack < closest) { closest = slack; where = cell("mesh"); angle = side; tilt = 0 }
                if (slack == closest && cell("t" k "_tilt_deg") + 0 > tilt) tilt = cell("t" k "_tilt_deg") + 0
            }
            else if (v == "rolls") rolls++
            else if (v == "leans as it must") { leans++; t = cell("t" k "_tilt_deg") + 0; if (low == "" || t < low) low = t; if (t > high) high = t }
            else if (v == "tips as it must") tips++
            else { others++; if (wrong !~ cell("mesh")) wrong = wrong (wrong == "" ? "" : ", ") "`" cell("mesh") "`" }
            if (cell("t" k "_flags") > 0) flags++
        }
    }
    END {
        if (bad) exit 1
        for (s in sides) sideCount++
        for (m in meshes) meshCount++
        printf "**From all sides.** `scripts/sides.sh` pushes them along %d sides (one seed; with the above %d rows of shape, side and test): %d upright, %d roll", sideCount, rows, upright, rolls
        if (leans) printf ", %d lean (%s to %s deg)", leans, show(low, 2), show(high, 2)
        if (tips) printf ", %d tip", tips
        printf others ? "; %d do not do what they must (%s)." : ", each as it must.", others, wrong
        printf " %s raised a flag.", flags ? flags " of the runs" : "No run"
        printf " The closest that stays upright is `%s` at %d deg: its reach is %.1f %% over mu h, and it tilts by %s deg at most.\n", where, angle, 100 * closest, show(tilt, 1)
    }' "$results/shapes.csv" "$results/sides.csv" | wrap
}

# --- docs/theory/ ---

# How exactly masses are fitted.
table_fits()
{
    awk -F, "$AWK"'
    {
        g = cell("group"); w = cell("way"); e = cell("error") + 0; r = cell("smallest_ratio") + 0
        n[g]++; ways[g, w]++
        if (e > worst[g]) worst[g] = e
        if (!(g in low) || r < low[g]) low[g] = r; if (r > high[g]) high[g] = r
        if (cell("newton_steps") > steps[g]) steps[g] = cell("newton_steps")
        if (g == "bunny") { radius = cell("label"); gsub(/[^0-9.]/, "", radius); radii = radii (radii == "" ? "" : ", ") radius; ratios = ratios (ratios == "" ? "" : ", ") sprintf("%.2f", r) }
        seconds = cell("seconds")
    }
    function way(g,    text, k, names) {
        split("closed form;clamped;extra inertia", names, ";")
        for (k = 1; k <= 3; k++) if (ways[g, names[k]] > 0)
            text = text (text == "" ? "" : ", ") (ways[g, names[k]] < n[g] ? ways[g, names[k]] " " : "") names[k] (k == 2 ? " (at most " steps[g] " steps)" : "")
        return text
    }
    END {
        if (bad) exit 1
        print "| spheres | way | smallest m/m0 | off by at most |\n|---|---|---|---|"
        printf "| cubes, n = 3 to 16 | %s | %s to %s | %s |\n", way("cubes"), show(low["cubes"], 3), show(high["cubes"], 3), show(worst["cubes"], 1)
        printf "| cube n = 2, layer 4x4x1, rod of 10 | %s | %s | %s |\n", way("flat"), show(low["flat"], 3), show(worst["flat"], 1)
        printf "| bunny, r = %s mm | %s | %s | %s |\n", radii, way("bunny"), ratios, show(worst["bunny"], 1)
        printf "| %d random ellipsoid shells | %s | %s | %s |\n", n["shells"], way("shells"), show(low["shells"], 3), show(worst["shells"], 1)
        printf "\nA million spheres take %s s.\n", show(seconds, 1)
    }' "$results/masses.csv"
}

# Meshes of point clouds: true errors and stated ones.
table_clouds()
{
    awk -F, "$AWK"'
    function count(points) { return points == 10000 ? "10⁴" : points == 100000 ? "10⁵" : points }
    function both(name) { return show(cell(name), 2) " (" show(cell(name "_stated"), 2) ")" }
    function signed(x) { return (x < 0 ? "−" : "+") show(x < 0 ? -x : x, 1) "/n" }
    BEGIN { print "| cloud, no normals but where said | volume | centre | inertia |\n|---|---|---|---|" }
    {
        printf "| %s, %s%s%s%s%s | %s | %s | %s |\n", cell("shape"), count(cell("points")), (cell("noise") > 0 ? ", noise " cell("noise") : ""), (cell("normals") == "given" ? ", normals given" : ""),
            (cell("refused") > 0 ? " (" cell("refused") " of " cell("clouds") + cell("refused") " refused)" : ""), (cell("clouds") + cell("refused") == 1 ? " (one cloud)" : ""),
            both("volume"), both("centre"), both("inertia")
        if (cell("worst_share") + 0 > worst) worst = cell("worst_share") + 0
        # The bias: without normals, but of the bunny with them
        if (cell("noise") == 0 && cell("points") <= 10000 && (cell("shape") == "bunny") == (cell("normals") == "given")) {
            s = cell("shape"); b = cell("volume_bias") * cell("points")
            bias[s] = bias[s] (bias[s] == "" ? "" : " and ") signed(b)
        }
        if (cell("points") == 100000) { m = cell("mesh_s") + 0; e = cell("errors_s") + 0; if (m > mesh) mesh = m; if (e > errors) errors = e }
    }
    END {
        if (bad) exit 1
        printf "\nSingle numbers are off by up to %s times what is stated. The mean error of the volume at n = 1000 and 10⁴ points is, relative to it, %s for the sphere, %s for the torus, %s for the cube and %s for the bunny with normals, which is inside the stated errors. 10⁵ points take up to %s s, and their errors %s s, of processor time.\n", show(worst, 2), bias["sphere"], bias["torus"], bias["cube"], bias["bunny"], show(mesh, 1), show(errors, 1)
    }' "$results/clouds.csv" | wrap
}

# The winding number by the tree.
table_winding()
{
    awk -F, "$AWK"'
    cell("case") ~ /^winding__by_the_tree/ { worst = cell("largest") }
    END { if (bad || worst == "") exit 1; printf "Far nodes of a k-d tree count as a dipole and its first moment; on a torus of 5000 points the result is within %s of the sum over all points.\n", show(worst, 2) }' "$results/checks.csv" | wrap
}

# A damaged bunny's volume.
table_damage()
{
    awk -F, "$AWK"'
    cell("case") ~ /^bunny__damage/ { if (cell("what") == "p.volume") off = cell("furthest_off") / cell("largest"); else taken = cell("largest") }
    END {
        if (bad || off == "" || taken == "") exit 1
        printf "Measured on the bunny (the test unit_surface_bunny), with 3 %% of its facets lost, 6 %% of them flipped, doubled, shifted or all of these mixed, or a hole that reaches 10 to 60 mm from a vertex: %d of the 30 damaged copies are accepted, and in these and behind the accepted holes the volume is off by %.2f %% at most.\n", taken, 100 * off
    }' "$results/checks.csv" | wrap
}

# What is left of PBD-R's errors, and where they come from.
table_remains()
{
    awk -F, "$AWK"'
    FILENAME ~ /table/ { if (cell("kind") == "signed") { rounding[cell("test"), cell("solver")] = cell("rounding"); packing[cell("test"), cell("solver")] = cell("packing"); contact[cell("test"), cell("solver")] = cell("contact"); total[cell("test"), cell("solver")] = cell("total") } next }
    cell("test") == 1 && cell("solver") == "pbd-r" && cell("precision") == "f64" && cell("outcome") == "measured" { speed += cell("final_velocity_error_mps"); count++ }
    cell("test") == 4 && cell("solver") == "pbd" && cell("precision") == "f32" && cell("outcome") == "measured" { lost += cell("final_position_error_m"); lostCount++ }
    function magnitude(x) { return x < 0 ? -x : x }
    END {
        if (bad || !count || !lostCount) exit 1
        print "| source | size | cure |\n|---|---|---|"
        printf "| friction is clamped in each iteration, not on its sum | %s m/s and %s m in Test 1 at n = 4 | accumulated multipliers ([XPBD-R](xpbdr.md)) |\n", show(speed / count, 1), show(magnitude(contact[1, "pbd-r"]), 2)
        print "| a contact moves one light particle, not the body | convergence slows down as the resolution rises | the body\047s own inverse mass at the contact |"
        printf "| point masses have 1 − 1/n² of a cube\047s inertia | %s° in Test 2 at n = 4 | [masses](masses.md) that weigh right |\n", show(magnitude(packing[2, "pbd-r"]), 3)
        print "| semi-implicit Euler | the floor, a t dt/2 | an update of second order |"
        printf "| float | %s m in Test 1 with PBD-R, %s m with PBD | double, or fewer particles to round |\n", show(magnitude(rounding[1, "pbd-r"]), 1), show(magnitude(rounding[1, "pbd"]), 2)
        printf "\nPBD\047s errors of metres are rounding and have no particular value. Its %s m in Test 4 do not mean that the bunny flew off: the reference travels 33.2 m in ten seconds, and PBD\047s bunny hardly moved.\n", show(lost / lostCount, 3)
    }' "$results/budget_table.csv" "$results/budget.csv" | wrap
}

# How far the reduced engine is from the particle engine.
table_engines()
{
    awk -F, "$AWK"'
    cell("program") == "physics_reduced" { w = cell("what"); if (cell("largest") + 0 > most[w]) most[w] = cell("largest") + 0 }
    END { if (bad || !("apart.angle" in most)) exit 1; printf "Measured over 10 s of tests 1 to 6 (the test physics_reduced), the trajectory is the particle engine\047s to %s m and %s°.\n", show(most["apart.position"], 1), show(most["apart.angle"], 1) }' "$results/checks.csv" | wrap
}

# What is lost of L in free flight.
table_flight()
{
    awk -F, "$AWK"'
    cell("program") == "physics_bunny_bars" && cell("what") == "angular" { lost = cell("largest") }
    END { if (bad || lost == "") exit 1; printf "The position half moves r after v was set, so over a whole substep L is exact only in the limit dt → 0: a bunny that spins at 10 rad/s loses %s of L in 10 s at 1 ms.\n", show(lost, 1) }' "$results/checks.csv" | wrap
}

# Contact by surface.
table_surface()
{
    awk -F, "$AWK"'
    cell("program") == "physics_surface_contact" { k = cell("case"); sub(/__.*/, "", k); most[k, cell("what")] = cell("largest") }
    function get(k, what) { if (!((k, what) in most)) bad = 1; return most[k, what] + 0 }
    END {
        printf "`build/tests/physics_surface_contact`: boxes, upright cylinders, lying capsules and balls on boxes, static and dynamic, stay within %s m for 10 s, and a tower of ten boxes within %s m. In a pile of 27 boxes that fall in random orientations the true boxes overlap by %s mm at most. A box on three cylinders rolls as the closed form says to %s m, and what is round rolls down a slope as it says to %s m.\n",
            show(get("standing", "moved"), 1), show(get("tower", "moved"), 1), show(1000 * get("pile", "between"), 1), show(get("rollers", "error"), 1), show(get("round", "fabs(x.x - way)"), 1)
        if (bad) exit 1
    }' "$results/checks.csv" | wrap
}

# The example scenes, and how far they end from MuJoCo's.
table_scenes()
{
    awk -F, "$AWK"'
    cell("program") == "physics_scenes" { most[cell("what")] = cell("largest") }
    function row(scene, words, what, note) {
        if (what != "" && !(what in most)) bad = 1
        printf "| %s | %s |%s |\n", scene, words, (what == "" ? "" : sprintf(" %.2g mm%s", 1000 * most[what], note))
    }
    END {
        print "| scene | what must happen | from MuJoCo |\n|---|---|---|"
        row("box_on_slope", "25 degrees: friction 0.4 slides by a t²/2, friction 0.6 holds", "boxOnSlope", " (the box that holds)")
        row("rod_and_box", "A rod pushes a box by 0.1 m and draws back; the box slides on by v²/(2 mu g) = 0.3 mm", "rodAndBox")
        row("tower", "20 boxes stay where they are", "tower")
        row("card_house", "7 cards that lean by 20 degrees stand", "cardHouse")
        row("arch", "11 wedges without mortar, 0.21 of the radius thick, stand", "arch")
        row("brick_wall", "105 bricks without mortar stand", "brickWall")
        row("dominoes", "20 dominoes fall, the last one flat")
        row("bunny_pile", "30 bunnies are dropped and come to rest; the set-up fetches the mesh")
        row("tray", "40 small parts are pushed together by a finger; none leaves the tray")
        row("hopper", "1000 balls run through a hopper into a bin")
        if (bad) exit 1
    }' "$results/checks.csv"
}

# What a graphics card makes of 100,000 spheres.
table_view_card()
{
    awk -F, "$AWK"'
    FNR == 2 { print "| bodies | window | pixels drawn | draw calls | vertices | script of a picture [ms] | pictures/s |"; print "|---|---|---|---|---|---|---|" }
    { printf "| %s | %s | %s | %s | %s | %s | %s |\n", cell("bodies"), cell("window"), cell("drawn"), cell("draw_calls"), group(cell("vertices")), cell("script_ms"), show(cell("pictures_per_s"), 3) }
    END { if (bad) exit 1 }' "$results/view_card.csv"
}

# Replays and the laboratory, as they were measured.
table_view()
{
    awk -F, "$AWK"'
    BEGIN { print "| what | measured |"; print "|---|---|" }
    function flush() { if (text != "") printf "| %s | %s |\n", what, text; text = "" }
    { w = cell("what"); q = cell("quantity"); gsub(/;/, ",", w); gsub(/;/, ",", q); if (w != what) flush(); what = w; text = text (text == "" ? "" : ", ") cell("value") " " q }
    END { if (bad) exit 1; flush() }' "$results/view.csv"
}
