// A CUDA GPU as a device. Whatever the driver says becomes a status with a message.
#include "gpu/cuda.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace
{

// Launches that a graph holds.
const int GRAPH = 32;
const int PARTS = PBDR_CUDA_PARTS;
const size_t LEAST_PART = 8192; // worlds
const int COUNTS = 2 * PBDR_CUDA_TURNS + 1; // of a part's lists, in a launch

struct Worlds {
    pbdrKernelPlan plan;
    pbdrKernelKind kind;
    pbdrCudaShape shape;
    size_t worldCount, valueCount, byteCount;
    double *spheres, *first, *values;
    double* staging; // numbers on their way in or out, `stagingCount` of them
    size_t stagingCount;
    uint8_t* chosen;
    uint64_t* hashes;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    bool quick; // a quick kernel goes first
    int partCount;
    pbdrCudaPart parts[PARTS];
    cudaStream_t streams[PARTS];
    cudaEvent_t forked, joined[PARTS];
    unsigned *lists, *counts; // two lists of each part's worlds, and how many stand on them in each turn
    cudaGraphExec_t graph; // of GRAPH launches of so many substeps
    int graphSubsteps;
};

pbdrStatus fail(pbdrError* error, pbdrStatus status, const char* format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        std::vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

// What a call of the runtime said.
pbdrStatus check(cudaError_t fault, const char* what, pbdrError* error)
{
    if (fault == cudaSuccess) {
        return pbdr_statusOk;
    }
    cudaGetLastError(); // it is told; what follows is not to blame for it
    return fail(error, fault == cudaErrorMemoryAllocation ? pbdr_statusNoMemory : pbdr_statusNotSupported,
                "gpu: %s: %s", what, cudaGetErrorString(fault));
}

__global__ void fillWorlds(const __grid_constant__ pbdrKernelPlan plan, const double* first,
                           const uint8_t* chosen, double* values, size_t worldCount)
{
    const size_t world = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (world < worldCount && (chosen == NULL || chosen[world] != 0)) {
        double* to = values + pbdrGetKernelPlace(&plan, world);
        for (int s = 0; s < plan.slots; s++) {
            to[s * PBDR_KERNEL_LANES] = first[s];
        }
    }
}

// Numbers `slot` to `slot + width` of all worlds, in or out.
__global__ void moveSlots(const __grid_constant__ pbdrKernelPlan plan, int slot, int width, double* data,
                          const uint8_t* chosen, double* values, size_t from, size_t count, int out)
{
    const size_t index = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= count * (size_t)width) {
        return;
    }
    const size_t world = from + index / (size_t)width;
    double* at =
        values + pbdrGetKernelPlace(&plan, world) + (slot + (int)(index % (size_t)width)) * PBDR_KERNEL_LANES;
    if (out) {
        data[index] = *at;
    } else if (chosen == NULL || chosen[world] != 0) {
        *at = data[index];
    }
}

unsigned countBlocks(size_t threads)
{
    return (unsigned)((threads + 255) / 256);
}

// A part's list: of worlds that the quick kernel has left (0), or that the other one gives back to it (1).
unsigned* getList(const Worlds* worlds, const pbdrCudaPart* part, int which)
{
    return worlds->lists + (which % 2) * worlds->worldCount + part->first;
}

cudaError_t launchQuick(const Worlds* worlds, const pbdrCudaPart* part, int substepCount, cudaStream_t stream)
{
    return worlds->kind == pbdr_kernelBody
               ? pbdrLaunchQuick_body(&worlds->shape, &worlds->plan, worlds->spheres, worlds->values, part,
                                      substepCount, stream)
               : pbdrLaunchQuick_pairs(&worlds->shape, &worlds->plan, worlds->spheres, worlds->values, part,
                                       substepCount, stream);
}

cudaError_t launchKernel(const Worlds* worlds, const pbdrCudaPart* part, int substepCount, cudaStream_t stream)
{
    static cudaError_t (*const launches[])(const pbdrCudaShape*, const pbdrKernelPlan*, const double*, double*,
                                           const pbdrCudaPart*, int, cudaStream_t) = {
        pbdrLaunchKernel_body, pbdrLaunchKernel_pairs, pbdrLaunchKernel_two, pbdrLaunchKernel_eight,
        pbdrLaunchKernel_reduced};
    return launches[worlds->kind](&worlds->shape, &worlds->plan, worlds->spheres, worlds->values, part,
                                  substepCount, stream);
}

// One launch of a part where a quick kernel goes first. The two take turns: what the quick one leaves goes to the other, which
// gives it back after a smooth substep; in the last turn it does all that is left.
cudaError_t launchTurns(const Worlds* worlds, int index, int substepCount, cudaStream_t stream)
{
    pbdrCudaPart part = worlds->parts[index];
    unsigned* counts = worlds->counts + index * COUNTS;
    const int most = substepCount > 1 ? substepCount - 1 : 0,
              turns = worlds->shape.turns < most ? worlds->shape.turns : most;
    cudaError_t fault = cudaMemsetAsync(counts, 0, COUNTS * sizeof *counts, stream);
    for (int k = 0; k <= 2 * turns + 1 && fault == cudaSuccess; k++) { // even: quick
        part.from = k > 0 ? getList(worlds, &part, k - 1) : NULL;
        part.fromCount = k > 0 ? counts + k - 1 : NULL;
        part.to = k <= 2 * turns ? getList(worlds, &part, k) : NULL;
        part.toCount = k <= 2 * turns ? counts + k : NULL;
        fault = k % 2 == 0 ? launchQuick(worlds, &part, substepCount, stream)
                           : launchKernel(worlds, &part, substepCount, stream);
    }
    return fault;
}

// A part's substeps, so many times, in a stream.
cudaError_t launchPart(const Worlds* worlds, int index, int substepCount, int times, cudaStream_t stream)
{
    cudaError_t fault = cudaSuccess;
    for (int k = 0; k < times && fault == cudaSuccess; k++) {
        fault = worlds->quick ? launchTurns(worlds, index, substepCount, stream)
                              : launchKernel(worlds, &worlds->parts[index], substepCount, stream);
    }
    return fault;
}

// Launches, so many times: parts go their own ways until all are done.
cudaError_t launch(const Worlds* worlds, int substepCount, int times)
{
    if (worlds->partCount == 1) {
        return launchPart(worlds, 0, substepCount, times, worlds->stream);
    }
    cudaError_t fault = cudaEventRecord(worlds->forked, worlds->stream);
    for (int k = 0; k < worlds->partCount && fault == cudaSuccess; k++) {
        fault = cudaStreamWaitEvent(worlds->streams[k], worlds->forked, 0);
        fault = fault == cudaSuccess ? launchPart(worlds, k, substepCount, times, worlds->streams[k]) : fault;
        // a part that has failed is joined as well: a capture must end where it began
        const cudaError_t ended = cudaEventRecord(worlds->joined[k], worlds->streams[k]);
        fault = fault == cudaSuccess ? ended : fault;
        const cudaError_t joined = cudaStreamWaitEvent(worlds->stream, worlds->joined[k], 0);
        fault = fault == cudaSuccess ? joined : fault;
    }
    return fault;
}

// Cuts the batch into parts, at whole blocks.
pbdrStatus makeParts(Worlds* worlds, pbdrError* error)
{
    const int most = worlds->shape.parts;
    worlds->quick = pbdrHasQuickKernel(&worlds->plan) && worlds->worldCount <= 0xffffffffu;
    worlds->partCount = !worlds->quick || worlds->worldCount < most * LEAST_PART ? 1 : most;
    const size_t each =
        (worlds->worldCount / worlds->partCount + PBDR_CUDA_BLOCK - 1) / PBDR_CUDA_BLOCK * PBDR_CUDA_BLOCK;
    pbdrStatus status = check(cudaEventCreateWithFlags(&worlds->forked, cudaEventDisableTiming), "an event", error);
    for (int k = 0; k < worlds->partCount && status == pbdr_statusOk; k++) {
        pbdrCudaPart* part = &worlds->parts[k];
        part->first = k * each;
        part->end = k + 1 < worlds->partCount ? (k + 1) * each : worlds->worldCount;
        part->warps = (unsigned)worlds->shape.warps;
        status = check(cudaStreamCreateWithFlags(&worlds->streams[k], cudaStreamNonBlocking), "a stream", error);
        status = status == pbdr_statusOk
                     ? check(cudaEventCreateWithFlags(&worlds->joined[k], cudaEventDisableTiming), "an event", error)
                     : status;
    }
    return status;
}

void destroy(void* data)
{
    Worlds* worlds = static_cast<Worlds*>(data);
    if (worlds->graph != NULL) {
        cudaGraphExecDestroy(worlds->graph);
    }
    cudaFree(worlds->spheres);
    cudaFree(worlds->first);
    cudaFree(worlds->values);
    cudaFree(worlds->staging);
    cudaFree(worlds->chosen);
    cudaFree(worlds->hashes);
    cudaFree(worlds->lists);
    cudaFree(worlds->counts);
    if (worlds->begin != NULL) {
        cudaEventDestroy(worlds->begin);
    }
    if (worlds->end != NULL) {
        cudaEventDestroy(worlds->end);
    }
    for (int k = 0; k < PARTS; k++) {
        if (worlds->joined[k] != NULL) {
            cudaEventDestroy(worlds->joined[k]);
        }
        if (worlds->streams[k] != NULL) {
            cudaStreamDestroy(worlds->streams[k]);
        }
    }
    if (worlds->forked != NULL) {
        cudaEventDestroy(worlds->forked);
    }
    if (worlds->stream != NULL) {
        cudaStreamDestroy(worlds->stream);
    }
    std::free(worlds);
}

pbdrStatus setChosen(Worlds* worlds, const uint8_t* chosen, pbdrError* error)
{
    return chosen == NULL ? pbdr_statusOk
                          : check(cudaMemcpyAsync(worlds->chosen, chosen, worlds->worldCount,
                                                  cudaMemcpyHostToDevice, worlds->stream),
                                  "the chosen worlds", error);
}

pbdrStatus reset(void* data, const uint8_t* chosen, pbdrError* error)
{
    Worlds* worlds = static_cast<Worlds*>(data);
    pbdrStatus status = setChosen(worlds, chosen, error);
    if (status == pbdr_statusOk) {
        fillWorlds<<<countBlocks(worlds->worldCount), 256, 0, worlds->stream>>>(
            worlds->plan, worlds->first, chosen != NULL ? worlds->chosen : NULL, worlds->values,
            worlds->worldCount);
        status = check(cudaGetLastError(), "reset", error);
    }
    return status == pbdr_statusOk ? check(cudaStreamSynchronize(worlds->stream), "reset", error) : status;
}

// Says what is needed and what is there before it asks for it.
pbdrStatus takeAll(Worlds* worlds, const double* spheres, const double* first, pbdrError* error)
{
    size_t free = 0, total = 0;
    pbdrStatus status = check(cudaMemGetInfo(&free, &total), "memory", error);
    const size_t sphereBytes = (size_t)worlds->plan.sphereCount * PBDR_KERNEL_SPHERE * sizeof(double),
                 slotBytes = (size_t)worlds->plan.slots * sizeof(double),
                 valueBytes = worlds->valueCount * sizeof(double);
    // at most 256 MB of numbers are on their way at a time, and at least those of one world
    worlds->stagingCount =
        worlds->worldCount * 16 < (size_t)1 << 25 ? worlds->worldCount * 16 : (size_t)1 << 25;
    if (worlds->stagingCount < (size_t)worlds->plan.slots) {
        worlds->stagingCount = (size_t)worlds->plan.slots;
    }
    worlds->byteCount =
        valueBytes + sphereBytes + slotBytes + worlds->worldCount * 17 + worlds->stagingCount * sizeof(double);
    if (status == pbdr_statusOk && worlds->byteCount > free) {
        return fail(error, pbdr_statusNoMemory,
                    "gpu: %zu worlds of %zu bytes take %.1f GB, and the device has %.1f GB free of %.1f",
                    worlds->worldCount, slotBytes, 1.0e-9 * (double)worlds->byteCount, 1.0e-9 * (double)free,
                    1.0e-9 * (double)total);
    }
    struct {
        void** pointer;
        size_t bytes;
        const char* what;
    } parts[] = {
        {reinterpret_cast<void**>(&worlds->spheres), sphereBytes, "spheres"},
        {reinterpret_cast<void**>(&worlds->first), slotBytes, "a world"},
        {reinterpret_cast<void**>(&worlds->values), valueBytes, "all worlds"},
        {reinterpret_cast<void**>(&worlds->staging), worlds->stagingCount * sizeof(double), "transfers"},
        {reinterpret_cast<void**>(&worlds->chosen), worlds->worldCount, "choices"},
        {reinterpret_cast<void**>(&worlds->hashes), worlds->worldCount * sizeof(uint64_t), "hashes"},
        {reinterpret_cast<void**>(&worlds->lists), worlds->worldCount * 2 * sizeof(unsigned), "lists"},
        {reinterpret_cast<void**>(&worlds->counts), PARTS * COUNTS * sizeof(unsigned), "lists"},
    };
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && status == pbdr_statusOk; k++) {
        status = check(cudaMalloc(parts[k].pointer, parts[k].bytes), parts[k].what, error);
    }
    if (status == pbdr_statusOk) {
        status = check(cudaMemcpyAsync(worlds->spheres, spheres, sphereBytes, cudaMemcpyHostToDevice, worlds->stream),
                       "spheres", error);
    }
    if (status == pbdr_statusOk) {
        status = check(cudaMemcpyAsync(worlds->first, first, slotBytes, cudaMemcpyHostToDevice, worlds->stream),
                       "a world", error);
    }
    if (status ==
        pbdr_statusOk) { // lanes without a world as well: nobody reads them, and they are no garbage
        status = check(cudaMemsetAsync(worlds->values, 0, valueBytes, worlds->stream), "all worlds", error);
    }
    return status == pbdr_statusOk ? reset(worlds, NULL, error) : status;
}

void* create(const pbdrKernelPlan* plan, const double* spheres, const double* first, size_t worldCount,
             int threads, pbdrError* error)
{
    (void)threads;
    Worlds* worlds = static_cast<Worlds*>(std::calloc(1, sizeof *worlds));
    if (worlds == NULL) {
        fail(error, pbdr_statusNoMemory, "gpu: out of memory");
        return NULL;
    }
    worlds->plan = *plan;
    worlds->kind = pbdrChooseKernel(plan);
    worlds->shape = pbdrGetCudaShape(worlds->kind);
    worlds->worldCount = worldCount;
    worlds->valueCount =
        (worldCount + PBDR_KERNEL_LANES - 1) / PBDR_KERNEL_LANES * PBDR_KERNEL_LANES * (size_t)plan->slots;
    // apart from the default stream, so that batches of several threads do not wait for each other
    pbdrStatus status = check(cudaStreamCreateWithFlags(&worlds->stream, cudaStreamNonBlocking), "a stream", error);
    status = status == pbdr_statusOk ? check(cudaEventCreate(&worlds->begin), "an event", error) : status;
    status = status == pbdr_statusOk ? check(cudaEventCreate(&worlds->end), "an event", error) : status;
    status = status == pbdr_statusOk ? takeAll(worlds, spheres, first, error) : status;
    status = status == pbdr_statusOk ? makeParts(worlds, error) : status;
    if (status != pbdr_statusOk) {
        destroy(worlds);
        return NULL;
    }
    return worlds;
}

// In parts that the staging has room for.
pbdrStatus transfer(Worlds* worlds, int slot, int width, double* data, const uint8_t* chosen, int out,
                    pbdrError* error)
{
    pbdrStatus status = setChosen(worlds, chosen, error);
    const size_t most = worlds->stagingCount / (size_t)width > 0 ? worlds->stagingCount / (size_t)width : 1;
    if ((size_t)width > worlds->stagingCount) {
        return fail(error, pbdr_statusInvalidArgument, "gpu: %d numbers at a time", width);
    }
    for (size_t from = 0; from < worlds->worldCount && status == pbdr_statusOk; from += most) {
        const size_t count = worlds->worldCount - from < most ? worlds->worldCount - from : most;
        const size_t numbers = count * (size_t)width, bytes = numbers * sizeof(double);
        double* part = data + from * (size_t)width;
        if (!out) {
            status =
                check(cudaMemcpyAsync(worlds->staging, part, bytes, cudaMemcpyHostToDevice, worlds->stream),
                      "numbers", error);
        }
        if (status == pbdr_statusOk) {
            moveSlots<<<countBlocks(numbers), 256, 0, worlds->stream>>>(
                worlds->plan, slot, width, worlds->staging, chosen != NULL ? worlds->chosen : NULL,
                worlds->values, from, count, out);
            status = check(cudaGetLastError(), "numbers", error);
        }
        if (out && status == pbdr_statusOk) {
            status =
                check(cudaMemcpyAsync(part, worlds->staging, bytes, cudaMemcpyDeviceToHost, worlds->stream),
                      "numbers", error);
        }
        if (status == pbdr_statusOk) {
            status = check(cudaStreamSynchronize(worlds->stream), "numbers", error);
        }
    }
    return status;
}

pbdrStatus writeSlots(void* data, int slot, int width, const double* numbers, const uint8_t* chosen,
                      pbdrError* error)
{
    return transfer(static_cast<Worlds*>(data), slot, width, const_cast<double*>(numbers), chosen, 0, error);
}

pbdrStatus readSlots(void* data, int slot, int width, double* numbers, pbdrError* error)
{
    return transfer(static_cast<Worlds*>(data), slot, width, numbers, NULL, 1, error);
}

// A graph of GRAPH launches: one call of the driver for all.
pbdrStatus makeGraph(Worlds* worlds, int substepCount, pbdrError* error)
{
    if (worlds->graph != NULL && worlds->graphSubsteps == substepCount) {
        return pbdr_statusOk;
    }
    if (worlds->graph != NULL) {
        cudaGraphExecDestroy(worlds->graph);
        worlds->graph = NULL;
    }
    cudaGraph_t graph = NULL;
    cudaError_t fault = cudaStreamBeginCapture(worlds->stream, cudaStreamCaptureModeThreadLocal);
    fault = fault == cudaSuccess ? launch(worlds, substepCount, GRAPH) : fault;
    const cudaError_t ended = cudaStreamEndCapture(worlds->stream, &graph);
    fault = fault == cudaSuccess ? ended : fault;
    fault = fault == cudaSuccess ? cudaGraphInstantiate(&worlds->graph, graph, 0) : fault;
    if (graph != NULL) {
        cudaGraphDestroy(graph);
    }
    worlds->graphSubsteps = substepCount;
    return check(fault, "a graph", error);
}

pbdrStatus step(void* data, int substepCount, int launches, double* seconds, pbdrError* error)
{
    Worlds* worlds = static_cast<Worlds*>(data);
    pbdrStatus status = launches >= GRAPH ? makeGraph(worlds, substepCount, error) : pbdr_statusOk;
    cudaError_t fault =
        status == pbdr_statusOk ? cudaEventRecord(worlds->begin, worlds->stream) : cudaSuccess;
    int left = launches;
    while (status == pbdr_statusOk && fault == cudaSuccess && left > 0) {
        const bool whole = left >= GRAPH;
        fault = whole ? cudaGraphLaunch(worlds->graph, worlds->stream) : launch(worlds, substepCount, left);
        left -= whole ? GRAPH : left;
    }
    fault = fault == cudaSuccess ? cudaEventRecord(worlds->end, worlds->stream) : fault;
    fault = fault == cudaSuccess ? cudaStreamSynchronize(worlds->stream) : fault;
    status = status == pbdr_statusOk ? check(fault, "substeps", error) : status;
    if (status == pbdr_statusOk && seconds != NULL) {
        float milliseconds = 0.0f;
        status = check(cudaEventElapsedTime(&milliseconds, worlds->begin, worlds->end), "time", error);
        *seconds = 1.0e-3 * (double)milliseconds;
    }
    return status;
}

pbdrStatus hash(void* data, uint64_t* hashes, pbdrError* error)
{
    Worlds* worlds = static_cast<Worlds*>(data);
    pbdrStatus status = check(pbdrLaunchHashes(&worlds->plan, worlds->values, worlds->hashes,
                                               worlds->worldCount, worlds->stream),
                              "hashes", error);
    if (status == pbdr_statusOk) {
        status = check(cudaMemcpyAsync(hashes, worlds->hashes, worlds->worldCount * sizeof *hashes,
                                       cudaMemcpyDeviceToHost, worlds->stream),
                       "hashes", error);
    }
    return status == pbdr_statusOk ? check(cudaStreamSynchronize(worlds->stream), "hashes", error) : status;
}

pbdrStatus sumWrenches(void* data, pbdrError* error)
{
    Worlds* worlds = static_cast<Worlds*>(data);
    const cudaError_t fault = pbdrLaunchWrenches(&worlds->plan, worlds->spheres, worlds->values,
                                                 worlds->worldCount, worlds->stream);
    return check(fault == cudaSuccess ? cudaStreamSynchronize(worlds->stream) : fault, "wrenches", error);
}

void describe(void* data, pbdrDeviceInfo* info)
{
    Worlds* worlds = static_cast<Worlds*>(data);
    static cudaError_t (*const kernels[])(const pbdrKernelPlan*, pbdrDeviceInfo*) = {
        pbdrDescribeKernel_body, pbdrDescribeKernel_pairs, pbdrDescribeKernel_two, pbdrDescribeKernel_eight,
        pbdrDescribeKernel_reduced};
    std::memset(info, 0, sizeof *info);
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess) {
        std::snprintf(info->name, sizeof info->name, "%s", properties.name);
        info->multiprocessors = properties.multiProcessorCount;
    }
    size_t total = 0;
    cudaMemGetInfo(&info->freeBytes, &total);
    info->byteCount = worlds->byteCount;
    if (worlds->quick && worlds->kind == pbdr_kernelBody) {
        pbdrDescribeQuick_body(&worlds->shape, &worlds->plan, info);
    } else if (worlds->quick) {
        pbdrDescribeQuick_pairs(&worlds->shape, &worlds->plan, info);
    } else {
        kernels[worlds->kind](&worlds->plan, info);
    }
}

double* getValues(void* data)
{
    return static_cast<Worlds*>(data)->values;
}

} // namespace

extern "C" const pbdrDevice* pbdrGetCudaDevice(pbdrError* error)
{
    static const pbdrDevice device = {"cuda",    create, destroy,     reset,    writeSlots,
                                      readSlots, step,   hash,        sumWrenches, describe,
                                      getValues};
    int count = 0, driver = 0;
    if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
        fail(error, pbdr_statusNotSupported, "gpu: no device: no driver of CUDA is installed");
        return NULL;
    }
    if (check(cudaGetDeviceCount(&count), "no device", error) != pbdr_statusOk) {
        return NULL;
    }
    if (count == 0) {
        fail(error, pbdr_statusNotSupported, "gpu: there is no CUDA device");
        return NULL;
    }
    return &device;
}
