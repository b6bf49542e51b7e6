// LU of one dense 6x6 block: what the linear systems of contacts between bodies are made of.
#ifndef PBDR_MATH_BLOCK_LU_H
#define PBDR_MATH_BLOCK_LU_H

#include <stdbool.h>

// LU with row pivoting of one dense 6x6 block, in place. False if it is singular or not finite.
bool pbdrFactorBlock(double a[6][6], int pivots[6]);
void pbdrSolveBlock(double a[6][6], const int pivots[6], double x[6]);
// The same of six right-hand sides, the columns of x.
void pbdrSolveBlockRows(double a[6][6], const int pivots[6], double x[6][6]);

#endif
