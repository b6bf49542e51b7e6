#!/usr/bin/env bash
# pbdr view: options, inputs of all kinds and what is refused, results files, pages, pictures without a browser, interrupts.
# The pages themselves are tested in a browser by tests/web; here a template without one is filled.
#
#     view_test.sh PBDR TEMPLATE RESULTS
set -u
pbdr=$(realpath "$1")
template=$(realpath "$2")
results=$(realpath "$3")
. "$(realpath "$(dirname "$0")")/expect.sh"
view=("$pbdr" view --template "$template")
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
skip() { skipped=$((skipped + 1)); echo "SKIPPED $1"; }

header=t,body,px,py,pz,qw,qx,qy,qz
box='"shape": "box", "half_extents_m": [0.1, 0.1, 0.1]'
cat >push.json <<END
{"schema": "pbdr-scene/2", "name": "a & <b>", "duration_s": 0.1, "ground": {"friction": 0.4},
 "bodies": [{"name": "</script><img src=x onerror=alert(1)>", $box, "mass_kg": 4, "start": {"position_m": [0, 0, 0.1]}, "force_N": [17, 0, 0]},
            {"name": "wall", "kind": "static", $box, "start": {"position_m": [5, 0, 0.1]}}]}
END

# --- Options ---
expect help__of_view_is_success 0 "" "$pbdr" view --help
for option in test seed solver output frames max-size row scene duration frame engine precision contact iterations effort sleep \
    threads png at gif mp4 from to speed rate size page template; do
    check "help__names_$option" grep -q -e "--$option " out
done
expect input__is_needed 2 "SCENE, traj.csv, results.csv or --test N is needed" "${view[@]}"
expect input__is_one 2 "exclude each other" "${view[@]}" push.json --test 1
expect test__must_exist 2 "--test 99" "${view[@]}" --test 99
expect solver__must_be_known 2 "--solver foo" "${view[@]}" --test 1 --solver foo
expect solver__must_be_ours 2 "--solver ode" "${view[@]}" --test 1 --solver ode
expect solvers__are_four_at_most 2 "up to four" "${view[@]}" --test 1 --solver pbd,pbd-r,xpbdr,pbd,pbd-r
expect scene_solver__must_be_known 2 "wanted pbd, pbd-r, xpbdr" "${view[@]}" push.json --solver xpbdr:fast
expect effort__must_be_known 2 "--effort much: must be one of: fast balanced exact" "${view[@]}" push.json --effort much
expect duration__must_be_above_zero 2 "--duration 0: must be above 0" "${view[@]}" push.json --duration 0
expect duration__must_be_finite 2 "--duration nan" "${view[@]}" push.json --duration nan
expect frames__have_a_limit 2 "more than 1e+06 frames" "${view[@]}" push.json --duration 1e5 --frame 0.001
expect size__must_be_pixels 2 "wanted WIDTHxHEIGHT" "${view[@]}" push.json --size 10by10
expect page__must_be_settings 2 "wanted settings such as" "${view[@]}" push.json --page 'a"b'
expect look__goes_with_a_trajectory 2 "--scene goes with a trajectory" "${view[@]}" push.json --scene push.json
expect film__ends_after_it_begins 2 "--to 1: a film ends after it begins, at --from 2" "${view[@]}" push.json --gif film.gif --from 2 --to 1
expect film__begins_within_the_run 2 "--from 2: it ends at 0.1 s" "${view[@]}" push.json --mp4 film.mp4 --from 2
expect picture__is_of_a_time_within_the_run 2 "--at 0.2: it ends at 0.1 s" "${view[@]}" push.json --png picture.png --at 0.2
expect row__goes_with_results 2 "--row goes with a results file" "${view[@]}" push.json --row 1
expect row__must_be_a_number 2 "wanted up to four rows" "${view[@]}" "$results" --row 0

# --- Files ---
expect scene__missing 1 "none.json: No such file" "${view[@]}" none.json
expect trajectory__missing 1 "none.csv" "${view[@]}" none.csv
echo '{' >broken.json
expect scene__damaged 1 "broken.json:2: wanted a key" "${view[@]}" broken.json
expect template__missing 1 "none.html" "$pbdr" view push.json --template none.html
echo '<html></html>' >plain.html
expect template__of_another_kind 1 "no template of this version" "$pbdr" view push.json --template plain.html
expect output__in_no_folder 1 "cannot write" "${view[@]}" push.json -o none/page.html
expect output__is_a_folder 1 "cannot write" "${view[@]}" push.json -o .
mkdir closed && chmod a-w closed
if [ "$(id -u)" -eq 0 ]; then skip "output__in_a_closed_folder: root may write everywhere"; else
    expect output__in_a_closed_folder 1 "cannot write" "${view[@]}" push.json -o closed/page.html
fi
if [ -w /dev/full ]; then expect output__on_a_full_disk 1 "cannot write" "${view[@]}" push.json -o /dev/full; fi
check nothing__was_written test -z "$(ls ./*.html | grep -v plain.html)"

# --- Pages ---
expect page__is_written 0 "" "${view[@]}" push.json -o page.html
check page__is_announced grep -q "page.html: .* 2 bodies, 11 frames; it runs again and must meet 1 hash$" out
check page__holds_a_recipe grep -q '"recipe_f64"' page.html
check page__executes_no_name sh -c '! grep -q "<img\|<b>" page.html && [ "$(grep -o "</script>" page.html | wc -l)" -eq 1 ]'
check page__has_its_title grep -q '<title>a &#38; &#60;b&#62;</title>' page.html
cp page.html first.html
"${view[@]}" push.json -o page.html >/dev/null 2>&1
check page__is_the_same_again cmp page.html first.html
expect page__of_stored_frames 0 "" "${view[@]}" push.json --frames -o frames.html
expect page__of_a_tests_stored_frames_is_thinned 0 "" "${view[@]}" --test 1 --duration 4 --frames --max-size 0.02 -o thin.html
check thinning__of_a_test_is_said grep -q "one of 3 was kept to stay within 0.02 MB" out
check thinning__of_a_test_is_told_to_the_page grep -Eq '"thinned": *3' thin.html
check frames__hold_no_recipe sh -c 'grep -q "\"positions_f32\"" frames.html && ! grep -q "\"recipe_f64\"" frames.html'
expect page__of_efforts 0 "" "${view[@]}" push.json --effort exact --sleep -o page.html
check efforts__are_said grep -q "effort exact, islands at rest sleep" page.html
cat >arm.json <<END
{"schema": "pbdr-scene/2", "duration_s": 0.1, "bodies": [{"name": "arm", $box, "mass_kg": 1}],
 "joints": [{"name": "<u>", "kind": "hinge", "bodies": [null, "arm"], "point_m": [0, 0, 0.5], "axis": [0, 1, 0]}],
 "sensors": [{"name": "<i>", "kind": "joint_velocity", "joint": "<u>"}, {"name": "at", "kind": "rotation", "body": "arm"}]}
END
for kind in "" --frames; do
    expect "sensors__have_curves$kind" 0 "" "${view[@]}" arm.json $kind -o page.html
    check "sensors__have_units$kind" grep -q 'sensor \\u003ci> \[rad/s\]' page.html
    check "sensors__have_all_their_numbers$kind" [ "$(grep -o 'sensor at\.[wxyz] \[1\]' page.html | sort -u | wc -l)" -eq 4 ]
    check "joints__are_named$kind" grep -q '"joints": *\["\\u003cu>"\]' page.html
done
expect test__with_two_solvers 0 "" "${view[@]}" --test 1 --solver pbd,xpbdr --duration 0.1 -o page.html
check xpbdr__has_neither_engine_nor_iterations bash -c 'grep -o "\"settings\": *\"[^\"]*\"" page.html | grep -c "engine.*iterations" | grep -qx 1' -
check tracks__are_both_there sh -c 'grep -q "\"label\": *\"pbd\"" page.html && grep -q "\"label\": *\"xpbdr\"" page.html'
expect test__of_the_extended_suite 0 "" "${view[@]}" --test 13 --duration 0.05 -o page.html
expect page__by_default_is_replay_html 0 "" "${view[@]}" push.json
check default__is_there test -s replay.html

# --- Trajectories ---
printf '%s\n' "$header" >none.csv
expect trajectory__without_frames 1 "no rows: there is nothing to show" "${view[@]}" none.csv -o bad.html
: >empty.csv
expect trajectory__empty 1 "empty.csv" "${view[@]}" empty.csv -o bad.html
printf 't,x\n0,1\n' >columns.csv
expect trajectory__without_columns 1 "no column 'px'" "${view[@]}" columns.csv -o bad.html
printf '%s\n0,a,b,0,0,1,0,0,0\n' "$header" >word.csv
expect trajectory__with_a_word 1 "word.csv:2: column 'px': 'b' is no number" "${view[@]}" word.csv -o bad.html
printf '%s\nnan,a,0,0,0,1,0,0,0\n' "$header" >time.csv
expect trajectory__without_a_time 1 "column 't': not finite" "${view[@]}" time.csv -o bad.html
printf '%s\n1,a,0,0,0,1,0,0,0\n0,a,0,0,0,1,0,0,0\n' "$header" >back.csv
expect trajectory__that_goes_back 1 "the time goes back" "${view[@]}" back.csv -o bad.html
printf '%s\n0,a,0,0,0,1,0,0,0\n0,a,0,0,0,1,0,0' "$header" >cut.csv
expect trajectory__cut_off 1 "cut.csv:3" "${view[@]}" cut.csv -o bad.html
check bad__pages_are_not_written test ! -e bad.html
printf '%s\n0,a,0,0,1,1,0,0,0\n0,b,1,0,1,1,0,0,0\n1,a,nan,0,1,0,0,0,0\n2,b,1,0,0,inf,0,0,0\n' "$header" >odd.csv
expect trajectory__with_gaps_is_shown 0 "2 of the rows shown have numbers that are not finite" "${view[@]}" odd.csv -o page.html
printf '%s\n0,"<script>alert(1)</script>",0,0,1,1,0,0,0\n' "$header" >name.csv
expect trajectory__with_a_script_for_a_name 0 "" "${view[@]}" name.csv -o page.html
check script__is_text sh -c '! grep -q "<script>alert" page.html && grep -q "u003cscript>alert" page.html'
awk -v h="$header" 'BEGIN { print h; for (k = 0; k < 200000; k++) printf "%g,a,%d,0,0,1,0,0,0\n", k / 100, k }' >many.csv
expect trajectory__of_many_frames_is_thinned 0 "" "${view[@]}" many.csv --max-size 1 -o page.html
check thinning__is_said grep -q "one of [0-9]* was kept to stay within 1 MB" out
check thinned__page_is_small sh -c '[ "$(wc -c <page.html)" -lt 1200000 ]'
expect trajectory__in_a_look 0 "" "${view[@]}" odd.csv --scene push.json -o page.html

# --- Results files ---
expect results__are_run_again 0 "" "${view[@]}" "$results" --test 1 --seed 2 -o page.html
check results__end_as_the_file_says sh -c '[ "$(grep -o "as the file says" page.html | wc -l)" -ge 3 ] && [ ! -s err ]'
sed 's/^1,pbd-r,/1,pbdr,/; s/^\(1,xpbdr[:a-z]*\),xpbdr,/\1,reduced,/' "$results" >old_results.csv
check results__of_before_have_the_old_name grep -q "^1,pbdr," old_results.csv
expect results__of_before_are_run_again 0 "" "${view[@]}" old_results.csv --test 1 --seed 2 --solver pbd-r,xpbdr -o old.html
check results__of_before_have_the_name_of_now sh -c 'grep -q "\"label\": *\"pbd-r\"" old.html && [ "$(grep -o "as the file says" old.html | wc -l)" -ge 2 ]'
expect solver__alias_has_a_note 0 "pbdr: note: the solver 'pbdr' is now called 'pbd-r'" "${view[@]}" push.json --solver pbdr,xpbdr -o alias.html
expect results__by_row 0 "" "${view[@]}" "$results" --row 1 --duration 0.1 -o page.html
expect results__without_such_a_row 1 "not as many rows" "${view[@]}" "$results" --row 999999 -o page.html
expect results__without_such_a_run 1 "no run of pbd, pbd-r or xpbdr" "${view[@]}" "$results" --test 1 --seed 77 -o page.html
sed 's/^1,pbd,\(.*\),10,0.001,/1,pbd,\1,x,0.001,/' "$results" >odd_results.csv
expect results__with_a_word 1 "is no number" "${view[@]}" odd_results.csv -o page.html
awk -F, 'BEGIN { OFS = "," } NR == 1 { for (k = 1; k <= NF; k++) if ($k == "final_position_error_m") c = k; print; next } { $c = 123; print }' \
    "$results" >other_results.csv
expect results__of_another_version_are_told 0 "by the file: it is of another version" "${view[@]}" other_results.csv --row 1 -o page.html
row=$(awk -F, 'NR > 1 && $2 !~ /^x?pbd/ { print NR - 1; exit }' "$results")
if [ -n "$row" ]; then expect results__of_a_peer_are_refused 1 "a run of another simulator" "${view[@]}" "$results" --row "$row" -o page.html; fi

# --- Pictures ---
expect picture__needs_a_browser 1 "pictures are taken by Chromium, which is not here" env -u PBDR_CHROMIUM PATH=/nowhere "${view[@]}" push.json --png picture.png
expect picture__needs_a_browser_that_starts 1 "did not start, or does not answer" env PBDR_CHROMIUM=/bin/false "${view[@]}" push.json --png picture.png
expect film__needs_a_browser 1 "Chromium" env -u PBDR_CHROMIUM PATH=/nowhere "${view[@]}" push.json --gif film.gif
expect picture__in_no_folder 1 "cannot write" env PBDR_CHROMIUM=/bin/false "${view[@]}" push.json --png none/picture.png
check pictures__leave_nothing test -z "$(ls ./*.png ./*.gif 2>/dev/null)"
check scratch__pages_are_removed test -z "$(ls -A "$TMPDIR")"

# --- Interrupts ---
# NAME COMMAND...: is told to stop after half a second; must end in seconds with 130 and leave nothing behind.
interrupt()
{
    local name=$1 got=0
    shift
    mkdir -p stopped
    (cd stopped && exec "$@" >../out 2>../err) &
    local process=$!
    sleep 0.5
    kill -INT "$process" 2>/dev/null
    wait "$process" || got=$?
    check "$name" sh -c '[ "$1" -eq 130 ] && [ -z "$(ls -A stopped)" ]' - "$got"
    rm -rf stopped
}
sed 's/"duration_s": 0.1/"duration_s": 10000/' push.json >long.json
interrupt interrupt__leaves_nothing "${view[@]}" ../long.json -o page.html
awk -v h="$header" 'BEGIN { print h; for (k = 0; k < 4000000; k++) printf "%d,a,0,0,0,1,0,0,0\n", k }' >endless.csv
interrupt interrupt__in_a_trajectory_leaves_nothing "${view[@]}" ../endless.csv -o page.html
cat >deaf.sh <<'END'
#!/bin/sh
exec sleep 30
END
chmod +x deaf.sh
interrupt interrupt__while_the_browser_is_waited_for env PBDR_CHROMIUM="$PWD/deaf.sh" "${view[@]}" ../push.json --png picture.png
check scratch__pages_are_removed_then_too test -z "$(ls -A "$TMPDIR")"

finish
