// Which spheres of different bodies may touch in this substep.
//
//   bodies' boxes --> overlapping boxes --> spheres inside the other's box --> spatial hash --> pairs
//
// Each body has a margin; pairs closer than r_i + r_j + (margin_a + margin_b)/2 are listed once per substep,
// and searched anew as soon as a body may have moved by half its margin (particle_contact.c watches), so the
// list always holds every touching pair. It is sorted: the order of the sums, and so the bits, do not depend
// on the hash.
#include "contact/broad_phase.h"
#include "engine/particle/stage.h"
#include "scene/profile.h"

#include <stdlib.h>

// Spheres more cells than this away from the first are left out, with a flag: their index does not fit.
#define MAX_CELL 1.0e9

static void bound(const pbdrParticleWorld* world, int index, pbdrBox* box)
{
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    const pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    const pbdrParticles* p = &world->particles;
    const vreal far = vset((real)HUGE_VAL), minusFar = vset((real)-HUGE_VAL);
    vvec lower = {far, far, far}, upper = {minusFar, minusFar, minusFar};
    for (int i = getFirst(own); i < getEnd(own); i += LANES) {
        vvec x = vloadVec(p->position, i); // padding sits at the centre of mass: inside any box
        lower = (vvec){vmin(x.x, lower.x), vmin(x.y, lower.y), vmin(x.z, lower.z)};
        upper = (vvec){vmax(x.x, upper.x), vmax(x.y, upper.y), vmax(x.z, upper.z)};
    }
    double grow = body->shape->largestRadius + 0.5 * body->shape->margin;
    const vreal low[3] = {lower.x, lower.y, lower.z}, high[3] = {upper.x, upper.y, upper.z};
    for (int k = 0; k < 3; k++) {
        box->lower[k] = -vlargest(vsub(vset((real)0), low[k])) - grow;
        box->upper[k] = vlargest(high[k]) + grow;
    }
}

// Marks the particles of body whose sphere, half the margin added, reaches into box.
static void markInside(pbdrParticleWorld* world, int index, const pbdrBox* box)
{
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    const pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    const pbdrParticles* p = &world->particles;
    uint8_t* marks = world->marks.items;
    const real* x[3] = {p->position[0], p->position[1], p->position[2]};
    const real* radius = p->radius;
    for (int i = getFirst(own); i < getFirst(own) + body->shape->sphereCount; i++) {
        double grow = (double)radius[i] + 0.5 * body->shape->margin;
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            inside =
                inside && (double)x[k][i] + grow >= box->lower[k] && (double)x[k][i] - grow <= box->upper[k];
        }
        marks[i] |= inside;
    }
}

static bool markPair(void* context, const pbdrBox* a, const pbdrBox* b)
{
    markInside(context, a->body, b);
    markInside(context, b->body, a);
    return true;
}

// Boxes of all bodies; marks on every particle near another body. False without memory.
static bool markNearby(pbdrParticleWorld* world)
{
    world->boxes.count = 0;
    for (int index = 0; index < world->scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(world->scene, index);
        if (!body->alive) {
            continue;
        }
        pbdrBox* box = pbdrListPush(&world->scene->memory, &world->boxes);
        if (box == NULL) {
            return false;
        }
        box->body = index;
        bound(world, index, box);
    }
    if (!pbdrListResetTo(&world->scene->memory, &world->marks, world->particles.blockCount * PBDR_BLOCK)) {
        return false;
    }
    return pbdrSweepBoxes(world->scene, &world->boxes, markPair, world);
}

static uint32_t hashCell(const int32_t cell[3], uint32_t mask)
{
    uint32_t h =
        (uint32_t)cell[0] * 73856093u ^ (uint32_t)cell[1] * 19349663u ^ (uint32_t)cell[2] * 83492791u;
    return (h ^ (h >> 15)) & mask;
}

// The marked particles as grid entries. Returns the cell size, twice the largest reach, or 0 without memory.
static double gatherEntries(pbdrParticleWorld* world)
{
    const pbdrParticles* p = &world->particles;
    const uint8_t* marks = world->marks.items;
    world->gridEntries.count = 0;
    double largest = 1.0; // any size will do for no entry
    for (int i = 0; i < world->marks.count; i++) {
        if (!marks[i]) {
            continue;
        }
        pbdrGridEntry* entry = pbdrListPush(&world->scene->memory, &world->gridEntries);
        if (entry == NULL) {
            return 0.0;
        }
        entry->particle = i;
        entry->body = pbdrGetOwner(world, i);
        entry->reach =
            (double)((const real*)p->radius)[i] + 0.5 * pbdrGetBody(world->scene, entry->body)->shape->margin;
        for (int k = 0; k < 3; k++) {
            entry->position[k] = (double)((const real*)p->position[k])[i];
        }
        bool first = world->gridEntries.count == 1;
        largest = first || entry->reach > largest ? entry->reach : largest;
    }
    return 2.0 * largest;
}

// Chains the entries by bucket. Entries are chained last to first, so that each chain runs upwards. False
// without memory.
static bool fillGrid(pbdrParticleWorld* world, double cellSize, uint32_t* mask)
{
    uint32_t bucketCount = 16;
    while ((int)bucketCount < world->gridEntries.count) {
        bucketCount *= 2;
    }
    *mask = bucketCount - 1;
    if (!pbdrListResetTo(&world->scene->memory, &world->gridStarts, (int)bucketCount)) {
        return false;
    }
    int32_t* starts = world->gridStarts.items; // entry + 1
    pbdrGridEntry* entries = world->gridEntries.items;
    for (int e = world->gridEntries.count - 1; e >= 0; e--) {
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            double cell = floor((entries[e].position[k] - entries[0].position[k]) / cellSize);
            inside = inside && fabs(cell) < MAX_CELL; // false for NaN
            entries[e].cell[k] = inside ? (int32_t)cell : 0;
        }
        if (!inside) {
            entries[e].reach = -1.0;
            world->scene->flags |= pbdr_stepPairsFull;
            continue;
        }
        uint32_t bucket = hashCell(entries[e].cell, *mask);
        entries[e].next = starts[bucket] - 1;
        starts[bucket] = e + 1;
    }
    return true;
}

static int comparePairs(const void* a, const void* b)
{
    const pbdrPair *first = a, *second = b;
    if (first->first != second->first) {
        return first->first < second->first ? -1 : 1;
    }
    return (first->second > second->second) - (first->second < second->second);
}

// Lists the pairs of entry e with later particles in one cell. False when the list is full.
static bool pairWithCell(pbdrParticleWorld* world, const pbdrGridEntry* e, const int32_t cell[3],
                         uint32_t mask)
{
    const pbdrGridEntry* entries = world->gridEntries.items;
    const int32_t* starts = world->gridStarts.items;
    for (int f = starts[hashCell(cell, mask)] - 1; f >= 0; f = entries[f].next) {
        const pbdrGridEntry* other = entries + f;
        if (other->particle <= e->particle || other->body == e->body || other->cell[0] != cell[0] ||
            other->cell[1] != cell[1] || other->cell[2] != cell[2] ||
            !pbdrCanTouch(world->scene, e->body, other->body)) {
            continue;
        }
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            double d = e->position[k] - other->position[k];
            square += d * d;
        }
        double reach = e->reach + other->reach;
        if (square > reach * reach) {
            continue;
        }
        pbdrPair* pair = world->foundPairs.count < world->scene->maxPairCount
                             ? pbdrListPush(&world->scene->memory, &world->foundPairs)
                             : NULL;
        if (pair == NULL) {
            world->scene->flags |= pbdr_stepPairsFull;
            return false;
        }
        pair->first = e->particle;
        pair->second = other->particle;
    }
    return true;
}

static void pairEntries(pbdrParticleWorld* world, uint32_t mask)
{
    const pbdrGridEntry* entries = world->gridEntries.items;
    for (int e = 0; e < world->gridEntries.count; e++) {
        if (entries[e].reach < 0.0) {
            continue;
        }
        for (int k = 0; k < 27; k++) {
            const int32_t* c = entries[e].cell;
            int32_t cell[3] = {c[0] + k % 3 - 1, c[1] + k / 3 % 3 - 1, c[2] + k / 9 - 1};
            if (!pairWithCell(world, entries + e, cell, mask)) {
                return;
            }
        }
    }
}

// Takes over the forces of pairs that touched earlier in the substep; keeps such pairs even where they have
// parted.
static void keepTouched(pbdrParticleWorld* world)
{
    int foundCount = world->foundPairs.count;
    for (int i = 0; i < world->pairs.count; i++) {
        const pbdrPair* old = (const pbdrPair*)world->pairs.items + i;
        if (!old->touched) {
            continue;
        }
        pbdrPair* pair = foundCount > 0 ? bsearch(old, world->foundPairs.items, (size_t)foundCount,
                                                  sizeof *pair, comparePairs)
                                        : NULL;
        if (pair == NULL) {
            pair = pbdrListPush(&world->scene->memory, &world->foundPairs);
        }
        if (pair != NULL) {
            *pair = *old;
        }
    }
    if (world->foundPairs.count > foundCount) {
        qsort(world->foundPairs.items, (size_t)world->foundPairs.count, sizeof(pbdrPair), comparePairs);
    }
}

void STAGE(pbdrFindPairs)(pbdrParticleWorld* world)
{
    for (int index = 0; index < world->scene->bodies.count; index++) {
        pbdrGetParticleBody(world, index)->travel = 0.0;
    }
    world->foundPairs.count = 0;
    if (world->scene->bodyCount < 2) {
        return;
    }
    PBDR_COUNT(world->scene, searchCount);
    uint32_t mask = 0;
    double cellSize = markNearby(world) ? gatherEntries(world) : 0.0;
    if (cellSize <= 0.0 || !fillGrid(world, cellSize, &mask)) {
        world->scene->flags |= pbdr_stepPairsFull;
        return;
    }
    pairEntries(world, mask);
    if (world->foundPairs.count > 0) {
        qsort(world->foundPairs.items, (size_t)world->foundPairs.count, sizeof(pbdrPair), comparePairs);
    }
    keepTouched(world);
    pbdrList found = world->foundPairs;
    world->foundPairs = world->pairs;
    world->pairs = found;
}
