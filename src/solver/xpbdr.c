// XPBD-R: one substep.
//
//   loads --> contact candidates --> islands --> Newton per island (xpbdr_island.c) --> velocities, positions
//
// Positions move with the mean of the old and the new velocity, orientations likewise: second order, and
// exact under constant forces. A body whose contacts stop it within the substep (an impact) moves with the
// new velocity instead, which the constraint was stated for: the mean would drive it in.
#include "solver/xpbdr.h"

#include "math/sym3.h"
#include "solver/candidates.h"
#include "solver/kernels.h"
#include "solver/stages.h"
#include "solver/surface_contact.h"
#include "solver/xpbdr_island.h"
#include "world/profile.h"

#include <stdlib.h>

// Stiffness of every contact over M/dt^2. It sets how fast Newton converges, not the result.
#define STIFFNESS 30.0
// Mean motion may drive a new contact in by this before it counts as an impact, and an old one [m].
#define IMPACT_FRESH 1.0e-8
#define IMPACT_OLD 1.0e-6

// --- Free rotation ---

// Euler's equations in body axes: I w' = (I w) x w.
static pbdrVec3 getPrecession(const pbdrBody* body, pbdrVec3 w)
{
    return pbdrMulMV(&body->restInverse, pbdrCross(pbdrMulMV(&body->restTurning, w), w));
}

// q' = q (0, w)/2, w in body axes.
static pbdrQuat getTurning(pbdrQuat q, pbdrVec3 w)
{
    return pbdrMulQQ(q, (pbdrQuat){0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z});
}

static pbdrQuat addQ(pbdrQuat a, double s, pbdrQuat b)
{
    return (pbdrQuat){a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// Torque-free motion over the substep by the classical Runge-Kutta method: fourth order, so that energy and
// angular momentum are kept to 1e-9 over minutes. w in body axes.
static void rotateOnce(const pbdrBody* body, double dt, pbdrQuat* q, pbdrVec3* w)
{
    static const double stage[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    pbdrQuat turning = {0.0, 0.0, 0.0, 0.0}, newQ = *q;
    pbdrVec3 precession = {0.0, 0.0, 0.0}, newW = *w;
    for (int k = 0; k < 4; k++) {
        pbdrQuat atQ = addQ(*q, stage[k] * dt, turning);
        pbdrVec3 atW = pbdrAddScaled(*w, stage[k] * dt, precession);
        turning = getTurning(atQ, atW);
        precession = getPrecession(body, atW);
        newQ = addQ(newQ, weight[k] * dt, turning);
        newW = pbdrAddScaled(newW, weight[k] * dt, precession);
    }
    *q = pbdrNormalizeQ(newQ);
    *w = newW;
}

// A fast spin takes more steps: 0.05 rad each, and 1000 at most.
static void rotateFreely(const pbdrBody* body, double dt, pbdrQuat* q, pbdrVec3* w)
{
    double turns = ceil(pbdrLength(*w) * dt / 0.05);
    int count = turns > 1.0 ? (turns < 1000.0 ? (int)turns : 1000) : 1; // NaN: one
    for (int k = 0; k < count; k++) {
        rotateOnce(body, dt / count, q, w);
    }
}

// --- Movers ---

// I^-1 of a torque, at an orientation.
static pbdrVec3 turnFaster(const pbdrBody* body, const pbdrMat3* turn, pbdrVec3 torque)
{
    pbdrMat3 inverse = pbdrTurnTensor(turn, &body->restInverse);
    return pbdrMulMV(&inverse, torque);
}

// A substep without contact: half of the torque's kick, free rotation, the other half (Strang's splitting:
// second order). w in world axes.
static void rotateUnderTorque(const pbdrBody* body, double dt, pbdrQuat* q, pbdrVec3* w)
{
    pbdrVec3 half = pbdrScale(0.5 * dt, body->torque);
    pbdrVec3 free = pbdrMulTransposedMV(&body->stretch, pbdrAdd(*w, turnFaster(body, &body->stretch, half)));
    rotateFreely(body, dt, q, &free);
    pbdrMat3 turn = pbdrMatFromQuat(*q);
    *w = pbdrAdd(pbdrMulMV(&turn, free), turnFaster(body, &turn, half));
}

// Load of the torque and the gyroscopic effect: what changes w as rotation without contact would.
static pbdrVec3 getTurningLoad(const pbdrBody* body, const pbdrMat3* inertia, double dt)
{
    pbdrVec3 w = body->angular;
    pbdrVec3 spin = pbdrMulMV(inertia, w), torque = pbdrCross(spin, w);
    // rounding of a spherical top's, or of a body at rest
    if (pbdrLength(torque) <= 1.0e-14 * pbdrLength(spin) * pbdrLength(w)) {
        return body->torque;
    }
    pbdrQuat q = body->rotation;
    pbdrVec3 end = w;
    rotateUnderTorque(body, dt, &q, &end);
    return pbdrScale(1.0 / dt, pbdrMulMV(inertia, pbdrSub(end, w)));
}

static void setMover(const pbdrWorld* world, int index, pbdrMover* mover)
{
    const pbdrBody* body = pbdrGetBody(world, index);
    mover->body = index;
    mover->mass = body->mass;
    mover->inertia = pbdrTurnTensor(&body->stretch, &body->restTurning);
    double trace = body->restTurning.m[0][0] + body->restTurning.m[1][1] + body->restTurning.m[2][2];
    mover->gyration = sqrt(trace / (3.0 * body->mass));
    pbdrVec3 pull = pbdrAddScaled(body->force, body->mass, world->gravity);
    mover->load = pbdrMakeTwist(pull, getTurningLoad(body, &mover->inertia, world->timeStep));
    mover->bounceTime = -1.0;
    mover->loaded = false;
}

// --- Islands ---

static int findRoot(int32_t* parents, int index)
{
    while (parents[index] != index) {
        parents[index] = parents[parents[index]];
        index = parents[index];
    }
    return index;
}

static bool isMover(const pbdrWorld* world, int index)
{
    return index >= 0 && pbdrGetBody(world, index)->alive &&
           pbdrGetBody(world, index)->kind == pbdr_bodyDynamic;
}

// The mover of a body within its island, or -1.
static int findMover(const pbdrWorld* world, int index)
{
    return isMover(world, index) ? pbdrGetBody(world, index)->mover : -1;
}

// mass: the island's heaviest body's, whose weight any of its contacts may have to bear.
static void setLaw(const pbdrWorld* world, const pbdrPatch* patch, double mass, pbdrPatchLaw* law)
{
    const pbdrBody* a = pbdrGetBody(world, patch->bodyA);
    double mu, restitution;
    if (patch->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(world, patch->plane);
        mu = pbdrMixFriction(world->mixing, a->friction, plane->friction);
        restitution = fmax(a->restitution, plane->restitution);
    } else {
        const pbdrBody* b = pbdrGetBody(world, patch->bodyB);
        mu = pbdrMixFriction(world->mixing, a->friction, b->friction);
        restitution = fmax(a->restitution, b->restitution);
    }
    *law = (pbdrPatchLaw){
        .first = patch->first,
        .count = patch->count,
        .twoSided = isMover(world, patch->bodyB),
        .k = STIFFNESS * mass / (world->timeStep * world->timeStep),
        .mu = mu,
        .restitution = restitution,
        .timeStep = world->timeStep,
    };
}

// Movers, touching patches and islands of this substep, the former two sorted by island. False without
// memory.
static bool makeIslands(pbdrWorld* world)
{
    int bodyCount = world->bodies.count, patchCount = world->patches.count;
    if (!pbdrListResetTo(world, &world->parents, bodyCount) ||
        !pbdrListResetTo(world, &world->islands, bodyCount) ||
        !pbdrListReserve(world, &world->movers, bodyCount) ||
        !pbdrListReserve(world, &world->touchings, patchCount)) {
        return false;
    }
    int32_t* parents = world->parents.items;
    for (int index = 0; index < bodyCount; index++) {
        parents[index] = index;
    }
    for (int k = 0; k < patchCount; k++) {
        const pbdrPatch* patch = pbdrGetPatch(world, k);
        if (isMover(world, patch->bodyA) && isMover(world, patch->bodyB)) {
            parents[findRoot(parents, patch->bodyB)] = findRoot(parents, patch->bodyA);
        }
    }
    // islands in the order of their first body; a body's island stands in its root's
    pbdrIsland* islands = world->islands.items;
    int islandCount = 0;
    for (int index = 0; index < bodyCount; index++) {
        if (!isMover(world, index)) {
            continue;
        }
        pbdrBody* root = pbdrGetBody(world, findRoot(parents, index));
        pbdrBody* body = pbdrGetBody(world, index);
        if (root->substepSeen != world->substepCount + 1) {
            root->substepSeen = world->substepCount + 1;
            root->island = islandCount++;
        }
        body->island = root->island;
        islands[body->island].moverCount++;
    }
    for (int k = 0; k < patchCount; k++) {
        const pbdrPatch* patch = pbdrGetPatch(world, k);
        int owner = isMover(world, patch->bodyA) ? patch->bodyA : patch->bodyB;
        islands[pbdrGetBody(world, owner)->island].touchingCount += patch->count > 0;
    }
    world->islands.count = islandCount;
    int moverCount = 0, touchingCount = 0;
    for (int k = 0; k < islandCount; k++) {
        islands[k].firstMover = moverCount;
        islands[k].firstTouching = touchingCount;
        moverCount += islands[k].moverCount;
        touchingCount += islands[k].touchingCount;
        islands[k].moverCount = islands[k].touchingCount = 0;
    }
    world->movers.count = moverCount;
    world->touchings.count = touchingCount;
    pbdrMover* movers = world->movers.items;
    for (int index = 0; index < bodyCount; index++) {
        if (isMover(world, index)) {
            pbdrBody* body = pbdrGetBody(world, index);
            pbdrIsland* island = &islands[body->island];
            body->mover = island->moverCount++;
            island->heaviest = fmax(island->heaviest, body->mass);
            setMover(world, index, &movers[island->firstMover + body->mover]);
        }
    }
    pbdrTouching* touchings = world->touchings.items;
    for (int k = 0; k < patchCount; k++) {
        const pbdrPatch* patch = pbdrGetPatch(world, k);
        if (patch->count == 0) {
            continue;
        }
        int owner = isMover(world, patch->bodyA) ? patch->bodyA : patch->bodyB;
        pbdrIsland* island = &islands[pbdrGetBody(world, owner)->island];
        pbdrTouching* touching = &touchings[island->firstTouching + island->touchingCount++];
        touching->patch = k;
        touching->moverA = findMover(world, patch->bodyA);
        touching->moverB = findMover(world, patch->bodyB);
        setLaw(world, patch, island->heaviest, &touching->law);
        touching->mu = touching->law.mu;
        touching->padded = patch->padded;
    }
    return true;
}

// Room for the largest island's linear system. False without memory.
static bool reserveBlocks(pbdrWorld* world)
{
    int largest = 1;
    const pbdrIsland* islands = world->islands.items;
    for (int k = 0; k < world->islands.count; k++) {
        bool touches = islands[k].touchingCount > 0 && islands[k].moverCount <= PBDR_MAX_ISLAND;
        largest = touches && islands[k].moverCount > largest ? islands[k].moverCount : largest;
    }
    return pbdrListReserve(world, &world->blockTouches, largest * largest) &&
           pbdrListReserve(world, &world->blockPlaces, largest * largest) &&
           pbdrListReserve(world, &world->rowOrder, largest) &&
           pbdrListReserve(world, &world->blockSides, largest) &&
           pbdrListReserve(world, &world->keptSteps, 2 * largest);
}

// --- Motion ---

static void turnBy(pbdrBody* body, pbdrVec3 angle)
{
    body->rotation = pbdrNormalizeQ(pbdrMulQQ(pbdrQuatFromVector(angle), body->rotation));
}

// Freely until the impact, and freely from then on.
static void moveThroughBounce(pbdrWorld* world, pbdrBody* body, const pbdrMover* mover, pbdrVec3 drift,
                              pbdrVec3 angular)
{
    double before = mover->bounceTime, after = world->timeStep - before;
    pbdrTwist free = pbdrGetFreeAcceleration(body, mover);
    pbdrVec3 a = pbdrGetLinear(&free), alpha = pbdrGetAngular(&free);
    pbdrVec3 way = pbdrAddScaled(pbdrScale(before, body->drift0), 0.5 * before * before, a);
    way = pbdrAddScaled(pbdrAddScaled(way, after, drift), -0.5 * after * after, a);
    pbdrVec3 angle = pbdrAddScaled(pbdrScale(before, body->angular), 0.5 * before * before, alpha);
    angle = pbdrAddScaled(pbdrAddScaled(angle, after, angular), -0.5 * after * after, alpha);
    body->centre0 = pbdrAdd(body->centre0, way);
    turnBy(body, angle);
}

static void moveBody(pbdrWorld* world, const pbdrMover* mover)
{
    pbdrBody* body = pbdrGetBody(world, mover->body);
    double dt = world->timeStep;
    pbdrVec3 drift = pbdrAddScaled(body->drift0, 1.0 / dt, pbdrGetLinear(&mover->y));
    pbdrVec3 angular = pbdrAddScaled(body->angular, 1.0 / dt, pbdrGetAngular(&mover->y));
    bool impact = mover->loaded && (mover->drivenFresh < -IMPACT_FRESH || mover->drivenOld < -IMPACT_OLD);
    bool bounces = mover->loaded && mover->bounceTime >= 0.0;
    if (bounces) {
        moveThroughBounce(world, body, mover, drift, angular);
    } else if (impact) {
        body->centre0 = pbdrAddScaled(body->centre0, dt, drift);
        turnBy(body, pbdrScale(dt, angular));
    } else if (mover->loaded) {
        body->centre0 = pbdrAddScaled(body->centre0, 0.5 * dt, pbdrAdd(body->drift0, drift));
        turnBy(body, pbdrScale(0.5 * dt, pbdrAdd(body->angular, angular)));
    } else {
        body->centre0 = pbdrAddScaled(body->centre0, 0.5 * dt, pbdrAdd(body->drift0, drift));
        pbdrVec3 w = body->angular;
        rotateUnderTorque(body, dt, &body->rotation, &w);
    }
    body->drift0 = drift;
    body->angular = angular;
    body->stretch = pbdrMatFromQuat(body->rotation);
    bool keeps = mover->loaded && !impact && !bounces;
    for (int k = 0; k < 6; k++) {
        body->lag[k] = keeps ? mover->lag.v[k] : 0.0;
        body->lastStep[k] = mover->y.v[k];
    }
}

static void solveIslands(pbdrWorld* world)
{
    const pbdrIsland* islands = world->islands.items;
    pbdrMover* movers = world->movers.items;
    for (int k = 0; k < world->islands.count; k++) {
        const pbdrIsland* island = &islands[k];
        int steps = 0;
        if (island->touchingCount > 0 && island->moverCount > PBDR_MAX_ISLAND) {
            world->flags |= pbdr_stepNotConverged;
            for (int i = island->firstMover; i < island->firstMover + island->moverCount; i++) {
                movers[i].y = pbdrStill; // too many to solve: they go on as they are
            }
        } else if (island->touchingCount > 0) {
            steps = pbdrSolveIsland(world, island);
            world->flags |= steps < 0 ? pbdr_stepNotConverged : 0;
            PBDR_COUNT_BY(world, newtonSteps.sum, abs(steps));
        }
        // bodies that bear on each other move alike, or the difference would drive them in
        double fresh = 0.0, old = 0.0;
        for (int i = island->firstMover; i < island->firstMover + island->moverCount; i++) {
            fresh = movers[i].loaded ? fmin(fresh, movers[i].drivenFresh) : fresh;
            old = movers[i].loaded ? fmin(old, movers[i].drivenOld) : old;
        }
        for (int i = island->firstMover; i < island->firstMover + island->moverCount; i++) {
            movers[i].drivenFresh = fresh;
            movers[i].drivenOld = old;
        }
        for (int i = island->firstMover; i < island->firstMover + island->moverCount; i++) {
            pbdrMover* mover = &movers[i];
            pbdrBody* body = pbdrGetBody(world, mover->body);
            if (island->touchingCount == 0) {
                mover->y = pbdrGetFreeAcceleration(body, mover);
                for (int j = 0; j < 6; j++) {
                    mover->y.v[j] *= world->timeStep * world->timeStep;
                }
            }
        }
    }
}

static void moveBodies(pbdrWorld* world)
{
    const pbdrMover* movers = world->movers.items;
    for (int k = 0; k < world->movers.count; k++) {
        moveBody(world, &movers[k]);
    }
    for (int index = 0; index < world->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(world, index);
        if (body->alive && body->kind == pbdr_bodyIntegrateOnly) {
            pbdrMovePusher(world, body);
        }
    }
}

void pbdrStepXpbdR(pbdrWorld* world)
{
    pbdrUpdateCandidates(world);
    pbdrEndStage(world, pbdr_rowCandidates);
    bool good = pbdrChooseSurfaceItems(world) && makeIslands(world) && reserveBlocks(world);
    pbdrEndStage(world, pbdr_rowIslands);
    if (!good) {
        world->flags |= pbdr_stepPairsFull;
        return;
    }
    solveIslands(world);
    pbdrEndStage(world, pbdr_rowSolve);
    moveBodies(world);
    pbdrEndStage(world, pbdr_rowMove);
}
