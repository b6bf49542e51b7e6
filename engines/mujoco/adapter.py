"""MuJoCo's Python package: the scene as MJCF, forces through xfrc_applied."""

import mujoco
import numpy as np

from mjcf import write_scene
from mjcf_tree import Tree, read_body, update
from pbdr_adapter import Adapter, matrix_of, prescribed_state


class MuJoCo(Adapter):
    def create(self, scene):
        self.start(scene)
        self.count, self.rod = 0, None
        if scene.joints:
            self.model, self.data = Tree(scene).make_host(self.options)
            return
        self.model = mujoco.MjModel.from_xml_string(write_scene(scene, self.options))
        self.data = mujoco.MjData(self.model)
        for k, body in enumerate(scene.bodies):
            joint = self.model.joint("rod" if body.prescribed else f"free{k}")
            if body.prescribed:
                self.rod, self.rod_q, self.rod_v = body, joint.qposadr[0], joint.dofadr[0]
                continue
            # the joint's position is MuJoCo's copy of the body's; its spin is in the body's axes
            v = joint.dofadr[0]
            self.data.qvel[v:v + 3] = body.velocity
            self.data.qvel[v + 3:v + 6] = matrix_of(body.rotation).T @ body.angular_velocity
            self.data.xfrc_applied[self.model.body(f"body{k}").id] = np.concatenate([body.force, body.torque])
        mujoco.mj_forward(self.model, self.data)

    def advance(self, n):
        model, data, dt = self.model, self.data, self.scene.time_step
        if self.rod is None:
            self.count += n
            with self.clock:
                mujoco.mj_step(model, data, nstep=n)
        else:
            a = float(np.linalg.norm(self.rod.prescribed_acceleration))
            for _ in range(n):
                t = self.count * dt
                data.qpos[self.rod_q], data.qvel[self.rod_v] = 0.5 * a * t * t, a * t
                self.count += 1
                with self.clock:
                    mujoco.mj_step(model, data)
        return 1 if data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number else 0  # it has put the state back to the start

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        if self.scene.joints:
            if body == 0:
                update(self.model, self.data)
            return read_body(self.model, self.data, body)
        joint = self.data.joint(f"free{body}")
        return joint.qpos[:3], joint.qpos[3:7], joint.qvel[:3], matrix_of(joint.qpos[3:7]) @ joint.qvel[3:6]

    def contact_force(self, body):
        geom, total, wrench = self.model.geom(f"geom{body}").id, np.zeros(3), np.zeros(6)
        for k in range(self.data.ncon):
            contact = self.data.contact[k]
            if geom in contact.geom:
                mujoco.mj_contactForce(self.model, self.data, k, wrench)
                force = contact.frame.reshape(3, 3).T @ wrench[:3]  # on the second of the two
                total += force if contact.geom[1] == geom else -force
        return total
