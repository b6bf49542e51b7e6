// A solver as the benchmark sees it: a table of functions over a scene. One file per solver in solvers/.
#ifndef PBDR_BENCH_SOLVER_H
#define PBDR_BENCH_SOLVER_H

#include "scene.h"

typedef struct BenchMotion {
    pbdrPose pose;
    pbdrVelocity velocity;
    pbdrMomentum momentum;
} BenchMotion;

typedef struct BenchSolver {
    const char* name;
    const char* engine;
    bool ablatable; // has the parts of PBD-R that can be switched off
    // A simulation of the scene, or NULL with the reason in error.
    void* (*create)(const BenchScene* scene, const BenchOptions* options, pbdrError* error);
    // Advances; returns pbdrStepFlag bits.
    uint32_t (*step)(void* simulation, int substepCount);
    BenchMotion (*read)(void* simulation);
    const char* (*getSimd)(void* simulation);
    void (*destroy)(void* simulation);
} BenchSolver;

// The solver of that name, or NULL. Index: the k-th, or NULL past the last.
const BenchSolver* benchFindSolver(const char* name);
const BenchSolver* benchGetSolver(int index);

#endif
