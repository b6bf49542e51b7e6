"""World.show: the page of `pbdr view` where it was built, else a picture."""

from __future__ import annotations

import json
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import pbdr
from pbdr import _cli

SCENES = Path(__file__).parent.parent.parent / "scenes"
# The marks of web/replay.html: what is put in between is looked at here, the page itself by the tests of web/.
TEMPLATE = "<title>pbdr replay</title><!--pbdr:data--><!--pbdr:engine-->engine<!--/pbdr:engine-->end"
TETRA = (np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]]) + 1.0, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


@pytest.fixture
def without_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A command that has no page beside it."""
    program = tmp_path / "pbdr"
    shutil.copy(Path(_cli.find_program()).resolve(), program)
    monkeypatch.setenv("PBDR_COMMAND", str(program))
    return tmp_path


@pytest.fixture
def with_page(without_page: Path) -> None:
    (without_page / "web").mkdir()
    (without_page / "web" / "replay.html").write_text(TEMPLATE)


def read_page(picture: object) -> dict:  # type: ignore[type-arg]
    html = picture.html  # type: ignore[attr-defined]
    assert "engine" not in html.split("</script>")[-1]  # stored frames do without
    found = re.search(r'<script type="application/json" id="pbdr-data">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))


def test_without_the_page_it_is_a_picture(world: pbdr.World, without_page: Path) -> None:
    shown = world.show()
    assert not shown.is_page and "<svg" in shown._repr_html_() and "</svg>" in shown.html
    with pytest.warns(UserWarning, match="make web"):
        assert not world.show(duration=0.1).is_page
    assert world.substeps == 0
    shown.save(without_page / "world.svg")
    assert (without_page / "world.svg").read_text() == shown.html


def test_with_the_page_the_world_can_be_turned_and_played(world: pbdr.World, with_page: None) -> None:
    world.add_body(pbdr.Shape.ball(0.1, 1.0), (1, 0, 1))
    world.add_body(pbdr.Shape.ball(0.1, 1.0), (2, 0, 1), name="body1")
    page = world.show(height=300)
    assert page.is_page and 'height="300"' in page._repr_html_() and "&lt;title" in page._repr_html_()
    view = read_page(page)
    assert [body["name"] for body in view["bodies"]] == ["box", "body1_", "body1"]
    assert len(view["planes"]) == 1 and world.substeps == 0
    played = read_page(world.show(duration=0.5))
    assert played["frames"] == 51 and world.substeps == 0  # a copy has run
    assert not world.show(picture=True).is_page and not world.show(azimuth=-40).is_page
    assert not pbdr.World().show().is_page  # there is nothing to turn


def test_recordings_and_files_are_played(world: pbdr.World, with_page: None, tmp_path: Path) -> None:
    recording = pbdr.plot.record(world, 0.2)
    assert read_page(world.show(trajectory=recording))["frames"] == 21
    recording.save(tmp_path / "run.csv")
    assert read_page(world.show(trajectory=tmp_path / "run.csv"))["frames"] == 21
    (tmp_path / "bad.csv").write_text("t,body\n0,box\n")
    with pytest.raises(pbdr.Error, match="px"):
        world.show(trajectory=tmp_path / "bad.csv")
    with pytest.raises(ValueError):
        world.show(duration=-1.0)
    with pytest.raises(TypeError):
        world.show(colour="red")  # type: ignore[call-arg]


@pytest.mark.parametrize("shape,kind", [
    (pbdr.Shape.box((0.1, 0.2, 0.3), 1.0), "box"), (pbdr.Shape.cylinder(0.1, 0.2, 1.0), "cylinder"),
    (pbdr.Shape.capsule(0.1, 0.2, 1.0), "capsule"), (pbdr.Shape.ball(0.1, 1.0).with_mass(2.0), "ball"),
    (pbdr.Shape.mesh(TETRA, mass=1.0, spheres=20), "mesh"), (pbdr.Shape.spheres_of([[0, 0, 0], [0.1, 0, 0]], [0.06, 0.04], [1, 2]), "ball"),
])
def test_every_shape_has_its_look(shape: pbdr.Shape, kind: str, with_page: None) -> None:
    world = pbdr.World()
    world.add_body(shape, (0, 0, 1))
    geoms = read_page(world.show())["bodies"][0]["geoms"]
    assert {geom["kind"] for geom in geoms} == {kind}
    # about the centre of mass, which the trajectory is of
    middle = np.array([geom["position_m"] for geom in geoms])
    assert middle == pytest.approx(shape.spheres.position if len(geoms) == 2 else -shape.centre[None], abs=1e-12)


@pytest.mark.parametrize("name", ["card_house.xml", "rod_and_box.xml", "tray.xml"])
def test_scenes_have_their_look(name: str, with_page: None) -> None:
    pytest.importorskip("mujoco")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        world = pbdr.load(SCENES / name)
    view = read_page(world.show())
    assert len(view["bodies"]) == len(world.bodies)
    assert all(geom["kind"] in ("box", "ball", "capsule", "cylinder", "mesh") for body in view["bodies"] for geom in body["geoms"])
