// Masses that weigh right: whatever the spheres, the point masses and their extra inertia together have the
// solid's mass, centre and inertia to 1e-12.
#include "check.h"
#include "math/vec.h"
#include "pbdr/geometry.h"
#include "pbdr/meshfile.h"

#include <float.h>
#include <stdint.h>

// --- Solids, frames, and how far off a set is ---

static double draw(uint64_t* seed) // 0 to 1
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

// A solid block about the origin.
static pbdrMassProperties makeBlock(double mass, double x, double y, double z)
{
    pbdrMassProperties p = {.mass = mass};
    double c = mass / 12.0;
    p.inertia = pbdrMakeInertia(c * x * x, c * y * y, c * z * z, 0.0, 0.0, 0.0);
    return p;
}

// Turns the spheres and the solid by q about the origin, then shifts both.
static void moveBoth(pbdrSphereSet* set, pbdrMassProperties* solid, pbdrQuat q, pbdrVec3 shift)
{
    pbdrMat3 r = pbdrMatFromQuat(pbdrNormalizeQ(q));
    for (int i = 0; i < set->count; i++) {
        set->positions[i] = pbdrAdd(shift, pbdrMulMV(&r, set->positions[i]));
    }
    solid->centre = pbdrAdd(shift, pbdrMulMV(&r, solid->centre));
    solid->inertia = pbdrTurnTensor(&r, &solid->inertia);
}

// The largest relative error of mass, centre (in radii of gyration) and inertia (of its largest entry),
// summed in long double about the solid's centre, so that what is seen are the masses' errors.
static double getError(const pbdrSphereSet* set, const pbdrMassFit* fit, const pbdrMassProperties* solid)
{
    long double mass = 0.0L, first[3] = {0.0L}, second[3][3] = {{0.0L}};
    for (int i = 0; i < set->count; i++) {
        long double d[3] = {(long double)set->positions[i].x - (long double)solid->centre.x,
                            (long double)set->positions[i].y - (long double)solid->centre.y,
                            (long double)set->positions[i].z - (long double)solid->centre.z};
        long double m = (long double)set->masses[i];
        mass += m;
        for (int j = 0; j < 3; j++) {
            first[j] += m * d[j];
            for (int k = 0; k < 3; k++) {
                second[j][k] += m * d[j] * d[k];
            }
        }
    }
    double size = 0.0, worst = fabs((double)(mass - (long double)solid->mass)) / solid->mass;
    for (int j = 0; j < 3; j++) {
        size = fmax(size, solid->inertia.m[j][j]);
    }
    double gyration = size > 0.0 ? sqrt(size / solid->mass) : 1.0;
    long double trace = second[0][0] + second[1][1] + second[2][2];
    for (int j = 0; j < 3; j++) {
        worst = fmax(worst, fabs((double)first[j]) / (solid->mass * gyration));
        for (int k = 0; k < 3; k++) {
            long double inertia = (j == k ? trace : 0.0L) - second[j][k];
            long double wanted = (long double)solid->inertia.m[j][k] - (long double)fit->extraInertia.m[j][k];
            worst = fmax(worst, fabs((double)(inertia - wanted)) / (size > 0.0 ? size : 1.0));
        }
    }
    return worst;
}

static bool isZero(const pbdrMat3* a)
{
    for (int i = 0; i < 9; i++) {
        if (a->m[i / 3][i % 3] != 0.0) {
            return false;
        }
    }
    return true;
}

// Fits and checks that the result is exact; the tolerance is the promise of geometry.h.
static pbdrMassFit fitExactly(pbdrSphereSet* set, const pbdrMassProperties* solid)
{
    pbdrMassFit fit;
    pbdrError error = {0};
    pbdrStatus status = pbdrSphereSet_FitMasses(set, solid, &fit, &error);
    CHECK_EQ(status, pbdr_statusOk);
    if (status != pbdr_statusOk) {
        printf("    %s\n", error.message);
        return fit;
    }
    CHECK_LE(getError(set, &fit, solid), 1e-12);
    CHECK_LE(fit.residual, 1e-12);
    CHECK_GE(fit.smallestRatio, fit.rung == pbdr_massesExtraInertia ? DBL_MIN : PBDR_MASS_FLOOR);
    CHECK(fit.rung == pbdr_massesExtraInertia || isZero(&fit.extraInertia));
    CHECK(fit.rung != pbdr_massesClosedForm || fit.newtonSteps == 0);
    for (int i = 0; i < set->count; i++) {
        if (!(set->masses[i] > 0.0)) {
            CHECK_GE(set->masses[i], DBL_MIN);
        }
    }
    return fit;
}

static const pbdrQuat turns[] = {{1.0, 0.0, 0.0, 0.0}, {0.3, -0.5, 0.7, 0.2}, {0.9, 0.1, 0.0, -0.4}};
#define TURN_COUNT ((int)(sizeof turns / sizeof turns[0]))

// --- Cubes ---

static void cube__masses_are_the_closed_formula(void)
{
    // With a = L/n and r the distance from the centre,
    //   m/m0 = 1 + 15/(n^2 - 4) [r^2/(a^2 (n^2 - 1)) - 1/4],   n >= 3
    // The lightest is nearest to the centre: 1/4 for n = 3 (r = 0), 3/4 for n = 4; no mass comes near the
    // floor. Tolerance: some roundings, of which the worst stand in the centre's 15/(n^2 - 4) 1/4 <= 3/4.
    double side = 0.2, mass = 4.0;
    for (int n = 3; n <= 16; n++) {
        pbdrSphereSet set;
        CHECK_EQ(pbdrPackBox(n, n, n, 0.5 * side / n, mass, NULL, &set, NULL), pbdr_statusOk);
        pbdrMassProperties solid = makeBlock(mass, side, side, side);
        pbdrMassFit fit = fitExactly(&set, &solid);
        CHECK_EQ(fit.rung, pbdr_massesClosedForm);
        double a = side / n, m0 = mass / set.count, worst = 0.0, smallest = (double)INFINITY;
        for (int i = 0; i < set.count; i++) {
            double square = pbdrDot(set.positions[i], set.positions[i]) / (a * a);
            double ratio = 1.0 + 15.0 / (n * n - 4.0) * (square / (n * n - 1.0) - 0.25);
            worst = fmax(worst, fabs(set.masses[i] / m0 - ratio));
            smallest = fmin(smallest, ratio);
        }
        CHECK_LE(worst, 1e-14);
        CHECK_NEAR(fit.smallestRatio, smallest, 1e-14);
        CHECK_GE(smallest, 0.25 - 1e-14);
        pbdrSphereSet_Free(&set);
    }
}

static void cube__point_mass_properties_are_the_solids(void)
{
    // As the rest of the library sees it. Plain sums of n^3 terms: each step rounds by half an ulp.
    for (int n = 3; n <= 16; n++) {
        pbdrSphereSet set;
        CHECK_EQ(pbdrPackBox(n, n, n, 0.1 / n, 4.0, NULL, &set, NULL), pbdr_statusOk);
        pbdrMassProperties solid = makeBlock(4.0, 0.2, 0.2, 0.2);
        fitExactly(&set, &solid);
        pbdrMassProperties p = pbdrSphereSet_GetMassProperties(&set);
        double tolerance = (set.count + 8) * DBL_EPSILON;
        CHECK_NEAR(p.mass, 4.0, tolerance * 4.0);
        CHECK_LE(pbdrLength(p.centre), tolerance * 0.2);
        for (int k = 0; k < 9; k++) {
            CHECK_NEAR(p.inertia.m[k / 3][k % 3], solid.inertia.m[k / 3][k % 3],
                       tolerance * solid.inertia.m[0][0]);
        }
        pbdrSphereSet_Free(&set);
    }
}

// --- What masses cannot do ---

static void extra_inertia__makes_two_per_axis_layers_and_rods_exact(void)
{
    // All spheres at the same distance from a centre plane (n = 2), in one plane, on one line, at one point:
    // the masses stay equal, and the rest is extra inertia. In any frame; the shift costs digits of positions
    // (ulp(3) / 0.1 = 4e-15), not more.
    static const struct {
        int nx, ny, nz;
    } grids[] = {{2, 2, 2}, {4, 4, 1}, {10, 1, 1}, {1, 1, 1}, {2, 4, 4}, {1, 1, 2}};
    for (size_t g = 0; g < sizeof grids / sizeof grids[0]; g++) {
        for (int t = 0; t < TURN_COUNT; t++) {
            int nx = grids[g].nx, ny = grids[g].ny, nz = grids[g].nz;
            pbdrSphereSet set;
            CHECK_EQ(pbdrPackBox(nx, ny, nz, 0.025, 4.0, NULL, &set, NULL), pbdr_statusOk);
            pbdrMassProperties solid = makeBlock(4.0, 0.05 * nx, 0.05 * ny, 0.05 * nz);
            pbdrMassProperties points = pbdrSphereSet_GetMassProperties(&set);
            moveBoth(&set, &solid, turns[t], pbdrVec(3.0 * t, -1.0 * t, 2.0 * t));
            pbdrMassFit fit = fitExactly(&set, &solid);
            CHECK_EQ(fit.rung, pbdr_massesExtraInertia);
            CHECK_NEAR(fit.smallestRatio, 1.0, 1e-12);
            double lacks = solid.inertia.m[0][0] + solid.inertia.m[1][1] + solid.inertia.m[2][2];
            for (int k = 0; k < 3; k++) {
                lacks -= points.inertia.m[k][k] + fit.extraInertia.m[k][k];
            }
            CHECK_NEAR(lacks, 0.0, 1e-12 * solid.inertia.m[0][0]);
            pbdrSphereSet_Free(&set);
        }
    }
}

static void extra_inertia__is_not_needed_for_a_solid_as_flat_as_its_spheres(void)
{
    // A plate without thickness, 4 x 4 spheres: z z = 0 is what the spheres have.
    for (int t = 0; t < TURN_COUNT; t++) {
        pbdrSphereSet set;
        CHECK_EQ(pbdrPackBox(4, 4, 1, 0.025, 4.0, NULL, &set, NULL), pbdr_statusOk);
        pbdrMassProperties solid = makeBlock(4.0, 0.2, 0.2, 0.0);
        moveBoth(&set, &solid, turns[t], pbdrVec(0.0, 0.0, 0.0));
        CHECK_EQ(fitExactly(&set, &solid).rung, pbdr_massesClosedForm);
        pbdrSphereSet_Free(&set);
    }
}

static void extra_inertia__of_a_single_sphere_is_its_own(void)
{
    pbdrSphereSet set;
    CHECK_EQ(pbdrPackBox(1, 1, 1, 0.1, 1.0, NULL, &set, NULL), pbdr_statusOk);
    pbdrMassProperties ball = {.mass = 3.0};
    ball.inertia = pbdrMakeInertia(0.006, 0.006, 0.006, 0.0, 0.0, 0.0);
    set.positions[0] = ball.centre = pbdrVec(7.0, 8.0, 9.0);
    pbdrMassFit fit = fitExactly(&set, &ball);
    CHECK_EQ(fit.rung, pbdr_massesExtraInertia);
    CHECK_EQ(set.masses[0], 3.0);
    CHECK_NEAR(fit.extraInertia.m[1][1], 0.012, 1e-17);
    // as a point it needs none
    ball.inertia = pbdrMakeInertia(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    CHECK_EQ(fitExactly(&set, &ball).rung, pbdr_massesClosedForm);
    pbdrSphereSet_Free(&set);
}

static void extra_inertia__may_be_negative(void)
{
    // Spheres on the solid's surface weigh too much about every axis, whatever their masses.
    pbdrSphereSet set;
    CHECK_EQ(pbdrPackBox(2, 2, 2, 0.05, 1.0, NULL, &set, NULL), pbdr_statusOk);
    pbdrMassProperties solid = makeBlock(1.0, 0.1, 0.1, 0.1); // with the centres at its corners
    pbdrMassFit fit = fitExactly(&set, &solid);
    CHECK_EQ(fit.rung, pbdr_massesExtraInertia);
    CHECK_LE(fit.extraInertia.m[0][0], 0.0);
    pbdrSphereSet_Free(&set);
}

// --- Symmetries ---

static void masses__are_the_same_in_every_frame(void)
{
    // A block of 5 x 4 x 3 that is denser on one side, turned and shifted. Shifted positions are known to
    // ulp, (4 eps) 10 m / 0.1 m of the size, and masses as well as that, times the steepness of 1 +
    // lambda.phi.
    pbdrMassProperties solid = makeBlock(2.0, 0.2, 0.16, 0.12);
    solid.centre = pbdrVec(0.005, -0.003, 0.001);
    solid.inertia.m[0][1] = solid.inertia.m[1][0] = 2e-4;
    pbdrSphereSet first;
    CHECK_EQ(pbdrPackBox(5, 4, 3, 0.02, 1.0, NULL, &first, NULL), pbdr_statusOk);
    CHECK_EQ(fitExactly(&first, &solid).rung, pbdr_massesClosedForm);
    for (int t = 1; t < TURN_COUNT; t++) {
        for (int s = 0; s < 2; s++) {
            pbdrSphereSet set;
            CHECK_EQ(pbdrPackBox(5, 4, 3, 0.02, 1.0, NULL, &set, NULL), pbdr_statusOk);
            pbdrMassProperties moved = solid;
            moveBoth(&set, &moved, turns[t], pbdrVec(10.0 * s, -5.0 * s, 2.0 * s));
            CHECK_EQ(fitExactly(&set, &moved).rung, pbdr_massesClosedForm);
            for (int i = 0; i < set.count; i++) {
                CHECK_NEAR(set.masses[i], first.masses[i], (s == 0 ? 1e-14 : 1e-12) * first.masses[i]);
            }
            pbdrSphereSet_Free(&set);
        }
    }
    pbdrSphereSet_Free(&first);
}

static void masses__are_permuted_with_the_spheres(void)
{
    // The order enters through the rounding of sums alone.
    pbdrSphereSet set, mixed;
    pbdrMassProperties solid = makeBlock(2.0, 0.2, 0.16, 0.12);
    solid.centre = pbdrVec(0.02, -0.01, 0.005);
    CHECK_EQ(pbdrPackBox(5, 4, 3, 0.02, 1.0, NULL, &set, NULL), pbdr_statusOk);
    for (int i = 0; i < set.count; i++) {
        set.masses[i] *= 1.0 + 0.01 * i; // a base that is not equal
    }
    CHECK_EQ(pbdrSphereSet_Copy(&set, NULL, &mixed, NULL), pbdr_statusOk);
    int count = set.count; // 60; 7 has no factor in common
    for (int i = 0; i < count; i++) {
        mixed.positions[i * 7 % count] = set.positions[i];
        mixed.masses[i * 7 % count] = set.masses[i];
    }
    pbdrMassFit fit = fitExactly(&set, &solid), mixedFit = fitExactly(&mixed, &solid);
    CHECK_EQ(fit.rung, mixedFit.rung);
    for (int i = 0; i < count; i++) {
        CHECK_NEAR(mixed.masses[i * 7 % count], set.masses[i], 1e-13 * set.masses[i]);
    }
    pbdrSphereSet_Free(&set);
    pbdrSphereSet_Free(&mixed);
}

static void masses__take_the_base_in_any_unit_and_stay_when_they_are_right(void)
{
    pbdrSphereSet set;
    CHECK_EQ(pbdrPackBox(3, 4, 5, 0.02, 2.0, NULL, &set, NULL), pbdr_statusOk);
    pbdrMassProperties solid = makeBlock(2.0, 0.12, 0.16, 0.2);
    fitExactly(&set, &solid);
    double before[60];
    memcpy(before, set.masses, sizeof before);
    for (int i = 0; i < set.count; i++) {
        set.masses[i] *= 1.0e-20;
    }
    pbdrMassFit fit = fitExactly(&set, &solid);
    CHECK_NEAR(fit.smallestRatio, 1.0, 1e-13);
    for (int i = 0; i < set.count; i++) {
        CHECK_NEAR(set.masses[i], before[i], 1e-13 * before[i]);
    }
    pbdrSphereSet_Free(&set);
}

static void masses__are_exact_for_atoms_and_planets(void)
{
    static const double scales[] = {1e-10, 1e-3, 1e3, 1e7};
    for (int k = 0; k < 4; k++) {
        pbdrSphereSet set;
        double length = scales[k], mass = length * length * length;
        CHECK_EQ(pbdrPackBox(4, 5, 6, 0.5 * length, mass, NULL, &set, NULL), pbdr_statusOk);
        pbdrMassProperties solid = makeBlock(mass, 4.0 * length, 5.0 * length, 6.0 * length);
        CHECK_EQ(fitExactly(&set, &solid).rung, pbdr_massesClosedForm);
        pbdrSphereSet_Free(&set);
    }
}

static void long_bodies__are_exact_about_their_axis_too(void)
{
    // A bar of 3 x 3 x 100: 1/1000 of its inertia is about the axis, and right to 1e-12 of itself.
    for (int t = 0; t < TURN_COUNT; t++) {
        pbdrSphereSet set;
        CHECK_EQ(pbdrPackBox(3, 3, 100, 0.01, 5.0, NULL, &set, NULL), pbdr_statusOk);
        pbdrMassProperties solid = makeBlock(5.0, 0.06, 0.06, 2.0), straight = solid;
        moveBoth(&set, &solid, turns[t], pbdrVec(0.0, 0.0, 0.0));
        pbdrMassFit fit = fitExactly(&set, &solid);
        CHECK_EQ(fit.rung, pbdr_massesClosedForm);
        pbdrMat3 r = pbdrMatFromQuat(pbdrNormalizeQ(turns[t]));
        double about = 0.0;
        for (int i = 0; i < set.count; i++) {
            pbdrVec3 d = pbdrCross(set.positions[i], pbdrVec(r.m[0][2], r.m[1][2], r.m[2][2]));
            about += set.masses[i] * pbdrDot(d, d);
        }
        CHECK_NEAR(about, straight.inertia.m[2][2], 1e-12 * straight.inertia.m[2][2]);
        pbdrSphereSet_Free(&set);
    }
}

// --- Random sets ---

// Spheres at random in a thick or thin shell of an ellipsoid, with random base masses.
static void makeShell(uint64_t* seed, int count, double thickness, pbdrSphereSet* set)
{
    CHECK_EQ(pbdrPackRod(count, 0.005, 1.0, NULL, set, NULL), pbdr_statusOk);
    for (int i = 0; i < count; i++) {
        pbdrVec3 d;
        double square;
        do {
            d = pbdrVec(2.0 * draw(seed) - 1.0, 2.0 * draw(seed) - 1.0, 2.0 * draw(seed) - 1.0);
            square = pbdrDot(d, d);
        } while (square > 1.0 || square < 0.01);
        d = pbdrScale((1.0 - thickness * draw(seed)) / sqrt(square), d);
        set->positions[i] = pbdrVec(0.1 * d.x + 0.3, 0.07 * d.y - 0.2, 0.05 * d.z + 0.1);
        set->masses[i] = 0.5 + draw(seed);
    }
}

static void shells__are_exact_on_every_rung(void)
{
    // Solid ellipsoids as thick shells (the closed form or the clamp), and as thin ones (extra inertia: there
    // sum m (x/a)^2 + ... is the same for all masses, and 5/3 of the solid's).
    uint64_t seed = 1;
    int rungs[3] = {0}, most = 0;
    for (int k = 0; k < 200; k++) {
        pbdrSphereSet set;
        double thickness = (k % 8) / 7.0;
        makeShell(&seed, 20 + 5 * k, thickness, &set);
        pbdrMassProperties solid = {.mass = 1.7, .centre = {0.3, -0.2, 0.1}};
        double c = 1.7 / 5.0;
        solid.inertia = pbdrMakeInertia(c * 0.01, c * 0.0049, c * 0.0025, 0.0, 0.0, 0.0);
        moveBoth(&set, &solid, turns[k % TURN_COUNT], pbdrVec(0.0, 0.0, 0.0));
        pbdrMassFit fit = fitExactly(&set, &solid);
        rungs[fit.rung]++;
        most = fit.newtonSteps > most ? fit.newtonSteps : most;
        if (thickness == 0.0) {
            CHECK_EQ(fit.rung, pbdr_massesExtraInertia);
        }
        pbdrSphereSet_Free(&set);
    }
    printf("    %d closed form, %d clamped, %d extra inertia, %d Newton steps at most\n", rungs[0], rungs[1],
           rungs[2], most);
    CHECK_GE(rungs[0], 1);
    CHECK_GE(rungs[1], 1);
}

static void clamped__finds_masses_wherever_there_are_some_and_the_nearest(void)
{
    // Known masses u m0 with ratios u >= 0.1, many at 0.1, make the target; so it can be matched. The set of
    // such masses is convex, so for the nearest to m0, u*, and for any other, u:
    //   sum m0 (u* - 1)(u - u*) >= 0
    uint64_t seed = 7;
    enum { MAX_KNOWN = 256 };
    int clampedCount = 0, most = 0;
    for (int k = 0; k < 200; k++) { // 11 to 210 spheres
        pbdrSphereSet set, known;
        makeShell(&seed, 11 + k, 0.5 * draw(&seed), &set);
        CHECK_EQ(pbdrSphereSet_Copy(&set, NULL, &known, NULL), pbdr_statusOk);
        pbdrVec3 light = pbdrVec(draw(&seed) - 0.5, draw(&seed) - 0.5, draw(&seed) - 0.5);
        for (int i = 0; i < set.count; i++) {
            double side = pbdrDot(light, pbdrSub(set.positions[i], pbdrVec(0.3, -0.2, 0.1)));
            known.masses[i] *= side > 0.0 ? 0.11 : 0.5 + 2.0 * draw(&seed);
        }
        pbdrMassProperties target = pbdrSphereSet_GetMassProperties(&known);
        double scale = 0.0; // of the base, to the target's mass
        for (int i = 0; i < set.count; i++) {
            scale += set.masses[i] / target.mass;
        }
        double base[MAX_KNOWN];
        bool reachable = true; // as ratios to the base are after scaling
        for (int i = 0; i < set.count; i++) {
            base[i] = set.masses[i] / scale;
            reachable = reachable && known.masses[i] >= 0.1 * base[i];
        }
        pbdrMassFit fit = fitExactly(&set, &target);
        CHECK(!reachable || fit.rung != pbdr_massesExtraInertia);
        if (fit.rung == pbdr_massesClamped) {
            clampedCount++;
            most = fit.newtonSteps > most ? fit.newtonSteps : most;
            CHECK_NEAR(fit.smallestRatio, PBDR_MASS_FLOOR, 1e-15);
        }
        double along = 0.0;
        for (int i = 0; i < set.count; i++) {
            along += (set.masses[i] / base[i] - 1.0) * (known.masses[i] - set.masses[i]) / target.mass;
        }
        if (reachable && fit.rung != pbdr_massesExtraInertia) {
            CHECK_GE(along, -1e-12);
        }
        pbdrSphereSet_Free(&known);
        pbdrSphereSet_Free(&set);
    }
    printf("    %d of 200 clamped, %d Newton steps at most\n", clampedCount, most);
    CHECK_GE(clampedCount, 20);
    CHECK_LE(most, 7); // what is known of Newton's method here
}

// --- Centres near and beyond the edge ---

static void centre__of_four_spheres_gives_the_barycentric_masses(void)
{
    // Four spheres have one way to balance a centre, down to masses of a hundredth of the base.
    pbdrSphereSet set;
    CHECK_EQ(pbdrPackRod(4, 0.1, 1.0, NULL, &set, NULL), pbdr_statusOk);
    const pbdrVec3 corners[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    memcpy(set.positions, corners, sizeof corners);
    pbdrMassProperties solid = makeBlock(2.0, 0.1, 0.1, 0.1);
    solid.centre = pbdrVec(0.2, 0.3, 0.001);
    pbdrMassFit fit = fitExactly(&set, &solid);
    CHECK_EQ(fit.rung, pbdr_massesExtraInertia);
    CHECK_NEAR(fit.smallestRatio, 0.004, 1e-12);
    const double shares[4] = {0.499, 0.2, 0.3, 0.001};
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(set.masses[i], 2.0 * shares[i], 1e-12);
    }
    pbdrSphereSet_Free(&set);
}

static void centre__outside_the_hull_is_refused(void)
{
    static const pbdrVec3 centres[] = {
        {0.0751, 0.0, 0.0}, {0.0, 5.0, 0.0}, {0.074, 0.074, 0.076}, {-1e9, 1e3, 0.0}};
    for (int k = 0; k < 4; k++) {
        pbdrSphereSet set;
        CHECK_EQ(pbdrPackBox(4, 4, 4, 0.025, 1.0, NULL, &set, NULL), pbdr_statusOk);
        pbdrMassProperties solid = makeBlock(1.0, 0.2, 0.2, 0.2);
        solid.centre = centres[k];
        pbdrMassFit fit;
        pbdrError error = {0};
        CHECK_EQ(pbdrSphereSet_FitMasses(&set, &solid, &fit, &error), pbdr_statusInvalidArgument);
        CHECK_TEXT(error.message, "centre:");
        CHECK_TEXT(error.message, "outside the hull of the 64 spheres");
        for (int i = 0; i < set.count; i++) {
            CHECK_EQ(set.masses[i], 1.0 / 64.0);
        }
        CHECK_EQ(fit.smallestRatio, 0.0);
        // just inside it is met, if not by masses above the floor
        solid.centre = pbdrVec(0.0749, 0.0, 0.0);
        CHECK_EQ(fitExactly(&set, &solid).rung, pbdr_massesExtraInertia);
        pbdrSphereSet_Free(&set);
    }
    // off a rod's line, off a layer, away from a single sphere
    for (int ny = 1; ny <= 4; ny += 3) {
        for (int nx = 1; nx <= 4; nx += 3) {
            pbdrSphereSet set;
            CHECK_EQ(pbdrPackBox(nx, ny, 1, 0.025, 1.0, NULL, &set, NULL), pbdr_statusOk);
            pbdrMassProperties solid = makeBlock(1.0, 0.2, 0.2, 0.2);
            solid.centre = pbdrVec(0.0, 0.0, 1e-6);
            pbdrMassFit fit;
            pbdrError error = {0};
            CHECK_EQ(pbdrSphereSet_FitMasses(&set, &solid, &fit, &error), pbdr_statusInvalidArgument);
            CHECK_TEXT(error.message, "outside the hull");
            pbdrSphereSet_Free(&set);
        }
    }
}

static void bad_targets__are_refused_by_name(void)
{
    pbdrSphereSet set;
    CHECK_EQ(pbdrPackBox(3, 3, 3, 0.1, 1.0, NULL, &set, NULL), pbdr_statusOk);
    const pbdrMassProperties good = makeBlock(1.0, 0.6, 0.6, 0.6);
    pbdrMassProperties bad[6] = {good, good, good, good, good, good};
    bad[0].mass = 0.0;
    bad[1].centre.y = (double)NAN;
    bad[2].inertia.m[0][1] = 0.01; // and not m[1][0]
    bad[3].inertia.m[2][2] = (double)INFINITY;
    bad[4].inertia.m[2][2] = 2.1 * good.inertia.m[0][0]; // a plate has twice at most
    bad[5].inertia = pbdrMakeInertia(-1.0, -1.0, -1.0, 0.0, 0.0, 0.0);
    static const char* const parts[6] = {"mass: 0 kg",  "centre: (0, nan",   "inertia: m[0][1] = 0.01",
                                         "inertia: m[", "principal moments", "principal moments"};
    pbdrMassFit fit;
    for (int k = 0; k < 6; k++) {
        pbdrError error = {0};
        CHECK_EQ(pbdrSphereSet_FitMasses(&set, &bad[k], &fit, &error), pbdr_statusInvalidArgument);
        CHECK_TEXT(error.message, parts[k]);
    }
    pbdrError error = {0};
    set.masses[5] = -1.0;
    CHECK_EQ(pbdrSphereSet_FitMasses(&set, &good, &fit, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "masses[5]: -1 kg");
    set.positions[4].x = (double)INFINITY;
    CHECK_EQ(pbdrSphereSet_FitMasses(&set, &good, &fit, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "positions[4]");
    pbdrSphereSet_Free(&set);
    CHECK_EQ(pbdrSphereSet_FitMasses(&set, &good, &fit, &error), pbdr_statusNoParticles);
}

// --- The bunny ---

static void bunny__is_exact_at_every_resolution(void)
{
    const char* path = getenv("PBDR_BUNNY");
    FILE* file = path != NULL ? fopen(path, "rb") : NULL;
    if (file == NULL) {
        SKIP("PBDR_BUNNY does not name bunny.stl (make setup fetches it from Debian's prusa-slicer)");
    }
    fclose(file);
    pbdrMesh mesh;
    CHECK_EQ(pbdrLoadMesh(path, NULL, &mesh, NULL, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrMesh_FitCube(&mesh, 0.2, NULL), pbdr_statusOk);
    pbdrMassProperties solid;
    CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 2.18, &solid, NULL), pbdr_statusOk);
    static const double radii[] = {0.02, 0.015, 0.01, 0.007, 0.005, 0.003};
    for (int k = 0; k < 6; k++) {
        pbdrSphereSet set;
        CHECK_EQ(pbdrPackMesh(&mesh, radii[k], 2.18, NULL, &set, NULL), pbdr_statusOk);
        pbdrMassFit fit = fitExactly(&set, &solid);
        CHECK_EQ(fit.rung, pbdr_massesClosedForm); // measured: 0.39 (20 mm) to 0.97 (3 mm) of m0 at least
        printf("    r = %2.0f mm, %5d spheres: rung %d, smallest %.3f m0, %d Newton steps, off by %.1e\n",
               1e3 * radii[k], set.count, (int)fit.rung, fit.smallestRatio, fit.newtonSteps,
               getError(&set, &fit, &solid));
        pbdrSphereSet_Free(&set);
    }
    pbdrMesh_Free(&mesh);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"cube__masses_are_the_closed_formula", cube__masses_are_the_closed_formula},
          {"cube__point_mass_properties_are_the_solids", cube__point_mass_properties_are_the_solids},
          {"extra_inertia__makes_two_per_axis_layers_and_rods_exact",
           extra_inertia__makes_two_per_axis_layers_and_rods_exact},
          {"extra_inertia__is_not_needed_for_a_solid_as_flat_as_its_spheres",
           extra_inertia__is_not_needed_for_a_solid_as_flat_as_its_spheres},
          {"extra_inertia__of_a_single_sphere_is_its_own", extra_inertia__of_a_single_sphere_is_its_own},
          {"extra_inertia__may_be_negative", extra_inertia__may_be_negative},
          {"masses__are_the_same_in_every_frame", masses__are_the_same_in_every_frame},
          {"masses__are_permuted_with_the_spheres", masses__are_permuted_with_the_spheres},
          {"masses__take_the_base_in_any_unit_and_stay_when_they_are_right",
           masses__take_the_base_in_any_unit_and_stay_when_they_are_right},
          {"masses__are_exact_for_atoms_and_planets", masses__are_exact_for_atoms_and_planets},
          {"long_bodies__are_exact_about_their_axis_too", long_bodies__are_exact_about_their_axis_too},
          {"shells__are_exact_on_every_rung", shells__are_exact_on_every_rung},
          {"clamped__finds_masses_wherever_there_are_some_and_the_nearest",
           clamped__finds_masses_wherever_there_are_some_and_the_nearest},
          {"centre__of_four_spheres_gives_the_barycentric_masses",
           centre__of_four_spheres_gives_the_barycentric_masses},
          {"centre__outside_the_hull_is_refused", centre__outside_the_hull_is_refused},
          {"bad_targets__are_refused_by_name", bad_targets__are_refused_by_name},
          {"bunny__is_exact_at_every_resolution", bunny__is_exact_at_every_resolution});
}
