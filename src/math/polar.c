// The rotation in a 3x3 matrix, found as the top eigenvector of a symmetric 4x4 matrix.
//
// Seen from the guess G, with R = G Q and B = G^T A, the objective trace(R^T A) = trace(Q^T B). For the unit
// quaternion q = (w, v), Q = (w^2 - v.v) I + 2 v v^T + 2 w [v]x, so the objective is a quadratic form:
//
//   trace(Q^T B) = q^T N q,   N = | tr B   g^T              |   g = (B21 - B12, B02 - B20, B10 - B01)
//                                 | g      B + B^T - tr B I |
//
// (Davenport's q-method; Horn 1987, "Closed-form solution of absolute orientation using unit quaternions".)
// With A's singular values s1 >= s2 >= |s3|, s3 signed as det A, the eigenvalues of N are
//
//   s1 + s2 + s3  >=  s1 - s2 - s3  >=  -s1 + s2 - s3  >=  -s1 - s2 + s3
//
// The maximisers are the unit vectors of the top eigenspace, whatever A's rank and determinant. The gap below
// it is 2 (s2 + s3); where that is nothing the space has more than one dimension, and the maximiser nearest
// to the guess, which is (1, 0, 0, 0) here, is the guess's projection onto it. Eigenvectors of N err by
// rounding * |A| / gap, which is what rounding A's own entries costs, so nothing is lost by not taking A's
// singular value decomposition.
//
// Only + - * / and sqrt are used: the same bits with every C library.
#include "math/polar.h"

#include "math/vec.h"

// The fast path takes gaps above this share of A's largest entry; below, rounding in a 3x3 inverse would
// begin to show. A round stick's gap is 3 / aspect^2, so sticks up to 100 diameters long are fast.
#define MIN_FAST_GAP 1.0e-4

// Newton steps of the fast path: 2 for a guess within 1e-3 rad, 4 within about 0.5 rad.
#define MAX_FAST_STEPS 4

// A cyclic Jacobi iteration on 4x4 takes 4 to 6 sweeps; its convergence is quadratic.
#define MAX_SWEEPS 16

// The largest absolute entry; -1 if any is not finite.
static double getLargestEntry(const pbdrMat3* a)
{
    double largest = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double entry = fabs(a->m[i][j]);
            if (!isfinite(entry)) {
                return -1.0;
            }
            largest = entry > largest ? entry : largest;
        }
    }
    return largest;
}

// A times the power of two that puts its largest entry in [1/2, 1), so that products of three entries neither
// overflow nor lose digits. In two factors: the reciprocal of a denormal number is not finite.
static pbdrMat3 scaleToOne(const pbdrMat3* a, double largest)
{
    int exponent;
    (void)frexp(largest, &exponent);
    int half = exponent / 2;
    double first = ldexp(1.0, -half), second = ldexp(1.0, half - exponent);
    pbdrMat3 scaled;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            scaled.m[i][j] = a->m[i][j] * first * second;
        }
    }
    return scaled;
}

// N of the file's comment.
static void buildQuadraticForm(const pbdrMat3* a, pbdrQuat guess, double n[4][4])
{
    pbdrMat3 g = pbdrMatFromQuat(guess);
    pbdrMat3 gt = pbdrTranspose(&g);
    pbdrMat3 b = pbdrMulMM(&gt, a);
    double b00 = b.m[0][0], b11 = b.m[1][1], b22 = b.m[2][2];
    n[0][0] = b00 + b11 + b22;
    n[1][1] = b00 - b11 - b22;
    n[2][2] = b11 - b00 - b22;
    n[3][3] = b22 - b00 - b11;
    n[0][1] = n[1][0] = b.m[2][1] - b.m[1][2];
    n[0][2] = n[2][0] = b.m[0][2] - b.m[2][0];
    n[0][3] = n[3][0] = b.m[1][0] - b.m[0][1];
    n[1][2] = n[2][1] = b.m[0][1] + b.m[1][0];
    n[1][3] = n[3][1] = b.m[0][2] + b.m[2][0];
    n[2][3] = n[3][2] = b.m[1][2] + b.m[2][1];
}

// The top eigenvector (1, v) of N near (1, 0), with C the lower 3x3 block and lambda = n00 + shift:
//
//   M v = g,  M = lambda I - C,   and   shift = g.v
//
// Newton's method on the second equation, whose slope is 1 + v.v, climbs to lambda without passing it; the
// error of v falls from v^3 to v^7 and so on. If M is positive definite, then lambda is the largest
// eigenvalue (N - lambda I is negative semidefinite, by its Schur complement) and M's smallest eigenvalue is
// at most the gap below it (interlacing). So one number certifies both that the maximum is global and that it
// is no tie: for a positive definite 3x3 matrix the smallest eigenvalue is at least 3 det / trace^2, as the
// other two multiply to at most trace^2 / 3. Returns false if this is not above minGap, or if Newton needs
// more than a few steps.
static bool solveNearGuess(double n[4][4], double minGap, pbdrVec3* v)
{
    pbdrVec3 g = pbdrVec(n[0][1], n[0][2], n[0][3]);
    double shift = 0.0;
    for (int step = 0; step < MAX_FAST_STEPS; step++) {
        double lambda = n[0][0] + shift;
        pbdrVec3 row0 = pbdrVec(lambda - n[1][1], -n[1][2], -n[1][3]);
        pbdrVec3 row1 = pbdrVec(-n[2][1], lambda - n[2][2], -n[2][3]);
        pbdrVec3 row2 = pbdrVec(-n[3][1], -n[3][2], lambda - n[3][3]);
        pbdrVec3 cofactors0 = pbdrCross(row1, row2);
        pbdrVec3 cofactors1 = pbdrCross(row2, row0);
        pbdrVec3 cofactors2 = pbdrCross(row0, row1);
        double determinant = pbdrDot(row0, cofactors0);
        double trace = row0.x + row1.y + row2.z;
        double gap = 3.0 * determinant / (trace * trace);
        // Leading minors above zero: positive definite.
        if (!(row0.x > 0.0 && cofactors2.z > 0.0 && gap > minGap)) {
            return false;
        }
        pbdrVec3 sum = pbdrScale(g.x, cofactors0);
        sum = pbdrAddScaled(sum, g.y, cofactors1);
        sum = pbdrAddScaled(sum, g.z, cofactors2);
        *v = pbdrScale(1.0 / determinant, sum);
        double square = pbdrDot(*v, *v);
        double change = (pbdrDot(g, *v) - shift) / (1.0 + square);
        // The change of lambda would move v by up to |change| |v| / gap: done when that is half an ulp of 1.
        double bound = 0x1p-53 * gap;
        if (change * change * square <= bound * bound) {
            return true;
        }
        shift += change;
    }
    return false;
}

// Turns the plane (p, q) so that n[p][q] becomes zero; rows of `vectors` turn along.
static void rotatePlane(double n[4][4], double vectors[4][4], int p, int q)
{
    double theta = (n[q][q] - n[p][p]) / (2.0 * n[p][q]);
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    n[p][p] -= t * n[p][q];
    n[q][q] += t * n[p][q];
    n[p][q] = n[q][p] = 0.0;
    for (int k = 0; k < 4; k++) {
        if (k != p && k != q) {
            double np = n[k][p], nq = n[k][q];
            n[k][p] = n[p][k] = c * np - s * nq;
            n[k][q] = n[q][k] = s * np + c * nq;
        }
        double vp = vectors[p][k], vq = vectors[q][k];
        vectors[p][k] = c * vp - s * vq;
        vectors[q][k] = s * vp + c * vq;
    }
}

// Makes N diagonal; rows of `vectors` become its eigenvectors. Off-diagonals of 2^-56 (A's largest entry is
// about 1) stay: they are below the rounding of N.
static void diagonalise(double n[4][4], double vectors[4][4])
{
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            vectors[i][j] = i == j ? 1.0 : 0.0;
        }
    }
    bool turned = true;
    for (int sweep = 0; turned && sweep < MAX_SWEEPS; sweep++) {
        turned = false;
        for (int p = 0; p < 3; p++) {
            for (int q = p + 1; q < 4; q++) {
                if (fabs(n[p][q]) > 0x1p-56) {
                    rotatePlane(n, vectors, p, q);
                    turned = true;
                }
            }
        }
    }
}

// The unit vector of N's top eigenspace nearest to (1, 0, 0, 0). N is overwritten.
static pbdrQuat projectOnTopSpace(double n[4][4], double tolerance)
{
    double vectors[4][4];
    diagonalise(n, vectors);
    int top = 0;
    for (int k = 1; k < 4; k++) {
        top = n[k][k] > n[top][top] ? k : top;
    }
    int second = top == 0 ? 1 : 0;
    for (int k = 0; k < 4; k++) {
        second = k != top && n[k][k] > n[second][second] ? k : second;
    }
    // The two largest eigenvalues add up to 2 s1 and differ by 2 (s2 + s3).
    double lowest = n[top][top] - tolerance * (n[top][top] + n[second][second]);
    pbdrQuat sum = {0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++) {
        double* e = vectors[k];
        if (k == top || n[k][k] >= lowest) {
            sum = (pbdrQuat){sum.w + e[0] * e[0], sum.x + e[0] * e[1], sum.y + e[0] * e[2],
                             sum.z + e[0] * e[3]};
        }
    }
    // A projection shorter than 2^-50 (its square is sum.w) is rounding: the guess is half a turn away from
    // all maximisers, and all are equally near.
    if (sum.w < 0x1p-100) {
        double* e = vectors[top];
        sum = (pbdrQuat){e[0], e[1], e[2], e[3]};
    }
    return pbdrNormalizeQ(sum);
}

bool pbdrPolarRotation(const pbdrMat3* a, pbdrQuat guess, double tolerance, pbdrQuat* rotation)
{
    double largest = getLargestEntry(a);
    if (largest < 0.0) {
        return false;
    }
    if (largest == 0.0) {
        *rotation = guess;
        return true;
    }
    pbdrMat3 scaled = scaleToOne(a, largest);
    double n[4][4];
    buildQuadraticForm(&scaled, guess, n);
    // s1 is below 3, nine entries of at most 1, so a gap above this is no tie on the slow path either.
    double tieGap = 2.0 * tolerance * 3.0;
    pbdrVec3 v;
    pbdrQuat turn;
    if (solveNearGuess(n, tieGap > MIN_FAST_GAP ? tieGap : MIN_FAST_GAP, &v)) {
        turn = (pbdrQuat){1.0, v.x, v.y, v.z};
    } else {
        turn = projectOnTopSpace(n, tolerance);
    }
    pbdrQuat q = pbdrNormalizeQ(pbdrMulQQ(guess, turn));
    double side = q.w * guess.w + q.x * guess.x + q.y * guess.y + q.z * guess.z;
    *rotation = side < 0.0 ? (pbdrQuat){-q.w, -q.x, -q.y, -q.z} : q;
    return true;
}
