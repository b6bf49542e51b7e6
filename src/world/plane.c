// Planes.
#include "world/definition.h"
#include "world/internal.h"

pbdrStatus pbdrCreatePlane(pbdrWorld* world, const pbdrPlaneDef* def, pbdrPlaneId* id, pbdrError* error)
{
    if (id != NULL) {
        *id = (pbdrPlaneId){0, 0};
    }
    pbdrStatus status = pbdrCheckPlaneDef(def, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    int index = 0;
    while (index < world->scene.planes.count && pbdrGetPlane(&world->scene, index)->alive) {
        index++;
    }
    if (index == world->scene.planes.count) {
        if (pbdrListPush(&world->scene.memory, &world->scene.planes) == NULL) {
            return pbdrFail(error, pbdr_statusNoMemory, "plane: out of memory");
        }
        if (!world->engine->addPlane(world->engineState)) {
            world->scene.planes.count--;
            return pbdrFail(error, pbdr_statusNoMemory, "plane: out of memory");
        }
    }
    world->engine->forgetContacts(world->engineState);
    pbdrPlane* plane = pbdrGetPlane(&world->scene, index);
    plane->alive = true;
    plane->generation++;
    double length = pbdrLength(def->normal);
    plane->normal = length == 1.0 ? def->normal : pbdrScale(1.0 / length, def->normal);
    plane->offset = def->offset;
    plane->friction = def->friction;
    plane->rollingFriction = def->rollingFriction;
    plane->spinningFriction = def->spinningFriction;
    plane->restitution = def->restitution;
    if (id != NULL) {
        *id = pbdrGetPlaneId(&world->scene, index);
    }
    return pbdr_statusOk;
}

bool pbdrPlane_IsValid(const pbdrWorld* world, pbdrPlaneId id)
{
    if (id.index1 < 1 || id.index1 > world->scene.planes.count) {
        return false;
    }
    const pbdrPlane* plane = pbdrGetPlane(&world->scene, id.index1 - 1);
    return plane->alive && plane->generation == id.generation;
}

void pbdrDestroyPlane(pbdrWorld* world, pbdrPlaneId id)
{
    if (PBDR_ASSERT(&world->scene.memory.hooks, pbdrPlane_IsValid(world, id))) {
        world->engine->forgetContacts(world->engineState);
        pbdrGetPlane(&world->scene, id.index1 - 1)->alive = false;
    }
}
