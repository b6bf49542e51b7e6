// The laboratory: a test or scene in our engine, MuJoCo beside it, both live; pull, drop, change, compare, share.
import * as THREE from "three";
import { chooseTheme, element, getNumber, isCalm, isOn, make, placeLabels, showPlaying } from "./dom";
import { Engine, LEDGER, NOT_FINITE } from "./engine";
import { Files } from "./files";
import type { Body, Mesh } from "./format";
import { findWay, frameBox } from "./framing";
import { connectLab } from "./labcontrols";
import { FRAME, LabCurves } from "./labcurves";
import { LabEngine, type LabSettings } from "./labengine";
import { makeLink, readLink, readQuery } from "./lablink";
import { type LabScene, makePile, makeTower, readScene, toJson, toMjcf, toStage } from "./labscene";
import { Mujoco } from "./mujoco";
import { Pace } from "./pace";
import { unpack } from "./packed";
import { Pull } from "./pull";
import { Rate } from "./rate";
import { measureBodies, Scenery, Stage } from "./stage";

const BUDGET = 28; // [ms] of a picture for both engines
const PIECE = 0.004; // [s] of processor time at a time
const LATE = 0.1; // [s] of real time that are made up for at most
const CHART_PAUSE = 200; // [ms] between drawings of the curves
const SOLVERS = ["PBD", "PBD-R", "XPBD-R"];

const readVec = (from: ArrayLike<number>, at: number): THREE.Vector3 => new THREE.Vector3(from[at], from[at + 1], from[at + 2]);

export class Lab {
    readonly stage: Stage;
    private readonly curves: LabCurves;
    private readonly pull: Pull;
    private bodies: Body[] = [];
    scene: LabScene = makePile(1); // where it is no test
    private forces: number[][] = []; // by the test or scene: force and torque of each body
    private frame = 0;
    private done = 0; // substeps of the present frame
    private playing = true;
    private behind = 0; // [s] of real time that is not simulated yet
    private last = 0; // [ms]
    private drawn = -Infinity; // when the curves were [ms]
    private pictures = 0;
    private dirty = true; // what is shown has changed, though nothing runs
    private readonly pace = new Pace(location.search);
    problem = "";
    private note = ""; // of MuJoCo
    private rates = [new Rate(), new Rate()];
    private mujocoReady = false;
    private mujocoError = NaN;
    private mujocoBefore: Float64Array | null = null; // of the pulled body
    private startOfMujoco: Float64Array = new Float64Array(7);
    private startOfReference: number[] = [];
    private chosen = ""; // scene, whose friction is in its field
    dropped = 0;

    constructor(readonly own: LabEngine, readonly files: Files, readonly mujoco: Mujoco | null, private readonly examples: Map<string, string>) {
        const dark = chooseTheme(readQuery()) === "dark";
        this.stage = new Stage(element<HTMLCanvasElement>("canvas"), dark);
        this.curves = new LabCurves(dark);
        const select = element<HTMLSelectElement>("scene");
        examples.forEach((_, name) => select.add(new Option(name.replaceAll("_", " "), name)));
        this.pull = new Pull(this.stage, (body) => this.bodies[body]?.kind === "dynamic", () => (this.mujocoBefore = null));
        if (readLink().has("mu")) { // of the scene in the link, as the visitor had it
            this.chosen = select.value;
        }
        connectLab(this);
        this.restart();
        this.setPlaying(!isCalm());
        requestAnimationFrame((now) => this.tick(now));
    }

    get test(): number {
        return Number(element<HTMLSelectElement>("scene").value) || 0; // 0: a scene
    }

    private get perFrame(): number {
        return Math.max(1, Math.round(FRAME / getNumber("dt")));
    }

    // [s]: whole substeps, which may not make a whole frame
    private get time(): number {
        return this.frame * this.perFrame * getNumber("dt");
    }

    get hasMujoco(): boolean {
        return this.mujocoReady && isOn("mujoco");
    }

    private get settings(): LabSettings {
        const force = element<HTMLInputElement>("force").value;
        return {
            solver: getNumber("solver"),
            n: getNumber("n"),
            mu: getNumber("mu"),
            force: force === "" ? NaN : Number(force),
            timeStep: getNumber("dt"),
            iterations: getNumber("iterations"),
            precision: getNumber("precision"),
            ablation: (isOn("ablate-velocity") ? 1 : 0) | (isOn("ablate-linear") ? 2 : 0) | (isOn("ablate-angular") ? 4 : 0),
            spheres: isOn("spheres"),
        };
    }

    // What scripts and tests see.
    get state(): { time: number; error: number; label: string; problem: string; rates: number[]; bodies: number; mujoco: boolean; mujocoError: number; pictures: number; curves: { label: string; last: number }[] } {
        return {
            time: this.time,
            error: this.curves.ownAt(this.time),
            label: SOLVERS[getNumber("solver")] ?? "",
            problem: this.problem,
            rates: this.rates.map((r) => r.perSecond),
            bodies: this.bodies.length,
            mujoco: this.hasMujoco,
            mujocoError: this.mujocoError,
            pictures: this.pictures,
            curves: this.curves.last,
        };
    }

    // --- Making worlds ---

    private chooseScene(): void {
        const name = element<HTMLSelectElement>("scene").value;
        const example = this.examples.get(name);
        if (name === "pile") {
            this.scene = makePile(3);
        } else if (name === "ball") {
            this.scene = makeTower();
        } else if (example !== undefined) {
            this.scene = this.readExample(example);
            if (name !== this.chosen) {
                this.adopt();
            }
        }
        this.chosen = name;
    }

    private readExample(text: string): LabScene {
        if (text.startsWith("{")) {
            return readScene(text);
        }
        if (this.mujoco === null) {
            throw new Error("MuJoCo reads the example scenes in MJCF, and could not be loaded");
        }
        return this.mujoco.read(text);
    }

    // The scene's friction, and XPBD-R where it has joints; what the visitor changes afterwards stays.
    private adopt(): void {
        element<HTMLInputElement>("mu").value = String(this.scene.friction);
        if (this.scene.joints !== undefined) {
            element<HTMLSelectElement>("solver").value = String(SOLVERS.length - 1);
        }
    }

    // A scene of the visitor's.
    take(scene: LabScene): void {
        this.scene = scene;
        this.adopt();
        this.restart();
    }

    // keep: the scene as it is now, with what was dropped in.
    restart(keep = false): void {
        this.own.destroy();
        this.pull.release();
        this.problem = this.note = "";
        this.frame = this.done = this.behind = 0;
        this.dirty = true;
        this.drawn = -Infinity;
        this.mujocoReady = false;
        this.mujocoError = NaN;
        this.rates = [new Rate(), new Rate()];
        const meshes: Mesh[] = [];
        try {
            let mjcf: string;
            if (this.test === 0 && !keep) {
                this.chooseScene();
            }
            const settings = this.settings;
            if (this.test > 0) {
                this.chosen = "";
                mjcf = this.own.makeTest(this.test, settings);
                this.bodies = this.own.describeTest(this.test, meshes);
            } else {
                this.own.makeScene(toJson(this.scene, settings.mu, settings.timeStep, settings.n), settings);
                this.bodies = toStage(this.scene, meshes);
                mjcf = this.scene.joints === undefined ? toMjcf(this.scene, settings.mu, settings.timeStep) : "";
            }
            this.forces = this.bodies.map((b, k) => (b.kind === "dynamic" ? this.own.force(k) : [0, 0, 0, 0, 0, 0]));
            this.openMujoco(mjcf);
            this.buildScenes(meshes, keep);
            this.startOfReference = this.test > 0 ? this.own.reference(0) : [];
            this.startOfMujoco = this.hasMujoco ? this.mujoco!.poses().slice(0, 7) : new Float64Array(7);
        } catch (error) {
            this.problem = (error as Error).message;
        }
        const { solver, n, mu, precision } = this.settings;
        const label = `${SOLVERS[solver]} (n = ${n}, mu = ${mu}${solver < 2 ? `, ${precision === 0 ? "single" : "double"}` : ""})`;
        this.curves.start(this.test > 0 ? "position error [m]" : "kinetic energy [J]", label, this.hasMujoco && this.test > 0 ? `MuJoCo (mu = ${mu})` : null, this.test > 0);
        this.showStatus();
    }

    private openMujoco(mjcf: string): void {
        try {
            if (mjcf === "") {
                throw new Error("joints of our JSON run in XPBD-R alone");
            }
            this.mujoco?.open(mjcf);
            this.mujocoReady = this.mujoco !== null;
            if (this.test === 0) {
                this.mujoco?.setMotions(this.scene.bodies);
            }
        } catch (error) {
            this.note = `MuJoCo does not run beside it: ${String((error as Error).message ?? error)}`;
        }
        element("engine").textContent = `pbdr ${this.own.version}; ${this.mujoco === null ? "MuJoCo could not be loaded" : `MuJoCo ${this.mujoco.version}`}, both as WebAssembly in this page. ${this.note}`;
    }

    private buildScenes(meshes: Mesh[], keepCamera: boolean): void {
        const list = this.bodies.map((b, k) => ({ ...b, centre: this.test > 0 ? [0, 0, 0] : this.own.centre(k) }));
        const slope = this.test === 3 || this.test === 6;
        const planes = this.test > 0 ? [{ normal: slope ? this.slopeNormal() : [0, 0, 1], offset: 0 }] : this.scene.planes;
        this.stage.sceneries.length = 0;
        for (let pane = 0; pane < (this.hasMujoco ? 2 : 1); pane++) {
            const scenery = new Scenery(list, planes, meshes, measureBodies(list, meshes), this.test > 0 ? 0 : null, this.stage.theme);
            if (pane === 0) {
                scenery.setSpheres(this.own.spheres(), this.own.owners, list);
            }
            scenery.setLook(isOn("look") && pane === 0 ? "spheres" : "mesh");
            this.stage.sceneries.push(scenery);
        }
        const first = this.stage.sceneries[0]!;
        first.setPoses(this.own.poses());
        const box = new THREE.Box3();
        first.bodies.forEach((group, k) => {
            group.updateMatrixWorld(true);
            if (this.bodies[k]!.kind !== "static") {
                box.expandByObject(group);
            }
        });
        if (!keepCamera && !box.isEmpty()) {
            const way = this.test > 0 ? findWay(this.own.reference(0), this.own.reference(10), first.size) : null;
            this.stage.rows = way !== null ? true : null;
            this.stage.follow(null);
            frameBox(this.stage, box, way);
            this.follow();
        }
        this.resize();
    }

    // The ground's normal follows from where the body stands.
    private slopeNormal(): number[] {
        const p = this.own.poses();
        return new THREE.Vector3(0, 0, 1).applyQuaternion(new THREE.Quaternion(p[4], p[5], p[6], p[3])).toArray();
    }

    // --- Running ---

    // What acts on the bodies of both engines: the test's own forces, and the pull.
    private applyForces(): void {
        const held = this.pull.body;
        const add = (a: readonly number[], b: readonly number[]): number[] => a.map((v, k) => v + b[k]!);
        const mass = held >= 0 ? this.bodies[held]!.mass : 0;
        const motion = held >= 0 ? this.own.motions()[held]! : null;
        const pulls = motion === null ? null : this.pull.force(motion, this.pull.arm(motion).cross(readVec(motion, 10)).negate().add(readVec(motion, 7)), mass);
        this.forces.forEach((f, k) => this.bodies[k]!.kind === "dynamic" && this.own.setForce(k, k === held && pulls !== null ? add(f, pulls) : f));
        if (this.hasMujoco) {
            // the tests' MJCF has its own drive
            const forces = this.test > 0 ? this.forces.map(() => [0, 0, 0, 0, 0, 0]) : this.forces.map((f) => f);
            if (held >= 0) {
                const pose = this.mujoco!.poses().slice(7 * held, 7 * held + 7);
                const velocity = this.pull.point(pose).sub(this.pull.point(this.mujocoBefore ?? pose)).divideScalar(Math.max(1e-9, this.sinceForces));
                this.mujocoBefore = pose;
                forces[held] = add(forces[held]!, this.pull.force(pose, velocity, mass));
            }
            this.mujoco!.setForces(forces);
        }
    }

    private sinceForces = FRAME; // [s] of simulated time

    // Substeps that take a few milliseconds, in both engines; a whole frame if that is asked for. False: it broke down.
    private advance(whole: boolean): boolean {
        const rate = Math.min(this.rates[0]!.perSecond, this.hasMujoco ? this.rates[1]!.perSecond : Infinity);
        const few = Number.isFinite(rate) ? Math.max(1, Math.floor(PIECE * rate)) : 1;
        const count = whole ? this.perFrame - this.done : Math.min(this.perFrame - this.done, few);
        this.applyForces();
        this.sinceForces = count * getNumber("dt");
        let begin = performance.now();
        const flags = this.own.world!.step(count);
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
        this.behind -= count * getNumber("dt");
        this.done += count;
        if (this.done >= this.perFrame) {
            this.done = 0;
            this.frame++;
            this.measure();
        }
        return true;
    }

    private measure(): void {
        const row = this.own.world!.ledger();
        const read = (name: (typeof LEDGER)[number]): number => row[LEDGER.indexOf(name)]!;
        if (this.hasMujoco && this.test > 0) {
            this.mujocoError = this.ghostOfMujoco().reduce((sum, v, k) => Math.hypot(sum, v - this.mujoco!.poses()[k]!), 0);
        }
        this.curves.add(this.time, this.test > 0 ? this.own.measure(this.time) : read("kinetic_J"), this.mujocoError, read("friction_J"), read("penetration_m"));
    }

    // Where MuJoCo's body should be, from its own start: the true body's centre is not quite the spheres'.
    private ghostOfMujoco(): number[] {
        return this.own.reference(this.time).slice(0, 3).map((v, k) => v - this.startOfReference[k]! + this.startOfMujoco[k]!);
    }

    private tick(now: number): void {
        const passed = this.last > 0 ? Math.min(LATE, (now - this.last) / 1000) : 0;
        this.last = now;
        if (this.playing && this.problem === "" && this.own.world !== null) {
            this.behind = Math.min(LATE, this.behind + passed * getNumber("speed"));
            const begin = performance.now();
            while (this.behind > 0 && performance.now() - begin < BUDGET && this.advance(false)) {
                // goes on
            }
        }
        if (this.dirty || (this.playing && this.problem === "")) {
            this.dirty = false;
            this.stage.setSharpness(this.pace.move(now));
            this.draw(now);
        } else if (this.pace.rest(now)) {
            this.stage.setSharpness(1);
            this.draw(now);
        }
        requestAnimationFrame((next) => this.tick(next));
    }

    private draw(now: number): void {
        if (this.own.world !== null && this.stage.sceneries.length > 0) {
            const poses = this.own.poses();
            const [own, other] = this.stage.sceneries;
            const ghost = this.test > 0 ? this.own.reference(this.time) : null;
            own!.setPoses(poses);
            own!.impostors?.setPoses(this.own.worldPoses());
            own!.setGhost(ghost);
            if (this.hasMujoco && other !== undefined) {
                other.setPoses(this.mujoco!.poses());
                other.setGhost(ghost === null ? null : [...this.ghostOfMujoco(), ...ghost.slice(3)]);
            }
            this.follow();
            this.pull.draw();
            this.stage.render();
            this.pictures++;
        }
        element("clock").textContent = `${(this.time).toFixed(2)} s`;
        if (now - this.drawn > CHART_PAUSE) {
            this.drawn = now;
            this.curves.draw(this.time);
            this.showRates();
            this.showStatus();
        }
    }

    // Of two engines neither is the one to follow, but what they should do is.
    private follow(): void {
        const ghost = this.test > 0 && isOn("follow") ? this.own.reference(this.time) : null;
        this.stage.follow(ghost === null ? null : new THREE.Vector3(ghost[0], ghost[1], ghost[2]));
    }

    private showRates(): void {
        const names = [SOLVERS[getNumber("solver")]!, ...(this.hasMujoco ? ["MuJoCo"] : [])];
        const errors = this.test > 0 ? [this.curves.ownAt(this.time), this.mujocoError] : [];
        element("rates").replaceChildren(
            ...names.map((name, k) => {
                const rate = this.rates[k]!.perSecond;
                const row = document.createElement("tr");
                const numbers = Number.isFinite(rate) ? [Number(rate.toPrecision(3)).toLocaleString("en"), (rate * getNumber("dt")).toPrecision(3)] : ["", ""];
                const error = errors[k] !== undefined && Number.isFinite(errors[k]) ? `${errors[k].toPrecision(3)} m` : "";
                row.append(...[name, ...numbers, error].map((text) => make("td", text)));
                return row;
            }),
        );
    }

    showStatus(): void {
        const status = element("status");
        const text = this.problem !== "" ? `Stopped: ${this.problem}` : this.playing ? "Running" : "Paused";
        if (status.textContent !== text) { // it is read aloud
            status.textContent = text;
        }
        status.dataset["state"] = this.problem !== "" ? "wrong" : "running";
    }

    // --- The visitor ---

    // Something is to be drawn anew.
    touch(): void {
        this.dirty = true;
    }

    changeSpeed(by: number): void {
        const select = element<HTMLSelectElement>("speed");
        select.selectedIndex = Math.max(0, Math.min(select.options.length - 1, select.selectedIndex + by));
    }

    private setPlaying(on: boolean): void {
        this.playing = on;
        this.behind = 0;
        this.dirty = true;
        showPlaying(on);
        this.showStatus();
    }

    toggle(): void {
        this.setPlaying(!this.playing);
    }

    stepOne(): void {
        this.setPlaying(false);
        if (this.own.world !== null && this.problem === "") {
            this.advance(true);
            this.dirty = true;
        }
    }

    // Pauses, and goes on for so many seconds of simulated time at once, without pictures: for scripts and tests.
    skip(seconds: number): void {
        this.setPlaying(false);
        const end = this.frame + Math.round(seconds / (this.perFrame * getNumber("dt")));
        while (this.frame < end && this.own.world !== null && this.problem === "" && this.advance(true)) {
            // goes on
        }
        this.dirty = true;
    }

    link(): string {
        return makeLink();
    }

    place(body: number): number[] {
        return Array.from(this.own.poses().subarray(7 * body, 7 * body + 3));
    }

    // Where a body of our engine is on the screen.
    screen(body: number): { x: number; y: number } {
        return this.stage.project(new THREE.Vector3(...(this.place(body) as [number, number, number])), 0);
    }

    resize(): void {
        const view = element("view");
        this.stage.resize(Math.max(64, view.clientWidth), Math.max(64, view.clientHeight));
        element("labels").children[0]!.textContent = `pbdr: ${SOLVERS[getNumber("solver")]}`;
        placeLabels(this.stage.paneCorners());
        this.dirty = true;
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
    const examples = await unpack("pbdr-examples");
    const texts = examples === null ? {} : (JSON.parse(new TextDecoder().decode(examples)) as Record<string, string>);
    window.pbdrLab = new Lab(new LabEngine(await Engine.load(module, files), files), files, mujoco, new Map(Object.entries(texts)));
}

start().catch((error: unknown) => {
    window.pbdrLabError = String((error as Error).message ?? error);
    element("failure").textContent = `The laboratory cannot start: ${window.pbdrLabError}.`;
    element("failure").hidden = false;
});
