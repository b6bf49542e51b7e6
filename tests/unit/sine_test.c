// Sine and cosine of + - * / alone (src/math/sine.c).
#include "check.h"
#include "math/sine.h"
#include "math/vec.h"

// Half a unit in the last place of 1 by each of a few roundings; the C library's own error is in it too.
#define BOUND 0x1p-52

static void sine__agrees_with_the_c_librarys(void)
{
    double worstSine = 0.0, worstCosine = 0.0;
    for (int k = 0; k < 400000; k++) {
        // to 2^20 rad, evenly in the exponent, and beside every multiple of pi/4 up to 1000
        double x = k < 200000 ? exp2(-30.0 + 50.0 * k / 200000.0)
                              : 0.25 * PBDR_PI * (double)(k % 4000) * (1.0 + 1.0e-9 * (k / 4000 - 75));
        double sineOverX, cosine;
        pbdrSineAndCosine(x, &sineOverX, &cosine);
        worstSine = fmax(worstSine, fabs(x > 0.0 ? sineOverX * x - sin(x) : sineOverX - 1.0));
        worstCosine = fmax(worstCosine, fabs(cosine - cos(x)));
    }
    CHECK_LE(worstSine, BOUND);
    CHECK_LE(worstCosine, BOUND);
}

// sin(x)/x near 0 is 1 - x^2/6: a turn by a small vector is half that vector.
static void sine__of_small_angles_keeps_every_digit(void)
{
    double sineOverX, cosine;
    pbdrSineAndCosine(0.0, &sineOverX, &cosine);
    CHECK_EQ(sineOverX, 1.0);
    CHECK_EQ(cosine, 1.0);
    for (double x = 1.0e-300; x < 1.0e-4; x *= 1.3) {
        pbdrSineAndCosine(x, &sineOverX, &cosine);
        CHECK_NEAR(sineOverX, 1.0 - x * x / 6.0, 0x1p-53);
        CHECK_NEAR(cosine, 1.0 - x * x / 2.0, 0x1p-53);
    }
}

// Far beyond any angle that a substep turns by: still a rotation.
static void turn__by_any_finite_angle_is_a_unit_quaternion(void)
{
    for (double angle = 1.0e-10; angle < 1.0e150; angle *= 1.37) {
        pbdrQuat q = pbdrQuatFromVector(pbdrVec(0.6 * angle, 0.0, -0.8 * angle));
        CHECK_NEAR(pbdrLengthQ(q), 1.0, 4.0 * BOUND);
    }
    CHECK(isnan(pbdrQuatFromVector(pbdrVec(HUGE_VAL, 0.0, 0.0)).w));
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"sine__agrees_with_the_c_librarys", sine__agrees_with_the_c_librarys},
          {"sine__of_small_angles_keeps_every_digit", sine__of_small_angles_keeps_every_digit},
          {"turn__by_any_finite_angle_is_a_unit_quaternion", turn__by_any_finite_angle_is_a_unit_quaternion});
}
