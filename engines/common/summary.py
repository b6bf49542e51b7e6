"""What the leaderboard says of its results: one number per engine and test, ranks, and the summary that rows are sorted by.

Error of a test: the worst of the seeds at the end; position in tests 1, 3, 4, 6, rotation in 2 and 5, in Test 7 position against
the dynamic reference (the one that a perfect simulator scores zero on). Over the floor: that of semi-implicit Euler; Test 7 has
none, and 1 mm stands in. Below the floor counts as 1, a run that diverged or failed as 1e6; one that was stopped by the time limit
has no number. The summary is the geometric mean over the seven tests; the worst rank is the row's worst place among all rows in a
test. A row without all seven comes after those that have them. Tests 4 to 6 count with the flat bunny; what the raw mesh gives is
told beside, and counts for nothing.
"""

from __future__ import annotations

import math
from typing import Any

TESTS = [str(k) for k in range(1, 8)]
NAMES = {"1": "pushed box", "2": "box with torque", "3": "box on slope", "4": "pushed bunny", "5": "bunny with torque",
         "6": "bunny on slope", "7": "rod pushing a box"}
RAW = ["4", "5", "6"]  # with the raw mesh as well
PUSH_UNIT = 1e-3  # [m], in place of a floor
WORST = 1e6
TUMBLES = 30.0  # [deg] of tilt
CREEPS = 1e-3  # [m] in the 60 s of Test 10


def judge(test: str, result: dict[str, Any] | None, reason: str | None = None) -> dict[str, Any]:
    """A cell: state ("ok", "not run", "not supported", "stopped", "failed", "diverged"), error, unit, ratio, tumbles; `reason` is why
    there is no result."""
    if result is None:
        return {"state": "not run", "why": reason or "not run"}
    runs = result["runs"]
    problems = [run["problem"] for run in runs if run["problem"]] or ([result["problem"]] if result["problem"] else [])
    if problems and all(problem.startswith("not supported") for problem in problems):
        return {"state": "not supported", "why": problems[0]}
    stopped = [problem for problem in problems if problem.startswith("stopped after")]
    if stopped:  # by the time limit, which says nothing of its error
        return {"state": "stopped", "why": stopped[0]}
    if problems or not runs:
        return {"state": "failed", "why": (problems or ["no result"])[0], "ratio": WORST}
    key = "rotation_deg" if test in "25" else "dynamic_position_m" if test == "7" else "position_m"
    errors = [run[key] for run in runs]
    if any(error is None for error in errors):
        times = [run["failed_at_s"] for run in runs if run["failed_at_s"] is not None]
        return {"state": "diverged", "why": f"diverged at {min(times):.3g} s" if times else "diverged", "ratio": WORST}
    floor = PUSH_UNIT if test == "7" else result["floor"][1 if test in "25" else 0]
    error = max(errors)
    return {"state": "ok", "error": error, "unit": "deg" if test in "25" else "m", "ratio": min(WORST, max(1.0, error / floor)),
            "tumbles": any((run["tilt_deg"] or 0) > TUMBLES for run in runs), "cpu_us": sorted(run["cpu_us"] or 0 for run in runs)[len(runs) // 2] or None}


def summarise(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A line per row, the best first."""
    lines = []
    for row in rows:
        cells = {test: judge(test, row["tests"].get(test), row.get("missing", {}).get(test)) for test in TESTS}
        raw = {test: judge(test, row["raw"].get(test), row.get("missing", {}).get(f"{test} raw")) for test in RAW}
        ratios = [cell["ratio"] for cell in cells.values() if "ratio" in cell]
        creep = row["tests"].get("10")
        moved = max((run["position_m"] or 0.0 for run in creep["runs"]), default=0.0) if creep else None
        starts = [len(row["tests"][test]["runs"]) for test in TESTS if test in row["tests"] and "ratio" in cells[test]]
        lines.append({"row": row, "starts": min(starts, default=0), "cells": cells, "raw": raw, "count": len(ratios), "setup": row["setup"],
                      "mean": math.exp(sum(math.log(r) for r in ratios) / len(ratios)) if ratios else None,
                      "cost": cells["1"].get("cpu_us") or None, "creep_m": moved})
    for test in TESTS:
        order = sorted({line["cells"][test]["error"] if line["cells"][test]["state"] == "ok" else math.inf
                        for line in lines if "ratio" in line["cells"][test]})
        for line in lines:
            cell = line["cells"][test]
            if "ratio" in cell:
                cell["rank"] = 1 + order.index(cell["error"] if cell["state"] == "ok" else math.inf)
    for line in lines:
        line["worst_rank"] = max((cell["rank"] for cell in line["cells"].values() if "rank" in cell), default=None)
    lines.sort(key=lambda line: (-line["count"], line["mean"] or math.inf, line["row"]["engine"], line["row"]["preset"]))
    return lines


def write_number(value: float | None) -> str:
    if value is None:
        return ""
    if value == 0:
        return "0"
    if 0.01 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def write_cell(cell: dict[str, Any]) -> str:
    if cell["state"] == "ok":
        return write_number(cell["error"]) + (" T" if cell["tumbles"] else "")
    return {"not supported": "n/s", "not run": "-"}.get(cell["state"], cell["state"])
