#!/usr/bin/env bash
# Joints as they are measured: against closed forms, and beside MuJoCo's.
#
#     scripts/joints.sh accelerations [FILE]   default bench/results/joints_accelerations.csv; fetches the wheels (80 MB)
#     scripts/joints.sh gaps [FILE]            default bench/results/joints_gaps.csv: every scene with joints, 60 s
#     scripts/joints.sh laws [FILE]            default bench/results/joints_laws.csv: closed forms, IFToMM's, motors, grips
#     scripts/joints.sh grip [FILE]            default bench/results/joints_grip.csv: a box that fingers hold, a minute
#     scripts/joints.sh cost [FILE]            default bench/results/joints_cost.csv; instructions where valgrind is there
#     scripts/joints.sh growth [FILE]          default bench/results/joints_growth.csv: one chain of up to 1000 links
#
# Models whose forces we do not have are left out: tendons that pull (dm_control's manipulator, quadruped, point_mass), and
# soft welds to mocap bodies (gymnasium-robotics' fetch).
set -euo pipefail
cd "$(dirname "$0")/.."
measure=build/measure/joints
models=build/data/models
say() { printf 'joints: %s\n' "$*" >&2; }
[ -x "$measure" ] || [ "${1:-}" = laws ] || [ "${1:-}" = gaps ] || [ "${1:-}" = growth ] || { say "$measure is not built (make build; it needs MuJoCo)"; exit 1; }

accelerations()
{
    python3 scripts/models.py --fetch-only || { say "without the wheels there is nothing to compare"; exit 77; }
    local gymnasium=$models/gymnasium/envs/mujoco/assets suite=$models/dm_control/suite
    local robotics=$models/gymnasium_robotics/envs/assets name files=()
    for name in ant half_cheetah hopper humanoid inverted_double_pendulum pusher reacher walker2d; do
        files+=("$gymnasium/$name.xml")
    done
    for name in hand/reach adroit_hand/adroit_door adroit_hand/adroit_pen; do files+=("$robotics/$name.xml"); done
    for name in acrobot cartpole cheetah finger humanoid humanoid_CMU walker; do files+=("$suite/$name.xml"); done
    # MuJoCo's compiler writes MUJOCO_LOG.TXT into the current folder where it warns
    (cd build && "../$measure" accelerations "${files[@]/#/../}" 2>/dev/null) | sed "s|^\.\./$models/||"
}

# Instructions of all calls of a function in a run, over the substeps: 5 rounds of 500.
count() # LINKS FUNCTION PLACE
{
    local out
    out=$(mktemp)
    (cd build && valgrind --tool=callgrind --callgrind-out-file="$out" measure/joints cost-once "$3" "$1") >/dev/null 2>&1
    callgrind_annotate --inclusive=yes "$out" 2>/dev/null | awk -v name="$2" '$0 ~ ":" name " " { gsub(",", "", $1); print $1 / 2500; exit }'
    rm -f "$out"
}

cost()
{
    (cd build && measure/joints cost)
    command -v valgrind >/dev/null || { say "valgrind is missing: no instructions"; return; }
    local place mine theirs
    for place in free floor; do
        mine=$(count 30 pbdrSceneWorld_Step "$place") theirs=$(count 30 mj_step "$place")
        awk -v place="$place" -v a="$theirs" -v b="$mine" 'BEGIN { printf "30,%s instructions,%.0f,%.0f,%.3g,0\n", place, a, b, b / a }'
    done
}

# What the tests of physics measure and hold to their bars: errors at four step sizes, and single numbers.
laws()
{
    local name
    echo 'kind,what,values'
    for name in joints joint_kinds joint_balls gears iftomm joint_contacts joint_impacts; do
        PBDR_TEST_MEASURED=1 "build/tests/physics_$name" >build/joints_laws.log || { cat build/joints_laws.log >&2; exit 1; }
        grep -E '^(order|measured),' build/joints_laws.log
    done
}

# Largest gaps of joints over all substeps; exit code 1 where a bar is missed.
gaps()
{
    local scene summary failed=0
    summary=$(mktemp)
    echo 'scene,joints,substeps,gap_m,turn_rad,not_converged'
    for scene in $(grep -l '"joints"' scenes/*.json); do
        build/pbdr run "$scene" --strict --duration 60 --json "$summary" >/dev/null
        python3 - "$scene" "$summary" <<'END' || failed=1
import json, sys
scene, summary = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
gap, turn = summary["largest_joint_gap_m"], summary["largest_joint_turn_rad"]
print(f'{sys.argv[1]},{len(scene["joints"])},{summary["substeps"]},{gap:.2g},{turn:.2g},{summary["flags"]["not_converged"]}')
sys.exit(not (gap <= 1e-12 and turn <= 1e-10))
END
    done
    rm -f "$summary"
    return $failed
}

# Instructions of a substep of one chain, of hinges (a tree that elimination knows) and of universal joints (a system of
# blocks): over the first 50.
growth()
{
    command -v valgrind >/dev/null || { say "valgrind is missing: no instructions"; exit 77; }
    local kind links folder total
    folder=$(mktemp -d)
    echo 'kind,links,instructions,per_link,newton_steps,gap_m,not_converged'
    for kind in hinge universal; do
        for links in 10 30 100 300 1000; do
            python3 scripts/mechanisms.py --chain "$kind" "$links" >"$folder/chain.json"
            valgrind --tool=callgrind --callgrind-out-file="$folder/out" build/pbdr run "$folder/chain.json" --strict --duration 0.05 \
                --json "$folder/run.json" >/dev/null 2>&1
            total=$(callgrind_annotate --inclusive=yes "$folder/out" 2>/dev/null |
                awk '$0 ~ ":pbdrSceneWorld_Step " { gsub(",", "", $1); print $1; exit }')
            python3 - "$kind" "$links" "$folder/run.json" "$total" <<'END'
import json, sys
kind, links, run, count = sys.argv[1], int(sys.argv[2]), json.load(open(sys.argv[3])), float(sys.argv[4]) / 50
print(f'{kind},{links},{count:.0f},{count / links:.0f},{run["newton_steps_mean"]:.3g},{run["largest_joint_gap_m"]:.2g},'
      f'{run["flags"]["not_converged"]}')
END
        done
    done
    rm -rf "$folder"
}

case ${1:-} in
    growth) growth >"${2:-bench/results/joints_growth.csv}" ;;
    gaps) gaps >"${2:-bench/results/joints_gaps.csv}" ;;
    laws) laws >"${2:-bench/results/joints_laws.csv}" ;;
    grip) (cd build && measure/joints grip) >"${2:-bench/results/joints_grip.csv}" ;;
    accelerations) accelerations >"${2:-bench/results/joints_accelerations.csv}" ;;
    cost) cost >"${2:-bench/results/joints_cost.csv}" ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
