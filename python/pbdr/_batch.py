"""What Batch needs of Python (python/src/batch.cpp)."""

from __future__ import annotations

import os

import numpy as np


def count_cpus() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def read_mask(mask: np.typing.ArrayLike, count: int) -> np.typing.NDArray[np.uint8]:
    """Truth values, one per world, or indices of worlds, as one byte per world."""
    array = np.asarray(mask)
    chosen = np.zeros(count, dtype=np.uint8)
    if array.dtype == bool:
        if array.shape != (count,):
            raise ValueError(f"mask: wanted {count} truth values, not an array of shape {array.shape}")
        chosen[array] = 1
    elif array.size == 0:
        pass
    elif np.issubdtype(array.dtype, np.integer):
        if array.min() < -count or array.max() >= count:
            raise IndexError(f"mask: an index is out of range for {count} worlds")
        chosen[array] = 1
    else:
        raise TypeError("mask: wanted truth values or indices")
    return chosen
