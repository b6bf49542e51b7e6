// Builds the pages: node build.mjs OUT SIMD PLAIN replay|lab; SIMD and PLAIN: folders with the engines. Each page is one file: markup and style as they
// are, scripts and engines packed (gzip, base64) and unpacked by a few lines at its end.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const root = dirname(fileURLToPath(import.meta.url));
const [out, simd, plain, ...pages] = process.argv.slice(2);
// Example scenes that the laboratory can run: free bodies and what stands still.
const EXAMPLES = ["arch", "box_on_slope", "brick_wall", "card_house", "dominoes", "tower"];
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

const pack = (id, bytes) => `<script type="text/plain" id="${id}">${gzipSync(bytes, { level: 9 }).toString("base64")}</script>`;

// Unpacks the application and starts it; where that fails, says so.
const loader = `<script>
(async () => {
    try {
        const packed = Uint8Array.from(atob(document.getElementById("pbdr-app").textContent), (c) => c.charCodeAt(0));
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
    const page = readFileSync(join(root, `${name}.html`), "utf8")
        .replace("/*pbdr:style*/", () => style)
        .replace("<!--pbdr:engine--><!--/pbdr:engine-->", () => `<!--pbdr:engine-->${engine}<!--/pbdr:engine-->`)
        .replace("<!--pbdr:app-->", () => `${parts}${pack("pbdr-app", app)}\n${loader}`);
    writeFileSync(join(out, `${name}.html`), page);
    console.log(`${join(out, `${name}.html`)}: ${Math.round(page.length / 1000)} kB`);
}

execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", root], { stdio: "inherit" });
mkdirSync(out, { recursive: true });
for (const page of pages) {
    if (page === "replay") {
        const worker = await bundle("worker.ts", "worker");
        const engine = [pack("pbdr-worker", worker), pack("pbdr-engine-simd", readFileSync(join(simd, "replay.wasm"))), pack("pbdr-engine-plain", readFileSync(join(plain, "replay.wasm")))].join("\n");
        await writePage("replay", "", engine);
    } else {
        const engine = [pack("pbdr-engine-simd", readFileSync(join(simd, "lab.wasm"))), pack("pbdr-engine-plain", readFileSync(join(plain, "lab.wasm"))),
            pack("mujoco-engine", readFileSync(join(root, "node_modules/@mujoco/mujoco/mujoco.wasm")))];
        engine.push(pack("pbdr-examples", Buffer.from(JSON.stringify(Object.fromEntries(EXAMPLES.map((name) => [name, readFileSync(join(root, "../scenes", `${name}.xml`), "utf8")]))))));
        const bunny = join(root, "../build/data/bunny.stl"); // fetched by the set-up, never ours
        if (existsSync(bunny)) {
            engine.push(pack("pbdr-bunny", readFileSync(bunny)));
        } else {
            console.error("web: build/data/bunny.stl is not here (make setup fetches it): the laboratory has no tests 4 to 6");
        }
        await writePage("lab", "", engine.join("\n"));
    }
}
