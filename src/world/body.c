// Bodies: creation and destruction, pose, velocity, target, momentum, values.
#include "world/definition.h"
#include "world/held.h"
#include "world/internal.h"

#include "scene/bytes.h"

// --- Look-up ---

bool pbdrBody_IsValid(const pbdrWorld* world, pbdrBodyId id)
{
    if (id.index1 < 1 || id.index1 > world->scene.bodies.count) {
        return false;
    }
    const pbdrBody* body = pbdrGetBody(&world->scene, id.index1 - 1);
    return body->alive && body->generation == id.generation && id.world == world->scene.number;
}

pbdrBody* pbdrFindBody(const pbdrWorld* world, pbdrBodyId id, int* index)
{
    *index = id.index1 - 1;
    return PBDR_ASSERT(&world->scene.memory.hooks, pbdrBody_IsValid(world, id))
               ? pbdrGetBody(&world->scene, *index)
               : NULL;
}

// For what needs no index.
static pbdrBody* findBody(const pbdrWorld* world, pbdrBodyId id)
{
    int index;
    return pbdrFindBody(world, id, &index);
}

// --- Creation ---

// A dead body's place, or a new one; -1 without memory.
static int findFreeIndex(pbdrScene* scene)
{
    int index = scene->bodyCount == scene->bodies.count ? scene->bodies.count : 0;
    while (index < scene->bodies.count && pbdrGetBody(scene, index)->alive) {
        index++;
    }
    return index < scene->bodies.count || pbdrListPush(&scene->memory, &scene->bodies) != NULL ? index : -1;
}

static uint64_t hashDef(const pbdrBodyDef* def)
{
    uint64_t hash = pbdrAddToHash(PBDR_HASH_START, &def->restitution, sizeof def->restitution);
    return pbdrAddToHash(hash, &def->filter, sizeof def->filter);
}

pbdrStatus pbdrCreateBodyFromShape(pbdrWorld* world, const pbdrBodyDef* callers, pbdrShape* shape,
                                   pbdrBodyId* id, pbdrError* error)
{
    if (id != NULL) {
        *id = (pbdrBodyId){0, 0, 0};
    }
    pbdrScene* scene = &world->scene;
    pbdrBodyDef own;
    const pbdrBodyDef* def = &own;
    pbdrStatus status = pbdrReadBodyDef(callers, scene->precision, &own, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (shape == NULL) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "body: no shape");
    }
    if (shape->open && def->kind == pbdr_bodyDynamic) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "body: its surface is an open mesh, which is for static and kinematic bodies");
    }
    status = pbdrCheckShape(shape, scene->precision, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    world->engine->forgetContacts(world->engineState);
    const int placeCount = scene->bodies.count;
    int index = findFreeIndex(scene);
    pbdrShape* held = index < 0 ? NULL : pbdrHoldShape(world, shape);
    if (held == NULL || !world->engine->addBody(world->engineState, index, held)) {
        pbdrReleaseShape(held);
        scene->bodies.count = placeCount; // engines have no place for it
        return pbdrFail(error, pbdr_statusNoMemory, "body: out of memory for %d spheres", shape->sphereCount);
    }
    pbdrBody* body = pbdrGetBody(scene, index);
    *body = (pbdrBody){
        .alive = true,
        .kind = def->kind,
        .generation = body->generation + 1,
        .shape = held,
        .madeOf = hashDef(def),
        .userData = def->userData,
        .friction = def->friction,
        .rollingFriction = def->rollingFriction,
        .spinningFriction = def->spinningFriction,
        .restitution = def->restitution,
        .filter = def->filter,
        .rotation = pbdrNormalizeQ(def->rotation),
    };
    scene->bodyCount++;
    world->engine->place(world->engineState, index, def->position, def->velocity);
    if (id != NULL) {
        *id = pbdrGetBodyId(scene, index);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCreateBody(pbdrWorld* world, const pbdrBodyDef* callers, pbdrBodyId* id, pbdrError* error)
{
    if (id != NULL) {
        *id = (pbdrBodyId){0, 0, 0};
    }
    pbdrBodyDef own;
    const pbdrBodyDef* def = &own;
    pbdrStatus status = pbdrReadBodyDef(callers, world->scene.precision, &own, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrShapeDef shapeDef = pbdrDefaultShapeDef();
    shapeDef.sphereCount = def->particleCount;
    shapeDef.positions = def->positions;
    shapeDef.radii = def->radii;
    shapeDef.masses = def->masses;
    shapeDef.extraInertia = def->extraInertia;
    shapeDef.hooks = world->hooks;
    pbdrShape* shape;
    status = pbdrCreateShape(&shapeDef, &shape, error);
    if (status == pbdr_statusOk) {
        status = pbdrCreateBodyFromShape(world, def, shape, id, error);
        pbdrReleaseShape(shape);
    }
    return status;
}

void pbdrDestroyBody(pbdrWorld* world, pbdrBodyId id)
{
    int index;
    pbdrBody* body = pbdrFindBody(world, id, &index);
    if (body == NULL) {
        return;
    }
    while (body->firstJoint != 0) {
        pbdrRemoveJoint(world, (body->firstJoint - 1) / 2);
    }
    world->engine->forgetContacts(world->engineState);
    if (world->engine->removeBody != NULL) {
        world->engine->removeBody(world->engineState, index);
    }
    pbdrReleaseShape((pbdrShape*)body->shape);
    body->shape = NULL;
    body->alive = false;
    world->scene.bodyCount--;
}

// --- Pose and velocity ---

pbdrPose pbdrBody_GetPose(const pbdrWorld* world, pbdrBodyId id)
{
    int index;
    bool found = pbdrFindBody(world, id, &index) != NULL;
    return found ? world->engine->getPose(world->engineState, index)
                 : (pbdrPose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
}

pbdrVelocity pbdrBody_GetVelocity(const pbdrWorld* world, pbdrBodyId id)
{
    int index;
    bool found = pbdrFindBody(world, id, &index) != NULL;
    return found ? world->engine->getVelocity(world->engineState, index)
                 : (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

void pbdrLookAtMotion(const pbdrWorld* world, int index, pbdrPose* pose, pbdrVelocity* velocity)
{
    const pbdrBody* body = pbdrGetBody(&world->scene, index);
    if (world->engine->isRigid) { // without a call: batches look after every step
        *pose = (pbdrPose){body->centre, body->rotation};
        *velocity = (pbdrVelocity){body->velocity, body->angular};
        return;
    }
    *pose = world->engine->getPose(world->engineState, index);
    *velocity = world->engine->getVelocity(world->engineState, index);
}

void pbdrLookAtBody(const pbdrWorld* world, pbdrBodyId id, pbdrHeldBody* held)
{
    const int index = id.index1 - 1;
    const pbdrBody* body = pbdrGetBody(&world->scene, index);
    pbdrLookAtMotion(world, index, &held->pose, &held->velocity);
    held->force = body->force;
    held->torque = body->torque;
    held->friction = body->friction;
    held->mass = body->shape->mass;
}

pbdrMomentum pbdrBody_GetMomentum(const pbdrWorld* world, pbdrBodyId id)
{
    int index;
    bool found = pbdrFindBody(world, id, &index) != NULL;
    return found ? world->engine->getMomentum(world->engineState, index)
                 : (pbdrMomentum){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

// Whether a body moves as none should: nothing that was simulated is lost with its velocity.
static bool hasDiverged(const pbdrScene* scene, pbdrVelocity velocity)
{
    return !(pbdrLength(velocity.linear) <= PBDR_SPEED_LIMIT &&
             pbdrLength(velocity.angular) * scene->timeStep <= PBDR_TURN_LIMIT); // also for NaN
}

pbdrStatus pbdrBody_SetPose(pbdrWorld* world, pbdrBodyId id, pbdrPose pose)
{
    int index;
    pbdrBody* body = pbdrFindBody(world, id, &index);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckRotation(pose.rotation, "rotation", NULL);
    if (!pbdrFitsPrecision(pose.position, world->scene.precision)) {
        status = pbdr_statusInvalidArgument;
    }
    if (status == pbdr_statusOk) {
        pbdrVelocity velocity = world->engine->getVelocity(world->engineState, index);
        if (hasDiverged(&world->scene, velocity)) {
            velocity = (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}; // it is brought back at rest
        }
        body->target.substeps = 0;
        world->engine->forgetContacts(world->engineState);
        body->rotation = pbdrNormalizeQ(pose.rotation);
        world->engine->place(world->engineState, index, pose.position, velocity);
    }
    return status;
}

pbdrStatus pbdrChangeVelocity(pbdrWorld* world, int index, const pbdrPose* pose, pbdrVelocity velocity)
{
    pbdrBody* body = pbdrGetBody(&world->scene, index);
    bool good = body->kind != pbdr_bodyStatic && pbdrFitsPrecision(velocity.linear, world->scene.precision) &&
                pbdrFitsPrecision(velocity.angular, world->scene.precision) &&
                pbdrIsFiniteVec(pose->position);
    if (!good) {
        return pbdr_statusInvalidArgument;
    }
    body->rotation = pose->rotation;
    body->target.substeps = 0;
    pbdrWakeBody(body);
    world->engine->place(world->engineState, index, pose->position, velocity);
    return pbdr_statusOk;
}

pbdrStatus pbdrBody_SetVelocity(pbdrWorld* world, pbdrBodyId id, pbdrVelocity velocity)
{
    int index;
    if (pbdrFindBody(world, id, &index) == NULL) {
        return pbdr_statusInvalidId;
    }
    const pbdrPose pose = world->engine->getPose(world->engineState, index);
    return pbdrChangeVelocity(world, index, &pose, velocity);
}

// --- Targets ---

pbdrStatus pbdrBody_SetTarget(pbdrWorld* world, pbdrBodyId id, pbdrPose pose, double time)
{
    int index;
    pbdrBody* body = pbdrFindBody(world, id, &index);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    const double substeps = pbdrCountSubsteps(time, world->scene.timeStep);
    if (body->kind != pbdr_bodyKinematic || !pbdrFitsPrecision(pose.position, world->scene.precision) ||
        pbdrCheckRotation(pose.rotation, "rotation", NULL) != pbdr_statusOk || !(time >= 0.0) ||
        !(substeps <= PBDR_MAX_TARGET_SUBSTEPS)) {
        return pbdr_statusInvalidArgument;
    }
    pose.rotation = pbdrNormalizeQ(pose.rotation);
    body->target = (pbdrTarget){pose, (int32_t)substeps};
    body->force = body->torque = body->stepForce = body->stepTorque = pbdrVec(0.0, 0.0, 0.0);
    world->hasTargets = true;
    return pbdr_statusOk;
}

bool pbdrBody_GetTarget(const pbdrWorld* world, pbdrBodyId id, pbdrPose* pose, double* time)
{
    const pbdrBody* body = findBody(world, id);
    const bool found = body != NULL && body->target.substeps > 0;
    if (found && pose != NULL) {
        *pose = body->target.pose;
    }
    if (found && time != NULL) {
        *time = body->target.substeps * world->scene.timeStep;
    }
    return found;
}

// --- Friction, filter, constants and particles ---

// What a body's surface has to do with wakes: its own island, or, where islands end at it, everything.
static void wakeAround(const pbdrWorld* world, pbdrBody* body)
{
    if (body->kind == pbdr_bodyDynamic) {
        pbdrWakeBody(body);
    } else {
        pbdrWakeAll(&world->scene);
    }
}

bool pbdrBody_IsAsleep(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL && body->asleep;
}

pbdrStatus pbdrBody_Wake(pbdrWorld* world, pbdrBodyId id)
{
    pbdrBody* body = findBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrWakeBody(body);
    return pbdr_statusOk;
}

pbdrStatus pbdrBody_SetFriction(pbdrWorld* world, pbdrBodyId id, double friction)
{
    pbdrBody* body = findBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckFriction(friction, NULL);
    if (status == pbdr_statusOk && friction != body->friction) {
        wakeAround(world, body);
        body->friction = friction;
    }
    return status;
}

double pbdrBody_GetFriction(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->friction : 0.0;
}

pbdrStatus pbdrBody_SetRestitution(pbdrWorld* world, pbdrBodyId id, double restitution)
{
    pbdrBody* body = findBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckRestitution(restitution, NULL);
    if (status == pbdr_statusOk && restitution != body->restitution) {
        wakeAround(world, body);
        body->restitution = restitution;
    }
    return status;
}

double pbdrBody_GetRestitution(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->restitution : 0.0;
}

pbdrStatus pbdrBody_SetFilter(pbdrWorld* world, pbdrBodyId id, pbdrFilter filter)
{
    pbdrBody* body = findBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    if (filter.category != body->filter.category || filter.mask != body->filter.mask) {
        world->engine->forgetContacts(world->engineState);
        body->filter = filter;
    }
    return pbdr_statusOk;
}

pbdrFilter pbdrBody_GetFilter(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->filter : (pbdrFilter){0, 0};
}

pbdrStatus pbdrBody_SetUserData(pbdrWorld* world, pbdrBodyId id, void* userData)
{
    pbdrBody* body = findBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    body->userData = userData;
    return pbdr_statusOk;
}

void* pbdrBody_GetUserData(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->userData : NULL;
}

pbdrBodyKind pbdrBody_GetKind(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->kind : pbdr_bodyStatic;
}

int pbdrWorld_GetBodies(const pbdrWorld* world, pbdrBodyId* buffer, int capacity)
{
    const pbdrScene* scene = &world->scene;
    int count = 0;
    for (int index = 0; index < scene->bodies.count; index++) {
        if (pbdrGetBody(scene, index)->alive && count++ < capacity) {
            buffer[count - 1] = pbdrGetBodyId(scene, index);
        }
    }
    return count;
}

double pbdrBody_GetMass(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->shape->mass : 0.0;
}

pbdrMat3 pbdrBody_GetRestInertia(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->shape->inertia : (pbdrMat3){{{0.0}}};
}

pbdrVec3 pbdrBody_GetRestCentre(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->shape->centre : pbdrVec(0.0, 0.0, 0.0);
}

const pbdrShape* pbdrBody_GetShape(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->shape : NULL;
}

pbdrParticleView pbdrBody_GetParticles(const pbdrWorld* world, pbdrBodyId id)
{
    int index;
    const pbdrBody* body = pbdrFindBody(world, id, &index);
    if (body == NULL) {
        return (pbdrParticleView){.count = 0};
    }
    return world->engine->getParticles != NULL ? world->engine->getParticles(world->engineState, index)
                                               : (pbdrParticleView){.count = body->shape->sphereCount};
}

int pbdrBody_GetPositions(const pbdrWorld* world, pbdrBodyId id, pbdrVec3* buffer, int capacity)
{
    int index;
    bool found = pbdrFindBody(world, id, &index) != NULL;
    return found ? world->engine->getPositions(world->engineState, index, buffer, capacity) : 0;
}
