// Motion: positions move with the mean of the old and the new velocity, orientations likewise: second order,
// and exact under constant forces. A body whose contacts stop it within the substep (an impact) moves with
// the new velocity instead, which the constraint was stated for: the mean would drive it in.
#include "engine/xpbdr/island.h"

// Mean motion may drive a new contact in by this before it counts as an impact, and an old one [m].
#define IMPACT_FRESH 1.0e-8
#define IMPACT_OLD 1.0e-6

static void turnBy(pbdrBody* body, pbdrVec3 angle)
{
    body->rotation = pbdrNormalizeQ(pbdrMulQQ(pbdrQuatFromVector(angle), body->rotation));
}

// Freely until the impact, and freely from then on.
static void moveThroughBounce(pbdrXpbdrWorld* world, pbdrBody* body, const pbdrMover* mover, pbdrVec3 drift,
                              pbdrVec3 angular)
{
    double before = mover->bounceTime, after = world->scene->timeStep - before;
    pbdrTwist free = pbdrGetFreeAcceleration(body, mover);
    pbdrVec3 a = pbdrGetLinear(&free), alpha = pbdrGetAngular(&free);
    pbdrVec3 way = pbdrAddScaled(pbdrScale(before, body->velocity), 0.5 * before * before, a);
    way = pbdrAddScaled(pbdrAddScaled(way, after, drift), -0.5 * after * after, a);
    pbdrVec3 angle = pbdrAddScaled(pbdrScale(before, body->angular), 0.5 * before * before, alpha);
    angle = pbdrAddScaled(pbdrAddScaled(angle, after, angular), -0.5 * after * after, alpha);
    body->centre = pbdrAdd(body->centre, way);
    turnBy(body, angle);
}

static void moveBody(pbdrXpbdrWorld* world, const pbdrMover* mover)
{
    pbdrBody* body = pbdrGetBody(world->scene, mover->body);
    pbdrXpbdrBody* own = pbdrGetXpbdrBody(world, mover->body);
    double dt = world->scene->timeStep;
    pbdrVec3 drift = pbdrAddScaled(body->velocity, 1.0 / dt, pbdrGetLinear(&mover->y));
    pbdrVec3 angular = pbdrAddScaled(body->angular, 1.0 / dt, pbdrGetAngular(&mover->y));
    bool impact = mover->loaded && (mover->drivenFresh < -IMPACT_FRESH || mover->drivenOld < -IMPACT_OLD);
    bool bounces = mover->loaded && mover->bounceTime >= 0.0;
    if (bounces) {
        moveThroughBounce(world, body, mover, drift, angular);
    } else if (impact) {
        body->centre = pbdrAddScaled(body->centre, dt, drift);
        turnBy(body, pbdrScale(dt, angular));
    } else if (mover->loaded) {
        body->centre = pbdrAddScaled(body->centre, 0.5 * dt, pbdrAdd(body->velocity, drift));
        turnBy(body, pbdrScale(0.5 * dt, pbdrAdd(body->angular, angular)));
    } else {
        body->centre = pbdrAddScaled(body->centre, 0.5 * dt, pbdrAdd(body->velocity, drift));
        pbdrVec3 w = body->angular;
        pbdrRotateUnderTorque(body, dt, &body->rotation, &w);
    }
    body->velocity = drift;
    body->angular = angular;
    body->frame = pbdrMatFromQuat(body->rotation);
    bool keeps = mover->loaded && !impact && !bounces;
    for (int k = 0; k < 6; k++) {
        own->lag[k] = keeps ? mover->lag.v[k] : 0.0;
        own->lastStep[k] = mover->y.v[k];
    }
}

void pbdrMoveBodies(pbdrXpbdrWorld* world)
{
    const pbdrMover* movers = world->movers.items;
    for (int k = 0; k < world->movers.count; k++) {
        moveBody(world, &movers[k]);
    }
    for (int index = 0; index < world->scene->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(world->scene, index);
        if (body->alive && body->kind == pbdr_bodyKinematic) {
            pbdrMoveDriven(world->scene, body);
        }
    }
}
