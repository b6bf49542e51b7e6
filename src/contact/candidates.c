// Contact candidates: their items, when to search anew, and what carries over.
#include "contact/candidates.h"

#include "contact/broad_phase.h"
#include "contact/search.h"
#include "contact/touch.h"
#include "scene/profile.h"

#include <string.h>

// Padding's radius: a gap that nothing closes, and no infinity to make NaN of [m].
#define PADDING_RADIUS (-1.0e30)

// From so many items on an engine that can works in a window, and what the last items carried is given back after a
// search: 1000 bunnies that lie on 131 spheres each hold 17 MB, not 65.
#define WINDOWED 65536

// --- Items ---

static int getStoredColumns(const pbdrItems* items)
{
    return items->window != NULL ? PBDR_CARRIED_COLUMNS : items->columnCount;
}

static void freeWindow(pbdrCandidates* candidates, pbdrItems* items)
{
    const int columns = items->columnCount - PBDR_CARRIED_COLUMNS;
    pbdrGiveMemory(&candidates->scene->memory, items->window, (size_t)items->windowCapacity,
                   (size_t)columns * sizeof(double));
    items->window = NULL;
    items->windowFirst = items->windowCapacity = 0;
}

void pbdrFreeItems(pbdrCandidates* candidates, pbdrItems* items)
{
    pbdrMemory* memory = &candidates->scene->memory;
    const size_t capacity = (size_t)items->capacity;
    pbdrGiveMemory(memory, items->columns, capacity, (size_t)getStoredColumns(items) * sizeof(double));
    pbdrGiveMemory(memory, items->spheres[0], capacity, 2 * sizeof(int32_t));
    freeWindow(candidates, items);
    *items = (pbdrItems){.columnCount = items->columnCount};
}

// A window, if only one of a block: that items have one says how they are stored.
static bool takeWindow(pbdrCandidates* candidates, pbdrItems* items, int itemCount)
{
    const size_t columns = (size_t)(items->columnCount - PBDR_CARRIED_COLUMNS);
    double* window = pbdrTakeMemory(&candidates->scene->memory, (size_t)itemCount, columns * sizeof(double));
    if (window == NULL) {
        return false;
    }
    freeWindow(candidates, items);
    items->window = window;
    items->windowCapacity = itemCount;
    return true;
}

bool pbdrReserveWindow(pbdrCandidates* candidates, int itemCount)
{
    pbdrItems* items = &candidates->items;
    return items->window == NULL || itemCount <= items->windowCapacity ||
           takeWindow(candidates, items, itemCount);
}

void pbdrPlaceWindow(pbdrCandidates* candidates, int first)
{
    candidates->items.windowFirst = first;
}

void pbdrFillWindow(pbdrCandidates* candidates, const pbdrPatch* patch)
{
    for (int item = patch->first; item < patch->first + patch->padded; item++) {
        pbdrFillItem(candidates, &candidates->items, patch, item);
    }
}

// Items with room for so many, in a window or not. False without memory.
static bool takeItems(pbdrCandidates* candidates, pbdrItems* grown, int itemCount, bool windowed)
{
    pbdrMemory* memory = &candidates->scene->memory;
    const int slack = windowed ? itemCount / 16 : itemCount / 4;
    const int capacity = (itemCount + slack + PBDR_BLOCK - 1) / PBDR_BLOCK * PBDR_BLOCK;
    grown->capacity = capacity;
    if (windowed && !takeWindow(candidates, grown, PBDR_BLOCK)) {
        return false;
    }
    grown->columns =
        pbdrTakeMemory(memory, (size_t)capacity, (size_t)getStoredColumns(grown) * sizeof(double));
    grown->spheres[0] = pbdrTakeMemory(memory, (size_t)capacity, 2 * sizeof(int32_t));
    if (grown->columns == NULL || grown->spheres[0] == NULL) {
        pbdrFreeItems(candidates, grown);
        return false;
    }
    grown->spheres[1] = grown->spheres[0] + capacity;
    return true;
}

static bool needsWindow(const pbdrCandidates* candidates, int itemCount)
{
    return candidates->windows && itemCount > WINDOWED;
}

bool pbdrReserveItems(pbdrCandidates* candidates, pbdrItems* items, int itemCount)
{
    const bool windowed = items == &candidates->items && needsWindow(candidates, itemCount);
    if (itemCount <= items->capacity && windowed == (items->window != NULL)) {
        return true;
    }
    pbdrItems grown = {.columnCount = items->columnCount};
    if (!takeItems(candidates, &grown, itemCount, windowed)) {
        return false;
    }
    pbdrFreeItems(candidates, items); // all of them are about to be written
    *items = grown;
    return true;
}

bool pbdrGrowItems(pbdrCandidates* candidates, int itemCount)
{
    pbdrItems *items = &candidates->items, grown = {.columnCount = items->columnCount};
    const bool windowed = needsWindow(candidates, itemCount);
    if (itemCount <= items->capacity && (!windowed || items->window != NULL)) {
        return true;
    }
    if (!takeItems(candidates, &grown, itemCount, windowed)) {
        return false;
    }
    // only the spheres' names; the rest is filled at the end of the search
    for (int side = 0; side < 2 && items->count > 0; side++) {
        memcpy(grown.spheres[side], items->spheres[side], (size_t)items->count * sizeof(int32_t));
    }
    pbdrFreeItems(candidates, items);
    grown.count = 0;
    *items = grown;
    return true;
}

void pbdrInitCandidates(pbdrCandidates* candidates, pbdrScene* scene, bool looksAhead, int columnCount)
{
    *candidates = (pbdrCandidates){.scene = scene, .looksAhead = looksAhead};
    candidates->items.columnCount = columnCount;
    candidates->lastItems.columnCount = PBDR_CARRIED_COLUMNS;
    candidates->patches.itemSize = candidates->lastPatches.itemSize = sizeof(pbdrPatch);
    candidates->searched.itemSize = sizeof(pbdrSearched);
    candidates->found.itemSize = sizeof(pbdrFound);
    candidates->boxes.itemSize = sizeof(pbdrBox);
    candidates->bodyPairs.itemSize = sizeof(pbdrBodyPair);
}

void pbdrFreeCandidates(pbdrCandidates* candidates)
{
    pbdrFreeItems(candidates, &candidates->items);
    pbdrFreeItems(candidates, &candidates->lastItems);
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

// A probe of A over a plane; other items of surfaces, and discs, find their place in each substep.
static void fillProbe(const pbdrCandidates* candidates, pbdrItems* items, const pbdrPatch* patch, int item)
{
    for (int column = ITEM_REST; column <= ITEM_MASS_B; column++) {
        pbdrGetColumn(items, column)[item] = 0.0;
    }
    int name = items->spheres[0][item];
    pbdrGetColumn(items, ITEM_RADIUS)[item] = PADDING_RADIUS;
    pbdrGetColumn(items, ITEM_WEIGHT)[item] = 1.0;
    if (patch->plane >= 0 && name >= 0) {
        const pbdrProbe probe = pbdrGetProbe(pbdrGetBody(candidates->scene, patch->bodyA), name / 2);
        pbdrWriteColumns(items, ITEM_REST, item, probe.a);
        pbdrGetColumn(items, ITEM_RADIUS)[item] = probe.radius;
        pbdrGetColumn(items, ITEM_WEIGHT)[item] = probe.weight;
    }
}

void pbdrFillItem(const pbdrCandidates* candidates, pbdrItems* items, const pbdrPatch* patch, int item)
{
    if (patch->bySurface) {
        fillProbe(candidates, items, patch, item);
        return;
    }
    pbdrGetColumn(items, ITEM_WEIGHT)[item] = 1.0;
    fillSide(items, item, 0, pbdrGetBody(candidates->scene, patch->bodyA));
    fillSide(items, item, 1, patch->bodyB >= 0 ? pbdrGetBody(candidates->scene, patch->bodyB) : NULL);
}

// --- When to search ---

// How far any sphere of the body can have come towards the plane since the search.
static double getApproach(const pbdrCandidates* candidates, int index, const pbdrPlane* plane)
{
    const pbdrBody* body = pbdrGetBody(candidates->scene, index);
    const pbdrSearched* searched = pbdrGetSearched(candidates, index);
    double sunk = pbdrDot(plane->normal, pbdrSub(body->centre, searched->place.centre));
    pbdrVec3 now = pbdrMulTransposedMV(&body->frame, plane->normal);
    pbdrVec3 then = pbdrMulTransposedMV(&searched->place.stretch, plane->normal);
    return fabs(sunk) + pbdrLength(pbdrSub(now, then)) * pbdrGetLever(candidates->scene, body);
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
           sqrt(square) * pbdrGetLever(candidates->scene, body);
}

// NaN counts as stale: the search then finds nothing, and the step flags it.
static bool isStale(const pbdrCandidates* candidates)
{
    int patch = 0;
    for (int k = 0; k < candidates->scene->planes.count; k++) {
        const pbdrPlane* plane = pbdrGetPlane(candidates->scene, k);
        for (int index = 0; plane->alive && index < candidates->scene->bodies.count; index++) {
            const pbdrBody* body = pbdrGetBody(candidates->scene, index);
            if (!pbdrMeetsPlane(body, plane)) {
                continue;
            }
            bool listed = patch < candidates->patches.count && pbdrGetPatch(candidates, patch)->plane == k &&
                          pbdrGetPatch(candidates, patch)->bodyA == index;
            if (listed ? !(getApproach(candidates, index, plane) +
                               pbdrGetLookAhead(candidates, body, &plane->normal) <=
                           pbdrGetPatch(candidates, patch)->margin)
                       : pbdrIsNearPlane(candidates, body, plane)) {
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
            !(getTravel(candidates, index) + pbdrGetLookAhead(candidates, body, NULL) <= searched->reach)) {
            return true;
        }
    }
    return false;
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
static pbdrFound getOrder(const pbdrCandidates* candidates, const pbdrItems* items, const pbdrPatch* patch,
                          int item)
{
    const int32_t a = items->spheres[0][item], b = items->spheres[1][item];
    if (patch->bySurface) {
        return (pbdrFound){{a < 0, a < 0 ? b : a}, {a, b}};
    }
    pbdrFound found = {{pbdrGetBody(candidates->scene, patch->bodyA)->shape->tree.indices[a], -1}, {a, b}};
    if (patch->bodyB >= 0) {
        found.order[1] = pbdrGetBody(candidates->scene, patch->bodyB)->shape->tree.indices[b];
    }
    return found;
}

// Both patches are of the same bodies or plane, their items sorted: a merge.
static void carryPatch(pbdrCandidates* candidates, pbdrPatch* patch, const pbdrPatch* last)
{
    patch->rolling = last->rolling;
    memcpy(patch->load, last->load, sizeof patch->load);
    int from = last->first;
    for (int i = patch->first; i < patch->first + patch->count; i++) {
        pbdrFound order = getOrder(candidates, &candidates->items, patch, i);
        int difference = -1;
        while (from < last->first + last->count) {
            pbdrFound lastOrder = getOrder(candidates, &candidates->lastItems, last, from);
            difference = pbdrCompareFound(&lastOrder, &order);
            if (difference >= 0) {
                break;
            }
            from++;
        }
        if (difference == 0 && from < last->first + last->count) {
            for (int k = ITEM_FORCE; k < ITEM_SCRATCH; k++) {
                pbdrGetColumn(&candidates->items, k)[i] =
                    pbdrGetColumn(&candidates->lastItems, k - ITEM_FORCE)[from];
            }
        }
    }
}

static void fillPatches(pbdrCandidates* candidates)
{
    int last = 0;
    const pbdrPatch* lastPatches = candidates->lastPatches.items;
    for (int k = 0; k < candidates->patches.count; k++) {
        pbdrPatch* patch = pbdrGetPatch(candidates, k);
        for (int i = patch->first; i < patch->first + patch->padded; i++) {
            if (candidates->items.window == NULL) {
                pbdrFillItem(candidates, &candidates->items, patch, i);
            }
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

// Puts aside what the items carry. Without memory there is nothing to carry on.
static bool keepLast(pbdrCandidates* candidates)
{
    const pbdrItems* items = &candidates->items;
    pbdrItems* last = &candidates->lastItems;
    pbdrList patches = candidates->lastPatches;
    candidates->lastPatches = candidates->patches;
    candidates->patches = patches;
    candidates->patches.count = 0;
    const size_t count = (size_t)items->count;
    if (!pbdrReserveItems(candidates, last, items->count)) {
        candidates->lastPatches.count = 0;
        return false;
    }
    for (int side = 0; side < 2 && count > 0; side++) {
        memcpy(last->spheres[side], items->spheres[side], count * sizeof(int32_t));
    }
    for (int k = 0; k < PBDR_CARRIED_COLUMNS && count > 0; k++) {
        memcpy(pbdrGetColumn(last, k), pbdrGetColumn(items, ITEM_FORCE + k), count * sizeof(double));
    }
    return true;
}

void pbdrUpdateCandidates(pbdrCandidates* candidates)
{
    if (!isStale(candidates)) {
        candidates->scene->flags |= candidates->full ? pbdr_stepPairsFull : 0;
        return;
    }
    PBDR_COUNT(candidates->scene, searchCount);
    bool good = keepLast(candidates);
    candidates->items.count = 0;
    good = pbdrSearchCandidates(candidates) && good;
    fillPatches(candidates);
    if (candidates->lastItems.capacity > WINDOWED) {
        pbdrFreeItems(candidates, &candidates->lastItems);
    }
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
