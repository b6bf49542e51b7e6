// Where the joint of a link in a tree is, and which motions it leaves the link.
#include "engine/xpbdr/joint_kernel.h"

#include "math/angle.h"

#include <string.h>

// --- Where a joint is ---

static pbdrVec3 getColumn(const pbdrMat3* turn, const pbdrMat3* basis, int k)
{
    return pbdrMulMV(turn, pbdrVec(basis->m[0][k], basis->m[1][k], basis->m[2][k]));
}

void STAGE(pbdrOpenLink)(const pbdrMechanism* mechanism, pbdrLink* link)
{
    static const pbdrVec3 origin = {0.0, 0.0, 0.0};
    static const pbdrMat3 one = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    const pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
    const int side = 1 - link->node.child;
    link->joint = pbdrGetActiveJoint(mechanism, active);
    link->sign = link->node.child == 1 ? 1.0 : -1.0;
    if (link->joint->bodies[side] >= 0) {
        const pbdrBody* body = pbdrGetBody(mechanism->world->scene, link->joint->bodies[side]);
        link->parentCentre[0] = &body->centre;
        link->parentFrame[0] = &body->frame;
    } else {
        link->parentCentre[0] = &origin;
        link->parentFrame[0] = &one;
    }
    if (link->node.parent >= 0) {
        const pbdrLink* parent = &mechanism->links[link->node.parent];
        link->parentCentre[1] = &parent->centre;
        link->parentFrame[1] = &parent->frame;
    } else {
        link->parentCentre[1] = &active->fixed[side].centre;
        link->parentFrame[1] = &active->fixed[side].turn;
        memset(link->node.base, 0, sizeof link->node.base);
    }
    link->node.r[0] = link->node.r[1] = link->node.r[2] = 0.0;
}

// Which motions the joint leaves a link, where it is: rows of S0 (acts 0) or S1 (acts 1).
static void setFree(pbdrLink* link, int acts)
{
    static const pbdrVec3 none = {0.0, 0.0, 0.0},
                          axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const pbdrVec3 lever = link->place.lever, axis = pbdrScale(link->sign, link->place.axis);
    if (link->joint->kind == pbdr_jointSlide) {
        pbdrSetMotion(axis, none, link->node.motions[0].s[acts]);
    } else if (link->joint->kind == pbdr_jointHinge) {
        pbdrSetMotion(pbdrCross(lever, axis), axis, link->node.motions[0].s[acts]);
    } else if (link->joint->kind == pbdr_jointBall) {
        const pbdrMat3* own = acts == 0 ? &link->body->frame : &link->frame;
        for (int k = 0; k < 3; k++) {
            const pbdrVec3 turned =
                !link->joint->ballLaw
                    ? axes[k]
                    : pbdrScale(link->sign, getColumn(link->node.child == 1 ? own : link->parentFrame[acts],
                                                      &link->joint->bases[1], k));
            pbdrSetMotion(pbdrCross(lever, turned), turned, link->node.motions[k].s[acts]);
        }
    } else {
        pbdrSetMotion(none, none, link->node.motions[0].s[acts]);
    }
}

void STAGE(pbdrPlaceLink)(pbdrLink* link, bool atEnd, bool angle)
{
    enum { SIDE, OTHER, AXIS };
    struct pbdrLinkPlace* place = &link->place;
    const pbdrJoint* joint = link->joint;
    const pbdrVec3 centre = atEnd ? link->centre : link->body->centre;
    const pbdrMat3* frame = atEnd ? &link->frame : &link->body->frame;
    const pbdrMat3* parent = link->parentFrame[atEnd];
    const int own = link->node.child, other = 1 - own;
    const pbdrVec3 reach = pbdrSub(centre, *link->parentCentre[atEnd]);
    const pbdrVec3 from = pbdrMulMV(parent, joint->anchors[other]);
    double* kept = link->node.reach[atEnd];
    kept[0] = reach.x;
    kept[1] = reach.y;
    kept[2] = reach.z;
    kept[3] = 0.0;
    place->lever = pbdrMulMV(frame, joint->anchors[own]);
    place->gap = pbdrSub(pbdrSub(from, place->lever), reach);
    place->turn = pbdrVec(0.0, 0.0, 0.0);
    if (joint->kind != pbdr_jointBall) {
        const pbdrVec3 axis = getColumn(frame, &joint->bases[own], AXIS),
                       parentAxis = getColumn(parent, &joint->bases[other], AXIS);
        place->axis = axis;
        place->turn = pbdrCross(axis, parentAxis);
        if (joint->kind != pbdr_jointHinge || angle) {
            const pbdrVec3 side = getColumn(frame, &joint->bases[own], SIDE),
                           parentSide = getColumn(parent, &joint->bases[other], SIDE);
            place->cosine = pbdrDot(side, parentSide);
            place->sine = link->sign * pbdrDot(pbdrCross(parentAxis, parentSide), side);
            if (joint->kind != pbdr_jointHinge) {
                const pbdrVec3 third = pbdrCross(axis, side), parentThird = pbdrCross(parentAxis, parentSide);
                place->turn = pbdrScale(0.5, pbdrAdd(place->turn, pbdrAdd(pbdrCross(side, parentSide),
                                                                          pbdrCross(third, parentThird))));
            }
        }
        if (joint->kind == pbdr_jointSlide) {
            // along A's axis, which B's anchor is off
            place->axis = own == 1 ? parentAxis : axis;
            const pbdrVec3 d = pbdrScale(-link->sign, place->gap);
            place->along = pbdrDot(place->axis, d);
            place->gap = pbdrAddScaled(place->gap, link->sign * place->along, place->axis);
            place->lever = own == 1 ? place->lever : pbdrAdd(place->lever, d);
        }
    }
    setFree(link, atEnd);
    link->levers[atEnd] = place->lever;
    if (atEnd) {
        pbdrSetMotion(pbdrAdd(place->gap, pbdrCross(place->lever, place->turn)), place->turn, link->node.c);
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
double STAGE(pbdrCountTurns)(const pbdrLink* link, double last)
{
    const pbdrMat3* bases = link->joint->bases;
    const int child = link->node.child;
    const pbdrVec3 own = getColumn(&link->frame, &bases[child], 0),
                   axis = getColumn(&link->frame, &bases[child], 2),
                   side = getColumn(link->parentFrame[1], &bases[1 - child], 0);
    const double cosine = pbdrDot(own, side), sine = link->sign * pbdrDot(axis, pbdrCross(side, own));
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
static double getAxisRate(const pbdrLink* link, const pbdrJointSide* parent)
{
    const pbdrVec3 axis = pbdrScale(link->sign, link->place.axis), w = link->body->angular;
    if (link->joint->kind == pbdr_jointHinge) {
        return pbdrDot(axis, pbdrSub(w, parent->angular));
    }
    const pbdrVec3 rho = pbdrAdd(pbdrSub(link->body->centre, parent->centre), link->place.lever);
    return pbdrDot(axis, pbdrSub(getMotionAt(link->body->velocity, w, link->place.lever),
                                 getMotionAt(parent->velocity, parent->angular, rho)));
}

void STAGE(pbdrStartAxisOf)(const pbdrMechanism* mechanism, pbdrLink* link, bool law)
{
    pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
    const pbdrScene* scene = mechanism->world->scene;
    const pbdrJoint* joint = link->joint;
    active->push[PBDR_JOINT_AXIS] = active->pull[PBDR_JOINT_AXIS] = 0.0;
    active->axis.active = law && pbdrHasAxis(joint);
    if (active->axis.active) {
        const pbdrJointSide parent = pbdrGetJointSide(scene, joint->bodies[1 - link->node.child]);
        pbdrStartAxisAt(mechanism->dt, joint, STAGE(pbdrFindPosition)(joint, &link->place, joint->position),
                        getAxisRate(link, &parent), &active->axis);
    } else {
        active->axis.hold = PBDR_HOLD_NONE;
        active->axis.place = joint->position;
        if (law) {
            const pbdrJointSide sides[2] = {pbdrGetJointSide(scene, joint->bodies[0]),
                                            pbdrGetJointSide(scene, joint->bodies[1])};
            const pbdrMat3 turn = pbdrGetBallTurn(joint, &sides[0].turn, &sides[1].turn);
            pbdrStartBall(joint, &turn, pbdrGetBallRate(joint, sides), &active->ball);
        }
    }
}

void STAGE(pbdrPlaceBallEnd)(const pbdrMechanism* mechanism, pbdrLink* link)
{
    const pbdrMat3* frames[2] = {link->parentFrame[1], link->parentFrame[1]};
    frames[link->node.child] = &link->frame;
    const pbdrMat3 turn = pbdrGetBallTurn(link->joint, frames[0], frames[1]);
    pbdrPlaceBall(link->joint, &turn, mechanism->dt, &mechanism->joints[link->node.joint].ball);
}

void STAGE(pbdrMoveHeld)(const pbdrMechanism* mechanism, pbdrLink* link)
{
    const pbdrVec3 way = pbdrGetBallWay(&mechanism->joints[link->node.joint].ball);
    const double ways[3] = {way.x, way.y, way.z};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < PBDR_MOTION; i++) {
            link->node.c[i] += ways[k] * link->node.motions[k].s[1][i];
        }
    }
}

double STAGE(pbdrAimBall)(const pbdrMechanism* mechanism, pbdrLink* link, bool stepped)
{
    pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
    pbdrLinkNode* node = &link->node;
    pbdrVec3 wanted = active->ball.turned;
    if (stepped) {
        wanted = pbdrForeseeBall(&active->ball, pbdrAdd(pbdrVec(node->u[0], node->u[1], node->u[2]),
                                                        pbdrGetBallWay(&active->ball)));
    }
    STAGE(pbdrPlaceBallEnd)(mechanism, link);
    const pbdrVec3 load = pbdrGetBallLoad(link->joint, &active->ball, mechanism->dt, false);
    memcpy(node->r, &load, sizeof load);
    // impulses are those that the rows ask for, so that held rows alone are left
    pbdrFindBallRows(link->joint, mechanism->dt, load, &active->ball);
    STAGE(pbdrMoveHeld)(mechanism, link);
    const pbdrVec3 off = pbdrSub(active->ball.turned, wanted);
    const double rest = pbdrGetBallRest(link->joint, &active->ball, mechanism->dt);
    return pbdrMax(stepped ? pbdrDot(off, off) : 0.0, rest * rest);
}

void STAGE(pbdrStartTreeJoint)(const pbdrMechanism* mechanism, pbdrLink* link)
{
    STAGE(pbdrOpenLink)(mechanism, link);
    const bool law = pbdrHasAxisLaw(link->joint);
    STAGE(pbdrPlaceLink)(link, false, law);
    STAGE(pbdrStartAxisOf)(mechanism, link, law);
}
