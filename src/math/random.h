// A small generator of pseudo-random numbers: splitmix64 (Steele et al. 2014). The same seed gives the same
// numbers on every machine.
#ifndef PBDR_MATH_RANDOM_H
#define PBDR_MATH_RANDOM_H

#include <stdint.h>

static inline uint64_t pbdrNextBits(uint64_t* state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// Uniform in (0, 1).
static inline double pbdrNextUniform(uint64_t* state)
{
    return ((double)(pbdrNextBits(state) >> 11) + 0.5) * 0x1p-53;
}

#endif
