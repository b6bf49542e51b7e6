#!/usr/bin/env bash
# Makes the pictures of docs/view.md: pbdr view takes those of replays by Chromium, ffmpeg makes the film, and
# web/picture.mjs takes the laboratory, which runs live.
#
#     scripts/pictures.sh        docs/images/replay.gif, replay.png, replay_cards.png, lab.png
set -euo pipefail
cd "$(dirname "$0")/.."
for page in replay lab; do
    [ -f build/web/$page.html ] || { echo "pictures: build/web/$page.html is missing: make lab" >&2; exit 1; }
done
drift=(build/pbdr view --test 1 --solver pbd,pbd-r,xpbdr)
"${drift[@]}" --gif docs/images/replay.gif --from 3 --to 8 --speed 2 --rate 8 --size 640x330 --page 'bare=1&theme=light'
"${drift[@]}" --png docs/images/replay.png --at 7 --size 1100x640 --page 'theme=light'
build/pbdr view scenes/card_house.xml --png docs/images/replay_cards.png --at 0.3 --size 1100x640 \
    --page 'forces=1&contacts=1&theme=light'
# PBD, then PBD-R, each for 6 s: their curves are compared
node web/picture.mjs 'build/web/lab.html?sharp=1#solver=0' docs/images/lab.png 1280x820 light '(() => {
    const lab = window.pbdrLab;
    if (lab === undefined) return false;
    if (!window.begun) {
        window.begun = true;
        lab.skip(6);
        const solver = document.getElementById("solver");
        solver.value = "1";
        solver.dispatchEvent(new Event("change"));
        lab.skip(6);
        solver.value = "0";
        solver.dispatchEvent(new Event("change"));
        lab.skip(6);
        window.pictures = lab.state.pictures;
    }
    return lab.state.pictures > window.pictures;
})()'
ls -l docs/images/replay* docs/images/lab.png
