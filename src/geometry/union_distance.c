// Distance to a union of spheres, by a tree of boxes over their centres: no sphere of a node is closer than
// the distance to the box minus the node's largest radius.
#include "geometry/union_distance.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

#define LEAF_SPHERES 4
#define STACK_NODES 96 // as in triangle_tree.c

static double getKey(const pbdrUnionSphere* sphere, int axis)
{
    return axis == 0 ? sphere->centre.x : axis == 1 ? sphere->centre.y : sphere->centre.z;
}

// Puts the `middle` smallest keys first (Hoare's selection).
static void selectMedian(pbdrUnionSphere* spheres, int count, int middle, int axis)
{
    int first = 0, last = count - 1;
    while (first < last) {
        double pivot = getKey(&spheres[first + (last - first) / 2], axis);
        int i = first, j = last;
        while (i <= j) {
            while (getKey(&spheres[i], axis) < pivot) {
                i++;
            }
            while (getKey(&spheres[j], axis) > pivot) {
                j--;
            }
            if (i <= j) {
                pbdrUnionSphere kept = spheres[i];
                spheres[i++] = spheres[j];
                spheres[j--] = kept;
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

// Recursion as deep as the tree. Returns the node's index.
static int32_t buildNode(pbdrUnion* tree, int32_t first, int32_t count, int32_t* nodeCount)
{
    int32_t index = (*nodeCount)++;
    pbdrVec3 lower = tree->spheres[first].centre, upper = lower;
    double radius = 0.0;
    for (int32_t i = first; i < first + count; i++) {
        pbdrVec3 c = tree->spheres[i].centre;
        lower = pbdrVec(fmin(lower.x, c.x), fmin(lower.y, c.y), fmin(lower.z, c.z));
        upper = pbdrVec(fmax(upper.x, c.x), fmax(upper.y, c.y), fmax(upper.z, c.z));
        radius = fmax(radius, tree->spheres[i].radius);
    }
    int32_t right = 0;
    if (count > LEAF_SPHERES) {
        pbdrVec3 size = pbdrSub(upper, lower);
        int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        int32_t half = count / 2;
        selectMedian(tree->spheres + first, count, half, axis);
        buildNode(tree, first, half, nodeCount);
        right = buildNode(tree, first + half, count - half, nodeCount);
    }
    tree->nodes[index] = (pbdrUnionNode){lower, upper, radius, first, count, right};
    return index;
}

pbdrStatus pbdrCreateUnion(const pbdrSphereSet* set, const pbdrHooks* hooks, pbdrUnion* spheres,
                           pbdrError* error)
{
    memset(spheres, 0, sizeof *spheres);
    if (hooks != NULL) {
        spheres->hooks = *hooks;
    }
    spheres->count = set->count;
    spheres->spheres = pbdrAllocate(hooks, (size_t)set->count, sizeof *spheres->spheres);
    spheres->nodes = pbdrAllocate(hooks, (size_t)set->count, sizeof *spheres->nodes);
    if (spheres->spheres == NULL || spheres->nodes == NULL) {
        pbdrFreeUnion(spheres);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for a tree of %d spheres", set->count);
    }
    for (int i = 0; i < set->count; i++) {
        spheres->spheres[i] = (pbdrUnionSphere){set->positions[i], set->radii[i]};
    }
    int32_t nodeCount = 0;
    buildNode(spheres, 0, set->count, &nodeCount);
    return pbdr_statusOk;
}

void pbdrFreeUnion(pbdrUnion* spheres)
{
    pbdrHooks hooks = spheres->hooks;
    pbdrRelease(&hooks, spheres->spheres, (size_t)spheres->count, sizeof *spheres->spheres);
    pbdrRelease(&hooks, spheres->nodes, (size_t)spheres->count, sizeof *spheres->nodes);
    memset(spheres, 0, sizeof *spheres);
}

static double getBound(const pbdrUnionNode* node, pbdrVec3 p)
{
    double dx = fmax(fmax(node->lower.x - p.x, p.x - node->upper.x), 0.0);
    double dy = fmax(fmax(node->lower.y - p.y, p.y - node->upper.y), 0.0);
    double dz = fmax(fmax(node->lower.z - p.z, p.z - node->upper.z), 0.0);
    return sqrt(dx * dx + dy * dy + dz * dz) - node->radius;
}

double pbdrGetUnionDistance(const pbdrUnion* spheres, pbdrVec3 point)
{
    struct {
        int32_t node;
        double bound;
    } stack[STACK_NODES];
    int depth = 0;
    double best = INFINITY;
    stack[depth].node = 0;
    stack[depth++].bound = -INFINITY;
    while (depth > 0) {
        depth--;
        int32_t index = stack[depth].node;
        const pbdrUnionNode* node = &spheres->nodes[index];
        if (stack[depth].bound >= best) {
            continue;
        }
        if (node->right == 0) {
            for (int32_t i = node->first; i < node->first + node->count; i++) {
                const pbdrUnionSphere* sphere = &spheres->spheres[i];
                best = fmin(best, pbdrLength(pbdrSub(point, sphere->centre)) - sphere->radius);
            }
            continue;
        }
        double left = getBound(&spheres->nodes[index + 1], point);
        double right = getBound(&spheres->nodes[node->right], point);
        bool leftFirst = left <= right;
        stack[depth].node = leftFirst ? node->right : index + 1;
        stack[depth++].bound = leftFirst ? right : left;
        stack[depth].node = leftFirst ? index + 1 : node->right;
        stack[depth++].bound = leftFirst ? left : right;
    }
    return best;
}
