// What all packings share: checking the arguments, and making a set of equal spheres.
#ifndef PBDR_GEOMETRY_SPHERE_SET_H
#define PBDR_GEOMETRY_SPHERE_SET_H

#include "pbdr/geometry.h"

// Empties the set, then refuses a radius or mass that is not finite and above zero.
pbdrStatus pbdrBeginPacking(double radius, double mass, const pbdrHooks* hooks, pbdrSphereSet* set,
                            pbdrError* error);

// Refuses grids of more than PBDR_MAX_SPHERES points and grids wider than a double can say. The counts are
// doubles, so that no product overflows.
pbdrStatus pbdrCheckGrid(double nx, double ny, double nz, double radius, pbdrError* error);

// Fills an empty set with count >= 1 spheres of the given radius and of mass/count each; the positions are
// left to the caller.
pbdrStatus pbdrAllocateSpheres(int count, double radius, double mass, const pbdrHooks* hooks,
                               pbdrSphereSet* set, pbdrError* error);

#endif
