// The search for contact candidates: what candidates.c, nears.c and search.c share.
#ifndef PBDR_CONTACT_SEARCH_H
#define PBDR_CONTACT_SEARCH_H

#include "contact/candidates.h"

// A sphere, a pair or a probe that a search found.
typedef struct pbdrFound {
    int32_t order[2];   // what items are sorted by: spheres' numbers in their definitions; probes: side, name
    int32_t spheres[2]; // places in the trees, or the probe's name; -1: none
} pbdrFound;

int pbdrCompareFound(const void* a, const void* b);

// --- search.c ---

// Finds a near's items, sorted, into the searcher's list, and says where the two stand now. False without memory.
bool pbdrSearchNear(pbdrCandidates* candidates, pbdrSearcher* searcher, pbdrResult* result);
size_t pbdrGetPlacedSize(void);

// No point of the body that may touch is farther from its centre of mass than this [m].
double pbdrGetContactReach(const pbdrScene* scene, const pbdrBody* body);
// How far the body's centre would go in this substep without contact [m].
pbdrVec3 pbdrGetDrift(const pbdrCandidates* candidates, const pbdrBody* body);
// How far the body's surface may go in this substep, along a direction or in all of them (NULL) [m].
double pbdrGetLookAhead(const pbdrCandidates* candidates, const pbdrBody* body, const pbdrVec3* direction);
// How far a point of the body moves as it turns by a radian, at most [m].
double pbdrGetLever(const pbdrScene* scene, const pbdrBody* body);

// --- nears.c ---

// Searches that a task makes.
#define PBDR_SEARCH_CHUNK 16
// task(candidates, index, worker) for every index below count, so many of them at a time.
void pbdrRunChunks(pbdrCandidates* candidates, int count, int size, pbdrTask* task);

// By plane, then A, then B; planes before bodies.
int pbdrCompareNears(const void* a, const void* b);
// How bodies move in this substep; returns how many have left their fat balls.
int pbdrStirBodies(pbdrCandidates* candidates);
// New fat balls for those, and the nears that follow. False without memory: they will be due again.
bool pbdrRenewNears(pbdrCandidates* candidates);

// --- margins.c ---

// |q - r| or |q + r|, whichever is less: 2 sin of a quarter of the angle between two turns.
double pbdrGetTurned(pbdrQuat q, pbdrQuat r);
// How far from its centre a body's points are for its bound [m].
double pbdrGetBoundLever(const pbdrScene* scene, const pbdrBody* body);
// An empty result for each near that must be searched, or for all of them. False without memory.
bool pbdrListStale(pbdrCandidates* candidates, bool all);
// Where the two of a near stand, for a search within the margin.
void pbdrAnchorNear(const pbdrCandidates* candidates, pbdrNear* near, double margin);
// How far the two may come towards each other in this substep without contact [m].
double pbdrGetNeed(const pbdrCandidates* candidates, const pbdrNear* near);

// --- separation.c ---

// No points of two bodies that may touch are nearer to each other than this [m]; zero if that is not known.
double pbdrGetSeparation(const pbdrBody* a, const pbdrBody* b, bool bySurface);

// --- candidates.c ---

// The near of a patch is no more; the list of patches is put in order by whoever ends the update.
void pbdrDropPatch(pbdrCandidates* candidates, int patch);

#endif
