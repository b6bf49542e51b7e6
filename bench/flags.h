// What a step had to say, in words: the names that results carry, the marks beside printed figures, and the
// legend under them.
#ifndef PBDR_BENCH_FLAGS_H
#define PBDR_BENCH_FLAGS_H

#include "runner.h"

// Of a run, at most.
#define BENCH_MAX_FLAGS 8

// The flags of a run as JSON and CSV name them, outcomes such as "failed" first; returns how many.
int benchListFlags(const BenchRun* run, const char* names[BENCH_MAX_FLAGS]);

// "!not converged, !pairs full", or nothing.
void benchPrintFlagMarks(FILE* file, uint32_t flags);

// A line for each mark that the table has, or nothing.
void benchPrintFlagLegend(FILE* file, uint32_t flags);

#endif
