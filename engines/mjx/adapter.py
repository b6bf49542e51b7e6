"""MJX: MuJoCo's algorithms in JAX, single precision; on the CPU, or on a GPU for that table."""

import jax_setup  # first: it chooses the device

import jax
import jax.numpy as jnp
import numpy as np
from mujoco import mjx

from mjcf import make_host
from mjcf_tree import read_body, update
from pbdr_adapter import Adapter, matrix_of, prescribed_state


class Mjx(Adapter):
    def create(self, scene):
        self.start(scene)
        host, data, self.places, rod = make_host(scene, self.options, matrix_of)
        self.host = host, data
        # the model is an argument: as a constant it would be compiled anew for each start of a test
        self.model, self.data = mjx.put_model(host), mjx.put_data(host, data)
        self.count, dt = 0, scene.time_step

        def advance(model, data, count):
            def one(data, k):
                if rod is not None:
                    q, v, a = rod
                    t = k * dt
                    data = data.replace(qpos=data.qpos.at[q].set(0.5 * a * t * t), qvel=data.qvel.at[v].set(a * t))
                return mjx.step(model, data), None
            return jax.lax.scan(one, data, count)[0]

        self.jitted = jax.jit(advance)
        jax.block_until_ready(self.jitted(self.model, self.data, jnp.arange(10)).qpos)  # compiling is no part of a step

    def advance(self, n):
        for k in range(0, n, 10):  # in tens: every length is compiled anew
            steps = jnp.arange(self.count, self.count + min(10, n - k))
            self.count += min(10, n - k)
            with self.clock:
                self.data = self.jitted(self.model, self.data, steps)
                jax.block_until_ready(self.data.qpos)

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        qpos, qvel = np.asarray(self.data.qpos, float), np.asarray(self.data.qvel, float)
        if self.scene.joints:
            if body == 0:
                update(*self.host, qpos, qvel)
            return read_body(*self.host, body)
        q, v = self.places[body]
        return qpos[q:q + 3], qpos[q + 3:q + 7], qvel[v:v + 3], matrix_of(qpos[q + 3:q + 7]) @ qvel[v + 3:v + 6]
