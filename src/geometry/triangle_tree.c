// A tree of boxes over triangles, halved at the median of the longest axis, so that its depth is log2 of
// their number whatever the surface.
//
// Winding number: a node that is far (more than FAR_RADII of its radii away) acts as one dipole of its area
// vector N at its centre of area c (Barill et al. 2018, first order)
//
//   w = N . (c - p) / (4 pi |c - p|^3)
//
// and near triangles count by their solid angle, as in winding.c.
#include "geometry/triangle_tree.h"

#include "base.h"
#include "geometry/winding.h"
#include "math/vec.h"

#include <string.h>

#define LEAF_TRIANGLES 4
#define FAR_RADII 2.3
// Nodes that wait while a query runs: two per level, and 2^30 triangles have 30 levels.
#define STACK_NODES 96

pbdrVec3 pbdrGetAreaVector(const pbdrTriangle* triangle)
{
    const pbdrVec3* c = triangle->corners;
    return pbdrScale(0.5, pbdrCross(pbdrSub(c[1], c[0]), pbdrSub(c[2], c[0])));
}

// --- Building ---

static double getAxis(pbdrVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Three times the mean corner: enough to compare by.
static double getKey(const pbdrTriangle* triangle, int axis)
{
    const pbdrVec3* c = triangle->corners;
    return getAxis(c[0], axis) + getAxis(c[1], axis) + getAxis(c[2], axis);
}

static void swapTriangles(pbdrTriangle* a, pbdrTriangle* b)
{
    pbdrTriangle kept = *a;
    *a = *b;
    *b = kept;
}

// Puts the `middle` smallest keys first (Hoare's selection).
static void selectMedian(pbdrTriangle* triangles, int count, int middle, int axis)
{
    int first = 0, last = count - 1;
    while (first < last) {
        double pivot = getKey(&triangles[first + (last - first) / 2], axis);
        int i = first, j = last;
        while (i <= j) {
            while (getKey(&triangles[i], axis) < pivot) {
                i++;
            }
            while (getKey(&triangles[j], axis) > pivot) {
                j--;
            }
            if (i <= j) {
                swapTriangles(&triangles[i++], &triangles[j--]);
            }
        }
        if (middle <= j) {
            last = j;
        } else if (middle >= i) {
            first = i;
        } else {
            return;
        }
    }
}

static void measureNode(const pbdrTriangle* triangles, pbdrTriangleNode* node)
{
    pbdrVec3 lower = triangles[node->first].corners[0], upper = lower;
    pbdrVec3 weighted = {0.0, 0.0, 0.0}, plain = {0.0, 0.0, 0.0};
    double areaSum = 0.0;
    node->area = weighted;
    for (int t = node->first; t < node->first + node->count; t++) {
        const pbdrVec3* c = triangles[t].corners;
        for (int k = 0; k < 3; k++) {
            lower = pbdrVec(fmin(lower.x, c[k].x), fmin(lower.y, c[k].y), fmin(lower.z, c[k].z));
            upper = pbdrVec(fmax(upper.x, c[k].x), fmax(upper.y, c[k].y), fmax(upper.z, c[k].z));
        }
        pbdrVec3 area = pbdrGetAreaVector(&triangles[t]);
        pbdrVec3 mean = pbdrScale(1.0 / 3.0, pbdrAdd(c[0], pbdrAdd(c[1], c[2])));
        double size = pbdrLength(area);
        node->area = pbdrAdd(node->area, area);
        weighted = pbdrAddScaled(weighted, size, mean);
        plain = pbdrAdd(plain, mean);
        areaSum += size;
    }
    node->lower = lower;
    node->upper = upper;
    node->centre = areaSum > 0.0 ? pbdrScale(1.0 / areaSum, weighted) : pbdrScale(1.0 / node->count, plain);
    double square = 0.0;
    for (int t = node->first; t < node->first + node->count; t++) {
        for (int k = 0; k < 3; k++) {
            pbdrVec3 d = pbdrSub(triangles[t].corners[k], node->centre);
            square = fmax(square, pbdrDot(d, d));
        }
    }
    node->radius = sqrt(square);
}

// Recursion as deep as the tree. Returns the node's index.
static int32_t buildNode(pbdrTriangleTree* tree, int32_t first, int32_t count, int32_t* nodeCount)
{
    int32_t index = (*nodeCount)++;
    pbdrTriangleNode* node = &tree->nodes[index];
    node->first = first;
    node->count = count;
    measureNode(tree->triangles, node);
    if (count > LEAF_TRIANGLES) {
        pbdrVec3 size = pbdrSub(node->upper, node->lower);
        int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        int32_t half = count / 2;
        selectMedian(tree->triangles + first, count, half, axis);
        buildNode(tree, first, half, nodeCount);
        int32_t right = buildNode(tree, first + half, count - half, nodeCount);
        tree->nodes[index].right = right;
    }
    return index;
}

pbdrStatus pbdrCreateTriangleTree(const pbdrTriangle* triangles, int count, const pbdrHooks* hooks,
                                  pbdrTriangleTree* tree, pbdrError* error)
{
    memset(tree, 0, sizeof *tree);
    if (hooks != NULL) {
        tree->hooks = *hooks;
    }
    tree->triangleCount = count;
    tree->nodeCapacity = count; // leaves hold two or more, but for a lone one
    tree->triangles = pbdrAllocate(hooks, (size_t)count, sizeof *tree->triangles);
    tree->nodes = pbdrAllocate(hooks, (size_t)tree->nodeCapacity, sizeof *tree->nodes);
    if (tree->triangles == NULL || tree->nodes == NULL) {
        pbdrFreeTriangleTree(tree);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for a tree of %d triangles", count);
    }
    memcpy(tree->triangles, triangles, (size_t)count * sizeof *triangles);
    int32_t nodeCount = 0;
    buildNode(tree, 0, count, &nodeCount);
    return pbdr_statusOk;
}

void pbdrFreeTriangleTree(pbdrTriangleTree* tree)
{
    pbdrHooks hooks = tree->hooks;
    pbdrRelease(&hooks, tree->triangles, (size_t)tree->triangleCount, sizeof *tree->triangles);
    pbdrRelease(&hooks, tree->nodes, (size_t)tree->nodeCapacity, sizeof *tree->nodes);
    memset(tree, 0, sizeof *tree);
}

// --- Nearest point ---

// By the Voronoi regions of corners, sides and face (Ericson 2004, Real-Time Collision Detection, 5.1.5).
pbdrVec3 pbdrGetNearestOnTriangle(const pbdrTriangle* triangle, pbdrVec3 point)
{
    pbdrVec3 a = triangle->corners[0], b = triangle->corners[1], c = triangle->corners[2];
    pbdrVec3 ab = pbdrSub(b, a), ac = pbdrSub(c, a), ap = pbdrSub(point, a);
    double d1 = pbdrDot(ab, ap), d2 = pbdrDot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) {
        return a;
    }
    pbdrVec3 bp = pbdrSub(point, b);
    double d3 = pbdrDot(ab, bp), d4 = pbdrDot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) {
        return b;
    }
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        return pbdrAddScaled(a, d1 / (d1 - d3), ab);
    }
    pbdrVec3 cp = pbdrSub(point, c);
    double d5 = pbdrDot(ab, cp), d6 = pbdrDot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) {
        return c;
    }
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        return pbdrAddScaled(a, d2 / (d2 - d6), ac);
    }
    double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        return pbdrAddScaled(b, (d4 - d3) / ((d4 - d3) + (d5 - d6)), pbdrSub(c, b));
    }
    double sum = va + vb + vc;
    return sum > 0.0 ? pbdrAddScaled(pbdrAddScaled(a, vb / sum, ab), vc / sum, ac) : a;
}

static double getBoxSquare(const pbdrTriangleNode* node, pbdrVec3 p)
{
    double dx = pbdrMax(pbdrMax(node->lower.x - p.x, p.x - node->upper.x), 0.0);
    double dy = pbdrMax(pbdrMax(node->lower.y - p.y, p.y - node->upper.y), 0.0);
    double dz = pbdrMax(pbdrMax(node->lower.z - p.z, p.z - node->upper.z), 0.0);
    return dx * dx + dy * dy + dz * dz;
}

pbdrSurfacePoint pbdrFindNearest(const pbdrTriangleTree* tree, pbdrVec3 point, double within)
{
    pbdrSurfacePoint best = {point, within, -1};
    double bestSquare = within * within;
    struct {
        int32_t node;
        double square;
    } stack[STACK_NODES];
    int depth = 0;
    stack[depth].node = 0;
    stack[depth++].square = getBoxSquare(&tree->nodes[0], point);
    while (depth > 0) {
        depth--;
        const pbdrTriangleNode* node = &tree->nodes[stack[depth].node];
        if (stack[depth].square >= bestSquare) {
            continue;
        }
        if (node->right == 0) {
            for (int32_t t = node->first; t < node->first + node->count; t++) {
                pbdrVec3 q = pbdrGetNearestOnTriangle(&tree->triangles[t], point);
                pbdrVec3 d = pbdrSub(q, point);
                double square = pbdrDot(d, d);
                if (square < bestSquare) {
                    bestSquare = square;
                    best.point = q;
                    best.triangle = t;
                }
            }
            continue;
        }
        int32_t near = (int32_t)(node - tree->nodes) + 1, far = node->right;
        double nearSquare = getBoxSquare(&tree->nodes[near], point);
        double farSquare = getBoxSquare(&tree->nodes[far], point);
        if (farSquare < nearSquare) {
            int32_t kept = near;
            double keptSquare = nearSquare;
            near = far;
            nearSquare = farSquare;
            far = kept;
            farSquare = keptSquare;
        }
        stack[depth].node = far;
        stack[depth++].square = farSquare;
        stack[depth].node = near;
        stack[depth++].square = nearSquare;
    }
    best.distance = sqrt(bestSquare);
    return best;
}

void pbdrVisitNear(const pbdrTriangleTree* tree, pbdrVec3 point, double within, pbdrVisitTriangle* visit,
                   void* context)
{
    int32_t stack[STACK_NODES];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t index = stack[--depth];
        const pbdrTriangleNode* node = &tree->nodes[index];
        if (getBoxSquare(node, point) > within * within) {
            continue;
        }
        if (node->right != 0) {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
            continue;
        }
        for (int32_t t = node->first; t < node->first + node->count; t++) {
            if (!visit(context, &tree->triangles[t])) {
                return;
            }
        }
    }
}

static bool areApart(pbdrVec3 lowerA, pbdrVec3 upperA, pbdrVec3 lowerB, pbdrVec3 upperB)
{
    return upperA.x < lowerB.x || upperB.x < lowerA.x || upperA.y < lowerB.y || upperB.y < lowerA.y ||
           upperA.z < lowerB.z || upperB.z < lowerA.z;
}

void pbdrVisitBox(const pbdrTriangleTree* tree, pbdrVec3 lower, pbdrVec3 upper, pbdrVisitTriangle* visit,
                  void* context)
{
    int32_t stack[STACK_NODES];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t index = stack[--depth];
        const pbdrTriangleNode* node = &tree->nodes[index];
        if (areApart(node->lower, node->upper, lower, upper)) {
            continue;
        }
        if (node->right != 0) {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
            continue;
        }
        for (int32_t t = node->first; t < node->first + node->count; t++) {
            const pbdrVec3* c = tree->triangles[t].corners;
            pbdrVec3 least = pbdrVec(fmin(c[0].x, fmin(c[1].x, c[2].x)), fmin(c[0].y, fmin(c[1].y, c[2].y)),
                                     fmin(c[0].z, fmin(c[1].z, c[2].z)));
            pbdrVec3 most = pbdrVec(fmax(c[0].x, fmax(c[1].x, c[2].x)), fmax(c[0].y, fmax(c[1].y, c[2].y)),
                                    fmax(c[0].z, fmax(c[1].z, c[2].z)));
            if (!areApart(least, most, lower, upper) && !visit(context, &tree->triangles[t])) {
                return;
            }
        }
    }
}

// --- Winding number ---

double pbdrGetTreeWinding(const pbdrTriangleTree* tree, pbdrVec3 point)
{
    int32_t stack[STACK_NODES];
    int depth = 0;
    stack[depth++] = 0;
    double sum = 0.0; // of half solid angles of nodes far away
    pbdrAngle near = {1.0, 0.0, 0.0};
    while (depth > 0) {
        int32_t index = stack[--depth];
        const pbdrTriangleNode* node = &tree->nodes[index];
        pbdrVec3 d = pbdrSub(node->centre, point);
        double square = pbdrDot(d, d);
        if (square > FAR_RADII * FAR_RADII * node->radius * node->radius) {
            sum += 0.5 * pbdrDot(node->area, d) / (square * sqrt(square));
        } else if (node->right != 0) {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
        } else {
            for (int32_t t = node->first; t < node->first + node->count; t++) {
                const pbdrVec3* c = tree->triangles[t].corners;
                pbdrAddTriangle(&near, pbdrSub(c[0], point), pbdrSub(c[1], point), pbdrSub(c[2], point));
            }
        }
    }
    return sum / (2.0 * PBDR_PI) + pbdrGetTurns(&near);
}
