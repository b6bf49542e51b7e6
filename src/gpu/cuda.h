// The device's compilations of the kernel (cuda_*.cu), for cuda.cu.
#ifndef PBDR_GPU_CUDA_H
#define PBDR_GPU_CUDA_H

#include "gpu/device.h"
#include "gpu/kernel_kind.h"

#include <cuda_runtime.h>

// Spheres that the quick kernel has room for.
#define PBDR_QUICK_SPHERES 256

// Threads of a block.
#define PBDR_CUDA_BLOCK 128

#define PBDR_CUDA_DECLARE(name)                                                                              \
    cudaError_t pbdrLaunchKernel_##name(int blocks, const pbdrKernelPlan* plan, const double* spheres,       \
                                        double* values, size_t worldCount, int substepCount, int rest,       \
                                        cudaStream_t stream);                                                \
    cudaError_t pbdrDescribeKernel_##name(int blocks, const pbdrKernelPlan* plan, pbdrDeviceInfo* info);

// Before the kernel of a body on a plane, which then does the rest.
cudaError_t pbdrLaunchQuick(int blocks, const pbdrKernelPlan* plan, const double* spheres, double* values,
                            size_t worldCount, int substepCount, cudaStream_t stream);
cudaError_t pbdrDescribeQuick(int blocks, pbdrDeviceInfo* info);

PBDR_CUDA_DECLARE(body)
PBDR_CUDA_DECLARE(pairs)
PBDR_CUDA_DECLARE(two)
PBDR_CUDA_DECLARE(eight)
PBDR_CUDA_DECLARE(reduced)

#endif
