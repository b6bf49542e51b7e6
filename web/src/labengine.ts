// Our engine in the laboratory: the world of a test or a scene, its bodies as the page counts them, and the test's reference.
import { type Engine, World } from "./engine";
import type { Files } from "./files";
import type { Body, Geom, Mesh } from "./format";

export interface LabSettings {
    solver: number;
    n: number; // spheres per side
    mu: number;
    force: number; // NaN: the test's
    timeStep: number; // [s]
    iterations: number;
    precision: number; // 0 f32, 1 f64
    ablation: number; // bits of pbdrAblation
    spheres: boolean; // contact by spheres
}

const BUNNY_RADIUS = 0.005; // [m]
const ROD_OFFSET = 0.02; // [m], of Test 7
const ROD = { radius: 0.01, halfLength: 0.09 }; // [m]

export class LabEngine {
    private made: World | null = null;
    private first: number[] = []; // of each body of the page: its first one in the world
    owners: number[] = []; // of each body of the world: whose body of the page it is

    constructor(private readonly engine: Engine, private readonly files: Files) {}

    get world(): World | null {
        return this.made;
    }

    get version(): string {
        return this.engine.version();
    }

    destroy(): void {
        this.made?.destroy();
        this.made = null;
    }

    private check(status: number): void {
        if (status !== 0) {
            throw new Error(this.engine.message());
        }
        const recipe = this.engine.bytes(this.engine.call("labRecipe"), 8 * this.engine.call("labRecipeCount")).slice();
        this.made = World.fromRecipe(this.engine, recipe);
        this.owners = Array.from({ length: this.made.bodyCount }, (_, k) => this.engine.call("labOwner", k));
        this.first = Array.from({ length: Math.max(-1, ...this.owners) + 1 }, (_, k) => this.owners.indexOf(k));
    }

    // Returns the test for MuJoCo, as MJCF.
    makeTest(test: number, s: LabSettings): string {
        const numbers = [s.n, BUNNY_RADIUS, s.mu, s.force, ROD_OFFSET, s.timeStep, s.iterations, s.precision, s.ablation, s.spheres ? 1 : 0];
        this.check(this.engine.lendDoubles(numbers, (at) => this.engine.call("labMakeTest", test, s.solver, at)));
        return this.engine.textAt(this.engine.call("labMjcf"));
    }

    makeScene(json: string, s: LabSettings): void {
        this.files.named.set("scene.json", new TextEncoder().encode(json));
        const path = new TextEncoder().encode("scene.json\0");
        const numbers = [s.timeStep, s.iterations, s.precision, s.spheres ? 1 : 0];
        this.check(this.engine.lendBytes(path, (at) => this.engine.lendDoubles(numbers, (n) => this.engine.call("labLoadScene", at, s.solver, n))));
    }

    // What the bodies of a test look like, about their centres of mass.
    describeTest(test: number, meshes: Mesh[]): Body[] {
        const geom = (kind: Geom["kind"], more: Partial<Geom>): Geom => ({ kind, position: [0, 0, 0], rotation: [1, 0, 0, 0], half: [0.1, 0.1, 0.1], radius: 0, halfLength: 0, mesh: 0, ...more });
        const bunny = test >= 4 && test <= 6;
        if (bunny) {
            meshes.push(this.readMesh());
        }
        const list: Body[] = [{ name: bunny ? "bunny" : "box", kind: "dynamic", mass: bunny ? 2.18 : 4, geoms: [geom(bunny ? "mesh" : "box", {})] }];
        if (test === 7) {
            list.push({ name: "rod", kind: "kinematic", mass: NaN, geoms: [geom("capsule", { ...ROD, rotation: [Math.SQRT1_2, 0, Math.SQRT1_2, 0] })] });
        }
        return list;
    }

    private readMesh(): Mesh {
        return this.engine.lend(8, (counts) => {
            this.engine.call("labMesh", counts, 0, 0);
            const view = new Int32Array(this.engine.bytes(counts, 8).slice().buffer);
            const [v, t] = [view[0]!, view[1]!];
            return this.engine.lend(12 * v, (a) =>
                this.engine.lend(12 * t, (b) => {
                    this.engine.call("labMesh", counts, a, b);
                    return { vertices: new Float32Array(this.engine.bytes(a, 12 * v).slice().buffer), triangles: new Int32Array(this.engine.bytes(b, 12 * t).slice().buffer) };
                }),
            );
        });
    }

    // 13 numbers of a body of the page: pose of its centre of mass, velocity, angular velocity.
    motion(all: Float64Array, body: number): Float64Array {
        return all.subarray(13 * this.first[body]!, 13 * this.first[body]! + 13);
    }

    motions(): Float64Array[] {
        const all = this.made!.bodies();
        return this.first.map((_, k) => this.motion(all, k));
    }

    // 7 numbers per body of the page.
    poses(): Float64Array {
        const out = new Float64Array(7 * this.first.length);
        this.motions().forEach((m, k) => out.set(m.subarray(0, 7), 7 * k));
        return out;
    }

    // 7 numbers per body of the world, for its spheres.
    worldPoses(): Float64Array {
        const all = this.made!.bodies();
        return Float64Array.from({ length: 7 * this.owners.length }, (_, k) => all[13 * Math.floor(k / 7) + (k % 7)]!);
    }

    centre(body: number): number[] {
        return this.made!.centre(this.first[body]!);
    }

    force(body: number): number[] {
        return this.made!.force(this.first[body]!);
    }

    setForce(body: number, force: readonly number[]): void {
        this.made!.setForce(this.first[body]!, force.slice(0, 3), force.slice(3));
    }

    spheres(): Float64Array[] {
        return this.owners.map((_, k) => this.made!.spheres(k));
    }

    // Position error of the test's body [m].
    measure(t: number): number {
        return this.engine.lend(16, (p) => {
            this.engine.call("labMeasure", this.made!.handle, t, p);
            return this.engine.doubles(p, 2)[0]!;
        });
    }

    // Where the test's body should be: 7 numbers.
    reference(t: number): number[] {
        return this.engine.lend(56, (p) => {
            this.engine.call("labReference", t, p);
            return Array.from(this.engine.doubles(p, 7));
        });
    }
}
