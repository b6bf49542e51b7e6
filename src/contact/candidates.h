// Contact candidates of the engines that keep a body's motion, not its spheres' (reduced, XPBD-R).
//
// A patch is the spheres of one body near one plane, or the pairs of near spheres of two bodies. Its items
// stand side by side. A patch stays good while no sphere that is not in it can have come into contact; then
// all patches are searched anew from the shapes' trees, and what an item carries (its force) moves to its
// successor.
//
//   planes:  gap = (n.c - d) + (F^T n).q - r  can change by  |d(n.c)| + |d(F^T n)| reach   at most
//   pairs:   a sphere can have moved by                      |dc| + |dF| reach             at most
//
// So a body that slides along a plane keeps its patch for ever: only motion towards the plane counts.
#ifndef PBDR_CONTACT_CANDIDATES_H
#define PBDR_CONTACT_CANDIDATES_H

#include "contact/items.h"

// The spheres of body A near a plane, or near spheres of body B.
typedef struct pbdrPatch {
    int32_t bodyA, bodyB; // B: -1 for a plane
    int32_t plane;        // -1 for a body
    int32_t first, count; // items; first is a multiple of PBDR_BLOCK
    int32_t padded;       // count with padding: whole blocks
    double margin;        // planes: how far spheres may approach before the next search [m]
    int32_t bySurface;    // items are probes, not spheres (touch.h)
    int32_t unused;       // all bytes of a state are defined
    pbdrVec3 rolling;     // XPBD-R: moment of rolling friction in the last substep, on A, world axes [N m]
    double load[6];       // XPBD-R: k Y, the multiplier of the normal forces over the areas [N, N m]
} pbdrPatch;

// Where a body was when candidates were last searched.
typedef struct pbdrSearched {
    pbdrTreePlace place;
    double reach; // how far its spheres may travel before pairs must be searched anew [m]
} pbdrSearched;

typedef struct pbdrCandidates {
    pbdrScene* scene;
    bool looksAhead; // by what a body may move in the substep
    bool windows;    // the engine works in windows where items are very many
    // What there is, and what the last ones carried while new ones are searched
    pbdrList patches, lastPatches; // pbdrPatch: planes first, by plane and body; then bodies
    pbdrItems items;
    pbdrItems lastItems; // columns ITEM_FORCE up to ITEM_SCRATCH only
    bool full;           // the last search left candidates out
    pbdrList searched;   // pbdrSearched per body
    // Scratch of the search
    pbdrList found, boxes, bodyPairs;
} pbdrCandidates;

// columnCount: with those of the engine, behind ITEM_SCRATCH.
void pbdrInitCandidates(pbdrCandidates* candidates, pbdrScene* scene, bool looksAhead, int columnCount);
void pbdrFreeCandidates(pbdrCandidates* candidates);
// Room for bodyCount bodies. False without memory.
bool pbdrExtendCandidates(pbdrCandidates* candidates, int bodyCount);

// Sees to it that the patches hold every contact; searches if they may not. Without memory: raises a flag.
void pbdrUpdateCandidates(pbdrCandidates* candidates);
// Forgets them, with all that they carry.
void pbdrForgetCandidates(pbdrCandidates* candidates);
// How many there are, touching or not.
int pbdrCountCandidates(const pbdrCandidates* candidates);
// Visits the contacts of the last substep and returns how many there are; visit NULL: only counts.
int pbdrVisitContacts(const pbdrCandidates* candidates, pbdrContactVisit visit, void* context);

static inline pbdrPatch* pbdrGetPatch(const pbdrCandidates* candidates, int index)
{
    return (pbdrPatch*)candidates->patches.items + index;
}

static inline pbdrSearched* pbdrGetSearched(const pbdrCandidates* candidates, int index)
{
    return (pbdrSearched*)candidates->searched.items + index;
}

// State (candidate_state.c): patches are saved, not searched anew, for which spheres are listed decides the
// order of sums, and so the bits. Bytes from outside are not trusted: load checks them all before it changes
// anything.
size_t pbdrGetCandidatesSize(const pbdrCandidates* candidates);
void pbdrSaveCandidates(const pbdrCandidates* candidates, char* bytes);
bool pbdrAreCandidatesSound(const pbdrCandidates* candidates, const char* bytes, size_t size);
// False without memory, and nothing changed.
bool pbdrLoadCandidates(pbdrCandidates* candidates, const char* bytes);

// An engine that works in windows: whether it must, room for so many items, and the window's place with the constants of
// a patch's items within it. False without memory.
bool pbdrReserveWindow(pbdrCandidates* candidates, int itemCount);
void pbdrPlaceWindow(pbdrCandidates* candidates, int first);
void pbdrFillWindow(pbdrCandidates* candidates, const pbdrPatch* patch);

// For the other files of this folder: room for items, and an item's constants from the spheres that it names.
bool pbdrReserveItems(pbdrCandidates* candidates, pbdrItems* items, int itemCount);
// The same while items are listed: their names stay.
bool pbdrGrowItems(pbdrCandidates* candidates, int itemCount);
void pbdrFreeItems(pbdrCandidates* candidates, pbdrItems* items);
void pbdrFillItem(const pbdrCandidates* candidates, pbdrItems* items, const pbdrPatch* patch, int item);

#endif
