// Impulses at contacts of a mechanism: what they change of all that hangs together.
//
//   | M  -G^T | | dV |   | J^T p |        p: at the contact, J: the motion of its two points; L: impulses of joints
//   | G   C   | | L  | = |   0   |        C: zero, but for axes that are free: armatures
#include "engine/xpbdr/joint_impacts.h"

#include <string.h>

// Steps that take out of loops what their diagonals leave open.
#define LOOP_STEPS 3
// Of the speed of approach: slip that is rounding.
#define SLIPPING 1.0e-12

bool pbdrOpenImpulses(pbdrMechanism* mechanism, pbdrXpbdrWorker* worker)
{
    const pbdrScene* scene = mechanism->world->scene;
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        link->endInertia = pbdrTurnTensor(&link->body->frame, &link->body->shape->turning);
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        pbdrActiveJoint* active = &mechanism->joints[k];
        const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
        const pbdrJointSide sides[2] = {pbdrGetJointSide(scene, joint->bodies[0]),
                                        pbdrGetJointSide(scene, joint->bodies[1])};
        pbdrFindJointRows(joint, sides, &active->end);
        pbdrStartAxis(scene, mechanism->dt, &active->end, active);
        active->axis.at = active->axis.place;
        // friction, springs, and motors with a bound, do nothing in no time; bounds of the axis stop what moves on to them
        if (active->axis.hold != PBDR_HOLD_MOTOR || isfinite(joint->maxMotorForce)) {
            active->axis.hold = PBDR_HOLD_NONE;
        }
        if (joint->ballLaw) {
            active->ball.holds = 0;
            pbdrFindBallGap(joint, &active->ball);
        }
    }
    pbdrPlaceGears(mechanism);
    mechanism->loops = pbdrHasLoops(mechanism);
    // trees have no system of their own
    return (!mechanism->tree || pbdrPlanMechanism(worker, mechanism)) && pbdrFactorMechanism(mechanism, true);
}

static double getRowRate(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, int row)
{
    double rate = 0.0;
    for (int side = 0; side < 2; side++) {
        if (active->movers[side] >= 0) {
            const pbdrLink* link = &mechanism->links[active->movers[side]];
            const double* j = active->end.jacobians[side][row];
            rate += pbdrDot(pbdrVec(j[0], j[1], j[2]), link->velocity) +
                    pbdrDot(pbdrVec(j[3], j[4], j[5]), link->angular);
        }
    }
    return rate;
}

// One step: links' and joints' changes from the system's sides.
static void takeStep(const pbdrMechanism* mechanism)
{
    pbdrSolveSides(mechanism->system);
    for (int k = 0; k < mechanism->linkCount; k++) {
        const double* step = pbdrGetSide(mechanism->system, k);
        pbdrLink* link = &mechanism->links[k];
        link->velocity = pbdrAdd(link->velocity, pbdrVec(step[0], step[1], step[2]));
        link->angular = pbdrAdd(link->angular, pbdrVec(step[3], step[4], step[5]));
        memset(pbdrGetSide(mechanism->system, k), 0, 6 * sizeof(double));
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        const double* step = pbdrGetSide(mechanism->system, mechanism->linkCount + k);
        for (int row = 0; row < 6; row++) {
            mechanism->joints[k].pull[row] += step[row];
        }
    }
    pbdrPushGears(mechanism, true);
}

// What rows of loops are left open by.
static void stateRests(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->jointCount; k++) {
        const pbdrActiveJoint* active = &mechanism->joints[k];
        double* side = pbdrGetSide(mechanism->system, mechanism->linkCount + k);
        for (int row = 0; row < 6; row++) {
            const bool held =
                row < active->end.count || (row == PBDR_JOINT_AXIS && active->axis.hold != PBDR_HOLD_NONE);
            side[row] = held ? -getRowRate(mechanism, active, row) : 0.0;
        }
    }
    for (int k = 0; k < mechanism->gearCount; k++) {
        const pbdrActiveGear* gear = &mechanism->gears[k];
        double* side = pbdrGetSide(mechanism->system, mechanism->system->firstGear + k);
        memset(side, 0, 6 * sizeof(double));
        side[0] =
            gear->ratios[1] * getRowRate(mechanism, &mechanism->joints[gear->axes[0]], PBDR_JOINT_AXIS) -
            getRowRate(mechanism, &mechanism->joints[gear->axes[1]], PBDR_JOINT_AXIS);
    }
}

// What an impulse on A of a contact, and its opposite on B, changes: velocities of links into their velocity and angular,
// impulses of joints into their pull. Returns the change of the contact's velocity.
static pbdrVec3 respond(const pbdrMechanism* mechanism, const pbdrActivePatch* active, const pbdrPoint* at,
                        pbdrVec3 impulse)
{
    const int movers[2] = {active->moverA, active->moverB};
    for (int i = 0; i < mechanism->linkCount; i++) {
        mechanism->links[i].velocity = mechanism->links[i].angular = pbdrVec(0.0, 0.0, 0.0);
        memset(pbdrGetSide(mechanism->system, i), 0, 6 * sizeof(double));
    }
    for (int i = 0; i < mechanism->jointCount; i++) {
        memset(mechanism->joints[i].pull, 0, sizeof mechanism->joints[i].pull);
        memset(pbdrGetSide(mechanism->system, mechanism->linkCount + i), 0, 6 * sizeof(double));
    }
    for (int i = 0; i < mechanism->gearCount; i++) {
        mechanism->gears[i].pull = 0.0;
        memset(pbdrGetSide(mechanism->system, mechanism->system->firstGear + i), 0, 6 * sizeof(double));
    }
    for (int side = 0; side < 2; side++) {
        if (movers[side] >= 0) {
            const pbdrVec3 own = side == 0 ? impulse : pbdrScale(-1.0, impulse);
            const pbdrVec3 moment = pbdrCross(at->levers[side], own);
            const double all[6] = {own.x, own.y, own.z, moment.x, moment.y, moment.z};
            memcpy(pbdrGetSide(mechanism->system, movers[side]), all, sizeof all);
        }
    }
    takeStep(mechanism);
    for (int step = 0; mechanism->loops && step < LOOP_STEPS; step++) {
        stateRests(mechanism);
        takeStep(mechanism);
    }
    pbdrVec3 change = {0.0, 0.0, 0.0};
    for (int side = 0; side < 2; side++) {
        if (movers[side] >= 0) {
            const pbdrLink* link = &mechanism->links[movers[side]];
            const pbdrVec3 own = pbdrAdd(link->velocity, pbdrCross(link->angular, at->levers[side]));
            change = side == 0 ? own : pbdrSub(change, own);
        }
    }
    return change;
}

// p with W p = change; columns of W. False where it has no inverse.
static bool solveThree(const pbdrVec3 columns[3], pbdrVec3 change, pbdrVec3* p)
{
    const pbdrVec3 across = pbdrCross(columns[1], columns[2]);
    const double volume = pbdrDot(columns[0], across);
    *p =
        pbdrVec(pbdrDot(change, across) / volume, pbdrDot(columns[0], pbdrCross(change, columns[2])) / volume,
                pbdrDot(columns[0], pbdrCross(columns[1], change)) / volume);
    return volume > 0.0 && isfinite(p->x + p->y + p->z);
}

// Friction sticks, with what joints make of it, or slides: the way that it did, or else would begin to. Where that would give
// energy, as restitution of velocities may, there is none.
pbdrVec3 pbdrFindImpulse(const pbdrMechanism* mechanism, const pbdrActivePatch* active, const pbdrPoint* at,
                         pbdrVec3 velocity, double restitution)
{
    const double mu = active->law.mu, fall = pbdrDot(at->n, velocity);
    const pbdrVec3 across = respond(mechanism, active, at, at->n);
    const pbdrVec3 plain = pbdrScale(-(1.0 + restitution) * fall / pbdrDot(at->n, across), at->n);
    if (!(mu > 0.0)) {
        return plain;
    }
    const pbdrVec3 other = fabs(at->n.x) < 0.6 ? pbdrVec(1.0, 0.0, 0.0) : pbdrVec(0.0, 1.0, 0.0);
    const pbdrVec3 side = pbdrCross(at->n, other), t = pbdrScale(1.0 / pbdrLength(side), side);
    const pbdrVec3 axes[3] = {at->n, t, pbdrCross(at->n, t)};
    pbdrVec3 columns[3], p; // of normal and tangents, as those of impulses
    for (int j = 0; j < 3; j++) {
        const pbdrVec3 column = j == 0 ? across : respond(mechanism, active, at, axes[j]);
        columns[j] = pbdrVec(pbdrDot(axes[0], column), pbdrDot(axes[1], column), pbdrDot(axes[2], column));
    }
    const pbdrVec3 before = {fall, pbdrDot(axes[1], velocity), pbdrDot(axes[2], velocity)};
    const pbdrVec3 change = {-(1.0 + restitution) * fall, -before.y, -before.z};
    const bool solved = solveThree(columns, change, &p);
    if (!solved || !(p.x > 0.0) || hypot(p.y, p.z) > mu * p.x) {
        const double slip = hypot(before.y, before.z), stick = solved ? hypot(p.y, p.z) : 0.0;
        const bool slides = slip > SLIPPING * fabs(fall);
        const double y = slides        ? -before.y / slip
                         : stick > 0.0 ? p.y / stick
                                       : 0.0,
                     z = slides        ? -before.z / slip
                         : stick > 0.0 ? p.z / stick
                                       : 0.0;
        const double normal = change.x / (columns[0].x + mu * (y * columns[1].x + z * columns[2].x));
        p = pbdrVec(normal, mu * y * normal, mu * z * normal);
    }
    const pbdrVec3 gained =
        pbdrAddScaled(pbdrAddScaled(pbdrScale(p.x, columns[0]), p.y, columns[1]), p.z, columns[2]);
    const double energy = pbdrDot(p, before) + 0.5 * pbdrDot(p, gained);
    if (!(p.x > 0.0) || !(energy <= 0.0)) {
        return plain;
    }
    return pbdrAddScaled(pbdrAddScaled(pbdrScale(p.x, axes[0]), p.y, axes[1]), p.z, axes[2]);
}

void pbdrAddReaction(pbdrActiveJoint* active, pbdrVec3 force, pbdrVec3 torque, double axisForce)
{
    active->reactions.force = pbdrAdd(active->reactions.force, force);
    active->reactions.torque = pbdrAdd(active->reactions.torque, torque);
    active->axisForces += axisForce;
}

void pbdrGiveImpulse(const pbdrMechanism* mechanism, const pbdrActivePatch* active, const pbdrPoint* at,
                     pbdrVec3 impulse)
{
    const double dt = mechanism->world->scene->timeStep;
    respond(mechanism, active, at, impulse);
    for (int k = 0; k < mechanism->linkCount; k++) {
        const pbdrLink* link = &mechanism->links[k];
        link->moved->velocity = pbdrAdd(link->moved->velocity, link->velocity);
        link->moved->angular = pbdrAdd(link->moved->angular, link->angular);
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        pbdrActiveJoint* joined = &mechanism->joints[k];
        pbdrVec3 f = {0.0, 0.0, 0.0}, m = {0.0, 0.0, 0.0};
        for (int row = 0; row < 6; row++) {
            const double *j = joined->end.jacobians[1][row], own = joined->pull[row] / dt;
            f = pbdrAddScaled(f, own, pbdrVec(j[0], j[1], j[2]));
            m = pbdrAddScaled(m, own, pbdrVec(j[3], j[4], j[5]));
        }
        pbdrAddReaction(
            joined, f, pbdrSub(m, pbdrCross(joined->end.levers[1], f)),
            pbdrHasAxis(pbdrGetActiveJoint(mechanism, joined)) ? joined->pull[PBDR_JOINT_AXIS] / dt : 0.0);
    }
    for (int k = 0; k < mechanism->gearCount; k++) {
        mechanism->gears[k].sum += mechanism->gears[k].pull / dt;
    }
}
