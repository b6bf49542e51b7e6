// Names of the parts that move trees in this compilation: they are compiled once per instruction set, as kernels are.
#ifndef PBDR_ENGINE_XPBDR_JOINT_KERNEL_H
#define PBDR_ENGINE_XPBDR_JOINT_KERNEL_H

#include "engine/xpbdr/mechanism.h"
#include "math/real.h"

#include <string.h>

static inline void pbdrSetMotion(pbdrVec3 linear, pbdrVec3 angular, double motion[6])
{
    memcpy(motion, &linear, sizeof linear);
    memcpy(motion + 3, &angular, sizeof angular);
}

// --- joint_tree.c ---

// Links are many lines of memory each, so that as much as can be done to one is done before the next one's turn.
//
// Factors from A, S and reach, and sides p, c and r passed down on the way; A becomes that of all that hangs on the link.
// False where something is singular.
bool STAGE(pbdrFactorTree)(const pbdrLinkTree* tree);
// Other sides with the same factors.
void STAGE(pbdrPassTree)(const pbdrLinkTree* tree);
// x of a link from those sides, or of all, parents first; p is lost. False where something is singular.
bool STAGE(pbdrMoveNode)(const pbdrLinkTree* tree, pbdrLinkNode* node);
bool STAGE(pbdrMoveNodes)(const pbdrLinkTree* tree);
// Adds p of a link to its parent's, children first: of loads, what joints bear.
void STAGE(pbdrGatherNode)(const pbdrLinkTree* tree, const pbdrLinkNode* node);

// --- joint_place.c ---

// The place of the joint that a link hangs on, at the substep's begin or end; of a hinge its angle where that is asked for.
void STAGE(pbdrPlaceLink)(const pbdrMechanism* mechanism, pbdrLink* link, bool atEnd, bool angle);
// Which motions the joint leaves a link, where it was placed: rows of S0 (acts 0) or S1 (acts 1).
void STAGE(pbdrSetFree)(const pbdrJoint* joint, pbdrLink* link, int acts);
// A hinge's angle nearest to a guess, or a slide's place.
double STAGE(pbdrFindPosition)(const pbdrJoint* joint, const struct pbdrLinkPlace* place, double guess);
// A hinge's angle to a tenth, nearest to the last: where nothing but whole turns has to be known.
double STAGE(pbdrCountTurns)(const pbdrMechanism* mechanism, const pbdrLink* link, double last);
// The joint of a link at the begin of the substep.
void STAGE(pbdrStartTreeJoint)(const pbdrMechanism* mechanism, pbdrLink* link);

// --- joint_motion.c ---

bool STAGE(pbdrMoveTree)(pbdrMechanism* mechanism, pbdrIsland* island);
void STAGE(pbdrNoteTreeReactions)(const pbdrMechanism* mechanism);

// --- joint_close.c ---

void STAGE(pbdrCloseTree)(pbdrMechanism* mechanism, double closed);

// --- joint_forward.c ---

bool STAGE(pbdrFindTreeAccelerations)(pbdrMechanism* mechanism);

#endif
