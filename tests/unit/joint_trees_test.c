// Trees of joints of every size that lanes may be filled by, slow and fast: bits are the same however they are come by.
#include "mechanisms.h"

#define TREES 12 // of 1 to 12 links

// Uniform from -1 to 1 (xorshift).
static double draw(uint64_t* state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

static pbdrVec3 drawVec(double size, uint64_t* state)
{
    const double x = draw(state), y = draw(state), z = draw(state);
    return pbdrVec(size * x, size * y, size * z);
}

// Hangs a body on another or the world, by a hinge, a slide or a ball, some with a law of their axis.
static void hang(pbdrWorld* world, pbdrBodyId parent, pbdrBodyId body, uint64_t* state)
{
    static const pbdrJointKind kinds[4] = {pbdr_jointHinge, pbdr_jointHinge, pbdr_jointSlide, pbdr_jointBall};
    pbdrJointDef def = pbdrDefaultJointDef();
    const pbdrJointKind kind = kinds[(int)(1.999 * (draw(state) + 1.0))];
    const double law = draw(state);
    if (kind != pbdr_jointBall && law > 0.3) {
        def.damping = 0.1;
        def.stiffness = 3.0;
    }
    if (kind != pbdr_jointBall && law > 0.7) {
        def.friction = 0.5;
        def.lower = -0.5;
        def.upper = 0.5;
    }
    const pbdrVec3 place = pbdrAdd(pbdrBody_GetPose(world, body).position, drawVec(0.3, state));
    addJointWith(world, &def, kind, parent, body, place, drawVec(1.0, state));
}

// Every third tree floats, every second turns by up to 0.06 rad per substep about each axis.
static pbdrWorld* makeForest(int threads, pbdrSimd simd)
{
    pbdrWorldDef worldDef = pbdrDefaultWorldDef();
    worldDef.solver = pbdr_solverXpbdR;
    worldDef.threads = threads;
    worldDef.simd = simd;
    pbdrWorld* world = makeWorld(worldDef);
    uint64_t state = 88172645463325252u;
    for (int tree = 0; tree < TREES; tree++) {
        pbdrBodyId links[TREES];
        for (int k = 0; k <= tree; k++) {
            const pbdrVec3 place = pbdrAdd(pbdrVec(10.0 * tree, k, 0.0), drawVec(1.0, &state));
            const pbdrVec3 more = drawVec(0.005, &state);
            const double mass = 1.0 + 0.5 * draw(&state);
            links[k] = addRigid(world, mass, pbdrAdd(pbdrVec(0.02, 0.02, 0.03), more),
                                (pbdrPose){place, pbdrQuatFromVector(drawVec(1.0, &state))},
                                (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
            const int parent = (int)(0.4999 * k * (draw(&state) + 1.0));
            if (k > 0 || tree % 3 != 0) {
                hang(world, k > 0 ? links[parent] : theWorld, links[k], &state);
            }
        }
        for (int k = 0; k <= tree && tree % 2 == 1; k++) {
            const pbdrVec3 along = drawVec(1.0, &state), turn = drawVec(60.0, &state);
            CHECK(pbdrBody_SetVelocity(world, links[k], (pbdrVelocity){along, turn}) == pbdr_statusOk);
        }
    }
    return world;
}

static void forest__has_the_same_bits_with_two_threads(void)
{
    pbdrWorld *one = makeForest(1, pbdr_simdAuto), *two = makeForest(2, pbdr_simdAuto);
    stepMechanism(one, 300);
    stepMechanism(two, 300);
    CHECK(haveSameState(one, two));
    pbdrDestroyWorld(one);
    pbdrDestroyWorld(two);
}

static void forest__has_the_same_bits_without_vectors(void)
{
    pbdrWorld *one = makeForest(1, pbdr_simdAuto), *plain = makeForest(1, pbdr_simdScalar);
    stepMechanism(one, 300);
    stepMechanism(plain, 300);
    CHECK(haveSameState(one, plain));
    pbdrDestroyWorld(one);
    pbdrDestroyWorld(plain);
}

static void forest__goes_on_bit_for_bit(void)
{
    pbdrWorld *first = makeForest(1, pbdr_simdAuto), *second = makeForest(1, pbdr_simdAuto), *copy;
    pbdrError error;
    stepMechanism(first, 137);
    size_t size;
    unsigned char* bytes = saveState(first, &size);
    require(pbdrWorld_SetState(second, bytes, size, &error), &error);
    free(bytes);
    require(pbdrCopyWorld(first, 0, &copy, &error), &error);
    stepMechanism(first, 200);
    stepMechanism(second, 200);
    stepMechanism(copy, 200);
    CHECK(haveSameState(first, second));
    CHECK(haveSameState(first, copy));
    pbdrDestroyWorld(first);
    pbdrDestroyWorld(second);
    pbdrDestroyWorld(copy);
}

// Every fifth body goes in mid-run with its joints: trees fall apart, and what is left stays closed.
static void forest__survives_what_is_taken_out(void)
{
    pbdrWorld* world = makeForest(1, pbdr_simdAuto);
    stepMechanism(world, 100);
    pbdrBodyId ids[128];
    const int count = pbdrWorld_GetBodies(world, ids, 128);
    CHECK(count == TREES * (TREES + 1) / 2);
    for (int k = 0; k < count; k += 5) {
        pbdrDestroyBody(world, ids[k]);
    }
    stepMechanism(world, 200);
    pbdrDestroyWorld(world);
}

// Two links at the end of all numbers that turn so fast as to move in six steps: the first of these goes well, a later one
// has no numbers any more. Then the bodies move as if they had no joint for the whole substep, which is beyond all numbers,
// and not for the part of it that went well.
static void failed_step__leaves_nothing_of_those_before(void)
{
    pbdrWorld* world = makeWeightless(0.1);
    const double far = 1.7e308;
    const pbdrVelocity fast = {{1.5e308, 0.0, 0.0}, {0.0, 0.0, 3.0}};
    const pbdrVec3 moments = {0.1, 0.1, 0.1};
    const pbdrBodyId a = addRigid(world, 1.0, moments, (pbdrPose){{far, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                                  fast),
                     b = addRigid(world, 1.0, moments, (pbdrPose){{far, 1.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                                  fast);
    addJoint(world, pbdr_jointBall, a, b, pbdrVec(far, 0.0, 0.0), pbdrVec(0.0, 0.0, 1.0));
    const uint32_t flags = pbdrWorld_Step(world, 1);
    CHECK((flags & pbdr_stepNotConverged) != 0 && (flags & pbdr_stepNotFinite) != 0);
    CHECK(isinf(pbdrBody_GetPose(world, a).position.x));
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv,
          {"forest__has_the_same_bits_with_two_threads", forest__has_the_same_bits_with_two_threads},
          {"forest__has_the_same_bits_without_vectors", forest__has_the_same_bits_without_vectors},
          {"forest__goes_on_bit_for_bit", forest__goes_on_bit_for_bit},
          {"forest__survives_what_is_taken_out", forest__survives_what_is_taken_out},
          {"failed_step__leaves_nothing_of_those_before", failed_step__leaves_nothing_of_those_before});
}
