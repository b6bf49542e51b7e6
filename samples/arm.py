"""An arm pushes the box of Test 7 to a goal pose in closed loop: what is seen chooses the next push, joints follow by their motors.

    python samples/arm.py [X Y DEGREES]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

import pbdr
from pbdr.gym import PushController

Array = npt.NDArray[np.float64]

SCENE = Path(__file__).parent.parent / "scenes" / "arm.json"
BASE, LINK = np.array([-0.85, 0.0]), math.hypot(0.35, 0.6)  # of the shoulder, of both links [m]
START = (math.atan2(0.6, 0.35), -2 * math.atan2(0.6, 0.35))  # angles at which the joints' positions are zero [rad]
ROD, LOW, HIGH = 0.46, 0.135, 0.36  # heights of the rod's centre: at the start, where it pushes, over the box [m]
PERIOD, SPEED = 0.01, 0.5
NEAR, STRAIGHT = 0.01, math.radians(2.5)


def find_joints(x: float, y: float) -> tuple[float, float]:
    """Positions of shoulder and elbow for a place of the rod, the elbow to the left."""
    way = np.array([x, y]) - BASE
    far = float(np.linalg.norm(way))
    half = math.acos(min(0.5 * far / LINK, 1.0))
    return math.atan2(way[1], way[0]) + half - START[0], -2 * half - START[1]


class Arm:
    """The arm's own loop: where its rod is told to be, by its joints' motors."""

    low, high, speed = LOW, HIGH, SPEED

    def __init__(self, world: pbdr.World) -> None:
        self.world, self.rod, self.box = world, world.bodies["rod"], world.bodies["box"]
        self.place = np.array([*self.rod.position[:2], self.high])

    def reach(self) -> None:
        """Tells the motors where the rod is to be."""
        joints = self.world.joints
        joints["shoulder"].target, joints["elbow"].target = find_joints(self.place[0], self.place[1])
        joints["lift"].target = float(self.place[2]) - ROD

    def move(self, velocity: Array) -> None:
        """One period with the rod's velocity [m/s]; it is not lowered onto the box."""
        self.place = self.place + PERIOD * velocity
        self.place[2] = min(max(self.place[2], self.low), self.high)
        self.reach()
        if self.world.step(round(PERIOD / self.world.dt)):
            raise RuntimeError("the step had something to say")

    def look(self, goal: Array) -> Array:
        """The controller's observation. It knows another rod, whose heights are from 0.11 to 0.22 m and which is where it is
        told to be: the arm's is a few hundredths of a second behind, which would make it swing."""
        w, x, y, z = self.box.quat
        yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        height = 0.11 + 0.11 * (self.rod.position[2] - self.low) / (self.high - self.low)
        return np.array([*self.box.position[:2], math.cos(yaw), math.sin(yaw), *self.box.velocity[:2], self.box.omega[2], *self.place[:2],
                         height, goal[0], goal[1], math.cos(goal[2]), math.sin(goal[2])])


def push_to(goal: Array, longest: float = 120.0, arm: Arm | None = None) -> tuple[float, float, float, float]:
    """Seconds that it took, how far the box is off at the end [m, rad], and the widest that a joint came apart [m]."""
    arm = arm or Arm(pbdr.load(SCENE))
    world, controller, gap = arm.world, PushController(), 0.0
    for _ in range(100):
        arm.move(np.zeros(3))  # the rod goes up
    for k in range(round(longest / PERIOD)):
        seen = arm.look(goal)
        off = float(np.linalg.norm(seen[:2] - goal[:2]))
        turn = abs((math.atan2(seen[3], seen[2]) - goal[2] + math.pi) % (2 * math.pi) - math.pi)
        if off < NEAR and turn < STRAIGHT and np.abs(seen[4:7]).max() < 1e-3:
            return k * PERIOD, off, turn, gap
        arm.move(arm.speed * np.clip(controller(seen), -1, 1) * [1, 1, (arm.high - arm.low) / 0.11])
        gap = max([gap, *(joint.gap for joint in world.joints.values())])
    raise RuntimeError(f"{off:.4f} m and {math.degrees(turn):.2f} degrees off after {longest:g} s")


if __name__ == "__main__":
    x, y, degrees = map(float, sys.argv[1:]) if len(sys.argv) == 4 else (0.25, 0.1, 40.0)
    seconds, off, turn, gap = push_to(np.array([x, y, math.radians(degrees)]))
    print(f"there after {seconds:.1f} s: {1e3 * off:.1f} mm and {math.degrees(turn):.2f} degrees off; joints within {gap:.0e} m")
