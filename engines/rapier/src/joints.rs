//! Scenes with joints (tests 28 to 37): Rapier's impulse joints, hinge, slide and ball with frames of their own in both bodies, and
//! its spring joint.
use super::{number, to_vector, Rapier};
use rapier3d_f64::prelude::*;
use serde_json::Value;

/// Of each kind: what it locks.
fn get_locked(kind: &str) -> Result<JointAxesMask, String> {
    match kind {
        "ball" => Ok(JointAxesMask::LOCKED_SPHERICAL_AXES),
        "hinge" => Ok(JointAxesMask::LOCKED_REVOLUTE_AXES),
        "slide" => Ok(JointAxesMask::LOCKED_PRISMATIC_AXES),
        other => Err(format!("not supported: a joint of kind {other}")),
    }
}

pub fn add_joints(rapier: &mut Rapier, joints: &[Value], world: RigidBodyHandle) -> Result<(), String> {
    for joint in joints {
        let ends: Vec<(RigidBodyHandle, Pose)> = (0..2)
            .map(|side| {
                let k = number(&joint["bodies"][side]);
                let handle = if k < 0.0 { world } else { rapier.items[k as usize].handle };
                (handle, *rapier.world.bodies[handle].position())
            })
            .collect();
        // where a frame of the world is in each body's own
        let point = |side: usize| {
            let (_, pose) = &ends[side];
            pose.rotation.inverse() * (to_vector(&joint["points_m"][side]) - pose.translation)
        };
        let kind = joint["kind"].as_str().unwrap_or("");
        if kind == "spring" {
            let length = number(&joint["length_m"]);
            let spring = SpringJointBuilder::new(length, number(&joint["stiffness_Npm"]), number(&joint["damping_Nspm"]))
                .local_anchor1(point(0))
                .local_anchor2(point(1))
                .spring_model(MotorModel::ForceBased) // else stiffness counts per mass
                .contacts_enabled(false);
            rapier.world.insert_impulse_joint(ends[0].0, ends[1].0, spring);
            continue;
        }
        let axis = if kind == "ball" { Vector::X } else { to_vector(&joint["axis"]) };
        let turn = Rotation::from_rotation_arc(Vector::X, axis); // a joint's own axis is x
        let frame = |side: usize| Pose::from_parts(point(side), ends[side].1.rotation.inverse() * turn);
        let built = GenericJointBuilder::new(get_locked(kind)?)
            .local_frame1(frame(0))
            .local_frame2(frame(1))
            .contacts_enabled(false);
        rapier.world.insert_impulse_joint(ends[0].0, ends[1].0, built);
    }
    Ok(())
}
