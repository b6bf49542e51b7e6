// XPBD-R's contact items at the start of a substep: geometry, gaps, velocities, carried friction; and what
// restitution makes of them.
#include "contact/touch.h"
#include "engine/xpbdr/kernels.h"
#include "engine/xpbdr/prepare.h"
#include "math/sym3.h"

// Of a probe that has nothing to touch with [m].
#define NO_RADIUS (-1.0e30)
#define EXCESS 1.5
// Doubles in a vector (math/simd.h).
#define WIDTH 4
// Bodies turn on their contacts if they turn by so much in a substep [rad]: less is rounding, and moves no lever.
#define TURNING 1.0e-9
// Spheres go far in a substep if they go this far, over the sum of their radii.
#define FAST 0.1

// The velocity of a body in this substep as far as contact does not change it. A kinematic body's is the one
// at the end of the substep, as the unknown is: both then move with their mean velocities, and what sticks to
// a kinematic body keeps up with it.
static pbdrTwist getVelocity(const pbdrXpbdrWorld* world, const pbdrBody* body)
{
    pbdrVec3 linear = body->velocity, angular = body->angular;
    if (body->kind == pbdr_bodyKinematic) {
        pbdrMat3 inertia = pbdrTurnTensor(&body->frame, &body->shape->inertia);
        linear = pbdrAddScaled(linear, 1.5 * world->scene->timeStep / body->shape->mass, body->force);
        if (pbdrDot(body->torque, body->torque) > 0.0) {
            angular = pbdrAddScaled(angular, 1.5 * world->scene->timeStep,
                                    pbdrSymSolve(&inertia, body->torque, PBDR_INERTIA_CUTOFF_F64));
        }
    }
    return pbdrMakeTwist(linear, angular);
}

// Spheres that go far in a substep touch where their paths say, not along the line that joins them now.
// Whether they come as near as `reach` (a hundredth more, as forces bend the paths); n: the normal when they
// do. Slow ones keep the normal that they have.
static bool meet(pbdrVec3 apart, pbdrVec3 closing, double reach, double dt, pbdrVec3* n)
{
    double speed2 = pbdrDot(closing, closing), along = pbdrDot(apart, closing);
    if (!(sqrt(speed2) * dt > FAST * reach)) {
        return true;
    }
    double nearest = fmin(fmax(-along / speed2, 0.0), dt);
    pbdrVec3 then = pbdrAddScaled(apart, nearest, closing);
    if (pbdrLength(then) > 1.01 * reach) {
        return false;
    }
    // |apart + t closing| = reach, the first time
    double c = pbdrDot(apart, apart) - reach * reach, root = along * along - speed2 * c;
    if (c > 0.0 && root > 0.0 && along < 0.0) {
        pbdrVec3 touch = pbdrAddScaled(apart, c / (sqrt(root) - along), closing);
        double length = pbdrLength(touch);
        *n = length > 0.0 ? pbdrScale(1.0 / length, touch) : *n;
    }
    return true;
}

// Whether any pair of a patch's spheres can touch in this substep, going on as they do. If none can, the
// patch has nothing to say; if one can, the others stay, as it may be thrown at them.
static bool canTouch(const pbdrXpbdrWorld* world, const pbdrPatch* patch, const pbdrTwist velocity[2])
{
    const pbdrItems* items = &world->candidates.items;
    const pbdrBody *a = pbdrGetBody(world->scene, patch->bodyA), *b = pbdrGetBody(world->scene, patch->bodyB);
    for (int item = patch->first; item < patch->first + patch->count; item++) {
        pbdrVec3 armA = pbdrMulMV(&a->frame, pbdrReadColumns(items, ITEM_REST, item));
        pbdrVec3 armB = pbdrMulMV(&b->frame, pbdrReadColumns(items, ITEM_REST_B, item));
        pbdrVec3 apart = pbdrAdd(pbdrSub(a->centre, b->centre), pbdrSub(armA, armB)), n;
        pbdrVec3 closing = pbdrSub(pbdrMoveLever(&velocity[0], armA), pbdrMoveLever(&velocity[1], armB));
        double reach = pbdrGetColumn(items, ITEM_RADIUS)[item] + pbdrGetColumn(items, ITEM_RADIUS_B)[item];
        if (meet(apart, closing, reach, world->scene->timeStep, &n)) {
            return true;
        }
    }
    return false;
}

// An item's columns of this substep, one behind the other in steps.
typedef struct Scratch {
    double* first; // ITEM_NORMAL
    ptrdiff_t step;
} Scratch;

static Scratch getScratch(const pbdrItems* items, int item)
{
    double* first = pbdrGetColumn(items, ITEM_NORMAL);
    return (Scratch){first + item, pbdrGetColumn(items, ITEM_NORMAL + 1) - first};
}

static void put(const Scratch* to, int column, double value)
{
    to->first[(column - ITEM_NORMAL) * to->step] = value;
}

static void putVec(const Scratch* to, int column, pbdrVec3 a)
{
    put(to, column, a.x);
    put(to, column + 1, a.y);
    put(to, column + 2, a.z);
}

void pbdrPreparePadding(const pbdrItems* items, int item, int state)
{
    const Scratch to = getScratch(items, item);
    for (int column = ITEM_NORMAL; column < ITEM_COLUMNS; column++) {
        put(&to, column, 0.0);
    }
    put(&to, ITEM_STATE + 4 * state, 1.0e30);
    put(&to, ITEM_AHEAD, 1.0e30);
}

// Kernels look at whole vectors, and at no padding behind the last.
static void preparePaddings(const pbdrItems* items, const pbdrPatch* patch, int state)
{
    const int end = patch->first + (patch->count + WIDTH - 1) / WIDTH * WIDTH;
    for (int item = patch->first + patch->count; item < end; item++) {
        pbdrPreparePadding(items, item, state);
    }
}

void pbdrSetItem(const pbdrXpbdrWorld* world, const pbdrActivePatch* active, const pbdrTwist* velocity,
                 const pbdrMeeting* at, int item, int state)
{
    const pbdrItems* items = &world->candidates.items;
    const double dt = world->scene->timeStep, k = active->law.k * at->weight;
    const pbdrVec3 n = at->normal, v = pbdrMoveLever(velocity, at->lever);
    double fall = pbdrDot(n, v), ahead = fmax(at->gap, -PBDR_RECOVERY_SPEED * dt) + dt * fall;
    pbdrVec3 hold = pbdrReadColumns(items, ITEM_FRICTION, item);
    hold = pbdrAddScaled(hold, -pbdrDot(n, hold), n);
    pbdrVec3 slip = pbdrAddScaled(v, -fall, n);
    const double compression = fmin(0.0, pbdrDot(n, pbdrMoveLever(&active->lag, at->lever)));
    const Scratch to = getScratch(items, item);
    putVec(&to, ITEM_NORMAL, n);
    putVec(&to, ITEM_LEVER, at->lever);
    putVec(&to, ITEM_HOLD, hold);
    put(&to, ITEM_AHEAD, ahead);
    put(&to, ITEM_STATE + 4 * state, ahead + compression);
    putVec(&to, ITEM_STATE + 4 * state + 1, pbdrAddScaled(hold, -k * dt, slip));
}

// A pair of spheres.
static void preparePair(const pbdrXpbdrWorld* world, const pbdrActivePatch* active,
                        const pbdrTwist velocity[2], const pbdrTwist* relative, int item, int state)
{
    const pbdrItems* items = &world->candidates.items;
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    const pbdrBody *a = pbdrGetBody(world->scene, patch->bodyA), *b = pbdrGetBody(world->scene, patch->bodyB);
    const double dt = world->scene->timeStep;
    double radiusA = pbdrGetColumn(items, ITEM_RADIUS)[item];
    double radiusB = pbdrGetColumn(items, ITEM_RADIUS_B)[item];
    pbdrVec3 armA = pbdrMulMV(&a->frame, pbdrReadColumns(items, ITEM_REST, item));
    pbdrVec3 armB = pbdrMulMV(&b->frame, pbdrReadColumns(items, ITEM_REST_B, item));
    pbdrVec3 apart = pbdrAdd(pbdrSub(a->centre, b->centre), pbdrSub(armA, armB));
    double distance = pbdrLength(apart), gap = distance - radiusA - radiusB;
    // spheres at the same place have no normal: part them upwards
    pbdrVec3 n = distance > 0.0 ? pbdrScale(1.0 / distance, apart) : pbdrVec(0.0, 0.0, 1.0);
    if (gap > 0.0) {
        pbdrVec3 closing = pbdrSub(pbdrMoveLever(&velocity[0], armA), pbdrMoveLever(&velocity[1], armB));
        meet(apart, closing, radiusA + radiusB, dt, &n);
        gap = pbdrDot(n, apart) - radiusA - radiusB;
    }
    const pbdrVec3 lever = pbdrAddScaled(armA, -(radiusA + 0.5 * gap), n); // the middle of the gap
    pbdrSetItem(world, active, relative, &(pbdrMeeting){gap, n, lever, 1.0}, item, state);
}

// Acceleration of an item's gap by all but contact.
static double getGapAcceleration(const pbdrXpbdrWorld* world, const pbdrActivePatch* active,
                                 const pbdrMover* movers, int item)
{
    const pbdrItems* items = &world->candidates.items;
    const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, item),
                   lever = pbdrReadColumns(items, ITEM_LEVER, item);
    const int sides[2] = {active->moverA, active->moverB};
    const pbdrVec3 levers[2] = {lever, pbdrAdd(lever, active->between)};
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        if (sides[k] >= 0) {
            const pbdrMover* mover = &movers[sides[k]];
            pbdrTwist free = pbdrGetFreeAcceleration(pbdrGetBody(world->scene, mover->body), mover);
            double along = pbdrDot(n, pbdrMoveLever(&free, levers[k]));
            sum += k == 0 ? along : -along;
        }
    }
    return sum;
}

// Restitution: an item that meets at the speed s within the substep leaves with e s, and goes on freely for
// the rest of it. The end gap that the solve brings to zero becomes -dt (wanted speed) + dt n.v_new.
static void aimBounces(pbdrXpbdrWorld* world, pbdrActivePatch* active, pbdrMover* movers, int state)
{
    const pbdrItems* items = &world->candidates.items;
    const pbdrPatchLaw* law = &active->law;
    const double dt = world->scene->timeStep;
    for (int i = 0; i < pbdrCountLive(active); i++) {
        const int item = pbdrGetLive(items, active, i);
        pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, item);
        const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
        pbdrTwist velocity = getVelocity(world, pbdrGetBody(world->scene, patch->bodyA));
        double fall = pbdrDot(n, pbdrMoveLever(&velocity, pbdrReadColumns(items, ITEM_LEVER, item)));
        if (patch->bodyB >= 0) {
            velocity = getVelocity(world, pbdrGetBody(world->scene, patch->bodyB));
            fall -= pbdrDot(n, pbdrMoveLever(&velocity, pbdrAdd(pbdrReadColumns(items, ITEM_LEVER, item),
                                                                active->between)));
        }
        double gap = pbdrGetColumn(items, ITEM_AHEAD)[item] - dt * fall;
        double a = getGapAcceleration(world, active, movers, item);
        // gap + fall t + a t^2/2 = 0
        double square = fall * fall - 2.0 * a * fmax(gap, 0.0);
        double time = square > 0.0 ? 2.0 * fmax(gap, 0.0) / (sqrt(square) - fall) : 2.0 * dt;
        double speed = -(fall + a * time);
        if (!(time >= 0.0 && time <= dt) || !(speed > PBDR_BOUNCE_SPEED)) {
            continue;
        }
        // what falls back before the substep ends comes to stay: its second arc would lead into the other
        const double rest = dt - time, leaves = law->restitution * speed;
        if (leaves * rest + 0.5 * a * rest * rest < 0.0) {
            continue;
        }
        double wanted = leaves + a * rest;
        pbdrGetColumn(items, ITEM_STATE + 4 * state)[item] -= dt * wanted + gap;
        active->bounces = true;
        const int sides[2] = {active->moverA, active->moverB};
        for (int k = 0; k < 2; k++) {
            if (sides[k] >= 0) {
                double* first = &movers[sides[k]].bounceTime;
                *first = *first < 0.0 || time < *first ? time : *first;
            }
        }
    }
}

// Where the rims of a cylinder are lowest over a plane, and what they weigh.
static void lowerRims(const pbdrXpbdrWorld* world, const pbdrPatch* patch)
{
    const pbdrItems* items = &world->candidates.items;
    const pbdrBody* body = pbdrGetBody(world->scene, patch->bodyA);
    const pbdrPlane* plane = pbdrGetPlane(world->scene, patch->plane);
    double* weights = pbdrGetColumn(items, ITEM_WEIGHT);
    for (int item = patch->first; item < patch->first + patch->count; item++) {
        int probe = items->spheres[0][item] / 2;
        pbdrVec3 q;
        double radius, weight;
        if (!pbdrFindLowest(body, probe, plane->normal, &q, &radius, &weight)) {
            radius = NO_RADIUS;
        }
        pbdrWriteColumns(items, ITEM_REST, item, q);
        pbdrGetColumn(items, ITEM_RADIUS)[item] = radius;
        weights[item] = weight;
    }
}

// The patch's multiplier stands about the centre of mass of a body that moves, so that it goes with a body that slides
// or rolls: A's, or B's if A does not move.
static void takeLoad(pbdrActivePatch* active, const pbdrPatch* patch)
{
    active->carries = false;
    for (int k = 0; k < 6; k++) {
        active->lag.v[k] = patch->load[k] / active->law.k;
        active->carries = active->carries || patch->load[k] != 0.0;
    }
    if (active->moverA < 0) {
        const pbdrVec3 turn = pbdrGetAngular(&active->lag), shift = pbdrCross(turn, active->between);
        active->lag = pbdrMakeTwist(pbdrAdd(pbdrGetLinear(&active->lag), shift), turn);
    }
}

void pbdrKeepLoad(const pbdrActivePatch* active, bool carries, pbdrPatch* patch)
{
    pbdrTwist lag = carries ? active->lag : pbdrStill;
    if (active->moverA < 0) {
        const pbdrVec3 turn = pbdrGetAngular(&lag), shift = pbdrCross(turn, active->between);
        lag = pbdrMakeTwist(pbdrSub(pbdrGetLinear(&lag), shift), turn);
    }
    for (int k = 0; k < 6; k++) {
        patch->load[k] = active->law.k * lag.v[k];
    }
}

// Whether no pair of a patch's spheres goes far in the substep, over their size, so that `meet` has nothing to say.
// A shape's margin is a quarter of its smallest radius.
static bool areSlow(const pbdrXpbdrWorld* world, const pbdrBody* a, const pbdrBody* b,
                    const pbdrTwist velocity[2])
{
    const double speed = pbdrLength(pbdrSub(pbdrGetLinear(&velocity[0]), pbdrGetLinear(&velocity[1]))) +
                         pbdrLength(pbdrGetAngular(&velocity[0])) * a->shape->reach +
                         pbdrLength(pbdrGetAngular(&velocity[1])) * b->shape->reach;
    const double least = (a->shape->margin + b->shape->margin) / PBDR_PAIR_MARGIN;
    return speed * world->scene->timeStep <= 0.999 * FAST * least;
}

// A patch between bodies of spheres.
static void prepareSpheres(const pbdrXpbdrWorld* world, const pbdrActivePatch* active,
                           const pbdrTwist velocity[2], int state)
{
    const pbdrItems* items = &world->candidates.items;
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    const pbdrBody *a = pbdrGetBody(world->scene, patch->bodyA), *b = pbdrGetBody(world->scene, patch->bodyB);
    const pbdrTwist relative = pbdrSubtractTwist(&velocity[0], &velocity[1], active->between);
    if (areSlow(world, a, b, velocity)) {
        const pbdrPairView view = {a->frame, b->frame, active->between, relative};
        world->kernels->preparePairs(items, &active->law, &view, &active->lag, state);
        return;
    }
    const bool touches = canTouch(world, patch, velocity);
    for (int item = patch->first; item < patch->first + patch->count; item++) {
        if (touches) {
            preparePair(world, active, velocity, &relative, item, state);
        } else {
            pbdrPreparePadding(items, item, state);
        }
    }
    preparePaddings(items, patch, state);
}

static void prepareItems(pbdrXpbdrWorld* world, pbdrActivePatch* active, int state)
{
    const pbdrItems* items = &world->candidates.items;
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    const pbdrBody* a = pbdrGetBody(world->scene, patch->bodyA);
    if (active->swept && !(patch->plane < 0 && patch->bySurface)) {
        pbdrListLive(world, active); // pbdrPrepareSurface does so itself, if it needs to
    }
    pbdrTwist velocity[2] = {getVelocity(world, a), pbdrStill};
    if (patch->plane >= 0) {
        if (patch->bySurface && a->shape->surface.hasRims) {
            lowerRims(world, patch);
        }
        const pbdrPlane* plane = pbdrGetPlane(world->scene, patch->plane);
        takeLoad(active, patch);
        pbdrPatchLaw* law = &active->law;
        law->normal = plane->normal;
        law->restNormal = pbdrMulTransposedMV(&a->frame, plane->normal);
        law->height = pbdrDot(plane->normal, a->centre) - plane->offset;
        law->turn = a->frame;
        world->kernels->preparePatch(items, law, &velocity[0], &active->lag, state);
        return;
    }
    const pbdrBody* b = pbdrGetBody(world->scene, patch->bodyB);
    velocity[1] = getVelocity(world, b);
    active->between = pbdrSub(a->centre, b->centre);
    takeLoad(active, patch);
    if (patch->bySurface) {
        pbdrPrepareSurface(world, active, velocity, state);
        if (!active->swept) { // rows name their items
            preparePaddings(items, patch, state);
        }
    } else {
        prepareSpheres(world, active, velocity, state);
    }
}

// Rolling friction turns about the normal of the contact that is nearest, or would be at the end of the
// substep.
static void prepareRolling(const pbdrXpbdrWorld* world, pbdrActivePatch* active, int state)
{
    const pbdrItems* items = &world->candidates.items;
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    const double* ahead = pbdrGetColumn(items, ITEM_AHEAD);
    int nearest = pbdrCountLive(active) > 0 ? pbdrGetLive(items, active, 0) : patch->first;
    for (int k = 1; k < pbdrCountLive(active); k++) {
        const int item = pbdrGetLive(items, active, k);
        nearest = ahead[item] < ahead[nearest] ? item : nearest;
    }
    pbdrTwist velocity = getVelocity(world, pbdrGetBody(world->scene, patch->bodyA));
    pbdrVec3 turn = pbdrGetAngular(&velocity);
    if (patch->bodyB >= 0) {
        velocity = getVelocity(world, pbdrGetBody(world->scene, patch->bodyB));
        turn = pbdrSub(turn, pbdrGetAngular(&velocity));
    }
    pbdrStartRolling(&active->rolling, &active->law, pbdrReadColumns(items, ITEM_NORMAL, nearest),
                     pbdrScale(world->scene->timeStep, turn), patch->rolling, state);
}

// What the multiplier says of contacts that it was not fitted to is a guess: it must not press the patch harder than
// EXCESS times what it bore.
static void limitLoad(const pbdrXpbdrWorld* world, pbdrActivePatch* active, int state)
{
    const pbdrItems* items = &world->candidates.items;
    double last = 0.0, now = 0.0;
    world->kernels->weighPatch(items, &active->law, &active->lag, &last, &now);
    if (now > EXCESS * last) {
        const pbdrTwist lag = pbdrScaleTwist(last / now, &active->lag);
        world->kernels->pressPatch(items, &active->law, &active->lag, &lag, state);
        active->lag = lag;
    }
}

// Whether a patch's levers are those of the middle: of a body that a force from outside turns on a plane. Rims are no
// points of the body; turning about the normal matters to friction alone.
static bool turnsOn(const pbdrXpbdrWorld* world, const pbdrActivePatch* active, const pbdrMover* movers)
{
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    if (patch->plane < 0 || active->moverA < 0 || !movers[active->moverA].pushed ||
        movers[active->moverA].bounceTime >= 0.0) {
        return false;
    }
    const pbdrBody* body = pbdrGetBody(world->scene, patch->bodyA);
    const pbdrVec3 n = pbdrGetPlane(world->scene, patch->plane)->normal;
    const double along = active->law.mu > 0.0 ? 0.0 : pbdrDot(n, body->angular);
    return !(patch->bySurface && body->shape->surface.hasRims) &&
           world->scene->timeStep * pbdrLength(pbdrAddScaled(body->angular, -along, n)) > TURNING;
}

void pbdrPrepareActivePatch(pbdrXpbdrWorld* world, pbdrActivePatch* active, pbdrMover* movers, int state)
{
    prepareItems(world, active, state);
    if (active->carries) {
        limitLoad(world, active, state);
    }
    if (active->rolling.active) {
        prepareRolling(world, active, state);
    }
    active->bounces = false;
    if (active->law.restitution > 0.0) {
        aimBounces(world, active, movers, state);
    }
    if (turnsOn(world, active, movers)) {
        const int body = pbdrGetPatch(&world->candidates, active->patch)->bodyA;
        const pbdrTwist velocity = getVelocity(world, pbdrGetBody(world->scene, body));
        pbdrTurnLevers(world, active, &velocity, state);
    }
}

pbdrTwist pbdrGetPatchVelocity(const pbdrXpbdrWorld* world, const pbdrActivePatch* active)
{
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    const pbdrTwist a = getVelocity(world, pbdrGetBody(world->scene, patch->bodyA));
    if (patch->bodyB < 0) {
        return a;
    }
    const pbdrTwist b = getVelocity(world, pbdrGetBody(world->scene, patch->bodyB));
    return pbdrSubtractTwist(&a, &b, active->between);
}
