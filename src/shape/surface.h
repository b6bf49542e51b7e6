// The true surface of a shape, for contact: probes, which touch others, and a distance, which others' probes
// touch. Pure geometry in the shape's rest frame: no bodies, no world, no solver.
//
//   probe of A (point, segment or disc) --> placed in B's rest frame --> pbdrSurface_Probe(B) --> hits:
//   gap, normal out of B, point on A
//
// The zero level of every distance is the surface itself, with sharp edges and corners. A probe of radius
// zero takes the plane of a face as its distance, never a rounded direction: which face, where several are
// as near as each other, the prober's own faces decide (a corner that lies on an edge of a box exactly under
// it stands on the top, because the bottom of its own box faces that way).
//
// Probing allocates nothing and uses + - * / sqrt only: the same bits everywhere. Finite input gives finite
// output, however degenerate.
#ifndef PBDR_SHAPE_SURFACE_H
#define PBDR_SHAPE_SURFACE_H

#include "pbdr/geometry.h"
#include "pbdr/shape.h"

// --- Probes ---

typedef enum pbdrProbeKind {
    pbdr_probePoint = 0,
    pbdr_probeSegment = 1,
    pbdr_probeDisc = 2,
} pbdrProbeKind;

// What a probe is used against, in pbdrProbe.against: pbdrSurface_GetAudience says which a surface is.
enum {
    PBDR_PROBES_PLANES = 1, // half spaces
    PBDR_PROBES_CONVEX = 2, // ball, capsule, box, cylinder
    PBDR_PROBES_MESHES = 4, // meshes and heightfields
};

// Outward normals of one probe at most.
#define PBDR_PROBE_NORMALS 8

// A feature of a surface that touches others. Rest frame of the shape.
typedef struct pbdrProbe {
    pbdrProbeKind kind;
    uint32_t against; // PBDR_PROBES_* bits
    pbdrVec3 a;       // point: where it is; segment: its start; disc: its centre [m]
    pbdrVec3 b;       // segment: its end [m]; disc: its unit axis, outwards; point: unused
    double radius;    // point, segment: of the ball swept along it; disc: its own [m]
    double weight;    // share of the surface: 1 inside a face's grid, 1/2 on an edge, 1/4 at a corner
    bool onRim;       // a fixed point of a cylinder's rim, which its disc takes over where that is steep
    int32_t firstNormal, normalCount; // of the flat faces that meet here, in pbdrSurface.normals; 0: round
} pbdrProbe;

// A probe in the rest frame of the surface that it is held against (pbdrPlaceProbe). Normals stay in the
// prober's rest frame and are turned only where they are asked for.
typedef struct pbdrPlacedProbe {
    pbdrProbeKind kind;
    int32_t normalCount;
    pbdrVec3 a, b;           // as in pbdrProbe
    double radius;           // [m]
    double reach;            // hits with a gap above this are left out [m]; INFINITY: none are
    bool corners;            // the ends of a box's edge count with it: nobody asks the points along it
    const pbdrVec3* normals; // normalCount unit vectors, the prober's rest axes
    const pbdrMat3* turn;    // from the prober's rest axes to the surface's; NULL: the same
    // Of a convex prober: its centre, from which no straight way to the probe leaves it, and the radius of the largest
    // ball in it [m]; 0: unknown. What is thinner than that has the prober on its centre's side.
    pbdrVec3 core;
    double bulk;
    // Of a box against a box: how far the two overlap along the face normal along which they do least, above zero [m]; 0:
    // unknown. No corner is deeper under the face that it came through.
    double overlap;
} pbdrPlacedProbe;

// --- Hits ---

typedef struct pbdrSurfaceHit {
    double gap;      // below zero: overlap [m]
    pbdrVec3 normal; // unit, out of the surface, its rest axes
    pbdrVec3 point;  // on the prober's surface, where it is deepest [m], the surface's rest frame. The point
                     // on the surface opposite is point - gap normal.
    double share;    // 0 to 1, multiplies the probe's weight: a disc fades out as it comes to lie flat
    int32_t feature; // which face, edge, ... of the surface was hit: differs where the normal may jump
} pbdrSurfaceHit;

// No memory of an earlier call, in `features`; and in the second: an edge's ends counted with it, and count again.
#define PBDR_NO_FEATURE (-1)
#define PBDR_WITH_CORNERS 6

// --- Surfaces ---

typedef struct pbdrSurfaceMesh pbdrSurfaceMesh; // surface_mesh.h

// So many probes that follow each other are a bundle.
#define PBDR_BUNDLE 16

// Where a bundle's probes are, and what some of them are used against.
typedef struct pbdrProbeBundle {
    pbdrVec3 centre; // of a ball about them, rest frame [m]
    double radius;   // [m]
    uint32_t against;
} pbdrProbeBundle;

typedef struct pbdrSurface {
    pbdrSurfaceKind kind;
    // The primitive's own frame: x_rest = origin + axes x_frame (columns of axes are its axes).
    pbdrVec3 origin; // [m]
    pbdrMat3 axes;
    bool turned;   // axes is not the identity
    pbdrVec3 half; // box: half sizes; capsule, cylinder: (radius, radius, half length); ball: radii [m]
    double slack;  // faces that are as near as this to each other compete by the prober's normals [m]
    double round;  // capsule, ball: radius [m]; 0 for the others
    pbdrVec3 lower, upper; // box around distance and probes, rest frame [m]
    double radius;         // nothing of it is farther from the rest origin [m]
    int probeCount;
    pbdrProbe* probes;
    int bundleCount; // 0: they are not bundled
    pbdrProbeBundle* bundles;
    int normalCount;
    pbdrVec3* normals;     // unit, of all probes
    pbdrSurfaceMesh* mesh; // NULL for all but meshes
    bool hasRims;          // some probes are discs
    int partCount;
    struct pbdrSurface* parts; // compound: without probes of their own
    pbdrHooks hooks;           // that own the arrays
} pbdrSurface;

// All of these fill *surface, which pbdrSurface_Free gives back; on failure it is empty and *error (may be
// NULL) names the value at fault. frame places the primitive in the shape's rest frame: its centre and its
// turn. hooks may be NULL.
pbdrStatus pbdrCreateBallSurface(pbdrVec3 centre, double radius, const pbdrHooks* hooks, pbdrSurface* surface,
                                 pbdrError* error);

// A segment of 2 halfLength along z of the frame with a ball of `radius` swept along it; halfLength >= 0.
pbdrStatus pbdrCreateCapsuleSurface(const pbdrPose* frame, double halfLength, double radius,
                                    const pbdrHooks* hooks, pbdrSurface* surface, pbdrError* error);

// Each face carries a lattice of points, counts[k] >= 1 cells along axis k, with weights that give a pressure
// over the face its second moments.
pbdrStatus pbdrCreateBoxSurface(const pbdrPose* frame, pbdrVec3 half, const int counts[3],
                                const pbdrHooks* hooks, pbdrSurface* surface, pbdrError* error);

typedef struct pbdrCylinderSampling {
    int rimPoints;  // on each rim, a multiple of 4 from 4 to 1024; default 32
    int rings;      // of points inside each cap, 0 to 64, besides its centre; default 2
    int sideLevels; // of points on the side between the rims, 0 to 1024; used against meshes; default 4
} pbdrCylinderSampling;

pbdrCylinderSampling pbdrDefaultCylinderSampling(void);

// sampling may be NULL: the default.
pbdrStatus pbdrCreateCylinderSurface(const pbdrPose* frame, double halfLength, double radius,
                                     const pbdrCylinderSampling* sampling, const pbdrHooks* hooks,
                                     pbdrSurface* surface, pbdrError* error);

typedef struct pbdrMeshSurfaceDef {
    pbdrMeshSides sides; // default solid, which an open mesh is refused as
    double thickness;    // one- and two-sided: deeper points are free [m]; 0 (default): half the extent
    double spacing;      // of points along edges and in facets [m]; 0 (default): a twentieth of the extent
    int maxProbes; // spacing grows, then vertices are thinned, until the points fit; default 4096; 0: no
                   // probes at all (terrain: others touch it)
} pbdrMeshSurfaceDef;

pbdrMeshSurfaceDef pbdrDefaultMeshSurfaceDef(void);

// Copies what it needs of the mesh. def may be NULL: the default.
pbdrStatus pbdrCreateMeshSurface(const pbdrMesh* mesh, const pbdrMeshSurfaceDef* def, const pbdrHooks* hooks,
                                 pbdrSurface* surface, pbdrError* error);

// Bundles the probes of a surface that is complete.
pbdrStatus pbdrBundleProbes(pbdrSurface* surface, pbdrError* error);

// Spheres as points with a radius: no distance of its own (pbdr_surfaceNone). weights may be NULL: all 1.
pbdrStatus pbdrCreateSphereProbes(const pbdrVec3* centres, const double* radii, const double* weights,
                                  int count, const pbdrHooks* hooks, pbdrSurface* surface, pbdrError* error);

// The union of count surfaces, which become its own: on success the caller's copies are stale; on failure they stay the
// caller's. None may be a compound.
pbdrStatus pbdrCreateCompoundSurface(const pbdrSurface* parts, int count, const pbdrHooks* hooks,
                                     pbdrSurface* surface, pbdrError* error);

// Gives back what the surface owns and clears it. An all-zero one is fine.
void pbdrSurface_Free(pbdrSurface* surface);

// Which PBDR_PROBES_* bit a probe needs to be held against this surface; 0 for pbdr_surfaceNone.
uint32_t pbdrSurface_GetAudience(const pbdrSurface* surface);

// Memory that the surface owns [bytes].
size_t pbdrSurface_GetByteCount(const pbdrSurface* surface);

// Hands over all that decides what the surface does, in a fixed order and without padding, for a content
// hash: equal surfaces give equal bytes.
typedef void pbdrVisitBytes(void* context, const void* bytes, size_t count);
void pbdrSurface_VisitBytes(const pbdrSurface* surface, pbdrVisitBytes* visit, void* context);

// The radius of the largest ball in a convex prober, 0 for others (pbdrPlacedProbe.bulk) [m].
double pbdrSurface_GetBulk(const pbdrSurface* prober);

// Whether a convex prober in which a ball of the radius bulk has room is thicker than the surface: a thin box, or a
// sheet. Its centre then says on which side of it the prober is.
bool pbdrSurface_IsThin(const pbdrSurface* surface, double bulk);

// --- Probing ---

// A probe of `prober` as a surface sees it whose rest frame is reached by x -> turn x + shift. *turn and the
// prober must outlive what is returned; turn may be NULL: no turn.
pbdrPlacedProbe pbdrPlaceProbe(const pbdrSurface* prober, const pbdrProbe* probe, const pbdrMat3* turn,
                               pbdrVec3 shift, double reach);

// Writes the hits and returns their number. Points give one. Segments up to two: the ends of the stretch that
// is nearest, in the order from a to b, or one where it is a point; an axis with a radius that is over one face of
// a box as a whole gives both ends, however steep. Radius 0 (a box's edge): none where an end is nearest, because the
// corner there has a probe of its own. Discs: the lowest point of the rim, or
// none where it lies flat. None at all where the gap is over the probe's reach.
//
// features: what the last call for this probe and surface left there (at first PBDR_NO_FEATURE twice). It
// keeps deep points on the side that they came from, and makes meshes fast. A call with the reach exceeded
// forgets it.
int pbdrSurface_Probe(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                      pbdrSurfaceHit hits[2]);

// The same against the half space normal . x < offset, normal of unit length. Segments give both ends.
int pbdrProbePlane(const pbdrPlacedProbe* probe, pbdrVec3 normal, double offset, pbdrSurfaceHit hits[2]);

#endif
