// Distance to a union of spheres.
#ifndef PBDR_GEOMETRY_UNION_DISTANCE_H
#define PBDR_GEOMETRY_UNION_DISTANCE_H

#include "pbdr/geometry.h"

typedef struct pbdrUnionNode {
    pbdrVec3 lower, upper; // of the centres [m]
    double radius;         // the largest [m]
    int32_t first, count;
    int32_t right; // its left child is the next node; 0: a leaf
} pbdrUnionNode;

typedef struct pbdrUnionSphere {
    pbdrVec3 centre; // [m]
    double radius;   // [m]
} pbdrUnionSphere;

typedef struct pbdrUnion {
    int count;
    pbdrUnionSphere* spheres;
    pbdrUnionNode* nodes; // count of them are enough; the root first
    pbdrHooks hooks;
} pbdrUnion;

// Of a set with at least one sphere. On failure the union is empty.
pbdrStatus pbdrCreateUnion(const pbdrSphereSet* set, const pbdrHooks* hooks, pbdrUnion* spheres,
                           pbdrError* error);
void pbdrFreeUnion(pbdrUnion* spheres);

// min over the spheres of |p - c| - r: outside the distance to the union, inside minus the depth in the
// deepest sphere, which is at most the distance to the union's surface.
double pbdrGetUnionDistance(const pbdrUnion* spheres, pbdrVec3 point);

#endif
