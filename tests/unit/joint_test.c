// Joints as things of a world: what is refused, ids, destruction, state, copies.
#include "mechanisms.h"

static const pbdrVec3 moments = {0.1, 0.1, 0.1};

static pbdrJointDef makeHinge(pbdrWorld* world, pbdrBodyId a, pbdrBodyId b)
{
    pbdrJointDef def = pbdrDefaultJointDef();
    def.kind = pbdr_jointHinge;
    def.bodyA = a;
    def.bodyB = b;
    CHECK(pbdrPlaceJointDef(world, &def, pbdrVec(0.5, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0)) == pbdr_statusOk);
    return def;
}

static void refuse(pbdrWorld* world, const pbdrJointDef* def, pbdrStatus status, const char* part)
{
    pbdrError error = {.message = ""};
    pbdrJointId id = {1, 1, 1};
    CHECK(pbdrCreateJoint(world, def, &id, &error) == status);
    CHECK(id.index1 == 0);
    CHECK_TEXT(error.message, part);
    CHECK(pbdrWorld_GetJoints(world, NULL, 0) == 0);
}

static void wrong_joints__are_refused_by_name(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const pbdrBodyId a = addStill(world, 1.0, moments, pbdrVec(0.0, 0.0, 0.0)),
                     b = addStill(world, 1.0, moments, pbdrVec(1.0, 0.0, 0.0));
    pbdrBodyDef still = pbdrDefaultBodyDef();
    still.kind = pbdr_bodyStatic;
    still.position = pbdrVec(3.0, 0.0, 0.0);
    const pbdrBodyId wall = addBlock(world, 1, 1, 1, 0.1, 1.0, still);
    const pbdrJointDef good = makeHinge(world, a, b);
    const pbdrStatus invalid = pbdr_statusInvalidArgument;
    pbdrJointDef def = good;
    def.frameB.anchor.x += 0.25;
    refuse(world, &def, invalid, "anchors are 0.25 m apart");
    def = good;
    def.frameA.axis = pbdrVec(0.0, 0.0, 0.0);
    refuse(world, &def, invalid, "frameA.axis: (0, 0, 0) has no direction");
    def = good;
    def.frameB.axis = pbdrVec(0.0, 1.0, 0.1);
    refuse(world, &def, invalid, "axes or sides");
    def.frameB.axis = pbdrVec(0.0, -1.0, 0.0);
    refuse(world, &def, invalid, "axes or sides");
    def = good;
    def.bodyB = a;
    refuse(world, &def, invalid, "the same body");
    def = good;
    def.bodyA = wall;
    def.bodyB = theWorld;
    refuse(world, &def, invalid, "neither side is dynamic");
    def = good;
    def.frameA.anchor.y = (double)NAN;
    refuse(world, &def, invalid, "not finite");
    def = good;
    def.frameA.side = def.frameA.axis;
    refuse(world, &def, invalid, "along the axis");
    def = good;
    def.frameA.side = pbdrVec(1.0, 0.0, 0.0);
    refuse(world, &def, invalid, "one frame has a side");
    def = good;
    def.lower = 1.0;
    def.upper = 2.0;
    refuse(world, &def, invalid, "not between lower and upper");
    def.upper = 0.5;
    refuse(world, &def, invalid, "lower, upper: 1 is not below 0.5");
    def = good;
    def.damping = -1.0;
    refuse(world, &def, invalid, "damping: -1");
    def = good;
    def.kind = pbdr_jointFixed;
    def.stiffness = 1.0;
    refuse(world, &def, invalid, "only a ball, a hinge, a slide or a span");
    def = good;
    def.kind = pbdr_jointDistance;
    def.length = 0.5;
    refuse(world, &def, invalid, "off its length by 0.5 m");
    def = good;
    def.kind = pbdr_jointSpan;
    refuse(world, &def, invalid, "a span's anchors are in the same place");
    def = good;
    def.cookie = 0;
    refuse(world, &def, pbdr_statusInvalidArgument, "pbdrDefaultJointDef");
    def = good;
    pbdrDestroyBody(world, b);
    refuse(world, &def, pbdr_statusInvalidId, "bodyB");
    pbdrDestroyWorld(world);
}

static void refuseGear(pbdrWorld* world, const pbdrJointDef* def, pbdrStatus status, const char* part)
{
    pbdrError error = {.message = ""};
    const int count = pbdrWorld_GetJoints(world, NULL, 0);
    CHECK(pbdrCreateJoint(world, def, NULL, &error) == status);
    CHECK_TEXT(error.message, part);
    CHECK(pbdrWorld_GetJoints(world, NULL, 0) == count);
}

static void gears__are_between_axes(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const pbdrBodyId a = addStill(world, 1.0, moments, pbdrVec(0.0, 0.0, 0.0)),
                     b = addStill(world, 1.0, moments, pbdrVec(1.0, 0.0, 0.0)),
                     c = addStill(world, 1.0, moments, pbdrVec(2.0, 0.0, 0.0));
    const pbdrVec3 y = {0.0, 1.0, 0.0};
    const pbdrJointId one = addJoint(world, pbdr_jointHinge, theWorld, a, pbdrVec(0.0, 0.0, 0.0), y),
                      two = addJoint(world, pbdr_jointHinge, a, b, pbdrVec(1.0, 0.0, 0.0), y),
                      same = addJoint(world, pbdr_jointHinge, b, a, pbdrVec(1.0, 0.0, 0.0), y),
                      ball = addJoint(world, pbdr_jointBall, b, c, pbdrVec(2.0, 0.0, 0.0), y);
    const pbdrStatus invalid = pbdr_statusInvalidArgument;
    pbdrJointDef good = pbdrDefaultJointDef();
    good.kind = pbdr_jointGear;
    good.jointA = one;
    good.jointB = two;
    pbdrJointDef def = good;
    def.jointB = ball;
    refuseGear(world, &def, invalid, "jointB: a gear is between hinges, slides and spans");
    def.jointB = one;
    refuseGear(world, &def, invalid, "are the same joint");
    def.jointB = (pbdrJointId){0, 0, 0};
    refuseGear(world, &def, pbdr_statusInvalidId, "jointB: there is no such joint");
    def = good;
    def.jointA = same;
    refuseGear(world, &def, invalid, "between the same two bodies");
    def = good;
    def.bodyA = a;
    refuseGear(world, &def, invalid, "no bodies");
    def = good;
    def.coefficients[0] = 0.25;
    refuseGear(world, &def, invalid, "follower is at 0, where 0.25 is asked for");
    def.coefficients[0] = (double)NAN;
    refuseGear(world, &def, invalid, "coefficients: ");
    pbdrDestroyJoint(world, same);
    // a gear goes with either of its joints, and with their bodies
    pbdrError error;
    pbdrJointId gear;
    require(pbdrCreateJoint(world, &good, &gear, &error), &error);
    CHECK(pbdrJoint_GetKind(world, gear) == pbdr_jointGear);
    stepMechanism(world, 50);
    pbdrVelocity accelerations[3];
    double axes[4];
    CHECK(pbdrWorld_FindAccelerations(world, accelerations, axes, &error) == pbdr_statusNotSupported);
    CHECK_NEAR(pbdrJoint_GetPosition(world, one), pbdrJoint_GetPosition(world, two), 1.0e-10);
    pbdrDestroyJoint(world, two);
    CHECK(!pbdrJoint_IsValid(world, gear) && pbdrJoint_IsValid(world, one));
    stepMechanism(world, 50);
    good.jointB = addJoint(world, pbdr_jointHinge, theWorld, b, pbdrBody_GetPose(world, b).position, y);
    good.coefficients[0] = -pbdrJoint_GetPosition(world, one);
    require(pbdrCreateJoint(world, &good, &gear, &error), &error);
    stepMechanism(world, 50);
    pbdrDestroyBody(world, a);
    CHECK(!pbdrJoint_IsValid(world, gear) && pbdrJoint_IsValid(world, good.jointB));
    stepMechanism(world, 50);
    pbdrDestroyWorld(world);
}

static void other_solvers__refuse_joints(void)
{
    for (int k = 0; k < ENGINE_COUNT - 1; k++) {
        pbdrWorld* world = makeWorld(getEngineDef(k));
        pbdrBodyDef body = pbdrDefaultBodyDef();
        const pbdrBodyId id = addBlock(world, 2, 2, 2, 0.1, 1.0, body);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.bodyB = id;
        refuse(world, &def, pbdr_statusNotSupported, "XPBD-R");
        pbdrDestroyWorld(world);
    }
}

static void body__takes_its_joints_along(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    pbdrBodyId links[4], last = theWorld;
    pbdrJointId joints[4];
    for (int k = 0; k < 4; k++) {
        links[k] = addStill(world, 1.0, moments, pbdrVec(k + 0.5, 0.0, 0.0));
        joints[k] =
            addJoint(world, pbdr_jointHinge, last, links[k], pbdrVec(k, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
        last = links[k];
    }
    stepMechanism(world, 100);
    pbdrDestroyBody(world, links[1]);
    CHECK(pbdrWorld_GetJoints(world, NULL, 0) == 2);
    CHECK(pbdrJoint_IsValid(world, joints[0]) && !pbdrJoint_IsValid(world, joints[1]));
    CHECK(!pbdrJoint_IsValid(world, joints[2]) && pbdrJoint_IsValid(world, joints[3]));
    stepMechanism(world, 100);
    // what the two lost falls
    CHECK_LE(pbdrBody_GetPose(world, links[3]).position.z, -0.1);
    pbdrDestroyJoint(world, joints[3]);
    stepMechanism(world, 100);
    // a place is used again, under another generation
    const pbdrJointId again = addJoint(world, pbdr_jointBall, theWorld, links[0],
                                       pbdrBody_GetPose(world, links[0]).position, pbdrVec(0.0, 0.0, 1.0));
    CHECK(again.index1 == joints[1].index1 && again.generation != joints[1].generation);
    stepMechanism(world, 10);
    pbdrDestroyWorld(world);
}

static pbdrWorld* makeSample(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const pbdrBodyId a = addStill(world, 1.0, moments, pbdrVec(0.0, 0.0, 0.0)),
                     b = addStill(world, 2.0, moments, pbdrVec(1.0, 0.2, 0.0)),
                     c = addStill(world, 0.5, moments, pbdrVec(2.0, 0.0, 0.1));
    pbdrJointDef def = makeHinge(world, a, b);
    def.motor = pbdr_motorPosition;
    def.motorTarget = 0.3;
    def.motorStiffness = 40.0;
    def.motorDamping = 1.0;
    def.friction = 0.1;
    pbdrError error;
    require(pbdrCreateJoint(world, &def, NULL, &error), &error);
    addJoint(world, pbdr_jointUniversal, b, c, pbdrVec(1.5, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
    addJoint(world, pbdr_jointBall, theWorld, a, pbdrVec(-0.5, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
    // and two wheels on c, geared to each other
    pbdrJointDef gear = pbdrDefaultJointDef();
    gear.kind = pbdr_jointGear;
    gear.coefficients[1] = -1.5;
    for (int k = 0; k < 2; k++) {
        const pbdrVec3 place = {2.0, 0.3 * k, 0.1};
        const pbdrBodyId wheel = addStill(world, 0.3, moments, place);
        *(k == 0 ? &gear.jointA : &gear.jointB) =
            addJoint(world, pbdr_jointHinge, c, wheel, place, pbdrVec(0.0, 1.0, 0.2));
    }
    require(pbdrCreateJoint(world, &gear, NULL, &error), &error);
    return world;
}

static void state__goes_on_bit_for_bit(void)
{
    static char bytes[200000];
    pbdrWorld *first = makeSample(), *second = makeSample(), *copy;
    pbdrError error;
    stepMechanism(first, 137);
    const size_t size = pbdrWorld_GetStateSize(first);
    CHECK(size <= sizeof bytes);
    require(pbdrWorld_GetState(first, bytes, size, &error), &error);
    require(pbdrWorld_SetState(second, bytes, size, &error), &error);
    require(pbdrCopyWorld(first, 0, &copy, &error), &error);
    stepMechanism(first, 200);
    stepMechanism(second, 200);
    stepMechanism(copy, 200);
    CHECK(pbdrWorld_GetHash(first) == pbdrWorld_GetHash(second));
    CHECK(pbdrWorld_GetHash(first) == pbdrWorld_GetHash(copy));
    pbdrJointId ids[2][6];
    CHECK(pbdrWorld_GetJoints(first, ids[0], 6) == 6 && pbdrWorld_GetJoints(copy, ids[1], 6) == 6);
    CHECK(!pbdrJoint_IsValid(copy, ids[0][0]));
    CHECK_EQ(pbdrJoint_GetPosition(first, ids[0][0]), pbdrJoint_GetPosition(copy, ids[1][0]));
    CHECK_EQ(pbdrJoint_GetAxisForce(first, ids[0][0]), pbdrJoint_GetAxisForce(copy, ids[1][0]));
    // another joint is another world
    pbdrDestroyJoint(second, (pbdrWorld_GetJoints(second, ids[1], 6), ids[1][2]));
    CHECK(pbdrWorld_SetState(second, bytes, size, &error) == pbdr_statusStateMismatch);
    pbdrDestroyWorld(first);
    pbdrDestroyWorld(second);
    pbdrDestroyWorld(copy);
}

// A world of the same bodies, and joints of the definitions that the first one tells, goes on from its state.
static void definitions__make_joints_again(void)
{
    static char bytes[200000];
    pbdrWorld *first = makeSample(), *second = makeSample();
    pbdrError error;
    stepMechanism(first, 333);
    pbdrBodyId bodies[2][8];
    const int count = pbdrWorld_GetBodies(first, bodies[0], 8);
    pbdrWorld_GetBodies(second, bodies[1], 8);
    pbdrJointId joints[2][8];
    CHECK_EQ(pbdrWorld_GetJoints(first, joints[0], 8), 6);
    pbdrWorld_GetJoints(second, joints[1], 8);
    for (int k = 5; k >= 0; k--) { // the gear before its axes
        pbdrDestroyJoint(second, joints[1][k]);
    }
    // generations are part of what a state is of
    for (int k = 0; k < count; k++) {
        const pbdrPose pose = pbdrBody_GetPose(first, bodies[0][k]);
        CHECK(pbdrBody_SetPose(second, bodies[1][k], pose) == pbdr_statusOk);
    }
    pbdrWorld* third = NULL;
    require(pbdrCopyWorld(first, 0, &third, &error), &error);
    CHECK_EQ(pbdrWorld_GetJoints(third, joints[1], 8), 6);
    for (int k = 5; k >= 0; k--) {
        pbdrDestroyJoint(third, joints[1][k]);
    }
    pbdrWorld* worlds[2] = {second, third};
    for (int w = 0; w < 2; w++) {
        pbdrJointId made[6];
        for (int k = 0; k < 6; k++) {
            pbdrJointDef def = pbdrJoint_GetDef(first, joints[0][k]);
            pbdrBodyId ids[8];
            pbdrWorld_GetBodies(worlds[w], ids, 8);
            def.bodyA = def.bodyA.index1 > 0 ? ids[def.bodyA.index1 - 1] : def.bodyA;
            def.bodyB = def.bodyB.index1 > 0 ? ids[def.bodyB.index1 - 1] : def.bodyB;
            if (def.kind == pbdr_jointGear) {
                def.jointA = made[def.jointA.index1 - 1];
                def.jointB = made[def.jointB.index1 - 1];
            }
            require(pbdrCreateJoint(worlds[w], &def, &made[k], &error), &error);
        }
    }
    const size_t size = pbdrWorld_GetStateSize(second);
    require(pbdrWorld_GetState(second, bytes, size, &error), &error);
    require(pbdrWorld_SetState(third, bytes, size, &error), &error);
    stepMechanism(second, 100);
    stepMechanism(third, 100);
    CHECK(pbdrWorld_GetHash(second) == pbdrWorld_GetHash(third));
    pbdrDestroyWorld(first);
    pbdrDestroyWorld(second);
    pbdrDestroyWorld(third);
}

// Any allocation may fail: a call says so or a substep is flagged, bodies stay finite, and all is given back.
static void memory__may_run_out(void)
{
    int flagged = 0, refused = 0;
    for (int failAt = 1; failAt < 200; failAt++) {
        Ledger ledger = {.failAt = failAt};
        pbdrWorldDef def = pbdrDefaultWorldDef();
        def.solver = pbdr_solverXpbdR;
        def.hooks = makeHooks(&ledger);
        pbdrWorld* world;
        if (pbdrCreateWorld(&def, &world, NULL) != pbdr_statusOk) {
            CHECK_EQ(ledger.bytes, 0);
            continue;
        }
        pbdrBodyId last = theWorld;
        for (int k = 0; k < 3; k++) {
            pbdrShape* shape = NULL;
            pbdrError error;
            require(pbdrCreateBoxShape(pbdrVec(0.8, 0.1, 0.1), 1.0, 2, &shape, &error), &error);
            pbdrBodyDef body = pbdrDefaultBodyDef();
            body.position = pbdrVec(k + 0.5, 0.0, 0.0);
            pbdrBodyId link = theWorld;
            if (pbdrCreateBodyFromShape(world, &body, shape, &link, NULL) == pbdr_statusOk) {
                pbdrJointDef joint = pbdrDefaultJointDef();
                joint.bodyA = last;
                joint.bodyB = link;
                CHECK(pbdrPlaceJointDef(world, &joint, pbdrVec(k, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0)) ==
                      pbdr_statusOk);
                refused += pbdrCreateJoint(world, &joint, NULL, NULL) == pbdr_statusNoMemory;
                last = link;
            }
            pbdrReleaseShape(shape);
        }
        const uint32_t flags = pbdrWorld_Step(world, 3);
        CHECK((flags & pbdr_stepNotFinite) == 0);
        flagged += (flags & pbdr_stepPairsFull) != 0;
        const bool enough = ledger.allocations < failAt;
        pbdrDestroyWorld(world);
        CHECK_EQ(ledger.bytes, 0);
        if (enough) {
            break;
        }
    }
    CHECK_GE(refused, 1);
    CHECK_GE(flagged, 5);
}

static uint64_t runPendulums(int threads)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.threads = threads;
    pbdrWorld* world = makeWorld(def);
    for (int k = 0; k < 12; k++) {
        pbdrBodyId last = theWorld;
        for (int i = 0; i <= k % 4; i++) {
            const pbdrBodyId link = addStill(world, 1.0, moments, pbdrVec(i + 0.5, k, 0.1 * k));
            addJoint(world, pbdr_jointHinge, last, link, pbdrVec(i, k, 0.1 * k), pbdrVec(0.0, 1.0, 0.0));
            last = link;
        }
    }
    stepMechanism(world, 100);
    const uint64_t hash = pbdrWorld_GetHash(world);
    pbdrDestroyWorld(world);
    return hash;
}

static void threads__change_no_bit(void)
{
    CHECK(runPendulums(1) == runPendulums(3));
}

// Bodies that a joint holds do not touch each other unless it says so.
static void joined_bodies__do_not_touch(void)
{
    for (int touch = 0; touch < 2; touch++) {
        pbdrWorld* world = makeMechanismWorld(1.0e-3);
        CHECK(pbdrWorld_SetGravity(world, pbdrVec(0.0, 0.0, 0.0)) == pbdr_statusOk);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        const pbdrBodyId a = addBlock(world, 2, 2, 2, 0.1, 1.0, def);
        def.position = pbdrVec(0.3, 0.0, 0.0);
        const pbdrBodyId b = addBlock(world, 2, 2, 2, 0.1, 1.0, def);
        pbdrJointDef joint = makeHinge(world, a, b);
        pbdrError error;
        joint.touch = touch != 0;
        require(pbdrCreateJoint(world, &joint, NULL, &error), &error);
        pbdrWorld_Step(world, 3);
        CHECK((pbdrWorld_GetContacts(world, NULL, 0) > 0) == (touch != 0));
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"wrong_joints__are_refused_by_name", wrong_joints__are_refused_by_name},
          {"gears__are_between_axes", gears__are_between_axes},
          {"other_solvers__refuse_joints", other_solvers__refuse_joints},
          {"body__takes_its_joints_along", body__takes_its_joints_along},
          {"state__goes_on_bit_for_bit", state__goes_on_bit_for_bit},
          {"definitions__make_joints_again", definitions__make_joints_again},
          {"memory__may_run_out", memory__may_run_out}, {"threads__change_no_bit", threads__change_no_bit},
          {"joined_bodies__do_not_touch", joined_bodies__do_not_touch});
}
