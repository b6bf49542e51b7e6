// Where the camera of a replay stands: all that moves is in view, and what slides away is followed from the side.
import * as THREE from "three";
import type { Replay } from "./format";
import type { Stage } from "./stage";
import { readPose, type Store } from "./store";

const FAR = 5; // sizes of the body, from which on a reference slides away

// The horizontal way that the reference goes, if it is one of several sizes; else null.
export function findWay(replay: Replay, size: number): THREE.Vector3 | null {
    const reference = replay.reference;
    if (reference === null) {
        return null;
    }
    const place = (k: number): THREE.Vector3 => new THREE.Vector3(...readPose(reference.poses, k).slice(0, 3));
    const way = place(replay.tracks[0]!.frames - 1).sub(place(0)).setZ(0);
    return way.length() > FAR * size ? way.normalize() : null;
}

// A few bodies that move are followed; a pile is looked at as a whole.
export const isFollowed = (replay: Replay): boolean => replay.bodies.filter((b) => b.kind === "dynamic").length <= 2;

// A box around what moves in the first frame, and of piles of stored frames also in a later one.
function measure(replay: Replay, stores: Store[], stage: Stage): THREE.Box3 {
    const box = new THREE.Box3();
    stores.forEach((store, k) => {
        const scenery = stage.sceneries[k]!;
        const frames = isFollowed(replay) ? [0] : [0, Math.floor(store.available / 2), store.available - 1];
        for (const frame of store.available > 0 ? frames : []) {
            scenery.setPoses(store.bodies(frame));
            replay.bodies.forEach((body, i) => {
                const group = scenery.bodies[i]!;
                if (body.kind !== "static" && group.visible && group.position.length() < 1e3) {
                    group.updateMatrixWorld(true);
                    box.expandByObject(group);
                }
            });
        }
    });
    return box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-0.5, -0.5, 0), new THREE.Vector3(0.5, 0.5, 0.5)) : box;
}

// camera: six numbers, its place and what it looks at, as in the page's address.
export function frameCamera(replay: Replay, stores: Store[], stage: Stage, camera: string | null): void {
    const way = findWay(replay, stage.sceneries[0]!.size);
    const box = measure(replay, stores, stage);
    // from the side of the way, so that what runs ahead or stays behind does so across the picture
    const from = way === null ? new THREE.Vector3(0.45, -0.8, 0.42) : new THREE.Vector3(way.y, -way.x, 0.4).addScaledVector(way, 0.25);
    stage.frame(box.min, box.max, from);
    const given = (camera ?? "").split(",").map(Number);
    if (given.length === 6 && given.every(Number.isFinite)) {
        stage.camera.position.set(given[0]!, given[1]!, given[2]!);
        stage.controls.target.set(given[3]!, given[4]!, given[5]!);
        stage.controls.update();
    }
}
