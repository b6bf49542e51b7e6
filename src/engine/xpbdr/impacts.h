// Impacts with restitution of bodies that meet in points: what those of free bodies (impacts.c) and of mechanisms
// (joint_impacts.c) share.
#ifndef PBDR_ENGINE_XPBDR_IMPACTS_H
#define PBDR_ENGINE_XPBDR_IMPACTS_H

#include "engine/xpbdr/newton.h"

// Patches of the largest islands that are looked at.
#define PBDR_IMPACT_PATCHES 48

// Where and how two bodies, or a body and a plane, meet.
typedef struct pbdrPoint {
    double gap;         // [m]
    pbdrVec3 n;         // towards A
    pbdrVec3 levers[2]; // from the centres of mass [m]
} pbdrPoint;

// Whether the island is one of bodies that meet in points, and some would bounce.
bool pbdrMeetsInPoints(const pbdrSolve* solve);
// How the bodies of a patch stand. Returns in how many points they see each other; at is the only one. b: NULL for a plane.
int pbdrFindPoint(const pbdrXpbdrWorld* world, const pbdrPatch* patch, const pbdrBody* a, const pbdrBody* b,
                  pbdrPoint* at);
// The velocity of A's point less B's. b: NULL for a plane.
pbdrVec3 pbdrGetPointVelocity(const pbdrPoint* at, const pbdrBody* a, const pbdrBody* b);

#endif
