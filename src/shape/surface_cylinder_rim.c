// The rim of one cylinder against another cylinder, in the latter's frame: where the separation
// m = max(|z| - h, rho - R) is least along the rim. There the rim touches the side (m is rho - R, smooth),
// the cap (m is |z| - h), or crosses the other rim (both are level, one falling and one rising): the normal
// then lies across both rims.
//
// m has a few minima along a circle. Sixteen samples find the lowest, golden sections close in on it to about
// 1e-8, and Newton's method does the rest. One is enough: where two convex bodies touch at two points of a
// rim the normal is in both cones of cap and spoke, and that is the cap's, which the rim's fixed points
// carry.
#include "shape/surface_kinds.h"

#define SAMPLES 16
#define EIGHTH_TANGENT 0.41421356237309505 // of 1/16 turn: tan(pi / 8)
#define GOLDEN 0.61803398874989485
#define ROUNDS 34
// Cap and side are level if they differ by less than this, in radii of the rim.
#define TIE_SHARE 1.0e-6

enum { FEATURE_UPPER = 0, FEATURE_LOWER = 1, FEATURE_SIDE = 2, FEATURE_RIM = 3 };

typedef struct Rim {
    const pbdrSurface* cylinder;
    pbdrVec3 centre, axis;
    double radius;
} Rim;

static double getRho(pbdrVec3 x)
{
    return sqrt(x.x * x.x + x.y * x.y);
}

static double getSeparation(const Rim* rim, pbdrVec3 direction)
{
    pbdrVec3 x = pbdrAddScaled(rim->centre, rim->radius, direction);
    return fmax(getRho(x) - rim->cylinder->half.x, fabs(x.z) - rim->cylinder->half.z);
}

// Unit, in the disc's plane: w = -1, 0, 1 is the sample before, at and after `direction`.
static pbdrVec3 getDirection(const Rim* rim, pbdrVec3 direction, double w)
{
    pbdrVec3 tangent = pbdrCross(rim->axis, direction);
    return pbdrDirection(pbdrAddScaled(direction, w * EIGHTH_TANGENT, tangent), direction);
}

static pbdrVec3 findLowest(const Rim* rim, pbdrVec3 direction)
{
    double from = -1.0, to = 1.0, first = to - GOLDEN * (to - from), second = from + GOLDEN * (to - from);
    double atFirst = getSeparation(rim, getDirection(rim, direction, first));
    double atSecond = getSeparation(rim, getDirection(rim, direction, second));
    for (int round = 0; round < ROUNDS; round++) {
        if (atFirst <= atSecond) {
            to = second;
            second = first;
            atSecond = atFirst;
            first = to - GOLDEN * (to - from);
            atFirst = getSeparation(rim, getDirection(rim, direction, first));
        } else {
            from = first;
            first = second;
            atFirst = atSecond;
            second = from + GOLDEN * (to - from);
            atSecond = getSeparation(rim, getDirection(rim, direction, second));
        }
    }
    return getDirection(rim, direction, 0.5 * (from + to));
}

// One step of Newton's method towards the zero of rho' on the side, of the difference of both at a crossing.
static pbdrVec3 polish(const Rim* rim, pbdrVec3 direction)
{
    pbdrVec3 x = pbdrAddScaled(rim->centre, rim->radius, direction),
             tangent = pbdrCross(rim->axis, direction);
    double rho = getRho(x), sign = x.z < 0.0 ? -1.0 : 1.0, r = rim->radius;
    double level = (rho - rim->cylinder->half.x) - (sign * x.z - rim->cylinder->half.z);
    double pull = x.x * tangent.x + x.y * tangent.y, value = 0.0, slope = 0.0;
    if (fabs(level) < TIE_SHARE * r && rho > 0.0) {
        value = level;
        slope = r * (pull / rho - sign * tangent.z);
    } else if (level > 0.0) {
        value = pull;
        slope = r * (tangent.x * tangent.x + tangent.y * tangent.y) - (x.x * direction.x + x.y * direction.y);
    } else {
        value = tangent.z;
        slope = -direction.z;
    }
    double step = fabs(slope) > 0.0 ? -value / slope : 0.0;
    return fabs(step) < 1.0e-5 ? pbdrDirection(pbdrAddScaled(direction, step, tangent), direction)
                               : direction;
}

// False where the cap or the side of the prober is nearer than its rim: the other's own probes see that.
static bool hitLowest(const Rim* rim, pbdrVec3 direction, pbdrSurfaceHit* hit)
{
    pbdrVec3 x = pbdrAddScaled(rim->centre, rim->radius, direction),
             tangent = pbdrCross(rim->axis, direction);
    pbdrVec3 radial = pbdrDirection(pbdrVec(x.x, x.y, 0.0), pbdrVec(1.0, 0.0, 0.0));
    double sign = x.z < 0.0 ? -1.0 : 1.0, side = getRho(x) - rim->cylinder->half.x;
    double lid = sign * x.z - rim->cylinder->half.z;
    double out = pbdrDot(tangent, radial), up = sign * tangent.z, size = sqrt(out * out + up * up);
    pbdrVec3 normal = side > lid ? radial : pbdrVec(0.0, 0.0, sign);
    double gap = fmax(side, lid);
    int feature = side > lid ? FEATURE_SIDE : sign > 0.0 ? FEATURE_UPPER : FEATURE_LOWER;
    if (fabs(side - lid) < TIE_SHARE * rim->radius && out * up < 0.0 && size > 1.0e-6) {
        normal = pbdrScale(fabs(up) / size, radial);
        normal.z = sign * fabs(out) / size;
        gap = side * (fabs(up) / size) + lid * (fabs(out) / size);
        feature = FEATURE_RIM;
    }
    double cosine = pbdrDot(normal, rim->axis), square = 1.0 - cosine * cosine;
    const pbdrVec3 faces[2] = {rim->axis, direction};
    const pbdrPlacedProbe edge = {.normals = faces, .normalCount = 2};
    pbdrSetHit(hit, x, gap, normal, 0.0, feature);
    hit->share = pbdrGetDiscShare(sqrt(square > 0.0 ? square : 0.0));
    return hit->share > 0.0 && pbdrIsInCone(&edge, normal);
}

int pbdrProbeCylinderRim(const pbdrSurface* surface, const pbdrPlacedProbe* probe, pbdrSurfaceHit hits[2])
{
    Rim rim = {surface, probe->a, probe->b, probe->radius};
    // cosines of the first quarter's samples; the rest by turning
    static const double cosines[4] = {1.0, 0.92387953251128674, 0.70710678118654752, 0.38268343236508977};
    static const double sines[4] = {0.0, 0.38268343236508977, 0.70710678118654752, 0.92387953251128674};
    pbdrVec3 u = pbdrAcross(probe->b), v = pbdrCross(probe->b, u), directions[SAMPLES];
    double separations[SAMPLES];
    for (int k = 0; k < 4; k++) {
        pbdrVec3 d = pbdrAddScaled(pbdrScale(cosines[k], u), sines[k], v);
        pbdrVec3 e = pbdrAddScaled(pbdrScale(-sines[k], u), cosines[k], v);
        directions[k] = d;
        directions[k + 4] = e;
        directions[k + 8] = pbdrScale(-1.0, d);
        directions[k + 12] = pbdrScale(-1.0, e);
    }
    for (int k = 0; k < SAMPLES; k++) {
        separations[k] = getSeparation(&rim, directions[k]);
    }
    int lowest = 0;
    for (int k = 1; k < SAMPLES; k++) {
        lowest = separations[k] < separations[lowest] ? k : lowest;
    }
    // no point of the rim is farther from a sample than 0.2 radii, and m changes no faster than the place
    if (separations[lowest] - 0.2 * rim.radius > probe->reach) {
        return 0;
    }
    return hitLowest(&rim, polish(&rim, polish(&rim, findLowest(&rim, directions[lowest]))), &hits[0]) ? 1
                                                                                                       : 0;
}
