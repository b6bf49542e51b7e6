// What the pages call: worlds from recipes, by small numbers, and their state as arrays of doubles. The caller is our own
// TypeScript (web/src/engine.ts), which gives arrays of the right sizes; handles are checked all the same.
#include "exports.h"

#include <stdio.h>
#include <string.h>

pbdrError webError;
static pbdrRecipeWorld* worlds[WEB_MAX_WORLDS];

const char* webMessage(void)
{
    return webError.message;
}

const char* webVersion(void)
{
    return pbdrVersion();
}

pbdrRecipeWorld* webGet(int handle)
{
    return handle >= 0 && handle < WEB_MAX_WORLDS ? worlds[handle] : NULL;
}

// A world's number, or -1 with the reason in webMessage.
int webCreate(const double* numbers, int count)
{
    int handle = 0;
    while (handle < WEB_MAX_WORLDS && worlds[handle] != NULL) {
        handle++;
    }
    if (handle == WEB_MAX_WORLDS) {
        snprintf(webError.message, sizeof webError.message, "%d worlds are the most", WEB_MAX_WORLDS);
        return -1;
    }
    if (pbdrCreateRecipeWorld(numbers, (size_t)count, NULL, &worlds[handle], &webError) != pbdr_statusOk) {
        return -1;
    }
    pbdrWorld_SetLedger(worlds[handle]->world, true);
    return handle;
}

void webDestroy(int handle)
{
    if (webGet(handle) != NULL) {
        pbdrDestroyRecipeWorld(worlds[handle]);
        worlds[handle] = NULL;
    }
}

unsigned webStep(int handle, int substeps)
{
    return webGet(handle) != NULL ? pbdrRecipeWorld_Step(worlds[handle], substeps) : 0;
}

// The hash as 16 hexadecimal digits and a zero.
void webHash(int handle, char* text)
{
    const pbdrRecipeWorld* made = webGet(handle);
    snprintf(text, 17, "%016llx", made != NULL ? (unsigned long long)pbdrWorld_GetHash(made->world) : 0ull);
}

// Bodies, substeps taken, time step, contacts, bytes of the world.
void webCounts(int handle, double out[5])
{
    const pbdrRecipeWorld* made = webGet(handle);
    memset(out, 0, 5 * sizeof *out);
    if (made != NULL) {
        out[0] = made->bodyCount;
        out[1] = (double)pbdrWorld_GetSubstepCount(made->world);
        out[2] = pbdrWorld_GetTimeStep(made->world);
        out[3] = pbdrWorld_GetContacts(made->world, NULL, 0);
        out[4] = (double)pbdrWorld_GetByteCount(made->world);
    }
}

// 13 numbers per body: position of the centre of mass, rotation wxyz, velocity, angular velocity.
void webReadBodies(int handle, double* out)
{
    const pbdrRecipeWorld* made = webGet(handle);
    for (int i = 0; made != NULL && i < made->bodyCount; i++, out += 13) {
        const pbdrPose pose = pbdrBody_GetPose(made->world, made->bodies[i]);
        const pbdrVelocity v = pbdrBody_GetVelocity(made->world, made->bodies[i]);
        const double numbers[13] = {pose.position.x, pose.position.y, pose.position.z, pose.rotation.w,
                                    pose.rotation.x, pose.rotation.y, pose.rotation.z, v.linear.x,
                                    v.linear.y,      v.linear.z,      v.angular.x,     v.angular.y,
                                    v.angular.z};
        memcpy(out, numbers, sizeof numbers);
    }
}

static int findBody(const pbdrRecipeWorld* made, pbdrBodyId id)
{
    for (int i = 0; i < made->bodyCount; i++) {
        if (memcmp(&made->bodies[i], &id, sizeof id) == 0) {
            return i;
        }
    }
    return -1;
}

// 9 numbers per contact, at most `capacity` of them: body A, body B (-1: a plane), point, force on A, separation. Returns
// how many there are.
int webReadContacts(int handle, pbdrContact* scratch, double* out, int capacity)
{
    const pbdrRecipeWorld* made = webGet(handle);
    int count = made != NULL ? pbdrWorld_GetContacts(made->world, scratch, capacity) : 0;
    for (int k = 0; k < count && k < capacity; k++, out += 9) {
        const pbdrContact* c = &scratch[k];
        const double numbers[9] = {findBody(made, c->bodyA),
                                   c->plane.index1 != 0 ? -1 : findBody(made, c->bodyB),
                                   c->point.x,
                                   c->point.y,
                                   c->point.z,
                                   c->force.x,
                                   c->force.y,
                                   c->force.z,
                                   c->separation};
        memcpy(out, numbers, sizeof numbers);
    }
    return count;
}

// A row of the ledger (pbdr/ledger.h); the next one begins.
void webReadLedger(int handle, double out[PBDR_LEDGER_COLUMNS])
{
    const pbdrRecipeWorld* made = webGet(handle);
    pbdrLedger row = {0};
    if (made != NULL) {
        pbdrWorld_TakeLedger(made->world, &row);
    }
    for (int k = 0; k < PBDR_LEDGER_COLUMNS; k++) {
        out[k] = pbdrLedger_GetValue(&row, k);
    }
}

// --- States, to go back to ---

int webStateSize(int handle)
{
    return webGet(handle) != NULL ? (int)pbdrWorld_GetStateSize(worlds[handle]->world) : 0;
}

int webGetState(int handle, void* buffer, int size)
{
    const pbdrRecipeWorld* made = webGet(handle);
    return made != NULL && pbdrWorld_GetState(made->world, buffer, (size_t)size, &webError) == pbdr_statusOk;
}

int webSetState(int handle, const void* buffer, int size)
{
    pbdrRecipeWorld* made = webGet(handle);
    return made != NULL && pbdrWorld_SetState(made->world, buffer, (size_t)size, &webError) == pbdr_statusOk;
}

// --- What the visitor changes ---

static bool hasBody(const pbdrRecipeWorld* made, int body)
{
    return made != NULL && body >= 0 && body < made->bodyCount;
}

void webSetForce(int handle, int body, double fx, double fy, double fz, double tx, double ty, double tz)
{
    pbdrRecipeWorld* made = webGet(handle);
    if (hasBody(made, body)) {
        pbdrBody_SetForce(made->world, made->bodies[body], (pbdrVec3){fx, fy, fz});
        pbdrBody_SetTorque(made->world, made->bodies[body], (pbdrVec3){tx, ty, tz});
    }
}

// What acts on a body by the recipe: force, torque.
void webReadForce(int handle, int body, double out[6])
{
    const pbdrRecipeWorld* made = webGet(handle);
    memset(out, 0, 6 * sizeof *out);
    if (hasBody(made, body)) {
        const pbdrVec3 force = pbdrBody_GetForce(made->world, made->bodies[body]);
        const pbdrVec3 torque = pbdrBody_GetTorque(made->world, made->bodies[body]);
        const double numbers[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
        memcpy(out, numbers, sizeof numbers);
    }
}

// Where a body's centre of mass is in its frame.
void webReadCentre(int handle, int body, double out[3])
{
    const pbdrRecipeWorld* made = webGet(handle);
    const pbdrVec3 at =
        hasBody(made, body) ? pbdrBody_GetRestCentre(made->world, made->bodies[body]) : (pbdrVec3){0};
    memcpy(out, (const double[3]){at.x, at.y, at.z}, 3 * sizeof *out);
}

// Of all bodies and planes, and so of all pairs.
void webSetFriction(int handle, double friction)
{
    pbdrRecipeWorld* made = webGet(handle);
    for (int i = 0; made != NULL && i < made->bodyCount; i++) {
        pbdrBody_SetFriction(made->world, made->bodies[i], friction);
    }
    for (int i = 0; made != NULL && i < made->planeCount; i++) {
        pbdrPlane_SetFriction(made->world, made->planes[i], friction);
    }
}

// The spheres of a body's shape, about its centre of mass: 4 numbers each, position and radius. Returns how many; out
// NULL: counts only.
int webReadSpheres(int handle, int body, double* out)
{
    const pbdrRecipeWorld* made = webGet(handle);
    if (!hasBody(made, body)) {
        return 0;
    }
    const pbdrShape* shape = pbdrBody_GetShape(made->world, made->bodies[body]);
    const int count = pbdrShape_GetSphereCount(shape);
    for (int i = 0; out != NULL && i < count; i++) {
        const pbdrVec3 at = pbdrShape_GetOffsets(shape)[i];
        const double numbers[4] = {at.x, at.y, at.z, pbdrShape_GetRadii(shape)[i]};
        memcpy(out + 4 * i, numbers, sizeof numbers);
    }
    return count;
}

// --- Joints ---

static int findJoint(const pbdrJointId* ids, int count, pbdrJointId id)
{
    for (int k = 0; k < count; k++) {
        if (memcmp(&ids[k], &id, sizeof id) == 0) {
            return k;
        }
    }
    return -1;
}

// 12 numbers per joint: kind, body A, body B (-1: the world), anchor in A, axis in A, anchor in B, each about the body's
// centre of mass; of a gear: kind and its two joints. Returns how many; out NULL: counts only. ids: room for all of them.
int webReadJoints(int handle, pbdrJointId* ids, double* out)
{
    const pbdrRecipeWorld* made = webGet(handle);
    const int count = made == NULL ? 0 : pbdrWorld_GetJoints(made->world, NULL, 0);
    if (out == NULL || count == 0) {
        return count;
    }
    pbdrWorld_GetJoints(made->world, ids, count);
    for (int k = 0; k < count; k++, out += 12) {
        const pbdrJointDef def = pbdrJoint_GetDef(made->world, ids[k]);
        const bool gear = def.kind == pbdr_jointGear;
        const pbdrVec3 a = def.frameA.anchor, axis = def.frameA.axis, b = def.frameB.anchor;
        const double numbers[12] = {def.kind,
                                    gear ? findJoint(ids, count, def.jointA) : findBody(made, def.bodyA),
                                    gear ? findJoint(ids, count, def.jointB) : findBody(made, def.bodyB),
                                    a.x,
                                    a.y,
                                    a.z,
                                    axis.x,
                                    axis.y,
                                    axis.z,
                                    b.x,
                                    b.y,
                                    b.z};
        memcpy(out, numbers, sizeof numbers);
    }
    return count;
}

// 4 numbers per joint: position, velocity, force along its axis, gap.
void webReadAxes(int handle, pbdrJointId* ids, double* out)
{
    const pbdrRecipeWorld* made = webGet(handle);
    const int count = made == NULL ? 0 : pbdrWorld_GetJoints(made->world, NULL, 0);
    if (count > 0) {
        pbdrWorld_GetJoints(made->world, ids, count);
    }
    for (int k = 0; k < count; k++, out += 4) {
        out[0] = pbdrJoint_GetPosition(made->world, ids[k]);
        out[1] = pbdrJoint_GetVelocity(made->world, ids[k]);
        out[2] = pbdrJoint_GetAxisForce(made->world, ids[k]);
        out[3] = pbdrJoint_GetGap(made->world, ids[k]);
    }
}
