// Sobol's points: they fill a cube more evenly than random ones, and more of them only add to those before.
#ifndef PBDR_BENCH_SOBOL_H
#define PBDR_BENCH_SOBOL_H

#include <stdint.h>

#define SOBOL_DIMENSIONS 4

// The index-th point in the unit cube, from 0 on; its coordinates are the middles of cells of 2^-32. The direction numbers
// are those of Joe and Kuo (2008).
void sobolGetPoint(uint32_t index, double point[SOBOL_DIMENSIONS]);

#endif
