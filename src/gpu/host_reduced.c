// The kernel of PBD-R in reduced coordinates, compiled for the processor.
#define KERNEL_MOVERS 8
#define KERNEL_PATCHES 64
#define KERNEL_ITEMS 256
#define KERNEL_PAIRS 1
#include "gpu/kernel_reduced.h"

#include "gpu/host.h"

void pbdrStepKernel_reduced(const pbdrKernelPlan* plan, const double* spheres, double* values,
                            int substepCount)
{
    stepReduced(plan, spheres, values, substepCount);
}
