// The frames of a track, as far as they are there: re-simulated ones as they come, or stored ones at once.
import { LEDGER, LEDGER_COLUMNS } from "./engine";
import type { Curve, Poses, Replay, Track } from "./format";
import type { Chunk } from "./rerun";

// One pose out of stored ones: 7 numbers.
export function readPose(poses: Poses, item: number): number[] {
    const p = poses.positions;
    const q = poses.rotations;
    return [p[3 * item]!, p[3 * item + 1]!, p[3 * item + 2]!, ...[0, 1, 2, 3].map((k) => q[4 * item + k]! / 32767)];
}

export class Store {
    readonly times: Float64Array;
    readonly frames: number;
    available = 0; // frames that are there, from the first
    readonly curves: Curve[];
    private readonly engineBodies: number; // of the recipe; or of the page, for stored frames
    private readonly poses: Float64Array;
    private readonly first: number[]; // of each body of the page: its first one in the recipe

    constructor(replay: Replay, readonly track: Track) {
        const bodyCount = replay.bodies.length;
        this.frames = track.frames;
        this.times = track.times ?? Float64Array.from({ length: track.frames }, (_, k) => k * replay.frameTime);
        this.engineBodies = track.poses === null ? track.owners.length : bodyCount;
        this.first = replay.bodies.map((_, k) => (track.poses === null ? track.owners.indexOf(k) : k));
        this.poses = new Float64Array(7 * this.engineBodies * this.frames);
        this.curves = [...track.curves];
        if (track.poses !== null) {
            for (let item = 0; item < this.engineBodies * this.frames; item++) {
                this.poses.set(readPose(track.poses, item), 7 * item);
            }
            this.available = this.frames;
        } else {
            for (const name of LEDGER.slice(1)) {
                this.curves.push({ name, values: new Float64Array(this.frames).fill(NaN) });
            }
        }
    }

    add(chunk: Chunk): void {
        const count = Math.min(chunk.count, this.frames - chunk.first);
        this.poses.set(chunk.poses.subarray(0, 7 * this.engineBodies * count), 7 * this.engineBodies * chunk.first);
        const firstCurve = this.track.curves.length;
        for (let k = 0; k < count; k++) {
            for (let c = 1; c < LEDGER_COLUMNS; c++) {
                this.curves[firstCurve + c - 1]!.values[chunk.first + k] = chunk.ledger[k * LEDGER_COLUMNS + c]!;
            }
        }
        this.available = Math.max(this.available, chunk.first + count);
    }

    // The frame at a time, or the last before it.
    frameAt(t: number): number {
        let low = 0;
        let high = this.frames - 1;
        while (low < high) {
            const middle = Math.ceil((low + high) / 2);
            if (this.times[middle]! <= t + 1e-9) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return Math.max(0, Math.min(low, this.available - 1));
    }

    // Poses of the engine's bodies, 7 each.
    engine(frame: number): Float64Array {
        const size = 7 * this.engineBodies;
        return this.poses.subarray(size * frame, size * (frame + 1));
    }

    // Poses of the page's bodies, of their centres of mass.
    bodies(frame: number): Float64Array {
        const all = this.engine(frame);
        const out = new Float64Array(7 * this.first.length);
        this.first.forEach((k, i) => out.set(k >= 0 ? all.subarray(7 * k, 7 * k + 7) : [NaN, NaN, NaN, 1, 0, 0, 0], 7 * i));
        return out;
    }

    curve(name: string): Float64Array | null {
        return this.curves.find((c) => c.name === name)?.values ?? null;
    }
}
