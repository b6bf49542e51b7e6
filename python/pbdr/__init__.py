"""Rigid bodies that touch, slide and fall, simulated so that they obey physics.

    import pbdr
    world = pbdr.World()                                  # XPBD-R, 1 ms
    world.add_plane(friction=0.4)
    box = world.add_body(pbdr.Shape.box(0.2, mass=4.0), position=(0, 0, 0.1))
    box.force = (17, 0, 0); world.step(1000); print(box.position, box.contacts.force.sum(0))

SI units, z up, quaternions w, x, y, z from body to world axes, velocities of the centre of mass in world axes.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from . import _envs
from ._core import Batch, Body, BodyList, Joint, Plane, Shape, World, __version__
from ._dtypes import Hit
from ._load import load
from .errors import (Error, FileFormatError, InvalidArgumentError, InvalidIdError, MeshError, MissingFileError,
                     NoParticlesError, NotSupportedError, OutOfMemoryError, StateError, StepError, StepFlag, StepWarning,
                     StoppedError)

if TYPE_CHECKING:
    from . import bench, gym, plot

__all__ = [
    "Batch", "Body", "BodyList", "Error", "FileFormatError", "Hit", "InvalidArgumentError", "InvalidIdError", "Joint",
    "MeshError", "MissingFileError", "NoParticlesError", "NotSupportedError", "OutOfMemoryError", "Plane", "Shape", "StateError",
    "StepError", "StepFlag", "StepWarning", "StoppedError", "World", "__version__", "bench", "gym", "load", "plot",
]

if sys.modules.get("gymnasium") is not None:  # as others do: import gymnasium, pbdr; gymnasium.make("pbdr/PushBox-v0")
    _envs.register()

_PARTS = ("bench", "gym", "plot")


def __getattr__(name: str) -> Any:
    # imported when they are used: they need packages (gymnasium, matplotlib) that not everybody has
    if name in _PARTS:
        return importlib.import_module(f"pbdr.{name}")
    raise AttributeError(f"module 'pbdr' has no attribute {name!r}")
