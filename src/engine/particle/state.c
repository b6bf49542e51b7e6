// The particle engine's state as bytes:
//
//   header | extra spins | arrays with isState, blockCount blocks each | plane touches | pairs
#include "engine/particle/particle.h"

#include "scene/bytes.h"

typedef struct Header {
    int32_t bodyCount, blockCount, planeTouchCount, pairCount;
} Header;

static Header describe(const pbdrParticleWorld* world)
{
    return (Header){world->bodies.count, world->particles.blockCount, world->planeTouches.count,
                    world->pairs.count};
}

static size_t getSize(const pbdrScene* scene, const Header* header)
{
    return sizeof *header + (size_t)header->bodyCount * sizeof(pbdrVec3) +
           6 * (size_t)header->blockCount * PBDR_BLOCK * pbdrGetRealSize(scene) +
           (size_t)header->planeTouchCount * sizeof(pbdrPlaneTouch) +
           (size_t)header->pairCount * sizeof(pbdrPair);
}

size_t pbdrGetParticleStateSize(const pbdrParticleWorld* world)
{
    Header header = describe(world);
    return getSize(world->scene, &header);
}

void pbdrSaveParticles(const pbdrParticleWorld* world, char* bytes)
{
    const Header header = describe(world);
    char* at = pbdrPutBytes(bytes, &header, sizeof header);
    for (int index = 0; index < world->bodies.count; index++) {
        at = pbdrPutBytes(at, &pbdrGetParticleBody(world, index)->extraSpin, sizeof(pbdrVec3));
    }
    pbdrArray arrays[PBDR_MAX_ARRAYS];
    int count = pbdrListArrays((pbdrParticleWorld*)world, arrays); // only read here
    for (int k = 0; k < count; k++) {
        if (arrays[k].isState) {
            at =
                pbdrPutBytes(at, *arrays[k].items, (size_t)world->particles.blockCount * arrays[k].blockSize);
        }
    }
    at = pbdrPutBytes(at, world->planeTouches.items,
                      (size_t)world->planeTouches.count * sizeof(pbdrPlaneTouch));
    pbdrPutBytes(at, world->pairs.items, (size_t)world->pairs.count * sizeof(pbdrPair));
}

bool pbdrAreParticlesSound(const pbdrParticleWorld* world, const char* bytes, size_t size)
{
    const Header own = describe(world);
    Header header;
    if (size < sizeof header) {
        return false;
    }
    pbdrTakeBytes(bytes, &header, sizeof header);
    if (header.bodyCount != own.bodyCount || header.blockCount != own.blockCount ||
        header.planeTouchCount < 0 || header.pairCount < 0 || getSize(world->scene, &header) != size) {
        return false;
    }
    // contacts must name planes, blocks and particles that exist
    const char* at = bytes + size - (size_t)header.planeTouchCount * sizeof(pbdrPlaneTouch) -
                     (size_t)header.pairCount * sizeof(pbdrPair);
    for (int k = 0; k < header.planeTouchCount; k++) {
        pbdrPlaneTouch touch;
        at = pbdrTakeBytes(at, &touch, sizeof touch);
        if (touch.plane < 0 || touch.plane >= world->scene->planes.count || touch.block < 0 ||
            touch.block >= own.blockCount) {
            return false;
        }
    }
    const int particleCount = own.blockCount * PBDR_BLOCK;
    for (int k = 0; k < header.pairCount; k++) {
        pbdrPair pair;
        at = pbdrTakeBytes(at, &pair, sizeof pair);
        if (pair.first < 0 || pair.first >= particleCount || pair.second < 0 ||
            pair.second >= particleCount) {
            return false;
        }
    }
    return true;
}

bool pbdrLoadParticles(pbdrParticleWorld* world, const char* bytes)
{
    pbdrMemory* memory = &world->scene->memory;
    Header header;
    const char* at = pbdrTakeBytes(bytes, &header, sizeof header);
    pbdrClearContacts(world);
    if (!pbdrListReserve(memory, &world->planeTouches, header.planeTouchCount) ||
        !pbdrListReserve(memory, &world->pairs, header.pairCount)) {
        return false;
    }
    for (int index = 0; index < world->bodies.count; index++) {
        at = pbdrTakeBytes(at, &pbdrGetParticleBody(world, index)->extraSpin, sizeof(pbdrVec3));
    }
    pbdrArray arrays[PBDR_MAX_ARRAYS];
    int count = pbdrListArrays(world, arrays);
    for (int k = 0; k < count; k++) {
        if (arrays[k].isState) {
            at = pbdrTakeBytes(at, *arrays[k].items,
                               (size_t)world->particles.blockCount * arrays[k].blockSize);
        }
    }
    at =
        pbdrTakeBytes(at, world->planeTouches.items, (size_t)header.planeTouchCount * sizeof(pbdrPlaneTouch));
    pbdrTakeBytes(at, world->pairs.items, (size_t)header.pairCount * sizeof(pbdrPair));
    world->planeTouches.count = header.planeTouchCount;
    world->pairs.count = header.pairCount;
    const pbdrPlaneTouch* touches = world->planeTouches.items;
    for (int k = 0; k < header.planeTouchCount; k++) {
        *pbdrGetPlaneSlot(world, touches[k].plane, touches[k].block) = k + 1;
    }
    return true;
}
