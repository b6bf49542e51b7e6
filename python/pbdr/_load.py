"""Worlds out of files: our JSON always, MJCF and URDF through the mujoco package."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from typing import Any

from . import _core
from ._core import World
from .errors import FileFormatError, MissingFileError, NotSupportedError


def load(path: str | os.PathLike[str], *, solver: str = "xpbdr", dt: float | None = None, threads: int = 1,
         contact: str = "surface", strict: bool = False, events: bool = False, spheres_per_side: int = 0,
         sphere_radius: float = 0.0) -> World:
    """A world out of a scene file: .json (docs/scenes.md), or .xml and .urdf where the mujoco package is installed.

    MJCF and URDF are compiled by MuJoCo, and its mjModel is taken over. What is not simulated here (tendons, flexes) is
    listed in world.ignored and told as a warning, or raised as NotSupportedError with strict=True, which also makes the
    world strict. dt [s]: None for the file's. spheres_per_side, sphere_radius [m]: how geoms are packed with spheres.
    """
    name = os.fspath(path)
    if contact not in ("surface", "spheres"):
        raise ValueError(f'contact: "{contact}" is none of "surface", "spheres"')
    touch = contact == "spheres" or solver != "xpbdr"
    if name.lower().endswith(".json"):
        try:
            with open(name, encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            raise MissingFileError(f"{name}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{name}: no UTF-8: {error}") from error
        ignored: list[str] = []
        scene = _core._open_scene(name, text, touch, spheres_per_side, sphere_radius)
    elif name.lower().endswith((".xml", ".urdf", ".mjcf")):
        from . import _mjcf
        text, ignored = _mjcf.read(name)
        scene = open_text(text, touch, spheres_per_side, sphere_radius)
    else:
        raise FileFormatError(f"{name}: its ending is none of .json, .xml, .mjcf, .urdf")
    world = _core._world_of_scene(scene, solver, dt, threads, strict, events)
    world.ignored.extend(ignored)
    if world.ignored:
        message = f"{name}: not simulated: " + "; ".join(world.ignored)
        if strict:
            raise NotSupportedError(message)
        warnings.warn(message, UserWarning, stacklevel=2)
    return world


def open_text(text: str, spheres_touch: bool, spheres_per_side: int, sphere_radius: float) -> _core._Scene:
    """A scene of JSON that is in no file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return _core._open_scene(path, text, spheres_touch, spheres_per_side, sphere_radius)


def describe(path: str, text: str, spheres_touch: bool, spheres_per_side: int, sphere_radius: float) -> tuple[Any, ...]:
    """Arguments of open_text, for pickling: meshes that stand in files beside the scene are taken into it."""
    scene = json.loads(text)
    for body in scene.get("bodies", []):
        for part in [body, *body.get("parts", [])]:
            if "mesh_file" in part:
                _take_in(part, os.path.dirname(path))
    return json.dumps(scene), spheres_touch, spheres_per_side, sphere_radius


def _take_in(part: dict[str, Any], folder: str) -> None:
    vertices, faces = _core._read_mesh(os.path.join(folder, part.pop("mesh_file")))
    part["vertices_m"] = (vertices * part.pop("mesh_scale", [1.0, 1.0, 1.0])).tolist()
    part["triangles"] = faces.tolist()


def make_again(parts: dict[str, Any]) -> World:
    """A pickled world."""
    return _core._make_again(parts)
