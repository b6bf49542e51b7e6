// Work in a process of its own, so that what somebody else's code does there (a crash, an endless loop, bytes
// written where they do not belong) is a result and not the end.
#ifndef PBDR_BENCH_ISOLATE_H
#define PBDR_BENCH_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>

// What an isolated process may take.
typedef struct BenchLimits {
    double seconds; // of wall time
    int megabytes;  // of memory, beyond what the process has when it begins
} BenchLimits;

typedef enum BenchEnd {
    benchEndDone,    // the result is there; whether it makes sense is the caller's to check
    benchEndFailed,  // crashed, ended by itself, or took too long
    benchEndStopped, // goOn said so
} BenchEnd;

// result and share are in memory that both processes see.
typedef void (*BenchWork)(void* context, void* result, volatile double* share);

// Asked some fifty times a second while the process runs, with the share that it says it has done, from 0 to
// 1; false ends it.
typedef bool (*BenchGoOn)(void* context, double share);

// Runs work(context, result, &share) in a child process and copies `size` bytes of *result, zero at first,
// back. Everything in the child's process group is ended with it. Its standard output goes to stderr, its
// standard input is empty. goOn may be NULL. On benchEndFailed why (whySize bytes) says how it ended:
// "crashed (signal 11: Segmentation fault)".
BenchEnd benchIsolate(BenchWork work, void* context, void* result, size_t size, const BenchLimits* limits,
                      BenchGoOn goOn, void* goOnContext, char* why, size_t whySize);

// Ends the process that runs now, if one does. May be called by a signal handler.
void benchEndIsolated(void);

// Text that came back from such a process: ends it within `size` bytes and replaces what a terminal would not
// print. Returns whether there was nothing to replace.
bool benchCleanText(char* text, size_t size);

#endif
