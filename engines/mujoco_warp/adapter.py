"""mujoco_warp on the CPU: MuJoCo's algorithms as Warp kernels, single precision."""

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp

from mjcf import write_scene
from pbdr_adapter import Adapter, matrix_of, prescribed_state


class MuJoCoWarp(Adapter):
    def create(self, scene):
        self.start(scene)
        wp.config.quiet = True
        wp.set_device("cpu")
        host = mujoco.MjModel.from_xml_string(write_scene(scene, self.options))
        data = mujoco.MjData(host)
        self.count, self.rod, self.places = 0, None, {}
        for k, body in enumerate(scene.bodies):
            joint = host.joint("rod" if body.prescribed else f"free{k}")
            q, v = joint.qposadr[0], joint.dofadr[0]
            if body.prescribed:
                self.rod, self.rod_q, self.rod_v = body, q, v
                continue
            self.places[k] = (q, v)
            data.qvel[v:v + 3] = body.velocity
            data.qvel[v + 3:v + 6] = matrix_of(body.rotation).T @ body.angular_velocity
            data.xfrc_applied[host.body(f"body{k}").id] = np.concatenate([body.force, body.torque])
        mujoco.mj_forward(host, data)
        self.model = mjw.put_model(host)
        self.data = mjw.put_data(host, data, nconmax=self.options["nconmax"], njmax=self.options["njmax"])

    def advance(self, n):
        dt = self.scene.time_step
        for _ in range(n):
            if self.rod is not None:
                t, a = self.count * dt, float(np.linalg.norm(self.rod.prescribed_acceleration))
                self.data.qpos.numpy()[0, self.rod_q] = 0.5 * a * t * t  # on the CPU numpy() is a view
                self.data.qvel.numpy()[0, self.rod_v] = a * t
            self.count += 1
            with self.clock:
                mjw.step(self.model, self.data)

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        q, v = self.places[body]
        qpos, qvel = self.data.qpos.numpy()[0].astype(float), self.data.qvel.numpy()[0].astype(float)
        return qpos[q:q + 3], qpos[q + 3:q + 7], qvel[v:v + 3], matrix_of(qpos[q + 3:q + 7]) @ qvel[v + 3:v + 6]
