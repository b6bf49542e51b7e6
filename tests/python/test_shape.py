"""Shapes: primitives against closed forms, meshes, point clouds, files, pickles."""

from __future__ import annotations

import copy
import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import pbdr
from pbdr import Shape


def make_cube(side: float) -> tuple[np.ndarray, np.ndarray]:
    vertices = np.array([[x, y, z] for x in (0, side) for y in (0, side) for z in (0, side)], dtype=float)
    faces = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
                      [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])
    return vertices, faces


PRIMITIVES = {
    "box": (lambda: Shape.box((0.1, 0.2, 0.3), 2.0), np.array([0.13, 0.1, 0.05]) * 2 / 12),
    "cube": (lambda: Shape.box(0.2, mass=4.0), np.full(3, 4.0 * 0.04 / 6)),
    "ball": (lambda: Shape.ball(0.1, 2.0), None),  # of the one sphere it is made of, see XPBD-R's turning inertia
    "cylinder": (lambda: Shape.cylinder(0.1, 0.3, 2.0), np.array([2 * (0.0025 + 0.0075), 2 * (0.0025 + 0.0075), 0.01])),
    "capsule": (lambda: Shape.capsule(0.1, 0.3, 2.0), None),
}


@pytest.mark.parametrize("name", PRIMITIVES)
def test_primitives_weigh_what_the_solid_weighs(name: str) -> None:
    make, inertia = PRIMITIVES[name]
    shape = make()
    assert shape.mass == pytest.approx(4.0 if name == "cube" else 2.0, rel=1e-12)
    assert shape.surface == ("box" if name == "cube" else name)
    if inertia is not None:
        assert np.diag(shape.inertia) == pytest.approx(inertia, rel=1e-9)
    assert len(shape.spheres) == shape.sphere_count > 0
    assert shape.spheres.mass.sum() == pytest.approx(shape.mass, rel=1e-12)
    assert shape.nbytes > 100 and shape.quality is None


def test_n_is_spheres_per_side() -> None:
    assert Shape.box(0.2, 4.0, n=5).sphere_count == 125
    assert Shape.box(0.2, 4.0).sphere_count == 64


@pytest.mark.parametrize("make", [
    lambda: Shape.box(-0.2, 4.0), lambda: Shape.box(0.2, 0.0), lambda: Shape.box(0.2, math.nan), lambda: Shape.box((1, 2), 1.0),
    lambda: Shape.ball(0.0, 1.0), lambda: Shape.capsule(0.1, -1.0, 1.0), lambda: Shape.cylinder(0.1, 0.0, 1.0),
    lambda: Shape.box(0.2, 4.0, n=-1), lambda: Shape.spheres_of([[0, 0]], [1], [1]), lambda: Shape.spheres_of([], [], []),
    lambda: Shape.spheres_of([[0, 0, 0]], [1, 2], [1]), lambda: Shape.spheres_of([[0, 0, math.nan]], [1], [1]),
    lambda: Shape.spheres_of([[0, 0, 0]], [1], [1], extra_inertia=np.ones((2, 3))),
    lambda: Shape.mesh(make_cube(1.0)), lambda: Shape.mesh(make_cube(1.0), mass=1.0, density=2.0),
    lambda: Shape.mesh(make_cube(1.0), mass=-1.0), lambda: Shape.mesh(make_cube(1.0), mass=1.0, packing="loose"),
    lambda: Shape.mesh((np.zeros((3, 3)), [[0, 1, 7]]), mass=1.0), lambda: Shape.mesh((np.zeros((3, 2)), [[0, 1, 2]]), mass=1.0),
    lambda: Shape.point_cloud(np.zeros((5, 3)), mass=1.0), lambda: Shape.point_cloud(np.full((99, 3), np.nan), mass=1.0),
])
def test_values_that_are_refused(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize("make", [
    lambda: Shape.box("big", 4.0), lambda: Shape.box(0.2), lambda: Shape.box(None, 1.0), lambda: Shape.ball(0.1, "heavy"),
    lambda: Shape.mesh(3, mass=1.0), lambda: Shape.mesh(make_cube(1.0), mass=1.0, colour="red"), lambda: Shape(),
    lambda: Shape.spheres_of("abc", [1], [1]),
])
def test_types_that_are_refused(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TypeError):
        make()


def test_spheres_of_ones_own() -> None:
    shape = Shape.spheres_of([[0, 0, 0], [1, 0, 0]], [0.5, 0.5], [1.0, 3.0])
    assert shape.centre == pytest.approx([0.75, 0, 0]) and shape.mass == 4.0
    assert shape.surface == "none"
    assert shape.spheres.position[0] == pytest.approx([-0.75, 0, 0])
    assert shape.inertia[1, 1] == pytest.approx(0.75)  # reduced mass 0.75 kg at 1 m


def test_a_mesh_by_arrays_by_file_and_by_trimesh(tmp_path: Path) -> None:
    vertices, faces = make_cube(0.2)
    shape = Shape.mesh((vertices, faces), mass=4.0, spheres=64)
    assert shape.surface == "mesh" and shape.quality is not None
    assert np.diag(shape.inertia) == pytest.approx(np.full(3, 4.0 * 0.04 / 6), rel=1e-9)
    assert shape.centre == pytest.approx([0.1, 0.1, 0.1], abs=1e-12)
    assert shape.quality["inertia_error_after"] < 1e-9 and 0.3 < shape.quality["cover"] <= 1
    path = tmp_path / "cube.obj"
    path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in vertices) + "".join(f"f {a+1} {b+1} {c+1}\n" for a, b, c in faces))
    assert Shape.mesh(path, mass=4.0, spheres=64).hash() == shape.hash() == Shape.mesh(str(path), mass=4.0, spheres=64).hash()
    trimesh = pytest.importorskip("trimesh")
    assert Shape.mesh(trimesh.Trimesh(vertices, faces), density=500.0, spheres=64).mass == pytest.approx(4.0)
    assert Shape.mesh(path, density=1000.0, extent=0.4, packing="grid", radius=0.05).sphere_count == 64
    with pytest.raises(FileNotFoundError, match="none.obj"):
        Shape.mesh(tmp_path / "none.obj", mass=1.0)
    path.write_text("v 1 2\n")
    with pytest.raises(pbdr.FileFormatError, match="cube.obj"):
        Shape.mesh(path, mass=1.0)


def test_open_meshes_say_what_is_wrong() -> None:
    vertices, faces = make_cube(0.2)
    with pytest.raises(pbdr.MeshError):
        Shape.mesh((vertices, faces[:5]), mass=1.0)
    assert Shape.mesh((vertices, faces[:-1]), mass=1.0, source="hull", spheres=30).mass == pytest.approx(1.0)


def test_a_point_cloud_becomes_a_body() -> None:
    rng = np.random.default_rng(1)
    normals = rng.normal(size=(3000, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    shape = Shape.point_cloud(0.1 * normals, normals=normals, density=1000.0, spheres=100)
    assert shape.mass == pytest.approx(1000 * 4 / 3 * math.pi * 1e-3, rel=0.02)
    with pytest.raises(ValueError, match="normals"):
        Shape.point_cloud(0.1 * normals, normals=normals[:5], density=1000.0)


@pytest.mark.parametrize("make", [
    *(make for make, _ in PRIMITIVES.values()),
    lambda: Shape.spheres_of([[0, 0, 0], [1, 0, 0]], [0.5, 0.5], [1.0, 3.0], extra_inertia=0.01 * np.eye(3)),
    lambda: Shape.mesh(make_cube(0.2), mass=4.0, spheres=40),
    lambda: Shape.box(0.2, 4.0).with_mass(5.0),
])
def test_pickles_copies_and_files_are_the_same_shape(make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shape = make()
    for again in (pickle.loads(pickle.dumps(shape)), copy.copy(shape), copy.deepcopy(shape)):
        assert again.hash() == shape.hash() and again.mass == shape.mass
    path = tmp_path / "body.json"
    shape.save(path)
    assert Shape.load(path).hash() == shape.hash()
    body = json.loads(path.read_text())
    assert body["schema"] == "pbdr-body/1" and len(body["centers"]) == shape.sphere_count


def test_other_peoples_sphere_sets_are_read(tmp_path: Path) -> None:
    path = tmp_path / "morphit.json"
    path.write_text('{"centers": [[0, 0, 0], [0, 0, 1]], "radii": [0.5, 0.5]}')
    shape = Shape.load(path)
    assert shape.mass == pytest.approx(2 * 1000 * math.pi / 6) and shape.sphere_count == 2
    for text in ("{", "[]", '{"radii": [1]}'):
        path.write_text(text)
        with pytest.raises(pbdr.FileFormatError, match="morphit.json"):
            Shape.load(path)
    with pytest.raises(FileNotFoundError):
        Shape.load(tmp_path / "none.json")


def test_the_command_reads_what_save_writes(tmp_path: Path) -> None:
    path = tmp_path / "body.json"
    Shape.mesh(make_cube(0.2), mass=4.0, spheres=40).save(path)
    body = json.loads(path.read_text())
    assert {"centers", "radii", "masses", "mass", "com", "inertia", "extra_inertia"} <= set(body)


def test_masses_in_proportion() -> None:
    shape = Shape.box(0.2, 4.0)
    heavy = shape.with_mass(6.0)
    assert heavy.mass == 6.0 and heavy.inertia == pytest.approx(1.5 * shape.inertia, rel=1e-15)
    for mass in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(pbdr.InvalidArgumentError):
            shape.with_mass(mass)


def test_shapes_outlive_what_made_them() -> None:
    shape = Shape.box(0.2, 4.0).with_mass(5.0)
    spheres = shape.spheres
    del shape
    assert spheres.mass.sum() == pytest.approx(5.0)


def test_faces_are_whole_numbers() -> None:
    vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    expected = pbdr.Shape.mesh((vertices, faces), mass=1.0, spheres=20, quality=False).hash()
    for kind in (np.uint8, np.int64, np.uint64, np.float64):
        assert pbdr.Shape.mesh((vertices, faces.astype(kind)), mass=1.0, spheres=20, quality=False).hash() == expected
    for bad in (faces + 0.5, faces.astype(str), [["a", "b", "c"]]):
        with pytest.raises(TypeError, match="faces"):
            pbdr.Shape.mesh((vertices, bad), mass=1.0)
    with pytest.raises(TypeError, match="mass"):
        pbdr.Shape.mesh((vertices, faces), mass="heavy")  # type: ignore[arg-type]


def test_shapes_keep_nothing_of_the_callers_arrays() -> None:
    positions, radii, masses = np.array([[0.0, 0, 0], [0.1, 0, 0]]), np.array([0.06, 0.04]), np.array([1.0, 2.0])
    shape = pbdr.Shape.spheres_of(positions, radii, masses)
    positions[:], radii[:] = 7.0, 3.0
    assert pickle.loads(pickle.dumps(shape)).hash() == shape.hash()
