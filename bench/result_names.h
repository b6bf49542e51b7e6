// How results name what a run was computed with.
#ifndef PBDR_BENCH_RESULT_NAMES_H
#define PBDR_BENCH_RESULT_NAMES_H

#include "runner.h"

static inline const char* benchGetPrecisionName(const BenchRun* run)
{
    return run->options.precision == benchF32 ? "f32" : "f64";
}

// What of the body touched; NULL for solvers whose bodies are not made of spheres.
static inline const char* benchGetContactName(const BenchRun* run)
{
    if ((run->solver.capabilities & pbdr_benchUsesSpheres) == 0) {
        return NULL;
    }
    return run->options.contact == pbdr_contactSurface ? "surface" : "spheres";
}

static inline const char* benchGetShapeName(pbdrBenchShape shape)
{
    static const char* const names[] = {"box", "mesh", "rod", "ball", "cylinder"};
    return names[shape];
}

// The answer to a test's question of yes or no, "right" or "wrong"; NULL where there is none.
static inline const char* benchGetAnswerName(const BenchRun* run)
{
    bool asked = run->test->extended != NULL && run->test->extended->limit > 0.0;
    if (!asked || run->outcome != benchMeasured) {
        return NULL;
    }
    return benchIsRight(run->test, &run->errors) ? "right" : "wrong";
}

#endif
