// Contact candidates: when to search, what carries over, and where new items go.
#include "contact/candidates.h"

#include "contact/search.h"
#include "contact/touch.h"
#include "scene/profile.h"
#include "tasks/tasks.h"

#include <string.h>

// What a search found is kept for the next one's use up to this.
#define MOST_KEPT 65536

// --- Memory ---

void pbdrInitCandidates(pbdrCandidates* candidates, pbdrScene* scene, bool looksAhead, int columnCount)
{
    *candidates = (pbdrCandidates){.scene = scene, .looksAhead = looksAhead};
    candidates->items.columnCount = columnCount;
    candidates->patches.itemSize = candidates->nextPatches.itemSize = sizeof(pbdrPatch);
    candidates->searched.itemSize = sizeof(pbdrSearched);
    candidates->nears.itemSize = candidates->nextNears.itemSize = sizeof(pbdrNear);
    candidates->fresh.itemSize = sizeof(pbdrNearKey);
    candidates->stirs.itemSize = sizeof(pbdrStir);
    candidates->boxes.itemSize = sizeof(pbdrBox);
    candidates->due.itemSize = sizeof(int32_t);
    candidates->marks.itemSize = sizeof(uint8_t);
    candidates->results.itemSize = sizeof(pbdrResult);
    candidates->slots.itemSize = pbdrGetSlotSize();
    pbdrInitBoxTree(&candidates->tree);
}

static int countSearchers(const pbdrCandidates* candidates)
{
    return pbdrCountWorkers(candidates->scene->tasks);
}

static bool makeSearchers(pbdrCandidates* candidates)
{
    const int count = countSearchers(candidates);
    candidates->searchers =
        pbdrTakeMemory(&candidates->scene->memory, (size_t)count, sizeof *candidates->searchers);
    for (int k = 0; k < count && candidates->searchers != NULL; k++) {
        pbdrSearcher* searcher = &candidates->searchers[k];
        searcher->memory = (pbdrMemory){candidates->scene->memory.hooks, 0};
        searcher->found.itemSize = sizeof(pbdrFound);
        searcher->nears.itemSize = sizeof(pbdrNearKey);
        searcher->spheres.itemSize = pbdrGetPlacedSize();
        searcher->names.itemSize = sizeof(int32_t);
        searcher->carried.itemSize = sizeof(double);
    }
    return candidates->searchers != NULL;
}

void pbdrFreeCandidates(pbdrCandidates* candidates)
{
    pbdrMemory* memory = &candidates->scene->memory;
    pbdrFreeItems(candidates, &candidates->items);
    pbdrFreeBoxTree(memory, &candidates->tree);
    pbdrList* lists[] = {&candidates->patches, &candidates->searched,    &candidates->nears,
                         &candidates->stirs,   &candidates->nextPatches, &candidates->nextNears,
                         &candidates->boxes,   &candidates->due,         &candidates->fresh,
                         &candidates->marks,   &candidates->results,     &candidates->slots};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        pbdrListFree(memory, lists[k]);
    }
    for (int k = 0; k < countSearchers(candidates) && candidates->searchers != NULL; k++) {
        pbdrSearcher* searcher = &candidates->searchers[k];
        pbdrList* own[] = {&searcher->found, &searcher->nears, &searcher->spheres, &searcher->names,
                           &searcher->carried};
        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
            pbdrListFree(&searcher->memory, own[i]);
        }
    }
    pbdrGiveMemory(memory, candidates->searchers, (size_t)countSearchers(candidates),
                   sizeof *candidates->searchers);
    candidates->searchers = NULL;
}

// A body that has no fat ball: any search is better than this.
static void forgetBody(pbdrCandidates* candidates, int index)
{
    pbdrGetSearched(candidates, index)->place.centre = pbdrVec((double)NAN, (double)NAN, (double)NAN);
    *pbdrGetStir(candidates, index) = (pbdrStir){.path = 0.0};
}

bool pbdrExtendCandidates(pbdrCandidates* candidates, int bodyCount)
{
    pbdrMemory* memory = &candidates->scene->memory;
    int index = candidates->searched.count;
    const bool good = (candidates->searchers != NULL || makeSearchers(candidates)) &&
                      pbdrListExtend(memory, &candidates->stirs, bodyCount) &&
                      pbdrListExtend(memory, &candidates->searched, bodyCount);
    for (; good && index < bodyCount; index++) {
        forgetBody(candidates, index);
    }
    return good;
}

// What the searchers hold is the scene's. A list of everything in a large world is given back: the next will be short.
static void countMemory(pbdrCandidates* candidates)
{
    for (int k = 0; k < countSearchers(candidates); k++) {
        pbdrSearcher* searcher = &candidates->searchers[k];
        if (searcher->found.capacity > MOST_KEPT) {
            pbdrListFree(&searcher->memory, &searcher->found);
        }
        candidates->scene->memory.byteCount += searcher->memory.byteCount - searcher->counted;
        searcher->counted = searcher->memory.byteCount;
    }
}

// --- What carries over ---

// Position of an item in its patch's order.
static pbdrFound getOrder(const pbdrCandidates* candidates, const pbdrPatch* patch, int32_t a, int32_t b)
{
    if (patch->bySurface) {
        return (pbdrFound){{a < 0, a < 0 ? b : a}, {a, b}};
    }
    pbdrFound found = {{pbdrGetBody(candidates->scene, patch->bodyA)->shape->tree.indices[a], -1}, {a, b}};
    if (patch->bodyB >= 0) {
        found.order[1] = pbdrGetBody(candidates->scene, patch->bodyB)->shape->tree.indices[b];
    }
    return found;
}

// Puts aside the names of a patch's last items and what they carry; there is room for both.
static void keepLast(pbdrCandidates* candidates, pbdrSearcher* searcher, const pbdrResult* result)
{
    const pbdrItems* items = &candidates->items;
    const int count = result->lastCount;
    int32_t* names = searcher->names.items;
    double* carried = searcher->carried.items;
    for (int side = 0; side < 2; side++) {
        memcpy(names + side * count, items->spheres[side] + result->lastFirst, (size_t)count * sizeof *names);
    }
    for (int k = 0; k < PBDR_CARRIED_COLUMNS; k++) {
        memcpy(carried + (size_t)k * (size_t)count, pbdrGetColumn(items, ITEM_FORCE + k) + result->lastFirst,
               (size_t)count * sizeof *carried);
    }
}

// The items of a patch, and what their predecessors carried: both are sorted, so this is a merge.
static void fillPatch(void* data, int index, int worker)
{
    pbdrCandidates* candidates = data;
    const pbdrResult* result = (const pbdrResult*)candidates->results.items + index;
    if (result->same || result->count == 0) {
        return;
    }
    pbdrSearcher* searcher = &candidates->searchers[worker];
    const pbdrPatch* patch = pbdrGetPatch(candidates, result->patch);
    const pbdrFound* found =
        (const pbdrFound*)candidates->searchers[result->searcher].found.items + result->first;
    const int lastCount = result->lastCount;
    if (lastCount > 0) {
        keepLast(candidates, searcher, result);
    }
    const int32_t* names = searcher->names.items;
    const double* carried = searcher->carried.items;
    pbdrItems* items = &candidates->items;
    int from = 0;
    for (int i = 0; i < patch->padded; i++) {
        const int item = patch->first + i;
        items->spheres[0][item] = i < patch->count ? found[i].spheres[0] : -1;
        items->spheres[1][item] = i < patch->count ? found[i].spheres[1] : -1;
        if (items->window == NULL) {
            pbdrFillItem(candidates, items, patch, item);
        }
        int difference = -1;
        while (i < patch->count && from < lastCount) {
            const pbdrFound last = getOrder(candidates, patch, names[from], names[lastCount + from]);
            difference = pbdrCompareFound(&last, &found[i]);
            if (difference >= 0) {
                break;
            }
            from++;
        }
        const bool kept = i < patch->count && difference == 0 && from < lastCount;
        for (int k = 0; k < PBDR_CARRIED_COLUMNS; k++) {
            pbdrGetColumn(items, ITEM_FORCE + k)[item] =
                kept ? carried[(size_t)k * (size_t)lastCount + (size_t)from] : 0.0;
        }
    }
    pbdrListOuter(candidates, patch);
}

// --- Where new items go ---

static int getPadded(int count)
{
    return (count + PBDR_BLOCK - 1) / PBDR_BLOCK * PBDR_BLOCK;
}

void pbdrDropPatch(pbdrCandidates* candidates, int index)
{
    const pbdrPatch* patch = pbdrGetPatch(candidates, index);
    candidates->emptyCount += patch->room;
    candidates->pairCount -= patch->plane < 0 ? patch->count : 0;
    candidates->unordered = true;
}

// Room for all that was found and for what the last items of any patch carry. False without memory.
static bool reserveAll(pbdrCandidates* candidates)
{
    pbdrMemory* memory = &candidates->scene->memory;
    int64_t more = 0;
    int patches = 0, longest = 0;
    const pbdrResult* results = candidates->results.items;
    for (int k = 0; k < candidates->results.count; k++) {
        const pbdrNear* near = pbdrGetNear(candidates, results[k].near);
        const int room = near->patch >= 0 ? pbdrGetPatch(candidates, near->patch)->room : 0;
        const int last = near->patch >= 0 ? pbdrGetPatch(candidates, near->patch)->count : 0;
        longest = !results[k].same && last > longest ? last : longest;
        more += !results[k].same && getPadded(results[k].count) > room ? getPadded(results[k].count) : 0;
        patches += near->patch < 0;
    }
    bool good = candidates->items.count + more < INT32_MAX / 2;
    for (int k = 0; k < countSearchers(candidates) && good; k++) {
        pbdrSearcher* searcher = &candidates->searchers[k];
        good = pbdrListReserve(&searcher->memory, &searcher->names, 2 * longest) &&
               pbdrListReserve(&searcher->memory, &searcher->carried, PBDR_CARRIED_COLUMNS * longest);
    }
    const int count = candidates->patches.count + patches;
    const int room = count > candidates->patches.capacity ? count + count / 8 : count;
    return good && pbdrGrowItems(candidates, candidates->items.count + (int)more) &&
           pbdrListReserve(memory, &candidates->patches, room) &&
           pbdrListReserve(memory, &candidates->nextPatches, candidates->patches.capacity);
}

// A result's patch and its slot; there is room for both.
static void placeResult(pbdrCandidates* candidates, pbdrResult* result)
{
    pbdrNear* near = pbdrGetNear(candidates, result->near);
    const int padded = getPadded(result->count);
    result->lastFirst = result->lastCount = 0;
    if (result->same) {
        return;
    }
    if (near->patch >= 0 && result->count == 0) {
        pbdrDropPatch(candidates, near->patch);
        near->patch = -1;
        return;
    }
    if (near->patch < 0) {
        near->patch = candidates->patches.count++;
        *pbdrGetPatch(candidates, near->patch) = (pbdrPatch){
            .bodyA = near->bodyA, .bodyB = near->bodyB, .plane = near->plane, .bySurface = result->bySurface};
        candidates->unordered = true;
    }
    pbdrPatch* patch = pbdrGetPatch(candidates, near->patch);
    result->patch = near->patch;
    result->lastFirst = patch->first;
    result->lastCount = patch->count;
    if (padded > patch->room) {
        candidates->emptyCount += patch->room;
        patch->first = candidates->items.count;
        patch->room = padded;
        candidates->items.count += padded;
    }
    candidates->pairCount += near->plane < 0 ? result->count - patch->count : 0;
    patch->count = result->count;
    patch->padded = padded;
    patch->stand.holds = false;
}

// Patches in the order of nears, without those that were dropped. There is room.
static void orderPatches(pbdrCandidates* candidates)
{
    pbdrPatch* next = candidates->nextPatches.items;
    int count = 0;
    for (int k = 0; k < candidates->nears.count; k++) {
        pbdrNear* near = pbdrGetNear(candidates, k);
        if (near->patch >= 0) {
            next[count] = *pbdrGetPatch(candidates, near->patch);
            near->patch = count++;
        }
    }
    const pbdrList list = candidates->patches;
    candidates->patches = candidates->nextPatches;
    candidates->patches.count = count;
    candidates->nextPatches = list;
    candidates->unordered = false;
}

// --- The search ---

static void searchTask(void* data, int index, int worker)
{
    pbdrCandidates* candidates = data;
    pbdrResult* result = (pbdrResult*)candidates->results.items + index;
    result->searcher = worker;
    pbdrSearchNear(candidates, &candidates->searchers[worker], result);
}

// Items of pairs with what was found; true if a world may have so many.
static bool fitsLimit(const pbdrCandidates* candidates)
{
    int64_t count = candidates->pairCount;
    const pbdrResult* results = candidates->results.items;
    for (int k = 0; k < candidates->results.count; k++) {
        const pbdrNear* near = pbdrGetNear(candidates, results[k].near);
        if (near->plane < 0) {
            count += results[k].count - (near->patch >= 0 ? pbdrGetPatch(candidates, near->patch)->count : 0);
        }
    }
    return count <= candidates->scene->maxPairCount;
}

// The results are of all nears: those that come first have their items.
static void cutToLimit(pbdrCandidates* candidates)
{
    int left = candidates->scene->maxPairCount;
    pbdrResult* results = candidates->results.items;
    for (int k = 0; k < candidates->results.count; k++) {
        if (pbdrGetNear(candidates, results[k].near)->plane < 0) {
            results[k].same = results[k].same && results[k].count <= left;
            results[k].count = results[k].count < left ? results[k].count : left;
            left -= results[k].count;
        }
    }
}

// Searches the results' nears. False without memory.
static bool searchResults(pbdrCandidates* candidates)
{
    for (int k = 0; k < countSearchers(candidates); k++) {
        candidates->searchers[k].found.count = 0;
        candidates->searchers[k].failed = false;
    }
    pbdrRunChunks(candidates, candidates->results.count, PBDR_SEARCH_CHUNK, searchTask);
    bool good = true;
    for (int k = 0; k < countSearchers(candidates); k++) {
        good = good && !candidates->searchers[k].failed;
    }
    return good;
}

// What the results' nears have now, into the patches. False without memory, and then the patches are as they were, and
// what was to be searched will be again.
static bool searchStale(pbdrCandidates* candidates)
{
    PBDR_COUNT(candidates->scene, searchCount);
    bool good = searchResults(candidates), full = false;
    if (good && !fitsLimit(candidates)) {
        // which are left out must not depend on who came first
        full = true;
        good = pbdrListStale(candidates, true) && searchResults(candidates);
        cutToLimit(candidates);
    }
    good = good && reserveAll(candidates);
    pbdrResult* results = candidates->results.items;
    for (int k = 0; k < candidates->results.count; k++) {
        if (good) {
            placeResult(candidates, &results[k]);
        } else {
            pbdrNear* near = pbdrGetNear(candidates, results[k].near);
            near->margin = (double)NAN;
            near->limit = (double)-INFINITY;
        }
    }
    if (good) {
        pbdrRunChunks(candidates, candidates->results.count, PBDR_SEARCH_CHUNK, fillPatch);
    }
    candidates->full = full || !good;
    return good;
}

void pbdrUpdateCandidates(pbdrCandidates* candidates)
{
    pbdrScene* scene = candidates->scene;
    if (scene->bodyCount == 0) {
        return;
    }
    const int dueCount = pbdrStirBodies(candidates);
    // where frames are stretched nothing is searched alone; nor where some were left out
    bool together = !candidates->looksAhead && dueCount > 0 && scene->bodyCount > 1, good = true;
    if (!together) {
        good = (dueCount == 0 || pbdrRenewNears(candidates)) && pbdrListStale(candidates, false);
        together = candidates->results.count > 0 && (!candidates->looksAhead || candidates->full);
    }
    if (together && good) {
        for (int index = 0; index < scene->bodies.count; index++) {
            pbdrGetStir(candidates, index)->due = pbdrGetBody(scene, index)->alive;
        }
        good = pbdrRenewNears(candidates) && pbdrListStale(candidates, true);
    }
    if (good && candidates->results.count > 0) {
        good = searchStale(candidates);
    }
    if (candidates->unordered) {
        const bool room =
            pbdrListReserve(&scene->memory, &candidates->nextPatches, candidates->patches.count);
        if (room) {
            orderPatches(candidates);
        }
        good = room && pbdrCloseSlots(candidates) && good;
    } else {
        good = pbdrCloseSlots(candidates) && good;
    }
    countMemory(candidates);
    scene->flags |= good && !candidates->full ? 0 : pbdr_stepPairsFull;
}

void pbdrForgetCandidates(pbdrCandidates* candidates)
{
    candidates->patches.count = candidates->nears.count = 0;
    candidates->items.count = 0;
    candidates->emptyCount = candidates->pairCount = 0;
    candidates->full = candidates->unordered = false;
    candidates->tree.built = false;
    for (int index = 0; index < candidates->searched.count; index++) {
        forgetBody(candidates, index);
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
