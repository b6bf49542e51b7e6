"""MJX: MuJoCo's algorithms in JAX, on the CPU, single precision."""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
from mujoco import mjx

from mjcf import write_scene
from pbdr_adapter import Adapter, matrix_of, prescribed_state


class Mjx(Adapter):
    def create(self, scene):
        self.start(scene)
        host = mujoco.MjModel.from_xml_string(write_scene(scene, self.options))
        data = mujoco.MjData(host)
        self.count, self.places, rod = 0, {}, None
        for k, body in enumerate(scene.bodies):
            joint = host.joint("rod" if body.prescribed else f"free{k}")
            q, v = joint.qposadr[0], joint.dofadr[0]
            if body.prescribed:
                rod = (q, v, float(np.linalg.norm(body.prescribed_acceleration)))
                continue
            self.places[k] = (q, v)
            data.qvel[v:v + 3] = body.velocity
            data.qvel[v + 3:v + 6] = matrix_of(body.rotation).T @ body.angular_velocity
            data.xfrc_applied[host.body(f"body{k}").id] = np.concatenate([body.force, body.torque])
        mujoco.mj_forward(host, data)
        model = mjx.put_model(host)
        self.data = mjx.put_data(host, data)
        dt = scene.time_step

        def advance(data, count):
            def one(data, k):
                if rod is not None:
                    q, v, a = rod
                    t = k * dt
                    data = data.replace(qpos=data.qpos.at[q].set(0.5 * a * t * t), qvel=data.qvel.at[v].set(a * t))
                return mjx.step(model, data), None
            return jax.lax.scan(one, data, count)[0]

        self.jitted = jax.jit(advance)
        jax.block_until_ready(self.jitted(self.data, jnp.arange(10)).qpos)  # compiling is no part of a step

    def advance(self, n):
        for k in range(0, n, 10):  # in tens: every length is compiled anew
            steps = jnp.arange(self.count, self.count + min(10, n - k))
            self.count += min(10, n - k)
            with self.clock:
                self.data = self.jitted(self.data, steps)
                jax.block_until_ready(self.data.qpos)

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        q, v = self.places[body]
        qpos, qvel = np.asarray(self.data.qpos, float), np.asarray(self.data.qvel, float)
        return qpos[q:q + 3], qpos[q + 3:q + 7], qvel[v:v + 3], matrix_of(qpos[q + 3:q + 7]) @ qvel[v + 3:v + 6]
