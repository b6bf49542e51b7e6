"""Drake's MultibodyPlant in discrete steps: contact as the plant's contact approximations have it (TAMSI, SAP, Similar, Lagged).

Point contact finds one point per pair of geometries, so that a box on a half space would stand on a single corner; as Drake's
own models of boxes do, a box touches by a small sphere in each corner, and by its faces whatever is not flat (the rod, the
spheres of other boxes). With hydroelastic contact the box and the mesh are what they are.
"""

import itertools
import os
import tempfile

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (AddCompliantHydroelasticProperties, AddRigidHydroelasticProperties, Box, Capsule,
                              CollisionFilterDeclaration, Convex, Cylinder, GeometrySet, HalfSpace, Mesh,
                              ProximityProperties, Sphere, AddContactMaterial)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import (AddMultibodyPlant, ContactModel, CoulombFriction, MultibodyPlantConfig)
from pydrake.multibody.tree import PrismaticJoint, SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

from pbdr_adapter import Adapter, matrix_of, prescribed_state, quaternion_of

ROD_MASS = 1e6  # [kg]; its state is overwritten before each step, and within one the box must not slow it down
CORNER = 1e-7  # [m]: radius of the corners' spheres


def write_obj(mesh):
    file = tempfile.NamedTemporaryFile("w", suffix=".obj", delete=False)
    with file:
        file.writelines("v %.17g %.17g %.17g\n" % tuple(v) for v in mesh.vertices)
        file.writelines("f %d %d %d\n" % tuple(t + 1) for t in mesh.triangles)
    return file.name


class Drake(Adapter):
    def make_properties(self, friction, rigid=False):
        properties = ProximityProperties()
        k, d = self.options["point_stiffness"] or None, self.options["hunt_crossley_dissipation"]
        AddContactMaterial(dissipation=d, point_stiffness=k, friction=CoulombFriction(friction, friction),
                           properties=properties)
        if self.options["contact_model"] != "point":
            if rigid:
                AddRigidHydroelasticProperties(properties)
            else:
                AddCompliantHydroelasticProperties(self.options["resolution_hint_m"], self.options["hydroelastic_modulus"], properties)
            if properties.HasProperty("material", "relaxation_time"):
                properties.UpdateProperty("material", "relaxation_time", self.options["relaxation_time_s"])
        else:
            properties.AddProperty("material", "relaxation_time", self.options["relaxation_time_s"])
        return properties

    def create(self, scene):
        self.start(scene)
        o = self.options
        if scene.joints:
            import joints
            self.plant, self.bodies, self.simulator, self.state = joints.create(scene, o)
            self.rod, self.count = None, 0
            return
        builder = DiagramBuilder()
        config = MultibodyPlantConfig(time_step=scene.time_step, discrete_contact_approximation=o["approximation"],
                                      contact_model=o["contact_model"], stiction_tolerance=o["stiction_tolerance_mps"],
                                      penetration_allowance=o["penetration_allowance_m"])
        self.plant, graph = AddMultibodyPlant(config, builder)
        plant = self.plant
        plant.mutable_gravity_field().set_gravity_vector(scene.gravity)
        ground = plant.RegisterCollisionGeometry(plant.world_body(), HalfSpace.MakePose(scene.ground_normal, np.zeros(3)),
                                                 HalfSpace(), "ground", self.make_properties(scene.ground_friction, True))
        self.bodies, boxes, spheres, rods, others = [], [], [], [], []
        for body in scene.bodies:
            unit = UnitInertia(*(body.inertia[k] / body.mass for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))
            mass = ROD_MASS if body.prescribed else body.mass
            link = plant.AddRigidBody(f"body{len(self.bodies)}", SpatialInertia(mass, np.zeros(3), unit))
            self.bodies.append(link)

            def add(shape, name, friction, place=RigidTransform()):
                return plant.RegisterCollisionGeometry(link, place, shape, name, self.make_properties(friction))

            if body.prescribed:
                axis = body.prescribed_acceleration / (np.linalg.norm(body.prescribed_acceleration) or 1.0)
                start = RigidTransform(RotationMatrix(matrix_of(body.rotation)), body.position)
                self.slide = plant.AddJoint(PrismaticJoint("rod", plant.AddFrame(_fixed(plant, start)), link.body_frame(),
                                                           matrix_of(body.rotation).T @ axis))
                turn = RigidTransform(RotationMatrix([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]), np.zeros(3))  # z to x
                rods.append(add(Capsule(body.radius, 2 * (body.half_extents[0] - body.radius)), "rod", scene.pair_friction, turn))
            elif body.shape == "box" and o["contact_model"] == "point":
                boxes.append(add(Box(*(2 * body.half_extents)), "box", scene.pair_friction))
                for k, sign in enumerate(itertools.product((-1, 1), repeat=3)):
                    place = RigidTransform(sign * (body.half_extents - CORNER))
                    spheres.append(add(Sphere(CORNER), f"corner{k}", scene.ground_friction, place))
            elif body.shape == "box":
                others.append(add(Box(*(2 * body.half_extents)), "box", scene.ground_friction))
            elif body.shape == "ball":
                others.append(add(Sphere(body.radius), "ball", scene.ground_friction))
            elif body.shape == "cylinder":
                others.append(add(Cylinder(body.radius, 2 * body.half_extents[2]), "cylinder", scene.ground_friction))
            else:
                path = write_obj(body.mesh)
                shape = Convex(path) if o["contact_model"] == "point" else Mesh(path)
                others.append(add(shape, "mesh", scene.ground_friction))
                os.unlink(path) if o["contact_model"] != "point" else None
        filters = graph.collision_filter_manager()
        filters.Apply(CollisionFilterDeclaration().ExcludeWithin(GeometrySet(boxes + rods[1:])))
        filters.Apply(CollisionFilterDeclaration().ExcludeWithin(GeometrySet(spheres)))
        filters.Apply(CollisionFilterDeclaration().ExcludeBetween(GeometrySet(boxes + rods), GeometrySet([ground])))
        filters.Apply(CollisionFilterDeclaration().ExcludeBetween(GeometrySet(rods), GeometrySet(spheres)))
        plant.Finalize()
        load = np.zeros(plant.num_velocities())
        for link, body in zip(self.bodies, scene.bodies):
            if not body.prescribed:
                k = link.floating_velocities_start_in_v()
                load[k:k + 6] = np.concatenate([body.torque, body.force])
        source = builder.AddSystem(ConstantVectorSource(load))
        builder.Connect(source.get_output_port(), plant.get_applied_generalized_force_input_port())
        diagram = builder.Build()
        self.simulator = Simulator(diagram)
        self.context = self.simulator.get_mutable_context()
        self.state = plant.GetMyMutableContextFromRoot(self.context)
        for link, body in zip(self.bodies, scene.bodies):
            if not body.prescribed:
                from pydrake.multibody.math import SpatialVelocity
                plant.SetFreeBodyPose(self.state, link, RigidTransform(Quaternion(body.rotation), body.position))
                plant.SetFreeBodySpatialVelocity(self.state, link, SpatialVelocity(body.angular_velocity, body.velocity))
        self.rod = next((body for body in scene.bodies if body.prescribed), None)
        self.count = 0
        self.simulator.Initialize()

    def advance(self, n):
        dt = self.scene.time_step
        if self.rod is None:
            self.count += n
            with self.clock:
                self.simulator.AdvanceTo(self.count * dt)
            return
        a = np.linalg.norm(self.rod.prescribed_acceleration)
        for _ in range(n):
            t = self.count * dt
            # velocity at the step's end: what the plant's semi-implicit step moves the rod with
            self.slide.set_translation(self.state, 0.5 * a * t * t)
            self.slide.set_translation_rate(self.state, a * (t + 0.5 * dt))
            self.count += 1
            with self.clock:
                self.simulator.AdvanceTo(self.count * dt)

    def read(self, body):
        if self.scene.bodies[body].prescribed:
            return prescribed_state(self.scene.bodies[body], self.count * self.scene.time_step)
        pose = self.plant.EvalBodyPoseInWorld(self.state, self.bodies[body])
        velocity = self.plant.EvalBodySpatialVelocityInWorld(self.state, self.bodies[body])
        return pose.translation(), quaternion_of(pose.rotation().matrix()), velocity.translational(), velocity.rotational()

    def contact_force(self, body):
        results = self.plant.get_contact_results_output_port().Eval(self.state)
        index, force = self.bodies[body].index(), np.zeros(3)
        for k in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(k)
            force += info.contact_force() * ((info.bodyB_index() == index) - (info.bodyA_index() == index) * 1.0)
        for k in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(k)
            frame = self.plant.get_body(index)
            del frame
            force += info.F_Ac_W().translational() * self.sign_of(info, index)
        return force

    def sign_of(self, info, index):
        """F_Ac_W acts on the body of the surface's geometry M."""
        inspector = self.plant.get_geometry_query_input_port().Eval(self.state).inspector()
        first = self.plant.GetBodyFromFrameId(inspector.GetFrameId(info.contact_surface().id_M())).index()
        second = self.plant.GetBodyFromFrameId(inspector.GetFrameId(info.contact_surface().id_N())).index()
        return (first == index) * 1.0 - (second == index) * 1.0


def _fixed(plant, pose):
    from pydrake.multibody.tree import FixedOffsetFrame
    return FixedOffsetFrame("rod_start", plant.world_frame(), pose)
