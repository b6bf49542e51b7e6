// A 64-bit hash of bytes, the same on every machine of one byte order.
#ifndef PBDR_MATH_HASH_H
#define PBDR_MATH_HASH_H

#include <stddef.h>
#include <stdint.h>

// FNV-1a: start with PBDR_HASH_START and add bytes.
#define PBDR_HASH_START UINT64_C(14695981039346656037)

static inline uint64_t pbdrAddToHash(uint64_t hash, const void* bytes, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        hash = (hash ^ ((const unsigned char*)bytes)[k]) * UINT64_C(1099511628211);
    }
    return hash;
}

#endif
