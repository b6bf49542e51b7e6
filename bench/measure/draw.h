// Random numbers of the programs in this folder: the same on every machine.
#ifndef PBDR_BENCH_MEASURE_DRAW_H
#define PBDR_BENCH_MEASURE_DRAW_H

#include <math.h>
#include <stdint.h>

typedef struct Draw {
    uint64_t state;
} Draw;

// SplitMix64, within 0 to 1 and neither of them.
static inline double drawUniform(Draw* draw)
{
    uint64_t z = (draw->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

#endif
