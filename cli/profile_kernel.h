// pbdr profile --backend gpu: how the kernel for small worlds steps copies of a test's scene (docs/gpu.md).
#ifndef PBDR_CLI_PROFILE_KERNEL_H
#define PBDR_CLI_PROFILE_KERNEL_H

#include "chosen_scene.h"

// Runs the test on so many worlds, prints what came of it, and writes a row to csvPath unless that is NULL. Returns an
// exit code.
int profileKernel(ChosenScene* chosen, const BenchTest* test, int worlds, const char* csvPath);

#endif
