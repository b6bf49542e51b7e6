// The kernel for worlds of this size (kernel_kind.h), compiled for the device.
#define KERNEL_MOVERS 8
#define KERNEL_PATCHES 64
#define KERNEL_ITEMS 256
#define KERNEL_PAIRS 1
#include "gpu/cuda_kernel.h"

PBDR_CUDA_ENTRIES(eight)
