// Between the sources that mend a mesh.
#ifndef PBDR_GEOMETRY_MESH_REPAIR_H
#define PBDR_GEOMETRY_MESH_REPAIR_H

#include "pbdr/geometry.h"

// A mesh under repair: room for what filling its holes adds.
typedef struct pbdrSoup {
    int vertexCount, vertexCapacity;
    pbdrVec3* vertices;
    int triangleCount, triangleCapacity;
    int32_t (*triangles)[3];
    pbdrHooks hooks;
} pbdrSoup;

// One side of a triangle.
typedef struct pbdrSide {
    int32_t low, high; // vertices, low < high
    int32_t direction; // +1 from low to high, -1 back
    int32_t triangle;
} pbdrSide;

void pbdrFreeSoup(pbdrSoup* soup);

// The soup's sides by (low, high, triangle): 3 triangleCount of them, to be released by the caller. NULL
// without memory.
pbdrSide* pbdrSortSides(const pbdrSoup* soup);

// How many of the sorted sides from `first` on share its edge.
size_t pbdrCountSides(const pbdrSide* sides, size_t first, size_t count);

// Of facets on the same corners the first of the majority's direction stays. Without a majority the first is
// put behind those that stay, triangleCount on: *balanced of them.
pbdrStatus pbdrDropDoubles(pbdrSoup* soup, int* balanced, pbdrError* error);

// Takes back those of the balanced facets behind triangleCount that an edge of the others misses, until none
// is missed.
pbdrStatus pbdrReturnBalanced(pbdrSoup* soup, int balanced, pbdrError* error);

// Turns facets and patches to face outwards. Adds to the report's turnedTriangles. Refuses surfaces with one
// side only.
pbdrStatus pbdrOrientFacets(pbdrSoup* soup, pbdrMeshRepair* report, pbdrError* error);

// Closes every rim by triangles between its own vertices, or about its middle if it is long. Adds to the
// report's filledHoles, addedTriangles and volumeError. Refuses rims whose loops take more than a bounded
// number of steps to find.
pbdrStatus pbdrFillHoles(pbdrSoup* soup, pbdrMeshRepair* report, pbdrError* error);

#endif
