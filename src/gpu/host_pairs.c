// The kernel for worlds of this size (kernel_kind.h), compiled for the processor.
#define KERNEL_MOVERS 1
#define KERNEL_PATCHES 4
#define KERNEL_ITEMS 256
#define KERNEL_PAIRS 1
#include "gpu/kernel.h"

#include "gpu/host.h"

void pbdrStepKernel_pairs(const pbdrKernelPlan* plan, const double* spheres, double* values, int substepCount)
{
    if (!pbdrHasQuickKernel(plan)) {
        stepWorld(plan, spheres, values, substepCount, 0, 0);
        return;
    }
    int left = pbdrStepKernel_quickPairs(plan, spheres, values, substepCount, 0);
    while (left > 0 && stepWorld(plan, spheres, values, substepCount, 1, 1) > 0) {
        left = pbdrStepKernel_quickPairs(plan, spheres, values, substepCount, 1);
    }
}
