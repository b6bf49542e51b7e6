// Rays and nearest points against one shape, in its rest frame: what world/query.c asks of every body. bySurface:
// the true surface, of shapes that have one; else the spheres, through their tree.
#ifndef PBDR_SHAPE_QUERY_H
#define PBDR_SHAPE_QUERY_H

#include "shape/shape.h"

typedef struct pbdrShapeHit {
    pbdrVec3 point;   // on the surface, from the centre of mass [m]
    pbdrVec3 normal;  // unit, out of the surface
    double distance;  // along the ray, or of the point from the surface: below zero inside [m]
    int32_t particle; // the sphere, in the order of the definition; -1: the true surface
} pbdrShapeHit;

// The first hit of a ray with distance <= farthest; direction: unit. A ray that starts inside hits at 0, the
// normal against its direction. False, and *hit untouched, where there is none.
bool pbdrShape_CastRay(const pbdrShape* shape, bool bySurface, pbdrVec3 origin, pbdrVec3 direction,
                       double farthest, pbdrShapeHit* hit);

// The nearest point of the surface with distance <= farthest. False, and *hit untouched, where there is none.
bool pbdrShape_FindNearest(const pbdrShape* shape, bool bySurface, pbdrVec3 point, double farthest,
                           pbdrShapeHit* hit);

#endif
