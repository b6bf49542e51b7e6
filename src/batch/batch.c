// Batches of worlds (pbdr/batch.h). Every world is one of its own, so that its bits are too; a batch moves values
// between worlds and arrays, and hands the worlds out to threads in small groups.
//
//   arrays --(what was changed)--> worlds --> substeps --> arrays
#include "batch/internal.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#define COOKIE 0x62617463u

#define CHECKED_GROUP 128 // worlds whose values a thread looks at, at a time

#define NO_FAULT LLONG_MAX

// What threads are working on.
typedef struct Work {
    pbdrBatch* batch;
    pbdrStatus (*on)(const struct Work* work, int world);
    atomic_llong* fault; // of the first world that has one: its index and status (noteFault)
    int substepCount;
    const uint8_t* chosen;
    int body;
    const pbdrPose* poses;
    double time;
    pbdrVec3 *forces, *moments;
    int32_t* counts;
} Work;

static const pbdrBatchDef defaults = {.cookie = COOKIE, .count = 1, .threads = 1};

void pbdrInitBatchDef(pbdrBatchDef* def, size_t size)
{
    pbdrInitDef(def, size, &defaults, sizeof defaults);
}

// --- Work on all worlds ---

#define STATUSES 256 // more than there are: 0 and below

static void noteFault(const Work* work, int world, pbdrStatus status)
{
    const long long fault = (long long)world * STATUSES - (long long)status;
    long long first = atomic_load(work->fault);
    while (fault < first && !atomic_compare_exchange_weak(work->fault, &first, fault)) {
    }
}

static void workOnGroup(void* data, int index, int worker)
{
    const Work* work = data;
    const int size = work->batch->groupSize, end = work->batch->arrays.worldCount;
    (void)worker;
    for (int world = size * index; world < size * (index + 1) && world < end; world++) {
        const pbdrStatus status =
            work->chosen == NULL || work->chosen[world] != 0 ? work->on(work, world) : pbdr_statusOk;
        if (status != pbdr_statusOk) {
            noteFault(work, world, status);
        }
    }
}

// Does it on all threads, in groups of so many worlds; the first world with a fault, or -1, and which.
static int workOnGroups(Work* work, int size, pbdrTask* task, pbdrStatus* status)
{
    atomic_llong fault = NO_FAULT;
    work->fault = &fault;
    pbdrRunTasks(work->batch->tasks, (work->batch->arrays.worldCount + size - 1) / size, task, work);
    const long long first = atomic_load(&fault);
    *status = first == NO_FAULT ? pbdr_statusOk : (pbdrStatus)(-(first % STATUSES));
    return first == NO_FAULT ? -1 : (int)(first / STATUSES);
}

// --- Checks: nothing moves before all values are such as bodies can have ---

static pbdrStatus checkWorld(const Work* work, int index)
{
    const pbdrBatch* batch = work->batch;
    const pbdrBatchArrays* a = &batch->arrays;
    bool good = true;
    for (int body = 0; good && body < a->bodyCount; body++) {
        const size_t k = (size_t)index * (size_t)a->bodyCount + (size_t)body;
        good = pbdrFindBatchFault(batch, batch->worlds[index], k) == NULL;
    }
    for (int plane = 0; good && plane < a->planeCount; plane++) {
        good = pbdrIsBatchFriction(a->planeFrictions[(size_t)index * (size_t)a->planeCount + (size_t)plane]);
    }
    return good ? pbdr_statusOk : pbdr_statusInvalidArgument;
}

// What the caller has left alone needs no check: worlds have it.
static void checkGroup(void* data, int index, int worker)
{
    const Work* work = data;
    pbdrBatch* batch = work->batch;
    const int first = CHECKED_GROUP * index, left = batch->arrays.worldCount - first,
              count = left < CHECKED_GROUP ? left : CHECKED_GROUP;
    (void)worker;
    if (!pbdrHasBatchChanged(batch, first, count)) {
        memset(batch->changed + first, 0, (size_t)count);
        return;
    }
    for (int world = first; world < first + count; world++) {
        batch->changed[world] = pbdrHasBatchChanged(batch, world, 1);
        if (batch->changed[world] != 0 && (work->chosen == NULL || work->chosen[world] != 0) &&
            checkWorld(work, world) != pbdr_statusOk) {
            noteFault(work, world, pbdr_statusInvalidArgument);
        }
    }
}

static pbdrStatus tellFault(const pbdrBatch* batch, int index, pbdrError* error)
{
    for (int body = 0; body < batch->arrays.bodyCount; body++) {
        const size_t k = (size_t)index * (size_t)batch->arrays.bodyCount + (size_t)body;
        const char* fault = pbdrFindBatchFault(batch, batch->worlds[index], k);
        if (fault != NULL) {
            return pbdrFail(error, pbdr_statusInvalidArgument, "batch: world %d, body %d: %s", index, body,
                            fault);
        }
    }
    return pbdrFail(error, pbdr_statusInvalidArgument,
                    "batch: world %d: a plane's friction is not between 0 and 1000", index);
}

// Finds the worlds whose values were changed; whether those that the work is on are sound.
static pbdrStatus checkAll(Work work, pbdrError* error)
{
    pbdrStatus status;
    const int world = workOnGroups(&work, CHECKED_GROUP, checkGroup, &status);
    return world < 0 ? pbdr_statusOk : tellFault(work.batch, world, error);
}

// Does the work; what failed, and why, names the first world of which it did.
static pbdrStatus doWork(Work work, pbdrTask* onGroup, const char* what, pbdrError* error)
{
    pbdrStatus status;
    const int world = workOnGroups(&work, work.batch->groupSize, onGroup, &status);
    return world < 0
               ? status
               : pbdrFail(error, status, "batch: world %d: %s: %s", world, what, pbdrStatusName(status));
}

// --- Steps ---

// Behind the last world nothing is fetched that is of use, and none is read.
static inline uint32_t stepAndFetchNext(const pbdrBatch* batch, int index, int substepCount)
{
    return batch->stepper != NULL
               ? batch->stepper(batch->stepperContext, batch->worlds[index], substepCount)
               : pbdrStepAndFetch(batch->worlds[index], substepCount,
                                  batch->roomMemory + (size_t)(index + 1) * batch->roomSize,
                                  batch->fetchedSize);
}

// As workOnGroup; values are handed out afterwards, for those of neighbours stand in the same lines of the cache.
static void stepGroup(void* data, int index, int worker)
{
    const Work* work = data;
    pbdrBatch* batch = work->batch;
    const int size = batch->groupSize, first = size * index, left = batch->arrays.worldCount - first,
              end = first + (left < size ? left : size);
    (void)worker;
    for (int world = first; world < end; world++) {
        const pbdrStatus status =
            batch->changed[world] != 0 ? pbdrWriteBatchWorld(batch, world) : pbdr_statusOk;
        if (status == pbdr_statusOk) {
            batch->arrays.flags[world] = stepAndFetchNext(batch, world, work->substepCount);
        } else {
            noteFault(work, world, status);
        }
    }
    pbdrReadBatchWorlds(batch, first, end);
}

pbdrStatus pbdrBatch_Step(pbdrBatch* batch, int substepCount, pbdrError* error)
{
    if (batch->device != NULL) {
        return pbdrStepDeviceBatch(batch, substepCount, error);
    }
    const Work work = {.batch = batch, .substepCount = substepCount};
    const pbdrStatus status = checkAll(work, error);
    return status == pbdr_statusOk ? doWork(work, stepGroup, "its values cannot be set", error) : status;
}

static pbdrStatus resetWorld(const Work* work, int index)
{
    pbdrBatch* batch = work->batch;
    const size_t first = (size_t)index * (size_t)batch->arrays.bodyCount;
    pbdrStatus status = pbdr_statusOk;
    for (int body = 0; status == pbdr_statusOk && body < batch->arrays.bodyCount; body++) {
        const size_t k = first + (size_t)body;
        if (batch->scaled[k] != 0) {
            status = pbdrBody_SetShape(batch->worlds[index], batch->bodies[k], batch->shapes[body], NULL);
            batch->scaled[k] = 0;
        }
    }
    if (status == pbdr_statusOk) {
        status = pbdrWorld_SetState(batch->worlds[index], batch->state, batch->stateSize, NULL);
    }
    pbdrReadBatchWorlds(batch, index, index + 1);
    pbdrReadBatchLoads(batch, index);
    return status;
}

pbdrStatus pbdrBatch_Reset(pbdrBatch* batch, const uint8_t* chosen, pbdrError* error)
{
    if (batch->device != NULL) {
        return pbdrResetDeviceBatch(batch, chosen, error);
    }
    const Work work = {.batch = batch, .on = resetWorld, .chosen = chosen};
    return doWork(work, workOnGroup, "it cannot be reset", error);
}

static pbdrStatus setTarget(const Work* work, int index)
{
    pbdrBatch* batch = work->batch;
    const size_t k = (size_t)index * (size_t)batch->arrays.bodyCount + (size_t)work->body;
    // what the caller has written counts before it: a pose that is set later would end the target
    pbdrStatus status = batch->changed[index] != 0 ? pbdrWriteBatchWorld(batch, index) : pbdr_statusOk;
    if (status == pbdr_statusOk) {
        status = pbdrBody_SetTarget(batch->worlds[index], batch->bodies[k], work->poses[index], work->time);
    }
    // zero with a target
    batch->arrays.forces[k] = batch->held.forces[k] =
        pbdrBody_GetForce(batch->worlds[index], batch->bodies[k]);
    batch->arrays.torques[k] = batch->held.torques[k] =
        pbdrBody_GetTorque(batch->worlds[index], batch->bodies[k]);
    pbdrReadBatchWorlds(batch, index, index + 1);
    return status;
}

pbdrStatus pbdrBatch_SetTargets(pbdrBatch* batch, const uint8_t* chosen, int body, const pbdrPose* poses,
                                double time, pbdrError* error)
{
    if (body < 0 || body >= batch->arrays.bodyCount) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "batch: there is no body %d of %d", body,
                        batch->arrays.bodyCount);
    }
    if (batch->device != NULL) {
        return pbdrFail(error, pbdr_statusNotSupported, "batch: no targets on a device; give bodies a force");
    }
    const Work work = {
        .batch = batch, .on = setTarget, .chosen = chosen, .body = body, .poses = poses, .time = time};
    const pbdrStatus status = checkAll(work, error);
    return status == pbdr_statusOk
               ? doWork(work, workOnGroup, "no such target, or the body is not kinematic", error)
               : status;
}

// --- Results ---

pbdrBatchArrays pbdrBatch_GetArrays(const pbdrBatch* batch)
{
    return batch->arrays;
}

pbdrStatus pbdrBatch_GetHashes(const pbdrBatch* batch, uint64_t* hashes, pbdrError* error)
{
    if (batch->device != NULL) {
        return batch->device->hash(batch->deviceWorlds, hashes, error);
    }
    for (int world = 0; world < batch->arrays.worldCount; world++) {
        hashes[world] = pbdrWorld_GetHash(batch->worlds[world]);
    }
    return pbdr_statusOk;
}

static pbdrStatus readContacts(const Work* work, int index)
{
    const pbdrBatch* batch = work->batch;
    const pbdrWorld* world = batch->worlds[index];
    const bool wanted = work->forces != NULL || work->moments != NULL;
    for (int body = 0; wanted && body < batch->arrays.bodyCount; body++) {
        const size_t k = (size_t)index * (size_t)batch->arrays.bodyCount + (size_t)body;
        const pbdrBodyId id = batch->bodies[k];
        const pbdrWrench wrench = pbdrBody_GetContactWrench(world, id, pbdrBody_GetPose(world, id).position);
        if (work->forces != NULL) {
            work->forces[k] = wrench.force;
        }
        if (work->moments != NULL) {
            work->moments[k] = wrench.torque;
        }
    }
    if (work->counts != NULL) {
        work->counts[index] = pbdrWorld_GetContacts(world, NULL, 0);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrBatch_GetContacts(pbdrBatch* batch, pbdrVec3* forces, pbdrVec3* moments, int32_t* counts,
                                 pbdrError* error)
{
    if (batch->device != NULL) {
        return pbdrGetDeviceContacts(batch, forces, moments, counts, error);
    }
    Work work = {.batch = batch, .on = readContacts, .forces = forces, .moments = moments, .counts = counts};
    pbdrStatus status;
    workOnGroups(&work, work.batch->groupSize, workOnGroup, &status);
    return pbdr_statusOk;
}

pbdrWorld* pbdrBatch_GetWorld(const pbdrBatch* batch, int index)
{
    return batch->device == NULL && index >= 0 && index < batch->arrays.worldCount ? batch->worlds[index]
                                                                                   : NULL;
}

// --- Creation ---

// Calls `with` for each of the arrays, the largest first, until one fails: what has to be taken has to be given back.
// Memory that is taken is written to, and a system may promise more than it has: where there is none for the worlds, the
// smaller arrays are not asked for.
static bool visitArrays(pbdrBatch* batch, bool (*with)(pbdrMemory*, void**, size_t, size_t))
{
    pbdrBatchArrays* a = &batch->arrays;
    const size_t worlds = (size_t)a->worldCount;
    const size_t bodies = worlds * (size_t)a->bodyCount, planes = worlds * (size_t)a->planeCount;
    typedef struct Array {
        void* pointer; // to the pointer
        size_t count, size;
    } Array;
    const Array common[] = {
        {&a->positions, bodies, sizeof *a->positions},
        {&a->rotations, bodies, sizeof *a->rotations},
        {&a->velocities, bodies, sizeof *a->velocities},
        {&a->angularVelocities, bodies, sizeof *a->angularVelocities},
        {&a->forces, bodies, sizeof *a->forces},
        {&a->torques, bodies, sizeof *a->torques},
        {&a->frictions, bodies, sizeof *a->frictions},
        {&a->masses, bodies, sizeof *a->masses},
        {&a->planeFrictions, planes, sizeof *a->planeFrictions},
        {&a->flags, worlds, sizeof *a->flags},
        {&batch->changed, worlds, sizeof *batch->changed},
    };
    pbdrBatchArrays* held = &batch->held;
    const Array own[] = {
        {&batch->roomMemory, worlds, batch->roomSize}, // by far the most
        {&batch->worlds, worlds, sizeof *batch->worlds},
        {&batch->rooms, worlds, sizeof *batch->rooms},
        {&batch->bodies, bodies, sizeof *batch->bodies},
        {&batch->planes, planes, sizeof *batch->planes},
        {&batch->shapes, (size_t)a->bodyCount, sizeof *batch->shapes},
        {&batch->kinds, (size_t)a->bodyCount, sizeof *batch->kinds},
        {&batch->scaled, bodies, sizeof *batch->scaled},
        {&batch->state, batch->stateSize, 1},
        {&held->positions, bodies, sizeof *held->positions},
        {&held->rotations, bodies, sizeof *held->rotations},
        {&held->velocities, bodies, sizeof *held->velocities},
        {&held->angularVelocities, bodies, sizeof *held->angularVelocities},
        {&held->forces, bodies, sizeof *held->forces},
        {&held->torques, bodies, sizeof *held->torques},
        {&held->frictions, bodies, sizeof *held->frictions},
        {&held->masses, bodies, sizeof *held->masses},
        {&held->planeFrictions, planes, sizeof *held->planeFrictions},
    };
    const Array devices[] = {
        {&batch->known, bodies * BODY_CENTRE_LEFT, sizeof *batch->known},
        {&batch->buffer, worlds * BODY_SLOTS, sizeof *batch->buffer},
    };
    const Array* more = batch->device != NULL ? devices : own;
    const size_t moreCount =
        batch->device != NULL ? sizeof devices / sizeof devices[0] : sizeof own / sizeof own[0];
    bool good = true;
    for (size_t k = 0; good && k < moreCount; k++) {
        good = with(&batch->memory, more[k].pointer, more[k].count, more[k].size);
    }
    for (size_t k = 0; good && k < sizeof common / sizeof common[0]; k++) {
        if (common[k].count > 0 || batch->device == NULL) {
            good = with(&batch->memory, common[k].pointer, common[k].count, common[k].size);
        }
    }
    return good;
}

static bool takeArray(pbdrMemory* memory, void** pointer, size_t count, size_t size)
{
    *pointer = pbdrTakeMemory(memory, count, size);
    return *pointer != NULL;
}

static bool giveArray(pbdrMemory* memory, void** pointer, size_t count, size_t size)
{
    pbdrGiveMemory(memory, *pointer, count, size);
    return true;
}

void pbdrDestroyBatch(pbdrBatch* batch)
{
    if (batch == NULL) {
        return;
    }
    for (int world = 0; batch->worlds != NULL && world < batch->arrays.worldCount; world++) {
        pbdrDestroyWorld(batch->worlds[world]);
    }
    for (int body = 0; batch->shapes != NULL && body < batch->arrays.bodyCount; body++) {
        pbdrReleaseShape(batch->shapes[body]);
    }
    pbdrFreeDeviceBatch(batch);
    pbdrFreeTasks(&batch->memory, batch->tasks);
    visitArrays(batch, giveArray);
    const pbdrHooks hooks = batch->memory.hooks;
    pbdrRelease(&hooks, batch, 1, sizeof *batch);
}

// Copies the world once; the copies are made of the first one, which shares nothing with the caller's.
static pbdrStatus fillBatch(pbdrBatch* batch, const pbdrWorld* world, pbdrError* error)
{
    const pbdrBatchArrays* a = &batch->arrays;
    pbdrStatus status = pbdrWorld_GetState(world, batch->state, batch->stateSize, error);
    for (int index = 0; status == pbdr_statusOk && index < a->worldCount; index++) {
        status =
            pbdrFillRoom(&batch->rooms[index], world, batch->roomMemory + (size_t)index * batch->roomSize,
                         batch->roomSize, &batch->worlds[index], error);
        if (status != pbdr_statusOk) {
            break;
        }
        pbdrWorld_GetBodies(batch->worlds[index], batch->bodies + (size_t)index * (size_t)a->bodyCount,
                            a->bodyCount);
        pbdrWorld_GetPlanes(batch->worlds[index], batch->planes + (size_t)index * (size_t)a->planeCount,
                            a->planeCount);
        pbdrReadBatchWorlds(batch, index, index + 1);
        pbdrReadBatchLoads(batch, index);
    }
    for (int body = 0; status == pbdr_statusOk && body < a->bodyCount; body++) {
        batch->kinds[body] = pbdrBody_GetKind(batch->worlds[0], batch->bodies[body]);
        batch->shapes[body] =
            pbdrRetainShape((pbdrShape*)pbdrBody_GetShape(batch->worlds[0], batch->bodies[body]));
    }
    return status;
}

pbdrStatus pbdrCreateBatch(const pbdrWorld* world, const pbdrBatchDef* callers, pbdrBatch** result,
                           pbdrError* error)
{
    pbdrBatchDef def = defaults;
    *result = NULL;
    pbdrStatus status = pbdrReadDef(callers, "pbdrDefaultBatchDef", &def, sizeof def, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (def.count < 1 || def.threads < 1 || def.threads > PBDR_MAX_THREADS) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "batch: %d worlds on %d threads", def.count,
                        def.threads);
    }
    if (def.device != NULL && def.stepper != NULL) {
        return pbdrFail(error, pbdr_statusNotSupported,
                        "batch: a device steps its worlds itself, without a stepper");
    }
    size_t roomSize = 0;
    status = pbdrMeasureRoom(world, &roomSize, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    const pbdrHooks hooks = pbdrWorld_GetHooks(world);
    pbdrBatch* batch = pbdrAllocate(&hooks, 1, sizeof *batch);
    if (batch == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "batch: out of memory");
    }
    batch->memory = (pbdrMemory){.hooks = hooks};
    batch->roomSize = roomSize;
    batch->stepper = def.stepper;
    batch->stepperContext = def.stepperContext;
    batch->device = def.device;
    batch->stateSize = pbdrWorld_GetStateSize(world);
    batch->arrays.worldCount = def.count;
    batch->arrays.bodyCount = pbdrWorld_GetBodies(world, NULL, 0);
    batch->arrays.planeCount = pbdrWorld_GetPlanes(world, NULL, 0);
    batch->held = batch->arrays;
    batch->fetchedSize = pbdrGetFetchedSize(batch);
    batch->groupSize = pbdrGetGroupSize(batch, def.threads);
    if (def.device != NULL) {
        status = pbdrOpenDeviceBatch(batch, world, def.threads, error);
        if (status != pbdr_statusOk) {
            pbdrDestroyBatch(batch);
            return status;
        }
    }
    const bool taken = visitArrays(batch, takeArray);
    batch->tasks = taken ? pbdrMakeTasks(&batch->memory, def.threads, &def.tasks) : NULL;
    status = batch->tasks != NULL
                 ? (def.device != NULL ? pbdrFillDeviceBatch(batch, error) : fillBatch(batch, world, error))
                 : pbdrFail(error, pbdr_statusNoMemory,
                            "batch: out of memory for %d worlds, or of threads (%d)", def.count, def.threads);
    if (status != pbdr_statusOk) {
        pbdrDestroyBatch(batch);
        return status;
    }
    *result = batch;
    return pbdr_statusOk;
}
