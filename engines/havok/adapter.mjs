// Havok as Babylon.js ships it: single precision, compiled to WebAssembly. It has no planes: the ground is a large box.
import { load, packagePath, packageVersion, prescribedState, serve } from "../common/pipe.mjs";
import { addJoints } from "./joints.mjs";
import { readFileSync } from "node:fs";

const GROUND = 400, DEEP = 20; // [m]: sides and depth of the ground's box
const FIXED = 1, MOVING = 2, ROD = 4; // kinds of shapes, for what collides

const wxyz = (q) => [q[3], q[0], q[1], q[2]], xyzw = (q) => [q[1], q[2], q[3], q[0]];

/** Principal moments and their axes (x, y, z, w) of a symmetric matrix, by Jacobi's method. */
function principalAxes(inertia) {
    const a = inertia.map((row) => [...row]), v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    for (let sweep = 0; sweep < 50; sweep++) {
        for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
            if (Math.abs(a[p][q]) < 1e-18) continue;
            const angle = 0.5 * Math.atan2(2 * a[p][q], a[q][q] - a[p][p]), c = Math.cos(angle), s = Math.sin(angle);
            for (let k = 0; k < 3; k++) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
            for (let k = 0; k < 3; k++) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
            for (let k = 0; k < 3; k++) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
        }
    }
    // rotations alone: v stays right-handed; its quaternion by the largest component
    const m = v, trace = m[0][0] + m[1][1] + m[2][2];
    const four = [1 + trace, 1 + 2 * m[0][0] - trace, 1 + 2 * m[1][1] - trace, 1 + 2 * m[2][2] - trace];
    const k = four.indexOf(Math.max(...four));
    const q = [[four[0], m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]], [m[2][1] - m[1][2], four[1], m[1][0] + m[0][1], m[0][2] + m[2][0]],
        [m[0][2] - m[2][0], m[1][0] + m[0][1], four[2], m[2][1] + m[1][2]], [m[1][0] - m[0][1], m[0][2] + m[2][0], m[2][1] + m[1][2], four[3]]][k];
    const size = Math.hypot(...q);
    return [[a[0][0], a[1][1], a[2][2]], xyzw(q.map((x) => x / size))];
}

class HavokEngine {
    constructor(H) {
        this.H = H;
        this.version = packageVersion("@babylonjs/havok");
    }

    makeShape(body) {
        const H = this.H, h = body.half_extents_m, r = body.radius_m;
        switch (body.shape) {
        case "box": return H.HP_Shape_CreateBox([0, 0, 0], [0, 0, 0, 1], h.map((x) => 2 * x))[1];
        case "ball": return H.HP_Shape_CreateSphere([0, 0, 0], r)[1];
        case "cylinder": return H.HP_Shape_CreateCylinder([0, 0, -h[2]], [0, 0, h[2]], r)[1];
        case "rod": return H.HP_Shape_CreateCapsule([r - h[0], 0, 0], [h[0] - r, 0, 0], r)[1];
        default: {
            const points = body.mesh.vertices_m.flat(), memory = H._malloc(4 * points.length);
            new Float32Array(H.HEAPU8.buffer, memory, points.length).set(points);
            const shape = H.HP_Shape_CreateConvexHull(memory, points.length / 3)[1];
            H._free(memory);
            return shape;
        }
        }
    }

    add(shape, place, turn, motion, friction, kind, scene) {
        const H = this.H, id = H.HP_Body_Create()[1];
        const mean = H.MaterialCombine.GEOMETRIC_MEAN;
        H.HP_Shape_SetMaterial(shape, [friction, friction, scene.restitution, mean, H.MaterialCombine.MAXIMUM]);
        H.HP_Shape_SetFilterInfo(shape, [kind, scene.joints ? 0 : kind === MOVING ? FIXED | MOVING | ROD : MOVING]); // with joints nothing touches
        H.HP_Body_SetShape(id, shape);
        H.HP_Body_SetMotionType(id, motion);
        H.HP_Body_SetQTransform(id, [place, turn]);
        return id;
    }

    create(scene, options) {
        const H = this.H;
        this.scene = scene, this.count = 0;
        this.world = H.HP_World_Create()[1];
        H.HP_World_SetGravity(this.world, scene.gravity_mps2);
        H.HP_World_SetIdealStepTime(this.world, options.ideal_step_time_s);
        H.HP_World_SetSpeedLimit(this.world, 1e4, 1e4);
        const n = scene.ground_normal, size = Math.hypot(1 + n[2], n[0], n[1]);
        const turn = [-n[1] / size, n[0] / size, 0, (1 + n[2]) / size]; // +z to the normal
        const ground = H.HP_Shape_CreateBox([0, 0, -DEEP / 2], [0, 0, 0, 1], [GROUND, GROUND, DEEP])[1];
        const standing = this.add(ground, [0, 0, 0], turn, H.MotionType.STATIC, scene.ground_friction, FIXED, scene);
        H.HP_World_AddBody(this.world, standing, false);
        this.items = scene.bodies.map((body) => {
            const friction = body.prescribed ? (scene.ground_friction > 0 ? scene.pair_friction ** 2 / scene.ground_friction : 0) : scene.ground_friction;
            const id = this.add(this.makeShape(body), body.start.position_m, xyzw(body.start.rotation_wxyz),
                body.prescribed ? H.MotionType.KINEMATIC : H.MotionType.DYNAMIC, friction, body.prescribed ? ROD : MOVING, scene);
            if (!body.prescribed) {
                const [moments, axes] = principalAxes(body.inertia_kgm2);
                H.HP_Body_SetMassProperties(id, [[0, 0, 0], body.mass_kg, moments.map((x) => x / body.mass_kg), axes]);
                H.HP_Body_SetLinearDamping(id, 0); // air: the tests have none
                H.HP_Body_SetAngularDamping(id, 0);
                H.HP_Body_SetActivationControl(id, options.allow_sleeping ? H.ActivationControl.SIMULATION_CONTROLLED : H.ActivationControl.ALWAYS_ACTIVE);
            }
            H.HP_World_AddBody(this.world, id, false);
            if (!body.prescribed) {
                H.HP_Body_SetLinearVelocity(id, body.velocity_mps);
                H.HP_Body_SetAngularVelocity(id, body.angular_velocity_radps);
            }
            const dt = scene.time_step_s;
            return { body, id, impulse: body.force_N.map((x) => x * dt), twist: body.torque_Nm.map((x) => x * dt),
                pushed: [...body.force_N, ...body.torque_Nm].some((x) => x !== 0) };
        });
        addJoints(this, scene, standing);
    }

    step(n) {
        const H = this.H, dt = this.scene.time_step_s;
        for (let k = 0; k < n; k++) {
            this.count++;
            for (const { body, id, impulse, twist, pushed } of this.items) {
                if (body.prescribed) {
                    const x = prescribedState(body, this.count * dt);
                    H.HP_Body_SetTargetQTransform(id, [x.slice(0, 3), xyzw(body.start.rotation_wxyz)]);
                } else if (pushed) { // Havok has impulses alone: the force's of one step, at the centre of mass
                    H.HP_Body_ApplyImpulse(id, H.HP_Body_GetPosition(id)[1], impulse);
                    H.HP_Body_ApplyAngularImpulse(id, twist);
                }
            }
            H.HP_World_Step(this.world, dt);
        }
    }

    read(k) {
        const H = this.H, { body, id } = this.items[k];
        if (body.prescribed) return prescribedState(body, this.count * this.scene.time_step_s);
        const [place, turn] = H.HP_Body_GetQTransform(id)[1];
        return [...place, ...wxyz(turn), ...H.HP_Body_GetLinearVelocity(id)[1], ...H.HP_Body_GetAngularVelocity(id)[1]];
    }
}

await serve(import.meta.url, async () => {
    const { default: make } = await load("@babylonjs/havok");
    const wasmBinary = readFileSync(packagePath("@babylonjs/havok", "lib/umd/HavokPhysics.wasm"));
    return new HavokEngine(await (make.default ?? make)({ wasmBinary }));
});
