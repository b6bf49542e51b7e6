// Symmetric 3x3 matrices: eigenvectors and the solver, against the matrices they were made from.
//
// What to expect of double, with u = 2^-53. Jacobi's iteration takes 15 rotations at most, each within 6u of
// an exact one: V is orthonormal, and V diag(values) V^T is A, within 90u (of |A|). A solution by these
// eigenvectors, or by elimination without pivots (positive definite: each of its three steps within 4u), has
// A x = b within 128u |A| |x|.
#include "math/sym3.h"

#include "check.h"
#include "math/vec.h"

#include <float.h>
#include <stdint.h>

#define JACOBI_ERROR (45.0 * DBL_EPSILON)
#define SOLVE_ERROR (64.0 * DBL_EPSILON)

static uint64_t randomState;

// splitmix64, uniform in [low, high).
static double drawBetween(double low, double high)
{
    uint64_t z = (randomState += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static pbdrVec3 drawVector(void)
{
    double x = drawBetween(-1.0, 1.0), y = drawBetween(-1.0, 1.0), z = drawBetween(-1.0, 1.0);
    return pbdrVec(x, y, z);
}

static pbdrMat3 drawAxes(void)
{
    double w = drawBetween(-1.0, 1.0);
    pbdrVec3 v = drawVector();
    return pbdrMatFromQuat(pbdrNormalizeQ((pbdrQuat){w, v.x, v.y, v.z}));
}

// V diag(d) V^T, exactly symmetric.
static pbdrMat3 makeSymmetric(const pbdrMat3* v, double d0, double d1, double d2)
{
    pbdrMat3 d = {{{d0, 0.0, 0.0}, {0.0, d1, 0.0}, {0.0, 0.0, d2}}};
    pbdrMat3 a = pbdrTurnTensor(v, &d);
    a.m[1][0] = a.m[0][1];
    a.m[2][0] = a.m[0][2];
    a.m[2][1] = a.m[1][2];
    return a;
}

static pbdrMat3 scaleMatrix(const pbdrMat3* a, int exponent)
{
    pbdrMat3 scaled;
    for (int i = 0; i < 9; i++) {
        scaled.m[i / 3][i % 3] = ldexp(a->m[i / 3][i % 3], exponent);
    }
    return scaled;
}

static pbdrVec3 getColumn(const pbdrMat3* a, int k)
{
    return pbdrVec(a->m[0][k], a->m[1][k], a->m[2][k]);
}

// Largest entry of V^T V - I, or |det V - 1| if larger.
static double measureAxes(const pbdrMat3* v)
{
    pbdrMat3 vt = pbdrTranspose(v), product = pbdrMulMM(&vt, v);
    double worst = fabs(pbdrDot(pbdrCross(getColumn(v, 0), getColumn(v, 1)), getColumn(v, 2)) - 1.0);
    for (int i = 0; i < 9; i++) {
        worst = fmax(worst, fabs(product.m[i / 3][i % 3] - (i / 3 == i % 3 ? 1.0 : 0.0)));
    }
    return worst;
}

// Largest entry of A - V diag(values) V^T, per |A|.
static double measureDifference(const pbdrMat3* a, const double values[3], const pbdrMat3* v)
{
    double worst = 0.0, norm = fmax(fabs(values[0]), fabs(values[2]));
    for (int i = 0; i < 9; i++) {
        long double sum = -(long double)a->m[i / 3][i % 3];
        for (int k = 0; k < 3; k++) {
            sum += (long double)v->m[i / 3][k] * (long double)values[k] * (long double)v->m[i % 3][k];
        }
        worst = fmax(worst, (double)fabsl(sum) / norm);
    }
    return worst;
}

// |A x - b| per |A| |x|, the products in long double.
static double measureResidual(const pbdrMat3* a, pbdrVec3 x, pbdrVec3 b, double norm)
{
    long double bs[3] = {(long double)b.x, (long double)b.y, (long double)b.z}, square = 0.0L;
    for (int i = 0; i < 3; i++) {
        long double sum = (long double)a->m[i][0] * (long double)x.x +
                          (long double)a->m[i][1] * (long double)x.y +
                          (long double)a->m[i][2] * (long double)x.z - bs[i];
        square += sum * sum;
    }
    return (double)sqrtl(square) / (norm * pbdrLength(x));
}

static void sym_eigen__rebuilds_the_matrix_from_orthonormal_vectors(void)
{
    double worstAxes = 0.0, worstDifference = 0.0, worstValue = 0.0;
    bool ascending = true;
    randomState = 1;
    for (int n = 0; n < 20000; n++) {
        // Signs of all kinds, sizes of up to 1 : 1e-16, pairs that are equal or nearly so.
        double d1 = pow(10.0, drawBetween(-16.0, 0.0)) * (n % 2 == 0 ? 1.0 : -1.0);
        double d2 = n % 3 == 0 ? d1 : n % 3 == 1 ? d1 * (1.0 + 1.0e-12) : drawBetween(-1.0, 1.0);
        pbdrMat3 axes = drawAxes(), v, a = makeSymmetric(&axes, 1.0, d1, d2);
        double values[3];
        pbdrSymEigen(&a, values, &v);
        worstAxes = fmax(worstAxes, measureAxes(&v));
        worstDifference = fmax(worstDifference, measureDifference(&a, values, &v));
        worstValue = fmax(worstValue, fabs(values[2] - 1.0));
        worstValue = fmax(worstValue, fabs(values[0] - fmin(d1, d2)));
        ascending = ascending && values[0] <= values[1] && values[1] <= values[2];
    }
    CHECK(ascending);
    CHECK_LE(worstAxes, JACOBI_ERROR);
    CHECK_LE(worstDifference, JACOBI_ERROR);
    // pbdrTurnTensor's own rounding: its axes are orthonormal to 8u, two products of three to 3u each.
    CHECK_LE(worstValue, JACOBI_ERROR + 11.0 * DBL_EPSILON);
}

static void sym_eigen__is_exact_for_diagonal_matrices(void)
{
    static const double entries[] = {0.0, 1.0, -1.0, 3.0, 1.0e-200, -5.0e-324, 1.0e300};
    for (int n = 0; n < 7 * 7 * 7; n++) {
        double d[3] = {entries[n % 7], entries[n / 7 % 7], entries[n / 49]}, values[3];
        pbdrMat3 v, a = {{{d[0], 0.0, 0.0}, {0.0, d[1], 0.0}, {0.0, 0.0, d[2]}}};
        pbdrSymEigen(&a, values, &v);
        CHECK(values[0] <= values[1] && values[1] <= values[2]);
        CHECK(measureAxes(&v) == 0.0);
        for (int k = 0; k < 3; k++) {
            // A column is plus or minus a coordinate axis; which, tells the entry it belongs to.
            int axis = v.m[0][k] != 0.0 ? 0 : v.m[1][k] != 0.0 ? 1 : 2;
            // Beside 1e300 the smallest have no place in double's range of exponents.
            CHECK(values[k] == d[axis] || fabs(d[axis]) < 1.0e-20);
        }
    }
}

static void sym_eigen__reads_only_the_upper_triangle(void)
{
    randomState = 2;
    pbdrMat3 axes = drawAxes(), a = makeSymmetric(&axes, 3.0, 2.0, 1.0), v, w;
    double values[3], again[3];
    pbdrSymEigen(&a, values, &v);
    a.m[1][0] = a.m[2][0] = a.m[2][1] = (double)NAN;
    pbdrSymEigen(&a, again, &w);
    CHECK(memcmp(values, again, sizeof values) == 0 && memcmp(&v, &w, sizeof v) == 0);
}

static void sym_eigen__gives_the_same_bits_at_every_scale(void)
{
    randomState = 3;
    for (int n = 0; n < 2000; n++) {
        double d1 = drawBetween(-1.0, 1.0), d2 = drawBetween(-1.0, 1.0);
        pbdrMat3 axes = drawAxes(), v, w, a = makeSymmetric(&axes, 1.0, d1, d2);
        int exponent = (int)drawBetween(-900.0, 1000.0);
        pbdrMat3 scaled = scaleMatrix(&a, exponent);
        double values[3], again[3];
        pbdrSymEigen(&a, values, &v);
        pbdrSymEigen(&scaled, again, &w);
        for (int k = 0; k < 3; k++) {
            CHECK(ldexp(values[k], exponent) == again[k]);
        }
        CHECK(memcmp(&v, &w, sizeof v) == 0);
    }
}

static void sym_solve__solves_regular_matrices_both_ways(void)
{
    double worst = 0.0, worstAgreement = 0.0;
    randomState = 4;
    for (int n = 0; n < 20000; n++) {
        // Inertia from a grain's to a ship's [kg m^2], condition numbers up to 1e12.
        double size = pow(10.0, drawBetween(-12.0, 6.0)), ratio = pow(10.0, drawBetween(-12.0, 0.0));
        double middle = n % 2 == 0 ? ratio : pow(ratio, drawBetween(0.0, 1.0));
        pbdrMat3 axes = drawAxes(), a = makeSymmetric(&axes, size, size * middle, size * ratio);
        pbdrVec3 b = pbdrScale(size, drawVector());
        // A cutoff close to the smallest eigenvalue makes the library look at the eigenvalues.
        pbdrVec3 x = pbdrSymSolve(&a, b, 1.0e-14), y = pbdrSymSolve(&a, b, 0.9 * ratio);
        worst = fmax(worst, measureResidual(&a, x, b, size));
        worst = fmax(worst, measureResidual(&a, y, b, size));
        worstAgreement = fmax(worstAgreement, pbdrLength(pbdrSub(x, y)) * ratio / pbdrLength(x));
    }
    CHECK_LE(worst, SOLVE_ERROR);
    CHECK_LE(worstAgreement, 2.0 * SOLVE_ERROR); // |x - y| <= (|A x - b| + |A y - b|) / smallest eigenvalue
}

// A rod's inertia, rounded to double or to float: its axis must get no part of x, whatever b has along it.
static void sym_solve__gives_the_shortest_solution_for_singular_matrices(void)
{
    randomState = 5;
    for (int inFloat = 0; inFloat < 2; inFloat++) {
        double worst = 0.0;
        for (int n = 0; n < 10000; n++) {
            pbdrMat3 axes = drawAxes();
            double other = n % 4 == 0 ? 0.0 : drawBetween(0.5, 1.0); // rank 1, no inertia but a matrix
            pbdrMat3 a = makeSymmetric(&axes, 0.0, other, 1.0);
            for (int i = 0; inFloat == 1 && i < 9; i++) {
                a.m[i / 3][i % 3] = (double)(float)a.m[i / 3][i % 3];
            }
            pbdrVec3 b = drawVector(), first = getColumn(&axes, 1), second = getColumn(&axes, 2);
            pbdrVec3 expected = pbdrScale(pbdrDot(second, b), second);
            if (other != 0.0) {
                expected = pbdrAddScaled(expected, pbdrDot(first, b) / other, first);
            }
            double cutoff = inFloat == 1 ? PBDR_INERTIA_CUTOFF_F32 : PBDR_INERTIA_CUTOFF_F64;
            pbdrVec3 x = pbdrSymSolve(&a, b, cutoff);
            worst = fmax(worst, pbdrLength(pbdrSub(x, expected)) / pbdrLength(b));
        }
        // An error e in A tilts the kept axes by e / 0.5, which moves b's share in them and turns x, and
        // changes their 1 / value by e / 0.5^2: |x - expected| <= 12 e |b| with |x| <= 2 |b|. e is Jacobi's
        // and, in float, half an ulp in each entry, three in a row.
        CHECK_LE(worst, 12.0 * (JACOBI_ERROR + (inFloat == 1 ? 1.5 * (double)FLT_EPSILON : 0.0)));
    }
}

static void sym_solve__drops_eigenvalues_below_the_cutoff_and_no_others(void)
{
    randomState = 6;
    for (int n = 0; n < 2000; n++) {
        double cutoff = pow(10.0, drawBetween(-13.0, -1.0)), factor = n % 2 == 0 ? 0.8 : 1.25;
        pbdrMat3 axes = drawAxes(), a = makeSymmetric(&axes, 1.0, 0.7, factor * cutoff);
        pbdrVec3 thin = getColumn(&axes, 2), x = pbdrSymSolve(&a, thin, cutoff);
        // The eigenvalue errs by Jacobi's error: 0.1 of the smallest cutoff.
        double expected = n % 2 == 0 ? 0.0 : 1.0 / (factor * cutoff);
        CHECK_LE(fabs(pbdrDot(x, thin) - expected) * cutoff, 2.0 * JACOBI_ERROR / cutoff + JACOBI_ERROR);
    }
}

static void sym_solve__scales_with_the_matrix_and_the_right_side(void)
{
    randomState = 7;
    for (int n = 0; n < 4000; n++) {
        double smallest = n % 2 == 0 ? 0.0 : drawBetween(0.1, 1.0);
        pbdrMat3 axes = drawAxes(), a = makeSymmetric(&axes, 1.0, 0.5, smallest);
        pbdrVec3 b = drawVector(), x = pbdrSymSolve(&a, b, 1.0e-14);
        int exponent = (int)drawBetween(-900.0, 900.0);
        pbdrMat3 scaled = scaleMatrix(&a, exponent);
        pbdrVec3 scaledB = pbdrVec(ldexp(b.x, exponent), ldexp(b.y, exponent), ldexp(b.z, exponent));
        pbdrVec3 both = pbdrSymSolve(&scaled, scaledB, 1.0e-14), one = pbdrSymSolve(&scaled, b, 1.0e-14);
        CHECK(memcmp(&x, &both, sizeof x) == 0);
        CHECK(one.x == ldexp(x.x, -exponent) && one.y == ldexp(x.y, -exponent) &&
              one.z == ldexp(x.z, -exponent));
    }
}

static void sym_solve__gives_zero_for_the_zero_matrix(void)
{
    pbdrMat3 zero = {{{0.0}}};
    pbdrVec3 x = pbdrSymSolve(&zero, pbdrVec(1.0, 2.0, 3.0), 1.0e-14);
    CHECK(x.x == 0.0 && x.y == 0.0 && x.z == 0.0);
}

static void sym_solve__does_not_hide_a_nan(void)
{
    for (int n = 0; n < 7; n++) {
        // n < 3: the right side; else an entry of the upper triangle.
        static const int entries[4][2] = {{0, 0}, {0, 1}, {1, 2}, {2, 2}};
        pbdrMat3 a = {{{2.0, 0.5, 0.1}, {0.5, 3.0, 0.2}, {0.1, 0.2, 4.0}}};
        double b[3] = {1.0, 2.0, 3.0};
        if (n < 3) {
            b[n] = (double)NAN;
        } else {
            a.m[entries[n - 3][0]][entries[n - 3][1]] = (double)NAN;
        }
        CHECK(!pbdrIsFiniteVec(pbdrSymSolve(&a, pbdrVec(b[0], b[1], b[2]), 1.0e-14)));
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv,
          {"sym_eigen__rebuilds_the_matrix_from_orthonormal_vectors",
           sym_eigen__rebuilds_the_matrix_from_orthonormal_vectors},
          {"sym_eigen__is_exact_for_diagonal_matrices", sym_eigen__is_exact_for_diagonal_matrices},
          {"sym_eigen__reads_only_the_upper_triangle", sym_eigen__reads_only_the_upper_triangle},
          {"sym_eigen__gives_the_same_bits_at_every_scale", sym_eigen__gives_the_same_bits_at_every_scale},
          {"sym_solve__solves_regular_matrices_both_ways", sym_solve__solves_regular_matrices_both_ways},
          {"sym_solve__gives_the_shortest_solution_for_singular_matrices",
           sym_solve__gives_the_shortest_solution_for_singular_matrices},
          {"sym_solve__drops_eigenvalues_below_the_cutoff_and_no_others",
           sym_solve__drops_eigenvalues_below_the_cutoff_and_no_others},
          {"sym_solve__scales_with_the_matrix_and_the_right_side",
           sym_solve__scales_with_the_matrix_and_the_right_side},
          {"sym_solve__gives_zero_for_the_zero_matrix", sym_solve__gives_zero_for_the_zero_matrix},
          {"sym_solve__does_not_hide_a_nan", sym_solve__does_not_hide_a_nan});
}
