// Between the sources of mesh surfaces: triangles with their neighbours, in the order of the tree.
#ifndef PBDR_SHAPE_SURFACE_MESH_H
#define PBDR_SHAPE_SURFACE_MESH_H

#include "geometry/triangle_tree.h"
#include "math/vec.h"
#include "shape/surface_kinds.h"

// A triangle and what is around it. Side k goes from corner k to corner (k + 1) % 3.
typedef struct pbdrFacet {
    pbdrVec3 normal;      // unit; any for a facet without area
    int32_t corners[3];   // vertices
    int32_t across[3];    // facet beyond side k; -1: none (a rim, or three facets meet)
    uint8_t convex[3];    // side k: the solid's angle is below 180 degrees, or flat
    uint8_t convexEnd[3]; // corner k: all sides there are convex, none is a rim
    int32_t patch;        // facets of one plane that hang together have one number
} pbdrFacet;

struct pbdrSurfaceMesh {
    pbdrMeshSides sides;
    double thickness;      // deeper points are free [m]
    double extent;         // diagonal of the bounds [m]
    pbdrTriangleTree tree; // facet i is its triangle i
    pbdrFacet* facets;
    int vertexCount;
    pbdrVec3* vertices;
    pbdrVec3* vertexNormals; // pseudo-normals: sums of facet normals weighted by their angles there
    int32_t* firsts;         // vertexCount + 1: around vertex v are facets around[firsts[v]] ...
    int32_t* around;         // 3 per facet
};

// Fills the probes of a mesh surface: vertices, long edges, large facets.
pbdrStatus pbdrMakeMeshProbes(pbdrSurface* surface, double spacing, int maxProbes, pbdrError* error);

#endif
