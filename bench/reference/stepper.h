// Integration of small smooth systems up to the moment at which they cease to hold.
#ifndef PBDR_BENCH_REFERENCE_STEPPER_H
#define PBDR_BENCH_REFERENCE_STEPPER_H

#include <stdbool.h>

#define BENCH_MAX_STATE 6
#define BENCH_MAX_MARGINS 3

// y' = rate(t, y), valid while every margin is above its floor. The rate must be smooth a little beyond.
typedef struct BenchSystem {
    int size, marginCount;
    // False if there is no rate; the context then knows why.
    bool (*rate)(void* context, double t, const double* y, double* yRate, double* margins);
    void* context;
    double scale[BENCH_MAX_STATE]; // of each variable: errors are measured in it
    double floor[BENCH_MAX_MARGINS];
    double tolerance; // of one step
    double maxStep;   // [s]
} BenchSystem;

// Besides the number of the margin that ran out.
enum { benchReachedEnd = -1, benchRateFailed = -2, benchStepTooSmall = -3 };

// Advances t and y to end, or to the first moment at which a margin is under its floor, located to 1e-13 s.
// *step is the step to try, and becomes the one to try next; *stepCount counts.
int benchAdvance(const BenchSystem* system, double* t, double* y, double end, double* step, int* stepCount);

#endif
