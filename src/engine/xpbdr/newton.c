// The parts of Newton's method on one contact island (newton.h).
//
// The forces are piecewise smooth in y, and the Jacobian is exact on each piece: one full step lands on the solution
// once loads and sticking are right.
#include "engine/xpbdr/newton.h"

#include "engine/xpbdr/kernels.h"
#include "math/block_lu.h"
#include "math/vec.h"
#include "scene/profile.h"

#include <string.h>

// Contacts that bear no load yet but are as near as this count in a substep's first step [m]: a tower that is set down
// would else take a step per box.
#define NEAR 1.0e-9
// Passes of the line search at most, and the slope that counts as zero over that at the start.
#define MAX_PASSES 20
#define SLOPE_TOLERANCE 1.0e-3

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
    double square = 0.0;
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
    solve->state = 1 - solve->state;
    solve->residual = residual;
    solve->size = solve->trialSize;
}

// --- Steps ---

static void assemble(pbdrSolve* solve)
{
    pbdrClearSystem(solve->system);
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrMover* mover = &solve->movers[k];
        pbdrBlock6* block = pbdrGetDiagonal(solve->system, k);
        for (int i = 0; i < 3; i++) {
            block->m[i][i] = solve->perStep * mover->mass;
            for (int j = 0; j < 3; j++) {
                block->m[3 + i][3 + j] = solve->perStep * mover->inertia.m[i][j];
            }
        }
    }
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        active->law.sticks = solve->sticks;
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
    if (!solve->planned && !pbdrPlanSystem(&solve->worker->memory, solve->system, solve->moverCount,
                                           solve->activePatches, solve->activePatchCount)) {
        solve->island->flags |= pbdr_stepPairsFull;
        return false;
    }
    solve->planned = true;
    assemble(solve);
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].step = solve->movers[k].residual;
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
    if (solve->moverCount != 1 || !body->hasFactors) {
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

// --- Bounds that stay ---

void pbdrEvaluateAgain(pbdrSolve* solve)
{
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].step = pbdrStill;
    }
    pbdrAcceptStep(solve, 0.0, pbdrEvaluate(solve, 0.0));
}

void pbdrFreezeBounds(pbdrSolve* solve)
{
    const pbdrItems* items = pbdrGetItems(solve);
    const double* g = pbdrGetColumn(items, ITEM_STATE + 4 * solve->state);
    const double* weights = pbdrGetColumn(items, ITEM_WEIGHT);
    double* bounds = pbdrGetColumn(items, ITEM_BOUND);
    // bounds that go to and fro meet half-way
    const double share = solve->rounds < 2 ? 1.0 : 0.5;
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        pbdrPatchLaw* law = &active->law;
        for (int i = law->first; i < law->first + law->count; i++) {
            const double bound = law->mu * fmax(0.0, -law->k * weights[i] * g[i]);
            bounds[i] = share < 1.0 ? share * bound + (1.0 - share) * bounds[i] : bound;
        }
        for (int i = law->first + law->count; i < law->first + active->padded; i++) {
            bounds[i] = 0.0;
        }
        if (active->rolling.active) {
            pbdrBoundRolling(&active->rolling, items, law, solve->state);
        }
        law->frozen = true;
    }
    solve->sticks = true;
    pbdrEvaluateAgain(solve);
}

void pbdrFreeBounds(pbdrSolve* solve)
{
    for (int k = 0; k < solve->activePatchCount; k++) {
        solve->activePatches[k].law.frozen = false;
    }
    solve->sticks = false;
    pbdrEvaluateAgain(solve);
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

// d.R at a share of the step d, and its derivative: sums of scalars, for both ends stand in the columns.
typedef struct Slope {
    double value, derivative;
} Slope;

// inertial: d.(f_ext - M y/dt^2) at the start, and its derivative.
static Slope getSlope(const pbdrSolve* solve, const Slope* inertial, double share)
{
    Slope slope = {inertial->value + share * inertial->derivative, inertial->derivative};
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        solve->world->kernels->slopePatch(pbdrGetItems(solve), &active->law, share, solve->state,
                                          1 - solve->state, &slope.value, &slope.derivative);
        if (active->rolling.active) {
            pbdrSlopeRolling(&active->rolling, pbdrGetItems(solve), &active->law, share, solve->state,
                             1 - solve->state, &slope.value, &slope.derivative);
        }
    }
    return slope;
}

static Slope getInertialSlope(const pbdrSolve* solve)
{
    Slope slope = {0.0, 0.0};
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrMover* mover = &solve->movers[k];
        pbdrTwist y = weigh(mover, &mover->y), d = weigh(mover, &mover->step);
        for (int i = 0; i < 6; i++) {
            slope.value += mover->step.v[i] * (mover->load.v[i] - solve->perStep * y.v[i]);
            slope.derivative -= mover->step.v[i] * solve->perStep * d.v[i];
        }
    }
    return slope;
}

// The share of the step at which the energy is least: the root of its slope, which falls. The columns hold both ends.
static double searchLine(const pbdrSolve* solve)
{
    const Slope inertial = getInertialSlope(solve), first = getSlope(solve, &inertial, 0.0);
    Slope slope = getSlope(solve, &inertial, 1.0);
    double low = 0.0, high = 1.0, share = 1.0;
    if (slope.value >= -SLOPE_TOLERANCE * fabs(first.value) || !(first.value > 0.0)) {
        return 1.0;
    }
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        double next = share - slope.value / slope.derivative;
        share = next > low && next < high ? next : 0.5 * (low + high);
        slope = getSlope(solve, &inertial, share);
        if (fabs(slope.value) <= SLOPE_TOLERANCE * first.value) {
            break;
        }
        *(slope.value > 0.0 ? &low : &high) = share;
    }
    return share;
}

bool pbdrTakeConvexStep(pbdrSolve* solve)
{
    if (!findStep(solve)) {
        return false;
    }
    solve->sticks = false;
    solve->steps++;
    solve->island->lineSearchCount++;
    pbdrEvaluate(solve, 1.0);
    double share = searchLine(solve);
    pbdrAcceptStep(solve, share, pbdrEvaluate(solve, share));
    return true;
}
