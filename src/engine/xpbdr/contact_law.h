// XPBD-R's contact solve: compliant contacts with a multiplier update, semi-smooth Newton, six unknowns per
// body. docs/theory/xpbdr.md has the derivation; symbols are the same.
//
// The unknown is y = dt (V+ - V) per body. For an item with normal n, levers r and relative velocity v:
//
//   J y = y_u + y_w x r                   (A's minus B's)
//   g = gap + dt n.v + J_n (Y + y),       F = max(0, -k w g)
//   p = T - k w (dt v_t + J_t y),         f_t = c p,  c = min(1, mu F/|p|)
//   R = f_ext + sum J^T (F n + f_t) - (M/dt^2) y = 0
//
// T (per item) and Y (per patch: `lag` in the code; k Y is the patch's `load`) are the multipliers: at the end
// of a substep T is the friction force and -k w J_n Y the normal force, so that gap and slip are zero at any
// stiffness k. Y is a rigid displacement of the two bodies relative to each other, so normal forces of a patch
// are always those of springs in proportion to the area w that a contact stands for (spheres: 1): the pressure
// under a flat base is affine.
#ifndef PBDR_ENGINE_XPBDR_CONTACT_LAW_H
#define PBDR_ENGINE_XPBDR_CONTACT_LAW_H

#include "math/vec.h"

// A rigid displacement or its dual: linear, then angular.
typedef struct pbdrTwist {
    double v[6];
} pbdrTwist;

static inline pbdrVec3 pbdrGetLinear(const pbdrTwist* a)
{
    return pbdrVec(a->v[0], a->v[1], a->v[2]);
}

static inline pbdrVec3 pbdrGetAngular(const pbdrTwist* a)
{
    return pbdrVec(a->v[3], a->v[4], a->v[5]);
}

static inline pbdrTwist pbdrMakeTwist(pbdrVec3 linear, pbdrVec3 angular)
{
    return (pbdrTwist){{linear.x, linear.y, linear.z, angular.x, angular.y, angular.z}};
}

// No motion.
static const pbdrTwist pbdrStill = {{0.0}};

static inline pbdrTwist pbdrScaleTwist(double s, const pbdrTwist* a)
{
    pbdrTwist b;
    for (int k = 0; k < 6; k++) {
        b.v[k] = s * a->v[k];
    }
    return b;
}

static inline void pbdrAddTwist(pbdrTwist* a, double s, const pbdrTwist* b)
{
    for (int k = 0; k < 6; k++) {
        a->v[k] += s * b->v[k];
    }
}

// A's motion less B's, as A's centre of mass sees it: J_A (a - X b) = J_A a - J_B b at every point, where between is
// A's centre less B's.
static inline pbdrTwist pbdrSubtractTwist(const pbdrTwist* a, const pbdrTwist* b, pbdrVec3 between)
{
    pbdrVec3 turn = pbdrGetAngular(b), carried = pbdrAdd(pbdrGetLinear(b), pbdrCross(turn, between));
    return pbdrMakeTwist(pbdrSub(pbdrGetLinear(a), carried), pbdrSub(pbdrGetAngular(a), turn));
}

// How a patch stands in a substep: what its items have in common.
typedef struct pbdrPatchLaw {
    int first, count;
    double k;    // stiffness [N/m]
    double near; // contacts as near as this count as loaded in the Jacobian [m]
    double mu;
    double restitution;
    // Planes only: prepareItems
    pbdrVec3 normal, restNormal;
    double height; // n.c - d [m]
    pbdrMat3 turn; // R of A
    double timeStep;
} pbdrPatchLaw;

// Sums of an evaluation over a patch.
typedef struct pbdrPatchForce {
    double force[3];  // on A [N]
    double moment[3]; // about A's centre of mass [N m]
    double size;      // sum |f| [N]
} pbdrPatchForce;

// What is left of gaps and slips at the end of a substep.
typedef struct pbdrPatchRest {
    double gap;  // largest |end gap| of a loaded item [m]
    double slip; // largest slip of a sticking item [m]
} pbdrPatchRest;

// How a patch ends a substep.
typedef struct pbdrPatchEnd {
    double gap, slip; // as above
    bool loaded;      // any item is
    // How deep the mean of old and new velocity would drive an item in, of those that did not touch before
    // and of those that did: lowest gaps [m]
    double fresh, old;
    double opened; // and how far it would leave one open that touched before: largest gap [m]
} pbdrPatchEnd;

// 6x6, row-major: [linear, angular] x [linear, angular].
typedef struct pbdrBlock6 {
    double m[6][6];
} pbdrBlock6;

#endif
