// Impacts with restitution, one after the other, each at its moment (docs/theory/xpbdr.md).
//
// Between impacts bodies fly: their centres along parabolas, turning as rotation without contact does. So an island of
// bodies that meet in single points is followed through its substep: to the first impact, whose normal and levers are
// those of that moment; to the next one that it leads to; and to the end. Balls that touch hit each other in turn, as a
// cradle's do, and bodies that do not meet pass each other. An island that something holds together, or that hits in more
// than points, is left to the solve, as is one in which nothing would bounce.
#include "engine/xpbdr/impacts.h"
#include "engine/xpbdr/prepare.h"

#include "contact/touch.h"

#include <string.h>

// The largest islands that are looked at, and impacts in a substep.
#define MOST_BODIES 16
#define MOST_IMPACTS 1000
// A moment of impact is found to rounding; contacts that are farther apart then are not understood [m].
#define MAX_TRIES 40
#define EXACT_GAP 1.0e-15
#define GOOD_GAP 1.0e-12
// What overlaps by more must be parted, and what is as near and pressed together lasts: both are the solve's [m].
#define OVERLAP 1.0e-6
#define LASTING_GAP 1.0e-9
// Impacts so near in time are at once: the fastest counts first [s].
#define AT_ONCE 1.0e-12
// Approach that is none [m/s], acceleration that presses nothing [m/s^2].
#define QUIET_SPEED 1.0e-12
#define QUIET_ACCELERATION 1.0e-9
// An impulse is along a principal direction if the velocity that it gives is, up to this.
#define ALIGNED 1.0e-9

// A body on its way through the substep.
typedef struct Flyer {
    pbdrBody body;
    pbdrVec3 acceleration; // [m/s^2]
} Flyer;

typedef struct Flight {
    pbdrSolve* solve;
    Flyer flyers[MOST_BODIES];
    pbdrVec3 impulses[PBDR_IMPACT_PATCHES]; // on A [N s]
    bool touched[PBDR_IMPACT_PATCHES];
    double time; // since the substep's begin [s]
    int impactCount;
} Flight;

// --- Flight ---

static void advance(Flyer* flyer, double time)
{
    pbdrBody* body = &flyer->body;
    const pbdrVec3 a = flyer->acceleration;
    body->centre = pbdrAddScaled(pbdrAddScaled(body->centre, time, body->velocity), 0.5 * time * time, a);
    body->velocity = pbdrAddScaled(body->velocity, time, a);
    if (body->kind == pbdr_bodyDynamic) {
        pbdrRotateUnderTorque(body, time, &body->rotation, &body->angular);
    } else {
        const pbdrQuat turn = pbdrQuatFromVector(pbdrScale(time, body->angular));
        body->rotation = pbdrNormalizeQ(pbdrMulQQ(turn, body->rotation));
    }
    body->frame = pbdrMatFromQuat(body->rotation);
}

// A side of a patch so long after now: a mover, or a body that contact does not move.
static Flyer getSide(const Flight* flight, int mover, int index, double time)
{
    Flyer flyer;
    if (mover >= 0) {
        flyer = flight->flyers[mover];
    } else {
        flyer = (Flyer){*pbdrGetBody(flight->solve->world->scene, index), {0.0, 0.0, 0.0}};
        time += flight->time;
    }
    if (time > 0.0) {
        advance(&flyer, time);
    }
    return flyer;
}

// --- Contacts ---

int pbdrFindPoint(const pbdrXpbdrWorld* world, const pbdrPatch* patch, const pbdrBody* a, const pbdrBody* b,
                  pbdrPoint* at)
{
    const pbdrItems* items = &world->candidates.items;
    const int item = patch->first;
    const double radius = pbdrGetColumn(items, ITEM_RADIUS)[item];
    if (patch->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(world->scene, patch->plane);
        const pbdrVec3 arm = pbdrMulMV(&a->frame, pbdrReadColumns(items, ITEM_REST, item));
        at->n = plane->normal;
        at->gap = pbdrDot(at->n, pbdrAdd(a->centre, arm)) - plane->offset - radius;
        at->levers[0] = at->levers[1] = pbdrAddScaled(arm, -radius, at->n);
        return 1;
    }
    const pbdrVec3 between = pbdrSub(a->centre, b->centre);
    if (patch->bySurface) {
        const int side = items->spheres[0][item] >= 0 ? 0 : 1;
        const pbdrProbing probing = pbdrSetProbingOf(a, b, side);
        int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
        pbdrTouch touches[2];
        const int count =
            pbdrTouchSurface(&probing, items->spheres[side][item] / 2,
                             pbdrGetTouchReach(&probing, world->scene->timeStep), features, touches);
        if (count != 1) {
            return count;
        }
        at->gap = touches[0].gap;
        at->n = touches[0].normal;
        // touches name their point from the centre of mass of the body that is probed
        at->levers[0] = side == 0 ? pbdrSub(touches[0].point, between) : touches[0].point;
    } else {
        const pbdrVec3 armA = pbdrMulMV(&a->frame, pbdrReadColumns(items, ITEM_REST, item));
        const pbdrVec3 armB = pbdrMulMV(&b->frame, pbdrReadColumns(items, ITEM_REST_B, item));
        const pbdrVec3 apart = pbdrAdd(between, pbdrSub(armA, armB));
        const double distance = pbdrLength(apart);
        if (!(distance > 0.0)) {
            return 2; // there is no normal, or any
        }
        at->n = pbdrScale(1.0 / distance, apart);
        at->gap = distance - radius - pbdrGetColumn(items, ITEM_RADIUS_B)[item];
        at->levers[0] = pbdrAddScaled(armA, -(radius + 0.5 * at->gap), at->n);
    }
    at->levers[1] = pbdrAdd(at->levers[0], between);
    return 1;
}

pbdrVec3 pbdrGetPointVelocity(const pbdrPoint* at, const pbdrBody* a, const pbdrBody* b)
{
    pbdrVec3 v = pbdrAdd(a->velocity, pbdrCross(a->angular, at->levers[0]));
    if (b != NULL) {
        v = pbdrSub(v, pbdrAdd(b->velocity, pbdrCross(b->angular, at->levers[1])));
    }
    return v;
}

// An impact to come.
typedef struct Event {
    double time;  // from now [s]
    double speed; // of approach [m/s]
    double press; // acceleration of approach [m/s^2]
    int patch;    // of the island's
    pbdrPoint at;
} Event;

// When gap + fall t + a t^2/2 is zero next; infinity: never.
static double findRoot(double gap, double fall, double a)
{
    const double square = fall * fall - 2.0 * a * gap;
    if (!(square >= 0.0)) {
        return (double)INFINITY;
    }
    if (fall < 0.0) {
        return 2.0 * gap / (sqrt(square) - fall);
    }
    return a < 0.0 ? (fall + sqrt(square)) / -a : (double)INFINITY;
}

typedef enum Found { foundNone, foundImpact, foundNothingKnown } Found;

// The first impact of a patch from now until the rest of the substep is over: Newton's method on the gap, with what is
// known of its acceleration. Paths of balls that are not pulled apart are convex, and no step goes too far.
static Found findImpact(const Flight* flight, int k, double rest, Event* event)
{
    const pbdrSolve* solve = flight->solve;
    const pbdrActivePatch* active = &solve->activePatches[k];
    const pbdrPatch* patch = pbdrGetPatch(&solve->world->candidates, active->patch);
    const bool pair = patch->bodyB >= 0;
    double time = 0.0, last = (double)INFINITY;
    for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
        const Flyer a = getSide(flight, active->moverA, patch->bodyA, time);
        Flyer b;
        if (pair) {
            b = getSide(flight, active->moverB, patch->bodyB, time);
        }
        pbdrPoint at;
        const int count = pbdrFindPoint(solve->world, patch, &a.body, pair ? &b.body : NULL, &at);
        if (count != 1) {
            return count == 0 ? foundNone : foundNothingKnown;
        }
        const double fall = pbdrDot(at.n, pbdrGetPointVelocity(&at, &a.body, pair ? &b.body : NULL));
        const double pull = pbdrDot(at.n, pair ? pbdrSub(a.acceleration, b.acceleration) : a.acceleration);
        *event = (Event){time, -fall, -pull, k, at};
        // Bodies that were thrown at each other in the last substep, and not near before, overlap and part again.
        const bool lasts = at.gap < -OVERLAP || (at.gap <= LASTING_GAP && -pull > QUIET_ACCELERATION);
        if (attempt == 0 && lasts && fabs(fall) <= PBDR_BOUNCE_SPEED) {
            return foundNothingKnown;
        }
        if (attempt == 0 && at.gap <= EXACT_GAP && fall <= 0.0) {
            const bool quiet = -fall <= QUIET_SPEED && -pull <= QUIET_ACCELERATION;
            return quiet ? foundNone : foundImpact;
        }
        if (attempt > 0 &&
            (fabs(at.gap) <= EXACT_GAP || (fabs(at.gap) <= GOOD_GAP && fabs(at.gap) >= 0.5 * last))) {
            return fall < 0.0 ? foundImpact : foundNone;
        }
        last = fabs(at.gap);
        // of what touches and leaves, the moment when it comes back
        time += findRoot(attempt == 0 ? fmax(at.gap, 0.0) : at.gap, fall, pull);
        if (time > rest) {
            return foundNone;
        }
        time = fmax(time, 0.0);
    }
    return foundNothingKnown;
}

// The next impact of the island. Of those at once, the fastest.
static Found findNext(const Flight* flight, double rest, Event* next)
{
    Found found = foundNone;
    for (int k = 0; k < flight->solve->activePatchCount; k++) {
        Event event;
        const Found one = findImpact(flight, k, rest, &event);
        if (one == foundNothingKnown) {
            return one;
        }
        if (one == foundImpact && (found == foundNone || event.time < next->time - AT_ONCE ||
                                   (event.time <= next->time + AT_ONCE && event.speed > next->speed))) {
            *next = event;
            found = one;
        }
    }
    return found;
}

// --- Impacts ---

// The relative velocity that an impulse on A, and its opposite on B, gives to the contact.
static pbdrVec3 respond(const pbdrPoint* at, Flyer* const sides[2], pbdrVec3 impulse)
{
    pbdrVec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < 2; k++) {
        if (sides[k] != NULL) {
            const pbdrBody* body = &sides[k]->body;
            const pbdrMat3 inverse = pbdrTurnTensor(&body->frame, &body->shape->inverseTurning);
            const pbdrVec3 spin = pbdrMulMV(&inverse, pbdrCross(at->levers[k], impulse));
            sum = pbdrAddScaled(sum, 1.0 / body->shape->mass, impulse);
            sum = pbdrAdd(sum, pbdrCross(spin, at->levers[k]));
        }
    }
    return sum;
}

static void push(const pbdrPoint* at, Flyer* const sides[2], pbdrVec3 impulse)
{
    for (int k = 0; k < 2; k++) {
        if (sides[k] != NULL) {
            pbdrBody* body = &sides[k]->body;
            const pbdrVec3 own = k == 0 ? impulse : pbdrScale(-1.0, impulse);
            const pbdrMat3 inverse = pbdrTurnTensor(&body->frame, &body->shape->inverseTurning);
            body->velocity = pbdrAddScaled(body->velocity, 1.0 / body->shape->mass, own);
            body->angular = pbdrAdd(body->angular, pbdrMulMV(&inverse, pbdrCross(at->levers[k], own)));
        }
    }
}

// Whether a response has no part across the direction of its impulse.
static bool isAligned(pbdrVec3 response, pbdrVec3 direction)
{
    const double along = pbdrDot(response, direction);
    return pbdrLength(pbdrAddScaled(response, -along, direction)) <= ALIGNED * along;
}

// Newton's restitution and Coulomb's friction. False where friction would change the normal velocity, or turn the slip:
// what e means is then another question.
static bool meet(Flight* flight, const Event* event)
{
    const pbdrSolve* solve = flight->solve;
    const pbdrActivePatch* active = &solve->activePatches[event->patch];
    const pbdrPatch* patch = pbdrGetPatch(&solve->world->candidates, active->patch);
    Flyer* const sides[2] = {active->moverA >= 0 ? &flight->flyers[active->moverA] : NULL,
                             active->moverB >= 0 ? &flight->flyers[active->moverB] : NULL};
    const pbdrPoint* at = &event->at;
    const Flyer a = getSide(flight, active->moverA, patch->bodyA, 0.0);
    Flyer b;
    if (patch->bodyB >= 0) {
        b = getSide(flight, active->moverB, patch->bodyB, 0.0);
    }
    const pbdrVec3 v = pbdrGetPointVelocity(at, &a.body, patch->bodyB >= 0 ? &b.body : NULL);
    const double fall = pbdrDot(at->n, v);
    const bool bounces = -fall > PBDR_BOUNCE_SPEED && active->law.restitution > 0.0;
    if (!bounces && event->press > QUIET_ACCELERATION) {
        return false; // it comes to stay
    }
    const pbdrVec3 normal = respond(at, sides, at->n);
    const double load = -(1.0 + (bounces ? active->law.restitution : 0.0)) * fall / pbdrDot(at->n, normal);
    pbdrVec3 impulse = pbdrScale(load, at->n);
    const pbdrVec3 slip = pbdrAddScaled(v, -fall, at->n);
    const double slipSpeed = pbdrLength(slip);
    if (active->law.mu > 0.0 && slipSpeed > 0.0) {
        const pbdrVec3 t = pbdrScale(1.0 / slipSpeed, slip), along = respond(at, sides, t);
        if (!isAligned(normal, at->n) || !isAligned(along, t)) {
            return false;
        }
        impulse = pbdrAddScaled(impulse, -fmin(active->law.mu * load, slipSpeed / pbdrDot(t, along)), t);
    }
    push(at, sides, impulse);
    flight->impulses[event->patch] = pbdrAdd(flight->impulses[event->patch], impulse);
    flight->touched[event->patch] = true;
    flight->impactCount++;
    return true;
}

// --- The island ---

bool pbdrMeetsInPoints(const pbdrSolve* solve)
{
    bool bouncy = false;
    for (int k = 0; k < solve->activePatchCount && !bouncy; k++) {
        bouncy = solve->activePatches[k].law.restitution > 0.0;
    }
    if (!bouncy || solve->activePatchCount > PBDR_IMPACT_PATCHES) {
        return false;
    }
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        const pbdrPatch* patch = pbdrGetPatch(&solve->world->candidates, active->patch);
        if (patch->count != 1 || active->rolling.active) {
            return false;
        }
        const int bodies[2] = {patch->bodyA, patch->bodyB};
        for (int side = 0; side < 2; side++) {
            const pbdrBody* body = bodies[side] >= 0 ? pbdrGetBody(solve->world->scene, bodies[side]) : NULL;
            if (body != NULL && (body->shape->surface.hasRims ||
                                 (pbdrIsFixed(body) && (pbdrDot(body->force, body->force) > 0.0 ||
                                                        pbdrDot(body->torque, body->torque) > 0.0)))) {
                return false;
            }
        }
    }
    return true;
}

// Whether all of the substep is understood.
static bool fly(Flight* flight)
{
    const double dt = flight->solve->world->scene->timeStep;
    for (int k = 0; k <= MOST_IMPACTS; k++) {
        Event event;
        const Found found = findNext(flight, dt - flight->time, &event);
        if (found == foundNothingKnown) {
            return false;
        }
        const double time = found == foundNone ? dt - flight->time : event.time;
        for (int i = 0; i < flight->solve->moverCount && time > 0.0; i++) {
            advance(&flight->flyers[i], time);
        }
        flight->time += time;
        if (found == foundNone) {
            return true;
        }
        if (!meet(flight, &event)) {
            return false;
        }
    }
    return false;
}

// Whether no two bodies go into each other: surfaces that are not convex may have been met by another part than the
// nearest.
static bool endsApart(const Flight* flight)
{
    const pbdrSolve* solve = flight->solve;
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        const pbdrPatch* patch = pbdrGetPatch(&solve->world->candidates, active->patch);
        const Flyer a = getSide(flight, active->moverA, patch->bodyA, 0.0);
        Flyer b;
        if (patch->bodyB >= 0) {
            b = getSide(flight, active->moverB, patch->bodyB, 0.0);
        }
        pbdrPoint at;
        const int count =
            pbdrFindPoint(solve->world, patch, &a.body, patch->bodyB >= 0 ? &b.body : NULL, &at);
        if (count > 1 ||
            (count == 1 && at.gap < -OVERLAP &&
             pbdrDot(at.n, pbdrGetPointVelocity(&at, &a.body, patch->bodyB >= 0 ? &b.body : NULL)) < 0.0)) {
            return false;
        }
    }
    return true;
}

void pbdrWriteFlight(pbdrSolve* solve, const pbdrVec3* impulses, const bool* touched)
{
    const pbdrItems* items = pbdrGetItems(solve);
    const double dt = solve->world->scene->timeStep;
    pbdrForgetEnds(solve);
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        pbdrPatch* patch = pbdrGetPatch(&solve->world->candidates, active->patch);
        const pbdrPatchEnd end = {.loaded = touched[k]};
        pbdrWriteColumns(items, ITEM_FORCE, patch->first, pbdrScale(1.0 / dt, impulses[k]));
        pbdrGetColumn(items, ITEM_TOUCHED)[patch->first] = touched[k] ? 1.0 : 0.0;
        patch->rolling = (pbdrVec3){0.0, 0.0, 0.0};
        pbdrNoteEnd(solve, active, &end, false); // forces of an impact are over with it
    }
}

static void finish(Flight* flight)
{
    pbdrSolve* solve = flight->solve;
    const double dt = solve->world->scene->timeStep;
    pbdrWriteFlight(solve, flight->impulses, flight->touched);
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        const pbdrBody *end = &flight->flyers[k].body, *begin = pbdrGetBody(solve->world->scene, mover->body);
        mover->y = pbdrMakeTwist(pbdrScale(dt, pbdrSub(end->velocity, begin->velocity)),
                                 pbdrScale(dt, pbdrSub(end->angular, begin->angular)));
        mover->end = (pbdrFlightEnd){end->centre, end->rotation, end->velocity, end->angular};
        mover->flies = flight->impactCount > 0;
        if (!mover->flies) {
            // they pass each other, and sum up as in free flight (motion.c)
            const pbdrTwist free = pbdrGetFreeAcceleration(begin, mover);
            mover->y = pbdrScaleTwist(dt * dt, &free);
        }
    }
}

bool pbdrFlyThroughImpacts(pbdrSolve* solve)
{
    if (solve->moverCount > MOST_BODIES) {
        return false;
    }
    Flight flight = {.solve = solve};
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrMover* mover = &solve->movers[k];
        const pbdrVec3 pull = pbdrGetLinear(&mover->load);
        flight.flyers[k] =
            (Flyer){*pbdrGetBody(solve->world->scene, mover->body), pbdrScale(1.0 / mover->mass, pull)};
    }
    if (!fly(&flight) || !endsApart(&flight)) {
        return false;
    }
    finish(&flight);
    return true;
}
