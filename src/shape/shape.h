// A shape from inside: what bodies made of the same spheres share.
#ifndef PBDR_SHAPE_SHAPE_H
#define PBDR_SHAPE_SHAPE_H

#include "geometry/sphere_tree.h"
#include "pbdr/shape.h"
#include "shape/surface.h"

#include <stdatomic.h>

struct pbdrShape {
    _Atomic int references;
    pbdrHooks hooks;
    pbdrShape* owner; // of all arrays but the masses; NULL: the shape itself
    size_t byteCount;
    uint64_t hash; // of everything that decides how a body of this shape moves
    // Spheres, in the order of the definition
    int sphereCount;
    pbdrVec3* offsets; // q, from the centre of mass [m]
    double* radii;     // [m]
    double* masses;    // [kg]
    // The same as a tree, its own order; sum m q = 0 to rounding
    pbdrSphereTree tree;
    // Sums
    double mass;           // [kg]
    double weight;         // sum of masses, one after another: with rounded masses not quite the mass [kg]
    pbdrVec3 centre;       // of mass, in the definition's frame [m]
    pbdrMat3 inertia;      // about it, rest axes, extraInertia included [kg m^2]
    pbdrMat3 extraInertia; // J: the part of it that the point masses do not have
    bool hasExtraInertia;
    pbdrMat3 turning, inverseTurning; // what XPBD-R turns by: inertia, the spheres' own added where that is
                                      // singular; and its inverse
    pbdrMat3 spread;                  // S = sum m q q^T [kg m^2]
    bool open;                        // its surface is an open mesh, for bodies that contact does not move
    pbdrSurface surface;              // rest frame about the centre of mass; kind none: the spheres
    // Sizes
    double largestRadius; // of its spheres [m]
    double margin;        // share of the distance at which its spheres become contact candidates [m]
    double reach;         // largest distance of a sphere's centre from the centre of mass [m]
};

// Sets the hash, of what is there. (shape.c)
void pbdrSetShapeHash(pbdrShape* shape);

// The shape with its spheres' offsets, radii and masses rounded to float, for worlds of that precision. The
// sums stay those of the definition. NULL without memory. A reference is the caller's.
pbdrShape* pbdrRoundShape(const pbdrShape* shape);

#endif
