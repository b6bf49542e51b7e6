// Contact candidates of the engines that keep a body's motion, not its spheres' (reduced, XPBD-R).
//
// A patch is the spheres of one body near one plane, or the pairs of near spheres of two bodies. Its items
// stand side by side in columns of one double each, padded to whole vectors. A patch stays good while no
// sphere that is not in it can have come into contact; then all patches are searched anew from the bodies'
// trees, and what an item carries (its force) moves to its successor.
//
//   planes:  gap = (n.c - d) + (F^T n).q - r  can change by  |d(n.c)| + |d(F^T n)| reach   at most
//   pairs:   a sphere can have moved by                      |dc| + |dF| reach             at most
//
// So a body that slides along a plane keeps its patch for ever: only motion towards the plane counts.
#ifndef PBDR_SOLVER_CANDIDATES_H
#define PBDR_SOLVER_CANDIDATES_H

#include "world/internal.h"

// Room for itemCount items. False, and nothing changed, without memory.
bool pbdrReserveItems(pbdrWorld* world, pbdrItems* items, int itemCount);
void pbdrFreeItems(pbdrWorld* world, pbdrItems* items);

// Sees to it that the patches hold every contact; searches if they may not. Without memory: raises a flag.
void pbdrUpdateCandidates(pbdrWorld* world);
// Forgets them, with all that they carry.
void pbdrForgetCandidates(pbdrWorld* world);
// Fills an item's constants from the spheres it names.
void pbdrFillItem(const pbdrWorld* world, pbdrItems* items, const pbdrPatch* patch, int item);

static inline pbdrPatch* pbdrGetPatch(const pbdrWorld* world, int index)
{
    return (pbdrPatch*)world->patches.items + index;
}

#endif
