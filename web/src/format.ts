// What a replay page holds: JSON of the schema pbdr-replay/1, written by `pbdr view` (cli/view_page.c). Everything is checked
// before it is used: a page that was cut or edited ends in a message, never in a blank window.

export interface Geom {
    kind: "ball" | "capsule" | "box" | "cylinder" | "mesh";
    position: number[]; // in the body's frame [m]
    rotation: number[]; // w, x, y, z
    half: number[]; // box [m]
    radius: number; // ball, capsule, cylinder [m]
    halfLength: number; // capsule, cylinder [m]
    mesh: number; // index
}

export interface Body {
    name: string;
    kind: "dynamic" | "static" | "kinematic";
    mass: number; // [kg]; NaN where it does not count
    geoms: Geom[];
    reach?: { lower: number[]; upper: number[] }; // of its centre of mass in the whole run [m]
}

export interface Mesh {
    vertices: Float32Array; // [m]
    triangles: Int32Array;
}

export interface Plane {
    normal: number[];
    offset: number; // [m]
}

export interface Curve {
    name: string; // with its unit: position_error_m
    values: Float64Array;
}

export interface Poses {
    positions: Float32Array; // 3 per body and frame [m]; NaN: not shown
    rotations: Int16Array; // 4, over 32767
}

export interface Track {
    label: string;
    settings: string;
    problem: string;
    frames: number; // with the start
    centres: number[][]; // of mass, in the bodies' frames [m]
    curves: Curve[];
    // To run it again
    recipe: Uint8Array | null;
    owners: number[];
    hashes: string[];
    // Or stored
    poses: Poses | null;
    times: Float64Array | null; // [s]; null: multiples of the frame
}

export interface Replay {
    version: string;
    title: string;
    source: string;
    stored: boolean;
    thinned: number;
    frameTime: number; // [s]
    perFrame: number; // substeps
    frames: number;
    hashEvery: number; // frames
    planes: Plane[];
    meshes: Mesh[];
    bodies: Body[];
    joints: string[]; // names, in the order of the recipes' joints
    tracks: Track[];
    reference: { name: string; body: number; poses: Poses } | null;
}

export class FormatError extends Error {}

type Json = Record<string, unknown>;

function fail(where: string, wanted: string): never {
    throw new FormatError(`the data of this page are damaged: ${where}: wanted ${wanted}`);
}

function object(value: unknown, where: string): Json {
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : fail(where, "an object");
}

function list(value: unknown, where: string): unknown[] {
    return Array.isArray(value) ? value : fail(where, "a list");
}

function text(value: unknown, where: string): string {
    return typeof value === "string" ? value : fail(where, "a text");
}

function number(value: unknown, where: string): number {
    return typeof value === "number" && Number.isFinite(value) ? value : fail(where, "a number");
}

function count(value: unknown, where: string, least: number, most: number): number {
    const n = number(value, where);
    return Number.isInteger(n) && n >= least && n <= most ? n : fail(where, `a whole number from ${least} to ${most}`);
}

function numbers(value: unknown, where: string, length: number): number[] {
    const values = list(value, where).map((v, k) => number(v, `${where}[${k}]`));
    return values.length === length ? values : fail(where, `${length} numbers`);
}

export function decodeBase64(encoded: string, where: string): Uint8Array<ArrayBuffer> {
    let binary: string;
    try {
        binary = atob(encoded.replace(/\s+/g, ""));
    } catch {
        return fail(where, "base64");
    }
    const bytes = new Uint8Array(binary.length);
    for (let k = 0; k < binary.length; k++) {
        bytes[k] = binary.charCodeAt(k);
    }
    return bytes;
}

function bytes(value: unknown, where: string, unit: number, items: number | null): Uint8Array<ArrayBuffer> {
    const data = decodeBase64(text(value, where), where);
    if (data.length % unit !== 0 || (items !== null && data.length !== items * unit)) {
        fail(where, `${items ?? "whole"} items of ${unit} bytes, not ${data.length} bytes`);
    }
    return data;
}

function readGeom(value: unknown, where: string, meshCount: number): Geom {
    const json = object(value, where);
    const kind = text(json["kind"], `${where}.kind`);
    const geom: Geom = {
        kind: "box",
        position: numbers(json["position_m"], `${where}.position_m`, 3),
        rotation: numbers(json["rotation_wxyz"], `${where}.rotation_wxyz`, 4),
        half: [0, 0, 0],
        radius: 0,
        halfLength: 0,
        mesh: 0,
    };
    switch (kind) {
        case "box":
            geom.half = numbers(json["half_extents_m"], `${where}.half_extents_m`, 3);
            break;
        case "mesh":
            geom.kind = kind;
            geom.mesh = count(json["mesh"], `${where}.mesh`, 0, meshCount - 1);
            break;
        case "ball":
        case "capsule":
        case "cylinder":
            geom.kind = kind;
            geom.radius = number(json["radius_m"], `${where}.radius_m`);
            geom.halfLength = number(json["half_length_m"], `${where}.half_length_m`);
            break;
        default:
            fail(`${where}.kind`, "a known kind of geom");
    }
    return geom;
}

function readBody(value: unknown, where: string, meshCount: number): Body {
    const json = object(value, where);
    const kind = text(json["kind"], `${where}.kind`);
    return {
        name: text(json["name"], `${where}.name`),
        kind: kind === "dynamic" || kind === "static" || kind === "kinematic" ? kind : fail(`${where}.kind`, "a kind of body"),
        mass: json["mass_kg"] === null ? NaN : number(json["mass_kg"], `${where}.mass_kg`),
        geoms: list(json["geoms"], `${where}.geoms`).map((g, k) => readGeom(g, `${where}.geoms[${k}]`, meshCount)),
        ...(json["lower_m"] === undefined ? {} : { reach: { lower: numbers(json["lower_m"], `${where}.lower_m`, 3), upper: numbers(json["upper_m"], `${where}.upper_m`, 3) } }),
    };
}

function readMesh(value: unknown, where: string): Mesh {
    const json = object(value, where);
    const vertices = new Float32Array(bytes(json["vertices_f32"], `${where}.vertices_f32`, 12, null).buffer);
    const triangles = new Int32Array(bytes(json["triangles_i32"], `${where}.triangles_i32`, 12, null).buffer);
    if (triangles.some((corner) => corner < 0 || corner >= vertices.length / 3)) {
        fail(`${where}.triangles_i32`, "corners that are vertices");
    }
    return { vertices, triangles };
}

function readPoses(json: Json, where: string, items: number): Poses {
    return {
        positions: new Float32Array(bytes(json["positions_f32"], `${where}.positions_f32`, 12, items).buffer),
        rotations: new Int16Array(bytes(json["rotations_i16"], `${where}.rotations_i16`, 8, items).buffer),
    };
}

function readTrack(value: unknown, where: string, stored: boolean, frames: number, bodyCount: number): Track {
    const json = object(value, where);
    const own = count(json["frames"], `${where}.frames`, 1, frames);
    const centres = list(json["centres_m"], `${where}.centres_m`);
    if (centres.length !== bodyCount) {
        fail(`${where}.centres_m`, `a row for each of ${bodyCount} bodies`);
    }
    const owners = stored
        ? []
        : list(json["owners"], `${where}.owners`).map((o, k) => count(o, `${where}.owners[${k}]`, 0, bodyCount - 1));
    return {
        label: text(json["label"], `${where}.label`),
        settings: text(json["settings"], `${where}.settings`),
        problem: text(json["problem"], `${where}.problem`),
        frames: own,
        centres: centres.map((c, k) => numbers(c, `${where}.centres_m[${k}]`, 3)),
        recipe: stored ? null : bytes(json["recipe_f64"], `${where}.recipe_f64`, 8, null),
        owners,
        hashes: stored ? [] : list(json["hashes"], `${where}.hashes`).map((h, k) => text(h, `${where}.hashes[${k}]`)),
        poses: stored ? readPoses(json, where, own * bodyCount) : null,
        times: json["times_f64"] === undefined ? null : new Float64Array(bytes(json["times_f64"], `${where}.times_f64`, 8, own).buffer),
        curves: list(json["curves"], `${where}.curves`).map((c, k) => {
            const curve = object(c, `${where}.curves[${k}]`);
            return {
                name: text(curve["name"], `${where}.curves[${k}].name`),
                values: new Float64Array(bytes(curve["values_f64"], `${where}.curves[${k}].values_f64`, 8, own).buffer),
            };
        }),
    };
}

export function readReplay(source: string): Replay {
    let root: unknown;
    try {
        root = JSON.parse(source);
    } catch (error) {
        throw new FormatError(`the data of this page are damaged: ${(error as Error).message}`);
    }
    const json = object(root, "page");
    if (json["schema"] !== "pbdr-replay/1") {
        fail("schema", "pbdr-replay/1");
    }
    const stored = json["stored"] === true;
    const frames = count(json["frames"], "frames", 1, 1e7);
    const perFrame = count(json["substeps_per_frame"], "substeps_per_frame", 1, 1e9);
    const meshes = list(json["meshes"], "meshes").map((m, k) => readMesh(m, `meshes[${k}]`));
    const bodies = list(json["bodies"], "bodies").map((b, k) => readBody(b, `bodies[${k}]`, meshes.length));
    const tracks = list(json["tracks"], "tracks").map((t, k) => readTrack(t, `tracks[${k}]`, stored, frames, bodies.length));
    if (tracks.length === 0) {
        fail("tracks", "one at least");
    }
    let reference: Replay["reference"] = null;
    if (json["reference"] !== undefined) {
        const r = object(json["reference"], "reference");
        reference = {
            name: text(r["name"], "reference.name"),
            body: count(r["body"], "reference.body", 0, bodies.length - 1),
            poses: readPoses(r, "reference", tracks[0]!.frames),
        };
    }
    return {
        version: text(json["version"], "version"),
        title: text(json["title"], "title"),
        source: text(json["source"], "source"),
        stored,
        thinned: count(json["thinned"], "thinned", 1, 1e9),
        frameTime: perFrame * number(json["time_step_s"], "time_step_s"),
        perFrame,
        frames,
        hashEvery: count(json["hash_every_frames"], "hash_every_frames", 1, 1e9),
        planes: list(json["planes"], "planes").map((p, k) => {
            const plane = object(p, `planes[${k}]`);
            return { normal: numbers(plane["normal"], `planes[${k}].normal`, 3), offset: number(plane["offset_m"], `planes[${k}].offset_m`) };
        }),
        meshes,
        bodies,
        joints: list(json["joints"] ?? [], "joints").map((j, k) => text(j, `joints[${k}]`)),
        tracks,
        reference,
    };
}
