// Counting by valgrind's callgrind, whose requests do nothing where they are not known, in samples of a run.
#ifndef PBDR_BENCH_MEASURE_CALLGRIND_H
#define PBDR_BENCH_MEASURE_CALLGRIND_H

#include "many/many.h"

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif
#ifndef CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_TOGGLE_COLLECT
#endif

// Takes so many substeps, and has SOME in the middle of every stretch of EVERY counted. *counts (may be NULL): whether the
// present one is. How many were.
static inline int stepAndCount(const ManySolver* solver, void* simulation, int substeps, int every, int some,
                               bool* counts)
{
    int counted = 0;
    for (int k = 0; k < substeps; k++) {
        const int place = k % every - (every - some) / 2;
        const bool inside = place >= 0 && place < some;
        if (counts != NULL) {
            *counts = inside;
        }
        if (place == 0) {
            CALLGRIND_START_INSTRUMENTATION;
        }
        solver->step(simulation);
        counted += inside;
        if (place == some - 1) {
            CALLGRIND_STOP_INSTRUMENTATION;
        }
    }
    return counted;
}

#endif
