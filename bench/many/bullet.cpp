// Bullet on scenes of many bodies: btDiscreteDynamicsWorld, sequential impulses, 10 iterations, all at Bullet's
// defaults, but bodies never sleep: what is measured is a substep that is computed. Boxes are boxes, balls balls,
// capsules capsules; convex meshes are hulls without margin. A mesh that is not convex is its hull, or, as
// bullet:gimpact, its triangles (btGImpactMeshShape), which Bullet has for moving meshes.
//
// Bullet keeps the diagonal of an inertia only: frames are turned to principal axes here, and back when read.
#include "many/many.h"

#include "bullet_vec.h"
#include "vec.h"

#include <BulletCollision/Gimpact/btGImpactCollisionAlgorithm.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <new>
#include <vector>

namespace
{

// What bodies of one shape share.
struct Part {
    std::unique_ptr<btTriangleIndexVertexArray> triangles;
    std::vector<btVector3> vertices;
    std::vector<int> corners;
    std::unique_ptr<btCollisionShape> shape;
    btQuaternion principal = btQuaternion::getIdentity(); // principal axes to body axes
    btVector3 inertia = btVector3(0, 0, 0);
};

struct Simulation {
    const ManyScene* scene = nullptr;
    std::unique_ptr<btDefaultCollisionConfiguration> configuration;
    std::unique_ptr<btCollisionDispatcher> dispatcher;
    std::unique_ptr<btBroadphaseInterface> broadphase;
    std::unique_ptr<btSequentialImpulseConstraintSolver> solver;
    std::vector<Part> parts;
    std::unique_ptr<btCollisionShape> groundShape;
    std::unique_ptr<btDiscreteDynamicsWorld> world;
    std::vector<std::unique_ptr<btRigidBody>> bodies; // the scene's, then the ground

    ~Simulation()
    {
        for (auto& body : bodies) {
            world->removeRigidBody(body.get());
        }
    }
};

// --- Shapes ---

void findPrincipalAxes(const pbdrMat3& inertia, Part& part)
{
    const auto& m = inertia.m;
    btMatrix3x3 matrix, turn = btMatrix3x3::getIdentity();
    for (int i = 0; i < 3; i++) {
        matrix[i] = btVector3(btScalar(m[i][0]), btScalar(m[i][1]), btScalar(m[i][2]));
    }
    if (m[0][1] != 0.0 || m[0][2] != 0.0 || m[1][2] != 0.0) {
        matrix.diagonalize(turn, SIMD_EPSILON, 100);
    }
    turn.getRotation(part.principal);
    part.inertia = btVector3(matrix[0][0], matrix[1][1], matrix[2][2]);
}

std::unique_ptr<btCollisionShape> makeHull(const Part& part, const pbdrVec3* points, int count)
{
    auto hull = std::make_unique<btConvexHullShape>();
    for (int i = 0; i < count; i++) {
        hull->addPoint(quatRotate(part.principal.inverse(), toBullet(points[i])), false);
    }
    hull->recalcLocalAabb();
    hull->setMargin(0);
    return hull;
}

std::unique_ptr<btCollisionShape> makeTriangles(Part& part, const ManyShape& from)
{
    for (int i = 0; i < from.vertexCount; i++) {
        part.vertices.push_back(quatRotate(part.principal.inverse(), toBullet(from.vertices[i])));
    }
    for (int i = 0; i < 3 * from.triangleCount; i++) {
        part.corners.push_back(from.triangles[i / 3][i % 3]);
    }
    part.triangles = std::make_unique<btTriangleIndexVertexArray>(
        from.triangleCount, part.corners.data(), int(3 * sizeof(int)), from.vertexCount,
        static_cast<btScalar*>(part.vertices[0]), int(sizeof(btVector3)));
    auto mesh = std::make_unique<btGImpactMeshShape>(part.triangles.get());
    mesh->setMargin(0);
    mesh->updateBound();
    return mesh;
}

void makePart(Part& part, const ManyShape& from, bool triangles)
{
    findPrincipalAxes(from.inertia, part);
    switch (from.kind) {
    case manyBox:
        part.shape = std::make_unique<btBoxShape>(toBullet(from.half));
        break;
    case manyBall:
        part.shape = std::make_unique<btSphereShape>(btScalar(from.radius));
        break;
    case manyCapsule:
        part.shape = std::make_unique<btCapsuleShapeZ>(btScalar(from.radius), btScalar(2.0 * from.half.z));
        break;
    case manyConvex:
        part.shape = makeHull(part, from.vertices, from.vertexCount);
        break;
    case manyMesh:
        part.shape = triangles ? makeTriangles(part, from) : makeHull(part, from.hull, from.hullCount);
        break;
    }
}

// --- Creation ---

// Bullet takes the product of two frictions.
void addBody(Simulation& s, btScalar mass, const btVector3& inertia, const btTransform& start,
             btCollisionShape* shape, const pbdrVelocity& velocity)
{
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform = start;
    info.m_friction = btScalar(std::sqrt(s.scene->friction));
    s.bodies.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody* body = s.bodies.back().get();
    body->setActivationState(DISABLE_DEACTIVATION);
    if (mass > 0) {
        body->setLinearVelocity(toBullet(velocity.linear));
        body->setAngularVelocity(toBullet(velocity.angular));
    }
    s.world->addRigidBody(body);
}

void build(Simulation& s, bool triangles)
{
    s.configuration = std::make_unique<btDefaultCollisionConfiguration>();
    s.dispatcher = std::make_unique<btCollisionDispatcher>(s.configuration.get());
    if (triangles) {
        btGImpactCollisionAlgorithm::registerAlgorithm(s.dispatcher.get());
    }
    s.broadphase = std::make_unique<btDbvtBroadphase>();
    s.solver = std::make_unique<btSequentialImpulseConstraintSolver>();
    s.world = std::make_unique<btDiscreteDynamicsWorld>(s.dispatcher.get(), s.broadphase.get(),
                                                        s.solver.get(), s.configuration.get());
    s.world->setGravity(btVector3(0, 0, btScalar(-PBDR_DEFAULT_GRAVITY)));
    s.parts.resize(std::size_t(s.scene->shapeCount));
    for (int k = 0; k < s.scene->shapeCount; k++) {
        makePart(s.parts[std::size_t(k)], s.scene->shapes[k], triangles);
    }
    for (int k = 0; k < s.scene->bodyCount; k++) {
        const ManyBody& body = s.scene->bodies[k];
        const ManyShape& shape = s.scene->shapes[body.shape];
        Part& part = s.parts[std::size_t(body.shape)];
        btTransform start(toBullet(body.start.rotation) * part.principal, toBullet(body.start.position));
        addBody(s, body.fixed ? btScalar(0) : btScalar(shape.mass),
                body.fixed ? btVector3(0, 0, 0) : part.inertia, start, part.shape.get(), body.velocity);
    }
    if (s.scene->ground) {
        s.groundShape = std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0));
        addBody(s, 0, btVector3(0, 0, 0), btTransform::getIdentity(), s.groundShape.get(), pbdrVelocity{});
    }
}

void* create(const ManyScene* scene, bool triangles, char message[MANY_MESSAGE])
{
    try {
        auto simulation = std::make_unique<Simulation>();
        simulation->scene = scene;
        build(*simulation, triangles);
        return simulation.release();
    } catch (const std::bad_alloc&) {
        snprintf(message, MANY_MESSAGE, "no memory");
        return nullptr;
    }
}

void* createWithHulls(const ManyScene* scene, char message[MANY_MESSAGE])
{
    return create(scene, false, message);
}

void* createWithTriangles(const ManyScene* scene, char message[MANY_MESSAGE])
{
    return create(scene, true, message);
}

void destroy(void* simulation)
{
    delete static_cast<Simulation*>(simulation);
}

// --- Run ---

uint32_t step(void* simulation)
{
    Simulation& s = *static_cast<Simulation*>(simulation);
    s.world->stepSimulation(btScalar(s.scene->timeStep), 0);
    return 0;
}

void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    const Simulation& s = *static_cast<const Simulation*>(simulation);
    const btRigidBody& rigid = *s.bodies[std::size_t(body)];
    const Part& part = s.parts[std::size_t(s.scene->bodies[body].shape)];
    btQuaternion q = rigid.getWorldTransform().getRotation() * part.principal.inverse();
    pose->position = fromBullet(rigid.getWorldTransform().getOrigin());
    pose->rotation = pbdrQuat{double(q.w()), double(q.x()), double(q.y()), double(q.z())};
    velocity->linear = fromBullet(rigid.getLinearVelocity());
    velocity->angular = fromBullet(rigid.getAngularVelocity());
}

void look(void* simulation, ManyStep* step)
{
    const Simulation& s = *static_cast<const Simulation*>(simulation);
    *step = ManyStep{0.0, 0.0, double(NAN)};
    for (int i = 0; i < s.dispatcher->getNumManifolds(); i++) {
        const btPersistentManifold* manifold = s.dispatcher->getManifoldByIndexInternal(i);
        for (int k = 0; k < manifold->getNumContacts(); k++) {
            double depth = -double(manifold->getContactPoint(k).getDistance());
            step->overlap = std::fmax(step->overlap, depth);
            step->contacts += depth >= 0.0;
        }
    }
}

const char* getVersion()
{
    static char version[16];
    snprintf(version, sizeof version, "%d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    return version;
}

} // namespace

const ManySolver* manyGetBullet(void)
{
    static const ManySolver solver = {"bullet",   getVersion(), createWithHulls, step,
                                      readMotion, look,         destroy,         nullptr};
    return &solver;
}

const ManySolver* manyGetBulletGImpact(void)
{
    static const ManySolver solver = {
        "bullet:gimpact", getVersion(), createWithTriangles, step, readMotion, look, destroy, nullptr};
    return &solver;
}
