"""Runs the engines of engines/ on the benchmark, and collects what they did. scripts/leaderboard.sh calls it:

    python3 engines/common/leaderboard.py run drake jolt     # every preset and test that is not done yet
    python3 engines/common/leaderboard.py tune drake         # the search for the preset "tuned"; its log is kept
    python3 engines/common/leaderboard.py choose drake       # "tuned" out of that log
    python3 engines/common/leaderboard.py collect            # bench/results/leaderboard.{json,csv}

A run is one test with one preset, three seeds (tests 4 to 6 with the flat bunny, and once more with the raw mesh), in build/leaderboard/NAME; it is done anew only if adapter, settings or
versions have changed (their hash is in the result) and a probe shows that it matters (states.py), our own whenever our sources have;
what bench/results has counts as done.
build/leaderboard/NAME/study.log tells what was run, and how long it took. With PBDR_ENGINE_DEVICE=gpu all of this is done for
the engines that have a GPU, in build/leaderboard_gpu and bench/results/leaderboard_gpu.{json,csv}: a table of its own.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import itertools
import json
import math
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from typing import Any

import check
import missing
import results
import states

ROOT = os.path.abspath(os.path.join(check.HERE, "..", ".."))
DEVICE = os.environ.get("PBDR_ENGINE_DEVICE", "cpu")
OUT = os.path.join(ROOT, "build", "leaderboard" if DEVICE == "cpu" else f"leaderboard_{DEVICE}")
SEEDS = 3  # scored: 1, 2, 3
SEARCH = (("1,4,5", 101), ("2,3,6", 102))  # the search's tests, each with a start that is not scored
POINTS = 25  # of each trajectory in the results
LIMIT = 900  # [s] of processor time (on a GPU by the clock) that a start may take, set-up apart; then the cell says where it was stopped
SETUP_LIMIT = 900  # [s], for engines that compile when a scene is made
PATIENCE = 10  # by the clock over processor time, on a busy machine


def read_versions() -> dict[str, str]:
    with open(os.path.join(ROOT, "engines", "versions"), encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {parts[0]: " ".join(parts[1:]) for parts in lines}


def read_settings(name: str) -> dict[str, Any]:
    with open(os.path.join(ROOT, "engines", name, "settings.json"), encoding="utf-8") as file:
        settings: dict[str, Any] = json.load(file)
    return settings


def hash_run(name: str, settings: dict[str, Any], preset: str) -> str:
    """Of the adapter with all that it lives by, and of the settings of a preset."""
    return states.hash_state(read_versions()[name], states.hash_files(name, settings)) + ":" + states.hash_options(settings, preset)


def get_solver(settings: dict[str, Any], preset: str) -> str:
    """As on the command line of pbdr bench."""
    name = settings["engine"]
    if states.is_ours(settings):
        return str(settings["presets"][preset]["solver"])
    return name if preset == "default" else f"{name}:{preset}"


def bench(name: str, settings: dict[str, Any], preset: str, arguments: list[str], overrides: dict[str, Any] | None = None,
          limit: float = float(os.environ.get("PBDR_ENGINE_LIMIT", LIMIT))) -> tuple[list[dict[str, Any]], str]:
    """Runs `pbdr bench` with the engine; its runs, and why there are none. Adapters in Python stop by themselves, after the limit
    without their set-up; others are ended, by the clock."""
    timeout = PATIENCE * limit + SETUP_LIMIT if os.path.exists(os.path.join(ROOT, "engines", name, "adapter.py")) else limit
    path = os.path.join(OUT, name, f"now{os.getpid()}.json")
    if os.path.exists(path):
        os.remove(path)
    line = [os.path.join(ROOT, "build", "pbdr"), "bench", "--solvers", get_solver(settings, preset), "--json", path,
            "--plugin-timeout", str(timeout), "--plugin-memory", "131072", *arguments]
    if not settings.get("builtin"):
        line += ["--plugin", "pipe:exec env " + find_command(name)]
    environment = {**os.environ, "PBDR_ENGINE_LIMIT": str(limit), "PBDR_ENGINE_SETTINGS": json.dumps(overrides or {}), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(line, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    with open(os.path.join(OUT, name, "stderr.log"), "a", encoding="utf-8") as file:
        file.write(f"$ {' '.join(line)}\n{done.stderr[-4000:]}\n")
    if not os.path.exists(path):
        told = [text for text in done.stderr.strip().splitlines() if text.startswith("pbdr bench:")]
        return [], (told or done.stderr.strip().splitlines() or ["it said nothing"])[-1]
    with open(path, encoding="utf-8") as file:
        runs: list[dict[str, Any]] = json.load(file)["runs"]
    os.remove(path)
    return runs, ""


keepers: dict[str, tuple[subprocess.Popen[bytes], str]] = {}  # of engines whose libraries stay loaded, and their sockets


def find_command(name: str) -> str:
    """How an adapter is started; settings.json's "keep" has it run by forks of a process that has its libraries (keeper.py)."""
    folder = os.path.join(ROOT, "engines", name)
    command = check.find_command(folder)
    if not read_settings(name).get("keep") or DEVICE == "gpu":  # a GPU's context does not outlive a fork
        return command
    if name not in keepers:
        path = os.path.join(tempfile.mkdtemp(), "socket")
        python = shlex.split(command)[0]
        process = subprocess.Popen([python, os.path.join(check.HERE, "keeper.py"), path, os.path.join(folder, "adapter.py")],
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(path) and process.poll() is None:
            time.sleep(0.05)
        if process.poll() is not None:
            return command  # it says by itself what is wrong
        keepers[name] = process, path
    return shlex.join([sys.executable, os.path.join(check.HERE, "keeper.py"), "--to", keepers[name][1]])


def log(name: str, text: str) -> None:
    line = f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M:%S} {text}"
    print(f"{name}: {text}", flush=True)
    with open(os.path.join(OUT, name, "study.log"), "a", encoding="utf-8") as file:
        file.write(line + "\n")


# --- What is kept of a run ---

def shorten(value: Any, digits: int = 5) -> float | None:
    value = value.get("final") if isinstance(value, dict) else value
    return None if value is None or not math.isfinite(value) else float(f"{value:.{digits}g}")


def read_series(folder: str, solver: str, test: int) -> list[list[float | None]]:
    """Time, distance along the push (or angle), position and rotation error of seed 1, thinned out."""
    files = [f for f in os.listdir(folder) if f.startswith(f"test{test}_") and f.endswith("_seed1.csv")] if os.path.isdir(folder) else []
    if not files:
        return []
    with open(os.path.join(folder, files[0]), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file)]
    first = rows[0]["body"]
    rows = [row for row in rows if row["body"] == first]
    kept = rows[:: max(1, (len(rows) - 1) // (POINTS - 1))]
    x0, y0, z0 = (float(rows[0][key]) for key in ("px", "py", "pz"))
    series = []
    for row in kept:
        moved = math.dist((float(row["px"]), float(row["py"]), float(row["pz"])), (x0, y0, z0))
        series.append([shorten(float(row["t"]), 4), shorten(moved, 4), shorten(float(row["position_error_m"] or "nan"), 3),
                       shorten(float(row["rotation_error_deg"] or "nan"), 3)])
    return series


def tell_problem(text: str | None) -> str | None:
    """A time limit in the same words, whoever kept it: "stopped after 300 s at ..."."""
    late = re.match(r"took longer than (\S+) s \(--plugin-timeout\)(?:, at (.*))?$", text or "")
    if late:
        return f"stopped after {late.group(1)} s at {late.group(2) or 'the beginning of the run'}"
    return (text or "").removeprefix("TimeoutError: ") or None


def keep(run: dict[str, Any]) -> dict[str, Any]:
    dynamic = (run.get("references") or {}).get("dynamic_tilt_uniform", {}).get("final", {})
    figure = run.get("figure") or {}
    return {"seed": run["seed"], "position_m": shorten(run.get("final_position_error_m")), "rotation_deg": shorten(run.get("final_rotation_error_deg")),
            "mean_position_m": shorten(run.get("mean_position_error_m"), 4), "tilt_deg": shorten(run.get("max_tilt_deg"), 4),
            "dynamic_position_m": shorten(dynamic.get("position_m")), "cpu_us": shorten(run.get("cpu_us_per_substep"), 4), "flags": run.get("flags", []),
            "setup_s": shorten(float((run.get("params") or {}).get("setup_s", "nan")), 3),
            "failed_at_s": run.get("failed_at_s"), "problem": tell_problem(run.get("problem")), "answer": run.get("answer"),
            "figure": None if not figure else [figure.get("name"), figure.get("unit"), shorten(figure.get("measured")), shorten(figure.get("exact"))],
            "energy_J": shorten(run.get("energy_error_J"), 4)}


def is_done(result: dict[str, Any], seeds: int, limit: float = float(os.environ.get("PBDR_ENGINE_LIMIT", LIMIT))) -> bool:
    """All starts ran, or cannot; one that was stopped early gets the time that there is now."""
    stops = [re.match(r"stopped after (\S+) s", run.get("problem") or "") for run in result["runs"]]
    if any(stop and float(stop.group(1)) < 0.99 * limit for stop in stops):
        return False
    return len(result["runs"]) >= seeds or bool(result["problem"])


def run_test(name: str, settings: dict[str, Any], preset: str, test: int, seeds: int, since: str = "", raw: bool = False) -> None:
    """One test, with the raw mesh if `raw`; nothing where it is done, by a run of `since` or later."""
    folder, what = os.path.join(OUT, name), f"raw{test}" if raw else str(test)
    path = os.path.join(folder, f"{preset}_{what}.json")
    stamp = states.of_test(hash_run(name, settings, preset), settings, test)
    for other in [preset, *settings["presets"]]:  # presets may have come out the same
        known = results.read_json(os.path.join(folder, f"{other}_{what}.json"))
        if known and known["hash"] == stamp and is_done(known, seeds) and known.get("begun", "") >= since:
            if other != preset:
                results.write_json(path, {**known, "wall_s": 0})
            return
    trajectories = os.path.join(folder, f"paths_{preset}_{what}")
    os.makedirs(trajectories, exist_ok=True)
    begun = time.time()
    runs, problem = bench(name, settings, preset, ["--tests", str(test), "--seeds", str(seeds), "--trajectory", trajectories, *(["--base", "raw"] if raw else [])])
    solver = get_solver(settings, preset)
    # a row per test of the floor and the settings, a part per seed of the errors
    first = runs[0] if runs else {}
    result = {"hash": stamp, "date": f"{datetime.date.today()}", "begun": tell_time(begun), "machine": results.describe_machine(), "wall_s": round(time.time() - begun, 1),
              "engine": tell_own_version() if states.is_ours(settings) else first.get("engine"), "problem": problem,
              "floor": [shorten(first.get("floor_position_m")), shorten(first.get("floor_rotation_deg"))],
              "noted": {key: value for key, value in first.get("params", {}).items()
                        if key not in PHYSICAL} if runs else {},
              "runs": [keep(run) for run in runs], "series": read_series(trajectories, solver, test) if test < 8 and not raw else []}
    results.write_json(path, result)
    shutil.rmtree(trajectories)
    errors = ", ".join(str(run["problem"] or run["failed_at_s"] or run["position_m"]) for run in result["runs"]) or problem
    log(name, f"{preset} test {test}{' raw' if raw else ''}: {errors} ({time.time() - begun:.0f} s)")


def tell_time(seconds: float) -> str:
    """2026-11-19T23:05, UTC."""
    return f"{datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc):%Y-%m-%dT%H:%M}"


PHYSICAL = {"gravity_mps2", "mass_kg", "mu", "force_N", "torque_Nm", "slope_rad", "side_m", "shape", "mesh", "n", "layers", "packing",
            "contact", "base_flattened_m", "masses", "sphere_radius_m", "dt_s", "duration_s", "iterations", "relaxation", "ablate",
            "turn_rad", "shift_m", "offset_m", "push_height_m", "rod_radius_m", "mu_rod", "reference", "setup_s"}


def tell_own_version() -> str:
    """As --version tells it, "pbdr 0.2.0"."""
    return subprocess.run([os.path.join(ROOT, "build", "pbdr"), "--version"], capture_output=True, text=True, check=True).stdout.strip()


def run_engine(name: str, tests: list[int], seeds: int, presets: list[str] | None, since: str = "") -> None:
    os.makedirs(os.path.join(OUT, name), exist_ok=True)
    settings = read_settings(name)
    failed = os.path.join(ROOT, "build", "engines", settings.get("environment", name), "failed")
    if os.path.exists(failed):
        with open(failed, encoding="utf-8") as file:
            log(name, file.read().strip())
        return
    if not settings.get("builtin") and not os.path.exists(os.path.join(os.path.dirname(failed), "ok")):
        log(name, f"not set up (scripts/engine_setup.sh {name})")
        return
    if DEVICE == "gpu" and not settings.get("gpu"):
        print(f"{name}: runs on the CPU alone")
        return
    chosen = [preset for preset in settings["presets"] if not presets or preset in presets]
    take_up(name, settings, chosen)
    for preset in chosen if os.environ.get("PBDR_BOARD_CHECKS", "1") == "1" else []:
        run_check(name, settings, preset)
    able = [test for test in tests if missing.ties_bodies(settings) or test not in results.JOINTED]
    if able != tests:
        log(name, f"tests {results.JOINTED[0]} to {results.JOINTED[-1]}: {missing.tell_jointless(name)}")
    for test, preset in itertools.product(able, chosen):
        run_test(name, settings, preset, test, seeds, since)
        if test in results.RAW and preset not in settings.get("spheres", []):
            run_test(name, settings, preset, test, seeds, since, raw=True)


def take_up(name: str, settings: dict[str, Any], presets: list[str]) -> None:
    """What is done: results on record, carried over from another state where a probe shows that it makes no difference."""
    line, files = read_versions()[name], states.hash_files(name, settings)
    results.restore(name, OUT, DEVICE)
    results.add_state(os.path.join(OUT, name), states.hash_state(line, files), line, files)
    for preset in presets if not states.is_ours(settings) else []:
        def probe(test: int, preset: str = preset) -> dict[str, Any]:
            runs, problem = bench(name, settings, preset, ["--tests", str(test), "--seeds", "1"])
            return keep(runs[0]) if runs else {"problem": problem}
        states.carry(name, preset, hash_run(name, settings, preset), files, line, OUT, probe, lambda text: log(name, text))


def run_check(name: str, settings: dict[str, Any], preset: str) -> None:
    """The checks of check.py, once for each state of the adapter; their result is in the table."""
    path = os.path.join(OUT, name, f"{preset}_check.json")
    stamp = hash_run(name, settings, preset)
    for other in [preset, *settings["presets"]]:
        known = results.read_json(os.path.join(OUT, name, f"{other}_check.json"))
        if known and known["hash"] == stamp:
            results.write_json(path, known)
            return
    if settings.get("builtin"):
        rows = check_builtin(name, settings, preset)
    else:
        command = find_command(name)
        rows = check.run_checks(command, "" if preset == "default" else preset, settings)
    results.write_json(path, {"hash": stamp, "rows": rows})
    for what, passed, text in rows:
        log(name, f"{preset} check {'ok' if passed else 'FAILED'}: {what}: {text}")


def check_builtin(name: str, settings: dict[str, Any], preset: str, overrides: dict[str, Any] | None = None) -> list[tuple[str, bool, str]]:
    """The same laws for adapters in C, which no pipe reaches: parts of tests 15 (free fall, before the ball lands), 1 (with no
    push) and 2."""
    rows = []
    for what, test, duration, key, exact in (("fall", 15, 0.4, "final_position_error_m", 9.81 * 0.4**2 / 2),
                                             ("rest", 1, 1.0, "final_position_error_m", 0.2),
                                             ("torque", 2, 2.0, "final_rotation_error_deg", math.degrees(0.01 / check.INERTIA * 2.0))):
        runs, problem = bench(name, settings, preset, ["--tests", str(test), "--seeds", "1", "--duration", str(duration),
                                                          *(["--force", "0"] if what == "rest" else [])], overrides)
        problem = problem or (runs[0].get("problem") or "")
        if problem:
            rows.append((what, problem.startswith("not supported"), problem))
            continue
        error = runs[0][key]
        # half a step of the speed at the end, and half a percent of the way
        speed = {"fall": 9.81 * 0.4, "rest": 0.0, "torque": math.degrees(0.01 / check.INERTIA * 2.0)}[what]
        bound = 1.01 * speed * check.DT / 2 + 5e-3 * exact * (what != "fall")
        rows.append((what, error is not None and error <= bound + 1e-9, f"Test {test} to {duration} s: {error:.2e} off (<= {bound:.2e} {'deg' if key.endswith('deg') else 'm'})"))
    return rows


# --- The search for "tuned" ---

def tune(name: str, tries: int, seconds: float) -> None:
    """Settings out of "search" of settings.json, judged on tests 1 to 6, 4 s each: tests 1, 4, 5 with seed 101, tests 2, 3, 6 with
    seed 102. The log is search.csv.

    The score is the worst of the six runs' errors over the floor (of rotation in tests 2 and 5); a run that failed counts as 1000,
    and so does whatever is worse. The smallest wins, then the smaller geometric mean (both to three digits), then the cheaper step,
    if it passes the checks. Where a grid has more than `tries` points, that many are drawn with a fixed seed, the default always
    among them; no point is begun after `seconds`. Points that the log has are not tried again (remove it where the engine has
    changed).
    """
    os.makedirs(os.path.join(OUT, name), exist_ok=True)
    settings = read_settings(name)
    keys = list(settings.get("search", {}))
    if not keys:
        print(f"{name}: settings.json names nothing to search")
        return
    if os.path.exists(os.path.join(ROOT, "build", "engines", settings.get("environment", name), "failed")):
        print(f"{name}: not set up")
        return
    grid = [dict(zip(keys, values)) for values in itertools.product(*settings["search"].values())]
    random.Random(1).shuffle(grid)
    base = {key: settings["presets"]["default"][key] for key in keys}
    tried = [base, *[point for point in grid if point != base]][:tries]
    path, rows, begun = os.path.join(ROOT, "engines", name, "search.csv"), [], time.time()
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            rows = [list(row.values()) for row in csv.DictReader(file) if set(keys) <= set(row)]
    known = [row[3:3 + len(keys)] for row in rows]
    for point in tried:
        if [json.dumps(point[key]) for key in keys] in known:
            continue
        if time.time() - begun > seconds:
            break
        runs, problem = [], ""
        for tests, seed in SEARCH:
            more, why = bench(name, settings, "default", ["--tests", tests, "--first-seed", str(seed), "--seeds", "1", "--duration", "4"],
                              {**settings.get("search_base", {}), **point}, 600)
            runs, problem = runs + more, problem or why
        errors = [find_excess(run) for run in runs]
        score = max(errors) if len(errors) == 6 else math.inf
        mean = math.exp(sum(math.log(e) for e in errors) / len(errors)) if len(errors) == 6 else math.inf
        cost = sum(run.get("cpu_us_per_substep") or 0 for run in runs) / max(len(runs), 1)
        rows.append([f"{score:.5g}", f"{mean:.5g}", f"{cost:.4g}", *(json.dumps(point[key]) for key in keys), problem])
        log(name, f"search: {score:.4g} x floor, {cost:.3g} us: {json.dumps(point)} {problem}")
    rows.sort(key=lambda row: (float(f"{float(row[0]):.3g}"), float(f"{float(row[1]):.3g}"), float(row[2])))
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["worst_over_floor", "mean_over_floor", "cpu_us", *keys, "problem"])
        writer.writerows(rows)
    choose(name)


def find_excess(run: dict[str, Any]) -> float:
    """A run's error at the end over the floor: of rotation in tests 2 and 5; at most 1000, and that where it has none."""
    kind, unit = ("rotation", "deg") if run["test"] in (2, 5) else ("position", "m")
    error, floor = run.get(f"final_{kind}_error_{unit}"), run.get(f"floor_{kind}_{unit}")
    return 1e3 if error is None or not floor else min(1e3, max(error, 1e-12) / floor)


def choose(name: str) -> None:
    """The preset "tuned" out of search.csv: the first of its rows that passes the checks of check.py."""
    settings = read_settings(name)
    keys, base = list(settings["search"]), settings.get("search_base", {})
    with open(os.path.join(ROOT, "engines", name, "search.csv"), encoding="utf-8") as file:
        points = [{key: json.loads(row[key]) for key in keys} for row in csv.DictReader(file) if row["worst_over_floor"] != "inf"]
    for point in points:
        overrides = {**base, **point}
        os.environ["PBDR_ENGINE_SETTINGS"] = json.dumps(overrides)
        checks = check_builtin(name, settings, "default", overrides) if settings.get("builtin") else check.run_checks(find_command(name), "", settings)
        failed = [row for row in checks if not row[1]]
        if not failed:
            break
        log(name, f"search: passed over, for it fails the check {failed[0][0]} ({failed[0][2]}): {json.dumps(point)}")
    else:
        point = {key: settings["presets"]["default"][key] for key in keys}
    os.environ.pop("PBDR_ENGINE_SETTINGS", None)
    settings["presets"]["tuned"] = {**base, **point}
    with open(os.path.join(ROOT, "engines", name, "settings.json"), "w", encoding="utf-8") as file:
        json.dump(settings, file, indent=2)
        file.write("\n")
    if settings.get("table"):
        write_table(settings)
    log(name, f"search: tuned is {json.dumps(point)}")


def write_text(value: Any) -> str:
    """As bench/solvers/peer_settings.h has a value."""
    return value if isinstance(value, str) else json.dumps(value)


def write_table(settings: dict[str, Any]) -> None:
    """Puts the preset "tuned" into the table of our adapter in C, for those who build no environment."""
    path = os.path.join(ROOT, settings["table"])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for key, value in {**settings["presets"]["default"], **settings["presets"]["tuned"]}.items():
        text = re.sub(rf'(\{{"{key}", "[^"]*", )"[^"]*"', lambda found, value=value: f'{found.group(1)}"{write_text(value)}"', text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=["run", "tune", "choose", "collect"])
    parser.add_argument("engines", nargs="*")
    parser.add_argument("--tests", default="1-7")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--presets")
    parser.add_argument("--since", default="", metavar="TIME", help="results from before this time, such as 2026-11-19T23:05 (UTC), are done anew")
    parser.add_argument("--tries", type=int, default=36)
    parser.add_argument("--seconds", type=float, default=600)
    arguments = parser.parse_args()
    names = arguments.engines or list(read_versions())
    tests = [k for part in arguments.tests.split(",") for k in range(int(part.split("-")[0]), int(part.split("-")[-1]) + 1)]
    for name in names if arguments.what != "collect" else []:
        if arguments.what == "run":
            run_engine(name, tests, arguments.seeds, arguments.presets.split(",") if arguments.presets else None, arguments.since)
        elif arguments.what == "choose":
            choose(name)
        else:
            tune(name, arguments.tries, arguments.seconds)
    if arguments.what == "collect":
        results.collect(OUT, DEVICE)


if __name__ == "__main__":
    main()
