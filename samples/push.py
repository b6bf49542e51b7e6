"""The five lines, and what comes after them: forces, contacts, copies, a batch. mypy --strict has nothing to say to it.

    python samples/push.py
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import pbdr


def make_world(friction: float = 0.4) -> pbdr.World:
    """A cube of 4 kg on a floor."""
    world = pbdr.World()  # XPBD-R, 1 ms
    world.add_plane(friction=friction)
    world.add_body(pbdr.Shape.box(0.2, mass=4.0), position=(0, 0, 0.1), friction=friction, name="box")
    return world


def push_one() -> float:
    """Pushed by 17 N for a second: x = (F/m - mu g) t^2/2 [m]."""
    world = make_world()
    box = world.bodies["box"]
    box.force = (17, 0, 0)
    flags: pbdr.StepFlag = world.step(1000)
    if flags:
        raise RuntimeError(f"the step had something to say: {flags}")
    load: npt.NDArray[np.float64] = box.contacts.force.sum(0)
    print(f"x = {box.position[0]:.6f} m, the floor bears {load[2]:.2f} N and holds by {-load[0]:.3f} N")
    return float(box.position[0])


def push_many(count: int = 1000) -> npt.NDArray[np.float64]:
    """The same with frictions from 0.1 to 0.6, all at once; where each ends [m]."""
    batch = pbdr.Batch(make_world(), count)
    batch.friction[:, 0] = batch.plane_friction[:, 0] = np.linspace(0.1, 0.6, count)
    batch.force[:, 0] = (17, 0, 0)
    batch.step(1000)
    ends = batch.position[:, 0, 0].copy()
    print(f"{count} worlds end between {ends.min():.3f} and {ends.max():.3f} m")
    return ends


if __name__ == "__main__":
    push_one()
    push_many()
