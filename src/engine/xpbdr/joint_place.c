// Where the joint of a link in a tree is, and which motions it leaves the link.
#include "engine/xpbdr/joint_kernel.h"

#include "math/angle.h"

#include <string.h>

// --- Where a joint is ---

static pbdrVec3 getColumn(const pbdrMat3* turn, const pbdrMat3* basis, int k)
{
    return pbdrMulMV(turn, pbdrVec(basis->m[0][k], basis->m[1][k], basis->m[2][k]));
}

static inline void findPlace(const pbdrJoint* joint, pbdrVec3 centreA, pbdrVec3 centreB,
                             const pbdrMat3* frameA, const pbdrMat3* frameB, int child, bool angle, bool gaps,
                             struct pbdrLinkPlace* place)
{
    const pbdrVec3 none = {0.0, 0.0, 0.0};
    const pbdrVec3 leverA = pbdrMulMV(frameA, joint->anchors[0]),
                   leverB = pbdrMulMV(frameB, joint->anchors[1]);
    const pbdrVec3 d = pbdrAdd(pbdrSub(centreB, centreA), pbdrSub(leverB, leverA));
    const double sign = child == 1 ? 1.0 : -1.0;
    place->gap = d;
    place->turn = none;
    place->lever = child == 1 ? leverB : leverA;
    place->along = 0.0;
    if (joint->kind == pbdr_jointBall) {
        return;
    }
    const pbdrVec3 axisB = getColumn(frameB, &joint->bases[1], 2);
    if (joint->kind == pbdr_jointHinge) {
        place->axis = axisB;
        if (!angle && !gaps) {
            return;
        }
    }
    const pbdrVec3 axisA = getColumn(frameA, &joint->bases[0], 2);
    if (joint->kind == pbdr_jointHinge) {
        place->turn = pbdrScale(sign, pbdrCross(axisB, axisA));
        if (!angle) {
            return;
        }
    }
    const pbdrVec3 sideA = getColumn(frameA, &joint->bases[0], 0),
                   sideB = getColumn(frameB, &joint->bases[1], 0);
    if (joint->kind == pbdr_jointHinge) {
        place->cosine = pbdrDot(sideA, sideB);
        place->sine = pbdrDot(pbdrCross(axisA, sideA), sideB);
        return;
    }
    const pbdrVec3 otherA = pbdrCross(axisA, sideA), otherB = pbdrCross(axisB, sideB);
    const pbdrVec3 turn =
        pbdrAdd(pbdrCross(axisB, axisA), pbdrAdd(pbdrCross(sideB, sideA), pbdrCross(otherB, otherA)));
    place->turn = pbdrScale(0.5 * sign, turn);
    if (joint->kind == pbdr_jointSlide) {
        place->axis = axisA;
        place->along = pbdrDot(axisA, d);
        place->gap = pbdrAddScaled(d, -place->along, axisA);
        place->lever = child == 1 ? leverB : pbdrAdd(leverA, d);
    }
}

// The pose of what a link hangs on, at the begin or the end.
static const pbdrMat3* findParent(const pbdrMechanism* mechanism, const pbdrLink* link, bool atEnd,
                                  pbdrVec3* centre, pbdrMat3* frame)
{
    const pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
    if (link->node.parent >= 0) {
        const pbdrLink* parent = &mechanism->links[link->node.parent];
        *centre = atEnd ? parent->centre : parent->body->centre;
        return atEnd ? &parent->frame : &parent->body->frame;
    }
    const int side = 1 - link->node.child;
    const pbdrJointSide fixed = atEnd ? active->fixed[side]
                                      : pbdrGetJointSide(mechanism->world->scene,
                                                         pbdrGetActiveJoint(mechanism, active)->bodies[side]);
    *centre = fixed.centre;
    *frame = fixed.turn;
    return frame;
}

void STAGE(pbdrPlaceLink)(const pbdrMechanism* mechanism, pbdrLink* link, bool atEnd, bool angle)
{
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, &mechanism->joints[link->node.joint]);
    const pbdrVec3 own = atEnd ? link->centre : link->body->centre;
    const pbdrMat3* frame = atEnd ? &link->frame : &link->body->frame;
    pbdrVec3 from;
    pbdrMat3 still;
    const pbdrMat3* parent = findParent(mechanism, link, atEnd, &from, &still);
    link->reach = pbdrSub(own, from);
    if (link->node.child == 1) {
        findPlace(joint, from, own, parent, frame, 1, angle, atEnd, &link->place);
    } else {
        findPlace(joint, own, from, frame, parent, 0, angle, atEnd, &link->place);
    }
}

// Which motions the joint leaves a link, where it is now: rows of S0 (acts 0) or S1 (acts 1).
void STAGE(pbdrSetFree)(const pbdrJoint* joint, pbdrLink* link, int acts)
{
    static const pbdrVec3 none = {0.0, 0.0, 0.0},
                          axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const pbdrVec3 lever = link->place.lever;
    const double sign = link->node.child == 1 ? 1.0 : -1.0;
    link->node.reach[acts] = link->reach;
    if (joint->kind == pbdr_jointSlide) {
        pbdrSetMotion(pbdrScale(sign, link->place.axis), none, link->node.motions[0].s[acts]);
    } else if (joint->kind == pbdr_jointHinge) {
        const pbdrVec3 turn = pbdrScale(sign, link->place.axis);
        pbdrSetMotion(pbdrCross(lever, turn), turn, link->node.motions[0].s[acts]);
    } else if (joint->kind == pbdr_jointBall) {
        for (int k = 0; k < 3; k++) {
            pbdrSetMotion(pbdrCross(lever, axes[k]), axes[k], link->node.motions[k].s[acts]);
        }
    } else {
        pbdrSetMotion(none, none, link->node.motions[0].s[acts]);
    }
}

// A hinge's angle nearest to a guess, which is off by less than a thousandth of a turn; or a slide's place.
double STAGE(pbdrFindPosition)(const pbdrJoint* joint, const struct pbdrLinkPlace* place, double guess)
{
    if (joint->kind == pbdr_jointSlide) {
        return place->along;
    }
    const double over = 1.0 / sqrt(place->sine * place->sine + place->cosine * place->cosine);
    double angle = guess;
    for (int k = 0; k < 4; k++) {
        double sineOver, cosine;
        pbdrSineAndCosine(angle, &sineOver, &cosine);
        const double sine = sineOver * angle;
        const double error = (sine * place->cosine - cosine * place->sine) * over; // its sine
        if (cosine * place->cosine + sine * place->sine < 0.7 / over) {            // far off
            const double here = pbdrFindAngle(place->sine, place->cosine);
            return here + 2.0 * PBDR_PI * floor((guess - here) / (2.0 * PBDR_PI) + 0.5);
        }
        angle -= error;
        if (fabs(error) < 1.0e-5) { // errors go to their cube
            break;
        }
    }
    return angle;
}

// A hinge's angle to a tenth, nearest to the last: where nothing but whole turns has to be known.
double STAGE(pbdrCountTurns)(const pbdrMechanism* mechanism, const pbdrLink* link, double last)
{
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, &mechanism->joints[link->node.joint]);
    const int child = link->node.child;
    pbdrVec3 centre;
    pbdrMat3 parent;
    const pbdrMat3* other = findParent(mechanism, link, true, &centre, &parent);
    const pbdrVec3 own = getColumn(&link->frame, &joint->bases[child], 0),
                   side = getColumn(other, &joint->bases[1 - child], 0);
    const double sign = child == 1 ? 1.0 : -1.0;
    const double cosine = pbdrDot(own, side), sine = sign * pbdrDot(link->place.axis, pbdrCross(side, own));
    const double a = fabs(sine), b = fabs(cosine);
    double here = 0.5 * PBDR_PI * a / (a + b);
    here = cosine < 0.0 ? PBDR_PI - here : here;
    here = sine < 0.0 ? -here : here;
    return here + 2.0 * PBDR_PI * floor((last - here) / (2.0 * PBDR_PI) + 0.5);
}

// --- Begin ---

static pbdrVec3 getMotionAt(pbdrVec3 velocity, pbdrVec3 angular, pbdrVec3 lever)
{
    return pbdrAdd(velocity, pbdrCross(angular, lever));
}

// Rate of the axis: B's motion along it less A's.
static double getAxisRate(const pbdrLink* link, const pbdrJoint* joint, const double own[6],
                          const double parent[6])
{
    const double* motions[2];
    motions[link->node.child] = own;
    motions[1 - link->node.child] = parent;
    const pbdrVec3 axis = link->place.axis;
    if (joint->kind == pbdr_jointHinge) {
        return axis.x * (motions[1][3] - motions[0][3]) + axis.y * (motions[1][4] - motions[0][4]) +
               axis.z * (motions[1][5] - motions[0][5]);
    }
    const pbdrVec3 ownWay =
        getMotionAt(pbdrVec(own[0], own[1], own[2]), pbdrVec(own[3], own[4], own[5]), link->place.lever);
    const pbdrVec3 otherWay =
        getMotionAt(pbdrVec(parent[0], parent[1], parent[2]), pbdrVec(parent[3], parent[4], parent[5]),
                    pbdrAdd(link->reach, link->place.lever));
    return (link->node.child == 1 ? 1.0 : -1.0) * pbdrDot(axis, pbdrSub(ownWay, otherWay));
}

void STAGE(pbdrStartTreeJoint)(const pbdrMechanism* mechanism, pbdrLink* link)
{
    pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
    const pbdrScene* scene = mechanism->world->scene;
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    const bool law = pbdrHasAxisLaw(joint);
    STAGE(pbdrPlaceLink)(mechanism, link, false, law);
    STAGE(pbdrSetFree)(joint, link, 0);
    link->levers[0] = link->place.lever;
    active->push[PBDR_JOINT_AXIS] = active->pull[PBDR_JOINT_AXIS] = 0.0;
    if (joint->kind != pbdr_jointHinge && joint->kind != pbdr_jointSlide) {
        active->axis.active = false;
        active->axis.hold = PBDR_HOLD_NONE;
    } else if (!law) {
        active->axis.active = false;
        active->axis.hold = PBDR_HOLD_NONE;
        active->axis.place = joint->position;
    } else {
        double own[6], other[6];
        pbdrSetMotion(link->body->velocity, link->body->angular, own);
        if (link->node.parent >= 0) {
            const pbdrBody* parent = mechanism->links[link->node.parent].body;
            pbdrSetMotion(parent->velocity, parent->angular, other);
        } else {
            const pbdrJointSide side = pbdrGetJointSide(scene, joint->bodies[1 - link->node.child]);
            pbdrSetMotion(side.velocity, side.angular, other);
        }
        pbdrStartAxisAt(scene, joint, STAGE(pbdrFindPosition)(joint, &link->place, joint->position),
                        getAxisRate(link, joint, own, other), &active->axis);
    }
}
