// Between the sources of the convex hull.
#ifndef PBDR_GEOMETRY_CONVEX_HULL_H
#define PBDR_GEOMETRY_CONVEX_HULL_H

#include "pbdr/geometry.h"

// Finds the facets of a hull whose triangles are there, with room for as many facets; neighbours[t][k] is the
// triangle across the side from corner k on. False without memory.
bool pbdrFindFacets(pbdrHull* hull, double tolerance, const int32_t (*neighbours)[3]);

#endif
