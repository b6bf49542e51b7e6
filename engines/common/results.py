"""The leaderboard's results: what bench/results/leaderboard.{json,csv} hold, how they are collected and taken up again.

A result is one test with one preset of an engine, {hash, date, machine, wall_s, engine, problem, floor, noted, runs, series}, in
build/leaderboard/NAME/PRESET_TEST.json. In bench/results a row is an engine with a preset; of runs it has what is not empty, and
of a machine its place in "machines"; "missing" says why a test has no result. "tests" has 4 to 6 with the bunny whose base is flat,
"raw" (PRESET_raw4.json and so on) with the mesh as it is; "missing" calls the latter "4 raw". Results of before machines were recorded
keep their errors and have no cost.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import subprocess
from typing import Any

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDER = os.path.join(ROOT, "bench", "results")
FIRST, EXTENDED, JOINTED = range(1, 8), range(8, 28), range(28, 38)
RAW = range(4, 7)  # tests that are run with the raw mesh too
SCHEMA = "pbdr-leaderboard/3"  # 2 and older had the raw mesh alone
RUN_KEYS = ("seed", "position_m", "rotation_deg", "mean_position_m", "tilt_deg", "dynamic_position_m", "cpu_us", "setup_s", "flags", "failed_at_s",
            "problem", "answer", "figure", "energy_J")
NOT_RECORDED = "not recorded"  # the machine of older results
TEST_KEYS = ("date", "machine", "wall_s", "floor", "problem", "runs", "series")


def get_path(device: str, ending: str) -> str:
    return os.path.join(FOLDER, f"leaderboard{'' if device == 'cpu' else '_' + device}.{ending}")


def load(device: str = "cpu") -> list[dict[str, Any]]:
    """The rows, each run with all its keys; none where there is no file."""
    path = get_path(device, "json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    rows: list[dict[str, Any]] = content["rows"]
    for row in rows:
        row["solver"] = "pbd-r" if row["solver"] == "pbdr" else row["solver"]  # as it was called before
        row.setdefault("missing", {})
        if content["schema"] != SCHEMA:  # of when every peer had the raw mesh, and our own solver another than they
            old = {str(test): row["tests"].pop(str(test)) for test in RAW if str(test) in row["tests"]}
            row["raw"] = old if row["engine"] != "pbdr" else {}
        row.setdefault("raw", {})
        for result in list_results(row):
            result["machine"] = None if result.get("machine") is None else content["machines"][result["machine"]]
            result["runs"] = [{key: run.get(key, [] if key == "flags" else None) for key in RUN_KEYS} for run in result["runs"]]
            if result["machine"] is None and device == "cpu":
                drop_costs(result)
    return rows


def list_results(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [*row["tests"].values(), *row["raw"].values()]


def drop_costs(result: dict[str, Any]) -> None:
    """Times of a machine that nobody knows say nothing."""
    for run in result["runs"]:
        run.update({"cpu_us": None, "setup_s": None})


def get_device(device: str) -> str | None:
    """The name of the GPU that the results are of."""
    content = read_json(get_path(device, "json"))
    return content.get("device") if content else None


def pick_column(test: int) -> int:
    """Of a series: distance moved (beside the closed form), in tests 2 and 5 the error of rotation, in Test 7 that of position."""
    return 3 if test in (2, 5) else 2 if test == 7 else 1


def shorten_series(series: list[list[float | None]], test: int) -> list[list[float | None]]:
    return [[point[0], point[pick_column(test)]] if len(point) == 4 else point for point in series]


# --- Taking up what was done ---

def restore(name: str, out: str, device: str) -> None:
    """Writes the results of an engine that bench/results has and the folder has not, with the state that they are of."""
    for row in load(device):
        if row["folder"] != name or row.get("hash") is None:
            continue
        share = row.get("wall_s", 0) / max(1, len(list_results(row)))
        add_state(os.path.join(out, name), row["hash"].split(":")[0], row["packages"], row.get("files"))
        write_missing(os.path.join(out, name, f"{row['preset']}_check.json"), {"hash": row["hash"], "rows": row["checks"]} if row.get("checks") else None)
        for test, result in row["tests"].items():
            write_missing(os.path.join(out, name, f"{row['preset']}_{test}.json"),
                          {"hash": row["hash"] + (f":{row['joints_hash']}" if row.get("joints_hash") and int(test) >= JOINTED[0] else ""), "date": row.get("date"), "wall_s": share, "engine": row.get("version"), "noted": row.get("noted", {}),
                           **({"carried": row["carried"]} if row.get("carried") else {}), **result})
        for test, result in row["raw"].items():
            write_missing(os.path.join(out, name, f"{row['preset']}_raw{test}.json"),
                          {"hash": row["hash"], "date": row.get("date"), "wall_s": share, "engine": row.get("version"), "noted": row.get("noted", {}), **result})


def add_state(folder: str, state: str, packages: str, files: dict[str, str] | None) -> None:
    """Keeps what a state's hash is of, to tell later what has changed since."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "states.json")
    known = read_json(path) or {}
    if files and state not in known:
        write_json(path, {**known, state: {"packages": packages, "files": files}})


def write_missing(path: str, content: dict[str, Any] | None) -> None:
    if content is not None and not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_json(path, content)


def write_json(path: str, content: dict[str, Any]) -> None:
    """All or nothing, for others may read it meanwhile."""
    with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.replace(file.name, path)


# --- Collecting ---

def describe_machine() -> str:
    """The processor's model, and how many cores this process may use."""
    model = platform.machine() or "unknown processor"
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            told = dict(line.split(":", 1) for line in file if ":" in line)
        model = next((value.strip() for key, value in told.items() if key.strip() == "model name"), model)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{model}, {cores} core{'' if cores == 1 else 's'}"


def find_gpu(device: str) -> str | None:
    """The name of the GPU."""
    if device == "cpu":
        return None
    try:
        told = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    return told.strip().splitlines()[0] if told.strip() else None


def read_json(path: str) -> dict[str, Any] | None:
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        content: dict[str, Any] = json.load(file)
    return content


def find_states(name: str, preset: str, options: str, out: str) -> list[str]:
    """States that results of a preset with these options are of, those with the most tests first."""
    found: dict[str, int] = {}
    for test in FIRST:
        result = read_json(os.path.join(out, name, f"{preset}_{test}.json"))
        state, own = (result["hash"].split(":") + [""])[:2] if result else ("", "")
        if result and own == options:
            found[state] = found.get(state, 0) + 1
    return sorted(found, key=lambda state: -found[state])


def make_row(name: str, line: str, settings: dict[str, Any], preset: str, stamp: str, solver: str, reason: str | None, out: str) -> dict[str, Any]:
    import states
    state, options = stamp.split(":")
    found = find_states(name, preset, options, out)
    older = None
    if found and state not in found:  # nothing of the state that is, and no probe was made: what there is stays, and says so
        known = (read_json(os.path.join(out, name, "states.json")) or {}).get(found[0])
        older = states.tell_change(known, line, states.hash_files(name, settings))
        stamp = f"{found[0]}:{options}"
    row: dict[str, Any] = {"folder": name, "engine": settings["engine"], "preset": preset, "solver": solver, "packages": line, "setup": reason, "hash": stamp,
                           **{key: settings.get(key) for key in ("title", "licence", "home", "precision", "method", "geometry", "friction")},
                           "notes": settings.get("notes", {}), "options": {**settings["presets"]["default"], **settings["presets"][preset]}, "tests": {}, "raw": {}}
    checked = read_json(os.path.join(out, name, f"{preset}_check.json"))
    if checked and checked["hash"] == stamp:
        row["checks"] = checked["rows"]
    left_out = []
    for test in [*FIRST, *EXTENDED, *JOINTED]:
        result = read_json(os.path.join(out, name, f"{preset}_{test}.json"))
        if result is None:
            continue
        if result["hash"] != states.of_test(stamp, settings, test):
            left_out.append(test)
            continue
        row["version"], row["date"] = result["engine"] or row.get("version"), max(result.get("date") or "", row.get("date") or "")
        row.setdefault("noted", result["noted"])
        if result.get("carried"):
            row["carried"] = result["carried"]
        kept = {key: result.get(key) for key in TEST_KEYS}
        kept["runs"] = [{key: value for key, value in run.items() if value not in (None, [])} for run in result["runs"]]
        kept["series"] = shorten_series(result["series"], test)
        row["tests"][str(test)] = kept
    for test in RAW:
        result = read_json(os.path.join(out, name, f"{preset}_raw{test}.json"))
        if result and result["hash"] == stamp:
            row["version"], row["date"] = result["engine"] or row.get("version"), max(result.get("date") or "", row.get("date") or "")
            row["raw"][str(test)] = {**{key: result.get(key) for key in TEST_KEYS}, "series": [],
                                     "runs": [{key: value for key, value in run.items() if value not in (None, [])} for run in result["runs"]]}
    if settings.get("joints") is not None:
        row["joints"], row["joints_hash"] = settings["joints"], states.of_test(stamp, settings, JOINTED[0]).split(":")[-1]
    if older:
        row["older"] = older
        print(f"{name}: {preset}: results are of the state {stamp} of the adapter; since then: {older} (make leaderboard ENGINES={name})")
    if left_out:
        print(f"{name}: {preset}: results of tests {', '.join(map(str, left_out))} are of another state of the adapter, and left out (make leaderboard ENGINES={name})")
    row["wall_s"] = round(sum(result["wall_s"] or 0 for result in list_results(row)), 1)
    return row


def collect(out: str, device: str) -> None:
    """bench/results/leaderboard.{json,csv} (leaderboard_gpu for a GPU) out of what was run here, and what they had of the same state."""
    import leaderboard
    import missing
    rows = []
    for name, line in leaderboard.read_versions().items():
        settings = leaderboard.read_settings(name)
        if device != "cpu" and not settings.get(device):
            continue
        failed = os.path.join(ROOT, "build", "engines", settings.get("environment", name), "failed")
        reason = open(failed, encoding="utf-8").read().strip() if os.path.exists(failed) else None
        stamps = {preset: leaderboard.hash_run(name, settings, preset) for preset in settings["presets"]}
        restore(name, out, device)
        files = leaderboard.states.hash_files(name, settings)
        found = os.path.join(ROOT, "build", "engines", settings.get("environment", name), "packages")
        if os.path.exists(found):  # set up by other means than engines/versions, such as a machine's own JAX
            with open(found, encoding="utf-8") as file:
                line = file.read().strip() or line
        for preset, stamp in stamps.items():
            row = make_row(name, line, settings, preset, stamp, leaderboard.get_solver(settings, preset), reason, out)
            rows.append(row if row.get("older") or not files else {**row, "files": files})
            files = None if "files" in rows[-1] else files  # once for each engine
    if device == "cpu":
        missing.add_reasons(rows, {name: leaderboard.read_settings(name) for name in leaderboard.read_versions()})
    os.makedirs(FOLDER, exist_ok=True)
    write_table(rows, get_path(device, "csv"))
    machines = sorted({result["machine"] for row in rows for result in list_results(row) if result["machine"]})
    for result in (result for row in rows for result in list_results(row)):
        place = result.pop("machine")
        result.update({} if place is None else {"machine": machines.index(place)})
    with open(get_path(device, "json"), "w", encoding="utf-8") as file:
        file.write(json.dumps({"schema": SCHEMA, "device": find_gpu(device), "machines": machines})[:-1] + ', "rows": [\n')
        file.write(",\n".join(json.dumps(row, separators=(",", ":")) for row in rows))
        file.write("\n]}\n")
    print(f"{len(rows)} rows, {len({row['engine'] for row in rows if row['tests']})} engines with results, "
          f"{sum(row['wall_s'] for row in rows) / 60:.0f} minutes of runs by the clock")


def write_table(rows: list[dict[str, Any]], path: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["engine", "preset", "version", "date", "hash", "precision", "geometry", "test", "seed", "position_m", "rotation_deg", "dynamic_position_m",
                         "tilt_deg", "floor_position_m", "floor_rotation_deg", "cpu_us", "answer", "flags", "failed_at_s", "problem", "machine"])
        for row in rows:
            for test, result in [*row["tests"].items(), *((f"{test} raw", result) for test, result in row["raw"].items())]:
                shape = "mesh" if test[0] in "456" and test[1:] in ("", " raw") else "box" if test in "1237" else None
                for run in result["runs"] or [{"seed": "", "problem": result["problem"]}]:
                    writer.writerow([row["engine"], row["preset"], row.get("version"), result["date"], row["hash"], row["precision"],
                                     row["geometry"].get(shape) if shape else "", test, run["seed"],
                                     *(run.get(key) for key in ("position_m", "rotation_deg", "dynamic_position_m", "tilt_deg")), *result["floor"],
                                     run.get("cpu_us"), run.get("answer"), ";".join(run.get("flags", [])), run.get("failed_at_s"), run.get("problem"),
                                     result["machine"] or NOT_RECORDED])
            for test, reason in row.get("missing", {}).items():
                writer.writerow([row["engine"], row["preset"], row.get("version"), "", row["hash"], row["precision"], "", test, *[""] * 11, reason, ""])
            if row["setup"]:
                writer.writerow([row["engine"], row["preset"], "", "", row["hash"], row["precision"], *[""] * 13, row["setup"], ""])
