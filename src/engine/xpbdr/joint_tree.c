// Elimination in a tree of links (joint_tree.h).
#include "engine/xpbdr/joint_kernel.h"

#include "math/block_lu.h"

#include <string.h>

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
    const double *s1 = node->motions[k].s[1], *s0 = node->motions[k].s[0];
    double* sa = node->motions[k].sa;
    if (node->symmetric) { // rows are columns
        double sum[6] = {0.0};
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++) {
                sum[j] += s1[i] * node->a[i][j];
            }
        }
        memcpy(sa, sum, sizeof sum);
        memcpy(node->motions[k].as, sum, sizeof sum);
        return;
    }
    for (int i = 0; i < 6; i++) {
        node->motions[k].as[i] = dot6(node->a[i], s1);
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
            m[k][l] = dot6(node->motions[k].sa, node->motions[l].s[1]) + (k == l ? node->slope : 0.0);
        }
    }
    return node->free == 0 || invert(m, node->free, node->inverse);
}

// The parent feels X0^T (A - A S1 (S0^T A S1 + slope)^-1 S0^T A) X1.
static inline void addToParent(const pbdrLinkNode* node, int count, pbdrLinkNode* parent)
{
    double b[6][6];
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            b[i][j] = node->a[i][j];
        }
        for (int k = 0; k < count; k++) {
            double share = 0.0;
            for (int l = 0; l < count; l++) {
                share += node->motions[l].as[i] * node->inverse[l][k];
            }
            for (int j = 0; j < 6; j++) {
                b[i][j] -= share * node->motions[k].sa[j];
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

// --- Solution ---

// What the parent gets of p: p + A c, and what the free motions take of it.
static inline void passDown(const pbdrLinkNode* node, int count, pbdrLinkNode* parent)
{
    double t[6], rest[3];
    for (int i = 0; i < 6; i++) {
        t[i] = node->p[i];
    }
    for (int i = 0; node->closes && i < 6; i++) {
        t[i] += dot6(node->a[i], node->c);
    }
    for (int l = 0; l < count; l++) {
        rest[l] = node->r[l] - dot6(node->motions[l].s[0], t);
    }
    for (int l = 0; l < count; l++) {
        double u = 0.0;
        for (int m = 0; m < count; m++) {
            u += node->inverse[l][m] * rest[m];
        }
        for (int i = 0; i < 6; i++) {
            t[i] += u * node->motions[l].as[i];
        }
    }
    addCross(node->reach[0], t, t + 3);
    for (int i = 0; i < 6; i++) {
        parent->p[i] += t[i];
    }
}

static inline void moveNode(pbdrLinkNode* node, int count, const double from[6])
{
    const pbdrVec3 r = node->reach[1], turn = {from[3], from[4], from[5]};
    double t[6];
    for (int i = 0; i < 6; i++) {
        t[i] = node->c[i] + from[i];
    }
    addCross(turn, (const double[3]){r.x, r.y, r.z}, t);
    memcpy(node->x, t, sizeof t);
    for (int l = 0; l < count; l++) {
        double u = 0.0;
        for (int m = 0; m < count; m++) {
            u += node->inverse[l][m] *
                 (node->r[m] - dot6(node->motions[m].s[0], node->p) - dot6(node->motions[m].sa, t));
        }
        node->u[l] = u;
        for (int i = 0; i < 6; i++) {
            node->x[i] += u * node->motions[l].s[1][i];
        }
    }
}

// A root that hangs on nothing: A x + p = 0.
static bool moveRoot(pbdrLinkNode* node)
{
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
    return true;
}

// Most have one free motion, which the compiler is told.
static void passNode(const pbdrLinkTree* tree, const pbdrLinkNode* node)
{
    if (node->parent >= 0 && node->free == 1) {
        passDown(node, 1, pbdrGetNode(tree, node->parent));
    } else if (node->parent >= 0) {
        passDown(node, node->free, pbdrGetNode(tree, node->parent));
    }
}

bool STAGE(pbdrFactorTree)(const pbdrLinkTree* tree)
{
    for (int k = tree->count - 1; k >= 0; k--) {
        pbdrLinkNode* node = pbdrGetNode(tree, pbdrGetNode(tree, k)->order);
        if (node->joint >= 0 && !eliminate(node)) {
            return false;
        }
        if (node->parent >= 0 && node->free == 1) {
            addToParent(node, 1, pbdrGetNode(tree, node->parent));
        } else if (node->parent >= 0) {
            addToParent(node, node->free, pbdrGetNode(tree, node->parent));
        }
        passNode(tree, node);
    }
    return true;
}

void STAGE(pbdrPassTree)(const pbdrLinkTree* tree)
{
    for (int k = tree->count - 1; k >= 0; k--) {
        passNode(tree, pbdrGetNode(tree, pbdrGetNode(tree, k)->order));
    }
}

bool STAGE(pbdrMoveNode)(const pbdrLinkTree* tree, pbdrLinkNode* node)
{
    const double* from = node->parent >= 0 ? pbdrGetNode(tree, node->parent)->x : node->base;
    if (node->joint < 0) {
        return moveRoot(node);
    }
    if (node->free == 1) {
        moveNode(node, 1, from);
    } else {
        moveNode(node, node->free, from);
    }
    return true;
}

bool STAGE(pbdrMoveNodes)(const pbdrLinkTree* tree)
{
    bool good = true;
    for (int k = 0; good && k < tree->count; k++) {
        good = STAGE(pbdrMoveNode)(tree, pbdrGetNode(tree, pbdrGetNode(tree, k)->order));
    }
    return good;
}

void STAGE(pbdrGatherNode)(const pbdrLinkTree* tree, const pbdrLinkNode* node)
{
    if (node->parent >= 0) {
        // number by number: an array in between would be written in parts and read as a whole, which processors wait for
        const double* p = node->p;
        double* to = pbdrGetNode(tree, node->parent)->p;
        const pbdrVec3 r = node->reach[0];
        to[0] += p[0];
        to[1] += p[1];
        to[2] += p[2];
        to[3] += p[3] + (r.y * p[2] - r.z * p[1]);
        to[4] += p[4] + (r.z * p[0] - r.x * p[2]);
        to[5] += p[5] + (r.x * p[1] - r.y * p[0]);
    }
}
