// Joints between two bodies, or between a body and the world. XPBD-R keeps them to rounding: anchors are together to
// 1e-12 m at the end of every substep, closed loops included (docs/theory/joints.md). Other solvers refuse them.
//
//     pbdrJointDef def = pbdrDefaultJointDef();
//     def.kind = pbdr_jointHinge;
//     def.bodyB = door;                                       // bodyA is null: the world
//     pbdrPlaceJointDef(world, &def, hingePoint, hingeAxis);  // both bodies' frames, where the bodies are now
//     pbdrCreateJoint(world, &def, &joint, &error);
#ifndef PBDR_JOINT_H
#define PBDR_JOINT_H

#include "pbdr/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// As a body's id (types.h).
typedef struct pbdrJointId {
    int32_t index1;
    uint32_t generation;
    uint32_t world;
} pbdrJointId;

// What a joint holds together. Position and velocity are those of body B, seen from body A.
typedef enum pbdrJointKind {
    pbdr_jointBall = 0, // the anchors; position is the angle by which B is turned from where both frames agree [rad]
    pbdr_jointHinge = 1,     // the anchors and the axes; B turns about the axis, position [rad]
    pbdr_jointSlide = 2,     // all but B's way along A's axis, position [m]
    pbdr_jointFixed = 3,     // everything
    pbdr_jointUniversal = 4, // the anchors; A's axis stays at a right angle to B's
    pbdr_jointDistance = 5,  // the anchors are `length` apart, position [m]: a rod without mass
    // nothing by itself; position is the anchors' distance [m], never 0: with a spring and a damper a strut, with an upper
    // bound a rope, with a motor a linear actuator. Forces push the anchors apart.
    pbdr_jointSpan = 6,
    pbdr_jointExclusion =
        7, // holds nothing: the two bodies do not touch each other (MJCF: exclude)
    // Two axes, those of jointA and jointB: the position of jointB is a polynomial of that of jointA (MJCF: equality joint).
    // Gears, racks, belts, fingers that close together. It has no bodies and frames of its own.
    pbdr_jointGear = 8,
} pbdrJointKind;

// Where a joint is in a body: in its rest axes, from its centre of mass; of the world: in world axes.
typedef struct pbdrJointFrame {
    pbdrVec3 anchor; // [m]
    pbdrVec3 axis;   // of any length but zero; default (0, 0, 1)
    // A direction that is not along the axis: a hinge's position is zero where A's and B's agree, and what is fixed is
    // fixed where they do. Zero (default), in both frames: such that the position is zero where the bodies are now.
    pbdrVec3 side;
} pbdrJointFrame;

// How a hinge or a slide is driven, besides spring, damper and friction.
typedef enum pbdrMotorKind {
    pbdr_motorNone = 0,
    // with motorTarget [N, N m], less motorStiffness times the position and motorDamping times the velocity (an affine
    // actuator of MJCF); both act as those of the joint do: stable with any gain
    pbdr_motorForce = 1,
    pbdr_motorVelocity = 2, // to the velocity motorTarget [m/s, rad/s]: no gain, no lag
    pbdr_motorPosition = 3, // the same as a force, with motorTarget a position [m, rad], times motorStiffness
} pbdrMotorKind;

typedef struct pbdrJointDef {
    uint32_t cookie;         // set by pbdrDefaultJointDef
    uint32_t size;           // likewise [bytes]
    pbdrJointKind kind;      // default ball
    pbdrBodyId bodyA, bodyB; // null: the world; one of them must be dynamic
    pbdrJointFrame frameA, frameB;
    double length; // of a distance [m], > 0; default 1
    bool touch;    // whether the two bodies may touch each other; default false
    void* userData;
    // Of a hinge (force: a torque about the axis [N m]; position and velocity in rad), a slide or a span ([N], m), on B and
    // against it on A. Other kinds must have the defaults. A ball has all but lower, reference and a motor. Its upper, above
    // zero, bounds its angle, and its spring pulls to where both frames agree. Its damper and armature resist any turning of B
    // from A. Its friction is that of each component along the axes of B's frame, as in MJCF.
    double lower,
        upper; // bounds of the position, default -HUGE_VAL, HUGE_VAL; it stops there, and does not bounce
    double stiffness;    // of a spring [N/m, N m/rad], >= 0, default 0
    double reference;    // position at which the spring rests
    double damping;      // force over velocity, >= 0, default 0
    double friction;     // force that has to be overcome (MJCF: frictionloss) [N, N m], >= 0, default 0
    double armature;     // inertia that only the axis sees, a gear's rotor [kg, kg m^2], >= 0, default 0
    pbdrMotorKind motor; // default none
    double motorTarget;
    // default 0; below zero they drive the axis away from where it is
    double motorStiffness, motorDamping;
    double maxMotorForce; // that the motor pushes with at most, both ways [N, N m], >= 0, default HUGE_VAL
    // Of a gear: its axes, of hinges, slides or spans; the position of jointB is the sum of coefficients[k] times the k-th
    // power of that of jointA, default 0, 1, 0, 0, 0
    pbdrJointId jointA, jointB;
    double coefficients[5];
    // Side, axis x side and axis of both frames, as columns. pbdrJoint_GetDef sets them, so that a joint that is made again
    // has the same bits. Zero (default): they are found from the frames' axes and sides.
    pbdrMat3 basisA, basisB;
    // Of a motor to a force or position: the least that it pushes with [N, N m], where that is not -maxMotorForce (default,
    // HUGE_VAL). Both may then be on the same side of zero.
    double minMotorForce;
} pbdrJointDef;

// Every field set to its default (types.h).
PBDR_API void pbdrInitJointDef(pbdrJointDef* def, size_t size);

static inline pbdrJointDef pbdrDefaultJointDef(void)
{
    pbdrJointDef def;
    pbdrInitJointDef(&def, sizeof def);
    return def;
}

// Frames for a joint that is at a point and along an axis of the world, where the definition's bodies are now, with
// position zero; fixed: axis is without meaning. A universal's axis is A's, and B's is at a right angle to it: change
// frameB.axis for another. For a distance or a span, B's anchor is the point; set frameA.anchor, and the length, after it.
PBDR_API pbdrStatus pbdrPlaceJointDef(const pbdrWorld* world, pbdrJointDef* def, pbdrVec3 point,
                                      pbdrVec3 axis);

// These are refused:
//   - a world whose solver is not XPBD-R, a body twice, and two sides that no force moves
//   - numbers that are not finite, an axis of length zero, and a side along the axis
//   - anchors farther apart than PBDR_JOINT_GAP, and axes farther than PBDR_JOINT_TURN; less is closed in the first substep
//   - bounds the wrong way round or beyond the position, and gains below zero
//   - a gear without two axes between at least three sides, or whose follower is farther than PBDR_JOINT_GAP from its place
PBDR_API pbdrStatus pbdrCreateJoint(pbdrWorld* world, const pbdrJointDef* def, pbdrJointId* id,
                                    pbdrError* error);
// Its bodies stay, its gears go. pbdrDestroyBody destroys the joints of a body.
PBDR_API void pbdrDestroyJoint(pbdrWorld* world, pbdrJointId id);
PBDR_API bool pbdrJoint_IsValid(const pbdrWorld* world, pbdrJointId id);
// The joints, in the order of their ids' indices. Writes at most capacity ids and returns how many there are.
PBDR_API int pbdrWorld_GetJoints(const pbdrWorld* world, pbdrJointId* buffer, int capacity);

// A definition that makes the joint again, where its bodies are now; the motor's target is the present one. Where an axis
// stands, whole turns included, is part of the state, and bounds are not checked.
PBDR_API pbdrJointDef pbdrJoint_GetDef(const pbdrWorld* world, pbdrJointId id);

PBDR_API pbdrJointKind pbdrJoint_GetKind(const pbdrWorld* world, pbdrJointId id);
// Of a gear: one that the axis of jointA moves, and one that the axis of jointB does.
PBDR_API pbdrBodyId pbdrJoint_GetBodyA(const pbdrWorld* world, pbdrJointId id);
PBDR_API pbdrBodyId pbdrJoint_GetBodyB(const pbdrWorld* world, pbdrJointId id);

// Of a hinge [rad, rad/s], counting whole turns; of a ball the angle, up to pi, and how fast it grows [rad, rad/s]; of a
// slide, distance or span [m, m/s]; else 0.
PBDR_API double pbdrJoint_GetPosition(const pbdrWorld* world, pbdrJointId id);
PBDR_API double pbdrJoint_GetVelocity(const pbdrWorld* world, pbdrJointId id);
// How far what the joint holds together is apart: of anchors [m] and of axes [rad]. Of a gear: how far its follower is from
// where it should be.
PBDR_API double pbdrJoint_GetGap(const pbdrWorld* world, pbdrJointId id);
PBDR_API double pbdrJoint_GetTurnGap(const pbdrWorld* world, pbdrJointId id);
// What the joint does to body B, averaged over the last substep, world axes, the torque about B's anchor; to body A it does
// the opposite at the same point. Motors, springs, friction and bounds are in it.
PBDR_API pbdrWrench pbdrJoint_GetReaction(const pbdrWorld* world, pbdrJointId id);
// The share of it along the axis of a hinge [N m], a slide or a span [N]. Of a gear: what it does to the axis of jointB; to
// that of jointA it does the opposite, times p', how fast the follower goes over the leader.
PBDR_API double pbdrJoint_GetAxisForce(const pbdrWorld* world, pbdrJointId id);

// Forward dynamics, as MuJoCo's mj_forward: accelerations at the present state, without contacts, bounds and motors to a
// velocity. bodies: of the centre of mass and angular, world axes [m/s^2, rad/s^2], in the order of pbdrWorld_GetBodies,
// zero for those that no force moves. joints: of the axis [rad/s^2, m/s^2], in the order of pbdrWorld_GetJoints, 0 for a
// joint without one. Both buffers have room for all of them. XPBD-R only; pbdr_statusNotSupported where joints make loops or are
// universal, distances, spans or gears.
PBDR_API pbdrStatus pbdrWorld_FindAccelerations(pbdrWorld* world, pbdrVelocity* bodies, double* joints,
                                                pbdrError* error);

// Changes what the motor aims at, between steps.
PBDR_API pbdrStatus pbdrJoint_SetMotorTarget(pbdrWorld* world, pbdrJointId id, double target);
PBDR_API double pbdrJoint_GetMotorTarget(const pbdrWorld* world, pbdrJointId id);
// Changes motorStiffness and motorDamping, between steps; they are part of the state, as the target is. Refused: numbers that
// are not finite, joints without a motor to a force or position.
PBDR_API pbdrStatus pbdrJoint_SetMotorGains(pbdrWorld* world, pbdrJointId id, double stiffness,
                                            double damping);

PBDR_API pbdrStatus pbdrJoint_SetUserData(pbdrWorld* world, pbdrJointId id, void* userData);
PBDR_API void* pbdrJoint_GetUserData(const pbdrWorld* world, pbdrJointId id);

#ifdef __cplusplus
}
#endif

#endif
