// The library as WebAssembly: what web/engine/exports.c exports, with arrays of its memory as arrays of ours.
import type { Files } from "./files";

export const LEDGER = ["t", "px", "py", "pz", "lx", "ly", "lz", "kinetic_J", "potential_J", "work_J", "friction_J",
    "penetration_m", "slip_m", "contacts", "newton_steps", "residual"] as const;
export const LEDGER_COLUMNS = LEDGER.length;
const CONTACT_BYTES = 256; // of a pbdrContact, and more
const MAX_CONTACTS = 20000;

export const NOT_FINITE = 1; // pbdr_stepNotFinite

type Call = (...args: number[]) => number;

export interface Contact {
    bodyA: number;
    bodyB: number; // -1: a plane
    point: [number, number, number];
    force: [number, number, number]; // on A [N]
    separation: number; // [m]
}

// As pbdrJointKind.
export const JOINT_KINDS = ["ball", "hinge", "slide", "fixed", "universal", "distance", "span", "exclusion", "gear"] as const;
export const JOINT_AXES = 4; // numbers that tell how a joint is: position, velocity, force along its axis, gap
const JOINT_ID_BYTES = 12;

export interface Joint {
    kind: (typeof JOINT_KINDS)[number];
    of: [number, number]; // bodies, -1: the world; of a gear: joints
    anchorA: [number, number, number]; // about the body's centre of mass, in its axes [m]
    axis: [number, number, number]; // in A's axes
    anchorB: [number, number, number];
}

export class Engine {
    private constructor(
        private readonly memory: WebAssembly.Memory,
        readonly calls: Record<string, Call>,
    ) {}

    // files: what the laboratory's engine reads; a replay's reads none.
    static async load(module: BufferSource | WebAssembly.Module, files: Files | null = null): Promise<Engine> {
        const compiled = module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module);
        // whatever else a newer Emscripten asks for does nothing
        const imports: WebAssembly.Imports = {};
        for (const wanted of WebAssembly.Module.imports(compiled)) {
            (imports[wanted.module] ??= {})[wanted.name] = files?.imports[wanted.name] ?? (() => 0);
        }
        const instance = await WebAssembly.instantiate(compiled, imports);
        const exports = instance.exports as Record<string, unknown>;
        if (files !== null) {
            files.memory = exports["memory"] as WebAssembly.Memory;
        }
        (exports["_initialize"] as () => void)();
        return new Engine(exports["memory"] as WebAssembly.Memory, exports as Record<string, Call>);
    }

    call(name: string, ...args: number[]): number {
        const found = this.calls[name];
        if (found === undefined) {
            throw new Error(`this engine has no ${name}`);
        }
        return found(...args);
    }

    // Memory that the engine sees, while `use` runs.
    lend<T>(size: number, use: (at: number) => T): T {
        const at = this.call("malloc", Math.max(8, size));
        if (at === 0) {
            throw new Error(`out of memory for ${size} bytes`);
        }
        try {
            return use(at);
        } finally {
            this.call("free", at);
        }
    }

    lendBytes<T>(data: Uint8Array, use: (at: number) => T): T {
        return this.lend(data.length, (at) => {
            new Uint8Array(this.memory.buffer).set(data, at);
            return use(at);
        });
    }

    lendDoubles<T>(data: ArrayLike<number>, use: (at: number) => T): T {
        return this.lend(8 * data.length, (at) => {
            new Float64Array(this.memory.buffer, at, data.length).set(data);
            return use(at);
        });
    }

    // Views, good until the engine's memory grows.
    doubles(at: number, count: number): Float64Array {
        return new Float64Array(this.memory.buffer, at, count);
    }

    bytes(at: number, count: number): Uint8Array {
        return new Uint8Array(this.memory.buffer, at, count);
    }

    textAt(at: number): string {
        const all = new Uint8Array(this.memory.buffer);
        let end = at;
        while (all[end] !== 0) {
            end++;
        }
        return new TextDecoder().decode(all.slice(at, end));
    }

    message(): string {
        return this.textAt(this.call("webMessage"));
    }

    version(): string {
        return this.textAt(this.call("webVersion"));
    }
}

export class World {
    readonly bodyCount: number;
    readonly timeStep: number; // [s]

    constructor(readonly engine: Engine, readonly handle: number) {
        const counts = this.counts();
        this.bodyCount = counts[0]!;
        this.timeStep = counts[2]!;
    }

    static fromRecipe(engine: Engine, recipe: Uint8Array): World {
        const handle = engine.lendBytes(recipe, (at) => engine.call("webCreate", at, recipe.length / 8));
        if (handle < 0) {
            throw new Error(engine.message());
        }
        return new World(engine, handle);
    }

    destroy(): void {
        this.engine.call("webDestroy", this.handle);
    }

    // Flags of pbdrStepFlag.
    step(substeps: number): number {
        return this.engine.call("webStep", this.handle, substeps);
    }

    hash(): string {
        return this.engine.lend(32, (at) => {
            this.engine.call("webHash", this.handle, at);
            return this.engine.textAt(at);
        });
    }

    // Bodies, substeps, time step, contacts, bytes.
    counts(): number[] {
        return this.engine.lend(40, (at) => {
            this.engine.call("webCounts", this.handle, at);
            return Array.from(this.engine.doubles(at, 5));
        });
    }

    // 13 numbers per body: position, rotation wxyz, velocity, angular velocity.
    bodies(): Float64Array {
        const size = 13 * this.bodyCount;
        return this.engine.lend(8 * size, (at) => {
            this.engine.call("webReadBodies", this.handle, at);
            return this.engine.doubles(at, size).slice();
        });
    }

    ledger(): Float64Array {
        return this.engine.lend(8 * LEDGER_COLUMNS, (at) => {
            this.engine.call("webReadLedger", this.handle, at);
            return this.engine.doubles(at, LEDGER_COLUMNS).slice();
        });
    }

    contacts(): Contact[] {
        const room = Math.min(MAX_CONTACTS, this.counts()[3]!);
        return this.engine.lend(CONTACT_BYTES * room, (scratch) =>
            this.engine.lend(72 * room, (at) => {
                const count = Math.min(room, this.engine.call("webReadContacts", this.handle, scratch, at, room));
                const n = this.engine.doubles(at, 9 * count);
                const contacts: Contact[] = [];
                for (let k = 0; k < count; k++) {
                    const g = (i: number): number => n[9 * k + i]!;
                    contacts.push({ bodyA: g(0), bodyB: g(1), point: [g(2), g(3), g(4)], force: [g(5), g(6), g(7)], separation: g(8) });
                }
                return contacts;
            }),
        );
    }

    joints(): Joint[] {
        const count = this.engine.call("webReadJoints", this.handle, 0, 0);
        return this.engine.lend(JOINT_ID_BYTES * count, (ids) =>
            this.engine.lend(96 * count, (at) => {
                this.engine.call("webReadJoints", this.handle, ids, at);
                const n = this.engine.doubles(at, 12 * count);
                return Array.from({ length: count }, (_, k) => {
                    const g = (i: number): number => n[12 * k + i]!;
                    return { kind: JOINT_KINDS[g(0)]!, of: [g(1), g(2)], anchorA: [g(3), g(4), g(5)], axis: [g(6), g(7), g(8)], anchorB: [g(9), g(10), g(11)] };
                });
            }),
        );
    }

    // JOINT_AXES numbers per joint.
    axes(): Float64Array {
        const count = this.engine.call("webReadJoints", this.handle, 0, 0);
        return this.engine.lend(JOINT_ID_BYTES * count, (ids) =>
            this.engine.lend(8 * JOINT_AXES * count, (at) => {
                this.engine.call("webReadAxes", this.handle, ids, at);
                return this.engine.doubles(at, JOINT_AXES * count).slice();
            }),
        );
    }

    // 4 numbers per sphere of a body: place about the centre of mass, radius.
    spheres(body: number): Float64Array {
        const count = this.engine.call("webReadSpheres", this.handle, body, 0);
        return this.engine.lend(32 * count, (at) => {
            this.engine.call("webReadSpheres", this.handle, body, at);
            return this.engine.doubles(at, 4 * count).slice();
        });
    }

    state(): Uint8Array {
        const size = this.engine.call("webStateSize", this.handle);
        return this.engine.lend(size, (at) => {
            if (this.engine.call("webGetState", this.handle, at, size) !== 1) {
                throw new Error(this.engine.message());
            }
            return this.engine.bytes(at, size).slice();
        });
    }

    setState(state: Uint8Array): void {
        if (this.engine.lendBytes(state, (at) => this.engine.call("webSetState", this.handle, at, state.length)) !== 1) {
            throw new Error(this.engine.message());
        }
    }

    setForce(body: number, force: readonly number[], torque: readonly number[]): void {
        this.engine.call("webSetForce", this.handle, body, force[0]!, force[1]!, force[2]!, torque[0]!, torque[1]!, torque[2]!);
    }

    // Force and torque by the recipe.
    force(body: number): number[] {
        return this.engine.lend(48, (at) => {
            this.engine.call("webReadForce", this.handle, body, at);
            return Array.from(this.engine.doubles(at, 6));
        });
    }

    // Of the centre of mass in a body's frame [m].
    centre(body: number): number[] {
        return this.engine.lend(24, (at) => {
            this.engine.call("webReadCentre", this.handle, body, at);
            return Array.from(this.engine.doubles(at, 3));
        });
    }

    // Of all bodies and planes.
    setFriction(friction: number): void {
        this.engine.call("webSetFriction", this.handle, friction);
    }
}
