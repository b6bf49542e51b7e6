// The engine's end of the pipe (docs/protocol.md) for adapters in JavaScript: serve(folder, makeEngine).
//
// makeEngine(file) returns {version, create(scene, options), step(count), read(body)}; create throws Refused for a scene that
// the engine cannot do. The cost is processor time of the whole process within step().
import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import path from "node:path";

const PROTOCOL = 1;

export class Refused extends Error {}

const home = process.env.PBDR_ENGINE_HOME ?? ".";

/** Imports a package of the engine's own environment (build/engines/NAME). */
export function load(name) {
    const require = createRequire(path.join(home, "package.json"));
    return import(pathToFileURL(require.resolve(name)));
}

export function packageVersion(name) {
    return JSON.parse(readFileSync(path.join(home, "node_modules", name, "package.json"), "utf8")).version;
}

export function packagePath(name, file) {
    return path.join(home, "node_modules", name, file);
}

/** Every setting of a preset: those of default, then the preset's own, for scenes with joints those of "joints", then what the
    search is trying out. */
function findOptions(file, preset, jointed) {
    const options = { ...file.presets.default };
    if (preset !== "" && preset !== "default") Object.assign(options, file.presets[preset]);
    if (jointed) Object.assign(options, file.joints.default, file.joints[preset || "default"]);
    Object.assign(options, JSON.parse(process.env.PBDR_ENGINE_SETTINGS ?? "{}"));
    for (const key of Object.keys(options)) {
        if (!(key in file.presets.default)) throw new Error(`a setting that the preset default does not name: ${key}`);
    }
    return options;
}

/** Kinds of scenes by name, for "not_supported" of settings.json. */
function isUnable(what, scene) {
    const has = (shape) => scene.bodies.some((body) => body.shape === shape);
    return { restitution: scene.restitution > 0, rod: scene.bodies.some((body) => body.prescribed),
        many: scene.bodies.filter((body) => !body.prescribed).length > 1, wedge: has("mesh") && scene.test > 7,
        mesh: has("mesh"), ball: has("ball"), cylinder: has("cylinder"), box: has("box") }[what];
}

function describe(file, options, engine, scene) {
    const text = Object.entries(options).map(([key, value]) => `${key} ${value}`).join(", ");
    const notes = { version: engine.version, precision: file.precision };
    for (let k = 0; k < text.length; k += 150) notes["options" + (k / 150 || "")] = text.slice(k, k + 150);
    return { ...notes, geometry: file.geometry[scene.bodies[0].shape] ?? "" };
}

/** Where a prescribed body is at a time: the answer's 13 numbers. */
export function prescribedState(body, t) {
    const a = body.prescribed_acceleration_mps2;
    return [...body.start.position_m.map((x, k) => x + 0.5 * a[k] * t * t), ...body.start.rotation_wxyz,
        ...a.map((x) => x * t), 0, 0, 0];
}

/** A unit vector at right angles to another. */
export function normalTo(a) {
    const k = a.map(Math.abs).indexOf(Math.min(...a.map(Math.abs))), e = [0, 1, 2].map((i) => (i === k ? 1 : 0));
    const c = [a[1] * e[2] - a[2] * e[1], a[2] * e[0] - a[0] * e[2], a[0] * e[1] - a[1] * e[0]], size = Math.hypot(...c);
    return c.map((x) => x / size);
}

/** A vector of the world in the axes of a body that is turned by w, x, y, z. */
export function unrotate(q, v) {
    const [w, x, y, z] = q, t = [2 * (v[1] * z - v[2] * y), 2 * (v[2] * x - v[0] * z), 2 * (v[0] * y - v[1] * x)]; // 2 v x u, u = (x, y, z)
    return [v[0] + w * t[0] + t[1] * z - t[2] * y, v[1] + w * t[1] + t[2] * x - t[0] * z, v[2] + w * t[2] + t[0] * y - t[1] * x];
}

export async function serve(url, makeEngine) {
    const folder = path.dirname(fileURLToPath(url));
    const file = JSON.parse(readFileSync(path.join(folder, "settings.json"), "utf8"));
    console.log = console.info = console.error; // standard output is the pipe's
    const presets = Object.keys(file.presets).filter((name) => name !== "default").join(",");
    let engine = null, scene = null;
    const rows = () => scene.bodies.map((_, k) => engine.read(k).map((x) => (Number.isFinite(x) ? x : null)));
    const answers = {
        hello: () => ({ protocol: PROTOCOL, name: file.engine, version: engine.version, presets, uses_spheres: false, uses_joints: "joints" in file }),
        create: (message) => {
            scene = message.scene;
            const options = findOptions(file, scene.preset, "joints" in scene);
            for (const [what, why] of Object.entries(file.not_supported ?? {})) {
                if (isUnable(what, scene)) throw new Refused(why);
            }
            engine.create(scene, options);
            return { settings: describe(file, options, engine, scene), bodies: rows() };
        },
        step: (message) => {
            const begun = process.cpuUsage();
            engine.step(message.count);
            const used = process.cpuUsage(begun);
            const forces = message.forces && engine.contactForce ? { contact_forces_N: scene.bodies.map((_, k) => engine.contactForce(k)) } : {};
            return { flags: 0, processor_s: (used.user + used.system) * 1e-6, bodies: rows(), ...forces };
        },
        destroy: () => ({}),
    };
    for await (const line of createInterface({ input: process.stdin })) {
        let answer;
        try {
            engine ??= await makeEngine(file);
            const message = JSON.parse(line);
            answer = { ok: true, ...answers[message.call](message) };
        } catch (error) {
            answer = { ok: false, error: error instanceof Refused ? `not supported: ${error.message}` : `${error.name ?? "Error"}: ${error.message ?? error}` };
        }
        writeSync(1, JSON.stringify(answer) + "\n");
    }
}
