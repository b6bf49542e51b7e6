"""MJCF and URDF: MuJoCo compiles the file, and its mjModel becomes a scene of our own format (src/scenefile/mjcf.c in Python).

A free body with all that is welded to it is one body; a mocap body is kinematic; what is welded to the world is static, geom
by geom. Joints are those of _mjcf_joints.py. What is not simulated is listed.
"""

from __future__ import annotations

import json
import math
import os
from typing import Any

import numpy as np

from ._mjcf_joints import JointReader
from ._mjcf_sensors import SensorReader
from .errors import FileFormatError, MissingFileError, NotSupportedError

MAX_NAMES = 8


def read(path: str) -> tuple[str, list[str]]:
    """The scene as JSON, and what it leaves out."""
    try:
        import mujoco  # type: ignore[import-untyped, unused-ignore]
    except ImportError as error:
        raise NotSupportedError(f"{path}: MJCF and URDF are read by MuJoCo: pip install mujoco") from error
    if not os.path.exists(path):
        raise MissingFileError(f"{path}: No such file or directory")
    try:
        model = mujoco.MjModel.from_xml_path(path)
    except ValueError as error:
        raise FileFormatError(f"{path}: MuJoCo {mujoco.__version__}: {error}") from error
    return _Reader(mujoco, model, path).read()


def _turn(q: Any) -> Any:
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _multiply(a: Any, b: Any) -> Any:
    return np.array([a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                     a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                     a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                     a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]])


def _conjugate(q: Any) -> Any:
    return np.array([q[0], -q[1], -q[2], -q[3]])


def _place(position: Any, rotation: Any) -> dict[str, Any]:
    return {"position_m": np.asarray(position).tolist(), "rotation_wxyz": np.asarray(rotation).tolist()}


class _Reader:
    def __init__(self, mujoco: Any, model: Any, path: str) -> None:
        self.mujoco, self.model, self.path = mujoco, model, path
        self.data = mujoco.MjData(model)
        self.ignored: list[str] = []
        self.meshes: dict[str, dict[str, Any]] = {}
        self.bodies: list[dict[str, Any]] = []
        self.planes: list[dict[str, Any]] = []
        self.scene: dict[str, Any] = {}

    # --- Names and numbers ---

    def refuse(self, text: str) -> FileFormatError:
        return FileFormatError(f"{self.path}: {text}")

    def name(self, kind: str, index: int) -> str:
        found = self.mujoco.mj_id2name(self.model, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), index)
        return found if found else f"{kind}{index}"

    def customs(self, prefix: str) -> list[tuple[str, Any]]:
        """Settings in <custom>: names and numbers."""
        m = self.model
        found = []
        for k in range(m.nnumeric):
            name = self.name("numeric", k)
            if name.startswith(prefix):
                found.append((name, np.array(m.numeric_data[m.numeric_adr[k]:m.numeric_adr[k] + m.numeric_size[k]])))
        return found

    def collides(self, geom: int) -> bool:
        return bool(self.model.geom_contype[geom] or self.model.geom_conaffinity[geom])

    # --- Who touches whom: MuJoCo's or becomes a category for each pair of numbers ---

    def find_classes(self) -> None:
        m = self.model
        self.classes = list(dict.fromkeys((int(m.geom_contype[g]), int(m.geom_conaffinity[g]))
                                          for g in range(m.ngeom) if self.collides(g)))
        if len(self.classes) > 52:
            raise NotSupportedError(f"{self.path}: more than 52 pairs of contype and conaffinity")

    def material(self, geom: int, touches: bool = True) -> dict[str, Any]:
        m = self.model
        dimension, friction = m.geom_condim[geom], m.geom_friction[geom]
        result = {"friction": float(friction[0]) if dimension >= 3 else 0.0,
                  "spinning_friction_m": float(friction[1]) if dimension >= 4 else 0.0,
                  "rolling_friction_m": float(friction[2]) if dimension >= 6 else 0.0}
        if touches:
            own = (int(m.geom_contype[geom]), int(m.geom_conaffinity[geom]))
            result["category"] = 1 << self.classes.index(own)
            result["mask"] = sum(1 << k for k, other in enumerate(self.classes) if own[0] & other[1] or other[0] & own[1])
        else:
            result["category"] = result["mask"] = 0
        return result

    # --- Geoms ---

    def add_mesh(self, key: str, vertices: Any, faces: Any, is_open: bool = False) -> dict[str, Any]:
        self.meshes.setdefault(key, {"name": key, "vertices_m": np.asarray(vertices, dtype=float).tolist(),
                                     "triangles": np.asarray(faces).tolist(), "open": is_open})
        return {"shape": "mesh", "mesh": key}

    def shape(self, geom: int) -> dict[str, Any] | None:
        m, types = self.model, self.mujoco.mjtGeom
        kind, size, data = int(m.geom_type[geom]), m.geom_size[geom], int(m.geom_dataid[geom])
        if kind == types.mjGEOM_SPHERE:
            return {"shape": "ball", "radius_m": float(size[0])}
        if kind in (int(types.mjGEOM_CAPSULE), int(types.mjGEOM_CYLINDER)):
            return {"shape": "capsule" if kind == types.mjGEOM_CAPSULE else "cylinder", "radius_m": float(size[0]),
                    "half_length_m": float(size[1])}
        if kind == types.mjGEOM_BOX:
            return {"shape": "box", "half_extents_m": size.tolist()}
        if kind == types.mjGEOM_MESH:
            v, f = m.mesh_vertadr[data], m.mesh_faceadr[data]
            return self.add_mesh(f"mesh {data}", m.mesh_vert[v:v + m.mesh_vertnum[data]], m.mesh_face[f:f + m.mesh_facenum[data]])
        if kind == types.mjGEOM_ELLIPSOID:
            vertices, faces = _icosphere()
            return self.add_mesh(f"ellipsoid {size.tolist()}", vertices * size, faces)
        if kind == types.mjGEOM_HFIELD:
            return self.heightfield(data)
        return None

    def heightfield(self, data: int) -> dict[str, Any]:
        m = self.model
        columns, rows, size = int(m.hfield_ncol[data]), int(m.hfield_nrow[data]), m.hfield_size[data]
        heights = m.hfield_data[m.hfield_adr[data]:m.hfield_adr[data] + rows * columns].reshape(rows, columns)
        x, y = np.linspace(-size[0], size[0], columns), np.linspace(-size[1], size[1], rows)
        vertices = np.column_stack([np.tile(x, rows), np.repeat(y, columns), size[2] * heights.ravel().astype(float)])
        v = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
        faces = np.stack([np.stack([v, v + 1, v + columns + 1], 1), np.stack([v, v + columns + 1, v + columns], 1)], 1)
        return self.add_mesh(f"hfield {data}", vertices, faces.reshape(-1, 3), True)

    def part(self, geom: int, position: Any, rotation: Any) -> dict[str, Any] | None:
        """A geom in a frame, as a part of a compound."""
        shape = self.shape(geom)
        if shape is None:
            return None
        m, d = self.model, self.data
        body = m.geom_bodyid[geom]
        if (d.xpos[body] == position).all() and (d.xquat[body] == rotation).all():
            own, turn = m.geom_pos[geom], m.geom_quat[geom]
        else:
            world = d.xpos[body] + _turn(d.xquat[body]) @ m.geom_pos[geom]
            own = _turn(rotation).T @ (world - position)
            turn = _multiply(_conjugate(rotation), _multiply(d.xquat[body], m.geom_quat[geom]))
            turn = turn / np.linalg.norm(turn)
        return {"name": self.name("geom", geom), **shape, **_place(own, turn)}

    # --- What stands ---

    def add_fixed(self, geom: int) -> None:
        m, d = self.model, self.data
        if m.geom_type[geom] == self.mujoco.mjtGeom.mjGEOM_PLANE:
            normal = d.geom_xmat[geom].reshape(3, 3)[:, 2]
            self.planes.append({"name": self.name("geom", geom), "normal": normal.tolist(), "point_m": d.geom_xpos[geom].tolist(),
                                **self.material(geom)})
            return
        part = self.part(geom, d.xpos[0], d.xquat[0])
        if part is not None:
            start = {"position_m": part.pop("position_m"), "rotation_wxyz": part.pop("rotation_wxyz")}
            self.bodies.append({"name": part["name"], "kind": "static", "shape": "compound", "parts": [part], "start": start,
                                **self.material(geom)})

    # --- What moves ---

    def weigh(self, root: int) -> tuple[float, Any, Any]:
        """Mass, centre and inertia in the root's frame of all that moves with it."""
        m, d = self.model, self.data
        position, axes = d.xpos[root], _turn(d.xquat[root])
        mass, centre, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        for b in np.flatnonzero(self.roots == root):
            own, turn = m.body_ipos[b], m.body_iquat[b]
            if b != root:
                own = axes.T @ (d.xpos[b] + _turn(d.xquat[b]) @ own - position)
                turn = _multiply(_conjugate(d.xquat[root]), _multiply(d.xquat[b], turn))
            matrix = _turn(turn / np.linalg.norm(turn))
            total = mass + float(m.body_mass[b])
            if total <= 0:
                continue
            mean = (mass * centre + m.body_mass[b] * own) / total
            inertia = inertia + matrix @ np.diag(m.body_inertia[b]) @ matrix.T
            for weight, off in ((mass, centre - mean), (float(m.body_mass[b]), own - mean)):
                inertia += weight * ((off @ off) * np.eye(3) - np.outer(off, off))
            mass, centre = total, mean
        return mass, centre, inertia

    def parts(self, root: int, colliding: bool) -> tuple[list[dict[str, Any]], int]:
        m, types = self.model, self.mujoco.mjtGeom
        parts, first = [], -1
        for geom in range(m.ngeom):
            if (self.roots[m.geom_bodyid[geom]] != root or self.collides(geom) != colliding
                    or int(m.geom_type[geom]) in (int(types.mjGEOM_HFIELD), int(types.mjGEOM_PLANE))):
                continue
            part = self.part(geom, self.data.xpos[root], self.data.xquat[root])
            if part is not None:
                first = geom if first < 0 else first
                parts.append(part)
        return parts, first

    def add_moving(self, root: int) -> None:
        m, d = self.model, self.data
        kinematic = m.body_mocapid[root] >= 0
        mass, centre, inertia = self.weigh(root)
        parts, first = self.parts(root, True)
        touches = bool(parts) and not self.contactless
        if not parts:
            parts, first = self.parts(root, False)
        if not parts:  # a mass without a shape
            radius = math.sqrt(max(0.0, np.trace(inertia) / (1.2 * mass))) if mass > 0 else 0.0
            parts = [{"shape": "ball", "radius_m": radius if radius > 0 else 1e-2, **_place(centre, (1, 0, 0, 0))}]
        body: dict[str, Any] = {"name": self.name("body", root), "kind": "kinematic" if kinematic else "dynamic",
                                "shape": "compound", "parts": parts, "start": _place(d.xpos[root], d.xquat[root])}
        body.update(self.material(first, touches) if first >= 0 else {"category": 0, "mask": 0})
        if not kinematic:
            body.update({"mass_kg": mass, "com_m": centre.tolist(), "inertia_kgm2": inertia.tolist()})
            body.update(self.forces(root))
        self.bodies.append(body)

    def is_constant(self, actuator: int) -> int:
        """The free body that an actuator pushes with a constant force through its centre of mass, or -1."""
        m, mj = self.model, self.mujoco
        gain, bias = m.actuator_gainprm[actuator], m.actuator_biasprm[actuator]
        if (not self.jointed.single_actuators() or m.actuator_trntype[actuator] != mj.mjtTrn.mjTRN_JOINTINPARENT
                or m.actuator_gaintype[actuator] != mj.mjtGain.mjGAIN_FIXED
                or gain[0] != 0 or m.actuator_biastype[actuator] != mj.mjtBias.mjBIAS_AFFINE or bias[1] != 0 or bias[2] != 0):
            return -1
        joint = m.actuator_trnid[actuator][0]
        body = int(m.jnt_bodyid[joint])
        free = m.jnt_type[joint] == mj.mjtJoint.mjJNT_FREE and np.abs(m.body_ipos[body]).sum() < 1e-9
        return body if free and m.body_subtreemass[body] == m.body_mass[body] else -1

    def forces(self, root: int) -> dict[str, Any]:
        m = self.model
        load = np.zeros(6)
        for actuator in self.jointed.all_actuators():
            if self.is_constant(actuator) == root:
                load += m.actuator_biasprm[actuator][0] * m.actuator_gear[actuator]
        return {"force_N": load[:3].tolist(), "torque_Nm": load[3:].tolist()}

    # --- <custom> ---

    def read_custom(self) -> None:
        by_name = {body["name"]: body for body in self.bodies}
        for name, values in self.customs("pbdr_"):
            key, _, rest = name.partition(":")
            if key == "pbdr_path":
                if by_name.get(rest, {}).get("kind") != "kinematic" or not len(values) or len(values) % 8:
                    raise self.refuse(f'custom "{name}": wanted a mocap body, and rows of 8 numbers')
                by_name[rest]["path"] = [{"time_s": row[0], **_place(row[1:4], row[4:])} for row in values.reshape(-1, 8)]
            elif len(values) != 1:
                raise self.refuse(f'custom "{name}": wanted one number')
            elif key == "pbdr_duration":
                self.scene["duration_s"] = float(values[0])
            elif key == "pbdr_spheres":
                self.set_geoms(name, rest, "sphere_count", int(values[0]))
            elif key == "pbdr_restitution":
                self.set_geoms(name, rest, "restitution", float(values[0]))
            else:
                raise self.refuse(f'custom "{name}": no such setting')

    def set_geoms(self, name: str, geom: str, key: str, value: float) -> None:
        found = not geom
        if key == "sphere_count" and not geom:
            self.scene[key] = value
            return
        for body in self.bodies:
            for part in body.get("parts", []):
                if not geom or part.get("name") == geom:
                    (part if key == "sphere_count" else body)[key] = value
                    found = True
        for plane in self.planes if key == "restitution" else []:
            if not geom or plane["name"] == geom:
                plane[key] = value
                found = True
        if not found:
            raise self.refuse(f'custom "{name}": there is no geom of that name that touches anything')

    def start(self) -> None:
        m, mj = self.model, self.mujoco
        for k in range(m.ntext):
            if self.name("text", k) == "pbdr_keyframe":
                text = bytes(m.text_data[m.text_adr[k]:m.text_adr[k] + m.text_size[k]]).split(b"\0")[0].decode()
                key = mj.mj_name2id(m, mj.mjtObj.mjOBJ_KEY, text)
                if key < 0:
                    raise self.refuse('custom "pbdr_keyframe": there is no keyframe of that name')
                mj.mj_resetDataKeyframe(m, self.data, key)
        mj.mj_kinematics(m, self.data)

    # --- What is left out ---

    def list_names(self, what: str, kind: str, indices: Any, why: str) -> None:
        names = [self.name(kind, int(k)) for k in indices]
        if names:
            more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
            self.ignored.append(f"{what} {', '.join(names[:MAX_NAMES])}{more}: {why}")

    @staticmethod
    def is_softer(solref: Any, solimp: Any) -> bool:
        """Whether these are not what MuJoCo gives by default."""
        return bool((solref != (0.02, 1.0)).any() or (solimp != np.array([0.9, 0.95, 0.001, 0.5, 2.0])).any())

    def is_soft_joint(self, j: int) -> bool:
        m, types = self.model, self.mujoco.mjtJoint
        count = {int(types.mjJNT_FREE): 0, int(types.mjJNT_BALL): 3}.get(int(m.jnt_type[j]), 1)
        limited = bool(m.jnt_limited[j]) and (m.jnt_margin[j] != 0 or self.is_softer(m.jnt_solref[j], m.jnt_solimp[j]))
        return limited or any(m.dof_frictionloss[k] != 0 and self.is_softer(m.dof_solref[k], m.dof_solimp[k])
                              for k in range(m.jnt_dofadr[j], m.jnt_dofadr[j] + count))

    def list_ignored(self) -> None:
        m, mj = self.model, self.mujoco
        free = m.jnt_type == mj.mjtJoint.mjJNT_FREE
        damped = [j for j in np.flatnonzero(free) if np.any(m.jnt_stiffness[j] != 0) or any(
            np.any(array[m.jnt_dofadr[j]:m.jnt_dofadr[j] + 6] != 0) for array in (m.dof_damping, m.dof_armature, m.dof_frictionloss))]
        all_actuators = self.jointed.all_actuators()
        driven = {int(m.actuator_trnid[a][0]) for a in all_actuators
                  if int(m.actuator_trntype[a]) in (int(mj.mjtTrn.mjTRN_JOINT), int(mj.mjtTrn.mjTRN_JOINTINPARENT))}
        curved = [j for j in range(m.njnt) if (j in driven and m.jnt_actgravcomp[j])
                  or (hasattr(m, "jnt_stiffnesspoly") and (np.any(m.jnt_stiffnesspoly[j]) or np.any(m.dof_dampingpoly[m.jnt_dofadr[j]])))
                  or (hasattr(m, "jnt_springyield") and m.jnt_springyield[j] != 0)]
        self.list_names("joints", "joint", curved,
                        "high orders of stiffness and damping, springs that yield, and gravity compensation by actuators, are left out")
        self.list_names("joints", "joint", [j for j in range(m.njnt) if self.is_soft_joint(j)],
                        "solref, solimp and margin of ranges and friction loss are left out: both are hard")
        self.list_names("free joints", "joint", damped, "damping, armature, stiffness and friction loss are left out")
        affine = [a for a in all_actuators if self.jointed.is_affine(a)]
        self.list_names("actuators", "actuator", [a for a in all_actuators if self.is_constant(a) < 0 and a not in affine], "left out")
        late = [a for a in affine if hasattr(m, "actuator_delay") and (m.actuator_delay[a] != 0 or np.any(m.actuator_dampingpoly[a]))]
        self.list_names("actuators", "actuator", late, "delays and high orders of damping are left out")
        shared = [a for a in affine if m.actuator_forcelimited[a] and any(
            b != a and m.actuator_trnid[b][0] == m.actuator_trnid[a][0] for b in affine)]
        self.list_names("actuators", "actuator", shared, "their joint has others, and force ranges count for all together")
        self.list_names("tendons", "tendon", range(m.ntendon), "left out")
        known = [self.jointed.is_known_equality(k) for k in range(m.neq)]
        self.list_names("equalities", "equality", [k for k in range(m.neq) if not known[k]], "left out")
        self.list_names("equalities", "equality", [k for k in range(m.neq) if known[k] and not m.eq_active0[k]],
                        "not active at the start, and left out")
        self.list_names("equalities", "equality", [k for k in range(m.neq) if known[k] and m.eq_active0[k] and self.is_softer(
            m.eq_solref[k], m.eq_solimp[k])], "solref and solimp are left out: they hold to rounding")
        self.list_names("sensors", "sensor", [k for k, made in enumerate(self.sensors) if made is None], "not evaluated")
        self.list_names("contact pairs", "pair", range(m.npair), "left out")
        self.list_names("bodies", "body", np.flatnonzero(m.body_gravcomp[1:]) + 1, "gravity compensation is left out")
        self.list_names("flexes", "flex", range(m.nflex), "left out")
        self.list_names("plug-ins", "plugin", range(m.nplugin), "left out")
        self.list_geoms()
        self.list_options()

    def list_options(self) -> None:
        option, mj = self.model.opt, self.mujoco
        if option.density or option.viscosity:
            self.ignored.append(f"option: density {option.density:g} and viscosity {option.viscosity:g} of a fluid are left out")
        if int(option.disableflags) & int(mj.mjtDisableBit.mjDSBL_CONSTRAINT):
            self.ignored.append("option: disabled constraints are left out")
        if int(option.enableflags) & int(mj.mjtEnableBit.mjENBL_OVERRIDE):
            self.ignored.append("option: overridden contact parameters are left out")

    def mixed_bodies(self, touching: list[int]) -> list[int]:
        """Bodies whose geoms do not agree in what a body has once."""
        m = self.model

        def kind(g: int) -> tuple[Any, ...]:
            return (*m.geom_friction[g], m.geom_contype[g], m.geom_conaffinity[g], m.geom_condim[g])
        return [b for b in range(1, m.nbody) if len({kind(g) for g in touching if self.roots[m.geom_bodyid[g]] == b}) > 1]

    def list_geoms(self) -> None:
        m, types = self.model, self.mujoco.mjtGeom
        touching = [g for g in range(m.ngeom) if self.collides(g)]
        moving = [g for g in range(m.ngeom) if self.roots[m.geom_bodyid[g]] != 0]
        known = [int(getattr(types, f"mjGEOM_{t}")) for t in "PLANE HFIELD SPHERE CAPSULE ELLIPSOID CYLINDER BOX MESH".split()]
        active = [g for g in touching if hasattr(m, "geom_adhesion") and (m.geom_adhesion[g] != 0 or np.any(m.geom_surfacevel[g]))]
        self.list_names("geoms", "geom", active, "adhesion and surface velocity are left out")
        for chosen, why in (
                ([g for g in touching if int(m.geom_type[g]) not in known], "signed distance fields are left out"),
                ([g for g in moving if int(m.geom_type[g]) in (int(types.mjGEOM_HFIELD), int(types.mjGEOM_PLANE))],
                 "planes and height fields of bodies that move are left out"),
                ([g for g in touching if m.geom_type[g] == types.mjGEOM_ELLIPSOID], "ellipsoids are meshes of 1280 facets")):
            self.list_names("geoms", "geom", chosen, why)
        self.list_names("bodies", "body", self.mixed_bodies(touching),
                        "their geoms differ in friction, condim, contype or conaffinity; a body has those of its first geom")
        for chosen, why in (
                ([g for g in touching if self.is_softer(m.geom_solref[g], m.geom_solimp[g]) or m.geom_solmix[g] != 1],
                 "solref, solimp and solmix are left out: contacts are hard"),
                ([g for g in touching if m.geom_margin[g] or m.geom_gap[g]], "margin and gap are left out"),
                ([g for g in touching if m.geom_priority[g]], "priorities are left out: the larger friction counts"),
                ([g for g in touching if m.geom_condim[g] < max(m.geom_condim[touching])],
                 "condim is below another geom's, and counts for this one's own friction")):
            self.list_names("geoms", "geom", chosen, why)

    # --- The whole ---

    def name_apart(self) -> None:
        taken: dict[str, int] = {}
        for body in self.bodies:
            taken[body["name"]] = taken.get(body["name"], 0) + 1
        seen: set[str] = set()
        for k, body in enumerate(self.bodies):
            if taken[body["name"]] > 1 and body["kind"] == "static":
                body["name"] = f"world/{body['name']}"
            if body["name"] in seen:
                body["name"] = f"{body['name']}#{k}"
            seen.add(body["name"])

    def read(self) -> tuple[str, list[str]]:
        m, mj = self.model, self.mujoco
        self.start()
        self.by_root: dict[int, dict[str, Any]] = {}
        self.jointed = JointReader(self)
        self.roots = np.zeros(m.nbody, dtype=int)
        for b in range(1, m.nbody):  # parents stand before their children
            own = m.body_jntnum[b] > 0 or m.body_mocapid[b] >= 0
            self.roots[b] = b if own else self.roots[m.body_parentid[b]]
        self.contactless = bool(m.opt.disableflags & mj.mjtDisableBit.mjDSBL_CONTACT)
        weightless = m.opt.disableflags & mj.mjtDisableBit.mjDSBL_GRAVITY
        self.scene = {"schema": "pbdr-scene/2", "time_step_s": float(m.opt.timestep), "friction_mixing": "maximum",
                      "gravity_mps2": [0.0, 0.0, 0.0] if weightless else m.opt.gravity.tolist()}
        self.find_classes()
        for geom in range(m.ngeom):
            if self.roots[m.geom_bodyid[geom]] == 0 and self.collides(geom):
                self.add_fixed(geom)
        for b in range(1, m.nbody):
            if self.roots[b] == b:
                self.add_moving(b)
                self.by_root[b] = self.bodies[-1]
        self.jointed.read()
        sensed = SensorReader(self, self.jointed)
        self.sensors = [sensed.describe(k) for k in range(m.nsensor)]
        self.read_custom()
        self.list_ignored()
        self.name_apart()
        for joint in self.jointed.joints:
            if "bodies" in joint:
                joint["bodies"] = [body["name"] if body is not None else None for body in joint["bodies"]]
        for sensor in self.sensors:
            if sensor is not None and "body" in sensor:
                sensor["body"] = sensor["body"]["name"]
        self.scene.update(meshes=list(self.meshes.values()), planes=self.planes, bodies=self.bodies,
                          joints=self.jointed.joints, actuators=self.jointed.actuators,
                          sensors=[sensor for sensor in self.sensors if sensor is not None])
        return json.dumps(self.scene), self.ignored


def _icosphere() -> tuple[Any, Any]:
    """1280 facets on the unit sphere."""
    golden = 0.5 * (1 + math.sqrt(5))
    signs = [(-1, 1), (1, 1), (-1, -1), (1, -1)]
    corners: list[tuple[float, float, float]] = [(x, y * golden, 0.0) for x, y in signs] + [(0.0, x, y * golden) for x, y in signs]
    corners += [(x * golden, 0.0, y) for y in (-1, 1) for x in (1, -1)]
    vertices = [np.array(c) / np.linalg.norm(c) for c in corners]
    from itertools import combinations
    edge = 2 / math.sqrt(1 + golden * golden)
    faces = []
    for a, b, c in combinations(range(12), 3):
        pa, pb, pc = vertices[a], vertices[b], vertices[c]
        if max(np.linalg.norm(pa - pb), np.linalg.norm(pb - pc), np.linalg.norm(pc - pa)) < 1.01 * edge:
            faces.append((a, b, c) if np.dot(np.cross(pb - pa, pc - pa), pa) > 0 else (a, c, b))
    for _ in range(3):
        middles: dict[tuple[int, int], int] = {}

        def middle(a: int, b: int) -> int:
            key = (min(a, b), max(a, b))
            if key not in middles:
                point = vertices[a] + vertices[b]
                vertices.append(point / np.linalg.norm(point))
                middles[key] = len(vertices) - 1
            return middles[key]

        finer = []
        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            finer += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = finer
    return np.array(vertices), np.array(faces)
