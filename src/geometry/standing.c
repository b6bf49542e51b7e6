// How a body stands: on a facet of its hull that has the centre of mass above it.
//
//   hull --> facets --> those with the centre above them --> the one facing down most --> base, margin, slope
//
// The base is wider than the facet where a mesh is uneven: all corners that are as near to the floor as a
// surface packing makes flat.
#include "base.h"
#include "geometry/support.h"
#include "math/vec.h"
#include "pbdr/geometry.h"

#include <string.h>

// Facets count as equally near to -z within this angle [rad].
#define SAME_ANGLE 1.0e-6

static double getAngleFromDown(pbdrVec3 normal)
{
    return atan2(hypot(normal.x, normal.y), -normal.z);
}

// The turn by the shortest way from a unit vector to -z.
static pbdrQuat getTurnDown(pbdrVec3 normal)
{
    // half way between both; for +z any horizontal axis will do
    pbdrQuat q = {1.0 - normal.z, -normal.y, normal.x, 0.0};
    if (pbdrLengthQ(q) < 1.0e-9) {
        return (pbdrQuat){0.0, 1.0, 0.0, 0.0};
    }
    return pbdrNormalizeQ(q);
}

// The hull with what is looked for on it.
typedef struct Search {
    pbdrHull hull;
    pbdrVec3 centre; // of mass
    double size;     // largest extent of the hull
    pbdrVec3 *points, *polygon;
    // of the facets, the triangles one after the other
    int32_t *firsts, *members;
} Search;

// Standing axes of the points wanted, the projected centre at the origin. Returns how many.
static int projectFacet(const Search* search, int facet, const pbdrMat3* turn)
{
    int count = 0;
    for (int32_t k = search->firsts[facet]; k < search->firsts[facet + 1]; k++) {
        for (int c = 0; c < 3; c++) {
            int32_t vertex = search->hull.triangles[search->members[k]][c];
            search->points[count++] = pbdrMulMV(turn, pbdrSub(search->hull.vertices[vertex], search->centre));
        }
    }
    return count;
}

// How far within the facet's edges the centre is.
static double getFacetMargin(const Search* search, int facet)
{
    pbdrMat3 turn = pbdrMatFromQuat(getTurnDown(search->hull.facetNormals[facet]));
    int count = pbdrFindHull(search->points, projectFacet(search, facet, &turn), search->polygon);
    return count >= 3 ? pbdrGetHullMargin(search->polygon, count, pbdrVec(0.0, 0.0, 0.0)) : -HUGE_VAL;
}

// The facet to stand on, or -1.
static int chooseFacet(const Search* search, int* stableCount)
{
    int best = -1;
    double bestAngle = (double)INFINITY, bestMargin = 0.0;
    *stableCount = 0;
    for (int facet = 0; facet < search->hull.facetCount; facet++) {
        double margin = getFacetMargin(search, facet);
        if (!(margin > PBDR_STAND_MARGIN * search->size)) {
            continue;
        }
        (*stableCount)++;
        double angle = getAngleFromDown(search->hull.facetNormals[facet]);
        if (angle < bestAngle - SAME_ANGLE || (angle < bestAngle + SAME_ANGLE && margin > bestMargin)) {
            best = facet;
            bestAngle = angle;
            bestMargin = margin;
        }
    }
    return best;
}

// The turn about the base's edge from a to b until the hull touches the floor again. top: of the base.
static double getNextTurn(const Search* search, const pbdrMat3* turn, double floor, double top, pbdrVec3 a,
                          pbdrVec3 b)
{
    double length = hypot(b.x - a.x, b.y - a.y), least = PBDR_PI;
    for (int i = 0; i < search->hull.vertexCount; i++) {
        pbdrVec3 p = pbdrMulMV(turn, pbdrSub(search->hull.vertices[i], search->centre));
        double beyond = ((p.x - a.x) * (b.y - a.y) - (p.y - a.y) * (b.x - a.x)) / length;
        if (p.z > top) {
            least = fmin(least, atan2(p.z - floor, beyond));
        }
    }
    return least;
}

static void describeStanding(const Search* search, int facet, pbdrStanding* standing)
{
    standing->normal = search->hull.facetNormals[facet];
    standing->rotation = getTurnDown(standing->normal);
    standing->turn = getAngleFromDown(standing->normal);
    pbdrMat3 turn = pbdrMatFromQuat(standing->rotation);
    double lowest = (double)INFINITY, highest = -(double)INFINITY;
    for (int i = 0; i < search->hull.vertexCount; i++) {
        pbdrVec3 p = pbdrMulMV(&turn, pbdrSub(search->hull.vertices[i], search->centre));
        lowest = fmin(lowest, p.z);
        highest = fmax(highest, p.z);
    }
    standing->height = highest - lowest;
    standing->centreHeight = -lowest;
    double top = lowest + PBDR_BASE_TOLERANCE * standing->height;
    int count = 0;
    for (int i = 0; i < search->hull.vertexCount; i++) {
        pbdrVec3 p = pbdrMulMV(&turn, pbdrSub(search->hull.vertices[i], search->centre));
        if (p.z <= top) {
            search->points[count++] = p;
        }
    }
    count = pbdrFindHull(search->points, count, search->polygon);
    standing->baseArea = pbdrGetHullArea(search->polygon, count);
    standing->margin = (double)INFINITY;
    int nearest = 0;
    for (int i = 0; i < count; i++) {
        pbdrVec3 a = search->polygon[i], b = search->polygon[(i + 1) % count];
        double distance = (a.x * b.y - a.y * b.x) / hypot(b.x - a.x, b.y - a.y); // of the origin
        if (distance < standing->margin) {
            standing->margin = distance;
            nearest = i;
        }
    }
    standing->slope = atan2(standing->margin, standing->centreHeight);
    standing->nextTurn = getNextTurn(search, &turn, lowest, top, search->polygon[nearest],
                                     search->polygon[(nearest + 1) % count]);
    standing->rolls = standing->slope < PBDR_ROLL_SLOPE && standing->nextTurn < PBDR_ROLL_TURN;
}

// Sorts the triangles by facet.
static void listMembers(Search* search)
{
    const pbdrHull* hull = &search->hull;
    for (int t = 0; t < hull->triangleCount; t++) {
        search->firsts[hull->triangleFacets[t] + 1]++;
    }
    for (int k = 0; k < hull->facetCount; k++) {
        search->firsts[k + 1] += search->firsts[k];
    }
    for (int t = hull->triangleCount - 1; t >= 0; t--) { // firsts[k + 1] runs down to where facet k begins
        search->members[--search->firsts[hull->triangleFacets[t] + 1]] = t;
    }
    memmove(search->firsts, search->firsts + 1, (size_t)hull->facetCount * sizeof *search->firsts);
    search->firsts[hull->facetCount] = hull->triangleCount;
}

static pbdrStatus searchHull(Search* search, const pbdrHooks* hooks, pbdrStanding* standing, pbdrError* error)
{
    const pbdrHull* hull = &search->hull;
    size_t corners = 3 * (size_t)hull->triangleCount + 1, facets = (size_t)hull->facetCount + 1;
    search->points = pbdrAllocate(hooks, corners, sizeof *search->points);
    search->polygon = pbdrAllocate(hooks, corners, sizeof *search->polygon);
    search->firsts = pbdrAllocate(hooks, facets, sizeof *search->firsts);
    search->members = pbdrAllocate(hooks, (size_t)hull->triangleCount, sizeof *search->members);
    pbdrStatus status = pbdr_statusOk;
    if (search->points == NULL || search->polygon == NULL || search->firsts == NULL ||
        search->members == NULL) {
        status =
            pbdrFail(error, pbdr_statusNoMemory, "no memory for a hull of %d triangles", hull->triangleCount);
    } else {
        listMembers(search);
        int facet = chooseFacet(search, &standing->stableCount);
        if (facet >= 0) {
            describeStanding(search, facet, standing);
        } else {
            // a closed body always has one, but not with its centre of mass beyond the digits of its hull
            status =
                pbdrFail(error, pbdr_statusMeshBroken,
                         "mesh: stands on none of its hull's %d facets: the centre of mass is at (%g, %g, "
                         "%g) m",
                         hull->facetCount, search->centre.x, search->centre.y, search->centre.z);
        }
    }
    pbdrRelease(hooks, search->points, corners, sizeof *search->points);
    pbdrRelease(hooks, search->polygon, corners, sizeof *search->polygon);
    pbdrRelease(hooks, search->firsts, facets, sizeof *search->firsts);
    pbdrRelease(hooks, search->members, (size_t)hull->triangleCount, sizeof *search->members);
    return status;
}

pbdrStatus pbdrMesh_FindStanding(const pbdrMesh* mesh, pbdrStanding* standing, pbdrError* error)
{
    if (!PBDR_ASSERT(NULL, mesh != NULL && standing != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh or standing: NULL");
    }
    memset(standing, 0, sizeof *standing);
    pbdrMassProperties properties;
    Search search = {0};
    pbdrStatus status = pbdrMesh_GetSolidProperties(mesh, 1.0, &properties, NULL, error);
    if (status == pbdr_statusOk) {
        status = pbdrCreateHull(mesh->vertices, mesh->vertexCount, PBDR_HULL_FLATNESS, &mesh->hooks,
                                &search.hull, error);
    }
    if (status == pbdr_statusOk) {
        pbdrVec3 lower, upper;
        pbdrMesh_GetBounds(mesh, &lower, &upper);
        pbdrVec3 extent = pbdrSub(upper, lower);
        search.size = fmax(extent.x, fmax(extent.y, extent.z));
        search.centre = properties.centre;
        status = searchHull(&search, &mesh->hooks, standing, error);
    }
    pbdrHull_Free(&search.hull);
    if (status != pbdr_statusOk) {
        memset(standing, 0, sizeof *standing);
    }
    return status;
}

pbdrStatus pbdrMesh_Stand(pbdrMesh* mesh, pbdrStanding* standing, pbdrError* error)
{
    pbdrStanding own;
    standing = standing != NULL ? standing : &own;
    pbdrStatus status = pbdrMesh_FindStanding(mesh, standing, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrMat3 turn = pbdrMatFromQuat(standing->rotation);
    double lowest = (double)INFINITY;
    for (int i = 0; i < mesh->vertexCount; i++) {
        mesh->vertices[i] = pbdrMulMV(&turn, mesh->vertices[i]);
        lowest = fmin(lowest, mesh->vertices[i].z);
    }
    for (int i = 0; i < mesh->vertexCount; i++) {
        mesh->vertices[i].z -= lowest;
    }
    return status;
}
