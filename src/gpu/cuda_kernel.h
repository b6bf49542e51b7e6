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

static __global__ void __launch_bounds__(PBDR_CUDA_BLOCK, PBDR_CUDA_BLOCKS)
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

static cudaError_t launchKernel(const pbdrCudaShape* shape, const pbdrKernelPlan* plan, const double* spheres,
                                double* values, const pbdrCudaPart* part, int substepCount,
                                cudaStream_t stream)
{
    const size_t bytes = getFullBytes(plan);
    // a list's warps stand alone, so that multiprocessors share them, and go before others
    const size_t threads = part->from != NULL ? 32 : PBDR_CUDA_BLOCK;
    cudaError_t fault =
        cudaFuncSetAttribute(stepWorlds, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (fault == cudaSuccess) {
        fault = cudaFuncSetAttribute(stepWorlds, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     getCarveout(shape, plan));
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
        fault = cudaLaunchKernelEx(&config, stepWorlds, *plan, spheres, values, *part, substepCount);
    }
    return fault;
}

static cudaError_t describeKernel(const pbdrKernelPlan* plan, pbdrDeviceInfo* info)
{
    cudaFuncAttributes attributes;
    cudaError_t fault = cudaFuncGetAttributes(&attributes, stepWorlds);
    if (fault == cudaSuccess) {
        info->registers = attributes.numRegs;
        info->localBytes = (int)attributes.localSizeBytes;
        info->threadsPerBlock = PBDR_CUDA_BLOCK;
        fault = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&info->blocksPerMultiprocessor, stepWorlds,
                                                              PBDR_CUDA_BLOCK, getFullBytes(plan));
    }
    return fault;
}

// The entries of this compilation.
#define PBDR_CUDA_ENTRIES(name)                                                                              \
    cudaError_t pbdrLaunchKernel_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,              \
                                        const double* spheres, double* values, const pbdrCudaPart* part,     \
                                        int substepCount, cudaStream_t stream)                               \
    {                                                                                                        \
        return launchKernel(shape, plan, spheres, values, part, substepCount, stream);                       \
    }                                                                                                        \
    cudaError_t pbdrDescribeKernel_##name(const pbdrKernelPlan* plan, pbdrDeviceInfo* info)                  \
    {                                                                                                        \
        return describeKernel(plan, info);                                                                   \
    }

#endif
