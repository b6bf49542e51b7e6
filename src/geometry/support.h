// Support polygons: convex hulls in the horizontal plane. z is carried along and never looked at.
#ifndef PBDR_GEOMETRY_SUPPORT_H
#define PBDR_GEOMETRY_SUPPORT_H

#include "pbdr/geometry.h"

// The corners of the points' convex hull, counter-clockwise from above; none lies on a line between its
// neighbours. Sorts the points; hull has room for count + 1. Returns how many there are.
int pbdrFindHull(pbdrVec3* points, int count, pbdrVec3* hull);

double pbdrGetHullArea(const pbdrVec3* hull, int count);

// Distance of a point inside from the nearest edge; below 0 outside, and for hulls without an area.
double pbdrGetHullMargin(const pbdrVec3* hull, int count, pbdrVec3 point);

// Distance from a point inside to the edge along a direction; 0 outside, for hulls without an area and for a
// direction of no length.
double pbdrGetHullReach(const pbdrVec3* hull, int count, pbdrVec3 point, pbdrVec3 direction);

#endif
