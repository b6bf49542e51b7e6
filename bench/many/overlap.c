// How deep bodies are in each other, from their poses alone: what a solver says of its own contacts leaves out what it
// did not see. Boxes as boxes, balls, capsules; or all of them as spheres.
//
//   boxes: the least overlap of their shadows on 15 axes, the faces' normals and the products of edges (Gottschalk et
//          al. 1996). Where it is positive on all of them they are that deep in each other.
#include "many/many.h"

#include "vec.h"

#include <float.h>
#include <stdlib.h>

typedef struct Place {
    int body;
    double low, high; // along x [m]
} Place;

static int comparePlaces(const void* a, const void* b)
{
    const Place *p = a, *q = b;
    return p->low != q->low ? (p->low > q->low) - (p->low < q->low) : p->body - q->body;
}

// --- Pairs; positive: deep in each other [m] ---

// Half a box's shadow on an axis.
static double getShadow(const pbdrMat3* turn, pbdrVec3 half, pbdrVec3 axis)
{
    const double(*m)[3] = turn->m;
    return half.x * fabs(m[0][0] * axis.x + m[1][0] * axis.y + m[2][0] * axis.z) +
           half.y * fabs(m[0][1] * axis.x + m[1][1] * axis.y + m[2][1] * axis.z) +
           half.z * fabs(m[0][2] * axis.x + m[1][2] * axis.y + m[2][2] * axis.z);
}

static pbdrVec3 getAxis(const pbdrMat3* turn, int k)
{
    return benchVec(turn->m[0][k], turn->m[1][k], turn->m[2][k]);
}

static double overlapBoxes(const ManyShape* a, const pbdrPose* poseA, const ManyShape* b,
                           const pbdrPose* poseB)
{
    const pbdrMat3 turnA = benchMatFromQuat(poseA->rotation), turnB = benchMatFromQuat(poseB->rotation);
    const pbdrVec3 apart = benchSub(poseB->position, poseA->position);
    double least = DBL_MAX;
    for (int k = 0; k < 15 && least > 0.0; k++) {
        pbdrVec3 axis = k < 3   ? getAxis(&turnA, k)
                        : k < 6 ? getAxis(&turnB, k - 3)
                                : benchCross(getAxis(&turnA, (k - 6) / 3), getAxis(&turnB, (k - 6) % 3));
        const double length = benchLength(axis);
        if (length < 1.0e-6) {
            continue; // edges that are parallel: the faces' normals say it
        }
        axis = benchScale(1.0 / length, axis);
        const double depth =
            getShadow(&turnA, a->half, axis) + getShadow(&turnB, b->half, axis) - fabs(benchDot(apart, axis));
        least = fmin(least, depth);
    }
    return least;
}

static double overlapBallBox(const ManyShape* ball, const pbdrPose* poseA, const ManyShape* box,
                             const pbdrPose* poseB)
{
    const pbdrVec3 x = benchUnrotate(poseB->rotation, benchSub(poseA->position, poseB->position));
    const pbdrVec3 out = {fabs(x.x) - box->half.x, fabs(x.y) - box->half.y, fabs(x.z) - box->half.z};
    const double inside = fmax(out.x, fmax(out.y, out.z));
    const double distance = benchLength(benchVec(fmax(out.x, 0.0), fmax(out.y, 0.0), fmax(out.z, 0.0)));
    return ball->radius - (inside > 0.0 ? distance : inside);
}

// Of two segments, c + s d with s from -1 to 1: the least is at the minimum of a square form, cut to the square.
static double overlapCapsules(const ManyShape* a, const pbdrPose* poseA, const ManyShape* b,
                              const pbdrPose* poseB)
{
    const pbdrVec3 d = benchRotate(poseA->rotation, benchVec(0.0, 0.0, a->half.z)),
                   e = benchRotate(poseB->rotation, benchVec(0.0, 0.0, b->half.z)),
                   r = benchSub(poseA->position, poseB->position);
    const double dd = benchDot(d, d), ee = benchDot(e, e), de = benchDot(d, e), dr = benchDot(d, r),
                 er = benchDot(e, r);
    const double bottom = dd * ee - de * de;
    double s = bottom > 1.0e-12 * dd * ee ? (de * er - dr * ee) / bottom : 0.0;
    s = fmin(fmax(s, -1.0), 1.0);
    double t = fmin(fmax((er + s * de) / ee, -1.0), 1.0);
    s = fmin(fmax((t * de - dr) / dd, -1.0), 1.0);
    const pbdrVec3 gap = benchAddScaled(benchAddScaled(r, s, d), -t, e);
    return a->radius + b->radius - benchLength(gap);
}

static double overlapShapes(const ManyShape* a, const pbdrPose* poseA, const ManyShape* b,
                            const pbdrPose* poseB)
{
    if (a->kind == manyBox && b->kind == manyBox) {
        return overlapBoxes(a, poseA, b, poseB);
    }
    if (a->kind == manyBall && b->kind == manyBall) {
        return a->radius + b->radius - benchLength(benchSub(poseA->position, poseB->position));
    }
    if (a->kind == manyCapsule && b->kind == manyCapsule) {
        return overlapCapsules(a, poseA, b, poseB);
    }
    if (a->kind == manyBall && b->kind == manyBox) {
        return overlapBallBox(a, poseA, b, poseB);
    }
    return a->kind == manyBox && b->kind == manyBall ? overlapBallBox(b, poseB, a, poseA) : (double)NAN;
}

static double overlapSpheres(const ManySpheres* a, const pbdrPose* poseA, const ManySpheres* b,
                             const pbdrPose* poseB, double reachB)
{
    const pbdrQuat turn = benchMulQQ(benchConjugate(poseB->rotation), poseA->rotation);
    const pbdrVec3 shift = benchUnrotate(poseB->rotation, benchSub(poseA->position, poseB->position));
    double deepest = -DBL_MAX;
    for (int i = 0; i < a->count; i++) {
        const pbdrVec3 x = benchAdd(benchRotate(turn, a->offsets[i]), shift); // in B's frame
        if (benchLength(x) > reachB + a->radii[i]) {
            continue;
        }
        for (int k = 0; k < b->count; k++) {
            const pbdrVec3 gap = benchSub(x, b->offsets[k]);
            const double sum = a->radii[i] + b->radii[k], square = benchDot(gap, gap);
            if (square < sum * sum) {
                deepest = fmax(deepest, sum - sqrt(square));
            }
        }
    }
    return deepest;
}

// --- The ground, z = 0 ---

static double overlapGround(const ManyShape* shape, const pbdrPose* pose)
{
    const pbdrMat3 turn = benchMatFromQuat(pose->rotation);
    const pbdrVec3 up = {0.0, 0.0, 1.0};
    switch (shape->kind) {
    case manyBox:
        return getShadow(&turn, shape->half, up) - pose->position.z;
    case manyBall:
        return shape->radius - pose->position.z;
    case manyCapsule:
        return shape->radius + shape->half.z * fabs(turn.m[2][2]) - pose->position.z;
    case manyConvex:
    case manyMesh:
        break;
    }
    return (double)NAN;
}

static double overlapGroundBySpheres(const ManySpheres* spheres, const pbdrPose* pose)
{
    double deepest = -DBL_MAX;
    for (int i = 0; i < spheres->count; i++) {
        const double height = pose->position.z + benchRotate(pose->rotation, spheres->offsets[i]).z;
        deepest = fmax(deepest, spheres->radii[i] - height);
    }
    return deepest;
}

// --- All ---

double manyMeasureOverlap(const ManyScene* scene, const pbdrPose* poses, const ManySpheres* spheres)
{
    Place* places = malloc(((size_t)scene->bodyCount + 1) * sizeof *places);
    double deepest = 0.0;
    if (places == NULL) {
        return (double)NAN;
    }
    for (int k = 0; k < scene->bodyCount; k++) {
        const ManyBody* body = &scene->bodies[k];
        const ManyShape* shape = &scene->shapes[body->shape];
        places[k] = (Place){k, poses[k].position.x - shape->reach, poses[k].position.x + shape->reach};
        if (scene->ground && !body->fixed) {
            const double depth = spheres != NULL ? overlapGroundBySpheres(&spheres[body->shape], &poses[k])
                                                 : overlapGround(shape, &poses[k]);
            deepest = depth <= deepest ? deepest : depth; // a NaN stays
        }
    }
    qsort(places, (size_t)scene->bodyCount, sizeof *places, comparePlaces);
    for (int i = 0; i < scene->bodyCount; i++) {
        for (int k = i + 1; k < scene->bodyCount && places[k].low <= places[i].high; k++) {
            const int a = places[i].body, b = places[k].body;
            const ManyShape *shapeA = &scene->shapes[scene->bodies[a].shape],
                            *shapeB = &scene->shapes[scene->bodies[b].shape];
            const double reach = shapeA->reach + shapeB->reach;
            const pbdrVec3 apart = benchSub(poses[a].position, poses[b].position);
            if ((scene->bodies[a].fixed && scene->bodies[b].fixed) ||
                benchDot(apart, apart) > reach * reach) {
                continue;
            }
            const double depth =
                spheres != NULL ? overlapSpheres(&spheres[scene->bodies[a].shape], &poses[a],
                                                 &spheres[scene->bodies[b].shape], &poses[b], shapeB->reach)
                                : overlapShapes(shapeA, &poses[a], shapeB, &poses[b]);
            deepest = depth <= deepest ? deepest : depth;
        }
    }
    free(places);
    return deepest;
}
