// The linear systems of a mechanism: a row per body, of its change of velocity, and one per joint, of its impulses.
//
//   | M       -G0^T | | dV |   |  0   |        G0: the rows' derivatives where impulses act
//   | G1 D     C    | | dL | = | -gap |        G1: where they are stated; D: how motion at the end goes with dV
//
// C is zero but for axes that are free. A tree has one solution, which elimination from the leaves finds in a time that
// goes with the number of bodies: a body leaves G M^-1 G^T to its joint, and a joint G^T (G M^-1 G^T)^-1 G to the next
// body, sums of positive matrices. In loops rows may depend on each other; there C has a little on its diagonal.
#include "engine/xpbdr/mechanism.h"

#include <string.h>

static void setMass(const pbdrMechanism* mechanism, const pbdrLink* link, bool atEnd, pbdrBlock6* block)
{
    const pbdrMat3* inertia = atEnd ? &link->endInertia : &link->inertia;
    (void)mechanism;
    for (int i = 0; i < 3; i++) {
        block->m[i][i] = link->body->shape->mass;
        for (int j = 0; j < 3; j++) {
            block->m[3 + i][3 + j] = inertia->m[i][j];
        }
    }
}

// What a row is to the motion of a side, times D.
static void stateRow(const double jacobian[6], const pbdrMat3* drift, double scale, double row[6])
{
    for (int i = 0; i < 3; i++) {
        row[i] = scale * jacobian[i];
        row[3 + i] = scale * jacobian[3 + i];
    }
    if (drift != NULL) {
        for (int j = 0; j < 3; j++) {
            row[3 + j] = scale * (jacobian[3] * drift->m[0][j] + jacobian[4] * drift->m[1][j] +
                                  jacobian[5] * drift->m[2][j]);
        }
    }
}

// About what G M^-1 G^T has on its diagonal, the mean of the rows that are lengths or of those that are angles, so that no
// direction is preferred.
static double getMobilityOf(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, int row)
{
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        if (active->movers[side] >= 0) {
            const pbdrShape* shape = mechanism->links[active->movers[side]].body->shape;
            const double* j = active->end.jacobians[side][row];
            const double trace = shape->turning.m[0][0] + shape->turning.m[1][1] + shape->turning.m[2][2];
            sum += (j[0] * j[0] + j[1] * j[1] + j[2] * j[2]) / shape->mass +
                   3.0 * (j[3] * j[3] + j[4] * j[4] + j[5] * j[5]) / trace;
        }
    }
    return sum;
}

static double getMobility(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, int row)
{
    if (row >= active->end.count) {
        return getMobilityOf(mechanism, active, row);
    }
    const bool linear = row < active->end.linear;
    const int first = linear ? 0 : active->end.linear, end = linear ? active->end.linear : active->end.count;
    double sum = 0.0;
    for (int k = first; k < end; k++) {
        sum += getMobilityOf(mechanism, active, k);
    }
    return sum / (end - first);
}

// How a row is stated: with which factor its derivative counts, and what stands on the diagonal.
static void weighRow(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, int row, bool atEnd,
                     double* scale, double* diagonal)
{
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    const bool free =
        row == PBDR_JOINT_AXIS && active->end.count <= PBDR_JOINT_AXIS && active->axis.hold == PBDR_HOLD_NONE;
    if (free || (row >= active->end.count && row != PBDR_JOINT_AXIS)) {
        *scale = !free || !active->axis.active ? 0.0 : atEnd ? joint->armature : active->axis.slope;
        *diagonal = 1.0;
        return;
    }
    *scale = 1.0;
    *diagonal = mechanism->loops
                    ? mechanism->loose * (atEnd ? 1.0 : mechanism->dt) * getMobility(mechanism, active, row)
                    : 0.0;
}

// What stands on the diagonal of a gear's row.
static double getGearLoose(const pbdrMechanism* mechanism, const pbdrActiveGear* gear, bool atEnd)
{
    const double ratio = gear->ratios[1];
    const double mobility =
        ratio * ratio * getMobilityOf(mechanism, &mechanism->joints[gear->axes[0]], PBDR_JOINT_AXIS) +
        getMobilityOf(mechanism, &mechanism->joints[gear->axes[1]], PBDR_JOINT_AXIS);
    return mechanism->loops ? mechanism->loose * (atEnd ? 1.0 : mechanism->dt) * mobility : 0.0;
}

// What stands before the impulses of what holds a ball, whose three rows count alike.
static double getBallLoose(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, bool atEnd)
{
    return mechanism->loops
               ? mechanism->loose * (atEnd ? 1.0 : mechanism->dt) * getMobilityOf(mechanism, active, 3)
               : 0.0;
}

static void assembleGear(const pbdrMechanism* mechanism, int index, bool atEnd)
{
    const pbdrActiveGear* gear = &mechanism->gears[index];
    pbdrSystem* system = mechanism->system;
    pbdrBlock6* own = pbdrGetDiagonal(system, system->firstGear + index);
    own->m[0][0] = getGearLoose(mechanism, gear, atEnd);
    for (int row = 1; row < 6; row++) {
        own->m[row][row] = 1.0;
    }
    for (int side = 0; side < 4; side++) {
        if (gear->movers[side] < 0) {
            continue;
        }
        const pbdrLink* link = &mechanism->links[gear->movers[side]];
        double stated[6], turned[6], acting[6];
        pbdrGetGearRow(gear, mechanism->joints, side, false, stated);
        pbdrGetGearRow(gear, mechanism->joints, side, !atEnd, acting);
        stateRow(stated, atEnd ? NULL : &link->drift, atEnd ? 1.0 : mechanism->dt, turned);
        // two axes may share a body
        double(*ofGear)[6] = pbdrGetGearBlock(system, gear, side, true)->m,
        (*ofBody)[6] = pbdrGetGearBlock(system, gear, side, false)->m;
        for (int i = 0; i < 6; i++) {
            ofGear[0][i] += turned[i];
            ofBody[i][0] -= acting[i];
        }
    }
}

// The rows of a ball's law in place of those that it has none of: stated by sides, and what impulses count.
static void assembleBall(const pbdrMechanism* mechanism, int index, bool atEnd)
{
    pbdrActiveJoint* active = &mechanism->joints[index];
    const pbdrBallRows* rows = &active->ball.rows;
    if (atEnd) {
        pbdrFindBallGap(pbdrGetActiveJoint(mechanism, active), &active->ball);
    }
    pbdrBlock6* own = pbdrGetDiagonal(mechanism->system, mechanism->linkCount + index);
    for (int row = 0; row < 3; row++) {
        const bool held = row >= 3 - rows->heldCount;
        const double factor = held ? getBallLoose(mechanism, active, atEnd) : 1.0;
        for (int i = 0; i < 3; i++) {
            own->m[3 + row][3 + i] = factor * rows->acts[row][i];
        }
        for (int side = 0; side < 2; side++) {
            if (active->movers[side] < 0) {
                continue;
            }
            double stated[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
            for (int i = 0; i < 3; i++) {
                for (int j = 3; j < 6; j++) {
                    stated[j] += rows->states[row][i] * active->end.jacobians[side][3 + i][j];
                }
            }
            stateRow(stated, atEnd ? NULL : &mechanism->links[active->movers[side]].drift,
                     atEnd ? 1.0 : mechanism->dt,
                     pbdrGetJointBlock(mechanism->system, active, side, true)->m[3 + row]);
        }
    }
}

bool pbdrFactorMechanism(const pbdrMechanism* mechanism, bool atEnd)
{
    pbdrSystem* system = mechanism->system;
    pbdrClearSystem(system);
    for (int k = 0; k < mechanism->linkCount; k++) {
        setMass(mechanism, &mechanism->links[k], atEnd, pbdrGetDiagonal(system, k));
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        const pbdrActiveJoint* active = &mechanism->joints[k];
        pbdrBlock6* own = pbdrGetDiagonal(system, mechanism->linkCount + k);
        double scales[6];
        for (int row = 0; row < 6; row++) {
            weighRow(mechanism, active, row, atEnd, &scales[row], &own->m[row][row]);
        }
        const pbdrJointRows* acts = atEnd ? &active->end : &active->begin;
        for (int side = 0; side < 2; side++) {
            if (active->movers[side] < 0) {
                continue;
            }
            const pbdrLink* link = &mechanism->links[active->movers[side]];
            pbdrBlock6 *stated = pbdrGetJointBlock(system, active, side, true),
                       *acting = pbdrGetJointBlock(system, active, side, false);
            for (int row = 0; row < 6; row++) {
                stateRow(active->end.jacobians[side][row], atEnd ? NULL : &link->drift,
                         (atEnd ? 1.0 : mechanism->dt) * scales[row], stated->m[row]);
                for (int i = 0; i < 6; i++) {
                    acting->m[i][row] = -acts->jacobians[side][row][i];
                }
            }
        }
        if (pbdrGetActiveJoint(mechanism, active)->ballLaw) {
            assembleBall(mechanism, k, atEnd);
        }
    }
    for (int k = 0; k < mechanism->gearCount; k++) {
        assembleGear(mechanism, k, atEnd);
    }
    return pbdrFactorSystem(system);
}

// The rate of a row at the end.
static double getRate(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, int row)
{
    double rate = 0.0;
    for (int side = 0; side < 2; side++) {
        const int mover = active->movers[side];
        const double* j = active->end.jacobians[side][row];
        const pbdrVec3 velocity =
            mover < 0 ? active->fixed[side].velocity : mechanism->links[mover].endVelocity;
        const pbdrVec3 angular = mover < 0 ? active->fixed[side].angular : mechanism->links[mover].endAngular;
        rate += pbdrDot(pbdrVec(j[0], j[1], j[2]), velocity) + pbdrDot(pbdrVec(j[3], j[4], j[5]), angular);
    }
    return rate;
}

pbdrVec3 pbdrGetBallEndRate(const pbdrMechanism* mechanism, const pbdrActiveJoint* active)
{
    return (pbdrVec3){getRate(mechanism, active, 3), getRate(mechanism, active, 4),
                      getRate(mechanism, active, 5)};
}

// What is left of the rows of a ball's law, with those of loops pulled to zero or not.
static void setBallSide(const pbdrMechanism* mechanism, pbdrActiveJoint* active, bool atEnd, bool pulled,
                        double side[6])
{
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    const pbdrVec3 impulse = pbdrGetBallImpulse(atEnd ? active->pull : active->push);
    if (atEnd) {
        pbdrFindBallEndRows(joint, mechanism->dt, impulse, pbdrGetBallEndRate(mechanism, active),
                            &active->ball);
    }
    const pbdrBallRows* rows = &active->ball.rows;
    for (int row = 0; row < 3; row++) {
        side[3 + row] = -rows->rests[row];
        if (pulled && row >= 3 - rows->heldCount) {
            side[3 + row] -= getBallLoose(mechanism, active, atEnd) *
                             (rows->acts[row][0] * impulse.x + rows->acts[row][1] * impulse.y +
                              rows->acts[row][2] * impulse.z);
        }
    }
}

// What impulses would have had to do to a link to give it the velocity that it is thought to have, less what is there.
static void setStart(const pbdrLink* link, double side[6])
{
    const pbdrVec3 kick = pbdrScale(link->body->shape->mass, pbdrSub(link->loadVelocity, link->velocity));
    const pbdrVec3 turn = pbdrMulMV(&link->inertia, pbdrSub(link->loadAngular, link->angular));
    const double all[6] = {kick.x, kick.y, kick.z, turn.x, turn.y, turn.z};
    memcpy(side, all, sizeof all);
}

void pbdrSolveMechanism(const pbdrMechanism* mechanism, bool atEnd, bool start, bool pulled)
{
    pbdrSystem* system = mechanism->system;
    for (int k = 0; k < mechanism->linkCount; k++) {
        memset(pbdrGetSide(system, k), 0, 6 * sizeof(double));
        if (start) {
            setStart(&mechanism->links[k], pbdrGetSide(system, k));
        }
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        const pbdrActiveJoint* active = &mechanism->joints[k];
        const double* impulses = atEnd ? active->pull : active->push;
        double* side = pbdrGetSide(system, mechanism->linkCount + k);
        for (int row = 0; row < 6; row++) {
            double scale, diagonal;
            weighRow(mechanism, active, row, atEnd, &scale, &diagonal);
            const bool held = row < active->end.count;
            side[row] = held ? -(atEnd ? getRate(mechanism, active, row) : active->end.gaps[row]) : 0.0;
            if (row == PBDR_JOINT_AXIS && !held && active->axis.active) {
                side[row] = -pbdrGetAxisRest(mechanism, active, atEnd);
            }
            if (pulled && scale == 1.0 && (held || active->axis.hold != PBDR_HOLD_NONE)) {
                side[row] -= diagonal * impulses[row];
            }
        }
        if (pbdrGetActiveJoint(mechanism, active)->ballLaw) {
            setBallSide(mechanism, &mechanism->joints[k], atEnd, pulled, side);
        }
    }
    for (int k = 0; k < mechanism->gearCount; k++) {
        const pbdrActiveGear* gear = &mechanism->gears[k];
        double* side = pbdrGetSide(system, system->firstGear + k);
        memset(side, 0, 6 * sizeof(double));
        side[0] = !atEnd ? -gear->gap
                         : gear->ratios[1] *
                                   getRate(mechanism, &mechanism->joints[gear->axes[0]], PBDR_JOINT_AXIS) -
                               getRate(mechanism, &mechanism->joints[gear->axes[1]], PBDR_JOINT_AXIS);
        if (pulled) {
            side[0] -= getGearLoose(mechanism, gear, atEnd) * (atEnd ? gear->pull : gear->push);
        }
    }
    pbdrSolveSides(system);
}
