"""Types: mypy's strict mode on the samples and on the package, and stubs that are those of the compiled part."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pbdr

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy found out about NumPy and the like, for the second run."""
    return tmp_path_factory.mktemp("mypy")


@pytest.mark.parametrize("what", [["-p", "pbdr"], ["samples/push.py", "samples/engine.py", "samples/identify.py",
                                                  "samples/arm.py", "samples/hand.py", "samples/panda.py"]])
def test_mypy_is_content(what: list[str], cache: Path) -> None:
    pytest.importorskip("mypy")
    folder = str(Path(pbdr.__file__).parent.parent)  # an installed package is found without, and may not be named
    environment = {**os.environ, "MYPYPATH": "" if "site-packages" in folder else folder}
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cache}", *what], capture_output=True,
                          text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_are_those_of_the_compiled_part() -> None:
    pytest.importorskip("nanobind")
    spec = importlib.util.spec_from_file_location("python_stubs", ROOT / "scripts" / "python_stubs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    stubs = Path(pbdr.__file__).parent / "_core.pyi"
    assert module.make() == stubs.read_text(), "run scripts/python_stubs.py"


def test_everything_public_is_documented() -> None:
    for thing in (pbdr.World, pbdr.Body, pbdr.Plane, pbdr.Shape, pbdr.Batch, pbdr.BodyList):
        for name in dir(thing):
            if not name.startswith("_"):
                doc = getattr(thing, name).__doc__
                assert doc and len(doc) > 5, f"{thing.__name__}.{name}"


def test_the_marker_is_there() -> None:
    assert (Path(pbdr.__file__).parent / "py.typed").exists()
