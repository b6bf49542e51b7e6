// Builds the pages: node build.mjs OUT SIMD PLAIN replay|lab; SIMD and PLAIN: folders with the engines. Each page is one file: markup and style as they
// are, scripts and engines packed (gzip, base 85) and unpacked by a few lines at its end.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import zopfli from "@gfx/zopfli";
import { build } from "vite";

const root = dirname(fileURLToPath(import.meta.url));
const [out, simd, plain, ...pages] = process.argv.slice(2);
// Example scenes that the laboratory can run: free bodies and what stands still in MJCF, joints in our JSON.
const EXAMPLES = ["arch.xml", "box_on_slope.xml", "brick_wall.xml", "card_house.xml", "dominoes.xml", "tower.xml", "bricard.json", "cradle.json",
    "four_bar.json", "gripper.json", "gyroscope.json", "pendulums.json", "press.json"];
if (pages.length === 0) {
    console.error("usage: node build.mjs OUT SIMD PLAIN replay|lab; SIMD and PLAIN: folders with the engines...");
    process.exit(2);
}

// One script, with all that it imports.
async function bundle(entry, name) {
    const result = await build({
        root,
        configFile: false,
        logLevel: "error",
        plugins: [
            {
                // it would put its engine into the script, where the page has it already
                name: "mujoco-without-engine",
                transform: (code, id) => (id.includes("@mujoco") ? code.replace(/new URL\(\s*['"]mujoco\.wasm['"]\s*,\s*import\.meta\.url\s*\)\.href/g, '"mujoco.wasm"') : null),
            },
        ],
        define: { "process.env.NODE_ENV": '"production"' },
        build: { write: false, target: "es2022", minify: true, lib: { entry: join(root, "src", entry), formats: ["iife"], name } },
    });
    const chunk = (Array.isArray(result) ? result[0] : result).output.find((o) => o.type === "chunk");
    return Buffer.from(chunk.code);
}

// Four bytes as five characters, which takes 6 % less than base64; r bytes at the end as r + 1. None of the characters means
// anything in markup.
const DIGITS = Array.from({ length: 94 }, (_, k) => String.fromCharCode(33 + k)).filter((c) => !`<>&"'\\\``.includes(c)).slice(0, 85).join("");

function encode(bytes) {
    let text = "";
    for (let at = 0; at < bytes.length; at += 4) {
        const count = Math.min(4, bytes.length - at);
        let value = 0;
        for (let k = 0; k < 4; k++) {
            value = 256 * value + (k < count ? bytes[at + k] : 0);
        }
        text += [85 ** 4, 85 ** 3, 85 ** 2, 85, 1].slice(0, count + 1).map((power) => DIGITS[Math.floor(value / power) % 85]).join("");
    }
    return text;
}

// Zopfli's gzip is 5 % smaller and takes seconds for a megabyte: for what a replay holds, and not for the laboratory's engines.
const SLOWLY = 700000;
const squeeze = async (bytes) => (bytes.length < SLOWLY ? zopfli.gzipAsync(Buffer.from(bytes), { numiterations: 15 }) : gzipSync(bytes, { level: 9 }));
const pack = async (id, bytes) => `<script type="text/plain" id="${id}">${encode(await squeeze(bytes))}</script>`;

// Unpacks the application and starts it; where that fails, says so.
const loader = `<script>
// bytes out of base 85 (web/build.mjs), for the application, too
window.pbdrDecode = (text) => {
    const digits = new Map(Array.from("${DIGITS}", (c, k) => [c.charCodeAt(0), k]));
    const bytes = new Uint8Array(Math.floor((4 * text.length) / 5));
    for (let at = 0, to = 0; at < text.length; at += 5, to += 4) {
        let value = 0;
        for (let k = 0; k < 5; k++) {
            value = 85 * value + (digits.get(text.charCodeAt(at + k)) ?? 84);
        }
        for (let k = 3; k >= 0; k--, value = Math.floor(value / 256)) {
            if (to + k < bytes.length) {
                bytes[to + k] = value % 256;
            }
        }
    }
    return bytes;
};
(async () => {
    try {
        const packed = window.pbdrDecode(document.getElementById("pbdr-app").textContent);
        const code = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
        const script = document.createElement("script");
        script.textContent = code;
        document.body.append(script);
    } catch (error) {
        const box = document.getElementById("failure");
        box.textContent = "This page cannot start: " + error.message + ". A browser of 2023 or later is needed.";
        box.hidden = false;
    }
})();
</script>`;

// In a script's text nothing may look like its end.
const style = readFileSync(join(root, "src/page.css"), "utf8") + readFileSync(join(root, "node_modules/uplot/dist/uPlot.min.css"), "utf8");

async function writePage(name, parts, engine) {
    const app = await bundle(`${name}.ts`, name);
    const packed = await pack("pbdr-app", app);
    const page = readFileSync(join(root, `${name}.html`), "utf8")
        .replace("/*pbdr:style*/", () => style)
        .replace("<!--pbdr:engine--><!--/pbdr:engine-->", () => `<!--pbdr:engine-->${engine}<!--/pbdr:engine-->`)
        .replace("<!--pbdr:app-->", () => `${parts}${packed}\n${loader}`);
    writeFileSync(join(out, `${name}.html`), page);
    console.log(`${join(out, `${name}.html`)}: ${Math.round(page.length / 1000)} kB`);
}

execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", root], { stdio: "inherit" });
mkdirSync(out, { recursive: true });
for (const page of pages) {
    if (page === "replay") {
        const worker = await bundle("worker.ts", "worker");
        const engine = [await pack("pbdr-worker", worker), await pack("pbdr-engine-simd", readFileSync(join(simd, "replay.wasm"))),
            await pack("pbdr-engine-plain", readFileSync(join(plain, "replay.wasm")))].join("\n");
        await writePage("replay", "", engine);
    } else {
        const engine = [await pack("pbdr-engine-simd", readFileSync(join(simd, "lab.wasm"))), await pack("pbdr-engine-plain", readFileSync(join(plain, "lab.wasm"))),
            await pack("mujoco-engine", readFileSync(join(root, "node_modules/@mujoco/mujoco/mujoco.wasm")))];
        engine.push(await pack("pbdr-examples", Buffer.from(JSON.stringify(Object.fromEntries(EXAMPLES.map((name) => [name.replace(/\..*/, ""), readFileSync(join(root, "../scenes", name), "utf8")]))))));
        const bunny = join(root, "../build/data/bunny.stl"); // fetched by the set-up, never ours
        if (existsSync(bunny)) {
            engine.push(await pack("pbdr-bunny", readFileSync(bunny)));
        } else {
            console.error("web: build/data/bunny.stl is not here (make setup fetches it): the laboratory has no tests 4 to 6");
        }
        await writePage("lab", "", engine.join("\n"));
    }
}
