// Doubled facets: those on the same three corners count once, with the direction of the majority. Where the
// two directions balance, one stays if its neighbours miss it, and none if it is an inner wall between two
// solids.
#include "geometry/mesh_repair.h"

#include "base.h"

#include <stdlib.h>
#include <string.h>

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

pbdrStatus pbdrDropDoubles(pbdrSoup* soup, int* balanced, pbdrError* error)
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

// --- Balanced facets ---

// The edges of a soup whose last facets wait to be taken back.
typedef struct Edges {
    pbdrSide* sides;
    size_t sideCount;
    size_t* starts;      // per edge, its first side; one more at the end
    uint8_t* odd;        // per edge: an odd number of the facets that stay is on it
    int32_t (*edges)[3]; // per facet
    uint8_t* filled;     // per facet: how many of its edges are known
    uint8_t* stays;      // per facet
    int32_t *wave, *next;
    size_t facetCount;
} Edges;

static void freeEdges(Edges* e, const pbdrHooks* hooks)
{
    pbdrRelease(hooks, e->sides, e->sideCount, sizeof *e->sides);
    pbdrRelease(hooks, e->starts, e->sideCount + 1, sizeof *e->starts);
    pbdrRelease(hooks, e->odd, e->sideCount, sizeof *e->odd);
    pbdrRelease(hooks, e->edges, e->facetCount, sizeof *e->edges);
    pbdrRelease(hooks, e->filled, e->facetCount, sizeof *e->filled);
    pbdrRelease(hooks, e->stays, e->facetCount, sizeof *e->stays);
    pbdrRelease(hooks, e->wave, e->sideCount, sizeof *e->wave);
    pbdrRelease(hooks, e->next, e->sideCount, sizeof *e->next);
}

// Of all facets, of which the first `kept` stay.
static bool makeEdges(const pbdrSoup* soup, int kept, Edges* e)
{
    const pbdrHooks* hooks = &soup->hooks;
    size_t facets = (size_t)soup->triangleCount, sides = 3 * facets;
    *e = (Edges){.sides = pbdrSortSides(soup),
                 .sideCount = sides,
                 .starts = pbdrAllocate(hooks, sides + 1, sizeof *e->starts),
                 .odd = pbdrAllocate(hooks, sides, sizeof *e->odd),
                 .edges = pbdrAllocate(hooks, facets, sizeof *e->edges),
                 .filled = pbdrAllocate(hooks, facets, sizeof *e->filled),
                 .stays = pbdrAllocate(hooks, facets, sizeof *e->stays),
                 .wave = pbdrAllocate(hooks, sides, sizeof *e->wave),
                 .next = pbdrAllocate(hooks, sides, sizeof *e->next),
                 .facetCount = facets};
    if (e->sides == NULL || e->starts == NULL || e->odd == NULL || e->edges == NULL || e->filled == NULL ||
        e->stays == NULL || e->wave == NULL || e->next == NULL) {
        freeEdges(e, hooks);
        return false;
    }
    int32_t edge = 0;
    for (size_t i = 0, n; i < sides; i += n, edge++) {
        n = pbdrCountSides(e->sides, i, sides);
        e->starts[edge] = i;
        for (size_t k = i; k < i + n; k++) {
            int32_t t = e->sides[k].triangle;
            e->edges[t][e->filled[t]++] = edge;
            e->odd[edge] ^= t < kept;
        }
    }
    e->starts[edge] = sides;
    memset(e->stays, 1, (size_t)kept);
    return true;
}

// Takes back the facets of a wave that an edge misses, all as the wave found the edges; then the facets that
// still wait on these edges are the next wave. Each facet that returns makes at most as many as its edges
// have, so all waves together take as long as there are sides.
static int returnWave(Edges* e, int count)
{
    int returned = 0, next = 0;
    for (int i = 0; i < count; i++) {
        int32_t t = e->wave[i];
        const int32_t* edges = e->edges[t];
        if (!e->stays[t] && (e->odd[edges[0]] || e->odd[edges[1]] || e->odd[edges[2]])) {
            e->stays[t] = 1;
            e->wave[returned++] = t;
        }
    }
    for (int i = 0; i < returned; i++) {
        for (int k = 0; k < 3; k++) {
            e->odd[e->edges[e->wave[i]][k]] ^= 1;
        }
    }
    for (int i = 0; i < returned; i++) {
        for (int k = 0; k < 3; k++) {
            int32_t edge = e->edges[e->wave[i]][k];
            for (size_t s = e->starts[edge]; s < e->starts[edge + 1]; s++) {
                int32_t t = e->sides[s].triangle;
                if (!e->stays[t] && e->filled[t] == 3) {
                    e->filled[t] = 4; // waits in the next wave
                    e->next[next++] = t;
                }
            }
        }
    }
    for (int i = 0; i < next; i++) {
        e->filled[e->next[i]] = 3;
    }
    int32_t* kept = e->wave;
    e->wave = e->next;
    e->next = kept;
    return next;
}

pbdrStatus pbdrReturnBalanced(pbdrSoup* soup, int balanced, pbdrError* error)
{
    if (balanced == 0) {
        return pbdr_statusOk;
    }
    int kept = soup->triangleCount;
    Edges e;
    soup->triangleCount += balanced;
    if (!makeEdges(soup, kept, &e)) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for the edges of %d triangles",
                        soup->triangleCount);
    }
    int count = 0;
    for (int t = kept; t < soup->triangleCount; t++) {
        e.wave[count++] = t;
    }
    while (count > 0) {
        count = returnWave(&e, count);
    }
    int stay = kept;
    for (int t = kept; t < soup->triangleCount; t++) {
        if (e.stays[t]) {
            memmove(soup->triangles[stay++], soup->triangles[t], sizeof soup->triangles[t]);
        }
    }
    soup->triangleCount = stay;
    freeEdges(&e, &soup->hooks);
    return pbdr_statusOk;
}
