// A test made concrete: what a solver has to simulate, and the reference that it is measured against.
#ifndef PBDR_BENCH_SCENE_H
#define PBDR_BENCH_SCENE_H

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
    bool meshReady;
    pbdrSphereSet meshSpheres;    // mass 1 kg, mesh frame
    pbdrMassProperties meshTruth; // of the solid, 1 kg
} BenchShapes;

// Reads and packs the mesh.
pbdrStatus benchPrepareMesh(BenchShapes* shapes, const BenchOptions* options, pbdrError* error);
void benchFreeShapes(BenchShapes* shapes);

typedef struct BenchScene {
    const BenchTest* test;
    int seed;
    // What acts
    pbdrVec3 gravity;      // [m/s^2]
    pbdrVec3 groundNormal; // the ground passes through the origin
    double mu;
    double mass;            // [kg]
    pbdrSphereSet spheres;  // shape frame, shuffled by the seed
    pbdrPose start;         // of the spheres' centre of mass; the lowest spheres touch the ground
    pbdrVec3 force, torque; // world [N, N m]
    double forceSize;       // [N]
    // What must come of it
    pbdrVec3 direction;         // of the motion, unit
    double acceleration;        // along it [m/s^2]
    double angularAcceleration; // about the vertical [rad/s^2]
    // The seed: changes that physics does not see
    double turn;    // of the whole scene about the vertical [rad]
    pbdrVec3 shift; // of the start within the ground plane [m]
} BenchScene;

// Seeds count from 1. The scene's spheres are its own.
pbdrStatus benchMakeScene(const BenchTest* test, const BenchOptions* options, const BenchShapes* shapes,
                          int seed, BenchScene* scene, pbdrError* error);
void benchFreeScene(BenchScene* scene);

#endif
