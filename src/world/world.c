// Creation, settings, profiling.
#include "world/definition.h"
#include "world/internal.h"

#include "scene/profile.h"
#include "tasks/tasks.h"

#include <stdatomic.h>
#include <string.h>

// --- Creation ---

bool pbdrIsSimdSupported(pbdrSimd simd)
{
#if defined(PBDR_HAVE_AVX2)
    if (simd == pbdr_simdAvx2) {
        return __builtin_cpu_supports("avx2") != 0;
    }
#elif defined(PBDR_HAVE_NEON)
    if (simd == pbdr_simdNeon) {
        return true;
    }
#endif
    return simd == pbdr_simdAuto || simd == pbdr_simdScalar;
}

// A number that no other world of the process has had since the counter last went round, and never 0. It is
// in the ids, so that those of another world are refused, and decides nothing else.
static uint32_t takeNumber(void)
{
    static _Atomic uint32_t lastNumber;
    uint32_t number = atomic_fetch_add(&lastNumber, 1) + 1;
    return number != 0 ? number : takeNumber();
}

pbdrStatus pbdrCreateWorld(const pbdrWorldDef* callers, pbdrWorld** result, pbdrError* error)
{
    if (result == NULL) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "world: no place for the result");
    }
    *result = NULL;
    pbdrWorldDef own;
    const pbdrWorldDef* def = &own;
    pbdrStatus status = pbdrReadWorldDef(callers, &own, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (!pbdrIsSimdSupported(def->simd)) {
        return pbdrFail(error, pbdr_statusNotSupported, "simd: this build or this CPU has no %s",
                        def->simd == pbdr_simdNeon ? "NEON" : "AVX2");
    }
    pbdrWorld* world = pbdrAllocate(&def->hooks, 1, sizeof *world);
    if (world == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "world: out of memory");
    }
    pbdrScene* scene = &world->scene;
    *scene = (pbdrScene){
        .memory = {def->hooks, sizeof *world},
        .number = takeNumber(),
        .gravity = def->gravity,
        .precision = def->precision,
        .solver = def->solver,
        .ablation = def->ablation,
        .timeStep = def->timeStep,
        .iterations = def->iterations,
        .relaxation = def->relaxation,
        .mixing = def->mixing,
        .touchesSurface = def->solver == pbdr_solverXpbdR && def->contact != pbdr_contactSpheres,
        .simd = def->simd,
        .maxPairCount = def->maxPairCount,
        .effort = def->effort,
        .tolerance = def->tolerance,
        .maxNewtonSteps = def->maxNewtonSteps,
        .sleeping = def->sleeping,
        .bodies = {.itemSize = sizeof(pbdrBody)},
        .planes = {.itemSize = sizeof(pbdrPlane)},
        .joints = {.itemSize = sizeof(pbdrJoint)},
    };
    if (def->simd == pbdr_simdAuto) {
        scene->simd = pbdrIsSimdSupported(pbdr_simdAvx2)   ? pbdr_simdAvx2
                      : pbdrIsSimdSupported(pbdr_simdNeon) ? pbdr_simdNeon
                                                           : pbdr_simdScalar;
    }
    world->hooks = def->hooks;
    world->engineKind = pbdrChooseEngine(def);
    world->engine = pbdrGetEngineTable(def);
    world->shapes.itemSize = 2 * sizeof(pbdrShape*);
    world->userData = def->userData;
    pbdrWorld_SetContactEvents(world, def->contactEvents);
    scene->tasks = pbdrMakeTasks(&scene->memory, def->threads, &def->tasks);
    if (scene->tasks == NULL) {
        pbdrRelease(&def->hooks, world, 1, sizeof *world);
        return pbdrFail(error, pbdr_statusNoMemory,
                        "world: out of memory, or the system has no more threads (%d)", def->threads);
    }
    world->engineState = world->engine->create(scene);
    if (world->engineState == NULL) {
        pbdrFreeTasks(&scene->memory, scene->tasks);
        pbdrRelease(&def->hooks, world, 1, sizeof *world);
        return pbdrFail(error, pbdr_statusNoMemory, "world: out of memory");
    }
    *result = world;
    return pbdr_statusOk;
}

void pbdrDestroyWorld(pbdrWorld* world)
{
    if (world == NULL) {
        return;
    }
    pbdrMemory* memory = &world->scene.memory;
    world->engine->destroy(world->engineState);
    pbdrFreeTasks(memory, world->scene.tasks);
    pbdrReleaseShapes(world);
    pbdrListFree(memory, &world->shapes);
    pbdrListFree(memory, &world->before);
    pbdrFreeEvents(world);
    pbdrFreeLedger(world);
    pbdrListFree(memory, &world->scene.bodies);
    pbdrListFree(memory, &world->scene.planes);
    pbdrListFree(memory, &world->scene.joints);
    pbdrHooks hooks = memory->hooks;
    pbdrRelease(&hooks, world, 1, sizeof *world);
}

// --- Settings ---

pbdrStatus pbdrWorld_SetGravity(pbdrWorld* world, pbdrVec3 gravity)
{
    pbdrStatus status = pbdrCheckVec(gravity, "gravity", NULL);
    const pbdrVec3 old = world->scene.gravity;
    if (status == pbdr_statusOk) {
        if (gravity.x != old.x || gravity.y != old.y || gravity.z != old.z) {
            pbdrWakeAll(&world->scene);
        }
        world->scene.gravity = gravity;
    }
    return status;
}

pbdrVec3 pbdrWorld_GetGravity(const pbdrWorld* world)
{
    return world->scene.gravity;
}

// Bodies reach their targets when they would have, rounded up to whole substeps of another length.
static void keepTargetTimes(pbdrWorld* world, double ratio)
{
    for (int index = 0; world->hasTargets && index < world->scene.bodies.count; index++) {
        pbdrTarget* target = &pbdrGetBody(&world->scene, index)->target;
        if (target->substeps > 0) {
            double substeps = pbdrCountSubsteps(target->substeps, ratio);
            target->substeps = (int32_t)fmin(substeps, PBDR_MAX_TARGET_SUBSTEPS);
        }
    }
}

pbdrStatus pbdrWorld_SetTimeStep(pbdrWorld* world, double timeStep)
{
    pbdrStatus status = pbdrCheckTimeStep(timeStep, NULL);
    if (status == pbdr_statusOk) {
        double ratio = timeStep / world->scene.timeStep;
        keepTargetTimes(world, ratio);
        world->scene.timeStep = timeStep;
        if (world->engine->rescale != NULL) {
            world->engine->rescale(world->engineState, ratio);
        }
    }
    return status;
}

double pbdrWorld_GetTimeStep(const pbdrWorld* world)
{
    return world->scene.timeStep;
}

pbdrStatus pbdrWorld_SetIterations(pbdrWorld* world, int iterations)
{
    pbdrStatus status = pbdrCheckIterations(iterations, NULL);
    if (status == pbdr_statusOk) {
        world->scene.iterations = iterations;
    }
    return status;
}

int pbdrWorld_GetIterations(const pbdrWorld* world)
{
    return world->scene.iterations;
}

pbdrStatus pbdrWorld_SetRelaxation(pbdrWorld* world, double relaxation)
{
    pbdrStatus status = pbdrCheckRelaxation(relaxation, NULL);
    if (status == pbdr_statusOk) {
        world->scene.relaxation = relaxation;
    }
    return status;
}

double pbdrWorld_GetRelaxation(const pbdrWorld* world)
{
    return world->scene.relaxation;
}

pbdrStatus pbdrWorld_SetEffort(pbdrWorld* world, pbdrEffort effort)
{
    pbdrStatus status = pbdrCheckEffort((int)effort, NULL);
    if (status == pbdr_statusOk) {
        world->scene.effort = effort;
    }
    return status;
}

pbdrEffort pbdrWorld_GetEffort(const pbdrWorld* world)
{
    return world->scene.effort;
}

pbdrStatus pbdrWorld_SetTolerance(pbdrWorld* world, double tolerance)
{
    pbdrStatus status = pbdrCheckTolerance(tolerance, NULL);
    if (status == pbdr_statusOk) {
        world->scene.tolerance = tolerance;
    }
    return status;
}

double pbdrWorld_GetTolerance(const pbdrWorld* world)
{
    return world->scene.tolerance;
}

pbdrStatus pbdrWorld_SetMaxNewtonSteps(pbdrWorld* world, int steps)
{
    pbdrStatus status = pbdrCheckNewtonSteps(steps, NULL);
    if (status == pbdr_statusOk) {
        world->scene.maxNewtonSteps = steps;
    }
    return status;
}

int pbdrWorld_GetMaxNewtonSteps(const pbdrWorld* world)
{
    return world->scene.maxNewtonSteps;
}

pbdrStatus pbdrWorld_SetSleeping(pbdrWorld* world, bool on)
{
    if (on && world->scene.solver != pbdr_solverXpbdR) {
        return pbdr_statusNotSupported;
    }
    if (!on) {
        pbdrWakeAll(&world->scene);
    }
    world->scene.sleeping = on;
    return pbdr_statusOk;
}

bool pbdrWorld_HasSleeping(const pbdrWorld* world)
{
    return world->scene.sleeping;
}

int pbdrWorld_CountAsleep(const pbdrWorld* world)
{
    int count = 0;
    for (int index = 0; index < world->scene.bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(&world->scene, index);
        count += body->alive && body->asleep;
    }
    return count;
}

pbdrSolver pbdrWorld_GetSolver(const pbdrWorld* world)
{
    return world->scene.solver;
}

pbdrPrecision pbdrWorld_GetPrecision(const pbdrWorld* world)
{
    return world->scene.precision;
}

uint32_t pbdrWorld_GetAblation(const pbdrWorld* world)
{
    return world->scene.ablation;
}

pbdrFrictionMixing pbdrWorld_GetMixing(const pbdrWorld* world)
{
    return world->scene.mixing;
}

pbdrContactKind pbdrWorld_GetContactKind(const pbdrWorld* world)
{
    return world->scene.touchesSurface ? pbdr_contactSurface : pbdr_contactSpheres;
}

int pbdrWorld_GetMaxPairCount(const pbdrWorld* world)
{
    return world->scene.maxPairCount;
}

pbdrHooks pbdrWorld_GetHooks(const pbdrWorld* world)
{
    return world->hooks;
}

pbdrEngine pbdrWorld_GetEngine(const pbdrWorld* world)
{
    return world->engineKind;
}

pbdrSimd pbdrWorld_GetSimd(const pbdrWorld* world)
{
    return world->scene.simd;
}

size_t pbdrWorld_GetByteCount(const pbdrWorld* world)
{
    return world->scene.memory.byteCount;
}

uint64_t pbdrWorld_GetSubstepCount(const pbdrWorld* world)
{
    return world->scene.substepCount;
}

void pbdrWorld_SetUserData(pbdrWorld* world, void* userData)
{
    world->userData = userData;
}

void* pbdrWorld_GetUserData(const pbdrWorld* world)
{
    return world->userData;
}

// --- Profiling ---

void pbdrWorld_SetProfiling(pbdrWorld* world, bool on)
{
    pbdrScene* scene = &world->scene;
    scene->profiling = on;
    scene->counting = on || world->ledgerBook.on;
    if (on) {
        double clockSeconds = pbdrMeasureClock(scene);
        memset(&scene->profile, 0, sizeof scene->profile);
        scene->profile.clockSeconds = clockSeconds;
        scene->profile.residual = (double)NAN;
    }
}

bool pbdrWorld_IsProfiling(const pbdrWorld* world)
{
    return world->scene.profiling;
}

void pbdrWorld_GetProfile(const pbdrWorld* world, pbdrProfile* profile)
{
    const pbdrProfile* measured = &world->scene.profile;
    *profile = *measured;
    memset(profile->stages, 0, sizeof profile->stages);
    for (int row = 0; row < PBDR_ROW_COUNT; row++) {
        if (measured->stages[row].calls > 0) {
            profile->stages[profile->stageCount] = measured->stages[row];
            profile->stages[profile->stageCount++].name = pbdrRowNames[row];
        }
    }
}
