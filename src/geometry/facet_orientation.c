// Which way facets face:
//
//   flipped facets   neighbours across an edge of two facets must run along it in opposite directions; each
//                    patch so joined takes the direction of the larger part of its area
//   patches          one that faces inwards, outside all others, is turned; inside another it is a cavity
#include "geometry/mesh_repair.h"

#include "base.h"
#include "geometry/triangle_tree.h"
#include "geometry/winding.h"
#include "math/vec.h"

#include <string.h>

// A patch with holes is taken for a body's skin, whose volume has a sign, if |volume| is over this share of
// area^1.5. A ball has 0.094, a box of 10:10:1 has 0.027, half a ball's skin about its middle 0.04.
#define BODY_VOLUME 0.005

static void turnTriangle(int32_t triangle[3])
{
    int32_t kept = triangle[1];
    triangle[1] = triangle[2];
    triangle[2] = kept;
}

// Who is beside whom, and who faces which way.
typedef struct Patches {
    int32_t (*neighbours)[3]; // per triangle; -1: none
    int8_t (*agree)[3];       // whether the neighbour runs along the edge the other way
    int32_t* patch;           // per triangle; -1: not yet visited
    int8_t* turn;             // per triangle, against its patch's first
    int32_t* queue;
    int count; // of patches
} Patches;

static void joinNeighbours(const pbdrSide* sides, size_t count, Patches* patches, uint8_t* filled)
{
    for (size_t i = 0, n; i < count; i += n) {
        n = pbdrCountSides(sides, i, count);
        if (n != 2) {
            continue; // a rim, or a crowd that says nothing of who belongs to whom
        }
        int32_t a = sides[i].triangle, b = sides[i + 1].triangle;
        int8_t agree = sides[i].direction != sides[i + 1].direction;
        patches->neighbours[a][filled[a]] = b;
        patches->agree[a][filled[a]++] = agree;
        patches->neighbours[b][filled[b]] = a;
        patches->agree[b][filled[b]++] = agree;
    }
}

// Walks one patch. Returns false if it has one side only, as a Moebius strip.
static bool walkPatch(Patches* patches, int32_t start)
{
    int32_t head = 0, tail = 0;
    patches->queue[tail++] = start;
    patches->patch[start] = patches->count;
    while (head < tail) {
        int32_t t = patches->queue[head++];
        for (int k = 0; k < 3 && patches->neighbours[t][k] >= 0; k++) {
            int32_t other = patches->neighbours[t][k];
            int8_t turn = patches->turn[t] ^ (int8_t)!patches->agree[t][k];
            if (patches->patch[other] < 0) {
                patches->patch[other] = patches->count;
                patches->turn[other] = turn;
                patches->queue[tail++] = other;
            } else if (patches->turn[other] != turn) {
                return false;
            }
        }
    }
    patches->count++;
    return true;
}

static pbdrVec3 getAreaVector(const pbdrSoup* soup, int32_t t, pbdrVec3 apex)
{
    const int32_t* c = soup->triangles[t];
    pbdrVec3 a = pbdrSub(soup->vertices[c[0]], apex), b = pbdrSub(soup->vertices[c[1]], apex);
    pbdrVec3 d = pbdrSub(soup->vertices[c[2]], apex);
    return pbdrScale(0.5, pbdrCross(pbdrSub(b, a), pbdrSub(d, a)));
}

// Turns facets so that each patch faces as the larger part of its area did.
static pbdrStatus turnFacets(pbdrSoup* soup, Patches* patches, pbdrMeshRepair* report, pbdrError* error)
{
    for (int32_t t = 0; t < soup->triangleCount; t++) {
        if (patches->patch[t] < 0 && !walkPatch(patches, t)) {
            pbdrVec3 place = soup->vertices[soup->triangles[t][0]];
            return pbdrFail(error, pbdr_statusMeshBroken,
                            "mesh: the surface at (%g, %g, %g) m has only one side, like a Moebius strip",
                            place.x, place.y, place.z);
        }
    }
    double* balance = pbdrAllocate(&soup->hooks, (size_t)patches->count, sizeof *balance);
    if (balance == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d patches", patches->count);
    }
    pbdrVec3 origin = soup->vertices[soup->triangles[0][0]];
    for (int32_t t = 0; t < soup->triangleCount; t++) {
        double area = pbdrLength(getAreaVector(soup, t, origin));
        balance[patches->patch[t]] += patches->turn[t] ? -area : area;
    }
    for (int32_t t = 0; t < soup->triangleCount; t++) {
        if ((balance[patches->patch[t]] < 0.0) != (patches->turn[t] != 0)) {
            turnTriangle(soup->triangles[t]);
            report->turnedTriangles++;
        }
    }
    pbdrRelease(&soup->hooks, balance, (size_t)patches->count, sizeof *balance);
    return pbdr_statusOk;
}

// --- Patches ---

// A patch's volume about its own middle, and its area.
typedef struct PatchSize {
    pbdrVec3 middle; // first a sum of corners
    double corners, volume, area;
    int32_t first; // triangle
    bool turned;
} PatchSize;

static pbdrTriangle getTriangle(const pbdrSoup* soup, int32_t t)
{
    const int32_t* c = soup->triangles[t];
    return (pbdrTriangle){{soup->vertices[c[0]], soup->vertices[c[1]], soup->vertices[c[2]]}};
}

// The winding number of a patch about a point; `members` are its triangles.
static double getOwnWinding(const pbdrSoup* soup, const int32_t* members, int32_t count, pbdrVec3 point)
{
    pbdrAngle angle = {1.0, 0.0, 0.0};
    for (int32_t i = 0; i < count; i++) {
        pbdrTriangle t = getTriangle(soup, members[i]);
        pbdrAddTriangle(&angle, pbdrSub(t.corners[0], point), pbdrSub(t.corners[1], point),
                        pbdrSub(t.corners[2], point));
    }
    return pbdrGetTurns(&angle);
}

static void measurePatches(const pbdrSoup* soup, const Patches* patches, PatchSize* sizes)
{
    for (int32_t t = soup->triangleCount - 1; t >= 0; t--) {
        PatchSize* size = &sizes[patches->patch[t]];
        size->first = t;
        for (int k = 0; k < 3; k++) {
            size->middle = pbdrAdd(size->middle, soup->vertices[soup->triangles[t][k]]);
            size->corners += 1.0;
        }
    }
    for (int p = 0; p < patches->count; p++) {
        sizes[p].middle = pbdrScale(1.0 / sizes[p].corners, sizes[p].middle);
    }
    for (int32_t t = 0; t < soup->triangleCount; t++) {
        PatchSize* size = &sizes[patches->patch[t]];
        pbdrVec3 area = getAreaVector(soup, t, size->middle);
        pbdrVec3 corner = pbdrSub(soup->vertices[soup->triangles[t][0]], size->middle);
        size->area += pbdrLength(area);
        size->volume += pbdrDot(area, corner) / 3.0;
    }
}

// Of all patches, their triangles one after the other: those of patch p from firsts[p] on.
static void listMembers(const pbdrSoup* soup, const Patches* patches, int32_t* firsts, int32_t* members)
{
    for (int32_t t = 0; t < soup->triangleCount; t++) {
        firsts[patches->patch[t] + 1]++;
    }
    for (int p = 0; p < patches->count; p++) {
        firsts[p + 1] += firsts[p];
    }
    for (int32_t t = soup->triangleCount - 1; t >= 0; t--) {
        members[--firsts[patches->patch[t] + 1]] = t;
    }
    for (int p = 0; p < patches->count; p++) { // each has sunk to its own start
        firsts[p] = firsts[p + 1];
    }
    firsts[patches->count] = soup->triangleCount;
}

// Finds the patches that face inwards though they lie outside all others: by the winding number of all less
// their own, at a corner of theirs.
static pbdrStatus findInverted(const pbdrSoup* soup, const Patches* patches, PatchSize* sizes,
                               pbdrError* error)
{
    const pbdrHooks* hooks = &soup->hooks;
    size_t n = (size_t)soup->triangleCount, m = (size_t)patches->count + 1;
    int32_t* firsts = pbdrAllocate(hooks, m, sizeof *firsts);
    int32_t* members = pbdrAllocate(hooks, n, sizeof *members);
    pbdrTriangle* triangles = pbdrAllocate(hooks, n, sizeof *triangles);
    pbdrTriangleTree tree = {0};
    pbdrStatus status = pbdr_statusOk;
    if (firsts == NULL || members == NULL || triangles == NULL) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for %d patches", patches->count);
    } else {
        for (int32_t t = 0; t < soup->triangleCount; t++) {
            triangles[t] = getTriangle(soup, t);
        }
        listMembers(soup, patches, firsts, members);
        status = pbdrCreateTriangleTree(triangles, soup->triangleCount, hooks, &tree, error);
    }
    for (int32_t p = 0; p < patches->count && status == pbdr_statusOk; p++) {
        if (sizes[p].volume < -BODY_VOLUME * sizes[p].area * sqrt(sizes[p].area)) {
            pbdrVec3 place = soup->vertices[soup->triangles[sizes[p].first][0]];
            double own = getOwnWinding(soup, members + firsts[p], firsts[p + 1] - firsts[p], place);
            sizes[p].turned = pbdrGetTreeWinding(&tree, place) - own < 0.5;
        }
    }
    pbdrFreeTriangleTree(&tree);
    pbdrRelease(hooks, firsts, m, sizeof *firsts);
    pbdrRelease(hooks, members, n, sizeof *members);
    pbdrRelease(hooks, triangles, n, sizeof *triangles);
    return status;
}

// Turns patches that face inwards though they lie outside all others.
static pbdrStatus turnPatches(pbdrSoup* soup, const Patches* patches, pbdrMeshRepair* report,
                              pbdrError* error)
{
    PatchSize* sizes = pbdrAllocate(&soup->hooks, (size_t)patches->count, sizeof *sizes);
    if (sizes == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d patches", patches->count);
    }
    measurePatches(soup, patches, sizes);
    pbdrStatus status = findInverted(soup, patches, sizes, error);
    for (int32_t t = 0; t < soup->triangleCount && status == pbdr_statusOk; t++) {
        if (sizes[patches->patch[t]].turned) {
            turnTriangle(soup->triangles[t]);
            report->turnedTriangles++;
        }
    }
    pbdrRelease(&soup->hooks, sizes, (size_t)patches->count, sizeof *sizes);
    return status;
}

pbdrStatus pbdrOrientFacets(pbdrSoup* soup, pbdrMeshRepair* report, pbdrError* error)
{
    const pbdrHooks* hooks = &soup->hooks;
    size_t n = (size_t)soup->triangleCount;
    pbdrSide* sides = pbdrSortSides(soup);
    Patches patches = {
        pbdrAllocate(hooks, n, sizeof *patches.neighbours), pbdrAllocate(hooks, n, sizeof *patches.agree),
        pbdrAllocate(hooks, n, sizeof *patches.patch),      pbdrAllocate(hooks, n, sizeof *patches.turn),
        pbdrAllocate(hooks, n, sizeof *patches.queue),      0};
    uint8_t* filled = pbdrAllocate(hooks, n, sizeof *filled);
    pbdrStatus status;
    if (sides == NULL || patches.neighbours == NULL || patches.agree == NULL || patches.patch == NULL ||
        patches.turn == NULL || patches.queue == NULL || filled == NULL) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for the edges of %zu triangles", n);
    } else {
        memset(patches.neighbours, 0xff, n * sizeof *patches.neighbours);
        memset(patches.patch, 0xff, n * sizeof *patches.patch);
        joinNeighbours(sides, 3 * n, &patches, filled);
        status = turnFacets(soup, &patches, report, error);
        if (status == pbdr_statusOk) {
            status = turnPatches(soup, &patches, report, error);
        }
    }
    pbdrRelease(hooks, sides, 3 * n, sizeof *sides);
    pbdrRelease(hooks, patches.neighbours, n, sizeof *patches.neighbours);
    pbdrRelease(hooks, patches.agree, n, sizeof *patches.agree);
    pbdrRelease(hooks, patches.patch, n, sizeof *patches.patch);
    pbdrRelease(hooks, patches.turn, n, sizeof *patches.turn);
    pbdrRelease(hooks, patches.queue, n, sizeof *patches.queue);
    pbdrRelease(hooks, filled, n, sizeof *filled);
    return status;
}
