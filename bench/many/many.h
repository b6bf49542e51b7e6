// Many bodies beside the peers: scenes of up to ten thousand bodies as data, solvers as a table, and what is
// measured of each run. It is apart from pbdr/bench/solver.h, whose scenes hold 16 bodies and have references;
// here there are none, and cost, overlap, energy and rest are what counts. For C and C++.
//
//     catalogue (a row per scene) --> ManyScene --> ManySolver --> ManyResult (a process per run) --> CSV, bars
#ifndef PBDR_BENCH_MANY_H
#define PBDR_BENCH_MANY_H

#include "pbdr/packing.h"
#include "pbdr/types.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// --- Scenes ---

typedef enum ManyKind {
    manyBox = 0,     // half
    manyBall = 1,    // radius
    manyCapsule = 2, // along its z axis: radius, half.z of the axis without the round ends
    manyConvex = 3,  // a closed convex mesh
    manyMesh = 4,    // a closed mesh, for peers its hull or its triangles
} ManyKind;

// What bodies are made of. Its frame has its origin at the centre of mass.
typedef struct ManyShape {
    ManyKind kind;
    pbdrVec3 half;    // [m]
    double radius;    // [m]
    double mass;      // [kg]; what does not move has one too
    pbdrMat3 inertia; // true, about the centre of mass [kg m^2]
    double reach;     // of the farthest point from the centre of mass [m]
    int perSide;      // boxes as spheres: so many along the shortest side
    int vertexCount;
    pbdrVec3* vertices; // meshes: body frame [m]
    int triangleCount;
    int32_t (*triangles)[3]; // counter-clockwise seen from outside
    int hullCount;
    pbdrVec3* hull;         // manyMesh: corners of its convex hull, body frame [m]
    pbdrPackedBody* packed; // the bunny with its spheres; NULL for others
} ManyShape;

typedef struct ManyBody {
    int shape;  // index
    bool fixed; // never moves
    pbdrPose start;
    pbdrVelocity velocity; // at the start
} ManyBody;

typedef struct ManyScene {
    const char* name;
    double timeStep;            // [s]
    double duration;            // [s]
    double friction;            // of everything with everything
    bool ground;                // the plane z = 0
    int threads;                // of XPBD-R; 0: one
    const pbdrTaskHooks* tasks; // its threads; NULL: its own
    bool unprofiled; // XPBD-R counts nothing beside its steps, as for users; a look has no Newton steps then
    int shapeCount, shapeCapacity;
    ManyShape* shapes;
    int bodyCount, bodyCapacity; // those that move first
    int movingCount;
    ManyBody* bodies;
} ManyScene;

// What the bars of a scene are about, as bits.
typedef enum ManyUse {
    manyExactToo = 1 << 0,    // ODE's dWorldStep can do it in time
    manySpheresToo = 1 << 1,  // XPBD-R runs it by spheres as well
    manySpheresOnly = 1 << 2, // and not otherwise
    manyNeedsMesh = 1 << 3,
} ManyUse;

typedef struct ManyEntry {
    const char* name;
    const char* help; // what it is, and what must happen
    double duration;  // [s]
    double timeStep;  // [s]
    unsigned use;     // ManyUse bits
    bool (*build)(ManyScene* scene, const char* meshPath, char* message, size_t size);
} ManyEntry;

// The index-th scene, or NULL past the last.
const ManyEntry* manyGetEntry(int index);
const ManyEntry* manyFindEntry(const char* name);
// Makes it; false with the reason, and then there is nothing to free. meshPath: of the bunny.
bool manyBuildScene(const ManyEntry* entry, const char* meshPath, ManyScene* scene, char* message,
                    size_t size);
void manyFreeScene(ManyScene* scene);

// Parts of a scene, for who builds one. Shapes are their indices, -1 without memory; bodies false. A shape of -1
// makes no body and false.
int manyAddBox(ManyScene* scene, pbdrVec3 half, double mass, int perSide);
int manyAddBall(ManyScene* scene, double radius, double mass);
int manyAddCapsule(ManyScene* scene, double radius, double halfLength, double mass);
// The convex hull of points, moved to its centre of mass, which *centre gets.
int manyAddConvex(ManyScene* scene, const pbdrVec3* points, int count, double density, pbdrVec3* centre);
// The bunny, 0.2 m large, with `count` spheres that weigh as it does. -1 with the reason.
int manyAddBunny(ManyScene* scene, const char* path, int count, double density, char* message, size_t size);
bool manyAddBody(ManyScene* scene, int shape, pbdrVec3 position, pbdrQuat rotation);
bool manyAddFixed(ManyScene* scene, int shape, pbdrVec3 position, pbdrQuat rotation);

// --- Solvers ---

#define MANY_MESSAGE 256

// What a substep did, by the solver's own account; NaN where it has none.
typedef struct ManyStep {
    double overlap;     // deepest, in the solver's own shapes [m]
    double contacts;    // that it has
    double newtonSteps; // since the last look. XPBD-R: Newton steps; MuJoCo: iterations
} ManyStep;

// A shape's spheres, in its frame.
typedef struct ManySpheres {
    int count;
    const pbdrVec3* offsets; // [m]
    const double* radii;     // [m]
} ManySpheres;

typedef struct ManySolver {
    const char* name;    // "bullet", "ode:exact"
    const char* version; // "" for our own
    void* (*create)(const ManyScene* scene, char message[MANY_MESSAGE]);
    uint32_t (*step)(void* simulation); // one time step; only this is timed. pbdrStepFlag bits
    void (*read)(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity); // of the centre of mass
    void (*look)(void* simulation, ManyStep* step);
    void (*destroy)(void* simulation);
    // Of solvers whose bodies touch by spheres: those of a shape. NULL: bodies are what the scene says.
    ManySpheres (*getSpheres)(void* simulation, int shape);
} ManySolver;

// The index-th of this build, or NULL past the last.
const ManySolver* manyGetSolver(int index);
const ManySolver* manyFindSolver(const char* name);
// Whether a scene is for it, when nobody asks for solvers by name.
bool manySuits(const ManyEntry* entry, const ManySolver* solver);

const ManySolver* manyGetXpbdR(void);
const ManySolver* manyGetXpbdRSpheres(void);
const ManySolver* manyGetBullet(void);        // meshes as their hulls
const ManySolver* manyGetBulletGImpact(void); // meshes as triangles
const ManySolver* manyGetOde(void);           // dWorldQuickStep
const ManySolver* manyGetOdeExact(void);      // dWorldStep
const ManySolver* manyGetMujoco(void);

// --- Runs ---

typedef struct ManyJob {
    const ManyEntry* entry;
    const ManySolver* solver;
    double duration, timeStep; // [s]
    double limit;              // of processor time [s]
    const char* meshPath;
    bool crashes; // on purpose, for tests
} ManyJob;

// Points that are slower than this rest [m/s].
#define MANY_REST 1.0e-9

// What one run measured. In memory that two processes share while it runs: whatever has been measured is there
// when the run is ended from outside.
typedef struct ManyResult {
    char outcome[16]; // "measured", "limit", "diverged", "refused", "crashed", "timeout"; "" while it runs
    char problem[MANY_MESSAGE];
    double bodies;
    double substeps;                          // done
    double simulated;                         // [s]
    double cpuMean, cpuLast, cpuP99, cpuMost; // per substep: mean, of the last quarter, ... [s]
    double flagged;                           // substeps with pbdr_stepNotConverged or pbdr_stepPairsFull
    double overlap;                           // deepest of the looks [m]
    double overlapLast;                       // deepest in the last quarter [m]
    double trueOverlap;   // deepest, from poses alone, of every twentieth substep; NaN: meshes [m]
    double energyStart;   // above the least that the bodies could have here, with all centres at z = 0 [J]
    double energyRise;    // largest rise over the running minimum [J]
    double speedEnd;      // largest of a centre of mass [m/s]
    double pointSpeedEnd; // largest of any point: |v| + reach |w| [m/s]
    double movesUntil;    // the last moment at which some point was faster than MANY_REST [s]
    double drift;         // largest distance of a centre from its start, at the end [m]
    double contacts;      // mean of the looks
    double newtonSteps;   // per substep
} ManyResult;

// The deepest overlap of bodies with each other and with the ground, from their poses. spheres: by shape; NULL: as the
// scene has them, and NaN where it has meshes or pairs that none of it knows. (overlap.c)
double manyMeasureOverlap(const ManyScene* scene, const pbdrPose* poses, const ManySpheres* spheres);

// Runs a job in this process.
void manyRun(const ManyJob* job, ManyResult* result);
// Runs it in a process of its own. False if goOn said so. The wall time is limited too, to what a busy machine may take.
bool manyRunApart(const ManyJob* job, ManyResult* result, bool (*goOn)(void* context, double share),
                  void* context);

// --- Rows and bars ---

// A row of the CSV, read back.
typedef struct ManyRow {
    char scene[40], solver[40];
    ManyResult result;
    double duration; // asked for [s]
} ManyRow;

// The header, and a run as comma-separated cells. Reading is false for what no run is.
const char* manyGetColumns(void);
void manyWriteCells(char* text, size_t size, const ManyJob* job, const ManyResult* result);
bool manyReadCells(const char* text, ManyRow* row);

typedef struct ManyBar {
    char text[160];   // what is asked for
    double value;     // what was measured; NaN: nothing
    const char* unit; // of it, such as "m/s"; "" for none
    char outcome[16]; // of the run
    int met;          // 1 yes, 0 no, -1 not measured
} ManyBar;

// Fills at most capacity bars from the rows of a run, for one of our own solvers. Returns how many there are.
int manyFindBars(const ManyRow* rows, int rowCount, const char* own, ManyBar* bars, int capacity);

#ifdef __cplusplus
}
#endif

#endif
