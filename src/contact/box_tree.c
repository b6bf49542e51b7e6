#include "contact/box_tree.h"

// Halving a list of 2^31 takes 31 levels.
#define MAX_DEPTH 64

void pbdrInitBoxTree(pbdrBoxTree* tree)
{
    *tree = (pbdrBoxTree){.nodes.itemSize = sizeof(pbdrBoxNode), .leaves.itemSize = sizeof(int32_t)};
}

void pbdrFreeBoxTree(pbdrMemory* memory, pbdrBoxTree* tree)
{
    pbdrListFree(memory, &tree->nodes);
    pbdrListFree(memory, &tree->leaves);
    tree->built = false;
}

bool pbdrIsBoxTreeWorn(const pbdrBoxTree* tree)
{
    return !tree->built || tree->moveCount > tree->nodes.count / 2;
}

// --- Building ---

static double getMiddle(const pbdrBox* box, int axis)
{
    return box->lower[axis] + box->upper[axis]; // twice
}

// Ties by body, so that no input degenerates.
static bool isBefore(const pbdrBox* a, const pbdrBox* b, int axis)
{
    double first = getMiddle(a, axis), second = getMiddle(b, axis);
    return first != second ? first < second : a->body < b->body;
}

static void swapBoxes(pbdrBox* a, pbdrBox* b)
{
    pbdrBox box = *a;
    *a = *b;
    *b = box;
}

// Hoare's selection: the box that belongs at `middle` gets there, smaller ones before it.
static void select(pbdrBox* boxes, int first, int end, int middle, int axis)
{
    while (end - first > 1) {
        swapBoxes(&boxes[first], &boxes[first + (end - first) / 2]);
        int store = first;
        for (int i = first + 1; i < end; i++) {
            if (isBefore(&boxes[i], &boxes[first], axis)) {
                swapBoxes(&boxes[++store], &boxes[i]);
            }
        }
        swapBoxes(&boxes[first], &boxes[store]);
        if (store == middle) {
            return;
        }
        if (store < middle) {
            first = store + 1;
        } else {
            end = store;
        }
    }
}

// The longest side of the box around the boxes' middles.
static int chooseAxis(const pbdrBox* boxes, int first, int end)
{
    double longest = -1.0;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double lower = getMiddle(&boxes[first], k), upper = lower;
        for (int i = first + 1; i < end; i++) {
            double middle = getMiddle(&boxes[i], k);
            lower = middle < lower ? middle : lower;
            upper = middle > upper ? middle : upper;
        }
        if (upper - lower > longest) {
            longest = upper - lower;
            axis = k;
        }
    }
    return axis;
}

// The box around a node's children.
static void joinChildren(pbdrBoxNode* nodes, int index)
{
    pbdrBoxNode* node = &nodes[index];
    const pbdrBoxNode *first = &nodes[index + 1], *second = &nodes[node->second];
    for (int k = 0; k < 3; k++) {
        node->lower[k] = first->lower[k] < second->lower[k] ? first->lower[k] : second->lower[k];
        node->upper[k] = first->upper[k] > second->upper[k] ? first->upper[k] : second->upper[k];
    }
}

static void setLeaf(pbdrBoxNode* node, const pbdrBox* box)
{
    node->body = box->body;
    for (int k = 0; k < 3; k++) {
        node->lower[k] = box->lower[k];
        node->upper[k] = box->upper[k];
    }
}

static void buildNode(pbdrBoxTree* tree, pbdrBox* boxes, int first, int end, int parent)
{
    pbdrBoxNode* nodes = tree->nodes.items;
    const int index = tree->nodes.count++;
    nodes[index] = (pbdrBoxNode){.parent = parent, .body = -1};
    if (end - first == 1) {
        setLeaf(&nodes[index], &boxes[first]);
        ((int32_t*)tree->leaves.items)[boxes[first].body] = index;
        return;
    }
    const int middle = first + (end - first) / 2;
    select(boxes, first, end, middle, chooseAxis(boxes, first, end));
    buildNode(tree, boxes, first, middle, index);
    nodes[index].second = tree->nodes.count;
    buildNode(tree, boxes, middle, end, index);
    joinChildren(nodes, index);
}

bool pbdrBuildBoxTree(pbdrMemory* memory, pbdrBoxTree* tree, pbdrBox* boxes, int boxCount, int bodyCount)
{
    tree->built = false;
    tree->nodes.count = tree->moveCount = 0;
    if (!pbdrListResetTo(memory, &tree->leaves, bodyCount) ||
        !pbdrListReserve(memory, &tree->nodes, 2 * boxCount)) {
        return false;
    }
    for (int index = 0; index < bodyCount; index++) {
        ((int32_t*)tree->leaves.items)[index] = -1;
    }
    if (boxCount > 0) {
        buildNode(tree, boxes, 0, boxCount, -1);
    }
    tree->built = true;
    return true;
}

void pbdrMoveBox(pbdrBoxTree* tree, const pbdrBox* box)
{
    pbdrBoxNode* nodes = tree->nodes.items;
    int index = ((const int32_t*)tree->leaves.items)[box->body];
    setLeaf(&nodes[index], box);
    for (index = nodes[index].parent; index >= 0; index = nodes[index].parent) {
        joinChildren(nodes, index);
    }
    tree->moveCount++;
}

// --- Queries ---

// NaN overlaps nothing.
static bool overlaps(const pbdrBoxNode* node, const pbdrBox* box)
{
    return node->lower[0] <= box->upper[0] && box->lower[0] <= node->upper[0] &&
           node->lower[1] <= box->upper[1] && box->lower[1] <= node->upper[1] &&
           node->lower[2] <= box->upper[2] && box->lower[2] <= node->upper[2];
}

bool pbdrVisitBoxes(const pbdrBoxTree* tree, const pbdrBox* box, pbdrBodyVisit visit, void* context)
{
    const pbdrBoxNode* nodes = tree->nodes.items;
    int32_t stack[MAX_DEPTH];
    int depth = 0;
    if (tree->nodes.count > 0) {
        stack[depth++] = 0;
    }
    while (depth > 0) {
        const int32_t index = stack[--depth];
        const pbdrBoxNode* node = &nodes[index];
        if (!overlaps(node, box)) {
            continue;
        }
        if (node->body < 0) {
            stack[depth++] = node->second;
            stack[depth++] = index + 1;
        } else if (!visit(context, node->body)) {
            return false;
        }
    }
    return true;
}
