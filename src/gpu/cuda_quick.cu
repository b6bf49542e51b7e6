// The quick kernel of a body on a plane, compiled for the device: it calls nothing, so that its registers are its own, and
// its spheres stand in shared memory of a fixed size.
#define KERNEL_MOVERS 1
#define KERNEL_PATCHES 1
#define KERNEL_ITEMS 64
#define KERNEL_PAIRS 0
#define KERNEL_QUICK 1
#include "gpu/cuda.h"
#include "gpu/kernel.h"

template <int BLOCKS>
__global__ void __launch_bounds__(PBDR_CUDA_BLOCK, BLOCKS)
    stepQuick(const __grid_constant__ pbdrKernelPlan plan, const double* spheres, double* values, size_t worldCount,
              int substepCount)
{
#ifdef PBDR_SPILL_SHARED
    asm volatile(".pragma \"enable_smem_spilling\";");
#endif
    __shared__ double shared[4 * PBDR_QUICK_SPHERES];
    for (int i = (int)threadIdx.x; i < 4 * plan.sphereCount; i += PBDR_CUDA_BLOCK) {
        shared[i] = spheres[i];
    }
    __syncthreads();
    const size_t world = (size_t)blockIdx.x * PBDR_CUDA_BLOCK + threadIdx.x;
    if (world < worldCount) {
        stepQuickly(&plan, shared, values + pbdrGetKernelPlace(&plan, world), substepCount);
    }
}

template <int BLOCKS>
static cudaError_t launchWith(const pbdrKernelPlan* plan, const double* spheres, double* values, size_t worldCount,
                              int substepCount, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)((worldCount + PBDR_CUDA_BLOCK - 1) / PBDR_CUDA_BLOCK);
    stepQuick<BLOCKS><<<blocks, PBDR_CUDA_BLOCK, 0, stream>>>(*plan, spheres, values, worldCount, substepCount);
    return cudaGetLastError();
}

cudaError_t pbdrLaunchQuick(int blocks, const pbdrKernelPlan* plan, const double* spheres, double* values,
                            size_t worldCount, int substepCount, cudaStream_t stream)
{
    return blocks <= 2   ? launchWith<2>(plan, spheres, values, worldCount, substepCount, stream)
           : blocks <= 3 ? launchWith<3>(plan, spheres, values, worldCount, substepCount, stream)
                         : launchWith<4>(plan, spheres, values, worldCount, substepCount, stream);
}

cudaError_t pbdrDescribeQuick(int blocks, pbdrDeviceInfo* info)
{
    const void* kernel = blocks <= 2   ? (const void*)stepQuick<2>
                         : blocks <= 3 ? (const void*)stepQuick<3>
                                       : (const void*)stepQuick<4>;
    cudaFuncAttributes attributes;
    cudaError_t fault = cudaFuncGetAttributes(&attributes, kernel);
    if (fault == cudaSuccess) {
        info->registers = attributes.numRegs;
        info->localBytes = (int)attributes.localSizeBytes;
        info->threadsPerBlock = PBDR_CUDA_BLOCK;
        fault = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&info->blocksPerMultiprocessor, kernel, PBDR_CUDA_BLOCK, 0);
    }
    return fault;
}
