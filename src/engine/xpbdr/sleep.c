// Sleeping: islands at rest are left out of the substep until something disturbs them (pbdrWorld_SetSleeping).
//
//   islands.c  an island whose bodies all sleep has no movers and no active patches; one with a body that is awake, or
//              that a moving kinematic body is near, wakes as a whole
//   here       which islands fall asleep at the end of a substep
//
// All of it goes in the order of islands, in one thread, so that no bit depends on how many there are.
#include "contact/search.h"
#include "engine/xpbdr/island.h"

// Speed of a body's fastest point, or more [m/s].
static double getPointSpeed(const pbdrScene* scene, const pbdrBody* body)
{
    const double reach = pbdrGetLever(scene, body) + body->shape->largestRadius;
    return pbdrLength(body->velocity) + reach * pbdrLength(body->angular);
}

bool pbdrIsStill(const pbdrBody* body)
{
    const double motion = pbdrLength(body->velocity) + pbdrLength(body->angular) + pbdrLength(body->force) +
                          pbdrLength(body->torque);
    return body->kind == pbdr_bodyStatic || (motion == 0.0 && body->target.substeps == 0);
}

bool pbdrIsAllAsleep(const pbdrXpbdrWorld* world)
{
    for (int index = 0; index < world->scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(world->scene, index);
        if (body->alive && (body->kind == pbdr_bodyDynamic ? !body->asleep : !pbdrIsStill(body))) {
            return false;
        }
    }
    return true;
}

// Bodies that nothing bears do not rest, however slow they are: at the height of a throw, or without gravity.
static bool isQuiet(const pbdrXpbdrWorld* world, const pbdrIsland* island, const pbdrMover* movers)
{
    bool quiet = !island->stirred && island->flags == 0;
    for (int k = 0; quiet && k < island->moverCount; k++) {
        quiet = movers[k].loaded &&
                getPointSpeed(world->scene, pbdrGetBody(world->scene, movers[k].body)) <= PBDR_SLEEP_SPEED;
    }
    return quiet;
}

void pbdrRestIslands(pbdrXpbdrWorld* world)
{
    const pbdrIsland* islands = world->islands.items;
    for (int k = 0; k < world->islands.count; k++) {
        const pbdrIsland* island = &islands[k];
        const pbdrMover* movers = (const pbdrMover*)world->movers.items + island->firstMover;
        const bool quiet = isQuiet(world, island, movers);
        double least = PBDR_SLEEP_TIME;
        for (int i = 0; i < island->moverCount; i++) {
            pbdrBody* body = pbdrGetBody(world->scene, movers[i].body);
            body->quietTime = quiet ? body->quietTime + world->scene->timeStep : 0.0;
            least = fmin(least, body->quietTime);
        }
        for (int i = 0; least >= PBDR_SLEEP_TIME && i < island->moverCount; i++) {
            pbdrBody* body = pbdrGetBody(world->scene, movers[i].body);
            body->asleep = true;
            body->velocity = body->angular = pbdrVec(0.0, 0.0, 0.0);
            pbdrGetXpbdrBody(world, movers[i].body)->velocityLeft = pbdrVec(0.0, 0.0, 0.0);
        }
    }
}
