"""Rows that the compiled part fills, as NumPy sees them (python/src/queries.cpp, shape.cpp)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ._core import Body, Plane

CONTACT = np.dtype({
    "names": ["body_a", "sphere_a", "body_b", "sphere_b", "plane", "point", "normal", "separation", "force"],
    "formats": ["i4", "i4", "i4", "i4", "i4", "3f8", "3f8", "f8", "3f8"],
    "offsets": [0, 4, 8, 12, 16, 24, 48, 72, 80],
    "itemsize": 104,
})
EVENT = np.dtype([("begin", "i4"), ("body_a", "i4"), ("body_b", "i4"), ("plane", "i4"), ("substep", "u8")])
SPHERE = np.dtype([("position", "3f8"), ("radius", "f8"), ("mass", "f8")])

_ALL = {"CONTACT": CONTACT, "EVENT": EVENT, "SPHERE": SPHERE}


def records(data: bytearray, name: str) -> np.recarray[Any, Any]:
    """A record array of the bytes, which it keeps: fields are attributes, too."""
    return np.frombuffer(data, dtype=_ALL[name]).view(np.recarray)  # type: ignore[no-any-return, unused-ignore]


class Hit(NamedTuple):
    """What a ray or a search for the nearest surface found."""

    body: Body | None
    plane: Plane | None
    sphere: int
    """Of the body, -1 where the surface itself was hit."""
    point: np.typing.NDArray[np.float64]
    """On the surface [m]."""
    normal: np.typing.NDArray[np.float64]
    """Unit, out of the surface."""
    distance: float
    """From the ray's origin, or of the point from the surface [m]."""
