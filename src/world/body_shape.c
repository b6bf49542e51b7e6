// Shapes of bodies: what a world holds of them, and giving a body another one.
#include "world/definition.h"
#include "world/internal.h"

// PBD and PBD-R in reduced coordinates take rest offsets, radii and masses as float has them. One copy
// serves all bodies of a shape.
typedef struct RoundedShape {
    pbdrShape *shape, *rounded;
} RoundedShape;

pbdrShape* pbdrHoldShape(pbdrWorld* world, pbdrShape* shape)
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

pbdrStatus pbdrBody_SetShape(pbdrWorld* world, pbdrBodyId id, pbdrShape* shape, pbdrError* error)
{
    int index;
    pbdrBody* body = pbdrFindBody(world, id, &index);
    if (body == NULL) {
        return pbdrFail(error, pbdr_statusInvalidId, "body: no such body");
    }
    if (shape == NULL || (shape->open && body->kind == pbdr_bodyDynamic)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "body: no shape, or an open mesh for one that moves");
    }
    pbdrStatus status = pbdrCheckShape(shape, world->scene.precision, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    const pbdrPose pose = world->engine->getPose(world->engineState, index);
    const pbdrVelocity velocity = world->engine->getVelocity(world->engineState, index);
    pbdrShape* held = pbdrHoldShape(world, shape);
    world->engine->forgetContacts(world->engineState);
    if (held != NULL && world->engine->removeBody != NULL) {
        world->engine->removeBody(world->engineState, index);
    }
    if (held == NULL || !world->engine->addBody(world->engineState, index, held)) {
        // where an engine has just given room back, it has room for the first shape
        if (held != NULL && world->engine->addBody(world->engineState, index, body->shape)) {
            world->engine->place(world->engineState, index, pose.position, velocity);
        }
        pbdrReleaseShape(held);
        return pbdrFail(error, pbdr_statusNoMemory, "body: out of memory for %d spheres", shape->sphereCount);
    }
    pbdrReleaseShape((pbdrShape*)body->shape);
    body->shape = held;
    body->rotation = pose.rotation;
    world->engine->place(world->engineState, index, pose.position, velocity);
    return pbdr_statusOk;
}
