// Motion: positions move with the mean of the old and the new velocity, orientations likewise: second order,
// and exact under constant forces. A body whose contacts stop it within the substep (an impact) moves with
// the new velocity instead, which the constraint was stated for: the mean would drive it in.
#include "engine/xpbdr/island.h"
#include "tasks/tasks.h"

#include <string.h>

// How far a body that rests moves before it does [m]: some units in the last place of its coordinates.
#define STAY 1.0e-15

static void turnBy(pbdrBody* body, pbdrVec3 angle)
{
    body->rotation = pbdrNormalizeQ(pbdrMulQQ(pbdrQuatFromVector(angle), body->rotation));
}

// Freely until the impact, and freely from then on; what something holds besides does not fall in between, or it would
// by g dt^2/2 into what it lies on, and be thrown out in the next substep.
static void moveThroughBounce(pbdrXpbdrWorld* world, pbdrBody* body, const pbdrMover* mover, pbdrVec3 drift,
                              pbdrVec3 angular)
{
    double before = mover->bounceTime, after = world->scene->timeStep - before;
    const pbdrTwist free = mover->held ? pbdrStill : pbdrGetFreeAcceleration(body, mover);
    pbdrVec3 a = pbdrGetLinear(&free), alpha = pbdrGetAngular(&free);
    pbdrVec3 way = pbdrAddScaled(pbdrScale(before, body->velocity), 0.5 * before * before, a);
    way = pbdrAddScaled(pbdrAddScaled(way, after, drift), -0.5 * after * after, a);
    pbdrVec3 angle = pbdrAddScaled(pbdrScale(before, body->angular), 0.5 * before * before, alpha);
    angle = pbdrAddScaled(pbdrAddScaled(angle, after, angular), -0.5 * after * after, alpha);
    body->centre = pbdrAdd(body->centre, way);
    turnBy(body, angle);
}

// Adds a small change to a sum, and what rounding took of it to the next change (Kahan): the same change, substep after
// substep, is rounded to the same side each time, and the box of Test 1 ends 1e-12 m away.
static void addCarefully(pbdrVec3* sum, pbdrVec3 change, pbdrVec3* left)
{
    const pbdrVec3 whole = pbdrAdd(change, *left), old = *sum;
    *sum = pbdrAdd(old, whole);
    *left = pbdrSub(whole, pbdrSub(*sum, old));
}

// Moves and turns a body that was swept. What is less than rounding is added up and left for later, so that a body that
// rests stays where it is, to the bit, and what was found of its contacts holds.
static void moveOrStay(pbdrBody* body, pbdrXpbdrBody* own, pbdrVec3 way, pbdrVec3 angle)
{
    const pbdrVec3 wholeWay = pbdrAdd(way, own->centreLeft), wholeAngle = pbdrAdd(angle, own->turnLeft);
    const double radius = fmax(body->shape->surface.radius, body->shape->reach);
    if (pbdrLength(wholeWay) + pbdrLength(wholeAngle) * radius < STAY) {
        own->centreLeft = wholeWay;
        own->turnLeft = wholeAngle;
        return;
    }
    addCarefully(&body->centre, way, &own->centreLeft);
    own->turnLeft = pbdrVec(0.0, 0.0, 0.0);
    turnBy(body, wholeAngle);
}

// To where impacts.c or mechanism.c has followed it.
static void endFlight(pbdrBody* body, pbdrXpbdrBody* own, const pbdrMover* mover)
{
    const pbdrFlightEnd* end = &mover->end;
    body->centre = end->centre;
    body->rotation = end->rotation;
    body->velocity = end->velocity;
    body->angular = end->angular;
    body->frame = pbdrMatFromQuat(body->rotation);
    own->hasLastStep = own->swept = false;
    own->kicked = mover->kicked;
    if (mover->kicked) {
        memcpy(own->lastStep, mover->y.v, sizeof own->lastStep);
    }
}

static void moveBody(pbdrXpbdrWorld* world, const pbdrMover* mover)
{
    pbdrBody* body = pbdrGetBody(world->scene, mover->body);
    pbdrXpbdrBody* own = pbdrGetXpbdrBody(world, mover->body);
    if (mover->flies) {
        endFlight(body, own, mover);
        return;
    }
    if (mover->stands) {
        body->velocity = body->angular = own->velocityLeft = pbdrVec(0.0, 0.0, 0.0);
        own->hasLastStep = own->kicked = false;
        own->swept = true;
        return;
    }
    double dt = world->scene->timeStep;
    pbdrVec3 drift = body->velocity;
    addCarefully(&drift, pbdrScale(1.0 / dt, pbdrGetLinear(&mover->y)), &own->velocityLeft);
    pbdrVec3 angular = pbdrAddScaled(body->angular, 1.0 / dt, pbdrGetAngular(&mover->y));
    bool impact = pbdrIsImpact(mover);
    bool bounces = mover->loaded && mover->bounceTime >= 0.0;
    if (bounces) {
        moveThroughBounce(world, body, mover, drift, angular);
    } else if (mover->loaded && mover->swept) {
        const pbdrVec3 from = impact ? drift : body->velocity, spin = impact ? angular : body->angular;
        moveOrStay(body, own, pbdrScale(0.5 * dt, pbdrAdd(from, drift)),
                   pbdrScale(0.5 * dt, pbdrAdd(spin, angular)));
    } else if (impact) {
        addCarefully(&body->centre, pbdrScale(dt, drift), &own->centreLeft);
        turnBy(body, pbdrScale(dt, angular));
    } else if (mover->loaded) {
        addCarefully(&body->centre, pbdrScale(0.5 * dt, pbdrAdd(body->velocity, drift)), &own->centreLeft);
        turnBy(body, pbdrScale(0.5 * dt, pbdrAdd(body->angular, angular)));
    } else {
        addCarefully(&body->centre, pbdrScale(0.5 * dt, pbdrAdd(body->velocity, drift)), &own->centreLeft);
        pbdrVec3 w = body->angular;
        pbdrRotateUnderTorque(body, dt, &body->rotation, &w);
    }
    body->velocity = drift;
    body->angular = angular;
    body->frame = pbdrMatFromQuat(body->rotation);
    memcpy(own->lastStep, mover->y.v, sizeof own->lastStep);
    own->hasLastStep = mover->loaded && !mover->lost && !bounces && !mover->swept;
    own->swept = mover->loaded && mover->swept;
    own->turnLeft = own->swept ? own->turnLeft : pbdrVec(0.0, 0.0, 0.0);
    own->kicked = false;
}

// Shares of the movers, where they are many.
#define SHARES 64
#define MANY 256

// Bodies of a share of the movers: nothing of them is another's.
static void moveShare(void* data, int index, int worker)
{
    pbdrXpbdrWorld* world = data;
    const pbdrMover* movers = world->movers.items;
    const int64_t count = world->movers.count;
    (void)worker;
    for (int64_t k = index * count / SHARES; k < (index + 1) * count / SHARES; k++) {
        moveBody(world, &movers[k]);
    }
}

void pbdrMoveBodies(pbdrXpbdrWorld* world)
{
    if (world->movers.count >= MANY) {
        pbdrRunKeptTasks(world->scene->tasks, SHARES, moveShare, world);
    } else {
        const pbdrMover *mover = world->movers.items, *end = mover + world->movers.count;
        for (; mover != end; mover++) {
            moveBody(world, mover);
        }
    }
    for (int index = 0; index < world->scene->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(world->scene, index);
        if (body->alive && body->kind == pbdr_bodyKinematic) {
            pbdrMoveDriven(world->scene, body);
        }
    }
}
