// Contact that knows the surface: spheres with face normals stand for the flat faces they are tangent to.
//
// Sphere i of a body, at x_i with radius r_i and outward normals v_k, stands for the cell of half spaces
// v_k.(x - x_i) <= r_i: a face, the wedge of an edge, the corner of a box. Another body's sphere touches the
// cell of the sphere nearest to it, and no other: along a face made of spheres the normal is the face's.
#ifndef PBDR_SOLVER_SURFACE_CONTACT_H
#define PBDR_SOLVER_SURFACE_CONTACT_H

#include "world/internal.h"

// Who touches whose surface, in the column ITEM_SIDE.
enum { SIDE_NONE = -1, SIDE_SPHERES = 0, SIDE_A = 1, SIDE_B = 2 };

// Chooses the items of all patches between bodies that have faces; what an item carries moves to the one that
// takes its place. False without memory.
bool pbdrChooseSurfaceItems(pbdrWorld* world);

// The cell of a sphere of `body`, its centre at x, seen from a sphere at `other` with the given radius: the
// gap (below zero inside), and the unit vector from the cell to the other sphere.
double pbdrGetCellGap(const pbdrBody* body, int sphere, pbdrVec3 x, double radius, pbdrVec3 other,
                      double otherRadius, pbdrVec3* outwards);

#endif
