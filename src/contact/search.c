// The search for contact candidates: the spheres or probes of a near.
#include "contact/search.h"

#include "contact/touch.h"

#include <stdlib.h>
#include <string.h>

// A stretch differs from a rotation by some (w dt)^2; bounds are this much larger.
#define STRETCH 1.01

// Margins of pairs: of those that hardly move, over what the particle engine has; of others in substeps of their present
// motion, more of them while that is a small share of the smaller one's size: searches are fewer, and not many items more.
// And of bodies over planes, beside a whole margin of their own.
#define REST_SHARE 0.5
#define PAIR_STEPS 3.0
#define SLOW_STEPS 5.0
#define SLOW_SHARE 0.1
#define PLANE_STEPS 2.0

// Bodies of so many spheres at most are culled by each other's boxes, then held against each other one by one.
#define FEW 256
// Halving so many takes fewer levels.
#define MAX_DEPTH 64

// --- How far bodies reach ---

double pbdrGetContactReach(const pbdrScene* scene, const pbdrBody* body)
{
    const pbdrShape* shape = body->shape;
    double spheres = STRETCH * shape->reach + shape->largestRadius;
    return scene->touchesSurface ? pbdrMax(spheres, shape->surface.radius) : spheres;
}

double pbdrGetLever(const pbdrScene* scene, const pbdrBody* body)
{
    const pbdrShape* shape = body->shape;
    const pbdrSurface* surface = &shape->surface;
    if (!scene->touchesSurface || surface->kind == pbdr_surfaceNone) {
        return shape->reach;
    }
    // a ball that turns about its centre stays where it is
    return pbdrMax(shape->reach,
                   surface->kind == pbdr_surfaceBall ? pbdrLength(surface->origin) : surface->radius);
}

pbdrVec3 pbdrGetDrift(const pbdrCandidates* candidates, const pbdrBody* body)
{
    if (!candidates->looksAhead || body->kind == pbdr_bodyStatic) {
        return pbdrVec(0.0, 0.0, 0.0);
    }
    pbdrVec3 pull = pbdrScale(1.0 / body->shape->mass, body->force);
    pull = body->kind == pbdr_bodyDynamic ? pbdrAdd(pull, candidates->scene->gravity) : pull;
    const double dt = candidates->scene->timeStep;
    return pbdrScale(dt, pbdrAddScaled(body->velocity, dt, pull));
}

double pbdrGetLookAhead(const pbdrCandidates* candidates, const pbdrBody* body, const pbdrVec3* direction)
{
    if (!candidates->looksAhead || body->kind == pbdr_bodyStatic) {
        return 0.0;
    }
    const pbdrVec3 drift = pbdrGetDrift(candidates, body);
    return (direction != NULL ? fabs(pbdrDot(drift, *direction)) : pbdrLength(drift)) +
           candidates->scene->timeStep * pbdrLength(body->angular) * pbdrGetLever(candidates->scene, body);
}

// How far the two of a near may move before their items are searched anew.
static double chooseMargin(const pbdrCandidates* candidates, const pbdrNear* near)
{
    const pbdrScene* scene = candidates->scene;
    const double need = pbdrGetNeed(candidates, near), own = pbdrGetBody(scene, near->bodyA)->shape->margin;
    if (near->plane >= 0) {
        return own + PLANE_STEPS * need;
    }
    const pbdrBody *a = pbdrGetBody(scene, near->bodyA), *b = pbdrGetBody(scene, near->bodyB);
    const double base = 0.5 * (own + b->shape->margin);
    if (!candidates->looksAhead) {
        return base;
    }
    const double size = pbdrMin(pbdrGetContactReach(scene, a), pbdrGetContactReach(scene, b));
    return pbdrMax(REST_SHARE * base,
                   pbdrMax(PAIR_STEPS * need, pbdrMin(SLOW_STEPS * need, SLOW_SHARE * size)));
}

// --- By spheres ---

typedef struct Search {
    const pbdrCandidates* candidates;
    pbdrSearcher* searcher;
    const pbdrBody *a, *b;
    int first; // of what this search found
} Search;

// Room for one more, or NULL: without memory, or when there are more than a world may have.
static pbdrFound* pushFound(Search* search)
{
    pbdrList* found = &search->searcher->found;
    if (search->b != NULL && found->count - search->first > search->candidates->scene->maxPairCount) {
        return NULL;
    }
    pbdrFound* pushed = pbdrListPush(&search->searcher->memory, found);
    search->searcher->failed = search->searcher->failed || pushed == NULL;
    return pushed;
}

static bool addFound(void* context, int sphereA, int sphereB)
{
    Search* search = context;
    pbdrFound* found = pushFound(search);
    if (found == NULL) {
        return false;
    }
    *found = (pbdrFound){{search->a->shape->tree.indices[sphereA], -1}, {sphereA, -1}};
    if (search->b != NULL) {
        found->order[1] = search->b->shape->tree.indices[sphereB];
        found->spheres[1] = sphereB;
    }
    return true;
}

static bool addBelow(void* context, int sphere)
{
    return addFound(context, sphere, -1);
}

int pbdrCompareFound(const void* a, const void* b)
{
    const pbdrFound *first = a, *second = b;
    int32_t difference = first->order[0] - second->order[0];
    return difference != 0 ? difference : first->order[1] - second->order[1];
}

// A sphere of one body as the other sees it.
typedef struct Placed {
    double x, y, z, radius; // [m]
    int32_t sphere;
} Placed;

size_t pbdrGetPlacedSize(void)
{
    return sizeof(Placed);
}

// Whether a ball comes near the box around a body's spheres, grown by the margin.
static bool isNearBox(const pbdrTreeNode* box, pbdrVec3 x, double radius, double margin)
{
    const double reach = radius + box->radius + margin;
    return (x.x >= box->lower[0] - reach) & (x.x <= box->upper[0] + reach) & (x.y >= box->lower[1] - reach) &
           (x.y <= box->upper[1] + reach) & (x.z >= box->lower[2] - reach) & (x.z <= box->upper[2] + reach);
}

// The spheres of a body that come near the box around the other's, in the other's rest frame.
static int cullSpheres(const pbdrSphereTree* tree, const pbdrMat3* turn, pbdrVec3 shift,
                       const pbdrTreeNode* box, double margin, Placed* placed)
{
    int32_t stack[MAX_DEPTH];
    int count = 0, depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const int32_t index = stack[--depth];
        const pbdrTreeNode* node = &tree->nodes[index];
        const pbdrVec3 lower = {node->lower[0], node->lower[1], node->lower[2]},
                       upper = {node->upper[0], node->upper[1], node->upper[2]};
        const pbdrVec3 middle = pbdrAdd(shift, pbdrMulMV(turn, pbdrScale(0.5, pbdrAdd(lower, upper))));
        // rounding, with room to spare
        const double size = 0.5000001 * pbdrLength(pbdrSub(upper, lower)) + node->radius;
        if (!isNearBox(box, middle, size, margin)) {
            continue;
        }
        if (node->count == 0) {
            stack[depth++] = node->second;
            stack[depth++] = index + 1;
            continue;
        }
        for (int i = node->second; i < node->second + node->count; i++) {
            const pbdrTreeSphere* sphere = &tree->spheres[i];
            const pbdrVec3 x = pbdrAdd(shift, pbdrMulMV(turn, sphere->centre));
            placed[count] = (Placed){x.x, x.y, x.z, sphere->radius, i};
            count += isNearBox(box, x, sphere->radius, margin);
        }
    }
    return count;
}

// Two bodies of few spheres: those of each that come near the box around the other's, then all pairs of them.
static bool searchFew(Search* search, double margin)
{
    const pbdrBody *a = search->a, *b = search->b;
    const pbdrSphereTree *treeA = &a->shape->tree, *treeB = &b->shape->tree;
    pbdrList* list = &search->searcher->spheres;
    if (!pbdrListReserve(&search->searcher->memory, list, treeA->sphereCount + treeB->sphereCount)) {
        search->searcher->failed = true;
        return false;
    }
    Placed *placedA = list->items, *placedB = placedA + treeA->sphereCount;
    const pbdrMat3 back = pbdrTranspose(&b->frame), turn = pbdrMulMM(&back, &a->frame),
                   turnBack = pbdrTranspose(&turn);
    const pbdrVec3 apart = pbdrSub(a->centre, b->centre), shift = pbdrMulMV(&back, apart),
                   shiftBack = pbdrScale(-1.0, pbdrMulTransposedMV(&a->frame, apart));
    const int countA = cullSpheres(treeA, &turn, shift, &treeB->nodes[0], margin, placedA);
    const int countB =
        countA > 0 ? cullSpheres(treeB, &turnBack, shiftBack, &treeA->nodes[0], margin, placedB) : 0;
    for (int j = 0; j < countB; j++) {
        // B's own place, in its own frame
        const pbdrVec3 at = treeB->spheres[placedB[j].sphere].centre;
        for (int i = 0; i < countA; i++) {
            const Placed* other = &placedA[i];
            const double x = other->x - at.x, y = other->y - at.y, z = other->z - at.z,
                         reach = other->radius + placedB[j].radius + margin;
            if (x * x + y * y + z * z <= reach * reach &&
                !addFound(search, other->sphere, placedB[j].sphere)) {
                return false;
            }
        }
    }
    return true;
}

static bool searchSpheres(Search* search, double margin)
{
    const pbdrBody *a = search->a, *b = search->b;
    if (search->candidates->looksAhead && a->shape->sphereCount <= FEW && b->shape->sphereCount <= FEW) {
        return searchFew(search, margin); // frames are rotations
    }
    const pbdrTreePlace placeA = {a->centre, a->frame}, placeB = {b->centre, b->frame};
    return pbdrSphereTree_VisitPairs(&a->shape->tree, &placeA, &b->shape->tree, &placeB, margin, addFound,
                                     search);
}

// --- By surfaces ---

// Lists a probe: a segment has two items.
static bool addProbe(Search* search, int side, const pbdrProbe* probe, int index)
{
    for (int end = 0; end < (probe->kind == pbdr_probeSegment && search->b != NULL ? 2 : 1); end++) {
        pbdrFound* found = pushFound(search);
        if (found == NULL) {
            return false;
        }
        int32_t name = 2 * index + end;
        *found = (pbdrFound){{side, name}, {side == 0 ? name : -1, side == 1 ? name : -1}};
    }
    return true;
}

static bool searchProbesBelow(Search* search, const pbdrPlane* plane, double height, double margin)
{
    const pbdrBody* body = search->a;
    const pbdrVec3 normal = pbdrMulTransposedMV(&body->frame, plane->normal);
    const int count = pbdrCountProbes(body);
    bool good = true;
    for (int k = 0; k < count; k++) {
        const pbdrProbe probe = pbdrGetProbe(body, k);
        if ((probe.against & PBDR_PROBES_PLANES) != 0 &&
            height + pbdrDot(normal, probe.a) - probe.radius <= margin) {
            good = addProbe(search, 0, &probe, k) && good;
        }
    }
    return good;
}

static bool searchProbes(Search* search, double reach)
{
    const pbdrScene* scene = search->candidates->scene;
    for (int side = 0; side < 2; side++) {
        const pbdrProbing probing = pbdrSetProbingOf(search->a, search->b, side);
        if (!pbdrHasProbes(scene, probing.prober, probing.surface)) {
            continue;
        }
        const bool bundled = probing.prober->shape->surface.bundleCount > 0;
        const int count = pbdrCountProbes(probing.prober);
        for (int k = 0; k < count; k++) {
            if (bundled && k % PBDR_BUNDLE == 0 && !pbdrMayBundleTouch(&probing, k / PBDR_BUNDLE, reach)) {
                k += PBDR_BUNDLE - 1;
                continue;
            }
            if (pbdrMayTouch(&probing, k, reach)) {
                const pbdrProbe probe = pbdrGetProbe(probing.prober, k);
                if (!addProbe(search, side, &probe, k)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// --- One near ---

static void searchPlane(Search* search, const pbdrPlane* plane, bool bySurface, double margin)
{
    const pbdrBody* body = search->a;
    const double height = pbdrDot(plane->normal, body->centre) - plane->offset;
    const pbdrVec3 normal = pbdrMulTransposedMV(&body->frame, plane->normal);
    if (bySurface) {
        searchProbesBelow(search, plane, height, margin);
    } else {
        pbdrSphereTree_VisitBelow(&body->shape->tree, normal, height, margin, addBelow, search);
    }
}

// Whether the near's patch has just what was found.
static bool isSame(const pbdrCandidates* candidates, const pbdrPatch* patch, const pbdrFound* found,
                   int count)
{
    if (patch->count != count) {
        return false;
    }
    const int32_t *a = candidates->items.spheres[0] + patch->first,
                  *b = candidates->items.spheres[1] + patch->first;
    for (int i = 0; i < count; i++) {
        if (a[i] != found[i].spheres[0] || b[i] != found[i].spheres[1]) {
            return false;
        }
    }
    return true;
}

// How far two bodies may move before any of their items can touch [m]; zero where that is not known. What has passed a thin
// plate must be found on its other side.
static double getFreeWay(const pbdrCandidates* candidates, const pbdrBody* a, const pbdrBody* b,
                         bool bySurface)
{
    const pbdrSurface *first = &a->shape->surface, *second = &b->shape->surface;
    if (!candidates->looksAhead || (bySurface && (pbdrSurface_IsThin(first, pbdrSurface_GetBulk(second)) ||
                                                  pbdrSurface_IsThin(second, pbdrSurface_GetBulk(first))))) {
        return 0.0;
    }
    return pbdrGetSeparation(a, b, bySurface);
}

bool pbdrSearchNear(pbdrCandidates* candidates, pbdrSearcher* searcher, pbdrResult* result)
{
    const pbdrScene* scene = candidates->scene;
    pbdrNear* near = pbdrGetNear(candidates, result->near);
    const pbdrBody *a = pbdrGetBody(scene, near->bodyA),
                   *b = near->bodyB >= 0 ? pbdrGetBody(scene, near->bodyB) : NULL;
    Search search = {candidates, searcher, a, b, searcher->found.count};
    double margin = chooseMargin(candidates, near);
    result->bySurface = pbdrTouchesBySurface(scene, a, b);
    const double way = near->plane < 0 ? getFreeWay(candidates, a, b, result->bySurface) : 0.0;
    if (near->plane >= 0) {
        searchPlane(&search, pbdrGetPlane(scene, near->plane), result->bySurface, margin);
    } else if (way > 2.0 * margin) {
        // the balls around long bodies overlap where they are far apart; items are listed as early as others', because an
        // impact may throw the two at each other
        margin = way - margin;
    } else if (result->bySurface) {
        searchProbes(&search, margin);
    } else {
        searchSpheres(&search, margin);
    }
    pbdrAnchorNear(candidates, near, margin);
    result->first = search.first;
    result->count = searcher->found.count - search.first;
    // the list has no memory before the first find
    pbdrFound* found = result->count > 0 ? (pbdrFound*)searcher->found.items + search.first : NULL;
    if (result->count > 1) {
        qsort(found, (size_t)result->count, sizeof *found, pbdrCompareFound);
    }
    result->same = near->patch >= 0
                       ? isSame(candidates, pbdrGetPatch(candidates, near->patch), found, result->count)
                       : result->count == 0;
    return !searcher->failed;
}
