// WebAssembly and native: the same bits. Each page's recipe is run again in Node, by both engines, and must meet the hashes
// of the native run: 1000 substeps of tests 1 to 7 and of a pile of 27 boxes.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Engine, World } from "../src/engine";
import type { Replay } from "../src/format";
import { Rerun } from "../src/rerun";
import { build, pileScene, readPage, run, scratch } from "./native";

const engines = new Map<string, Engine>();
const folder = scratch();
let expected = 0; // runs that must be compared
let compared = 0;

beforeAll(async () => {
    for (const kind of ["simd", "plain"]) {
        engines.set(kind, await Engine.load(readFileSync(join(build, `wasm-${kind}`, "replay.wasm"))));
    }
});
afterAll(() => {
    folder.remove();
});

// Runs every track of a page again, by both engines.
function compare(replay: Replay): void {
    for (const [kind, engine] of engines) {
        for (const track of replay.tracks) {
            expect(track.hashes.length, "hashes of the native run").toBeGreaterThan(0);
            const rerun = new Rerun(engine, { recipe: track.recipe!, frames: track.frames, perFrame: replay.perFrame, hashEvery: replay.hashEvery, hashes: track.hashes });
            while (!rerun.done) {
                rerun.advance(1000);
            }
            expect(rerun.wrong, `${replay.title}, ${track.label}, ${kind}`).toBeNull();
            expect(rerun.verified).toBe(true);
            rerun.world.destroy();
            compared++;
        }
    }
}

function view(name: string, ...args: string[]): Replay {
    const page = join(folder.path, `${name}.html`);
    run("view", ...args, "-o", page);
    return readPage(page);
}

// The plain engine is built for size, and bunnies of 2191 spheres take it a while on a machine that others load.
describe("the same bits as the native run over 1000 substeps", { timeout: 600_000 }, () => {
    for (let number = 1; number <= 7; number++) {
        test(`test ${number}: pbd and pbd-r in f32 and f64, xpbdr by surfaces and by spheres`, () => {
            expected += 2 * (2 + 2 + 2);
            for (const precision of ["f32", "f64"]) {
                compare(view(`t${number}${precision}`, "--test", String(number), "--solver", "pbd,pbd-r", "--precision", precision, "--duration", "1"));
            }
            compare(view(`t${number}x`, "--test", String(number), "--solver", "xpbdr,xpbdr:spheres", "--duration", "1"));
        });
    }

    test("a pile of 27 boxes: pbd and pbd-r in f32 and f64, xpbdr with each effort, asleep and not", () => {
        expected += 2 * (2 + 2 + 1 + 2);
        const scene = join(folder.path, "pile.json");
        writeFileSync(scene, pileScene(3));
        for (const precision of ["f32", "f64"]) {
            compare(view(`pile${precision}`, scene, "--solver", "pbd,pbd-r", "--precision", precision, "--duration", "1"));
        }
        compare(view("pilex", scene, "--solver", "xpbdr", "--duration", "1"));
        for (const effort of ["fast", "exact"]) {
            compare(view(`pile${effort}`, scene, "--solver", "xpbdr", "--effort", effort, "--sleep", "--duration", "1"));
        }
    });

    test("none was left out", () => {
        expect(compared).toBe(expected);
    });
});

describe("a world out of a recipe", () => {
    test("goes on from a state bit for bit, and has contacts and spheres", () => {
        const replay = view("state", "--test", "1", "--duration", "0.5");
        const engine = engines.get("simd")!;
        const world = World.fromRecipe(engine, replay.tracks[0]!.recipe!);
        world.step(100);
        const state = world.state();
        world.step(200);
        const hash = world.hash();
        world.setState(state);
        expect(world.hash()).not.toBe(hash);
        world.step(200);
        expect(world.hash()).toBe(hash);
        const weight = world.contacts().reduce((sum, c) => sum + c.force[2], 0);
        expect(weight).toBeCloseTo(4 * 9.81, 6); // of the box of 4 kg, which stands still vertically
        expect(world.spheres(0).length).toBe(4 * 64);
        world.destroy();
    });

    test("damaged numbers are refused with a reason", () => {
        const engine = engines.get("plain")!;
        const good = new Float64Array(view("damaged", "--test", "1", "--duration", "0.1").tracks[0]!.recipe!.slice().buffer);
        const refuse = (change: (numbers: Float64Array) => Float64Array): string => {
            const bytes = new Uint8Array(change(good.slice()).slice().buffer);
            try {
                World.fromRecipe(engine, bytes).destroy();
            } catch (error) {
                return (error as Error).message;
            }
            return "taken";
        };
        expect(refuse((n) => n)).toBe("taken");
        expect(refuse((n) => n.subarray(0, 0))).toContain("empty");
        expect(refuse((n) => n.subarray(0, n.length - 3))).toContain("ends after");
        expect(refuse((n) => n.with(0, 7))).toContain("version");
        expect(refuse((n) => n.with(1, 4))).toContain("world comes first");
        expect(refuse((n) => n.with(9, NaN))).not.toBe("taken");
        for (let k = 0; k < good.length; k += 7) { // nothing of it may bring the engine down
            refuse((n) => n.with(k, 1e300));
            refuse((n) => n.with(k, -1));
        }
    });
});
