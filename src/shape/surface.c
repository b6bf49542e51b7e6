// Surfaces: placing probes, choosing the kind of distance, planes, and what all kinds share.
#include "shape/surface.h"

#include "base.h"
#include "math/vec.h"
#include "shape/surface_kinds.h"

#include <string.h>

// --- Choosing by the prober's faces ---

bool pbdrIsInCone(const pbdrPlacedProbe* probe, pbdrVec3 normal)
{
    // components of -normal along the two faces' normals may be this far below zero
    const double beyond = 0.02;
    if (probe->normalCount != 2) {
        return pbdrIsFacing(probe, normal);
    }
    pbdrVec3 there = probe->turn != NULL ? pbdrMulTransposedMV(probe->turn, normal) : normal;
    double first = -pbdrDot(probe->normals[0], there), second = -pbdrDot(probe->normals[1], there);
    double cosine = pbdrDot(probe->normals[0], probe->normals[1]);
    double determinant = 1.0 - cosine * cosine;
    if (determinant < 1.0e-6) { // one flat face, cut in two
        return first >= PBDR_FACING;
    }
    return first - cosine * second >= -beyond * determinant &&
           second - cosine * first >= -beyond * determinant && first + second > 0.0;
}

// --- Discs ---

pbdrVec3 pbdrGetRimPoint(const pbdrPlacedProbe* disc, pbdrVec3 normal, double* sine)
{
    pbdrVec3 flat = pbdrAddScaled(normal, -pbdrDot(normal, disc->b), disc->b);
    double square = pbdrDot(flat, flat);
    if (!(square > 1.0e-24)) {
        *sine = 0.0;
        return disc->a;
    }
    *sine = sqrt(square);
    return pbdrAddScaled(disc->a, -disc->radius / *sine, flat);
}

double pbdrGetDiscShare(double sine)
{
    double share = (sine - PBDR_DISC_FLAT) / (PBDR_DISC_STEEP - PBDR_DISC_FLAT);
    return share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
}

int pbdrProbeRim(const pbdrSurface* surface, const pbdrPlacedProbe* disc, pbdrVec3 start,
                 pbdrProbePoint* probePoint, int32_t features[2], pbdrSurfaceHit hits[2])
{
    const int maxRounds = 4;
    pbdrVec3 normal = start, faces[2]; // that meet at the rim: the cap's and, across the axis, the side's
    pbdrPlacedProbe point = *disc;
    point.kind = pbdr_probePoint;
    point.radius = 0.0;
    point.normals = faces;
    point.normalCount = 2;
    point.turn = NULL; // they are in the surface's axes already
    for (int round = 0; round < maxRounds; round++) {
        double sine;
        point.a = pbdrGetRimPoint(disc, normal, &sine);
        if (!(pbdrGetDiscShare(sine) > 0.0)) {
            return 0;
        }
        faces[0] = disc->b;
        faces[1] = pbdrDirection(pbdrSub(point.a, disc->a), disc->b);
        probePoint(surface, &point, features, hits);
        hits[0].share = pbdrGetDiscShare(sine);
        pbdrVec3 change = pbdrSub(hits[0].normal, normal);
        normal = hits[0].normal;
        if (pbdrDot(change, change) < 1.0e-20) {
            break;
        }
    }
    // where the side or the cap is nearer than the rim, the other surface's own probes see it
    return pbdrIsInCone(&point, normal) ? 1 : 0;
}

// --- Probing ---

double pbdrSurface_GetBulk(const pbdrSurface* prober)
{
    bool hasCore = prober->kind == pbdr_surfaceBox || prober->kind == pbdr_surfaceCylinder ||
                   prober->kind == pbdr_surfaceCapsule; // a ball's point is its centre
    return !hasCore                              ? 0.0
           : prober->kind == pbdr_surfaceCapsule ? prober->round
                                                 : fmin(prober->half.x, fmin(prober->half.y, prober->half.z));
}

pbdrPlacedProbe pbdrPlaceProbe(const pbdrSurface* prober, const pbdrProbe* probe, const pbdrMat3* turn,
                               pbdrVec3 shift, double reach)
{
    pbdrPlacedProbe placed = {.kind = probe->kind,
                              .normalCount = probe->normalCount,
                              .radius = probe->radius,
                              .reach = reach,
                              .normals = probe->normalCount > 0 ? prober->normals + probe->firstNormal : NULL,
                              .turn = turn};
    placed.a = pbdrAdd(turn != NULL ? pbdrMulMV(turn, probe->a) : probe->a, shift);
    placed.bulk = pbdrSurface_GetBulk(prober);
    if (placed.bulk > 0.0) {
        placed.core = pbdrAdd(turn != NULL ? pbdrMulMV(turn, prober->origin) : prober->origin, shift);
    }
    if (probe->kind == pbdr_probePoint) {
        placed.b = placed.a;
    } else {
        placed.b = turn != NULL ? pbdrMulMV(turn, probe->b) : probe->b;
        if (probe->kind == pbdr_probeSegment) {
            placed.b = pbdrAdd(placed.b, shift);
        }
    }
    return placed;
}

static int probeKind(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                     pbdrSurfaceHit hits[2])
{
    switch (surface->kind) {
    case pbdr_surfaceBall:
        return pbdrProbeBall(surface, probe, hits);
    case pbdr_surfaceCapsule:
        return pbdrProbeCapsule(surface, probe, hits);
    case pbdr_surfaceBox:
        return pbdrProbeBox(surface, probe, features, hits);
    case pbdr_surfaceCylinder:
        return pbdrProbeCylinder(surface, probe, features, hits);
    case pbdr_surfaceMesh:
    case pbdr_surfaceCompound:
    case pbdr_surfaceNone:
        break;
    }
    return 0;
}

// Keeps the hits within reach, in their order; without any, forgets.
static int keepWithinReach(const pbdrPlacedProbe* probe, int count, int32_t features[2],
                           pbdrSurfaceHit hits[2])
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (hits[i].gap <= probe->reach && hits[i].share > 0.0) {
            hits[kept++] = hits[i];
        }
    }
    if (kept == 0) {
        features[0] = features[1] = PBDR_NO_FEATURE;
    }
    return kept;
}

static int probeTurned(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                       pbdrSurfaceHit hits[2])
{
    pbdrPlacedProbe local = *probe;
    local.a = pbdrMulTransposedMV(&surface->axes, pbdrSub(probe->a, surface->origin));
    local.b = pbdrMulTransposedMV(
        &surface->axes, probe->kind == pbdr_probeDisc ? probe->b : pbdrSub(probe->b, surface->origin));
    local.core = pbdrMulTransposedMV(&surface->axes, pbdrSub(probe->core, surface->origin));
    pbdrMat3 back = pbdrTranspose(&surface->axes);
    pbdrMat3 turn = probe->turn != NULL ? pbdrMulMM(&back, probe->turn) : back;
    local.turn = &turn;
    int count = keepWithinReach(probe, probeKind(surface, &local, features, hits), features, hits);
    for (int i = 0; i < count; i++) {
        hits[i].normal = pbdrMulMV(&surface->axes, hits[i].normal);
        hits[i].point = pbdrAdd(pbdrMulMV(&surface->axes, hits[i].point), surface->origin);
    }
    return count;
}

int pbdrSurface_Probe(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                      pbdrSurfaceHit hits[2])
{
    if (surface->turned) {
        return probeTurned(surface, probe, features, hits);
    }
    if (surface->kind == pbdr_surfaceMesh) { // in the rest frame itself
        return pbdrProbeMesh(surface, probe, features, hits);
    }
    if (surface->kind == pbdr_surfaceCompound) {
        return pbdrProbeCompound(surface, probe, features, hits);
    }
    pbdrPlacedProbe local = *probe;
    local.a = pbdrSub(probe->a, surface->origin);
    local.core = pbdrSub(probe->core, surface->origin);
    if (probe->kind == pbdr_probeSegment) {
        local.b = pbdrSub(probe->b, surface->origin);
    }
    int count = keepWithinReach(probe, probeKind(surface, &local, features, hits), features, hits);
    for (int i = 0; i < count; i++) {
        hits[i].point = pbdrAdd(hits[i].point, surface->origin);
    }
    return count;
}

int pbdrProbePlane(const pbdrPlacedProbe* probe, pbdrVec3 normal, double offset, pbdrSurfaceHit hits[2])
{
    pbdrVec3 places[2] = {probe->a, probe->b};
    int count = probe->kind == pbdr_probeSegment ? 2 : 1;
    double radius = probe->radius, share = 1.0;
    if (probe->kind == pbdr_probeDisc) {
        double sine;
        places[0] = pbdrGetRimPoint(probe, normal, &sine);
        share = pbdrGetDiscShare(sine);
        radius = 0.0;
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
        double distance = pbdrDot(normal, places[i]) - offset;
        if (distance - radius <= probe->reach && share > 0.0) {
            pbdrSetHit(&hits[kept], places[i], distance, normal, radius, 0);
            hits[kept++].share = share;
        }
    }
    return kept;
}

uint32_t pbdrSurface_GetAudience(const pbdrSurface* surface)
{
    switch (surface->kind) {
    case pbdr_surfaceNone:
        return 0;
    case pbdr_surfaceMesh:
        return PBDR_PROBES_MESHES;
    case pbdr_surfaceCompound: {
        uint32_t audience = 0; // of all of its parts
        for (int part = 0; part < surface->partCount; part++) {
            audience |= pbdrSurface_GetAudience(&surface->parts[part]);
        }
        return audience;
    }
    default:
        return PBDR_PROBES_CONVEX;
    }
}

bool pbdrSurface_IsThin(const pbdrSurface* surface, double bulk)
{
    const double half = fmin(surface->half.x, fmin(surface->half.y, surface->half.z));
    return bulk > 0.0 &&
           (surface->kind == pbdr_surfaceBox ? 2.0 * half <= bulk
                                             : surface->kind == pbdr_surfaceMesh && pbdrIsSheet(surface));
}

// --- Making ---

pbdrStatus pbdrReserveSurface(pbdrSurface* surface, pbdrSurfaceKind kind, int probeCount, int normalCount,
                              const pbdrHooks* hooks, pbdrError* error)
{
    memset(surface, 0, sizeof *surface);
    if (hooks != NULL) {
        surface->hooks = *hooks;
    }
    surface->kind = kind;
    surface->axes = (pbdrMat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    surface->probeCount = probeCount;
    surface->normalCount = normalCount;
    surface->probes = pbdrAllocate(hooks, (size_t)probeCount, sizeof *surface->probes);
    surface->normals = pbdrAllocate(hooks, (size_t)normalCount, sizeof *surface->normals);
    if (surface->probes == NULL || surface->normals == NULL) {
        pbdrSurface_Free(surface);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for a surface of %d probes", probeCount);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrSetSurfaceFrame(pbdrSurface* surface, const pbdrPose* frame, pbdrError* error)
{
    pbdrQuat q = frame->rotation;
    double length = pbdrLengthQ(q);
    if (!pbdrIsFiniteVec(frame->position) || !(fabs(length - 1.0) < 1.0e-6)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "surface: frame at (%g, %g, %g) m, rotation (%g, %g, %g, %g): not a place and a unit "
                        "quaternion",
                        frame->position.x, frame->position.y, frame->position.z, q.w, q.x, q.y, q.z);
    }
    surface->origin = frame->position;
    surface->turned = q.x != 0.0 || q.y != 0.0 || q.z != 0.0;
    if (surface->turned) {
        surface->axes = pbdrMatFromQuat(pbdrNormalizeQ(q));
    }
    return pbdr_statusOk;
}

static void widen(pbdrSurface* surface, pbdrVec3 place, double by)
{
    pbdrVec3 margin = {by, by, by}, lower = pbdrSub(place, margin), upper = pbdrAdd(place, margin);
    surface->lower = pbdrVec(fmin(surface->lower.x, lower.x), fmin(surface->lower.y, lower.y),
                             fmin(surface->lower.z, lower.z));
    surface->upper = pbdrVec(fmax(surface->upper.x, upper.x), fmax(surface->upper.y, upper.y),
                             fmax(surface->upper.z, upper.z));
    surface->radius = fmax(surface->radius, pbdrLength(place) + by);
}

void pbdrFinishSurface(pbdrSurface* surface, pbdrVec3 extent)
{
    surface->lower = pbdrVec((double)INFINITY, (double)INFINITY, (double)INFINITY);
    surface->upper = pbdrVec(-(double)INFINITY, -(double)INFINITY, -(double)INFINITY);
    for (int i = 0; i < surface->probeCount; i++) {
        pbdrProbe* probe = &surface->probes[i];
        probe->a = pbdrAdd(pbdrMulMV(&surface->axes, probe->a), surface->origin);
        probe->b = pbdrMulMV(&surface->axes, probe->b);
        // a cylinder's axis ends flat: its radius does not go beyond the caps
        double radius = probe->kind == pbdr_probeSegment && probe->normalCount > 0 ? 0.0 : probe->radius;
        if (probe->kind == pbdr_probeSegment) {
            probe->b = pbdrAdd(probe->b, surface->origin);
            widen(surface, probe->b, radius);
        } else if (probe->kind == pbdr_probePoint) {
            probe->b = probe->a;
        }
        // a disc lies inside the bounds of its solid; a bare sphere's bounds are its own
        if (probe->kind != pbdr_probeDisc) {
            widen(surface, probe->a, radius);
        }
    }
    for (int i = 0; i < surface->normalCount; i++) {
        surface->normals[i] = pbdrMulMV(&surface->axes, surface->normals[i]);
    }
    bool solid = surface->kind != pbdr_surfaceNone && surface->kind != pbdr_surfaceMesh;
    for (int corner = 0; solid && corner < 8; corner++) {
        pbdrVec3 place = {(corner & 1) != 0 ? extent.x : -extent.x, (corner & 2) != 0 ? extent.y : -extent.y,
                          (corner & 4) != 0 ? extent.z : -extent.z};
        double radius = surface->radius;
        widen(surface, pbdrAdd(pbdrMulMV(&surface->axes, place), surface->origin), 0.0);
        // only a box reaches the corners of its bounds
        surface->radius = surface->kind == pbdr_surfaceBox ? surface->radius : radius;
    }
}

void pbdrSurface_Free(pbdrSurface* surface)
{
    pbdrHooks hooks = surface->hooks;
    pbdrFreeSurfaceMesh(surface);
    for (int part = 0; part < surface->partCount; part++) {
        pbdrSurface_Free(&surface->parts[part]);
    }
    pbdrRelease(&hooks, surface->parts, (size_t)surface->partCount, sizeof *surface->parts);
    pbdrRelease(&hooks, surface->probes, (size_t)surface->probeCount, sizeof *surface->probes);
    pbdrRelease(&hooks, surface->bundles, (size_t)surface->bundleCount, sizeof *surface->bundles);
    pbdrRelease(&hooks, surface->normals, (size_t)surface->normalCount, sizeof *surface->normals);
    memset(surface, 0, sizeof *surface);
}

size_t pbdrSurface_GetByteCount(const pbdrSurface* surface)
{
    size_t parts = (size_t)surface->partCount * sizeof *surface->parts;
    for (int part = 0; part < surface->partCount; part++) {
        parts += pbdrSurface_GetByteCount(&surface->parts[part]);
    }
    return (size_t)surface->probeCount * sizeof *surface->probes +
           (size_t)surface->bundleCount * sizeof *surface->bundles +
           (size_t)surface->normalCount * sizeof *surface->normals + pbdrGetSurfaceMeshBytes(surface) + parts;
}

void pbdrSurface_VisitBytes(const pbdrSurface* surface, pbdrVisitBytes* visit, void* context)
{
    const int32_t counts[3] = {(int32_t)surface->kind, surface->probeCount, surface->normalCount};
    visit(context, counts, sizeof counts);
    visit(context, &surface->origin, sizeof surface->origin);
    visit(context, &surface->axes, sizeof surface->axes);
    visit(context, &surface->half, sizeof surface->half);
    visit(context, &surface->round, sizeof surface->round);
    for (int i = 0; i < surface->probeCount; i++) {
        const pbdrProbe* probe = &surface->probes[i];
        const int32_t whole[4] = {(int32_t)probe->kind, (int32_t)probe->against, probe->firstNormal,
                                  probe->normalCount};
        const double real[8] = {probe->a.x, probe->a.y, probe->a.z,    probe->b.x,
                                probe->b.y, probe->b.z, probe->radius, probe->weight};
        visit(context, whole, sizeof whole);
        visit(context, real, sizeof real);
    }
    visit(context, surface->normals, (size_t)surface->normalCount * sizeof *surface->normals);
    pbdrVisitSurfaceMesh(surface, visit, context);
    for (int part = 0; part < surface->partCount; part++) {
        pbdrSurface_VisitBytes(&surface->parts[part], visit, context);
    }
}
