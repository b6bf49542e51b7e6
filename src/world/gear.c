// Gears: joints between the axes of two other joints.
#include "joint/rows.h"
#include "world/definition.h"
#include "world/internal.h"

#define REFUSE(...) return pbdrFail(error, pbdr_statusInvalidArgument, __VA_ARGS__)

double pbdrMeasurePosition(const pbdrScene* scene, const pbdrJoint* joint)
{
    const pbdrJointSide sides[2] = {pbdrGetJointSide(scene, joint->bodies[0]),
                                    pbdrGetJointSide(scene, joint->bodies[1])};
    pbdrJointRows rows;
    pbdrFindJointRows(joint, sides, &rows);
    return joint->kind == pbdr_jointDistance ? rows.gaps[0] + joint->length
           : joint->kind == pbdr_jointBall   ? pbdrGetBallAngle(joint, sides)
           : pbdrHasAxis(joint)              ? pbdrFollowAxis(joint, &rows, joint->position)
                                             : 0.0;
}

// How far the follower is from where it should be.
static double measureGap(const pbdrScene* scene, const pbdrJoint* gear)
{
    const double leader = pbdrMeasurePosition(scene, pbdrGetJoint(scene, gear->axes[0]));
    return pbdrMeasurePosition(scene, pbdrGetJoint(scene, gear->axes[1])) - pbdrGetGearPosition(gear, leader);
}

double pbdrMeasureGear(const pbdrScene* scene, const pbdrJoint* gear, bool turn)
{
    const bool turns = pbdrGetJoint(scene, gear->axes[1])->kind == pbdr_jointHinge;
    return turns == turn ? fabs(measureGap(scene, gear)) : 0.0;
}

void pbdrCountGear(const pbdrScene* scene, const pbdrJoint* gear, int change)
{
    for (int k = 0; k < 2 && gear->kind == pbdr_jointGear; k++) {
        pbdrGetJoint(scene, gear->axes[k])->gearCount += change;
    }
}

// A body that an axis moves: B, if a force moves it and it is not the other's.
static int chooseBody(const pbdrScene* scene, const pbdrJoint* axis, int other)
{
    const int a = axis->bodies[0], b = axis->bodies[1];
    const bool moves = b >= 0 && !pbdrIsFixed(pbdrGetBody(scene, b));
    return (moves && b != other) || a < 0 || pbdrIsFixed(pbdrGetBody(scene, a)) ? b : a;
}

pbdrStatus pbdrMakeGear(const pbdrWorld* world, const pbdrJointDef* def, pbdrJoint* gear, pbdrError* error)
{
    const pbdrScene* scene = &world->scene;
    const pbdrJointId ids[2] = {def->jointA, def->jointB};
    const pbdrJoint* axes[2];
    if (def->bodyA.index1 != 0 || def->bodyB.index1 != 0) {
        REFUSE("joint: a gear has two joints, jointA and jointB, and no bodies");
    }
    for (int k = 0; k < 2; k++) {
        if (ids[k].index1 == 0 || !pbdrJoint_IsValid(world, ids[k])) {
            return pbdrFail(error, pbdr_statusInvalidId, "joint: joint%c: there is no such joint", 'A' + k);
        }
        gear->axes[k] = ids[k].index1 - 1;
        axes[k] = pbdrGetJoint(scene, gear->axes[k]);
        if (!pbdrHasAxis(axes[k])) {
            REFUSE("joint: joint%c: a gear is between hinges, slides and spans", 'A' + k);
        }
    }
    if (gear->axes[0] == gear->axes[1]) {
        REFUSE("joint: jointA and jointB are the same joint");
    }
    const int32_t *a = axes[0]->bodies, *b = axes[1]->bodies;
    if ((a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0])) {
        REFUSE("joint: jointA and jointB are between the same two bodies");
    }
    gear->bodies[0] = chooseBody(scene, axes[0], -1);
    gear->bodies[1] = chooseBody(scene, axes[1], gear->bodies[0]);
    gear->touch = true;
    gear->lower = -HUGE_VAL;
    gear->upper = gear->maxMotorForce = HUGE_VAL;
    gear->minMotorForce = -HUGE_VAL;
    for (int k = 0; k < PBDR_GEAR_TERMS; k++) {
        gear->coefficients[k] = def->coefficients[k];
    }
    const double gap = measureGap(scene, gear);
    if (!(fabs(gap) <= PBDR_JOINT_GAP) && !pbdrIsMadeAgain(def)) {
        REFUSE("joint: a gear's follower is at %g, where %g is asked for",
               pbdrMeasurePosition(scene, axes[1]), pbdrMeasurePosition(scene, axes[1]) - gap);
    }
    return pbdr_statusOk;
}
