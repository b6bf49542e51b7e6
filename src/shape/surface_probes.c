// Making balls, capsules, boxes and bare spheres: their sizes and their lists of probes.
#include "base.h"
#include "shape/surface_kinds.h"

#define EVERYTHING (PBDR_PROBES_PLANES | PBDR_PROBES_CONVEX | PBDR_PROBES_MESHES)

// Of the smallest half size: how near two faces must be to each other for the prober's normals to choose.
// More than a resting body sinks in or slides by rounding, less than anyone sees.
#define SLACK_SHARE 1.0e-3

// Points along a capsule at most, however slender.
#define MAX_CAPSULE_POINTS 1024
#define MAX_BOX_CELLS 4096

static pbdrStatus checkSize(const char* what, double size, pbdrError* error)
{
    return size > 0.0 && isfinite(size) ? pbdr_statusOk
                                        : pbdrFail(error, pbdr_statusInvalidArgument,
                                                   "surface: %s of %g m is not above zero", what, size);
}

// --- Balls and spheres ---

pbdrStatus pbdrCreateSphereProbes(const pbdrVec3* centres, const double* radii, const double* weights,
                                  int count, const pbdrHooks* hooks, pbdrSurface* surface, pbdrError* error)
{
    pbdrStatus status = pbdrReserveSurface(surface, pbdr_surfaceNone, count > 0 ? count : 0, 0, hooks, error);
    for (int i = 0; status == pbdr_statusOk && i < count; i++) {
        double weight = weights != NULL ? weights[i] : 1.0;
        if (!pbdrIsFiniteVec(centres[i]) || !(radii[i] >= 0.0) || !isfinite(radii[i]) || !(weight >= 0.0) ||
            !isfinite(weight)) {
            status = pbdrFail(error, pbdr_statusInvalidArgument,
                              "surface: sphere %d at (%g, %g, %g) m, radius %g m, weight %g", i, centres[i].x,
                              centres[i].y, centres[i].z, radii[i], weight);
            break;
        }
        surface->probes[i] = (pbdrProbe){.kind = pbdr_probePoint,
                                         .against = EVERYTHING,
                                         .a = centres[i],
                                         .radius = radii[i],
                                         .weight = weight};
    }
    if (status != pbdr_statusOk) {
        pbdrSurface_Free(surface);
        return status;
    }
    pbdrFinishSurface(surface, pbdrVec(0.0, 0.0, 0.0));
    return pbdr_statusOk;
}

pbdrStatus pbdrCreateBallSurface(pbdrVec3 centre, double radius, const pbdrHooks* hooks, pbdrSurface* surface,
                                 pbdrError* error)
{
    const pbdrPose frame = {centre, {1.0, 0.0, 0.0, 0.0}};
    pbdrStatus status = pbdrReserveSurface(surface, pbdr_surfaceBall, 1, 0, hooks, error);
    if (status == pbdr_statusOk) {
        status = checkSize("a ball's radius", radius, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrSetSurfaceFrame(surface, &frame, error);
    }
    if (status != pbdr_statusOk) {
        pbdrSurface_Free(surface);
        return status;
    }
    surface->half = pbdrVec(radius, radius, radius);
    surface->round = radius;
    surface->probes[0] =
        (pbdrProbe){.kind = pbdr_probePoint, .against = EVERYTHING, .radius = radius, .weight = 1.0};
    pbdrFinishSurface(surface, surface->half);
    return pbdr_statusOk;
}

// --- Capsules ---

pbdrStatus pbdrCreateCapsuleSurface(const pbdrPose* frame, double halfLength, double radius,
                                    const pbdrHooks* hooks, pbdrSurface* surface, pbdrError* error)
{
    // two ends, the axis, and points between the ends no farther apart than half the radius
    double cells = radius > 0.0 && halfLength > 0.0 ? ceil(4.0 * halfLength / radius) : 1.0;
    int inner = cells < MAX_CAPSULE_POINTS ? (int)cells - 1 : MAX_CAPSULE_POINTS - 1;
    inner = inner > 0 ? inner : 0;
    pbdrStatus status = pbdrReserveSurface(surface, pbdr_surfaceCapsule, 3 + inner, 0, hooks, error);
    if (status == pbdr_statusOk) {
        status = checkSize("a capsule's radius", radius, error);
    }
    if (status == pbdr_statusOk && !(halfLength >= 0.0 && isfinite(halfLength))) {
        status = pbdrFail(error, pbdr_statusInvalidArgument,
                          "surface: a capsule's half length of %g m is below zero", halfLength);
    }
    if (status == pbdr_statusOk) {
        status = pbdrSetSurfaceFrame(surface, frame, error);
    }
    if (status != pbdr_statusOk) {
        pbdrSurface_Free(surface);
        return status;
    }
    surface->half = pbdrVec(radius, radius, halfLength);
    surface->round = radius;
    surface->slack = SLACK_SHARE * radius;
    pbdrProbe* probe = surface->probes;
    for (int end = -1; end <= 1; end += 2) {
        *probe++ = (pbdrProbe){.kind = pbdr_probePoint,
                               .against = PBDR_PROBES_PLANES | PBDR_PROBES_MESHES,
                               .a = {0.0, 0.0, end * halfLength},
                               .radius = radius,
                               .weight = 1.0};
    }
    *probe++ = (pbdrProbe){.kind = pbdr_probeSegment,
                           .against = PBDR_PROBES_CONVEX,
                           .a = {0.0, 0.0, -halfLength},
                           .b = {0.0, 0.0, halfLength},
                           .radius = radius,
                           .weight = 1.0};
    for (int i = 1; i <= inner; i++) {
        *probe++ = (pbdrProbe){.kind = pbdr_probePoint,
                               .against = PBDR_PROBES_MESHES,
                               .a = {0.0, 0.0, halfLength * (2.0 * i / (inner + 1) - 1.0)},
                               .radius = radius,
                               .weight = 1.0};
    }
    pbdrFinishSurface(surface, pbdrVec(radius, radius, halfLength + radius));
    return pbdr_statusOk;
}

// --- Boxes ---

// The normals of corner 4 sz + 2 sy + sx are four in a row: x, y, z and x again, so that those of every edge
// and face are neighbours in the list of one of its corners.
static void fillBoxNormals(pbdrSurface* surface)
{
    for (int corner = 0; corner < 8; corner++) {
        pbdrVec3* normals = surface->normals + 4 * corner;
        normals[0] = normals[3] = pbdrVec((corner & 1) != 0 ? 1.0 : -1.0, 0.0, 0.0);
        normals[1] = pbdrVec(0.0, (corner & 2) != 0 ? 1.0 : -1.0, 0.0);
        normals[2] = pbdrVec(0.0, 0.0, (corner & 4) != 0 ? 1.0 : -1.0);
    }
}

// First normal, in the lists above, of the feature on which the coordinates marked 1 (far side) or -1 (near
// side) are at their limits; 0: free.
static int32_t findBoxNormal(const int limits[3])
{
    int corner = (limits[0] > 0 ? 1 : 0) + (limits[1] > 0 ? 2 : 0) + (limits[2] > 0 ? 4 : 0);
    int first = limits[0] != 0 && !(limits[1] == 0 && limits[2] != 0) ? 0 : limits[1] != 0 ? 1 : 2;
    return 4 * corner + first;
}

// Weight of point i of a row of points that divide a side into `count` cells, over that of an inner point: a
// rule that integrates x^2 exactly, so that pressure over a face has the solid's second moments. Simpson's for
// two and three cells; beyond, only the two outermost points at each end weigh other than 1. One cell has no
// such rule.
static double getRowWeight(int count, int i)
{
    const int end = i < count - i ? i : count - i; // from the nearer end
    if (count == 1) {
        return 0.5;
    }
    if (count == 2) {
        return end == 0 ? 1.0 / 3.0 : 4.0 / 3.0;
    }
    // w_0 + w_1 = 3/2 keeps the sum; the second moment count^3/12 then gives w_0
    const double first = 0.5 * count, second = first - 1.0;
    double inner = 0.0;
    for (int k = 2; k <= count - 2; k++) {
        inner += (k - first) * (k - first);
    }
    double outermost = (count * (double)count * count / 12.0 - inner - 3.0 * second * second) /
                       (2.0 * (first * first - second * second));
    return end == 0 ? outermost : end == 1 ? 1.5 - outermost : 1.0;
}

// Weight of a lattice point in the largest of the faces that it belongs to.
static double getLatticeWeight(const int at[3], const int limits[3], const int counts[3], pbdrVec3 half)
{
    const double sizes[3] = {half.x, half.y, half.z};
    int face = -1; // the axis of its normal
    for (int axis = 0; axis < 3; axis++) {
        face = limits[axis] != 0 && (face < 0 || sizes[axis] < sizes[face]) ? axis : face;
    }
    const int u = (face + 1) % 3, v = (face + 2) % 3;
    // over their mean, which is that of bare spheres
    const double points = (counts[u] + 1.0) * (counts[v] + 1.0), cells = (double)counts[u] * counts[v];
    return points / cells * getRowWeight(counts[u], at[u]) * getRowWeight(counts[v], at[v]);
}

static pbdrProbe* addLattice(pbdrProbe* probe, pbdrVec3 half, const int counts[3])
{
    int at[3];
    for (at[2] = 0; at[2] <= counts[2]; at[2]++) {
        for (at[1] = 0; at[1] <= counts[1]; at[1]++) {
            for (at[0] = 0; at[0] <= counts[0]; at[0]++) {
                int limits[3], faces = 0;
                for (int axis = 0; axis < 3; axis++) {
                    limits[axis] = at[axis] == 0 ? -1 : at[axis] == counts[axis] ? 1 : 0;
                    faces += limits[axis] != 0;
                }
                if (faces == 0) {
                    continue;
                }
                *probe++ = (pbdrProbe){.kind = pbdr_probePoint,
                                       .against = EVERYTHING,
                                       .a = {half.x * (2.0 * at[0] / counts[0] - 1.0),
                                             half.y * (2.0 * at[1] / counts[1] - 1.0),
                                             half.z * (2.0 * at[2] / counts[2] - 1.0)},
                                       .weight = getLatticeWeight(at, limits, counts, half),
                                       .firstNormal = findBoxNormal(limits),
                                       .normalCount = faces};
            }
        }
    }
    return probe;
}

static void addEdges(pbdrProbe* probe, pbdrVec3 half)
{
    const double size[3] = {half.x, half.y, half.z};
    for (int axis = 0; axis < 3; axis++) {
        for (int side = 0; side < 4; side++) {
            int limits[3] = {0, 0, 0};
            limits[(axis + 1) % 3] = (side & 1) != 0 ? 1 : -1;
            limits[(axis + 2) % 3] = (side & 2) != 0 ? 1 : -1;
            double ends[2][3];
            for (int k = 0; k < 3; k++) {
                ends[0][k] = k == axis ? -size[k] : limits[k] * size[k];
                ends[1][k] = k == axis ? size[k] : limits[k] * size[k];
            }
            *probe++ = (pbdrProbe){.kind = pbdr_probeSegment,
                                   .against = PBDR_PROBES_CONVEX,
                                   .a = {ends[0][0], ends[0][1], ends[0][2]},
                                   .b = {ends[1][0], ends[1][1], ends[1][2]},
                                   .weight = 0.25,
                                   .firstNormal = findBoxNormal(limits),
                                   .normalCount = 2};
        }
    }
}

pbdrStatus pbdrCreateBoxSurface(const pbdrPose* frame, pbdrVec3 half, const int counts[3],
                                const pbdrHooks* hooks, pbdrSurface* surface, pbdrError* error)
{
    *surface = (pbdrSurface){.kind = pbdr_surfaceNone};
    const double sizes[3] = {half.x, half.y, half.z};
    int64_t all = 1, inner = 1;
    for (int axis = 0; axis < 3; axis++) {
        pbdrStatus status = checkSize("a box's half size", sizes[axis], error);
        if (status != pbdr_statusOk) {
            return status;
        }
        if (counts[axis] < 1 || counts[axis] > MAX_BOX_CELLS) {
            return pbdrFail(error, pbdr_statusInvalidArgument,
                            "surface: %d cells along a side of a box; 1 to %d are possible", counts[axis],
                            MAX_BOX_CELLS);
        }
        all *= counts[axis] + 1;
        inner *= counts[axis] - 1;
    }
    if (all - inner > INT32_MAX / 2) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "surface: too many cells on a box: %d x %d x %d",
                        counts[0], counts[1], counts[2]);
    }
    int points = (int)(all - inner);
    pbdrStatus status = pbdrReserveSurface(surface, pbdr_surfaceBox, points + 12, 32, hooks, error);
    if (status == pbdr_statusOk) {
        status = pbdrSetSurfaceFrame(surface, frame, error);
    }
    if (status != pbdr_statusOk) {
        pbdrSurface_Free(surface);
        return status;
    }
    surface->half = half;
    surface->slack = SLACK_SHARE * fmin(half.x, fmin(half.y, half.z));
    fillBoxNormals(surface);
    addEdges(addLattice(surface->probes, half, counts), half);
    pbdrFinishSurface(surface, half);
    return pbdr_statusOk;
}
