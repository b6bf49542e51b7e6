// What the visitor of a replay can do: buttons, boxes, keys, clicks on bodies.
import { element, listenKeys } from "./dom";
import { isFollowed } from "./framing";
import type { Player } from "./player";

export function connect(player: Player): void {
    element("play").addEventListener("click", () => (player.isPlaying ? player.pause() : player.play()));
    element("back").addEventListener("click", () => player.stepFrames(-1));
    element("forward").addEventListener("click", () => player.stepFrames(1));
    element("start").addEventListener("click", () => player.seek(0));
    element<HTMLInputElement>("timeline").addEventListener("input", (e) => player.seek(Number((e.target as HTMLInputElement).value)));
    element<HTMLSelectElement>("speed").addEventListener("change", (e) => player.setSpeed(Number((e.target as HTMLSelectElement).value)));
    element<HTMLSelectElement>("body").addEventListener("change", (e) => player.select(Number((e.target as HTMLSelectElement).value)));
    element<HTMLInputElement>("follow").addEventListener("change", (e) => player.setFollowing((e.target as HTMLInputElement).checked));
    element("home").addEventListener("click", () => player.home());
    for (const id of ["look", "ghost", "contacts", "forces", "joints", "trails"]) {
        const box = element<HTMLInputElement>(id);
        if (player.query.has(id) && !box.disabled) {
            box.checked = player.query.get(id) !== "0";
        }
        box.addEventListener("change", () => player.applyToggles());
    }
    player.setSpeed(Number(player.query.get("speed") ?? "1"));
    player.setFollowing(player.query.has("follow") ? player.query.get("follow") !== "0" : isFollowed(player.replay));
    player.stage.controls.addEventListener("change", () => player.touch());
    const canvas = player.stage.canvas;
    let down: { x: number; y: number } | null = null;
    canvas.addEventListener("pointerdown", (e) => (down = { x: e.clientX, y: e.clientY }));
    canvas.addEventListener("pointerup", (e) => {
        if (down !== null && Math.hypot(e.clientX - down.x, e.clientY - down.y) < 5) {
            const hit = player.stage.pick(e.clientX, e.clientY);
            if (hit !== null) {
                player.select(hit.body);
            }
        }
        down = null;
    });
    connectKeys(player);
    new ResizeObserver(() => player.resize()).observe(element("view"));
}

// As in MuJoCo's viewer, where it has the key.
function connectKeys(player: Player): void {
    listenKeys({
        " ": () => (player.isPlaying ? player.pause() : player.play()),
        ArrowRight: () => player.stepFrames(1),
        ArrowLeft: () => player.stepFrames(-1),
        Backspace: () => player.seek(0),
        Home: () => player.seek(0),
        End: () => player.seek(player.duration),
        "-": () => player.setSpeed(player.speed / 2),
        "=": () => player.setSpeed(player.speed * 2),
        "+": () => player.setSpeed(player.speed * 2),
        "[": () => player.cycle(-1),
        "]": () => player.cycle(1),
        Escape: () => player.setFollowing(false),
        c: () => player.toggle("contacts"),
        f: () => player.toggle("forces"),
        g: () => player.toggle("ghost"),
        j: () => player.toggle("joints"),
        r: () => player.toggle("trails"),
        s: () => player.toggle("look"),
    });
}
