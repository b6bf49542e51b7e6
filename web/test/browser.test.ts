// The pages in a headless Chromium, as files: they open, play, scrub, verify, are accessible, and take bad data with a message.
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFaults, isTooWide, launch, verify, watch } from "./chromium";
import { attempt, pileScene, root, run, scratch } from "./native";

const folder = scratch();
let browser: Browser;

beforeAll(async () => {
    browser = await launch();
});
afterAll(async () => {
    await browser?.close();
    folder.remove();
});

interface Opened {
    page: Page;
    problems: string[]; // on the console, or uncaught
}

async function open(path: string, query = "still=1", width = 1000, height = 700): Promise<Opened> {
    const page = await browser.newPage({ viewport: { width, height } });
    const problems = watch(page);
    await page.goto(`file://${path}?${query}`);
    await page.waitForFunction(() => window.pbdrReplay !== undefined);
    return { page, problems };
}

async function opened(path: string, query?: string, width?: number, height?: number): Promise<Opened> {
    const found = await open(path, query, width, height);
    await found.page.evaluate(() => window.pbdrReplay!.ready);
    return found;
}

function view(name: string, ...args: string[]): string {
    const path = join(folder.path, `${name}.html`);
    run("view", ...args, "-o", path);
    return path;
}

// Columns of a CSV file, by name.
function readCsv(path: string): Record<string, string>[] {
    const [header, ...rows] = readFileSync(path, "utf8").trim().split("\n").map((line) => line.split(","));
    return rows.map((row) => Object.fromEntries(row.map((cell, k) => [header![k]!, cell])));
}

describe("replays", () => {
    test("tests 1 to 7 open, play, scrub and are verified; curves and poses are those of the trajectory file", async () => {
        for (let number = 1; number <= 7; number++) {
            const solver = number === 4 ? "pbd-r" : "pbd,pbd-r,xpbdr";
            const path = view(`t${number}`, "--test", String(number), "--solver", solver, "--duration", "1", "--seed", "1");
            const csv = readCsv(trajectory(number, "pbd-r"));
            const { page, problems } = await opened(path);
            await verify(page);
            const track = solver === "pbd-r" ? 0 : 1;
            for (const frame of randomFrames(csv.length, 10)) {
                const row = csv[frame]!;
                const seen = await page.evaluate(async ([t, k]) => {
                    await window.pbdrReplay!.show(t!);
                    return { curves: window.pbdrReplay!.curves(k!), pose: window.pbdrReplay!.poses(k!)[0]! };
                }, [Number(row["t"]), track]);
                for (const name of ["position_error_m", "rotation_error_deg"]) { // the file has nine digits
                    expect(Number(seen.curves[name]!.toPrecision(9)), `${name} at ${row["t"]}`).toBe(Number(row[name]));
                }
                expect(seen.pose.position).toEqual(["px", "py", "pz"].map((c) => Number(row[c])));
                expect(seen.pose.quat).toEqual(["qw", "qx", "qy", "qz"].map((c) => Number(row[c])));
            }
            await plays(page);
            expect(problems, `test ${number}`).toEqual([]);
            await page.close();
        }
    });

    test("every example scene opens, plays and scrubs; what moves stays in the picture, in scenes with joints, too", async () => {
        const scenes = readdirSync(join(root, "scenes")).filter((name) => /\.(xml|json)$/.test(name));
        const mechanisms = ["bricard.json", "gripper.json", "press.json"];
        expect(scenes).toEqual(expect.arrayContaining(["arch.xml", "tray.xml", ...mechanisms]));
        for (const name of scenes) {
            const duration = mechanisms.includes(name) ? 2 : 0.02;
            const path = view(name, join(root, "scenes", name), "--duration", String(duration));
            const { page, problems } = await opened(path, "still=1", 360, 240); // pictures are drawn by the processor
            await verify(page);
            for (const part of mechanisms.includes(name) ? [0, 0.25, 0.5, 0.75, 1] : [0.5]) {
                const [seen, box] = await page.evaluate(async (t) => {
                    await window.pbdrReplay!.show(t);
                    return [window.pbdrReplay!.poses().map((_, body) => window.pbdrReplay!.screen(body)), document.getElementById("canvas")!.getBoundingClientRect()] as const;
                }, part * duration);
                const isSeen = (p: { x: number; y: number }): boolean => p.x > box.left && p.x < box.right && p.y > box.top && p.y < box.bottom;
                expect(duration < 1 || seen.every(isSeen), `${name}: ${JSON.stringify([seen, box])}`).toBe(true);
            }
            await plays(page);
            expect(problems, name).toEqual([]);
            await page.close();
        }
    }, 300_000);

    test("Test 4 with 2191 spheres stays below a megabyte", () => {
        for (const solver of ["pbd-r", "xpbdr"]) {
            expect(statSync(view(`t4_${solver}`, "--test", "4", "--solver", solver)).size).toBeLessThanOrEqual(1_000_000);
        }
    });

    test("the ledger's curves are those of pbdr run --ledger", async () => {
        const scene = join(folder.path, "pile.json");
        const file = join(folder.path, "ledger.csv");
        writeFileSync(scene, pileScene(2));
        run("run", scene, "--duration", "0.3", "--ledger", file);
        const { page } = await opened(view("pile", scene, "--duration", "0.3"));
        await verify(page);
        const rows = readCsv(file);
        for (const frame of randomFrames(rows.length, 10)) {
            const row = rows[frame]!;
            const curves = await page.evaluate(async (t) => {
                await window.pbdrReplay!.show(t);
                return window.pbdrReplay!.curves();
            }, Number(row["t"]));
            for (const name of ["kinetic_J", "potential_J", "work_J", "contacts", "px", "lz"]) {
                expect(curves[name], `${name} at ${row["t"]}`).toBe(Number(row[name]));
            }
        }
        await page.close();
    });

    test("joints are drawn and have numbers, sensors are curves with the values of pbdr run --sensors; names are text", async () => {
        const scene = join(folder.path, "pendulums.json");
        const file = join(folder.path, "sensors.csv");
        const pendulums = JSON.parse(readFileSync(join(root, "scenes/pendulums.json"), "utf8")) as { joints: { name: string }[] };
        pendulums.joints[0]!.name = "<b>hinge</b>";
        const sensors = [{ name: "<i>angle</i>", kind: "joint_position", joint: "<b>hinge</b>" }, { name: "tip", kind: "position", body: "link 2.1" }];
        writeFileSync(scene, JSON.stringify({ ...pendulums, sensors }));
        run("run", scene, "--duration", "0.5", "--sensors", file);
        const { page, problems } = await opened(view("joints", scene, "--duration", "0.5"));
        await verify(page);
        const rows = readCsv(file);
        await page.evaluate(() => document.getElementById("body")!.dispatchEvent(new Event("change"))); // the first link's numbers
        for (const frame of randomFrames(rows.length, 10)) {
            const row = rows[frame]!;
            const [curves, numbers] = await page.evaluate(async (t) => {
                await window.pbdrReplay!.show(t);
                return [window.pbdrReplay!.curves(), document.getElementById("numbers")!.textContent!] as const;
            }, Number(row["t"]));
            expect(curves["sensor <i>angle</i> [rad]"], row["t"]).toBe(Number(row["<i>angle</i>"]));
            expect(curves["sensor tip.z [m]"]).toBe(Number(row["tip.z"]));
            expect(numbers).toContain(`hinge <b>hinge</b>${Number(row["<i>angle</i>"]).toPrecision(4)} rad,`);
        }
        expect(await page.locator("#charts b, #charts i, #numbers b").count()).toBe(0);
        const picture = async (): Promise<string> => page.evaluate(() => (document.getElementById("canvas") as HTMLCanvasElement).toDataURL());
        const shown = await picture();
        await page.keyboard.press("j");
        expect(await page.isChecked("#joints")).toBe(false);
        await page.evaluate(() => window.pbdrReplay!.show(window.pbdrReplay!.time));
        expect(await picture()).not.toBe(shown);
        expect(problems).toEqual([]);
        await page.close();
        const plain = await opened(view("nojoints", "--test", "1", "--duration", "0.1"));
        expect(await plain.page.isVisible("#joints-row")).toBe(false);
        await plain.page.close();
    });

    test("spheres that are small in the picture are points, large ones balls, and both look alike", async () => {
        const scene = join(folder.path, "one.json");
        writeFileSync(scene, JSON.stringify({ schema: "pbdr-scene/2", name: "one", duration_s: 0.05, planes: [{ normal: [0, 0, 1] }], bodies: [{ name: "box", shape: "box", half_extents_m: [0.05, 0.05, 0.05], mass_kg: 1, sphere_count: 64, start: { position_m: [0, 0, 0.05] } }] }));
        const path = view("one", scene, "--contact", "spheres", "--spheres-per-side", "4");
        // seen from so far that a sphere of 12.5 mm has a radius of 3.9 pixels at most, and of 4.2: a point and a ball
        const seen: number[][] = [];
        for (const [far, mode] of [[1.95, 0], [1.8, 4]] as const) { // gl.POINTS, gl.TRIANGLES
            const page = await browser.newPage({ viewport: { width: 400, height: 600 } });
            await page.addInitScript(() => {
                const modes = new Set<number>();
                const draw = WebGL2RenderingContext.prototype.drawArrays;
                WebGL2RenderingContext.prototype.drawArrays = function (kind, first, count) {
                    modes.add(kind);
                    draw.call(this, kind, first, count);
                };
                (window as unknown as { modes: Set<number> }).modes = modes;
            });
            await page.goto(`file://${path}?bare=1&still=1&look=spheres&follow=0&camera=0,${-far},0.05,0,0,0.05`);
            await page.waitForFunction(() => window.pbdrReplay !== undefined);
            await verify(page);
            const [modes, pixels] = await page.evaluate(async () => {
                (window as unknown as { modes: Set<number> }).modes.clear();
                await window.pbdrReplay!.show(0.05);
                const canvas = document.getElementById("canvas") as HTMLCanvasElement;
                const copy = document.createElement("canvas");
                [copy.width, copy.height] = [canvas.width, canvas.height];
                const paper = copy.getContext("2d")!;
                paper.drawImage(canvas, 0, 0);
                const middle = paper.getImageData(canvas.width / 2 - 10, canvas.height / 2 - 10, 20, 20).data;
                const mean = [0, 1, 2].map((c) => middle.reduce((sum, v, k) => sum + (k % 4 === c ? v : 0), 0) / 400);
                return [Array.from((window as unknown as { modes: Set<number> }).modes), mean] as const;
            });
            expect(modes).toContain(mode);
            expect(modes).not.toContain(4 - mode);
            seen.push(pixels);
            await page.close();
        }
        seen[0]!.forEach((v, k) => expect(Math.abs(v - seen[1]![k]!), JSON.stringify(seen)).toBeLessThan(12)); // of 255
    });

    test("a page whose hashes are not met says so", async () => {
        const path = view("wrong", "--test", "1", "--duration", "1");
        const page = readFileSync(path, "utf8");
        writeFileSync(path, page.replace(/"hashes": ?\["[0-9a-f]{16}"/, '"hashes":["0123456789abcdef"'));
        const found = await opened(path);
        await found.page.waitForSelector('#status[data-state="wrong"]');
        expect(await found.page.textContent("#status")).toContain("Differs from the native run");
        expect(await found.page.evaluate(() => window.pbdrReplay!.verified)).toBe(false);
        await found.page.close();
    });

    test("what is followed is seen from where it was at the start, whichever frame is drawn first; also by whole view", async () => {
        const path = view("followed", "--test", "1", "--duration", "1", "--force", "60");
        const places: { x: number; y: number }[] = [];
        for (const first of [0, 1]) {
            const { page, problems } = await opened(path);
            await page.evaluate((t) => window.pbdrReplay!.show(t), first);
            await page.evaluate(() => window.pbdrReplay!.show(1));
            const place = (): Promise<{ x: number; y: number }> => page.evaluate(() => window.pbdrReplay!.screen(0));
            places.push(await place());
            await page.click("#home");
            await page.evaluate(() => window.pbdrReplay!.show(1));
            places.push(await place());
            expect(problems).toEqual([]);
            await page.close();
        }
        const box = { width: 1000, height: 700 }; // of the page
        for (const { x, y } of places) {
            expect(x).toBeCloseTo(places[0]!.x, 6);
            expect(y).toBeCloseTo(places[0]!.y, 6);
            expect(x > 0 && x < box.width && y > 0 && y < box.height, `${x}, ${y}`).toBe(true);
        }
    });

    test("keys, buttons and a click on a body", async () => {
        const { page, problems } = await opened(view("keys", "--test", "1", "--duration", "1", "--force", "60")); // a long way
        await verify(page);
        const time = (): Promise<number> => page.evaluate(() => window.pbdrReplay!.time);
        await page.keyboard.press("ArrowRight");
        expect(await time()).toBeCloseTo(0.01, 9);
        await page.keyboard.press("ArrowLeft");
        expect(await time()).toBe(0);
        await page.keyboard.press("End");
        expect(await time()).toBeCloseTo(1, 9);
        await page.keyboard.press("Backspace");
        expect(await time()).toBe(0);
        await page.keyboard.press("Space");
        expect(await page.evaluate(() => window.pbdrReplay!.playing)).toBe(true);
        await page.keyboard.press("Space");
        expect(await page.evaluate(() => window.pbdrReplay!.playing)).toBe(false);
        for (const [key, box] of [["c", "contacts"], ["f", "forces"], ["r", "trails"], ["s", "look"]] as const) {
            await page.keyboard.press(key);
            expect(await page.isChecked(`#${box}`), key).toBe(true);
        }
        await page.keyboard.press("=");
        expect(await page.inputValue("#speed")).toBe("2");
        await page.keyboard.press("-");
        await page.keyboard.press("-");
        expect(await page.inputValue("#speed")).toBe("0.5");
        await page.keyboard.press("F1");
        expect(await page.locator("#keys").getAttribute("open")).not.toBeNull();
        expect(await page.isChecked("#follow"), "one body is followed").toBe(true);
        await page.keyboard.press("Escape");
        expect(await page.isChecked("#follow")).toBe(false);
        await page.keyboard.press("]");
        expect(await page.isChecked("#follow")).toBe(true);
        // a click on a curve goes to that time
        const curve = (await page.locator(".chart .u-over").first().boundingBox())!;
        await page.mouse.click(curve.x + 0.4 * curve.width, curve.y + 0.5 * curve.height);
        expect(await time()).toBeCloseTo(0.4, 1);
        // a loop begins again
        await page.check("#loop");
        await page.evaluate(() => window.pbdrReplay!.seek(0.97));
        await page.click("#play");
        await page.waitForFunction(() => window.pbdrReplay!.time < 0.9);
        expect(await page.evaluate(() => window.pbdrReplay!.playing)).toBe(true);
        await page.click("#play");
        await page.evaluate(() => window.pbdrReplay!.show(0));
        const view3d = (await page.locator("#canvas").boundingBox())!;
        await page.mouse.click(view3d.x + view3d.width / 2, view3d.y + view3d.height / 2);
        await page.waitForFunction(() => document.getElementById("numbers")!.textContent!.includes("contact force"));
        expect(await page.textContent("#numbers")).toContain("4.000 kg");
        expect(problems).toEqual([]);
        await page.close();
    });
});

// The trajectory that pbdr bench writes of its first seed.
function trajectory(number: number, solver: string): string {
    const dir = join(folder.path, `traj${number}`);
    run("bench", "--tests", String(number), "--solvers", solver, "--seeds", "1", "--duration", "1", "--trajectory", dir);
    return join(dir, readdirSync(dir)[0]!);
}

function randomFrames(count: number, wanted: number): number[] {
    return Array.from({ length: wanted }, () => Math.floor(Math.random() * count));
}

async function plays(page: Page): Promise<void> {
    await page.evaluate(() => {
        window.pbdrReplay!.seek(0);
        window.pbdrReplay!.play();
    });
    await page.waitForFunction(() => window.pbdrReplay!.time > 0);
    await page.evaluate(() => window.pbdrReplay!.pause());
}

const header = "t,body,px,py,pz,qw,qx,qy,qz\n";

describe("trajectories of any kind", () => {
    const file = (name: string, text: string): string => {
        const path = join(folder.path, name);
        writeFileSync(path, text);
        return path;
    };

    test("no frames, no columns, a word for a number: a message and exit code 1", () => {
        for (const [name, text, wanted] of [
            ["none.csv", header, "no rows"],
            ["empty.csv", "", "empty.csv"],
            ["columns.csv", "t,x\n0,1\n", "no column 'px'"],
            ["word.csv", `${header}0,a,b,0,0,1,0,0,0\n`, "'b' is no number"],
            ["back.csv", `${header}1,a,0,0,0,1,0,0,0\n0,a,0,0,0,1,0,0,0\n`, "time goes back"],
        ] as const) {
            const result = attempt("view", file(name, text), "-o", join(folder.path, "bad.html"));
            expect(result.code, name).toBe(1);
            expect(result.stderr, name).toContain(wanted);
            expect(existsSync(join(folder.path, "bad.html"))).toBe(false);
        }
    });

    test("numbers that are not finite, a body that is missing, names with HTML: shown without them, nothing is executed", async () => {
        const name = '"<img src=x onerror=window.hacked=1></script><script>window.hacked=1</script>"';
        const path = file("odd.csv", `${header}0,${name},0,0,1,1,0,0,0\n0,b,1,0,1,1,0,0,0\n1,${name},nan,0,1,1,0,0,0\n2,b,1,0,0,1,0,0,0\n`);
        const page = view("odd", path);
        const found = await opened(page);
        expect(await found.page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
        expect(await found.page.textContent("#warnings")).toContain("not finite");
        const poses = await found.page.evaluate(async () => {
            await window.pbdrReplay!.show(2);
            return window.pbdrReplay!.poses();
        });
        expect(poses.map((p) => p.name)).toEqual([name.slice(1, -1), "b"]);
        expect(poses[0]!.position.every(Number.isNaN)).toBe(true);
        expect(poses[1]!.position).toEqual([1, 0, 0]);
        expect(found.problems).toEqual([]);
        await found.page.close();
    });

    test("a million frames are thinned to the size asked for", async () => {
        const rows = [header.trim()];
        for (let k = 0; k < 1_000_000; k++) {
            rows.push(`${k / 1000},a,${k},0,0,1,0,0,0`);
        }
        const path = view("many", file("many.csv", `${rows.join("\n")}\n`));
        expect(readFileSync(path).length).toBeLessThan(6e6);
        const { page, problems } = await opened(path);
        expect(await page.textContent("#warnings")).toMatch(/One of \d+ frames is stored/);
        expect(await page.evaluate(() => window.pbdrReplay!.duration)).toBeGreaterThan(999);
        expect(problems).toEqual([]);
        await page.close();
    });

    test("damaged pages end in a message", async () => {
        const good = readFileSync(view("good", "--test", "1", "--duration", "0.1"), "utf8");
        for (const [name, change] of [
            ["cut", (s: string) => s.replace(/("bodies").*?<\/script>/s, "$1</script>")],
            ["nodata", (s: string) => s.replace("pbdr-data", "other")],
            ["recipe", (s: string) => s.replace(/"recipe_f64": ?"[^"]{40}/, '"recipe_f64":"')],
            ["schema", (s: string) => s.replace("pbdr-replay/1", "pbdr-replay/9")],
        ] as const) {
            const { page } = await open(file(`${name}.html`, change(good)));
            await page.waitForSelector("#failure:not([hidden])");
            expect((await page.textContent("#failure"))!.length, name).toBeGreaterThan(30);
            await page.close();
        }
    });
});

describe("for everybody", () => {
    test("axe finds no fault, in light and dark, wide and at 400 pixels", async () => {
        const path = view("axe", "--test", "1", "--solver", "pbd,pbd-r", "--duration", "0.5");
        for (const [query, width] of ["light", "dark"].flatMap((theme) => [1280, 400].map((width) => [`still=1&theme=${theme}`, width] as const))) {
            const { page } = await opened(path, query, width, 800);
            await verify(page);
            await page.keyboard.press("]"); // with the numbers of a body
            const faults = await findFaults(page);
            expect(faults, `${query} at ${width}`).toEqual([]);
            expect(await isTooWide(page), "nothing runs out of the page").toBe(false);
            await page.close();
        }
    });

    test("reduced motion: it does not play by itself", async () => {
        const path = view("calm", "--test", "1", "--duration", "0.5");
        const page = await browser.newPage({ reducedMotion: "reduce" });
        await page.goto(`file://${path}`);
        await page.waitForFunction(() => window.pbdrReplay?.verified === true);
        expect(await page.evaluate(() => window.pbdrReplay!.playing)).toBe(false);
        await page.close();
    });
});

// Replays are scripts beside the page; the test has a folder of its own, with and without them.
describe("the leaderboard", () => {
    const board = join(folder.path, "board");
    const open = async (): Promise<Opened> => {
        const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
        const problems = watch(page);
        await page.goto(`file://${board}/index.html`);
        return { page, problems };
    };

    test("a test is loaded and verified on a click, and nothing of it before; all stay under 5 MB", async () => {
        mkdirSync(join(board, "replays"), { recursive: true });
        copyFileSync(join(root, "docs", "leaderboard", "index.html"), join(board, "index.html"));
        const bare = await open();
        expect(await bare.page.locator("button[data-replay]").count(), "nothing to click on without replays").toBe(0);
        expect(await bare.page.textContent("body")).toContain("make web");
        await bare.page.close();
        execFileSync("python3", [join(root, "engines", "common", "replays.py"), join(board, "replays")]);
        execFileSync("python3", [join(root, "engines", "common", "page.py"), board]); // now with buttons
        const size = [join(board, "index.html"), ...readdirSync(join(board, "replays")).map((name) => join(board, "replays", name))].reduce((sum, path) => sum + statSync(path).size, 0);
        expect(size).toBeLessThan(5e6);
        const { page, problems } = await open();
        expect(await page.evaluate(() => document.querySelectorAll("script[src]").length)).toBe(0);
        for (const number of [1, 7]) {
            await page.click(`button[data-replay='${number}']`);
            const frame = await (await page.waitForSelector("#replay:not([hidden])"))!.contentFrame();
            await frame!.waitForFunction((test) => document.title.length > 0 && document.getElementById("title")?.textContent?.includes(`Test ${test}`) && window.pbdrReplay?.verified, number, { timeout: 110_000 });
        }
        expect(problems).toEqual([]); // axe writes to the frame, which the console of a file tells
        expect(await findFaults(page)).toEqual([]);
        await page.close();
    });
});
