// The multipliers of an island: what is left of gaps and slips, how they take over what springs bear, and the end of a
// substep (newton.h).
#include "engine/xpbdr/newton.h"

#include "engine/xpbdr/kernels.h"
#include "math/block_lu.h"
#include "scene/profile.h"

// What a fit may do with motions that its contacts hardly determine, relative to those that they do: less lets it turn
// by radians to close a gap of micrometres between contacts a millimetre apart. Where all gaps are below FINE [m] there
// is little to overdo, and much to gain.
#define FIT_INERTIA 1.0e-3
#define FINE 1.0e-6
#define FINE_INERTIA 1.0e-6
#define REACHES 2.0
// --- Updates ---

void pbdrMeasureRest(pbdrSolve* solve)
{
    pbdrPatchRest rest = {.gap = 0.0};
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        solve->world->kernels->measurePatch(pbdrGetItems(solve), &active->law, &active->lag, solve->state,
                                            &rest);
        if (active->rolling.active) {
            pbdrMeasureRolling(&active->rolling, pbdrGetItems(solve), &active->law, solve->state, &rest);
        }
    }
    solve->gap = rest.gap;
    solve->slip = rest.slip;
}

// The mean of the levers of a patch's loaded items, by area [m].
static pbdrVec3 getMiddle(const pbdrSolve* solve, const pbdrActivePatch* active)
{
    const pbdrItems* items = pbdrGetItems(solve);
    const double* g = pbdrGetColumn(items, ITEM_STATE + 4 * solve->state);
    const double* weights = pbdrGetColumn(items, ITEM_WEIGHT);
    pbdrVec3 sum = {0.0, 0.0, 0.0};
    double total = 0.0;
    for (int i = active->law.first; i < active->law.first + active->law.count; i++) {
        if (g[i] < 0.0) {
            sum = pbdrAddScaled(sum, weights[i], pbdrReadColumns(items, ITEM_LEVER, i));
            total += weights[i];
        }
    }
    return total > 0.0 ? pbdrScale(1.0 / total, sum) : sum;
}

// Solves for the displacement about the middle of the contacts, and says it about A's centre of mass.
static bool fitLag(const pbdrBlock6* block, double inertia, double lever, pbdrVec3 centre, pbdrTwist* lag)
{
    pbdrBlock6 system = *block;
    for (int i = 0; i < 6; i++) {
        system.m[i][i] +=
            i < 3 ? fmin(inertia, 1.0e-3 * block->m[0][0] + 1.0e-3 * block->m[1][1] + 1.0e-3 * block->m[2][2])
                  : inertia * lever * lever;
    }
    int pivots[6];
    if (!pbdrFactorBlock(system.m, pivots)) {
        return false;
    }
    pbdrSolveBlock(system.m, pivots, lag->v);
    const pbdrVec3 turn = pbdrGetAngular(lag);
    *lag = pbdrMakeTwist(pbdrSub(pbdrGetLinear(lag), pbdrCross(turn, centre)), turn);
    return true;
}

// Whether a multiplier would press some item of the patch more than REACHES times as much as those that bear load.
static bool reachesFar(const pbdrSolve* solve, const pbdrActivePatch* active, const pbdrTwist* lag)
{
    const pbdrItems* items = pbdrGetItems(solve);
    const double* g = pbdrGetColumn(items, ITEM_STATE + 4 * solve->state);
    double deepest = 0.0, loaded = 0.0;
    for (int i = active->law.first; i < active->law.first + active->law.count; i++) {
        const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, i),
                       lever = pbdrReadColumns(items, ITEM_LEVER, i);
        const pbdrVec3 turn = pbdrCross(pbdrGetAngular(lag), lever);
        const double press = -pbdrDot(n, pbdrAdd(pbdrGetLinear(lag), turn));
        deepest = fmax(deepest, press);
        loaded = g[i] < 0.0 ? fmax(loaded, press) : loaded;
    }
    return deepest > REACHES * loaded + 1.0e-15;
}

void pbdrPressPatches(pbdrSolve* solve)
{
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        pbdrBlock6 block = {{{0.0}}};
        pbdrPatchForce wanted = {{0.0}, {0.0}, 0.0};
        solve->world->kernels->fitPatch(pbdrGetItems(solve), &active->law, &active->lag, solve->state, &block,
                                        &wanted);
        const double linear = block.m[0][0] + block.m[1][1] + block.m[2][2], lever = active->rolling.lever;
        if (!(linear > 0.0)) {
            continue;
        }
        // about the middle of the contacts: one of them alone turns nothing
        const pbdrVec3 centre = getMiddle(solve, active);
        const pbdrVec3 force = {wanted.force[0], wanted.force[1], wanted.force[2]};
        const pbdrVec3 moment = {wanted.moment[0], wanted.moment[1], wanted.moment[2]};
        pbdrTwist fit = pbdrMakeTwist(force, pbdrSub(moment, pbdrCross(centre, force)));
        block = pbdrShiftBlock(&block, pbdrScale(-1.0, centre));
        // what no contact determines stays as it is; a fit that would press others in far deeper turns less
        double share = solve->gap > FINE ? FIT_INERTIA : FINE_INERTIA;
        for (int attempt = 0; attempt < 3; attempt++) {
            pbdrTwist lag = fit;
            if (!fitLag(&block, share * linear, lever, centre, &lag)) {
                break;
            }
            pbdrAddTwist(&lag, 1.0, &active->lag);
            if (attempt == 2 || !reachesFar(solve, active, &lag)) {
                solve->world->kernels->pressPatch(pbdrGetItems(solve), &active->law, &active->lag, &lag,
                                                  solve->state);
                active->lag = lag;
                break;
            }
            share = attempt == 0 ? 1.0e-1 : 1.0e3;
        }
    }
    pbdrEvaluateAgain(solve);
    solve->island->updateCount++;
}

void pbdrHoldPatches(pbdrSolve* solve)
{
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        if (active->rolling.active) {
            pbdrHoldRolling(&active->rolling, pbdrGetItems(solve), &active->law, solve->state);
        }
        solve->world->kernels->holdPatch(pbdrGetItems(solve), &active->law, solve->state);
    }
    pbdrEvaluateAgain(solve);
    solve->island->updateCount++;
}

// --- The end ---

void pbdrForgetEnds(pbdrSolve* solve)
{
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].drivenFresh = solve->movers[k].drivenOld = solve->movers[k].opened = 0.0;
        solve->movers[k].loaded = solve->movers[k].lost = solve->movers[k].held = false;
    }
    solve->gap = solve->slip = 0.0;
}

// Whether the body of a patch that is no mover moves.
static bool isPushed(const pbdrSolve* solve, const pbdrActivePatch* active)
{
    const pbdrPatch* patch = pbdrGetPatch(&solve->world->candidates, active->patch);
    const int other = active->moverA >= 0 ? patch->bodyB : patch->bodyA;
    return other >= 0 && pbdrGetBody(solve->world->scene, other)->kind == pbdr_bodyKinematic;
}

void pbdrNoteEnd(pbdrSolve* solve, const pbdrActivePatch* active, const pbdrPatchEnd* end, bool carries)
{
    pbdrKeepLoad(active, carries, pbdrGetPatch(&solve->world->candidates, active->patch));
    if (!carries) {
        // what friction bore in an impact says nothing of what follows: it would point where nothing slides any more
        for (int i = active->law.first; i < active->law.first + active->law.count; i++) {
            pbdrWriteColumns(pbdrGetItems(solve), ITEM_FRICTION, i, (pbdrVec3){0.0, 0.0, 0.0});
        }
    }
    pbdrMover* sides[2] = {pbdrGetMover(solve, active->moverA), pbdrGetMover(solve, active->moverB)};
    for (int side = 0; side < 2; side++) {
        if (sides[side] != NULL) {
            sides[side]->drivenFresh = pbdrMin(sides[side]->drivenFresh, end->fresh);
            sides[side]->drivenOld = pbdrMin(sides[side]->drivenOld, end->old);
            sides[side]->opened = pbdrMax(sides[side]->opened, end->opened);
            sides[side]->pushed =
                sides[side]->pushed || (end->loaded && sides[1 - side] == NULL && isPushed(solve, active));
            sides[side]->loaded = sides[side]->loaded || end->loaded;
            sides[side]->lost = sides[side]->lost || (end->loaded && !carries);
            sides[side]->held = sides[side]->held || (end->loaded && !active->bounces);
        }
    }
}

void pbdrFinishIsland(pbdrSolve* solve)
{
    pbdrForgetEnds(solve);
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        pbdrPatch* patch = pbdrGetPatch(&solve->world->candidates, active->patch);
        const pbdrMover *a = pbdrGetMover(solve, active->moverA), *b = pbdrGetMover(solve, active->moverB);
        pbdrPatchEnd end = {.fresh = 0.0};
        solve->world->kernels->finishPatch(pbdrGetItems(solve), &active->law, &active->lag, solve->state,
                                           &end);
        if (active->rolling.active) {
            pbdrPatchRest rest = {.gap = 0.0};
            pbdrMeasureRolling(&active->rolling, pbdrGetItems(solve), &active->law, solve->state, &rest);
            end.slip = pbdrMax(end.slip, rest.slip);
            patch->rolling =
                pbdrGetRollingMoment(&active->rolling, pbdrGetItems(solve), &active->law, solve->state);
        }
        solve->gap = pbdrMax(solve->gap, end.gap);
        solve->slip = pbdrMax(solve->slip, end.slip);
        // forces of an impact are over with it
        bool bounces = (a != NULL && a->bounceTime >= 0.0) || (b != NULL && b->bounceTime >= 0.0);
        bool carries = end.loaded && !bounces && pbdrMin(end.fresh, end.old) > -PBDR_IMPACT_LOST;
        pbdrNoteEnd(solve, active, &end, carries);
    }
}
