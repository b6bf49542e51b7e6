"""Writes engines/NAME/requirements.lock: every package of a pip engine, those that it needs in turn too, by version and sha256.

    python3 engines/common/lock.py drake ...

scripts/engine_setup.sh installs out of it with pip's --require-hashes, so that nothing else can come. The files are those of one
platform, which the first line names; elsewhere the versions of engines/versions alone are pinned, and the set-up says so.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile

import leaderboard

ROOT = leaderboard.ROOT


def tell_platform() -> str:
    """As the lock's first line and engine_setup.sh have it: CPython 3.11, Linux x86_64."""
    return f"{platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}, {platform.system()} {platform.machine()}"


def lock(name: str) -> None:
    kind, *packages = leaderboard.read_versions()[name].split()
    if kind != "pip":
        print(f"{name}: {kind}, not pip")
        return
    home = os.path.join(ROOT, "build", "engines", name, "venv", "bin", "python")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        subprocess.run([home if os.path.exists(home) else sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run",
                        "--ignore-installed", "--report", path, *packages], check=True)
        with open(path, encoding="utf-8") as file:
            found = json.load(file)["install"]
    lines = sorted(f"{item['metadata']['name'].lower()}=={item['metadata']['version']} --hash=sha256:{item['download_info']['archive_info']['hashes']['sha256']}"
                   for item in found)
    with open(os.path.join(ROOT, "engines", name, "requirements.lock"), "w", encoding="utf-8") as file:
        file.write("\n".join([f"# {tell_platform()}: python3 engines/common/lock.py {name}", *lines, ""]))
    print(f"{name}: {len(lines)} packages")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        lock(argument)
