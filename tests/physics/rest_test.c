// What rests: a wall of bricks that touch by their surfaces, too many for Newton's method, so that they are swept. What was
// found of contacts holds while bodies stay where they are (engine/xpbdr/surfaces.c), to the bit.
#include "xpbdr_scenes.h"

#include <stdlib.h>
#include <string.h>

#define ROWS 5
#define PER_ROW 4
#define BRICKS (ROWS * PER_ROW)

// Bricks of 0.2 x 0.1 x 0.08 m and 3.2 kg, each row half a brick beside the one below. friction: of the ground; the mean of
// two is geometric.
static pbdrWorld* makeWall(pbdrBodyId bricks[BRICKS], double friction)
{
    pbdrWorld* world = makeConvergedOnGround(friction);
    pbdrShape* brick;
    CHECK_EQ(pbdrCreateBoxShape(pbdrVec(0.2, 0.1, 0.08), 3.2, 4, &brick, NULL), pbdr_statusOk);
    for (int k = 0; k < BRICKS; k++) {
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.friction = 0.6;
        def.position = pbdrVec(0.2 * (k % PER_ROW) + (k / PER_ROW % 2 == 0 ? 0.0 : 0.1), 0.0,
                               0.04 + 0.08 * (k / PER_ROW));
        CHECK_EQ(pbdrCreateBodyFromShape(world, &def, brick, &bricks[k], NULL), pbdr_statusOk);
    }
    pbdrReleaseShape(brick);
    return world;
}

// Once forces are found, nothing moves by a bit, however small velocities are that rounding leaves.
static void rest__keeps_every_bit_of_the_poses(void)
{
    pbdrBodyId bricks[BRICKS];
    pbdrPose before[BRICKS];
    pbdrWorld* world = makeWall(bricks, 0.6);
    CHECK_EQ(stepCounting(world, 200), 0);
    for (int k = 0; k < BRICKS; k++) {
        before[k] = pbdrBody_GetPose(world, bricks[k]);
        CHECK_LE(getTopSpeed(world, bricks[k]), 1e-13);
    }
    CHECK_EQ(stepCounting(world, 1000), 0);
    for (int k = 0; k < BRICKS; k++) {
        const pbdrPose now = pbdrBody_GetPose(world, bricks[k]);
        CHECK_EQ(memcmp(&now, &before[k], sizeof now), 0);
    }
    pbdrDestroyWorld(world);
}

// A world that gets the state of one at rest has to find all contacts anew, and goes on as that one does: at rest, while a
// brick is drawn out, and as the others come down.
static void rest__goes_on_to_the_bit_in_another_world(void)
{
    pbdrBodyId bricks[2][BRICKS];
    pbdrWorld* worlds[2] = {makeWall(bricks[0], 0.6), makeWall(bricks[1], 0.6)};
    CHECK_EQ(stepCounting(worlds[0], 200), 0);
    const size_t size = pbdrWorld_GetStateSize(worlds[0]);
    void* state = malloc(size);
    CHECK_EQ(pbdrWorld_GetState(worlds[0], state, size, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrWorld_SetState(worlds[1], state, size, NULL), pbdr_statusOk);
    free(state);
    for (int k = 0; k < 300; k++) {
        for (int i = 0; i < 2; i++) {
            if (k == 20) {
                pbdrBody_SetForce(worlds[i], bricks[i][5], pbdrVec(0.0, 400.0, 0.0));
            }
            pbdrWorld_Step(worlds[i], 1);
        }
        CHECK(pbdrWorld_GetHash(worlds[0]) == pbdrWorld_GetHash(worlds[1]));
    }
    CHECK_GE(pbdrBody_GetPose(worlds[0], bricks[0][5]).position.y, 0.1); // it was drawn out
    pbdrDestroyWorld(worlds[0]);
    pbdrDestroyWorld(worlds[1]);
}

// What was found holds for the poses that it was found at: a body that is put elsewhere touches as it stands there.
static void rest__is_over_for_what_is_moved(void)
{
    pbdrBodyId bricks[BRICKS];
    pbdrWorld* world = makeWall(bricks, 0.6);
    const pbdrBodyId top = bricks[BRICKS - 1];
    CHECK_EQ(stepCounting(world, 200), 0);
    pbdrPose pose = pbdrBody_GetPose(world, top);
    pose.position.z += 1e-4;
    pbdrBody_SetPose(world, top, pose);
    pbdrWorld_Step(world, 1);
    // free fall from there: g dt per substep
    CHECK_NEAR(pbdrBody_GetVelocity(world, top).linear.z, -GRAVITY * 1e-3, 1e-12);
    CHECK_EQ(stepCounting(world, 100), 0);
    // it lands, and keeps an overlap that parting would give energy for (PBDR_SWEEP_SLACK)
    CHECK_NEAR(pbdrBody_GetPose(world, top).position.z, pose.position.z - 1e-4, 1e-5);
    pbdrDestroyWorld(world);
}

// Ways that are less than rounding add up: a wall on ice at 5e-13 m/s goes 5e-16 m in a substep, and 2e-12 m in
// 4 s.
static void rest__what_creeps_gets_there(void)
{
    pbdrBodyId bricks[BRICKS];
    pbdrWorld* world = makeWall(bricks, 0.0);
    const pbdrVec3 slow = {5e-13, 0.0, 0.0};
    CHECK_EQ(stepCounting(world, 200), 0);
    double from[BRICKS];
    for (int k = 0; k < BRICKS; k++) {
        from[k] = pbdrBody_GetPose(world, bricks[k]).position.x;
        pbdrBody_SetVelocity(world, bricks[k], (pbdrVelocity){slow, {0.0, 0.0, 0.0}});
    }
    CHECK_EQ(stepCounting(world, 4000), 0);
    for (int k = 0; k < BRICKS; k++) {
        CHECK_NEAR(pbdrBody_GetPose(world, bricks[k]).position.x - from[k], 2e-12, 1e-13);
    }
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"rest__keeps_every_bit_of_the_poses", rest__keeps_every_bit_of_the_poses},
          {"rest__goes_on_to_the_bit_in_another_world", rest__goes_on_to_the_bit_in_another_world},
          {"rest__is_over_for_what_is_moved", rest__is_over_for_what_is_moved},
          {"rest__what_creeps_gets_there", rest__what_creeps_gets_there});
}
