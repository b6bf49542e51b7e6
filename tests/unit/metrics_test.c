// bench/metrics.c against trajectories whose errors are written down by hand: every metric has its own figure
// at every frame, so that a wrong frame, a wrong factor or a wrong reference shows. (cli_score compares bench
// with score, which share benchMeasure: there such faults cancel.)
#include "metrics.h"

#include "check.h"
#include "math/vec.h"

#define DEGREES (180.0 / PBDR_PI)

static const BenchTest pushTest = {.number = 1, .name = "push", .mass = 4.0, .mu = 0.4, .force = 17.0};
static const BenchTest torqueTest = {.number = 2, .name = "torque", .mass = 4.0, .torque = 0.05};

// Two spheres of 1.5 kg at x = +-0.1 m: 3 kg of the true 4, Izz = 0.03 kg m^2.
static pbdrVec3 twoPositions[2] = {{-0.1, 0.0, 0.0}, {0.1, 0.0, 0.0}};
static double twoRadii[2] = {0.05, 0.05}, twoMasses[2] = {1.5, 1.5};
static const pbdrSphereSet twoSpheres = {
    .count = 2, .positions = twoPositions, .radii = twoRadii, .masses = twoMasses};

static pbdrQuat turn(double x, double y, double z, double degrees)
{
    double half = 0.5 * degrees / DEGREES;
    return (pbdrQuat){cos(half), x * sin(half), y * sin(half), z * sin(half)};
}

// 4 kg, pushed along (0.6, 0.8, 0) with 0.5 m/s^2, turned by alpha = 1 rad/s^2 if the test has a torque.
static BenchScene makeScene(const BenchTest* test)
{
    BenchScene scene = {.test = test,
                        .forceSize = test->force,
                        .direction = {0.6, 0.8, 0.0},
                        .across = {-0.8, 0.6, 0.0},
                        .acceleration = test->torque > 0.0 ? 0.0 : 0.5,
                        .angularAcceleration = test->torque > 0.0 ? 1.0 : 0.0};
    scene.data.timeStep = 1e-3;
    scene.data.groundFriction = test->mu;
    scene.data.bodies[0].mass = 4.0;
    scene.data.bodies[0].inertia = (pbdrMat3){{{0.02, 0.0, 0.0}, {0.0, 0.03, 0.0}, {0.0, 0.0, 0.05}}};
    scene.data.bodies[0].start = (pbdrPose){{1.0, 2.0, 0.1}, turn(0.0, 0.0, 1.0, 20.0)};
    scene.data.bodies[0].sphereStart = (pbdrPose){{1.0, 2.0, 0.2}, turn(0.0, 0.0, 1.0, 20.0)};
    return scene;
}

// The scene's own axes, from its start.
static pbdrVec3 place(const BenchScene* scene, double along, double across, double up)
{
    pbdrVec3 at = pbdrAddScaled(scene->data.bodies[0].start.position, along, scene->direction);
    return pbdrAdd(pbdrAddScaled(at, across, scene->across), pbdrVec(0.0, 0.0, up));
}

static void checkSeries(BenchSeries series, double final, double mean, double t2, const char* name)
{
    int before = checkFailures;
    CHECK_NEAR(series.final, final, 1e-12);
    CHECK_NEAR(series.mean, mean, 1e-12);
    CHECK_NEAR(series.t2, t2, 1e-12);
    if (checkFailures > before) {
        printf("    ... of %s\n", name);
    }
}

// Three frames, at 1, 2 and 4 s, k = 1, 2, 3: the body is 2k mm too far, 3k mm to the left, 6k mm too high
// (7k mm in all, since 4 + 9 + 36 = 49); too fast by 7k cm/s by the same triple; P off by 7k g m/s; L by 9k
// (1, 4, 8); turned by k degrees about (1, 2, 2)/3.
static void push__errors_are_those_of_the_frames(void)
{
    const BenchScene scene = makeScene(&pushTest);
    const double times[3] = {1.0, 2.0, 4.0};
    BenchMeter meter;
    benchStartMeter(&meter, &scene, false);
    for (int k = 1; k <= 3; k++) {
        double t = times[k - 1], a = 0.5;
        BenchMotion motion = {
            .pose = {place(&scene, 0.5 * a * t * t + 2e-3 * k, 3e-3 * k, 6e-3 * k),
                     pbdrMulQQ(turn(1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, k), turn(0.0, 0.0, 1.0, 20.0))},
            .velocity = {pbdrAdd(pbdrScale(a * t, scene.direction),
                                 pbdrScale(0.01 * k, pbdrVec(2.0, 3.0, 6.0))),
                         {5.0, 6.0, 7.0}},
            .momentum = {pbdrAdd(pbdrScale(4.0 * a * t, scene.direction),
                                 pbdrScale(1e-3 * k, pbdrVec(-6.0, 2.0, 3.0))),
                         pbdrScale(k, pbdrVec(1.0, 4.0, 8.0))}};
        benchMeasure(&meter, t, &motion);
    }
    BenchErrors e = benchFinishMeter(&meter);
    checkSeries(e.position, 0.021, 0.014, 0.014, "position");
    checkSeries(e.signedPosition, 0.006, 0.004, 0.004, "signedPosition");
    checkSeries(e.velocity, 0.21, 0.14, 0.14, "velocity");
    checkSeries(e.linearMomentum, 0.021, 0.014, 0.014, "linearMomentum");
    checkSeries(e.angularMomentum, 27.0, 18.0, 18.0, "angularMomentum");
    checkSeries(e.rotation, 3.0, 2.0, 2.0, "rotation");
    checkSeries(e.signedRotation, 0.0, 0.0, 0.0, "signedRotation");
    CHECK(isnan(e.pushing[0].final.position) && isnan(e.pushing[1].t3.turn));
}

// Without a frame at 2 s there is no error at 2 s.
static void push__has_no_error_at_2_s_without_a_frame_there(void)
{
    const BenchScene scene = makeScene(&pushTest);
    BenchMeter meter;
    benchStartMeter(&meter, &scene, false);
    BenchMotion motion = {.pose = scene.data.bodies[0].start};
    benchMeasure(&meter, 1.999, &motion);
    benchMeasure(&meter, 2.001, &motion);
    BenchErrors e = benchFinishMeter(&meter);
    CHECK(isnan(e.position.t2) && isnan(e.rotation.t2) && isnan(e.velocity.t2));
}

// The angle is alpha t^2/2 = t^2/2: 72 rad at 12 s, eleven turns. The body is ahead by k degrees.
static void torque__angle_is_unwrapped_and_signed(void)
{
    const BenchScene scene = makeScene(&torqueTest);
    BenchMeter meter;
    benchStartMeter(&meter, &scene, false);
    double mean = 0.0;
    for (int k = 1; k <= 120; k++) {
        double t = 0.1 * k, ahead = -0.01 * k; // [deg]
        BenchMotion motion = {.pose = {scene.data.bodies[0].start.position,
                                       pbdrMulQQ(turn(0.0, 0.0, 1.0, 0.5 * t * t * DEGREES + ahead),
                                                 turn(0.0, 0.0, 1.0, 20.0))},
                              .momentum.angular = {0.0, 0.0, 0.05 * t + 2e-3}};
        benchMeasure(&meter, t, &motion);
        mean += ahead / 120.0;
    }
    BenchErrors e = benchFinishMeter(&meter);
    CHECK_NEAR(e.signedRotation.final, -1.2, 1e-11);
    CHECK_NEAR(e.signedRotation.t2, -0.2, 1e-11);
    CHECK_NEAR(e.signedRotation.mean, mean, 1e-11);
    CHECK_NEAR(e.rotation.final, 1.2, 1e-11);
    CHECK_NEAR(e.rotation.mean, -mean, 1e-11);
    CHECK_NEAR(e.angularMomentum.final, 2e-3, 1e-12); // against Izz alpha t
    CHECK_NEAR(e.position.final, 0.0, 0.0);
}

// 1e-9 degrees are seen as such: acos of a cosine would see none.
static void rotation__keeps_its_digits_when_small(void)
{
    const BenchScene scene = makeScene(&pushTest);
    BenchMeter meter;
    benchStartMeter(&meter, &scene, false);
    BenchMotion motion = {.pose = {scene.data.bodies[0].start.position,
                                   pbdrMulQQ(turn(1.0, 0.0, 0.0, 1e-9), turn(0.0, 0.0, 1.0, 20.0))}};
    benchMeasure(&meter, 1.0, &motion);
    CHECK_NEAR(benchFinishMeter(&meter).rotation.final, 1e-9, 1e-13);
    CHECK_NEAR(benchFinishMeter(&meter).maxTilt, 1e-9, 1e-13);
}

// Of the up axis from where it was at the start; the largest, not the last; turning about it is no tilt.
static void tilt__is_the_largest_of_all_frames(void)
{
    const BenchScene scene = makeScene(&pushTest);
    const double tilts[4] = {5.0, 20.0, 10.0, 0.0};
    BenchMeter meter;
    benchStartMeter(&meter, &scene, false);
    for (int k = 0; k < 4; k++) {
        BenchMotion motion = {.pose = {scene.data.bodies[0].start.position,
                                       pbdrMulQQ(turn(0.6, 0.8, 0.0, tilts[k]), turn(0.0, 0.0, 1.0, 77.0))}};
        benchMeasure(&meter, k + 1.0, &motion);
    }
    CHECK_NEAR(benchFinishMeter(&meter).maxTilt, 20.0, 1e-12);
}

// Solvers of spheres start from the spheres' pose.
static void spheres__are_measured_from_their_own_start(void)
{
    BenchScene scene = makeScene(&torqueTest);
    scene.spheres = twoSpheres;
    BenchMotion motion = {.pose = scene.data.bodies[0].sphereStart};
    BenchMeter meter;
    benchStartMeter(&meter, &scene, false);
    benchMeasure(&meter, 0.0, &motion);
    CHECK_NEAR(benchFinishMeter(&meter).position.final, 0.1, 1e-15);
    benchStartMeter(&meter, &scene, true);
    benchMeasure(&meter, 0.0, &motion);
    CHECK_NEAR(benchFinishMeter(&meter).position.final, 0.0, 0.0);
}

// P = m v, L = R I R^T w: turned by 90 degrees about x, the moments about y and z change places.
static void momentum__is_that_of_the_turned_body(void)
{
    pbdrBenchBody body = {.mass = 3.0, .inertia = {{{1.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 5.0}}}};
    BenchMotion motion = {.pose.rotation = turn(1.0, 0.0, 0.0, 90.0),
                          .velocity = {{0.1, 0.2, 0.3}, {1.0, 1.0, 1.0}}};
    pbdrMomentum m = benchGetTrueMomentum(&body, &motion);
    CHECK_NEAR(m.linear.x, 0.3, 1e-15);
    CHECK_NEAR(m.linear.y, 0.6, 1e-15);
    CHECK_NEAR(m.linear.z, 0.9, 1e-15);
    CHECK_NEAR(m.angular.x, 1.0, 1e-14);
    CHECK_NEAR(m.angular.y, 5.0, 1e-14);
    CHECK_NEAR(m.angular.z, 2.0, 1e-14);
}

// --- The error budget ---

static BenchScene makeSphereScene(const BenchTest* test)
{
    BenchScene scene = makeScene(test);
    scene.spheres = twoSpheres;
    scene.data.bodies[0].sphereExtraInertia.m[2][2] = 0.01;
    scene.data.bodies[0].start = scene.data.bodies[0].sphereStart;
    return scene;
}

// a = F/m - mu g for 3 kg: 17/3 - 0.4 g. A perfect solver of that body is off by (a - 0.5) t^2/2,
// semi-implicit Euler by a t dt/2 more.
static void budget__of_a_push_is_the_other_mass_and_eulers_share(void)
{
    const BenchScene scene = makeSphereScene(&pushTest);
    double t = 4.0, own = 17.0 / 3.0 - 0.4 * PBDR_DEFAULT_GRAVITY;
    BenchMeter meter;
    benchStartMeter(&meter, &scene, true);
    BenchMotion motion = {.pose = {place(&scene, 0.5 * own * t * t + 0.5 * own * t * 1e-3 + 0.25, 0.0, 0.0),
                                   scene.data.bodies[0].sphereStart.rotation}};
    benchMeasure(&meter, t, &motion);
    BenchErrors e = benchFinishMeter(&meter);
    CHECK_NEAR(e.budget.ownBody, 0.25 + 0.5 * own * t * 1e-3, 1e-12);
    CHECK_NEAR(e.budget.ownEuler, 0.25, 1e-12);
}

// alpha = tau/(0.03 + 0.01) = 1.25 rad/s^2.
static void budget__of_a_torque_is_the_other_inertia_and_eulers_share(void)
{
    const BenchScene scene = makeSphereScene(&torqueTest);
    double t = 2.0, own = 0.05 / 0.04, euler = 0.5 * own * t * 1e-3 * DEGREES;
    BenchMeter meter;
    benchStartMeter(&meter, &scene, true);
    BenchMotion motion = {.pose = {scene.data.bodies[0].sphereStart.position,
                                   pbdrMulQQ(turn(0.0, 0.0, 1.0, 0.5 * own * t * t * DEGREES + euler + 3.0),
                                             turn(0.0, 0.0, 1.0, 20.0))}};
    benchMeasure(&meter, t, &motion);
    BenchErrors e = benchFinishMeter(&meter);
    CHECK_NEAR(e.budget.ownBody, 3.0 + euler, 1e-11);
    CHECK_NEAR(e.budget.ownEuler, 3.0, 1e-11);
}

// Semi-implicit Euler with perfect forces is a t dt/2 too far.
static void floors__are_eulers(void)
{
    BenchScene push = makeScene(&pushTest), torque = makeScene(&torqueTest);
    CHECK_NEAR(benchGetPositionFloor(&push, 10.0, 2e-3), 0.5 * 0.5 * 10.0 * 2e-3, 1e-15);
    CHECK_NEAR(benchGetRotationFloor(&torque, 10.0, 2e-3), 0.5 * 1.0 * 10.0 * 2e-3 * DEGREES, 1e-12);
    const BenchPushingPath path = {0};
    push.pushing = &path;
    CHECK(isnan(benchGetPositionFloor(&push, 10.0, 2e-3)));
    CHECK(isnan(benchGetRotationFloor(&push, 10.0, 2e-3)));
}

static void diverged__has_no_errors(void)
{
    BenchErrors e = benchGetNoErrors();
    CHECK(isnan(e.position.final) && isnan(e.position.mean) && isnan(e.position.t2));
    CHECK(isnan(e.signedPosition.final) && isnan(e.rotation.mean) && isnan(e.signedRotation.final));
    CHECK(isnan(e.velocity.final) && isnan(e.linearMomentum.final) && isnan(e.angularMomentum.final));
    CHECK(isnan(e.maxTilt) && isnan(e.budget.ownBody) && isnan(e.budget.ownEuler));
    CHECK(isnan(e.pushing[benchDynamicTilt].contactEnd.along));
}

// --- Test 7 ---

#define PUSH_FRAMES 401
static BenchPushingFrame paths[BENCH_REFERENCE_COUNT][PUSH_FRAMES];
static const double accelerations[BENCH_REFERENCE_COUNT] = {0.05, 0.08}; // along
static const double drifts[BENCH_REFERENCE_COUNT] = {-0.02, -0.03};      // across [m/s]
static const double spins[BENCH_REFERENCE_COUNT] = {0.1, 0.2};           // [rad/s]

// Frames of 10 ms over 4 s: x = A t^2/2, y = b t, theta = w t. The rod leaves at 3.444 s or 3.512 s; the box
// rests later, which is no moment that is asked for.
static BenchScene makePushed(BenchPushingPath pushing[BENCH_REFERENCE_COUNT])
{
    static const BenchTest test = {.number = 7, .name = "rod", .mass = 4.0, .rod = true};
    for (int k = 0; k < BENCH_REFERENCE_COUNT; k++) {
        for (int i = 0; i < PUSH_FRAMES; i++) {
            double t = 0.01 * i;
            paths[k][i] = (BenchPushingFrame){
                .t = t, .x = 0.5 * accelerations[k] * t * t, .y = drifts[k] * t, .theta = spins[k] * t};
        }
        pushing[k] = (BenchPushingPath){
            .frameCount = PUSH_FRAMES, .frames = paths[k], .end.t = k == 0 ? 3.444 : 3.512, .rest.t = 3.9};
    }
    BenchScene scene = makeScene(&test);
    scene.acceleration = 0.0;
    scene.pushing = pushing;
    return scene;
}

// At frame i the body is i um too far, 2i um to the left and 2i um too high of the first reference, and
// turned by i/1000 degrees too much.
static BenchMotion makePushedMotion(const BenchScene* scene, double t, double i)
{
    pbdrVec3 velocity = pbdrAddScaled(pbdrScale(0.05 * t, scene->direction), -0.02, scene->across);
    return (BenchMotion){
        .pose = {place(scene, 0.025 * t * t + 1e-6 * i, -0.02 * t + 2e-6 * i, 2e-6 * i),
                 pbdrMulQQ(turn(0.0, 0.0, 1.0, 0.1 * t * DEGREES + 1e-3 * i), turn(0.0, 0.0, 1.0, 20.0))},
        .velocity.linear = pbdrAdd(velocity, pbdrVec(0.0, 0.0, 1e-4 * i)),
        .momentum = {pbdrScale(4.0, velocity), {0.0, 0.0, 0.05 * 0.1 + 1e-5 * i}},
    };
}

static void checkGap(BenchGap gap, int reference, double i)
{
    double t = 0.01 * i;
    double along = 1e-6 * i + 0.5 * (accelerations[0] - accelerations[reference]) * t * t;
    double across = 2e-6 * i + (drifts[0] - drifts[reference]) * t;
    double angle = 1e-3 * i + (spins[0] - spins[reference]) * t * DEGREES;
    CHECK_NEAR(gap.along, along, 1e-13);
    CHECK_NEAR(gap.across, across, 1e-13);
    CHECK_NEAR(gap.turn, angle, 1e-11);
    CHECK_NEAR(gap.rotation, fabs(angle), 1e-11);
    CHECK_NEAR(gap.position, sqrt(along * along + across * across + 4e-12 * i * i), 1e-13);
}

static void test7__errors_are_taken_at_their_moments(void)
{
    BenchPushingPath pushing[BENCH_REFERENCE_COUNT];
    const BenchScene scene = makePushed(pushing);
    BenchMeter meter;
    benchStartMeter(&meter, &scene, false);
    for (int i = 1; i < PUSH_FRAMES; i++) {
        BenchMotion motion = makePushedMotion(&scene, 0.01 * i, i);
        benchMeasure(&meter, 0.01 * i, &motion);
    }
    BenchErrors e = benchFinishMeter(&meter);
    for (int k = 0; k < BENCH_REFERENCE_COUNT; k++) {
        checkGap(e.pushing[k].t2, k, 200);
        checkGap(e.pushing[k].t3, k, 300);
        checkGap(e.pushing[k].contactEnd, k, k == 0 ? 344 : 351);
        checkGap(e.pushing[k].final, k, 400);
    }
    // the errors that all tests have are against the paper's reference: 3 um and 1e-3 deg a frame
    CHECK_NEAR(e.position.final, 3e-6 * 400, 1e-13);
    CHECK_NEAR(e.position.t2, 3e-6 * 200, 1e-13);
    CHECK_NEAR(e.position.mean, 3e-6 * 200.5, 1e-12);
    CHECK_NEAR(e.rotation.final, 0.4, 1e-11);
    CHECK(isnan(e.budget.ownBody) && isnan(e.budget.ownEuler));
}

// Velocities of the reference are central differences, which are exact for a parabola.
static void test7__velocity_is_that_of_the_frames(void)
{
    BenchPushingPath pushing[BENCH_REFERENCE_COUNT];
    const BenchScene scene = makePushed(pushing);
    BenchMeter meter;
    benchStartMeter(&meter, &scene, false);
    BenchMotion motion = makePushedMotion(&scene, 3.0, 300);
    benchMeasure(&meter, 3.0, &motion);
    BenchErrors e = benchFinishMeter(&meter);
    CHECK_NEAR(e.velocity.final, 0.03, 1e-12);
    CHECK_NEAR(e.linearMomentum.final, 0.0, 1e-12);
    CHECK_NEAR(e.angularMomentum.final, 3e-3, 1e-12);
}

// Trajectory files may have times between the frames: reached with the frame's velocity, so within A h^2/2 of
// the parabola, h = 4 ms; and after the last frame the reference rests.
static void test7__times_between_frames_are_reached(void)
{
    BenchPushingPath pushing[BENCH_REFERENCE_COUNT];
    const BenchScene scene = makePushed(pushing);
    BenchMeter meter;
    benchStartMeter(&meter, &scene, false);
    BenchMotion motion = makePushedMotion(&scene, 2.504, 0);
    benchMeasure(&meter, 2.504, &motion);
    BenchErrors e = benchFinishMeter(&meter);
    CHECK_NEAR(e.position.final, 0.5 * 0.05 * 4e-3 * 4e-3, 1e-12);
    CHECK_NEAR(e.rotation.final, 0.0, 1e-11);
    motion = makePushedMotion(&scene, 4.0, 0);
    benchStartMeter(&meter, &scene, false);
    benchMeasure(&meter, 5.0, &motion);
    CHECK_NEAR(benchFinishMeter(&meter).position.final, 0.0, 1e-13);
}

int main(int argc, char** argv)
{
    CASES(
        argc, argv, {"push__errors_are_those_of_the_frames", push__errors_are_those_of_the_frames},
        {"push__has_no_error_at_2_s_without_a_frame_there", push__has_no_error_at_2_s_without_a_frame_there},
        {"torque__angle_is_unwrapped_and_signed", torque__angle_is_unwrapped_and_signed},
        {"rotation__keeps_its_digits_when_small", rotation__keeps_its_digits_when_small},
        {"tilt__is_the_largest_of_all_frames", tilt__is_the_largest_of_all_frames},
        {"spheres__are_measured_from_their_own_start", spheres__are_measured_from_their_own_start},
        {"momentum__is_that_of_the_turned_body", momentum__is_that_of_the_turned_body},
        {"budget__of_a_push_is_the_other_mass_and_eulers_share",
         budget__of_a_push_is_the_other_mass_and_eulers_share},
        {"budget__of_a_torque_is_the_other_inertia_and_eulers_share",
         budget__of_a_torque_is_the_other_inertia_and_eulers_share},
        {"floors__are_eulers", floors__are_eulers}, {"diverged__has_no_errors", diverged__has_no_errors},
        {"test7__errors_are_taken_at_their_moments", test7__errors_are_taken_at_their_moments},
        {"test7__velocity_is_that_of_the_frames", test7__velocity_is_that_of_the_frames},
        {"test7__times_between_frames_are_reached", test7__times_between_frames_are_reached});
}
