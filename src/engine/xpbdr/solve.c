// How an island is solved: where Newton's method starts from, and what is tried where it fails.
//
//   warm start --> Newton --> softened, solved, hardened --> full steps --> softened for good
//   --> frozen bounds
#include "engine/xpbdr/newton.h"

#include "contact/candidates.h"
#include "engine/xpbdr/kernels.h"
#include "math/block_lu.h"
#include "scene/profile.h"

#include <string.h>

// Rounds of frozen bounds at most.
#define MAX_ROUNDS 4
// Gaps and slips that the multiplier updates could not take out, and that count as not converged [m].
#define LEFT_OVER 1.0e-6
// How much softer the contacts of a softened start are.
#define SOFTER 0.01

// --- Starts ---

static void setStiffness(pbdrSolve* solve, double factor)
{
    for (int k = 0; k < solve->activePatchCount; k++) {
        solve->activePatches[k].law.k *= factor;
    }
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].lag = pbdrScaleTwist(1.0 / factor, &solve->movers[k].lag);
    }
}

// Brings the columns to every mover's y: the only place where g and p do not grow by increments.
static void start(pbdrSolve* solve)
{
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrPrepareActivePatch(solve->world, &solve->activePatches[k], solve->movers, solve->state);
    }
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].step = solve->movers[k].y;
        solve->movers[k].y = pbdrStill;
    }
    pbdrAcceptStep(solve, 1.0, pbdrEvaluate(solve, 1.0));
}

// Multipliers as the last substep left them; y too (warm), or zero.
static void startAnew(pbdrSolve* solve, bool warm)
{
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        const pbdrXpbdrBody* body = pbdrGetXpbdrBody(solve->world, mover->body);
        memcpy(mover->lag.v, body->lag, sizeof body->lag);
        memcpy(mover->y.v, body->lastStep, sizeof body->lastStep);
        mover->y = warm ? mover->y : pbdrStill;
    }
    start(solve);
}

// From the last y; or from zero, if the last substep was not smooth and zero is nearer.
static void startWarm(pbdrSolve* solve)
{
    startAnew(solve, true);
    bool smooth = true;
    for (int k = 0; k < solve->moverCount; k++) {
        smooth = smooth && pbdrGetXpbdrBody(solve->world, solve->movers[k].body)->lastStepCount <= 1;
    }
    if (!smooth && !pbdrIsSolved(solve)) {
        double warm = solve->residual;
        startAnew(solve, false);
        if (solve->residual >= warm) {
            startAnew(solve, true);
        }
    }
}

// --- Frozen bounds ---

static void setFrozen(pbdrSolve* solve, bool frozen)
{
    solve->frozen = frozen;
    for (int k = 0; k < solve->activePatchCount; k++) {
        solve->activePatches[k].law.frozen = frozen;
    }
}

// Bounds of friction: mu F of the present state; share: how much of the way from the last ones.
static void setBounds(const pbdrSolve* solve, double share)
{
    const pbdrItems* items = &solve->world->candidates.items;
    const double* g = pbdrGetColumn(items, ITEM_STATE + 4 * solve->state);
    const double* weights = pbdrGetColumn(items, ITEM_WEIGHT);
    double* bounds = pbdrGetColumn(items, ITEM_BOUND);
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrPatchLaw* law = &solve->activePatches[k].law;
        for (int i = law->first; i < law->first + law->count; i++) {
            double bound = law->mu * fmax(0.0, -law->k * weights[i] * g[i]);
            bounds[i] = share == 1.0 ? bound : share * bound + (1.0 - share) * bounds[i];
        }
        for (int i = law->first + law->count; i < law->first + solve->activePatches[k].padded; i++) {
            bounds[i] = 0.0;
        }
    }
}

// With bounds that do not move the forces are those of a convex energy, and Newton's method with a line
// search cannot fail. The bounds then follow the normal forces; where they settle, the whole is solved. Where
// they do not, the last state is one that could be: no force pulls, none pushes bodies apart by more than
// their overlap, friction opposes slip.
static bool solveFrozen(pbdrSolve* solve)
{
    startAnew(solve, true);
    setBounds(solve, 1.0);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        setFrozen(solve, true);
        start(solve);
        solve->writes = false;
        pbdrIterate(solve, true, PBDR_MAX_STEPS / 2);
        solve->writes = true;
        setBounds(solve, round < 3 ? 1.0 : 0.5);
        setFrozen(solve, false);
        start(solve);
        if (round % 2 == 1 || solve->residual <= PBDR_UPDATE_AT * solve->size) {
            pbdrTwist* y = solve->world->keptSteps.items;
            for (int k = 0; k < solve->moverCount; k++) {
                y[2 * k] = solve->movers[k].y;
                y[2 * k + 1] = solve->movers[k].lag;
            }
            if (pbdrIterate(solve, true, PBDR_PATIENCE)) {
                return true;
            }
            for (int k = 0; k < solve->moverCount; k++) {
                solve->movers[k].y = y[2 * k];
                solve->movers[k].lag = y[2 * k + 1];
            }
        }
    }
    setFrozen(solve, true);
    start(solve);
    pbdrIterate(solve, true, PBDR_MAX_STEPS / 2);
    return false;
}

// --- The linear system ---

static void markTouches(const pbdrSolve* solve, unsigned char* touches)
{
    size_t n = (size_t)solve->moverCount;
    memset(touches, 0, n * n);
    for (int k = 0; k < solve->activePatchCount; k++) {
        int a = solve->activePatches[k].moverA, b = solve->activePatches[k].moverB;
        if (a >= 0 && b >= 0) {
            touches[(size_t)a * n + (size_t)b] = touches[(size_t)b * n + (size_t)a] = 1;
        }
    }
}

// Puts the movers into an order that fills little.
static void orderMovers(pbdrSolve* solve, unsigned char* touches)
{
    pbdrXpbdrWorld* world = solve->world;
    int* order = world->rowOrder.items;
    pbdrOrderRows(solve->moverCount, touches, order);
    // order[k] is to come k-th: by swaps, following what was swapped before
    for (int k = 0; k < solve->moverCount; k++) {
        int from = order[k];
        while (from < k) {
            from = order[from];
        }
        pbdrMover mover = solve->movers[k];
        solve->movers[k] = solve->movers[from];
        solve->movers[from] = mover;
        order[k] = from;
    }
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrGetXpbdrBody(world, solve->movers[k].body)->mover = k;
    }
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
        active->moverA = active->moverA >= 0 ? pbdrGetXpbdrBody(world, patch->bodyA)->mover : -1;
        active->moverB = active->moverB >= 0 ? pbdrGetXpbdrBody(world, patch->bodyB)->mover : -1;
    }
}

// Finds where the blocks of the island's system stand. False without memory.
static bool planSystem(pbdrSolve* solve)
{
    pbdrXpbdrWorld* world = solve->world;
    unsigned char* touches = world->blockTouches.items;
    if (solve->moverCount > 2) {
        markTouches(solve, touches);
        orderMovers(solve, touches);
    }
    markTouches(solve, touches);
    solve->blockCount = pbdrPlanBlocks(solve->moverCount, touches, world->blockPlaces.items);
    return pbdrListReserve(&world->scene->memory, &world->blocks, solve->blockCount);
}

// --- The solve ---

// How smooth this substep was, for the start of the next.
static void noteSteps(const pbdrSolve* solve)
{
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrGetXpbdrBody(solve->world, solve->movers[k].body)->lastStepCount = solve->newSteps;
    }
}

// Which items touched before this substep: finish tells new contacts from old ones.
static void noteTouched(const pbdrSolve* solve)
{
    const pbdrItems* items = &solve->world->candidates.items;
    for (int k = 0; k < solve->activePatchCount; k++) {
        size_t first = (size_t)solve->activePatches[k].law.first,
               count = (size_t)solve->activePatches[k].padded;
        memcpy(pbdrGetColumn(items, ITEM_BEFORE) + first, pbdrGetColumn(items, ITEM_TOUCHED) + first,
               count * sizeof(double));
    }
}

// Y from nothing, as when bodies are first set down: they sink into springs that bear no load yet, and
// contacts that stick would take that for motion and keep a friction that nothing calls for (Test 7: 0.7 N
// upwards at the rod). So the normal forces alone are solved first.
static void loadSprings(pbdrSolve* solve)
{
    for (int k = 0; k < solve->moverCount; k++) {
        for (int i = 0; i < 6; i++) {
            if (pbdrGetXpbdrBody(solve->world, solve->movers[k].body)->lag[i] != 0.0) {
                return;
            }
        }
    }
    for (int k = 0; k < solve->activePatchCount; k++) {
        solve->activePatches[k].law.mu = 0.0;
    }
    solve->writes = false;
    bool good = pbdrIterate(solve, true, PBDR_MAX_STEPS / 2);
    solve->writes = true;
    for (int k = 0; k < solve->activePatchCount; k++) {
        solve->activePatches[k].law.mu = solve->activePatches[k].mu;
    }
    if (good) {
        for (int k = 0; k < solve->moverCount; k++) {
            memcpy(solve->movers[k].y.v, pbdrGetXpbdrBody(solve->world, solve->movers[k].body)->lastStep,
                   sizeof solve->movers[k].y.v);
        }
        start(solve);
    } else {
        startWarm(solve);
    }
}

// Forgets Y. Whether there was any.
static bool dropLoads(const pbdrSolve* solve)
{
    bool had = false;
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrXpbdrBody* body = pbdrGetXpbdrBody(solve->world, solve->movers[k].body);
        for (int i = 0; i < 6; i++) {
            had = had || body->lag[i] != 0.0;
            body->lag[i] = 0.0;
        }
    }
    return had;
}

int pbdrSolveIsland(pbdrXpbdrWorld* world, const pbdrIsland* island)
{
    pbdrSolve solve = {
        .world = world,
        .movers = (pbdrMover*)world->movers.items + island->firstMover,
        .moverCount = island->moverCount,
        .activePatches = (pbdrActivePatch*)world->activePatches.items + island->firstActivePatch,
        .activePatchCount = island->activePatchCount,
        .perStep = 1.0 / (world->scene->timeStep * world->scene->timeStep),
        .writes = true,
    };
    if (!planSystem(&solve)) {
        world->scene->flags |= pbdr_stepPairsFull;
        for (int k = 0; k < solve.moverCount; k++) {
            solve.movers[k].y = pbdrStill; // they go on as they are
        }
        return 0;
    }
    noteTouched(&solve);
    startWarm(&solve);
    loadSprings(&solve);
    bool solved = pbdrIterate(&solve, true, PBDR_MAX_STEPS);
    if (solved && solve.rest > LEFT_OVER && dropLoads(&solve)) {
        // Y that has little to do with this substep: once more from nothing
        startAnew(&solve, false);
        loadSprings(&solve);
        solved = pbdrIterate(&solve, true, PBDR_MAX_STEPS);
    }
    if (solved) {
        noteSteps(&solve);
        return solve.rest <= LEFT_OVER ? solve.steps : -solve.steps;
    }
    solve.newSteps = 2; // not smooth
    noteSteps(&solve);
    // softened, solved, hardened, on
    PBDR_COUNT(world->scene, restartCount);
    setStiffness(&solve, SOFTER);
    startAnew(&solve, true);
    solve.writes = false;
    bool softened = pbdrIterate(&solve, true, PBDR_MAX_STEPS / 2);
    solve.writes = true;
    setStiffness(&solve, 1.0 / SOFTER);
    start(&solve);
    if (pbdrIterate(&solve, true, PBDR_MAX_STEPS / 2)) {
        return solve.steps;
    }
    // full steps
    for (int warm = 0; warm < 2; warm++) {
        PBDR_COUNT(world->scene, restartCount);
        startAnew(&solve, warm != 0);
        if (pbdrIterate(&solve, false, PBDR_MAX_STEPS / 2)) {
            return solve.steps;
        }
    }
    // softened for this substep: the multipliers still take gaps and slips out
    if (softened) {
        PBDR_COUNT(world->scene, restartCount);
        setStiffness(&solve, SOFTER);
        startAnew(&solve, true);
        bool good = pbdrIterate(&solve, true, PBDR_MAX_STEPS / 2);
        pbdrFinishIsland(&solve);
        setStiffness(&solve, 1.0 / SOFTER);
        if (good) {
            return solve.steps;
        }
    }
    bool good = solveFrozen(&solve);
    pbdrFinishIsland(&solve);
    setFrozen(&solve, false);
    return good ? solve.steps : -solve.steps;
}
