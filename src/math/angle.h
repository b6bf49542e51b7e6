// The angle of a direction, with the same bits on every machine.
#ifndef PBDR_MATH_ANGLE_H
#define PBDR_MATH_ANGLE_H

#include "math/vec.h"

// The angle whose sine and cosine these are, up to a common factor above zero: from -pi to pi [rad]. 0 where both are 0.
static inline double pbdrFindAngle(double sine, double cosine)
{
    const double a = fabs(sine), b = fabs(cosine), length = sqrt(a * a + b * b);
    if (!(length > 0.0)) {
        return 0.0;
    }
    // as pbdrVectorFromQuat: a start within 0.08, and errors to their cube
    double h = 0.5 * PBDR_PI * a / (a + b);
    for (int k = 0; k < 3; k++) {
        double sineOverH, cosineH;
        pbdrSineAndCosine(h, &sineOverH, &cosineH);
        h -= (sineOverH * h * b - cosineH * a) / length;
    }
    h = cosine < 0.0 ? PBDR_PI - h : h;
    return sine < 0.0 ? -h : h;
}

#endif
