"""PushBox: Gymnasium's own checker, seeds, both forms alike, and a controller that gets there."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import pbdr.gym as pushing  # noqa: E402


def test_gymnasiums_checker_passes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make("pbdr/PushBox-v0").unwrapped)


def test_random_actions_from_the_start() -> None:
    env = pushing.PushBox()
    observation, info = env.reset(seed=3)
    env.action_space.seed(3)
    contacts = []
    for _ in range(400):
        observation, reward, _, _, info = env.step(env.action_space.sample())
        assert env.observation_space.contains(observation) and np.isfinite(reward)
        contacts.append(info["contacts"])
    assert min(contacts) >= 3  # the box stands


def test_seeds_decide_everything() -> None:
    def run(seed: int) -> np.ndarray:
        env = pushing.PushBox()
        rows = [env.reset(seed=seed)[0]]
        env.action_space.seed(seed)
        rows += [env.step(env.action_space.sample())[0] for _ in range(30)]
        return np.array(rows)

    assert (run(1) == run(1)).all() and (run(1) != run(2)).any()


def test_both_forms_have_the_same_bits() -> None:
    count = 5
    rng = np.random.default_rng(0)
    actions = rng.uniform(-1, 1, (40, count, 3))
    envs = gymnasium.make_vec("pbdr/PushBox-v0", num_envs=count, vectorization_mode="vector_entry_point")
    rows = [envs.reset(seed=11)[0]] + [envs.step(a)[0] for a in actions]
    for k in range(count):
        env = pushing.PushBox()
        single = [env.reset(seed=11 + k)[0]] + [env.step(a[k])[0] for a in actions]
        assert (np.array(single) == np.array(rows)[:, k]).all()


def test_environments_begin_anew_with_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pushing, "MAX_STEPS", 5)
    envs = pushing.PushBoxVector(3)
    envs.reset(seed=1)
    for _ in range(5):
        first, _, _, cut, _ = envs.step(np.zeros((3, 3)))
    assert cut.all()
    second, rewards, _, cut, _ = envs.step(np.ones((3, 3)))
    assert not cut.any() and (rewards == 0).all() and (second[:, 10:] != first[:, 10:]).any()
    third, *_ = envs.step(np.zeros((3, 3)))
    assert third[:, :2] == pytest.approx(second[:, :2], abs=1e-9)
    envs.reset(options={"reset_mask": np.array([True, False, False])})


def test_the_rod_pushes_the_box() -> None:
    env = pushing.PushBox()
    env.reset(seed=0)
    core = env._core
    core.quat[0, 0], core.position[0, 0, :2] = (1, 0, 0, 0), (0, 0)
    core.position[0, 1] = (-0.13, 0, pushing.ROD_LOW)
    for _ in range(30):
        _, _, _, _, info = env.step(np.array([0.4, 0, 0]))
    # pushed at 0.2 m/s for 0.3 s from 1.5 cm off
    assert core.position[0, 0, 0] == pytest.approx(0.06 - 0.015, abs=1e-3)
    assert env.render() is None
    assert "<svg" in pushing_render()


def pushing_render() -> str:
    env = pushing.PushBox(render_mode="svg")
    env.reset(seed=0)
    return str(env.render())


def test_a_simple_controller_reaches_its_goals() -> None:
    count = 20
    envs = pushing.PushBoxVector(count)
    observations, _ = envs.reset(seed=100)
    controllers = [pushing.PushController() for _ in range(count)]
    reached, over = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    for _ in range(pushing.MAX_STEPS):
        actions = np.array([np.zeros(3) if end else c(o) for c, o, end in zip(controllers, observations, over)])
        observations, _, done, cut, _ = envs.step(actions)
        reached |= done & ~over
        over |= done | cut
        if over.all():
            break
    assert reached.mean() >= 0.95


@pytest.mark.parametrize("code", [
    "gymnasium.make('pbdr.gym:pbdr/PushBox-v0')",
    "gymnasium.make_vec('pbdr.gym:pbdr/PushBox-v0', num_envs=3, vectorization_mode='vector_entry_point')",
    "(__import__('pbdr'), gymnasium.register_envs(__import__('pbdr').gym), gymnasium.make('pbdr/PushBox-v0'))[-1]",
    "(__import__('pbdr'), gymnasium.make('pbdr/PushBox-v0'))[-1]",
])
def test_gymnasium_finds_it_by_its_own_ways(code: str) -> None:
    """In a fresh process that has imported nothing but Gymnasium."""
    program = f"import gymnasium\nenv = {code}\nenv.reset(seed=1)\nprint(env.step(env.action_space.sample())[0].shape[-1])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "14", done.stderr


def test_without_gymnasium_it_is_asked_for() -> None:
    program = "import sys\nsys.modules['gymnasium'] = None\nimport pbdr\npbdr.World().step()\nimport pbdr.gym"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ModuleNotFoundError: pbdr.gym needs Gymnasium: pip install gymnasium" in done.stderr


def test_vector_environment_runs_by_the_kernel() -> None:
    envs = pushing.PushBoxVector(64, backend="host")
    first, _ = envs.reset(seed=1)
    for _ in range(20):
        seen, rewards, done, cut, info = envs.step(np.tile([1.0, 0.0, -1.0], (64, 1)))
    assert seen.shape == (64, 14) and np.isfinite(seen).all() and np.isfinite(rewards).all()
    assert (seen[:, 7] > first[:, 7] + 0.05).all()  # the rods have gone along x
    again = pushing.PushBoxVector(64, backend="host")
    again.reset(seed=1)
    for _ in range(20):
        same, *_ = again.step(np.tile([1.0, 0.0, -1.0], (64, 1)))
    assert (same == seen).all()
