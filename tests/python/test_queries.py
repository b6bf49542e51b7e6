"""Contacts, events, rays, wrenches."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pbdr
from conftest import make_pushed_box


def make_stack() -> pbdr.World:
    world = pbdr.World(events=True)
    world.add_plane(name="floor")
    for k in range(2):
        world.add_body(pbdr.Shape.box(0.2, 4.0), (0, 0, 0.1 + 0.2 * k), name=f"box{k}")
    world.step(50)
    return world


def test_contacts_are_a_structured_array() -> None:
    contacts = make_stack().contacts
    assert isinstance(contacts, np.recarray) and contacts.dtype.names == (
        "body_a", "sphere_a", "body_b", "sphere_b", "plane", "point", "normal", "separation", "force")
    assert contacts["force"].shape == (len(contacts), 3) and contacts.point.dtype == np.float64
    on_floor = contacts[contacts.plane == 0]
    between = contacts[contacts.body_b >= 0]
    assert len(on_floor) >= 3 and len(between) >= 3 and len(on_floor) + len(between) == len(contacts)
    assert on_floor.force[:, 2].sum() == pytest.approx(2 * 4 * 9.81, rel=1e-6)
    assert abs(between.force[:, 2].sum()) == pytest.approx(4 * 9.81, rel=1e-6)
    assert np.abs(contacts.separation).max() < 1e-6


def test_contacts_of_a_body_are_its_own_side() -> None:
    world = make_stack()
    lower, upper = world.bodies["box0"], world.bodies["box1"]
    assert (lower.contacts.body_a == 0).all() and (upper.contacts.body_a == 1).all()
    # what bears it up, less its load: nothing is left but gravity
    for body in (lower, upper):
        assert body.contacts.force.sum(0) == pytest.approx([0, 0, 4 * 9.81], abs=1e-6)
    assert (upper.contacts.normal[:, 2] > 0.99).all()


def test_no_contacts_is_an_empty_array() -> None:
    world = pbdr.World()
    world.add_body(pbdr.Shape.ball(0.1, 1.0))
    world.step()
    assert len(world.contacts) == 0 and world.contacts.force.sum(0).tolist() == [0, 0, 0]
    assert len(world.events) == 0


def test_wrenches() -> None:
    world = make_stack()
    lower, upper, floor = world.bodies[0], world.bodies[1], world.planes[0]
    force, torque = upper.contact_wrench()
    assert force == pytest.approx([0, 0, 39.24], abs=1e-6) and torque == pytest.approx([0, 0, 0], abs=1e-6)
    assert lower.contact_wrench(other=upper)[0][2] == pytest.approx(-39.24, abs=1e-6)
    assert lower.contact_wrench(other=floor)[0][2] == pytest.approx(2 * 39.24, abs=1e-6)
    # about a point 1 m to the side: 1 m x 39.24 N
    assert abs(upper.contact_wrench(point=(1, 0, 0.3))[1][1]) == pytest.approx(39.24, abs=1e-5)
    with pytest.raises(TypeError):
        upper.contact_wrench(other="floor")  # type: ignore[arg-type]


def test_events() -> None:
    world = pbdr.World(events=True)
    world.add_plane()
    ball = world.add_body(pbdr.Shape.ball(0.1, 1.0), (0, 0, 0.101))
    world.step(100)
    events = world.events
    assert len(events) == 1 and events.begin[0] == 1 and events.body_a[0] == 0 and events.plane[0] == 0
    # free fall over 1 mm takes sqrt(2 h/g) = 14.3 ms
    assert 14 <= events.substep[0] <= 16
    world.step(10)
    assert len(world.events) == 0
    ball.velocity = (0, 0, 1)
    world.step(10)
    assert world.events.begin.tolist() == [0]
    assert world.events_on
    world.events_on = False
    assert not world.events_on


def test_rays_and_nearest() -> None:
    world = make_stack()
    hit = world.ray((0, 0, 2), (0, 0, -1))
    assert hit is not None and hit.body == world.bodies["box1"] and hit.plane is None
    assert hit.distance == pytest.approx(1.6, abs=1e-6) and hit.normal == pytest.approx([0, 0, 1], abs=1e-9)
    assert hit.point == pytest.approx([0, 0, 0.4], abs=1e-6)
    floor = world.ray((1, 0, 2), (0, 0, -3))
    assert floor is not None and floor.plane == world.planes[0] and floor.body is None
    assert world.ray((0, 0, 2), (0, 0, 1)) is None and world.ray((0, 0, 2), (0, 0, -1), max_distance=1) is None
    assert world.ray((0, 0, 2), (0, 0, -1), mask=0) is None
    near = world.nearest((0.15, 0, 0.3))
    assert near is not None and near.distance == pytest.approx(0.05, abs=1e-6) and near.body == world.bodies[1]
    assert world.nearest((5, 5, 5), max_distance=0.1) is None
    for arguments in (((0, 0), (0, 0, 1)), ("abc", (0, 0, 1))):
        with pytest.raises((TypeError, ValueError)):
            world.ray(*arguments)  # type: ignore[arg-type]


def test_contact_forces_hold_by_friction() -> None:
    world = make_pushed_box()
    world.step(10)
    forces = world.bodies[0].contacts.force
    # Coulomb: |tangential| = mu normal at every sliding contact
    assert np.linalg.norm(forces[:, :2], axis=1) == pytest.approx(0.4 * forces[:, 2], abs=1e-9)


def test_queries_that_mean_nothing_are_refused(world: pbdr.World) -> None:
    for direction in ((0, 0, 0), (0, math.nan, 0), (math.inf, 0, 0)):
        with pytest.raises(pbdr.InvalidArgumentError, match="direction"):
            world.ray((0, 0, 5), direction)
    with pytest.raises(pbdr.InvalidArgumentError, match="origin"):
        world.ray((0, 0, math.inf), (0, 0, -1))
    with pytest.raises(pbdr.InvalidArgumentError, match="point"):
        world.nearest((0, math.nan, 0))
