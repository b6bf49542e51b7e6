// Whether a mechanism is a tree, its links in an order in which parents stand before children (joint_tree.h), and whether it
// has loops.
#include "engine/xpbdr/mechanism.h"

bool pbdrOrderTree(const pbdrLinkTree* tree, pbdrActiveJoint* joints, int jointCount)
{
    int count = 0;
    for (int k = 0; k < tree->count; k++) {
        pbdrLinkNode* node = pbdrGetNode(tree, k);
        node->first = 0;
        node->seen = false;
        node->parent = node->joint = -1;
        node->free = 0;
    }
    for (int k = jointCount - 1; k >= 0; k--) {
        for (int side = 0; side < 2; side++) {
            const int link = joints[k].movers[side];
            if (link >= 0) {
                joints[k].next[side] = pbdrGetNode(tree, link)->first;
                pbdrGetNode(tree, link)->first = 1 + 2 * k + side;
            }
        }
    }
    // links that hang on what no force moves are roots; one that two such joints hold is in a loop
    for (int k = 0; k < jointCount; k++) {
        const int side = joints[k].movers[0] >= 0 ? 0 : 1;
        if (joints[k].movers[1 - side] < 0) {
            pbdrLinkNode* node = pbdrGetNode(tree, joints[k].movers[side]);
            if (node->seen) {
                return false;
            }
            node->seen = true;
            node->joint = k;
            node->child = side;
            pbdrGetNode(tree, count++)->order = joints[k].movers[side];
        }
    }
    int done = 0;
    for (int root = 0; root < tree->count || done < count;) {
        if (done == count) { // the next that hangs on nothing
            if (!pbdrGetNode(tree, root)->seen) {
                pbdrGetNode(tree, root)->seen = true;
                pbdrGetNode(tree, count++)->order = root;
            }
            root++;
            continue;
        }
        const int link = pbdrGetNode(tree, done++)->order;
        const pbdrLinkNode* node = pbdrGetNode(tree, link);
        for (int place = node->first; place != 0;) {
            const int joint = (place - 1) / 2, side = (place - 1) % 2, other = joints[joint].movers[1 - side];
            place = joints[joint].next[side];
            if (joint == node->joint || other < 0) {
                continue;
            }
            pbdrLinkNode* child = pbdrGetNode(tree, other);
            if (child->seen) {
                return false;
            }
            child->seen = true;
            child->joint = joint;
            child->child = 1 - side;
            child->parent = link;
            pbdrGetNode(tree, count++)->order = other;
        }
    }
    return true;
}

bool pbdrIsTree(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->jointCount && mechanism->gearCount == 0; k++) {
        const pbdrJointKind kind = pbdrGetActiveJoint(mechanism, &mechanism->joints[k])->kind;
        if (kind != pbdr_jointBall && kind != pbdr_jointHinge && kind != pbdr_jointSlide &&
            kind != pbdr_jointFixed) {
            return false;
        }
    }
    const pbdrLinkTree tree = pbdrGetTree(mechanism);
    return mechanism->gearCount == 0 && pbdrOrderTree(&tree, mechanism->joints, mechanism->jointCount);
}

// The link that stands for all that joints hold together with this one; -1: the world does.
static int findRoot(pbdrLink* links, int k)
{
    while (k >= 0 && links[k].parent != k) {
        if (links[k].parent >= 0) {
            links[k].parent = links[links[k].parent].parent;
        }
        k = links[k].parent;
    }
    return k;
}

bool pbdrHasLoops(const pbdrMechanism* mechanism)
{
    bool loops = mechanism->gearCount > 0; // two axes that are held, and a gear between them
    for (int k = 0; k < mechanism->linkCount; k++) {
        mechanism->links[k].parent = k;
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        const int a = findRoot(mechanism->links, mechanism->joints[k].movers[0]),
                  b = findRoot(mechanism->links, mechanism->joints[k].movers[1]);
        loops = loops || a == b;
        if (a >= 0) {
            mechanism->links[a].parent = b;
        } else if (b >= 0) {
            mechanism->links[b].parent = -1;
        }
    }
    return loops;
}
