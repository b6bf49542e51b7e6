// A substep of an island with joints: through impacts, without contact, or not here but by the contacts' solve.
#include "engine/xpbdr/mechanism.h"

#include <limits.h>

// Without memory, or where no numbers are left: bodies move as if they had no joints, and the substep is flagged. What the
// first of several steps has made of them is taken back.
static void letFall(const pbdrXpbdrWorld* world, pbdrMover* movers, pbdrIsland* island, uint32_t flag)
{
    pbdrLoadMovers(world, movers, island->moverCount);
    const double square = world->scene->timeStep * world->scene->timeStep;
    island->flags |= flag;
    for (int k = 0; k < island->moverCount; k++) {
        movers[k].flies = movers[k].kicked = false;
        const pbdrTwist free = pbdrGetFreeAcceleration(pbdrGetBody(world->scene, movers[k].body), &movers[k]);
        movers[k].y = pbdrScaleTwist(square, &free);
    }
}

// Whether some body of the island was pressed in the last substep, and likely is again.
static bool wasPressed(const pbdrXpbdrWorld* world, const pbdrMover* movers, const pbdrIsland* island)
{
    bool pressed = false;
    for (int k = 0; island->activePatchCount > 0 && k < island->moverCount; k++) {
        pressed = pressed || pbdrGetXpbdrBody(world, movers[k].body)->hasLastStep;
    }
    return pressed;
}

bool pbdrOpenMechanism(pbdrXpbdrWorld* world, pbdrXpbdrWorker* worker, const pbdrIsland* island, double loose,
                       pbdrMechanism* mechanism)
{
    *mechanism = (pbdrMechanism){
        .world = world,
        .system = &worker->system,
        .linkCount = island->moverCount,
        .joints = (pbdrActiveJoint*)world->activeJoints.items + island->firstJoint,
        .jointCount = island->jointCount,
        .gears = (pbdrActiveGear*)world->activeGears.items + island->firstGear,
        .gearCount = island->gearCount,
        .dt = world->scene->timeStep,
        .loose = loose,
    };
    worker->system.mostNeighbours = INT_MAX;
    if (!pbdrListReserve(&worker->memory, &worker->links, island->moverCount)) {
        return false;
    }
    mechanism->links = worker->links.items;
    return true;
}

bool pbdrPlanMechanism(pbdrXpbdrWorker* worker, const pbdrMechanism* mechanism)
{
    return pbdrPlanJointedSystem(&worker->memory, &worker->system, mechanism->linkCount, NULL, 0,
                                 mechanism->joints, mechanism->jointCount, mechanism->gears,
                                 mechanism->gearCount);
}

// Whether a contact of the island may bounce.
static bool isBouncy(const pbdrXpbdrWorld* world, const pbdrIsland* island)
{
    const pbdrActivePatch* patches =
        (const pbdrActivePatch*)world->activePatches.items + island->firstActivePatch;
    bool bouncy = false;
    for (int k = 0; k < island->activePatchCount; k++) {
        bouncy = bouncy || patches[k].law.restitution > 0.0;
    }
    return bouncy;
}

// Whether where a mechanism ends would press contacts; if not, they are written as bearing nothing.
static bool pressesContacts(const pbdrMechanism* mechanism, pbdrXpbdrWorker* worker, pbdrIsland* island)
{
    pbdrXpbdrWorld* world = mechanism->world;
    pbdrSolve solve = pbdrMakeSolve(world, worker, island);
    pbdrOpenWindow(world, island);
    for (int k = 0; k < solve.activePatchCount; k++) {
        solve.activePatches[k].law.restitution = 0.0;
    }
    pbdrPrepareIsland(&solve);
    for (int k = 0; k < solve.moverCount; k++) {
        const pbdrLink* link = &mechanism->links[k];
        const pbdrTwist change = pbdrMakeTwist(pbdrSub(link->endVelocity, link->body->velocity),
                                               pbdrSub(link->endAngular, link->body->angular));
        solve.movers[k].y = pbdrStill;
        solve.movers[k].step = pbdrScaleTwist(mechanism->dt, &change);
    }
    pbdrAcceptStep(&solve, 1.0, pbdrEvaluate(&solve, 1.0));
    bool presses = false;
    for (int k = 0; k < solve.moverCount; k++) {
        for (int i = 0; i < 6; i++) {
            presses = presses || solve.movers[k].pull.v[i] != 0.0;
        }
    }
    if (!presses) {
        pbdrFinishIsland(&solve); // none bears anything
    }
    return presses;
}

bool pbdrMoveMechanism(pbdrXpbdrWorld* world, pbdrXpbdrWorker* worker, pbdrIsland* island)
{
    pbdrMechanism mechanism;
    pbdrMover* movers = (pbdrMover*)world->movers.items + island->firstMover;
    const bool bouncy = isBouncy(world, island), pressed = wasPressed(world, movers, island);
    if (pressed && !bouncy) {
        pbdrLoadMovers(world, movers, island->moverCount);
        return false;
    }
    if (!pbdrOpenMechanism(world, worker, island, PBDR_LOOSE, &mechanism)) {
        letFall(world, movers, island, pbdr_stepPairsFull);
        return true;
    }
    mechanism.tree = pbdrIsTree(&mechanism);
    if (!mechanism.tree && !pbdrPlanMechanism(worker, &mechanism)) {
        letFall(world, movers, island, pbdr_stepPairsFull);
        return true;
    }
    for (int k = 0; k < mechanism.linkCount; k++) {
        mechanism.links[k].body = mechanism.links[k].moved = pbdrGetBody(world->scene, movers[k].body);
    }
    if (bouncy && pbdrBounceMechanism(&mechanism, worker, island)) {
        return true;
    }
    if (pressed) {
        pbdrLoadMovers(world, movers, island->moverCount);
        return false;
    }
    // what may touch something takes one: contacts are asked whether they would bear anything where that ends
    const int steps = island->activePatchCount > 0 ? 1 : pbdrCountSteps(&mechanism);
    bool good = true;
    mechanism.dt /= steps;
    for (int step = 0; step < steps && good; step++) {
        good = pbdrStepMechanism(&mechanism, movers, island);
        if (good && island->activePatchCount > 0) {
            pbdrLoadMovers(world, movers, island->moverCount);
            if (pressesContacts(&mechanism, worker, island)) {
                island->flags = 0;
                return false;
            }
        }
        if (good) {
            pbdrFinishMechanism(&mechanism, movers);
        }
        if (steps > 1) {
            pbdrEndStep(&mechanism, movers, step, good ? steps : step + 1);
        }
    }
    if (!good) {
        letFall(world, movers, island, pbdr_stepNotConverged);
    }
    return true;
}
