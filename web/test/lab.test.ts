// The laboratory in a headless Chromium: drift is seen, things can be pulled, dropped in and changed, MuJoCo runs beside.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { findFaults, isTooWide, launch, watch } from "./chromium";
import { build, note, pileScene, root, round, run, scratch } from "./native";

const folder = scratch();
let browser: Browser;
let page: Page;
let problems: string[] = [];

async function openLab(options: BrowserContextOptions, settings = ""): Promise<{ page: Page; problems: string[] }> {
    const opened = await browser.newPage(options);
    const found = watch(opened);
    await opened.goto(`file://${join(build, "web", "lab.html")}#${settings}`);
    await opened.waitForFunction(() => window.pbdrLab !== undefined || window.pbdrLabError !== undefined, undefined, { timeout: 60_000 });
    expect(await opened.evaluate(() => window.pbdrLabError)).toBeUndefined();
    return { page: opened, problems: found };
}

beforeAll(async () => {
    browser = await launch();
    ({ page, problems } = await openLab({ viewport: { width: 1280, height: 800 } }));
});
afterAll(async () => {
    await browser?.close();
    folder.remove();
});
afterEach(() => expect(problems).toEqual([]));

const state = () => page.evaluate(() => window.pbdrLab!.state);
const skip = (seconds: number): Promise<void> => page.evaluate((s) => window.pbdrLab!.skip(s), seconds);

function file(name: string, text: string): string {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
}

test("it opens with XPBD-R, which touches by surfaces", async () => {
    expect(await page.inputValue("#solver")).toBe("2");
    expect(await page.isChecked("#spheres")).toBe(false);
    await skip(1);
    expect((await state()).error).toBeLessThan(1e-9);
});

test("switching the solver on Test 1 shows PBD's drift against PBD-R's within 10 s of simulated time", async () => {
    await page.selectOption("#solver", "0");
    await skip(8);
    const pbd = await state();
    await page.selectOption("#solver", "1");
    await skip(8);
    const pbdr = await state();
    expect(pbd.error).toBeGreaterThan(10 * pbdr.error);
    expect(pbdr.error).toBeLessThan(0.05);
    expect(pbdr.curves.map((c) => c.label).join("; ")).toMatch(/PBD \(.*; PBD-R \(.*; MuJoCo/); // the old curve stays
    expect(pbdr.mujocoError).toBeLessThan(0.05);
    note("laboratory; Test 1 after 8 s", [round(pbd.error), "m off with PBD"], [round(pbdr.error), "m with PBD-R"], [round(pbdr.mujocoError), "m with MuJoCo"]);
});

test("an ablation is felt, and so is the force", async () => {
    await page.click("#restart");
    await skip(2);
    const whole = await state();
    await page.check("#ablate-linear");
    await skip(2);
    expect((await state()).error).toBeGreaterThan(2 * whole.error);
    await page.uncheck("#ablate-linear");
    await page.fill("#force", "25");
    await page.press("#force", "Enter");
    await skip(1);
    const place = await page.evaluate(() => window.pbdrLab!.place(0));
    expect(place[0]).toBeCloseTo(0.5 * (25 / 4 - 0.4 * 9.81), 1);
    await page.fill("#force", "");
    await page.press("#force", "Enter");
    await page.fill("#dt", "0.003"); // three make 9 ms: the clock and the reference go by what was simulated
    await page.press("#dt", "Enter");
    await skip(1);
    expect((await state()).time).toBeCloseTo(0.999, 9);
    expect((await state()).error).toBeLessThan(0.02);
    await page.fill("#dt", "0.001");
    await page.press("#dt", "Enter");
});

test("all seven tests run at real time or faster, with MuJoCo beside", async () => {
    const rates: [string, number, number][] = []; // of which engine, substeps per second, test
    for (let number = 1; number <= 7; number++) {
        for (const solver of ["1", "2"]) {
            await page.selectOption("#scene", String(number));
            await page.selectOption("#solver", solver);
            const wanted = number < 4 || number === 7 ? 1000 : 0; // substeps per second, of 64 spheres
            await skip(0.15);
            let now = await state();
            expect(now.problem, `test ${number}`).toBe("");
            expect(now.mujoco).toBe(true);
            expect(now.error).toBeLessThan(0.05);
            // the first milliseconds are those of a browser that still compiles; a stretch of 2 ms may be thousands of substeps
            await skip(wanted > 0 ? 10 : 1);
            now = await state();
            for (let tries = 0; tries < 10 && !(now.rates[0]! > wanted); tries++) { // others may hold the processor
                await skip(0.15);
                now = await state();
            }
            rates.push([now.label, now.rates[0]!, number], ...(solver === "2" ? [["MuJoCo", now.rates[1]!, number] as [string, number, number]] : []));
            expect(now.rates[0], "substeps per second").toBeGreaterThan(wanted);
        }
    }
    for (const engine of ["PBD-R", "XPBD-R", "MuJoCo"]) {
        note(`laboratory; substeps per second; ${engine}`, ...rates.filter((r) => r[0] === engine).map((r): [number, string] => [round(r[1]), `in Test ${r[2]}`]));
    }
});

test("every example scene runs in both engines", async () => {
    const names = await page.evaluate(() => Array.from(document.querySelectorAll<HTMLOptionElement>("#scene option"), (o) => o.value).filter((v) => Number.isNaN(Number(v))));
    const jointed = ["bricard", "cradle", "four_bar", "gripper", "gyroscope", "pendulums", "press"];
    expect(names).toEqual(["pile", "ball", "arch", "box_on_slope", "brick_wall", "card_house", "dominoes", "tower", ...jointed]);
    for (const name of names) {
        await page.selectOption("#scene", name);
        await skip(0.05);
        const now = await state();
        expect(now.problem, name).toBe("");
        expect(now.mujoco, name).toBe(!jointed.includes(name));
        expect(now.bodies, name).toBeGreaterThan(0);
    }
});

test("scenes with joints: a gripper holds a mug, and goes on when a box is dropped in; other solvers say what they lack", async () => {
    await page.selectOption("#solver", "1");
    await page.selectOption("#scene", "gripper"); // chooses XPBD-R
    expect(await page.inputValue("#solver")).toBe("2");
    expect(await page.textContent("#engine")).toContain("MuJoCo does not run beside it: joints");
    await skip(1);
    const before = await page.evaluate(() => window.pbdrLab!.place(0));
    await page.click("#drop-box"); // the worlds are made anew from where all is
    await skip(0.3);
    const now = await state();
    expect([now.problem, now.bodies]).toEqual(["", 5]);
    const after = await page.evaluate(() => window.pbdrLab!.place(0));
    expect(Math.hypot(...after.map((v, k) => v - before[k]!)), "of the mug, which is held").toBeLessThan(0.05);
    await page.selectOption("#solver", "1");
    expect((await state()).problem).toContain("only worlds of XPBD-R have joints");
    await page.selectOption("#solver", "2");
    await page.setInputFiles("#file", file("joint.json", JSON.stringify({ bodies: [{ name: "a", shape: "ball", radius_m: 0.1, mass_kg: 1 }], joints: [{ kind: "ball", bodies: [null, "<b>"] }] })));
    await page.waitForFunction(() => window.pbdrLab!.state.problem.includes("there is no body '<b>'"));
});

test("a scene comes with its friction, which the link and what the visitor changes keep", async () => {
    await page.selectOption("#scene", "dominoes");
    const own = await page.inputValue("#mu");
    await page.fill("#mu", "0.77");
    await page.fill("#n", "3");
    await page.press("#n", "Enter"); // makes it anew
    expect(await page.inputValue("#mu")).toBe("0.77");
    const link = (await page.evaluate(() => window.pbdrLab!.link())).split("#")[1]!;
    const other = await openLab({}, link);
    expect([await other.page.inputValue("#scene"), await other.page.inputValue("#mu")]).toEqual(["dominoes", "0.77"]);
    await other.page.close();
    await page.selectOption("#scene", "tower");
    await page.selectOption("#scene", "dominoes");
    expect(await page.inputValue("#mu")).toBe(own);
});

test("27 boxes: one is pulled out by the mouse, in the picture all the while", async () => {
    await page.selectOption("#scene", "pile");
    await page.selectOption("#solver", "2");
    await skip(0.2);
    const before = await page.evaluate(() => Array.from({ length: 27 }, (_, k) => window.pbdrLab!.place(k)));
    const at = await page.evaluate(() => window.pbdrLab!.screen(20));
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x - 60, at.y - 90, { steps: 4 });
    await skip(0.4);
    const held = await page.evaluate(() => Array.from({ length: 27 }, (_, k) => window.pbdrLab!.place(k)));
    await page.keyboard.press("Space"); // plays on, the box still held
    const begun = { ...(await state()), clock: performance.now() };
    await page.waitForTimeout(1500);
    await page.waitForFunction((t) => window.pbdrLab!.state.time > t, begun.time); // others may hold the processor for a while
    const now = await state();
    const passed = (performance.now() - begun.clock) / 1000;
    await page.mouse.up();
    // whichever box was in front was taken
    expect(Math.max(...held.map((p, k) => Math.hypot(...p.map((v, i) => v - before[k]![i]!))))).toBeGreaterThan(0.05);
    const pictures = (now.pictures - begun.pictures) / passed;
    note("laboratory; 27 boxes; one is pulled", [round(now.rates[0]!), "substeps/s of XPBD-R"], [round(now.rates[1]!), "of MuJoCo"], [round(pictures, 2), "pictures/s by SwiftShader"]);
    expect(now.time).toBeGreaterThan(begun.time);
    expect(pictures, "pictures per second, in software, on a machine that others may load").toBeGreaterThan(1);
});

test("a box and a bunny are dropped in, and friction changes on the way", async () => {
    await skip(0); // paused, so that nothing falls while the page is clicked
    await page.fill("#mu", "0.1");
    await page.click("#drop-box");
    await page.click("#drop-bunny");
    await skip(0.05);
    const now = await state();
    expect(now.problem).toBe("");
    expect(now.bodies).toBe(29);
    // the bunny is drawn where it is: its mesh about its centre of mass, which falls freely as the box does
    const [box, bunny] = await page.evaluate(() => [window.pbdrLab!.place(27), window.pbdrLab!.place(28)]);
    await skip(0.05);
    const later = await page.evaluate(() => window.pbdrLab!.place(28));
    expect(later[2]).toBeLessThan(bunny![2]!);
    expect(box![2]).toBeGreaterThan(0.3);
});

test("friction that changes while it runs: a pushed box comes to rest in both engines", async () => {
    await page.selectOption("#scene", "1");
    await page.selectOption("#solver", "2");
    await page.fill("#mu", "0.4");
    await page.press("#mu", "Enter");
    await page.click("#restart");
    await skip(1);
    await page.fill("#mu", "2");
    await skip(1);
    const [first, other] = [await page.evaluate(() => window.pbdrLab!.place(0)), await state()];
    await skip(0.5);
    const second = await page.evaluate(() => window.pbdrLab!.place(0));
    expect(Math.abs(second[0]! - first[0]!)).toBeLessThan(1e-6);
    expect((await state()).time).toBeCloseTo(other.time + 0.5, 6);
    await page.fill("#mu", "0.4");
});

test("scenes and meshes of one's own: our JSON, what pbdr export writes, MJCF, OBJ; damaged ones are refused with a reason", async () => {
    await page.selectOption("#solver", "2"); // whatever the tests before have left
    await page.setInputFiles("#file", file("own.json", pileScene(2)));
    await page.waitForFunction(() => window.pbdrLab!.state.bodies === 8);
    await page.setInputFiles("#file", file("own.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"));
    await page.waitForFunction(() => window.pbdrLab!.state.bodies === 9);
    await skip(0.05);
    expect((await state()).problem).toBe("");
    const slope = join(folder.path, "slope.json");
    run("export", "--test", "3", "--format", "json", "-o", slope);
    await page.setInputFiles("#file", slope);
    await page.waitForFunction(() => window.pbdrLab!.state.bodies === 1);
    const [start, begun] = await page.evaluate(() => [window.pbdrLab!.place(0), window.pbdrLab!.state.time] as const); // it plays until the skip
    await skip(1);
    const moved = Math.hypot(...(await page.evaluate(() => window.pbdrLab!.place(0))).map((v, k) => v - start[k]!));
    const ended = await page.evaluate(() => window.pbdrLab!.state.time);
    expect(moved).toBeCloseTo(0.5 * 0.12882118592724146 * (ended ** 2 - begun ** 2), 3); // as the scene's reference says: a t^2/2
    await page.setInputFiles("#file", join(root, "scenes/dominoes.xml"));
    await page.waitForFunction(() => window.pbdrLab!.state.bodies > 5);
    for (const [name, text, why] of [
        ["broken.json", "{", "JSON"],
        ["joint.json", JSON.stringify({ bodies: [{ name: "a", shape: "<b>torus</b>" }] }), "not '<b>torus</b>'"],
        ["empty.json", JSON.stringify({ bodies: [] }), "no bodies"],
        ["numbers.json", JSON.stringify({ bodies: [{ name: "a", shape: "ball", radius_m: "x" }] }), "radius_m"],
        ["flat.obj", "v 0 0 0\n", "no faces"],
        ["bad.xml", "<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>", "bad.xml"],
        ["what.txt", "?", "wanted .obj"],
    ] as const) {
        await page.setInputFiles("#file", file(name, text));
        await page.waitForFunction((n) => window.pbdrLab!.state.problem.startsWith(n), name);
        expect((await state()).problem).toContain(why);
        expect(await page.textContent("#status")).toContain(name);
        expect(await page.locator("#status b").count()).toBe(0);
    }
});

test("a link holds the settings, and a wrong one opens all the same; axe finds no fault, in light and dark, wide and at 400 pixels; with reduced motion it waits; a finger pulls", async () => {
    expect(await findFaults(page)).toEqual([]);
    await page.selectOption("#scene", "pile");
    await page.fill("#iterations", "7");
    await page.press("#iterations", "Enter");
    await page.click("#share");
    const link = (await page.evaluate(() => window.pbdrLab!.link())).split("#")[1];
    for (const [colorScheme, settings, scene] of [["dark", link, "pile"], ["light", "scene=nothing&solver=9&n=-4&mu=x", "1"]] as const) {
        const other = await openLab({ viewport: { width: 400, height: 800 }, colorScheme, reducedMotion: "reduce", hasTouch: true }, settings);
        expect(await other.page.inputValue("#scene")).toBe(scene);
        expect(await findFaults(other.page), colorScheme).toEqual([]);
        expect(await isTooWide(other.page)).toBe(false);
        expect((await other.page.evaluate(() => window.pbdrLab!.state)).time).toBe(0);
        if (colorScheme === "dark") {
            expect(await other.page.inputValue("#iterations")).toBe("7");
            await other.page.setViewportSize({ width: 1280, height: 800 });
            expect(await findFaults(other.page), "dark and wide").toEqual([]);
            await touch(other.page);
        }
        expect(other.problems).toEqual([]);
        await other.page.close();
    }
});

// A finger takes a box of the upper layer and lifts it.
async function touch(touched: Page): Promise<void> {
    const at = await touched.evaluate(() => window.pbdrLab!.screen(20));
    const session = await touched.context().newCDPSession(touched);
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] });
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: at.x, y: at.y - 80 }] });
    let top = 0;
    for (let k = 0; k < 20 && top < 0.3; k++) { // the finger's way arrives when the browser sees fit
        top = await touched.evaluate(() => {
            window.pbdrLab!.skip(0.05);
            return Math.max(...Array.from({ length: 27 }, (_, i) => window.pbdrLab!.place(i)[2]!));
        });
    }
    expect(top).toBeGreaterThan(0.3);
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}
