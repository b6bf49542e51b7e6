// What the joints of a tree did in a substep, into the joints.
#include "engine/xpbdr/joint_kernel.h"

void STAGE(pbdrNoteTreeReactions)(const pbdrMechanism* mechanism)
{
    const double over = 1.0 / mechanism->dt;
    // whole turns of hinges that nothing drives are counted now and then; in between their rate is good enough
    const bool counts = mechanism->world->scene->substepCount % 16 == 0;
    for (int k = 0; k < mechanism->linkCount; k++) {
        const pbdrLink* link = &mechanism->links[k];
        if (link->node.joint < 0) {
            continue;
        }
        const pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
        pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
        const double sign = link->node.child == 1 ? over : -over;
        pbdrVec3 force = {0.0, 0.0, 0.0}, torque = {0.0, 0.0, 0.0};
        for (int end = 0; end < 2; end++) {
            const double* w = link->wrenches[end];
            const pbdrVec3 f = pbdrGetWay(w);
            force = pbdrAddScaled(force, sign, f);
            torque = pbdrAddScaled(torque, sign, pbdrSub(pbdrGetTurn(w), pbdrCross(link->levers[end], f)));
        }
        joint->reaction = (pbdrWrench){force, torque};
        joint->axisForce = 0.0;
        if (pbdrHasAxis(joint)) {
            joint->axisForce = over * (active->push[PBDR_JOINT_AXIS] + active->pull[PBDR_JOINT_AXIS]);
            joint->position = active->axis.active              ? active->axis.at
                              : joint->kind == pbdr_jointSlide ? link->place.along
                              : counts                         ? STAGE(pbdrCountTurns)(link, joint->position)
                                       : joint->position + mechanism->dt * link->node.u[0];
        }
        joint->work = pbdrHasAxis(joint) ? joint->axisForce * (joint->position - active->axis.place) : 0.0;
        joint->hold = active->axis.hold;
        if (joint->ballLaw) {
            pbdrNoteBall(active, joint, mechanism->dt);
        }
        memset(joint->forces, 0, sizeof joint->forces);
    }
}
