// Segments against a box, in its own frame: the edge of another box (radius 0), the axis of a capsule.
//
// Along x(t) = a + t e the separation m(t) = max_f s_f(x(t)) is convex and piecewise linear. Where it is
// least one of these holds:
//
//   - two neighbouring faces f1, f2 cross there: edge on edge. The normal is the common perpendicular of both
//     edges, n ~ d2 f1 - d1 f2 with the slopes d1 < 0 < d2 of s_f1, s_f2, and the gap n . (x - edge) is exact
//     inside and outside;
//   - a face is all but parallel to the segment: it touches along a stretch, and the ends of that, clipped by
//     the neighbouring faces, are corners of the polygon in which two faces touch;
//   - an end of the segment is lowest: a corner, which has a probe of its own.
//
// The axis of a capsule has the Euclidean distance: d^2(t) is convex and piecewise quadratic, and its
// derivative is linear between the planes that the axis crosses.
#include "shape/surface_box_line.h"

// Nearer to an end than this share of the segment is the end.
#define END_SHARE 1.0e-9

// Where m(t) is least. falling, rising: the faces that are greatest before and after; -1 beyond the segment.
typedef struct Lowest {
    double t, separation;
    int falling, rising;
} Lowest;

// Cutting planes: the lines of a falling and a rising face cross at a lower bound; whichever face is above it
// there replaces one of them. There are six lines, so it ends.
static Lowest findLowest(const Line* line)
{
    Lowest low = {0.0, 0.0, -1, -1};
    low.rising = findGreatest(line, 0.0, &low.separation);
    if (getSlope(line, low.rising) >= 0.0) {
        return low;
    }
    low.falling = low.rising;
    low.t = 1.0;
    low.rising = findGreatest(line, 1.0, &low.separation);
    if (getSlope(line, low.rising) <= 0.0) {
        low.falling = low.rising;
        low.rising = -1;
        return low;
    }
    for (int round = 0; round < 8; round++) {
        double fall = getSlope(line, low.falling), rise = getSlope(line, low.rising);
        double t = (getStart(line, low.falling) - getStart(line, low.rising)) / (rise - fall);
        low.t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
        int face = findGreatest(line, low.t, &low.separation);
        if (face == low.falling || face == low.rising || low.separation <= getAt(line, low.falling, low.t)) {
            break;
        }
        if (getSlope(line, face) > 0.0) {
            low.rising = face;
        } else if (getSlope(line, face) < 0.0) {
            low.falling = face;
        } else { // flat: as low on either side
            low.falling = low.rising = face;
            break;
        }
    }
    return low;
}

// The stretch of the segment over a face, clipped by its four neighbours. A neighbour that is all but
// parallel to the segment clips at the slack: two edges on top of each other.
static bool clipOver(const Line* line, int face, double slack, double range[2])
{
    range[0] = 0.0;
    range[1] = 1.0;
    for (int side = 0; side < 6; side++) {
        if ((side >> 1) == (face >> 1)) {
            continue;
        }
        double slope = getSlope(line, side);
        double level = slack * fmax(0.0, 1.0 - fabs(slope) / (PBDR_STRETCH_SLOPE * line->length));
        double start = getStart(line, side) - level;
        if (start + range[0] * slope <= 0.0 && start + range[1] * slope <= 0.0) {
            continue;
        }
        if (start + range[0] * slope > 0.0 && start + range[1] * slope > 0.0) {
            return false;
        }
        range[slope > 0.0 ? 1 : 0] = -start / slope;
    }
    return range[0] <= range[1];
}

// Whether the remembered face counts in place of the opposite one: as for points.
static bool keepsSide(const Line* line, const pbdrSurface* box, double t, double reach, int last)
{
    int axis = last >> 1;
    double thickness = 2.0 * line->half[axis];
    for (int face = 0; face < 6; face++) {
        if ((face >> 1) != axis && getAt(line, face, t) > box->slack) {
            return false;
        }
    }
    return getAt(line, last, t) > -thickness - fmin(thickness, fmax(reach, 0.0));
}

// The face of greatest separation, at least so much, to which the segment is all but parallel, and which the prober's
// faces look at; -1: none.
static int findParallelFace(const pbdrPlacedProbe* probe, const Line* line, double t, double least,
                            double steepest)
{
    int chosen = -1;
    for (int face = 0; face < 6; face++) {
        if (fabs(line->e[face >> 1]) >= steepest) {
            continue;
        }
        double separation = getAt(line, face, t);
        if (separation >= least && pbdrIsInCone(probe, getFaceNormal(face))) {
            least = separation;
            chosen = face;
        }
    }
    return chosen;
}

// The face along which the segment touches, as far as it does; -1: none.
static int findStretchFace(const pbdrSurface* box, const pbdrPlacedProbe* probe, const Line* line,
                           const Lowest* low, int last)
{
    const double steepest = 2.0 * PBDR_STRETCH_SLOPE * line->length;
    int chosen = findParallelFace(probe, line, low->t, low->separation - box->slack, steepest);
    const double flush = pbdrGetFlushDepth(box, probe);
    if (chosen < 0 && low->separation <= box->slack && low->separation >= -flush) {
        // under a face and along a side, which the prober cannot touch
        double separation;
        const int side = findGreatest(line, low->t, &separation);
        if (fabs(line->e[side >> 1]) < steepest) {
            chosen = findParallelFace(probe, line, low->t, -flush, steepest);
        }
    }
    if (chosen != (last ^ 1) && last >= 0 && last < 6 && fabs(line->e[last >> 1]) < steepest &&
        (low->falling == (last ^ 1) || low->rising == (last ^ 1)) &&
        pbdrIsInCone(probe, getFaceNormal(last))) {
        return keepsSide(line, box, low->t, probe->reach, last) ? last : chosen;
    }
    if (chosen >= 0 && chosen == (last ^ 1) && keepsSide(line, box, low->t, probe->reach, last)) {
        return last;
    }
    return chosen;
}

// Hits at the ends of a stretch over a face; ends of the segment itself only where corners says so.
static int hitStretch(const pbdrPlacedProbe* probe, const Line* line, int face, const double range[2],
                      bool corners, pbdrSurfaceHit hits[2])
{
    double slope = line->length > 0.0 ? getSlope(line, face) / line->length : 0.0;
    int count = 0;
    for (int end = 0; end < 2; end++) {
        double t = range[end];
        bool isCorner = end == 0 ? t <= END_SHARE : t >= 1.0 - END_SHARE;
        if ((isCorner && !corners) || (end == 1 && count == 1 && t - range[0] <= END_SHARE)) {
            continue;
        }
        pbdrSetHit(&hits[count], getPlace(line, t), getAt(line, face, t), getFaceNormal(face), probe->radius,
                   face);
        bool isHigher = end == 0 ? slope < 0.0 : slope > 0.0;
        hits[count++].share = isHigher ? pbdrGetStretchShare(fabs(slope)) : 1.0;
    }
    return count;
}

// Edge on edge. False unless the two faces are neighbours, one falling and one rising.
static bool crossEdge(const pbdrPlacedProbe* probe, const Line* line, int falling, int rising,
                      pbdrSurfaceHit* hit, double* along)
{
    if (falling < 0 || rising < 0 || (falling >> 1) == (rising >> 1)) {
        return false;
    }
    double fall = getSlope(line, falling), rise = getSlope(line, rising), square = fall * fall + rise * rise;
    if (!(fall < 0.0 && rise > 0.0 && square > 1.0e-280)) {
        return false;
    }
    double scale = 1.0 / sqrt(square), s1 = getStart(line, falling), s2 = getStart(line, rising);
    pbdrVec3 normal =
        pbdrAddScaled(pbdrScale(scale * rise, getFaceNormal(falling)), -scale * fall, getFaceNormal(rising));
    double t = -(s1 * fall + s2 * rise) / square; // where the segment is nearest to the box's edge
    *along = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    // 8 .. 63, past the faces
    int32_t feature = 8 + 6 * (falling < rising ? falling : rising) + (falling < rising ? rising : falling);
    pbdrSetHit(hit, getPlace(line, *along), scale * (rise * s1 - fall * s2), normal, probe->radius, feature);
    return true;
}

// Whether the pair of faces that the segment crossed last still counts, though it has come out beyond: only
// if a face on the other side has taken the place of one of them.
static bool keepsEdge(const pbdrSurface* box, const pbdrPlacedProbe* probe, const Line* line,
                      const Lowest* low, const int32_t pair[2], pbdrSurfaceHit* hit)
{
    if (pair[0] < 0 || pair[0] > 5 || pair[1] < 0 || pair[1] > 5) {
        return false;
    }
    bool opposite = low->falling == (pair[0] ^ 1) || low->falling == (pair[1] ^ 1) ||
                    low->rising == (pair[0] ^ 1) || low->rising == (pair[1] ^ 1);
    bool isFirstFalling = getSlope(line, pair[0]) < 0.0;
    double along;
    if (!opposite ||
        !crossEdge(probe, line, pair[isFirstFalling ? 0 : 1], pair[isFirstFalling ? 1 : 0], hit, &along)) {
        return false;
    }
    int third = 3 - (pair[0] >> 1) - (pair[1] >> 1);
    double thickness = 2.0 * fmin(line->half[pair[0] >> 1], line->half[pair[1] >> 1]);
    double across = fabs(line->a[third] + along * line->e[third]) - line->half[third];
    return along > END_SHARE && along < 1.0 - END_SHARE && across <= box->slack &&
           hit->gap + probe->radius > -thickness - fmin(thickness, fmax(probe->reach, 0.0));
}

int pbdrProbeBoxEdge(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                     pbdrSurfaceHit hits[2])
{
    Line line = makeLine(surface, probe);
    if (!(line.length > 0.0) || isBeyond(&line, probe->reach)) {
        return 0;
    }
    Lowest low = findLowest(&line);
    if (low.separation > probe->reach) {
        return 0;
    }
    const bool cornered = features[1] == PBDR_WITH_CORNERS, corners = probe->corners || cornered;
    int face = findStretchFace(surface, probe, &line, &low, features[1] < 0 || cornered ? features[0] : -1);
    int entry = pbdrFindBoxEntry(surface, probe, getPlace(&line, 0.5));
    face = face >= 0 && face == (entry ^ 1) && entry >= 0 ? entry : face;
    if (face >= 0) {
        double range[2];
        features[0] = face;
        features[1] = corners ? PBDR_WITH_CORNERS : PBDR_NO_FEATURE;
        return clipOver(&line, face, surface->slack, range)
                   ? hitStretch(probe, &line, face, range, corners, hits)
                   : 0;
    }
    if (keepsEdge(surface, probe, &line, &low, features, &hits[0])) {
        return pbdrIsInCone(probe, hits[0].normal) ? 1 : 0;
    }
    double along;
    if (low.t <= END_SHARE || low.t >= 1.0 - END_SHARE ||
        !crossEdge(probe, &line, low.falling, low.rising, &hits[0], &along) ||
        !pbdrIsInCone(probe, hits[0].normal)) {
        return 0;
    }
    features[0] = low.falling;
    features[1] = low.rising;
    return 1;
}

// --- The axis of a capsule ---

// Half the derivative of d^2 along the segment.
static double getPull(const Line* line, double t)
{
    double pull = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double x = line->a[axis] + t * line->e[axis], over = fabs(x) - line->half[axis];
        if (over > 0.0) {
            pull += (x < 0.0 ? -over : over) * line->e[axis];
        }
    }
    return pull;
}

static double findNearest(const Line* line)
{
    if (getPull(line, 0.0) >= 0.0) {
        return 0.0;
    }
    if (getPull(line, 1.0) <= 0.0) {
        return 1.0;
    }
    double from = 0.0, to = 1.0, pullFrom = getPull(line, 0.0), pullTo = getPull(line, 1.0);
    for (int face = 0; face < 6; face++) {
        double slope = getSlope(line, face);
        double t = fabs(slope) > 0.0 ? -getStart(line, face) / slope : -1.0;
        if (t > from && t < to) {
            double pull = getPull(line, t);
            if (pull < 0.0) {
                from = t;
                pullFrom = pull;
            } else {
                to = t;
                pullTo = pull;
            }
        }
    }
    double share = pullTo > pullFrom ? -pullFrom / (pullTo - pullFrom) : 0.5;
    return from + share * (to - from);
}

// The Euclidean hit of the ball at t. False where its centre is inside.
static bool hitNearest(const pbdrPlacedProbe* probe, const Line* line, double t, pbdrSurfaceHit* hit)
{
    pbdrVec3 place = getPlace(line, t);
    const double x[3] = {place.x, place.y, place.z};
    double over[3], square = 0.0;
    int32_t region = 0;
    for (int axis = 0, digit = 1; axis < 3; axis++, digit *= 3) {
        double half = line->half[axis];
        over[axis] = x[axis] > half ? x[axis] - half : x[axis] < -half ? x[axis] + half : 0.0;
        square += over[axis] * over[axis];
        region += over[axis] > 0.0 ? digit : over[axis] < 0.0 ? 2 * digit : 0;
    }
    if (!(square > 1.0e-280)) {
        return false;
    }
    double distance = sqrt(square), scale = 1.0 / distance;
    pbdrVec3 normal = {scale * over[0], scale * over[1], scale * over[2]};
    pbdrSetHit(hit, place, distance, normal, probe->radius, 64 + region);
    return true;
}

// The stretch along which the axis is as near as anywhere, by the slabs that it crosses steeply. False where
// one of those is what it is nearest to.
static bool clipAlong(const Line* line, pbdrVec3 normal, double range[2])
{
    const double n[3] = {normal.x, normal.y, normal.z};
    range[0] = 0.0;
    range[1] = 1.0;
    for (int face = 0; face < 6; face++) {
        double slope = getSlope(line, face);
        if (fabs(slope) <= 2.0 * PBDR_STRETCH_SLOPE * line->length) {
            continue;
        }
        if (fabs(n[face >> 1]) > 4.0 * PBDR_STRETCH_SLOPE) {
            return false;
        }
        double t = -getStart(line, face) / slope;
        if (slope > 0.0) {
            range[1] = fmin(range[1], t);
        } else {
            range[0] = fmax(range[0], t);
        }
    }
    return range[1] > range[0];
}

// The axis is inside the box: the faces that separate it most, as for an edge; any hit will do, a capsule
// that deep is on its way out.
static int hitInside(const pbdrSurface* box, const pbdrPlacedProbe* probe, const Line* line,
                     int32_t features[2], pbdrSurfaceHit hits[2])
{
    pbdrPlacedProbe round = *probe;
    round.normalCount = 0;
    Lowest low = findLowest(line);
    double range[2], along;
    int last = features[0], face;
    for (int end = 0; end < 2; end++) { // through a plate: the end that is beyond it
        face = pbdrFindBoxEntry(box, probe, getPlace(line, end));
        if (face >= 0) {
            features[0] = face;
            pbdrSetHit(&hits[0], getPlace(line, end), getAt(line, face, end), getFaceNormal(face),
                       probe->radius, face);
            return 1;
        }
    }
    face = findStretchFace(box, &round, line, &low, last);
    if (face >= 0 && clipOver(line, face, box->slack, range)) {
        features[0] = face;
        return hitStretch(&round, line, face, range, true, hits);
    }
    if (crossEdge(&round, line, low.falling, low.rising, &hits[0], &along)) {
        return 1;
    }
    face = low.falling >= 0 && low.falling != (last ^ 1) ? low.falling : low.rising;
    face = face >= 0 ? face : low.falling;
    pbdrSetHit(&hits[0], getPlace(line, low.t), getAt(line, face, low.t), getFaceNormal(face), probe->radius,
               face);
    features[0] = face;
    return 1;
}

// The axis has come out on the other side of a plate: the face that it was near before.
static int hitBefore(const pbdrSurface* box, const pbdrPlacedProbe* probe, const Line* line, int face,
                     pbdrSurfaceHit hits[2])
{
    double range[2];
    if (!clipOver(line, face, box->slack, range)) {
        return 0;
    }
    int lower = getSlope(line, face) < 0.0 ? 1 : 0;
    if (fabs(getSlope(line, face)) > 2.0 * PBDR_STRETCH_SLOPE * line->length) {
        double t = range[lower];
        pbdrSetHit(&hits[0], getPlace(line, t), getAt(line, face, t), getFaceNormal(face), probe->radius,
                   face);
        return 1;
    }
    return hitStretch(probe, line, face, range, true, hits);
}

// The face over which x(t) is; -1 over an edge or a corner.
static int findFaceOver(const Line* line, double t)
{
    int over = -1, count = 0;
    for (int face = 0; face < 6; face++) {
        if (getAt(line, face, t) > 0.0) {
            over = face;
            count++;
        }
    }
    return count == 1 ? over : -1;
}

// An axis that is over one face as a whole touches it with both ends, however steep it is: a fast one that comes down on
// one end turns about it, and the other would go through in the same substep.
static bool hitEnds(const pbdrPlacedProbe* probe, const Line* line, int face, pbdrSurfaceHit hits[2])
{
    return line->length > 0.0 && face >= 0 && findFaceOver(line, 0.0) == face &&
           findFaceOver(line, 1.0) == face && hitNearest(probe, line, 0.0, &hits[0]) &&
           hitNearest(probe, line, 1.0, &hits[1]);
}

int pbdrProbeBoxAxis(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                     pbdrSurfaceHit hits[2])
{
    Line line = makeLine(surface, probe);
    if (probe->normalCount > 0 || isBeyond(&line, probe->reach + probe->radius)) {
        return 0; // a cylinder's side touches a box by its rims and by the box's edges
    }
    double range[2], nearest = findNearest(&line);
    if (!hitNearest(probe, &line, nearest, &hits[0])) {
        return hitInside(surface, probe, &line, features, hits);
    }
    int last = features[0], face = findFaceOver(&line, nearest);
    if (face >= 0 && last >= 0 && last < 6 && face == (last ^ 1) &&
        keepsSide(&line, surface, nearest, probe->reach + probe->radius, last)) {
        int count = hitBefore(surface, probe, &line, last, hits);
        if (count > 0) {
            return count;
        }
    }
    features[0] = face;
    if (hitEnds(probe, &line, face, hits)) {
        return 2;
    }
    pbdrSurfaceHit ends[2];
    if (clipAlong(&line, hits[0].normal, range) && hitNearest(probe, &line, range[0], &ends[0]) &&
        hitNearest(probe, &line, range[1], &ends[1])) {
        double length = (range[1] - range[0]) * line.length;
        double slope = length > 0.0 ? fabs(ends[1].gap - ends[0].gap) / length : 0.0;
        ends[ends[1].gap > ends[0].gap ? 1 : 0].share = pbdrGetStretchShare(slope);
        // one that leans out over an edge is nearest a little beyond it
        hits[1] = nearest > range[1] ? hits[0] : ends[1];
        hits[0] = nearest < range[0] ? hits[0] : ends[0];
        return length > END_SHARE * line.length ? 2 : 1;
    }
    return 1;
}
