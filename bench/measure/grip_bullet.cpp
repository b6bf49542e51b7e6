// A box that two fingers on slides hold by friction, in Bullet with its defaults (joints.c measures the same elsewhere).
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

extern "C" double pbdrGripInBullet(double share, double seconds)
{
    const double mass = 0.5, mu = 0.5, force = share * mass * 9.81 / (2.0 * mu);
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, 0, -9.81));
    // A pair's friction is the product; the box has 1.
    btBoxShape boxShape(btVector3(0.05, 0.05, 0.05)), fingerShape(btVector3(0.01, 0.03, 0.04));
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btGeneric6DofConstraint>> slides;
    const auto add = [&](btCollisionShape& shape, double weight, double x, double friction) {
        btVector3 inertia(0, 0, 0);
        shape.calculateLocalInertia(weight, inertia);
        btRigidBody::btRigidBodyConstructionInfo info(weight, nullptr, &shape, inertia);
        info.m_friction = friction;
        info.m_startWorldTransform = btTransform(btQuaternion::getIdentity(), btVector3(x, 0, 0));
        bodies.push_back(std::make_unique<btRigidBody>(info));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(bodies.back().get());
        return bodies.back().get();
    };
    btRigidBody* box = add(boxShape, mass, 0.0, 1.0);
    btRigidBody* fingers[2];
    for (int k = 0; k < 2; k++) {
        fingers[k] = add(fingerShape, 0.2, k == 0 ? -0.06 : 0.06, mu);
        slides.push_back(
            std::make_unique<btGeneric6DofConstraint>(*fingers[k], btTransform::getIdentity(), true));
        slides.back()->setLinearLowerLimit(btVector3(1, 0, 0)); // lower above upper: free
        slides.back()->setLinearUpperLimit(btVector3(-1, 0, 0));
        slides.back()->setAngularLowerLimit(btVector3(0, 0, 0));
        slides.back()->setAngularUpperLimit(btVector3(0, 0, 0));
        world.addConstraint(slides.back().get());
    }
    const int substeps = static_cast<int>(seconds * 1000.0 + 0.5);
    for (int k = 0; k < substeps; k++) {
        fingers[0]->applyCentralForce(btVector3(force, 0, 0));
        fingers[1]->applyCentralForce(btVector3(-force, 0, 0));
        world.stepSimulation(0.001, 0, 0.001);
    }
    const double down = -static_cast<double>(box->getCenterOfMassPosition().z());
    for (auto& slide : slides) {
        world.removeConstraint(slide.get());
    }
    for (auto& body : bodies) {
        world.removeRigidBody(body.get());
    }
    return down;
}
