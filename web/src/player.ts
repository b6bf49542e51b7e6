// A replay that is shown: its time, its pictures, its curves and numbers. The run itself is in a worker (remote.ts).
import * as THREE from "three";
import { connect } from "./controls";
import type { Chart } from "./curves";
import { chooseTheme, element, isCalm, isOn, make, placeLabels, showFailure, showPlaying } from "./dom";
import type { Joint } from "./engine";
import type { Replay } from "./format";
import { findReplayWay, frameCamera, isTurning } from "./framing";
import { makeNumbers } from "./numbers";
import { Pace } from "./pace";
import { Remote } from "./remote";
import { makeCharts } from "./replaycurves";
import { measureBodies, Scenery, Stage } from "./stage";
import { readPose, Store } from "./store";
import { drawTrails } from "./trails";

// The nearest of 1, 2, 5, 10, ... above.
function roundUp(value: number): number {
    const power = 10 ** Math.floor(Math.log10(value));
    return Number((power * (value <= power ? 1 : value <= 2 * power ? 2 : value <= 5 * power ? 5 : 10)).toPrecision(1));
}

export class Player {
    readonly stores: Store[];
    readonly stage: Stage;
    readonly ready: Promise<void>;
    private readonly charts: Chart[];
    readonly query = new URLSearchParams(location.search);
    private readonly dark: boolean;
    private readonly joints: Joint[][] = []; // of the tracks
    private readonly remote: Remote;
    private time = 0;
    private playing = false;
    speed = 1;
    private lastTick = 0;
    private selected = 0;
    private following = false;
    private waiting: (() => void)[] = [];
    private failed: string | null = null;
    private dirty = true;
    private readonly pace = new Pace(location.search);
    private chartFrames = -1;
    private turns = false; // the reference stays where it is, and turns
    private setReady!: () => void;
    private setFailed!: (error: Error) => void;

    constructor(readonly replay: Replay) {
        this.ready = new Promise((resolve, reject) => {
            this.setReady = resolve;
            this.setFailed = reject;
        });
        this.ready.catch(() => undefined);
        this.dark = chooseTheme(this.query) === "dark";
        document.body.classList.toggle("bare", this.query.has("bare"));
        this.stores = replay.tracks.map((track) => new Store(replay, track));
        this.remote = this.makeRemote();
        this.stage = new Stage(element<HTMLCanvasElement>("canvas"), this.dark);
        this.describe();
        this.buildScenes();
        this.charts = makeCharts(this.stores, (t) => this.seek(t), this.dark);
        connect(this);
        this.resize();
        if (replay.stored) {
            this.home();
            this.finishStart();
        } else {
            this.remote.start().catch((error: unknown) => this.fail(String((error as Error).message)));
        }
        requestAnimationFrame((now) => this.tick(now));
    }

    get duration(): number {
        return Math.max(...this.stores.map((s) => s.times[s.frames - 1] ?? 0));
    }

    get now(): number {
        return this.time;
    }

    get verified(): boolean {
        return this.remote.verified;
    }

    get isPlaying(): boolean {
        return this.playing;
    }

    // --- Building ---

    private describe(): void {
        const { title, tracks, stored, thinned } = this.replay;
        element("title").textContent = title;
        const notes = element("notes");
        for (const track of tracks) {
            const row = document.createElement("li");
            row.append(make("strong", track.label), `: ${track.settings}`);
            notes.append(row);
            if (track.problem !== "") {
                this.warn(track.problem);
            }
        }
        if (stored && thinned > 1) {
            this.warn(`One of ${thinned} frames is stored, so that the page stays small.`);
        }
        const select = element<HTMLSelectElement>("body");
        this.replay.bodies.forEach((body, k) => select.add(new Option(body.name, String(k))));
        const firstMoving = this.replay.bodies.findIndex((b) => b.kind === "dynamic");
        this.selected = Math.max(0, firstMoving);
        select.value = String(this.selected);
        element<HTMLInputElement>("timeline").max = String(this.duration);
        element("ghost-row").hidden = this.replay.reference === null;
        element("ghost-name").textContent = this.replay.reference?.name ?? "";
        for (const id of ["look", "contacts", "forces"]) {
            element<HTMLInputElement>(id).disabled = stored;
        }
        this.remote.showStatus();
    }

    private warn(text: string): void {
        element("warnings").append(make("p", text));
    }

    private buildScenes(): void {
        const { bodies, planes, meshes, tracks, reference } = this.replay;
        const size = measureBodies(bodies, meshes);
        // few bodies in several tracks: each track has its curves' colour
        const apart = tracks.length > 1 && bodies.filter((b) => b.kind === "dynamic").length <= 2;
        tracks.forEach((track, trackIndex) => {
            const list = bodies.map((b, k) => ({ ...b, centre: track.centres[k]! }));
            this.stage.sceneries.push(new Scenery(list, planes, meshes, size, reference?.body ?? null, this.stage.theme, apart ? trackIndex : 0));
        });
        const labels = element("labels");
        for (const track of tracks) {
            labels.append(make("span", track.label));
        }
        this.turns = isTurning(this.replay);
        const layout = this.query.get("layout");
        this.stage.rows = layout === "rows" || (layout !== "columns" && findReplayWay(this.replay, size) !== null) ? true : layout === "columns" ? false : null;
    }

    home(): void {
        frameCamera(this.replay, this.stores, this.stage, this.query.get("camera"));
        // it looks at the first frame, and goes along from there, whichever is drawn next
        this.stage.follow(null);
        this.follow(0);
        this.dirty = true;
    }

    private makeRemote(): Remote {
        return new Remote(this.replay, this.stores, {
            spheres: (track, spheres) => {
                const list = this.replay.bodies.map((b) => ({ ...b, centre: [0, 0, 0] }));
                this.stage.sceneries[track]!.setSpheres(spheres, this.replay.tracks[track]!.owners, list);
            },
            joints: (track, joints) => {
                element("joints-row").hidden &&= joints.length === 0;
                this.stage.sceneries[track]!.setJoints(joints, this.replay.tracks[track]!.owners, this.replay.bodies.map((b) => ({ ...b, centre: [0, 0, 0] })), this.replay.meshes, this.dark);
                this.joints[track] = joints;
            },
            ready: () => this.applyToggles(),
            begun: () => {
                this.home();
                this.finishStart();
            },
            changed: () => {
                this.dirty = true;
                this.wake();
            },
            failed: (message) => this.fail(message),
        });
    }

    private finishStart(): void {
        this.setReady();
        if (!this.query.has("still") && !isCalm()) {
            this.play();
        }
    }

    private wake(): void {
        const waiting = this.waiting;
        this.waiting = [];
        waiting.forEach((go) => go());
    }

    fail(message: string): void {
        this.failed = message;
        showFailure(message);
        this.setFailed(new Error(message));
        this.wake();
    }

    // --- Time ---

    seek(t: number): void {
        this.time = Math.max(0, Math.min(this.duration, Number.isFinite(t) ? t : 0));
        this.dirty = true;
    }

    play(): void {
        if (this.time >= this.duration - 1e-9) {
            this.time = 0;
        }
        this.playing = true;
        this.lastTick = 0;
        showPlaying(this.playing);
    }

    pause(): void {
        this.playing = false;
        showPlaying(this.playing);
    }

    stepFrames(count: number): void {
        this.pause();
        const store = this.stores[0]!;
        const frame = Math.max(0, Math.min(store.frames - 1, store.frameAt(this.time) + count));
        this.seek(store.times[frame]!);
    }

    // Draws a time once it is there: for pictures.
    async show(t: number): Promise<void> {
        this.pause();
        this.seek(t);
        // a picture with the curves and the tick in it shows them whole
        const whole = !this.query.has("bare");
        const isThere = (s: Store, k: number): boolean => this.remote.isDone(k) || (!whole && (s.times[s.available - 1] ?? -1) >= this.time - 1e-9);
        const there = (): boolean => this.failed !== null || this.stores.every((s, k) => isThere(s, k));
        while (!there()) {
            await new Promise<void>((go) => this.waiting.push(go));
        }
        if (this.failed !== null) {
            throw new Error(this.failed);
        }
        this.pace.stop();
        this.stage.setSharpness(1);
        this.draw();
        while (this.wantsDetails() && !this.replay.stored && !this.remote.hasDetails(this.time)) {
            this.remote.ask(this.time);
            await new Promise<void>((go) => this.waiting.push(go));
        }
        this.draw();
    }

    private tick(now: number): void {
        if (this.playing) {
            const passed = this.lastTick > 0 ? (now - this.lastTick) / 1000 : 0;
            const most = Math.min(...this.stores.map((s, k) => (this.remote.isDone(k) ? this.duration : (s.times[s.available - 1] ?? 0))));
            this.time = Math.min(this.time + passed * this.speed, most);
            if (this.time >= this.duration - 1e-9) {
                if (isOn("loop")) {
                    this.time = 0;
                } else {
                    this.pause();
                }
            }
            this.dirty = true;
        }
        this.lastTick = now;
        if (this.dirty) {
            this.dirty = false;
            this.stage.setSharpness(this.pace.move(now));
            this.draw();
        } else if (this.pace.rest(now)) {
            this.stage.setSharpness(1);
            this.draw();
        }
        requestAnimationFrame((next) => this.tick(next));
    }

    // --- Drawing ---

    private wantsDetails(): boolean {
        return isOn("contacts") || isOn("forces") || !element("numbers").hidden;
    }

    draw(): void {
        const t = this.time;
        this.stores.forEach((store, k) => {
            if (store.available === 0) {
                return;
            }
            const frame = store.frameAt(t);
            const scenery = this.stage.sceneries[k]!;
            scenery.setPoses(store.bodies(frame));
            if (scenery.impostors !== null) {
                scenery.impostors.setPoses(store.engine(frame));
            }
            scenery.joints?.setPoses(store.engine(frame), isOn("joints"));
            const reference = this.replay.reference;
            scenery.setGhost(reference !== null && isOn("ghost") ? readPose(reference.poses, Math.min(frame, this.replay.tracks[0]!.frames - 1)) : null);
            this.drawContacts(k, frame);
            drawTrails(scenery, this.replay, store, isOn("trails") ? frame : -1);
        });
        this.follow(this.stores[0]!.frameAt(t));
        this.stage.render();
        this.showTime();
        this.showNumbers();
    }

    // The camera goes along with the chosen body.
    private follow(frame: number): void {
        const store = this.stores[0]!;
        if (store.available === 0) {
            return;
        }
        const reference = this.replay.reference;
        // of several tracks none is the one to follow, but what they should do is
        const shared = reference !== null && this.stores.length > 1 && reference.body === this.selected;
        const at = new THREE.Vector3(...(shared ? readPose(reference.poses, frame) : Array.from(store.bodies(frame).subarray(7 * this.selected, 7 * this.selected + 3))).slice(0, 3));
        this.stage.follow(this.following && Number.isFinite(at.x) ? at : null);
    }

    private drawContacts(track: number, frame: number): void {
        const points = isOn("contacts");
        const forces = isOn("forces");
        const scenery = this.stage.sceneries[track]!;
        if (this.replay.stored || (!points && !forces)) {
            scenery.setContacts([], 0, false, false);
            return;
        }
        this.remote.ask(this.time);
        const details = this.remote.details[track];
        const near = details !== null && details !== undefined && (this.playing || details.frame === frame);
        const contacts = near ? details.contacts : [];
        const scale = this.forceScale();
        scenery.setContacts(contacts, scale, points, forces);
        const newtons = Number((scenery.size / scale).toPrecision(1));
        element("scale").textContent = forces ? `force arrows: ${newtons} N is ${scenery.size.toPrecision(2)} m long` : "";
    }

    // Metres per newton: the largest force that is shown, rounded up, is as long as the largest body reaches.
    private forceScale(): number {
        const forces = this.remote.details.flatMap((d) => d?.contacts.map((c) => Math.hypot(...c.force)) ?? []);
        return this.stage.sceneries[0]!.size / roundUp(forces.reduce((most, f) => Math.max(most, f), 1e-9));
    }

    private showTime(): void {
        const slider = element<HTMLInputElement>("timeline");
        slider.value = String(this.time);
        slider.setAttribute("aria-valuetext", `${this.time.toFixed(2)} of ${this.duration.toFixed(2)} seconds`);
        const there = Math.min(...this.stores.map((s) => (s.times[Math.max(0, s.available - 1)] ?? 0) / Math.max(1e-9, this.duration)));
        slider.style.setProperty("--there", `${100 * there}%`);
        element("clock").textContent = `${this.time.toFixed(2)} / ${this.duration.toFixed(2)} s`;
        const frames = Math.min(...this.stores.map((s) => s.available));
        const all = this.remote.done;
        if (frames - this.chartFrames > 100 || (all && frames !== this.chartFrames) || this.chartFrames < 0) {
            this.chartFrames = frames;
            this.charts.forEach((c) => c.update(frames));
        }
        this.charts.forEach((c) => c.setTime(this.time));
        element("stamp").textContent = `t = ${this.time.toFixed(2)} s`;
        this.showErrors();
    }

    // Beside the name of each track: how far it is from the reference.
    private showErrors(): void {
        const [name, unit] = this.turns ? ["rotation_error_deg", "deg"] : ["position_error_m", "m"];
        this.stores.forEach((store, k) => {
            const error = this.replay.reference === null || store.available === 0 ? undefined : store.curve(name)?.[store.frameAt(this.time)];
            const text = error !== undefined && Number.isFinite(error) ? `${store.track.label}: ${error.toPrecision(2)} ${unit} off` : store.track.label;
            element("labels").children[k]!.textContent = text;
        });
    }

    private showNumbers(): void {
        const panel = element("numbers");
        if (panel.hidden) {
            return;
        }
        this.remote.ask(this.time);
        panel.replaceChildren(makeNumbers(this.replay, this.stores, this.selected, this.time, this.remote.details, this.joints));
    }

    // --- What the visitor does ---

    applyToggles(): void {
        const look = isOn("look") ? "spheres" : "mesh";
        this.stage.sceneries.forEach((s) => s.setLook(look));
        this.dirty = true;
    }

    // Something is to be drawn anew.
    touch(): void {
        this.dirty = true;
    }

    select(body: number): void {
        this.selected = Math.max(0, Math.min(this.replay.bodies.length - 1, body));
        element<HTMLSelectElement>("body").value = String(this.selected);
        element("numbers").hidden = false;
        this.dirty = true;
    }

    setSpeed(speed: number): void {
        const select = element<HTMLSelectElement>("speed");
        const values = Array.from(select.options, (o) => Number(o.value));
        this.speed = values.reduce((best, v) => (Math.abs(v - speed) < Math.abs(best - speed) ? v : best), values[0] ?? 1);
        select.value = String(this.speed);
    }

    toggle(id: string): void {
        const box = element<HTMLInputElement>(id);
        if (!box.disabled) {
            box.checked = !box.checked;
            this.applyToggles();
        }
    }

    setFollowing(on: boolean): void {
        this.following = on;
        element<HTMLInputElement>("follow").checked = on;
        this.dirty = true;
    }

    cycle(by: number): void {
        const count = this.replay.bodies.length;
        this.select((this.selected + by + count) % count);
        this.setFollowing(true);
    }

    resize(): void {
        const view = element("view");
        this.stage.resize(Math.max(64, view.clientWidth), Math.max(64, view.clientHeight));
        placeLabels(this.stage.paneCorners());
        this.dirty = true;
    }
}
