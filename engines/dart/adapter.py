"""DART through dartpy: contacts as a boxed linear complementarity problem; its ground is a plane or a box."""

import os

import dartpy as dart
import numpy as np

from dart_like import DartAdapter, write_obj

URDF = """<robot name="r"><link name="body"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial><collision><geometry><mesh filename="{path}"/></geometry></collision></link></robot>"""


class Dart(DartAdapter):
    api = dart

    def set_options(self, options):
        self.world.setCollisionDetector(getattr(dart.simulation.CollisionDetectorType, options["collision_detector"]))
        solver = self.world.getConstraintSolver()
        solver.setSplitImpulseEnabled(options["split_impulse"])
        solver.getCollisionOption().maxNumContacts = options["max_contacts"]
        rest = self.world.getDeactivationOptions()
        rest.mEnabled = options["deactivation"]
        self.world.setDeactivationOptions(rest)

    def set_friction(self, node, shape_node, friction):
        dynamics = shape_node.getDynamicsAspect() or shape_node.createDynamicsAspect()
        dynamics.setFrictionCoeff(friction)
        dynamics.setRestitutionCoeff(self.scene.restitution)

    def make_ground(self):
        if self.options["ground"] == "box":
            return super().make_ground()
        return dart.dynamics.PlaneShape(self.scene.ground_normal, 0.0), None

    def load_mesh(self, k, body, friction):
        """Through URDF: dartpy makes mesh shapes out of files alone."""
        mesh = write_obj(body.mesh)
        path = os.path.join(os.path.dirname(mesh), "body.urdf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(URDF.format(path=mesh))
        skeleton = dart.utils.DartLoader().parseSkeleton(path)
        skeleton.setName(f"body{k}")
        node = skeleton.getBodyNode(0)
        self.set_friction(node, node.getShapeNode(0), friction)
        return skeleton, skeleton.getJoint(0), node

    def contact_force(self, body):
        contacts = self.world.getLastCollisionResult().getContacts()
        own, total = self.nodes[body].getShapeNode(0).getShape(), np.zeros(3)
        for contact in contacts:  # the force is that on the first of the two
            total += np.ravel(contact.force) * ((contact.collisionObject1.getShape() is own) - 1.0 * (contact.collisionObject2.getShape() is own))
        return total if total.any() else None  # a body that has been deactivated has no contact forces
