// Facets of a convex hull: a largest triangle with all that is joined to it and lies in its plane within the
// tolerance, then the largest of those left, and so on.
#include "geometry/convex_hull.h"

#include "base.h"
#include "math/vec.h"

#include <stdlib.h>

#define NONE (-1)

typedef struct RankedTriangle {
    double area;
    int32_t index;
} RankedTriangle;

static int compareTriangles(const void* a, const void* b)
{
    const RankedTriangle *p = a, *q = b;
    if (p->area != q->area) {
        return p->area > q->area ? -1 : 1;
    }
    return p->index < q->index ? -1 : 1;
}

// Half the cross product of two edges.
static pbdrVec3 getAreaVector(const pbdrHull* hull, int triangle)
{
    const int32_t* c = hull->triangles[triangle];
    pbdrVec3 a = hull->vertices[c[0]];
    return pbdrScale(0.5, pbdrCross(pbdrSub(hull->vertices[c[1]], a), pbdrSub(hull->vertices[c[2]], a)));
}

static bool isInPlane(const pbdrHull* hull, int triangle, pbdrVec3 point, pbdrVec3 normal, double tolerance)
{
    for (int k = 0; k < 3; k++) {
        pbdrVec3 offset = pbdrSub(hull->vertices[hull->triangles[triangle][k]], point);
        if (!(fabs(pbdrDot(offset, normal)) <= tolerance)) {
            return false;
        }
    }
    return pbdrDot(getAreaVector(hull, triangle), normal) >= 0.0; // not the far side of a thin plate
}

// The triangle's facet with all that belongs to it. stack has room for all triangles.
static void growFacet(pbdrHull* hull, int seed, double tolerance, const int32_t (*neighbours)[3],
                      int32_t* stack)
{
    int facet = hull->facetCount++, count = 0;
    pbdrVec3 normal = getAreaVector(hull, seed), sum = {0.0, 0.0, 0.0};
    double length = pbdrLength(normal);
    normal = length > 0.0 ? pbdrScale(1.0 / length, normal) : pbdrVec(0.0, 0.0, 0.0);
    pbdrVec3 point = hull->vertices[hull->triangles[seed][0]];
    stack[count++] = seed;
    hull->triangleFacets[seed] = facet;
    while (count > 0) {
        int t = stack[--count];
        sum = pbdrAdd(sum, getAreaVector(hull, t));
        for (int e = 0; e < 3; e++) {
            int other = neighbours[t][e];
            if (hull->triangleFacets[other] == NONE && isInPlane(hull, other, point, normal, tolerance)) {
                hull->triangleFacets[other] = facet;
                stack[count++] = other;
            }
        }
    }
    double area = pbdrLength(sum);
    hull->facetAreas[facet] = area;
    hull->facetNormals[facet] = area > 0.0 ? pbdrScale(1.0 / area, sum) : normal;
}

bool pbdrFindFacets(pbdrHull* hull, double tolerance, const int32_t (*neighbours)[3])
{
    size_t n = (size_t)hull->triangleCount;
    RankedTriangle* ranked = pbdrAllocate(&hull->hooks, n, sizeof *ranked);
    int32_t* stack = pbdrAllocate(&hull->hooks, n, sizeof *stack);
    bool good = ranked != NULL && stack != NULL;
    for (int t = 0; good && t < hull->triangleCount; t++) {
        ranked[t] = (RankedTriangle){pbdrLength(getAreaVector(hull, t)), t};
        hull->triangleFacets[t] = NONE;
    }
    if (good) {
        qsort(ranked, n, sizeof *ranked, compareTriangles);
    }
    for (int k = 0; good && k < hull->triangleCount; k++) {
        if (hull->triangleFacets[ranked[k].index] == NONE) {
            growFacet(hull, ranked[k].index, tolerance, neighbours, stack);
        }
    }
    pbdrRelease(&hull->hooks, ranked, n, sizeof *ranked);
    pbdrRelease(&hull->hooks, stack, n, sizeof *stack);
    return good;
}
