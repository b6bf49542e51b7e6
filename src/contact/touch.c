// How bodies touch by their surfaces (touch.h).
#include "contact/touch.h"
#include "shape/surface_kinds.h"

// What surfaces that do not move may be apart and still touch [m].
#define TOUCH_REACH 1.0e-3
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
    return probing;
}

double pbdrGetTouchReach(const pbdrProbing* probing, double timeStep)
{
    const pbdrBody *a = probing->prober, *b = probing->surface;
    double speed = pbdrLength(pbdrSub(a->velocity, b->velocity)) +
                   pbdrLength(a->angular) * fmax(a->shape->surface.radius, a->shape->reach) +
                   pbdrLength(b->angular) * b->shape->surface.radius;
    return 2.0 * timeStep * speed + TOUCH_REACH;
}

// --- Probing ---

static pbdrPlacedProbe placeProbe(const pbdrProbing* probing, const pbdrProbe* probe, double reach)
{
    return pbdrPlaceProbe(&probing->prober->shape->surface, probe, &probing->turn, probing->shift, reach);
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

bool pbdrMayTouch(const pbdrProbing* probing, int index, double reach)
{
    const pbdrSurface* surface = &probing->surface->shape->surface;
    const pbdrProbe probe = pbdrGetProbe(probing->prober, index);
    if ((probe.against & pbdrSurface_GetAudience(surface)) == 0 ||
        isRolledOver(&probing->prober->shape->surface, &probe, surface)) {
        return false;
    }
    pbdrPlacedProbe placed = placeProbe(probing, &probe, reach);
    double size = placed.radius;
    if (placed.kind == pbdr_probeDisc) {
        // the ball about it
        placed.kind = pbdr_probePoint;
        placed.normalCount = 0;
    } else if (placed.kind == pbdr_probeSegment && size == 0.0) {
        // as the axis of a thin capsule: edges whose nearest point is an end count, too, for they may turn
        placed.radius = 1.0e-9 * surface->radius;
        placed.normalCount = 0;
    }
    // the box around the surface first: cheap
    pbdrVec3 lower = placed.a, upper = placed.a;
    if (placed.kind == pbdr_probeSegment) {
        lower =
            pbdrVec(fmin(placed.a.x, placed.b.x), fmin(placed.a.y, placed.b.y), fmin(placed.a.z, placed.b.z));
        upper =
            pbdrVec(fmax(placed.a.x, placed.b.x), fmax(placed.a.y, placed.b.y), fmax(placed.a.z, placed.b.z));
    }
    if (pbdrSurface_IsThin(surface, placed.bulk)) { // the prober's centre may be on the other side
        lower =
            pbdrVec(fmin(lower.x, placed.core.x), fmin(lower.y, placed.core.y), fmin(lower.z, placed.core.z));
        upper =
            pbdrVec(fmax(upper.x, placed.core.x), fmax(upper.y, placed.core.y), fmax(upper.z, placed.core.z));
    }
    double grown = size + reach;
    if (lower.x > surface->upper.x + grown || upper.x < surface->lower.x - grown ||
        lower.y > surface->upper.y + grown || upper.y < surface->lower.y - grown ||
        lower.z > surface->upper.z + grown || upper.z < surface->lower.z - grown) {
        return false;
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
