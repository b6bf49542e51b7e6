#include "math/block_lu.h"

#include <math.h>

bool pbdrFactorBlock(double a[6][6], int pivots[6])
{
    for (int k = 0; k < 6; k++) {
        int best = k;
        for (int i = k + 1; i < 6; i++) {
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        }
        pivots[k] = best;
        if (!(fabs(a[best][k]) > 0.0) || !isfinite(a[best][k])) {
            return false;
        }
        if (best != k) {
            for (int j = 0; j < 6; j++) {
                double swap = a[k][j];
                a[k][j] = a[best][j];
                a[best][j] = swap;
            }
        }
        double inverse = 1.0 / a[k][k];
        for (int i = k + 1; i < 6; i++) {
            double factor = a[i][k] *= inverse;
            for (int j = k + 1; j < 6; j++) {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    return true;
}

void pbdrSolveBlock(double a[6][6], const int pivots[6], double x[6])
{
    for (int k = 0; k < 6; k++) {
        double swap = x[k];
        x[k] = x[pivots[k]];
        x[pivots[k]] = swap;
    }
    for (int i = 1; i < 6; i++) {
        for (int j = 0; j < i; j++) {
            x[i] -= a[i][j] * x[j];
        }
    }
    for (int i = 5; i >= 0; i--) {
        for (int j = i + 1; j < 6; j++) {
            x[i] -= a[i][j] * x[j];
        }
        x[i] /= a[i][i];
    }
}

// c -= a b
static void subtractProduct(double c[6][6], double a[6][6], double b[6][6])
{
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 6; k++) {
            for (int j = 0; j < 6; j++) {
                c[i][j] -= a[i][k] * b[k][j];
            }
        }
    }
}

static void subtractVector(double c[6], double a[6][6], const double x[6])
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            c[i] -= a[i][j] * x[j];
        }
    }
}

void pbdrOrderRows(int count, unsigned char* touches, int* order)
{
    const size_t n = (size_t)count;
    for (size_t k = 0; k < n; k++) {
        // rows that are done have their diagonal marked 2
        size_t best = n, fewest = n;
        for (size_t i = 0; i < n; i++) {
            size_t degree = 0;
            for (size_t j = 0; j < n && touches[i * n + i] != 2 && degree < fewest; j++) {
                degree += j != i && touches[i * n + j] && touches[j * n + j] != 2;
            }
            if (touches[i * n + i] != 2 && (best == n || degree < fewest)) {
                best = i;
                fewest = degree;
            }
        }
        order[k] = (int)best;
        touches[best * n + best] = 2;
        for (size_t i = 0; i < n; i++) {
            bool neighbour = i != best && touches[i * n + i] != 2 && touches[best * n + i];
            for (size_t j = 0; neighbour && j < n; j++) {
                if (j != i && touches[j * n + j] != 2 && touches[best * n + j]) {
                    touches[i * n + j] = 1;
                }
            }
        }
    }
}

int pbdrPlanBlocks(int count, unsigned char* touches, int32_t* where)
{
    const size_t n = (size_t)count;
    int32_t blocks = 0;
    for (size_t k = 0; k < n; k++) {
        touches[k * n + k] = 1;
        for (size_t i = k + 1; i < n; i++) {
            for (size_t j = k + 1; touches[i * n + k] && j < n; j++) {
                touches[i * n + j] |= touches[k * n + j];
            }
        }
    }
    for (size_t k = 0; k < n * n; k++) {
        where[k] = touches[k] ? ++blocks : 0;
    }
    return blocks;
}

bool pbdrSolveBlocks(int count, double (*blocks)[6][6], const int32_t* where, double (*x)[6])
{
    const size_t n = (size_t)count;
    for (size_t k = 0; k < n; k++) {
        int pivots[6];
        double(*diagonal)[6] = blocks[where[k * n + k] - 1];
        if (!pbdrFactorBlock(diagonal, pivots)) {
            return false;
        }
        // row k becomes A_kk^-1 (A_kj | x_k)
        pbdrSolveBlock(diagonal, pivots, x[k]);
        for (size_t j = k + 1; j < n; j++) {
            if (where[k * n + j] == 0) {
                continue;
            }
            double(*row)[6] = blocks[where[k * n + j] - 1];
            for (int column = 0; column < 6; column++) {
                double side[6];
                for (int i = 0; i < 6; i++) {
                    side[i] = row[i][column];
                }
                pbdrSolveBlock(diagonal, pivots, side);
                for (int i = 0; i < 6; i++) {
                    row[i][column] = side[i];
                }
            }
        }
        for (size_t i = k + 1; i < n; i++) {
            if (where[i * n + k] == 0) {
                continue;
            }
            double(*factor)[6] = blocks[where[i * n + k] - 1];
            subtractVector(x[i], factor, x[k]);
            for (size_t j = k + 1; j < n; j++) {
                if (where[k * n + j] != 0) {
                    subtractProduct(blocks[where[i * n + j] - 1], factor, blocks[where[k * n + j] - 1]);
                }
            }
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) {
            if (where[k * n + j] != 0) {
                subtractVector(x[k], blocks[where[k * n + j] - 1], x[j]);
            }
        }
    }
    return true;
}
