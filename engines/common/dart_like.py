"""DART's API, for the two packages that have it: dartpy, and nimblephysics, a fork of DART. Free joints, a rod on a slide joint.

An adapter names its package (`api`) and says what differs: the world's options, the ground, how friction is set, how a mesh
comes in.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from pbdr_adapter import Adapter, ground_turn, matrix_of, prescribed_state, quaternion_of

ROD_MASS = 1e6  # [kg]: its state is overwritten before each step
SIDE, THICK = 200.0, 1.0  # [m], of a ground that is a box
Z_TO_X = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # capsules lie along z


def write_obj(mesh: Any) -> str:
    """The path of a new file with the mesh; both packages read meshes from files alone."""
    path = os.path.join(tempfile.mkdtemp(), "mesh.obj")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("v %.17g %.17g %.17g\n" % tuple(v) for v in mesh.vertices)
        file.writelines("f %d %d %d\n" % tuple(t + 1) for t in mesh.triangles)
    return path


class DartAdapter(Adapter):
    api: Any  # dartpy or nimblephysics

    # --- What differs ---

    def set_options(self, options: dict[str, Any]) -> None:
        """Of self.world."""
        raise NotImplementedError

    def set_friction(self, node: Any, shape_node: Any, friction: float) -> None:
        """And restitution, the scene's."""
        raise NotImplementedError

    def make_ground(self) -> tuple[Any, Any]:
        """Its shape and pose: a box under the ground's plane, turned to its normal."""
        normal = self.scene.ground_normal
        return self.api.dynamics.BoxShape([SIDE, SIDE, THICK]), self.make_pose(matrix_of(ground_turn(normal)), -THICK / 2 * normal)

    def load_mesh(self, k: int, body: Any, friction: float) -> tuple[Any, Any, Any]:
        """Skeleton, joint and node of a free body with a mesh."""
        raise NotImplementedError

    # --- The scene ---

    def create(self, scene: Any) -> None:
        self.start(scene)
        self.world = self.api.simulation.World()
        self.world.setTimeStep(scene.time_step)
        self.world.setGravity(scene.gravity)
        self.set_options(self.options)
        ground = self.api.dynamics.Skeleton("ground")
        joint, node = ground.createWeldJointAndBodyNodePair()
        shape, pose = self.make_ground()
        if pose is not None:
            joint.setTransformFromParentBodyNode(pose)
        self.add_shape(node, shape, scene.ground_friction)
        self.world.addSkeleton(ground)
        self.nodes: list[Any] = []
        self.joints: list[Any] = []
        if scene.joints:
            import dart_joints
            self.nodes = dart_joints.create(self, scene)
        for k, body in enumerate(scene.bodies if not scene.joints else []):
            skeleton, joint, node = self.make_rod(k, body) if body.prescribed else self.make_free(k, body)
            self.world.addSkeleton(skeleton)
            self.joints.append(joint)
            self.nodes.append(node)
        self.pushed = [(node, body) for node, body in zip(self.nodes, scene.bodies) if body.force.any() or body.torque.any()]
        self.rods = [(joint, body) for joint, body in zip(self.joints, scene.bodies) if body.prescribed]
        self.count = 0

    def make_pose(self, turn: Any, place: Any) -> Any:
        pose = self.api.math.Isometry3()
        pose.set_rotation(turn)
        pose.set_translation(place)
        return pose

    def add_shape(self, node: Any, shape: Any, friction: float, place: Any = None) -> None:
        held = node.createShapeNode(shape)
        held.createCollisionAspect()
        held.createDynamicsAspect()
        if place is not None:
            held.setRelativeTransform(place)
        self.set_friction(node, held, friction)

    def make_rod(self, k: int, body: Any) -> tuple[Any, Any, Any]:
        skeleton = self.api.dynamics.Skeleton(f"body{k}")
        joint, node = skeleton.createPrismaticJointAndBodyNodePair()
        turn, size = matrix_of(body.rotation), np.linalg.norm(body.prescribed_acceleration) or 1.0
        joint.setTransformFromParentBodyNode(self.make_pose(turn, body.position))
        joint.setAxis(turn.T @ body.prescribed_acceleration / size)
        node.setGravityMode(False)
        node.setInertia(self.api.dynamics.Inertia(ROD_MASS, np.zeros(3), np.eye(3)))
        shape = self.api.dynamics.CapsuleShape(body.radius, 2 * (body.half_extents[0] - body.radius))
        self.add_shape(node, shape, self.scene.pair_friction, self.make_pose(Z_TO_X, np.zeros(3)))
        return skeleton, joint, node

    def make_free(self, k: int, body: Any) -> tuple[Any, Any, Any]:
        friction = max(self.scene.ground_friction, self.scene.pair_friction)  # of two coefficients the smaller counts
        if body.shape == "mesh":
            skeleton, joint, node = self.load_mesh(k, body, friction)
        else:
            skeleton = self.api.dynamics.Skeleton(f"body{k}")
            joint, node = skeleton.createFreeJointAndBodyNodePair()
            self.add_shape(node, self.make_shape(body), friction)
        node.setInertia(self.api.dynamics.Inertia(body.mass, np.zeros(3), body.inertia))
        joint.setTransform(self.make_pose(matrix_of(body.rotation), body.position))
        joint.setLinearVelocity(body.velocity)
        joint.setAngularVelocity(body.angular_velocity)
        return skeleton, joint, node

    def make_shape(self, body: Any) -> Any:
        if body.shape == "box":
            return self.api.dynamics.BoxShape(2 * body.half_extents)
        if body.shape == "ball":
            return self.api.dynamics.SphereShape(body.radius)
        return self.api.dynamics.CylinderShape(body.radius, 2 * body.half_extents[2])

    # --- Steps ---

    def advance(self, n: int) -> None:
        dt = self.scene.time_step
        for _ in range(n):
            t = self.count * dt
            for joint, body in self.rods:
                a = np.linalg.norm(body.prescribed_acceleration)
                joint.setPosition(0, 0.5 * a * t * t)
                joint.setVelocity(0, a * (t + 0.5 * dt))
            for node, body in self.pushed:
                node.addExtForce(body.force, np.zeros(3), False, True)
                node.addExtTorque(body.torque, False)
            self.count += 1
            with self.clock:
                self.world.step(True)

    def read(self, body: int) -> Any:
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        node = self.nodes[body]
        pose = node.getWorldTransform()
        return (np.ravel(pose.translation()), quaternion_of(pose.rotation()), np.ravel(node.getCOMLinearVelocity()),
                np.ravel(node.getAngularVelocity()))
