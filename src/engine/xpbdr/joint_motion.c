// A substep of a mechanism that is a tree, by elimination from its leaves (joint_tree.h). The equations are those of
// mechanism.c. In place of impulses per row there is a wrench per joint, which follows from the links' momenta.
//
//   begin: x is by how much a link's end moves, A = M D^-1 / dt, p the momentum that joints must have given
//   end:   x is the velocity, A = M, p the momentum before the last kick, less it
#include "engine/xpbdr/joint_kernel.h"

#include <string.h>

// A step leaves this much of the end's orientation unknown at most, where the end is taken as linear in it [rad]: a
// thousandth of what the scheme itself is off per substep.
#define LINEAR 1.0e-11
// Turns in a substep up to which the series for free rotation is as good as Runge-Kutta's method [rad].
#define SMALL_TURN 0.05
// A step that leaves more of a gap than this calls for factors of the present state.
#define SLOW 0.02

// --- Free motion, and what it leaves open ---

// A quaternion whose length is 1 but for rounding, or 1e-10, as pbdrNormalizeQ would have it, without its root and quotient: a
// step of Newton's method for 1/sqrt.
static inline pbdrQuat keepUnit(pbdrQuat q)
{
    const double s = 1.5 - 0.5 * ((q.w * q.w + q.x * q.x) + (q.y * q.y + q.z * q.z));
    return (pbdrQuat){s * q.w, s * q.x, s * q.y, s * q.z};
}

// Free rotation by Magnus' series, to the fourth order in dt as Runge-Kutta's method and in a third of its time; body axes:
//   turn = dt w + dt^2/2 w' + dt^3 (w''/6 + w x w'/12) + dt^4/24 (w''' + w x w'')
static void turnLink(pbdrLink* link, double dt)
{
    const pbdrMat3* inverse = &link->body->shape->inverseTurning;
    const pbdrVec3 w = pbdrMulTransposedMV(&link->body->frame, link->angular);
    const pbdrVec3 h = pbdrMulMV(&link->body->shape->turning, w);
    const pbdrVec3 h1 = pbdrCross(h, w), w1 = pbdrMulMV(inverse, h1);
    const pbdrVec3 h2 = pbdrAdd(pbdrCross(h1, w), pbdrCross(h, w1)), w2 = pbdrMulMV(inverse, h2);
    const pbdrVec3 h3 = pbdrAdd(pbdrAddScaled(pbdrCross(h2, w), 2.0, pbdrCross(h1, w1)), pbdrCross(h, w2)),
                   w3 = pbdrMulMV(inverse, h3);
    const double square = dt * dt;
    pbdrVec3 turn = pbdrAddScaled(pbdrScale(dt, w), 0.5 * square, w1);
    turn = pbdrAddScaled(turn, square * dt / 12.0, pbdrAddScaled(pbdrCross(w, w1), 2.0, w2));
    turn = pbdrAddScaled(turn, square * square / 24.0, pbdrAdd(w3, pbdrCross(w, w2)));
    // sine over angle and cosine of half of it, whose square is below 1e-3: terms of the fifth order are below 1e-17
    const double x = 0.25 * pbdrDot(turn, turn), square2 = x * x;
    const double sine = 0.5 * ((1.0 - x * (1.0 / 6.0)) +
                               square2 * ((1.0 / 120.0 - x * (1.0 / 5040.0)) + square2 * (1.0 / 362880.0)));
    const double cosine =
        (1.0 - x * 0.5) + square2 * ((1.0 / 24.0 - x * (1.0 / 720.0)) + square2 * (1.0 / 40320.0));
    const pbdrQuat step = {cosine, sine * turn.x, sine * turn.y, sine * turn.z};
    link->rotation = keepUnit(pbdrMulQQ(link->rotation, step));
}

static void driftLink(pbdrLink* link, double dt)
{
    link->centre = pbdrAddScaled(link->body->centre, dt, link->velocity);
    link->rotation = link->body->rotation;
    if (dt * dt * pbdrDot(link->angular, link->angular) < SMALL_TURN * SMALL_TURN) {
        turnLink(link, dt);
    } else {
        pbdrVec3 angular = link->angular;
        pbdrRotateFreely(link->body, dt, &link->rotation, &angular);
    }
    link->frame = pbdrMatFromQuat(link->rotation);
}

// The end after a small step: linear in it.
static void shiftLink(pbdrLink* link)
{
    const double* x = link->node.x;
    const pbdrQuat turn = {1.0, 0.5 * x[3], 0.5 * x[4], 0.5 * x[5]};
    link->centre = pbdrAdd(link->centre, pbdrVec(x[0], x[1], x[2]));
    link->rotation = keepUnit(pbdrMulQQ(turn, link->rotation));
    link->frame = pbdrMatFromQuat(link->rotation);
}

// The link that is k-th, parents first.
static inline pbdrLink* getOrdered(const pbdrMechanism* mechanism, int k)
{
    return &mechanism->links[mechanism->links[k].node.order];
}

static double getLarger(pbdrVec3 a, double worst)
{
    const double square = pbdrDot(a, a);
    return square <= worst ? worst : square; // also of NaN
}

// All links to the end of the substep, and how far their joints are open there. stepped: u says where axes should be.
static double moveToEnd(const pbdrMechanism* mechanism, bool linear, bool stepped)
{
    double worst = 0.0;
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = getOrdered(mechanism, k);
        if (linear) {
            shiftLink(link);
        } else {
            driftLink(link, mechanism->dt);
        }
        if (link->node.joint < 0) {
            continue;
        }
        pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
        STAGE(pbdrPlaceLink)(mechanism, link, true, active->axis.active);
        worst = getLarger(link->place.gap, worst);
        worst = getLarger(link->place.turn, worst);
        if (active->axis.active) {
            const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
            const double wanted = active->axis.at + (link->node.free > 0 && stepped ? link->node.u[0] : 0.0);
            active->axis.at = STAGE(pbdrFindPosition)(joint, &link->place, wanted);
            const double off = active->axis.hold != PBDR_HOLD_NONE
                                   ? active->axis.at - pbdrGetHeldPlace(mechanism, active)
                               : stepped ? active->axis.at - wanted
                                         : 0.0;
            worst = off * off <= worst ? worst : off * off;
        }
    }
    return sqrt(worst);
}

// --- Newton's method ---

// What the joint of a link leaves it, where it is now, and the closing motion.
static void openNode(const pbdrMechanism* mechanism, pbdrLink* link, bool atEnd)
{
    const pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    const bool axis = joint->kind == pbdr_jointHinge || joint->kind == pbdr_jointSlide;
    STAGE(pbdrSetFree)(joint, link, 1);
    link->node.free = joint->kind == pbdr_jointBall ? 3 : axis && active->axis.hold == PBDR_HOLD_NONE ? 1 : 0;
    link->node.slope = !active->axis.active ? 0.0 : atEnd ? joint->armature : active->axis.slope;
}

static inline void clearNode(pbdrLinkNode* node)
{
    for (int i = 0; i < 6; i++) {
        node->c[i] = node->base[i] = 0.0;
    }
    node->r[0] = node->r[1] = node->r[2] = 0.0;
}

// Zero but for the mass.
static inline void startBlock(double a[6][6], double mass)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            a[i][j] = 0.0;
        }
    }
    a[0][0] = a[1][1] = a[2][2] = mass;
}

// A of a link at the begin.
static void startNode(const pbdrMechanism* mechanism, pbdrLink* link)
{
    const double over = 1.0 / mechanism->dt;
    const pbdrMat3* i = &link->inertia;
    const pbdrVec3 w = link->angular, s = pbdrMulMV(i, w);
    double(*a)[6] = link->node.a;
    startBlock(a, over * link->body->shape->mass);
    // I D^-1 = I - dt/2 (I [w] - [w] I + [I w])
    const pbdrMat3 turning = pbdrCrossM(w, i);
    const double spin[3][3] = {{0.0, -s.z, s.y}, {s.z, 0.0, -s.x}, {-s.y, s.x, 0.0}};
    for (int row = 0; row < 3; row++) {
        for (int j = 0; j < 3; j++) {
            // I [w] is minus the transpose of [w] I
            a[3 + row][3 + j] =
                over * i->m[row][j] + 0.5 * (turning.m[j][row] + turning.m[row][j] - spin[row][j]);
        }
    }
    link->node.symmetric = false;
    if (link->node.joint >= 0) {
        openNode(mechanism, link, false);
    }
}

// The momentum that joints must have given a link [N s, N m s].
static void setMomentum(pbdrLink* link)
{
    const pbdrVec3 kick = pbdrScale(link->body->shape->mass, pbdrSub(link->velocity, link->loadVelocity));
    pbdrSetMotion(kick, pbdrMulMV(&link->inertia, pbdrSub(link->angular, link->loadAngular)), link->node.p);
}

// What is left to solve, from where links end; with factors of the present state where they are asked for.
static bool startStep(const pbdrMechanism* mechanism, bool factors)
{
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = getOrdered(mechanism, k);
        pbdrLinkNode* node = &link->node;
        if (factors) {
            startNode(mechanism, link);
        }
        if (node->joint < 0) {
            continue;
        }
        const pbdrActiveJoint* active = &mechanism->joints[node->joint];
        const double sign = node->child == 1 ? -1.0 : 1.0;
        const pbdrVec3 turn = link->place.turn;
        const pbdrVec3 way = pbdrAdd(pbdrScale(sign, link->place.gap), pbdrCross(link->place.lever, turn));
        clearNode(node);
        pbdrSetMotion(way, turn, node->c);
        node->closes = true;
        if (active->axis.hold != PBDR_HOLD_NONE) {
            const double step = pbdrGetHeldPlace(mechanism, active) - active->axis.at;
            for (int i = 0; i < 6; i++) {
                node->c[i] += step * node->motions[0].s[1][i];
            }
        } else if (active->axis.active) {
            node->r[0] = pbdrGetAxisLoad(mechanism, active, active->axis.at);
        }
    }
    const pbdrLinkTree tree = pbdrGetTree(mechanism);
    if (factors) {
        return STAGE(pbdrFactorTree)(&tree);
    }
    STAGE(pbdrPassTree)(&tree);
    return true;
}

// Takes the step. Returns how much of the end's orientation a linear end would leave unknown [rad]; NaN without a step.
static double takeStep(const pbdrMechanism* mechanism)
{
    const pbdrLinkTree tree = pbdrGetTree(mechanism);
    const double over = 1.0 / mechanism->dt;
    double unknown = 0.0;
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = getOrdered(mechanism, k);
        const double* x = link->node.x;
        if (!STAGE(pbdrMoveNode)(&tree, &link->node)) {
            return (double)NAN;
        }
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
        const double left = (sqrt(size) * speed + size) / 6.0;
        unknown = left <= unknown ? unknown : left;
        setMomentum(link);
    }
    return unknown;
}

static double closeTree(const pbdrMechanism* mechanism, int* steps)
{
    const double closed = PBDR_CLOSED * pbdrGetReach(mechanism);
    double gap = moveToEnd(mechanism, false, false);
    bool factors = true;
    for (int k = 0; k < mechanism->linkCount; k++) {
        setMomentum(&mechanism->links[k]);
    }
    for (int k = 0; k < PBDR_CLOSING_STEPS; k++) {
        if (!startStep(mechanism, factors)) {
            return (double)NAN;
        }
        const double before = gap, unknown = takeStep(mechanism);
        if (unknown != unknown) {
            return (double)NAN;
        }
        (*steps)++;
        const bool linear = unknown <= LINEAR;
        gap = moveToEnd(mechanism, linear, true);
        if (gap <= closed || (k > 0 && gap > 0.5 * before && gap < 1.0e3 * closed)) {
            break; // the latter: rounding
        }
        factors = k > 0 && !(gap <= SLOW * before);
    }
    return gap;
}

// What joints did to links at the begin or the end, about the links' centres: from momenta.
static void findWrenches(const pbdrMechanism* mechanism, int end)
{
    const pbdrLinkTree tree = pbdrGetTree(mechanism);
    for (int k = mechanism->linkCount - 1; k >= 0; k--) {
        pbdrLink* link = getOrdered(mechanism, k);
        STAGE(pbdrGatherNode)(&tree, &link->node);
        memcpy(link->wrenches[end], link->node.p, sizeof link->wrenches[end]);
        if (link->node.joint >= 0) {
            pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
            double along = 0.0;
            for (int i = 0; i < 6; i++) {
                along += link->node.motions[0].s[end][i] * link->node.p[i];
            }
            *(end == 0 ? &active->push[PBDR_JOINT_AXIS] : &active->pull[PBDR_JOINT_AXIS]) = along;
        }
    }
}

// --- End ---

// The momentum of a link before the last kick of joints: free motion keeps it. Then the kick of loads.
static void startEnd(const pbdrMechanism* mechanism, pbdrLink* link)
{
    const pbdrScene* scene = mechanism->world->scene;
    const pbdrBody* body = link->body;
    link->endInertia = pbdrTurnTensor(&link->frame, &body->shape->turning);
    link->levers[1] = link->place.lever;
    const double half = 0.5 * mechanism->dt, mass = body->shape->mass;
    link->endLinear = pbdrAddScaled(pbdrScale(mass, pbdrAddScaled(link->velocity, half, scene->gravity)),
                                    half, body->force);
    link->endSpin = pbdrAddScaled(pbdrMulMV(&link->inertia, link->angular), half, body->torque);
}

// Velocities after the last kick, with what holds axes as it is.
static bool solveEnd(const pbdrMechanism* mechanism, bool first)
{
    const pbdrLinkTree tree = pbdrGetTree(mechanism);
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = getOrdered(mechanism, k);
        pbdrLinkNode* node = &link->node;
        if (first) {
            startEnd(mechanism, link);
        }
        pbdrSetMotion(pbdrScale(-1.0, link->endLinear), pbdrScale(-1.0, link->endSpin), node->p);
        startBlock(node->a, link->body->shape->mass);
        for (int i = 0; i < 3; i++) {
            memcpy(node->a[3 + i] + 3, link->endInertia.m[i], sizeof link->endInertia.m[i]);
        }
        if (node->joint < 0) {
            continue;
        }
        const pbdrActiveJoint* active = &mechanism->joints[node->joint];
        const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
        openNode(mechanism, link, true);
        for (int l = 0; l < (node->free > 1 ? node->free : 1); l++) {
            memcpy(node->motions[l].s[0], node->motions[l].s[1], sizeof node->motions[l].s[0]);
        }
        node->reach[0] = node->reach[1];
        clearNode(node);
        node->symmetric = true;
        node->closes = active->axis.hold == PBDR_HOLD_MOTOR;
        if (node->parent < 0) {
            const pbdrJointSide* fixed = &active->fixed[1 - node->child];
            pbdrSetMotion(fixed->velocity, fixed->angular, node->base);
        }
        if (active->axis.hold == PBDR_HOLD_MOTOR) {
            for (int i = 0; i < 6; i++) {
                node->c[i] = joint->motorTarget * node->motions[0].s[1][i];
            }
        } else if (active->axis.active && active->axis.hold == PBDR_HOLD_NONE) {
            node->r[0] = pbdrGetEndLoad(mechanism, active) +
                         joint->armature * (active->axis.at - active->axis.place) / mechanism->dt;
        }
    }
    if (!STAGE(pbdrFactorTree)(&tree)) {
        return false;
    }
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = getOrdered(mechanism, k);
        const double* x = link->node.x;
        if (!STAGE(pbdrMoveNode)(&tree, &link->node)) {
            return false;
        }
        link->endVelocity = pbdrVec(x[0], x[1], x[2]);
        link->endAngular = pbdrVec(x[3], x[4], x[5]);
        pbdrSetMotion(pbdrSub(pbdrScale(link->body->shape->mass, link->endVelocity), link->endLinear),
                      pbdrSub(pbdrMulMV(&link->endInertia, link->endAngular), link->endSpin), link->node.p);
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

bool STAGE(pbdrMoveTree)(pbdrMechanism* mechanism, pbdrIsland* island)
{
    double gap = (double)NAN;
    for (int k = 0; k < mechanism->linkCount; k++) {
        if (mechanism->links[k].node.joint >= 0) {
            STAGE(pbdrStartTreeJoint)(mechanism, &mechanism->links[k]);
        }
    }
    for (int round = 0; round < PBDR_HOLD_ROUNDS; round++) {
        gap = closeTree(mechanism, &island->stepCount);
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
    for (int round = 0; good && round < PBDR_HOLD_ROUNDS; round++) {
        good = solveEnd(mechanism, round == 0);
        if (!good || !releaseBounds(mechanism)) {
            break;
        }
    }
    return good;
}

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
                              : joint->kind == pbdr_jointSlide ? link->place.along
                              : counts ? STAGE(pbdrCountTurns)(mechanism, link, joint->position)
                                       : joint->position + mechanism->dt * link->node.u[0];
        }
        joint->way = pbdrHasAxis(joint) ? joint->position - active->axis.place : 0.0;
        joint->hold = active->axis.hold;
        memset(joint->forces, 0, sizeof joint->forces);
    }
}
