// The particle arrays: memory, single values, placing a rigid body.
#include "math/sym3.h"
#include "world/internal.h"

#include <string.h>

size_t pbdrGetRealSize(const pbdrWorld* world)
{
    return world->precision == pbdr_precisionF32 ? sizeof(float) : sizeof(double);
}

int pbdrListArrays(pbdrWorld* world, pbdrArray arrays[PBDR_MAX_ARRAYS])
{
    pbdrParticles* p = &world->particles;
    const size_t realSize = PBDR_BLOCK * pbdrGetRealSize(world);
    int count = 0;
    for (int k = 0; k < 3; k++) {
        arrays[count++] = (pbdrArray){&p->rest[k], realSize, false};
        if (!pbdrHasParticles(world)) {
            continue;
        }
        arrays[count++] = (pbdrArray){&p->position[k], realSize, true};
        arrays[count++] = (pbdrArray){&p->velocity[k], realSize, true};
        arrays[count++] = (pbdrArray){&p->contact[k], realSize, false};
        if (pbdrUsesStart(world)) {
            arrays[count++] = (pbdrArray){&p->start[k], realSize, false};
        }
    }
    arrays[count++] = (pbdrArray){&p->mass, realSize, false};
    arrays[count++] = (pbdrArray){&p->radius, realSize, false};
    arrays[count++] = (pbdrArray){&p->blocks, sizeof(pbdrBlock), false};
    if (pbdrHasParticles(world)) {
        arrays[count++] = (pbdrArray){&p->touchedBlocks, sizeof(int32_t), false};
    }
    return count;
}

bool pbdrReserveBlocks(pbdrWorld* world, int blockCapacity)
{
    pbdrParticles* p = &world->particles;
    if (blockCapacity <= p->blockCapacity) {
        return true;
    }
    // All or nothing: a failure half-way leaves every array as it was.
    pbdrArray arrays[PBDR_MAX_ARRAYS];
    void* grown[PBDR_MAX_ARRAYS] = {NULL};
    int count = pbdrListArrays(world, arrays);
    bool good = true;
    for (int k = 0; k < count; k++) {
        grown[k] = pbdrWorldAllocate(world, (size_t)blockCapacity, arrays[k].blockSize);
        good = good && grown[k] != NULL;
    }
    for (int k = 0; k < count; k++) {
        if (!good) {
            pbdrWorldRelease(world, grown[k], (size_t)blockCapacity, arrays[k].blockSize);
            continue;
        }
        if (p->blockCount > 0) {
            memcpy(grown[k], *arrays[k].items, (size_t)p->blockCount * arrays[k].blockSize);
        }
        pbdrWorldRelease(world, *arrays[k].items, (size_t)p->blockCapacity, arrays[k].blockSize);
        *arrays[k].items = grown[k];
    }
    p->blockCapacity = good ? blockCapacity : p->blockCapacity;
    return good;
}

void pbdrFreeParticles(pbdrWorld* world)
{
    pbdrArray arrays[PBDR_MAX_ARRAYS];
    int count = pbdrListArrays(world, arrays);
    for (int k = 0; k < count; k++) {
        pbdrWorldRelease(world, *arrays[k].items, (size_t)world->particles.blockCapacity,
                         arrays[k].blockSize);
    }
    memset(&world->particles, 0, sizeof world->particles);
}

double pbdrReadReal(const pbdrWorld* world, const void* array, int index)
{
    return world->precision == pbdr_precisionF32 ? (double)((const float*)array)[index]
                                                 : ((const double*)array)[index];
}

void pbdrWriteReal(const pbdrWorld* world, void* array, int index, double value)
{
    if (world->precision == pbdr_precisionF32) {
        ((float*)array)[index] = (float)value;
    } else {
        ((double*)array)[index] = value;
    }
}

pbdrVec3 pbdrReadVec(const pbdrWorld* world, void* const arrays[3], int index)
{
    return pbdrVec(pbdrReadReal(world, arrays[0], index), pbdrReadReal(world, arrays[1], index),
                   pbdrReadReal(world, arrays[2], index));
}

void pbdrWriteVec(const pbdrWorld* world, void* const arrays[3], int index, pbdrVec3 value)
{
    pbdrWriteReal(world, arrays[0], index, value.x);
    pbdrWriteReal(world, arrays[1], index, value.y);
    pbdrWriteReal(world, arrays[2], index, value.z);
}

double pbdrRoundReal(const pbdrWorld* world, double value)
{
    return world->precision == pbdr_precisionF32 ? (double)(float)value : value;
}

pbdrVec3 pbdrRoundVec(const pbdrWorld* world, pbdrVec3 value)
{
    return pbdrVec(pbdrRoundReal(world, value.x), pbdrRoundReal(world, value.y),
                   pbdrRoundReal(world, value.z));
}

void pbdrPlaceParticles(pbdrWorld* world, pbdrBody* body, pbdrVec3 centre, pbdrVelocity velocity)
{
    const pbdrParticles* p = &world->particles;
    pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
    int first = body->firstBlock * PBDR_BLOCK;
    int end = first + (pbdrHasParticles(world) ? body->blockCount * PBDR_BLOCK : 0);
    for (int i = first; i < end; i++) {
        pbdrVec3 r = pbdrMulMV(&turn, pbdrReadVec(world, p->rest, i));
        pbdrWriteVec(world, p->position, i, pbdrAdd(centre, r));
        pbdrWriteVec(world, p->velocity, i, pbdrAdd(velocity.linear, pbdrCross(velocity.angular, r)));
    }
    // A dynamic body's sums are taken about these, in the particles' precision; state per body stays in
    // double.
    bool exact = body->kind != pbdr_bodyDynamic || !pbdrHasParticles(world);
    body->centre0 = exact ? centre : pbdrRoundVec(world, centre);
    body->drift0 = exact ? velocity.linear : pbdrRoundVec(world, velocity.linear);
    body->angular = pbdrIsKeptRigid(world, body) ? velocity.angular : pbdrVec(0.0, 0.0, 0.0);
    body->stretch = turn;
    body->stretchRate = pbdrCrossM(velocity.angular, &turn);
    body->extraSpin = pbdrVec(0.0, 0.0, 0.0);
    pbdrAddExtraSpin(body, velocity.angular);
}

// What XPBD-R turns the body by. Points have no inertia about a line through them all: a chain, a single
// sphere. Such bodies get their spheres' own, 2/5 m r^2 each, as solid balls have.
static void setTurning(pbdrBody* body, const pbdrTreeSphere* spheres)
{
    double values[3];
    pbdrMat3 axes;
    pbdrSymEigen(&body->restInertia, values, &axes);
    body->restTurning = body->restInertia;
    if (values[0] <= PBDR_INERTIA_CUTOFF_F64 * values[2] || values[2] <= 0.0) {
        double own = 0.0;
        for (int i = 0; i < body->particleCount; i++) {
            own += 0.4 * body->mass / body->particleCount * spheres[i].radius * spheres[i].radius;
        }
        for (int k = 0; k < 3; k++) {
            values[k] += own;
            body->restTurning.m[k][k] += own;
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += axes.m[i][k] * axes.m[j][k] / values[k];
            }
            body->restInverse.m[i][j] = sum;
        }
    }
}

bool pbdrBuildTree(pbdrWorld* world, pbdrBody* body)
{
    const pbdrParticles* p = &world->particles;
    const int first = body->firstBlock * PBDR_BLOCK, count = body->particleCount;
    pbdrTreeSphere* spheres = pbdrAllocate(&world->hooks, (size_t)count, sizeof *spheres);
    int32_t* indices = pbdrAllocate(&world->hooks, (size_t)count, sizeof *indices);
    if (spheres == NULL || indices == NULL) {
        pbdrRelease(&world->hooks, spheres, (size_t)count, sizeof *spheres);
        pbdrRelease(&world->hooks, indices, (size_t)count, sizeof *indices);
        return false;
    }
    // The reduced sums need sum m q = 0 to rounding; float's rest offsets have it to float's.
    pbdrVec3 shift = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        double mass = pbdrReadReal(world, p->mass, first + i);
        shift = pbdrAddScaled(shift, mass / body->weight, pbdrReadVec(world, p->rest, first + i));
    }
    for (int i = 0; i < count; i++) {
        spheres[i].centre = pbdrSub(pbdrReadVec(world, p->rest, first + i), shift);
        spheres[i].radius = pbdrReadReal(world, p->radius, first + i);
        indices[i] = i;
        double mass = pbdrReadReal(world, p->mass, first + i);
        const double q[3] = {spheres[i].centre.x, spheres[i].centre.y, spheres[i].centre.z};
        for (int k = 0; k < 9; k++) {
            body->restSpread.m[k / 3][k % 3] += mass * q[k / 3] * q[k % 3];
        }
    }
    if (!pbdrBuildSphereTree(&world->hooks, spheres, indices, count, &body->tree)) {
        pbdrRelease(&world->hooks, spheres, (size_t)count, sizeof *spheres);
        pbdrRelease(&world->hooks, indices, (size_t)count, sizeof *indices);
        return false;
    }
    world->byteCount += pbdrSphereTree_GetByteCount(&body->tree);
    setTurning(body, spheres);
    return true;
}

void pbdrFreeTree(pbdrWorld* world, pbdrBody* body)
{
    if (body->faceFirsts != NULL) {
        size_t spheres = (size_t)body->particleCount, normals = (size_t)body->faceFirsts[spheres];
        pbdrWorldRelease(world, body->faceFirsts, spheres + 1, sizeof *body->faceFirsts);
        pbdrWorldRelease(world, body->faceNormals, normals + 1, sizeof *body->faceNormals);
        body->faceFirsts = NULL;
        body->faceNormals = NULL;
    }
    if (body->tree.sphereCount > 0) {
        world->byteCount -= pbdrSphereTree_GetByteCount(&body->tree);
        pbdrFreeSphereTree(&world->hooks, &body->tree);
    }
}

pbdrMat3 pbdrAddExtraInertia(const pbdrBody* body, const pbdrMat3* inertia)
{
    if (!body->hasExtraInertia) {
        return *inertia;
    }
    pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
    pbdrMat3 extra = pbdrTurnTensor(&turn, &body->extraInertia);
    return pbdrAddScaledMM(&extra, 1.0, inertia);
}

void pbdrAddExtraSpin(pbdrBody* body, pbdrVec3 w)
{
    if (body->hasExtraInertia) {
        pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
        pbdrMat3 extra = pbdrTurnTensor(&turn, &body->extraInertia);
        body->extraSpin = pbdrAdd(body->extraSpin, pbdrMulMV(&extra, w));
    }
}

pbdrVec3 pbdrGetExcessSpin(pbdrBody* body, const pbdrMat3* inertia, pbdrVec3 spin, pbdrVec3 spinBefore,
                           double cutoff)
{
    if (!body->hasExtraInertia) {
        return pbdrSymSolve(inertia, pbdrSub(spin, spinBefore), cutoff);
    }
    pbdrMat3 whole = pbdrAddExtraInertia(body, inertia);
    pbdrVec3 w = pbdrSymSolve(&whole, pbdrAdd(spinBefore, body->extraSpin), cutoff);
    body->extraSpin = pbdrVec(0.0, 0.0, 0.0);
    pbdrAddExtraSpin(body, w);
    return pbdrSub(pbdrSymSolve(inertia, spin, cutoff), w);
}
