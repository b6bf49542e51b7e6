// What it takes to move a box over the floor: the load that balances dry friction under its base.
//
//   f = integral p u/|u|,  m = integral p (X uy - Y ux)/|u|,  u = (vx - w Y, vy + w X)
//
// in units of mu M g, p being the pressure over its mean and the integral a mean over the base. (f, m) is the
// gradient of the dissipated power by (v, w). Axes are the box's, with the pushed face at x = -a.
#ifndef PBDR_BENCH_REFERENCE_BASE_LOAD_H
#define PBDR_BENCH_REFERENCE_BASE_LOAD_H

#include "pushing.h"

typedef struct BenchTwist {
    double x, y; // of the centre [m/s]
    double w;    // [rad/s]
} BenchTwist;

typedef struct BenchWrench {
    double x, y; // force over mu M g
    double m;    // moment about the centre over mu M g [m]
} BenchWrench;

typedef struct BenchBase {
    BenchSupport support;
    double a;         // half side [m]
    int n;            // points per axis
    double reach;     // outermost point's coordinate [m]
    bool lattice;     // points on an edge carry a half, at a corner a quarter
    double smoothing; // points: creep below this share of the speed, which makes the load continuous
} BenchBase;

// p = max(0, k0 + kx X/a + ky Y/a) over its mean. On the continuous base, count > 0 corners bound where p >
// 0.
typedef struct BenchPressure {
    double k0, kx, ky;
    int count; // 0: even pressure
    double corners[5][2];
} BenchPressure;

static inline BenchPressure benchEvenPressure(void)
{
    return (BenchPressure){.k0 = 1.0};
}

// The i, j-th point's share of an even load; all of them sum to 1.
static inline double benchGetPointShare(const BenchBase* base, int i, int j)
{
    int last = base->n - 1;
    if (!base->lattice) {
        return 1.0 / ((double)base->n * base->n);
    }
    double share = (i == 0 || i == last ? 0.5 : 1.0) * (j == 0 || j == last ? 0.5 : 1.0);
    return share / ((double)last * last);
}

// Zero for a box at rest.
BenchWrench benchGetLoad(const BenchBase* base, const BenchPressure* pressure, BenchTwist v);

// The pressure with its centre at (x, y) [m]. False if the base cannot carry that: the box tips over.
bool benchFindPressure(const BenchBase* base, double x, double y, BenchPressure* pressure);

// The two ways to the uniform base's load: exact unless the centre of rotation is far away, exact only if it
// is.
BenchWrench benchSumCorners(double a, BenchTwist v);
BenchWrench benchSumGauss(double a, BenchTwist v);

// The same for a tilted pressure on the continuous base.
BenchWrench benchSumEdges(double a, const BenchPressure* pressure, BenchTwist v);
BenchWrench benchSumTriangles(double a, const BenchPressure* pressure, BenchTwist v);

// Whether the centre of rotation is so far away that the closed forms lose digits and Gauss' sums are exact:
// its distance from the middle, along an axis, is above 4a.
static inline bool benchIsFar(double a, BenchTwist v)
{
    double x = v.x < 0.0 ? -v.x : v.x, y = v.y < 0.0 ? -v.y : v.y, w = v.w < 0.0 ? -v.w : v.w;
    return (x > y ? x : y) > 4.0 * a * w;
}

// Nodes and weights of Gauss' rule with ten points on [-1, 1]: the positive half.
#define BENCH_GAUSS_HALF 5
extern const double benchGaussNodes[BENCH_GAUSS_HALF];
extern const double benchGaussWeights[BENCH_GAUSS_HALF];

#endif
