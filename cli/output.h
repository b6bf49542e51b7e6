// Files that appear whole or not at all: written as NAME.tmp beside the final name, brought to the disk, then
// renamed. A NAME.tmp that a killed process left is used again by the next that writes there.
// Links are followed; what is no regular file (a pipe, /dev/stdout) is written to directly.
#ifndef PBDR_CLI_OUTPUT_H
#define PBDR_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct Output {
    FILE* file;
    const char* path;     // as given; the caller keeps it
    char target[4096];    // what path leads to
    char temporary[4096]; // empty: written directly
} Output;

// Each says on stderr what failed, naming the file.
bool openOutput(Output* output, const char* path);
// Moves the file to its final name. On failure, or when keep is false, removes it.
bool closeOutput(Output* output, bool keep);

// Whether a file could be written there, found out before the work that fills it.
bool probeOutput(const char* path);

// Removes what is not yet complete; for a process that ends at once. May be called by a signal handler.
void removeTemporaries(void);

#endif
