"""What an engine is, and what a scene tells it. SI units; quaternions w, x, y, z from body to world axes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass
class Mesh:
    """Closed triangles, counter-clockwise seen from outside, in the body's frame."""

    vertices: Array
    """[m], shape (N, 3)."""
    triangles: npt.NDArray[np.int64]


@dataclass
class Spheres:
    """The same body as spheres, for engines made of them; positions are about the spheres' own centre of mass."""

    centre: Array
    """Of their masses, in the body's frame [m]."""
    positions: Array
    """[m], shape (N, 3)."""
    radii: Array
    """[m]."""
    masses: Array
    """[kg]."""
    extra_inertia: Array
    """What the point masses lack of the true inertia [kg m^2]."""
    start_position: Array
    start_rotation: Array


@dataclass
class Body:
    """A body with its true geometry; the origin of its frame is its centre of mass."""

    name: str
    shape: str
    """"box" (half_extents), "mesh" (mesh), "rod" (along x: half_extents[0] to the tips' ends, radius), "ball" (radius),
    "cylinder" (along z: radius, half_extents[2])."""
    half_extents: Array
    """[m]."""
    radius: float
    """[m]."""
    mass: float
    """[kg]."""
    inertia: Array
    """About the centre of mass, body axes [kg m^2]."""
    position: Array
    """At the start [m]."""
    rotation: Array
    """At the start, w, x, y, z."""
    velocity: Array
    """At the start [m/s]."""
    angular_velocity: Array
    """At the start, world axes [rad/s]."""
    force: Array
    """All the time, through the centre of mass [N]."""
    torque: Array
    """All the time [N m]."""
    prescribed: bool
    """Ignores forces and contact: it is at position + prescribed_acceleration t^2/2."""
    prescribed_acceleration: Array
    """[m/s^2]."""
    mesh: Mesh | None = None
    spheres: Spheres | None = None
    surface: Mesh | None = None
    """What touches of a mesh, where that is not the mesh itself."""


@dataclass
class Joint:
    """Ties two bodies together (tests 28 and up, where nothing touches)."""

    kind: str
    """"ball" (at a point), "hinge" (at a point, about an axis), "slide" (along an axis, without turning), "spring"."""
    bodies: tuple[int, int]
    """Of scene.bodies; -1: the world."""
    points: Array
    """Of the two bodies at the start, world axes [m]; the same but for springs."""
    axis: Array | None = None
    """Of hinges and slides at the start, world axes."""
    stiffness: float = 0.0
    """Of springs [N/m]."""
    damping: float = 0.0
    """[N s/m]."""
    length: float = 0.0
    """Without force [m]."""


@dataclass
class Scene:
    """A test as data."""

    test: int
    name: str
    gravity: Array
    """[m/s^2]."""
    ground_normal: Array
    """Unit; the ground is the plane through the origin."""
    ground_friction: float
    pair_friction: float
    restitution: float
    time_step: float
    """[s]."""
    preset: str
    bodies: list[Body] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    """Of pbdr's own solvers (contact, iterations, relaxation, engine, precision, ablation): others may ignore them."""
    joints: list[Joint] = field(default_factory=list)
    """Only for engines with uses_joints."""


class State(NamedTuple):
    """Where a body is and how it moves: what read() returns. Any sequences of numbers will do."""

    position: Any
    """Of the centre of mass [m]."""
    rotation: Any
    """Unit quaternion w, x, y, z."""
    velocity: Any
    """Of the centre of mass, world axes [m/s]."""
    angular_velocity: Any
    """World axes [rad/s]."""


class Engine:
    """An engine for the benchmark: subclass it, and run `pbdr bench --plugin mine.py --tests 1-3`.

    create() raises NotImplementedError for a scene that the engine cannot do. Whatever else is raised is a failed run: one
    row in the table. Standard output is yours: it goes to stderr.
    """

    name = "mine"
    """As on the command line: letters, digits and . _ + -; not that of a built-in solver."""
    version = ""
    presets: tuple[str, ...] = ()
    """What may follow a colon in the name on the command line; scene.preset says which."""
    uses_spheres = False
    """Simulates body.spheres: measured from their start."""
    uses_joints = False
    """Ties bodies by scene.joints; without it no scene that has any is asked of the engine."""
    processor_time: float | None = None
    """Processor time spent in the engine proper so far [s], for engines whose step() does more than that. None: all of
    step() counts."""

    def create(self, scene: Scene) -> None:
        """Makes a simulation of the scene."""
        raise NotImplementedError

    def step(self, n: int) -> int | None:
        """Advances by n time steps; returns pbdr.StepFlag bits or None. Only this is timed."""
        raise NotImplementedError

    def read(self, body: int) -> State | tuple[Any, Any, Any, Any]:
        """Position, rotation, velocity and angular velocity of scene.bodies[body]."""
        raise NotImplementedError

    def contact_force(self, body: int) -> Any:
        """Sum of the contact forces on a body in the last step, world axes [N]; None where they cannot be read."""
        return None

    def settings(self) -> dict[str, str]:
        """What shapes the result, for the record (integrator, contact parameters)."""
        return {}
