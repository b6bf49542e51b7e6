// The reduced engine: PBD and PBD-R from 24 numbers per body (reduced.c has the equations).
#ifndef PBDR_ENGINE_REDUCED_REDUCED_H
#define PBDR_ENGINE_REDUCED_REDUCED_H

#include "contact/candidates.h"

// What the engine keeps of a body.
typedef struct pbdrReducedBody {
    pbdrMat3 rate;      // G: v = velocity + rate q [1/s]
    pbdrVec3 extraSpin; // engine/extra_inertia.h [kg m^2/s]
    // Within a substep
    pbdrVec3 spinBefore; // L before shape matching [kg m^2/s]
    pbdrVec3 turn;       // momentum constraint: change of angular velocity [rad/s]
    pbdrVec3 shoved;     // D = sum m dx of this iteration's contacts [kg m]
    pbdrMat3 sheared;    // B = sum m dx q^T [kg m^2]
} pbdrReducedBody;

typedef struct pbdrReducedWorld {
    pbdrScene* scene;
    const struct pbdrReducedKernels* kernels;
    pbdrList bodies; // pbdrReducedBody
    pbdrCandidates candidates;
} pbdrReducedWorld;

static inline pbdrReducedBody* pbdrGetReducedBody(const pbdrReducedWorld* world, int index)
{
    return (pbdrReducedBody*)world->bodies.items + index;
}

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

// Loops over contact items, one table per instruction set. The twins give the same bits.
typedef struct pbdrReducedKernels {
    // PBD's contact law on items first .. first + count - 1 of a plane's patch: adds to their force columns
    // and to shove. Returns whether any touches.
    bool (*shovePatch)(const pbdrItems* items, int first, int count, const pbdrPlaneView* view,
                       pbdrShove* shove);
} pbdrReducedKernels;

extern const pbdrReducedKernels pbdrReducedKernels_scalar;
extern const pbdrReducedKernels pbdrReducedKernels_avx2;
extern const pbdrReducedKernels pbdrReducedKernels_neon;

// --- The stages (reduced.c), in their order ---

void pbdrIntegrateReduced(pbdrReducedWorld* world);
void pbdrCollidePlanesReduced(pbdrReducedWorld* world);
void pbdrCollideSpheresReduced(pbdrReducedWorld* world);
void pbdrMatchShapesReduced(pbdrReducedWorld* world);
void pbdrRestoreMomentumReduced(pbdrReducedWorld* world);
void pbdrFollowMomentumReduced(pbdrReducedWorld* world);

// L of a body's point masses about its centre of mass, and their inertia now.
pbdrVec3 pbdrGetReducedSpin(const pbdrReducedWorld* world, int index);
pbdrMat3 pbdrGetReducedInertia(const pbdrBody* body);

#endif
