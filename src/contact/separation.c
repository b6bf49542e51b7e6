// How far two bodies are apart at least, by the boxes around all that may touch (search.h).
//
// Two boxes are apart by  |t.n| - sum h_i |n.a_i| - sum h_j |n.b_j|  along a direction n, t being the way from one middle to
// the other, and by the largest of it in all directions. Tried are the normals of all faces and the direction across the
// longest sides of both, which is the one that counts for long rods (Gottschalk et al. 1996, without the other eight).
#include "contact/search.h"

#include <math.h>

// Sides that are nearly parallel have no direction across them.
#define PARALLEL 1.0e-3
// Rounding, with room to spare [m], over the sizes of bodies and the way between them.
#define ROUNDING 1.0e-12

// In world axes.
typedef struct Bounds {
    pbdrVec3 middle;
    double half[3];
    pbdrVec3 axes[3];
} Bounds;

// False where there is nothing to bound.
static bool findBounds(const pbdrBody* body, bool bySurface, Bounds* bounds)
{
    const pbdrShape* shape = body->shape;
    pbdrVec3 lower = shape->surface.lower, upper = shape->surface.upper;
    if (!bySurface || shape->surface.kind == pbdr_surfaceNone) {
        if (shape->tree.nodeCount == 0) {
            return false;
        }
        const pbdrTreeNode* root = &shape->tree.nodes[0];
        const double r = root->radius;
        lower = pbdrVec(root->lower[0] - r, root->lower[1] - r, root->lower[2] - r);
        upper = pbdrVec(root->upper[0] + r, root->upper[1] + r, root->upper[2] + r);
    }
    const pbdrVec3 half = pbdrScale(0.5, pbdrSub(upper, lower));
    bounds->middle = pbdrAdd(body->centre, pbdrMulMV(&body->frame, pbdrScale(0.5, pbdrAdd(lower, upper))));
    bounds->half[0] = half.x;
    bounds->half[1] = half.y;
    bounds->half[2] = half.z;
    for (int k = 0; k < 3; k++) {
        bounds->axes[k] = pbdrVec(body->frame.m[0][k], body->frame.m[1][k], body->frame.m[2][k]);
    }
    return true;
}

// How far a box reaches along a direction from its middle.
static double getExtent(const Bounds* bounds, pbdrVec3 n)
{
    return bounds->half[0] * fabs(pbdrDot(n, bounds->axes[0])) +
           bounds->half[1] * fabs(pbdrDot(n, bounds->axes[1])) +
           bounds->half[2] * fabs(pbdrDot(n, bounds->axes[2]));
}

static int findLongest(const Bounds* bounds)
{
    const int first = bounds->half[0] >= bounds->half[1] ? 0 : 1;
    return bounds->half[first] >= bounds->half[2] ? first : 2;
}

double pbdrGetSeparation(const pbdrBody* a, const pbdrBody* b, bool bySurface)
{
    Bounds first, second;
    if (!findBounds(a, bySurface, &first) || !findBounds(b, bySurface, &second)) {
        return 0.0;
    }
    const pbdrVec3 apart = pbdrSub(second.middle, first.middle);
    double most = 0.0;
    for (int k = 0; k < 3; k++) {
        most = pbdrMax(most, fabs(pbdrDot(apart, first.axes[k])) - first.half[k] -
                                 getExtent(&second, first.axes[k]));
        most = pbdrMax(most, fabs(pbdrDot(apart, second.axes[k])) - second.half[k] -
                                 getExtent(&first, second.axes[k]));
    }
    const pbdrVec3 across = pbdrCross(first.axes[findLongest(&first)], second.axes[findLongest(&second)]);
    const double length = pbdrLength(across);
    if (length > PARALLEL) {
        const double along =
            fabs(pbdrDot(apart, across)) - getExtent(&first, across) - getExtent(&second, across);
        most = pbdrMax(most, along / length);
    }
    return pbdrMax(0.0, most - ROUNDING * (1.0 + pbdrLength(a->centre) + pbdrLength(apart)));
}
