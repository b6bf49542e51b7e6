// Shapes: sphere sets that make bodies, and triangle meshes that make sphere sets.
#ifndef PBDR_GEOMETRY_H
#define PBDR_GEOMETRY_H

#include "pbdr/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Spheres of one body: plug positions, radii and masses into a pbdrBodyDef.
// All-zero is an empty set; fill it with a pbdrPack function, give it back with pbdrSphereSet_Free.
typedef struct pbdrSphereSet {
    int count;
    pbdrVec3* positions; // centres, frame of the shape [m]
    double* radii;       // [m]
    double* masses;      // [kg]
    pbdrHooks hooks;     // that own the arrays
} pbdrSphereSet;

// Mass properties of a set of point masses or of a solid.
typedef struct pbdrMassProperties {
    double mass;      // [kg]
    double volume;    // [m^3]; 0 for point masses
    pbdrVec3 centre;  // of mass [m]
    pbdrMat3 inertia; // about the centre of mass [kg m^2]
} pbdrMassProperties;

// |a - b| / |b| by the sums of squares of the entries: how far an inertia is off. 0 for b = 0.
PBDR_API double pbdrGetInertiaError(const pbdrMat3* a, const pbdrMat3* b);

PBDR_API void pbdrSphereSet_Free(pbdrSphereSet* set);

// An independent copy. On failure the set is empty. hooks may be NULL; existing contents of *set are not
// freed.
PBDR_API pbdrStatus pbdrSphereSet_Copy(const pbdrSphereSet* from, const pbdrHooks* hooks, pbdrSphereSet* set,
                                       pbdrError* error);

// Of the spheres as point masses, which is what the particle solver simulates. All zero for an empty set.
PBDR_API pbdrMassProperties pbdrSphereSet_GetMassProperties(const pbdrSphereSet* set);

// Packings. Equal spheres on a grid of spacing 2r, equal masses that add up to `mass`; x runs fastest, then
// y, then z. hooks may be NULL. On failure the set is empty and error says why. Existing contents of *set are
// not freed. More than 100 million spheres, or grid points to choose them from, are refused as typing errors.

// nx by ny by nz spheres of the given radius: a block of 2r nx by 2r ny by 2r nz, centred on the origin. A
// cube of half extent h with n per axis is (n, n, n, h/n); the paper's box, a layer of it, (4, 4, 1, h/4).
PBDR_API pbdrStatus pbdrPackBox(int nx, int ny, int nz, double radius, double mass, const pbdrHooks* hooks,
                                pbdrSphereSet* set, pbdrError* error);

// A single-wide chain of count touching spheres along x, centred on the origin.
PBDR_API pbdrStatus pbdrPackRod(int count, double radius, double mass, const pbdrHooks* hooks,
                                pbdrSphereSet* set, pbdrError* error);

// Upright solid cylinder (axis z), ball, and upright capsule (length: between the two cap centres, may be 0),
// centred on the origin: all spheres of a grid, symmetric about the axes, that fit inside; touching from
// within (to 1e-9 of the size) is fitting. Either a sphere of the grid lies on the axis, or the axis runs
// between spheres, whichever keeps more of them; a tie puts a sphere on the axis. The same choice is made
// along z, and for a ball along all three axes. Refused with pbdr_statusNoParticles when none fits.
PBDR_API pbdrStatus pbdrPackCylinder(double cylinderRadius, double height, double radius, double mass,
                                     const pbdrHooks* hooks, pbdrSphereSet* set, pbdrError* error);
PBDR_API pbdrStatus pbdrPackSphere(double ballRadius, double radius, double mass, const pbdrHooks* hooks,
                                   pbdrSphereSet* set, pbdrError* error);
PBDR_API pbdrStatus pbdrPackCapsule(double capsuleRadius, double length, double radius, double mass,
                                    const pbdrHooks* hooks, pbdrSphereSet* set, pbdrError* error);

// --- Masses that weigh right ---

// How a set's masses came to weigh what the solid weighs (docs/theory/masses.md). m0 are the base masses, scaled to
// the solid's mass.
typedef enum pbdrMassesRung {
    pbdr_massesClosedForm = 0, // m = m0 (1 + quadratic of the position), none below PBDR_MASS_FLOOR m0
    pbdr_massesClamped = 1,    // the same, with the lightest held at PBDR_MASS_FLOOR m0
    pbdr_massesExtraInertia =
        2, // masses match the mass and the centre alone; extraInertia is what lacks in inertia
} pbdrMassesRung;

// What pbdrSphereSet_FitMasses found.
typedef struct pbdrMassFit {
    pbdrMassesRung rung;
    double smallestRatio;  // smallest m/m0; under PBDR_MASS_FLOOR only where the centre lies at the hull's edge
    int newtonSteps;       // after the closed form; 0 if that was enough
    double residual;       // largest moment left over, in units of the mass and the size
    pbdrMat3 extraInertia; // target less the point masses' inertia, axes of the shape [kg m^2]; may be
                           // indefinite; zero on the first two rungs
} pbdrMassFit;

// Changes the masses, and nothing else, so that the spheres as point masses have the target's mass, centre of
// mass and inertia, to rounding (1e-12 of the mass and size, where positions have the digits for it). The
// centre and the inertia's axes are those of the positions: the frame of the shape, whatever its origin; the
// volume is not read. The set's masses are the base that is changed least: equal masses or the spheres'
// volumes, in any unit. Needs no memory and takes O(spheres). Sets whose inertia no masses can make right
// (two spheres per axis, layers, chains, a single sphere, spheres on an ellipsoid) get the rest as
// extraInertia.
//
// Refused, with the set as it was and *fit zero: an empty set (pbdr_statusNoParticles); values that are not
// finite, masses not above zero, an inertia that no solid has, and a centre outside the hull of the spheres
// or within 1e-5 of its edge (pbdr_statusInvalidArgument).
PBDR_API pbdrStatus pbdrSphereSet_FitMasses(pbdrSphereSet* set, const pbdrMassProperties* target,
                                            pbdrMassFit* fit, pbdrError* error);

// --- Triangle meshes ---

// All-zero is an empty mesh. Make one with pbdrCreateMesh or pbdrLoadMesh (pbdr/meshfile.h).
typedef struct pbdrMesh {
    int vertexCount;
    pbdrVec3* vertices; // [m]
    int triangleCount;
    int32_t (*triangles)[3]; // vertex indices, counter-clockwise seen from outside
    pbdrHooks hooks;         // that own the arrays
} pbdrMesh;

// What is wrong with a mesh; all zero for a good one.
typedef struct pbdrMeshReport {
    int openEdges;     // used by one triangle only: a hole's rim
    int clashingEdges; // used by two triangles in the same direction: neighbours that face opposite ways
    int crowdedEdges;  // used by three or more triangles
    int degenerateTriangles; // two corners coincide; pbdrCreateMesh drops such triangles
    bool inverted;           // closed, but facing inwards (negative volume); pbdrCreateMesh turns such meshes
} pbdrMeshReport;

// Copies a triangle soup or indexed mesh: corners at exactly the same place are joined, triangles with two
// equal corners and vertices that no triangle uses are dropped, a closed mesh that faces inwards as a whole
// is turned. Vertices are numbered in the order of their first use. Refused: no triangles
// (pbdr_statusMeshBroken), indices out of range and coordinates that are not finite
// (pbdr_statusInvalidArgument). A mesh with holes is made, too: report says what was found, and
// pbdrMesh_Check refuses it. report may be NULL.
PBDR_API pbdrStatus pbdrCreateMesh(const pbdrVec3* vertices, int vertexCount, const int32_t (*triangles)[3],
                                   int triangleCount, const pbdrHooks* hooks, pbdrMesh* mesh,
                                   pbdrMeshReport* report, pbdrError* error);
PBDR_API void pbdrMesh_Free(pbdrMesh* mesh);

// Smallest box around the vertices; zero for an empty mesh.
PBDR_API void pbdrMesh_GetBounds(const pbdrMesh* mesh, pbdrVec3* lower, pbdrVec3* upper);

// Moves the lower corner of the bounds to the origin and scales each axis so that the bounds become a cube of
// side size [m] (the paper's bunny: 0.2). Refused for a mesh that is flat along an axis.
PBDR_API pbdrStatus pbdrMesh_FitCube(pbdrMesh* mesh, double size, pbdrError* error);

// The same with one scale for all axes, so that the largest extent becomes size [m]. Refused for a mesh
// without any extent.
PBDR_API pbdrStatus pbdrMesh_FitExtent(pbdrMesh* mesh, double size, pbdrError* error);

// pbdr_statusOk for a closed mesh: every edge belongs to two triangles that run along it in opposite
// directions, and the outside is outside. Otherwise pbdr_statusMeshOpen (holes only) or
// pbdr_statusMeshBroken, with the counts and the first edge in the message. pbdr_statusInvalidArgument if a
// caller changed the arrays into what no mesh can have. Takes memory from the mesh's hooks while it runs. report may
// be NULL.
PBDR_API pbdrStatus pbdrMesh_Check(const pbdrMesh* mesh, pbdrMeshReport* report, pbdrError* error);

// Exact volume, centre and inertia of the solid of uniform density with the given mass [kg], by signed
// tetrahedra about the mean vertex. Refused for meshes that pbdrMesh_Check refuses, as half a surface has no
// volume, and for flat ones. On failure *properties is zero.
PBDR_API pbdrStatus pbdrMesh_GetMassProperties(const pbdrMesh* mesh, double mass,
                                               pbdrMassProperties* properties, pbdrError* error);

// Generalised winding number of the surface about a point: 1 inside, 0 outside, in between near holes. On the
// surface it is the share of the surroundings that is inside: 1/2 on a face. Never NaN. Takes time in
// proportion to the triangles.
PBDR_API double pbdrMesh_GetWindingNumber(const pbdrMesh* mesh, pbdrVec3 point);

// The paper's packing of a mesh: a grid of spacing 2r that starts at the lower corner of the bounds minus r;
// the centres with winding number over 1/2 are kept, x fastest, then y, then z. Equal masses. Refused for
// meshes that pbdrMesh_Check refuses, and when no centre lies inside.
PBDR_API pbdrStatus pbdrPackMesh(const pbdrMesh* mesh, double radius, double mass, const pbdrHooks* hooks,
                                 pbdrSphereSet* set, pbdrError* error);

// --- Damaged meshes ---

// What pbdrRepairMesh did; all zero for a mesh that was sound.
typedef struct pbdrMeshRepair {
    int droppedTriangles; // doubled facets, walls between parts that touch, loose facets
    int turnedTriangles;  // that faced the wrong way
    int filledHoles;
    int addedTriangles; // to fill them
    double volumeError; // how much the solid may be off for them, estimated [m^3]
} pbdrMeshRepair;

// A copy without doubled and flipped facets and with its holes filled, so that the winding number is a whole
// number everywhere off the surface. Parts that overlap stay as they are. Refused: surfaces with one side
// only, and facets that cancel each other to nothing (pbdr_statusMeshBroken); besides what no mesh can have.
// How far to trust the fills is for the caller to say: see volumeError. hooks and report may be NULL.
PBDR_API pbdrStatus pbdrRepairMesh(const pbdrMesh* mesh, const pbdrHooks* hooks, pbdrMesh* repaired,
                                   pbdrMeshRepair* report, pbdrError* error);

// As pbdrMesh_GetMassProperties, of the solid that a damaged mesh means: where the winding number of the
// repaired one is over 1/2, so that overlapping parts count once. Exact for a sound mesh without overlaps; by
// quadrature with them. volumeError (may be NULL) is the estimated error of the volume: the holes', and three
// standard errors of the quadrature (0.01 % of a typical body) [m^3]. Refused with pbdr_statusMeshOpen if it
// is over 1 % of the volume.
PBDR_API pbdrStatus pbdrMesh_GetSolidProperties(const pbdrMesh* mesh, double mass,
                                                pbdrMassProperties* properties, double* volumeError,
                                                pbdrError* error);

// --- Packing the surface ---

// Outward normals of the faces to which spheres are tangent from within: of sphere i, normals[firsts[i]] up
// to, not with, normals[firsts[i + 1]]. A sphere inside has none, one in the corner of a box three, one of a
// rod of single spheres five. All-zero is empty.
typedef struct pbdrFaceNormals {
    int sphereCount;
    int* firsts;       // sphereCount + 1
    pbdrVec3* normals; // unit length, the frame of the shape
    pbdrHooks hooks;   // that own the arrays
} pbdrFaceNormals;

PBDR_API void pbdrFaceNormals_Free(pbdrFaceNormals* normals);

// Finds the faces of a mesh to which the spheres are tangent within the tolerance [m]: the plane at the
// radius' distance, and the point of contact on the face. Faces less than one degree apart count as one;
// PBDR_MAX_FACE_NORMALS per sphere at most. Damaged meshes are repaired first. hooks may be NULL.
PBDR_API pbdrStatus pbdrFindMeshNormals(const pbdrSphereSet* set, const pbdrMesh* mesh, double tolerance,
                                        const pbdrHooks* hooks, pbdrFaceNormals* normals, pbdrError* error);

// The same for the box between two corners, which needs no mesh: -x, +x, -y, +y, -z, +z in this order.
PBDR_API pbdrStatus pbdrFindBoxNormals(const pbdrSphereSet* set, pbdrVec3 lower, pbdrVec3 upper,
                                       double tolerance, const pbdrHooks* hooks, pbdrFaceNormals* normals,
                                       pbdrError* error);

// Told now and then how far long work has come (share: 0 to 1); returns false to stop it.
typedef bool pbdrProgress(void* context, double share);

// How to pack a surface: by count, by the largest radius, or by the gap; make it with
// pbdrDefaultSurfacePackingDef and set one of count, radius, meanGap and largestGap, or several: packing ends
// with whichever is reached first.
typedef struct pbdrSurfacePackingDef {
    uint32_t cookie;      // set by pbdrDefaultSurfacePackingDef
    uint32_t size;        // likewise [bytes]
    int count;            // spheres at most; 0: any number
    double radius;        // no sphere is larger [m]; 0: PBDR_SURFACE_RADIUS (volume/count)^(1/3)
    double meanGap;       // mean distance of the surface from the spheres [m]; 0: any, but with nothing else
                          // than a radius given radius/20
    double largestGap;    // of the samples [m]; 0: any
    double baseTolerance; // spheres that end within this share of the height above the lowest point, and
                          // within the hull of the vertices there, are lowered onto it; 0: none, as for a
                          // mesh without room to stand on. Default PBDR_BASE_TOLERANCE
    int sampleCount;      // places on the surface where spheres may be; 0: 12000 or 8 per sphere
    uint64_t seed;        // the same seed gives the same bits
    pbdrProgress* progress; // may be NULL
    void* progressContext;
} pbdrSurfacePackingDef;

PBDR_API void pbdrInitSurfacePackingDef(pbdrSurfacePackingDef* def, size_t size);

static inline pbdrSurfacePackingDef pbdrDefaultSurfacePackingDef(void)
{
    pbdrSurfacePackingDef def;
    pbdrInitSurfacePackingDef(&def, sizeof def);
    return def;
}

// Packs spheres inside a mesh and tangent to its surface: of the largest such balls at samples of the surface
// those are taken whose sample is farthest from the spheres so far. The masses are equal and add up to `mass`,
// as those of a shell, so that they must be fitted to the solid. No sphere sticks out before spheres near the
// base are lowered onto it. Damaged meshes are repaired first, and refused if that leaves more than 1 % of
// their volume unknown (pbdr_statusMeshOpen). Stopped by the caller's progress: pbdr_statusStopped, and an
// empty set. hooks and normals may be NULL.
PBDR_API pbdrStatus pbdrPackSurface(const pbdrMesh* mesh, const pbdrSurfacePackingDef* def, double mass,
                                    const pbdrHooks* hooks, pbdrSphereSet* set, pbdrFaceNormals* normals,
                                    pbdrError* error);

// --- Quality of a packing ---

// How well spheres stand for a mesh. Give it back with pbdrPackingQuality_Free.
typedef struct pbdrPackingQuality {
    int sphereCount;
    double volume;       // of the mesh [m^3]
    double volumeError;  // estimated; 0 for a sound mesh [m^3]
    double cover;        // share of the mesh's volume inside the spheres
    double coverError;   // its standard error
    double meanGap;      // distance of the mesh's surface from the spheres' surface, mean over samples [m]
    double meanGapError; // its standard error [m]
    double largestGap;   // [m]
    double protrusion;   // how far a sphere sticks out of the mesh, at most [m]
    pbdrVec3 centre;     // of mass of the mesh [m]
    double centreHeight; // of that above the spheres' lowest plane [m]
    int supportCount;
    pbdrVec3* support;      // support polygon: hull of the points where spheres touch the lowest plane,
                            // counter-clockwise from above [m]
    double supportArea;     // [m^2]
    double margin;          // of the projected centre from the polygon's edge; below 0: it tips over [m]
    double meshSupportArea; // the same for the mesh's vertices within PBDR_BASE_TOLERANCE of its height
    double meshMargin;      // [m]
    pbdrHooks hooks;        // that own the array
} pbdrPackingQuality;

// sampleCount points of the surface, and as many of the space about the mesh; 0: 100000. The gap of a point
// inside a sphere that sticks out is its depth in that sphere. hooks may be NULL.
PBDR_API pbdrStatus pbdrMeasurePacking(const pbdrMesh* mesh, const pbdrSphereSet* set, int sampleCount,
                                       uint64_t seed, const pbdrHooks* hooks, pbdrPackingQuality* quality,
                                       pbdrError* error);
PBDR_API void pbdrPackingQuality_Free(pbdrPackingQuality* quality);

// Distance from the projected centre of mass to the edge of the support polygon along a horizontal direction
// (z is ignored) [m]. A body pushed at height h above the plane tips over it iff friction coefficient times h
// is more than that. 0 for a centre outside, or no polygon.
PBDR_API double pbdrPackingQuality_GetReach(const pbdrPackingQuality* quality, pbdrVec3 direction);

// --- Hulls, and how a body stands ---

// Convex hull. All-zero is empty; give it back with pbdrHull_Free.
typedef struct pbdrHull {
    int vertexCount;
    pbdrVec3* vertices; // of the points, those at the corners [m]
    int triangleCount;
    int32_t (*triangles)[3]; // counter-clockwise seen from outside
    int32_t* triangleFacets; // the facet of each
    int facetCount;          // flat pieces: a cube has six, of two triangles each
    pbdrVec3* facetNormals;  // outward, unit length
    double* facetAreas;      // [m^2]
    pbdrHooks hooks;         // that own the arrays
} pbdrHull;

// The hull of at least four points. They may be doubled, collinear and coplanar in any number. A point that
// is no corner may stick out by 2e-6 of the largest extent. A facet has the triangles that are joined and
// have their corners within tolerance, as a share of the largest extent, of the plane of the largest one.
// Takes O(points log points) as a rule. Refused (pbdr_statusInvalidArgument): points that all lie in a plane
// to 2e-6 of their extent, and that are not finite. hooks may be NULL.
PBDR_API pbdrStatus pbdrCreateHull(const pbdrVec3* points, int count, double tolerance,
                                   const pbdrHooks* hooks, pbdrHull* hull, pbdrError* error);
PBDR_API void pbdrHull_Free(pbdrHull* hull);

// How a body stands on a floor. The base are the hull's corners within PBDR_BASE_TOLERANCE of the height
// above the facet that it stands on: what a surface packing makes flat.
typedef struct pbdrStanding {
    pbdrQuat rotation;   // from the mesh's axes to standing ones, z up
    pbdrVec3 normal;     // of the facet, outward, in the mesh's axes
    double turn;         // between the mesh's -z and that [rad]
    int stableCount;     // facets that the body could stand on
    double height;       // of the body [m]
    double centreHeight; // of its centre of mass above the facet [m]
    double baseArea;     // [m^2]
    double margin;       // of the projected centre of mass from the base's edge [m]
    double slope;        // on which it no longer stands, turned with that edge downhill: atan(margin /
                         // centreHeight) [rad]
    double nextTurn;     // about that edge until the hull touches the floor again [rad]
    bool rolls;          // slope below PBDR_ROLL_SLOPE and nextTurn below PBDR_ROLL_TURN
} pbdrStanding;

// The stable facet of the mesh's hull whose outward normal is nearest to -z: one that has the centre of mass
// above it, by PBDR_STAND_MARGIN of the size at least. Of facets equally near to a millionth of a radian the
// one with the largest margin. The centre is the solid's, see pbdrMesh_GetSolidProperties, which says what is
// refused.
PBDR_API pbdrStatus pbdrMesh_FindStanding(const pbdrMesh* mesh, pbdrStanding* standing, pbdrError* error);

// Turns the mesh by the shortest way to stand on that facet, and lifts it so that its lowest vertex is at z =
// 0. standing (may be NULL) is as pbdrMesh_FindStanding found it.
PBDR_API pbdrStatus pbdrMesh_Stand(pbdrMesh* mesh, pbdrStanding* standing, pbdrError* error);

// --- Point clouds ---

// Points on the surface of a solid. All-zero is an empty cloud. Make one with pbdrCreatePointCloud or
// pbdrLoadPointCloud (pbdr/meshfile.h).
typedef struct pbdrPointCloud {
    int count;
    pbdrVec3* points;  // no two at the same place [m]
    pbdrVec3* normals; // unit, outward; NULL where none are known
    pbdrHooks hooks;   // that own the arrays
} pbdrPointCloud;

// Copies points, and normals of any length (may be NULL: not known). Of points at exactly the same place the
// first is kept. Refused (pbdr_statusInvalidArgument): values that are not finite, normals without a
// direction. Existing contents of *cloud are not freed.
PBDR_API pbdrStatus pbdrCreatePointCloud(const pbdrVec3* points, const pbdrVec3* normals, int count,
                                         const pbdrHooks* hooks, pbdrPointCloud* cloud, pbdrError* error);
PBDR_API void pbdrPointCloud_Free(pbdrPointCloud* cloud);

// How a cloud becomes a body.
typedef struct pbdrCloudDef {
    uint32_t cookie; // set by pbdrDefaultCloudDef
    uint32_t size;   // likewise [bytes]
    int neighbours;  // of a point, from which its normal and area are found: 6 to 96; 0: 12, and more for noisy
                     // points
    double cellSize; // of the grid that the surface is found on [m]; 0: from the spacing and noise
    int groups;      // of points, into which the error estimate divides the cloud: 3 to 20
    uint64_t seed;   // of that division
} pbdrCloudDef;

PBDR_API void pbdrInitCloudDef(pbdrCloudDef* def, size_t size);

static inline pbdrCloudDef pbdrDefaultCloudDef(void)
{
    pbdrCloudDef def;
    pbdrInitCloudDef(&def, sizeof def);
    return def;
}

// What pbdrMeshPointCloud measured while it made the mesh.
typedef struct pbdrCloudReport {
    int neighbours;  // that were used
    int components;  // that were oriented one by one; 0 if the cloud had normals
    bool inverted;   // the given normals faced inwards as a whole, and were turned
    double spacing;  // median over the points, the root of the area of one [m]
    double cellSize; // [m]
    double noise;    // rms distance of points from a plane through their neighbours: noise, and curvature [m]
    double area;     // that the points stand for together [m^2]
    double level;    // winding number on the mesh: its mean over the points; near 1/2
    double strayShare;   // of that area, whose points are off the mesh; over PBDR_CLOUD_MAX_STRAY is refused
    double bridgedShare; // of the mesh's area, where no point is near; over PBDR_CLOUD_MAX_BRIDGED is refused
    double bridgedVolume; // that the mesh may be off there by: its area there times the distance to a point
                          // [m^3]
} pbdrCloudReport;

// Normals by principal axes of the neighbourhoods, with signs that agree along a minimum spanning tree, each
// connected component facing outwards, or inwards if it lies within another one (a cavity). Replaces the
// cloud's own normals if it has any. Refused, with the cloud as it was, for what pbdrMeshPointCloud refuses
// before it has a surface.
PBDR_API pbdrStatus pbdrPointCloud_EstimateNormals(pbdrPointCloud* cloud, const pbdrCloudDef* def,
                                                   pbdrError* error);

// The cloud's winding number about count places: 1 inside, 0 outside, smoothed over some 2.5 spacings at
// the points; docs/theory/clouds.md. Estimates normals if there are none. Takes O(log points) per place.
PBDR_API pbdrStatus pbdrPointCloud_GetWindingNumbers(const pbdrPointCloud* cloud, const pbdrCloudDef* def,
                                                     const pbdrVec3* places, int count, double* numbers,
                                                     pbdrError* error);

// A closed mesh of the solid that a cloud is the surface of, for mass properties and packings. The cloud's
// normals are used if it has any; else they are found as by pbdrPointCloud_EstimateNormals. def may be NULL
// for the default; hooks and report may be NULL. On failure the mesh is empty, and the report has what was
// measured until then.
//
// Refused: fewer than 4 points per neighbour, no surface (points inside the solid), all in a plane, thinner
// than their spacing, or in over a thousand pieces (pbdr_statusMeshBroken); open clouds such as half a
// sphere, and those whose points disagree about the surface (pbdr_statusMeshOpen); a cell size or neighbours
// out of range (pbdr_statusInvalidArgument).
PBDR_API pbdrStatus pbdrMeshPointCloud(const pbdrPointCloud* cloud, const pbdrCloudDef* def,
                                       const pbdrHooks* hooks, pbdrMesh* mesh, pbdrCloudReport* report,
                                       pbdrError* error);

// Standard errors of a body's mass properties.
typedef struct pbdrMassErrors {
    double volume;    // [m^3]
    pbdrVec3 centre;  // per axis [m]
    pbdrMat3 inertia; // per entry, for the given mass [kg m^2]
    int groups;       // that they were found from
} pbdrMassErrors;

// How far the mass properties of a cloud's mesh are to be trusted, from the cloud itself: it is dealt out at
// random to def->groups sparser clouds, each is made a mesh, and their mass properties are compared with each
// other (scatter) and with the mesh's (bias, which falls with the area per point). Where the surface had to
// be invented, bridgedVolume is added; noise in all directions swells a body by noise^2 per radius, which is
// added, too. Blind to errors that all points share, such as a scanner's scale. mesh and report are what
// pbdrMeshPointCloud made of the same cloud and def. Takes about as long as that did. Fails where no mesh can be
// made of a group, and the message says why.
PBDR_API pbdrStatus pbdrPointCloud_EstimateMassErrors(const pbdrPointCloud* cloud, const pbdrCloudDef* def,
                                                      const pbdrMesh* mesh, const pbdrCloudReport* report,
                                                      double mass, pbdrMassErrors* errors, pbdrError* error);

#ifdef __cplusplus
}
#endif

#endif
