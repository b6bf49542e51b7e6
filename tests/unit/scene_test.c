// bench/scene.c and bench/runner.c: what a test is made of, and how long it is run.
#include "runner.h"

#include "check.h"

// A solid cube of 4 kg and 0.2 m: I = m s^2/6 about every axis; its centre at half its side.
static void box__is_the_papers(void)
{
    BenchOptions options = benchDefaultOptions();
    const BenchShapes none = {0};
    BenchScene scene;
    pbdrError error;
    CHECK_EQ(benchMakeScene(benchFindTest(1), &options, &none, 0, &scene, &error), pbdr_statusOk);
    const pbdrBenchBody* body = &scene.data.bodies[0];
    CHECK_EQ(body->mass, 4.0);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(body->inertia.m[k][k], 4.0 * 0.04 / 6.0, 1e-16);
    }
    CHECK_NEAR(body->start.position.z, 0.1, 1e-16);
    CHECK_NEAR(scene.acceleration, 17.0 / 4.0 - 0.4 * PBDR_DEFAULT_GRAVITY, 1e-14);
    benchFreeScene(&scene);
}

// The first reference is quasi-static without tilt, the second dynamic with tilt, of the cube as it is
// pushed.
static void test7__has_its_two_references(void)
{
    BenchOptions options = benchDefaultOptions();
    options.duration = 3.0;
    BenchPushing pushing = benchDescribePushing(&options);
    CHECK_EQ(pushing.mass, 4.0);
    CHECK_EQ(pushing.halfSide, 0.1);
    CHECK_EQ(pushing.centreHeight, 0.1);
    CHECK_EQ(pushing.pushHeight, options.pushHeight);
    CHECK_EQ(pushing.offset, options.offset);
    CHECK_EQ(pushing.groundFriction, 0.4);
    CHECK_EQ(pushing.rodFriction, 0.4);
    CHECK_EQ(pushing.rodAcceleration, 0.05);
    CHECK_NEAR(pushing.frameTime, 0.01, 1e-17);
    CHECK(!pushing.tilt && pushing.model == benchPushingQuasistatic);
    BenchShapes shapes = {0};
    pbdrError error;
    CHECK_EQ(benchPreparePushing(&shapes, &options, &error), pbdr_statusOk);
    for (int k = 0; k < BENCH_REFERENCE_COUNT; k++) {
        pushing.model = k == benchDynamicTilt ? benchPushingDynamic : benchPushingQuasistatic;
        pushing.tilt = k == benchDynamicTilt;
        BenchPushingPath path;
        CHECK_EQ(benchSolvePushing(&pushing, &path, &error), pbdr_statusOk);
        const BenchPushingFrame *a = &shapes.pushing[k].frames[300], *b = &path.frames[300];
        CHECK_EQ(a->x, b->x);
        CHECK_EQ(a->y, b->y);
        CHECK_EQ(a->theta, b->theta);
        benchFreePushingPath(&path);
    }
    benchFreeShapes(&shapes);
}

// Frames are of 10 ms or of a longer time step; a run lasts as many of them as are nearest to what was asked.
static void run__lasts_as_long_as_asked(void)
{
    CHECK_EQ(benchGetSubstepsPerFrame(1e-3), 10);
    CHECK_EQ(benchGetSubstepsPerFrame(2.5e-4), 40);
    CHECK_EQ(benchGetSubstepsPerFrame(0.02), 1);
    const double durations[4] = {0.03, 0.029, 0.031, 0.001};
    const int substeps[4] = {30, 30, 30, 10};
    for (int k = 0; k < 4; k++) {
        BenchOptions options = benchDefaultOptions();
        options.duration = durations[k];
        const BenchShapes none = {0};
        BenchSolver solver;
        BenchScene scene;
        BenchRun run;
        bool stopped;
        pbdrError error;
        CHECK_EQ(benchChooseSolver("xpbdr", &solver, &error), pbdr_statusOk);
        options = benchResolveOptions(&solver, &options);
        CHECK_EQ(benchMakeScene(benchFindTest(1), &options, &none, 1, &scene, &error), pbdr_statusOk);
        CHECK_EQ(benchRun(&solver, &scene, &options, NULL, NULL, NULL, &run, &stopped, &error),
                 pbdr_statusOk);
        CHECK_EQ(run.substepCount, substeps[k]);
        CHECK_NEAR(run.duration, 1e-3 * substeps[k], 1e-15);
        CHECK_LE(run.errors.position.final, 1e-12); // measured at the time that the simulation has reached
        benchFreeScene(&scene);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"box__is_the_papers", box__is_the_papers},
          {"test7__has_its_two_references", test7__has_its_two_references},
          {"run__lasts_as_long_as_asked", run__lasts_as_long_as_asked});
}
