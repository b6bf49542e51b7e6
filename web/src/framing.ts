// Where the camera of a replay stands: all that moves is in view, and what slides away is followed from the side.
import * as THREE from "three";
import type { Body, Replay } from "./format";
import { measureBodies, type Stage } from "./stage";
import { readPose, type Store } from "./store";

const WIDE_LENS = 3; // of pictures one above the other
const DRIFT = 0.4; // of the body's size, on all sides: room for what drifts
const ASTRAY = 0.8; // likewise, where the picture does not go along
const STRAY = 1.5; // of the bodies' box at the start, on all sides: what is farther is not waited for
const SAMPLES = 16; // of stored frames
const FAR = 5; // sizes of the body, from which on a reference slides away

// The horizontal way from one place to another, if it is one of several sizes; else null.
export function findWay(from: number[], to: number[], size: number): THREE.Vector3 | null {
    const way = new THREE.Vector3(to[0]! - from[0]!, to[1]! - from[1]!, 0);
    return way.length() > FAR * size ? way.normalize() : null;
}

// The way that a replay's reference goes.
export function findReplayWay(replay: Replay, size: number): THREE.Vector3 | null {
    const poses = replay.reference?.poses;
    return poses === undefined ? null : findWay(readPose(poses, 0), readPose(poses, replay.tracks[0]!.frames - 1), size);
}

// Looks at what is in the box. What goes a way is seen from its side, so that what runs ahead or stays behind does so across the
// picture, with room for it.
export function frameBox(stage: Stage, box: THREE.Box3, way: THREE.Vector3 | null): void {
    if (way === null) {
        stage.frame(box.min, box.max);
        return;
    }
    box.expandByVector(box.getSize(new THREE.Vector3()).multiplyScalar(DRIFT));
    stage.frame(box.min, box.max, new THREE.Vector3(way.y, -way.x, 0.4).addScaledVector(way, 0.25), stage.rows === true ? WIDE_LENS : 1);
}

// Whether the reference stays within a millimetre of its place: what it does then is turn.
export function isTurning(replay: Replay): boolean {
    const poses = replay.reference?.poses;
    const [from, to] = poses === undefined ? [[], []] : [readPose(poses, 0), readPose(poses, replay.tracks[0]!.frames - 1)];
    return poses !== undefined && Math.hypot(...[0, 1, 2].map((k) => to[k]! - from[k]!)) < 1e-3;
}

// Whether all of the reference's way fits into one picture.
function isNear(replay: Replay): boolean {
    return replay.reference !== null && findReplayWay(replay, measureBodies(replay.bodies, replay.meshes)) === null;
}

// A few bodies that move are followed; a pile is looked at as a whole, and so is a short way.
export const isFollowed = (replay: Replay): boolean => replay.bodies.filter((b) => b.kind === "dynamic").length <= 2 && !isNear(replay);

// The box of a body in the first frame, carried along the reference's way, with room for what goes astray.
function expandByReference(box: THREE.Box3, replay: Replay, body: THREE.Box3): void {
    const { poses } = replay.reference!;
    const start = readPose(poses, 0);
    const frames = replay.tracks[0]!.frames;
    const room = body.clone().expandByVector(body.getSize(new THREE.Vector3()).multiplyScalar(isTurning(replay) ? 0 : ASTRAY));
    for (let k = 0; k <= 8; k++) {
        const pose = readPose(poses, Math.floor((k * (frames - 1)) / 8));
        box.union(room.clone().translate(new THREE.Vector3(pose[0]! - start[0]!, pose[1]! - start[1]!, pose[2]! - start[2]!)));
    }
}

// Where a body's box goes in a run: what goes far may turn on its way.
function expandByReach(box: THREE.Box3, body: THREE.Box3, centre: THREE.Vector3, reach: NonNullable<Body["reach"]>): void {
    const [lower, upper] = [new THREE.Vector3(...reach.lower), new THREE.Vector3(...reach.upper)];
    const size = body.getSize(new THREE.Vector3()).length();
    const far = lower.distanceTo(upper) > 0.25 * size;
    for (const corner of [lower, upper]) {
        box.union(far ? new THREE.Box3().setFromCenterAndSize(corner, new THREE.Vector3(1, 1, 1).multiplyScalar(0.7 * size)) : body.clone().translate(corner.clone().sub(centre)));
    }
}

// Of the stored frames: the first, the last and some between.
const chooseFrames = (store: Store): number[] => Array.from({ length: SAMPLES + 1 }, (_, k) => Math.floor((k * (store.available - 1)) / SAMPLES));

// A box around what moves in the first frame; along a reference's way, if it is short; and of piles and mechanisms in the whole
// run, but for what leaves them.
function measure(replay: Replay, stores: Store[], stage: Stage): THREE.Box3 {
    const box = new THREE.Box3();
    const start = new THREE.Box3();
    const whole = !isFollowed(replay) && !isNear(replay);
    stores.forEach((store, k) => {
        const scenery = stage.sceneries[k]!;
        const frames = whole && replay.stored ? chooseFrames(store) : [0];
        for (const frame of store.available > 0 ? frames : []) {
            scenery.setPoses(store.bodies(frame));
            replay.bodies.forEach((body, i) => {
                const group = scenery.bodies[i]!;
                if (body.kind !== "static" && group.visible && group.position.length() < 1e3) {
                    group.updateMatrixWorld(true);
                    const own = new THREE.Box3().setFromObject(group);
                    box.union(own);
                    if (frame === 0) {
                        start.union(own);
                    }
                    if (whole && body.reach !== undefined) {
                        expandByReach(box, own, group.position, body.reach);
                    }
                    if (isNear(replay) && i === replay.reference!.body) {
                        expandByReference(box, replay, new THREE.Box3().setFromObject(group));
                    }
                }
            });
        }
    });
    if (whole && !start.isEmpty()) {
        box.intersect(start.clone().expandByVector(start.getSize(new THREE.Vector3()).addScalar(stage.sceneries[0]!.size).multiplyScalar(STRAY)));
    }
    return box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-0.5, -0.5, 0), new THREE.Vector3(0.5, 0.5, 0.5)) : box;
}

// camera: six numbers, its place and what it looks at, as in the page's address.
export function frameCamera(replay: Replay, stores: Store[], stage: Stage, camera: string | null): void {
    frameBox(stage, measure(replay, stores, stage), findReplayWay(replay, stage.sceneries[0]!.size));
    const given = (camera ?? "").split(",").map(Number);
    if (given.length === 6 && given.every(Number.isFinite)) {
        stage.lens = 1;
        stage.camera.position.set(given[0]!, given[1]!, given[2]!);
        stage.controls.target.set(given[3]!, given[4]!, given[5]!);
        stage.controls.update();
    }
}
