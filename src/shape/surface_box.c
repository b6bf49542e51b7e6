// Points and discs against a box, in its own frame.
//
// Face 2 k + side of the box |x_k| <= h_k lies at s = +-x_k - h_k. A point of radius 0 has the gap of the
// face of greatest separation, max s: its zero level is the box with sharp edges. A ball has the Euclidean
// distance of its centre, rounded at edges and corners.
//
// Faces within the slack of the greatest separation compete by the prober's normals: of two boxes of equal
// size on top of each other every corner lies on an edge of the other, and rounding alone would say whether
// it stands on the top or beside the side. Where the prober has gone in, its corners are as near to the side as before
// and deeper under the top: a face that the prober cannot touch says nothing of what is inside.
//
// A point keeps the side that it came from. It may have gone through a thin plate in one step: then the face
// that it was last near still counts, until the point is farther out than the plate is thick, or than it can
// have come. What is thicker than the box goes farther: however deep a corner of it is, it counts as under the face
// through which the straight way from the prober's centre comes into the box.
#include "shape/surface_kinds.h"

// A face of an edge region or corner region is named by the axes outside: feature 6 + 1 .. 6 + 26.
#define REGION_FEATURES 6
// A point keeps a face against a neighbouring, nearer one up to this share of the thickness.
#define KEEP_DEPTH 0.25

static pbdrVec3 getFaceNormal(int face)
{
    double sign = (face & 1) != 0 ? -1.0 : 1.0;
    return pbdrVec(face < 2 ? sign : 0.0, face >= 2 && face < 4 ? sign : 0.0, face >= 4 ? sign : 0.0);
}

static double getSeparation(const double x[3], const double half[3], int face)
{
    return ((face & 1) != 0 ? -x[face >> 1] : x[face >> 1]) - half[face >> 1];
}

// Whether the remembered face counts though another was chosen. s: nearer separation of each axis.
static bool keepsSide(const pbdrPlacedProbe* probe, const double x[3], const double half[3],
                      const double s[3], double slack, int last, int chosen)
{
    int axis = last >> 1;
    double thickness = 2.0 * half[axis], separation = getSeparation(x, half, last);
    if (chosen == (last ^ 1)) {
        double beyond = fmin(thickness, fmax(probe->reach, 0.0));
        beyond = thickness <= probe->bulk ? probe->bulk : beyond;
        if (s[(axis + 1) % 3] > slack || s[(axis + 2) % 3] > slack || !(separation > -thickness - beyond)) {
            return false;
        }
    } else if (s[0] > 0.0 || s[1] > 0.0 || s[2] > 0.0 || !(separation > -KEEP_DEPTH * thickness)) {
        return false;
    }
    return pbdrIsFacing(probe, getFaceNormal(last)) || !pbdrIsFacing(probe, getFaceNormal(chosen));
}

int pbdrFindBoxEntry(const pbdrSurface* surface, const pbdrPlacedProbe* probe, pbdrVec3 x)
{
    const double half[3] = {surface->half.x, surface->half.y, surface->half.z};
    if (2.0 * pbdrMin(half[0], pbdrMin(half[1], half[2])) > probe->bulk) {
        return -1; // it is thick everywhere
    }
    const double from[3] = {probe->core.x, probe->core.y, probe->core.z}, to[3] = {x.x, x.y, x.z};
    double enter = -1.0, leave = 1.0;
    int face = -1;
    for (int axis = 0; axis < 3 && probe->bulk > 0.0; axis++) {
        double way = to[axis] - from[axis], sign = way < 0.0 ? -1.0 : 1.0;
        if (!(fabs(way) > 0.0)) {
            if (fabs(from[axis]) > half[axis]) {
                return -1;
            }
            continue;
        }
        double in = (-sign * half[axis] - from[axis]) / way, out = (sign * half[axis] - from[axis]) / way;
        if (in > enter) {
            enter = in;
            face = 2 * axis + (way > 0.0 ? 1 : 0);
        }
        leave = fmin(leave, out);
    }
    return face >= 0 && enter >= 0.0 && enter <= leave && 2.0 * half[face >> 1] <= probe->bulk ? face : -1;
}

// The face of greatest separation that the prober can touch, among those within the slack; without one, the
// greatest of all.
static int chooseFacing(const pbdrPlacedProbe* probe, const double x[3], const double half[3], double least,
                        int greatest)
{
    int chosen = greatest;
    double best = -(double)INFINITY;
    for (int face = 0; face < 6; face++) {
        double separation = getSeparation(x, half, face);
        if (separation >= least && separation > best && pbdrIsFacing(probe, getFaceNormal(face))) {
            best = separation;
            chosen = face;
        }
    }
    return chosen;
}

double pbdrGetFlushDepth(const pbdrSurface* box, const pbdrPlacedProbe* probe)
{
    const double most = PBDR_FLUSH_DEPTH * box->slack;
    return probe->overlap > 0.0 ? pbdrMin(probe->overlap + box->slack, most) : most;
}

static int chooseFace(const pbdrSurface* box, const pbdrPlacedProbe* probe, const double x[3],
                      const double half[3], int last)
{
    double s[3];
    for (int axis = 0; axis < 3; axis++) {
        s[axis] = fabs(x[axis]) - half[axis];
    }
    int axis = s[1] > s[0] ? 1 : 0;
    double second = s[1 - axis];
    if (s[2] > s[axis]) {
        second = s[axis];
        axis = 2;
    } else if (s[2] > second) {
        second = s[2];
    }
    int face = 2 * axis + (x[axis] < 0.0 ? 1 : 0);
    if (probe->normalCount > 0 && (second >= s[axis] - box->slack || 2.0 * fabs(x[axis]) <= box->slack)) {
        face = chooseFacing(probe, x, half, s[axis] - box->slack, face);
    }
    const double flush = pbdrGetFlushDepth(box, probe);
    if (probe->normalCount > 0 && s[axis] <= box->slack && s[axis] >= -flush &&
        !pbdrIsFacing(probe, getFaceNormal(face))) {
        face = chooseFacing(probe, x, half, -flush, face);
    }
    if (last >= 0 && last != face && last < 6 && keepsSide(probe, x, half, s, box->slack, last, face)) {
        face = last;
    } else if (last != face && probe->bulk > 0.0) {
        int entry = pbdrFindBoxEntry(box, probe, probe->a);
        face = face == (entry ^ 1) && entry >= 0 ? entry : face;
    }
    return face;
}

static int probeSharp(const pbdrSurface* box, const pbdrPlacedProbe* probe, int32_t features[2],
                      pbdrSurfaceHit hits[2])
{
    const double x[3] = {probe->a.x, probe->a.y, probe->a.z};
    const double half[3] = {box->half.x, box->half.y, box->half.z};
    int face = chooseFace(box, probe, x, half, features[0]);
    features[0] = face;
    pbdrSetHit(&hits[0], probe->a, getSeparation(x, half, face), getFaceNormal(face), 0.0, face);
    return 1;
}

static int probeBall(const pbdrSurface* box, const pbdrPlacedProbe* probe, int32_t features[2],
                     pbdrSurfaceHit hits[2])
{
    const double x[3] = {probe->a.x, probe->a.y, probe->a.z};
    const double half[3] = {box->half.x, box->half.y, box->half.z};
    pbdrPlacedProbe round = *probe;
    round.normalCount = 0;
    int face = chooseFace(box, &round, x, half, features[0]);
    features[0] = face;
    double over[3], square = 0.0;
    int region = 0, outside = 0, place = 1; // region: base 3, a digit per axis
    for (int axis = 0; axis < 3; axis++, place *= 3) {
        over[axis] = x[axis] > half[axis]    ? x[axis] - half[axis]
                     : x[axis] < -half[axis] ? x[axis] + half[axis]
                                             : 0.0;
        square += over[axis] * over[axis];
        outside += over[axis] != 0.0;
        region += over[axis] > 0.0 ? place : over[axis] < 0.0 ? 2 * place : 0;
    }
    // one axis or none: the plane of the face, which may be the one that the ball has come through
    if (outside <= 1 || !(square > 1.0e-300)) {
        pbdrSetHit(&hits[0], probe->a, getSeparation(x, half, face), getFaceNormal(face), probe->radius,
                   face);
        return 1;
    }
    double distance = sqrt(square), scale = 1.0 / distance;
    pbdrVec3 normal = {scale * over[0], scale * over[1], scale * over[2]};
    pbdrSetHit(&hits[0], probe->a, distance, normal, probe->radius, REGION_FEATURES + region);
    return 1;
}

// The face from which the disc as a whole is separated most: the start for its lowest point.
static int probeDisc(const pbdrSurface* box, const pbdrPlacedProbe* probe, int32_t features[2],
                     pbdrSurfaceHit hits[2])
{
    const double centre[3] = {probe->a.x, probe->a.y, probe->a.z};
    const double axis[3] = {probe->b.x, probe->b.y, probe->b.z};
    const double half[3] = {box->half.x, box->half.y, box->half.z};
    double best = -(double)INFINITY;
    int start = 0;
    for (int face = 0; face < 6; face++) {
        double cosine = axis[face >> 1], flat = 1.0 - cosine * cosine;
        double separation = getSeparation(centre, half, face) - probe->radius * sqrt(flat > 0.0 ? flat : 0.0);
        if (separation > best) {
            best = separation;
            start = face;
        }
    }
    int entry = pbdrFindBoxEntry(box, probe, probe->a);
    start = entry >= 0 && start == (entry ^ 1) ? entry : start;
    if (getSeparation(centre, half, start) - probe->radius > probe->reach) {
        return 0;
    }
    return pbdrProbeRim(box, probe, getFaceNormal(start), probeSharp, features, hits);
}

int pbdrProbeBox(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                 pbdrSurfaceHit hits[2])
{
    switch (probe->kind) {
    case pbdr_probePoint:
        return probe->radius > 0.0 ? probeBall(surface, probe, features, hits)
                                   : probeSharp(surface, probe, features, hits);
    case pbdr_probeSegment:
        return probe->radius > 0.0 ? pbdrProbeBoxAxis(surface, probe, features, hits)
                                   : pbdrProbeBoxEdge(surface, probe, features, hits);
    case pbdr_probeDisc:
        return probeDisc(surface, probe, features, hits);
    }
    return 0;
}
