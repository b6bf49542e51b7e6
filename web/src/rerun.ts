// A track that is run again: frames ahead of the viewer, hashes checked on the way, and the contacts of any frame on request.
import { type Contact, type Engine, LEDGER_COLUMNS, NOT_FINITE, World } from "./engine";

export interface RerunInput {
    recipe: Uint8Array;
    frames: number;
    perFrame: number; // substeps
    hashEvery: number; // frames
    hashes: string[];
}

// Frames first to first + count - 1.
export interface Chunk {
    first: number;
    count: number;
    bodies: number;
    poses: Float64Array; // 7 per body and frame
    ledger: Float64Array; // LEDGER_COLUMNS per frame
}

export interface Details {
    frame: number;
    bodies: Float64Array; // 13 per body
    contacts: Contact[];
    axes: Float64Array; // JOINT_AXES per joint
}

const STATE_BYTES = 96e6; // that states may take: fewer are kept of large worlds

export class Rerun {
    readonly world: World;
    frame = -1; // the last one that was made
    checked = 0; // hashes that agreed
    wrong: { frame: number; hash: string; wanted: string } | null = null;
    stopped = ""; // why it ended before its last frame
    private probe: World | null = null;
    private readonly states = new Map<number, Uint8Array>();
    private stateEvery: number;

    constructor(private readonly engine: Engine, private readonly input: RerunInput) {
        this.world = World.fromRecipe(engine, input.recipe);
        this.stateEvery = Math.max(1, input.hashEvery);
        const size = this.world.state().length;
        while ((size * input.frames) / this.stateEvery > STATE_BYTES) {
            this.stateEvery *= 2;
        }
    }

    get done(): boolean {
        return this.frame === this.input.frames - 1 || this.stopped !== "";
    }

    get verified(): boolean {
        return this.done && this.wrong === null && this.stopped === "" && this.checked === this.input.hashes.length && this.checked > 0;
    }

    // Goes on for about so many milliseconds, a frame at least.
    advance(milliseconds: number, now: () => number = () => performance.now()): Chunk {
        const begin = now();
        const poses: number[] = [];
        const rows: Float64Array[] = [];
        const first = this.frame + 1;
        const bodyCount = this.world.bodyCount;
        do {
            const flags = this.frame < 0 ? 0 : this.world.step(this.input.perFrame);
            if ((flags & NOT_FINITE) !== 0) {
                this.stopped = "a body's state is not finite";
                break;
            }
            this.frame++;
            this.checkHash();
            if (this.frame % this.stateEvery === 0) {
                this.states.set(this.frame, this.world.state());
            }
            const bodies = this.world.bodies();
            for (let i = 0; i < bodyCount; i++) {
                for (let k = 0; k < 7; k++) {
                    poses.push(bodies[13 * i + k]!);
                }
            }
            rows.push(this.world.ledger());
        } while (!this.done && now() - begin < milliseconds);
        const ledger = new Float64Array(rows.length * LEDGER_COLUMNS);
        rows.forEach((row, k) => ledger.set(row, k * LEDGER_COLUMNS));
        return { first, count: rows.length, bodies: bodyCount, poses: Float64Array.from(poses), ledger };
    }

    private checkHash(): void {
        const { frames, hashEvery, hashes } = this.input;
        if (this.frame === 0 || !(this.frame % hashEvery === 0 || this.frame === frames - 1) || this.wrong !== null) {
            return;
        }
        const hash = this.world.hash();
        const wanted = hashes[this.checked] ?? "";
        if (hash === wanted) {
            this.checked++;
        } else {
            this.wrong = { frame: this.frame, hash, wanted };
        }
    }

    // Velocities and contacts of a frame that was made, by going there again from the last state before it.
    details(frame: number): Details {
        const wanted = Math.max(0, Math.min(frame, this.frame));
        let from = wanted - (wanted % this.stateEvery);
        let state = this.states.get(from);
        while (state === undefined && from > 0) {
            from -= this.stateEvery;
            state = this.states.get(from);
        }
        this.probe ??= World.fromRecipe(this.engine, this.input.recipe);
        if (state !== undefined) {
            this.probe.setState(state);
            if (wanted > from) {
                this.probe.step((wanted - from) * this.input.perFrame);
            }
        }
        return { frame: wanted, bodies: this.probe.bodies(), contacts: this.probe.contacts(), axes: this.probe.axes() };
    }

    spheres(): Float64Array[] {
        return Array.from({ length: this.world.bodyCount }, (_, k) => this.world.spheres(k));
    }
}
