"""Scenes with joints (tests 28 to 37) as MJCF, for MuJoCo, MJX and mujoco_warp; as our C adapter has them (bench/solvers/mujoco_joints.c).

Bodies hang on each other in a tree of MuJoCo's own joints, as its users would have them; what closes a loop is an equality
(`connect`; a hinge by two points of its axis), and springs are tendons.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mjcf import join, unrotate

REACH = 0.05  # [m] to both sides of a hinge's point, of the two points that close a loop
TYPES = {"ball": "ball", "hinge": "hinge", "slide": "slide"}
WORLD = (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))


def get_start(scene: Any, body: int) -> tuple[Any, Any]:
    return WORLD if body < 0 else (scene.bodies[body].position, scene.bodies[body].rotation)


def to_own(scene: Any, body: int, point: Any) -> Any:
    """A point at the start, in a body's own axes."""
    place, turn = get_start(scene, body)
    return unrotate(turn, point - place)


def multiply(p: Any, q: Any) -> Any:
    """Of quaternions: first q, then p."""
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


class Tree:
    """The tree of fewest joints from the world to each body."""

    def __init__(self, scene: Any) -> None:
        self.scene = scene
        self.parents: dict[int, int] = {}
        self.joints: dict[int, Any] = {}  # that a body hangs on
        self.closing = [joint for joint in scene.joints if joint.kind != "spring"]
        reached = [-1]
        for at in reached:
            for joint in list(self.closing):
                for here, body in (joint.bodies, joint.bodies[::-1]):
                    if here == at and body >= 0 and body not in self.parents and any(joint is other for other in self.closing):
                        self.parents[body], self.joints[body] = at, joint
                        self.closing = [other for other in self.closing if other is not joint]
                        reached.append(body)
        if any(joint.kind == "slide" for joint in self.closing):
            raise NotImplementedError("a loop that is closed by a slide")
        for body in range(len(scene.bodies)):
            self.parents.setdefault(body, -1)

    # --- Text ---

    def write_sites(self, body: int) -> str:
        return "".join(f"<site name='end{k}_{side}' pos='{join(to_own(self.scene, body, joint.points[side]))}'/>"
                       for k, joint in enumerate(self.scene.joints) if joint.kind == "spring"
                       for side in (0, 1) if joint.bodies[side] == body)

    def write_joint(self, body: int) -> str:
        joint = self.joints.get(body)
        if joint is None:
            return f"<freejoint name='joint{body}'/>"
        place, turn = get_start(self.scene, body)
        axis = "" if joint.kind == "ball" else f" axis='{join(unrotate(turn, joint.axis))}'"
        return f"<joint name='joint{body}' type='{TYPES[joint.kind]}' pos='{join(unrotate(turn, joint.points[0] - place))}'{axis}/>"

    def write_bodies(self, parent: int = -1) -> str:
        text, from_turn = self.write_sites(parent), get_start(self.scene, parent)[1] * [1, -1, -1, -1]
        for k, body in enumerate(self.scene.bodies):
            if self.parents[k] != parent:
                continue
            full = [body.inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
            inertia = f"diaginertia='{join(full[:3])}'" if not any(full[3:]) else f"fullinertia='{join(full)}'"
            text += (f"<body name='body{k}' pos='{join(to_own(self.scene, parent, body.position))}' quat='{join(multiply(from_turn, body.rotation))}'>"
                     f"{self.write_joint(k)}<inertial pos='0 0 0' mass='{body.mass:.17g}' {inertia}/>{self.write_bodies(k)}</body>\n")
        return text

    def write_connect(self, joint: Any, point: Any, solref: str, solimp: str) -> str:
        first, other = joint.bodies if joint.bodies[0] >= 0 else joint.bodies[::-1]
        second = f" body2='body{other}'" if other >= 0 else ""
        return f"<connect body1='body{first}'{second} anchor='{join(to_own(self.scene, first, point))}' solref='{solref}' solimp='{solimp}'/>"

    def write(self, o: dict[str, Any]) -> str:
        """The model, with the options of mjcf.write_scene; "solref_steps", if not null, is the time constant in steps, and
        "damped_integrator", if not null, the integrator where there are dampers."""
        scene, solref = self.scene, o["solref"]
        if o.get("solref_steps"):
            solref = f"{o['solref_steps'] * scene.time_step:.9g} 1"
        damped = any(joint.kind == "spring" and joint.damping > 0 for joint in scene.joints)
        integrator = (o.get("damped_integrator") if damped else None) or o["integrator"]
        points = [(joint, point) for joint in self.closing for point in
                  ([joint.points[0]] if joint.kind == "ball" else [joint.points[0] + side * REACH * joint.axis for side in (-1, 1)])]
        springs = "".join(f"<spatial stiffness='{joint.stiffness:.17g}' damping='{joint.damping:.17g}' springlength='{joint.length:.17g}'>"
                          f"<site site='end{k}_0'/><site site='end{k}_1'/></spatial>" for k, joint in enumerate(scene.joints) if joint.kind == "spring")
        return (f"<mujoco><compiler angle='radian'/><option timestep='{scene.time_step:.17g}' cone='{o['cone']}' solver='{o['solver']}' "
                f"iterations='{o['iterations']}' ls_iterations='{o['ls_iterations']}' tolerance='{o['tolerance']}' integrator='{integrator}' "
                f"impratio='{o['impratio']}' gravity='{join(scene.gravity)}'/><worldbody>{self.write_bodies()}</worldbody><equality>"
                + "".join(self.write_connect(joint, point, solref, o["solimp"]) for joint, point in points)
                + f"</equality><tendon>{springs}</tendon></mujoco>")

    # --- Motion ---

    def get_velocity(self, body: int, point: Any) -> tuple[Any, Any]:
        """Of a body's point, and its spin, at the start."""
        if body < 0:
            return np.zeros(3), np.zeros(3)
        own = self.scene.bodies[body]
        return own.velocity + np.cross(own.angular_velocity, point - own.position), own.angular_velocity

    def get_rates(self, body: int) -> Any:
        """Of a body's joint: its motion less its parent's."""
        own, joint = self.scene.bodies[body], self.joints.get(body)
        point = own.position if joint is None else joint.points[0]
        (v, w), (v_parent, w_parent) = self.get_velocity(body, point), self.get_velocity(self.parents[body], point)
        if joint is None:
            return np.concatenate([own.velocity, unrotate(own.rotation, own.angular_velocity)])
        if joint.kind == "ball":
            return unrotate(own.rotation, w - w_parent)
        return np.array([joint.axis @ (w - w_parent if joint.kind == "hinge" else v - v_parent)])

    def make_host(self, options: dict[str, Any]) -> tuple[Any, Any]:
        """MuJoCo's model and data at the start."""
        import mujoco
        model = mujoco.MjModel.from_xml_string(self.write(options))
        data = mujoco.MjData(model)
        for k, body in enumerate(self.scene.bodies):
            rates, v = self.get_rates(k), int(model.joint(f"joint{k}").dofadr[0])
            data.qvel[v:v + len(rates)] = rates
            data.xfrc_applied[model.body(f"body{k}").id] = np.concatenate([body.force, body.torque])
        mujoco.mj_forward(model, data)
        return model, data


def update(model: Any, data: Any, qpos: Any = None, qvel: Any = None) -> None:
    """Places and velocities of bodies out of those of the joints, which a step leaves behind by one."""
    import mujoco
    if qpos is not None:
        data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)


def read_body(model: Any, data: Any, body: int) -> tuple[Any, Any, Any, Any]:
    import mujoco
    k, v = model.body(f"body{body}").id, np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, k, v, 0)
    return data.xpos[k].copy(), data.xquat[k].copy(), v[3:], v[:3]
