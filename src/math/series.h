// The power series of sine and cosine near zero, for math/sine.c and for the kernels of src/gpu, on the host and on the
// device: only + - *, in one order.
//
//   sin(r)/r = 1 - z/3! + z^2/5! - ... + z^8/17!,   cos(r) = 1 - z/2! + z^2/4! - ... + z^8/16!,   z = r^2
//
// For |r| <= pi/4 the next terms are below 3e-18.
#ifndef PBDR_MATH_SERIES_H
#define PBDR_MATH_SERIES_H

#ifdef __CUDACC__
#define PBDR_SERIES static __device__ __forceinline__
#else
#define PBDR_SERIES static inline
#endif

// sin(r)/r
PBDR_SERIES double pbdrSumSine(double z)
{
    double p = 1.0 / 355687428096000.0; // 17!
    p = p * z - 1.0 / 1307674368000.0;
    p = p * z + 1.0 / 6227020800.0;
    p = p * z - 1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z - 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    p = p * z - 1.0 / 6.0;
    return 1.0 + p * z;
}

PBDR_SERIES double pbdrSumCosine(double z)
{
    double p = 1.0 / 20922789888000.0; // 16!
    p = p * z - 1.0 / 87178291200.0;
    p = p * z + 1.0 / 479001600.0;
    p = p * z - 1.0 / 3628800.0;
    p = p * z + 1.0 / 40320.0;
    p = p * z - 1.0 / 720.0;
    p = p * z + 1.0 / 24.0;
    // what 1 - z/2 loses by rounding is added to the rest
    const double half = 0.5 * z, first = 1.0 - half;
    return first + (((1.0 - first) - half) + z * z * p);
}

#endif
