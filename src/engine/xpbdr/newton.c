// Newton on one contact island.
//
//   residual --> Jacobian, step, line search --> again, until the residual is zero
//            --> multiplier update while gaps or slips are left --> again
//
// The forces are piecewise smooth in y, the Jacobian is exact on each piece: one full step lands on the
// solution once loads and sticking are right.
#include "engine/xpbdr/newton.h"

#include "engine/xpbdr/kernels.h"
#include "math/block_lu.h"
#include "math/vec.h"
#include "scene/profile.h"

#include <string.h>

// Residual that counts as zero, relative to the sum of forces. Accelerations are off by that much at most:
// 5e-11 m after 10 s if it were always to the same side; measured 3e-13 m, as with 2e-14.
#define TOLERANCE 1.0e-13
// End gap and slip that count as zero [m].
#define REST_TOLERANCE 1.0e-12
// Multiplier updates of a try at most.
#define MAX_UPDATES 10
// Relative residual below which the last substep's factors are good enough for a first step.
#define LAGGED_AT 1.0e-6
// What a fit may do with motions that its contacts hardly determine, relative to the heaviest body's inertia:
// less lets it turn bodies by radians to close a gap of micrometres between contacts a millimetre apart.
#define FIT_INERTIA 1.0e-3
// Where all gaps are below FINE [m] there is little to overdo, and much to gain.
#define FINE 1.0e-6
#define FINE_INERTIA 1.0e-6

static pbdrMover* getMover(const pbdrSolve* solve, int mover)
{
    return mover < 0 ? NULL : solve->movers + mover;
}

static void addTwist(pbdrTwist* a, double s, const pbdrTwist* b)
{
    for (int k = 0; k < 6; k++) {
        a->v[k] += s * b->v[k];
    }
}

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

double pbdrEvaluate(pbdrSolve* solve, double share)
{
    const pbdrKernels* kernels = solve->world->kernels;
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].pull = pbdrStill;
    }
    solve->size = 0.0;
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        pbdrMover *a = getMover(solve, active->moverA), *b = getMover(solve, active->moverB);
        pbdrTwist stepA = a != NULL ? pbdrScaleTwist(share, &a->step) : pbdrStill;
        pbdrTwist stepB = b != NULL ? pbdrScaleTwist(share, &b->step) : pbdrStill;
        pbdrPatchForce sum = {{0.0}, {0.0}, {0.0}, 0.0};
        kernels->stepPatch(&solve->world->candidates.items, &active->law, &stepA, &stepB, solve->state,
                           1 - solve->state, &sum);
        if (active->rolling.active) {
            pbdrStepRolling(&active->rolling, &solve->world->candidates.items, &active->law,
                            pbdrSub(pbdrGetAngular(&stepA), pbdrGetAngular(&stepB)), solve->state,
                            1 - solve->state, &sum);
        }
        for (int i = 0; i < 3; i++) {
            if (a != NULL) {
                a->pull.v[i] += sum.force[i];
                a->pull.v[3 + i] += sum.momentA[i];
            }
            if (b != NULL) {
                b->pull.v[i] -= sum.force[i];
                b->pull.v[3 + i] += sum.momentB[i];
            }
        }
        solve->size += sum.size;
    }
    double square = 0.0;
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        pbdrTwist y = mover->y;
        addTwist(&y, share, &mover->step);
        pbdrTwist inertial = weigh(mover, &y);
        mover->residual = mover->load;
        addTwist(&mover->residual, 1.0, &mover->pull);
        addTwist(&mover->residual, -solve->perStep, &inertial);
        square += getNorm(mover, &mover->residual);
        solve->size += sqrt(getNorm(mover, &mover->load));
    }
    return sqrt(square);
}

void pbdrAcceptStep(pbdrSolve* solve, double share, double residual)
{
    for (int k = 0; k < solve->moverCount; k++) {
        addTwist(&solve->movers[k].y, share, &solve->movers[k].step);
    }
    solve->state = 1 - solve->state;
    solve->residual = residual;
}

// --- Linear systems ---

typedef void (*AddBlock)(const pbdrItems* items, const pbdrPatchLaw* law, int state, int leverLeft,
                         int leverRight, pbdrBlock6* block);

static pbdrBlock6* getBlock(const pbdrSolve* solve, int row, int column)
{
    const int32_t* where = solve->world->blockPlaces.items;
    size_t index = (size_t)row * (size_t)solve->moverCount + (size_t)column;
    return (pbdrBlock6*)solve->world->blocks.items + (where[index] - 1);
}

static void subtractBlock(pbdrBlock6* from, const pbdrBlock6* block)
{
    for (int i = 0; i < 36; i++) {
        from->m[i / 6][i % 6] -= block->m[i / 6][i % 6];
    }
}

// A patch's block, with its rolling friction. fit: that of the multiplier update.
static void addBlocks(const pbdrSolve* solve, const pbdrActivePatch* active, AddBlock add, bool fit, int left,
                      int right, pbdrBlock6* block)
{
    const pbdrItems* items = &solve->world->candidates.items;
    add(items, &active->law, solve->state, left, right, block);
    if (active->rolling.active && fit) {
        pbdrHoldRolling(&active->rolling, items, &active->law, solve->state, block);
    } else if (active->rolling.active) {
        pbdrStiffenRolling(&active->rolling, items, &active->law, solve->state, right, block);
    }
}

// mass times M on the diagonal, and the contacts' blocks.
static void assemble(pbdrSolve* solve, double mass, AddBlock add, bool fit)
{
    memset(solve->world->blocks.items, 0, (size_t)solve->blockCount * sizeof(pbdrBlock6));
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrMover* mover = &solve->movers[k];
        pbdrBlock6* block = getBlock(solve, k, k);
        for (int i = 0; i < 3; i++) {
            block->m[i][i] = mass * mover->mass;
            for (int j = 0; j < 3; j++) {
                block->m[3 + i][3 + j] = mass * mover->inertia.m[i][j];
            }
        }
    }
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        int a = active->moverA, b = active->moverB;
        if (a >= 0) {
            addBlocks(solve, active, add, fit, ITEM_LEVER, ITEM_LEVER, getBlock(solve, a, a));
        }
        if (b >= 0) {
            addBlocks(solve, active, add, fit, ITEM_LEVER_B, ITEM_LEVER_B, getBlock(solve, b, b));
        }
        if (a >= 0 && b >= 0) {
            pbdrBlock6 across = {{{0.0}}};
            addBlocks(solve, active, add, fit, ITEM_LEVER, ITEM_LEVER_B, &across);
            subtractBlock(getBlock(solve, a, b), &across);
            across = (pbdrBlock6){{{0.0}}};
            addBlocks(solve, active, add, fit, ITEM_LEVER_B, ITEM_LEVER, &across);
            subtractBlock(getBlock(solve, b, a), &across);
        }
    }
}

// Solves for every mover's step; the right-hand sides stand there. False if the matrix is singular. keeps:
// the factors of a body on its own are kept for the next substep.
static bool solveSteps(pbdrSolve* solve, bool keeps)
{
    pbdrXpbdrWorld* world = solve->world;
    if (solve->moverCount == 1) {
        int pivots[6];
        pbdrBlock6* block = world->blocks.items;
        if (!pbdrFactorBlock(block->m, pivots)) {
            return false;
        }
        pbdrSolveBlock(block->m, pivots, solve->movers[0].step.v);
        if (keeps) {
            pbdrXpbdrBody* body = pbdrGetXpbdrBody(world, solve->movers[0].body);
            memcpy(body->factors, block->m, sizeof block->m);
            memcpy(body->pivots, pivots, sizeof pivots);
            body->hasFactors = true;
        }
        return true;
    }
    double(*x)[6] = world->blockSides.items;
    for (int k = 0; k < solve->moverCount; k++) {
        memcpy(x[k], solve->movers[k].step.v, sizeof x[k]);
    }
    bool good =
        pbdrSolveBlocks(solve->moverCount, (double(*)[6][6])world->blocks.items, world->blockPlaces.items, x);
    for (int k = 0; k < solve->moverCount && good; k++) {
        memcpy(solve->movers[k].step.v, x[k], sizeof x[k]);
    }
    return good;
}

// A body on its own that goes on as before: the last substep's factors do.
static bool findLaggedStep(pbdrSolve* solve)
{
    if (solve->moverCount != 1 || solve->residual > LAGGED_AT * solve->size) {
        return false;
    }
    pbdrMover* mover = &solve->movers[0];
    pbdrXpbdrBody* body = pbdrGetXpbdrBody(solve->world, mover->body);
    if (!body->hasFactors) {
        return false;
    }
    mover->step = mover->residual;
    pbdrSolveBlock(body->factors, body->pivots, mover->step.v);
    return true;
}

static bool findNewtonStep(pbdrSolve* solve)
{
    assemble(solve, solve->perStep, solve->world->kernels->stiffenPatch, false);
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].step = solve->movers[k].residual;
    }
    return solveSteps(solve, true);
}

// --- Line search ---

// d.R at y + share d, in the unit of energy.
static double getSlope(pbdrSolve* solve, double share)
{
    pbdrEvaluate(solve, share);
    double slope = 0.0;
    for (int k = 0; k < solve->moverCount; k++) {
        for (int i = 0; i < 6; i++) {
            slope += solve->movers[k].step.v[i] * solve->movers[k].residual.v[i];
        }
    }
    return slope;
}

// The share of the step at which d.R has its root, if that is below 1: the least energy along the step.
static double findRoot(pbdrSolve* solve)
{
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 30; k++) {
        double middle = 0.5 * (low + high);
        *(getSlope(solve, middle) > 0.0 ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

// The share of the step at which |R| is least, or d.R has its root if |R| hardly falls. Returns |R| there,
// the other columns holding it.
static double searchLine(pbdrSolve* solve, double full, double* share)
{
    double best = 1.0, least = full;
    for (double trial = 0.6; trial > 1.0e-4; trial *= 0.6) {
        double residual = pbdrEvaluate(solve, trial);
        if (residual < least) {
            least = residual;
            best = trial;
        } else if (least < 0.5 * solve->residual) {
            break;
        }
    }
    for (double width = 0.2; width > 0.02; width *= 0.5) {
        for (int side = -1; side <= 1; side += 2) {
            double trial = best * (1.0 + side * width);
            double residual = pbdrEvaluate(solve, trial);
            if (residual < least) {
                least = residual;
                best = trial;
            }
        }
    }
    if (least > 0.7 * solve->residual && getSlope(solve, 0.0) > 0.0 && getSlope(solve, 1.0) < 0.0) {
        best = findRoot(solve);
    }
    *share = best;
    return pbdrEvaluate(solve, best);
}

// --- Multipliers ---

static pbdrPatchRest measure(const pbdrSolve* solve)
{
    pbdrPatchRest all = {.gap = 0.0};
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].step = pbdrStill;
    }
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        pbdrMover *a = getMover(solve, active->moverA), *b = getMover(solve, active->moverB);
        pbdrPatchRest rest = {.gap = 0.0};
        solve->world->kernels->measurePatch(&solve->world->candidates.items, &active->law,
                                            a != NULL ? &a->lag : &pbdrStill,
                                            b != NULL ? &b->lag : &pbdrStill, solve->state, &rest);
        if (active->rolling.active) {
            pbdrMeasureRolling(&active->rolling, &solve->world->candidates.items, &active->law, solve->state,
                               &rest);
        }
        all.gap = fmax(all.gap, rest.gap);
        all.slip = fmax(all.slip, rest.slip);
        for (int i = 0; i < 3; i++) {
            if (a != NULL) {
                a->step.v[i] += rest.wanted.force[i];
                a->step.v[3 + i] += rest.wanted.momentA[i];
            }
            if (b != NULL) {
                b->step.v[i] -= rest.wanted.force[i];
                b->step.v[3 + i] += rest.wanted.momentB[i];
            }
        }
    }
    return all;
}

// Takes gaps and slips out of y and into Y and T, by least squares; measure() has left the right-hand side in
// the steps. Forces stay as they are. What no contact determines is left alone: a share of the mass matrix
// says so.
static bool updateMultipliers(pbdrSolve* solve, double inertia)
{
    double heaviest = 0.0;
    for (int k = 0; k < solve->moverCount; k++) {
        heaviest = fmax(heaviest, solve->movers[k].mass);
    }
    assemble(solve, inertia / heaviest, solve->world->kernels->holdPatch, true);
    if (!solveSteps(solve, false)) {
        return false;
    }
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        const pbdrMover *a = getMover(solve, active->moverA), *b = getMover(solve, active->moverB);
        if (active->rolling.active) {
            pbdrVec3 turnA = a != NULL ? pbdrGetAngular(&a->step) : pbdrVec(0.0, 0.0, 0.0);
            pbdrVec3 turnB = b != NULL ? pbdrGetAngular(&b->step) : pbdrVec(0.0, 0.0, 0.0);
            pbdrShiftRolling(&active->rolling, &solve->world->candidates.items, &active->law,
                             pbdrSub(turnA, turnB), solve->state);
        }
        solve->world->kernels->shiftPatch(&solve->world->candidates.items, &active->law,
                                          a != NULL ? &a->step : &pbdrStill,
                                          b != NULL ? &b->step : &pbdrStill, solve->state);
    }
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        addTwist(&mover->y, -1.0, &mover->step);
        addTwist(&mover->lag, 1.0, &mover->step);
        mover->step = pbdrStill;
    }
    pbdrAcceptStep(solve, 0.0, pbdrEvaluate(solve, 0.0));
    return true;
}

bool pbdrFinishIsland(pbdrSolve* solve)
{
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].drivenFresh = solve->movers[k].drivenOld = 0.0;
        solve->movers[k].loaded = false;
    }
    solve->rest = 0.0;
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        pbdrMover* sides[2] = {getMover(solve, active->moverA), getMover(solve, active->moverB)};
        pbdrPatchEnd end = {.fresh = 0.0};
        solve->world->kernels->finishPatch(
            &solve->world->candidates.items, &active->law, sides[0] != NULL ? &sides[0]->lag : &pbdrStill,
            sides[1] != NULL ? &sides[1]->lag : &pbdrStill, solve->state, &end);
        if (active->rolling.active) {
            const pbdrItems* items = &solve->world->candidates.items;
            pbdrPatchRest rest = {.gap = 0.0};
            pbdrMeasureRolling(&active->rolling, items, &active->law, solve->state, &rest);
            end.slip = fmax(end.slip, rest.slip);
            pbdrGetPatch(&solve->world->candidates, active->patch)->rolling =
                pbdrGetRollingMoment(&active->rolling, items, &active->law, solve->state);
        }
        solve->rest = fmax(solve->rest, fmax(end.gap, end.slip));
        for (int side = 0; side < 2; side++) {
            if (sides[side] != NULL) {
                sides[side]->drivenFresh = fmin(sides[side]->drivenFresh, end.fresh);
                sides[side]->drivenOld = fmin(sides[side]->drivenOld, end.old);
                sides[side]->loaded = sides[side]->loaded || end.loaded;
            }
        }
    }
    return solve->rest <= REST_TOLERANCE;
}

// --- Newton ---

bool pbdrIsSolved(const pbdrSolve* solve)
{
    return isfinite(solve->residual) && solve->residual <= TOLERANCE * solve->size;
}

bool pbdrIterate(pbdrSolve* solve, bool damped, int maxSteps)
{
    int updates = 0, idle = 0;
    const double first = solve->residual;
    double best = first;
    bool lagged = false;
    for (int taken = 0;;) {
        if (pbdrIsSolved(solve) && solve->writes && (pbdrFinishIsland(solve) || updates == MAX_UPDATES)) {
            return true;
        }
        // at the warm start gaps are those of the last substep: a Newton step tells more
        bool near = taken > 0 && !lagged && solve->residual <= PBDR_UPDATE_AT * solve->size;
        if ((near || pbdrIsSolved(solve)) && updates < MAX_UPDATES) {
            pbdrPatchRest rest = measure(solve);
            if (rest.gap > REST_TOLERANCE || rest.slip > REST_TOLERANCE) {
                updates++;
                PBDR_COUNT(solve->world->scene, multiplierUpdateCount);
                if (!updateMultipliers(solve, rest.gap > FINE ? FIT_INERTIA : FINE_INERTIA)) {
                    return false;
                }
                best = fmax(best, solve->residual);
                idle = 0;
            }
        }
        if (pbdrIsSolved(solve)) {
            return true;
        }
        if (taken >= maxSteps || !isfinite(solve->residual)) {
            return false;
        }
        // lagged factors at the start, and once more where they did well
        bool lags = (taken == 0 || (taken == 1 && lagged && solve->residual < 1.0e-2 * first)) &&
                    findLaggedStep(solve);
        if (!lags && !findNewtonStep(solve)) {
            return false;
        }
        lagged = lags;
        solve->newSteps += !lags;
        taken++;
        solve->steps++;
        double share = 1.0, residual = pbdrEvaluate(solve, 1.0);
        bool poor = !(residual <= 0.5 * solve->residual) && !(residual <= TOLERANCE * solve->size);
        if (poor && solve->frozen) {
            share = getSlope(solve, 1.0) < 0.0 ? findRoot(solve) : 1.0;
            residual = pbdrEvaluate(solve, share);
        } else if (poor && damped) {
            residual = searchLine(solve, residual, &share);
            PBDR_COUNT(solve->world->scene, lineSearchCount);
        }
        pbdrAcceptStep(solve, share, residual);
        idle = solve->residual < 0.9 * best ? 0 : idle + 1;
        best = fmin(best, solve->residual);
        if (idle >= PBDR_PATIENCE) {
            return false;
        }
    }
}
