// Which patches are swept together (sweep.h): groups of four that share no body that moves.
#include "engine/xpbdr/prepare.h"
#include "engine/xpbdr/sweep.h"

#include <string.h>

// Colours: patches of one colour share no body that moves. What finds none is swept alone.
#define COLOURS 64
// Gaps that are rounding, per metre of distance from the origin.
#define ROUNDING 4.0e-15

// Gaps are known to some units in the last place of the positions [m].
static double getRounding(const pbdrSolve* solve)
{
    double farthest = 1.0;
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrVec3 c = pbdrGetBody(solve->world->scene, solve->movers[k].body)->centre;
        farthest = fmax(farthest, fmax(fabs(c.x), fmax(fabs(c.y), fabs(c.z))));
    }
    return ROUNDING * farthest;
}

// --- Groups ---

// An empty group. NULL without memory.
static pbdrSweepGroup* addGroup(pbdrSweeps* sweeps)
{
    pbdrXpbdrWorker* worker = sweeps->solve->worker;
    pbdrSweepGroup* group = pbdrListPush(&worker->memory, &worker->sweepGroups);
    if (group == NULL) {
        return NULL;
    }
    sweeps->groups = worker->sweepGroups.items;
    sweeps->groupCount = worker->sweepGroups.count;
    group->firstRow = sweeps->rowCount;
    for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
        group->patch[lane] = -1;
        group->moverA[lane] = group->moverB[lane] = sweeps->solve->moverCount;
    }
    return group;
}

// Rows for a group, not yet made. False without memory.
static bool addRows(pbdrSweeps* sweeps, pbdrSweepGroup* group, int count)
{
    pbdrXpbdrWorker* worker = sweeps->solve->worker;
    const int needed = sweeps->rowCount + count;
    if (needed > worker->sweepRows.capacity &&
        !pbdrListReserve(&worker->memory, &worker->sweepRows, needed + needed / 2)) {
        return false;
    }
    sweeps->rows = worker->sweepRows.items;
    worker->sweepRows.count = needed;
    group->firstRow = sweeps->rowCount;
    group->rowCount = count;
    sweeps->rowCount = needed;
    return true;
}

// --- The first ones ---

// Prepares a part's patches, and picks their rows: one after the other, while their items are in the cache.
static void pickPart(pbdrSweeps* sweeps, pbdrSweepPart* part)
{
    pbdrSolve* solve = sweeps->solve;
    pbdrSweepPick* picks = solve->worker->sweepPicks.items;
    for (int k = part->firstPatch; k < part->firstPatch + part->patchCount; k++) {
        const int patch = sweeps->order[k];
        pbdrActivePatch* active = &solve->activePatches[patch];
        if (solve->swept) {
            active->swept = true;
            pbdrKeepLoad(active, false, pbdrGetPatch(&solve->world->candidates, active->patch));
        }
        pbdrPrepareOne(solve, patch);
        picks[patch] = pbdrPickRows(pbdrGetItems(solve), active);
    }
}

static void fillPart(pbdrSweeps* sweeps, pbdrSweepPart* part)
{
    for (int k = 0; k < part->layers[0].count; k++) {
        pbdrFillGroup(sweeps, &sweeps->groups[part->layers[0].first + k]);
    }
}

// Patches of a part by colours, the lowest that none of their bodies has, and by the number of their rows: lanes of a group
// should have as many.
typedef struct Chains {
    int heads[COLOURS][PBDR_SWEEP_PICKS + 1], tails[COLOURS][PBDR_SWEEP_PICKS + 1];
    int colourCount;
} Chains;

static int takeColour(const pbdrActivePatch* active, int kind, uint64_t (*used)[PBDR_SWEEP_KINDS])
{
    uint64_t taken = active->moverA >= 0 ? used[active->moverA][kind] : 0;
    taken |= active->moverB >= 0 ? used[active->moverB][kind] : 0;
    int colour = 0;
    while (colour < COLOURS - 1 && (taken >> colour & 1) != 0) {
        colour++;
    }
    if (active->moverA >= 0) {
        used[active->moverA][kind] |= (uint64_t)1 << colour;
    }
    if (active->moverB >= 0) {
        used[active->moverB][kind] |= (uint64_t)1 << colour;
    }
    return colour;
}

static void chainPatches(const pbdrSweeps* sweeps, const pbdrSweepPart* part, int kind, Chains* chains)
{
    const pbdrSolve* solve = sweeps->solve;
    pbdrSweepPick* picks = solve->worker->sweepPicks.items;
    chains->colourCount = 0;
    for (int i = part->firstPatch; i < part->firstPatch + part->patchCount; i++) {
        const int k = sweeps->order[i], rows = picks[k].count;
        if (rows == 0) {
            continue;
        }
        const int colour = takeColour(&solve->activePatches[k], kind, solve->worker->sweepColours.items);
        for (; chains->colourCount <= colour; chains->colourCount++) {
            for (int count = 0; count <= PBDR_SWEEP_PICKS; count++) {
                chains->heads[chains->colourCount][count] = -1;
            }
        }
        int* head = &chains->heads[colour][rows];
        *(*head >= 0 ? &picks[chains->tails[colour][rows]].next : head) = k;
        chains->tails[colour][rows] = k;
    }
}

// The groups of a part; those of a colour are filled one after another.
static bool groupPart(pbdrSweeps* sweeps, pbdrSweepPart* part, int kind)
{
    pbdrSweepPick* picks = sweeps->solve->worker->sweepPicks.items;
    Chains chains;
    chainPatches(sweeps, part, kind, &chains);
    part->layers[0].first = sweeps->groupCount;
    for (int colour = 0; colour < chains.colourCount; colour++) {
        // the last colour takes what found none: lanes must not share bodies there
        const int lanes = colour < COLOURS - 1 ? PBDR_SWEEP_LANES : 1;
        int chain = -1;
        for (int rows = 1; rows <= PBDR_SWEEP_PICKS; rows++) {
            if (chains.heads[colour][rows] >= 0) {
                picks[chains.tails[colour][rows]].next = chain;
                chain = chains.heads[colour][rows];
            }
        }
        for (int k = chain; k >= 0;) {
            pbdrSweepGroup* group = addGroup(sweeps);
            if (group == NULL) {
                return false;
            }
            int rowCount = 0;
            group->colour =
                lanes > 1 ? colour : sweeps->groupCount + COLOURS; // those alone are of no other's
            for (int lane = 0; lane < lanes && k >= 0; lane++, k = picks[k].next) {
                group->patch[lane] = k;
                rowCount = picks[k].count > rowCount ? picks[k].count : rowCount;
            }
            if (!addRows(sweeps, group, rowCount)) {
                return false;
            }
        }
    }
    part->layers[0].count = sweeps->groupCount - part->layers[0].first;
    return true;
}

static bool makeGroups(pbdrSweeps* sweeps)
{
    pbdrSolve* solve = sweeps->solve;
    pbdrXpbdrWorker* worker = solve->worker;
    if (!pbdrDivideIsland(sweeps) ||
        !pbdrListResetTo(&worker->memory, &worker->sweepColours, solve->moverCount + 1) ||
        !pbdrListReserve(&worker->memory, &worker->sweepPicks, solve->activePatchCount)) {
        return false;
    }
    pbdrRunPhases(sweeps, pickPart, false);
    sweeps->layerCount = 1;
    for (int k = 0; k < sweeps->partCount; k++) {
        const bool joins = k % 2 == 1;
        const int kind = !joins ? 0 : k == sweeps->partCount - 1 ? PBDR_SWEEP_KINDS - 1 : 1 + k / 2 % 2;
        if (!groupPart(sweeps, &sweeps->parts[k], kind)) {
            return false;
        }
    }
    pbdrRunParts(sweeps, fillPart);
    return true;
}

bool pbdrMakeSweeps(pbdrSolve* solve, pbdrSweeps* sweeps)
{
    pbdrXpbdrWorker* worker = solve->worker;
    *sweeps = (pbdrSweeps){.solve = solve, .rounding = getRounding(solve)};
    worker->sweepGroups.count = worker->sweepRows.count = 0;
    if (!pbdrListReserve(&worker->memory, &worker->sweepMotions, solve->moverCount + 1) ||
        !makeGroups(sweeps)) {
        return false;
    }
    sweeps->motions = worker->sweepMotions.items;
    // where rows push from: motion without contact
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        const pbdrTwist free = pbdrGetFreeAcceleration(pbdrGetBody(solve->world->scene, mover->body), mover);
        mover->firstY = pbdrScaleTwist(1.0 / solve->perStep, &free);
    }
    return true;
}

// --- Contacts that are driven in ---

static bool sharesMover(const pbdrSweepGroup* group, const pbdrActivePatch* active)
{
    for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
        const int a = group->moverA[lane], b = group->moverB[lane];
        if (group->patch[lane] >= 0 &&
            ((active->moverA >= 0 && (a == active->moverA || b == active->moverA)) ||
             (active->moverB >= 0 && (a == active->moverB || b == active->moverB)))) {
            return true;
        }
    }
    return false;
}

// A body's velocity at the end of the substep, as far as sweeps have come.
static pbdrTwist getThrown(const pbdrSweeps* sweeps, int body, int mover)
{
    const pbdrSolve* solve = sweeps->solve;
    const pbdrBody* at = pbdrGetBody(solve->world->scene, body);
    pbdrTwist velocity = pbdrMakeTwist(at->velocity, at->angular);
    if (mover >= 0) {
        pbdrTwist y = pbdrStill;
        memcpy(y.v, sweeps->motions[mover].v, sizeof y.v);
        pbdrAddTwist(&velocity, 1.0 / solve->world->scene->timeStep, &y);
    }
    return velocity;
}

// Bodies that would have passed each other, and were thrown at each other: else they would go into each other by as much as
// they move in a substep (39 mm of 50 in a pile at 10 ms).
static void lookAgain(const pbdrSweeps* sweeps, pbdrActivePatch* active)
{
    const pbdrPatch* patch = pbdrGetPatch(&sweeps->solve->world->candidates, active->patch);
    const pbdrTwist thrown[2] = {getThrown(sweeps, patch->bodyA, active->moverA),
                                 getThrown(sweeps, patch->bodyB, active->moverB)};
    pbdrPrepareThrown(sweeps->solve->world, active, thrown, sweeps->solve->state);
}

static void findPart(pbdrSweeps* sweeps, pbdrSweepPart* part)
{
    int32_t* deepest = sweeps->solve->worker->sweepDeepest.items;
    pbdrMarkRows(sweeps, part);
    for (int k = part->firstPatch; k < part->firstPatch + part->patchCount; k++) {
        const int patch = sweeps->order[k];
        pbdrActivePatch* active = &sweeps->solve->activePatches[patch];
        if (active->missed) {
            lookAgain(sweeps, active);
        }
        deepest[patch] = pbdrFindDeepest(sweeps, active, sweeps->deep);
    }
}

// Groups of a row each for the deepest contacts of a part. -1 without memory; else how many.
static int addPart(pbdrSweeps* sweeps, pbdrSweepPart* part)
{
    const pbdrSolve* solve = sweeps->solve;
    const int32_t* deepest = solve->worker->sweepDeepest.items;
    const int layer = sweeps->layerCount;
    pbdrSweepGroup* group = NULL;
    int lane = 0, added = 0;
    part->layers[layer].first = sweeps->groupCount;
    for (int i = part->firstPatch; i < part->firstPatch + part->patchCount; i++) {
        const int k = sweeps->order[i];
        const pbdrActivePatch* active = &solve->activePatches[k];
        if (deepest[k] < 0) {
            continue;
        }
        if (group == NULL || lane == PBDR_SWEEP_LANES || sharesMover(group, active)) {
            group = addGroup(sweeps);
            if (group == NULL || !addRows(sweeps, group, 1)) {
                return -1;
            }
            pbdrClearRows(sweeps, group);
            group->colour = sweeps->groupCount + COLOURS;
            lane = 0;
        }
        pbdrSetLane(sweeps, group, lane, k);
        const pbdrTwist velocity = pbdrGetPatchVelocity(solve->world, active);
        pbdrMakeRow(sweeps, group, lane++, deepest[k], &velocity, &sweeps->rows[group->firstRow]);
        added++;
    }
    part->layers[layer].count = sweeps->groupCount - part->layers[layer].first;
    return added;
}

int pbdrAddDeepRows(pbdrSweeps* sweeps, double deep)
{
    const pbdrSolve* solve = sweeps->solve;
    if (sweeps->layerCount == PBDR_SWEEP_LAYERS) {
        return 0;
    }
    if (!pbdrListReserve(&solve->worker->memory, &solve->worker->sweepDeepest, solve->activePatchCount)) {
        return -1;
    }
    sweeps->deep = deep;
    pbdrRunParts(sweeps, findPart);
    int added = 0;
    for (int k = 0; k < sweeps->partCount; k++) {
        const int own = addPart(sweeps, &sweeps->parts[k]);
        if (own < 0) {
            return -1;
        }
        added += own;
    }
    sweeps->layerCount++;
    return added;
}
