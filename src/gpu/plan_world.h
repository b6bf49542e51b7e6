// Plans of worlds (plan.c), and which kernel steps them (plan.h has what they are made of).
#ifndef PBDR_GPU_PLAN_WORLD_H
#define PBDR_GPU_PLAN_WORLD_H

#include "gpu/device.h"
#include "pbdr/world.h"

// What worlds like this one have in common. spheres has room for PBDR_KERNEL_SPHERES, four numbers each: offset and
// radius. What a kernel cannot do is refused by name (pbdr_statusNotSupported).
pbdrStatus pbdrMakeKernelPlan(const pbdrWorld* world, pbdrKernelPlan* plan, double* spheres,
                              pbdrError* error);
// A world's numbers, plan->slots of them. Contacts begin anew.
void pbdrFillKernelWorld(const pbdrWorld* world, const pbdrKernelPlan* plan, double* numbers);

#endif
