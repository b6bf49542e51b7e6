#!/bin/sh
# Findings of the leaderboard, each in under a minute: scripts/findings.sh 1 | 2 | 3 | 4 | 5 | 6. docs/leaderboard/findings.md tells them.
# The engines must be set up: scripts/engine_setup.sh mujoco (jolt, rapier, simbody, havok).
set -u
cd "$(dirname "$0")/.." || exit 1
home=$PWD/build/engines

# SOLVER SETTINGS BENCH-OPTIONS...
run() {
    solver=$1
    settings=$2
    shift 2
    case $solver in
    mujoco-py) command="$home/mujoco/venv/bin/python engines/common/serve.py engines/mujoco/adapter.py" ;;
    jolt | havok) command="env PBDR_ENGINE_HOME=$home/$solver node engines/$solver/adapter.mjs" ;;
    rapier | simbody) command="$home/$solver/adapter" ;;
    esac
    echo "$solver $settings $*"
    PBDR_ENGINE_SETTINGS=$settings build/pbdr bench --plugin "pipe:$command" --plugin-memory 65536 --solvers "$solver" "$@" 2>&1 |
        grep '^\[' || echo "  it did not run: scripts/engine_setup.sh ${solver%-py}"
}

case ${1:-} in
1) # friction that depends on the direction
    run mujoco-py '{}' --tests 1 --seeds 3 --duration 2
    run mujoco-py '{"cone": "elliptic"}' --tests 1 --seeds 3 --duration 2
    ;;
2) # a box that is pushed off its middle does not turn
    run jolt '{}' --tests 7 --seeds 1 --duration 3
    run rapier '{"can_sleep": false}' --tests 7 --seeds 1 --duration 3
    run rapier '{"can_sleep": false, "friction_model": "Coulomb"}' --tests 7 --seeds 1 --duration 3
    ;;
3) # a box that slides falls asleep
    run jolt '{}' --tests 3 --seeds 1
    run jolt '{"allow_sleeping": false}' --tests 3 --seeds 1
    run rapier '{}' --tests 3 --seeds 1
    run rapier '{"can_sleep": false}' --tests 3 --seeds 1
    ;;
4) # creep on a slope that holds, and what the step does to it
    run mujoco-py '{}' --tests 10 --seeds 1 --duration 2
    run mujoco-py '{}' --tests 10 --seeds 1 --duration 2 --dt 0.0001
    run mujoco-py '{"cone": "elliptic", "impratio": 100}' --tests 10 --seeds 1 --duration 2
    ;;
5) # creep at a share of the transition velocity
    run simbody '{}' --tests 10 --seeds 1 --duration 2
    run simbody '{"transition_velocity_mps": 0.001}' --tests 10 --seeds 1 --duration 2
    ;;
6) # a pendulum falls asleep where it turns back
    run havok '{}' --tests 28 --seeds 1
    run havok '{"allow_sleeping": false}' --tests 28 --seeds 1
    ;;
*)
    sed -n '2,3s/^# //p' "$0"
    exit 2
    ;;
esac
