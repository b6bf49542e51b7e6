"""The robots of the samples, and the gripper: what they are for happens, and joints stay together."""

from __future__ import annotations

import importlib.util
import itertools
import math
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pbdr

ROOT = Path(__file__).parent.parent.parent


def load_sample(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "samples" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("goal", [(0.25, 0.1, 40.0), (-0.05, 0.2, -60.0), (0.1, -0.25, 150.0), (-0.1, -0.1, 10.0)])
def test_arm_pushes_the_box_to_its_goal(goal: tuple[float, float, float]) -> None:
    arm = load_sample("arm")
    seconds, off, turn, gap = arm.push_to(np.array([goal[0], goal[1], math.radians(goal[2])]))
    assert off < 0.01 and turn < math.radians(2.5) and seconds < 120
    assert gap <= 1e-12


def test_hand_turns_a_jar() -> None:
    hand = load_sample("hand").Hand()
    hand.turn(2 * math.pi)
    assert hand.angle == pytest.approx(2 * math.pi, abs=math.radians(0.5))
    jar = hand.world.bodies["jar"]
    assert np.abs(jar.position - (0, 0, 0.05)).max() < 1e-3  # it stood all the time
    assert hand.gap <= 1e-12


def test_gripper_lifts_a_mug_and_holds_it() -> None:
    world = pbdr.load(ROOT / "scenes" / "gripper.json")
    world.step(4000)
    mug, palm = world.bodies["mug"], world.bodies["palm"]
    assert mug.position[2] > 0.18  # it stood at 0.05
    assert (world.contacts.plane < 0).all()  # friction alone: nothing but the fingers touches it
    before = mug.position - palm.position
    world.step(60000)
    assert np.abs(mug.position - palm.position - before).max() < 1e-9


def load_panda() -> ModuleType:
    """The sample; the test is left out where MuJoCo or the robot's files are not here."""
    pytest.importorskip("mujoco")
    panda = load_sample("panda")
    try:
        panda.find_franka()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    return panda


@pytest.mark.parametrize("goal", [(0.03, 0.1, 35.0), (0.0, -0.12, 20.0)])
def test_panda_pushes_the_box_to_its_goal(goal: tuple[float, float, float]) -> None:
    panda = load_panda()
    seconds, off, turn, gap = panda.push_to(np.array([goal[0], goal[1], math.radians(goal[2])]), 300.0, panda.Panda())
    assert off < 0.01 and turn < math.radians(2.5) and seconds < 120
    assert gap <= 1e-12


class Watched:
    """A world that looks after every substep how far its joints are apart."""

    def __init__(self, world: pbdr.World) -> None:
        self.world, self.substeps, self.gap, self.turn = world, 0, 0.0, 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.world, name)

    def step(self, substeps: int) -> pbdr.StepFlag:
        flags = pbdr.StepFlag(0)
        joints = list(self.world.joints.values())
        for _ in range(substeps):
            flags |= self.world.step(1)
            self.gap = max([self.gap, *(joint.gap for joint in joints)])
            self.turn = max([self.turn, *(joint.turn_gap for joint in joints)])
        self.substeps += substeps
        return flags

    def ran_for_a_minute(self) -> bool:
        return self.substeps * self.world.dt >= 60


def check_watched(watched: Watched) -> None:
    assert watched.ran_for_a_minute()
    assert watched.gap <= 1e-12 and watched.turn <= 1e-10


def push_for_a_minute(arm: Any, push_to: Any, goals: list[tuple[float, float, float]]) -> None:
    watched = arm.world = Watched(arm.world)
    for x, y, degrees in itertools.cycle(goals):
        push_to(np.array([x, y, math.radians(degrees)]), 300.0, arm)
        if watched.ran_for_a_minute():
            break
    check_watched(watched)


def test_arm_stays_together_for_a_minute() -> None:
    arm = load_sample("arm")
    push_for_a_minute(arm.Arm(pbdr.load(arm.SCENE)), arm.push_to, [(0.25, 0.1, 40.0), (-0.05, 0.2, -60.0)])


def test_panda_stays_together_for_a_minute() -> None:
    panda = load_panda()
    push_for_a_minute(panda.Panda(), panda.push_to, [(0.03, 0.1, 35.0), (0.0, -0.12, 20.0)])


def test_hand_stays_together_for_a_minute() -> None:
    hand = load_sample("hand").Hand()
    watched = hand.world = Watched(hand.world)
    turns = 0
    while not watched.ran_for_a_minute():
        turns += 1
        hand.turn(2 * math.pi * turns)
    check_watched(watched)
