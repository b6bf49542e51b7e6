// Solvers from shared objects.
#ifndef PBDR_BENCH_PLUGIN_H
#define PBDR_BENCH_PLUGIN_H

#include "pbdr/base.h"
#include "solvers/registry.h"

// Looks at a plug-in in a process of its own and fills *solver, whose path is kept by the caller. Messages
// begin with the path: a file that is missing or no plug-in, another version of the interface, a crash while
// it was loaded.
pbdrStatus benchProbePlugin(const char* path, BenchSolver* solver, pbdrError* error);

// Loads a plug-in into this process, for good. NULL with the reason in error.
const pbdrBenchSolver* benchLoadPlugin(const char* path, pbdrError* error);

#endif
