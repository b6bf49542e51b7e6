// The device's compilations of the kernel (cuda_*.cu), for cuda.cu.
#ifndef PBDR_GPU_CUDA_H
#define PBDR_GPU_CUDA_H

#include "gpu/device.h"
#include "gpu/kernel_kind.h"

#include <cuda_runtime.h>

// Threads of a block.
#define PBDR_CUDA_BLOCK 128

#define PBDR_CUDA_DECLARE(name)                                                                              \
    cudaError_t pbdrLaunchKernel_##name(int blocks, const pbdrKernelPlan* plan, const double* spheres,       \
                                        double* values, size_t worldCount, int substepCount,                 \
                                        cudaStream_t stream);                                                \
    cudaError_t pbdrDescribeKernel_##name(int blocks, const pbdrKernelPlan* plan, pbdrDeviceInfo* info);

PBDR_CUDA_DECLARE(body)
PBDR_CUDA_DECLARE(pairs)
PBDR_CUDA_DECLARE(two)
PBDR_CUDA_DECLARE(eight)
PBDR_CUDA_DECLARE(reduced)

#endif
