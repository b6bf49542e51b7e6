// The processor as a device: the host's compilation of the kernels, on all threads.
#include "gpu/host.h"

#include "base.h"
#include "gpu/device.h"
#include "gpu/kernel_hash.h"
#include "pbdr/gpu.h"
#include "tasks/tasks.h"

#include <time.h>

typedef struct Worlds {
    pbdrMemory memory;
    pbdrTasks* tasks;
    pbdrKernelPlan plan;
    pbdrStepKernel kernel;
    size_t worldCount, blockCount; // blocks of PBDR_KERNEL_LANES worlds
    double* spheres;
    double* first; // the numbers that worlds begin with
    double* values;
} Worlds;

pbdrStepKernel pbdrGetHostKernel(pbdrKernelKind kind)
{
    static const pbdrStepKernel kernels[] = {pbdrStepKernel_body, pbdrStepKernel_pairs, pbdrStepKernel_two,
                                             pbdrStepKernel_eight, pbdrStepKernel_reduced};
    return kernels[kind];
}

static size_t countValues(const Worlds* worlds)
{
    return worlds->blockCount * (size_t)worlds->plan.slots * PBDR_KERNEL_LANES;
}

static void destroy(void* data)
{
    Worlds* worlds = data;
    pbdrMemory* memory = &worlds->memory;
    pbdrFreeTasks(memory, worlds->tasks);
    pbdrGiveMemory(memory, worlds->spheres, (size_t)worlds->plan.sphereCount * PBDR_KERNEL_SPHERE,
                   sizeof(double));
    pbdrGiveMemory(memory, worlds->first, (size_t)worlds->plan.slots, sizeof(double));
    pbdrGiveMemory(memory, worlds->values, countValues(worlds), sizeof(double));
    const pbdrHooks hooks = memory->hooks;
    pbdrRelease(&hooks, worlds, 1, sizeof *worlds);
}

static bool isChosen(const uint8_t* chosen, size_t world)
{
    return chosen == NULL || chosen[world] != 0;
}

static pbdrStatus reset(void* data, const uint8_t* chosen, pbdrError* error)
{
    Worlds* worlds = data;
    (void)error;
    for (size_t w = 0; w < worlds->worldCount; w++) {
        double* values = worlds->values + pbdrGetKernelPlace(&worlds->plan, w);
        for (int s = 0; s < worlds->plan.slots && isChosen(chosen, w); s++) {
            values[s * PBDR_KERNEL_LANES] = worlds->first[s];
        }
    }
    return pbdr_statusOk;
}

static void* create(const pbdrKernelPlan* plan, const double* spheres, const double* first, size_t worldCount,
                    int threads, pbdrError* error)
{
    const pbdrHooks hooks = {0};
    Worlds* worlds = pbdrAllocate(&hooks, 1, sizeof *worlds);
    if (worlds == NULL) {
        pbdrFail(error, pbdr_statusNoMemory, "kernel: out of memory");
        return NULL;
    }
    worlds->plan = *plan;
    worlds->kernel = pbdrGetHostKernel(pbdrChooseKernel(plan));
    worlds->worldCount = worldCount;
    worlds->blockCount = (worldCount + PBDR_KERNEL_LANES - 1) / PBDR_KERNEL_LANES;
    const size_t sphereCount = (size_t)plan->sphereCount * PBDR_KERNEL_SPHERE, slots = (size_t)plan->slots;
    worlds->spheres = pbdrTakeMemory(&worlds->memory, sphereCount, sizeof(double));
    worlds->first = pbdrTakeMemory(&worlds->memory, slots, sizeof(double));
    worlds->values = pbdrTakeMemory(&worlds->memory, countValues(worlds), sizeof(double));
    worlds->tasks = pbdrMakeTasks(&worlds->memory, threads, &(pbdrTaskHooks){0});
    if (worlds->spheres == NULL || worlds->first == NULL || worlds->values == NULL || worlds->tasks == NULL) {
        pbdrFail(error, pbdr_statusNoMemory,
                 "kernel: out of memory for %zu worlds of %zu bytes, or of threads (%d)", worldCount,
                 slots * sizeof(double), threads);
        destroy(worlds);
        return NULL;
    }
    memcpy(worlds->spheres, spheres, sphereCount * sizeof(double));
    memcpy(worlds->first, first, slots * sizeof(double));
    reset(worlds, NULL, error);
    return worlds;
}

static pbdrStatus writeSlots(void* data, int slot, int width, const double* numbers, const uint8_t* chosen,
                             pbdrError* error)
{
    Worlds* worlds = data;
    (void)error;
    for (size_t w = 0; w < worlds->worldCount; w++) {
        double* values = worlds->values + pbdrGetKernelPlace(&worlds->plan, w);
        for (int k = 0; k < width && isChosen(chosen, w); k++) {
            values[(slot + k) * PBDR_KERNEL_LANES] = numbers[w * (size_t)width + (size_t)k];
        }
    }
    return pbdr_statusOk;
}

static pbdrStatus readSlots(void* data, int slot, int width, double* numbers, pbdrError* error)
{
    const Worlds* worlds = data;
    (void)error;
    for (size_t w = 0; w < worlds->worldCount; w++) {
        const double* values = worlds->values + pbdrGetKernelPlace(&worlds->plan, w);
        for (int k = 0; k < width; k++) {
            numbers[w * (size_t)width + (size_t)k] = values[(slot + k) * PBDR_KERNEL_LANES];
        }
    }
    return pbdr_statusOk;
}

typedef struct Step {
    Worlds* worlds;
    int substepCount;
} Step;

static void stepBlock(void* data, int index, int worker)
{
    const Step* step = data;
    Worlds* worlds = step->worlds;
    (void)worker;
    for (size_t lane = 0; lane < PBDR_KERNEL_LANES; lane++) {
        const size_t w = (size_t)index * PBDR_KERNEL_LANES + lane;
        if (w < worlds->worldCount) {
            worlds->kernel(&worlds->plan, worlds->spheres,
                           worlds->values + pbdrGetKernelPlace(&worlds->plan, w), step->substepCount);
        }
    }
}

static double getTime(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

static pbdrStatus stepWorlds(void* data, int substepCount, int launches, double* seconds, pbdrError* error)
{
    Step step = {data, substepCount};
    (void)error;
    const double start = getTime();
    for (int k = 0; k < launches; k++) {
        pbdrRunTasks(step.worlds->tasks, (int)step.worlds->blockCount, stepBlock, &step);
    }
    if (seconds != NULL) {
        *seconds = getTime() - start;
    }
    return pbdr_statusOk;
}

static pbdrStatus hash(void* data, uint64_t* hashes, pbdrError* error)
{
    const Worlds* worlds = data;
    (void)error;
    for (size_t w = 0; w < worlds->worldCount; w++) {
        hashes[w] = hashWorld(&worlds->plan, worlds->values + pbdrGetKernelPlace(&worlds->plan, w));
    }
    return pbdr_statusOk;
}

static void sumBlock(void* data, int index, int worker)
{
    const Worlds* worlds = data;
    (void)worker;
    for (size_t lane = 0; lane < PBDR_KERNEL_LANES; lane++) {
        const size_t w = (size_t)index * PBDR_KERNEL_LANES + lane;
        if (w < worlds->worldCount) {
            pbdrSumWrenches(&worlds->plan, worlds->spheres,
                            worlds->values + pbdrGetKernelPlace(&worlds->plan, w));
        }
    }
}

static pbdrStatus sumAll(void* data, pbdrError* error)
{
    Worlds* worlds = data;
    (void)error;
    pbdrRunTasks(worlds->tasks, (int)worlds->blockCount, sumBlock, worlds);
    return pbdr_statusOk;
}

static void describe(void* data, pbdrDeviceInfo* info)
{
    const Worlds* worlds = data;
    *info = (pbdrDeviceInfo){.name = "host", .byteCount = worlds->memory.byteCount};
}

static double* getValues(void* data)
{
    return ((Worlds*)data)->values;
}

const pbdrDevice* pbdrGetHostDevice(void)
{
    static const pbdrDevice device = {"host",     create, destroy, reset,    writeSlots, readSlots,
                                      stepWorlds, hash,   sumAll,  describe, getValues};
    return &device;
}
