// The particle arrays: memory, single values, placing a rigid body.
#include "engine/particle/particle.h"

#include "engine/extra_inertia.h"

#include <string.h>

size_t pbdrGetRealSize(const pbdrScene* scene)
{
    return scene->precision == pbdr_precisionF32 ? sizeof(float) : sizeof(double);
}

int pbdrListArrays(pbdrParticleWorld* world, pbdrArray arrays[PBDR_MAX_ARRAYS])
{
    pbdrParticles* p = &world->particles;
    const size_t realSize = PBDR_BLOCK * pbdrGetRealSize(world->scene);
    int count = 0;
    for (int k = 0; k < 3; k++) {
        arrays[count++] = (pbdrArray){&p->rest[k], realSize, false};
        arrays[count++] = (pbdrArray){&p->position[k], realSize, true};
        arrays[count++] = (pbdrArray){&p->velocity[k], realSize, true};
        arrays[count++] = (pbdrArray){&p->contact[k], realSize, false};
        if (pbdrUsesStart(world->scene)) {
            arrays[count++] = (pbdrArray){&p->start[k], realSize, false};
        }
    }
    arrays[count++] = (pbdrArray){&p->mass, realSize, false};
    arrays[count++] = (pbdrArray){&p->radius, realSize, false};
    arrays[count++] = (pbdrArray){&p->blocks, sizeof(pbdrBlock), false};
    arrays[count++] = (pbdrArray){&p->touchedBlocks, sizeof(int32_t), false};
    return count;
}

bool pbdrReserveBlocks(pbdrParticleWorld* world, int blockCapacity)
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
        grown[k] = pbdrTakeMemory(&world->scene->memory, (size_t)blockCapacity, arrays[k].blockSize);
        good = good && grown[k] != NULL;
    }
    for (int k = 0; k < count; k++) {
        if (!good) {
            pbdrGiveMemory(&world->scene->memory, grown[k], (size_t)blockCapacity, arrays[k].blockSize);
            continue;
        }
        if (p->blockCount > 0) {
            memcpy(grown[k], *arrays[k].items, (size_t)p->blockCount * arrays[k].blockSize);
        }
        pbdrGiveMemory(&world->scene->memory, *arrays[k].items, (size_t)p->blockCapacity,
                       arrays[k].blockSize);
        *arrays[k].items = grown[k];
    }
    p->blockCapacity = good ? blockCapacity : p->blockCapacity;
    return good;
}

void pbdrFreeParticles(pbdrParticleWorld* world)
{
    pbdrArray arrays[PBDR_MAX_ARRAYS];
    int count = pbdrListArrays(world, arrays);
    for (int k = 0; k < count; k++) {
        pbdrGiveMemory(&world->scene->memory, *arrays[k].items, (size_t)world->particles.blockCapacity,
                       arrays[k].blockSize);
    }
    memset(&world->particles, 0, sizeof world->particles);
}

double pbdrReadReal(const pbdrScene* scene, const void* array, int index)
{
    return scene->precision == pbdr_precisionF32 ? (double)((const float*)array)[index]
                                                 : ((const double*)array)[index];
}

static void writeReal(const pbdrScene* scene, void* array, int index, double value)
{
    if (scene->precision == pbdr_precisionF32) {
        ((float*)array)[index] = (float)value;
    } else {
        ((double*)array)[index] = value;
    }
}

pbdrVec3 pbdrReadVec(const pbdrScene* scene, void* const arrays[3], int index)
{
    return pbdrVec(pbdrReadReal(scene, arrays[0], index), pbdrReadReal(scene, arrays[1], index),
                   pbdrReadReal(scene, arrays[2], index));
}

static void writeVec(const pbdrScene* scene, void* const arrays[3], int index, pbdrVec3 value)
{
    writeReal(scene, arrays[0], index, value.x);
    writeReal(scene, arrays[1], index, value.y);
    writeReal(scene, arrays[2], index, value.z);
}

double pbdrRoundReal(const pbdrScene* scene, double value)
{
    // Through memory: gcc 12's vectoriser takes (double)(float)x for x in pairs of them.
    volatile float rounded = (float)value;
    return scene->precision == pbdr_precisionF32 ? (double)rounded : value;
}

static pbdrVec3 roundVec(const pbdrScene* scene, pbdrVec3 value)
{
    return pbdrVec(pbdrRoundReal(scene, value.x), pbdrRoundReal(scene, value.y),
                   pbdrRoundReal(scene, value.z));
}

void pbdrFillParticles(pbdrParticleWorld* world, pbdrParticleBody* own, const pbdrShape* shape)
{
    const pbdrScene* scene = world->scene;
    const pbdrParticles* p = &world->particles;
    const int first = own->firstBlock * PBDR_BLOCK;
    own->weight = 0.0;
    for (int i = 0; i < own->blockCount * PBDR_BLOCK; i++) {
        bool padding = i >= shape->sphereCount;
        double mass = padding ? 0.0 : pbdrRoundReal(scene, shape->masses[i]);
        writeVec(scene, p->rest, first + i, padding ? pbdrVec(0.0, 0.0, 0.0) : shape->offsets[i]);
        writeReal(scene, p->mass, first + i, mass);
        writeReal(scene, p->radius, first + i, padding ? -HUGE_VAL : shape->radii[i]);
        own->weight += mass;
    }
}

void pbdrPlaceParticles(pbdrParticleWorld* world, int index, pbdrVec3 centre, pbdrVelocity velocity)
{
    const pbdrScene* scene = world->scene;
    const pbdrParticles* p = &world->particles;
    pbdrBody* body = pbdrGetBody(scene, index);
    pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
    const int first = own->firstBlock * PBDR_BLOCK;
    for (int i = first; i < first + own->blockCount * PBDR_BLOCK; i++) {
        pbdrVec3 r = pbdrMulMV(&turn, pbdrReadVec(scene, p->rest, i));
        writeVec(scene, p->position, i, pbdrAdd(centre, r));
        writeVec(scene, p->velocity, i, pbdrAdd(velocity.linear, pbdrCross(velocity.angular, r)));
    }
    own->extraSpin = pbdrGetExtraSpin(body, velocity.angular);
    // A dynamic body's sums are taken about these, in the particles' precision; driven bodies stay in double.
    if (body->kind == pbdr_bodyDynamic) {
        centre = roundVec(scene, centre);
        velocity = (pbdrVelocity){roundVec(scene, velocity.linear), {0.0, 0.0, 0.0}};
    }
    pbdrPlaceBody(body, centre, velocity);
}

void pbdrMoveOrigin(pbdrParticleWorld* world, pbdrBody* body, const pbdrParticleBody* own)
{
    pbdrVec3 drift = pbdrAddScaled(body->velocity, 1.0 / own->weight, own->before.relativeMomentum);
    body->centre = roundVec(world->scene, own->before.centre);
    body->velocity = roundVec(world->scene, drift);
}
