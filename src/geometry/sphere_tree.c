// Sphere tree: halved at the median of the longest side until few spheres are left.
#include "geometry/sphere_tree.h"

#include <string.h>

// Spheres in a leaf at most.
#define LEAF_SIZE 8

// Deeper than any tree: halving 2^31 spheres down to LEAF_SIZE takes 28 levels.
#define MAX_DEPTH 64

// --- Building ---

typedef struct Builder {
    pbdrTreeNode* nodes;
    pbdrTreeSphere* spheres;
    int32_t* indices;
    int nodeCount;
} Builder;

static double getSide(const pbdrTreeSphere* sphere, int axis)
{
    const double side[3] = {sphere->centre.x, sphere->centre.y, sphere->centre.z};
    return side[axis];
}

static void swapSpheres(Builder* builder, int i, int j)
{
    pbdrTreeSphere sphere = builder->spheres[i];
    builder->spheres[i] = builder->spheres[j];
    builder->spheres[j] = sphere;
    int32_t index = builder->indices[i];
    builder->indices[i] = builder->indices[j];
    builder->indices[j] = index;
}

// Whether sphere i comes before j along the axis. Ties by index, so that no input degenerates and the tree
// does not depend on luck.
static bool isBefore(const Builder* builder, int i, int j, int axis)
{
    double a = getSide(&builder->spheres[i], axis), b = getSide(&builder->spheres[j], axis);
    return a != b ? a < b : builder->indices[i] < builder->indices[j];
}

// Hoare's selection: the sphere that belongs at `middle` gets there, smaller ones before it.
static void select(Builder* builder, int first, int end, int middle, int axis)
{
    while (end - first > 1) {
        swapSpheres(builder, first, first + (end - first) / 2);
        int store = first;
        for (int i = first + 1; i < end; i++) {
            if (isBefore(builder, i, first, axis)) {
                swapSpheres(builder, ++store, i);
            }
        }
        swapSpheres(builder, first, store);
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

static void bound(pbdrTreeNode* node, const pbdrTreeSphere* spheres, int count)
{
    for (int axis = 0; axis < 3; axis++) {
        node->lower[axis] = node->upper[axis] = getSide(spheres, axis);
        for (int i = 1; i < count; i++) {
            double side = getSide(&spheres[i], axis);
            node->lower[axis] = fmin(node->lower[axis], side);
            node->upper[axis] = fmax(node->upper[axis], side);
        }
    }
    node->radius = spheres[0].radius;
    for (int i = 1; i < count; i++) {
        node->radius = fmax(node->radius, spheres[i].radius);
    }
}

static void buildNode(Builder* builder, int first, int end)
{
    int index = builder->nodeCount++;
    pbdrTreeNode* node = &builder->nodes[index];
    bound(node, builder->spheres + first, end - first);
    if (end - first <= LEAF_SIZE) {
        node->second = first;
        node->count = end - first;
        return;
    }
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        axis = node->upper[k] - node->lower[k] > node->upper[axis] - node->lower[axis] ? k : axis;
    }
    int middle = first + (end - first) / 2;
    select(builder, first, end, middle, axis);
    buildNode(builder, first, middle);
    builder->nodes[index].second = builder->nodeCount;
    builder->nodes[index].count = 0;
    buildNode(builder, middle, end);
}

// Halving leaves at least LEAF_SIZE/2 spheres in a leaf.
static int getNodeCapacity(int sphereCount)
{
    return sphereCount <= LEAF_SIZE ? 1 : sphereCount / (LEAF_SIZE / 2) * 2;
}

bool pbdrBuildSphereTree(const pbdrHooks* hooks, pbdrTreeSphere* spheres, int32_t* indices, int sphereCount,
                         pbdrSphereTree* tree)
{
    size_t capacity = (size_t)getNodeCapacity(sphereCount);
    pbdrTreeNode* nodes = pbdrAllocate(hooks, capacity, sizeof *nodes);
    if (nodes == NULL) {
        return false;
    }
    Builder builder = {nodes, spheres, indices, 0};
    buildNode(&builder, 0, sphereCount);
    *tree = (pbdrSphereTree){sphereCount, builder.nodeCount, nodes, spheres, indices};
    return true;
}

bool pbdrBuildTreeOfSet(const pbdrHooks* hooks, const pbdrSphereSet* set, pbdrSphereTree* tree)
{
    size_t count = (size_t)set->count;
    pbdrTreeSphere* spheres = pbdrAllocate(hooks, count, sizeof *spheres);
    int32_t* indices = pbdrAllocate(hooks, count, sizeof *indices);
    for (int i = 0; i < set->count && spheres != NULL && indices != NULL; i++) {
        spheres[i] = (pbdrTreeSphere){set->positions[i], set->radii[i]};
        indices[i] = i;
    }
    bool good =
        spheres != NULL && indices != NULL && pbdrBuildSphereTree(hooks, spheres, indices, set->count, tree);
    if (!good) {
        pbdrRelease(hooks, spheres, count, sizeof *spheres);
        pbdrRelease(hooks, indices, count, sizeof *indices);
    }
    return good;
}

void pbdrFreeSphereTree(const pbdrHooks* hooks, pbdrSphereTree* tree)
{
    size_t count = (size_t)tree->sphereCount;
    pbdrRelease(hooks, tree->nodes, (size_t)getNodeCapacity(tree->sphereCount), sizeof *tree->nodes);
    pbdrRelease(hooks, tree->spheres, count, sizeof *tree->spheres);
    pbdrRelease(hooks, tree->indices, count, sizeof *tree->indices);
    *tree = (pbdrSphereTree){0};
}

size_t pbdrSphereTree_GetByteCount(const pbdrSphereTree* tree)
{
    return tree->sphereCount == 0
               ? 0
               : (size_t)getNodeCapacity(tree->sphereCount) * sizeof *tree->nodes +
                     (size_t)tree->sphereCount * (sizeof *tree->spheres + sizeof *tree->indices);
}

// --- Points ---

// No sphere of a node is closer than this.
static double getBound(const pbdrTreeNode* node, pbdrVec3 p)
{
    const double at[3] = {p.x, p.y, p.z};
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double off = fmax(fmax(node->lower[k] - at[k], at[k] - node->upper[k]), 0.0);
        square += off * off;
    }
    return sqrt(square) - node->radius;
}

double pbdrSphereTree_GetDistance(const pbdrSphereTree* tree, pbdrVec3 point)
{
    struct {
        int32_t node;
        double bound;
    } stack[MAX_DEPTH];
    int depth = 0;
    double best = INFINITY;
    stack[depth].node = 0;
    stack[depth++].bound = -INFINITY;
    while (depth > 0) {
        depth--;
        int32_t index = stack[depth].node;
        const pbdrTreeNode* node = &tree->nodes[index];
        if (stack[depth].bound >= best) {
            continue;
        }
        for (int32_t i = node->second; i < node->second + node->count; i++) {
            const pbdrTreeSphere* sphere = &tree->spheres[i];
            best = fmin(best, pbdrLength(pbdrSub(point, sphere->centre)) - sphere->radius);
        }
        if (node->count == 0) { // the nearer child is looked at first
            double first = getBound(&tree->nodes[index + 1], point);
            double second = getBound(&tree->nodes[node->second], point);
            bool firstNearer = first <= second;
            stack[depth].node = firstNearer ? node->second : index + 1;
            stack[depth++].bound = firstNearer ? second : first;
            stack[depth].node = firstNearer ? index + 1 : node->second;
            stack[depth++].bound = firstNearer ? first : second;
        }
    }
    return best;
}

// --- Planes ---

// The least that normal.q - radius can be in a node.
static double getLowest(const pbdrTreeNode* node, const double normal[3])
{
    double lowest = -node->radius;
    for (int k = 0; k < 3; k++) {
        lowest += normal[k] * (normal[k] > 0.0 ? node->lower[k] : node->upper[k]);
    }
    return lowest;
}

bool pbdrSphereTree_VisitBelow(const pbdrSphereTree* tree, pbdrVec3 normal, double height, double margin,
                               pbdrTreeVisit visit, void* context)
{
    const double n[3] = {normal.x, normal.y, normal.z};
    int stack[MAX_DEPTH], depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int index = stack[--depth];
        const pbdrTreeNode* node = &tree->nodes[index];
        if (height + getLowest(node, n) > margin) {
            continue;
        }
        if (node->count == 0) {
            stack[depth++] = node->second;
            stack[depth++] = index + 1;
            continue;
        }
        for (int i = node->second; i < node->second + node->count; i++) {
            const pbdrTreeSphere* sphere = &tree->spheres[i];
            if (height + pbdrDot(normal, sphere->centre) - sphere->radius <= margin && !visit(context, i)) {
                return false;
            }
        }
    }
    return true;
}

// --- Pairs ---

static pbdrVec3 place(const pbdrTreePlace* where, pbdrVec3 q)
{
    return pbdrAdd(where->centre, pbdrMulMV(&where->stretch, q));
}

// A ball around a node's spheres, in world space. PBD-R's stretch is a rotation but for some (w dt)^2: the
// ball is made 1 % larger, which covers it up to a turn of 0.1 rad per substep.
static double boundNode(const pbdrTreeNode* node, const pbdrTreePlace* where, pbdrVec3* centre)
{
    pbdrVec3 lower = {node->lower[0], node->lower[1], node->lower[2]};
    pbdrVec3 upper = {node->upper[0], node->upper[1], node->upper[2]};
    *centre = place(where, pbdrScale(0.5, pbdrAdd(lower, upper)));
    return 1.01 * 0.5 * pbdrLength(pbdrSub(upper, lower)) + node->radius;
}

static bool visitLeaves(const pbdrSphereTree* a, const pbdrTreeNode* nodeA, const pbdrTreePlace* placeA,
                        const pbdrSphereTree* b, const pbdrTreeNode* nodeB, const pbdrTreePlace* placeB,
                        double margin, pbdrTreePairVisit visit, void* context)
{
    for (int i = nodeA->second; i < nodeA->second + nodeA->count; i++) {
        pbdrVec3 x = place(placeA, a->spheres[i].centre);
        for (int j = nodeB->second; j < nodeB->second + nodeB->count; j++) {
            pbdrVec3 apart = pbdrSub(x, place(placeB, b->spheres[j].centre));
            double reach = a->spheres[i].radius + b->spheres[j].radius + margin;
            if (reach >= 0.0 && pbdrDot(apart, apart) <= reach * reach && !visit(context, i, j)) {
                return false;
            }
        }
    }
    return true;
}

bool pbdrSphereTree_VisitPairs(const pbdrSphereTree* a, const pbdrTreePlace* placeA, const pbdrSphereTree* b,
                               const pbdrTreePlace* placeB, double margin, pbdrTreePairVisit visit,
                               void* context)
{
    int stack[4 * MAX_DEPTH][2], depth = 0;
    stack[depth][0] = stack[depth][1] = 0;
    depth++;
    while (depth > 0) {
        depth--;
        int indexA = stack[depth][0], indexB = stack[depth][1];
        const pbdrTreeNode *nodeA = &a->nodes[indexA], *nodeB = &b->nodes[indexB];
        pbdrVec3 centreA, centreB;
        double sizeA = boundNode(nodeA, placeA, &centreA), sizeB = boundNode(nodeB, placeB, &centreB);
        if (pbdrLength(pbdrSub(centreA, centreB)) > sizeA + sizeB + margin) {
            continue;
        }
        bool leafA = nodeA->count > 0, leafB = nodeB->count > 0;
        if (leafA && leafB) {
            if (!visitLeaves(a, nodeA, placeA, b, nodeB, placeB, margin, visit, context)) {
                return false;
            }
            continue;
        }
        // the larger one is opened
        bool openA = !leafA && (leafB || sizeA >= sizeB);
        int children[2] = {openA ? nodeA->second : nodeB->second, (openA ? indexA : indexB) + 1};
        for (int k = 0; k < 2; k++) {
            stack[depth][0] = openA ? children[k] : indexA;
            stack[depth][1] = openA ? indexB : children[k];
            depth++;
        }
    }
    return true;
}
