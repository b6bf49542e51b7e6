#!/usr/bin/env bash
# pbdr shapes, and pbdr bench --fit and --stand, on meshes made here: a box, a wedge, a tower that must tip, a drum that rolls.
#
#     shapes_test.sh PBDR
set -u
pbdr=$(realpath "$1")
. "$(dirname "$0")/expect.sh"

# NAME X Y Z [SHEAR]: a box, its top shifted along x
box()
{
    awk -v x="$2" -v y="$3" -v z="$4" -v s="${5:-0}" 'BEGIN {
        for (i = 0; i < 8; i++)
            print "v", (i % 2) * x + (i >= 4) * s, (int(i / 2) % 2) * y, (i >= 4) * z
        print "f 1 3 2\nf 2 3 4\nf 5 6 7\nf 6 8 7\nf 1 2 5\nf 2 6 5\nf 3 7 4\nf 4 7 8\nf 1 5 3\nf 3 5 7\nf 2 4 6\nf 4 8 6"
    }' >"$1.obj"
}
# NAME: a wedge 3 x 2 x 1, its edge at x = 3; 20 degrees askew about y
wedge()
{
    awk 'BEGIN { split("0 0 0 3 0 0 0 0 1 0 2 0 3 2 0 0 2 1", p, " "); c = cos(0.349); s = sin(0.349)
        for (i = 0; i < 6; i++) { x = p[3 * i + 1]; z = p[3 * i + 3]; printf "v %.9f %s %.9f\n", c * x + s * z, p[3 * i + 2], c * z - s * x }
        print "f 1 2 3\nf 4 6 5\nf 1 4 5\nf 1 5 2\nf 2 5 6\nf 2 6 3\nf 3 6 4\nf 3 4 1" }' >"$1.obj"
}
# NAME SIDES: a prism that lies along y
drum()
{
    awk -v n="$2" 'BEGIN { for (i = 0; i < n; i++) { a = 8 * atan2(1, 1) * (i + 0.5) / n
            printf "v %.9f 0 %.9f\nv %.9f 3 %.9f\n", cos(a), sin(a), cos(a), sin(a) }
        for (i = 0; i < n; i++) { p = 2 * i + 1; q = 2 * ((i + 1) % n) + 1; print "f", p, q, q + 1; print "f", p, q + 1, p + 1
            if (i > 0 && i < n - 1) { print "f", 1, q, p; print "f", 2, p + 1, q + 1 } } }' >"$1.obj"
}
# FILE MESH COLUMN: one value
value() { awk -F, -v mesh="$2" -v column="$3" 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k } $1 == mesh { print $at[column] }' "$1"; }
# LOW VALUE HIGH
within() { awk -v low="$1" -v v="$2" -v high="$3" 'BEGIN { exit !(v != "" && v + 0 >= low + 0 && v + 0 <= high + 0) }'; }

box box 2 2 2
box tower 1 1 4
box leaning 1 1 2 1.6
wedge wedge
drum drum 40
drum hexagon 6
grep -v "^f 1 3 2$" box.obj >box_hole.obj
sed -n '/^v/p; /^f [1-4] /p' box.obj >open.obj

expect help__is_success 0 "" "$pbdr" shapes --help
for option in mesh count fit as-read yaw seeds duration dt mu csv markdown; do
    check "help__names_$option" grep -q -e "--$option " out
done
expect main__lists_it 0 "" "$pbdr" --help
check main__says_what_it_is grep -q "shapes .*stay up" out

run=("$pbdr" shapes --count 150 --duration 1)
expect shapes__do_what_they_must 0 "" "${run[@]}" --mesh box.obj --mesh tower.obj --mesh wedge.obj --mesh drum.obj --mesh hexagon.obj --mesh leaning.obj \
    --csv s.csv --markdown s.md
check progress__is_on_stderr grep -q "\[2/6\] tower.obj: 150 spheres" err
check table__has_a_row_per_mesh test "$(grep -c '\.obj' out)" = 6
check markdown__has_a_row_per_mesh test "$(grep -c '^| [a-z]*\.obj |' s.md)" = 6
check csv__is_even awk -F, 'NR == 1 { n = NF } NF != n { exit 1 }' s.csv
for t in 4 6; do
    check "test${t}__box_is_upright" test "$(value s.csv box.obj t${t}_verdict)" = "upright as it must"
    check "test${t}__box_is_exact" within 0 "$(value s.csv box.obj t${t}_position_m)" 1e-10
    check "test${t}__wedge_is_upright" test "$(value s.csv wedge.obj t${t}_verdict)" = "upright as it must"
    check "test${t}__hexagon_is_upright" test "$(value s.csv hexagon.obj t${t}_verdict)" = "upright as it must"
    check "test${t}__tower_tips" test "$(value s.csv tower.obj t${t}_verdict)" = "tips as it must"
    check "test${t}__drum_rolls" test "$(value s.csv drum.obj t${t}_verdict)" = "rolls"
done
check masses__are_exact awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    $at["mass_error"] > 1e-12 || $at["centre_error"] > 1e-12 || $at["inertia_error"] > 1e-12 { exit 1 }' s.csv
# mu h of a 0.2 m cube is 0.04 m; the tower's is as much, and its reach at most half of 0.05 m
check tower__needs_what_it_lacks within 0.0399 "$(value s.csv tower.obj mu_h_m)" 0.0401
check tower__reach_is_half_its_width within 0.02 "$(value s.csv tower.obj reach_m)" 0.025
check wedge__is_turned_back within 0.348999 "$(value s.csv wedge.obj turn_rad)" 0.349001
check leaning__leaves_its_base within 0.1 "$(value s.csv leaning.obj turn_rad)" 3.15

# mu h = 0.4 (0.1 m): mu decides
expect mu__decides_for_the_tower 0 "" "${run[@]}" --mesh tower.obj --mu 0.15 --csv m.csv
check mu__leaves_it_upright test "$(value m.csv tower.obj t4_verdict)" = "upright as it must"
expect yaw__turns_the_body 0 "" "${run[@]}" --mesh wedge.obj --yaw 180 --csv y.csv
check yaw__changes_the_reach within 1.5 "$(awk -v a="$(value s.csv wedge.obj reach_m)" -v b="$(value y.csv wedge.obj reach_m)" 'BEGIN { print a / b }')" 2.5
expect fit__cube_is_a_cube 0 "" "${run[@]}" --mesh tower.obj --fit cube --csv c.csv
check fit__cube_does_not_tip test "$(value c.csv tower.obj t4_verdict)" = "upright as it must"

expect refused__mesh_is_named_and_the_others_go_on 1 "1 of 2 meshes were refused" "${run[@]}" --mesh open.obj --mesh box.obj --csv r.csv
check refused__says_why grep -q "open.obj *refused: " out
check refused__is_in_the_csv test "$(value r.csv open.obj t4_verdict)" = refused
check refused__other_is_there test "$(value r.csv box.obj t4_verdict)" = "upright as it must"
expect small_hole__is_filled 0 "" "${run[@]}" --mesh box_hole.obj
expect missing__file_is_named 1 "nowhere.stl" "${run[@]}" --mesh nowhere.stl
expect usage__mesh_is_needed 2 "--mesh FILE is needed" "$pbdr" shapes
expect usage__bad_fit 2 "--fit ball" "$pbdr" shapes --fit ball
expect usage__too_many_substeps 2 "--duration 10 with --dt 1e-12" "$pbdr" shapes --mesh box.obj --dt 1e-12
expect output__is_tried_before_the_work 1 "no/such" "${run[@]}" --mesh box.obj --csv no/such/folder.csv

# pbdr bench: the defaults are as before
bench=("$pbdr" bench --tests 4 --solvers xpbdr --seeds 1 --duration 0.2 --radius 0.02)
expect bench__fits_a_cube 0 "" "${bench[@]}" --mesh tower.obj --json cube.json
check bench__says_so grep -q '"fit": *"cube"' cube.json
expect bench__fits_the_extent 0 "" "${bench[@]}" --mesh tower.obj --fit extent --stand --yaw 45 --packing surface --count 100 --json extent.json
check bench__says_extent grep -q '"fit": *"extent"' extent.json
check bench__says_stand grep -q '"stand": *"facet"' extent.json
expect bench__refuses_other_fits 2 "--fit ball" "${bench[@]}" --fit ball

finish
