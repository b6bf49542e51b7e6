#!/usr/bin/env python3
"""Measures what the Python package is held to (issue 12), one part or all, and writes the tables of docs/python.md and
docs/project/targets.md.

    scripts/python_show.py [PART...]          print the parts: install first overhead gil batch instructions gym
                                              controller friction
    scripts/python_show.py --write [PART...]  into bench/results/python.csv and the two pages, too
    scripts/python_show.py --check            fail where a page is not what bench/results/python.csv says

Run it in a Python that has pbdr, gymnasium and NumPy (build/python-venv after make python; after make test it finds the
package in build/python-site): two minutes on two idle cores. Counting instructions needs valgrind and make build, too.
Ratios are of processor time where they can be, for machines are shared; what needs wall time is the best of several tries.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
Row = tuple[str, str, str, str]  # what, measured, bar, whether that is met; the last two are empty where there is none


def judge(met: bool) -> str:
    return "met" if met else "missed"


def judge_cost(each: float, called: float, alone: float) -> str:
    """Of a world in a batch: against a single world that is called likewise, and against one in one long step."""
    return "; ".join(f"{what}: {'met' if each <= cost else f'missed by {100 * (each / cost - 1):.2g} %'}"
                     for what, cost in (("called likewise", called), ("one long step", alone)))


def make_box(force: float = 17.0):  # type: ignore[no-untyped-def]
    import pbdr
    world = pbdr.World()
    world.add_plane(friction=0.4)
    box = world.add_body(pbdr.Shape.box(0.2, mass=4.0), position=(0, 0, 0.1), name="box")
    box.force = (force, 0, 0)
    return world


def show_install() -> list[Row]:
    """What make try-python measured last, in a bare Debian; nothing if it was not run here."""
    rows = ROOT / "build" / "chroot-python" / "rows.csv"
    if not rows.exists():
        return []
    with open(rows, encoding="utf-8", newline="") as file:
        return [(what, value, bar, verdict) for what, value, bar, verdict in csv.reader(file)]


def show_first() -> list[Row]:
    """From the import to the first step, in a fresh process."""
    code = ("import time; t = time.perf_counter(); import pbdr; w = pbdr.World(); w.add_plane(); "
            "w.add_body(pbdr.Shape.box(0.2, 4.0), (0, 0, 0.1)); w.step(); print(time.perf_counter() - t)")
    seconds = min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
                  for _ in range(5))
    return [("import and first step", f"{seconds:.2f} s", "<= 1 s", judge(seconds <= 1))]


def show_overhead() -> list[Row]:
    """A substep by world.step() against the same within world.step(n), which is C's loop: least of many short turns."""
    world, count, best = make_box(), 2000, [1e9, 1e9]
    step = world.step
    for _ in range(60):
        begun = time.thread_time_ns()
        step(count)
        best[0] = min(best[0], (time.thread_time_ns() - begun) / count)
        begun = time.thread_time_ns()
        for _ in range(count):
            step()
        best[1] = min(best[1], (time.thread_time_ns() - begun) / count)
    over = (best[1] - best[0]) / 1000
    return [("a substep of Test 1 in C", f"{best[0] / 1000:.2f} us", "", ""),
            ("a step from Python over that", f"{over:.2f} us", "<= 0.5 us", judge(over <= 0.5))]


def show_gil() -> list[Row]:
    """Two worlds on two threads: steps that ran while the other thread was in one, which no GIL would let them; and whether
    Python goes on during a long step."""
    import numpy as np
    spans: list[list[tuple[int, int]]] = [[], []]

    def run(k: int) -> None:
        world, clock = make_box(), time.perf_counter_ns
        for _ in range(30_000):
            begun = clock()
            world.step(10)
            spans[k].append((begun, clock()))

    threads = [threading.Thread(target=run, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first, second = (np.array(span) for span in spans)
    # of the other's spans the last that began before this one ends: they overlap if it ended after this one began
    last = np.searchsorted(second[:, 0], first[:, 1]) - 1
    overlapping = int((second[np.maximum(last, 0), 1] > first[:, 0]).sum())
    ticks = 0
    thread = threading.Thread(target=make_box().step, args=(500_000,))
    thread.start()
    while thread.is_alive():
        ticks += 1
        time.sleep(0.001)
    return [("of 30,000 step(10), those while another thread's world was in one", f"{overlapping:,}", "> 0", judge(overlapping > 0)),
            ("turns of the main thread while another is in one step", f"{ticks}", "> 0", judge(ticks > 0))]


def compare_costs(count: int, substeps: int, turns: int) -> tuple[float, float, float]:
    """Processor time per world and substep [us]: of a single world within one long step, which never leaves the cache; of one
    that is called as the batch is, by so many substeps at a time, with poses and velocities read after each, which the batch
    hands out; and of the batch. All go through the same 400 substeps, in turns of a few milliseconds to a second, for the
    machine is shared: the middle of the turns, each of which is a fair race."""
    import pbdr
    span = 400
    one, many, clock = make_box(), pbdr.Batch(make_box(), count, threads=1), time.thread_time_ns
    one.step(substeps)
    start, races = one.state, []
    runs = max(1, count // 4)
    for _ in range(turns):
        spent = [0, 0, 0]
        many.reset()
        many.step(substeps)
        for _ in range(span // substeps):
            begun = clock()
            many.step(substeps)
            spent[2] += clock() - begun
            for _ in range(max(1, runs * substeps // span)):
                one.state = start
                begun = clock()
                one.step(span)
                spent[0] += clock() - begun
                one.state = start
                begun = clock()
                for _ in range(span // substeps):
                    one.step(substeps)
                    one.positions, one.quats, one.velocities, one.omegas
                spent[1] += clock() - begun
        alone = max(1, runs * substeps // span) * (span // substeps) * span
        races.append((spent[0] / alone / 1000, spent[1] / alone / 1000, spent[2] / (count * span) / 1000))
    races.sort(key=lambda race: race[2] / race[1])
    return races[len(races) // 2]


def show_batch(count: int = 10_000) -> list[Row]:
    """All worlds against single runs; two threads against one; the cost of a world against a single one's."""
    import numpy as np
    import pbdr
    rng = np.random.default_rng(0)
    friction, push = rng.uniform(0.1, 0.8, count), rng.uniform(5, 40, count)
    batch = pbdr.Batch(make_box(), count)
    batch.friction[:, 0], batch.force[:, 0, 0] = friction, push
    for _ in range(5):
        batch.step(20)
    hashes, same, single = batch.hash(), 0, make_box()
    start = single.state
    box = single.bodies[0]
    for k in range(count):
        single.state = start
        box.friction, box.force = friction[k], (push[k], 0, 0)
        single.step(100)
        same += int(single.hash() == hashes[k])
    costs, walls = {}, {}
    for threads in (1, 2):
        many = pbdr.Batch(make_box(), count, threads=threads)
        many.step(20)
        costs[threads] = walls[threads] = 1e9
        for _ in range(10):
            cpu, begun = time.process_time(), time.perf_counter()
            many.step(50)
            walls[threads] = min(walls[threads], time.perf_counter() - begun)
            costs[threads] = min(costs[threads], (time.process_time() - cpu) / (50 * count) * 1e6)
    by_wall, by_cost = walls[1] / walls[2], 2 * costs[1] / costs[2]
    rows = [(f"worlds of {count:,} with the bits of single runs", f"{same:,}", f"{count:,}", judge(same == count)),
            ("two threads over one, best wall time of ten", f"{by_wall:.2f}", ">= 1.8", judge(by_wall >= 1.8)),
            ("two threads over one by processor time per world", f"{by_cost:.2f}", ">= 1.8", judge(by_cost >= 1.8))]
    for worlds, substeps, turns in ((count, 200, 5), (1000, 50, 25), (count, 10, 5), (count, 1, 3)):
        alone, called, each = compare_costs(worlds, substeps, turns)
        rows.append((f"processor time per world and substep, {worlds:,} worlds, step({substeps})", f"{each:.3f} us",
                     f"<= {called:.3f} us, a single world's that is called likewise; {alone:.3f} us in one long step",
                     judge_cost(each, called, alone)))
    return rows


def count_instructions(way: str, worlds: int, substeps: int, calls: int) -> float:
    """Per world and substep, in the stepping function of build/measure/batch alone."""
    function = "stepTogether" if way == "many" else "stepAlone"
    line = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--toggle-collect={function}",
            str(ROOT / "build" / "measure" / "batch"), way, str(worlds), str(substeps), str(calls)]
    said = subprocess.run(line, capture_output=True, text=True, check=True).stderr
    found = re.search(r"Collected : (\d+)", said)
    if found is None or int(found.group(1)) == 0:
        raise RuntimeError(f"{' '.join(line)}: nothing was counted:\n{said}")
    return int(found.group(1)) / (worlds * substeps * calls)


def show_instructions(worlds: int = 50) -> list[Row]:
    """What noise does not disturb: instructions of a world in a batch that the cache holds, where none is spent on fetching the
    next one, and of a world on its own. Needs valgrind and make build."""
    if shutil.which("valgrind") is None or not (ROOT / "build" / "measure" / "batch").exists():
        print("instructions: left out: valgrind or build/measure/batch is not here", file=sys.stderr)
        return []
    rows = []
    for substeps in (200, 50, 10, 1):
        calls = 400 // substeps
        alone, called, each = (count_instructions(way, worlds, substeps, calls) for way in ("one", "called", "many"))
        rows.append((f"instructions per world and substep, step({substeps})", f"{each:,.1f}",
                     f"<= {called:,.1f}, a single world's that is called likewise; {alone:,.1f} in one long step",
                     judge_cost(each, called, alone)))
    return rows


def show_gym(count: int = 1024) -> list[Row]:
    """Environment steps of 10 substeps per second on two threads, random actions from the start."""
    import numpy as np
    import pbdr.gym
    env = pbdr.gym.PushBoxVector(count, threads=2)
    env.reset(seed=0)
    actions = np.random.default_rng(0).uniform(-1, 1, (50, count, 3))
    best, cost, contacts = 0.0, 1e9, 0.0
    for _ in range(6):
        begun, cpu = time.perf_counter(), time.process_time()
        for action in actions:
            *_, info = env.step(action)
            contacts = float(info["contacts"].mean())
        best = max(best, len(actions) * count / (time.perf_counter() - begun))
        cost = min(cost, (time.process_time() - cpu) / (len(actions) * count))
    return [("environment steps per second, two threads, best of six", f"{best:,.0f}", ">= 50,000", judge(best >= 50_000)),
            ("the same by processor time, two cores", f"{2 / cost:,.0f}", ">= 50,000", judge(2 / cost >= 50_000)),
            ("contacts per environment", f"{contacts:.1f}", "", "")]


def show_controller(count: int = 200) -> list[Row]:
    """Random goals that the feedback controller reaches."""
    import numpy as np
    import pbdr.gym as gym
    env = gym.PushBoxVector(count)
    observations, _ = env.reset(seed=1000)
    controllers = [gym.PushController() for _ in range(count)]
    reached, over, steps = np.zeros(count, dtype=bool), np.zeros(count, dtype=bool), np.zeros(count)
    for k in range(gym.MAX_STEPS):
        actions = np.array([np.zeros(3) if end else c(o) for c, o, end in zip(controllers, observations, over)])
        observations, _, done, cut, _ = env.step(actions)
        steps[done & ~over] = k
        reached |= done & ~over
        over |= done | cut
        if over.all():
            break
    return [(f"of {count} random goals reached within 2 cm and 5 deg", f"{100 * reached.mean():.1f} %", ">= 95 %",
             judge(bool(reached.mean() >= 0.95))),
            ("simulated time to a goal, mean", f"{0.01 * steps[reached].mean():.1f} s", "", "")]


def show_friction() -> list[Row]:
    """Friction out of recorded pushes with noise of 1 mm, worst of 20 (samples/identify.py)."""
    sys.path.insert(0, str(ROOT / "samples"))
    import identify
    import numpy as np
    errors = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        true = float(rng.uniform(0.2, 0.6))
        found, _ = identify.find_friction(*identify.record_push(true, 1e-3, rng))
        errors.append(abs(found - true) / true)
    return [("friction from a push recorded with 1 mm noise, worst of 20", f"{100 * max(errors):.2f} %", "<= 1 %",
             judge(max(errors) <= 0.01))]


PARTS = {"install": show_install, "first": show_first, "overhead": show_overhead, "gil": show_gil, "batch": show_batch,
         "instructions": show_instructions, "gym": show_gym, "controller": show_controller, "friction": show_friction}


def describe_machine() -> str:
    model = "an unknown processor"
    if os.path.exists("/proc/cpuinfo"):
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
        model = found.group(1).strip() if found else model
    return f"Python {sys.version.split()[0]} on {os.cpu_count()} cores of {model}"


RESULTS = ROOT / "bench" / "results" / "python.csv"
PAGE, TARGETS = ROOT / "docs" / "python.md", ROOT / "docs" / "project" / "targets.md"
UNSEEN = ("gil", "instructions")  # parts that only targets.md shows


def read_results() -> tuple[dict[str, list[Row]], str]:
    """Rows of each part, and the machine of the last run that wrote some."""
    parts: dict[str, list[Row]] = {name: [] for name in PARTS}
    machine = ""
    with open(RESULTS, encoding="utf-8", newline="") as file:
        for part, what, value, bar, verdict in list(csv.reader(file))[1:]:
            if part == "machine":
                machine = value
            else:
                parts[part].append((what, value, bar, verdict))
    return parts, machine


def render(page: Path, parts: dict[str, list[Row]], machine: str) -> str:
    """The page with the table of these results: what users ask for, or everything beside its target."""
    if page == TARGETS:
        rows = [row for part in parts.values() for row in part]
        judged = [verdict for *_, verdict in rows if verdict]
        missed = sum("missed" in verdict for verdict in judged)
        lines = ["| what | measured | target | |", "|---|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows), "",
                 f"{machine}. Of {len(judged)} targets {missed} {'is' if missed == 1 else 'are'} missed, in whole or in part."]
    else:
        shown = [row for part, part_rows in parts.items() if part not in UNSEEN for row in part_rows]
        lines = ["| what | measured |", "|---|---|", *(f"| {what} | {value} |" for what, value, *_ in shown), "", f"Measured with {machine}."]
    text = page.read_text(encoding="utf-8")
    begin, end = text.index("<!-- python: "), text.index("<!-- /python -->")
    begin = text.index("\n", begin) + 1
    return text[:begin] + "\n".join(lines) + "\n" + text[end:]


def write(measured: dict[str, list[Row]]) -> None:
    """Puts the parts that were measured beside those of earlier runs, into the table and onto the page."""
    parts, _ = read_results()
    parts.update((part, rows) for part, rows in measured.items() if rows)
    machine = describe_machine()
    with open(RESULTS, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("part", "what", "measured", "bar", "verdict"))
        writer.writerows((part, *row) for part, rows in parts.items() for row in rows)
        writer.writerow(("machine", "", machine, "", ""))
    for page in (PAGE, TARGETS):
        page.write_text(render(page, parts, machine), encoding="utf-8")


def check() -> None:
    """Ends with a message where a page has another table than the results give."""
    for page in (PAGE, TARGETS):
        if page.read_text(encoding="utf-8") != render(page, *read_results()):
            sys.exit(f"{page.relative_to(ROOT).as_posix()}: not what bench/results/python.csv says; scripts/python_show.py --write")


def find_package() -> None:
    """The package that is installed, or what the tests of the release tree have put together."""
    site = ROOT / "build" / "python-site"
    try:
        import pbdr  # noqa: F401
    except ModuleNotFoundError:
        if not (site / "pbdr").exists():
            sys.exit("python_show: pbdr is neither installed in this Python (make python) nor in build/python-site (make test)")
        sys.path.insert(0, str(site))
        os.environ["PYTHONPATH"] = str(site)  # for what it starts


def main() -> None:
    if sys.argv[1:] == ["--check"]:
        return check()
    find_package()
    chosen = [name for name in sys.argv[1:] if name != "--write"]
    if unknown := [name for name in chosen if name not in PARTS]:
        sys.exit(f"python_show: no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    measured: dict[str, list[Row]] = {}
    for name in chosen or PARTS:
        measured[name] = PARTS[name]()
        for row in measured[name]:
            print(f"{row[0]:58} {row[1]:>14}   {row[2]:16} {row[3]}", flush=True)
    if "--write" in sys.argv:
        write(measured)


if __name__ == "__main__":
    main()
