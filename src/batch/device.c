// Batches on a device (gpu/device.h): arrays in, substeps, arrays out. There are no worlds, only their numbers.
#include "batch/internal.h"
#include "gpu/host.h"

#include <math.h>
#include <string.h>

// Numbers of a body that arrays have, and those of them that a step changes.
#define ARRAY_WIDTH BODY_CENTRE_LEFT
#define MOTION_WIDTH BODY_FORCE

static void putVec(double* to, pbdrVec3 a)
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

static pbdrVec3 getVec(const double* from)
{
    return (pbdrVec3){from[0], from[1], from[2]};
}

// --- Arrays ---

// A body's numbers as the arrays have them.
static void gatherBody(const pbdrBatchArrays* a, size_t k, double to[ARRAY_WIDTH])
{
    putVec(to + BODY_CENTRE, a->positions[k]);
    to[BODY_ROTATION] = a->rotations[k].w;
    to[BODY_ROTATION + 1] = a->rotations[k].x;
    to[BODY_ROTATION + 2] = a->rotations[k].y;
    to[BODY_ROTATION + 3] = a->rotations[k].z;
    putVec(to + BODY_VELOCITY, a->velocities[k]);
    putVec(to + BODY_ANGULAR, a->angularVelocities[k]);
    putVec(to + BODY_FORCE, a->forces[k]);
    putVec(to + BODY_TORQUE, a->torques[k]);
    to[BODY_FRICTION] = a->frictions[k];
    to[BODY_MASS] = a->masses[k];
}

static void spreadBody(const pbdrBatchArrays* a, size_t k, const double from[ARRAY_WIDTH])
{
    a->positions[k] = getVec(from + BODY_CENTRE);
    a->rotations[k] = (pbdrQuat){from[BODY_ROTATION], from[BODY_ROTATION + 1], from[BODY_ROTATION + 2],
                                 from[BODY_ROTATION + 3]};
    a->velocities[k] = getVec(from + BODY_VELOCITY);
    a->angularVelocities[k] = getVec(from + BODY_ANGULAR);
    a->forces[k] = getVec(from + BODY_FORCE);
    a->torques[k] = getVec(from + BODY_TORQUE);
    a->frictions[k] = from[BODY_FRICTION];
    a->masses[k] = from[BODY_MASS];
}

static bool areFinite(const double* numbers, int count)
{
    bool finite = true;
    for (int k = 0; k < count; k++) {
        finite = finite && isfinite(numbers[k]);
    }
    return finite;
}

// What a body cannot have among its numbers; NULL for nothing.
static const char* findFault(const pbdrKernelBody* body, const double* numbers)
{
    const double* q = numbers + BODY_ROTATION;
    const double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!areFinite(numbers, ARRAY_WIDTH)) {
        return "a number that is not finite";
    }
    if (fabs(norm - 1.0) > 1.0e-6) {
        return "a rotation that is not of unit length";
    }
    if (!(numbers[BODY_MASS] > 0.0)) {
        return "a mass that is not above zero";
    }
    if (!(numbers[BODY_FRICTION] >= 0.0 && numbers[BODY_FRICTION] <= 1000.0)) {
        return "a friction that is not between 0 and 1000";
    }
    const double *t = numbers + BODY_TORQUE, *v = numbers + BODY_VELOCITY;
    if (body->moves < 0 && (t[0] != 0.0 || t[1] != 0.0 || t[2] != 0.0)) {
        return "the torque of a kinematic body, which a kernel has not";
    }
    for (int k = 0; k < 6 && body->moves == 0; k++) {
        if (v[k] != 0.0) {
            return "the velocity of a static body";
        }
    }
    return NULL;
}

static pbdrStatus checkArrays(const pbdrBatch* batch, pbdrError* error)
{
    const pbdrBatchArrays* a = &batch->arrays;
    for (int w = 0; w < a->worldCount; w++) {
        for (int b = 0; b < a->bodyCount; b++) {
            double numbers[ARRAY_WIDTH];
            gatherBody(a, (size_t)w * (size_t)a->bodyCount + (size_t)b, numbers);
            const char* fault = findFault(&batch->plan->bodies[b], numbers);
            if (fault != NULL) {
                return pbdrFail(error, pbdr_statusInvalidArgument, "batch: world %d, body %d: %s", w, b,
                                fault);
            }
        }
        for (int p = 0; p < a->planeCount; p++) {
            if (!pbdrIsBatchFriction(a->planeFrictions[(size_t)w * (size_t)a->planeCount + (size_t)p])) {
                return pbdrFail(error, pbdr_statusInvalidArgument,
                                "batch: world %d: a plane's friction is not between 0 and 1000", w);
            }
        }
    }
    return pbdr_statusOk;
}

// --- To the device, and back ---

// Worlds whose bodies were put elsewhere, or are of another mass, forget their contacts.
static pbdrStatus forgetContacts(const pbdrBatch* batch, pbdrError* error)
{
    const pbdrKernelPlan* plan = batch->plan;
    const size_t worlds = (size_t)batch->arrays.worldCount;
    pbdrStatus status = pbdr_statusOk;
    memset(batch->buffer, 0, worlds * BODY_SLOTS * sizeof *batch->buffer);
    for (int b = 0; b < plan->bodyCount && status == pbdr_statusOk; b++) {
        status =
            batch->device->write(batch->deviceWorlds, plan->firstBody + b * BODY_SLOTS + BODY_CENTRE_LEFT,
                                 BODY_SLOTS - BODY_CENTRE_LEFT, batch->buffer, batch->changed, error);
    }
    for (size_t w = 0; w < worlds; w++) {
        batch->buffer[w * PATCH_SLOTS + PATCH_MARGIN] = -1.0;
    }
    for (int p = 0; p < plan->patchCount && status == pbdr_statusOk; p++) {
        status = batch->device->write(batch->deviceWorlds, plan->firstPatch + p * PATCH_SLOTS, PATCH_SLOTS,
                                      batch->buffer, batch->changed, error);
    }
    return status;
}

// What differs from what the device has.
static pbdrStatus sendArrays(pbdrBatch* batch, pbdrError* error)
{
    const pbdrBatchArrays* a = &batch->arrays;
    const pbdrKernelPlan* plan = batch->plan;
    const size_t worlds = (size_t)a->worldCount, bodies = (size_t)a->bodyCount;
    bool placed = false;
    pbdrStatus status = pbdr_statusOk;
    memset(batch->changed, 0, worlds);
    for (size_t k = 0; k < worlds * bodies; k++) {
        double numbers[ARRAY_WIDTH];
        const double* known = batch->known + k * ARRAY_WIDTH;
        gatherBody(a, k, numbers);
        if (memcmp(numbers, known, BODY_VELOCITY * sizeof(double)) != 0 ||
            numbers[BODY_MASS] != known[BODY_MASS]) {
            batch->changed[k / bodies] = 1;
            placed = true;
        }
    }
    if (placed) {
        status = forgetContacts(batch, error);
    }
    // motion apart from loads: forces may be set while motion stays on the device
    for (size_t part = 0; part < 2 * bodies && status == pbdr_statusOk; part++) {
        const size_t b = part / 2;
        const int slot = part % 2 == 0 ? 0 : MOTION_WIDTH,
                  width = part % 2 == 0 ? MOTION_WIDTH : ARRAY_WIDTH - MOTION_WIDTH;
        const size_t bytes = (size_t)width * sizeof(double);
        bool changed = false;
        for (size_t w = 0; w < worlds; w++) {
            const size_t k = w * bodies + b;
            double numbers[ARRAY_WIDTH], *known = batch->known + k * ARRAY_WIDTH + slot;
            gatherBody(a, k, numbers);
            memcpy(batch->buffer + w * (size_t)width, numbers + slot, bytes);
            batch->changed[w] = memcmp(numbers + slot, known, bytes) != 0;
            changed = changed || batch->changed[w] != 0;
            memcpy(known, numbers + slot, bytes);
        }
        if (changed) {
            status = batch->device->write(batch->deviceWorlds, plan->firstBody + (int)b * BODY_SLOTS + slot,
                                          width, batch->buffer, batch->changed, error);
        }
    }
    if (a->planeCount > 0 && status == pbdr_statusOk) {
        status = batch->device->write(batch->deviceWorlds, plan->firstPlane, a->planeCount, a->planeFrictions,
                                      NULL, error);
    }
    return status;
}

// width: MOTION_WIDTH after steps, ARRAY_WIDTH after a reset.
static pbdrStatus fetchArrays(pbdrBatch* batch, int width, pbdrError* error)
{
    const pbdrBatchArrays* a = &batch->arrays;
    const pbdrKernelPlan* plan = batch->plan;
    const size_t worlds = (size_t)a->worldCount, bodies = (size_t)a->bodyCount;
    pbdrStatus status = pbdr_statusOk;
    for (size_t b = 0; b < bodies && status == pbdr_statusOk; b++) {
        status = batch->device->read(batch->deviceWorlds, plan->firstBody + (int)b * BODY_SLOTS, width,
                                     batch->buffer, error);
        for (size_t w = 0; w < worlds && status == pbdr_statusOk; w++) {
            double* known = batch->known + (w * bodies + b) * ARRAY_WIDTH;
            memcpy(known, batch->buffer + w * (size_t)width, (size_t)width * sizeof *known);
            spreadBody(a, w * bodies + b, known);
        }
    }
    if (status == pbdr_statusOk) {
        status = batch->device->read(batch->deviceWorlds, WORLD_FLAGS, 1, batch->buffer, error);
        for (size_t w = 0; w < worlds && status == pbdr_statusOk; w++) {
            a->flags[w] = (uint32_t)batch->buffer[w];
        }
    }
    if (width == ARRAY_WIDTH && a->planeCount > 0 && status == pbdr_statusOk) {
        status = batch->device->read(batch->deviceWorlds, plan->firstPlane, a->planeCount, a->planeFrictions,
                                     error);
    }
    return status;
}

// --- The batch ---

// A substep of the first world on the processor says whether its contacts have room.
static pbdrStatus checkRoom(pbdrBatch* batch, const double* spheres, pbdrError* error)
{
    const pbdrKernelPlan* plan = batch->plan;
    const size_t count = (size_t)plan->slots * PBDR_KERNEL_LANES;
    double* values = pbdrTakeMemory(&batch->memory, count, sizeof *values);
    if (values == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "batch: out of memory for a world");
    }
    for (int s = 0; s < plan->slots; s++) {
        values[s * PBDR_KERNEL_LANES] = batch->first[s];
    }
    pbdrGetHostKernel(pbdrChooseKernel(plan))(plan, spheres, values, 1);
    const uint32_t flags = (uint32_t)values[WORLD_FLAGS * PBDR_KERNEL_LANES];
    pbdrGiveMemory(&batch->memory, values, count, sizeof *values);
    return (flags & (uint32_t)pbdr_stepPairsFull) == 0
               ? pbdr_statusOk
               : pbdrFail(error, pbdr_statusNotSupported, "kernel: more than %d contact candidates",
                          plan->itemCount);
}

pbdrStatus pbdrOpenDeviceBatch(pbdrBatch* batch, const pbdrWorld* world, int threads, pbdrError* error)
{
    pbdrMemory* memory = &batch->memory;
    const size_t sphereCount = PBDR_KERNEL_SPHERE * PBDR_KERNEL_SPHERES;
    double* spheres = pbdrTakeMemory(memory, sphereCount, sizeof *spheres);
    batch->plan = pbdrTakeMemory(memory, 1, sizeof *batch->plan);
    pbdrStatus status = spheres != NULL && batch->plan != NULL
                            ? pbdrMakeKernelPlan(world, batch->plan, spheres, error)
                            : pbdrFail(error, pbdr_statusNoMemory, "batch: out of memory for spheres");
    if (status == pbdr_statusOk) {
        batch->first = pbdrTakeMemory(memory, (size_t)batch->plan->slots, sizeof *batch->first);
        status = batch->first != NULL
                     ? pbdr_statusOk
                     : pbdrFail(error, pbdr_statusNoMemory, "batch: out of memory for a world");
    }
    if (status == pbdr_statusOk) {
        pbdrFillKernelWorld(world, batch->plan, batch->first);
        status = checkRoom(batch, spheres, error);
    }
    if (status == pbdr_statusOk) {
        pbdrError fault = {.status = pbdr_statusNoMemory};
        batch->deviceWorlds = batch->device->create(batch->plan, spheres, batch->first,
                                                    (size_t)batch->arrays.worldCount, threads, &fault);
        if (batch->deviceWorlds == NULL) {
            status = fault.status;
            if (error != NULL) {
                *error = fault;
            }
        }
    }
    pbdrGiveMemory(memory, spheres, sphereCount, sizeof *spheres);
    return status;
}

pbdrStatus pbdrFillDeviceBatch(pbdrBatch* batch, pbdrError* error)
{
    return fetchArrays(batch, ARRAY_WIDTH, error);
}

void pbdrFreeDeviceBatch(pbdrBatch* batch)
{
    if (batch->deviceWorlds != NULL) {
        batch->device->destroy(batch->deviceWorlds);
    }
    if (batch->first != NULL) {
        pbdrGiveMemory(&batch->memory, batch->first, (size_t)batch->plan->slots, sizeof *batch->first);
    }
    pbdrGiveMemory(&batch->memory, batch->plan, 1, sizeof *batch->plan);
}

pbdrStatus pbdrStepDeviceBatch(pbdrBatch* batch, int substepCount, pbdrError* error)
{
    pbdrStatus status = checkArrays(batch, error);
    status = status == pbdr_statusOk ? sendArrays(batch, error) : status;
    status = status == pbdr_statusOk ? batch->device->step(batch->deviceWorlds, substepCount, 1, NULL, error)
                                     : status;
    return status == pbdr_statusOk ? fetchArrays(batch, MOTION_WIDTH, error) : status;
}

pbdrStatus pbdrResetDeviceBatch(pbdrBatch* batch, const uint8_t* chosen, pbdrError* error)
{
    // what the caller has written for the others stays
    pbdrStatus status = checkArrays(batch, error);
    status = status == pbdr_statusOk ? sendArrays(batch, error) : status;
    status = status == pbdr_statusOk ? batch->device->reset(batch->deviceWorlds, chosen, error) : status;
    return status == pbdr_statusOk ? fetchArrays(batch, ARRAY_WIDTH, error) : status;
}

// Three numbers of each body, `step` slots from body to body, into an array.
static pbdrStatus readVectors(const pbdrBatch* batch, int slot, int step, pbdrVec3* to, pbdrError* error)
{
    const size_t worlds = (size_t)batch->arrays.worldCount, bodies = (size_t)batch->arrays.bodyCount;
    pbdrStatus status = pbdr_statusOk;
    for (size_t b = 0; b < bodies && status == pbdr_statusOk; b++) {
        status = batch->device->read(batch->deviceWorlds, slot + (int)b * step, 3, batch->buffer, error);
        for (size_t w = 0; w < worlds && status == pbdr_statusOk; w++) {
            to[w * bodies + b] = getVec(batch->buffer + 3 * w);
        }
    }
    return status;
}

pbdrStatus pbdrGetDeviceContacts(pbdrBatch* batch, pbdrVec3* forces, pbdrVec3* moments, int32_t* counts,
                                 pbdrError* error)
{
    const pbdrKernelPlan* plan = batch->plan;
    pbdrStatus status = pbdr_statusOk;
    if (forces != NULL) {
        status = readVectors(batch, plan->firstBody + BODY_PULL, BODY_SLOTS, forces, error);
    }
    if (moments != NULL && status == pbdr_statusOk) {
        status = batch->device->sumWrenches(batch->deviceWorlds, error);
    }
    if (moments != NULL && status == pbdr_statusOk) {
        status = readVectors(batch, plan->firstWrench + WRENCH_MOMENT, WRENCH_SLOTS, moments, error);
    }
    if (counts != NULL && status == pbdr_statusOk) {
        status = batch->device->read(batch->deviceWorlds, WORLD_CONTACTS, 1, batch->buffer, error);
        for (int w = 0; w < batch->arrays.worldCount && status == pbdr_statusOk; w++) {
            counts[w] = (int32_t)batch->buffer[w];
        }
    }
    return status;
}

// --- Public ---

static pbdrStatus needDevice(const pbdrBatch* batch, pbdrError* error)
{
    return batch->device != NULL ? pbdr_statusOk
                                 : pbdrFail(error, pbdr_statusNotSupported, "batch: it has no device");
}

pbdrStatus pbdrBatch_StepAlone(pbdrBatch* batch, int substepCount, int launches, double* seconds,
                               pbdrError* error)
{
    const pbdrStatus status = needDevice(batch, error);
    return status == pbdr_statusOk
               ? batch->device->step(batch->deviceWorlds, substepCount, launches, seconds, error)
               : status;
}

pbdrStatus pbdrBatch_Fetch(pbdrBatch* batch, pbdrError* error)
{
    const pbdrStatus status = needDevice(batch, error);
    return status == pbdr_statusOk ? fetchArrays(batch, MOTION_WIDTH, error) : status;
}

pbdrStatus pbdrBatch_GetEffort(const pbdrBatch* batch, double* newtonSteps, double* residuals,
                               pbdrError* error)
{
    pbdrStatus status = needDevice(batch, error);
    if (status == pbdr_statusOk && newtonSteps != NULL) {
        status = batch->device->read(batch->deviceWorlds, WORLD_STEPS, 1, newtonSteps, error);
    }
    if (status == pbdr_statusOk && residuals != NULL) {
        status = batch->device->read(batch->deviceWorlds, WORLD_WORST, 1, residuals, error);
    }
    return status;
}

pbdrStatus pbdrBatch_Describe(const pbdrBatch* batch, pbdrDeviceInfo* info, pbdrError* error)
{
    const pbdrStatus status = needDevice(batch, error);
    if (status == pbdr_statusOk) {
        batch->device->describe(batch->deviceWorlds, info);
        info->worldBytes = (size_t)batch->plan->slots * sizeof(double);
    }
    return status;
}

// Where number `slot` of the worlds stands; NULL without a device, or without such a body.
static const double* findSlot(const pbdrBatch* batch, int body, int slot, int* stride)
{
    if (batch->device == NULL || body < 0 || body >= batch->arrays.bodyCount) {
        return NULL;
    }
    *stride = batch->plan->slots;
    return batch->device->getValues(batch->deviceWorlds) + (size_t)slot * PBDR_KERNEL_LANES;
}

const double* pbdrBatch_GetDeviceValues(const pbdrBatch* batch, int body, int* stride)
{
    return batch->device != NULL ? findSlot(batch, body, batch->plan->firstBody + body * BODY_SLOTS, stride)
                                 : NULL;
}

const double* pbdrBatch_GetDeviceWrenches(pbdrBatch* batch, int body, int* stride, pbdrError* error)
{
    pbdrStatus status = needDevice(batch, error);
    if (status == pbdr_statusOk && (body < 0 || body >= batch->arrays.bodyCount)) {
        status = pbdrFail(error, pbdr_statusInvalidArgument, "batch: there is no body %d of %d", body,
                          batch->arrays.bodyCount);
    }
    status = status == pbdr_statusOk ? batch->device->sumWrenches(batch->deviceWorlds, error) : status;
    return status == pbdr_statusOk
               ? findSlot(batch, body, batch->plan->firstWrench + body * WRENCH_SLOTS, stride)
               : NULL;
}

const double* pbdrBatch_GetDeviceFlags(const pbdrBatch* batch, int* stride)
{
    return findSlot(batch, 0, WORLD_FLAGS, stride);
}
