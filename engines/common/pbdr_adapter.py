"""What the Python adapters share: settings out of settings.json, the clock of the engine's own step, turns and motions.

An adapter is a subclass of Adapter with create(), advance() and read(). It calls self.start(scene) first; self.options then
has every setting of the preset, and `with self.clock:` around the engine's own step is what the cost is measured by. What
create() takes (compiling, for some most of a run) is told apart, as setup_s. A run is stopped after PBDR_ENGINE_LIMIT seconds of
processor time (on a GPU by the clock), set-up apart, and says when and where.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import numpy as np

from pbdr.bench import Body, Engine, Scene, State

DEVICE = os.environ.get("PBDR_ENGINE_DEVICE", "cpu")  # "gpu": for the table of its own (engines whose settings.json says "gpu")


def load_settings(folder: str) -> dict[str, Any]:
    with open(os.path.join(folder, "settings.json"), encoding="utf-8") as file:
        settings: dict[str, Any] = json.load(file)
    return settings


def find_options(settings: dict[str, Any], preset: str, jointed: bool = False) -> dict[str, Any]:
    """Every setting of a preset: those of default, then the preset's own, then for scenes with joints those of "joints", then what
    the search is trying out."""
    options, known = dict(settings["presets"]["default"]), set(settings["presets"]["default"])
    if preset not in ("", "default"):
        options.update(settings["presets"][preset])
    if jointed:
        more = {**settings["joints"]["default"], **settings["joints"].get(preset or "default", {})}
        options.update(more)
        known |= set(more)
    options.update(json.loads(os.environ.get("PBDR_ENGINE_SETTINGS", "{}")))
    unknown = set(options) - known
    if unknown:
        raise ValueError(f"settings that the preset default does not name: {', '.join(sorted(unknown))}")
    return options


now = time.perf_counter if DEVICE == "gpu" else time.process_time
"""Processor time of all threads of this process [s]; on a GPU time by the clock, for the processor waits there."""


class Clock:
    """Adds up that time. What runs on after the call (kernels in a queue) must be waited for within the `with`."""

    def __init__(self) -> None:
        self.total = 0.0
        self.now = now

    def __enter__(self) -> None:
        self.begun = self.now()

    def __exit__(self, *_: Any) -> None:
        self.total += self.now() - self.begun


class Adapter(Engine):
    def __init__(self) -> None:
        folder = os.path.dirname(os.path.abspath(sys.modules[type(self).__module__].__file__ or ""))
        self.file = load_settings(folder)
        self.name = self.file["engine"]
        self.version = self.get_version()
        self.presets = tuple(name for name in self.file["presets"] if name != "default")
        self.uses_joints = "joints" in self.file
        self.clock = Clock()

    def get_version(self) -> str:
        """Of the installed engine."""
        from importlib.metadata import version
        return version(self.file["package"])

    def start(self, scene: Scene) -> None:
        self.scene = scene
        self.options = find_options(self.file, scene.preset, bool(scene.joints))
        self.time = 0.0  # [s]
        self.processor_time = 0.0
        self.limit = float(os.environ.get("PBDR_ENGINE_LIMIT", "inf"))  # [s]
        self.begun = time.perf_counter()
        self.ready = now()
        for reason, unable in self.file.get("not_supported", {}).items():
            if unable_to(reason, scene):
                raise NotImplementedError(unable)

    def step(self, n: int) -> int | None:
        taken = now() - self.ready
        if taken > self.limit:
            raise TimeoutError(f"stopped after {taken:.3g} s{' of processor time' if DEVICE == 'cpu' else ''} at t = {self.time:.3g} s of the test")
        flags = self.advance(n)
        self.time += n * self.scene.time_step
        self.processor_time = self.clock.total
        return flags

    def advance(self, n: int) -> int | None:
        raise NotImplementedError

    def settings(self) -> dict[str, str]:
        """Asked for once, when create() is done."""
        self.ready = now()
        text = ", ".join(f"{key} {value}" for key, value in self.options.items())
        notes = {f"options{k // 150 or ''}": text[k:k + 150] for k in range(0, len(text), 150)}
        return {"version": self.version, "precision": self.file["precision"], "setup_s": f"{time.perf_counter() - self.begun:.3g}", **notes,
                "geometry": self.file["geometry"].get(self.scene.bodies[0].shape, "")}


def unable_to(what: str, scene: Scene) -> bool:
    """Kinds of scenes by name, for "not_supported" of settings.json."""
    shapes = {body.shape for body in scene.bodies}
    kinds = {"restitution": scene.restitution > 0, "rod": any(body.prescribed for body in scene.bodies),
             "frictionless": scene.ground_friction == 0, "many": sum(not body.prescribed for body in scene.bodies) > 1, "wedge": "mesh" in shapes and scene.test > 7,
             **{shape: shape in shapes for shape in ("box", "mesh", "ball", "cylinder")}}
    return kinds[what]


# --- Turns ---

def matrix_of(q: Any) -> np.ndarray:
    """The rotation matrix of a quaternion w, x, y, z."""
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def quaternion_of(m: Any) -> np.ndarray:
    """w, x, y, z of a rotation matrix, by its largest component."""
    m = np.asarray(m, dtype=float)
    four = np.array([1 + m[0, 0] + m[1, 1] + m[2, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2],
                     1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2]])
    k = int(np.argmax(four))
    signs = [[four[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
             [m[2, 1] - m[1, 2], four[1], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]],
             [m[0, 2] - m[2, 0], m[1, 0] + m[0, 1], four[2], m[2, 1] + m[1, 2]],
             [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], four[3]]]
    q = np.array(signs[k])
    return q / np.linalg.norm(q)


def ground_turn(normal: Any) -> np.ndarray:
    """The quaternion w, x, y, z that turns +z into the ground's normal by the shortest way."""
    n = np.asarray(normal, dtype=float)
    q = np.array([1 + n[2], -n[1], n[0], 0.0])
    return q / np.linalg.norm(q)


def principal_axes(inertia: Any) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments, and the quaternion of their axes in the body's frame; (1, 0, 0, 0) where it is diagonal."""
    inertia = np.asarray(inertia, dtype=float)
    if np.abs(inertia - np.diag(np.diag(inertia))).max() < 1e-12 * inertia.max():
        return np.diag(inertia).copy(), np.array([1.0, 0.0, 0.0, 0.0])
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return moments, quaternion_of(axes)


# --- Motions that are prescribed ---

def prescribed_state(body: Body, t: float) -> State:
    """Where a prescribed body is at a time."""
    return State(body.position + 0.5 * t * t * body.prescribed_acceleration, body.rotation,
                 body.velocity + t * body.prescribed_acceleration, (0.0, 0.0, 0.0))
