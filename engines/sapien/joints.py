"""Scenes with joints (tests 28 to 37) for PhysX through SAPIEN. Bodies that hang on hinges and slides are one articulation, as SAPIEN's
robots are; what closes a loop, and all joints where one is a ball, which its articulations do not have, are D6 joints. SAPIEN locks
their linear axes alone: a hinge is two points of its axis, a slide two that stay on a line and one that keeps it from turning."""

import numpy as np
import sapien
from sapien import physx

from mjcf_tree import REACH, Tree, get_start, to_own
from pbdr_adapter import matrix_of, quaternion_of

KINDS = {"hinge": "revolute_unwrapped", "slide": "prismatic"}


def find_axes(joint):
    """A frame whose x is the joint's axis."""
    if joint.kind in ("ball", "spring"):
        return np.eye(3)
    side = np.cross(joint.axis, np.eye(3)[np.argmin(np.abs(joint.axis))])
    side /= np.linalg.norm(side)
    return np.column_stack([joint.axis, side, np.cross(joint.axis, side)])


def make_pose(scene, body, point, turn):
    """A point and a rotation of the world's at the start, in a body's own axes."""
    return sapien.Pose(to_own(scene, body, point), quaternion_of(matrix_of(get_start(scene, body)[1]).T @ turn))


def make_links(scene):
    """The links of an articulation, by the places of their bodies, and the joints that are none of its own; or nothing, where it has not
    what it takes."""
    tree = Tree(scene)
    if any(tree.joints.get(body) is None or tree.joints[body].kind == "ball" for body in range(len(scene.bodies))):
        return None, [joint for joint in scene.joints if joint.kind != "spring"]
    root = physx.PhysxArticulationLinkComponent(None)
    root.joint.type = "fixed"
    links = {-1: root}
    while len(links) <= len(scene.bodies):
        for body in range(len(scene.bodies)):
            if body in links or tree.parents[body] not in links:
                continue
            joint, link = tree.joints[body], physx.PhysxArticulationLinkComponent(links[tree.parents[body]])
            link.joint.type = KINDS[joint.kind]
            turn = find_axes(joint)
            link.joint.pose_in_parent = make_pose(scene, tree.parents[body], joint.points[0], turn)
            link.joint.pose_in_child = make_pose(scene, body, joint.points[0], turn)
            link.joint.limit = [-np.inf, np.inf]
            link.joint.friction, link.joint.max_velocity = 0.0, 1e6
            links[body] = link
    return links, tree.closing


def set_rates(scene, links):
    """Velocities of an articulation's joints."""
    tree, place = Tree(scene), {}
    for body, link in links.items():
        place[link.index] = body
    held = links[-1].articulation
    held.set_qvel(np.array([tree.get_rates(place[joint.child_link.index])[0] for joint in held.active_joints]))


def list_locks(joint):
    """Points at the start, and which of the axes x, y, z are locked there."""
    if joint.kind == "ball":
        return [(joint.points[0], "xyz")]
    ends, turn = [joint.points[0] + side * REACH * joint.axis for side in (-1, 1)], find_axes(joint)
    if joint.kind == "hinge":
        return [(end, "xyz") for end in ends]
    return [(end, "yz") for end in ends] + [(joint.points[0] + REACH * turn[:, 1], "z")]


def add_joints(scene, parts, joints):
    """D6 joints, and springs as distance joints. Without a parent they hold a body to the world."""
    for joint in [*joints, *(joint for joint in scene.joints if joint.kind == "spring")]:
        own = joint.bodies[1] if joint.bodies[1] >= 0 else joint.bodies[0]
        other = joint.bodies[0] if joint.bodies[1] >= 0 else -1

        def tie(made, places):
            made.parent = None if other < 0 else parts[other]
            made.pose_in_parent, made.pose_in_child = (make_pose(scene, body, places[body], find_axes(joint)) for body in (other, own))
            return made
        if joint.kind == "spring":
            spring = tie(physx.PhysxDistanceJointComponent(parts[own]), dict(zip(joint.bodies, joint.points)))
            spring.set_limit(joint.length, joint.length, joint.stiffness, joint.damping)
            parts[own].entity.add_component(spring)
            continue
        for point, axes in list_locks(joint):
            lock = tie(physx.PhysxDriveComponent(parts[own]), {other: point, own: point})
            for axis in axes:
                getattr(lock, f"set_limit_{axis}")(0.0, 0.0)
            parts[own].entity.add_component(lock)
