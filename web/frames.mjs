// What pictures of a replay's page cost while it plays: calls, vertices and script of each, and how many come in a second.
//
//     node frames.mjs PAGE.html WIDTHxHEIGHT [OUT.png]      one line of JSON; OUT.png: what was drawn, to be looked at
//     node frames.mjs --scene BODIES                        a scene of 100,000 spheres in so many bodies, a little apart
//
// PBDR_ANGLE: what draws, as Chromium's --use-angle has it: swiftshader (the processor; the default), or vulkan or gl-egl where
// there is a graphics card: then Chromium does not wait for a screen, so that rates may be above 60 a second.
import { resolve } from "node:path";
import { chromium } from "playwright-core";

function spheresScene(count) {
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

const [file, size, out] = process.argv.slice(2);
if (file === "--scene" && Number(size) > 0) {
    console.log(spheresScene(Number(size)));
    process.exit(0);
}
const [width, height] = (size ?? "").split("x").map(Number);
if (!file || !(width > 0) || !(height > 0)) {
    console.error("usage: node frames.mjs PAGE.html WIDTHxHEIGHT [OUT.png] | --scene BODIES");
    process.exit(2);
}
const angle = process.env.PBDR_ANGLE ?? "swiftshader";
const card = angle === "swiftshader" ? ["--enable-unsafe-swiftshader"] : ["--disable-frame-rate-limit", "--disable-gpu-vsync", "--ignore-gpu-blocklist", "--enable-gpu", "--enable-features=Vulkan", "--disable-vulkan-surface"];
const browser = await chromium.launch({
    executablePath: process.env.PBDR_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-quic", `--use-angle=${angle}`, ...card],
});

// Counts what the page asks WebGL for, picture by picture.
function count() {
    const seen = { calls: 0, vertices: 0, script: [], renderer: "" };
    const gl = WebGL2RenderingContext.prototype;
    for (const [name, at] of [["drawElements", 1], ["drawArrays", 2]]) {
        const original = gl[name];
        gl[name] = function (...args) {
            seen.calls++;
            seen.vertices += args[at];
            original.apply(this, args);
        };
    }
    const open = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (...args) {
        const context = open.apply(this, args);
        const names = args[0] === "webgl2" ? context?.getExtension("WEBGL_debug_renderer_info") : null;
        seen.renderer = names ? context.getParameter(names.UNMASKED_RENDERER_WEBGL) : seen.renderer;
        return context;
    };
    const ask = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (act) =>
        ask((now) => {
            const before = seen.calls;
            const begin = performance.now();
            act(now);
            if (seen.calls > before) {
                seen.script.push(performance.now() - begin);
            }
        });
    window.seen = seen;
}

async function play() {
    document.querySelector("#loop").checked = true;
    window.pbdrReplay.play();
    const wait = (ms) => new Promise((go) => setTimeout(go, ms));
    const seen = window.seen;
    await wait(1500);
    const begin = { ...seen, pictures: seen.script.length };
    const from = performance.now();
    await wait(4000);
    const seconds = (performance.now() - from) / 1000;
    const times = seen.script.slice(begin.pictures).sort((a, b) => a - b); // the middle one: others may hold the processor
    const canvas = document.querySelector("canvas");
    return {
        renderer: seen.renderer,
        pixels: [canvas.width, canvas.height], // fewer than asked for where the page was slow (src/pace.ts)
        calls: (seen.calls - begin.calls) / times.length,
        vertices: (seen.vertices - begin.vertices) / times.length,
        script: times[Math.floor(times.length / 2)],
        rate: times.length / seconds,
    };
}

try {
    const page = await browser.newPage({ viewport: { width, height }, bypassCSP: true });
    page.on("pageerror", (error) => console.error(String(error)));
    await page.addInitScript(count);
    await page.goto(`file://${resolve(file)}?bare=1&look=spheres&still=1`);
    await page.waitForFunction(() => window.pbdrReplay?.verified, undefined, { timeout: 110_000 });
    const found = await page.evaluate(play);
    if (out) {
        await page.evaluate(() => window.pbdrReplay.pause());
        await page.screenshot({ path: out });
    }
    console.log(JSON.stringify(found));
} finally {
    await browser.close();
}
