// What a benchmark shows and writes: a table, JSON (schema pbdr-bench/2), CSV.
#ifndef PBDR_BENCH_RESULTS_H
#define PBDR_BENCH_RESULTS_H

#include "runner.h"

// A row per test, solver and setting, errors as mean and spread over the seeds. Runs of a row stand side by
// side.
void benchPrintTable(FILE* file, const BenchRun* runs, int count);

// The solvers of the short table, by index; NULL behind the last one.
const char* benchGetShortSolver(int index);

// The seven tests in seven columns, with what it takes to read them: what README.md holds. Runs of other solvers are
// left out; those of tests 4 to 6 may be on both bases.
void benchPrintShortTable(FILE* file, const BenchRun* runs, int count);

// All runs. The caller looks at the file's error flag.
void benchWriteJson(FILE* file, const BenchRun* runs, int count);
void benchWriteCsv(FILE* file, const BenchRun* runs, int count);

#endif
