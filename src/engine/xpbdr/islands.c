// Islands: bodies that touch each other, found by union-find over the patches, with the law of each patch.
#include "engine/xpbdr/island.h"

#include "contact/friction.h"

#include <limits.h>

// Stiffness of every contact over M/dt^2. It sets how fast Newton converges, not the result.
#define STIFFNESS 30.0
// Islands of several bodies are stiffer by the square of their number, up to this: see setHardness.
#define HARDEST 3000.0
// The island's mass counts up to this many times its heaviest body's: rounding goes with the stiffness, and piles
// that hit each other converge less often (30 boxes: 160 substeps of 1500 unsolved with 1, 151 with 3, 313 with 6).
#define MOST_MASSES 3.0

static int findRoot(int32_t* parents, int index)
{
    while (parents[index] != index) {
        parents[index] = parents[parents[index]];
        index = parents[index];
    }
    return index;
}

static bool isMover(const pbdrXpbdrWorld* world, int index)
{
    return index >= 0 && pbdrGetBody(world->scene, index)->alive &&
           pbdrGetBody(world->scene, index)->kind == pbdr_bodyDynamic;
}

// The mover of a body within its island, or -1.
static int findMover(const pbdrXpbdrWorld* world, int index)
{
    return isMover(world, index) ? pbdrGetXpbdrBody(world, index)->mover : -1;
}

// mass: that any of the island's contacts may have to bear or to turn: a tower of ten rocks on its base with all its
// mass, and contacts that are soft against it gather what they should not let pass (measured: jittered towers of
// ten boxes of 4 x 4 points shake for ever with the heaviest body's mass, and stand to 1e-11 m with all).
static void setLaw(const pbdrXpbdrWorld* world, const pbdrPatch* patch, double mass, double hardness,
                   pbdrPatchLaw* law)
{
    const pbdrBody* a = pbdrGetBody(world->scene, patch->bodyA);
    double mu, restitution;
    if (patch->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(world->scene, patch->plane);
        mu = pbdrMixFriction(world->scene->mixing, a->friction, plane->friction);
        restitution = pbdrMax(a->restitution, plane->restitution);
    } else {
        const pbdrBody* b = pbdrGetBody(world->scene, patch->bodyB);
        mu = pbdrMixFriction(world->scene->mixing, a->friction, b->friction);
        restitution = pbdrMax(a->restitution, b->restitution);
    }
    law->first = patch->first;
    law->count = patch->count;
    law->k = STIFFNESS * hardness * mass / (world->scene->timeStep * world->scene->timeStep);
    law->near = 0.0;
    law->mu = mu;
    law->restitution = restitution;
    law->timeStep = world->scene->timeStep;
}

// Rolling and spinning friction of a patch. mover: one of its bodies.
static void setRolling(const pbdrXpbdrWorld* world, const pbdrPatch* patch, const pbdrMover* mover,
                       pbdrRolling* rolling)
{
    const pbdrScene* scene = world->scene;
    const pbdrBody* a = pbdrGetBody(scene, patch->bodyA);
    const pbdrBody* b = patch->bodyB >= 0 ? pbdrGetBody(scene, patch->bodyB) : NULL;
    const pbdrPlane* plane = patch->plane >= 0 ? pbdrGetPlane(scene, patch->plane) : NULL;
    double roll = plane != NULL ? plane->rollingFriction : b->rollingFriction;
    double spin = plane != NULL ? plane->spinningFriction : b->spinningFriction;
    rolling->roll = pbdrMixFriction(scene->mixing, a->rollingFriction, roll);
    rolling->spin = pbdrMixFriction(scene->mixing, a->spinningFriction, spin);
    rolling->active = rolling->roll > 0.0 || rolling->spin > 0.0;
    rolling->lever = mover->gyration;
}

// The items from the first to the last of an island's patches.
static void getSpan(const pbdrXpbdrWorld* world, const pbdrIsland* island, int* first, int* end)
{
    const pbdrActivePatch* active =
        (const pbdrActivePatch*)world->activePatches.items + island->firstActivePatch;
    *first = INT_MAX;
    *end = 0;
    for (int k = 0; k < island->activePatchCount; k++) {
        *first = active[k].law.first < *first ? active[k].law.first : *first;
        *end = active[k].law.first + active[k].padded > *end ? active[k].law.first + active[k].padded : *end;
    }
}

// Room for the largest island's items, where they are worked on in a window. False without memory.
static bool reserveWindow(pbdrXpbdrWorld* world)
{
    if (world->candidates.items.window == NULL) {
        return true;
    }
    int largest = 0;
    for (int k = 0; k < world->islands.count; k++) {
        int first, end;
        getSpan(world, (const pbdrIsland*)world->islands.items + k, &first, &end);
        largest = end - first > largest && end > 0 ? end - first : largest;
    }
    return pbdrReserveWindow(&world->candidates, largest);
}

void pbdrOpenWindow(pbdrXpbdrWorld* world, const pbdrIsland* island)
{
    if (world->candidates.items.window == NULL) {
        return;
    }
    int first, end;
    getSpan(world, island, &first, &end);
    pbdrPlaceWindow(&world->candidates, first);
    const pbdrActivePatch* active =
        (const pbdrActivePatch*)world->activePatches.items + island->firstActivePatch;
    for (int k = 0; k < island->activePatchCount; k++) {
        pbdrFillWindow(&world->candidates, pbdrGetPatch(&world->candidates, active[k].patch));
    }
}

// The body that owns a patch: the first of the two that contact moves.
static int findOwner(const pbdrXpbdrWorld* world, const pbdrPatch* patch)
{
    return isMover(world, patch->bodyA) ? patch->bodyA : patch->bodyB;
}

// Which islands are computed: those with a body that is awake, or near a kinematic one that moves. They wake as a whole.
static void wakeIslands(pbdrXpbdrWorld* world, int islandCount)
{
    pbdrScene* scene = world->scene;
    pbdrIsland* islands = world->islands.items;
    if (!scene->sleeping) {
        for (int k = 0; k < islandCount; k++) {
            islands[k].awake = true;
        }
        return;
    }
    for (int index = 0; index < scene->bodies.count; index++) {
        if (isMover(world, index) && !pbdrGetBody(scene, index)->asleep) {
            islands[pbdrGetXpbdrBody(world, index)->island].awake = true;
        }
    }
    for (int k = 0; k < world->candidates.patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(&world->candidates, k);
        const int owner = findOwner(world, patch),
                  other = owner == patch->bodyA ? patch->bodyB : patch->bodyA;
        if (other >= 0 && !isMover(world, other) && !pbdrIsStill(pbdrGetBody(scene, other))) {
            pbdrIsland* island = &islands[pbdrGetXpbdrBody(world, owner)->island];
            island->awake = island->stirred = true;
        }
    }
    for (int index = 0; index < scene->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(scene, index);
        if (body->asleep && islands[pbdrGetXpbdrBody(world, index)->island].awake) {
            pbdrWakeBody(body);
        }
    }
}

bool pbdrMakeIslands(pbdrXpbdrWorld* world)
{
    int bodyCount = world->scene->bodies.count, patchCount = world->candidates.patches.count;
    if (!pbdrListReserve(&world->scene->memory, &world->parents, bodyCount) ||
        !pbdrListResetTo(&world->scene->memory, &world->islands, bodyCount) ||
        !pbdrListReserve(&world->scene->memory, &world->movers, bodyCount) ||
        !pbdrListReserve(&world->scene->memory, &world->activePatches, patchCount)) {
        return false;
    }
    int32_t* parents = world->parents.items;
    for (int index = 0; index < bodyCount; index++) {
        parents[index] = index;
    }
    for (int k = 0; k < patchCount; k++) {
        const pbdrPatch* patch = pbdrGetPatch(&world->candidates, k);
        if (isMover(world, patch->bodyA) && isMover(world, patch->bodyB)) {
            parents[findRoot(parents, patch->bodyB)] = findRoot(parents, patch->bodyA);
        }
    }
    for (int k = 0; k < world->scene->joints.count; k++) {
        const pbdrJoint* joint = pbdrGetJoint(world->scene, k);
        if (pbdrIsHolding(joint) && isMover(world, joint->bodies[0]) && isMover(world, joint->bodies[1])) {
            parents[findRoot(parents, joint->bodies[1])] = findRoot(parents, joint->bodies[0]);
        }
    }
    // islands in the order of their first body; a body's island stands in its root's
    pbdrIsland* islands = world->islands.items;
    int islandCount = 0;
    for (int index = 0; index < bodyCount; index++) {
        if (!isMover(world, index)) {
            continue;
        }
        pbdrXpbdrBody* root = pbdrGetXpbdrBody(world, findRoot(parents, index));
        pbdrXpbdrBody* body = pbdrGetXpbdrBody(world, index);
        if (root->substepSeen != world->scene->substepCount + 1) {
            root->substepSeen = world->scene->substepCount + 1;
            root->island = islandCount++;
        }
        body->island = root->island;
        islands[body->island].moverCount++;
    }
    wakeIslands(world, islandCount);
    for (int k = 0; k < patchCount; k++) {
        const pbdrPatch* patch = pbdrGetPatch(&world->candidates, k);
        pbdrIsland* island = &islands[pbdrGetXpbdrBody(world, findOwner(world, patch))->island];
        island->activePatchCount += patch->count > 0 && island->awake;
    }
    world->islands.count = islandCount;
    int moverCount = 0, activePatchCount = 0;
    for (int k = 0; k < islandCount; k++) {
        islands[k].firstMover = moverCount;
        islands[k].firstActivePatch = activePatchCount;
        moverCount += islands[k].awake ? islands[k].moverCount : 0;
        activePatchCount += islands[k].activePatchCount;
        islands[k].moverCount = islands[k].activePatchCount = 0;
    }
    world->movers.count = moverCount;
    world->activePatches.count = activePatchCount;
    pbdrMover* movers = world->movers.items;
    for (int index = 0; index < bodyCount; index++) {
        if (isMover(world, index) && islands[pbdrGetXpbdrBody(world, index)->island].awake) {
            pbdrXpbdrBody* body = pbdrGetXpbdrBody(world, index);
            pbdrIsland* island = &islands[body->island];
            body->mover = island->moverCount++;
            double mass = pbdrGetBody(world->scene, index)->shape->mass;
            island->mass += mass;
            island->heaviest = pbdrMax(island->heaviest, mass);
            pbdrSetMover(world, index, &movers[island->firstMover + body->mover]);
        }
    }
    pbdrActivePatch* activePatches = world->activePatches.items;
    for (int k = 0; k < patchCount; k++) {
        const pbdrPatch* patch = pbdrGetPatch(&world->candidates, k);
        pbdrIsland* island = &islands[pbdrGetXpbdrBody(world, findOwner(world, patch))->island];
        if (patch->count == 0 || !island->awake) {
            continue;
        }
        pbdrActivePatch* active = &activePatches[island->firstActivePatch + island->activePatchCount++];
        active->patch = k;
        active->bears = true;
        active->swept = false;
        active->moverA = findMover(world, patch->bodyA);
        active->moverB = findMover(world, patch->bodyB);
        island->hardness = pbdrMin((double)island->moverCount * (double)island->moverCount, HARDEST);
        setLaw(world, patch, pbdrMin(island->mass, MOST_MASSES * island->heaviest), island->hardness,
               &active->law);
        const int mover = active->moverA >= 0 ? active->moverA : active->moverB;
        setRolling(world, patch, &movers[island->firstMover + mover], &active->rolling);
        active->padded = patch->padded;
    }
    if (world->scene->jointCount > 0 && !pbdrListJoints(world)) {
        return false;
    }
    for (int k = 0; k < islandCount; k++) {
        if (islands[k].jointCount == 0) { // mechanisms have no use for loads, unless they touch something
            pbdrLoadMovers(world, &movers[islands[k].firstMover], islands[k].moverCount);
        }
    }
    return reserveWindow(world);
}
