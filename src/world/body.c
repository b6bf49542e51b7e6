// Bodies: creation and destruction, pose, velocity, momentum, applied force.
#include "world/definition.h"
#include "world/internal.h"

// --- Look-up ---

bool pbdrBody_IsValid(const pbdrWorld* world, pbdrBodyId id)
{
    if (id.index1 < 1 || id.index1 > world->scene.bodies.count) {
        return false;
    }
    const pbdrBody* body = pbdrGetBody(&world->scene, id.index1 - 1);
    return body->alive && body->generation == id.generation;
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

// --- Shapes ---

// PBD and PBD-R in reduced coordinates take rest offsets, radii and masses as float has them. One copy
// serves all bodies of a shape.
typedef struct RoundedShape {
    pbdrShape *shape, *rounded;
} RoundedShape;

// The shape that a body of this world holds, a reference taken; NULL without memory.
static pbdrShape* holdShape(pbdrWorld* world, pbdrShape* shape)
{
    if (world->scene.precision == pbdr_precisionF64 || world->engineKind == pbdr_engineParticle ||
        world->scene.solver == pbdr_solverXpbdR) {
        return pbdrRetainShape(shape);
    }
    RoundedShape* known = world->shapes.items;
    for (int k = 0; k < world->shapes.count; k++) {
        if (known[k].shape == shape) {
            return pbdrRetainShape(known[k].rounded);
        }
    }
    pbdrShape* rounded = pbdrRoundShape(shape);
    RoundedShape* place = rounded != NULL ? pbdrListPush(&world->scene.memory, &world->shapes) : NULL;
    if (place == NULL) {
        pbdrReleaseShape(rounded);
        return NULL;
    }
    *place = (RoundedShape){pbdrRetainShape(shape), rounded};
    return pbdrRetainShape(rounded);
}

void pbdrReleaseShapes(pbdrWorld* world)
{
    for (int index = 0; index < world->scene.bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(&world->scene, index);
        if (body->alive) {
            pbdrReleaseShape((pbdrShape*)body->shape);
        }
    }
    const RoundedShape* known = world->shapes.items;
    for (int k = 0; k < world->shapes.count; k++) {
        pbdrReleaseShape(known[k].shape);
        pbdrReleaseShape(known[k].rounded);
    }
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

pbdrStatus pbdrCreateBodyFromShape(pbdrWorld* world, const pbdrBodyDef* def, pbdrShape* shape, pbdrBodyId* id,
                                   pbdrError* error)
{
    if (id != NULL) {
        *id = (pbdrBodyId){0, 0};
    }
    pbdrScene* scene = &world->scene;
    pbdrStatus status = pbdrCheckBodyDef(def, scene->precision, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (shape == NULL) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "body: no shape");
    }
    status = pbdrCheckShape(shape, scene->precision, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    world->engine->forgetContacts(world->engineState);
    const int placeCount = scene->bodies.count;
    int index = findFreeIndex(scene);
    pbdrShape* held = index < 0 ? NULL : holdShape(world, shape);
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
        .friction = def->friction,
        .rollingFriction = def->rollingFriction,
        .spinningFriction = def->spinningFriction,
        .restitution = def->restitution,
        .rotation = pbdrNormalizeQ(def->rotation),
    };
    scene->bodyCount++;
    world->engine->place(world->engineState, index, def->position, def->velocity);
    if (id != NULL) {
        *id = pbdrGetBodyId(scene, index);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCreateBody(pbdrWorld* world, const pbdrBodyDef* def, pbdrBodyId* id, pbdrError* error)
{
    if (id != NULL) {
        *id = (pbdrBodyId){0, 0};
    }
    pbdrStatus status = pbdrCheckBodyDef(def, world->scene.precision, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrShapeDef shapeDef = pbdrDefaultShapeDef();
    shapeDef.sphereCount = def->particleCount;
    shapeDef.positions = def->positions;
    shapeDef.radii = def->radii;
    shapeDef.masses = def->masses;
    shapeDef.extraInertia = def->extraInertia;
    shapeDef.hooks = world->scene.memory.hooks;
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
    world->engine->forgetContacts(world->engineState);
    world->engine->removeBody(world->engineState, index);
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

pbdrMomentum pbdrBody_GetMomentum(const pbdrWorld* world, pbdrBodyId id)
{
    int index;
    bool found = pbdrFindBody(world, id, &index) != NULL;
    return found ? world->engine->getMomentum(world->engineState, index)
                 : (pbdrMomentum){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
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
        if (!pbdrIsFiniteVec(velocity.linear) || !pbdrIsFiniteVec(velocity.angular)) {
            velocity =
                (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}; // a diverged body is brought back at rest
        }
        world->engine->forgetContacts(world->engineState);
        body->rotation = pbdrNormalizeQ(pose.rotation);
        world->engine->place(world->engineState, index, pose.position, velocity);
    }
    return status;
}

pbdrStatus pbdrBody_SetVelocity(pbdrWorld* world, pbdrBodyId id, pbdrVelocity velocity)
{
    int index;
    pbdrBody* body = pbdrFindBody(world, id, &index);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrPose pose = world->engine->getPose(world->engineState, index);
    bool good = body->kind != pbdr_bodyStatic && pbdrFitsPrecision(velocity.linear, world->scene.precision) &&
                pbdrFitsPrecision(velocity.angular, world->scene.precision) && pbdrIsFiniteVec(pose.position);
    if (!good) {
        return pbdr_statusInvalidArgument;
    }
    body->rotation = pose.rotation;
    world->engine->place(world->engineState, index, pose.position, velocity);
    return pbdr_statusOk;
}

// --- Applied force ---

pbdrStatus pbdrBody_SetForce(pbdrWorld* world, pbdrBodyId id, pbdrVec3 force)
{
    pbdrBody* body = findBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckVec(force, "force", NULL);
    body->force = status == pbdr_statusOk ? force : body->force;
    return status;
}

pbdrVec3 pbdrBody_GetForce(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->force : pbdrVec(0.0, 0.0, 0.0);
}

pbdrStatus pbdrBody_SetTorque(pbdrWorld* world, pbdrBodyId id, pbdrVec3 torque)
{
    pbdrBody* body = findBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckVec(torque, "torque", NULL);
    body->torque = status == pbdr_statusOk ? torque : body->torque;
    return status;
}

pbdrVec3 pbdrBody_GetTorque(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->torque : pbdrVec(0.0, 0.0, 0.0);
}

// --- Friction, constants and particles ---

pbdrStatus pbdrBody_SetFriction(pbdrWorld* world, pbdrBodyId id, double friction)
{
    pbdrBody* body = findBody(world, id);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    pbdrStatus status = pbdrCheckFriction(friction, NULL);
    body->friction = status == pbdr_statusOk ? friction : body->friction;
    return status;
}

double pbdrBody_GetFriction(const pbdrWorld* world, pbdrBodyId id)
{
    const pbdrBody* body = findBody(world, id);
    return body != NULL ? body->friction : 0.0;
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
