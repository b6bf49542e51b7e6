// A kernel for worlds of some size, compiled for the device: what cuda_*.cu have in common. One thread steps one world;
// the spheres of all shapes stand in the block's shared memory, the plan among the kernel's parameters.
#ifndef PBDR_GPU_CUDA_KERNEL_H
#define PBDR_GPU_CUDA_KERNEL_H

#include "gpu/cuda.h"
#ifdef CUDA_REDUCED
#include "gpu/kernel_reduced.h"
#define stepWorld stepReduced
#else
#include "gpu/kernel.h"
#endif

// BLOCKS at once on a multiprocessor at least: fewer leave each thread more registers.
template <int BLOCKS>
__global__ void __launch_bounds__(PBDR_CUDA_BLOCK, BLOCKS)
    stepWorlds(const __grid_constant__ pbdrKernelPlan plan, const double* spheres, double* values,
               size_t worldCount, int substepCount, int rest)
{
    extern __shared__ double shared[];
    for (int i = (int)threadIdx.x; i < PBDR_KERNEL_SPHERE * plan.sphereCount; i += PBDR_CUDA_BLOCK) {
        shared[i] = spheres[i];
    }
    __syncthreads();
    const size_t world = (size_t)blockIdx.x * PBDR_CUDA_BLOCK + threadIdx.x;
    if (world < worldCount) {
        stepWorld(&plan, shared, values + pbdrGetKernelPlace(&plan, world), substepCount, rest);
    }
}

template <int BLOCKS>
static cudaError_t launchWith(const pbdrKernelPlan* plan, const double* spheres, double* values,
                              size_t worldCount, int substepCount, int rest, cudaStream_t stream)
{
    const size_t bytes = (size_t)plan->sphereCount * PBDR_KERNEL_SPHERE * sizeof(double);
    const unsigned blocks = (unsigned)((worldCount + PBDR_CUDA_BLOCK - 1) / PBDR_CUDA_BLOCK);
    cudaError_t fault =
        cudaFuncSetAttribute(stepWorlds<BLOCKS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    // as little shared memory as the blocks need: the rest is cache (228 KB in all, of which a block takes 1 KB itself)
    const size_t percent = 100 * BLOCKS * (bytes + 1024) / (228 * 1024) + 1;
    if (fault == cudaSuccess) {
        fault = cudaFuncSetAttribute(stepWorlds<BLOCKS>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     percent < 100 ? (int)percent : 100);
    }
    if (fault == cudaSuccess) {
        stepWorlds<BLOCKS><<<blocks, PBDR_CUDA_BLOCK, bytes, stream>>>(*plan, spheres, values, worldCount,
                                                                       substepCount, rest);
        fault = cudaGetLastError();
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
    (blocks <= 2   ? function<2>(__VA_ARGS__)                                                                \
     : blocks <= 3 ? function<3>(__VA_ARGS__)                                                                \
                   : function<4>(__VA_ARGS__))
#else
#define CHOOSE(function, ...) ((void)blocks, function<2>(__VA_ARGS__))
#endif
#define PBDR_CUDA_ENTRIES(name)                                                                              \
    cudaError_t pbdrLaunchKernel_##name(int blocks, const pbdrKernelPlan* plan, const double* spheres,       \
                                        double* values, size_t worldCount, int substepCount, int rest,       \
                                        cudaStream_t stream)                                                 \
    {                                                                                                        \
        return CHOOSE(launchWith, plan, spheres, values, worldCount, substepCount, rest, stream);            \
    }                                                                                                        \
    cudaError_t pbdrDescribeKernel_##name(int blocks, const pbdrKernelPlan* plan, pbdrDeviceInfo* info)      \
    {                                                                                                        \
        return CHOOSE(describeWith, plan, info);                                                             \
    }

#endif
