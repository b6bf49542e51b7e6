// Symmetric 3x3 matrices: Jacobi's eigenvalue iteration, and a solver that tells a singular inertia from a
// regular one.
//
// Only + - * / and sqrt are used: the same bits with every C library. Scaling is by powers of two, hence
// exact.
#include "math/sym3.h"

#include "math/vec.h"

// A cyclic Jacobi iteration on 3x3 takes 3 to 5 sweeps; its convergence is quadratic.
#define MAX_SWEEPS 16

// Condition numbers up to the inverse of this go to the elimination, which is backward stable for positive
// definite matrices: the limit need only keep clear of 2^-53, where rounding decides whether the matrix is
// regular.
#define MIN_FAST_RATIO 1.0e-10

// Makes a[p][q] zero; columns of v turn along. r is the third axis.
static void rotatePlane(double a[3][3], pbdrMat3* v, int p, int q)
{
    int r = 3 - p - q;
    double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    a[p][p] -= t * a[p][q];
    a[q][q] += t * a[p][q];
    a[p][q] = a[q][p] = 0.0;
    double rp = a[r][p], rq = a[r][q];
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
    for (int k = 0; k < 3; k++) {
        double kp = v->m[k][p], kq = v->m[k][q];
        v->m[k][p] = c * kp - s * kq;
        v->m[k][q] = s * kp + c * kq;
    }
}

static void diagonalise(double a[3][3], pbdrMat3* v)
{
    static const int planes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    *v = (pbdrMat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    bool turned = true;
    for (int sweep = 0; turned && sweep < MAX_SWEEPS; sweep++) {
        turned = false;
        for (int k = 0; k < 3; k++) {
            int p = planes[k][0], q = planes[k][1];
            // Small against both of its eigenvalues, not only the largest: the small ones of a graded matrix
            // keep their digits.
            if (!(a[p][q] * a[p][q] <= 0x1p-108 * fabs(a[p][p] * a[q][q]))) { // a NaN spreads
                rotatePlane(a, v, p, q);
                turned = true;
            }
        }
    }
}

// Swaps eigenpairs that are in the wrong order; the sign keeps the vectors right-handed.
static void orderPair(double values[3], pbdrMat3* v, int i, int j)
{
    if (values[i] > values[j]) {
        double value = values[i];
        values[i] = values[j];
        values[j] = value;
        for (int k = 0; k < 3; k++) {
            double entry = v->m[k][i];
            v->m[k][i] = v->m[k][j];
            v->m[k][j] = -entry;
        }
    }
}

void pbdrSymEigen(const pbdrMat3* a, double values[3], pbdrMat3* vectors)
{
    double largest = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            double entry = fabs(a->m[i][j]);
            largest = entry > largest ? entry : largest;
        }
    }
    int exponent;
    (void)frexp(largest, &exponent);
    double scaled[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            scaled[i][j] = scaled[j][i] = ldexp(a->m[i][j], -exponent);
        }
    }
    diagonalise(scaled, vectors);
    for (int i = 0; i < 3; i++) {
        values[i] = ldexp(scaled[i][i], exponent);
    }
    orderPair(values, vectors, 0, 1);
    orderPair(values, vectors, 1, 2);
    orderPair(values, vectors, 0, 1);
}

// A = L D L^T. False if A is not positive definite or if its smallest eigenvalue may be below minRatio times
// the largest: the ratio is at least 3 det / trace^3, as the larger two multiply to at most trace^2 / 3.
static bool solveByElimination(const pbdrMat3* a, pbdrVec3 b, double minRatio, pbdrVec3* x)
{
    double d0 = a->m[0][0];
    double l10 = a->m[0][1] / d0, l20 = a->m[0][2] / d0;
    double d1 = a->m[1][1] - l10 * a->m[0][1];
    double rest = a->m[1][2] - l10 * a->m[0][2];
    double l21 = rest / d1;
    double d2 = a->m[2][2] - l20 * a->m[0][2] - l21 * rest;
    double trace = a->m[0][0] + a->m[1][1] + a->m[2][2];
    if (!(d0 > 0.0 && d1 > 0.0 && d2 > 0.0 && 3.0 * d0 * d1 * d2 > minRatio * (trace * trace * trace))) {
        return false;
    }
    double y0 = b.x;
    double y1 = b.y - l10 * y0;
    double y2 = b.z - l20 * y0 - l21 * y1;
    x->z = y2 / d2;
    x->y = y1 / d1 - l21 * x->z;
    x->x = y0 / d0 - l10 * x->y - l20 * x->z;
    return true;
}

// Sum of v (v.b) / value over the eigenpairs that count.
static pbdrVec3 solveByEigenvectors(const pbdrMat3* a, pbdrVec3 b, double cutoff)
{
    double values[3];
    pbdrMat3 vectors;
    pbdrSymEigen(a, values, &vectors);
    pbdrVec3 x = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        pbdrVec3 v = pbdrVec(vectors.m[0][k], vectors.m[1][k], vectors.m[2][k]);
        // Written so that a NaN counts and shows in x.
        if (!(values[k] <= 0.0 || values[k] < cutoff * values[2])) {
            x = pbdrAddScaled(x, pbdrDot(v, b) / values[k], v);
        }
    }
    return x;
}

pbdrVec3 pbdrSymSolve(const pbdrMat3* a, pbdrVec3 b, double cutoff)
{
    // The trace bounds every entry of a semi-definite matrix.
    double trace = a->m[0][0] + a->m[1][1] + a->m[2][2];
    if (trace == 0.0) {
        return pbdrVec(0.0, 0.0, 0.0);
    }
    // A and b by the same power of two, which makes A's trace about 1 and leaves x as it is. In two factors:
    // the reciprocal of a denormal number is not finite.
    int exponent = 0; // some C libraries leave it alone for a NaN, which then shows in x
    (void)frexp(trace, &exponent);
    int half = exponent / 2;
    double first = ldexp(1.0, -half), second = ldexp(1.0, half - exponent);
    pbdrMat3 left;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            left.m[i][j] = a->m[i][j] * first * second;
        }
    }
    pbdrVec3 right = pbdrScale(second, pbdrScale(first, b));
    pbdrVec3 x;
    if (solveByElimination(&left, right, cutoff > MIN_FAST_RATIO ? cutoff : MIN_FAST_RATIO, &x)) {
        return x;
    }
    return solveByEigenvectors(&left, right, cutoff);
}
