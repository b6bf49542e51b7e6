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

void pbdrSolveBlockRows(double a[6][6], const int pivots[6], double x[6][6])
{
    for (int k = 0; k < 6; k++) {
        if (pivots[k] != k) {
            for (int c = 0; c < 6; c++) {
                double swap = x[k][c];
                x[k][c] = x[pivots[k]][c];
                x[pivots[k]][c] = swap;
            }
        }
    }
    for (int i = 1; i < 6; i++) {
        for (int j = 0; j < i; j++) {
            for (int c = 0; c < 6; c++) {
                x[i][c] -= a[i][j] * x[j][c];
            }
        }
    }
    for (int i = 5; i >= 0; i--) {
        for (int j = i + 1; j < 6; j++) {
            for (int c = 0; c < 6; c++) {
                x[i][c] -= a[i][j] * x[j][c];
            }
        }
        for (int c = 0; c < 6; c++) {
            x[i][c] /= a[i][i];
        }
    }
}
