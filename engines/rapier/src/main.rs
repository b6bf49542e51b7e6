//! Rapier in double precision (crate rapier3d-f64).
#[path = "../../common/pipe.rs"]
mod pipe;
mod joints;

use pipe::{number, serve, vector, Engine};
use rapier3d_f64::prelude::*;
use serde_json::{Map, Value};

const VERSION: &str = env!("RAPIER_VERSION");

struct Item {
    handle: RigidBodyHandle,
    collider: ColliderHandle,
    prescribed: bool,
    pushed: bool,
    start: Vector,
    rotation: Rotation,
    acceleration: Vector,
}

#[derive(Default)]
struct Rapier {
    world: PhysicsWorld,
    items: Vec<Item>,
    count: u64,
}

fn to_vector(value: &Value) -> Vector {
    let [x, y, z] = vector(value);
    Vector::new(x, y, z)
}

fn make_shape(body: &Value) -> Result<ColliderBuilder, String> {
    let half = vector(&body["half_extents_m"]);
    let radius = number(&body["radius_m"]);
    Ok(match body["shape"].as_str().unwrap_or("") {
        "box" => ColliderBuilder::cuboid(half[0], half[1], half[2]),
        "ball" => ColliderBuilder::ball(radius),
        // Rapier's cylinders stand along y
        "cylinder" => ColliderBuilder::cylinder(half[2], radius).rotation(Vector::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0)),
        "rod" => ColliderBuilder::capsule_x(half[0] - radius, radius),
        _ => {
            let points: Vec<Vector> = body["mesh"]["vertices_m"].as_array().into_iter().flatten().map(to_vector).collect();
            ColliderBuilder::convex_hull(&points).ok_or("no convex hull")?
        }
    })
}

fn make_mass(body: &Value) -> MassProperties {
    let rows: Vec<Vector> = (0..3).map(|k| to_vector(&body["inertia_kgm2"][k])).collect();
    // symmetric: rows are columns
    let inertia = Matrix::from_cols(rows[0], rows[1], rows[2]);
    let mass = number(&body["mass_kg"]);
    let diagonal = rows[0].y == 0.0 && rows[0].z == 0.0 && rows[1].z == 0.0;
    if diagonal {
        MassProperties::new(Vector::ZERO, mass, Vector::new(rows[0].x, rows[1].y, rows[2].z))
    } else {
        MassProperties::with_inertia_matrix(Vector::ZERO, mass, inertia)
    }
}

impl Engine for Rapier {
    fn version(&self) -> String {
        VERSION.to_string()
    }

    fn create(&mut self, scene: &Value, options: &Map<String, Value>) -> Result<(), String> {
        let p = &mut self.world.integration_parameters;
        p.dt = number(&scene["time_step_s"]);
        p.num_solver_iterations = number(&options["solver_iterations"]) as usize;
        p.num_internal_pgs_iterations = number(&options["internal_pgs_iterations"]) as usize;
        p.num_internal_stabilization_iterations = number(&options["stabilization_iterations"]) as usize;
        p.normalized_allowed_linear_error = number(&options["allowed_linear_error_m"]);
        p.normalized_prediction_distance = number(&options["prediction_distance_m"]);
        p.contact_recycling = options["contact_recycling"] == true;
        p.contact_clustering = options["contact_clustering"] == true;
        p.friction_model = if options["friction_model"] == "Coulomb" { FrictionModel::Coulomb } else { FrictionModel::Simplified };
        self.world.gravity = to_vector(&scene["gravity_mps2"]);
        let ground_friction = number(&scene["ground_friction"]);
        let pair_friction = number(&scene["pair_friction"]);
        let restitution = number(&scene["restitution"]);
        let normal = to_vector(&scene["ground_normal"]);
        let ground = ColliderBuilder::new(SharedShape::halfspace(normal)).friction(ground_friction).restitution(restitution)
            .collision_groups(InteractionGroups::new(Group::GROUP_1, Group::GROUP_2, Default::default()));
        let (standing, _) = self.world.insert(RigidBodyBuilder::fixed(), ground);
        let joints = scene["joints"].as_array().cloned().unwrap_or_default();
        for body in scene["bodies"].as_array().into_iter().flatten() {
            let prescribed = body["prescribed"] == true;
            let start = to_vector(&body["start"]["position_m"]);
            let q = &body["start"]["rotation_wxyz"];
            let rotation = Rotation::from_xyzw(number(&q[1]), number(&q[2]), number(&q[3]), number(&q[0]));
            let builder = if prescribed { RigidBodyBuilder::kinematic_position_based() } else { RigidBodyBuilder::dynamic() };
            let builder = builder.pose(Pose::from_parts(start, rotation)).linvel(to_vector(&body["velocity_mps"]))
                .angvel(to_vector(&body["angular_velocity_radps"])).can_sleep(options["can_sleep"] == true)
                .gyroscopic_forces_enabled(options["gyroscopic_forces"] == true);
            let builder = if prescribed { builder } else { builder.additional_mass_properties(make_mass(body)) };
            // the mean of two coefficients counts: the body has the ground's, the rod what makes it the pair's
            let friction = if prescribed { 2.0 * pair_friction - ground_friction } else { ground_friction };
            let group = if prescribed { Group::GROUP_3 } else { Group::GROUP_2 };
            let with = if prescribed { Group::GROUP_2 } else { Group::GROUP_1 | Group::GROUP_2 | Group::GROUP_3 };
            let with = if joints.is_empty() { with } else { Group::NONE }; // where there are joints nothing touches
            let collider = make_shape(body)?.density(0.0).friction(friction).restitution(restitution)
                .collision_groups(InteractionGroups::new(group, with, Default::default()));
            let (handle, collider) = self.world.insert(builder, collider);
            let moving = &mut self.world.bodies[handle];
            moving.add_force(to_vector(&body["force_N"]), true); // until it is reset
            moving.add_torque(to_vector(&body["torque_Nm"]), true);
            let acceleration = to_vector(&body["prescribed_acceleration_mps2"]);
            let pushed = to_vector(&body["force_N"]) != Vector::ZERO || to_vector(&body["torque_Nm"]) != Vector::ZERO;
            self.items.push(Item { handle, collider, prescribed, pushed, start, rotation, acceleration });
        }
        joints::add_joints(self, &joints, standing)
    }

    fn step(&mut self, count: u64) {
        for _ in 0..count {
            self.count += 1;
            let t = self.count as f64 * self.world.integration_parameters.dt;
            for item in self.items.iter().filter(|item| item.pushed) {
                self.world.bodies[item.handle].wake_up(true); // a force that stays does not keep a body awake
            }
            for item in self.items.iter().filter(|item| item.prescribed) {
                let place = item.start + item.acceleration * (0.5 * t * t);
                self.world.bodies[item.handle].set_next_kinematic_position(Pose::from_parts(place, item.rotation));
            }
            self.world.step();
        }
    }

    fn read(&self, body: usize) -> [f64; 13] {
        let b = &self.world.bodies[self.items[body].handle];
        let (x, q, v, w) = (b.center_of_mass(), b.rotation(), b.linvel(), b.angvel());
        [x.x, x.y, x.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z]
    }

    fn contact_force(&self, body: usize) -> Option<[f64; 3]> {
        let (mut sum, own) = (Vector::ZERO, self.items[body].collider);
        for pair in self.world.narrow_phase.contact_pairs_with(own) {
            for manifold in pair.manifolds() {
                let sign = if pair.collider1 == own { -1.0 } else { 1.0 };
                let impulse: f64 = manifold.points.iter().map(|point| point.data.impulse).sum();
                sum += manifold.data.normal * (sign * impulse / self.world.integration_parameters.dt);
            }
        }
        Some([sum.x, sum.y, sum.z])
    }
}

fn main() {
    // read when it runs: presets change without a new build
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/settings.json");
    serve(&std::fs::read_to_string(path).expect(path), Rapier::default());
}
