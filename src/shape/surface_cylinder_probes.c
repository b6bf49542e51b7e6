// Making a cylinder: points on rims, caps and side, the two rims as discs, the axis for crossed cylinders.
//
// The points of a cap are rings at radii R k / (rings + 1) around its centre, the last of them the rim. A ring's share of
// the cap is its band's area, corrected so that the sums over all points of 1, r and r^2 are the disc's (1, 2/3 R, R^2/2):
// a spinning disc is stopped by its friction as the closed form says, and what a flat base carries is affine in the
// plane, as for a box. A point of the outermost inner ring counts 1.
#include "base.h"
#include "shape/surface_kinds.h"

#define EVERYTHING (PBDR_PROBES_PLANES | PBDR_PROBES_CONVEX | PBDR_PROBES_MESHES)

// As for a box, of the smaller of radius and half length.
#define SLACK_SHARE 1.0e-3
// Points on the ring number k, counted from the centre.
#define RING_POINTS 6
#define MOST_RINGS 64

pbdrCylinderSampling pbdrDefaultCylinderSampling(void)
{
    return (pbdrCylinderSampling){.rimPoints = 32, .rings = 2, .sideLevels = 4};
}

// (cos, sin) of 2 pi k / count by their series within an eighth of a turn, so that every platform has the
// same bits and quarter turns are exact.
static pbdrVec3 getSpoke(int k, int count)
{
    int64_t eighth = 8 * (int64_t)k / count; // octant
    double turn = (double)k / count, angle = 2.0 * PBDR_PI * (turn - (double)((eighth + 1) / 2) / 4.0);
    double square = angle * angle, c = 1.0, s = 1.0;
    for (int i = 20; i >= 2; i -= 2) {
        c = 1.0 - square / (i * (i - 1)) * c;
        s = 1.0 - square / (i * (i + 1)) * s;
    }
    s *= angle;
    switch (((eighth + 1) / 2) % 4) {
    case 0:
        return pbdrVec(c, s, 0.0);
    case 1:
        return pbdrVec(-s, c, 0.0);
    case 2:
        return pbdrVec(-c, -s, 0.0);
    default:
        return pbdrVec(s, -c, 0.0);
    }
}

static pbdrStatus checkSampling(const pbdrCylinderSampling* sampling, pbdrError* error)
{
    if (sampling->rimPoints < 4 || sampling->rimPoints > 1024 || sampling->rimPoints % 4 != 0) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "surface: %d points on a cylinder's rim; a multiple of 4 from 4 to 1024 is possible",
                        sampling->rimPoints);
    }
    if (sampling->rings < 0 || sampling->rings > MOST_RINGS || sampling->sideLevels < 0 ||
        sampling->sideLevels > 1024) {
        return pbdrFail(
            error, pbdr_statusInvalidArgument,
            "surface: %d rings on a cylinder's caps, %d levels on its side; 0 to 64 and 0 to 1024 "
            "are possible",
            sampling->rings, sampling->sideLevels);
    }
    return pbdr_statusOk;
}

// Normals: for the upper, then the lower rim, cap and spoke of every point in turn; then both caps.
static void fillNormals(pbdrSurface* surface, int rimPoints)
{
    pbdrVec3* normal = surface->normals;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int k = 0; k < rimPoints; k++) {
            *normal++ = pbdrVec(0.0, 0.0, sign);
            *normal++ = getSpoke(k, rimPoints);
        }
    }
    *normal++ = pbdrVec(0.0, 0.0, 1.0);
    *normal++ = pbdrVec(0.0, 0.0, -1.0);
}

// Shares of the centre, the rings and the rim, in turn: those of their bands, the three outermost corrected.
static void shareCap(int rings, double shares[MOST_RINGS + 2])
{
    const int rim = rings + 1;
    const double step = 1.0 / rim;
    double left[3] = {1.0, 2.0 / 3.0, 0.5}; // what the disc's sums of 1, r and r^2 lack
    for (int k = 0; k <= rim; k++) {
        const double r = k * step;
        shares[k] = k == 0 ? 0.25 * step * step : (k < rim ? 2.0 * r * step : step - 0.25 * step * step);
        left[0] -= shares[k];
        left[1] -= shares[k] * r;
        left[2] -= shares[k] * r * r;
    }
    for (int k = rim - 2; rings > 0 && k <= rim; k++) {
        // left, applied to the polynomial of degree 2 that is 1 at this ring and 0 at the other two
        const double r = k * step, a = (k == rim - 2 ? rim - 1 : rim - 2) * step,
                     b = (k == rim ? rim - 1 : rim) * step;
        shares[k] += (left[2] - (a + b) * left[1] + a * b * left[0]) / ((r - a) * (r - b));
    }
}

static pbdrProbe* addCap(pbdrProbe* probe, const pbdrSurface* surface, const pbdrCylinderSampling* sampling,
                         int sign)
{
    double radius = surface->half.x, z = sign * surface->half.z, step = radius / (sampling->rings + 1);
    int32_t first = sign > 0 ? 0 : 2 * sampling->rimPoints;
    double shares[MOST_RINGS + 2] = {0.0};
    shareCap(sampling->rings, shares);
    const double centre = shares[0], rim = shares[sampling->rings + 1] / sampling->rimPoints;
    const double unit =
        sampling->rings > 0 ? shares[sampling->rings] / (RING_POINTS * sampling->rings) : fmax(centre, rim);
    *probe++ = (pbdrProbe){.kind = pbdr_probePoint,
                           .against = EVERYTHING,
                           .a = {0.0, 0.0, z},
                           .weight = centre / unit,
                           .firstNormal = first,
                           .normalCount = 1};
    for (int k = 1; k <= sampling->rings; k++) {
        const double ring = shares[k] / (RING_POINTS * k);
        for (int i = 0; i < RING_POINTS * k; i++) {
            pbdrVec3 place = pbdrScale(k * step, getSpoke(i, RING_POINTS * k));
            place.z = z;
            *probe++ = (pbdrProbe){.kind = pbdr_probePoint,
                                   .against = EVERYTHING,
                                   .a = place,
                                   .weight = ring / unit,
                                   .firstNormal = first,
                                   .normalCount = 1};
        }
    }
    for (int i = 0; i < sampling->rimPoints; i++) {
        pbdrVec3 place = pbdrScale(radius, surface->normals[first + 2 * i + 1]);
        place.z = z;
        *probe++ = (pbdrProbe){.kind = pbdr_probePoint,
                               .against = EVERYTHING,
                               .a = place,
                               .weight = rim / unit,
                               .onRim = true,
                               .firstNormal = first + 2 * i,
                               .normalCount = 2};
    }
    *probe++ = (pbdrProbe){.kind = pbdr_probeDisc,
                           .against = PBDR_PROBES_PLANES | PBDR_PROBES_CONVEX,
                           .a = {0.0, 0.0, z},
                           .b = {0.0, 0.0, sign},
                           .radius = radius,
                           .weight = 0.5,
                           .firstNormal = first,
                           .normalCount = 1};
    return probe;
}

static pbdrProbe* addSide(pbdrProbe* probe, const pbdrSurface* surface, const pbdrCylinderSampling* sampling)
{
    double radius = surface->half.x, half = surface->half.z;
    for (int level = 1; level <= sampling->sideLevels; level++) {
        for (int i = 0; i < sampling->rimPoints; i++) {
            pbdrVec3 place = pbdrScale(radius, surface->normals[2 * i + 1]);
            place.z = half * (2.0 * level / (sampling->sideLevels + 1) - 1.0);
            *probe++ = (pbdrProbe){.kind = pbdr_probePoint,
                                   .against = PBDR_PROBES_MESHES,
                                   .a = place,
                                   .weight = 1.0,
                                   .firstNormal = 2 * i + 1,
                                   .normalCount = 1};
        }
    }
    *probe++ = (pbdrProbe){.kind = pbdr_probeSegment,
                           .against = PBDR_PROBES_CONVEX,
                           .a = {0.0, 0.0, -half},
                           .b = {0.0, 0.0, half},
                           .radius = radius,
                           .weight = 1.0,
                           .firstNormal = 4 * sampling->rimPoints,
                           .normalCount = 2};
    return probe;
}

pbdrStatus pbdrCreateCylinderSurface(const pbdrPose* frame, double halfLength, double radius,
                                     const pbdrCylinderSampling* sampling, const pbdrHooks* hooks,
                                     pbdrSurface* surface, pbdrError* error)
{
    *surface = (pbdrSurface){.kind = pbdr_surfaceNone};
    pbdrCylinderSampling own = sampling != NULL ? *sampling : pbdrDefaultCylinderSampling();
    pbdrStatus status = checkSampling(&own, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (!(halfLength > 0.0 && isfinite(halfLength) && radius > 0.0 && isfinite(radius))) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "surface: a cylinder's half length of %g m and radius of %g m are not above zero",
                        halfLength, radius);
    }
    int cap = 2 + RING_POINTS * own.rings * (own.rings + 1) / 2 + own.rimPoints;
    int count = 2 * cap + own.sideLevels * own.rimPoints + 1;
    status = pbdrReserveSurface(surface, pbdr_surfaceCylinder, count, 4 * own.rimPoints + 2, hooks, error);
    if (status == pbdr_statusOk) {
        status = pbdrSetSurfaceFrame(surface, frame, error);
    }
    if (status != pbdr_statusOk) {
        pbdrSurface_Free(surface);
        return status;
    }
    surface->half = pbdrVec(radius, radius, halfLength);
    surface->hasRims = true;
    surface->slack = SLACK_SHARE * fmin(radius, halfLength);
    fillNormals(surface, own.rimPoints);
    addSide(addCap(addCap(surface->probes, surface, &own, 1), surface, &own, -1), surface, &own);
    pbdrFinishSurface(surface, surface->half);
    // the rim between its points, wherever the frame is
    surface->radius = pbdrLength(surface->origin) + sqrt(radius * radius + halfLength * halfLength);
    return pbdr_statusOk;
}
