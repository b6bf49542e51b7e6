// Accelerations of all bodies and joints at the present state, without contacts.
#include "engine/xpbdr/kernels.h"
#include "engine/xpbdr/mechanism.h"

static void listLinks(pbdrXpbdrWorld* world, pbdrMechanism* mechanism)
{
    const pbdrScene* scene = world->scene;
    for (int index = 0; index < scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(scene, index);
        if (body->alive && !pbdrIsFixed(body)) {
            pbdrGetXpbdrBody(world, index)->mover = mechanism->linkCount;
            mechanism->links[mechanism->linkCount++] =
                (pbdrLink){.body = body, .inertia = pbdrTurnTensor(&body->frame, &body->shape->turning)};
        }
    }
}

static void listJoints(const pbdrXpbdrWorld* world, pbdrMechanism* mechanism)
{
    const pbdrScene* scene = world->scene;
    for (int index = 0; index < scene->joints.count; index++) {
        const pbdrJoint* joint = pbdrGetJoint(scene, index);
        mechanism->gearCount += joint->alive && joint->kind == pbdr_jointGear;
        if (!pbdrHasRows(joint)) {
            continue;
        }
        pbdrActiveJoint* active = &mechanism->joints[mechanism->jointCount++];
        *active = (pbdrActiveJoint){.joint = index};
        for (int side = 0; side < 2; side++) {
            const int body = joint->bodies[side];
            const bool moves = body >= 0 && !pbdrIsFixed(pbdrGetBody(scene, body));
            active->movers[side] = moves ? pbdrGetXpbdrBody(world, body)->mover : -1;
        }
    }
}

pbdrStatus pbdrFindAccelerations(void* engine, pbdrVelocity* bodies, double* joints)
{
    pbdrXpbdrWorld* world = engine;
    pbdrScene* scene = world->scene;
    pbdrXpbdrWorker* worker = &world->workers[0];
    world->activeJoints.count = 0;
    if (!pbdrListReserve(&worker->memory, &worker->links, scene->bodies.count) ||
        !pbdrListReserve(&scene->memory, &world->activeJoints, scene->jointCount)) {
        return pbdr_statusNoMemory;
    }
    pbdrMechanism mechanism = {.world = world,
                               .links = worker->links.items,
                               .joints = world->activeJoints.items,
                               .dt = scene->timeStep};
    listLinks(world, &mechanism);
    listJoints(world, &mechanism);
    if (!pbdrIsTree(&mechanism)) {
        return pbdr_statusNotSupported;
    }
    if (!world->kernels->findTreeAccelerations(&mechanism)) {
        return pbdr_statusInvalidArgument;
    }
    for (int k = 0; k < mechanism.linkCount; k++) {
        const pbdrLinkNode* node = &mechanism.links[k].node;
        const int body = (int)(mechanism.links[k].body - pbdrGetBody(scene, 0));
        const double *way = node->x, *turn = node->x + PBDR_TURN;
        bodies[body] = (pbdrVelocity){{way[0], way[1], way[2]}, {turn[0], turn[1], turn[2]}};
        if (node->joint >= 0) {
            joints[mechanism.joints[node->joint].joint] = node->free == 1 ? node->u[0] : 0.0;
        }
    }
    return pbdr_statusOk;
}
