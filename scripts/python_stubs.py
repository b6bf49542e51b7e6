#!/usr/bin/env python3
"""Writes python/pbdr/_core.pyi from the compiled part: run it in a Python that has pbdr and nanobind.

    scripts/python_stubs.py [FILE]        tests/python/test_typing.py compares
"""

from __future__ import annotations

import sys

from nanobind.stubgen import StubGen


def make() -> str:
    import pbdr._core

    generator = StubGen(pbdr._core, include_private=True)
    generator.put(pbdr._core)
    docstring, rest = generator.get().split("\n", 1)
    ours = ("\nfrom ._dtypes import Hit\nfrom ._show import Picture\nfrom .errors import StepFlag\nfrom .plot import Recording\n"
            "\n__version__: str\n")
    blank = rest.index("\n\n\n")
    return f"# Written by scripts/python_stubs.py.\n{docstring}\n{rest[:blank]}\n{ours}{rest[blank:]}"


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "python/pbdr/_core.pyi"
    with open(target, "w", encoding="utf-8") as file:
        file.write(make())
