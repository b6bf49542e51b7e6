// Rooms: the memory of each world of a batch in one piece, so that a world comes into the cache as a run of lines, which
// the step of the one before can fetch (world/held.h). A probe says how large: a copy that has taken a substep. What a
// world asks for later and has no room for comes from the caller's hooks.
#include "batch/internal.h"

// Bytes of a world that are fetched: a larger one has no use for all of it at a time.
#define MOST_FETCHED ((size_t)64 * 1024)
// Bytes of all worlds that a processor's own cache holds from one step to the next: nothing is fetched.
#define HELD_BY_CACHE ((size_t)1024 * 1024)

static void* allocate(void* context, size_t size, size_t alignment)
{
    pbdrRoom* room = context;
    if (room->probes || size > room->size - room->used) {
        room->last = pbdrAllocate(&room->callers, size, 1);
        room->outside += room->last != NULL ? size : 0;
        room->used += room->probes ? size : 0;
        return room->last;
    }
    (void)alignment; // sizes are whole lines (base.c)
    room->last = room->begin + room->used;
    room->used += size;
    return room->last;
}

// What was taken last is given back; the rest ends with the room. A probe counts likewise.
static void release(void* context, void* memory, size_t size)
{
    pbdrRoom* room = context;
    const bool inside =
        room->begin != NULL && (char*)memory >= room->begin && (char*)memory < room->begin + room->size;
    if (room->last == memory && (inside || room->probes)) {
        room->used -= size;
        room->last = NULL;
    }
    if (!inside) {
        room->outside -= size;
        pbdrRelease(&room->callers, memory, size, 1);
    }
}

static void tellAssertion(void* context, const char* condition, const char* file, int line)
{
    const pbdrRoom* room = context;
    room->callers.assertFailed(room->callers.context, condition, file, line);
}

static pbdrHooks makeHooks(pbdrRoom* room)
{
    return (pbdrHooks){.allocate = allocate,
                       .release = release,
                       .assertFailed = room->callers.assertFailed != NULL ? tellAssertion : NULL,
                       .context = room};
}

pbdrStatus pbdrMeasureRoom(const pbdrWorld* world, size_t* size, pbdrError* error)
{
    pbdrRoom probe = {.callers = pbdrWorld_GetHooks(world), .probes = true};
    const pbdrHooks hooks = makeHooks(&probe);
    pbdrWorld* copy = NULL;
    const pbdrStatus status = pbdrCopyWorldInto(world, 1, &hooks, &copy, error);
    if (status == pbdr_statusOk) {
        pbdrWorld_Step(copy, 1);
        *size = probe.used;
    }
    pbdrDestroyWorld(copy);
    return status;
}

pbdrStatus pbdrFillRoom(pbdrRoom* room, const pbdrWorld* world, char* memory, size_t size, pbdrWorld** copy,
                        pbdrError* error)
{
    *room = (pbdrRoom){.callers = pbdrWorld_GetHooks(world), .begin = memory, .size = size};
    const pbdrHooks hooks = makeHooks(room);
    return pbdrCopyWorldInto(world, 1, &hooks, copy, error);
}

size_t pbdrGetFetchedSize(const pbdrBatch* batch)
{
    const size_t all = (size_t)batch->arrays.worldCount * batch->roomSize;
    return all <= HELD_BY_CACHE ? 0 : batch->roomSize < MOST_FETCHED ? batch->roomSize : MOST_FETCHED;
}

// A substep of a small world is a microsecond, and taking a group is a tenth of that: eight worlds at a time, and fewer
// where there are few, so that every thread has some. The first world of a group was fetched by whoever stepped the one
// before it, mostly another core: where worlds are fetched at all, groups are longer, as long as what a thread waits for at
// the end is a thirtieth of its share.
int pbdrGetGroupSize(const pbdrBatch* batch, int threads)
{
    const int share = batch->arrays.worldCount / threads;
    const int brief = share / 8 < 8 ? share / 8 : 8, most = share / 32 < 64 ? share / 32 : 64;
    const int size = batch->fetchedSize > 0 && most > brief ? most : brief;
    return size > 1 ? size : 1;
}

size_t pbdrBatch_GetByteCount(const pbdrBatch* batch)
{
    size_t bytes = sizeof *batch + batch->memory.byteCount;
    if (batch->device != NULL) {
        pbdrDeviceInfo info;
        batch->device->describe(batch->deviceWorlds, &info);
        return bytes + info.byteCount;
    }
    for (int world = 0; world < batch->arrays.worldCount; world++) {
        bytes += batch->rooms[world].outside;
    }
    return bytes;
}
