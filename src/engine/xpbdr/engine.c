// XPBD-R's table and its substep.
#include "engine/engine.h"
#include "engine/xpbdr/island.h"
#include "engine/xpbdr/kernels.h"
#include "engine/xpbdr/mechanism.h"
#include "engine/xpbdr/sweep.h"
#include "tasks/tasks.h"

#include "scene/bytes.h"
#include "scene/profile.h"

static const pbdrKernels* chooseKernels(pbdrSimd simd)
{
#if defined(PBDR_HAVE_AVX2)
    if (simd == pbdr_simdAvx2) {
        return &pbdrKernels_avx2;
    }
#elif defined(PBDR_HAVE_NEON)
    if (simd == pbdr_simdNeon) {
        return &pbdrKernels_neon;
    }
#endif
    (void)simd;
    return &pbdrKernels_scalar;
}

// --- Creation ---

// A worker's lists, and memory that he counts for himself.
static void initWorker(const pbdrScene* scene, pbdrXpbdrWorker* worker)
{
    worker->memory = (pbdrMemory){scene->memory.hooks, 0};
    pbdrInitSystem(&worker->system);
    worker->sweepRows.itemSize = sizeof(pbdrSweepRow);
    worker->sweepGroups.itemSize = sizeof(pbdrSweepGroup);
    worker->sweepMotions.itemSize = sizeof(pbdrSweepMotion);
    worker->sweepSaved.itemSize = sizeof(pbdrSweepForce);
    worker->sweepLines.itemSize = sizeof(pbdrSweepLine);
    worker->sweepColours.itemSize = PBDR_SWEEP_KINDS * sizeof(uint64_t);
    worker->sweepPicks.itemSize = sizeof(pbdrSweepPick);
    worker->sweepDeepest.itemSize = worker->sweepOrder.itemSize = sizeof(int32_t);
    worker->frictions.itemSize = sizeof(pbdrVec3);
    worker->links.itemSize = sizeof(pbdrLink);
}

static void* create(pbdrScene* scene)
{
    const size_t workerCount = (size_t)pbdrCountWorkers(scene->tasks);
    pbdrXpbdrWorld* world = pbdrTakeMemory(&scene->memory, 1, sizeof *world);
    pbdrXpbdrWorker* workers = pbdrTakeMemory(&scene->memory, workerCount, sizeof *workers);
    if (world == NULL || workers == NULL) {
        pbdrGiveMemory(&scene->memory, world, 1, sizeof *world);
        pbdrGiveMemory(&scene->memory, workers, workerCount, sizeof *workers);
        return NULL;
    }
    for (size_t k = 0; k < workerCount; k++) {
        initWorker(scene, &workers[k]);
    }
    world->workers = workers;
    world->scene = scene;
    world->kernels = chooseKernels(scene->simd);
    pbdrInitCandidates(&world->candidates, scene, true, ITEM_COLUMNS);
    world->candidates.windows = true;
    world->bodies.itemSize = sizeof(pbdrXpbdrBody);
    world->parents.itemSize = sizeof(int32_t);
    world->movers.itemSize = sizeof(pbdrMover);
    world->activePatches.itemSize = sizeof(pbdrActivePatch);
    world->activeJoints.itemSize = sizeof(pbdrActiveJoint);
    world->activeGears.itemSize = sizeof(pbdrActiveGear);
    world->islands.itemSize = sizeof(pbdrIsland);
    return world;
}

static void destroy(void* engine)
{
    pbdrXpbdrWorld* world = engine;
    pbdrMemory* memory = &world->scene->memory;
    const size_t workerCount = (size_t)pbdrCountWorkers(world->scene->tasks);
    pbdrFreeCandidates(&world->candidates);
    pbdrList* lists[] = {&world->bodies,       &world->parents,     &world->movers, &world->activePatches,
                         &world->activeJoints, &world->activeGears, &world->islands};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        pbdrListFree(memory, lists[k]);
    }
    for (size_t k = 0; k < workerCount; k++) {
        pbdrXpbdrWorker* worker = &world->workers[k];
        pbdrFreeSystem(&worker->memory, &worker->system);
        pbdrList* sweepLists[] = {&worker->sweepRows,  &worker->sweepGroups,  &worker->sweepMotions,
                                  &worker->sweepSaved, &worker->sweepLines,   &worker->sweepColours,
                                  &worker->sweepPicks, &worker->sweepDeepest, &worker->sweepOrder,
                                  &worker->frictions,  &worker->links};
        for (size_t i = 0; i < sizeof sweepLists / sizeof sweepLists[0]; i++) {
            pbdrListFree(&worker->memory, sweepLists[i]);
        }
    }
    pbdrGiveMemory(memory, world->workers, workerCount, sizeof *world->workers);
    pbdrGiveMemory(memory, world, 1, sizeof *world);
}

static bool addBody(void* engine, int index, const pbdrShape* shape)
{
    pbdrXpbdrWorld* world = engine;
    (void)shape;
    if (!pbdrListExtend(&world->scene->memory, &world->bodies, index + 1) ||
        !pbdrExtendCandidates(&world->candidates, index + 1)) {
        return false;
    }
    *pbdrGetXpbdrBody(world, index) = (pbdrXpbdrBody){.hasFactors = false};
    return true;
}

// --- Motion ---

static void place(void* engine, int index, pbdrVec3 centre, pbdrVelocity velocity)
{
    pbdrXpbdrWorld* world = engine;
    pbdrXpbdrBody* own = pbdrGetXpbdrBody(world, index);
    own->centreLeft = own->velocityLeft = own->turnLeft = pbdrVec(0.0, 0.0, 0.0);
    pbdrPlaceBody(pbdrGetBody(world->scene, index), centre, velocity);
}

static pbdrPose getPose(const void* engine, int index)
{
    const pbdrBody* body = pbdrGetBody(((const pbdrXpbdrWorld*)engine)->scene, index);
    return (pbdrPose){body->centre, body->rotation};
}

static pbdrVelocity getVelocity(const void* engine, int index)
{
    const pbdrBody* body = pbdrGetBody(((const pbdrXpbdrWorld*)engine)->scene, index);
    return (pbdrVelocity){body->velocity, body->angular};
}

static pbdrMomentum getMomentum(const void* engine, int index)
{
    return pbdrGetRigidMomentum(pbdrGetBody(((const pbdrXpbdrWorld*)engine)->scene, index));
}

static int getPositions(const void* engine, int index, pbdrVec3* buffer, int capacity)
{
    return pbdrGetSpherePositions(pbdrGetBody(((const pbdrXpbdrWorld*)engine)->scene, index), buffer,
                                  capacity);
}

// --- The substep ---

// The task of an island: nothing of it is another's.
static void solveTask(void* data, int index, int worker)
{
    pbdrXpbdrWorld* world = data;
    pbdrIsland* island = (pbdrIsland*)world->islands.items + index;
    pbdrMover* movers = (pbdrMover*)world->movers.items + island->firstMover;
    if (island->solved) {
        return;
    }
    if (island->jointCount > 0 && pbdrMoveMechanism(world, &world->workers[worker], island)) {
        return;
    }
    if (island->activePatchCount > 0) {
        pbdrSolveIsland(world, &world->workers[worker], island);
    }
    // bodies that bear on each other move alike, or the difference would drive them in
    double fresh = 0.0, old = 0.0, opened = 0.0;
    bool pushed = false;
    for (int i = 0; i < island->moverCount; i++) {
        fresh = movers[i].loaded ? pbdrMin(fresh, movers[i].drivenFresh) : fresh;
        old = movers[i].loaded ? pbdrMin(old, movers[i].drivenOld) : old;
        opened = movers[i].loaded ? pbdrMax(opened, movers[i].opened) : opened;
        pushed = pushed || movers[i].pushed;
    }
    const double square = world->scene->timeStep * world->scene->timeStep;
    for (int i = 0; i < island->moverCount; i++) {
        movers[i].drivenFresh = fresh;
        movers[i].drivenOld = old;
        movers[i].opened = opened;
        movers[i].pushed = pushed;
        if (island->activePatchCount == 0) {
            const pbdrTwist free =
                pbdrGetFreeAcceleration(pbdrGetBody(world->scene, movers[i].body), &movers[i]);
            movers[i].y = pbdrScaleTwist(square, &free);
        }
    }
}

// What islands and workers have to say, in the order of islands.
static void gather(pbdrXpbdrWorld* world)
{
    pbdrScene* scene = world->scene;
    const pbdrIsland* islands = world->islands.items;
    for (int k = 0; k < world->islands.count; k++) {
        scene->flags |= islands[k].flags;
        scene->residual = pbdrMax(scene->residual, islands[k].residual);
        PBDR_COUNT_BY(scene, newtonSteps.sum, islands[k].stepCount);
        PBDR_COUNT_BY(scene, multiplierUpdateCount, islands[k].updateCount);
        PBDR_COUNT_BY(scene, sweepCount, islands[k].sweepCount);
    }
    for (int k = 0; k < pbdrCountWorkers(scene->tasks); k++) {
        pbdrXpbdrWorker* worker = &world->workers[k];
        scene->memory.byteCount += worker->memory.byteCount - worker->counted;
        worker->counted = worker->memory.byteCount;
    }
}

// An island that would keep one thread busy after all others are done is solved by all of them, before the others.
static bool isWide(const pbdrXpbdrWorld* world, const pbdrIsland* island)
{
    const int workerCount = pbdrCountWorkers(world->scene->tasks);
    return workerCount > 1 && island->jointCount == 0 && island->moverCount > PBDR_MEDIUM_ISLAND &&
           island->activePatchCount >= PBDR_WIDE_ISLAND &&
           island->activePatchCount > world->activePatches.count / workerCount;
}

static void solveIslands(pbdrXpbdrWorld* world)
{
    pbdrIsland* islands = world->islands.items;
    const bool alone = world->candidates.items.window != NULL; // there is one window
    for (int k = 0; k < world->islands.count; k++) {
        islands[k].wide = isWide(world, &islands[k]);
        if (islands[k].wide || alone) {
            solveTask(world, k, 0);
            islands[k].solved = true;
        }
    }
    if (!alone) {
        pbdrRunTasks(world->scene->tasks, world->islands.count, solveTask, world);
    }
    gather(world);
}

static void step(void* engine)
{
    pbdrXpbdrWorld* world = engine;
    pbdrScene* scene = world->scene;
    scene->residual = 0.0;
    if (scene->sleeping && pbdrIsAllAsleep(world)) {
        world->islands.count = 0;
        scene->flags |= world->candidates.full ? pbdr_stepPairsFull : 0;
        return;
    }
    pbdrUpdateCandidates(&world->candidates);
    pbdrEndStage(scene, pbdr_rowCandidates);
    bool good = pbdrMakeIslands(world);
    pbdrEndStage(scene, pbdr_rowIslands);
    if (!good) {
        scene->flags |= pbdr_stepPairsFull;
        return;
    }
    solveIslands(world);
    pbdrEndStage(scene, pbdr_rowSolve);
    pbdrMoveBodies(world);
    if (scene->jointCount > 0) {
        pbdrCloseJoints(world, &world->workers[0]);
    }
    if (scene->sleeping) {
        pbdrRestIslands(world);
    }
    pbdrEndStage(scene, pbdr_rowMove);
}

// Multipliers are lengths that go with dt^2, factors hold M/dt^2.
static void rescale(void* engine, double ratio)
{
    pbdrXpbdrWorld* world = engine;
    double scale = ratio * ratio;
    for (int index = 0; index < world->bodies.count; index++) {
        pbdrXpbdrBody* own = pbdrGetXpbdrBody(world, index);
        own->hasFactors = own->kicked = false;
        for (int k = 0; k < 6; k++) {
            own->lastStep[k] *= scale;
        }
    }
}

// --- Contacts ---

static int visitContacts(const void* engine, pbdrContactVisit visit, void* context)
{
    return pbdrVisitContacts(&((const pbdrXpbdrWorld*)engine)->candidates, visit, context);
}

static void forgetContacts(void* engine)
{
    pbdrXpbdrWorld* world = engine;
    pbdrForgetCandidates(&world->candidates);
    pbdrWakeAll(world->scene);
    for (int index = 0; index < world->bodies.count; index++) {
        *pbdrGetXpbdrBody(world, index) = (pbdrXpbdrBody){.hasFactors = false};
    }
}

static int countCandidates(const void* engine)
{
    return pbdrCountCandidates(&((const pbdrXpbdrWorld*)engine)->candidates);
}

static int countIslands(const void* engine)
{
    const pbdrXpbdrWorld* world = engine;
    const pbdrIsland* islands = world->islands.items;
    int count = 0;
    for (int k = 0; k < world->islands.count; k++) {
        count += islands[k].activePatchCount > 0;
    }
    return count;
}

// --- State ---

// Of a body.
typedef struct BodyState {
    pbdrVec3 centreLeft, velocityLeft, turnLeft;
    double lastStep[6];
    int32_t hasFactors, hasLastStep, swept, failures;
    int32_t pivots[6];
    double factors[6][6];
} BodyState;

// In hasLastStep: it is joints' kick.
#define KICKED 2

static size_t getBodiesSize(const pbdrXpbdrWorld* world)
{
    return (size_t)world->bodies.count * sizeof(BodyState);
}

static size_t getStateSize(const void* engine)
{
    const pbdrXpbdrWorld* world = engine;
    return getBodiesSize(world) + pbdrGetCandidatesSize(&world->candidates);
}

static void save(const void* engine, char* bytes)
{
    const pbdrXpbdrWorld* world = engine;
    for (int index = 0; index < world->bodies.count; index++) {
        const pbdrXpbdrBody* own = pbdrGetXpbdrBody(world, index);
        BodyState state = {.hasFactors = own->hasFactors,
                           .hasLastStep = own->kicked ? KICKED : own->hasLastStep,
                           .swept = own->swept,
                           .failures = own->failures,
                           .centreLeft = own->centreLeft,
                           .velocityLeft = own->velocityLeft,
                           .turnLeft = own->turnLeft};
        memcpy(state.lastStep, own->lastStep, sizeof own->lastStep);
        memcpy(state.factors, own->factors, sizeof own->factors);
        for (int k = 0; k < 6; k++) {
            state.pivots[k] = own->pivots[k];
        }
        bytes = pbdrPutBytes(bytes, &state, sizeof state);
    }
    pbdrSaveCandidates(&world->candidates, bytes);
}

static bool isSound(const void* engine, const char* bytes, size_t size)
{
    const pbdrXpbdrWorld* world = engine;
    size_t bodies = getBodiesSize(world);
    return size >= bodies && pbdrAreCandidatesSound(&world->candidates, bytes + bodies, size - bodies);
}

static bool load(void* engine, const char* bytes, size_t size)
{
    pbdrXpbdrWorld* world = engine;
    (void)size; // isSound has seen to it
    if (!pbdrLoadCandidates(&world->candidates, bytes + getBodiesSize(world))) {
        return false;
    }
    for (int index = 0; index < world->bodies.count; index++) {
        BodyState state;
        bytes = pbdrTakeBytes(bytes, &state, sizeof state);
        pbdrXpbdrBody* own = pbdrGetXpbdrBody(world, index);
        memcpy(own->lastStep, state.lastStep, sizeof own->lastStep);
        memcpy(own->factors, state.factors, sizeof own->factors);
        own->hasFactors = state.hasFactors != 0;
        own->hasLastStep = state.hasLastStep == 1;
        own->kicked = state.hasLastStep == KICKED;
        own->swept = state.swept != 0;
        // bytes from outside are not trusted
        own->failures =
            state.failures >= PBDR_SOLVED && state.failures <= PBDR_MOST_STANDS ? state.failures : 0;
        own->centreLeft = state.centreLeft;
        own->velocityLeft = state.velocityLeft;
        own->turnLeft = state.turnLeft;
        for (int k = 0; k < 6; k++) {
            // bytes from outside are not trusted
            own->pivots[k] = state.pivots[k] >= 0 && state.pivots[k] < 6 ? state.pivots[k] : k;
        }
        own->substepSeen = 0; // not in the next substep, which it may have seen before
    }
    return true;
}

const pbdrEngineTable pbdrXpbdrEngine = {
    .create = create,
    .destroy = destroy,
    .addBody = addBody,
    .place = place,
    .getPose = getPose,
    .getVelocity = getVelocity,
    .isRigid = true,
    .getMomentum = getMomentum,
    .getPositions = getPositions,
    .step = step,
    .findAccelerations = pbdrFindAccelerations,
    .rescale = rescale,
    .visitContacts = visitContacts,
    .forgetContacts = forgetContacts,
    .countCandidates = countCandidates,
    .countIslands = countIslands,
    .getStateSize = getStateSize,
    .save = save,
    .isSound = isSound,
    .load = load,
};
