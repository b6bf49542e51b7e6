// Version, status names, and the hooks' defaults.
#ifdef __linux__
#define _DEFAULT_SOURCE // madvise
#include <sys/mman.h>
#endif

#include "base.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char* pbdrVersion(void)
{
    return TEXT(PBDR_VERSION_MAJOR) "." TEXT(PBDR_VERSION_MINOR) "." TEXT(PBDR_VERSION_PATCH);
}

const char* pbdrStatusName(pbdrStatus status)
{
    switch (status) {
    case pbdr_statusOk:
        return "ok";
    case pbdr_statusInvalidArgument:
        return "invalid argument";
    case pbdr_statusInvalidId:
        return "invalid id";
    case pbdr_statusNoMemory:
        return "out of memory";
    case pbdr_statusNoParticles:
        return "no particles";
    case pbdr_statusStateMismatch:
        return "state of another world";
    case pbdr_statusFileNotFound:
        return "file not found";
    case pbdr_statusFileFormat:
        return "bad file";
    case pbdr_statusMeshOpen:
        return "mesh is open";
    case pbdr_statusMeshBroken:
        return "mesh is broken";
    case pbdr_statusNotSupported:
        return "not supported";
    case pbdr_statusStopped:
        return "stopped";
    }
    return "unknown status";
}

// Bytes asked of the allocator: a multiple of the alignment, never 0; 0 means overflow.
static size_t getBlockSize(size_t count, size_t itemSize)
{
    if (itemSize != 0 && count > (SIZE_MAX - PBDR_ALIGNMENT) / itemSize) {
        return 0;
    }
    size_t size = count * itemSize;
    size = (size + PBDR_ALIGNMENT - 1) / PBDR_ALIGNMENT * PBDR_ALIGNMENT;
    return size != 0 ? size : PBDR_ALIGNMENT;
}

// Linux may back a block of our own by pages of 2 MB, before it is touched first: a batch of 10,000 worlds looks at 50,000
// small pages in every step, and finding them costs it 3 %. A hint: where it is refused nothing changes.
static void* takeOwnBlock(size_t size)
{
    void* memory = aligned_alloc(PBDR_ALIGNMENT, size);
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)2 << 20;
    if (memory != NULL && size >= 2 * page) {
        const uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page, end = (uintptr_t)memory + size;
        (void)madvise((void*)begin, (end - begin) / page * page, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

void* pbdrAllocate(const pbdrHooks* hooks, size_t count, size_t itemSize)
{
    size_t size = getBlockSize(count, itemSize);
    if (size == 0) {
        return NULL;
    }
    void* memory = hooks != NULL && hooks->allocate != NULL
                       ? hooks->allocate(hooks->context, size, PBDR_ALIGNMENT)
                       : takeOwnBlock(size);
    if (memory != NULL) {
        memset(memory, 0, size);
    }
    return memory;
}

void pbdrRelease(const pbdrHooks* hooks, void* memory, size_t count, size_t itemSize)
{
    if (memory == NULL) {
        return;
    }
    if (hooks != NULL && hooks->allocate != NULL) {
        if (hooks->release != NULL) {
            hooks->release(hooks->context, memory, getBlockSize(count, itemSize));
        }
    } else {
        free(memory);
    }
}

pbdrStatus pbdrFail(pbdrError* error, pbdrStatus status, const char* format, ...)
{
    if (error != NULL) {
        error->status = status;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

// How every definition begins.
typedef struct DefHead {
    uint32_t cookie, size;
} DefHead;

void pbdrInitDef(void* def, size_t size, const void* defaults, size_t ownSize)
{
    if (size < sizeof(DefHead)) {
        return;
    }
    memset(def, 0, size);
    memcpy(def, defaults, size < ownSize ? size : ownSize);
    ((DefHead*)def)->size = (uint32_t)size;
}

pbdrStatus pbdrReadDef(const void* def, const char* maker, void* own, size_t ownSize, pbdrError* error)
{
    DefHead head = {0, 0}, ours;
    memcpy(&ours, own, sizeof ours);
    if (def != NULL) {
        memcpy(&head, def, sizeof head);
    }
    if (head.cookie != ours.cookie || head.size < sizeof head) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "definition: not made by %s of 0.2 or later",
                        maker);
    }
    if (head.size > ownSize) {
        return pbdrFail(
            error, pbdr_statusInvalidArgument,
            "definition of %s: %u bytes, but version %s knows %zu: the program was compiled for a "
            "later version",
            maker, (unsigned)head.size, pbdrVersion(), ownSize);
    }
    memcpy(own, def, head.size);
    return pbdr_statusOk;
}

bool pbdrReportAssert(const pbdrHooks* hooks, const char* condition, const char* file, int line)
{
    if (hooks != NULL && hooks->assertFailed != NULL) {
        hooks->assertFailed(hooks->context, condition, file, line);
        return false;
    }
#ifndef NDEBUG
    abort();
#else
    return false;
#endif
}
