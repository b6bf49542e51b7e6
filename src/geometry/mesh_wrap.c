// Closed surfaces for meshes that have none: the convex hull, and the wrap.
//
// The wrap is the level set w = 1/2 of the generalised winding number (Jacobson et al. 2013) on a grid. At a
// facet w jumps, and a grid would see a staircase; in a hole w goes smoothly from 1 to 0. So the field is
//
//   f = clamp((w - 1/2) / 0.2) min(d / cell, 1)        clamp: to -1 .. 1;  d: distance from the mesh
//
// which is a distance with a sign wherever the surface is whole, so that its zero is at the facets to second
// order of the cell, and has its zero at w = 1/2 elsewhere. (Without the clamp the tree's error of a few
// hundredths in w would move thin walls.) Marching tetrahedra
// (sparse_grid.c) make of it a mesh that is closed whatever the field.
#include "pbdr/packing.h"

#include "base.h"
#include "geometry/mesh.h"
#include "geometry/sparse_grid.h"
#include "geometry/triangle_tree.h"
#include "math/vec.h"

#include <string.h>

// Nodes of the grid whose field is asked for, at most: a minute of work.
#define MAX_NODES 4.0e6

// Winding numbers this close to 1/2 are in a hole.
#define UNSURE 0.2

// Places along a facet from which the level set is looked for, in cells, and how far to each side.
#define START_STEP 1.0
#define START_SIDES 2

// Sides of facets are halved down to so many cells, as long as there are not too many facets.
#define FACET_CELLS 4.0
#define MAX_FACETS 1000000

typedef struct Wrap {
    pbdrTriangleTree tree;
    double cell; // [m]
} Wrap;

static double getField(const void* context, pbdrVec3 place)
{
    const Wrap* wrap = context;
    double winding = pbdrGetTreeWinding(&wrap->tree, place);
    double distance = pbdrFindNearest(&wrap->tree, place, wrap->cell).distance;
    double side = fmin(fmax((winding - 0.5) / UNSURE, -1.0), 1.0);
    return side * fmin(distance / wrap->cell, 1.0);
}

// The mesh's facets, long ones halved.
typedef struct Facets {
    pbdrTriangle* items;
    int count, capacity;
    double longest; // side that is left alone [m]
    const pbdrHooks* hooks;
    bool failed; // no memory
} Facets;

static void addFacet(Facets* facets, const pbdrTriangle* triangle)
{
    if (facets->count == facets->capacity) {
        int capacity = 2 * facets->capacity + 1024;
        pbdrTriangle* grown = pbdrAllocate(facets->hooks, (size_t)capacity, sizeof *grown);
        if (grown == NULL) {
            facets->failed = true;
            return;
        }
        if (facets->count > 0) {
            memcpy(grown, facets->items, (size_t)facets->count * sizeof *grown);
        }
        pbdrRelease(facets->hooks, facets->items, (size_t)facets->capacity, sizeof *grown);
        facets->items = grown;
        facets->capacity = capacity;
    }
    facets->items[facets->count++] = *triangle;
}

// Long needles are near to everything, and each would be summed for itself. The winding number of the halves
// is that of the whole. Recursion as deep as the logarithm of the longest side.
static void halveFacet(Facets* facets, const pbdrTriangle* triangle)
{
    const pbdrVec3* c = triangle->corners;
    int longest = 0;
    double squares[3];
    for (int k = 0; k < 3; k++) {
        pbdrVec3 side = pbdrSub(c[(k + 1) % 3], c[k]);
        squares[k] = pbdrDot(side, side);
        longest = squares[k] > squares[longest] ? k : longest;
    }
    if (facets->failed || !(squares[longest] > facets->longest * facets->longest) ||
        facets->count > MAX_FACETS) {
        addFacet(facets, triangle);
        return;
    }
    pbdrVec3 a = c[longest], b = c[(longest + 1) % 3], tip = c[(longest + 2) % 3];
    pbdrVec3 middle = pbdrScale(0.5, pbdrAdd(a, b));
    halveFacet(facets, &(pbdrTriangle){{a, middle, tip}});
    halveFacet(facets, &(pbdrTriangle){{middle, b, tip}});
}

static pbdrStatus plantTree(const pbdrMesh* mesh, double longest, const pbdrHooks* hooks,
                            pbdrTriangleTree* tree, pbdrError* error)
{
    Facets facets = {.longest = longest, .hooks = hooks};
    for (int t = 0; t < mesh->triangleCount; t++) {
        pbdrTriangle triangle;
        for (int k = 0; k < 3; k++) {
            triangle.corners[k] = mesh->vertices[mesh->triangles[t][k]];
        }
        pbdrVec3 area = pbdrGetAreaVector(&triangle);
        double square = pbdrDot(area, area);
        if (square > 0.0 && isfinite(square)) {
            halveFacet(&facets, &triangle);
        }
    }
    pbdrStatus status;
    if (facets.failed) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for %d facets", facets.count);
    } else if (facets.count == 0) {
        status = pbdrFail(error, pbdr_statusMeshBroken, "wrap: the mesh's %d triangles have no area",
                          mesh->triangleCount);
    } else {
        status = pbdrCreateTriangleTree(facets.items, facets.count, hooks, tree, error);
    }
    pbdrRelease(hooks, facets.items, (size_t)facets.capacity, sizeof *facets.items);
    return status;
}

// Follows the level set from a place on the mesh, if it passes there or a little to either side.
static void followFrom(pbdrSparseGrid* grid, pbdrVec3 place, pbdrVec3 normal)
{
    for (int k = 0; k <= 2 * START_SIDES; k++) {
        int side = k % 2 == 0 ? k / 2 : -(k + 1) / 2;
        pbdrGridPlace cell = pbdrGetGridCell(grid, pbdrAddScaled(place, side * grid->cellSize, normal));
        if (pbdrIsCellCrossed(grid, cell, 0.0)) {
            pbdrFollowLevelSet(grid, cell, 0.0);
            return;
        }
    }
}

// Starts all over a facet, a cell apart.
static void followFacet(pbdrSparseGrid* grid, const pbdrTriangle* facet)
{
    const pbdrVec3* c = facet->corners;
    pbdrVec3 ab = pbdrSub(c[1], c[0]), ac = pbdrSub(c[2], c[0]), area = pbdrGetAreaVector(facet);
    pbdrVec3 normal = pbdrScale(1.0 / pbdrLength(area), area);
    double longest = fmax(pbdrLength(ab), fmax(pbdrLength(ac), pbdrLength(pbdrSub(c[2], c[1]))));
    int n = (int)ceil(longest / (START_STEP * grid->cellSize)) + 1;
    for (int i = 0; i < n && grid->status == pbdr_statusOk; i++) {
        for (int j = 0; j < n - i && grid->status == pbdr_statusOk; j++) {
            double u = (i + 1.0 / 3.0) / n, v = (j + 1.0 / 3.0) / n;
            followFrom(grid, pbdrAddScaled(pbdrAddScaled(c[0], u, ab), v, ac), normal);
        }
    }
}

// The wrap on one grid. Refuses what encloses nothing.
static pbdrStatus wrapOnGrid(Wrap* wrap, pbdrVec3 lower, double cell, const pbdrHooks* hooks, pbdrMesh* mesh,
                             pbdrError* error)
{
    wrap->cell = cell;
    pbdrSparseGrid grid = {.cellSize = cell, .getField = getField, .context = wrap, .hooks = hooks};
    grid.nodeLimit = (size_t)MAX_NODES;
    // Away from symmetry: flat faces through nodes would sit on the level.
    grid.origin = pbdrAddScaled(lower, -cell, pbdrVec(0.4142, 0.7321, 0.2361));
    for (int t = 0; t < wrap->tree.triangleCount && grid.status == pbdr_statusOk; t++) {
        followFacet(&grid, &wrap->tree.triangles[t]);
    }
    pbdrStatus status = grid.status;
    if (status == pbdr_statusNoMemory) {
        pbdrFail(error, status, "no memory for a wrap of %d triangles so far", grid.triangleCount);
    } else if (status != pbdr_statusOk) {
        pbdrFail(error, status,
                 "wrap: the surface has more than %g nodes on a grid of %g m: take larger cells", MAX_NODES,
                 cell);
    } else if (grid.triangleCount == 0) {
        status = pbdrFail(error, pbdr_statusMeshBroken,
                          "wrap: the mesh winds round nothing that cells of %g m can see", cell);
    } else {
        status = pbdrCreateMesh(grid.vertices, grid.vertexCount, (const int32_t(*)[3])grid.triangles,
                                grid.triangleCount, hooks, mesh, NULL, error);
    }
    pbdrFreeSparseGrid(&grid);
    if (status == pbdr_statusOk && !(pbdrGetSignedVolume(mesh) > 0.0)) {
        pbdrMesh_Free(mesh);
        status = pbdrFail(error, pbdr_statusMeshBroken,
                          "wrap: the mesh winds round nothing that cells of %g m can see", cell);
    }
    return status;
}

pbdrStatus pbdrWrapMesh(const pbdrMesh* mesh, double cell, const pbdrHooks* hooks, pbdrMesh* wrapped,
                        double* volumeError, pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, mesh != NULL && wrapped != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh or wrapped: NULL");
    }
    memset(wrapped, 0, sizeof *wrapped);
    pbdrError own = {0};
    pbdrStatus status = pbdrMesh_Check(mesh, NULL, &own);
    if (status == pbdr_statusInvalidArgument || status == pbdr_statusNoMemory || mesh->triangleCount < 1) {
        return pbdrFail(error, status, "%s", own.message);
    }
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(mesh, &lower, &upper);
    pbdrVec3 extent = pbdrSub(upper, lower);
    double largest = fmax(extent.x, fmax(extent.y, extent.z));
    cell = cell == 0.0 ? largest / PBDR_WRAP_CELLS : cell;
    if (!isfinite(cell) || !(cell > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "wrap: a cell of %g m is not finite and above zero", cell);
    }
    // The level set passes about as many cells as the bounds' faces have, or a few times that.
    double nodes = 2.0 * (extent.x * extent.y + extent.y * extent.z + extent.z * extent.x) / (cell * cell);
    if (!(nodes <= MAX_NODES)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "wrap: cells of %g m make a grid of %.2g nodes, %g are the most", cell, nodes,
                        MAX_NODES);
    }
    Wrap wrap = {0};
    status = plantTree(mesh, FACET_CELLS * cell, hooks, &wrap.tree, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    status = wrapOnGrid(&wrap, lower, cell, hooks, wrapped, error);
    if (status == pbdr_statusOk && volumeError != NULL) {
        // What the finer grid changed is more than what is left, as the error falls with the cell. Nothing
        // seen by the coarse one is all of it.
        pbdrMesh coarse = {0};
        double volume = pbdrGetSignedVolume(wrapped);
        pbdrStatus seen = wrapOnGrid(&wrap, lower, 2.0 * cell, hooks, &coarse, &own);
        *volumeError = seen == pbdr_statusOk ? fabs(volume - pbdrGetSignedVolume(&coarse)) : volume;
        pbdrMesh_Free(&coarse);
        if (seen == pbdr_statusNoMemory) {
            pbdrMesh_Free(wrapped);
            status = pbdrFail(error, seen, "%s", own.message);
        }
    }
    pbdrFreeTriangleTree(&wrap.tree);
    return status;
}

pbdrStatus pbdrMakeHullMesh(const pbdrMesh* mesh, const pbdrHooks* hooks, pbdrMesh* hullMesh,
                            pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, mesh != NULL && hullMesh != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh or hull: NULL");
    }
    memset(hullMesh, 0, sizeof *hullMesh);
    pbdrHull hull = {0};
    pbdrStatus status = pbdrCreateHull(mesh->vertices, mesh->vertexCount, 0.0, hooks, &hull, error);
    if (status == pbdr_statusOk) {
        status = pbdrCreateMesh(hull.vertices, hull.vertexCount, (const int32_t(*)[3])hull.triangles,
                                hull.triangleCount, hooks, hullMesh, NULL, error);
    }
    pbdrHull_Free(&hull);
    return status;
}
