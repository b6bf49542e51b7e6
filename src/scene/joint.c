// The lists of joints that bodies have.
#include "scene/scene.h"

bool pbdrAreJoined(const pbdrScene* scene, int indexA, int indexB)
{
    for (int32_t place = pbdrGetBody(scene, indexA)->firstJoint; place != 0;) {
        const pbdrJoint* joint = pbdrGetJoint(scene, (place - 1) / 2);
        const int side = (place - 1) % 2;
        if (joint->bodies[1 - side] == indexB && !joint->touch) {
            return true;
        }
        place = joint->next[side];
    }
    return false;
}

void pbdrEnlistJoint(const pbdrScene* scene, int index)
{
    pbdrJoint* joint = pbdrGetJoint(scene, index);
    for (int side = 0; side < 2; side++) {
        if (joint->bodies[side] >= 0) {
            pbdrBody* body = pbdrGetBody(scene, joint->bodies[side]);
            joint->next[side] = body->firstJoint;
            body->firstJoint = 1 + 2 * index + side;
        }
    }
}

void pbdrDelistJoint(const pbdrScene* scene, int index)
{
    const pbdrJoint* joint = pbdrGetJoint(scene, index);
    for (int side = 0; side < 2; side++) {
        if (joint->bodies[side] < 0) {
            continue;
        }
        int32_t* place = &pbdrGetBody(scene, joint->bodies[side])->firstJoint;
        while (*place != 1 + 2 * index + side) {
            place = &pbdrGetJoint(scene, (*place - 1) / 2)->next[(*place - 1) % 2];
        }
        *place = joint->next[side];
    }
}
