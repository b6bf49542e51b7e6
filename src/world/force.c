// Applied forces: those that last, those of the next step, and impulses.
#include "world/definition.h"
#include "world/internal.h"

#include "math/sym3.h"

// --- That last ---

// Sets one of a body's vectors. Whoever drives a body by force has no target for it.
static pbdrStatus setVec(pbdrBody* body, pbdrVec3* place, pbdrVec3 value)
{
    pbdrStatus status = pbdrCheckVec(value, "force or torque", NULL);
    if (status == pbdr_statusOk) {
        if (value.x != place->x || value.y != place->y || value.z != place->z) {
            pbdrWakeBody(body);
        }
        *place = value;
        body->target.substeps = 0;
    }
    return status;
}

pbdrStatus pbdrBody_SetForce(pbdrWorld* world, pbdrBodyId id, pbdrVec3 force)
{
    int index;
    pbdrBody* body = pbdrFindBody(world, id, &index);
    return body != NULL ? setVec(body, &body->force, force) : pbdr_statusInvalidId;
}

pbdrVec3 pbdrBody_GetForce(const pbdrWorld* world, pbdrBodyId id)
{
    int index;
    const pbdrBody* body = pbdrFindBody(world, id, &index);
    return body != NULL ? body->force : pbdrVec(0.0, 0.0, 0.0);
}

pbdrStatus pbdrBody_SetTorque(pbdrWorld* world, pbdrBodyId id, pbdrVec3 torque)
{
    int index;
    pbdrBody* body = pbdrFindBody(world, id, &index);
    return body != NULL ? setVec(body, &body->torque, torque) : pbdr_statusInvalidId;
}

pbdrVec3 pbdrBody_GetTorque(const pbdrWorld* world, pbdrBodyId id)
{
    int index;
    const pbdrBody* body = pbdrFindBody(world, id, &index);
    return body != NULL ? body->torque : pbdrVec(0.0, 0.0, 0.0);
}

// --- Of the next step ---

static pbdrStatus applyWrench(pbdrWorld* world, pbdrBody* body, pbdrVec3 force, pbdrVec3 torque)
{
    const pbdrVec3 stepForce = pbdrAdd(body->stepForce, force);
    const pbdrVec3 stepTorque = pbdrAdd(body->stepTorque, torque);
    // the sum with what lasts is what the solver sees
    if (body->kind == pbdr_bodyStatic || !pbdrIsFiniteVec(pbdrAdd(body->force, stepForce)) ||
        !pbdrIsFiniteVec(pbdrAdd(body->torque, stepTorque))) {
        return pbdr_statusInvalidArgument;
    }
    pbdrWakeBody(body);
    body->stepForce = stepForce;
    body->stepTorque = stepTorque;
    body->target.substeps = 0;
    world->hasStepForces = true;
    return pbdr_statusOk;
}

pbdrStatus pbdrBody_ApplyForce(pbdrWorld* world, pbdrBodyId id, pbdrVec3 force, pbdrVec3 point)
{
    int index;
    pbdrBody* body = pbdrFindBody(world, id, &index);
    if (body == NULL) {
        return pbdr_statusInvalidId;
    }
    const pbdrVec3 centre = world->engine->getPose(world->engineState, index).position;
    return applyWrench(world, body, force, pbdrCross(pbdrSub(point, centre), force));
}

pbdrStatus pbdrBody_ApplyTorque(pbdrWorld* world, pbdrBodyId id, pbdrVec3 torque)
{
    int index;
    pbdrBody* body = pbdrFindBody(world, id, &index);
    return body != NULL ? applyWrench(world, body, pbdrVec(0.0, 0.0, 0.0), torque) : pbdr_statusInvalidId;
}

// --- Impulses ---

// I^-1 of an angular impulse, with the inertia that the solver turns the body by.
static pbdrVec3 turnFaster(const pbdrScene* scene, const pbdrBody* body, pbdrQuat rotation, pbdrVec3 impulse)
{
    const pbdrMat3 turn = pbdrMatFromQuat(rotation);
    if (scene->solver == pbdr_solverXpbdR && body->kind == pbdr_bodyDynamic) {
        const pbdrMat3 inverse = pbdrTurnTensor(&turn, &body->shape->inverseTurning);
        return pbdrMulMV(&inverse, impulse);
    }
    const pbdrMat3 inertia = pbdrTurnTensor(&turn, &body->shape->inertia);
    return pbdrSymSolve(&inertia, impulse, pbdrGetInertiaCutoff(scene));
}

static pbdrStatus applyImpulse(pbdrWorld* world, int index, pbdrVec3 linear, pbdrVec3 angular,
                               const pbdrPose* pose)
{
    const pbdrBody* body = pbdrGetBody(&world->scene, index);
    pbdrVelocity velocity = world->engine->getVelocity(world->engineState, index);
    velocity.linear = pbdrAddScaled(velocity.linear, 1.0 / body->shape->mass, linear);
    velocity.angular = pbdrAdd(velocity.angular, turnFaster(&world->scene, body, pose->rotation, angular));
    return pbdrChangeVelocity(world, index, pose, velocity);
}

pbdrStatus pbdrBody_ApplyImpulse(pbdrWorld* world, pbdrBodyId id, pbdrVec3 impulse, pbdrVec3 point)
{
    int index;
    if (pbdrFindBody(world, id, &index) == NULL) {
        return pbdr_statusInvalidId;
    }
    const pbdrPose pose = world->engine->getPose(world->engineState, index);
    const pbdrVec3 angular = pbdrCross(pbdrSub(point, pose.position), impulse);
    return applyImpulse(world, index, impulse, angular, &pose);
}

pbdrStatus pbdrBody_ApplyAngularImpulse(pbdrWorld* world, pbdrBodyId id, pbdrVec3 impulse)
{
    int index;
    if (pbdrFindBody(world, id, &index) == NULL) {
        return pbdr_statusInvalidId;
    }
    const pbdrPose pose = world->engine->getPose(world->engineState, index);
    return applyImpulse(world, index, pbdrVec(0.0, 0.0, 0.0), impulse, &pose);
}
