#!/usr/bin/env python3
"""Runs the notebooks of docs/notebooks and keeps what they print and draw in them, so that pages can show it.

    scripts/notebooks.py [NOTEBOOK...]      in a Python that has pbdr, nbclient, ipykernel, gymnasium and matplotlib

Output is kept without what changes from run to run: counts of executions, times and addresses of objects.
tests/python/test_notebooks.py sees that the notebooks still give the text that they show.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat

MOST = 100_000  # characters of a picture
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "notebooks"


def merge_streams(outputs: list[Any]) -> list[Any]:
    """Outputs without warnings, and with what was printed in one piece, as it came in several by chance."""
    merged: list[Any] = []
    for output in outputs:
        if output.output_type == "stream" and output.name != "stdout":
            continue
        if output.output_type == "stream" and merged and merged[-1].output_type == "stream":
            merged[-1].text += output.text
        else:
            merged.append(output)
    return merged


def clean(notebook: Any) -> None:
    """Takes away what another run would not give again."""
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        cell.metadata = {}
        cell.outputs = merge_streams(cell.outputs)
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = None
            if "metadata" in output:
                output.metadata = {}
            if "data" in output and "text/plain" in output.data:
                output.data["text/plain"] = re.sub(r" at 0x[0-9a-f]+", "", output.data["text/plain"])
            if "data" in output and len(output.data.get("text/html", "")) > MOST:
                raise SystemExit("notebooks: world.show() gave a whole page; install pbdr without make web, so that it is a picture")


def run(path: Path, folder: Path) -> Any:
    """The notebook with the outputs of a fresh run in a folder of its own."""
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    clean(notebook)
    return notebook


def main() -> None:
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    for path in [Path(name) for name in sys.argv[1:]] or sorted(FOLDER.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            notebook = run(path, Path(folder))
        notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
        path.write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")
        print(f"notebooks: {path.name}, {path.stat().st_size // 1024} kB, {sum(bool(c.get('outputs')) for c in notebook.cells)} cells with output")


if __name__ == "__main__":
    main()
