"""world.show(): a picture of a world as SVG, and the replay of a trajectory where the command can make one."""

from __future__ import annotations

import base64
import os
import subprocess
import tempfile
from typing import Any

import numpy as np

from . import _cli
from ._core import World
from .errors import NotSupportedError

_COLOURS = ("#4878a8", "#d9823b", "#5a9e6f", "#b5545c", "#8b73b8", "#8c6d5a", "#cf7fb0", "#7f7f7f")


class Picture:
    """HTML that notebooks show; save(path) writes it."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return self.html

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture as a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)


def _look(azimuth: float, elevation: float) -> tuple[Any, Any, Any]:
    """Right, up and towards the eye, for angles [deg]."""
    a, e = np.radians(azimuth), np.radians(elevation)
    eye = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    right = np.array([-np.sin(a), np.cos(a), 0.0])
    return right, np.cross(eye, right), eye


def _draw_floor(world: World, centre: Any, extent: float, right: Any, up: Any) -> list[str]:
    lines = []
    for plane in world.planes:
        normal = plane.normal
        if normal[2] < 0.5:
            continue
        first = np.cross(normal, [0.0, 1.0, 0.0])
        first /= np.linalg.norm(first)
        second = np.cross(normal, first)
        middle = centre + (plane.offset - centre @ normal) * normal
        for k in np.linspace(-1, 1, 11):
            for a, b in ((first, second), (second, first)):
                ends = [middle + extent * (k * a + s * b) for s in (-1, 1)]
                (x1, y1), (x2, y2) = [(p @ right, -(p @ up)) for p in ends]
                lines.append(f'<line x1="{x1:.5g}" y1="{y1:.5g}" x2="{x2:.5g}" y2="{y2:.5g}"/>')
    return [f'<g stroke="#ccc" stroke-width="{0.004 * extent:.3g}">', *lines, "</g>"] if lines else []


def draw(world: World, *, azimuth: float = -60.0, elevation: float = 25.0, width: int = 480, max_spheres: int = 20000) -> str:
    """The world's spheres as SVG, seen from azimuth and elevation [deg]."""
    right, up, eye = _look(azimuth, elevation)
    circles: list[tuple[float, str]] = []
    lower, upper = np.full(3, np.inf), np.full(3, -np.inf)
    count = sum(body.shape.sphere_count for body in world.bodies)
    if count > max_spheres:
        raise ValueError(f"show: {count} spheres are more than max_spheres = {max_spheres}")
    for number, body in enumerate(world.bodies):
        centres, radii = body.spheres, body.shape.spheres.radius
        lower = np.minimum(lower, (centres - radii[:, None]).min(0))
        upper = np.maximum(upper, (centres + radii[:, None]).max(0))
        fill = _COLOURS[number % len(_COLOURS)]
        for x, y, depth, radius in zip(centres @ right, centres @ up, centres @ eye, radii):
            circles.append((depth, f'<circle cx="{x:.5g}" cy="{-y:.5g}" r="{radius:.4g}" fill="{fill}"/>'))
    if not circles:
        lower, upper = np.full(3, -0.5), np.full(3, 0.5)
    centre, extent = 0.5 * (lower + upper), max(0.75 * float(np.linalg.norm(upper - lower)), 1e-6)
    x, y = centre @ right, -(centre @ up)
    shapes = [text for _, text in sorted(circles, key=lambda circle: circle[0])]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{width * 3 // 4}" '
        f'viewBox="{x - extent:.5g} {y - 0.75 * extent:.5g} {2 * extent:.5g} {1.5 * extent:.5g}">',
        f"<title>pbdr world at {world.time:.6g} s</title>",
        *_draw_floor(world, centre, extent, right, up),
        f'<g stroke="#222" stroke-opacity="0.35" stroke-width="{0.002 * extent:.3g}">', *shapes, "</g>", "</svg>",
    ])


def can_replay() -> bool:
    """Whether the command has `pbdr view`."""
    try:
        done = subprocess.run([_cli.find_program(), "view", "--help"], capture_output=True, timeout=20, check=False)
    except OSError:
        return False
    return done.returncode == 0


def _replay(trajectory: str | os.PathLike[str], height: int) -> Picture:
    if not can_replay():
        raise NotSupportedError("show: the pbdr command here has no `view`, which makes replays; without trajectory= it is a picture")
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "replay.html")
        subprocess.run([_cli.find_program(), "view", os.fspath(trajectory), "-o", page], check=True, capture_output=True)
        with open(page, "rb") as file:
            data = base64.b64encode(file.read()).decode("ascii")
    return Picture(f'<iframe src="data:text/html;base64,{data}" width="100%" height="{height}"></iframe>')


def show(world: World, *, trajectory: str | os.PathLike[str] | None = None, height: int = 480, **options: Any) -> Picture:
    """A picture of the world as it stands (options: azimuth, elevation [deg], width [pixels], max_spheres), or the replay of
    a trajectory of it (a CSV file, pbdr.plot.record(...).save) by `pbdr view` where the command has that."""
    if trajectory is not None:
        return _replay(trajectory, height)
    return Picture(draw(world, **options))
