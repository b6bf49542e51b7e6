// Vectors of the kernel, for the C compiler and for nvcc. Sums have a fixed order, and neither compiler may contract a
// product and a sum (-ffp-contract=off, -fmad=false): host and device have the same bits.
#ifndef PBDR_GPU_KERNEL_MATH_H
#define PBDR_GPU_KERNEL_MATH_H

#include "math/series.h"

#include <stdint.h>

#ifdef __CUDACC__
#define FN static __device__ __forceinline__
#define RARE static __device__ __noinline__
#define UNROLL _Pragma("unroll")
#define ROLL _Pragma("unroll 1")
// Where pointers lead, which the compiler loses sight of: a world's numbers, and the spheres.
#define KNOW_PLACES(values, spheres)                                                                         \
    do {                                                                                                     \
        __builtin_assume(__isGlobal(values));                                                                \
        __builtin_assume(__isShared(spheres));                                                               \
    } while (0)
// All threads that leave a loop go on from here together, however long each was in it. The compiler must not know what
// the number is: it would let those that leave with another one go their own ways, and the rest with each of them.
#define MEET(number) asm volatile("" : "+r"(number))
#else
#include <math.h>
#include <string.h>
#define FN static inline
#define RARE static inline
#define UNROLL
#define ROLL
#define KNOW_PLACES(values, spheres)
#define MEET(number)
#endif

typedef struct Vec {
    double x, y, z;
} Vec;

typedef struct Quat {
    double w, x, y, z;
} Quat;

typedef struct Mat {
    Vec r[3]; // rows
} Mat;

// A rigid displacement or its dual.
typedef struct Twist {
    Vec u, w; // linear, angular
} Twist;

FN Vec vec(double x, double y, double z)
{
    Vec a;
    a.x = x;
    a.y = y;
    a.z = z;
    return a;
}

FN Vec add(Vec a, Vec b)
{
    return vec(a.x + b.x, a.y + b.y, a.z + b.z);
}

FN Vec sub(Vec a, Vec b)
{
    return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}

FN Vec scale(double s, Vec a)
{
    return vec(s * a.x, s * a.y, s * a.z);
}

// a + s b
FN Vec addScaled(Vec a, double s, Vec b)
{
    return vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

FN double dot(Vec a, Vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

FN Vec cross(Vec a, Vec b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

FN double length(Vec a)
{
    return sqrt(dot(a, a));
}

FN double least(double a, double b)
{
    return a < b ? a : b;
}

FN double most(double a, double b)
{
    return a > b ? a : b;
}

FN double size(double a)
{
    return fabs(a);
}

// A number's bits, and back.
FN uint64_t getBits(double a)
{
#ifdef __CUDACC__
    return (uint64_t)__double_as_longlong(a);
#else
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
#endif
}

FN double fromBits(uint64_t bits)
{
#ifdef __CUDACC__
    return __longlong_as_double((long long)bits);
#else
    double a;
    memcpy(&a, &bits, sizeof a);
    return a;
#endif
}

// 1/sqrt(a) to an ulp or two, by four Newton steps from a guess of its bits; a large number for 0. A third of what a root
// and a quotient take on the device, and without their branches.
FN double inverseRoot(double a)
{
    const double half = 0.5 * a;
    double y = fromBits(0x5fe6eb50c7b537a9u - (getBits(a) >> 1));
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    y *= 1.5 - half * y * y;
    return y;
}

FN Vec mulMV(const Mat* a, Vec v)
{
    return vec(dot(a->r[0], v), dot(a->r[1], v), dot(a->r[2], v));
}

// A^T v
FN Vec mulTMV(const Mat* a, Vec v)
{
    return vec(a->r[0].x * v.x + a->r[1].x * v.y + a->r[2].x * v.z,
               a->r[0].y * v.x + a->r[1].y * v.y + a->r[2].y * v.z,
               a->r[0].z * v.x + a->r[1].z * v.y + a->r[2].z * v.z);
}

FN Mat mulMM(const Mat* a, const Mat* b)
{
    Mat c;
    UNROLL
    for (int i = 0; i < 3; i++) {
        c.r[i] = mulTMV(b, a->r[i]); // a row times B
    }
    return c;
}

// R B R^T
FN Mat turnTensor(const Mat* r, const Mat* b)
{
    const Mat rb = mulMM(r, b);
    Mat c;
    UNROLL
    for (int i = 0; i < 3; i++) {
        c.r[i] = vec(dot(rb.r[i], r->r[0]), dot(rb.r[i], r->r[1]), dot(rb.r[i], r->r[2]));
    }
    return c;
}

FN Mat scaleM(double s, const double m[3][3])
{
    Mat a;
    UNROLL
    for (int i = 0; i < 3; i++) {
        a.r[i] = vec(s * m[i][0], s * m[i][1], s * m[i][2]);
    }
    return a;
}

FN Mat readM(const double m[3][3])
{
    Mat a;
    UNROLL
    for (int i = 0; i < 3; i++) {
        a.r[i] = vec(m[i][0], m[i][1], m[i][2]);
    }
    return a;
}

FN Quat quat(double w, double x, double y, double z)
{
    Quat q;
    q.w = w;
    q.x = x;
    q.y = y;
    q.z = z;
    return q;
}

FN Quat mulQQ(Quat a, Quat b)
{
    return quat(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

FN double lengthQ(Quat q)
{
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

FN Quat normalizeQ(Quat q)
{
    const double s = inverseRoot(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return quat(s * q.w, s * q.x, s * q.y, s * q.z);
}

FN Mat matFromQuat(Quat q)
{
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    Mat a;
    a.r[0] = vec(1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy));
    a.r[1] = vec(2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx));
    a.r[2] = vec(2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy));
    return a;
}

// The turn by |v| radians about v. Turns over a radian and a half are made of halves, up to 2^16 rad.
FN Quat quatFromVector(Vec v)
{
    double square = 0.25 * dot(v, v), whole = 0.5;
    int halvings = 0;
    while (square > 0.6 && halvings < 16) {
        square *= 0.25;
        whole *= 0.5;
        halvings++;
    }
    const double s = whole * pbdrSumSine(square);
    Quat q = quat(pbdrSumCosine(square), s * v.x, s * v.y, s * v.z);
    for (int k = 0; k < halvings; k++) {
        q = mulQQ(q, q);
    }
    return q;
}

FN Twist makeTwist(Vec u, Vec w)
{
    Twist a;
    a.u = u;
    a.w = w;
    return a;
}

FN Twist addTwist(Twist a, double s, Twist b)
{
    return makeTwist(addScaled(a.u, s, b.u), addScaled(a.w, s, b.w));
}

FN Twist scaleTwist(double s, Twist a)
{
    return makeTwist(scale(s, a.u), scale(s, a.w));
}

FN Twist noTwist(void)
{
    return makeTwist(vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 0.0));
}

// J y: what a lever's end moves by
FN Vec moveLever(Twist y, Vec r)
{
    return add(y.u, cross(y.w, r));
}

// A's motion less B's, as A's centre of mass sees it; between: A's centre less B's.
FN Twist subtractTwist(Twist a, Twist b, Vec between)
{
    return makeTwist(sub(a.u, add(b.u, cross(b.w, between))), sub(a.w, b.w));
}

// In another frame's axes, and back.
FN Twist turnTwist(const Mat* frame, Twist a)
{
    return makeTwist(mulMV(frame, a.u), mulMV(frame, a.w));
}

FN Twist turnTwistBack(const Mat* frame, Twist a)
{
    return makeTwist(mulTMV(frame, a.u), mulTMV(frame, a.w));
}

FN double getTwistAt(Twist a, int k)
{
    return k == 0 ? a.u.x : k == 1 ? a.u.y : k == 2 ? a.u.z : k == 3 ? a.w.x : k == 4 ? a.w.y : a.w.z;
}

// LU with row pivoting of a dense n x n matrix whose rows are `pitch` apart, in place, and the solution of one
// right-hand side. Returns 0 if it is singular.
RARE int solveDense(double* a, int pitch, int n, double* x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = size(a[i * pitch + k]) > size(a[best * pitch + k]) ? i : best;
        }
        const double pivot = a[best * pitch + k];
        if (!(size(pivot) > 0.0) || !(size(pivot) < 1.0e300)) {
            return 0;
        }
        if (best != k) {
            for (int j = k; j < n; j++) {
                const double swap = a[k * pitch + j];
                a[k * pitch + j] = a[best * pitch + j];
                a[best * pitch + j] = swap;
            }
            const double swap = x[k];
            x[k] = x[best];
            x[best] = swap;
        }
        const double inverse = 1.0 / pivot;
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i * pitch + k] * inverse;
            if (factor != 0.0) {
                for (int j = k + 1; j < n; j++) {
                    a[i * pitch + j] -= factor * a[k * pitch + j];
                }
                x[i] -= factor * x[k];
            }
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            x[i] -= a[i * pitch + j] * x[j];
        }
        x[i] /= a[i * pitch + i];
    }
    return 1;
}

// LU with row pivoting of a 6 x 6 matrix whose numbers stand in registers: all indices are known to the compiler, and a
// row that is larger than the one above it changes places with it. Returns which have, a bit each, for solveSix; -1 if
// the matrix is singular.
FN int factorSix(double a[36])
{
    int swaps = 0, bit = 0, good = 1;
    UNROLL
    for (int k = 0; k < 6; k++) {
        UNROLL
        for (int i = k + 1; i < 6; i++) {
            const int larger = size(a[6 * i + k]) > size(a[6 * k + k]);
            UNROLL
            for (int j = 0; j < 6; j++) {
                const double upper = a[6 * k + j], lower = a[6 * i + j];
                a[6 * k + j] = larger ? lower : upper;
                a[6 * i + j] = larger ? upper : lower;
            }
            swaps |= larger ? 1 << bit : 0;
            bit++;
        }
        good = good && size(a[7 * k]) > 0.0 && size(a[7 * k]) < 1.0e300;
        a[7 * k] = 1.0 / a[7 * k];
        UNROLL
        for (int i = k + 1; i < 6; i++) {
            const double factor = a[6 * i + k] * a[7 * k];
            a[6 * i + k] = factor;
            UNROLL
            for (int j = k + 1; j < 6; j++) {
                a[6 * i + j] -= factor * a[6 * k + j];
            }
        }
    }
    return good ? swaps : -1;
}

FN Twist solveSix(const double a[36], int swaps, Twist right)
{
    double x[6] = {right.u.x, right.u.y, right.u.z, right.w.x, right.w.y, right.w.z};
    int bit = 0;
    // the factors below the diagonal have changed places with their rows: so has all of the right-hand side, first
    UNROLL
    for (int k = 0; k < 6; k++) {
        UNROLL
        for (int i = k + 1; i < 6; i++) {
            const int larger = (swaps >> bit) & 1;
            const double upper = x[k], lower = x[i];
            x[k] = larger ? lower : upper;
            x[i] = larger ? upper : lower;
            bit++;
        }
    }
    UNROLL
    for (int i = 1; i < 6; i++) {
        UNROLL
        for (int j = 0; j < i; j++) {
            x[i] -= a[6 * i + j] * x[j];
        }
    }
    UNROLL
    for (int i = 5; i >= 0; i--) {
        UNROLL
        for (int j = i + 1; j < 6; j++) {
            x[i] -= a[6 * i + j] * x[j];
        }
        x[i] *= a[7 * i];
    }
    return makeTwist(vec(x[0], x[1], x[2]), vec(x[3], x[4], x[5]));
}

#endif
