"""The engine's end of the pipe (docs/protocol.md): python -m pbdr.bench.serve mine.py

Standard input and output are the pipe's until the engine's file is loaded; from then on print() goes to stderr.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import math
import os
import sys
import time
import traceback
from typing import Any, TextIO

import numpy as np

from ._engine import Body, Engine, Joint, Mesh, Scene, Spheres

PROTOCOL = 1


def _array(value: Any) -> Any:
    return np.asarray(value, dtype=float)


def _read_mesh(value: Any) -> Mesh | None:
    return None if value is None else Mesh(_array(value["vertices_m"]), np.asarray(value["triangles"], dtype=int))


def _read_spheres(value: Any) -> Spheres | None:
    if value is None:
        return None
    return Spheres(_array(value["centre_m"]), _array(value["positions_m"]), _array(value["radii_m"]), _array(value["masses_kg"]),
                   _array(value["extra_inertia_kgm2"]), _array(value["start"]["position_m"]),
                   _array(value["start"]["rotation_wxyz"]))


def read_scene(value: dict[str, Any]) -> Scene:
    """A scene of the create call's JSON."""
    scene = Scene(int(value["test"]), value["name"], _array(value["gravity_mps2"]), _array(value["ground_normal"]),
                  value["ground_friction"], value["pair_friction"], value["restitution"], value["time_step_s"], value["preset"],
                  settings={key: value[key] for key in ("contact", "iterations", "relaxation", "engine", "precision", "ablation")})
    for b in value["bodies"]:
        scene.bodies.append(Body(
            b["name"], b["shape"], _array(b["half_extents_m"]), b["radius_m"], b["mass_kg"], _array(b["inertia_kgm2"]),
            _array(b["start"]["position_m"]), _array(b["start"]["rotation_wxyz"]), _array(b["velocity_mps"]),
            _array(b["angular_velocity_radps"]), _array(b["force_N"]), _array(b["torque_Nm"]), bool(b["prescribed"]),
            _array(b["prescribed_acceleration_mps2"]), _read_mesh(b.get("mesh")), _read_spheres(b.get("spheres")),
            _read_mesh(b.get("surface"))))
    for j in value.get("joints") or []:
        first, second = (int(k) for k in j["bodies"])
        scene.joints.append(Joint(j["kind"], (first, second), _array(j["points_m"]), _array(j["axis"]) if "axis" in j else None,
                                  j.get("stiffness_Npm", 0.0), j.get("damping_Nspm", 0.0), j.get("length_m", 0.0)))
    return scene


def load_engine(path: str) -> Engine:
    """The engine of a file: the one subclass of Engine that it defines."""
    spec = importlib.util.spec_from_file_location("pbdr_engine_file", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path}: no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec.loader.exec_module(module)
    found = [item for item in vars(module).values()
             if inspect.isclass(item) and issubclass(item, Engine) and item is not Engine and item.__module__ == spec.name]
    leaves = [item for item in found if not any(item is not other and issubclass(other, item) for other in found)]
    if len(leaves) != 1:
        raise ImportError(f"{path}: wanted one subclass of pbdr.bench.Engine, found {len(leaves)}")
    return leaves[0]()


def _number(value: Any) -> float | None:
    number = float(value)
    return number if math.isfinite(number) else None


def _read_bodies(engine: Engine, count: int) -> list[list[float | None]]:
    rows = []
    for k in range(count):
        parts = list(engine.read(k))
        if len(parts) != 4 or [len(part) for part in parts] != [3, 4, 3, 3]:
            raise ValueError(f"read({k}): wanted position (3), rotation (4), velocity (3) and angular velocity (3)")
        rows.append([_number(number) for part in parts for number in part])
    return rows


class _Server:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.count = 0

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        call = message["call"]
        if call == "hello":
            e = self.engine
            return {"ok": True, "protocol": PROTOCOL, "name": e.name, "version": e.version, "presets": ",".join(e.presets),
                    "uses_spheres": bool(e.uses_spheres), "uses_joints": bool(e.uses_joints)}
        if call == "create":
            scene = read_scene(message["scene"])
            self.engine.create(scene)
            self.count = len(scene.bodies)
            settings = {str(key): str(value) for key, value in self.engine.settings().items()}
            return {"ok": True, "settings": settings, "bodies": _read_bodies(self.engine, self.count)}
        if call == "step":
            begun, own = time.process_time(), self.engine.processor_time
            flags = self.engine.step(int(message["count"]))
            seconds = time.process_time() - begun
            if self.engine.processor_time is not None:
                seconds = self.engine.processor_time - (own or 0.0)
            answer = {"ok": True, "flags": int(flags or 0), "processor_s": seconds,
                      "bodies": _read_bodies(self.engine, self.count)}
            if message.get("forces"):
                answer["contact_forces_N"] = self._read_forces()
            return answer
        if call == "destroy":
            return {"ok": True}
        raise ValueError(f"unknown call {call!r}")

    def _read_forces(self) -> list[list[float | None] | None]:
        forces = [self.engine.contact_force(k) for k in range(self.count)]
        return [None if force is None else [_number(number) for number in force] for force in forces]


def _explain(error: BaseException) -> str:
    text = str(error).split("\n", 1)[0]
    if isinstance(error, NotImplementedError):
        return f"not supported: {text or 'this scene'}"
    return f"{type(error).__name__}: {text}"


def serve(path: str, source: TextIO, sink: TextIO) -> None:
    """Answers calls until the pipe ends."""
    server: _Server | None = None
    for line in source:
        try:
            if server is None:
                server = _Server(load_engine(path))
            answer = server.answer(json.loads(line))
        except Exception as error:  # whatever an engine does is an answer
            if not isinstance(error, NotImplementedError):
                traceback.print_exc(file=sys.stderr)
            answer = {"ok": False, "error": _explain(error)}
        sink.write(json.dumps(answer) + "\n")
        sink.flush()


def main() -> None:
    source = os.fdopen(os.dup(0), "r", encoding="utf-8")
    sink = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what engines print, libraries of C included, is not the pipe's
    serve(sys.argv[1], source, sink)


if __name__ == "__main__":
    main()
