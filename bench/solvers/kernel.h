// XPBD-R by the kernel for small worlds (docs/gpu.md), on a CUDA GPU or in the host's compilation.
#ifndef PBDR_BENCH_KERNEL_H
#define PBDR_BENCH_KERNEL_H

#include "solvers/registry.h"

#include <pbdr/gpu.h>

// The first CUDA GPU, by libpbdr-gpu.so: where PBDR_GPU_LIBRARY says, beside this program in gpu/ (make gpu), or where the
// loader finds it. NULL with the reason in error.
const pbdrDevice* benchFindGpu(pbdrError* error);

// The device that a command with --backend gpu takes. Without a GPU it is the processor, and a message on stderr says so.
const pbdrDevice* benchChooseDevice(const char* command);

// Fills *solver: "xpbdr:gpu", or "xpbdr:host" for the processor. Bodies touch by their spheres.
pbdrStatus benchChooseKernel(const pbdrDevice* device, BenchSolver* solver, pbdrError* error);

#endif
