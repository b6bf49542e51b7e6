// A batch from inside.
#ifndef PBDR_BATCH_INTERNAL_H
#define PBDR_BATCH_INTERNAL_H

#include "base.h"
#include "gpu/plan_world.h"
#include "pbdr/batch.h"
#include "tasks/tasks.h"
#include "world/held.h"

// Where a world's memory comes from. (rooms.c)
typedef struct pbdrRoom {
    pbdrHooks callers;
    char* begin;       // of its own memory
    size_t size, used; // of that [bytes]
    void* last;        // taken of it
    size_t outside;    // what the caller gave besides [bytes]
    bool probes;       // it has none, and counts what it would take
} pbdrRoom;

struct pbdrBatch {
    pbdrMemory memory;
    pbdrTasks* tasks;
    pbdrBatchStepper* stepper; // the caller's, or NULL
    void* stepperContext;
    pbdrBatchArrays arrays;
    pbdrBatchArrays held; // the same as worlds had it when it was handed out; without flags (values.c)
    pbdrWorld** worlds;
    pbdrRoom* rooms;     // as worlds
    size_t roomSize;     // [bytes]
    size_t fetchedSize;  // of a room that the step of the one before fetches (rooms.c)
    int groupSize;       // worlds that a thread takes at a time (rooms.c)
    char* roomMemory;    // worldCount x roomSize
    pbdrBodyId* bodies;  // as positions
    pbdrPlaneId* planes; // as planeFrictions
    pbdrShape** shapes;  // of the first world's bodies
    pbdrBodyKind* kinds; // of the same
    uint8_t* scaled;     // per body: it has another shape than that
    uint8_t* changed;    // per world: the arrays have other values than it
    // The first world's
    size_t stateSize;
    void* state;
    // With a device there are no worlds, and these instead (device.c)
    const pbdrDevice* device;
    void* deviceWorlds;
    pbdrKernelPlan* plan;
    double* first;  // plan->slots numbers that worlds begin with
    double* known;  // as the device has them: numbers up to the mass of each body
    double* buffer; // the same of one body, of all worlds; or zeros
};

// --- device.c ---

// Worlds on a device instead: before the arrays are taken, so that too many are refused by the device; and the arrays.
pbdrStatus pbdrOpenDeviceBatch(pbdrBatch* batch, const pbdrWorld* world, int threads, pbdrError* error);
pbdrStatus pbdrFillDeviceBatch(pbdrBatch* batch, pbdrError* error);
pbdrStatus pbdrStepDeviceBatch(pbdrBatch* batch, int substepCount, pbdrError* error);
pbdrStatus pbdrResetDeviceBatch(pbdrBatch* batch, const uint8_t* chosen, pbdrError* error);
pbdrStatus pbdrGetDeviceContacts(pbdrBatch* batch, pbdrVec3* forces, pbdrVec3* moments, int32_t* counts,
                                 pbdrError* error);
void pbdrFreeDeviceBatch(pbdrBatch* batch);

// Poses and velocities of worlds, into the arrays; loads, frictions and masses of one. (values.c)
void pbdrReadBatchWorlds(pbdrBatch* batch, int first, int end);
void pbdrReadBatchLoads(pbdrBatch* batch, int index);
// Whether the caller has changed a value of so many worlds from the first on. (values.c)
bool pbdrHasBatchChanged(const pbdrBatch* batch, int first, int count);
// The other way: what differs is set. (values.c)
pbdrStatus pbdrWriteBatchWorld(pbdrBatch* batch, int index);
// What no body can have among the values of one, k being its place in the arrays; NULL for nothing. (values.c)
const char* pbdrFindBatchFault(const pbdrBatch* batch, const pbdrWorld* world, size_t k);
bool pbdrIsBatchFriction(double friction);

// How much room a copy of the world takes with its first substep [bytes]. (rooms.c)
pbdrStatus pbdrMeasureRoom(const pbdrWorld* world, size_t* size, pbdrError* error);
// Makes a copy in its room. (rooms.c)
pbdrStatus pbdrFillRoom(pbdrRoom* room, const pbdrWorld* world, char* memory, size_t size, pbdrWorld** copy,
                        pbdrError* error);
// How much of the next world's memory a step brings into the cache [bytes]. (rooms.c)
size_t pbdrGetFetchedSize(const pbdrBatch* batch);
// How many worlds a thread takes at a time, after the fetched size. (rooms.c)
int pbdrGetGroupSize(const pbdrBatch* batch, int threads);

#endif
