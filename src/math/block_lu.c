#include "math/block_lu.h"

#include <math.h>
#include <string.h>

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

bool pbdrSolveBlocks(int count, double (*blocks)[6][6], unsigned char* used, double (*x)[6])
{
    const size_t n = (size_t)count;
    for (size_t k = 0; k < n; k++) {
        int pivots[6];
        double(*diagonal)[6] = blocks[k * n + k];
        if (!pbdrFactorBlock(diagonal, pivots)) {
            return false;
        }
        // row k becomes A_kk^-1 (A_kj | x_k)
        pbdrSolveBlock(diagonal, pivots, x[k]);
        for (size_t j = k + 1; j < n; j++) {
            if (!used[k * n + j]) {
                continue;
            }
            double(*row)[6] = blocks[k * n + j];
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
            if (!used[i * n + k]) {
                continue;
            }
            subtractVector(x[i], blocks[i * n + k], x[k]);
            for (size_t j = k + 1; j < n; j++) {
                if (!used[k * n + j]) {
                    continue;
                }
                if (!used[i * n + j]) {
                    used[i * n + j] = 1;
                    memset(blocks[i * n + j], 0, sizeof blocks[0]);
                }
                subtractProduct(blocks[i * n + j], blocks[i * n + k], blocks[k * n + j]);
            }
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) {
            if (used[k * n + j]) {
                subtractVector(x[k], blocks[k * n + j], x[j]);
            }
        }
    }
    return true;
}
