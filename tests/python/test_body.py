"""Bodies and planes: every property, what is refused, handles of what is gone."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pbdr

VECTORS = ["position", "velocity", "omega", "force", "torque"]


@pytest.fixture
def box() -> pbdr.Body:
    world = pbdr.World(gravity=(0, 0, 0))
    return world.add_body(pbdr.Shape.box((0.2, 0.3, 0.4), mass=2.0), (1, 2, 3), name="box", user_data={"a": 1})


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("value", [(1, 2, 3), [1.0, 2.0, 3.0], np.array([1, 2, 3]), np.arange(1, 4, dtype=np.float32)])
def test_vectors_take_any_sequence(box: pbdr.Body, name: str, value: object) -> None:
    setattr(box, name, value)
    got = getattr(box, name)
    assert got.dtype == np.float64 and got.shape == (3,)
    assert got.tolist() == [1, 2, 3]


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("value,error", [
    ((1, 2), ValueError), ((1, 2, 3, 4), ValueError), (5, TypeError), ("abc", TypeError), (None, TypeError),
    ((1, "b", 3), TypeError), ((math.nan, 0, 0), pbdr.InvalidArgumentError), ((0, math.inf, 0), pbdr.InvalidArgumentError),
    (np.ones((3, 3)), TypeError), ({"x": 1}, TypeError),
])
def test_vectors_refuse_the_rest(box: pbdr.Body, name: str, value: object, error: type[Exception]) -> None:
    before = getattr(box, name).tolist()
    with pytest.raises(error, match=name):
        setattr(box, name, value)
    assert getattr(box, name).tolist() == before


def test_quaternions(box: pbdr.Body) -> None:
    half = math.sqrt(0.5)
    box.quat = (half, 0, 0, half)  # 90 degrees about z: x becomes y
    assert box.rotation @ [1, 0, 0] == pytest.approx([0, 1, 0], abs=1e-15)
    assert box.quat == pytest.approx([half, 0, 0, half], abs=1e-15)
    for value in ((1, 1, 1, 1), (0, 0, 0, 0), (math.nan, 0, 0, 0)):
        with pytest.raises(pbdr.InvalidArgumentError, match="quat"):
            box.quat = value
    with pytest.raises(ValueError):
        box.quat = (1, 0, 0)


def test_constants(box: pbdr.Body) -> None:
    assert box.mass == pytest.approx(2.0, rel=1e-12)
    a, b, c = 0.2, 0.3, 0.4
    expected = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * 2.0 / 12
    assert box.inertia == pytest.approx(expected, abs=1e-12)
    assert box.kind == "dynamic" and box.name == "box" and box.user_data == {"a": 1}
    assert box.shape.surface == "box" and box.spheres.shape == (box.shape.sphere_count, 3)
    assert box.row == 0 and box.alive and box.world.bodies[0] == box
    box.user_data, box.name = None, "other"
    assert box.user_data is None and box.world.bodies["other"] == box
    with pytest.raises(TypeError):
        box.name = 3  # type: ignore[assignment]


@pytest.mark.parametrize("name,good,bad", [("friction", 0.7, -0.1), ("restitution", 0.5, 1.5), ("mass", 3.0, 0.0)])
def test_numbers(box: pbdr.Body, name: str, good: float, bad: float) -> None:
    setattr(box, name, good)
    assert getattr(box, name) == pytest.approx(good, rel=1e-12)
    for value in (bad, math.nan):
        with pytest.raises(pbdr.InvalidArgumentError):
            setattr(box, name, value)
    with pytest.raises(TypeError):
        setattr(box, name, "much")
    assert getattr(box, name) == pytest.approx(good, rel=1e-12)


def test_mass_scales_the_inertia(box: pbdr.Body) -> None:
    inertia = box.inertia
    box.mass = 5.0
    assert box.inertia == pytest.approx(2.5 * inertia, rel=1e-12)
    box.force = (10, 0, 0)
    box.world.step(100)
    assert box.velocity[0] == pytest.approx(10 / 5 * 0.1, rel=1e-12)


def test_momentum(box: pbdr.Body) -> None:
    box.velocity, box.omega = (1, 2, 3), (0, 0, 2)
    assert box.momentum == pytest.approx([2, 4, 6], rel=1e-12)
    assert box.angular_momentum == pytest.approx(box.inertia @ [0, 0, 2], rel=1e-12)


def test_step_forces_act_in_one_step_however_long(box: pbdr.Body) -> None:
    other = box.world.copy().bodies[0]
    for body in (box, other):
        body.apply_force((1, 0, 0))
        body.apply_force((0, 2, 0), point=body.position + [0.1, 0, 0])
        body.apply_torque((0, 0, 0.3))
    box.world.step(400)
    other.world.step(400, callback=lambda w: None)  # in pieces of one substep
    # F t / m; the lever is that of the call: 0.1 m x 2 N + 0.3 N m
    assert box.velocity == pytest.approx([0.4 / 2, 0.8 / 2, 0], rel=1e-9)
    assert box.omega[2] == pytest.approx(0.5 * 0.4 / box.inertia[2, 2], rel=1e-9)
    assert other.velocity == pytest.approx(box.velocity, abs=0)
    assert other.omega == pytest.approx(box.omega, abs=0)
    velocity = box.velocity
    box.world.step(10)
    assert box.velocity == pytest.approx(velocity, rel=1e-12)


def test_impulses(box: pbdr.Body) -> None:
    box.apply_impulse((4, 0, 0))
    assert box.velocity == pytest.approx([2, 0, 0], rel=1e-12)
    box.apply_angular_impulse((0, 0, 1))
    assert box.omega[2] == pytest.approx(1 / box.inertia[2, 2], rel=1e-12)
    box.apply_impulse((0, 4, 0), point=box.position + [0.1, 0, 0])
    assert box.omega[2] == pytest.approx(1.4 / box.inertia[2, 2], rel=1e-12)
    for call in (box.apply_impulse, box.apply_force, box.apply_torque, box.apply_angular_impulse):
        with pytest.raises(pbdr.InvalidArgumentError):
            call((math.nan, 0, 0))
        with pytest.raises(TypeError):
            call(None)  # type: ignore[arg-type]


def test_targets() -> None:
    world = pbdr.World()
    rod = world.add_body(pbdr.Shape.capsule(0.05, 0.3, 1.0), kind="kinematic")
    assert rod.target is None
    rod.set_target((1, 0, 0), quat=(0, 1, 0, 0), time=0.1)
    assert rod.target is not None and rod.target[2] == pytest.approx(0.1)
    world.step(50)
    assert rod.velocity[0] == pytest.approx(10)
    world.step(50)
    assert rod.position.tolist() == [1, 0, 0] and rod.target is None
    with pytest.raises(pbdr.InvalidArgumentError):
        rod.set_target((0, 0, 0), time=-1.0)
    with pytest.raises(pbdr.InvalidArgumentError):
        world.add_body(pbdr.Shape.ball(0.1, 1)).set_target((0, 0, 0))


def test_filters() -> None:
    world = pbdr.World()
    plane = world.add_plane(category=2)
    ball = world.add_body(pbdr.Shape.ball(0.1, 1), (0, 0, 0.1), mask=1)
    world.step(100)
    assert ball.position[2] < 0.1  # falls through: the plane is in category 2
    assert (ball.category, ball.mask, plane.category) == (1, 1, 2)
    ball.position, ball.velocity, ball.mask = (0, 0, 0.1), (0, 0, 0), 3
    world.step(100)
    assert ball.position[2] == pytest.approx(0.1, abs=1e-9)
    plane.category, plane.mask, ball.category = 1, 2**64 - 1, 4
    assert (plane.category, plane.mask, ball.category) == (1, 2**64 - 1, 4)
    with pytest.raises(TypeError):
        ball.mask = -1


def test_planes() -> None:
    world = pbdr.World()
    plane = world.add_plane(normal=(0, 0, 1), offset=0.5, friction=0.3, restitution=0.1, name="floor")
    assert (plane.offset, plane.friction, plane.restitution, plane.name, plane.row) == (0.5, 0.3, 0.1, "floor", 0)
    plane.offset, plane.friction, plane.restitution, plane.normal = 0.1, 0.2, 0.0, (0, 1, 0)
    assert plane.normal.tolist() == [0, 1, 0] and plane.offset == 0.1
    for name, value in (("friction", -1.0), ("offset", math.nan), ("restitution", 2.0), ("normal", (0, 0, 0))):
        with pytest.raises(pbdr.InvalidArgumentError, match=name):
            setattr(plane, name, value)
    with pytest.raises(pbdr.InvalidArgumentError):
        world.add_plane(normal=(0, 0, 2))
    assert world.planes == [plane] and hash(plane) == hash(world.planes[0]) and plane != 3
    plane.destroy()
    assert not plane.alive and world.planes == []
    for use in (lambda: plane.friction, plane.destroy, lambda: plane.row):
        with pytest.raises(pbdr.InvalidIdError):
            use()


def test_destroyed_bodies_raise(box: pbdr.Body) -> None:
    world, again = box.world, box.world.bodies[0]
    other = world.add_body(pbdr.Shape.ball(0.1, 1.0), (5, 0, 0))
    box.destroy()
    for name in [*VECTORS, "quat", "friction", "mass", "name", "user_data", "shape", "contacts", "spheres", "row", "kind"]:
        with pytest.raises(pbdr.InvalidIdError, match="destroyed"):
            getattr(box, name)
    for use in (box.destroy, again.destroy, lambda: box.apply_force((1, 0, 0)), lambda: setattr(box, "force", (1, 0, 0))):
        with pytest.raises(pbdr.InvalidIdError):
            use()
    assert not box.alive and "destroyed" in repr(box)
    assert len(world.bodies) == 1 and other.row == 0
    new = world.add_body(pbdr.Shape.ball(0.1, 1.0), (0, 0, 0))  # takes the place, and is another
    assert new != box and not box.alive and new.alive


def test_bodies_that_are_refused() -> None:
    world = pbdr.World()
    shape = pbdr.Shape.ball(0.1, 1.0)
    world.add_body(shape, name="a")
    for options in ({"position": (math.nan, 0, 0)}, {"quat": (2, 0, 0, 0)}, {"friction": -1.0}, {"kind": "elastic"},
                    {"restitution": 2.0}, {"name": "a"}, {"rolling_friction": -1.0}):
        with pytest.raises(ValueError):
            world.add_body(shape, **options)  # type: ignore[arg-type]
    for options in ({"position": "here"}, {"name": 3}, {"friction": None}, {"mask": "all"}):
        with pytest.raises(TypeError):
            world.add_body(shape, **options)  # type: ignore[arg-type]
    for other in (None, "box", 3):
        with pytest.raises(TypeError):
            world.add_body(other)  # type: ignore[arg-type]
    assert len(world.bodies) == 1


def test_static_bodies_have_no_velocity() -> None:
    body = pbdr.World().add_body(pbdr.Shape.ball(0.1, 1.0), kind="static")
    with pytest.raises(pbdr.InvalidArgumentError):
        body.velocity = (1, 0, 0)


def test_shape_of_a_body_can_be_changed(box: pbdr.Body) -> None:
    box.velocity = (1, 0, 0)
    box.shape = pbdr.Shape.ball(0.3, 7.0)
    assert box.mass == 7.0 and box.position.tolist() == [1, 2, 3] and box.velocity[0] == 1
    with pytest.raises(TypeError):
        box.shape = "ball"  # type: ignore[assignment]


def test_everything_says_what_it_is(world: pbdr.World) -> None:
    plane, box = world.planes[0], world.bodies[0]
    assert repr(plane) == "<pbdr.Plane, normal (0, 0, 1), offset 0 m>"
    assert repr(box) == "<pbdr.Body 'box', dynamic>" and repr(box.shape) == "<pbdr.Shape box, 64 spheres, 4 kg>"
    assert repr(world.bodies) == "<pbdr.BodyList of 1: 'box'>" and repr(world) == "<pbdr.World xpbdr, 1 bodies>"
    assert repr(pbdr.Batch(world, 3)) == "<pbdr.Batch of 3 worlds with 1 bodies each>"
    plane.destroy()
    assert repr(plane) == "<pbdr.Plane, destroyed>"
