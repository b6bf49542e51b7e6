// x = n pi/2 + r with |r| <= pi/4, and there the power series
//
//   sin(r)/r = 1 - z/3! + z^2/5! - ... + z^8/17!,   cos(r) = 1 - z/2! + z^2/4! - ... + z^8/16!,   z = r^2
//
// whose next terms are below 3e-18. Only + - * / and exact functions (floor, fmod) are used.
#include "math/sine.h"

#include <math.h>

#define QUARTER_PI 0x1.921fb54442d18p-1
#define TWO_PI 0x1.921fb54442d18p+2

// pi/2 in three parts; the first two have 33 bits, so that n times them is exact for n up to 2^20.
#define HALF_PI_1 0x1.921fb544p+0
#define HALF_PI_2 0x1.0b4611a6p-34
#define HALF_PI_3 0x1.3198a2e037073p-69
#define LARGEST_REDUCED 0x1p20

static double sumSine(double z)
{
    double p = 1.0 / 355687428096000.0; // 17!
    p = p * z - 1.0 / 1307674368000.0;
    p = p * z + 1.0 / 6227020800.0;
    p = p * z - 1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z - 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    p = p * z - 1.0 / 6.0;
    return 1.0 + p * z;
}

static double sumCosine(double z)
{
    double p = 1.0 / 20922789888000.0; // 16!
    p = p * z - 1.0 / 87178291200.0;
    p = p * z + 1.0 / 479001600.0;
    p = p * z - 1.0 / 3628800.0;
    p = p * z + 1.0 / 40320.0;
    p = p * z - 1.0 / 720.0;
    p = p * z + 1.0 / 24.0;
    // what 1 - z/2 loses by rounding is added to the rest
    double half = 0.5 * z, first = 1.0 - half;
    return first + (((1.0 - first) - half) + z * z * p);
}

void pbdrSineAndCosine(double x, double* sineOverX, double* cosine)
{
    if (x <= QUARTER_PI) {
        *sineOverX = sumSine(x * x);
        *cosine = sumCosine(x * x);
        return;
    }
    // Far out a unit in the last place of x is worth more than what this division leaves out.
    double near = x <= LARGEST_REDUCED ? x : fmod(x, TWO_PI);
    double n = floor(near / (2.0 * QUARTER_PI) + 0.5);
    double r = ((near - n * HALF_PI_1) - n * HALF_PI_2) - n * HALF_PI_3;
    double sine = r * sumSine(r * r), other = sumCosine(r * r);
    double quadrant = n - 4.0 * floor(0.25 * n);
    if (quadrant == 1.0 || quadrant == 3.0) {
        double swap = sine;
        sine = other;
        other = -swap;
    }
    if (quadrant >= 2.0) {
        sine = -sine;
        other = -other;
    }
    *sineOverX = sine / x;
    *cosine = other;
}
