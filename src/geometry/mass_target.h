// Between the sources that fit masses.
#ifndef PBDR_GEOMETRY_MASS_TARGET_H
#define PBDR_GEOMETRY_MASS_TARGET_H

#include "pbdr/geometry.h"

// Refuses an empty set, positions that are not finite, masses that are not above zero.
pbdrStatus pbdrCheckMassSet(const pbdrSphereSet* set, pbdrError* error);

// The solid's second moments, the integral of d d^T, from its inertia tr(second) 1 - second. Refuses what no
// solid has.
pbdrStatus pbdrFindSecondMoments(const pbdrMassProperties* target, pbdrMat3* second, pbdrError* error);

#endif
