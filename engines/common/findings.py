"""Writes what scripts/findings.sh prints into docs/leaderboard/findings.md, or says where the page differs from it.

    python3 engines/common/findings.py [--check] [1 2 ...]

A block of the page follows <!-- scripts/findings.sh N --> and has what the command prints; the prose is ours. A finding whose
engines are not set up is left alone, and said.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(ROOT, "docs", "leaderboard", "findings.md")
BLOCK = r"(<!-- scripts/findings\.sh {} -->\n\n```text\n)(.*?)(```\n)"


def read_page() -> str:
    with open(PAGE, encoding="utf-8") as file:
        return file.read()


def run(finding: int) -> str | None:
    """What the command prints; nothing where an engine is missing."""
    done = subprocess.run([os.path.join(ROOT, "scripts", "findings.sh"), str(finding)], capture_output=True, text=True, check=False, cwd=ROOT)
    return None if "it did not run" in done.stdout or done.returncode != 0 else done.stdout


def get_block(page: str, finding: int) -> str:
    found = re.search(BLOCK.format(finding), page, re.S)
    if not found:
        raise ValueError(f"docs/leaderboard/findings.md has no block of scripts/findings.sh {finding}")
    return found.group(2)


def main() -> int:
    wanted = [int(argument) for argument in sys.argv[1:] if argument != "--check"] or [1, 2, 3, 4, 5, 6]
    page, differs = read_page(), False
    for finding in wanted:
        text = run(finding)
        if text is None:
            print(f"finding {finding}: its engines are not set up (scripts/engine_setup.sh)")
        elif text != get_block(page, finding):
            differs = True
            print(f"finding {finding}: the page differs\n{text}")
            page = re.sub(BLOCK.format(finding), lambda found: found.group(1) + text + found.group(3), page, flags=re.S)
    if "--check" in sys.argv:
        return differs
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
