"""A hand of three fingers turns a jar by letting go and taking hold again.

    python samples/hand.py [TURNS]
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pbdr

SCENE = Path(__file__).parent.parent / "scenes" / "hand.json"
SWEEP = math.radians(40.0)  # to both sides of the middle
GRIP, OPEN = 12.0, -4.0  # forces of a finger, inwards [N]


class Hand:
    """The hand, and how far it has turned the jar [rad]."""

    def __init__(self) -> None:
        self.world = pbdr.load(SCENE)
        self.angle, self.gap = 0.0, 0.0
        self._last = 0.0

    def _run(self, seconds: float, start: float, end: float, force: float) -> None:
        joints = self.world.joints
        for k in range(3):
            joints[f"press {k + 1}"].target = force
        steps = round(seconds / 0.01)
        for k in range(steps):
            share = 0.5 - 0.5 * math.cos(math.pi * (k + 1) / steps)  # from rest to rest
            for finger in range(3):
                joints[f"sweep {finger + 1}"].target = start + share * (end - start)
            if self.world.step(10):
                raise RuntimeError("the step had something to say")
            w, _, _, z = self.world.sensors["jar"]
            yaw = 2 * math.atan2(z, w)
            self.angle += (yaw - self._last + math.pi) % (2 * math.pi) - math.pi
            self._last = yaw
            self.gap = max([self.gap, *(joint.gap for joint in joints.values())])

    def turn(self, angle: float) -> int:
        """Turns the jar by an angle [rad]; how often the fingers took hold."""
        grips = 0
        while self.angle < angle - 1e-3:
            way = min(SWEEP, 0.5 * (angle - self.angle))
            self._run(0.3, -way, -way, OPEN)
            self._run(0.2, -way, -way, GRIP)
            self._run(0.6, -way, way, GRIP)
            self._run(0.2, way, way, GRIP)
            self._run(0.2, way, way, OPEN)
            self._run(0.5, way, -min(SWEEP, max(0.0, 0.5 * (angle - self.angle))), OPEN)
            grips += 1
            if grips > 100:
                raise RuntimeError(f"turned by {math.degrees(self.angle):.1f} degrees only")
        return grips


if __name__ == "__main__":
    turns = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    hand = Hand()
    grips = hand.turn(2 * math.pi * turns)
    place = hand.world.bodies["jar"].position
    print(f"turned by {math.degrees(hand.angle):.2f} degrees with {grips} grips; the jar is {1e3 * math.hypot(place[0], place[1]):.2f} mm "
          f"from where it stood; joints within {hand.gap:.0e} m")
