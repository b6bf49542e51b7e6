// Point clouds: making one, and the way from a cloud to a closed mesh, with the reasons why a cloud may have
// none.
#include "geometry/point_cloud.h"

#include "base.h"
#include "math/sym3.h"
#include "math/vec.h"
#include "pbdr/constants.h"

#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 50000000 // so that neighbours count in 32 bits
// The grid's cells in reaches. Finer ones cost time and gain nothing: the field is smooth over 1.25 reaches.
#define CELLS_PER_REACH 0.75
// Points per neighbour at least: with fewer, one neighbourhood would be a quarter of the surface.
#define POINTS_PER_NEIGHBOUR 4
// Half the extent at most, and the inverse at least [m]: its fifth power is a double.
#define MAX_EXTENT 1.0e60
// Any value that uninitialised memory is unlikely to hold.
#define DEF_COOKIE 0x636c6f75u

// Rounding of a plane that is given in doubles, relative to the cloud's size.
#define FLATNESS 1.0e-9
// Half the thickness at least, as the points' rms distance from their plane, in reaches: with less the two
// sides are each other's neighbours.
#define LEAST_THICKNESS 0.25
// No point within this many reaches, beyond the cell's size: a hole.
#define HOLE_REACHES 1.5
// The level at least. Smoothing over much of the body, normals that disagree, half a sphere: all lower it.
#define LEAST_LEVEL 0.3
#define LEAST_LOOSE_LEVEL 0.1

static const pbdrCloudDef defaults = {.cookie = DEF_COOKIE, .groups = 4, .seed = 1};

void pbdrInitCloudDef(pbdrCloudDef* def, size_t size)
{
    pbdrInitDef(def, size, &defaults, sizeof defaults);
}

pbdrStatus pbdrReadCloudDef(const pbdrCloudDef* def, pbdrCloudDef* own, pbdrError* error)
{
    *own = defaults;
    return def != NULL ? pbdrReadDef(def, "pbdrDefaultCloudDef", own, sizeof *own, error) : pbdr_statusOk;
}

// --- Making ---

typedef struct Place {
    pbdrVec3 point;
    int32_t index;
} Place;

static int comparePlaces(const void* a, const void* b)
{
    const Place *p = a, *q = b;
    if (p->point.x != q->point.x) {
        return p->point.x < q->point.x ? -1 : 1;
    }
    if (p->point.y != q->point.y) {
        return p->point.y < q->point.y ? -1 : 1;
    }
    if (p->point.z != q->point.z) {
        return p->point.z < q->point.z ? -1 : 1;
    }
    return (p->index > q->index) - (p->index < q->index);
}

static bool areSame(pbdrVec3 a, pbdrVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Marks all but the first of points at the same place with index -1, and returns how many are left. The
// places are in the points' order again afterwards.
static int dropRepeated(Place* places, int count)
{
    qsort(places, (size_t)count, sizeof *places, comparePlaces);
    int kept = 0;
    for (int i = 0, first = 0; i < count; i++) {
        bool repeated = i > 0 && areSame(places[i].point, places[first].point);
        first = repeated ? first : i;
        kept += !repeated;
        places[i].index = repeated ? -1 : places[i].index;
    }
    return kept;
}

static pbdrStatus checkPoints(const pbdrVec3* points, const pbdrVec3* normals, int count, pbdrError* error)
{
    if (count < 0 || count > MAX_POINTS) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "point cloud: %d points, 0 to %d are possible",
                        count, MAX_POINTS);
    }
    for (int i = 0; i < count; i++) {
        pbdrVec3 p = points[i];
        if (!pbdrIsFiniteVec(p)) {
            return pbdrFail(error, pbdr_statusInvalidArgument,
                            "point cloud: point %d at (%g, %g, %g) m is not finite", i, p.x, p.y, p.z);
        }
        pbdrVec3 n = normals != NULL ? normals[i] : pbdrVec(1.0, 0.0, 0.0);
        double length = pbdrLength(n);
        if (!isfinite(length) || !(length > 0.0)) {
            return pbdrFail(error, pbdr_statusInvalidArgument,
                            "point cloud: point %d has the normal (%g, %g, %g), which is no direction", i,
                            n.x, n.y, n.z);
        }
    }
    return pbdr_statusOk;
}

// Copies the points that dropRepeated left, in their given order: keep[i] says whether point i stays.
static void fillCloud(pbdrPointCloud* cloud, const pbdrVec3* points, const pbdrVec3* normals, int count,
                      const unsigned char* keep)
{
    int at = 0;
    for (int i = 0; i < count; i++) {
        if (keep[i] != 0) {
            cloud->points[at] = points[i];
            if (normals != NULL) {
                cloud->normals[at] = pbdrScale(1.0 / pbdrLength(normals[i]), normals[i]);
            }
            at++;
        }
    }
}

pbdrStatus pbdrCreatePointCloud(const pbdrVec3* points, const pbdrVec3* normals, int count,
                                const pbdrHooks* hooks, pbdrPointCloud* cloud, pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, cloud != NULL && (points != NULL || count < 1))) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "cloud or points: NULL");
    }
    memset(cloud, 0, sizeof *cloud);
    pbdrStatus status = checkPoints(points, normals, count, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    size_t n = (size_t)count;
    Place* places = pbdrAllocate(hooks, n, sizeof *places);
    unsigned char* keep = pbdrAllocate(hooks, n, 1);
    if (places != NULL && keep != NULL) {
        for (int i = 0; i < count; i++) {
            places[i] = (Place){points[i], i};
        }
        cloud->count = dropRepeated(places, count);
        for (int i = 0; i < count; i++) {
            if (places[i].index >= 0) {
                keep[places[i].index] = 1;
            }
        }
        cloud->hooks = hooks != NULL ? *hooks : (pbdrHooks){0};
        cloud->points = pbdrAllocate(hooks, (size_t)cloud->count, sizeof *cloud->points);
        cloud->normals =
            normals != NULL ? pbdrAllocate(hooks, (size_t)cloud->count, sizeof *cloud->normals) : NULL;
    }
    if (cloud->points == NULL || (normals != NULL && cloud->normals == NULL)) {
        pbdrPointCloud_Free(cloud);
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for %d points", count);
    } else {
        fillCloud(cloud, points, normals, count, keep);
    }
    pbdrRelease(hooks, places, n, sizeof *places);
    pbdrRelease(hooks, keep, n, 1);
    return status;
}

void pbdrPointCloud_Free(pbdrPointCloud* cloud)
{
    if (cloud == NULL) {
        return;
    }
    pbdrHooks hooks = cloud->hooks;
    pbdrRelease(&hooks, cloud->points, (size_t)cloud->count, sizeof *cloud->points);
    pbdrRelease(&hooks, cloud->normals, (size_t)cloud->count, sizeof *cloud->normals);
    memset(cloud, 0, sizeof *cloud);
}

// --- Units ---

static pbdrStatus checkDef(const pbdrPointCloud* cloud, const pbdrCloudDef* def, pbdrError* error)
{
    int neighbours = def->neighbours != 0 ? def->neighbours : PBDR_CLOUD_NEIGHBOURS;
    if (neighbours < 6 || neighbours > PBDR_MAX_NEIGHBOURS) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "neighbours: %d, 0 or 6 to %d are possible",
                        def->neighbours, PBDR_MAX_NEIGHBOURS);
    }
    if (!isfinite(def->cellSize) || def->cellSize < 0.0) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "cellSize: %g m is not finite and at least zero",
                        def->cellSize);
    }
    if (def->groups < 3 || def->groups > 20) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "groups: %d, 3 to 20 are possible", def->groups);
    }
    if (cloud->count < POINTS_PER_NEIGHBOUR * neighbours) {
        return pbdrFail(error, pbdr_statusMeshBroken,
                        "point cloud: %d points at different places are too few, it takes %d", cloud->count,
                        POINTS_PER_NEIGHBOUR * neighbours);
    }
    return checkPoints(cloud->points, cloud->normals, cloud->count, error);
}

// The points' rms distances from their mean along the principal axes, least first.
static void findThickness(const pbdrUnitCloud* unit, double thickness[3])
{
    pbdrVec3 mean = {0.0, 0.0, 0.0};
    for (int i = 0; i < unit->count; i++) {
        mean = pbdrAddScaled(mean, 1.0 / unit->count, unit->points[i]);
    }
    pbdrMat3 sum = {{{0.0}}}, axes;
    for (int i = 0; i < unit->count; i++) {
        pbdrVec3 d = pbdrSub(unit->points[i], mean);
        double v[3] = {d.x, d.y, d.z};
        for (int a = 0; a < 3; a++) {
            for (int b = a; b < 3; b++) {
                sum.m[a][b] += v[a] * v[b] / unit->count;
            }
        }
    }
    pbdrSymEigen(&sum, thickness, &axes);
    // The least by its own sum, as the eigenvalue has the rounding of the largest.
    double least = 0.0;
    for (int i = 0; i < unit->count; i++) {
        pbdrVec3 d = pbdrSub(unit->points[i], mean);
        double along = d.x * axes.m[0][0] + d.y * axes.m[1][0] + d.z * axes.m[2][0];
        least += along * along / unit->count;
    }
    thickness[0] = sqrt(least);
    thickness[1] = sqrt(fmax(thickness[1], 0.0));
    thickness[2] = sqrt(fmax(thickness[2], 0.0));
}

pbdrStatus pbdrMakeUnitCloud(const pbdrPointCloud* cloud, const pbdrCloudDef* def, pbdrUnitCloud* unit,
                             pbdrError* error)
{
    *unit = (pbdrUnitCloud){0};
    pbdrStatus status = checkDef(cloud, def, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrVec3 lower = cloud->points[0], upper = lower;
    for (int i = 1; i < cloud->count; i++) {
        pbdrVec3 p = cloud->points[i];
        lower = pbdrVec(fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z));
        upper = pbdrVec(fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z));
    }
    pbdrVec3 half = pbdrSub(pbdrScale(0.5, upper), pbdrScale(0.5, lower));
    *unit = (pbdrUnitCloud){.count = cloud->count, .normals = cloud->normals, .hooks = &cloud->hooks};
    unit->middle = pbdrAdd(lower, half);
    unit->scale = fmax(half.x, fmax(half.y, half.z));
    if (unit->scale > 0.0 && !(unit->scale > 1.0 / MAX_EXTENT && unit->scale < MAX_EXTENT)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "point cloud: extent %g m, %g to %g are possible",
                        2.0 * unit->scale, 2.0 / MAX_EXTENT, 2.0 * MAX_EXTENT);
    }
    unit->points = pbdrAllocate(unit->hooks, (size_t)unit->count, sizeof *unit->points);
    if (unit->points == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d points", unit->count);
    }
    for (int i = 0; i < unit->count; i++) {
        pbdrVec3 d = pbdrSub(cloud->points[i], unit->middle);
        unit->points[i] = pbdrVec(d.x / unit->scale, d.y / unit->scale, d.z / unit->scale);
    }
    double thickness[3];
    findThickness(unit, thickness);
    if (!(thickness[0] > FLATNESS * thickness[2])) {
        status =
            pbdrFail(error, pbdr_statusMeshBroken, "point cloud: all of %d points lie in a plane, to %.1g m",
                     unit->count, thickness[0] * unit->scale);
        pbdrFreeUnitCloud(unit);
    }
    return status;
}

void pbdrFreeUnitCloud(pbdrUnitCloud* unit)
{
    pbdrRelease(unit->hooks, unit->points, (size_t)unit->count, sizeof *unit->points);
    *unit = (pbdrUnitCloud){0};
}

// --- The mesh ---

static pbdrStatus checkThickness(const pbdrUnitCloud* unit, const pbdrOrientedCloud* oriented,
                                 pbdrError* error)
{
    double thickness[3];
    findThickness(unit, thickness);
    if (thickness[0] < LEAST_THICKNESS * oriented->medianReach) {
        return pbdrFail(error, pbdr_statusMeshBroken,
                        "point cloud: %.3g m from its plane in the mean is too thin for points %.3g m apart",
                        thickness[0] * unit->scale,
                        pbdrGetCloudSpacing(oriented, oriented->medianReach) * unit->scale);
    }
    return pbdr_statusOk;
}

// Mesh area where no point is near.
static void measureHoles(const pbdrOrientedCloud* oriented, const pbdrMesh* mesh, pbdrCloudReport* report)
{
    double area = 0.0, bridged = 0.0;
    report->bridgedVolume = 0.0;
    for (int t = 0; t < mesh->triangleCount; t++) {
        pbdrVec3 a = mesh->vertices[mesh->triangles[t][0]], b = mesh->vertices[mesh->triangles[t][1]];
        pbdrVec3 c = mesh->vertices[mesh->triangles[t][2]];
        pbdrVec3 middle = pbdrScale(1.0 / 3.0, pbdrAdd(a, pbdrAdd(b, c)));
        double size = 0.5 * pbdrLength(pbdrCross(pbdrSub(b, a), pbdrSub(c, a))), square;
        int32_t nearest;
        pbdrFindNeighbours(&oriented->tree, middle, -1, 1, &nearest, &square);
        double distance = sqrt(square);
        area += size;
        if (distance > HOLE_REACHES * oriented->reaches[nearest] + report->cellSize) {
            bridged += size;
            report->bridgedVolume += size * distance;
        }
    }
    report->bridgedShare = area > 0.0 ? bridged / area : 1.0;
}

// The last word on a mesh: are there holes, and do the points agree with it?
static pbdrStatus judgeMesh(const pbdrOrientedCloud* oriented, const pbdrMesh* mesh, pbdrCloudReport* report,
                            pbdrError* error)
{
    measureHoles(oriented, mesh, report);
    if (report->bridgedShare > PBDR_CLOUD_MAX_BRIDGED) {
        return pbdrFail(error, pbdr_statusMeshOpen,
                        "point cloud: open, %.1f %% of the surface has no point near it (at most %.0f %%)",
                        100.0 * report->bridgedShare, 100.0 * PBDR_CLOUD_MAX_BRIDGED);
    }
    if (report->strayShare > PBDR_CLOUD_MAX_STRAY) {
        return pbdrFail(
            error, pbdr_statusMeshOpen,
            "point cloud: %.1f %% of its area lies off the surface of the rest (at most %.0f %%): "
            "normals that disagree, noise, or too few points",
            100.0 * report->strayShare, 100.0 * PBDR_CLOUD_MAX_STRAY);
    }
    return pbdrMesh_Check(mesh, NULL, error);
}

static pbdrStatus meshOriented(pbdrOrientedCloud* oriented, bool strict, const pbdrHooks* hooks,
                               pbdrMesh* mesh, pbdrCloudReport* report, pbdrError* error)
{
    // Cells wider than the smoothing would miss what lies between their nodes.
    for (int i = 0; i < oriented->count; i++) {
        oriented->radii[i] = fmax(oriented->radii[i], report->cellSize);
    }
    pbdrCloudField field;
    if (!pbdrBuildCloudField(oriented, &field)) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d points", oriented->count);
    }
    pbdrStatus status = pbdrMeshCloudField(&field, report->cellSize, strict ? LEAST_LEVEL : LEAST_LOOSE_LEVEL,
                                           hooks, mesh, report, error);
    pbdrFreeCloudField(&field);
    if (status == pbdr_statusOk && strict) {
        status = judgeMesh(oriented, mesh, report, error);
        if (status != pbdr_statusOk) {
            pbdrMesh_Free(mesh);
        }
    }
    return status;
}

pbdrStatus pbdrReconstruct(const pbdrUnitCloud* unit, int neighbourCount, double cellSize, bool strict,
                           const pbdrHooks* hooks, pbdrMesh* mesh, pbdrCloudReport* report, pbdrError* error)
{
    pbdrOrientedCloud oriented;
    pbdrStatus status = pbdrOrientCloud(unit->points, unit->normals, unit->count, neighbourCount, unit->hooks,
                                        &oriented, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    report->components = oriented.components;
    report->inverted = oriented.inverted;
    report->neighbours = oriented.neighbourCount;
    report->spacing = pbdrGetCloudSpacing(&oriented, oriented.medianReach);
    report->cellSize = cellSize > 0.0 ? cellSize : CELLS_PER_REACH * oriented.medianReach;
    report->area = oriented.area;
    report->noise = oriented.noise;
    status = strict ? checkThickness(unit, &oriented, error) : pbdr_statusOk;
    if (status == pbdr_statusOk) {
        status = meshOriented(&oriented, strict, hooks, mesh, report, error);
    }
    pbdrFreeOrientedCloud(&oriented);
    return status;
}

pbdrStatus pbdrMeshPointCloud(const pbdrPointCloud* cloud, const pbdrCloudDef* def, const pbdrHooks* hooks,
                              pbdrMesh* mesh, pbdrCloudReport* report, pbdrError* error)
{
    pbdrCloudReport ownReport;
    report = report != NULL ? report : &ownReport;
    *report = (pbdrCloudReport){0};
    if (!PBDR_ASSERT(hooks, cloud != NULL && mesh != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "cloud or mesh: NULL");
    }
    memset(mesh, 0, sizeof *mesh);
    pbdrCloudDef used;
    pbdrUnitCloud unit;
    pbdrStatus status = pbdrReadCloudDef(def, &used, error);
    status = status == pbdr_statusOk ? pbdrMakeUnitCloud(cloud, &used, &unit, error) : status;
    if (status != pbdr_statusOk) {
        return status;
    }
    status =
        pbdrReconstruct(&unit, used.neighbours, used.cellSize / unit.scale, true, hooks, mesh, report, error);
    for (int i = 0; i < mesh->vertexCount; i++) {
        mesh->vertices[i] = pbdrAddScaled(unit.middle, unit.scale, mesh->vertices[i]);
    }
    report->spacing *= unit.scale;
    report->cellSize *= unit.scale;
    report->noise *= unit.scale;
    report->area *= unit.scale * unit.scale;
    report->bridgedVolume *= unit.scale * unit.scale * unit.scale;
    pbdrFreeUnitCloud(&unit);
    return status;
}

// --- Parts of the way ---

// A unit cloud with normals, its own or estimated.
static pbdrStatus orientUnit(const pbdrPointCloud* cloud, const pbdrCloudDef* def, bool estimate,
                             pbdrUnitCloud* unit, pbdrOrientedCloud* oriented, pbdrError* error)
{
    pbdrCloudDef used;
    pbdrStatus status = pbdrReadCloudDef(def, &used, error);
    status = status == pbdr_statusOk ? pbdrMakeUnitCloud(cloud, &used, unit, error) : status;
    if (status == pbdr_statusOk) {
        status = pbdrOrientCloud(unit->points, estimate ? NULL : unit->normals, unit->count, used.neighbours,
                                 unit->hooks, oriented, error);
        if (status != pbdr_statusOk) {
            pbdrFreeUnitCloud(unit);
        }
    }
    return status;
}

pbdrStatus pbdrPointCloud_EstimateNormals(pbdrPointCloud* cloud, const pbdrCloudDef* def, pbdrError* error)
{
    if (!PBDR_ASSERT(NULL, cloud != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "cloud: NULL");
    }
    pbdrUnitCloud unit;
    pbdrOrientedCloud oriented;
    pbdrStatus status = orientUnit(cloud, def, true, &unit, &oriented, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (cloud->normals == NULL) {
        cloud->normals = pbdrAllocate(&cloud->hooks, (size_t)cloud->count, sizeof *cloud->normals);
    }
    if (cloud->normals == NULL) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for %d normals", cloud->count);
    }
    for (int i = 0; i < cloud->count && cloud->normals != NULL; i++) {
        cloud->normals[oriented.tree.order[i]] = oriented.normals[i];
    }
    pbdrFreeOrientedCloud(&oriented);
    pbdrFreeUnitCloud(&unit);
    return status;
}

pbdrStatus pbdrPointCloud_GetWindingNumbers(const pbdrPointCloud* cloud, const pbdrCloudDef* def,
                                            const pbdrVec3* places, int count, double* numbers,
                                            pbdrError* error)
{
    if (!PBDR_ASSERT(NULL, cloud != NULL && (count < 1 || (places != NULL && numbers != NULL)))) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "cloud, places or numbers: NULL");
    }
    pbdrUnitCloud unit;
    pbdrOrientedCloud oriented;
    pbdrStatus status = orientUnit(cloud, def, false, &unit, &oriented, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrCloudField field;
    if (pbdrBuildCloudField(&oriented, &field)) {
        for (int i = 0; i < count; i++) {
            pbdrVec3 place = pbdrScale(1.0 / unit.scale, pbdrSub(places[i], unit.middle));
            numbers[i] = pbdrGetCloudWinding(&field, place);
        }
    } else {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for %d points", cloud->count);
    }
    pbdrFreeCloudField(&field);
    pbdrFreeOrientedCloud(&oriented);
    pbdrFreeUnitCloud(&unit);
    return status;
}
