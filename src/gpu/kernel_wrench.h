// What contacts do to the bodies of one world: summed when it is asked for, from the forces that the last substep of a launch
// has left (forceSlot), with the lever arms that the end of that substep has. That is what pbdrBody_GetContactWrench does
// about the body's centre of mass (world/contact.c, contact/contact_list.c).
#ifndef PBDR_GPU_KERNEL_WRENCH_H
#define PBDR_GPU_KERNEL_WRENCH_H

#include "gpu/plan.h"

// Worlds of any size.
#define KERNEL_MOVERS PBDR_KERNEL_MOVERS
#define KERNEL_PATCHES PBDR_KERNEL_PATCHES
#define KERNEL_ITEMS PBDR_KERNEL_ITEMS
#define KERNEL_PAIRS 1
#include "gpu/kernel_search.h"

FN int wrenchSlot(const pbdrKernelPlan* plan, int body)
{
    return plan->firstWrench + body * WRENCH_SLOTS;
}

// From a body's centre of mass to a sphere's centre.
FN Vec getArm(const pbdrKernelPlan* plan, const double* values, const double* spheres, int body, int sphere)
{
    const int s = bodySlot(plan, body);
    const int held = plan->reduced && AT(s + BODY_HAS_INVERSE) != 0.0; // F stands there
    const Mat frame =
        held ? readMat(values, s + REDUCED_FRAME) : matFromQuat(readQuat(values, s + BODY_ROTATION));
    return mulMV(&frame, readSphere(spheres, plan->bodies[body].firstSphere + sphere));
}

FN void addMoment(double* values, int wrench, Vec lever, Vec force)
{
    const int s = wrench + WRENCH_MOMENT;
    writeVec(values, s, add(readVec(values, s), cross(lever, force)));
}

FN void addPatchMoments(const pbdrKernelPlan* plan, const double* spheres, double* values, int index)
{
    const pbdrKernelPatch* of = &plan->patches[index];
    const int s = patchSlot(plan, index), first = (int)AT(s + PATCH_FIRST), count = (int)AT(s + PATCH_COUNT);
    for (int i = first; i < first + count; i++) {
        const int key = readKey(values, itemSlot(plan, i) + ITEM_KEY) & ~TOUCHED, sphere = key / KEY_STEP;
        const double radius = spheres[4 * (plan->bodies[of->bodyA].firstSphere + sphere) + 3];
        const Vec arm = getArm(plan, values, spheres, of->bodyA, sphere);
        Vec force = readVec(values, forceSlot(plan, i)), normal, other = arm;
        if (of->plane >= 0) {
            const Mat axes = readM(plan->planes[of->plane].frame);
            normal = axes.r[2];
            force = plan->reduced ? force : mulTMV(&axes, force);
        } else {
            const Vec between = sub(readVec(values, bodySlot(plan, of->bodyA) + BODY_CENTRE),
                                    readVec(values, bodySlot(plan, of->bodyB) + BODY_CENTRE));
            const Vec armB = getArm(plan, values, spheres, of->bodyB, key % KEY_STEP),
                      apart = add(between, sub(arm, armB));
            const double distance = length(apart);
            normal = distance > 0.0 ? scale(1.0 / distance, apart) : vec(0.0, 0.0, 1.0);
            other = plan->reduced ? armB : addScaled(add(between, arm), -radius, normal);
        }
        // XPBD-R's forces act on the surface of A's sphere, PBD-R's at the centres of both
        const Vec lever = plan->reduced ? arm : addScaled(arm, -radius, normal);
        addMoment(values, wrenchSlot(plan, of->bodyA), lever, force);
        if (of->bodyB >= 0) {
            addMoment(values, wrenchSlot(plan, of->bodyB), other, scale(-1.0, force));
        }
    }
}

// Of all bodies.
FN void sumWrenches(const pbdrKernelPlan* plan, const double* spheres, double* values)
{
    for (int b = 0; b < plan->bodyCount; b++) {
        const int s = wrenchSlot(plan, b);
        writeVec(values, s + WRENCH_FORCE, readVec(values, bodySlot(plan, b) + BODY_PULL));
        writeVec(values, s + WRENCH_MOMENT, vec(0.0, 0.0, 0.0));
    }
    for (int p = 0; p < plan->patchCount; p++) {
        addPatchMoments(plan, spheres, values, p);
    }
}

#endif
