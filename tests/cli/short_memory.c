// Linked into the command in place of malloc and its like (--wrap): allocation number PBDR_FAIL_AT of the process,
// from 1, gives NULL. At its end the process writes to the file PBDR_COUNT_TO how many allocations it asked for, and
// how many of the blocks it has not given back. What libraries outside the program allocate is not counted.
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* memory, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void* memory);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* memory, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void* memory);

static long allocations, failAt = -1; // -1: not asked yet
static long blocks;                   // held

static void writeCount(void)
{
    const char* path = getenv("PBDR_COUNT_TO");
    FILE* file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%ld %ld\n", allocations, blocks);
        fclose(file);
    }
}

static bool isTheOne(void)
{
    if (failAt < 0) {
        const char* text = getenv("PBDR_FAIL_AT");
        failAt = text != NULL ? atol(text) : 0;
        atexit(writeCount);
    }
    return ++allocations == failAt;
}

static void* count(void* memory)
{
    blocks += memory != NULL;
    return memory;
}

void* __wrap_malloc(size_t size)
{
    return isTheOne() ? NULL : count(__real_malloc(size));
}

void* __wrap_calloc(size_t number, size_t size)
{
    return isTheOne() ? NULL : count(__real_calloc(number, size));
}

void* __wrap_realloc(void* memory, size_t size)
{
    const bool isNew = memory == NULL;
    void* grown = isTheOne() ? NULL : __real_realloc(memory, size);
    blocks += isNew && grown != NULL;
    return grown;
}

void* __wrap_aligned_alloc(size_t alignment, size_t size)
{
    return isTheOne() ? NULL : count(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void* memory)
{
    blocks -= memory != NULL;
    __real_free(memory);
}
