// The particle engine's table, and its substep: the paper's Algorithm 1 as its authors run it, a list of
// stages.
#include "engine/engine.h"
#include "engine/particle/stages.h"

#include "contact/broad_phase.h"
#include "math/polar.h"
#include "math/sym3.h"
#include "scene/profile.h"

#include <limits.h>
#include <string.h>

static const pbdrStages* chooseStages(pbdrPrecision precision, pbdrSimd simd)
{
    bool f32 = precision == pbdr_precisionF32;
#if defined(PBDR_HAVE_AVX2)
    if (simd == pbdr_simdAvx2) {
        return f32 ? &pbdrStages_f32_avx2 : &pbdrStages_f64_avx2;
    }
#elif defined(PBDR_HAVE_NEON)
    if (simd == pbdr_simdNeon) {
        return f32 ? &pbdrStages_f32_neon : &pbdrStages_f64_neon;
    }
#endif
    (void)simd;
    return f32 ? &pbdrStages_f32_scalar : &pbdrStages_f64_scalar;
}

// --- Creation ---

static void* create(pbdrScene* scene)
{
    pbdrParticleWorld* world = pbdrTakeMemory(&scene->memory, 1, sizeof *world);
    if (world != NULL) {
        world->scene = scene;
        world->stages = chooseStages(scene->precision, scene->simd);
        world->bodies.itemSize = sizeof(pbdrParticleBody);
        world->planeTouches.itemSize = sizeof(pbdrPlaneTouch);
        world->pairs.itemSize = world->foundPairs.itemSize = sizeof(pbdrPair);
        world->boxes.itemSize = sizeof(pbdrBox);
        world->marks.itemSize = sizeof(uint8_t);
        world->gridEntries.itemSize = sizeof(pbdrGridEntry);
        world->gridStarts.itemSize = sizeof(int32_t);
    }
    return world;
}

static void destroy(void* engine)
{
    pbdrParticleWorld* world = engine;
    pbdrMemory* memory = &world->scene->memory;
    pbdrFreeParticles(world);
    pbdrGiveMemory(memory, world->planeSlots, world->planeSlotCount, sizeof *world->planeSlots);
    pbdrList* lists[] = {&world->bodies, &world->planeTouches, &world->pairs,       &world->foundPairs,
                         &world->boxes,  &world->marks,        &world->gridEntries, &world->gridStarts};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        pbdrListFree(memory, lists[k]);
    }
    pbdrGiveMemory(memory, world, 1, sizeof *world);
}

static bool reserveFor(pbdrParticleWorld* world, int blockCount)
{
    pbdrParticles* p = &world->particles;
    if (p->blockCount > INT_MAX / PBDR_BLOCK / 2 - blockCount) {
        return false;
    }
    int needed = p->blockCount + blockCount;
    int larger = p->blockCapacity + p->blockCapacity / 2; // a first body gets exactly what it needs
    return pbdrReserveBlocks(world, needed > p->blockCapacity && larger > needed ? larger : needed) &&
           pbdrReservePlaneSlots(world);
}

static bool addBody(void* engine, int index, const pbdrShape* shape)
{
    pbdrParticleWorld* world = engine;
    int blockCount = (shape->sphereCount + PBDR_BLOCK - 1) / PBDR_BLOCK;
    if (!pbdrListExtend(&world->scene->memory, &world->bodies, index + 1) || !reserveFor(world, blockCount)) {
        return false;
    }
    pbdrParticles* p = &world->particles;
    pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    *own = (pbdrParticleBody){.firstBlock = p->blockCount, .blockCount = blockCount};
    p->blockCount += blockCount;
    for (int block = own->firstBlock; block < p->blockCount; block++) {
        ((pbdrBlock*)p->blocks)[block] = (pbdrBlock){index, false};
    }
    pbdrFillParticles(world, own, shape);
    return true;
}

// Closes the gap: later particles move down.
static void removeBody(void* engine, int index)
{
    pbdrParticleWorld* world = engine;
    pbdrParticles* p = &world->particles;
    const pbdrParticleBody gone = *pbdrGetParticleBody(world, index);
    size_t first = (size_t)gone.firstBlock, gap = (size_t)gone.blockCount;
    size_t rest = (size_t)p->blockCount - first - gap;
    pbdrArray arrays[PBDR_MAX_ARRAYS];
    int count = pbdrListArrays(world, arrays);
    for (int k = 0; k < count; k++) {
        char* items = *arrays[k].items;
        size_t size = arrays[k].blockSize;
        memmove(items + first * size, items + (first + gap) * size, rest * size);
        memset(items + (first + rest) * size, 0, gap * size);
    }
    p->blockCount -= gone.blockCount;
    for (int k = 0; k < world->bodies.count; k++) {
        pbdrParticleBody* other = pbdrGetParticleBody(world, k);
        if (other->firstBlock > gone.firstBlock) {
            other->firstBlock -= gone.blockCount;
        }
    }
    *pbdrGetParticleBody(world, index) = (pbdrParticleBody){.firstBlock = 0};
}

static bool addPlane(void* engine)
{
    return pbdrReservePlaneSlots(engine);
}

// --- Motion ---

static void place(void* engine, int index, pbdrVec3 centre, pbdrVelocity velocity)
{
    pbdrPlaceParticles(engine, index, centre, velocity);
}

// The rigid motion that fits a body's particles now. A state that is not finite keeps the last rotation.
static pbdrPose getPose(const void* engine, int index)
{
    const pbdrParticleWorld* world = engine;
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    pbdrPose pose = {body->centre, body->rotation};
    if (body->kind == pbdr_bodyDynamic) {
        pbdrMoments fit;
        world->stages->measureSpread(world, index, &fit);
        pose.position = fit.centre;
        pbdrPolarRotation(&fit.spread, body->rotation, pbdrGetInertiaCutoff(world->scene), &pose.rotation);
    }
    return pose;
}

static pbdrVelocity getVelocity(const void* engine, int index)
{
    const pbdrParticleWorld* world = engine;
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    pbdrVelocity velocity = {body->velocity, body->angular};
    if (body->kind == pbdr_bodyDynamic) {
        pbdrMoments fit;
        world->stages->measureInertia(world, index, &fit);
        double weight = pbdrGetParticleBody(world, index)->weight;
        velocity.linear = pbdrAddScaled(body->velocity, 1.0 / weight, fit.relativeMomentum);
        velocity.angular = pbdrSymSolve(&fit.inertia, fit.spin, pbdrGetInertiaCutoff(world->scene));
    }
    return velocity;
}

static pbdrMomentum getMomentum(const void* engine, int index)
{
    const pbdrParticleWorld* world = engine;
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    if (body->kind != pbdr_bodyDynamic) {
        return pbdrGetRigidMomentum(body);
    }
    const pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    pbdrMoments fit;
    world->stages->measureInertia(world, index, &fit);
    return (pbdrMomentum){pbdrAddScaled(fit.relativeMomentum, own->weight, body->velocity),
                          pbdrAdd(fit.spin, own->extraSpin)};
}

static int getPositions(const void* engine, int index, pbdrVec3* buffer, int capacity)
{
    const pbdrParticleWorld* world = engine;
    int first = pbdrGetParticleBody(world, index)->firstBlock * PBDR_BLOCK;
    int count = pbdrGetBody(world->scene, index)->shape->sphereCount;
    for (int i = 0; i < count && i < capacity; i++) {
        buffer[i] = pbdrReadVec(world->scene, world->particles.position, first + i);
    }
    return count;
}

static pbdrArrayView viewArray(const pbdrScene* scene, const void* array, int first)
{
    if (scene->precision == pbdr_precisionF32) {
        return (pbdrArrayView){(const float*)array + first, NULL};
    }
    return (pbdrArrayView){NULL, (const double*)array + first};
}

static pbdrParticleView getParticles(const void* engine, int index)
{
    const pbdrParticleWorld* world = engine;
    const pbdrScene* scene = world->scene;
    const pbdrParticles* p = &world->particles;
    int first = pbdrGetParticleBody(world, index)->firstBlock * PBDR_BLOCK;
    return (pbdrParticleView){
        .count = pbdrGetBody(scene, index)->shape->sphereCount,
        .x = viewArray(scene, p->position[0], first),
        .y = viewArray(scene, p->position[1], first),
        .z = viewArray(scene, p->position[2], first),
        .vx = viewArray(scene, p->velocity[0], first),
        .vy = viewArray(scene, p->velocity[1], first),
        .vz = viewArray(scene, p->velocity[2], first),
        .restX = viewArray(scene, p->rest[0], first),
        .restY = viewArray(scene, p->rest[1], first),
        .restZ = viewArray(scene, p->rest[2], first),
        .radius = viewArray(scene, p->radius, first),
        .mass = viewArray(scene, p->mass, first),
    };
}

// --- The substep ---

// Sums of the next substep are taken about where the bodies are now. Flags what has left finite numbers.
static void closeSubstep(pbdrParticleWorld* world)
{
    int index = 0;
    for (pbdrBody* body; (body = pbdrNextDynamic(world->scene, &index)) != NULL;) {
        const pbdrParticleBody* own = pbdrGetParticleBody(world, index - 1);
        pbdrMoveOrigin(world, body, own);
        if (!isfinite(pbdrLength(own->before.spin))) {
            world->scene->flags |= pbdr_stepNotFinite;
        }
    }
}

static void step(void* engine)
{
    pbdrParticleWorld* world = engine;
    pbdrScene* scene = world->scene;
    const pbdrStages* stage = world->stages;
    pbdrClearContacts(world);
    stage->integrate(world);
    pbdrEndStage(scene, pbdr_rowIntegrate);
    stage->findPairs(world);
    pbdrEndStage(scene, pbdr_rowFindPairs);
    for (int i = 0; i < scene->iterations; i++) {
        stage->collidePlanes(world);
        pbdrEndStage(scene, pbdr_rowCollidePlanes);
        stage->collideParticles(world);
        pbdrEndStage(scene, pbdr_rowCollideParticles);
        stage->applyContacts(world);
        pbdrEndStage(scene, pbdr_rowApplyContacts);
        stage->matchShapes(world);
        pbdrEndStage(scene, pbdr_rowMatchShapes);
        if (scene->solver == pbdr_solverPbdR) {
            stage->restoreMomentum(world);
            pbdrEndStage(scene, pbdr_rowRestoreMomentum);
            stage->followMomentum(world);
            pbdrEndStage(scene, pbdr_rowFollowMomentum);
        }
    }
    closeSubstep(world);
}

// --- Contacts and state ---

static int visitContacts(const void* engine, pbdrContactVisit visit, void* context)
{
    return pbdrVisitParticleContacts(engine, visit, context);
}

static void forgetContacts(void* engine)
{
    pbdrClearContacts(engine);
}

static int countCandidates(const void* engine)
{
    return ((const pbdrParticleWorld*)engine)->pairs.count;
}

static size_t getStateSize(const void* engine)
{
    return pbdrGetParticleStateSize(engine);
}

static void save(const void* engine, char* bytes)
{
    pbdrSaveParticles(engine, bytes);
}

static bool isSound(const void* engine, const char* bytes, size_t size)
{
    return pbdrAreParticlesSound(engine, bytes, size);
}

static bool load(void* engine, const char* bytes, size_t size)
{
    (void)size; // isSound has seen to it
    return pbdrLoadParticles(engine, bytes);
}

const pbdrEngineTable pbdrParticleEngine = {
    .create = create,
    .destroy = destroy,
    .addBody = addBody,
    .removeBody = removeBody,
    .addPlane = addPlane,
    .place = place,
    .getPose = getPose,
    .getVelocity = getVelocity,
    .getMomentum = getMomentum,
    .getPositions = getPositions,
    .getParticles = getParticles,
    .step = step,
    .visitContacts = visitContacts,
    .forgetContacts = forgetContacts,
    .countCandidates = countCandidates,
    .getStateSize = getStateSize,
    .save = save,
    .isSound = isSound,
    .load = load,
};
