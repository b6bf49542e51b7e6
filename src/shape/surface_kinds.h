// Between the surface sources: what each kind of distance provides, and how a prober's own faces choose.
#ifndef PBDR_SHAPE_SURFACE_KINDS_H
#define PBDR_SHAPE_SURFACE_KINDS_H

#include "math/vec.h"
#include "shape/surface.h"

// A face of the surface and one of the prober look at each other if the angle between one's normal and the
// other's reversed is below about 84 degrees.
#define PBDR_FACING 0.1

// A segment whose slope against a face is below this touches it along a stretch: its two ends. One that is
// twice as steep touches at its lowest point only; between the two, the end that is higher fades out. A box
// of 0.2 m that rests is level to 1e-5 (compression of 1e-6 m); at the full slope its far end is 0.2 mm up.
#define PBDR_STRETCH_SLOPE 1.0e-3

// How deep under a face of a box, over its slack, a corner or an edge that lies on the plane of a side may be to count as
// under the face. What is deeper has come from somewhere else.
#define PBDR_FLUSH_DEPTH 10.0
// The same of a probe: no deeper than its body overlaps with the box. (surface_box.c)
double pbdrGetFlushDepth(const pbdrSurface* box, const pbdrPlacedProbe* probe);

// A disc fades in between these sines of the angle between its axis and the surface's normal.
#define PBDR_DISC_FLAT 0.01
#define PBDR_DISC_STEEP 0.03

// Each finds the hits of a probe that is placed in the primitive's own frame; hits are in that frame, too.
// They may ignore the reach: the caller drops what is beyond.
int pbdrProbeBall(const pbdrSurface* surface, const pbdrPlacedProbe* probe, pbdrSurfaceHit hits[2]);
int pbdrProbeCapsule(const pbdrSurface* surface, const pbdrPlacedProbe* probe, pbdrSurfaceHit hits[2]);
int pbdrProbeBox(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                 pbdrSurfaceHit hits[2]);
// The face through which the straight way from the prober's core to x comes into the box, if the box is thinner there
// than the prober; else -1.
int pbdrFindBoxEntry(const pbdrSurface* surface, const pbdrPlacedProbe* probe, pbdrVec3 x);
int pbdrProbeBoxEdge(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                     pbdrSurfaceHit hits[2]); // segment of radius 0
int pbdrProbeBoxAxis(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                     pbdrSurfaceHit hits[2]); // segment with a radius
int pbdrProbeCylinder(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                      pbdrSurfaceHit hits[2]);
int pbdrProbeCylinderEdge(const pbdrSurface* surface, const pbdrPlacedProbe* probe,
                          pbdrSurfaceHit hits[2]); // segment of radius 0
int pbdrProbeCylinderAxis(const pbdrSurface* surface, const pbdrPlacedProbe* probe,
                          pbdrSurfaceHit hits[2]); // segment with a radius
int pbdrProbeCylinderRim(const pbdrSurface* surface, const pbdrPlacedProbe* probe,
                         pbdrSurfaceHit hits[2]); // disc
int pbdrProbeMesh(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                  pbdrSurfaceHit hits[2]);    // keeps to the reach itself
bool pbdrIsSheet(const pbdrSurface* surface); // a mesh that has two sides

int pbdrProbeCompound(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                      pbdrSurfaceHit hits[2]); // keeps to the reach itself

// The lowest point of a disc's rim: rounds of "support point, then the normal there", from the normal that
// start is. Uses the surface's own points of radius 0. In the primitive's frame.
typedef int pbdrProbePoint(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                           pbdrSurfaceHit hits[2]);
int pbdrProbeRim(const pbdrSurface* surface, const pbdrPlacedProbe* disc, pbdrVec3 start,
                 pbdrProbePoint* probePoint, int32_t features[2], pbdrSurfaceHit hits[2]);

// The support point of a disc in the direction -normal; *sine is that of the angle between its axis and the
// normal. Where that is zero: its centre.
pbdrVec3 pbdrGetRimPoint(const pbdrPlacedProbe* disc, pbdrVec3 normal, double* sine);
double pbdrGetDiscShare(double sine);

// How much the higher end of a stretch counts.
static inline double pbdrGetStretchShare(double slope)
{
    double share = 2.0 - slope / PBDR_STRETCH_SLOPE;
    return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}

// v / |v|, or the other where v is too short to have a direction.
static inline pbdrVec3 pbdrDirection(pbdrVec3 v, pbdrVec3 other)
{
    double square = pbdrDot(v, v);
    return square > 1.0e-200 ? pbdrScale(1.0 / sqrt(square), v) : other;
}

// Any unit vector across a unit vector.
static inline pbdrVec3 pbdrAcross(pbdrVec3 v)
{
    double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    pbdrVec3 least = x <= y && x <= z ? pbdrVec(1.0, 0.0, 0.0)
                     : y <= z         ? pbdrVec(0.0, 1.0, 0.0)
                                      : pbdrVec(0.0, 0.0, 1.0);
    return pbdrDirection(pbdrCross(v, least), least);
}

// max over the prober's normals N of -N . normal: 1 where one of its faces looks straight at the surface's.
static inline double pbdrGetFacing(const pbdrPlacedProbe* probe, pbdrVec3 normal)
{
    pbdrVec3 there = probe->turn != NULL ? pbdrMulTransposedMV(probe->turn, normal) : normal;
    double facing = -1.0;
    for (int k = 0; k < probe->normalCount; k++) {
        double value = -pbdrDot(probe->normals[k], there);
        facing = value > facing ? value : facing;
    }
    return facing;
}

// Whether the prober has a face that looks at one with this normal; a round one always has.
static inline bool pbdrIsFacing(const pbdrPlacedProbe* probe, pbdrVec3 normal)
{
    return probe->normalCount == 0 || pbdrGetFacing(probe, normal) >= PBDR_FACING;
}

// Whether an edge can touch something with this normal: -normal lies between the normals of its two faces,
// or up to a degree beyond, where a face of one is on an edge of the other and both see it.
bool pbdrIsInCone(const pbdrPlacedProbe* probe, pbdrVec3 normal);

// Fills *hit; the probe's radius is taken off here. deepest is on the axis or at the centre of the probe.
static inline void pbdrSetHit(pbdrSurfaceHit* hit, pbdrVec3 centre, double distance, pbdrVec3 normal,
                              double radius, int32_t feature)
{
    hit->gap = distance - radius;
    hit->normal = normal;
    hit->point = pbdrAddScaled(centre, -radius, normal);
    hit->share = 1.0;
    hit->feature = feature;
}

// --- Making ---

// Clears *surface, then room for probes and normals.
pbdrStatus pbdrReserveSurface(pbdrSurface* surface, pbdrSurfaceKind kind, int probeCount, int normalCount,
                              const pbdrHooks* hooks, pbdrError* error);

// Checks the frame and sets origin, axes and turned.
pbdrStatus pbdrSetSurfaceFrame(pbdrSurface* surface, const pbdrPose* frame, pbdrError* error);

// Turns probes and normals from the primitive's frame into the rest frame, and finds the bounds. extent: half
// sizes of the primitive's own bounds in its frame.
void pbdrFinishSurface(pbdrSurface* surface, pbdrVec3 extent);

// Of the mesh part, which surface_mesh.c owns.
void pbdrFreeSurfaceMesh(pbdrSurface* surface);
size_t pbdrGetSurfaceMeshBytes(const pbdrSurface* surface);
void pbdrVisitSurfaceMesh(const pbdrSurface* surface, pbdrVisitBytes* visit, void* context);

#endif
