// Convex hulls in the plane by Andrew's monotone chain (1979), and how far a point is from their edges.
#include "geometry/support.h"

#include "math/vec.h"

#include <stdlib.h>

static int comparePoints(const void* a, const void* b)
{
    const pbdrVec3 *p = a, *q = b;
    if (p->x != q->x) {
        return p->x < q->x ? -1 : 1;
    }
    if (p->y != q->y) {
        return p->y < q->y ? -1 : 1;
    }
    return p->z < q->z ? -1 : p->z > q->z;
}

// Twice the area of the triangle, above 0 for a turn to the left.
static double getTurn(pbdrVec3 a, pbdrVec3 b, pbdrVec3 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

int pbdrFindHull(pbdrVec3* points, int count, pbdrVec3* hull)
{
    if (count < 1) {
        return 0;
    }
    qsort(points, (size_t)count, sizeof *points, comparePoints);
    int n = 0;
    for (int i = 0; i < count; i++) { // the lower side
        while (n >= 2 && getTurn(hull[n - 2], hull[n - 1], points[i]) <= 0.0) {
            n--;
        }
        hull[n++] = points[i];
    }
    int lower = n + 1;
    for (int i = count - 2; i >= 0; i--) { // the upper side
        while (n >= lower && getTurn(hull[n - 2], hull[n - 1], points[i]) <= 0.0) {
            n--;
        }
        hull[n++] = points[i];
    }
    return n > 1 ? n - 1 : n; // the last is the first again
}

double pbdrGetHullArea(const pbdrVec3* hull, int count)
{
    double area = 0.0;
    for (int i = 1; i + 1 < count; i++) {
        area += 0.5 * getTurn(hull[0], hull[i], hull[i + 1]);
    }
    return area;
}

double pbdrGetHullMargin(const pbdrVec3* hull, int count, pbdrVec3 point)
{
    double margin = (double)INFINITY;
    for (int i = 0; i < count; i++) {
        pbdrVec3 a = hull[i], b = hull[(i + 1) % count];
        double length = hypot(b.x - a.x, b.y - a.y);
        double distance = hypot(point.x - a.x, point.y - a.y);
        if (count < 3 && !(length > 0.0)) {
            margin = fmin(margin, -distance);
        } else {
            margin = fmin(margin, getTurn(a, b, point) / length);
        }
    }
    return count > 0 ? margin : 0.0;
}

double pbdrGetHullReach(const pbdrVec3* hull, int count, pbdrVec3 point, pbdrVec3 direction)
{
    double length = hypot(direction.x, direction.y), reach = (double)INFINITY;
    if (count < 3 || !(length > 0.0)) {
        return 0.0;
    }
    for (int i = 0; i < count; i++) {
        pbdrVec3 a = hull[i], b = hull[(i + 1) % count];
        double turn = getTurn(a, b, point); // the distance times the edge's length
        if (turn < 0.0) {
            return 0.0;
        }
        double approach = ((b.y - a.y) * direction.x - (b.x - a.x) * direction.y) / length;
        if (approach > 0.0) {
            reach = fmin(reach, turn / approach);
        }
    }
    return reach;
}
