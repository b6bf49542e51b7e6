// Loads under a pressure that falls off to one side, linearly, down to zero where the base lifts off.
//
// With (x, y) = r - c as in base_load.c and pressure P + gx x + gy y (P at c), the load needs the integrals
// of x/rho, y/rho (homogeneous of degree 0), x^2/rho, xy/rho, y^2/rho (1) and x rho, y rho (2) over the
// polygon that carries. For a function F of degree d, div(r F) = (d + 2) F, so an integral over the polygon
// is a sum over its edges,
//
//   integral F dA = sum over edges of h/(d + 2) integral F dt,    r = h nu + t e,  rho = sqrt(h^2 + t^2)
//
// with h the edge's distance from c, nu its outer normal, e its direction: closed forms in rho and
// asinh(t/|h|). No cells.
#include "base_load.h"

#include <math.h>

typedef struct Integrals {
    double x, y;       // of x/rho, y/rho
    double xx, xy, yy; // of x^2/rho, ...
    double xr, yr;     // of x rho, y rho
} Integrals;

static void addEdge(Integrals* sum, double x1, double y1, double x2, double y2)
{
    double length = hypot(x2 - x1, y2 - y1);
    if (length == 0.0) {
        return;
    }
    double ex = (x2 - x1) / length, ey = (y2 - y1) / length, nx = ey, ny = -ex;
    double h = x1 * nx + y1 * ny, t1 = x1 * ex + y1 * ey, t2 = x2 * ex + y2 * ey;
    if (fabs(h) < 1.0e-100) {
        return; // every term goes to 0 with h
    }
    double rho1 = sqrt(h * h + t1 * t1), rho2 = sqrt(h * h + t2 * t2);
    // Integrals along the edge of 1/rho, t/rho, t^2/rho, rho, t rho.
    double i0 = asinh(t2 / fabs(h)) - asinh(t1 / fabs(h));
    double i1 = rho2 - rho1;
    double half = 0.5 * (t2 * rho2 - t1 * rho1);
    double i2 = half - 0.5 * h * h * i0;
    double r0 = half + 0.5 * h * h * i0;
    double r1 = (rho2 * rho2 * rho2 - rho1 * rho1 * rho1) / 3.0;
    sum->x += h / 2.0 * (h * nx * i0 + ex * i1);
    sum->y += h / 2.0 * (h * ny * i0 + ey * i1);
    sum->xx += h / 3.0 * (h * h * nx * nx * i0 + 2.0 * h * nx * ex * i1 + ex * ex * i2);
    sum->xy += h / 3.0 * (h * h * nx * ny * i0 + h * (nx * ey + ny * ex) * i1 + ex * ey * i2);
    sum->yy += h / 3.0 * (h * h * ny * ny * i0 + 2.0 * h * ny * ey * i1 + ey * ey * i2);
    sum->xr += h / 4.0 * (h * nx * r0 + ex * r1);
    sum->yr += h / 4.0 * (h * ny * r0 + ey * r1);
}

BenchWrench benchSumEdges(double a, const BenchPressure* pressure, BenchTwist v)
{
    double cx = -v.y / v.w, cy = v.x / v.w;
    Integrals sum = {0};
    for (int k = 0; k < pressure->count; k++) {
        const double *from = pressure->corners[k], *to = pressure->corners[(k + 1) % pressure->count];
        addEdge(&sum, from[0] - cx, from[1] - cy, to[0] - cx, to[1] - cy);
    }
    double gx = pressure->kx / a, gy = pressure->ky / a, p = pressure->k0 + gx * cx + gy * cy;
    double k = copysign(0.25 / (a * a), v.w);
    double fx = -k * (p * sum.y + gx * sum.xy + gy * sum.yy);
    double fy = k * (p * sum.x + gx * sum.xx + gy * sum.xy);
    double m = k * (p * (sum.xx + sum.yy) + gx * sum.xr + gy * sum.yr);
    return (BenchWrench){fx, fy, m + cx * fy - cy * fx};
}

// Gauss' rule in s and t over the triangle o + s (b - o) + s t (c - b), whose area element is s times twice
// its area.
static void addTriangle(BenchWrench* load, double a, const BenchPressure* pressure, BenchTwist v,
                        const double* o, const double* b, const double* c)
{
    double twice = (b[0] - o[0]) * (c[1] - o[1]) - (b[1] - o[1]) * (c[0] - o[0]);
    for (int i = 0; i < 2 * BENCH_GAUSS_HALF; i++) {
        double s = 0.5 * (1.0 + (i & 1 ? 1.0 : -1.0) * benchGaussNodes[i / 2]);
        for (int j = 0; j < 2 * BENCH_GAUSS_HALF; j++) {
            double t = 0.5 * (1.0 + (j & 1 ? 1.0 : -1.0) * benchGaussNodes[j / 2]);
            double x = o[0] + s * (b[0] - o[0]) + s * t * (c[0] - b[0]);
            double y = o[1] + s * (b[1] - o[1]) + s * t * (c[1] - b[1]);
            double ux = v.x - v.w * y, uy = v.y + v.w * x;
            double p = pressure->k0 + (pressure->kx * x + pressure->ky * y) / a;
            double area =
                0.25 * benchGaussWeights[i / 2] * benchGaussWeights[j / 2] * s * twice / (4.0 * a * a);
            double weight = p * area / sqrt(ux * ux + uy * uy);
            load->x += weight * ux;
            load->y += weight * uy;
            load->m += weight * (x * uy - y * ux);
        }
    }
}

BenchWrench benchSumTriangles(double a, const BenchPressure* pressure, BenchTwist v)
{
    BenchWrench load = {0.0, 0.0, 0.0};
    for (int k = 1; k + 1 < pressure->count; k++) {
        addTriangle(&load, a, pressure, v, pressure->corners[0], pressure->corners[k],
                    pressure->corners[k + 1]);
    }
    return load;
}
