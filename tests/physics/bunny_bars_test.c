// The bunny: tests 4 to 6 with both solvers, and its free flight. Needs the mesh that scripts/setup.sh
// fetches; without it every case is skipped by name.
#include "bench_runs.h"
#include "inside.h"
#include "math/vec.h"
#include "pbdr/world.h"

static BenchShapes shapes;
static char whyNot[PBDR_MESSAGE_LENGTH]; // empty: the mesh is there

static BenchOptions makeOptions(BenchPrecision precision)
{
    BenchOptions options = benchDefaultOptions();
    const char* path = getenv("PBDR_BUNNY");
    options.meshPath = path != NULL ? path : PBDR_DATA_DIR "/bunny.stl";
    options.precision = precision;
    return options;
}

#define NEED_BUNNY()                                                                                         \
    do {                                                                                                     \
        if (whyNot[0] != 0) {                                                                                \
            SKIP(whyNot);                                                                                    \
        }                                                                                                    \
    } while (0)

static void packing__is_the_papers(void)
{
    NEED_BUNNY();
    CHECK_EQ(shapes.meshSpheres.count, 2191);
    CHECK_NEAR(shapes.meshTruth.volume, 0.002176, 5e-7);
}

static void test4__pbdr_f64(void)
{
    NEED_BUNNY();
    BenchRun runs[3];
    BenchOptions options = makeOptions(benchF64);
    runSeeds(4, "pbd-r", &options, &shapes, 3, runs);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(runs[k].errors.position.final, 7.8e-2, 3e-4);
        CHECK_LE(runs[k].errors.maxTilt, 0.1);
    }
}

// 26.4 deg is the inertia of the point masses; the base stays on the ground.
static void test5__pbdr_f64(void)
{
    NEED_BUNNY();
    BenchRun runs[3];
    BenchOptions options = makeOptions(benchF64);
    runSeeds(5, "pbd-r", &options, &shapes, 3, runs);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(runs[k].errors.rotation.final, 26.4, 0.02);
        CHECK_LE(runs[k].errors.maxTilt, 0.1);
    }
}

static void test6__pbdr_f64(void)
{
    NEED_BUNNY();
    BenchRun runs[3];
    BenchOptions options = makeOptions(benchF64);
    runSeeds(6, "pbd-r", &options, &shapes, 3, runs);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(runs[k].errors.position.final, 9.4e-2, 5e-4);
        CHECK_LE(runs[k].errors.maxTilt, 0.1);
    }
}

// In float, sums that are careless of the centre's rounding leave 2.6 m in Test 4; these must not.
static void tests_4_to_6__pbdr_f32_stays_upright(void)
{
    NEED_BUNNY();
    BenchOptions options = makeOptions(benchF32);
    for (int test = 4; test <= 6; test++) {
        BenchRun run[1];
        runSeeds(test, "pbd-r", &options, &shapes, 1, run);
        CHECK(run[0].outcome == benchMeasured);
        CHECK_LE(run[0].errors.maxTilt, 0.1);
        CHECK_LE(run[0].errors.position.final, test == 5 ? 6e-5 : 0.12);
    }
}

// PBD beside it, reported, diverging or not. It is off by metres when pushed or on the slope, by turns under
// the torque.
static void tests_4_to_6__pbd_f32_drifts(void)
{
    NEED_BUNNY();
    BenchOptions options = makeOptions(benchF32);
    for (int test = 4; test <= 6; test++) {
        BenchRun run[1];
        runSeeds(test, "pbd", &options, &shapes, 1, run);
        CHECK(run[0].outcome == benchDiverged || run[0].errors.position.final >= 0.5 ||
              run[0].errors.rotation.final >= 360.0);
    }
}

// --- Free flight: v = (.3, .2, .1) m/s, 10 rad/s about (.6, .48, .64), 10 s, no gravity, f64 ---

static pbdrBodyId launch(double dt, pbdrWorld** world)
{
    pbdrWorldDef worldDef = pbdrDefaultWorldDef();
    worldDef.solver = pbdr_solverPbdR;
    worldDef.gravity = pbdrVec(0.0, 0.0, 0.0);
    worldDef.timeStep = dt;
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.particleCount = shapes.meshSpheres.count;
    def.positions = shapes.meshSpheres.positions;
    def.radii = shapes.meshSpheres.radii;
    def.masses = shapes.meshSpheres.masses;
    def.velocity = (pbdrVelocity){{0.3, 0.2, 0.1}, {6.0, 4.8, 6.4}};
    pbdrBodyId body = {0, 0, 0};
    CHECK(pbdrCreateWorld(&worldDef, world, NULL) == pbdr_statusOk);
    CHECK(pbdrCreateBody(*world, &def, &body, NULL) == pbdr_statusOk);
    return body;
}

static double getDrift(pbdrVec3 before, pbdrVec3 after)
{
    return pbdrLength(pbdrSub(after, before)) / pbdrLength(before);
}

// Largest relative change of P and L over the flight.
static void fly(double dt, double* linear, double* angular)
{
    pbdrWorld* world;
    pbdrBodyId body = launch(dt, &world);
    pbdrMomentum start = pbdrBody_GetMomentum(world, body);
    *linear = *angular = 0.0;
    int perFrame = (int)(0.01 / dt + 0.5);
    for (int frame = 0; frame < 1000; frame++) {
        CHECK_EQ(pbdrWorld_Step(world, perFrame), 0);
        pbdrMomentum now = pbdrBody_GetMomentum(world, body);
        *linear = fmax(*linear, getDrift(start.linear, now.linear));
        *angular = fmax(*angular, getDrift(start.angular, now.angular));
    }
    printf("    dt %g s: P drifts by %.2g, L by %.2g\n", dt, *linear, *angular);
    pbdrDestroyWorld(world);
}

static void flight__conserves_momentum(void)
{
    NEED_BUNNY();
    double linear, angular, fineLinear, fineAngular;
    fly(1e-3, &linear, &angular);
    CHECK_LE(linear, 1e-10);
    CHECK_LE(angular, 1e-4);
    fly(5e-4, &fineLinear, &fineAngular);
    CHECK_LE(fineLinear, 1e-10);
    CHECK_LE(fineAngular, 0.6 * angular);
}

static void flight__velocity_half_restores_angular_momentum(void)
{
    NEED_BUNNY();
    pbdrWorld* world;
    launch(1e-3, &world);
    double worst = 0.0;
    for (int step = 0; step < 100; step++) {
        pbdrMoments before, now;
        stepToVelocityHalf(world, &before, &now);
        worst = fmax(worst, getDrift(before.spin, now.spin));
        stepPositionHalf(world);
    }
    CHECK_LE(worst, 1e-12);
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    BenchOptions options = makeOptions(benchF64);
    pbdrError error;
    if (benchPrepareMesh(&shapes, &options, &error) != pbdr_statusOk) {
        snprintf(whyNot, sizeof whyNot, "%s", error.message);
    }
    CASES(
        argc, argv, {"packing__is_the_papers", packing__is_the_papers}, {"test4__pbdr_f64", test4__pbdr_f64},
        {"test5__pbdr_f64", test5__pbdr_f64}, {"test6__pbdr_f64", test6__pbdr_f64},
        {"tests_4_to_6__pbdr_f32_stays_upright", tests_4_to_6__pbdr_f32_stays_upright},
        {"tests_4_to_6__pbd_f32_drifts", tests_4_to_6__pbd_f32_drifts},
        {"flight__conserves_momentum", flight__conserves_momentum},
        {"flight__velocity_half_restores_angular_momentum", flight__velocity_half_restores_angular_momentum});
}
