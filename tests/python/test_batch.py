"""Batches: the bits of single worlds, arrays that are set by writing, resets, refusals."""

from __future__ import annotations

import gc
import json
import math
import os
import pickle
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import pbdr
from conftest import check_ctrl_c, keeps_freed, make_pushed_box


def test_all_worlds_have_the_bits_of_single_ones() -> None:
    count = 200
    rng = np.random.default_rng(1)
    friction, push, mass = rng.uniform(0.1, 0.8, count), rng.uniform(5, 40, count), rng.uniform(2, 6, count)
    batch = pbdr.Batch(make_pushed_box(), count)
    batch.friction[:, 0], batch.force[:, 0, 0], batch.mass[:, 0] = friction, push, mass
    for _ in range(10):
        batch.step(10)
    hashes = batch.hash()
    for k in range(count):
        world = make_pushed_box()
        box = world.bodies[0]
        box.mass, box.friction, box.force = mass[k], friction[k], (push[k], 0, 0)
        world.step(100)
        assert world.hash() == hashes[k]
        assert (batch.position[k, 0] == box.position).all() and (batch.velocity[k, 0] == box.velocity).all()


def test_threads_change_no_bit() -> None:
    hashes = []
    for threads in (1, 2, 3):
        batch = pbdr.Batch(make_pushed_box(), 50, threads=threads)
        batch.force[:, 0, 0] = np.arange(50)
        batch.step(50)
        hashes.append(batch.hash())
    assert (hashes[0] == hashes[1]).all() and (hashes[0] == hashes[2]).all()


def test_arrays_have_worlds_first_and_bodies_second() -> None:
    world = make_pushed_box()
    world.add_body(pbdr.Shape.ball(0.1, 1.0), (1, 0, 0.1), name="ball")
    batch = pbdr.Batch(world, 7, threads=2)
    assert len(batch) == 7 and batch.names == ["box", "ball"] and batch.threads == 2
    for name in ("position", "velocity", "omega", "force", "torque"):
        assert getattr(batch, name).shape == (7, 2, 3) and getattr(batch, name).flags.writeable
    assert batch.quat.shape == (7, 2, 4) and batch.friction.shape == batch.mass.shape == (7, 2)
    assert batch.plane_friction.shape == (7, 1) and batch.flags.shape == (7,) and batch.flags.dtype == np.uint32
    assert batch.contact_force().shape == batch.contact_moment().shape == (7, 2, 3) and batch.contact_count().shape == (7,)
    assert batch.nbytes > 7 * 1000 and batch.hash().dtype == np.uint64


def test_writing_is_setting() -> None:
    batch = pbdr.Batch(make_pushed_box(gravity=(0, 0, 0)), 3)
    batch.force = 0.0  # by assignment, with broadcasting
    batch.position[1, 0] = (5, 6, 7)
    batch.velocity[2, 0, 0] = 2.0
    batch.quat[0, 0] = (0, 0, 0, 1)
    batch.step(100)
    assert batch.position[1, 0].tolist() == [5, 6, 7]
    assert batch.position[2, 0, 0] == pytest.approx(0.2, rel=1e-12)
    assert batch.quat[0, 0] == pytest.approx([0, 0, 0, 1], abs=1e-12)
    view = batch.position
    batch.step(1)
    assert view is not None and (view == batch.position).all()
    with pytest.raises(ValueError):
        batch.force = np.ones((2, 2))


def test_reset_of_chosen_worlds() -> None:
    batch = pbdr.Batch(make_pushed_box(), 6)
    start = batch.hash()
    batch.mass[:, 0], batch.friction[:, 0] = 5.0, 0.1
    batch.step(50)
    moved = batch.hash()
    batch.reset(np.array([True, False, True, False, False, False]))
    assert (batch.hash() == start).tolist() == [True, False, True, False, False, False]
    assert (batch.hash() == moved).tolist() == [False, True, False, True, True, True]
    assert batch.mass[:, 0].tolist() == [4, 5, 4, 5, 5, 5] and batch.friction[0, 0] == 0.4
    batch.reset([5, -3])
    assert batch.mass[:, 0].tolist() == [4, 5, 4, 4, 5, 4]
    batch.reset(np.array([], dtype=int))
    batch.reset()
    assert (batch.hash() == start).all() and (batch.force[:, 0, 0] == 17).all()
    batch.step(10)
    for mask in (np.ones(5, dtype=bool), "all", np.ones(6)):
        with pytest.raises((ValueError, TypeError)):
            batch.reset(mask)
    with pytest.raises(IndexError):
        batch.reset([6])


@pytest.mark.parametrize("name,value", [
    ("position", math.nan), ("quat", 0.6), ("velocity", math.inf), ("omega", math.nan), ("force", math.nan), ("torque", math.inf),
    ("friction", -1.0), ("mass", 0.0), ("plane_friction", math.nan),
])
def test_values_that_no_body_can_have(name: str, value: float) -> None:
    batch = pbdr.Batch(make_pushed_box(), 4)
    array = getattr(batch, name)
    kept = array[2].copy()
    array[2] = value
    before = batch.hash()
    with pytest.raises(pbdr.InvalidArgumentError, match="world 2"):
        batch.step(1)
    assert (batch.hash() == before).all()
    array[2] = kept
    batch.step(1)


def test_batches_that_are_refused() -> None:
    world = make_pushed_box()
    for arguments in ((world, 0), (world, -1), (world, 2, 1000), (world, 2, -1)):
        with pytest.raises(pbdr.InvalidArgumentError):
            pbdr.Batch(*arguments)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PBDR_GPU_LIBRARY", "/nowhere/libpbdr-gpu.so")
        with pytest.raises(pbdr.NotSupportedError, match="make gpu"):
            pbdr.Batch(world, 2, backend="gpu")
    for arguments in (("world", 2), (world, "many"), (None, 1)):
        with pytest.raises(TypeError):
            pbdr.Batch(*arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        pbdr.Batch(world, 2).step(-1)


def test_too_many_worlds_are_refused_before_memory_is_gone() -> None:
    if os.environ.get("PBDR_ASAN") == "1":
        pytest.skip("the address sanitizer wants terabytes of addresses for itself")
    code = ("import resource, pbdr; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)); w = pbdr.World(); "
            "w.add_body(pbdr.Shape.ball(0.1, 1.0));\n"
            "try: pbdr.Batch(w, 2_000_000_000)\nexcept MemoryError as error: print(error)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "2000000000 worlds" in done.stdout, done.stderr
    # memory that is promised is written to: arrays that there would be room for are not taken before the worlds
    code = code.replace("2_000_000_000", "10_000_000") + "\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    said, kilobytes = done.stdout.splitlines()
    assert "10000000 worlds" in said and int(kilobytes) < 500_000, done


def test_ctrl_c_ends_a_long_step() -> None:
    batch = pbdr.Batch(make_pushed_box(), 50)
    check_ctrl_c(batch.step)
    batch.step(1)  # goes on
    assert len(set(batch.hash().tolist())) == 1


def test_the_first_world_is_left_alone() -> None:
    world = make_pushed_box()
    batch = pbdr.Batch(world, 3)
    before = world.hash()
    batch.step(10)
    assert world.hash() == before
    world.close()
    batch.step(10)
    batch.reset()


def test_single_worlds_can_be_taken_out() -> None:
    batch = pbdr.Batch(make_pushed_box(), 3)
    batch.mass[1, 0] = 7.0
    batch.step(20)
    world = batch.world(1)
    assert world.hash() == batch.hash()[1] and world.bodies["box"].mass == 7.0
    again = pickle.loads(pickle.dumps(world))
    world.step(10)
    again.step(10)
    batch.step(10)
    assert world.hash() == batch.hash()[1] == again.hash()
    assert batch.world(-1).hash() == batch.hash()[2]
    with pytest.raises(IndexError):
        batch.world(3)


def test_targets() -> None:
    world = pbdr.World()
    world.add_body(pbdr.Shape.ball(0.1, 1.0), kind="kinematic")
    batch = pbdr.Batch(world, 4)
    goals = np.arange(12.0).reshape(4, 3)
    batch.set_target(0, goals, time=0.05, mask=[0, 1])
    batch.step(50)
    assert (batch.position[:2, 0] == goals[:2]).all() and (batch.position[2:, 0] == 0).all()
    batch.set_target(0, (1, 1, 1), quat=(0, 1, 0, 0), time=0.01)
    batch.step(10)
    assert (batch.position[:, 0] == 1).all() and (batch.quat[:, 0] == (0, 1, 0, 0)).all()
    with pytest.raises(IndexError):
        batch.set_target(1, (0, 0, 0))
    with pytest.raises(pbdr.InvalidArgumentError):
        pbdr.Batch(make_pushed_box(), 2).set_target(0, (0, 0, 0))


def test_bodies_follow_the_ways_of_their_scene(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({
        "schema": "pbdr-scene/2", "planes": [{"normal": [0, 0, 1], "point_m": [0, 0, 0], "friction": 0.4}],
        "bodies": [{"name": "box", "mass_kg": 1.0, "shape": "box", "half_extents_m": [0.1, 0.1, 0.1],
                    "start": {"position_m": [0, 0, 0.1]}},
                   {"name": "pusher", "kind": "kinematic", "shape": "ball", "radius_m": 0.05, "path": [
                       {"time_s": 0, "position_m": [-0.2, 0, 0.1]}, {"time_s": 0.1, "position_m": [-0.1, 0, 0.1]},
                       {"time_s": 0.2, "position_m": [-0.1, 0.1, 0.1]}]}]}))
    world = pbdr.load(path)
    batch = pbdr.Batch(world, 9, threads=2)
    batch.friction[:, 0] = np.linspace(0.1, 0.9, 9)
    batch.step(70)
    batch.reset([4])  # begins its way anew, while the others go on
    batch.step(80)
    for k in range(9):
        single = pbdr.load(path)
        single.bodies["box"].friction = 0.4 if k == 4 else float(np.linspace(0.1, 0.9, 9)[k])
        single.step(80 if k == 4 else 150)
        assert single.hash() == batch.hash()[k]
    assert batch.position[0, 1] == pytest.approx([-0.1, 0.05, 0.1], abs=1e-12) and batch.position[0, 0, 0] > 0.01
    out = batch.world(0)
    out.step(50)
    batch.step(50)
    assert out.hash() == batch.hash()[0] and out.bodies["pusher"].position.tolist() == [-0.1, 0.1, 0.1]


def test_flags_are_per_world() -> None:
    batch = pbdr.Batch(make_pushed_box(), 3)
    batch.velocity[1, 0, 0] = 2e5
    batch.step(1)
    assert batch.flags.tolist() == [0, int(pbdr.StepFlag.SPEED_LIMIT), 0]


def test_other_threads_run_and_are_refused() -> None:
    batch = pbdr.Batch(make_pushed_box(), 100, threads=1)
    thread = threading.Thread(target=batch.step, args=(5000,))
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            batch.hash()
        except RuntimeError:
            refused += 1
        time.sleep(0.001)
    thread.join()
    assert refused > 0


@keeps_freed
def test_batches_come_and_go_without_growth() -> None:
    def cycle(count: int) -> int:
        for _ in range(count):
            batch = pbdr.Batch(make_pushed_box(), 20, threads=2)
            batch.step(2)
            array = batch.position
            del batch
            assert np.isfinite(array).all()  # the array holds the batch
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = cycle(30)
    assert cycle(100) - before < 5000


def test_kernel_steps_as_worlds_do_and_shows_its_numbers() -> None:
    count = 40
    world = pbdr.World(contact="spheres")
    world.add_plane(friction=0.4)
    world.add_body(pbdr.Shape.box((0.2, 0.2, 0.2), 4.0, n=4), (0, 0, 0.1), friction=0.4)
    batch, worlds = pbdr.Batch(world, count, backend="host"), pbdr.Batch(world, count)
    push = np.linspace(5, 40, count)
    batch.force[:, 0, 0] = worlds.force[:, 0, 0] = push
    batch.step(100)
    worlds.step(100)
    assert batch.backend == "host"
    assert np.abs(batch.position - worlds.position).max() < 1e-12
    # the device's own memory, without a copy: it goes on with the batch, and the arrays do not until they are fetched
    values = batch.device_values(0)
    assert values.shape == (2, 32, 13) and not values.flags.owndata
    rows = np.from_dlpack(values).reshape(-1, 13)[:count]
    assert (rows[:, :3] == batch.position[:, 0]).all() and (rows[:, 7:10] == batch.velocity[:, 0]).all()
    # wrenches of contacts and flags likewise; the push has a moment about the ground, not about the centre of mass
    wrenches = np.from_dlpack(batch.device_wrenches(0)).reshape(-1, 6)[:count]
    assert (wrenches[:, :3] == batch.contact_force()[:, 0]).all() and (wrenches[:, 3:] == batch.contact_moment()[:, 0]).all()
    assert np.abs(batch.contact_force() - worlds.contact_force()).max() < 1e-6
    assert np.abs(batch.contact_moment() - worlds.contact_moment()).max() < 1e-6
    assert np.abs(wrenches[:, 2] - 4 * 9.81).max() < 1e-6
    assert (np.from_dlpack(batch.device_flags()).reshape(-1)[:count] == batch.flags).all()
    before = batch.position.copy()
    assert batch.step_alone(10, 5) >= 0.0
    assert (batch.position == before).all()
    batch.fetch()
    rows = np.asarray(values).reshape(-1, 13)[:count]
    assert (rows[:, :3] == batch.position[:, 0]).all() and (batch.position != before).any()
    with pytest.raises(pbdr.NotSupportedError, match="numbers of the device"):
        batch.world(0)
    with pytest.raises(pbdr.NotSupportedError, match="stand on no device"):
        worlds.device_values(0)
    with pytest.raises(pbdr.NotSupportedError, match="device_wrenches: worlds"):
        worlds.device_wrenches(0)
    with pytest.raises(pbdr.NotSupportedError, match="device_flags: worlds"):
        worlds.device_flags()
    with pytest.raises(IndexError):
        batch.device_wrenches(1)
    with pytest.raises(ValueError, match="wanted"):
        pbdr.Batch(world, 2, backend="abacus")
