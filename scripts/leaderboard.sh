#!/bin/sh
# The leaderboard: sets every engine of engines/versions up, runs what is not done yet, and writes results and page.
#
#   scripts/leaderboard.sh               all engines, tests 1 to 7, three seeds, every preset; then the extended
#                                        suite, tests 8 to 37 (joints among them), one seed, the presets default and tuned
#   scripts/leaderboard.sh drake jolt    these
#
# PBDR_BOARD_TESTS=1-7 and PBDR_BOARD_SEEDS=3 choose what is run; PBDR_BOARD_EXTENDED=0 leaves the extended suite out;
# PBDR_BOARD_CHECKS=0 leaves the adapters' checks out; PBDR_BOARD_TUNE=1 searches the presets "tuned" anew (engines/NAME/search.csv). PBDR_ENGINE_DEVICE=gpu (make leaderboard DEVICE=gpu)
# does all this on a GPU, for the engines that have one, and fills the page's table of GPU runs. It goes on where it was stopped:
# results are in build/leaderboard/NAME (build/leaderboard_gpu/NAME), with study.log, and those of bench/results count as done where
# adapter and settings are the same. An engine that cannot be set up is a row with the reason.
set -u
cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- $(awk '!/^#/ && NF { print $1 }' engines/versions)
begun=$(date +%s)
export PBDR_ENGINE_DEVICE="${PBDR_ENGINE_DEVICE:-cpu}"
case $PBDR_ENGINE_DEVICE in
cpu) ;;
gpu)
    if ! nvidia-smi > /dev/null 2>&1; then
        echo "leaderboard.sh: PBDR_ENGINE_DEVICE=gpu: there is no GPU here (nvidia-smi does not answer)" >&2
        exit 1
    fi
    ;;
*)
    echo "leaderboard.sh: PBDR_ENGINE_DEVICE=$PBDR_ENGINE_DEVICE: cpu or gpu" >&2
    exit 2
    ;;
esac
for name; do
    if [ ! -f "engines/$name/settings.json" ]; then
        echo "leaderboard.sh: $name: engines/$name/settings.json is missing" >&2
        exit 2
    fi
    [ "$PBDR_ENGINE_DEVICE" = cpu ] || grep -q '"gpu": true' "engines/$name/settings.json" || continue
    environment=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1])).get("environment", sys.argv[2]))' \
        "engines/$name/settings.json" "$name") || exit 1
    scripts/engine_setup.sh "$environment" || true # the reason is in the row
    [ -f "build/engines/$environment/failed" ] && echo "leaderboard.sh: $name: $(cat "build/engines/$environment/failed")" >&2
    [ "${PBDR_BOARD_TUNE:-0}" = 1 ] && python3 engines/common/leaderboard.py tune "$name"
    python3 engines/common/leaderboard.py run "$name" --tests "${PBDR_BOARD_TESTS:-1-7}" --seeds "${PBDR_BOARD_SEEDS:-3}"
    if [ "${PBDR_BOARD_EXTENDED:-1}" = 1 ]; then
        python3 engines/common/leaderboard.py run "$name" --tests 8-37 --seeds 1 --presets default,tuned
    fi
done
python3 engines/common/leaderboard.py collect
python3 engines/common/page.py
python3 engines/common/replays.py
echo "leaderboard.sh: $(($(date +%s) - begun)) s"
