// Runs one solver on one scene and measures it.
#ifndef PBDR_BENCH_RUNNER_H
#define PBDR_BENCH_RUNNER_H

#include "metrics.h"

#include <stdio.h>

// A body further than this from the start has left the test [m].
#define BENCH_FAR 1.0e9

// Substeps of one run at most.
#define BENCH_MAX_SUBSTEPS 1.0e9

typedef struct BenchRun {
    // What was run
    const BenchSolver* solver;
    const BenchTest* test;
    BenchOptions options;
    uint32_t ablation; // as far as it concerns the solver
    int seed, particleCount, substepCount;
    const char* simd;
    double mu, force, turn, sphereRadius;
    pbdrVec3 shift;
    double duration; // as run: whole frames [s]
    // What came of it
    bool diverged;   // errors are NaN
    double failedAt; // [s]; NaN
    bool outOfRange; // diverged by leaving BENCH_FAR
    uint32_t flags;  // pbdrStepFlag bits
    BenchErrors errors;
    double floorPosition, floorRotation; // [m, deg]
    double timePerSubstep;               // of the solver's step alone [us]
} BenchRun;

// A clock for progress and timing [s].
double benchGetSeconds(void);

// Called after each frame; returns false to stop the run.
typedef bool (*BenchProgress)(void* context, double doneShare);

// trajectory: an open CSV file for a row per frame, or NULL. progress may be NULL.
// pbdr_statusOk also for a run that diverged. *stopped is set if progress stopped it.
pbdrStatus benchRun(const BenchSolver* solver, const BenchScene* scene, const BenchOptions* options,
                    FILE* trajectory, BenchProgress progress, void* context, BenchRun* run, bool* stopped,
                    pbdrError* error);

#endif
