// The step: substeps of the engine, their flags and their profile.
#include "world/definition.h"
#include "world/internal.h"

#include "scene/profile.h"

// Flags bodies that have left finite numbers or the speed limit.
static void checkBodies(pbdrScene* scene)
{
    for (int index = 0; index < scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(scene, index);
        if (!body->alive || body->kind == pbdr_bodyStatic) {
            continue;
        }
        double speed = pbdrLength(body->velocity);
        bool finite = pbdrFitsPrecision(body->centre, scene->precision) && isfinite(speed) &&
                      isfinite(pbdrLength(body->angular)) && isfinite(pbdrLengthQ(body->rotation));
        if (!finite) {
            scene->flags |= pbdr_stepNotFinite;
        } else if (speed > PBDR_SPEED_LIMIT) {
            scene->flags |= pbdr_stepSpeedLimit;
        }
    }
}

static void takeSubstep(pbdrWorld* world)
{
    pbdrScene* scene = &world->scene;
    if (scene->profiling) {
        pbdrBeginProfiledSubstep(scene);
    }
    world->engine->step(world->engineState);
    checkBodies(scene);
    pbdrEndStage(scene, pbdr_rowClose);
    scene->substepCount++;
    if (scene->profiling) {
        pbdrEndProfiledSubstep(scene, pbdrWorld_GetContacts(world, NULL, 0),
                               world->engine->countCandidates(world->engineState),
                               world->engine->countIslands(world->engineState));
    }
}

uint32_t pbdrWorld_Step(pbdrWorld* world, int substepCount)
{
    world->scene.flags = 0;
    for (int i = 0; i < substepCount && (world->scene.flags & pbdr_stepNotFinite) == 0; i++) {
        takeSubstep(world);
    }
    return world->scene.flags;
}
