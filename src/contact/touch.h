// How bodies touch by their surfaces: the probes of one held against the distance of the other
// (shape/surface.h), or against a plane.
//
// An item of such a patch is named by the side that probes (0: A, 1: B) and by twice the number of the probe,
// plus one for a segment's second hit. Bodies that have no surface probe with their spheres.
#ifndef PBDR_CONTACT_TOUCH_H
#define PBDR_CONTACT_TOUCH_H

#include "contact/candidates.h"

// Where an item touches, or would.
typedef struct pbdrTouch {
    double gap;      // [m]
    pbdrVec3 normal; // unit, towards A, world axes
    pbdrVec3 point;  // in the middle of the gap, from the surface's centre of mass, world axes [m]
    double weight;   // share of the patch's stiffness
} pbdrTouch;

// One body's probes against the other: what all items of a side have in common.
typedef struct pbdrProbing {
    const pbdrBody *prober, *surface;
    int side;       // that probes
    pbdrMat3 turn;  // from the prober's rest axes to the surface's
    pbdrVec3 shift; // of its centre of mass, the surface's rest axes [m]
    bool thin;      // the surface is, against the prober: what is beyond it may yet touch
    bool corners;   // a box's edges touch with their ends, too (surface.h)
    double overlap; // of two boxes (surface.h) [m]
} pbdrProbing;

// Whether the bodies of a patch touch by a surface. A body and a plane do if the body has one.
bool pbdrTouchesBySurface(const pbdrScene* scene, const pbdrBody* a, const pbdrBody* b);

// Whether a side has anything to probe the other with.
bool pbdrHasProbes(const pbdrScene* scene, const pbdrBody* prober, const pbdrBody* surface);
int pbdrCountProbes(const pbdrBody* body);
pbdrProbe pbdrGetProbe(const pbdrBody* body, int index);

pbdrProbing pbdrSetProbing(const pbdrScene* scene, int bodyA, int bodyB, int side);
// The same of bodies anywhere.
pbdrProbing pbdrSetProbingOf(const pbdrBody* a, const pbdrBody* b, int side);

// How far apart surfaces may be and still touch in a substep: twice their travel, with room for what forces
// add [m].
double pbdrGetTouchReach(const pbdrProbing* probing, double timeStep);
// Whether two bodies are so slow that it is the same for both sides, whatever their speeds.
bool pbdrAreAtRest(const pbdrBody* a, const pbdrBody* b, double timeStep);

// The touches of one probe: at most two. features: as pbdrSurface_Probe's.
int pbdrTouchSurface(const pbdrProbing* probing, int probe, double reach, int32_t features[2],
                     pbdrTouch touches[2]);
// Whether a probe may come to touch while neither body's surface moves by more than reach.
bool pbdrMayTouch(const pbdrProbing* probing, int probe, double reach);

// Whether any probe of a bundle of the prober's may; surfaces of spheres have none.
bool pbdrMayBundleTouch(const pbdrProbing* probing, int bundle, double reach);

// Whether others stand for a probe: a point within a flat face never goes deeper into what is convex than the face's
// corners, rims and edges do; nor does a point on an edge, but an edge sees no more than its lowest point, and what turns
// may come down on another one.
typedef enum pbdrProbeRole {
    pbdr_probeAlone = 0,
    pbdr_probeOnEdge,
    pbdr_probeInFace,
} pbdrProbeRole;

// other: NULL for a plane.
pbdrProbeRole pbdrFindProbeRole(const pbdrBody* prober, int probe, const pbdrBody* other);

// The lowest point of a body's probe over a plane, in its rest frame, and the radius of the ball about it;
// share of its weight. False where it has none (a disc that lies flat).
bool pbdrFindLowest(const pbdrBody* body, int probe, pbdrVec3 planeNormal, pbdrVec3* q, double* radius,
                    double* weight);

#endif
