// How an island is solved.
//
//   bodies that bounce and meet in points --> impacts one after the other (impacts.c)
//   few bodies  --> Newton's method (newton.h) from the last substep's motion: exact Jacobian, full steps; multipliers
//                   take over what springs bear
//     fails     --> sweeps (sweep.h)
//   many bodies --> sweeps
#include "engine/xpbdr/impacts.h"
#include "engine/xpbdr/newton.h"
#include "engine/xpbdr/prepare.h"
#include "engine/xpbdr/sweep.h"

#include <string.h>

// Residual that counts as zero, relative to the sum of forces. Accelerations are off by that much at most:
// 5e-11 m after 10 s if it were always to the same side; measured 3e-13 m, as with 2e-14.
#define TOLERANCE PBDR_DEFAULT_TOLERANCE
// End gap and slip that count as zero, over dt^2 [m/s^2].
#define REST_ACCELERATION 1.0e-8
// Islands of so many bodies are solved whatever it takes.
#define FEW 2
// A small island is calm if no contact would go in by more than this within the substep [m].
#define CALM 1.0e-5
// Bodies that go in by no more than this do not overlap [m].
#define NO_OVERLAP 1.0e-10
// And by more than this they do, where several of them are together and nothing pushes them.
#define OVERLAP 1.0e-8
// Newton steps, and steps to the least residual without progress, before a try is given up: of calm islands, and of
// those that hit something or were swept before.
#define CALM_STEPS 80
#define CALM_PATIENCE 10
#define STEPS 12
#define PATIENCE 2
// Multiplier updates at most.
#define UPDATES 20
// How much softer contacts are for a second try of calm islands.
#define SOFTER 100.0
// How much softer than a body's own contacts those of the first level are for a third, the ratio of levels, and gaps and
// slips that end one [m].
#define SOFTEST 100.0
#define LEVEL 10.0
#define LEVEL_REST 1.0e-9
// How often what holds joints' axes may change in a substep.
#define HOLDS 20
// Substeps between tries of Newton's method on small islands that are swept.
#define RETRY 64
// Slips count as motion where gaps are below this share of them.
#define SINKING 0.1
// Multipliers are updated as soon as the residual is this small, relative to the sum of forces.
#define UPDATE_AT 1.0e-4
// Relative residual below which the last substep's factors are good enough for a first step, and one that rounding
// may keep from falling further where gaps and slips [m] are gone.
#define LAGGED_AT 1.0e-6
#define ROUNDING 1.0e-9
#define ROUNDED_REST 1.0e-9

// --- Start ---

// Every mover's y as the last substep had it, and the columns with it: the only place where g and p do not grow by
// increments.
static void start(pbdrSolve* solve)
{
    pbdrPrepareIsland(solve);
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
    const double* ahead = pbdrGetColumn(pbdrGetItems(solve), ITEM_AHEAD);
    double deepest = 0.0;
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrPatchLaw* law = &solve->activePatches[k].law;
        for (int i = law->first; i < law->first + law->count; i++) {
            deepest = fmin(deepest, ahead[i]);
        }
    }
    return -deepest;
}

// How deep bodies are in each other, at most [m].
static double getOverlap(const pbdrSolve* solve)
{
    const pbdrItems* items = pbdrGetItems(solve);
    const double* ahead = pbdrGetColumn(items, ITEM_AHEAD);
    double deepest = 0.0;
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        const pbdrTwist velocity = pbdrGetPatchVelocity(solve->world, active);
        for (int i = active->law.first; i < active->law.first + active->law.count; i++) {
            const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, i),
                           v = pbdrMoveLever(&velocity, pbdrReadColumns(items, ITEM_LEVER, i));
            deepest = pbdrMin(deepest, ahead[i] - active->law.timeStep * pbdrDot(n, v));
        }
    }
    return -deepest;
}

// Whether no force from outside acts on the island, so that its energy must not rise.
static bool isClosed(const pbdrSolve* solve)
{
    bool closed = true;
    for (int k = 0; k < solve->moverCount; k++) {
        closed = closed && !solve->movers[k].pushed;
    }
    return closed;
}

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

// --- Newton ---

// True when gaps and slips are gone, or no update takes them out; else an update was made. solved: forces are, so that
// what is measured may stay as the end.
static bool settleMultipliers(pbdrSolve* solve, double rest, bool solved, int* updates)
{
    if (solved) {
        pbdrFinishIsland(solve);
    } else {
        pbdrMeasureRest(solve);
    }
    solve->finished = solved;
    if (pbdrMax(solve->gap, solve->slip) <= rest || *updates >= UPDATES) {
        *updates = UPDATES;
        return true;
    }
    (*updates)++;
    solve->finished = false;
    // Normal forces first. Bodies that are set down sink into springs that bear no load yet, and what sticks would take
    // that for motion, and keep a friction that nothing calls for (Test 7: 0.7 N upwards at the rod).
    if (solve->gap <= SINKING * solve->slip || solve->gap <= rest) {
        pbdrHoldPatches(solve);
    }
    if (solve->gap > rest) {
        pbdrPressPatches(solve);
    }
    return false;
}

static bool isRounded(const pbdrSolve* solve)
{
    return solve->residual <= ROUNDING * solve->size && fmax(solve->gap, solve->slip) <= ROUNDED_REST;
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
    pbdrAcceptStep(solve, best, pbdrEvaluate(solve, best));
}

// The residual that counts as zero, over the sum of forces.
static double getTolerance(const pbdrSolve* solve)
{
    const double asked = solve->world->scene->tolerance;
    return asked > 0.0 ? asked : TOLERANCE;
}

// How a try is made.
typedef struct Effort {
    int steps, patience, updates;
    double rest; // gaps and slips that count as zero [m]
} Effort;

// Newton's steps until the residual is zero, gaps and slips too. False if that is not reached.
static bool polish(pbdrSolve* solve, const Effort* effort)
{
    const double tolerance = getTolerance(solve);
    const int asked = solve->steps + effort->steps, most = solve->world->scene->maxNewtonSteps;
    const int last = most > 0 && most < asked ? most : asked;
    int updates = UPDATES - effort->updates, idle = 0;
    double best = solve->residual;
    solve->lagged = false;
    for (;;) {
        const bool solved = solve->residual <= tolerance * solve->size;
        const bool near = solve->residual <= UPDATE_AT * solve->size && solve->steps > 0 && !solve->lagged;
        if (solved || near) {
            if (!settleMultipliers(solve, effort->rest, solved, &updates)) {
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
        if (idle >= effort->patience) {
            return isRounded(solve);
        }
        searchLeast(solve, residual);
        idle = solve->residual <= 0.9 * best ? 0 : idle + 1;
        best = fmin(best, solve->residual);
    }
}

// Contacts soft enough for a slip to move forces by no more than inertia does, so that few of them change between sticking
// and slipping; then harder ones, each level from the solution of the one before, multipliers in between.
static bool climb(pbdrSolve* solve, double rest)
{
    const Effort level = {CALM_STEPS, CALM_PATIENCE, UPDATES, LEVEL_REST};
    const Effort last = {CALM_STEPS, CALM_PATIENCE, UPDATES, rest};
    pbdrSoften(solve, SOFTEST * solve->island->hardness);
    restart(solve);
    bool solved = polish(solve, &level);
    while (solved && solve->softness > 1.0) {
        pbdrSoften(solve, 1.0 / fmin(LEVEL, solve->softness));
        solved = polish(solve, solve->softness > 1.0 ? &level : &last);
    }
    return solved;
}

// Newton's method; on calm islands that go on as they did also after a softer start. False if it fails.
static bool solveSmall(pbdrSolve* solve, bool swept)
{
    const bool calm = solve->moverCount <= FEW || solve->jointCount > 0 ||
                      (!swept && (solve->residual <= LAGGED_AT * solve->size || getApproach(solve) < CALM));
    const double rest = REST_ACCELERATION / solve->perStep;
    if (polish(solve, &(Effort){calm ? CALM_STEPS : STEPS, calm ? CALM_PATIENCE : PATIENCE, UPDATES, rest})) {
        return true;
    }
    if (!calm) {
        return false;
    }
    pbdrSoften(solve, SOFTER);
    restart(solve);
    polish(solve, &(Effort){CALM_STEPS / 2, CALM_PATIENCE, 0, rest});
    pbdrSoften(solve, 1.0 / SOFTER);
    return polish(solve, &(Effort){CALM_STEPS / 2, CALM_PATIENCE, UPDATES, rest}) || climb(solve, rest);
}

// --- The island ---

// Whether contacts of the island were swept in the last substep.
static bool wasSwept(const pbdrSolve* solve)
{
    bool swept = false;
    for (int k = 0; k < solve->moverCount; k++) {
        swept = swept || pbdrGetXpbdrBody(solve->world, solve->movers[k].body)->swept;
    }
    return swept;
}

// What sweeps found of friction may press contacts against each other, up to their bounds. Springs find less. It is put
// aside; false without memory.
static bool putFrictionAside(const pbdrSolve* solve)
{
    pbdrXpbdrWorker* worker = solve->worker;
    int count = 0;
    for (int k = 0; k < solve->activePatchCount; k++) {
        count += solve->activePatches[k].law.count;
    }
    if (!pbdrListReserve(&worker->memory, &worker->frictions, count)) {
        return false;
    }
    pbdrVec3* aside = worker->frictions.items;
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrPatchLaw* law = &solve->activePatches[k].law;
        for (int i = law->first; i < law->first + law->count; i++) {
            *aside++ = pbdrReadColumns(pbdrGetItems(solve), ITEM_FRICTION, i);
            pbdrWriteColumns(pbdrGetItems(solve), ITEM_FRICTION, i, (pbdrVec3){0.0, 0.0, 0.0});
        }
    }
    return true;
}

// Sweeps go on with it. Without it they would begin anew, and what rests would give way by a little each time.
static void takeFrictionBack(const pbdrSolve* solve)
{
    const pbdrVec3* aside = solve->worker->frictions.items;
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrPatchLaw* law = &solve->activePatches[k].law;
        for (int i = law->first; i < law->first + law->count; i++) {
            pbdrWriteColumns(pbdrGetItems(solve), ITEM_FRICTION, i, *aside++);
        }
    }
}

// Joints and contacts together, by Newton's method whatever the number of bodies: sweeps know no joints.
static void solveJointed(pbdrSolve* solve)
{
    for (int k = 0; k < solve->activePatchCount; k++) {
        solve->activePatches[k].law.restitution = 0.0; // bodies would move on arcs of their own
        solve->activePatches[k].law.k /= solve->island->hardness;
    }
    solve->island->hardness = 1.0;
    pbdrStartJoints(solve);
    start(solve);
    for (int round = 0; round < HOLDS; round++) {
        solveSmall(solve, false);
        if (!pbdrChangeHolds(solve)) {
            break;
        }
        pbdrEvaluateAgain(solve);
    }
}

// How a solve went.
static void note(const pbdrSolve* solve, pbdrIsland* island)
{
    const double worst = pbdrMax(PBDR_BAD_REST, pbdrLength(solve->world->scene->gravity) / solve->perStep);
    const double rest = pbdrMax(solve->gap, solve->slip);
    island->stepCount = solve->steps;
    island->residual = solve->size > 0.0 ? solve->residual / solve->size : 0.0;
    if (rest > worst) {
        island->residual = pbdrMax(island->residual, PBDR_BAD_RESIDUAL * rest / worst);
    }
    if (island->residual > PBDR_BAD_RESIDUAL) {
        island->flags |= pbdr_stepNotConverged;
    }
}

pbdrSolve pbdrMakeSolve(pbdrXpbdrWorld* world, pbdrXpbdrWorker* worker, pbdrIsland* island)
{
    return (pbdrSolve){
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
}

void pbdrSolveIsland(pbdrXpbdrWorld* world, pbdrXpbdrWorker* worker, pbdrIsland* island)
{
    pbdrSolve solve = pbdrMakeSolve(world, worker, island);
    solve.joints = (pbdrActiveJoint*)world->activeJoints.items + island->firstJoint;
    solve.jointCount = island->jointCount;
    solve.gears = (pbdrActiveGear*)world->activeGears.items + island->firstGear;
    solve.gearCount = island->gearCount;
    solve.wide = island->wide;
    pbdrOpenWindow(world, island);
    if (island->jointCount > 0) {
        solveJointed(&solve);
        pbdrFinishIsland(&solve);
        pbdrFinishJoints(&solve);
        note(&solve, island);
        return;
    }
    if (pbdrMeetsInPoints(&solve) && pbdrFlyThroughImpacts(&solve)) {
        return;
    }
    // A small island that was swept is swept again: what made Newton's method fail is likely still there. Now and then
    // it is tried anew, for what it gives beyond sweeps: forces of equal springs. Islands of some bodies more are solved
    // by it from the start on, or not at all.
    const bool small = solve.moverCount <= PBDR_SMALL_ISLAND, swept = wasSwept(&solve);
    const bool again = small && (world->scene->substepCount + (uint64_t)solve.movers[0].body) % RETRY == 0;
    if (solve.moverCount > PBDR_MEDIUM_ISLAND || (swept && !(again && putFrictionAside(&solve)))) {
        pbdrSweepIsland(&solve);
        return;
    }
    start(&solve);
    // nor where bodies overlap, which sweeps let stay: to part them would give energy
    const bool rests = solve.residual <= LAGGED_AT * solve.size;
    const double approach = small && !swept ? 0.0 : getApproach(&solve);
    const double overlap = !rests && solve.moverCount > 1 && isClosed(&solve) ? getOverlap(&solve) : 0.0;
    if (approach > (swept ? NO_OVERLAP : CALM) || (overlap > OVERLAP && overlap < PBDR_SWEEP_SLACK) ||
        !solveSmall(&solve, swept)) {
        if (swept) {
            takeFrictionBack(&solve);
        }
        pbdrSweepIsland(&solve);
        return;
    }
    const double worst = pbdrMax(PBDR_BAD_REST, pbdrLength(world->scene->gravity) / solve.perStep);
    if (solve.residual > getTolerance(&solve) * solve.size && solve.softness < island->hardness) {
        // rounding goes with the stiffness: soft contacts bear the same forces, and balance them better
        pbdrSoften(&solve, island->hardness / solve.softness);
        solve.finished = false;
        polish(&solve, &(Effort){3, 0, 0, worst});
    }
    if (!solve.finished) {
        pbdrFinishIsland(&solve);
    }
    note(&solve, island);
}
