"""PhysX 5 on the CPU, through SAPIEN: single precision, TGS or PGS, patch friction."""

import numpy as np
import sapien
from sapien import physx

import joints
from pbdr_adapter import Adapter, ground_turn, matrix_of, prescribed_state, principal_axes, quaternion_of

X_TO_Z = np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])  # PhysX's planes face +x, and its capsules and cylinders lie along x


class PhysX(Adapter):
    def create(self, scene):
        self.start(scene)
        o = self.options
        config = physx.get_scene_config()
        config.gravity = scene.gravity
        config.enable_tgs, config.enable_pcm = o["tgs"], o["pcm"]
        config.enable_friction_every_iteration = o["friction_every_iteration"]
        config.bounce_threshold = o["bounce_threshold_mps"]
        physx.set_scene_config(config)
        self.system = physx.PhysxCpuSystem()
        self.system.timestep = scene.time_step
        self.world = sapien.Scene([self.system])
        plane = physx.PhysxCollisionShapePlane(self.make_material(scene.ground_friction))
        turn = quaternion_of(matrix_of(ground_turn(scene.ground_normal)) @ X_TO_Z)
        self.add(physx.PhysxRigidStaticComponent(), plane, sapien.Pose([0, 0, 0], turn))
        self.parts = []
        links, loose = joints.make_links(scene) if scene.joints else (None, [])
        for link in (links or {}).values():  # their joints say where they are
            self.add(link, None, None)
        for k, body in enumerate(scene.bodies):
            part = links[k] if links else physx.PhysxRigidDynamicComponent()
            # a pair has the mean of two coefficients
            friction = 2 * scene.pair_friction - scene.ground_friction if body.prescribed else scene.ground_friction
            if not links:
                self.add(part, self.make_shape(body, self.make_material(friction)), sapien.Pose(body.position, body.rotation))
                part.kinematic = body.prescribed
            if not body.prescribed:
                moments, axes = principal_axes(body.inertia)
                part.mass = body.mass
                part.cmass_local_pose = sapien.Pose([0, 0, 0], axes)
                part.inertia = moments
                part.linear_damping = part.angular_damping = 0.0  # air: the tests have none
                part.max_angular_velocity = 1e4
                part.max_depenetration_velocity = o["max_depenetration_velocity_mps"]
                solved = part.articulation if links else part
                solved.sleep_threshold = o["sleep_threshold"]
                solved.solver_position_iterations = o["position_iterations"]
                solved.solver_velocity_iterations = o["velocity_iterations"]
                if not links:
                    part.linear_velocity, part.angular_velocity = body.velocity, body.angular_velocity
            self.parts.append(part)
        if links:
            joints.set_rates(scene, links)
        joints.add_joints(scene, self.parts, loose)
        self.count = 0
        self.pushed = [(p, b) for p, b in zip(self.parts, scene.bodies) if b.force.any() or b.torque.any()]
        self.rods = [(p, b) for p, b in zip(self.parts, scene.bodies) if b.prescribed]

    def make_material(self, friction):
        return physx.PhysxMaterial(friction, friction, self.scene.restitution)

    def make_shape(self, body, material):
        if body.shape == "box":
            shape = physx.PhysxCollisionShapeBox(body.half_extents, material)
        elif body.shape == "ball":
            shape = physx.PhysxCollisionShapeSphere(body.radius, material)
        elif body.shape == "rod":
            shape = physx.PhysxCollisionShapeCapsule(body.radius, body.half_extents[0] - body.radius, material)
        elif body.shape == "cylinder":
            shape = physx.PhysxCollisionShapeCylinder(body.radius, body.half_extents[2], material)
            shape.local_pose = sapien.Pose([0, 0, 0], quaternion_of(X_TO_Z))
        else:
            shape = physx.PhysxCollisionShapeConvexMesh(body.mesh.vertices.astype(np.float32), np.ones(3, np.float32), material)
        return shape

    def add(self, part, shape, pose):
        if not self.scene.joints:  # else nothing touches
            shape.contact_offset, shape.rest_offset = self.options["contact_offset_m"], self.options["rest_offset_m"]
            part.attach(shape)
        entity = sapien.Entity()
        entity.add_component(part)
        if pose is not None:
            entity.pose = pose
        self.world.add_entity(entity)

    def advance(self, n):
        for _ in range(n):
            self.count += 1
            for part, body in self.rods:
                target = prescribed_state(body, self.count * self.scene.time_step).position
                part.set_kinematic_target(sapien.Pose(target, body.rotation))
            for part, body in self.pushed:
                part.add_force_torque(body.force, body.torque)
            with self.clock:
                self.system.step()

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        part = self.parts[body]
        pose = part.pose
        return pose.p, pose.q, part.linear_velocity, part.angular_velocity

    def contact_force(self, body):
        total, found = np.zeros(3), False
        for contact in self.system.get_contacts():
            if self.parts[body] in list(contact.bodies):
                found = True
                sign = 1.0 if contact.bodies[0] == self.parts[body] else -1.0
                total += sign * sum(np.asarray(point.impulse, float) for point in contact.points) / self.scene.time_step
        return total if found else None  # of a body that sleeps nothing is told
