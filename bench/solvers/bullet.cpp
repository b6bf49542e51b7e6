// Bullet (3.x) behind the plug-in table: C++ inside, C outside. Double or single precision, as the library
// found was built; Debian has both, and the build takes double.
//
// btDiscreteDynamicsWorld with the sequential impulse solver, 10 iterations, ERP 0.2, split impulse: Bullet's
// defaults. Friction is one row along the slip. Bullet keeps only the diagonal of an inertia, so a body's
// frame is turned to its principal axes here, and turned back when it is read. A mesh is the convex hull of
// its vertices, without margin (a moving triangle mesh would be btGImpactMeshShape, which meets a plane with
// the same vertices, and none lies outside the hull).
//
// Settings, in both presets for all tests the same:
//   iterations              of the solver
//   multipoint_directions   setPlaneConvexMultipointIterations(this many, 5): contact with the plane is looked for in as many
//                           directions at every step (5 is more points than Bullet keeps, so it never stops looking), and a
//                           box has its four corners from the first step on; 0: off
//   breaking_share          contacts are looked for and kept within this share of the body's size; as gContactBreakingThreshold,
//                           but not global, so that simulations may run side by side
//   friction_directions     rows of friction of a contact: 1, along the slip, or 2
//   erp                     of contact (m_erp2)
//   gyroscopic              the gyroscopic term, which Bullet makes implicit
//
// Presets: (none) is Bullet's defaults throughout; tuned is what the search found (engines/bullet/search.csv).
#include "bullet_vec.h"
#include "peer_settings.h"
#include "peers.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <new>
#include <vector>

namespace
{

const char presets[] = "tuned";
const int allPoints = 5;                         // more than Bullet keeps
const btScalar defaultBreaking = btScalar(0.02); // share of the body's size
const PeerSetting settingTable[] = {{"iterations", "10", "10"},
                                    {"multipoint_directions", "0", "16"},
                                    {"breaking_share", "0.02", "0.02"},
                                    {"friction_directions", "1", "1"},
                                    {"erp", "0.2", "0.2"},
                                    {"gyroscopic", "true", "false"}};

// gContactBreakingThreshold does two things. It tilts the shape by threshold/size to look for more contacts
// with a plane: a shape that calls itself 20 times as large is tilted 20 times less.
template <class Shape> class TunedShape : public Shape
{
  public:
    using Shape::Shape;
    btScalar breaking = defaultBreaking;

    btScalar getAngularMotionDisc() const override
    {
        return Shape::getAngularMotionDisc() * (defaultBreaking / breaking);
    }
};

// And contacts farther apart than threshold x size are let go.
class TunedDispatcher : public btCollisionDispatcher
{
  public:
    TunedDispatcher(btCollisionConfiguration* configuration, btScalar share)
        : btCollisionDispatcher(configuration), breaking(share)
    {
    }

    btPersistentManifold* getNewManifold(const btCollisionObject* a, const btCollisionObject* b) override
    {
        const btScalar share = breaking * (breaking / defaultBreaking); // of the size that the shape states
        btPersistentManifold* manifold = btCollisionDispatcher::getNewManifold(a, b);
        if (manifold != nullptr) {
            manifold->setContactBreakingThreshold(
                btMin(a->getCollisionShape()->getContactBreakingThreshold(share),
                      b->getCollisionShape()->getContactBreakingThreshold(share)));
        }
        return manifold;
    }

  private:
    btScalar breaking;
};

template <class Shape, class... Arguments>
std::unique_ptr<Shape> makeShape(btScalar breaking, Arguments... arguments)
{
    if (breaking != defaultBreaking) {
        auto shape = std::make_unique<TunedShape<Shape>>(arguments...);
        shape->breaking = breaking;
        return shape;
    }
    return std::make_unique<Shape>(arguments...);
}

struct Simulation {
    const pbdrBenchScene* scene = nullptr;
    PeerSettings settings = {};
    btScalar breaking = defaultBreaking;
    int64_t stepCount = 0;
    int freeCount = 0;                    // bodies but for the rod
    std::vector<btQuaternion> principals; // of each: principal axes to body axes
    PeerNotes notes = {};
    // In the order of their making: whatever is below uses what is above, and goes first.
    std::unique_ptr<btDefaultCollisionConfiguration> configuration;
    std::unique_ptr<btCollisionDispatcher> dispatcher;
    std::unique_ptr<btBroadphaseInterface> broadphase;
    std::unique_ptr<btSequentialImpulseConstraintSolver> solver;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    std::vector<std::unique_ptr<btRigidBody>> bodies; // ground, free bodies, rod
    std::vector<std::unique_ptr<btTypedConstraint>> joints;

    ~Simulation()
    {
        for (auto& joint : joints) {
            world->removeConstraint(joint.get());
        }
        for (auto& body : bodies) {
            world->removeRigidBody(body.get());
        }
    }
};

// --- Creation ---

btRigidBody* addBody(Simulation& s, btScalar mass, const btVector3& inertia, const btTransform& start,
                     std::unique_ptr<btCollisionShape> shape, btScalar friction)
{
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape.get(), inertia);
    info.m_startWorldTransform = start;
    info.m_friction = friction;
    info.m_restitution = btScalar(std::sqrt(s.scene->restitution)); // Bullet takes the product of the two
    s.shapes.push_back(std::move(shape));
    s.bodies.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody* body = s.bodies.back().get();
    body->setActivationState(DISABLE_DEACTIVATION);
    return body;
}

// Diagonal of the inertia, and the turn from principal to body axes.
btVector3 findPrincipalAxes(const pbdrMat3& inertia, btQuaternion& principal)
{
    const auto& m = inertia.m;
    btMatrix3x3 matrix;
    for (int i = 0; i < 3; i++) {
        matrix[i] = btVector3(btScalar(m[i][0]), btScalar(m[i][1]), btScalar(m[i][2]));
    }
    btMatrix3x3 turn = btMatrix3x3::getIdentity();
    if (m[0][1] != 0.0 || m[0][2] != 0.0 || m[1][2] != 0.0) {
        matrix.diagonalize(turn, SIMD_EPSILON, 100);
    }
    turn.getRotation(principal);
    return btVector3(matrix[0][0], matrix[1][1], matrix[2][2]);
}

std::unique_ptr<btCollisionShape> makeShapeOf(const Simulation& s, const pbdrBenchBody& body,
                                              const btQuaternion& principal)
{
    switch (body.shape) {
    case pbdr_benchBox:
        return makeShape<btBoxShape>(s.breaking, toBullet(body.halfExtents));
    case pbdr_benchBall:
        return makeShape<btSphereShape>(s.breaking, btScalar(body.radius));
    case pbdr_benchCylinder:
        return makeShape<btCylinderShapeZ>(s.breaking, toBullet(body.halfExtents));
    default:
        break;
    }
    auto hull = makeShape<btConvexHullShape>(s.breaking);
    for (int i = 0; i < body.vertexCount; i++) {
        hull->addPoint(quatRotate(principal.inverse(), toBullet(body.vertices[i])), false);
    }
    hull->recalcLocalAabb();
    hull->setMargin(0);
    return hull;
}

// Bullet takes the product of two frictions: one body alone has 1, and the ground says. Several have the root
// of theirs, and so has the ground.
btScalar getBodyFriction(const pbdrBenchScene& scene)
{
    return peerHasRod(&scene) || scene.bodyCount == 1 ? btScalar(1) : btScalar(std::sqrt(scene.pairFriction));
}

btScalar getGroundFriction(const pbdrBenchScene& scene)
{
    return btScalar(scene.groundFriction > 0.0 ? scene.groundFriction / double(getBodyFriction(scene)) : 0.0);
}

void addMeasuredBody(Simulation& s, int index)
{
    const pbdrBenchBody& body = s.scene->bodies[index];
    btQuaternion principal;
    btVector3 inertia = findPrincipalAxes(body.inertia, principal);
    btTransform start(toBullet(body.start.rotation) * principal, toBullet(body.start.position));
    btRigidBody* rigid = addBody(s, btScalar(body.mass), inertia, start, makeShapeOf(s, body, principal),
                                 getBodyFriction(*s.scene));
    rigid->setLinearVelocity(toBullet(body.startVelocity.linear));
    rigid->setAngularVelocity(toBullet(body.startVelocity.angular));
    s.principals.push_back(principal);
    if (!peerIsOn(&s.settings, "gyroscopic")) {
        rigid->setFlags(0); // the only one on by default is the gyroscopic term's
    }
    if (s.scene->jointCount > 0) {
        s.world->addRigidBody(rigid, 0, 0); // nothing touches
    } else {
        s.world->addRigidBody(rigid);
    }
}

// --- Joints ---

// A body's frame for a joint: its place, and axes whose z (or x, of a slide) is the joint's.
btTransform getFrame(const Simulation& s, int body, const pbdrVec3& point, const btMatrix3x3& axes)
{
    btTransform start = btTransform::getIdentity();
    if (body >= 0) {
        start = s.bodies[std::size_t(1 + body)]->getWorldTransform();
    }
    return start.inverse() * btTransform(axes, toBullet(point));
}

// Axes with the joint's as column 0 (of a slide) or 2.
btMatrix3x3 makeAxes(const btVector3& axis, int column)
{
    btVector3 p, q;
    btPlaneSpace1(axis, p, q); // p, q, axis: right-handed
    btVector3 columns[3] = {p, q, axis};
    const int shift = 2 - column;
    btMatrix3x3 turn;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            turn[i][j] = columns[(j + shift) % 3][i];
        }
    }
    return turn;
}

std::unique_ptr<btTypedConstraint> makeJoint(Simulation& s, const pbdrBenchJoint& joint)
{
    btRigidBody& none = btTypedConstraint::getFixedBody();
    btRigidBody& a = joint.bodies[0] < 0 ? none : *s.bodies[std::size_t(1 + joint.bodies[0])];
    btRigidBody& b = joint.bodies[1] < 0 ? none : *s.bodies[std::size_t(1 + joint.bodies[1])];
    btMatrix3x3 axes = btMatrix3x3::getIdentity();
    if (joint.kind != pbdr_benchBallJoint) {
        axes = makeAxes(toBullet(joint.axis), joint.kind == pbdr_benchSlideJoint ? 0 : 2);
    }
    const btTransform frameA = getFrame(s, joint.bodies[0], joint.points[0], axes),
                      frameB = getFrame(s, joint.bodies[1], joint.points[1], axes);
    switch (joint.kind) {
    case pbdr_benchHingeJoint:
        return std::make_unique<btHingeConstraint>(a, b, frameA, frameB);
    case pbdr_benchSlideJoint:
        return std::make_unique<btSliderConstraint>(a, b, frameA, frameB, true);
    default:
        return std::make_unique<btPoint2PointConstraint>(a, b, frameA.getOrigin(), frameB.getOrigin());
    }
}

void addJoints(Simulation& s)
{
    for (int k = 0; k < s.scene->jointCount; k++) {
        if (s.scene->joints[k].kind != pbdr_benchSpringJoint) {
            s.joints.push_back(makeJoint(s, s.scene->joints[k]));
            s.world->addConstraint(s.joints.back().get());
        }
    }
}

// The force of a spring at the begin of a step.
void pullSpring(Simulation& s, const pbdrBenchJoint& joint)
{
    btVector3 ends[2], levers[2];
    for (int side = 0; side < 2; side++) {
        const int body = joint.bodies[side];
        ends[side] = toBullet(joint.points[side]);
        if (body >= 0) {
            const btTransform& now = s.bodies[std::size_t(1 + body)]->getWorldTransform();
            const btQuaternion turn = now.getRotation() * s.principals[std::size_t(body)].inverse();
            levers[side] = quatRotate(turn, toBullet(peerToOwnPoint(s.scene, body, joint.points[side])));
            ends[side] = now.getOrigin() + levers[side];
        }
    }
    const btVector3 force = toBullet(peerGetSpringForce(&joint, fromBullet(ends[0]), fromBullet(ends[1])));
    for (int side = 0; side < 2; side++) {
        if (joint.bodies[side] >= 0) {
            s.bodies[std::size_t(1 + joint.bodies[side])]->applyForce(side == 1 ? force : -force,
                                                                      levers[side]);
        }
    }
}

void addRod(Simulation& s)
{
    const pbdrBenchBody& rod = s.scene->bodies[1];
    auto shape = makeShape<btCapsuleShapeX>(s.breaking, btScalar(rod.radius),
                                            btScalar(2.0 * (rod.halfExtents.x - rod.radius)));
    btTransform start(toBullet(rod.start.rotation), toBullet(rod.start.position));
    btRigidBody* rigid =
        addBody(s, 0, btVector3(0, 0, 0), start, std::move(shape), btScalar(s.scene->pairFriction));
    rigid->setCollisionFlags(rigid->getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    s.world->addRigidBody(rigid);
}

void describeSettings(Simulation& s)
{
    const pbdrBenchScene& scene = *s.scene;
    const btContactSolverInfo& info = s.world->getSolverInfo();
    PeerNotes* notes = &s.notes;
    peerAddNote(notes, "version", "%d.%02d, %s precision", btGetVersion() / 100, btGetVersion() % 100,
                sizeof(btScalar) == sizeof(double) ? "double" : "single");
    peerNoteSettings(notes, &s.settings);
    peerAddNote(notes, "integrator", "semi-implicit Euler, %g s, gyroscopic term %s", scene.timeStep,
                peerIsOn(&s.settings, "gyroscopic") ? "on (implicit)" : "off");
    peerAddNote(notes, "solver", "sequential impulses, %d iterations, ERP %g, split impulse %s",
                info.m_numIterations, double(info.m_erp2), info.m_splitImpulse ? "on" : "off");
    if (scene.jointCount > 0) {
        peerAddNote(notes, "joints", "hinge, slider, point to point; springs as forces of the step's begin");
        return;
    }
    peerAddNote(notes, "contact",
                "plane-convex multipoint iterations %s, %d; contacts kept to %s of the size",
                peerGetText(&s.settings, "multipoint_directions"), allPoints,
                peerGetText(&s.settings, "breaking_share"));
    peerAddNote(notes, "friction", "product of the two: body %g, ground %g, rod %g; %s of friction a contact",
                double(getBodyFriction(scene)), double(getGroundFriction(scene)),
                peerHasRod(&scene) ? scene.pairFriction : 0.0,
                (info.m_solverMode & SOLVER_USE_2_FRICTION_DIRECTIONS) != 0 ? "two rows"
                                                                            : "one row, along the slip,");
    if (scene.restitution > 0.0) {
        peerAddNote(notes, "restitution", "product of the two: %g each", std::sqrt(scene.restitution));
    }
    peerAddNote(notes, "inertia", "true, in principal axes");
    peerAddNote(notes, "shape", "%s",
                scene.bodies[0].shape == pbdr_benchBox    ? "box"
                : scene.bodies[0].shape == pbdr_benchBall ? "ball"
                : scene.bodies[0].shape == pbdr_benchCylinder
                    ? "cylinder, with Bullet's margin"
                    : "convex hull of the mesh's vertices, margin 0");
    if (peerHasRod(&scene)) {
        peerAddNote(notes, "rod", "capsule, kinematic body, position and velocity set at every step");
    }
}

void build(Simulation& s)
{
    s.configuration = std::make_unique<btDefaultCollisionConfiguration>();
    const int directions = int(peerGetNumber(&s.settings, "multipoint_directions"));
    if (directions > 0) {
        s.configuration->setPlaneConvexMultipointIterations(directions, allPoints);
    }
    if (s.breaking != defaultBreaking) {
        s.dispatcher = std::make_unique<TunedDispatcher>(s.configuration.get(), s.breaking);
    } else {
        s.dispatcher = std::make_unique<btCollisionDispatcher>(s.configuration.get());
    }
    s.broadphase = std::make_unique<btDbvtBroadphase>();
    s.solver = std::make_unique<btSequentialImpulseConstraintSolver>();
    s.world = std::make_unique<btDiscreteDynamicsWorld>(s.dispatcher.get(), s.broadphase.get(),
                                                        s.solver.get(), s.configuration.get());
    s.world->setGravity(toBullet(s.scene->gravity));
    s.world->getSolverInfo().m_numIterations = int(peerGetNumber(&s.settings, "iterations"));
    s.world->getSolverInfo().m_erp2 = btScalar(peerGetNumber(&s.settings, "erp"));
    if (peerGetNumber(&s.settings, "friction_directions") == 2.0) {
        s.world->getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    }
    s.world->addRigidBody(
        addBody(s, 0, btVector3(0, 0, 0), btTransform::getIdentity(),
                std::make_unique<btStaticPlaneShape>(toBullet(s.scene->groundNormal), btScalar(0)),
                getGroundFriction(*s.scene)));
    s.freeCount = s.scene->bodyCount - (peerHasRod(s.scene) ? 1 : 0);
    for (int k = 0; k < s.freeCount; k++) {
        addMeasuredBody(s, k);
    }
    addJoints(s);
    if (peerHasRod(s.scene)) {
        addRod(s);
    }
    describeSettings(s);
}

void* create(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    if (!peerTakesScene(scene, message) || !peerTakesSprings(scene, message) ||
        !peerHasPreset(presets, scene->preset, message)) {
        return nullptr;
    }
    try {
        auto simulation = std::make_unique<Simulation>();
        simulation->scene = scene;
        if (!peerTakeSettings(&simulation->settings, settingTable,
                              int(sizeof settingTable / sizeof settingTable[0]),
                              strcmp(scene->preset, "tuned") == 0, message)) {
            return nullptr;
        }
        simulation->breaking = btScalar(peerGetNumber(&simulation->settings, "breaking_share"));
        build(*simulation);
        return simulation.release();
    } catch (const std::bad_alloc&) {
        snprintf(message, PBDR_BENCH_MESSAGE, "no memory");
        return nullptr;
    }
}

void destroy(void* simulation)
{
    delete static_cast<Simulation*>(simulation);
}

// --- Run ---

// Bullet takes a kinematic body's velocity from where it was a step ago: that is put where the velocity comes
// out exact.
void placeRod(Simulation& s)
{
    pbdrPose pose;
    pbdrVelocity velocity;
    double dt = s.scene->timeStep;
    peerGetPrescribed(&s.scene->bodies[1], double(s.stepCount) * dt, &pose, &velocity);
    btTransform now(toBullet(pose.rotation), toBullet(pose.position)), before = now;
    before.setOrigin(toBullet(benchAddScaled(pose.position, -dt, velocity.linear)));
    btRigidBody& rod = *s.bodies[std::size_t(1 + s.freeCount)];
    rod.setWorldTransform(now);
    rod.setInterpolationWorldTransform(before);
}

uint32_t step(void* simulation, int count)
{
    Simulation& s = *static_cast<Simulation*>(simulation);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < s.freeCount; k++) {
            btRigidBody& rigid = *s.bodies[std::size_t(1 + k)];
            rigid.applyCentralForce(toBullet(s.scene->bodies[k].force));
            rigid.applyTorque(toBullet(s.scene->bodies[k].torque));
        }
        for (int k = 0; k < s.scene->jointCount; k++) {
            if (s.scene->joints[k].kind == pbdr_benchSpringJoint) {
                pullSpring(s, s.scene->joints[k]);
            }
        }
        if (peerHasRod(s.scene)) {
            placeRod(s);
        }
        s.world->stepSimulation(btScalar(s.scene->timeStep), 0);
        s.stepCount++;
        for (int k = 0; k < s.freeCount; k++) {
            btVector3 x = s.bodies[std::size_t(1 + k)]->getWorldTransform().getOrigin();
            if (!std::isfinite(x.x() + x.y() + x.z())) {
                return pbdr_stepNotFinite;
            }
        }
    }
    return 0;
}

void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    const Simulation& s = *static_cast<const Simulation*>(simulation);
    if (body >= s.freeCount) {
        peerGetPrescribed(&s.scene->bodies[1], double(s.stepCount) * s.scene->timeStep, pose, velocity);
        return;
    }
    const btRigidBody& rigid = *s.bodies[std::size_t(1 + body)];
    btQuaternion q = rigid.getWorldTransform().getRotation() * s.principals[std::size_t(body)].inverse();
    pose->position = fromBullet(rigid.getWorldTransform().getOrigin());
    pose->rotation = pbdrQuat{double(q.w()), double(q.x()), double(q.y()), double(q.z())};
    velocity->linear = fromBullet(rigid.getLinearVelocity());
    velocity->angular = fromBullet(rigid.getAngularVelocity());
}

bool describe(void* simulation, int index, const char** key, const char** value)
{
    return peerGetNote(&static_cast<Simulation*>(simulation)->notes, index, key, value);
}

} // namespace

const pbdrBenchSolver* benchGetBullet(void)
{
    static char version[16];
    static pbdrBenchSolver solver = {};
    snprintf(version, sizeof version, "%d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    solver.abi = PBDR_BENCH_ABI;
    solver.name = "bullet";
    solver.version = version;
    solver.presets = presets;
    solver.capabilities = pbdr_benchUsesJoints;
    solver.create = create;
    solver.step = step;
    solver.read = readMotion;
    solver.destroy = destroy;
    solver.describe = describe;
    return &solver;
}
