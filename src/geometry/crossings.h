// Where a line along an axis meets a surface, and on which side of it: the winding number of a closed surface
// as a count, without a single angle.
#ifndef PBDR_GEOMETRY_CROSSINGS_H
#define PBDR_GEOMETRY_CROSSINGS_H

#include "geometry/triangle_tree.h"

typedef struct pbdrCrossing {
    double height;     // along the axis [m]
    int32_t direction; // +1 on the way out of the surface, -1 on the way in
} pbdrCrossing;

// Counts the facets of a closed surface that the half line from a point towards larger coordinates of an axis
// (0, 1, 2) meets, with their directions: the winding number about the point. False: rounding cannot tell,
// as the line passes by an edge or the point lies on the surface. steps (may be NULL) is raised by the nodes
// and facets that were looked at.
bool pbdrCountCrossings(const pbdrTriangleTree* tree, pbdrVec3 point, int axis, int* count, uint64_t* steps);

// All crossings of the whole line through a point along an axis, in the order of their heights; room for the
// tree's triangleCount. Returns how many, or -1 where rounding cannot tell.
int pbdrFindCrossings(const pbdrTriangleTree* tree, pbdrVec3 point, int axis, pbdrCrossing* crossings,
                      uint64_t* steps);

// The winding number about a point of a closed surface: counted along the first of the axes firstAxis and on
// that can tell, by angles if none can. On the surface itself it may be either side's.
int pbdrGetClosedWinding(const pbdrTriangleTree* tree, pbdrVec3 point, int firstAxis, uint64_t* steps);

#endif
