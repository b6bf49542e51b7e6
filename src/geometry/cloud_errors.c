// How far to trust the mass properties of a cloud's mesh. The cloud of n points is dealt out to K groups of
// n/K. Each becomes a mesh by the same rules on a grid as much coarser, and has some quantity q_g; the whole
// cloud's is q. Then
//
//   scatter  s^2 = var(q_g) / K                  noise of the points: falls at least as 1/sqrt n
//   bias     b   = (mean q_g - q) / (K - 1)      smoothing, chords, rounded edges: fall as the area per point
//
// and the standard error is sqrt(s^2 + b^2 + h^2 + d^2), with h from the holes that were bridged. d is what
// all groups share: points that are off by sigma in every direction lie sigma^2 H outside in the mean, H
// being the mean curvature; H is 1/R on a sphere, and the integral of H about A^2 / 3 V on others:
//
//   d = sigma^2 A^2 / 3 V                        (volume)
#include "geometry/point_cloud.h"

#include "base.h"
#include "math/random.h"
#include "math/vec.h"

#include <string.h>

#define MAX_GROUPS 20
#define DEALS 2       // the cloud is dealt out this often: one deal of four groups is too few for a variance
#define QUANTITIES 10 // volume, centre, inertia xx yy zz xy xz yz

static void listQuantities(const pbdrMassProperties* p, double q[QUANTITIES])
{
    const double list[QUANTITIES] = {
        p->volume,          p->centre.x,        p->centre.y,        p->centre.z,        p->inertia.m[0][0],
        p->inertia.m[1][1], p->inertia.m[2][2], p->inertia.m[0][1], p->inertia.m[0][2], p->inertia.m[1][2]};
    memcpy(q, list, sizeof list);
}

// A random order (Fisher and Yates): group g is what stands at g, g + K, g + 2 K, ...
static void shuffle(int32_t* order, int count, uint64_t seed)
{
    for (int32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t j = (int32_t)(pbdrNextBits(&seed) % (uint64_t)(i + 1));
        int32_t swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
}

// One group's arrays, of the size of the largest.
typedef struct Group {
    pbdrVec3 *points, *normals;
    int32_t* order;
} Group;

// A group's mass properties in units of the cloud. It finds normals of its own if the cloud has none, so that
// its mistakes show.
static pbdrStatus weighGroup(const pbdrUnitCloud* unit, const pbdrCloudDef* def, int g, Group* group,
                             double q[QUANTITIES], pbdrError* error)
{
    pbdrUnitCloud part = *unit;
    part.points = group->points;
    part.normals = unit->normals != NULL ? group->normals : NULL;
    part.count = 0;
    for (int i = g; i < unit->count; i += def->groups, part.count++) {
        group->points[part.count] = unit->points[group->order[i]];
        if (unit->normals != NULL) {
            group->normals[part.count] = unit->normals[group->order[i]];
        }
    }
    pbdrMesh mesh = {0};
    pbdrCloudReport report = {0};
    pbdrMassProperties properties = {0};
    pbdrError reason = {0};
    // Cells grow with the spacing, also those that the caller chose.
    double cellSize = sqrt((double)def->groups) * def->cellSize / unit->scale;
    pbdrStatus status =
        pbdrReconstruct(&part, def->neighbours, cellSize, false, unit->hooks, &mesh, &report, &reason);
    if (status == pbdr_statusOk) {
        status = pbdrMesh_GetMassProperties(&mesh, 1.0, &properties, &reason);
    }
    pbdrMesh_Free(&mesh);
    listQuantities(&properties, q);
    if (status != pbdr_statusOk) {
        return pbdrFail(error, status, "no error estimate, as a group of %d points fails: %.300s", part.count,
                        reason.message);
    }
    return status;
}

static void fillErrors(const double e[QUANTITIES], double mass, double scale, pbdrMassErrors* errors)
{
    double i = mass * scale * scale;
    errors->volume = e[0] * scale * scale * scale;
    errors->centre = pbdrVec(e[1] * scale, e[2] * scale, e[3] * scale);
    errors->inertia = (pbdrMat3){
        {{i * e[4], i * e[7], i * e[8]}, {i * e[7], i * e[5], i * e[9]}, {i * e[8], i * e[9], i * e[6]}}};
}

// Sums over the groups, per quantity.
typedef struct Statistics {
    double mean[QUANTITIES], scatter[QUANTITIES]; // scatter: variance of a group
} Statistics;

static void addDeal(Statistics* statistics, double (*groups)[QUANTITIES], int count)
{
    for (int k = 0; k < QUANTITIES; k++) {
        double mean = 0.0, square = 0.0;
        for (int g = 0; g < count; g++) {
            mean += groups[g][k] / count;
        }
        for (int g = 0; g < count; g++) {
            square += (groups[g][k] - mean) * (groups[g][k] - mean) / (count - 1);
        }
        statistics->mean[k] += mean / DEALS;
        statistics->scatter[k] += square / DEALS;
    }
}

// Few groups may agree by chance. The axes of the centre lend each other their mean scatter, and so do the
// entries of the inertia.
static void poolScatter(Statistics* statistics, int first, int end)
{
    double mean = 0.0;
    for (int k = first; k < end; k++) {
        mean += statistics->scatter[k] / (end - first);
    }
    for (int k = first; k < end; k++) {
        statistics->scatter[k] = fmax(statistics->scatter[k], mean);
    }
}

// Errors from the groups' quantities and the whole's. A volume v that may be there or not, at a distance of
// up to 1 from the middle, moves the centre by v/V, and the inertia by twice that. Swelling by v all around
// scales the inertia by 1 + 2/3 v/V.
static void combine(Statistics* statistics, int count, const double whole[QUANTITIES], double bridged,
                    double swelling, double e[QUANTITIES])
{
    double inertia = fmax(whole[4], fmax(whole[5], whole[6]));
    poolScatter(statistics, 1, 4);
    poolScatter(statistics, 4, QUANTITIES);
    for (int k = 0; k < QUANTITIES; k++) {
        double bias = (statistics->mean[k] - whole[k]) / (count - 1);
        double hole = k == 0 ? bridged : k < 4 ? bridged / whole[0] : 2.0 * bridged / whole[0];
        double shared = k == 0 ? swelling : k < 4 ? 0.0 : 2.0 / 3.0 * swelling / whole[0] * inertia;
        e[k] = sqrt(statistics->scatter[k] / count + bias * bias + hole * hole + shared * shared);
    }
}

static pbdrStatus estimate(const pbdrCloudDef* def, const pbdrUnitCloud* unit, const double whole[QUANTITIES],
                           const pbdrCloudReport* report, Group* group, double e[QUANTITIES],
                           pbdrError* error)
{
    double groups[MAX_GROUPS][QUANTITIES];
    Statistics statistics = {0};
    for (int deal = 0; deal < DEALS; deal++) {
        shuffle(group->order, unit->count, def->seed + (uint64_t)deal);
        for (int g = 0; g < def->groups; g++) {
            pbdrStatus status = weighGroup(unit, def, g, group, groups[g], error);
            if (status != pbdr_statusOk) {
                return status;
            }
        }
        addDeal(&statistics, groups, def->groups);
    }
    double scale = unit->scale, noise = report->noise / scale, area = report->area / (scale * scale);
    double bridged = report->bridgedVolume / (scale * scale * scale);
    double swelling = noise * noise * area * area / (3.0 * whole[0]);
    combine(&statistics, def->groups, whole, bridged, swelling, e);
    return pbdr_statusOk;
}

// The mesh's own quantities, in units.
static pbdrStatus weighWhole(const pbdrMesh* mesh, const pbdrUnitCloud* unit, double q[QUANTITIES],
                             pbdrError* error)
{
    pbdrMassProperties p;
    pbdrStatus status = pbdrMesh_GetMassProperties(mesh, 1.0, &p, error);
    double s = unit->scale;
    p.volume /= s * s * s;
    p.centre = pbdrScale(1.0 / s, pbdrSub(p.centre, unit->middle));
    listQuantities(&p, q);
    for (int k = 4; k < QUANTITIES; k++) {
        q[k] /= s * s;
    }
    return status;
}

pbdrStatus pbdrPointCloud_EstimateMassErrors(const pbdrPointCloud* cloud, const pbdrCloudDef* def,
                                             const pbdrMesh* mesh, const pbdrCloudReport* report, double mass,
                                             pbdrMassErrors* errors, pbdrError* error)
{
    if (!PBDR_ASSERT(NULL, cloud != NULL && mesh != NULL && report != NULL && errors != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "cloud, mesh, report or errors: NULL");
    }
    *errors = (pbdrMassErrors){0};
    if (!isfinite(mass) || !(mass > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mass: %g kg is not finite and above zero", mass);
    }
    pbdrCloudDef used;
    pbdrUnitCloud unit;
    pbdrStatus status = pbdrReadCloudDef(def, &used, error);
    status = status == pbdr_statusOk ? pbdrMakeUnitCloud(cloud, &used, &unit, error) : status;
    if (status != pbdr_statusOk) {
        return status;
    }
    double whole[QUANTITIES], e[QUANTITIES];
    size_t n = (size_t)cloud->count, most = n / (size_t)used.groups + 1;
    Group group = {pbdrAllocate(unit.hooks, most, sizeof *group.points),
                   pbdrAllocate(unit.hooks, most, sizeof *group.normals),
                   pbdrAllocate(unit.hooks, n, sizeof *group.order)};
    used.neighbours = report->neighbours; // so that a group's scale grows with its spacing
    if (cloud->count / used.groups < 4 * used.neighbours) {
        status = pbdrFail(error, pbdr_statusMeshBroken,
                          "no error estimate: %d points are too few for %d groups, it takes %d", cloud->count,
                          used.groups, 4 * used.neighbours * used.groups);
    } else if (group.points == NULL || group.normals == NULL || group.order == NULL) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for a group of %zu points", most);
    } else {
        status = weighWhole(mesh, &unit, whole, error);
    }
    if (status == pbdr_statusOk) {
        status = estimate(&used, &unit, whole, report, &group, e, error);
    }
    if (status == pbdr_statusOk) {
        fillErrors(e, mass, unit.scale, errors);
        errors->groups = used.groups;
    }
    pbdrRelease(unit.hooks, group.points, most, sizeof *group.points);
    pbdrRelease(unit.hooks, group.normals, most, sizeof *group.normals);
    pbdrRelease(unit.hooks, group.order, n, sizeof *group.order);
    pbdrFreeUnitCloud(&unit);
    return status;
}
