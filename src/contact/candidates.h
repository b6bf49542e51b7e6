// Contact candidates of the engines that keep a body's motion, not its spheres' (reduced, XPBD-R).
//
//   bodies --(have left their fat balls)--> nears --(have moved by their margin)--> patches of items
//
// A body has a fat ball around all that it may touch, which it is looked up by in a tree (box_tree.h) when it has left
// the last one. A near is a body and a plane, or two bodies, whose fat balls overlap. It remembers how the two stood when
// its items were searched, and within which margin; they are searched anew once the two have moved by that, relative to
// each other. A patch is the spheres of a near plane, or the pairs of near spheres of two bodies; its items stand side by
// side, and what an item carries (its force) moves to its successor.
//
//   planes:  gap = (n.c - d) + (F^T n).q - r  can change by  |d(n.c)| + |d(F^T n)| reach   at most
//   pairs:   a sphere can have moved by                      |d(anchor)| + |dR| radius     at most (margins.c)
//
// So a body that slides along a plane keeps its patch for ever, a pile at rest searches nothing, and bodies that go
// together keep theirs. Nears follow from the fat balls and nothing else; these, nears and patches stand in the state.
// Nothing else that is kept has an influence on any bit.
#ifndef PBDR_CONTACT_CANDIDATES_H
#define PBDR_CONTACT_CANDIDATES_H

#include "contact/box_tree.h"
#include "contact/items.h"

// How two bodies stood when the surfaces of their patch were last held against each other: while both still do, all that was
// found holds. No state, for it would be found again, to the bit.
typedef struct pbdrStand {
    pbdrPose poses[2];
    int32_t liveCount; // items that touch, or may
    bool holds;
} pbdrStand;

// The spheres of body A near a plane, or near spheres of body B.
typedef struct pbdrPatch {
    int32_t bodyA, bodyB; // B: -1 for a plane
    int32_t plane;        // -1 for a body
    int32_t first, count; // items; first is a multiple of PBDR_BLOCK
    int32_t padded;       // count with padding: whole blocks
    int32_t room;         // items that its slot has room for
    int32_t bySurface;    // items are probes, not spheres (touch.h)
    pbdrVec3 rolling;     // XPBD-R: moment of rolling friction in the last substep, on A, world axes [N m]
    double load[6];       // XPBD-R: k Y, the multiplier of the normal forces over the areas [N, N m]
    pbdrStand stand;      // XPBD-R; from here on no state
} pbdrPatch;

#define PBDR_PATCH_STATE offsetof(pbdrPatch, stand)

// A body's fat ball: where it was looked up.
typedef struct pbdrSearched {
    pbdrTreePlace place;
    double reach; // how far the body may go before it is looked up anew [m]
} pbdrSearched;

// What a near is of, as a patch's. pbdrNear begins with it.
typedef struct pbdrNearKey {
    int32_t bodyA, bodyB, plane;
} pbdrNearKey;

// A body and a plane, or two bodies, that may have items.
typedef struct pbdrNear {
    int32_t bodyA, bodyB, plane; // as a patch's
    int32_t patch;               // -1: there are no items
    // When they were searched: how far the two may move relative to each other until they are again [m]; NaN: never
    double margin;
    pbdrVec3 anchorA; // pairs: a point of A [m]; planes: the normal; A's rest frame
    pbdrVec3
        anchorB; // pairs: the point of B that was at the same place, its rest frame [m]; planes: (height, 0, 0) [m]
    pbdrQuat turn; // pairs: A's, as B sees it
    double radius; // pairs: no point that may touch is farther from the anchor [m]
    double limit;  // while the bodies' bounds add up to less the margin holds (margins.c); no state [m]
} pbdrNear;

// How a body moves, for the nears of a substep. No state.
typedef struct pbdrStir {
    pbdrVec3 drift;  // how far its centre would go in this substep without contact [m]
    double turn;     // and its surface by turning, at most [m]
    double path;     // how far any point of it has gone in all substeps, at most [m]
    double bound;    // with this substep [m]
    pbdrVec3 centre; // when that was last added up
    pbdrQuat rotation;
    bool due; // has left its fat ball
} pbdrStir;

// What a near's search has found.
typedef struct pbdrResult {
    int32_t near, searcher; // whose list
    int32_t first, count;   // in it
    bool bySurface;
    bool same; // as the patch has
    // Where the last items stand, and where the new ones shall
    int32_t lastFirst, lastCount;
    int32_t patch;
} pbdrResult;

// What a thread has for itself.
typedef struct pbdrSearcher {
    pbdrMemory memory;
    size_t counted;          // of its bytes, by the scene's memory
    pbdrList found;          // pbdrFound
    pbdrList nears;          // pbdrNearKey
    pbdrList spheres;        // those of two bodies that may be near (search.c)
    pbdrList names, carried; // int32_t, double: of a patch's last items
    bool failed;             // to get memory
} pbdrSearcher;

typedef struct pbdrCandidates {
    pbdrScene* scene;
    bool looksAhead; // by what a body may move in the substep; if not, all are searched together
    bool windows;    // the engine works in windows where items are very many
    // State
    pbdrList patches; // pbdrPatch: planes first, by plane and body; then bodies
    pbdrItems items;
    bool full;         // the last search left candidates out
    pbdrList searched; // pbdrSearched per body
    pbdrList nears;    // pbdrNear, in the order of patches
    // What follows from it, and scratch
    pbdrBoxTree tree; // of the fat balls
    pbdrList stirs;   // pbdrStir per body
    int emptyCount;   // items' places that are in no patch's slot
    int pairCount;    // items of pairs
    bool unordered;   // patches are, until the update ends
    pbdrList nextPatches, nextNears, boxes, due, fresh, marks, results, slots;
    pbdrSearcher* searchers; // one per worker
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

static inline pbdrNear* pbdrGetNear(const pbdrCandidates* candidates, int index)
{
    return (pbdrNear*)candidates->nears.items + index;
}

static inline pbdrStir* pbdrGetStir(const pbdrCandidates* candidates, int index)
{
    return (pbdrStir*)candidates->stirs.items + index;
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
// The same, and those that are there stay.
bool pbdrGrowItems(pbdrCandidates* candidates, int itemCount);
// Pushes the patches' slots together if many places between them are empty. False without memory, and nothing changed.
bool pbdrCloseSlots(pbdrCandidates* candidates);
size_t pbdrGetSlotSize(void);
void pbdrFreeItems(pbdrCandidates* candidates, pbdrItems* items);
void pbdrFillItem(const pbdrCandidates* candidates, pbdrItems* items, const pbdrPatch* patch, int item);
// The list of a patch's outer items, once it knows which they are.
void pbdrListOuter(const pbdrCandidates* candidates, const pbdrPatch* patch);

#endif
