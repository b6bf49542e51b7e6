// The law of ball joints: dampers, springs, friction and bounds against closed forms, as trees, in mechanisms that are no trees,
// and with contacts. Joints are closed to 1e-12 m after every substep (stepMechanism).
#include "mechanisms.h"

#include <stdlib.h>

static const pbdrVec3 origin = {0.0, 0.0, 0.0}, alongZ = {0.0, 0.0, 1.0};
static const double inertia = 0.02;

// A round body on a ball joint at its centre, that turns; loose: a span that does nothing makes it no tree.
static pbdrJointId addTop(pbdrWorld* world, const pbdrJointDef* def, pbdrVec3 spin, bool loose,
                          pbdrBodyId* body)
{
    *body = addRigid(world, 1.0, pbdrVec(inertia, inertia, inertia), (pbdrPose){origin, {1.0, 0.0, 0.0, 0.0}},
                     (pbdrVelocity){origin, spin});
    if (loose) {
        pbdrJointDef span = pbdrDefaultJointDef();
        span.kind = pbdr_jointSpan;
        span.bodyB = *body;
        span.frameA.anchor = pbdrVec(1.0, 2.0, 3.0);
        pbdrError error;
        require(pbdrCreateJoint(world, &span, NULL, &error), &error);
    }
    return addJointWith(world, def, pbdr_jointBall, theWorld, *body, origin, alongZ);
}

// w = w0 exp(-d t/I)
static void damper__slows_exponentially(void)
{
    const pbdrVec3 spin = {1.0, -2.0, 0.5};
    for (int loose = 0; loose < 2; loose++) {
        double errors[SIZES];
        for (int k = 0; k < SIZES; k++) {
            const double dt = 8.0e-3 / (1 << k);
            pbdrWorld* world = makeWeightless(dt);
            pbdrJointDef def = pbdrDefaultJointDef();
            def.damping = 0.05;
            pbdrBodyId body;
            addTop(world, &def, spin, loose != 0, &body);
            stepMechanism(world, (int)lround(0.8 / dt));
            const pbdrVec3 wanted = pbdrScale(exp(-0.05 / inertia * 0.8), spin);
            errors[k] = pbdrLength(pbdrSub(pbdrBody_GetVelocity(world, body).angular, wanted));
            pbdrDestroyWorld(world);
        }
        checkOrder(loose == 0 ? "a damped body on a ball joint after 0.8 s"
                              : "the same in a mechanism that is no tree",
                   "rad/s", 8.0e-3, errors);
    }
}

// The angle is a cos(sqrt(k/I) t), at any amplitude.
static void spring__swings_with_its_frequency(void)
{
    const double k = 0.5, angle = 2.0, w = sqrt(k / inertia);
    const pbdrVec3 axis = {0.6, 0.0, 0.8};
    for (int loose = 0; loose < 2; loose++) {
        double errors[SIZES];
        for (int size = 0; size < SIZES; size++) {
            const double dt = 4.0e-3 / (1 << size);
            pbdrWorld* world = makeWeightless(dt);
            pbdrJointDef def = pbdrDefaultJointDef();
            def.stiffness = k;
            pbdrBodyId body;
            const pbdrJointId joint = addTop(world, &def, origin, loose != 0, &body);
            CHECK(pbdrBody_SetPose(world, body,
                                   (pbdrPose){origin, pbdrQuatFromVector(pbdrScale(angle, axis))}) ==
                  pbdr_statusOk);
            stepMechanism(world, (int)lround(2.0 / dt));
            const pbdrVec3 turn = pbdrVectorFromQuat(pbdrBody_GetPose(world, body).rotation);
            errors[size] = pbdrLength(pbdrSub(turn, pbdrScale(angle * cos(w * 2.0), axis)));
            CHECK_NEAR(pbdrJoint_GetPosition(world, joint), pbdrLength(turn), 1.0e-12);
            pbdrDestroyWorld(world);
        }
        checkOrder(loose == 0 ? "turn on a spring of a ball joint after 2 s"
                              : "the same in a mechanism that is no tree",
                   "rad", 4.0e-3, errors);
    }
}

// Any body on a spring that pulls to an orientation keeps its energy; its work is what the ledger says.
static void spring__keeps_energy(void)
{
    const double k = 2.0;
    pbdrWorld* world = makeWeightless(1.0e-3);
    pbdrJointDef def = pbdrDefaultJointDef();
    def.stiffness = k;
    const pbdrBodyId body =
        addRigid(world, 1.0, pbdrVec(0.01, 0.02, 0.025), (pbdrPose){{0.1, 0.0, 0.2}, {1.0, 0.0, 0.0, 0.0}},
                 (pbdrVelocity){origin, origin});
    const pbdrJointId joint = addJointWith(world, &def, pbdr_jointBall, theWorld, body, origin, alongZ);
    const pbdrVec3 spin = {3.0, 4.0, -2.0};
    CHECK(pbdrBody_SetVelocity(world, body, (pbdrVelocity){pbdrCross(spin, pbdrVec(0.1, 0.0, 0.2)), spin}) ==
          pbdr_statusOk);
    const double start = getMechanismEnergy(world);
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int step = 0; step < 20000; step++) {
        stepMechanism(world, 1);
        const double angle = pbdrJoint_GetPosition(world, joint);
        const double off = (getMechanismEnergy(world) + 0.5 * k * angle * angle - start) / start;
        least = fmin(least, off);
        most = fmax(most, off);
    }
    CHECK_MEASURED(
        "a body that tumbles on the spring of a ball joint: energy off in 20 s at 1 ms over the start's",
        fmax(most, -least), 1.0e-4);
    pbdrDestroyWorld(world);
}

// Gains that no explicit step would bear.
static void large_gains__are_stable(void)
{
    for (int loose = 0; loose < 2; loose++) {
        pbdrWorld* world = makeWeightless(1.0e-3);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.damping = 1.0e6;
        def.stiffness = 1.0e6;
        pbdrBodyId body;
        addTop(world, &def, pbdrVec(3.0, 2.0, 1.0), loose != 0, &body);
        stepMechanism(world, 2000);
        CHECK_LE(pbdrLength(pbdrBody_GetVelocity(world, body).angular), 10.0);
        CHECK_LE(pbdrLength(pbdrVectorFromQuat(pbdrBody_GetPose(world, body).rotation)), 0.01);
        pbdrDestroyWorld(world);
    }
}

// Friction of f per component holds a torque of 0.9 f along each, and lets go of one of 1.1 f.
static void friction__holds_and_slips(void)
{
    for (int loose = 0; loose < 2; loose++) {
        pbdrWorld* world = makeWeightless(1.0e-3);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.friction = 0.1;
        pbdrBodyId body;
        addTop(world, &def, origin, loose != 0, &body);
        CHECK(pbdrBody_SetTorque(world, body, pbdrVec(0.09, -0.09, 0.09)) == pbdr_statusOk);
        stepMechanism(world, 500);
        CHECK_LE(pbdrLength(pbdrVectorFromQuat(pbdrBody_GetPose(world, body).rotation)), 1.0e-14);
        CHECK(pbdrBody_SetTorque(world, body, pbdrVec(0.11, -0.09, 0.0)) == pbdr_statusOk);
        stepMechanism(world, 500);
        const pbdrVec3 turn = pbdrVectorFromQuat(pbdrBody_GetPose(world, body).rotation);
        CHECK_NEAR(turn.x, 0.5 * 0.01 / inertia * 0.25, 1.0e-12);
        CHECK_LE(hypot(turn.y, turn.z), 1.0e-14);
        // and stops: 0.1 against what it had
        CHECK(pbdrBody_SetTorque(world, body, origin) == pbdr_statusOk);
        stepMechanism(world, 100);
        const double left = pbdrBody_GetVelocity(world, body).angular.x;
        CHECK_LE(fabs(left), 1.0e-14);
        pbdrDestroyWorld(world);
    }
}

// A bound that is hit at speed, in every direction, takes energy and gives none, and the angle stays within it.
static void bound_hit_at_speed__gives_no_energy(void)
{
    double gained = 0.0, beyond = 0.0;
    for (int way = 0; way < 24; way++) {
        const bool loose = way % 2 == 1;
        const double speed = way < 12 ? 3.0 : 40.0, a = 0.7 * way;
        pbdrWorld* world = makeWeightless(1.0e-3);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.upper = 0.5;
        pbdrBodyId body;
        const pbdrJointId joint = addTop(world, &def, origin, loose, &body);
        // from somewhere within the bound, so that it glides along it
        CHECK(pbdrBody_SetPose(world, body,
                               (pbdrPose){origin, pbdrQuatFromVector(pbdrVec(0.3, 0.1 * (way % 3), -0.2))}) ==
              pbdr_statusOk);
        const pbdrVec3 spin = {speed * cos(a), speed * sin(a), speed * sin(2.3 * a)};
        CHECK(pbdrBody_SetVelocity(world, body, (pbdrVelocity){origin, spin}) == pbdr_statusOk);
        double before = getMechanismEnergy(world);
        bool met = false;
        for (int step = 0; step < 1000; step++) {
            stepMechanism(world, 1);
            const double now = getMechanismEnergy(world), angle = pbdrJoint_GetPosition(world, joint);
            met = met || angle > 0.5 - 1.0e-9;
            gained = fmax(gained, (now - before) / (0.5 * inertia * speed * speed));
            beyond = fmax(beyond, angle - 0.5);
            before = now;
        }
        CHECK(met);
        pbdrDestroyWorld(world);
    }
    CHECK_MEASURED("a ball joint's bound hit at up to 40 rad/s: energy gained in a substep over the start's",
                   gained, 1.0e-11);
    CHECK_MEASURED("the same: angle beyond the bound [rad]", beyond, 1.0e-12);
}

// A pendulum that hangs from its bound: the joint bears its weight's moment, in and without a tree.
static void bound__bears_a_weight(void)
{
    for (int loose = 0; loose < 2; loose++) {
        pbdrWorld* world = makeMechanismWorld(1.0e-3);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.upper = 0.25;
        const pbdrBodyId body = addStill(world, 2.0, pbdrVec(0.01, 0.01, 0.01), pbdrVec(0.3, 0.0, 0.0));
        const pbdrJointId joint = addJointWith(world, &def, pbdr_jointBall, theWorld, body, origin, alongZ);
        if (loose != 0) {
            pbdrJointDef span = pbdrDefaultJointDef();
            span.kind = pbdr_jointSpan;
            span.bodyB = body;
            span.frameA.anchor = pbdrVec(1.0, 2.0, 3.0);
            pbdrError error;
            require(pbdrCreateJoint(world, &span, NULL, &error), &error);
        }
        stepMechanism(world, 2000);
        CHECK_NEAR(pbdrJoint_GetPosition(world, joint), 0.25, 1.0e-12);
        const pbdrWrench reaction = pbdrJoint_GetReaction(world, joint);
        CHECK_NEAR(reaction.torque.y, -2.0 * PBDR_DEFAULT_GRAVITY * 0.3 * cos(0.25), 1.0e-9);
        CHECK_NEAR(reaction.force.z, 2.0 * PBDR_DEFAULT_GRAVITY, 1.0e-9);
        pbdrDestroyWorld(world);
    }
}

static pbdrBodyId addSphere(pbdrWorld* world, double radius, double mass, pbdrVec3 position)
{
    const pbdrVec3 centre = {0.0, 0.0, 0.0};
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.particleCount = 1;
    def.positions = &centre;
    def.radii = &radius;
    def.masses = &mass;
    def.position = position;
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBody(world, &def, &id, &error), &error);
    return id;
}

// A ball on an arm that a spring presses on the floor: what it presses with is the spring's and the weight's moment over the
// arm. Then friction alone holds it up, and last its bound.
static void law__holds_with_contacts(void)
{
    const double mass = 1.0, radius = 0.1, arm = 0.5;
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    pbdrError error;
    require(pbdrCreatePlane(world, &plane, NULL, &error), &error);
    const pbdrBodyId ball = addSphere(world, radius, mass, pbdrVec(arm, 0.0, radius));
    pbdrJointDef def = pbdrDefaultJointDef();
    def.kind = pbdr_jointBall;
    def.bodyB = ball;
    def.stiffness = 20.0;
    def.damping = 0.1;
    CHECK(pbdrPlaceJointDef(world, &def, pbdrVec(0.0, 0.0, radius), alongZ) == pbdr_statusOk);
    // the spring rests where the arm points down by 0.1 rad: about y
    def.frameA.axis = pbdrVec(sin(0.1), 0.0, cos(0.1));
    def.frameA.side = pbdrVec(cos(0.1), 0.0, -sin(0.1));
    def.frameB.axis = alongZ;
    def.frameB.side = pbdrVec(1.0, 0.0, 0.0);
    pbdrJointId joint;
    require(pbdrCreateJoint(world, &def, &joint, &error), &error);
    stepMechanism(world, 500);
    CHECK_NEAR(pbdrJoint_GetPosition(world, joint), 0.1, 1.0e-9);
    CHECK_NEAR(pbdrJoint_GetReaction(world, joint).torque.y, 20.0 * 0.1, 1.0e-8);
    // the floor bears the rest of the weight
    CHECK_NEAR(pbdrJoint_GetReaction(world, joint).force.z, -2.0 / arm, 1.0e-8);
    pbdrDestroyWorld(world);

    // a heavy ball laid on one that its bound, then friction, holds
    for (int kind = 0; kind < 2; kind++) {
        world = makeMechanismWorld(1.0e-3);
        const pbdrBodyId lower = addSphere(world, radius, mass, pbdrVec(arm, 0.0, 0.0));
        const pbdrBodyId upper = addSphere(world, radius, 3.0, pbdrVec(arm, 0.0, 2.0 * radius));
        pbdrJointDef law = pbdrDefaultJointDef();
        law.upper = kind == 0 ? 0.05 : HUGE_VAL;
        law.friction = kind == 0 ? 0.0 : 1.5 * 4.0 * PBDR_DEFAULT_GRAVITY * arm;
        law.kind = pbdr_jointBall;
        law.bodyB = lower;
        CHECK(pbdrPlaceJointDef(world, &law, origin, alongZ) == pbdr_statusOk);
        if (kind == 0) { // at its bound from the start
            law.frameA.axis = pbdrVec(sin(-0.05), 0.0, cos(0.05));
            law.frameA.side = pbdrVec(cos(0.05), 0.0, -sin(-0.05));
            law.frameB.axis = alongZ;
            law.frameB.side = pbdrVec(1.0, 0.0, 0.0);
        }
        require(pbdrCreateJoint(world, &law, &joint, &error), &error);
        // the upper one stays on top by a guide
        addJoint(world, pbdr_jointSlide, theWorld, upper, pbdrVec(arm, 0.0, 2.0 * radius), alongZ);
        stepMechanism(world, 500);
        CHECK_NEAR(pbdrBody_GetPose(world, lower).position.z, 0.0, 1.0e-9);
        CHECK_NEAR(pbdrJoint_GetReaction(world, joint).torque.y, -4.0 * PBDR_DEFAULT_GRAVITY * arm, 1.0e-7);
        pbdrDestroyWorld(world);
    }
}

// A chain of ball joints with all laws, in pieces by state: saved and taken again, it goes on with the same bits.
static void state__goes_on_with_the_same_bits(void)
{
    pbdrWorld* worlds[2];
    pbdrBodyId last[2];
    for (int w = 0; w < 2; w++) {
        worlds[w] = makeMechanismWorld(1.0e-3);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.stiffness = 0.3;
        def.damping = 0.002;
        def.friction = 0.05;
        def.armature = 0.001;
        def.upper = 0.7;
        pbdrBodyId parent = theWorld;
        for (int k = 0; k < 6; k++) {
            const pbdrBodyId body =
                addStill(worlds[w], 0.2, pbdrVec(1.0e-3, 2.0e-3, 1.5e-3), pbdrVec(0.2 * k + 0.1, 0.0, 0.0));
            addJointWith(worlds[w], &def, pbdr_jointBall, k % 2 == 0 ? parent : body,
                         k % 2 == 0 ? body : parent, pbdrVec(0.2 * k, 0.0, 0.0), alongZ);
            parent = last[w] = body;
        }
        CHECK(pbdrBody_SetTorque(worlds[w], parent, pbdrVec(0.1, 0.05, 0.2)) == pbdr_statusOk);
    }
    stepMechanism(worlds[0], 700);
    const size_t size = pbdrWorld_GetStateSize(worlds[0]);
    void* state = malloc(size);
    pbdrError error;
    require(pbdrWorld_GetState(worlds[0], state, size, &error), &error);
    require(pbdrWorld_SetState(worlds[1], state, size, &error), &error);
    for (int w = 0; w < 2; w++) {
        stepMechanism(worlds[w], 300);
    }
    const pbdrPose a = pbdrBody_GetPose(worlds[0], last[0]), b = pbdrBody_GetPose(worlds[1], last[1]);
    CHECK(a.position.x == b.position.x && a.position.y == b.position.y && a.position.z == b.position.z);
    CHECK(a.rotation.w == b.rotation.w && a.rotation.z == b.rotation.z);
    free(state);
    pbdrDestroyWorld(worlds[0]);
    pbdrDestroyWorld(worlds[1]);
}

static void refuse(const pbdrJointDef* with, const char* text)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    pbdrJointDef def = *with;
    def.kind = pbdr_jointBall;
    def.bodyB = addStill(world, 1.0, pbdrVec(0.1, 0.1, 0.1), origin);
    pbdrError error;
    CHECK(pbdrCreateJoint(world, &def, NULL, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, text);
    pbdrDestroyWorld(world);
}

static void wrong_laws__are_refused(void)
{
    pbdrJointDef def = pbdrDefaultJointDef();
    def.upper = 0.0;
    refuse(&def, "a ball's bound of 0 rad is not above zero");
    def = pbdrDefaultJointDef();
    def.motor = pbdr_motorForce;
    refuse(&def, "a ball has no motor, lower bound and reference");
    def = pbdrDefaultJointDef();
    def.damping = -1.0;
    refuse(&def, "damping: -1 is not finite and at least 0");
    def = pbdrDefaultJointDef();
    def.upper = 0.1;
    def.frameA.side = pbdrVec(1.0, 0.0, 0.0);
    def.frameB.side = pbdrVec(0.0, 1.0, 0.0);
    refuse(&def, "its angle 1.5708 is above upper, 0.1");
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"damper__slows_exponentially", damper__slows_exponentially},
          {"spring__swings_with_its_frequency", spring__swings_with_its_frequency},
          {"spring__keeps_energy", spring__keeps_energy},
          {"large_gains__are_stable", large_gains__are_stable},
          {"friction__holds_and_slips", friction__holds_and_slips},
          {"bound_hit_at_speed__gives_no_energy", bound_hit_at_speed__gives_no_energy},
          {"bound__bears_a_weight", bound__bears_a_weight},
          {"law__holds_with_contacts", law__holds_with_contacts},
          {"state__goes_on_with_the_same_bits", state__goes_on_with_the_same_bits},
          {"wrong_laws__are_refused", wrong_laws__are_refused});
}
