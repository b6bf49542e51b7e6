// The kernel for worlds of this size (kernel_kind.h), compiled for the device.
#define KERNEL_MOVERS 1
#define KERNEL_PATCHES 1
#define KERNEL_ITEMS 64
#define KERNEL_PAIRS 0
#include "gpu/cuda_kernel.h"

PBDR_CUDA_ENTRIES(body)
