// Contact candidates: when to search, the search, and what carries over.
#include "contact/candidates.h"

#include "contact/broad_phase.h"
#include "contact/touch.h"
#include "scene/profile.h"

#include <stdlib.h>
#include <string.h>

// Padding's radius: a gap that nothing closes, and no infinity to make NaN of [m].
#define PADDING_RADIUS (-1.0e30)

// A stretch differs from a rotation by some (w dt)^2; bounds are this much larger.
#define STRETCH 1.01

// A sphere, a pair or a probe that a search found.
typedef struct Found {
    int32_t order[2];   // what items are sorted by: spheres' numbers in their definitions; probes: side, name
    int32_t spheres[2]; // places in the trees, or the probe's name; -1: none
} Found;

// Two bodies that come near each other.
typedef struct BodyPair {
    int32_t first, second; // ascending
} BodyPair;

// --- Items ---

static void freeItems(pbdrCandidates* candidates, pbdrItems* items)
{
    pbdrMemory* memory = &candidates->scene->memory;
    const size_t capacity = (size_t)items->capacity;
    pbdrGiveMemory(memory, items->columns, capacity, (size_t)items->columnCount * sizeof(double));
    pbdrGiveMemory(memory, items->spheres[0], capacity, 2 * sizeof(int32_t));
    *items = (pbdrItems){.columnCount = items->columnCount};
}

bool pbdrReserveItems(pbdrCandidates* candidates, pbdrItems* items, int itemCount)
{
    if (itemCount <= items->capacity) {
        return true;
    }
    pbdrMemory* memory = &candidates->scene->memory;
    int capacity = (itemCount + itemCount / 4 + PBDR_BLOCK - 1) / PBDR_BLOCK * PBDR_BLOCK;
    pbdrItems grown = {.capacity = capacity, .columnCount = items->columnCount};
    grown.columns = pbdrTakeMemory(memory, (size_t)capacity, (size_t)grown.columnCount * sizeof(double));
    grown.spheres[0] = pbdrTakeMemory(memory, (size_t)capacity, 2 * sizeof(int32_t));
    if (grown.columns == NULL || grown.spheres[0] == NULL) {
        freeItems(candidates, &grown);
        return false;
    }
    grown.spheres[1] = grown.spheres[0] + capacity;
    freeItems(candidates, items); // all of them are about to be written
    *items = grown;
    return true;
}

void pbdrInitCandidates(pbdrCandidates* candidates, pbdrScene* scene, bool looksAhead, int columnCount)
{
    *candidates = (pbdrCandidates){.scene = scene, .looksAhead = looksAhead};
    candidates->items.columnCount = candidates->lastItems.columnCount = columnCount;
    candidates->patches.itemSize = candidates->lastPatches.itemSize = sizeof(pbdrPatch);
    candidates->searched.itemSize = sizeof(pbdrSearched);
    candidates->found.itemSize = sizeof(Found);
    candidates->boxes.itemSize = sizeof(pbdrBox);
    candidates->bodyPairs.itemSize = sizeof(BodyPair);
}

void pbdrFreeCandidates(pbdrCandidates* candidates)
{
    freeItems(candidates, &candidates->items);
    freeItems(candidates, &candidates->lastItems);
    pbdrList* lists[] = {&candidates->patches, &candidates->lastPatches, &candidates->searched,
                         &candidates->found,   &candidates->boxes,       &candidates->bodyPairs};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        pbdrListFree(&candidates->scene->memory, lists[k]);
    }
}

bool pbdrExtendCandidates(pbdrCandidates* candidates, int bodyCount)
{
    return pbdrListExtend(&candidates->scene->memory, &candidates->searched, bodyCount);
}

// Sphere, radius and mass of one side of an item.
static void fillSide(pbdrItems* items, int item, int side, const pbdrBody* body)
{
    int sphere = items->spheres[side][item];
    bool padding = sphere < 0 || body == NULL;
    pbdrTreeSphere at = padding ? (pbdrTreeSphere){{0.0, 0.0, 0.0}, side == 0 ? PADDING_RADIUS : 0.0}
                                : body->shape->tree.spheres[sphere];
    double mass = padding ? 0.0 : body->shape->masses[body->shape->tree.indices[sphere]];
    const int column = side == 0 ? ITEM_REST : ITEM_REST_B;
    const double values[5] = {at.centre.x, at.centre.y, at.centre.z, at.radius, mass};
    for (int k = 0; k < 5; k++) {
        pbdrGetColumn(items, column + k)[item] = values[k];
    }
}

// A probe of A over a plane; other items of surfaces find their place in each substep.
static void fillProbe(const pbdrCandidates* candidates, pbdrItems* items, const pbdrPatch* patch, int item)
{
    for (int column = ITEM_REST; column <= ITEM_MASS_B; column++) {
        pbdrGetColumn(items, column)[item] = 0.0;
    }
    int name = items->spheres[0][item];
    pbdrGetColumn(items, ITEM_RADIUS)[item] = PADDING_RADIUS;
    if (patch->plane >= 0 && name >= 0) {
        const pbdrProbe probe = pbdrGetProbe(pbdrGetBody(candidates->scene, patch->bodyA), name / 2);
        pbdrWriteColumns(items, ITEM_REST, item, probe.a);
        pbdrGetColumn(items, ITEM_RADIUS)[item] = probe.radius;
    }
}

void pbdrFillItem(const pbdrCandidates* candidates, pbdrItems* items, const pbdrPatch* patch, int item)
{
    if (patch->bySurface) {
        fillProbe(candidates, items, patch, item);
        return;
    }
    fillSide(items, item, 0, pbdrGetBody(candidates->scene, patch->bodyA));
    fillSide(items, item, 1, patch->bodyB >= 0 ? pbdrGetBody(candidates->scene, patch->bodyB) : NULL);
}

// --- When to search ---

// No point of the body that may touch is farther from its centre of mass than this [m].
static double getReach(const pbdrCandidates* candidates, const pbdrBody* body)
{
    const pbdrShape* shape = body->shape;
    double spheres = STRETCH * shape->reach + shape->largestRadius;
    return candidates->scene->touchesSurface ? fmax(spheres, shape->surface.radius) : spheres;
}

// The same of what turns with it: spheres turn about their centres.
static double getLever(const pbdrCandidates* candidates, const pbdrBody* body)
{
    const pbdrShape* shape = body->shape;
    return candidates->scene->touchesSurface ? fmax(shape->reach, shape->surface.radius) : shape->reach;
}

// How far the body's spheres may go in this substep, along a direction or in all of them (NULL).
static double getLookAhead(const pbdrCandidates* candidates, const pbdrBody* body, const pbdrVec3* direction)
{
    if (!candidates->looksAhead || body->kind == pbdr_bodyStatic) {
        return 0.0;
    }
    pbdrVec3 pull = pbdrScale(1.0 / body->shape->mass, body->force);
    pull = body->kind == pbdr_bodyDynamic ? pbdrAdd(pull, candidates->scene->gravity) : pull;
    pbdrVec3 drift = pbdrAddScaled(body->velocity, candidates->scene->timeStep, pull);
    double speed = direction != NULL ? fabs(pbdrDot(drift, *direction)) : pbdrLength(drift);
    return candidates->scene->timeStep * (speed + pbdrLength(body->angular) * getLever(candidates, body));
}

// Whether a body's bounding ball comes near a plane.
static bool isNearPlane(const pbdrCandidates* candidates, const pbdrBody* body, const pbdrPlane* plane)
{
    double height = pbdrDot(plane->normal, body->centre) - plane->offset;
    return height <=
           getReach(candidates, body) + body->shape->margin + getLookAhead(candidates, body, &plane->normal);
}

// How far any sphere of the body can have come towards the plane since the search.
static double getApproach(const pbdrCandidates* candidates, int index, const pbdrPlane* plane)
{
    const pbdrBody* body = pbdrGetBody(candidates->scene, index);
    const pbdrSearched* searched = pbdrGetSearched(candidates, index);
    double sunk = pbdrDot(plane->normal, pbdrSub(body->centre, searched->place.centre));
    pbdrVec3 now = pbdrMulTransposedMV(&body->frame, plane->normal);
    pbdrVec3 then = pbdrMulTransposedMV(&searched->place.stretch, plane->normal);
    return fabs(sunk) + pbdrLength(pbdrSub(now, then)) * getLever(candidates, body);
}

// How far any sphere of the body can have moved since the search.
static double getTravel(const pbdrCandidates* candidates, int index)
{
    const pbdrBody* body = pbdrGetBody(candidates->scene, index);
    const pbdrSearched* searched = pbdrGetSearched(candidates, index);
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double change = body->frame.m[i][j] - searched->place.stretch.m[i][j];
            square += change * change;
        }
    }
    return pbdrLength(pbdrSub(body->centre, searched->place.centre)) +
           sqrt(square) * getLever(candidates, body);
}

// NaN counts as stale: the search then finds nothing, and the step flags it.
static bool isStale(const pbdrCandidates* candidates)
{
    int patch = 0;
    for (int k = 0; k < candidates->scene->planes.count; k++) {
        const pbdrPlane* plane = pbdrGetPlane(candidates->scene, k);
        for (int index = 0; plane->alive && index < candidates->scene->bodies.count; index++) {
            const pbdrBody* body = pbdrGetBody(candidates->scene, index);
            if (!body->alive || body->kind != pbdr_bodyDynamic) {
                continue;
            }
            bool listed = patch < candidates->patches.count && pbdrGetPatch(candidates, patch)->plane == k &&
                          pbdrGetPatch(candidates, patch)->bodyA == index;
            if (listed ? !(getApproach(candidates, index, plane) +
                               getLookAhead(candidates, body, &plane->normal) <=
                           pbdrGetPatch(candidates, patch)->margin)
                       : isNearPlane(candidates, body, plane)) {
                return true;
            }
            patch += listed;
        }
    }
    for (int index = 0; candidates->scene->bodyCount > 1 && index < candidates->scene->bodies.count;
         index++) {
        const pbdrBody* body = pbdrGetBody(candidates->scene, index);
        const pbdrSearched* searched = pbdrGetSearched(candidates, index);
        if (body->alive &&
            !(getTravel(candidates, index) + getLookAhead(candidates, body, NULL) <= searched->reach)) {
            return true;
        }
    }
    return false;
}

// --- The search ---

typedef struct Search {
    pbdrCandidates* candidates;
    const pbdrBody *a, *b;
    int pairCount; // of all bodies so far
} Search;

static bool addFound(void* context, int sphereA, int sphereB)
{
    Search* search = context;
    pbdrCandidates* candidates = search->candidates;
    if (search->b != NULL && search->pairCount >= candidates->scene->maxPairCount) {
        return false;
    }
    Found* found = pbdrListPush(&candidates->scene->memory, &candidates->found);
    search->pairCount += found != NULL && search->b != NULL;
    if (found != NULL) {
        *found = (Found){{search->a->shape->tree.indices[sphereA], -1}, {sphereA, -1}};
        if (search->b != NULL) {
            found->order[1] = search->b->shape->tree.indices[sphereB];
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
    int32_t difference = first->order[0] - second->order[0];
    return difference != 0 ? difference : first->order[1] - second->order[1];
}

// Makes a patch of what was found, and its items, padded. False without memory.
static bool addPatch(pbdrCandidates* candidates, int bodyA, int bodyB, int plane, double margin,
                     bool bySurface)
{
    int count = candidates->found.count, first = candidates->items.count;
    int padded = (count + PBDR_BLOCK - 1) / PBDR_BLOCK * PBDR_BLOCK;
    if (first + padded > candidates->items.capacity) {
        // grow, keeping what is there: only the spheres' names, the rest is filled at the end
        pbdrItems grown = {.columnCount = candidates->items.columnCount};
        if (!pbdrReserveItems(candidates, &grown, first + padded)) {
            return false;
        }
        for (int side = 0; side < 2 && first > 0; side++) {
            memcpy(grown.spheres[side], candidates->items.spheres[side], (size_t)first * sizeof(int32_t));
        }
        freeItems(candidates, &candidates->items);
        candidates->items = grown;
    }
    pbdrPatch* patch = pbdrListPush(&candidates->scene->memory, &candidates->patches);
    if (patch == NULL) {
        return false;
    }
    *patch = (pbdrPatch){bodyA, bodyB, plane, first, count, padded, margin, bySurface, 0};
    Found* found = candidates->found.items;
    if (count > 1) {
        qsort(found, (size_t)count, sizeof *found, compareFound);
    }
    for (int i = 0; i < padded; i++) {
        for (int side = 0; side < 2; side++) {
            candidates->items.spheres[side][first + i] = i < count ? found[i].spheres[side] : -1;
        }
    }
    candidates->items.count = first + padded;
    return true;
}

// --- By surfaces ---

// Lists a probe: a segment has two items.
static bool addProbe(Search* search, int side, const pbdrProbe* probe, int index)
{
    pbdrCandidates* candidates = search->candidates;
    for (int end = 0; end < (probe->kind == pbdr_probeSegment && search->b != NULL ? 2 : 1); end++) {
        if (search->b != NULL && search->pairCount++ >= candidates->scene->maxPairCount) {
            return false;
        }
        Found* found = pbdrListPush(&candidates->scene->memory, &candidates->found);
        if (found == NULL) {
            return false;
        }
        int32_t name = 2 * index + end;
        *found = (Found){{side, name}, {side == 0 ? name : -1, side == 1 ? name : -1}};
    }
    return true;
}

static bool searchProbesBelow(Search* search, const pbdrPlane* plane, double height, double margin)
{
    const pbdrBody* body = search->a;
    const pbdrVec3 normal = pbdrMulTransposedMV(&body->frame, plane->normal);
    bool good = true;
    for (int k = 0; k < pbdrCountProbes(body); k++) {
        const pbdrProbe probe = pbdrGetProbe(body, k);
        if ((probe.against & PBDR_PROBES_PLANES) != 0 &&
            height + pbdrDot(normal, probe.a) - probe.radius <= margin) {
            good = addProbe(search, 0, &probe, k) && good;
        }
    }
    return good;
}

static bool searchProbes(Search* search, int indexA, int indexB, double reach)
{
    const pbdrScene* scene = search->candidates->scene;
    bool good = true;
    for (int side = 0; side < 2; side++) {
        const pbdrProbing probing = pbdrSetProbing(scene, indexA, indexB, side);
        if (!pbdrHasProbes(scene, probing.prober, probing.surface)) {
            continue;
        }
        for (int k = 0; k < pbdrCountProbes(probing.prober); k++) {
            if (pbdrMayTouch(&probing, k, reach)) {
                const pbdrProbe probe = pbdrGetProbe(probing.prober, k);
                good = addProbe(search, side, &probe, k) && good;
            }
        }
    }
    return good;
}

// --- All ---

static bool searchPlanes(pbdrCandidates* candidates)
{
    bool good = true;
    for (int k = 0; k < candidates->scene->planes.count; k++) {
        const pbdrPlane* plane = pbdrGetPlane(candidates->scene, k);
        for (int index = 0; plane->alive && index < candidates->scene->bodies.count; index++) {
            const pbdrBody* body = pbdrGetBody(candidates->scene, index);
            if (!body->alive || body->kind != pbdr_bodyDynamic || !isNearPlane(candidates, body, plane)) {
                continue;
            }
            candidates->found.count = 0;
            Search search = {candidates, body, NULL, 0};
            double height = pbdrDot(plane->normal, body->centre) - plane->offset;
            // twice what is looked ahead now: speeding up does not mean a search in every substep
            double margin = body->shape->margin + 2.0 * getLookAhead(candidates, body, &plane->normal);
            bool bySurface = pbdrTouchesBySurface(candidates->scene, body, NULL);
            pbdrVec3 normal = pbdrMulTransposedMV(&body->frame, plane->normal);
            bool found = bySurface ? searchProbesBelow(&search, plane, height, margin)
                                   : pbdrSphereTree_VisitBelow(&body->shape->tree, normal, height, margin,
                                                               addBelow, &search);
            good = found && addPatch(candidates, index, -1, k, margin, bySurface) && good;
        }
    }
    return good;
}

// The boxes of all bodies' bounding balls. False without memory.
static bool listBoxes(pbdrCandidates* candidates)
{
    candidates->boxes.count = 0;
    for (int index = 0; index < candidates->scene->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(candidates->scene, index);
        if (!body->alive) {
            continue;
        }
        pbdrSearched* searched = pbdrGetSearched(candidates, index);
        searched->reach = 0.5 * body->shape->margin + 2.0 * getLookAhead(candidates, body, NULL);
        pbdrBox* box = pbdrListPush(&candidates->scene->memory, &candidates->boxes);
        if (box == NULL) {
            return false;
        }
        box->body = index;
        double size = getReach(candidates, body) + searched->reach;
        const double centre[3] = {body->centre.x, body->centre.y, body->centre.z};
        for (int k = 0; k < 3; k++) {
            box->lower[k] = centre[k] - size;
            box->upper[k] = centre[k] + size;
        }
    }
    return true;
}

static bool searchBodies(pbdrCandidates* candidates, int indexA, int indexB, int* pairCount)
{
    const pbdrBody *a = pbdrGetBody(candidates->scene, indexA), *b = pbdrGetBody(candidates->scene, indexB);
    const pbdrTreePlace placeA = {a->centre, a->frame}, placeB = {b->centre, b->frame};
    candidates->found.count = 0;
    Search search = {candidates, a, b, *pairCount};
    double reach = pbdrGetSearched(candidates, indexA)->reach + pbdrGetSearched(candidates, indexB)->reach;
    bool bySurface = pbdrTouchesBySurface(candidates->scene, a, b);
    bool good = bySurface ? searchProbes(&search, indexA, indexB, reach)
                          : pbdrSphereTree_VisitPairs(&a->shape->tree, &placeA, &b->shape->tree, &placeB,
                                                      reach, addFound, &search);
    *pairCount = search.pairCount;
    return candidates->found.count == 0 ? good
                                        : addPatch(candidates, indexA, indexB, -1, 0.0, bySurface) && good;
}

static int comparePairs(const void* a, const void* b)
{
    const BodyPair *first = a, *second = b;
    return first->first != second->first ? first->first - second->first : first->second - second->second;
}

static bool addBodies(void* context, const pbdrBox* a, const pbdrBox* b)
{
    pbdrCandidates* candidates = context;
    BodyPair* pair = pbdrListPush(&candidates->scene->memory, &candidates->bodyPairs);
    if (pair != NULL) {
        pair->first = a->body < b->body ? a->body : b->body;
        pair->second = a->body < b->body ? b->body : a->body;
    }
    return pair != NULL;
}

static bool searchPairs(pbdrCandidates* candidates)
{
    if (!listBoxes(candidates)) {
        return false;
    }
    // pairs of bodies, then sorted: patches are in the order of bodies, whatever the sweep's
    candidates->bodyPairs.count = 0;
    bool good = pbdrSweepBoxes(candidates->scene, &candidates->boxes, addBodies, candidates);
    BodyPair* pairs = candidates->bodyPairs.items;
    int pairCount = 0;
    if (candidates->bodyPairs.count > 1) {
        qsort(pairs, (size_t)candidates->bodyPairs.count, sizeof *pairs, comparePairs);
    }
    for (int k = 0; k < candidates->bodyPairs.count; k++) {
        good = searchBodies(candidates, pairs[k].first, pairs[k].second, &pairCount) && good;
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
static Found getOrder(const pbdrCandidates* candidates, const pbdrItems* items, const pbdrPatch* patch,
                      int item)
{
    const int32_t a = items->spheres[0][item], b = items->spheres[1][item];
    if (patch->bySurface) {
        return (Found){{a < 0, a < 0 ? b : a}, {a, b}};
    }
    Found found = {{pbdrGetBody(candidates->scene, patch->bodyA)->shape->tree.indices[a], -1}, {a, b}};
    if (patch->bodyB >= 0) {
        found.order[1] = pbdrGetBody(candidates->scene, patch->bodyB)->shape->tree.indices[b];
    }
    return found;
}

// Both patches are of the same bodies or plane, their items sorted: a merge.
static void carryPatch(pbdrCandidates* candidates, const pbdrPatch* patch, const pbdrPatch* last)
{
    int from = last->first;
    for (int i = patch->first; i < patch->first + patch->count; i++) {
        Found order = getOrder(candidates, &candidates->items, patch, i);
        int difference = -1;
        while (from < last->first + last->count) {
            Found lastOrder = getOrder(candidates, &candidates->lastItems, last, from);
            difference = compareFound(&lastOrder, &order);
            if (difference >= 0) {
                break;
            }
            from++;
        }
        if (difference == 0 && from < last->first + last->count) {
            for (int k = ITEM_FORCE; k < ITEM_SCRATCH; k++) {
                pbdrGetColumn(&candidates->items, k)[i] = pbdrGetColumn(&candidates->lastItems, k)[from];
            }
        }
    }
}

static void fillPatches(pbdrCandidates* candidates)
{
    int last = 0;
    const pbdrPatch* lastPatches = candidates->lastPatches.items;
    for (int k = 0; k < candidates->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(candidates, k);
        for (int i = patch->first; i < patch->first + patch->padded; i++) {
            pbdrFillItem(candidates, &candidates->items, patch, i);
            for (int column = ITEM_FORCE; column < ITEM_SCRATCH; column++) {
                pbdrGetColumn(&candidates->items, column)[i] = 0.0;
            }
        }
        while (last < candidates->lastPatches.count && comparePlaces(&lastPatches[last], patch) < 0) {
            last++;
        }
        if (last < candidates->lastPatches.count && comparePlaces(&lastPatches[last], patch) == 0) {
            carryPatch(candidates, patch, &lastPatches[last]);
        }
    }
}

void pbdrUpdateCandidates(pbdrCandidates* candidates)
{
    if (!isStale(candidates)) {
        candidates->scene->flags |= candidates->full ? pbdr_stepPairsFull : 0;
        return;
    }
    PBDR_COUNT(candidates->scene, searchCount);
    pbdrList patches = candidates->lastPatches;
    pbdrItems items = candidates->lastItems;
    candidates->lastPatches = candidates->patches;
    candidates->lastItems = candidates->items;
    candidates->patches = patches;
    candidates->items = items;
    candidates->patches.count = 0;
    candidates->items.count = 0;
    bool good = searchPlanes(candidates);
    if (candidates->scene->bodyCount > 1) {
        good = searchPairs(candidates) && good;
    }
    fillPatches(candidates);
    for (int index = 0; index < candidates->scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(candidates->scene, index);
        pbdrGetSearched(candidates, index)->place = (pbdrTreePlace){body->centre, body->frame};
    }
    candidates->full = !good;
    candidates->scene->flags |= good ? 0 : pbdr_stepPairsFull;
}

void pbdrForgetCandidates(pbdrCandidates* candidates)
{
    candidates->patches.count = 0;
    candidates->items.count = 0;
    candidates->full = false;
    for (int index = 0; index < candidates->searched.count; index++) {
        // any search is better than this
        pbdrGetSearched(candidates, index)->place.centre = pbdrVec((double)NAN, (double)NAN, (double)NAN);
    }
}

int pbdrCountCandidates(const pbdrCandidates* candidates)
{
    int count = 0;
    for (int k = 0; k < candidates->patches.count; k++) {
        count += pbdrGetPatch(candidates, k)->count;
    }
    return count;
}
