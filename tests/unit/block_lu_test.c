// LU of a block: what comes out solves what went in; what has no solution is refused.
#include "check.h"
#include "math/block_lu.h"

#include <stdint.h>

#define EPS 2.3e-16

static double draw(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

// Largest |A x - b| over |A| |x| + |b|, row by row.
static double getBackwardError(double a[6][6], const double x[6], const double b[6])
{
    double worst = 0.0;
    for (int i = 0; i < 6; i++) {
        double sum = -b[i], size = fabs(b[i]);
        for (int j = 0; j < 6; j++) {
            sum += a[i][j] * x[j];
            size += fabs(a[i][j] * x[j]);
        }
        worst = fmax(worst, fabs(sum) / size);
    }
    return worst;
}

// Moments beside forces: rows and columns of different size.
static void drawBlock(uint64_t* seed, double a[6][6])
{
    for (int k = 0; k < 36; k++) {
        const double scale = (k / 6 < 3 ? 1.0 : 0.1) * (k % 6 < 3 ? 1.0 : 0.1);
        a[k / 6][k % 6] = scale * draw(seed);
    }
}

// Gaussian elimination with pivoting is backward stable: |A x - b| <= c n eps g |A| |x| with the growth g of
// random matrices about n^(2/3) = 3.3 for n = 6. A row may have cancelled to some 1e-2 of the matrix' norm:
// 6 x 3.3 x 100 eps.
static void block__solves_random_systems(void)
{
    uint64_t seed = 1;
    double worst = 0.0;
    for (int trial = 0; trial < 2000; trial++) {
        double a[6][6], kept[6][6], x[6], b[6];
        drawBlock(&seed, a);
        memcpy(kept, a, sizeof kept);
        for (int k = 0; k < 6; k++) {
            b[k] = x[k] = draw(&seed);
        }
        int pivots[6];
        CHECK(pbdrFactorBlock(a, pivots));
        pbdrSolveBlock(a, pivots, x);
        worst = fmax(worst, getBackwardError(kept, x, b));
    }
    CHECK_LE(worst, 6.0 * 3.3 * 100.0 * EPS);
}

// Six right-hand sides at once are solved as each on its own, bit by bit.
static void block__solves_columns_as_vectors(void)
{
    uint64_t seed = 2;
    int swaps = 0;
    for (int trial = 0; trial < 200; trial++) {
        double a[6][6], sides[6][6], columns[6][6];
        drawBlock(&seed, a);
        drawBlock(&seed, sides);
        memcpy(columns, sides, sizeof columns);
        int pivots[6];
        CHECK(pbdrFactorBlock(a, pivots));
        pbdrSolveBlockRows(a, pivots, columns);
        for (int c = 0; c < 6; c++) {
            double x[6];
            for (int i = 0; i < 6; i++) {
                x[i] = sides[i][c];
                swaps += pivots[i] != i;
            }
            pbdrSolveBlock(a, pivots, x);
            for (int i = 0; i < 6; i++) {
                CHECK_EQ(columns[i][c], x[i]);
            }
        }
    }
    CHECK_GE(swaps, 1000);
}

// A zero on the diagonal is no obstacle: x = P^T b for a permutation P, exactly.
static void block__pivots_past_zeros(void)
{
    const int to[6] = {3, 0, 5, 1, 4, 2};
    double a[6][6] = {{0.0}}, x[6];
    for (int i = 0; i < 6; i++) {
        a[i][to[i]] = 1.0;
        x[i] = i + 1.0;
    }
    int pivots[6];
    CHECK(pbdrFactorBlock(a, pivots));
    pbdrSolveBlock(a, pivots, x);
    for (int i = 0; i < 6; i++) {
        CHECK_EQ(x[to[i]], i + 1.0);
    }
}

// Rank 5 in small integers: elimination is exact and ends in a zero. Zero, NaN and infinity likewise.
static void block__singular_or_not_finite_is_refused(void)
{
    int pivots[6];
    double dependent[6][6], zero[6][6] = {{0.0}};
    for (int k = 0; k < 36; k++) {
        dependent[k / 6][k % 6] = k / 6 == k % 6 ? 1.0 : 0.0;
    }
    dependent[5][5] = 0.0, dependent[5][0] = 2.0, dependent[5][3] = -1.0;
    CHECK(!pbdrFactorBlock(dependent, pivots));
    CHECK(!pbdrFactorBlock(zero, pivots));
    const double bad[2] = {(double)NAN, HUGE_VAL};
    for (int k = 0; k < 2; k++) {
        double a[6][6] = {{0.0}};
        for (int i = 0; i < 6; i++) {
            a[i][i] = i == 4 ? bad[k] : 2.0;
        }
        CHECK(!pbdrFactorBlock(a, pivots));
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"block__solves_random_systems", block__solves_random_systems},
          {"block__solves_columns_as_vectors", block__solves_columns_as_vectors},
          {"block__pivots_past_zeros", block__pivots_past_zeros},
          {"block__singular_or_not_finite_is_refused", block__singular_or_not_finite_is_refused});
}
