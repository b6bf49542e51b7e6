// The quick kernel of a body on a plane and beside another body, compiled for the device.
#define KERNEL_MOVERS 1
#define KERNEL_PATCHES 2
#define KERNEL_ITEMS 160
#define KERNEL_PAIRS 1
#define KERNEL_QUICK 1
#include "gpu/cuda_quick.h"

PBDR_CUDA_QUICK_ENTRIES(pairs)
