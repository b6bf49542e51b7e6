// The generalised winding number of a surface about a point p: the solid angles of its triangles, seen from
// p, over 4 pi. With a, b, c from p to the corners (Van Oosterom and Strackee 1983)
//
//   tan(angle / 2) = det / den
//   det = a . (b x c),   den = |a||b||c| + (a . b)|c| + (b . c)|a| + (c . a)|b|
//
// and so w = sum atan2(det, den) / 2 pi (Jacobson et al. 2013). The arctangents add up by multiplying the
// complex numbers den + i det and counting how often the product goes round: one atan2 per point in place of
// one per triangle.
#include "pbdr/geometry.h"

#include "base.h"
#include "math/vec.h"

#define TWO_PI 6.283185307179586476925

// A complex number whose angle is known beyond one turn.
typedef struct Angle {
    double re, im;
    double turns; // whole ones: the angle is atan2(im, re) + 2 pi turns
} Angle;

static void addAngle(Angle* angle, double re, double im)
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

double pbdrMesh_GetWindingNumber(const pbdrMesh* mesh, pbdrVec3 point)
{
    if (!PBDR_ASSERT(NULL, mesh != NULL)) {
        return 0.0;
    }
    Angle angle = {1.0, 0.0, 0.0};
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int32_t* triangle = mesh->triangles[t];
        pbdrVec3 a = pbdrSub(mesh->vertices[triangle[0]], point);
        pbdrVec3 b = pbdrSub(mesh->vertices[triangle[1]], point);
        pbdrVec3 c = pbdrSub(mesh->vertices[triangle[2]], point);
        double lengthA = pbdrLength(a), lengthB = pbdrLength(b), lengthC = pbdrLength(c);
        double det = pbdrDot(a, pbdrCross(b, c));
        double den = lengthA * lengthB * lengthC + pbdrDot(a, b) * lengthC + pbdrDot(b, c) * lengthA +
                     pbdrDot(c, a) * lengthB;
        // From within its plane a triangle covers no angle; from a point on the triangle itself half of all,
        // from whichever side, of which none is the mean: a point on a face has w = 1/2. A NaN is left out,
        // too.
        if (fabs(det) > 0.0) {
            addAngle(&angle, den, det);
        }
    }
    return angle.turns + atan2(angle.im, angle.re) / TWO_PI;
}
