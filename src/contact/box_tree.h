// A tree over the bodies' boxes: who comes near whom, when only a few bodies have moved.
//
// Boxes are split at the median along their longest side, so the tree is as deep as the logarithm of their number. A box
// that moves stays where it is in the tree and its parents grow or shrink with it; once as many have moved as there are,
// the tree is built anew. What a query finds depends on the boxes alone, not on the tree.
#ifndef PBDR_CONTACT_BOX_TREE_H
#define PBDR_CONTACT_BOX_TREE_H

#include "contact/broad_phase.h"

typedef struct pbdrBoxNode {
    double lower[3], upper[3]; // [m]
    int32_t parent;            // -1: the root
    int32_t second;            // inner node: its second child; the first one stands right behind it
    int32_t body;              // leaf; -1: an inner node
    int32_t unused;
} pbdrBoxNode;

typedef struct pbdrBoxTree {
    pbdrList nodes;  // pbdrBoxNode, depth first
    pbdrList leaves; // int32_t per body: its node
    int moveCount;   // since it was built
    bool built;
} pbdrBoxTree;

void pbdrInitBoxTree(pbdrBoxTree* tree);
void pbdrFreeBoxTree(pbdrMemory* memory, pbdrBoxTree* tree);

// Of the boxes of bodies below bodyCount, one each at most; sorts them as it likes. False without memory: no tree.
bool pbdrBuildBoxTree(pbdrMemory* memory, pbdrBoxTree* tree, pbdrBox* boxes, int boxCount, int bodyCount);
// A body that has a box gets another one.
void pbdrMoveBox(pbdrBoxTree* tree, const pbdrBox* box);
// Whether it is time to build it anew: it is not there, or many have moved.
bool pbdrIsBoxTreeWorn(const pbdrBoxTree* tree);

// Visits every body whose box overlaps this one, itself too. False if a visit was, and then ends.
typedef bool (*pbdrBodyVisit)(void* context, int body);
bool pbdrVisitBoxes(const pbdrBoxTree* tree, const pbdrBox* box, pbdrBodyVisit visit, void* context);

#endif
