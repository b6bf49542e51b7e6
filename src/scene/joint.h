// A joint as engines see it: what it holds together, in the rest axes of its two bodies.
#ifndef PBDR_SCENE_JOINT_H
#define PBDR_SCENE_JOINT_H

#include "pbdr/joint.h"

// Rows of a joint: what it holds together, one number each, and its free axis in the last.
#define PBDR_JOINT_ROWS 6
#define PBDR_JOINT_AXIS 5
// Of the polynomial by which a gear's follower goes with its leader.
#define PBDR_GEAR_TERMS 5

typedef struct pbdrJoint {
    // Constants
    bool alive;
    uint32_t generation;
    pbdrJointKind kind;
    int32_t bodies[2];   // A, B; -1: the world
    pbdrVec3 anchors[2]; // from the centre of mass, rest axes [m]
    pbdrMat3 bases[2];   // columns: side, axis x side, axis; rest axes
    double length;       // [m]
    bool touch;
    int32_t next[2]; // in the lists of joints of the two bodies (pbdrBody.firstJoint)
    void* userData;
    double lower, upper, stiffness, reference, damping, friction, armature; // as in pbdrJointDef
    pbdrMotorKind motor;
    double minMotorForce, maxMotorForce;
    int32_t axes[2];                      // of a gear: leader and follower, by index; else -1
    double coefficients[PBDR_GEAR_TERMS]; // of a gear
    int32_t gearCount;                    // that take part of its axis
    bool ballLaw;                         // it is a ball with a bound, spring, damper, friction or armature
    uint64_t madeOf;                      // hash of the definition
    // State
    double motorTarget, motorStiffness, motorDamping;
    double position; // of the axis at the end of the last substep, whole turns included [rad, m]
    int32_t hold;    // what holds the axis (mechanism.h)
    // Of rows in the last substep, if it was solved with contacts: where the search begins [N, N m]
    double forces[PBDR_JOINT_ROWS];
    pbdrWrench reaction; // on B, about its anchor
    double axisForce;
    double work;   // of the axis in the last substep, for the ledger [J]
    int32_t place; // in its island's joints, while a substep is solved
} pbdrJoint;

// Where a gear's follower is, and how fast it goes, with the leader's position x: p(x), p'(x).
static inline double pbdrGetGearPosition(const pbdrJoint* gear, double x)
{
    const double* c = gear->coefficients;
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
}

static inline double pbdrGetGearRatio(const pbdrJoint* gear, double x)
{
    const double* c = gear->coefficients;
    return c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
}

// Whether a joint has an axis that B moves along or about: a position.
static inline bool pbdrHasAxis(const pbdrJoint* joint)
{
    return joint->kind == pbdr_jointHinge || joint->kind == pbdr_jointSlide || joint->kind == pbdr_jointSpan;
}

// Whether a joint has something to say about how bodies move.
static inline bool pbdrIsHolding(const pbdrJoint* joint)
{
    return joint->alive && joint->kind != pbdr_jointExclusion;
}

// Whether it says so of its own two bodies: a gear does of those of two other joints.
static inline bool pbdrHasRows(const pbdrJoint* joint)
{
    return pbdrIsHolding(joint) && joint->kind != pbdr_jointGear;
}

#endif
