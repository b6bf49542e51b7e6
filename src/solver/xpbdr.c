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

static pbdrVec3 getLinear(const pbdrTwist* a)
{
    return pbdrVec(a->v[0], a->v[1], a->v[2]);
}

static pbdrVec3 getAngular(const pbdrTwist* a)
{
    return pbdrVec(a->v[3], a->v[4], a->v[5]);
}

static pbdrTwist makeTwist(pbdrVec3 linear, pbdrVec3 angular)
{
    return (pbdrTwist){{linear.x, linear.y, linear.z, angular.x, angular.y, angular.z}};
}

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
static void rotateFreely(const pbdrBody* body, double dt, pbdrQuat* q, pbdrVec3* w)
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
    pbdrMat3 back = pbdrTranspose(&body->stretch);
    pbdrVec3 half = pbdrScale(0.5 * dt, body->torque);
    pbdrVec3 free = pbdrMulMV(&back, pbdrAdd(*w, turnFaster(body, &body->stretch, half)));
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
    mover->velocity = makeTwist(body->drift0, body->angular);
    pbdrVec3 pull = pbdrAddScaled(body->force, body->mass, world->gravity);
    mover->load = makeTwist(pull, getTurningLoad(body, &mover->inertia, world->timeStep));
    mover->bounceTime = -1.0;
    mover->loaded = false;
}

// M^-1 of a twist of forces.
static pbdrTwist getAcceleration(const pbdrBody* body, const pbdrMover* mover, const pbdrTwist* load)
{
    pbdrMat3 inverse = pbdrTurnTensor(&body->stretch, &body->restInverse);
    return makeTwist(pbdrScale(1.0 / mover->mass, getLinear(load)), pbdrMulMV(&inverse, getAngular(load)));
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

static void setLaw(const pbdrWorld* world, const pbdrPatch* patch, pbdrPatchLaw* law)
{
    const pbdrBody* a = pbdrGetBody(world, patch->bodyA);
    double mass = a->mass, mu, restitution;
    if (patch->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(world, patch->plane);
        mu = pbdrMixFriction(world->mixing, a->friction, plane->friction);
        restitution = fmax(a->restitution, plane->restitution);
    } else {
        const pbdrBody* b = pbdrGetBody(world, patch->bodyB);
        mu = pbdrMixFriction(world->mixing, a->friction, b->friction);
        restitution = fmax(a->restitution, b->restitution);
        mass = a->kind != pbdr_bodyDynamic   ? b->mass
               : b->kind != pbdr_bodyDynamic ? a->mass
                                             : fmin(a->mass, b->mass);
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
        setLaw(world, patch, &touching->law);
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
        bool touches = islands[k].touchingCount > 0;
        largest = touches && islands[k].moverCount > largest ? islands[k].moverCount : largest;
    }
    return largest <= PBDR_MAX_ISLAND && pbdrListReserve(world, &world->blocks, largest * largest) &&
           pbdrListReserve(world, &world->blocksUsed, largest * largest) &&
           pbdrListReserve(world, &world->blockSides, largest) &&
           pbdrListReserve(world, &world->keptSteps, 2 * largest);
}

// --- Items ---

// How a body moves in this substep as far as contact does not change it. A pusher's is that at the end, as
// the unknown is: both then move with their mean velocities, and what sticks to a pusher keeps up with it.
static pbdrTwist getVelocity(const pbdrWorld* world, const pbdrBody* body)
{
    pbdrVec3 linear = body->drift0, angular = body->angular;
    if (body->kind == pbdr_bodyIntegrateOnly) {
        pbdrMat3 inertia = pbdrTurnTensor(&body->stretch, &body->restInertia);
        linear = pbdrAddScaled(linear, 1.5 * world->timeStep / body->mass, body->force);
        if (pbdrDot(body->torque, body->torque) > 0.0) {
            angular = pbdrAddScaled(angular, 1.5 * world->timeStep,
                                    pbdrSymSolve(&inertia, body->torque, PBDR_INERTIA_CUTOFF_F64));
        }
    }
    return makeTwist(linear, angular);
}

static pbdrVec3 moveLever(const pbdrTwist* y, pbdrVec3 r)
{
    return pbdrAdd(getLinear(y), pbdrCross(getAngular(y), r));
}

static pbdrVec3 readColumns(const pbdrItems* items, int column, int item)
{
    return pbdrVec(pbdrGetColumn(items, column)[item], pbdrGetColumn(items, column + 1)[item],
                   pbdrGetColumn(items, column + 2)[item]);
}

static void writeColumns(const pbdrItems* items, int column, int item, pbdrVec3 a)
{
    pbdrGetColumn(items, column)[item] = a.x;
    pbdrGetColumn(items, column + 1)[item] = a.y;
    pbdrGetColumn(items, column + 2)[item] = a.z;
}

// A pair of spheres, or of a sphere and the cell of another: what preparePatch does for planes.
static void preparePair(const pbdrWorld* world, const pbdrTouching* touching, const pbdrTwist velocity[2],
                        const pbdrTwist* const lag[2], int item, int state)
{
    const pbdrItems* items = &world->items;
    const pbdrPatch* patch = pbdrGetPatch(world, touching->patch);
    const pbdrBody *a = pbdrGetBody(world, patch->bodyA), *b = pbdrGetBody(world, patch->bodyB);
    const double dt = world->timeStep, k = touching->law.k;
    double radiusA = pbdrGetColumn(items, ITEM_RADIUS)[item];
    double radiusB = pbdrGetColumn(items, ITEM_RADIUS_B)[item];
    pbdrVec3 armA = pbdrMulMV(&a->stretch, readColumns(items, ITEM_REST, item));
    pbdrVec3 armB = pbdrMulMV(&b->stretch, readColumns(items, ITEM_REST_B, item));
    pbdrVec3 apart = pbdrAdd(pbdrSub(a->centre0, b->centre0), pbdrSub(armA, armB));
    double distance = pbdrLength(apart), gap = distance - radiusA - radiusB;
    // spheres at the same place have no normal: part them upwards
    pbdrVec3 n = distance > 0.0 ? pbdrScale(1.0 / distance, apart) : pbdrVec(0.0, 0.0, 1.0);
    double side = pbdrGetColumn(items, ITEM_SIDE)[item];
    pbdrVec3 xA = pbdrAdd(a->centre0, armA), xB = pbdrAdd(b->centre0, armB), outwards;
    if (side == SIDE_A) {
        int sphere = a->tree.indices[items->spheres[0][item]];
        gap = pbdrGetCellGap(a, sphere, xA, radiusA, xB, radiusB, &outwards);
        n = pbdrScale(-1.0, outwards);
        armA = pbdrSub(pbdrAddScaled(xB, radiusA + radiusB, n), a->centre0); // so that both levers meet
    } else if (side == SIDE_B) {
        int sphere = b->tree.indices[items->spheres[1][item]];
        gap = pbdrGetCellGap(b, sphere, xB, radiusB, xA, radiusA, &n);
        armB = pbdrSub(pbdrAddScaled(xA, -(radiusA + radiusB), n), b->centre0);
    }
    pbdrVec3 leverA = pbdrAddScaled(armA, -radiusA, n), leverB = pbdrAddScaled(armB, radiusB, n);
    pbdrVec3 v = pbdrSub(moveLever(&velocity[0], leverA), moveLever(&velocity[1], leverB));
    double fall = pbdrDot(n, v), ahead = fmax(gap, -PBDR_RECOVERY_SPEED * dt) + dt * fall;
    pbdrVec3 compression = pbdrSub(moveLever(lag[0], leverA), moveLever(lag[1], leverB));
    pbdrVec3 hold = readColumns(items, ITEM_FRICTION, item);
    hold = pbdrAddScaled(hold, -pbdrDot(n, hold), n);
    pbdrVec3 slip = pbdrAddScaled(v, -fall, n);
    writeColumns(items, ITEM_NORMAL, item, n);
    writeColumns(items, ITEM_LEVER, item, leverA);
    writeColumns(items, ITEM_LEVER_B, item, leverB);
    writeColumns(items, ITEM_HOLD, item, hold);
    pbdrGetColumn(items, ITEM_AHEAD)[item] = ahead;
    pbdrGetColumn(items, ITEM_STATE + 4 * state)[item] = ahead + pbdrDot(n, compression);
    writeColumns(items, ITEM_STATE + 4 * state + 1, item, pbdrAddScaled(hold, -k * dt, slip));
}

static void preparePadding(const pbdrItems* items, int item, int state)
{
    for (int column = ITEM_NORMAL; column < ITEM_COLUMNS; column++) {
        if (column != ITEM_SIDE) {
            pbdrGetColumn(items, column)[item] = 0.0;
        }
    }
    pbdrGetColumn(items, ITEM_STATE + 4 * state)[item] = 1.0e30;
    pbdrGetColumn(items, ITEM_AHEAD)[item] = 1.0e30;
}

// Acceleration of an item's gap by all but contact.
static double getGapAcceleration(const pbdrWorld* world, const pbdrTouching* touching,
                                 const pbdrMover* movers, int item)
{
    const pbdrItems* items = &world->items;
    pbdrVec3 n = readColumns(items, ITEM_NORMAL, item);
    const int sides[2] = {touching->moverA, touching->moverB}, levers[2] = {ITEM_LEVER, ITEM_LEVER_B};
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        if (sides[k] >= 0) {
            const pbdrMover* mover = &movers[sides[k]];
            pbdrTwist free = getAcceleration(pbdrGetBody(world, mover->body), mover, &mover->load);
            double along = pbdrDot(n, moveLever(&free, readColumns(items, levers[k], item)));
            sum += k == 0 ? along : -along;
        }
    }
    return sum;
}

// Restitution: an item that meets at the speed s within the substep leaves with e s, and goes on freely for
// the rest of it. The end gap that the solve brings to zero becomes -dt (wanted speed) + dt n.v_new.
static void aimBounces(pbdrWorld* world, const pbdrTouching* touching, pbdrMover* movers, int state)
{
    const pbdrItems* items = &world->items;
    const pbdrPatchLaw* law = &touching->law;
    const double dt = world->timeStep;
    for (int item = law->first; item < law->first + law->count; item++) {
        pbdrVec3 n = readColumns(items, ITEM_NORMAL, item);
        const pbdrPatch* patch = pbdrGetPatch(world, touching->patch);
        pbdrTwist velocity = getVelocity(world, pbdrGetBody(world, patch->bodyA));
        double fall = pbdrDot(n, moveLever(&velocity, readColumns(items, ITEM_LEVER, item)));
        if (patch->bodyB >= 0) {
            velocity = getVelocity(world, pbdrGetBody(world, patch->bodyB));
            fall -= pbdrDot(n, moveLever(&velocity, readColumns(items, ITEM_LEVER_B, item)));
        }
        double gap = pbdrGetColumn(items, ITEM_AHEAD)[item] - dt * fall;
        double a = getGapAcceleration(world, touching, movers, item);
        // gap + fall t + a t^2/2 = 0
        double square = fall * fall - 2.0 * a * fmax(gap, 0.0);
        double time = square > 0.0 ? 2.0 * fmax(gap, 0.0) / (sqrt(square) - fall) : 2.0 * dt;
        double speed = -(fall + a * time);
        if (!(time >= 0.0 && time <= dt) || !(speed > PBDR_BOUNCE_SPEED)) {
            continue;
        }
        double wanted = law->restitution * speed + a * (dt - time);
        pbdrGetColumn(items, ITEM_STATE + 4 * state)[item] -= dt * wanted + gap;
        const int sides[2] = {touching->moverA, touching->moverB};
        for (int k = 0; k < 2; k++) {
            if (sides[k] >= 0) {
                double* first = &movers[sides[k]].bounceTime;
                *first = *first < 0.0 || time < *first ? time : *first;
            }
        }
    }
}

static void prepareItems(pbdrWorld* world, const pbdrTouching* touching, const pbdrMover* movers, int state)
{
    static const pbdrTwist none = {{0.0}};
    const pbdrPatch* patch = pbdrGetPatch(world, touching->patch);
    const pbdrBody* a = pbdrGetBody(world, patch->bodyA);
    const pbdrTwist* lag[2] = {touching->moverA >= 0 ? &movers[touching->moverA].lag : &none,
                               touching->moverB >= 0 ? &movers[touching->moverB].lag : &none};
    pbdrTwist velocity[2] = {getVelocity(world, a), none};
    if (patch->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(world, patch->plane);
        pbdrPatchLaw law = touching->law;
        pbdrMat3 back = pbdrTranspose(&a->stretch);
        law.normal = plane->normal;
        law.restNormal = pbdrMulMV(&back, plane->normal);
        law.height = pbdrDot(plane->normal, a->centre0) - plane->offset;
        law.turn = a->stretch;
        world->kernels->preparePatch(&world->items, &law, &velocity[0], lag[0], state);
        return;
    }
    velocity[1] = getVelocity(world, pbdrGetBody(world, patch->bodyB));
    for (int item = patch->first; item < patch->first + patch->count; item++) {
        if (pbdrGetColumn(&world->items, ITEM_SIDE)[item] == SIDE_NONE) {
            preparePadding(&world->items, item, state);
        } else {
            preparePair(world, touching, velocity, lag, item, state);
        }
    }
    for (int item = patch->first + patch->count; item < patch->first + patch->padded; item++) {
        preparePadding(&world->items, item, state);
    }
}

void pbdrPrepareTouching(pbdrWorld* world, const pbdrTouching* touching, pbdrMover* movers, int state)
{
    prepareItems(world, touching, movers, state);
    if (touching->law.restitution > 0.0) {
        aimBounces(world, touching, movers, state);
    }
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
    pbdrTwist free = getAcceleration(body, mover, &mover->load);
    pbdrVec3 a = getLinear(&free), alpha = getAngular(&free);
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
    pbdrVec3 drift = pbdrAddScaled(body->drift0, 1.0 / dt, getLinear(&mover->y));
    pbdrVec3 angular = pbdrAddScaled(body->angular, 1.0 / dt, getAngular(&mover->y));
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
        if (island->touchingCount > 0) {
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
                mover->y = getAcceleration(body, mover, &mover->load);
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
