"""Checks of an adapter that cannot be faked: motions with a closed form, over the pipe, in scenes of their own.

    python3 engines/common/check.py engines/drake [--preset tuned]

The engine is asked to simulate, by whatever language it is written in (docs/protocol.md):

  fall     two boxes fly and spin without touching: x = x0 + v0 t + g t^2/2, turned by w t. Each has its own place, mass, speed
           and spin, so that the pose of another body, a wrong order of quaternions and degrees for radians show.
  order    the same with half the step: the error falls as the order of the integrator says, or is rounding.
  rest     a box of 4 kg stands on the ground, turned about the vertical: it stays, and weighs M g.
  torque   the box under 0.01 N m about the vertical, without friction: turned by tau t^2/(2 I).

  inertia  a turned body with inertia about axes that are not its own, in flight under a torque: w = R I^-1 R^T tau t.

The bounds are the integrator's own error with perfect forces: g t dt/2 and so on for order 1; see each check.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
GRAVITY, DT = 9.81, 1e-3
MASS, SIDE = 4.0, 0.2
INERTIA = MASS * SIDE**2 / 6


class Refused(Exception):
    """The engine says that it cannot do a scene."""


# --- The engine's process ---

class Client:
    """One run of an engine: hello, create, steps."""

    def __init__(self, command: str, scene: dict[str, Any] | None, environment: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE if not os.environ.get("PBDR_CHECK_VERBOSE") else None,
                                        text=True, env={**os.environ, **(environment or {})}, start_new_session=True)
        self.hello = self.call({"call": "hello", "protocol": 1})
        self.bodies = self.call({"call": "create", "scene": scene})["bodies"] if scene else []

    def call(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            told = self.process.stderr.read().strip().splitlines() if self.process.stderr else []
            raise RuntimeError("the engine ended: " + (told[-1] if told else "it said nothing"))
        answer: dict[str, Any] = json.loads(line)
        if not answer.get("ok"):
            error = str(answer.get("error"))
            raise (Refused if error.startswith("not supported") else RuntimeError)(error)
        return answer

    def step(self, count: int, forces: bool = False) -> dict[str, Any]:
        answer = self.call({"call": "step", "count": count, "forces": forces})
        self.bodies = answer["bodies"]
        return answer

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


# --- Scenes ---

Vector = Sequence[float]


def distance(a: Vector, b: Vector) -> float:
    return math.dist(a, b)


def turn(axis: Vector, angle: float) -> list[float]:
    """A quaternion w, x, y, z."""
    length = math.hypot(*axis)
    return [math.cos(angle / 2), *(math.sin(angle / 2) * a / length for a in axis)]


def multiply(p: Vector, q: Vector) -> list[float]:
    """Of quaternions: first q, then p."""
    a, b, c, d = p
    w, x, y, z = q
    return [a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w]


def angle_between(p: Vector, q: Vector) -> float:
    """Of two unit quaternions [rad]; by atan2, whose floor is rounding."""
    w, x, y, z = multiply(p, [q[0], -q[1], -q[2], -q[3]])
    return 2 * math.atan2(math.hypot(x, y, z), abs(w))


def numbers(row: Sequence[float | None]) -> list[float]:
    """An answer's numbers; null is none."""
    return [math.inf if number is None else float(number) for number in row]


def make_box(name: str, position: Any, rotation: Any, mass: float = MASS, velocity: Any = (0, 0, 0), spin: Any = (0, 0, 0),
             torque: Any = (0, 0, 0)) -> dict[str, Any]:
    inertia = mass * SIDE**2 / 6
    return {"name": name, "shape": "box", "half_extents_m": [SIDE / 2] * 3, "radius_m": 0.0, "mass_kg": mass,
            "inertia_kgm2": [[inertia, 0, 0], [0, inertia, 0], [0, 0, inertia]],
            "start": {"position_m": [float(x) for x in position], "rotation_wxyz": [float(x) for x in rotation]},
            "velocity_mps": [float(x) for x in velocity], "angular_velocity_radps": [float(x) for x in spin],
            "force_N": [0.0, 0.0, 0.0], "torque_Nm": [float(x) for x in torque], "prescribed": False,
            "prescribed_acceleration_mps2": [0.0, 0.0, 0.0], "mesh": None, "spheres": None, "surface": None}


def make_scene(name: str, bodies: list[dict[str, Any]], preset: str, friction: float = 0.4, dt: float = DT) -> dict[str, Any]:
    return {"test": 0, "name": name, "gravity_mps2": [0.0, 0.0, -GRAVITY], "ground_normal": [0.0, 0.0, 1.0],
            "ground_friction": friction, "pair_friction": friction, "restitution": 0.0, "time_step_s": dt, "preset": preset,
            "contact": "auto", "iterations": 10, "relaxation": 0.9, "engine": "auto", "precision": "auto", "ablation": "",
            "bodies": bodies}


# --- Checks: each returns (passed, what was measured beside its bound) ---

FALL_BODIES = (  # position, rotation, mass, velocity, spin about an axis of its own
    ((0.3, -0.2, 5.0), turn((1, 2, 3), 0.9), 4.0, (0.3, 0.1, 0.5), (0.0, 3.0, 1.0)),
    ((-1.7, 0.9, 7.0), turn((-2, 1, 1), 2.1), 1.5, (-0.4, 0.6, -0.2), (2.0, 0.0, -1.5)))
FALL_TIME = 0.5  # [s]


def measure_fall(command: str, preset: str, dt: float) -> tuple[float, float, float, float]:
    """Largest errors of place, turn, velocity and spin of both boxes at the end and at the start."""
    boxes = [make_box(f"box {k}", b[0], b[1], b[2], b[3], b[4]) for k, b in enumerate(FALL_BODIES)]
    client = Client(command, make_scene("fall", boxes, preset, dt=dt))
    worst = [0.0] * 4
    try:
        for t in (0.0, FALL_TIME):
            if t > 0:
                client.step(round(t / dt))
            for answer, (x, q, _, v, w) in zip(client.bodies, FALL_BODIES):
                row = numbers(answer)
                place = [x[0] + v[0] * t, x[1] + v[1] * t, x[2] + v[2] * t - GRAVITY * t * t / 2]
                turned = multiply(turn(w, math.hypot(*w) * t), q)  # about a fixed axis: a cube has no other inertia
                errors = [distance(row[:3], place), angle_between(row[3:7], turned),
                          distance(row[7:10], [v[0], v[1], v[2] - GRAVITY * t]), distance(row[10:13], w)]
                worst = [max(a, b) if math.isfinite(b) else math.inf for a, b in zip(worst, errors)]
        return worst[0], worst[1], worst[2], worst[3]
    finally:
        client.close()


def check_fall(command: str, preset: str, settings: dict[str, Any]) -> list[tuple[str, bool, str]]:
    order, epsilon = settings.get("order", 1), 6e-8 if settings["precision"] == "f32" else 1.1e-16
    steps = FALL_TIME / DT
    rounding = 8 * epsilon * steps  # of numbers up to 8, one rounding a step, all the same way
    place, turned, velocity, spin = measure_fall(command, preset, DT)
    # first order: g t dt/2; second and up: nothing but rounding, the path is a parabola
    bound = (1.01 * GRAVITY * FALL_TIME * DT / 2 if order == 1 else 1e-9) + rounding
    # an engine that keeps velocity in the body's axes ("body_velocity" in its settings) turns it with an error of first order
    # in the step as well: |w| g t dt in velocity, half of that times t in place
    coupled = 3.2 * GRAVITY * FALL_TIME * DT if settings.get("body_velocity") else 0.0
    bound += coupled * FALL_TIME / 2
    # a quaternion that is moved along its tangent loses (w dt)^3/12 a step; first order in w: half a step of spin
    turn_bound = 3.2 * DT / 2 * (1 if order == 1 else 1e-3) + rounding
    rows = [("fall", place <= bound and turned <= turn_bound and velocity <= coupled + 10 * rounding + 1e-9 and spin <= 10 * rounding + 1e-6,
             f"place {place:.2e} (<= {bound:.2e} m), turn {turned:.1e} (<= {turn_bound:.1e} rad), "
             f"velocity {velocity:.1e} m/s, spin {spin:.1e} rad/s")]
    half = measure_fall(command, preset, DT / 2)[0]
    needed = 0.55 * place if order == 1 else place
    rows.append(("order", half <= needed + 2 * rounding + 1e-9, f"error with half the step {half / max(place, 1e-300):.3f} of it (order {order})"))
    return rows


def check_rest(command: str, preset: str, settings: dict[str, Any]) -> list[tuple[str, bool, str]]:
    start, q = [1.3, -0.7, SIDE / 2], turn((0, 0, 1), 0.6)
    client = Client(command, make_scene("rest", [make_box("box", start, q)], preset))
    forces: list[Any] = []
    try:
        for _ in range(100):
            answer = client.step(10, True)
            forces.append(answer.get("contact_forces_N"))
        row = numbers(client.bodies[0])
    finally:
        client.close()
    moved, turned = distance(row[:3], start), angle_between(row[3:7], q)
    bound = settings.get("rest_m", 1e-3)  # how far soft contacts may give way; rigid ones say less
    rows = [("rest", moved <= bound and turned <= bound / (SIDE / 2), f"moved {moved:.2e} (<= {bound:g} m), turned {turned:.1e} rad")]
    read = [f[0] for f in forces[20:] if f and f[0] is not None]
    if read:
        mean = [sum(f[axis] for f in read) / len(read) for axis in range(3)]
        weight, aside = mean[2], math.hypot(mean[0], mean[1])
        exact = MASS * GRAVITY
        rows.append(("weight", abs(weight - exact) <= 1e-2 * exact and aside <= 1e-2 * exact,
                     f"{weight:.5g} N on the floor (M g = {exact:.5g} N, to 1 %)"))
    return rows


def check_torque(command: str, preset: str, settings: dict[str, Any]) -> list[tuple[str, bool, str]]:
    start, q, time, torque = [-0.4, 0.8, SIDE / 2], turn((0, 0, 1), -0.3), 2.0, 0.01
    client = Client(command, make_scene("torque", [make_box("box", start, q, torque=(0, 0, torque))], preset, friction=0.0))
    try:
        client.step(round(time / DT))
        row = numbers(client.bodies[0])
    finally:
        client.close()
    exact = torque / INERTIA * time**2 / 2
    error = angle_between(row[3:7], turn((0, 0, 1), -0.3 + exact))
    # first order: alpha t dt/2; contacts that are not quite frictionless or upright may cost half a percent more
    bound = 1.01 * torque / INERTIA * time * DT / 2 * (1 if settings.get("order", 1) == 1 else 0) + 5e-3 * exact
    speed = abs(float(row[12]) - torque / INERTIA * time)
    return [("torque", error <= bound and speed <= 5e-3 * torque / INERTIA * time + 1e-9,
             f"turned by {math.degrees(exact):.3f} deg within {math.degrees(error):.2e} (<= {math.degrees(bound):.2e} deg)")]


def solve(m: Sequence[Vector], b: Vector) -> list[float]:
    """x of m x = b, by Cramer's rule."""
    def det(a: Sequence[Vector]) -> float:
        return (a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
                + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]))
    return [det([[b[i] if j == k else m[i][j] for j in range(3)] for i in range(3)]) / det(m) for k in range(3)]


def rotate(q: Vector, v: Vector) -> list[float]:
    return multiply(multiply(q, [0.0, *v]), [q[0], -q[1], -q[2], -q[3]])[1:]


def check_inertia(command: str, preset: str, settings: dict[str, Any]) -> list[tuple[str, bool, str]]:
    """A body whose principal axes are not its own, turned, in flight without gravity: w = R I^-1 R^T tau t at first.

    20 ms turn it by less than 1 mrad, and what gyroscopic forces change is a thousandth; the bound is a hundredth.
    """
    q, time, torque = turn((1, -2, 0.5), 0.7), 0.02, [0.01, 0.02, -0.015]
    inertia = [[0.00665558, 0.00041097, 0.0015937], [0.00041097, 0.00846599, -0.00091274], [0.0015937, -0.00091274, 0.00708987]]
    body = make_box("box", (0.2, 0.1, 5.0), q, mass=2.18, torque=torque)
    body["inertia_kgm2"] = inertia
    scene = make_scene("inertia", [body], preset)
    scene["gravity_mps2"] = [0.0, 0.0, 0.0]
    client = Client(command, scene)
    try:
        client.step(round(time / DT))
        spin = numbers(client.bodies[0])[10:13]
    finally:
        client.close()
    exact = [x * time for x in rotate(q, solve(inertia, rotate([q[0], -q[1], -q[2], -q[3]], torque)))]
    error = distance(spin, exact) / math.hypot(*exact)
    return [("inertia", error <= 1e-2, f"angular velocity after 20 ms within {error:.1e} of R I^-1 R^T tau t (<= 1e-2)")]


CHECKS = (check_fall, check_rest, check_torque, check_inertia)


def find_home(folder: str) -> str:
    """The engine's environment, under build/engines."""
    root = os.environ.get("PBDR_ENGINES") or os.path.join(HERE, "..", "..", "build", "engines")
    with open(os.path.join(folder, "settings.json"), encoding="utf-8") as file:
        return os.path.abspath(os.path.join(root, json.load(file).get("environment", os.path.basename(os.path.abspath(folder)))))


def find_command(folder: str) -> str:
    """How an adapter is started: its language by its file."""
    folder = os.path.abspath(folder)
    home = find_home(folder)
    if os.path.exists(os.path.join(folder, "adapter.py")):
        python = os.path.join(home, "venv", "bin", "python")
        python = python if os.path.exists(python) else sys.executable
        return shlex.join([python, os.path.join(HERE, "serve.py"), os.path.join(folder, "adapter.py")])
    if os.path.exists(os.path.join(folder, "adapter.mjs")):
        return f"PBDR_ENGINE_HOME={shlex.quote(home)} " + shlex.join(["node", os.path.join(folder, "adapter.mjs")])
    return shlex.join([os.path.join(home, "adapter")])


def run_checks(command: str, preset: str, settings: dict[str, Any]) -> list[tuple[str, bool, str]]:
    """(name, passed, text) of every check; what the engine cannot do is passed, and said."""
    rows: list[tuple[str, bool, str]] = []
    for check in CHECKS:
        try:
            rows += check(command, preset, settings)
        except Refused as why:
            rows.append((check.__name__[6:], True, str(why)))
        except Exception as error:  # whatever an engine does is a failed check
            rows.append((check.__name__[6:], False, f"{type(error).__name__}: {error}"))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks an adapter against closed forms.")
    parser.add_argument("folder")
    parser.add_argument("--preset", action="append", help="default: default and tuned")
    arguments = parser.parse_args()
    with open(os.path.join(arguments.folder, "settings.json"), encoding="utf-8") as file:
        settings = json.load(file)
    failed = 0
    for preset in arguments.preset or [name for name in ("default", "tuned") if name in settings["presets"]]:
        for name, passed, text in run_checks(find_command(arguments.folder), "" if preset == "default" else preset, settings):
            print(f"{'ok  ' if passed else 'FAIL'} {settings['engine']}:{preset} {name}: {text}", flush=True)
            failed += not passed
    home = find_home(arguments.folder)
    if failed and not os.path.exists(os.path.join(home, "ok")):
        print(f"{home} is not set up: scripts/engine_setup.sh {os.path.basename(home)} does it, with a line of engines/versions")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
