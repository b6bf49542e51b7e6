// The kernels: one source (kernel.h), compiled for several sizes of worlds. A larger one would step a smaller world with
// the same bits, and slower.
#ifndef PBDR_GPU_KERNEL_KIND_H
#define PBDR_GPU_KERNEL_KIND_H

#include "gpu/plan.h"

typedef enum pbdrKernelKind {
    pbdr_kernelBody,    // a body on a plane
    pbdr_kernelPairs,   // a body, planes, and bodies that contact does not move
    pbdr_kernelTwo,     // two bodies
    pbdr_kernelEight,   // more
    pbdr_kernelReduced, // PBD-R, all sizes
    pbdr_kernelNone
} pbdrKernelKind;

static inline pbdrKernelKind pbdrChooseKernel(const pbdrKernelPlan* plan)
{
    if (plan->reduced) {
        return pbdr_kernelReduced;
    }
    if (plan->moverCount == 1 && plan->patchCount <= 1 && plan->itemCount <= 64 &&
        (plan->patchCount == 0 || plan->patches[0].plane >= 0)) {
        return pbdr_kernelBody;
    }
    return plan->moverCount == 1 && plan->patchCount <= 4   ? pbdr_kernelPairs
           : plan->moverCount == 2 && plan->patchCount <= 8 ? pbdr_kernelTwo
                                                            : pbdr_kernelEight;
}

// What the quick kernels have room for.
#define PBDR_QUICK_SPHERES 256
#define PBDR_QUICK_ITEMS 160

// Whether a quick kernel goes first: of a body on a plane, or on one and beside one other body.
static inline int pbdrHasQuickKernel(const pbdrKernelPlan* plan)
{
    const pbdrKernelKind kind = pbdrChooseKernel(plan);
    const int fits = plan->sphereCount <= PBDR_QUICK_SPHERES && plan->itemCount <= PBDR_QUICK_ITEMS;
    if (kind == pbdr_kernelBody) {
        return fits && plan->patchCount == 1;
    }
    return kind == pbdr_kernelPairs && fits && plan->patchCount == 2 && plan->patches[0].plane >= 0 &&
           plan->patches[1].plane < 0 && plan->bodies[plan->patches[1].bodyA].mover == 0;
}

#endif
