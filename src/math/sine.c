// x = n pi/2 + r with |r| <= pi/4, and there the power series (series.h). Only + - * / and exact functions (floor, fmod)
// are used.
#include "math/sine.h"

#include "math/series.h"

#include <math.h>

#define QUARTER_PI 0x1.921fb54442d18p-1
#define TWO_PI 0x1.921fb54442d18p+2

// pi/2 in three parts; the first two have 33 bits, so that n times them is exact for n up to 2^20.
#define HALF_PI_1 0x1.921fb544p+0
#define HALF_PI_2 0x1.0b4611a6p-34
#define HALF_PI_3 0x1.3198a2e037073p-69
#define LARGEST_REDUCED 0x1p20

void pbdrSineAndCosine(double x, double* sineOverX, double* cosine)
{
    if (x <= QUARTER_PI) {
        *sineOverX = pbdrSumSine(x * x);
        *cosine = pbdrSumCosine(x * x);
        return;
    }
    // Far out a unit in the last place of x is worth more than what this division leaves out.
    double near = x <= LARGEST_REDUCED ? x : fmod(x, TWO_PI);
    double n = floor(near / (2.0 * QUARTER_PI) + 0.5);
    double r = ((near - n * HALF_PI_1) - n * HALF_PI_2) - n * HALF_PI_3;
    double sine = r * pbdrSumSine(r * r), other = pbdrSumCosine(r * r);
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
