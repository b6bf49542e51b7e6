// A test made concrete: what a solver has to simulate, and the reference that it is measured against.
#ifndef PBDR_BENCH_SCENE_H
#define PBDR_BENCH_SCENE_H

#include "pbdr/bench/solver.h"
#include "pbdr/geometry.h"
#include "reference/pushing.h"
#include "tests/catalogue.h"

typedef enum BenchPrecision {
    benchPrecisionAuto = -1,
    benchF32 = pbdr_precisionF32,
    benchF64 = pbdr_precisionF64
} BenchPrecision;

typedef enum BenchMasses {
    benchMassesAuto,
    benchMassesUniform, // the same for all spheres, as in the paper
    benchMassesExact,   // mass, centre of mass and inertia are the true body's
} BenchMasses;

typedef enum BenchPacking { benchPackingGrid, benchPackingSurface } BenchPacking;

// How meshes are scaled: each axis to BENCH_SIDE, as in the paper, or the largest extent, all axes alike.
typedef enum BenchFit { benchFitCube, benchFitExtent } BenchFit;

// Which base a mesh stands on: made flat by one rule for every solver that touches by a surface, or as it is.
typedef enum BenchBase { benchBaseFlat, benchBaseRaw, BENCH_BASE_COUNT } BenchBase;

// What the command line can change. NaN: the test's own value.
typedef struct BenchOptions {
    int n;         // box: spheres per axis
    int layers;    // box: layers of n x n; 0: n
    double radius; // mesh: sphere radius [m]
    // Meshes: how they are packed; a surface by count, or if that is 0 by mean gap [m], or if that is 0 too
    // by the largest radius
    BenchPacking packing;
    int count;
    double tolerance;
    const char*
        bodyPath; // spheres and masses of the mesh from a body file, instead of packing it; NULL: none
    pbdrContactKind contact; // what of a body of spheres touches; automatic until benchResolveOptions
    double mu, force;        // NaN: the test's
    // Test 7: where the rod first touches the face, from its middle, its height, its radius [m]; its
    // friction, NaN: as mu
    double offset, pushHeight, rodRadius, rodFriction;
    double duration; // [s]
    double timeStep; // [s]
    double turn;     // of the whole scene about the vertical, where no seed says it [rad]
    int iterations;
    double relaxation;
    // How our own solvers are computed; automatic until benchResolveOptions
    pbdrEngine engine;
    BenchPrecision precision;
    BenchMasses masses;
    pbdrSimd simd;
    uint32_t ablation; // pbdrAblation bits, for pbd-r
    const char* meshPath;
    BenchFit fit;
    bool stand; // meshes are turned to stand on the stable facet nearest to the file's z, before they are
                // scaled
    double yaw; // of meshes about the vertical, after that: another side of them faces the push [rad]
    int base;   // of meshes that touch by their surface, a BenchBase
} BenchOptions;

BenchOptions benchDefaultOptions(void);

// The references of Test 7, in the order of the results: the paper's, and the one that a perfect simulator
// would score zero on.
typedef enum BenchReference { benchQuasistatic, benchDynamicTilt, BENCH_REFERENCE_COUNT } BenchReference;

// What is made once for many runs: shapes, and Test 7's references. All-zero is empty.
typedef struct BenchShapes {
    char meshName[32];                     // of the mesh's file, without folders and ending
    char meshWarning[PBDR_MESSAGE_LENGTH]; // what its file was read without, in words; "" for nothing
    pbdrMesh mesh;                         // about the true centre of mass
    pbdrStanding standing;                 // of the mesh as read, if it was made to stand
    pbdrMassProperties meshTruth;          // of the solid, 1 kg
    pbdrSphereSet meshSpheres;             // 1 kg
    pbdrMat3 meshExtraInertia;             // that came with spheres of a body file, for 1 kg
    pbdrMesh surfaces[BENCH_BASE_COUNT];   // what touches: the mesh, mended if it is damaged, by its base
    double flattening;                     // furthest that a vertex was moved to make the base flat [m]
    BenchPushingPath pushing[BENCH_REFERENCE_COUNT];
} BenchShapes;

// Iterations per substep at most: a thousand times the paper's take a thousand times as long, and more do not
// bring PBD or PBD-R any nearer.
#define BENCH_MAX_ITERATIONS 10000

// Substeps of one run at most.
#define BENCH_MAX_SUBSTEPS 1.0e9

// A flat base: vertices of a mesh that are no higher over its lowest one are put into one plane with that, as a
// share of its extent (0.6 mm of 0.2 m). Without it the bunny would rock on three of them. Mass, centre and
// inertia stay those of the mesh as it is.
#define BENCH_FLAT_BASE 3.0e-3

// The base that a solver of these capabilities stands on in a test: "flat" or "raw"; NULL where no mesh touches. The
// options are resolved.
const char* benchGetBaseName(const BenchTest* test, uint32_t capabilities, const BenchOptions* options);
bool benchStandsOnRawMesh(const BenchTest* test, uint32_t capabilities, const BenchOptions* options);

// Whether the options ask for more substeps than that, in all or in a frame.
bool benchHasTooManySubsteps(const BenchOptions* options);

// Length of a frame [s]: 10 ms, or the time step if that is longer; a whole number of time steps.
int benchGetSubstepsPerFrame(double timeStep);

// A reference's name in the results.
const char* benchGetReferenceName(BenchReference reference);

// Test 7 for these options: quasi-static, on the uniform base, without tilt, until told otherwise.
BenchPushing benchDescribePushing(const BenchOptions* options);

// Integrates Test 7's references for these options.
pbdrStatus benchPreparePushing(BenchShapes* shapes, const BenchOptions* options, pbdrError* error);

// Reads, turns, scales and packs the mesh. A damaged one is refused, but for surface packings, which repair
// it. On failure there is no mesh, and Test 7's references are still there.
pbdrStatus benchPrepareMesh(BenchShapes* shapes, const BenchOptions* options, pbdrError* error);
void benchFreeShapes(BenchShapes* shapes);

typedef struct BenchScene {
    pbdrBenchScene data; // what the solver gets
    const BenchTest* test;
    char name[64]; // the test's, with the mesh's own name in it: "pushed milk"
    int seed;
    double forceSize;      // [N]
    pbdrSphereSet spheres; // of bodies[0], shuffled by the seed; owned
    pbdrMassFit massFit;   // how their masses were found, if they are exact
    double flattening;     // of the mesh's base; NaN where it is as it was, or there is none [m]
    pbdrSphereSet others[PBDR_BENCH_MAX_BODIES]; // of the bodies after it, by their index; owned
    pbdrMesh wedge;                              // of an arch; owned
    const BenchPushingPath* pushing;             // Test 7: BENCH_REFERENCE_COUNT references; else NULL
    // What must come of it
    pbdrVec3 direction, across; // of the push or downhill, and to its left; unit
    double acceleration;        // along it [m/s^2]
    double angularAcceleration; // about the vertical [rad/s^2]
    // The seed: changes that physics does not see
    double turn;    // of the whole scene about the vertical [rad]
    pbdrVec3 shift; // of the start within the ground plane [m]
} BenchScene;

// What of the options goes to the solver as it is.
void benchSetSettings(pbdrBenchScene* data, const BenchOptions* options);

// Seeds count from 1; 0 is the plain scene: turned by options->turn, not shifted, spheres in order. Arrays
// that scene->data points to belong to the scene and to shapes. The preset is "".
pbdrStatus benchMakeScene(const BenchTest* test, const BenchOptions* options, const BenchShapes* shapes,
                          int seed, BenchScene* scene, pbdrError* error);
void benchFreeScene(BenchScene* scene);

#endif
