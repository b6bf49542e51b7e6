"""The same scene through `pbdr export --format mjcf` in Python MuJoCo, and through our C adapter: how far apart are they?

    build/engines/mujoco/venv/bin/python engines/mujoco/same_scene.py [TEST...]    (1 to 6; the rod of Test 7 is another one there)

Both take 10 s in steps of 1 ms from seed 1; prints the largest distance over all frames; exit code 1 beyond 1e-12 m.
"""

import csv
import os
import subprocess
import sys
import tempfile

import mujoco
import numpy as np

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PBDR = os.environ.get("PBDR_COMMAND", os.path.join(ROOT, "build", "pbdr"))
BOUND = 1e-12  # [m]


def compare(test, folder, duration=10):
    scene = os.path.join(folder, f"{test}.xml")
    subprocess.run([PBDR, "export", "--test", str(test), "--format", "mjcf", "--seed", "1", "-o", scene], check=True, capture_output=True)
    subprocess.run([PBDR, "bench", "--tests", str(test), "--solvers", "mujoco", "--seeds", "1", "--duration", str(duration), "--trajectory", folder],
                   check=True, capture_output=True)
    with open(os.path.join(folder, f"test{test}_mujoco_seed1.csv"), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file)]
    body = rows[0]["body"]
    path = np.array([[float(row[key]) for key in ("px", "py", "pz")] for row in rows if row["body"] == body])
    model = mujoco.MjModel.from_xml_path(scene)
    data = mujoco.MjData(model)
    free = next(k for k in range(model.njnt) if model.jnt_type[k] == mujoco.mjtJoint.mjJNT_FREE)
    start = model.jnt_qposadr[free]
    worst = 0.0
    for frame in range(len(path)):
        worst = max(worst, float(np.linalg.norm(data.qpos[start:start + 3] - path[frame])))
        mujoco.mj_step(model, data, nstep=10)
    return worst, mujoco.__version__


failed = False
with tempfile.TemporaryDirectory() as folder:
    for test in [int(argument) for argument in sys.argv[1:]] or range(1, 7):
        worst, version = compare(test, folder)
        failed = failed or worst > BOUND
        print(f"test {test}: {worst:.2e} m apart (Python MuJoCo {version}), bound {BOUND:g} m{'' if worst <= BOUND else ': FAILED'}")
sys.exit(failed)
