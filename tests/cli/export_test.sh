#!/usr/bin/env bash
# pbdr export: JSON that parses and is whole, XML that is well-formed, models that MuJoCo loads, runs and scores on as it does in the benchmark.
#
#     export_test.sh PBDR CHECK_SCENE.cmake [BUNNY.stl]
#
# MUJOCO_DIR: a MuJoCo to try besides the system's (include/mujoco/mujoco.h, and libmujoco.so* there or in lib).
set -u
pbdr=$(realpath "$1")
check_scene=$(realpath "$2")
bunny=${3:-}
here=$(realpath "$(dirname "$0")")
. "$here/expect.sh"
skip() { skipped=$((skipped + 1)); echo "SKIPPED $1"; }

expect help__of_export_is_success 0 "" "$pbdr" export --help
for option in test format seed n layers radius mu force mesh; do
    check "help__names_$option" grep -q -e "--$option " out
done
check help__names_the_short_form grep -q -e "-o, --output FILE" out

# The paper's bunny if it is there, else a tetrahedron
if [ -n "$bunny" ] && [ -f "$bunny" ]; then
    mesh=$bunny radius=0.01
else
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' >tetrahedron.obj
    mesh=$PWD/tetrahedron.obj radius=0.02
fi
has_meshes=true
"$pbdr" export --test 4 --format json --mesh "$mesh" --radius $radius >/dev/null 2>err || has_meshes=false
$has_meshes || skip "tests 4 to 6: $(cat err)"

# Something that reads XML
cat >read_xml.py <<'END'
import sys, xml.dom.minidom
[xml.dom.minidom.parse(path) for path in sys.argv[1:]]
END
if command -v xmllint >/dev/null; then
    read_xml="xmllint --noout"
elif command -v python3 >/dev/null; then
    read_xml="python3 read_xml.py"
else
    read_xml=
    skip "well-formed XML: install libxml2-utils or python3"
fi

for test in 1 2 3 4 5 6 7; do
    shape=box bodies=1
    case $test in
    4 | 5 | 6) $has_meshes || continue; shape=mesh ;;
    7) bodies=2 ;;
    esac
    for format in json mjcf urdf; do
        expect "export__writes_test_${test}_as_$format" 0 "" "$pbdr" export --test $test --format $format -o test$test.$format \
            --mesh "$mesh" --radius $radius
    done
    check "export__json_of_test_${test}_is_whole" cmake -DFILE=test$test.json -DTEST=$test -DBODIES=$bodies -DSHAPE=$shape -P "$check_scene"
    ${read_xml:+check "export__xml_of_test_${test}_is_well_formed" $read_xml test$test.mjcf test$test.urdf}
    check "export__urdf_of_test_${test}_has_inertia" grep -q 'ixx="0.0' test$test.urdf
done
check export__leaves_no_temporaries test -z "$(find . -name '*.tmp')"

# --- What stands in them ---
expect export__to_standard_output 0 "" "$pbdr" export --test 1 --format mjcf --force 40 --mu 0.25
check export__mjcf_has_the_force grep -q '<numeric name="force_N" data="40 0 0"/>' out
check export__mjcf_has_the_friction grep -q 'friction="0.25 0 0"' out
check export__mjcf_has_the_inertial grep -q '<inertial pos="0 0 0" mass="4"' out
"$pbdr" export --test 3 --format mjcf >out
check export__mjcf_tilts_the_plane grep -q 'zaxis="0.382683432365\(08978\|0898\) 0 0.923879532511' out
"$pbdr" export --test 1 --format json --n 4 --layers 1 >flat.json
check export__layers_make_a_flat_box grep -q '"half_extents_m": \[0.10*1*, 0.10*1*, 0.025' flat.json
"$pbdr" export --test 1 --format json --seed 2 >seed.json
check export__seed_is_bench_s sh -c "'$pbdr' bench --tests 1 --solvers pbd-r --seeds 2 --duration 0.01 --json bench.json >/dev/null 2>&1 &&
    test \"\$(grep -o '\"turn_rad\": [0-9.]*' bench.json | tail -1)\" = \"\$(grep -o '\"turn_rad\": [0-9.]*' seed.json)\""
"$pbdr" export --test 1 --format json >plain.json
check export__plain_is_not_turned grep -q '"turn_rad": 0,' plain.json
if $has_meshes; then
    check export__urdf_names_its_mesh grep -q '<mesh filename="test4.stl"/>' test4.urdf
    mkdir -p sub
    expect export__writes_the_mesh_beside_the_urdf 0 "" "$pbdr" export --test 4 --format urdf --output sub/a.b --mesh "$mesh" --radius $radius
    check export__mesh_beside_is_there test -s sub/a.stl
    # The raw mesh's STL read back is the same body (coordinates in float)
    izz() { sed -n 's/.* izz="\([^"]*\)".*/\1/p' "$1"; }
    "$pbdr" export --test 4 --format urdf -o raw.urdf --mesh "$mesh" --radius $radius --base raw
    "$pbdr" export --test 4 --format urdf -o again.urdf --mesh raw.stl --radius $radius
    check export__stl_read_back_is_the_same_body awk -v a="$(izz raw.urdf)" -v b="$(izz again.urdf)" 'BEGIN { exit !(a > 0 && (a - b)^2 < 1e-12 * a * a) }'
    # The flat base: its vertices lie in one plane, no other is within 0.6 mm of it, and the body weighs as the raw mesh does
    check export__flat_base_has_the_raw_inertia test "$(izz test4.urdf)" = "$(izz raw.urdf)"
    if command -v python3 >/dev/null; then
        for base in flat raw; do
            "$pbdr" export --test 4 --format json --mesh "$mesh" --radius $radius --base $base >base_$base.json
        done
        cat >bases.py <<'END'
import json, sys
flat, raw = ([v[2] for v in json.load(open(f"base_{base}.json"))["bodies"][0]["vertices_m"]] for base in ("flat", "raw"))
low, most = min(raw), 0.003 * 0.2
sys.exit(not (min(flat) == low and flat == [low if z - low <= most else z for z in raw]))
END
        check export__flat_base_is_the_raw_one_put_into_a_plane python3 bases.py
    fi
    expect export__urdf_with_a_mesh_needs_a_file 2 "--output FILE is needed" "$pbdr" export --test 4 --format urdf --mesh "$mesh"
    expect export__urdf_must_not_be_its_mesh 2 "no name for the mesh" "$pbdr" export --test 4 --format urdf -o x.stl --mesh "$mesh"
fi

# --- Wrong usage, and files that cannot be had ---
expect usage__no_format 2 "--format NAME is needed" "$pbdr" export --test 1
expect usage__unknown_format 2 "--format sdf: must be one of: mjcf urdf json" "$pbdr" export --test 1 --format sdf
expect usage__no_test 2 "--test N is needed" "$pbdr" export --format json
expect usage__unknown_short_option 2 "'-x'" "$pbdr" export --test 1 --format json -x 1
expect usage__stray_argument 2 "'scene.xml'" "$pbdr" export --test 1 --format json scene.xml
expect usage__short_option_needs_a_value 2 "--output needs a value" "$pbdr" export --test 1 --format json -o
expect files__missing_folder 1 "no/such.xml" "$pbdr" export --test 1 --format mjcf -o no/such.xml
expect files__missing_mesh 1 "no/such.stl" "$pbdr" export --test 4 --format mjcf --mesh no/such.stl -o never.xml
check files__nothing_is_left test ! -e never.xml
expect files__full_disk 1 "cannot write" sh -c "'$pbdr' export --test 1 --format mjcf >/dev/full"

# --- MuJoCo loads the models, and scores on them what it scores in the benchmark with the paper's settings ---
# LABEL FLAGS...: compiles the runner and tries every model
try_mujoco()
{
    local label=$1 position rotation
    shift
    if ! ${CC:-cc} -O1 -o "run_$label" "$here/run_mjcf.c" "$@" -lm 2>compile_log; then
        skip "MuJoCo ($label): run_mjcf.c does not compile: $(head -1 compile_log)"
        return
    fi
    for model in test?.mjcf; do
        expect "mujoco_${label}__loads_$model" 0 "" "./run_$label" "$model" 10
        mv out "$model.csv"
        check "mujoco_${label}__is_silent_about_$model" sh -c "! grep -v '^rod is off' err"
    done
    # BENCHMARK.md: test 1 1.8e-2 m, test 2 1.1e-4 m and 5.86 deg, test 3 3.9e-2 m; all to a tenth
    for line in "1 1.8e-2 0.29" "2 1.1e-4 5.86" "3 3.9e-2 0.07"; do
        set -- $line
        "$pbdr" score --test "$1" "test$1.mjcf.csv" --json mujoco.json >/dev/null 2>&1
        position=$(sed -n 's/.*"final_position_error_m": \([^,]*\),/\1/p' mujoco.json)
        rotation=$(sed -n 's/.*"final_rotation_error_deg": \([^,]*\),/\1/p' mujoco.json)
        check "mujoco_${label}__scores_as_known_on_test_$1" awk -v p="$position" -v q="$rotation" -v a="$2" -v b="$3" 'BEGIN {
            print p " m, " q " deg"; exit !(p > 0.9 * a && p < 1.1 * a && q > 0.9 * b && q < 1.1 * b) }'
    done
    expect "mujoco_${label}__can_be_scored_on_test_7" 0 "" "$pbdr" score --test 7 test7.mjcf.csv --json mujoco.json
}
found=false
if [ -e /usr/include/mujoco/mujoco.h ]; then
    found=true
    try_mujoco system -lmujoco
fi
if [ -n "${MUJOCO_DIR:-}" ]; then
    library=$(ls "$MUJOCO_DIR"/libmujoco.so* "$MUJOCO_DIR"/lib/libmujoco.so* 2>/dev/null | head -1)
    if [ -n "$library" ]; then
        found=true
        try_mujoco given -I"$MUJOCO_DIR/include" "$library" -Wl,-rpath,"$(dirname "$library")"
    fi
fi
$found || skip "MuJoCo: install libmujoco-dev, or set MUJOCO_DIR"
finish
