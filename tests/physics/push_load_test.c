// Laws of friction under a base: the load that Test 7's reference rests on.
#include "check.h"
#include "reference/push_mode.h"

static const double a = 0.1;                   // half side [m]
static const double turnArm = 0.0765195716464; // a (sqrt 2 + asinh 1)/3: mean distance from the middle [m]

// A number in [-1, 1): Knuth's linear congruential generator, the same on every machine.
static double draw(unsigned long long* seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static BenchBase makeBase(BenchSupport support, int n)
{
    return (BenchBase){.support = support, .a = a, .n = n, .reach = (n - 1) * a / n, .smoothing = 1.0e-8};
}

// v up to 1 m/s, w up to 20 rad/s: the centre of rotation inside the base, near and far.
static BenchTwist drawTwist(unsigned long long* seed)
{
    BenchTwist v = {draw(seed), draw(seed), 20.0 * draw(seed)};
    return v;
}

static double getPower(const BenchBase* base, const BenchPressure* pressure, BenchTwist v)
{
    BenchWrench load = benchGetLoad(base, pressure, v);
    return load.x * v.x + load.y * v.y + load.m * v.w;
}

// Largest difference of two loads, the moment over a.
static double compare(BenchWrench p, BenchWrench q)
{
    return fmax(fmax(fabs(p.x - q.x), fabs(p.y - q.y)), fabs(p.m - q.m) / a);
}

// The load, the mean pressure and its centre, by a midpoint sum over n x n cells.
typedef struct CellSum {
    BenchWrench load;
    double mean, x, y;
} CellSum;

static CellSum sumCells(const BenchPressure* pressure, BenchTwist v, int n)
{
    CellSum sum = {0};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double x = a * (2.0 * i + 1.0 - n) / n, y = a * (2.0 * j + 1.0 - n) / n;
            double p = fmax(0.0, pressure->k0 + (pressure->kx * x + pressure->ky * y) / a) / ((double)n * n);
            double ux = v.x - v.w * y, uy = v.y + v.w * x, speed = hypot(ux, uy);
            sum.load.x += p * ux / speed;
            sum.load.y += p * uy / speed;
            sum.load.m += p * (x * uy - y * ux) / speed;
            sum.mean += p;
            sum.x += p * x;
            sum.y += p * y;
        }
    }
    return sum;
}

// f = dP/dv, m = dP/dw with P the dissipated power. Central differences of step h: the error h^2 P'''/6 is
// largest with the centre of rotation on the base, where P''' ~ 1/speed^2; h = 1e-5 of the speed and rounding
// eps/h give 1e-10.
static void load__is_the_gradient_of_the_power(void)
{
    const BenchBase bases[] = {makeBase(benchSupportUniform, 2), makeBase(benchSupportPoints, 4),
                               makeBase(benchSupportEllipsoid, 2)};
    unsigned long long seed = 1;
    double worst = 0.0;
    for (int k = 0; k < 3000; k++) {
        const BenchBase* base = &bases[k % 3];
        BenchPressure pressure = benchEvenPressure();
        if (k % 3 < 2 && k % 2 == 0) {
            CHECK(benchFindPressure(base, 0.04 * draw(&seed), 0.04 * draw(&seed), &pressure));
        }
        BenchTwist v = drawTwist(&seed);
        double h = 1.0e-5 * hypot(hypot(v.x, v.y), a * v.w);
        BenchWrench load = benchGetLoad(base, &pressure, v);
        BenchTwist dx = {h, 0.0, 0.0}, dy = {0.0, h, 0.0}, dw = {0.0, 0.0, h / a};
        const BenchTwist steps[] = {dx, dy, dw};
        double slopes[3];
        for (int i = 0; i < 3; i++) {
            BenchTwist d = steps[i];
            slopes[i] = (getPower(base, &pressure, (BenchTwist){v.x + d.x, v.y + d.y, v.w + d.w}) -
                         getPower(base, &pressure, (BenchTwist){v.x - d.x, v.y - d.y, v.w - d.w})) /
                        (2.0 * (d.x + d.y + d.w));
        }
        worst = fmax(worst, compare(load, (BenchWrench){slopes[0], slopes[1], slopes[2]}));
    }
    CHECK_LE(worst, 1.0e-7); // points: P''' grows near each of them
}

// Where the closed form gives way to Gauss' sum both are exact. The closed form's terms come to 4 x 24 a
// where its moment is of the order of a, and each is rounded: 2e-14 a.
static void load__closed_form_and_gauss_sum_meet_at_the_switch(void)
{
    unsigned long long seed = 2;
    double force = 0.0, moment = 0.0, tilted = 0.0;
    for (int k = 0; k < 2000; k++) {
        double w = copysign(1.0, draw(&seed)), side = copysign(4.0 * a, draw(&seed)),
               other = 4.0 * a * draw(&seed);
        BenchTwist v = {k % 2 ? side : other, k % 2 ? other : side, w};
        BenchWrench closed = benchSumCorners(a, v), gauss = benchSumGauss(a, v);
        force = fmax(force, hypot(closed.x - gauss.x, closed.y - gauss.y));
        moment = fmax(moment, fabs(closed.m - gauss.m));
        BenchBase base = makeBase(benchSupportUniform, 2);
        BenchPressure pressure;
        CHECK(benchFindPressure(&base, 0.06 * draw(&seed), 0.06 * draw(&seed), &pressure));
        tilted = fmax(tilted, compare(benchSumEdges(a, &pressure, v), benchSumTriangles(a, &pressure, v)));
    }
    CHECK_LE(force, 1.0e-14);
    CHECK_LE(moment, 2.0e-14 * a);
    CHECK_LE(tilted, 1.0e-12); // (5a)^4 terms, and up to ten times the mean pressure
}

// The edges' sum under an even pressure is the corners' sum; with c on an edge and at a corner too.
static void load__of_edges_and_of_corners_agree(void)
{
    BenchPressure even = {.k0 = 1.0, .count = 4, .corners = {{-a, -a}, {a, -a}, {a, a}, {-a, a}}};
    unsigned long long seed = 3;
    double worst = 0.0;
    for (int k = 0; k < 1000; k++) {
        double cx = k % 3 == 0 ? a : 2.0 * a * draw(&seed), cy = k % 5 == 0 ? -a : 2.0 * a * draw(&seed);
        BenchTwist v = {cy, -cx, 1.0};
        worst = fmax(worst, compare(benchSumEdges(a, &even, v), benchSumCorners(a, v)));
    }
    CHECK_LE(worst, 1.0e-14);
}

// Midpoint cells of side b see u/|u| wrong only near the centre of rotation: an area b^2 of 4 a^2, and a
// smooth error of b^2/a^2; the pressure's kink likewise. b = a/250: 4e-6 and 16e-6 times the largest
// pressure.
static void load__of_a_tilted_pressure_is_the_sum_over_cells(void)
{
    BenchBase base = makeBase(benchSupportUniform, 2);
    unsigned long long seed = 4;
    double worst = 0.0, worstCentre = 0.0;
    for (int k = 0; k < 60; k++) {
        double x = 0.07 * draw(&seed), y = 0.07 * draw(&seed);
        BenchPressure pressure;
        CHECK(benchFindPressure(&base, x, y, &pressure));
        BenchTwist v = drawTwist(&seed);
        CellSum cells = sumCells(&pressure, v, 500);
        double largest = pressure.k0 + fabs(pressure.kx) + fabs(pressure.ky);
        worst = fmax(worst, compare(benchGetLoad(&base, &pressure, v), cells.load) / largest);
        worstCentre =
            fmax(worstCentre, fmax(fabs(cells.mean - 1.0), hypot(cells.x - x, cells.y - y) / a) / largest);
    }
    CHECK_LE(worst, 2.0e-5);
    CHECK_LE(worstCentre, 2.0e-5);
}

// Without lift-off the pressure's slope is 3 x/a of its mean over a; it lifts off where |x| + |y| > a/3; none
// beyond the base.
static void pressure__is_linear_until_a_corner_lifts_off(void)
{
    BenchBase base = makeBase(benchSupportUniform, 2);
    BenchPressure p;
    CHECK(benchFindPressure(&base, 0.02, -0.013, &p));
    CHECK_NEAR(p.k0, 1.0, 1e-14);
    CHECK_NEAR(p.kx, 0.6, 1e-14);
    CHECK_NEAR(p.ky, -0.39, 1e-14);
    CHECK_EQ(p.count, 4);
    CHECK(benchFindPressure(&base, 0.02, 0.0134, &p));
    CHECK_EQ(p.count, 5);
    // A push along an axis beyond a/3 leaves a strip of width 3 (a - x) under a wedge of pressure.
    CHECK(benchFindPressure(&base, 0.07, 0.0, &p));
    CHECK_NEAR(-p.k0 / p.kx * a, a - 3.0 * (a - 0.07), 1e-12);
    CHECK(!benchFindPressure(&base, 0.1001, 0.0, &p));
    BenchBase points = makeBase(benchSupportPoints, 4); // they reach to 0.075
    CHECK(benchFindPressure(&points, 0.06, 0.0, &p));
    CHECK(!benchFindPressure(&points, 0.08, 0.0, &p));
}

// Mean of p, p X/a and p Y/a over the base: quadratics, so that a triangle's mean is that of its edges'
// midpoints.
static void sumPressure(const BenchPressure* p, double sums[3])
{
    sums[0] = sums[1] = sums[2] = 0.0;
    for (int k = 1; k + 1 < p->count; k++) {
        const double* c[3] = {p->corners[0], p->corners[k], p->corners[k + 1]};
        double area =
            0.5 * ((c[1][0] - c[0][0]) * (c[2][1] - c[0][1]) - (c[1][1] - c[0][1]) * (c[2][0] - c[0][0]));
        for (int e = 0; e < 3; e++) {
            double x = 0.5 * (c[e][0] + c[(e + 1) % 3][0]) / a, y = 0.5 * (c[e][1] + c[(e + 1) % 3][1]) / a;
            double share = area / (12.0 * a * a) * (p->k0 + p->kx * x + p->ky * y);
            sums[0] += share;
            sums[1] += share * x;
            sums[2] += share * y;
        }
    }
}

// Towards the edge a strip of 3 (a - x) carries all, and digits are lost: the load is borne to 1e-9 at its
// place, or refused. A few hundredths of a millimetre from the edge it is refused.
static void pressure__bears_the_load_or_is_refused(void)
{
    BenchBase base = makeBase(benchSupportUniform, 2);
    int borne = 0, refused = 0;
    double worst = 0.0;
    for (int k = 0; k < 10000; k++) {
        double x = 1.0 - pow(10.0, -0.05 * (k % 100)), y = 1.0 - pow(10.0, -0.05 * (k / 100)), sums[3];
        BenchPressure p;
        if (!benchFindPressure(&base, a * x, a * y, &p)) {
            refused++;
            continue;
        }
        borne++;
        sumPressure(&p, sums);
        worst = fmax(worst, fabs(sums[0] - 1.0) + fabs(sums[1] - x) + fabs(sums[2] - y));
    }
    CHECK_LE(worst, 1e-9);
    CHECK_GE(borne, 2000);
    CHECK_GE(refused, 1000);
    BenchPressure p;
    CHECK(benchFindPressure(&base, 0.999 * a, 0.0, &p));
}

// The lattice carries an even load with the even base's mean of X^2, a^2/3, so a load at x takes a slope of 3 x/a.
// One cell is four corners: a^2.
static void lattice__has_the_even_bases_second_moment(void)
{
    for (int cells = 1; cells <= 12; cells += cells < 3 ? 1 : 9) {
        BenchBase base = {.support = benchSupportPoints, .a = a, .n = cells + 1, .reach = a, .lattice = true};
        const BenchPointShares shares = benchGetPointShares(&base);
        double sum = 0.0;
        for (int k = 0; k < base.n * base.n; k++) {
            sum += benchGetPointShare(&shares, k / base.n, k % base.n);
        }
        CHECK_NEAR(sum, 1.0, 1e-14);
        BenchPressure p;
        CHECK(benchFindPressure(&base, 0.02, -0.013, &p));
        double second = cells == 1 ? 1.0 : 1.0 / 3.0;
        CHECK_NEAR(p.k0, 1.0, 1e-13);
        CHECK_NEAR(p.kx, 0.2 / second, 1e-13);
        CHECK_NEAR(p.ky, -0.13 / second, 1e-13);
        CHECK(benchFindPressure(&base, 0.099, 0.0, &p)); // it reaches to a
    }
}

// Sliding without turning costs mu M g whatever carries it, turning on the spot mu M g times the mean
// distance.
static void load__of_pure_motions_is_known(void)
{
    unsigned long long seed = 5;
    BenchPressure even = benchEvenPressure();
    for (int k = 0; k < 3; k++) {
        BenchBase base = makeBase((BenchSupport)k, 5);
        for (int i = 0; i < 20; i++) {
            double angle = 3.2 * draw(&seed);
            BenchWrench slide = benchGetLoad(&base, &even, (BenchTwist){cos(angle), sin(angle), 0.0});
            CHECK_LE(compare(slide, (BenchWrench){cos(angle), sin(angle), 0.0}), 1e-14);
        }
        BenchWrench turn = benchGetLoad(&base, &even, (BenchTwist){0.0, 0.0, -3.0});
        CHECK_LE(hypot(turn.x, turn.y), 1e-14);
        if (k != benchSupportPoints) {
            CHECK_NEAR(turn.m, -turnArm, 1e-11);
        }
    }
    BenchBase corners = {.support = benchSupportPoints, .a = a, .n = 2, .reach = a, .smoothing = 1e-8};
    CHECK_NEAR(benchGetLoad(&corners, &even, (BenchTwist){0.0, 0.0, 1.0}).m, a * sqrt(2.0), 1e-14);
}

// Means bound the power: max(|v|, c |w|) <= mean |u| <= sqrt(mean u^2) = sqrt(v^2 + 2/3 a^2 w^2); so the
// limit surface is inside the ellipsoid with the semi-axis sqrt(2/3) a, and inside the cylinder |f| <= 1, |m|
// <= c.
static void load__lies_within_the_ellipsoid_of_mean_squares(void)
{
    BenchBase base = makeBase(benchSupportUniform, 2);
    BenchPressure even = benchEvenPressure();
    unsigned long long seed = 6;
    for (int k = 0; k < 2000; k++) {
        BenchTwist v = drawTwist(&seed);
        BenchWrench f = benchGetLoad(&base, &even, v);
        double power = getPower(&base, &even, v), speed = hypot(v.x, v.y);
        CHECK(power >= fmax(speed, turnArm * fabs(v.w)) * (1.0 - 1e-9));
        CHECK(power <= sqrt(speed * speed + 2.0 / 3.0 * a * a * v.w * v.w) * (1.0 + 1e-12));
        CHECK(f.x * f.x + f.y * f.y + f.m * f.m / (2.0 / 3.0 * a * a) <= 1.0 + 1e-12);
        CHECK(hypot(f.x, f.y) <= 1.0 + 1e-12 && fabs(f.m) <= turnArm * (1.0 + 1e-9));
    }
}

// Mason 1986: of the push's direction and the friction cone's two edges, all through the contact, most pass
// the centre on the side that says how the box turns, whatever the pressure with its centre there. And
// friction opposes slip.
static void push__turns_as_masons_theorem_votes(void)
{
    unsigned long long seed = 7;
    const BenchBase bases[] = {makeBase(benchSupportUniform, 2), makeBase(benchSupportPoints, 3),
                               makeBase(benchSupportPoints, 10), makeBase(benchSupportEllipsoid, 2)};
    BenchPressure even = benchEvenPressure();
    int turns = 0;
    for (int k = 0; k < 2000; k++) {
        double direction = 1.4 * draw(&seed), mu = 0.6 + 0.6 * draw(&seed), normal = 0.5 * draw(&seed);
        BenchContact c = {.qx = -a,
                          .qy = a * draw(&seed),
                          .normal = normal,
                          .ux = cos(normal + direction),
                          .uy = sin(normal + direction),
                          .alpha = atan(mu)};
        const double rays[3] = {normal + direction, normal - c.alpha, normal + c.alpha};
        int votes = 0;
        double closest = 1.0;
        for (int i = 0; i < 3; i++) {
            double arm = c.qx * sin(rays[i]) - c.qy * cos(rays[i]);
            votes += arm > 0.0 ? 1 : -1;
            closest = fmin(closest, fabs(arm));
        }
        const BenchBase* base = &bases[k % 4];
        int mode = benchChooseMode(base, &even, &c);
        BenchPush push = benchPushBox(base, &even, &c, mode);
        if (closest > 1e-6) { // else the vote is a draw but for rounding
            CHECK((push.twist.w > 0.0) == (votes > 0));
            turns++;
        }
        CHECK(mode == 0 ? push.slip == 0.0 : push.slip * mode > 0.0);
        CHECK(push.margin >= 0.0);
    }
    CHECK_GE(turns, 1900);
}

int main(int argc, char** argv)
{
    CASES(
        argc, argv, {"load__is_the_gradient_of_the_power", load__is_the_gradient_of_the_power},
        {"load__closed_form_and_gauss_sum_meet_at_the_switch",
         load__closed_form_and_gauss_sum_meet_at_the_switch},
        {"load__of_edges_and_of_corners_agree", load__of_edges_and_of_corners_agree},
        {"load__of_a_tilted_pressure_is_the_sum_over_cells",
         load__of_a_tilted_pressure_is_the_sum_over_cells},
        {"lattice__has_the_even_bases_second_moment", lattice__has_the_even_bases_second_moment},
        {"load__of_pure_motions_is_known", load__of_pure_motions_is_known},
        {"load__lies_within_the_ellipsoid_of_mean_squares", load__lies_within_the_ellipsoid_of_mean_squares},
        {"pressure__bears_the_load_or_is_refused", pressure__bears_the_load_or_is_refused},
        {"pressure__is_linear_until_a_corner_lifts_off", pressure__is_linear_until_a_corner_lifts_off},
        {"push__turns_as_masons_theorem_votes", push__turns_as_masons_theorem_votes});
}
