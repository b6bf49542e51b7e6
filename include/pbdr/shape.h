// Shapes: what bodies are made of. A shape is immutable and shared: a thousand bodies of one shape hold one
// copy of its spheres. Shapes belong to no world; references may be taken and given back by any thread.
#ifndef PBDR_SHAPE_H
#define PBDR_SHAPE_H

#include "pbdr/geometry.h"
#include "pbdr/packing.h"
#include "pbdr/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pbdrShape pbdrShape;

// What a shape's surface is, for worlds whose bodies touch by it (pbdr_contactSurface).
typedef enum pbdrSurfaceKind {
    pbdr_surfaceNone = 0, // its spheres are its surface
    pbdr_surfaceBall = 1,
    pbdr_surfaceCapsule = 2,  // along z of its frame
    pbdr_surfaceBox = 3,      // along the axes of its frame
    pbdr_surfaceCylinder = 4, // along z of its frame
    pbdr_surfaceMesh = 5,
    pbdr_surfaceCompound = 6, // the union of its parts, each of another kind
} pbdrSurfaceKind;

// How a mesh that has rims (an open one) bounds a solid. Closed meshes need none of this.
typedef enum pbdrMeshSides {
    pbdr_meshSolid = 0,    // closed: inside is where the facets say
    pbdr_meshOneSided = 1, // solid behind the facets, down to `thickness`; nothing beyond the rims
    pbdr_meshTwoSided =
        2, // a sheet: what comes from either side stays there, until others press its centre through
} pbdrMeshSides;

// The true surface that a shape's spheres stand for, with sharp edges and corners. Other bodies and planes
// touch it at points, edges and rims (docs/theory/surface.md).
typedef struct pbdrSurfaceDef {
    pbdrSurfaceKind kind; // default none
    pbdrPose frame;       // of the primitive in the definition's frame: its centre and its turn
    pbdrVec3 half;        // box: half sizes [m]
    double radius;        // ball, capsule, cylinder [m]
    double halfLength;    // capsule: of its axis; cylinder [m]
    int counts[3];        // box: cells of the lattice of points on its faces, along each axis, >= 1
    const pbdrMesh* mesh; // in the definition's frame; copied
    pbdrMeshSides sides;  // of the mesh; an open one is for static bodies
    double thickness;     // of an open mesh: points deeper than this touch nothing [m]; 0 (default): half the extent
    double spacing; // of points along a mesh's edges and in its facets [m]; 0: a twentieth of the extent
    int maxPoints;  // of a mesh; 0: none, for terrain that others touch; default 4096
    // of a compound: 1 to 1024 parts, none of which is a compound or an open mesh; default 0 and NULL
    int partCount;
    const struct pbdrSurfaceDef* parts;
} pbdrSurfaceDef;

// Spheres that make a rigid body, and its surface. The arrays are copied.
typedef struct pbdrShapeDef {
    uint32_t cookie;           // set by pbdrDefaultShapeDef
    uint32_t size;             // likewise [bytes]
    int sphereCount;           // >= 1
    const pbdrVec3* positions; // centres in any rest frame [m]
    const double* radii;       // [m], > 0
    const double* masses;      // [kg], > 0
    pbdrMat3 extraInertia;     // what the body has beyond its point masses, rest axes [kg m^2], default zero;
                               // may be indefinite, the sum may not
    pbdrHooks hooks;           // default all zero
    pbdrSurfaceDef surface;    // default: the spheres themselves
} pbdrShapeDef;

PBDR_API void pbdrInitShapeDef(pbdrShapeDef* def, size_t size);

// Every field set to its default (types.h says why it stands here).
static inline pbdrShapeDef pbdrDefaultShapeDef(void)
{
    pbdrShapeDef def;
    pbdrInitShapeDef(&def, sizeof def);
    return def;
}

// Makes a shape; the caller holds one reference. On failure *shape is NULL and error (may be NULL) says why.
PBDR_API pbdrStatus pbdrCreateShape(const pbdrShapeDef* def, pbdrShape** shape, pbdrError* error);

// Primitives about the origin, axes along x, y and z (capsule, cylinder: along z), with the solid's mass and
// inertia and their own surface. n: spheres along the shortest side; 0: 4, and of a box as many fewer as keep all of
// them to 1000 (those of a thin plate then stand apart, which its surface does not mind). A box has as many points for
// contact along a side as spheres. A ball is one sphere, a capsule (of this length between the centres of its caps) a
// chain of them.
PBDR_API pbdrStatus pbdrCreateBoxShape(pbdrVec3 size, double mass, int n, pbdrShape** shape,
                                       pbdrError* error);
PBDR_API pbdrStatus pbdrCreateBallShape(double radius, double mass, pbdrShape** shape, pbdrError* error);
PBDR_API pbdrStatus pbdrCreateCapsuleShape(double radius, double length, double mass, pbdrShape** shape,
                                           pbdrError* error);
PBDR_API pbdrStatus pbdrCreateCylinderShape(double radius, double height, double mass, int n,
                                            pbdrShape** shape, pbdrError* error);

// A packed mesh or cloud (pbdr/packing.h): its spheres, mass and inertia, and its mesh as the surface. Vertices
// within 0.003 of the extent of the lowest plane (z) are moved onto it, for contact only: damaged and scanned
// meshes would rock on three of them. hooks may be NULL.
PBDR_API pbdrStatus pbdrCreatePackedShape(const pbdrPackedBody* body, const pbdrHooks* hooks,
                                          pbdrShape** shape, pbdrError* error);

// A heightfield as a mesh for a static body's surface (pbdr_meshOneSided): heights[row * columns + column] at x =
// column * spacing, y = row * spacing from `corner` [m], two triangles per cell, facing up. At least 2 x 2. hooks
// may be NULL; give the mesh back with pbdrMesh_Free.
PBDR_API pbdrStatus pbdrMakeHeightfieldMesh(const double* heights, int columns, int rows, double spacing,
                                            pbdrVec3 corner, const pbdrHooks* hooks, pbdrMesh* mesh,
                                            pbdrError* error);

// The same spheres and surface of another mass [kg], inertia in proportion. It shares the first one's arrays and holds a
// reference to it.
PBDR_API pbdrStatus pbdrCreateScaledShape(pbdrShape* from, double mass, pbdrShape** shape, pbdrError* error);

// Takes one more reference, and returns the shape.
PBDR_API pbdrShape* pbdrRetainShape(pbdrShape* shape);
// Gives a reference back; the last one frees the shape. NULL is fine.
PBDR_API void pbdrReleaseShape(pbdrShape* shape);

// 64 bits that two shapes share if bodies of them move alike to the bit: of spheres in their order, masses,
// inertia and surface.
PBDR_API uint64_t pbdrShape_GetHash(const pbdrShape* shape);

PBDR_API pbdrSurfaceKind pbdrShape_GetSurfaceKind(const pbdrShape* shape);
PBDR_API int pbdrShape_GetSphereCount(const pbdrShape* shape);
PBDR_API double pbdrShape_GetMass(const pbdrShape* shape);      // [kg]
PBDR_API pbdrVec3 pbdrShape_GetCentre(const pbdrShape* shape);  // of mass, in the definition's frame [m]
PBDR_API pbdrMat3 pbdrShape_GetInertia(const pbdrShape* shape); // about it, rest axes [kg m^2]
// The spheres, in the order of the definition: offsets from the centre of mass, rest axes [m]; radii [m];
// masses [kg]. Good as long as the shape is.
PBDR_API const pbdrVec3* pbdrShape_GetOffsets(const pbdrShape* shape);
PBDR_API const double* pbdrShape_GetRadii(const pbdrShape* shape);
PBDR_API const double* pbdrShape_GetMasses(const pbdrShape* shape);
// Memory that the shape holds [bytes].
PBDR_API size_t pbdrShape_GetByteCount(const pbdrShape* shape);

#ifdef __cplusplus
}
#endif

#endif
