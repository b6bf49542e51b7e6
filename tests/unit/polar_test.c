// The rotation in a matrix, against a singular value decomposition in long double.
//
// What to expect of double, with u = 2^-53 and A's largest singular value s1: the result is exact for A + E.
//   B = G^T A   G's entries err by 5u, the products of three by 3u: sqrt(3) 8u s1           14 u s1
//   Jacobi      up to 30 rotations, each 6u of |N| <= 3 s1, signs at random: sqrt(30) 18u   99 u s1
//   result      two quaternion products, two normalisations: 8u, which turns R by 16u       16 u s1
//   |E|         129 u s1, say                                                               64 epsilon s1
// From it, with gap = s2 + s3 (s3 signed as det A):
//   trace(R^T A) is below its maximum by 2 |E| at most, and by 2 gap more where that counts as a tie;
//   R is within |E| / gap of the true rotation.
#include "math/polar.h"

#include "check.h"
#include "math/vec.h"

#include <float.h>
#include <stdint.h>

#define PI 3.14159265358979323846
#define ERROR_SHARE (64.0 * DBL_EPSILON)

typedef long double Wide;

typedef struct Reference {
    Wide s[3];    // singular values of A / scale, descending; the last with the determinant's sign
    Wide r[3][3]; // a maximiser
    Wide scale;
} Reference;

// The largest of what must stay small, over a case's matrices.
typedef struct Worst {
    double unit;     // | |q| - 1 |
    double rotation; // |R^T R - I| and |det R - 1|, R as the library makes it from q
    double trace;    // how far below the maximum, beyond what a tie allows, per s1
    double turn;     // angle to the reference times gap, per s1; only where unique
    double side;     // - dot(guess, q)
} Worst;

static const Worst noneYet = {0.0, 0.0, -1.0, 0.0, -1.0};

static uint64_t randomState;

// splitmix64, uniform in [0, 1).
static double drawUniform(void)
{
    uint64_t z = (randomState += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double drawBetween(double low, double high)
{
    return low + (high - low) * drawUniform();
}

static double drawGaussian(void)
{
    double radius = sqrt(-2.0 * log(1.0 - drawUniform()));
    return radius * cos(2.0 * PI * drawUniform());
}

static pbdrQuat drawRotation(void)
{
    double v[4]; // in order: C leaves open which of several arguments is drawn first
    for (int i = 0; i < 4; i++) {
        v[i] = drawGaussian();
    }
    return pbdrNormalizeQ((pbdrQuat){v[0], v[1], v[2], v[3]});
}

// A turn by `angle` about a random axis.
static pbdrQuat drawTurn(double angle)
{
    pbdrQuat q = drawRotation();
    double s = sin(0.5 * angle) / sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    return (pbdrQuat){cos(0.5 * angle), s * q.x, s * q.y, s * q.z};
}

// R V diag(s) V^T: R is a maximiser as long as s2 + s3 >= 0.
static pbdrMat3 makeMatrix(pbdrQuat rotation, pbdrQuat axes, double s1, double s2, double s3)
{
    pbdrMat3 v = pbdrMatFromQuat(axes), r = pbdrMatFromQuat(rotation);
    pbdrMat3 s = {{{s1, 0.0, 0.0}, {0.0, s2, 0.0}, {0.0, 0.0, s3}}};
    pbdrMat3 stretch = pbdrTurnTensor(&v, &s);
    return pbdrMulMM(&r, &stretch);
}

static Wide dotWide(const Wide a[3], const Wide b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void crossWide(const Wide a[3], const Wide b[3], Wide c[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}

// Columns p, q of A V made orthogonal by turning V in their plane; columns are stored as rows here.
static void orthogonalise(Wide av[3][3], Wide v[3][3], int p, int q)
{
    Wide pp = dotWide(av[p], av[p]), qq = dotWide(av[q], av[q]), pq = dotWide(av[p], av[q]);
    if (fabsl(pq) <= (Wide)LDBL_EPSILON * sqrtl(pp * qq) && pp >= qq) {
        return;
    }
    Wide angle = 0.5L * atan2l(2.0L * pq, pp - qq); // puts the longer column first
    Wide c = cosl(angle), s = sinl(angle);
    for (int k = 0; k < 3; k++) {
        Wide x = av[p][k], y = av[q][k], vx = v[p][k], vy = v[q][k];
        av[p][k] = c * x + s * y;
        av[q][k] = c * y - s * x;
        v[p][k] = c * vx + s * vy;
        v[q][k] = c * vy - s * vx;
    }
}

// One-sided Jacobi: A V = U diag(s) with U and V right-handed, so that R = U V^T. A must not be zero.
static Reference solveReference(const pbdrMat3* a)
{
    double largest = 0.0;
    for (int i = 0; i < 9; i++) {
        largest = fmax(largest, fabs(a->m[i / 3][i % 3]));
    }
    int exponent;
    (void)frexp(largest, &exponent);
    Wide av[3][3], v[3][3] = {{1.0L, 0.0L, 0.0L}, {0.0L, 1.0L, 0.0L}, {0.0L, 0.0L, 1.0L}}, u[3][3];
    for (int i = 0; i < 9; i++) {
        av[i % 3][i / 3] = ldexpl((Wide)a->m[i / 3][i % 3], -exponent);
    }
    for (int sweep = 0; sweep < 12; sweep++) {
        orthogonalise(av, v, 0, 1);
        orthogonalise(av, v, 0, 2);
        orthogonalise(av, v, 1, 2);
    }
    Reference reference = {.scale = ldexpl(1.0L, exponent)};
    for (int i = 0; i < 2; i++) {
        reference.s[i] = sqrtl(dotWide(av[i], av[i]));
    }
    // Rank 1: any second axis at right angles to the first will do. Of its products with the coordinate axes
    // take one that is not short.
    Wide second[3] = {av[1][0], av[1][1], av[1][2]};
    for (int k = 0; k < 3; k++) {
        u[0][k] = av[0][k] / reference.s[0];
    }
    if (reference.s[1] < 1e-30L * reference.s[0]) {
        bool alongX = fabsl(u[0][0]) > 0.8L;
        crossWide(u[0], (Wide[3]){alongX ? 0.0L : 1.0L, alongX ? 1.0L : 0.0L, 0.0L}, second);
    }
    Wide length = sqrtl(dotWide(second, second));
    for (int k = 0; k < 3; k++) {
        u[1][k] = second[k] / length;
    }
    crossWide(u[0], u[1], u[2]);
    reference.s[2] = dotWide(u[2], av[2]);
    for (int i = 0; i < 9; i++) {
        int row = i / 3, column = i % 3;
        reference.r[row][column] =
            u[0][row] * v[0][column] + u[1][row] * v[1][column] + u[2][row] * v[2][column];
    }
    return reference;
}

static void matrixFromQuatWide(pbdrQuat q, Wide r[3][3])
{
    Wide w = (Wide)q.w, v[3] = {(Wide)q.x, (Wide)q.y, (Wide)q.z};
    Wide square = dotWide(v, v), norm = w * w + square;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        r[i][i] = (w * w - square + 2.0L * v[i] * v[i]) / norm;
        r[i][j] = 2.0L * (v[i] * v[j] - w * v[k]) / norm;
        r[j][i] = 2.0L * (v[i] * v[j] + w * v[k]) / norm;
    }
}

static double dotQ(pbdrQuat a, pbdrQuat b)
{
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

// Largest entry of R^T R - I, or |det R - 1| if larger.
static double measureRotation(pbdrQuat q)
{
    pbdrMat3 r = pbdrMatFromQuat(q), rt = pbdrTranspose(&r), product = pbdrMulMM(&rt, &r);
    double worst = 0.0;
    for (int i = 0; i < 9; i++) {
        worst = fmax(worst, fabs(product.m[i / 3][i % 3] - (i / 3 == i % 3 ? 1.0 : 0.0)));
    }
    pbdrVec3 c0 = {r.m[0][0], r.m[0][1], r.m[0][2]}, c1 = {r.m[1][0], r.m[1][1], r.m[1][2]};
    pbdrVec3 c2 = {r.m[2][0], r.m[2][1], r.m[2][2]};
    return fmax(worst, fabs(pbdrDot(pbdrCross(c0, c1), c2) - 1.0));
}

// Solves for A, adds what is wrong with the result to *worst and returns the result.
static pbdrQuat solveAndCompare(const pbdrMat3* a, pbdrQuat guess, double tolerance, Worst* worst)
{
    pbdrQuat q = {-9.0, -9.0, -9.0, -9.0};
    CHECK(pbdrPolarRotation(a, guess, tolerance, &q));
    Reference reference = solveReference(a);
    Wide r[3][3], trace = 0.0L, square = 0.0L;
    matrixFromQuatWide(q, r);
    for (int i = 0; i < 9; i++) {
        Wide difference = r[i / 3][i % 3] - reference.r[i / 3][i % 3];
        trace += r[i / 3][i % 3] * ((Wide)a->m[i / 3][i % 3] / reference.scale);
        square += difference * difference;
    }
    double s1 = (double)reference.s[0], gap = (double)(reference.s[1] + reference.s[2]);
    double loss = (double)(reference.s[0] + reference.s[1] + reference.s[2] - trace);
    // Whether a gap within rounding of the tolerance is a tie is the library's choice. A tie of two may cost
    // twice the gap, one of three twice s1 + s3.
    bool maybeTie = gap <= tolerance * s1 + ERROR_SHARE * s1;
    double third = (double)(reference.s[0] + reference.s[2]);
    double allowed = third <= tolerance * s1 + ERROR_SHARE * s1 ? 2.0 * third : maybeTie ? 2.0 * gap : 0.0;
    worst->trace = fmax(worst->trace, (loss - allowed) / s1);
    // |R - R'|_F = sqrt(8) sin(angle/2). Where |E| / gap is large the estimate is void; the trace still
    // counts.
    if (!maybeTie && ERROR_SHARE * s1 < 0.1 * gap) {
        double angle = 2.0 * asin(fmin(1.0, sqrt((double)square / 8.0)));
        worst->turn = fmax(worst->turn, angle * gap / s1);
    }
    Wide w = (Wide)q.w, x = (Wide)q.x, y = (Wide)q.y, z = (Wide)q.z;
    worst->unit = fmax(worst->unit, (double)fabsl(sqrtl(w * w + x * x + y * y + z * z) - 1.0L));
    worst->rotation = fmax(worst->rotation, measureRotation(q));
    worst->side = fmax(worst->side, -dotQ(guess, q));
    return q;
}

static void checkWorst(const Worst* worst)
{
    // Four squares and their sum round by 4u, halved by the root; root, quotient and product add 1u each.
    CHECK_LE(worst->unit, 2.5 * DBL_EPSILON);
    // pbdrMatFromQuat turns a length of 1 + d into R = I + (1 + 2d)(R' - I): R^T R and det R are off by 8d =
    // 40u at a half turn. Its entries round by 5u: 26u in the determinant, which itself rounds by 10u.
    CHECK_LE(worst->rotation, 38.0 * DBL_EPSILON);
    CHECK_LE(worst->trace, 2.0 * ERROR_SHARE);
    CHECK_LE(worst->turn, ERROR_SHARE);
    CHECK_LE(worst->side, 0.0);
}

// Guesses as they come: anywhere; near, as in a simulation; right; half a turn off.
static pbdrQuat drawGuess(pbdrQuat truth, int kind)
{
    static const double angles[] = {1.0e-9, 1.0e-3, 0.3, 0.0, PI};
    int count = (int)(sizeof angles / sizeof angles[0]);
    return kind % (count + 1) == count ? drawRotation()
                                       : pbdrMulQQ(truth, drawTurn(angles[kind % (count + 1)]));
}

static void polar__matches_reference_on_random_matrices(void)
{
    Worst worst = noneYet;
    randomState = 1;
    for (int n = 0; n < 30000; n++) {
        pbdrMat3 a;
        for (int i = 0; i < 9; i++) {
            a.m[i / 3][i % 3] = drawGaussian();
        }
        pbdrQuat truth = solveAndCompare(&a, drawRotation(), 1.0e-14, &worst);
        solveAndCompare(&a, drawGuess(truth, n), 1.0e-14, &worst);
    }
    checkWorst(&worst);
}

static void polar__matches_reference_at_every_conditioning(void)
{
    Worst worst = noneYet;
    randomState = 2;
    for (int n = 0; n < 40000; n++) {
        double s2 = pow(10.0, drawBetween(-16.0, 0.0));
        double s3 = s2 * pow(10.0, drawBetween(-16.0, 0.0)) * (n % 2 == 0 ? 1.0 : -1.0);
        pbdrQuat truth = drawRotation();
        pbdrMat3 a = makeMatrix(truth, drawRotation(), 1.0, s2, n % 5 == 0 ? 0.0 : s3);
        solveAndCompare(&a, drawGuess(truth, n / 2), 1.0e-14, &worst);
    }
    checkWorst(&worst);
}

static void polar__matches_reference_on_reflections_that_nearly_tie(void)
{
    Worst worst = noneYet;
    randomState = 3;
    for (int n = 0; n < 30000; n++) {
        // s3 near -s2, and for every third matrix s2 near s1 as well: three eigenvalues meet.
        double s2 = n % 3 == 0 ? 1.0 - pow(10.0, drawBetween(-16.0, 0.0)) : drawUniform();
        double s3 = -s2 * (1.0 - pow(10.0, drawBetween(-16.0, 0.0)));
        pbdrQuat truth = drawRotation();
        pbdrMat3 a = makeMatrix(truth, drawRotation(), 1.0, s2, s3);
        solveAndCompare(&a, drawGuess(truth, n / 3), 1.0e-14, &worst);
    }
    checkWorst(&worst);
}

static void polar__matches_reference_on_float_matrices(void)
{
    Worst worst = noneYet;
    randomState = 4;
    for (int n = 0; n < 20000; n++) {
        double s2 = pow(10.0, drawBetween(-8.0, 0.0)), s3 = s2 * drawBetween(-1.0, 1.0);
        double scale = n % 4 == 0 ? 1.0e-40 : 1.0; // float's denormals, which keep few digits
        pbdrQuat truth = drawRotation();
        pbdrMat3 a = makeMatrix(truth, drawRotation(), scale, scale * s2, scale * s3);
        for (int i = 0; i < 9; i++) {
            a.m[i / 3][i % 3] = (double)(float)a.m[i / 3][i % 3];
        }
        solveAndCompare(&a, drawGuess(truth, n / 4), 1.0e-6, &worst);
    }
    checkWorst(&worst);
}

static void polar__solves_every_signed_permutation_and_diagonal(void)
{
    static const double entries[] = {0.0, 1.0, -1.0, 0.5, -0.5, 1.0e-9, -1.0e-9, 1.0e-17};
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    Worst worst = noneYet;
    randomState = 5;
    for (int n = 1; n < 512 * 6; n++) { // 0 is the zero matrix, tested below
        double d[3] = {entries[n % 8], entries[n / 8 % 8], entries[n / 64 % 8]};
        if (d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0) {
            continue;
        }
        pbdrMat3 a = {{{0.0}}};
        for (int i = 0; i < 3; i++) {
            a.m[i][orders[n / 512][i]] = d[i];
        }
        // Guesses with exact zeros: where Newton's method starts at a saddle or at the minimum.
        static const pbdrQuat guesses[] = {{1, 0, 0, 0}, {0, 1, 0, 0},         {0, 0, 1, 0},
                                           {0, 0, 0, 1}, {0.5, 0.5, 0.5, 0.5}, {0.5, 0.5, -0.5, -0.5}};
        for (int k = 0; k < 6; k++) {
            solveAndCompare(&a, guesses[k], 1.0e-14, &worst);
        }
        solveAndCompare(&a, drawRotation(), 1.0e-14, &worst);
    }
    checkWorst(&worst);
}

static void polar__escapes_saddles_and_minima(void)
{
    // Half turns about A's own axes are the critical points of trace(R^T A) other than the maximum.
    static const pbdrQuat turns[] = {{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    Worst worst = noneYet;
    randomState = 6;
    for (int n = 0; n < 9000; n++) {
        pbdrQuat truth = drawRotation(), axes = n % 2 == 0 ? drawRotation() : (pbdrQuat){1, 0, 0, 0};
        double s2 = drawUniform(), s3 = drawUniform();
        pbdrMat3 a = makeMatrix(truth, axes, 1.0, s2, s3);
        pbdrQuat turn = pbdrMulQQ(pbdrMulQQ(axes, turns[n % 3]), pbdrConjugate(axes));
        solveAndCompare(&a, pbdrMulQQ(truth, turn), 1.0e-14, &worst);
    }
    checkWorst(&worst);
}

static void polar__gives_the_same_bits_at_every_scale(void)
{
    Worst worst = noneYet;
    randomState = 7;
    for (int n = 0; n < 4000; n++) {
        pbdrQuat truth = drawRotation(), axes = drawRotation(), guess = drawGuess(truth, n), q, scaledQ;
        double s2 = drawUniform(), s3 = s2 * drawBetween(-1.0, 1.0);
        pbdrMat3 a = makeMatrix(truth, axes, 1.0, s2, s3), scaled, tiny;
        // Entries of less than 2^-100 do not come up, so none becomes denormal in `scaled`.
        int exponent = (int)drawBetween(-900.0, 1000.0);
        for (int i = 0; i < 9; i++) {
            scaled.m[i / 3][i % 3] = ldexp(a.m[i / 3][i % 3], exponent);
            tiny.m[i / 3][i % 3] = ldexp(a.m[i / 3][i % 3], -1022 - n % 53); // denormal down to the last bit
        }
        CHECK(pbdrPolarRotation(&a, guess, 1.0e-14, &q));
        CHECK(pbdrPolarRotation(&scaled, guess, 1.0e-14, &scaledQ));
        CHECK(memcmp(&q, &scaledQ, sizeof q) == 0);
        solveAndCompare(&scaled, guess, 1.0e-14, &worst);
        solveAndCompare(&tiny, guess, 1.0e-14, &worst);
    }
    checkWorst(&worst);
}

// How much nearer to the guess than q the nearest of 64 other maximisers is. Those of a pair that cancels
// (rank 1 included) are R and any turn about the first of its axes, those of -R are R and any half turn.
static double measureNearer(pbdrQuat truth, pbdrQuat axes, bool inverted, pbdrQuat guess, pbdrQuat q)
{
    pbdrMat3 v = pbdrMatFromQuat(axes);
    pbdrVec3 axis = pbdrVec(v.m[0][0], v.m[1][0], v.m[2][0]);
    double worst = -1.0;
    for (int k = 0; k < 64; k++) {
        pbdrVec3 turn = pbdrScale((k + drawUniform()) * PI / 32.0, axis);
        pbdrQuat other = pbdrMulQQ(truth, inverted ? drawTurn(PI) : pbdrQuatFromVector(turn));
        worst = fmax(worst, fabs(dotQ(guess, other)) - dotQ(guess, q));
    }
    return worst;
}

static void polar__picks_the_maximiser_nearest_to_the_guess(void)
{
    Worst worst = noneYet;
    double nearer = -1.0;
    randomState = 8;
    for (int n = 0; n < 8000; n++) {
        pbdrQuat truth = drawRotation(), axes = drawRotation(), guess = drawGuess(truth, n / 4);
        double s2 = n % 4 == 0 ? 0.0 : 0.5 * drawUniform();
        bool inverted = n % 4 == 3;
        pbdrMat3 a =
            inverted ? makeMatrix(truth, axes, -1.0, -1.0, -1.0) : makeMatrix(truth, axes, 1.0, s2, -s2);
        pbdrQuat q = solveAndCompare(&a, guess, 1.0e-14, &worst);
        nearer = fmax(nearer, measureNearer(truth, axes, inverted, guess, q));
    }
    // The next eigenvalue is 2 (s1 + s3) >= s1 below these tied ones, so the space they span is within |E| /
    // s1 of the true one, and dot(guess, q) moves by no more.
    checkWorst(&worst);
    CHECK_LE(nearer, ERROR_SHARE);
}

static void polar__keeps_the_guess_for_the_zero_matrix(void)
{
    pbdrMat3 zero = {{{0.0}}};
    pbdrQuat guess = {0.5, -0.5, 0.5, -0.5}, q;
    zero.m[1][2] = -0.0;
    CHECK(pbdrPolarRotation(&zero, guess, 0.0, &q));
    CHECK(memcmp(&q, &guess, sizeof q) == 0);
}

static void polar__leaves_the_result_alone_if_not_finite(void)
{
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int n = 0; n < 27; n++) {
        pbdrMat3 a = {{{1.0, 2.0, 3.0}, {0.0, 0.0, 0.0}, {-1.0e308, 5.0, 1.0e308}}};
        pbdrQuat q = {7.0, 8.0, 9.0, 10.0};
        a.m[n / 9][n % 3] = bad[n / 3 % 3];
        CHECK(!pbdrPolarRotation(&a, (pbdrQuat){1, 0, 0, 0}, 1.0e-14, &q));
        CHECK(q.w == 7.0 && q.x == 8.0 && q.y == 9.0 && q.z == 10.0);
    }
}

// A chain of spheres, its A summed in float: A = R diag(1, 0, 0) plus noise of 4 * 2^-24 in each entry. The
// chain turns about z by `rate` per call, and each result is the next guess. Transported without spin, R
// stays a turn about z.
static double measureRodSpin(double rate, double tolerance)
{
    pbdrQuat q = {1.0, 0.0, 0.0, 0.0};
    double worst = 0.0;
    for (int n = 1; n <= 10000; n++) {
        pbdrQuat truth = pbdrQuatFromVector(pbdrVec(0.0, 0.0, rate * n));
        pbdrMat3 r = pbdrMatFromQuat(truth), a;
        for (int i = 0; i < 9; i++) {
            double exact = i % 3 == 0 ? r.m[i / 3][0] : 0.0;
            a.m[i / 3][i % 3] = (double)(float)(exact + drawBetween(-1.0, 1.0) * 4.0 * 0x1p-24);
        }
        CHECK(pbdrPolarRotation(&a, q, tolerance, &q));
        pbdrQuat error = pbdrMulQQ(pbdrConjugate(truth), q);
        worst = fmax(worst, 2.0 * pbdrLength(pbdrVec(error.x, error.y, error.z)));
    }
    return worst;
}

static void polar__keeps_a_rods_spin_under_float_noise(void)
{
    randomState = 9;
    // Two entries of noise tilt the axis that R maps from, two more the axis that it maps to; rounding to
    // float adds 1/8 of the noise.
    double noise = 4.5 * 0x1p-24, tilt = 2.0 * sqrt(2.0) * noise;
    // From call to call the axis wanders by tilt, which spins the rod by the solid angle swept, tilt^2.
    CHECK_LE(measureRodSpin(0.0, PBDR_INERTIA_CUTOFF_F32), tilt + 10000.0 * tilt * tilt);
    // The moving axis sweeps rate * tilt per call, of random sign: the sum grows as the root; four
    // deviations.
    CHECK_LE(measureRodSpin(0.01, PBDR_INERTIA_CUTOFF_F32),
             tilt + 10000.0 * tilt * tilt + 4.0 * sqrt(10000.0) * 0.01 * tilt);
    // And that it is the tolerance which holds it: with double's the noise spins the rod.
    CHECK_GE(measureRodSpin(0.0, PBDR_INERTIA_CUTOFF_F64), 0.1);
}

int main(int argc, char** argv)
{
    CASES(
        argc, argv,
        {"polar__matches_reference_on_random_matrices", polar__matches_reference_on_random_matrices},
        {"polar__matches_reference_at_every_conditioning", polar__matches_reference_at_every_conditioning},
        {"polar__matches_reference_on_reflections_that_nearly_tie",
         polar__matches_reference_on_reflections_that_nearly_tie},
        {"polar__matches_reference_on_float_matrices", polar__matches_reference_on_float_matrices},
        {"polar__solves_every_signed_permutation_and_diagonal",
         polar__solves_every_signed_permutation_and_diagonal},
        {"polar__escapes_saddles_and_minima", polar__escapes_saddles_and_minima},
        {"polar__gives_the_same_bits_at_every_scale", polar__gives_the_same_bits_at_every_scale},
        {"polar__picks_the_maximiser_nearest_to_the_guess", polar__picks_the_maximiser_nearest_to_the_guess},
        {"polar__keeps_the_guess_for_the_zero_matrix", polar__keeps_the_guess_for_the_zero_matrix},
        {"polar__leaves_the_result_alone_if_not_finite", polar__leaves_the_result_alone_if_not_finite},
        {"polar__keeps_a_rods_spin_under_float_noise", polar__keeps_a_rods_spin_under_float_noise});
}
