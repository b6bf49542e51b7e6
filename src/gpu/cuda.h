// The device's compilations of the kernel (cuda_*.cu), for cuda.cu.
#ifndef PBDR_GPU_CUDA_H
#define PBDR_GPU_CUDA_H

#include "gpu/device.h"
#include "gpu/kernel_kind.h"

#include <cuda_runtime.h>

// Threads of a block.
#define PBDR_CUDA_BLOCK 128

// Warps that a device of this kind has room for, at 255 registers (132 multiprocessors, 8 each).
#define PBDR_CUDA_WARPS 1056

// Some of a batch's worlds, which are stepped in a stream of their own.
typedef struct pbdrCudaPart {
    size_t first, end;
    unsigned *list,
        *count; // worlds that the quick kernel has left to the other one; NULL: there is no quick kernel
} pbdrCudaPart;

#define PBDR_CUDA_DECLARE(name)                                                                              \
    cudaError_t pbdrLaunchKernel_##name(int blocks, const pbdrKernelPlan* plan, const double* spheres,       \
                                        double* values, const pbdrCudaPart* part, int substepCount,          \
                                        cudaStream_t stream);                                                \
    cudaError_t pbdrDescribeKernel_##name(int blocks, const pbdrKernelPlan* plan, pbdrDeviceInfo* info);

// Before the kernel of that name, which then does the rest.
#define PBDR_CUDA_DECLARE_QUICK(name)                                                                        \
    cudaError_t pbdrLaunchQuick_##name(int blocks, const pbdrKernelPlan* plan, const double* spheres,        \
                                       double* values, const pbdrCudaPart* part, int substepCount,           \
                                       cudaStream_t stream);                                                 \
    cudaError_t pbdrDescribeQuick_##name(int blocks, pbdrDeviceInfo* info);

PBDR_CUDA_DECLARE_QUICK(body)
PBDR_CUDA_DECLARE_QUICK(pairs)

PBDR_CUDA_DECLARE(body)
PBDR_CUDA_DECLARE(pairs)
PBDR_CUDA_DECLARE(two)
PBDR_CUDA_DECLARE(eight)
PBDR_CUDA_DECLARE(reduced)

#endif
