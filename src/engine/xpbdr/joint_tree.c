// Elimination in a tree of links (joint_tree.h).
#include "engine/xpbdr/joint_tree.h"

#include "math/block_lu.h"

#include <string.h>

// --- Order ---

bool pbdrOrderTree(const pbdrLinkTree* tree, pbdrActiveJoint* joints, int jointCount)
{
    int count = 0;
    for (int k = 0; k < tree->count; k++) {
        pbdrLinkNode* node = pbdrGetNode(tree, k);
        node->first = 0;
        node->seen = false;
        node->parent = node->joint = -1;
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

// --- Small parts ---

// t + r x a
static inline void addCross(pbdrVec3 r, const double a[3], double t[3])
{
    t[0] += r.y * a[2] - r.z * a[1];
    t[1] += r.z * a[0] - r.x * a[2];
    t[2] += r.x * a[1] - r.y * a[0];
}

static inline double dot6(const double a[6], const double b[6])
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
}

// The inverse of a matrix of `size` 1 or 3. False where it is singular.
static bool invert(double m[3][3], int size, double inverse[3][3])
{
    if (size == 1) {
        inverse[0][0] = 1.0 / m[0][0];
        return m[0][0] != 0.0 && isfinite(inverse[0][0]);
    }
    const pbdrVec3 a = {m[0][0], m[0][1], m[0][2]}, b = {m[1][0], m[1][1], m[1][2]},
                   c = {m[2][0], m[2][1], m[2][2]};
    const pbdrVec3 bc = pbdrCross(b, c), ca = pbdrCross(c, a), ab = pbdrCross(a, b);
    const double over = 1.0 / pbdrDot(a, bc);
    const pbdrVec3 columns[3] = {bc, ca, ab};
    for (int j = 0; j < 3; j++) {
        inverse[0][j] = over * columns[j].x;
        inverse[1][j] = over * columns[j].y;
        inverse[2][j] = over * columns[j].z;
    }
    return isfinite(over);
}

// --- Factors ---

// A S1 and S0^T A.
static void multiply(pbdrLinkNode* node, int k)
{
    const double *s1 = node->s[1][k], *s0 = node->s[0][k];
    double* sa = node->sa[k];
    for (int i = 0; i < 6; i++) {
        node->as[k][i] = dot6(node->a[i], s1);
        sa[i] = 0.0;
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            sa[j] += s0[i] * node->a[i][j];
        }
    }
}

static bool eliminate(pbdrLinkNode* node)
{
    double m[3][3];
    for (int k = 0; k < node->free; k++) {
        multiply(node, k);
    }
    for (int k = 0; k < node->free; k++) {
        for (int l = 0; l < node->free; l++) {
            m[k][l] = dot6(node->sa[k], node->s[1][l]) + (k == l ? node->slope : 0.0);
        }
    }
    return node->free == 0 || invert(m, node->free, node->inverse);
}

// The parent feels X0^T (A - A S1 (S0^T A S1 + slope)^-1 S0^T A) X1.
static void addToParent(const pbdrLinkNode* node, pbdrLinkNode* parent)
{
    double b[6][6];
    memcpy(b, node->a, sizeof b);
    for (int k = 0; k < node->free; k++) {
        for (int i = 0; i < 6; i++) {
            double share = 0.0;
            for (int l = 0; l < node->free; l++) {
                share += node->as[l][i] * node->inverse[l][k];
            }
            for (int j = 0; j < 6; j++) {
                b[i][j] -= share * node->sa[k][j];
            }
        }
    }
    for (int i = 0; i < 6; i++) {
        addCross(node->reach[1], b[i], b[i] + 3);
    }
    const pbdrVec3 r = node->reach[0];
    for (int j = 0; j < 6; j++) {
        parent->a[0][j] += b[0][j];
        parent->a[1][j] += b[1][j];
        parent->a[2][j] += b[2][j];
        parent->a[3][j] += b[3][j] + (r.y * b[2][j] - r.z * b[1][j]);
        parent->a[4][j] += b[4][j] + (r.z * b[0][j] - r.x * b[2][j]);
        parent->a[5][j] += b[5][j] + (r.x * b[1][j] - r.y * b[0][j]);
    }
}

bool pbdrFactorTree(const pbdrLinkTree* tree)
{
    for (int k = tree->count - 1; k >= 0; k--) {
        pbdrLinkNode* node = pbdrGetNode(tree, pbdrGetNode(tree, k)->order);
        if (node->joint >= 0 && !eliminate(node)) {
            return false;
        }
        if (node->parent >= 0) {
            addToParent(node, pbdrGetNode(tree, node->parent));
        }
    }
    return true;
}

// --- Solution ---

bool pbdrSolveTree(const pbdrLinkTree* tree)
{
    for (int k = tree->count - 1; k >= 0; k--) {
        pbdrLinkNode* node = pbdrGetNode(tree, pbdrGetNode(tree, k)->order);
        if (node->parent < 0) {
            continue;
        }
        double t[6], rest[3];
        for (int i = 0; i < 6; i++) {
            t[i] = node->p[i] + dot6(node->a[i], node->c);
        }
        for (int l = 0; l < node->free; l++) {
            rest[l] = node->r[l] - dot6(node->s[0][l], t);
        }
        for (int l = 0; l < node->free; l++) {
            double u = 0.0;
            for (int m = 0; m < node->free; m++) {
                u += node->inverse[l][m] * rest[m];
            }
            for (int i = 0; i < 6; i++) {
                t[i] += u * node->as[l][i];
            }
        }
        pbdrLinkNode* parent = pbdrGetNode(tree, node->parent);
        addCross(node->reach[0], t, t + 3);
        for (int i = 0; i < 6; i++) {
            parent->p[i] += t[i];
        }
    }
    for (int k = 0; k < tree->count; k++) {
        pbdrLinkNode* node = pbdrGetNode(tree, pbdrGetNode(tree, k)->order);
        if (node->joint < 0) {
            double block[6][6];
            int pivots[6];
            memcpy(block, node->a, sizeof block);
            if (!pbdrFactorBlock(block, pivots)) {
                return false;
            }
            for (int i = 0; i < 6; i++) {
                node->x[i] = -node->p[i];
            }
            pbdrSolveBlock(block, pivots, node->x);
            continue;
        }
        const double* from = node->parent >= 0 ? pbdrGetNode(tree, node->parent)->x : node->base;
        const pbdrVec3 r = node->reach[1], turn = {from[3], from[4], from[5]};
        double t[6];
        for (int i = 0; i < 6; i++) {
            t[i] = node->c[i] + from[i];
        }
        addCross(turn, (const double[3]){r.x, r.y, r.z}, t);
        memcpy(node->x, t, sizeof t);
        for (int l = 0; l < node->free; l++) {
            double u = 0.0;
            for (int m = 0; m < node->free; m++) {
                u += node->inverse[l][m] * (node->r[m] - dot6(node->s[0][m], node->p) - dot6(node->sa[m], t));
            }
            node->u[l] = u;
            for (int i = 0; i < 6; i++) {
                node->x[i] += u * node->s[1][l][i];
            }
        }
    }
    return true;
}

void pbdrGatherTree(const pbdrLinkTree* tree)
{
    for (int k = tree->count - 1; k >= 0; k--) {
        const pbdrLinkNode* node = pbdrGetNode(tree, pbdrGetNode(tree, k)->order);
        if (node->parent >= 0) {
            double t[6];
            memcpy(t, node->p, sizeof t);
            addCross(node->reach[0], t, t + 3);
            pbdrLinkNode* parent = pbdrGetNode(tree, node->parent);
            for (int i = 0; i < 6; i++) {
                parent->p[i] += t[i];
            }
        }
    }
}
