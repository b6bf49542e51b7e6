"""World.show(): the page of `pbdr view`, or a picture as SVG where that has not been built."""

from __future__ import annotations

import html
import json
import os
import subprocess
import tempfile
import warnings
from typing import Any

import numpy as np

from . import _cli
from ._core import World
from ._shapes import describe as describe_shape
from .errors import Error
from .plot import Recording, find_names, record

_COLOURS = ("#4878a8", "#d9823b", "#5a9e6f", "#b5545c", "#8b73b8", "#8c6d5a", "#cf7fb0", "#7f7f7f")


class Picture:
    """HTML that notebooks show: a page (height [pixels]) or an SVG; save(path) writes it."""

    def __init__(self, html: str, height: int | None = None) -> None:
        self.html = html
        self.height = height

    @property
    def is_page(self) -> bool:
        """Whether it is a page of `pbdr view`, which can be turned and played."""
        return self.height is not None

    def _repr_html_(self) -> str:
        if self.height is None:
            return self.html
        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="{self.height}" style="border:0"></iframe>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page (.html) or the picture (.svg)."""
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


def _describe(world: World) -> dict[str, Any]:
    """A scene of what the bodies look like, about their centres of mass (docs/scenes.md)."""
    meshes: list[dict[str, Any]] = []
    looks: dict[int, list[dict[str, Any]]] = {}
    bodies = []
    for name, body in zip(find_names(world), world.bodies):
        key = body.shape.hash()
        if key not in looks:
            looks[key] = describe_shape(body.shape, meshes)
        bodies.append({"name": name, "kind": body.kind, "mass_kg": body.mass, "shape": "compound", "parts": looks[key],
                       "start": {"position_m": body.position.tolist(), "rotation_wxyz": body.quat.tolist()}})
    planes = [{"normal": plane.normal.tolist(), "point_m": (plane.offset * plane.normal).tolist()} for plane in world.planes]
    return {"schema": "pbdr-scene/2", "planes": planes, "meshes": meshes, "bodies": bodies}


def _replay(world: World, recording: Recording | str | os.PathLike[str], height: int) -> Picture | None:
    """The page of `pbdr view`; None where it has not been built (`make web`)."""
    with tempfile.TemporaryDirectory() as folder:
        scene, page = os.path.join(folder, "scene.json"), os.path.join(folder, "replay.html")
        with open(scene, "w", encoding="utf-8") as file:
            json.dump(_describe(world), file)
        if isinstance(recording, Recording):
            path = os.path.join(folder, "world.csv")
            recording.save(path)
        else:
            path = os.fspath(recording)
        done = subprocess.run([_cli.find_program(), "view", path, "--scene", scene, "-o", page], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0 and "not built" in done.stderr:
            return None
        if done.returncode != 0:
            raise Error(done.stderr.strip() or f"pbdr view ended with {done.returncode}")
        with open(page, encoding="utf-8") as file:
            return Picture(file.read(), height)


def show(world: World, *, duration: float = 0.0, trajectory: Recording | str | os.PathLike[str] | None = None,
         picture: bool = False, height: int = 480, **options: Any) -> Picture:
    """World.show."""
    if picture or options:
        return Picture(draw(world, **options))
    shown = record(world.copy(), duration) if trajectory is None else trajectory
    page = _replay(world, shown, height) if len(world.bodies) > 0 else None
    if page is None and (duration > 0 or trajectory is not None):
        warnings.warn("show: a picture of the world as it stands; the page that plays it is not built (make web, docs/view.md)",
                      UserWarning, stacklevel=2)
    return page if page is not None else Picture(draw(world))
