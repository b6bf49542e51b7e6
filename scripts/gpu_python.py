"""What Python does with a GPU (docs/gpu.md), against the same kernel on the processor: Batch, its numbers by DLPack in PyTorch,
PushBox's vector environment, errors. scripts/gpu_python.sh runs it on a machine with a GPU.

    python3 scripts/gpu_python.py [--host]     --host: without a GPU, NumPy in PyTorch's place (to try it out)

A line for each thing that is checked; exit 1 if one does not hold.
"""
import sys
import time

import numpy as np

import pbdr
from pbdr.gym import PushBoxVector

backend = "host" if "--host" in sys.argv else "gpu"
WORLDS = 256 if backend == "host" else 4096
faults = 0


def check(what, holds, more=""):
    global faults
    faults += not holds
    print(f"{'ok' if holds else 'FAILED'}: {what}{': ' + more if more else ''}", flush=True)


def take(values):
    """An array of the device, by DLPack."""
    if backend == "host":
        return np.from_dlpack(values)
    import torch
    return torch.from_dlpack(values)


def is_there(array):
    return array.flags.owndata is False if backend == "host" else array.is_cuda


def to_numpy(array):
    return array if backend == "host" else array.cpu().numpy()


def make_world(solver):
    world = pbdr.World(solver=solver, contact="spheres")
    world.add_plane(friction=0.4)
    world.add_body(pbdr.Shape.box((0.2, 0.2, 0.2), 4.0, n=4), (0, 0, 0.1), friction=0.4)
    return world


def vary(batch, count):
    batch.force[:, 0, 0] = np.linspace(5, 40, count)
    batch.torque[:, 0, 2] = np.linspace(-2, 2, count)  # so that they turn as they slide
    batch.plane_friction[:, 0] = np.linspace(0.2, 0.6, count)


def compare(solver, count=WORLDS):
    own, host = pbdr.Batch(make_world(solver), count, backend=backend), pbdr.Batch(make_world(solver), count, backend="host")
    for batch in (own, host):
        vary(batch, count)
        batch.step(200)
    check(f"{solver}: {count} worlds have the host's hashes", (own.hash() == host.hash()).all())
    check(f"{solver}: forces of contacts are the host's to the bit", (own.contact_force() == host.contact_force()).all())
    check(f"{solver}: moments of contacts are the host's to the bit", (own.contact_moment() == host.contact_moment()).all(),
          f"up to {np.abs(own.contact_moment()).max():.3g} N m")
    check(f"{solver}: numbers of contacts and flags are the host's",
          (own.contact_count() == host.contact_count()).all() and (own.flags == host.flags).all())
    worlds = pbdr.Batch(make_world(solver), 8)
    few = pbdr.Batch(make_world(solver), 8, backend=backend)
    for batch in (worlds, few):
        vary(batch, 8)
        batch.step(200)
    apart = [np.abs(few.contact_force() - worlds.contact_force()).max(), np.abs(few.contact_moment() - worlds.contact_moment()).max()]
    check(f"{solver}: wrenches are those of worlds on their own", max(apart) < 1e-6, f"{apart[0]:.1e} N, {apart[1]:.1e} N m apart")


def share(count=WORLDS):
    batch = pbdr.Batch(make_world("xpbdr"), count, backend=backend)
    vary(batch, count)
    batch.step(100)
    values, wrenches, flags = take(batch.device_values(0)), take(batch.device_wrenches(0)), take(batch.device_flags())
    check("poses and velocities by DLPack, where the device has them", is_there(values) and tuple(values.shape) == (count // 32, 32, 13))
    check("they are the arrays'", (to_numpy(values).reshape(-1, 13)[:, :3] == batch.position[:, 0]).all())
    check("wrenches by DLPack are the arrays'", is_there(wrenches) and
          (to_numpy(wrenches).reshape(-1, 6) == np.hstack([batch.contact_force()[:, 0], batch.contact_moment()[:, 0]])).all())
    check("flags by DLPack are the arrays'", is_there(flags) and (to_numpy(flags).reshape(-1) == batch.flags).all())
    before = to_numpy(values).copy()
    batch.step_alone(10, 40)
    after = to_numpy(take(batch.device_values(0)))
    check("no copy: what was taken goes on with the batch", (to_numpy(values) == after).all() and (after != before).any())
    mask = np.arange(count) % 3 == 0
    batch.fetch()
    kept = batch.position.copy()
    batch.reset(mask)
    check("reset of chosen worlds", (batch.position[mask, 0, 0] == 0.0).all() and (batch.position[~mask] == kept[~mask]).all())


def push(count=WORLDS // 4):
    runs = {}
    for name in dict.fromkeys((backend, "host")):
        envs = PushBoxVector(count, backend=name)
        generator = np.random.default_rng(1)
        rows = [envs.reset(seed=1)[0]]
        begin = time.perf_counter()
        for _ in range(60):
            seen, reward, ended, cut, _ = envs.step(generator.uniform(-1, 1, (count, *envs.single_action_space.shape)).astype(np.float32))
            rows += [seen, reward, ended, cut]
        runs[name] = [np.array(row) for row in rows]
        print(f"PushBoxVector({count}, backend={name!r}): {60 * count / (time.perf_counter() - begin):.3g} steps of environments/s", flush=True)
        envs.close()
    check(f"PushBox: {count} environments, 60 steps: the host's to the bit",
          all((one == two).all() for one, two in zip(runs[backend], runs["host"])))


def refuse():
    try:
        pbdr.Batch(make_world("xpbdr"), 2_000_000_000, backend=backend)
        check("too many worlds are refused", False)
    except (MemoryError, pbdr.Error) as error:
        check("too many worlds are refused", True, f"{type(error).__name__}: {error}")
    batch = pbdr.Batch(make_world("xpbdr"), 64, backend=backend)
    batch.step(10)
    check("and the next batch is as before", bool(np.isfinite(batch.position).all()))


for solver in ("xpbdr", "pbd-r"):
    compare(solver)
share()
push()
if backend == "gpu":
    refuse()
print(f"{faults} faults")
sys.exit(faults > 0)
