"""The leaderboard's second and third table: tests 8 to 27, and mechanisms, tests 28 to 37, one start each; what a cell of them says.

A test with a question of yes or no ("does it slide?") is answered right or wrong; of the others the figure that the test is about
is compared with what it should be: |measured - exact|/|exact|. Where energy has to stay, it is the largest error over the weight of
all bodies times a metre.
"""

from __future__ import annotations

from typing import Any

NAMES = {"8": "push that friction holds", "9": "push that friction cannot hold", "10": "creep on a slope", "11": "stopping distance",
         "12": "spinning disc", "13": "ball rolling downhill", "14": "ball from sliding to rolling", "15": "bouncing ball",
         "16": "torque-free precession", "17": "push that does not tip", "18": "push that tips", "19": "elastic collision",
         "20": "rough collision", "21": "tower of 10", "22": "100 kg on five boxes of 1 kg", "23": "1000 kg on five boxes of 1 kg",
         "24": "Newton's cradle", "25": "Newton's cradle with gaps", "26": "arch that stands", "27": "arch that falls"}
JOINTED = {"28": "pendulum", "29": "double pendulum", "30": "precession of a top", "31": "nutation of a top", "32": "slider-crank",
           "33": "IFToMM A01, pendulum", "34": "IFToMM A02, two four-bars", "35": "IFToMM A03, Andrews' mechanism",
           "36": "IFToMM A04, Bricard's mechanism", "37": "IFToMM A05, flyball governor"}
WEIGHTS = {"33": 9.81, "34": 5 * 9.81, "36": 5 * 9.81}  # [N], of the tests whose energy has to stay
GOOD, BAD = 1e-3, 1.0  # relative errors at the ends of the colour scale
STATES = {"not supported": "not supported", "stopped after": "stopped"}  # what a problem begins with


def judge(result: dict[str, Any] | None, test: str = "", reason: str | None = None) -> dict[str, Any]:
    """state ("right", "wrong", "figure", "not supported", "stopped", "failed", "not run"), and the relative error of the figure;
    `reason` is why there is no result."""
    if result is None:
        return {"state": "not supported" if (reason or "").startswith("not supported") else "not run", "why": reason or "not run"}
    run = result["runs"][0] if result["runs"] else {"problem": result["problem"] or "no result"}
    if run.get("problem"):
        state = next((state for start, state in STATES.items() if run["problem"].startswith(start)), "failed")
        return {"state": state, "why": run["problem"]}
    if run.get("failed_at_s") is not None:
        return {"state": "failed", "why": f"diverged at {run['failed_at_s']:.3g} s"}
    name, unit, measured, exact = run.get("figure") or ["", "", None, None]
    text = f"{name} {measured} {unit}, exactly {exact} {unit}" if exact is not None else f"{name} {measured} {unit}"
    if run.get("answer") == "wrong" or (run.get("answer") and test not in WEIGHTS):
        return {"state": run["answer"], "why": text}
    if measured is not None and test in WEIGHTS:
        return {"state": "figure", "error": abs(measured) / WEIGHTS[test], "why": text}
    if measured is None or not exact:
        return {"state": "failed", "why": "no figure"}
    return {"state": "figure", "error": abs(measured - exact) / abs(exact), "why": text}


def count_right(cells: dict[str, dict[str, Any]]) -> tuple[int, int]:
    """Right answers and figures within a hundredth; tests that ran."""
    ran = [cell for cell in cells.values() if cell["state"] in ("right", "wrong", "figure", "failed")]
    return sum(cell["state"] == "right" or (cell["state"] == "figure" and cell["error"] <= 1e-2) for cell in ran), len(ran)


def write_cell(cell: dict[str, Any]) -> str:
    if cell["state"] != "figure":
        return {"right": "\u2713", "wrong": "\u2717", "not supported": "n/s", "not run": "-", "failed": "f", "stopped": "t"}[cell["state"]]
    percent = 100 * cell["error"]
    return "0" if percent < 0.005 else f"{percent:.2g}" if percent < 99.5 else f"{percent:.0f}"
