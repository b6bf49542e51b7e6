// Names that results and commands had before, and what they are called now.
//
// To 0.1 the paper's solver had the project's name, and the results of XPBD-R said that its engine was the reduced one.
// What is read keeps its meaning: JSON of the schemas pbdr-bench/1 and pbdr-run/1, tables of studies, logs and rows that
// a study goes on from. No plug-in can have had one of these names.
#ifndef PBDR_BENCH_OLD_NAMES_H
#define PBDR_BENCH_OLD_NAMES_H

#include <stdbool.h>
#include <string.h>

#define BENCH_OLD_PBDR "pbdr"
#define BENCH_PBDR "pbd-r"

static inline const char* benchRenameSolver(const char* name)
{
    return strcmp(name, BENCH_OLD_PBDR) == 0 ? BENCH_PBDR : name;
}

// Whether a solver is XPBD-R, with a preset or none.
static inline bool benchIsXpbdR(const char* solver)
{
    return strncmp(solver, "xpbdr", 5) == 0 && (solver[5] == 0 || solver[5] == ':');
}

static inline const char* benchRenameEngine(const char* solver, const char* engine)
{
    return benchIsXpbdR(solver) && strcmp(engine, "reduced") == 0 ? "xpbdr" : engine;
}

#endif
