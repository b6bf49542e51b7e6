// How well spheres stand for a mesh: gap, cover, protrusion, and how firmly they stand.
//
//   gap         |min over spheres of |s - c| - r| at area-uniform samples s of the boundary
//   cover       of points uniform in the bounds, those in mesh and spheres over those in the mesh
//   protrusion  r minus the depth of the centre below the boundary, at most over the spheres
#include "geometry/solid_packing.h"

#include "base.h"
#include "geometry/sphere_tree.h"
#include "geometry/support.h"
#include "math/random.h"
#include "math/vec.h"

#include <string.h>

#define DEFAULT_SAMPLES 100000

// Spheres touch the lowest plane within this share of the mesh's size: rounding.
#define TOUCH 1.0e-9

void pbdrPackingQuality_Free(pbdrPackingQuality* quality)
{
    if (quality == NULL) {
        return;
    }
    pbdrHooks hooks = quality->hooks;
    pbdrRelease(&hooks, quality->support, (size_t)quality->supportCount, sizeof *quality->support);
    memset(quality, 0, sizeof *quality);
}

double pbdrPackingQuality_GetReach(const pbdrPackingQuality* quality, pbdrVec3 direction)
{
    if (!PBDR_ASSERT(NULL, quality != NULL)) {
        return 0.0;
    }
    return pbdrGetHullReach(quality->support, quality->supportCount, quality->centre, direction);
}

static void measureGap(const pbdrSolid* solid, const pbdrSphereTree* spheres, int count, uint64_t* random,
                       pbdrPackingQuality* quality)
{
    double sum = 0.0, squares = 0.0;
    int counted = 0;
    for (int i = 0; i < count; i++) {
        double share = (i + pbdrNextUniform(random)) / count;
        pbdrSkinSample sample = pbdrSampleSkin(solid, share, random);
        if (solid->overlaps && !pbdrIsOnSkin(solid, sample.point, sample.normal, NULL)) {
            continue; // the rest of a facet that was cut fine enough
        }
        double gap = fabs(pbdrSphereTree_GetDistance(spheres, sample.point));
        sum += gap;
        squares += gap * gap;
        counted++;
        quality->largestGap = fmax(quality->largestGap, gap);
    }
    if (counted > 0) {
        quality->meanGap = sum / counted;
        double variance = fmax(0.0, squares / counted - quality->meanGap * quality->meanGap);
        quality->meanGapError = sqrt(variance / counted);
    }
}

static void measureCover(const pbdrSolid* solid, const pbdrSphereTree* spheres, int count, uint64_t* random,
                         pbdrPackingQuality* quality)
{
    pbdrVec3 extent = pbdrSub(solid->upper, solid->lower);
    int inside = 0, covered = 0;
    for (int i = 0; i < count; i++) {
        double x = pbdrNextUniform(random), y = pbdrNextUniform(random), z = pbdrNextUniform(random);
        pbdrVec3 p = pbdrAdd(solid->lower, pbdrVec(x * extent.x, y * extent.y, z * extent.z));
        if (pbdrIsInside(solid, p)) {
            inside++;
            covered += pbdrSphereTree_GetDistance(spheres, p) <= 0.0;
        }
    }
    if (inside > 0) {
        quality->cover = (double)covered / inside;
        quality->coverError = sqrt(fmax(quality->cover * (1.0 - quality->cover), 1.0 / inside) / inside);
    }
}

static void measureProtrusion(const pbdrSolid* solid, const pbdrSphereSet* set, pbdrPackingQuality* quality)
{
    for (int i = 0; i < set->count; i++) {
        double distance = pbdrFindNearest(pbdrGetSkin(solid), set->positions[i], (double)INFINITY).distance;
        double depth = pbdrIsInside(solid, set->positions[i]) ? distance : -distance;
        quality->protrusion = fmax(quality->protrusion, set->radii[i] - depth);
    }
}

// The hull of the mesh's vertices near its lowest one.
static void measureMeshSupport(const pbdrSolid* solid, pbdrVec3* points, pbdrVec3* hull,
                               pbdrPackingQuality* quality)
{
    double top = solid->lower.z + PBDR_BASE_TOLERANCE * (solid->upper.z - solid->lower.z);
    int count = 0;
    for (int i = 0; i < solid->mesh.vertexCount; i++) {
        if (solid->mesh.vertices[i].z <= top) {
            points[count++] = solid->mesh.vertices[i];
        }
    }
    count = pbdrFindHull(points, count, hull);
    quality->meshSupportArea = pbdrGetHullArea(hull, count);
    quality->meshMargin = pbdrGetHullMargin(hull, count, quality->centre);
}

static pbdrStatus measureSupport(const pbdrSolid* solid, const pbdrSphereSet* set, pbdrVec3* points,
                                 pbdrVec3* hull, pbdrPackingQuality* quality, pbdrError* error)
{
    double lowest = (double)INFINITY;
    for (int i = 0; i < set->count; i++) {
        lowest = fmin(lowest, set->positions[i].z - set->radii[i]);
    }
    int count = 0;
    for (int i = 0; i < set->count; i++) {
        if (set->positions[i].z - set->radii[i] <= lowest + TOUCH * solid->size) {
            points[count++] = pbdrVec(set->positions[i].x, set->positions[i].y, lowest);
        }
    }
    count = pbdrFindHull(points, count, hull);
    quality->support = pbdrAllocate(&quality->hooks, (size_t)count, sizeof *quality->support);
    if (quality->support == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for a polygon of %d corners", count);
    }
    quality->supportCount = count;
    memcpy(quality->support, hull, (size_t)count * sizeof *hull);
    quality->supportArea = pbdrGetHullArea(hull, count);
    quality->margin = pbdrGetHullMargin(hull, count, quality->centre);
    quality->centreHeight = quality->centre.z - lowest;
    measureMeshSupport(solid, points, hull, quality);
    return pbdr_statusOk;
}

static pbdrStatus measureAll(const pbdrSolid* solid, const pbdrSphereSet* set, int sampleCount, uint64_t seed,
                             const pbdrHooks* hooks, pbdrPackingQuality* quality, pbdrError* error)
{
    size_t most = (size_t)(set->count > solid->mesh.vertexCount ? set->count : solid->mesh.vertexCount) + 1;
    pbdrVec3* points = pbdrAllocate(hooks, most, sizeof *points);
    pbdrVec3* hull = pbdrAllocate(hooks, most, sizeof *hull);
    pbdrSphereTree spheres = {0};
    pbdrStatus status = points != NULL && hull != NULL && pbdrBuildTreeOfSet(hooks, set, &spheres)
                            ? pbdr_statusOk
                            : pbdrFail(error, pbdr_statusNoMemory, "no memory for %zu points", most);
    quality->sphereCount = set->count;
    quality->volume = solid->properties.volume;
    quality->volumeError = solid->volumeError;
    quality->centre = solid->properties.centre;
    if (status == pbdr_statusOk) {
        // Another start than the packing's, so that its own samples are not measured by chance.
        uint64_t random = pbdrNextBits(&seed);
        measureGap(solid, &spheres, sampleCount, &random, quality);
        measureCover(solid, &spheres, sampleCount, &random, quality);
        measureProtrusion(solid, set, quality);
        status = measureSupport(solid, set, points, hull, quality, error);
    }
    pbdrFreeSphereTree(hooks, &spheres);
    pbdrRelease(hooks, points, most, sizeof *points);
    pbdrRelease(hooks, hull, most, sizeof *hull);
    return status;
}

pbdrStatus pbdrMeasureSolid(const pbdrSolid* solid, const pbdrSphereSet* set, int sampleCount, uint64_t seed,
                            const pbdrHooks* hooks, pbdrPackingQuality* quality, pbdrError* error)
{
    memset(quality, 0, sizeof *quality);
    if (sampleCount < 0 || sampleCount > PBDR_MAX_SPHERES) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "sampleCount: %d is not between 0 and %d",
                        sampleCount, PBDR_MAX_SPHERES);
    }
    if (set->count < 1) {
        return pbdrFail(error, pbdr_statusNoParticles, "set: %d spheres", set->count);
    }
    if (hooks != NULL) {
        quality->hooks = *hooks;
    }
    pbdrStatus status =
        measureAll(solid, set, sampleCount > 0 ? sampleCount : DEFAULT_SAMPLES, seed, hooks, quality, error);
    if (status != pbdr_statusOk) {
        pbdrPackingQuality_Free(quality);
    }
    return status;
}

pbdrStatus pbdrMeasurePacking(const pbdrMesh* mesh, const pbdrSphereSet* set, int sampleCount, uint64_t seed,
                              const pbdrHooks* hooks, pbdrPackingQuality* quality, pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, mesh != NULL && set != NULL && quality != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh, set or quality: NULL");
    }
    memset(quality, 0, sizeof *quality);
    pbdrSolid solid;
    pbdrStatus status = pbdrCreateSolid(mesh, PBDR_MAX_VOLUME_ERROR, hooks, &solid, error);
    if (status == pbdr_statusOk) {
        status = pbdrMeasureSolid(&solid, set, sampleCount, seed, hooks, quality, error);
        pbdrFreeSolid(&solid);
    }
    return status;
}
