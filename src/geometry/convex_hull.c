// Convex hull of points in space, by quickhull (Barber, Dobkin, Huhdanpaa 1996) on a grid.
//
//   points --> grid of 2^20 cells along the largest extent --> hull, exact in 64-bit integers --> facets
//
// On the grid "above, on or below a plane" is an integer sign that never errs: with coordinates below 2^20 a
// normal's components are below 2^41 and its product with an offset below 3 2^61 < 2^63. A point on a face's
// plane counts as below it, as if it were drawn inwards by a hair, so what a point sees of the hull is one
// piece with one rim, no new triangle is degenerate, and coplanar, collinear and doubled points need no case
// of their own. The price is the rounding to the grid, 1e-6 of the size, which facets then look over: a facet
// is a largest triangle with all that is joined to it and lies in its plane within the tolerance.
#include "geometry/convex_hull.h"

#include "base.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

#define GRID_CELLS 1048575.0 // 2^20 - 1

// Points within this many cells of a plane are flat: a plane askew is a cell thick on the grid.
#define FLAT_CELLS 2.0

#define NONE (-1)

typedef struct Place {
    int64_t x[3];
} Place;

typedef struct Face {
    int32_t corners[3];    // counter-clockwise from outside
    int32_t neighbours[3]; // over the edge from corner k to k + 1; free faces: [0] is the next free one
    int64_t normal[3];
    int32_t outside;  // first point above it, NONE for none
    int32_t farthest; // of those
    int64_t distance; // of that, times the normal's length
    int32_t seenIn;   // last round in which a point saw it
    bool alive, queued;
} Face;

// An edge of the rim of what a point sees.
typedef struct RimEdge {
    int32_t from, to;   // as the face that goes has it
    int32_t beyond;     // the face that stays
    int32_t beyondEdge; // its side of the edge
} RimEdge;

typedef struct Builder {
    int count;
    Place* places;
    int32_t* next; // of the points above the same face
    int32_t* fan;  // per point: the new face whose rim edge begins there
    int faceCapacity;
    Face* faces;
    int32_t firstFree;
    int32_t *queue, *seen; // faces, room for all
    int queueCount;
    RimEdge* rim; // room for a face's three edges each
    int rimCount, round;
    pbdrHooks hooks;
} Builder;

static void freeBuilder(Builder* b)
{
    size_t n = (size_t)b->count, f = (size_t)b->faceCapacity;
    pbdrRelease(&b->hooks, b->places, n, sizeof *b->places);
    pbdrRelease(&b->hooks, b->next, n, sizeof *b->next);
    pbdrRelease(&b->hooks, b->fan, n, sizeof *b->fan);
    pbdrRelease(&b->hooks, b->faces, f, sizeof *b->faces);
    pbdrRelease(&b->hooks, b->queue, f, sizeof *b->queue);
    pbdrRelease(&b->hooks, b->seen, f, sizeof *b->seen);
    pbdrRelease(&b->hooks, b->rim, f, sizeof *b->rim);
}

static bool makeBuilder(Builder* b, int count, const pbdrHooks* hooks)
{
    *b = (Builder){.count = count, .faceCapacity = 2 * count + 4}; // a hull of n corners has 2 n - 4 faces
    if (hooks != NULL) {
        b->hooks = *hooks;
    }
    size_t n = (size_t)count, f = (size_t)b->faceCapacity;
    b->places = pbdrAllocate(hooks, n, sizeof *b->places);
    b->next = pbdrAllocate(hooks, n, sizeof *b->next);
    b->fan = pbdrAllocate(hooks, n, sizeof *b->fan);
    b->faces = pbdrAllocate(hooks, f, sizeof *b->faces);
    b->queue = pbdrAllocate(hooks, f, sizeof *b->queue);
    b->seen = pbdrAllocate(hooks, f, sizeof *b->seen);
    b->rim = pbdrAllocate(hooks, f, sizeof *b->rim);
    if (b->places == NULL || b->next == NULL || b->fan == NULL || b->faces == NULL || b->queue == NULL ||
        b->seen == NULL || b->rim == NULL) {
        return false;
    }
    for (int i = 0; i < b->faceCapacity; i++) {
        b->faces[i].neighbours[0] = i + 1 < b->faceCapacity ? i + 1 : NONE;
    }
    return true;
}

// --- The grid ---

static int64_t snap(double value, double lower, double extent)
{
    return (int64_t)floor((value - lower) / extent * GRID_CELLS + 0.5);
}

static void snapPoints(Builder* b, const pbdrVec3* points, pbdrVec3 lower, double extent)
{
    for (int i = 0; i < b->count; i++) {
        b->places[i] = (Place){{snap(points[i].x, lower.x, extent), snap(points[i].y, lower.y, extent),
                                snap(points[i].z, lower.z, extent)}};
    }
}

static double getLength(const int64_t v[3])
{
    double x = (double)v[0], y = (double)v[1], z = (double)v[2];
    return sqrt(x * x + y * y + z * z);
}

static void cross(const Place* a, const Place* p, const Place* q, int64_t normal[3])
{
    int64_t u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = p->x[k] - a->x[k];
        v[k] = q->x[k] - a->x[k];
    }
    normal[0] = u[1] * v[2] - u[2] * v[1];
    normal[1] = u[2] * v[0] - u[0] * v[2];
    normal[2] = u[0] * v[1] - u[1] * v[0];
}

// Above 0 outside; the distance times the normal's length.
static int64_t getHeight(const Builder* b, const Face* face, int32_t point)
{
    const Place *p = &b->places[point], *a = &b->places[face->corners[0]];
    return face->normal[0] * (p->x[0] - a->x[0]) + face->normal[1] * (p->x[1] - a->x[1]) +
           face->normal[2] * (p->x[2] - a->x[2]);
}

// --- Faces ---

static int32_t addFace(Builder* b, int32_t p, int32_t q, int32_t r)
{
    int32_t id = b->firstFree;
    Face* face = &b->faces[id];
    b->firstFree = face->neighbours[0];
    bool queued = face->queued;
    *face = (Face){.corners = {p, q, r}, .outside = NONE, .farthest = NONE, .alive = true, .queued = queued};
    cross(&b->places[p], &b->places[q], &b->places[r], face->normal);
    return id;
}

static void removeFace(Builder* b, int32_t id)
{
    b->faces[id].alive = false;
    b->faces[id].neighbours[0] = b->firstFree;
    b->firstFree = id;
}

static void putOutside(Builder* b, int32_t id, int32_t point, int64_t height)
{
    Face* face = &b->faces[id];
    b->next[point] = face->outside;
    face->outside = point;
    if (height > face->distance) {
        face->distance = height;
        face->farthest = point;
    }
    if (!face->queued) {
        face->queued = true;
        b->queue[b->queueCount++] = id;
    }
}

// Four points far apart that span space, or false: all lie in a plane.
static bool findFirstCorners(const Builder* b, int32_t corners[4])
{
    for (int k = 0; k < 4; k++) {
        corners[k] = 0;
    }
    double best = -1.0; // below the distance of the two, above half of it
    for (int axis = 0; axis < 3; axis++) {
        int32_t low = 0, high = 0;
        for (int32_t i = 1; i < b->count; i++) {
            low = b->places[i].x[axis] < b->places[low].x[axis] ? i : low;
            high = b->places[i].x[axis] > b->places[high].x[axis] ? i : high;
        }
        double length = (double)(b->places[high].x[axis] - b->places[low].x[axis]);
        if (length > best) {
            best = length;
            corners[0] = low;
            corners[1] = high;
        }
    }
    double farthest = 0.0;
    for (int32_t i = 0; i < b->count; i++) {
        int64_t n[3];
        cross(&b->places[corners[0]], &b->places[corners[1]], &b->places[i], n);
        if (getLength(n) > farthest) {
            farthest = getLength(n);
            corners[2] = i;
        }
    }
    if (!(farthest > FLAT_CELLS * best)) {
        return false;
    }
    Face base = {.corners = {corners[0], corners[1], corners[2]}};
    cross(&b->places[corners[0]], &b->places[corners[1]], &b->places[corners[2]], base.normal);
    int64_t highest = 0;
    for (int32_t i = 0; i < b->count; i++) {
        int64_t height = getHeight(b, &base, i);
        if (llabs(height) > llabs(highest)) {
            highest = height;
            corners[3] = i;
        }
    }
    if (highest > 0) { // below the first three
        int32_t kept = corners[1];
        corners[1] = corners[2];
        corners[2] = kept;
    }
    return fabs((double)highest) > FLAT_CELLS * getLength(base.normal);
}

static void makeFirstFaces(Builder* b, const int32_t c[4])
{
    // Faces 0 to 3 of a fresh builder; over each edge the face that runs along it the other way.
    static const int corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int neighbours[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int k = 0; k < 4; k++) {
        int32_t id = addFace(b, c[corners[k][0]], c[corners[k][1]], c[corners[k][2]]);
        for (int e = 0; e < 3; e++) {
            b->faces[id].neighbours[e] = neighbours[k][e];
        }
    }
    for (int32_t i = 0; i < b->count; i++) {
        for (int32_t id = 0; id < 4; id++) {
            int64_t height = getHeight(b, &b->faces[id], i);
            if (height > 0) {
                putOutside(b, id, i, height);
                break;
            }
        }
    }
}

// --- Growing ---

// All faces that the point sees, and their rim. Returns how many.
static int lookAround(Builder* b, int32_t start, int32_t point)
{
    int count = 0;
    b->rimCount = 0;
    b->round++;
    b->faces[start].seenIn = b->round;
    b->seen[count++] = start;
    for (int i = 0; i < count; i++) {
        const Face* face = &b->faces[b->seen[i]];
        for (int e = 0; e < 3; e++) {
            int32_t id = face->neighbours[e];
            Face* other = &b->faces[id];
            if (other->seenIn == b->round) {
                continue;
            }
            if (getHeight(b, other, point) > 0) {
                other->seenIn = b->round;
                b->seen[count++] = id;
                continue;
            }
            int32_t from = face->corners[e], to = face->corners[(e + 1) % 3], edge = 0;
            while (other->corners[edge] != to) {
                edge++;
            }
            b->rim[b->rimCount++] = (RimEdge){from, to, id, edge};
        }
    }
    return count;
}

// Joins the hull and a point that a face sees: new faces from the rim to the point.
static void addPoint(Builder* b, int32_t start, int32_t point)
{
    int seenCount = lookAround(b, start, point);
    int32_t orphans = NONE;
    for (int i = 0; i < seenCount; i++) {
        const Face* face = &b->faces[b->seen[i]];
        for (int32_t p = face->outside, after; p != NONE; p = after) {
            after = b->next[p];
            b->next[p] = orphans;
            orphans = p;
        }
        removeFace(b, b->seen[i]);
    }
    int32_t* added = b->seen; // the faces seen are gone
    for (int i = 0; i < b->rimCount; i++) {
        const RimEdge* edge = &b->rim[i];
        int32_t id = addFace(b, edge->from, edge->to, point);
        b->faces[id].neighbours[0] = edge->beyond;
        b->faces[edge->beyond].neighbours[edge->beyondEdge] = id;
        b->fan[edge->from] = id;
        added[i] = id;
    }
    for (int i = 0; i < b->rimCount; i++) {
        int32_t id = added[i], following = b->fan[b->faces[id].corners[1]];
        b->faces[id].neighbours[1] = following;
        b->faces[following].neighbours[2] = id;
    }
    for (int32_t p = orphans, after; p != NONE; p = after) {
        after = b->next[p];
        for (int i = 0; i < b->rimCount && p != point; i++) {
            int64_t height = getHeight(b, &b->faces[added[i]], p);
            if (height > 0) {
                putOutside(b, added[i], p, height);
                break;
            }
        }
    }
}

static void growHull(Builder* b)
{
    while (b->queueCount > 0) {
        int32_t id = b->queue[--b->queueCount];
        b->faces[id].queued = false;
        if (b->faces[id].alive && b->faces[id].outside != NONE) {
            addPoint(b, id, b->faces[id].farthest);
        }
    }
}

// --- Making ---

// Copies what is alive. Uses the builder's fan for the vertices' numbers, its queue for the triangles'.
static bool fillHull(Builder* b, const pbdrVec3* points, double tolerance, pbdrHull* hull)
{
    int faceCount = 0, vertexCount = 0;
    for (int i = 0; i < b->count; i++) {
        b->fan[i] = NONE;
    }
    for (int i = 0; i < b->faceCapacity; i++) {
        if (!b->faces[i].alive) {
            continue;
        }
        b->queue[i] = faceCount++;
        for (int k = 0; k < 3; k++) {
            if (b->fan[b->faces[i].corners[k]] == NONE) {
                b->fan[b->faces[i].corners[k]] = vertexCount++;
            }
        }
    }
    size_t f = (size_t)faceCount;
    hull->vertexCount = vertexCount;
    hull->triangleCount = faceCount;
    hull->vertices = pbdrAllocate(&b->hooks, (size_t)vertexCount, sizeof *hull->vertices);
    hull->triangles = pbdrAllocate(&b->hooks, f, sizeof *hull->triangles);
    hull->triangleFacets = pbdrAllocate(&b->hooks, f, sizeof *hull->triangleFacets);
    hull->facetNormals = pbdrAllocate(&b->hooks, f, sizeof *hull->facetNormals);
    hull->facetAreas = pbdrAllocate(&b->hooks, f, sizeof *hull->facetAreas);
    int32_t(*neighbours)[3] = pbdrAllocate(&b->hooks, f, sizeof *neighbours);
    bool good = hull->vertices != NULL && hull->triangles != NULL && hull->triangleFacets != NULL &&
                hull->facetNormals != NULL && hull->facetAreas != NULL && neighbours != NULL;
    for (int i = 0; good && i < b->count; i++) {
        if (b->fan[i] != NONE) {
            hull->vertices[b->fan[i]] = points[i];
        }
    }
    for (int i = 0; good && i < b->faceCapacity; i++) {
        for (int k = 0; b->faces[i].alive && k < 3; k++) {
            hull->triangles[b->queue[i]][k] = b->fan[b->faces[i].corners[k]];
            neighbours[b->queue[i]][k] = b->queue[b->faces[i].neighbours[k]];
        }
    }
    good = good && pbdrFindFacets(hull, tolerance, (const int32_t(*)[3])neighbours);
    pbdrRelease(&b->hooks, neighbours, f, sizeof *neighbours);
    return good;
}

void pbdrHull_Free(pbdrHull* hull)
{
    if (hull == NULL) {
        return;
    }
    pbdrHooks hooks = hull->hooks;
    size_t f = (size_t)hull->triangleCount;
    pbdrRelease(&hooks, hull->vertices, (size_t)hull->vertexCount, sizeof *hull->vertices);
    pbdrRelease(&hooks, hull->triangles, f, sizeof *hull->triangles);
    pbdrRelease(&hooks, hull->triangleFacets, f, sizeof *hull->triangleFacets);
    pbdrRelease(&hooks, hull->facetNormals, f, sizeof *hull->facetNormals);
    pbdrRelease(&hooks, hull->facetAreas, f, sizeof *hull->facetAreas);
    memset(hull, 0, sizeof *hull);
}

static pbdrStatus checkPoints(const pbdrVec3* points, int count, double tolerance, pbdrVec3* lower,
                              double* extent, pbdrError* error)
{
    if (count < 4 || count > PBDR_MAX_SPHERES) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "hull: %d points; 4 to %d are possible", count,
                        PBDR_MAX_SPHERES);
    }
    if (!(tolerance >= 0.0) || !(tolerance < 1.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "hull: tolerance %g is not in [0, 1)", tolerance);
    }
    pbdrVec3 upper = *lower = points[0];
    for (int i = 0; i < count; i++) {
        pbdrVec3 p = points[i];
        if (!pbdrIsFiniteVec(p)) {
            return pbdrFail(error, pbdr_statusInvalidArgument,
                            "hull: point %d at (%g, %g, %g) m is not finite", i, p.x, p.y, p.z);
        }
        *lower = pbdrVec(fmin(lower->x, p.x), fmin(lower->y, p.y), fmin(lower->z, p.z));
        upper = pbdrVec(fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z));
    }
    pbdrVec3 d = pbdrSub(upper, *lower);
    *extent = fmax(d.x, fmax(d.y, d.z));
    if (!isfinite(*extent) || !(*extent > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "hull: points over %g m have none", *extent);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCreateHull(const pbdrVec3* points, int count, double tolerance, const pbdrHooks* hooks,
                          pbdrHull* hull, pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, hull != NULL && (points != NULL || count < 1))) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "hull or points: NULL");
    }
    memset(hull, 0, sizeof *hull);
    pbdrVec3 lower = {0.0, 0.0, 0.0};
    double extent = 0.0;
    pbdrStatus status = checkPoints(points, count, tolerance, &lower, &extent, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (hooks != NULL) {
        hull->hooks = *hooks;
    }
    Builder builder;
    int32_t corners[4];
    if (!makeBuilder(&builder, count, hooks)) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for the hull of %d points", count);
    } else {
        snapPoints(&builder, points, lower, extent);
        if (!findFirstCorners(&builder, corners)) {
            status = pbdrFail(error, pbdr_statusInvalidArgument,
                              "hull: all of %d points lie in a plane, to 2e-6 of their extent of %g m", count,
                              extent);
        }
    }
    if (status == pbdr_statusOk) {
        makeFirstFaces(&builder, corners);
        growHull(&builder);
        if (!fillHull(&builder, points, tolerance * extent, hull)) {
            status = pbdrFail(error, pbdr_statusNoMemory, "no memory for the hull of %d points", count);
        }
    }
    freeBuilder(&builder);
    if (status != pbdr_statusOk) {
        pbdrHull_Free(hull);
    }
    return status;
}
