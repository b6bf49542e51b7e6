// The area that each point of a cloud stands for: its Voronoi cell among its neighbours in the tangent plane
// (Barill et al. 2018). Cells tile a plane without gap or overlap, so flat parts weigh exactly what they
// measure, however unevenly they are sampled.
//
// Seen along the normal, neighbours beyond a sharp edge would crowd at the edge and take the strip before it.
// They are laid out at their distance instead, as if the surface were unfolded. Neighbours that face the
// other way are the far side of a thin wall, and no neighbours.
#include "geometry/point_cloud.h"

#include "math/vec.h"

#include <stdlib.h>

#define MAX_CORNERS (PBDR_MAX_NEIGHBOURS + 4)
#define UNFOLD_BELOW 0.7    // cosine between normals: over 45 degrees is an edge
#define OPPOSITE_BELOW -0.3 // a cube's corner is 0
#define ODD_ONE_OUT 1.5     // neighbours over those that face the other way, at most

typedef struct Corner {
    double u, v;
} Corner;

typedef struct Cell {
    int count;
    Corner corners[MAX_CORNERS];
} Cell;

// Keeps what lies nearer to the origin than to q: x . q <= q . q / 2.
static void clipCell(Cell* cell, Corner q)
{
    double limit = 0.5 * (q.u * q.u + q.v * q.v);
    Cell kept = {0};
    for (int i = 0; i < cell->count; i++) {
        Corner a = cell->corners[i], b = cell->corners[(i + 1) % cell->count];
        double sa = a.u * q.u + a.v * q.v - limit, sb = b.u * q.u + b.v * q.v - limit;
        if (sa <= 0.0 && kept.count < MAX_CORNERS) {
            kept.corners[kept.count++] = a;
        }
        if ((sa < 0.0 && sb > 0.0) || (sa > 0.0 && sb < 0.0)) {
            double t = sa / (sa - sb);
            if (kept.count < MAX_CORNERS) {
                kept.corners[kept.count++] = (Corner){a.u + t * (b.u - a.u), a.v + t * (b.v - a.v)};
            }
        }
    }
    *cell = kept;
}

static double getCellArea(const Cell* cell)
{
    double twice = 0.0;
    for (int i = 0; i < cell->count; i++) {
        Corner a = cell->corners[i], b = cell->corners[(i + 1) % cell->count];
        twice += a.u * b.v - b.u * a.v;
    }
    return 0.5 * twice;
}

// Two unit vectors that make a right-handed frame with n (Duff et al. 2017).
static void makeFrame(pbdrVec3 n, pbdrVec3* u, pbdrVec3* v)
{
    double sign = n.z < 0.0 ? -1.0 : 1.0, a = -1.0 / (sign + n.z), b = n.x * n.y * a;
    *u = pbdrVec(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    *v = pbdrVec(b, sign + n.y * n.y * a, -n.y);
}

static double measurePoint(const pbdrOrientedCloud* cloud, int i, double reach)
{
    pbdrVec3 n = cloud->normals[i], axisU, axisV;
    makeFrame(n, &axisU, &axisV);
    int opposite = 0;
    for (int k = 0; k < cloud->pairCount; k++) {
        int32_t j = cloud->pairs[(size_t)i * cloud->pairCount + k];
        opposite += pbdrDot(n, cloud->normals[j]) < OPPOSITE_BELOW;
    }
    // Where almost all face the other way the point's own normal is wrong.
    double least = ODD_ONE_OUT * opposite > cloud->pairCount ? -2.0 : OPPOSITE_BELOW;
    Cell cell = {4, {{-reach, -reach}, {reach, -reach}, {reach, reach}, {-reach, reach}}};
    for (int k = 0; k < cloud->pairCount; k++) {
        int32_t j = cloud->pairs[(size_t)i * cloud->pairCount + k];
        pbdrVec3 d = pbdrSub(cloud->tree.points[j], cloud->tree.points[i]);
        Corner q = {pbdrDot(d, axisU), pbdrDot(d, axisV)};
        double cosine = pbdrDot(n, cloud->normals[j]), flat = sqrt(q.u * q.u + q.v * q.v);
        if (cosine < least || !(flat > 0.0)) {
            continue;
        }
        double stretch = cosine < UNFOLD_BELOW ? pbdrLength(d) / flat : 1.0;
        clipCell(&cell, (Corner){stretch * q.u, stretch * q.v});
    }
    return getCellArea(&cell);
}

static int compareNumbers(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

double pbdrGetCloudSpacing(const pbdrOrientedCloud* cloud, double reach)
{
    return reach * sqrt(PBDR_PI / (cloud->neighbourCount + 0.5));
}

void pbdrMeasureCloudAreas(pbdrOrientedCloud* cloud)
{
    cloud->area = 0.0;
    for (int i = 0; i < cloud->count; i++) {
        int32_t far = cloud->pairs[(size_t)i * cloud->pairCount + cloud->neighbourCount - 1];
        cloud->reaches[i] = pbdrLength(pbdrSub(cloud->tree.points[far], cloud->tree.points[i]));
        cloud->areas[i] = measurePoint(cloud, i, cloud->reaches[i]);
        cloud->area += cloud->areas[i];
        cloud->radii[i] = cloud->reaches[i];
    }
    qsort(cloud->radii, (size_t)cloud->count, sizeof *cloud->radii, compareNumbers);
    cloud->medianReach = cloud->radii[cloud->count / 2];
    for (int i = 0; i < cloud->count; i++) {
        cloud->radii[i] = PBDR_CLOUD_SMOOTHING * cloud->reaches[i];
    }
}
