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
    bool lattice;     // points carry by a rule that is exact for X^2, as XPBD-R's box has it
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

// Shares of the points of a row that divide a side into `cells`, by a point's number from the nearer end (2: all
// further in): the shares sum to 1, and the mean of X^2 is the side's, a^2/3. Simpson's rule for two and three
// cells; for more, only the two outermost points at each end carry other than a cell's share. One cell cannot:
// its two points carry a half each.
static inline void benchGetRowShares(int cells, double shares[3])
{
    if (cells < 3) {
        shares[0] = cells == 1 ? 0.5 : 1.0 / 6.0;
        shares[1] = shares[2] = 4.0 / 6.0;
        return;
    }
    double first = 0.5 * cells, second = first - 1.0, inner = 0.0;
    for (int k = 2; k <= cells - 2; k++) {
        inner += (k - first) * (k - first);
    }
    double outermost = ((double)cells * cells * cells / 12.0 - inner - 3.0 * second * second) /
                       (2.0 * (first * first - second * second));
    shares[0] = outermost / cells;
    shares[1] = (1.5 - outermost) / cells;
    shares[2] = 1.0 / cells;
}

// Shares of an even load, by row and column from the nearer edge; over all points they sum to 1.
typedef struct BenchPointShares {
    int last; // row and column
    double at[3][3];
} BenchPointShares;

static inline BenchPointShares benchGetPointShares(const BenchBase* base)
{
    BenchPointShares shares = {.last = base->n - 1};
    double row[3] = {0.0};
    if (base->lattice) {
        benchGetRowShares(base->n - 1, row);
    }
    for (int k = 0; k < 9; k++) {
        shares.at[k / 3][k % 3] = base->lattice ? row[k / 3] * row[k % 3] : 1.0 / ((double)base->n * base->n);
    }
    return shares;
}

static inline double benchGetPointShare(const BenchPointShares* shares, int i, int j)
{
    int row = i < shares->last - i ? i : shares->last - i;
    int column = j < shares->last - j ? j : shares->last - j;
    return shares->at[row < 2 ? row : 2][column < 2 ? column : 2];
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
