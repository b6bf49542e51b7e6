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

#ifdef PBDR_HAVE_MESHFILE
static pbdrStatus loadMesh(BenchShapes* shapes, const BenchOptions* options, pbdrError* error)
{
    pbdrStatus status = pbdrLoadMesh(options->meshPath, NULL, &shapes->mesh, NULL, error);
    if (status == pbdr_statusOk) {
        status = pbdrMesh_FitCube(&shapes->mesh, BENCH_SIDE, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrMesh_GetMassProperties(&shapes->mesh, 1.0, &shapes->meshTruth, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrPackMesh(&shapes->mesh, options->radius, 1.0, NULL, &shapes->meshSpheres, error);
    }
    for (int i = 0; status == pbdr_statusOk && i < shapes->mesh.vertexCount; i++) {
        shapes->mesh.vertices[i] = pbdrSub(shapes->mesh.vertices[i], shapes->meshTruth.centre);
    }
    return status;
}
#endif

pbdrStatus benchPrepareMesh(BenchShapes* shapes, const BenchOptions* options, pbdrError* error)
{
#ifdef PBDR_HAVE_MESHFILE
    pbdrStatus status = loadMesh(shapes, options, error);
    if (status != pbdr_statusOk) {
        benchFreeShapes(shapes);
        if (error != NULL && strstr(error->message, options->meshPath) == NULL) {
            pbdrError cause = *error;
            pbdrFail(error, status, "%s: %.400s", options->meshPath, cause.message);
        }
    }
    return status;
#else
    (void)shapes;
    return pbdrFail(error, pbdr_statusNotSupported,
                    "%s: this build reads no meshes: install libassimp-dev and pkg-config",
                    options->meshPath);
#endif
}

void benchFreeShapes(BenchShapes* shapes)
{
    pbdrMesh_Free(&shapes->mesh);
    pbdrSphereSet_Free(&shapes->meshSpheres);
    memset(shapes, 0, sizeof *shapes);
}

// --- Bodies ---

// A copy of the packed mesh with the test's mass.
static pbdrStatus copySpheres(const pbdrSphereSet* from, double mass, pbdrSphereSet* set, pbdrError* error)
{
    pbdrStatus status = pbdrSphereSet_Copy(from, NULL, set, error);
    for (int i = 0; i < set->count; i++) {
        set->masses[i] *= mass;
    }
    return status;
}

static int getLayers(const BenchOptions* options)
{
    return options->layers > 0 ? options->layers : options->n;
}

static pbdrStatus makeSpheres(const BenchTest* test, const BenchOptions* options, const BenchShapes* shapes,
                              pbdrSphereSet* set, pbdrError* error)
{
    if (test->shape == pbdr_benchMesh) {
        return copySpheres(&shapes->meshSpheres, test->mass, set, error);
    }
    return pbdrPackBox(options->n, options->n, getLayers(options), 0.5 * BENCH_SIDE / options->n, test->mass,
                       NULL, set, error);
}

// The true shape: geometry, mass and inertia. Returns the height of its centre of mass over its lowest point
// [m].
static double describeShape(const BenchTest* test, const BenchOptions* options, const BenchShapes* shapes,
                            pbdrBenchBody* body)
{
    body->shape = test->shape;
    body->mass = test->mass;
    if (test->shape == pbdr_benchMesh) {
        double lowest = 0.0;
        for (int i = 0; i < shapes->mesh.vertexCount; i++) {
            lowest = fmin(lowest, shapes->mesh.vertices[i].z);
        }
        body->name = "bunny";
        body->vertexCount = shapes->mesh.vertexCount;
        body->vertices = shapes->mesh.vertices;
        body->triangleCount = shapes->mesh.triangleCount;
        body->triangles = (const int32_t(*)[3])shapes->mesh.triangles;
        for (int k = 0; k < 9; k++) {
            body->inertia.m[k / 3][k % 3] = test->mass * shapes->meshTruth.inertia.m[k / 3][k % 3];
        }
        return -lowest;
    }
    double h = 0.5 * BENCH_SIDE, z = h * getLayers(options) / options->n;
    body->name = "box";
    body->halfExtents = pbdrVec(h, h, z);
    double xx = test->mass * h * h / 3.0, zz = test->mass * z * z / 3.0;
    body->inertia = pbdrMakeInertia(xx, xx, zz, 0.0, 0.0, 0.0);
    return z;
}

// Moves the spheres to be about their own centre of mass and hands them to the body. Returns the height of
// that centre when the lowest spheres touch the ground [m].
static double describeSpheres(pbdrSphereSet* set, pbdrBenchBody* body)
{
    pbdrVec3 centre = pbdrSphereSet_GetMassProperties(set).centre;
    double lowest = HUGE_VAL;
    for (int i = 0; i < set->count; i++) {
        set->positions[i] = pbdrSub(set->positions[i], centre);
        lowest = fmin(lowest, set->positions[i].z - set->radii[i]);
    }
    body->sphereCount = set->count;
    body->spherePositions = set->positions;
    body->sphereRadii = set->radii;
    body->sphereMasses = set->masses;
    return -lowest;
}

// --- Scene ---

static void setReference(BenchScene* scene)
{
    const BenchTest* test = scene->test;
    double weight = test->mass * PBDR_DEFAULT_GRAVITY;
    double drive = scene->forceSize + weight * sin(test->slope);
    double friction = scene->data.groundFriction * weight * cos(test->slope);
    scene->acceleration = fmax(0.0, drive - friction) / test->mass; // below the friction's limit it stays put
    scene->angularAcceleration = test->torque / scene->data.bodies[0].inertia.m[2][2];
}

static void setSettings(pbdrBenchScene* data, const BenchOptions* options)
{
    data->timeStep = options->timeStep;
    data->preset = "";
    data->iterations = options->iterations;
    data->relaxation = options->relaxation;
    data->precision = options->precision;
    data->simd = options->simd;
    data->ablation = options->ablation;
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
    pbdrBenchScene* data = &scene->data;
    pbdrBenchBody* body = &data->bodies[0];
    setSettings(data, options);
    data->test = test->number;
    data->name = test->name;
    data->bodyCount = 1;
    data->gravity = pbdrVec(0.0, 0.0, -PBDR_DEFAULT_GRAVITY);
    // the closed form of a test with a torque holds without friction only: those keep their mu = 0
    data->groundFriction = isnan(options->mu) || test->torque > 0.0 ? test->mu : options->mu;

    // Axes of the ground: along the push or downhill, across, and out of it; turned by the seed.
    double c = cos(turn), s = sin(turn), cs = cos(test->slope), ss = sin(test->slope);
    pbdrVec3 along = pbdrVec(c * cs, s * cs, -ss), across = pbdrVec(-s, c, 0.0);
    data->groundNormal = pbdrVec(c * ss, s * ss, cs);
    scene->direction = along;
    scene->shift = pbdrAddScaled(pbdrScale(SHIFT * cos(shiftAngle), along), SHIFT * sin(shiftAngle), across);
    pbdrQuat yaw = {cos(0.5 * turn), 0.0, 0.0, sin(0.5 * turn)};
    pbdrQuat pitch = {cos(0.5 * test->slope), 0.0, sin(0.5 * test->slope), 0.0};
    body->start.rotation = body->sphereStart.rotation = pbdrMulQQ(yaw, pitch);
    double height = describeShape(test, options, shapes, body);
    double sphereHeight = describeSpheres(&scene->spheres, body);
    body->start.position = pbdrAddScaled(scene->shift, height, data->groundNormal);
    body->sphereStart.position = pbdrAddScaled(scene->shift, sphereHeight, data->groundNormal);

    // a force given on the command line pushes the tests that are pushed
    scene->forceSize = test->force > 0.0 && !isnan(options->force) ? options->force : test->force;
    body->force = pbdrScale(scene->forceSize, along);
    body->torque = pbdrVec(0.0, 0.0, test->torque);
    setReference(scene);
    return pbdr_statusOk;
}

void benchFreeScene(BenchScene* scene)
{
    pbdrSphereSet_Free(&scene->spheres);
}
