// Where contact items stand: columns that grow, a patch's own slot in them, and the window of those that are very many.
//
// A patch keeps its slot while its items fit. One that outgrows it moves behind all others, and slots are pushed together
// when a quarter of them stands empty. No result depends on where a slot is.
#include "contact/touch.h"

#include <stdlib.h>
#include <string.h>

// Padding's radius: a gap that nothing closes, and no infinity to make NaN of [m].
#define PADDING_RADIUS (-1.0e30)

// From so many items on an engine that can works in a window: 1000 bunnies that lie on 131 spheres each hold 13 MB, not
// 65.
#define WINDOWED 65536

// Slots that stand empty: more than this share of all, and more than so many items.
#define EMPTY_SHARE 4
#define EMPTY_ITEMS 512

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
    pbdrGiveMemory(memory, items->spheres[0], capacity, 4 * sizeof(int32_t));
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
    const int slack = windowed ? itemCount / 32 : itemCount / 4; // whole blocks: small worlds have none
    const int capacity =
        (itemCount + PBDR_BLOCK - 1) / PBDR_BLOCK * PBDR_BLOCK + slack / PBDR_BLOCK * PBDR_BLOCK;
    grown->capacity = capacity;
    if (windowed && !takeWindow(candidates, grown, PBDR_BLOCK)) {
        return false;
    }
    grown->columns =
        pbdrTakeMemory(memory, (size_t)capacity, (size_t)getStoredColumns(grown) * sizeof(double));
    grown->spheres[0] = pbdrTakeMemory(memory, (size_t)capacity, 4 * sizeof(int32_t));
    if (grown->columns == NULL || grown->spheres[0] == NULL) {
        pbdrFreeItems(candidates, grown);
        return false;
    }
    grown->spheres[1] = grown->spheres[0] + capacity;
    grown->outer = grown->spheres[1] + capacity;
    grown->live = grown->outer + capacity;
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

// The columns that are kept from substep to substep.
static int getKeptColumns(const pbdrItems* items)
{
    return items->window != NULL ? PBDR_CARRIED_COLUMNS : ITEM_SCRATCH;
}

// The first of them that both have.
static double* getKept(const pbdrItems* items, int column)
{
    return items->columns + (size_t)column * (size_t)items->capacity;
}

bool pbdrGrowItems(pbdrCandidates* candidates, int itemCount)
{
    pbdrItems *items = &candidates->items, grown = {.columnCount = items->columnCount};
    const bool windowed = items->window != NULL || needsWindow(candidates, itemCount);
    if (itemCount <= items->capacity && windowed == (items->window != NULL)) {
        return true;
    }
    if (!takeItems(candidates, &grown, itemCount, windowed)) {
        return false;
    }
    const size_t count = (size_t)items->count;
    for (int side = 0; side < 2 && count > 0; side++) {
        memcpy(grown.spheres[side], items->spheres[side], count * sizeof(int32_t));
    }
    if (count > 0) {
        memcpy(grown.outer, items->outer, count * sizeof(int32_t));
    }
    // into a window's storage go what items carry and no constants
    const int skipped = windowed && items->window == NULL ? ITEM_FORCE : 0;
    for (int k = 0; k < getKeptColumns(&grown) && count > 0; k++) {
        memcpy(getKept(&grown, k), getKept(items, skipped + k), count * sizeof(double));
    }
    grown.count = items->count;
    pbdrFreeItems(candidates, items);
    *items = grown;
    for (int k = 0; k < candidates->patches.count; k++) {
        pbdrGetPatch(candidates, k)->stand.holds = false; // scratch is not copied
    }
    return true;
}

// --- Slots ---

typedef struct Slot {
    int32_t first, patch;
} Slot;

static int compareSlots(const void* a, const void* b)
{
    return ((const Slot*)a)->first - ((const Slot*)b)->first;
}

static void moveItems(pbdrItems* items, int from, int to, int count)
{
    for (int side = 0; side < 2; side++) {
        memmove(items->spheres[side] + to, items->spheres[side] + from, (size_t)count * sizeof(int32_t));
    }
    memmove(items->outer + to, items->outer + from, (size_t)count * sizeof(int32_t));
    for (int k = 0; k < getKeptColumns(items); k++) {
        double* column = getKept(items, k);
        memmove(column + to, column + from, (size_t)count * sizeof(double));
    }
}

bool pbdrCloseSlots(pbdrCandidates* candidates)
{
    pbdrItems* items = &candidates->items;
    if (candidates->emptyCount <= items->count / EMPTY_SHARE || candidates->emptyCount <= EMPTY_ITEMS) {
        return true;
    }
    if (!pbdrListResetTo(&candidates->scene->memory, &candidates->slots, candidates->patches.count)) {
        return false;
    }
    Slot* slots = candidates->slots.items;
    const int count = candidates->patches.count;
    for (int k = 0; k < count; k++) {
        slots[k] = (Slot){pbdrGetPatch(candidates, k)->first, k};
    }
    if (count > 1) {
        qsort(slots, (size_t)count, sizeof *slots, compareSlots);
    }
    int end = 0;
    for (int k = 0; k < count; k++) {
        pbdrPatch* patch = pbdrGetPatch(candidates, slots[k].patch);
        if (patch->first != end) {
            moveItems(items, patch->first, end, patch->padded);
            patch->stand.holds = false;
        }
        patch->first = end;
        patch->room = patch->padded;
        end += patch->padded;
    }
    items->count = end;
    candidates->emptyCount = 0;
    return true;
}

size_t pbdrGetSlotSize(void)
{
    return sizeof(Slot);
}

// --- Constants ---

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

void pbdrListOuter(const pbdrCandidates* candidates, const pbdrPatch* patch)
{
    const pbdrItems* items = &candidates->items;
    const pbdrBody* bodies[2] = {pbdrGetBody(candidates->scene, patch->bodyA),
                                 patch->bodyB >= 0 ? pbdrGetBody(candidates->scene, patch->bodyB) : NULL};
    int count = 0;
    for (int i = 0; i < patch->count; i++) {
        const int item = patch->first + i, side = items->spheres[0][item] >= 0 ? 0 : 1;
        const pbdrProbeRole role =
            patch->bySurface
                ? pbdrFindProbeRole(bodies[side], items->spheres[side][item] / 2, bodies[1 - side])
                : pbdr_probeAlone;
        if (role != pbdr_probeInFace) {
            items->outer[patch->first + count++] = role == pbdr_probeAlone ? i : -2 - i;
        }
    }
    if (count < patch->count) {
        items->outer[patch->first + count] = -1;
    }
}
