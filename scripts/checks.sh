#!/usr/bin/env bash
# What tests measure, as a table, for the pages that state it: for each checked expression how often it was checked, its
# largest size, and how far it was off at most where the test knows what to expect.
#
#     scripts/checks.sh FILE.csv      needs build/tests and build/data/bunny.stl; a minute
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { echo "usage: scripts/checks.sh FILE.csv" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PBDR_BUNNY=$PWD/build/data/bunny.stl PBDR_TEST_VERBOSE=1

take() # PROGRAM CASE EXPRESSION...: as they stand in the program's source
{
    local program=$1 case=$2
    shift 2
    [ -x "build/tests/$program" ] || { echo "checks: build/tests/$program is missing: make build" >&2; exit 1; }
    "build/tests/$program" "$case" >"$scratch/said" || { cat "$scratch/said" >&2; exit 1; }
    awk -v program="$program" -v case="$case" -v wanted="$(IFS=';'; echo "$*")" '
        function size(x) { return x < 0 ? -x : x + 0 }
        BEGIN { n = split(wanted, names, ";") }
        $1 == "run" { ran++ }
        {
            for (k = 1; k <= n; k++) {
                at = index($0, " " names[k] " = ")
                if (at == 0) continue
                value = size(substr($0, at + length(names[k]) + 4) + 0)
                count[k]++
                if (value > most[k]) most[k] = value
                if (match($0, /off by [-+0-9.e]+\)/)) { off = size(substr($0, RSTART + 7) + 0); known[k] = 1; if (off > furthest[k]) furthest[k] = off }
            }
        }
        END {
            for (k = 1; k <= n; k++) {
                if (ran != 1 || !count[k]) { print "checks: " program ": " case ": nothing says what " names[k] " was" > "/dev/stderr"; exit 1 }
                print program "," case "," names[k] "," count[k] "," most[k] + 0 "," (known[k] ? furthest[k] + 0 : "")
            }
        }' "$scratch/said"
}

{
    echo program,case,what,count,largest,furthest_off
    take physics_surface_contact standing__things_stay_where_they_are moved
    take physics_surface_contact pile__of_boxes_stays_out_of_itself between unconverged
    take physics_surface_contact rollers__carry_a_board_as_the_closed_form_says error
    take physics_surface_contact round__things_roll_down_a_slope "fabs(x.x - way)"
    take physics_surface_contact tower__of_ten_boxes_stands moved
    take physics_reduced box__moves_the_same_in_both_engines apart.position apart.angle
    take physics_reduced bunny__moves_the_same_in_both_engines apart.position apart.angle
    take physics_bunny_bars flight__conserves_momentum linear angular
    take physics_xpbdr_push test7__by_surface_follows_the_reference_at_n_4 distance "fabs(turn)"
    take physics_xpbdr_push test7__by_surface_follows_the_reference_at_n_10 distance "fabs(turn)"
    take physics_scenes mujoco__rests_where_we_do boxOnSlope rodAndBox tower cardHouse arch brickWall
    take unit_point_cloud winding__by_the_tree_is_that_of_all_dipoles worst
    take unit_surface_bunny bunny__damage_is_mended_or_refused p.volume taken
} >"$scratch/table.csv"
mv "$scratch/table.csv" "$1"
