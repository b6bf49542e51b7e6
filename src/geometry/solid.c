// The solid that a mesh means. A mended surface (mesh_repair.c) has a whole winding number w everywhere off
// it; the solid is where w >= 1. A facet is part of its boundary where w is 0 just outside: with w_out = 1 it
// is a sheet that lies inside another part (two parts that overlap), with w_out = -1 it is a fold turned
// inside out. Where a facet is only partly on the boundary it is cut into smaller ones.
#include "geometry/solid.h"

#include "base.h"
#include "geometry/mesh.h"
#include "math/random.h"
#include "math/vec.h"

#include <string.h>

// "Just outside", as a share of the bounds' diagonal: far above rounding, far below any wall.
#define OUTSIDE_STEP 1.0e-6

// A share of the area that lies inside and still counts as none: needles, whose normal is rounding.
#define OVERLAP_SHARE 1.0e-4

// Where parts overlap, facets are cut down to this share of the diagonal to find out where, and those that
// are partly inside down to the second.
#define COARSE_CUT (1.0 / 16.0)
#define FINE_CUT (1.0 / 512.0)

// Points at which a surface is looked at for overlaps, at least.
#define OVERLAP_POINTS 4096

const pbdrTriangleTree* pbdrGetSkin(const pbdrSolid* solid)
{
    return solid->overlaps ? &solid->skin : &solid->whole;
}

bool pbdrIsInside(const pbdrSolid* solid, pbdrVec3 point)
{
    return pbdrGetTreeWinding(&solid->whole, point) > 0.5;
}

bool pbdrIsOnSkin(const pbdrSolid* solid, pbdrVec3 point, pbdrVec3 normal)
{
    pbdrVec3 outside = pbdrAddScaled(point, OUTSIDE_STEP * solid->size, normal);
    return fabs(pbdrGetTreeWinding(&solid->whole, outside)) < 0.5;
}

static pbdrVec3 blend(const pbdrTriangle* triangle, double u, double v)
{
    const pbdrVec3* c = triangle->corners;
    return pbdrAddScaled(pbdrAddScaled(pbdrScale(1.0 - u - v, c[0]), u, c[1]), v, c[2]);
}

static pbdrVec3 getUnitNormal(const pbdrTriangle* triangle)
{
    pbdrVec3 area = pbdrGetAreaVector(triangle);
    return pbdrScale(1.0 / pbdrLength(area), area);
}

pbdrSkinSample pbdrSampleSkin(const pbdrSolid* solid, double share, uint64_t* random)
{
    const pbdrTriangleTree* skin = pbdrGetSkin(solid);
    double target = share * solid->skinArea;
    int first = 0, last = skin->triangleCount - 1;
    while (first < last) {
        int middle = first + (last - first) / 2;
        if (solid->cumulated[middle] < target) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    // Uniform over the triangle: by folding the unit square over.
    double u = pbdrNextUniform(random), v = pbdrNextUniform(random);
    if (u + v > 1.0) {
        u = 1.0 - u;
        v = 1.0 - v;
    }
    const pbdrTriangle* triangle = &skin->triangles[first];
    return (pbdrSkinSample){blend(triangle, u, v), getUnitNormal(triangle)};
}

// --- The trees ---

// Triangles without an area have no normal, and add nothing.
static pbdrStatus plantWhole(pbdrSolid* solid, const pbdrHooks* hooks, pbdrError* error)
{
    const pbdrMesh* mesh = &solid->mesh;
    size_t count = (size_t)mesh->triangleCount;
    pbdrTriangle* triangles = pbdrAllocate(hooks, count, sizeof *triangles);
    if (triangles == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %zu triangles", count);
    }
    int kept = 0;
    for (size_t t = 0; t < count; t++) {
        for (int k = 0; k < 3; k++) {
            triangles[kept].corners[k] = mesh->vertices[mesh->triangles[t][k]];
        }
        pbdrVec3 area = pbdrGetAreaVector(&triangles[kept]);
        double square = pbdrDot(area, area);
        kept += square > 0.0 && isfinite(square);
    }
    pbdrStatus status = kept > 0 ? pbdrCreateTriangleTree(triangles, kept, hooks, &solid->whole, error)
                                 : pbdrFail(error, pbdr_statusMeshBroken,
                                            "mesh: flat, its %zu triangles have no area", count);
    pbdrRelease(hooks, triangles, count, sizeof *triangles);
    return status;
}

// Looks at each facet in one or more places, in the middles of its n^2 equal parts.
static bool findOverlap(const pbdrSolid* solid)
{
    const pbdrTriangleTree* tree = &solid->whole;
    int n = (int)ceil(sqrt((double)OVERLAP_POINTS / tree->triangleCount));
    double inside = 0.0, all = 0.0;
    for (int t = 0; t < tree->triangleCount; t++) {
        const pbdrTriangle* triangle = &tree->triangles[t];
        double area = pbdrLength(pbdrGetAreaVector(triangle));
        pbdrVec3 normal = getUnitNormal(triangle);
        all += area;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < 2 * (n - i) - 1; j++) {
                double third = j % 2 == 0 ? 1.0 / 3.0 : 2.0 / 3.0; // an upright part, or one upside down
                pbdrVec3 p = blend(triangle, (i + third) / n, (j / 2 + third) / n);
                inside += pbdrIsOnSkin(solid, p, normal) ? 0.0 : area / (n * n);
            }
        }
    }
    return inside > OVERLAP_SHARE * all;
}

// Facets cut from others.
typedef struct Pieces {
    const pbdrSolid* solid;
    pbdrTriangle* triangles;
    int count, capacity;
    bool full; // no memory
} Pieces;

static void addPiece(Pieces* pieces, const pbdrTriangle* triangle)
{
    const pbdrHooks* hooks = &pieces->solid->whole.hooks;
    if (pieces->count == pieces->capacity) {
        int capacity = pieces->capacity < INT32_MAX / 2 ? 2 * pieces->capacity + 256 : 0;
        pbdrTriangle* grown =
            capacity > 0 ? pbdrAllocate(hooks, (size_t)capacity, sizeof *pieces->triangles) : NULL;
        if (grown == NULL) {
            pieces->full = true;
            return;
        }
        if (pieces->count > 0) {
            memcpy(grown, pieces->triangles, (size_t)pieces->count * sizeof *grown);
        }
        pbdrRelease(hooks, pieces->triangles, (size_t)pieces->capacity, sizeof *grown);
        pieces->triangles = grown;
        pieces->capacity = capacity;
    }
    pieces->triangles[pieces->count++] = *triangle;
}

static double getLongestSide(const pbdrTriangle* triangle)
{
    const pbdrVec3* c = triangle->corners;
    return fmax(pbdrLength(pbdrSub(c[1], c[0])),
                fmax(pbdrLength(pbdrSub(c[2], c[1])), pbdrLength(pbdrSub(c[0], c[2]))));
}

// Keeps a facet if it is on the boundary, drops it if it is not, cuts it into four if it may be both.
static void cutPiece(Pieces* pieces, const pbdrTriangle* triangle)
{
    static const double places[7][2] = {{1.0 / 3.0, 1.0 / 3.0}, {0.05, 0.05},  {0.9, 0.05},  {0.05, 0.9},
                                        {0.475, 0.475},         {0.05, 0.475}, {0.475, 0.05}};
    pbdrVec3 area = pbdrGetAreaVector(triangle);
    if (pieces->full || !(pbdrDot(area, area) > 0.0)) {
        return;
    }
    pbdrVec3 normal = getUnitNormal(triangle);
    double longest = getLongestSide(triangle) / pieces->solid->size;
    bool first = pbdrIsOnSkin(pieces->solid, blend(triangle, places[0][0], places[0][1]), normal);
    bool same = longest <= COARSE_CUT;
    for (int i = 1; i < 7 && same && longest > FINE_CUT; i++) {
        same = pbdrIsOnSkin(pieces->solid, blend(triangle, places[i][0], places[i][1]), normal) == first;
    }
    if (same) {
        if (first) {
            addPiece(pieces, triangle);
        }
        return;
    }
    const pbdrVec3* c = triangle->corners;
    pbdrVec3 ab = blend(triangle, 0.5, 0.0), bc = blend(triangle, 0.5, 0.5), ca = blend(triangle, 0.0, 0.5);
    const pbdrTriangle quarters[4] = {{{c[0], ab, ca}}, {{ab, c[1], bc}}, {{ca, bc, c[2]}}, {{ab, bc, ca}}};
    for (int i = 0; i < 4; i++) {
        cutPiece(pieces, &quarters[i]);
    }
}

static pbdrStatus plantSkin(pbdrSolid* solid, const pbdrHooks* hooks, pbdrError* error)
{
    Pieces pieces = {solid, NULL, 0, 0, false};
    for (int t = 0; t < solid->whole.triangleCount; t++) {
        cutPiece(&pieces, &solid->whole.triangles[t]);
    }
    pbdrStatus status = pbdr_statusOk;
    if (pieces.full) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for %d facets cut from overlapping ones",
                          pieces.count);
    } else if (pieces.count == 0) {
        status =
            pbdrFail(error, pbdr_statusMeshBroken, "mesh: none of %d facets lies between inside and outside",
                     solid->mesh.triangleCount);
    } else {
        status = pbdrCreateTriangleTree(pieces.triangles, pieces.count, hooks, &solid->skin, error);
    }
    pbdrRelease(&solid->whole.hooks, pieces.triangles, (size_t)pieces.capacity, sizeof *pieces.triangles);
    return status;
}

// --- Making ---

static pbdrStatus measure(pbdrSolid* solid, double maxVolumeError, const pbdrHooks* hooks, pbdrError* error)
{
    const pbdrTriangleTree* skin = pbdrGetSkin(solid);
    solid->cumulated = pbdrAllocate(hooks, (size_t)skin->triangleCount, sizeof *solid->cumulated);
    if (solid->cumulated == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d facets", skin->triangleCount);
    }
    for (int t = 0; t < skin->triangleCount; t++) {
        solid->skinArea += pbdrLength(pbdrGetAreaVector(&skin->triangles[t]));
        solid->cumulated[t] = solid->skinArea;
    }
    if (solid->overlaps) {
        pbdrIntegrateSolid(solid, &solid->properties, &solid->volumeError);
    } else {
        pbdrGetClosedProperties(&solid->mesh, 1.0, &solid->properties);
    }
    solid->volumeError += solid->repair.volumeError;
    double volume = solid->properties.volume;
    if (!(volume > 0.0)) {
        return pbdrFail(error, pbdr_statusMeshBroken, "mesh: its %d triangles enclose no volume",
                        solid->mesh.triangleCount);
    }
    if (solid->volumeError > maxVolumeError * volume) {
        return pbdrFail(
            error, pbdr_statusMeshOpen,
            "mesh: holes (%d) and overlaps leave %.2g %% of the volume of %g m^3 unknown, %g %% is the "
            "most",
            solid->repair.filledHoles, 100.0 * solid->volumeError / volume, volume, 100.0 * maxVolumeError);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCreateSolid(const pbdrMesh* mesh, double maxVolumeError, const pbdrHooks* hooks,
                           pbdrSolid* solid, pbdrError* error)
{
    memset(solid, 0, sizeof *solid);
    pbdrStatus status = pbdrRepairMesh(mesh, hooks, &solid->mesh, &solid->repair, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrMesh_GetBounds(&solid->mesh, &solid->lower, &solid->upper);
    solid->size = pbdrLength(pbdrSub(solid->upper, solid->lower));
    status = plantWhole(solid, hooks, error);
    if (status == pbdr_statusOk) {
        solid->overlaps = findOverlap(solid);
        status = solid->overlaps ? plantSkin(solid, hooks, error) : pbdr_statusOk;
    }
    if (status == pbdr_statusOk) {
        status = measure(solid, maxVolumeError, hooks, error);
    }
    if (status != pbdr_statusOk) {
        pbdrSolid known = {.repair = solid->repair, .volumeError = solid->volumeError};
        known.properties.volume = solid->properties.volume;
        pbdrFreeSolid(solid);
        *solid = known;
    }
    return status;
}

void pbdrFreeSolidTrees(pbdrSolid* solid)
{
    pbdrHooks hooks = solid->mesh.hooks;
    if (solid->cumulated != NULL) {
        pbdrRelease(&hooks, solid->cumulated, (size_t)pbdrGetSkin(solid)->triangleCount,
                    sizeof *solid->cumulated);
    }
    pbdrFreeTriangleTree(&solid->whole);
    pbdrFreeTriangleTree(&solid->skin);
    memset(solid, 0, sizeof *solid);
}

void pbdrFreeSolid(pbdrSolid* solid)
{
    pbdrMesh mesh = solid->mesh;
    pbdrFreeSolidTrees(solid);
    pbdrMesh_Free(&mesh);
}

pbdrStatus pbdrMesh_GetSolidProperties(const pbdrMesh* mesh, double mass, pbdrMassProperties* properties,
                                       double* volumeError, pbdrError* error)
{
    if (!PBDR_ASSERT(mesh != NULL ? &mesh->hooks : NULL, mesh != NULL && properties != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh or properties: NULL");
    }
    *properties = (pbdrMassProperties){0};
    if (!isfinite(mass) || !(mass > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mass: %g kg is not finite and above zero", mass);
    }
    pbdrSolid solid;
    pbdrStatus status = pbdrCreateSolid(mesh, PBDR_MAX_VOLUME_ERROR, &mesh->hooks, &solid, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    *properties = solid.properties;
    properties->mass = mass;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            properties->inertia.m[i][j] *= mass;
        }
    }
    if (volumeError != NULL) {
        *volumeError = solid.volumeError;
    }
    pbdrFreeSolid(&solid);
    return pbdr_statusOk;
}
