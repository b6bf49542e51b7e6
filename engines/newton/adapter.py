"""Newton: one model, and its solvers XPBD, MuJoCo (Warp), semi-implicit and VBD; single precision; on the CPU, or on a GPU for
that table. Two steps, there and back between two states, are recorded as a graph and replayed, as its examples do."""

import newton
import numpy as np
import warp as wp

from pbdr_adapter import DEVICE, Adapter, prescribed_state

SOLVERS = {"xpbd": newton.solvers.SolverXPBD, "mujoco": newton.solvers.SolverMuJoCo,
           "semi_implicit": newton.solvers.SolverSemiImplicit, "vbd": newton.solvers.SolverVBD}


class Newton(Adapter):
    def create(self, scene):
        self.start(scene)
        o = self.options
        wp.config.quiet = True
        self.device = wp.get_device("cuda:0" if DEVICE == "gpu" else "cpu")
        wp.set_device(self.device)
        if scene.restitution > 0 and o["solver"] != "xpbd":
            raise NotImplementedError("of Newton's solvers XPBD alone has restitution")
        builder = newton.ModelBuilder(up_axis=newton.Axis.Z, gravity=tuple(float(g) for g in scene.gravity))
        config = newton.ModelBuilder.ShapeConfig

        def material(mu):
            return config(density=0.0, mu=mu, ke=o["ke"], kd=o["kd"], kf=o["kf"], restitution=scene.restitution, mu_torsional=0.0,
                          mu_rolling=0.0, gap=o["gap_m"])

        builder.add_shape_plane(plane=(*scene.ground_normal, 0.0), width=0.0, length=0.0, cfg=material(scene.ground_friction))
        for body in scene.bodies:
            pose = wp.transform(wp.vec3(*body.position), wp.quat(*body.rotation[1:], body.rotation[0]))
            link = builder.add_body(xform=pose, mass=body.mass, inertia=wp.mat33(*body.inertia.ravel()), lock_inertia=True,
                                    is_kinematic=body.prescribed)
            # Newton takes the mean of two coefficients
            cfg = material(2 * scene.pair_friction - scene.ground_friction if body.prescribed else scene.ground_friction)
            if body.shape == "box":
                builder.add_shape_box(link, hx=body.half_extents[0], hy=body.half_extents[1], hz=body.half_extents[2], cfg=cfg)
            elif body.shape == "ball":
                builder.add_shape_sphere(link, radius=body.radius, cfg=cfg)
            elif body.shape == "cylinder":
                builder.add_shape_cylinder(link, radius=body.radius, half_height=body.half_extents[2], cfg=cfg)
            elif body.shape == "rod":
                turn = wp.transform(wp.vec3(0.0), wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), np.pi / 2))  # z to x
                builder.add_shape_capsule(link, xform=turn, radius=body.radius, half_height=body.half_extents[0] - body.radius, cfg=cfg)
            else:
                mesh = newton.Mesh(body.mesh.vertices.astype(np.float32), body.mesh.triangles.ravel().astype(np.int32), compute_inertia=False)
                add = builder.add_shape_convex_hull if o["mesh"] == "hull" else builder.add_shape_mesh
                add(link, mesh=mesh, cfg=cfg)
        if o["solver"] == "vbd":
            builder.color()
        self.model = builder.finalize()
        arguments = {"xpbd": {"iterations": o["iterations"], "rigid_contact_relaxation": o["contact_relaxation"],
                              "enable_restitution": scene.restitution > 0, "angular_damping": 0.0},
                     "mujoco": {"cone": o["cone"], "impratio": o["impratio"]}, "vbd": {"iterations": o["iterations"]},
                     "semi_implicit": {"angular_damping": 0.0, "friction_smoothing": o["friction_smoothing"]}}
        self.solver = SOLVERS[o["solver"]](self.model, **arguments[o["solver"]])
        self.now, self.next = self.model.state(), self.model.state()
        self.control, self.count = self.model.control(), 0
        self.contacts = None if o["solver"] == "mujoco" else self.model.contacts()
        load = np.array([[*body.force, *body.torque] for body in scene.bodies], np.float32)
        self.load = wp.array(load, dtype=wp.spatial_vector)
        speed = np.array([[*body.velocity, *body.angular_velocity] for body in scene.bodies], np.float32)
        for state in (self.now, self.next):
            state.body_qd.assign(speed)
        newton.eval_ik(self.model, self.now, self.now.joint_q, self.now.joint_qd)
        self.rods = [k for k, body in enumerate(scene.bodies) if body.prescribed]
        self.first = self.now
        self.record()

    def record(self):
        """A graph of a step from each of the two states to the other; the first run of it loads kernels, which is no part of a step."""
        kept = [(array, wp.clone(array)) for state in (self.now, self.next) for array in (state.body_q, state.body_qd, state.joint_q, state.joint_qd)]
        self.step_once(self.now, self.next)
        for array, value in kept:
            wp.copy(array, value)
        self.graphs = {}
        for a, b in ((self.now, self.next), (self.next, self.now)):
            with wp.ScopedCapture(device=self.device) as capture:
                self.step_once(a, b)
            self.graphs[a is self.first] = capture.graph

    def step_once(self, now, after):
        wp.copy(now.body_f, self.load)
        if self.contacts is not None:
            self.model.collide(now, self.contacts)
        self.solver.step(now, after, self.control, self.contacts, self.scene.time_step)

    def move_rods(self):
        """To where they are at the beginning of the step, with their velocity."""
        t = self.count * self.scene.time_step
        places, speeds = self.now.body_q.numpy(), self.now.body_qd.numpy()  # views on the CPU, copies on a GPU
        for k in self.rods:
            state = prescribed_state(self.scene.bodies[k], t)
            places[k, :3], speeds[k, :3] = state.position, state.velocity
        if DEVICE == "gpu":
            self.now.body_q.assign(places)
            self.now.body_qd.assign(speeds)
        newton.eval_ik(self.model, self.now, self.now.joint_q, self.now.joint_qd)

    def advance(self, n):
        for _ in range(n):
            if self.rods:
                self.move_rods()
            self.count += 1
            with self.clock:
                wp.capture_launch(self.graphs[self.now is self.first])
                if DEVICE == "gpu":
                    wp.synchronize_device(self.device)
            self.now, self.next = self.next, self.now

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        q, v = self.now.body_q.numpy()[body].astype(float), self.now.body_qd.numpy()[body].astype(float)
        return q[:3], [q[6], q[3], q[4], q[5]], v[:3], v[3:]
