// The rotation in a 3x3 matrix.
#ifndef PBDR_MATH_POLAR_H
#define PBDR_MATH_POLAR_H

#include "pbdr/types.h"

// The rotation R (det R = +1 always) that maximises trace(R^T A): for det A > 0 the orthogonal factor of A's polar
// decomposition, for det A < 0 the nearest proper rotation, for rank 2 and rank 1 a completion. Where the maximiser is not unique (rank 1,
// rank 0, or two smallest singular values that cancel) it is, of all maximisers, the one nearest to `guess`.
// guess also warms up the iteration: the last substep's rotation makes it cheap. It must be a unit quaternion.
// Any scale of A is fine, denormal to huge. Returns false, and leaves *rotation alone, if A is not finite.
bool pbdrPolarRotation(const pbdrMat3* a, pbdrQuat guess, pbdrQuat* rotation);

#endif
