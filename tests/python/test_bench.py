"""The benchmark from Python, and engines behind the pipe."""

from __future__ import annotations

import json
import subprocess
import warnings
from pathlib import Path

import pytest

import pbdr
from pbdr import _cli, bench

HERE = Path(__file__).parent
BLOCK = HERE.parent.parent / "samples" / "engine.py"
BAD = HERE / "engines" / "bad.py"
TIMES = ("us_per_substep", "cpu_us_per_substep", "wall_us_per_substep")


def without_times(records: list[dict]) -> list[dict]:  # type: ignore[type-arg]
    return [{key: value for key, value in record.items() if "us_per" not in key} for record in records]


def test_run_equals_the_command_to_the_digit(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    subprocess.run([_cli.find_program(), "bench", "--tests", "1-3", "--solvers", "pbd,pbd-r,xpbdr", "--seeds", "2", "--duration",
                    "0.5", "--json", str(path)], check=True, capture_output=True)
    expected = json.loads(path.read_text())["runs"]
    got = bench.run(tests=[1, 2, 3], solvers=["pbd", "pbd-r", "xpbdr"], seeds=2, duration=0.5, flat=False)
    assert len(got) == 18 and without_times(got) == without_times(expected)


def test_records_are_what_pandas_takes() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(bench.run(1, "xpbdr", 1, duration=0.2))
    assert {"test", "solver", "final_position_error_m", "velocity_error_mps.final", "us_per_substep"} <= set(table.columns)
    assert table.final_position_error_m[0] < 1e-12


def test_wrong_usage_is_told_in_the_commands_words() -> None:
    with pytest.raises(bench.BenchError, match="nosuch"):
        bench.run(1, "nosuch")
    with pytest.raises(bench.BenchError):
        bench.run(99, "xpbdr")
    with pytest.raises(bench.BenchError, match="colour"):
        bench.run(1, "xpbdr", colour="red")


def test_an_engine_in_python_scores_its_floor() -> None:
    records = bench.run("1-3", "pyblock", 1, plugins=BLOCK, duration=1.0)
    assert [r["test"] for r in records] == [1, 2, 3]
    # semi-implicit Euler is off by a t dt/2, and so is the floor
    for record in (records[0], records[2]):
        assert record["final_position_error_m"] == pytest.approx(record["floor_position_m"], rel=1e-6)
        assert record["engine"] == "pyblock 1.0"
    assert records[1]["final_position_error_m"] is None


@pytest.mark.parametrize("bad,reason", [
    ("raises", "ArithmeticError: the sum is wrong"), ("hangs", "took longer"), ("dies", "signal 9"), ("exits", "exit code 3"),
    ("short", "read\\(0\\)"), ("refuses", "not supported: tuesdays"),
])
def test_whatever_an_engine_does_is_one_row(bad: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAD", bad)
    records = bench.run(1, "bad,xpbdr", 1, plugins=[BAD], duration=0.2, plugin_timeout=3)
    assert len(records) == 2
    row, other = (records[0], records[1]) if records[0]["solver"] == "bad" else (records[1], records[0])
    assert row["final_position_error_m"] is None
    assert other["final_position_error_m"] < 1e-12
    import re
    assert re.search(reason, json.dumps(row)), row


def test_what_an_engine_prints_does_not_disturb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAD", "prints")
    assert bench.run(1, "bad", 1, plugins=[BAD], duration=0.1)[0]["final_position_error_m"] is not None


def test_a_position_that_is_not_finite_is_a_run_that_diverged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAD", "nan")
    row = bench.run(1, "bad", 1, plugins=[BAD], duration=0.2)[0]
    assert "not_finite" in json.dumps(row["flags"]) and row["failed_at_s"] == pytest.approx(0.06)


def test_an_engine_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BAD", "raises_at_load")
    with pytest.raises(bench.BenchError, match="at load"):
        bench.run(1, "bad", 1, plugins=[BAD])
    empty = tmp_path / "empty.py"
    empty.write_text("x = 1\n")
    with pytest.raises(bench.BenchError, match="one subclass"):
        bench.run(1, "mine", 1, plugins=[empty])
    with pytest.raises(bench.BenchError, match="none.py"):
        bench.run(1, "mine", 1, plugins=["none.py"])


def test_the_old_name_of_the_papers_solver_is_taken_with_a_warning() -> None:
    for solvers in ("xpbdr,pbdr", ["xpbdr", "pbdr"]):
        with pytest.warns(FutureWarning, match="'pbdr' is now called 'pbd-r'") as said:
            assert [r["solver"] for r in bench.run(1, solvers, 1, duration=0.02)] == ["xpbdr", "pbd-r"]
        assert [warning.filename for warning in said] == [__file__]
    with pytest.warns(FutureWarning) as said:
        assert bench.command(1, "pbdr")[-1] == "pbd-r"
    assert said[0].filename == __file__


def test_files_of_both_versions_are_read(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    subprocess.run([_cli.find_program(), "bench", "--tests", "1", "--solvers", "pbd,pbd-r,xpbdr,xpbdr:spheres", "--seeds", "1", "--duration",
                    "0.02", "--json", str(path)], check=True, capture_output=True, env=_cli.make_environment())
    now = json.loads(path.read_text())
    assert now["schema"] == "pbdr-bench/2"
    assert bench.read(path) == now["runs"]
    old = json.loads(path.read_text())
    old["schema"] = "pbdr-bench/1"
    for run in old["runs"]:
        run["solver"] = {"pbd-r": "pbdr"}.get(run["solver"], run["solver"])
        run["engine"] = {"xpbdr": "reduced"}.get(run["engine"], run["engine"])
    path.write_text(json.dumps(old))
    assert bench.read(path) == now["runs"]
    assert [(run["solver"], run["engine"]) for run in bench.read(path)] == [
        ("pbd", "particle"), ("pbd-r", "reduced"), ("xpbdr", "xpbdr"), ("xpbdr:spheres", "xpbdr")]
    for content in ({**now, "schema": "pbdr-bench/3"}, {"runs": []}, []):
        path.write_text(json.dumps(content))
        with pytest.raises(pbdr.FileFormatError, match="schema"):
            bench.read(path)


def test_what_is_left_out_is_a_warning(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.warns(bench.BenchWarning, match="none.py: cannot be read: No such file"):
        assert len(bench.run(1, "xpbdr", 1, plugins=["none.py"], duration=0.05)) == 1
    monkeypatch.setenv("PBDR_BUNNY", str(tmp_path / "none.stl"))
    with pytest.warns(bench.BenchWarning, match="none.stl.*\n.*TESTS 4, 5 AND 6 ARE SKIPPED"):
        assert {r["test"] for r in bench.run(None, "xpbdr", 1, duration=0.02)} == {1, 2, 3, 7}
    with pytest.raises(bench.BenchError, match="none.stl.*\n.*PBDR_BUNNY"):
        bench.run(4, "xpbdr", 1, duration=0.02)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bench.run(1, "xpbdr", 1, duration=0.05)


def test_any_language_speaks_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    command = f"pipe:{HERE / 'engines' / 'shell.sh'}"
    row = bench.run(1, "still", 1, plugins=[command], duration=0.1)[0]
    # it stays while the reference goes (F/m - mu g) t^2/2
    assert row["final_position_error_m"] == pytest.approx(0.5 * (17 / 4 - 0.4 * 9.81) * 0.01, rel=1e-3)
    monkeypatch.setenv("PROTOCOL", "2")
    with pytest.raises(bench.BenchError, match="version 2 of the pipe protocol, this program version 1"):
        bench.run(1, "still", 1, plugins=[command])


def test_scenes_tell_all(tmp_path: Path) -> None:
    path = tmp_path / "look.py"
    path.write_text('''
from pbdr.bench import Engine
class Look(Engine):
    name = "look"
    uses_spheres = True
    def create(self, scene):
        box, rod = scene.bodies
        assert (scene.test, box.shape, rod.shape, rod.prescribed) == (7, "box", "rod", True)
        assert box.spheres.positions.shape == (64, 3) and abs(box.spheres.masses.sum() - box.mass) < 1e-9
        assert rod.prescribed_acceleration.any() and scene.settings["precision"] in ("f32", "f64")
        self.bodies = scene.bodies
    def step(self, n): pass
    def read(self, k):
        s = self.bodies[k].spheres
        return s.start_position, s.start_rotation, (0, 0, 0), (0, 0, 0)
''')
    row = bench.run(7, "look", 1, plugins=path, duration=0.1)[0]
    assert row["final_position_error_m"] is not None and row["particles"] == 64


def test_joints_go_to_engines_that_know_them(tmp_path: Path) -> None:
    path, text = tmp_path / "tied.py", '''
from pbdr.bench import Engine
class Tied(Engine):
    name = "tied"
    uses_joints = KNOWS
    def create(self, scene):
        hinge, slide, spring = scene.joints[0], scene.joints[1], scene.joints[3]
        assert (hinge.kind, hinge.bodies, slide.kind, slide.bodies) == ("hinge", (-1, 0), "slide", (0, 1))
        assert abs(abs(hinge.axis[2]) - 1) < 1e-12 and spring.axis is None and spring.points.shape == (2, 3)
        assert (spring.kind, spring.stiffness, spring.damping, spring.length) == ("spring", 8e5, 4e4, 0.5)
        self.bodies = scene.bodies
    def step(self, n): pass
    def read(self, k):
        b = self.bodies[k]
        return b.position, b.rotation, b.velocity, b.angular_velocity
'''
    path.write_text(text.replace("KNOWS", "True"))
    assert bench.run(37, "tied", 1, plugins=path, duration=0.02)[0].get("problem") is None
    path.write_text(text.replace("KNOWS", "False"))
    assert bench.run(37, "tied", 1, plugins=path, duration=0.02)[0]["problem"] == "not supported: joints"
