# Written by scripts/python_stubs.py.
"""The compiled part of pbdr."""

from collections.abc import Callable, Iterator, Sequence
import os
from typing import Any

import numpy
import numpy.typing

from ._dtypes import Hit
from ._show import Picture
from .errors import StepFlag
from .plot import Recording

__version__: str



class Shape:
    """
    What bodies are made of: immutable, and shared by any number of bodies.
    """

    @staticmethod
    def box(size: float | Sequence[float], mass: float, n: int = 4) -> Shape:
        """
        A box about the origin. size: its sides, or one number for a cube [m]; mass [kg]; n: spheres along the
        shortest side (0: 4, fewer of long boxes). It touches by its true surface in XPBD-R.
        """

    @staticmethod
    def ball(radius: float, mass: float) -> Shape:
        """A ball of a radius [m] and a mass [kg]: one sphere."""

    @staticmethod
    def capsule(radius: float, length: float, mass: float) -> Shape:
        """
        A capsule along z: radius [m], length between the centres of its caps [m], mass [kg].
        """

    @staticmethod
    def cylinder(radius: float, height: float, mass: float, n: int = 4) -> Shape:
        """
        A cylinder along z: radius and height [m], mass [kg]; n: spheres along the shortest side.
        """

    @staticmethod
    def spheres_of(positions: numpy.typing.ArrayLike, radii: numpy.typing.ArrayLike, masses: numpy.typing.ArrayLike, extra_inertia: numpy.typing.ArrayLike | None = None, mesh: tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike] | None = None) -> Shape:
        """
        Spheres of one's own: centres (N, 3) [m], radii (N,) [m], masses (N,) [kg]. extra_inertia (3, 3): what the
        body has beyond its point masses [kg m^2]; mesh: (vertices, faces) that touch in their place.
        """

    @staticmethod
    def mesh(source_mesh: str | os.PathLike[str] | tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike] | Any, /, *, mass: float | None = None, density: float | None = None, extent: float | None = None, size: float | None = None, scale: float | None = None, spheres: int = 0, radius: float | None = None, packing: str = 'surface', source: str = 'mended', uniform_masses: bool = False, max_volume_error: float = 0.01, quality: bool = True, seed: int = 1) -> Shape:
        """
        A mesh packed with spheres that weigh what the solid weighs; its true surface touches.

        source_mesh: a path (OBJ, STL, PLY, MSH), something with vertices and faces (trimesh), or both as arrays [m].
        mass [kg] or density [kg/m^3]: one of them. extent: largest side [m]; size: each side [m]; scale: a factor.
        spheres: how many at most (0: 1000); radius: of the largest [m]; packing: 'surface' or 'grid' (the paper's).
        source: 'mended', 'wrapped' or 'hull' for damaged meshes. Ctrl-C stops it.
        """

    @staticmethod
    def point_cloud(points: str | os.PathLike[str] | numpy.typing.ArrayLike, /, *, normals: numpy.typing.ArrayLike | None = None, mass: float | None = None, density: float | None = None, extent: float | None = None, size: float | None = None, scale: float | None = None, spheres: int = 0, radius: float | None = None, packing: str = 'surface', source: str = 'mended', uniform_masses: bool = False, max_volume_error: float = 0.01, quality: bool = True, seed: int = 1) -> Shape:
        """
        The solid that points (N, 3) [m] are the surface of, packed with spheres; normals (N, 3) if known.
        points may be a path (PLY, XYZ). Options as of mesh.
        """

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Shape:
        """
        A shape out of a body file (pbdr-body/1): what save or `pbdr pack` wrote, or MorphIt's centers and radii.
        """

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Writes a body file (JSON, pbdr-body/1), which load and `pbdr pack --spheres` read.
        """

    def __reduce__(self) -> tuple[Any, ...]: ...

    @property
    def mass(self) -> float:
        """Mass [kg]."""

    @property
    def centre(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Centre of mass in the frame that the shape was defined in [m], shape (3,).
        """

    @property
    def inertia(self) -> numpy.typing.NDArray[numpy.float64]:
        """Inertia about the centre of mass, rest axes [kg m^2], shape (3, 3)."""

    @property
    def spheres(self) -> numpy.recarray[Any, Any]:
        """
        Spheres as a record array: position from the centre of mass [m], radius [m], mass [kg].
        """

    @property
    def sphere_count(self) -> int:
        """Number of spheres."""

    @property
    def surface(self) -> str:
        """
        What touches: "none" (the spheres), "ball", "capsule", "box", "cylinder", "mesh", "compound".
        """

    @property
    def quality(self) -> dict[str, float] | None:
        """
        How well the spheres stand for the mesh they were packed in (gaps [m], cover, support); None for others.
        """

    @property
    def nbytes(self) -> int:
        """Memory that it holds [bytes]."""

    @property
    def _recipe(self) -> tuple[Any, ...]: ...

    def hash(self) -> int:
        """64 bits that two shapes share if their bodies move alike to the bit."""

    def with_mass(self, mass: float) -> Shape:
        """
        The same spheres and surface of another mass [kg], inertia in proportion.
        """

    def __repr__(self) -> str: ...

def _pack_mesh(vertices: Any, faces: Any, options: dict[str, Any]) -> Shape: ...

def _pack_cloud(points: Any, normals: Any, options: dict[str, Any]) -> Shape: ...

def _read_mesh(path: str) -> tuple[Any, Any]: ...

def _read_cloud(path: str) -> tuple[Any, Any]: ...

class _Scene:
    def shape(self, index: int) -> Shape: ...

    @property
    def duration(self) -> float: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

def _open_scene(path: str, text: str, spheres_touch: bool, spheres_per_side: int, sphere_radius: float) -> _Scene: ...

def _world_of_scene(scene: _Scene, solver: str, dt: float | None, threads: int, strict: bool, events: bool) -> World: ...

class World:
    """
    Bodies and planes, and the solver that moves them. SI units, z up, quaternions w, x, y, z.
    """

    def __init__(self, solver: str = 'xpbdr', dt: float = 0.001, threads: int = 1, contact: str = 'surface', gravity: numpy.typing.ArrayLike = (0.0, 0.0, -9.81), precision: str = 'f64', engine: str = 'auto', iterations: int = 10, relaxation: float = 0.9, mixing: str = 'geometric_mean', ablate: Sequence[str] = (), events: bool = False, strict: bool = False, effort: str = 'balanced', tolerance: float = 0.0, max_newton_steps: int = 0, sleeping: bool = False) -> None:
        """
        An empty world.

        solver: 'xpbdr' (contacts solved to rounding), 'pbd-r' (the paper's) or 'pbd'. dt: substep [s]. threads: of a step;
        no bit depends on it. contact: what touches, 'surface' (XPBD-R) or 'spheres'. gravity [m/s^2]. precision: 'f64' or
        'f32'; engine: 'auto', 'particle' or 'reduced'; iterations, relaxation and ablate ('velocity', 'linear',
        'angular'): of PBD and PBD-R. mixing: how two frictions make one ('geometric_mean', 'minimum', 'maximum',
        'average'). events: note what begins and ends to touch. strict: raise StepError on a flag of step. Of XPBD-R:
        effort 'fast', 'balanced' or 'exact', tolerance (residual over the forces' sum; 0: the default), max_newton_steps (0: as
        the solver sees fit), sleeping (islands at rest are not computed until something disturbs them).
        """

    def add_plane(self, normal: numpy.typing.ArrayLike = (0.0, 0.0, 1.0), offset: float = 0.0, friction: float = 0.4, restitution: float = 0.0, rolling_friction: float = 0.0, spinning_friction: float = 0.0, category: int = 1, mask: int = 0xffffffffffffffff, name: str | None = None) -> Plane:
        """
        A plane; the half space normal.x < offset [m] is solid. friction: coefficient; restitution 0 to 1;
        rolling_friction, spinning_friction [m]; category and mask: bits of who touches whom.
        """

    def add_body(self, shape: Shape, position: numpy.typing.ArrayLike = (0.0, 0.0, 0.0), quat: numpy.typing.ArrayLike = (1.0, 0.0, 0.0, 0.0), velocity: numpy.typing.ArrayLike = (0.0, 0.0, 0.0), omega: numpy.typing.ArrayLike = (0.0, 0.0, 0.0), friction: float = 0.4, kind: str = 'dynamic', restitution: float = 0.0, rolling_friction: float = 0.0, spinning_friction: float = 0.0, category: int = 1, mask: int = 0xffffffffffffffff, name: str | None = None, user_data: object = None) -> Body:
        """
        A body of a shape. position: of its centre of mass [m]; quat: from body to world axes; velocity of the centre of
        mass [m/s], omega [rad/s], world axes; friction: coefficient; kind: 'dynamic', 'static' or 'kinematic';
        restitution 0 to 1; rolling_friction, spinning_friction [m]; category and mask: bits of who touches whom.
        """

    def close(self) -> None:
        """
        Gives all memory back at once, as the end of a `with` does. Handles of its bodies then raise InvalidIdError.
        """

    def __enter__(self) -> World: ...

    def __exit__(self, *exception: object) -> None: ...

    def show(self, *, duration: float = 0.0, trajectory: Recording | str | os.PathLike[str] | None = None, picture: bool = False, height: int = 480, azimuth: float = -60.0, elevation: float = 25.0, width: int = 480, max_spheres: int = 20000) -> Picture:
        """
        For notebooks: the world in the page of `pbdr view`, where one can turn it. duration [s]: a copy of the world runs
        on for so long, and the page plays it; trajectory: it plays what pbdr.plot.record has seen, or a CSV file. height of
        the page [pixels]. picture=True, or one of azimuth, elevation [deg], width [pixels] and max_spheres: a picture (SVG),
        which is also what there is where the page was not built (make web). save(path) of the result writes a file.
        """

    def __repr__(self) -> str: ...

    @property
    def dt(self) -> float:
        """Substep [s]."""

    @dt.setter
    def dt(self, arg: float, /) -> None: ...

    @property
    def gravity(self) -> numpy.typing.NDArray[numpy.float64]:
        """Gravity [m/s^2], shape (3,)."""

    @gravity.setter
    def gravity(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def iterations(self) -> int:
        """Constraint iterations per substep, of PBD and PBD-R."""

    @iterations.setter
    def iterations(self, arg: int, /) -> None: ...

    @property
    def relaxation(self) -> float:
        """Share of each contact correction applied, 0 to 1, of PBD and PBD-R."""

    @relaxation.setter
    def relaxation(self, arg: float, /) -> None: ...

    @property
    def effort(self) -> str:
        """How hard XPBD-R tries: "fast", "balanced" or "exact"."""

    @effort.setter
    def effort(self, arg: str, /) -> None: ...

    @property
    def tolerance(self) -> float:
        """
        Residual over the forces' sum at which an island counts as solved; 0: the default.
        """

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

    @property
    def max_newton_steps(self) -> int:
        """
        Newton steps of an island in a substep at most; 0: as the solver sees fit.
        """

    @max_newton_steps.setter
    def max_newton_steps(self, arg: int, /) -> None: ...

    @property
    def sleeping(self) -> bool:
        """
        Whether islands at rest are not computed until something disturbs them.
        """

    @sleeping.setter
    def sleeping(self, arg: bool, /) -> None: ...

    @property
    def asleep(self) -> int:
        """Bodies that sleep now."""

    @property
    def strict(self) -> bool:
        """Whether step raises StepError on a flag, instead of warning once."""

    @strict.setter
    def strict(self, arg: bool, /) -> None: ...

    @property
    def solver(self) -> str:
        """"pbd", "pbd-r" or "xpbdr"."""

    @property
    def precision(self) -> str:
        """"f32" or "f64"."""

    @property
    def engine(self) -> str:
        """"particle" or "reduced"."""

    @property
    def contact(self) -> str:
        """"surface" or "spheres"."""

    @property
    def mixing(self) -> str:
        """How two frictions make one."""

    @property
    def threads(self) -> int:
        """Threads that a step works with."""

    @property
    def substeps(self) -> int:
        """Substeps taken."""

    @property
    def time(self) -> float:
        """Substeps taken times the time step [s]."""

    @property
    def nbytes(self) -> int:
        """Memory that it holds [bytes]."""

    @property
    def ignored(self) -> list[str]:
        """
        What the file that it was loaded from has, and is not simulated: a sentence each.
        """

    @property
    def closed(self) -> bool:
        """Whether close() was called."""

    def step(self, n: int = 1, callback: Callable[[World], object] | None = None) -> StepFlag:
        """
        Advances by n substeps and returns what they had to say: StepFlag(0) is all well. Other threads run meanwhile,
        and Ctrl-C ends it after some 20 ms. callback(world) is called after each substep; it ends the step by returning
        False. A flag is told as a StepWarning once, or raised as a StepError if the world is strict.
        """

    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Centres of mass of all bodies [m], shape (bodies, 3): a read-only view that follows the world until
        bodies come or go. Assigning places the bodies.
        """

    @positions.setter
    def positions(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def quats(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Quaternions w, x, y, z from body to world axes, shape (bodies, 4): a view as positions.
        """

    @quats.setter
    def quats(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def velocities(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Velocities of the centres of mass [m/s], shape (bodies, 3): a view as positions.
        """

    @velocities.setter
    def velocities(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def omegas(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Angular velocities, world axes [rad/s], shape (bodies, 3): a view as positions.
        """

    @omegas.setter
    def omegas(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def bodies(self) -> BodyList:
        """The bodies: world.bodies[0], world.bodies["name"], iteration, len."""

    @property
    def planes(self) -> list[Plane]:
        """The planes."""

    @property
    def contacts(self) -> numpy.recarray[Any, Any]:
        """
        Contacts of the last substep as a record array: body_a, body_b, plane (rows of bodies and planes, -1 for
        none), sphere_a, sphere_b (-1: by the surface), point [m], normal (towards body_a), separation [m] (< 0 where
        they overlap), force on body_a [N].
        """

    @property
    def events(self) -> numpy.recarray[Any, Any]:
        """
        What began and ended to touch in the last step (World(events=True)): begin, body_a, body_b, plane, substep.
        """

    @property
    def events_on(self) -> bool:
        """Whether steps note events."""

    @events_on.setter
    def events_on(self, arg: bool, /) -> None: ...

    def ray(self, origin: numpy.typing.ArrayLike, direction: numpy.typing.ArrayLike, max_distance: float = float('inf'), category: int = 1, mask: int = 0xffffffffffffffff) -> Hit | None:
        """The first thing on a ray [m], or None."""

    def nearest(self, point: numpy.typing.ArrayLike, max_distance: float = float('inf'), category: int = 1, mask: int = 0xffffffffffffffff) -> Hit | None:
        """
        The surface nearest to a point, or None; the distance [m] is below zero inside.
        """

    @property
    def ledger_on(self) -> bool:
        """
        Whether steps keep the ledger (docs/ledger.md). Switching it on starts its sums at zero.
        """

    @ledger_on.setter
    def ledger_on(self, arg: bool, /) -> None: ...

    def take_ledger(self) -> dict[str, float]:
        """
        The ledger's row since the last one: momentum, energies, work, penetration, slip, residual, with their units.
        """

    @property
    def profiling(self) -> bool:
        """Whether steps measure their stages."""

    @profiling.setter
    def profiling(self, arg: bool, /) -> None: ...

    @property
    def profile(self) -> dict[str, Any]:
        """Seconds per stage, and counts, since profiling was switched on."""

    @property
    def state(self) -> bytes:
        """
        Everything that changes as the world runs. A world made by the same calls goes on from it bit for bit.
        """

    @state.setter
    def state(self, value: bytes, /) -> None: ...

    def hash(self) -> int:
        """
        64 bits of all poses and velocities: for checks that two runs have the same bits.
        """

    def save_snapshot(self, path: str | os.PathLike[str], key: int = 0) -> None:
        """
        The state as a file that is written whole or not at all (docs/state.md).
        """

    def load_snapshot(self, path: str | os.PathLike[str], key: int = 0) -> None:
        """Goes on from such a file."""

    def copy(self) -> World:
        """
        An independent world that goes on bit for bit as this one. Shapes and user data are shared.
        """

    def __copy__(self) -> World: ...

    def __deepcopy__(self, memo: Any, /) -> World: ...

    def __reduce__(self) -> tuple[Any, ...]: ...

    @property
    def joints(self) -> dict[str, Joint]:
        """The joints by their names."""

    def add_joint(self, kind: str, body_a: Body | None, body_b: Body | None, point: numpy.typing.ArrayLike = (0.0, 0.0, 0.0), axis: numpy.typing.ArrayLike = (0.0, 0.0, 1.0), anchor_a: numpy.typing.ArrayLike | None = None, length: float | None = None, touch: bool = False, lower: float = float('-inf'), upper: float = float('inf'), stiffness: float = 0.0, reference: float = 0.0, damping: float = 0.0, friction: float = 0.0, armature: float = 0.0, motor: str = 'none', target: float = 0.0, motor_stiffness: float = 0.0, motor_damping: float = 0.0, max_force: float = float('inf'), name: str | None = None, min_force: float = float('inf')) -> Joint:
        """
        A joint between two bodies, None for the world, at a point and along an axis of the world, where the bodies are
        now. kind: 'ball', 'hinge', 'slide', 'fixed', 'universal', 'distance', 'span' or 'exclusion'. anchor_a [m], length
        [m]: of a distance or span. touch: whether the two may touch. Of a hinge, slide or span: lower, upper (bounds),
        stiffness, reference, damping, friction, armature; motor 'force', 'velocity' or 'position' with target,
        motor_stiffness, motor_damping, max_force and min_force (inf: the opposite). A ball has all of these but lower,
        reference and a motor; upper bounds its angle.
        """

    def add_gear(self, leader: Joint, follower: Joint, ratio: float = 1.0, coefficients: Sequence[float] | None = None, name: str | None = None) -> Joint:
        """
        The position of one axis is a polynomial of another's: ratio times it, from where they are now, or with up to five
        coefficients, the first for the power 0.
        """

    @property
    def control(self) -> Any:
        """
        What the scene's actuators are told, as an array: world.control[:] = values.
        """

    @property
    def actuators(self) -> list[str]:
        """Their names."""

    def _get_controls(self) -> list[float]: ...

    def _set_controls(self, values: Sequence[float]) -> None: ...

    def find_accelerations(self) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Forward dynamics without contacts: of bodies, linear and angular (n, 6) [m/s^2, rad/s^2]; of joints' axes.
        """

    @property
    def sensors(self) -> dict[str, numpy.typing.NDArray[numpy.float64]]:
        """
        What the scene's sensors measure, by their names. Forces and accelerations are means over the last
        substep.
        """

    def read_sensor(self, kind: str, body: Body | None = None, joint: Joint | None = None, other: Body | None = None, position: numpy.typing.ArrayLike = (0.0, 0.0, 0.0), quat: numpy.typing.ArrayLike = (1.0, 0.0, 0.0, 0.0), zone: str = 'all', size: numpy.typing.ArrayLike = (0.0, 0.0, 0.0)) -> numpy.typing.NDArray[numpy.float64]:
        """
        What a sensor would measure. kind: 'joint_position', 'joint_velocity', 'joint_force' of a joint; of a site on a body,
        at position [m] from its centre of mass and turned by quat: 'force' and 'torque' of a joint or of contact (with other,
        or all), 'accelerometer' (accelerations = True before the step), 'gyro', 'velocimeter', 'touch' (in a zone,
        'ellipsoid', 'box', 'capsule' or 'cylinder' of sizes size), 'position', 'rotation', 'velocity', 'angular_velocity'.
        """

    @property
    def accelerations(self) -> bool:
        """
        Whether steps note accelerations, for accelerometers. On in worlds of scenes with one.
        """

    @accelerations.setter
    def accelerations(self, arg: bool, /) -> None: ...

class BodyList:
    """
    A world's bodies, in the order of the rows of its arrays: by number and by name.
    """

    def __len__(self) -> int: ...

    def __getitem__(self, key: int | str, /) -> Body: ...

    def __iter__(self) -> Iterator[Body]: ...

    def __contains__(self, item: object, /) -> bool:
        """Whether there is a body of this name, or this body."""

    def keys(self) -> list[str | None]:
        """Names, None for bodies without one."""

    def __repr__(self) -> str: ...

def _make_again(parts: dict[str, Any]) -> World: ...

class Joint:
    """
    A joint of a world. Position and velocity are those of body B, seen from body A.
    """

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def position(self) -> float:
        """
        Of a hinge [rad], counting whole turns; of a ball its angle [rad]; of a slide, distance or span [m].
        """

    @property
    def velocity(self) -> float:
        """[rad/s, m/s]"""

    @property
    def axis_force(self) -> float:
        """
        What motor, spring, damper, friction and bounds did in the last substep [N m, N].
        """

    @property
    def force(self) -> numpy.typing.NDArray[numpy.float64]:
        """What the joint did to body B in the last substep, world axes [N]."""

    @property
    def torque(self) -> numpy.typing.NDArray[numpy.float64]:
        """The same about B's anchor [N m]."""

    @property
    def gap(self) -> float:
        """Of its anchors [m]."""

    @property
    def turn_gap(self) -> float:
        """Of its axes [rad]."""

    @property
    def target(self) -> float:
        """What the motor aims at: a force, a velocity or a position."""

    @target.setter
    def target(self, arg: float, /) -> None: ...

    @property
    def motor_stiffness(self) -> float:
        """Of a motor to a force or position [N/m, N m/rad]."""

    @motor_stiffness.setter
    def motor_stiffness(self, arg: float, /) -> None: ...

    @property
    def motor_damping(self) -> float:
        """Likewise [N s/m, N m s/rad]."""

    @motor_damping.setter
    def motor_damping(self, arg: float, /) -> None: ...

    def destroy(self) -> None:
        """Its bodies stay, its gears go."""

    def __repr__(self) -> str: ...

class Body:
    """
    A handle of a body. It keeps its world alive; after destroy it raises InvalidIdError.
    """

    @property
    def position(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Centre of mass [m], shape (3,). Setting it keeps the velocity and forgets the world's contacts.
        """

    @position.setter
    def position(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def quat(self) -> numpy.typing.NDArray[numpy.float64]:
        """Quaternion w, x, y, z from body to world axes, shape (4,)."""

    @quat.setter
    def quat(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def rotation(self) -> numpy.typing.NDArray[numpy.float64]:
        """The same as a matrix, shape (3, 3): x_world = rotation @ x_body."""

    @property
    def velocity(self) -> numpy.typing.NDArray[numpy.float64]:
        """Velocity of the centre of mass [m/s], shape (3,)."""

    @velocity.setter
    def velocity(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def omega(self) -> numpy.typing.NDArray[numpy.float64]:
        """Angular velocity, world axes [rad/s], shape (3,)."""

    @omega.setter
    def omega(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def momentum(self) -> numpy.typing.NDArray[numpy.float64]:
        """Linear momentum [kg m/s], shape (3,)."""

    @property
    def angular_momentum(self) -> numpy.typing.NDArray[numpy.float64]:
        """Angular momentum about the centre of mass [kg m^2/s], shape (3,)."""

    def set_target(self, position: numpy.typing.ArrayLike, quat: numpy.typing.ArrayLike | None = None, time: float = 0.0) -> None:
        """
        Moves a kinematic body so that it is at the pose after `time` [s], exactly, and rests from then on. Contact feels
        the velocity. quat None: it keeps its own.
        """

    @property
    def target(self) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], float] | None:
        """
        Position [m], quaternion and time left [s] of the target it is on its way to, or None.
        """

    @property
    def force(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Force through the centre of mass, world axes, in every substep until changed [N], shape (3,).
        """

    @force.setter
    def force(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def torque(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Torque about the centre of mass, world axes, in every substep until changed [N m], shape (3,).
        """

    @torque.setter
    def torque(self, value: numpy.typing.ArrayLike, /) -> None: ...

    def apply_force(self, force: numpy.typing.ArrayLike, point: numpy.typing.ArrayLike | None = None) -> None:
        """
        A force [N] at a world point [m] (None: the centre of mass) that acts besides during the next call of step only.
        """

    def apply_torque(self, torque: numpy.typing.ArrayLike) -> None:
        """A torque [N m] that acts besides during the next call of step only."""

    def apply_impulse(self, impulse: numpy.typing.ArrayLike, point: numpy.typing.ArrayLike | None = None) -> None:
        """
        An impulse [N s] at a world point [m] (None: the centre of mass): changes the velocity at once.
        """

    def apply_angular_impulse(self, impulse: numpy.typing.ArrayLike) -> None:
        """An angular impulse [N m s], at once."""

    def contact_wrench(self, point: numpy.typing.ArrayLike | None = None, other: Body | Plane | None = None) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Force [N] and torque about a world point [N m] (None: the centre of mass) of contact on the body in the last
        substep, by another body or plane, or by all (None).
        """

    @property
    def contacts(self) -> numpy.recarray[Any, Any]:
        """
        Contacts of this body in the last substep, as world.contacts; it stands as body_a in all of them, so that
        `contacts.force.sum(0)` is the force on it [N].
        """

    @property
    def friction(self) -> float:
        """Friction coefficient, >= 0."""

    @friction.setter
    def friction(self, arg: float, /) -> None: ...

    @property
    def restitution(self) -> float:
        """Restitution, 0 to 1 (XPBD-R)."""

    @restitution.setter
    def restitution(self, arg: float, /) -> None: ...

    @property
    def category(self) -> int:
        """Bits of the categories that it is in (default 1)."""

    @category.setter
    def category(self, arg: int, /) -> None: ...

    @property
    def mask(self) -> int:
        """Bits of the categories that it touches (default all)."""

    @mask.setter
    def mask(self, arg: int, /) -> None: ...

    @property
    def name(self) -> str | None:
        """Its key in world.bodies, or None."""

    @name.setter
    def name(self, value: str | None, /) -> None: ...

    @property
    def user_data(self) -> Any:
        """Anything of the user's."""

    @user_data.setter
    def user_data(self, value: object, /) -> None: ...

    @property
    def shape(self) -> Shape:
        """
        Its shape. Another one keeps centre of mass, rotation and velocity, and forgets the world's contacts.
        """

    @shape.setter
    def shape(self, value: Shape, /) -> None: ...

    @property
    def mass(self) -> float:
        """
        Mass [kg]. Setting it gives the body the same shape of that mass (Shape.with_mass).
        """

    @mass.setter
    def mass(self, arg: float, /) -> None: ...

    @property
    def inertia(self) -> numpy.typing.NDArray[numpy.float64]:
        """About the centre of mass, body axes [kg m^2], shape (3, 3)."""

    @property
    def kind(self) -> str:
        """"dynamic", "static" or "kinematic"."""

    @property
    def spheres(self) -> numpy.typing.NDArray[numpy.float64]:
        """World positions of its spheres' centres [m], shape (spheres, 3)."""

    @property
    def row(self) -> int:
        """Its row in the world's arrays, and its number in contacts and events."""

    @property
    def world(self) -> World:
        """The world it is in."""

    @property
    def alive(self) -> bool:
        """Whether it exists: neither it nor its world was destroyed."""

    @property
    def asleep(self) -> bool:
        """Whether it sleeps (World(sleeping=True))."""

    def wake(self) -> None:
        """Wakes it, and with the next substep what it lies among."""

    def destroy(self) -> None:
        """Takes it out of the world. Handles of it then raise InvalidIdError."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Plane:
    """A handle of a plane: the half space normal.x < offset is solid."""

    @property
    def friction(self) -> float:
        """Friction coefficient, >= 0."""

    @friction.setter
    def friction(self, arg: float, /) -> None: ...

    @property
    def restitution(self) -> float:
        """Restitution, 0 to 1."""

    @restitution.setter
    def restitution(self, arg: float, /) -> None: ...

    @property
    def offset(self) -> float:
        """normal . (any point of the plane) [m]."""

    @offset.setter
    def offset(self, arg: float, /) -> None: ...

    @property
    def category(self) -> int:
        """Bits of the categories that it is in (default 1)."""

    @category.setter
    def category(self, arg: int, /) -> None: ...

    @property
    def mask(self) -> int:
        """Bits of the categories that it touches (default all)."""

    @mask.setter
    def mask(self, arg: int, /) -> None: ...

    @property
    def normal(self) -> numpy.typing.NDArray[numpy.float64]:
        """Unit normal, out of the solid, shape (3,)."""

    @normal.setter
    def normal(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def name(self) -> str | None:
        """As it was given."""

    @property
    def row(self) -> int:
        """Its number in contacts and events."""

    @property
    def alive(self) -> bool:
        """Whether it exists."""

    def destroy(self) -> None:
        """Takes it out of the world."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Batch:
    """
    Many copies of a world with values of their own, stepped by one call on all cores. Arrays have the worlds
    first and the bodies second, and are the batch's own memory: writing into them is setting (a pose, velocity,
    load, friction or mass), and takes effect at the next step. Every world has the bits that it has on its own.
    """

    def __init__(self, world: World, count: int, threads: int = 0, backend: str = 'cpu') -> None:
        """
        Copies the world count times. threads: that step them; 0: one per core. No bit depends on it. backend: "cpu", worlds
        of their own; "gpu", the kernel for small worlds on a CUDA device; "host", the same kernel, with the same bits, on
        the processor (docs/gpu.md).
        """

    def __repr__(self) -> str: ...

    @property
    def position(self) -> numpy.typing.NDArray[numpy.float64]:
        """Centres of mass [m], shape (worlds, bodies, 3)."""

    @position.setter
    def position(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def quat(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Quaternions w, x, y, z from body to world axes, shape (worlds, bodies, 4).
        """

    @quat.setter
    def quat(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def velocity(self) -> numpy.typing.NDArray[numpy.float64]:
        """Velocities of the centres of mass [m/s], shape (worlds, bodies, 3)."""

    @velocity.setter
    def velocity(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def omega(self) -> numpy.typing.NDArray[numpy.float64]:
        """Angular velocities, world axes [rad/s], shape (worlds, bodies, 3)."""

    @omega.setter
    def omega(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def force(self) -> numpy.typing.NDArray[numpy.float64]:
        """Forces in every substep until changed [N], shape (worlds, bodies, 3)."""

    @force.setter
    def force(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def torque(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Torques in every substep until changed [N m], shape (worlds, bodies, 3).
        """

    @torque.setter
    def torque(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def friction(self) -> numpy.typing.NDArray[numpy.float64]:
        """Friction coefficients of bodies, shape (worlds, bodies)."""

    @friction.setter
    def friction(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def mass(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Masses [kg], shape (worlds, bodies); inertia goes with them. Writing one allocates at the next step.
        """

    @mass.setter
    def mass(self, value: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def plane_friction(self) -> numpy.typing.NDArray[numpy.float64]:
        """Friction coefficients of planes, shape (worlds, planes)."""

    @plane_friction.setter
    def plane_friction(self, value: numpy.typing.ArrayLike, /) -> None: ...

    def step(self, n: int = 1) -> None:
        """
        Advances every world by n substeps; `flags` says what they had to say. Other threads run meanwhile. Values that no
        body can have raise InvalidArgumentError before any world has moved.
        """

    def reset(self, mask: numpy.typing.ArrayLike | None = None) -> None:
        """
        Makes the chosen worlds (truth values, one per world, or indices; None: all) what the first world was: state,
        loads, frictions and masses.
        """

    def set_target(self, body: int, position: numpy.typing.ArrayLike, quat: numpy.typing.ArrayLike | None = None, time: float = 0.0, mask: numpy.typing.ArrayLike | None = None) -> None:
        """
        Moves a kinematic body, by its row, to a pose per world (or one for all) in a time [s], as Body.set_target.
        """

    def hash(self) -> numpy.typing.NDArray[numpy.uint64]:
        """One per world, as World.hash."""

    def contact_force(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Force of all contacts on each body in the last substep [N], shape (worlds, bodies, 3).
        """

    def contact_moment(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Their moment about its centre of mass, with the lever arms at the end of that substep [N m], shape (worlds, bodies, 3).
        """

    def contact_count(self) -> numpy.typing.NDArray[numpy.int32]:
        """Number of contacts in each world, shape (worlds,)."""

    def step_alone(self, n: int, launches: int = 1) -> float:
        """
        Steps launches times n substeps without a look at the arrays: nothing leaves the device until fetch. Returns the time
        that it took [s]. backend="host" or "gpu".
        """

    def fetch(self) -> None:
        """
        Poses, velocities and flags into the arrays; what was written there since the last step is lost.
        """

    def device_values(self, body: int = 0) -> Any:
        """
        Pose (position, quaternion w, x, y, z) and velocity (linear, angular) of a body where the device has them, by DLPack
        (torch.from_dlpack; NumPy's with backend="host"), without a copy: shape (blocks, 32, 13), world w at
        [w // 32, w % 32]. It changes as the batch steps. backend="host" or "gpu".
        """

    def device_wrenches(self, body: int = 0) -> Any:
        """
        Force and moment of a body's contacts (contact_force, contact_moment) likewise, shape (blocks, 32, 6), as of this call:
        the moments change with the next one.
        """

    def device_flags(self) -> Any:
        """
        Flags likewise, as whole numbers, shape (blocks, 32). They change as the batch steps.
        """

    @property
    def backend(self) -> str:
        """As given."""

    def world(self, index: int) -> World:
        """A copy of one of the worlds."""

    @property
    def flags(self) -> numpy.typing.NDArray[numpy.uint32]:
        """Of the last step, StepFlag bits, shape (worlds,)."""

    @property
    def names(self) -> list[str | None]:
        """Names of the bodies, by row."""

    @property
    def threads(self) -> int:
        """Threads that step the worlds."""

    @property
    def nbytes(self) -> int:
        """Memory that it holds [bytes]."""

    def __len__(self) -> int: ...
