// Creation, settings, memory, look-up.
#include "solver/candidates.h"
#include "solver/kernels.h"
#include "solver/stages.h"
#include "solver/xpbdr_island.h"
#include "world/definition.h"

#include <limits.h>
#include <string.h>

// --- Memory, counted ---

void* pbdrWorldAllocate(pbdrWorld* world, size_t count, size_t itemSize)
{
    void* memory = pbdrAllocate(&world->hooks, count, itemSize);
    world->byteCount += memory != NULL ? count * itemSize : 0;
    return memory;
}

void pbdrWorldRelease(pbdrWorld* world, void* memory, size_t count, size_t itemSize)
{
    world->byteCount -= memory != NULL ? count * itemSize : 0;
    pbdrRelease(&world->hooks, memory, count, itemSize);
}

bool pbdrListReserve(pbdrWorld* world, pbdrList* list, int capacity)
{
    if (capacity <= list->capacity) {
        return true;
    }
    void* grown = pbdrWorldAllocate(world, (size_t)capacity, list->itemSize);
    if (grown == NULL) {
        return false;
    }
    if (list->count > 0) {
        memcpy(grown, list->items, (size_t)list->count * list->itemSize);
    }
    pbdrWorldRelease(world, list->items, (size_t)list->capacity, list->itemSize);
    list->items = grown;
    list->capacity = capacity;
    return true;
}

void pbdrListFree(pbdrWorld* world, pbdrList* list)
{
    pbdrWorldRelease(world, list->items, (size_t)list->capacity, list->itemSize);
    list->items = NULL;
    list->count = list->capacity = 0;
}

void* pbdrListPush(pbdrWorld* world, pbdrList* list)
{
    if (list->count == list->capacity) {
        int larger = list->capacity < 8 ? 8 : (list->capacity < INT_MAX / 2 ? 2 * list->capacity : INT_MAX);
        if (list->capacity == INT_MAX || !pbdrListReserve(world, list, larger)) {
            return NULL;
        }
    }
    char* item = (char*)list->items + (size_t)list->count++ * list->itemSize;
    memset(item, 0, list->itemSize);
    return item;
}

bool pbdrListResetTo(pbdrWorld* world, pbdrList* list, int count)
{
    list->count = 0;
    if (!pbdrListReserve(world, list, count)) {
        return false;
    }
    if (count > 0) {
        memset(list->items, 0, (size_t)count * list->itemSize);
    }
    list->count = count;
    return true;
}

// --- Creation ---

bool pbdrIsSimdSupported(pbdrSimd simd)
{
#if defined(PBDR_HAVE_AVX2)
    if (simd == pbdr_simdAvx2) {
        return __builtin_cpu_supports("avx2") != 0;
    }
#endif
    return simd == pbdr_simdAuto || simd == pbdr_simdScalar;
}

static const pbdrStages* chooseStages(pbdrPrecision precision, pbdrSimd simd)
{
    bool f32 = precision == pbdr_precisionF32;
#if defined(PBDR_HAVE_AVX2)
    if (simd == pbdr_simdAvx2) {
        return f32 ? &pbdrStages_f32_avx2 : &pbdrStages_f64_avx2;
    }
#endif
    (void)simd;
    return f32 ? &pbdrStages_f32_scalar : &pbdrStages_f64_scalar;
}

static const pbdrKernels* chooseKernels(pbdrSimd simd)
{
#if defined(PBDR_HAVE_AVX2)
    if (simd == pbdr_simdAvx2) {
        return &pbdrKernels_avx2;
    }
#endif
    (void)simd;
    return &pbdrKernels_scalar;
}

static pbdrEngine chooseEngine(const pbdrWorldDef* def)
{
    if (def->solver == pbdr_solverXpbdR) {
        return pbdr_engineReduced;
    }
    if (def->engine != pbdr_engineAuto) {
        return def->engine;
    }
    bool rounds = def->precision == pbdr_precisionF32 || def->ablation != 0;
    return def->solver == pbdr_solverPbdR && !rounds ? pbdr_engineReduced : pbdr_engineParticle;
}

static void setItemSizes(pbdrWorld* world)
{
    world->bodies.itemSize = sizeof(pbdrBody);
    world->planes.itemSize = sizeof(pbdrPlane);
    world->planeTouches.itemSize = sizeof(pbdrPlaneTouch);
    world->pairs.itemSize = sizeof(pbdrPair);
    world->patches.itemSize = sizeof(pbdrPatch);
    world->lastPatches.itemSize = sizeof(pbdrPatch);
    world->foundItems.itemSize = 4 * sizeof(int32_t); // candidates.c's Found
    world->nearest[0].itemSize = world->nearest[1].itemSize = sizeof(int32_t);
    world->parents.itemSize = sizeof(int32_t);
    world->movers.itemSize = sizeof(pbdrMover);
    world->touchings.itemSize = sizeof(pbdrTouching);
    world->islands.itemSize = sizeof(pbdrIsland);
    world->blocks.itemSize = sizeof(pbdrBlock6);
    world->blockTouches.itemSize = sizeof(uint8_t);
    world->blockPlaces.itemSize = sizeof(int32_t);
    world->rowOrder.itemSize = sizeof(int);
    world->blockSides.itemSize = sizeof(double[6]);
    world->keptSteps.itemSize = sizeof(pbdrTwist);
    world->foundPairs.itemSize = sizeof(pbdrPair);
    world->boxes.itemSize = sizeof(pbdrBox);
    world->marks.itemSize = sizeof(uint8_t);
    world->gridEntries.itemSize = sizeof(pbdrGridEntry);
    world->gridStarts.itemSize = sizeof(int32_t);
}

pbdrStatus pbdrCreateWorld(const pbdrWorldDef* def, pbdrWorld** result, pbdrError* error)
{
    if (result == NULL) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "world: no place for the result");
    }
    *result = NULL;
    pbdrStatus status = pbdrCheckWorldDef(def, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (!pbdrIsSimdSupported(def->simd)) {
        return pbdrFail(error, pbdr_statusNotSupported, "simd: this build or this CPU has no AVX2");
    }
    pbdrWorld* world = pbdrAllocate(&def->hooks, 1, sizeof *world);
    if (world == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "world: out of memory");
    }
    world->hooks = def->hooks;
    world->byteCount = sizeof *world;
    world->gravity = def->gravity;
    world->precision = def->precision;
    world->solver = def->solver;
    world->ablation = def->ablation;
    world->timeStep = def->timeStep;
    world->iterations = def->iterations;
    world->relaxation = def->relaxation;
    world->mixing = def->mixing;
    world->simd = def->simd;
    if (def->simd == pbdr_simdAuto) {
        world->simd = pbdrIsSimdSupported(pbdr_simdAvx2) ? pbdr_simdAvx2 : pbdr_simdScalar;
    }
    world->maxPairCount = def->maxPairCount;
    world->engine = chooseEngine(def);
    world->kernels = chooseKernels(world->simd);
    world->stages =
        pbdrHasParticles(world) ? chooseStages(world->precision, world->simd) : &pbdrStages_reduced;
    setItemSizes(world);
    *result = world;
    return pbdr_statusOk;
}

void pbdrDestroyWorld(pbdrWorld* world)
{
    if (world == NULL) {
        return;
    }
    for (int index = 0; index < world->bodies.count; index++) {
        pbdrFreeTree(world, pbdrGetBody(world, index));
    }
    pbdrFreeParticles(world);
    pbdrFreeItems(world, &world->items);
    pbdrFreeItems(world, &world->lastItems);
    pbdrWorldRelease(world, world->planeSlots, world->planeSlotCount, sizeof *world->planeSlots);
    pbdrList* lists[] = {&world->bodies,      &world->planes,      &world->planeTouches, &world->pairs,
                         &world->patches,     &world->lastPatches, &world->foundItems,   &world->foundPairs,
                         &world->nearest[0],  &world->nearest[1],  &world->parents,      &world->movers,
                         &world->touchings,   &world->islands,     &world->blocks,       &world->blockTouches,
                         &world->blockPlaces, &world->rowOrder,    &world->blockSides,   &world->keptSteps,
                         &world->boxes,       &world->marks,       &world->gridEntries,  &world->gridStarts};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        pbdrListFree(world, lists[k]);
    }
    pbdrHooks hooks = world->hooks;
    pbdrRelease(&hooks, world, 1, sizeof *world);
}

// --- Settings ---

pbdrStatus pbdrWorld_SetGravity(pbdrWorld* world, pbdrVec3 gravity)
{
    pbdrStatus status = pbdrCheckVec(gravity, "gravity", NULL);
    if (status == pbdr_statusOk) {
        world->gravity = gravity;
    }
    return status;
}

pbdrVec3 pbdrWorld_GetGravity(const pbdrWorld* world)
{
    return world->gravity;
}

pbdrStatus pbdrWorld_SetTimeStep(pbdrWorld* world, double timeStep)
{
    pbdrStatus status = pbdrCheckTimeStep(timeStep, NULL);
    if (status == pbdr_statusOk) {
        // XPBD-R's multipliers are lengths that go with dt^2, its factors hold M/dt^2
        double scale = timeStep / world->timeStep * (timeStep / world->timeStep);
        world->timeStep = timeStep;
        for (int index = 0; index < world->bodies.count; index++) {
            pbdrBody* body = pbdrGetBody(world, index);
            body->hasFactors = false;
            for (int k = 0; k < 6; k++) {
                body->lag[k] *= scale;
                body->lastStep[k] *= scale;
            }
        }
    }
    return status;
}

double pbdrWorld_GetTimeStep(const pbdrWorld* world)
{
    return world->timeStep;
}

pbdrStatus pbdrWorld_SetIterations(pbdrWorld* world, int iterations)
{
    pbdrStatus status = pbdrCheckIterations(iterations, NULL);
    if (status == pbdr_statusOk) {
        world->iterations = iterations;
    }
    return status;
}

int pbdrWorld_GetIterations(const pbdrWorld* world)
{
    return world->iterations;
}

pbdrStatus pbdrWorld_SetRelaxation(pbdrWorld* world, double relaxation)
{
    pbdrStatus status = pbdrCheckRelaxation(relaxation, NULL);
    if (status == pbdr_statusOk) {
        world->relaxation = relaxation;
    }
    return status;
}

double pbdrWorld_GetRelaxation(const pbdrWorld* world)
{
    return world->relaxation;
}

pbdrEngine pbdrWorld_GetEngine(const pbdrWorld* world)
{
    return world->engine;
}

pbdrSimd pbdrWorld_GetSimd(const pbdrWorld* world)
{
    return world->simd;
}

size_t pbdrWorld_GetByteCount(const pbdrWorld* world)
{
    return world->byteCount;
}

uint64_t pbdrWorld_GetSubstepCount(const pbdrWorld* world)
{
    return world->substepCount;
}
