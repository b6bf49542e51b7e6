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

// A guess and what was learnt of g near it; all-zero to begin with, kept from one question to the next
// similar one.
typedef struct BenchFixedPoint {
    double x[2];
    double inverse[2][2]; // of the Jacobian of g(x) - x, nearly
    bool known;
} BenchFixedPoint;

// point->x = g(x) to within tolerance. False if g fails or some 60 calls do not do.
bool benchFindFixedPoint(BenchPairMap g, void* context, BenchFixedPoint* point, double tolerance);

#endif
