// What the laboratory has beyond replays: the benchmark's tests with any settings, their errors, and scenes in our JSON. Each
// leaves a recipe, from which the page makes a world (webCreate), and the tests their MJCF, from which MuJoCo makes its own.
#define _POSIX_C_SOURCE 200809L
#include "lab.h"

#include "export.h"
#include "metrics.h"
#include "solvers/registry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Files ---

// The page has a few in memory (web/src/files.ts). Emscripten's own of a module without its JavaScript opens none.
int webOpenFile(const char* path);
long __syscall_open(const char* path, long flags, ...); // the C library's name for it

long __syscall_open(const char* path, long flags, ...)
{
    (void)flags;
    return webOpenFile(path);
}

static const char* const solverNames[] = {"pbd", "pbd-r", "xpbdr"};

static struct {
    bool made;
    BenchShapes shapes;
    BenchScene scene;
    BenchMeter meter;
    pbdrRecipe recipe;
    int ownerCount;
    int* owners; // of the recipe's bodies: whose body of the scene each is; NULL: they are the same
    char* mjcf;
} lab;

static int fail(const char* message)
{
    snprintf(webError.message, sizeof webError.message, "%s", message);
    return -1;
}

static void clear(void)
{
    if (lab.made) {
        benchFreeScene(&lab.scene);
    }
    benchFreeShapes(&lab.shapes);
    pbdrRecipe_Free(&lab.recipe);
    free(lab.mjcf);
    free(lab.owners);
    memset(&lab, 0, sizeof lab);
}

const double* labRecipe(void)
{
    return lab.recipe.numbers;
}

int labRecipeCount(void)
{
    return (int)lab.recipe.count;
}

// Whose body of the test or scene a body of the recipe is, or -1.
int labOwner(int body)
{
    const int count = lab.owners != NULL ? lab.ownerCount : lab.recipe.bodyCount;
    return body < 0 || body >= count ? -1 : lab.owners != NULL ? lab.owners[body] : body;
}

const char* labMjcf(void)
{
    return lab.mjcf != NULL ? lab.mjcf : "";
}

// --- Tests ---

static void writeMjcf(void)
{
    size_t size = 0;
    FILE* file = open_memstream(&lab.mjcf, &size);
    if (file != NULL) {
        benchExportMjcf(file, &lab.scene);
        fclose(file);
    }
}

// settings: n, radius, mu (NaN: the test's), force (NaN), offset, dt, iterations, precision (0 f32, 1 f64, -1 auto), ablation,
// contact by spheres (1) or not (0). 0, or -1 with the reason in webMessage.
int labMakeTest(int number, int solver, const double settings[10])
{
    clear();
    BenchSolver described;
    const BenchTest* test = benchFindTest(number);
    if (test == NULL || number > BENCH_LAST_TEST || solver < 0 || solver > 2) {
        return fail("there is no such test or solver");
    }
    if (benchChooseSolver(solverNames[solver], &described, &webError) != pbdr_statusOk) {
        return -1;
    }
    BenchOptions options = benchDefaultOptions();
    options.meshPath = "bunny.stl";
    options.n = (int)settings[0];
    options.radius = settings[1];
    options.mu = settings[2];
    options.force = settings[3];
    options.offset = settings[4];
    options.timeStep = settings[5];
    options.iterations = (int)settings[6];
    options.precision = (BenchPrecision)(int)settings[7];
    options.ablation = (uint32_t)settings[8];
    options.contact = settings[9] != 0.0 ? pbdr_contactSpheres : pbdr_contactAuto;
    options = benchResolveOptions(&described, &options);
    pbdrStatus status = pbdr_statusOk;
    if (test->rod) {
        status = benchPreparePushing(&lab.shapes, &options, &webError);
    }
    if (status == pbdr_statusOk && benchUsesMesh(test)) {
        status = benchPrepareMesh(&lab.shapes, &options, &webError);
    }
    if (status == pbdr_statusOk) {
        status = benchMakeScene(test, &options, &lab.shapes, 0, &lab.scene, &webError);
    }
    if (status != pbdr_statusOk) {
        return -1;
    }
    lab.made = true;
    lab.scene.data.preset = "";
    char message[PBDR_BENCH_MESSAGE];
    void* simulation = benchCreateRecorded(&lab.scene.data, (pbdrSolver)solver, &lab.recipe, message);
    if (simulation == NULL) {
        return fail(message);
    }
    described.table->destroy(simulation); // the recipe makes it again
    benchStartMeter(&lab.meter, &lab.scene, (described.capabilities & pbdr_benchUsesSpheres) != 0);
    writeMjcf();
    return 0;
}

// Position error [m] and rotation error [deg] of the measured body of a world made from the recipe, at time t; frames must
// come in their order.
void labMeasure(int handle, double t, double out[2])
{
    const pbdrRecipeWorld* made = webGet(handle);
    out[0] = out[1] = (double)NAN;
    if (made == NULL || !lab.made) {
        return;
    }
    const BenchMotion motion = {pbdrBody_GetPose(made->world, made->bodies[0]),
                                pbdrBody_GetVelocity(made->world, made->bodies[0]),
                                pbdrBody_GetMomentum(made->world, made->bodies[0])};
    benchMeasure(&lab.meter, t, &motion);
    out[0] = lab.meter.errors.position.final;
    out[1] = lab.meter.errors.rotation.final;
}

// Where the measured body should be: position, rotation wxyz.
void labReference(double t, double out[7])
{
    const pbdrPose pose = benchGetReferencePose(&lab.meter, t);
    const double numbers[7] = {pose.position.x, pose.position.y, pose.position.z, pose.rotation.w,
                               pose.rotation.x, pose.rotation.y, pose.rotation.z};
    memcpy(out, numbers, sizeof numbers);
}

// The mesh of the measured body, about the spheres' centre of mass; NULL arrays: only counts, in counts[2].
void labMesh(int counts[2], float* vertices, int32_t* triangles)
{
    const pbdrBenchBody* body = &lab.scene.data.bodies[0];
    counts[0] = lab.made ? body->vertexCount : 0;
    counts[1] = lab.made ? body->triangleCount : 0;
    for (int i = 0; vertices != NULL && i < counts[0]; i++) {
        vertices[3 * i] = (float)(body->vertices[i].x - body->sphereCentre.x);
        vertices[3 * i + 1] = (float)(body->vertices[i].y - body->sphereCentre.y);
        vertices[3 * i + 2] = (float)(body->vertices[i].z - body->sphereCentre.z);
    }
    for (int i = 0; triangles != NULL && i < 3 * counts[1]; i++) {
        triangles[i] = body->triangles[i / 3][i % 3];
    }
}

// --- Scenes ---

// A scene in our JSON, which stands at the path. settings: dt (0: the scene's), iterations, precision (0 f32, 1 f64),
// contact by spheres. 0, or -1 with the reason in webMessage.
int labLoadScene(const char* path, int solver, const double settings[4])
{
    clear();
    pbdrSceneFile* scene = NULL;
    pbdrSceneWorld* made = NULL;
    if (pbdrLoadScene(path, NULL, &scene, &webError) != pbdr_statusOk) {
        return -1;
    }
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    def.solver = (pbdrSolver)solver;
    def.timeStep = settings[0] > 0.0 ? settings[0] : def.timeStep;
    def.iterations = (int)settings[1];
    def.precision = solver != pbdr_solverXpbdR && settings[2] == 0.0 ? pbdr_precisionF32 : pbdr_precisionF64;
    def.contact = settings[3] != 0.0 ? pbdr_contactSpheres : pbdr_contactAuto;
    pbdrStatus status = pbdrRecordSceneWorld(scene, &def, NULL, &lab.recipe, &made, &webError);
    if (status == pbdr_statusOk) {
        lab.owners = calloc((size_t)made->idCount + 1, sizeof *lab.owners);
        lab.ownerCount = lab.owners != NULL ? made->idCount : 0;
        for (int k = 0; k < lab.ownerCount; k++) {
            lab.owners[k] = made->owners[k];
        }
        status = lab.owners != NULL ? status : pbdr_statusNoMemory;
    }
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
    return status == pbdr_statusOk ? 0 : -1;
}
