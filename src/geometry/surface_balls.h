// Between the sources of the surface packing: the balls it chooses from.
#ifndef PBDR_GEOMETRY_SURFACE_BALLS_H
#define PBDR_GEOMETRY_SURFACE_BALLS_H

#include "geometry/solid.h"

// The largest ball inside the solid that touches its boundary at a sample; found when it is asked for.
typedef struct pbdrBall {
    pbdrVec3 point;  // of contact, the sample [m]
    pbdrVec3 normal; // outwards there, unit
    pbdrVec3 centre; // [m]
    double radius;   // [m]; 0: none that is not too small
    bool grown;      // centre and radius are known
} pbdrBall;

// What a solid stands on: the hull of the vertices within a tolerance of its lowest point.
typedef struct pbdrBase {
    bool flat;        // the hull is large enough to stand on
    double height;    // z of the solid's lowest point [m]
    double tolerance; // above it [m]
    pbdrVec3* hull;   // counter-clockwise from above
    int hullCount, hullCapacity;
    pbdrHooks hooks;
} pbdrBase;

// The samples of count balls, uniform in area, not yet grown.
void pbdrSampleBalls(const pbdrSolid* solid, int count, uint64_t seed, pbdrBall* balls);

// Finds centre and radius, unless they are known. No radius is over `radius`; those under `smallest` become
// 0.
void pbdrGrowBall(const pbdrSolid* solid, double radius, double smallest, pbdrBall* ball);

// Whether a solid has a base, for a tolerance as a share of the height. On failure the base is empty.
pbdrStatus pbdrFindBase(const pbdrSolid* solid, double tolerance, const pbdrHooks* hooks, pbdrBase* base,
                        pbdrError* error);
void pbdrFreeBase(pbdrBase* base);

// Whether a sphere ends within the tolerance above the base, and its lowest point within the base's hull.
bool pbdrIsOnBase(const pbdrBase* base, pbdrVec3 centre, double radius);

// Balls of the base whose lowest points are the corners of the largest support polygon that there is, thinned
// out to limit >= 3 corners; those of `balls` that are low are grown and looked at, too. *seeds is for the
// caller to release with hooks, *capacity long; both are 0 without a base.
pbdrStatus pbdrMakeBaseBalls(const pbdrSolid* solid, const pbdrBase* base, pbdrBall* balls, int ballCount,
                             double radius, double smallest, int limit, uint64_t seed, const pbdrHooks* hooks,
                             pbdrBall** seeds, int* count, int* capacity, pbdrError* error);

#endif
