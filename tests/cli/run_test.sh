#!/usr/bin/env bash
# pbdr run: options, scenes that are refused and why, what is written, resumed, interrupted; MJCF where MuJoCo is there.
#
#     run_test.sh PBDR CHECK_RUN.cmake SCENES
set -u
pbdr=$(realpath "$1")
check_run=$(realpath "$2")
scenes=$(realpath "$3")
. "$(realpath "$(dirname "$0")")/expect.sh"
skip() { skipped=$((skipped + 1)); echo "SKIPPED $1"; }

box='"shape": "box", "half_extents_m": [0.1, 0.1, 0.1]'
cat >push.json <<END
{"schema": "pbdr-scene/2", "duration_s": 0.5, "ground": {"friction": 0.4},
 "bodies": [{"name": "box, pushed", $box, "mass_kg": 4, "start": {"position_m": [0, 0, 0.1]}, "force_N": [17, 0, 0]},
            {"name": "wall", "kind": "static", $box, "start": {"position_m": [5, 0, 0.1]}}]}
END

# --- Options ---
expect help__of_run_is_success 0 "" "$pbdr" run --help
for option in duration dt solver contact iterations threads spheres-per-side sphere-radius strict out frame json ledger \
    fail-if snapshot snapshot-every resume hash effort tolerance max-newton sleep; do
    check "help__names_$option" grep -q -e "--$option " out
done
expect scene__is_needed 2 "SCENE is needed" "$pbdr" run
expect option__unknown 2 "unknown option '--foo'" "$pbdr" run push.json --foo
expect argument__second 2 "other.json" "$pbdr" run push.json other.json
expect duration__must_be_above_zero 2 "--duration 0: must be above 0" "$pbdr" run push.json --duration 0
expect dt__must_be_a_number 2 "--dt x: not a number" "$pbdr" run push.json --dt x
expect solver__must_be_known 2 "--solver foo: must be one of: pbd pbd-r xpbdr" "$pbdr" run push.json --solver foo
# the name of before, for one version
expect solver__alias_is_taken 0 "pbdr: note: the solver 'pbdr' is now called 'pbd-r'; the next version will not know the old name" \
    "$pbdr" run push.json --solver pbdr --json alias.json --hash
check solver__alias_has_one_note test "$(wc -l <err)" -eq "$("$pbdr" run push.json --solver pbd-r --json named.json --hash 2>&1 >/dev/null | wc -l | awk '{ print $1 + 1 }')"
check solver__alias_is_the_same_run sh -c 'for f in alias named; do grep -E "\"(schema|solver|hash)\"" $f.json >$f.txt; done; cmp alias.txt named.txt && grep -q "\"solver\": \"pbd-r\"" alias.txt && grep -q pbdr-run/2 alias.txt'
expect threads__must_be_possible 2 "--threads 0" "$pbdr" run push.json --threads 0
expect packing__is_said_once 2 "exclude each other" "$pbdr" run push.json --spheres-per-side 2 --sphere-radius 0.01
expect snapshot_every__needs_a_file 2 "needs --snapshot FILE" "$pbdr" run push.json --snapshot-every 1
expect rule__must_be_known 2 "no column 'depth'" "$pbdr" run push.json --fail-if 'depth>1'
expect substeps__have_a_limit 2 "more than 1e+09 substeps" "$pbdr" run push.json --dt 1e-12
sed 's/"duration_s": 0.5, //' push.json >endless.json
expect duration__is_needed 2 "--duration S is needed" "$pbdr" run endless.json

# --- Scenes ---
expect file__missing 1 "none.json: No such file or directory" "$pbdr" run none.json
expect file__of_another_kind 1 "ends in none of .json, .xml" "$pbdr" run "$0"
printf '{"schema": "pbdr-scene/2",\n"bodies": [\n{"name": "a", "shape": "box", "half_extents_m": [1, 1, -1]}]}' >bad.json
expect value__wrong 1 "bad.json:3: bodies[0].half_extents_m: (1, 1, -1) are not all above zero" "$pbdr" run bad.json
printf '{"schema": "pbdr-scene/2",\n"bodies": [}' >bad.json
expect json__broken 1 "bad.json:2: wanted a value, found '}'" "$pbdr" run bad.json
sed 's/"mass_kg"/"color": 3, "mass_kg"/' push.json >odd.json
expect unknown__is_a_warning 0 "odd.json: warning: line 2: bodies[0].color: no key that is known here" "$pbdr" run odd.json
expect unknown__is_refused_by_strict 1 "--strict: refused for the 1 above" "$pbdr" run odd.json --strict --out strict.csv
check strict__writes_nothing test ! -e strict.csv

# --- Outputs ---
expect run__writes_what_is_asked_for 0 "" "$pbdr" run push.json --out a.csv --ledger a_ledger.csv --json a.json --hash --frame 0.1
check run__says_nothing_is_wrong test ! -s err
check trajectory__has_a_header grep -qx "t,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,hash" a.csv
check trajectory__has_a_row_per_frame_and_moving_body test "$(wc -l <a.csv)" -eq 7
check trajectory__quotes_names test "$(grep -c '"box, pushed"' a.csv)" -eq 6
check ledger__has_a_row_per_frame test "$(wc -l <a_ledger.csv)" -eq 7
check summary__is_whole cmake -DFILE=a.json -DBODIES=2 -P "$check_run"
# (F/m - mu g) t^2/2 = (4.25 - 3.924)/8
check run__is_right awk -F, 'END { exit !(($4 - 0.04075)^2 < 1e-20) }' a.csv
check hash__is_that_of_the_last_frame grep -q "hash $(tail -n 1 a.csv | sed 's/.*,//')" out
# Without a ledger the summary has all numbers too
expect summary__alone 0 "" "$pbdr" run push.json --json alone.json --hash
check summary__alone_is_whole cmake -DFILE=alone.json -DBODIES=2 -P "$check_run"
# How xpbdr is solved
expect tolerance__must_be_possible 2 "--tolerance 1" "$pbdr" run push.json --tolerance 1
expect effort__must_be_known 2 "--effort much: must be one of: fast balanced exact" "$pbdr" run push.json --effort much
expect max_newton__must_be_possible 2 "--max-newton 0" "$pbdr" run push.json --max-newton 0
expect solving__is_set 0 "" "$pbdr" run push.json --tolerance 1e-6 --max-newton 3 --effort exact --json set.json
check solving__is_told bash -c 'grep -q "\"tolerance\": 9.9*[0-9]*e-07\|\"tolerance\": 1e-06" set.json && grep -q "\"max_newton_steps\": 3," set.json && grep -q "\"effort\": \"exact\"" set.json'
sed 's/"force_N": \[17, 0, 0\]/"force_N": [1, 0, 0]/; s/"duration_s": 0.5/"duration_s": 0.7/' push.json >rest.json
expect sleep__is_off 0 "" "$pbdr" run rest.json --json awake.json
check sleep__nobody_sleeps grep -q '"asleep_end": 0,' awake.json
expect sleep__is_on 0 "" "$pbdr" run rest.json --sleep --json asleep.json
check sleep__the_box_sleeps grep -q '"asleep_end": 1,' asleep.json
expect sleep__is_for_xpbdr 1 "sleeping: only XPBD-R" "$pbdr" run rest.json --sleep --solver pbd-r
sed 's/"duration_s"/"sleeping": true, "duration_s"/' rest.json >sleepy.json
expect sleep__of_a_scene 0 "" "$pbdr" run sleepy.json --json sleepy_end.json
check sleep__of_a_scene_acts grep -q '"asleep_end": 1,' sleepy_end.json
expect sleep__of_a_scene_is_nothing_to_pbdr 0 "" "$pbdr" run sleepy.json --solver pbd-r
expect run__again 0 "" "$pbdr" run push.json --out b.csv --hash --frame 0.1
check run__has_the_same_bits cmp a.csv b.csv
expect run__with_pbdr 0 "" "$pbdr" run push.json --solver pbd-r --spheres-per-side 3 --out c.csv
check run__with_pbdr_is_near awk -F, 'END { exit !(($4 - 0.04075)^2 < 1e-6) }' c.csv
expect out__in_no_folder 1 "no/where.csv" "$pbdr" run push.json --out no/where.csv
expect out__is_a_folder 1 "Is a directory" "$pbdr" run push.json --out /tmp
expect json__in_no_folder 1 "no/where.json" "$pbdr" run push.json --json no/where.json --out d.csv
check failure__writes_nothing_else test ! -e d.csv
if [ -w /dev/full ]; then
    expect disk__full 1 "/dev/full" "$pbdr" run push.json --out /dev/full --frame 0.001
fi
expect rule__that_holds 0 "" "$pbdr" run push.json --fail-if 'penetration>1e-6'
expect rule__that_is_met 1 "--fail-if 'kinetic>0.01': frame" "$pbdr" run push.json --fail-if 'kinetic>0.01' --out met.csv
check rule__leaves_what_was_found test -s met.csv
cat >nan.json <<END
{"schema": "pbdr-scene/2", "duration_s": 0.1, "bodies": [{"name": "a", $box, "mass_kg": 1e-300, "force_N": [1e300, 0, 0]}]}
END
expect run__that_diverges 1 "not finite" "$pbdr" run nan.json

# --- Snapshots ---
expect snapshot__is_written 0 "" "$pbdr" run push.json --duration 0.2 --snapshot half.snap
expect resume__goes_on 0 "" "$pbdr" run push.json --resume half.snap --out tail.csv --hash --frame 0.1
check resume__has_the_same_bits test "$(tail -n 1 tail.csv)" = "$(tail -n 1 a.csv)"
expect resume__without_a_file 1 "nothing.snap: No such file" "$pbdr" run push.json --resume nothing.snap
sed 's/17/18/' push.json >other.json
expect resume__of_another_scene 1 "half.snap" "$pbdr" run other.json --resume half.snap
expect resume__past_the_end 1 "a longer --duration is needed" "$pbdr" run push.json --duration 0.1 --resume half.snap
expect resume__with_another_step 1 "its time step is 0.001 s" "$pbdr" run push.json --dt 0.002 --resume half.snap
expect snapshot__on_the_way 0 "" "$pbdr" run push.json --snapshot way.snap --snapshot-every 0.1
check snapshot__is_of_the_end_too test -s way.snap
# with joints, motors and contacts: fingers that hold a mug, and a loop
for scene in gripper press; do
    expect "joints__of_${scene}_run" 0 "" "$pbdr" run "$scenes/$scene.json" --duration 0.4 --out whole.csv --ledger whole_ledger.csv --hash
    expect "joints__of_${scene}_are_kept" 0 "" "$pbdr" run "$scenes/$scene.json" --duration 0.2 --ledger half_ledger.csv --snapshot joints.snap
    expect "joints__of_${scene}_go_on" 0 "" "$pbdr" run "$scenes/$scene.json" --duration 0.4 --ledger tail_ledger.csv --resume joints.snap --out tail.csv --hash
    check "joints__of_${scene}_have_the_same_bits" test "$(tail -n 1 tail.csv)" = "$(tail -n 1 whole.csv)"
    check "joints__of_${scene}_have_the_same_ledger" test "$(tail -n 1 tail_ledger.csv)" = "$(tail -n 1 whole_ledger.csv)"
done

# --- What pbdr export writes ---
expect export__of_test_1 0 "" "$pbdr" export --test 1 --format json -o test1.json
expect export__runs 0 "" "$pbdr" run test1.json --strict --duration 1 --out test1.csv
check export__is_right awk -F, 'END { exit !(($3 - 0.163)^2 < 1e-22) }' test1.csv
expect export__of_test_7 0 "" "$pbdr" export --test 7 --format json -o test7.json
expect export__of_test_7_runs 0 "" "$pbdr" run test7.json --strict --duration 1 --out test7.csv
# the rod at start + a t^2/2, which is what test 7 prescribes
check export__rod_is_where_it_must_be awk -F, '$2 == "rod" { if (!first) { first = 1; start = $3 } x = $3 }
    END { d = x - start - 1 / 40; exit !(d * d < 1e-20) }' test7.csv

# --- Interrupts ---
"$pbdr" run push.json --duration 100000 --out interrupted.csv --ledger interrupted_ledger.csv >out 2>err &
pid=$!
for k in $(seq 100); do [ -s interrupted.csv.tmp ] && break; sleep 0.1; done
kill -INT $pid
wait $pid
check interrupt__exits_with_130 test $? -eq 130
check interrupt__says_so grep -q "interrupted at t = .* s; nothing was written" err
check interrupt__leaves_no_file test -z "$(find . -name 'interrupted*')"

# --- MJCF ---
cat >all.xml <<'END'
<mujoco model="all">
  <option timestep="0.001" density="1.2"/>
  <default><geom friction="0.5"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <geom name="shelf" type="box" size=".2 .2 .01" pos="0 0 .5" contype="2" conaffinity="2"/>
    <body name="falls" pos="0 0 1"><joint name="free" type="free" damping="0.1"/><geom name="g1" type="box" size=".1 .1 .1"/></body>
    <body name="lies" pos="0 0 .61"><freejoint/><geom name="g2" type="box" size=".1 .1 .1" contype="2" conaffinity="0" condim="4"/></body>
    <body name="door" pos="3 0 1"><joint name="hinge" type="hinge" axis="0 0 1"/><geom name="g3" type="box" size=".1 .1 .1"/>
      <body name="handle"><geom name="g4" type="ellipsoid" size=".1 .2 .3" solref="0.01 1" margin="0.01" priority="1"/><site name="s"/></body></body>
  </worldbody>
  <contact><exclude name="no" body1="falls" body2="door"/><pair name="yes" geom1="g1" geom2="g3"/></contact>
  <tendon><spatial name="rope"><site site="s"/><site site="t"/></spatial></tendon>
  <equality><tendon name="couple" tendon1="rope"/></equality>
  <actuator><motor name="motor" joint="hinge"/><general name="slow" joint="hinge" dyntype="filter"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/><clock name="clock"/></sensor>
  <custom><numeric name="pbdr_duration" data="0.4"/><numeric name="pbdr_spheres:g1" data="8"/></custom>
</mujoco>
END
sed -i 's|<body name="handle">|<site name="t" pos="0 0 1"/><body name="handle">|' all.xml
echo '<mujoco><worldbody><geom type="plane" size="1 1 1"/></worldbody></mujoco>' >small.xml
if "$pbdr" run small.xml --duration 0.1 >out 2>err; then
    expect mjcf__lists_what_it_leaves_out 0 "" "$pbdr" run all.xml --out all.csv
    listed=$(cat err)
    while read -r name text; do
        check "mjcf__lists_$name" grep -qF -e "$text" <<<"$listed"
    done <<'END'
damping free joints free: damping
actuators actuators slow: left out
tendons tendons rope: left out
equalities equalities couple: left out
sensors sensors clock: not evaluated
pairs contact pairs yes: left out
ellipsoids geoms g4: ellipsoids are meshes
solref geoms g4: solref
margin geoms g4: margin and gap
priority geoms g4: priorities
condim geoms floor, shelf, g1, g3, g4: condim is below
fluid option: density 1.2
END
    check mjcf__is_filtered_by_contype awk -F, '$2 == "falls" { z = $5 } END { exit !(z < 0.3) }' all.csv # through the shelf
    check mjcf__rests_on_what_it_may_touch awk -F, '$2 == "lies" { z = $5 } END { exit !((z - 0.61)^2 < 1e-16) }' all.csv
    expect mjcf__strict_refuses 1 "--strict: refused for the 12 above" "$pbdr" run all.xml --strict
    sed 's/pbdr_spheres:g1/pbdr_speres/' all.xml >wrong.xml
    expect custom__unknown 1 'custom "pbdr_speres": no such setting' "$pbdr" run wrong.xml
    sed 's/pbdr_spheres:g1/pbdr_spheres:g9/' all.xml >wrong.xml
    expect custom__of_no_geom 1 'custom "pbdr_spheres:g9": there is no geom of that name' "$pbdr" run wrong.xml
    sed 's/name="pbdr_spheres:g1" data="8"/name="pbdr_path:door" data="0 0 0 0 1 0 0 0"/' all.xml >wrong.xml
    expect custom__path_of_no_mocap_body 1 "there is no mocap body of that name" "$pbdr" run wrong.xml
    sed 's/type="hinge"/type="hing"/' all.xml >wrong.xml
    expect mjcf__that_mujoco_refuses 1 "wrong.xml: MuJoCo" "$pbdr" run wrong.xml
    check mjcf__has_the_line grep -q "line 9" err
    expect mjcf__missing 1 "none.xml: No such file" "$pbdr" run none.xml
    expect mujoco__missing 1 "MJCF and URDF need MuJoCo's library" env PBDR_MUJOCO=/nonexistent/libmujoco.so "$pbdr" run all.xml
    check mujoco__missing_says_how grep -q "scripts/fetch_mujoco.sh" err
    expect mujoco__missing_is_no_matter_for_json 0 "" env PBDR_MUJOCO=/nonexistent/libmujoco.so "$pbdr" run push.json
    expect export__of_test_1_as_mjcf 0 "" "$pbdr" export --test 1 --format mjcf -o test1.xml
    expect export__as_mjcf_runs 0 "" "$pbdr" run test1.xml --strict --duration 1 --out test1x.csv
    check export__as_mjcf_is_right awk -F, 'END { exit !(($3 - 0.163)^2 < 1e-22) }' test1x.csv
    expect export__of_test_2_as_mjcf 0 "" "$pbdr" export --test 2 --format mjcf -o test2.xml
    expect export__of_test_2 0 "" "$pbdr" export --test 2 --format json -o test2.json
    expect export__of_test_2_as_mjcf_runs 0 "" "$pbdr" run test2.xml --strict --duration 1 --out test2x.csv
    expect export__of_test_2_runs 0 "" "$pbdr" run test2.json --strict --duration 1 --out test2.csv
    check export__of_test_2_turns awk -F, 'END { exit !($9 * $9 > 1e-4) }' test2x.csv
    check export__as_mjcf_and_json_are_one "$pbdr" diff test2.csv test2x.csv --tolerance 1e-9
    expect export__of_test_1_as_urdf 0 "" "$pbdr" export --test 1 --format urdf -o test1.urdf
    expect export__as_urdf_loads 0 "" "$pbdr" run test1.urdf --duration 0.1 # a root link stands still, as in MuJoCo
    for scene in box_on_slope rod_and_box card_house tower tray; do
        expect "scene__${scene}_runs" 0 "" "$pbdr" run "$scenes/$scene.xml" --duration 0.05 --fail-if 'penetration>1e-4'
    done
else
    check mujoco__missing_says_how grep -q "fetch_mujoco.sh" err
    skip "MJCF: no MuJoCo"
fi
expect sensors__are_written 0 "" "$pbdr" run "$scenes/arm.json" --duration 0.05 --sensors sensors.csv
check sensors__have_columns_of_their_names test "$(head -n 1 sensors.csv)" = "t,shoulder,elbow,lift,push.x,push.y,push.z,torque"
check sensors__have_a_row_per_frame awk -F, 'NF != 8 { bad = 1 } END { exit bad || NR != 7 }' sensors.csv
expect sensors__of_a_scene_without_any 1 "has no sensors" "$pbdr" run "$scenes/cradle.json" --duration 0.05 --sensors none.csv
check sensors__leave_no_file test ! -e none.csv
check run__leaves_no_temporaries test -z "$(find . -name '*.tmp')"
finish
