// Devices that step batches of small worlds by one kernel (docs/gpu.md): the processor, here, and a CUDA GPU, in
// libpbdr-gpu. The two have the same bits.
#ifndef PBDR_GPU_H
#define PBDR_GPU_H

#include "pbdr/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// What libpbdr-gpu has; libpbdr does without.
#define PBDR_GPU_API extern

// In pbdrBatchDef.device.
typedef struct pbdrDevice pbdrDevice;

// How a device steps a batch.
typedef struct pbdrDeviceInfo {
    char name[128];              // of the machine
    size_t byteCount;            // that the worlds take on the device [bytes]
    size_t worldBytes;           // that one world takes [bytes]
    size_t freeBytes;            // that the device has left [bytes]; 0: not known
    int registers;               // of a thread; on a device without such, this and all below are 0
    int localBytes;              // of a thread's own memory [bytes]
    int threadsPerBlock;         //
    int blocksPerMultiprocessor; // that are there at once
    int multiprocessors;         // of the device
} pbdrDeviceInfo;

// The processor, by the host's compilation of the kernel.
PBDR_API const pbdrDevice* pbdrGetHostDevice(void);

// The first CUDA GPU; NULL without one, or without a driver, with a message in error. In libpbdr-gpu (make gpu).
PBDR_GPU_API const pbdrDevice* pbdrGetCudaDevice(pbdrError* error);

#ifdef __cplusplus
}
#endif

#endif
