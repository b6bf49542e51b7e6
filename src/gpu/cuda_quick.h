// A quick kernel, compiled for the device: what cuda_quick*.cu have in common. Within a substep it calls nothing that
// could take its registers.
#ifndef PBDR_GPU_CUDA_QUICK_H
#define PBDR_GPU_CUDA_QUICK_H

#include "gpu/cuda.h"
#include "gpu/kernel.h"

// Worlds of a part that begin a launch, or go on with it. Blocks may be of fewer threads than PBDR_CUDA_BLOCK.
static __global__ void __launch_bounds__(PBDR_CUDA_BLOCK, PBDR_CUDA_BLOCKS)
    stepQuick(const __grid_constant__ pbdrKernelPlan plan, const double* spheres, double* values,
              pbdrCudaPart part, int substepCount)
{
    extern __shared__ double shared[];
    const long long world = findWorld(part);
    if (__syncthreads_or(world >= 0) == 0) {
        return;
    }
    for (int i = (int)threadIdx.x; i < 4 * plan.sphereCount; i += (int)blockDim.x) {
        shared[i] = spheres[i];
    }
    __syncthreads();
    if (world >= 0 && stepQuickly(&plan, shared, values + pbdrGetKernelPlace(&plan, (size_t)world),
                                  substepCount, part.from != NULL) > 0) {
        leaveWorld(part, world);
    }
}

static cudaError_t launchQuick(const pbdrCudaShape* shape, const pbdrKernelPlan* plan, const double* spheres,
                               double* values, const pbdrCudaPart* part, int substepCount,
                               cudaStream_t stream)
{
    const size_t bytes = getQuickBytes(plan, shape->threads);
    const cudaError_t fault = cudaFuncSetAttribute(stepQuick, cudaFuncAttributePreferredSharedMemoryCarveout,
                                                   getCarveout(shape, plan));
    if (fault != cudaSuccess) {
        return fault;
    }
    stepQuick<<<countPartBlocks(part, (size_t)shape->threads), shape->threads, bytes, stream>>>(
        *plan, spheres, values, *part, substepCount);
    return cudaGetLastError();
}

static cudaError_t describeQuick(const pbdrCudaShape* shape, const pbdrKernelPlan* plan, pbdrDeviceInfo* info)
{
    cudaFuncAttributes attributes;
    cudaError_t fault = cudaFuncGetAttributes(&attributes, stepQuick);
    if (fault == cudaSuccess) {
        info->registers = attributes.numRegs;
        info->localBytes = (int)attributes.localSizeBytes;
        info->threadsPerBlock = shape->threads;
        fault = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &info->blocksPerMultiprocessor, stepQuick, shape->threads, getQuickBytes(plan, shape->threads));
    }
    return fault;
}

#define PBDR_CUDA_QUICK_ENTRIES(name)                                                                        \
    cudaError_t pbdrLaunchQuick_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,               \
                                       const double* spheres, double* values, const pbdrCudaPart* part,      \
                                       int substepCount, cudaStream_t stream)                                \
    {                                                                                                        \
        return launchQuick(shape, plan, spheres, values, part, substepCount, stream);                        \
    }                                                                                                        \
    cudaError_t pbdrDescribeQuick_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,             \
                                         pbdrDeviceInfo* info)                                               \
    {                                                                                                        \
        return describeQuick(shape, plan, info);                                                             \
    }

#endif
