// Block systems: what comes out solves what went in; what has no solution is refused.
#include "check.h"
#include "math/block_lu.h"

#include <stdint.h>

#define MAX_ROWS 24
#define EPS 2.3e-16

static double draw(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

// Largest |A x - b| over |A| |x| + |b|, row by row (max norms).
static double getBackwardError(int count, double (*blocks)[6][6], const unsigned char* used, double (*x)[6],
                               double (*b)[6])
{
    double worst = 0.0;
    for (int i = 0; i < count; i++) {
        for (int r = 0; r < 6; r++) {
            double sum = -b[i][r], size = fabs(b[i][r]);
            for (int j = 0; j < count; j++) {
                for (int c = 0; c < 6 && used[i * count + j]; c++) {
                    sum += blocks[i * count + j][r][c] * x[j][c];
                    size += fabs(blocks[i * count + j][r][c] * x[j][c]);
                }
            }
            worst = fmax(worst, fabs(sum) / size);
        }
    }
    return worst;
}

// Plans and solves a system whose used blocks stand in a full table; used then marks fill too.
static bool solveDense(int count, double (*blocks)[6][6], unsigned char* used, double (*x)[6])
{
    static double planned[MAX_ROWS * MAX_ROWS][6][6];
    int32_t where[MAX_ROWS * MAX_ROWS];
    unsigned char given[MAX_ROWS * MAX_ROWS];
    memcpy(given, used, (size_t)(count * count));
    int blockCount = pbdrPlanBlocks(count, used, where);
    int seen = 0;
    for (int k = 0; k < count * count; k++) {
        CHECK_EQ(where[k] > 0, used[k] != 0);
        if (where[k] > 0) {
            seen++;
            memset(planned[where[k] - 1], 0, sizeof planned[0]);
            if (given[k]) {
                memcpy(planned[where[k] - 1], blocks[k], sizeof planned[0]);
            }
        }
    }
    CHECK_EQ(seen, blockCount);
    return pbdrSolveBlocks(count, planned, where, x);
}

// Gaussian elimination with pivoting is backward stable: |A x - b| <= c n eps g |A| |x| with the growth g of
// random matrices about n^(2/3) = 3.3 for n = 6. A row may have cancelled to some 1e-2 of the matrix' norm:
// 6 x 3.3 x 100 eps.
static void block__solves_random_systems(void)
{
    uint64_t seed = 1;
    double worst = 0.0;
    for (int trial = 0; trial < 2000; trial++) {
        double a[1][6][6], kept[1][6][6], x[1][6], b[1][6];
        for (int k = 0; k < 36; k++) {
            // moments beside forces: rows and columns of different size
            double scale = (k / 6 < 3 ? 1.0 : 0.1) * (k % 6 < 3 ? 1.0 : 0.1);
            a[0][k / 6][k % 6] = kept[0][k / 6][k % 6] = scale * draw(&seed);
            b[0][k % 6] = x[0][k % 6] = draw(&seed);
        }
        int pivots[6];
        CHECK(pbdrFactorBlock(a[0], pivots));
        pbdrSolveBlock(a[0], pivots, x[0]);
        const unsigned char used = 1;
        worst = fmax(worst, getBackwardError(1, kept, &used, x, b));
    }
    CHECK_LE(worst, 6.0 * 3.3 * 100.0 * EPS);
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

// Chains, stars, rings and random graphs of bodies. As contacts make them: per edge a block K >= 0 is added
// to both diagonals and taken from both off-diagonals (here with a skew part, as friction's), on masses of 1.
// The off-diagonal part is as large as the diagonal, so elimination may grow errors by the condition, 1 +
// degree x 36 at most; backward error of one row: 6 rows x count x that.
static void blocks__solve_random_sparse_systems(void)
{
    static double blocks[MAX_ROWS * MAX_ROWS][6][6], kept[MAX_ROWS * MAX_ROWS][6][6];
    unsigned char used[MAX_ROWS * MAX_ROWS], keptUsed[MAX_ROWS * MAX_ROWS];
    uint64_t seed = 2;
    double worst = 0.0;
    for (int trial = 0; trial < 400; trial++) {
        int count = 1 + trial % MAX_ROWS;
        for (int k = 0; k < count * count; k++) {
            // what is not used holds rubbish, which must not be read
            used[k] = k % (count + 1) == 0;
            for (int e = 0; e < 36; e++) {
                blocks[k][e / 6][e % 6] = used[k] ? (e / 6 == e % 6 ? 1.0 : 0.0) : (double)NAN;
            }
        }
        for (int edge = 0; edge < 2 * count; edge++) {
            int i = edge % count, j = (i + 1) % count; // a ring
            if (edge >= count || trial % 4 == 1) {
                j = trial % 4 == 2 ? 0 : (int)((draw(&seed) + 1.0) * 0.5 * count); // a star; random
            }
            if (i == j || (trial % 4 == 3 && j == 0)) {
                continue;
            }
            const int ends[4] = {i * count + i, j * count + j, i * count + j, j * count + i};
            double lever[6];
            for (int r = 0; r < 6; r++) {
                lever[r] = draw(&seed);
            }
            for (int e = 0; e < 4; e++) {
                for (int q = 0; q < 36; q++) {
                    double skew = q / 6 == q % 6 ? 0.0 : (q / 6 < q % 6 ? 0.2 : -0.2);
                    double k = 30.0 * (lever[q / 6] * lever[q % 6] + skew * lever[0] * lever[1]);
                    double was = used[ends[e]] ? blocks[ends[e]][q / 6][q % 6] : 0.0;
                    blocks[ends[e]][q / 6][q % 6] = was + (e < 2 ? k : -k);
                }
                used[ends[e]] = 1;
            }
        }
        double x[MAX_ROWS][6], b[MAX_ROWS][6];
        for (int k = 0; k < 6 * count; k++) {
            b[k / 6][k % 6] = x[k / 6][k % 6] = draw(&seed);
        }
        memcpy(kept, blocks, sizeof kept);
        memcpy(keptUsed, used, sizeof used);
        CHECK(solveDense(count, blocks, used, x));
        worst = fmax(worst, getBackwardError(count, kept, keptUsed, x, b));
        for (int k = 0; k < count * count; k++) {
            CHECK(used[k] >= keptUsed[k]); // fill is marked, nothing is forgotten
        }
    }
    CHECK_LE(worst, 6.0 * MAX_ROWS * (1.0 + 4 * 36) * EPS);
}

// A row of zeros is found wherever it stands, also where elimination makes it: two equal rows of blocks.
static void blocks__singular_is_refused(void)
{
    for (int bad = 0; bad < 3; bad++) {
        double blocks[9][6][6], x[3][6] = {{0.0}};
        unsigned char used[9];
        for (int k = 0; k < 9; k++) {
            used[k] = 1;
            for (int e = 0; e < 36; e++) {
                blocks[k][e / 6][e % 6] =
                    e / 6 != e % 6 ? 0.0 : (k / 3 == bad ? 0.0 : (k % 4 == 0 ? 4.0 : 1.0));
            }
        }
        CHECK(!solveDense(3, blocks, used, x));
    }
    double blocks[4][6][6], x[2][6] = {{0.0}};
    unsigned char used[4] = {1, 1, 1, 1};
    for (int e = 0; e < 4 * 36; e++) {
        blocks[e / 36][e % 36 / 6][e % 6] = e % 36 / 6 == e % 6 ? 2.0 : 0.0;
    }
    CHECK(!solveDense(2, blocks, used, x));
}

// A star, its centre first: in that order it fills up; leaves first, it does not. A ring costs one diagonal
// per row, n - 3 of them, whatever the order. Orders are permutations.
static void rows__are_ordered_to_fill_little(void)
{
    enum { N = 20 };
    for (int ring = 0; ring < 2; ring++) {
        unsigned char touches[N * N] = {0}, turned[N * N] = {0}, used[N * N];
        for (int k = 1; k < N; k++) {
            int to = ring ? k - 1 : 0;
            touches[k * N + to] = touches[to * N + k] = 1;
        }
        touches[N - 1] = touches[(N - 1) * N] = 1;
        memcpy(used, touches, sizeof used);
        int order[N], times[N] = {0};
        pbdrOrderRows(N, used, order);
        for (int k = 0; k < N; k++) {
            times[order[k]]++;
        }
        for (int i = 0; i < N * N; i++) {
            CHECK_EQ(times[i % N], 1);
            turned[i] = touches[order[i / N] * N + order[i % N]];
        }
        int32_t where[N * N];
        CHECK_EQ(pbdrPlanBlocks(N, turned, where), ring ? N + 2 * N + 2 * (N - 3) : N + 2 * (N - 1));
        CHECK_EQ(pbdrPlanBlocks(N, touches, where), ring ? N + 2 * N + 2 * (N - 3) : N * N);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"block__solves_random_systems", block__solves_random_systems},
          {"block__pivots_past_zeros", block__pivots_past_zeros},
          {"block__singular_or_not_finite_is_refused", block__singular_or_not_finite_is_refused},
          {"blocks__solve_random_sparse_systems", blocks__solve_random_sparse_systems},
          {"blocks__singular_is_refused", blocks__singular_is_refused},
          {"rows__are_ordered_to_fill_little", rows__are_ordered_to_fill_little});
}
