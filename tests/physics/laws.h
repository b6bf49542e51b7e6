// What the tests of laws share. They use the public headers alone (and vectors), so that they outlive any
// change inside: each states what a user may rely on, and each kills a fault that the other tests let live
// (tests/mutants).
#ifndef PBDR_TESTS_LAWS_H
#define PBDR_TESTS_LAWS_H

#include "physics/xpbdr_scenes.h"

#define MAX_CONTACTS 256

// Worlds that a law holds in: every solver and engine, in double.
typedef struct LawWorld {
    const char* name;
    pbdrSolver solver;
    pbdrEngine engine;
} LawWorld;

static const LawWorld lawWorlds[] = {
    {"pbd", pbdr_solverPbd, pbdr_engineParticle},
    {"pbd-r, particles", pbdr_solverPbdR, pbdr_engineParticle},
    {"pbd-r, reduced", pbdr_solverPbdR, pbdr_engineReduced},
    {"xpbdr", pbdr_solverXpbdR, pbdr_engineAuto},
};
#define LAW_WORLD_COUNT 4

static inline pbdrWorld* makeLawWorld(int k, pbdrVec3 gravity, double timeStep)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = lawWorlds[k].solver;
    def.engine = lawWorlds[k].engine;
    def.gravity = gravity;
    def.timeStep = timeStep;
    return makeWorld(def);
}

static inline pbdrBodyId addBody(pbdrWorld* world, const pbdrBodyDef* def)
{
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBody(world, def, &id, &error), &error);
    return id;
}

static inline pbdrMat3 diagonal(double x, double y, double z)
{
    return (pbdrMat3){{{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}}};
}

// Sum of the contact forces on a body in the last substep [N].
static inline pbdrVec3 sumForces(const pbdrWorld* world, pbdrBodyId body)
{
    static pbdrContact contacts[MAX_CONTACTS];
    int count = pbdrWorld_GetContacts(world, contacts, MAX_CONTACTS);
    CHECK_LE(count, MAX_CONTACTS);
    pbdrVec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < count && k < MAX_CONTACTS; k++) {
        if (contacts[k].bodyA.index1 == body.index1) {
            sum = pbdrAdd(sum, contacts[k].force);
        } else if (contacts[k].bodyB.index1 == body.index1) {
            sum = pbdrSub(sum, contacts[k].force);
        }
    }
    return sum;
}

#endif
