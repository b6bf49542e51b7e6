"""A Panda pushes the box of Test 7 to a goal pose in closed loop.

    pip install gymnasium-robotics mujoco        # or: scripts/models.py --fetch-only, which unpacks the wheel's models
    python samples/panda.py [X Y DEGREES]

The arm is the MJCF of the wheel gymnasium-robotics, as it is there: seven hinges with ranges and damping, two fingers, position
actuators with force ranges. A rod is fixed to its hand. The controller of samples/arm.py chooses the pushes; joints are told
where to be by inverse kinematics, with gravity's and the dampers' share ahead, as MuJoCo finds them for the same model.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import tempfile
import warnings
from pathlib import Path

import mujoco  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

import pbdr

sys.path.insert(0, str(Path(__file__).parent))
from arm import PERIOD, Arm, push_to  # noqa: E402

Array = npt.NDArray[np.float64]

FRANKA = Path("envs/assets/kitchen_franka/franka_assets")
HOME = (0.0, 0.106, 0.0, -1.571, 0.0, 0.107, 0.785)  # of the seven joints, the hand downwards [rad]
ROD, HALF, MASS = 0.36, 0.07, 0.1  # of the rod: along the hand's axis from the last joint, half its length [m], mass [kg]
HAND = "panda0_link7"

SCENE = """<mujoco model="panda">
  <include file="{folder}/assets.xml"/> <include file="{folder}/actuator.xml"/>
  <compiler angle="radian" meshdir="{folder}/meshes"/> <option timestep="0.001"/>
  <worldbody>
    <geom name="floor" type="plane" size="3 3 0.1" friction="0.4 0 0"/>
    <body name="mount" pos="-0.45 0 0"> <include file="{folder}/chain.xml"/> </body>
    <body name="box" pos="0 0 0.1"> <freejoint/> <geom type="box" size="0.1 0.1 0.1" mass="4" friction="0.4 0 0"/> </body>
  </worldbody>
  <keyframe> <key name="home" qpos="{home} 0 0  0 0 0.1 1 0 0 0" ctrl="{home} 0 0"/> </keyframe>
  <custom> <text name="pbdr_keyframe" data="home"/> </custom>
</mujoco>"""


def find_franka() -> Path:
    """The folder of the arm's files, of the package where it is installed, or of its wheel."""
    package = importlib.util.find_spec("gymnasium_robotics")
    places = [Path(p) for p in (package.submodule_search_locations or [])] if package else []
    places.append(Path(__file__).parent.parent / "build" / "data" / "models" / "gymnasium_robotics")
    for place in places:
        if (place / FRANKA / "chain.xml").exists():
            return place / FRANKA
    raise FileNotFoundError("the Panda's files are not here: pip install gymnasium-robotics, or scripts/models.py --fetch-only")


def make_scene(path: Path) -> None:
    path.write_text(SCENE.format(folder=find_franka(), home=" ".join(map(str, HOME))))


class Panda(Arm):
    """The loop of samples/arm.py with another arm."""

    # heights of the rod's centre: where it pushes, over the box [m]; and how fast [m/s]: the joints' dampers of 100 N m s bear no more
    low, high, speed = 0.13, 0.32, 0.12

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "panda.xml"
            make_scene(path)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # contacts are hard here: solref and margin of the fingers are left out
                world = pbdr.load(path)
            self.model = mujoco.MjModel.from_xml_path(str(path))
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        self.data = mujoco.MjData(self.model)
        self.hand = self.model.body(HAND).id
        self.angles = np.array(HOME)
        self.find_rod()
        rod = world.add_body(pbdr.Shape.capsule(0.015, HALF, MASS), position=self.tip, quat=self.data.xquat[self.hand], friction=0.1,
                             name="rod")
        world.add_joint("fixed", world.bodies[HAND], rod, point=self.tip, name="grip")
        super().__init__(world)

    def find_rod(self) -> None:
        """Where the rod is at the angles, its axis, and how both go with them."""
        self.data.qpos[:7] = self.angles
        mujoco.mj_forward(self.model, self.data)  # velocities are zero: its bias is gravity's
        turn = self.data.xmat[self.hand].reshape(3, 3)
        self.axis, self.tip = turn[:, 2], self.data.xpos[self.hand] + ROD * turn[:, 2]
        ways, turns = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
        mujoco.mj_jac(self.model, self.data, ways, turns, self.tip, self.hand)
        self.ways, self.turns = ways[:, :7], turns[:, :7]

    def reach(self) -> None:
        before = self.angles.copy()
        for _ in range(4):
            self.find_rod()
            # the place, and the axis downwards; what is left of freedom keeps to where the arm began
            off = np.array([*(self.place - self.tip), *np.cross(self.axis, (0.0, 0.0, -1.0))])
            rows = np.vstack([self.ways, self.turns])
            least = rows.T @ np.linalg.inv(rows @ rows.T + 1e-6 * np.eye(6))
            self.angles = self.angles + least @ off + 0.02 * (np.eye(7) - least @ rows) @ (np.array(HOME) - self.angles)
        self.find_rod()
        weight = self.data.qfrc_bias[:7] + 9.81 * MASS * self.ways[2]
        ahead = weight + self.model.dof_damping[:7] * (self.angles - before) / PERIOD
        self.world.control[:7] = self.angles + ahead / self.model.actuator_gainprm[:7, 0]


if __name__ == "__main__":
    x, y, degrees = map(float, sys.argv[1:]) if len(sys.argv) == 4 else (0.03, 0.1, 35.0)
    seconds, off, turn, gap = push_to(np.array([x, y, math.radians(degrees)]), 300.0, Panda())
    print(f"there after {seconds:.1f} s: {1e3 * off:.1f} mm and {math.degrees(turn):.2f} degrees off; joints within {gap:.0e} m")
