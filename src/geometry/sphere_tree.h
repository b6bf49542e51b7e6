// A tree of spheres in rest space: which spheres of a body are near a plane, near another body's, nearest to
// a point, or first on a ray.
//
// Built once per body. Nodes are boxes around the centres, with the largest radius inside, in the order of a
// depth-first walk: a node's first child stands right behind it. A plane n.x = d seen by a body x = c + F q
// is the plane (F^T n).q = d - n.c in rest space, so boxes need not be turned.
#ifndef PBDR_GEOMETRY_SPHERE_TREE_H
#define PBDR_GEOMETRY_SPHERE_TREE_H

#include "base.h"
#include "math/vec.h"
#include "pbdr/geometry.h"

typedef struct pbdrTreeSphere {
    pbdrVec3 centre; // rest offset q [m]
    double radius;   // [m]
} pbdrTreeSphere;

typedef struct pbdrTreeNode {
    double lower[3], upper[3]; // of the centres [m]
    double radius;             // the largest [m]
    int32_t second;            // inner node: the second child
    int32_t count;             // leaf: its spheres are first .. first + count - 1, with first = second
} pbdrTreeNode;

typedef struct pbdrSphereTree {
    int sphereCount, nodeCount;
    pbdrTreeNode* nodes;
    pbdrTreeSphere* spheres; // leaf by leaf
    int32_t* indices;        // of each in the order it was given
} pbdrSphereTree;

// Where a query stands: a body's x = centre + stretch q.
typedef struct pbdrTreePlace {
    pbdrVec3 centre;
    pbdrMat3 stretch; // a rotation, or close to one
} pbdrTreePlace;

// Called with what a query finds: places in tree->spheres. Returns false to stop (no memory, say).
typedef bool (*pbdrTreeVisit)(void* context, int sphere);
typedef bool (*pbdrTreePairVisit)(void* context, int sphereA, int sphereB);

// Takes over `spheres` and `indices` (sphereCount of each, from pbdrAllocate); on failure (no memory) they
// stay the caller's and false is returned.
bool pbdrBuildSphereTree(const pbdrHooks* hooks, pbdrTreeSphere* spheres, int32_t* indices, int sphereCount,
                         pbdrSphereTree* tree);
// The same of a set of spheres, which is copied.
bool pbdrBuildTreeOfSet(const pbdrHooks* hooks, const pbdrSphereSet* set, pbdrSphereTree* tree);
void pbdrFreeSphereTree(const pbdrHooks* hooks, pbdrSphereTree* tree);
// Memory that the tree holds [bytes].
size_t pbdrSphereTree_GetByteCount(const pbdrSphereTree* tree);

// Distance of a point from the union of the spheres: the least |point - q| - r, below zero inside.
double pbdrSphereTree_GetDistance(const pbdrSphereTree* tree, pbdrVec3 point);

// The sphere that a point is nearest to, or deepest in, and that distance; -1 if all are farther than
// `farthest`.
int pbdrSphereTree_FindNearest(const pbdrSphereTree* tree, pbdrVec3 point, double farthest, double* distance);

// The first sphere that a ray hits, and where [m]: 0 from inside; -1 if there is none up to `farthest`.
// direction: unit.
int pbdrSphereTree_CastRay(const pbdrSphereTree* tree, pbdrVec3 origin, pbdrVec3 direction, double farthest,
                           double* distance);

// All spheres with height + normal.q - radius <= margin.
bool pbdrSphereTree_VisitBelow(const pbdrSphereTree* tree, pbdrVec3 normal, double height, double margin,
                               pbdrTreeVisit visit, void* context);

// All pairs with |x_a - x_b| - r_a - r_b <= margin.
bool pbdrSphereTree_VisitPairs(const pbdrSphereTree* a, const pbdrTreePlace* placeA, const pbdrSphereTree* b,
                               const pbdrTreePlace* placeB, double margin, pbdrTreePairVisit visit,
                               void* context);

#endif
