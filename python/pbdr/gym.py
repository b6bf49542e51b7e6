"""PushBox: a rod pushes a box to a goal pose, as a Gymnasium environment and as thousands of them on a Batch.

    import gymnasium, pbdr.gym
    env = gymnasium.make("pbdr/PushBox-v0")
    envs = gymnasium.make_vec("pbdr/PushBox-v0", num_envs=1024, vectorization_mode="vector_entry_point")

Observation (14 numbers): box x, y [m], cos and sin of its yaw, its velocity [m/s] and yaw rate [rad/s]; rod x, y, z of its
centre [m]; goal x, y [m], cos and sin of its yaw. Action (3 numbers, -1 to 1): velocity of the rod over 0.5 m/s. A step is
10 substeps of 1 ms. The rod may be lifted over the box. An episode ends when the box rests within 2 cm and 5 degrees of the
goal; it is cut off after 3000 steps, or if the box topples. `info` has the errors and the number of contacts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("pbdr.gym needs Gymnasium: pip install gymnasium", name=error.name) from error
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from ._core import Batch, Shape, World
from ._envs import register
from ._push_controller import PushController

__all__ = ["PushBox", "PushBoxVector", "PushController", "make_world", "register"]

Array = npt.NDArray[np.float64]

BOX_SIDE, BOX_HEIGHT, BOX_MASS = 0.2, 0.1, 1.0
ROD_RADIUS, ROD_LENGTH = 0.015, 0.15
ROD_LOW = 0.02 + ROD_RADIUS + 0.5 * ROD_LENGTH  # of its centre: the tip is 2 cm over the floor [m]
ROD_HIGH = ROD_LOW + 0.11  # the tip is 3 cm over the box [m]
REACH = 0.7  # of the rod, along x and y [m]
SPEED = 0.5  # of the rod [m/s]
SUBSTEPS, DT = 10, 1e-3
NEAR, STRAIGHT = 0.02, np.radians(5.0)  # the goal's tolerances [m, rad]
MAX_STEPS = 3000
TILTED = np.cos(np.radians(30.0))
BOX, ROD = 0, 1


def make_world(spheres: bool = False) -> World:
    """The world of one environment: a floor, a box of 1 kg, a rod. spheres: they touch by their spheres, as a kernel's do."""
    world = World(dt=DT, contact="spheres") if spheres else World(dt=DT)
    world.add_plane(friction=0.4)
    box = Shape.box((BOX_SIDE, BOX_SIDE, BOX_HEIGHT), BOX_MASS, n=4 if spheres else 2)
    world.add_body(box, (0, 0, 0.5 * BOX_HEIGHT), friction=0.4, name="box")
    world.add_body(Shape.capsule(ROD_RADIUS, ROD_LENGTH, 0.5), (-0.4, 0, ROD_HIGH), friction=0.1, kind="kinematic", name="rod")
    return world


def _wrap(angle: Any) -> Any:
    return (angle + np.pi) % (2 * np.pi) - np.pi


class _Core:
    """So many environments on a Batch; what both forms share."""

    def __init__(self, count: int, threads: int, backend: str = "cpu") -> None:
        self.batch = Batch(make_world(backend != "cpu"), count, threads, backend)
        self.count = count
        self.goals = np.zeros((count, 3))  # x, y, yaw
        self.steps = np.zeros(count, dtype=np.int64)
        self.costs = np.zeros(count)
        self.position, self.quat = self.batch.position, self.batch.quat
        self.velocity, self.omega = self.batch.velocity, self.batch.omega

    def reset(self, index: int, rng: np.random.Generator) -> None:
        """Places the box, the rod and the goal of an environment that the batch has just reset."""
        yaw = rng.uniform(-np.pi, np.pi)
        self.quat[index, BOX] = (np.cos(yaw / 2), 0, 0, np.sin(yaw / 2))
        self.position[index, BOX, :2] = rng.uniform(-0.1, 0.1, 2)
        angle = rng.uniform(-np.pi, np.pi)
        self.position[index, ROD, :2] = 0.4 * np.cos(angle), 0.4 * np.sin(angle)
        self.goals[index, :2] = rng.uniform(-0.3, 0.3, 2)
        self.goals[index, 2] = _wrap(yaw + rng.uniform(-np.pi / 2, np.pi / 2))
        self.steps[index] = 0

    def note_costs(self) -> None:
        distance, angle = self.errors()
        self.costs = distance / NEAR + angle / STRAIGHT

    def yaw(self) -> Array:
        q = self.quat[:, BOX]
        return 2 * np.arctan2(q[:, 3], q[:, 0])  # type: ignore[no-any-return, unused-ignore]

    def errors(self) -> tuple[Array, Array]:
        """Distance [m] and angle [rad] of the box from its goal."""
        off = self.position[:, BOX, :2] - self.goals[:, :2]
        return np.hypot(off[:, 0], off[:, 1]), np.abs(_wrap(self.yaw() - self.goals[:, 2]))

    def observe(self) -> Array:
        yaw, goal = self.yaw(), self.goals[:, 2]
        return np.column_stack([
            self.position[:, BOX, :2], np.cos(yaw), np.sin(yaw), self.velocity[:, BOX, :2], self.omega[:, BOX, 2],
            self.position[:, ROD], self.goals[:, :2], np.cos(goal), np.sin(goal)])

    def drive(self, actions: Array) -> None:
        """Sets the rod's velocity; it stays in its workspace, and is not lowered onto the box."""
        rod, box = self.position[:, ROD], self.position[:, BOX]
        velocity = SPEED * np.clip(actions, -1, 1)
        duration = SUBSTEPS * DT
        yaw = self.yaw()
        off = rod[:, :2] - box[:, :2]
        across = np.abs(off[:, 0] * np.cos(yaw) + off[:, 1] * np.sin(yaw))
        along = np.abs(off[:, 1] * np.cos(yaw) - off[:, 0] * np.sin(yaw))
        margin = 0.5 * BOX_SIDE + ROD_RADIUS + 2 * SPEED * duration
        lowest = np.where((across < margin) & (along < margin) & (rod[:, 2] > ROD_HIGH - 0.03), ROD_HIGH - 0.02, ROD_LOW)
        # from the side it is pushed as long as its tip is below the box's top by more than its radius
        velocity[:, 2] = np.clip(velocity[:, 2], (lowest - rod[:, 2]) / duration, (ROD_HIGH - rod[:, 2]) / duration)
        half = (rod[:, 2] > ROD_LOW + 0.05) & (rod[:, 2] < ROD_HIGH - 0.03) & (across < margin) & (along < margin)
        velocity[half, :2] = 0  # neither low nor high beside the box: it is lifted or lowered first
        velocity[:, :2] = np.clip(velocity[:, :2], (-REACH - rod[:, :2]) / duration, (REACH - rod[:, :2]) / duration)
        self.velocity[:, ROD] = velocity

    def step(self, actions: Array) -> tuple[Array, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Rewards, terminations and truncations."""
        self.drive(actions)
        self.batch.step(SUBSTEPS)
        self.steps += 1
        distance, angle = self.errors()
        costs = distance / NEAR + angle / STRAIGHT
        speed = np.abs(self.velocity[:, BOX, :2]).max(1)
        done = (distance < NEAR) & (angle < STRAIGHT) & (speed < 0.01)
        upright = 1 - 2 * (self.quat[:, BOX, 1] ** 2 + self.quat[:, BOX, 2] ** 2)
        rewards = 0.1 * (self.costs - costs) + done
        self.costs = costs
        return rewards, done, ((self.steps >= MAX_STEPS) | (upright < TILTED)) & ~done

    def inform(self) -> dict[str, Array]:
        distance, angle = self.errors()
        return {"distance": distance, "angle": angle, "contacts": self.batch.contact_count().astype(np.float64)}


def _make_spaces() -> tuple[Any, Any]:
    high = np.array([5, 5, 1, 1, 10, 10, 100, 2, 2, 2, 5, 5, 1, 1], dtype=np.float64)
    return (spaces.Box(-high, high, dtype=np.float64), spaces.Box(-1.0, 1.0, (3,), dtype=np.float64))


class PushBox(gymnasium.Env[Array, Array]):
    """One environment."""

    metadata: dict[str, Any] = {"render_modes": ["svg"], "render_fps": 100}

    def __init__(self, render_mode: str | None = None) -> None:
        self.observation_space, self.action_space = _make_spaces()
        self.render_mode = render_mode
        self._core = _Core(1, 1)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        super().reset(seed=seed)
        self._core.batch.reset()
        self._core.reset(0, self.np_random)
        self._core.note_costs()
        return self._core.observe()[0], self._info()

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        rewards, done, cut = self._core.step(np.asarray(action, dtype=np.float64)[None])
        return self._core.observe()[0], float(rewards[0]), bool(done[0]), bool(cut[0]), self._info()

    def _info(self) -> dict[str, Any]:
        return {key: float(value[0]) for key, value in self._core.inform().items()}

    def render(self) -> Any:
        """The world as SVG (render_mode="svg")."""
        from ._show import draw
        return draw(self._core.batch.world(0)) if self.render_mode == "svg" else None


class PushBoxVector(VectorEnv[Array, Array, Any]):
    """Many environments on a Batch. backend: as Batch's; box and rod touch by their spheres with "gpu" and "host", so their
    course is another than with "cpu", by the bumps of the box's sides. One that has ended begins anew with the next step, as Gymnasium's vector environments do
    (AutoresetMode.NEXT_STEP)."""

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(self, num_envs: int = 1, threads: int = 0, render_mode: str | None = None, backend: str = "cpu") -> None:
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space, self.single_action_space = _make_spaces()
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, num_envs)
        self._core = _Core(num_envs, threads, backend)
        self._ended = np.zeros(num_envs, dtype=bool)
        self._rngs = [np.random.default_rng() for _ in range(num_envs)]

    def reset(self, *, seed: int | list[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        if seed is not None:
            seeds = [seed + k for k in range(self.num_envs)] if isinstance(seed, int) else seed
            self._rngs = [gymnasium.utils.seeding.np_random(s)[0] for s in seeds]
        mask = None if options is None else options.get("reset_mask")
        chosen = np.ones(self.num_envs, dtype=bool) if mask is None else np.asarray(mask, dtype=bool)
        self._restart(chosen)
        self._core.note_costs()
        self._ended[chosen] = False
        return self._core.observe(), self._core.inform()

    def _restart(self, chosen: npt.NDArray[np.bool_]) -> None:
        self._core.batch.reset(chosen)
        for index in np.flatnonzero(chosen):
            self._core.reset(int(index), self._rngs[index])

    def step(self, actions: Array) -> tuple[Array, Array, npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        actions = np.asarray(actions, dtype=np.float64)
        fresh = self._ended.copy()
        kept = None
        if fresh.any():
            self._restart(fresh)
            kept = [array[fresh].copy() for array in self._core_arrays()]
            actions = np.where(fresh[:, None], 0.0, actions)
        rewards, done, cut = self._core.step(actions)
        if kept is not None:  # those that begin anew do not move in this step
            for array, values in zip(self._core_arrays(), kept):
                array[fresh] = values
            self._core.steps[fresh] = 0
            self._core.note_costs()
            rewards[fresh], done[fresh], cut[fresh] = 0.0, False, False
        self._ended = done | cut
        return self._core.observe(), rewards, done, cut, self._core.inform()

    def _core_arrays(self) -> list[Array]:
        core = self._core
        return [core.position, core.quat, core.velocity, core.omega]


register()
