// Planes: creation and destruction, values.
#include "world/definition.h"
#include "world/internal.h"

#include "scene/bytes.h"

// --- Creation ---

static pbdrVec3 normalize(pbdrVec3 normal)
{
    double length = pbdrLength(normal);
    return length == 1.0 ? normal : pbdrScale(1.0 / length, normal);
}

static uint64_t hashDef(const pbdrPlaneDef* def)
{
    uint64_t hash = pbdrAddToHash(PBDR_HASH_START, &def->normal, sizeof def->normal);
    hash = pbdrAddToHash(hash, &def->offset, sizeof def->offset);
    hash = pbdrAddToHash(hash, &def->friction, sizeof def->friction);
    hash = pbdrAddToHash(hash, &def->restitution, sizeof def->restitution);
    return pbdrAddToHash(hash, &def->filter, sizeof def->filter);
}

pbdrStatus pbdrCreatePlane(pbdrWorld* world, const pbdrPlaneDef* callers, pbdrPlaneId* id, pbdrError* error)
{
    if (id != NULL) {
        *id = (pbdrPlaneId){0, 0, 0};
    }
    pbdrPlaneDef def;
    pbdrStatus status = pbdrReadPlaneDef(callers, &def, error);
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
        if (world->engine->addPlane != NULL && !world->engine->addPlane(world->engineState)) {
            world->scene.planes.count--;
            return pbdrFail(error, pbdr_statusNoMemory, "plane: out of memory");
        }
    }
    world->engine->forgetContacts(world->engineState);
    pbdrPlane* plane = pbdrGetPlane(&world->scene, index);
    *plane = (pbdrPlane){
        .alive = true,
        .generation = plane->generation + 1,
        .normal = normalize(def.normal),
        .offset = def.offset,
        .friction = def.friction,
        .rollingFriction = def.rollingFriction,
        .spinningFriction = def.spinningFriction,
        .restitution = def.restitution,
        .filter = def.filter,
        .madeOf = hashDef(&def),
        .userData = def.userData,
    };
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
    return plane->alive && plane->generation == id.generation && id.world == world->scene.number;
}

pbdrPlane* pbdrFindPlane(const pbdrWorld* world, pbdrPlaneId id)
{
    return PBDR_ASSERT(&world->scene.memory.hooks, pbdrPlane_IsValid(world, id))
               ? pbdrGetPlane(&world->scene, id.index1 - 1)
               : NULL;
}

void pbdrDestroyPlane(pbdrWorld* world, pbdrPlaneId id)
{
    pbdrPlane* plane = pbdrFindPlane(world, id);
    if (plane != NULL) {
        world->engine->forgetContacts(world->engineState);
        plane->alive = false;
    }
}

int pbdrWorld_GetPlanes(const pbdrWorld* world, pbdrPlaneId* buffer, int capacity)
{
    const pbdrScene* scene = &world->scene;
    int count = 0;
    for (int index = 0; index < scene->planes.count; index++) {
        if (pbdrGetPlane(scene, index)->alive && count++ < capacity) {
            buffer[count - 1] = pbdrGetPlaneId(scene, index);
        }
    }
    return count;
}

// --- Values ---

pbdrStatus pbdrPlane_SetNormal(pbdrWorld* world, pbdrPlaneId id, pbdrVec3 normal)
{
    pbdrPlane* plane = pbdrFindPlane(world, id);
    if (plane == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckNormal(normal, NULL);
    if (status == pbdr_statusOk) {
        world->engine->forgetContacts(world->engineState);
        plane->normal = normalize(normal);
    }
    return status;
}

pbdrVec3 pbdrPlane_GetNormal(const pbdrWorld* world, pbdrPlaneId id)
{
    const pbdrPlane* plane = pbdrFindPlane(world, id);
    return plane != NULL ? plane->normal : pbdrVec(0.0, 0.0, 0.0);
}

pbdrStatus pbdrPlane_SetOffset(pbdrWorld* world, pbdrPlaneId id, double offset)
{
    pbdrPlane* plane = pbdrFindPlane(world, id);
    if (plane == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckOffset(offset, NULL);
    if (status == pbdr_statusOk) {
        world->engine->forgetContacts(world->engineState);
        plane->offset = offset;
    }
    return status;
}

double pbdrPlane_GetOffset(const pbdrWorld* world, pbdrPlaneId id)
{
    const pbdrPlane* plane = pbdrFindPlane(world, id);
    return plane != NULL ? plane->offset : 0.0;
}

pbdrStatus pbdrPlane_SetFriction(pbdrWorld* world, pbdrPlaneId id, double friction)
{
    pbdrPlane* plane = pbdrFindPlane(world, id);
    if (plane == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckFriction(friction, NULL);
    if (status == pbdr_statusOk && friction != plane->friction) {
        pbdrWakeAll(&world->scene);
        plane->friction = friction;
    }
    return status;
}

double pbdrPlane_GetFriction(const pbdrWorld* world, pbdrPlaneId id)
{
    const pbdrPlane* plane = pbdrFindPlane(world, id);
    return plane != NULL ? plane->friction : 0.0;
}

pbdrStatus pbdrPlane_SetRestitution(pbdrWorld* world, pbdrPlaneId id, double restitution)
{
    pbdrPlane* plane = pbdrFindPlane(world, id);
    if (plane == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckRestitution(restitution, NULL);
    if (status == pbdr_statusOk && restitution != plane->restitution) {
        pbdrWakeAll(&world->scene);
        plane->restitution = restitution;
    }
    return status;
}

double pbdrPlane_GetRestitution(const pbdrWorld* world, pbdrPlaneId id)
{
    const pbdrPlane* plane = pbdrFindPlane(world, id);
    return plane != NULL ? plane->restitution : 0.0;
}

pbdrStatus pbdrPlane_SetFilter(pbdrWorld* world, pbdrPlaneId id, pbdrFilter filter)
{
    pbdrPlane* plane = pbdrFindPlane(world, id);
    if (plane == NULL) {
        return pbdr_statusInvalidId;
    }
    if (filter.category != plane->filter.category || filter.mask != plane->filter.mask) {
        world->engine->forgetContacts(world->engineState);
        plane->filter = filter;
    }
    return pbdr_statusOk;
}

pbdrFilter pbdrPlane_GetFilter(const pbdrWorld* world, pbdrPlaneId id)
{
    const pbdrPlane* plane = pbdrFindPlane(world, id);
    return plane != NULL ? plane->filter : (pbdrFilter){0, 0};
}

pbdrStatus pbdrPlane_SetUserData(pbdrWorld* world, pbdrPlaneId id, void* userData)
{
    pbdrPlane* plane = pbdrFindPlane(world, id);
    if (plane == NULL) {
        return pbdr_statusInvalidId;
    }
    plane->userData = userData;
    return pbdr_statusOk;
}

void* pbdrPlane_GetUserData(const pbdrWorld* world, pbdrPlaneId id)
{
    const pbdrPlane* plane = pbdrFindPlane(world, id);
    return plane != NULL ? plane->userData : NULL;
}
