// The device's compilations of the kernel (cuda_*.cu), for cuda.cu.
#ifndef PBDR_GPU_CUDA_H
#define PBDR_GPU_CUDA_H

#include "gpu/device.h"
#include "gpu/kernel_kind.h"

#include <cuda_runtime.h>

// Threads of a block, at most, and so many of them at once on a multiprocessor: that leaves each thread 255 registers. Three
// blocks with 168 each were slower (docs/gpu.md).
#define PBDR_CUDA_BLOCK 128
#define PBDR_CUDA_BLOCKS 2

// The most of a shape's parts and turns.
#define PBDR_CUDA_PARTS 8
#define PBDR_CUDA_TURNS 16

// How a batch is stepped. No bit depends on it; PBDR_GPU_THREADS, _PARTS, _WARPS and _TURNS change it for
// measurements.
typedef struct pbdrCudaShape {
    int threads; // of a quick kernel's block
    int parts; // that a batch is stepped in, at most, where a quick kernel goes first: while few threads of one do what
        // it has left, the others' quick kernels have the rest of the device
    int warps; // that the kernel after it spreads few worlds over
    int turns; // that the two take in a launch, after the first
} pbdrCudaShape;

pbdrCudaShape pbdrGetCudaShape(pbdrKernelKind kind);

// Some of a batch's worlds, and where those of them stand that are stepped now.
typedef struct pbdrCudaPart {
    size_t first, end;
    const unsigned *from,
        *fromCount; // a list of worlds, which go on with a launch; NULL: first to end, which begin one
    unsigned *to, *toCount; // where worlds go that are not through with it; NULL: none are left
    unsigned warps;         // that a list is spread over
} pbdrCudaPart;

#ifdef __CUDACC__
// Which world this thread steps, or -1. Of a short list each warp takes few worlds: they wait for one another less.
static __device__ __forceinline__ long long findWorld(const pbdrCudaPart& part)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (part.from == NULL) {
        return part.first + thread < part.end ? (long long)(part.first + thread) : -1;
    }
    const unsigned count = *part.fromCount;
    unsigned lanes = 32;
    while (lanes > 1 && count <= lanes / 2 * part.warps) {
        lanes /= 2;
    }
    const unsigned lane = thread % 32, index = thread / 32 * lanes + lane;
    return lane < lanes && index < count ? (long long)part.from[index] : -1;
}

// A world that is not through goes onto a list, in any order: none has to do with another.
static __device__ __forceinline__ void leaveWorld(const pbdrCudaPart& part, long long world)
{
    part.to[atomicAdd(part.toCount, 1u)] = (unsigned)world;
}

// Blocks that all of a part's worlds need, however many of them there are on its list.
static inline unsigned countPartBlocks(const pbdrCudaPart* part, size_t threads)
{
    const size_t warps = (part->end - part->first + 31) / 32,
                 most = part->from != NULL && warps < part->warps ? part->warps : warps;
    return (unsigned)((most * 32 + threads - 1) / threads);
}

// Shared memory that blocks ask for: all numbers of the spheres, or four of each and what threads keep (kernel_search.h).
static inline size_t getFullBytes(const pbdrKernelPlan* plan)
{
    return (size_t)plan->sphereCount * PBDR_KERNEL_SPHERE * sizeof(double);
}

static inline size_t getQuickBytes(const pbdrKernelPlan* plan, int threads)
{
    return ((size_t)plan->sphereCount * 4 + (size_t)threads * PBDR_DESK_NUMBERS) * sizeof(double);
}

// What all threads of a multiprocessor need of its 228 KB, in percent; a block takes 1 KB itself. The rest is cache. Kernels
// that take turns ask for the same: they could not run side by side otherwise.
static inline int getCarveout(const pbdrCudaShape* shape, const pbdrKernelPlan* plan)
{
    const size_t own = 1024, threads = PBDR_CUDA_BLOCKS * PBDR_CUDA_BLOCK;
    size_t bytes = PBDR_CUDA_BLOCKS * (getFullBytes(plan) + own);
    if (pbdrHasQuickKernel(plan)) {
        const size_t full = threads / 32 * (getFullBytes(plan) + own),
                     quick = threads / (size_t)shape->threads * (getQuickBytes(plan, shape->threads) + own);
        bytes = full > quick ? full : quick;
    }
    const size_t percent = 100 * bytes / (228 * 1024) + 1;
    return percent < 100 ? (int)percent : 100;
}
#endif

#define PBDR_CUDA_DECLARE(name)                                                                              \
    cudaError_t pbdrLaunchKernel_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,              \
                                        const double* spheres, double* values, const pbdrCudaPart* part,     \
                                        int substepCount, cudaStream_t stream);                              \
    cudaError_t pbdrDescribeKernel_##name(const pbdrKernelPlan* plan, pbdrDeviceInfo* info);

// Before the kernel of that name, and by turns with it.
#define PBDR_CUDA_DECLARE_QUICK(name)                                                                        \
    cudaError_t pbdrLaunchQuick_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,               \
                                       const double* spheres, double* values, const pbdrCudaPart* part,      \
                                       int substepCount, cudaStream_t stream);                               \
    cudaError_t pbdrDescribeQuick_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,             \
                                         pbdrDeviceInfo* info);

// cuda_results.cu
cudaError_t pbdrLaunchHashes(const pbdrKernelPlan* plan, const double* values, uint64_t* hashes,
                             size_t worldCount, cudaStream_t stream);
cudaError_t pbdrLaunchWrenches(const pbdrKernelPlan* plan, const double* spheres, double* values,
                               size_t worldCount, cudaStream_t stream);

PBDR_CUDA_DECLARE_QUICK(body)
PBDR_CUDA_DECLARE_QUICK(pairs)

PBDR_CUDA_DECLARE(body)
PBDR_CUDA_DECLARE(pairs)
PBDR_CUDA_DECLARE(two)
PBDR_CUDA_DECLARE(eight)
PBDR_CUDA_DECLARE(reduced)

#endif
