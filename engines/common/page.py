"""Writes docs/leaderboard: index.html (self-contained), leaderboard.csv and .json beside it, and badges. From bench/results.

    python3 engines/common/page.py [FOLDER]      the folder docs/leaderboard, or another one
"""

from __future__ import annotations

import html
import json
import math
import os
import shutil
import sys
from typing import Any

import extended
import missing
import results
from scatter import make_scatter
from summary import NAMES, RAW, TESTS, summarise, write_cell, write_number

ROOT = results.ROOT

OUT = os.path.join(ROOT, "docs", "leaderboard")
NO_GPU = "Empty: no machine with a GPU has run it yet. <code>make leaderboard DEVICE=gpu</code> fills it there: MJX, mujoco_warp, Newton, Genesis and Brax."
NO_REPLAYS = ("<p>The replays of the seven tests are 4 MB of scripts and are not kept in git. <code>make web</code> and then <code>python3 engines/common/replays.py</code> "
              "make them, and this page with them.</p>")
HERE = os.path.dirname(os.path.abspath(__file__))
FILES = [f"leaderboard{kind}.{ending}" for kind in ("", "_gpu") for ending in ("csv", "json")]


def colour(ratio: float) -> tuple[str, str]:
    """Background and text on a log scale, 1 to 1e4: light yellow-green to deep purple; reads without colour too, by its darkness."""
    share = min(1.0, math.log10(ratio) / 4)
    stops = [(237, 248, 177), (127, 205, 187), (65, 182, 196), (34, 94, 168), (40, 16, 90)]
    k = min(3, int(share * 4))
    part = share * 4 - k
    rgb = [round(a + (b - a) * part) for a, b in zip(stops[k], stops[k + 1])]
    # black or white, whichever stands out more (WCAG's luminance): 4.5 to 1 at least
    light = sum(w * (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4)
                for w, v in zip((0.2126, 0.7152, 0.0722), (c / 255 for c in rgb)))
    return f"rgb({rgb[0]},{rgb[1]},{rgb[2]})", "#fff" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000"


def make_cell(cell: dict[str, Any], test: str) -> str:
    text = html.escape(write_cell(cell))
    if "ratio" not in cell:
        return f'<td class="none" data-v="1e9" title="{html.escape(cell.get("why", cell["state"]))}">{text}</td>'
    back, front = colour(cell["ratio"])
    title = cell.get("why") or f'{write_number(cell["ratio"])} times the floor; rank {cell["rank"]}'
    return (f'<td data-v="{cell.get("error", 1e8):.6g}" style="background:{back};color:{front}" title="{html.escape(title)}">'
            f"{text}</td>")


def make_row(place: int, line: dict[str, Any]) -> str:
    row = line["row"]
    name = html.escape(f'{row["title"]}') + (f' <small>{html.escape(row["preset"])}</small>')
    if 0 < line["starts"] < 3:
        name += f' <small>({line["starts"]} start{"s" if line["starts"] > 1 else ""})</small>'
    marks = ' <abbr title="creeps: moved more than 1 mm in the 60 s of Test 10">c</abbr>' if (line["creep_m"] or 0) > 1e-3 else ""
    if row.get("older"):
        marks += f' <abbr title="of an older state of the adapter; since then: {html.escape(row["older"])}">o</abbr>'
    if list_kept(row):
        marks += f' <abbr title="kept from an earlier run, on a machine that is not recorded, and so without cost: tests {html.escape(list_kept(row))}">k</abbr>'
    wrong = [check[0] for check in row.get("checks") or [] if not check[1]]
    if wrong:
        marks += f' <abbr title="does not pass the check of {html.escape(", ".join(wrong))}: open the row">!</abbr>'
    if row["setup"] or not line["count"]:
        why = row["setup"] or "each test " + next(iter(row["missing"].values()), "not run")
        return (f'<tr data-name="{html.escape(row["title"].lower())} {html.escape(row["preset"])}" data-preset="{html.escape(row["preset"])}"><td>{place}</td>'
                f'<th scope="row">{name}</th><td colspan="10" class="none reason">{html.escape(why)}</td></tr>')
    cells = "".join(make_cell(line["cells"][test], test) for test in TESTS)
    mean, rank, cost = line["mean"], line["worst_rank"], line["cost"]
    return (f'<tr data-row="{place - 1}" data-name="{html.escape(row["title"].lower())} {html.escape(row["preset"])}" data-preset="{html.escape(row["preset"])}">'
            f'<td data-v="{place}">{place}</td><th scope="row"><button type="button" class="open" data-row="{place - 1}">{name}</button>{marks}</th>{cells}'
            f'<td data-v="{mean or 1e9:.6g}">{write_number(mean)}</td><td data-v="{rank or 999}">{rank or ""}</td>'
            f'<td data-v="{cost or 1e9:.6g}">{write_number(cost)}</td></tr>')


def make_extended_cell(cell: dict[str, Any]) -> str:
    title, text = html.escape(cell.get("why") or cell["state"]), html.escape(extended.write_cell(cell))
    if cell["state"] in ("not supported", "stopped", "not run"):
        return f'<td class="none" title="{title}">{text}</td>'
    error = {"right": extended.GOOD, "wrong": extended.BAD, "failed": extended.BAD}.get(cell["state"]) or min(extended.BAD, max(extended.GOOD, cell["error"]))
    back, front = colour((error / extended.GOOD) ** (4 / 3))  # three decades of error on four of colour
    return f'<td style="background:{back};color:{front}" title="{title}">{text}</td>'


def make_extended(lines: list[dict[str, Any]], names: dict[str, str] = extended.NAMES) -> str:
    """Rows of the table of tests 8 to 27, or 28 to 37: the most right answers first; last, in one line each, engines that have none
    of them for one and the same reason."""
    rows, without = [], {}
    for line in lines:
        row = line["row"]
        if row["preset"] not in missing.SUITES or row["setup"]:
            continue
        cells = {test: extended.judge(row["tests"].get(test), test, row["missing"].get(test)) for test in names}
        right, ran = extended.count_right(cells)
        reasons = {cell["why"] for cell in cells.values()} if not ran else set()
        if len(reasons) == 1:
            without[row["title"]] = reasons.pop()
        else:
            rows.append((-right, row, ran, cells))
    rows.sort(key=lambda row: row[0])
    return "\n".join([f'<tr><th scope="row">{html.escape(row["title"])} <small>{html.escape(row["preset"])}</small></th>'
                      + "".join(map(make_extended_cell, cells.values())) + f"<td>{-right} of {ran}</td></tr>" for right, row, ran, cells in rows]
                     + [f'<tr><th scope="row">{html.escape(title)}</th><td class="none reason" colspan="{len(names) + 1}">{html.escape(why)}</td></tr>'
                        for title, why in sorted(without.items())])


def make_raw(lines: list[dict[str, Any]]) -> str:
    """Rows of the table of both meshes: tests 4 to 6 with the flat base and with the raw mesh, in the order of the first table."""
    rows = []
    for line in lines:
        row = line["row"]
        cells = [line[kind][test] for test in RAW for kind in ("cells", "raw")]
        if not row["setup"] and any("ratio" in cell for cell in cells):
            rows.append(f'<tr><th scope="row">{html.escape(row["title"])} <small>{html.escape(row["preset"])}</small></th>'
                        + "".join(make_cell({"rank": "-", **cell}, test) for cell, test in zip(cells, [t for t in RAW for _ in (0, 1)])) + "</tr>")
    return "\n".join(rows)


def make_versions(lines: list[dict[str, Any]]) -> str:
    """Rows of the table of versions: what was run, how it was set up, on which machine, and when last."""
    rows = []
    for line in lines:
        row = line["row"]
        machine = row["setup"] or (list_machines(row) if row["tests"] else "not run")
        rows.append(f'<tr><th scope="row">{html.escape(row["title"])} <small>{html.escape(row["preset"])}</small></th>'
                    + "".join(f'<td class="text">{html.escape(str(text or ""))}</td>' for text in (row.get("version"), row["packages"], machine, row.get("date"))) + "</tr>")
    return "\n".join(rows)


def make_raw_heads() -> str:
    return "".join(f'<th scope="col" title="Test {t}: {NAMES[t]}">T{t} {kind}<br><small>{"deg" if t in "25" else "m"}</small></th>' for t in RAW for kind in ("flat", "raw"))


def list_kept(row: dict[str, Any]) -> str:
    """The tests whose results are of an earlier run, on a machine that was not recorded."""
    tests = [int(test) for test, result in row["tests"].items() if int(test) in results.FIRST and not result["machine"]]
    raw = [f"{test} raw" for test, result in row["raw"].items() if not result["machine"]]
    return ", ".join([*([write_ranges(tests)] if tests else []), *raw])


def make_gpu(lines: list[dict[str, Any]]) -> str:
    """The table of GPU runs, or what to do for one."""
    if not any(line["count"] for line in lines):
        return f"<p>{NO_GPU}</p>"
    heads = "".join(f'<th scope="col">T{t}<br><small>{"deg" if t in "25" else "m"}</small></th>' for t in TESTS)
    rows = "".join(f'<tr><th scope="row" title="{html.escape(line["row"]["packages"])}">{html.escape(line["row"]["title"].replace(" (CPU)", ""))} '
                   f'<small>{html.escape(line["row"]["preset"])}</small>{tell_settings(line["row"])}</th>' + "".join(make_cell(line["cells"][test], test) for test in TESTS)
                   + f'<td>{write_number(line["mean"])}</td><td>{tell_cost(line)}</td></tr>' for line in lines if line["count"])
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="Runs on a GPU"><table><thead><tr><th scope="col" style="text-align:left">engine</th>{heads}<th scope="col">mean<br><small>x floor</small></th>'
            f'<th scope="col">cost<br><small>us/step</small></th></tr></thead><tbody>{rows}</tbody></table></div>'
            f"<p>One world on an {html.escape(results.get_device('gpu') or 'unknown GPU')}, one start at least; versions stand in the title of a name (JAX is that machine's own, not the one of the CPU's "
            f"rows). The cost is that of a step of the test that it names, by the clock, with the wait for the GPU, while other engines ran beside. Tests 4 to 6 there are those of the raw mesh. What reads - was not run there: <code>make leaderboard DEVICE=gpu ENGINES=NAME</code> runs it. {html.escape(tell_missing(lines))}</p>")


def summarise_gpu(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Where a GPU's runs have the raw mesh alone, tests 4 to 6 are those."""
    return summarise([{**row, "tests": {**row["tests"], **{t: result for t, result in row["raw"].items() if t not in row["tests"]}}} for row in rows])


def tell_cost(line: dict[str, Any]) -> str:
    """Of a step of Test 1, or of the first of the others whose cost is on record, which is said."""
    test = next((t for t in ("1", "3", "2", *TESTS) if line["cells"][t].get("cpu_us")), None)
    return "" if test is None else write_number(line["cells"][test]["cpu_us"]) + ("" if test == "1" else f" <small>T{test}</small>")


def tell_settings(row: dict[str, Any]) -> str:
    """A mark where the preset has changed since the runs."""
    with open(os.path.join(ROOT, "engines", row["folder"], "settings.json"), encoding="utf-8") as file:
        presets = json.load(file)["presets"]
    now = {**presets["default"], **presets.get(row["preset"], {})}
    changed = ", ".join(f"{key} {row['options'][key]}" for key in row["options"] if row["options"][key] != now.get(key))
    return f' <abbr title="with older settings of this preset: {html.escape(changed)}">o</abbr>' if changed else ""


def tell_missing(lines: list[dict[str, Any]]) -> str:
    """The rows of the GPU's table that no test was run of."""
    missing = [f'{line["row"]["title"].replace(" (CPU)", "")} {line["row"]["preset"]}' for line in lines if not line["count"]]
    return f"Not run there: {', '.join(missing)}." if missing else ""


def list_machines(row: dict[str, Any]) -> str:
    """Which machines the tests of a row were run on."""
    found: dict[str, list[int]] = {}
    for test, result in row["tests"].items():
        found.setdefault(result["machine"] or results.NOT_RECORDED, []).append(int(test))
    if len(found) == 1:
        return next(iter(found))
    return "; ".join(f"{name} (tests {write_ranges(tests)})" for name, tests in found.items())


def write_ranges(numbers: list[int]) -> str:
    """1, 2, 3, 5: "1 to 3, 5"."""
    runs: list[list[int]] = []
    for k in sorted(numbers):
        if runs and k == runs[-1][-1] + 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs)


def tell_run(run: dict[str, Any]) -> str:
    """Of a test from 8 on: the reason for no numbers, or error of position, figure and answer as far as the test has them."""
    if run["problem"] or run["failed_at_s"] is not None:
        return run["problem"] or f"diverged at {run['failed_at_s']:.3g} s"
    name, unit, measured, exact = run["figure"] or [None] * 4
    parts = [f"{run['position_m']} m" if run["position_m"] is not None else "", "" if measured is None else f"{name} {measured} {unit}"
             + (f" (exactly {exact})" if exact is not None else ""), run["answer"] or ""]
    return ", ".join(part for part in parts if part)


def make_detail(line: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of a row when it is opened."""
    row = line["row"]
    more = {test: [tell_run(run) for run in result["runs"][:1]] for test, result in row["tests"].items() if int(test) > 7}
    return {key: row.get(key) for key in ("title", "preset", "solver", "version", "packages", "hash", "date", "licence", "home", "precision", "method",
                                          "geometry", "friction", "notes", "options", "checks", "wall_s", "carried", "older", "missing", "joints")} | {
        "machine": list_machines(row), "kept": list_kept(row),
        "raw": {test: {"error": write_cell(cell), "cpu_us": cell.get("cpu_us")} for test, cell in line["raw"].items()},
        "series": {test: row["tests"][test]["series"] for test in TESTS if test in row["tests"]},
        "cells": {test: {key: value for key, value in cell.items() if key != "rank"} for test, cell in line["cells"].items()},
        "tilt": {test: max((run["tilt_deg"] or 0 for run in row["tests"][test]["runs"]), default=None) for test in TESTS if test in row["tests"]},
        "cost": {test: line["cells"][test].get("cpu_us") for test in TESTS},
        "setup": {test: [run["setup_s"] for run in row["tests"][test]["runs"] if run["setup_s"] is not None] for test in TESTS if test in row["tests"]}, "extended": more, "creep_m": line["creep_m"]}


def make_replays() -> str:
    """Buttons where the scripts have been made (replays.py); else what makes them, and nothing to click on."""
    missing_ones = [name for name in ("page", *(f"test{t}" for t in TESTS)) if not os.path.exists(os.path.join(OUT, "replays", f"{name}.js"))]
    if missing_ones:
        return NO_REPLAYS
    buttons = " ".join(f'<button type="button" data-replay="{t}">Test {t}: {NAMES[t]}</button>' for t in TESTS)
    return (f'<p>PBD, PBD-R and XPBD-R, simulated again in this page and checked by hashes against the native run; the grey ghost is the reference.</p>\n'
            f'<p class="replays">{buttons}</p>\n<p id="replay-said" role="status"></p>\n'
            '<iframe id="replay" title="The replay that was chosen" hidden style="width:100%;height:760px;border:1px solid #888"></iframe>')


def make_badge(line: dict[str, Any], path: str) -> None:
    label, value = "pbdr benchmark", f'{write_number(line["mean"])} x floor'
    if line["count"] < 7:
        value += f' ({line["count"]} of 7)'
    left, right = 7 * len(label) + 6, 7 * len(value) + 6
    back, front = colour(line["mean"] or 1e6)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{label}: {value}">'
                   f'<rect width="{left}" height="20" fill="#444"/><rect x="{left}" width="{right}" height="20" fill="{back}"/>'
                   f'<g font-family="DejaVu Sans,Verdana,sans-serif" font-size="11"><text x="6" y="14" fill="#fff">{label}</text>'
                   f'<text x="{left + 6}" y="14" fill="{front}">{value}</text></g></svg>\n')


def main() -> None:
    lines, on_gpu = summarise(results.load()), summarise_gpu(results.load("gpu"))
    os.makedirs(os.path.join(OUT, "badges"), exist_ok=True)
    with open(os.path.join(HERE, "page.html"), encoding="utf-8") as file:
        page = file.read()
    heads = "".join(f'<th scope="col" class="sort" title="Test {t}: {NAMES[t]}, worst seed at the end"><button type="button">T{t}<br><small>{"deg" if t in "25" else "m"}</small></button></th>'
                    for t in TESTS)
    done = [line for line in lines if not line["setup"] and line["count"]]
    presets = sorted({line["row"]["preset"] for line in lines})
    ran = {line["row"]["engine"] for line in done}
    more, jointed = ("".join(f'<th scope="col" title="Test {t}: {html.escape(name)}"><span>{t}</span></th>' for t, name in named.items())
                     for named in (extended.NAMES, extended.JOINTED))
    names, mechanisms = ("; ".join(f"<b>{t}</b> {html.escape(name)}" for t, name in named.items()) for named in (extended.NAMES, extended.JOINTED))
    fields = {"HEADS": heads, "EXTENDED_HEADS": more, "EXTENDED_ROWS": make_extended(lines), "EXTENDED_NAMES": names,
              "JOINT_HEADS": jointed, "JOINT_ROWS": make_extended(lines, extended.JOINTED), "JOINT_NAMES": mechanisms, "GPU": make_gpu(on_gpu), "RAW_HEADS": make_raw_heads(), "VERSIONS": make_versions(lines), "RAW_ROWS": make_raw(lines), "ROWS": "\n".join(make_row(k + 1, line) for k, line in enumerate(lines)), "SCATTER": make_scatter(lines),
              "REPLAYS": make_replays(),
              "ENGINES": str(len(ran)), "MINUTES": f'{sum(line["row"].get("wall_s") or 0 for line in lines) / 60:.0f}', "COUNT": str(len(done)), "DATE": max((line["row"].get("date") or "" for line in lines), default=""),
              "PRESETS": "".join(f'<option value="{html.escape(p)}">{html.escape(p)}</option>' for p in presets),
              "DATA": json.dumps([make_detail(line) for line in lines], separators=(",", ":")).replace("</", "<\\/")}
    for key, value in fields.items():
        page = page.replace("{{" + key + "}}", value)
    with open(os.path.join(OUT, "index.html"), "w", encoding="utf-8") as file:
        file.write(page)
    for name in FILES:
        if os.path.exists(os.path.join(results.FOLDER, name)):
            shutil.copyfile(os.path.join(results.FOLDER, name), os.path.join(OUT, name))
    for line in done:
        make_badge(line, os.path.join(OUT, "badges", f'{line["row"]["engine"]}_{line["row"]["preset"].replace(" ", "_")}.svg'))
    print(f"{os.path.relpath(os.path.join(OUT, 'index.html'), ROOT)}: {len(done)} rows of {len(ran)} engines, {os.path.getsize(os.path.join(OUT, 'index.html')) // 1024} kB")


if __name__ == "__main__":
    OUT = sys.argv[1] if len(sys.argv) > 1 else OUT
    main()
