// Contact candidates: when to search, the search, and what carries over.
#include "solver/candidates.h"

#include "solver/broad_phase.h"

#include "world/profile.h"

#include <stdlib.h>
#include <string.h>

// Padding's radius: a gap that nothing closes, and no infinity to make NaN of [m].
#define PADDING_RADIUS (-1.0e30)

// A stretch differs from a rotation by some (w dt)^2; bounds are this much larger.
#define STRETCH 1.01

// --- Items ---

bool pbdrReserveItems(pbdrWorld* world, pbdrItems* items, int itemCount)
{
    if (itemCount <= items->capacity) {
        return true;
    }
    int capacity = (itemCount + itemCount / 4 + PBDR_BLOCK - 1) / PBDR_BLOCK * PBDR_BLOCK;
    pbdrItems grown = {.capacity = capacity};
    grown.columns = pbdrWorldAllocate(world, (size_t)capacity, ITEM_COLUMNS * sizeof(double));
    grown.spheres[0] = pbdrWorldAllocate(world, (size_t)capacity, 2 * sizeof(int32_t));
    if (grown.columns == NULL || grown.spheres[0] == NULL) {
        pbdrFreeItems(world, &grown);
        return false;
    }
    grown.spheres[1] = grown.spheres[0] + capacity;
    pbdrFreeItems(world, items); // all of them are about to be written
    *items = grown;
    return true;
}

void pbdrFreeItems(pbdrWorld* world, pbdrItems* items)
{
    pbdrWorldRelease(world, items->columns, (size_t)items->capacity, ITEM_COLUMNS * sizeof(double));
    pbdrWorldRelease(world, items->spheres[0], (size_t)items->capacity, 2 * sizeof(int32_t));
    *items = (pbdrItems){0};
}

// Sphere, radius and mass of one side of an item.
static void fillSide(const pbdrWorld* world, pbdrItems* items, int item, int side, const pbdrBody* body)
{
    int sphere = items->spheres[side][item];
    bool padding = sphere < 0 || body == NULL;
    pbdrTreeSphere at = padding ? (pbdrTreeSphere){{0.0, 0.0, 0.0}, side == 0 ? PADDING_RADIUS : 0.0}
                                : body->tree.spheres[sphere];
    double mass = 0.0;
    if (!padding) {
        int particle = body->firstBlock * PBDR_BLOCK + body->tree.indices[sphere];
        mass = pbdrReadReal(world, world->particles.mass, particle);
    }
    const int column = side == 0 ? ITEM_REST : ITEM_REST_B;
    const double values[5] = {at.centre.x, at.centre.y, at.centre.z, at.radius, mass};
    for (int k = 0; k < 5; k++) {
        pbdrGetColumn(items, column + k)[item] = values[k];
    }
}

void pbdrFillItem(const pbdrWorld* world, pbdrItems* items, const pbdrPatch* patch, int item)
{
    fillSide(world, items, item, 0, pbdrGetBody(world, patch->bodyA));
    fillSide(world, items, item, 1, patch->bodyB >= 0 ? pbdrGetBody(world, patch->bodyB) : NULL);
}

// --- When to search ---

// XPBD-R looks ahead: how far the body's spheres may go in this substep, along a direction or in all of them
// (NULL). PBD and PBD-R look at where they are.
static double getLookAhead(const pbdrWorld* world, const pbdrBody* body, const pbdrVec3* direction)
{
    if (world->solver != pbdr_solverXpbdR || body->kind == pbdr_bodyStatic) {
        return 0.0;
    }
    pbdrVec3 pull = pbdrScale(1.0 / body->mass, body->force);
    pull = body->kind == pbdr_bodyDynamic ? pbdrAdd(pull, world->gravity) : pull;
    pbdrVec3 drift = pbdrAddScaled(body->drift0, world->timeStep, pull);
    double speed = direction != NULL ? fabs(pbdrDot(drift, *direction)) : pbdrLength(drift);
    return world->timeStep * (speed + pbdrLength(body->angular) * body->reach);
}

// Whether a body's bounding ball comes near a plane.
static bool isNearPlane(const pbdrWorld* world, const pbdrBody* body, const pbdrPlane* plane)
{
    double height = pbdrDot(plane->normal, body->centre0) - plane->offset;
    return height <= STRETCH * body->reach + body->largestRadius + body->margin +
                         getLookAhead(world, body, &plane->normal);
}

// How far any sphere of the body can have come towards the plane since the search.
static double getApproach(const pbdrBody* body, const pbdrPlane* plane)
{
    double sunk = pbdrDot(plane->normal, pbdrSub(body->centre0, body->searched.centre));
    pbdrVec3 now = pbdrMulTransposedMV(&body->stretch, plane->normal);
    pbdrVec3 then = pbdrMulTransposedMV(&body->searched.stretch, plane->normal);
    return fabs(sunk) + pbdrLength(pbdrSub(now, then)) * body->reach;
}

// How far any sphere of the body can have moved since the search.
static double getTravel(const pbdrBody* body)
{
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double change = body->stretch.m[i][j] - body->searched.stretch.m[i][j];
            square += change * change;
        }
    }
    return pbdrLength(pbdrSub(body->centre0, body->searched.centre)) + sqrt(square) * body->reach;
}

// NaN counts as stale: the search then finds nothing, and the step flags it.
static bool isStale(const pbdrWorld* world)
{
    int patch = 0;
    for (int k = 0; k < world->planes.count; k++) {
        const pbdrPlane* plane = pbdrGetPlane(world, k);
        for (int index = 0; plane->alive && index < world->bodies.count; index++) {
            const pbdrBody* body = pbdrGetBody(world, index);
            if (!body->alive || body->kind != pbdr_bodyDynamic) {
                continue;
            }
            bool listed = patch < world->patches.count && pbdrGetPatch(world, patch)->plane == k &&
                          pbdrGetPatch(world, patch)->bodyA == index;
            if (listed ? !(getApproach(body, plane) + getLookAhead(world, body, &plane->normal) <=
                           pbdrGetPatch(world, patch)->margin)
                       : isNearPlane(world, body, plane)) {
                return true;
            }
            patch += listed;
        }
    }
    for (int index = 0; world->bodyCount > 1 && index < world->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(world, index);
        if (body->alive && !(getTravel(body) + getLookAhead(world, body, NULL) <=
                             body->searchedReach - (body->faceFirsts != NULL ? body->largestRadius : 0.0))) {
            return true;
        }
    }
    return false;
}

// --- The search ---

typedef struct Found {
    int32_t particles[2]; // in the order of the bodies' definitions: what items are sorted by
    int32_t spheres[2];   // places in the trees; B: -1 for a plane
} Found;

typedef struct Search {
    pbdrWorld* world;
    const pbdrBody *a, *b;
    int pairCount; // of all bodies so far
} Search;

static bool addFound(void* context, int sphereA, int sphereB)
{
    Search* search = context;
    pbdrWorld* world = search->world;
    if (search->b != NULL && search->pairCount >= world->maxPairCount) {
        return false;
    }
    Found* found = pbdrListPush(world, &world->foundItems);
    search->pairCount += found != NULL && search->b != NULL;
    if (found != NULL) {
        *found = (Found){{search->a->tree.indices[sphereA], -1}, {sphereA, -1}};
        if (search->b != NULL) {
            found->particles[1] = search->b->tree.indices[sphereB];
            found->spheres[1] = sphereB;
        }
    }
    return found != NULL;
}

static bool addBelow(void* context, int sphere)
{
    return addFound(context, sphere, -1);
}

static int compareFound(const void* a, const void* b)
{
    const Found *first = a, *second = b;
    int32_t difference = first->particles[0] - second->particles[0];
    return difference != 0 ? difference : first->particles[1] - second->particles[1];
}

// Makes a patch of what was found, and its items, padded. False without memory.
static bool addPatch(pbdrWorld* world, int bodyA, int bodyB, int plane, double margin)
{
    int count = world->foundItems.count, first = world->items.count;
    int padded = (count + PBDR_BLOCK - 1) / PBDR_BLOCK * PBDR_BLOCK;
    if (first + padded > world->items.capacity) {
        // grow, keeping what is there: only the spheres' names, the rest is filled at the end
        pbdrItems grown = {0};
        if (!pbdrReserveItems(world, &grown, first + padded)) {
            return false;
        }
        for (int side = 0; side < 2 && first > 0; side++) {
            memcpy(grown.spheres[side], world->items.spheres[side], (size_t)first * sizeof(int32_t));
        }
        pbdrFreeItems(world, &world->items);
        world->items = grown;
    }
    pbdrPatch* patch = pbdrListPush(world, &world->patches);
    if (patch == NULL) {
        return false;
    }
    *patch = (pbdrPatch){bodyA, bodyB, plane, first, count, padded, margin};
    Found* found = world->foundItems.items;
    if (count > 1) {
        qsort(found, (size_t)count, sizeof *found, compareFound);
    }
    for (int i = 0; i < padded; i++) {
        for (int side = 0; side < 2; side++) {
            world->items.spheres[side][first + i] = i < count ? found[i].spheres[side] : -1;
        }
    }
    world->items.count = first + padded;
    return true;
}

static bool searchPlanes(pbdrWorld* world)
{
    bool good = true;
    for (int k = 0; k < world->planes.count; k++) {
        const pbdrPlane* plane = pbdrGetPlane(world, k);
        for (int index = 0; plane->alive && index < world->bodies.count; index++) {
            const pbdrBody* body = pbdrGetBody(world, index);
            if (!body->alive || body->kind != pbdr_bodyDynamic || !isNearPlane(world, body, plane)) {
                continue;
            }
            world->foundItems.count = 0;
            Search search = {world, body, NULL, 0};
            double height = pbdrDot(plane->normal, body->centre0) - plane->offset;
            // twice what is looked ahead now: speeding up does not mean a search in every substep
            double margin = body->margin + 2.0 * getLookAhead(world, body, &plane->normal);
            good = pbdrSphereTree_VisitBelow(&body->tree, pbdrMulTransposedMV(&body->stretch, plane->normal),
                                             height, margin, addBelow, &search) &&
                   addPatch(world, index, -1, k, margin) && good;
        }
    }
    return good;
}

// The boxes of all bodies' bounding balls. False without memory.
static bool listBoxes(pbdrWorld* world)
{
    world->boxes.count = 0;
    for (int index = 0; index < world->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(world, index);
        if (!body->alive) {
            continue;
        }
        // a face reaches further than its spheres: up to sqrt(2) r sideways on a grid, within a radius of the
        // sphere that stands for it
        double faces = body->faceFirsts != NULL ? body->largestRadius : 0.0;
        body->searchedReach = 0.5 * body->margin + faces + 2.0 * getLookAhead(world, body, NULL);
        pbdrBox* box = pbdrListPush(world, &world->boxes);
        if (box == NULL) {
            return false;
        }
        box->body = index;
        double size = STRETCH * body->reach + body->largestRadius + body->searchedReach;
        const double centre[3] = {body->centre0.x, body->centre0.y, body->centre0.z};
        for (int k = 0; k < 3; k++) {
            box->lower[k] = centre[k] - size;
            box->upper[k] = centre[k] + size;
        }
    }
    return true;
}

static bool searchBodies(pbdrWorld* world, int indexA, int indexB, int* pairCount)
{
    const pbdrBody *a = pbdrGetBody(world, indexA), *b = pbdrGetBody(world, indexB);
    const pbdrTreePlace placeA = {a->centre0, a->stretch}, placeB = {b->centre0, b->stretch};
    world->foundItems.count = 0;
    Search search = {world, a, b, *pairCount};
    bool good = pbdrSphereTree_VisitPairs(&a->tree, &placeA, &b->tree, &placeB,
                                          a->searchedReach + b->searchedReach, addFound, &search);
    *pairCount = search.pairCount;
    return world->foundItems.count == 0 ? good : addPatch(world, indexA, indexB, -1, 0.0) && good;
}

static int comparePairs(const void* a, const void* b)
{
    const pbdrPair *first = a, *second = b;
    return first->first != second->first ? first->first - second->first : first->second - second->second;
}

static bool addBodies(pbdrWorld* world, const pbdrBox* a, const pbdrBox* b)
{
    pbdrPair* pair = pbdrListPush(world, &world->foundPairs);
    if (pair != NULL) {
        pair->first = a->body < b->body ? a->body : b->body;
        pair->second = a->body < b->body ? b->body : a->body;
    }
    return pair != NULL;
}

static bool searchPairs(pbdrWorld* world)
{
    if (!listBoxes(world)) {
        return false;
    }
    // pairs of bodies, then sorted: patches are in the order of bodies, whatever the sweep's
    world->foundPairs.count = 0;
    bool good = pbdrSweepBoxes(world, addBodies);
    pbdrPair* pairs = world->foundPairs.items;
    int pairCount = 0;
    if (world->foundPairs.count > 1) {
        qsort(pairs, (size_t)world->foundPairs.count, sizeof *pairs, comparePairs);
    }
    for (int k = 0; k < world->foundPairs.count; k++) {
        good = searchBodies(world, pairs[k].first, pairs[k].second, &pairCount) && good;
    }
    return good;
}

// --- What carries over ---

static int comparePlaces(const pbdrPatch* a, const pbdrPatch* b)
{
    const int32_t first[4] = {a->plane < 0, a->plane, a->bodyA, a->bodyB};
    const int32_t second[4] = {b->plane < 0, b->plane, b->bodyA, b->bodyB};
    for (int k = 0; k < 4; k++) {
        if (first[k] != second[k]) {
            return first[k] < second[k] ? -1 : 1;
        }
    }
    return 0;
}

// Position of an item in its patch's order.
static Found getOrder(const pbdrWorld* world, const pbdrItems* items, const pbdrPatch* patch, int item)
{
    Found found = {{pbdrGetBody(world, patch->bodyA)->tree.indices[items->spheres[0][item]], -1}, {-1, -1}};
    if (patch->bodyB >= 0) {
        found.particles[1] = pbdrGetBody(world, patch->bodyB)->tree.indices[items->spheres[1][item]];
    }
    return found;
}

// Both patches are of the same bodies or plane, their items sorted: a merge.
static void carryPatch(pbdrWorld* world, const pbdrPatch* patch, const pbdrPatch* last)
{
    int from = last->first;
    for (int i = patch->first; i < patch->first + patch->count; i++) {
        Found order = getOrder(world, &world->items, patch, i);
        int difference = -1;
        while (from < last->first + last->count) {
            Found lastOrder = getOrder(world, &world->lastItems, last, from);
            difference = compareFound(&lastOrder, &order);
            if (difference >= 0) {
                break;
            }
            from++;
        }
        if (difference == 0 && from < last->first + last->count) {
            for (int k = ITEM_FORCE; k < ITEM_SCRATCH; k++) {
                pbdrGetColumn(&world->items, k)[i] = pbdrGetColumn(&world->lastItems, k)[from];
            }
        }
    }
}

static void fillPatches(pbdrWorld* world)
{
    int last = 0;
    const pbdrPatch* lastPatches = world->lastPatches.items;
    for (int k = 0; k < world->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(world, k);
        for (int i = patch->first; i < patch->first + patch->padded; i++) {
            pbdrFillItem(world, &world->items, patch, i);
            for (int column = ITEM_FORCE; column < ITEM_SCRATCH; column++) {
                pbdrGetColumn(&world->items, column)[i] = 0.0;
            }
        }
        while (last < world->lastPatches.count && comparePlaces(&lastPatches[last], patch) < 0) {
            last++;
        }
        if (last < world->lastPatches.count && comparePlaces(&lastPatches[last], patch) == 0) {
            carryPatch(world, patch, &lastPatches[last]);
        }
    }
}

void pbdrUpdateCandidates(pbdrWorld* world)
{
    if (!isStale(world)) {
        world->flags |= world->searchFull ? pbdr_stepPairsFull : 0;
        return;
    }
    PBDR_COUNT(world, searchCount);
    pbdrList patches = world->lastPatches;
    pbdrItems items = world->lastItems;
    world->lastPatches = world->patches;
    world->lastItems = world->items;
    world->patches = patches;
    world->items = items;
    world->patches.count = 0;
    world->items.count = 0;
    bool good = searchPlanes(world);
    if (world->bodyCount > 1) {
        good = searchPairs(world) && good;
    }
    fillPatches(world);
    for (int index = 0; index < world->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(world, index);
        body->searched = (pbdrTreePlace){body->centre0, body->stretch};
    }
    world->searchFull = !good;
    world->flags |= good ? 0 : pbdr_stepPairsFull;
}

void pbdrForgetCandidates(pbdrWorld* world)
{
    world->patches.count = 0;
    world->items.count = 0;
    world->searchFull = false;
    for (int index = 0; index < world->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(world, index);
        body->searched.centre = pbdrVec(NAN, NAN, NAN); // any search is better than this
        memset(body->lag, 0, sizeof body->lag);
        memset(body->lastStep, 0, sizeof body->lastStep);
        body->lastStepCount = 0;
        body->hasFactors = false;
    }
}
