// Zeros of functions of one and two variables.
#ifndef PBDR_BENCH_REFERENCE_ROOTS_H
#define PBDR_BENCH_REFERENCE_ROOTS_H

#include <stdbool.h>

typedef double (*BenchFunction)(void* context, double x);

// A zero of f between low and high, where it has the signs of fLow and fHigh, to within 1e-15 relatively and
// `tiny` absolutely.
double benchFindRoot(BenchFunction f, void* context, double low, double fLow, double high, double fHigh,
                     double tiny);

// image = g(x); false if x has none.
typedef bool (*BenchPairMap)(void* context, const double x[2], double image[2]);

// A fixed point x = g(x) to within tolerance, from the guess in x. False if g fails or 60 calls do not do.
bool benchFindFixedPoint(BenchPairMap g, void* context, double x[2], double tolerance);

#endif
