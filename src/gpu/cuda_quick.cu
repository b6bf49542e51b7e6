// The quick kernel of a body on a plane, compiled for the device.
#define KERNEL_MOVERS 1
#define KERNEL_PATCHES 1
#define KERNEL_ITEMS 64
#define KERNEL_PAIRS 0
#define KERNEL_QUICK 1
#include "gpu/cuda_quick.h"

PBDR_CUDA_QUICK_ENTRIES(body)
