// The reduced engine's table, and its substep: the particle engine's list of stages, on sums.
#include "engine/engine.h"
#include "engine/reduced/reduced.h"

#include "engine/extra_inertia.h"
#include "math/polar.h"
#include "math/sym3.h"
#include "scene/bytes.h"
#include "scene/profile.h"

static const pbdrReducedKernels* chooseKernels(pbdrSimd simd)
{
#if defined(PBDR_HAVE_AVX2)
    if (simd == pbdr_simdAvx2) {
        return &pbdrReducedKernels_avx2;
    }
#elif defined(PBDR_HAVE_NEON)
    if (simd == pbdr_simdNeon) {
        return &pbdrReducedKernels_neon;
    }
#endif
    (void)simd;
    return &pbdrReducedKernels_scalar;
}

// --- Creation ---

static void* create(pbdrScene* scene)
{
    pbdrReducedWorld* world = pbdrTakeMemory(&scene->memory, 1, sizeof *world);
    if (world != NULL) {
        world->scene = scene;
        world->kernels = chooseKernels(scene->simd);
        world->bodies.itemSize = sizeof(pbdrReducedBody);
        pbdrInitCandidates(&world->candidates, scene, false, ITEM_SCRATCH);
    }
    return world;
}

static void destroy(void* engine)
{
    pbdrReducedWorld* world = engine;
    pbdrMemory* memory = &world->scene->memory;
    pbdrFreeCandidates(&world->candidates);
    pbdrListFree(memory, &world->bodies);
    pbdrGiveMemory(memory, world, 1, sizeof *world);
}

static bool addBody(void* engine, int index, const pbdrShape* shape)
{
    pbdrReducedWorld* world = engine;
    (void)shape;
    if (!pbdrListExtend(&world->scene->memory, &world->bodies, index + 1) ||
        !pbdrExtendCandidates(&world->candidates, index + 1)) {
        return false;
    }
    *pbdrGetReducedBody(world, index) = (pbdrReducedBody){.extraSpin = {0.0, 0.0, 0.0}};
    return true;
}

// --- Motion ---

static void place(void* engine, int index, pbdrVec3 centre, pbdrVelocity velocity)
{
    pbdrReducedWorld* world = engine;
    pbdrBody* body = pbdrGetBody(world->scene, index);
    pbdrReducedBody* own = pbdrGetReducedBody(world, index);
    pbdrPlaceBody(body, centre, velocity);
    own->rate = pbdrCrossM(velocity.angular, &body->frame);
    own->extraSpin = pbdrGetExtraSpin(body, velocity.angular);
    if (body->kind == pbdr_bodyDynamic) {
        body->angular = pbdrVec(0.0, 0.0, 0.0);
    }
}

static pbdrPose getPose(const void* engine, int index)
{
    const pbdrReducedWorld* world = engine;
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    pbdrPose pose = {body->centre, body->rotation};
    if (body->kind == pbdr_bodyDynamic) {
        pbdrMat3 spread = pbdrMulMM(&body->frame, &body->shape->spread);
        pbdrPolarRotation(&spread, body->rotation, pbdrGetInertiaCutoff(world->scene), &pose.rotation);
    }
    return pose;
}

static pbdrVelocity getVelocity(const void* engine, int index)
{
    const pbdrReducedWorld* world = engine;
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    pbdrVelocity velocity = {body->velocity, body->angular};
    if (body->kind == pbdr_bodyDynamic) {
        pbdrMat3 inertia = pbdrGetReducedInertia(body);
        velocity.angular =
            pbdrSymSolve(&inertia, pbdrGetReducedSpin(world, index), pbdrGetInertiaCutoff(world->scene));
    }
    return velocity;
}

static pbdrMomentum getMomentum(const void* engine, int index)
{
    const pbdrReducedWorld* world = engine;
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    if (body->kind != pbdr_bodyDynamic) {
        return pbdrGetRigidMomentum(body);
    }
    return (pbdrMomentum){
        pbdrScale(body->shape->weight, body->velocity),
        pbdrAdd(pbdrGetReducedSpin(world, index), pbdrGetReducedBody(world, index)->extraSpin)};
}

static int getPositions(const void* engine, int index, pbdrVec3* buffer, int capacity)
{
    const pbdrReducedWorld* world = engine;
    return pbdrGetSpherePositions(pbdrGetBody(world->scene, index), buffer, capacity);
}

// --- The substep ---

// Flags what has left finite numbers.
static void closeSubstep(pbdrReducedWorld* world)
{
    int index = 0;
    while (pbdrNextDynamic(world->scene, &index) != NULL) {
        if (!isfinite(pbdrLength(pbdrGetReducedBody(world, index - 1)->spinBefore))) {
            world->scene->flags |= pbdr_stepNotFinite;
        }
    }
}

static void step(void* engine)
{
    pbdrReducedWorld* world = engine;
    pbdrScene* scene = world->scene;
    pbdrIntegrateReduced(world);
    pbdrEndStage(scene, pbdr_rowIntegrate);
    pbdrUpdateCandidates(&world->candidates);
    pbdrEndStage(scene, pbdr_rowFindPairs);
    for (int i = 0; i < scene->iterations; i++) {
        pbdrCollidePlanesReduced(world);
        pbdrEndStage(scene, pbdr_rowCollidePlanes);
        pbdrCollideSpheresReduced(world);
        pbdrEndStage(scene, pbdr_rowCollideParticles);
        pbdrMatchShapesReduced(world);
        pbdrEndStage(scene, pbdr_rowMatchShapes);
        if (scene->solver == pbdr_solverPbdR) {
            pbdrRestoreMomentumReduced(world);
            pbdrEndStage(scene, pbdr_rowRestoreMomentum);
            pbdrFollowMomentumReduced(world);
            pbdrEndStage(scene, pbdr_rowFollowMomentum);
        }
    }
    closeSubstep(world);
}

// --- Contacts and state ---

static int visitContacts(const void* engine, pbdrContactVisit visit, void* context)
{
    return pbdrVisitContacts(&((const pbdrReducedWorld*)engine)->candidates, visit, context);
}

static void forgetContacts(void* engine)
{
    pbdrForgetCandidates(&((pbdrReducedWorld*)engine)->candidates);
}

static int countCandidates(const void* engine)
{
    return pbdrCountCandidates(&((const pbdrReducedWorld*)engine)->candidates);
}

// Of a body.
typedef struct BodyState {
    pbdrMat3 rate;
    pbdrVec3 extraSpin;
} BodyState;

static size_t getBodiesSize(const pbdrReducedWorld* world)
{
    return (size_t)world->bodies.count * sizeof(BodyState);
}

static size_t getStateSize(const void* engine)
{
    const pbdrReducedWorld* world = engine;
    return getBodiesSize(world) + pbdrGetCandidatesSize(&world->candidates);
}

static void save(const void* engine, char* bytes)
{
    const pbdrReducedWorld* world = engine;
    for (int index = 0; index < world->bodies.count; index++) {
        const pbdrReducedBody* own = pbdrGetReducedBody(world, index);
        const BodyState state = {own->rate, own->extraSpin};
        bytes = pbdrPutBytes(bytes, &state, sizeof state);
    }
    pbdrSaveCandidates(&world->candidates, bytes);
}

static bool isSound(const void* engine, const char* bytes, size_t size)
{
    const pbdrReducedWorld* world = engine;
    size_t bodies = getBodiesSize(world);
    return size >= bodies && pbdrAreCandidatesSound(&world->candidates, bytes + bodies, size - bodies);
}

static bool load(void* engine, const char* bytes, size_t size)
{
    pbdrReducedWorld* world = engine;
    (void)size; // isSound has seen to it
    if (!pbdrLoadCandidates(&world->candidates, bytes + getBodiesSize(world))) {
        return false;
    }
    for (int index = 0; index < world->bodies.count; index++) {
        BodyState state;
        bytes = pbdrTakeBytes(bytes, &state, sizeof state);
        pbdrGetReducedBody(world, index)->rate = state.rate;
        pbdrGetReducedBody(world, index)->extraSpin = state.extraSpin;
    }
    return true;
}

const pbdrEngineTable pbdrReducedEngine = {
    .create = create,
    .destroy = destroy,
    .addBody = addBody,
    .place = place,
    .getPose = getPose,
    .getVelocity = getVelocity,
    .getMomentum = getMomentum,
    .getPositions = getPositions,
    .step = step,
    .visitContacts = visitContacts,
    .forgetContacts = forgetContacts,
    .countCandidates = countCandidates,
    .getStateSize = getStateSize,
    .save = save,
    .isSound = isSound,
    .load = load,
};
