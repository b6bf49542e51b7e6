// The pressure under a base that carries a load off its middle: max(0, k0 + kx X/a + ky Y/a), as under a
// stiff box on a foundation of springs that push but do not pull.
//
// k minimises  integral max(0, k.b)^2/2 - k.target,  b = (1, X/a, Y/a), target = (1, x/a, y/a): convex. Where
// the carrying part is known this is linear, A k = target with A = integral of b b^T over it; so Newton's
// method is to solve, find the part that then carries, and repeat. It halves its step while the residual does
// not fall.
#include "base_load.h"

#include <math.h>
#include <string.h>

// The part of the square where p > 0: one clip of four corners gives at most five.
static void clipSquare(double a, BenchPressure* pressure)
{
    const double square[4][2] = {{-a, -a}, {a, -a}, {a, a}, {-a, a}};
    int count = 0;
    for (int k = 0; k < 4; k++) {
        const double *from = square[k], *to = square[(k + 1) % 4];
        double pFrom = pressure->k0 + (pressure->kx * from[0] + pressure->ky * from[1]) / a;
        double pTo = pressure->k0 + (pressure->kx * to[0] + pressure->ky * to[1]) / a;
        if (pFrom > 0.0) {
            memcpy(pressure->corners[count++], from, sizeof square[0]);
        }
        if ((pFrom > 0.0) != (pTo > 0.0)) {
            double share = pFrom / (pFrom - pTo);
            pressure->corners[count][0] = from[0] + share * (to[0] - from[0]);
            pressure->corners[count][1] = from[1] + share * (to[1] - from[1]);
            count++;
        }
    }
    pressure->count = count;
}

// A over the polygon, in units of a and of the base's area: a triangle's mean of a quadratic is that of its
// three edges' midpoints.
static void sumPolygon(double a, const BenchPressure* pressure, double matrix[3][3])
{
    for (int k = 1; k + 1 < pressure->count; k++) {
        const double* corner[3] = {pressure->corners[0], pressure->corners[k], pressure->corners[k + 1]};
        double twice = (corner[1][0] - corner[0][0]) * (corner[2][1] - corner[0][1]) -
                       (corner[1][1] - corner[0][1]) * (corner[2][0] - corner[0][0]);
        for (int e = 0; e < 3; e++) {
            const double *p = corner[e], *q = corner[(e + 1) % 3];
            double b[3] = {1.0, 0.5 * (p[0] + q[0]) / a, 0.5 * (p[1] + q[1]) / a};
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    matrix[i][j] += twice / (24.0 * a * a) * b[i] * b[j];
                }
            }
        }
    }
}

static void sumPoints(const BenchBase* base, const BenchPressure* pressure, double matrix[3][3])
{
    const BenchPointShares shares = benchGetPointShares(base);
    double spacing = 2.0 * base->reach / (base->n - 1);
    for (int row = 0; row < base->n; row++) {
        for (int column = 0; column < base->n; column++) {
            double b[3] = {1.0, (spacing * row - base->reach) / base->a,
                           (spacing * column - base->reach) / base->a};
            if (!(pressure->k0 + pressure->kx * b[1] + pressure->ky * b[2] > 0.0)) {
                continue;
            }
            double share = benchGetPointShare(&shares, row, column);
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    matrix[i][j] += share * b[i] * b[j];
                }
            }
        }
    }
}

// A of the part that carries under k; fills in the pressure.
static void sumCarrying(const BenchBase* base, const double k[3], BenchPressure* pressure,
                        double matrix[3][3])
{
    *pressure = (BenchPressure){.k0 = k[0], .kx = k[1], .ky = k[2]};
    memset(matrix, 0, 9 * sizeof(double));
    if (base->support == benchSupportPoints) {
        sumPoints(base, pressure, matrix);
    } else {
        clipSquare(base->a, pressure);
        sumPolygon(base->a, pressure, matrix);
    }
}

// x = A^-1 b for a symmetric A by its adjugate; false if it is singular.
static bool solve3(double m[3][3], const double b[3], double x[3])
{
    double c00 = m[1][1] * m[2][2] - m[1][2] * m[2][1], c01 = m[1][2] * m[2][0] - m[1][0] * m[2][2];
    double c02 = m[1][0] * m[2][1] - m[1][1] * m[2][0], c11 = m[0][0] * m[2][2] - m[0][2] * m[2][0];
    double c12 = m[0][1] * m[2][0] - m[0][0] * m[2][1], c22 = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    double determinant = m[0][0] * c00 + m[0][1] * c01 + m[0][2] * c02;
    if (!(fabs(determinant) > 1.0e-14 * m[0][0] * m[0][0] * m[0][0])) {
        return false;
    }
    x[0] = (c00 * b[0] + c01 * b[1] + c02 * b[2]) / determinant;
    x[1] = (c01 * b[0] + c11 * b[1] + c12 * b[2]) / determinant;
    x[2] = (c02 * b[0] + c12 * b[1] + c22 * b[2]) / determinant;
    return true;
}

static double getResidual(double m[3][3], const double k[3], const double target[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        double r = m[i][0] * k[0] + m[i][1] * k[1] + m[i][2] * k[2] - target[i];
        sum += r * r;
    }
    return sqrt(sum);
}

bool benchFindPressure(const BenchBase* base, double x, double y, BenchPressure* pressure)
{
    double reach = base->support == benchSupportPoints ? base->reach : base->a;
    if (!(fabs(x) < reach && fabs(y) < reach)) {
        return false;
    }
    const double target[3] = {1.0, x / base->a, y / base->a};
    double k[3] = {1.0, 0.0, 0.0}, matrix[3][3];
    sumCarrying(base, k, pressure, matrix);
    double residual = getResidual(matrix, k, target);
    for (int iteration = 0; iteration < 200 && residual > 1.0e-14; iteration++) {
        double full[3], next[3], nextMatrix[3][3], nextResidual = (double)INFINITY, share = 1.0;
        if (!solve3(matrix, target, full)) {
            return false;
        }
        for (; share > 1.0e-6; share *= 0.5) {
            for (int i = 0; i < 3; i++) {
                next[i] = k[i] + share * (full[i] - k[i]);
            }
            sumCarrying(base, next, pressure, nextMatrix);
            nextResidual = getResidual(nextMatrix, next, target);
            if (nextResidual < (1.0 - 0.1 * share) * residual || nextResidual < 1.0e-14) {
                break;
            }
        }
        if (!(nextResidual < residual)) {
            break; // rounding is all that is left
        }
        memcpy(k, next, sizeof k);
        memcpy(matrix, nextMatrix, sizeof matrix);
        residual = nextResidual;
    }
    sumCarrying(base, k, pressure, matrix);
    return residual < 1.0e-10;
}
