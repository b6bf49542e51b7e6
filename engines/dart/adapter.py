"""DART through dartpy: free joints, contacts as a boxed linear complementarity problem."""

import os
import tempfile

import dartpy as dart
import numpy as np

from pbdr_adapter import Adapter, matrix_of, prescribed_state, quaternion_of

ROD_MASS = 1e6  # [kg]: its state is overwritten before each step
URDF = """<robot name="r"><link name="body"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial><collision><geometry><mesh filename="{path}"/></geometry></collision></link></robot>"""


def load_mesh(mesh):
    """A skeleton with the mesh: dartpy makes mesh shapes out of files alone."""
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "mesh.obj"), "w") as file:
        file.writelines("v %.17g %.17g %.17g\n" % tuple(v) for v in mesh.vertices)
        file.writelines("f %d %d %d\n" % tuple(t + 1) for t in mesh.triangles)
    path = os.path.join(folder, "body.urdf")
    with open(path, "w") as file:
        file.write(URDF.format(path=os.path.join(folder, "mesh.obj")))
    return dart.utils.DartLoader().parseSkeleton(path)


class Dart(Adapter):
    def create(self, scene):
        self.start(scene)
        o = self.options
        self.world = dart.simulation.World()
        self.world.setTimeStep(scene.time_step)
        self.world.setGravity(scene.gravity)
        self.world.setCollisionDetector(getattr(dart.simulation.CollisionDetectorType, o["collision_detector"]))
        self.world.getConstraintSolver().setSplitImpulseEnabled(o["split_impulse"])
        self.world.getConstraintSolver().getCollisionOption().maxNumContacts = o["max_contacts"]
        rest = self.world.getDeactivationOptions()
        rest.mEnabled = o["deactivation"]
        self.world.setDeactivationOptions(rest)
        ground = dart.dynamics.Skeleton("ground")
        _, node = ground.createWeldJointAndBodyNodePair()
        if o["ground"] == "plane":
            shape, place = dart.dynamics.PlaneShape(scene.ground_normal, 0.0), None
        else:  # a box under the ground, turned to its normal
            thick = 1.0
            shape = dart.dynamics.BoxShape([200.0, 200.0, thick])
            place = dart.math.Isometry3()
            axis = np.cross([0, 0, 1], scene.ground_normal)
            angle = np.arcsin(min(1.0, np.linalg.norm(axis)))
            axis = axis / np.linalg.norm(axis) if angle else np.array([1.0, 0, 0])
            place.set_rotation(matrix_of([np.cos(angle / 2), *(np.sin(angle / 2) * axis)]))
            place.set_translation(-thick / 2 * scene.ground_normal)
        self.add_shape(node, shape, scene.ground_friction, scene.restitution, place)
        self.world.addSkeleton(ground)
        self.nodes, self.joints = [], []
        for k, body in enumerate(scene.bodies):
            self.add_body(k, body, scene)
        self.forced = [(node, body) for node, body in zip(self.nodes, scene.bodies) if body.force.any() or body.torque.any()]
        self.count = 0

    def add_shape(self, node, shape, friction, restitution, place=None):
        held = node.createShapeNode(shape)
        held.createCollisionAspect()
        dynamics = held.createDynamicsAspect()
        dynamics.setFrictionCoeff(friction)
        dynamics.setRestitutionCoeff(restitution)
        if place is not None:
            held.setRelativeTransform(place)

    def add_body(self, k, body, scene):
        pose = dart.math.Isometry3()
        pose.set_rotation(matrix_of(body.rotation))
        pose.set_translation(body.position)
        if body.prescribed:
            skeleton = dart.dynamics.Skeleton(f"body{k}")
            joint, node = skeleton.createPrismaticJointAndBodyNodePair()
            size = np.linalg.norm(body.prescribed_acceleration) or 1.0
            joint.setTransformFromParentBodyNode(pose)
            joint.setAxis(matrix_of(body.rotation).T @ body.prescribed_acceleration / size)
            node.setGravityMode(False)
            node.setInertia(dart.dynamics.Inertia(ROD_MASS, np.zeros(3), np.eye(3)))
            turn = dart.math.Isometry3()
            turn.set_rotation(np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]))  # z to x
            half = body.half_extents[0] - body.radius
            self.add_shape(node, dart.dynamics.CapsuleShape(body.radius, 2 * half), scene.pair_friction, 0.0, turn)
        else:
            if body.shape == "mesh":
                skeleton = load_mesh(body.mesh)
                skeleton.setName(f"body{k}")
                node, joint = skeleton.getBodyNode(0), skeleton.getJoint(0)
                dynamics = node.getShapeNode(0).getDynamicsAspect() or node.getShapeNode(0).createDynamicsAspect()
                dynamics.setFrictionCoeff(scene.ground_friction)
                dynamics.setRestitutionCoeff(scene.restitution)
            else:
                skeleton = dart.dynamics.Skeleton(f"body{k}")
                joint, node = skeleton.createFreeJointAndBodyNodePair()
                shapes = {"box": lambda: dart.dynamics.BoxShape(2 * body.half_extents),
                          "ball": lambda: dart.dynamics.SphereShape(body.radius),
                          "cylinder": lambda: dart.dynamics.CylinderShape(body.radius, 2 * body.half_extents[2])}
                self.add_shape(node, shapes[body.shape](), max(scene.ground_friction, scene.pair_friction), scene.restitution)
            node.setInertia(dart.dynamics.Inertia(body.mass, np.zeros(3), body.inertia))
            joint.setTransform(pose)
            joint.setLinearVelocity(body.velocity)
            joint.setAngularVelocity(body.angular_velocity)
        self.world.addSkeleton(skeleton)
        self.nodes.append(node)
        self.joints.append(joint)

    def advance(self, n):
        dt = self.scene.time_step
        rods = [(j, b) for j, b in zip(self.joints, self.scene.bodies) if b.prescribed]
        for _ in range(n):
            t = self.count * dt
            for joint, body in rods:
                a = np.linalg.norm(body.prescribed_acceleration)
                joint.setPosition(0, 0.5 * a * t * t)
                joint.setVelocity(0, a * (t + 0.5 * dt))
            for node, body in self.forced:
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

    def contact_force(self, body):
        contacts = self.world.getLastCollisionResult().getContacts()
        own, total = self.nodes[body].getShapeNode(0).getShape(), np.zeros(3)
        for contact in contacts:  # the force is that on the first of the two
            total += np.ravel(contact.force) * ((contact.collisionObject1.getShape() is own) - 1.0 * (contact.collisionObject2.getShape() is own))
        return total if total.any() else None  # a body that has been deactivated has no contact forces
