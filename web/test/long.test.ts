// What takes minutes, or measures, and so is not in `make test`: a minute of a pile of 125 boxes with each solver, and Test 4 with
// a bunny of 2191 spheres, as pages of at most a megabyte whose every hash the browser meets; and what a picture of 100,000
// spheres costs.
//
//     scripts/view.sh      keeps what it measures in bench/results/view.csv
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

for (const [solver, ...more] of [["pbdr"], ["xpbdr", "--sleep"], ["xpbdr"]] as const) {
    test(`60 s of 125 boxes, ${[solver, ...more].join(" ")}`, { timeout: 60 * MINUTES }, async () => {
        const scene = join(folder.path, "pile.json");
        writeFileSync(scene, pileScene(5));
        await check(`60 s of 125 boxes; ${[solver, ...more].join(" ")}`, 60, "contact by", scene, "--solver", solver, ...more, "--duration", "60");
    });
}

for (const solver of ["pbdr", "xpbdr"]) {
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

// 100,000 spheres in so many bodies, a little apart.
function spheresScene(count: number): string {
    const side = Math.ceil(Math.cbrt(count));
    const bodies = Array.from({ length: count }, (_, k) => ({
        name: `box ${k}`,
        shape: "box",
        half_extents_m: [0.05, 0.05, 0.05],
        mass_kg: 1,
        sphere_count: 1e5 / count,
        start: { position_m: [0.13 * (k % side), 0.13 * (Math.floor(k / side) % side), 0.06 + 0.13 * Math.floor(k / side ** 2)] },
    }));
    return JSON.stringify({ schema: "pbdr-scene/2", name: "100,000 spheres", duration_s: 0.3, planes: [{ normal: [0, 0, 1] }], bodies });
}

// Here is no graphics card: pictures are drawn by SwiftShader on the processor. What is ours in a picture, the script and the
// calls that it makes, is measured as it is everywhere; what the card would need is not.
for (const count of [100, 800]) {
    test(`100,000 spheres in ${count} bodies: calls, script and pictures per second`, { timeout: 10 * MINUTES }, async () => {
        const scene = join(folder.path, "spheres.json");
        const path = join(folder.path, "spheres.html");
        writeFileSync(scene, spheresScene(count));
        run("view", scene, "--contact", "spheres", "--spheres-per-side", count === 100 ? "10" : "5", "-o", path);
        for (const [width, height] of [[96, 96], [320, 240], [960, 600]] as const) {
            const page = await browser.newPage({ viewport: { width, height } });
            await page.addInitScript(() => {
                const seen = { calls: 0, vertices: 0, script: [] as number[], pictures: 0 };
                const gl = WebGL2RenderingContext.prototype as unknown as Record<string, (...args: number[]) => void>;
                for (const [name, at] of [["drawElements", 1], ["drawArrays", 2]] as const) {
                    const original = gl[name]!;
                    gl[name] = function (...args: number[]) {
                        seen.calls++;
                        seen.vertices += args[at]!;
                        original.apply(this, args);
                    };
                }
                const ask = window.requestAnimationFrame.bind(window);
                window.requestAnimationFrame = (act) => ask((now) => {
                    const begin = performance.now();
                    act(now);
                    seen.script.push(performance.now() - begin);
                    seen.pictures++;
                });
                (window as unknown as { seen: typeof seen }).seen = seen;
            });
            await page.goto(`file://${path}?bare=1&look=spheres&still=1`);
            await page.waitForFunction(() => window.pbdrReplay !== undefined);
            await verify(page);
            const found = await page.evaluate(async () => {
                document.querySelector<HTMLInputElement>("#loop")!.checked = true;
                window.pbdrReplay!.play();
                const wait = (ms: number): Promise<void> => new Promise((go) => setTimeout(go, ms));
                const seen = (window as unknown as { seen: { calls: number; vertices: number; script: number[]; pictures: number } }).seen;
                await wait(1000);
                const begin = { ...seen, script: seen.script.length };
                const from = performance.now();
                await wait(4000);
                const pictures = seen.pictures - begin.pictures;
                const times = seen.script.slice(begin.script).sort((a, b) => a - b); // the middle one: others may hold the processor
                return { calls: (seen.calls - begin.calls) / pictures, vertices: (seen.vertices - begin.vertices) / pictures, script: times[Math.floor(times.length / 2)]!, rate: (1000 * pictures) / (performance.now() - from) };
            });
            note(`100000 spheres in ${count} bodies; ${width} x ${height} pixels`, [round(found.calls), "draw calls"], [round(found.vertices, 6), "vertices"], [round(found.script, 2), "ms of script a picture"], [round(found.rate, 2), "pictures/s by SwiftShader"]);
            expect(found.vertices).toBeGreaterThanOrEqual(1e5);
            expect(found.script, "a thirtieth of a second").toBeLessThan(33);
            await page.close();
        }
    });
}
