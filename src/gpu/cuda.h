// The device's compilations of the kernel (cuda_*.cu), for cuda.cu.
#ifndef PBDR_GPU_CUDA_H
#define PBDR_GPU_CUDA_H

#include "gpu/device.h"
#include "gpu/kernel_kind.h"

#include <cuda_runtime.h>

// Threads of a block, at most.
#define PBDR_CUDA_BLOCK 128

// The most of a shape's parts and turns.
#define PBDR_CUDA_PARTS 8
#define PBDR_CUDA_TURNS 16

// How a batch is stepped. No bit depends on it; PBDR_GPU_BLOCKS, _THREADS, _PARTS, _WARPS and _TURNS change it for
// measurements.
typedef struct pbdrCudaShape {
    int blocks; // of PBDR_CUDA_BLOCK threads at once on a multiprocessor: fewer leave each thread more registers
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

// Shared memory that eight warps of a kernel need in blocks of so many threads, in percent of a multiprocessor's 228 KB, of
// which a block takes 1 KB itself. The rest is cache. Kernels that run side by side should ask for the same.
static inline int getCarveout(size_t bytes, int warps)
{
    const size_t percent = 100 * (size_t)warps * (bytes + 1024) / (228 * 1024) + 1;
    return percent < 100 ? (int)percent : 100;
}
#endif

#define PBDR_CUDA_DECLARE(name)                                                                              \
    cudaError_t pbdrLaunchKernel_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,              \
                                        const double* spheres, double* values, const pbdrCudaPart* part,     \
                                        int substepCount, cudaStream_t stream);                              \
    cudaError_t pbdrDescribeKernel_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,            \
                                          pbdrDeviceInfo* info);

// Before the kernel of that name, and by turns with it.
#define PBDR_CUDA_DECLARE_QUICK(name)                                                                        \
    cudaError_t pbdrLaunchQuick_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,               \
                                       const double* spheres, double* values, const pbdrCudaPart* part,      \
                                       int substepCount, cudaStream_t stream);                               \
    cudaError_t pbdrDescribeQuick_##name(const pbdrCudaShape* shape, pbdrDeviceInfo* info);

PBDR_CUDA_DECLARE_QUICK(body)
PBDR_CUDA_DECLARE_QUICK(pairs)

PBDR_CUDA_DECLARE(body)
PBDR_CUDA_DECLARE(pairs)
PBDR_CUDA_DECLARE(two)
PBDR_CUDA_DECLARE(eight)
PBDR_CUDA_DECLARE(reduced)

#endif
