// Tests 8 and up: XPBD-R's bars, and the peers' adapters on what every simulator can do.
//
// Bars are about three times the worst of three seeds. Where the law is met at rounding or at the solver's
// tolerance (1e-12 m a substep; 3e-11 of an impact's speed) they say so by their size. Elsewhere:
//   - a substep in which sliding ends moves with the mean of its velocities: a dt^2/8 = 4.9e-7 m (11, 14);
//   - a disc stands on rings of points: its torque is 1.39 % too large, whatever the step (12);
//   - a body that is pushed over an edge: second order in the step (18);
//   - balls that spin turn by Runge and Kutta's method of fourth order (20).
#include "bench_runs.h"
#include "extended/extended.h"

typedef struct Bars {
    double figure, position, rotation, energy; // [test's unit, m, deg, J]
} Bars;

static void checkRuns(int test, const char* solver, double duration, Bars bars)
{
    BenchOptions options = benchDefaultOptions();
    BenchRun runs[3];
    const BenchTest* row = benchFindTest(test);
    options.duration = duration > 0.0 ? duration : row->duration;
    bool dear = row->extended->bodyCount > 1 && (options.duration > 2.0 || row->shape == pbdr_benchMesh);
    int seeds = dear ? 1 : 3;
    runSeeds(test, solver, &options, NULL, seeds, runs);
    for (int k = 0; k < seeds; k++) {
        const BenchErrors* e = &runs[k].errors;
        CHECK(runs[k].outcome == benchMeasured);
        CHECK_EQ(runs[k].flags, 0);
        CHECK_LE(fabs(e->quantity - e->exact), bars.figure);
        CHECK_LE(e->position.final, bars.position);
        CHECK_LE(e->rotation.final, bars.rotation);
        CHECK_LE(e->energy.final, bars.energy);
        CHECK(benchIsRight(row, e));
    }
}

static void sliding__starts_stays_and_stops(void)
{
    checkRuns(8, "xpbdr", 0.0, (Bars){2e-13, 2e-13, 5e-11, 5e-13});
    checkRuns(9, "xpbdr", 0.0, (Bars){2e-13, 2e-13, 6e-11, 1e-12});
    checkRuns(10, "xpbdr", 0.0, (Bars){2e-13, 3e-13, 7e-11, 5e-12});
    checkRuns(11, "xpbdr", 0.0, (Bars){4.9e-7, 4.9e-7, 5e-11, 1e-13}); // a dt^2/8
    checkRuns(8, "xpbdr:spheres", 0.0, (Bars){1e-12, 1e-12, 3e-10, 1e-12});
    checkRuns(9, "xpbdr:spheres", 0.0, (Bars){2e-13, 2e-13, 3e-11, 1e-12});
    checkRuns(11, "xpbdr:spheres", 0.0, (Bars){4.9e-7, 4.9e-7, 3e-11, 1e-13});
}

static void rolling__and_spinning(void)
{
    checkRuns(12, "xpbdr", 0.0, (Bars){1e-5, 1e-15, 6e-4, 1e-14}); // of second order in dt
    checkRuns(13, "xpbdr", 0.0, (Bars){4e-14, 4e-14, 5e-11, 5e-13});
    checkRuns(14, "xpbdr", 0.0, (Bars){1e-14, 4.9e-7, 1.5e-3, 1e-12});
}

static void flight__and_impacts(void)
{
    checkRuns(15, "xpbdr", 0.0, (Bars){1e-15, 1e-15, 1e-13, 5e-14});
    checkRuns(16, "xpbdr", 0.0, (Bars){5e-13, 0.0, 1.2e-7, 5e-13});
    checkRuns(19, "xpbdr", 0.0, (Bars){4e-15, 2e-15, 1e-13, 4e-15});
    checkRuns(20, "xpbdr", 0.0, (Bars){3e-15, 2e-15, 6e-11, 3e-15});
    checkRuns(24, "xpbdr", 0.0, (Bars){2e-15, 1e-15, 1e-13, 2e-15});
    checkRuns(25, "xpbdr", 0.0, (Bars){2e-15, 1e-15, 1e-13, 2e-15});
}

// Every impact is at its moment, and keeps P and L: the step size has no part in it.
static void impacts__are_exact_at_any_step(void)
{
    static const int numbers[] = {15, 19, 20, 24, 25};
    static const double steps[] = {4e-3, 2e-3, 1e-3, 2.5e-4};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
            BenchOptions options = benchDefaultOptions();
            options.duration = benchFindTest(numbers[k])->duration;
            options.timeStep = steps[i];
            BenchRun run;
            runSeeds(numbers[k], "xpbdr", &options, NULL, 1, &run);
            CHECK_LE(run.errors.position.final, 2e-15);
            CHECK_LE(fabs(run.errors.quantity - run.errors.exact), 4e-15);
            CHECK_LE(run.errors.energy.final, 5e-14);
            // the ground takes P of Test 15's ball, whose weight sums up over 2 s
            CHECK_LE(run.errors.linearMomentum.final, numbers[k] == 15 ? 1e-13 : 1e-15);
            CHECK_LE(run.errors.angularMomentum.final, 1e-15);
        }
    }
}

static void tipping__at_its_limit(void)
{
    checkRuns(17, "xpbdr", 0.0, (Bars){2e-9, 7e-12, 2e-9, 1e-10});
    checkRuns(18, "xpbdr", 0.0, (Bars){3.5e-4, 1.1e-6, 3.5e-4, 4e-5});
}

// Order of the tipping box's error: half the step, a quarter of the error, of its turn, its place and its energy.
static void tipping__is_of_second_order(void)
{
    double last[3] = {0.0};
    for (int k = 0; k < 4; k++) {
        BenchOptions options = benchDefaultOptions();
        options.duration = 0.5;
        options.timeStep = 2e-3 / (1 << k);
        BenchRun run;
        runSeeds(18, "xpbdr", &options, NULL, 1, &run);
        const double errors[3] = {fabs(run.errors.quantity - run.errors.exact), run.errors.position.final,
                                  run.errors.energy.final};
        for (int i = 0; i < 3; i++) {
            printf("    dt %g s: error %.3g, a share of %.4f of the last\n", options.timeStep, errors[i],
                   k > 0 ? errors[i] / last[i] : 1.0);
            if (k > 0) {
                CHECK_NEAR(errors[i] / last[i], 0.25, 0.02);
            }
            last[i] = errors[i];
        }
    }
}

static void stacks__rest(void)
{
    checkRuns(21, "xpbdr", 1.0, (Bars){1e-12, 1e-12, 1e-12, 1e-10});
    checkRuns(22, "xpbdr", 1.0, (Bars){1e-12, 1e-12, 1e-12, 1e-9});
    checkRuns(23, "xpbdr", 1.0, (Bars){1e-12, 1e-12, 1e-12, 1e-8});
}

static void tower__rests_for_a_minute(void)
{
    checkRuns(21, "xpbdr", 0.0, (Bars){1e-12, 1e-12, 1e-12, 1e-10});
}

static void arches__stand_and_fall(void)
{
    checkRuns(26, "xpbdr", 0.3, (Bars){1e-6, 1e-8, 1e-5, 1e-6});
    BenchOptions options = benchDefaultOptions();
    BenchRun run;
    options.duration = 0.4;
    runSeeds(27, "xpbdr", &options, NULL, 1, &run);
    CHECK(run.outcome == benchMeasured);
    CHECK_GE(run.errors.quantity, 0.1);
    CHECK(benchIsRight(benchFindTest(27), &run.errors));
}

// --- What a solver cannot do, it says ---

static BenchRun runOnce(int test, const char* solver, double duration)
{
    BenchOptions options = benchDefaultOptions();
    BenchRun run;
    options.duration = duration;
    runSeeds(test, solver, &options, NULL, 1, &run);
    return run;
}

static void refusals__are_told(void)
{
    static const int bouncing[] = {15, 19, 20, 24, 25};
    for (size_t k = 0; k < sizeof bouncing / sizeof bouncing[0]; k++) {
        BenchRun run = runOnce(bouncing[k], "pbd", 0.01);
        CHECK(run.outcome == benchNotSupported);
        CHECK_TEXT(run.problem, "not supported: restitution");
        CHECK(isnan(run.errors.quantity) && isnan(run.errors.position.final));
    }
    BenchRun run = runOnce(26, "pbd-r", 0.01);
    CHECK(run.outcome == benchNotSupported);
    CHECK_TEXT(run.problem, "flat joints");
    run = runOnce(26, "xpbdr:spheres", 0.01);
    CHECK(run.outcome == benchNotSupported);
}

// --- Peers ---

// In free flight every simulator keeps velocity and, with balls, spin: positions are exact up to the moment of
// the impact (0.16 s). This sees start, velocity, spin and body order in each adapter.
static void peers__fly_straight(void)
{
    static const char* const names[] = {"ode", "ode:tuned", "bullet", "bullet:tuned", "mujoco:tuned"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        BenchSolver chosen;
        pbdrError error;
        if (benchChooseSolver(names[k], &chosen, &error) != pbdr_statusOk) {
            continue; // not in this build
        }
        BenchRun run = runOnce(20, names[k], 0.1);
        CHECK(run.outcome == benchMeasured);
        CHECK_LE(run.errors.position.final, 1e-13);
        // ODE's turns are not finite: (w dt)^2/12 of w t is missing, w = 5 rad/s, t = 0.1 s
        CHECK_LE(run.errors.rotation.final, 1.01 * 25e-6 / 12.0 * 0.5 * 57.29577951308232);
        CHECK_LE(run.errors.angularMomentum.final, 1e-13);
        CHECK_LE(run.errors.energy.final, 1e-13);
    }
}

// ODE and Bullet, tuned, are at the floor of semi-implicit Euler where a box slides; but Bullet, whose ten iterations leave
// something of friction at two hundredths of a newton of drive (Test 9), is a tenth of a millimetre off there.
static void peers__slide_at_the_floor(void)
{
    static const char* const names[] = {"ode:tuned", "bullet:tuned"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        BenchSolver chosen;
        pbdrError error;
        if (benchChooseSolver(names[k], &chosen, &error) != pbdr_statusOk) {
            continue;
        }
        BenchRun slip = runOnce(9, names[k], 10.0), stop = runOnce(11, names[k], 1.0);
        CHECK_NEAR(slip.errors.position.final, slip.floorPosition,
                   k == 0 ? 0.01 * slip.floorPosition : 1.5e-4);
        CHECK_NEAR(stop.errors.position.final, stop.floorPosition, 0.01 * stop.floorPosition);
    }
}

// --- Mechanisms ---

static BenchRun runMechanism(int number, const char* solver)
{
    BenchOptions options = benchDefaultOptions();
    BenchRun run;
    options.duration = benchFindTest(number)->duration;
    options.timeStep *= benchGetStepShare(benchFindTest(number));
    runSeeds(number, solver, &options, NULL, 1, &run);
    CHECK(run.outcome == benchMeasured);
    CHECK_EQ(run.flags, 0);
    return run;
}

// Errors of second order at 1 ms (of Andrews' at 10 us); bars are twice what was measured. joints_test.c and iftomm_test.c see to
// the order, and to gaps.
static void mechanisms__move_as_their_laws(void)
{
    static const struct {
        int number;
        double figure, position; // [the test's unit, m]
    } rows[] = {{28, 7.5e-5, 5.3e-5},   {29, 4.6e-6, 1.7e-5},  {30, 9.0e-4, 7.6e-5}, {31, 3.6e-2, 6.8e-5},
                {32, 9.4e-5, 2.0e-5},   {33, 7.3e-5, 1.3e-4},  {34, 7.8e-4, 3.4e-5}, {35, 7.1e-5, HUGE_VAL},
                {36, 7.4e-6, HUGE_VAL}, {37, 3.3e-5, HUGE_VAL}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const BenchRun run = runMechanism(rows[k].number, "xpbdr");
        CHECK_LE(fabs(run.errors.quantity - run.errors.exact), rows[k].figure);
        CHECK(benchHasReference(run.test) ? run.errors.position.final <= rows[k].position
                                          : isnan(run.errors.position.final));
        CHECK(benchIsRight(run.test, &run.errors));
    }
}

// MuJoCo has its own joints and a method of fourth order: that it comes to the same says that scene and law are right. Bars are
// its own errors, and where loops are soft those of that. Before 4.0 it makes tops (tests 30 and 31) precess 3e-4 less.
static void mujoco__agrees_with_the_laws(void)
{
    static const struct {
        int number;
        double figure;
    } rows[] = {{28, 1e-10}, {29, 1e-9}, {30, 1e-4}, {31, 1e-4}, {32, 5e-6},
                {33, 1e-10}, {34, 1e-3}, {35, 1e-5}, {36, 1e-4}};
    BenchSolver chosen;
    pbdrError error;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] &&
                       benchChooseSolver("mujoco:tuned", &chosen, &error) == pbdr_statusOk;
         k++) {
        const BenchRun run = runMechanism(rows[k].number, "mujoco:tuned");
        const bool loose =
            (rows[k].number == 30 || rows[k].number == 31) && strtol(chosen.table->version, NULL, 10) < 4;
        CHECK_LE(fabs(run.errors.quantity - run.errors.exact),
                 loose ? 4e-4 * fabs(run.errors.exact) : rows[k].figure);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"sliding__starts_stays_and_stops", sliding__starts_stays_and_stops},
          {"rolling__and_spinning", rolling__and_spinning}, {"flight__and_impacts", flight__and_impacts},
          {"impacts__are_exact_at_any_step", impacts__are_exact_at_any_step},
          {"tipping__at_its_limit", tipping__at_its_limit},
          {"tipping__is_of_second_order", tipping__is_of_second_order}, {"stacks__rest", stacks__rest},
          {"tower__rests_for_a_minute", tower__rests_for_a_minute},
          {"arches__stand_and_fall", arches__stand_and_fall}, {"refusals__are_told", refusals__are_told},
          {"peers__fly_straight", peers__fly_straight},
          {"peers__slide_at_the_floor", peers__slide_at_the_floor},
          {"mechanisms__move_as_their_laws", mechanisms__move_as_their_laws},
          {"mujoco__agrees_with_the_laws", mujoco__agrees_with_the_laws});
}
