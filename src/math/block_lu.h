// Linear systems of 6x6 blocks, one row of blocks per body, as they come from contacts between bodies:
// sparse, not symmetric, dominated by their diagonal blocks.
#ifndef PBDR_MATH_BLOCK_LU_H
#define PBDR_MATH_BLOCK_LU_H

#include <stdbool.h>
#include <stddef.h>

#define PBDR_BLOCK_SIDE 6

// LU with row pivoting of one dense 6x6 block, in place. False if it is singular or not finite.
bool pbdrFactorBlock(double a[6][6], int pivots[6]);
void pbdrSolveBlock(double a[6][6], const int pivots[6], double x[6]);

// Doubles that a system of `count` rows needs: count^2 blocks in the worst case.
// Solves in place: blocks[i * count + j] is block (i, j), `used` says which are not zero (fill is marked), x
// holds the right-hand side, then the solution. Elimination in the given order, pivots within diagonal
// blocks.
bool pbdrSolveBlocks(int count, double (*blocks)[6][6], unsigned char* used, double (*x)[6]);

#endif
