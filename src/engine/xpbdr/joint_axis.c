// The free axis of a hinge or a slide: spring, damper, armature, motor, friction, bounds (docs/theory/joints.md).
//
//   impulse at the begin = dt/2 (alpha - beta (place + at)/2 - gamma (at - place)/dt) - a ((at - place)/dt - rate)
//   at the end           = dt/2 (the same force)                                     - a (end rate - (at - place)/dt)
//
// place and at: the positions at begin and end. beta: springs, gamma: dampers, a: armature. Besides, one of: friction or a
// motor at its bound, a constant force; something that holds the axis, with a force that its row finds.
#include "engine/xpbdr/mechanism.h"

// A motor without bound may not be infinitely strong where a bound of the axis holds against it [N, N m].
#define STRONGEST 1.0e12
// Forces over their bounds by this share count as within them: rounding.
#define SLACK 1.0e-12

static double getSign(double a)
{
    return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : 0.0;
}

double pbdrGetMotorBound(const pbdrJoint* joint)
{
    return joint->motor == pbdr_motorVelocity ? pbdrMin(joint->maxMotorForce, STRONGEST) : 0.0;
}

// Whether a motor's force follows the axis' position and velocity: within minMotorForce and maxMotorForce.
static bool isServo(const pbdrJoint* joint)
{
    return joint->motor == pbdr_motorForce || joint->motor == pbdr_motorPosition;
}

// What such a motor pushes with where the axis is at zero and rests.
static double getServoOffset(const pbdrJoint* joint)
{
    return joint->motor == pbdr_motorPosition ? joint->motorStiffness * joint->motorTarget
                                              : joint->motorTarget;
}

pbdrAxisLine pbdrGetAxisLine(const pbdrJoint* joint, const struct pbdrAxisLaw* axis)
{
    pbdrAxisLine line = {joint->stiffness * joint->reference, joint->stiffness, joint->damping};
    if (isServo(joint) && axis->signs[1] != 0) {
        line.alpha += axis->signs[1] > 0 ? joint->maxMotorForce : joint->minMotorForce;
    } else if (isServo(joint)) {
        line.alpha += getServoOffset(joint);
        line.beta += joint->motorStiffness;
        line.gamma += joint->motorDamping;
    }
    return line;
}

// Whether a servo's force at the middle of the substep is beyond its bound, and on which side: 0 within it.
static int findSaturation(const pbdrJoint* joint, const struct pbdrAxisLaw* axis, double rate)
{
    const double force = getServoOffset(joint) - joint->motorStiffness * 0.5 * (axis->place + axis->at) -
                         joint->motorDamping * rate;
    return force > joint->maxMotorForce ? 1 : force < joint->minMotorForce ? -1 : 0;
}

// What friction and a motor push with at their bounds, over half a substep.
static double getSlipImpulse(const pbdrMechanism* mechanism, const pbdrActiveJoint* active)
{
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    const struct pbdrAxisLaw* axis = &active->axis;
    const double friction = axis->hold == PBDR_HOLD_FRICTION ? 0.0 : axis->signs[0] * joint->friction;
    const double motor = axis->hold == PBDR_HOLD_MOTOR || joint->motor != pbdr_motorVelocity
                             ? 0.0
                             : axis->signs[1] * pbdrGetMotorBound(joint);
    return -0.5 * mechanism->dt * (friction + motor);
}

// Springs and dampers, over half a substep.
static double getSpringImpulse(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, double at)
{
    const pbdrAxisLine line = pbdrGetAxisLine(pbdrGetActiveJoint(mechanism, active), &active->axis);
    const double place = active->axis.place, dt = mechanism->dt;
    return 0.5 * dt * (line.alpha - line.beta * 0.5 * (place + at) - line.gamma * (at - place) / dt);
}

double pbdrGetAxisLoad(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, double at)
{
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    const double turned = (at - active->axis.place) / mechanism->dt;
    return getSpringImpulse(mechanism, active, at) + getSlipImpulse(mechanism, active) -
           joint->armature * (turned - active->axis.rate);
}

double pbdrGetHeldPlace(const pbdrMechanism* mechanism, const pbdrActiveJoint* active)
{
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    switch (active->axis.hold) {
    case PBDR_HOLD_LOWER:
        return joint->lower;
    case PBDR_HOLD_UPPER:
        return joint->upper;
    case PBDR_HOLD_MOTOR:
        return active->axis.place + mechanism->dt * joint->motorTarget;
    default:
        return active->axis.place;
    }
}

static void setSlope(const pbdrJoint* joint, double dt, struct pbdrAxisLaw* axis)
{
    const pbdrAxisLine line = pbdrGetAxisLine(joint, axis);
    axis->slope = 0.25 * dt * line.beta + 0.5 * line.gamma + joint->armature / dt;
}

void pbdrStartAxis(const pbdrScene* scene, double dt, const pbdrJointRows* rows,
                   struct pbdrActiveJoint* active)
{
    const pbdrJoint* joint = pbdrGetJoint(scene, active->joint);
    active->axis = (struct pbdrAxisLaw){.hold = PBDR_HOLD_NONE};
    if (!pbdrHasAxis(joint) && !joint->ballLaw) {
        return;
    }
    const pbdrJointSide sides[2] = {pbdrGetJointSide(scene, joint->bodies[0]),
                                    pbdrGetJointSide(scene, joint->bodies[1])};
    if (joint->ballLaw) {
        const pbdrMat3 turn = pbdrGetBallTurn(joint, &sides[0].turn, &sides[1].turn);
        pbdrStartBall(joint, &turn, pbdrGetBallRate(joint, sides), &active->ball);
        return;
    }
    pbdrStartAxisAt(dt, joint, pbdrFollowAxis(joint, rows, joint->position),
                    pbdrGetRowRate(rows, sides, PBDR_JOINT_AXIS), &active->axis);
}

bool pbdrHasAxisLaw(const pbdrJoint* joint)
{
    return joint->motor != pbdr_motorNone || joint->lower > -HUGE_VAL || joint->upper < HUGE_VAL ||
           joint->stiffness > 0.0 || joint->damping > 0.0 || joint->friction > 0.0 || joint->armature > 0.0 ||
           joint->gearCount > 0;
}

void pbdrStartAxisAt(double dt, const pbdrJoint* joint, double place, double rate, struct pbdrAxisLaw* axis)
{
    *axis = (struct pbdrAxisLaw){.place = place, .rate = rate, .active = pbdrHasAxisLaw(joint)};
    axis->hold = joint->hold;
    axis->at = axis->place + dt * axis->rate;
    axis->signs[0] = (int)getSign(axis->rate);
    axis->signs[1] = joint->motor == pbdr_motorVelocity ? (int)getSign(axis->rate - joint->motorTarget)
                     : isServo(joint)                   ? findSaturation(joint, axis, axis->rate)
                                                        : 0;
    setSlope(joint, dt, axis);
    if (joint->motor == pbdr_motorVelocity && (axis->signs[1] == 0 || !isfinite(joint->maxMotorForce))) {
        axis->hold = PBDR_HOLD_MOTOR;
    } else if (joint->friction > 0.0 && axis->signs[0] == 0 && axis->hold == PBDR_HOLD_NONE) {
        axis->hold = PBDR_HOLD_FRICTION;
    }
}

// Where the axis is at the end, over which its row is stated.
static double getRate(const pbdrActiveJoint* active, const pbdrMechanism* mechanism)
{
    pbdrJointSide sides[2];
    for (int side = 0; side < 2; side++) {
        const int mover = active->movers[side];
        if (mover < 0) {
            sides[side] = active->fixed[side];
        } else {
            sides[side].velocity = mechanism->links[mover].endVelocity;
            sides[side].angular = mechanism->links[mover].endAngular;
        }
    }
    return pbdrGetRowRate(&active->end, sides, PBDR_JOINT_AXIS);
}

double pbdrGetEndLoad(const pbdrMechanism* mechanism, const pbdrActiveJoint* active)
{
    return getSpringImpulse(mechanism, active, active->axis.at) + getSlipImpulse(mechanism, active);
}

double pbdrGetAxisRest(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, bool atEnd)
{
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    const struct pbdrAxisLaw* axis = &active->axis;
    if (!atEnd) {
        return axis->hold == PBDR_HOLD_NONE
                   ? active->push[PBDR_JOINT_AXIS] - pbdrGetAxisLoad(mechanism, active, axis->at)
                   : axis->at - pbdrGetHeldPlace(mechanism, active);
    }
    const double rate = getRate(active, mechanism);
    if (axis->hold != PBDR_HOLD_NONE) {
        return rate - (axis->hold == PBDR_HOLD_MOTOR ? joint->motorTarget : 0.0);
    }
    const double turned = (axis->at - axis->place) / mechanism->dt;
    return active->pull[PBDR_JOINT_AXIS] + joint->armature * (rate - turned) -
           getSpringImpulse(mechanism, active, axis->at) - getSlipImpulse(mechanism, active);
}

// Signs of what slips, where the axis moves at a rate; what does not move at all is pushed with no force.
static void setSigns(const pbdrJoint* joint, double rate, struct pbdrAxisLaw* axis)
{
    axis->signs[0] = (int)getSign(rate);
    if (joint->motor == pbdr_motorVelocity) {
        axis->signs[1] = (int)getSign(rate - joint->motorTarget);
    }
}

bool pbdrChangeHold(const pbdrMechanism* mechanism, pbdrActiveJoint* active)
{
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    const struct pbdrAxisLaw* axis = &active->axis;
    const double rate = (axis->at - axis->place) / mechanism->dt;
    const bool changed = pbdrDecideHold(joint, rate, pbdrGetAxisLoad(mechanism, active, axis->at),
                                        active->push[PBDR_JOINT_AXIS], 0.5 * mechanism->dt, &active->axis);
    const bool saturated = pbdrSaturate(joint, rate, &active->axis);
    if (saturated) {
        setSlope(joint, mechanism->dt, &active->axis);
    }
    return changed || saturated;
}

bool pbdrSaturate(const pbdrJoint* joint, double rate, struct pbdrAxisLaw* axis)
{
    if (!isServo(joint) || (!isfinite(joint->maxMotorForce) && !isfinite(joint->minMotorForce))) {
        return false;
    }
    const int before = axis->signs[1];
    axis->signs[1] = findSaturation(joint, axis, rate);
    return axis->signs[1] != before;
}

bool pbdrDecideHold(const pbdrJoint* joint, double rate, double load, double found, double half,
                    struct pbdrAxisLaw* axis)
{
    const double extra = found - load, slack = SLACK * (fabs(load) + fabs(extra));
    const int before = axis->hold;
    if (before == PBDR_HOLD_LOWER || before == PBDR_HOLD_UPPER) {
        axis->hold = before * extra > slack ? PBDR_HOLD_NONE : before;
        return axis->hold != before;
    }
    // rounding would make one that is held at its bound leave it
    const double gap = before == PBDR_HOLD_NONE ? 0.0 : 1.0e-14;
    if (axis->at < joint->lower - gap || axis->at > joint->upper + gap) {
        axis->hold = axis->at < joint->lower ? PBDR_HOLD_LOWER : PBDR_HOLD_UPPER;
        setSigns(joint, rate, axis);
    } else if (before == PBDR_HOLD_FRICTION && fabs(extra) > half * joint->friction + slack) {
        axis->hold = PBDR_HOLD_NONE;
        axis->signs[0] = extra > 0.0 ? -1 : 1;
    } else if (before == PBDR_HOLD_MOTOR && fabs(extra) > half * pbdrGetMotorBound(joint) + slack) {
        axis->hold = PBDR_HOLD_NONE;
        axis->signs[1] = extra > 0.0 ? -1 : 1;
    } else if (before == PBDR_HOLD_NONE && joint->friction > 0.0 && rate * axis->signs[0] < 0.0) {
        axis->hold = PBDR_HOLD_FRICTION;
        if (joint->motor == pbdr_motorVelocity) {
            axis->signs[1] = (int)getSign(-joint->motorTarget);
        }
    } else if (before == PBDR_HOLD_NONE && joint->motor == pbdr_motorVelocity &&
               (rate - joint->motorTarget) * axis->signs[1] < 0.0) {
        axis->hold = PBDR_HOLD_MOTOR;
        axis->signs[0] = (int)getSign(joint->motorTarget);
    }
    return axis->hold != before;
}
