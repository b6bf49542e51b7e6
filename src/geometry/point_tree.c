// A k-d tree over points: each node is cut at the median of its longest side, so the tree is balanced
// whatever the points are, and the same for the same points.
#include "geometry/point_tree.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

#define LEAF_SIZE 8
#define STACK_SIZE 80 // two per level; 31 levels hold all that an int counts

static double getAxis(pbdrVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// --- Building ---

static void swapPoints(pbdrPointTree* tree, int32_t i, int32_t j)
{
    pbdrVec3 point = tree->points[i];
    int32_t number = tree->order[i];
    tree->points[i] = tree->points[j];
    tree->order[i] = tree->order[j];
    tree->points[j] = point;
    tree->order[j] = number;
}

// Hoare's selection: afterwards no point before `middle` lies beyond it along the axis, and none after it
// below.
static void selectMiddle(pbdrPointTree* tree, int32_t first, int32_t last, int32_t middle, int axis)
{
    while (first < last) {
        double pivot = getAxis(tree->points[first + (last - first) / 2], axis);
        int32_t i = first, j = last;
        while (i <= j) {
            while (getAxis(tree->points[i], axis) < pivot) {
                i++;
            }
            while (getAxis(tree->points[j], axis) > pivot) {
                j--;
            }
            if (i <= j) {
                swapPoints(tree, i++, j--);
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

static void boundNode(const pbdrPointTree* tree, pbdrPointNode* node)
{
    node->lower = node->upper = tree->points[node->first];
    for (int32_t i = node->first + 1; i < node->first + node->count; i++) {
        pbdrVec3 p = tree->points[i];
        node->lower = pbdrVec(fmin(node->lower.x, p.x), fmin(node->lower.y, p.y), fmin(node->lower.z, p.z));
        node->upper = pbdrVec(fmax(node->upper.x, p.x), fmax(node->upper.y, p.y), fmax(node->upper.z, p.z));
    }
}

static void splitNodes(pbdrPointTree* tree)
{
    for (int n = 0; n < tree->nodeCount; n++) { // grows as it goes
        pbdrPointNode* node = &tree->nodes[n];
        boundNode(tree, node);
        if (node->count <= LEAF_SIZE) {
            continue;
        }
        pbdrVec3 size = pbdrSub(node->upper, node->lower);
        int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        int32_t half = node->count / 2;
        selectMiddle(tree, node->first, node->first + node->count - 1, node->first + half, axis);
        node->child = tree->nodeCount;
        tree->nodes[tree->nodeCount++] = (pbdrPointNode){.first = node->first, .count = half};
        tree->nodes[tree->nodeCount++] =
            (pbdrPointNode){.first = node->first + half, .count = node->count - half};
    }
}

bool pbdrBuildPointTree(const pbdrVec3* points, int count, const pbdrHooks* hooks, pbdrPointTree* tree)
{
    *tree = (pbdrPointTree){.count = count, .hooks = hooks};
    // Leaves hold at least half of LEAF_SIZE.
    tree->nodeCapacity = 2 * (count / (LEAF_SIZE / 2) + 1);
    tree->points = pbdrAllocate(hooks, (size_t)count, sizeof *tree->points);
    tree->order = pbdrAllocate(hooks, (size_t)count, sizeof *tree->order);
    tree->nodes = pbdrAllocate(hooks, (size_t)tree->nodeCapacity, sizeof *tree->nodes);
    if (tree->points == NULL || tree->order == NULL || tree->nodes == NULL) {
        pbdrFreePointTree(tree);
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        tree->points[i] = points[i];
        tree->order[i] = i;
    }
    if (count > 0) {
        tree->nodes[0] = (pbdrPointNode){.count = count};
        tree->nodeCount = 1;
        splitNodes(tree);
    }
    return true;
}

void pbdrFreePointTree(pbdrPointTree* tree)
{
    pbdrRelease(tree->hooks, tree->points, (size_t)tree->count, sizeof *tree->points);
    pbdrRelease(tree->hooks, tree->order, (size_t)tree->count, sizeof *tree->order);
    pbdrRelease(tree->hooks, tree->nodes, (size_t)tree->nodeCapacity, sizeof *tree->nodes);
    memset(tree, 0, sizeof *tree);
}

// --- Neighbours ---

static double getOutside(double value, double lower, double upper)
{
    return value < lower ? lower - value : value > upper ? value - upper : 0.0;
}

// Squared distance of a place from a node's box [m^2].
static double getBoxSquare(const pbdrPointNode* node, pbdrVec3 p)
{
    double x = getOutside(p.x, node->lower.x, node->upper.x);
    double y = getOutside(p.y, node->lower.y, node->upper.y);
    double z = getOutside(p.z, node->lower.z, node->upper.z);
    return x * x + y * y + z * z;
}

typedef struct Search {
    pbdrVec3 place;
    int32_t self;
    int wanted, count;
    int32_t* found;
    double* squares;
} Search;

static void searchLeaf(const pbdrPointTree* tree, const pbdrPointNode* node, Search* search)
{
    for (int32_t i = node->first; i < node->first + node->count; i++) {
        pbdrVec3 d = pbdrSub(tree->points[i], search->place);
        double square = pbdrDot(d, d);
        bool full = search->count == search->wanted;
        if (i == search->self || (full && !(square < search->squares[search->count - 1]))) {
            continue;
        }
        int at = full ? search->count - 1 : search->count++;
        for (; at > 0 && search->squares[at - 1] > square; at--) {
            search->squares[at] = search->squares[at - 1];
            search->found[at] = search->found[at - 1];
        }
        search->squares[at] = square;
        search->found[at] = i;
    }
}

int pbdrFindNeighbours(const pbdrPointTree* tree, pbdrVec3 place, int self, int wanted, int32_t* found,
                       double* squares)
{
    Search search = {place, self, wanted, 0, found, squares};
    struct {
        int32_t node;
        double square;
    } stack[STACK_SIZE];
    int depth = 0;
    if (tree->nodeCount > 0 && wanted > 0) {
        stack[depth].node = 0;
        stack[depth++].square = 0.0;
    }
    while (depth > 0) {
        depth--;
        const pbdrPointNode* node = &tree->nodes[stack[depth].node];
        if (search.count == wanted && !(stack[depth].square < squares[wanted - 1])) {
            continue;
        }
        if (node->child == 0) {
            searchLeaf(tree, node, &search);
            continue;
        }
        double a = getBoxSquare(&tree->nodes[node->child], place);
        double b = getBoxSquare(&tree->nodes[node->child + 1], place);
        int32_t near = a <= b ? node->child : node->child + 1, far = 2 * node->child + 1 - near;
        stack[depth].node = far;
        stack[depth++].square = fmax(a, b);
        stack[depth].node = near;
        stack[depth++].square = fmin(a, b);
    }
    return search.count;
}
