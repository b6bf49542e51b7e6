// Linear systems of 6x6 blocks, one row of blocks per body, as they come from contacts between bodies:
// sparse, not symmetric, dominated by their diagonal blocks.
#ifndef PBDR_MATH_BLOCK_LU_H
#define PBDR_MATH_BLOCK_LU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// LU with row pivoting of one dense 6x6 block, in place. False if it is singular or not finite.
bool pbdrFactorBlock(double a[6][6], int pivots[6]);
void pbdrSolveBlock(double a[6][6], const int pivots[6], double x[6]);

// The order of elimination that fills little: the row with the fewest neighbours next, whose neighbours then
// touch each other. touches: count x count, symmetric, nonzero where two rows share a block; it is used up.
void pbdrOrderRows(int count, unsigned char* touches, int* order);

// Numbers the blocks of a system that is eliminated from the first row to the last: where[i * count + j] is
// the number of block (i, j) plus one, or 0 if it stays zero. touches as above; fill is added to it. Returns
// how many blocks there are.
int pbdrPlanBlocks(int count, unsigned char* touches, int32_t* where);

// Solves in place: blocks are those of the plan, those of fill set to zero; x holds the right-hand side, then
// the solution. Pivots within diagonal blocks. False if one of those is singular or not finite.
bool pbdrSolveBlocks(int count, double (*blocks)[6][6], const int32_t* where, double (*x)[6]);

#endif
