"""Scenes with joints (tests 28 to 37) for Drake: a tree of the plant's own joints; what closes a loop is a ball constraint (a hinge:
two, on its axis), and springs are its force elements."""

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlant, ExternallyAppliedSpatialForce, MultibodyPlantConfig
from pydrake.multibody.math import SpatialForce, SpatialVelocity
from pydrake.multibody.tree import BallRpyJoint, FixedOffsetFrame, LinearSpringDamper, PrismaticJoint, RevoluteJoint, SpatialInertia, UnitInertia
from pydrake.common.eigen_geometry import Quaternion
from pydrake.common.value import AbstractValue
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantValueSource

from mjcf_tree import REACH, Tree, get_start, to_own
from pbdr_adapter import matrix_of


SPUN = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])  # axes of a ball's frame in its body: its x, about which roll is, is the body's z


def add_frame(plant, scene, bodies, body, point, turn):
    """A frame of a body (-1: the world) at a point and with a rotation of the world's at the start."""
    link = plant.world_body() if body < 0 else bodies[body]
    own = matrix_of(get_start(scene, body)[1]).T @ turn
    pose = RigidTransform(RotationMatrix.ProjectToRotationMatrix(own), to_own(scene, body, point))
    return plant.AddFrame(FixedOffsetFrame(f"frame{plant.num_frames()}", link.body_frame(), pose))


def add_joint(plant, scene, bodies, tree, body):
    """What a body hangs on. Both frames have the world's axes at the start, but a ball's in the body, so that yaw, pitch and roll are a
    top's precession, nutation and spin: Drake has no ball joint by quaternions."""
    joint, parent = tree.joints[body], tree.parents[body]
    point, ball = joint.points[0], joint.kind == "ball"
    frames = (add_frame(plant, scene, bodies, parent, point, np.eye(3)),
              add_frame(plant, scene, bodies, body, point, matrix_of(get_start(scene, body)[1]) @ SPUN if ball else np.eye(3)))
    if ball:
        return plant.AddJoint(BallRpyJoint(f"joint{body}", *frames))
    kind = RevoluteJoint if joint.kind == "hinge" else PrismaticJoint
    return plant.AddJoint(kind(f"joint{body}", *frames, joint.axis))


def close_loop(plant, scene, bodies, joint):
    links = [plant.world_body() if body < 0 else bodies[body] for body in joint.bodies]
    points = [joint.points[0]] if joint.kind == "ball" else [joint.points[0] + side * REACH * joint.axis for side in (-1, 1)]
    for point in points:
        own = [to_own(scene, body, point) for body in joint.bodies]
        plant.AddBallConstraint(body_A=links[0], p_AP=own[0], body_B=links[1], p_BQ=own[1])


def create(scene, options):
    """Plant, bodies and simulator, at the start."""
    builder, tree = DiagramBuilder(), Tree(scene)
    plant, _ = AddMultibodyPlant(MultibodyPlantConfig(time_step=scene.time_step, discrete_contact_approximation=options["approximation"]), builder)
    plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
    bodies = [plant.AddRigidBody(f"body{k}", SpatialInertia(body.mass, np.zeros(3), UnitInertia(
        *(body.inertia[i] / body.mass for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))))) for k, body in enumerate(scene.bodies)]
    joints = {body: add_joint(plant, scene, bodies, tree, body) for body in tree.joints}
    for joint in tree.closing:
        close_loop(plant, scene, bodies, joint)
    for joint in scene.joints:
        if joint.kind == "spring":
            ends = [v for side in (0, 1) for v in (plant.world_body() if joint.bodies[side] < 0 else bodies[joint.bodies[side]],
                                                    to_own(scene, joint.bodies[side], joint.points[side]))]
            plant.AddForceElement(LinearSpringDamper(*ends, joint.length, joint.stiffness, joint.damping))
    plant.Finalize()
    loads = []
    for link, body in zip(bodies, scene.bodies):
        load = ExternallyAppliedSpatialForce()
        load.body_index, load.p_BoBq_B, load.F_Bq_W = link.index(), np.zeros(3), SpatialForce(body.torque, body.force)
        loads.append(load)
    source = builder.AddSystem(ConstantValueSource(AbstractValue.Make(loads)))
    builder.Connect(source.get_output_port(0), plant.get_applied_spatial_force_input_port())
    simulator = Simulator(builder.Build())
    state = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    for k, (link, body) in enumerate(zip(bodies, scene.bodies)):
        rates, joint = tree.get_rates(k), joints.get(k)
        if joint is None:
            plant.SetFreeBodyPose(state, link, RigidTransform(Quaternion(body.rotation), body.position))
            plant.SetFreeBodySpatialVelocity(state, link, SpatialVelocity(body.angular_velocity, body.velocity))
        elif isinstance(joint, BallRpyJoint):  # rates are in the body's axes, Drake's in the parent's frame, which has the world's at the start
            turn = matrix_of(body.rotation)
            joint.set_angles(state, RollPitchYaw(RotationMatrix.ProjectToRotationMatrix(turn @ SPUN)).vector())
            joint.set_angular_velocity(state, turn @ rates)
        elif isinstance(joint, RevoluteJoint):
            joint.set_angular_rate(state, rates[0])
        else:
            joint.set_translation_rate(state, rates[0])
    simulator.Initialize()
    return plant, bodies, simulator, state
