// Mechanisms that turn fast move through a substep in several steps, as free bodies that turn fast do (rotation.c).
//
// Joints hold a link against its free rotation by kicks at both ends of a step. A spinning top on a point precesses too fast by
// a share of about (turn per step)^2/200.
#include "engine/xpbdr/mechanism.h"

#include <string.h>

// Turn of a link in a step, but for that about the axis of a hinge, which it goes on with undisturbed [rad]; steps at most.
#define LARGE_TURN 0.05
#define MOST_STEPS 8

// Leaves of a link's turning what is not about the axis of a hinge.
static void leaveAxis(const pbdrMechanism* mechanism, const pbdrJoint* joint, int side, int mover)
{
    pbdrLink* link = &mechanism->links[mover];
    const double(*basis)[3] = joint->bases[side].m;
    const pbdrVec3 w = link->body->angular,
                   axis = pbdrMulMV(&link->body->frame, pbdrVec(basis[0][2], basis[1][2], basis[2][2]));
    const double along = pbdrDot(axis, w);
    link->turning = pbdrMin(link->turning, pbdrDot(w, w) - along * along);
}

// Squares of how fast links turn, but for hinges' axes, at most.
static double getTurning(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->linkCount; k++) {
        const pbdrVec3 w = mechanism->links[k].body->angular;
        mechanism->links[k].turning = pbdrDot(w, w);
    }
    for (int j = 0; j < mechanism->jointCount; j++) {
        const pbdrActiveJoint* active = &mechanism->joints[j];
        const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
        for (int side = 0; side < 2 && joint->kind == pbdr_jointHinge; side++) {
            if (active->movers[side] >= 0) {
                leaveAxis(mechanism, joint, side, active->movers[side]);
            }
        }
    }
    double most = 0.0;
    for (int k = 0; k < mechanism->linkCount; k++) {
        most = pbdrMax(most, mechanism->links[k].turning);
    }
    return most;
}

bool pbdrIsCarried(const pbdrMechanism* mechanism)
{
    bool carried = false;
    for (int j = 0; j < mechanism->jointCount; j++) {
        const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, &mechanism->joints[j]);
        for (int side = 0; side < 2; side++) {
            const pbdrBody* body =
                joint->bodies[side] < 0 ? NULL : pbdrGetBody(mechanism->world->scene, joint->bodies[side]);
            carried = carried || (body != NULL && body->kind == pbdr_bodyKinematic && !pbdrIsStill(body));
        }
    }
    return carried;
}

int pbdrCountSteps(const pbdrMechanism* mechanism)
{
    const double limit = LARGE_TURN * LARGE_TURN / (mechanism->dt * mechanism->dt);
    double most = 0.0;
    for (int k = 0; k < mechanism->linkCount; k++) {
        const pbdrVec3 w = mechanism->links[k].body->angular;
        most = pbdrMax(most, pbdrDot(w, w));
    }
    if (most <= limit) {
        return 1;
    }
    most = getTurning(mechanism);
    if (most <= limit || pbdrIsCarried(mechanism)) {
        return 1;
    }
    const double steps = ceil(sqrt(most / limit));
    return steps < MOST_STEPS ? (int)steps : MOST_STEPS;
}

void pbdrSetBodyState(pbdrBody* body, const pbdrFlightEnd* state)
{
    body->centre = state->centre;
    body->rotation = state->rotation;
    body->velocity = state->velocity;
    body->angular = state->angular;
    body->frame = pbdrMatFromQuat(body->rotation);
}

// Sums of what joints did, and in the end means.
static void addReaction(const pbdrMechanism* mechanism, pbdrActiveJoint* active, int step, int steps)
{
    pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    if (step == 0) {
        active->reactions = (pbdrWrench){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        active->axisForces = active->works = 0.0;
    }
    active->reactions.force = pbdrAdd(active->reactions.force, joint->reaction.force);
    active->reactions.torque = pbdrAdd(active->reactions.torque, joint->reaction.torque);
    active->axisForces += joint->axisForce;
    active->works += joint->work;
    if (step == steps - 1) {
        joint->reaction = (pbdrWrench){pbdrScale(1.0 / steps, active->reactions.force),
                                       pbdrScale(1.0 / steps, active->reactions.torque)};
        joint->axisForce = active->axisForces / steps;
        joint->work = active->works;
    }
}

void pbdrEndStep(const pbdrMechanism* mechanism, const pbdrMover* movers, int step, int steps)
{
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        if (step == 0) {
            const pbdrBody* body = link->body;
            link->first = (pbdrFlightEnd){body->centre, body->rotation, body->velocity, body->angular};
        }
        pbdrSetBodyState(link->moved, step < steps - 1 ? &movers[k].end : &link->first);
        if (step < steps - 1) { // where the next one's search begins
            pbdrXpbdrBody* own = pbdrGetXpbdrBody(mechanism->world, movers[k].body);
            own->kicked = true;
            memcpy(own->lastStep, movers[k].y.v, sizeof own->lastStep);
        }
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        addReaction(mechanism, &mechanism->joints[k], step, steps);
    }
}
