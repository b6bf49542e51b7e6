// Who is near whom (candidates.h): fat balls, and the list of nears that follows from them.
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
    if (count < 8 * size) {
        // waking a thread takes longer
        for (int index = 0; index < count; index++) {
            task(candidates, index, 0);
        }
        return;
    }
    Chunks chunks = {candidates, task, count, size};
    pbdrRunTasks(candidates->scene->tasks, (count + size - 1) / size, runChunk, &chunks);
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

static void stirBody(pbdrCandidates* candidates, int index)
{
    const pbdrScene* scene = candidates->scene;
    const pbdrBody* body = pbdrGetBody(scene, index);
    const pbdrSearched* searched = pbdrGetSearched(candidates, index);
    pbdrStir* stir = pbdrGetStir(candidates, index);
    stir->due = false;
    if (!body->alive || (candidates->looksAhead && body->filter.mask == 0)) {
        return; // what may touch nothing has nobody near it, wherever it is
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
                  2.0 * pbdrGetTurned(body->rotation, stir->rotation) * pbdrGetBoundLever(scene, body);
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
    pbdrNearKey first, second;
    memcpy(&first, a, sizeof first);
    memcpy(&second, b, sizeof second);
    const int32_t keys[2][4] = {{first.plane < 0, first.plane, first.bodyA, first.bodyB},
                                {second.plane < 0, second.plane, second.bodyA, second.bodyB}};
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
    pbdrNearKey* key = pbdrListPush(&searcher->memory, &searcher->nears);
    if (key == NULL) {
        searcher->failed = true;
        return false;
    }
    *key = (pbdrNearKey){bodyA, bodyB, plane};
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
        const pbdrNearKey* found = searcher->nears.items;
        good = good && !searcher->failed;
        for (int i = 0; i < searcher->nears.count && good; i++) {
            if (candidates->nears.count > 0 &&
                bsearch(&found[i], candidates->nears.items, (size_t)candidates->nears.count, sizeof(pbdrNear),
                        pbdrCompareNears) != NULL) {
                continue;
            }
            pbdrNearKey* key = pbdrListPush(memory, &candidates->fresh);
            good = key != NULL;
            if (good) {
                *key = found[i];
            }
        }
    }
    if (good && candidates->fresh.count > 1) {
        qsort(candidates->fresh.items, (size_t)candidates->fresh.count, sizeof(pbdrNearKey),
              pbdrCompareNears);
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

static pbdrNear makeNear(const pbdrNearKey* key)
{
    return (pbdrNear){.bodyA = key->bodyA,
                      .bodyB = key->bodyB,
                      .plane = key->plane,
                      .patch = -1,
                      .margin = (double)NAN,
                      .limit = (double)-INFINITY};
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
    // an eighth more, and not the list's own doubling: nears are many
    const int room = count > candidates->nextNears.capacity ? count + count / 8 : count;
    if (!pbdrListReserve(&candidates->scene->memory, &candidates->nextNears, room)) {
        return false;
    }
    pbdrNear* next = candidates->nextNears.items;
    const pbdrNearKey* fresh = candidates->fresh.items;
    int at = 0, used = 0;
    for (int k = 0; k < candidates->nears.count; k++) {
        const pbdrNear* near = pbdrGetNear(candidates, k);
        while (used < candidates->fresh.count && pbdrCompareNears(&fresh[used], near) < 0) {
            next[at++] = makeNear(&fresh[used++]);
        }
        if (!hasParted(candidates, near)) {
            next[at++] = *near;
        } else if (near->patch >= 0) {
            pbdrDropPatch(candidates, near->patch);
        }
    }
    while (used < candidates->fresh.count) {
        next[at++] = makeNear(&fresh[used++]);
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
