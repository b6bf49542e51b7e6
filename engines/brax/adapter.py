"""Brax's own pipelines (generalized, positional, spring) in JAX, single precision; the scene comes as MJCF.

Brax has no forces from outside: force and torque are added to the velocities before each step, as semi-implicit Euler would.
"""

import jax_setup  # first: it chooses the device

import warnings

import jax
import jax.numpy as jnp
import numpy as np
from brax import com
from brax.base import Motion
from brax.generalized import pipeline as generalized
from brax.io import mjcf
from brax.positional import pipeline as positional
from brax.spring import pipeline as spring

from mjcf import make_host
from pbdr_adapter import Adapter, matrix_of, prescribed_state

PIPELINES = {"generalized": generalized, "positional": positional, "spring": spring}
CUSTOM = ("baumgarte_erp", "collide_scale", "matrix_inv_iterations", "solver_maxls")


class Brax(Adapter):
    def create(self, scene):
        self.start(scene)
        o = self.options
        if scene.restitution > 0 and o["pipeline"] == "generalized":
            raise NotImplementedError("Brax's generalized pipeline has no restitution")
        numbers = {**{key: o[key] for key in CUSTOM}, "elasticity": scene.restitution, "ang_damping": 0.0, "vel_damping": 0.0}
        custom = "".join(f"<numeric name='{key}' data='{value}'/>" for key, value in numbers.items())
        host, data, places, rod = make_host(scene, o, matrix_of, f"<custom>{custom}</custom>")
        try:
            mjcf.validate_model(host)
        except NotImplementedError as why:
            raise NotImplementedError(str(why)) from None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.system = mjcf.load_model(host).replace(mj_model=None)
        pipeline, dt = PIPELINES[o["pipeline"]], scene.time_step
        force = jnp.array([[*body.force, *body.torque] for body in scene.bodies])
        masses = jnp.array([body.mass for body in scene.bodies])
        loaded = bool(np.any(force))

        def push(system, state):
            """The velocities after a step of the force alone."""
            spin = jax.vmap(jnp.matmul)(com.inv_inertia(system, state.x), force[:, 3:]) * dt
            change = Motion(vel=force[:, :3] / masses[:, None] * dt, ang=spin)
            if pipeline is not generalized:
                return state.replace(xd=state.xd + change, xd_i=state.xd_i + change)
            qd = state.qd
            for k, (q, v) in places.items():
                rotation = state.q[q + 3:q + 7]
                own = jax_rotate_back(rotation, spin[k])
                qd = qd.at[v:v + 3].add(change.vel[k]).at[v + 3:v + 6].add(own)
            return state.replace(qd=qd)

        def advance(system, state, count):
            def one(state, k):
                if rod is not None:
                    q, v, a = rod
                    t = k * dt
                    state = pipeline.init(system, state.q.at[q].set(0.5 * a * t * t), state.qd.at[v].set(a * t))
                if loaded:
                    state = push(system, state)
                return pipeline.step(system, state, jnp.zeros(0)), None
            return jax.lax.scan(one, state, count)[0]

        state = jax.jit(pipeline.init)(self.system, jnp.array(data.qpos), jnp.array(data.qvel))
        # what init gives has weak types, which would be compiled for once more
        self.state = jax.tree.map(lambda part: jax.lax.convert_element_type(part, part.dtype), state)
        self.count, self.jitted = 0, jax.jit(advance)
        warm = self.jitted(self.system, self.state, jnp.arange(10))  # compiling is no part of a step
        jax.block_until_ready(self.jitted(self.system, warm, jnp.arange(10)).q)

    def advance(self, n):
        for k in range(0, n, 10):  # in tens: every length is compiled anew
            steps = jnp.arange(self.count, self.count + min(10, n - k))
            self.count += min(10, n - k)
            with self.clock:
                self.state = self.jitted(self.system, self.state, steps)
                jax.block_until_ready(self.state.q)

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        x, xd = self.state.x, self.state.xd
        return tuple(np.asarray(part[body], float) for part in (x.pos, x.rot, xd.vel, xd.ang))


def jax_rotate_back(q, v):
    """A vector of the world in the axes of a body."""
    w, u = q[0], -q[1:]
    t = 2 * jnp.cross(u, v)
    return v + w * t + jnp.cross(u, t)
