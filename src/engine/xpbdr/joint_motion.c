// A substep of a mechanism that is a tree, by elimination from its leaves (joint_tree.h). The equations are those of
// mechanism.c. In place of impulses per row there is a wrench per joint, which follows from the links' momenta.
//
//   begin: x is by how much a link's end moves, A = M D^-1 / dt, p the momentum that joints must have given
//   end:   x is the velocity, A = M, p the momentum before the last kick, less it
#include "engine/xpbdr/mechanism.h"

#include "math/angle.h"

#include <string.h>

// A step leaves this much of the end's orientation unknown at most, where the end is taken as linear in it [rad].
#define LINEAR 1.0e-14
// A step that leaves more of a gap than this calls for factors of the present state.
#define SLOW 0.02

static pbdrLinkTree getTree(const pbdrMechanism* mechanism)
{
    return (pbdrLinkTree){(char*)&mechanism->links[0].node, sizeof(pbdrLink), mechanism->linkCount};
}

bool pbdrIsTree(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->jointCount; k++) {
        const pbdrJointKind kind = pbdrGetActiveJoint(mechanism, &mechanism->joints[k])->kind;
        if (kind != pbdr_jointBall && kind != pbdr_jointHinge && kind != pbdr_jointSlide &&
            kind != pbdr_jointFixed) {
            return false;
        }
    }
    const pbdrLinkTree tree = getTree(mechanism);
    return pbdrOrderTree(&tree, mechanism->joints, mechanism->jointCount);
}

// --- Where a joint is ---

static pbdrVec3 getColumn(const pbdrMat3* turn, const pbdrMat3* basis, int k)
{
    return pbdrMulMV(turn, pbdrVec(basis->m[0][k], basis->m[1][k], basis->m[2][k]));
}

static void findPlace(const pbdrJoint* joint, const pbdrVec3 centres[2], const pbdrMat3* const frames[2],
                      int child, struct pbdrLinkPlace* place)
{
    const pbdrVec3 none = {0.0, 0.0, 0.0};
    const pbdrVec3 levers[2] = {pbdrMulMV(frames[0], joint->anchors[0]),
                                pbdrMulMV(frames[1], joint->anchors[1])};
    const pbdrVec3 d = pbdrAdd(pbdrSub(centres[1], centres[0]), pbdrSub(levers[1], levers[0]));
    const double sign = child == 1 ? 1.0 : -1.0;
    place->gap = d;
    place->turn = none;
    place->lever = levers[child];
    place->along = 0.0;
    if (joint->kind == pbdr_jointBall) {
        return;
    }
    const pbdrVec3 axisA = getColumn(frames[0], &joint->bases[0], 2),
                   axisB = getColumn(frames[1], &joint->bases[1], 2);
    const pbdrVec3 sideA = getColumn(frames[0], &joint->bases[0], 0),
                   sideB = getColumn(frames[1], &joint->bases[1], 0);
    if (joint->kind == pbdr_jointHinge) {
        place->axis = axisB;
        place->turn = pbdrScale(sign, pbdrCross(axisB, axisA));
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
        place->lever = child == 1 ? levers[1] : pbdrAdd(levers[0], d);
    }
}

// The pose of what a link hangs on, at the begin or the end.
static void findParent(const pbdrMechanism* mechanism, const pbdrLink* link, bool atEnd, pbdrVec3* centre,
                       pbdrMat3* frame)
{
    const pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
    if (link->node.parent >= 0) {
        const pbdrLink* parent = &mechanism->links[link->node.parent];
        *centre = atEnd ? parent->centre : parent->body->centre;
        *frame = atEnd ? parent->frame : parent->body->frame;
        return;
    }
    const int side = 1 - link->node.child;
    const pbdrJointSide fixed = atEnd ? active->fixed[side]
                                      : pbdrGetJointSide(mechanism->world->scene,
                                                         pbdrGetActiveJoint(mechanism, active)->bodies[side]);
    *centre = fixed.centre;
    *frame = fixed.turn;
}

static void placeLink(const pbdrMechanism* mechanism, pbdrLink* link, bool atEnd)
{
    const int child = link->node.child;
    const pbdrVec3 own = atEnd ? link->centre : link->body->centre;
    pbdrVec3 centres[2];
    pbdrMat3 parent;
    const pbdrMat3* frames[2] = {&parent, &parent};
    findParent(mechanism, link, atEnd, &centres[1 - child], &parent);
    centres[child] = own;
    frames[child] = atEnd ? &link->frame : &link->body->frame;
    link->reach = pbdrSub(own, centres[1 - child]);
    findPlace(pbdrGetActiveJoint(mechanism, &mechanism->joints[link->node.joint]), centres, frames, child,
              &link->place);
}

// Which motions the joint leaves a link, where it is now: rows of S0 (acts 0) or S1 (acts 1).
static void setFree(const pbdrJoint* joint, pbdrLink* link, int acts)
{
    const pbdrVec3 lever = link->place.lever;
    const double sign = link->node.child == 1 ? 1.0 : -1.0;
    double(*s)[6] = link->node.s[acts];
    memset(s, 0, sizeof link->node.s[acts]);
    link->node.reach[acts] = link->reach;
    if (joint->kind == pbdr_jointSlide) {
        const pbdrVec3 way = pbdrScale(sign, link->place.axis);
        memcpy(s[0], &way, sizeof way);
    } else if (joint->kind == pbdr_jointHinge) {
        const pbdrVec3 turn = pbdrScale(sign, link->place.axis), way = pbdrCross(lever, turn);
        memcpy(s[0], &way, sizeof way);
        memcpy(s[0] + 3, &turn, sizeof turn);
    } else if (joint->kind == pbdr_jointBall) {
        static const pbdrVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
        for (int k = 0; k < 3; k++) {
            const pbdrVec3 way = pbdrCross(lever, axes[k]);
            memcpy(s[k], &way, sizeof way);
            memcpy(s[k] + 3, &axes[k], sizeof axes[k]);
        }
    }
}

// A hinge's angle nearest to a guess, which is off by less than a thousandth of a turn; or a slide's place.
static double findPosition(const pbdrJoint* joint, const struct pbdrLinkPlace* place, double guess)
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
static double countTurns(const struct pbdrLinkPlace* place, double last)
{
    const double a = fabs(place->sine), b = fabs(place->cosine);
    double here = 0.5 * PBDR_PI * a / (a + b);
    here = place->cosine < 0.0 ? PBDR_PI - here : here;
    here = place->sine < 0.0 ? -here : here;
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

static void setMotion(pbdrVec3 velocity, pbdrVec3 angular, double motion[6])
{
    memcpy(motion, &velocity, sizeof velocity);
    memcpy(motion + 3, &angular, sizeof angular);
}

static void startJoint(const pbdrMechanism* mechanism, pbdrLink* link)
{
    pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
    const pbdrScene* scene = mechanism->world->scene;
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    placeLink(mechanism, link, false);
    setFree(joint, link, 0);
    link->levers[0] = link->place.lever;
    active->push[PBDR_JOINT_AXIS] = active->pull[PBDR_JOINT_AXIS] = 0.0;
    if (joint->kind != pbdr_jointHinge && joint->kind != pbdr_jointSlide) {
        active->axis.active = false;
        active->axis.hold = PBDR_HOLD_NONE;
    } else if (!pbdrHasAxisLaw(joint)) {
        active->axis.active = false;
        active->axis.hold = PBDR_HOLD_NONE;
        active->axis.place = joint->position;
    } else {
        double own[6], other[6];
        setMotion(link->body->velocity, link->body->angular, own);
        if (link->node.parent >= 0) {
            const pbdrBody* parent = mechanism->links[link->node.parent].body;
            setMotion(parent->velocity, parent->angular, other);
        } else {
            const pbdrJointSide side = pbdrGetJointSide(scene, joint->bodies[1 - link->node.child]);
            setMotion(side.velocity, side.angular, other);
        }
        pbdrStartAxisAt(scene, joint, findPosition(joint, &link->place, joint->position),
                        getAxisRate(link, joint, own, other), &active->axis);
    }
}

// --- Free motion, and what it leaves open ---

static void driftLink(pbdrLink* link, double dt)
{
    link->centre = pbdrAddScaled(link->body->centre, dt, link->velocity);
    link->rotation = link->body->rotation;
    pbdrVec3 angular = link->angular;
    pbdrRotateFreely(link->body, dt, &link->rotation, &angular);
    link->frame = pbdrMatFromQuat(link->rotation);
}

// The end after a small step: linear in it.
static void shiftLink(pbdrLink* link)
{
    const double* x = link->node.x;
    const pbdrQuat turn = {1.0, 0.5 * x[3], 0.5 * x[4], 0.5 * x[5]};
    link->centre = pbdrAdd(link->centre, pbdrVec(x[0], x[1], x[2]));
    link->rotation = pbdrNormalizeQ(pbdrMulQQ(turn, link->rotation));
    link->frame = pbdrMatFromQuat(link->rotation);
}

static double getLargest(pbdrVec3 a, double worst)
{
    const double square = pbdrDot(a, a);
    return square <= worst * worst ? worst : sqrt(square); // also of NaN
}

// All links to the end of the substep, and how far their joints are open there. stepped: u says where axes should be.
static double moveToEnd(const pbdrMechanism* mechanism, bool linear, bool stepped)
{
    double worst = 0.0;
    for (int k = 0; k < mechanism->linkCount; k++) {
        if (linear) {
            shiftLink(&mechanism->links[k]);
        } else {
            driftLink(&mechanism->links[k], mechanism->dt);
        }
    }
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        if (link->node.joint < 0) {
            continue;
        }
        pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
        placeLink(mechanism, link, true);
        worst = getLargest(link->place.gap, worst);
        worst = getLargest(link->place.turn, worst);
        if (active->axis.active) {
            const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
            const double wanted = active->axis.at + (link->node.free > 0 && stepped ? link->node.u[0] : 0.0);
            active->axis.at = findPosition(joint, &link->place, wanted);
            const double off = active->axis.hold != PBDR_HOLD_NONE
                                   ? active->axis.at - pbdrGetHeldPlace(mechanism, active)
                               : stepped ? active->axis.at - wanted
                                         : 0.0;
            worst = fabs(off) <= worst ? worst : fabs(off);
        }
    }
    return worst;
}

// --- Newton's method ---

// What the joint of a link leaves it, where it is now, and the closing motion.
static void openNode(const pbdrMechanism* mechanism, pbdrLink* link, bool atEnd)
{
    const pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    const bool axis = joint->kind == pbdr_jointHinge || joint->kind == pbdr_jointSlide;
    setFree(joint, link, 1);
    link->node.free = joint->kind == pbdr_jointBall ? 3 : axis && active->axis.hold == PBDR_HOLD_NONE ? 1 : 0;
    link->node.slope = !active->axis.active ? 0.0 : atEnd ? joint->armature : active->axis.slope;
}

static bool factorBegin(const pbdrMechanism* mechanism)
{
    const double over = 1.0 / mechanism->dt;
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        const pbdrMat3* i = &link->inertia;
        const pbdrVec3 w = link->angular, s = pbdrMulMV(i, w);
        double(*a)[6] = link->node.a;
        memset(link->node.a, 0, sizeof link->node.a);
        // I D^-1 = I - dt/2 (I [w] - [w] I + [I w])
        const pbdrMat3 turning = pbdrCrossM(w, i);
        const double spin[3][3] = {{0.0, -s.z, s.y}, {s.z, 0.0, -s.x}, {-s.y, s.x, 0.0}};
        for (int row = 0; row < 3; row++) {
            a[row][row] = over * link->body->shape->mass;
            for (int j = 0; j < 3; j++) {
                // I [w] is minus the transpose of [w] I
                a[3 + row][3 + j] =
                    over * i->m[row][j] + 0.5 * (turning.m[j][row] + turning.m[row][j] - spin[row][j]);
            }
        }
        if (link->node.joint >= 0) {
            openNode(mechanism, link, false);
        }
    }
    const pbdrLinkTree tree = getTree(mechanism);
    return pbdrFactorTree(&tree);
}

// The momentum that joints must have given a link [N s, N m s].
static void setMomentum(pbdrLink* link)
{
    const pbdrVec3 kick = pbdrScale(link->body->shape->mass, pbdrSub(link->velocity, link->loadVelocity));
    setMotion(kick, pbdrMulMV(&link->inertia, pbdrSub(link->angular, link->loadAngular)), link->node.p);
}

static bool solveBegin(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        pbdrLinkNode* node = &link->node;
        setMomentum(link);
        if (node->joint < 0) {
            continue;
        }
        const pbdrActiveJoint* active = &mechanism->joints[node->joint];
        const double sign = node->child == 1 ? -1.0 : 1.0;
        const pbdrVec3 turn = link->place.turn;
        const pbdrVec3 way = pbdrAdd(pbdrScale(sign, link->place.gap), pbdrCross(link->place.lever, turn));
        setMotion(way, turn, node->c);
        memset(node->r, 0, sizeof node->r);
        memset(node->base, 0, sizeof node->base);
        if (active->axis.hold != PBDR_HOLD_NONE) {
            const double step = pbdrGetHeldPlace(mechanism, active) - active->axis.at;
            for (int i = 0; i < 6; i++) {
                node->c[i] += step * node->s[1][0][i];
            }
        } else if (active->axis.active) {
            node->r[0] = pbdrGetAxisLoad(mechanism, active, active->axis.at);
        }
    }
    const pbdrLinkTree tree = getTree(mechanism);
    return pbdrSolveTree(&tree);
}

// Takes the step. Returns how much of the end's orientation a linear end would leave unknown [rad].
static double takeStep(const pbdrMechanism* mechanism)
{
    const double over = 1.0 / mechanism->dt;
    double unknown = 0.0;
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        const double* x = link->node.x;
        const pbdrVec3 turn = {x[3], x[4], x[5]}, w = link->angular;
        // D^-1 x/dt, with I^-1 in body axes
        const pbdrVec3 gyration = pbdrSub(pbdrCross(pbdrMulMV(&link->inertia, w), turn),
                                          pbdrCross(w, pbdrMulMV(&link->inertia, turn)));
        const pbdrVec3 own =
            pbdrMulMV(&link->body->shape->inverseTurning, pbdrMulTransposedMV(&link->body->frame, gyration));
        const pbdrVec3 back = pbdrAdd(pbdrCross(w, turn), pbdrMulMV(&link->body->frame, own));
        link->velocity = pbdrAddScaled(link->velocity, over, pbdrVec(x[0], x[1], x[2]));
        link->angular = pbdrAdd(w, pbdrAddScaled(pbdrScale(over, turn), -0.5, back));
        const double size = pbdrDot(turn, turn), speed = mechanism->dt * mechanism->dt * pbdrDot(w, w);
        const double left = sqrt(size) * speed + size;
        unknown = left <= unknown ? unknown : left;
    }
    return unknown;
}

static double closeTree(const pbdrMechanism* mechanism, int* steps)
{
    const double closed = PBDR_CLOSED * pbdrGetReach(mechanism);
    double gap = moveToEnd(mechanism, false, false);
    if (!factorBegin(mechanism)) {
        return (double)NAN;
    }
    for (int k = 0; k < PBDR_CLOSING_STEPS; k++) {
        if (!solveBegin(mechanism)) {
            return (double)NAN;
        }
        const double before = gap, unknown = takeStep(mechanism);
        (*steps)++;
        const bool linear = unknown <= LINEAR;
        gap = moveToEnd(mechanism, linear, true);
        if (gap <= closed || (k > 0 && gap > 0.5 * before && gap < 1.0e3 * closed)) {
            break; // the latter: rounding
        }
        if (k > 0 && !(gap <= SLOW * before) && !factorBegin(mechanism)) {
            return (double)NAN;
        }
    }
    return gap;
}

// What joints did to links at the begin, about the links' centres.
static void findWrenches(const pbdrMechanism* mechanism, int end)
{
    const pbdrLinkTree tree = getTree(mechanism);
    pbdrGatherTree(&tree);
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        memcpy(link->wrenches[end], link->node.p, sizeof link->wrenches[end]);
        if (link->node.joint >= 0) {
            pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
            double along = 0.0;
            for (int i = 0; i < 6; i++) {
                along += link->node.s[end][0][i] * link->node.p[i];
            }
            *(end == 0 ? &active->push[PBDR_JOINT_AXIS] : &active->pull[PBDR_JOINT_AXIS]) = along;
        }
    }
}

// --- End ---

// The momentum of a link before the last kick of joints: free motion keeps it. Then the kick of loads.
static void getEndMomentum(const pbdrMechanism* mechanism, const pbdrLink* link, pbdrVec3* linear,
                           pbdrVec3* angular)
{
    const pbdrScene* scene = mechanism->world->scene;
    const pbdrBody* body = link->body;
    const double half = 0.5 * mechanism->dt, mass = body->shape->mass;
    *linear = pbdrAddScaled(pbdrScale(mass, pbdrAddScaled(link->velocity, half, scene->gravity)), half,
                            body->force);
    *angular = pbdrAddScaled(pbdrMulMV(&link->inertia, link->angular), half, body->torque);
}

// Velocities after the last kick, with what holds axes as it is.
static bool solveEnd(const pbdrMechanism* mechanism)
{
    const pbdrLinkTree tree = getTree(mechanism);
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        pbdrLinkNode* node = &link->node;
        pbdrVec3 linear, angular;
        getEndMomentum(mechanism, link, &linear, &angular);
        setMotion(pbdrScale(-1.0, linear), pbdrScale(-1.0, angular), node->p);
        memset(node->a, 0, sizeof node->a);
        for (int i = 0; i < 3; i++) {
            node->a[i][i] = link->body->shape->mass;
            memcpy(node->a[3 + i] + 3, link->endInertia.m[i], sizeof link->endInertia.m[i]);
        }
        if (node->joint < 0) {
            continue;
        }
        const pbdrActiveJoint* active = &mechanism->joints[node->joint];
        const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
        openNode(mechanism, link, true);
        memcpy(node->s[0], node->s[1], sizeof node->s[0]);
        node->reach[0] = node->reach[1];
        memset(node->c, 0, sizeof node->c);
        memset(node->r, 0, sizeof node->r);
        memset(node->base, 0, sizeof node->base);
        if (node->parent < 0) {
            const pbdrJointSide* fixed = &active->fixed[1 - node->child];
            setMotion(fixed->velocity, fixed->angular, node->base);
        }
        if (active->axis.hold == PBDR_HOLD_MOTOR) {
            for (int i = 0; i < 6; i++) {
                node->c[i] = joint->motorTarget * node->s[1][0][i];
            }
        } else if (active->axis.active && active->axis.hold == PBDR_HOLD_NONE) {
            node->r[0] = pbdrGetEndLoad(mechanism, active) +
                         joint->armature * (active->axis.at - active->axis.place) / mechanism->dt;
        }
    }
    if (!pbdrFactorTree(&tree) || !pbdrSolveTree(&tree)) {
        return false;
    }
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        const double* x = link->node.x;
        pbdrVec3 linear, angular;
        getEndMomentum(mechanism, link, &linear, &angular);
        link->endVelocity = pbdrVec(x[0], x[1], x[2]);
        link->endAngular = pbdrVec(x[3], x[4], x[5]);
        setMotion(pbdrSub(pbdrScale(link->body->shape->mass, link->endVelocity), linear),
                  pbdrSub(pbdrMulMV(&link->endInertia, link->endAngular), angular), link->node.p);
    }
    findWrenches(mechanism, 1);
    return true;
}

// A bound that would pull at the end lets go. True if one did.
static bool releaseBounds(const pbdrMechanism* mechanism)
{
    bool changed = false;
    for (int k = 0; k < mechanism->linkCount; k++) {
        const pbdrLink* link = &mechanism->links[k];
        if (link->node.joint < 0) {
            continue;
        }
        pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
        if (active->axis.hold != PBDR_HOLD_LOWER && active->axis.hold != PBDR_HOLD_UPPER) {
            continue;
        }
        // its rate is zero; the impulse beyond what the axis has of itself
        const double turned = (active->axis.at - active->axis.place) / mechanism->dt;
        const double extra = active->pull[PBDR_JOINT_AXIS] - pbdrGetEndLoad(mechanism, active) -
                             pbdrGetActiveJoint(mechanism, active)->armature * turned;
        if (active->axis.hold * extra > 0.0) {
            active->axis.hold = PBDR_HOLD_NONE;
            changed = true;
        }
    }
    return changed;
}

bool pbdrMoveTree(pbdrMechanism* mechanism, pbdrIsland* island)
{
    double gap = (double)NAN;
    for (int k = 0; k < mechanism->linkCount; k++) {
        if (mechanism->links[k].node.joint >= 0) {
            startJoint(mechanism, &mechanism->links[k]);
        }
    }
    for (int round = 0; round < PBDR_HOLD_ROUNDS; round++) {
        gap = closeTree(mechanism, &island->stepCount);
        for (int k = 0; k < mechanism->linkCount; k++) {
            setMomentum(&mechanism->links[k]);
        }
        findWrenches(mechanism, 0);
        bool changed = false;
        for (int k = 0; k < mechanism->jointCount; k++) {
            if (mechanism->joints[k].axis.active) {
                changed = pbdrChangeHold(mechanism, &mechanism->joints[k]) || changed;
            }
        }
        if (!changed) {
            break;
        }
    }
    if (!(gap <= PBDR_BAD_GAP)) {
        island->flags |= pbdr_stepNotConverged;
    }
    bool good = isfinite(gap);
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        link->endInertia = pbdrTurnTensor(&link->frame, &link->body->shape->turning);
        link->levers[1] = link->place.lever;
    }
    for (int round = 0; good && round < PBDR_HOLD_ROUNDS; round++) {
        good = solveEnd(mechanism);
        if (!good || !releaseBounds(mechanism)) {
            break;
        }
    }
    return good;
}

void pbdrNoteTreeReactions(const pbdrMechanism* mechanism)
{
    const double over = 1.0 / mechanism->dt;
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
            const pbdrVec3 f = {w[0], w[1], w[2]};
            force = pbdrAddScaled(force, sign, f);
            torque = pbdrAddScaled(torque, sign,
                                   pbdrSub(pbdrVec(w[3], w[4], w[5]), pbdrCross(link->levers[end], f)));
        }
        joint->reaction = (pbdrWrench){force, torque};
        joint->axisForce = 0.0;
        if (pbdrHasAxis(joint)) {
            joint->axisForce = over * (active->push[PBDR_JOINT_AXIS] + active->pull[PBDR_JOINT_AXIS]);
            joint->position = active->axis.active              ? active->axis.at
                              : joint->kind == pbdr_jointHinge ? countTurns(&link->place, joint->position)
                                                               : link->place.along;
        }
        joint->way = pbdrHasAxis(joint) ? joint->position - active->axis.place : 0.0;
        joint->hold = active->axis.hold;
        memset(joint->forces, 0, sizeof joint->forces);
    }
}
