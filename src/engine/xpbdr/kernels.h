// Loops over contact items, in double, one table per instruction set. The twins give the same bits.
#ifndef PBDR_ENGINE_XPBDR_KERNELS_H
#define PBDR_ENGINE_XPBDR_KERNELS_H

#include "engine/xpbdr/xpbdr.h"

typedef struct pbdrKernels {
    // `state` is 0 or 1: which of the two sets of columns g and p stand in.
    // A plane's items at y = 0: normals, levers, gaps ahead, T projected, g and p. velocity and lag (the
    // multiplier Y) are A's.
    void (*preparePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* velocity,
                         const pbdrTwist* lag, int state);
    // g and p after a further step of A and B, from one state to the other, and the forces there.
    void (*stepPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* stepA,
                      const pbdrTwist* stepB, int from, int to, pbdrPatchForce* force);
    // sum J_left^T K J_right, K = -df/d(displacement of A - B) at a state; leverLeft and leverRight are
    // columns.
    void (*stiffenPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state, int leverLeft,
                         int leverRight, pbdrBlock6* block);
    // The same for the fit of a multiplier update: K projects onto the directions in which the fit is to
    // remove gap and slip. These are the normal of a loaded item, and the tangent plane of a sticking one.
    void (*holdPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state, int leverLeft,
                      int leverRight, pbdrBlock6* block);
    // Largest end gap and slip that are left, and the right-hand side of the fit.
    void (*measurePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lagA,
                         const pbdrTwist* lagB, int state, pbdrPatchRest* rest);
    // Multiplier update by the fit z: T = f_t, p = T - k (slip - J_t z). g stays, as Y and y change against
    // each other.
    void (*shiftPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* fitA,
                       const pbdrTwist* fitB, int state);
    // Writes the items' force, friction and touched; *end has what the movers need to know.
    void (*finishPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lagA,
                        const pbdrTwist* lagB, int state, pbdrPatchEnd* end);
} pbdrKernels;

extern const pbdrKernels pbdrKernels_scalar;
extern const pbdrKernels pbdrKernels_avx2;
extern const pbdrKernels pbdrKernels_neon;

#endif
