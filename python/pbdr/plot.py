"""Pictures of runs with matplotlib: trajectories, errors, the ledger, contact forces.

    recording = pbdr.plot.record(world, 2.0)
    pbdr.plot.trajectory(recording); pbdr.plot.ledger(recording); pbdr.plot.contact_forces(world)
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._core import Body, World

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Recording", "contact_forces", "errors", "ledger", "record", "trajectory"]

Array = npt.NDArray[np.float64]


@dataclass
class Recording:
    """What record() saw, a row per frame."""

    times: Array
    """[s], shape (frames,)."""
    positions: Array
    """[m], shape (frames, bodies, 3)."""
    quats: Array
    """w, x, y, z, shape (frames, bodies, 4)."""
    velocities: Array
    """[m/s], shape (frames, bodies, 3)."""
    omegas: Array
    """[rad/s], shape (frames, bodies, 3)."""
    names: list[str]
    ledger: dict[str, Array]
    """Columns of the ledger (docs/ledger.md), shape (frames,)."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the trajectory as CSV, as `pbdr run --out` does; `pbdr diff` and `pbdr score` read it."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow("t,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz".split(","))
            for frame, time in enumerate(self.times):
                for body, name in enumerate(self.names):
                    numbers = np.concatenate([array[frame, body] for array in
                                              (self.positions, self.quats, self.velocities, self.omegas)])
                    writer.writerow([repr(float(time)), name, *(repr(float(number)) for number in numbers)])


def find_names(world: World) -> list[str]:
    """Of all bodies, in the order of world.bodies; no two are alike, and those without one have a number."""
    given = world.bodies.keys()
    names = []
    for row, name in enumerate(given):
        unique = name or f"body{row}"
        while not name and unique in given:
            unique += "_"
        names.append(unique)
    return names


def record(world: World, duration: float, *, every: float = 0.01, callback: Callable[[World], object] | None = None) -> Recording:
    """Steps the world for a duration [s] and keeps a frame every so often [s], the start included; the ledger is kept, too.
    callback(world) is called before each frame's steps: for feedback."""
    if not (duration >= 0 and every > 0):
        raise ValueError(f"record: a duration of {duration!r} s with a frame every {every!r} s")
    per_frame = max(1, round(every / world.dt))
    was_on = world.ledger_on
    world.ledger_on = True
    rows: list[list[Any]] = [[] for _ in range(5)]
    entries: list[dict[str, float]] = []

    def keep() -> None:
        values: tuple[Any, ...] = (world.time, world.positions, world.quats, world.velocities, world.omegas)
        for row, value in zip(rows, values):
            row.append(np.copy(value))
        entries.append(world.take_ledger())

    keep()
    for _ in range(round(duration / (per_frame * world.dt))):
        if callback is not None:
            callback(world)
        world.step(per_frame)
        keep()
    if not was_on:
        world.ledger_on = False
    columns = {key: np.array([entry[key] for entry in entries]) for key in entries[0]}
    times, positions, quats, velocities, omegas = (np.array(row) for row in rows)
    return Recording(times, positions, quats, velocities, omegas, find_names(world), columns)


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("pbdr.plot needs Matplotlib: pip install matplotlib", name=error.name) from error
    return plt.subplots()[1]


def trajectory(recording: Recording, *, bodies: Sequence[str] | None = None, plane: str = "xy", ax: Axes | None = None) -> Axes:
    """Ways of the centres of mass in a plane ("xy", "xz", "yz"), or one coordinate over time ("x", "y", "z")."""
    ax = _axes(ax)
    index = {"x": 0, "y": 1, "z": 2}
    if not plane or len(plane) > 2 or any(axis not in index for axis in plane):
        raise ValueError(f'plane: "{plane}" is no plane such as "xy", and no coordinate')
    for body, name in enumerate(recording.names):
        if bodies is not None and name not in bodies:
            continue
        way = recording.positions[:, body]
        if len(plane) == 1:
            ax.plot(recording.times, way[:, index[plane]], label=name)
        else:
            ax.plot(way[:, index[plane[0]]], way[:, index[plane[1]]], label=name)
    ax.set_xlabel("t [s]" if len(plane) == 1 else f"{plane[0]} [m]")
    ax.set_ylabel(f"{plane[-1]} [m]")
    if len(plane) == 2:
        ax.set_aspect("equal", adjustable="datalim")
    if ax.lines:
        ax.legend()
    return ax


def errors(records: Sequence[dict[str, Any]], *, quantity: str = "final_position_error_m", ax: Axes | None = None) -> Axes:
    """Bars of what pbdr.bench.run returned: a group per test, a bar per solver (mean over the seeds), on a logarithmic scale."""
    ax = _axes(ax)
    tests = sorted({record["test"] for record in records})
    solvers = list(dict.fromkeys(record["solver"] for record in records))
    if not records or quantity not in records[0]:
        raise ValueError(f'errors: the records have no "{quantity}"')
    width = 0.8 / len(solvers)
    for k, solver in enumerate(solvers):
        means = []
        for test in tests:
            values = [r[quantity] for r in records if r["test"] == test and r["solver"] == solver and r[quantity] is not None]
            means.append(np.mean(values) if values else np.nan)
        ax.bar(np.arange(len(tests)) + k * width, means, width, label=solver)
    ax.set_yscale("log")
    ax.set_xticks(np.arange(len(tests)) + 0.4 - width / 2, [str(test) for test in tests])
    ax.set_xlabel("test")
    ax.set_ylabel(quantity.replace("_", " "))
    ax.legend()
    return ax


def ledger(recording: Recording, *, columns: Sequence[str] = ("kinetic_J", "potential_J", "work_J", "friction_J"),
           ax: Axes | None = None) -> Axes:
    """Columns of the ledger over time; potential energy from its start."""
    ax = _axes(ax)
    for name in columns:
        if name not in recording.ledger:
            raise ValueError(f'ledger: no column "{name}"; there are {", ".join(recording.ledger)}')
        values = recording.ledger[name]
        ax.plot(recording.times, values - values[0] if name == "potential_J" else values, label=name)
    ax.set_xlabel("t [s]")
    ax.legend()
    return ax


def contact_forces(what: World | Body, *, plane: str = "xy", ax: Axes | None = None) -> Axes:
    """Contact forces of the last substep as arrows at their points, seen along the third axis; the length of the normal force
    is the area of the dot."""
    ax = _axes(ax)
    index = {"x": 0, "y": 1, "z": 2}
    contacts = what.contacts
    a, b = index[plane[0]], index[plane[1]]
    strength = np.einsum("ij,ij->i", contacts.force, contacts.normal)
    largest = max(float(np.abs(strength).max()), 1e-300) if len(contacts) else 1.0
    ax.scatter(contacts.point[:, a], contacts.point[:, b], 120 * np.abs(strength) / largest, alpha=0.4)
    ax.quiver(contacts.point[:, a], contacts.point[:, b], contacts.force[:, a], contacts.force[:, b], angles="xy", width=0.004)
    ax.set_xlabel(f"{plane[0]} [m]")
    ax.set_ylabel(f"{plane[1]} [m]")
    ax.set_aspect("equal", adjustable="datalim")
    return ax
