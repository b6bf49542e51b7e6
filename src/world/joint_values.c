// Joints: what is read of them, and what may change while they work.
#include "joint/rows.h"
#include "world/internal.h"

static pbdrBodyId getBodyId(const pbdrWorld* world, pbdrJointId id, int side)
{
    const pbdrJoint* joint = pbdrFindJoint(world, id);
    return joint != NULL && joint->bodies[side] >= 0 ? pbdrGetBodyId(&world->scene, joint->bodies[side])
                                                     : (pbdrBodyId){0, 0, 0};
}

pbdrBodyId pbdrJoint_GetBodyA(const pbdrWorld* world, pbdrJointId id)
{
    return getBodyId(world, id, 0);
}

pbdrBodyId pbdrJoint_GetBodyB(const pbdrWorld* world, pbdrJointId id)
{
    return getBodyId(world, id, 1);
}

// The rows of a joint where its bodies are now. False for an invalid id.
static const pbdrJoint* measure(const pbdrWorld* world, pbdrJointId id, pbdrJointSide sides[2],
                                pbdrJointRows* rows)
{
    const pbdrJoint* joint = pbdrFindJoint(world, id);
    if (joint != NULL) {
        sides[0] = pbdrGetJointSide(&world->scene, joint->bodies[0]);
        sides[1] = pbdrGetJointSide(&world->scene, joint->bodies[1]);
        pbdrFindJointRows(joint, sides, rows);
    }
    return joint;
}

double pbdrJoint_GetPosition(const pbdrWorld* world, pbdrJointId id)
{
    const pbdrJoint* joint = pbdrFindJoint(world, id);
    return joint != NULL ? pbdrMeasurePosition(&world->scene, joint) : 0.0;
}

double pbdrJoint_GetVelocity(const pbdrWorld* world, pbdrJointId id)
{
    pbdrJointSide sides[2];
    pbdrJointRows rows;
    const pbdrJoint* joint = measure(world, id, sides, &rows);
    if (joint != NULL && joint->kind == pbdr_jointBall) {
        return pbdrGetBallAngleRate(joint, sides);
    }
    if (joint == NULL || !(pbdrHasAxis(joint) || joint->kind == pbdr_jointDistance)) {
        return 0.0;
    }
    return pbdrGetRowRate(&rows, sides, joint->kind == pbdr_jointDistance ? 0 : PBDR_JOINT_AXIS);
}

double pbdrJoint_GetGap(const pbdrWorld* world, pbdrJointId id)
{
    pbdrJointSide sides[2];
    pbdrJointRows rows;
    const pbdrJoint* joint = measure(world, id, sides, &rows);
    return joint == NULL                   ? 0.0
           : joint->kind == pbdr_jointGear ? pbdrMeasureGear(&world->scene, joint, false)
                                           : pbdrGetLinearGap(&rows);
}

double pbdrJoint_GetTurnGap(const pbdrWorld* world, pbdrJointId id)
{
    pbdrJointSide sides[2];
    pbdrJointRows rows;
    const pbdrJoint* joint = measure(world, id, sides, &rows);
    return joint == NULL                   ? 0.0
           : joint->kind == pbdr_jointGear ? pbdrMeasureGear(&world->scene, joint, true)
                                           : pbdrGetTurnGap(&rows);
}

pbdrWrench pbdrJoint_GetReaction(const pbdrWorld* world, pbdrJointId id)
{
    const pbdrJoint* joint = pbdrFindJoint(world, id);
    return joint != NULL ? joint->reaction : (pbdrWrench){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

double pbdrJoint_GetAxisForce(const pbdrWorld* world, pbdrJointId id)
{
    const pbdrJoint* joint = pbdrFindJoint(world, id);
    return joint != NULL ? joint->axisForce : 0.0;
}

static void wakeSides(pbdrWorld* world, const pbdrJoint* joint)
{
    for (int side = 0; side < 2; side++) {
        if (joint->bodies[side] >= 0) {
            pbdrWakeBody(pbdrGetBody(&world->scene, joint->bodies[side]));
        }
    }
}

pbdrStatus pbdrJoint_SetMotorTarget(pbdrWorld* world, pbdrJointId id, double target)
{
    pbdrJoint* joint = pbdrFindJoint(world, id);
    if (joint == NULL) {
        return pbdr_statusInvalidId;
    }
    if (!isfinite(target) || joint->motor == pbdr_motorNone) {
        return pbdr_statusInvalidArgument;
    }
    if (target != joint->motorTarget) {
        wakeSides(world, joint);
        joint->motorTarget = target;
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrJoint_SetMotorGains(pbdrWorld* world, pbdrJointId id, double stiffness, double damping)
{
    pbdrJoint* joint = pbdrFindJoint(world, id);
    if (joint == NULL) {
        return pbdr_statusInvalidId;
    }
    if (!isfinite(stiffness) || !isfinite(damping) ||
        (joint->motor != pbdr_motorForce && joint->motor != pbdr_motorPosition)) {
        return pbdr_statusInvalidArgument;
    }
    if (stiffness != joint->motorStiffness || damping != joint->motorDamping) {
        wakeSides(world, joint);
        joint->motorStiffness = stiffness;
        joint->motorDamping = damping;
    }
    return pbdr_statusOk;
}

double pbdrJoint_GetMotorTarget(const pbdrWorld* world, pbdrJointId id)
{
    const pbdrJoint* joint = pbdrFindJoint(world, id);
    return joint != NULL ? joint->motorTarget : 0.0;
}

pbdrStatus pbdrJoint_SetUserData(pbdrWorld* world, pbdrJointId id, void* userData)
{
    pbdrJoint* joint = pbdrFindJoint(world, id);
    if (joint == NULL) {
        return pbdr_statusInvalidId;
    }
    joint->userData = userData;
    return pbdr_statusOk;
}

void* pbdrJoint_GetUserData(const pbdrWorld* world, pbdrJointId id)
{
    const pbdrJoint* joint = pbdrFindJoint(world, id);
    return joint != NULL ? joint->userData : NULL;
}
