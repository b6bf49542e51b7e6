// Solvers from shared objects, and from processes behind a pipe (pipe.h).
#ifndef PBDR_BENCH_PLUGIN_H
#define PBDR_BENCH_PLUGIN_H

#include "pbdr/base.h"
#include "solvers/registry.h"

// Looks at a plug-in in a process of its own and fills *solver, whose path is kept by the caller and whose
// runs get the same limits. Messages begin with the path: a file that is missing or no plug-in, another
// version of the interface, a name that will not do or is taken by a built-in solver, a crash while it was
// loaded. goOn: see isolate.h; pbdr_statusStopped if it said so.
pbdrStatus benchProbePlugin(const char* path, const BenchLimits* limits, BenchGoOn goOn, void* goOnContext,
                            BenchSolver* solver, pbdrError* error);

// Loads a plug-in into this process, for good. NULL with the reason in error.
const pbdrBenchSolver* benchLoadPlugin(const char* path, pbdrError* error);

#endif
