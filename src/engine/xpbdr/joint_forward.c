// Accelerations of a tree of joints at its present state, without contacts: A x + p = f (joint_tree.h) with x the
// acceleration, p what turning and loads ask for, and c what a link's acceleration is by velocities alone:
//
//   c = (w_p x (w_p x rho) - w x (w x l) + 2 w_p x v - c_w x l,  c_w = w_p x (w - w_p))
//
// rho and l go from the parent's and the link's centre to the joint, v is a slide's velocity.
#include "engine/xpbdr/joint_kernel.h"

// The motion of what a link hangs on.
static void getParentMotion(const pbdrMechanism* mechanism, const pbdrLink* link, pbdrVec3* velocity,
                            pbdrVec3* angular)
{
    if (link->node.parent >= 0) {
        const pbdrBody* parent = mechanism->links[link->node.parent].body;
        *velocity = parent->velocity;
        *angular = parent->angular;
        return;
    }
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, &mechanism->joints[link->node.joint]);
    const pbdrJointSide side = pbdrGetJointSide(mechanism->world->scene, joint->bodies[1 - link->node.child]);
    *velocity = side.velocity;
    *angular = side.angular;
}

static void openJoint(const pbdrMechanism* mechanism, pbdrLink* link)
{
    pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    pbdrLinkNode* node = &link->node;
    STAGE(pbdrStartTreeJoint)(mechanism, link);
    node->free = joint->kind == pbdr_jointBall ? 3 : pbdrHasAxis(joint) ? 1 : 0;
    node->ball = NULL;
    memcpy(node->reach[1], node->reach[0], sizeof node->reach[1]);
    for (int k = 0; k < 3; k++) {
        memcpy(node->motions[k].s[1], node->motions[k].s[0], sizeof node->motions[k].s[1]);
    }
    const pbdrVec3 lever = link->place.lever, rho = pbdrAdd(pbdrGetWay(node->reach[0]), lever),
                   w = link->body->angular;
    pbdrVec3 from, turn, relative = {0.0, 0.0, 0.0};
    getParentMotion(mechanism, link, &from, &turn);
    if (joint->kind == pbdr_jointSlide) {
        relative =
            pbdrSub(pbdrAdd(link->body->velocity, pbdrCross(w, lever)), pbdrAdd(from, pbdrCross(turn, rho)));
    }
    const pbdrVec3 turning = pbdrCross(turn, w);
    pbdrVec3 way = pbdrSub(pbdrCross(turn, pbdrCross(turn, rho)), pbdrCross(w, pbdrCross(w, lever)));
    way = pbdrSub(pbdrAddScaled(way, 2.0, pbdrCross(turn, relative)), pbdrCross(turning, lever));
    pbdrSetMotion(way, turning, node->c);
    node->slope = 0.0;
    node->closes = node->symmetric = true;
    if (active->axis.active) {
        const pbdrAxisLine line = pbdrGetAxisLine(joint, &active->axis);
        node->slope = joint->armature;
        node->r[0] = line.alpha - line.beta * active->axis.place - line.gamma * active->axis.rate -
                     active->axis.signs[0] * joint->friction;
    } else if (joint->ballLaw) {
        const struct pbdrBallLaw* ball = &active->ball;
        const pbdrVec3 torque =
            pbdrAddScaled(pbdrScale(-joint->stiffness, ball->start), -joint->damping, ball->rate);
        node->slope = joint->armature;
        memcpy(node->r, &torque, sizeof torque);
        for (int k = 0; k < 3; k++) {
            node->r[k] -= ball->signs[k] * joint->friction;
        }
    }
}

bool STAGE(pbdrFindTreeAccelerations)(pbdrMechanism* mechanism)
{
    const pbdrLinkTree tree = pbdrGetTree(mechanism);
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        const pbdrBody* body = link->body;
        const pbdrVec3 pull = pbdrAddScaled(body->force, body->shape->mass, mechanism->world->scene->gravity);
        const pbdrVec3 gyration = pbdrCross(body->angular, pbdrMulMV(&link->inertia, body->angular));
        pbdrSetMotion(pbdrScale(-1.0, pull), pbdrSub(gyration, body->torque), link->node.p);
        pbdrSetMass(body->shape->mass, &link->inertia, &link->node);
        if (link->node.joint >= 0) {
            openJoint(mechanism, link);
        }
    }
    return STAGE(pbdrFactorTree)(&tree, 1) && STAGE(pbdrMoveNodes)(&tree, 1);
}
