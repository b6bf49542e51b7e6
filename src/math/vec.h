// Vectors, 3x3 matrices and quaternions in double: what bodies need. Particles have their own arrays.
#ifndef PBDR_MATH_VEC_H
#define PBDR_MATH_VEC_H

#include "math/sine.h"
#include "pbdr/types.h"

#include <math.h>

#define PBDR_PI 3.14159265358979323846

static inline pbdrVec3 pbdrVec(double x, double y, double z)
{
    return (pbdrVec3){x, y, z};
}

static inline pbdrVec3 pbdrAdd(pbdrVec3 a, pbdrVec3 b)
{
    return (pbdrVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline pbdrVec3 pbdrSub(pbdrVec3 a, pbdrVec3 b)
{
    return (pbdrVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline pbdrVec3 pbdrScale(double s, pbdrVec3 a)
{
    return (pbdrVec3){s * a.x, s * a.y, s * a.z};
}

// a + s b
static inline pbdrVec3 pbdrAddScaled(pbdrVec3 a, double s, pbdrVec3 b)
{
    return (pbdrVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// As fmin and fmax where no argument is a NaN, without a call.
static inline double pbdrMin(double a, double b)
{
    return a < b ? a : b;
}

static inline double pbdrMax(double a, double b)
{
    return a > b ? a : b;
}

static inline double pbdrDot(pbdrVec3 a, pbdrVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline pbdrVec3 pbdrCross(pbdrVec3 a, pbdrVec3 b)
{
    return (pbdrVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double pbdrLength(pbdrVec3 a)
{
    return sqrt(pbdrDot(a, a));
}

static inline bool pbdrIsFiniteVec(pbdrVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline pbdrVec3 pbdrMulMV(const pbdrMat3* a, pbdrVec3 v)
{
    return (pbdrVec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                      a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                      a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

static inline pbdrMat3 pbdrMulMM(const pbdrMat3* a, const pbdrMat3* b)
{
    pbdrMat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return c;
}

static inline pbdrMat3 pbdrTranspose(const pbdrMat3* a)
{
    pbdrMat3 t;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            t.m[i][j] = a->m[j][i];
        }
    }
    return t;
}

// A^T v
static inline pbdrVec3 pbdrMulTransposedMV(const pbdrMat3* a, pbdrVec3 v)
{
    return (pbdrVec3){a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                      a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                      a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z};
}

// A + s B
static inline pbdrMat3 pbdrAddScaledMM(const pbdrMat3* a, double s, const pbdrMat3* b)
{
    pbdrMat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = a->m[i][j] + s * b->m[i][j];
        }
    }
    return c;
}

// [w]x A: the velocity that turning by w gives to the columns of A.
static inline pbdrMat3 pbdrCrossM(pbdrVec3 w, const pbdrMat3* a)
{
    const pbdrMat3 turn = {{{0.0, -w.z, w.y}, {w.z, 0.0, -w.x}, {-w.y, w.x, 0.0}}};
    return pbdrMulMM(&turn, a);
}

// R B R^T: a tensor's components after turning by R.
static inline pbdrMat3 pbdrTurnTensor(const pbdrMat3* r, const pbdrMat3* b)
{
    pbdrMat3 rb = pbdrMulMM(r, b);
    pbdrMat3 rt = pbdrTranspose(r);
    return pbdrMulMM(&rb, &rt);
}

// The inertia tensor of second moments sum m x x, ..., sum m y z.
static inline pbdrMat3 pbdrMakeInertia(double xx, double yy, double zz, double xy, double xz, double yz)
{
    return (pbdrMat3){{{yy + zz, -xy, -xz}, {-xy, xx + zz, -yz}, {-xz, -yz, xx + yy}}};
}

static inline pbdrQuat pbdrMulQQ(pbdrQuat a, pbdrQuat b)
{
    return (pbdrQuat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline pbdrQuat pbdrConjugate(pbdrQuat q)
{
    return (pbdrQuat){q.w, -q.x, -q.y, -q.z};
}

static inline double pbdrLengthQ(pbdrQuat q)
{
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

// Unit length; q must not be zero.
static inline pbdrQuat pbdrNormalizeQ(pbdrQuat q)
{
    double s = 1.0 / pbdrLengthQ(q);
    return (pbdrQuat){s * q.w, s * q.x, s * q.y, s * q.z};
}

// The rotation of a unit quaternion.
static inline pbdrMat3 pbdrMatFromQuat(pbdrQuat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (pbdrMat3){{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                       {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                       {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
}

// The turn by |v| radians about v: exp(v).
static inline pbdrQuat pbdrQuatFromVector(pbdrVec3 v)
{
    double sineOverHalf, cosine;
    pbdrSineAndCosine(0.5 * pbdrLength(v), &sineOverHalf, &cosine);
    double s = 0.5 * sineOverHalf;
    return (pbdrQuat){cosine, s * v.x, s * v.y, s * v.z};
}

// The shorter turn of a unit quaternion as a vector: its logarithm, the inverse of pbdrQuatFromVector up to
// pi rad.
static inline pbdrVec3 pbdrVectorFromQuat(pbdrQuat q)
{
    pbdrVec3 v = {q.x, q.y, q.z};
    double sine = pbdrLength(v), cosine = fabs(q.w);
    if (sine == 0.0) {
        return (pbdrVec3){0.0, 0.0, 0.0};
    }
    // sin h / cos h = sine / cosine for h in [0, pi/2]. h - sin(h - h*) leaves the sixth part of an error's
    // cube: a start within 0.08 is good to 1e-4, then to 1e-13, then to rounding.
    double h = 0.5 * PBDR_PI * sine / (sine + cosine);
    for (int k = 0; k < 4; k++) {
        double sineOverH, cosineH;
        pbdrSineAndCosine(h, &sineOverH, &cosineH);
        h -= (sineOverH * h * cosine - cosineH * sine) / sqrt(sine * sine + cosine * cosine);
    }
    return pbdrScale((q.w < 0.0 ? -2.0 : 2.0) * h / sine, v);
}

#endif
