// Bodies with given mass and inertia, and joints between them, for tests of mechanisms.
#ifndef PBDR_TESTS_MECHANISMS_H
#define PBDR_TESTS_MECHANISMS_H

#include "math/vec.h"
#include "pbdr/sensor.h"
#include "scenes.h"

// Errors at four step sizes, each half the one before: each a quarter of the one before, within 4 %, the next term's share.
#define SIZES 4

static inline void checkOrder(const char* what, const char* unit, double timeStep, const double errors[SIZES])
{
    for (int k = 1; k < SIZES; k++) {
        CHECK_NEAR(errors[k - 1] / errors[k], 4.0, 0.16);
    }
    if (checkIsMeasuring()) {
        printf("order,%s,%s,%g,%.3g,%.3g,%.3g,%.3g\n", what, unit, 1.0e3 * timeStep, errors[0], errors[1],
               errors[2], errors[3]);
    }
}

static inline pbdrWorld* makeMechanismWorld(double timeStep)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.timeStep = timeStep;
    return makeWorld(def);
}

// A body that touches nothing, with principal moments along its rest axes [kg m^2].
static inline pbdrBodyId addRigid(pbdrWorld* world, double mass, pbdrVec3 moments, pbdrPose pose,
                                  pbdrVelocity velocity)
{
    const pbdrVec3 centre = {0.0, 0.0, 0.0};
    const double radius = 0.01;
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.particleCount = 1;
    def.positions = &centre;
    def.radii = &radius;
    def.masses = &mass;
    def.extraInertia = (pbdrMat3){{{moments.x, 0.0, 0.0}, {0.0, moments.y, 0.0}, {0.0, 0.0, moments.z}}};
    def.position = pose.position;
    def.rotation = pose.rotation;
    def.velocity = velocity;
    def.filter.mask = 0;
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBody(world, &def, &id, &error), &error);
    return id;
}

// The same at rest, without turn.
static inline pbdrBodyId addStill(pbdrWorld* world, double mass, pbdrVec3 moments, pbdrVec3 position)
{
    return addRigid(world, mass, moments, (pbdrPose){position, {1.0, 0.0, 0.0, 0.0}},
                    (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
}

static const pbdrBodyId theWorld = {0, 0, 0};

// with: what else there is to say of it; NULL: nothing.
static inline pbdrJointId addJointWith(pbdrWorld* world, const pbdrJointDef* with, pbdrJointKind kind,
                                       pbdrBodyId a, pbdrBodyId b, pbdrVec3 point, pbdrVec3 axis)
{
    pbdrJointDef def = with != NULL ? *with : pbdrDefaultJointDef();
    def.kind = kind;
    def.bodyA = a;
    def.bodyB = b;
    CHECK(pbdrPlaceJointDef(world, &def, point, axis) == pbdr_statusOk);
    pbdrJointId id;
    pbdrError error;
    require(pbdrCreateJoint(world, &def, &id, &error), &error);
    return id;
}

static inline pbdrJointId addJoint(pbdrWorld* world, pbdrJointKind kind, pbdrBodyId a, pbdrBodyId b,
                                   pbdrVec3 point, pbdrVec3 axis)
{
    return addJointWith(world, NULL, kind, a, b, point, axis);
}

static inline pbdrWorld* makeWeightless(double dt)
{
    pbdrWorld* world = makeMechanismWorld(dt);
    CHECK(pbdrWorld_SetGravity(world, pbdrVec(0.0, 0.0, 0.0)) == pbdr_statusOk);
    return world;
}

// Kinetic energy and that in gravity [J].
static inline double getMechanismEnergy(const pbdrWorld* world)
{
    pbdrBodyId ids[2048];
    const int count = pbdrWorld_GetBodies(world, ids, 2048);
    const pbdrVec3 gravity = pbdrWorld_GetGravity(world);
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        const pbdrVelocity v = pbdrBody_GetVelocity(world, ids[k]);
        const pbdrMomentum p = pbdrBody_GetMomentum(world, ids[k]);
        sum += 0.5 * (pbdrDot(p.linear, v.linear) + pbdrDot(p.angular, v.angular)) -
               pbdrBody_GetMass(world, ids[k]) * pbdrDot(gravity, pbdrBody_GetPose(world, ids[k]).position);
    }
    return sum;
}

// The largest gap of all joints [m], and of their axes [rad].
static inline void measureGaps(const pbdrWorld* world, double* gap, double* turn)
{
    pbdrJointId ids[2048];
    const int count = pbdrWorld_GetJoints(world, ids, 2048);
    for (int k = 0; k < count; k++) {
        *gap = fmax(*gap, pbdrJoint_GetGap(world, ids[k]));
        *turn = fmax(*turn, pbdrJoint_GetTurnGap(world, ids[k]));
    }
}

// Steps that must go well, and gaps after each of them within the bars of every frame: 1e-12 m, 1e-10 rad.
static inline void stepMechanism(pbdrWorld* world, int substeps)
{
    double gap = 0.0, turn = 0.0;
    uint32_t flags = 0;
    for (int k = 0; k < substeps; k++) {
        flags |= pbdrWorld_Step(world, 1);
        measureGaps(world, &gap, &turn);
    }
    CHECK(flags == 0);
    CHECK_LE(gap, 1.0e-12);
    CHECK_LE(turn, 1.0e-10);
}

#endif
