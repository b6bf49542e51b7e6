// Where bodies came from: their centres over the last seconds.
import type { Replay } from "./format";
import type { Scenery } from "./stage";
import type { Store } from "./store";

const SECONDS = 5;
const POINTS = 500; // at most

// frame: the last of the trail; -1: none is drawn.
export function drawTrails(scenery: Scenery, replay: Replay, store: Store, frame: number): void {
    const back = Math.max(1, Math.round(SECONDS / Math.max(1e-9, (store.times[1] ?? 1) - (store.times[0] ?? 0))));
    const first = Math.max(0, frame - back);
    const stride = Math.max(1, Math.ceil((frame - first) / POINTS));
    const lists = replay.bodies.map(() => [] as number[]);
    for (let f = first; f <= frame; f += stride) {
        const poses = store.bodies(f);
        lists.forEach((list, k) => Number.isFinite(poses[7 * k]!) && list.push(poses[7 * k]!, poses[7 * k + 1]!, poses[7 * k + 2]!));
    }
    lists.forEach((list, k) => scenery.setTrail(k, frame >= 0 && replay.bodies[k]!.kind !== "static" ? Float32Array.from(list) : null));
}
