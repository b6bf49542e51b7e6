"""A feedback controller for PushBox: short pushes, each chosen and ended by what is seen.

A push with the rod at a face, s off its middle, moves the box along the face's inner normal n and turns it. With the limit
surface of friction as an ellipsoid (Goyal et al. 1991; Lynch et al. 1992), c the ratio of the greatest moment to the greatest
force of friction (0.383 of the side for a square that presses evenly), the rod's way d gives

    shift = n d / (1 + s^2/c^2),        turn = (p x n) d / (c^2 + s^2)

Of all faces, offsets and ways the one is taken that leaves the least error; it is pushed until the error that is seen grows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

SIDE, RADIUS, SPEED, PERIOD = 0.2, 0.015, 0.5, 0.01
LOW, HIGH = 0.11, 0.22
C = 0.383 * SIDE
_CLEAR = 0.03  # from the face, where the rod is lowered [m]

# Candidates: normals and contact points in the box's frame, shift and turn per metre of the rod's way, ways
_N: list[tuple[float, float]] = []
_P: list[tuple[float, float]] = []
for _k in range(4):
    _n = (round(np.cos(_k * np.pi / 2)), round(np.sin(_k * np.pi / 2)))
    for _s in np.linspace(-0.085, 0.085, 11):
        _N.append((float(_n[0]), float(_n[1])))
        _P.append((float(-0.5 * SIDE * _n[0] - _s * _n[1]), float(-0.5 * SIDE * _n[1] + _s * _n[0])))
NORMALS, POINTS = np.array(_N), np.array(_P)
_LEVERS = POINTS[:, 0] * NORMALS[:, 1] - POINTS[:, 1] * NORMALS[:, 0]
_SHIFTS, _TURNS = 1 / (1 + _LEVERS**2 / C**2), _LEVERS / (C**2 + _LEVERS**2)
_WAYS = np.array([0.003, 0.006, 0.01, 0.016, 0.025, 0.04, 0.06, 0.09, 0.13, 0.18])


def _wrap(angle: Any) -> Any:
    return (angle + np.pi) % (2 * np.pi) - np.pi


class PushController:
    """The controller of one environment: action = controller(observation). reset() between episodes."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets the push under way."""
        self._phase = "choose"
        self._least = np.inf
        self._start = np.zeros(2)
        self._normal = np.zeros(2)
        self._point = np.zeros(2)
        self._way = 0.0
        self._pushed = 0.0

    @staticmethod
    def _cost(x: Any, y: Any, yaw: Any) -> Any:
        return (x**2 + y**2) / 0.02**2 + (_wrap(yaw) / np.radians(5.0)) ** 2

    def _choose(self, box: Array, yaw: float, goal: Array, goal_yaw: float) -> None:
        cos, sin = np.cos(yaw), np.sin(yaw)
        off = goal - box  # in the box's frame, so that all candidates are constants
        x, y, turn = cos * off[0] + sin * off[1], cos * off[1] - sin * off[0], _wrap(goal_yaw - yaw)
        costs = self._cost(x - NORMALS[:, 0, None] * _SHIFTS[:, None] * _WAYS, y - NORMALS[:, 1, None] * _SHIFTS[:, None] * _WAYS,
                           turn - _TURNS[:, None] * _WAYS)
        best, way = np.unravel_index(np.argmin(costs), costs.shape)
        turned = np.array([[cos, -sin], [sin, cos]])
        self._way = float(_WAYS[way])
        self._normal = turned @ NORMALS[best]
        self._point = box + turned @ POINTS[best]
        self._start = self._point - (RADIUS + _CLEAR) * self._normal
        self._least, self._pushed, self._phase = np.inf, 0.0, "lift"

    def __call__(self, observation: Array) -> Array:
        box, yaw = observation[:2], float(np.arctan2(observation[3], observation[2]))
        rod, goal, goal_yaw = observation[7:10], observation[10:12], float(np.arctan2(observation[13], observation[12]))
        if self._phase == "choose":
            if np.abs(observation[4:6]).max() > 0.005:
                return np.zeros(3)  # it still slides
            self._choose(box, yaw, goal, goal_yaw)
        if self._phase == "lift":
            if rod[2] > HIGH - 0.005:
                self._phase = "move"
            else:
                # first a little back, so that the rod does not drag the box along
                return np.array([*(-0.3 * self._back), 1.0]) if self._touches(rod, box, yaw) else np.array([0.0, 0.0, 1.0])
        if self._phase == "move":
            off = self._start - rod[:2]
            if np.abs(off).max() < 0.001:
                self._phase = "lower"
            else:
                return np.array([*np.clip(off / (SPEED * PERIOD), -1, 1), 1.0])
        if self._phase == "lower":
            if rod[2] < LOW + 0.002:
                self._phase = "push"
                self._back = self._normal
            else:
                return np.array([0.0, 0.0, -1.0])
        return self._push(box, yaw, rod, goal, goal_yaw)

    _back: Array = np.zeros(2)

    @staticmethod
    def _touches(rod: Array, box: Array, yaw: float) -> bool:
        off = rod[:2] - box
        across = abs(off[0] * np.cos(yaw) + off[1] * np.sin(yaw))
        along = abs(off[1] * np.cos(yaw) - off[0] * np.sin(yaw))
        return max(across, along) < 0.5 * SIDE + RADIUS + 0.01 and bool(rod[2] < LOW + 0.05)

    def _push(self, box: Array, yaw: float, rod: Array, goal: Array, goal_yaw: float) -> Array:
        ahead = float((rod[:2] - self._start) @ self._normal) - _CLEAR  # of where it meets the face
        cost = float(self._cost(box[0] - goal[0], box[1] - goal[1], yaw - goal_yaw))
        self._least = min(self._least, cost)
        if ahead > 0.002 and (cost > self._least + 0.05 * self._least + 1e-4 or ahead > 1.3 * self._way + 0.005):
            self._phase = "choose"
            return np.array([*(-0.4 * self._normal), 0.0])
        left = self._way - ahead
        speed = 0.4 if ahead < -0.012 else 0.1 if ahead < 0 else float(np.clip(3.0 * left, 0.06, 0.3))
        return np.array([*(speed * self._normal), 0.0])
