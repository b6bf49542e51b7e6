// A test made concrete: what a solver has to simulate, and the reference that it is measured against.
#ifndef PBDR_BENCH_SCENE_H
#define PBDR_BENCH_SCENE_H

#include "pbdr/bench/solver.h"
#include "pbdr/geometry.h"
#include "tests/catalogue.h"

// What the command line can change. NaN: the test's own value.
typedef struct BenchOptions {
    int n;            // box: spheres per axis
    int layers;       // box: layers of n x n; 0: n
    double radius;    // mesh: sphere radius [m]
    double mu, force; // NaN: the test's
    double duration;  // [s]
    double timeStep;  // [s]
    int iterations;
    double relaxation;
    pbdrPrecision precision;
    pbdrSimd simd;
    uint32_t ablation; // pbdrAblation bits, for pbdr
    const char* meshPath;
} BenchOptions;

BenchOptions benchDefaultOptions(void);

// Shapes that are made once for many runs. All-zero is empty.
typedef struct BenchShapes {
    pbdrMesh mesh;                // about the true centre of mass
    pbdrMassProperties meshTruth; // of the solid, 1 kg
    pbdrSphereSet meshSpheres;    // 1 kg
} BenchShapes;

// Reads, scales and packs the mesh.
pbdrStatus benchPrepareMesh(BenchShapes* shapes, const BenchOptions* options, pbdrError* error);
void benchFreeShapes(BenchShapes* shapes);

typedef struct BenchScene {
    pbdrBenchScene data; // what the solver gets
    const BenchTest* test;
    int seed;
    double forceSize;      // [N]
    pbdrSphereSet spheres; // of bodies[0], shuffled by the seed; owned
    // What must come of it
    pbdrVec3 direction;         // of the motion, unit
    double acceleration;        // along it [m/s^2]
    double angularAcceleration; // about the vertical [rad/s^2]
    // The seed: changes that physics does not see
    double turn;    // of the whole scene about the vertical [rad]
    pbdrVec3 shift; // of the start within the ground plane [m]
} BenchScene;

// Seeds count from 1. Arrays that scene->data points to belong to the scene and to shapes. The preset is "".
pbdrStatus benchMakeScene(const BenchTest* test, const BenchOptions* options, const BenchShapes* shapes,
                          int seed, BenchScene* scene, pbdrError* error);
void benchFreeScene(BenchScene* scene);

#endif
