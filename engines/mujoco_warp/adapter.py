"""mujoco_warp: MuJoCo's algorithms as Warp kernels, single precision; on the CPU, or on a GPU for that table.

A step is recorded as a graph once and replayed, as its documentation wants it: launching kernels one by one from Python costs
more than they do, and without a graph the solver runs all its iterations, done or not.
"""

import mujoco_warp as mjw
import numpy as np
import warp as wp

from mjcf import make_host
from mjcf_tree import read_body, update
from pbdr_adapter import DEVICE, Adapter, matrix_of, prescribed_state


class MuJoCoWarp(Adapter):
    def create(self, scene):
        self.start(scene)
        wp.config.quiet = True
        self.device = wp.get_device("cuda:0" if DEVICE == "gpu" else "cpu")
        wp.set_device(self.device)
        host, data, self.places, self.rod = make_host(scene, self.options, matrix_of)
        self.host = host, data
        self.model = mjw.put_model(host)
        self.data = mjw.put_data(host, data, nconmax=self.options["nconmax"], njmax=self.options["njmax"])
        self.count, start = 0, [getattr(self.data, name).numpy().copy() for name in ("qpos", "qvel", "qacc_warmstart", "time")]
        mjw.step(self.model, self.data)  # loads the kernels: no part of a step
        for name, value in zip(("qpos", "qvel", "qacc_warmstart", "time"), start):
            getattr(self.data, name).assign(value)
        with wp.ScopedCapture(device=self.device) as capture:
            mjw.step(self.model, self.data)
        self.graph = capture.graph

    def move_rod(self):
        q, v, a = self.rod
        t = self.count * self.scene.time_step
        for array, address, value in ((self.data.qpos, q, 0.5 * a * t * t), (self.data.qvel, v, a * t)):
            content = array.numpy()  # a view on the CPU, a copy on a GPU
            content[0, address] = value
            if DEVICE == "gpu":
                array.assign(content)

    def advance(self, n):
        for _ in range(n):
            if self.rod is not None:
                self.move_rod()
            self.count += 1
            with self.clock:
                wp.capture_launch(self.graph)
                if DEVICE == "gpu":
                    wp.synchronize_device(self.device)

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        qpos, qvel = self.data.qpos.numpy()[0].astype(float), self.data.qvel.numpy()[0].astype(float)
        if self.scene.joints:
            if body == 0:
                update(*self.host, qpos, qvel)
            return read_body(*self.host, body)
        q, v = self.places[body]
        return qpos[q:q + 3], qpos[q + 3:q + 7], qvel[v:v + 3], matrix_of(qpos[q + 3:q + 7]) @ qvel[v + 3:v + 6]
