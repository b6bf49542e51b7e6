// The laboratory in a headless Chromium: drift is seen, things can be pulled, dropped in and changed, MuJoCo runs beside.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build, pileScene, scratch } from "./native";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = scratch();
let browser: Browser;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
    browser = await chromium.launch({
        executablePath: process.env["PBDR_CHROMIUM"] ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.on("pageerror", (e) => problems.push(String(e)));
    page.on("request", (r) => /^https?:/.test(r.url()) && problems.push(`asked the network for ${r.url()}`));
    await page.goto(`file://${join(build, "web", "lab.html")}`);
    await page.waitForFunction(() => window.pbdrLab !== undefined || window.pbdrLabError !== undefined, undefined, { timeout: 60_000 });
    expect(await page.evaluate(() => window.pbdrLabError)).toBeUndefined();
});
afterAll(async () => {
    await browser?.close();
    folder.remove();
});

const reach = (t: number): Promise<unknown> => page.waitForFunction((wanted) => window.pbdrLab!.state.time >= wanted || window.pbdrLab!.state.problem !== "", t, { timeout: 100_000 });
const state = () => page.evaluate(() => window.pbdrLab!.state);

test("switching the solver on Test 1 shows PBD's drift against PBD-R's within 10 s of simulated time", async () => {
    await page.selectOption("#solver", "0");
    await reach(8);
    const pbd = await state();
    await page.selectOption("#solver", "1");
    await reach(8);
    const pbdr = await state();
    expect(pbd.error).toBeGreaterThan(10 * pbdr.error);
    expect(pbdr.error).toBeLessThan(0.05);
    expect(pbdr.curves.map((c) => c.label).join("; ")).toMatch(/^PBD \(.*; PBD-R \(.*; MuJoCo/); // the old curve stays
    expect(pbdr.mujocoError).toBeLessThan(0.05);
});

test("all seven tests run at real time or faster, with MuJoCo beside", async () => {
    for (let number = 1; number <= 7; number++) {
        for (const solver of ["1", "2"]) {
            await page.selectOption("#scene", String(number));
            await page.selectOption("#solver", solver);
            await reach(0.4);
            const now = await state();
            expect(now.problem, `test ${number}`).toBe("");
            expect(now.error).toBeLessThan(0.05);
            if (number < 4 || number === 7) { // 64 spheres
                expect(now.rates[0], "substeps per second").toBeGreaterThan(1000);
            }
        }
    }
});

test("27 boxes: one is pulled out by the mouse, a box and a bunny are dropped in, friction changes on the way", async () => {
    await page.selectOption("#scene", "pile");
    await page.selectOption("#solver", "2");
    await reach(0.3);
    const before = await page.evaluate(() => window.pbdrLab!.place(20));
    const at = await page.evaluate(() => window.pbdrLab!.screen(20));
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x - 60, at.y - 90, { steps: 4 });
    await reach((await state()).time + 0.5);
    await page.mouse.up();
    const after = await page.evaluate(() => window.pbdrLab!.place(20));
    const moved = Math.max(...(await page.evaluate(() => Array.from({ length: 27 }, (_, k) => window.pbdrLab!.place(k)))).map((p) => p[2]!));
    expect(Math.max(moved - 0.3, Math.hypot(...after.map((v, k) => v - before[k]!)))).toBeGreaterThan(0.03);
    const rates = (await state()).rates;
    console.log(`27 boxes in this page: XPBD-R ${rates[0]!.toFixed(0)}, MuJoCo ${rates[1]!.toFixed(0)} substeps/s`);
    const begun = await state();
    await page.waitForTimeout(2000);
    const pictures = ((await state()).pictures - begun.pictures) / 2;
    console.log(`${pictures} pictures per second`);
    expect(pictures, "pictures per second, in software").toBeGreaterThan(4);
    expect((await state()).time).toBeGreaterThan(begun.time);
    await page.fill("#mu", "0.1");
    await page.click("#drop-box");
    await page.click("#drop-bunny");
    await reach(0.1);
    const now = await state();
    expect(now.problem).toBe("");
    expect(now.bodies).toBe(29);
});

test("a scene and a mesh of one's own, and a link that holds the settings", async () => {
    const scene = join(folder.path, "own.json");
    writeFileSync(scene, pileScene(2));
    await page.setInputFiles("#file", scene);
    await page.waitForFunction(() => window.pbdrLab!.state.bodies === 8);
    const mesh = join(folder.path, "own.obj");
    writeFileSync(mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    await page.setInputFiles("#file", mesh);
    await page.waitForFunction(() => window.pbdrLab!.state.bodies === 9);
    await reach(0.1);
    expect((await state()).problem).toBe("");
    const broken = join(folder.path, "broken.json");
    writeFileSync(broken, "{");
    await page.setInputFiles("#file", broken);
    await page.waitForFunction(() => window.pbdrLab!.state.problem.includes("broken.json"));
    await page.fill("#iterations", "7");
    expect(await page.evaluate(() => window.pbdrLab!.link())).toContain("iterations=7");
});

test("axe finds no fault, and nothing was thrown", async () => {
    await page.evaluate(axe.replace(/^\/\*!.*?\*\//s, ""));
    const faults = await page.evaluate(async () => {
        const result = await (window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }).axe.run();
        return result.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")}`);
    });
    expect(faults).toEqual([]);
    expect(problems).toEqual([]);
});
