// The joints of a substep, sorted by island.
#include "engine/xpbdr/island.h"

static bool isMover(const pbdrScene* scene, int index)
{
    return index >= 0 && !pbdrIsFixed(pbdrGetBody(scene, index));
}

static pbdrIsland* findIsland(const pbdrXpbdrWorld* world, const pbdrJoint* joint)
{
    const int owner = isMover(world->scene, joint->bodies[0]) ? joint->bodies[0] : joint->bodies[1];
    return (pbdrIsland*)world->islands.items + pbdrGetXpbdrBody(world, owner)->island;
}

// Where a side that no force moves is at the end of the substep.
static pbdrJointSide findEnd(pbdrScene* scene, int index)
{
    if (index >= 0 && pbdrGetBody(scene, index)->kind == pbdr_bodyKinematic) {
        pbdrBody body = *pbdrGetBody(scene, index);
        pbdrMoveDriven(scene, &body);
        return (pbdrJointSide){body.centre, body.frame, body.velocity, body.angular};
    }
    return pbdrGetJointSide(scene, index);
}

// The gears, whose axes are listed already. Those of an island that sleeps are left out, as its joints are.
static bool listGears(pbdrXpbdrWorld* world)
{
    pbdrScene* scene = world->scene;
    pbdrIsland* islands = world->islands.items;
    int count = 0;
    for (int k = 0; k < world->islands.count; k++) {
        islands[k].firstGear = count;
        count += islands[k].gearCount;
        islands[k].gearCount = 0;
    }
    world->activeGears.count = 0;
    if (count > 0 && !pbdrListReserve(&scene->memory, &world->activeGears, count)) {
        return false;
    }
    world->activeGears.count = count;
    for (int k = 0; count > 0 && k < scene->joints.count; k++) {
        const pbdrJoint* joint = pbdrGetJoint(scene, k);
        pbdrIsland* island = joint->alive && joint->kind == pbdr_jointGear ? findIsland(world, joint) : NULL;
        if (island == NULL || !island->awake) {
            continue;
        }
        pbdrActiveGear* gear =
            (pbdrActiveGear*)world->activeGears.items + island->firstGear + island->gearCount++;
        gear->joint = k;
        for (int side = 0; side < 4; side++) {
            gear->axes[side / 2] = pbdrGetJoint(scene, joint->axes[side / 2])->place;
            const pbdrActiveJoint* axis =
                (pbdrActiveJoint*)world->activeJoints.items + island->firstJoint + gear->axes[side / 2];
            gear->movers[side] = axis->movers[side % 2];
        }
    }
    return true;
}

bool pbdrListJoints(pbdrXpbdrWorld* world)
{
    pbdrScene* scene = world->scene;
    // not set to zero: they are large, and who solves fills them in
    world->activeJoints.count = 0;
    if (!pbdrListReserve(&scene->memory, &world->activeJoints, scene->jointCount)) {
        return false;
    }
    pbdrIsland* islands = world->islands.items;
    for (int k = 0; k < scene->joints.count; k++) {
        const pbdrJoint* joint = pbdrGetJoint(scene, k);
        pbdrIsland* island = pbdrIsHolding(joint) ? findIsland(world, joint) : NULL;
        if (island != NULL && island->awake) {
            *(joint->kind == pbdr_jointGear ? &island->gearCount : &island->jointCount) += 1;
        }
    }
    int count = 0;
    for (int k = 0; k < world->islands.count; k++) {
        islands[k].firstJoint = count;
        count += islands[k].jointCount;
        islands[k].jointCount = 0;
    }
    world->activeJoints.count = count;
    pbdrActiveJoint* actives = world->activeJoints.items;
    for (int k = 0; k < scene->joints.count; k++) {
        pbdrJoint* joint = pbdrGetJoint(scene, k);
        pbdrIsland* island = pbdrHasRows(joint) ? findIsland(world, joint) : NULL;
        if (island == NULL || !island->awake) {
            continue;
        }
        joint->place = island->jointCount;
        island->stirred = true; // what has joints does not sleep
        pbdrActiveJoint* active = &actives[island->firstJoint + island->jointCount++];
        active->joint = k;
        for (int side = 0; side < 2; side++) {
            const int body = joint->bodies[side];
            active->movers[side] = isMover(scene, body) ? pbdrGetXpbdrBody(world, body)->mover : -1;
            if (active->movers[side] < 0) {
                active->fixed[side] = findEnd(scene, body);
            }
        }
    }
    return listGears(world);
}
