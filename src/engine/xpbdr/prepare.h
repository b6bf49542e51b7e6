// Contact items at the start of a substep: what items.c and surfaces.c share.
#ifndef PBDR_ENGINE_XPBDR_PREPARE_H
#define PBDR_ENGINE_XPBDR_PREPARE_H

#include "engine/xpbdr/island.h"

// Where two bodies touch, or would.
typedef struct pbdrMeeting {
    double gap;      // now [m]
    pbdrVec3 normal; // towards A
    pbdrVec3 lever;  // from A's centre of mass to the point of contact, in the middle of the gap [m]
    double weight;
} pbdrMeeting;

// y_u + y_w x r
static inline pbdrVec3 pbdrMoveLever(const pbdrTwist* y, pbdrVec3 r)
{
    return pbdrAdd(pbdrGetLinear(y), pbdrCross(pbdrGetAngular(y), r));
}

// An item of two bodies at y = 0: what the kernel preparePatch does for planes. velocity: A's less B's. (items.c)
void pbdrSetItem(const pbdrXpbdrWorld* world, const pbdrActivePatch* active, const pbdrTwist* velocity,
                 const pbdrMeeting* at, int item, int state);
// An item that nothing touches. (items.c)
void pbdrPreparePadding(const pbdrItems* items, int item, int state);

// The live items of a patch that is swept: not those that others stand for. (surfaces.c)
void pbdrListLive(const pbdrXpbdrWorld* world, pbdrActivePatch* active);

// All items of a patch between bodies that touch by their surfaces, or its live ones; those that nothing touches do not
// stay live. (surfaces.c)
void pbdrPrepareSurface(const pbdrXpbdrWorld* world, pbdrActivePatch* active, const pbdrTwist velocity[2],
                        int state);

// Turns the levers of a patch between a body and a plane on to the middle of the substep. velocity: the body's.
// (levers.c)
void pbdrTurnLevers(const pbdrXpbdrWorld* world, const pbdrActivePatch* active, const pbdrTwist* velocity,
                    int state);

#endif
