// Batches: many copies of a world, stepped by one call on all cores. Each has its own poses, velocities, loads,
// frictions and masses, as arrays over all worlds, and goes on with the same bits as a world on its own.
//
//     pbdrBatchDef def = pbdrDefaultBatchDef();
//     def.count = 4096;
//     def.threads = 2;
//     pbdrBatch* batch;
//     pbdrCreateBatch(world, &def, &batch, &error);
//     pbdrBatchArrays arrays = pbdrBatch_GetArrays(batch);
//     for (int w = 0; w < 4096; w++) {
//         arrays.forces[w * arrays.bodyCount].x = 0.01 * w; // of its first body
//     }
//     pbdrBatch_Step(batch, 10, &error);                    // arrays.positions is where they are now
#ifndef PBDR_BATCH_H
#define PBDR_BATCH_H

#include "pbdr/gpu.h"
#include "pbdr/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pbdrBatch pbdrBatch;

// Steps a world of a batch and returns its flags, as pbdrWorld_Step; with several threads several do it at a time, each
// with another world.
typedef uint32_t pbdrBatchStepper(void* context, pbdrWorld* world, int substepCount);

typedef struct pbdrBatchDef {
    uint32_t cookie;     // set by pbdrDefaultBatchDef
    uint32_t size;       // likewise [bytes]
    int count;           // worlds, 1 (default) or more
    int threads;         // that step them, 1 (default) to PBDR_MAX_THREADS; no bit depends on it
    pbdrTaskHooks tasks; // the caller's threads; default all zero: the batch has its own
    // For worlds with motions of the caller's (a scene's, scenefile.h); NULL (default): pbdrWorld_Step
    pbdrBatchStepper* stepper;
    void* stepperContext; // handed to it
    // What steps them by one kernel for small worlds (docs/gpu.md): up to 8 bodies that contact moves, by their spheres,
    // solver xpbdr, or pbd-r in reduced coordinates; NULL (default): every world is one of its own. Its bits are not those of worlds on their own, but
    // those of any other device.
    const pbdrDevice* device;
} pbdrBatchDef;

PBDR_API void pbdrInitBatchDef(pbdrBatchDef* def, size_t size);

// Every field set to its default (types.h says why it stands here).
static inline pbdrBatchDef pbdrDefaultBatchDef(void)
{
    pbdrBatchDef def;
    pbdrInitBatchDef(&def, sizeof def);
    return def;
}

// Where a batch keeps its values: of body b of world w at [w * bodyCount + b], bodies in the order of
// pbdrWorld_GetBodies; of plane p at [w * planeCount + p]. They stay where they are until the batch is destroyed. The
// caller may write into all of them. What differs from what was there after the last step or reset is set at the next
// one, as the functions of world.h do it: another pose makes that world forget its contacts, another mass allocates. A
// step and a reset write poses, velocities and flags.
typedef struct pbdrBatchArrays {
    int worldCount, bodyCount, planeCount;
    pbdrVec3* positions;         // of the centres of mass [m]
    pbdrQuat* rotations;         // w, x, y, z
    pbdrVec3* velocities;        // of the centres of mass [m/s]
    pbdrVec3* angularVelocities; // world axes [rad/s]
    pbdrVec3* forces;            // applied in every substep until changed [N]
    pbdrVec3* torques;           // [N m]
    double* frictions;           // coefficients of bodies
    double* masses;              // [kg]; inertia goes with them
    double* planeFrictions;      // coefficients of planes
    uint32_t* flags;             // of each world's last step, pbdrStepFlag bits
} pbdrBatchArrays;

// Copies a world def->count times, with the world's hooks (with several threads they must be safe to call from several);
// each copy steps on one thread. The world itself is left alone, and may be destroyed. On failure *batch is NULL.
PBDR_API pbdrStatus pbdrCreateBatch(const pbdrWorld* world, const pbdrBatchDef* def, pbdrBatch** batch,
                                    pbdrError* error);
// NULL is fine.
PBDR_API void pbdrDestroyBatch(pbdrBatch* batch);

PBDR_API pbdrBatchArrays pbdrBatch_GetArrays(const pbdrBatch* batch);

// Advances every world by so many substeps. Values that no body can have are refused: numbers that are not finite, a
// negative friction, the velocity of a static body. Then error has the world, body and value, no world has moved, and
// arrays and worlds stay as they are. Allocates nothing once there were as many contacts as there will ever be.
PBDR_API pbdrStatus pbdrBatch_Step(pbdrBatch* batch, int substepCount, pbdrError* error);

// Makes the chosen worlds (chosen[w] is not 0; NULL: all) what the first world was when the batch was made: state,
// frictions, masses, loads. The arrays follow.
PBDR_API pbdrStatus pbdrBatch_Reset(pbdrBatch* batch, const uint8_t* chosen, pbdrError* error);

// Moves a kinematic body of the chosen worlds to a pose in a time, as pbdrBody_SetTarget: poses has one per world.
PBDR_API pbdrStatus pbdrBatch_SetTargets(pbdrBatch* batch, const uint8_t* chosen, int body,
                                         const pbdrPose* poses, double time, pbdrError* error);

// One per world, as pbdrWorld_GetHash.
PBDR_API pbdrStatus pbdrBatch_GetHashes(const pbdrBatch* batch, uint64_t* hashes, pbdrError* error);
// What contacts did in the last substep. forces and moments: to each body [N, N m], about its centre of mass at the end of
// the substep, as pbdrBody_GetContactWrench. counts: of each world, how many there were. Any may be NULL.
// Without a device it never fails.
PBDR_API pbdrStatus pbdrBatch_GetContacts(pbdrBatch* batch, pbdrVec3* forces, pbdrVec3* moments,
                                          int32_t* counts, pbdrError* error);

// --- With a device ---

// Steps without a look at the arrays, `launches` times so many substeps, and leaves the arrays as they are until
// pbdrBatch_Fetch: nothing leaves the device. Flags and residuals are then those of the last launch. *seconds, if not NULL,
// is how long all that took. Without a device: not supported.
PBDR_API pbdrStatus pbdrBatch_StepAlone(pbdrBatch* batch, int substepCount, int launches, double* seconds,
                                        pbdrError* error);
// Poses, velocities and flags into the arrays, as after pbdrBatch_Step; what was written there since is lost.
PBDR_API pbdrStatus pbdrBatch_Fetch(pbdrBatch* batch, pbdrError* error);
// Newton steps of each world so far, and its largest residual in the last step, over the sum of forces. Either may be
// NULL.
PBDR_API pbdrStatus pbdrBatch_GetEffort(const pbdrBatch* batch, double* newtonSteps, double* residuals,
                                        pbdrError* error);
PBDR_API pbdrStatus pbdrBatch_Describe(const pbdrBatch* batch, pbdrDeviceInfo* info, pbdrError* error);
// Where the device keeps poses (position, then rotation w, x, y, z) and velocities (linear, angular) of a body of the
// worlds: number k of world w is at ((w / 32) * stride + k) * 32 + w % 32 of the pointer. NULL without a device.
PBDR_API const double* pbdrBatch_GetDeviceValues(const pbdrBatch* batch, int body, int* stride);
// Likewise the wrench of a body's contacts (force, moment, as pbdrBatch_GetContacts), summed by this call: 6 numbers. NULL
// without a device, or if it fails.
PBDR_API const double* pbdrBatch_GetDeviceWrenches(pbdrBatch* batch, int body, int* stride, pbdrError* error);
// And flags, as in the arrays: one number, a whole one.
PBDR_API const double* pbdrBatch_GetDeviceFlags(const pbdrBatch* batch, int* stride);

// A world of the batch, to look at and to copy; NULL with a device. The arrays do not know what its setters change.
PBDR_API pbdrWorld* pbdrBatch_GetWorld(const pbdrBatch* batch, int index);
// Memory that all worlds and arrays take [bytes].
PBDR_API size_t pbdrBatch_GetByteCount(const pbdrBatch* batch);

#ifdef __cplusplus
}
#endif

#endif
