// How bodies touch by their surfaces (touch.h).
#include "contact/touch.h"
#include "shape/surface_kinds.h"

// What surfaces that do not move may be apart and still touch [m].
#define TOUCH_REACH 1.0e-3
// Travel that counts as none [m].
#define NO_TRAVEL 1.0e-9
// Boxes that do not overlap, in their favour [m].
#define NO_OVERLAP 1.0e-300
// Weight of contacts between bodies: both sides sample the same patch.
#define BOTH_SIDES 0.5

// --- Who probes whom ---

static bool hasSurface(const pbdrBody* body)
{
    return body->shape->surface.kind != pbdr_surfaceNone;
}

bool pbdrTouchesBySurface(const pbdrScene* scene, const pbdrBody* a, const pbdrBody* b)
{
    return scene->touchesSurface && (hasSurface(a) || (b != NULL && hasSurface(b)));
}

// Balls and capsules: smooth, and exact as probes of one another.
static bool isRound(const pbdrBody* body)
{
    pbdrSurfaceKind kind = body->shape->surface.kind;
    return kind == pbdr_surfaceBall || kind == pbdr_surfaceCapsule;
}

bool pbdrHasProbes(const pbdrScene* scene, const pbdrBody* prober, const pbdrBody* surface)
{
    if (!hasSurface(surface)) {
        return false;
    }
    if (isRound(surface)) {
        // what is round sees all that touches it, from its own axis; of two such the later one probes, and
        // bare spheres must
        return !hasSurface(prober) ||
               (isRound(prober) && pbdrGetIndex(scene, prober) > pbdrGetIndex(scene, surface));
    }
    return true;
}

int pbdrCountProbes(const pbdrBody* body)
{
    return hasSurface(body) ? body->shape->surface.probeCount : body->shape->sphereCount;
}

pbdrProbe pbdrGetProbe(const pbdrBody* body, int index)
{
    if (hasSurface(body)) {
        return body->shape->surface.probes[index];
    }
    const pbdrTreeSphere* sphere = &body->shape->tree.spheres[index];
    return (pbdrProbe){
        .kind = pbdr_probePoint,
        .against = PBDR_PROBES_PLANES | PBDR_PROBES_CONVEX | PBDR_PROBES_MESHES,
        .a = sphere->centre,
        .radius = sphere->radius,
        .weight = 1.0,
    };
}

pbdrProbing pbdrSetProbing(const pbdrScene* scene, int bodyA, int bodyB, int side)
{
    return pbdrSetProbingOf(pbdrGetBody(scene, bodyA), pbdrGetBody(scene, bodyB), side);
}

// How far two boxes overlap along the face normal along which they do least; a little more than zero if they do not, and
// zero of what are no boxes.
static double getBoxOverlap(const pbdrProbing* probing)
{
    const pbdrSurface *box = &probing->surface->shape->surface, *other = &probing->prober->shape->surface;
    if (box->kind != pbdr_surfaceBox || other->kind != pbdr_surfaceBox) {
        return 0.0;
    }
    const pbdrVec3 centre = pbdrAdd(pbdrMulMV(&probing->turn, other->origin), probing->shift),
                   seen = pbdrMulTransposedMV(&probing->turn, centre);
    const double half[3] = {box->half.x, box->half.y, box->half.z}, c[3] = {centre.x, centre.y, centre.z},
                 otherHalf[3] = {other->half.x, other->half.y, other->half.z},
                 d[3] = {seen.x, seen.y, seen.z};
    double least = (double)INFINITY;
    for (int i = 0; i < 3; i++) {
        double own = half[i] - fabs(c[i]), others = otherHalf[i] - fabs(d[i]);
        for (int j = 0; j < 3; j++) {
            own += fabs(probing->turn.m[i][j]) * otherHalf[j];
            others += fabs(probing->turn.m[j][i]) * half[j];
        }
        least = fmin(least, fmin(own, others));
    }
    return fmax(least, NO_OVERLAP);
}

pbdrProbing pbdrSetProbingOf(const pbdrBody* a, const pbdrBody* b, int side)
{
    pbdrProbing probing = {
        .prober = side == 0 ? a : b,
        .surface = side == 0 ? b : a,
        .side = side,
    };
    pbdrMat3 back = pbdrTranspose(&probing.surface->frame);
    probing.turn = pbdrMulMM(&back, &probing.prober->frame);
    probing.shift = pbdrMulMV(&back, pbdrSub(probing.prober->centre, probing.surface->centre));
    probing.thin = pbdrSurface_IsThin(&probing.surface->shape->surface,
                                      pbdrSurface_GetBulk(&probing.prober->shape->surface));
    probing.overlap = getBoxOverlap(&probing);
    return probing;
}

// How fast points of two bodies may near each other, no farther from their centres than so much [m/s].
static double getSpeed(const pbdrBody* a, double radiusA, const pbdrBody* b, double radiusB)
{
    return pbdrLength(pbdrSub(a->velocity, b->velocity)) + pbdrLength(a->angular) * radiusA +
           pbdrLength(b->angular) * radiusB;
}

double pbdrGetTouchReach(const pbdrProbing* probing, double timeStep)
{
    const pbdrBody *a = probing->prober, *b = probing->surface;
    const double speed =
        getSpeed(a, fmax(a->shape->surface.radius, a->shape->reach), b, b->shape->surface.radius);
    const double travel = 2.0 * timeStep * speed;
    return travel > NO_TRAVEL ? travel + TOUCH_REACH : TOUCH_REACH;
}

bool pbdrAreAtRest(const pbdrBody* a, const pbdrBody* b, double timeStep)
{
    const double speed = getSpeed(a, fmax(a->shape->surface.radius, a->shape->reach), b,
                                  fmax(b->shape->surface.radius, b->shape->reach));
    return 4.0 * timeStep * speed < NO_TRAVEL; // with room for rounding
}

// --- Probing ---

static pbdrPlacedProbe placeProbe(const pbdrProbing* probing, const pbdrProbe* probe, double reach)
{
    pbdrPlacedProbe placed =
        pbdrPlaceProbe(&probing->prober->shape->surface, probe, &probing->turn, probing->shift, reach);
    placed.corners = probing->corners;
    placed.overlap = probing->overlap;
    return placed;
}

// Whether a probe is beyond a side of the box around the surface by more than so much: cheap, before it is placed. A disc
// counts as the ball about it.
static bool isBeyond(const pbdrProbing* probing, int index, double reach)
{
    const pbdrSurface *surface = &probing->surface->shape->surface,
                      *prober = &probing->prober->shape->surface;
    const bool sphere = prober->kind == pbdr_surfaceNone;
    const pbdrProbe* probe = sphere ? NULL : &prober->probes[index];
    const pbdrTreeSphere* ball = sphere ? &probing->prober->shape->tree.spheres[index] : NULL;
    const double grown = (sphere ? ball->radius : probe->radius) + reach;
    const pbdrVec3 a = pbdrAdd(pbdrMulMV(&probing->turn, sphere ? ball->centre : probe->a), probing->shift);
    const pbdrVec3 upper = {surface->upper.x + grown, surface->upper.y + grown, surface->upper.z + grown},
                   lower = {surface->lower.x - grown, surface->lower.y - grown, surface->lower.z - grown};
    if (sphere || probe->kind != pbdr_probeSegment) {
        return (a.x > upper.x) | (a.x < lower.x) | (a.y > upper.y) | (a.y < lower.y) | (a.z > upper.z) |
               (a.z < lower.z);
    }
    const pbdrVec3 b = pbdrAdd(pbdrMulMV(&probing->turn, probe->b), probing->shift);
    return ((a.x > upper.x) & (b.x > upper.x)) | ((a.x < lower.x) & (b.x < lower.x)) |
           ((a.y > upper.y) & (b.y > upper.y)) | ((a.y < lower.y) & (b.y < lower.y)) |
           ((a.z > upper.z) & (b.z > upper.z)) | ((a.z < lower.z) & (b.z < lower.z));
}

// Whether a point or an edge is farther from a box than the reach, so that probing it would find nothing and forget.
static bool isOutOfReach(const pbdrProbing* probing, int index, double reach)
{
    const pbdrSurface *surface = &probing->surface->shape->surface,
                      *prober = &probing->prober->shape->surface;
    const bool disc = prober->kind != pbdr_surfaceNone && prober->probes[index].kind == pbdr_probeDisc;
    return surface->kind == pbdr_surfaceBox && !probing->thin && !disc &&
           isBeyond(probing, index, fmax(reach, 0.0) + 2.0 * surface->slack);
}

// What its fixed points carry of a rim whose disc fades in: none of them is lower than the disc's own point
// then, and one that a rolling cylinder turns towards the surface would be taken for one that goes into it.
static double getRimShare(pbdrVec3 axis, pbdrVec3 normal)
{
    double cosine = pbdrDot(axis, normal);
    return 1.0 - pbdrGetDiscShare(sqrt(fmax(0.0, 1.0 - cosine * cosine)));
}

int pbdrTouchSurface(const pbdrProbing* probing, int index, double reach, int32_t features[2],
                     pbdrTouch touches[2])
{
    if (isOutOfReach(probing, index, reach)) {
        features[0] = features[1] = PBDR_NO_FEATURE;
        return 0;
    }
    const pbdrProbe probe = pbdrGetProbe(probing->prober, index);
    const pbdrPlacedProbe placed = placeProbe(probing, &probe, reach);
    pbdrSurfaceHit hits[2];
    int count = pbdrSurface_Probe(&probing->surface->shape->surface, &placed, features, hits);
    bool convex = pbdrSurface_GetAudience(&probing->surface->shape->surface) == PBDR_PROBES_CONVEX;
    if (convex && count == 1 && probe.onRim) { // discs probe no meshes
        pbdrVec3 axis = pbdrMulMV(&probing->turn, probing->prober->shape->surface.normals[probe.firstNormal]);
        hits[0].share *= getRimShare(axis, hits[0].normal);
        count = hits[0].share > 0.0 ? 1 : 0;
    }
    for (int k = 0; k < count; k++) {
        const pbdrMat3* frame = &probing->surface->frame;
        pbdrVec3 n = pbdrMulMV(frame, hits[k].normal);
        pbdrVec3 middle = pbdrAddScaled(hits[k].point, -0.5 * hits[k].gap, hits[k].normal);
        touches[k] = (pbdrTouch){
            .gap = hits[k].gap,
            .normal = probing->side == 0 ? n : pbdrScale(-1.0, n),
            .point = pbdrMulMV(frame, middle),
            .weight = BOTH_SIDES * probe.weight * hits[k].share,
        };
    }
    return count;
}

// Whether a point of a box's faces or edges has nothing to say to a cylinder: the cylinder's own rims, caps and side
// see faces, and the box's edges see the side. Points that it rolls over would be met a little too early, in every
// substep, and drag.
static bool isRolledOver(const pbdrSurface* prober, const pbdrProbe* probe, const pbdrSurface* surface)
{
    return surface->kind == pbdr_surfaceCylinder && prober->kind == pbdr_surfaceBox &&
           probe->kind == pbdr_probePoint && probe->normalCount < 3;
}

pbdrProbeRole pbdrFindProbeRole(const pbdrBody* prober, int index, const pbdrBody* other)
{
    const pbdrSurface* surface = &prober->shape->surface;
    const bool flat = other == NULL || other->shape->surface.kind == pbdr_surfaceBox ||
                      other->shape->surface.kind == pbdr_surfaceCylinder;
    if (!flat || (surface->kind != pbdr_surfaceBox && surface->kind != pbdr_surfaceCylinder) ||
        surface->probes[index].kind != pbdr_probePoint) {
        return pbdr_probeAlone;
    }
    const pbdrProbe* probe = &surface->probes[index];
    if (surface->kind == pbdr_surfaceCylinder) {
        return probe->onRim ? pbdr_probeAlone : pbdr_probeInFace;
    }
    return probe->normalCount >= 3                    ? pbdr_probeAlone
           : probe->normalCount == 2 && other != NULL ? pbdr_probeOnEdge
                                                      : pbdr_probeInFace;
}

// Whether a probe and its prober's centre are beyond the same side of the box around a thin surface, so that no straight
// way between them leads through it.
static bool isSideways(const pbdrSurface* surface, const pbdrPlacedProbe* placed, double reach)
{
    const double grown = placed->radius + reach;
    const pbdrVec3 a = placed->a, b = placed->kind == pbdr_probeSegment ? placed->b : placed->a,
                   c = placed->core;
    return fmin(fmin(a.x, b.x), c.x) > surface->upper.x + grown ||
           fmax(fmax(a.x, b.x), c.x) < surface->lower.x - grown ||
           fmin(fmin(a.y, b.y), c.y) > surface->upper.y + grown ||
           fmax(fmax(a.y, b.y), c.y) < surface->lower.y - grown ||
           fmin(fmin(a.z, b.z), c.z) > surface->upper.z + grown ||
           fmax(fmax(a.z, b.z), c.z) < surface->lower.z - grown;
}

bool pbdrMayBundleTouch(const pbdrProbing* probing, int index, double reach)
{
    const pbdrSurface* surface = &probing->surface->shape->surface;
    const pbdrProbeBundle* bundle = &probing->prober->shape->surface.bundles[index];
    if ((bundle->against & pbdrSurface_GetAudience(surface)) == 0) {
        return false;
    }
    // as isBeyond, which is not asked about thin surfaces; rounding, with room to spare
    const double grown = (bundle->radius + reach) * (1.0 + 1.0e-9);
    const pbdrVec3 c = pbdrAdd(pbdrMulMV(&probing->turn, bundle->centre), probing->shift);
    return probing->thin || ((c.x <= surface->upper.x + grown) & (c.x >= surface->lower.x - grown) &
                             (c.y <= surface->upper.y + grown) & (c.y >= surface->lower.y - grown) &
                             (c.z <= surface->upper.z + grown) & (c.z >= surface->lower.z - grown));
}

bool pbdrMayTouch(const pbdrProbing* probing, int index, double reach)
{
    const pbdrSurface *surface = &probing->surface->shape->surface,
                      *prober = &probing->prober->shape->surface;
    if (prober->kind != pbdr_surfaceNone &&
        (prober->probes[index].against & pbdrSurface_GetAudience(surface)) == 0) {
        return false;
    }
    if (!probing->thin && isBeyond(probing, index, reach)) {
        return false;
    }
    const pbdrProbe probe = pbdrGetProbe(probing->prober, index);
    if (isRolledOver(prober, &probe, surface)) {
        return false;
    }
    pbdrPlacedProbe placed = placeProbe(probing, &probe, reach);
    if (probing->thin && isBeyond(probing, index, reach) && isSideways(surface, &placed, reach)) {
        return false;
    }
    if (placed.kind == pbdr_probeDisc) {
        // the ball about it
        placed.kind = pbdr_probePoint;
        placed.normalCount = 0;
    } else if (placed.kind == pbdr_probeSegment && placed.radius == 0.0) {
        // as the axis of a thin capsule: edges whose nearest point is an end count, too, for they may turn
        placed.radius = 1.0e-9 * surface->radius;
        placed.normalCount = 0;
    }
    int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
    pbdrSurfaceHit hits[2];
    return pbdrSurface_Probe(surface, &placed, features, hits) > 0;
}

bool pbdrFindLowest(const pbdrBody* body, int index, pbdrVec3 planeNormal, pbdrVec3* q, double* radius,
                    double* weight)
{
    const pbdrProbe probe = pbdrGetProbe(body, index);
    *q = probe.a;
    *radius = probe.radius;
    *weight = probe.weight;
    if (probe.kind != pbdr_probeDisc) {
        if (probe.onRim) {
            *weight *= getRimShare(body->shape->surface.normals[probe.firstNormal],
                                   pbdrMulTransposedMV(&body->frame, planeNormal));
        }
        return *weight > 0.0;
    }
    const pbdrPlacedProbe placed =
        pbdrPlaceProbe(&body->shape->surface, &probe, NULL, pbdrVec(0.0, 0.0, 0.0), HUGE_VAL);
    pbdrSurfaceHit hits[2];
    *radius = 0.0;
    if (pbdrProbePlane(&placed, pbdrMulTransposedMV(&body->frame, planeNormal), 0.0, hits) == 0) {
        return false;
    }
    *q = hits[0].point;
    *weight *= hits[0].share;
    return true;
}
