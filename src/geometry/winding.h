// Sums of solid angles without an arctangent each: see winding.c.
#ifndef PBDR_GEOMETRY_WINDING_H
#define PBDR_GEOMETRY_WINDING_H

#include "math/vec.h"
#include "pbdr/geometry.h"

// A complex number whose angle is known beyond one turn.
typedef struct pbdrAngle {
    double re, im;
    double turns; // whole ones: the angle is atan2(im, re) + 2 pi turns
} pbdrAngle;

static inline void pbdrAddAngle(pbdrAngle* angle, double re, double im)
{
    double productRe = angle->re * re - angle->im * im;
    double productIm = angle->re * im + angle->im * re;
    double size = fabs(productRe) + fabs(productIm);
    if (!(size > 0.0) || !isfinite(size)) {
        return; // lengths whose cube a double cannot hold: no direction to be had
    }
    // Two angles of [0, pi] that add up to one below the real axis went over pi, and so for two of (-pi, 0).
    if (angle->im >= 0.0 && im >= 0.0 && productIm < 0.0) {
        angle->turns += 1.0;
    } else if (angle->im < 0.0 && im < 0.0 && productIm >= 0.0) {
        angle->turns -= 1.0;
    }
    // Only the direction counts; the length is kept away from under- and overflow.
    double shrink = size < 1.0e-100 || size > 1.0e100 ? size : 1.0;
    angle->re = productRe / shrink;
    angle->im = productIm / shrink;
}

// Adds half the solid angle of a triangle, its corners relative to the point.
static inline void pbdrAddTriangle(pbdrAngle* angle, pbdrVec3 a, pbdrVec3 b, pbdrVec3 c)
{
    double lengthA = pbdrLength(a), lengthB = pbdrLength(b), lengthC = pbdrLength(c);
    double det = pbdrDot(a, pbdrCross(b, c));
    double den = lengthA * lengthB * lengthC + pbdrDot(a, b) * lengthC + pbdrDot(b, c) * lengthA +
                 pbdrDot(c, a) * lengthB;
    // From within its plane a triangle covers no angle; from a point on the triangle itself half of all,
    // from whichever side, of which none is the mean: a point on a face has w = 1/2. A NaN is left out,
    // too.
    if (fabs(det) > 0.0) {
        pbdrAddAngle(angle, den, det);
    }
}

// The sum over 2 pi.
static inline double pbdrGetTurns(const pbdrAngle* angle)
{
    return angle->turns + atan2(angle->im, angle->re) / 6.283185307179586476925;
}

#endif
