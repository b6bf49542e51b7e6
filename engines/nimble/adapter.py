"""Nimble, a differentiable fork of DART: contacts as a linear complementarity problem; its ground is a box."""

import nimblephysics as nimble
import numpy as np

from dart_like import DartAdapter, write_obj


class Nimble(DartAdapter):
    api = nimble

    def set_options(self, options):
        self.world.setPenetrationCorrectionEnabled(options["penetration_correction"])
        self.world.setParallelVelocityAndPositionUpdates(options["parallel_updates"])

    def set_friction(self, node, shape_node, friction):
        node.setFrictionCoeff(friction)
        node.setRestitutionCoeff(self.scene.restitution)

    def load_mesh(self, k, body, friction):
        skeleton = nimble.dynamics.Skeleton(f"body{k}")
        joint, node = skeleton.createFreeJointAndBodyNodePair()
        self.add_shape(node, nimble.dynamics.MeshShape(np.ones(3), write_obj(body.mesh)), friction)
        return skeleton, joint, node
