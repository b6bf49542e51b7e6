"""Nimble, a differentiable fork of DART: free joints, contacts as a linear complementarity problem; its ground is a box."""

import os
import tempfile

import nimblephysics as nimble
import numpy as np

from pbdr_adapter import Adapter, ground_turn, matrix_of, prescribed_state, quaternion_of

ROD_MASS = 1e6  # [kg]: its state is overwritten before each step
SIDE, THICK = 200.0, 1.0  # [m], of the ground's box


def make_pose(turn, place):
    pose = nimble.math.Isometry3()
    pose.set_rotation(turn)
    pose.set_translation(place)
    return pose


class Nimble(Adapter):
    def create(self, scene):
        self.start(scene)
        o = self.options
        self.world = nimble.simulation.World()
        self.world.setTimeStep(scene.time_step)
        self.world.setGravity(scene.gravity)
        self.world.setPenetrationCorrectionEnabled(o["penetration_correction"])
        self.world.setParallelVelocityAndPositionUpdates(o["parallel_updates"])
        ground = nimble.dynamics.Skeleton()
        joint, node = ground.createWeldJointAndBodyNodePair()
        joint.setTransformFromParentBodyNode(make_pose(matrix_of(ground_turn(scene.ground_normal)), -THICK / 2 * scene.ground_normal))
        self.add_shape(node, nimble.dynamics.BoxShape([SIDE, SIDE, THICK]), scene.ground_friction)
        self.world.addSkeleton(ground)
        self.nodes, self.joints = [], []
        for body in scene.bodies:
            self.add_body(body)
        self.pushed = [(n, b) for n, b in zip(self.nodes, scene.bodies) if b.force.any() or b.torque.any()]
        self.rods = [(j, b) for j, b in zip(self.joints, scene.bodies) if b.prescribed]
        self.count = 0

    def add_shape(self, node, shape, friction, place=None):
        held = node.createShapeNode(shape)
        held.createCollisionAspect()
        held.createDynamicsAspect()
        if place is not None:
            held.setRelativeTransform(place)
        node.setFrictionCoeff(friction)
        node.setRestitutionCoeff(self.scene.restitution)

    def add_body(self, body):
        skeleton = nimble.dynamics.Skeleton()
        pose = make_pose(matrix_of(body.rotation), body.position)
        if body.prescribed:
            joint, node = skeleton.createPrismaticJointAndBodyNodePair()
            joint.setTransformFromParentBodyNode(pose)
            size = np.linalg.norm(body.prescribed_acceleration) or 1.0
            joint.setAxis(matrix_of(body.rotation).T @ body.prescribed_acceleration / size)
            node.setGravityMode(False)
            node.setInertia(nimble.dynamics.Inertia(ROD_MASS, np.zeros(3), np.eye(3)))
            turn = make_pose(np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]), np.zeros(3))  # z to x
            self.add_shape(node, nimble.dynamics.CapsuleShape(body.radius, 2 * (body.half_extents[0] - body.radius)), self.scene.pair_friction, turn)
        else:
            joint, node = skeleton.createFreeJointAndBodyNodePair()
            if body.shape == "box":
                shape = nimble.dynamics.BoxShape(2 * body.half_extents)
            elif body.shape == "ball":
                shape = nimble.dynamics.SphereShape(body.radius)
            else:
                path = os.path.join(tempfile.mkdtemp(), "mesh.obj")
                with open(path, "w") as file:
                    file.writelines("v %.17g %.17g %.17g\n" % tuple(v) for v in body.mesh.vertices)
                    file.writelines("f %d %d %d\n" % tuple(t + 1) for t in body.mesh.triangles)
                shape = nimble.dynamics.MeshShape(np.ones(3), path)
            self.add_shape(node, shape, max(self.scene.ground_friction, self.scene.pair_friction))
            node.setInertia(nimble.dynamics.Inertia(body.mass, np.zeros(3), body.inertia))
            joint.setTransform(pose)
            joint.setLinearVelocity(body.velocity)
            joint.setAngularVelocity(body.angular_velocity)
        self.world.addSkeleton(skeleton)
        self.nodes.append(node)
        self.joints.append(joint)

    def advance(self, n):
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

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        node = self.nodes[body]
        pose = node.getWorldTransform()
        return (np.ravel(pose.translation()), quaternion_of(pose.rotation()), np.ravel(node.getCOMLinearVelocity()),
                np.ravel(node.getAngularVelocity()))
