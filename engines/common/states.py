"""Which state of an adapter a result is of: the hash of every file that the adapter lives by, and what a change of one means.

The files are those of engines/NAME (settings of presets apart: they are hashed with the preset), and the files of engines/common that
these name, directly or through each other; comments and empty lines do not count. Our own solvers are the tree: theirs are all sources
of src/, include/ and bench/, as one. When one of them changes, the results are of another state. Those of ours are done anew then. For others a probe decides: a few tests that are on record are run again with their first start. Do they
have the same digits, the results are carried over to the new state, and log and row say so; else they are done anew.
"""

from __future__ import annotations

import datetime
import glob
import hashlib
import json
import os
import re
from collections.abc import Callable
from typing import Any

import results

ROOT = results.ROOT
COMMON = os.path.join("engines", "common")
LEFT_OUT = ("settings.json", "search.csv", "LICENCE.md", "same_scene.py", "requirements.lock", "package.json", "package-lock.json")  # the locks: see versions
PROBES = (1, 4, 7)  # a box, a mesh, two bodies; others of the seven where one of these has no numbers
TREE, SOURCES = ("src", "include", "bench"), (".c", ".h", ".cpp", ".cu")  # what our own solvers are made of
SLOW_SETUP = 5.0  # [s]: of engines that compile for longer at each start, one test has to do
MEASURED = ("position_m", "rotation_deg", "tilt_deg", "dynamic_position_m", "failed_at_s")


# --- Files and hashes ---

def read(path: str) -> bytes:
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def strip(path: str) -> bytes:
    """A source without lines that are comments, and without empty ones."""
    marks = {".py": "#", ".toml": "#", ".txt": "#", ".lock": "#"}
    mark = marks.get(os.path.splitext(path)[1], "//")
    lines = read(path).decode("utf-8").splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip() and not line.lstrip().startswith(mark)).encode()


def find_shared(text: str) -> set[str]:
    """The files of engines/common that a source names: pipe.hpp, pipe.mjs and the like in full, Python's modules by their import."""
    found = set()
    for file in os.listdir(os.path.join(ROOT, COMMON)):
        stem, ending = os.path.splitext(file)
        named = rf"^\s*(?:from|import) {re.escape(stem)}\b" if ending == ".py" else rf"[\"/<]{re.escape(file)}[\">]"
        if re.search(named, text, re.M):
            found.add(os.path.join(COMMON, file))
    return found


def list_files(name: str, settings: dict[str, Any]) -> list[str]:
    """From the root of the source tree, sorted."""
    folder = os.path.join("engines", name)
    own = [os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, folder, "**"), recursive=True) if os.path.isfile(path)]
    files = {path for path in own if os.path.basename(path) not in LEFT_OUT and not path.endswith(".pyc")}
    if os.path.join(folder, "adapter.py") in files:
        files.add(os.path.join(COMMON, "serve.py"))
        if settings.get("keep"):
            files.add(os.path.join(COMMON, "keeper.py"))
    files |= set(settings.get("sources", []))  # of an adapter that is compiled in
    while True:
        more = set().union(*(find_shared(read(path).decode("utf-8")) for path in files if not path.endswith(".lock"))) - files
        if not more:
            return sorted(files)
        files |= more


def hash_files(name: str, settings: dict[str, Any]) -> dict[str, str]:
    if is_ours(settings):
        paths = sorted(os.path.relpath(path, ROOT) for folder in TREE for path in glob.glob(os.path.join(ROOT, folder, "**", "*.*"), recursive=True)
                       if path.endswith(SOURCES))
        digest = hashlib.sha256(b"\0".join(path.encode() + b"\0" + strip(path) for path in paths))
        return {", ".join(f"{folder}/" for folder in TREE): digest.hexdigest()[:12]}
    return {path: hashlib.sha256(strip(path)).hexdigest()[:12] for path in list_files(name, settings)}


def is_ours(settings: dict[str, Any]) -> bool:
    """Whether the engine is the tree itself."""
    return bool(settings["engine"] == "pbdr")


def hash_state(line: str, files: dict[str, str]) -> str:
    """Of the engine's line in engines/versions, and of the files."""
    return hashlib.sha256("\n".join([line, *(f"{path} {digest}" for path, digest in sorted(files.items()))]).encode()).hexdigest()[:16]


def hash_options(settings: dict[str, Any], preset: str) -> str:
    options = {**settings["presets"]["default"], **settings["presets"][preset]}
    return hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()[:8]


# --- What has changed ---

def tell_change(known: dict[str, Any] | None, line: str, files: dict[str, str]) -> str:
    """Between a state on record, {"packages", "files"}, and the one that is."""
    if not known or not known.get("files"):
        return "the files of that state are not on record"
    before = known["files"]
    told = [f"{path} changed" for path in sorted(set(before) & set(files)) if before[path] != files[path]]
    told += [f"{path} is new" for path in sorted(set(files) - set(before))] + [f"{path} is gone" for path in sorted(set(before) - set(files))]
    if known.get("packages") != line:
        told.append(f"{known.get('packages')} is now {line}")
    return ", ".join(told) or "nothing"


def same_run(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two runs of a start have the same digits, or the same reason for none."""
    return all(one.get(key) == other.get(key) for key in MEASURED) and (one.get("problem") or "") == (other.get("problem") or "")


def pick_probes(stored: dict[int, dict[str, Any]]) -> list[int]:
    """Tests on record whose first start has numbers: three of the seven at most, one where set-up takes long."""
    good = [test for test, result in stored.items() if test in results.FIRST and result["runs"] and result["runs"][0].get("seed") == 1
            and not result["runs"][0].get("problem") and result["runs"][0].get("position_m") is not None]
    slow = any((stored[test]["runs"][0].get("setup_s") or 0) > SLOW_SETUP for test in good)
    return sorted(sorted(good, key=lambda test: (test not in PROBES, test))[:1 if slow else 3])


def of_test(stamp: str, settings: dict[str, Any], test: int) -> str:
    """The hash of a test's result: tests 28 and up have settings of their own besides."""
    joints = settings.get("joints")
    return stamp if test < results.JOINTED[0] or joints is None else f"{stamp}:{hashlib.sha256(json.dumps(joints, sort_keys=True).encode()).hexdigest()[:8]}"


def carry(name: str, preset: str, stamp: str, files: dict[str, str], line: str, out: str, probe: Callable[[int], dict[str, Any]],
          log: Callable[[str], None]) -> None:
    """Takes the results of a preset in `out` that are of another state over to this one, if a probe of each such state agrees.
    probe(test) runs one with its first start and returns what is kept of it."""
    options = stamp.split(":")[1]
    stored: dict[str, dict[int, dict[str, Any]]] = {}  # by state
    for path in glob.glob(os.path.join(out, name, f"{preset}_[0-9]*.json")):
        result = results.read_json(path)
        state, own = (result["hash"].split(":") + [""])[:2] if result else ("", "")
        if result and state != stamp.split(":")[0] and own == options:
            test = int(os.path.basename(path)[len(preset) + 1:-5])
            stored.setdefault(f"{state}:{own}", {})[test] = result
    states = results.read_json(os.path.join(out, name, "states.json")) or {}
    probed: dict[int, dict[str, Any]] = {}
    for old, tests in stored.items():
        what = tell_change(states.get(old.split(":")[0]), line, files)
        probes = pick_probes(tests)
        if not probes:
            log(f"{preset}: state {old} has no numbers to compare ({what}): to be done anew")
            continue
        different = []
        for test in probes:
            if test not in probed:
                probed[test] = probe(test)
            now, then = probed[test], tests[test]["runs"][0]
            if not same_run(now, then):
                different.append(f"Test {test} had {then.get('position_m')} m and {then.get('rotation_deg')} deg, now {now.get('problem') or now.get('position_m')} m "
                                 f"and {now.get('rotation_deg')} deg")
        if different:
            log(f"{preset}: state {old} is another one ({what}): {'; '.join(different)}: to be done anew")
            continue
        told = f"tests {', '.join(map(str, probes))}, start 1, gave the same digits"
        log(f"{preset}: {len(tests)} results of state {old} carried over to {stamp} ({what}): {told}")
        note = {"from": old, "what": what, "probe": told, "date": f"{datetime.date.today()}"}
        for test, result in tests.items():
            results.write_json(os.path.join(out, name, f"{preset}_{test}.json"), {**result, "hash": result["hash"].replace(old, stamp), "carried": note})
        for path in glob.glob(os.path.join(out, name, f"{preset}_raw[0-9].json")):
            known = results.read_json(path)
            if known and known["hash"] == old:
                results.write_json(path, {**known, "hash": stamp, "carried": note})
        checked = os.path.join(out, name, f"{preset}_check.json")
        known = results.read_json(checked)
        if known and known["hash"] == old:
            results.write_json(checked, {**known, "hash": stamp})
