// A world's hash: 64 bits of all that its bodies, planes and contacts are, the same on host and device. What a launch
// counts (WORLD_...) and shows (forces of items, wrenches) is no part of it.
#ifndef PBDR_GPU_KERNEL_HASH_H
#define PBDR_GPU_KERNEL_HASH_H

#include "gpu/kernel_math.h"
#include "gpu/plan.h"

// FNV's step on whole words, with a shift that brings high bits down.
FN uint64_t hashWorld(const pbdrKernelPlan* plan, const double* values)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int s = plan->firstBody; s < plan->firstForce; s++) {
        hash = (hash ^ getBits(values[s * PBDR_KERNEL_LANES])) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

#endif
