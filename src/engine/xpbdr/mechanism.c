// A substep of an island with joints and without contact (mechanism.h).
//
// Loads and joints push at the begin, over half the substep, where the bodies are then; bodies move freely; they push
// again at the end, where the bodies are then. Impulses at the begin are such that joints are closed at the end, and those
// at the end such that they stay closed: RATTLE, of second order, symmetric and symplectic (docs/theory/joints.md).
#include "engine/xpbdr/mechanism.h"
#include "engine/xpbdr/kernels.h"

#include <string.h>

// What mechanism->loose is lowered to at least.
#define LEAST_LOOSE 1.0e-13
// The search pulls such forces to zero until gaps are this small, but not for ever: what it pulls leaves gaps [m].
#define PULLED_TO 1.0e-9
#define PULLED_STEPS 4
// A search that comes to gaps so much larger than it had ends where they were least.
#define WORSE 1.0e4
// A step that leaves more of a gap than this calls for a matrix of the present state.
#define SLOW 0.02

// Gaps that may be rounding, at most: half of what a joint may be open [m].
#define MOST_ROUNDING 5.0e-13

// --- Begin ---

// A body after the first kick of its loads; and, as a guess, after the kick that it had in the last substep: at its begin, or
// in trees at its end.
// The impulses of joints follow from velocities by linear equations, so that they need no guess.
static void startLink(const pbdrMechanism* mechanism, const pbdrMover* mover, pbdrLink* link)
{
    const pbdrXpbdrWorld* world = mechanism->world;
    const pbdrScene* scene = world->scene;
    const pbdrBody* body = link->body;
    const pbdrXpbdrBody* own = pbdrGetXpbdrBody(world, mover->body);
    const double half = 0.5 * mechanism->dt;
    const pbdrVec3 pull = pbdrAddScaled(scene->gravity, 1.0 / body->shape->mass, body->force);
    link->loadVelocity = pbdrAddScaled(body->velocity, half, pull);
    link->loadAngular = body->angular;
    if (body->torque.x != 0.0 || body->torque.y != 0.0 || body->torque.z != 0.0) {
        const pbdrMat3 inverse = pbdrTurnTensor(&body->frame, &body->shape->inverseTurning);
        link->loadAngular = pbdrAddScaled(body->angular, half, pbdrMulMV(&inverse, body->torque));
    }
    link->velocity = body->velocity;
    link->angular = body->angular;
    if (own->kicked) {
        const double* kick = own->lastStep;
        link->velocity = pbdrAdd(link->velocity, pbdrVec(kick[0], kick[1], kick[2]));
        link->angular = pbdrAdd(link->angular, pbdrVec(kick[3], kick[4], kick[5]));
    }
}

static void startJoint(pbdrMechanism* mechanism, pbdrActiveJoint* active)
{
    const pbdrScene* scene = mechanism->world->scene;
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    const pbdrJointSide sides[2] = {pbdrGetJointSide(scene, joint->bodies[0]),
                                    pbdrGetJointSide(scene, joint->bodies[1])};
    pbdrFindJointRows(joint, sides, &active->begin);
    memset(active->push, 0, sizeof active->push);
    memset(active->pull, 0, sizeof active->pull);
    pbdrStartAxis(scene, mechanism->dt, &active->begin, active);
}

// --- Free motion, and what it leaves open ---

static void driftLink(pbdrLink* link, double dt)
{
    const pbdrBody* body = link->body;
    link->centre = pbdrAddScaled(body->centre, dt, link->velocity);
    link->rotation = body->rotation;
    link->endVelocity = link->velocity;
    link->endAngular = link->angular;
    pbdrRotateFreely(body, dt, &link->rotation, &link->endAngular);
    link->frame = pbdrMatFromQuat(link->rotation);
}

// D/dt = 1 + dt/2 ([w] + I^-1 ([I w] - [w] I)): to first order in the turn; Newton's method sees to the rest.
static void setDrift(pbdrLink* link, double dt)
{
    const pbdrVec3 w = link->angular, spin = pbdrMulMV(&link->inertia, w);
    const pbdrMat3 one = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    const pbdrMat3 inverse = pbdrTurnTensor(&link->body->frame, &link->body->shape->inverseTurning);
    const pbdrMat3 turning = pbdrCrossM(w, &link->inertia), spinning = pbdrCrossM(spin, &one);
    const pbdrMat3 difference = pbdrAddScaledMM(&spinning, -1.0, &turning);
    const pbdrMat3 precession = pbdrMulMM(&inverse, &difference), cross = pbdrCrossM(w, &one);
    link->drift = pbdrAddScaledMM(&one, 0.5 * dt, &cross);
    link->drift = pbdrAddScaledMM(&link->drift, 0.5 * dt, &precession);
}

// All bodies to the end of the substep, and the joints' rows there. Returns the largest gap, and what an axis is off.
static double drift(const pbdrMechanism* mechanism)
{
    double worst = 0.0;
    for (int k = 0; k < mechanism->linkCount; k++) {
        driftLink(&mechanism->links[k], mechanism->dt);
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        pbdrActiveJoint* active = &mechanism->joints[k];
        const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
        pbdrJointSide sides[2];
        for (int side = 0; side < 2; side++) {
            const int mover = active->movers[side];
            if (mover < 0) {
                sides[side] = active->fixed[side];
            } else {
                sides[side] = (pbdrJointSide){.centre = mechanism->links[mover].centre,
                                              .turn = mechanism->links[mover].frame};
            }
        }
        pbdrFindJointRows(joint, sides, &active->end);
        for (int row = 0; row < active->end.count; row++) {
            const double gap = fabs(active->end.gaps[row]);
            worst = gap <= worst ? worst : gap; // also of NaN
        }
        if (active->axis.active) {
            active->axis.at = pbdrFollowAxis(joint, &active->end, active->axis.place);
            // an impulse that is off is worth a way
            const double rest =
                fabs(pbdrGetAxisRest(mechanism, active, false)) /
                (active->axis.hold == PBDR_HOLD_NONE ? pbdrMax(active->axis.slope, 1.0) : 1.0);
            worst = rest <= worst ? worst : rest;
        }
        if (joint->ballLaw) {
            const pbdrMat3 turn = pbdrGetBallTurn(joint, &sides[0].turn, &sides[1].turn);
            pbdrPlaceBall(joint, &turn, mechanism->dt, &active->ball);
            pbdrFindBallRows(joint, mechanism->dt, pbdrGetBallImpulse(active->push), &active->ball);
            const double rest = pbdrGetBallRest(joint, &active->ball, mechanism->dt);
            worst = rest <= worst ? worst : rest;
        }
    }
    const double gears = pbdrPlaceGears(mechanism);
    return gears <= worst ? worst : gears;
}

// --- Newton's method ---

static bool factorBegin(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->linkCount; k++) {
        setDrift(&mechanism->links[k], mechanism->dt);
    }
    return pbdrFactorMechanism(mechanism, false);
}

static void takeStep(const pbdrMechanism* mechanism)
{
    const pbdrSystem* system = mechanism->system;
    for (int k = 0; k < mechanism->linkCount; k++) {
        const double* step = pbdrGetSide(system, k);
        pbdrLink* link = &mechanism->links[k];
        link->velocity = pbdrAdd(link->velocity, pbdrVec(step[0], step[1], step[2]));
        link->angular = pbdrAdd(link->angular, pbdrVec(step[3], step[4], step[5]));
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        const double* step = pbdrGetSide(system, mechanism->linkCount + k);
        for (int row = 0; row < 6; row++) {
            mechanism->joints[k].push[row] += step[row];
        }
    }
    pbdrPushGears(mechanism, false);
}

double pbdrGetReach(const pbdrMechanism* mechanism)
{
    double reach = 1.0;
    for (int k = 0; k < mechanism->linkCount; k++) {
        const pbdrVec3 c = mechanism->links[k].body->centre;
        reach = pbdrMax(reach, pbdrMax(fabs(c.x), pbdrMax(fabs(c.y), fabs(c.z))));
    }
    return reach;
}

// The state of the search with the least gaps so far is kept, or taken again.
static void keepBest(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->linkCount; k++) {
        mechanism->links[k].bestVelocity = mechanism->links[k].velocity;
        mechanism->links[k].bestAngular = mechanism->links[k].angular;
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        memcpy(mechanism->joints[k].best, mechanism->joints[k].push, sizeof mechanism->joints[k].best);
    }
    pbdrKeepGears(mechanism, false);
}

static double takeBest(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->linkCount; k++) {
        mechanism->links[k].velocity = mechanism->links[k].bestVelocity;
        mechanism->links[k].angular = mechanism->links[k].bestAngular;
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        memcpy(mechanism->joints[k].push, mechanism->joints[k].best, sizeof mechanism->joints[k].best);
    }
    pbdrKeepGears(mechanism, true);
    return drift(mechanism);
}

// Impulses at the begin that close joints at the end, with what holds the axes as it is. Returns the gap that is left.
static double closeJoints(pbdrMechanism* mechanism, int* steps)
{
    const double closed = PBDR_CLOSED * pbdrGetReach(mechanism),
                 rounding = pbdrMax(closed, pbdrMin(10.0 * closed, MOST_ROUNDING));
    double gap = drift(mechanism), best = HUGE_VAL;
    bool pulled = mechanism->loops;
    if (!factorBegin(mechanism)) {
        return (double)NAN;
    }
    for (int k = 0; k < PBDR_CLOSING_STEPS; k++) {
        // what rows that depend on each other are pulled to zero by is taken out by one more step
        if (*steps > 0 && k > 0 && gap <= closed && !(mechanism->loops && k < 2)) {
            break;
        }
        pbdrSolveMechanism(mechanism, false, *steps == 0, pulled);
        takeStep(mechanism);
        (*steps)++;
        const double before = gap;
        gap = drift(mechanism);
        if (mechanism->loops && gap < best) {
            best = gap;
            keepBest(mechanism);
        } else if (mechanism->loops && !(gap <= WORSE * best)) {
            // a loop that is stretched out has no forces that hold it, and steps that look for them lead nowhere
            return takeBest(mechanism);
        }
        if (pulled) {
            // far from the end rows that depend on each other do not agree, and forces of that must go again
            pulled = gap > PULLED_TO && k < PULLED_STEPS;
            continue;
        }
        if (k > 0 && gap > 0.5 * before &&
            gap < (mechanism->loose > LEAST_LOOSE ? rounding : 1.0e3 * closed)) {
            break; // rounding, or nothing is left to lower
        }
        if (k > 0 && !(gap <= SLOW * before) && gap > closed) {
            mechanism->loose = pbdrMax(0.1 * mechanism->loose, LEAST_LOOSE);
            if (!factorBegin(mechanism)) {
                return (double)NAN;
            }
        }
    }
    return mechanism->loops && !(gap <= best) && gap > closed ? takeBest(mechanism) : gap;
}

// --- End ---

// The last kick, of loads, and joints that keep closed.
static void endLinks(const pbdrMechanism* mechanism)
{
    const pbdrScene* scene = mechanism->world->scene;
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        const pbdrBody* body = link->body;
        const double half = 0.5 * mechanism->dt;
        const pbdrMat3 inverse = pbdrTurnTensor(&link->frame, &body->shape->inverseTurning);
        const pbdrVec3 pull = pbdrAddScaled(scene->gravity, 1.0 / body->shape->mass, body->force);
        link->endInertia = pbdrTurnTensor(&link->frame, &body->shape->turning);
        link->endVelocity = pbdrAddScaled(link->endVelocity, half, pull);
        link->endAngular = pbdrAddScaled(link->endAngular, half, pbdrMulMV(&inverse, body->torque));
    }
}

static void takeEndStep(const pbdrMechanism* mechanism)
{
    const pbdrSystem* system = mechanism->system;
    for (int k = 0; k < mechanism->linkCount; k++) {
        const double* step = pbdrGetSide(system, k);
        pbdrLink* link = &mechanism->links[k];
        link->endVelocity = pbdrAdd(link->endVelocity, pbdrVec(step[0], step[1], step[2]));
        link->endAngular = pbdrAdd(link->endAngular, pbdrVec(step[3], step[4], step[5]));
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        const double* step = pbdrGetSide(system, mechanism->linkCount + k);
        for (int row = 0; row < 6; row++) {
            mechanism->joints[k].pull[row] += step[row];
        }
    }
    pbdrPushGears(mechanism, true);
}

// A bound that would pull at the end lets go. True if one did.
static bool releaseBounds(const pbdrMechanism* mechanism)
{
    bool changed = false;
    for (int k = 0; k < mechanism->jointCount; k++) {
        pbdrActiveJoint* active = &mechanism->joints[k];
        const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
        if (joint->ballLaw) {
            changed = pbdrReleaseBall(joint, pbdrGetBallImpulse(active->pull),
                                      pbdrGetBallEndRate(mechanism, active), mechanism->dt, &active->ball) ||
                      changed;
            continue;
        }
        if (active->axis.hold != PBDR_HOLD_LOWER && active->axis.hold != PBDR_HOLD_UPPER) {
            continue;
        }
        const int side = active->axis.hold;
        active->axis.hold = PBDR_HOLD_NONE;
        const double extra = pbdrGetAxisRest(mechanism, active, true); // beyond what it has of itself
        if (!(side * extra > 0.0)) {
            active->axis.hold = side;
        } else {
            changed = true;
        }
    }
    return changed;
}

static bool keepClosed(const pbdrMechanism* mechanism)
{
    endLinks(mechanism);
    for (int round = 0; round < PBDR_HOLD_ROUNDS; round++) {
        if (!pbdrFactorMechanism(mechanism, true)) {
            return false;
        }
        for (int k = 0; k < (mechanism->loops ? 3 : 1); k++) {
            pbdrSolveMechanism(mechanism, true, false, mechanism->loops && k == 0);
            takeEndStep(mechanism);
        }
        if (!releaseBounds(mechanism)) {
            break;
        }
    }
    return true;
}

// What a joint did to B: its impulses at both ends of the substep.
static void noteReaction(const pbdrMechanism* mechanism, const pbdrActiveJoint* active)
{
    pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    pbdrVec3 force = {0.0, 0.0, 0.0}, torque = {0.0, 0.0, 0.0};
    for (int end = 0; end < 2; end++) {
        const pbdrJointRows* rows = end == 0 ? &active->begin : &active->end;
        const double* impulses = end == 0 ? active->push : active->pull;
        pbdrVec3 f = {0.0, 0.0, 0.0}, m = {0.0, 0.0, 0.0};
        for (int row = 0; row < 6; row++) {
            const double* j = rows->jacobians[1][row];
            f = pbdrAddScaled(f, impulses[row], pbdrVec(j[0], j[1], j[2]));
            m = pbdrAddScaled(m, impulses[row], pbdrVec(j[3], j[4], j[5]));
        }
        force = pbdrAdd(force, f);
        torque = pbdrAdd(torque, pbdrSub(m, pbdrCross(rows->levers[1], f)));
    }
    joint->reaction =
        (pbdrWrench){pbdrScale(1.0 / mechanism->dt, force), pbdrScale(1.0 / mechanism->dt, torque)};
    joint->axisForce = pbdrHasAxis(joint)
                           ? (active->push[PBDR_JOINT_AXIS] + active->pull[PBDR_JOINT_AXIS]) / mechanism->dt
                           : 0.0;
    joint->position =
        active->axis.active ? active->axis.at : pbdrFollowAxis(joint, &active->end, joint->position);
    joint->work = pbdrHasAxis(joint) ? joint->axisForce * (joint->position - active->axis.place) : 0.0;
    joint->hold = active->axis.hold;
    if (joint->ballLaw) {
        pbdrNoteBall(active, joint, mechanism->dt);
    }
    memset(joint->forces, 0, sizeof joint->forces);
}

void pbdrFinishMechanism(const pbdrMechanism* mechanism, pbdrMover* movers)
{
    for (int k = 0; k < mechanism->linkCount; k++) {
        const pbdrLink* link = &mechanism->links[k];
        movers[k].flies = true;
        movers[k].end = (pbdrFlightEnd){link->centre, link->rotation, link->endVelocity, link->endAngular};
        movers[k].kicked = true;
        movers[k].y = mechanism->tree ? pbdrMakeTwist(link->kick.linear, link->kick.angular)
                                      : pbdrMakeTwist(pbdrSub(link->velocity, link->body->velocity),
                                                      pbdrSub(link->angular, link->body->angular));
    }
    if (mechanism->tree) {
        mechanism->world->kernels->noteTreeReactions(mechanism);
        return;
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        noteReaction(mechanism, &mechanism->joints[k]);
    }
    pbdrNoteGears(mechanism);
}

static bool moveMechanism(pbdrMechanism* mechanism, pbdrIsland* island)
{
    double gap = (double)NAN;
    mechanism->loops = pbdrHasLoops(mechanism);
    for (int k = 0; k < mechanism->linkCount; k++) {
        const pbdrBody* body = mechanism->links[k].body;
        mechanism->links[k].inertia = pbdrTurnTensor(&body->frame, &body->shape->turning);
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        startJoint(mechanism, &mechanism->joints[k]);
    }
    pbdrStartGears(mechanism);
    for (int round = 0; round < PBDR_HOLD_ROUNDS; round++) {
        gap = closeJoints(mechanism, &island->stepCount);
        bool changed = false;
        for (int k = 0; k < mechanism->jointCount; k++) {
            pbdrActiveJoint* active = &mechanism->joints[k];
            const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
            if (active->axis.active) {
                changed = pbdrChangeHold(mechanism, active) || changed;
            } else if (joint->ballLaw) {
                changed =
                    pbdrChangeBall(joint, pbdrGetBallImpulse(active->push), mechanism->dt, &active->ball) ||
                    changed;
            }
        }
        if (!changed) {
            break;
        }
    }
    if (!(gap <= PBDR_BAD_GAP)) {
        island->flags |= pbdr_stepNotConverged;
    }
    mechanism->loose = PBDR_LOOSE;
    return isfinite(gap) && keepClosed(mechanism);
}

bool pbdrStepMechanism(pbdrMechanism* mechanism, const pbdrMover* movers, pbdrIsland* island)
{
    for (int k = 0; k < mechanism->linkCount; k++) {
        startLink(mechanism, &movers[k], &mechanism->links[k]);
    }
    return mechanism->tree ? mechanism->world->kernels->moveTree(mechanism, island)
                           : moveMechanism(mechanism, island);
}
