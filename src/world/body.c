// Bodies: creation and destruction, pose, velocity, momentum, applied force.
#include "math/polar.h"
#include "math/sym3.h"
#include "pbdr/geometry.h"
#include "solver/stages.h"
#include "world/definition.h"

#include <limits.h>
#include <string.h>

// --- Look-up ---

bool pbdrBody_IsValid(const pbdrWorld* world, pbdrBodyId id)
{
    if (id.index1 < 1 || id.index1 > world->bodies.count) {
        return false;
    }
    const pbdrBody* body = pbdrGetBody(world, id.index1 - 1);
    return body->alive && body->generation == id.generation;
}

pbdrBody* pbdrFindBody(const pbdrWorld* world, pbdrBodyId id)
{
    return PBDR_ASSERT(&world->hooks, pbdrBody_IsValid(world, id)) ? pbdrGetBody(world, id.index1 - 1) : NULL;
}

pbdrBodyId pbdrGetBodyId(const pbdrWorld* world, int index)
{
    return (pbdrBodyId){index + 1, pbdrGetBody(world, index)->generation};
}

// --- Creation ---

// Constants of the body that follow from its spheres; writes its particles' rest offsets, masses and radii.
static void fillParticles(pbdrWorld* world, pbdrBody* body, const pbdrBodyDef* def)
{
    const pbdrParticles* p = &world->particles;
    int first = body->firstBlock * PBDR_BLOCK;
    double smallestRadius = HUGE_VAL;
    for (int i = 0; i < body->blockCount * PBDR_BLOCK; i++) {
        bool padding = i >= def->particleCount;
        pbdrVec3 q = padding ? pbdrVec(0.0, 0.0, 0.0) : pbdrSub(def->positions[i], body->restCentre);
        double mass = padding ? 0.0 : pbdrRoundReal(world, def->masses[i]);
        pbdrWriteVec(world, p->rest, first + i, q);
        pbdrWriteReal(world, p->mass, first + i, mass);
        pbdrWriteReal(world, p->radius, first + i, padding ? -HUGE_VAL : def->radii[i]);
        if (padding) {
            continue;
        }
        body->weight += mass;
        body->reach = fmax(body->reach, pbdrLength(q));
        smallestRadius = fmin(smallestRadius, def->radii[i]);
        body->largestRadius = fmax(body->largestRadius, def->radii[i]);
    }
    body->margin = PBDR_PAIR_MARGIN * smallestRadius;
}

// A dead body's place, or a new one; -1 without memory.
static int findFreeIndex(pbdrWorld* world)
{
    int index = world->bodyCount == world->bodies.count ? world->bodies.count : 0;
    while (index < world->bodies.count && pbdrGetBody(world, index)->alive) {
        index++;
    }
    return index < world->bodies.count || pbdrListPush(world, &world->bodies) != NULL ? index : -1;
}

static bool reserveFor(pbdrWorld* world, int blockCount)
{
    pbdrParticles* p = &world->particles;
    int needed = p->blockCount + blockCount;
    int larger = p->blockCapacity + p->blockCapacity / 2; // a first body gets exactly what it needs
    return pbdrReserveBlocks(world, needed > p->blockCapacity && larger > needed ? larger : needed) &&
           pbdrReservePlaneSlots(world);
}

static bool isNonzero(const pbdrMat3* a)
{
    bool found = false;
    for (int k = 0; k < 9; k++) {
        found = found || a->m[k / 3][k % 3] != 0.0;
    }
    return found;
}

// Symmetric, and no principal moment below zero by more than rounding.
static bool isPossibleInertia(const pbdrMat3* a)
{
    double size = 0.0, skew = 0.0;
    for (int k = 0; k < 9; k++) {
        size += fabs(a->m[k / 3][k % 3]);
        skew += fabs(a->m[k / 3][k % 3] - a->m[k % 3][k / 3]);
    }
    if (!isfinite(size) || skew > 1.0e-9 * size) {
        return false;
    }
    double values[3];
    pbdrMat3 axes;
    pbdrSymEigen(a, values, &axes);
    return values[0] >= -1.0e-9 * values[2];
}

// Face normals, of unit length. Only XPBD-R looks at them. False without memory.
static bool copyFaces(pbdrWorld* world, pbdrBody* body, const pbdrBodyDef* def)
{
    if (def->faceFirsts == NULL || world->solver != pbdr_solverXpbdR) {
        return true;
    }
    int count = def->faceFirsts[def->particleCount];
    body->faceFirsts = pbdrWorldAllocate(world, (size_t)def->particleCount + 1, sizeof *body->faceFirsts);
    body->faceNormals = pbdrWorldAllocate(world, (size_t)count + 1, sizeof *body->faceNormals);
    if (body->faceFirsts == NULL || body->faceNormals == NULL) {
        pbdrWorldRelease(world, body->faceFirsts, (size_t)def->particleCount + 1, sizeof *body->faceFirsts);
        pbdrWorldRelease(world, body->faceNormals, (size_t)count + 1, sizeof *body->faceNormals);
        body->faceFirsts = NULL;
        body->faceNormals = NULL;
        return false;
    }
    for (int i = 0; i <= def->particleCount; i++) {
        body->faceFirsts[i] = def->faceFirsts[i];
    }
    for (int k = 0; k < count; k++) {
        pbdrVec3 n = def->faceNormals[k];
        body->faceNormals[k] = pbdrScale(1.0 / pbdrLength(n), n);
    }
    return true;
}

pbdrStatus pbdrCreateBody(pbdrWorld* world, const pbdrBodyDef* def, pbdrBodyId* id, pbdrError* error)
{
    if (id != NULL) {
        *id = (pbdrBodyId){0, 0};
    }
    pbdrStatus status = pbdrCheckBodyDef(def, world->precision, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    const pbdrSphereSet spheres = {.count = def->particleCount,
                                   .positions = (pbdrVec3*)def->positions, // only read
                                   .radii = (double*)def->radii,
                                   .masses = (double*)def->masses};
    const pbdrMassProperties properties = pbdrSphereSet_GetMassProperties(&spheres);
    if (!isfinite(properties.mass) || !pbdrIsFiniteVec(properties.centre)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "body: total mass %g kg or centre is not finite",
                        properties.mass);
    }
    const pbdrMat3 inertia = pbdrAddScaledMM(&properties.inertia, 1.0, &def->extraInertia);
    if (!isPossibleInertia(&inertia)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "extraInertia: with that of the particles it makes no inertia of a body");
    }
    pbdrParticles* p = &world->particles;
    int blockCount = (def->particleCount + PBDR_BLOCK - 1) / PBDR_BLOCK;
    if (p->blockCount > INT_MAX / PBDR_BLOCK / 2 - blockCount) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "body: more particles than a world can hold");
    }
    pbdrClearContacts(world); // while the slots still have the old row length
    int index = findFreeIndex(world);
    if (index < 0 || !reserveFor(world, blockCount)) {
        return pbdrFail(error, pbdr_statusNoMemory, "body: out of memory for %d particles",
                        def->particleCount);
    }

    pbdrBody* body = pbdrGetBody(world, index);
    *body = (pbdrBody){
        .alive = true,
        .kind = def->kind,
        .generation = body->generation + 1,
        .particleCount = def->particleCount,
        .firstBlock = p->blockCount,
        .blockCount = blockCount,
        .mass = properties.mass,
        .friction = def->friction,
        .restitution = def->restitution,
        .restCentre = properties.centre,
        .restInertia = inertia,
        .extraInertia = def->extraInertia,
        .hasExtraInertia = isNonzero(&def->extraInertia),
        .rotation = pbdrNormalizeQ(def->rotation),
    };
    world->bodyCount++;
    p->blockCount += blockCount;
    for (int block = body->firstBlock; block < p->blockCount; block++) {
        ((pbdrBlock*)p->blocks)[block] = (pbdrBlock){index, false};
    }
    fillParticles(world, body, def);
    if (!pbdrHasParticles(world) && (!pbdrBuildTree(world, body) || !copyFaces(world, body, def))) {
        pbdrFreeTree(world, body);
        p->blockCount -= blockCount;
        world->bodyCount--;
        body->alive = false;
        return pbdrFail(error, pbdr_statusNoMemory, "body: out of memory for %d particles",
                        def->particleCount);
    }
    pbdrPlaceParticles(world, body, def->position, def->velocity);
    if (id != NULL) {
        *id = pbdrGetBodyId(world, index);
    }
    return pbdr_statusOk;
}

void pbdrDestroyBody(pbdrWorld* world, pbdrBodyId id)
{
    pbdrBody* body = pbdrFindBody(world, id);
    if (body == NULL) {
        return;
    }
    pbdrClearContacts(world);
    pbdrFreeTree(world, body);
    // Close the gap: later particles move down.
    pbdrParticles* p = &world->particles;
    size_t first = (size_t)body->firstBlock, gap = (size_t)body->blockCount;
    size_t rest = (size_t)p->blockCount - first - gap;
    pbdrArray arrays[PBDR_MAX_ARRAYS];
    int count = pbdrListArrays(world, arrays);
    for (int k = 0; k < count; k++) {
        char* items = *arrays[k].items;
        size_t size = arrays[k].blockSize;
        memmove(items + first * size, items + (first + gap) * size, rest * size);
        memset(items + (first + rest) * size, 0, gap * size);
    }
    p->blockCount -= body->blockCount;
    for (int index = 0; index < world->bodies.count; index++) {
        pbdrBody* other = pbdrGetBody(world, index);
        if (other->alive && other->firstBlock > body->firstBlock) {
            other->firstBlock -= body->blockCount;
        }
    }
    body->alive = false;
    world->bodyCount--;
}

// --- Pose and velocity ---

// The rigid motion that fits a body's particles now. A state that is not finite keeps the last rotation.
static pbdrPose getPose(const pbdrWorld* world, const pbdrBody* body)
{
    pbdrPose pose = {body->centre0, body->rotation};
    if (!pbdrIsKeptRigid(world, body)) {
        pbdrMoments fit;
        world->stages->measureSpread(world, body, &fit);
        pose.position = fit.centre;
        pbdrPolarRotation(&fit.spread, body->rotation, pbdrGetInertiaCutoff(world), &pose.rotation);
    }
    return pose;
}

static pbdrVelocity getVelocity(const pbdrWorld* world, const pbdrBody* body)
{
    pbdrVelocity velocity = {body->drift0, body->angular};
    if (!pbdrIsKeptRigid(world, body)) {
        pbdrMoments fit;
        world->stages->measureInertia(world, body, &fit);
        velocity.linear = pbdrAddScaled(body->drift0, 1.0 / body->weight, fit.relativeMomentum);
        velocity.angular = pbdrSymSolve(&fit.inertia, fit.spin, pbdrGetInertiaCutoff(world));
    }
    return velocity;
}

static pbdrMomentum getMomentum(const pbdrWorld* world, const pbdrBody* body)
{
    if (!pbdrIsKeptRigid(world, body)) {
        pbdrMoments fit;
        world->stages->measureInertia(world, body, &fit);
        return (pbdrMomentum){pbdrAddScaled(fit.relativeMomentum, body->weight, body->drift0),
                              pbdrAdd(fit.spin, body->extraSpin)};
    }
    pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
    pbdrMat3 inertia = pbdrTurnTensor(&turn, &body->restInertia);
    return (pbdrMomentum){pbdrScale(body->mass, body->drift0), pbdrMulMV(&inertia, body->angular)};
}

pbdrPose pbdrBody_GetPose(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    return body != NULL ? getPose(world, body) : (pbdrPose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
}

pbdrVelocity pbdrBody_GetVelocity(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    return body != NULL ? getVelocity(world, body) : (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

pbdrMomentum pbdrBody_GetMomentum(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    return body != NULL ? getMomentum(world, body) : (pbdrMomentum){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

pbdrStatus pbdrBody_SetPose(pbdrWorld* world, pbdrBodyId id, pbdrPose pose)
{
    pbdrBody* body = pbdrFindBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckRotation(pose.rotation, "rotation", NULL);
    if (!pbdrFitsPrecision(pose.position, world->precision)) {
        status = pbdr_statusInvalidArgument;
    }
    if (status == pbdr_statusOk) {
        pbdrVelocity velocity = getVelocity(world, body);
        if (!pbdrIsFiniteVec(velocity.linear) || !pbdrIsFiniteVec(velocity.angular)) {
            velocity =
                (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}; // a diverged body is brought back at rest
        }
        pbdrClearContacts(world);
        body->rotation = pbdrNormalizeQ(pose.rotation);
        pbdrPlaceParticles(world, body, pose.position, velocity);
    }
    return status;
}

pbdrStatus pbdrBody_SetVelocity(pbdrWorld* world, pbdrBodyId id, pbdrVelocity velocity)
{
    pbdrBody* body = pbdrFindBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrPose pose = getPose(world, body);
    bool good = body->kind != pbdr_bodyStatic && pbdrFitsPrecision(velocity.linear, world->precision) &&
                pbdrFitsPrecision(velocity.angular, world->precision) && pbdrIsFiniteVec(pose.position);
    if (!good) {
        return pbdr_statusInvalidArgument;
    }
    body->rotation = pose.rotation;
    pbdrPlaceParticles(world, body, pose.position, velocity);
    return pbdr_statusOk;
}

// --- Applied force ---

pbdrStatus pbdrBody_SetForce(pbdrWorld* world, pbdrBodyId id, pbdrVec3 force)
{
    pbdrBody* body = pbdrFindBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckVec(force, "force", NULL);
    body->force = status == pbdr_statusOk ? force : body->force;
    return status;
}

pbdrVec3 pbdrBody_GetForce(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    return body != NULL ? body->force : pbdrVec(0.0, 0.0, 0.0);
}

pbdrStatus pbdrBody_SetTorque(pbdrWorld* world, pbdrBodyId id, pbdrVec3 torque)
{
    pbdrBody* body = pbdrFindBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckVec(torque, "torque", NULL);
    body->torque = status == pbdr_statusOk ? torque : body->torque;
    return status;
}

pbdrVec3 pbdrBody_GetTorque(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    return body != NULL ? body->torque : pbdrVec(0.0, 0.0, 0.0);
}

// --- Friction, constants and particles ---

pbdrStatus pbdrBody_SetFriction(pbdrWorld* world, pbdrBodyId id, double friction)
{
    pbdrBody* body = pbdrFindBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckFriction(friction, NULL);
    body->friction = status == pbdr_statusOk ? friction : body->friction;
    return status;
}

double pbdrBody_GetFriction(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    return body != NULL ? body->friction : 0.0;
}

pbdrBodyKind pbdrBody_GetKind(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    return body != NULL ? body->kind : pbdr_bodyStatic;
}

int pbdrWorld_GetBodies(const pbdrWorld* world, pbdrBodyId* buffer, int capacity)
{
    int count = 0;
    for (int index = 0; index < world->bodies.count; index++) {
        if (pbdrGetBody(world, index)->alive && count++ < capacity) {
            buffer[count - 1] = pbdrGetBodyId(world, index);
        }
    }
    return count;
}

double pbdrBody_GetMass(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    return body != NULL ? body->mass : 0.0;
}

pbdrMat3 pbdrBody_GetRestInertia(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    return body != NULL ? body->restInertia : (pbdrMat3){{{0.0}}};
}

pbdrVec3 pbdrBody_GetRestCentre(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    return body != NULL ? body->restCentre : pbdrVec(0.0, 0.0, 0.0);
}

static pbdrArrayView viewArray(const pbdrWorld* world, const void* array, int first)
{
    if (array == NULL) {
        return (pbdrArrayView){NULL, NULL};
    }
    if (world->precision == pbdr_precisionF32) {
        return (pbdrArrayView){(const float*)array + first, NULL};
    }
    return (pbdrArrayView){NULL, (const double*)array + first};
}

pbdrParticleView pbdrBody_GetParticles(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    if (body == NULL) {
        return (pbdrParticleView){.count = 0};
    }
    const pbdrParticles* p = &world->particles;
    int first = body->firstBlock * PBDR_BLOCK;
    return (pbdrParticleView){
        .count = body->particleCount,
        .x = viewArray(world, p->position[0], first),
        .y = viewArray(world, p->position[1], first),
        .z = viewArray(world, p->position[2], first),
        .vx = viewArray(world, p->velocity[0], first),
        .vy = viewArray(world, p->velocity[1], first),
        .vz = viewArray(world, p->velocity[2], first),
        .restX = viewArray(world, p->rest[0], first),
        .restY = viewArray(world, p->rest[1], first),
        .restZ = viewArray(world, p->rest[2], first),
        .radius = viewArray(world, p->radius, first),
        .mass = viewArray(world, p->mass, first),
    };
}

int pbdrBody_GetPositions(const pbdrWorld* world, pbdrBodyId id, pbdrVec3* buffer, int capacity)
{
    const pbdrBody* body = pbdrFindBody(world, id);
    if (body == NULL) {
        return 0;
    }
    const pbdrParticles* p = &world->particles;
    int first = body->firstBlock * PBDR_BLOCK;
    for (int i = 0; i < body->particleCount; i++) {
        if (pbdrHasParticles(world) && i < capacity) {
            buffer[i] = pbdrReadVec(world, p->position, first + i);
        } else if (!pbdrHasParticles(world) && body->tree.indices[i] < capacity) {
            buffer[body->tree.indices[i]] =
                pbdrAdd(body->centre0, pbdrMulMV(&body->stretch, body->tree.spheres[i].centre));
        }
    }
    return body->particleCount;
}
