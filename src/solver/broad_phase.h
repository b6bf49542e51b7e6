// Which bodies come near each other, by their boxes: a sweep along x that both searches for contacts begin with.
#ifndef PBDR_SOLVER_BROAD_PHASE_H
#define PBDR_SOLVER_BROAD_PHASE_H

#include "world/internal.h"

// Called with the boxes of two bodies; returns false where something went wrong (no memory, say).
typedef bool (*pbdrBoxVisit)(pbdrWorld* world, const pbdrBox* a, const pbdrBox* b);

// Sorts world->boxes along x and visits every two that overlap and are not both of bodies that take no reaction.
// False if any visit was; all are made.
bool pbdrSweepBoxes(pbdrWorld* world, pbdrBoxVisit visit);

#endif
