// The worker of a replay: runs all tracks again, a piece at a time, so that questions are answered in between.
import { Engine, type Joint } from "./engine";
import { type Chunk, type Details, Rerun, type RerunInput } from "./rerun";

export type ToWorker =
    | { kind: "start"; engines: Uint8Array<ArrayBuffer>[]; tracks: RerunInput[] }
    | { kind: "details"; track: number; frame: number; id: number };

export type FromWorker =
    | { kind: "ready"; build: string; version: string; spheres: Float64Array[][]; joints: Joint[][] }
    | { kind: "chunk"; track: number; chunk: Chunk; checked: number; wrong: Rerun["wrong"]; done: boolean; verified: boolean; stopped: string; rate: number }
    | { kind: "details"; track: number; id: number; details: Details }
    | { kind: "failed"; message: string };

const PIECE = 40; // [ms]

const scope = self as unknown as { postMessage(message: FromWorker, transfer?: Transferable[]): void; onmessage: ((event: MessageEvent<ToWorker>) => void) | null };
let reruns: Rerun[] = [];
let pieces: (() => void) | null = null;

// The first engine that this browser takes: vectors first, then plain.
async function loadEngine(modules: Uint8Array<ArrayBuffer>[]): Promise<{ engine: Engine; build: string }> {
    const names = ["SIMD", "plain"];
    for (let k = 0; k < modules.length; k++) {
        if (WebAssembly.validate(modules[k]!)) {
            return { engine: await Engine.load(modules[k]!), build: names[k] ?? "" };
        }
    }
    throw new Error("this browser takes no WebAssembly of ours");
}

function runPiece(): void {
    let open = false;
    reruns.forEach((rerun, track) => {
        if (rerun.done) {
            return;
        }
        const begin = performance.now();
        const chunk = rerun.advance(PIECE / reruns.length);
        const rate = chunk.count / Math.max(1e-6, performance.now() - begin); // frames per millisecond
        scope.postMessage(
            { kind: "chunk", track, chunk, checked: rerun.checked, wrong: rerun.wrong, done: rerun.done, verified: rerun.verified, stopped: rerun.stopped, rate },
            [chunk.poses.buffer, chunk.ledger.buffer],
        );
        open ||= !rerun.done;
    });
    if (open) {
        pieces?.();
    }
}

async function start(message: Extract<ToWorker, { kind: "start" }>): Promise<void> {
    const { engine, build } = await loadEngine(message.engines);
    reruns = message.tracks.map((track) => new Rerun(engine, track));
    scope.postMessage({ kind: "ready", build, version: engine.version(), spheres: reruns.map((r) => r.spheres()), joints: reruns.map((r) => r.world.joints()) });
    const channel = new MessageChannel(); // comes back after the messages that wait, without a timer's 4 ms
    channel.port1.onmessage = runPiece;
    pieces = () => channel.port2.postMessage(null);
    pieces();
}

scope.onmessage = (event) => {
    const message = event.data;
    if (message.kind === "start") {
        start(message).catch((error: unknown) => scope.postMessage({ kind: "failed", message: String((error as Error).message ?? error) }));
    } else {
        const rerun = reruns[message.track];
        if (rerun !== undefined && rerun.frame >= 0) {
            scope.postMessage({ kind: "details", track: message.track, id: message.id, details: rerun.details(message.frame) });
        }
    }
};
