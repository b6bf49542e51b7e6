// The rotation in a 3x3 matrix.
#ifndef PBDR_MATH_POLAR_H
#define PBDR_MATH_POLAR_H

#include "pbdr/types.h"

// The rotation R (det R = +1 always) that maximises trace(R^T A): for det A > 0 the orthogonal factor of A's
// polar decomposition, for det A < 0 the nearest proper rotation, for rank 2 the completion.
//
// Let s1 >= s2 >= |s3| be A's singular values, s3 with the sign of det A. The maximiser is unique as long as
// s2 + s3 > 0; an error e in A turns it by up to e / (s2 + s3). So `tolerance` is how far A can be trusted,
// relative to s1 (PBDR_INERTIA_CUTOFF_F32 or _F64 for sums in that precision): with s2 + s3 <= tolerance * s1
// (rank 1, rank 0, a reflection whose last two cancel) all rotations within 2 * tolerance * s1 of the maximum
// count as maximisers. Of all maximisers it is the one nearest to `guess`, so a chain of spheres keeps its
// spin.
//
// guess also makes the call cheap: the last substep's rotation is good. It must be a unit quaternion, and the
// result lies in its hemisphere (dot >= 0). Any scale of A is fine, denormal to huge. Returns false, and
// leaves *rotation alone, if A is not finite.
bool pbdrPolarRotation(const pbdrMat3* a, pbdrQuat guess, double tolerance, pbdrQuat* rotation);

#endif
