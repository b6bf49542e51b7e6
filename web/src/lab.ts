// The laboratory: a test or scene in our engine, MuJoCo beside it, both live; pull, drop, change, compare, share.
import * as THREE from "three";
import { OBJLoader } from "three/addons/loaders/OBJLoader.js";
import { PLYLoader } from "three/addons/loaders/PLYLoader.js";
import { STLLoader } from "three/addons/loaders/STLLoader.js";
import * as BufferGeometryUtils from "three/addons/utils/BufferGeometryUtils.js";
import { Chart, DASHES, type Series } from "./curves";
import { Engine, NOT_FINITE, World } from "./engine";
import { Files } from "./files";
import type { Body, Geom } from "./format";
import { type LabBody, makeBox, makeMesh, makePile, makeTower, toJson, toMjcf, toStage } from "./labscene";
import { Mujoco } from "./mujoco";
import { unpack } from "./packed";
import { PALETTE, Scenery, Stage } from "./stage";

const FRAME = 0.01; // [s]
const DURATION = 10; // [s] of a curve
const BUDGET = 14; // [ms] of a picture for each engine
const SOLVERS = ["PBD", "PBD-R", "XPBD-R"];
const KEPT = 4; // curves

function element<T extends HTMLElement>(id: string): T {
    return document.getElementById(id) as T;
}
const value = (id: string): number => Number(element<HTMLInputElement>(id).value);
const isOn = (id: string): boolean => element<HTMLInputElement>(id).checked;
const SETTINGS = ["scene", "solver", "n", "mu", "force", "dt", "iterations", "precision"];
const SWITCHES = ["spheres", "ablate-velocity", "ablate-linear", "ablate-angular", "mujoco", "look"];

// How fast an engine could go: substeps over the milliseconds they took, of the last second.
class Rate {
    private substeps = 0;
    private milliseconds = 0;
    add(substeps: number, milliseconds: number): void {
        this.substeps = 0.9 * this.substeps + substeps;
        this.milliseconds = 0.9 * this.milliseconds + milliseconds;
    }
    get perSecond(): number {
        return this.milliseconds > 0 ? (1000 * this.substeps) / this.milliseconds : NaN;
    }
}

interface Curve extends Series {
    run: number;
}

class Lab {
    private world: World | null = null;
    private readonly stage: Stage;
    private charts: Chart[] = [];
    private ledger: Series[] = []; // of the present run: kinetic energy, penetration
    private readonly times = Float64Array.from({ length: Math.round(DURATION / FRAME) + 1 }, (_, k) => k * FRAME);
    private curves: Curve[] = [];
    private runs = 0;
    private bodies: Body[] = [];
    private owned: LabBody[] = []; // of scenes that are no test
    private base: number[][] = []; // forces by the scene
    private frame = 0;
    private playing = true;
    private behind = 0; // [s] of real time that is not simulated yet
    private last = 0;
    private problem = "";
    private pulled: { body: number; local: THREE.Vector3; target: THREE.Vector3; pane: number } | null = null;
    private readonly rates = [new Rate(), new Rate()];
    private mujocoReady = false;
    private mujocoError = NaN;
    private dropped = 0;

    constructor(private readonly engine: Engine, private readonly files: Files, private readonly mujoco: Mujoco | null) {
        const dark = matchMedia("(prefers-color-scheme: dark)").matches;
        document.documentElement.dataset["theme"] = dark ? "dark" : "light";
        this.stage = new Stage(element<HTMLCanvasElement>("canvas"), dark);
        element("engine").textContent = `pbdr ${engine.version()}${mujoco === null ? "; MuJoCo could not be loaded" : `; MuJoCo ${mujoco.version}`}, both as WebAssembly in this page.`;
        this.readLink();
        this.listen();
        this.restart();
        this.resize();
        this.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
        this.showPlaying();
        requestAnimationFrame((now) => this.tick(now));
    }

    private get test(): number {
        return Number(element<HTMLSelectElement>("scene").value) || 0; // 0: a scene
    }

    private get perFrame(): number {
        return Math.max(1, Math.round(FRAME / value("dt")));
    }

    get state(): { time: number; error: number; label: string; problem: string; rates: number[]; bodies: number; mujocoError: number; pictures: number; curves: { label: string; last: number }[] } {
        const own = this.curves[this.curves.length - (this.hasMujoco ? 2 : 1)];
        return {
            time: this.frame * FRAME,
            error: own?.values[Math.min(this.frame, this.times.length - 1)] ?? NaN,
            label: SOLVERS[value("solver")] ?? "",
            problem: this.problem,
            rates: this.rates.map((r) => r.perSecond),
            bodies: this.bodies.length,
            mujocoError: this.mujocoError,
            pictures: this.draws,
            curves: this.curves.map((c) => ({ label: c.label, last: c.values.reduce((a, v) => (Number.isFinite(v) ? v : a), NaN) })),
        };
    }

    private get hasMujoco(): boolean {
        return this.mujocoReady && isOn("mujoco");
    }

    // --- Making worlds ---

    private makeTest(): void {
        const force = element<HTMLInputElement>("force").value;
        const ablation = (isOn("ablate-velocity") ? 1 : 0) | (isOn("ablate-linear") ? 2 : 0) | (isOn("ablate-angular") ? 4 : 0);
        const settings = [value("n"), 0.2 / (2 * 20), value("mu"), force === "" ? NaN : Number(force), 0.02, value("dt"), value("iterations"), value("precision"), ablation, isOn("spheres") ? 1 : 0];
        const status = this.engine.lendDoubles(settings, (at) => this.engine.call("labMakeTest", this.test, value("solver"), at));
        if (status !== 0) {
            throw new Error(this.engine.message());
        }
    }

    private makeScene(text: string): void {
        this.files.named.set("scene.json", new TextEncoder().encode(text));
        const settings = [value("dt"), value("iterations"), value("precision"), isOn("spheres") ? 1 : 0];
        const path = new TextEncoder().encode("scene.json\0");
        const status = this.engine.lendBytes(path, (at) => this.engine.lendDoubles(settings, (s) => this.engine.call("labLoadScene", at, value("solver"), s)));
        if (status !== 0) {
            throw new Error(this.engine.message());
        }
    }

    private takeRecipe(): Uint8Array {
        return this.engine.bytes(this.engine.call("labRecipe"), 8 * this.engine.call("labRecipeCount")).slice();
    }

    // What the bodies of a test look like.
    private describeTest(meshes: { vertices: Float32Array; triangles: Int32Array }[]): Body[] {
        const geom = (kind: Geom["kind"], more: Partial<Geom>): Geom => ({ kind, position: [0, 0, 0], rotation: [1, 0, 0, 0], half: [0.1, 0.1, 0.1], radius: 0, halfLength: 0, mesh: 0, ...more });
        const bunny = this.test >= 4 && this.test <= 6;
        if (bunny) {
            meshes.push(this.readMesh());
        }
        const list: Body[] = [{ name: bunny ? "bunny" : "box", kind: "dynamic", mass: bunny ? 1 : 4, geoms: [geom(bunny ? "mesh" : "box", {})] }];
        if (this.test === 7) {
            list.push({ name: "rod", kind: "kinematic", mass: NaN, geoms: [geom("capsule", { radius: 0.01, halfLength: 0.09, rotation: [Math.SQRT1_2, 0, Math.SQRT1_2, 0] })] });
        }
        return list;
    }

    private readMesh(): { vertices: Float32Array; triangles: Int32Array } {
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

    // keep: the owned bodies as they are, with what was dropped in.
    restart(keep = false): void {
        this.world?.destroy();
        this.world = null;
        this.problem = "";
        this.frame = 0;
        this.done = 0;
        this.behind = 0;
        this.pulled = null;
        this.mujocoReady = false;
        const scene = element<HTMLSelectElement>("scene").value;
        try {
            const meshes: { vertices: Float32Array; triangles: Int32Array }[] = [];
            let mjcf: string;
            if (this.test > 0) {
                this.makeTest();
                this.bodies = this.describeTest(meshes);
                mjcf = this.engine.textAt(this.engine.call("labMjcf"));
            } else {
                if (!keep) {
                    this.owned = scene === "pile" ? makePile(3) : scene === "tower" ? makeTower() : this.owned;
                }
                this.makeScene(toJson(this.owned, value("mu"), value("dt"), value("n")));
                this.bodies = toStage(this.owned, meshes);
                mjcf = toMjcf(this.owned, value("mu"), value("dt"));
            }
            this.world = World.fromRecipe(this.engine, this.takeRecipe());
            this.base = this.bodies.map((_, k) => this.world!.force(k));
            this.openMujoco(mjcf);
            this.buildScenes(meshes, keep);
        } catch (error) {
            this.problem = (error as Error).message;
        }
        this.startCurves();
        this.showStatus();
    }

    private openMujoco(mjcf: string): void {
        try {
            this.mujoco?.open(mjcf);
            this.mujocoReady = this.mujoco !== null;
        } catch (error) {
            element("engine").textContent = `MuJoCo refused the scene: ${String((error as Error).message ?? error)}`;
        }
    }

    private buildScenes(meshes: { vertices: Float32Array; triangles: Int32Array }[], keepCamera: boolean): void {
        const slope = this.test === 3 || this.test === 6;
        const list = this.bodies.map((b) => ({ ...b, centre: [0, 0, 0] }));
        const poses = this.poses();
        const planes = [{ normal: slope ? this.slopeNormal() : [0, 0, 1], offset: 0 }];
        this.stage.sceneries.length = 0;
        for (let pane = 0; pane < (this.hasMujoco ? 2 : 1); pane++) {
            const scenery = new Scenery(list, planes, meshes, this.test > 0 ? 0.17 : 0.1, 1.2, this.test > 0 && pane === 0 ? 0 : null, this.stage.theme);
            if (pane === 0) {
                scenery.setSpheres(list.map((_, k) => this.world!.spheres(k)), list.map((_, k) => k), list);
            }
            scenery.setLook(isOn("look") && pane === 0 ? "spheres" : "mesh");
            this.stage.sceneries.push(scenery);
        }
        if (!keepCamera) {
            const box = new THREE.Box3();
            for (let k = 0; k < poses.length; k += 7) {
                box.expandByPoint(new THREE.Vector3(poses[k]!, poses[k + 1]!, poses[k + 2]!));
            }
            this.stage.follow(null);
            this.stage.frame(box.min.addScalar(-0.22), box.max.addScalar(0.22));
        }
        this.resize();
    }

    // The ground's normal follows from where the body stands.
    private slopeNormal(): number[] {
        const poses = this.poses();
        const q = new THREE.Quaternion(poses[4], poses[5], poses[6], poses[3]);
        return new THREE.Vector3(0, 0, 1).applyQuaternion(q).toArray();
    }

    // --- Curves ---

    private startCurves(): void {
        this.runs++;
        const blank = (): Float64Array => new Float64Array(this.times.length).fill(NaN);
        const settings = `n = ${value("n")}, mu = ${value("mu")}${value("solver") < 2 ? `, ${element<HTMLSelectElement>("precision").selectedOptions[0]!.text}` : ""}`;
        const name = `${SOLVERS[value("solver")]} (${settings})`; // a run of the same settings takes the place of the last one
        const kept = this.test > 0 ? this.curves.filter((c) => c.label !== name && c.values[2] !== undefined && Number.isFinite(c.values[2]) && !c.label.startsWith("MuJoCo")).slice(-(KEPT - 2)) : [];
        const fresh: Curve[] = [{ label: name, values: blank(), colour: "", dash: [], run: this.runs }];
        if (this.hasMujoco) {
            fresh.push({ label: `MuJoCo (mu = ${value("mu")})`, values: blank(), colour: "", dash: [], run: this.runs });
        }
        this.curves = [...kept, ...fresh].map((c, k) => ({ ...c, colour: PALETTE[k % 6]!, dash: DASHES[k % DASHES.length]! }));
        element("charts").replaceChildren();
        const title = this.test > 0 ? "position error [m]" : "kinetic energy [J]";
        const dark = document.documentElement.dataset["theme"] === "dark";
        this.ledger = [0, 1].map(() => ({ label: "", values: blank(), colour: PALETTE[kept.length % 6]!, dash: DASHES[kept.length % DASHES.length]! }));
        this.charts = [
            new Chart(element("charts"), title, this.times, this.curves, () => undefined, dark),
            new Chart(element("charts"), "ledger: friction's work [J]", this.times, [this.ledger[0]!], () => undefined, dark),
            new Chart(element("charts"), "ledger: deepest penetration [m]", this.times, [this.ledger[1]!], () => undefined, dark),
        ];
        this.charts.forEach((c) => c.update(this.times.length));
        element("key").replaceChildren(
            ...this.curves.map((c, k) => {
                const span = document.createElement("span");
                span.textContent = c.label;
                span.style.borderBottom = `3px ${["solid", "dashed", "dotted", "double"][k % 4]} ${c.colour}`;
                return span;
            }),
        );
    }

    private measure(): void {
        const at = this.frame;
        const world = this.world!;
        const own = this.curves[this.curves.length - (this.hasMujoco ? 2 : 1)]!;
        if (at >= this.times.length) {
            return;
        }
        const row = world.ledger();
        this.ledger[0]!.values[at] = row[10]!;
        this.ledger[1]!.values[at] = row[11]!;
        if (this.test > 0) {
            own.values[at] = this.engine.lend(16, (p) => {
                this.engine.call("labMeasure", world.handle, at * FRAME, p);
                return this.engine.doubles(p, 2)[0]!;
            });
        } else {
            own.values[at] = row[7]!;
        }
        if (this.hasMujoco && this.test > 0) {
            const reference = this.reference();
            const start = this.firstMujoco;
            const pose = this.mujoco!.poses();
            // from its own start: the true body's centre is not quite the spheres'
            const moved = [0, 1, 2].map((k) => pose[k]! - start[k]! - (reference[k]! - this.referenceStart[k]!));
            this.mujocoError = Math.hypot(...moved);
            this.curves[this.curves.length - 1]!.values[at] = this.mujocoError;
        }
    }

    private referenceStart: number[] = [];

    private reference(): number[] {
        return this.engine.lend(56, (p) => {
            this.engine.call("labReference", this.frame * FRAME, p);
            return Array.from(this.engine.doubles(p, 7));
        });
    }

    // --- Running ---

    private poses(): Float64Array {
        const bodies = this.world!.bodies();
        const out = new Float64Array(7 * this.bodies.length);
        for (let k = 0; k < this.bodies.length; k++) {
            out.set(bodies.subarray(13 * k, 13 * k + 7), 7 * k);
        }
        return out;
    }

    // A spring from the place where the body was taken to the pointer, through both engines.
    private pull(): void {
        const world = this.world!;
        const held = this.pulled;
        this.mujoco?.pull(-1, [], []);
        this.base.forEach((b, k) => (b.some((v) => v !== 0) || this.lastPulled === k) && world.setForce(k, b.slice(0, 3), b.slice(3)));
        this.lastPulled = -1;
        if (held === null) {
            return;
        }
        const mass = this.bodies[held.body]!.mass;
        const apply = (pose: ArrayLike<number>, velocity: THREE.Vector3): { force: number[]; torque: number[] } => {
            const q = new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3]);
            const arm = held.local.clone().applyQuaternion(q);
            const at = new THREE.Vector3(pose[0], pose[1], pose[2]).add(arm);
            const force = held.target.clone().sub(at).multiplyScalar(120 * mass).addScaledVector(velocity, -14 * mass);
            force.clampLength(0, 60 * 9.81 * mass);
            return { force: force.toArray(), torque: arm.cross(force).toArray() };
        };
        const all = world.bodies().subarray(13 * held.body);
        const own = apply(all, new THREE.Vector3(all[7], all[8], all[9]));
        const b = this.base[held.body]!;
        world.setForce(held.body, own.force.map((v, k) => v + b[k]!), own.torque.map((v, k) => v + b[k + 3]!));
        this.lastPulled = held.body;
        if (this.hasMujoco) {
            const pose = this.mujoco!.poses().subarray(7 * held.body, 7 * held.body + 7);
            const before = this.mujocoBefore;
            const velocity = before === null ? new THREE.Vector3() : new THREE.Vector3(pose[0]! - before[0]!, pose[1]! - before[1]!, pose[2]! - before[2]!).divideScalar(FRAME);
            this.mujocoBefore = pose.slice();
            const other = apply(pose, velocity);
            this.mujoco!.pull(held.body, other.force, other.torque);
        }
    }

    private lastPulled = -1;
    private mujocoBefore: Float64Array | null = null;

    private done = 0; // substeps of the present frame

    // Substeps that take a few milliseconds, in both engines; whole frames where that is little. False: it broke down.
    private advance(whole: boolean): boolean {
        const world = this.world!;
        const rate = Math.min(this.rates[0]!.perSecond, this.hasMujoco ? this.rates[1]!.perSecond : Infinity);
        const few = Number.isFinite(rate) ? Math.max(1, Math.floor(0.004 * rate)) : 1;
        const count = whole ? this.perFrame - this.done : Math.min(this.perFrame - this.done, few);
        this.pull();
        let begin = performance.now();
        const flags = world.step(count);
        this.rates[0]!.add(count, performance.now() - begin);
        if ((flags & NOT_FINITE) !== 0) {
            this.problem = "a body's state is not finite: a smaller time step may help";
            return false;
        }
        if (this.hasMujoco) {
            begin = performance.now();
            for (let k = 0; k < count; k++) {
                this.mujoco!.step();
            }
            this.rates[1]!.add(count, performance.now() - begin);
        }
        this.behind -= count * value("dt");
        this.done += count;
        if (this.done >= this.perFrame) {
            this.done = 0;
            this.frame++;
            this.measure();
        }
        return true;
    }

    private firstMujoco: Float64Array = new Float64Array(7);

    private tick(now: number): void {
        const passed = this.last > 0 ? Math.min(0.1, (now - this.last) / 1000) : 0;
        this.last = now;
        if (this.playing && this.problem === "" && this.world !== null) {
            this.behind = Math.min(0.1, this.behind + passed);
            const begin = performance.now();
            while (this.behind > 0 && performance.now() - begin < 2 * BUDGET) {
                this.noteStart();
                if (!this.advance(false)) {
                    break;
                }
            }
        }
        this.draw();
        requestAnimationFrame((next) => this.tick(next));
    }

    private noteStart(): void {
        if (this.frame > 0 || this.done > 0) {
            return;
        }
        if (this.hasMujoco) {
            this.firstMujoco = this.mujoco!.poses().slice(0, 7);
        }
        if (this.test > 0) {
            this.referenceStart = this.reference();
        }
    }

    private draws = 0;

    private draw(): void {
        if (this.world === null || this.stage.sceneries.length === 0) {
            this.showStatus();
            return;
        }
        const poses = this.poses();
        const own = this.stage.sceneries[0]!;
        own.setPoses(poses);
        own.impostors?.setPoses(poses);
        own.setGhost(this.test > 0 ? this.reference() : null);
        if (this.hasMujoco && this.stage.sceneries[1] !== undefined) {
            this.stage.sceneries[1].setPoses(this.mujoco!.poses());
        }
        this.stage.follow(isOn("follow") && this.test > 0 ? new THREE.Vector3(poses[0], poses[1], poses[2]) : null);
        this.stage.render();
        if (this.draws++ % 10 === 0) {
            this.charts.forEach((c) => {
                c.update(this.times.length);
                c.setTime(this.frame * FRAME);
            });
            this.showRates();
            this.showStatus();
        }
        element("clock").textContent = `${(this.frame * FRAME).toFixed(2)} s`;
    }

    private showRates(): void {
        const names = [SOLVERS[value("solver")]!, ...(this.hasMujoco ? ["MuJoCo"] : [])];
        const errors = [this.test > 0 ? this.state.error : NaN, this.test > 0 ? this.mujocoError : NaN];
        element("rates").replaceChildren(
            ...names.map((name, k) => {
                const rate = this.rates[k]!.perSecond;
                const row = document.createElement("tr");
                for (const text of [name, Number.isFinite(rate) ? rate.toPrecision(3) : "", Number.isFinite(rate) ? (rate * value("dt")).toPrecision(3) : "", Number.isFinite(errors[k]!) ? `${errors[k]!.toPrecision(3)} m` : ""]) {
                    const cell = document.createElement("td");
                    cell.textContent = text;
                    row.append(cell);
                }
                return row;
            }),
        );
    }

    private showStatus(): void {
        const status = element("status");
        status.textContent = this.problem !== "" ? `Stopped: ${this.problem}` : this.playing ? "Running" : "Paused";
        status.dataset["state"] = this.problem !== "" ? "wrong" : "running";
    }

    private showPlaying(): void {
        const button = element<HTMLButtonElement>("play");
        button.textContent = this.playing ? "❚❚" : "▶";
        button.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    }

    // --- Dropping in ---

    // The owned bodies with where they are now, so that the world can be made anew with one more.
    private freeze(): void {
        const all = this.world!.bodies();
        this.owned = this.owned.map((b, k) => ({
            ...b,
            position: Array.from(all.subarray(13 * k, 13 * k + 3)),
            rotation: Array.from(all.subarray(13 * k + 3, 13 * k + 7)),
            velocity: Array.from(all.subarray(13 * k + 7, 13 * k + 10)),
            spin: Array.from(all.subarray(13 * k + 10, 13 * k + 13)),
        }));
    }

    drop(body: LabBody): void {
        if (this.test > 0 || this.world === null) {
            element<HTMLSelectElement>("scene").value = "pile";
            this.restart();
        }
        this.freeze();
        this.owned.push({ ...body, name: `${body.name} ${++this.dropped}` });
        this.restart(true);
    }

    dropBox(): void {
        this.drop(makeBox("dropped box", [0.06, 0.06, 0.06], 1.5, [0.05 * Math.sin(this.dropped), 0.05 * Math.cos(this.dropped), 0.8], 0.4));
    }

    // About its centre of volume, 0.2 m in its largest extent: MuJoCo and we agree on the frame then.
    dropGeometry(name: string, geometry: THREE.BufferGeometry): void {
        geometry.deleteAttribute("normal");
        geometry.deleteAttribute("uv");
        const merged = BufferGeometryUtils.mergeVertices(geometry, 1e-6);
        merged.computeBoundingBox();
        const size = merged.boundingBox!.getSize(new THREE.Vector3());
        const centre = merged.boundingBox!.getCenter(new THREE.Vector3());
        const scale = 0.2 / Math.max(size.x, size.y, size.z);
        const at = merged.getAttribute("position");
        const vertices = Array.from({ length: at.count }, (_, k) => [(at.getX(k) - centre.x) * scale, (at.getY(k) - centre.y) * scale, (at.getZ(k) - centre.z) * scale]);
        const index = merged.getIndex()!;
        const triangles = Array.from({ length: index.count / 3 }, (_, k) => [index.getX(3 * k), index.getX(3 * k + 1), index.getX(3 * k + 2)]);
        this.drop(makeMesh(name, vertices, triangles, 1, [0, 0, 0.8]));
    }

    private async takeFile(file: File): Promise<void> {
        const kind = file.name.toLowerCase().split(".").pop();
        const name = file.name.replace(/\.[^.]*$/, "").slice(0, 40);
        try {
            if (kind === "json") {
                this.takeScene(await file.text());
            } else if (kind === "stl") {
                this.dropGeometry(name, new STLLoader().parse(await file.arrayBuffer()));
            } else if (kind === "ply") {
                this.dropGeometry(name, new PLYLoader().parse(await file.arrayBuffer()));
            } else if (kind === "obj") {
                const meshes: THREE.BufferGeometry[] = [];
                new OBJLoader().parse(await file.text()).traverse((o) => o instanceof THREE.Mesh && meshes.push(o.geometry as THREE.BufferGeometry));
                this.dropGeometry(name, BufferGeometryUtils.mergeGeometries(meshes.map((m) => m.toNonIndexed())));
            } else {
                throw new Error("wanted .obj, .stl, .ply or .json");
            }
        } catch (error) {
            this.problem = `${file.name}: ${(error as Error).message}`;
            this.showStatus();
        }
    }

    // A scene in our JSON: boxes, balls and meshes become bodies of the laboratory.
    private takeScene(text: string): void {
        const json = JSON.parse(text) as { bodies?: { name?: string; shape?: string; half_extents_m?: number[]; radius_m?: number; vertices_m?: number[][]; triangles?: number[][]; mass_kg?: number; kind?: string; start?: { position_m?: number[]; rotation_wxyz?: number[] }; start_velocity_mps?: number[]; start_angular_velocity_radps?: number[] }[] };
        const bodies = (json.bodies ?? []).map((b): LabBody => {
            if (b.shape !== "box" && b.shape !== "ball" && b.shape !== "mesh") {
                throw new Error(`the laboratory takes boxes, balls and meshes, not '${String(b.shape)}'`);
            }
            return {
                ...makeBox(String(b.name), (b.half_extents_m ?? [0.1, 0.1, 0.1]) as [number, number, number], b.mass_kg ?? 1, b.start?.position_m ?? [0, 0, 0]),
                kind: b.kind === "static" ? "static" : "dynamic",
                shape: b.shape,
                radius: b.radius_m ?? 0,
                vertices: b.vertices_m ?? [],
                triangles: b.triangles ?? [],
                rotation: b.start?.rotation_wxyz ?? [1, 0, 0, 0],
                velocity: b.start_velocity_mps ?? [0, 0, 0],
                spin: b.start_angular_velocity_radps ?? [0, 0, 0],
            };
        });
        if (bodies.length === 0) {
            throw new Error("the scene has no bodies");
        }
        const select = element<HTMLSelectElement>("scene");
        if (!Array.from(select.options).some((o) => o.value === "own")) {
            select.add(new Option("a scene of your own", "own"));
        }
        select.value = "own";
        this.owned = bodies;
        this.restart();
    }

    // --- The visitor ---

    private readLink(): void {
        const query = new URLSearchParams(location.hash.slice(1));
        for (const id of SETTINGS) {
            const given = query.get(id);
            if (given !== null) {
                element<HTMLInputElement>(id).value = given;
            }
        }
        for (const id of SWITCHES) {
            if (query.has(id)) {
                element<HTMLInputElement>(id).checked = query.get(id) === "1";
            }
        }
        if (element<HTMLSelectElement>("scene").value === "") {
            element<HTMLSelectElement>("scene").value = "1";
        }
    }

    link(): string {
        const query = new URLSearchParams();
        SETTINGS.forEach((id) => query.set(id, element<HTMLInputElement>(id).value));
        SWITCHES.forEach((id) => query.set(id, isOn(id) ? "1" : "0"));
        return `${location.href.split("#")[0]}#${query}`;
    }

    private listen(): void {
        element("scene").addEventListener("change", () => { // few points per face where there are many faces
            element<HTMLInputElement>("n").value = this.test > 0 ? "4" : "2";
            this.restart();
        });
        for (const id of ["solver", "n", "force", "dt", "iterations", "precision", "spheres", "ablate-velocity", "ablate-linear", "ablate-angular", "mujoco"]) {
            element(id).addEventListener("change", () => this.restart());
        }
        element("mu").addEventListener("input", () => { // while it runs
            const mu = value("mu");
            if (this.world !== null && mu >= 0) {
                this.world.setFriction(mu);
                if (this.hasMujoco) {
                    this.mujoco!.setFriction(mu);
                }
            }
        });
        element("look").addEventListener("change", () => this.stage.sceneries[0]?.setLook(isOn("look") ? "spheres" : "mesh"));
        element("play").addEventListener("click", () => this.toggle());
        element("step").addEventListener("click", () => this.stepOne());
        element("restart").addEventListener("click", () => this.restart());
        element("drop-box").addEventListener("click", () => this.dropBox());
        element("drop-bunny").addEventListener("click", () => {
            const bunny = this.files.named.get("bunny.stl");
            if (bunny === undefined) {
                this.problem = "this page was built without the bunny (make setup fetches it)";
            } else {
                this.dropGeometry("bunny", new STLLoader().parse(bunny.slice().buffer as ArrayBuffer).rotateZ(0.4));
            }
        });
        element("file").addEventListener("change", (e) => {
            const file = (e.target as HTMLInputElement).files?.[0];
            if (file !== undefined) {
                void this.takeFile(file);
            }
        });
        element("share").addEventListener("click", () => {
            history.replaceState(null, "", this.link());
            navigator.clipboard?.writeText(this.link()).catch(() => undefined);
            element("share").textContent = "the link is in the address bar";
        });
        document.addEventListener("keydown", (e) => {
            if (!(e.target as HTMLElement).matches("input, select, button, summary")) {
                const keys: Record<string, () => void> = { " ": () => this.toggle(), ArrowRight: () => this.stepOne(), Backspace: () => this.restart() };
                if (keys[e.key] !== undefined) {
                    e.preventDefault();
                    keys[e.key]!();
                }
            }
        });
        this.listenPull();
        new ResizeObserver(() => this.resize()).observe(element("view"));
    }

    private toggle(): void {
        this.playing = !this.playing;
        this.showPlaying();
    }

    private stepOne(): void {
        this.playing = false;
        this.showPlaying();
        if (this.world !== null && this.problem === "") {
            this.noteStart();
            this.advance(true);
        }
    }

    private listenPull(): void {
        const canvas = this.stage.canvas;
        const plane = new THREE.Plane();
        canvas.addEventListener("pointerdown", (e) => {
            const hit = e.button === 0 ? this.stage.pick(e.clientX, e.clientY) : null;
            if (hit === null || this.bodies[hit.body]?.kind !== "dynamic") {
                return;
            }
            const group = this.stage.sceneries[hit.pane]!.bodies[hit.body]!;
            plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), hit.point);
            this.pulled = { body: hit.body, pane: hit.pane, target: hit.point.clone(), local: group.worldToLocal(hit.point.clone()) };
            this.mujocoBefore = null;
            this.stage.controls.enabled = false;
            canvas.setPointerCapture(e.pointerId);
        }, { capture: true });
        canvas.addEventListener("pointermove", (e) => {
            const aimed = this.pulled === null ? null : this.stage.aim(e.clientX, e.clientY);
            const at = aimed?.ray.intersectPlane(plane, new THREE.Vector3());
            if (this.pulled !== null && at !== null && at !== undefined) {
                this.pulled.target.copy(at);
            }
        });
        const release = (): void => {
            this.pulled = null;
            this.stage.controls.enabled = true;
        };
        canvas.addEventListener("pointerup", release);
        canvas.addEventListener("pointercancel", release);
    }

    place(body: number): number[] {
        return Array.from(this.poses().subarray(7 * body, 7 * body + 3));
    }

    // Where a body is on the screen.
    screen(body: number): { x: number; y: number } {
        const at = new THREE.Vector3(...(this.place(body) as [number, number, number])).project(this.stage.camera);
        const box = this.stage.canvas.getBoundingClientRect();
        const width = box.width / Math.max(1, this.stage.sceneries.length);
        return { x: box.left + (0.5 + 0.5 * at.x) * width, y: box.top + (0.5 - 0.5 * at.y) * box.height };
    }

    private resize(): void {
        const view = element("view");
        this.stage.resize(Math.max(64, view.clientWidth), Math.max(64, view.clientHeight));
        const labels = element("labels").children;
        const names = [`pbdr: ${SOLVERS[value("solver")]}`, "MuJoCo"];
        const corners = this.stage.paneCorners();
        for (let k = 0; k < 2; k++) {
            const label = labels[k] as HTMLElement;
            label.hidden = corners[k] === undefined;
            label.textContent = names[k]!;
            label.style.left = `calc(${100 * (corners[k]?.left ?? 0)}% + 8px)`;
            label.style.top = `calc(${100 * (corners[k]?.top ?? 0)}% + 8px)`;
        }
    }
}

declare global {
    interface Window {
        pbdrLab?: Lab;
        pbdrLabError?: string;
    }
}

async function start(): Promise<void> {
    const files = new Files();
    const bunny = await unpack("pbdr-bunny");
    if (bunny !== null) {
        files.named.set("bunny.stl", bunny);
    }
    const modules = (await Promise.all(["pbdr-engine-simd", "pbdr-engine-plain"].map((id) => unpack(id)))).filter((m) => m !== null);
    const module = modules.find((m) => WebAssembly.validate(m));
    if (module === undefined) {
        throw new Error("this browser takes no WebAssembly of ours");
    }
    const binary = await unpack("mujoco-engine");
    const mujoco = binary === null ? null : await Mujoco.load(binary).catch(() => null);
    window.pbdrLab = new Lab(await Engine.load(module, files), files, mujoco);
}

start().catch((error: unknown) => {
    window.pbdrLabError = String((error as Error).message ?? error);
    element("failure").textContent = `The laboratory cannot start: ${window.pbdrLabError}.`;
    element("failure").hidden = false;
});
