// The kernel of PBD-R in reduced coordinates, compiled for the device.
#define KERNEL_MOVERS 8
#define KERNEL_PATCHES 64
#define KERNEL_ITEMS 256
#define KERNEL_PAIRS 1
#define CUDA_REDUCED
#include "gpu/cuda_kernel.h"

PBDR_CUDA_ENTRIES(reduced)
