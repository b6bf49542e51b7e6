// The search for contact candidates: bodies near planes and near each other, then their spheres or probes.
#include "contact/search.h"

#include "contact/broad_phase.h"
#include "contact/touch.h"

#include <stdlib.h>
#include <string.h>

// A stretch differs from a rotation by some (w dt)^2; bounds are this much larger.
#define STRETCH 1.01

// --- How far bodies reach ---

double pbdrGetContactReach(const pbdrScene* scene, const pbdrBody* body)
{
    const pbdrShape* shape = body->shape;
    double spheres = STRETCH * shape->reach + shape->largestRadius;
    return scene->touchesSurface ? fmax(spheres, shape->surface.radius) : spheres;
}

double pbdrGetLever(const pbdrScene* scene, const pbdrBody* body)
{
    const pbdrShape* shape = body->shape;
    return scene->touchesSurface ? fmax(shape->reach, shape->surface.radius) : shape->reach;
}

double pbdrGetLookAhead(const pbdrCandidates* candidates, const pbdrBody* body, const pbdrVec3* direction)
{
    if (!candidates->looksAhead || body->kind == pbdr_bodyStatic) {
        return 0.0;
    }
    pbdrVec3 pull = pbdrScale(1.0 / body->shape->mass, body->force);
    pull = body->kind == pbdr_bodyDynamic ? pbdrAdd(pull, candidates->scene->gravity) : pull;
    pbdrVec3 drift = pbdrAddScaled(body->velocity, candidates->scene->timeStep, pull);
    double speed = direction != NULL ? fabs(pbdrDot(drift, *direction)) : pbdrLength(drift);
    return candidates->scene->timeStep *
           (speed + pbdrLength(body->angular) * pbdrGetLever(candidates->scene, body));
}

bool pbdrIsNearPlane(const pbdrCandidates* candidates, const pbdrBody* body, const pbdrPlane* plane)
{
    double height = pbdrDot(plane->normal, body->centre) - plane->offset;
    return height <= pbdrGetContactReach(candidates->scene, body) + body->shape->margin +
                         pbdrGetLookAhead(candidates, body, &plane->normal);
}

// --- By spheres ---

typedef struct Search {
    pbdrCandidates* candidates;
    const pbdrBody *a, *b;
    int pairCount; // of all bodies so far
} Search;

static bool addFound(void* context, int sphereA, int sphereB)
{
    Search* search = context;
    pbdrCandidates* candidates = search->candidates;
    if (search->b != NULL && search->pairCount >= candidates->scene->maxPairCount) {
        return false;
    }
    pbdrFound* found = pbdrListPush(&candidates->scene->memory, &candidates->found);
    search->pairCount += found != NULL && search->b != NULL;
    if (found != NULL) {
        *found = (pbdrFound){{search->a->shape->tree.indices[sphereA], -1}, {sphereA, -1}};
        if (search->b != NULL) {
            found->order[1] = search->b->shape->tree.indices[sphereB];
            found->spheres[1] = sphereB;
        }
    }
    return found != NULL;
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

// Makes a patch of what was found, and its items, padded. False without memory.
static bool addPatch(pbdrCandidates* candidates, int bodyA, int bodyB, int plane, double margin,
                     bool bySurface)
{
    int count = candidates->found.count, first = candidates->items.count;
    int padded = (count + PBDR_BLOCK - 1) / PBDR_BLOCK * PBDR_BLOCK;
    if (!pbdrGrowItems(candidates, first + padded)) {
        return false;
    }
    pbdrPatch* patch = pbdrListPush(&candidates->scene->memory, &candidates->patches);
    if (patch == NULL) {
        return false;
    }
    *patch =
        (pbdrPatch){bodyA, bodyB, plane, first, count, padded, margin, bySurface, 0, {0.0, 0.0, 0.0}, {0.0}};
    pbdrFound* found = candidates->found.items;
    if (count > 1) {
        qsort(found, (size_t)count, sizeof *found, pbdrCompareFound);
    }
    for (int i = 0; i < padded; i++) {
        for (int side = 0; side < 2; side++) {
            candidates->items.spheres[side][first + i] = i < count ? found[i].spheres[side] : -1;
        }
    }
    candidates->items.count = first + padded;
    return true;
}

// --- By surfaces ---

// Lists a probe: a segment has two items.
static bool addProbe(Search* search, int side, const pbdrProbe* probe, int index)
{
    pbdrCandidates* candidates = search->candidates;
    for (int end = 0; end < (probe->kind == pbdr_probeSegment && search->b != NULL ? 2 : 1); end++) {
        if (search->b != NULL && search->pairCount++ >= candidates->scene->maxPairCount) {
            return false;
        }
        pbdrFound* found = pbdrListPush(&candidates->scene->memory, &candidates->found);
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
    bool good = true;
    for (int k = 0; k < pbdrCountProbes(body); k++) {
        const pbdrProbe probe = pbdrGetProbe(body, k);
        if ((probe.against & PBDR_PROBES_PLANES) != 0 &&
            height + pbdrDot(normal, probe.a) - probe.radius <= margin) {
            good = addProbe(search, 0, &probe, k) && good;
        }
    }
    return good;
}

static bool searchProbes(Search* search, int indexA, int indexB, double reach)
{
    const pbdrScene* scene = search->candidates->scene;
    bool good = true;
    for (int side = 0; side < 2; side++) {
        const pbdrProbing probing = pbdrSetProbing(scene, indexA, indexB, side);
        if (!pbdrHasProbes(scene, probing.prober, probing.surface)) {
            continue;
        }
        for (int k = 0; k < pbdrCountProbes(probing.prober); k++) {
            if (pbdrMayTouch(&probing, k, reach)) {
                const pbdrProbe probe = pbdrGetProbe(probing.prober, k);
                good = addProbe(search, side, &probe, k) && good;
            }
        }
    }
    return good;
}

// --- All ---

static bool searchPlanes(pbdrCandidates* candidates)
{
    bool good = true;
    for (int k = 0; k < candidates->scene->planes.count; k++) {
        const pbdrPlane* plane = pbdrGetPlane(candidates->scene, k);
        for (int index = 0; plane->alive && index < candidates->scene->bodies.count; index++) {
            const pbdrBody* body = pbdrGetBody(candidates->scene, index);
            if (!pbdrMeetsPlane(body, plane) || !pbdrIsNearPlane(candidates, body, plane)) {
                continue;
            }
            candidates->found.count = 0;
            Search search = {candidates, body, NULL, 0};
            double height = pbdrDot(plane->normal, body->centre) - plane->offset;
            // twice what is looked ahead now: speeding up does not mean a search in every substep
            double margin = body->shape->margin + 2.0 * pbdrGetLookAhead(candidates, body, &plane->normal);
            bool bySurface = pbdrTouchesBySurface(candidates->scene, body, NULL);
            pbdrVec3 normal = pbdrMulTransposedMV(&body->frame, plane->normal);
            bool found = bySurface ? searchProbesBelow(&search, plane, height, margin)
                                   : pbdrSphereTree_VisitBelow(&body->shape->tree, normal, height, margin,
                                                               addBelow, &search);
            good = found && addPatch(candidates, index, -1, k, margin, bySurface) && good;
        }
    }
    return good;
}

// The boxes of all bodies' bounding balls. False without memory.
static bool listBoxes(pbdrCandidates* candidates)
{
    candidates->boxes.count = 0;
    for (int index = 0; index < candidates->scene->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(candidates->scene, index);
        if (!body->alive) {
            continue;
        }
        pbdrSearched* searched = pbdrGetSearched(candidates, index);
        searched->reach = 0.5 * body->shape->margin + 2.0 * pbdrGetLookAhead(candidates, body, NULL);
        pbdrBox* box = pbdrListPush(&candidates->scene->memory, &candidates->boxes);
        if (box == NULL) {
            return false;
        }
        box->body = index;
        double size = pbdrGetContactReach(candidates->scene, body) + searched->reach;
        const double centre[3] = {body->centre.x, body->centre.y, body->centre.z};
        for (int k = 0; k < 3; k++) {
            box->lower[k] = centre[k] - size;
            box->upper[k] = centre[k] + size;
        }
    }
    return true;
}

static bool searchBodies(pbdrCandidates* candidates, int indexA, int indexB, int* pairCount)
{
    const pbdrBody *a = pbdrGetBody(candidates->scene, indexA), *b = pbdrGetBody(candidates->scene, indexB);
    const pbdrTreePlace placeA = {a->centre, a->frame}, placeB = {b->centre, b->frame};
    candidates->found.count = 0;
    Search search = {candidates, a, b, *pairCount};
    double reach = pbdrGetSearched(candidates, indexA)->reach + pbdrGetSearched(candidates, indexB)->reach;
    bool bySurface = pbdrTouchesBySurface(candidates->scene, a, b);
    bool good = bySurface ? searchProbes(&search, indexA, indexB, reach)
                          : pbdrSphereTree_VisitPairs(&a->shape->tree, &placeA, &b->shape->tree, &placeB,
                                                      reach, addFound, &search);
    *pairCount = search.pairCount;
    return candidates->found.count == 0 ? good
                                        : addPatch(candidates, indexA, indexB, -1, 0.0, bySurface) && good;
}

static int comparePairs(const void* a, const void* b)
{
    const pbdrBodyPair *first = a, *second = b;
    return first->first != second->first ? first->first - second->first : first->second - second->second;
}

static bool addBodies(void* context, const pbdrBox* a, const pbdrBox* b)
{
    pbdrCandidates* candidates = context;
    pbdrBodyPair* pair = pbdrListPush(&candidates->scene->memory, &candidates->bodyPairs);
    if (pair != NULL) {
        pair->first = a->body < b->body ? a->body : b->body;
        pair->second = a->body < b->body ? b->body : a->body;
    }
    return pair != NULL;
}

static bool searchPairs(pbdrCandidates* candidates)
{
    if (!listBoxes(candidates)) {
        return false;
    }
    // pairs of bodies, then sorted: patches are in the order of bodies, whatever the sweep's
    candidates->bodyPairs.count = 0;
    bool good = pbdrSweepBoxes(candidates->scene, &candidates->boxes, addBodies, candidates);
    pbdrBodyPair* pairs = candidates->bodyPairs.items;
    int pairCount = 0;
    if (candidates->bodyPairs.count > 1) {
        qsort(pairs, (size_t)candidates->bodyPairs.count, sizeof *pairs, comparePairs);
    }
    for (int k = 0; k < candidates->bodyPairs.count; k++) {
        good = searchBodies(candidates, pairs[k].first, pairs[k].second, &pairCount) && good;
    }
    return good;
}

bool pbdrSearchCandidates(pbdrCandidates* candidates)
{
    bool good = searchPlanes(candidates);
    return candidates->scene->bodyCount > 1 ? searchPairs(candidates) && good : good;
}
