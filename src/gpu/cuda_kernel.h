// A kernel for worlds of some size, compiled for the device: what cuda_*.cu have in common. One thread steps one world;
// the spheres of all shapes stand in the block's shared memory, the plan among the kernel's parameters.
#ifndef PBDR_GPU_CUDA_KERNEL_H
#define PBDR_GPU_CUDA_KERNEL_H

#include "gpu/cuda.h"
#ifdef CUDA_REDUCED
#include "gpu/kernel_reduced.h"
#else
#include "gpu/kernel.h"
#endif

// BLOCKS at once on a multiprocessor at least: fewer leave each thread more registers.
template <int BLOCKS>
__global__ void __launch_bounds__(PBDR_CUDA_BLOCK, BLOCKS)
    stepWorlds(const __grid_constant__ pbdrKernelPlan plan, const double* spheres, double* values,
               pbdrCudaPart part, int substepCount)
{
    extern __shared__ double shared[];
    const long long world = findWorld(part);
    if (__syncthreads_or(world >= 0) == 0) {
        return;
    }
    for (int i = (int)threadIdx.x; i < PBDR_KERNEL_SPHERE * plan.sphereCount; i += (int)blockDim.x) {
        shared[i] = spheres[i];
    }
    __syncthreads();
    if (world >= 0) {
#ifdef CUDA_REDUCED
        stepReduced(&plan, shared, values + pbdrGetKernelPlace(&plan, (size_t)world), substepCount);
#else
        if (stepWorld(&plan, shared, values + pbdrGetKernelPlace(&plan, (size_t)world), substepCount,
                      part.from != NULL, part.to != NULL) > 0) {
            leaveWorld(part, world);
        }
#endif
    }
}

template <int BLOCKS>
static cudaError_t launchWith(const pbdrKernelPlan* plan, const double* spheres, double* values,
                              const pbdrCudaPart* part, int substepCount, cudaStream_t stream)
{
    const size_t bytes = (size_t)plan->sphereCount * PBDR_KERNEL_SPHERE * sizeof(double);
    // a list's warps stand alone, so that multiprocessors share them, and go before others
    const size_t threads = part->from != NULL ? 32 : PBDR_CUDA_BLOCK;
    cudaError_t fault =
        cudaFuncSetAttribute(stepWorlds<BLOCKS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (fault == cudaSuccess) {
        fault = cudaFuncSetAttribute(stepWorlds<BLOCKS>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     getCarveout(bytes, BLOCKS * (int)(PBDR_CUDA_BLOCK / threads)));
    }
    cudaLaunchAttribute first;
    first.id = cudaLaunchAttributePriority;
    int lowest = 0;
    if (fault == cudaSuccess) {
        fault = cudaDeviceGetStreamPriorityRange(&lowest, &first.val.priority);
    }
    if (fault == cudaSuccess) {
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(countPartBlocks(part, threads));
        config.blockDim = dim3((unsigned)threads);
        config.dynamicSmemBytes = bytes;
        config.stream = stream;
        config.attrs = &first;
        config.numAttrs = part->from != NULL ? 1 : 0;
        fault = cudaLaunchKernelEx(&config, stepWorlds<BLOCKS>, *plan, spheres, values, *part, substepCount);
    }
    return fault;
}

template <int BLOCKS> static cudaError_t describeWith(const pbdrKernelPlan* plan, pbdrDeviceInfo* info)
{
    cudaFuncAttributes attributes;
    cudaError_t fault = cudaFuncGetAttributes(&attributes, stepWorlds<BLOCKS>);
    if (fault == cudaSuccess) {
        info->registers = attributes.numRegs;
        info->localBytes = (int)attributes.localSizeBytes;
        info->threadsPerBlock = PBDR_CUDA_BLOCK;
        fault = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &info->blocksPerMultiprocessor, stepWorlds<BLOCKS>, PBDR_CUDA_BLOCK,
            (size_t)plan->sphereCount * PBDR_KERNEL_SPHERE * sizeof(double));
    }
    return fault;
}

// The entries of this compilation. CUDA_MOST: so many blocks at once at most are compiled for.
#if CUDA_MOST > 2
#define CHOOSE(function, ...)                                                                                \
    (shape->blocks <= 2   ? function<2>(__VA_ARGS__)                                                         \
     : shape->blocks <= 3 ? function<3>(__VA_ARGS__)                                                         \
                          : function<4>(__VA_ARGS__))
#else
#define CHOOSE(function, ...) ((void)shape, function<2>(__VA_ARGS__))
#endif
#define PBDR_CUDA_ENTRIES(name)                                                                              \
    cudaError_t pbdrLaunchKernel_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,              \
                                        const double* spheres, double* values, const pbdrCudaPart* part,     \
                                        int substepCount, cudaStream_t stream)                               \
    {                                                                                                        \
        return CHOOSE(launchWith, plan, spheres, values, part, substepCount, stream);                        \
    }                                                                                                        \
    cudaError_t pbdrDescribeKernel_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,            \
                                          pbdrDeviceInfo* info)                                              \
    {                                                                                                        \
        return CHOOSE(describeWith, plan, info);                                                             \
    }

#endif
