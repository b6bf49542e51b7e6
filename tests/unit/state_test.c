// Save and restore: a world goes on bit for bit; bytes of another world, or of nobody, are refused.
#include "inside.h"
#include "scenes.h"

// A stack under push, a pusher, a slope: contacts of every kind.
static pbdrWorld* makeBusyWorld(pbdrPrecision precision, pbdrSolver solver, pbdrSimd simd)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.precision = precision;
    def.solver = solver;
    def.simd = simd;
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    addPlane(world, (pbdrVec3){-0.6, 0.0, 0.8}, -1.0, 0.2);
    pbdrBodyId lower = addCube(world, 4, 0.0, 0.0, 0.4);
    pbdrBodyDef def2 = pbdrDefaultBodyDef();
    def2.position = (pbdrVec3){0.02, 0.01, 0.26};
    def2.velocity.angular = (pbdrVec3){0.5, 1.0, -2.0};
    addBlock(world, 3, 2, 2, 0.03, 1.0, def2);
    pbdrBodyDef pusher = pbdrDefaultBodyDef();
    pusher.kind = pbdr_bodyKinematic;
    pusher.position = (pbdrVec3){-0.2005, 0.03, 0.05};
    pbdrBodyId rod = addBlock(world, 10, 1, 1, 0.01, 2.0, pusher);
    pbdrBody_SetForce(world, rod, (pbdrVec3){20.0, 0.0, 0.0});
    pbdrBody_SetTorque(world, lower, (pbdrVec3){0.0, 0.0, 0.3});
    return world;
}

// XPBD-R beside PBD and PBD-R, each in both precisions.
#define WORLD_COUNT 6

static void state__resumes_bit_for_bit(void)
{
    for (int k = 0; k < WORLD_COUNT; k++) {
        pbdrPrecision precision = (pbdrPrecision)(k % 2);
        pbdrSolver solver = (pbdrSolver)(k / 2);
        pbdrWorld* a = makeBusyWorld(precision, solver, pbdr_simdAuto);
        pbdrWorld* b = makeBusyWorld(precision, solver, pbdr_simdAuto);
        pbdrWorld_Step(a, 100);
        // what b does not have yet, so that a state which forgets one of these differs
        pbdrBodyId bodies[3];
        CHECK_EQ(pbdrWorld_GetBodies(a, bodies, 3), 3);
        pbdrWorld_SetGravity(a, (pbdrVec3){0.1, 0.0, -9.0});
        pbdrWorld_SetRelaxation(a, 0.8);
        pbdrWorld_SetIterations(a, 8);
        pbdrWorld_SetTimeStep(a, 9e-4);
        pbdrWorld_SetEffort(a, pbdr_effortExact);
        pbdrWorld_SetTolerance(a, 1e-7);
        pbdrWorld_SetMaxNewtonSteps(a, 5);
        CHECK(pbdrWorld_SetSleeping(a, solver == pbdr_solverXpbdR) == pbdr_statusOk);
        pbdrBody_SetForce(a, bodies[0], (pbdrVec3){1.0, 2.0, 3.0});
        pbdrBody_SetTorque(a, bodies[1], (pbdrVec3){0.01, 0.0, 0.0});
        pbdrBody_SetFriction(a, bodies[0], 0.1);
        pbdrBody_SetRestitution(a, bodies[1], 0.4);
        pbdrBody_SetTarget(a, bodies[2], (pbdrPose){{0.1, 0.1, 0.06}, {0.6, 0.0, 0.0, 0.8}}, 0.05);
        pbdrBody_ApplyForce(a, bodies[1], (pbdrVec3){3.0, 0.0, 1.0}, (pbdrVec3){0.1, 0.0, 0.3});
        pbdrPlaneId planes[2];
        CHECK_EQ(pbdrWorld_GetPlanes(a, planes, 2), 2);
        pbdrPlane_SetOffset(a, planes[0], 0.001);
        pbdrPlane_SetNormal(a, planes[1], (pbdrVec3){0.0, 0.6, 0.8});
        pbdrPlane_SetFriction(a, planes[0], 0.3);
        pbdrPlane_SetRestitution(a, planes[0], 0.2);
        pbdrPlane_SetFilter(a, planes[1], (pbdrFilter){2, 1});
        pbdrBody_SetFilter(a, bodies[1], (pbdrFilter){3, UINT64_MAX - 4});
        size_t size;
        unsigned char* state = saveState(a, &size);
        CHECK(pbdrWorld_SetState(b, state, size, NULL) == pbdr_statusOk);
        CHECK(haveSameState(a, b));
        CHECK(pbdrWorld_GetEffort(b) == pbdr_effortExact && pbdrWorld_GetTolerance(b) == 1e-7);
        CHECK(pbdrWorld_GetMaxNewtonSteps(b) == 5 &&
              pbdrWorld_HasSleeping(b) == (solver == pbdr_solverXpbdR));
        CHECK_EQ(pbdrWorld_GetContacts(a, NULL, 0), pbdrWorld_GetContacts(b, NULL, 0));
        pbdrWorld_Step(a, 100);
        pbdrWorld_Step(b, 100);
        CHECK(haveSameState(a, b));
        CHECK(pbdrWorld_GetSubstepCount(b) == 200);
        // back in time, within one world
        CHECK(pbdrWorld_SetState(a, state, size, NULL) == pbdr_statusOk);
        pbdrWorld_Step(a, 100);
        CHECK(haveSameState(a, b));
        free(state);
        pbdrDestroyWorld(a), pbdrDestroyWorld(b);
    }
}

// One substep back and forth: nothing may remember the substep that was undone.
static void state__of_one_substep_ago_resumes(void)
{
    for (int k = 0; k < WORLD_COUNT; k++) {
        pbdrWorld* world = makeBusyWorld((pbdrPrecision)(k % 2), (pbdrSolver)(k / 2), pbdr_simdAuto);
        pbdrWorld_Step(world, 60);
        size_t size, sizeAfter;
        unsigned char* state = saveState(world, &size);
        pbdrWorld_Step(world, 1);
        unsigned char* after = saveState(world, &sizeAfter);
        CHECK(pbdrWorld_SetState(world, state, size, NULL) == pbdr_statusOk);
        pbdrWorld_Step(world, 1);
        CHECK_EQ(pbdrWorld_GetStateSize(world), sizeAfter);
        unsigned char* again = saveState(world, &size);
        CHECK(size == sizeAfter && memcmp(after, again, size) == 0);
        free(state), free(after), free(again);
        pbdrDestroyWorld(world);
    }
}

static void state__of_another_world_is_refused(void)
{
    pbdrWorld* a = makeBusyWorld(pbdr_precisionF64, pbdr_solverPbdR, pbdr_simdAuto);
    pbdrWorld* b = makeBusyWorld(pbdr_precisionF32, pbdr_solverPbdR, pbdr_simdAuto);
    size_t size;
    unsigned char* state = saveState(a, &size);
    pbdrError error = {0};
    CHECK(pbdrWorld_SetState(b, state, size, &error) == pbdr_statusStateMismatch);
    CHECK_TEXT(error.message, "bodies");
    CHECK(pbdrWorld_SetState(a, state, size - 1, &error) == pbdr_statusStateMismatch);
    CHECK(pbdrWorld_SetState(a, state, 3, &error) == pbdr_statusStateMismatch);
    CHECK(pbdrWorld_SetState(a, NULL, 0, &error) == pbdr_statusStateMismatch);
    CHECK(pbdrWorld_GetState(a, state, size - 1, &error) == pbdr_statusInvalidArgument);
    addCube(a, 2, 3.0, 3.0, 0.1);
    CHECK(pbdrWorld_SetState(a, state, size, &error) == pbdr_statusStateMismatch);
    free(state);
    pbdrDestroyWorld(a), pbdrDestroyWorld(b);
}

// A state that is refused changes nothing.
static void checkRefusal(pbdrSolver solver)
{
    pbdrWorld* a = makeBusyWorld(pbdr_precisionF64, solver, pbdr_simdAuto);
    pbdrWorld* b = makeBusyWorld(pbdr_precisionF64, solver, pbdr_simdAuto);
    pbdrWorld_Step(a, 50), pbdrWorld_Step(b, 50);
    pbdrWorld_Step(a, 10);
    size_t size;
    unsigned char* state = saveState(a, &size);
    memset(state + size - 4 * sizeof(double), 0x7f,
           4 * sizeof(double)); // within the last pair or item: harmless numbers
    pbdrWorld* c = makeBusyWorld(pbdr_precisionF64, solver, pbdr_simdAuto);
    pbdrWorld_Step(c, 50);
    CHECK(haveSameState(b, c));
    for (size_t k = 0; k < size; k += 7) {
        unsigned char* damaged = malloc(size);
        memcpy(damaged, state, size);
        memset(damaged + k, 0xff, size - k < 8 ? size - k : 8);
        if (pbdrWorld_SetState(c, damaged, size, NULL) == pbdr_statusOk) {
            pbdrWorld_GetContacts(c, NULL, 0); // straight after: the bytes as they came in
            size_t sizeB;
            unsigned char* good = saveState(b, &sizeB);
            CHECK(pbdrWorld_SetState(c, good, sizeB, NULL) == pbdr_statusOk);
            free(good);
        }
        CHECK(haveSameState(b, c));
        free(damaged);
    }
    free(state);
    pbdrDestroyWorld(a), pbdrDestroyWorld(b), pbdrDestroyWorld(c);
}

static void state__refused_leaves_the_world_alone(void)
{
    checkRefusal(pbdr_solverPbdR);
    checkRefusal(pbdr_solverXpbdR);
}

// Where a world without particles keeps its patches in a state: behind header and bodies, in front of the
// items. Found from the end, whose sizes are public knowledge of state.c: two spheres and seven numbers an
// item.
static size_t getPatchStart(const pbdrCandidates* own, size_t size)
{
    return size -
           (size_t)own->items.count * (2 * sizeof(int32_t) + (ITEM_SCRATCH - ITEM_FORCE) * sizeof(double)) -
           (size_t)own->patches.count * sizeof(pbdrPatch);
}

// Any bytes may come in: no crash (the sanitizers watch), then a world that steps or says that it cannot.
// Half of the trials spoil the whole state, the others its header or its patches, which name bodies, planes
// and spheres.
static void checkDamage(pbdrSolver solver)
{
    pbdrWorld* world = makeBusyWorld(pbdr_precisionF64, solver, pbdr_simdAuto);
    pbdrWorld_Step(world, 50);
    size_t size;
    unsigned char* state = saveState(world, &size);
    size_t patches = 0, patchSize = 0;
    if (pbdrWorld_GetEngine(world) == pbdr_engineReduced) {
        const pbdrCandidates* own = getCandidates(world);
        patches = getPatchStart(own, size);
        patchSize = (size_t)own->patches.count * sizeof(pbdrPatch) + (size_t)own->items.count * 8;
    }
    uint64_t random = 1;
    int taken = 0;
    for (int trial = 0; trial < 2000; trial++) {
        unsigned char* damaged = malloc(size);
        memcpy(damaged, state, size);
        bool inPatches = trial % 4 == 3 && patchSize > 0;
        size_t first = inPatches ? patches : 0;
        size_t range = inPatches ? patchSize : (trial % 2 == 0 ? size : 128);
        for (int k = 0; k < (inPatches ? 1 : 8); k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            // small changes of a name make another that exists
            unsigned char mask = (unsigned char)(random >> 50);
            damaged[first + (random >> 20) % range] ^= inPatches ? mask & 3 : mask;
        }
        pbdrStatus status = pbdrWorld_SetState(world, damaged, size, NULL);
        CHECK(status == pbdr_statusOk || status == pbdr_statusStateMismatch);
        taken += status == pbdr_statusOk;
        if (trial % 20 == 0 || (inPatches && status == pbdr_statusOk)) {
            pbdrWorld_SetIterations(world, 2);
            pbdrWorld_Step(world, 1);
            pbdrWorld_GetContacts(world, NULL, 0);
        }
        free(damaged);
    }
    CHECK_GE(taken, 100);
    CHECK(pbdrWorld_SetState(world, state, size, NULL) == pbdr_statusOk);
    CHECK_EQ(pbdrWorld_Step(world, 1), 0);
    free(state);
    pbdrDestroyWorld(world);
}

static void state__of_damaged_bytes_never_crashes(void)
{
    checkDamage(pbdr_solverPbdR);
    checkDamage(pbdr_solverXpbdR);
}

// A patch says which body's spheres touch what: one of its bodies is dynamic, or there is nobody to move.
static void state__patches_of_bodies_that_do_not_move_are_refused(void)
{
    pbdrWorld* world = makeBusyWorld(pbdr_precisionF64, pbdr_solverXpbdR, pbdr_simdAuto);
    pbdrWorld_Step(world, 50);
    size_t size;
    unsigned char* state = saveState(world, &size);
    size_t patches = getPatchStart(getCandidates(world), size);
    const pbdrPatch* own = getCandidates(world)->patches.items;
    const int patchCount = getCandidates(world)->patches.count;
    CHECK_GE(patchCount, 2);
    for (int k = 0; k < patchCount; k++) {
        pbdrPatch patch = own[k];
        const int32_t pusher = 2; // of bodies 0, 1, 2
        patch.bodyA = pusher;
        patch.bodyB = patch.bodyB < 0 ? -1 : pusher;
        for (int item = patch.first; item < patch.first + patch.count; item++) {
            memset(state + patches + (size_t)patchCount * sizeof patch + (size_t)item * 4, 0, 4);
        }
        memcpy(state + patches + (size_t)k * sizeof patch, &patch, sizeof patch);
        CHECK(pbdrWorld_SetState(world, state, size, NULL) == pbdr_statusStateMismatch);
        memcpy(state + patches + (size_t)k * sizeof patch, &own[k], sizeof patch);
    }
    free(state);
    pbdrDestroyWorld(world);
}

// The vector instructions and their scalar twin add in the same order and fuse nothing: the same bits,
// particles and all. What both share is compiled once here; tests/determinism compares whole builds.
static void simd__gives_the_scalar_twins_bits(void)
{
    pbdrSimd simd = pbdrIsSimdSupported(pbdr_simdAvx2) ? pbdr_simdAvx2 : pbdr_simdNeon;
    if (!pbdrIsSimdSupported(simd)) {
        SKIP("this CPU has neither AVX2 nor NEON: there is only the scalar code");
    }
    for (int k = 0; k < WORLD_COUNT; k++) {
        pbdrPrecision precision = (pbdrPrecision)(k % 2);
        pbdrSolver solver = (pbdrSolver)(k / 2);
        pbdrWorld* a = makeBusyWorld(precision, solver, pbdr_simdScalar);
        pbdrWorld* b = makeBusyWorld(precision, solver, simd);
        for (int frame = 0; frame < 30; frame++) {
            pbdrWorld_Step(a, 10), pbdrWorld_Step(b, 10);
            CHECK(haveSameState(a, b));
        }
        CHECK_GE(pbdrWorld_GetContacts(a, NULL, 0), 16);
        pbdrDestroyWorld(a), pbdrDestroyWorld(b);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"state__resumes_bit_for_bit", state__resumes_bit_for_bit},
          {"state__of_one_substep_ago_resumes", state__of_one_substep_ago_resumes},
          {"state__of_another_world_is_refused", state__of_another_world_is_refused},
          {"state__refused_leaves_the_world_alone", state__refused_leaves_the_world_alone},
          {"state__of_damaged_bytes_never_crashes", state__of_damaged_bytes_never_crashes},
          {"state__patches_of_bodies_that_do_not_move_are_refused",
           state__patches_of_bodies_that_do_not_move_are_refused},
          {"simd__gives_the_scalar_twins_bits", simd__gives_the_scalar_twins_bits});
}
