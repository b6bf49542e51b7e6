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
    with pytest.raises(TypeError):
        pickle.dumps(world)


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
