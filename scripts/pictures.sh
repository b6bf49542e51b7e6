#!/usr/bin/env bash
# Makes the pictures of README.md and docs/view.md by pbdr view: Chromium takes them, ffmpeg makes the film.
#
#     scripts/pictures.sh        docs/images/replay.gif, replay.png, replay_cards.png
#
# docs/images/lab.png is the laboratory at 4.4 s of Test 1 with PBD, by hand: it runs live.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/web/replay.html ] || { echo "pictures: build/web/replay.html is missing: make web" >&2; exit 1; }
drift=(build/pbdr view --test 1 --solver pbd,pbdr,xpbdr)
"${drift[@]}" --gif docs/images/replay.gif --from 3 --to 8 --speed 2 --rate 8 --size 640x230 \
    --page 'bare=1&follow=1&theme=light&camera=1.1,-2.2,1.2,0,0,0.1'
"${drift[@]}" --png docs/images/replay.png --at 7 --size 1100x620 --page 'follow=1&theme=light&camera=1.6,-3.4,1.9,0,0,0.1'
build/pbdr view scenes/card_house.xml --png docs/images/replay_cards.png --at 0.3 --size 1100x640 \
    --page 'forces=1&contacts=1&theme=light'
ls -l docs/images/replay*
