// Planes.
#include "world/definition.h"

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
    while (index < world->planes.count && pbdrGetPlane(world, index)->alive) {
        index++;
    }
    if (index == world->planes.count) {
        if (pbdrListPush(world, &world->planes) == NULL) {
            return pbdrFail(error, pbdr_statusNoMemory, "plane: out of memory");
        }
        if (!pbdrReservePlaneSlots(world)) {
            world->planes.count--;
            return pbdrFail(error, pbdr_statusNoMemory, "plane: out of memory");
        }
    }
    pbdrClearContacts(world);
    pbdrPlane* plane = pbdrGetPlane(world, index);
    plane->alive = true;
    plane->generation++;
    double length = pbdrLength(def->normal);
    plane->normal = length == 1.0 ? def->normal : pbdrScale(1.0 / length, def->normal);
    plane->offset = def->offset;
    plane->friction = def->friction;
    plane->restitution = def->restitution;
    if (id != NULL) {
        *id = (pbdrPlaneId){index + 1, plane->generation};
    }
    return pbdr_statusOk;
}

bool pbdrPlane_IsValid(const pbdrWorld* world, pbdrPlaneId id)
{
    if (id.index1 < 1 || id.index1 > world->planes.count) {
        return false;
    }
    const pbdrPlane* plane = pbdrGetPlane(world, id.index1 - 1);
    return plane->alive && plane->generation == id.generation;
}

void pbdrDestroyPlane(pbdrWorld* world, pbdrPlaneId id)
{
    if (PBDR_ASSERT(&world->hooks, pbdrPlane_IsValid(world, id))) {
        pbdrClearContacts(world);
        pbdrGetPlane(world, id.index1 - 1)->alive = false;
    }
}
