// The benchmark's tests as data.
#ifndef PBDR_BENCH_CATALOGUE_H
#define PBDR_BENCH_CATALOGUE_H

#include "pbdr/bench/solver.h"

typedef struct BenchTest {
    int number;
    const char* name;
    pbdrBenchShape shape; // of the measured body
    double mass;          // [kg]
    double mu;            // friction between body and ground
    double force;         // through the centre of mass, along the push [N]
    double torque;        // about the vertical [N m]
    double slope;         // of the ground [rad]
    bool rod;             // pushed by a rod instead (Test 7): options say where
} BenchTest;

#define BENCH_FIRST_TEST 1
#define BENCH_LAST_TEST 7

// Side of the cube, and of the cube that the mesh is scaled to [m].
#define BENCH_SIDE 0.2

// The test of that number, or NULL.
const BenchTest* benchFindTest(int number);

#endif
