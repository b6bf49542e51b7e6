"""The `pbdr` command of the package: the C program that is built with it."""

from __future__ import annotations

import os
import sys


def find_program() -> str:
    """The program: the package's own, or what PBDR_COMMAND names."""
    return os.environ.get("PBDR_COMMAND") or os.path.join(os.path.dirname(__file__), "bin", "pbdr")


def make_environment() -> dict[str, str]:
    """Plug-ins written in Python run in this Python."""
    return {"PBDR_PYTHON": sys.executable, **os.environ}


def main() -> None:
    program = find_program()
    os.execve(program, [program, *sys.argv[1:]], make_environment())
