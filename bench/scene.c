// From a test, the options and a seed to a scene.
//
// A seed turns the scene about the vertical by a random angle, shuffles the particles and shifts the start by
// 1e-7 m within the ground plane. The gap stays exactly zero: a nudge along the normal would change the
// answer by mu times its size.
#include "scene.h"

#include "base.h"
#include "math/vec.h"
#ifdef PBDR_HAVE_MESHFILE
#include "pbdr/meshfile.h"
#endif

#include <string.h>

#define SHIFT 1.0e-7 // [m]

BenchOptions benchDefaultOptions(void)
{
    return (BenchOptions){
        .n = 4,
        .radius = 0.005,
        .mu = (double)NAN,
        .force = (double)NAN,
        .duration = 10.0,
        .timeStep = PBDR_DEFAULT_TIME_STEP,
        .iterations = PBDR_DEFAULT_ITERATIONS,
        .relaxation = PBDR_DEFAULT_RELAXATION,
        .precision = pbdr_precisionF32,
    };
}

// --- Random numbers: splitmix64, the same on every machine ---

static uint64_t nextRandom(uint64_t* state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Uniform in [0, 1).
static double nextUniform(uint64_t* state)
{
    return (double)(nextRandom(state) >> 11) * 0x1p-53;
}

static void shuffle(pbdrSphereSet* set, uint64_t* state)
{
    for (int i = set->count - 1; i > 0; i--) {
        int j = (int)(nextRandom(state) % (uint64_t)(i + 1));
        pbdrVec3 position = set->positions[i];
        double radius = set->radii[i], mass = set->masses[i];
        set->positions[i] = set->positions[j], set->radii[i] = set->radii[j], set->masses[i] = set->masses[j];
        set->positions[j] = position, set->radii[j] = radius, set->masses[j] = mass;
    }
}

// --- Shapes ---

pbdrStatus benchPrepareMesh(BenchShapes* shapes, const BenchOptions* options, pbdrError* error)
{
    if (shapes->meshReady) {
        return pbdr_statusOk;
    }
#ifdef PBDR_HAVE_MESHFILE
    pbdrMesh mesh = {0};
    pbdrStatus status = pbdrLoadMesh(options->meshPath, NULL, &mesh, NULL, error);
    if (status == pbdr_statusOk) {
        status = pbdrMesh_FitCube(&mesh, BENCH_SIDE, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrMesh_GetMassProperties(&mesh, 1.0, &shapes->meshTruth, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrPackMesh(&mesh, options->radius, 1.0, NULL, &shapes->meshSpheres, error);
    }
    pbdrMesh_Free(&mesh);
    if (status != pbdr_statusOk && error != NULL && strstr(error->message, options->meshPath) == NULL) {
        pbdrError cause = *error;
        pbdrFail(error, status, "%s: %.400s", options->meshPath, cause.message);
    }
    shapes->meshReady = status == pbdr_statusOk;
    return status;
#else
    return pbdrFail(error, pbdr_statusNotSupported,
                    "%s: this build reads no meshes: install libassimp-dev and pkg-config",
                    options->meshPath);
#endif
}

void benchFreeShapes(BenchShapes* shapes)
{
    pbdrSphereSet_Free(&shapes->meshSpheres);
    memset(shapes, 0, sizeof *shapes);
}

// A copy of the packed mesh with the test's mass.
static pbdrStatus copySpheres(const pbdrSphereSet* from, double mass, pbdrSphereSet* set, pbdrError* error)
{
    pbdrStatus status = pbdrSphereSet_Copy(from, NULL, set, error);
    for (int i = 0; i < set->count; i++) {
        set->masses[i] *= mass;
    }
    return status;
}

static pbdrStatus makeSpheres(const BenchTest* test, const BenchOptions* options, const BenchShapes* shapes,
                              pbdrSphereSet* set, pbdrError* error)
{
    if (test->shape == benchMesh) {
        return copySpheres(&shapes->meshSpheres, test->mass, set, error);
    }
    int layers = options->layers > 0 ? options->layers : options->n;
    return pbdrPackBox(options->n, options->n, layers, 0.5 * BENCH_SIDE / options->n, test->mass, NULL, set,
                       error);
}

// True moment of inertia about the vertical through the centre of mass [kg m^2].
static double getTrueInertia(const BenchTest* test, const BenchShapes* shapes)
{
    return test->shape == benchMesh ? test->mass * shapes->meshTruth.inertia.m[2][2]
                                    : test->mass * BENCH_SIDE * BENCH_SIDE / 6.0;
}

// --- Scene ---

// Height of the centre of mass when the lowest spheres touch the ground [m].
static double getHeight(const pbdrSphereSet* set)
{
    double lowest = HUGE_VAL;
    for (int i = 0; i < set->count; i++) {
        lowest = fmin(lowest, set->positions[i].z - set->radii[i]);
    }
    return pbdrSphereSet_GetMassProperties(set).centre.z - lowest;
}

static void setReference(BenchScene* scene, double inertia)
{
    const BenchTest* test = scene->test;
    double weight = scene->mass * PBDR_DEFAULT_GRAVITY;
    double drive = scene->forceSize + weight * sin(test->slope);
    double friction = scene->mu * weight * cos(test->slope);
    scene->acceleration =
        fmax(0.0, drive - friction) / scene->mass; // below the friction's limit it stays put
    scene->angularAcceleration = test->torque / inertia;
}

pbdrStatus benchMakeScene(const BenchTest* test, const BenchOptions* options, const BenchShapes* shapes,
                          int seed, BenchScene* scene, pbdrError* error)
{
    memset(scene, 0, sizeof *scene);
    pbdrStatus status = makeSpheres(test, options, shapes, &scene->spheres, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    uint64_t random = (uint64_t)seed;
    double turn = 2.0 * PBDR_PI * nextUniform(&random);
    double shiftAngle = 2.0 * PBDR_PI * nextUniform(&random);
    shuffle(&scene->spheres, &random);

    scene->test = test;
    scene->seed = seed;
    scene->turn = turn;
    // the closed form of a test with a torque holds without friction only: those keep their mu = 0
    scene->mu = isnan(options->mu) || test->torque > 0.0 ? test->mu : options->mu;
    scene->mass = test->mass;
    scene->gravity = pbdrVec(0.0, 0.0, -PBDR_DEFAULT_GRAVITY);

    // Axes of the ground: along the push or downhill, across, and out of it; turned by the seed.
    double c = cos(turn), s = sin(turn), cs = cos(test->slope), ss = sin(test->slope);
    pbdrVec3 along = pbdrVec(c * cs, s * cs, -ss), across = pbdrVec(-s, c, 0.0);
    scene->groundNormal = pbdrVec(c * ss, s * ss, cs);
    scene->direction = along;
    scene->shift = pbdrAddScaled(pbdrScale(SHIFT * cos(shiftAngle), along), SHIFT * sin(shiftAngle), across);
    scene->start.position = pbdrAddScaled(scene->shift, getHeight(&scene->spheres), scene->groundNormal);
    pbdrQuat yaw = {cos(0.5 * turn), 0.0, 0.0, sin(0.5 * turn)};
    pbdrQuat pitch = {cos(0.5 * test->slope), 0.0, sin(0.5 * test->slope), 0.0};
    scene->start.rotation = pbdrMulQQ(yaw, pitch);

    // a force given on the command line pushes the tests that are pushed
    scene->forceSize = test->force > 0.0 && !isnan(options->force) ? options->force : test->force;
    scene->force = pbdrScale(scene->forceSize, along);
    scene->torque = pbdrVec(0.0, 0.0, test->torque);
    setReference(scene, getTrueInertia(test, shapes));
    return pbdr_statusOk;
}

void benchFreeScene(BenchScene* scene)
{
    pbdrSphereSet_Free(&scene->spheres);
}
