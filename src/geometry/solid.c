// The solid that a mesh means. A mended surface (mesh_repair.c) has a whole winding number w everywhere off
// it; the solid is where w >= 1. A facet is part of its boundary where w is 0 just outside: with w_out = 1 it
// is a sheet that lies inside another part (two parts that overlap), with w_out = -1 it is a fold turned
// inside out. Where a facet is only partly on the boundary it is cut into smaller ones.
#include "geometry/solid.h"

#include "base.h"
#include "geometry/crossings.h"
#include "geometry/mesh.h"
#include "math/random.h"
#include "math/vec.h"

#include <string.h>

// "Just outside", as a share of the bounds' diagonal: far above rounding, far below any wall.
#define OUTSIDE_STEP 1.0e-6

// A share of the area that lies inside and still counts as none: needles, whose normal is rounding.
#define OVERLAP_SHARE 1.0e-4

// Points at which a surface is looked at for overlaps, at least.
#define OVERLAP_POINTS 4096

const pbdrTriangleTree* pbdrGetSkin(const pbdrSolid* solid)
{
    return solid->overlaps ? &solid->skin : &solid->whole;
}

bool pbdrIsInside(const pbdrSolid* solid, pbdrVec3 point)
{
    return pbdrGetClosedWinding(&solid->whole, point, solid->countAxis, NULL) >= 1;
}

bool pbdrIsOnSkin(const pbdrSolid* solid, pbdrVec3 point, pbdrVec3 normal, uint64_t* steps)
{
    pbdrVec3 outside = pbdrAddScaled(point, OUTSIDE_STEP * solid->size, normal);
    return pbdrGetClosedWinding(&solid->whole, outside, solid->countAxis, steps) == 0;
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

// The axis that the surface faces least: a line along it meets the fewest facets.
static int findCountAxis(const pbdrTriangleTree* tree)
{
    pbdrVec3 sum = {0.0, 0.0, 0.0};
    for (int t = 0; t < tree->triangleCount; t++) {
        pbdrVec3 area = pbdrGetAreaVector(&tree->triangles[t]);
        sum = pbdrAdd(sum, pbdrVec(fabs(area.x), fabs(area.y), fabs(area.z)));
    }
    return sum.z <= sum.x && sum.z <= sum.y ? 2 : sum.x <= sum.y ? 0 : 1;
}

// Looks at each facet in one or more places, in the middles of its n^2 equal parts.
static bool findOverlap(pbdrSolid* solid)
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
                inside += pbdrIsOnSkin(solid, p, normal, &solid->steps) ? 0.0 : area / (n * n);
            }
        }
    }
    return inside > OVERLAP_SHARE * all;
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
    pbdrStatus status = pbdr_statusOk;
    if (solid->overlaps) {
        status = pbdrIntegrateSolid(solid, &solid->properties, &solid->volumeError, &solid->steps, error);
    } else {
        pbdrGetClosedProperties(&solid->mesh, 1.0, &solid->properties);
    }
    if (status != pbdr_statusOk) {
        return status;
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
        solid->countAxis = findCountAxis(&solid->whole);
        solid->overlaps = findOverlap(solid);
        status = solid->overlaps ? pbdrPlantSkin(solid, &solid->steps, error) : pbdr_statusOk;
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
