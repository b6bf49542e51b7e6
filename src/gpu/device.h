// What steps the worlds of a kernel: the processor (host.c), or a GPU (cuda.cu, in a library of its own).
#ifndef PBDR_GPU_DEVICE_H
#define PBDR_GPU_DEVICE_H

#include "gpu/plan.h"
#include "pbdr/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

// Numbers go in and out by slots (plan.h), `width` of them from `slot` on: data[world * width + k]. chosen, if not NULL,
// has a byte per world: 0 leaves it as it is.
struct pbdrDevice {
    const char* name;
    // So many worlds, all with the numbers of `first`. NULL on failure, with a status and a message in error.
    void* (*create)(const pbdrKernelPlan* plan, const double* spheres, const double* first, size_t worldCount,
                    int threads, pbdrError* error);
    void (*destroy)(void* worlds);
    // All numbers of the chosen worlds become those of `first` again.
    pbdrStatus (*reset)(void* worlds, const uint8_t* chosen, pbdrError* error);
    pbdrStatus (*write)(void* worlds, int slot, int width, const double* data, const uint8_t* chosen,
                        pbdrError* error);
    pbdrStatus (*read)(void* worlds, int slot, int width, double* data, pbdrError* error);
    // `launches` times so many substeps of all worlds; *seconds (NULL: not asked for) is how long that took.
    pbdrStatus (*step)(void* worlds, int substepCount, int launches, double* seconds, pbdrError* error);
    pbdrStatus (*hash)(void* worlds, uint64_t* hashes, pbdrError* error);
    // Wrenches of all bodies, as the last substep has left them, into their slots (plan->firstWrench).
    pbdrStatus (*sumWrenches)(void* worlds, pbdrError* error);
    void (*describe)(void* worlds, pbdrDeviceInfo* info);
    // Where the numbers stand, in the device's memory.
    double* (*getValues)(void* worlds);
};

#ifdef __cplusplus
}
#endif

#endif
