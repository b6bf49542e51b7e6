// Accelerations at the present state.
#include "world/internal.h"

#include <string.h>

pbdrStatus pbdrWorld_FindAccelerations(pbdrWorld* world, pbdrVelocity* bodies, double* joints,
                                       pbdrError* error)
{
    pbdrScene* scene = &world->scene;
    if (world->engine->findAccelerations == NULL) {
        return pbdrFail(error, pbdr_statusNotSupported, "accelerations: only worlds of XPBD-R find them");
    }
    const size_t bodyCount = (size_t)scene->bodies.count, jointCount = (size_t)scene->joints.count;
    pbdrVelocity* all = pbdrTakeMemory(&scene->memory, bodyCount + 1, sizeof *all);
    double* axes = pbdrTakeMemory(&scene->memory, jointCount + 1, sizeof *axes);
    pbdrStatus status = pbdr_statusNoMemory;
    if (all != NULL && axes != NULL) {
        memset(all, 0, (bodyCount + 1) * sizeof *all);
        memset(axes, 0, (jointCount + 1) * sizeof *axes);
        status = world->engine->findAccelerations(world->engineState, all, axes);
    }
    int count = 0;
    for (int index = 0; status == pbdr_statusOk && index < scene->bodies.count; index++) {
        if (pbdrGetBody(scene, index)->alive) {
            bodies[count++] = all[index];
        }
    }
    count = 0;
    for (int index = 0; status == pbdr_statusOk && index < scene->joints.count; index++) {
        if (pbdrGetJoint(scene, index)->alive) {
            joints[count++] = axes[index];
        }
    }
    pbdrGiveMemory(&scene->memory, all, bodyCount + 1, sizeof *all);
    pbdrGiveMemory(&scene->memory, axes, jointCount + 1, sizeof *axes);
    return status == pbdr_statusOk
               ? status
               : pbdrFail(error, status, "accelerations: %s",
                          status == pbdr_statusNoMemory ? "out of memory"
                          : status == pbdr_statusNotSupported
                              ? "joints make loops, or are of kinds that trees do not know"
                              : "some motion has no inertia");
}
