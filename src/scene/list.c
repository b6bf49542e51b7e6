#include "scene/list.h"

#include <limits.h>
#include <string.h>

void* pbdrTakeMemory(pbdrMemory* memory, size_t count, size_t itemSize)
{
    void* items = pbdrAllocate(&memory->hooks, count, itemSize);
    memory->byteCount += items != NULL ? count * itemSize : 0;
    return items;
}

void pbdrGiveMemory(pbdrMemory* memory, void* items, size_t count, size_t itemSize)
{
    memory->byteCount -= items != NULL ? count * itemSize : 0;
    pbdrRelease(&memory->hooks, items, count, itemSize);
}

bool pbdrListReserve(pbdrMemory* memory, pbdrList* list, int capacity)
{
    if (capacity <= list->capacity) {
        return true;
    }
    void* grown = pbdrTakeMemory(memory, (size_t)capacity, list->itemSize);
    if (grown == NULL) {
        return false;
    }
    if (list->count > 0) {
        memcpy(grown, list->items, (size_t)list->count * list->itemSize);
    }
    pbdrGiveMemory(memory, list->items, (size_t)list->capacity, list->itemSize);
    list->items = grown;
    list->capacity = capacity;
    return true;
}

void pbdrListFree(pbdrMemory* memory, pbdrList* list)
{
    pbdrGiveMemory(memory, list->items, (size_t)list->capacity, list->itemSize);
    list->items = NULL;
    list->count = list->capacity = 0;
}

// Large items begin with one: thousands of small worlds (pbdr/batch.h) come into the cache sooner without what they do
// not use.
#define LARGE_ITEM 128 // [bytes]

static int getLarger(const pbdrList* list)
{
    const int first = list->itemSize > LARGE_ITEM ? 1 : 8;
    return list->capacity < first ? first : (list->capacity < INT_MAX / 2 ? 2 * list->capacity : INT_MAX);
}

void* pbdrListPush(pbdrMemory* memory, pbdrList* list)
{
    if (list->count == list->capacity &&
        (list->capacity == INT_MAX || !pbdrListReserve(memory, list, getLarger(list)))) {
        return NULL;
    }
    char* item = (char*)list->items + (size_t)list->count++ * list->itemSize;
    memset(item, 0, list->itemSize);
    return item;
}

bool pbdrListResetTo(pbdrMemory* memory, pbdrList* list, int count)
{
    list->count = 0;
    if (!pbdrListReserve(memory, list, count)) {
        return false;
    }
    if (count > 0) {
        memset(list->items, 0, (size_t)count * list->itemSize);
    }
    list->count = count;
    return true;
}

bool pbdrListExtend(pbdrMemory* memory, pbdrList* list, int count)
{
    if (count <= list->count) {
        return true;
    }
    int larger = getLarger(list);
    if (!pbdrListReserve(memory, list, count > larger ? count : (count > list->capacity ? larger : count))) {
        return false;
    }
    memset((char*)list->items + (size_t)list->count * list->itemSize, 0,
           (size_t)(count - list->count) * list->itemSize);
    list->count = count;
    return true;
}
