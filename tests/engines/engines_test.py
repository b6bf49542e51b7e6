"""The leaderboard's own tests: python3 tests/engines/engines_test.py SOURCE BINARY [PART-OF-NAME]

Standard library alone. Adapters of engines that are set up (build/engines/NAME/ok) are checked, the others skipped aloud.
"""

import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest.mock

SOURCE, BINARY = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
WANTED = sys.argv[3] if len(sys.argv) > 3 else ""
sys.path.insert(0, os.path.join(SOURCE, "engines", "common"))
sys.dont_write_bytecode = True

import check  # noqa: E402
import extended  # noqa: E402
import findings  # noqa: E402
import leaderboard  # noqa: E402
import missing  # noqa: E402
import page  # noqa: E402
import results  # noqa: E402
import states  # noqa: E402
import summary  # noqa: E402

counts = {"passed": 0, "failed": 0, "skipped": 0}
FAKE = {"precision": "f64", "order": 1, "rest_m": 1e-6}


def case(name, test):
    if WANTED not in name:
        return
    try:
        reason = test()
    except AssertionError as error:
        counts["failed"] += 1
        print(f"FAILED {name}: {error}")
        return
    if reason:
        counts["skipped"] += 1
        print(f"SKIPPED {name}: {reason}")
    else:
        counts["passed"] += 1


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


# --- The checks catch wrong adapters (none of them needs an engine) ---

def run_fake(mode):
    command = shlex.join([sys.executable, os.path.join(SOURCE, "tests", "engines", "fake_engine.py"), mode])
    return {name: (passed, text) for name, passed, text in check.run_checks(command, "", FAKE)}


def right_adapter_passes():
    rows = run_fake("right")
    expect(set(rows) == {"fall", "order", "rest", "weight", "torque", "inertia"}, f"checks that ran: {sorted(rows)}")
    expect(all(passed for passed, _ in rows.values()), str(rows))


def wrong_adapter_is_caught(mode, by):
    def test():
        rows = run_fake(mode)
        expect(not rows[by][0], f"{mode} passed the check {by}: {rows[by][1]}")
        print(f"caught {mode}: {by}: {rows[by][1]}")
    return test


case("checks__right_adapter_passes", right_adapter_passes)
for wrong, caught_by in (("other_body", "fall"), ("xyzw", "fall"), ("inverse", "fall"), ("degrees", "fall"), ("wrong_gravity", "fall"),
                         ("half_weight", "weight"), ("inertia_axes", "inertia")):
    case(f"checks__{wrong}_is_caught", wrong_adapter_is_caught(wrong, caught_by))


def crash_is_a_failed_check():
    rows = check.run_checks("exit 3", "", FAKE)
    expect(rows and not any(passed for _, passed, _ in rows), str(rows))


case("checks__crash_is_a_failed_check", crash_is_a_failed_check)


def time_limit_says_how_far_it_came():
    """An engine that hangs after half of its run is ended, and the cell tells: never a zero."""
    command = shlex.join([sys.executable, os.path.join(SOURCE, "tests", "engines", "fake_engine.py"), "hangs"])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "runs.json")
        subprocess.run([os.path.join(BINARY, "pbdr"), "bench", "--plugin", "pipe:exec " + command, "--plugin-timeout", "4", "--solvers", "fake",
                        "--tests", "2", "--seeds", "1", "--duration", "0.2", "--json", path], capture_output=True, text=True, check=False)
        with open(path, encoding="utf-8") as file:
            run = leaderboard.keep(json.load(file)["runs"][0])
    expect(run["problem"] == "stopped after 4 s at 50 % of the run" and run["position_m"] is None, str(run))
    expect(not leaderboard.is_done({"runs": [run], "problem": ""}, 1, 900) and leaderboard.is_done({"runs": [run], "problem": ""}, 1, 4), "it gets more time, where there is more")
    cell = summary.judge("2", {"runs": [run], "problem": "", "floor": [1e-3, 1e-1]})
    expect(cell == {"state": "stopped", "why": run["problem"]}, str(cell))


case("limits__say_how_far_a_run_came", time_limit_says_how_far_it_came)


# --- Folders ---

def every_engine_has_what_submit_check_wants():
    for name in leaderboard.read_versions():
        folder = os.path.join(SOURCE, "engines", name)
        done = subprocess.run([os.path.join(BINARY, "pbdr"), "submit-check", "--files-only", folder], capture_output=True, text=True, check=False)
        expect(done.returncode == 0, f"{name}: {done.stdout}{done.stderr}")


def submit_check_says_what_is_missing():
    with tempfile.TemporaryDirectory() as folder:
        def run():
            done = subprocess.run([os.path.join(BINARY, "pbdr"), "submit-check", "--files-only", folder], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr
        code, text = run()
        expect(code == 1 and all(part in text for part in ("adapter", "settings.json", "LICENCE.md")), text)
        open(os.path.join(folder, "adapter.py"), "w").write("# an adapter\n")
        open(os.path.join(folder, "LICENCE.md"), "w").write("MIT\n")
        open(os.path.join(folder, "settings.json"), "w").write('{"engine": "x", "presets": {"default": {"steps": 1}, "fast": {"stpes": 2}}}')
        code, text = run()
        expect(code == 1 and "tuned" in text and "stpes" in text and "precision" in text and "geometry" in text, text)
        open(os.path.join(folder, "settings.json"), "w").write('{"engine": "x",\n"precision": "double"}')
        code, text = run()
        expect(code == 1 and 'settings.json, line 2: "precision" is "double": f32 or f64' in text, text)
        open(os.path.join(folder, "settings.json"), "w").write('{"engine": ')
        code, text = run()
        expect(code == 1 and "settings.json" in text, text)
    code, text = run()
    expect(code == 2 and "No such file or directory" in text and folder in text, f"a folder that is not there: {code} {text}")


def submit_check_runs_the_adapter():
    """A folder beside engines/common: a right adapter passes, one that gives the pose of another body does not."""
    with tempfile.TemporaryDirectory() as root:
        shutil.copytree(os.path.join(SOURCE, "engines", "common"), os.path.join(root, "engines", "common"))
        folder, home = os.path.join(root, "engines", "fake"), os.path.join(root, "build", "engines", "fake")
        os.makedirs(folder)
        os.makedirs(home)
        settings = {**FAKE, "engine": "fake", "title": "Fake", "licence": "MIT", "home": "https://example.org", "method": "closed forms",
                    "geometry": {"box": "box", "mesh": "none"}, "presets": {"default": {"steps": 1}, "tuned": {}}}
        results.write_json(os.path.join(folder, "settings.json"), settings)
        for name in ("LICENCE.md", "CMakeLists.txt"):
            open(os.path.join(folder, name), "w").write("MIT\n")
        for mode, code, said in (("right", 0, "nothing is missing"), ("other_body", 1, "does not pass the checks")):
            path = os.path.join(home, "adapter")
            open(path, "w").write(f"#!/bin/sh\nexec {shlex.join([sys.executable, os.path.join(SOURCE, 'tests', 'engines', 'fake_engine.py'), mode])}\n")
            os.chmod(path, 0o755)
            done = subprocess.run([os.path.join(BINARY, "pbdr"), "submit-check", folder], capture_output=True, text=True, check=False)
            expect(done.returncode == code and said in done.stdout, f"{mode}: {done.returncode} {done.stdout}{done.stderr}")
            expect(("is not set up: scripts/engine_setup.sh fake" in done.stdout) == (code == 1), done.stdout)


case("folders__have_what_submit_check_wants", every_engine_has_what_submit_check_wants)
case("submit_check__says_what_is_missing", submit_check_says_what_is_missing)
case("submit_check__runs_the_adapter", submit_check_runs_the_adapter)


# --- Page and results ---

def page_and_results_agree():
    with open(os.path.join(SOURCE, "docs", "leaderboard", "index.html"), encoding="utf-8") as file:
        text = file.read()
    lines = summary.summarise(results.load())
    expect(page.make_extended(lines) in text, "the extended suite's rows are not those of the results")
    expect(page.make_extended(lines, extended.JOINTED) in text, "the mechanisms' rows are not those of the results")
    expect(page.make_gpu(page.summarise_gpu(results.load("gpu"))) in text, "the table of GPU runs is not that of the results")
    rows = re.findall(r"<tr data-.*?</tr>", text, re.S)
    expect(len(rows) == len(lines), f"{len(rows)} rows on the page, {len(lines)} in the results")
    for k, (row, line) in enumerate(zip(rows, lines)):
        expect(row == page.make_row(k + 1, line), f"row {k + 1} ({line['row']['engine']}) is not the one of the results")
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
    expect(data == json.loads(json.dumps([page.make_detail(line) for line in lines])), "details differ")
    expect(len(text) < 1_000_000, f"{len(text)} characters")
    expect(not re.search(r'(src|href)="https?://', text.split("</head>")[0]), "the page's head reads from elsewhere")


def links_lead_somewhere():
    """Those of the page within the repository, the homes of engines with them; and in the site, where Markdown has become HTML."""
    sys.path.insert(0, os.path.join(SOURCE, "scripts"))
    import docs_site
    here, pattern = os.path.join(SOURCE, "docs", "leaderboard"), r'(?:href=|"home":)"((?![a-z]+:)[^"#{}$]+)'
    with open(os.path.join(here, "index.html"), encoding="utf-8") as file:
        text = file.read()
    links = set(re.findall(pattern, text))
    expect({"../benchmark.md", "../../README.md", "findings.md", "maintainers.md", "leaderboard.csv", "leaderboard.json"} <= links, str(links))
    for link in links:
        expect(os.path.exists(os.path.join(here, link)), f"{link} is not there")
    site = set(re.findall(pattern, docs_site.mend_html(text, docs_site.OUT / "leaderboard" / "index.html")))
    expect(site == {"../benchmark.html", "../index.html", "findings.html", "maintainers.html", "leaderboard.csv", "leaderboard.json"}, str(site))


def csv_and_json_agree():
    rows = results.load()
    with open(os.path.join(SOURCE, "bench", "results", "leaderboard.csv"), encoding="utf-8") as file:
        cells = {(r["engine"], r["preset"], r["test"], r["seed"]): r["position_m"] for r in csv.DictReader(file) if r["test"]}
    runs = {(row["engine"], row["preset"], test, str(run["seed"])): run["position_m"] for row in rows for test, result in row["tests"].items() for run in result["runs"]}
    for key, value in runs.items():
        expect(cells.get(key, "none") == ("" if value is None else str(value)), f"{key}: {cells.get(key)} in the CSV, {value} in the JSON")
    for name in ("leaderboard.csv", "leaderboard.json"):
        with open(os.path.join(SOURCE, "bench", "results", name), "rb") as first, open(os.path.join(SOURCE, "docs", "leaderboard", name), "rb") as second:
            expect(first.read() == second.read(), f"docs/leaderboard/{name} is not that of bench/results")


def every_result_says_what_it_is_of():
    """Version, date, hash of the adapter as it stands (or that it is of an older state), geometry and precision; a row without
    results says why."""
    for row in results.load():
        name = f"{row['engine']} {row['preset']}"
        expect(row.get("older") or states.is_ours(row) or row["hash"] == leaderboard.hash_run(row["folder"], leaderboard.read_settings(row["folder"]), row["preset"]),
               f"{name}: the results are of another state of the adapter or its settings: make leaderboard ENGINES={row['folder']}")
        expect(row["geometry"] and row["precision"] in ("f32", "f64") and row["licence"] and row["home"], f"{name}: {row}")
        for test, result in row["tests"].items():
            expect(row.get("version") and re.fullmatch(r"\d{4}-\d\d-\d\d", result["date"] or row["date"]), f"{name}, Test {test}: no version or date")
    expect(len({row["engine"] for row in results.load() if all(test in row["tests"] for test in summary.TESTS)}) >= 12, "twelve engines with seven tests")


def ours_are_what_this_tree_gives():
    """XPBD-R's and PBD-R's errors of the seven tests, first start, and XPBD-R's answers and figures of the extended suite: those of the
    results, to what rounding may do (1e-9, or a thousandth where a test is one of impacts and rests), or make leaderboard ENGINES=pbdr."""
    known = {row["preset"]: row for row in results.load() if states.is_ours(row)}
    with tempfile.TemporaryDirectory() as folder:
        for preset, tests in (("default", "1-12,15-20,24,25,28-37"), ("PBD-R", "1,3,7")):
            path = os.path.join(folder, f"{preset}.json")
            done = subprocess.run([os.path.join(BINARY, "pbdr"), "bench", "--solvers", known[preset]["solver"], "--tests", tests, "--seeds", "1", "--json", path],
                                  capture_output=True, text=True, check=False)
            expect(done.returncode == 0, done.stderr[-300:])
            with open(path, encoding="utf-8") as file:
                runs = {str(run["test"]): leaderboard.keep(run) for run in json.load(file)["runs"]}
            for test, run in runs.items():
                expect(test in known[preset]["tests"], f"{preset}, Test {test} is not in the results: make leaderboard ENGINES=pbdr")
                told = known[preset]["tests"][test]["runs"][0]
                expect(run["problem"] == told["problem"] and run["answer"] == told["answer"], f"{preset}, Test {test}: {run} here, {told} in the results")
                figures = [(run[key], told[key]) for key in ("position_m", "rotation_deg", "dynamic_position_m")]
                figures += [(run["figure"][2], told["figure"][2])] if run["figure"] else []
                for now, then in figures:
                    same = now == then if None in (now, then) else abs(now - then) <= max(1e-9, 1e-3 * abs(then))
                    expect(same, f"{preset}, Test {test}: {now} here, {then} in the results: make leaderboard ENGINES=pbdr")


def cells_without_a_result_say_why():
    """In JSON, CSV and page: what the adapter cannot do, or how long a run takes and what starts it; and nothing has both."""
    rows = results.load()
    with open(os.path.join(SOURCE, "bench", "results", "leaderboard.csv"), encoding="utf-8") as file:
        told = {(r["engine"], r["preset"], r["test"]): r["problem"] for r in csv.DictReader(file) if r["test"] and not r["seed"]}
    for row in rows:
        suites = [str(k) for k in (*results.FIRST, *results.EXTENDED, *results.JOINTED)] if row["preset"] in missing.SUITES else summary.TESTS
        for test in suites if not row["setup"] else []:
            name, reason = f"{row['engine']} {row['preset']}, Test {test}", row["missing"].get(test)
            expect((test in row["tests"]) != (reason is not None), f"{name}: {'both a result and a reason' if reason else 'neither'}")
            if reason:
                known = re.fullmatch(rf"not run: (about [\d.]+ (s|min|h)|an unknown time) of processor time, judged by its Test 1; make leaderboard ENGINES={row['folder']} runs it", reason)
                expect(known or reason == missing.tell_jointless(row["folder"]), f"{name}: {reason}")
                expect(told.get((row["engine"], row["preset"], test)) == reason, f"{name}: the CSV says {told.get((row['engine'], row['preset'], test))}")
            if test in extended.JOINTED and not missing.ties_bodies(leaderboard.read_settings(row["folder"])):
                expect(extended.judge(row["tests"].get(test), test, reason)["state"] == "not supported", f"{name}: {reason}")


def raw_mesh_is_told_beside():
    """Tests 4 to 6 with the raw mesh: a result or a reason in each row, in the JSON, the CSV and the page; spheres say that they are."""
    rows = results.load()
    with open(os.path.join(SOURCE, "bench", "results", "leaderboard.csv"), encoding="utf-8") as file:
        cells = {(r["engine"], r["preset"], r["test"]) for r in csv.DictReader(file)}
    with open(os.path.join(SOURCE, "docs", "leaderboard", "index.html"), encoding="utf-8") as file:
        text = file.read()
    expect(page.make_raw(summary.summarise(rows)) in text, "the table of both meshes is not that of the results")
    expect(page.make_versions(summary.summarise(rows)) in text, "versions, machines and dates are not those of the results")
    for row in rows:
        for test in summary.RAW if not row["setup"] else []:
            name = f"{row['engine']} {row['preset']}, Test {test} raw"
            reason = row["missing"].get(f"{test} raw")
            expect((test in row["raw"]) != (reason is not None), f"{name}: {'both a result and a reason' if reason else 'neither'}")
            expect((row["engine"], row["preset"], f"{test} raw") in cells, f"{name}: not in the CSV")
            if row["preset"] in leaderboard.read_settings(row["folder"]).get("spheres", []):
                expect(reason == missing.SPHERES, f"{name}: {reason}")
    ours = next(row for row in rows if states.is_ours(row) and row["preset"] == "default")
    expect(all(ours["raw"][test]["runs"][0]["position_m"] != ours["tests"][test]["runs"][0]["position_m"] for test in ("4", "6")), "our two meshes are one")


def results_of_unknown_machines_have_no_cost():
    """In the files, and where older files are read, whose tests 4 to 6 had the raw mesh."""
    for row in results.load():
        for result in results.list_results(row):
            expect(result["machine"] or not any(run["cpu_us"] or run["setup_s"] for run in result["runs"]), f"{row['engine']} {row['preset']}: a cost of no machine")
    run = {"seed": 1, "position_m": 0.5, "cpu_us": 3.0}
    old = {"schema": "pbdr-leaderboard/2", "machines": ["A, 2 cores"], "rows": [
        {"engine": engine, "solver": engine, "preset": "default", "tests": {"1": {"runs": [run]}, "4": {"machine": 0, "runs": [run]}}} for engine in ("x", "pbdr")]}
    kept = results.FOLDER
    with tempfile.TemporaryDirectory() as folder:
        results.write_json(os.path.join(folder, "leaderboard.json"), old)
        try:
            results.FOLDER = folder
            other, ours = results.load()
        finally:
            results.FOLDER = kept
    expect(set(other["tests"]) == {"1"} and set(other["raw"]) == {"4"} and not ours["raw"], f"{other} {ours}")
    expect(other["tests"]["1"]["runs"][0]["cpu_us"] is None and other["raw"]["4"]["runs"][0]["cpu_us"] == 3.0, str(other))
    expect(page.list_kept(other) == "1", page.list_kept(other))


def replays_are_linked_where_they_are():
    """The page has buttons for replays only beside scripts that were made; the page in git has none."""
    kept = page.OUT
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "replays"))
        try:
            page.OUT = folder
            expect(page.make_replays() == page.NO_REPLAYS and "<button" not in page.NO_REPLAYS, "buttons without scripts")
            for name in ("page", *(f"test{test}" for test in summary.TESTS)):
                open(os.path.join(folder, "replays", f"{name}.js"), "w").close()
            buttons = re.findall(r'data-replay="(\d)"', page.make_replays())
        finally:
            page.OUT = kept
    expect(buttons == summary.TESTS, str(buttons))
    with open(os.path.join(SOURCE, "docs", "leaderboard", "index.html"), encoding="utf-8") as file:
        linked = set(re.findall(r'<button[^>]*data-replay="(\d)"', file.read()))
    there = {test for test in summary.TESTS if os.path.exists(os.path.join(SOURCE, "docs", "leaderboard", "replays", f"test{test}.js"))}
    expect(linked <= there, f"replays of tests {sorted(linked - there)} are dead links: python3 engines/common/page.py")


# --- Pins and presets ---

def every_engine_is_pinned():
    """By version, and by the hash of each file: pip's lock has every package of engines/versions, npm's an integrity, cargo's a checksum."""
    for name, line in leaderboard.read_versions().items():
        kind, *packages = line.split()
        folder = os.path.join(SOURCE, "engines", name)
        if kind == "pip":
            with open(os.path.join(folder, "requirements.lock"), encoding="utf-8") as file:
                head, *rows = file.read().splitlines()
            expect(head.startswith("# CPython ") and rows and all(re.fullmatch(r"[\w.-]+==[\w.+-]+ --hash=sha256:[0-9a-f]{64}", row) for row in rows), f"{name}: {rows}")
            locked = {re.sub(r"[-_.]+", "-", row.split()[0]) for row in rows}
            expect({re.sub(r"[-_.]+", "-", package.lower()) for package in packages} <= locked, f"{name}: {packages} are not what the lock has: python3 engines/common/lock.py {name}")
        elif kind == "npm":
            with open(os.path.join(folder, "package-lock.json"), encoding="utf-8") as file:
                text = file.read()
            package, version = packages[0].rsplit("@", 1)
            entries = {key: entry for key, entry in json.loads(text)["packages"].items() if key}
            expect(entries[f"node_modules/{package}"]["version"] == version and all(entry["integrity"].startswith("sha512-") for entry in entries.values()), f"{name}: {entries}")
            expect("://" not in text, f"{name}: the lock names a host")
        elif kind == "cargo":
            with open(os.path.join(folder, "Cargo.lock"), encoding="utf-8") as file:
                text = file.read()
            package, version = packages[0].split("=")
            expect(re.search(rf'name = "{package}"\nversion = "{version}"\nsource = .*\nchecksum = "[0-9a-f]{{64}}"', text), f"{name}: {package} {version} is not locked")


def one_mujoco_serves_all():
    """The same version in every environment that can have it and in the laboratory; Newton's own is another, and its row says so."""
    with open(os.path.join(SOURCE, "web", "package.json"), encoding="utf-8") as file:
        wanted = json.load(file)["dependencies"]["@mujoco/mujoco"]
    for name, line in leaderboard.read_versions().items():
        found = re.search(r"(?<![\w-])mujoco==(\S+)", line)
        if found and found.group(1) != wanted:
            expect(name == "newton" and found.group(1) in leaderboard.read_settings(name)["notes"]["mujoco"], f"{name} has MuJoCo {found.group(1)}, the laboratory {wanted}")


def tables_in_c_are_the_presets():
    """The adapters in C have the settings of engines/NAME/settings.json: what was searched for is what is run."""
    info = subprocess.run([os.path.join(BINARY, "pbdr"), "info"], capture_output=True, text=True, check=False).stdout
    for name in ("mujoco", "ode", "bullet"):
        settings = leaderboard.read_settings(name)
        with open(os.path.join(SOURCE, settings["table"]), encoding="utf-8") as file:
            table = {key: (standard, tuned) for key, standard, tuned in re.findall(r'\{"(\w+)", "([^"]*)", "([^"]*)"\}', file.read())}
        presets = settings["presets"]
        tuned = {**presets["default"], **presets["tuned"]}
        expect(set(table) <= set(tuned) and set(presets["tuned"]) <= set(table), f"{name}: {sorted(table)}")
        for key, (standard, value) in table.items():
            expect(value == leaderboard.write_text(tuned[key]), f"{name}, tuned: {key} is {value} in C, {tuned[key]} in settings.json")
            # MuJoCo's preset without a name is the paper's in C
            other = {**presets["default"], **presets.get("paper", {})}[key]
            expect(standard == leaderboard.write_text(other) or (name == "mujoco" and standard.split() == str(other).split()), f"{name}: {key} is {standard} in C, {other} in settings.json")
        if f" {name} " not in info:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "runs.json")
            key = "impratio" if name == "mujoco" else "erp"
            for override, said in (({key: 0.25}, f"{key} 0.25"), ({"none": 1}, "no setting"), ([1], "is not an object")):
                done = subprocess.run([os.path.join(BINARY, "pbdr"), "bench", "--solvers", f"{name}:tuned", "--tests", "1", "--seeds", "1", "--duration", "0.01", "--json", path],
                                      capture_output=True, text=True, check=False, env={**os.environ, "PBDR_ENGINE_SETTINGS": json.dumps(override)})
                with open(path, encoding="utf-8") as file:
                    expect(said in file.read() + done.stderr, f"{name} with {override}: {done.stderr}")


def tuned_is_what_the_search_found():
    """The preset is a row of search.csv, whose columns are those of the grid; none that scores better has its settings left out."""
    for name in leaderboard.read_versions():
        settings = leaderboard.read_settings(name)
        if "search" not in settings:
            expect(states.is_ours(settings), f"{name} has no grid to search")
            continue
        keys, tuned = list(settings["search"]), {**settings["presets"]["default"], **settings["presets"]["tuned"]}
        with open(os.path.join(SOURCE, "engines", name, "search.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        expect(list(rows[0]) == ["worst_over_floor", "mean_over_floor", "cpu_us", *keys, "problem"], f"{name}: columns {list(rows[0])}")
        scores = [(float(row["worst_over_floor"]), float(row["mean_over_floor"])) for row in rows]
        expect([tuple(float(f"{x:.3g}") for x in score) for score in scores] == sorted(tuple(float(f"{x:.3g}") for x in score) for score in scores), f"{name}: not in order")
        chosen = [k for k, row in enumerate(rows) if all(json.loads(row[key]) == tuned[key] for key in keys)]
        expect(chosen, f"{name}: the preset tuned is not in search.csv: python3 engines/common/leaderboard.py choose {name}")
        expect(all(tuned[key] == value for key, value in settings.get("search_base", {}).items()), f"{name}: the search's base is not in tuned")


def search_scores_as_stated():
    run = {"test": 1, "final_position_error_m": 0.02, "final_rotation_error_deg": 3.0, "floor_position_m": 0.01, "floor_rotation_deg": 0.1}
    expect(abs(leaderboard.find_excess(run) - 2) < 1e-12 and abs(leaderboard.find_excess({**run, "test": 5}) - 30) < 1e-12, "position, and rotation in tests 2 and 5")
    expect(leaderboard.find_excess({**run, "final_position_error_m": None}) == leaderboard.find_excess({**run, "final_position_error_m": 1e9}) == 1e3, "at most 1000")
    tests = sorted(int(test) for tests, _ in leaderboard.SEARCH for test in tests.split(","))
    expect(tests == [1, 2, 3, 4, 5, 6] and all(seed > 100 for _, seed in leaderboard.SEARCH), "tests 1 to 6, with seeds that are not scored")


def times_are_estimated_as_stated():
    """Set-up of Test 1 and its cost, times the test's steps and what other engines pay for them."""
    def make(cost, more, setup=None):
        return {"folder": "x", "tests": {"1": {"runs": [{"cpu_us": cost, "setup_s": setup}]}, **({"21": {"runs": [{"cpu_us": more}]}} if more else {})}}
    own = make(100.0, None, 15.0)
    rows = [own, make(10.0, 30.0), make(10.0, 50.0), make(10.0, 400.0)]
    expect(abs(missing.estimate(own, rows, "21", 1, {"21": 60.0}) - (15 + 60e3 * 100e-6 * 5)) < 1e-9, str(missing.estimate(own, rows, "21", 1, {"21": 60.0})))
    expect(missing.estimate(own, rows, "21", 1, {}) is None and missing.tell_time(None) == "an unknown time", "no length, no time")
    expect(abs(missing.estimate({"folder": "x", "tests": {}}, [own], "1", 3, {}) - 3 * (15 + 1e4 * 100e-6)) < 1e-9, "of its engine's other presets")
    expect([missing.tell_time(s) for s in (0.2, 45, 600, 7200)] == ["about 1 s", "about 45 s", "about 10 min", "about 2.0 h"], "words")
    lengths = missing.read_lengths()
    expect(set(lengths) == {str(k) for k in range(8, 38)} and lengths["10"] == 60 and lengths["18"] == 0.5, f"docs/extended.md: {lengths}")


def results_tell_their_machine():
    """New ones have processor and cores, through the files and back; old ones are "not recorded", never someone else's."""
    expect(re.fullmatch(r".+, \d+ cores?", results.describe_machine()), results.describe_machine())
    rows = results.load()
    with open(os.path.join(SOURCE, "bench", "results", "leaderboard.csv"), encoding="utf-8") as file:
        cells = {(r["engine"], r["preset"], r["test"]): r["machine"] for r in csv.DictReader(file) if r["seed"]}
    for row in rows:
        for test, result in row["tests"].items():
            if result["runs"]:
                expect(cells[row["engine"], row["preset"], test] == (result["machine"] or "not recorded"), f"{row['engine']} {row['preset']}, Test {test}: {result['machine']}")
    run = {"problem": None, "failed_at_s": None, "position_m": None, "answer": None, "figure": ["angle", "rad", 15.81, 15.811]}
    expect(page.tell_run(run) == "angle 15.81 rad (exactly 15.811)", f"a figure alone has not diverged: {page.tell_run(run)}")
    expect(page.tell_run({**run, "failed_at_s": 0.02}) == "diverged at 0.02 s" and page.tell_run({**run, "problem": "not supported: no"}) == "not supported: no", "none")
    expect(page.list_machines({"tests": {"1": {"machine": None}}}) == "not recorded", "old ones")
    mixed = {"tests": {str(k): {"machine": "A, 2 cores" if k > 3 else None} for k in (1, 2, 3, 5, 8, 9, 10)}}
    expect(page.list_machines(mixed) == "not recorded (tests 1 to 3); A, 2 cores (tests 5, 8 to 10)", page.list_machines(mixed))


def one_command_runs_every_test():
    """scripts/leaderboard.sh asks for tests 1 to 37; an adapter without joints is not started for the last ten, and the log says so."""
    with open(os.path.join(SOURCE, "scripts", "leaderboard.sh"), encoding="utf-8") as file:
        asked = [range(int(a), int(b) + 1) for a, b in re.findall(r"--tests \D*(\d+)-(\d+)", file.read())]
    expect(sorted(k for part in asked for k in part) == [*results.FIRST, *results.EXTENDED, *results.JOINTED], str(asked))
    names = ("run_test", "take_up", "log", "OUT")
    kept, ran, said = [getattr(leaderboard, name) for name in names], [], []
    os.environ["PBDR_BOARD_CHECKS"] = "0"
    with tempfile.TemporaryDirectory() as folder:
        try:
            # "bullet" is compiled in, and needs no set-up; what is judged is whether its settings name joints
            leaderboard.OUT, leaderboard.take_up, leaderboard.log = folder, lambda *_: None, lambda _, line: said.append(line)
            leaderboard.run_test = lambda name, settings, preset, test, seeds, since, raw=False: ran.append(f"{test} raw" if raw else test)
            leaderboard.run_engine("bullet", [3, 4, 27, 28], 1, ["default"])
            leaderboard.run_engine("pbdr", [4], 1, None)
            with unittest.mock.patch.object(missing, "ties_bodies", return_value=False):
                leaderboard.run_engine("bullet", [27, 28], 1, ["default"])
        finally:
            for name, value in zip(names, kept):
                setattr(leaderboard, name, value)
            del os.environ["PBDR_BOARD_CHECKS"]
    expect(ran == [3, 4, "4 raw", 27, 28, 4, "4 raw", 4, 4, 27] and said == [f"tests 28 to 37: {missing.tell_jointless('bullet')}"], f"{ran} {said}")
    expect([missing.ties_bodies(leaderboard.read_settings(name)) for name in ("newton", "mjx", "bullet")] == [False, True, True], "who ties bodies")


def results_are_taken_up_again():
    """What bench/results has counts as done where the hash is the same."""
    row = next(row for row in results.load() if row["tests"] and row.get("checks") and row.get("files"))
    with tempfile.TemporaryDirectory() as folder:
        results.restore(row["folder"], folder, "cpu")
        files = os.listdir(os.path.join(folder, row["folder"]))
        expect({f"{row['preset']}_{test}.json" for test in [*row["tests"], "check"]} | {"states.json"} <= set(files), str(files))
        again = results.make_row(row["folder"], row["packages"], leaderboard.read_settings(row["folder"]), row["preset"], row["hash"], row["solver"], None, folder)
        for test in row["tests"]:
            one, other = row["tests"][test], again["tests"][test]
            expect(len(one["runs"]) == len(other["runs"]) and one["series"] == other["series"], f"Test {test} differs after it was taken up again")
            expect(all(run[key] == (kept.get(key, [] if key == "flags" else None)) for run, kept in zip(one["runs"], other["runs"]) for key in run), f"Test {test}")


def hash_covers_what_an_adapter_lives_by():
    """Files of engines/common that it names, through each other too; not comments, and not what others have."""
    settings = leaderboard.read_settings("mjx")
    files = states.list_files("mjx", settings)
    expect({f"engines/common/{file}" for file in ("mjcf.py", "mjcf_tree.py", "jax_setup.py", "pbdr_adapter.py", "serve.py", "keeper.py")} <= set(files), str(files))
    expect("engines/common/dart_like.py" not in files and "engines/common/page.py" not in files and "engines/mjx/settings.json" not in files, str(files))
    expect("engines/common/pipe.mjs" in states.list_files("jolt", leaderboard.read_settings("jolt")), "JavaScript")
    expect("engines/common/pipe.rs" in states.list_files("rapier", leaderboard.read_settings("rapier")), "Rust")
    expect("engines/common/pipe.hpp" in states.list_files("simbody", leaderboard.read_settings("simbody")), "C++")
    expect("bench/solvers/ode.c" in states.list_files("ode", leaderboard.read_settings("ode")), "compiled in")
    kept, hashes = states.ROOT, states.hash_files("jolt", leaderboard.read_settings("jolt"))
    with tempfile.TemporaryDirectory() as folder:
        for part in ("jolt", "common"):
            shutil.copytree(os.path.join(SOURCE, "engines", part), os.path.join(folder, "engines", part))
        path = os.path.join(folder, "engines", "common", "pipe.mjs")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            states.ROOT = folder
            for change, same in (("// a comment\n\n" + text, True), (text + "export const more = 1;\n", False)):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(change)
                again = states.hash_files("jolt", leaderboard.read_settings("jolt"))
                expect((again == hashes) == same, f"{'a comment' if same else 'a line'} in pipe.mjs: {again}")
            told = states.tell_change({"packages": "a", "files": hashes}, "b", again)
            expect(told == "engines/common/pipe.mjs changed, a is now b", told)
        finally:
            states.ROOT = kept


def results_are_carried_over_if_a_probe_agrees():
    """Three tests with the same digits: all results go to the new state, and log and result say so; another digit: none."""
    run = {"seed": 1, "position_m": 0.5, "rotation_deg": 1.0}
    for digit, carried in ((0.5, True), (0.50001, False)):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "x"))
            for test in (1, 2, 4, 7, 9):
                results.write_json(os.path.join(folder, "x", f"default_{test}.json"), {"hash": "old:options", "runs": [run], "problem": ""})
            results.write_json(os.path.join(folder, "x", "default_3.json"), {"hash": "old:other options", "runs": [run], "problem": ""})
            results.add_state(os.path.join(folder, "x"), "old", "x==1", {"a.py": "1", "b.py": "1"})
            asked, told = [], []

            def probe(test):
                asked.append(test)
                return {**run, "position_m": digit if test == 7 else 0.5}
            states.carry("x", "default", "new:options", {"a.py": "2", "b.py": "1"}, "x==1", folder, probe, told.append)
            hashes = {test: results.read_json(os.path.join(folder, "x", f"default_{test}.json"))["hash"] for test in (1, 2, 3, 4, 7, 9)}
            expect(asked == [1, 4, 7] and len(told) == 1 and "a.py changed" in told[0], f"{asked} {told}")
            expect(hashes == {**dict.fromkeys((1, 2, 4, 7, 9), "new:options" if carried else "old:options"), 3: "old:other options"}, str(hashes))
            expect(("carried over" in told[0]) == carried and ("now 0.50001 m" in told[0]) != carried, told[0])


def presets_of_one_state_share_results():
    """Where the search has chosen what another preset has, nothing is run again."""
    settings = leaderboard.read_settings("havok")
    same = {**settings, "presets": {"default": settings["presets"]["default"], "tuned": {}, "other": {next(iter(settings["presets"]["default"])): "another"}}}
    kept, stamp = leaderboard.OUT, leaderboard.hash_run("havok", same, "default")
    expect(stamp == leaderboard.hash_run("havok", same, "tuned") and stamp != leaderboard.hash_run("havok", same, "other"), "hashes")
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "havok"))
        known = {"hash": stamp, "runs": [{}, {}, {}], "problem": "", "wall_s": 7.0}
        results.write_json(os.path.join(folder, "havok", "default_1.json"), known)
        try:
            leaderboard.OUT = folder
            leaderboard.run_test("havok", same, "tuned", 1, 3)
        finally:
            leaderboard.OUT = kept
        expect(results.read_json(os.path.join(folder, "havok", "tuned_1.json")) == {**known, "wall_s": 0}, str(os.listdir(os.path.join(folder, "havok"))))


def extended_cells_are_as_stated():
    def result(**run):
        return {"problem": "", "runs": [{"problem": None, "failed_at_s": None, "answer": None, "figure": ["distance", "m", 0.995, 1.0], **run}]}
    expect(extended.judge(None) == {"state": "not run", "why": "not run"} and extended.judge(None, "8", "not run: about 2 h")["why"] == "not run: about 2 h", "not run")
    expect(extended.judge(None, "28", "not supported: no")["state"] == "not supported", "what an adapter cannot do")
    expect(abs(extended.judge(result())["error"] - 0.005) < 1e-12 and extended.write_cell(extended.judge(result())) == "0.5", "half a percent off")
    expect(extended.judge(result(answer="wrong"))["state"] == "wrong", "an answer counts before the figure")
    expect(extended.judge(result(problem="not supported: no"))["state"] == "not supported" and extended.judge(result(problem="it crashed"))["state"] == "failed", "problems")
    expect([extended.write_cell(extended.judge(result(problem=why))) for why in ("stopped after 60 s at t = 8 s of the test", "it crashed")] == ["t", "f"], "marks")
    still = extended.judge(result(figure=["largest energy error", "J", 0.0981, 0.0]), "33")
    expect(still["state"] == "figure" and abs(still["error"] - 0.01) < 1e-12, f"{still}: energy over weight times a metre")
    expect(extended.judge(result(figure=["largest energy error", "J", 0.0, 0.0], answer="right"), "36")["state"] == "figure", "energy counts where the answer is right")
    expect(extended.judge(result(figure=["largest energy error", "J", 0.0, 0.0], answer="wrong"), "36")["state"] == "wrong", "an answer that is wrong counts first")
    cells = {"8": extended.judge(result(answer="right")), "11": extended.judge(result()), "9": extended.judge(result(answer="wrong")), "15": extended.judge(result(problem="not supported: no"))}
    expect(extended.count_right(cells) == (2, 3), f"{extended.count_right(cells)}: what is not supported counts neither way")


def summary_is_as_stated():
    run = {"problem": None, "failed_at_s": None, "position_m": 0.01, "rotation_deg": 1.0, "dynamic_position_m": 0.5, "tilt_deg": 1.0, "cpu_us": 2.0}
    def result(**change):
        return {"problem": "", "floor": [1e-3, 0.1], "runs": [{**run, **change}, run]}
    expect(summary.judge("1", result(position_m=0.1))["ratio"] == 100, "the worst seed counts")
    expect(summary.judge("1", result(position_m=1e-9))["ratio"] == 10, "the worst seed counts")
    expect(summary.judge("2", result())["ratio"] == 10 and summary.judge("7", result())["ratio"] == 500, "rotation, and Test 7's millimetre")
    expect(summary.judge("1", {"problem": "", "floor": [1e-3, 0.1], "runs": [{**run, "problem": "not supported: no"}]}) ==
           {"state": "not supported", "why": "not supported: no"}, "not supported has no number")
    expect(summary.judge("1", result(position_m=None, failed_at_s=2.0))["ratio"] == summary.WORST, "divergence is the worst")
    stopped = summary.judge("1", result(problem="stopped after 300 s at t = 2 s of the test"))
    expect(stopped["state"] == "stopped" and "ratio" not in stopped and "t = 2 s" in stopped["why"], "a run that was stopped has no number, and says when")


def failure_of_set_up_is_a_row():
    with tempfile.TemporaryDirectory() as folder:
        for part in ("engines", "scripts", "bench/solvers"):
            shutil.copytree(os.path.join(SOURCE, part), os.path.join(folder, part))
        os.makedirs(os.path.join(folder, "build"))
        os.symlink(os.path.join(BINARY, "pbdr"), os.path.join(folder, "build", "pbdr"))
        done = subprocess.run([os.path.join(folder, "scripts", "leaderboard.sh"), "drake"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PBDR_ENGINE_PYTHON": "false"})
        with open(os.path.join(folder, "bench", "results", "leaderboard.csv"), encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["engine"] == "drake"]
        expect(rows and all(row["problem"].startswith("set-up failed") for row in rows), done.stdout + done.stderr)
        with open(os.path.join(folder, "docs", "leaderboard", "index.html"), encoding="utf-8") as file:
            expect("set-up failed" in file.read(), "the page does not say so")


def gpu_is_asked_for_in_vain():
    if shutil.which("nvidia-smi"):
        return "there may be a GPU here"
    for device, said in (("gpu", "there is no GPU here"), ("tpu", "cpu or gpu")):
        done = subprocess.run([os.path.join(SOURCE, "scripts", "leaderboard.sh"), "mjx"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PBDR_ENGINE_DEVICE": device})
        expect(done.returncode in (1, 2) and said in done.stderr, f"{device}: {done.returncode} {done.stdout}{done.stderr}")
    return None


def table_of_gpu_runs_says_when_it_is_empty():
    expect(page.NO_GPU in page.make_gpu([]), "an empty table")
    lines = summary.summarise([row for row in results.load() if row["engine"] == "mjx"])
    expect(page.NO_GPU not in page.make_gpu(lines) and "MJX" in page.make_gpu(lines), "a table with rows")


case("gpu__asked_for_in_vain_is_said", gpu_is_asked_for_in_vain)
case("gpu__table_says_when_it_is_empty", table_of_gpu_runs_says_when_it_is_empty)
case("pins__every_engine_is_pinned", every_engine_is_pinned)
case("pins__one_mujoco_serves_all", one_mujoco_serves_all)
case("presets__of_adapters_in_c_are_the_settings", tables_in_c_are_the_presets)
case("presets__tuned_is_what_the_search_found", tuned_is_what_the_search_found)
case("presets__search_scores_as_stated", search_scores_as_stated)
case("setup__failure_is_a_row_with_the_reason", failure_of_set_up_is_a_row)
case("summary__is_as_stated", summary_is_as_stated)
case("presets__of_one_state_share_results", presets_of_one_state_share_results)
case("states__cover_what_an_adapter_lives_by", hash_covers_what_an_adapter_lives_by)
case("states__are_carried_over_if_a_probe_agrees", results_are_carried_over_if_a_probe_agrees)
case("extended__cells_are_as_stated", extended_cells_are_as_stated)
case("missing__times_are_estimated_as_stated", times_are_estimated_as_stated)
case("script__runs_every_test", one_command_runs_every_test)
if os.path.exists(os.path.join(SOURCE, "bench", "results", "leaderboard.json")):
    case("page__and_results_agree", page_and_results_agree)
    case("page__links_lead_somewhere", links_lead_somewhere)
    case("results__csv_and_json_agree", csv_and_json_agree)
    case("results__say_what_they_are_of", every_result_says_what_it_is_of)
    case("results__of_ours_are_what_this_tree_gives", ours_are_what_this_tree_gives)
    case("results__are_taken_up_again", results_are_taken_up_again)
    case("results__say_why_there_are_none", cells_without_a_result_say_why)
    case("results__tell_their_machine", results_tell_their_machine)
    case("results__have_the_raw_mesh_beside", raw_mesh_is_told_beside)
    case("results__of_unknown_machines_have_no_cost", results_of_unknown_machines_have_no_cost)
    case("page__links_replays_where_they_are", replays_are_linked_where_they_are)


def page_works_in_a_browser():
    modules = os.environ.get("PBDR_PLAYWRIGHT", os.path.join(SOURCE, "web", "node_modules"))
    if not os.path.isdir(os.path.join(modules, "playwright-core")):
        return "playwright-core is not here (make web installs it; PBDR_PLAYWRIGHT names a node_modules that has it)"
    if not os.path.exists(os.environ.get("PBDR_CHROMIUM", "/usr/bin/chromium")):
        return "chromium is not here (scripts/setup.sh web installs it)"
    done = subprocess.run(["node", os.path.join(SOURCE, "tests", "engines", "page_test.mjs"), SOURCE, modules], capture_output=True, text=True, check=False)
    expect(done.returncode == 0, done.stdout + done.stderr)
    return None


case("page__works_in_a_browser", page_works_in_a_browser)


# --- Adapters of engines that are set up ---

def smoke(name):
    def test():
        settings = leaderboard.read_settings(name)
        home = os.path.join(BINARY, "engines", settings.get("environment", name))
        if not os.path.exists(os.path.join(home, "ok")):
            return f"not set up (make leaderboard ENGINES={name})"
        os.environ["PBDR_ENGINES"] = os.path.join(BINARY, "engines")
        folder = os.path.join(SOURCE, "engines", name)
        rows = check.run_checks(check.find_command(folder), "", settings)
        expect(all(passed for _, passed, _ in rows), str([row for row in rows if not row[1]]))
        return None
    return test


def pendulum_converges(name, tests):
    """Tests 28 and 29 with half the step: the error of the figure falls by half at least, as the integrator's order has it, or is
    rounding. Joints at another place, about another axis or with other rates at the start do not converge."""
    def test():
        if not os.path.exists(os.path.join(BINARY, "engines", name, "ok")):
            return f"not set up (make leaderboard ENGINES={name})"
        os.environ["PBDR_ENGINES"] = os.path.join(BINARY, "engines")
        settings = leaderboard.read_settings(name)
        command, errors = check.find_command(os.path.join(SOURCE, "engines", name)), {}
        with tempfile.TemporaryDirectory() as folder:
            for dt in (1e-3, 5e-4):
                path = os.path.join(folder, "runs.json")
                subprocess.run([os.path.join(BINARY, "pbdr"), "bench", "--plugin", "pipe:exec env " + command, "--plugin-memory", "131072", "--plugin-timeout", "300",
                                "--solvers", settings["engine"], "--tests", tests, "--seeds", "1", "--dt", str(dt), "--json", path], capture_output=True, text=True, check=False)
                with open(path, encoding="utf-8") as file:
                    for run in json.load(file)["runs"]:
                        expect(run.get("figure"), f"Test {run['test']}: {run.get('problem')}")
                        errors.setdefault(run["test"], []).append(abs(run["figure"]["measured"] - run["figure"]["exact"]))
        rounding = 2e-4 if settings["precision"] == "f32" else 1e-9
        for number, (whole, half) in errors.items():
            expect(half <= 0.55 * whole + rounding, f"Test {number}: {whole:.3g} off, {half:.3g} with half the step")
        return None
    return test


def keeper_runs_as_serve_does():
    """Two runs by forks of keeper.py, with an environment of their own, give what serve.py gives; then the keeper ends with its pipe."""
    pythons = [sys.executable, os.path.join(BINARY, "python-venv", "bin", "python")]
    python = next((p for p in pythons if os.path.exists(p) and subprocess.run([p, "-c", "import numpy"], capture_output=True, check=False).returncode == 0), None)
    if python is None:
        return "NumPy is not here (the protocol's part for Python needs it; make python has one)"
    common, adapter = os.path.join(SOURCE, "engines", "common"), os.path.join(SOURCE, "samples", "engine.py")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "socket")
        keeper = subprocess.Popen([python, os.path.join(common, "keeper.py"), path, adapter], stdin=subprocess.PIPE)
        while not os.path.exists(path):
            expect(keeper.poll() is None, f"the keeper ended with {keeper.poll()}")
            time.sleep(0.02)
        scene = check.make_scene("rest", [check.make_box("box", (0.1, 0.2, 0.1), (1, 0, 0, 0))], "")
        answers = []
        for command in ([os.path.join(common, "serve.py"), adapter], *[[os.path.join(common, "keeper.py"), "--to", path]] * 2):
            client = check.Client(shlex.join([python, *command]), scene)
            answers.append((client.hello, client.bodies, client.step(20)["bodies"]))
            client.close()
        expect(answers[0] == answers[1] == answers[2], str(answers))
        keeper.stdin.close()
        expect(keeper.wait(20) == 0, "the keeper does not end with its pipe")
    return None


case("keeper__runs_as_serve_does", keeper_runs_as_serve_does)


def both_mujocos_agree():
    python = os.path.join(BINARY, "engines", "mujoco", "venv", "bin", "python")
    if not os.path.exists(python):
        return "not set up (make leaderboard ENGINES=mujoco)"
    info = subprocess.run([os.path.join(BINARY, "pbdr"), "info"], capture_output=True, text=True, check=False).stdout
    if " mujoco " not in info:
        return "build/pbdr was built without MuJoCo"
    done = subprocess.run([python, os.path.join(SOURCE, "engines", "mujoco", "same_scene.py"), "1", "3"], capture_output=True, text=True, check=False)
    expect(done.returncode == 0, done.stdout + done.stderr[-300:])
    print(done.stdout.strip())
    return None


def mechanisms_move_as_in_c():
    """Trees, loops and springs out of the protocol's joints (mjcf_tree.py) have the figures of our C adapter."""
    if not os.path.exists(os.path.join(BINARY, "engines", "mujoco", "venv", "bin", "python")):
        return "not set up (make leaderboard ENGINES=mujoco)"
    if " mujoco " not in subprocess.run([os.path.join(BINARY, "pbdr"), "info"], capture_output=True, text=True, check=False).stdout:
        return "build/pbdr was built without MuJoCo"
    os.environ["PBDR_ENGINES"] = os.path.join(BINARY, "engines")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "runs.json")
        command = check.find_command(os.path.join(SOURCE, "engines", "mujoco"))
        done = subprocess.run([os.path.join(BINARY, "pbdr"), "bench", "--plugin", "pipe:exec " + command, "--plugin-memory", "65536", "--solvers", "mujoco-py:tuned,mujoco:tuned",
                               "--tests", "29,31,32,35,37", "--seeds", "1", "--json", path], capture_output=True, text=True, check=False)
        expect(done.returncode == 0, done.stderr[-300:])
        with open(path, encoding="utf-8") as file:
            figures = {(run["test"], run["solver"].split("-")[0].split(":")[0] + ("-py" if "-py" in run["solver"] else "")): run["figure"]["measured"] for run in json.load(file)["runs"]}
    expect(len(figures) == 10, str(figures))
    for test in (29, 31, 32, 35, 37):
        one, other = figures[test, "mujoco"], figures[test, "mujoco-py"]
        expect(abs(one - other) <= 1e-9 * abs(one), f"Test {test}: {one} in C, {other} in Python")
    return None


def finding_is_as_the_page_says(number, engines):
    """The page's block is what scripts/findings.sh prints; each takes seconds."""
    def test():
        missing = [engine for engine in engines if not os.path.exists(os.path.join(BINARY, "engines", engine, "ok"))]
        block = findings.get_block(findings.read_page(), number)
        expect(block.count("[") >= 2, f"the page has no output of scripts/findings.sh {number}")
        if missing or os.path.join(SOURCE, "build") != BINARY:
            return f"not set up: {', '.join(missing) or BINARY} (scripts/engine_setup.sh)"
        text = findings.run(number)
        expect(text == block, f"the page has\n{block}and scripts/findings.sh {number} prints\n{text}")
        return None
    return test


for finding_number, needed in ((1, ["mujoco"]), (2, ["jolt", "rapier"]), (3, ["jolt", "rapier"]), (4, ["mujoco"]), (5, ["simbody"]), (6, ["havok"])):
    case(f"finding__{finding_number}_is_as_the_page_says", finding_is_as_the_page_says(finding_number, needed))

case("mjcf__mechanisms_move_as_in_the_c_adapter", mechanisms_move_as_in_c)
case("mjcf__exported_scene_moves_as_the_c_adapter", both_mujocos_agree)

# not Havok, whose pendulum falls asleep, nor Jolt, whose double pendulum (points of 1e-10 kg m^2) is 1.4 m off at either step
for engine in ("drake", "simbody", "sapien", "dart", "mujoco", "rapier"):
    case(f"joints__{engine}_converges", pendulum_converges(engine, "28,29"))

for engine in leaderboard.read_versions():
    if os.path.exists(os.path.join(SOURCE, "engines", engine, "settings.json")) and not leaderboard.read_settings(engine).get("builtin"):
        case(f"adapter__{engine}", smoke(engine))

print(f"cases: {counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
sys.exit(1 if counts["failed"] else 0)
