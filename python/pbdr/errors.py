"""Exceptions and flags. Every exception carries the library's message, and its status as a number."""

from __future__ import annotations

import enum
import warnings


class Error(Exception):
    """What the library refused, in its words; `status` is its status code (pbdr/base.h)."""

    status: int = 0


class InvalidArgumentError(Error, ValueError):
    """A value that no input may have: NaN, a negative mass, ..."""


class InvalidIdError(Error, ReferenceError):
    """A body, plane or world that was destroyed, or of another world."""


class OutOfMemoryError(Error, MemoryError):
    """The allocator returned nothing."""


class NoParticlesError(Error, ValueError):
    """A body or packing without a single sphere."""


class StateError(Error, ValueError):
    """A state that belongs to another world, or is damaged."""


class MissingFileError(Error, FileNotFoundError):
    """A file that cannot be opened or read."""


class FileFormatError(Error, ValueError):
    """A file that is not what its name says, or is damaged."""


class MeshError(Error, ValueError):
    """A mesh with holes, or whose facets disagree."""


class NotSupportedError(Error, NotImplementedError):
    """A part that this build was made without."""


class StoppedError(Error, InterruptedError):
    """The caller stopped it."""


_CLASSES: dict[int, type[Error]] = {
    -1: InvalidArgumentError, -2: InvalidIdError, -3: OutOfMemoryError, -4: NoParticlesError, -5: StateError,
    -6: MissingFileError, -7: FileFormatError, -8: MeshError, -9: MeshError, -10: NotSupportedError, -11: StoppedError,
}


def make(status: int, message: str) -> Error:
    """The exception of a status."""
    error = _CLASSES.get(status, Error)(message)
    error.status = status
    return error


class StepFlag(enum.IntFlag):
    """What a step had to say; 0 is all well. Each bit names a limit that was met."""

    NOT_FINITE = 1
    SPEED_LIMIT = 2
    PAIRS_FULL = 4
    NOT_CONVERGED = 8


_MEANINGS = {
    StepFlag.NOT_FINITE: "a body's state is NaN or infinite: the step diverged; lower dt",
    StepFlag.SPEED_LIMIT: "a body is faster than 1e5 m/s, or turns by more than 50 rad in a substep",
    StepFlag.PAIRS_FULL: "contacts were dropped for want of memory or room",
    StepFlag.NOT_CONVERGED: "some contact forces are off by more than a thousandth of their sum, or overlaps stay",
}


class StepWarning(RuntimeWarning):
    """A flag of a step, told once per world."""


class StepError(Error, RuntimeError):
    """A flag of a step of a strict world; `flags` has all of them."""

    flags: StepFlag = StepFlag(0)


def tell(bits: int, strict: bool) -> None:
    """Warns of flags, or raises them."""
    flags = StepFlag(bits)
    text = "; ".join(f"{flag.name}: {meaning}" for flag, meaning in _MEANINGS.items() if flag in flags)
    if strict:
        error = StepError(text)
        error.flags = flags
        raise error
    warnings.warn(text, StepWarning, stacklevel=2)
