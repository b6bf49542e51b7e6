// Names of the parts that move trees in this compilation: they are compiled once per instruction set, as kernels are.
#ifndef PBDR_ENGINE_XPBDR_JOINT_KERNEL_H
#define PBDR_ENGINE_XPBDR_JOINT_KERNEL_H

#include "engine/xpbdr/mechanism.h"
#include "math/real.h"

#include <string.h>

static inline void pbdrSetMotion(pbdrVec3 linear, pbdrVec3 angular, double motion[PBDR_MOTION])
{
    memcpy(motion, &linear, sizeof linear);
    memcpy(motion + PBDR_TURN, &angular, sizeof angular);
    motion[PBDR_TURN - 1] = motion[PBDR_MOTION - 1] = 0.0;
}

static inline pbdrVec3 pbdrGetWay(const double* motion)
{
    return (pbdrVec3){motion[0], motion[1], motion[2]};
}

static inline pbdrVec3 pbdrGetTurn(const double motion[PBDR_MOTION])
{
    return (pbdrVec3){motion[PBDR_TURN], motion[PBDR_TURN + 1], motion[PBDR_TURN + 2]};
}

// A of a link on its own: its mass and inertia.
static inline void pbdrSetMass(double mass, const pbdrMat3* inertia, pbdrLinkNode* node)
{
    memset(node->a, 0, sizeof node->a);
    for (int i = 0; i < 3; i++) {
        node->a[i][i] = mass;
        memcpy(node->a[3 + i] + PBDR_TURN, inertia->m[i], sizeof inertia->m[i]);
    }
}

// --- joint_tree.c ---

// Links are many lines of memory each, so that as much as can be done to one is done before the next one's turn. acts: which of
// the two S and reaches forces act by, 0; or 1, those that motions are stated by.
//
// Factors from A, S and reach, and sides p, c and r passed down on the way; A becomes that of all that hangs on the link.
// False where something is singular.
bool STAGE(pbdrFactorTree)(const pbdrLinkTree* tree, int acts);
// Other sides with the same factors.
void STAGE(pbdrPassTree)(const pbdrLinkTree* tree, int acts);
// x of a link from those sides, or of all, parents first; p is lost. False where something is singular.
bool STAGE(pbdrMoveNode)(const pbdrLinkTree* tree, pbdrLinkNode* node, int acts);
bool STAGE(pbdrMoveNodes)(const pbdrLinkTree* tree, int acts);
// Adds what the joint of a link bears to what its parent bears, if there is one. Returns how much of it is along S0 or S1.
double STAGE(pbdrPassWrench)(const pbdrLinkNode* node, int acts, const double wrench[PBDR_MOTION],
                             double* parent);

// --- joint_place.c ---

// The joint that a link hangs on, and where its parent ends.
void STAGE(pbdrOpenLink)(const pbdrMechanism* mechanism, pbdrLink* link);
// The place of that joint at the substep's begin or end: its motions S0 or S1, what closes it, of a hinge its angle where that
// is asked for.
void STAGE(pbdrPlaceLink)(pbdrLink* link, bool atEnd, bool angle);
// A hinge's angle nearest to a guess, or a slide's place.
double STAGE(pbdrFindPosition)(const pbdrJoint* joint, const struct pbdrLinkPlace* place, double guess);
// A hinge's angle to a tenth, nearest to the last: where nothing but whole turns has to be known.
double STAGE(pbdrCountTurns)(const pbdrLink* link, double last);
// The axis of a link's joint at the begin of the substep, once it is placed; law: it has one. And all of the joint.
void STAGE(pbdrStartAxisOf)(const pbdrMechanism* mechanism, pbdrLink* link, bool law);
void STAGE(pbdrStartTreeJoint)(const pbdrMechanism* mechanism, pbdrLink* link);
// Where a ball joint with a law is at the end; and c with the motion that what holds it asks for, as its rows have it.
void STAGE(pbdrPlaceBallEnd)(const pbdrMechanism* mechanism, pbdrLink* link);
void STAGE(pbdrMoveHeld)(const pbdrMechanism* mechanism, pbdrLink* link);
// What such a joint wants of the next step, from where it ends now. Returns the square of how far it is off.
double STAGE(pbdrAimBall)(const pbdrMechanism* mechanism, pbdrLink* link, bool stepped);

// --- joint_motion.c ---

bool STAGE(pbdrMoveTree)(pbdrMechanism* mechanism, pbdrIsland* island);

// --- joint_reactions.c ---

void STAGE(pbdrNoteTreeReactions)(const pbdrMechanism* mechanism);

// --- joint_close.c ---

void STAGE(pbdrCloseTree)(pbdrMechanism* mechanism, double closed);

// --- joint_forward.c ---

bool STAGE(pbdrFindTreeAccelerations)(pbdrMechanism* mechanism);

#endif
