// What takes minutes, and so is not in `make test`: a minute of a pile of 125 boxes with each solver, and Test 4 with a bunny of
// 2191 spheres, as pages of at most a megabyte whose every hash the browser meets.
//
//     cd web && npx vitest run test/long.test.ts
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, verify, watch } from "./chromium";
import { pileScene, run, scratch } from "./native";

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
    console.log(`${name}: ${(size / 1000).toFixed(0)} kB; ${await page.textContent("#status")}; native ${((begin - native) / 1000).toFixed(0)} s, browser ${((performance.now() - begin) / 1000).toFixed(0)} s`);
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
        await check(`125 boxes, ${[solver, ...more].join(" ")}`, 60, "contact by", scene, "--solver", solver, ...more, "--duration", "60");
    });
}

for (const solver of ["pbdr", "xpbdr"]) {
    test(`Test 4 with 2191 spheres, ${solver}`, { timeout: 20 * MINUTES }, async () => {
        await check(`Test 4, ${solver}`, 10, "2191 spheres", "--test", "4", "--solver", solver);
    });
}
