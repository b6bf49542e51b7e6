// Work in a process of its own, so that a crash in somebody else's code is a result and not the end.
#ifndef PBDR_BENCH_ISOLATE_H
#define PBDR_BENCH_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>

// Runs work(context, result) in a child process and copies `size` bytes of *result back. False if the child
// ended before it was done; why (whySize bytes) then says how: "crashed (signal 11: Segmentation fault)".
bool benchIsolate(void (*work)(void* context, void* result), void* context, void* result, size_t size,
                  char* why, size_t whySize);

#endif
