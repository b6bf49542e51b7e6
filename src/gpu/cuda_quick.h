// A quick kernel, compiled for the device: what cuda_quick*.cu have in common. Within a substep it calls nothing that
// could take its registers, and its spheres stand in shared memory of a fixed size.
#ifndef PBDR_GPU_CUDA_QUICK_H
#define PBDR_GPU_CUDA_QUICK_H

#include "gpu/cuda.h"
#include "gpu/kernel.h"

// Worlds first to end. Those that are not through are put on a list, in any order: none has to do with another.
template <int BLOCKS>
__global__ void __launch_bounds__(PBDR_CUDA_BLOCK, BLOCKS)
    stepQuick(const __grid_constant__ pbdrKernelPlan plan, const double* spheres, double* values,
              pbdrCudaPart part, int substepCount)
{
    __shared__ double shared[4 * PBDR_QUICK_SPHERES];
    for (int i = (int)threadIdx.x; i < 4 * plan.sphereCount; i += PBDR_CUDA_BLOCK) {
        shared[i] = spheres[i];
    }
    __syncthreads();
    const size_t world = part.first + (size_t)blockIdx.x * PBDR_CUDA_BLOCK + threadIdx.x;
    if (world < part.end &&
        stepQuickly(&plan, shared, values + pbdrGetKernelPlace(&plan, world), substepCount) > 0) {
        part.list[atomicAdd(part.count, 1u)] = (unsigned)world;
    }
}

template <int BLOCKS>
static cudaError_t launchWith(const pbdrKernelPlan* plan, const double* spheres, double* values,
                              const pbdrCudaPart* part, int substepCount, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((part->end - part->first + PBDR_CUDA_BLOCK - 1) / PBDR_CUDA_BLOCK);
    stepQuick<BLOCKS><<<blocks, PBDR_CUDA_BLOCK, 0, stream>>>(*plan, spheres, values, *part, substepCount);
    return cudaGetLastError();
}

template <int BLOCKS> static cudaError_t describeWith(pbdrDeviceInfo* info)
{
    cudaFuncAttributes attributes;
    cudaError_t fault = cudaFuncGetAttributes(&attributes, stepQuick<BLOCKS>);
    if (fault == cudaSuccess) {
        info->registers = attributes.numRegs;
        info->localBytes = (int)attributes.localSizeBytes;
        info->threadsPerBlock = PBDR_CUDA_BLOCK;
        fault = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&info->blocksPerMultiprocessor,
                                                              stepQuick<BLOCKS>, PBDR_CUDA_BLOCK, 0);
    }
    return fault;
}

#define PBDR_CUDA_QUICK_ENTRIES(name)                                                                        \
    cudaError_t pbdrLaunchQuick_##name(int blocks, const pbdrKernelPlan* plan, const double* spheres,        \
                                       double* values, const pbdrCudaPart* part, int substepCount,           \
                                       cudaStream_t stream)                                                  \
    {                                                                                                        \
        return blocks <= 2 ? launchWith<2>(plan, spheres, values, part, substepCount, stream)                \
                           : launchWith<3>(plan, spheres, values, part, substepCount, stream);               \
    }                                                                                                        \
    cudaError_t pbdrDescribeQuick_##name(int blocks, pbdrDeviceInfo* info)                                   \
    {                                                                                                        \
        return blocks <= 2 ? describeWith<2>(info) : describeWith<3>(info);                                  \
    }

#endif
