"""Scenes out of files: our JSON always, MJCF and URDF through MuJoCo's package."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import pbdr
from pbdr import _cli

SCENES = Path(__file__).parent.parent.parent / "scenes"
MODELS = Path(__file__).parent.parent / "models"

SCENE = {
    "schema": "pbdr-scene/2", "time_step_s": 0.001, "duration_s": 2,
    "planes": [{"name": "floor", "normal": [0, 0, 1], "point_m": [0, 0, 0], "friction": 0.4}],
    "meshes": [{"name": "tetra", "vertices_m": [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]],
                "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}],
    "bodies": [
        {"name": "hammer", "mass_kg": 1.2, "shape": "compound", "parts": [
            {"shape": "box", "half_extents_m": [0.05, 0.015, 0.015]},
            {"shape": "cylinder", "radius_m": 0.01, "half_length_m": 0.1, "position_m": [0, 0, -0.1]}],
         "start": {"position_m": [0, 0, 0.5]}},
        {"name": "a", "mass_kg": 1.0, "shape": "mesh", "mesh": "tetra", "start": {"position_m": [1, 0, 0.01]}},
        {"name": "b", "mass_kg": 1.0, "shape": "mesh", "mesh": "tetra", "start": {"position_m": [2, 0, 0.01]}},
        {"name": "pusher", "kind": "kinematic", "shape": "ball", "radius_m": 0.05, "path": [
            {"time_s": 0, "position_m": [-1, 0, 0.05]}, {"time_s": 0.1, "position_m": [-0.9, 0, 0.05]},
            {"time_s": 0.2, "position_m": [-0.9, 0.1, 0.05]}]},
    ],
}


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(SCENE))
    return path


def test_json_has_the_bits_of_the_command(scene: Path, tmp_path: Path) -> None:
    world = pbdr.load(scene)
    world.step(150)
    out = tmp_path / "summary.json"
    subprocess.run([_cli.find_program(), "run", str(scene), "--duration", "0.15", "--hash", "--json", str(out)], check=True,
                   capture_output=True)
    assert json.loads(out.read_text())["hash"] == f"{world.hash():016x}"


def test_names_and_motions(scene: Path) -> None:
    world = pbdr.load(str(scene))
    assert world.bodies.keys() == ["hammer", "a", "b", "pusher"] and world.planes[0].name == "floor"
    assert world.bodies["a"].shape.hash() == world.bodies["b"].shape.hash()
    world.step(100)
    assert world.bodies["pusher"].position.tolist() == [-0.9, 0, 0.05]
    world.step(100)
    assert world.bodies["pusher"].position.tolist() == [-0.9, 0.1, 0.05]


@pytest.mark.parametrize("way", [lambda w: w.copy(), lambda w: pickle.loads(pickle.dumps(w))])
def test_copies_and_pickles_go_on_with_their_motions(scene: Path, way) -> None:  # type: ignore[no-untyped-def]
    world = pbdr.load(scene)
    world.step(50)
    world.add_body(pbdr.Shape.ball(0.05, 1.0), (3, 0, 0.05))
    world.bodies["b"].destroy()
    other = way(world)
    scene.unlink()
    world.step(100)
    other.step(100)
    assert other.state == world.state and other.bodies["pusher"].position[1] == pytest.approx(0.05)
    world.bodies["pusher"].destroy()
    world.step(10)


def test_shapes_of_scenes_are_pickled(scene: Path) -> None:
    shape = pbdr.load(scene).bodies["hammer"].shape
    assert shape.surface == "compound"
    assert pickle.loads(pickle.dumps(shape)).hash() == shape.hash()
    with pytest.raises(TypeError, match="scene"):
        shape.save(scene.parent / "body.json")


def test_meshes_in_files_are_pickled(tmp_path: Path) -> None:
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({"schema": "pbdr-scene/2", "bodies": [
        {"name": "t", "mass_kg": 1.0, "shape": "mesh", "mesh_file": "t.obj", "mesh_scale": [0.1, 0.1, 0.1]}]}))
    data = pickle.dumps(pbdr.load(path))
    (tmp_path / "t.obj").unlink()
    assert pickle.loads(data).bodies["t"].mass == pytest.approx(1.0)


@pytest.mark.parametrize("change,error", [
    ({"bodies": 3}, "bodies"), ({"schema": "other"}, "schema"), ({"time_step_s": -1}, "time_step_s"),
])
def test_bad_scenes_name_file_and_value(scene: Path, change: dict[str, object], error: str) -> None:
    scene.write_text(json.dumps({**SCENE, **change}))
    with pytest.raises(pbdr.FileFormatError, match=f"scene.json.*{error}"):
        pbdr.load(scene)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        pbdr.load(tmp_path / "none.json")
    with pytest.raises(pbdr.FileFormatError, match="ending"):
        pbdr.load("scene.txt")
    (tmp_path / "x.json").write_bytes(b"\xff\xfe")
    with pytest.raises(pbdr.FileFormatError):
        pbdr.load(tmp_path / "x.json")


def test_options(scene: Path) -> None:
    world = pbdr.load(scene, dt=2e-3, threads=2, events=True, contact="spheres", spheres_per_side=2)
    assert (world.dt, world.threads, world.events_on, world.contact) == (2e-3, 2, True, "spheres")
    assert pbdr.load(scene, solver="pbd-r").solver == "pbd-r"
    with pytest.warns(FutureWarning, match="'pbdr' is now called 'pbd-r'") as said:
        assert pbdr.load(scene, solver="pbdr").solver == "pbd-r"  # as it was called before
    assert said[0].filename == __file__
    with pytest.raises(ValueError):
        pbdr.load(scene, contact="auto")


def test_what_is_not_known_is_told(scene: Path) -> None:
    scene.write_text(json.dumps({**SCENE, "weather": "fine"}))
    with pytest.warns(UserWarning, match="weather"):
        world = pbdr.load(scene)
    assert "weather" in world.ignored[0]
    with pytest.raises(pbdr.NotSupportedError, match="weather"):
        pbdr.load(scene, strict=True)


# --- MuJoCo ---

def load_quietly(path: Path) -> pbdr.World:
    pytest.importorskip("mujoco")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return pbdr.load(path)


@pytest.mark.parametrize("name", ["arch", "box_on_slope", "brick_wall", "card_house", "dominoes", "rod_and_box", "tower", "tray"])
def test_our_scenes_load_and_obey(name: str) -> None:
    world = load_quietly(SCENES / f"{name}.xml")
    start = world.positions.copy()
    assert world.step(50) == 0
    if name in ("arch", "brick_wall", "card_house", "tower"):
        assert np.abs(world.positions - start).max() < 1e-7  # they stand: the file has so many decimals
    assert world.mixing == "maximum" and len(world.ignored) <= 2


def test_a_slope_slides_by_the_closed_form() -> None:
    world = load_quietly(SCENES / "box_on_slope.xml")
    start = world.positions.copy()
    world.step(500)
    moved = np.linalg.norm(world.positions - start, axis=1)
    angle = math.radians(25)
    # a t and a t^2/2 with a = g (sin - mu cos): one slides with 0.4, the other holds with 0.6. The file's decimals leave gaps
    # of 8e-9 m. While they close, in two substeps, bodies go by the velocity at the substep's end, not by the mean one
    # (docs/theory/xpbdr.md): a dt^2/2 farther in each
    a, t, dt = 9.81 * (math.sin(angle) - 0.4 * math.cos(angle)), 0.5, 1e-3
    assert np.linalg.norm(world.bodies["slides"].velocity) == pytest.approx(a * t, rel=1e-12)
    assert moved[0] - 0.5 * a * t**2 == pytest.approx(2 * 0.5 * a * dt**2, abs=1e-8)
    assert moved[1] < 1e-8 and np.abs(world.bodies["sticks"].velocity).max() < 1e-12


def test_mjcf_means_what_mujoco_means(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "m.xml"
    path.write_text("""<mujoco><option timestep="0.002" gravity="0 0 -1"/>
      <custom><numeric name="pbdr_restitution:b" data="0.5"/><numeric name="pbdr_duration" data="3"/></custom>
      <worldbody><geom type="plane" size="1 1 .1"/>
        <body name="top" pos="0 0 1" euler="10 20 30"><freejoint/>
          <geom name="b" type="box" size=".1 .2 .3" pos=".1 0 0" euler="0 0 40" density="800"/>
          <body pos="0 0.5 0" euler="5 0 0"><geom type="ellipsoid" size=".1 .1 .2" mass="2"/></body></body>
        <body name="hand" mocap="true" pos="0 3 1"><geom type="capsule" size=".05 .1"/></body>
        <geom name="wall" type="cylinder" size=".2 .5" pos="5 0 .5" contype="2" conaffinity="2"/>
      </worldbody></mujoco>""")
    world = load_quietly(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    top = world.bodies["top"]
    assert world.dt == 0.002 and world.gravity.tolist() == [0, 0, -1]
    assert top.mass == pytest.approx(model.body_subtreemass[1], rel=1e-9)
    assert top.position == pytest.approx(data.subtree_com[1], abs=1e-9)
    assert top.restitution == 0.5 and top.kind == "dynamic" and world.bodies["hand"].kind == "kinematic"
    assert world.bodies["wall"].kind == "static" and not world.bodies["wall"].mask & top.category
    text = " ".join(world.ignored)
    assert "ellipsoids" in text
    assert pickle.loads(pickle.dumps(world)).hash() == world.hash()
    with pytest.raises(pbdr.NotSupportedError):
        pbdr.load(path, strict=True)


def test_what_is_not_simulated_is_listed_as_by_the_command(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    if not hasattr(mujoco.MjModel.from_xml_string("<mujoco/>"), "actuator_delay"):
        pytest.skip("an old MuJoCo, which does not know all of the file")
    path, out = MODELS / "ignored.xml", tmp_path / "summary.json"
    world = load_quietly(path)
    assert world.ignored == (MODELS / "ignored.txt").read_text().splitlines()
    assert world.actuators == ["rotor", "waits", "thick", "first", "second"]
    run = subprocess.run([_cli.find_program(), "run", str(path), "--duration", "0.01", "--json", str(out)], capture_output=True)
    if run.returncode == 0:  # else there is no MuJoCo for it
        assert json.loads(out.read_text())["ignored"] == world.ignored


def test_urdf(tmp_path: Path) -> None:
    path = tmp_path / "m.urdf"
    path.write_text("""<robot name="r"><mujoco><compiler discardvisual="false"/></mujoco>
      <link name="base"/><joint name="j" type="floating"><parent link="base"/><child link="ball"/></joint>
      <link name="ball"><inertial><mass value="2"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><geometry><sphere radius=".1"/></geometry></collision></link></robot>""")
    world = load_quietly(path)
    assert world.bodies["ball"].mass == pytest.approx(2.0)
    path.write_text("<robot")
    with pytest.raises(pbdr.FileFormatError, match="m.urdf"):
        pbdr.load(path)
    with pytest.raises(FileNotFoundError):
        pbdr.load(tmp_path / "none.xml")


def test_without_mujoco_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(pbdr.NotSupportedError, match="pip install mujoco"):
        pbdr.load(tmp_path / "m.xml")
