// Simbody: compliant contact, and a solver of ordinary differential equations that chooses its own steps within each of ours.
//
// A brick meets a half space by its corners. Simbody collides a brick with nothing else, and has no capsule: what a rod or
// another box meets is the box as a mesh of its own (elastic foundation), and the rod's tip is a ball, which is all that touches.
#include <Simbody.h>

#include <memory>

#include "joints.hpp"
#include "pipe.hpp"

using namespace SimTK;
using joints::toVector;
using pipe::Json;

namespace {

// Along the body's x: x = x0 + a t^2/2.
class Push : public Motion::Custom::Implementation {
public:
    explicit Push(double acceleration) : a(acceleration) {}
    Motion::Level getLevel(const State&) const override { return Motion::Position; }
    void calcPrescribedPosition(const State& s, int, Real* q) const override { q[0] = a * s.getTime() * s.getTime() / 2; }
    void calcPrescribedPositionDot(const State& s, int, Real* qdot) const override { qdot[0] = a * s.getTime(); }
    void calcPrescribedPositionDotDot(const State&, int, Real* qdotdot) const override { qdotdot[0] = a; }

private:
    double a;
};

ContactGeometry::TriangleMesh makeMesh(const Json& mesh)
{
    Array_<Vec3> vertices;
    Array_<int> faces;
    for (const Json& vertex : mesh.at("vertices_m")) {
        vertices.push_back(toVector(vertex));
    }
    for (const Json& triangle : mesh.at("triangles")) {
        for (const Json& corner : triangle) {
            faces.push_back(corner.get<int>());
        }
    }
    return {vertices, faces};
}

struct Model {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    ContactTrackerSubsystem tracker{system};
    CompliantContactSubsystem contact{system, tracker};
    std::vector<MobilizedBody> bodies;
    std::unique_ptr<Integrator> integrator;
    std::unique_ptr<TimeStepper> stepper;
};

class Simbody : public pipe::Engine {
public:
    std::string version() const override
    {
        int major, minor, build;
        SimTK_version_simbody(&major, &minor, &build);
        return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
    }

    void create(const Json& scene, const Json& options) override
    {
        o = options;
        dt = scene.at("time_step_s");
        m = std::make_unique<Model>();
        m->contact.setTransitionVelocity(o.at("transition_velocity_mps"));
        const Vec3 gravity = toVector(scene.at("gravity_mps2"));
        if (gravity.norm() > 0) {
            Force::Gravity(m->forces, m->matter, gravity);
        }
        if (scene.contains("joints")) {
            createJointed(scene);
            return;
        }
        // surfaces of one clique do not meet: a brick meets the ground alone, a box's mesh whatever is not ground or brick
        for (size_t k = 0; k < scene.at("bodies").size(); k++) {
            withGround.push_back(ContactSurface::createNewContactClique());
            withBricks.push_back(ContactSurface::createNewContactClique());
        }
        const Rotation turn(UnitVec3(-toVector(scene.at("ground_normal"))), XAxis); // a half space is where x > 0
        const double groundFriction = scene.at("ground_friction"), pairFriction = scene.at("pair_friction");
        m->matter.Ground().updBody().addContactSurface(
            turn, joinAll(ContactSurface(ContactGeometry::HalfSpace(), makeMaterial(groundFriction)), withGround));
        for (const Json& body : scene.at("bodies")) {
            addBody(body, groundFriction, pairFriction);
        }
        State state = m->system.realizeTopology();
        m->system.realizeModel(state);
        for (size_t k = 0; k < m->bodies.size(); k++) {
            const Json& body = scene.at("bodies").at(k);
            if (!body.at("prescribed").get<bool>()) {
                m->bodies[k].setQToFitTransform(state, getStart(body));
                m->system.realize(state, Stage::Position);
                m->bodies[k].setUToFitVelocity(state, SpatialVec(toVector(body.at("angular_velocity_radps")), toVector(body.at("velocity_mps"))));
            }
        }
        begin(state);
    }

    void step(int steps) override
    {
        for (int k = 0; k < steps; k++) {
            m->stepper->stepTo(++count * dt);
        }
    }

    std::array<double, 13> read(int k) const override
    {
        const State& state = m->integrator->getState();
        m->system.realize(state, Stage::Velocity);
        const Transform pose = m->bodies[k].getBodyTransform(state);
        const SpatialVec speed = m->bodies[k].getBodyVelocity(state);
        const Quaternion q = pose.R().convertRotationToQuaternion();
        const Vec3 x = pose.p(), w = speed[0], v = speed[1];
        return {x[0], x[1], x[2], q[0], q[1], q[2], q[3], v[0], v[1], v[2], w[0], w[1], w[2]};
    }

    std::optional<std::array<double, 3>> contactForce(int k) const override
    {
        const State& state = m->integrator->getState();
        m->system.realize(state, Stage::Dynamics);
        Vec3 sum(0);
        for (int n = 0; n < m->contact.getNumContactForces(state); n++) {
            const ContactForce& force = m->contact.getContactForce(state, n);
            const Contact& contact = m->tracker.getActiveContacts(state).getContactById(force.getContactId());
            const auto isOwn = [&](ContactSurfaceIndex surface) { return m->tracker.getMobilizedBody(surface).isSameMobilizedBody(m->bodies[k]); };
            sum += (isOwn(contact.getSurface2()) - 1.0 * isOwn(contact.getSurface1())) * force.getForceOnSurface2()[1];
        }
        return std::array<double, 3>{sum[0], sum[1], sum[2]};
    }

private:
    void createJointed(const Json& scene)
    {
        const joints::Tree tree(m->matter, m->forces, scene, m->bodies);
        State state = m->system.realizeTopology();
        m->system.realizeModel(state);
        tree.start(state, m->system);
        begin(state);
    }

    void begin(const State& state)
    {
        makeIntegrator();
        m->stepper = std::make_unique<TimeStepper>(m->system, *m->integrator);
        m->stepper->initialize(state);
        count = 0;
    }

    ContactMaterial makeMaterial(double friction) const // of two equal coefficients the mixed one is the same
    {
        return {o.at("stiffness_Pa").get<double>(), o.at("dissipation_spm").get<double>(), friction, friction, 0.0};
    }

    static ContactSurface joinAll(ContactSurface surface, const std::vector<ContactCliqueId>& cliques)
    {
        for (const ContactCliqueId& clique : cliques) {
            surface.joinClique(clique);
        }
        return surface;
    }

    static Transform getStart(const Json& body)
    {
        const Json& q = body.at("start").at("rotation_wxyz");
        return {Rotation(Quaternion(q.at(0).get<double>(), q.at(1).get<double>(), q.at(2).get<double>(), q.at(3).get<double>())),
                toVector(body.at("start").at("position_m"))};
    }

    void addBody(const Json& body, double groundFriction, double pairFriction)
    {
        const std::vector<ContactCliqueId> own = {withGround[m->bodies.size()], withBricks[m->bodies.size()]};
        const std::string shape = body.at("shape");
        const Vec3 half = toVector(body.at("half_extents_m"));
        const double radius = body.at("radius_m"), thickness = o.at("foundation_m");
        const int resolution = o.at("mesh_resolution");
        const Json& i = body.at("inertia_kgm2");
        Body::Rigid rigid(MassProperties(body.at("mass_kg").get<double>(), Vec3(0),
                                         Inertia(i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2])));
        const auto make = [&](const ContactGeometry& geometry, double friction) {
            return ContactSurface(geometry, makeMaterial(friction), ContactGeometry::TriangleMesh::isInstance(geometry) ? thickness : 0.0);
        };
        if (body.at("prescribed").get<bool>()) {
            rigid.addContactSurface(Vec3(half[0] - radius, 0, 0), joinAll(make(ContactGeometry::Sphere(radius), pairFriction), own));
            const Vec3 a = toVector(body.at("prescribed_acceleration_mps2"));
            MobilizedBody::Slider rod(m->matter.Ground(), getStart(body), rigid, Transform());
            // the slider moves along the body's own x, where the rod is pushed to
            Motion::Custom(rod, new Push(a.norm()));
            m->bodies.push_back(rod);
            return;
        }
        if (shape == "box") {
            rigid.addContactSurface(Transform(), joinAll(make(ContactGeometry::Brick(half), groundFriction), withBricks));
            if (withBricks.size() > 1) {
                const ContactGeometry::TriangleMesh mesh(PolygonalMesh::createBrickMesh(half, resolution));
                rigid.addContactSurface(Transform(), joinAll(make(mesh, pairFriction), own));
            }
        } else if (shape == "ball") {
            rigid.addContactSurface(Transform(), make(ContactGeometry::Sphere(radius), groundFriction));
        } else if (shape == "cylinder") {
            const ContactGeometry::TriangleMesh mesh(PolygonalMesh::createCylinderMesh(UnitVec3(ZAxis), radius, half[2], resolution));
            rigid.addContactSurface(Transform(), make(mesh, groundFriction));
        } else {
            rigid.addContactSurface(Transform(), make(makeMesh(body.at("mesh")), groundFriction));
        }
        MobilizedBody::Free free(m->matter.Ground(), Transform(), rigid, Transform());
        Force::ConstantForce(m->forces, free, Vec3(0), toVector(body.at("force_N")));
        Force::ConstantTorque(m->forces, free, toVector(body.at("torque_Nm")));
        m->bodies.push_back(free);
    }

    void makeIntegrator()
    {
        const std::string name = o.at("integrator");
        if (name == "RungeKuttaMerson") {
            m->integrator = std::make_unique<RungeKuttaMersonIntegrator>(m->system);
        } else if (name == "RungeKutta3") {
            m->integrator = std::make_unique<RungeKutta3Integrator>(m->system);
        } else if (name == "CPodes") {
            m->integrator = std::make_unique<CPodesIntegrator>(m->system, CPodes::BDF, CPodes::Newton);
        } else if (name == "SemiExplicitEuler2") {
            m->integrator = std::make_unique<SemiExplicitEuler2Integrator>(m->system);
        } else {
            throw std::runtime_error("integrator " + name + ": RungeKuttaMerson, RungeKutta3, CPodes or SemiExplicitEuler2");
        }
        m->integrator->setAccuracy(o.at("accuracy"));
        m->integrator->setMaximumStepSize(dt);
    }

    Json o;
    std::unique_ptr<Model> m;
    std::vector<ContactCliqueId> withGround, withBricks; // one for each body: all bricks, or the ground, and what they do not meet of it
    double dt = 0;
    long count = 0;
};

} // namespace

int main()
{
    Simbody engine;
    return pipe::serve(SETTINGS, engine);
}
