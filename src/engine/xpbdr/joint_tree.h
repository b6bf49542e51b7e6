// Elimination in a tree of links: each onto its parent, leaves first, with one 6x6 block per link (Featherstone's articulated
// inertia), for equations
//
//   A x + p = f            per link: f is what the joint to its parent does to it (at a floating root: nothing)
//   x = X1 x_parent + c + S1 u,    S0^T f + slope u = r,    the parent gets -X0^T f
//
// x is a motion: displacement of the centre, turn. S0 and X0 are where forces act, S1 and X1 where motions are stated.
#ifndef PBDR_ENGINE_XPBDR_JOINT_TREE_H
#define PBDR_ENGINE_XPBDR_JOINT_TREE_H

#include "engine/xpbdr/island.h"

// Numbers of a motion or wrench: those of the centre, a zero, those of the turn, a zero; each half fills a vector.
#define PBDR_MOTION 8
#define PBDR_TURN 4 // where the turn begins

typedef struct pbdrLinkNode {
    int parent;               // link that it hangs on; -1: one that no force moves, or none
    int joint;                // to it, in the island's joints; -1: none, it floats
    int child;                // side of the joint that this link is: 0 or 1
    int order;                // of entry k: the link that is k-th, parents first
    int first;                // joints of this link: 1 + 2 joint + side, or 0
    bool seen;                // by who orders
    int free;                 // motions that the joint leaves: 0, 1 or 3
    bool symmetric;           // A is, and S0 is S1
    bool closes;              // c is not zero
    double slope, r[3];       // of its axis
    const pbdrBallRows* ball; // where three motions are free: NULL, or what a law makes of them
    double u[3];
    double inverse[3][3]; // (S0^T A S1 + slope)^-1
    _Alignas(64) double a[6][PBDR_MOTION];
    double p[PBDR_MOTION];
    double reach[2][4]; // from the parent's centre to its own: where forces act, where motions are stated [m]
    double c[PBDR_MOTION]; // motion that closes the joint, and what the axis is told to do
    double x[PBDR_MOTION];
    double base[PBDR_MOTION]; // x_parent of a link whose parent no force moves
    // of each free motion: its rows of S0 and S1, and of A S1 and S0^T A
    struct {
        double s[2][PBDR_MOTION], as[PBDR_MOTION], sa[PBDR_MOTION];
    } motions[3];
} pbdrLinkNode;

// The first item of a list of them that stand in larger structures, and how far these are apart [bytes].
typedef struct pbdrLinkTree {
    char* nodes;
    size_t stride;
    int count;
} pbdrLinkTree;

static inline pbdrLinkNode* pbdrGetNode(const pbdrLinkTree* tree, int link)
{
    return (pbdrLinkNode*)(void*)(tree->nodes + (size_t)link * tree->stride);
}

// Orders links so that parents stand before children. False where joints make loops.
bool pbdrOrderTree(const pbdrLinkTree* tree, pbdrActiveJoint* joints, int jointCount);
#endif
