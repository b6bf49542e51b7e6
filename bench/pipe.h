// Engines in a process of their own, in any language, over a pipe (docs/protocol.md). To the runner they are a plug-in's
// table; the process is started by whoever loads them, which is a child process of the benchmark's (isolate.h).
#ifndef PBDR_BENCH_PIPE_H
#define PBDR_BENCH_PIPE_H

#include "pbdr/bench/solver.h"

#include <stdio.h>

// Of the protocol: engines of another number are refused.
#define BENCH_PIPE_PROTOCOL 1

// Whether --plugin names an engine behind a pipe: a file that ends in .py, or "pipe:COMMAND".
bool benchIsPipe(const char* path);

// Starts the engine and asks who it is. NULL with the reason in error. One per process.
const pbdrBenchSolver* benchOpenPipe(const char* path, pbdrError* error);

// What went wrong with the engine in step, NULL: nothing. The table has no other way to say it.
const char* benchGetPipeProblem(void);
// Processor time that it says its steps took since the last call [s]. False: it said nothing (or there is no pipe), and
// what counts is this process's own time.
bool benchTakePipeSeconds(double* seconds);

// The scene of a create call as JSON. (pipe_scene.c)
void benchWritePipeScene(FILE* file, const pbdrBenchScene* scene);

#endif
