// Loops over contact items, in double, one table per instruction set. The twins give the same bits.
#ifndef PBDR_SOLVER_KERNELS_H
#define PBDR_SOLVER_KERNELS_H

#include "solver/xpbdr.h"

// A plane as one body sees it, and how the body moves.
typedef struct pbdrPlaneView {
    pbdrVec3 normal;     // world axes
    pbdrVec3 restNormal; // F^T n
    double height;       // n.c - d [m]
    double friction;
    pbdrVec3 drift; // u [m/s]
    pbdrMat3 rate;  // G [1/s]
    double timeStep, relaxation;
} pbdrPlaneView;

// sum m dx and sum m dx q^T over a patch.
typedef struct pbdrShove {
    double linear[3];
    double spread[3][3];
} pbdrShove;

typedef struct pbdrKernels {
    // PBD's contact law on items first .. first + count - 1 of a plane's patch: adds to their force columns
    // and to shove. Returns whether any touches.
    bool (*shovePatch)(const pbdrItems* items, int first, int count, const pbdrPlaneView* view,
                       pbdrShove* shove);

    // XPBD-R. `state` is 0 or 1: which of the two sets of columns g and p stand in.
    // A plane's items at y = 0: normals, levers, gaps ahead, T projected, g and p. velocity and lag (Y) are
    // A's.
    void (*preparePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* velocity,
                         const pbdrTwist* lag, int state);
    // g and p after a further step of A and B, from one state to the other, and the forces there.
    void (*stepPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* stepA,
                      const pbdrTwist* stepB, int from, int to, pbdrPatchForce* force);
    // sum J_left^T K J_right, K = -df/d(displacement of A - B) at a state; leverLeft and leverRight are
    // columns.
    void (*stiffenPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state, int leverLeft,
                         int leverRight, pbdrBlock6* block);
    // The same with K = 1 along what the fit wants gone: the normal where loaded, the plane where sticking.
    void (*holdPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state, int leverLeft,
                      int leverRight, pbdrBlock6* block);
    void (*measurePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lagA,
                         const pbdrTwist* lagB, int state, pbdrPatchRest* rest);
    // Multiplier update by the fit z: T = f_t, p = T - k (slip - J_t z). g stays, as Y and y change against
    // each other.
    void (*shiftPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* fitA,
                       const pbdrTwist* fitB, int state);
    // Writes force, friction and touched; end tells the rest.
    void (*finishPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lagA,
                        const pbdrTwist* lagB, int state, pbdrPatchEnd* end);
} pbdrKernels;

extern const pbdrKernels pbdrKernels_scalar;
extern const pbdrKernels pbdrKernels_avx2;

#endif
