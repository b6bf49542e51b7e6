// Loads of the even base, of point supports and of the ellipsoid.
//
// With the centre of rotation c = (-vy/w, vx/w) and (x, y) = r - c, u/|u| = sgn(w) (-y, x)/rho. The integrals
// of x/rho, y/rho and rho over a rectangle are signed sums over its corners of
//
//   Hx = (y rho + x^2 asinh(y/|x|))/2,   Hy = (x rho + y^2 asinh(x/|y|))/2,   (x Hx + y Hy)/3
//
// which hold with c inside, on an edge or at a corner.
#include "base_load.h"

#include <math.h>

const double benchGaussNodes[BENCH_GAUSS_HALF] = {
    0.14887433898163122, 0.43339539412924719, 0.67940956829902441, 0.86506336668898451, 0.97390652851717172};
const double benchGaussWeights[BENCH_GAUSS_HALF] = {
    0.29552422471475287, 0.26926671930999636, 0.21908636251598204, 0.14945134915058059, 0.06667134430868814};

BenchWrench benchSumCorners(double a, BenchTwist v)
{
    double cx = -v.y / v.w, cy = v.x / v.w;
    double bx = 0.0, by = 0.0, s = 0.0;
    for (int k = 0; k < 4; k++) {
        double x = (k & 1 ? a : -a) - cx, y = (k & 2 ? a : -a) - cy;
        double sign = (k & 1) == (k >> 1) ? 1.0 : -1.0;
        double rho = sqrt(x * x + y * y);
        // x^2 asinh(y/|x|) goes to 0 with x.
        double hx = 0.5 * (y * rho + (x != 0.0 ? x * x * asinh(y / fabs(x)) : 0.0));
        double hy = 0.5 * (x * rho + (y != 0.0 ? y * y * asinh(x / fabs(y)) : 0.0));
        bx += sign * hx;
        by += sign * hy;
        s += sign * (x * hx + y * hy) / 3.0;
    }
    double k = copysign(0.25 / (a * a), v.w);
    return (BenchWrench){-k * by, k * bx, k * (s + cx * bx + cy * by)};
}

// Far from c the integrand is smooth: its nearest singularity, 3a off the base, bounds the error by (3 + sqrt
// 10)^-20 = 2e-16.
BenchWrench benchSumGauss(double a, BenchTwist v)
{
    BenchWrench load = {0.0, 0.0, 0.0};
    for (int i = 0; i < 2 * BENCH_GAUSS_HALF; i++) {
        double x = (i & 1 ? a : -a) * benchGaussNodes[i / 2];
        for (int j = 0; j < 2 * BENCH_GAUSS_HALF; j++) {
            double y = (j & 1 ? a : -a) * benchGaussNodes[j / 2];
            double ux = v.x - v.w * y, uy = v.y + v.w * x;
            double weight =
                0.25 * benchGaussWeights[i / 2] * benchGaussWeights[j / 2] / sqrt(ux * ux + uy * uy);
            load.x += weight * ux;
            load.y += weight * uy;
            load.m += weight * (x * uy - y * ux);
        }
    }
    return load;
}

// u/sqrt(u^2 + eps^2) instead of u/|u|: while the box pivots on one of its points, that point's share of the
// load may be anything up to its friction, and the creep below eps finds which.
static BenchWrench sumPoints(const BenchBase* base, const BenchPressure* pressure, BenchTwist v)
{
    BenchWrench load = {0.0, 0.0, 0.0};
    double eps = base->smoothing * (fabs(v.x) + fabs(v.y) + base->a * fabs(v.w));
    const BenchPointShares shares = benchGetPointShares(base);
    double spacing = 2.0 * base->reach / (base->n - 1);
    for (int i = 0; i < base->n; i++) {
        double x = spacing * i - base->reach;
        for (int j = 0; j < base->n; j++) {
            double y = spacing * j - base->reach;
            double ux = v.x - v.w * y, uy = v.y + v.w * x;
            double p = pressure->k0 + (pressure->kx * x + pressure->ky * y) / base->a;
            double weight =
                benchGetPointShare(&shares, i, j) * fmax(p, 0.0) / sqrt(ux * ux + uy * uy + eps * eps);
            load.x += weight * ux;
            load.y += weight * uy;
            load.m += weight * (x * uy - y * ux);
        }
    }
    return load;
}

// Semi-axes 1, 1 and c: c is the moment, over mu M g, that turns the even base on the spot, its mean distance
// from the middle.
static BenchWrench getEllipsoid(double a, BenchTwist v)
{
    double c = a * (sqrt(2.0) + asinh(1.0)) / 3.0;
    double power = sqrt(v.x * v.x + v.y * v.y + c * c * v.w * v.w);
    return (BenchWrench){v.x / power, v.y / power, c * c * v.w / power};
}

BenchWrench benchGetLoad(const BenchBase* base, const BenchPressure* pressure, BenchTwist v)
{
    if (v.x == 0.0 && v.y == 0.0 && v.w == 0.0) {
        return (BenchWrench){0.0, 0.0, 0.0};
    }
    bool far = benchIsFar(base->a, v);
    switch (base->support) {
    case benchSupportPoints:
        return sumPoints(base, pressure, v);
    case benchSupportEllipsoid:
        return getEllipsoid(base->a, v);
    case benchSupportUniform:
        break;
    }
    if (pressure->count == 0) {
        return far ? benchSumGauss(base->a, v) : benchSumCorners(base->a, v);
    }
    return far ? benchSumTriangles(base->a, pressure, v) : benchSumEdges(base->a, pressure, v);
}
