// Scenes of the laboratory: a list of bodies, as our JSON for our engine and as MJCF for MuJoCo.
import type { Body, Geom } from "./format";

export interface LabBody {
    name: string;
    kind: "dynamic" | "static";
    shape: "box" | "ball" | "mesh";
    half: [number, number, number]; // box [m]
    radius: number; // ball [m]
    vertices: number[][]; // mesh [m]
    triangles: number[][];
    mass: number; // [kg]
    position: number[]; // of the frame [m]
    rotation: number[]; // w, x, y, z
    velocity: number[];
    spin: number[];
}

export function makeBox(name: string, half: [number, number, number], mass: number, position: number[], turn = 0): LabBody {
    return { name, kind: "dynamic", shape: "box", half, radius: 0, vertices: [], triangles: [], mass, position, rotation: [Math.cos(turn / 2), 0, 0, Math.sin(turn / 2)], velocity: [0, 0, 0], spin: [0, 0, 0] };
}

export function makeBall(name: string, radius: number, mass: number, position: number[], velocity: number[]): LabBody {
    return { ...makeBox(name, [radius, radius, radius], mass, position), shape: "ball", radius, velocity };
}

export function makeMesh(name: string, vertices: number[][], triangles: number[][], mass: number, position: number[]): LabBody {
    return { ...makeBox(name, [0, 0, 0], mass, position), shape: "mesh", vertices, triangles };
}

// count^3 boxes that fall on each other.
export function makePile(count: number): LabBody[] {
    return Array.from({ length: count ** 3 }, (_, k) => {
        const [x, y, z] = [k % count, Math.floor(k / count) % count, Math.floor(k / count ** 2)];
        return makeBox(`box ${k + 1}`, [0.05, 0.05, 0.05], 1, [0.104 * (x - 1) + 0.003 * z, 0.104 * (y - 1) - 0.002 * z, 0.0505 + 0.102 * z], 0.03 * (k % 5));
    });
}

export function makeTower(): LabBody[] {
    const boxes = Array.from({ length: 5 }, (_, k) => makeBox(`box ${k + 1}`, [0.1, 0.1, 0.1], 4, [0, 0, 0.1 + 0.2 * k]));
    return [...boxes, makeBall("ball", 0.08, 3, [-1.2, 0.02, 0.75], [3.2, 0, 1.2])];
}

export function toJson(bodies: LabBody[], mu: number, timeStep: number, spheres: number): string {
    return JSON.stringify({
        schema: "pbdr-scene/2",
        name: "laboratory",
        time_step_s: timeStep,
        duration_s: 10,
        friction_mixing: "geometric_mean",
        planes: [{ normal: [0, 0, 1], friction: mu }],
        bodies: bodies.map((b) => ({
            name: b.name,
            kind: b.kind,
            shape: b.shape,
            ...(b.shape === "box" ? { half_extents_m: b.half, sphere_count: spheres ** 3 } : {}),
            ...(b.shape === "ball" ? { radius_m: b.radius } : {}),
            ...(b.shape === "mesh" ? { vertices_m: b.vertices, triangles: b.triangles } : {}),
            mass_kg: b.mass,
            friction: mu,
            start: { position_m: b.position, rotation_wxyz: b.rotation },
            start_velocity_mps: b.velocity,
            start_angular_velocity_radps: b.spin,
        })),
    });
}

const words = (values: readonly number[]): string => values.map((v) => String(v)).join(" ");

// The same for MuJoCo, with the contact settings of the benchmark's export (the paper's).
export function toMjcf(bodies: LabBody[], mu: number, timeStep: number): string {
    const meshes = bodies.filter((b) => b.shape === "mesh");
    const asset = meshes.map((b, k) => `<mesh name="m${k}" vertex="${words(b.vertices.flat())}" face="${words(b.triangles.flat())}"/>`).join("");
    const list = bodies.map((b, k) => {
        const geom = b.shape === "box" ? `type="box" size="${words(b.half)}"` : b.shape === "ball" ? `type="sphere" size="${b.radius}"` : `type="mesh" mesh="m${meshes.indexOf(b)}"`;
        return `<body name="b${k}" pos="${words(b.position)}" quat="${words(b.rotation)}">${b.kind === "dynamic" ? "<freejoint/>" : ""}<geom ${geom} mass="${b.mass}" friction="${mu} 0 0"/></body>`;
    });
    const velocities = bodies.filter((b) => b.kind === "dynamic").map((b) => words([...b.velocity, ...b.spin]));
    return `<mujoco><option timestep="${timeStep}" cone="elliptic"/><asset>${asset}</asset><worldbody><geom type="plane" size="0 0 1" friction="${mu} 0 0"/>${list.join("")}</worldbody><keyframe><key qvel="${velocities.join(" ")}"/></keyframe></mujoco>`;
}

// What the stage draws; meshes go into `meshes`.
export function toStage(bodies: LabBody[], meshes: { vertices: Float32Array; triangles: Int32Array }[]): Body[] {
    return bodies.map((b) => {
        const geom: Geom = { kind: b.shape, position: [0, 0, 0], rotation: [1, 0, 0, 0], half: b.half, radius: b.radius, halfLength: 0, mesh: meshes.length };
        if (b.shape === "mesh") {
            meshes.push({ vertices: Float32Array.from(b.vertices.flat()), triangles: Int32Array.from(b.triangles.flat()) });
        }
        return { name: b.name, kind: b.kind, mass: b.mass, geoms: [geom] };
    });
}
