#!/usr/bin/env bash
# pbdr pack: keys, masses that weigh right, the same bits from the same seed, spheres read back, damaged meshes, refusals, Ctrl-C.
#
#     pack_test.sh PBDR [BUNNY.stl]
set -u
pbdr=$(realpath "$1")
bunny=${2:+$(realpath -m "$2")}
here=$(realpath "$(dirname "$0")")
. "$here/expect.sh"
skip() { skipped=$((skipped + 1)); echo "SKIPPED $1"; }
pack() { "$pbdr" pack "$@" --samples 2000; }

expect help__of_pack_is_success 0 "" "$pbdr" pack --help
for option in size extent scale mass density packing count radius tolerance spheres masses contact-normals picture seed max-volume-error wrap wrap-cell hull; do
    check "help__names_$option" grep -q -e "--$option " out
done
check help__names_the_short_form grep -q -e "-o, --output FILE" out

# Meshes: a box, a ball of 40 x 20 patches, and the ball with damage
printf 'v 0 0 0\nv 3 0 0\nv 3 2 0\nv 0 2 0\nv 0 0 1\nv 3 0 1\nv 3 2 1\nv 0 2 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n' >box.obj
ball() # LOST FLIPPED DOUBLED: every so many facets; 0: none
{
    awk -v lost="$1" -v flipped="$2" -v doubled="$3" 'BEGIN {
        n = 40; m = 20; pi = atan2(0, -1)
        print "v 0 0 1"; print "v 0 0 -1"
        for (k = 1; k < m; k++) for (i = 0; i < n; i++)
            printf "v %.9f %.9f %.9f\n", sin(pi*k/m) * cos(2*pi*i/n), sin(pi*k/m) * sin(2*pi*i/n), cos(pi*k/m)
        for (k = 0; k < m; k++) for (i = 0; i < n; i++) {
            a = k == 0 ? 1 : 3 + (k-1)*n + i; b = k == 0 ? 1 : 3 + (k-1)*n + (i+1)%n
            c = k == m-1 ? 2 : 3 + k*n + (i+1)%n; d = k == m-1 ? 2 : 3 + k*n + i
            if (k < m-1) face(a, d, c)
            if (k > 0) face(a, c, b)
        }
    }
    function face(x, y, z) {
        t++
        if (lost && t % lost == 7) return
        if (flipped && t % flipped == 11) print "f", x, z, y; else print "f", x, y, z
        if (doubled && t % doubled == 13) print "f", x, y, z
    }'
}
ball 0 0 0 >ball.obj
printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n' >flat_sheet.obj
ball 37 0 0 >lost.obj
ball 0 29 0 >flipped.obj
ball 41 31 23 >mixed.obj
head -n 1700 ball.obj >ruin.obj # a bowl: nobody knows what stood on it
head -n 2080 ball.obj >dent.obj # a flat on its bottom
sed "s/^v 3/v 30/" box.obj >long.obj


# --- What stands in the file ---
value() { sed -n "s/^ *\"$2\": \([^,}]*\).*/\1/p" "$1" | head -1; } # FILE KEY

# Sums over the spheres against the keys: mass, centre, and inertia with extra_inertia, relative to mass and size.
weigh() # FILE BOUND
{
    awk -v bound="$2" '
        function numbers(line) { gsub(/[^-+0-9.eE]+/, " ", line); sub(/^ +/, "", line); return split(line, v, / +/) }
        /^  "[a-z_]*": / { key = $1; gsub(/[":]/, "", key); sub(/^  "[a-z_]*": /, "") }
        key == "mass" { numbers($0); mass = v[1]; key = "" }
        key == "com" { numbers($0); for (k = 1; k <= 3; k++) com[k] = v[k]; key = "" }
        key == "inertia" { numbers($0); for (k = 1; k <= 9; k++) solid[k] = v[k]; key = "" }
        key == "extra_inertia" { numbers($0); for (k = 1; k <= 9; k++) own[k] = v[k]; key = "" }
        key == "centers" && numbers($0) >= 3 { n++; x[n] = v[1]; y[n] = v[2]; z[n] = v[3] }
        key == "masses" { count = numbers($0); for (k = 1; k <= count; k++) if (v[k] != "") m[++p] = v[k] }
        END {
            for (i = 1; i <= n; i++) {
                a = x[i] - com[1]; b = y[i] - com[2]; c = z[i] - com[3]; sum += m[i]
                cx += m[i] * a; cy += m[i] * b; cz += m[i] * c
                own[1] += m[i] * (b*b + c*c); own[5] += m[i] * (a*a + c*c); own[9] += m[i] * (a*a + b*b)
                own[2] -= m[i] * a * b; own[3] -= m[i] * a * c; own[6] -= m[i] * b * c
            }
            scale = solid[1] + solid[5] + solid[9]; size = sqrt(scale / mass)
            off = abs(sum / mass - 1) + (abs(cx) + abs(cy) + abs(cz)) / mass / size
            split("1 5 9 2 3 6", entries, " ")
            for (k in entries) off += abs(own[entries[k]] - solid[entries[k]]) / scale
            print n " spheres, " p " masses, off by " off
            exit !(n > 0 && n == p && off <= bound)
        }
        function abs(t) { return t < 0 ? -t : t }' "$1"
}

# A face of two corners is left out, and said so.
{ cat box.obj && echo "f 1 2"; } >seam.obj
expect warning__names_the_skipped_face 0 "warning: seam.obj: faces of fewer than 3 corners are left out: 1, the first in line $(wc -l <seam.obj | tr -d ' ')" pack seam.obj --mass 1 -o seam.json
expect bench__warns_of_it_too 0 "pbdr bench: warning: seam.obj: faces of fewer" "$pbdr" bench --mesh seam.obj --tests 4 --solvers pbd-r --seeds 1 --duration 0.01 --radius 0.02
expect pack__writes_a_box 0 "" pack box.obj --extent 0.3 --mass 4 --count 200 --contact-normals -o box.json --picture box.svg
for key in schema centers radii masses mass com inertia extra_inertia volume quality provenance face_normals; do
    check "keys__$key" grep -q "^  \"$key\": " box.json
done
for key in mean_gap_m largest_gap_m cover protrusion_m support_m support_margin_m inertia_error mesh mesh_sha256 mesh_bytes options seed pbdr; do
    check "keys__$key" grep -q "^    \"$key\": " box.json
done
check keys__hash_is_sha256sum_s test "$(value box.json mesh_sha256)" = "\"$(sha256sum box.obj | cut -d ' ' -f 1)\""
check keys__mass_is_asked_for test "$(value box.json mass)" = 4
check keys__volume_is_exact awk -v v="$(value box.json volume)" 'BEGIN { exit !((v - 0.006)^2 < 1e-18) }'
cat >whole.cmake <<'END'
file(READ ${CMAKE_CURRENT_LIST_DIR}/box.json text)
string(JSON count LENGTH "${text}" centers)
foreach(key radii masses face_normals)
    string(JSON other LENGTH "${text}" ${key})
    if(NOT count EQUAL other)
        message(FATAL_ERROR "${other} ${key} for ${count} centers")
    endif()
endforeach()
END
check keys__json_is_whole cmake -P whole.cmake
check picture__is_svg grep -q '^<svg ' box.svg
check picture__says_the_count grep -q '200 spheres' box.svg
check report__has_units grep -q 'surface gap   mean [0-9.e-]* mm' out
check report__names_the_rung grep -q '^masses          exact' out
check report__says_when_it_tips grep -q 'up to mu = ' out
check pack__leaves_no_temporaries test -z "$(find . -name '*.tmp')"
check masses__sum_as_the_keys_say weigh box.json 1e-12

for mesh in box ball; do
    for options in "--packing grid --count 150" "--packing grid --radius 0.024" "--packing surface --count 300" \
        "--packing surface --radius 0.03" "--packing surface --tolerance 0.002"; do
        name=$(tr -d ' .-' <<<"$options")
        expect "pack__${mesh}_$name" 0 "" pack $mesh.obj --extent 0.3 --density 800 $options -o body.json
        check "masses__${mesh}_${name}_are_exact" weigh body.json 1e-12
    done
done
expect tolerance__is_met 0 "" pack ball.obj --extent 0.3 --mass 1 --tolerance 0.001 -o body.json
check tolerance__is_the_mean_gap awk -v g="$(value body.json mean_gap_m)" 'BEGIN { print g; exit !(g < 1.1e-3) }'
expect masses__uniform 0 "" pack ball.obj --extent 0.3 --mass 1 --masses uniform --count 50 -o body.json
check masses__uniform_are_equal grep -q '0.02, 0.02, 0.02' <(sed 's/0\.0[12][0-9]*/0.02/g' body.json)
check masses__uniform_is_said grep -q '^masses          uniform' out
expect masses__thin_plate_gets_extra_inertia 0 "" pack box.obj --size 0.2 --mass 1 --packing grid --radius 0.05 -o body.json
check masses__thin_plate_is_exact weigh body.json 1e-12
check masses__extra_inertia_is_said grep -q 'exact with extra inertia' out
expect size__scales_each_axis 0 "" pack box.obj --size 0.2 --mass 1 --count 50 -o body.json
check size__is_a_cube awk -v v="$(value body.json volume)" 'BEGIN { exit !((v - 0.008)^2 < 1e-18) }'
expect scale__is_even 0 "" pack box.obj --scale 0.1 --density 1000 --count 50 -o body.json
check scale__mass_is_density_times_volume awk -v m="$(value body.json mass)" 'BEGIN { exit !((m - 6)^2 < 1e-12) }'

# --- The same bits ---
pack ball.obj --extent 0.3 --mass 1 --count 200 --seed 3 -o a.json >/dev/null
pack ball.obj --extent 0.3 --mass 1 --count 200 --seed 3 -o b.json >/dev/null
pack ball.obj --extent 0.3 --mass 1 --count 200 --seed 4 -o c.json >/dev/null
check seed__same_gives_the_same_bytes cmp a.json b.json
check seed__other_gives_others sh -c '! cmp -s a.json c.json'

# --- Spheres of a file ---
if "$pbdr" info | grep -q '^body files .*jansson'; then
    if expect spheres__read_back 0 "" pack ball.obj --extent 0.3 --mass 1 --spheres a.json -o again.json; then
        check spheres__are_the_same cmp <(sed -n '/^"centers"/,/^"masses"/p' a.json) <(sed -n '/^"centers"/,/^"masses"/p' again.json)
        check spheres__weigh_the_same weigh again.json 1e-12
    fi
    printf '{"centers": [[0.1,0,0],[-0.1,0,0],[0,0.1,0],[0,-0.1,0],[0,0,0.1],[0,0,-0.1]], "radii": [0.05,0.05,0.05,0.05,0.05,0.05]}' >morphit.json
    expect spheres__of_morphit 0 "" pack ball.obj --extent 0.3 --mass 2 --spheres morphit.json -o weighed.json
    check spheres__of_morphit_weigh_right weigh weighed.json 1e-12
    printf '{"centers": [[0.1,0,0]], "radii": ["big"]}' >bad.json
    expect spheres__damaged_are_refused 1 'bad.json: radii[0]: wanted a number, found the text "big"' pack ball.obj --mass 1 --spheres bad.json
    printf '{"centers": [[0.1,0,0],\n' >bad.json
    expect spheres__cut_short_are_refused 1 "bad.json: line 2" pack ball.obj --mass 1 --spheres bad.json
    printf '{"centers": [[5,0,0]], "radii": [0.1]}' >bad.json
    expect spheres__elsewhere_are_refused 1 "outside the hull" pack ball.obj --mass 1 --spheres bad.json
    expect spheres__missing 1 "no/such.json" pack ball.obj --mass 1 --spheres no/such.json
else
    skip "spheres of a file: built without jansson (Debian: libjansson-dev)"
    expect spheres__refused_without_jansson 1 "libjansson-dev" pack ball.obj --mass 1 --spheres a.json
fi

# --- Damaged meshes: within 1 % of the sound one's volume, or refused ---
"$pbdr" pack ball.obj --extent 0.3 --density 1000 --count 100 --samples 1000 -o sound.json >/dev/null
sound=$(value sound.json volume)
for damage in lost flipped mixed; do
    for packing in grid surface; do
        expect "damage__${damage}_${packing}_is_packed" 0 "" pack $damage.obj --extent 0.3 --density 1000 --packing $packing --count 200 -o body.json
        check "damage__${damage}_${packing}_has_the_volume" awk -v a="$sound" -v b="$(value body.json volume)" 'BEGIN { print a, b; exit !((a - b)^2 < 1e-4 * a^2) }'
        check "damage__${damage}_${packing}_is_weighed" weigh body.json 1e-12
        check "damage__${damage}_${packing}_is_said" grep -q '^  damage .* mended' out
    done
done
expect damage__ruin_is_refused 1 "ruin.obj" pack ruin.obj --extent 0.3 --density 1000 -o never.json
check damage__ruin_leaves_nothing test ! -e never.json

# --- Ways on: what a refusal names packs the mesh ---
expect ways__dent_is_refused 1 "dent.obj" pack dent.obj --extent 0.3 --density 1000
ways=$(sed -n 's/.*can be packed with //p' err)
for way in "$(echo "$ways" | grep -o -e '--max-volume-error [0-9.e-]*')" --wrap --hull; do
    check "ways__dent_names_${way%% *}" sh -c "echo '$ways' | grep -qe '$way'"
    # shellcheck disable=SC2086
    expect "ways__dent_is_packed_with_${way%% *}" 0 "" pack dent.obj --extent 0.3 --density 1000 --count 200 $way -o body.json
    check "ways__dent_is_weighed_with_${way%% *}" weigh body.json 1e-12
done
check ways__are_noted_in_the_file grep -q -e '--hull' body.json
expect ways__wrap_states_its_error 0 "" pack ball.obj --extent 0.3 --density 1000 --count 200 --wrap -o body.json
check ways__wrap_states_its_error grep -q "known to .* (the wrap's grid)" out
check ways__wrap_has_the_volume awk -v a="$sound" -v b="$(value body.json volume)" 'BEGIN { print a, b; exit !((a - b)^2 < 1e-4 * a^2) }'
expect ways__flat_mesh_has_none 1 "no volume" pack flat_sheet.obj --mass 1
check ways__flat_mesh_names_none sh -c "! grep -q 'can be packed' err"
expect ways__only_one 2 "--hull and --wrap" "$pbdr" pack ball.obj --mass 1 --hull --wrap

# --- Thin walls: a box of 1 x 1 x 0.5 m with walls of 2 mm ---
awk 'BEGIN {
    box(0, 0, 0, 1, 1, 0.5, 0); box(0.002, 0.002, 0.002, 0.998, 0.998, 0.498, 1)
}
function box(a, b, c, d, e, f, inwards,   i, k, n) {
    for (i = 0; i < 8; i++) print "v", (i % 2 ? d : a), (int(i / 2) % 2 ? e : b), (i > 3 ? f : c)
    n = split("1 3 4 2 5 6 8 7 1 2 6 5 3 7 8 4 1 5 7 3 2 4 8 6", q, " ")
    for (k = 1; k < n; k += 4)
        if (inwards) print "f", q[k+3] + 8, q[k+2] + 8, q[k+1] + 8, q[k] + 8; else print "f", q[k], q[k+1], q[k+2], q[k+3]
}' >thin.obj
expect thin_walls__are_warned_of 0 "cover only" pack thin.obj --mass 1
check thin_walls__warning_names_a_count grep -qe '--count [0-9]' err
expect thin_walls__are_no_concern_of_solids 0 "" pack ball.obj --mass 1
check thin_walls__are_no_concern_of_solids sh -c "! grep -q warning err"

# --- Wrong usage ---
expect usage__no_mesh 2 "which mesh" "$pbdr" pack --mass 1
expect usage__no_mass 2 "--mass M or --density D is needed" "$pbdr" pack box.obj
expect usage__both_masses 2 "only one of them" "$pbdr" pack box.obj --mass 1 --density 1
expect usage__two_scales 2 "--size, --scale and --extent" "$pbdr" pack box.obj --mass 1 --size 1 --scale 1
expect usage__unknown_packing 2 "--packing hex: must be one of: grid surface" "$pbdr" pack box.obj --mass 1 --packing hex
expect usage__unknown_masses 2 "must be one of: uniform exact" "$pbdr" pack box.obj --mass 1 --masses heavy
expect usage__grid_has_no_tolerance 2 "--tolerance" "$pbdr" pack box.obj --mass 1 --packing grid --tolerance 0.1
expect usage__grid_by_radius_or_count 2 "--radius and --count" "$pbdr" pack box.obj --mass 1 --packing grid --radius 0.1 --count 7
expect usage__spheres_beside_a_count 2 "--spheres brings its own" "$pbdr" pack box.obj --mass 1 --spheres a.json --count 7
expect usage__negative_mass 2 "--mass -1: must be above 0" "$pbdr" pack box.obj --mass -1
expect usage__a_body_is_no_mesh 2 "--spheres a.json" "$pbdr" pack a.json --mass 1
expect usage__stray_argument 2 "'more.obj'" "$pbdr" pack box.obj more.obj --mass 1

# --- Files that cannot be had ---
expect files__missing_mesh 1 "no/such.stl" pack no/such.stl --mass 1 -o never.json
expect files__missing_folder 1 "no/such.json" pack box.obj --mass 1 -o no/such.json
expect files__missing_picture_folder 1 "no/such.svg" pack box.obj --mass 1 -o never.json --picture no/such.svg
echo "not a mesh" >text.stl
expect files__no_mesh 1 "text.stl" pack text.stl --mass 1 -o never.json
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >flat.obj
expect files__flat_mesh 1 "flat.obj" pack flat.obj --mass 1 -o never.json
expect files__radius_too_large 1 "none of" pack box.obj --mass 1 --packing grid --radius 50 -o never.json
check files__nothing_is_left test ! -e never.json
expect files__full_disk_for_the_report 1 "cannot write" sh -c "'$pbdr' pack box.obj --mass 1 --samples 1000 >/dev/full"
expect files__full_disk_for_the_body 1 "/dev/full" pack box.obj --mass 1 --samples 1000 -o /dev/full
expect units__a_long_mesh_is_suspected 0 "--scale 0.001" pack long.obj --mass 1 --count 50
expect units__a_given_scale_is_believed 0 "" pack long.obj --scale 1 --mass 1 --count 50
check units__a_given_scale_is_believed sh -c "! grep -q note err"

# --- Ctrl-C ---
echo old >kept.json
"$pbdr" pack ball.obj --extent 0.3 --mass 1 --count 3000000 -o kept.json --picture kept.svg >/dev/null 2>&1 &
worker=$!
sleep 0.5
kill -INT $worker 2>/dev/null
code=0
wait $worker || code=$?
check interrupt__exits_with_130 test $code -eq 130
check interrupt__keeps_what_was_there test "$(cat kept.json)" = old
check interrupt__leaves_nothing_else test -z "$(ls kept.svg ./*.tmp 2>/dev/null)"

# --- Points ---
# 3000 points of the unit ball, on a spiral: its volume to 0.2 %
awk 'BEGIN { for (k = 0; k < 3000; k++) { z = (2 * k + 1) / 3000 - 1; r = sqrt(1 - z * z); a = 2.39996323 * k; print r * cos(a), r * sin(a), z } }' >ball.xyz
expect cloud__is_packed 0 "" "$pbdr" pack ball.xyz --scale 0.1 --mass 1 --count 200 --samples 5000 -o ball.json
check cloud__states_its_errors grep -q "point cloud   3000 points.*standard errors.*volume .* %" out
check cloud__has_the_volume_of_the_ball awk -v v="$(value ball.json volume)" 'BEGIN { e = v / 4.18879e-3 - 1; print e; exit !(e * e < 4e-6) }'
check cloud__weighs_right weigh ball.json 1e-12
sed '7s/ .*/ x 1/' ball.xyz >bad.xyz
expect cloud__damage_is_named 1 "bad.xyz: line 7" "$pbdr" pack bad.xyz --extent 0.2 --mass 1 -o badcloud.json
head -n 20 ball.xyz >few.xyz
expect cloud__too_few_points_are_refused 1 "few.xyz" "$pbdr" pack few.xyz --extent 0.2 --mass 1 -o badcloud.json
check cloud__refusals_leave_nothing test ! -e badcloud.json

# --- The bunny ---
if [ -n "$bunny" ] && [ -f "$bunny" ]; then
    # the bars of the issue: 0.45 mm at 2191 spheres, 1 mm at 801; the paper's grid 1.83 mm
    for line in "2191 0.45" "801 1.0"; do
        set -- $line
        expect "bunny__$1_spheres" 0 "" "$pbdr" pack "$bunny" --size 0.2 --mass 2.18 --count "$1" --samples 20000 -o bunny.json --picture bunny.svg
        check "bunny__$1_spheres_are_near_the_surface" awk -v g="$(value bunny.json mean_gap_m)" -v bar="$2" 'BEGIN { print 1e3 * g " mm"; exit !(1e3 * g <= bar) }'
        check "bunny__$1_spheres_weigh_right" weigh bunny.json 1e-12
    done
    # read back: the benchmark's spheres come from the file
    expect bunny__is_read_back_by_bench 0 "" "$pbdr" bench --tests 4 --solvers xpbdr,pbd-r --seeds 1 --duration 0.3 --mesh "$bunny" --spheres bunny.json --json back.json
    check bunny__has_the_files_spheres test "$(grep -c '"particles": 801' back.json)" -eq 2
    check bunny__pbdr_has_the_files_masses grep -q '"masses": "file"' back.json
    expect bunny__is_read_back_by_profile 0 "" "$pbdr" profile --test 5 --solver xpbdr --duration 0.05 --mesh "$bunny" --spheres bunny.json
    check bunny__is_profiled_with_the_files_spheres grep -q "801 spheres" out
    expect bunny__missing_body_is_named 1 "nobody.json" "$pbdr" bench --tests 4 --solvers pbd-r --mesh "$bunny" --spheres nobody.json
    expect bunny__another_meshs_body_is_refused 1 "ball.json: its centre of mass is" "$pbdr" bench --tests 4 --solvers pbd-r --mesh "$bunny" --spheres ball.json
    expect bunny__grid 0 "" "$pbdr" pack "$bunny" --size 0.2 --mass 2.18 --packing grid --radius 0.005 --samples 20000 -o bunny.json
    check bunny__grid_has_2191_spheres grep -q '^spheres         2191,' out
    check bunny__grid_weighs_right weigh bunny.json 1e-12
else
    skip "the bunny: scripts/setup.sh fetches it"
fi
finish
