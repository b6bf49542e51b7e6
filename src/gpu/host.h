// The host's compilations of the kernel: each steps one world, whose first number is at values.
#ifndef PBDR_GPU_HOST_H
#define PBDR_GPU_HOST_H

#include "gpu/kernel_kind.h"

typedef void (*pbdrStepKernel)(const pbdrKernelPlan* plan, const double* spheres, double* values,
                               int substepCount);

void pbdrStepKernel_body(const pbdrKernelPlan* plan, const double* spheres, double* values, int substepCount);
// Takes turns with pbdrStepKernel_body: smooth substeps (kernel.h: stepQuickly). Returns how many are left.
int pbdrStepKernel_quick(const pbdrKernelPlan* plan, const double* spheres, double* values, int substepCount,
                         int rest);
// And with pbdrStepKernel_pairs.
int pbdrStepKernel_quickPairs(const pbdrKernelPlan* plan, const double* spheres, double* values,
                              int substepCount, int rest);
void pbdrStepKernel_pairs(const pbdrKernelPlan* plan, const double* spheres, double* values,
                          int substepCount);
void pbdrStepKernel_two(const pbdrKernelPlan* plan, const double* spheres, double* values, int substepCount);
void pbdrStepKernel_eight(const pbdrKernelPlan* plan, const double* spheres, double* values,
                          int substepCount);

void pbdrStepKernel_reduced(const pbdrKernelPlan* plan, const double* spheres, double* values,
                            int substepCount);

// The kernel of a kind.
pbdrStepKernel pbdrGetHostKernel(pbdrKernelKind kind);

// Wrenches of a world's bodies (kernel_wrench.h).
void pbdrSumWrenches(const pbdrKernelPlan* plan, const double* spheres, double* values);

#endif
