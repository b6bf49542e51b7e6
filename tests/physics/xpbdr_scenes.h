// What the tests of XPBD-R share: worlds that count substeps which did not converge, and boxes in them.
#ifndef PBDR_TESTS_XPBDR_SCENES_H
#define PBDR_TESTS_XPBDR_SCENES_H

#include "math/vec.h"
#include "scenes.h"

#define GRAVITY PBDR_DEFAULT_GRAVITY

// Under the sanitizers, which are some twenty times slower, loops over cases take every fifth.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOW_BUILD 1
#else
#define SLOW_BUILD 0
#endif

static inline pbdrWorld* makeConverged(pbdrVec3 gravity, double timeStep)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.gravity = gravity;
    def.timeStep = timeStep;
    return makeWorld(def);
}

static inline pbdrWorld* makeConvergedOnGround(double friction)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
    addGround(world, friction);
    return world;
}

// Steps one by one. Returns how many substeps did not converge; other flags fail, and end it.
static inline int stepCounting(pbdrWorld* world, int count)
{
    int unconverged = 0;
    uint32_t others = 0;
    for (int k = 0; k < count && others == 0; k++) {
        uint32_t flags = pbdrWorld_Step(world, 1);
        unconverged += (flags & pbdr_stepNotConverged) != 0;
        others = flags & ~(uint32_t)pbdr_stepNotConverged;
    }
    CHECK_EQ(others, 0);
    return unconverged;
}

// A body of one sphere.
static inline pbdrBodyId addBall(pbdrWorld* world, double radius, double mass, double friction,
                                 pbdrVec3 position, pbdrVec3 velocity)
{
    const pbdrVec3 centre = {0.0, 0.0, 0.0};
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.particleCount = 1;
    def.positions = &centre;
    def.radii = &radius;
    def.masses = &mass;
    def.position = position;
    def.velocity.linear = velocity;
    def.friction = friction;
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBody(world, &def, &id, &error), &error);
    return id;
}

// A cube of 0.2 m and 4 kg, n spheres per axis, with its faces: its true surface.
static inline pbdrBodyId addFacedCube(pbdrWorld* world, int n, pbdrBodyKind kind, double friction,
                                      pbdrVec3 position)
{
    pbdrError error;
    pbdrShape* cube;
    require(pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.2), 4.0, n, &cube, &error), &error);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = kind;
    def.position = position;
    def.friction = friction;
    pbdrBodyId id;
    require(pbdrCreateBodyFromShape(world, &def, cube, &id, &error), &error);
    pbdrReleaseShape(cube);
    return id;
}

static inline pbdrQuat turnAbout(pbdrVec3 axis, double angle)
{
    double s = sin(0.5 * angle) / pbdrLength(axis);
    return (pbdrQuat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}

// Angle between two poses [rad].
static inline double angleBetween(pbdrQuat a, pbdrQuat b)
{
    pbdrQuat turn = pbdrMulQQ(a, pbdrConjugate(b));
    return 2.0 * atan2(pbdrLength(pbdrVec(turn.x, turn.y, turn.z)), fabs(turn.w));
}

// Speed of the fastest point of the cube: of its centre, and of turning over its half diagonal [m/s].
static inline double getTopSpeed(const pbdrWorld* world, pbdrBodyId body)
{
    pbdrVelocity v = pbdrBody_GetVelocity(world, body);
    return pbdrLength(v.linear) + 0.1 * sqrt(3.0) * pbdrLength(v.angular);
}

// Kinetic and potential energy under gravity along -z [J].
static inline double getEnergy(const pbdrWorld* world, pbdrBodyId body)
{
    pbdrVelocity v = pbdrBody_GetVelocity(world, body);
    pbdrVec3 spin = pbdrBody_GetMomentum(world, body).angular;
    double mass = pbdrBody_GetMass(world, body);
    return 0.5 * mass * pbdrDot(v.linear, v.linear) + 0.5 * pbdrDot(spin, v.angular) +
           mass * GRAVITY * pbdrBody_GetPose(world, body).position.z;
}

// A number in [-1, 1): Knuth's linear congruential generator, the same on every machine.
static inline double draw(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static inline pbdrQuat drawRotation(uint64_t* seed)
{
    return pbdrNormalizeQ((pbdrQuat){draw(seed), draw(seed), draw(seed), draw(seed)});
}

#endif
