// From bare points to oriented ones: neighbours, then normals, then areas.
#include "geometry/point_cloud.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

#define MAX_REVISIONS 8
#define DOUBT 6 // a normal is doubtful that disagrees with one in this many

static bool allocateArrays(pbdrOrientedCloud* cloud)
{
    size_t n = (size_t)cloud->count;
    cloud->pairs = pbdrAllocate(cloud->hooks, n * cloud->pairCount, sizeof *cloud->pairs);
    cloud->normals = pbdrAllocate(cloud->hooks, n, sizeof *cloud->normals);
    cloud->areas = pbdrAllocate(cloud->hooks, n, sizeof *cloud->areas);
    cloud->reaches = pbdrAllocate(cloud->hooks, n, sizeof *cloud->reaches);
    cloud->radii = pbdrAllocate(cloud->hooks, n, sizeof *cloud->radii);
    return cloud->pairs != NULL && cloud->normals != NULL && cloud->areas != NULL && cloud->reaches != NULL &&
           cloud->radii != NULL;
}

static void releasePairs(pbdrOrientedCloud* cloud)
{
    pbdrRelease(cloud->hooks, cloud->pairs, (size_t)cloud->count * cloud->pairCount, sizeof *cloud->pairs);
    cloud->pairs = NULL;
}

void pbdrFreeOrientedCloud(pbdrOrientedCloud* cloud)
{
    size_t n = (size_t)cloud->count;
    releasePairs(cloud);
    pbdrRelease(cloud->hooks, cloud->normals, n, sizeof *cloud->normals);
    pbdrRelease(cloud->hooks, cloud->areas, n, sizeof *cloud->areas);
    pbdrRelease(cloud->hooks, cloud->reaches, n, sizeof *cloud->reaches);
    pbdrRelease(cloud->hooks, cloud->radii, n, sizeof *cloud->radii);
    pbdrFreePointTree(&cloud->tree);
    memset(cloud, 0, sizeof *cloud);
}

static void findPairs(pbdrOrientedCloud* cloud)
{
    double squares[PBDR_MAX_NEIGHBOURS];
    for (int i = 0; i < cloud->count; i++) {
        pbdrFindNeighbours(&cloud->tree, cloud->tree.points[i], i, cloud->pairCount,
                           &cloud->pairs[(size_t)i * cloud->pairCount], squares);
    }
}

// Copies normals into the tree's order.
static void takeNormals(pbdrOrientedCloud* cloud, const pbdrVec3* given)
{
    for (int i = 0; i < cloud->count; i++) {
        cloud->normals[i] = given[cloud->tree.order[i]];
    }
}

// Normals that face inwards as a whole are turned.
static void turnInverted(pbdrOrientedCloud* cloud)
{
    pbdrVec3 origin = cloud->tree.points[0];
    double flux = 0.0;
    for (int i = 0; i < cloud->count; i++) {
        flux += cloud->areas[i] * pbdrDot(pbdrSub(cloud->tree.points[i], origin), cloud->normals[i]);
    }
    cloud->inverted = flux < 0.0;
    for (int i = 0; i < cloud->count && cloud->inverted; i++) {
        cloud->normals[i] = pbdrScale(-1.0, cloud->normals[i]);
    }
}

// Whether a point's normal disagrees with many of its neighbours'.
static bool isDoubtful(const pbdrOrientedCloud* cloud, int i)
{
    int opposed = 0;
    for (int k = 0; k < cloud->neighbourCount; k++) {
        int32_t j = cloud->pairs[(size_t)i * cloud->pairCount + k];
        opposed += pbdrDot(cloud->normals[i], cloud->normals[j]) < 0.0;
    }
    return DOUBT * opposed > cloud->neighbourCount;
}

// In crevices and along sharp edges the spanning tree may turn a few points the wrong way. There the winding
// number of all others knows better: it falls along a normal that is right. Patches shrink from their rims.
static pbdrStatus reviseSigns(pbdrOrientedCloud* cloud, unsigned char* turned, pbdrError* error)
{
    int count = 1;
    for (int pass = 0; pass < MAX_REVISIONS && count > 0; pass++) {
        pbdrCloudField field;
        if (!pbdrBuildCloudField(cloud, &field)) {
            return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d points", cloud->count);
        }
        count = 0;
        for (int i = 0; i < cloud->count; i++) {
            turned[i] = 0;
            if (isDoubtful(cloud, i)) {
                pbdrVec3 p = cloud->tree.points[i], n = cloud->normals[i];
                double outside = pbdrGetCloudWinding(&field, pbdrAddScaled(p, cloud->radii[i], n));
                double inside = pbdrGetCloudWinding(&field, pbdrAddScaled(p, -cloud->radii[i], n));
                turned[i] = outside > inside;
                count += turned[i];
            }
        }
        pbdrFreeCloudField(&field);
        for (int i = 0; i < cloud->count; i++) {
            cloud->normals[i] = turned[i] != 0 ? pbdrScale(-1.0, cloud->normals[i]) : cloud->normals[i];
        }
        pbdrMeasureCloudAreas(cloud);
    }
    return pbdr_statusOk;
}

static pbdrStatus orientByNeighbours(pbdrOrientedCloud* cloud, pbdrError* error)
{
    size_t n = (size_t)cloud->count;
    int32_t* parts = pbdrAllocate(cloud->hooks, n, sizeof *parts);
    unsigned char* turned = pbdrAllocate(cloud->hooks, n, 1);
    pbdrStatus status = pbdr_statusOk;
    if (parts == NULL || turned == NULL) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for %d points", cloud->count);
    } else {
        status = pbdrAgreeOnSigns(cloud, parts, error);
    }
    if (status == pbdr_statusOk) {
        pbdrMeasureCloudAreas(cloud);
        status = pbdrTurnComponents(cloud, parts, error);
    }
    if (status == pbdr_statusOk) {
        status = reviseSigns(cloud, turned, error);
    }
    pbdrRelease(cloud->hooks, parts, n, sizeof *parts);
    pbdrRelease(cloud->hooks, turned, n, 1);
    return status;
}

pbdrStatus pbdrOrientCloud(const pbdrVec3* points, const pbdrVec3* given, int count, int neighbourCount,
                           const pbdrHooks* hooks, pbdrOrientedCloud* cloud, pbdrError* error)
{
    *cloud = (pbdrOrientedCloud){.count = count, .neighbourCount = neighbourCount, .hooks = hooks};
    pbdrStatus status = pbdr_statusOk;
    bool good = pbdrBuildPointTree(points, count, hooks, &cloud->tree);
    if (good && neighbourCount == 0) {
        double thickness;
        cloud->neighbourCount = pbdrChooseNeighbours(&cloud->tree, &thickness);
        if (cloud->neighbourCount == 0) {
            pbdrFreeOrientedCloud(cloud);
            return pbdrFail(
                error, pbdr_statusMeshBroken,
                "point cloud: no surface, the neighbours of a point are as thick as %.2f of their "
                "distance; noise, or points inside the solid",
                thickness);
        }
    }
    bool few = cloud->neighbourCount < PBDR_CLOUD_CELL_NEIGHBOURS;
    cloud->pairCount = few ? PBDR_CLOUD_CELL_NEIGHBOURS : cloud->neighbourCount;
    if (!good || !allocateArrays(cloud)) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for %d points", count);
    } else {
        findPairs(cloud);
        cloud->noise = pbdrMeasureCloudNoise(&cloud->tree, cloud->neighbourCount);
        if (given != NULL) {
            takeNormals(cloud, given);
            pbdrMeasureCloudAreas(cloud);
            turnInverted(cloud);
        } else {
            pbdrEstimateCloudNormals(cloud);
            status = orientByNeighbours(cloud, error);
        }
    }
    releasePairs(cloud);
    if (status != pbdr_statusOk) {
        pbdrFreeOrientedCloud(cloud);
    }
    return status;
}
