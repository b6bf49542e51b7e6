// Random numbers of the seeds: the same seed gives the same numbers on every machine.
#ifndef PBDR_BENCH_SEED_H
#define PBDR_BENCH_SEED_H

#include "pbdr/geometry.h"

#include <stdint.h>

// How far a seed shifts the start within the ground plane [m].
#define BENCH_SHIFT 1.0e-7

// splitmix64 (Steele et al. 2014).
static inline uint64_t benchNextBits(uint64_t* state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// Uniform in [0, 1).
static inline double benchNextUniform(uint64_t* state)
{
    return (double)(benchNextBits(state) >> 11) * 0x1p-53;
}

static inline void benchShuffle(pbdrSphereSet* set, uint64_t* state)
{
    for (int i = set->count - 1; i > 0; i--) {
        int j = (int)(benchNextBits(state) % (uint64_t)(i + 1));
        pbdrVec3 position = set->positions[i];
        double radius = set->radii[i], mass = set->masses[i];
        set->positions[i] = set->positions[j], set->radii[i] = set->radii[j], set->masses[i] = set->masses[j];
        set->positions[j] = position, set->radii[j] = radius, set->masses[j] = mass;
    }
}

#endif
