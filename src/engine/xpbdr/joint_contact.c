// Joints of islands that touch something (docs/theory/joints.md, Contacts).
//
// Joints are rows of contacts' Newton system, linear in y: G (dt V + y) = 0, with G where bodies would be at the end of the
// substep if nothing changed their velocities; forces act along G of its middle. Bodies move as contacts ask, and joints are
// then closed by the least way that does.
#include "engine/xpbdr/kernels.h"
#include "engine/xpbdr/mechanism.h"

#include <string.h>

// What is added to a row's diagonal, over what that will be: rows of loops may depend on each other.
#define LOOSE 1.0e-6

static const pbdrJoint* getJoint(const pbdrSolve* solve, const pbdrActiveJoint* active)
{
    return pbdrGetJoint(solve->world->scene, active->joint);
}

// --- Start ---

// Where a side is after some time, going on as it does.
static pbdrJointSide extrapolate(const pbdrBody* body, double time)
{
    const pbdrQuat turned = pbdrMulQQ(pbdrQuatFromVector(pbdrScale(time, body->angular)), body->rotation);
    return (pbdrJointSide){pbdrAddScaled(body->centre, time, body->velocity), pbdrMatFromQuat(turned),
                           body->velocity, body->angular};
}

// The force of the axis is offset - slope G y, but for friction and motors at their bounds.
static void setLine(const pbdrJoint* joint, double dt, struct pbdrAxisLaw* axis)
{
    const pbdrAxisLine line = pbdrGetAxisLine(joint, axis);
    axis->slope = 0.25 * line.beta + 0.5 * line.gamma / dt + joint->armature / (dt * dt);
    axis->offset = line.alpha - line.beta * axis->place - (0.5 * line.beta * dt + line.gamma) * axis->rate;
}

static void startAxis(const pbdrSolve* solve, pbdrActiveJoint* active)
{
    const pbdrScene* scene = solve->world->scene;
    const pbdrJoint* joint = getJoint(solve, active);
    const pbdrJointSide sides[2] = {pbdrGetJointSide(scene, joint->bodies[0]),
                                    pbdrGetJointSide(scene, joint->bodies[1])};
    pbdrJointRows rows;
    pbdrFindJointRows(joint, sides, &rows);
    pbdrStartAxis(scene, scene->timeStep, &rows, active);
    setLine(joint, scene->timeStep, &active->axis);
}

// Bodies that weigh less than this over the island's heaviest (carriers of imported joints) count as if they weighed that: they
// move with others, and rows that are loose for their sake would be loose for all.
#define LIGHT 1.0e-3

// 1/m of what a row moves [1/kg, 1/(kg m^2)].
static double getMobility(const pbdrSolve* solve, const pbdrActiveJoint* active, int row)
{
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        const pbdrMover* mover = pbdrGetMover(solve, active->movers[side]);
        if (mover != NULL) {
            const double* j = active->end.jacobians[side][row];
            sum += (j[0] * j[0] + j[1] * j[1] + j[2] * j[2] +
                    (j[3] * j[3] + j[4] * j[4] + j[5] * j[5]) / (mover->gyration * mover->gyration)) /
                   pbdrMax(mover->mass, LIGHT * solve->island->heaviest);
        }
    }
    return sum;
}

// A gear's row, linear as those of joints: with the ratio of the middle where forces act, and of the end where it is stated.
static void startGear(const pbdrSolve* solve, pbdrActiveGear* gear)
{
    const pbdrJoint* joint = pbdrGetJoint(solve->world->scene, gear->joint);
    const pbdrActiveJoint *leader = &solve->joints[gear->axes[0]], *follower = &solve->joints[gear->axes[1]];
    const double way = solve->world->scene->timeStep * leader->axis.rate;
    gear->ratios[0] = pbdrGetGearRatio(joint, leader->axis.place + 0.5 * way);
    gear->ratios[1] = pbdrGetGearRatio(joint, leader->axis.place + way);
    gear->gap = follower->end.gaps[PBDR_JOINT_AXIS] - gear->ratios[1] * leader->end.gaps[PBDR_JOINT_AXIS];
    gear->mobility = gear->ratios[1] * gear->ratios[1] * leader->mobilities[PBDR_JOINT_AXIS] +
                     follower->mobilities[PBDR_JOINT_AXIS];
    gear->push = joint->forces[0];
    gear->pull = 0.0;
}

void pbdrStartJoints(pbdrSolve* solve)
{
    const pbdrScene* scene = solve->world->scene;
    for (int k = 0; k < solve->jointCount; k++) {
        pbdrActiveJoint* active = &solve->joints[k];
        const pbdrJoint* joint = getJoint(solve, active);
        pbdrJointSide middle[2], end[2];
        for (int side = 0; side < 2; side++) {
            if (active->movers[side] < 0) {
                middle[side] = end[side] = active->fixed[side];
            } else {
                const pbdrBody* body = pbdrGetBody(scene, joint->bodies[side]);
                middle[side] = extrapolate(body, 0.5 * scene->timeStep);
                end[side] = extrapolate(body, scene->timeStep);
            }
        }
        pbdrFindJointRows(joint, middle, &active->begin);
        pbdrFindJointRows(joint, end, &active->end);
        for (int row = 0; row < 6; row++) {
            // dt G V: what nothing but y changes
            active->end.gaps[row] = scene->timeStep * pbdrGetRowRate(&active->end, end, row);
        }
        for (int row = 0; row < 6; row++) {
            active->mobilities[row] = getMobility(solve, active, row);
        }
        memcpy(active->push, joint->forces, sizeof active->push);
        memset(active->pull, 0, sizeof active->pull);
        startAxis(solve, active);
        if (joint->ballLaw) {
            const pbdrMat3 turn = pbdrGetBallTurn(joint, &end[0].turn, &end[1].turn);
            pbdrStartContactBall(joint, &turn, scene->timeStep, &active->ball);
        }
    }
    for (int k = 0; k < solve->gearCount; k++) {
        startGear(solve, &solve->gears[k]);
    }
}

// --- Evaluation ---

// Whether a row is an axis that nothing holds, or one that the joint does not have.
static bool isFree(const pbdrActiveJoint* active, int row)
{
    return row >= active->end.count && !(row == PBDR_JOINT_AXIS && active->axis.hold != PBDR_HOLD_NONE);
}

// G y after a share of the step.
static double getWay(const pbdrSolve* solve, const pbdrActiveJoint* active, int row, double share)
{
    double way = 0.0;
    for (int side = 0; side < 2; side++) {
        const pbdrMover* mover = pbdrGetMover(solve, active->movers[side]);
        for (int i = 0; mover != NULL && i < 6; i++) {
            way += active->end.jacobians[side][row][i] * (mover->y.v[i] + share * mover->step.v[i]);
        }
    }
    return way;
}

// What friction and a motor push with at their bounds.
static double getSlipForce(const pbdrJoint* joint, const struct pbdrAxisLaw* axis)
{
    return -(axis->hold == PBDR_HOLD_FRICTION ? 0.0 : axis->signs[0] * joint->friction) -
           (axis->hold == PBDR_HOLD_MOTOR || joint->motor != pbdr_motorVelocity
                ? 0.0
                : axis->signs[1] * pbdrGetMotorBound(joint));
}

// How far the axis must go: G (dt V + y) where something holds it.
static double getHeldWay(const pbdrSolve* solve, const pbdrActiveJoint* active)
{
    const pbdrJoint* joint = getJoint(solve, active);
    switch (active->axis.hold) {
    case PBDR_HOLD_LOWER:
        return joint->lower - active->axis.place;
    case PBDR_HOLD_UPPER:
        return joint->upper - active->axis.place;
    case PBDR_HOLD_MOTOR:
        return solve->world->scene->timeStep * joint->motorTarget;
    default:
        return 0.0;
    }
}

// What is left of a row: a way [m, rad], or of a free axis a force.
static double getRest(const pbdrSolve* solve, const pbdrActiveJoint* active, int row, double share)
{
    if (row >= active->end.count && (row != PBDR_JOINT_AXIS || !active->axis.active)) {
        return 0.0;
    }
    const double way = getWay(solve, active, row, share);
    if (row < active->end.count) {
        return active->end.gaps[row] + way;
    }
    if (active->axis.hold != PBDR_HOLD_NONE) {
        return active->end.gaps[row] + way - getHeldWay(solve, active);
    }
    return active->push[row] + share * active->pull[row] + active->axis.slope * way - active->axis.offset -
           getSlipForce(getJoint(solve, active), &active->axis);
}

// The rows of a ball's law after a share of the step.
static void findBallRows(const pbdrSolve* solve, pbdrActiveJoint* active, double share)
{
    double ways[3], changes[3], forces[3];
    for (int k = 0; k < 3; k++) {
        changes[k] = getWay(solve, active, 3 + k, share);
        ways[k] = active->end.gaps[3 + k] + changes[k];
        forces[k] = active->push[3 + k] + share * active->pull[3 + k];
    }
    pbdrFindContactBallRows(getJoint(solve, active), pbdrVec(ways[0], ways[1], ways[2]),
                            pbdrVec(changes[0], changes[1], changes[2]),
                            pbdrVec(forces[0], forces[1], forces[2]), &active->ball);
}

// What is left of them, as forces.
static double getBallSquare(const pbdrSolve* solve, pbdrActiveJoint* active, double share)
{
    double square = 0.0;
    findBallRows(solve, active, share);
    for (int row = 0; row < 3; row++) {
        const bool held = row >= 3 - active->ball.rows.heldCount;
        const double rest =
            active->ball.rows.rests[row] * (held ? solve->perStep / active->mobilities[3] : 1.0);
        square += rest * rest;
    }
    return square;
}

static double getGearRest(const pbdrSolve* solve, const pbdrActiveGear* gear, double share)
{
    return gear->gap + getWay(solve, &solve->joints[gear->axes[1]], PBDR_JOINT_AXIS, share) -
           gear->ratios[1] * getWay(solve, &solve->joints[gear->axes[0]], PBDR_JOINT_AXIS, share);
}

static double addGearForces(pbdrSolve* solve, double share, double* size)
{
    double square = 0.0;
    for (int k = 0; k < solve->gearCount; k++) {
        const pbdrActiveGear* gear = &solve->gears[k];
        const double force = gear->push + share * gear->pull;
        const double asForce = getGearRest(solve, gear, share) * solve->perStep / gear->mobility;
        square += asForce * asForce;
        *size += fabs(force);
        for (int side = 0; side < 4; side++) {
            pbdrMover* mover = pbdrGetMover(solve, gear->movers[side]);
            double row[6];
            pbdrGetGearRow(gear, solve->joints, side, true, row);
            for (int i = 0; mover != NULL && i < 6; i++) {
                mover->pull.v[i] += force * row[i];
            }
        }
    }
    return square;
}

double pbdrAddJointForces(pbdrSolve* solve, double share, double* size)
{
    double square = 0.0;
    for (int k = 0; k < solve->jointCount; k++) {
        pbdrActiveJoint* active = &solve->joints[k];
        square += getJoint(solve, active)->ballLaw ? getBallSquare(solve, active, share) : 0.0;
        for (int row = 0; row < 6; row++) {
            const double force = active->push[row] + share * active->pull[row];
            const double rest = getRest(solve, active, row, share);
            const double asForce =
                isFree(active, row) ? rest : rest * solve->perStep / active->mobilities[row];
            square += asForce * asForce;
            *size += fabs(force);
            for (int side = 0; force != 0.0 && side < 2; side++) {
                pbdrMover* mover = pbdrGetMover(solve, active->movers[side]);
                for (int i = 0; mover != NULL && i < 6; i++) {
                    mover->pull.v[i] += force * active->begin.jacobians[side][row][i];
                }
            }
        }
    }
    return square + addGearForces(solve, share, size);
}

// --- Steps ---

// The rows of a ball's law in place of those that it has none of.
static void assembleBall(const pbdrSolve* solve, int index)
{
    pbdrActiveJoint* active = &solve->joints[index];
    pbdrBlock6* own = pbdrGetDiagonal(solve->system, solve->moverCount + index);
    findBallRows(solve, active, 0.0);
    const pbdrBallRows* rows = &active->ball.rows;
    for (int row = 0; row < 3; row++) {
        const bool held = row >= 3 - rows->heldCount;
        const double factor = held ? LOOSE * active->mobilities[3] / solve->perStep : 1.0;
        for (int i = 0; i < 3; i++) {
            own->m[3 + row][3 + i] = factor * rows->acts[row][i];
        }
        for (int side = 0; side < 2; side++) {
            for (int j = 3; active->movers[side] >= 0 && j < 6; j++) {
                double sum = 0.0;
                for (int i = 0; i < 3; i++) {
                    sum += rows->states[row][i] * active->end.jacobians[side][3 + i][j];
                }
                pbdrGetJointBlock(solve->system, active, side, true)->m[3 + row][j] = sum;
            }
        }
    }
}

static void assemble(const pbdrSolve* solve, int index)
{
    const pbdrActiveJoint* active = &solve->joints[index];
    pbdrBlock6* own = pbdrGetDiagonal(solve->system, solve->moverCount + index);
    for (int row = 0; row < 6; row++) {
        const bool free = isFree(active, row);
        const double scale = !free                                           ? 1.0
                             : row == PBDR_JOINT_AXIS && active->axis.active ? active->axis.slope
                                                                             : 0.0;
        own->m[row][row] = free ? 1.0 : LOOSE * active->mobilities[row] / solve->perStep;
        for (int side = 0; side < 2; side++) {
            if (active->movers[side] >= 0) {
                pbdrBlock6 *stated = pbdrGetJointBlock(solve->system, active, side, true),
                           *acting = pbdrGetJointBlock(solve->system, active, side, false);
                for (int i = 0; i < 6; i++) {
                    stated->m[row][i] = scale * active->end.jacobians[side][row][i];
                    acting->m[i][row] = -active->begin.jacobians[side][row][i];
                }
            }
        }
    }
    if (getJoint(solve, active)->ballLaw) {
        assembleBall(solve, index);
    }
}

static void assembleGear(const pbdrSolve* solve, int index)
{
    const pbdrActiveGear* gear = &solve->gears[index];
    pbdrBlock6* own = pbdrGetDiagonal(solve->system, solve->system->firstGear + index);
    own->m[0][0] = LOOSE * gear->mobility / solve->perStep;
    for (int row = 1; row < 6; row++) {
        own->m[row][row] = 1.0;
    }
    for (int side = 0; side < 4; side++) {
        if (gear->movers[side] >= 0) {
            double stated[6], acting[6];
            pbdrGetGearRow(gear, solve->joints, side, false, stated);
            pbdrGetGearRow(gear, solve->joints, side, true, acting);
            for (int i = 0; i < 6; i++) {
                pbdrGetGearBlock(solve->system, gear, side, true)->m[0][i] += stated[i];
                pbdrGetGearBlock(solve->system, gear, side, false)->m[i][0] -= acting[i];
            }
        }
    }
}

bool pbdrFindJointedStep(pbdrSolve* solve)
{
    for (int k = 0; k < solve->jointCount; k++) {
        assemble(solve, k);
    }
    for (int k = 0; k < solve->gearCount; k++) {
        assembleGear(solve, k);
    }
    if (!pbdrFactorSystem(solve->system)) {
        return false;
    }
    for (int k = 0; k < solve->moverCount; k++) {
        memcpy(pbdrGetSide(solve->system, k), solve->movers[k].step.v, sizeof solve->movers[k].step.v);
    }
    for (int k = 0; k < solve->jointCount; k++) {
        double* side = pbdrGetSide(solve->system, solve->moverCount + k);
        for (int row = 0; row < 6; row++) {
            side[row] = -getRest(solve, &solve->joints[k], row, 0.0);
        }
        for (int row = 0; row < 3 && getJoint(solve, &solve->joints[k])->ballLaw; row++) {
            side[3 + row] = -solve->joints[k].ball.rows.rests[row];
        }
    }
    for (int k = 0; k < solve->gearCount; k++) {
        double* side = pbdrGetSide(solve->system, solve->system->firstGear + k);
        memset(side, 0, 6 * sizeof(double));
        side[0] = -getGearRest(solve, &solve->gears[k], 0.0);
    }
    pbdrSolveSides(solve->system);
    for (int k = 0; k < solve->moverCount; k++) {
        memcpy(solve->movers[k].step.v, pbdrGetSide(solve->system, k), sizeof solve->movers[k].step.v);
    }
    for (int k = 0; k < solve->jointCount; k++) {
        memcpy(solve->joints[k].pull, pbdrGetSide(solve->system, solve->moverCount + k),
               sizeof solve->joints[k].pull);
    }
    for (int k = 0; k < solve->gearCount; k++) {
        solve->gears[k].pull = pbdrGetSide(solve->system, solve->system->firstGear + k)[0];
    }
    return true;
}

void pbdrAcceptJoints(pbdrSolve* solve, double share)
{
    for (int k = 0; k < solve->jointCount; k++) {
        pbdrActiveJoint* active = &solve->joints[k];
        for (int row = 0; row < 6; row++) {
            active->push[row] += share * active->pull[row];
            active->pull[row] = 0.0;
        }
    }
    for (int k = 0; k < solve->gearCount; k++) {
        solve->gears[k].push += share * solve->gears[k].pull;
        solve->gears[k].pull = 0.0;
    }
}

static bool changeBall(const pbdrSolve* solve, pbdrActiveJoint* active)
{
    const pbdrVec3 change = {getWay(solve, active, 3, 0.0), getWay(solve, active, 4, 0.0),
                             getWay(solve, active, 5, 0.0)};
    return pbdrChangeContactBall(getJoint(solve, active),
                                 pbdrAdd(change, pbdrGetBallImpulse(active->end.gaps)), change,
                                 pbdrGetBallImpulse(active->push), &active->ball);
}

bool pbdrChangeHolds(pbdrSolve* solve)
{
    bool changed = false;
    for (int k = 0; k < solve->jointCount; k++) {
        pbdrActiveJoint* active = &solve->joints[k];
        struct pbdrAxisLaw* axis = &active->axis;
        if (getJoint(solve, active)->ballLaw) {
            changed = changeBall(solve, active) || changed;
        } else if (axis->active) {
            const pbdrJoint* joint = getJoint(solve, active);
            const double step = getWay(solve, active, PBDR_JOINT_AXIS, 0.0),
                         way = active->end.gaps[PBDR_JOINT_AXIS] + step;
            axis->at = axis->place + way;
            const double load = axis->offset - axis->slope * step + getSlipForce(joint, axis);
            changed = pbdrDecideHold(joint, way / solve->world->scene->timeStep, load,
                                     active->push[PBDR_JOINT_AXIS], 1.0, axis) ||
                      changed;
            if (pbdrSaturate(joint, way / solve->world->scene->timeStep, axis)) {
                setLine(joint, solve->world->scene->timeStep, axis);
                changed = true;
            }
        }
    }
    return changed;
}

void pbdrFinishJoints(pbdrSolve* solve)
{
    bool loaded = false;
    for (int k = 0; k < solve->moverCount; k++) {
        loaded = loaded || solve->movers[k].loaded;
    }
    for (int k = 0; k < solve->moverCount; k++) {
        // all move with the mean velocity; where nothing touches any more, the next substep begins without contacts
        solve->movers[k].loaded = true;
        solve->movers[k].lost = solve->movers[k].lost || !loaded;
    }
    for (int k = 0; k < solve->jointCount; k++) {
        pbdrActiveJoint* active = &solve->joints[k];
        pbdrJoint* joint = pbdrGetJoint(solve->world->scene, active->joint);
        pbdrVec3 force = {0.0, 0.0, 0.0}, torque = {0.0, 0.0, 0.0};
        for (int row = 0; row < 6; row++) {
            const double* j = active->begin.jacobians[1][row];
            force = pbdrAddScaled(force, active->push[row], pbdrVec(j[0], j[1], j[2]));
            torque = pbdrAddScaled(torque, active->push[row], pbdrVec(j[3], j[4], j[5]));
        }
        joint->reaction = (pbdrWrench){force, pbdrSub(torque, pbdrCross(active->begin.levers[1], force))};
        joint->axisForce = pbdrHasAxis(joint) ? active->push[PBDR_JOINT_AXIS] : 0.0;
        joint->hold = joint->ballLaw ? active->ball.holds : active->axis.hold;
        active->ball.force = pbdrGetBallImpulse(active->push);
        memcpy(joint->forces, active->push, sizeof joint->forces);
    }
    for (int k = 0; k < solve->gearCount; k++) {
        pbdrJoint* gear = pbdrGetJoint(solve->world->scene, solve->gears[k].joint);
        gear->axisForce = gear->forces[0] = solve->gears[k].push;
    }
    solve->island->touches = true;
}
