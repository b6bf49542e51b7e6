"""Friction out of a recorded push: a cube is pushed for 0.3 s and slides to rest, its position is recorded at 100 Hz with noise,
and the friction is found under which the simulation follows the record best.

    python samples/identify.py
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import pbdr

Array = npt.NDArray[np.float64]
PUSH, PUSHED, FRAMES = 40.0, 30, 100  # [N]; frames of 10 ms that it is pushed, and in all


def make_world() -> pbdr.World:
    """The cube of 4 kg on a floor; the friction is set per world."""
    world = pbdr.World(mixing="minimum")  # the floor's is 1000: the cube's counts
    world.add_plane(friction=1000.0)
    world.add_body(pbdr.Shape.box(0.2, mass=4.0), position=(0, 0, 0.1), name="box")
    return world


def simulate(frictions: Array) -> Array:
    """Where the cube is in every frame for each friction [m], shape (frictions, frames)."""
    batch = pbdr.Batch(make_world(), len(frictions))
    batch.friction[:, 0] = frictions
    rows = []
    for frame in range(FRAMES):
        batch.force[:, 0, 0] = PUSH if frame < PUSHED else 0.0
        batch.step(10)
        rows.append(batch.position[:, 0, 0].copy())
    return np.array(rows).T


def record_push(friction: float, noise: float, rng: np.random.Generator) -> tuple[Array]:
    """What a camera would have seen: the positions with noise [m]."""
    return (simulate(np.array([friction]))[0] + noise * rng.normal(size=FRAMES),)


def find_friction(positions: Array, lowest: float = 0.05, highest: float = 1.0, rounds: int = 4) -> tuple[float, float]:
    """The friction of least squares, and its standard error: rounds of 32 worlds each, every one closer around the best."""
    for _ in range(rounds):
        grid = np.linspace(lowest, highest, 32)
        misfits = ((simulate(grid) - positions) ** 2).sum(1)
        best = int(misfits.argmin())
        width = 2 * (grid[1] - grid[0])
        lowest, highest = max(grid[best] - width, 1e-3), grid[best] + width
    curve = np.polyfit(grid - grid[best], misfits, 2)
    variance = misfits.min() / (FRAMES - 1)
    return float(grid[best] - curve[1] / (2 * curve[0])), float(np.sqrt(variance / curve[0]))


if __name__ == "__main__":
    true = 0.37
    found, error = find_friction(*record_push(true, 1e-3, np.random.default_rng(0)))
    print(f"friction {found:.4f} +- {error:.4f}, truly {true}: off by {100 * abs(found - true) / true:.2f} %")
