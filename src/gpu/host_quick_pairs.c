// The quick kernel of a body on a plane and beside another body, compiled for the processor.
#define KERNEL_MOVERS 1
#define KERNEL_PATCHES 2
#define KERNEL_ITEMS 160
#define KERNEL_PAIRS 1
#define KERNEL_QUICK 1
#include "gpu/kernel.h"

#include "gpu/host.h"

int pbdrStepKernel_quickPairs(const pbdrKernelPlan* plan, const double* spheres, double* values,
                              int substepCount, int rest)
{
    return stepQuickly(plan, spheres, values, substepCount, rest);
}
