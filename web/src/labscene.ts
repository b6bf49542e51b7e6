// Scenes of the laboratory: bodies and planes, out of a few lines, our JSON, or a model that MuJoCo compiled; as our JSON for
// our engine, as MJCF for MuJoCo, and as what the stage draws. All of a scene has one friction, which the page sets.
import type { Body, Geom, Mesh, Plane } from "./format";
import { type LabJoint, readJoint } from "./labjoints";

export interface LabPart {
    shape: "box" | "ball" | "capsule" | "cylinder" | "mesh";
    half: number[]; // box [m]
    radius: number; // [m]
    halfLength: number; // of capsules and cylinders, along z [m]
    vertices: number[][]; // mesh [m]
    triangles: number[][];
    position: number[]; // in the body's frame [m]
    rotation: number[]; // w, x, y, z
}

export interface LabBody {
    name: string;
    kind: "dynamic" | "static";
    parts: LabPart[];
    mass: number; // [kg]
    position: number[]; // of the frame [m]
    rotation: number[]; // w, x, y, z
    velocity: number[]; // of the centre of mass [m/s]
    spin: number[]; // [rad/s]
    force: number[]; // on the centre of mass, all the time [N]
    torque: number[]; // [N m]
    filter?: { category?: number; mask?: number }; // who touches it, as our JSON says
}

export interface LabScene {
    bodies: LabBody[];
    planes: Plane[];
    gravity: number[]; // [m/s^2]
    friction: number;
    joints?: LabJoint[]; // XPBD-R's alone
    actuators?: unknown[];
}

const NO = [0, 0, 0];

function normalise(v: number[]): number[] {
    const length = Math.hypot(...v) || 1;
    return v.map((x) => x / length);
}

export function makePart(shape: LabPart["shape"], more: Partial<LabPart>): LabPart {
    return { shape, half: NO, radius: 0, halfLength: 0, vertices: [], triangles: [], position: NO, rotation: [1, 0, 0, 0], ...more };
}

export function makeBody(name: string, part: LabPart, mass: number, position: number[], turn = 0): LabBody {
    return { name, kind: "dynamic", parts: [part], mass, position, rotation: [Math.cos(turn / 2), 0, 0, Math.sin(turn / 2)], velocity: NO, spin: NO, force: NO, torque: NO };
}

const onFloor = (bodies: LabBody[]): LabScene => ({ bodies, planes: [{ normal: [0, 0, 1], offset: 0 }], gravity: [0, 0, -9.81], friction: 0.4 });

// count^3 boxes that fall on each other.
export function makePile(count: number): LabScene {
    return onFloor(
        Array.from({ length: count ** 3 }, (_, k) => {
            const [x, y, z] = [k % count, Math.floor(k / count) % count, Math.floor(k / count ** 2)];
            return makeBody(`box ${k + 1}`, makePart("box", { half: [0.05, 0.05, 0.05] }), 1, [0.104 * (x - 1) + 0.003 * z, 0.104 * (y - 1) - 0.002 * z, 0.0505 + 0.102 * z], 0.03 * (k % 5));
        }),
    );
}

export function makeTower(): LabScene {
    const boxes = Array.from({ length: 5 }, (_, k) => makeBody(`box ${k + 1}`, makePart("box", { half: [0.1, 0.1, 0.1] }), 4, [0, 0, 0.1 + 0.2 * k]));
    const ball = makeBody("ball", makePart("ball", { radius: 0.08 }), 3, [-1.2, 0.02, 0.75]);
    return onFloor([...boxes, { ...ball, velocity: [3.2, 0, 1.2] }]);
}

// --- Our JSON (docs/scenes.md) ---

type Json = Record<string, unknown>;

const isNumbers = (value: unknown, count: number): value is number[] => Array.isArray(value) && value.length === count && value.every((v) => typeof v === "number" && Number.isFinite(v));
const isRows = (value: unknown): value is number[][] => Array.isArray(value) && value.length > 0 && value.every((v) => isNumbers(v, 3));

function take(from: Json, key: string, count: number, usual: number[]): number[] {
    const value = from[key];
    if (value === undefined || value === null) {
        return usual;
    }
    if (!isNumbers(value, count)) {
        throw new Error(`${key}: wanted ${count} numbers`);
    }
    return value;
}

const takeNumber = (from: Json, key: string, usual: number): number => take({ [key]: typeof from[key] === "number" ? [from[key]] : from[key] }, key, 1, [usual])[0]!;

function readPart(from: Json, meshes: Map<string, Json>): LabPart {
    const place = { position: take(from, "position_m", 3, NO), rotation: take(from, "rotation_wxyz", 4, [1, 0, 0, 0]) };
    const radius = takeNumber(from, "radius_m", 0);
    switch (from["shape"]) {
        case "box":
            return makePart("box", { ...place, half: take(from, "half_extents_m", 3, NO) });
        case "ball":
            return makePart("ball", { ...place, radius });
        case "capsule":
        case "cylinder":
            return makePart(from["shape"], { ...place, radius, halfLength: takeNumber(from, "half_length_m", 0) });
        case "mesh": {
            const source = typeof from["mesh"] === "string" ? (meshes.get(from["mesh"]) ?? {}) : from;
            if (!isRows(source["vertices_m"]) || !isRows(source["triangles"])) {
                throw new Error("a mesh without its vertices and triangles (files beside the scene are not seen from here)");
            }
            return makePart("mesh", { ...place, vertices: source["vertices_m"], triangles: source["triangles"] });
        }
        default:
            throw new Error(`the laboratory takes boxes, balls, capsules, cylinders, meshes and compounds, not '${String(from["shape"])}'`);
    }
}

function readBody(from: Json, index: number, meshes: Map<string, Json>): LabBody {
    const kind = from["prescribed"] === true ? "kinematic" : (from["kind"] ?? "dynamic");
    if (kind !== "dynamic" && kind !== "static") {
        throw new Error(`the laboratory takes dynamic and static bodies, not '${String(kind)}'`);
    }
    const start = (from["start"] ?? {}) as Json;
    const parts = from["shape"] === "compound" && Array.isArray(from["parts"]) ? (from["parts"] as Json[]) : [{ ...from, position_m: undefined, rotation_wxyz: undefined }];
    return {
        name: String(from["name"] ?? `body ${index + 1}`).slice(0, 60),
        kind,
        parts: parts.map((p) => readPart(p, meshes)),
        mass: takeNumber(from, "mass_kg", 1),
        position: take(start, "position_m", 3, NO),
        rotation: take(start, "rotation_wxyz", 4, [1, 0, 0, 0]),
        velocity: take(from, "start_velocity_mps", 3, NO),
        spin: take(from, "start_angular_velocity_radps", 3, NO),
        force: take(from, "force_N", 3, NO),
        torque: take(from, "torque_Nm", 3, NO),
        filter: { ...("category" in from ? { category: takeNumber(from, "category", 0) } : {}), ...("mask" in from ? { mask: takeNumber(from, "mask", 0) } : {}) },
    };
}

export function readScene(text: string): LabScene {
    const json = JSON.parse(text) as Json;
    const list = (key: string): Json[] => (Array.isArray(json[key]) ? (json[key] as Json[]) : []);
    const meshes = new Map(list("meshes").map((m) => [String(m["name"]), m]));
    const ground = json["ground"] as Json | undefined; // of pbdr-scene/1
    const planes = ground !== undefined ? [ground] : list("planes");
    const bodies = list("bodies").map((b, k) => readBody(b, k, meshes));
    if (bodies.length === 0) {
        throw new Error("the scene has no bodies");
    }
    return {
        bodies,
        planes: planes.map((p) => {
            const normal = normalise(take(p, "normal", 3, [0, 0, 1]));
            return { normal, offset: take(p, "point_m", 3, NO).reduce((sum, v, k) => sum + v * normal[k]!, 0) };
        }),
        gravity: take(json, "gravity_mps2", 3, [0, 0, -9.81]),
        friction: takeNumber(planes[0] ?? {}, "friction", 0.4),
        ...(list("joints").length > 0 ? { joints: list("joints").map((j) => readJoint(j, bodies)), actuators: list("actuators") } : {}),
    };
}

function writePart(part: LabPart): Json {
    const shapes: Record<LabPart["shape"], Json> = {
        box: { half_extents_m: part.half },
        ball: { radius_m: part.radius },
        capsule: { radius_m: part.radius, half_length_m: part.halfLength },
        cylinder: { radius_m: part.radius, half_length_m: part.halfLength },
        mesh: { vertices_m: part.vertices, triangles: part.triangles },
    };
    return { shape: part.shape, ...shapes[part.shape] };
}

const isPlain = (part: LabPart): boolean => [...part.position, part.rotation[0]! - 1].every((v) => v === 0);

// spheres: along a side of boxes.
export function toJson(scene: LabScene, mu: number, timeStep: number, spheres: number): string {
    return JSON.stringify({
        schema: "pbdr-scene/2",
        name: "laboratory",
        time_step_s: timeStep,
        duration_s: 10,
        gravity_mps2: scene.gravity,
        friction_mixing: "geometric_mean",
        planes: scene.planes.map((p) => ({ normal: p.normal, point_m: p.normal.map((v) => v * p.offset), friction: mu })),
        bodies: scene.bodies.map((b) => ({
            name: b.name,
            kind: b.kind,
            ...(b.parts.length === 1 && isPlain(b.parts[0]!)
                ? { ...writePart(b.parts[0]!), ...(b.parts[0]!.shape === "box" ? { sphere_count: spheres ** 3 } : {}) }
                : { shape: "compound", parts: b.parts.map((p) => ({ ...writePart(p), position_m: p.position, rotation_wxyz: p.rotation })) }),
            ...(b.kind === "dynamic" ? { mass_kg: b.mass, start_velocity_mps: b.velocity, start_angular_velocity_radps: b.spin, force_N: b.force, torque_Nm: b.torque } : {}),
            ...b.filter,
            friction: mu,
            start: { position_m: b.position, rotation_wxyz: b.rotation },
        })),
        ...(scene.joints === undefined ? {} : { joints: scene.joints, actuators: scene.actuators }),
    });
}

// --- MuJoCo ---

const words = (values: readonly number[]): string => values.join(" ");

function writeGeom(part: LabPart, mass: number | null, mu: number, meshes: LabPart[]): string {
    const sizes: Record<LabPart["shape"], () => string> = {
        box: () => `type="box" size="${words(part.half)}"`,
        ball: () => `type="sphere" size="${part.radius}"`,
        capsule: () => `type="capsule" size="${part.radius} ${part.halfLength}"`,
        cylinder: () => `type="cylinder" size="${part.radius} ${part.halfLength}"`,
        mesh: () => `type="mesh" mesh="m${meshes.push(part) - 1}"`,
    };
    return `<geom ${sizes[part.shape]()} pos="${words(part.position)}" quat="${words(part.rotation)}"${mass === null ? "" : ` mass="${mass}"`} friction="${mu} 0 0"/>`;
}

// The turn that takes z to a unit normal.
function turnTo([x, y, z]: number[]): number[] {
    return z! < -0.999999 ? [0, 1, 0, 0] : normalise([1 + z!, -y!, x!, 0]);
}

// Of a part [m^3]; of a mesh, the sum of the tetrahedra over its triangles.
function measureVolume(part: LabPart): number {
    const { half, radius: r, halfLength: h } = part;
    const corner = (t: number[], k: number): number[] => part.vertices[t[k]!]!;
    switch (part.shape) {
        case "box":
            return 8 * half[0]! * half[1]! * half[2]!;
        case "ball":
            return (4 / 3) * Math.PI * r ** 3;
        case "capsule":
            return Math.PI * r * r * (2 * h + (4 / 3) * r);
        case "cylinder":
            return 2 * Math.PI * r * r * h;
        case "mesh":
            return part.triangles.reduce((sum, t) => {
                const [a, b, c] = [corner(t, 0), corner(t, 1), corner(t, 2)];
                return sum + (a[0]! * (b[1]! * c[2]! - b[2]! * c[1]!) + a[1]! * (b[2]! * c[0]! - b[0]! * c[2]!) + a[2]! * (b[0]! * c[1]! - b[1]! * c[0]!)) / 6;
            }, 0);
    }
}

// With the contact settings of the benchmark's export (the paper's). Parts share their body's mass by volume.
export function toMjcf(scene: LabScene, mu: number, timeStep: number): string {
    const meshes: LabPart[] = [];
    const bodies = scene.bodies.map((b, k) => {
        const volumes = b.parts.map(measureVolume);
        const all = volumes.reduce((sum, v) => sum + v, 0);
        const geoms = b.parts.map((p, i) => writeGeom(p, b.kind === "dynamic" ? (b.mass * volumes[i]!) / all : null, mu, meshes));
        return `<body name="b${k}" pos="${words(b.position)}" quat="${words(b.rotation)}">${b.kind === "dynamic" ? "<freejoint/>" : ""}${geoms.join("")}</body>`;
    });
    const planes = scene.planes.map((p) => `<geom type="plane" size="0 0 1" pos="${words(p.normal.map((v) => v * p.offset))}" quat="${words(turnTo(p.normal))}" friction="${mu} 0 0"/>`);
    const asset = meshes.map((m, k) => `<mesh name="m${k}" vertex="${words(m.vertices.flat())}" face="${words(m.triangles.flat())}"/>`).join("");
    return `<mujoco><option timestep="${timeStep}" cone="elliptic" gravity="${words(scene.gravity)}"/><asset>${asset}</asset><worldbody>${planes.join("")}${bodies.join("")}</worldbody></mujoco>`;
}

// --- The stage ---

// What is drawn; meshes go into `meshes`.
export function toStage(scene: LabScene, meshes: Mesh[]): Body[] {
    return scene.bodies.map((b) => ({
        name: b.name,
        kind: b.kind,
        mass: b.kind === "dynamic" ? b.mass : NaN,
        geoms: b.parts.map((p): Geom => {
            if (p.shape === "mesh") {
                meshes.push({ vertices: Float32Array.from(p.vertices.flat()), triangles: Int32Array.from(p.triangles.flat()) });
            }
            return { kind: p.shape, position: p.position, rotation: p.rotation, half: p.half, radius: p.radius, halfLength: p.halfLength, mesh: meshes.length - 1 };
        }),
    }));
}
