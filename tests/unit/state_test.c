// Save and restore: a world goes on bit for bit; bytes of another world, or of nobody, are refused.
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
    pusher.kind = pbdr_bodyIntegrateOnly;
    pusher.position = (pbdrVec3){-0.2005, 0.03, 0.05};
    pbdrBodyId rod = addBlock(world, 10, 1, 1, 0.01, 2.0, pusher);
    pbdrBody_SetForce(world, rod, (pbdrVec3){20.0, 0.0, 0.0});
    pbdrBody_SetTorque(world, lower, (pbdrVec3){0.0, 0.0, 0.3});
    return world;
}

static void state__resumes_bit_for_bit(void)
{
    for (int k = 0; k < 4; k++) {
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
        pbdrBody_SetForce(a, bodies[0], (pbdrVec3){1.0, 2.0, 3.0});
        pbdrBody_SetTorque(a, bodies[1], (pbdrVec3){0.01, 0.0, 0.0});
        pbdrBody_SetFriction(a, bodies[0], 0.1);
        size_t size;
        unsigned char* state = saveState(a, &size);
        CHECK(pbdrWorld_SetState(b, state, size, NULL) == pbdr_statusOk);
        CHECK(haveSameState(a, b));
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
static void state__refused_leaves_the_world_alone(void)
{
    pbdrWorld* a = makeBusyWorld(pbdr_precisionF64, pbdr_solverPbdR, pbdr_simdAuto);
    pbdrWorld* b = makeBusyWorld(pbdr_precisionF64, pbdr_solverPbdR, pbdr_simdAuto);
    pbdrWorld_Step(a, 50), pbdrWorld_Step(b, 50);
    pbdrWorld_Step(a, 10);
    size_t size;
    unsigned char* state = saveState(a, &size);
    memset(state + size - 4 * sizeof(double), 0x7f,
           4 * sizeof(double)); // within the last pair: harmless numbers
    pbdrWorld* c = makeBusyWorld(pbdr_precisionF64, pbdr_solverPbdR, pbdr_simdAuto);
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

// Any bytes may come in: no crash (the sanitizers watch), then a world that steps or says that it cannot.
static void state__of_damaged_bytes_never_crashes(void)
{
    pbdrWorld* world = makeBusyWorld(pbdr_precisionF64, pbdr_solverPbdR, pbdr_simdAuto);
    pbdrWorld_Step(world, 50);
    size_t size;
    unsigned char* state = saveState(world, &size);
    uint64_t random = 1;
    for (int trial = 0; trial < 2000; trial++) {
        unsigned char* damaged = malloc(size);
        memcpy(damaged, state, size);
        for (int k = 0; k < 8; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            damaged[(random >> 20) % (trial % 2 == 0 ? size : 128)] ^= (unsigned char)(random >> 50);
        }
        pbdrStatus status = pbdrWorld_SetState(world, damaged, size, NULL);
        CHECK(status == pbdr_statusOk || status == pbdr_statusStateMismatch);
        if (trial % 20 == 0) {
            pbdrWorld_SetIterations(world, 2);
            pbdrWorld_Step(world, 1);
            pbdrWorld_GetContacts(world, NULL, 0);
        }
        free(damaged);
    }
    CHECK(pbdrWorld_SetState(world, state, size, NULL) == pbdr_statusOk);
    CHECK_EQ(pbdrWorld_Step(world, 1), 0);
    free(state);
    pbdrDestroyWorld(world);
}

// The vector instructions and their scalar twin add in the same order and fuse nothing: the same bits.
static void simd__gives_the_scalar_twins_bits(void)
{
    if (!pbdrIsSimdSupported(pbdr_simdAvx2)) {
        SKIP("this CPU has no AVX2: there is only the scalar code");
    }
    for (int k = 0; k < 4; k++) {
        pbdrPrecision precision = (pbdrPrecision)(k % 2);
        pbdrSolver solver = (pbdrSolver)(k / 2);
        pbdrWorld* a = makeBusyWorld(precision, solver, pbdr_simdScalar);
        pbdrWorld* b = makeBusyWorld(precision, solver, pbdr_simdAvx2);
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
          {"state__of_another_world_is_refused", state__of_another_world_is_refused},
          {"state__refused_leaves_the_world_alone", state__refused_leaves_the_world_alone},
          {"state__of_damaged_bytes_never_crashes", state__of_damaged_bytes_never_crashes},
          {"simd__gives_the_scalar_twins_bits", simd__gives_the_scalar_twins_bits});
}
