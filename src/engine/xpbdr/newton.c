// The parts of Newton's method on one contact island (newton.h).
//
// The forces are piecewise smooth in y, and the Jacobian is exact on each piece: one full step lands on the solution
// once loads and sticking are right.
#include "engine/xpbdr/newton.h"

#include "engine/xpbdr/kernels.h"
#include "math/block_lu.h"
#include "math/vec.h"
#include "scene/profile.h"

#include <limits.h>
#include <string.h>

// Contacts that bear no load yet but are as near as this count in a substep's first step [m]: a tower that is set down
// would else take a step per box.
#define NEAR 1.0e-9

// M y
static pbdrTwist weigh(const pbdrMover* mover, const pbdrTwist* y)
{
    pbdrVec3 spin = pbdrMulMV(&mover->inertia, pbdrVec(y->v[3], y->v[4], y->v[5]));
    return (pbdrTwist){
        {mover->mass * y->v[0], mover->mass * y->v[1], mover->mass * y->v[2], spin.x, spin.y, spin.z}};
}

// Moments count over the radius of gyration.
static double getNorm(const pbdrMover* mover, const pbdrTwist* a)
{
    double linear = a->v[0] * a->v[0] + a->v[1] * a->v[1] + a->v[2] * a->v[2];
    double angular = a->v[3] * a->v[3] + a->v[4] * a->v[4] + a->v[5] * a->v[5];
    return linear + angular / (mover->gyration * mover->gyration);
}

// --- Start ---

void pbdrPrepareOne(pbdrSolve* solve, int index)
{
    const pbdrItems* items = pbdrGetItems(solve);
    pbdrActivePatch* active = &solve->activePatches[index];
    const size_t first = (size_t)active->law.first, count = (size_t)active->padded;
    memcpy(pbdrGetColumn(items, ITEM_BEFORE) + first, pbdrGetColumn(items, ITEM_TOUCHED) + first,
           count * sizeof(double));
    pbdrPrepareActivePatch(solve->world, active, solve->movers, solve->state);
}

void pbdrPrepareIsland(pbdrSolve* solve)
{
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrPrepareOne(solve, k);
    }
}

// --- Evaluation ---

// The share of a patch's step, A's less B's.
static pbdrTwist getPatchStep(const pbdrSolve* solve, const pbdrActivePatch* active, double share)
{
    const pbdrMover *a = pbdrGetMover(solve, active->moverA), *b = pbdrGetMover(solve, active->moverB);
    pbdrTwist stepA = a != NULL ? pbdrScaleTwist(share, &a->step) : pbdrStill;
    if (b == NULL) {
        return stepA;
    }
    pbdrTwist stepB = pbdrScaleTwist(share, &b->step);
    return pbdrSubtractTwist(&stepA, &stepB, active->between);
}

// Adds a patch's forces to its movers'.
static void addForce(pbdrSolve* solve, const pbdrActivePatch* active, const pbdrPatchForce* sum)
{
    pbdrMover *a = pbdrGetMover(solve, active->moverA), *b = pbdrGetMover(solve, active->moverB);
    const pbdrVec3 force = {sum->force[0], sum->force[1], sum->force[2]};
    const pbdrVec3 moment = {sum->moment[0], sum->moment[1], sum->moment[2]};
    if (a != NULL) {
        pbdrTwist wrench = pbdrMakeTwist(force, moment);
        pbdrAddTwist(&a->pull, 1.0, &wrench);
    }
    if (b != NULL) {
        pbdrTwist wrench = pbdrMakeTwist(force, pbdrAdd(moment, pbdrCross(active->between, force)));
        pbdrAddTwist(&b->pull, -1.0, &wrench);
    }
}

double pbdrEvaluate(pbdrSolve* solve, double share)
{
    const pbdrKernels* kernels = solve->world->kernels;
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].pull = pbdrStill;
    }
    solve->trialSize = 0.0;
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        const pbdrTwist step = getPatchStep(solve, active, share);
        pbdrPatchForce sum = {{0.0}, {0.0}, 0.0};
        kernels->stepPatch(pbdrGetItems(solve), &active->law, &step, solve->state, 1 - solve->state, &sum);
        if (active->rolling.active) {
            pbdrStepRolling(&active->rolling, pbdrGetItems(solve), &active->law, pbdrGetAngular(&step),
                            solve->state, 1 - solve->state, &sum);
        }
        addForce(solve, active, &sum);
        solve->trialSize += sum.size;
    }
    double square = solve->jointCount > 0 ? pbdrAddJointForces(solve, share, &solve->trialSize) : 0.0;
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        pbdrTwist y = mover->y;
        pbdrAddTwist(&y, share, &mover->step);
        pbdrTwist inertial = weigh(mover, &y);
        mover->residual = mover->load;
        pbdrAddTwist(&mover->residual, 1.0, &mover->pull);
        pbdrAddTwist(&mover->residual, -solve->perStep, &inertial);
        square += getNorm(mover, &mover->residual);
        solve->trialSize += sqrt(getNorm(mover, &mover->load));
    }
    return sqrt(square);
}

void pbdrAcceptStep(pbdrSolve* solve, double share, double residual)
{
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrAddTwist(&solve->movers[k].y, share, &solve->movers[k].step);
    }
    if (solve->jointCount > 0) {
        pbdrAcceptJoints(solve, share);
    }
    solve->state = 1 - solve->state;
    solve->residual = residual;
    solve->size = solve->trialSize;
}

// --- Steps ---

static void assemble(pbdrSolve* solve)
{
    pbdrStartSystem(solve->system, solve->movers, solve->perStep);
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        active->law.near = solve->cold && solve->steps == 0 ? NEAR : 0.0;
        pbdrBlock6 block = {{{0.0}}};
        solve->world->kernels->stiffenPatch(pbdrGetItems(solve), &active->law, solve->state, &block);
        if (active->rolling.active) {
            pbdrStiffenRolling(&active->rolling, pbdrGetItems(solve), &active->law, solve->state, &block);
        }
        pbdrAddStiffness(solve->system, active, &block);
    }
}

// Newton's step from the residual at the present state. False if there is none.
static bool findStep(pbdrSolve* solve)
{
    pbdrXpbdrWorld* world = solve->world;
    solve->system->mostNeighbours = INT_MAX;
    if (!solve->planned &&
        !pbdrPlanJointedSystem(&solve->worker->memory, solve->system, solve->moverCount, solve->activePatches,
                               solve->activePatchCount, solve->joints, solve->jointCount, solve->gears,
                               solve->gearCount)) {
        solve->island->flags |= pbdr_stepPairsFull;
        return false;
    }
    solve->planned = true;
    assemble(solve);
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].step = solve->movers[k].residual;
    }
    if (solve->jointCount > 0) {
        return pbdrFindJointedStep(solve);
    }
    if (solve->moverCount > 1) {
        return pbdrSolveSystem(solve->system, solve->movers);
    }
    // a body on its own keeps its factors for the next substep
    pbdrXpbdrBody* body = pbdrGetXpbdrBody(world, solve->movers[0].body);
    pbdrBlock6* block = pbdrGetDiagonal(solve->system, 0);
    body->hasFactors = pbdrFactorBlock(block->m, body->pivots);
    memcpy(body->factors, block->m, sizeof block->m);
    if (body->hasFactors) {
        pbdrSolveBlock(body->factors, body->pivots, solve->movers[0].step.v);
    }
    return body->hasFactors;
}

bool pbdrTakeLaggedStep(pbdrSolve* solve)
{
    pbdrMover* mover = &solve->movers[0];
    pbdrXpbdrBody* body = pbdrGetXpbdrBody(solve->world, mover->body);
    if (solve->moverCount != 1 || solve->jointCount > 0 || !body->hasFactors) {
        return false;
    }
    mover->step = mover->residual;
    pbdrSolveBlock(body->factors, body->pivots, mover->step.v);
    pbdrAcceptStep(solve, 1.0, pbdrEvaluate(solve, 1.0));
    solve->steps++;
    return true;
}

double pbdrTryFullStep(pbdrSolve* solve)
{
    if (!findStep(solve)) {
        return -1.0;
    }
    solve->steps++;
    return pbdrEvaluate(solve, 1.0);
}

// --- Contacts that change ---

void pbdrEvaluateAgain(pbdrSolve* solve)
{
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].step = pbdrStill;
    }
    pbdrAcceptStep(solve, 0.0, pbdrEvaluate(solve, 0.0));
}

void pbdrSoften(pbdrSolve* solve, double factor)
{
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        const pbdrTwist lag = pbdrScaleTwist(factor, &active->lag);
        solve->world->kernels->pressPatch(pbdrGetItems(solve), &active->law, &active->lag, &lag,
                                          solve->state);
        solve->world->kernels->softenPatch(pbdrGetItems(solve), &active->law, 1.0 / factor, solve->state);
        if (active->rolling.active) {
            pbdrSoftenRolling(&active->rolling, 1.0 / factor, solve->state);
        }
        active->lag = lag;
        active->law.k /= factor;
    }
    solve->softness *= factor;
    pbdrEvaluateAgain(solve);
}
