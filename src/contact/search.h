// The search for contact candidates: what candidates.c and search.c share.
#ifndef PBDR_CONTACT_SEARCH_H
#define PBDR_CONTACT_SEARCH_H

#include "contact/candidates.h"

// A sphere, a pair or a probe that a search found.
typedef struct pbdrFound {
    int32_t order[2];   // what items are sorted by: spheres' numbers in their definitions; probes: side, name
    int32_t spheres[2]; // places in the trees, or the probe's name; -1: none
} pbdrFound;

int pbdrCompareFound(const void* a, const void* b);

// Two bodies that come near each other.
typedef struct pbdrBodyPair {
    int32_t first, second; // ascending
} pbdrBodyPair;

// Lists the patches of all contacts anew, into empty lists, with their items' names. False when some were
// left out: too many, or no memory.
bool pbdrSearchCandidates(pbdrCandidates* candidates);

// No point of the body that may touch is farther from its centre of mass than this [m].
double pbdrGetContactReach(const pbdrScene* scene, const pbdrBody* body);
// How far the body's surface may go in this substep, along a direction or in all of them (NULL) [m].
double pbdrGetLookAhead(const pbdrCandidates* candidates, const pbdrBody* body, const pbdrVec3* direction);
// How far a point of the body moves as it turns by a radian, at most [m].
double pbdrGetLever(const pbdrScene* scene, const pbdrBody* body);
// Whether a body's bounding ball comes near a plane.
bool pbdrIsNearPlane(const pbdrCandidates* candidates, const pbdrBody* body, const pbdrPlane* plane);

#endif
