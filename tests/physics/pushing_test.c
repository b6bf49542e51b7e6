// Test 7's reference: laws of the pushed box, convergence, and the figures that PUSHING.md states.
#include "check.h"
#include "reference/push_run.h"

// Test 7 in the plane, as PUSHING.md's checks have it.
static BenchPushing makePlanar(BenchPushingModel model, double offset)
{
    BenchPushing p = benchDefaultPushing();
    p.model = model;
    p.offset = offset;
    p.pushHeight = 0.0;
    return p;
}

static BenchPushingPath solve(const BenchPushing* p)
{
    BenchPushingPath path;
    pbdrError error = {.message = ""};
    pbdrStatus status = benchSolvePushing(p, &path, &error);
    if (status != pbdr_statusOk) {
        printf("    %s\n", error.message);
    }
    CHECK_EQ(status, pbdr_statusOk);
    return path;
}

// The pose at rest alone.
static BenchPushingFrame solveRest(const BenchPushing* p)
{
    BenchPushingPath path = solve(p);
    BenchPushingFrame rest = path.rest;
    benchFreePushingPath(&path);
    return rest;
}

static double getDistance(BenchPushingFrame p, BenchPushingFrame q)
{
    return hypot(p.x - q.x, p.y - q.y);
}

// Place and, at the corner's distance a sqrt 2, turn.
static double comparePoses(BenchPushingFrame p, BenchPushingFrame q)
{
    return getDistance(p, q) + 0.1414 * fabs(p.theta - q.theta);
}

static void checkPose(BenchPushingFrame f, double x, double y, double theta)
{
    CHECK_NEAR(f.x, x, 1e-6); // the figures are rounded to 1e-6
    CHECK_NEAR(f.y, y, 1e-6);
    CHECK_NEAR(f.theta, theta, 1e-6);
}

static void quasistatic__gives_the_stated_figures(void)
{
    BenchPushing p = makePlanar(benchPushingQuasistatic, 0.02);
    BenchPushingPath path = solve(&p);
    checkPose(path.frames[200], 0.094090, -0.019848, -0.203741);
    checkPose(path.rest, 0.247829, -0.104283, -1.415266);
    CHECK_NEAR(path.corner.t, 4.193, 5e-4);
    CHECK_NEAR(path.end.t, 4.201, 5e-4);
    CHECK_EQ(path.frameCount, 1001);
    CHECK_EQ(getDistance(path.frames[1000], path.rest), 0.0);
    CHECK(path.frames[420].contact && !path.frames[421].contact);
    benchFreePushingPath(&path);
}

static void dynamic__gives_the_stated_figures(void)
{
    BenchPushing p = makePlanar(benchPushingDynamic, 0.02);
    BenchPushingPath path = solve(&p);
    checkPose(path.frames[200], 0.094210, -0.019549, -0.200570);
    checkPose(path.rest, 0.253061, -0.104105, -1.417401);
    benchFreePushingPath(&path);
}

// Rates of theta and of the contact's place per way of the rod, in the mode that holds at this very state.
static void getHeldRates(const BenchPushing* p, const BenchBase* base, double theta, double place,
                         double rates[2])
{
    const BenchPressure even = benchEvenPressure();
    BenchTouch touch = {.corner = false};
    BenchContact contact = benchLocateContact(p, &touch, theta, place);
    touch.mode = benchChooseMode(base, &even, &contact);
    BenchPush push = benchPushBox(base, &even, &contact, touch.mode);
    rates[0] = push.twist.w;
    rates[1] = benchGetPlaceRate(p, &touch, push.twist.w, push.slip);
}

// The path on the face, integrated once more: the classical Runge-Kutta method over the rod's way in steps of
// 0.1 mm, without events, the mode chosen anew at every stage. Modes meet where their rates agree, so that a
// step across is off by h^2 times the jump of the rates' slope, 1e-9 rad; a change that came a thousandth of
// a radian late would move theta by 2e-7.
static void quasistatic__path_is_that_of_the_mode_that_holds(void)
{
    const double offsets[2] = {0.02, 0.06}, ends[2] = {4.0, 3.2};
    for (int k = 0; k < 2; k++) {
        BenchPushing p = makePlanar(benchPushingQuasistatic, offsets[k]);
        BenchPushingPath path = solve(&p);
        const BenchBase base = {.support = benchSupportUniform, .a = p.halfSide};
        double y[2] = {0.0, p.offset}, way = 0.5 * p.rodAcceleration * ends[k] * ends[k];
        int count = (int)(way / 1e-4);
        double h = way / count;
        for (int i = 0; i < count; i++) {
            double r[4][2];
            getHeldRates(&p, &base, y[0], y[1], r[0]);
            getHeldRates(&p, &base, y[0] + 0.5 * h * r[0][0], y[1] + 0.5 * h * r[0][1], r[1]);
            getHeldRates(&p, &base, y[0] + 0.5 * h * r[1][0], y[1] + 0.5 * h * r[1][1], r[2]);
            getHeldRates(&p, &base, y[0] + h * r[2][0], y[1] + h * r[2][1], r[3]);
            for (int j = 0; j < 2; j++) {
                y[j] += h / 6.0 * (r[0][j] + 2.0 * r[1][j] + 2.0 * r[2][j] + r[3][j]);
            }
        }
        const BenchTouch face = {.corner = false};
        BenchPushingFrame wanted = benchGetTouchingFrame(&p, &face, ends[k], y[0], y[1]);
        BenchPushingFrame frame = path.frames[(int)nearbyint(ends[k] / p.frameTime)];
        CHECK(frame.contact);
        CHECK_NEAR(frame.theta, wanted.theta, 1e-8);
        CHECK_LE(getDistance(frame, wanted), 3e-9);
        benchFreePushingPath(&path);
    }
}

// Each change of the model moves the end by so much [m], to 10 % or the figure's last digit.
static void models__differ_as_stated(void)
{
    BenchPushing p = makePlanar(benchPushingQuasistatic, 0.02);
    BenchPushingFrame exact = solveRest(&p);
    BenchPushing q = p;
    q.support = benchSupportPoints;
    CHECK_NEAR(getDistance(solveRest(&q), exact), 0.0008, 0.00008);
    q.pointsPerAxis = 3;
    CHECK_NEAR(getDistance(solveRest(&q), exact), 0.009, 0.0009);
    q.pointsPerAxis = 2;
    q.pointReach = q.halfSide;
    CHECK_NEAR(getDistance(solveRest(&q), exact), 0.167, 0.005);
    q.support = benchSupportEllipsoid;
    CHECK_NEAR(getDistance(solveRest(&q), exact), 0.040, 0.001);
    q = p;
    q.model = benchPushingDynamic;
    CHECK_NEAR(getDistance(solveRest(&q), exact), 0.005, 0.0005);
    // The tilt's figures are the dynamic model's.
    q.tilt = true;
    q.pushHeight = 0.02;
    CHECK_NEAR(getDistance(solveRest(&q), exact), 0.022, 0.001);
    q.pushHeight = 0.1;
    CHECK_NEAR(getDistance(solveRest(&q), exact), 0.064, 0.001);
}

// One cell of a lattice is the four corners. From four cells on the lattice, which has the even base's second
// moments, ends where the even base does but for tenths of a millimetre (the trapezoidal rule: 9.4 mm with four).
static void lattice__closes_on_the_even_base(void)
{
    BenchPushing p = makePlanar(benchPushingDynamic, 0.02), corners = p;
    p.tilt = true;
    p.pushHeight = 0.02;
    BenchPushingFrame even = solveRest(&p);
    corners = p;
    p.support = corners.support = benchSupportPoints;
    p.lattice = true;
    p.pointsPerAxis = corners.pointsPerAxis = 2;
    corners.pointReach = corners.halfSide;
    p.duration = corners.duration = 4.0; // soon after, they pivot on a corner for 670,000 steps
    BenchPushingPath lattice = solve(&p), points = solve(&corners);
    CHECK_GE(-points.frames[400].theta, 0.8);
    CHECK_EQ(comparePoses(lattice.frames[400], points.frames[400]), 0.0);
    benchFreePushingPath(&lattice);
    benchFreePushingPath(&points);
    p.duration = 10.0;
    double last = 5.0e-4; // three times what four cells measure
    for (int cells = 4; cells <= 16; cells *= 2) {
        p.pointsPerAxis = cells + 1;
        double distance = getDistance(solveRest(&p), even);
        printf("    %2d x %2d cells end %.4g mm from the even base\n", cells, cells, 1e3 * distance);
        CHECK_LE(distance, last);
        last = distance;
    }
    CHECK_LE(last, 1.2e-4);
}

// f = mu M g load and nothing else: mu, M and g cannot matter, to the last bit.
static void quasistatic__does_not_depend_on_the_grounds_friction(void)
{
    BenchPushing p = makePlanar(benchPushingQuasistatic, 0.04), q = p;
    q.groundFriction = 0.05;
    q.mass = 7.0;
    q.gravity = 1.6;
    CHECK_EQ(comparePoses(solveRest(&p), solveRest(&q)), 0.0);
}

// Pushed through its centre, the box follows the rod: x = t^2/40, y = theta = 0. Rounding of 400 steps, grown
// 15-fold; with tilt the centre of pressure is known to 1e-13 m, the pressure's slope thus to 3e-12.
static void symmetric_push__follows_the_rod(void)
{
    for (int k = 0; k < 8; k++) {
        BenchPushing p = makePlanar(k % 2 ? benchPushingDynamic : benchPushingQuasistatic, 0.0);
        p.duration = 4.0;
        p.tilt = k / 2 % 2;
        p.pushHeight = 0.02;
        p.support = k / 4 ? benchSupportPoints : benchSupportUniform;
        BenchPushingPath path = solve(&p);
        double worst = 0.0;
        for (int i = 0; i < path.frameCount; i++) {
            BenchPushingFrame f = path.frames[i];
            worst = fmax(worst, fabs(f.x - f.t * f.t / 40.0) + fabs(f.y) + fabs(f.theta));
        }
        CHECK_LE(worst, p.tilt ? 4.5e-11 : 1e-13);
        benchFreePushingPath(&path);
    }
}

// Small d, sticking: theta = -d/(a - r) (exp(3 (a - r) s/(4 a^2)) - 1), s = t^2/40. Odd in d, so the first
// term left out is theta^2 relatively, 2e-6 at 4 s; the integrator adds 400 steps x 1e-13, grown 15-fold:
// 4e-7.
static void small_offset__grows_exponentially(void)
{
    BenchPushing p = makePlanar(benchPushingQuasistatic, 1.0e-5);
    p.tolerance = 1.0e-13;
    p.duration = 4.0;
    BenchPushingPath path = solve(&p);
    for (int i = 100; i <= 400; i += 100) {
        double t = path.frames[i].t, b = p.halfSide - p.rodRadius;
        double theta = -p.offset / b * expm1(0.75 * b * t * t / 40.0 / (p.halfSide * p.halfSide));
        CHECK_NEAR(path.frames[i].theta / theta, 1.0, 5e-6);
    }
    benchFreePushingPath(&path);
}

// Inertia matters by A/(mu g), 1 %: a rod with a tenth of A brings the dynamic path ten times nearer to the
// quasi-static one.
static void dynamic__tends_to_quasistatic_for_a_slow_rod(void)
{
    BenchPushingFrame limit, frames[2];
    BenchPushing p = makePlanar(benchPushingQuasistatic, 0.04);
    limit = solveRest(&p);
    p.model = benchPushingDynamic;
    double slowness = 1.0;
    for (int k = 0; k < 2; k++) {
        slowness *= sqrt(10.0);
        p.rodAcceleration = 0.05 / (slowness * slowness);
        p.duration = 10.0 * slowness;
        p.frameTime = 0.01 * slowness;
        p.maxStep = p.frameTime;
        frames[k] = solveRest(&p);
    }
    CHECK_LE(getDistance(frames[0], limit), 0.005 / 10.0);
    CHECK_NEAR(getDistance(frames[0], limit) / getDistance(frames[1], limit), 10.0, 0.1);
}

// The world seen in a mirror.
static void path__is_mirrored_with_the_offset(void)
{
    for (int k = 0; k < 4; k++) {
        BenchPushing p = makePlanar(k % 2 ? benchPushingDynamic : benchPushingQuasistatic, 0.06);
        p.tilt = k / 2;
        p.pushHeight = 0.05;
        BenchPushingFrame left = solveRest(&p);
        p.offset = -p.offset;
        BenchPushingFrame right = solveRest(&p);
        right.y = -right.y;
        right.theta = -right.theta;
        CHECK_LE(comparePoses(left, right), 1e-9);
    }
}

// PUSHING.md: contact ends at 3 to 5 s for every d >= 0.01.
static void contact__ends_between_3_and_5_seconds(void)
{
    const double offsets[] = {0.01, 0.02, 0.04, 0.06, 0.08};
    for (int k = 0; k < 30; k++) {
        BenchPushing p = makePlanar(k < 15 ? benchPushingDynamic : benchPushingQuasistatic, offsets[k % 5]);
        p.rodFriction = 0.2 * (1 + k / 5 % 3);
        BenchPushingPath path = solve(&p);
        CHECK(path.end.t >= 3.0 && path.end.t <= 5.0 && path.corner.t <= path.end.t &&
              path.end.t <= path.rest.t);
        benchFreePushingPath(&path);
    }
}

// How deep the tip is inside the box, at most over all frames.
static double getDepth(const BenchPushing* p, const BenchPushingPath* path)
{
    double depth = -1.0;
    for (int i = 0; i < path->frameCount; i++) {
        BenchPushingFrame f = path->frames[i];
        double x = 0.5 * p->rodAcceleration * f.t * f.t - p->halfSide - p->rodRadius - f.x,
               y = p->offset - f.y;
        double c = cos(f.theta), s = sin(f.theta);
        double bx = fabs(c * x + s * y) - p->halfSide, by = fabs(-s * x + c * y) - p->halfSide;
        double gap = hypot(fmax(bx, 0.0), fmax(by, 0.0)) + fmin(fmax(bx, by), 0.0) - p->rodRadius;
        depth = fmax(depth, -gap);
        if (f.contact) {
            CHECK_LE(fabs(gap), 1e-9);
        }
    }
    return depth;
}

// The tip touches while there is contact and never enters; on slippery ground a box that ran ahead is caught
// again.
static void rod__never_enters_the_box(void)
{
    for (int k = 0; k < 24; k++) {
        BenchPushing p =
            makePlanar(k % 2 ? benchPushingDynamic : benchPushingQuasistatic, 0.01 + 0.03 * (k / 2 % 3));
        p.tilt = k / 6 % 2;
        p.groundFriction = k < 12 ? 0.4 : 0.05;
        p.rodFriction = k < 12 ? 0.4 : 1.5;
        BenchPushingPath path = solve(&p);
        CHECK_LE(getDepth(&p, &path), 1e-9);
        benchFreePushingPath(&path);
    }
}

// What halving every step changes: the longest step by 2, the tolerance of a fifth-order method by 32, the
// creep of points by 2.
static double refine(const BenchPushing* p)
{
    BenchPushing fine = *p;
    fine.maxStep *= 0.5;
    fine.tolerance /= 32.0;
    fine.smoothing *= 0.5;
    return comparePoses(solveRest(p), solveRest(&fine));
}

// Over supports and offsets; with tilt the push is low, where the base stays down, and at mid height, where
// it lifts off. Pushed dynamically at mid height the lattice of 5 cells pivots on a point, which takes 18,000
// steps (that of 4 cells does so for 700,000, a minute of them for the same law).
static double refineAll(BenchPushingModel model, bool tilt)
{
    const int points[] = {0, 0, 0, 3, 4, 10, 11, 5, 6};
    double worst = 0.0;
    for (int k = 0; k < 9; k++) {
        BenchPushing p = makePlanar(model, 0.02 * (1 + k % 3));
        p.tilt = tilt;
        p.pushHeight = k % 2 ? 0.02 : 0.1;
        p.support = points[k] > 0 ? benchSupportPoints : benchSupportUniform;
        p.pointsPerAxis = points[k];
        p.lattice = k >= 6; // of 10, 4 and 5 cells
        worst = fmax(worst, refine(&p));
    }
    return worst;
}

static void quasistatic__halving_every_step_moves_the_end_under_1e_6(void)
{
    CHECK_LE(refineAll(benchPushingQuasistatic, false), 1e-6);
}

static void dynamic__halving_every_step_moves_the_end_under_1e_6(void)
{
    CHECK_LE(refineAll(benchPushingDynamic, false), 1e-6);
}

static void tilt__halving_every_step_moves_the_end_under_1e_6(void)
{
    CHECK_LE(refineAll(benchPushingQuasistatic, true), 1e-6); // asked for: 1e-4
    CHECK_LE(refineAll(benchPushingDynamic, true), 1e-6);
}

// Without height and inertia the pressure stays even.
static void tilt__without_height_changes_nothing(void)
{
    for (int k = 0; k < 2; k++) {
        BenchPushing p = makePlanar((BenchPushingModel)k, 0.04), q = p;
        q.tilt = true;
        q.centreHeight = 0.0;
        CHECK_LE(comparePoses(solveRest(&p), solveRest(&q)), 1e-8);
    }
}

// mu z_p > a tips the cube over; values that make no sense are refused by name.
static void solve__refuses_what_it_cannot_do(void)
{
    BenchPushingPath path;
    pbdrError error;
    BenchPushing p = benchDefaultPushing();
    p.tilt = true;
    p.pushHeight = 0.15;
    p.groundFriction = 0.7;
    CHECK_EQ(benchSolvePushing(&p, &path, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "tips");
    CHECK(path.frames == NULL);
    p = benchDefaultPushing();
    p.offset = 0.1;
    CHECK_EQ(benchSolvePushing(&p, &path, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "offset");
    p.offset = (double)NAN;
    CHECK_EQ(benchSolvePushing(&p, &path, NULL), pbdr_statusInvalidArgument);
    p = benchDefaultPushing();
    p.support = benchSupportPoints;
    p.pointsPerAxis = 1;
    CHECK_EQ(benchSolvePushing(&p, &path, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "points per axis");
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"quasistatic__gives_the_stated_figures", quasistatic__gives_the_stated_figures},
          {"dynamic__gives_the_stated_figures", dynamic__gives_the_stated_figures},
          {"models__differ_as_stated", models__differ_as_stated},
          {"quasistatic__path_is_that_of_the_mode_that_holds",
           quasistatic__path_is_that_of_the_mode_that_holds},
          {"lattice__closes_on_the_even_base", lattice__closes_on_the_even_base},
          {"quasistatic__does_not_depend_on_the_grounds_friction",
           quasistatic__does_not_depend_on_the_grounds_friction},
          {"symmetric_push__follows_the_rod", symmetric_push__follows_the_rod},
          {"small_offset__grows_exponentially", small_offset__grows_exponentially},
          {"dynamic__tends_to_quasistatic_for_a_slow_rod", dynamic__tends_to_quasistatic_for_a_slow_rod},
          {"path__is_mirrored_with_the_offset", path__is_mirrored_with_the_offset},
          {"contact__ends_between_3_and_5_seconds", contact__ends_between_3_and_5_seconds},
          {"rod__never_enters_the_box", rod__never_enters_the_box},
          {"quasistatic__halving_every_step_moves_the_end_under_1e_6",
           quasistatic__halving_every_step_moves_the_end_under_1e_6},
          {"dynamic__halving_every_step_moves_the_end_under_1e_6",
           dynamic__halving_every_step_moves_the_end_under_1e_6},
          {"tilt__halving_every_step_moves_the_end_under_1e_6",
           tilt__halving_every_step_moves_the_end_under_1e_6},
          {"tilt__without_height_changes_nothing", tilt__without_height_changes_nothing},
          {"solve__refuses_what_it_cannot_do", solve__refuses_what_it_cannot_do});
}
