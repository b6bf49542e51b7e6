"""Scenes with joints (tests 28 to 37) for DART's API: a tree of its own joints in one skeleton; what closes a loop are ball joint
constraints (a hinge: two, on its axis). It has no spring between two bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from mjcf_tree import REACH, Tree, get_start, to_own
from pbdr_adapter import matrix_of

KINDS = {"ball": "Ball", "hinge": "Revolute", "slide": "Prismatic"}


def create(adapter: Any, scene: Any) -> list[Any]:
    """Adds the scene's bodies to adapter.world; their nodes."""
    if any(joint.kind == "spring" for joint in scene.joints):
        raise NotImplementedError("DART has no spring between two bodies")
    tree, nodes, skeleton = Tree(scene), {}, adapter.api.dynamics.Skeleton("bodies")
    waiting = list(range(len(scene.bodies)))
    while waiting:
        k = next(body for body in waiting if tree.parents[body] < 0 or tree.parents[body] in nodes)
        waiting.remove(k)
        body, joint, parent = scene.bodies[k], tree.joints.get(k), tree.parents[k]
        held, node = getattr(skeleton, f"create{KINDS[joint.kind] if joint else 'Free'}JointAndBodyNodePair")(*([nodes[parent]] if parent >= 0 else []))
        node.setInertia(adapter.api.dynamics.Inertia(body.mass, np.zeros(3), body.inertia))
        nodes[k] = node
        if joint is None:
            held.setTransform(adapter.make_pose(matrix_of(body.rotation), body.position))
            held.setLinearVelocity(body.velocity)
            held.setAngularVelocity(body.angular_velocity)
            continue
        # both of a joint's frames have the world's axes at the start
        for set_frame, own in ((held.setTransformFromParentBodyNode, parent), (held.setTransformFromChildBodyNode, k)):
            set_frame(adapter.make_pose(matrix_of(get_start(scene, own)[1]).T, to_own(scene, own, joint.points[0])))
        rates = tree.get_rates(k)
        if joint.kind == "ball":
            held.setVelocities(matrix_of(body.rotation) @ rates)
        else:
            held.setAxis(joint.axis)
            held.setVelocity(0, rates[0])
    adapter.world.addSkeleton(skeleton)
    for joint in tree.closing:
        ends = [nodes[body] for body in joint.bodies if body >= 0]
        for point in [joint.points[0]] if joint.kind == "ball" else [joint.points[0] + side * REACH * joint.axis for side in (-1, 1)]:
            adapter.world.getConstraintSolver().addConstraint(adapter.api.constraint.BallJointConstraint(*ends, point))
    return [nodes[k] for k in range(len(scene.bodies))]
