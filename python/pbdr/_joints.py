"""Controls of a world's actuators, as an array that writes through."""

from __future__ import annotations

from typing import Any

import numpy as np


class Controls:
    """world.control: numbers that are read and set like those of an array."""

    def __init__(self, world: Any) -> None:
        self._world = world

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._world._get_controls(), dtype=dtype or float)

    def __len__(self) -> int:
        return len(self._world._get_controls())

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        values = np.asarray(self).copy()
        values[key] = value
        self._world._set_controls(values.tolist())

    def __repr__(self) -> str:
        return f"Controls({np.asarray(self)!r})"
