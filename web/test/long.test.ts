// What takes minutes, or measures, and so is not in `make test`: a minute of a pile of 125 boxes with each solver, and Test 4 with
// a bunny of 2191 spheres, as pages of at most a megabyte whose every hash the browser meets; and what a picture of 100,000
// spheres costs.
//
//     scripts/view.sh      keeps what it measures in bench/results/view.csv
import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, verify, watch } from "./chromium";
import { note, pileScene, round, run, scratch } from "./native";

const MEGABYTE = 1e6;
const MINUTES = 60_000;
const folder = scratch();
let browser: Browser;

beforeAll(async () => {
    browser = await launch();
});
afterAll(async () => {
    await browser?.close();
    folder.remove();
});

async function check(name: string, hashes: number, settings: string, ...args: string[]): Promise<void> {
    const path = join(folder.path, "page.html");
    const native = performance.now();
    run("view", ...args, "-o", path);
    const begin = performance.now();
    const page = await browser.newPage({ viewport: { width: 600, height: 500 } });
    const problems = watch(page);
    await page.goto(`file://${path}?still=1`);
    await page.waitForFunction(() => window.pbdrReplay !== undefined);
    await verify(page, 40 * MINUTES);
    const size = statSync(path).size;
    const seconds = (ms: number): number => Math.round(ms / 1000);
    note(name, [Math.round(size / 1000), "kB"], [hashes, "hashes met"], [seconds(begin - native), "s natively"], [seconds(performance.now() - begin), "s in the browser"]);
    expect(size).toBeLessThanOrEqual(MEGABYTE);
    expect(await page.textContent("#status")).toContain(`${hashes} hashes equal`);
    expect(problems).toEqual([]);
    expect(await page.textContent("#notes")).toContain(settings);
    await page.close();
}

for (const [solver, ...more] of [["pbd-r"], ["xpbdr", "--sleep"], ["xpbdr"]] as const) {
    test(`60 s of 125 boxes, ${[solver, ...more].join(" ")}`, { timeout: 60 * MINUTES }, async () => {
        const scene = join(folder.path, "pile.json");
        writeFileSync(scene, pileScene(5));
        await check(`60 s of 125 boxes; ${[solver, ...more].join(" ")}`, 60, "contact by", scene, "--solver", solver, ...more, "--duration", "60");
    });
}

for (const solver of ["pbd-r", "xpbdr"]) {
    test(`Test 4 with 2191 spheres, ${solver}`, { timeout: 20 * MINUTES }, async () => {
        await check(`Test 4 with 2191 spheres; ${solver}`, 10, "2191 spheres", "--test", "4", "--solver", solver);
    });
}

test("tests 8 to 37 open, run again and are verified", { timeout: 20 * MINUTES }, async () => {
    for (let number = 8; number <= 37; number++) {
        const path = join(folder.path, "page.html");
        run("view", "--test", String(number), "--duration", "0.1", "-o", path);
        const page = await browser.newPage({ viewport: { width: 500, height: 400 } });
        const problems = watch(page);
        await page.goto(`file://${path}?still=1`);
        await page.waitForFunction(() => window.pbdrReplay !== undefined);
        await verify(page);
        expect(problems, `test ${number}`).toEqual([]);
        await page.close();
    }
});

interface Frames { renderer: string; pixels: [number, number]; calls: number; vertices: number; script: number; rate: number }

const frames = (...args: string[]): string => execFileSync(process.execPath, [join(import.meta.dirname, "..", "frames.mjs"), ...args], { encoding: "utf8" });
const measureFrames = (path: string, width: number, height: number): Frames => JSON.parse(frames(path, `${width}x${height}`)) as Frames;


// Without a graphics card pictures are drawn by SwiftShader on the processor. What is ours in a picture, the script and the
// calls that it makes, is measured as it is everywhere.
for (const count of [100, 800]) {
    test(`100,000 spheres in ${count} bodies: calls, script and pictures per second`, { timeout: 10 * MINUTES }, async () => {
        const scene = join(folder.path, "spheres.json");
        const path = join(folder.path, "spheres.html");
        writeFileSync(scene, frames("--scene", `${count}`));
        run("view", scene, "--contact", "spheres", "--spheres-per-side", count === 100 ? "10" : "5", "-o", path);
        for (const [width, height] of [[400, 300], [960, 600], [1280, 800]] as const) {
            const found = measureFrames(path, width, height);
            note(`100000 spheres in ${count} bodies; ${width} x ${height} pixels`, [round(found.calls), "draw calls"], [round(found.vertices, 6), "vertices"], [round(found.script, 2), "ms of script a picture"], [round(found.rate, 2), "pictures/s by SwiftShader"]);
            expect(found.vertices).toBeGreaterThanOrEqual(1e5);
            expect(found.script, "a thirtieth of a second").toBeLessThan(33);
        }
    });
}
