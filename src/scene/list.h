// Memory that a world counts, and lists that grow in it.
#ifndef PBDR_SCENE_LIST_H
#define PBDR_SCENE_LIST_H

#include "base.h"

// The caller's hooks, and what was asked of them.
typedef struct pbdrMemory {
    pbdrHooks hooks;
    size_t byteCount; // [bytes]
} pbdrMemory;

// Zeroed memory for count items, or NULL.
void* pbdrTakeMemory(pbdrMemory* memory, size_t count, size_t itemSize);
void pbdrGiveMemory(pbdrMemory* memory, void* items, size_t count, size_t itemSize);

// A list that grows. Items are plain bytes.
typedef struct pbdrList {
    void* items;
    int count, capacity;
    size_t itemSize;
} pbdrList;

// Room for capacity items, keeping the present ones. False, and nothing changed, without memory.
bool pbdrListReserve(pbdrMemory* memory, pbdrList* list, int capacity);
void pbdrListFree(pbdrMemory* memory, pbdrList* list);
// A zeroed new item at the end, or NULL without memory.
void* pbdrListPush(pbdrMemory* memory, pbdrList* list);
// Exactly count zeroed items, whatever was there before. False without memory.
bool pbdrListResetTo(pbdrMemory* memory, pbdrList* list, int count);
// At least count items, the new ones zeroed. False, and nothing changed, without memory.
bool pbdrListExtend(pbdrMemory* memory, pbdrList* list, int count);

#endif
