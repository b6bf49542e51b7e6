// The page of a replay: reads what it holds, runs it again in a worker, shows it, and answers scripts (window.pbdrReplay).
import * as THREE from "three";
import { publish, publishFailure } from "./api";
import { Chart, DASHES, type Series } from "./curves";
import { chooseTheme, element, isCalm, isOn, listenKeys, make, makeKey, placeLabels, showPlaying } from "./dom";
import { FormatError, type Replay, readReplay } from "./format";
import { findReplayWay, frameCamera, isFollowed, isTurning } from "./framing";
import { makeNumbers } from "./numbers";
import { unpack } from "./packed";
import type { Details, RerunInput } from "./rerun";
import { measureBodies, PALETTE, Scenery, Stage } from "./stage";
import { readPose, Store } from "./store";
import { drawTrails } from "./trails";
import type { FromWorker, ToWorker } from "./worker";

// Curves in their order, and the least range that is drawn: what is smaller is rounding, and looks like it.
const SHOWN_CURVES: [name: string, title: string, least: number][] = [
    ["position_error_m", "position error [m]", 0],
    ["rotation_error_deg", "rotation error [deg]", 0],
    ["kinetic_J", "kinetic energy [J]", 1e-9],
    ["potential_J", "potential energy [J]", 1e-9],
    ["friction_J", "work of friction [J]", 1e-9],
    ["penetration_m", "deepest penetration [m]", 1e-9],
    ["contacts", "contacts", 1],
];

// The nearest of 1, 2, 5, 10, ... above.
function roundUp(value: number): number {
    const power = 10 ** Math.floor(Math.log10(value));
    return Number((power * (value <= power ? 1 : value <= 2 * power ? 2 : value <= 5 * power ? 5 : 10)).toPrecision(1));
}

class Player {
    readonly stores: Store[];
    readonly stage: Stage;
    readonly ready: Promise<void>;
    private readonly charts: Chart[] = [];
    private readonly query = new URLSearchParams(location.search);
    private readonly dark: boolean;
    private worker: Worker | null = null;
    private readonly checked: { count: number; verified: boolean; done: boolean; wrong: string }[];
    private time = 0;
    private playing = false;
    private speed = 1;
    private lastTick = 0;
    private selected = 0;
    private following = false;
    private details: (Details | null)[];
    private asked: number[];
    private waiting: (() => void)[] = [];
    private failed: string | null = null;
    private dirty = true;
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
        this.checked = replay.tracks.map(() => ({ count: 0, verified: false, done: replay.stored, wrong: "" }));
        this.details = replay.tracks.map(() => null);
        this.asked = replay.tracks.map(() => -1);
        this.stage = new Stage(element<HTMLCanvasElement>("canvas"), this.dark);
        this.describe();
        this.buildScenes();
        this.buildCharts();
        this.listen();
        this.resize();
        if (replay.stored) {
            this.home();
            this.finishStart();
        } else {
            this.startWorker().catch((error: unknown) => this.fail(String((error as Error).message)));
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
        return !this.replay.stored && this.checked.every((c) => c.verified);
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
        this.showStatus();
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

    private home(): void {
        frameCamera(this.replay, this.stores, this.stage, this.query.get("camera"));
        this.dirty = true;
    }

    private buildCharts(): void {
        const panel = element("charts");
        for (const [name, title, least] of SHOWN_CURVES) {
            const series: Series[] = [];
            this.stores.forEach((store, k) => {
                const values = store.curve(name);
                if (values !== null) {
                    series.push({ label: store.track.label, values, colour: PALETTE[k % PALETTE.length]!, dash: DASHES[k % DASHES.length]! });
                }
            });
            if (series.length > 0) {
                this.charts.push(new Chart(panel, title, this.stores[0]!.times, series, (t) => this.seek(t), this.dark, least));
            }
        }
        element("key").append(...this.stores.map((store, k) => makeKey(store.track.label, PALETTE[k]!, k)));
    }

    // --- The worker ---

    private async startWorker(): Promise<void> {
        const modules = await Promise.all(["pbdr-engine-simd", "pbdr-engine-plain"].map((id) => unpack(id)));
        const engines = modules.filter((m) => m !== null);
        const code = await unpack("pbdr-worker");
        if (engines.length === 0 || code === null) {
            throw new Error("this page lacks its engine");
        }
        const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
        this.worker = new Worker(url);
        this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.receive(event.data);
        this.worker.onerror = (event) => this.fail(event.message);
        const tracks: RerunInput[] = this.replay.tracks.map((t) => ({
            recipe: t.recipe!,
            frames: t.frames,
            perFrame: this.replay.perFrame,
            hashEvery: this.replay.hashEvery,
            hashes: t.hashes,
        }));
        this.send({ kind: "start", engines, tracks });
    }

    private send(message: ToWorker): void {
        this.worker?.postMessage(message);
    }

    private receive(message: FromWorker): void {
        switch (message.kind) {
            case "ready":
                message.spheres.forEach((spheres, k) => {
                    const list = this.replay.bodies.map((b) => ({ ...b, centre: [0, 0, 0] }));
                    this.stage.sceneries[k]!.setSpheres(spheres, this.replay.tracks[k]!.owners, list);
                });
                element("engine").textContent = `engine ${message.version}, WebAssembly (${message.build})`;
                this.applyToggles();
                break;
            case "chunk": {
                const store = this.stores[message.track]!;
                const begun = this.stores.every((s) => s.available > 0);
                store.add(message.chunk);
                const state = this.checked[message.track]!;
                state.count = message.checked;
                state.done = message.done;
                state.verified = message.verified;
                if (message.wrong !== null) {
                    const t = (message.wrong.frame * this.replay.frameTime).toFixed(3);
                    state.wrong = `at t = ${t} s this browser has ${message.wrong.hash}, the native run ${message.wrong.wanted}`;
                } else if (message.stopped !== "") {
                    state.wrong = message.stopped;
                }
                if (!begun && this.stores.every((s) => s.available > 0)) {
                    this.home();
                    this.finishStart();
                }
                this.showStatus();
                this.dirty = true;
                this.wake();
                break;
            }
            case "details":
                this.details[message.track] = message.details;
                this.asked[message.track] = -1;
                this.dirty = true;
                this.wake();
                break;
            case "failed":
                this.fail(message.message);
                break;
        }
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

    private showStatus(): void {
        const status = element("status");
        const wrong = this.checked.find((c) => c.wrong !== "");
        const total = this.replay.tracks.reduce((sum, t) => sum + t.hashes.length, 0);
        const count = this.checked.reduce((sum, c) => sum + c.count, 0);
        if (this.replay.stored) {
            status.textContent = "Stored frames; nothing to verify";
            status.dataset["state"] = "stored";
        } else if (wrong !== undefined) {
            status.textContent = `✗ Differs from the native run: ${wrong.wrong}`;
            status.dataset["state"] = "wrong";
        } else if (this.verified) {
            status.textContent = `✓ Verified: ${count === 1 ? "the hash equals that" : `${count} hashes equal those`} of the native run`;
            status.dataset["state"] = "verified";
        } else {
            status.textContent = `Simulating: ${count} of ${total} hashes agree`;
            status.dataset["state"] = "running";
        }
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
        const isThere = (s: Store, k: number): boolean => this.checked[k]!.done || (!whole && (s.times[s.available - 1] ?? -1) >= this.time - 1e-9);
        const there = (): boolean => this.failed !== null || this.stores.every((s, k) => isThere(s, k));
        while (!there()) {
            await new Promise<void>((go) => this.waiting.push(go));
        }
        if (this.failed !== null) {
            throw new Error(this.failed);
        }
        this.draw();
        while (this.wantsDetails() && !this.replay.stored && this.stores.some((s, k) => this.details[k]?.frame !== s.frameAt(this.time))) {
            this.askDetails();
            await new Promise<void>((go) => this.waiting.push(go));
        }
        this.draw();
    }

    private tick(now: number): void {
        if (this.playing) {
            const passed = this.lastTick > 0 ? (now - this.lastTick) / 1000 : 0;
            const most = Math.min(...this.stores.map((s, k) => (this.checked[k]!.done ? this.duration : (s.times[s.available - 1] ?? 0))));
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
            this.draw();
        }
        requestAnimationFrame((next) => this.tick(next));
    }

    // --- Drawing ---

    private wantsDetails(): boolean {
        return isOn("contacts") || isOn("forces") || !element("numbers").hidden;
    }

    private askDetails(): void {
        this.stores.forEach((store, k) => {
            const frame = store.frameAt(this.time);
            if (this.asked[k] === -1 && store.available > 0 && this.details[k]?.frame !== frame) {
                this.asked[k] = frame;
                this.send({ kind: "details", track: k, frame, id: frame });
            }
        });
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
            const reference = this.replay.reference;
            scenery.setGhost(reference !== null && isOn("ghost") ? readPose(reference.poses, Math.min(frame, this.replay.tracks[0]!.frames - 1)) : null);
            this.drawContacts(k, frame);
            drawTrails(scenery, this.replay, store, isOn("trails") ? frame : -1);
        });
        const store = this.stores[0]!;
        if (store.available > 0) {
            const frame = store.frameAt(t);
            const reference = this.replay.reference;
            // of several tracks none is the one to follow, but what they should do is
            const shared = reference !== null && this.stores.length > 1 && reference.body === this.selected;
            const at = new THREE.Vector3(...(shared ? readPose(reference.poses, frame) : Array.from(store.bodies(frame).subarray(7 * this.selected, 7 * this.selected + 3))).slice(0, 3));
            this.stage.follow(this.following && Number.isFinite(at.x) ? at : null);
        }
        this.stage.render();
        this.showTime();
        this.showNumbers();
    }

    private drawContacts(track: number, frame: number): void {
        const points = isOn("contacts");
        const forces = isOn("forces");
        const scenery = this.stage.sceneries[track]!;
        if (this.replay.stored || (!points && !forces)) {
            scenery.setContacts([], 0, false, false);
            return;
        }
        this.askDetails();
        const details = this.details[track];
        const near = details !== null && details !== undefined && (this.playing || details.frame === frame);
        const contacts = near ? details.contacts : [];
        const scale = this.forceScale();
        scenery.setContacts(contacts, scale, points, forces);
        const newtons = Number((scenery.size / scale).toPrecision(1));
        element("scale").textContent = forces ? `force arrows: ${newtons} N is ${scenery.size.toPrecision(2)} m long` : "";
    }

    // Metres per newton: the largest force that is shown, rounded up, is as long as the largest body reaches.
    private forceScale(): number {
        const forces = this.details.flatMap((d) => d?.contacts.map((c) => Math.hypot(...c.force)) ?? []);
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
        const all = this.checked.every((c) => c.done);
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
        this.askDetails();
        panel.replaceChildren(makeNumbers(this.replay, this.stores, this.selected, this.time, this.details));
    }

    // --- What the visitor does ---

    private applyToggles(): void {
        const look = isOn("look") ? "spheres" : "mesh";
        this.stage.sceneries.forEach((s) => s.setLook(look));
        this.dirty = true;
    }

    select(body: number): void {
        this.selected = Math.max(0, Math.min(this.replay.bodies.length - 1, body));
        element<HTMLSelectElement>("body").value = String(this.selected);
        element("numbers").hidden = false;
        this.dirty = true;
    }

    private setSpeed(speed: number): void {
        const select = element<HTMLSelectElement>("speed");
        const values = Array.from(select.options, (o) => Number(o.value));
        this.speed = values.reduce((best, v) => (Math.abs(v - speed) < Math.abs(best - speed) ? v : best), values[0] ?? 1);
        select.value = String(this.speed);
    }

    private toggle(id: string): void {
        const box = element<HTMLInputElement>(id);
        if (!box.disabled) {
            box.checked = !box.checked;
            this.applyToggles();
        }
    }

    private setFollowing(on: boolean): void {
        this.following = on;
        element<HTMLInputElement>("follow").checked = on;
        this.dirty = true;
    }

    private listen(): void {
        element("play").addEventListener("click", () => (this.playing ? this.pause() : this.play()));
        element("back").addEventListener("click", () => this.stepFrames(-1));
        element("forward").addEventListener("click", () => this.stepFrames(1));
        element("start").addEventListener("click", () => this.seek(0));
        element<HTMLInputElement>("timeline").addEventListener("input", (e) => this.seek(Number((e.target as HTMLInputElement).value)));
        element<HTMLSelectElement>("speed").addEventListener("change", (e) => this.setSpeed(Number((e.target as HTMLSelectElement).value)));
        element<HTMLSelectElement>("body").addEventListener("change", (e) => this.select(Number((e.target as HTMLSelectElement).value)));
        element<HTMLInputElement>("follow").addEventListener("change", (e) => this.setFollowing((e.target as HTMLInputElement).checked));
        element("home").addEventListener("click", () => this.home());
        for (const id of ["look", "ghost", "contacts", "forces", "trails"]) {
            const box = element<HTMLInputElement>(id);
            if (this.query.has(id) && !box.disabled) {
                box.checked = this.query.get(id) !== "0";
            }
            box.addEventListener("change", () => this.applyToggles());
        }
        this.setSpeed(Number(this.query.get("speed") ?? "1"));
        this.setFollowing(this.query.has("follow") ? this.query.get("follow") !== "0" : isFollowed(this.replay));
        this.stage.controls.addEventListener("change", () => (this.dirty = true));
        const canvas = this.stage.canvas;
        let down: { x: number; y: number } | null = null;
        canvas.addEventListener("pointerdown", (e) => (down = { x: e.clientX, y: e.clientY }));
        canvas.addEventListener("pointerup", (e) => {
            if (down !== null && Math.hypot(e.clientX - down.x, e.clientY - down.y) < 5) {
                const hit = this.stage.pick(e.clientX, e.clientY);
                if (hit !== null) {
                    this.select(hit.body);
                }
            }
            down = null;
        });
        this.listenKeys();
        new ResizeObserver(() => this.resize()).observe(element("view"));
    }

    // As in MuJoCo's viewer, where it has the key.
    private listenKeys(): void {
        listenKeys({
            " ": () => (this.playing ? this.pause() : this.play()),
            ArrowRight: () => this.stepFrames(1),
            ArrowLeft: () => this.stepFrames(-1),
            Backspace: () => this.seek(0),
            Home: () => this.seek(0),
            End: () => this.seek(this.duration),
            "-": () => this.setSpeed(this.speed / 2),
            "=": () => this.setSpeed(this.speed * 2),
            "+": () => this.setSpeed(this.speed * 2),
            "[": () => this.cycle(-1),
            "]": () => this.cycle(1),
            Escape: () => this.setFollowing(false),
            c: () => this.toggle("contacts"),
            f: () => this.toggle("forces"),
            g: () => this.toggle("ghost"),
            r: () => this.toggle("trails"),
            s: () => this.toggle("look"),
        });
    }

    private cycle(by: number): void {
        const count = this.replay.bodies.length;
        this.select((this.selected + by + count) % count);
        this.setFollowing(true);
    }

    private resize(): void {
        const view = element("view");
        this.stage.resize(Math.max(64, view.clientWidth), Math.max(64, view.clientHeight));
        placeLabels(this.stage.paneCorners());
        this.dirty = true;
    }
}

function showFailure(message: string): void {
    const box = document.getElementById("failure");
    if (box !== null) {
        box.textContent = `This replay cannot be shown: ${message}.`;
        box.hidden = false;
    }
}

export function start(): void {
    try {
        const data = document.getElementById("pbdr-data");
        if (data === null) {
            throw new FormatError("the page holds no data: it is a template, which `pbdr view` fills");
        }
        publish(new Player(readReplay(data.textContent ?? "")));
    } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        showFailure(message);
        publishFailure(message);
    }
}

start();
