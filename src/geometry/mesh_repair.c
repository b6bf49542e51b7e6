// Mending a damaged mesh, so that its winding number is a whole number everywhere off the surface:
//
//   doubled facets   facets on the same three corners count once, with the direction of the majority; where
//                    the two directions balance one stays if its neighbours miss it, and none if it is an
//                    inner wall between two solids
//   flipped facets   neighbours across an edge of two facets must run along it in opposite directions; each
//                    patch so joined takes the direction of the larger part of its area
//   patches          one that faces inwards, outside all others, is turned; inside another it is a cavity
//   holes            hole_filling.c
//
// Surfaces that cut through each other are left as they are: the solid is where the winding number is 1 or
// more.
#include "geometry/mesh_repair.h"

#include "base.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

// A patch with holes is taken for a body's skin, whose volume has a sign, if |volume| is over this share of
// area^1.5. A ball has 0.094, a box of 10:10:1 has 0.027, half a ball's skin about its middle 0.04.
#define BODY_VOLUME 0.005

void pbdrFreeSoup(pbdrSoup* soup)
{
    pbdrHooks hooks = soup->hooks;
    pbdrRelease(&hooks, soup->vertices, (size_t)soup->vertexCapacity, sizeof *soup->vertices);
    pbdrRelease(&hooks, soup->triangles, (size_t)soup->triangleCapacity, sizeof *soup->triangles);
    memset(soup, 0, sizeof *soup);
}

static pbdrStatus copyMesh(const pbdrMesh* mesh, const pbdrHooks* hooks, pbdrSoup* soup, pbdrError* error)
{
    memset(soup, 0, sizeof *soup);
    if (hooks != NULL) {
        soup->hooks = *hooks;
    }
    soup->vertexCount = soup->vertexCapacity = mesh->vertexCount;
    soup->triangleCount = soup->triangleCapacity = mesh->triangleCount;
    soup->vertices = pbdrAllocate(hooks, (size_t)mesh->vertexCount, sizeof *soup->vertices);
    soup->triangles = pbdrAllocate(hooks, (size_t)mesh->triangleCount, sizeof *soup->triangles);
    if (soup->vertices == NULL || soup->triangles == NULL) {
        pbdrFreeSoup(soup);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory to repair %d triangles", mesh->triangleCount);
    }
    memcpy(soup->vertices, mesh->vertices, (size_t)mesh->vertexCount * sizeof *soup->vertices);
    memcpy(soup->triangles, mesh->triangles, (size_t)mesh->triangleCount * sizeof *soup->triangles);
    return pbdr_statusOk;
}

static void turnTriangle(int32_t triangle[3])
{
    int32_t kept = triangle[1];
    triangle[1] = triangle[2];
    triangle[2] = kept;
}

// --- Doubled facets ---

// A triangle by its corners in ascending order.
typedef struct SortedTriangle {
    int32_t corners[3];
    int32_t direction; // +1 if they ascend along it, -1 if they descend
    int32_t triangle;
} SortedTriangle;

static int compareTriangles(const void* a, const void* b)
{
    const SortedTriangle *x = a, *y = b;
    for (int k = 0; k < 3; k++) {
        if (x->corners[k] != y->corners[k]) {
            return x->corners[k] < y->corners[k] ? -1 : 1;
        }
    }
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

static SortedTriangle sortCorners(const int32_t t[3], int32_t index)
{
    int k = t[0] < t[1] && t[0] < t[2] ? 0 : t[1] < t[2] ? 1 : 2; // where the smallest is
    int32_t a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
    return b < c ? (SortedTriangle){{a, b, c}, 1, index} : (SortedTriangle){{a, c, b}, -1, index};
}

// Of facets on the same corners the first of the majority's direction stays. Without a majority the first is
// put behind those that stay, triangleCount on: *balanced of them.
static pbdrStatus dropDoubles(pbdrSoup* soup, int* balanced, pbdrError* error)
{
    size_t count = (size_t)soup->triangleCount;
    SortedTriangle* sorted = pbdrAllocate(&soup->hooks, count, sizeof *sorted);
    if (sorted == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory to compare %zu triangles", count);
    }
    for (size_t t = 0; t < count; t++) {
        sorted[t] = sortCorners(soup->triangles[t], (int32_t)t);
    }
    qsort(sorted, count, sizeof *sorted, compareTriangles);
    int8_t* fates = pbdrAllocate(&soup->hooks, count, sizeof *fates); // 0 stays, 1 goes, 2 balances
    if (fates == NULL) {
        pbdrRelease(&soup->hooks, sorted, count, sizeof *sorted);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory to compare %zu triangles", count);
    }
    for (size_t i = 0, n; i < count; i += n) {
        int net = 0;
        for (n = 0;
             i + n < count && memcmp(sorted[i + n].corners, sorted[i].corners, sizeof sorted[i].corners) == 0;
             n++) {
            net += sorted[i + n].direction;
        }
        bool kept = false;
        for (size_t k = i; k < i + n; k++) {
            if (!kept && sorted[k].direction * net > 0) {
                kept = true;
            } else {
                fates[sorted[k].triangle] = net == 0 && k == i ? 2 : 1;
            }
        }
    }
    // `sorted` is done with: the balanced ones wait there.
    int stay = 0;
    *balanced = 0;
    for (size_t t = 0; t < count; t++) {
        if (fates[t] == 2) {
            memcpy(sorted[(*balanced)++].corners, soup->triangles[t], sizeof soup->triangles[t]);
        } else if (fates[t] == 0) {
            memmove(soup->triangles[stay++], soup->triangles[t], sizeof soup->triangles[t]);
        }
    }
    for (int i = 0; i < *balanced; i++) {
        memcpy(soup->triangles[stay + i], sorted[i].corners, sizeof soup->triangles[stay]);
    }
    soup->triangleCount = stay;
    pbdrRelease(&soup->hooks, sorted, count, sizeof *sorted);
    pbdrRelease(&soup->hooks, fates, count, sizeof *fates);
    if (stay == 0) {
        return pbdrFail(error, pbdr_statusMeshBroken, "mesh: its %zu facets cancel each other", count);
    }
    return pbdr_statusOk;
}

// --- Sides ---

static int compareSides(const void* a, const void* b)
{
    const pbdrSide *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    if (x->high != y->high) {
        return x->high < y->high ? -1 : 1;
    }
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

pbdrSide* pbdrSortSides(const pbdrSoup* soup)
{
    size_t count = 3 * (size_t)soup->triangleCount;
    pbdrSide* sides = pbdrAllocate(&soup->hooks, count, sizeof *sides);
    if (sides == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        int32_t t = (int32_t)(i / 3);
        int32_t a = soup->triangles[t][i % 3], b = soup->triangles[t][(i + 1) % 3];
        sides[i] = a < b ? (pbdrSide){a, b, +1, t} : (pbdrSide){b, a, -1, t};
    }
    qsort(sides, count, sizeof *sides, compareSides);
    return sides;
}

size_t pbdrCountSides(const pbdrSide* sides, size_t first, size_t count)
{
    size_t n = 1;
    while (first + n < count && sides[first + n].low == sides[first].low &&
           sides[first + n].high == sides[first].high) {
        n++;
    }
    return n;
}

// How many of the sorted sides lie on the edge between two vertices.
static size_t countOnEdge(const pbdrSide* sides, size_t count, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    size_t first = 0, last = count;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        bool before = sides[middle].low < low || (sides[middle].low == low && sides[middle].high < high);
        first = before ? middle + 1 : first;
        last = before ? last : middle;
    }
    bool found = first < count && sides[first].low == low && sides[first].high == high;
    return found ? pbdrCountSides(sides, first, count) : 0;
}

// Takes back those of the balanced facets behind triangleCount that an edge of the others misses, until none
// is missed.
static pbdrStatus returnBalanced(pbdrSoup* soup, int balanced, pbdrError* error)
{
    for (bool again = balanced > 0; again;) {
        size_t count = 3 * (size_t)soup->triangleCount;
        pbdrSide* sides = pbdrSortSides(soup);
        if (sides == NULL) {
            return pbdrFail(error, pbdr_statusNoMemory, "no memory for the edges of %d triangles",
                            soup->triangleCount);
        }
        int last = soup->triangleCount + balanced;
        again = false;
        for (int t = soup->triangleCount; t < last; t++) {
            int32_t *facet = soup->triangles[t], *next = soup->triangles[soup->triangleCount];
            bool missed = countOnEdge(sides, count, facet[0], facet[1]) % 2 == 1 ||
                          countOnEdge(sides, count, facet[1], facet[2]) % 2 == 1 ||
                          countOnEdge(sides, count, facet[2], facet[0]) % 2 == 1;
            for (int k = 0; k < 3 && missed; k++) { // swapped with the first that waits
                int32_t kept = next[k];
                next[k] = facet[k];
                facet[k] = kept;
            }
            soup->triangleCount += missed;
            balanced -= missed;
            again = again || missed;
        }
        pbdrRelease(&soup->hooks, sides, count, sizeof *sides);
    }
    return pbdr_statusOk;
}

// --- Flipped facets ---

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

// The winding number of all other patches about a point.
static double getOthersWinding(const pbdrSoup* soup, const Patches* patches, int32_t patch, pbdrVec3 point)
{
    double sum = 0.0;
    for (int32_t t = 0; t < soup->triangleCount; t++) {
        if (patches->patch[t] == patch) {
            continue;
        }
        const int32_t* corner = soup->triangles[t];
        pbdrVec3 a = pbdrSub(soup->vertices[corner[0]], point);
        pbdrVec3 b = pbdrSub(soup->vertices[corner[1]], point);
        pbdrVec3 c = pbdrSub(soup->vertices[corner[2]], point);
        double lengthA = pbdrLength(a), lengthB = pbdrLength(b), lengthC = pbdrLength(c);
        sum += atan2(pbdrDot(a, pbdrCross(b, c)), lengthA * lengthB * lengthC + pbdrDot(a, b) * lengthC +
                                                      pbdrDot(b, c) * lengthA + pbdrDot(c, a) * lengthB);
    }
    return sum / (2.0 * PBDR_PI);
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

// Turns patches that face inwards though they lie outside all others.
static pbdrStatus turnPatches(pbdrSoup* soup, const Patches* patches, pbdrMeshRepair* report,
                              pbdrError* error)
{
    PatchSize* sizes = pbdrAllocate(&soup->hooks, (size_t)patches->count, sizeof *sizes);
    if (sizes == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d patches", patches->count);
    }
    measurePatches(soup, patches, sizes);
    for (int32_t p = 0; p < patches->count; p++) {
        if (sizes[p].volume < -BODY_VOLUME * sizes[p].area * sqrt(sizes[p].area)) {
            pbdrVec3 place = soup->vertices[soup->triangles[sizes[p].first][0]];
            sizes[p].turned = getOthersWinding(soup, patches, p, place) < 0.5;
        }
    }
    for (int32_t t = 0; t < soup->triangleCount; t++) {
        if (sizes[patches->patch[t]].turned) {
            turnTriangle(soup->triangles[t]);
            report->turnedTriangles++;
        }
    }
    pbdrRelease(&soup->hooks, sizes, (size_t)patches->count, sizeof *sizes);
    return pbdr_statusOk;
}

static pbdrStatus orient(pbdrSoup* soup, pbdrMeshRepair* report, pbdrError* error)
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

pbdrStatus pbdrRepairMesh(const pbdrMesh* mesh, const pbdrHooks* hooks, pbdrMesh* repaired,
                          pbdrMeshRepair* report, pbdrError* error)
{
    pbdrMeshRepair ownReport;
    report = report != NULL ? report : &ownReport;
    *report = (pbdrMeshRepair){0};
    if (!PBDR_ASSERT(hooks, mesh != NULL && repaired != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh or repaired: NULL");
    }
    memset(repaired, 0, sizeof *repaired);
    // What no mesh can have is refused in Check's words; what can be mended is not.
    pbdrMeshReport found;
    pbdrError own = {0};
    pbdrStatus status = pbdrMesh_Check(mesh, &found, &own);
    if (status == pbdr_statusInvalidArgument || status == pbdr_statusNoMemory || mesh->triangleCount < 1 ||
        found.degenerateTriangles > 0) {
        return pbdrFail(error, status, "%s", own.message);
    }
    pbdrSoup soup;
    int balanced = 0;
    status = copyMesh(mesh, hooks, &soup, error);
    if (status == pbdr_statusOk) {
        status = dropDoubles(&soup, &balanced, error);
    }
    if (status == pbdr_statusOk) {
        status = returnBalanced(&soup, balanced, error);
    }
    if (status == pbdr_statusOk) {
        status = orient(&soup, report, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrFillHoles(&soup, report, error);
    }
    if (status == pbdr_statusOk && report->filledHoles > 0) {
        status = dropDoubles(&soup, &balanced, error); // a loose facet and the fill of its own rim
    }
    if (status == pbdr_statusOk) {
        report->droppedTriangles = mesh->triangleCount + report->addedTriangles - soup.triangleCount;
        status = pbdrCreateMesh(soup.vertices, soup.vertexCount, (const int32_t(*)[3])soup.triangles,
                                soup.triangleCount, hooks, repaired, NULL, error);
    }
    pbdrFreeSoup(&soup);
    return status;
}
