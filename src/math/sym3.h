// Symmetric 3x3 matrices: eigenvalues, and solving with inertia tensors that may be singular.
#ifndef PBDR_MATH_SYM3_H
#define PBDR_MATH_SYM3_H

#include "pbdr/types.h"

// Eigenvalues (ascending) and orthonormal, right-handed eigenvectors (columns of `vectors`) of a symmetric
// matrix, by cyclic Jacobi rotations. Only the upper triangle is read. The matrix must be finite.
void pbdrSymEigen(const pbdrMat3* a, double values[3], pbdrMat3* vectors);

// x of least length with A x = b for a positive semi-definite A (an inertia tensor); eigenvalues below cutoff
// times the largest count as zero. A = 0 gives x = 0.
pbdrVec3 pbdrSymSolve(const pbdrMat3* a, pbdrVec3 b, double cutoff);

#endif
