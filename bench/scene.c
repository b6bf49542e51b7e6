// From a test, the options and a seed to a scene.
//
// A seed turns the scene about the vertical by a random angle, shuffles the particles and shifts the start by
// 1e-7 m within the ground plane. The gap stays exactly zero: a nudge along the normal would change the
// answer by mu times its size.
#include "scene.h"

#include "extended/extended.h"
#include "fail.h"
#include "seed.h"
#include "vec.h"

#include <stdio.h>
#include <string.h>

#define FRAME 0.01 // [s]: the paper's 100 Hz

// Test 7's rod: a chain of spheres, 2 kg under 0.1 N.
#define ROD_SPHERES 10
#define ROD_MASS 2.0          // [kg]
#define ROD_ACCELERATION 0.05 // [m/s^2]

BenchOptions benchDefaultOptions(void)
{
    return (BenchOptions){
        .n = 4,
        .radius = 0.005,
        .mu = (double)NAN,
        .force = (double)NAN,
        .offset = 0.02,
        .pushHeight = 0.02,
        .rodRadius = 0.01,
        .rodFriction = (double)NAN,
        .duration = 10.0,
        .timeStep = PBDR_DEFAULT_TIME_STEP,
        .iterations = PBDR_DEFAULT_ITERATIONS,
        .relaxation = PBDR_DEFAULT_RELAXATION,
        .precision = benchPrecisionAuto,
    };
}

const char* benchGetBaseName(const BenchTest* test, uint32_t capabilities, const BenchOptions* options)
{
    bool spheres = (capabilities & pbdr_benchUsesSpheres) != 0 && options->contact != pbdr_contactSurface;
    return test->extended != NULL || test->shape != pbdr_benchMesh || spheres ? NULL
           : options->base == benchBaseRaw                                    ? "raw"
                                                                              : "flat";
}

bool benchStandsOnRawMesh(const BenchTest* test, uint32_t capabilities, const BenchOptions* options)
{
    return options->base == benchBaseRaw && benchGetBaseName(test, capabilities, options) != NULL;
}

// --- Friction ---

static double getFriction(const BenchTest* test, const BenchOptions* options)
{
    // the closed form of a test with a torque holds without friction only: those keep their mu = 0
    return isnan(options->mu) || test->torque > 0.0 ? test->mu : options->mu;
}

static double getRodFriction(const BenchTest* test, const BenchOptions* options)
{
    return isnan(options->rodFriction) ? getFriction(test, options) : options->rodFriction;
}

// --- Test 7's references ---

bool benchHasTooManySubsteps(const BenchOptions* options)
{
    return fmax(options->duration, FRAME) / options->timeStep > BENCH_MAX_SUBSTEPS;
}

int benchGetSubstepsPerFrame(double timeStep)
{
    return timeStep < FRAME ? (int)nearbyint(FRAME / timeStep) : 1;
}

const char* benchGetReferenceName(BenchReference reference)
{
    return reference == benchQuasistatic ? "quasistatic_uniform" : "dynamic_tilt_uniform";
}

BenchPushing benchDescribePushing(const BenchOptions* options)
{
    const BenchTest* test = benchFindTest(7);
    BenchPushing pushing = benchDefaultPushing();
    pushing.mass = test->mass;
    pushing.halfSide = 0.5 * BENCH_SIDE;
    pushing.centreHeight = 0.5 * BENCH_SIDE;
    pushing.groundFriction = getFriction(test, options);
    pushing.rodFriction = getRodFriction(test, options);
    pushing.rodRadius = options->rodRadius;
    pushing.offset = options->offset;
    pushing.pushHeight = options->pushHeight;
    pushing.rodAcceleration = ROD_ACCELERATION;
    pushing.duration = options->duration;
    pushing.frameTime = benchGetSubstepsPerFrame(options->timeStep) * options->timeStep;
    return pushing;
}

pbdrStatus benchPreparePushing(BenchShapes* shapes, const BenchOptions* options, pbdrError* error)
{
    BenchPushing pushing = benchDescribePushing(options);
    pbdrStatus status = benchSolvePushing(&pushing, &shapes->pushing[benchQuasistatic], error);
    if (status == pbdr_statusOk) {
        pushing.model = benchPushingDynamic;
        pushing.tilt = true;
        status = benchSolvePushing(&pushing, &shapes->pushing[benchDynamicTilt], error);
    }
    return status;
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
        const pbdrMesh* mesh = &shapes->surfaces[options->base];
        double lowest = 0.0;
        for (int i = 0; i < mesh->vertexCount; i++) {
            lowest = fmin(lowest, mesh->vertices[i].z);
        }
        body->name = shapes->meshName;
        body->vertexCount = body->surfaceVertexCount = mesh->vertexCount;
        body->vertices = body->surfaceVertices = mesh->vertices;
        body->triangleCount = body->surfaceTriangleCount = mesh->triangleCount;
        body->triangles = body->surfaceTriangles = (const int32_t(*)[3])mesh->triangles;
        for (int k = 0; k < 9; k++) {
            body->inertia.m[k / 3][k % 3] = test->mass * shapes->meshTruth.inertia.m[k / 3][k % 3];
        }
        return -lowest;
    }
    double h = 0.5 * BENCH_SIDE, z = h * getLayers(options) / options->n;
    body->name = "box";
    body->halfExtents = benchVec(h, h, z);
    body->sphereGrid[0] = body->sphereGrid[1] = options->n;
    body->sphereGrid[2] = getLayers(options);
    double xx = test->mass * h * h / 3.0, zz = test->mass * z * z / 3.0;
    body->inertia = (pbdrMat3){{{xx + zz, 0.0, 0.0}, {0.0, xx + zz, 0.0}, {0.0, 0.0, xx + xx}}};
    return z;
}

// Masses that make the spheres weigh as the true body does. The spheres stand where they were packed.
static pbdrStatus fitMasses(const BenchTest* test, const BenchShapes* shapes, BenchScene* scene,
                            pbdrError* error)
{
    pbdrBenchBody* body = &scene->data.bodies[0];
    pbdrMassProperties truth = {.mass = test->mass, .inertia = body->inertia};
    if (test->shape == pbdr_benchMesh) {
        truth.centre = shapes->meshTruth.centre;
    }
    pbdrStatus status = pbdrSphereSet_FitMasses(&scene->spheres, &truth, &scene->massFit, error);
    body->sphereExtraInertia = scene->massFit.extraInertia;
    return status;
}

// Moves the spheres to be about their own centre of mass and hands them to the body, whose own centre is at
// origin where they were packed. Returns the height of theirs when the lowest spheres touch the ground [m].
static double describeSpheres(pbdrSphereSet* set, pbdrVec3 origin, pbdrBenchBody* body)
{
    pbdrVec3 centre = pbdrSphereSet_GetMassProperties(set).centre;
    body->sphereCentre = benchSub(centre, origin);
    double lowest = HUGE_VAL;
    for (int i = 0; i < set->count; i++) {
        set->positions[i] = benchSub(set->positions[i], centre);
        lowest = fmin(lowest, set->positions[i].z - set->radii[i]);
    }
    body->sphereCount = set->count;
    body->spherePositions = set->positions;
    body->sphereRadii = set->radii;
    body->sphereMasses = set->masses;
    return -lowest;
}

// --- Scene ---

// The catalogue speaks of the bunny; the mesh may be another.
static void nameScene(BenchScene* scene, const BenchShapes* shapes)
{
    const char *name = scene->test->name, *bunny = strstr(name, "bunny");
    if (bunny == NULL || shapes->meshName[0] == 0) {
        snprintf(scene->name, sizeof scene->name, "%s", name);
    } else {
        snprintf(scene->name, sizeof scene->name, "%.*s%s%s", (int)(bunny - name), name, shapes->meshName,
                 bunny + strlen("bunny"));
    }
}

static void setReference(BenchScene* scene)
{
    const BenchTest* test = scene->test;
    double weight = test->mass * PBDR_DEFAULT_GRAVITY;
    double drive = scene->forceSize + weight * sin(test->slope);
    double friction = scene->data.groundFriction * weight * cos(test->slope);
    scene->acceleration = fmax(0.0, drive - friction) / test->mass; // below the friction's limit it stays put
    scene->angularAcceleration = test->torque / scene->data.bodies[0].inertia.m[2][2];
}

void benchSetSettings(pbdrBenchScene* data, const BenchOptions* options)
{
    data->timeStep = options->timeStep;
    data->preset = "";
    data->contact = options->contact == pbdr_contactSurface ? pbdr_contactSurface
                                                            : pbdr_contactSpheres; // the plain scene
    data->iterations = options->iterations;
    data->relaxation = options->relaxation;
    data->engine = options->engine;
    data->precision = options->precision == benchF32 ? pbdr_precisionF32 : pbdr_precisionF64;
    data->simd = options->simd;
    data->ablation = options->ablation;
}

// The rod of Test 7: it lies along the push, its round tip on the face at the offset and height given.
static pbdrStatus addRod(BenchScene* scene, const BenchOptions* options, pbdrError* error)
{
    double r = options->rodRadius, length = ROD_SPHERES * r;
    pbdrStatus status = pbdrPackRod(ROD_SPHERES, r, ROD_MASS, NULL, &scene->others[1], error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrBenchScene* data = &scene->data;
    pbdrBenchBody* rod = &data->bodies[data->bodyCount++];
    data->pairFriction = getRodFriction(scene->test, options);
    rod->name = "rod";
    rod->shape = pbdr_benchRod;
    rod->halfExtents = benchVec(length, r, r);
    rod->radius = r;
    rod->mass = ROD_MASS;
    // a solid cylinder's; nothing depends on it, as the rod's motion is given
    double axial = 0.5 * ROD_MASS * r * r, cross = ROD_MASS * (3.0 * r * r + 4.0 * length * length) / 12.0;
    rod->inertia = (pbdrMat3){{{axial, 0.0, 0.0}, {0.0, cross, 0.0}, {0.0, 0.0, cross}}};
    rod->prescribed = true;
    rod->prescribedAcceleration = benchScale(ROD_ACCELERATION, scene->direction);
    pbdrVec3 position =
        benchAddScaled(scene->shift, -(data->bodies[0].halfExtents.x + length), scene->direction);
    position = benchAddScaled(position, options->offset, scene->across);
    position = benchAddScaled(position, options->pushHeight, data->groundNormal);
    rod->start = rod->sphereStart = (pbdrPose){position, data->bodies[0].start.rotation};
    describeSpheres(&scene->others[1], benchVec(0.0, 0.0, 0.0), rod);
    return pbdr_statusOk;
}

pbdrStatus benchMakeScene(const BenchTest* test, const BenchOptions* options, const BenchShapes* shapes,
                          int seed, BenchScene* scene, pbdrError* error)
{
    memset(scene, 0, sizeof *scene);
    if (test->extended != NULL) {
        return benchMakeExtendedScene(test, options, seed, scene, error);
    }
    pbdrStatus status = makeSpheres(test, options, shapes, &scene->spheres, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    double turn = options->turn, shiftAngle = 0.0, shift = 0.0;
    uint64_t random = (uint64_t)seed;
    if (seed > 0) {
        turn = 2.0 * BENCH_PI * benchNextUniform(&random);
        shiftAngle = 2.0 * BENCH_PI * benchNextUniform(&random);
        shift = BENCH_SHIFT;
        benchShuffle(&scene->spheres, &random);
    }

    scene->test = test;
    bool flat = test->shape == pbdr_benchMesh && options->base == benchBaseFlat;
    scene->flattening = flat ? shapes->flattening : (double)NAN;
    scene->seed = seed;
    scene->turn = turn;
    pbdrBenchScene* data = &scene->data;
    pbdrBenchBody* body = &data->bodies[0];
    benchSetSettings(data, options);
    data->test = test->number;
    nameScene(scene, shapes);
    data->name = scene->name;
    data->bodyCount = 1;
    data->gravity = benchVec(0.0, 0.0, -PBDR_DEFAULT_GRAVITY);
    data->groundFriction = getFriction(test, options);

    // Axes of the ground: along the push or downhill, across, and out of it; turned by the seed.
    double c = cos(turn), s = sin(turn), cs = cos(test->slope), ss = sin(test->slope);
    pbdrVec3 along = benchVec(c * cs, s * cs, -ss), across = benchVec(-s, c, 0.0);
    data->groundNormal = benchVec(c * ss, s * ss, cs);
    scene->direction = along;
    scene->across = across;
    scene->shift =
        benchAddScaled(benchScale(shift * cos(shiftAngle), along), shift * sin(shiftAngle), across);
    pbdrQuat yaw = {cos(0.5 * turn), 0.0, 0.0, sin(0.5 * turn)};
    pbdrQuat pitch = {cos(0.5 * test->slope), 0.0, sin(0.5 * test->slope), 0.0};
    body->start.rotation = body->sphereStart.rotation = benchMulQQ(yaw, pitch);
    double height = describeShape(test, options, shapes, body);
    if (test->shape == pbdr_benchMesh) {
        for (int k = 0; k < 9; k++) {
            body->sphereExtraInertia.m[k / 3][k % 3] = test->mass * shapes->meshExtraInertia.m[k / 3][k % 3];
        }
    }
    if (options->masses == benchMassesExact) {
        status = fitMasses(test, shapes, scene, error);
        if (status != pbdr_statusOk) {
            benchFreeScene(scene);
            return status;
        }
    }
    pbdrVec3 origin = test->shape == pbdr_benchMesh ? shapes->meshTruth.centre : benchVec(0.0, 0.0, 0.0);
    double sphereHeight = describeSpheres(&scene->spheres, origin, body);
    if (data->contact == pbdr_contactSurface) {
        sphereHeight = height + body->sphereCentre.z;
    }
    body->start.position = benchAddScaled(scene->shift, height, data->groundNormal);
    body->sphereStart.position = benchAddScaled(scene->shift, sphereHeight, data->groundNormal);

    // a force given on the command line pushes the tests that are pushed
    scene->forceSize = test->force > 0.0 && !isnan(options->force) ? options->force : test->force;
    body->force = benchScale(scene->forceSize, along);
    body->torque = benchVec(0.0, 0.0, test->torque);
    setReference(scene);
    if (test->rod) {
        scene->pushing = shapes->pushing;
        status = addRod(scene, options, error);
        if (status != pbdr_statusOk) {
            benchFreeScene(scene);
        }
    }
    return status;
}

void benchFreeScene(BenchScene* scene)
{
    for (int k = 0; k < PBDR_BENCH_MAX_BODIES; k++) {
        pbdrSphereSet_Free(&scene->others[k]);
    }
    pbdrMesh_Free(&scene->wedge);
    pbdrSphereSet_Free(&scene->spheres);
}
