// Probes against a ball and a capsule, in their own frame: the distance of an axis, from (0, 0, -h) to
// (0, 0, h), less the radius; a ball's h is 0.
//
// Two segments have one nearest pair unless they are parallel; then they touch along a stretch, and its two
// ends are hit. As they turn out of parallel the ends close in on the nearest point and one of them fades.
#include "shape/surface_kinds.h"

// Nearer to an end than this share of the segment is the end.
#define END_SHARE 1.0e-9

static double clamp(double value, double limit)
{
    return value < -limit ? -limit : value > limit ? limit : value;
}

// The hit of a ball at `place`; where it is on the axis itself, the normal is `otherwise`.
static void hitAxis(const pbdrPlacedProbe* probe, double half, double round, pbdrVec3 place,
                    pbdrVec3 otherwise, pbdrSurfaceHit* hit)
{
    pbdrVec3 away = {place.x, place.y, place.z - clamp(place.z, half)};
    double square = pbdrDot(away, away);
    double distance = square > 1.0e-280 ? sqrt(square) : 0.0;
    pbdrVec3 normal = distance > 0.0 ? pbdrScale(1.0 / distance, away) : otherwise;
    // side, lower end, upper end: the normal is continuous, but the solver may care
    int32_t feature = place.z < -half ? 1 : place.z > half ? 2 : 0;
    pbdrSetHit(hit, place, distance - round, normal, probe->radius, feature);
}

static int probePoint(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                      pbdrSurfaceHit hits[2])
{
    double half = surface->kind == pbdr_surfaceBall ? 0.0 : surface->half.z;
    hitAxis(probe, half, surface->round, probe->a, pbdrVec(1.0, 0.0, 0.0), &hits[0]);
    features[0] = hits[0].feature;
    return 1;
}

// The share of the way from a to b where the segment is nearest to the axis; after Ericson 2004, Real-Time
// Collision Detection, 5.1.9.
static double findNearest(pbdrVec3 a, pbdrVec3 e, double half)
{
    double square = pbdrDot(e, e), flat = e.x * e.x + e.y * e.y;
    if (!(square > 1.0e-280)) {
        return 0.0;
    }
    // first the infinite axis, then its nearest point clamped, then the segment's nearest to that
    double t = flat > 1.0e-24 * square ? -(a.x * e.x + a.y * e.y) / flat : -pbdrDot(a, e) / square;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    double z = a.z + t * e.z;
    if (z < -half || z > half) {
        z = clamp(z, half);
        t = -(a.x * e.x + a.y * e.y + (a.z - z) * e.z) / square;
        t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    }
    return t;
}

// The stretch over the axis of a segment that is all but parallel to it.
static bool clipAlong(pbdrVec3 a, pbdrVec3 e, double half, double length, double range[2])
{
    double steepest = 2.0 * PBDR_STRETCH_SLOPE * length;
    if (!(e.x * e.x + e.y * e.y < steepest * steepest)) {
        return false;
    }
    double first = (-half - a.z) / e.z, second = (half - a.z) / e.z;
    range[0] = fmax(0.0, fmin(first, second));
    range[1] = fmin(1.0, fmax(first, second));
    return range[1] - range[0] > END_SHARE;
}

static int probeSegment(const pbdrSurface* surface, const pbdrPlacedProbe* probe, pbdrSurfaceHit hits[2])
{
    double half = surface->kind == pbdr_surfaceBall ? 0.0 : surface->half.z, range[2];
    pbdrVec3 e = pbdrSub(probe->b, probe->a);
    double length = pbdrLength(e);
    bool sharp = !(probe->radius > 0.0);
    if (!sharp && probe->normalCount > 0) {
        return 0; // a cylinder's side: this axis against the cylinder sees it
    }
    pbdrVec3 across = pbdrAcross(pbdrDirection(e, pbdrVec(0.0, 0.0, 1.0)));
    pbdrVec3 otherwise = pbdrDirection(pbdrCross(e, pbdrVec(0.0, 0.0, length)), across);
    double t = findNearest(probe->a, e, half);
    if (clipAlong(probe->a, e, half, length, range)) {
        pbdrSurfaceHit ends[2];
        int count = 0;
        double share = pbdrGetStretchShare(sqrt(e.x * e.x + e.y * e.y) / length);
        range[0] = fmin(t, t + share * (range[0] - t));
        range[1] = fmax(t, t + share * (range[1] - t));
        for (int end = 0; end < 2; end++) {
            hitAxis(probe, half, surface->round, pbdrAddScaled(probe->a, range[end], e), otherwise,
                    &ends[end]);
        }
        ends[ends[1].gap > ends[0].gap ? 1 : 0].share = share;
        for (int end = 0; end < 2; end++) {
            bool isCorner = end == 0 ? range[0] <= END_SHARE : range[1] >= 1.0 - END_SHARE;
            if (!sharp || (!isCorner && pbdrIsInCone(probe, ends[end].normal))) {
                hits[count++] = ends[end];
            }
        }
        return count;
    }
    if (sharp && (t <= END_SHARE || t >= 1.0 - END_SHARE)) {
        return 0; // the corner there has a probe of its own
    }
    hitAxis(probe, half, surface->round, pbdrAddScaled(probe->a, t, e), otherwise, &hits[0]);
    return !sharp || pbdrIsInCone(probe, hits[0].normal) ? 1 : 0;
}

int pbdrProbeCapsule(const pbdrSurface* surface, const pbdrPlacedProbe* probe, pbdrSurfaceHit hits[2])
{
    int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
    switch (probe->kind) {
    case pbdr_probePoint:
        return probePoint(surface, probe, features, hits);
    case pbdr_probeSegment:
        return probeSegment(surface, probe, hits);
    case pbdr_probeDisc: {
        pbdrPlacedProbe centre = *probe;
        centre.radius = 0.0;
        probePoint(surface, &centre, features, hits);
        return pbdrProbeRim(surface, probe, hits[0].normal, probePoint, features, hits);
    }
    }
    return 0;
}

int pbdrProbeBall(const pbdrSurface* surface, const pbdrPlacedProbe* probe, pbdrSurfaceHit hits[2])
{
    return pbdrProbeCapsule(surface, probe, hits);
}
