// Runs one solver on one scene and measures it.
#ifndef PBDR_BENCH_RUNNER_H
#define PBDR_BENCH_RUNNER_H

#include "metrics.h"
#include "solvers/registry.h"

#include <stdio.h>

// A body further than this from the start has left the test [m].
#define BENCH_FAR 1.0e9

typedef enum BenchOutcome {
    benchMeasured,     // errors hold
    benchDiverged,     // left finite numbers or BENCH_FAR: errors are NaN
    benchNotSupported, // the solver cannot do this test
    benchFailed,       // a plug-in that crashed or could not make the scene
} BenchOutcome;

// A setting that the solver recorded.
typedef struct BenchSetting {
    char key[40], value[120];
} BenchSetting;
#define BENCH_MAX_SETTINGS 16

typedef struct BenchRun {
    // What was run
    BenchSolver solver;
    const BenchTest* test;
    char name[64];        // of the scene: "pushed bunny"
    BenchOptions options; // resolved
    pbdrMassFit massFit;  // of exact masses
    double flattening;    // of a mesh's base; NaN where it is as it was, or there is none [m]
    uint32_t ablation;    // as far as it concerns the solver
    int seed, particleCount, substepCount;
    double mu, force, turn, sphereRadius, rodFriction;
    pbdrVec3 shift;
    double duration; // as run: whole frames [s]
    int settingCount;
    BenchSetting settings[BENCH_MAX_SETTINGS];
    // What came of it
    BenchOutcome outcome;
    char problem[PBDR_BENCH_MESSAGE]; // of benchNotSupported and benchFailed
    double failedAt;                  // of benchDiverged [s]; else NaN
    bool outOfRange;                  // diverged by leaving BENCH_FAR
    uint32_t flags;                   // pbdrStepFlag bits
    BenchErrors errors;
    double floorPosition, floorRotation; // [m, deg]
    double timePerSubstep;               // of the solver's step alone [us]; NaN if it took none
    double processorTimePerSubstep;      // the same without what other programs took, a reading of that clock
                                         // (some 0.6 us) per frame included [us]
} BenchRun;

// A clock for progress and timing [s].
double benchGetSeconds(void);

// A run before it has begun: what is run, nothing measured.
BenchRun benchDescribeRun(const BenchSolver* solver, const BenchScene* scene, const BenchOptions* options,
                          double duration);

// Whether a body at that place has left the test: not finite, or (*outOfRange) beyond BENCH_FAR.
bool benchHasLeft(pbdrVec3 position, bool* outOfRange);

// Called after each frame; returns false to stop the run.
typedef bool (*BenchProgress)(void* context, double doneShare);

// trajectory: an open CSV file for a row per frame, or NULL. progress may be NULL. Plug-ins run in a process
// of their own. pbdr_statusOk for every outcome; other statuses are ours: no memory, settings that make no
// scene. *stopped is set if progress stopped it.
pbdrStatus benchRun(const BenchSolver* solver, const BenchScene* scene, const BenchOptions* options,
                    FILE* trajectory, BenchProgress progress, void* context, BenchRun* run, bool* stopped,
                    pbdrError* error);

#endif
