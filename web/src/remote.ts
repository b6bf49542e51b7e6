// The run in its worker, seen from the page: what has come of it, which hashes were met, and contacts of a frame on demand.
import { element } from "./dom";
import type { Joint } from "./engine";
import type { Replay } from "./format";
import { unpack } from "./packed";
import type { Details, RerunInput } from "./rerun";
import type { Store } from "./store";
import type { FromWorker, ToWorker } from "./worker";

interface Checked {
    count: number; // hashes that agree
    verified: boolean;
    done: boolean;
    wrong: string; // "": nothing
}

export interface RemoteEvents {
    spheres(track: number, spheres: Float64Array[]): void;
    joints(track: number, joints: Joint[]): void;
    ready(): void; // after the spheres of all tracks
    begun(): void; // every track has its first frames
    changed(): void; // frames, hashes or details have come
    failed(message: string): void;
}

export class Remote {
    readonly details: (Details | null)[];
    private readonly asked: number[]; // frame of each track whose details are on their way, or -1
    private readonly checked: Checked[];
    private worker: Worker | null = null;

    constructor(private readonly replay: Replay, private readonly stores: Store[], private readonly events: RemoteEvents) {
        this.details = replay.tracks.map(() => null);
        this.asked = replay.tracks.map(() => -1);
        this.checked = replay.tracks.map(() => ({ count: 0, verified: false, done: replay.stored, wrong: "" }));
    }

    get verified(): boolean {
        return !this.replay.stored && this.checked.every((c) => c.verified);
    }

    get done(): boolean {
        return this.checked.every((c) => c.done);
    }

    isDone(track: number): boolean {
        return this.checked[track]!.done;
    }

    async start(): Promise<void> {
        const modules = await Promise.all(["pbdr-engine-simd", "pbdr-engine-plain"].map((id) => unpack(id)));
        const engines = modules.filter((m) => m !== null);
        const code = await unpack("pbdr-worker");
        if (engines.length === 0 || code === null) {
            throw new Error("this page lacks its engine");
        }
        const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
        this.worker = new Worker(url);
        this.worker.onmessage = (event: MessageEvent<FromWorker>) => this.receive(event.data);
        this.worker.onerror = (event) => this.events.failed(event.message);
        const tracks: RerunInput[] = this.replay.tracks.map((t) => ({
            recipe: t.recipe!,
            frames: t.frames,
            perFrame: this.replay.perFrame,
            hashEvery: this.replay.hashEvery,
            hashes: t.hashes,
        }));
        this.send({ kind: "start", engines, tracks });
    }

    // Contacts and numbers at a time; they come with `changed`.
    ask(time: number): void {
        this.stores.forEach((store, k) => {
            const frame = store.frameAt(time);
            if (this.asked[k] === -1 && store.available > 0 && this.details[k]?.frame !== frame) {
                this.asked[k] = frame;
                this.send({ kind: "details", track: k, frame, id: frame });
            }
        });
    }

    hasDetails(time: number): boolean {
        return this.stores.every((s, k) => this.details[k]?.frame === s.frameAt(time));
    }

    private send(message: ToWorker): void {
        this.worker?.postMessage(message);
    }

    private receive(message: FromWorker): void {
        switch (message.kind) {
            case "ready":
                message.spheres.forEach((spheres, k) => this.events.spheres(k, spheres));
                message.joints.forEach((joints, k) => this.events.joints(k, joints));
                element("engine").textContent = `engine ${message.version}, WebAssembly (${message.build})`;
                this.events.ready();
                break;
            case "chunk":
                this.take(message);
                break;
            case "details":
                this.details[message.track] = message.details;
                this.asked[message.track] = -1;
                this.events.changed();
                break;
            case "failed":
                this.events.failed(message.message);
                break;
        }
    }

    private take(message: FromWorker & { kind: "chunk" }): void {
        const begun = this.stores.every((s) => s.available > 0);
        this.stores[message.track]!.add(message.chunk);
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
            this.events.begun();
        }
        this.showStatus();
        this.events.changed();
    }

    showStatus(): void {
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
}
