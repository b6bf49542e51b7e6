// Numbers of binary files, in either byte order, on any machine.
#ifndef PBDR_MESHFILE_BYTES_H
#define PBDR_MESHFILE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// An unsigned integer of `size` bytes, 1 to 8.
static inline uint64_t pbdrDecodeBits(const char* bytes, int size, bool isBigEndian)
{
    uint64_t bits = 0;
    for (int i = 0; i < size; i++) {
        bits |= (uint64_t)(unsigned char)bytes[isBigEndian ? size - 1 - i : i] << (8 * i);
    }
    return bits;
}

static inline double pbdrDecodeFloat(const char* bytes, bool isBigEndian)
{
    uint32_t bits = (uint32_t)pbdrDecodeBits(bytes, 4, isBigEndian);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline double pbdrDecodeDouble(const char* bytes, bool isBigEndian)
{
    uint64_t bits = pbdrDecodeBits(bytes, 8, isBigEndian);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
