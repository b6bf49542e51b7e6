"""The notebooks run from top to bottom, and give the text that is kept in them (scripts/notebooks.py)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((Path(__file__).parent.parent.parent / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_five() -> None:
    assert len(NOTEBOOKS) == 5


def read_text(notebook: Any) -> list[str]:
    """What code cells print and show as text, with numbers to four digits, and those of rounding as zero."""
    def shorten(match: re.Match[str]) -> str:
        value = float(match.group(0))
        return "0" if abs(value) < 1e-12 else f"{value:.4g}"

    texts = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []) if cell.cell_type == "code" else []:
            text = output.text if output.output_type == "stream" and output.name == "stdout" else output.get("data", {}).get("text/plain", "")
            texts.append(re.sub(r"[-+]?\d+\.\d*(e[-+]?\d+)?|[-+]?\d+e[-+]?\d+", shorten, re.sub(r" at 0x[0-9a-f]+", "", text)))
    return "".join(texts).split()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_kept(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count is None for cell in code)
    assert sum(bool(cell.outputs) for cell in code) >= 2
    assert path.stat().st_size < 200_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("gymnasium")
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = nbformat.read(path, as_version=4)
    kept = read_text(notebook)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert read_text(notebook) == kept
