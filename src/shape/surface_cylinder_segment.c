// Segments against a cylinder, in its own frame: the edge of a box (radius 0), the axis of a capsule, the
// side of another cylinder.
//
// Along x(t) = a + t e the separation m(t) = max(|z| - h, rho - R) is convex. An edge touches
//
//   - the side, where rho is least;
//   - the rim, where the cap's plane and the side are as near as each other, one falling and one rising. The
//     normal lies across the edge and across the rim's tangent: in the plane of radial and axial direction
//     n ~ (|e_z|, |e_rho|);
//   - the cap or a generator of the side along a stretch, where it is all but parallel to it: the two ends.
//
// The axis of a capsule has the Euclidean distance, which is convex, too: the zero of its derivative is found
// between bounds.
#include "shape/surface_kinds.h"

// Nearer to an end than this share of the segment is the end.
#define END_SHARE 1.0e-9

enum { FEATURE_UPPER = 0, FEATURE_LOWER = 1, FEATURE_SIDE = 2, FEATURE_RIM = 3 };

typedef struct Line {
    pbdrVec3 a, e;
    double radius, half; // of the cylinder
    double length, flat; // of e, and of its part across the axis
} Line;

static Line makeLine(const pbdrSurface* cylinder, const pbdrPlacedProbe* probe)
{
    Line line = {.a = probe->a,
                 .e = pbdrSub(probe->b, probe->a),
                 .radius = cylinder->half.x,
                 .half = cylinder->half.z};
    line.length = pbdrLength(line.e);
    line.flat = sqrt(line.e.x * line.e.x + line.e.y * line.e.y);
    return line;
}

static pbdrVec3 getAt(const Line* line, double t)
{
    return pbdrAddScaled(line->a, t, line->e);
}

static double getRho(pbdrVec3 x)
{
    return sqrt(x.x * x.x + x.y * x.y);
}

// Out of the axis; on the axis itself, across the segment.
static pbdrVec3 getRadial(const Line* line, pbdrVec3 x)
{
    pbdrVec3 across = {-line->e.y, line->e.x, 0.0};
    return pbdrDirection(pbdrVec(x.x, x.y, 0.0), pbdrDirection(across, pbdrVec(1.0, 0.0, 0.0)));
}

static double clampShare(double t)
{
    return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t; // a NaN cannot come here: divisors are checked
}

static bool isEnd(double t)
{
    return t <= END_SHARE || t >= 1.0 - END_SHARE;
}

// No point of the segment is nearer to the cylinder than the reach.
static bool isBeyond(const Line* line, double reach)
{
    double from = line->a.z, to = from + line->e.z;
    double nearest = from > 0.0 ? fmin(from, to) : -fmax(from, to);
    return nearest - line->half > reach || getRho(line->a) - line->flat - line->radius > reach;
}

// Where the segment is nearest to the axis of the cylinder, the line.
static double findLeastRho(const Line* line)
{
    if (!(line->flat > 1.0e-12 * line->length)) {
        return 0.5;
    }
    double inverse = 1.0 / line->flat;
    return clampShare(-(line->a.x * (line->e.x * inverse) + line->a.y * (line->e.y * inverse)) * inverse);
}

// The part of the segment with rho <= R, or |z| <= h. False where there is none.
static bool clipByCircle(const Line* line, double range[2])
{
    double ae = line->a.x * line->e.x + line->a.y * line->e.y, ee = line->flat * line->flat;
    double c = line->a.x * line->a.x + line->a.y * line->a.y - line->radius * line->radius;
    double root = ae * ae - ee * c;
    if (!(ee > 1.0e-280)) {
        range[0] = 0.0;
        range[1] = 1.0;
        return c <= 0.0;
    }
    if (root < 0.0) {
        return false;
    }
    // the two zeros without cancellation
    double sum = -(ae + (ae < 0.0 ? -sqrt(root) : sqrt(root)));
    double first = sum / ee, second = fabs(sum) > 0.0 ? c / sum : first;
    range[0] = fmax(0.0, fmin(first, second));
    range[1] = fmin(1.0, fmax(first, second));
    return range[1] >= range[0];
}

static bool clipByCaps(const Line* line, double range[2])
{
    if (!(fabs(line->e.z) > 1.0e-280)) {
        range[0] = 0.0;
        range[1] = 1.0;
        return fabs(line->a.z) <= line->half;
    }
    double first = (-line->half - line->a.z) / line->e.z, second = (line->half - line->a.z) / line->e.z;
    range[0] = fmax(0.0, fmin(first, second));
    range[1] = fmin(1.0, fmax(first, second));
    return range[1] >= range[0];
}

// --- Edges ---

// The least m(t): from where rho is least along the falling cap until the side has risen as high. The
// difference of the two is convex, so Newton's method from beyond the zero comes down on it.
static double findLowest(const Line* line, int* cap)
{
    double t = findLeastRho(line);
    pbdrVec3 x = getAt(line, t);
    *cap = x.z < 0.0 ? FEATURE_LOWER : FEATURE_UPPER;
    double sign = x.z < 0.0 ? -1.0 : 1.0, slope = sign * line->e.z;
    if (getRho(x) - line->radius >= fabs(x.z) - line->half || !(fabs(slope) > 0.0)) {
        return t;
    }
    double end = slope < 0.0 ? 1.0 : 0.0, lower = t;
    x = getAt(line, end);
    if (sign * x.z - line->half >= getRho(x) - line->radius) {
        return end;
    }
    t = end;
    for (int round = 0; round < 30; round++) {
        x = getAt(line, t);
        double rho = getRho(x);
        double value = (rho - line->radius) - (sign * x.z - line->half);
        double rise = (rho > 0.0 ? (x.x * line->e.x + x.y * line->e.y) / rho : 0.0) - slope;
        double next = fabs(rise) > 0.0 ? t - value / rise : lower;
        next = end > 0.5 ? fmin(fmax(next, lower), end) : fmax(fmin(next, lower), end);
        if (!(value > 0.0) || fabs(next - t) <= 1.0e-15) {
            break;
        }
        t = next;
    }
    return t;
}

// Adds the ends of a stretch that are not the segment's own.
static int hitStretch(const pbdrPlacedProbe* probe, const Line* line, const double range[2], int feature,
                      bool corners, double slope, pbdrSurfaceHit hits[2])
{
    int count = 0;
    pbdrSurfaceHit ends[2];
    for (int end = 0; end < 2; end++) {
        pbdrVec3 x = getAt(line, range[end]);
        if (feature == FEATURE_SIDE) {
            pbdrSetHit(&ends[end], x, getRho(x) - line->radius, getRadial(line, x), probe->radius, feature);
        } else {
            double sign = feature == FEATURE_UPPER ? 1.0 : -1.0;
            pbdrSetHit(&ends[end], x, sign * x.z - line->half, pbdrVec(0.0, 0.0, sign), probe->radius,
                       feature);
        }
    }
    ends[ends[1].gap > ends[0].gap ? 1 : 0].share = pbdrGetStretchShare(slope);
    for (int end = 0; end < 2; end++) {
        bool isCorner = end == 0 ? range[0] <= END_SHARE : range[1] >= 1.0 - END_SHARE;
        bool isSame = end == 1 && count == 1 && range[1] - range[0] <= END_SHARE;
        if ((corners || !isCorner) && !isSame) {
            hits[count++] = ends[end];
        }
    }
    return count;
}

// Edge on rim.
static bool crossRim(const pbdrPlacedProbe* probe, const Line* line, double t, int cap, pbdrSurfaceHit* hit)
{
    pbdrVec3 x = getAt(line, t), radial = getRadial(line, x);
    double sign = cap == FEATURE_UPPER ? 1.0 : -1.0;
    double out = pbdrDot(line->e, radial), up = sign * line->e.z;
    double size = sqrt(out * out + up * up);
    if (!(out * up < 0.0) || !(size > 1.0e-140)) {
        return false;
    }
    pbdrVec3 normal = pbdrScale(fabs(up) / size, radial);
    normal.z = sign * fabs(out) / size;
    double gap =
        (getRho(x) - line->radius) * (fabs(up) / size) + (sign * x.z - line->half) * (fabs(out) / size);
    pbdrSetHit(hit, x, gap, normal, probe->radius, FEATURE_RIM);
    return true;
}

int pbdrProbeCylinderEdge(const pbdrSurface* surface, const pbdrPlacedProbe* probe, pbdrSurfaceHit hits[2])
{
    Line line = makeLine(surface, probe);
    if (!(line.length > 0.0) || isBeyond(&line, probe->reach)) {
        return 0;
    }
    int cap;
    double range[2], t = findLowest(&line, &cap), steepest = 2.0 * PBDR_STRETCH_SLOPE * line.length;
    pbdrVec3 x = getAt(&line, t), radial = getRadial(&line, x);
    double side = getRho(x) - line.radius, lid = fabs(x.z) - line.half;
    pbdrVec3 up = {0.0, 0.0, cap == FEATURE_UPPER ? 1.0 : -1.0};
    if (fmax(side, lid) > probe->reach) {
        return 0;
    }
    if (fabs(line.e.z) < steepest && lid >= side - surface->slack && pbdrIsInCone(probe, up)) {
        return clipByCircle(&line, range)
                   ? hitStretch(probe, &line, range, cap, false, fabs(line.e.z) / line.length, hits)
                   : 0;
    }
    if (line.flat < steepest && side >= lid - surface->slack && pbdrIsInCone(probe, radial)) {
        return clipByCaps(&line, range)
                   ? hitStretch(probe, &line, range, FEATURE_SIDE, false, line.flat / line.length, hits)
                   : 0;
    }
    if (isEnd(t)) {
        return 0; // the corner there has a probe of its own
    }
    if (side > lid && fabs(pbdrDot(line.e, radial)) <= 1.0e-6 * line.length) {
        pbdrSetHit(&hits[0], x, side, radial, 0.0, FEATURE_SIDE);
        return pbdrIsInCone(probe, radial) ? 1 : 0;
    }
    return crossRim(probe, &line, t, cap, &hits[0]) && pbdrIsInCone(probe, hits[0].normal) ? 1 : 0;
}

// --- Axes ---

// Half the derivative of d^2 along the segment.
static double getPull(const Line* line, double t)
{
    pbdrVec3 x = getAt(line, t);
    double rho = getRho(x), out = rho - line->radius, up = fabs(x.z) - line->half, pull = 0.0;
    if (out > 0.0) {
        pull += out * (x.x * line->e.x + x.y * line->e.y) / rho;
    }
    if (up > 0.0) {
        pull += (x.z < 0.0 ? -up : up) * line->e.z;
    }
    return pull;
}

// The zero of the pull, which never falls: regula falsi, halving the weight of an end that stays (Illinois).
static double findNearest(const Line* line)
{
    double from = 0.0, to = 1.0, pullFrom = getPull(line, from), pullTo = getPull(line, to);
    if (pullFrom >= 0.0) {
        return 0.0;
    }
    if (pullTo <= 0.0) {
        return 1.0;
    }
    double t = 0.5;
    for (int round = 0, kept = 0; round < 60 && to - from > 1.0e-15; round++) {
        t = from - pullFrom * (to - from) / (pullTo - pullFrom);
        t = t > from && t < to ? t : 0.5 * (from + to);
        double pull = getPull(line, t);
        if (pull < 0.0) {
            from = t;
            pullFrom = pull;
            pullTo *= kept == -1 ? 0.5 : 1.0;
            kept = -1;
        } else if (pull > 0.0) {
            to = t;
            pullTo = pull;
            pullFrom *= kept == 1 ? 0.5 : 1.0;
            kept = 1;
        } else {
            break;
        }
    }
    return t;
}

// The Euclidean hit of the ball at t. False where its centre is inside.
static bool hitNearest(const pbdrPlacedProbe* probe, const Line* line, double t, pbdrSurfaceHit* hit)
{
    pbdrVec3 x = getAt(line, t);
    double out = fmax(getRho(x) - line->radius, 0.0), up = fmax(fabs(x.z) - line->half, 0.0);
    double distance = sqrt(out * out + up * up);
    if (!(distance > 1.0e-140)) {
        return false;
    }
    pbdrVec3 normal = pbdrScale(out / distance, getRadial(line, x));
    normal.z = (x.z < 0.0 ? -up : up) / distance;
    int cap = x.z < 0.0 ? FEATURE_LOWER : FEATURE_UPPER;
    pbdrSetHit(hit, x, distance, normal, probe->radius,
               !(up > 0.0) ? FEATURE_SIDE
               : out > 0.0 ? FEATURE_RIM
                           : cap);
    return true;
}

// The axis is inside: the face that separates it most, wherever along it that is.
static int hitInside(const pbdrPlacedProbe* probe, const Line* line, pbdrSurfaceHit hits[2])
{
    int cap;
    double range[2], t = findLowest(line, &cap), steepest = 2.0 * PBDR_STRETCH_SLOPE * line->length;
    pbdrVec3 x = getAt(line, t);
    bool isSide = getRho(x) - line->radius > fabs(x.z) - line->half;
    if (!isSide && fabs(line->e.z) < steepest && clipByCircle(line, range)) {
        return hitStretch(probe, line, range, cap, true, fabs(line->e.z) / line->length, hits);
    }
    if (isSide && line->flat < steepest && clipByCaps(line, range)) {
        return hitStretch(probe, line, range, FEATURE_SIDE, true, line->flat / line->length, hits);
    }
    range[0] = range[1] = t;
    return hitStretch(probe, line, range, isSide ? FEATURE_SIDE : cap, true, 0.0, hits);
}

// Side on side of two cylinders that cross. Where they are parallel their rims touch.
static int hitSides(const pbdrPlacedProbe* probe, const Line* line, pbdrSurfaceHit hits[2])
{
    double t = findLeastRho(line);
    pbdrVec3 x = getAt(line, t);
    double sine = line->length > 0.0 ? line->flat / line->length : 0.0;
    if (isEnd(t) || fabs(x.z) > line->half) {
        return 0;
    }
    pbdrSetHit(&hits[0], x, getRho(x) - line->radius, getRadial(line, x), probe->radius, FEATURE_SIDE);
    hits[0].share = 1.0 - pbdrGetStretchShare(sine);
    return 1;
}

int pbdrProbeCylinderAxis(const pbdrSurface* surface, const pbdrPlacedProbe* probe, pbdrSurfaceHit hits[2])
{
    Line line = makeLine(surface, probe);
    if (isBeyond(&line, probe->reach + probe->radius)) {
        return 0;
    }
    if (probe->normalCount > 0) {
        return hitSides(probe, &line, hits);
    }
    double t = findNearest(&line);
    if (!hitNearest(probe, &line, t, &hits[0])) {
        return hitInside(probe, &line, hits);
    }
    pbdrVec3 n = hits[0].normal;
    double range[2], steepest = 2.0 * PBDR_STRETCH_SLOPE, level = fabs(line.e.z) / line.length;
    double upright = line.flat / line.length;
    bool isFlat = level < steepest && fabs(n.z) > 1.0 - 8.0 * PBDR_STRETCH_SLOPE * PBDR_STRETCH_SLOPE;
    bool isAlong = upright < steepest && fabs(n.z) < 4.0 * PBDR_STRETCH_SLOPE;
    if (!(line.length > 0.0) ||
        !((isFlat && clipByCircle(&line, range)) || (isAlong && clipByCaps(&line, range)))) {
        return 1;
    }
    // as the axis turns out of parallel the ends close in on the nearest point
    pbdrSurfaceHit ends[2];
    double share = pbdrGetStretchShare(isFlat ? level : upright);
    range[0] = fmin(t, t + share * (range[0] - t));
    range[1] = fmax(t, t + share * (range[1] - t));
    if (range[1] - range[0] > END_SHARE && hitNearest(probe, &line, range[0], &ends[0]) &&
        hitNearest(probe, &line, range[1], &ends[1])) {
        ends[ends[1].gap > ends[0].gap ? 1 : 0].share = share;
        hits[0] = ends[0];
        hits[1] = ends[1];
        return 2;
    }
    return 1;
}
