// Writing, reading and hashing states as bytes.
#ifndef PBDR_SCENE_BYTES_H
#define PBDR_SCENE_BYTES_H

#include "math/hash.h"

#include <string.h>

// Copies size bytes to `to` and returns where the next ones go. from may be NULL if size is 0.
static inline char* pbdrPutBytes(char* to, const void* from, size_t size)
{
    if (size > 0) {
        memcpy(to, from, size);
    }
    return to + size;
}

// Copies size bytes from `from` and returns where the next ones stand.
static inline const char* pbdrTakeBytes(const char* from, void* to, size_t size)
{
    if (size > 0) {
        memcpy(to, from, size);
    }
    return from + size;
}

#endif
