// Test 7: PBD-R closes on the paper's reference as spheres are added, averaged over friction and offsets.
#include "bench_runs.h"

static double getMeanError(int n)
{
    const double mus[] = {0.2, 0.4, 0.6}, offsets[] = {0.02, 0.04, 0.06};
    double sum = 0.0;
    for (int k = 0; k < 9; k++) {
        BenchOptions options = benchDefaultOptions();
        options.precision = benchF64;
        options.n = n;
        options.mu = mus[k / 3];
        options.offset = offsets[k % 3];
        BenchShapes shapes = {0};
        pbdrError error;
        if (benchPreparePushing(&shapes, &options, &error) != pbdr_statusOk) {
            printf("FAILED: %s\n", error.message);
            exit(1);
        }
        BenchRun run;
        runSeeds(7, "pbd-r", &options, &shapes, 1, &run);
        sum += run.errors.pushing[benchQuasistatic].final.position;
        CHECK_EQ(run.errors.position.final, run.errors.pushing[benchQuasistatic].final.position);
        benchFreeShapes(&shapes);
    }
    printf("    n = %d: %.4g m on average\n", n, sum / 9);
    return sum / 9;
}

static void test7__error_falls_with_resolution(void)
{
    const int resolutions[] = {3, 4, 6, 8, 10};
    double last = HUGE_VAL;
    for (int k = 0; k < 5; k++) {
        double error = getMeanError(resolutions[k]);
        CHECK_LE(error, last);
        last = error;
    }
    CHECK_LE(last, 0.03);
}

// The rod is where it should be: start + a t^2/2, exactly, whatever it pushes.
static void test7__rod_follows_its_motion(void)
{
    BenchOptions options = benchDefaultOptions();
    BenchShapes shapes = {0};
    pbdrError error;
    BenchScene scene;
    BenchSolver solver;
    CHECK(benchPreparePushing(&shapes, &options, &error) == pbdr_statusOk);
    CHECK(benchMakeScene(benchFindTest(7), &options, &shapes, 1, &scene, &error) == pbdr_statusOk);
    CHECK(benchChooseSolver("pbd-r", &solver, &error) == pbdr_statusOk);
    char message[PBDR_BENCH_MESSAGE];
    void* simulation = solver.table->create(&scene.data, message);
    CHECK(simulation != NULL);
    solver.table->step(simulation, 2000);
    pbdrPose pose;
    pbdrVelocity velocity;
    solver.table->read(simulation, 1, &pose, &velocity);
    const pbdrBenchBody* rod = &scene.data.bodies[1];
    pbdrVec3 a = rod->prescribedAcceleration, start = rod->start.position;
    double way = 0.5 * 2.0 * 2.0;
    CHECK_NEAR(pose.position.x, start.x + way * a.x, 1e-12);
    CHECK_NEAR(pose.position.y, start.y + way * a.y, 1e-12);
    CHECK_EQ(pose.position.z, start.z);
    solver.table->destroy(simulation);
    benchFreeScene(&scene);
    benchFreeShapes(&shapes);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"test7__error_falls_with_resolution", test7__error_falls_with_resolution},
          {"test7__rod_follows_its_motion", test7__rod_follows_its_motion});
}
