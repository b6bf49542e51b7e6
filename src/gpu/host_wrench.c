// Wrenches of a world's bodies, compiled for the processor.
#include "gpu/kernel_wrench.h"

#include "gpu/host.h"

void pbdrSumWrenches(const pbdrKernelPlan* plan, const double* spheres, double* values)
{
    sumWrenches(plan, spheres, values);
}
