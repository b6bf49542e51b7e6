// Scenes with joints (tests 28 to 37) for Jolt: its hinge, slider and point constraints; a spring is a distance constraint whose
// limits are one length, with a spring of that stiffness and damping.

import { normalTo } from "../common/pipe.mjs";

function makeSettings(engine, joint) {
    const J = engine.J, [first, second] = joint.points_m;
    const settings = new J[{ ball: "PointConstraintSettings", hinge: "HingeConstraintSettings", slide: "SliderConstraintSettings",
        spring: "DistanceConstraintSettings" }[joint.kind]]();
    settings.mSpace = J.EConstraintSpace_WorldSpace;
    settings.mPoint1 = engine.place(first);
    settings.mPoint2 = engine.place(second);
    if (joint.kind === "hinge" || joint.kind === "slide") {
        const name = joint.kind === "hinge" ? "mHingeAxis" : "mSliderAxis";
        for (const side of [1, 2]) {
            settings[name + side] = engine.vec(joint.axis);
            settings["mNormalAxis" + side] = engine.vec(normalTo(joint.axis));
        }
    }
    if (joint.kind === "spring") {
        settings.mMinDistance = settings.mMaxDistance = joint.length_m;
        settings.mLimitsSpringSettings.mMode = J.ESpringMode_StiffnessAndDamping;
        settings.mLimitsSpringSettings.mStiffness = joint.stiffness_Npm;
        settings.mLimitsSpringSettings.mDamping = joint.damping_Nspm;
    }
    return settings;
}

/** Adds the scene's joints; `world` is a body that stands still. */
export function addJoints(engine, joints, world) {
    for (const joint of joints) {
        const [first, second] = joint.bodies.map((k) => (k < 0 ? world : engine.items[k].item));
        engine.system.AddConstraint(makeSettings(engine, joint).Create(first, second));
    }
}
