// The particle arrays: memory, single values, placing a rigid body.
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
        arrays[count++] = (pbdrArray){&p->position[k], realSize, true};
        arrays[count++] = (pbdrArray){&p->velocity[k], realSize, true};
        arrays[count++] = (pbdrArray){&p->rest[k], realSize, false};
        arrays[count++] = (pbdrArray){&p->contact[k], realSize, false};
        if (pbdrUsesStart(world)) {
            arrays[count++] = (pbdrArray){&p->start[k], realSize, false};
        }
    }
    arrays[count++] = (pbdrArray){&p->mass, realSize, false};
    arrays[count++] = (pbdrArray){&p->radius, realSize, false};
    arrays[count++] = (pbdrArray){&p->blocks, sizeof(pbdrBlock), false};
    arrays[count++] = (pbdrArray){&p->touchedBlocks, sizeof(int32_t), false};
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
    for (int i = first; i < first + body->blockCount * PBDR_BLOCK; i++) {
        pbdrVec3 r = pbdrMulMV(&turn, pbdrReadVec(world, p->rest, i));
        pbdrWriteVec(world, p->position, i, pbdrAdd(centre, r));
        pbdrWriteVec(world, p->velocity, i, pbdrAdd(velocity.linear, pbdrCross(velocity.angular, r)));
    }
    // A dynamic body's sums are taken about these, in the particles' precision; a pusher's own state stays in
    // double.
    bool exact = body->kind != pbdr_bodyDynamic;
    body->centre0 = exact ? centre : pbdrRoundVec(world, centre);
    body->drift0 = exact ? velocity.linear : pbdrRoundVec(world, velocity.linear);
    body->angular = exact ? velocity.angular : pbdrVec(0.0, 0.0, 0.0);
}
