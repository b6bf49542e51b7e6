"""Writes docs/leaderboard/replays: the seven tests as pbdr view makes them, as scripts that the page loads on a click.

    python3 engines/common/replays.py [FOLDER]

page.js holds the player and the engine once, test1.js to test7.js the data of a test; a page opened as a file may load scripts,
and nothing else. They are built, not kept in git: build/pbdr and build/web/replay.html (make web) must be there. The page has buttons
for them only where they are (page.py, which is run at the end).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

import page as page_of_results

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OUT = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "docs", "leaderboard", "replays")
BEGIN, END = '<script type="application/json" id="pbdr-data">', "</script>"


def write_script(name: str, key: str, value: object) -> int:
    text = f"(window.pbdrReplays ??= {{}})[{json.dumps(key)}] = {json.dumps(value)};\n"
    with open(os.path.join(OUT, name), "w", encoding="utf-8") as file:
        file.write(text)
    return len(text)


def main() -> int:
    program, page = os.path.join(ROOT, "build", "pbdr"), os.path.join(ROOT, "build", "web", "replay.html")
    for path in (program, page):
        if not os.path.exists(path):
            print(f"replays: {os.path.relpath(path, ROOT)} is missing (make build web): the page goes without replays, and says so", file=sys.stderr)
            return 0
    os.makedirs(OUT, exist_ok=True)
    size = 0
    with tempfile.TemporaryDirectory() as scratch:
        for test in range(1, 8):
            made = os.path.join(scratch, "replay.html")
            run = subprocess.run([program, "view", "--test", str(test), "--solver", "pbd,pbd-r,xpbdr", "-o", made], cwd=ROOT,
                                 stdout=subprocess.DEVNULL)
            if run.returncode != 0:
                return 1
            with open(made, encoding="utf-8") as file:
                text = file.read()
            begin = text.index(BEGIN) + len(BEGIN)
            end = text.index(END, begin)
            if test == 1:
                size += write_script("page.js", "page", [text[:begin], text[end:]])
            size += write_script(f"test{test}.js", f"test{test}", text[begin:end])
    print(f"{os.path.relpath(OUT)}: seven tests, {size // 1000} kB")
    if len(sys.argv) == 1:
        page_of_results.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
