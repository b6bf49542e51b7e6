"""The leaderboard's plot: geometric mean of error over floor against microseconds per step, both on log scales, each point with its
engine's name. A name goes where it meets no point and no other name; where there is no such place, the row's number stands instead.
"""

from __future__ import annotations

import html
import math
from typing import Any

from summary import write_number

WIDE, HIGH, LEFT, RIGHT, TOP, LOW = 960, 560, 62, 20, 16, 52  # [px]
LETTER, LINE = 6.4, 12.0  # [px]: a letter's mean width and a line's height at the size of the labels
FILLS = {"default": "#225ea8", "tuned": "#41b6c4"}
Box = tuple[float, float, float, float]  # left, top, right, bottom


def find_decades(values: list[float]) -> tuple[int, int]:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def make_grid(xs: tuple[int, int], ys: tuple[int, int], place: Any) -> list[str]:
    parts = []
    for k in range(xs[0], xs[1] + 1):
        x = place(10.0**k, 10.0 ** ys[0])[0]
        parts.append(f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{TOP}" y2="{HIGH - LOW}" stroke="#ddd"/>'
                     f'<text x="{x:.0f}" y="{HIGH - LOW + 18}" text-anchor="middle">{10.0**k:g}</text>')
    for k in range(ys[0], ys[1] + 1):
        y = place(10.0 ** xs[0], 10.0**k)[1]
        parts.append(f'<line x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{y:.0f}" y2="{y:.0f}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 8}" y="{y + 4:.0f}" text-anchor="end">{10.0**k:g}</text>')
    return [*parts, f'<text x="{(LEFT + WIDE - RIGHT) / 2:.0f}" y="{HIGH - 10}" text-anchor="middle">processor time of a step of 1 ms, Test 1 [us]</text>',
            f'<text transform="translate(14 {HIGH / 2:.0f}) rotate(-90)" text-anchor="middle">error over floor, geometric mean</text>']


def meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def find_spot(x: float, y: float, text: str, taken: list[Box]) -> Box | None:
    """Beside the point, above or below it, then a little further."""
    wide = LETTER * len(text)
    for far in (7.0, 13.0, 20.0):
        for dx, dy in ((far, 0.0), (-far - wide, 0.0), (-wide / 2, -far - 3), (-wide / 2, far + 3), (far / 1.4, -far), (far / 1.4, far),
                       (-far / 1.4 - wide, -far), (-far / 1.4 - wide, far)):
            box = (x + dx, y + dy - LINE / 2, x + dx + wide, y + dy + LINE / 2)
            inside = box[0] > LEFT + 2 and box[2] < WIDE - 2 and box[1] > 2 and box[3] < HIGH - LOW - 2
            if inside and not any(meet(box, other) for other in taken):
                return box
    return None


def make_label(x: float, y: float, name: str, number: str, taken: list[Box]) -> str:
    for text in (name, number):
        box = find_spot(x, y, text, taken)
        if box:
            taken.append(box)
            return f'<text x="{(box[0] + box[2]) / 2:.1f}" y="{(box[1] + box[3]) / 2 + 3.5:.1f}" text-anchor="middle" class="small">{html.escape(text)}</text>'
    return ""


def make_scatter(lines: list[dict[str, Any]]) -> str:
    points = [(line["cost"], line["mean"], line["row"], k + 1) for k, line in enumerate(lines) if line["cost"] and line["mean"] and line["count"] == 7]
    if not points:
        return ""
    xs, ys = find_decades([p[0] for p in points]), (0, find_decades([p[1] for p in points])[1])

    def place(cost: float, mean: float) -> tuple[float, float]:
        return (LEFT + (math.log10(cost) - xs[0]) / (xs[1] - xs[0]) * (WIDE - LEFT - RIGHT),
                HIGH - LOW - (math.log10(mean) - ys[0]) / (ys[1] - ys[0]) * (HIGH - LOW - TOP))

    parts = [f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="Accuracy against cost: geometric mean of error over floor, and microseconds per step">']
    parts += make_grid(xs, ys, place)
    taken: list[Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in (place(p[0], p[1]) for p in points)]
    for cost, mean, row, number in sorted(points, key=lambda p: p[1]):
        x, y = place(cost, mean)
        full = f'{row["title"]} {row["preset"]}: {write_number(mean)} x floor, {write_number(cost)} us'
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{FILLS.get(row["preset"], "#999")}"><title>{html.escape(full)}</title></circle>')
        name = row["title"].removesuffix(" (CPU)")
        parts.append(make_label(x, y, name if row["preset"] in FILLS else f'{name} {row["preset"]}', str(number), taken))
    return "".join(parts) + "</svg>"
