// Movers: the dynamic bodies of a substep, with their loads.
#include "engine/xpbdr/island.h"

// Load of the torque and the gyroscopic effect: what changes w as rotation without contact would.
static pbdrVec3 getTurningLoad(const pbdrBody* body, const pbdrMat3* inertia, double dt)
{
    pbdrVec3 w = body->angular;
    pbdrVec3 spin = pbdrMulMV(inertia, w), torque = pbdrCross(spin, w);
    // rounding of a spherical top's, or of a body at rest
    if (pbdrLength(torque) <= 1.0e-14 * pbdrLength(spin) * pbdrLength(w)) {
        return body->torque;
    }
    pbdrQuat q = body->rotation;
    pbdrVec3 end = w;
    pbdrRotateUnderTorque(body, dt, &q, &end);
    return pbdrScale(1.0 / dt, pbdrMulMV(inertia, pbdrSub(end, w)));
}

void pbdrSetMover(const pbdrXpbdrWorld* world, int index, pbdrMover* mover)
{
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    mover->body = index;
    mover->mass = body->shape->mass;
    double trace = body->shape->turning.m[0][0] + body->shape->turning.m[1][1] + body->shape->turning.m[2][2];
    mover->gyration = sqrt(trace / (3.0 * body->shape->mass));
    mover->bounceTime = -1.0;
    mover->loaded = mover->swept = mover->stands = mover->flies = mover->kicked = false;
    mover->pushed = pbdrDot(body->force, body->force) > 0.0 || pbdrDot(body->torque, body->torque) > 0.0;
}

void pbdrLoadMovers(const pbdrXpbdrWorld* world, pbdrMover* movers, int count)
{
    for (int k = 0; k < count; k++) {
        pbdrMover* mover = &movers[k];
        const pbdrBody* body = pbdrGetBody(world->scene, mover->body);
        mover->inertia = pbdrTurnTensor(&body->frame, &body->shape->turning);
        pbdrVec3 pull = pbdrAddScaled(body->force, body->shape->mass, world->scene->gravity);
        mover->load = pbdrMakeTwist(pull, getTurningLoad(body, &mover->inertia, world->scene->timeStep));
    }
}

pbdrTwist pbdrGetFreeAcceleration(const pbdrBody* body, const pbdrMover* mover)
{
    pbdrMat3 inverse = pbdrTurnTensor(&body->frame, &body->shape->inverseTurning);
    return pbdrMakeTwist(pbdrScale(1.0 / mover->mass, pbdrGetLinear(&mover->load)),
                         pbdrMulMV(&inverse, pbdrGetAngular(&mover->load)));
}
