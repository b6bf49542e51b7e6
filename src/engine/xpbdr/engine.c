// XPBD-R's table and its substep.
#include "engine/engine.h"
#include "engine/xpbdr/island.h"
#include "engine/xpbdr/kernels.h"
#include "engine/xpbdr/sweep.h"
#include "engine/xpbdr/system.h"

#include "scene/bytes.h"
#include "scene/profile.h"

#include <stdlib.h>

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

static void* create(pbdrScene* scene)
{
    pbdrXpbdrWorld* world = pbdrTakeMemory(&scene->memory, 1, sizeof *world);
    pbdrSystem* system = pbdrTakeMemory(&scene->memory, 1, sizeof *system);
    if (world == NULL || system == NULL) {
        pbdrGiveMemory(&scene->memory, world, 1, sizeof *world);
        pbdrGiveMemory(&scene->memory, system, 1, sizeof *system);
        return NULL;
    }
    world->system = system;
    pbdrInitSystem(system);
    world->scene = scene;
    world->kernels = chooseKernels(scene->simd);
    pbdrInitCandidates(&world->candidates, scene, true, ITEM_COLUMNS);
    world->candidates.windows = true;
    world->bodies.itemSize = sizeof(pbdrXpbdrBody);
    world->parents.itemSize = sizeof(int32_t);
    world->movers.itemSize = sizeof(pbdrMover);
    world->activePatches.itemSize = sizeof(pbdrActivePatch);
    world->islands.itemSize = sizeof(pbdrIsland);
    world->sweepRows.itemSize = sizeof(pbdrSweepRow);
    world->sweepBodies.itemSize = sizeof(pbdrSweepBody);
    return world;
}

static void destroy(void* engine)
{
    pbdrXpbdrWorld* world = engine;
    pbdrMemory* memory = &world->scene->memory;
    pbdrFreeCandidates(&world->candidates);
    pbdrList* lists[] = {&world->bodies,  &world->parents,   &world->movers,     &world->activePatches,
                         &world->islands, &world->sweepRows, &world->sweepBodies};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        pbdrListFree(memory, lists[k]);
    }
    pbdrFreeSystem(memory, world->system);
    pbdrGiveMemory(memory, world->system, 1, sizeof *world->system);
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
    own->centreLeft = own->velocityLeft = pbdrVec(0.0, 0.0, 0.0);
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

static void solveIslands(pbdrXpbdrWorld* world)
{
    const pbdrIsland* islands = world->islands.items;
    pbdrMover* movers = world->movers.items;
    for (int k = 0; k < world->islands.count; k++) {
        const pbdrIsland* island = &islands[k];
        int steps = 0;
        if (island->activePatchCount > 0) {
            steps = pbdrSolveIsland(world, island);
            world->scene->flags |= steps < 0 ? pbdr_stepNotConverged : 0;
            PBDR_COUNT_BY(world->scene, newtonSteps.sum, abs(steps));
        }
        // bodies that bear on each other move alike, or the difference would drive them in
        double fresh = 0.0, old = 0.0;
        for (int i = island->firstMover; i < island->firstMover + island->moverCount; i++) {
            fresh = movers[i].loaded ? fmin(fresh, movers[i].drivenFresh) : fresh;
            old = movers[i].loaded ? fmin(old, movers[i].drivenOld) : old;
        }
        for (int i = island->firstMover; i < island->firstMover + island->moverCount; i++) {
            movers[i].drivenFresh = fresh;
            movers[i].drivenOld = old;
        }
        for (int i = island->firstMover; i < island->firstMover + island->moverCount; i++) {
            pbdrMover* mover = &movers[i];
            pbdrBody* body = pbdrGetBody(world->scene, mover->body);
            if (island->activePatchCount == 0) {
                mover->y = pbdrGetFreeAcceleration(body, mover);
                for (int j = 0; j < 6; j++) {
                    mover->y.v[j] *= world->scene->timeStep * world->scene->timeStep;
                }
            }
        }
    }
}

static void step(void* engine)
{
    pbdrXpbdrWorld* world = engine;
    pbdrScene* scene = world->scene;
    scene->residual = 0.0;
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
    pbdrEndStage(scene, pbdr_rowMove);
}

// Multipliers are lengths that go with dt^2, factors hold M/dt^2.
static void rescale(void* engine, double ratio)
{
    pbdrXpbdrWorld* world = engine;
    double scale = ratio * ratio;
    for (int index = 0; index < world->bodies.count; index++) {
        pbdrXpbdrBody* own = pbdrGetXpbdrBody(world, index);
        own->hasFactors = false;
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
    pbdrVec3 centreLeft, velocityLeft;
    double lastStep[6];
    int32_t hasFactors, hasLastStep;
    int32_t pivots[6];
    double factors[6][6];
} BodyState;

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
                           .hasLastStep = own->hasLastStep,
                           .centreLeft = own->centreLeft,
                           .velocityLeft = own->velocityLeft};
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
        own->hasLastStep = state.hasLastStep != 0;
        own->centreLeft = state.centreLeft;
        own->velocityLeft = state.velocityLeft;
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
    .getMomentum = getMomentum,
    .getPositions = getPositions,
    .step = step,
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
