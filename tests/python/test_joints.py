"""Joints from Python: made, loaded, driven, and compared with MuJoCo's forward dynamics."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import pbdr


def make_pendulum() -> tuple[pbdr.World, object]:
    world = pbdr.World()
    bob = world.add_body(pbdr.Shape.ball(0.1, 1.0), position=(0.5, 0, 0), mask=0)
    return world, world.add_joint("hinge", None, bob, point=(0, 0, 0), axis=(0, 1, 0), name="pivot")


def test_pendulum_swings_as_the_closed_form_says() -> None:
    world, joint = make_pendulum()
    # angular acceleration at the start: m g l / (m l^2 + 2/5 m r^2)
    bodies, axes = world.find_accelerations()
    assert axes[0] == pytest.approx(9.81 * 0.5 / (0.25 + 0.4 * 0.01), rel=1e-12)
    assert bodies[0][2] == pytest.approx(-0.5 * axes[0], rel=1e-12)
    world.step(1000)
    assert world.joints["pivot"].gap < 1e-12 and world.joints["pivot"].turn_gap < 1e-10
    assert abs(world.joints["pivot"].position) > 0.1
    assert np.linalg.norm(world.joints["pivot"].force) > 1.0
    copy = world.copy()
    copy.step(10)
    world.step(10)
    assert copy.hash() == world.hash() and copy.joints["pivot"].position == world.joints["pivot"].position
    again = pickle.loads(pickle.dumps(world))
    again.step(10)
    world.step(10)
    assert again.hash() == world.hash() and again.joints["pivot"].position == world.joints["pivot"].position


def test_motor_target() -> None:
    world, _ = make_pendulum()
    bob = world.add_body(pbdr.Shape.ball(0.1, 1.0), position=(3, 0, 0), mask=0)
    joint = world.add_joint("slide", None, bob, point=(3, 0, 0), axis=(1, 0, 0), motor="velocity", target=0.5)
    world.step(100)
    assert joint.velocity == pytest.approx(0.5, abs=1e-12) and joint.position == pytest.approx(0.05, abs=1e-12)
    joint.target = -0.5
    world.step(100)
    assert joint.position == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(ValueError):
        joint.target = math.nan


def test_motor_gains_and_destroy() -> None:
    world = pbdr.World(gravity=(0, 0, 0))
    bob = world.add_body(pbdr.Shape.ball(0.1, 2.0), position=(1, 0, 0), mask=0)
    joint = world.add_joint("slide", None, bob, point=(1, 0, 0), axis=(1, 0, 0), name="way", motor="force", motor_stiffness=8.0)
    bob.velocity = (1, 0, 0)
    world.step(500)
    assert joint.position == pytest.approx(0.5 * math.sin(1.0), abs=1e-6)  # sqrt(8/2) = 2 rad/s
    joint.motor_stiffness, joint.motor_damping = 0.0, 6.0
    assert (joint.motor_stiffness, joint.motor_damping) == (0.0, 6.0)
    before = joint.velocity
    world.step(500)
    # 3/s by the force of the middle: off by 1.5 (3 dt)^2/12 = 1.1e-6
    assert joint.velocity == pytest.approx(before * math.exp(-1.5), rel=2e-6)
    with pytest.raises(ValueError, match="motor gain"):
        joint.motor_damping = math.nan
    copy = world.copy()
    joint.destroy()
    assert not world.joints and list(copy.joints) == ["way"]
    with pytest.raises(pbdr.InvalidIdError):
        _ = joint.position
    world.gravity = (0, 0, -10)
    world.step(100)
    assert bob.velocity[2] == pytest.approx(-1.0, rel=1e-9)  # nothing holds it


def test_mjcf_joints_are_mujocos(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "m.xml"
    path.write_text("""<mujoco><option><flag contact="disable" limit="disable"/></option><worldbody>
      <body name="a" pos="0 0 1"><joint name="x" type="slide" axis="1 0 0"/><joint name="turn" axis="0 1 0"/><geom size=".1" mass="1"/>
        <body name="b" pos=".4 0 0"><joint name="h" axis="0 0 1" ref="10" stiffness="3" springref="5" damping="2" armature=".5"/>
          <geom type="capsule" size=".05 .1" mass="1"/></body></body></worldbody>
      <actuator><position name="p" joint="h" kp="20" gear="2"/><motor name="m" joint="turn"/></actuator>
      <keyframe><key name="k" qpos=".5 .3 .6" qvel="1 2 -3" ctrl="0.4 1"/></keyframe>
      <custom><text name="pbdr_keyframe" data="k"/></custom></mujoco>""")
    world = pbdr.load(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    for k, name in enumerate(("x", "turn", "h")):
        assert world.joints[name].position == pytest.approx(data.qpos[k], abs=1e-12)
        assert world.joints[name].velocity == pytest.approx(data.qvel[k], abs=1e-12)
    assert world.find_accelerations()[1][:3] == pytest.approx(data.qacc, rel=1e-7)
    assert world.actuators == ["p", "m"] and len(world.control) == 2
    world.control[:] = (0.1, -2.0)
    data.ctrl[:] = (0.1, -2.0)
    mujoco.mj_forward(model, data)
    assert world.find_accelerations()[1][:3] == pytest.approx(data.qacc, rel=1e-7)
    assert world.control[1] == -2.0
    world.step(10)
    assert max(joint.gap for joint in world.joints.values()) < 1e-12


def test_gears_and_pickles_with_joints_that_are_gone() -> None:
    world = pbdr.World(gravity=(0, 0, 0))
    wheels = [world.add_body(pbdr.Shape.ball(0.1, 1.0), position=(k, 0, 0), mask=0) for k in range(3)]
    hinges = [world.add_joint("hinge", None, wheel, point=(k, 0, 0), axis=(0, 1, 0), name=f"hinge {k}", motor="velocity" if k == 0 else
                              "none", target=30.0 if k == 0 else 0.0) for k, wheel in enumerate(wheels)]
    gear = world.add_gear(hinges[0], hinges[1], ratio=-2.0, name="gear")
    world.step(400)
    assert hinges[0].position == pytest.approx(12.0, abs=1e-9) and hinges[1].position == pytest.approx(-24.0, abs=1e-9)
    assert gear.kind == "gear" and gear.turn_gap < 1e-10
    wheels[2].destroy()  # takes its hinge along
    extra = world.add_body(pbdr.Shape.ball(0.1, 1.0), position=(5, 0, 0), mask=0)
    world.add_joint("slide", None, extra, point=(5, 0, 0), axis=(1, 0, 0), name="slide", motor="force", target=2.0)
    with pytest.raises(ValueError):
        world.add_gear(hinges[0], hinges[1], coefficients=[])
    world.step(100)
    again = pickle.loads(pickle.dumps(world))
    world.step(100)
    again.step(100)
    assert again.hash() == world.hash()
    assert {name: j.position for name, j in again.joints.items()} == {name: j.position for name, j in world.joints.items()}


def test_sensors(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "s.xml"
    path.write_text("""<mujoco><option timestep=".0001"/><worldbody><geom type="plane" size="1 1 1"/>
      <body name="arm" pos="0 0 2"><joint name="a" axis="0 1 0"/><geom type="box" size=".2 .02 .03" pos=".2 0 0" contype="0" conaffinity="0"/>
        <site name="s" pos=".1 .02 .03" euler="40 50 60"/></body>
      <body name="l" pos="0 1 1"><joint name="l" type="slide" axis="1 0 0"/><geom size=".1" contype="0" conaffinity="0"/></body>
      <body name="r" pos="0 2 1"><joint name="r" type="slide" axis="1 0 0"/><geom size=".1" contype="0" conaffinity="0"/></body>
      <body name="foot" pos="1 0 .1"><joint type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1" mass="3"/>
        <site name="sole" type="box" size=".11 .11 .01" pos="0 0 -.1"/></body></worldbody>
      <equality><joint joint1="r" joint2="l" polycoef="0 .5 .25 0 0"/></equality>
      <actuator><motor name="push" joint="l"/></actuator>
      <sensor><accelerometer name="acc" site="s"/><gyro name="gyro" site="s"/><force name="force" site="s"/><torque name="torque" site="s"/>
        <jointpos name="pos" joint="a"/><framequat name="quat" objtype="body" objname="arm"/><touch name="touch" site="sole"/>
        <clock name="clock"/></sensor></mujoco>""")
    world = pbdr.load(path)
    assert world.ignored == ["sensors clock: not evaluated"]
    world.control[:] = [3.0]
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for _ in range(3000):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    world.step(3000)
    values = world.sensors
    assert list(values) == ["acc", "gyro", "force", "torque", "pos", "quat", "touch"]
    for name, value in values.items():
        theirs = data.sensor(name).data
        assert np.abs(value - theirs).max() <= 2e-3 * max(1.0, np.abs(theirs).max()), name
    left, right = world.joints["l"].position, world.joints["r"].position
    assert left > 0.02 and right == pytest.approx(0.5 * left + 0.25 * left ** 2, abs=1e-12)
    own = world.read_sensor("joint_velocity", joint=world.joints["a"])
    assert own == pytest.approx(data.qvel[0], abs=2e-3)
    with pytest.raises(ValueError):
        world.read_sensor("gyro")
    again = pickle.loads(pickle.dumps(world))
    again.step(10)
    world.step(10)
    assert again.hash() == world.hash() and all((again.sensors[name] == value).all() for name, value in world.sensors.items())


def test_what_no_joint_can_have_is_refused(world: pbdr.World) -> None:
    box = world.bodies["box"]
    with pytest.raises(TypeError, match="body_a: wanted a pbdr.Body, or None"):
        world.add_joint("hinge", 3, box)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="body_b: a body of another world"):
        world.add_joint("hinge", None, make_pendulum()[0].bodies[0])
    with pytest.raises(ValueError, match="kind"):
        world.add_joint("weld", None, box)
    joint = world.add_joint("hinge", None, box, name="hinge")
    with pytest.raises(ValueError, match="name: there is a joint called 'hinge'"):
        world.add_joint("ball", None, box, name="hinge")
    with pytest.raises(TypeError, match="name: wanted a str or None"):
        world.add_joint("ball", None, box, name=3)  # type: ignore[arg-type]
    assert list(world.joints) == ["hinge"]
    box.destroy()
    with pytest.raises(pbdr.InvalidIdError, match="destroyed"):
        _ = joint.position
    assert not world.joints  # and the name is free again
    other = world.add_body(pbdr.Shape.ball(0.1, 1.0), position=(5, 0, 5), mask=0)
    assert world.add_joint("hinge", None, other, point=(5, 0, 5), name="hinge").name == "hinge"
