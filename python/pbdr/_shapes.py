"""Shapes out of meshes, point clouds and files, and as pickles (python/src/shape.cpp)."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from . import _core
from .errors import FileFormatError, MissingFileError
from ._core import Shape

_OPTIONS: dict[str, Any] = {
    "mass": None, "density": None, "extent": None, "size": None, "scale": None, "spheres": 0, "radius": None,
    "packing": "surface", "source": "mended", "uniform_masses": False, "max_volume_error": 0.01, "quality": True, "seed": 1,
}


def _read_options(options: dict[str, Any]) -> dict[str, Any]:
    unknown = set(options) - set(_OPTIONS)
    if unknown:
        raise TypeError(f"unknown option {sorted(unknown)[0]!r}: there are {', '.join(_OPTIONS)}")
    if (options.get("mass") is None) == (options.get("density") is None):
        raise ValueError("mass [kg] or density [kg/m^3]: one of them is needed")
    merged = {**_OPTIONS, **options}
    for name in ("mass", "density", "extent", "size", "scale", "radius"):
        value = merged[name]
        if value is not None and not isinstance(value, (int, float, np.number)):
            raise TypeError(f"{name}: wanted a number, not {value!r}")
        if value is not None and not (np.isfinite(value) and value > 0):
            raise ValueError(f"{name}: {value!r} is not above zero")
        merged[name] = 0.0 if value is None else float(value)
    return merged


def read_faces(faces: Any) -> np.typing.NDArray[np.int32]:
    """Indices of vertices; whole numbers of any type."""
    array = np.asarray(faces)
    whole = array.astype(np.int32) if array.dtype.kind in "biuf" else None
    if whole is None or not (whole == array).all():
        raise TypeError("faces: wanted whole numbers, which count vertices from 0")
    return np.ascontiguousarray(whole)


def mesh(source_mesh: Any, /, **options: Any) -> Shape:
    """Shape.mesh."""
    read = _read_options(options)
    if isinstance(source_mesh, (str, os.PathLike)):
        vertices, faces = _core._read_mesh(os.fspath(source_mesh))
    elif hasattr(source_mesh, "vertices") and hasattr(source_mesh, "faces"):
        vertices, faces = np.asarray(source_mesh.vertices), np.asarray(source_mesh.faces)
    elif isinstance(source_mesh, (tuple, list)) and len(source_mesh) == 2:
        vertices, faces = source_mesh
    else:
        raise TypeError("mesh: wanted a path, (vertices, faces), or something that has both")
    return _core._pack_mesh(vertices, faces, read)


def point_cloud(points: Any, /, *, normals: Any = None, **options: Any) -> Shape:
    """Shape.point_cloud."""
    read = _read_options(options)
    if isinstance(points, (str, os.PathLike)):
        points, normals = _core._read_cloud(os.fspath(points))
    return _core._pack_cloud(points, normals, read)


# --- Files: pbdr-body/1, as `pbdr pack` writes it, with the surface besides ---

def _recipe_to_json(recipe: tuple[Any, ...]) -> Any:
    def plain(value: Any) -> Any:
        if isinstance(value, Shape):
            return {"recipe": _recipe_to_json(value._recipe)}
        if isinstance(value, np.ndarray):
            return value.tolist()
        if isinstance(value, (tuple, list)):
            return [plain(item) for item in value]
        return value

    if recipe[0] == "scene":
        raise TypeError("a shape of a scene's file is not saved; save the scene, or pickle it")
    return plain(recipe)


def _make(recipe: Any) -> Shape:
    """The shape of a recipe."""
    name, arguments = recipe[0], list(recipe[1:])
    if name == "scaled":
        base = arguments[0] if isinstance(arguments[0], Shape) else _make(arguments[0]["recipe"])
        return base.with_mass(arguments[1])
    if name == "scene":
        return arguments[0].shape(arguments[1])  # type: ignore[no-any-return]
    makers = {"box": Shape.box, "ball": Shape.ball, "capsule": Shape.capsule, "cylinder": Shape.cylinder,
              "spheres": Shape.spheres_of}
    return makers[name](*arguments)  # type: ignore[operator, no-any-return]


def save(self: Shape, path: str | os.PathLike[str]) -> None:
    """Shape.save."""
    spheres = self.spheres
    point_inertia = _inertia_of_points(spheres.position, spheres.mass)
    body = {
        "schema": "pbdr-body/1",
        "centers": (spheres.position + self.centre).tolist(),
        "radii": spheres.radius.tolist(),
        "masses": spheres.mass.tolist(),
        "mass": self.mass,
        "com": self.centre.tolist(),
        "inertia": self.inertia.tolist(),
        "extra_inertia": (self.inertia - point_inertia).tolist(),
        "provenance": {"version": _core.__version__},
        "pbdr_shape": {"recipe": _recipe_to_json(self._recipe), "hash": f"{self.hash():016x}"},
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(body, file)


def _inertia_of_points(positions: Any, masses: Any) -> Any:
    squares = np.einsum("i,ij,ij", masses, positions, positions)
    return squares * np.eye(3) - np.einsum("i,ij,ik->jk", masses, positions, positions)


def load(path: str | os.PathLike[str]) -> Shape:
    """Shape.load."""
    try:
        with open(path, encoding="utf-8") as file:
            body = json.load(file)
    except OSError as error:
        raise MissingFileError(f"{os.fspath(path)}: {error.strerror}") from error
    except ValueError as error:
        raise FileFormatError(f"{os.fspath(path)}: no JSON: {error}") from error
    try:
        if "pbdr_shape" in body:
            return _make(body["pbdr_shape"]["recipe"])
        centers, radii = np.asarray(body["centers"], dtype=float), np.asarray(body["radii"], dtype=float)
        if "masses" in body:
            masses = np.asarray(body["masses"], dtype=float)
        else:  # by volume, of the mass or of water
            volumes = 4 / 3 * np.pi * radii**3
            masses = volumes * (body["mass"] / volumes.sum() if "mass" in body else 1000.0)
        return Shape.spheres_of(centers, radii, masses, body.get("extra_inertia"))
    except (KeyError, TypeError, AttributeError) as error:
        raise FileFormatError(f"{os.fspath(path)}: no body: {error!r}") from error


# --- Looks ---

def _mesh_part(vertices: Any, faces: Any, meshes: list[dict[str, Any]]) -> dict[str, Any]:
    meshes.append({"name": f"mesh{len(meshes)}", "vertices_m": np.asarray(vertices).tolist(), "triangles": np.asarray(faces).tolist()})
    return {"shape": "mesh", "mesh": meshes[-1]["name"]}


def _scene_parts(scene: dict[str, Any], index: int, meshes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of the index-th body of the world that a scene makes; a static body of several parts is a body for each."""
    for body in scene["bodies"]:
        parts = body["parts"] if body.get("shape") == "compound" else [body]
        pieces = [[part] for part in parts] if body.get("kind") == "static" else [parts]
        if index < len(pieces):
            kept = [{key: value for key, value in part.items() if key in _LOOK} for part in pieces[index]]
            for part in kept:
                if "mesh" in part:
                    named = next(mesh for mesh in scene["meshes"] if mesh["name"] == part["mesh"])
                    part.update(_mesh_part(named["vertices_m"], named["triangles"], meshes))
            return kept
        index -= len(pieces)
    raise IndexError("scene: it has no such body")


# What a part looks like (docs/scenes.md); of a body's own keys, position and rotation are none.
_LOOK = ("shape", "half_extents_m", "radius_m", "half_length_m", "rod_radius_m", "vertices_m", "triangles", "mesh", "heights_m",
         "spacing_m", "corner_m", "position_m", "rotation_wxyz")


def describe(shape: Shape, meshes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a shape looks like about its centre of mass, as parts of a scene's body; meshes are added to the list."""
    name, *arguments = shape._recipe
    if name == "scaled":
        return describe(arguments[0], meshes)
    if name == "box":
        return [{"shape": "box", "half_extents_m": [0.5 * side for side in arguments[0]]}]
    if name == "ball":
        return [{"shape": "ball", "radius_m": arguments[0]}]
    if name in ("capsule", "cylinder"):
        return [{"shape": name, "radius_m": arguments[0], "half_length_m": 0.5 * arguments[1]}]
    if name == "scene":
        scene, index = arguments
        parts = _scene_parts(json.loads(scene.__reduce__()[1][0]), index, meshes)
    elif arguments[4] is not None:
        parts = [_mesh_part(arguments[4][0], arguments[4][1], meshes)]
    else:
        return [{"shape": "ball", "radius_m": float(ball.radius), "position_m": ball.position.tolist()} for ball in shape.spheres]
    for part in parts:
        part["position_m"] = (np.asarray(part.get("position_m", (0, 0, 0))) - shape.centre).tolist()
    return parts


# --- Pickles ---

def _unpickle(recipe: tuple[Any, ...], quality: Any, hash_: int) -> Shape:
    shape = _make(recipe)
    if shape.hash() != hash_:
        raise FileFormatError("shape: what was pickled does not make the same shape here")
    return shape


def reduce(self: Shape) -> tuple[Any, ...]:
    """Shape.__reduce__."""
    return _unpickle, (self._recipe, self.quality, self.hash())
