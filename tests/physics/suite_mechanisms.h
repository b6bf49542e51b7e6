// Mechanisms of the benchmark's extended suite (bench/extended/mechanisms.h) in worlds of XPBD-R, for tests that look at more
// than the benchmark does.
#ifndef PBDR_TESTS_SUITE_MECHANISMS_H
#define PBDR_TESTS_SUITE_MECHANISMS_H

#include "extended/mechanisms.h"
#include "mechanisms.h"
#include "solvers/registry.h"

typedef struct Suite {
    BenchScene scene;
    void* simulation;
    pbdrWorld* world; // its own
} Suite;

static inline Suite makeSuite(int number, double timeStep)
{
    Suite suite;
    const BenchShapes none = {.flattening = 0.0};
    BenchOptions options = benchDefaultOptions();
    char message[PBDR_BENCH_MESSAGE];
    pbdrError error;
    options.timeStep = timeStep;
    options.contact = pbdr_contactSurface;
    require(benchMakeScene(benchFindTest(number), &options, &none, 0, &suite.scene, &error), &error);
    suite.scene.data.preset = "";
    suite.simulation = benchCreateRecorded(&suite.scene.data, pbdr_solverXpbdR, NULL, message);
    CHECK(suite.simulation != NULL);
    suite.world = benchGetWorld(suite.simulation);
    return suite;
}

static inline void freeSuite(Suite* suite)
{
    benchGetXpbdR()->destroy(suite->simulation);
    benchFreeScene(&suite->scene);
}

static inline pbdrBodyId getSuiteBody(const Suite* suite, int body)
{
    pbdrBodyId ids[PBDR_BENCH_MAX_BODIES];
    CHECK(pbdrWorld_GetBodies(suite->world, ids, PBDR_BENCH_MAX_BODIES) == suite->scene.data.bodyCount);
    return ids[body];
}

// Runs it to its end; returns how far its first joint has turned.
static inline double runSuite(const Suite* suite)
{
    stepMechanism(suite->world, (int)lround(suite->scene.test->duration / suite->scene.data.timeStep));
    pbdrJointId ids[PBDR_BENCH_MAX_JOINTS];
    CHECK(pbdrWorld_GetJoints(suite->world, ids, PBDR_BENCH_MAX_JOINTS) == suite->scene.data.jointCount);
    return pbdrJoint_GetPosition(suite->world, ids[0]);
}

// The angle that its law says at the end.
static inline double findExact(const Suite* suite)
{
    BenchFollowed followed;
    CHECK(benchFollow(suite->scene.test, 0, suite->scene.test->duration, &followed));
    return followed.angle;
}

// How far a body is from where its law says at the end [m].
static inline double getPositionError(const Suite* suite, int body)
{
    BenchLink link;
    CHECK(benchPlaceLink(suite->scene.test, body, suite->scene.test->duration, &link));
    return pbdrLength(
        pbdrSub(pbdrBody_GetPose(suite->world, getSuiteBody(suite, body)).position, link.at.pose.position));
}

// The largest error of the energy in the whole of its run, at frames of that many substeps [J].
static inline double findEnergyError(const Suite* suite, int perFrame)
{
    const double energy = getMechanismEnergy(suite->world), frame = perFrame * suite->scene.data.timeStep;
    double worst = 0.0;
    for (int k = 0; k < (int)lround(suite->scene.test->duration / frame); k++) {
        stepMechanism(suite->world, perFrame);
        worst = fmax(worst, fabs(getMechanismEnergy(suite->world) - energy));
    }
    return worst;
}

#endif
