// IFToMM's benchmarks of multibody dynamics, A01 to A05 (Gonzalez et al., Multibody System Dynamics 16, 2006), as the extended
// suite has them (tests 33 to 37; suite_mechanisms.h). Bars are a tenth of "high precision" where that is known:
//   A01 to A05   1e-3 of positions (2000 s; 20 s, 40 windows, velocities too; 0.05 s; 10 s; 10 s), by the library's first edition
//   A01, A05     5e-5 J; 1e-4 m of the slide
// and ours elsewhere. A03 and A04 have references of our own (loop_references.h); IFToMM's are files that we do not have.
#include "loop_references.h"

// Square of an error relative to what it is of, or to 1e-3 where that is less (IFToMM's threshold).
static double getSquare(double found, double exact)
{
    const double error = (found - exact) / fmax(fabs(exact), 1.0e-3);
    return error * error;
}

// --- A01: a point of 1 kg on a rod of 1 m without mass, let go level. The step is the solver's to choose: energy swings by
// 3.6e-5 J at 1 ms, and with dt^2. ---

static void a01_pendulum__keeps_its_energy(void)
{
    Suite suite = makeSuite(33, 2.5e-4);
    CHECK_MEASURED("IFToMM A01 (pendulum): energy off in 10 s at 0.25 ms [J]", findEnergyError(&suite, 40),
                   5.0e-6);
    freeSuite(&suite);
}

// Where the point is, x and height, at every half second; the root of their relative errors' mean square. 2000 s are asked for,
// which scripts/joints.sh runs; tests run 20.
static void a01_pendulum__is_where_the_closed_form_says(void)
{
    const double dt = 2.5e-5;
    Suite suite = makeSuite(33, dt);
    const pbdrBodyId bob = getSuiteBody(&suite, 0);
    const int outputs = checkIsMeasuring() ? 4000 : 40;
    double squares = 0.0;
    for (int k = 1; k <= outputs; k++) {
        CHECK(pbdrWorld_Step(suite.world, 20000) == 0);
        double gap = 0.0, turn = 0.0;
        measureGaps(suite.world, &gap, &turn);
        CHECK(gap <= 1.0e-12 && turn <= 1.0e-10);
        BenchLink link;
        benchPlaceLink(suite.scene.test, 0, 0.5 * k, &link);
        const pbdrVec3 x = pbdrBody_GetPose(suite.world, bob).position;
        squares += getSquare(x.x, link.at.pose.position.x) + getSquare(x.z, link.at.pose.position.z);
    }
    CHECK_MEASURED("IFToMM A01: position in 2000 s at 25 us (relative)", sqrt(squares / (2.0 * outputs)),
                   1.0e-4);
    freeSuite(&suite);
}

// --- A02: windows of four bars in a row, which pass where all links are on a line, and where each might fold ---

static void windows__pass_where_links_are_on_a_line(void)
{
    Suite suite = makeSuite(34, 1.0e-3);
    const double energy = getMechanismEnergy(suite.world), worst = findEnergyError(&suite, 10);
    CHECK_LE(worst / energy, 1.0e-4);
    CHECK_MEASURED("IFToMM A02 with two windows: energy off in 10 s at 1 ms [J]", worst, 7.8e-3);
    freeSuite(&suite);
}

// The suite's mechanism with more links than its scenes may have.
#define WINDOWS 40
#define LINKS (2 * WINDOWS + 1)

static pbdrWorld* makeWindows(const BenchTest* test, double dt, pbdrBodyId links[LINKS])
{
    pbdrWorld* world = makeMechanismWorld(dt);
    pbdrBenchJoint joints[3 * WINDOWS + 1];
    for (int k = 0; k < LINKS; k++) {
        BenchLink link;
        benchPlaceLink(test, k, 0.0, &link);
        links[k] = addRigid(world, link.mass, link.moments, link.at.pose, link.at.velocity);
    }
    const int count = benchListJoints(test, joints);
    CHECK(count == 3 * WINDOWS + 1);
    for (int k = 0; k < count; k++) {
        const int a = joints[k].bodies[0];
        addJoint(world, pbdr_jointHinge, a < 0 ? theWorld : links[a], links[joints[k].bodies[1]],
                 joints[k].points[0], joints[k].axis);
    }
    return world;
}

// Position and velocity of the first post's head, x and height, at 400 moments of 20 s; the root of their relative errors' mean
// square. Tests run the first second, in which the line is passed once; scripts/joints.sh runs it all, in smaller steps.
static void forty_windows__go_round_as_the_closed_form(void)
{
    BenchExtended more = *benchFindTest(34)->extended;
    BenchTest test = *benchFindTest(34);
    more.bodyCount = LINKS;
    test.extended = &more;
    pbdrBodyId links[LINKS];
    const double dt = checkIsMeasuring() ? 2.5e-4 : 1.0e-3;
    pbdrWorld* world = makeWindows(&test, dt, links);
    const double energy = getMechanismEnergy(world);
    double squares = 0.0, worst = 0.0;
    const int outputs = checkIsMeasuring() ? 400 : 20;
    for (int k = 1; k <= outputs; k++) {
        stepMechanism(world, (int)lround(0.05 / dt));
        BenchLink link;
        benchPlaceLink(&test, 0, 0.05 * k, &link);
        const pbdrVec3 x = pbdrBody_GetPose(world, links[0]).position,
                       v = pbdrBody_GetVelocity(world, links[0]).linear;
        // the head is twice as far as the post's middle
        squares += getSquare(2.0 * x.x, 2.0 * link.at.pose.position.x) +
                   getSquare(2.0 * x.z, 2.0 * link.at.pose.position.z) +
                   getSquare(2.0 * v.x, 2.0 * link.at.velocity.linear.x) +
                   getSquare(2.0 * v.z, 2.0 * link.at.velocity.linear.z);
        worst = fmax(worst, fabs(getMechanismEnergy(world) - energy));
    }
    CHECK_MEASURED("IFToMM A02 with 40 windows: position and velocity in 20 s at 0.25 ms (relative)",
                   sqrt(squares / (4.0 * outputs)), 1.0e-4);
    CHECK_MEASURED("the same: energy off over all of it", worst / energy, 1.0e-4);
    pbdrDestroyWorld(world);
}

// --- A03: Andrews' mechanism ---

static void andrews__moves_as_the_test_set_says(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        const double dt = 2.0e-5 / (1 << k);
        if (k == 0) {
            // the acceleration of the start, from the first substep
            Suite first = makeSuite(35, dt);
            pbdrJointId ids[PBDR_BENCH_MAX_JOINTS];
            pbdrWorld_GetJoints(first.world, ids, PBDR_BENCH_MAX_JOINTS);
            stepMechanism(first.world, 1);
            CHECK_NEAR(pbdrJoint_GetVelocity(first.world, ids[0]) / dt / 14222.4439199541, 1.0, 1.0e-3);
            freeSuite(&first);
        }
        Suite suite = makeSuite(35, dt);
        errors[k] = fabs(BENCH_ANDREWS_START + runSuite(&suite) - BENCH_ANDREWS_END);
        freeSuite(&suite);
    }
    checkOrder("crank of Andrews' mechanism (IFToMM A03) after 0.03 s", "rad", 2.0e-5, errors);
    CHECK_MEASURED("IFToMM A03 (Andrews' mechanism): crank off after 0.03 s at 2.5 us [rad]",
                   errors[SIZES - 1], 4.4e-6);
}

// A point of a body, by where it was when the body was at its start, not turned.
static pbdrVec3 findPoint(const Suite* suite, int body, pbdrVec3 point)
{
    BenchLink link;
    benchPlaceLink(suite->scene.test, body, 0.0, &link);
    const pbdrPose pose = pbdrBody_GetPose(suite->world, getSuiteBody(suite, body));
    const pbdrMat3 turn = pbdrMatFromQuat(pose.rotation);
    return pbdrAdd(pose.position, pbdrMulMV(&turn, pbdrSub(point, link.at.pose.position)));
}

// Kinetic energy and the spring's less the motor's work, which stay [J].
static double getAndrewsBalance(const Suite* suite, const pbdrBenchJoint* spring, double turned)
{
    BenchLink crank;
    benchPlaceAndrews(0, &crank);
    const double length =
        pbdrLength(pbdrSub(findPoint(suite, spring->bodies[1], spring->points[1]), spring->points[0]));
    const double stretch = length - spring->length;
    return getMechanismEnergy(suite->world) + 0.5 * spring->stiffness * stretch * stretch +
           crank.torque.y * turned;
}

// Point F, the crank's end, in IFToMM's 0.05 s: both coordinates at every millisecond. The reference has the crank where it is
// published to be after 0.03 s to 2e-9 rad, of which F is 7 mm away.
static void andrews__goes_as_the_reference(void)
{
    double state[2] = {BENCH_ANDREWS_START, 0.0};
    followAndrews(BENCH_ANDREWS_DURATION, state);
    CHECK_MEASURED("our reference of IFToMM A03: crank off the published angle after 0.03 s [rad]",
                   fabs(state[0] - BENCH_ANDREWS_END), 2.0e-9);

    const double dt = 2.5e-6;
    const int outputs = 50;
    Suite suite = makeSuite(35, dt);
    pbdrBenchJoint joints[PBDR_BENCH_MAX_JOINTS];
    benchListAndrews(joints);
    pbdrJointId ids[PBDR_BENCH_MAX_JOINTS];
    pbdrWorld_GetJoints(suite.world, ids, PBDR_BENCH_MAX_JOINTS);
    BenchLink crank;
    benchPlaceAndrews(0, &crank);
    const pbdrVec3 start = joints[1].points[0];
    const double radius = pbdrLength(start), balance = getAndrewsBalance(&suite, &joints[10], 0.0);
    double squares = 0.0, worst = 0.0, turned = 0.0;
    state[0] = BENCH_ANDREWS_START;
    state[1] = 0.0;
    for (int k = 1; k <= outputs; k++) {
        stepMechanism(suite.world, (int)lround(1.0e-3 / dt));
        followAndrews(1.0e-3, state);
        const pbdrVec3 x = findPoint(&suite, 0, start);
        squares += getSquare(x.x, radius * cos(state[0])) + getSquare(x.z, radius * sin(state[0]));
        turned = pbdrJoint_GetPosition(suite.world, ids[0]);
        worst = fmax(worst, fabs(getAndrewsBalance(&suite, &joints[10], turned) - balance));
    }
    CHECK_MEASURED("IFToMM A03: position in 0.05 s at 2.5 us (relative)", sqrt(squares / (2.0 * outputs)),
                   1.0e-4);
    CHECK_MEASURED("the same: energy less the motor's work off over that work",
                   worst / (-crank.torque.y * turned), 1.0e-4);
    freeSuite(&suite);
}

// --- A04: Bricard's mechanism ---

// Point P3, the third corner, in 10 s: its coordinates at every hundredth of a second.
static void bricard__goes_as_the_reference(void)
{
    const int outputs = 1000;
    Suite suite = makeSuite(36, 1.0e-3);
    const pbdrVec3 start = placeBricard(0.0).corner;
    double state[2] = {0.0, 0.0}, squares = 0.0, lowest = 0.0, open = 0.0;
    for (int k = 1; k <= outputs; k++) {
        stepMechanism(suite.world, 10);
        followBricard(0.01, state);
        const Bricard exact = placeBricard(state[0]);
        open = fmax(open, fmax(exact.openPlace, exact.openTurn));
        const pbdrVec3 x = findPoint(&suite, 1, start);
        squares += getSquare(x.x, exact.corner.x) + getSquare(x.y, exact.corner.y) +
                   getSquare(x.z, exact.corner.z);
        lowest = fmin(lowest, exact.corner.z);
    }
    CHECK_LE(lowest, -0.9);
    CHECK_MEASURED("our reference of IFToMM A04: loop open by [m or rad]", open, 1.0e-14);
    CHECK_MEASURED("IFToMM A04: position in 10 s at 1 ms (relative)", sqrt(squares / (3.0 * outputs)),
                   1.0e-4);
    freeSuite(&suite);
}

static void bricard__keeps_its_energy(void)
{
    Suite suite = makeSuite(36, 1.0e-3);
    const pbdrBodyId link = getSuiteBody(&suite, 2);
    const double energy = getMechanismEnergy(suite.world);
    const pbdrVec3 start = pbdrBody_GetPose(suite.world, link).position;
    pbdrJointId ids[6];
    CHECK(pbdrWorld_GetJoints(suite.world, ids, 6) == 6);
    double worst = 0.0, moved = 0.0, force = 0.0;
    for (int k = 0; k < 1000; k++) {
        stepMechanism(suite.world, 10);
        worst = fmax(worst, fabs(getMechanismEnergy(suite.world) - energy));
        moved = fmax(moved, pbdrLength(pbdrSub(pbdrBody_GetPose(suite.world, link).position, start)));
        for (int i = 0; i < 6; i++) {
            const pbdrWrench w = pbdrJoint_GetReaction(suite.world, ids[i]);
            force = fmax(force, fmax(pbdrLength(w.force), pbdrLength(w.torque)));
        }
    }
    CHECK_GE(moved, 0.5);
    CHECK_MEASURED("IFToMM A04 (Bricard's mechanism): energy off in 10 s at 1 ms [J]", worst, 1.0e-3);
    // five links of 1 kg that fall by 1 m at most: forces are tens of newtons
    CHECK_MEASURED("the same: largest force or moment of a hinge [N or N m]", force, 1.0e3);
    freeSuite(&suite);
}

// Half a turn about the line through the cube's middle along (1, 0, -1), of a vector: links come to lie on each other, the last
// on the first.
static pbdrVec3 turnOver(pbdrVec3 a)
{
    return pbdrVec(-a.z, -a.y, -a.x);
}

// Gravity along that line: the mechanism balances, and what its mirrored hinges bear must be mirrored.
static void bricards_forces__are_symmetric(void)
{
    Suite suite = makeSuite(36, 1.0e-3);
    CHECK(pbdrWorld_SetGravity(suite.world, pbdrVec(-9.81 * sqrt(0.5), 0.0, 9.81 * sqrt(0.5))) ==
          pbdr_statusOk);
    const double energy = getMechanismEnergy(suite.world);
    pbdrJointId ids[6];
    CHECK(pbdrWorld_GetJoints(suite.world, ids, 6) == 6);
    double worst = 0.0, uneven = 0.0;
    for (int k = 0; k < 1000; k++) {
        stepMechanism(suite.world, 10);
        worst = fmax(worst, fabs(getMechanismEnergy(suite.world) - energy));
        for (int i = 0; i < 6; i++) {
            // A and B of the other are B and A of this one
            const pbdrWrench w = pbdrJoint_GetReaction(suite.world, ids[i]),
                             other = pbdrJoint_GetReaction(suite.world, ids[5 - i]);
            uneven = fmax(uneven, pbdrLength(pbdrAdd(turnOver(w.force), other.force)));
            uneven = fmax(uneven, pbdrLength(pbdrAdd(turnOver(w.torque), other.torque)));
        }
    }
    CHECK_MEASURED("Bricard's mechanism with gravity along its symmetry: energy off in 10 s at 1 ms [J]",
                   worst, 1.0e-3);
    // gaps of 1e-16 m, over dt^2 and what loops are loosened by (mechanism.c), are 1e-6 N
    CHECK_MEASURED("the same: forces of mirrored hinges differ by [N or N m]", uneven, 1.0e-2);
    freeSuite(&suite);
}

// --- A05: the flyball governor ---

static double getGovernorError(double dt, double duration, double exact)
{
    Suite suite = makeSuite(37, dt);
    stepMechanism(suite.world, (int)lround(duration / dt));
    const double place = pbdrBody_GetPose(suite.world, getSuiteBody(&suite, 1)).position.z;
    freeSuite(&suite);
    return fabs(-place - exact);
}

static void a05_governor__slides_as_lagranges_equations_say(void)
{
    const double duration = 2.0;
    double state[4], errors[3];
    benchStartGovernor(state);
    benchFollowGovernor(duration, state);
    for (int k = 0; k < 3; k++) {
        errors[k] = getGovernorError(1.0e-3 / (1 << k), duration, state[1]);
        if (k > 0) {
            CHECK_NEAR(errors[k - 1] / errors[k], 4.0, 0.4); // second order
        }
    }
    // high precision: 1e-4 m of the slide
    CHECK_MEASURED("IFToMM A05 (flyball governor): slide off after 2 s at 1 ms [m]", errors[0], 1.0e-5);
}

// The slide at every hundredth of a second of 10 s.
static void a05_governor__slides_so_for_ten_seconds(void)
{
    const int outputs = 1000;
    Suite suite = makeSuite(37, 1.0e-3);
    double state[4], squares = 0.0;
    benchStartGovernor(state);
    for (int k = 1; k <= outputs; k++) {
        stepMechanism(suite.world, 10);
        benchFollowGovernor(0.01, state);
        squares += getSquare(-pbdrBody_GetPose(suite.world, getSuiteBody(&suite, 1)).position.z, state[1]);
    }
    CHECK_MEASURED("IFToMM A05: slide in 10 s at 1 ms (relative)", sqrt(squares / outputs), 1.0e-4);
    freeSuite(&suite);
}

int main(int argc, char** argv)
{
    CASES(
        argc, argv, {"a01_pendulum__keeps_its_energy", a01_pendulum__keeps_its_energy},
        {"a01_pendulum__is_where_the_closed_form_says", a01_pendulum__is_where_the_closed_form_says},
        {"windows__pass_where_links_are_on_a_line", windows__pass_where_links_are_on_a_line},
        {"forty_windows__go_round_as_the_closed_form", forty_windows__go_round_as_the_closed_form},
        {"andrews__moves_as_the_test_set_says", andrews__moves_as_the_test_set_says},
        {"andrews__goes_as_the_reference", andrews__goes_as_the_reference},
        {"bricard__goes_as_the_reference", bricard__goes_as_the_reference},
        {"bricard__keeps_its_energy", bricard__keeps_its_energy},
        {"bricards_forces__are_symmetric", bricards_forces__are_symmetric},
        {"a05_governor__slides_as_lagranges_equations_say", a05_governor__slides_as_lagranges_equations_say},
        {"a05_governor__slides_so_for_ten_seconds", a05_governor__slides_so_for_ten_seconds});
}
