// Kinematic bodies on their way to a pose, in every engine.
#include "math/vec.h"
#include "scenes.h"

static pbdrBodyId addDriven(pbdrWorld* world, pbdrVec3 position, pbdrQuat rotation)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = pbdr_bodyKinematic;
    def.position = position;
    def.rotation = rotation;
    return addBlock(world, 3, 2, 2, 0.05, 2.0, def);
}

static double getAngle(pbdrQuat a, pbdrQuat b)
{
    return pbdrLength(pbdrVectorFromQuat(pbdrMulQQ(a, pbdrConjugate(b))));
}

// The logarithm and the exponential undo each other, up to half a turn, whatever the sign of q.
static void logarithm__undoes_the_exponential(void)
{
    const double angles[] = {0.0, 1e-300, 1e-12, 1e-3, 0.5, 1.0, PBDR_PI / 2, 3.0, PBDR_PI - 1e-9};
    const pbdrVec3 axis = {0.48, -0.6, 0.64};
    for (size_t k = 0; k < sizeof angles / sizeof angles[0]; k++) {
        pbdrVec3 v = pbdrScale(angles[k], axis);
        pbdrQuat q = pbdrQuatFromVector(v);
        CHECK_LE(distance(pbdrVectorFromQuat(q), v), 1e-15 * (1.0 + angles[k]));
        pbdrQuat minus = {-q.w, -q.x, -q.y, -q.z};
        CHECK_LE(distance(pbdrVectorFromQuat(minus), v), 1e-15 * (1.0 + angles[k]));
    }
    // beyond half a turn: the other way round
    pbdrVec3 back = pbdrVectorFromQuat(pbdrQuatFromVector(pbdrScale(4.0, axis)));
    CHECK_LE(distance(back, pbdrScale(4.0 - 2.0 * PBDR_PI, axis)), 1e-14);
}

// Constant velocity, the share of the way that is the share of the time, exactly there at the end, then rest.
static void target__is_reached_on_time_and_exactly(void)
{
    const pbdrPose start = {{0.1, 0.2, 0.3}, {1.0, 0.0, 0.0, 0.0}};
    const pbdrVec3 turn = pbdrVec(1.2, -2.0, 0.7); // 2.4 rad
    const pbdrPose end = {{0.4, -0.1, 0.5}, pbdrQuatFromVector(turn)};
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld* world = makeWorld(getEngineDef(k));
        pbdrBodyId body = addDriven(world, start.position, start.rotation);
        CHECK(!pbdrBody_GetTarget(world, body, NULL, NULL));
        CHECK(pbdrBody_SetTarget(world, body, end, 0.1) == pbdr_statusOk);
        pbdrPose target;
        double time = 0.0;
        CHECK(pbdrBody_GetTarget(world, body, &target, &time));
        CHECK_NEAR(time, 0.1, 1e-15);
        CHECK_EQ(distance(target.position, end.position), 0.0);
        for (int i = 1; i < 100; i++) {
            CHECK_EQ(pbdrWorld_Step(world, 1), 0);
            pbdrPose now = pbdrBody_GetPose(world, body);
            pbdrVec3 way = pbdrSub(end.position, start.position);
            CHECK_LE(distance(now.position, pbdrAddScaled(start.position, 0.01 * i, way)), 1e-14);
            CHECK_LE(getAngle(now.rotation, pbdrQuatFromVector(pbdrScale(0.01 * i, turn))), 1e-13);
            pbdrVelocity velocity = pbdrBody_GetVelocity(world, body);
            CHECK_LE(distance(velocity.linear, pbdrScale(10.0, way)), 1e-11);
            CHECK_LE(distance(velocity.angular, pbdrScale(10.0, turn)), 1e-10);
        }
        pbdrWorld_Step(world, 1);
        for (int i = 0; i < 3; i++) { // there, and there it stays
            pbdrPose now = pbdrBody_GetPose(world, body);
            CHECK_EQ(distance(now.position, end.position), 0.0);
            CHECK_LE(getAngle(now.rotation, end.rotation), 1e-15);
            pbdrVelocity velocity = pbdrBody_GetVelocity(world, body);
            CHECK_EQ(pbdrLength(velocity.linear) + pbdrLength(velocity.angular), 0.0);
            CHECK(!pbdrBody_GetTarget(world, body, NULL, NULL));
            pbdrWorld_Step(world, 10);
        }
        pbdrDestroyWorld(world);
    }
}

// Times are rounded up to whole substeps, at least one; a change of the time step keeps the time.
static void target__time_is_in_whole_substeps(void)
{
    const double times[] = {0.0, 1e-4, 1e-3, 3e-3, 2.5e-3, 7 * 1e-3};
    const int substeps[] = {1, 1, 1, 3, 3, 7};
    pbdrWorld* world = makeWorld(getEngineDef(3));
    pbdrBodyId body = addDriven(world, pbdrVec(0.0, 0.0, 0.0), (pbdrQuat){1.0, 0.0, 0.0, 0.0});
    for (int k = 0; k < 6; k++) {
        const pbdrPose end = {{1.0 + k, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
        CHECK(pbdrBody_SetTarget(world, body, end, times[k]) == pbdr_statusOk);
        int count = 0;
        while (pbdrBody_GetTarget(world, body, NULL, NULL) && count < 100) {
            pbdrWorld_Step(world, 1);
            count++;
        }
        CHECK_EQ(count, substeps[k]);
        CHECK_EQ(pbdrBody_GetPose(world, body).position.x, 1.0 + k);
    }
    // exactly there, whatever the way: sums of steps would be a rounding off
    for (int k = 1; k < 40; k++) {
        const pbdrPose end = {{1.0 / k, sqrt(k), -0.1 * k}, {1.0, 0.0, 0.0, 0.0}};
        pbdrWorld_SetTimeStep(world, 1e-3 / k);
        CHECK(pbdrBody_SetTarget(world, body, end, k % 2 * 1e-3) == pbdr_statusOk);
        pbdrWorld_Step(world, k);
        CHECK_EQ(distance(pbdrBody_GetPose(world, body).position, end.position), 0.0);
    }
    pbdrWorld_SetTimeStep(world, 1e-3);
    CHECK(pbdrBody_SetTarget(world, body, (pbdrPose){{0, 0, 0}, {1, 0, 0, 0}}, 0.1) == pbdr_statusOk);
    pbdrWorld_Step(world, 50);
    pbdrWorld_SetTimeStep(world, 5e-4);
    double time;
    CHECK(pbdrBody_GetTarget(world, body, NULL, &time));
    CHECK_NEAR(time, 0.05, 1e-15);
    pbdrWorld_Step(world, 99);
    CHECK(pbdrBody_GetTarget(world, body, NULL, NULL));
    pbdrWorld_Step(world, 1);
    CHECK_EQ(pbdrBody_GetPose(world, body).position.x, 0.0);
    pbdrDestroyWorld(world);
}

// A pusher on its way shoves a cube that it touches along a floor without friction: the cube has the pusher's
// speed, and keeps it when the pusher stops. A cube that stands on a driven platform goes with it by
// friction.
static void target__contact_feels_the_velocity(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld* world = makeWorld(getEngineDef(k));
        addGround(world, 0.0);
        pbdrBodyId cube = addCube(world, 4, 0.0, 0.0, 0.0);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.kind = pbdr_bodyKinematic;
        def.position = pbdrVec(-0.2, 0.0, 0.1);
        pbdrBodyId pusher = addBlock(world, 4, 4, 4, 0.025, 4.0, def);
        const pbdrPose end = {{0.2, 0.0, 0.1}, {1.0, 0.0, 0.0, 0.0}};
        CHECK(pbdrBody_SetTarget(world, pusher, end, 0.8) == pbdr_statusOk); // 0.5 m/s
        // PBD and PBD-R throw what they push: ten corrections of the front spheres are one of the body and
        // 7 % more
        const double most = k == 3 ? 0.5 + 1e-9 : 0.55;
        for (int i = 0; i < 2; i++) {
            CHECK_EQ(pbdrWorld_Step(world, 500), 0); // on the way, and 0.2 s after it
            CHECK_GE(pbdrBody_GetVelocity(world, cube).linear.x, 0.5 - 1e-9);
            CHECK_LE(pbdrBody_GetVelocity(world, cube).linear.x, most);
        }
        CHECK_GE(pbdrBody_GetPose(world, cube).position.x, 0.4 + 0.2 * 0.5 - 1e-3);
        pbdrDestroyWorld(world);

        world = makeWorld(getEngineDef(k));
        def.position = pbdrVec(0.0, 0.0, -0.05);
        def.friction = 1.0;
        pbdrBodyId platform = addBlock(world, 8, 8, 1, 0.05, 4.0, def);
        cube = addCube(world, 2, 0.0, 0.0, 1.0);
        CHECK(pbdrBody_SetTarget(world, platform, (pbdrPose){{0.1, 0.0, -0.05}, {1, 0, 0, 0}}, 1.0) ==
              pbdr_statusOk);
        CHECK_EQ(pbdrWorld_Step(world, 500), 0);
        CHECK_NEAR(pbdrBody_GetVelocity(world, cube).linear.x, 0.1, 0.02);
        CHECK_NEAR(pbdrBody_GetPose(world, cube).position.x, 0.05, 5e-3);
        pbdrDestroyWorld(world);
    }
}

// Whoever drives a body otherwise ends its target.
static void target__ends_with_other_driving(void)
{
    for (int way = 0; way < 6; way++) {
        pbdrWorld* world = makeWorld(getEngineDef(3));
        pbdrBodyId body = addDriven(world, pbdrVec(0.0, 0.0, 0.0), (pbdrQuat){1.0, 0.0, 0.0, 0.0});
        const pbdrPose end = {{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
        const pbdrVec3 force = {0.0, 2.0, 0.0};
        pbdrBody_SetForce(world, body, force);
        CHECK(pbdrBody_SetTarget(world, body, end, 0.1) == pbdr_statusOk);
        CHECK_EQ(pbdrLength(pbdrBody_GetForce(world, body)), 0.0);
        pbdrWorld_Step(world, 10);
        switch (way) {
        case 0:
            CHECK(pbdrBody_SetForce(world, body, force) == pbdr_statusOk);
            break;
        case 1:
            CHECK(pbdrBody_SetTorque(world, body, force) == pbdr_statusOk);
            break;
        case 2:
            CHECK(pbdrBody_ApplyForce(world, body, force, force) == pbdr_statusOk);
            break;
        case 3:
            CHECK(pbdrBody_SetPose(world, body, end) == pbdr_statusOk);
            break;
        case 4:
            CHECK(pbdrBody_SetVelocity(world, body, (pbdrVelocity){{0, 0, 0}, {0, 0, 0}}) == pbdr_statusOk);
            break;
        default:
            CHECK(pbdrBody_ApplyImpulse(world, body, force, force) == pbdr_statusOk);
        }
        CHECK(!pbdrBody_GetTarget(world, body, NULL, NULL));
        pbdrDestroyWorld(world);
    }
}

static void target__refuses_what_cannot_be_reached(void)
{
    Ledger ledger = {0};
    pbdrWorldDef def = getEngineDef(3);
    def.hooks = makeHooks(&ledger);
    pbdrWorld* world = makeWorld(def);
    pbdrBodyId driven = addDriven(world, pbdrVec(0.0, 0.0, 0.0), (pbdrQuat){1.0, 0.0, 0.0, 0.0});
    pbdrBodyId cube = addCube(world, 2, 3.0, 0.0, 0.4);
    const pbdrPose good = {{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    pbdrPose bad = good;
    CHECK(pbdrBody_SetTarget(world, cube, good, 1.0) == pbdr_statusInvalidArgument);
    CHECK(pbdrBody_SetTarget(world, driven, good, -1.0) == pbdr_statusInvalidArgument);
    CHECK(pbdrBody_SetTarget(world, driven, good, (double)NAN) == pbdr_statusInvalidArgument);
    CHECK(pbdrBody_SetTarget(world, driven, good, HUGE_VAL) == pbdr_statusInvalidArgument);
    CHECK(pbdrBody_SetTarget(world, driven, good, 1e7) == pbdr_statusInvalidArgument); // 1e10 substeps
    bad.position.y = (double)NAN;
    CHECK(pbdrBody_SetTarget(world, driven, bad, 1.0) == pbdr_statusInvalidArgument);
    bad = good;
    bad.rotation.w = 2.0;
    CHECK(pbdrBody_SetTarget(world, driven, bad, 1.0) == pbdr_statusInvalidArgument);
    CHECK(!pbdrBody_GetTarget(world, driven, NULL, NULL));
    CHECK_EQ(ledger.assertions, 0);
    pbdrDestroyBody(world, driven);
    CHECK(pbdrBody_SetTarget(world, driven, good, 1.0) == pbdr_statusInvalidId);
    CHECK_EQ(ledger.assertions, 1);
    pbdrDestroyWorld(world);
}

// A state holds the target: another world goes on the same way, bit for bit.
static void target__is_state(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld* worlds[2];
        pbdrBodyId bodies[2];
        for (int w = 0; w < 2; w++) {
            worlds[w] = makeWorld(getEngineDef(k));
            addGround(worlds[w], 0.4);
            addCube(worlds[w], 2, 0.3, 0.0, 0.4);
            bodies[w] = addDriven(worlds[w], pbdrVec(0.0, 0.0, 0.1), (pbdrQuat){1.0, 0.0, 0.0, 0.0});
        }
        const pbdrPose end = {{0.2, 0.1, 0.1}, {0.6, 0.0, 0.0, 0.8}};
        CHECK(pbdrBody_SetTarget(worlds[0], bodies[0], end, 0.2) == pbdr_statusOk);
        pbdrWorld_Step(worlds[0], 77);
        size_t size;
        unsigned char* state = saveState(worlds[0], &size);
        CHECK(pbdrWorld_SetState(worlds[1], state, size, NULL) == pbdr_statusOk);
        free(state);
        pbdrWorld_Step(worlds[0], 150), pbdrWorld_Step(worlds[1], 150);
        CHECK(haveSameState(worlds[0], worlds[1]));
        CHECK_EQ(distance(pbdrBody_GetPose(worlds[1], bodies[1]).position, end.position), 0.0);
        pbdrDestroyWorld(worlds[0]), pbdrDestroyWorld(worlds[1]);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"logarithm__undoes_the_exponential", logarithm__undoes_the_exponential},
          {"target__is_reached_on_time_and_exactly", target__is_reached_on_time_and_exactly},
          {"target__time_is_in_whole_substeps", target__time_is_in_whole_substeps},
          {"target__contact_feels_the_velocity", target__contact_feels_the_velocity},
          {"target__ends_with_other_driving", target__ends_with_other_driving},
          {"target__refuses_what_cannot_be_reached", target__refuses_what_cannot_be_reached},
          {"target__is_state", target__is_state});
}
