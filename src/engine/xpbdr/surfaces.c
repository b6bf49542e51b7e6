// Contact items of surfaces at the start of a substep.
//
// Slow bodies touch where they are nearest now. Bodies that go far in a substep touch where their paths say: gaps and
// normals are those of the moment just before they meet, led back to now along the normal. Bodies that do not come to
// meet in the substep pass each other.
#include "engine/xpbdr/prepare.h"

#include "contact/touch.h"

#include <string.h>

// Bodies are fast if they go this far in a substep, over the size of the smaller.
#define FAST 0.1
// They meet when they are as near as this, over the same size: they never overlap then, and every probe is on its side.
#define NEAR 0.01
#define MAX_ADVANCES 32
// How far bodies may go in a substep and count as resting on each other [m].
#define STIRRED 1.0e-5
// Contacts are the same that are as near to each other [m], with normals whose cosine is above that.
#define SAME 1.0e-6
#define SAME_NORMAL 0.99
#define MOST_KNOWN 48

// Whether a pair comes or turns by more than contacts that rest do.
static bool isStirred(const pbdrXpbdrWorld* world, const pbdrPatch* patch)
{
    if (patch->bodyB < 0) {
        return false;
    }
    const pbdrBody *a = pbdrGetBody(world->scene, patch->bodyA), *b = pbdrGetBody(world->scene, patch->bodyB);
    const double speed = pbdrLength(pbdrSub(a->velocity, b->velocity)) +
                         pbdrLength(a->angular) * a->shape->surface.radius +
                         pbdrLength(b->angular) * b->shape->surface.radius;
    return world->scene->timeStep * speed > STIRRED;
}

void pbdrListLive(const pbdrXpbdrWorld* world, pbdrActivePatch* active)
{

    const pbdrItems* items = &world->candidates.items;
    const int first = active->law.first;
    const bool stirred = isStirred(world, pbdrGetPatch(&world->candidates, active->patch));
    int count = 0;
    for (int i = 0; i < active->law.count && items->outer[first + i] != -1; i++) {
        const int item = items->outer[first + i];
        items->live[first + count] = first + (item >= 0 ? item : -2 - item);
        count += item >= 0 || stirred;
    }
    active->liveCount = count;
}

// A body where it would be after some time, going on as it does.
static pbdrBody advance(const pbdrBody* body, const pbdrTwist* velocity, double time)
{
    pbdrBody later = *body;
    later.centre = pbdrAddScaled(body->centre, time, pbdrGetLinear(velocity));
    pbdrQuat turn = pbdrQuatFromVector(pbdrScale(time, pbdrGetAngular(velocity)));
    pbdrMat3 matrix = pbdrMatFromQuat(turn);
    later.frame = pbdrMulMM(&matrix, &body->frame);
    return later;
}

static double getSize(const pbdrBody* body)
{
    return body->shape->surface.kind != pbdr_surfaceNone ? body->shape->surface.radius
                                                         : body->shape->reach + body->shape->largestRadius;
}

// The side and the number of the probe that an item is.
static int getSide(const pbdrItems* items, int item)
{
    return items->spheres[0][item] >= 0 ? 0 : 1;
}

// The least gap of a patch's items at some time of the substep, up to the reach; more than that without any.
static double getLeastGap(const pbdrXpbdrWorld* world, const pbdrActivePatch* active,
                          const pbdrTwist velocity[2], double time, double reach)
{
    const pbdrItems* items = &world->candidates.items;
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    const pbdrBody a = advance(pbdrGetBody(world->scene, patch->bodyA), &velocity[0], time);
    const pbdrBody b = advance(pbdrGetBody(world->scene, patch->bodyB), &velocity[1], time);
    const pbdrProbing probings[2] = {pbdrSetProbingOf(&a, &b, 0), pbdrSetProbingOf(&a, &b, 1)};
    const double* columns[2] = {pbdrGetColumn(items, ITEM_FEATURE), pbdrGetColumn(items, ITEM_FEATURE + 1)};
    double least = (double)INFINITY;
    for (int i = 0; i < pbdrCountLive(active); i++) {
        const int item = pbdrGetLive(items, active, i), side = getSide(items, item);
        int32_t features[2] = {(int32_t)columns[0][item] - 1, (int32_t)columns[1][item] - 1};
        pbdrTouch touches[2];
        int count = pbdrTouchSurface(&probings[side], items->spheres[side][item] / 2, fmin(reach, least),
                                     features, touches);
        for (int k = 0; k < count; k++) {
            least = fmin(least, touches[k].gap);
        }
    }
    return least;
}

// When the bodies of a patch meet: 0 for slow ones; negative if they pass each other. No point of them comes nearer to
// the other body than by the bound on their speed, so steps of gap / speed never go past a contact, however thin
// (conservative advancement: Mirtich 1996).
static double findMeeting(const pbdrXpbdrWorld* world, const pbdrActivePatch* active,
                          const pbdrTwist velocity[2])
{
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    const pbdrBody *a = pbdrGetBody(world->scene, patch->bodyA), *b = pbdrGetBody(world->scene, patch->bodyB);
    const double dt = world->scene->timeStep, sizeA = getSize(a), sizeB = getSize(b),
                 size = fmin(sizeA, sizeB);
    const double speed = pbdrLength(pbdrSub(pbdrGetLinear(&velocity[0]), pbdrGetLinear(&velocity[1]))) +
                         pbdrLength(pbdrGetAngular(&velocity[0])) * sizeA +
                         pbdrLength(pbdrGetAngular(&velocity[1])) * sizeB;
    if (!(dt * speed > FAST * size)) {
        return 0.0;
    }
    double time = 0.0;
    for (int k = 0; k < MAX_ADVANCES; k++) {
        const double way = speed * (dt - time), gap = getLeastGap(world, active, velocity, time, way);
        if (gap > way) {
            return -1.0;
        }
        if (gap <= NEAR * size) {
            return time;
        }
        time += (gap - 0.5 * NEAR * size) / speed;
    }
    return time;
}

// What one of an item's touches says of it now. velocity: A's less B's.
static pbdrMeeting meet(const pbdrProbing* probing, const pbdrTouch* touch, const pbdrTwist* velocity,
                        double time)
{
    // touches name their point from the centre of mass of the body that is probed
    const pbdrVec3 between = pbdrSub(probing->surface->centre, probing->prober->centre);
    pbdrMeeting at = {.gap = touch->gap, .normal = touch->normal, .weight = touch->weight};
    at.lever = probing->side == 0 ? pbdrAdd(touch->point, between) : touch->point;
    at.gap -= time > 0.0 ? time * pbdrDot(at.normal, pbdrMoveLever(velocity, at.lever)) : 0.0;
    return at;
}

// Contacts of a patch so far, as many as there is room for.
typedef struct Known {
    pbdrVec3 levers[MOST_KNOWN], normals[MOST_KNOWN];
    int count;
} Known;

// Whether one of them is the same: a corner stands where its edges end, and two edges cross in one point. It is one of them
// from now on.
static bool isKnown(Known* known, const pbdrMeeting* at)
{
    for (int k = 0; k < known->count; k++) {
        const pbdrVec3 way = pbdrSub(known->levers[k], at->lever);
        if (fabs(way.x) < SAME && pbdrDot(way, way) < SAME * SAME &&
            pbdrDot(at->normal, known->normals[k]) > SAME_NORMAL) {
            return true;
        }
    }
    if (known->count < MOST_KNOWN) {
        known->levers[known->count] = at->lever;
        known->normals[known->count++] = at->normal;
    }
    return false;
}

// --- Bodies that stand ---

// Whether the items of a patch hold what was found of their surfaces: neither body has moved since, and both were at rest.
static bool holds(const pbdrXpbdrWorld* world, const pbdrPatch* patch, const pbdrBody* a, const pbdrBody* b)
{
    const pbdrStand* stand = &patch->stand;
    const pbdrPose poses[2] = {{a->centre, a->rotation}, {b->centre, b->rotation}};
    return stand->holds && memcmp(poses, stand->poses, sizeof poses) == 0 &&
           pbdrAreAtRest(a, b, world->scene->timeStep);
}

// Items that say what they said of the surfaces; velocities are this substep's.
static void prepareStanding(const pbdrXpbdrWorld* world, pbdrActivePatch* active, const pbdrTwist* relative,
                            int state)
{
    const pbdrItems* items = &world->candidates.items;
    active->liveCount = pbdrGetPatch(&world->candidates, active->patch)->stand.liveCount;
    for (int k = 0; k < active->liveCount; k++) {
        const int item = pbdrGetLive(items, active, k);
        const pbdrMeeting at = {.gap = pbdrGetColumn(items, ITEM_GAP)[item],
                                .normal = pbdrReadColumns(items, ITEM_NORMAL, item),
                                .lever = pbdrReadColumns(items, ITEM_LEVER, item),
                                .weight = pbdrGetColumn(items, ITEM_WEIGHT)[item]};
        pbdrSetItem(world, active, relative, &at, item, state);
    }
}

// --- All of it ---

void pbdrPrepareSurface(const pbdrXpbdrWorld* world, pbdrActivePatch* active, const pbdrTwist velocity[2],
                        int state)
{
    const pbdrItems* items = &world->candidates.items;
    pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    const pbdrBody *a = pbdrGetBody(world->scene, patch->bodyA), *b = pbdrGetBody(world->scene, patch->bodyB);
    if (active->swept && holds(world, patch, a, b)) {
        const pbdrTwist slow = pbdrSubtractTwist(&velocity[0], &velocity[1], active->between);
        prepareStanding(world, active, &slow, state);
        return;
    }
    if (active->swept) {
        pbdrListLive(world, active);
    }
    const double dt = world->scene->timeStep, time = findMeeting(world, active, velocity);
    pbdrBody later[2];
    if (time > 0.0) {
        later[0] = advance(a, &velocity[0], time);
        later[1] = advance(b, &velocity[1], time);
        a = &later[0];
        b = &later[1];
    }
    active->between = pbdrSub(a->centre, b->centre);
    const pbdrTwist relative = pbdrSubtractTwist(&velocity[0], &velocity[1], active->between);
    pbdrProbing probings[2];
    double reaches[2];
    bool probes[2] = {false,
                      false}; // items of A stand before those of B, and many patches have one side only
    double* columns[2] = {pbdrGetColumn(items, ITEM_FEATURE), pbdrGetColumn(items, ITEM_FEATURE + 1)};
    pbdrTouch touches[2];
    int count = 0, liveCount = 0;
    bool changed = false;
    Known known;
    known.count = 0;
    for (int k = 0; k < pbdrCountLive(active); k++) {
        const int item = pbdrGetLive(items, active, k);
        const int side = getSide(items, item);
        const int32_t name = items->spheres[side][item];
        bool again = name % 2 == 1 && item > patch->first && items->spheres[side][item - 1] == name - 1;
        if (time < 0.0) {
            count = 0;
        } else if (!again) {
            if (!probes[side]) {
                probes[side] = true;
                probings[side] = pbdrSetProbingOf(a, b, side);
                probings[side].corners = active->swept;
                reaches[side] = pbdrGetTouchReach(&probings[side], dt);
            }
            int32_t features[2] = {(int32_t)columns[0][item] - 1, (int32_t)columns[1][item] - 1};
            if (!active->swept && features[1] == PBDR_WITH_CORNERS) {
                features[1] = PBDR_NO_FEATURE;
            }
            count = pbdrTouchSurface(&probings[side], name / 2, reaches[side], features, touches);
            changed = changed || columns[0][item] != features[0] + 1 || columns[1][item] != features[1] + 1;
            columns[0][item] = features[0] + 1;
            columns[1][item] = features[1] + 1;
        }
        if (name % 2 < count) {
            const pbdrMeeting at = meet(&probings[side], &touches[name % 2], &relative, time);
            if (active->swept) {
                if (isKnown(&known, &at)) {
                    continue;
                }
                items->live[patch->first + liveCount++] = item;
            }
            pbdrGetColumn(items, ITEM_WEIGHT)[item] = at.weight;
            pbdrGetColumn(items, ITEM_GAP)[item] = at.gap;
            pbdrSetItem(world, active, &relative, &at, item, state);
        } else if (!active->swept) {
            pbdrPreparePadding(items, item, state);
        }
    }
    active->liveCount = liveCount;
    // probes that remember the same as before find the same again
    patch->stand = (pbdrStand){.poses = {{a->centre, a->rotation}, {b->centre, b->rotation}},
                               .liveCount = liveCount,
                               .holds = active->swept && !changed && items->window == NULL && time == 0.0 &&
                                        pbdrAreAtRest(a, b, dt)};
}
