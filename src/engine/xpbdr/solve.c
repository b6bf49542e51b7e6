// How an island is solved.
//
//   warm start --> Newton (polish): exact Jacobian, full steps; multipliers take over what springs bear
//     fails, few bodies     --> steps to the least residual, then the same after softer contacts
//     fails, many at rest   --> continuation (climb): contacts soft enough for few steps, then harder and harder
//     fails, many in motion --> sweeps (sweep.h)
//
// Exactness is for motion that goes on smoothly. In the middle of a clatter momentum is exact, and overlaps are small.
#include "engine/xpbdr/newton.h"
#include "engine/xpbdr/sweep.h"

#include <string.h>

// Residual that counts as zero, relative to the sum of forces. Accelerations are off by that much at most:
// 5e-11 m after 10 s if it were always to the same side; measured 3e-13 m, as with 2e-14.
#define TOLERANCE PBDR_DEFAULT_TOLERANCE
// End gap and slip that count as zero, over dt^2 [m/s^2].
#define REST_ACCELERATION 1.0e-8
// Islands of so many bodies at most are small: a step costs little, and what is left is solved whatever it takes.
#define SMALL 6
// Newton steps at first: of small islands, and of others.
#define SMALL_STEPS 80
#define EXACT_STEPS 12
// Steps to the least residual without progress before a try is given up; rounds of convex steps likewise.
#define PATIENCE 10
#define ROUNDS 6
// Convex steps of a round at most, and the share of the residual that ends it.
#define ROUND_STEPS 6
#define ROUND_SHARE 0.1
// Multiplier updates at most: of a small island, of others, and of a level of the continuation.
#define MANY_UPDATES 20
#define SOME_UPDATES 6
#define FEW_UPDATES 2
// Updates of others end when they do not halve what is left, below this [m].
#define IDLE 1.0e-7
// Slips count as motion where gaps are below this share of them.
#define SINKING 0.1
// Multipliers are updated as soon as the residual is this small, relative to the sum of forces.
#define UPDATE_AT 1.0e-4
// Relative residual below which the last substep's factors are good enough for a first step, and one that rounding
// may keep from falling further where gaps and slips [m] are gone.
#define LAGGED_AT 1.0e-6
#define ROUNDING 1.0e-9
#define ROUNDED_REST 1.0e-9
// The continuation: how much softer than a body's own contacts the first level is, the ratio of levels, its steps, the
// residual and the rest [m] that end a level.
#define SOFTEST 100.0
#define RATIO 10.0
#define LEVEL_STEPS 24
#define NEAR_STEPS 10
#define LEVEL_TOLERANCE 1.0e-6
#define LEVEL_REST 1.0e-9
// The start is near the solution if its residual is this small.
#define NEARBY 0.1
// An island is quiet if no contact would go in by more than this within the substep [m].
#define QUIET 1.0e-5
// Sweeps at most, and the error of a contact that ends them [m]: quiet, and not.
#define QUIET_SWEEPS 60
#define QUIET_ENOUGH 1.0e-9
#define SWEEPS 200
#define ENOUGH 1.0e-6
// What is left counts as not converged: forces off by this share; gaps and slips over this [m], and over what gravity
// closes in a substep.
#define BAD_RESIDUAL 1.0e-3
#define BAD_REST 1.0e-6

// --- Starts ---

// Back to the y of the start.
static void restart(pbdrSolve* solve)
{
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        mover->step = mover->firstY;
        pbdrAddTwist(&mover->step, -1.0, &mover->y);
    }
    pbdrAcceptStep(solve, 1.0, pbdrEvaluate(solve, 1.0));
}

// Every mover's y as the last substep had it, and the columns with it: the only place where g and p do not grow by
// increments.
static void start(pbdrSolve* solve)
{
    const pbdrItems* items = &solve->world->candidates.items;
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        const size_t first = (size_t)active->law.first, count = (size_t)active->padded;
        memcpy(pbdrGetColumn(items, ITEM_BEFORE) + first, pbdrGetColumn(items, ITEM_TOUCHED) + first,
               count * sizeof(double));
        pbdrPrepareActivePatch(solve->world, active, solve->movers, solve->state);
    }
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        const pbdrXpbdrBody* body = pbdrGetXpbdrBody(solve->world, mover->body);
        solve->cold = solve->cold || !body->hasLastStep;
        if (body->hasLastStep) {
            memcpy(mover->step.v, body->lastStep, sizeof mover->step.v);
        } else {
            // as it would move without contact: what it then runs into bears load from the first step on
            pbdrTwist free = pbdrGetFreeAcceleration(pbdrGetBody(solve->world->scene, mover->body), mover);
            mover->step = pbdrScaleTwist(1.0 / solve->perStep, &free);
        }
        mover->y = pbdrStill;
        mover->firstY = mover->step;
    }
    pbdrAcceptStep(solve, 1.0, pbdrEvaluate(solve, 1.0));
}

// How far contacts would go in within the substep, going on as they do, at most [m].
static double getApproach(const pbdrSolve* solve)
{
    const double* ahead = pbdrGetColumn(&solve->world->candidates.items, ITEM_AHEAD);
    double deepest = 0.0;
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrPatchLaw* law = &solve->activePatches[k].law;
        for (int i = law->first; i < law->first + law->count; i++) {
            deepest = fmin(deepest, ahead[i]);
        }
    }
    return -deepest;
}

// --- Newton ---

// How a try is made.
typedef struct Effort {
    int steps, updates;
    double tolerance, rest; // residual over the sum of forces; gaps and slips [m]
    bool descends;          // by convex steps, where full steps do not help
} Effort;

static bool isSmall(const pbdrSolve* solve)
{
    return solve->moverCount <= SMALL;
}

// True when gaps and slips are gone, or no update takes them out; else an update was made. solved: forces are, so that
// what is measured may stay as the end.
static bool settleMultipliers(pbdrSolve* solve, const Effort* effort, bool solved, int* updates, double* last)
{
    if (solved) {
        pbdrFinishIsland(solve);
    } else {
        pbdrMeasureRest(solve);
    }
    solve->finished = solved;
    const double worst = fmax(solve->gap, solve->slip);
    const bool idle = !isSmall(solve) && *updates >= 2 && worst < IDLE && worst > 0.5 * *last;
    if (worst <= effort->rest || *updates >= effort->updates || idle) {
        *updates = effort->updates;
        return true;
    }
    *last = worst;
    (*updates)++;
    solve->finished = false;
    // Normal forces first. Bodies that are set down sink into springs that bear no load yet, and what sticks would take
    // that for motion, and keep a friction that nothing calls for (Test 7: 0.7 N upwards at the rod).
    if (solve->gap <= SINKING * solve->slip || solve->gap <= effort->rest) {
        pbdrHoldPatches(solve);
    }
    if (solve->gap > effort->rest) {
        pbdrPressPatches(solve);
    }
    return false;
}

// A round of convex steps with bounds of friction that stay. False if there is none.
static bool descend(pbdrSolve* solve)
{
    const double enough = fmin(1.0e-2, ROUND_SHARE * solve->residual / solve->size);
    solve->rounds = solve->residual <= 0.7 * solve->lastFreed ? 0 : solve->rounds + 1;
    solve->lastFreed = solve->residual;
    pbdrFreezeBounds(solve);
    for (int k = 0; k < ROUND_STEPS && solve->residual > enough * solve->size; k++) {
        if (!pbdrTakeConvexStep(solve)) {
            return false;
        }
    }
    pbdrFreeBounds(solve);
    return true;
}

// The share of the step that was tried at which the residual is least; taken.
static void searchLeast(pbdrSolve* solve, double full)
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
    solve->island->lineSearchCount++;
    pbdrAcceptStep(solve, best, pbdrEvaluate(solve, best));
}

static bool isRounded(const pbdrSolve* solve)
{
    return solve->residual <= ROUNDING * solve->size && fmax(solve->gap, solve->slip) <= ROUNDED_REST;
}

// Newton's steps until the residual is zero, gaps and slips too. False if that is not reached.
static bool polish(pbdrSolve* solve, const Effort* effort)
{
    const pbdrScene* scene = solve->world->scene;
    const double own = scene->tolerance > 0.0 ? scene->tolerance : TOLERANCE;
    const double tolerance = effort->tolerance > TOLERANCE ? fmax(effort->tolerance, own) : own;
    const int asked = solve->steps + effort->steps, most = scene->maxNewtonSteps;
    const int last = most > 0 && most < asked ? most : asked;
    int updates = 0, idle = 0;
    double worst = 0.0, best = solve->residual;
    solve->lagged = false;
    for (;;) {
        const bool solved = solve->residual <= tolerance * solve->size;
        const bool near = solve->residual <= UPDATE_AT * solve->size && solve->steps > 0 && !solve->lagged;
        if (solved || near) {
            if (!settleMultipliers(solve, effort, solved, &updates, &worst)) {
                best = solve->residual;
                idle = 0;
            } else if (solved) {
                return true;
            }
        }
        if (solve->residual <= tolerance * solve->size) {
            continue; // the update changed nothing
        }
        if (solve->steps >= last) {
            return false;
        }
        if (solve->steps == 0 && solve->residual <= LAGGED_AT * solve->size && pbdrTakeLaggedStep(solve)) {
            solve->lagged = true;
            solve->finished = false;
            continue;
        }
        solve->lagged = solve->finished = false;
        const double residual = pbdrTryFullStep(solve);
        if (residual < 0.0 || !isfinite(residual)) {
            return false;
        }
        if (residual <= 0.5 * best && residual <= 0.5 * solve->trialSize) {
            pbdrAcceptStep(solve, 1.0, residual);
            best = residual;
            continue;
        }
        if (effort->descends ? idle >= ROUNDS : !isSmall(solve) || idle >= PATIENCE) {
            return isRounded(solve);
        }
        if (!effort->descends) {
            searchLeast(solve, residual);
        } else if (!descend(solve)) {
            return false;
        }
        idle = solve->residual <= (effort->descends ? 0.5 : 0.9) * best ? 0 : idle + 1;
        best = fmin(best, solve->residual);
    }
}

// --- What follows where it fails ---

// A small island: softer contacts, from the start; then its own.
static bool solveSmall(pbdrSolve* solve, double rest)
{
    solve->island->restartCount++;
    pbdrSoften(solve, SOFTEST);
    restart(solve);
    polish(solve, &(Effort){SMALL_STEPS / 2, 0, TOLERANCE, rest, false});
    pbdrSoften(solve, 1.0 / SOFTEST);
    return polish(solve, &(Effort){SMALL_STEPS / 2, MANY_UPDATES, TOLERANCE, rest, false}) ||
           polish(solve, &(Effort){SMALL_STEPS, MANY_UPDATES, TOLERANCE, rest, true});
}

// Softer contacts, whose loads and sticking take few steps to find; then harder ones, each level from the one before.
// nearby: the solution is, so that a level that is little softer may do.
static bool climb(pbdrSolve* solve, double softest, bool nearby, double rest)
{
    const int updates = isSmall(solve) ? MANY_UPDATES : FEW_UPDATES;
    const Effort first = {nearby ? NEAR_STEPS : LEVEL_STEPS, updates, LEVEL_TOLERANCE, LEVEL_REST, true};
    const Effort level = {LEVEL_STEPS, updates, LEVEL_TOLERANCE, LEVEL_REST, true};
    const Effort last = {LEVEL_STEPS, isSmall(solve) ? MANY_UPDATES : SOME_UPDATES, TOLERANCE, rest, true};
    solve->island->restartCount++;
    pbdrSoften(solve, nearby ? fmin(RATIO * RATIO, softest) : softest);
    bool solved = polish(solve, &first);
    if (!solved && solve->softness < softest) {
        pbdrSoften(solve, softest / solve->softness);
        solved = polish(solve, &level);
    }
    while (solved && solve->softness > 1.0) {
        pbdrSoften(solve, 1.0 / fmin(RATIO, solve->softness));
        solved = polish(solve, solve->softness > 1.0 ? &level : &last);
        if (!solved) {
            // the last level that was solved, for good
            pbdrSoften(solve, RATIO);
            return polish(solve, &last);
        }
    }
    return solved;
}

static bool isGood(const pbdrSolve* solve, double rest)
{
    return solve->residual <= BAD_RESIDUAL * solve->size && solve->gap <= rest && solve->slip <= rest;
}

void pbdrSolveIsland(pbdrXpbdrWorld* world, pbdrXpbdrWorker* worker, pbdrIsland* island)
{
    pbdrSolve solve = {
        .world = world,
        .worker = worker,
        .island = island,
        .system = &worker->system,
        .movers = (pbdrMover*)world->movers.items + island->firstMover,
        .moverCount = island->moverCount,
        .activePatches = (pbdrActivePatch*)world->activePatches.items + island->firstActivePatch,
        .activePatchCount = island->activePatchCount,
        .softness = 1.0,
        .perStep = 1.0 / (world->scene->timeStep * world->scene->timeStep),
    };
    pbdrOpenWindow(world, island);
    start(&solve);
    const double rest = REST_ACCELERATION / solve.perStep;
    const double badRest = fmax(BAD_REST, pbdrLength(world->scene->gravity) / solve.perStep);
    const bool small = isSmall(&solve);
    bool quiet = !small && getApproach(&solve) < QUIET;
    const bool nearby = !solve.cold && quiet && solve.residual <= NEARBY * solve.size;
    bool solved =
        polish(&solve, &(Effort){small ? SMALL_STEPS : EXACT_STEPS, small ? MANY_UPDATES : SOME_UPDATES,
                                 TOLERANCE, rest, !small && nearby});
    solved = solved || (small && solveSmall(&solve, rest));
    solved = solved || ((small || quiet) && climb(&solve, SOFTEST * island->hardness, nearby, rest));
    if (!(small && solved) && !isGood(&solve, badRest)) {
        quiet = quiet || getApproach(&solve) < QUIET;
        const pbdrSweepEffort sweeps = {quiet ? QUIET_SWEEPS : SWEEPS, quiet ? QUIET_ENOUGH : ENOUGH};
        double error = 0.0;
        if (!pbdrSweepIsland(&solve, &sweeps, &error)) {
            island->flags |= pbdr_stepPairsFull;
            return;
        }
        pbdrFinishSweeps(&solve);
        island->stepCount = solve.steps;
        island->flags |= error <= badRest ? 0 : pbdr_stepNotConverged;
        return;
    }
    if (solve.residual > TOLERANCE * solve.size && solve.softness < island->hardness) {
        // rounding goes with the stiffness: soft contacts bear the same forces, and balance them better
        pbdrSoften(&solve, island->hardness / solve.softness);
        solve.finished = false;
        polish(&solve, &(Effort){3, 0, TOLERANCE, badRest, false});
    }
    if (!solve.finished) {
        pbdrFinishIsland(&solve);
    }
    island->stepCount = solve.steps;
    island->residual = solve.size > 0.0 ? solve.residual / solve.size : 0.0;
    island->flags |= isGood(&solve, badRest) ? 0 : pbdr_stepNotConverged;
}
