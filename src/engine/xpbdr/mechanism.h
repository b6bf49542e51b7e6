// A mechanism: an island's bodies and joints in a substep (docs/theory/joints.md).
//
//   half a kick of loads and joints at the begin --> free motion --> joints are closed? --> half a kick at the end
//                  ^------- Newton's method: impulses `push` -------|     `pull`: joints stay closed
#ifndef PBDR_ENGINE_XPBDR_MECHANISM_H
#define PBDR_ENGINE_XPBDR_MECHANISM_H

#include "engine/xpbdr/newton.h"

// What holds an axis.
enum {
    PBDR_HOLD_LOWER = -1, // a bound
    PBDR_HOLD_NONE = 0,
    PBDR_HOLD_UPPER = 1,
    PBDR_HOLD_FRICTION = 2,
    PBDR_HOLD_MOTOR = 3, // that keeps a velocity
};

// A body of a mechanism, and where it is at the end.
typedef struct pbdrLink {
    const pbdrBody* body;
    int parent;                         // of the joints' union-find: itself, another link, or -1: the world
    pbdrVec3 loadVelocity, loadAngular; // after the first kick of its loads alone
    pbdrVec3 bestVelocity, bestAngular; // those of the next two with the least gaps so far, in loops
    pbdrVec3 velocity, angular;         // after the first kick of loads and joints: the unknown
    pbdrMat3 inertia;                   // at the begin
    pbdrVec3 centre;
    pbdrQuat rotation;
    pbdrMat3 frame, endInertia;
    pbdrVec3 endVelocity, endAngular; // before the last kick, then after it
    pbdrMat3 drift; // how the end's orientation goes with the begin's angular velocity, over dt
} pbdrLink;

typedef struct pbdrMechanism {
    pbdrXpbdrWorld* world;
    pbdrSystem* system;
    pbdrLink* links;
    int linkCount;
    pbdrActiveJoint* joints;
    int jointCount;
    double dt;
    bool loops;   // rows may depend on each other
    double loose; // then: what is added to a row's diagonal, over what that will be
} pbdrMechanism;

static inline pbdrJoint* pbdrGetActiveJoint(const pbdrMechanism* mechanism, const pbdrActiveJoint* active)
{
    return pbdrGetJoint(mechanism->world->scene, active->joint);
}

// --- mechanism.c ---

// The joints of an island, with a plan of its system; links are yet to be filled in. False without memory.
bool pbdrOpenMechanism(pbdrXpbdrWorld* world, pbdrXpbdrWorker* worker, const pbdrIsland* island, double loose,
                       pbdrMechanism* mechanism);

// --- joint_system.c ---

// The matrix for impulses at the begin, which close joints at the end, or for those at the end, which keep them closed;
// factorised. False where it is singular.
bool pbdrFactorMechanism(const pbdrMechanism* mechanism, bool atEnd);
// Newton's step from the present state, into the system's sides. start: velocities at the begin are a guess that no
// impulses have made. pulled: impulses of rows that depend on each other are pulled to zero.
void pbdrSolveMechanism(const pbdrMechanism* mechanism, bool atEnd, bool start, bool pulled);

// --- joint_contact.c ---

// Whether where a mechanism ends would press contacts; if not, they are written as bearing nothing.
bool pbdrPressesContacts(const pbdrMechanism* mechanism, pbdrXpbdrWorker* worker, pbdrIsland* island);

// --- joint_axis.c ---

// The law of an axis at the begin of a substep, and how the last one held it.
void pbdrStartAxis(const pbdrScene* scene, const pbdrJointRows* begin, pbdrActiveJoint* active);
// The force of springs, dampers and motors to a position or force: alpha - beta position - gamma velocity.
typedef struct pbdrAxisLine {
    double alpha, beta, gamma;
} pbdrAxisLine;
pbdrAxisLine pbdrGetAxisLine(const pbdrJoint* joint, const struct pbdrAxisLaw* axis);
// Whether such a motor comes to its bound, or from it, where the axis ends; then it is noted.
bool pbdrSaturate(const pbdrJoint* joint, double rate, struct pbdrAxisLaw* axis);
// The most that a motor to a velocity pushes with [N, N m]; 0: there is none.
double pbdrGetMotorBound(const pbdrJoint* joint);
// Whether another thing holds an axis than was thought, from what was found: its rate, the impulse or force that it has but
// for what holds it, and the whole. unit: of an impulse over a force; 1 for forces.
bool pbdrDecideHold(const pbdrJoint* joint, double rate, double load, double found, double unit,
                    struct pbdrAxisLaw* axis);
// Impulse that the axis has but for what holds it, at its end position; and with which it would be free. [N s, N m s]
double pbdrGetAxisLoad(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, double at);
// What is left of the axis' row: zero where it is solved.
double pbdrGetAxisRest(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, bool atEnd);
// Whether another thing holds the axis than was thought; then it is noted.
bool pbdrChangeHold(const pbdrMechanism* mechanism, pbdrActiveJoint* active);

#endif
