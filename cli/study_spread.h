// pbdr study uncertainty --backend gpu: worlds by the kernel, a batch at a time (bench/studies/spread.h).
#ifndef PBDR_CLI_STUDY_SPREAD_H
#define PBDR_CLI_STUDY_SPREAD_H

#include <signal.h>
#include <stdbool.h>

// The command's exit code. processes, points: 0 for the usual number. alone: references, and no worlds.
int runSpread(const char* folder, int points, int processes, bool alone, volatile sig_atomic_t* stop);

#endif
