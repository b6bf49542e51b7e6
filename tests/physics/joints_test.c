// Mechanisms of joints without contact, against closed forms and laws. All gaps are within 1e-12 m and 1e-10 rad after
// every substep (stepMechanism).
//
// Mechanisms that the benchmark has, too, are its scenes, against its references (suite_mechanisms.h).
//
// Errors are of second order in the step, over four sizes (checkOrder). Where a bar is given for one step size, it is twice
// what was measured.
#include "suite_mechanisms.h"

#include "pbdr/profile.h"

#include <string.h>

// --- The pendulum, by elliptic functions ---

static void pendulum__follows_the_elliptic_integral(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        Suite suite = makeSuite(28, 4.0e-3 / (1 << k));
        errors[k] = fabs(runSuite(&suite) - findExact(&suite));
        freeSuite(&suite);
    }
    checkOrder("angle of a pendulum after 3 s", "rad", 4.0e-3, errors);
    CHECK_LE(errors[2], 8.0e-5);
}

// A point mass on a rod without mass, on a ball joint and by a distance: the same motion.
static void distance__is_a_rod_without_mass(void)
{
    const double length = 1.0;
    pbdrVec3 ends[2];
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeMechanismWorld(1.0e-3);
        const pbdrBodyId body =
            addStill(world, 1.0, pbdrVec(1.0e-8, 1.0e-8, 1.0e-8), pbdrVec(length, 0.0, 0.0));
        if (k == 0) {
            addJoint(world, pbdr_jointBall, theWorld, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
        } else {
            pbdrJointDef def = pbdrDefaultJointDef();
            def.kind = pbdr_jointDistance;
            def.bodyB = body;
            def.length = length;
            pbdrError error;
            require(pbdrCreateJoint(world, &def, NULL, &error), &error);
        }
        stepMechanism(world, 3000);
        ends[k] = pbdrBody_GetPose(world, body).position;
        pbdrDestroyWorld(world);
    }
    // the ball's inertia of 1e-8 of the rod's
    CHECK_LE(pbdrLength(pbdrSub(ends[0], ends[1])), 1.0e-6);
}

// --- The double pendulum ---

static void double_pendulum__is_of_second_order(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        Suite suite = makeSuite(29, 2.0e-3 / (1 << k));
        runSuite(&suite);
        errors[k] = getPositionError(&suite, 1);
        freeSuite(&suite);
    }
    checkOrder("tip of a double pendulum after 2 s", "m", 2.0e-3, errors);
}

// --- The slider-crank ---

// A planar loop in space: its joints hold three motions too often.
static void slider_crank__is_of_second_order(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        Suite suite = makeSuite(32, 2.0e-3 / (1 << k));
        errors[k] = fabs(runSuite(&suite) - findExact(&suite));
        // and the slider is where the crank has it
        pbdrJointId ids[4];
        CHECK(pbdrWorld_GetJoints(suite.world, ids, 4) == 4);
        const double p = BENCH_CRANK_START + pbdrJoint_GetPosition(suite.world, ids[0]);
        CHECK_NEAR(pbdrJoint_GetPosition(suite.world, ids[3]),
                   benchGetSliderPlace(p) - benchGetSliderPlace(BENCH_CRANK_START), 1.0e-12);
        freeSuite(&suite);
    }
    checkOrder("crank of a slider-crank (a loop) after 2 s", "rad", 2.0e-3, errors);
}

// --- Energy ---

// Ten links of 0.5 m, released at an angle from hanging, for 100 s. Range: from where it starts to where it hangs.
static void chain__keeps_its_energy(void)
{
    const double start = 0.7, half = 0.25;
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    pbdrBodyId last = theWorld;
    pbdrVec3 point = {0.0, 0.0, 0.0};
    const pbdrVec3 way = {half * sin(start), 0.0, -half * cos(start)};
    double range = 0.0;
    for (int k = 0; k < 10; k++) {
        const pbdrVec3 centre = pbdrAdd(point, way);
        const pbdrBodyId link = addStill(world, 1.0, pbdrVec(0.021, 0.021, 0.002), centre);
        addJoint(world, k % 2 == 0 ? pbdr_jointHinge : pbdr_jointBall, last, link, point,
                 pbdrVec(0.0, 1.0, 0.0));
        range += PBDR_DEFAULT_GRAVITY * (centre.z + (2 * k + 1) * half);
        point = pbdrAdd(centre, way);
        last = link;
    }
    const double energy = getMechanismEnergy(world);
    double largest[4] = {0.0}, means[4] = {0.0};
    for (int part = 0; part < 4; part++) {
        for (int k = 0; k < 2500; k++) {
            stepMechanism(world, 10);
            const double off = getMechanismEnergy(world) - energy;
            largest[part] = fmax(largest[part], fabs(off));
            means[part] += off / 2500.0;
        }
        largest[0] = fmax(largest[0], largest[part]);
    }
    CHECK_MEASURED("chain of 10 links: energy off in 100 s at 1 ms over its range", largest[0] / range,
                   1.0e-4);
    // no trend: quarters differ by less than they swing
    CHECK_MEASURED("the same: mean of the last quarter less that of the first",
                   fabs(means[3] - means[0]) / range, 1.0e-5);
    pbdrDestroyWorld(world);
}

// --- The top ---

static double getTopError(double dt)
{
    Suite suite = makeSuite(30, dt);
    const pbdrBodyId top = getSuiteBody(&suite, 0);
    double wobble = 0.0, angle = 0.0, last = 0.0;
    const double duration = suite.scene.test->duration;
    for (int k = 0; k < (int)lround(duration / dt / 10.0); k++) {
        stepMechanism(suite.world, 10);
        const pbdrVec3 p = pbdrBody_GetPose(suite.world, top).position;
        const double now = atan2(p.y, p.x);
        angle += now - last - 2.0 * PBDR_PI * floor((now - last) / (2.0 * PBDR_PI) + 0.5);
        last = now;
        wobble = fmax(wobble, fabs(p.z / BENCH_TOP_LEVER - cos(BENCH_TOP_TILT)));
    }
    CHECK_LE(wobble, 2.0e-4);
    freeSuite(&suite);
    return fabs(angle / (benchGetTopRate() * duration) - 1.0);
}

static void top__precesses(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        errors[k] = getTopError(5.0e-4 / (1 << k));
    }
    checkOrder("precession of a spinning top in 20 s", "relative", 5.0e-4, errors);
    CHECK_MEASURED("spinning top: precession in 20 s at 1 ms (relative)", getTopError(1.0e-3), 1.0e-5);
}

// Let go with its axis at rest: the axis falls and rises again, in cusps.
static void top__nutates(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        Suite suite = makeSuite(31, 5.0e-4 / (1 << k));
        runSuite(&suite);
        errors[k] = getPositionError(&suite, 0) / BENCH_TOP_LEVER;
        freeSuite(&suite);
    }
    checkOrder("axis of a nutating top after 2 s", "rad", 5.0e-4, errors);
}

// At 1 ms it turns by 0.06 rad: two steps in each substep, which are those of substeps of half the length. A rotor that turns
// as fast about the axis of its hinge takes one.
static void fast_turns__take_several_steps(void)
{
    Suite suites[2] = {makeSuite(30, 1.0e-3), makeSuite(30, 5.0e-4)};
    pbdrWorld *whole = suites[0].world, *half = suites[1].world;
    const pbdrBodyId tops[2] = {getSuiteBody(&suites[0], 0), getSuiteBody(&suites[1], 0)};
    pbdrJointId points[2];
    CHECK(pbdrWorld_GetJoints(whole, &points[0], 1) == 1 && pbdrWorld_GetJoints(half, &points[1], 1) == 1);
    for (int k = 0; k < 500; k++) {
        stepMechanism(whole, 1);
        stepMechanism(half, 1);
        const pbdrWrench before = pbdrJoint_GetReaction(half, points[1]);
        stepMechanism(half, 1);
        const pbdrWrench after = pbdrJoint_GetReaction(half, points[1]);
        const pbdrVec3 mean = pbdrScale(0.5, pbdrAdd(before.force, after.force));
        const pbdrPose a = pbdrBody_GetPose(whole, tops[0]), b = pbdrBody_GetPose(half, tops[1]);
        const pbdrVelocity v = pbdrBody_GetVelocity(whole, tops[0]), w = pbdrBody_GetVelocity(half, tops[1]);
        CHECK(memcmp(&a, &b, sizeof a) == 0 && memcmp(&v, &w, sizeof v) == 0);
        CHECK_LE(pbdrLength(pbdrSub(pbdrJoint_GetReaction(whole, points[0]).force, mean)), 1.0e-12);
    }
    freeSuite(&suites[0]);
    freeSuite(&suites[1]);
}

// A rotor that turns by 0.3 rad per substep about the hinge at the end of an arm that swings. It keeps its rate, and one step
// per substep will do, with up to five of Newton's method; six steps would have a dozen at least.
static void rotor__takes_one_step(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const pbdrVec3 origin = {0.0, 0.0, 0.0}, end = {0.3, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, x = {1.0, 0.0, 0.0};
    const pbdrBodyId arm = addStill(world, 0.5, pbdrVec(0.001, 0.004, 0.004), pbdrVec(0.15, 0.0, 0.0));
    const pbdrBodyId rotor =
        addRigid(world, 1.0, pbdrVec(0.002, 0.001, 0.001), (pbdrPose){end, {1.0, 0.0, 0.0, 0.0}},
                 (pbdrVelocity){{0.0, 0.0, 0.0}, {300.0, 0.0, 0.0}});
    addJoint(world, pbdr_jointHinge, theWorld, arm, origin, y);
    const pbdrJointId hinge = addJoint(world, pbdr_jointHinge, arm, rotor, end, x);
    pbdrProfile profile;
    stepMechanism(world, 1);
    pbdrWorld_SetProfiling(world, true);
    stepMechanism(world, 200);
    pbdrWorld_GetProfile(world, &profile);
    CHECK_LE((double)profile.newtonSteps.most, 6.0);
    CHECK_LE(fabs(pbdrJoint_GetVelocity(world, hinge) - 300.0), 1.0e-6);
    pbdrDestroyWorld(world);
}

// --- Axes ---

static pbdrJointId addAxis(pbdrWorld* world, const pbdrJointDef* with, pbdrJointKind kind, pbdrBodyId body,
                           pbdrVec3 point, pbdrVec3 axis)
{
    return addJointWith(world, with, kind, with->bodyA, body, point, axis);
}

// A spring, a damper and an armature: (m + a) x'' + c x' + k (x - r) = 0, x(0) = x'(0) = 0.
static void spring__swings_as_the_closed_form(void)
{
    const double mass = 2.0, armature = 1.0, damping = 1.5, stiffness = 75.0, reference = 0.2, duration = 2.0;
    const double decay = damping / (2.0 * (mass + armature));
    const double rate = sqrt(stiffness / (mass + armature) - decay * decay);
    const double exact = reference - reference * exp(-decay * duration) *
                                         (cos(rate * duration) + decay / rate * sin(rate * duration));
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        const double dt = 8.0e-3 / (1 << k);
        pbdrWorld* world = makeWeightless(dt);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.stiffness = stiffness;
        def.damping = damping;
        def.armature = armature;
        def.reference = reference;
        const pbdrBodyId body = addStill(world, mass, pbdrVec(0.1, 0.1, 0.1), pbdrVec(0.3, 0.0, 0.0));
        const pbdrJointId joint =
            addAxis(world, &def, pbdr_jointSlide, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 2.0, 3.0));
        stepMechanism(world, (int)lround(duration / dt));
        errors[k] = fabs(pbdrJoint_GetPosition(world, joint) - exact);
        pbdrDestroyWorld(world);
    }
    checkOrder("slide with spring and damper and armature after 2 s", "m", 8.0e-3, errors);
}

// Gains of 1e6 on a pendulum of 1 kg m^2 and less: it comes to where it is sent, and stays.
static void stiff_motors__are_stable(void)
{
    double off = 0.0, speed = 0.0;
    for (int k = 0; k < 3; k++) {
        const double inertias[3] = {1.0, 1.0e-2, 1.0e-4};
        pbdrWorld* world = makeMechanismWorld(1.0e-3);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.motor = pbdr_motorPosition;
        def.motorStiffness = 1.0e6;
        def.motorDamping = 1.0e3;
        def.motorTarget = 0.5;
        const pbdrVec3 moments = pbdrScale(inertias[k], pbdrVec(1.0, 1.0, 1.0));
        const pbdrBodyId body = addStill(world, 1.0, moments, pbdrVec(0.1, 0.0, 0.0));
        const pbdrJointId joint =
            addAxis(world, &def, pbdr_jointHinge, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
        double farthest = 0.0;
        for (int i = 0; i < 2000; i++) {
            stepMechanism(world, 1);
            farthest = fmax(farthest, fabs(pbdrJoint_GetPosition(world, joint)));
        }
        CHECK_LE(farthest, 1.0 + 1.0e-9);
        // gravity's moment of 1 N m over the stiffness
        off = fmax(off, fabs(pbdrJoint_GetPosition(world, joint) - 0.5));
        speed = fmax(speed, fabs(pbdrJoint_GetVelocity(world, joint)));
        pbdrDestroyWorld(world);
    }
    CHECK_MEASURED("motors of gain 1e6 at 1 ms on 1 to 1e-4 kg m^2: off after 2 s [rad]", off, 1.0e-6);
    CHECK_MEASURED("the same: velocity then [rad/s]", speed, 1.0e-6);
}

// A pendulum that falls on its bound loses the energy of its fall and gains none; it stays, and the bound bears its weight.
static void bound__stops_and_gives_no_energy(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    pbdrJointDef def = pbdrDefaultJointDef();
    def.upper = 0.8;
    const pbdrBodyId body = addStill(world, 1.0, pbdrVec(0.1, 0.1, 0.1), pbdrVec(0.5, 0.0, 0.0));
    const pbdrJointId joint =
        addAxis(world, &def, pbdr_jointHinge, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
    double energy = getMechanismEnergy(world), rise = 0.0;
    for (int k = 0; k < 2000; k++) {
        stepMechanism(world, 1);
        const double now = getMechanismEnergy(world);
        rise = fmax(rise, now - energy);
        energy = fmin(energy, now);
        CHECK_LE(pbdrJoint_GetPosition(world, joint), 0.8 + 1.0e-12);
    }
    // what the fall itself swings by
    CHECK_MEASURED("a pendulum that falls on its bound: energy gained [J]", rise, 1.0e-5);
    CHECK_NEAR(pbdrJoint_GetPosition(world, joint), 0.8, 1.0e-12);
    CHECK_LE(fabs(pbdrJoint_GetVelocity(world, joint)), 1.0e-12);
    CHECK_NEAR(pbdrJoint_GetAxisForce(world, joint), -PBDR_DEFAULT_GRAVITY * 0.5 * cos(0.8), 1.0e-9);
    pbdrDestroyWorld(world);
}

// Friction of 3 N on a slide: 2.9 N do not move 2 kg, and 5 N move them with (5 - 3)/2 m/s^2.
static void friction__holds_up_to_its_bound(void)
{
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeWeightless(1.0e-3);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.friction = 3.0;
        const pbdrBodyId body = addStill(world, 2.0, pbdrVec(0.1, 0.1, 0.1), pbdrVec(0.0, 0.0, 0.0));
        const pbdrJointId joint =
            addAxis(world, &def, pbdr_jointSlide, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 0.0, 0.0));
        CHECK(pbdrBody_SetForce(world, body, pbdrVec(k == 0 ? 2.9 : 5.0, 0.0, 0.0)) == pbdr_statusOk);
        stepMechanism(world, 1000);
        CHECK_NEAR(pbdrJoint_GetPosition(world, joint), k == 0 ? 0.0 : 0.5, 1.0e-12);
        CHECK_NEAR(pbdrJoint_GetAxisForce(world, joint), k == 0 ? -2.9 : -3.0, 1.0e-9);
        // let go, it comes to rest, and stays
        CHECK(pbdrBody_SetForce(world, body, pbdrVec(0.0, 0.0, 0.0)) == pbdr_statusOk);
        stepMechanism(world, 2000);
        CHECK_EQ(pbdrJoint_GetVelocity(world, joint), 0.0);
        pbdrDestroyWorld(world);
    }
}

// A motor of 2 rad/s: it has its velocity at once if its force is unbounded, and speeds up with its bound else.
static void motor__keeps_its_velocity(void)
{
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeWeightless(1.0e-3);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.motor = pbdr_motorVelocity;
        def.motorTarget = 2.0;
        def.maxMotorForce = k == 0 ? HUGE_VAL : 4.0;
        const pbdrBodyId body = addStill(world, 2.0, pbdrVec(1.0, 2.0, 1.0), pbdrVec(0.0, 0.0, 0.0));
        const pbdrJointId joint =
            addAxis(world, &def, pbdr_jointHinge, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
        stepMechanism(world, 500);
        CHECK_NEAR(pbdrJoint_GetVelocity(world, joint), k == 0 ? 2.0 : 1.0, 1.0e-9);
        CHECK_NEAR(pbdrJoint_GetPosition(world, joint), k == 0 ? 1.0 : 0.25, 1.0e-9);
        stepMechanism(world, 1500);
        CHECK_NEAR(pbdrJoint_GetVelocity(world, joint), 2.0, 1.0e-9);
        // an unbounded one in the first half, a second later; the other lost half a second's way
        CHECK_NEAR(pbdrJoint_GetPosition(world, joint), k == 0 ? 4.0 : 3.0, 1.0e-3);
        pbdrDestroyWorld(world);
    }
}

// What a motor, a spring and a damper do is what the energy changes by; the difference is of second order.
static void ledger__counts_the_work_of_axes(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        const double dt = 4.0e-3 / (1 << k);
        pbdrWorld* world = makeMechanismWorld(dt);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.motor = pbdr_motorPosition;
        def.motorTarget = -1.0;
        def.motorStiffness = 60.0;
        def.motorDamping = 3.0;
        def.damping = 0.5;
        const pbdrBodyId body = addStill(world, 1.0, pbdrVec(0.1, 0.1, 0.1), pbdrVec(0.5, 0.0, 0.0));
        addAxis(world, &def, pbdr_jointHinge, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
        pbdrWorld_SetLedger(world, true);
        const double energy = getMechanismEnergy(world);
        stepMechanism(world, (int)lround(0.4 / dt));
        pbdrLedger row;
        pbdrWorld_GetLedger(world, &row);
        CHECK_GE(fabs(row.work), 1.0);
        errors[k] = fabs(getMechanismEnergy(world) - energy - row.work);
        pbdrDestroyWorld(world);
    }
    checkOrder("work of a motor against the energy", "J", 4.0e-3, errors);
}

// A kinematic carrier moves and turns, and a link hangs from it: the joint follows, and the carrier's work is what the
// link's energy changes by, to second order.
static void carrier__takes_its_link_along(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        const double dt = 2.0e-3 / (1 << k);
        pbdrWorld* world = makeMechanismWorld(dt);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.kind = pbdr_bodyKinematic;
        def.filter.mask = 0;
        def.velocity = (pbdrVelocity){{1.0, 0.5, 0.2}, {0.0, 0.0, 2.0}};
        const pbdrBodyId carrier = addBlock(world, 2, 2, 2, 0.05, 1.0, def);
        const pbdrVec3 point = {0.2, 0.0, -0.1};
        const pbdrBodyId link = addRigid(world, 1.0, pbdrVec(0.02, 0.03, 0.01),
                                         (pbdrPose){{0.2, 0.0, -0.4}, {1.0, 0.0, 0.0, 0.0}},
                                         (pbdrVelocity){{1.0, 0.5 + 0.4, 0.2}, {0.0, 0.0, 2.0}});
        addJoint(world, pbdr_jointUniversal, carrier, link, point, pbdrVec(1.0, 0.0, 0.0));
        pbdrWorld_SetLedger(world, true);
        pbdrLedger before, after;
        pbdrWorld_GetLedger(world, &before);
        stepMechanism(world, (int)lround(0.5 / dt));
        pbdrWorld_GetLedger(world, &after);
        CHECK_GE(fabs(after.work), 0.05);
        errors[k] = fabs(after.kineticEnergy + after.potentialEnergy - before.kineticEnergy -
                         before.potentialEnergy - after.work);
        pbdrDestroyWorld(world);
    }
    CHECK_LE(errors[1], 0.3 * errors[0]);
    CHECK_LE(errors[2], 0.3 * errors[1]);
    CHECK_LE(errors[3], 1.0e-11); // rounding, of 0.55 J
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"pendulum__follows_the_elliptic_integral", pendulum__follows_the_elliptic_integral},
          {"distance__is_a_rod_without_mass", distance__is_a_rod_without_mass},
          {"double_pendulum__is_of_second_order", double_pendulum__is_of_second_order},
          {"slider_crank__is_of_second_order", slider_crank__is_of_second_order},
          {"chain__keeps_its_energy", chain__keeps_its_energy}, {"top__precesses", top__precesses},
          {"top__nutates", top__nutates}, {"fast_turns__take_several_steps", fast_turns__take_several_steps},
          {"rotor__takes_one_step", rotor__takes_one_step},
          {"spring__swings_as_the_closed_form", spring__swings_as_the_closed_form},
          {"stiff_motors__are_stable", stiff_motors__are_stable},
          {"bound__stops_and_gives_no_energy", bound__stops_and_gives_no_energy},
          {"friction__holds_up_to_its_bound", friction__holds_up_to_its_bound},
          {"motor__keeps_its_velocity", motor__keeps_its_velocity},
          {"carrier__takes_its_link_along", carrier__takes_its_link_along},
          {"ledger__counts_the_work_of_axes", ledger__counts_the_work_of_axes});
}
