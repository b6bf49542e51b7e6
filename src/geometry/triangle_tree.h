// A tree of boxes over the triangles of a surface: the nearest point, and the winding number without summing
// over every triangle.
#ifndef PBDR_GEOMETRY_TRIANGLE_TREE_H
#define PBDR_GEOMETRY_TRIANGLE_TREE_H

#include "pbdr/geometry.h"

typedef struct pbdrTriangle {
    pbdrVec3 corners[3]; // counter-clockwise seen from outside [m]
} pbdrTriangle;

typedef struct pbdrTriangleNode {
    pbdrVec3 lower, upper; // bounds [m]
    pbdrVec3 centre;       // of area [m]
    pbdrVec3 area;         // sum of the triangles' area vectors [m^2]
    double radius;         // no corner is farther from the centre [m]
    int32_t first, count;  // triangles
    int32_t right;         // its left child is the next node; 0: a leaf
} pbdrTriangleNode;

typedef struct pbdrTriangleTree {
    int triangleCount;
    pbdrTriangle* triangles; // in the tree's order
    int nodeCapacity;
    pbdrTriangleNode* nodes; // the root first
    pbdrHooks hooks;
} pbdrTriangleTree;

// Where the surface is nearest.
typedef struct pbdrSurfacePoint {
    pbdrVec3 point;   // [m]
    double distance;  // [m]
    int32_t triangle; // of the tree; -1: none
} pbdrSurfacePoint;

// Copies count >= 1 triangles. On failure the tree is empty.
pbdrStatus pbdrCreateTriangleTree(const pbdrTriangle* triangles, int count, const pbdrHooks* hooks,
                                  pbdrTriangleTree* tree, pbdrError* error);
void pbdrFreeTriangleTree(pbdrTriangleTree* tree);

// The surface's nearest point that is closer than `within` [m] (may be INFINITY); the first found of several.
pbdrSurfacePoint pbdrFindNearest(const pbdrTriangleTree* tree, pbdrVec3 point, double within);

// Calls visit for every triangle of which a point may be within the distance, as long as it returns true.
typedef bool pbdrVisitTriangle(void* context, const pbdrTriangle* triangle);
void pbdrVisitNear(const pbdrTriangleTree* tree, pbdrVec3 point, double within, pbdrVisitTriangle* visit,
                   void* context);

// The same for every triangle whose own box meets the box between two corners.
void pbdrVisitBox(const pbdrTriangleTree* tree, pbdrVec3 lower, pbdrVec3 upper, pbdrVisitTriangle* visit,
                  void* context);

// The winding number of the surface about a point, to a few hundredths: enough to tell the whole numbers of a
// closed surface apart.
double pbdrGetTreeWinding(const pbdrTriangleTree* tree, pbdrVec3 point);

// The point of a triangle nearest to a point.
pbdrVec3 pbdrGetNearestOnTriangle(const pbdrTriangle* triangle, pbdrVec3 point);

// Half the cross product of two sides: the normal times the area [m^2].
pbdrVec3 pbdrGetAreaVector(const pbdrTriangle* triangle);

#endif
