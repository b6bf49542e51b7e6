// Brent's root finder (Algorithms for Minimization without Derivatives, 1973, chapter 4), and Broyden's
// method for two unknowns.
#include "roots.h"

#include <math.h>

// Brent's method keeps three points: b the best, c on the other side of the zero, a the last b.
double benchFindRoot(BenchFunction f, void* context, double low, double fLow, double high, double fHigh,
                     double tiny)
{
    double a = low, fa = fLow, b = high, fb = fHigh, c = low, fc = fLow;
    double step = b - a, before = step;
    for (int k = 0; k < 200; k++) {
        if ((fb > 0.0) == (fc > 0.0)) {
            c = a, fc = fa;
            step = before = b - a;
        }
        if (fabs(fc) < fabs(fb)) {
            a = b, b = c, c = a;
            fa = fb, fb = fc, fc = fa;
        }
        double tolerance = 0.5e-15 * fabs(b) + 0.5 * tiny;
        double half = 0.5 * (c - b);
        if (fabs(half) <= tolerance || fb == 0.0) {
            break;
        }
        if (fabs(before) >= tolerance && fabs(fa) > fabs(fb)) {
            // Secant with two points, inverse quadratic interpolation with three.
            double s = fb / fa, p = 0.0, q = 0.0;
            if (a == c) {
                p = 2.0 * half * s;
                q = 1.0 - s;
            } else {
                double u = fa / fc, v = fb / fc;
                p = s * (2.0 * half * u * (u - v) - (b - a) * (v - 1.0));
                q = (u - 1.0) * (v - 1.0) * (s - 1.0);
            }
            q = p > 0.0 ? -q : q;
            p = fabs(p);
            bool good = 2.0 * p < fmin(3.0 * half * q - fabs(tolerance * q), fabs(before * q));
            before = good ? step : half;
            step = good ? p / q : half;
        } else {
            step = before = half;
        }
        a = b, fa = fb;
        b += fabs(step) > tolerance ? step : copysign(tolerance, half);
        fb = f(context, b);
    }
    return b;
}

// H += (dx - H df) (dx^T H)/(dx^T H df): the nearest H to the last one that maps df to dx.
static void learn(double h[2][2], const double dx[2], const double df[2])
{
    double hdf[2] = {h[0][0] * df[0] + h[0][1] * df[1], h[1][0] * df[0] + h[1][1] * df[1]};
    double row[2] = {dx[0] * h[0][0] + dx[1] * h[1][0], dx[0] * h[0][1] + dx[1] * h[1][1]};
    double length = dx[0] * hdf[0] + dx[1] * hdf[1];
    if (fabs(length) < 1.0e-300) {
        return;
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            h[i][j] += (dx[i] - hdf[i]) * row[j] / length;
        }
    }
}

// Broyden's method for F(x) = g(x) - x.
static bool iterate(BenchPairMap g, void* context, BenchFixedPoint* point, double tolerance)
{
    double image[2], *x = point->x;
    double(*h)[2] = point->inverse;
    if (!g(context, x, image)) {
        return false;
    }
    double f[2] = {image[0] - x[0], image[1] - x[1]};
    for (int k = 0; k < 30; k++) {
        if (fabs(f[0]) + fabs(f[1]) <= tolerance) {
            return true;
        }
        double dx[2] = {-(h[0][0] * f[0] + h[0][1] * f[1]), -(h[1][0] * f[0] + h[1][1] * f[1])};
        double next[2] = {x[0] + dx[0], x[1] + dx[1]};
        if (!g(context, next, image)) {
            return false;
        }
        double fNext[2] = {image[0] - next[0], image[1] - next[1]};
        double df[2] = {fNext[0] - f[0], fNext[1] - f[1]};
        learn(h, dx, df);
        x[0] = next[0], x[1] = next[1];
        f[0] = fNext[0], f[1] = fNext[1];
    }
    return false;
}

// What was learnt before saves most of the calls. If it misleads, it starts afresh from H = -1, where the
// first step is x = g(x) and a linear g is solved in four; a plain iteration would need 30 for a push at mid
// height.
bool benchFindFixedPoint(BenchPairMap g, void* context, BenchFixedPoint* point, double tolerance)
{
    BenchFixedPoint before = *point;
    if (point->known && iterate(g, context, point, tolerance)) {
        return true;
    }
    *point = (BenchFixedPoint){.x = {before.x[0], before.x[1]}, .inverse = {{-1.0, 0.0}, {0.0, -1.0}}};
    point->known = iterate(g, context, point, tolerance);
    if (!point->known) {
        *point = before;
        point->known = false;
    }
    return point->known;
}
