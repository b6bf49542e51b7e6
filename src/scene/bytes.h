// Writing, reading and hashing states as bytes.
#ifndef PBDR_SCENE_BYTES_H
#define PBDR_SCENE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// FNV-1a: start with PBDR_HASH_START and add bytes.
#define PBDR_HASH_START UINT64_C(14695981039346656037)

static inline uint64_t pbdrAddToHash(uint64_t hash, const void* bytes, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        hash = (hash ^ ((const unsigned char*)bytes)[k]) * UINT64_C(1099511628211);
    }
    return hash;
}

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
