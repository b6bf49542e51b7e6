// Runs of the benchmark for tests that hold it to its bars.
#ifndef PBDR_TESTS_BENCH_RUNS_H
#define PBDR_TESTS_BENCH_RUNS_H

#include "check.h"
#include "runner.h"

#define MAX_SEEDS 10

// A test with a solver over seeds 1 to seedCount. shapes may be NULL for the box. Stops the program on
// errors.
static inline void runSeeds(int test, const char* solver, const BenchOptions* options,
                            const BenchShapes* shapes, int seedCount, BenchRun* runs)
{
    static const BenchShapes none;
    for (int k = 0; k < seedCount; k++) {
        BenchScene scene;
        BenchSolver chosen;
        pbdrError error = {.message = "?"};
        bool stopped;
        if (benchChooseSolver(solver, &chosen, &error) != pbdr_statusOk) {
            printf("FAILED: %s\n", error.message);
            exit(1);
        }
        const BenchOptions resolved = benchResolveOptions(&chosen, options);
        if (benchMakeScene(benchFindTest(test), &resolved, shapes != NULL ? shapes : &none, k + 1, &scene,
                           &error) != pbdr_statusOk ||
            benchRun(&chosen, &scene, &resolved, NULL, NULL, NULL, &runs[k], &stopped, &error) !=
                pbdr_statusOk) {
            printf("FAILED: %s\n", error.message);
            exit(1);
        }
        benchFreeScene(&scene);
        const BenchErrors* e = &runs[k].errors;
        if (runs[k].outcome == benchNotSupported) {
            printf("    test %d %s: %s\n", test, solver, runs[k].problem);
        } else if (runs[k].outcome != benchMeasured) {
            printf("    test %d %s %s seed %d: diverged at %.2f s\n", test, solver,
                   resolved.precision == benchF32 ? "f32" : "f64", k + 1, runs[k].failedAt);
        } else {
            printf("    test %d %s %s seed %d: %.4g m (mean %.4g), %.4g deg, tilt %.2g deg\n", test, solver,
                   resolved.precision == benchF32 ? "f32" : "f64", k + 1, e->position.final, e->position.mean,
                   e->rotation.final, e->maxTilt);
        }
    }
}

static inline int compareDoubles(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static inline double median(double* values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compareDoubles);
    return count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static inline double medianFinalPosition(const BenchRun* runs, int count)
{
    double values[MAX_SEEDS];
    for (int k = 0; k < count; k++) {
        values[k] = runs[k].outcome != benchMeasured ? HUGE_VAL : runs[k].errors.position.final;
    }
    return median(values, count);
}

#endif
