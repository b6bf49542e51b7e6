// Plug-ins that misbehave, one per BEHAVIOUR: the benchmark must report each and go on.
#include "pbdr/bench/solver.h"

#include <stdio.h>
#include <stdlib.h>

enum { CRASH_IN_STEP = 1, CRASH_AT_LOAD, WRONG_ABI, NO_FUNCTIONS, REFUSES, EXITS };

static int simulation;

static void* create(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    (void)scene;
    if (BEHAVIOUR == REFUSES) {
        snprintf(message, PBDR_BENCH_MESSAGE, "not supported: on Sundays");
        return NULL;
    }
    return &simulation;
}

static uint32_t step(void* s, int count)
{
    (void)s, (void)count;
    if (BEHAVIOUR == EXITS) {
        exit(7);
    }
    abort();
}

static void readMotion(void* s, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    (void)s, (void)body, (void)pose, (void)velocity;
}

static void destroy(void* s)
{
    (void)s;
}

const pbdrBenchSolver* pbdrBenchPlugin(void);
const pbdrBenchSolver* pbdrBenchPlugin(void)
{
    static pbdrBenchSolver solver = {
        .abi = BEHAVIOUR == WRONG_ABI ? PBDR_BENCH_ABI + 1 : PBDR_BENCH_ABI,
        .name = "bad",
        .version = "0",
        .create = create,
        .step = BEHAVIOUR == NO_FUNCTIONS ? NULL : step,
        .read = readMotion,
        .destroy = destroy,
    };
    if (BEHAVIOUR == CRASH_AT_LOAD) {
        abort();
    }
    return &solver;
}
