// A quick kernel, compiled for the device: what cuda_quick*.cu have in common. Within a substep it calls nothing that
// could take its registers.
#ifndef PBDR_GPU_CUDA_QUICK_H
#define PBDR_GPU_CUDA_QUICK_H

#include "gpu/cuda.h"
#include "gpu/kernel.h"

// Worlds of a part that begin a launch, or go on with it. Blocks may be of fewer threads than PBDR_CUDA_BLOCK.
template <int BLOCKS>
__global__ void __launch_bounds__(PBDR_CUDA_BLOCK, BLOCKS)
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

template <int BLOCKS>
static cudaError_t launchWith(int threads, const pbdrKernelPlan* plan, const double* spheres, double* values,
                              const pbdrCudaPart* part, int substepCount, cudaStream_t stream)
{
    // as the kernel that it takes turns with: eight warps, each with all of a sphere's numbers
    const size_t each = (size_t)plan->sphereCount * sizeof(double);
    const cudaError_t fault =
        cudaFuncSetAttribute(stepQuick<BLOCKS>, cudaFuncAttributePreferredSharedMemoryCarveout,
                             getCarveout(each * PBDR_KERNEL_SPHERE, BLOCKS * PBDR_CUDA_BLOCK / 32));
    if (fault != cudaSuccess) {
        return fault;
    }
    stepQuick<BLOCKS><<<countPartBlocks(part, (size_t)threads), threads, 4 * each, stream>>>(
        *plan, spheres, values, *part, substepCount);
    return cudaGetLastError();
}

template <int BLOCKS> static cudaError_t describeWith(int threads, pbdrDeviceInfo* info)
{
    cudaFuncAttributes attributes;
    cudaError_t fault = cudaFuncGetAttributes(&attributes, stepQuick<BLOCKS>);
    if (fault == cudaSuccess) {
        info->registers = attributes.numRegs;
        info->localBytes = (int)attributes.localSizeBytes;
        info->threadsPerBlock = threads;
        fault = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&info->blocksPerMultiprocessor,
                                                              stepQuick<BLOCKS>, threads, 0);
    }
    return fault;
}

#define PBDR_CUDA_QUICK_ENTRIES(name)                                                                        \
    cudaError_t pbdrLaunchQuick_##name(const pbdrCudaShape* shape, const pbdrKernelPlan* plan,               \
                                       const double* spheres, double* values, const pbdrCudaPart* part,      \
                                       int substepCount, cudaStream_t stream)                                \
    {                                                                                                        \
        return shape->blocks <= 2                                                                            \
                   ? launchWith<2>(shape->threads, plan, spheres, values, part, substepCount, stream)        \
                   : launchWith<3>(shape->threads, plan, spheres, values, part, substepCount, stream);       \
    }                                                                                                        \
    cudaError_t pbdrDescribeQuick_##name(const pbdrCudaShape* shape, pbdrDeviceInfo* info)                   \
    {                                                                                                        \
        return shape->blocks <= 2 ? describeWith<2>(shape->threads, info)                                    \
                                  : describeWith<3>(shape->threads, info);                                   \
    }

#endif
