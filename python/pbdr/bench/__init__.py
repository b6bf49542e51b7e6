"""The benchmark from Python: runs as records, and engines of one's own.

    import pandas, pbdr
    table = pandas.DataFrame(pbdr.bench.run(tests=[1, 2], solvers=["pbd-r", "xpbdr"], seeds=1))

It is the command `pbdr bench` that runs, in a process of its own, so the numbers are the same to the digit.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

from .. import _cli
from ..errors import Error, FileFormatError
from ._engine import Body, Engine, Joint, Mesh, Scene, Spheres, State

__all__ = ["BenchError", "BenchWarning", "Body", "Engine", "Joint", "Mesh", "Scene", "Spheres", "State", "command", "read", "run"]


class BenchError(Error, RuntimeError):
    """The benchmark could not be carried out; the message is the command's."""


class BenchWarning(UserWarning):
    """What the command said beside its results: a plug-in that is not there, tests that were left out, a run that failed."""


RENAMED = {"pbdr": "pbd-r"}  # solvers that had another name before; the next version will not know the old one


def _join_solvers(solvers: str | Iterable[str], level: int) -> str:
    names = [name.strip() for name in _join(solvers).split(",")]
    for name in names:
        if name in RENAMED:
            warnings.warn(f"the solver '{name}' is now called '{RENAMED[name]}'; the next version will not know the old name",
                          FutureWarning, stacklevel=level + 1)
    return ",".join(RENAMED.get(name, name) for name in names)


def _join(values: int | float | str | Iterable[int | str]) -> str:
    if isinstance(values, (int, float, str)):
        return str(values)
    return ",".join(str(value) for value in values)


def command(tests: int | str | Iterable[int | str] | None = None, solvers: str | Iterable[str] | None = None,
            seeds: int | None = None, *, plugins: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
            mesh: str | os.PathLike[str] | None = None, **options: Any) -> list[str]:
    """The command line that run() runs, without its outputs. Options are those of `pbdr bench`, with _ for -."""
    return _make_command(3, tests, solvers, seeds, plugins=plugins, mesh=mesh, **options)


def _make_command(level: int, tests: int | str | Iterable[int | str] | None, solvers: str | Iterable[str] | None,
                  seeds: int | None, *, plugins: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
                  mesh: str | os.PathLike[str] | None, **options: Any) -> list[str]:
    line = [_cli.find_program(), "bench"]
    if tests is not None:
        line += ["--tests", _join(tests)]
    if solvers is not None:
        line += ["--solvers", _join_solvers(solvers, level)]
    if seeds is not None:
        line += ["--seeds", str(seeds)]
    for plugin in [plugins] if isinstance(plugins, (str, os.PathLike)) else plugins:
        line += ["--plugin", os.fspath(plugin)]
    if mesh is not None:
        line += ["--mesh", os.fspath(mesh)]
    for name, value in options.items():
        if value is True:
            line.append("--" + name.replace("_", "-"))
        elif value is not None and value is not False:
            line += ["--" + name.replace("_", "-"), _join(value)]
    return line


def run(tests: int | str | Iterable[int | str] | None = None, solvers: str | Iterable[str] | None = None,
        seeds: int | None = None, *, plugins: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
        mesh: str | os.PathLike[str] | None = None, flat: bool = True, **options: Any) -> list[dict[str, Any]]:
    """Runs tests with solvers and returns a record per run, which pandas.DataFrame takes.

    tests: 1, "1-3" or [1, 2]; None: 1 to 7. solvers: names; None: all, or, without tests and plugins too, those of the README's
    table, in tests 4 to 6 on either base (params.base). seeds: how many starts. plugins: shared objects or .py
    files with an Engine. mesh: the bunny of tests 4 to 6. options: those of `pbdr bench` (duration=2.0, n=4, precision="f32").
    flat: nested values become columns such as "velocity_error_mps.final" and "params.mu". A run that diverges or fails is a
    record with None for its errors, and says so in flags, problem and answer; that, and what is left out, is a BenchWarning.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "runs.json")
        line = [*_make_command(3, tests, solvers, seeds, plugins=plugins, mesh=mesh, **options), "--json", path]
        done = subprocess.run(line, capture_output=True, text=True, env=_cli.make_environment(), check=False)
        if not os.path.exists(path) or (done.returncode not in (0, 1)):
            raise BenchError(done.stderr.strip() or f"pbdr bench ended with {done.returncode}")
        runs = read(path)
    said = _find_notes(done.stderr)
    if said and runs:
        warnings.warn(said, BenchWarning, stacklevel=2)
    if not runs:
        raise BenchError(done.stderr.strip() or "pbdr bench ran nothing")
    return [_flatten(record) for record in runs] if flat else runs


def read(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The runs of a file of `pbdr bench --json` or `pbdr score --json`, of schema pbdr-bench/2 or /1.

    In version 1 the paper's solver was called "pbdr" and the engine of XPBD-R "reduced"; here they are "pbd-r" and "xpbdr".
    """
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema not in ("pbdr-bench/1", "pbdr-bench/2"):
        raise FileFormatError(f"{os.fspath(path)}: schema: {schema!r}, wanted pbdr-bench/2 or pbdr-bench/1")
    runs: list[dict[str, Any]] = content["runs"]
    if schema == "pbdr-bench/1":
        for run in runs:
            run["solver"] = RENAMED.get(run["solver"], run["solver"])
            if run["solver"].split(":")[0] == "xpbdr" and run["engine"] == "reduced":
                run["engine"] = "xpbdr"
    return runs


def _find_notes(text: str) -> str:
    """Of what the command printed besides its progress; peers that the package is built without are no news."""
    lines = [line.strip("* ").removeprefix("pbdr bench: ") for line in text.splitlines() if line.startswith(("pbdr bench: ", "*  "))]
    return "\n".join(line for line in lines if not line.startswith("LEFT OUT"))


def _flatten(record: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            flat.update(_flatten(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat
