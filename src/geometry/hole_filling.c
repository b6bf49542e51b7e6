// Closing the rims of a surface. Count each edge's triangles with their direction: where they do not cancel,
// the surface has a rim, and the missing directed edges enter and leave every vertex equally often (the
// boundary of a boundary is nothing). So they always fall apart into loops; the shortest loop through each
// edge is taken. A loop is filled by the triangulation of least area between its own vertices (dynamic
// programming, Klincsek 1980), or by a fan about its middle if it is long.
//
// What a fill may be off: a hole of area A is missing what was above it. If the surface meets the fill at the
// angle th, a cone of that angle over a disc of radius a = sqrt(A / pi) holds
//
//   dV = A a tan(th) / 3
//
// and a spherical cap less. th is the mean over the rim's edges, from the neighbours to the fill as a whole:
// a jagged rim's teeth are filled flush with their neighbours and say nothing. A rim of three edges is most
// often one lost facet, which the fill gives back exactly, and a facet has neighbours at all angles: there th
// is the least of the three. A fill that folds back on all its neighbours is the back of a loose sheet, and
// encloses nothing.
#include "geometry/mesh_repair.h"

#include "base.h"
#include "math/vec.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

// Longer loops are filled by a fan: the search takes the cube of the length.
#define MAX_SEARCHED_LOOP 64

// tan(th) at most: at a right angle the surface may go on for ever.
#define MAX_TANGENT 6.0

// From 150 degrees on a fill is the back of a sheet.
#define FOLDED_ANGLE 2.6

// Edges looked at to find all loops: many facets that meet in a few corners would take the square of their
// number.
#define MAX_STEPS 100000000

// A directed edge that a fill must have.
typedef struct RimEdge {
    int32_t from, to;
    int32_t across;   // third corner of a triangle that has the edge the other way round
    int32_t triangle; // that one
    bool used;
} RimEdge;

typedef struct Rim {
    RimEdge* edges; // by from, then to
    int count;
    int32_t* firsts;  // per vertex, the first edge from there; vertexCount + 1 of them
    int32_t* came;    // search: the edge by which a vertex was reached
    int32_t* stamps;  // search: in which one the vertex was reached
    int32_t* queue;   // search: vertices; then the loop's edges
    double* areas;    // MAX_SEARCHED_LOOP^2 each: of the best fill between two of a loop's vertices
    int32_t* middles; //   and the third corner of its triangle
    int64_t steps;    // edges looked at so far
} Rim;

static int compareRimEdges(const void* a, const void* b)
{
    const RimEdge *x = a, *y = b;
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    if (x->to != y->to) {
        return x->to < y->to ? -1 : 1;
    }
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

// Counts the rim's edges; lists them unless edges is NULL.
static int listRim(const pbdrSoup* soup, const pbdrSide* sides, RimEdge* edges)
{
    size_t sideCount = 3 * (size_t)soup->triangleCount;
    int count = 0;
    for (size_t i = 0, n; i < sideCount; i += n) {
        n = pbdrCountSides(sides, i, sideCount);
        int net = 0;
        for (size_t k = i; k < i + n; k++) {
            net += sides[k].direction;
        }
        for (size_t k = i; k < i + n && net != 0; k++) {
            if (sides[k].direction * net < 0) {
                continue; // one of the minority
            }
            net -= sides[k].direction;
            if (edges != NULL) {
                const int32_t* t = soup->triangles[sides[k].triangle];
                int32_t low = sides[k].low, high = sides[k].high, across = t[0] + t[1] + t[2] - low - high;
                edges[count] = sides[k].direction > 0
                                   ? (RimEdge){high, low, across, sides[k].triangle, false}
                                   : (RimEdge){low, high, across, sides[k].triangle, false};
            }
            count++;
        }
    }
    return count;
}

// --- Loops ---

// The shortest way from an edge's end back to its start over unused edges; breadth first. A loop that is the
// back of the triangle beside it is left out unless backsToo. Returns the loop's length, 0 if there is none;
// its edges are put into the queue, in order.
static int findLoop(Rim* rim, int32_t start, int32_t stamp, bool backsToo)
{
    const RimEdge* first = &rim->edges[start];
    int32_t head = 0, tail = 0;
    rim->queue[tail++] = first->to;
    rim->stamps[first->to] = stamp;
    rim->came[first->to] = start;
    while (head < tail && rim->stamps[first->from] != stamp) {
        int32_t v = rim->queue[head++];
        rim->steps += 1 + rim->firsts[v + 1] - rim->firsts[v];
        for (int32_t e = rim->firsts[v]; e < rim->firsts[v + 1]; e++) {
            const RimEdge* edge = &rim->edges[e];
            if (edge->used || rim->stamps[edge->to] == stamp) {
                continue;
            }
            bool isBack =
                edge->to == first->from && v == first->across && rim->edges[rim->came[v]].from == first->to;
            if (isBack && !backsToo) {
                continue;
            }
            rim->stamps[edge->to] = stamp;
            rim->came[edge->to] = e;
            rim->queue[tail++] = edge->to;
        }
    }
    if (rim->stamps[first->from] != stamp) {
        return 0;
    }
    int length = 0;
    for (int32_t v = first->from; v != first->to; v = rim->edges[rim->came[v]].from) {
        length++;
    }
    int32_t e = rim->came[first->from];
    for (int k = length; k > 0; k--) {
        rim->queue[k] = e;
        e = rim->came[rim->edges[e].from];
    }
    rim->queue[0] = start;
    return length + 1;
}

// --- Filling ---

static pbdrVec3 getNormal(const pbdrSoup* soup, int32_t a, int32_t b, int32_t c) // times twice the area
{
    pbdrVec3 apex = soup->vertices[a];
    return pbdrCross(pbdrSub(soup->vertices[b], apex), pbdrSub(soup->vertices[c], apex));
}

static void addTriangle(pbdrSoup* soup, int32_t a, int32_t b, int32_t c)
{
    int32_t* t = soup->triangles[soup->triangleCount++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static int32_t getCorner(const Rim* rim, int k)
{
    return rim->edges[rim->queue[k]].from;
}

static void addBestTriangles(const Rim* rim, pbdrSoup* soup, int i, int j)
{
    while (j - i > 1) {
        int middle = rim->middles[i * MAX_SEARCHED_LOOP + j];
        addTriangle(soup, getCorner(rim, i), getCorner(rim, middle), getCorner(rim, j));
        // the shorter side by recursion: no deeper than the logarithm of the loop
        if (middle - i < j - middle) {
            addBestTriangles(rim, soup, i, middle);
            i = middle;
        } else {
            addBestTriangles(rim, soup, middle, j);
            j = middle;
        }
    }
}

static void fillByLeastArea(Rim* rim, pbdrSoup* soup, int length)
{
    for (int span = 1; span < length; span++) {
        for (int i = 0; i + span < length; i++) {
            int j = i + span;
            double best = span == 1 ? 0.0 : DBL_MAX;
            int32_t middle = i + 1;
            for (int k = i + 1; k < j; k++) {
                double area =
                    rim->areas[i * MAX_SEARCHED_LOOP + k] + rim->areas[k * MAX_SEARCHED_LOOP + j] +
                    pbdrLength(getNormal(soup, getCorner(rim, i), getCorner(rim, k), getCorner(rim, j)));
                if (area < best) {
                    best = area;
                    middle = k;
                }
            }
            rim->areas[i * MAX_SEARCHED_LOOP + j] = best;
            rim->middles[i * MAX_SEARCHED_LOOP + j] = middle;
        }
    }
    addBestTriangles(rim, soup, 0, length - 1);
}

static void fillByFan(const Rim* rim, pbdrSoup* soup, int length)
{
    pbdrVec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < length; k++) {
        sum = pbdrAdd(sum, soup->vertices[getCorner(rim, k)]);
    }
    int32_t middle = soup->vertexCount++;
    soup->vertices[middle] = pbdrScale(1.0 / length, sum);
    for (int k = 0; k < length; k++) {
        addTriangle(soup, getCorner(rim, k), getCorner(rim, (k + 1) % length), middle);
    }
}

// Between two normals; -1 if one of them is none.
static double getAngle(pbdrVec3 a, pbdrVec3 b)
{
    double sine = pbdrLength(pbdrCross(a, b)), cosine = pbdrDot(a, b);
    return sine > 0.0 || fabs(cosine) > 0.0 ? atan2(sine, cosine) : -1.0;
}

// By how much the solid may be off for the fill that begins at triangle `first` [m^3].
static double estimateError(const Rim* rim, const pbdrSoup* soup, int length, int first)
{
    double area = 0.0, sum = 0.0, least = PBDR_PI, weight = 0.0;
    pbdrVec3 fill = {0.0, 0.0, 0.0};
    for (int t = first; t < soup->triangleCount; t++) {
        const int32_t* c = soup->triangles[t];
        pbdrVec3 normal = getNormal(soup, c[0], c[1], c[2]);
        area += 0.5 * pbdrLength(normal);
        fill = pbdrAdd(fill, normal);
    }
    for (int k = 0; k < length; k++) {
        const RimEdge* edge = &rim->edges[rim->queue[k]];
        const int32_t* b = soup->triangles[edge->triangle];
        double angle = getAngle(fill, getNormal(soup, b[0], b[1], b[2]));
        double edgeLength = pbdrLength(pbdrSub(soup->vertices[edge->to], soup->vertices[edge->from]));
        if (angle >= 0.0) {
            least = fmin(least, angle);
            sum += edgeLength * angle;
            weight += edgeLength;
        }
    }
    if (!(weight > 0.0) || least >= FOLDED_ANGLE) {
        return 0.0;
    }
    double angle = length == 3 ? least : sum / weight;
    double tangent = angle < 0.5 * PBDR_PI ? fmin(tan(angle), MAX_TANGENT) : MAX_TANGENT;
    return area * sqrt(area / PBDR_PI) * tangent / 3.0;
}

static pbdrStatus fillLoops(Rim* rim, pbdrSoup* soup, pbdrMeshRepair* report, pbdrError* error)
{
    int32_t stamp = 0;
    // first without, then with loops that only close a loose triangle's back
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t start = 0; start < rim->count; start++) {
            if (rim->steps > MAX_STEPS) {
                return pbdrFail(error, pbdr_statusMeshOpen,
                                "mesh: a rim of %d edges takes more than %d steps to fall into loops, %d of "
                                "them found",
                                rim->count, MAX_STEPS, report->filledHoles);
            }
            int length = rim->edges[start].used ? 0 : findLoop(rim, start, ++stamp, pass == 1);
            if (length < 3) {
                continue;
            }
            for (int k = 0; k < length; k++) {
                rim->edges[rim->queue[k]].used = true;
            }
            int first = soup->triangleCount;
            if (length <= MAX_SEARCHED_LOOP) {
                fillByLeastArea(rim, soup, length);
            } else {
                fillByFan(rim, soup, length);
            }
            report->filledHoles++;
            report->addedTriangles += soup->triangleCount - first;
            report->volumeError += estimateError(rim, soup, length, first);
        }
    }
    return pbdr_statusOk;
}

// Room for the fills: a loop of n edges takes at most n triangles, and a vertex if it is long.
static bool growSoup(pbdrSoup* soup, int rimCount)
{
    pbdrSoup grown = *soup;
    grown.triangleCapacity = soup->triangleCount + rimCount;
    grown.vertexCapacity = soup->vertexCount + rimCount / MAX_SEARCHED_LOOP;
    grown.vertices = pbdrAllocate(&soup->hooks, (size_t)grown.vertexCapacity, sizeof *grown.vertices);
    grown.triangles = pbdrAllocate(&soup->hooks, (size_t)grown.triangleCapacity, sizeof *grown.triangles);
    if (grown.vertices == NULL || grown.triangles == NULL) {
        pbdrFreeSoup(&grown);
        return false;
    }
    memcpy(grown.vertices, soup->vertices, (size_t)soup->vertexCount * sizeof *soup->vertices);
    memcpy(grown.triangles, soup->triangles, (size_t)soup->triangleCount * sizeof *soup->triangles);
    pbdrFreeSoup(soup);
    *soup = grown;
    return true;
}

static pbdrStatus fillRim(pbdrSoup* soup, const pbdrSide* sides, int count, pbdrMeshRepair* report,
                          pbdrError* error)
{
    pbdrHooks hooks = soup->hooks;
    size_t edgeCount = (size_t)count, cells = MAX_SEARCHED_LOOP * MAX_SEARCHED_LOOP;
    size_t vertexCount = (size_t)soup->vertexCount, queueCount = vertexCount + 1;
    Rim rim = {pbdrAllocate(&hooks, edgeCount, sizeof *rim.edges),
               count,
               pbdrAllocate(&hooks, queueCount, sizeof *rim.firsts),
               pbdrAllocate(&hooks, vertexCount, sizeof *rim.came),
               pbdrAllocate(&hooks, vertexCount, sizeof *rim.stamps),
               pbdrAllocate(&hooks, queueCount, sizeof *rim.queue),
               pbdrAllocate(&hooks, cells, sizeof *rim.areas),
               pbdrAllocate(&hooks, cells, sizeof *rim.middles),
               0};
    pbdrStatus status = pbdr_statusOk;
    if (rim.edges == NULL || rim.firsts == NULL || rim.came == NULL || rim.stamps == NULL ||
        rim.queue == NULL || rim.areas == NULL || rim.middles == NULL || !growSoup(soup, count)) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory to close a rim of %d edges", count);
    } else {
        listRim(soup, sides, rim.edges);
        qsort(rim.edges, edgeCount, sizeof *rim.edges, compareRimEdges);
        for (int e = 0; e < count; e++) {
            rim.firsts[rim.edges[e].from + 1]++;
        }
        for (size_t v = 0; v < vertexCount; v++) {
            rim.firsts[v + 1] += rim.firsts[v];
        }
        status = fillLoops(&rim, soup, report, error);
    }
    pbdrRelease(&hooks, rim.edges, edgeCount, sizeof *rim.edges);
    pbdrRelease(&hooks, rim.firsts, queueCount, sizeof *rim.firsts);
    pbdrRelease(&hooks, rim.came, vertexCount, sizeof *rim.came);
    pbdrRelease(&hooks, rim.stamps, vertexCount, sizeof *rim.stamps);
    pbdrRelease(&hooks, rim.queue, queueCount, sizeof *rim.queue);
    pbdrRelease(&hooks, rim.areas, cells, sizeof *rim.areas);
    pbdrRelease(&hooks, rim.middles, cells, sizeof *rim.middles);
    return status;
}

pbdrStatus pbdrFillHoles(pbdrSoup* soup, pbdrMeshRepair* report, pbdrError* error)
{
    size_t sideCount = 3 * (size_t)soup->triangleCount;
    pbdrHooks hooks = soup->hooks;
    pbdrSide* sides = pbdrSortSides(soup);
    if (sides == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for the edges of %d triangles",
                        soup->triangleCount);
    }
    int count = listRim(soup, sides, NULL);
    pbdrStatus status = count > 0 ? fillRim(soup, sides, count, report, error) : pbdr_statusOk;
    pbdrRelease(&hooks, sides, sideCount, sizeof *sides);
    return status;
}
