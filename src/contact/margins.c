// Whose items must be searched: nears that have moved by their margin (candidates.h).
//
// That two have not is cheap to see for most: each body adds up how far any point of it has gone, and while the sum of two
// such bounds is below a near's limit, nothing more is looked at. The limit is what the exact test leaves, so it decides
// nothing that the exact test would decide otherwise.
#include "contact/search.h"

#include <string.h>

// Nears that a task looks at.
#define CHUNK 512
// Bounds take a body for this much larger than it is: an anchor may be outside of it.
#define BOUND_SHARE 2.0
// Substeps that a limit must last, as bodies move now.
#define SUBSTEPS 2.0
// A centre of mass this far from a capsule's axis is on it [m].
#define OFF_CENTRE 1.0e-12
// Rounding of bounds, with room to spare [m].
#define ROUNDING 1.0e-9

// |q - r| or |q + r|, whichever is less: 2 sin of a quarter of the angle between two turns.
double pbdrGetTurned(pbdrQuat q, pbdrQuat r)
{
    const double sign = q.w * r.w + q.x * r.x + q.y * r.y + q.z * r.z < 0.0 ? -1.0 : 1.0;
    return pbdrLengthQ((pbdrQuat){q.w - sign * r.w, q.x - sign * r.x, q.y - sign * r.y, q.z - sign * r.z});
}

// How far from its centre a body's points are for its bound: single spheres do not turn.
double pbdrGetBoundLever(const pbdrScene* scene, const pbdrBody* body)
{
    return pbdrGetLever(scene, body) > 0.0 ? BOUND_SHARE * pbdrGetContactReach(scene, body) : 0.0;
}

// With margins that are larger than this share of the smaller body it is taken whole: it may turn far before they are used
// up, and points that were out of reach would come nearer by more than those within.
#define LARGE_MARGIN 0.1

// Balls of single spheres: how they turn does not matter.
#define WITHOUT_TURN (-1.0)

void pbdrAnchorNear(const pbdrCandidates* candidates, pbdrNear* near, double margin)
{
    const pbdrScene* scene = candidates->scene;
    const pbdrBody* a = pbdrGetBody(scene, near->bodyA);
    near->margin = margin;
    near->limit = (double)-INFINITY; // as the next update finds it
    if (near->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(scene, near->plane);
        near->anchorA = pbdrMulTransposedMV(&a->frame, plane->normal);
        near->anchorB = pbdrVec(pbdrDot(plane->normal, a->centre) - plane->offset, 0.0, 0.0);
        return;
    }
    const pbdrBody* b = pbdrGetBody(scene, near->bodyB);
    const double leverA = pbdrGetLever(scene, a), leverB = pbdrGetLever(scene, b);
    const pbdrVec3 apart = pbdrSub(b->centre, a->centre);
    near->turn = pbdrMulQQ(pbdrConjugate(b->rotation), a->rotation);
    if (leverA == 0.0 && leverB == 0.0) {
        near->anchorA = apart;
        near->radius = WITHOUT_TURN;
        return;
    }
    // The points p of the body with the smaller lever that the other may reach are in two balls: |p - c| <= inner,
    // |p - c'| <= outer. About the point that divides c c' by inner : outer they are in one of the radius
    // inner outer (1 - |c - c'|^2/(inner + outer)^2), the square of it (Stewart's theorem). A body that is small against
    // the other is best taken whole, about its centre.
    const bool first = leverA <= leverB;
    const pbdrBody *small = first ? a : b, *large = first ? b : a;
    const double size =
        scene->touchesSurface ? pbdrGetContactReach(scene, small) : small->shape->largestRadius;
    const double inner = first ? leverA : leverB, outer = pbdrGetContactReach(scene, large) + size + margin;
    const double ratio = pbdrLength(apart) / (inner + outer),
                 both = sqrt(inner * outer * fmax(0.0, 1.0 - ratio * ratio));
    const bool whole = both > inner || margin > LARGE_MARGIN * inner;
    const double share = whole ? 0.0 : inner / (inner + outer);
    const pbdrVec3 fromA = pbdrScale(first ? share : 1.0 - share, apart);
    near->anchorA = pbdrMulTransposedMV(&a->frame, fromA);
    near->anchorB = pbdrMulTransposedMV(&b->frame, pbdrSub(fromA, apart));
    near->radius = whole ? inner : both;
}

// A capsule about its centre of mass looks the same however it has rolled: points of its axis are what touches. The axis in
// the body's axes, or false.
static bool findAxis(const pbdrScene* scene, const pbdrBody* body, pbdrVec3* axis)
{
    const pbdrSurface* surface = &body->shape->surface;
    if (!scene->touchesSurface || surface->kind != pbdr_surfaceCapsule ||
        pbdrLength(surface->origin) > OFF_CENTRE) {
        return false;
    }
    *axis = pbdrMulMV(&surface->axes, pbdrVec(0.0, 0.0, 1.0));
    return true;
}

// How far any point that may touch has moved towards the other body since the search, at most.
static double getMoved(const pbdrScene* scene, const pbdrNear* near)
{
    const pbdrBody* a = pbdrGetBody(scene, near->bodyA);
    if (near->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(scene, near->plane);
        const double height = pbdrDot(plane->normal, a->centre) - plane->offset;
        const pbdrVec3 tilt = pbdrSub(pbdrMulTransposedMV(&a->frame, plane->normal), near->anchorA);
        pbdrVec3 axis;
        const double tilted = findAxis(scene, a, &axis) ? fabs(pbdrDot(axis, tilt)) : pbdrLength(tilt);
        return fabs(height - near->anchorB.x) + tilted * pbdrGetLever(scene, a);
    }
    const pbdrBody* b = pbdrGetBody(scene, near->bodyB);
    const pbdrVec3 apart = pbdrSub(b->centre, a->centre);
    if (near->radius < 0.0) {
        return pbdrLength(pbdrSub(apart, near->anchorA));
    }
    const pbdrVec3 fromA = pbdrMulMV(&a->frame, near->anchorA), fromB = pbdrMulMV(&b->frame, near->anchorB);
    // |R - R'| = 2 sin(angle/2) <= 2 |q - q'|
    const double turned = pbdrGetTurned(pbdrMulQQ(pbdrConjugate(b->rotation), a->rotation), near->turn);
    return pbdrLength(pbdrSub(pbdrAdd(apart, fromB), fromA)) + 2.0 * turned * near->radius;
}

double pbdrGetNeed(const pbdrCandidates* candidates, const pbdrNear* near)
{
    if (!candidates->looksAhead) {
        return 0.0;
    }
    const pbdrStir* a = pbdrGetStir(candidates, near->bodyA);
    if (near->plane >= 0) {
        const pbdrScene* scene = candidates->scene;
        const pbdrBody* body = pbdrGetBody(scene, near->bodyA);
        pbdrVec3 axis;
        double turn = a->turn;
        if (turn > 0.0 && findAxis(scene, body, &axis)) {
            const pbdrVec3 across = pbdrCross(pbdrMulTransposedMV(&body->frame, body->angular), axis);
            turn = scene->timeStep * pbdrLength(across) * pbdrGetLever(scene, body);
        }
        return fabs(pbdrDot(a->drift, pbdrGetPlane(scene, near->plane)->normal)) + turn;
    }
    const pbdrStir* b = pbdrGetStir(candidates, near->bodyB);
    return pbdrLength(pbdrSub(a->drift, b->drift)) + a->turn + b->turn;
}

// The limit of a near that may still move by so much. Where a body's bound does not hold for the anchor: none.
static double getLimit(const pbdrCandidates* candidates, const pbdrNear* near, double left)
{
    const pbdrScene* scene = candidates->scene;
    double limit = pbdrGetStir(candidates, near->bodyA)->path + left - ROUNDING;
    if (near->bodyB < 0) {
        return limit;
    }
    const pbdrBody *a = pbdrGetBody(scene, near->bodyA), *b = pbdrGetBody(scene, near->bodyB);
    limit += pbdrGetStir(candidates, near->bodyB)->path;
    const bool holds =
        near->radius < 0.0 || (pbdrLength(near->anchorA) + near->radius <= pbdrGetBoundLever(scene, a) &&
                               pbdrLength(near->anchorB) + near->radius <= pbdrGetBoundLever(scene, b));
    return holds ? limit : (double)-INFINITY;
}

static bool isStale(const pbdrCandidates* candidates, pbdrNear* near)
{
    if (!candidates->looksAhead && near->plane < 0) {
        return isnan(near->margin); // bodies that are due say when
    }
    const pbdrStir *a = pbdrGetStir(candidates, near->bodyA),
                   *b = near->bodyB >= 0 ? pbdrGetStir(candidates, near->bodyB) : NULL;
    if (candidates->looksAhead && a->bound + (b != NULL ? b->bound : 0.0) <= near->limit) {
        return false;
    }
    const double left = near->margin - getMoved(candidates->scene, near);
    // what would not last for another such substep is not worth its limit
    const double ahead = a->bound - a->path + (b != NULL ? b->bound - b->path : 0.0);
    near->limit = left > SUBSTEPS * ahead ? getLimit(candidates, near, left) : (double)-INFINITY;
    return !(pbdrGetNeed(candidates, near) <= left);
}

static void markStale(void* data, int index, int worker)
{
    pbdrCandidates* candidates = data;
    (void)worker;
    ((uint8_t*)candidates->marks.items)[index] = isStale(candidates, pbdrGetNear(candidates, index));
}

bool pbdrListStale(pbdrCandidates* candidates, bool all)
{
    pbdrMemory* memory = &candidates->scene->memory;
    candidates->results.count = 0;
    const int count = candidates->nears.count;
    if (!pbdrListExtend(memory, &candidates->marks, count)) {
        return false;
    }
    uint8_t* marks = candidates->marks.items;
    if (all && count > 0) {
        memset(marks, 1, (size_t)count);
    } else if (!all) {
        pbdrRunChunks(candidates, count, CHUNK, markStale);
    }
    for (int k = 0; k < count; k++) {
        if (marks[k]) {
            pbdrResult* result = pbdrListPush(memory, &candidates->results);
            if (result == NULL) {
                return false;
            }
            result->near = k;
        }
    }
    return true;
}
