"""State, copies, pickles, snapshots: all go on bit for bit."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import pbdr
from conftest import make_pushed_box


def make_patched(**options: object) -> pbdr.World:
    """Bodies of several shapes; one was destroyed and its place taken by another, one place is empty."""
    world = pbdr.World(**options)  # type: ignore[arg-type]
    gone = world.add_plane(offset=-5.0)
    world.add_plane(friction=0.3, restitution=0.1)
    world.add_body(pbdr.Shape.box(0.2, 4.0), (0, 0, 0.1), name="first")
    second = world.add_body(pbdr.Shape.ball(0.1, 1.0), (1, 0, 0.1))
    world.add_body(pbdr.Shape.cylinder(0.1, 0.2, 2.0), (2, 0, 0.1), restitution=0.2)
    last = world.add_body(pbdr.Shape.ball(0.1, 1.0), (3, 0, 0.1))
    second.destroy()
    again = world.add_body(pbdr.Shape.box((0.3, 0.2, 0.1), 3.0), (1, 0, 0.06), name="again", user_data=[1, 2])
    third = world.add_body(pbdr.Shape.capsule(0.05, 0.2, 1.0), (4, 0, 0.3), kind="kinematic")
    last.destroy()
    gone.destroy()
    again.force, again.mass, third.velocity = (20, 1, 0), 3.5, (0.1, 0, 0)
    world.dt = 5e-4
    return world


ENGINES = [{"solver": "xpbdr"}, {"solver": "pbd-r"}, {"solver": "pbd-r", "engine": "particle"}, {"solver": "pbd"},
           {"solver": "pbd-r", "precision": "f32"}, {"solver": "xpbdr", "contact": "spheres"}]


@pytest.mark.parametrize("options", ENGINES)
@pytest.mark.parametrize("way", [lambda w: w.copy(), copy.copy, copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))])
def test_copies_go_on_bit_for_bit(options, way) -> None:  # type: ignore[no-untyped-def]
    world = make_patched(**options)
    world.step(40)
    other = way(world)
    assert other.state == world.state and other.hash() == world.hash()
    world.step(60)
    other.step(60)
    assert other.state == world.state
    assert other.bodies.keys() == world.bodies.keys() and other.bodies["again"].user_data == [1, 2]
    other.bodies["first"].force = (5, 0, 0)
    other.step(10)
    world.step(10)
    assert other.hash() != world.hash()
    assert [p.restitution for p in other.planes] == [0.1]


def test_deep_copies_have_user_data_of_their_own() -> None:
    world = make_patched()
    assert world.copy().bodies["again"].user_data is world.bodies["again"].user_data
    assert copy.deepcopy(world).bodies["again"].user_data is not world.bodies["again"].user_data


def test_pickles_keep_settings() -> None:
    world = make_pushed_box(strict=True, events=True, mixing="minimum", gravity=(0, 0, -2))
    other = pickle.loads(pickle.dumps(world))
    assert (other.strict, other.events_on, other.mixing) == (True, True, "minimum")
    assert other.gravity[2] == -2 and other.bodies["box"].shape.hash() == world.bodies["box"].shape.hash()


def test_state_goes_back(world: pbdr.World) -> None:
    positions = world.positions
    state, before = world.state, world.hash()
    world.step(100)
    after = world.hash()
    world.state = state
    assert world.hash() == before and positions[0, 0] == 0
    world.step(100)
    assert world.hash() == after and isinstance(state, bytes)


def test_states_of_other_worlds_are_refused(world: pbdr.World) -> None:
    other = make_patched()
    before = world.hash()
    for state in (other.state, b"", b"nonsense" * 50, world.state[:-3]):
        with pytest.raises(pbdr.StateError):
            world.state = state
    with pytest.raises(TypeError):
        world.state = "text"  # type: ignore[assignment]
    assert world.hash() == before


def test_snapshots(world: pbdr.World, tmp_path: Path) -> None:
    path = tmp_path / "snapshot"
    world.step(50)
    world.save_snapshot(path, key=7)
    before = world.hash()
    world.step(50)
    world.load_snapshot(path, key=7)
    assert world.hash() == before
    with pytest.raises(pbdr.Error):
        world.load_snapshot(path, key=8)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(pbdr.Error, match="snapshot"):
        world.load_snapshot(path, key=7)
    with pytest.raises(FileNotFoundError):
        world.load_snapshot(tmp_path / "none")


def test_a_copy_stands_on_its_own(world: pbdr.World) -> None:
    other = world.copy()
    box = other.bodies["box"]
    world.close()
    other.step(10)
    assert np.isfinite(box.position).all() and box.alive
