"""Recordings, and pictures that show what they are given."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import pbdr
from pbdr import _cli
from conftest import make_pushed_box

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture
def recording() -> pbdr.plot.Recording:
    return pbdr.plot.record(make_pushed_box(), 0.5)


def test_a_recording_has_all_frames(recording: pbdr.plot.Recording) -> None:
    assert recording.times == pytest.approx(np.arange(51) * 0.01)
    assert recording.positions.shape == (51, 1, 3) and recording.names == ["box"]
    # x = (F/m - mu g) t^2/2
    assert recording.positions[:, 0, 0] == pytest.approx(0.5 * (17 / 4 - 0.4 * 9.81) * recording.times**2, abs=1e-12)
    assert recording.ledger["work_J"][-1] == pytest.approx(17 * recording.positions[-1, 0, 0], rel=1e-9)


def test_feedback_while_recording() -> None:
    world = make_pushed_box()

    def hold(w: pbdr.World) -> None:
        w.bodies[0].force = (0, 0, 0)

    assert pbdr.plot.record(world, 0.1, callback=hold).positions[-1, 0, 0] == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError):
        pbdr.plot.record(world, -1.0)


def test_the_command_reads_the_trajectory(recording: pbdr.plot.Recording, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    recording.save(path)
    subprocess.run([_cli.find_program(), "diff", str(path), str(path)], check=True, capture_output=True)
    assert path.read_text().count("\n") == 52


def test_pictures_show_what_they_are_given(recording: pbdr.plot.Recording) -> None:
    line = pbdr.plot.trajectory(recording, plane="x").lines[0]
    assert line.get_ydata() == pytest.approx(recording.positions[:, 0, 0])
    assert pbdr.plot.trajectory(recording, bodies=[]).lines[:] == []
    with pytest.raises(ValueError):
        pbdr.plot.trajectory(recording, plane="w")
    ax = pbdr.plot.ledger(recording, columns=["px"])
    assert ax.lines[0].get_ydata() == pytest.approx(recording.ledger["px"])
    with pytest.raises(ValueError, match="nonsense"):
        pbdr.plot.ledger(recording, columns=["nonsense"])
    world = make_pushed_box()
    world.step(5)
    for what in (world, world.bodies[0]):
        assert len(pbdr.plot.contact_forces(what).collections) == 2
    records = [{"test": 1, "solver": s, "e": v} for s, v in (("a", 1e-3), ("a", 3e-3), ("b", None))]
    bars = pbdr.plot.errors(records, quantity="e").patches
    assert bars[0].get_height() == pytest.approx(2e-3) and np.isnan(bars[1].get_height())
    with pytest.raises(ValueError):
        pbdr.plot.errors(records)
    matplotlib.pyplot.close("all")
