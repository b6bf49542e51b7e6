// Linked into the command in place of malloc and its like (--wrap): allocation number PBDR_FAIL_AT of the process,
// from 1, gives NULL. At its end the process writes how many it asked for to the file PBDR_COUNT_TO. What libraries
// outside the program allocate is not counted.
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* memory, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* memory, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);

static long allocations, failAt = -1; // -1: not asked yet

static void writeCount(void)
{
    const char* path = getenv("PBDR_COUNT_TO");
    FILE* file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%ld\n", allocations);
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

void* __wrap_malloc(size_t size)
{
    return isTheOne() ? NULL : __real_malloc(size);
}

void* __wrap_calloc(size_t count, size_t size)
{
    return isTheOne() ? NULL : __real_calloc(count, size);
}

void* __wrap_realloc(void* memory, size_t size)
{
    return isTheOne() ? NULL : __real_realloc(memory, size);
}

void* __wrap_aligned_alloc(size_t alignment, size_t size)
{
    return isTheOne() ? NULL : __real_aligned_alloc(alignment, size);
}
