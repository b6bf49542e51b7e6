"""Genesis: its rigid solver, single precision; bodies come as MJCF, because a primitive of its own takes its inertia from a density."""

import os
import tempfile

import genesis as gs
import numpy as np

from mjcf import write_body, write_mesh
from pbdr_adapter import DEVICE, Adapter, ground_turn, matrix_of, prescribed_state


def write_file(folder, k, body, scene):
    path = os.path.join(folder, f"body{k}.xml")
    mesh = write_mesh(k, body) if body.shape == "mesh" else ""
    with open(path, "w") as file:
        file.write(f"<mujoco model='body{k}'><compiler angle='radian'/><asset>{mesh}</asset><worldbody>{write_body(k, body, scene)}</worldbody></mujoco>")
    return path


class Genesis(Adapter):
    def create(self, scene):
        self.start(scene)
        o = self.options
        gs.init(backend=gs.gpu if DEVICE == "gpu" else gs.cpu, precision="32", logging_level="error", performance_mode=o["performance_mode"])
        rigid = gs.options.RigidOptions(
            integrator=getattr(gs.integrator, o["integrator"]), constraint_solver=getattr(gs.constraint_solver, o["constraint_solver"]),
            iterations=o["iterations"], tolerance=o["tolerance"], ls_iterations=o["ls_iterations"], noslip_iterations=o["noslip_iterations"],
            friction_cone=getattr(gs.friction_cone, o["friction_cone"]), impratio=o["impratio"], constraint_timeconst=o["constraint_timeconst_s"],
            use_gjk_collision=o["use_gjk_collision"], enable_multi_contact=True, box_box_detection=o["box_box_detection"])
        self.world = gs.Scene(sim_options=gs.options.SimOptions(dt=scene.time_step, gravity=tuple(map(float, scene.gravity))),
                              rigid_options=rigid, show_viewer=False)
        # of two coefficients the larger counts: the ground's, as in mjcf.py
        self.world.add_entity(gs.morphs.Plane(quat=tuple(map(float, ground_turn(scene.ground_normal))), contype=1, conaffinity=2),
                              material=gs.materials.Rigid(friction=max(0.01, scene.ground_friction)))
        with tempfile.TemporaryDirectory() as folder:
            morphs = [gs.morphs.MJCF(file=write_file(folder, k, body, scene), convexify=True, align=False) for k, body in enumerate(scene.bodies)]
            self.entities = [self.world.add_entity(morph) for morph in morphs]
            self.world.build()
        self.solver, self.count = self.world.rigid_solver, 0
        loaded = [k for k, body in enumerate(scene.bodies) if body.force.any() or body.torque.any()]
        self.links = [self.entities[k].links[-1].idx for k in loaded]
        self.load = np.array([scene.bodies[k].force for k in loaded]), np.array([scene.bodies[k].torque for k in loaded])
        self.step_once()  # compiles: no part of a step
        self.world.reset()
        for entity, body in zip(self.entities, scene.bodies):
            if not body.prescribed:
                entity.set_qpos(np.concatenate([body.position, body.rotation]))
                entity.set_dofs_velocity(np.concatenate([body.velocity, matrix_of(body.rotation).T @ body.angular_velocity]))

    def step_once(self):
        if self.links:
            self.solver.apply_links_external_wrench(*self.load, links_idx=self.links, ref=gs.link_ref_frame.link_COM)
        self.world.step()

    def advance(self, n):
        for _ in range(n):
            t = self.count * self.scene.time_step
            for entity, body in zip(self.entities, self.scene.bodies):
                if body.prescribed:
                    a = float(np.linalg.norm(body.prescribed_acceleration))
                    entity.set_dofs_position([0.5 * a * t * t], zero_velocity=False)
                    entity.set_dofs_velocity([a * t])
            self.count += 1
            with self.clock:
                self.step_once()

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        link = self.entities[body].links[-1]
        return tuple(np.asarray(part.cpu(), float).ravel() for part in (link.get_pos(), link.get_quat(), link.get_vel(), link.get_ang()))

    def contact_force(self, body):
        return np.asarray(self.entities[body].get_links_net_contact_force().cpu(), float).reshape(-1, 3)[-1]
