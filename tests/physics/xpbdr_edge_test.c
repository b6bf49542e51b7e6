// XPBD-R at the edges: unlike masses, changed time steps, passing balls, fast spin, islands beyond the limit,
// states with faces. Each was once wrong.
#include "xpbdr_scenes.h"

// A box of M kg on one of 1 kg: both stand, whatever M. Stiffness goes by the island's heaviest body.
static void heavy__on_light_stands(void)
{
    for (double mass = 1.0; mass < 2e6; mass *= 100.0) {
        pbdrWorld* world = makeConvergedOnGround(0.4);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(0.0, 0.0, 0.1);
        pbdrBodyId light = addBlock(world, 3, 3, 3, 0.1 / 3.0, 1.0, def);
        def.position = pbdrVec(0.0, 0.0, 0.3);
        pbdrBodyId heavy = addBlock(world, 3, 3, 3, 0.1 / 3.0, mass, def);
        CHECK_EQ(stepCounting(world, 500), 0);
        CHECK_NEAR(pbdrBody_GetPose(world, light).position.z, 0.1, 1e-11);
        CHECK_NEAR(pbdrBody_GetPose(world, heavy).position.z, 0.3, 1e-11);
        pbdrDestroyWorld(world);
    }
}

// x = a t^2/2 for a pushed box holds through 60 changes of the time step by up to a hundred either way. A
// change that takes the multipliers for wrong starts them anew, and a new contact may be driven in by 1e-8 m
// before that counts as an impact: 1e-8 m of speed error over the step of 1e-2 s, 1e-6 m/s, for the 0.4 s of
// the run.
static void time_step__may_change(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    pbdrBodyId box = addCube(world, 4, 0.0, 0.0, 0.4);
    CHECK_EQ(pbdrBody_SetForce(world, box, pbdrVec(17.0, 0.0, 0.0)), pbdr_statusOk);
    const double steps[6] = {1e-2, 1e-4, 1e-3, 1e-2, 1e-4, 1e-3};
    double t = 0.0;
    for (int k = 0; k < 60; k++) {
        CHECK_EQ(pbdrWorld_SetTimeStep(world, steps[k % 6]), pbdr_statusOk);
        CHECK_EQ(stepCounting(world, 2), 0);
        t += 2.0 * steps[k % 6];
    }
    double a = (17.0 - 0.4 * 4.0 * GRAVITY) / 4.0;
    CHECK_NEAR(pbdrBody_GetPose(world, box).position.x, 0.5 * a * t * t, 5e-6);
    pbdrDestroyWorld(world);
}

// Balls of 1 cm whose paths miss each other by 1 mm or more fly on as if alone, up to 99 m/s at 1 ms.
static void balls__that_miss_do_not_touch(void)
{
    const double speeds[3] = {5.0, 30.0, 99.0}, misses[3] = {1e-3, 6e-3, 3e-2};
    for (int k = 0; k < 9; k++) {
        for (int start = 0; start < 10; start++) {
            pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
            addBall(world, 0.01, 0.1, PBDR_DEFAULT_FRICTION, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 0.0, 0.0));
            pbdrVec3 v = {speeds[k / 3], 0.0, 0.0};
            pbdrBodyId ball = addBall(world, 0.01, 0.1, PBDR_DEFAULT_FRICTION,
                                      pbdrVec(-0.3 - 0.0071 * start, 0.02 + misses[k % 3], 0.0), v);
            CHECK_EQ(stepCounting(world, (int)(600.0 / speeds[k / 3])), 0);
            CHECK_EQ(distance(pbdrBody_GetVelocity(world, ball).linear, v), 0.0);
            pbdrDestroyWorld(world);
        }
    }
}

// |L| of a spinning block holds at any speed: steps of 0.05 rad by a method of fourth order, 1e-8 each.
static void spin__keeps_angular_momentum_at_speed(void)
{
    for (double speed = 10.0; speed < 2e4; speed *= 10.0) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.velocity.angular = pbdrVec(speed, 0.3 * speed, 0.5 * speed);
        pbdrBodyId block = addBlock(world, 4, 2, 1, 0.05, 2.0, def);
        pbdrVec3 before = pbdrBody_GetMomentum(world, block).angular;
        CHECK_EQ(stepCounting(world, 200), 0);
        pbdrVec3 after = pbdrBody_GetMomentum(world, block).angular;
        CHECK_LE(distance(after, before), 1e-4 * pbdrLength(before));
        pbdrDestroyWorld(world);
    }
}

// An island of any size is solved: a row of 2100 balls that touch each other falls on the ground as one ball would, and
// stays there; so does a ball that is far away. The limit was 2048, and they coasted through the ground.
static void islands__may_have_any_size(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
    addGround(world, 0.5);
    pbdrBodyId balls[2100];
    for (int k = 0; k < 2100; k++) {
        balls[k] = addBall(world, 0.01, 0.1, 0.5, pbdrVec(0.02 * k, 0.0, 0.01), pbdrVec(0.0, 0.0, 0.0));
    }
    pbdrBodyId other = addBall(world, 0.01, 0.1, 0.5, pbdrVec(0.0, 50.0, 1.0), pbdrVec(0.0, 0.0, 0.0));
    CHECK_EQ(stepCounting(world, 4), 0);
    double lowest = 1.0;
    for (int k = 0; k < 2100; k++) {
        lowest = fmin(lowest, pbdrBody_GetPose(world, balls[k]).position.z);
    }
    CHECK_NEAR(lowest, 0.01, 1e-9);
    CHECK_NEAR(pbdrBody_GetVelocity(world, other).linear.z, -GRAVITY * 0.004, 1e-12);
    pbdrDestroyWorld(world);
}

static pbdrWorld* makeFacedStack(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    for (int k = 0; k < 2; k++) {
        addFacedCube(world, 4, pbdr_bodyDynamic, PBDR_DEFAULT_FRICTION,
                     pbdrVec(0.03 * k, 0.011 * k, 0.1 + 0.2 * k));
    }
    return world;
}

// Contacts are part of a state: another world shows the same ones, faces' normals included.
static void state__carries_contacts_with_faces(void)
{
    pbdrWorld *world = makeFacedStack(), *other = makeFacedStack();
    CHECK_EQ(stepCounting(world, 20), 0);
    size_t size;
    unsigned char* state = saveState(world, &size);
    pbdrError error;
    CHECK_EQ(pbdrWorld_SetState(other, state, size, &error), pbdr_statusOk);
    free(state);
    pbdrContact mine[128], theirs[128];
    int count = pbdrWorld_GetContacts(world, mine, 128);
    CHECK_GE(count, 16 + 4);
    CHECK_EQ(pbdrWorld_GetContacts(other, theirs, 128), count);
    for (int k = 0; k < count && k < 128; k++) {
        CHECK_EQ(distance(mine[k].normal, theirs[k].normal), 0.0);
        CHECK_EQ(distance(mine[k].point, theirs[k].point), 0.0);
        CHECK_EQ(mine[k].separation, theirs[k].separation);
    }
    CHECK_EQ(stepCounting(world, 20) + stepCounting(other, 20), 0);
    CHECK(haveSameState(world, other));
    pbdrDestroyWorld(world);
    pbdrDestroyWorld(other);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"heavy__on_light_stands", heavy__on_light_stands},
          {"time_step__may_change", time_step__may_change},
          {"balls__that_miss_do_not_touch", balls__that_miss_do_not_touch},
          {"spin__keeps_angular_momentum_at_speed", spin__keeps_angular_momentum_at_speed},
          {"islands__may_have_any_size", islands__may_have_any_size},
          {"state__carries_contacts_with_faces", state__carries_contacts_with_faces});
}
