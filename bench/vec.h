// Vectors, matrices and quaternions in double, as far as the benchmark needs them. For C and C++.
#ifndef PBDR_BENCH_VEC_H
#define PBDR_BENCH_VEC_H

#include "pbdr/types.h"

#include <math.h>

#define BENCH_PI 3.14159265358979323846

static inline pbdrVec3 benchVec(double x, double y, double z)
{
    pbdrVec3 v = {x, y, z};
    return v;
}

static inline pbdrVec3 benchAdd(pbdrVec3 a, pbdrVec3 b)
{
    return benchVec(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline pbdrVec3 benchSub(pbdrVec3 a, pbdrVec3 b)
{
    return benchVec(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline pbdrVec3 benchScale(double s, pbdrVec3 a)
{
    return benchVec(s * a.x, s * a.y, s * a.z);
}

// a + s b
static inline pbdrVec3 benchAddScaled(pbdrVec3 a, double s, pbdrVec3 b)
{
    return benchVec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline double benchDot(pbdrVec3 a, pbdrVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline pbdrVec3 benchCross(pbdrVec3 a, pbdrVec3 b)
{
    return benchVec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double benchLength(pbdrVec3 a)
{
    return sqrt(benchDot(a, a));
}

static inline pbdrVec3 benchMulMV(const pbdrMat3* a, pbdrVec3 v)
{
    return benchVec(a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                    a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                    a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z);
}

static inline pbdrMat3 benchMulMM(const pbdrMat3* a, const pbdrMat3* b)
{
    pbdrMat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}

// R B R^T: a tensor's components after turning by R.
static inline pbdrMat3 benchTurnTensor(const pbdrMat3* r, const pbdrMat3* b)
{
    pbdrMat3 rb = benchMulMM(r, b);
    pbdrMat3 rt;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            rt.m[i][j] = r->m[j][i];
        }
    }
    return benchMulMM(&rb, &rt);
}

static inline pbdrQuat benchMulQQ(pbdrQuat a, pbdrQuat b)
{
    pbdrQuat q = {
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return q;
}

static inline pbdrQuat benchConjugate(pbdrQuat q)
{
    pbdrQuat c = {q.w, -q.x, -q.y, -q.z};
    return c;
}

static inline double benchLengthQ(pbdrQuat q)
{
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

// Unit length; q must not be zero.
static inline pbdrQuat benchNormalizeQ(pbdrQuat q)
{
    double s = 1.0 / benchLengthQ(q);
    pbdrQuat unit = {s * q.w, s * q.x, s * q.y, s * q.z};
    return unit;
}

// The rotation of a unit quaternion.
static inline pbdrMat3 benchMatFromQuat(pbdrQuat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    pbdrMat3 m = {{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                   {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                   {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
    return m;
}

// v from body axes to world axes: v + 2 w (u x v) + 2 u x (u x v), q = (w, u).
static inline pbdrVec3 benchRotate(pbdrQuat q, pbdrVec3 v)
{
    pbdrVec3 u = benchVec(q.x, q.y, q.z), t = benchCross(u, v);
    return benchAddScaled(benchAddScaled(v, 2.0 * q.w, t), 2.0, benchCross(u, t));
}

static inline pbdrVec3 benchUnrotate(pbdrQuat q, pbdrVec3 v)
{
    return benchRotate(benchConjugate(q), v);
}

#endif
