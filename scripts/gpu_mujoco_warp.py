#!/usr/bin/env python3
"""Test 1 by mujoco_warp on the same device as ours (docs/gpu.md): CSV rows on stdout.

    scripts/gpu_mujoco_warp.py [--device cuda:0] [--worlds N,N] [--steps K] [--wait FILE] [--cache DIR]

A box of 4 kg and 0.2 m on a plane, each world with a friction and a force of its own (those of pbdr_gpu_show), steps of 1 ms,
its default solver. A step is recorded as a graph and replayed. Steps are counted as ours are: worlds times steps over the time
of the replays. Errors are against the closed form after the run; a second run from the same start says whether it is
reproducible. --wait: once its kernels are compiled, wait until FILE is there, so that another program has the device alone.
"""
import argparse
import os
import sys
import time

import numpy as np

SCENE = """
<mujoco>
  <option timestep="0.001" gravity="0 0 -9.81" cone="elliptic"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" friction="0.4 0 0"/>
    <body pos="0 0 0.1"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" mass="4" friction="0.4 0 0"/></body>
  </worldbody>
</mujoco>"""


def random_numbers(indices):
    """As showRandom (bench/gpu/scenes.c)."""
    with np.errstate(over="ignore"):
        x = (indices.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(11)).astype(float) * 2.0**-53


class Batch:
    def __init__(self, worlds, device):
        import mujoco
        import mujoco_warp as mjw
        import warp as wp
        self.wp, self.mjw, self.worlds, self.device = wp, mjw, worlds, device
        host = mujoco.MjModel.from_xml_string(SCENE)
        data = mujoco.MjData(host)
        mujoco.mj_forward(host, data)
        self.model = mjw.put_model(host)
        self.data = mjw.put_data(host, data, nworld=worlds, nconmax=8, njmax=32)
        index = np.arange(worlds)
        self.mu = 0.1 + 0.5 * random_numbers(2 * index)
        self.force = 5.0 + 55.0 * random_numbers(2 * index + 1)
        frictions = np.zeros((worlds, host.ngeom, 3), dtype=np.float32)
        frictions[:, :, 0] = self.mu[:, None]
        self.model.geom_friction = wp.array(frictions, dtype=wp.vec3, device=device)
        pushes = np.zeros((worlds, host.nbody, 6), dtype=np.float32)
        pushes[:, 1, 0] = self.force
        self.data.xfrc_applied.assign(pushes)
        self.start = {name: getattr(self.data, name).numpy().copy() for name in ("qpos", "qvel", "qacc_warmstart", "time")}

    def reset(self):
        for name, value in self.start.items():
            getattr(self.data, name).assign(value)

    def compile(self):
        self.mjw.step(self.model, self.data)
        self.wp.synchronize_device(self.device)
        with self.wp.ScopedCapture(device=self.device) as capture:
            self.mjw.step(self.model, self.data)
        self.graph = capture.graph

    def run(self, steps):
        """Seconds, and where the boxes are."""
        self.reset()
        self.wp.synchronize_device(self.device)
        begin = time.perf_counter()
        for _ in range(steps):
            self.wp.capture_launch(self.graph)
        self.wp.synchronize_device(self.device)
        return time.perf_counter() - begin, self.data.qpos.numpy()[:, :3].astype(float)

    def get_errors(self, places, seconds):
        way = 0.5 * np.maximum(0.0, self.force / 4.0 - self.mu * 9.81) * seconds**2
        expected = np.stack([way, np.zeros(self.worlds), np.full(self.worlds, 0.1)], axis=1)
        return np.linalg.norm(places - expected, axis=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--worlds", default="8192,65536")
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--wait", default="")
    parser.add_argument("--cache", default="")
    options = parser.parse_args()
    import warp as wp
    if options.cache:
        wp.config.kernel_cache_dir = options.cache
    if os.environ.get("PBDR_NO_MATHDX"):
        wp.config.enable_mathdx_gemm = wp.config.enable_mathdx_solver = wp.config.enable_mathdx_fft = False
    wp.init()
    import mujoco
    import mujoco_warp
    version = getattr(mujoco_warp, "__version__", "?")
    print(f"mujoco_warp {version}, warp {wp.__version__}, mujoco {mujoco.__version__}", file=sys.stderr, flush=True)
    begin = time.perf_counter()
    with wp.ScopedDevice(options.device):
        small = Batch(32, wp.get_device(options.device))
        small.compile()
        cold = time.perf_counter() - begin
        print(f"kernels ready after {cold:.1f} s", file=sys.stderr, flush=True)
        while options.wait and not os.path.exists(options.wait):
            time.sleep(0.2)
        print("scene,engine,machine,worlds,steps,seconds,cold_s,world_steps_per_s,worst_error_m,median_error_m,"
              "worlds_equal_twice", flush=True)
        for worlds in (int(text) for text in options.worlds.split(",")):
            batch = Batch(worlds, wp.get_device(options.device))
            batch.compile()
            seconds, places = batch.run(options.steps)
            again, second = batch.run(options.steps)
            errors = batch.get_errors(places, 0.001 * options.steps)
            best = min(seconds, again)
            same = int((places == second).all(axis=1).sum())
            print(f"1 pushed box,mujoco_warp {version},{wp.get_device(options.device).name},{worlds},{options.steps},{best:.4f},"
                  f"{cold:.1f},{worlds * options.steps / best:.4g},{errors.max():.3g},{np.median(errors):.3g},{same}", flush=True)


main()
