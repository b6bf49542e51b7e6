// Worlds that somebody else holds in memory of his own: a batch.
#ifndef PBDR_WORLD_HELD_H
#define PBDR_WORLD_HELD_H

#include "pbdr/world.h"
#include "scene/fetch.h"

// pbdrCopyWorld whose memory comes from these hooks. The copy's own copies and shapes, and pbdrWorld_GetHooks, have the
// hooks of `world`, so that nothing but the copy itself ends with the holder. (copy.c)
pbdrStatus pbdrCopyWorldInto(const pbdrWorld* world, int threads, const pbdrHooks* own, pbdrWorld** copy,
                             pbdrError* error);

// What the getters of world.h say of a body, in one look. The body is alive. (body.c)
typedef struct pbdrHeldBody {
    pbdrPose pose;
    pbdrVelocity velocity;
    pbdrVec3 force, torque;
    double friction, mass;
} pbdrHeldBody;
void pbdrLookAtBody(const pbdrWorld* world, pbdrBodyId id, pbdrHeldBody* held);

// What the getters of world.h say of the motion of a body, by its index (an id's index1 - 1). The body is alive. (body.c)
void pbdrLookAtMotion(const pbdrWorld* world, int index, pbdrPose* pose, pbdrVelocity* velocity);

// pbdrWorld_Step that in its last substeps brings `size` bytes from `next` on into the cache (scene/fetch.h): what is
// stepped next. (step.c)
uint32_t pbdrStepAndFetch(pbdrWorld* world, int substepCount, const char* next, size_t size);

#endif
