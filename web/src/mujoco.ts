// MuJoCo in its own WebAssembly package, beside our engine: the same scene, the same clock, the same pull. It also compiles MJCF
// for us, as its native library does for `pbdr run`.
import loadMujoco from "@mujoco/mujoco";
import * as THREE from "three";
import { type LabBody, type LabPart, type LabScene, makePart } from "./labscene";

type Module = Awaited<ReturnType<typeof loadMujoco>>;
type Model = ReturnType<Module["MjModel"]["from_xml_string"]>;

// mjtGeom
const PLANE = 0;
const SHAPES: Record<number, LabPart["shape"]> = { 2: "ball", 3: "capsule", 5: "cylinder", 6: "box", 7: "mesh" };

const turned = (q: THREE.Quaternion): number[] => [q.w, q.x, q.y, q.z];
const readQuat = (from: ArrayLike<number>, at: number): THREE.Quaternion => new THREE.Quaternion(from[at + 1], from[at + 2], from[at + 3], from[at]);
const readVec = (from: ArrayLike<number>, at: number): THREE.Vector3 => new THREE.Vector3(from[at], from[at + 1], from[at + 2]);

export class Mujoco {
    private model: Model | null = null;
    private data: InstanceType<Module["MjData"]> | null = null;
    readonly version: string;

    private constructor(private readonly module: Module) {
        this.version = module.mj_versionString();
    }

    static async load(binary: Uint8Array<ArrayBuffer>): Promise<Mujoco> {
        const url = URL.createObjectURL(new Blob([binary], { type: "application/wasm" }));
        return new Mujoco(await loadMujoco({ locateFile: () => url }));
    }

    // Starts from the model's first keyframe, if it has one.
    open(xml: string): void {
        this.close();
        this.model = this.module.MjModel.from_xml_string(xml);
        this.data = new this.module.MjData(this.model);
        if (Number(this.model.nkey) > 0) {
            this.module.mj_resetDataKeyframe(this.model, this.data, 0);
        }
        this.module.mj_forward(this.model, this.data);
    }

    close(): void {
        this.data?.delete();
        this.model?.delete();
        this.data = this.model = null;
    }

    get bodyCount(): number {
        return this.model === null ? 0 : Number(this.model.nbody) - 1;
    }

    step(): void {
        this.module.mj_step(this.model!, this.data!);
    }

    // 7 numbers per body: its centre of mass, and its rotation wxyz.
    poses(): Float64Array {
        const out = new Float64Array(7 * this.bodyCount);
        const places = this.data!.xipos as Float64Array;
        const turns = this.data!.xquat as Float64Array;
        for (let k = 0; k < this.bodyCount; k++) {
            out.set(places.subarray(3 * k + 3, 3 * k + 6), 7 * k);
            out.set(turns.subarray(4 * k + 4, 4 * k + 8), 7 * k + 3);
        }
        return out;
    }

    // Of free bodies: velocities of the centres of mass and angular ones, in world axes. A free joint wants the frame's, and
    // the angular one in the body's axes.
    setMotions(bodies: LabBody[]): void {
        const model = this.model!;
        bodies.forEach((body, k) => {
            const joint = (model.body_jntadr as Int32Array)[k + 1]!;
            if (joint < 0) {
                return;
            }
            const spin = new THREE.Vector3(...(body.spin as [number, number, number]));
            const q = readQuat(this.data!.xquat as Float64Array, 4 * (k + 1));
            const arm = readVec(this.data!.xipos as Float64Array, 3 * (k + 1)).sub(readVec(this.data!.xpos as Float64Array, 3 * (k + 1)));
            const velocity = new THREE.Vector3(...(body.velocity as [number, number, number])).sub(spin.clone().cross(arm));
            const own = spin.applyQuaternion(q.invert());
            (this.data!.qvel as Float64Array).set([...velocity.toArray(), ...own.toArray()], (model.jnt_dofadr as Int32Array)[joint]!);
        });
        this.module.mj_forward(model, this.data!);
    }

    // Force and torque on every body, at the centre of mass, world axes: 6 numbers each.
    setForces(forces: readonly number[][]): void {
        const all = this.data!.xfrc_applied as Float64Array;
        forces.forEach((f, k) => k < this.bodyCount && all.set(f, 6 * (k + 1)));
    }

    setFriction(mu: number): void {
        const all = this.model!.geom_friction as Float64Array;
        for (let k = 0; k < all.length; k += 3) {
            all[k] = mu;
        }
    }

    // --- MJCF, compiled ---

    // A scene of the laboratory out of MJCF: free bodies, and what stands still.
    read(xml: string): LabScene {
        this.open(xml);
        const model = this.model!;
        const scene: LabScene = { bodies: [], planes: [], gravity: Array.from(model.opt.gravity as Float64Array), friction: 0.4 };
        const roots = new Map<number, LabBody>();
        const count = Number(model.ngeom);
        for (let g = 0; g < count; g++) {
            const id = (model.geom_bodyid as Int32Array)[g]!;
            const kind = (model.geom_type as Int32Array)[g]!;
            const frame = { position: readVec(model.geom_pos as Float64Array, 3 * g), rotation: readQuat(model.geom_quat as Float64Array, 4 * g) };
            scene.friction = (model.geom_friction as Float64Array)[3 * g]!;
            if (kind === PLANE) {
                const at = readVec(this.data!.geom_xpos as Float64Array, 3 * g);
                const axes = this.data!.geom_xmat as Float64Array;
                const normal = [axes[9 * g + 2]!, axes[9 * g + 5]!, axes[9 * g + 8]!];
                scene.planes.push({ normal, offset: at.dot(new THREE.Vector3(...(normal as [number, number, number]))) });
                continue;
            }
            if (!roots.has(id)) {
                roots.set(id, this.readBody(id));
                scene.bodies.push(roots.get(id)!);
            }
            roots.get(id)!.parts.push(this.readGeom(g, kind, frame.position.toArray(), turned(frame.rotation)));
        }
        if (scene.bodies.length === 0) {
            throw new Error("the scene has no bodies");
        }
        return scene;
    }

    private readBody(id: number): LabBody {
        const model = this.model!;
        const joints = (model.body_jntnum as Int32Array)[id]!;
        const free = joints === 1 && (model.jnt_type as Int32Array)[(model.body_jntadr as Int32Array)[id]!] === 0;
        if ((joints > 0 && !free) || (model.body_mocapid as Int32Array)[id]! >= 0) {
            throw new Error("the laboratory takes free bodies and what stands still: no joints, no mocap bodies");
        }
        const q = readQuat(this.data!.xquat as Float64Array, 4 * id);
        return {
            name: `body ${id}`,
            kind: free ? "dynamic" : "static",
            parts: [],
            mass: (model.body_mass as Float64Array)[id]!,
            position: readVec(this.data!.xpos as Float64Array, 3 * id).toArray(),
            rotation: turned(q),
            velocity: [0, 0, 0],
            spin: [0, 0, 0],
            force: [0, 0, 0],
            torque: [0, 0, 0],
        };
    }

    private readGeom(g: number, kind: number, position: number[], rotation: number[]): LabPart {
        const model = this.model!;
        const shape = SHAPES[kind];
        if (shape === undefined) {
            throw new Error("the laboratory takes boxes, spheres, capsules, cylinders and meshes");
        }
        const size = Array.from((model.geom_size as Float64Array).subarray(3 * g, 3 * g + 3));
        const part = makePart(shape, { position, rotation, half: size, radius: size[0]!, halfLength: size[1]! });
        if (shape === "mesh") {
            const mesh = (model.geom_dataid as Int32Array)[g]!;
            const rows = (all: ArrayLike<number>, first: number, rowCount: number): number[][] => Array.from({ length: rowCount }, (_, k) => [0, 1, 2].map((i) => all[3 * (first + k) + i]!));
            part.vertices = rows(model.mesh_vert as Float32Array, (model.mesh_vertadr as Int32Array)[mesh]!, (model.mesh_vertnum as Int32Array)[mesh]!);
            part.triangles = rows(model.mesh_face as Int32Array, (model.mesh_faceadr as Int32Array)[mesh]!, (model.mesh_facenum as Int32Array)[mesh]!);
        }
        return part;
    }
}
