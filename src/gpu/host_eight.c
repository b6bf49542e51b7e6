// The kernel for worlds of this size (kernel_kind.h), compiled for the processor.
#define KERNEL_MOVERS 8
#define KERNEL_PATCHES 64
#define KERNEL_ITEMS 256
#define KERNEL_PAIRS 1
#include "gpu/kernel.h"

#include "gpu/host.h"

void pbdrStepKernel_eight(const pbdrKernelPlan* plan, const double* spheres, double* values, int substepCount)
{
    stepWorld(plan, spheres, values, substepCount, 0, 0);
}
