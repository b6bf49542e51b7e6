// Scenes with joints (tests 28 to 37) for Havok: its constraint of six degrees of freedom, with those locked that a joint holds; a
// spring is a limited distance with a stiffness and a damping.
import { normalTo, unrotate } from "../common/pipe.mjs";

const LOCKED = { ball: ["LINEAR_X", "LINEAR_Y", "LINEAR_Z"], hinge: ["LINEAR_X", "LINEAR_Y", "LINEAR_Z", "ANGULAR_Y", "ANGULAR_Z"],
    slide: ["LINEAR_Y", "LINEAR_Z", "ANGULAR_X", "ANGULAR_Y", "ANGULAR_Z"], spring: [] }; // x is the joint's axis

/** Adds the scene's joints; `world` is a body that stands still at the origin. */
export function addJoints(engine, scene, world) {
    const H = engine.H;
    for (const joint of scene.joints ?? []) {
        const id = H.HP_Constraint_Create()[1], axis = joint.axis ?? [1, 0, 0], across = normalTo(axis);
        joint.bodies.forEach((k, side) => {
            const start = k < 0 ? { position_m: [0, 0, 0], rotation_wxyz: [1, 0, 0, 0] } : scene.bodies[k].start;
            const own = (v) => unrotate(start.rotation_wxyz, v);
            const place = own(joint.points_m[side].map((x, i) => x - start.position_m[i])), name = side === 0 ? "Parent" : "Child";
            H[`HP_Constraint_Set${name}Body`](id, k < 0 ? world : engine.items[k].id);
            H[`HP_Constraint_SetAnchorIn${name}`](id, place, own(axis), own(across));
        });
        for (const axisName of LOCKED[joint.kind]) H.HP_Constraint_SetAxisMode(id, H.ConstraintAxis[axisName], H.ConstraintAxisLimitMode.LOCKED);
        if (joint.kind === "spring") {
            const along = H.ConstraintAxis.LINEAR_DISTANCE;
            H.HP_Constraint_SetAxisMode(id, along, H.ConstraintAxisLimitMode.LIMITED);
            H.HP_Constraint_SetAxisMinLimit(id, along, joint.length_m);
            H.HP_Constraint_SetAxisMaxLimit(id, along, joint.length_m);
            H.HP_Constraint_SetAxisStiffness(id, along, joint.stiffness_Npm);
            H.HP_Constraint_SetAxisDamping(id, along, joint.damping_Nspm);
        }
        H.HP_Constraint_SetCollisionsEnabled(id, 0);
        H.HP_Constraint_SetEnabled(id, 1);
    }
}
