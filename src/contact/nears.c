// Who is near whom, and whose items must be searched (candidates.h).
//
// That two have not moved by their margin is cheap to see for most: each body adds up how far any point of it has gone,
// and while the sum of two such bounds is below a near's limit, nothing more is looked at. The limit is what the exact
// test leaves, so it decides nothing that the exact test would decide otherwise.
#include "contact/search.h"
#include "tasks/tasks.h"

#include <stdlib.h>
#include <string.h>

// Bodies and nears that a task looks at.
#define CHUNK 512
// Fat balls are larger than their body's by this share, and stand so many substeps of its present motion ahead of it, to
// last for twice as many.
#define FAT_SHARE 0.05
#define FAT_STEPS 4.0
// Bounds take a body for this much larger than it is: an anchor may be outside of it.
#define BOUND_SHARE 2.0
// Rounding of bounds, with room to spare [m].
#define ROUNDING 1.0e-9

// Calls for every index below count, chunk by chunk.
typedef struct Chunks {
    void* data;
    pbdrTask* task;
    int count, size;
} Chunks;

static void runChunk(void* data, int chunk, int worker)
{
    const Chunks* chunks = data;
    const int end = (chunk + 1) * chunks->size < chunks->count ? (chunk + 1) * chunks->size : chunks->count;
    for (int index = chunk * chunks->size; index < end; index++) {
        chunks->task(chunks->data, index, worker);
    }
}

void pbdrRunChunks(pbdrCandidates* candidates, int count, int size, pbdrTask* task)
{
    Chunks chunks = {candidates, task, count, size};
    if (count <= 2 * size) {
        // waking a thread takes longer
        chunks.size = count > 0 ? count : 1;
    }
    pbdrRunTasks(candidates->scene->tasks, (count + chunks.size - 1) / chunks.size, runChunk, &chunks);
}

// --- Bodies ---

// How far any sphere of the body can have moved since it was looked up; its frame may be stretched.
static double getTravel(const pbdrCandidates* candidates, int index)
{
    const pbdrBody* body = pbdrGetBody(candidates->scene, index);
    const pbdrSearched* searched = pbdrGetSearched(candidates, index);
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double change = body->frame.m[i][j] - searched->place.stretch.m[i][j];
            square += change * change;
        }
    }
    return pbdrLength(pbdrSub(body->centre, searched->place.centre)) +
           sqrt(square) * pbdrGetLever(candidates->scene, body);
}

// |q - r| or |q + r|, whichever is less: 2 sin of a quarter of the angle between two turns.
static double getTurned(pbdrQuat q, pbdrQuat r)
{
    const double sign = q.w * r.w + q.x * r.x + q.y * r.y + q.z * r.z < 0.0 ? -1.0 : 1.0;
    return pbdrLengthQ((pbdrQuat){q.w - sign * r.w, q.x - sign * r.x, q.y - sign * r.y, q.z - sign * r.z});
}

// How far from its centre a body's points are for its bound: single spheres do not turn.
static double getBoundLever(const pbdrScene* scene, const pbdrBody* body)
{
    return pbdrGetLever(scene, body) > 0.0 ? BOUND_SHARE * pbdrGetContactReach(scene, body) : 0.0;
}

static void stirBody(pbdrCandidates* candidates, int index)
{
    const pbdrScene* scene = candidates->scene;
    const pbdrBody* body = pbdrGetBody(scene, index);
    const pbdrSearched* searched = pbdrGetSearched(candidates, index);
    pbdrStir* stir = pbdrGetStir(candidates, index);
    stir->due = false;
    if (!body->alive) {
        return;
    }
    if (!candidates->looksAhead) {
        // pairs are searched together, within what bodies may go
        stir->due = !(getTravel(candidates, index) <= searched->reach);
        return;
    }
    const double lever = pbdrGetLever(scene, body);
    stir->drift = pbdrGetDrift(candidates, body);
    stir->turn = body->kind == pbdr_bodyStatic ? 0.0 : scene->timeStep * pbdrLength(body->angular) * lever;
    stir->path += pbdrLength(pbdrSub(body->centre, stir->centre)) +
                  2.0 * getTurned(body->rotation, stir->rotation) * getBoundLever(scene, body);
    stir->centre = body->centre;
    stir->rotation = body->rotation;
    const double ahead = pbdrLength(stir->drift);
    stir->bound = stir->path + ahead + stir->turn;
    // balls do not turn. NaN counts as due: nothing is near it, and the step flags it
    stir->due = !(pbdrLength(pbdrSub(body->centre, searched->place.centre)) + ahead <= searched->reach);
}

static void stirTask(void* data, int index, int worker)
{
    (void)worker;
    stirBody(data, index);
}

int pbdrStirBodies(pbdrCandidates* candidates)
{
    const int count = candidates->scene->bodies.count;
    pbdrRunChunks(candidates, count, CHUNK, stirTask);
    int dueCount = 0;
    for (int index = 0; index < count; index++) {
        dueCount += pbdrGetStir(candidates, index)->due;
    }
    return dueCount;
}

// --- Fat balls ---

static double getFatRadius(const pbdrCandidates* candidates, int index)
{
    return pbdrGetContactReach(candidates->scene, pbdrGetBody(candidates->scene, index)) +
           pbdrGetSearched(candidates, index)->reach;
}

static pbdrBox getBox(const pbdrCandidates* candidates, int index)
{
    const pbdrVec3 at = pbdrGetSearched(candidates, index)->place.centre;
    const double centre[3] = {at.x, at.y, at.z}, radius = getFatRadius(candidates, index);
    const bool good = isfinite(at.x) && isfinite(at.y) && isfinite(at.z) && isfinite(radius);
    pbdrBox box = {.body = index};
    for (int k = 0; k < 3; k++) {
        // what is nowhere overlaps nothing, and makes no box around it larger
        box.lower[k] = good ? centre[k] - radius : (double)INFINITY;
        box.upper[k] = good ? centre[k] + radius : (double)-INFINITY;
    }
    return box;
}

static void lookUp(pbdrCandidates* candidates, int index)
{
    const pbdrBody* body = pbdrGetBody(candidates->scene, index);
    pbdrSearched* searched = pbdrGetSearched(candidates, index);
    searched->place = (pbdrTreePlace){body->centre, body->frame};
    searched->reach = 0.5 * body->shape->margin;
    if (candidates->looksAhead) {
        const pbdrVec3 drift = pbdrGetStir(candidates, index)->drift;
        searched->place.centre = pbdrAddScaled(body->centre, FAT_STEPS, drift);
        searched->reach =
            FAT_SHARE * pbdrGetContactReach(candidates->scene, body) + (FAT_STEPS + 1.5) * pbdrLength(drift);
    }
}

// Whether the fat balls of two bodies overlap, or of one and a plane.
static bool areNear(const pbdrCandidates* candidates, int bodyA, int bodyB, int plane)
{
    const pbdrVec3 centre = pbdrGetSearched(candidates, bodyA)->place.centre;
    if (plane >= 0) {
        const pbdrPlane* at = pbdrGetPlane(candidates->scene, plane);
        return pbdrDot(at->normal, centre) - at->offset <= getFatRadius(candidates, bodyA);
    }
    const pbdrVec3 apart = pbdrSub(centre, pbdrGetSearched(candidates, bodyB)->place.centre);
    return pbdrLength(apart) <= getFatRadius(candidates, bodyA) + getFatRadius(candidates, bodyB);
}

// --- The list of nears ---

int pbdrCompareNears(const void* a, const void* b)
{
    const pbdrNear *first = a, *second = b;
    const int32_t keys[2][4] = {{first->plane < 0, first->plane, first->bodyA, first->bodyB},
                                {second->plane < 0, second->plane, second->bodyA, second->bodyB}};
    for (int k = 0; k < 4; k++) {
        if (keys[0][k] != keys[1][k]) {
            return keys[0][k] < keys[1][k] ? -1 : 1;
        }
    }
    return 0;
}

typedef struct Finding {
    pbdrCandidates* candidates;
    pbdrSearcher* searcher;
    int index;
} Finding;

static bool addNear(pbdrSearcher* searcher, int bodyA, int bodyB, int plane)
{
    pbdrNear* near = pbdrListPush(&searcher->memory, &searcher->nears);
    if (near == NULL) {
        searcher->failed = true;
        return false;
    }
    *near = (pbdrNear){.bodyA = bodyA,
                       .bodyB = bodyB,
                       .plane = plane,
                       .patch = -1,
                       .margin = (double)NAN,
                       .limit = (double)-INFINITY};
    return true;
}

static bool findOther(void* context, int other)
{
    const Finding* finding = context;
    const int index = finding->index;
    // two that are due find each other once
    if (other == index || (other < index && pbdrGetStir(finding->candidates, other)->due) ||
        !pbdrCanTouch(finding->candidates->scene, index, other) ||
        !areNear(finding->candidates, index, other, -1)) {
        return true;
    }
    return addNear(finding->searcher, index < other ? index : other, index < other ? other : index, -1);
}

static void findNears(void* data, int task, int worker)
{
    pbdrCandidates* candidates = data;
    Finding finding = {candidates, &candidates->searchers[worker],
                       ((const int32_t*)candidates->due.items)[task]};
    const pbdrBody* body = pbdrGetBody(candidates->scene, finding.index);
    for (int k = 0; k < candidates->scene->planes.count; k++) {
        const pbdrPlane* plane = pbdrGetPlane(candidates->scene, k);
        if (plane->alive && pbdrMeetsPlane(body, plane) && areNear(candidates, finding.index, -1, k)) {
            addNear(finding.searcher, finding.index, -1, k);
        }
    }
    const pbdrBox box = getBox(candidates, finding.index);
    pbdrVisitBoxes(&candidates->tree, &box, findOther, &finding);
}

// The tree with the boxes of all bodies, those that are due in their new places. False without memory.
static bool renewTree(pbdrCandidates* candidates)
{
    const pbdrScene* scene = candidates->scene;
    const int32_t* due = candidates->due.items;
    if (!pbdrIsBoxTreeWorn(&candidates->tree) && 2 * candidates->due.count < scene->bodyCount) {
        for (int k = 0; k < candidates->due.count; k++) {
            const pbdrBox box = getBox(candidates, due[k]);
            pbdrMoveBox(&candidates->tree, &box);
        }
        return true;
    }
    pbdrMemory* memory = &candidates->scene->memory;
    candidates->boxes.count = 0;
    for (int index = 0; index < scene->bodies.count; index++) {
        if (!pbdrGetBody(scene, index)->alive) {
            continue;
        }
        pbdrBox* box = pbdrListPush(memory, &candidates->boxes);
        if (box == NULL) {
            candidates->tree.built = false;
            return false;
        }
        *box = getBox(candidates, index);
    }
    return pbdrBuildBoxTree(memory, &candidates->tree, candidates->boxes.items, candidates->boxes.count,
                            scene->bodies.count);
}

static bool listDue(pbdrCandidates* candidates)
{
    candidates->due.count = 0;
    for (int index = 0; index < candidates->scene->bodies.count; index++) {
        if (pbdrGetStir(candidates, index)->due) {
            int32_t* due = pbdrListPush(&candidates->scene->memory, &candidates->due);
            if (due == NULL) {
                return false;
            }
            *due = index;
        }
    }
    return true;
}

// All that the searchers found and that is new, sorted. False without memory.
static bool listFresh(pbdrCandidates* candidates)
{
    pbdrMemory* memory = &candidates->scene->memory;
    candidates->fresh.count = 0;
    bool good = true;
    for (int k = 0; k < pbdrCountWorkers(candidates->scene->tasks); k++) {
        pbdrSearcher* searcher = &candidates->searchers[k];
        const pbdrNear* found = searcher->nears.items;
        good = good && !searcher->failed;
        for (int i = 0; i < searcher->nears.count && good; i++) {
            if (candidates->nears.count > 0 &&
                bsearch(&found[i], candidates->nears.items, (size_t)candidates->nears.count, sizeof *found,
                        pbdrCompareNears) != NULL) {
                continue;
            }
            pbdrNear* near = pbdrListPush(memory, &candidates->fresh);
            good = near != NULL;
            if (good) {
                *near = found[i];
            }
        }
    }
    if (good && candidates->fresh.count > 1) {
        qsort(candidates->fresh.items, (size_t)candidates->fresh.count, sizeof(pbdrNear), pbdrCompareNears);
    }
    return good;
}

// Whether a body of the near is due, and has gone too far away.
static bool hasParted(const pbdrCandidates* candidates, const pbdrNear* near)
{
    return (pbdrGetStir(candidates, near->bodyA)->due ||
            (near->bodyB >= 0 && pbdrGetStir(candidates, near->bodyB)->due)) &&
           !areNear(candidates, near->bodyA, near->bodyB, near->plane);
}

// Puts the fresh nears among those that are still near. False without memory, and nothing changed.
static bool mergeNears(pbdrCandidates* candidates)
{
    int parted = 0;
    for (int k = 0; k < candidates->nears.count; k++) {
        parted += hasParted(candidates, pbdrGetNear(candidates, k));
    }
    if (parted == 0 && candidates->fresh.count == 0) {
        return true;
    }
    const int count = candidates->nears.count - parted + candidates->fresh.count;
    // a quarter more, and not the list's own doubling: nears are many
    const int room = count > candidates->nextNears.capacity ? count + count / 4 : count;
    if (!pbdrListReserve(&candidates->scene->memory, &candidates->nextNears, room)) {
        return false;
    }
    pbdrNear* next = candidates->nextNears.items;
    const pbdrNear* fresh = candidates->fresh.items;
    int at = 0, used = 0;
    for (int k = 0; k < candidates->nears.count; k++) {
        const pbdrNear* near = pbdrGetNear(candidates, k);
        while (used < candidates->fresh.count && pbdrCompareNears(&fresh[used], near) < 0) {
            next[at++] = fresh[used++];
        }
        if (!hasParted(candidates, near)) {
            next[at++] = *near;
        } else if (near->patch >= 0) {
            pbdrDropPatch(candidates, near->patch);
        }
    }
    while (used < candidates->fresh.count) {
        next[at++] = fresh[used++];
    }
    candidates->nextNears.count = at;
    const pbdrList list = candidates->nears;
    candidates->nears = candidates->nextNears;
    candidates->nextNears = list;
    return true;
}

bool pbdrRenewNears(pbdrCandidates* candidates)
{
    for (int k = 0; k < pbdrCountWorkers(candidates->scene->tasks); k++) {
        candidates->searchers[k].nears.count = 0;
        candidates->searchers[k].failed = false;
    }
    bool good = listDue(candidates);
    const int32_t* due = candidates->due.items;
    for (int k = 0; k < candidates->due.count && good; k++) {
        lookUp(candidates, due[k]);
    }
    good = good && renewTree(candidates);
    if (good) {
        pbdrRunChunks(candidates, candidates->due.count, PBDR_SEARCH_CHUNK, findNears);
        good = listFresh(candidates) && mergeNears(candidates);
    }
    for (int k = 0; k < candidates->due.count && !good; k++) {
        pbdrGetSearched(candidates, due[k])->reach = (double)NAN; // again, in the next substep
    }
    return good;
}

// --- Which of them have moved by their margin ---

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
    // inner outer (1 - |c - c'|^2/(inner + outer)^2), the square of it (Stewart's theorem).
    const bool first = leverA <= leverB;
    const pbdrBody *small = first ? a : b, *large = first ? b : a;
    const double size =
        scene->touchesSurface ? pbdrGetContactReach(scene, small) : small->shape->largestRadius;
    const double inner = first ? leverA : leverB, outer = pbdrGetContactReach(scene, large) + size + margin;
    const double share = inner / (inner + outer), ratio = pbdrLength(apart) / (inner + outer);
    const pbdrVec3 fromA = pbdrScale(first ? share : 1.0 - share, apart);
    near->anchorA = pbdrMulTransposedMV(&a->frame, fromA);
    near->anchorB = pbdrMulTransposedMV(&b->frame, pbdrSub(fromA, apart));
    near->radius = sqrt(inner * outer * fmax(0.0, 1.0 - ratio * ratio));
}

// How far any point that may touch has moved towards the other body since the search, at most.
static double getMoved(const pbdrScene* scene, const pbdrNear* near)
{
    const pbdrBody* a = pbdrGetBody(scene, near->bodyA);
    if (near->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(scene, near->plane);
        const double height = pbdrDot(plane->normal, a->centre) - plane->offset;
        const pbdrVec3 normal = pbdrMulTransposedMV(&a->frame, plane->normal);
        return fabs(height - near->anchorB.x) +
               pbdrLength(pbdrSub(normal, near->anchorA)) * pbdrGetLever(scene, a);
    }
    const pbdrBody* b = pbdrGetBody(scene, near->bodyB);
    const pbdrVec3 apart = pbdrSub(b->centre, a->centre);
    if (near->radius < 0.0) {
        return pbdrLength(pbdrSub(apart, near->anchorA));
    }
    const pbdrVec3 fromA = pbdrMulMV(&a->frame, near->anchorA), fromB = pbdrMulMV(&b->frame, near->anchorB);
    // |R - R'| = 2 sin(angle/2) <= 2 |q - q'|
    const double turned = getTurned(pbdrMulQQ(pbdrConjugate(b->rotation), a->rotation), near->turn);
    return pbdrLength(pbdrSub(pbdrAdd(apart, fromB), fromA)) + 2.0 * turned * near->radius;
}

double pbdrGetNeed(const pbdrCandidates* candidates, const pbdrNear* near)
{
    if (!candidates->looksAhead) {
        return 0.0;
    }
    const pbdrStir* a = pbdrGetStir(candidates, near->bodyA);
    if (near->plane >= 0) {
        return fabs(pbdrDot(a->drift, pbdrGetPlane(candidates->scene, near->plane)->normal)) + a->turn;
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
        near->radius < 0.0 || (pbdrLength(near->anchorA) + near->radius <= getBoundLever(scene, a) &&
                               pbdrLength(near->anchorB) + near->radius <= getBoundLever(scene, b));
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
    near->limit = getLimit(candidates, near, left);
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
