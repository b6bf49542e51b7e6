"""Pinocchio 4's proximal ADMM on rigid contact (ADMMConstraintSolver, Coulomb's law with De Saxce's correction).

Pinocchio is a library of algorithms and has no simulator, so the stepper is ours, as in its own example of the solver: free
velocity by ABA, the points that may touch within the step, Delassus' matrix by ConstraintCholeskyDecomposition, the solver,
semi-implicit Euler. A point's gap counts in full, gap / dt: it may close within a step and no further.

Points are ours too: the corners of a box and the vertices of a mesh against the plane, a ball's lowest point, and for the rod the
point of the box that is nearest to its tip. The rod is a body whose motion is prescribed.
"""

import itertools

import numpy as np
import pinocchio as pin

from pbdr_adapter import Adapter, matrix_of, prescribed_state, quaternion_of

NEAR = 1e-3  # [m]: points that are further from touching, after what they close within the step, are left out


def frame_of(normal, point):
    """A placement at a point whose z is the normal."""
    n = np.asarray(normal, dtype=float)
    x = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    x /= np.linalg.norm(x)
    return pin.SE3(np.column_stack([x, np.cross(n, x), n]), np.asarray(point, dtype=float))


class Pinocchio(Adapter):
    def create(self, scene):
        self.start(scene)
        o = self.options
        self.free = [k for k, body in enumerate(scene.bodies) if not body.prescribed]
        self.rod = next((body for body in scene.bodies if body.prescribed), None)
        self.refuse_company()
        self.model = pin.Model()
        self.model.gravity = pin.Motion(np.asarray(scene.gravity, dtype=float), np.zeros(3))
        self.joints, self.points, q, v = {}, {}, [], []
        for k in self.free:
            body = scene.bodies[k]
            joint = self.joints[k] = self.model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), f"body{k}")
            self.model.appendBodyToJoint(joint, pin.Inertia(body.mass, np.zeros(3), np.asarray(body.inertia)), pin.SE3.Identity())
            self.points[k] = self.find_points(body)
            turn = matrix_of(body.rotation)
            q += [*body.position, *body.rotation[1:], body.rotation[0]]
            v += [*(turn.T @ body.velocity), *(turn.T @ body.angular_velocity)]
        self.q, self.v = np.array(q), np.array(v)
        self.data = self.model.createData()
        self.solver, self.result = pin.ADMMConstraintSolver(), pin.ADMMSolverResult()
        settings = self.solver_settings = pin.ADMMSolverSettings()
        settings.max_iterations = o["max_iterations"]
        settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = o["absolute_tolerance"]
        settings.relative_feasibility_tol = settings.relative_complementarity_tol = o["relative_tolerance"]
        settings.admm_update_rule = getattr(pin.ADMMUpdateRule, o["update_rule"])
        settings.mu_prox, settings.tau, settings.anderson_capacity = o["mu_prox"], o["tau"], o["anderson_capacity"]
        self.count, self.loads, self.touched = 0, [pin.Force.Zero()] * self.model.njoints, ()
        self.slots = [self.make_slot(k) for k in self.free]  # constraints by body, made once and placed anew at each step

    def refuse_company(self):
        """No contact between free bodies: several are simulated only where none can meet another, as they fly apart."""
        for a, b in itertools.combinations((self.scene.bodies[k] for k in self.free), 2):
            apart, speed = b.position - a.position, b.velocity - a.velocity
            reach = sum(body.radius + np.linalg.norm(body.half_extents) for body in (a, b))
            if self.scene.joints or "mesh" in (a.shape, b.shape) or np.linalg.norm(apart) < reach or apart @ speed <= 0:
                raise NotImplementedError("contact between free bodies: the adapter has points against the plane and the rod alone")

    @staticmethod
    def find_points(body):
        if body.shape == "box":
            return np.array(list(itertools.product((-1, 1), repeat=3))) * body.half_extents
        return np.asarray(body.mesh.vertices, dtype=float) if body.shape == "mesh" else None

    def make_slot(self, k):
        count = 1 if self.points[k] is None else len(self.points[k])
        slot = [self.make_constraint(k, self.scene.ground_friction) for _ in range(count)]
        return slot + ([self.make_constraint(k, self.scene.pair_friction)] if self.rod else [])

    def make_constraint(self, k, friction):
        constraint = pin.PointContactConstraintModel(self.model, 0, pin.SE3.Identity(), self.joints[k], pin.SE3.Identity())
        constraint.setFriction(float(friction))
        return constraint

    # --- One step ---

    def find_contacts(self):
        """Of each point that may touch: its key, constraint, and gap."""
        dt, n, found = self.scene.time_step, self.scene.ground_normal, []
        for place, k in enumerate(self.free):
            pose = self.data.oMi[self.joints[k]]
            turn, centre = pose.rotation, pose.translation
            own = self.points[k]
            if own is None:
                own = (-self.scene.bodies[k].radius * (turn.T @ n))[None]
            v, w = self.v[6 * place:6 * place + 3], self.v[6 * place + 3:6 * place + 6]
            up = turn.T @ n
            gaps = own @ up + centre @ n
            closing = -dt * ((v @ up) + np.cross(w, own) @ up)
            for i in np.nonzero(gaps < NEAR + np.maximum(closing, 0.0))[0]:
                constraint, at = self.slots[place][i], centre + turn @ own[i]
                constraint.joint1_placement = self.to_ground(at - gaps[i] * n)
                constraint.joint2_placement = pin.SE3(np.eye(3), own[i])
                found.append(((k, int(i)), constraint, gaps[i]))
            if self.rod is not None:
                found += self.find_rod_contact(place, k, turn, centre)
        return found

    def to_ground(self, point):
        if not hasattr(self, "ground"):
            self.ground = frame_of(self.scene.ground_normal, np.zeros(3)).rotation
        return pin.SE3(self.ground, point)

    def find_rod_contact(self, place, k, turn, centre):
        """The tip's ball against the box: the nearest point of the box, and the normal from there to the ball."""
        rod, body = self.rod, self.scene.bodies[k]
        state = prescribed_state(rod, self.count * self.scene.time_step)
        axis = matrix_of(rod.rotation)[:, 0] * (rod.half_extents[0] - rod.radius)
        tips = [turn.T @ (np.asarray(state[0]) + side * axis - centre) for side in (-1, 1)]
        nearest = [np.clip(tip, -body.half_extents, body.half_extents) for tip in tips]
        away = [np.linalg.norm(tip - point) for tip, point in zip(tips, nearest)]
        k_tip = int(np.argmin(away))
        gap = away[k_tip] - rod.radius
        if gap > 0.01 or away[k_tip] == 0.0:
            return []
        normal = turn @ (nearest[k_tip] - tips[k_tip]) / away[k_tip]  # from the rod into the box
        constraint = self.slots[place][-1]
        constraint.joint1_placement = frame_of(normal, centre + turn @ nearest[k_tip] - gap * normal)
        constraint.joint2_placement = pin.SE3(np.eye(3), nearest[k_tip])
        self.rod_velocity = np.asarray(state[2]) + self.scene.time_step * rod.prescribed_acceleration  # at the step's end
        return [((k, -1), constraint, gap)]

    def step_once(self):
        scene, dt, model, data = self.scene, self.scene.time_step, self.model, self.data
        with self.clock:
            pin.forwardKinematics(model, data, self.q, self.v)
        for k in self.free:
            turn, body = data.oMi[self.joints[k]].rotation, scene.bodies[k]
            self.loads[self.joints[k]] = pin.Force(turn.T @ body.force, turn.T @ body.torque)
        contacts = self.find_contacts()
        with self.clock:
            v = self.v + dt * pin.aba(model, data, self.q, self.v, np.zeros(model.nv), self.loads)
            if contacts:
                v = v + self.solve(contacts, v)
            self.v, self.q = v, pin.integrate(model, self.q, dt * v)
        self.count += 1

    def solve(self, contacts, free):
        """What contact does to the velocities."""
        model, data, dt = self.model, self.data, self.scene.time_step
        models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
        for _, constraint, _ in contacts:
            models.append(pin.ConstraintModel(constraint))
            datas.append(models[len(models) - 1].createData())
        pin.crba(model, data, self.q, pin.Convention.WORLD)
        for constraint, own in zip(models, datas):
            constraint.calc(model, data, own)
        cholesky = pin.ConstraintCholeskyDecomposition(model, data, models, datas)
        cholesky.compute(model, data, models, datas, self.options["compliance"])
        jacobian = pin.getConstraintsJacobian(model, data, models, datas)
        drift = jacobian @ free
        for i, (key, constraint, gap) in enumerate(contacts):
            if key[1] < 0:
                drift[3 * i:3 * i + 3] -= constraint.joint1_placement.rotation.T @ self.rod_velocity
            drift[3 * i + 2] += gap / dt
        keys = tuple(key for key, _, _ in contacts)
        if self.options["warm_start"] and keys == self.touched:
            self.result.setConstraintImpulseGuess(self.impulses)
        else:
            self.result.clearConstraintImpulseGuess()
        self.converged &= self.solver.solve(cholesky.getDelassusOperatorCholeskyExpression(), drift, models, datas, self.solver_settings, self.result)
        self.impulses, self.touched = self.result.retrieveConstraintImpulses(), keys
        self.force = self.impulses.reshape(-1, 3) / dt, [constraint.joint1_placement.rotation for _, constraint, _ in contacts], keys
        return pin.computeMinverse(model, data, self.q) @ (jacobian.T @ self.impulses)

    def advance(self, n):
        self.converged = True
        for _ in range(n):
            self.force = None
            self.step_once()
        return 0 if self.converged else self.NOT_CONVERGED

    NOT_CONVERGED = 8

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        place = self.free.index(body)
        q, v = self.q[7 * place:7 * place + 7], self.v[6 * place:6 * place + 6]
        turn = matrix_of([q[6], *q[3:6]])
        return q[:3], [q[6], *q[3:6]], turn @ v[:3], turn @ v[3:]

    def contact_force(self, body):
        if self.force is None:
            return np.zeros(3)
        return sum((turn @ f for f, turn, key in zip(*self.force) if key[0] == body), np.zeros(3))
