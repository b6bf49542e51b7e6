// Normals of a point cloud that has none. Their axis is the least principal axis of a point's neighbourhood
// (Hoppe et al. 1992). Their sign runs along a minimum spanning tree of the neighbours. Across an edge along
// the unit vector e a normal n is expected to go on as its mirror image (Koenig and Gumhold 2009)
//
//   m = n - 2 (n . e) e
//
// which is exact on circles, and right on both sides of an edge and of a thin wall. The edge's weight is
// 1 - |n' . m| (1 - |n . e|) (1 - |n' . e|): edges along the surface come first, as those across it are noise
// or lead to another wall. Kruskal's algorithm on a union-find that keeps each point's sign relative to its
// root needs no tree.
#include "geometry/point_cloud.h"

#include "base.h"
#include "math/sym3.h"
#include "math/vec.h"

#include <stdlib.h>

#define WEIGHT_STEPS 65536 // weights are sorted by counting
// Pieces at most: what a cloud of scattered points falls into.
#define MAX_COMPONENTS 1000
#define SAMPLES 1000 // points that the noise is measured at
// A neighbourhood counts as flat up to this rms thickness, in reaches: noise tilts its normal by about twice
// that over the root of k. Without noise a sphere of 96 points has 0.10, of 192 0.07.
#define FLAT_THICKNESS 0.12
// Points throughout a ball have 0.35 and more.
#define THICK 0.25
#define POINTS_PER_CHOICE 16 // more neighbours are tried where the cloud has this many points per neighbour

// --- Axes ---

// The least principal axis of a point and its neighbours; *thickness is their rms distance from the plane
// across it, in distances of the last neighbour.
static pbdrVec3 findNormal(const pbdrPointTree* tree, int i, const int32_t* neighbours, int count,
                           double* thickness)
{
    pbdrVec3 origin = tree->points[i], mean = {0.0, 0.0, 0.0};
    for (int k = 0; k < count; k++) {
        mean = pbdrAdd(mean, pbdrSub(tree->points[neighbours[k]], origin));
    }
    mean = pbdrScale(1.0 / (count + 1), mean);
    double unit = 1.0 / pbdrLength(pbdrSub(tree->points[neighbours[count - 1]], origin));
    pbdrMat3 sum = {{{0.0}}}, axes;
    for (int k = -1; k < count; k++) {
        pbdrVec3 p = k < 0 ? origin : tree->points[neighbours[k]];
        pbdrVec3 d = pbdrScale(unit, pbdrSub(pbdrSub(p, origin), mean));
        double v[3] = {d.x, d.y, d.z};
        for (int a = 0; a < 3; a++) {
            for (int b = a; b < 3; b++) {
                sum.m[a][b] += v[a] * v[b] / (count + 1);
            }
        }
    }
    double values[3];
    pbdrSymEigen(&sum, values, &axes);
    *thickness = sqrt(fmax(values[0], 0.0));
    return pbdrVec(axes.m[0][0], axes.m[1][0], axes.m[2][0]);
}

void pbdrEstimateCloudNormals(pbdrOrientedCloud* cloud)
{
    for (int i = 0; i < cloud->count; i++) {
        double thickness;
        cloud->normals[i] = findNormal(&cloud->tree, i, &cloud->pairs[(size_t)i * cloud->pairCount],
                                       cloud->neighbourCount, &thickness);
    }
}

static int compareNumbers(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// The median thickness of some neighbourhoods, in reaches or in metres.
static double findThickness(const pbdrPointTree* tree, int neighbourCount, bool inReaches)
{
    double samples[SAMPLES];
    int count = 0, stride = (tree->count - 1) / SAMPLES + 1;
    for (int i = 0; i < tree->count; i += stride) {
        int32_t found[PBDR_MAX_NEIGHBOURS];
        double squares[PBDR_MAX_NEIGHBOURS], thickness;
        pbdrFindNeighbours(tree, tree->points[i], i, neighbourCount, found, squares);
        findNormal(tree, i, found, neighbourCount, &thickness);
        samples[count++] = inReaches ? thickness : thickness * sqrt(squares[neighbourCount - 1]);
    }
    qsort(samples, (size_t)count, sizeof *samples, compareNumbers);
    return samples[count / 2];
}

int pbdrChooseNeighbours(const pbdrPointTree* tree, double* thickness)
{
    for (int count = PBDR_CLOUD_NEIGHBOURS;; count *= 2) {
        *thickness = findThickness(tree, count, true);
        if (*thickness < FLAT_THICKNESS) {
            return count;
        }
        if (2 * count > PBDR_MAX_NEIGHBOURS || POINTS_PER_CHOICE * 2 * count > tree->count) {
            return *thickness < THICK ? count : 0;
        }
    }
}

double pbdrMeasureCloudNoise(const pbdrPointTree* tree, int neighbourCount)
{
    // The plane has taken three of the points' freedoms.
    return findThickness(tree, neighbourCount, false) * sqrt((neighbourCount + 1.0) / (neighbourCount - 2.0));
}

// --- Signs ---

// How well the normal of j goes on that of i, 0 to 1; negative if they disagree.
static double getAgreement(const pbdrOrientedCloud* cloud, int32_t i, int32_t j)
{
    pbdrVec3 e = pbdrSub(cloud->tree.points[j], cloud->tree.points[i]);
    pbdrVec3 n = cloud->normals[i];
    double square = pbdrDot(e, e);
    double across = pbdrDot(n, e), acrossJ = pbdrDot(cloud->normals[j], e);
    pbdrVec3 mirrored = pbdrAddScaled(n, -2.0 * across / square, e);
    double along = (1.0 - fabs(across) / sqrt(square)) * (1.0 - fabs(acrossJ) / sqrt(square));
    return pbdrDot(mirrored, cloud->normals[j]) * fmax(along, 0.0);
}

typedef struct Signs {
    int32_t* parents;
    signed char* signs; // relative to the parent
} Signs;

// The root of i, and the sign of i relative to it. Halves the way there.
static int32_t findRoot(Signs* set, int32_t i, int* sign)
{
    *sign = 1;
    while (set->parents[i] != i) {
        int32_t up = set->parents[i];
        set->signs[i] = (signed char)(set->signs[i] * set->signs[up]);
        set->parents[i] = set->parents[up];
        *sign *= set->signs[i];
        i = set->parents[i];
    }
    return i;
}

static int getWeight(const pbdrOrientedCloud* cloud, size_t edge)
{
    int32_t i = (int32_t)(edge / (size_t)cloud->neighbourCount);
    int32_t j = cloud->pairs[(size_t)i * cloud->pairCount + edge % (size_t)cloud->neighbourCount];
    double weight = 1.0 - fabs(getAgreement(cloud, i, j));
    return weight > 0.0 ? (int)(weight * (WEIGHT_STEPS - 1)) : 0;
}

static void joinAlong(pbdrOrientedCloud* cloud, Signs* set, size_t edge)
{
    int32_t i = (int32_t)(edge / (size_t)cloud->neighbourCount);
    int32_t j = cloud->pairs[(size_t)i * cloud->pairCount + edge % (size_t)cloud->neighbourCount];
    int signI, signJ;
    int32_t rootI = findRoot(set, i, &signI), rootJ = findRoot(set, j, &signJ);
    if (rootI != rootJ) {
        int agreed = getAgreement(cloud, i, j) < 0.0 ? -1 : 1;
        int32_t low = rootI < rootJ ? rootI : rootJ, high = rootI < rootJ ? rootJ : rootI;
        set->parents[high] = low;
        set->signs[high] = (signed char)(signI * signJ * agreed);
    }
}

// Edges by weight, equal ones by number.
static void sortEdges(const pbdrOrientedCloud* cloud, size_t edgeCount, size_t* starts, uint32_t* sorted)
{
    for (size_t e = 0; e < edgeCount; e++) {
        starts[getWeight(cloud, e) + 1]++;
    }
    for (int w = 0; w < WEIGHT_STEPS; w++) {
        starts[w + 1] += starts[w];
    }
    for (size_t e = 0; e < edgeCount; e++) {
        sorted[starts[getWeight(cloud, e)]++] = (uint32_t)e;
    }
}

static void applySigns(pbdrOrientedCloud* cloud, Signs* set, int32_t* parts)
{
    cloud->components = 0;
    for (int32_t i = 0; i < cloud->count; i++) {
        int sign;
        int32_t root = findRoot(set, i, &sign);
        // Roots are the lowest of their component, so theirs is numbered already.
        parts[i] = root == i ? cloud->components++ : parts[root];
        cloud->normals[i] = pbdrScale(sign, cloud->normals[i]);
    }
}

pbdrStatus pbdrAgreeOnSigns(pbdrOrientedCloud* cloud, int32_t* parts, pbdrError* error)
{
    size_t n = (size_t)cloud->count, edgeCount = n * (size_t)cloud->neighbourCount;
    size_t* starts = pbdrAllocate(cloud->hooks, WEIGHT_STEPS + 1, sizeof *starts);
    uint32_t* sorted = pbdrAllocate(cloud->hooks, edgeCount, sizeof *sorted);
    Signs set = {pbdrAllocate(cloud->hooks, n, sizeof *set.parents),
                 pbdrAllocate(cloud->hooks, n, sizeof *set.signs)};
    pbdrStatus status = pbdr_statusOk;
    if (starts == NULL || sorted == NULL || set.parents == NULL || set.signs == NULL) {
        status =
            pbdrFail(error, pbdr_statusNoMemory, "no memory for the neighbours of %d points", cloud->count);
    } else {
        for (int32_t i = 0; i < cloud->count; i++) {
            set.parents[i] = i;
            set.signs[i] = 1;
        }
        sortEdges(cloud, edgeCount, starts, sorted);
        for (size_t e = 0; e < edgeCount; e++) {
            joinAlong(cloud, &set, sorted[e]);
        }
        applySigns(cloud, &set, parts);
    }
    pbdrRelease(cloud->hooks, starts, WEIGHT_STEPS + 1, sizeof *starts);
    pbdrRelease(cloud->hooks, sorted, edgeCount, sizeof *sorted);
    pbdrRelease(cloud->hooks, set.parents, n, sizeof *set.parents);
    pbdrRelease(cloud->hooks, set.signs, n, sizeof *set.signs);
    return status;
}

// --- Outside ---

typedef struct Component {
    pbdrVec3 centre; // sum of a p, then the centre of area
    double area, flux;
    double winding;  // about the point in question
    int32_t example; // one of its points
    int sign;
} Component;

static void turnOutwards(pbdrOrientedCloud* cloud, const int32_t* parts, Component* components)
{
    pbdrVec3 origin = cloud->tree.points[0];
    for (int32_t i = 0; i < cloud->count; i++) {
        Component* c = &components[parts[i]];
        c->example = c->area == 0.0 ? i : c->example;
        c->area += cloud->areas[i];
        c->centre = pbdrAddScaled(c->centre, cloud->areas[i], pbdrSub(cloud->tree.points[i], origin));
    }
    for (int k = 0; k < cloud->components; k++) {
        components[k].centre = pbdrAddScaled(origin, 1.0 / components[k].area, components[k].centre);
    }
    for (int32_t i = 0; i < cloud->count; i++) {
        Component* c = &components[parts[i]];
        c->flux += cloud->areas[i] * pbdrDot(pbdrSub(cloud->tree.points[i], c->centre), cloud->normals[i]);
    }
    for (int k = 0; k < cloud->components; k++) {
        components[k].sign = components[k].flux < 0.0 ? -1 : 1;
    }
}

// How many other components are around the example of component k.
static int countAround(const pbdrOrientedCloud* cloud, const int32_t* parts, Component* components, int k)
{
    pbdrVec3 place = cloud->tree.points[components[k].example];
    for (int c = 0; c < cloud->components; c++) {
        components[c].winding = 0.0;
    }
    for (int32_t i = 0; i < cloud->count; i++) {
        pbdrVec3 r = pbdrSub(cloud->tree.points[i], place);
        double square = pbdrDot(r, r);
        if (parts[i] != k && square > 0.0) {
            components[parts[i]].winding +=
                cloud->areas[i] * pbdrDot(cloud->normals[i], r) / (4.0 * PBDR_PI * square * sqrt(square));
        }
    }
    int around = 0;
    for (int c = 0; c < cloud->components; c++) {
        around += fabs(components[c].winding) > 0.5;
    }
    return around;
}

pbdrStatus pbdrTurnComponents(pbdrOrientedCloud* cloud, const int32_t* parts, pbdrError* error)
{
    if (cloud->components > MAX_COMPONENTS) {
        return pbdrFail(error, pbdr_statusMeshBroken,
                        "point cloud: %d points fall into %d pieces, at most %d are possible", cloud->count,
                        cloud->components, MAX_COMPONENTS);
    }
    size_t n = (size_t)cloud->components;
    Component* components = pbdrAllocate(cloud->hooks, n, sizeof *components);
    if (components == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d pieces", cloud->components);
    }
    turnOutwards(cloud, parts, components);
    for (int k = 0; k < cloud->components && cloud->components > 1; k++) {
        if (countAround(cloud, parts, components, k) % 2 == 1) {
            components[k].sign = -components[k].sign;
        }
    }
    for (int32_t i = 0; i < cloud->count; i++) {
        cloud->normals[i] = pbdrScale(components[parts[i]].sign, cloud->normals[i]);
    }
    pbdrRelease(cloud->hooks, components, n, sizeof *components);
    return pbdr_statusOk;
}
