// The error budget: a run's signed error, and what is left of it for the body as simulated and for its
// integrator.
#include "bench_runs.h"

#include "math/vec.h"

#define DEGREES (180.0 / PBDR_PI)

// A scene in which seed 2 has turned everything; freed by the caller.
static BenchScene makeScene(int test, const BenchOptions* options)
{
    static const BenchShapes none;
    BenchScene scene;
    pbdrError error = {.message = "?"};
    if (benchMakeScene(benchFindTest(test), options, &none, 2, &scene, &error) != pbdr_statusOk) {
        printf("FAILED: %s\n", error.message);
        exit(1);
    }
    return scene;
}

// Errors of a body that goes `distance` along the motion, `sideways` across it, and turns by `angle` [rad],
// each as t^2 up to 10 s.
static BenchErrors follow(const BenchScene* scene, bool usesSpheres, double distance, double sideways,
                          double angle)
{
    BenchMeter meter;
    benchStartMeter(&meter, scene, usesSpheres);
    for (int frame = 1; frame <= 1000; frame++) {
        double t = 0.01 * frame, share = t * t / 100.0, half = 0.5 * angle * share;
        BenchMotion motion = {.pose = meter.start};
        pbdrVec3 along = pbdrAddScaled(meter.start.position, distance * share, scene->direction);
        motion.pose.position = pbdrAddScaled(along, sideways * share, scene->across);
        pbdrQuat turn = {cos(half), 0.0, 0.0, sin(half)};
        motion.pose.rotation = pbdrMulQQ(turn, meter.start.rotation);
        benchMeasure(&meter, t, &motion);
    }
    return benchFinishMeter(&meter);
}

// The reference goes a t^2/2. A body ahead of it by e and beside it by s has |error|^2 = e^2 + s^2 and the
// signed error e, on the slope too. Rounding of places of 16 m: 4e-15 m.
static void signed_position__is_along_the_motion(void)
{
    BenchOptions options = benchDefaultOptions();
    for (int test = 1; test <= 3; test += 2) {
        BenchScene scene = makeScene(test, &options);
        double end = 0.5 * scene.acceleration * 100.0;
        BenchErrors ahead = follow(&scene, false, end + 0.03, 0.04, 0.0);
        BenchErrors behind = follow(&scene, false, end - 0.03, 0.0, 0.0);
        CHECK_NEAR(ahead.signedPosition.final, 0.03, 1e-13);
        CHECK_NEAR(ahead.position.final, 0.05, 1e-13);
        CHECK_NEAR(ahead.signedPosition.t2, 0.03 * 0.04, 1e-13);
        CHECK_NEAR(behind.signedPosition.final, -0.03, 1e-13);
        CHECK_NEAR(behind.signedPosition.mean, -behind.position.mean, 1e-13);
        benchFreeScene(&scene);
    }
}

// Semi-implicit Euler with perfect forces ends at a t^2/2 + a t dt/2: the floor is all of its error. With the
// inertia of n^3 point masses, 1 - 1/n^2 of the cube's, alpha is 16/15 of the true one: Test 2 has 71.62 deg
// of packing, and 16/15 of the floor. Rounding: 1074 deg x 1000 additions x 1e-16.
static void perfect_euler__leaves_nothing(void)
{
    BenchOptions options = benchDefaultOptions();
    BenchScene push = makeScene(1, &options), torque = makeScene(2, &options);
    double sum = 0.5 * (100.0 + 10.0 * options.timeStep);
    for (int spheres = 0; spheres < 2; spheres++) {
        BenchErrors e = follow(&push, spheres != 0, push.acceleration * sum, 0.0, 0.0);
        CHECK_NEAR(e.signedPosition.final, 1.63e-3, 1e-12);
        CHECK_NEAR(e.budget.ownBody, 1.63e-3, 1e-12); // neither mass nor inertia counts
        CHECK_NEAR(e.budget.ownEuler, 0.0, 1e-12);

        double alpha = 0.375 * (spheres != 0 ? 16.0 / 15.0 : 1.0);
        double packing = spheres != 0 ? 0.5 * 0.375 / 15.0 * 100.0 * DEGREES : 0.0;
        e = follow(&torque, spheres != 0, 0.0, 0.0, alpha * sum);
        CHECK_NEAR(e.signedRotation.final - e.budget.ownBody, packing, 1e-9);
        CHECK_NEAR(e.budget.ownBody, 0.5 * alpha * 10.0 * options.timeStep * DEGREES, 1e-9);
        CHECK_NEAR(e.budget.ownEuler, 0.0, 1e-9);
    }
    benchFreeScene(&push);
    benchFreeScene(&torque);
}

// Test 2 has no contact force but weight: PBD-R in double is its body's inertia and its integrator, and what
// the momentum constraint leaves, O(w^2 dt^2) = 1.6e-5 relatively at 4 rad/s, so 0.02 deg of 1146.
static void test2__of_pbdr_is_packing_and_floor(void)
{
    BenchRun run;
    BenchOptions options = benchDefaultOptions();
    options.precision = benchF64;
    runSeeds(2, "pbd-r", &options, NULL, 1, &run);
    const BenchErrors* e = &run.errors;
    CHECK_NEAR(e->signedRotation.final - e->budget.ownBody, 71.62, 0.005);
    CHECK_NEAR(e->budget.ownBody - e->budget.ownEuler, 0.1146, 0.0001);
    CHECK_LE(fabs(e->budget.ownEuler), 0.02);
}

// PBD's drift in float is rounding: metres, and no particular number. PBD-R's is a hundredth of it.
static void test1__rounding_of_pbd_is_metres(void)
{
    BenchRun single[3], twice[3];
    static const char* const solvers[] = {"pbd", "pbd-r"};
    double size[2] = {0.0, 0.0};
    for (int s = 0; s < 2; s++) {
        BenchOptions options = benchDefaultOptions();
        runSeeds(1, solvers[s], &options, NULL, 3, single);
        options.precision = benchF64;
        runSeeds(1, solvers[s], &options, NULL, 3, twice);
        for (int k = 0; k < 3; k++) {
            size[s] +=
                fabs(single[k].errors.signedPosition.final - twice[k].errors.signedPosition.final) / 3.0;
        }
    }
    CHECK_GE(size[0], 1.0);
    CHECK_LE(size[1], 0.01 * size[0]);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"signed_position__is_along_the_motion", signed_position__is_along_the_motion},
          {"perfect_euler__leaves_nothing", perfect_euler__leaves_nothing},
          {"test2__of_pbdr_is_packing_and_floor", test2__of_pbdr_is_packing_and_floor},
          {"test1__rounding_of_pbd_is_metres", test1__rounding_of_pbd_is_metres});
}
