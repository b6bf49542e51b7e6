"""Joints, equalities, exclusions and actuators of a mjModel, as our JSON has them (src/scenefile/mjcf_joints.c does the same)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

CARRIER_SHARE = 1e-9
JOINT_GAP = JOINT_TURN = 1e-5


def _turn(q: Any) -> Any:
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _angle(q: Any) -> float:
    return 2 * math.atan2(float(np.linalg.norm(q[1:])), abs(float(q[0])))


def _across(axis: Any) -> Any:
    other = np.array([1.0, 0, 0]) if abs(axis[0]) < 0.6 else np.array([0, 1.0, 0])
    side = np.cross(axis, other)
    return side / np.linalg.norm(side)


class JointReader:
    """Adds to a reader's bodies what moves them; by_root: the scene's body of each root, None for the world."""

    def __init__(self, reader: Any) -> None:
        self.reader, self.m, self.d, self.mj = reader, reader.model, reader.data, reader.mujoco
        self.joints: list[dict[str, Any]] = []
        self.actuators: list[dict[str, Any]] = []
        self.motions: dict[int, tuple[Any, Any]] = {0: (np.zeros(3), np.zeros(3))}  # linear at the origin, angular
        self.off = int(self.m.opt.disableflags)

    @staticmethod
    def turn(quat: Any) -> Any:
        return _turn(quat)

    def disabled(self, name: str) -> bool:
        bit = getattr(self.mj.mjtDisableBit, f"mjDSBL_{name}", None)
        bit = getattr(self.mj.mjtDisableBit, "mjDSBL_PASSIVE") if bit is None else bit
        return bool(self.off & int(bit))

    def body(self, root: int) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self.reader.by_root.get(root)
        return found

    # --- Motion ---

    def add_motion(self, joint: int, linear: Any, angular: Any) -> tuple[Any, Any]:
        m, d, types = self.m, self.d, self.mj.mjtJoint
        body, rates = m.jnt_bodyid[joint], d.qvel[m.jnt_dofadr[joint]:]
        anchor, turning, kind = d.xanchor[joint], np.zeros(3), m.jnt_type[joint]
        if kind == types.mjJNT_FREE:
            turning, anchor, linear = _turn(d.xquat[body]) @ rates[3:6], d.xpos[body], linear + rates[:3]
        elif kind == types.mjJNT_BALL:
            turning = _turn(d.xquat[body]) @ rates[:3]
        elif kind == types.mjJNT_SLIDE:
            linear = linear + rates[0] * d.xaxis[joint]
        else:
            turning = rates[0] * d.xaxis[joint]
        return linear - np.cross(turning, anchor), angular + turning

    @staticmethod
    def set_velocity(body: dict[str, Any], motion: tuple[Any, Any]) -> None:
        start = body["start"]
        centre = np.array(start["position_m"]) + _turn(start["rotation_wxyz"]) @ np.array(body.get("com_m", (0, 0, 0)))
        body["start_velocity_mps"] = (motion[0] + np.cross(motion[1], centre)).tolist()
        body["start_angular_velocity_radps"] = motion[1].tolist()

    def carrier(self, child: dict[str, Any], joint: int) -> dict[str, Any]:
        mass, inertia = CARRIER_SHARE * child["mass_kg"], CARRIER_SHARE * float(np.trace(child["inertia_kgm2"])) / 3
        made = {"name": f"{self.reader.name('joint', joint)} (carrier)", "kind": "dynamic", "shape": "ball", "parts": [],
                "radius_m": math.sqrt(2.5 * inertia / mass), "mass_kg": mass, "com_m": [0.0, 0.0, 0.0],
                "inertia_kgm2": (inertia * np.eye(3)).tolist(), "category": 0, "mask": 0, "sphere_count": 1,
                "start": {"position_m": self.d.xanchor[joint].tolist(), "rotation_wxyz": [1.0, 0.0, 0.0, 0.0]}}
        del made["parts"]
        self.reader.bodies.append(made)
        return made

    # --- Joints ---

    @staticmethod
    def frame(body: dict[str, Any] | None, anchor: Any, axis: Any, side: Any) -> dict[str, Any]:
        if body is not None:
            turn = _turn(body["start"]["rotation_wxyz"]).T
            anchor, axis, side = turn @ (anchor - np.array(body["start"]["position_m"])), turn @ axis, turn @ side
        return {"anchor_m": list(map(float, anchor)), "axis": list(map(float, axis)), "side": list(map(float, side))}

    def add(self, name: str, kind: str, a: Any, b: Any, **more: Any) -> None:
        # names are those that bodies end up with, so the bodies stand here until then
        self.joints.append({"name": name, "kind": kind, "bodies": [a, b], **more})

    def ball_frames(self, joint: int) -> tuple[Any, Any]:
        """Axes of the body before the joints that follow turn it, and where they would be without this joint's turn: the latter first."""
        m, d, types = self.m, self.d, self.mj.mjtJoint
        body = m.jnt_bodyid[joint]
        after = _turn(d.xquat[body])
        for k in range(m.body_jntadr[body] + m.body_jntnum[body] - 1, joint, -1):
            place, local = m.jnt_qposadr[k], np.zeros(4)
            if m.jnt_type[k] == types.mjJNT_BALL:
                after = after @ _turn(d.qpos[place:place + 4]).T
            elif m.jnt_type[k] == types.mjJNT_HINGE:
                self.mj.mju_axisAngle2Quat(local, m.jnt_axis[k], d.qpos[place] - m.qpos0[place])
                after = after @ _turn(local).T
        place = m.jnt_qposadr[joint]
        return after @ _turn(d.qpos[place:place + 4]).T, after

    def add_joint(self, joint: int, a: Any, b: Any) -> None:
        m, d, types = self.m, self.d, self.mj.mjtJoint
        kind, axis, anchor = m.jnt_type[joint], np.array(d.xaxis[joint]), np.array(d.xanchor[joint])
        place, dof = m.jnt_qposadr[joint], m.jnt_dofadr[joint]
        ball = kind == types.mjJNT_BALL
        position = _angle(d.qpos[place:place + 4]) if ball else float(d.qpos[place])
        axes = (axis, axis)
        side = turned = _across(axis)
        here = there = anchor
        more: dict[str, Any] = {"touch": self.disabled("FILTERPARENT")}
        more.update(stiffness=0.0 if self.disabled("SPRING") else float(m.jnt_stiffness[joint]),
                    damping=0.0 if self.disabled("DAMPER") else float(m.dof_damping[dof]),
                    friction=0.0 if self.disabled("FRICTIONLOSS") else float(m.dof_frictionloss[dof]),
                    armature=float(m.dof_armature[dof]))
        for k in self.actuators_on_axes():  # damping and armature of theirs, which act whatever they do
            if m.actuator_trnid[k][0] == joint and hasattr(m, "actuator_armature"):
                share = float(m.actuator_gear[k][0]) ** 2
                more["damping"] += 0.0 if self.disabled("DAMPER") else share * float(m.actuator_damping[k])
                more["armature"] += share * float(m.actuator_armature[k])
        if not ball:
            more.update(reference=float(m.qpos_spring[place]))
            if m.jnt_actfrclimited[joint]:  # of all actuators together
                more.update(zip(("min_force", "max_force"), map(float, m.jnt_actfrcrange[joint])))
        if m.jnt_limited[joint] and not self.disabled("LIMIT"):
            low, high = map(float, m.jnt_range[joint])
            more.update(upper=max(high, position))
            if not ball:
                more.update(lower=min(low, position))
            if position > high + 1e-9 or (not ball and position < low - 1e-9):
                self.reader.ignored.append(f"joint {self.reader.name('joint', joint)}: it starts at {position:g}, beyond its "
                                           "range, which ends there")
        if kind == types.mjJNT_SLIDE:
            there = anchor + (position - m.qpos0[place]) * axis
            here = there - position * axis
        elif kind == types.mjJNT_HINGE:
            side = math.cos(position) * turned - math.sin(position) * np.cross(axis, turned)
        else:
            before, after = self.ball_frames(joint)
            axes, side, turned = (before[:, 2], after[:, 2]), before[:, 0], after[:, 0]
        word = {int(types.mjJNT_BALL): "ball", int(types.mjJNT_SLIDE): "slide", int(types.mjJNT_HINGE): "hinge"}[int(kind)]
        self.add(self.reader.name("joint", joint), word, a, b, frame_a=self.frame(a, here, axes[0], side),
                 frame_b=self.frame(b, there, axes[1], turned), **more)

    def exclude(self, a: Any, b: Any) -> None:
        if a is not None and b is not None and a is not b and "dynamic" in (a["kind"], b["kind"]):
            self.add("", "exclusion", a, b)

    def add_body(self, root: int) -> None:
        m = self.m
        parent = int(self.reader.roots[m.body_parentid[root]])
        origin, to = self.body(parent), self.body(root)
        assert to is not None
        motion, last = self.motions[parent], origin
        first, count = m.body_jntadr[root], m.body_jntnum[root]
        for joint in range(first, first + count):
            motion = self.add_motion(joint, *motion)
            if m.jnt_type[joint] == self.mj.mjtJoint.mjJNT_FREE:
                continue
            after: Any = to
            if joint + 1 < first + count:
                after = self.carrier(to, joint)
                self.set_velocity(after, motion)
            self.add_joint(joint, last, after)
            last = after
        self.motions[root] = motion
        if to["kind"] == "dynamic":
            self.set_velocity(to, motion)
        if count > 1 and not self.disabled("FILTERPARENT"):
            self.exclude(origin, to)

    # --- Equalities and actuators ---

    def is_axis(self, joint: int) -> bool:
        return int(self.m.jnt_type[joint]) in (int(self.mj.mjtJoint.mjJNT_HINGE), int(self.mj.mjtJoint.mjJNT_SLIDE))

    def is_known_equality(self, k: int) -> bool:
        m, kinds = self.m, self.mj.mjtEq
        if m.eq_type[k] == kinds.mjEQ_JOINT:
            return self.is_axis(int(m.eq_obj1id[k])) and (m.eq_obj2id[k] < 0 or self.is_axis(int(m.eq_obj2id[k])))
        return int(m.eq_type[k]) in (int(kinds.mjEQ_CONNECT), int(kinds.mjEQ_WELD))

    def add_gear(self, k: int) -> None:
        """The first joint follows the second, y - y0 = sum of a_k (x - x0)^k; without one it stands still."""
        m, d = self.m, self.d
        follower, leader = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
        place, x, terms = m.jnt_qposadr[follower], 0.0, np.zeros(5)
        if leader >= 0:
            x, x0 = float(d.qpos[m.jnt_qposadr[leader]]), float(m.qpos0[m.jnt_qposadr[leader]])
            for a in m.eq_data[k][4::-1]:  # Horner's rule on coefficients
                terms = np.concatenate(([0.0], terms[:4])) - x0 * terms
                terms[0] += a
        else:
            terms[0] = m.eq_data[k][0]
        terms[0] += m.qpos0[place]
        wanted = float(np.polynomial.polynomial.polyval(x, terms))
        gap, name = float(d.qpos[place]) - wanted, self.reader.name("equality", k)
        if not abs(gap) <= JOINT_GAP:
            self.reader.ignored.append(f"equality {name}: left out, since its joint starts {gap:g} off where it should be")
        elif leader < 0:
            own = next(j for j in self.joints if j["name"] == self.reader.name("joint", follower))
            own.update(lower=wanted, upper=wanted)
        else:
            self.joints.append({"name": name, "kind": "gear", "joints": [self.reader.name("joint", leader), self.reader.name("joint", follower)],
                                "coefficients": terms.tolist()})

    def equal_frame(self, k: int, side: int) -> tuple[int, Any, Any]:
        m, d = self.m, self.d
        thing, data = int((m.eq_obj1id, m.eq_obj2id)[side][k]), m.eq_data[k]
        if m.eq_objtype[k] == self.mj.mjtObj.mjOBJ_SITE:
            body = int(m.site_bodyid[thing])
            turn = _turn(d.xquat[body])
            return body, d.xpos[body] + turn @ m.site_pos[thing], turn @ _turn(m.site_quat[thing])
        place, turn = d.xpos[thing], _turn(d.xquat[thing])
        if m.eq_type[k] == self.mj.mjtEq.mjEQ_CONNECT:
            return thing, place + turn @ data[3 * side:3 * side + 3], turn
        if side == 0:
            place, turn = place + turn @ data[3:6], turn @ _turn(data[6:10])
        return thing, place + turn @ data[0:3], turn

    def add_equality(self, k: int) -> None:
        weld = self.m.eq_type[k] == self.mj.mjtEq.mjEQ_WELD
        (i, p, r), (j, q, s) = self.equal_frame(k, 0), self.equal_frame(k, 1)
        a, b = self.body(int(self.reader.roots[i])), self.body(int(self.reader.roots[j]))
        gap, off = float(np.linalg.norm(p - q)), float(max(np.linalg.norm(r[:, n] - s[:, n]) for n in (0, 1)))
        moves = any(x is not None and x["kind"] == "dynamic" for x in (a, b))
        if a is b or not moves or gap > JOINT_GAP or (weld and off > JOINT_TURN):
            self.reader.ignored.append(f"equality {self.reader.name('equality', k)}: left out, since it starts {gap:g} m and "
                                       f"{off if weld else 0.0:g} rad apart, or holds what does not move apart")
            return
        self.add(self.reader.name("equality", k), "fixed" if weld else "ball", a, b, touch=True,
                 frame_a=self.frame(a, p, r[:, 0], r[:, 1]), frame_b=self.frame(b, q, s[:, 0], s[:, 1]))

    def all_actuators(self) -> range:
        return range(int(getattr(self.m, "nactuator", self.m.nu)))

    def single_actuators(self) -> bool:
        """Whether all have one control and one output; of MuJoCo 4 on they may have several, and then all are left out."""
        return bool(len(self.all_actuators()) == self.m.nu == int(getattr(self.m, "nout", self.m.nu)))

    def actuators_on_axes(self) -> list[int]:
        """Those on a hinge or slide."""
        m, kinds = self.m, self.mj.mjtTrn
        if not self.single_actuators():
            return []
        return [k for k in self.all_actuators()
                if int(m.actuator_trntype[k]) in (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT)) and self.is_axis(int(m.actuator_trnid[k][0]))]

    def is_affine(self, actuator: int) -> bool:
        m, mj = self.m, self.mj
        gain_type, bias_type = m.actuator_gaintype[actuator], m.actuator_biastype[actuator]
        return bool(actuator in self.actuators_on_axes()
                    and int(gain_type) in (int(mj.mjtGain.mjGAIN_FIXED), int(mj.mjtGain.mjGAIN_AFFINE))
                    and m.actuator_dyntype[actuator] == mj.mjtDyn.mjDYN_NONE
                    and int(bias_type) in (int(mj.mjtBias.mjBIAS_NONE), int(mj.mjtBias.mjBIAS_AFFINE)))

    def is_off(self, actuator: int) -> bool:
        """Whether the option actuatorgroupdisable switches it off."""
        group = int(self.m.actuator_group[actuator])
        return 0 <= group < 31 and bool(int(getattr(self.m.opt, "disableactuator", 0)) >> group & 1)

    def add_actuator(self, k: int) -> None:
        m = self.m
        affine = m.actuator_biastype[k] == self.mj.mjtBias.mjBIAS_AFFINE
        made = {"name": self.reader.name("actuator", k), "joint": self.reader.name("joint", int(m.actuator_trnid[k][0])),
                "gear": float(m.actuator_gear[k][0]), "gain": float(m.actuator_gainprm[k][0]),
                "bias": m.actuator_biasprm[k][:3].tolist() if affine else [0.0, 0.0, 0.0], "control": float(self.d.ctrl[k])}
        if m.actuator_gaintype[k] == self.mj.mjtGain.mjGAIN_AFFINE:
            made["gain_slopes"] = m.actuator_gainprm[k][1:3].tolist()
        if m.actuator_ctrllimited[k] and not self.disabled("CLAMPCTRL"):
            made.update(lower=float(m.actuator_ctrlrange[k][0]), upper=float(m.actuator_ctrlrange[k][1]))
        if m.actuator_forcelimited[k]:
            made.update(zip(("min_force", "max_force"), map(float, m.actuator_forcerange[k])))
        self.actuators.append(made)

    def read(self) -> None:
        m, reader = self.m, self.reader
        for b in range(1, m.nbody):
            if reader.roots[b] == b:
                self.add_body(b)
        for k in range(m.neq):
            if self.is_known_equality(k) and m.eq_active0[k] and not self.disabled("EQUALITY"):
                (self.add_gear if m.eq_type[k] == self.mj.mjtEq.mjEQ_JOINT else self.add_equality)(k)
        for signature in m.exclude_signature:
            a, b = int(signature) >> 16, int(signature) & 0xffff
            self.exclude(self.body(int(reader.roots[a])), self.body(int(reader.roots[b])))
        for k in self.all_actuators():
            if self.is_affine(k) and not self.is_off(k) and not self.disabled("ACTUATION"):
                self.add_actuator(k)
