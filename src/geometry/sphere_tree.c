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

typedef struct Entry {
    int32_t node;
    double bound; // on all that the node has to offer
} Entry;

// Puts a node's children on the stack, the better one on top.
static int pushChildren(Entry* stack, int depth, int32_t index, int32_t secondChild, double first,
                        double second)
{
    const bool firstBetter = first <= second;
    stack[depth++] = firstBetter ? (Entry){secondChild, second} : (Entry){index + 1, first};
    stack[depth++] = firstBetter ? (Entry){index + 1, first} : (Entry){secondChild, second};
    return depth;
}

int pbdrSphereTree_FindNearest(const pbdrSphereTree* tree, pbdrVec3 point, double farthest, double* distance)
{
    Entry stack[MAX_DEPTH];
    int depth = 0, found = -1;
    double best = farthest;
    stack[depth++] = (Entry){0, getBound(&tree->nodes[0], point)};
    while (depth > 0) {
        const Entry entry = stack[--depth];
        const pbdrTreeNode* node = &tree->nodes[entry.node];
        if (found >= 0 ? entry.bound >= best : entry.bound > best) {
            continue;
        }
        for (int32_t i = node->second; i < node->second + node->count; i++) {
            const pbdrTreeSphere* sphere = &tree->spheres[i];
            const double here = pbdrLength(pbdrSub(point, sphere->centre)) - sphere->radius;
            if (found >= 0 ? here < best : here <= best) {
                best = here;
                found = i;
            }
        }
        if (node->count == 0) {
            depth = pushChildren(stack, depth, entry.node, node->second,
                                 getBound(&tree->nodes[entry.node + 1], point),
                                 getBound(&tree->nodes[node->second], point));
        }
    }
    *distance = best;
    return found;
}

double pbdrSphereTree_GetDistance(const pbdrSphereTree* tree, pbdrVec3 point)
{
    double distance;
    pbdrSphereTree_FindNearest(tree, point, HUGE_VAL, &distance);
    return distance;
}

// --- Rays ---

// Where a ray enters a node's box, grown by the radius; HUGE_VAL if it does not. No sphere is hit before.
static double getEntry(const pbdrTreeNode* node, const double origin[3], const double direction[3])
{
    // grown by rounding too: this may find a box that is missed, never miss one that is hit
    double enter = 0.0, leave = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        const double size = fmax(fabs(node->lower[k]), fabs(node->upper[k])) + fabs(origin[k]);
        const double grow = node->radius + 1.0e-14 * (size + node->radius);
        const double low = node->lower[k] - grow - origin[k], high = node->upper[k] + grow - origin[k];
        if (direction[k] == 0.0) {
            leave = low <= 0.0 && high >= 0.0 ? leave : -1.0;
            continue;
        }
        const double a = low / direction[k], b = high / direction[k];
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
    }
    return enter <= leave * (1.0 + 1.0e-14) ? enter * (1.0 - 1.0e-14) : HUGE_VAL;
}

// Where a ray from outside enters a sphere, 0 from inside; HUGE_VAL if it does not.
static double castOnSphere(const pbdrTreeSphere* sphere, pbdrVec3 origin, pbdrVec3 direction)
{
    const pbdrVec3 to = pbdrSub(sphere->centre, origin);
    const double along = pbdrDot(to, direction), radius = sphere->radius;
    if (pbdrDot(to, to) <= radius * radius) {
        return 0.0;
    }
    // the part across is small where the sphere is hit: its square loses less than |to|^2 - along^2 would
    const pbdrVec3 across = pbdrAddScaled(to, -along, direction);
    const double square = radius * radius - pbdrDot(across, across);
    return along > 0.0 && square >= 0.0 ? fmax(along - sqrt(square), 0.0) : HUGE_VAL;
}

int pbdrSphereTree_CastRay(const pbdrSphereTree* tree, pbdrVec3 origin, pbdrVec3 direction, double farthest,
                           double* distance)
{
    const double o[3] = {origin.x, origin.y, origin.z}, d[3] = {direction.x, direction.y, direction.z};
    Entry stack[MAX_DEPTH];
    int depth = 0, found = -1;
    double best = farthest;
    stack[depth++] = (Entry){0, getEntry(&tree->nodes[0], o, d)};
    while (depth > 0) {
        const Entry entry = stack[--depth];
        const pbdrTreeNode* node = &tree->nodes[entry.node];
        if (entry.bound == HUGE_VAL || entry.bound > best) {
            continue;
        }
        for (int32_t i = node->second; i < node->second + node->count; i++) {
            const double here = castOnSphere(&tree->spheres[i], origin, direction);
            if (here < HUGE_VAL && (found >= 0 ? here < best : here <= best)) {
                best = here;
                found = i;
            }
        }
        if (node->count == 0) {
            depth = pushChildren(stack, depth, entry.node, node->second,
                                 getEntry(&tree->nodes[entry.node + 1], o, d),
                                 getEntry(&tree->nodes[node->second], o, d));
        }
    }
    *distance = best;
    return found;
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
