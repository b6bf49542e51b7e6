// Elimination in a tree of links (joint_tree.h).
#include "math/simd.h"

#include "engine/xpbdr/joint_kernel.h"

#include "math/block_lu.h"

// --- Small parts ---

// A motion or wrench in two vectors, whose last lanes are zero.
typedef struct vmotion {
    vreal way, turn;
} vmotion;

static inline vmotion loadMotion(const double m[PBDR_MOTION])
{
    return (vmotion){vload(m), vload(m + PBDR_TURN)};
}

static inline void storeMotion(double m[PBDR_MOTION], vmotion a)
{
    vstore(m, a.way);
    vstore(m + PBDR_TURN, a.turn);
}

static inline vmotion addMotion(vmotion a, vmotion b)
{
    return (vmotion){vadd(a.way, b.way), vadd(a.turn, b.turn)};
}

// a + s b
static inline vmotion addScaled(vmotion a, double s, vmotion b)
{
    const vreal all = vset(s);
    return (vmotion){vadd(a.way, vmul(all, b.way)), vadd(a.turn, vmul(all, b.turn))};
}

static inline vreal multiplyHalves(vmotion a, vmotion b)
{
    return vadd(vmul(a.way, b.way), vmul(a.turn, b.turn));
}

static inline double dot(vmotion a, vmotion b)
{
    return vadded(multiplyHalves(a, b));
}

// a x b within the first three lanes
static inline vreal cross(vreal a, vreal b)
{
    return vturn(vsub(vmul(a, vturn(b)), vmul(vturn(a), b)));
}

// Three sums over lanes: of t, u and v.
static inline vreal sumEach(vreal t, vreal u, vreal v)
{
    vreal rows[4] = {t, u, v, vset(0.0)};
    vtranspose(rows);
    return vadd(vadd(rows[0], rows[1]), rows[2]);
}

// A b
static inline vmotion multiplyRows(double a[6][PBDR_MOTION], vmotion b)
{
    return (vmotion){
        sumEach(multiplyHalves(loadMotion(a[0]), b), multiplyHalves(loadMotion(a[1]), b),
                multiplyHalves(loadMotion(a[2]), b)),
        sumEach(multiplyHalves(loadMotion(a[3]), b), multiplyHalves(loadMotion(a[4]), b),
                multiplyHalves(loadMotion(a[5]), b)),
    };
}

// A^T b
static inline vmotion multiplyColumns(double a[6][PBDR_MOTION], const double b[PBDR_MOTION])
{
    vmotion even = {vmul(vset(b[0]), vload(a[0])), vmul(vset(b[0]), vload(a[0] + PBDR_TURN))},
            odd = {vmul(vset(b[1]), vload(a[1])), vmul(vset(b[1]), vload(a[1] + PBDR_TURN))};
    even = addScaled(even, b[2], loadMotion(a[2]));
    odd = addScaled(odd, b[PBDR_TURN], loadMotion(a[3]));
    even = addScaled(even, b[PBDR_TURN + 1], loadMotion(a[4]));
    odd = addScaled(odd, b[PBDR_TURN + 2], loadMotion(a[5]));
    return addMotion(even, odd);
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

// The same with a ball's law, of which S0^T A S1 is to be had: what is held does not move, and feels any impulse.
static bool invertBall(const pbdrBallRows* ball, double m[3][3], double inverse[3][3])
{
    double all[3][3], back[3][3];
    const int free = 3 - ball->heldCount;
    for (int row = 0; row < 3; row++) {
        for (int j = 0; j < 3; j++) {
            const double* acts = ball->acts[row];
            all[row][j] = ball->states[row][j] +
                          (row >= free ? 0.0 : acts[0] * m[0][j] + acts[1] * m[1][j] + acts[2] * m[2][j]);
        }
    }
    if (!invert(all, 3, back)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inverse[i][j] = 0.0;
            for (int row = 0; row < free; row++) {
                inverse[i][j] += back[i][row] * ball->acts[row][j];
            }
        }
    }
    return true;
}

// --- Factors ---

// A S1, S0^T A and (S0^T A S1 + slope)^-1.
static inline bool eliminate(pbdrLinkNode* node, int count, int acts)
{
    double m[3][3];
    for (int k = 0; k < count; k++) {
        const vmotion sa = multiplyColumns(node->a, node->motions[k].s[acts]);
        storeMotion(node->motions[k].sa, sa);
        // rows are columns where A is symmetric
        storeMotion(node->motions[k].as,
                    node->symmetric ? sa : multiplyRows(node->a, loadMotion(node->motions[k].s[1])));
        for (int l = 0; l < count; l++) {
            m[k][l] = dot(sa, loadMotion(node->motions[l].s[1])) + (k == l ? node->slope : 0.0);
        }
    }
    return count == 0 || (count == 3 && node->ball != NULL ? invertBall(node->ball, m, node->inverse)
                                                           : invert(m, count, node->inverse));
}

// The parent feels X0^T (A - A S1 (S0^T A S1 + slope)^-1 S0^T A) X1.
static inline void addToParent(pbdrLinkNode* node, int count, int acts, pbdrLinkNode* parent)
{
    _Alignas(32) double shares[3][PBDR_MOTION]; // A S1 (..)^-1
    for (int k = 0; k < count; k++) {
        vmotion share = {vset(0.0), vset(0.0)};
        for (int l = 0; l < count; l++) {
            share = addScaled(share, node->inverse[l][k], loadMotion(node->motions[l].as));
        }
        storeMotion(shares[k], share);
    }
    const vreal ahead = vload(node->reach[1]);
    vmotion b[6];
    for (int i = 0; i < 6; i++) {
        b[i] = loadMotion(node->a[i]);
        for (int k = 0; k < count; k++) {
            b[i] = addScaled(b[i], -shares[k][i < 3 ? i : i + 1], loadMotion(node->motions[k].sa));
        }
        b[i].turn = vadd(b[i].turn, cross(ahead, b[i].way));
    }
    const double* r = node->reach[acts];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        storeMotion(parent->a[i], addMotion(loadMotion(parent->a[i]), b[i]));
        const vmotion torque = addScaled(addScaled(b[3 + i], r[j], b[k]), -r[k], b[j]);
        storeMotion(parent->a[3 + i], addMotion(loadMotion(parent->a[3 + i]), torque));
    }
}

// --- Solution ---

// What the parent gets of p: p + A c, and what the free motions take of it.
static inline void passDown(pbdrLinkNode* node, int count, int acts, pbdrLinkNode* parent)
{
    vmotion t = loadMotion(node->p);
    if (node->closes) {
        t = addMotion(t, multiplyRows(node->a, loadMotion(node->c)));
    }
    double rest[3];
    for (int l = 0; l < count; l++) {
        rest[l] = node->r[l] - dot(loadMotion(node->motions[l].s[acts]), t);
    }
    for (int l = 0; l < count; l++) {
        double u = 0.0;
        for (int m = 0; m < count; m++) {
            u += node->inverse[l][m] * rest[m];
        }
        t = addScaled(t, u, loadMotion(node->motions[l].as));
    }
    t.turn = vadd(t.turn, cross(vload(node->reach[acts]), t.way));
    storeMotion(parent->p, addMotion(loadMotion(parent->p), t));
}

// x = c + X1 from + S1 u, u = (..)^-1 (r - S0 p - S0^T A (c + X1 from)). What does not depend on `from` is found apart, for
// children wait for it: S0^T A X1 from is (X1^T A^T S0)^T from.
static inline void moveNode(pbdrLinkNode* node, int count, int acts, const double from[PBDR_MOTION])
{
    const vmotion parent = loadMotion(from), c = loadMotion(node->c), p = loadMotion(node->p);
    const vreal ahead = vload(node->reach[1]);
    double rest[3];
    for (int m = 0; m < count; m++) {
        const vmotion sa = loadMotion(node->motions[m].sa);
        const double own =
            vadded(vadd(multiplyHalves(loadMotion(node->motions[m].s[acts]), p), multiplyHalves(sa, c)));
        const vmotion turned = {sa.way, vadd(sa.turn, cross(ahead, sa.way))};
        rest[m] = (node->r[m] - own) - dot(turned, parent);
    }
    vmotion x = addMotion(c, parent);
    x.way = vadd(x.way, cross(parent.turn, ahead));
    for (int l = 0; l < count; l++) {
        double u = 0.0;
        for (int m = 0; m < count; m++) {
            u += node->inverse[l][m] * rest[m];
        }
        node->u[l] = u;
        x = addScaled(x, u, loadMotion(node->motions[l].s[1]));
    }
    storeMotion(node->x, x);
}

// A root that hangs on nothing: A x + p = 0.
static bool moveRoot(pbdrLinkNode* node)
{
    double block[6][6], x[6];
    int pivots[6];
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            block[i][j] = node->a[i][j < 3 ? j : j + 1];
        }
        x[i] = -node->p[i < 3 ? i : i + 1];
    }
    if (!pbdrFactorBlock(block, pivots)) {
        return false;
    }
    pbdrSolveBlock(block, pivots, x);
    pbdrSetMotion(pbdrVec(x[0], x[1], x[2]), pbdrVec(x[3], x[4], x[5]), node->x);
    return true;
}

// Most have one free motion, which the compiler is told.
static void passNode(const pbdrLinkTree* tree, pbdrLinkNode* node, int acts)
{
    if (node->parent >= 0 && node->free == 1) {
        passDown(node, 1, acts, pbdrGetNode(tree, node->parent));
    } else if (node->parent >= 0) {
        passDown(node, node->free, acts, pbdrGetNode(tree, node->parent));
    }
}

static inline bool factorNode(const pbdrLinkTree* tree, pbdrLinkNode* node, int count, int acts)
{
    if (node->joint >= 0 && !eliminate(node, count, acts)) {
        return false;
    }
    if (node->parent >= 0) {
        pbdrLinkNode* parent = pbdrGetNode(tree, node->parent);
        addToParent(node, count, acts, parent);
        passDown(node, count, acts, parent);
    }
    return true;
}

bool STAGE(pbdrFactorTree)(const pbdrLinkTree* tree, int acts)
{
    for (int k = tree->count - 1; k >= 0; k--) {
        pbdrLinkNode* node = pbdrGetNode(tree, pbdrGetNode(tree, k)->order);
        if (!(node->free == 1 ? factorNode(tree, node, 1, acts) : factorNode(tree, node, node->free, acts))) {
            return false;
        }
    }
    return true;
}

void STAGE(pbdrPassTree)(const pbdrLinkTree* tree, int acts)
{
    for (int k = tree->count - 1; k >= 0; k--) {
        passNode(tree, pbdrGetNode(tree, pbdrGetNode(tree, k)->order), acts);
    }
}

bool STAGE(pbdrMoveNode)(const pbdrLinkTree* tree, pbdrLinkNode* node, int acts)
{
    const double* from = node->parent >= 0 ? pbdrGetNode(tree, node->parent)->x : node->base;
    if (node->joint < 0) {
        return moveRoot(node);
    }
    if (node->free == 1) {
        moveNode(node, 1, acts, from);
    } else {
        moveNode(node, node->free, acts, from);
    }
    return true;
}

bool STAGE(pbdrMoveNodes)(const pbdrLinkTree* tree, int acts)
{
    bool good = true;
    for (int k = 0; good && k < tree->count; k++) {
        good = STAGE(pbdrMoveNode)(tree, pbdrGetNode(tree, pbdrGetNode(tree, k)->order), acts);
    }
    return good;
}

double STAGE(pbdrPassWrench)(const pbdrLinkNode* node, int acts, const double wrench[PBDR_MOTION],
                             double* parent)
{
    vmotion p = loadMotion(wrench);
    if (parent != NULL) {
        const vreal torque = vadd(p.turn, cross(vload(node->reach[acts]), p.way));
        storeMotion(parent, addMotion(loadMotion(parent), (vmotion){p.way, torque}));
    }
    return dot(p, loadMotion(node->motions[0].s[acts]));
}
