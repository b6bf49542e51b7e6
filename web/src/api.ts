// window.pbdrReplay: what scripts and tests see of a replay (docs/view.md).
import * as THREE from "three";
import { LEDGER } from "./engine";
import type { Replay } from "./format";
import type { Stage } from "./stage";
import type { Store } from "./store";

// What it is made of.
interface Source {
    readonly replay: Replay;
    readonly stores: Store[];
    readonly stage: Stage;
    readonly ready: Promise<void>;
    readonly now: number;
    readonly duration: number;
    readonly verified: boolean;
    readonly isPlaying: boolean;
    seek(t: number): void;
    show(t: number): Promise<void>;
    play(): void;
    pause(): void;
}

export interface PbdrReplay {
    readonly time: number;
    readonly duration: number;
    readonly verified: boolean;
    readonly playing: boolean;
    readonly ready: Promise<void>;
    readonly error: string | null;
    seek(t: number): void;
    show(t: number): Promise<void>; // resolves when it is drawn
    play(): void;
    pause(): void;
    poses(track?: number): { name: string; position: number[]; quat: number[] }[];
    curves(track?: number): Record<string, number>; // at the present time
    screen(body: number, track?: number): { x: number; y: number }; // where its centre of mass is on the page [pixels]
    ledgerColumns: readonly string[];
}

declare global {
    interface Window {
        pbdrReplay?: PbdrReplay;
    }
}

export function publish(player: Source): void {
    const storeOf = (track: number): Store => player.stores[track] ?? player.stores[0]!;
    window.pbdrReplay = {
        get time() {
            return player.now;
        },
        get duration() {
            return player.duration;
        },
        get verified() {
            return player.verified;
        },
        get playing() {
            return player.isPlaying;
        },
        ready: player.ready,
        error: null,
        seek: (t) => player.seek(t),
        show: (t) => player.show(t),
        play: () => player.play(),
        pause: () => player.pause(),
        poses: (track = 0) => {
            const store = storeOf(track);
            if (store.available === 0) {
                return [];
            }
            const poses = store.bodies(store.frameAt(player.now));
            return player.replay.bodies.map((body, k) => ({
                name: body.name,
                position: Array.from(poses.subarray(7 * k, 7 * k + 3)),
                quat: Array.from(poses.subarray(7 * k + 3, 7 * k + 7)),
            }));
        },
        curves: (track = 0) => {
            const store = storeOf(track);
            const frame = store.frameAt(player.now);
            return Object.fromEntries(store.curves.map((c) => [c.name, c.values[frame] ?? NaN]));
        },
        screen: (body, track = 0) => {
            const store = storeOf(track);
            return player.stage.project(new THREE.Vector3().fromArray(store.bodies(store.frameAt(player.now)), 7 * body), track);
        },
        ledgerColumns: LEDGER,
    };
}

// Of a page that cannot be shown.
export function publishFailure(message: string): void {
    const nothing = (): void => undefined;
    window.pbdrReplay = {
        time: 0, duration: 0, verified: false, playing: false, ready: Promise.resolve(), error: message, seek: nothing,
        show: () => Promise.reject(new Error(message)), play: nothing, pause: nothing, poses: () => [], curves: () => ({}), screen: () => ({ x: NaN, y: NaN }), ledgerColumns: LEDGER,
    };
}
