// Values between a batch's arrays and its worlds: what the caller has changed is set, bit by bit, so that nothing is lost
// for what he has left alone. A second set of arrays, `held`, has what was handed out: comparing the two needs no world.
#include "batch/internal.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// --- What the caller has changed ---

// An array that he may write into: doubles of each body, or of each plane.
typedef struct Column {
    size_t field; // of pbdrBatchArrays
    size_t width; // [bytes]
    bool ofPlanes;
} Column;

#define OF_BODIES(name)                                                                                      \
    {                                                                                                        \
        offsetof(pbdrBatchArrays, name), sizeof *((pbdrBatchArrays*)0)->name, false                          \
    }
static const Column columns[] = {
    OF_BODIES(positions),
    OF_BODIES(rotations),
    OF_BODIES(velocities),
    OF_BODIES(angularVelocities),
    OF_BODIES(forces),
    OF_BODIES(torques),
    OF_BODIES(frictions),
    OF_BODIES(masses),
    {offsetof(pbdrBatchArrays, planeFrictions), sizeof(double), true},
};

static const char* getColumn(const pbdrBatchArrays* arrays, const Column* column)
{
    const char* values;
    memcpy(&values, (const char*)arrays + column->field, sizeof values);
    return values;
}

bool pbdrHasBatchChanged(const pbdrBatch* batch, int first, int count)
{
    const pbdrBatchArrays* a = &batch->arrays;
    bool same = true;
    for (size_t k = 0; same && k < sizeof columns / sizeof columns[0]; k++) {
        const size_t bytes = columns[k].width * (size_t)(columns[k].ofPlanes ? a->planeCount : a->bodyCount);
        const size_t begin = (size_t)first * bytes;
        same = memcmp(getColumn(a, &columns[k]) + begin, getColumn(&batch->held, &columns[k]) + begin,
                      (size_t)count * bytes) == 0;
    }
    return !same;
}

// --- Between arrays and worlds ---

void pbdrReadBatchWorlds(pbdrBatch* batch, int first, int end)
{
    const pbdrBatchArrays *a = &batch->arrays, *held = &batch->held;
    size_t k = (size_t)first * (size_t)a->bodyCount;
    for (int index = first; index < end; index++) {
        for (int body = 0; body < a->bodyCount; body++, k++) {
            pbdrPose pose;
            pbdrVelocity velocity;
            pbdrLookAtMotion(batch->worlds[index], batch->bodies[body].index1 - 1, &pose,
                             &velocity); // one index in all
            a->positions[k] = pose.position;
            a->rotations[k] = pose.rotation;
            a->velocities[k] = velocity.linear;
            a->angularVelocities[k] = velocity.angular;
            held->positions[k] = pose.position;
            held->rotations[k] = pose.rotation;
            held->velocities[k] = velocity.linear;
            held->angularVelocities[k] = velocity.angular;
        }
    }
}

// What a reset and the beginning fill besides; what was set is held from then on, and only that.
static void readLoads(pbdrBatch* batch, int index, const pbdrBatchArrays* a)
{
    const pbdrWorld* world = batch->worlds[index];
    const size_t first = (size_t)index * (size_t)a->bodyCount, plane = (size_t)index * (size_t)a->planeCount;
    for (size_t k = first; k < first + (size_t)a->bodyCount; k++) {
        pbdrHeldBody has;
        pbdrLookAtBody(world, batch->bodies[k], &has);
        a->forces[k] = has.force;
        a->torques[k] = has.torque;
        a->frictions[k] = has.friction;
        a->masses[k] = has.mass;
    }
    for (size_t k = plane; k < plane + (size_t)a->planeCount; k++) {
        a->planeFrictions[k] = pbdrPlane_GetFriction(world, batch->planes[k]);
    }
}

void pbdrReadBatchLoads(pbdrBatch* batch, int index)
{
    readLoads(batch, index, &batch->arrays);
    readLoads(batch, index, &batch->held);
    batch->arrays.flags[index] = 0;
}

static bool isSame(const void* a, const void* b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static pbdrStatus setMass(pbdrBatch* batch, pbdrWorld* world, size_t k)
{
    pbdrShape* first = batch->shapes[k % (size_t)batch->arrays.bodyCount];
    pbdrShape* shape = NULL;
    const bool scales = batch->arrays.masses[k] != pbdrShape_GetMass(first);
    pbdrStatus status = pbdr_statusOk;
    if (scales) {
        status = pbdrCreateScaledShape(first, batch->arrays.masses[k], &shape, NULL);
    } else {
        shape = pbdrRetainShape(first);
    }
    if (status == pbdr_statusOk) {
        status = pbdrBody_SetShape(world, batch->bodies[k], shape, NULL);
        batch->scaled[k] = scales ? 1 : batch->scaled[k];
    }
    pbdrReleaseShape(shape);
    return status;
}

static pbdrStatus writeBody(pbdrBatch* batch, pbdrWorld* world, size_t k)
{
    const pbdrBatchArrays* a = &batch->arrays;
    const pbdrBodyId id = batch->bodies[k];
    const pbdrPose pose = {a->positions[k], a->rotations[k]};
    const pbdrVelocity velocity = {a->velocities[k], a->angularVelocities[k]};
    pbdrHeldBody has;
    pbdrStatus status = pbdr_statusOk;
    pbdrLookAtBody(world, id, &has);
    if (a->masses[k] != has.mass) {
        status = setMass(batch, world, k);
        pbdrLookAtBody(world, id, &has); // another shape's rounding
    }
    if (status == pbdr_statusOk && a->frictions[k] != has.friction) {
        status = pbdrBody_SetFriction(world, id, a->frictions[k]);
    }
    if (status == pbdr_statusOk && !isSame(&has.pose, &pose, sizeof pose)) {
        status = pbdrBody_SetPose(world, id, pose);
        pbdrLookAtBody(world, id, &has); // a static body rests where it is placed
    }
    if (status == pbdr_statusOk && !isSame(&has.velocity, &velocity, sizeof velocity)) {
        status = pbdrBody_SetVelocity(world, id, velocity);
    }
    if (status == pbdr_statusOk && !isSame(&has.force, &a->forces[k], sizeof has.force)) {
        status = pbdrBody_SetForce(world, id, a->forces[k]);
    }
    if (status == pbdr_statusOk && !isSame(&has.torque, &a->torques[k], sizeof has.torque)) {
        status = pbdrBody_SetTorque(world, id, a->torques[k]);
    }
    return status;
}

pbdrStatus pbdrWriteBatchWorld(pbdrBatch* batch, int index)
{
    const pbdrBatchArrays* a = &batch->arrays;
    pbdrWorld* world = batch->worlds[index];
    const size_t first = (size_t)index * (size_t)a->bodyCount, plane = (size_t)index * (size_t)a->planeCount;
    pbdrStatus status = pbdr_statusOk;
    for (size_t k = first; status == pbdr_statusOk && k < first + (size_t)a->bodyCount; k++) {
        status = writeBody(batch, world, k);
    }
    for (size_t k = plane; status == pbdr_statusOk && k < plane + (size_t)a->planeCount; k++) {
        if (a->planeFrictions[k] != pbdrPlane_GetFriction(world, batch->planes[k])) {
            status = pbdrPlane_SetFriction(world, batch->planes[k], a->planeFrictions[k]);
        }
    }
    readLoads(batch, index, &batch->held); // what could not be set still differs, and is tried again
    return status;
}

// --- Checks: nothing moves before all values are such as bodies can have ---

static bool isFinite(pbdrVec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

bool pbdrIsBatchFriction(double friction)
{
    return friction >= 0.0 && friction <= PBDR_MAX_FRICTION;
}

// The same by the arrays alone, which is enough for sound values: the world is not touched, and stays out of the cache until
// its step.
static bool areSound(const pbdrBatch* batch, size_t k)
{
    const pbdrBatchArrays* a = &batch->arrays;
    const pbdrQuat q = a->rotations[k];
    const pbdrVec3 v = a->velocities[k], w = a->angularVelocities[k];
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    const double speed = fabs(v.x) + fabs(v.y) + fabs(v.z) + fabs(w.x) + fabs(w.y) + fabs(w.z);
    const bool still = batch->kinds[k % (size_t)a->bodyCount] == pbdr_bodyStatic;
    return isFinite(a->positions[k]) && fabs(square - 1.0) <= PBDR_UNIT_TOLERANCE && isfinite(speed) &&
           (!still || speed == 0.0) && isFinite(a->forces[k]) && isFinite(a->torques[k]) &&
           pbdrIsBatchFriction(a->frictions[k]) && a->masses[k] > 0.0 && isfinite(a->masses[k]);
}

// What no body can have among the values of one; NULL for nothing. A body that has diverged keeps what it has.
const char* pbdrFindBatchFault(const pbdrBatch* batch, const pbdrWorld* world, size_t k)
{
    if (areSound(batch, k)) {
        return NULL;
    }
    const pbdrBatchArrays* a = &batch->arrays;
    const pbdrQuat q = a->rotations[k];
    const double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    const pbdrVec3 v = a->velocities[k], w = a->angularVelocities[k];
    const pbdrPose has = pbdrBody_GetPose(world, batch->bodies[k]), pose = {a->positions[k], q};
    const pbdrVelocity moves = pbdrBody_GetVelocity(world, batch->bodies[k]), velocity = {v, w};
    const bool placed = !isSame(&has, &pose, sizeof pose),
               pushed = !isSame(&moves, &velocity, sizeof velocity);
    const bool still = v.x == 0.0 && v.y == 0.0 && v.z == 0.0 && w.x == 0.0 && w.y == 0.0 && w.z == 0.0;
    return placed && !isFinite(a->positions[k])                     ? "position: it is not finite"
           : placed && !(fabs(length - 1.0) <= PBDR_UNIT_TOLERANCE) ? "quat: it is not of unit length"
           : pushed && !isFinite(v)                                 ? "velocity: it is not finite"
           : pushed && !isFinite(w)                                 ? "omega: it is not finite"
           : pushed && !still && pbdrBody_GetKind(world, batch->bodies[k]) == pbdr_bodyStatic
               ? "velocity: the body is static"
           : !isFinite(a->forces[k])                         ? "force: it is not finite"
           : !isFinite(a->torques[k])                        ? "torque: it is not finite"
           : !pbdrIsBatchFriction(a->frictions[k])           ? "friction: it is not between 0 and 1000"
           : !(a->masses[k] > 0.0 && isfinite(a->masses[k])) ? "mass: it is not above zero"
                                                             : NULL;
}
