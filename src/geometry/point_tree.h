// A k-d tree over points: nearest neighbours, and the ranges that the winding number of a cloud sums over.
#ifndef PBDR_GEOMETRY_POINT_TREE_H
#define PBDR_GEOMETRY_POINT_TREE_H

#include "pbdr/types.h"

#define PBDR_MAX_NEIGHBOURS 96

typedef struct pbdrPointNode {
    pbdrVec3 lower, upper; // box around the points [m]
    int32_t first, count;  // of the points, in the tree's order
    int32_t child;         // the first of two that stand side by side; 0 for a leaf
} pbdrPointNode;

typedef struct pbdrPointTree {
    int count;
    pbdrVec3* points; // in the order of the tree
    int32_t* order;   // points[i] is the order[i]-th that was given
    int nodeCount, nodeCapacity;
    pbdrPointNode* nodes; // the root first, parents before children
    const pbdrHooks* hooks;
} pbdrPointTree;

// False without memory; the tree is empty then. hooks must outlive the tree.
bool pbdrBuildPointTree(const pbdrVec3* points, int count, const pbdrHooks* hooks, pbdrPointTree* tree);
void pbdrFreePointTree(pbdrPointTree* tree);

// The `wanted` (at most PBDR_MAX_NEIGHBOURS) points nearest to a place, nearest first, but for the one
// numbered `self` (-1: none). Returns how many there are.
int pbdrFindNeighbours(const pbdrPointTree* tree, pbdrVec3 place, int self, int wanted, int32_t* found,
                       double* squares);

#endif
