// The contact law of PBD and PBD-R, and how friction coefficients mix: once, for all engines.
#ifndef PBDR_CONTACT_FRICTION_H
#define PBDR_CONTACT_FRICTION_H

#include "scene/scene.h"

static inline double pbdrMixFriction(pbdrFrictionMixing mixing, double a, double b)
{
    switch (mixing) {
    case pbdr_mixGeometricMean:
        return a == b ? a : sqrt(a * b);
    case pbdr_mixMinimum:
        return fmin(a, b);
    case pbdr_mixMaximum:
        return fmax(a, b);
    case pbdr_mixAverage:
        return 0.5 * (a + b);
    }
    return 0.0;
}

// How two spheres overlap.
typedef struct pbdrOverlap {
    double depth;    // e = |x_i - x_j| - r_i - r_j: contact where it is not above zero [m]
    pbdrVec3 normal; // n = (x_i - x_j)/|x_i - x_j|, towards i
} pbdrOverlap;

static inline pbdrOverlap pbdrGetOverlap(pbdrVec3 apart, double radiusA, double radiusB)
{
    double distance = pbdrLength(apart);
    // spheres at the same place have no normal: part them upwards
    pbdrVec3 n = distance > 0.0 ? pbdrScale(1.0 / distance, apart) : pbdrVec(0.0, 0.0, 1.0);
    return (pbdrOverlap){distance - radiusA - radiusB, n};
}

// The correction of an overlap e <= 0 along n and of the relative velocity's slip v_t, before it is relaxed
// and shared out:
//
//   dx = -e n + max(mu e, -|v_t| dt) v_t/|v_t|
static inline pbdrVec3 pbdrGetCorrection(const pbdrOverlap* overlap, pbdrVec3 relative, double mu, double dt)
{
    pbdrVec3 n = overlap->normal;
    pbdrVec3 slip = pbdrAddScaled(relative, -pbdrDot(relative, n), n);
    double speed = pbdrLength(slip);
    pbdrVec3 dx = pbdrScale(-overlap->depth, n);
    if (speed > 0.0) {
        dx = pbdrAddScaled(dx, fmax(mu * overlap->depth, -speed * dt) / speed, slip);
    }
    return dx;
}

#endif
