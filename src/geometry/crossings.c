// Crossings of a line along an axis with the triangles of a tree. Seen along the line, with the corners a, b,
// c relative to it, the line meets a triangle iff the three sides
//
//   a x b,   b x c,   c x a        (twice the signed areas of the line with each edge)
//
// have one sign: positive where the triangle faces along the axis, which is the way out. They are also the
// barycentric weights of the point where it does. Neighbours compute the same side of their common edge with
// opposite signs, to the last bit, so the line is never lost between two triangles; where a side is within
// its rounding (Shewchuk 1997, 4 eps of the products) the line is called undecided, and the caller takes
// another one.
#include "geometry/crossings.h"

#include "math/vec.h"

#include <float.h>
#include <stdlib.h>

#define STACK_NODES 96

// Rounding of a difference of two products of rounded differences.
#define SIDE_ROUNDING (4.0 * DBL_EPSILON)

static double getAxis(pbdrVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

typedef struct Line {
    pbdrVec3 point;
    int axis, across, beside; // the axis, and the two others in their order
    bool whole;               // not only from the point on
    pbdrCrossing* crossings;  // NULL: count only
    int found;                // crossings
    int sum;                  // of their directions
    uint64_t steps;
} Line;

static bool isMissed(const Line* line, const pbdrTriangleNode* node)
{
    double u = getAxis(line->point, line->across), v = getAxis(line->point, line->beside);
    return u < getAxis(node->lower, line->across) || u > getAxis(node->upper, line->across) ||
           v < getAxis(node->lower, line->beside) || v > getAxis(node->upper, line->beside) ||
           (!line->whole && getAxis(node->upper, line->axis) < getAxis(line->point, line->axis));
}

// False if undecided.
static bool crossTriangle(Line* line, const pbdrTriangle* triangle)
{
    double u[3], v[3], h[3], side[3], slack[3];
    bool left = false, right = false, close = false;
    for (int k = 0; k < 3; k++) {
        pbdrVec3 d = pbdrSub(triangle->corners[k], line->point);
        u[k] = getAxis(d, line->across);
        v[k] = getAxis(d, line->beside);
        h[k] = getAxis(d, line->axis);
    }
    if (!line->whole && h[0] < 0.0 && h[1] < 0.0 && h[2] < 0.0) {
        return true;
    }
    for (int k = 0; k < 3; k++) { // opposite corner k
        int a = (k + 1) % 3, b = (k + 2) % 3;
        double plus = u[a] * v[b], minus = v[a] * u[b];
        side[k] = plus - minus;
        slack[k] = SIDE_ROUNDING * (fabs(plus) + fabs(minus));
        left = left || side[k] > slack[k];
        right = right || side[k] < -slack[k];
        close = close || !(fabs(side[k]) > slack[k]);
    }
    if (left && right) {
        return true;
    }
    if (close) {
        return false;
    }
    double sum = 0.0, rise = 0.0, rounding = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += side[k];
        rise += side[k] * h[k];
        rounding += (slack[k] + SIDE_ROUNDING * fabs(side[k])) * fabs(h[k]);
    }
    if (!line->whole) {
        if (!(fabs(rise) > rounding)) {
            return false; // the point is on the facet
        }
        if ((rise > 0.0) != (sum > 0.0)) {
            return true; // below
        }
    }
    int32_t direction = sum > 0.0 ? 1 : -1;
    if (line->crossings != NULL) {
        line->crossings[line->found] =
            (pbdrCrossing){getAxis(line->point, line->axis) + rise / sum, direction};
    }
    line->found++;
    line->sum += direction;
    return true;
}

static bool crossTree(Line* line, const pbdrTriangleTree* tree)
{
    int32_t stack[STACK_NODES];
    int depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t index = stack[--depth];
        const pbdrTriangleNode* node = &tree->nodes[index];
        line->steps++;
        if (isMissed(line, node)) {
            continue;
        }
        if (node->right != 0) {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
            continue;
        }
        line->steps += (uint64_t)node->count;
        for (int32_t t = node->first; t < node->first + node->count; t++) {
            if (!crossTriangle(line, &tree->triangles[t])) {
                return false;
            }
        }
    }
    return true;
}

static Line makeLine(pbdrVec3 point, int axis)
{
    return (Line){.point = point, .axis = axis, .across = (axis + 1) % 3, .beside = (axis + 2) % 3};
}

bool pbdrCountCrossings(const pbdrTriangleTree* tree, pbdrVec3 point, int axis, int* count, uint64_t* steps)
{
    Line line = makeLine(point, axis);
    bool decided = crossTree(&line, tree);
    *count = line.sum;
    if (steps != NULL) {
        *steps += line.steps;
    }
    return decided;
}

static int compareCrossings(const void* a, const void* b)
{
    const pbdrCrossing *x = a, *y = b;
    if (x->height != y->height) {
        return x->height < y->height ? -1 : 1;
    }
    return x->direction - y->direction; // in before out
}

int pbdrFindCrossings(const pbdrTriangleTree* tree, pbdrVec3 point, int axis, pbdrCrossing* crossings,
                      uint64_t* steps)
{
    Line line = makeLine(point, axis);
    line.whole = true;
    line.crossings = crossings;
    bool decided = crossTree(&line, tree);
    if (steps != NULL) {
        *steps += line.steps;
    }
    if (!decided) {
        return -1;
    }
    qsort(crossings, (size_t)line.found, sizeof *crossings, compareCrossings);
    return line.found;
}

int pbdrGetClosedWinding(const pbdrTriangleTree* tree, pbdrVec3 point, int firstAxis, uint64_t* steps)
{
    int count;
    for (int k = 0; k < 3; k++) {
        if (pbdrCountCrossings(tree, point, (firstAxis + k) % 3, &count, steps)) {
            return count;
        }
    }
    if (steps != NULL) {
        *steps += (uint64_t)tree->triangleCount;
    }
    return (int)floor(pbdrGetTreeWinding(tree, point) + 0.5);
}
