// Contacts of a world: XPBD-R's contact law (docs/theory/xpbdr.md) over the items of its patches.
//
// The items of a plane are worked on in the plane's axes (two tangents, normal), and their levers are computed anew where
// they are needed: that is cheaper than to keep them. Those of two bodies have a normal each, world axes, and keep it.
//
// Before this is included: KERNEL_MOVERS, KERNEL_PATCHES, KERNEL_ITEMS, KERNEL_PAIRS (1: bodies touch each other).
#ifndef PBDR_GPU_KERNEL_CONTACTS_H
#define PBDR_GPU_KERNEL_CONTACTS_H

#include "gpu/kernel_bodies.h"

#define RECOVERY_SPEED 0.5 // overlaps are parted at this speed at most [m/s]
#define EXCESS 1.5
#define TURNING 1.0e-9
#define FAST 0.1
// What a slipping item's T keeps of its friction: a body that rests then stands a little inside the cone, where rounding
// does not make its items slip and stick by turns. While it slides T has no part in the force.
#if KERNEL_MOVERS == 1
#define SLACK (1.0 - 1.0e-8)
#else
#define SLACK 1.0
#endif

#if KERNEL_PAIRS
// What an item of two bodies keeps within a substep; one of a plane keeps nothing.
enum {
    KEEP_START = 0, // gap + dt n.v [m]
    KEEP_SLIP = 1,  // dt v_t, three [m]
    KEEP_NORMAL = 4,
    KEEP_LEVER = 7,
    KEEP_COUNT = 10
};
// Items that have room for it.
#if KERNEL_QUICK
#define KEPT 8
#else
#define KEPT KERNEL_ITEMS
#endif
#endif

// A patch in a substep.
typedef struct Patch {
    int active; // it has items, and its island is being solved
    int first, count;
    int moverA, moverB; // -1: does not move by contact
    int carries;
    double k, mu;
    Twist lag;          // the multiplier Y, in the patch's axes
    Mat levers;         // planes: from a sphere's rest offset to the patch's axes
    double height;      // of A's centre of mass over the plane [m]
    Twist drift;        // dt V of A, the plane's axes
    int turns;          // levers are those of the middle: Scratch.turns has begin's and end's
    double presses;     // sum of what the multiplier presses items by [m]
    Vec between;        // pairs: A's centre less B's [m]
    double perGyration; // 1 over the square of the radius of gyration of a mover [1/m^2]
    // How it stood when it was evaluated last
    int loaded;    // items that are
    double gap;    // largest |end gap| of a loaded item [m]
    double slip;   // largest square of a slip of a sticking item [m^2]
    int changed;   // other items are loaded than before the substep
    double normal; // sum of normal forces [N]
    Vec pull;      // on A, world axes [N]
} Patch;

// What of a world stands in a thread's own memory.
typedef struct Scratch {
#if KERNEL_PAIRS
    double kept[KEPT * KEEP_COUNT];
#endif
    Mat turns[KERNEL_PATCHES][2]; // of planes on which a body turns: levers of begin and end
} Scratch;

FN Mat getPlaneFrame(const pbdrKernelPlan* plan, int plane)
{
    return readM(plan->planes[plane].frame);
}

FN int getSphereA(int key)
{
    return (key & ~TOUCHED) / KEY_STEP;
}

// --- Start of a substep ---

BIG void preparePlane(const pbdrKernelPlan* plan, const double* values, int index, const Mover* mover,
                      Patch* patch, Scratch* scratch)
{
    const pbdrKernelPatch* of = &plan->patches[index];
    const int a = bodySlot(plan, of->bodyA);
    const double dt = plan->timeStep;
    const Mat frame = matFromQuat(readQuat(values, a + BODY_ROTATION)), axes = getPlaneFrame(plan, of->plane);
    const Mat begin = mulMM(&axes, &frame);
    patch->drift = scaleTwist(dt, turnTwist(&axes, getVelocity(plan, values, of->bodyA)));
    patch->height = dot(axes.r[2], readVec(values, a + BODY_CENTRE)) - plan->planes[of->plane].offset;
    // levers of the middle, where a force from outside turns the body
    const Vec w = patch->drift.w;
    patch->turns = mover->pushed && length(vec(w.x, w.y, patch->mu > 0.0 ? w.z : 0.0)) > TURNING;
    patch->levers = begin;
    if (patch->turns) {
        const Mat half = matFromQuat(quatFromVector(scale(0.5, w)));
        patch->levers = mulMM(&half, &begin);
        scratch->turns[index][0] = begin;
        scratch->turns[index][1] = mulMM(&half, &patch->levers);
    }
}

// An item of a plane before contact, in the plane's axes.
typedef struct Start {
    Vec r;               // lever
    double ahead;        // gap + dt n.v [m]
    double end;          // the same with the levers of the middle: the end gap at y = 0
    double slipX, slipY; // dt v_t
} Start;

FN Start getStart(const double* spheres, int sphere, double deepest, int index, const Patch* patch,
                  const Scratch* scratch)
{
    const Vec q = readSphere(spheres, sphere);
    const double radius = spheres[4 * sphere + 3];
    const Twist drift = patch->drift;
    Start start;
    start.r = mulMV(&patch->levers, q);
    start.r.z -= radius;
    Vec begin = start.r, end = start.r;
    if (patch->turns) {
        begin = mulMV(&scratch->turns[index][0], q);
        end = mulMV(&scratch->turns[index][1], q);
        begin.z -= radius;
        end.z -= radius;
    }
    const double fall = drift.u.z + (drift.w.x * begin.y - drift.w.y * begin.x);
    start.ahead = most(patch->height + begin.z, deepest) + fall;
    start.end = start.ahead;
    if (patch->turns) {
        start.end += drift.w.x * (end.y - begin.y) - drift.w.y * (end.x - begin.x);
    }
    start.slipX = drift.u.x + (drift.w.y * end.z - drift.w.z * end.y);
    start.slipY = drift.u.y + (drift.w.z * end.x - drift.w.x * end.z);
    return start;
}

#if KERNEL_PAIRS
FN int keepSlot(const Patch* patch, int i)
{
    return (KERNEL_QUICK ? i - patch->first : i) * KEEP_COUNT;
}

// Spheres that go far in a substep touch where their paths say (engine/xpbdr/items.c: meet).
FN void meet(Vec apart, Vec closing, double reach, double dt, Vec* n)
{
    const double speed2 = dot(closing, closing), along = dot(apart, closing);
    const double c = dot(apart, apart) - reach * reach, root = along * along - speed2 * c;
    if (sqrt(speed2) * dt > FAST * reach && c > 0.0 && root > 0.0 && along < 0.0) {
        const Vec touch = addScaled(apart, c / (sqrt(root) - along), closing);
        const double far = length(touch);
        *n = far > 0.0 ? scale(1.0 / far, touch) : *n;
    }
}

BIG void preparePair(const pbdrKernelPlan* plan, const double* spheres, const double* values, int index,
                     Patch* patch, Scratch* scratch)
{
    const pbdrKernelPatch* of = &plan->patches[index];
    const int a = bodySlot(plan, of->bodyA), b = bodySlot(plan, of->bodyB);
    const double dt = plan->timeStep;
    const Mat frameA = matFromQuat(readQuat(values, a + BODY_ROTATION)),
              frameB = matFromQuat(readQuat(values, b + BODY_ROTATION));
    const Twist velocityA = getVelocity(plan, values, of->bodyA),
                velocityB = getVelocity(plan, values, of->bodyB);
    const Vec between = patch->between;
    const Twist relative = subtractTwist(velocityA, velocityB, between);
    for (int i = patch->first; i < patch->first + patch->count; i++) {
        const int key = readKey(values, itemSlot(plan, i) + ITEM_KEY);
        const int sphereA = plan->bodies[of->bodyA].firstSphere + getSphereA(key),
                  sphereB = plan->bodies[of->bodyB].firstSphere + key % KEY_STEP;
        const double radiusA = spheres[4 * sphereA + 3], radiusB = spheres[4 * sphereB + 3];
        double* keep = scratch->kept + keepSlot(patch, i);
        const Vec armA = mulMV(&frameA, readSphere(spheres, sphereA)),
                  armB = mulMV(&frameB, readSphere(spheres, sphereB));
        const Vec apart = add(between, sub(armA, armB));
        const double distance = length(apart);
        double gap = distance - radiusA - radiusB;
        // spheres at the same place have no normal: part them upwards
        Vec n = distance > 0.0 ? scale(1.0 / distance, apart) : vec(0.0, 0.0, 1.0);
        if (gap > 0.0) {
            meet(apart, sub(moveLever(velocityA, armA), moveLever(velocityB, armB)), radiusA + radiusB, dt,
                 &n);
            gap = dot(n, apart) - radiusA - radiusB;
        }
        const Vec r = addScaled(armA, -(radiusA + 0.5 * gap), n); // the middle of the gap
        const Vec v = moveLever(relative, r);
        const double fall = dot(n, v);
        const Vec slip = scale(dt, addScaled(v, -fall, n));
        keep[KEEP_START] = most(gap, -RECOVERY_SPEED * dt) + dt * fall;
        keep[KEEP_SLIP] = slip.x;
        keep[KEEP_SLIP + 1] = slip.y;
        keep[KEEP_SLIP + 2] = slip.z;
        keep[KEEP_NORMAL] = n.x;
        keep[KEEP_NORMAL + 1] = n.y;
        keep[KEEP_NORMAL + 2] = n.z;
        keep[KEEP_LEVER] = r.x;
        keep[KEEP_LEVER + 1] = r.y;
        keep[KEEP_LEVER + 2] = r.z;
    }
}

FN Vec readKept(const double* keep, int first)
{
    return vec(keep[first], keep[first + 1], keep[first + 2]);
}
#endif

// --- Evaluation ---

// What Y presses an item in by, negative. One that it does not press bears load only once it is in by a little: an item of a
// flat face that others carry stands at a gap of zero, where rounding would load it in every other substep.
#if KERNEL_MOVERS == 1
#define DEAD 1.0e-15 // a tenth of the gaps that count as zero [m]
#else
#define DEAD 0.0
#endif

FN double getPress(double lag)
{
    return lag < 0.0 ? lag : DEAD;
}

FN void clearEnd(Patch* patch)
{
    patch->loaded = patch->changed = 0;
    patch->gap = patch->slip = patch->normal = patch->presses = 0.0;
}

// How an item ends, with the normal force F and the end gap that it has. One that bears nothing has no overlap: Y only
// presses.
FN void noteEnd(Patch* patch, int touched, double end, double force)
{
    const int loads = force > 0.0;
    patch->loaded += loads;
    patch->changed |= loads != touched;
    patch->gap = most(loads ? size(end) : 0.0, patch->gap);
}

// Items that are worked on together: none waits for another, and what is read for the next ones before anything is
// written does not wait for that.
#ifndef CHUNK
#define CHUNK 2
#endif

// What is read of a few items.
typedef struct Chunk {
    int key[CHUNK];
    double holdX[CHUNK], holdY[CHUNK];
} Chunk;

FN Chunk readChunk(const pbdrKernelPlan* plan, const double* values, int place, int from, int end)
{
    Chunk chunk;
    UNROLL
    for (int c = 0; c < CHUNK; c++) {
        const int item = itemSlot(plan, from + c < end ? from + c : end - 1);
        chunk.key[c] = readKey(values, item + ITEM_KEY);
        chunk.holdX[c] = AT(item + place);
        chunk.holdY[c] = AT(item + place + 1);
    }
    return chunk;
}

// Forces of a plane's items at y, in its axes, on A. place: where T stands; the friction of each goes to `to`, if that is
// not 0, and with `shows` its force to where wrenches are summed from. Adds sum |f| to *sizes. turns: patch->turns, known to
// the compiler.
FN Twist sumPlane(const pbdrKernelPlan* plan, const double* spheres, double* values, int index, int place,
                  int to, int shows, Twist y, Patch* patch, const Scratch* scratch, double* sizes,
                  const int turns)
{
    const int firstSphere = plan->bodies[plan->patches[index].bodyA].firstSphere,
              end = patch->first + patch->count;
    KNOW_PLACES(values, spheres);
    const double k = patch->k, mu = patch->mu, deepest = -RECOVERY_SPEED * plan->timeStep;
    const Twist lag = patch->lag, drift = patch->drift;
    const Twist way = turns ? y : addTwist(drift, 1.0, y);
    Vec sum = vec(0.0, 0.0, 0.0), moment = vec(0.0, 0.0, 0.0);
    double all = 0.0;
    clearEnd(patch);
    Chunk next = readChunk(plan, values, place, patch->first, end);
    ROLL for (int from = patch->first; from < end; from += CHUNK)
    {
        const Chunk now = next;
        next = readChunk(plan, values, place, from + CHUNK < end ? from + CHUNK : from, end);
        UNROLL
        for (int c = 0; c < CHUNK; c++) {
            const int i = from + c, live = i < end, sphere = firstSphere + getSphereA(now.key[c]);
            const Vec q = readSphere(spheres, sphere);
            const double radius = spheres[4 * sphere + 3];
            Vec r = mulMV(&patch->levers, q);
            r.z -= radius;
            Vec move = moveLever(way, r);
            double touch = r.z;
            if (turns) { // drifts with the levers of the end, from the gap of the begin
                Vec last = mulMV(&scratch->turns[index][1], q);
                last.z -= radius;
                move = add(move, moveLever(drift, last));
                touch = dot(scratch->turns[index][0].r[2], q) - radius;
            }
            const double press = getPress(lag.u.z + (lag.w.x * r.y - lag.w.y * r.x));
            const double gap = most(patch->height + touch, deepest) + move.z;
            const double force = live ? most(-k * (gap + press), 0.0) : 0.0;
            const double px = now.holdX[c] - k * move.x, py = now.holdY[c] - k * move.y;
            const double square = px * px + py * py, bound = mu * force;
            const double per = inverseRoot(square);
            const int slips = square > bound * bound;
            const double share = slips ? bound * per : 1.0;
            const Vec f = vec(share * px, share * py, force);
            sum = add(sum, f);
            moment = add(moment, cross(r, f));
            all += slips ? bound : square * per;
            patch->slip = most(!slips && force > 0.0 ? move.x * move.x + move.y * move.y : 0.0, patch->slip);
            patch->presses -= live ? least(press, 0.0) : 0.0;
            noteEnd(patch, live && (now.key[c] & TOUCHED) != 0, gap, force);
            if (to != 0 && live) {
                const double kept = slips ? SLACK * share : 1.0;
                AT(itemSlot(plan, i) + to) = kept * px;
                AT(itemSlot(plan, i) + to + 1) = kept * py;
                if (shows) {
                    writeVec(values, forceSlot(plan, i), f);
                }
            }
        }
    }
    patch->normal = sum.z;
    *sizes += all + sum.z;
    return makeTwist(sum, moment);
}

RARE Twist sumTurned(const pbdrKernelPlan* plan, const double* spheres, double* values, int index, int place,
                     int to, int shows, Twist y, Patch* patch, const Scratch* scratch, double* sizes)
{
    return sumPlane(plan, spheres, values, index, place, to, shows, y, patch, scratch, sizes, 1);
}

BIG Twist evaluatePlane(const pbdrKernelPlan* plan, const double* spheres, double* values, int index,
                        int place, int to, int shows, Twist y, Patch* patch, const Scratch* scratch,
                        double* sizes)
{
    if (KERNEL_QUICK || !patch->turns) {
        return sumPlane(plan, spheres, values, index, place, to, shows, y, patch, scratch, sizes, 0);
    }
#if KERNEL_PAIRS
    return sumTurned(plan, spheres, values, index, place, to, shows, y, patch, scratch, sizes);
#else
    // a copy: what is rare must not take the patch out of registers
    Patch copy = *patch;
    const Scratch turns = *scratch;
    double all = *sizes;
    const Twist f = sumTurned(plan, spheres, values, index, place, to, shows, y, &copy, &turns, &all);
    *sizes = all;
    *patch = copy;
    return f;
#endif
}

#if KERNEL_PAIRS
BIG Twist evaluatePair(const pbdrKernelPlan* plan, double* values, int place, int to, int shows, Twist y,
                       Patch* patch, const Scratch* scratch, double* sizes)
{
    Vec sum = vec(0.0, 0.0, 0.0), moment = vec(0.0, 0.0, 0.0);
    double all = 0.0;
    const double k = patch->k, mu = patch->mu;
    clearEnd(patch);
    ROLL for (int i = patch->first; i < patch->first + patch->count; i++)
    {
        const int item = itemSlot(plan, i);
        const double* keep = scratch->kept + keepSlot(patch, i);
        const Vec n = readKept(keep, KEEP_NORMAL), r = readKept(keep, KEEP_LEVER),
                  held = readVec(values, item + place), hold = addScaled(held, -dot(n, held), n);
        const Vec move = moveLever(y, r);
        const double along = dot(n, move), press = getPress(dot(n, moveLever(patch->lag, r)));
        const double end = keep[KEEP_START] + along;
        const double force = most(-k * (end + press), 0.0);
        const Vec slip = add(readKept(keep, KEEP_SLIP), addScaled(move, -along, n));
        Vec p = addScaled(hold, -k, slip);
        const double square = dot(p, p), bound = mu * force, per = inverseRoot(square);
        const int slips = square > bound * bound;
        p = scale(slips ? bound * per : 1.0, p);
        patch->slip = most(!slips && force > 0.0 ? dot(slip, slip) : 0.0, patch->slip);
        const Vec f = addScaled(p, force, n);
        sum = add(sum, f);
        moment = add(moment, cross(r, f));
        all += slips ? bound : square * per;
        patch->normal += force;
        patch->presses -= least(press, 0.0);
        noteEnd(patch, (readKey(values, item + ITEM_KEY) & TOUCHED) != 0, end, force);
        if (to != 0) {
            writeVec(values, item + to, slips ? scale(SLACK, p) : p);
            if (shows) {
                writeVec(values, forceSlot(plan, i), f);
            }
        }
    }
    *sizes += all + patch->normal;
    return makeTwist(sum, moment);
}
#endif

#endif
