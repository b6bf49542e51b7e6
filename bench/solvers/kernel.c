// A world of the kernel as a solver of the benchmark, and how its device is found.
#define _POSIX_C_SOURCE 200809L
#include "solvers/kernel.h"

#include "fail.h"
#include "text.h"

#include <pbdr/batch.h>

#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- The device ---

static void* openLibrary(pbdrError* error)
{
    const char* named = getenv("PBDR_GPU_LIBRARY");
    char own[4096], beside[4200] = "";
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length > 0) {
        own[length] = 0;
        snprintf(beside, sizeof beside, "%s/gpu/libpbdr-gpu.so", dirname(own));
    }
    void* library = NULL;
    if (named != NULL && named[0] != 0) {
        library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    } else {
        library = beside[0] != 0 && access(beside, R_OK) == 0
                      ? dlopen(beside, RTLD_NOW | RTLD_LOCAL)
                      : dlopen("libpbdr-gpu.so", RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        benchFail(error, pbdr_statusNotSupported, "no libpbdr-gpu.so (make gpu builds it): %.160s",
                  dlerror());
    }
    return library;
}

const pbdrDevice* benchFindGpu(pbdrError* error)
{
    void* library = openLibrary(error); // stays open: its functions are the device
    if (library == NULL) {
        return NULL;
    }
    const pbdrDevice* (*get)(pbdrError*) = NULL;
    *(void**)&get = dlsym(library, "pbdrGetCudaDevice");
    if (get == NULL) {
        benchFail(error, pbdr_statusNotSupported, "libpbdr-gpu.so has no pbdrGetCudaDevice");
        return NULL;
    }
    return get(error);
}

const pbdrDevice* benchChooseDevice(const char* command)
{
    pbdrError error = {.message = ""};
    const pbdrDevice* gpu = benchFindGpu(&error);
    if (gpu == NULL) {
        benchPrintMessage("pbdr %s: NO GPU: %s\n"
                          "pbdr %s: the host's compilation of the kernel takes its place: the same bits, the "
                          "processor's times\n",
                          command, error.message, command);
    }
    return gpu != NULL ? gpu : pbdrGetHostDevice();
}

// --- The solver ---

typedef struct Simulation {
    pbdrBatch* batch;
    bool failed; // a step did
} Simulation;

static void* createOn(const pbdrDevice* device, const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    void* model = benchCreateRecorded(scene, pbdr_solverXpbdR, NULL, message);
    if (model == NULL) {
        return NULL;
    }
    Simulation* simulation = calloc(1, sizeof *simulation);
    pbdrBatchDef def = pbdrDefaultBatchDef();
    def.device = device;
    pbdrError error = {.status = pbdr_statusNoMemory, .message = "out of memory"};
    if (simulation == NULL ||
        pbdrCreateBatch(benchGetWorld(model), &def, &simulation->batch, &error) != pbdr_statusOk) {
        snprintf(message, PBDR_BENCH_MESSAGE, "%s%.200s",
                 error.status == pbdr_statusNotSupported ? "not supported: " : "", error.message);
        free(simulation);
        simulation = NULL;
    }
    benchGetXpbdR()->destroy(model);
    return simulation;
}

static void* createOnHost(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    return createOn(pbdrGetHostDevice(), scene, message);
}

static void* createOnGpu(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    pbdrError error;
    const pbdrDevice* device = benchFindGpu(&error);
    if (device == NULL) {
        snprintf(message, PBDR_BENCH_MESSAGE, "%.250s", error.message);
        return NULL;
    }
    return createOn(device, scene, message);
}

static uint32_t step(void* simulation, int count)
{
    Simulation* s = simulation;
    s->failed = s->failed || pbdrBatch_Step(s->batch, count, NULL) != pbdr_statusOk;
    return s->failed ? (uint32_t)pbdr_stepNotFinite : pbdrBatch_GetArrays(s->batch).flags[0];
}

static void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    const pbdrBatchArrays arrays = pbdrBatch_GetArrays(((Simulation*)simulation)->batch);
    pose->position = arrays.positions[body];
    pose->rotation = arrays.rotations[body];
    velocity->linear = arrays.velocities[body];
    velocity->angular = arrays.angularVelocities[body];
}

static void destroy(void* simulation)
{
    pbdrDestroyBatch(((Simulation*)simulation)->batch);
    free(simulation);
}

static bool describe(void* simulation, int index, const char** key, const char** value)
{
    (void)simulation;
    *key = index == 0 ? "friction_mixing" : "integrator";
    *value = index == 0 ? "geometric_mean" : "second order";
    return index < 2;
}

#define KERNEL_SOLVER(createFunction)                                                                        \
    {                                                                                                        \
        .abi = PBDR_BENCH_ABI, .name = "xpbdr", .presets = BENCH_SPHERES_PRESET,                             \
        .capabilities = pbdr_benchUsesSpheres, .create = createFunction, .step = step, .read = readMotion,   \
        .destroy = destroy, .describe = describe                                                             \
    }

pbdrStatus benchChooseKernel(const pbdrDevice* device, BenchSolver* solver, pbdrError* error)
{
    static const pbdrBenchSolver host = KERNEL_SOLVER(createOnHost), gpu = KERNEL_SOLVER(createOnGpu);
    const bool onHost = device == pbdrGetHostDevice();
    BenchSolver plain;
    pbdrStatus status = benchDescribeSolver(onHost ? &host : &gpu, &plain, error);
    status =
        status == pbdr_statusOk ? benchChoosePreset(&plain, BENCH_SPHERES_PRESET, solver, error) : status;
    if (status == pbdr_statusOk) {
        snprintf(solver->label, sizeof solver->label, "xpbdr:%s", onHost ? "host" : "gpu");
    }
    return status;
}
