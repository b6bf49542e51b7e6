"""Why a cell of the leaderboard has no result: what the adapter cannot do, or how long the run would take and what starts it.

The time is estimated out of the results that there are: the row's own cost and set-up in Test 1, the test's length
(docs/extended.md), and how much more a step of that test costs than one of Test 1 with the other engines, in the middle.
"""

from __future__ import annotations

import os
import re
import statistics
from typing import Any

import results

PAGE = os.path.join(results.ROOT, "docs", "extended.md")
SUITES = ("default", "tuned")  # presets that tests 8 and up are run with
SPHERES = "spheres touch here, not the mesh: its base makes no difference"
STEP = 1e-3  # [s]
LENGTH = 10.0  # [s] of tests 1 to 7


def ties_bodies(settings: dict[str, Any]) -> bool:
    """Whether an adapter has joints, which tests 28 to 37 need; those in C all have."""
    return bool(settings.get("builtin")) or settings.get("joints") is not None


def tell_jointless(name: str) -> str:
    return f"not supported: the adapter engines/{name} ties no bodies yet, whatever the engine can"


def read_lengths() -> dict[str, float]:
    """Seconds of each test from 8 on, as the benchmark's page has them; none where the page is not."""
    if not os.path.exists(PAGE):
        return {}
    with open(PAGE, encoding="utf-8") as file:
        found = re.findall(r"^\| (\d+) [^|]*\|[^|]*\| ([\d.]+) s\b[^|]*\|", file.read(), re.M)
    return {test: float(seconds) for test, seconds in found}


def get_cost(row: dict[str, Any], test: str, key: str = "cpu_us") -> float | None:
    """Of the first start that has one."""
    runs = row["tests"].get(test, {"runs": []})["runs"]
    return next((run[key] for run in runs if run.get(key)), None)


def find_growth(rows: list[dict[str, Any]], test: str) -> float:
    """A step's cost over that of Test 1, the median of the rows that have both."""
    shares = [(get_cost(row, test) or 0.0) / (get_cost(row, "1") or 1.0) for row in rows if get_cost(row, test) and get_cost(row, "1")]
    return statistics.median(shares) if shares else 1.0


def estimate(row: dict[str, Any], rows: list[dict[str, Any]], test: str, starts: int, lengths: dict[str, float]) -> float | None:
    """[s] of processor time. A row that has no cost takes the median of its engine's other presets."""
    family = [row] if get_cost(row, "1") else [other for other in rows if other["folder"] == row["folder"] and get_cost(other, "1")]
    if not family or (int(test) > 7 and test not in lengths):
        return None
    cost = statistics.median(get_cost(other, "1") or 0.0 for other in family) * 1e-6
    setup = max((get_cost(other, "1", "setup_s") or 0.0 for other in family), default=0.0)
    return starts * (setup + lengths.get(test, LENGTH) / STEP * cost * find_growth(rows, test))


def tell_time(seconds: float | None) -> str:
    if seconds is None:
        return "an unknown time"
    return f"about {max(1, round(seconds))} s" if seconds < 100 else f"about {round(seconds / 60)} min" if seconds < 6000 else f"about {seconds / 3600:.1f} h"


def tell_not_run(name: str, seconds: float | None) -> str:
    """Judged by Test 1: compiling, where there is any, may take longer for many bodies."""
    return f"not run: {tell_time(seconds)} of processor time, judged by its Test 1; make leaderboard ENGINES={name} runs it"


def add_reasons(rows: list[dict[str, Any]], settings: dict[str, dict[str, Any]]) -> None:
    """Gives each row "missing": test by test why there is no result. Rows of engines that could not be set up say so themselves."""
    lengths = read_lengths()
    for row in rows:
        wanted = [*results.FIRST, *(results.EXTENDED if row["preset"] in SUITES else []), *(results.JOINTED if row["preset"] in SUITES else [])]
        row["missing"] = {}
        for test in wanted if not row["setup"] else []:
            if str(test) in row["tests"]:
                continue
            if test in results.JOINTED and not ties_bodies(settings[row["folder"]]):
                row["missing"][str(test)] = tell_jointless(row["folder"])
            else:
                seconds = estimate(row, rows, str(test), 3 if test in results.FIRST else 1, lengths)
                row["missing"][str(test)] = tell_not_run(row["folder"], seconds)
        for test in results.RAW if not row["setup"] else []:
            if str(test) not in row["raw"]:
                spheres = row["preset"] in settings[row["folder"]].get("spheres", [])
                row["missing"][f"{test} raw"] = (SPHERES if spheres else tell_not_run(row["folder"], estimate(row, rows, str(test), 3, lengths)))
