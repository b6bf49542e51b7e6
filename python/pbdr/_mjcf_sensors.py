"""Sensors of a mjModel, as our JSON has them (src/scenefile/mjcf_sensors.c does the same)."""

from __future__ import annotations

from typing import Any

import numpy as np

KINDS = {"TOUCH": "touch", "ACCELEROMETER": "accelerometer", "VELOCIMETER": "velocimeter", "GYRO": "gyro", "FORCE": "force",
         "TORQUE": "torque", "JOINTPOS": "joint_position", "JOINTVEL": "joint_velocity", "FRAMEPOS": "position",
         "FRAMEQUAT": "rotation", "FRAMELINVEL": "velocity", "FRAMEANGVEL": "angular_velocity"}


def _multiply(a: Any, b: Any) -> Any:
    (w, x, y, z), (p, q, r, s) = a, b
    return np.array([w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r, w * r - x * s + y * p + z * q,
                     w * s + x * r - y * q + z * p])


class SensorReader:
    """Sensors of joints, and of sites on bodies that move."""

    def __init__(self, reader: Any, jointed: Any) -> None:
        self.reader, self.jointed, self.m, self.d, self.mj = reader, jointed, reader.model, reader.data, reader.mujoco
        self.kinds = {int(getattr(self.mj.mjtSensor, f"mjSENS_{name}")): word for name, word in KINDS.items()}

    def find_object(self, kind: int, thing: int) -> tuple[int, Any, Any] | None:
        """Body, place and turn of what a sensor is on."""
        m, d, types = self.m, self.d, self.mj.mjtObj
        if kind == types.mjOBJ_SITE:
            body, own, quat = int(m.site_bodyid[thing]), m.site_pos[thing], m.site_quat[thing]
        elif kind == types.mjOBJ_GEOM:
            body, own, quat = int(m.geom_bodyid[thing]), m.geom_pos[thing], m.geom_quat[thing]
        elif kind == types.mjOBJ_BODY:
            body, own, quat = thing, m.body_ipos[thing], m.body_iquat[thing]
        elif kind == types.mjOBJ_XBODY:
            body, own, quat = thing, np.zeros(3), np.array([1.0, 0, 0, 0])
        else:
            return None
        turn = self.jointed.turn(d.xquat[body])
        return body, d.xpos[body] + turn @ own, _multiply(d.xquat[body], quat)

    def last_joint(self, body: int) -> int:
        m = self.m
        last = int(m.body_jntadr[body] + m.body_jntnum[body] - 1)
        return last if m.body_jntnum[body] > 0 and m.jnt_type[last] != self.mj.mjtJoint.mjJNT_FREE else -1

    def describe(self, k: int) -> dict[str, Any] | None:
        m, reader = self.m, self.reader
        word, thing = self.kinds.get(int(m.sensor_type[k])), int(m.sensor_objid[k])
        late = hasattr(m, "sensor_delay") and (m.sensor_delay[k] != 0 or m.sensor_interval[k][0] != 0)
        if word is None or m.sensor_cutoff[k] > 0 or late:
            return None
        made: dict[str, Any] = {"name": reader.name("sensor", k), "kind": word}
        if word.startswith("joint"):
            hinges = (int(self.mj.mjtJoint.mjJNT_HINGE), int(self.mj.mjtJoint.mjJNT_SLIDE))
            return {**made, "joint": reader.name("joint", thing)} if int(m.jnt_type[thing]) in hinges else None
        found = self.find_object(int(m.sensor_objtype[k]), thing)
        if found is None or m.sensor_refid[k] >= 0:
            return None
        body, place, quat = found
        root = int(reader.roots[body])
        own = self.jointed.body(root)
        if own is None:
            return None
        if word in ("force", "torque"):
            if root != body or self.last_joint(body) < 0:
                return None
            made["joint"] = reader.name("joint", self.last_joint(body))
        elif word == "touch":
            made.update(self.zone(thing))
        start = own["start"]
        w, x, y, z = start["rotation_wxyz"]
        quat = _multiply((w, -x, -y, -z), quat)
        made.update(body=own, rotation_wxyz=(quat / np.linalg.norm(quat)).tolist(),
                    position_m=(self.jointed.turn(start["rotation_wxyz"]).T @ (place - np.array(start["position_m"]))).tolist())
        return made

    def zone(self, site: int) -> dict[str, Any]:
        types, size, kind = self.mj.mjtGeom, self.m.site_size[site].tolist(), int(self.m.site_type[site])
        if kind == types.mjGEOM_BOX:
            return {"zone": "box", "zone_m": size}
        if kind in (int(types.mjGEOM_CAPSULE), int(types.mjGEOM_CYLINDER)):
            return {"zone": "capsule" if kind == types.mjGEOM_CAPSULE else "cylinder", "zone_m": [size[0], size[0], size[1]]}
        return {"zone": "ellipsoid", "zone_m": [size[0]] * 3 if kind == types.mjGEOM_SPHERE else size}
