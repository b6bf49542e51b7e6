// Packings of simple solids, and point-mass properties.
#include "check.h"
#include "ledger.h"
#include "math/vec.h"
#include "pbdr/geometry.h"

#include <float.h>
#include <limits.h>

static bool isEmpty(const pbdrSphereSet* set)
{
    return set->count == 0 && set->positions == NULL && set->radii == NULL && set->masses == NULL;
}

static double addMasses(const pbdrSphereSet* set)
{
    double sum = 0.0;
    for (int i = 0; i < set->count; i++) {
        sum += set->masses[i];
    }
    return sum;
}

static bool contains(const pbdrSphereSet* set, double x, double y, double z)
{
    for (int i = 0; i < set->count; i++) {
        pbdrVec3 p = set->positions[i];
        if (p.x == x && p.y == y && p.z == z) {
            return true;
        }
    }
    return false;
}

// --- Blocks and chains ---

static void packing__box_runs_x_first_and_touches(void)
{
    pbdrSphereSet set;
    CHECK_EQ(pbdrPackBox(4, 3, 2, 0.25, 6.0, NULL, &set, NULL), pbdr_statusOk);
    CHECK_EQ(set.count, 24);
    for (int i = 0; i < set.count; i++) {
        // 0.25 and the grid are exact in binary
        CHECK_EQ(set.positions[i].x, -0.75 + 0.5 * (i % 4));
        CHECK_EQ(set.positions[i].y, -0.5 + 0.5 * (i / 4 % 3));
        CHECK_EQ(set.positions[i].z, -0.25 + 0.5 * (i / 12));
        CHECK_EQ(set.radii[i], 0.25);
        CHECK_EQ(set.masses[i], 0.25);
    }
    pbdrSphereSet_Free(&set);
    CHECK(isEmpty(&set));
}

static void packing__box_is_symmetric_to_the_last_bit(void)
{
    // A radius without an exact binary form: i and its mirror image must still cancel exactly.
    for (int n = 1; n <= 9; n++) {
        pbdrSphereSet set;
        CHECK_EQ(pbdrPackBox(n, n + 1, 2, 0.1 / 3.0, 1.0, NULL, &set, NULL), pbdr_statusOk);
        bool symmetric = true;
        for (int i = 0; i < set.count; i++) {
            pbdrVec3 sum = pbdrAdd(set.positions[i], set.positions[set.count - 1 - i]);
            symmetric = symmetric && sum.x == 0.0 && sum.y == 0.0 && sum.z == 0.0;
        }
        CHECK(symmetric);
        // n additions of mass/n, each rounded by half an ulp of the sum at most
        CHECK_NEAR(addMasses(&set), 1.0, set.count * DBL_EPSILON);
        pbdrSphereSet_Free(&set);
    }
}

static void packing__cube_misses_inertia_by_one_over_n_squared(void)
{
    // Along an axis the mean of (2i - (n-1))^2 r^2 is (n^2 - 1) r^2 / 3, which with r = L/2n is (1 - 1/n^2)
    // L^2 / 12:
    //   I = (1 - 1/n^2) M L^2 / 6
    // Tolerance: a sum of n^3 positive terms, each step rounded by half an ulp.
    double mass = 3.0, side = 0.2;
    for (int n = 1; n <= 12; n++) {
        pbdrSphereSet set;
        CHECK_EQ(pbdrPackBox(n, n, n, 0.5 * side / n, mass, NULL, &set, NULL), pbdr_statusOk);
        pbdrMassProperties p = pbdrSphereSet_GetMassProperties(&set);
        double solid = mass * side * side / 6.0, tolerance = (n * n * n + 8) * DBL_EPSILON;
        CHECK_NEAR(p.mass, mass, tolerance * mass);
        CHECK_NEAR(pbdrLength(p.centre), 0.0, tolerance * side);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                double expected = i == j ? (1.0 - 1.0 / (n * n)) * solid : 0.0;
                CHECK_NEAR(p.inertia.m[i][j], expected, tolerance * solid);
            }
        }
        pbdrSphereSet_Free(&set);
    }
}

static void packing__rod_has_no_inertia_about_its_axis(void)
{
    // I_yy = I_zz = M r^2 (n^2 - 1) / 3, as above; nothing about x.
    pbdrSphereSet set;
    int n = 15;
    CHECK_EQ(pbdrPackRod(n, 0.01, 2.0, NULL, &set, NULL), pbdr_statusOk);
    CHECK_EQ(set.count, n);
    CHECK_EQ(set.positions[0].x, -14 * 0.01);
    pbdrMassProperties p = pbdrSphereSet_GetMassProperties(&set);
    double expected = 2.0 * 0.01 * 0.01 * (n * n - 1) / 3.0;
    CHECK_EQ(p.inertia.m[0][0], 0.0);
    CHECK_NEAR(p.inertia.m[1][1], expected, n * DBL_EPSILON * expected);
    CHECK_NEAR(p.inertia.m[2][2], expected, n * DBL_EPSILON * expected);
    CHECK_EQ(p.volume, 0.0);
    pbdrSphereSet_Free(&set);
}

static void point_masses__keep_their_inertia_far_away(void)
{
    // Powers of two, so that a shift by 2^20 m loses no digit of any position: the results may differ by the
    // rounding of the centre alone, half an ulp of 2^20 = 1.2e-10 m, squared.
    pbdrSphereSet set;
    CHECK_EQ(pbdrPackBox(4, 5, 6, 1.0 / 32.0, 1.0, NULL, &set, NULL), pbdr_statusOk);
    pbdrMassProperties near = pbdrSphereSet_GetMassProperties(&set);
    for (int i = 0; i < set.count; i++) {
        set.positions[i] = pbdrAdd(set.positions[i], pbdrVec(0x1p20, -0x1p20, 0x1p19));
    }
    pbdrMassProperties far = pbdrSphereSet_GetMassProperties(&set);
    CHECK_NEAR(pbdrLength(pbdrSub(far.centre, pbdrVec(0x1p20, -0x1p20, 0x1p19))), 0.0, 3.0e-10);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            CHECK_NEAR(far.inertia.m[i][j], near.inertia.m[i][j],
                       set.count * DBL_EPSILON * near.inertia.m[i][i]);
        }
    }
    pbdrSphereSet_Free(&set);
    pbdrSphereSet empty = {0};
    CHECK_EQ(pbdrSphereSet_GetMassProperties(&empty).mass, 0.0);
}

// --- Round solids ---

// Whole-number count of grid points with the given parities (0 odd grid, 1 even grid) inside a ball of radius
// `reach`, all in units of the sphere radius.
static int countBall(int reach, int shift)
{
    int count = 0;
    for (int x = -reach - 2; x <= reach + 2; x++) {
        for (int y = -reach - 2; y <= reach + 2; y++) {
            for (int z = -reach - 2; z <= reach + 2; z++) {
                bool onGrid = (x & 1) == shift && (y & 1) == shift && (z & 1) == shift;
                count += onGrid && x * x + y * y + z * z <= reach * reach;
            }
        }
    }
    return count;
}

static void packing__ball_keeps_the_fuller_grid_and_spheres_that_touch(void)
{
    // 0.1/k has no exact binary form: spheres that touch the ball from within must not be lost to rounding.
    for (int k = 1; k <= 15; k++) {
        pbdrSphereSet set;
        CHECK_EQ(pbdrPackSphere(0.1, 0.1 / k, 1.0, NULL, &set, NULL), pbdr_statusOk);
        int odd = countBall(k - 1, 0), even = countBall(k - 1, 1);
        CHECK_EQ(set.count, odd >= even ? odd : even);
        // Cubic symmetry: the inertia is a multiple of the identity.
        pbdrMassProperties p = pbdrSphereSet_GetMassProperties(&set);
        double tolerance = 4 * set.count * DBL_EPSILON * p.inertia.m[0][0];
        CHECK_NEAR(p.inertia.m[1][1], p.inertia.m[0][0], tolerance);
        CHECK_NEAR(p.inertia.m[2][2], p.inertia.m[0][0], tolerance);
        CHECK_NEAR(p.inertia.m[0][1], 0.0, tolerance);
        CHECK_NEAR(p.inertia.m[1][2], 0.0, tolerance);
        pbdrSphereSet_Free(&set);
    }
}

// Every sphere fits inside within the tolerance, has its mirror images, and has a free neighbour only where
// none fits.
static void checkRound(const pbdrSphereSet* set, double radius, double solidRadius, double capCentre,
                       bool rounded)
{
    bool fit = true, mirrored = true, full = true;
    for (int i = 0; i < set->count; i++) {
        pbdrVec3 p = set->positions[i];
        double beyond = fmax(fabs(p.z) - capCentre, 0.0);
        double reach = rounded ? sqrt(p.x * p.x + p.y * p.y + beyond * beyond) : hypot(p.x, p.y);
        fit = fit && reach + radius <= solidRadius * (1.0 + 2.0e-9);
        fit = fit && (rounded || fabs(p.z) + radius <= (capCentre + radius) * (1.0 + 2.0e-9));
        mirrored = mirrored && contains(set, -p.x, p.y, p.z) && contains(set, p.x, -p.y, p.z) &&
                   contains(set, p.x, p.y, -p.z) && contains(set, p.y, p.x, p.z);
        // upwards and outwards along x; compared away from the rounding of sums
        double higher = fmax(fabs(p.z + 2.0 * radius) - capCentre, 0.0);
        double reachAbove = rounded ? sqrt(p.x * p.x + p.y * p.y + higher * higher) : hypot(p.x, p.y);
        bool fitsAbove = reachAbove + radius < solidRadius * (1.0 - 1.0e-9) && (rounded || higher == 0.0);
        bool isTop = true;
        for (int k = 0; k < set->count; k++) {
            pbdrVec3 q = set->positions[k];
            isTop = isTop && !(q.x == p.x && q.y == p.y && q.z > p.z);
        }
        full = full && (isTop ? !fitsAbove : true);
    }
    CHECK(fit);
    CHECK(mirrored);
    CHECK(full);
    CHECK_NEAR(addMasses(set), 1.5, set->count * DBL_EPSILON * 1.5);
}

static void packing__cylinder_fits_and_is_symmetric(void)
{
    pbdrSphereSet set;
    CHECK_EQ(pbdrPackCylinder(0.1, 0.3, 0.013, 1.5, NULL, &set, NULL), pbdr_statusOk);
    checkRound(&set, 0.013, 0.1, 0.15 - 0.013, false);
    pbdrSphereSet_Free(&set);
    // 0.1 = 5 r, 0.3 = 15 r diameters: layers touch top and bottom. Disc of reach 4 r: 13 points of the odd
    // grid (a^2 + b^2 <= 16 of even a, b), 12 of the even one.
    CHECK_EQ(pbdrPackCylinder(0.1, 0.6, 0.02, 1.5, NULL, &set, NULL), pbdr_statusOk);
    CHECK_EQ(set.count, 13 * 15);
    pbdrSphereSet_Free(&set);
    // Reach 2 r: 5 of the odd grid; 4 of the even one. Reach sqrt(2) r: 1 against 4.
    CHECK_EQ(pbdrPackCylinder(0.01 * (1.0 + sqrt(2.0)), 0.04, 0.01, 1.5, NULL, &set, NULL), pbdr_statusOk);
    CHECK_EQ(set.count, 4 * 2);
    pbdrSphereSet_Free(&set);
}

static void packing__capsule_fits_and_is_symmetric(void)
{
    pbdrSphereSet set, ball;
    CHECK_EQ(pbdrPackCapsule(0.08, 0.2, 0.011, 1.5, NULL, &set, NULL), pbdr_statusOk);
    checkRound(&set, 0.011, 0.08, 0.1, true);
    pbdrSphereSet_Free(&set);
    // A capsule as thin as a sphere is a chain; one without length is a ball.
    CHECK_EQ(pbdrPackCapsule(0.01, 0.08, 0.01, 1.5, NULL, &set, NULL), pbdr_statusOk);
    CHECK_EQ(set.count, 5);
    CHECK_EQ(set.positions[4].z, 0.04);
    pbdrSphereSet_Free(&set);
    CHECK_EQ(pbdrPackCapsule(0.1, 0.0, 0.015, 1.5, NULL, &set, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrPackSphere(0.1, 0.015, 1.5, NULL, &ball, NULL), pbdr_statusOk);
    CHECK_EQ(set.count, ball.count);
    pbdrSphereSet_Free(&set);
    pbdrSphereSet_Free(&ball);
}

// --- Refusals ---

static void checkRefused(pbdrStatus status, pbdrStatus expected, pbdrSphereSet* set, const pbdrError* error,
                         const char* text)
{
    CHECK_EQ(status, expected);
    CHECK_EQ(error->status, expected);
    CHECK_TEXT(error->message, text);
    CHECK(isEmpty(set));
    memset(set, 0xff, sizeof *set); // the next refusal has to empty it
}

static void packing__refuses_values_by_name(void)
{
    pbdrSphereSet s;
    pbdrError e;
    const pbdrStatus bad = pbdr_statusInvalidArgument, none = pbdr_statusNoParticles;
    checkRefused(pbdrPackBox(2, 2, 2, -0.1, 1.0, NULL, &s, &e), bad, &s, &e, "radius: -0.1 m");
    checkRefused(pbdrPackBox(2, 2, 2, 0.0, 1.0, NULL, &s, &e), bad, &s, &e, "radius: 0 m");
    checkRefused(pbdrPackBox(2, 2, 2, (double)NAN, 1.0, NULL, &s, &e), bad, &s, &e, "radius: ");
    checkRefused(pbdrPackBox(2, 2, 2, (double)INFINITY, 1.0, NULL, &s, &e), bad, &s, &e, "radius: inf");
    checkRefused(pbdrPackBox(2, 2, 2, 0.1, -3.0, NULL, &s, &e), bad, &s, &e, "mass: -3 kg");
    checkRefused(pbdrPackBox(2, 2, 2, 0.1, (double)NAN, NULL, &s, &e), bad, &s, &e, "mass: ");
    checkRefused(pbdrPackBox(2, 2, 2, 0.1, 5e-324, NULL, &s, &e), bad, &s, &e, "shared by 8 spheres is zero");
    checkRefused(pbdrPackBox(0, 2, 2, 0.1, 1.0, NULL, &s, &e), bad, &s, &e, "box: 0 x 2 x 2");
    checkRefused(pbdrPackBox(2, -7, 2, 0.1, 1.0, NULL, &s, &e), bad, &s, &e, "box: 2 x -7 x 2");
    checkRefused(pbdrPackBox(INT_MAX, INT_MAX, INT_MAX, 0.1, 1.0, NULL, &s, &e), bad, &s, &e,
                 "2147483647 x 2147483647 x 2147483647");
    checkRefused(pbdrPackBox(65536, 65536, 1, 0.1, 1.0, NULL, &s, &e), bad, &s, &e, "65536 x 65536 x 1");
    checkRefused(pbdrPackBox(100, 1, 1, 1e307, 1.0, NULL, &s, &e), bad, &s, &e, "radius: 1e+307 m");
    checkRefused(pbdrPackRod(0, 0.1, 1.0, NULL, &s, &e), bad, &s, &e, "rod: 0 spheres");
    checkRefused(pbdrPackRod(INT_MAX, 0.1, 1.0, NULL, &s, &e), bad, &s, &e, "2147483647");
    checkRefused(pbdrPackCylinder(-1.0, 1.0, 0.1, 1.0, NULL, &s, &e), bad, &s, &e, "cylinder radius: -1 m");
    checkRefused(pbdrPackCylinder(1.0, (double)INFINITY, 0.1, 1.0, NULL, &s, &e), bad, &s, &e,
                 "cylinder height: inf");
    checkRefused(pbdrPackCylinder(1.0, 0.1, 0.1, 1.0, NULL, &s, &e), none, &s, &e, "0.05 m is the most");
    checkRefused(pbdrPackSphere((double)NAN, 0.1, 1.0, NULL, &s, &e), bad, &s, &e, "ball radius: ");
    checkRefused(pbdrPackSphere(0.05, 0.1, 1.0, NULL, &s, &e), none, &s, &e,
                 "ball: a sphere of radius 0.1 m");
    checkRefused(pbdrPackSphere(1.0, 1e-300, 1.0, NULL, &s, &e), bad, &s, &e, "1e-300 m are more than");
    checkRefused(pbdrPackSphere(1e300, 1e-300, 1.0, NULL, &s, &e), bad, &s, &e, "inf x inf x inf");
    checkRefused(pbdrPackCapsule(0.1, -1.0, 0.01, 1.0, NULL, &s, &e), bad, &s, &e, "capsule length: -1 m");
    checkRefused(pbdrPackCapsule(0.1, 1e9, 0.01, 1.0, NULL, &s, &e), bad, &s, &e, "are more than");
    // no error wanted
    CHECK_EQ(pbdrPackBox(0, 1, 1, 0.1, 1.0, NULL, &s, NULL), bad);
    CHECK(isEmpty(&s));
}

static pbdrStatus packAny(int which, const pbdrHooks* hooks, pbdrSphereSet* set, pbdrError* error)
{
    switch (which) {
    case 0:
        return pbdrPackBox(3, 2, 1, 0.1, 1.0, hooks, set, error);
    case 1:
        return pbdrPackRod(5, 0.1, 1.0, hooks, set, error);
    case 2:
        return pbdrPackCylinder(0.3, 0.5, 0.1, 1.0, hooks, set, error);
    case 3:
        return pbdrPackSphere(0.3, 0.1, 1.0, hooks, set, error);
    default:
        return pbdrPackCapsule(0.3, 0.2, 0.1, 1.0, hooks, set, error);
    }
}

static void packing__survives_failure_of_any_allocation(void)
{
    for (int which = 0; which < 5; which++) {
        for (int failAt = 1;; failAt++) {
            Ledger memory = {.failAt = failAt};
            pbdrHooks hooks = makeHooks(&memory);
            pbdrSphereSet set;
            pbdrError error = {0};
            pbdrStatus status = packAny(which, &hooks, &set, &error);
            if (status == pbdr_statusOk) {
                CHECK(failAt > 3); // three arrays
                CHECK(memory.bytes > 0);
                pbdrSphereSet_Free(&set);
                CHECK_EQ(memory.bytes, 0);
                break;
            }
            CHECK_EQ(status, pbdr_statusNoMemory);
            CHECK_TEXT(error.message, "no memory for");
            CHECK(isEmpty(&set));
            CHECK_EQ(memory.bytes, 0);
        }
    }
}

static void packing__free_takes_empty_sets(void)
{
    pbdrSphereSet set = {0};
    pbdrSphereSet_Free(&set);
    pbdrSphereSet_Free(NULL);
    CHECK(isEmpty(&set));
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"packing__box_runs_x_first_and_touches", packing__box_runs_x_first_and_touches},
          {"packing__box_is_symmetric_to_the_last_bit", packing__box_is_symmetric_to_the_last_bit},
          {"packing__cube_misses_inertia_by_one_over_n_squared",
           packing__cube_misses_inertia_by_one_over_n_squared},
          {"packing__rod_has_no_inertia_about_its_axis", packing__rod_has_no_inertia_about_its_axis},
          {"point_masses__keep_their_inertia_far_away", point_masses__keep_their_inertia_far_away},
          {"packing__ball_keeps_the_fuller_grid_and_spheres_that_touch",
           packing__ball_keeps_the_fuller_grid_and_spheres_that_touch},
          {"packing__cylinder_fits_and_is_symmetric", packing__cylinder_fits_and_is_symmetric},
          {"packing__capsule_fits_and_is_symmetric", packing__capsule_fits_and_is_symmetric},
          {"packing__refuses_values_by_name", packing__refuses_values_by_name},
          {"packing__survives_failure_of_any_allocation", packing__survives_failure_of_any_allocation},
          {"packing__free_takes_empty_sets", packing__free_takes_empty_sets});
}
