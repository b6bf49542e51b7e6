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
#define PAIR_MARGIN 0.25

// What an item keeps within a substep: planes the first six, pairs all.
enum {
    KEEP_AHEAD = 0, // gap + dt n.v [m]
    KEEP_START = 1, // the same with the levers of the middle: the end gap at y = 0
    KEEP_SLIP = 2,  // dt v_t: two, or three [m]
    KEEP_HOLD = 4,  // T: planes two [N]
#if KERNEL_PAIRS
    KEEP_PAIR_SLIP = 2, // three
    KEEP_PAIR_HOLD = 5, // three
    KEEP_NORMAL = 8,
    KEEP_LEVER = 11,
    KEEP_COUNT = 14
#else
    KEEP_COUNT = 6
#endif
};

// A patch in a substep.
typedef struct Patch {
    int active; // it has items, and its island is being solved
    int first, count;
    int moverA, moverB; // -1: does not move by contact
    int carries;
    double k, mu;
    Twist lag;    // the multiplier Y, in the patch's axes
    Mat levers;   // planes: from a sphere's rest offset to the patch's axes
    Vec between;  // pairs: A's centre less B's [m]
    double lever; // radius of gyration of a mover [m]
    // How it stood when it was evaluated last
    int loaded;     // items that are
    double gap;     // largest |end gap| of a loaded item [m]
    double overlap; // and overlap of one that bears nothing
    double slip;    // largest square of a slip of a sticking item [m^2]
    double fresh,
        old; // lowest gaps that the mean velocity would leave, of items that did not touch before and did
    double opened; // and largest
    double normal; // sum of normal forces [N]
    Vec pull;      // on A, world axes [N]
} Patch;

// What of a world stands in a thread's own memory.
typedef struct Scratch {
    double kept[KERNEL_ITEMS * KEEP_COUNT];
    uint32_t before[KERNEL_ITEMS / 32]; // touched before the substep
} Scratch;

FN Mat getPlaneFrame(const pbdrKernelPlan* plan, int plane)
{
    return readM(plan->planes[plane].frame);
}

FN double mixFriction(int mixing, double a, double b)
{
    if (mixing == 0) {
        return a == b ? a : sqrt(a * b);
    }
    return mixing == 1 ? least(a, b) : mixing == 2 ? most(a, b) : 0.5 * (a + b);
}

FN int getSphereA(const pbdrKernelPlan* plan, const double* values, int item)
{
    return (int)AT(itemSlot(plan, item) + ITEM_KEY) / KEY_STEP;
}

FN void noteBefore(Scratch* scratch, int item, double touched)
{
    const uint32_t bit = 1u << (item & 31);
    scratch->before[item >> 5] = (scratch->before[item >> 5] & ~bit) | (touched > 0.0 ? bit : 0u);
}

// --- Start of a substep ---

FN void preparePlane(const pbdrKernelPlan* plan, const double* spheres, const double* values, int index,
                     const Mover* mover, Patch* patch, Scratch* scratch)
{
    const pbdrKernelPatch* of = &plan->patches[index];
    const pbdrKernelPlane* plane = &plan->planes[of->plane];
    const int a = bodySlot(plan, of->bodyA), firstSphere = plan->bodies[of->bodyA].firstSphere;
    const double dt = plan->timeStep;
    const Mat frame = matFromQuat(readQuat(values, a + BODY_ROTATION)), axes = getPlaneFrame(plan, of->plane);
    const Twist velocity = turnTwist(&axes, getVelocity(plan, values, of->bodyA));
    const Mat begin = mulMM(&axes, &frame);
    const double height = dot(axes.r[2], readVec(values, a + BODY_CENTRE)) - plane->offset;
    // levers of the middle, where a force from outside turns the body
    const double along = patch->mu > 0.0 ? 0.0 : velocity.w.z;
    const Vec turn = vec(velocity.w.x, velocity.w.y, velocity.w.z - along);
    const int turns = mover->pushed && dt * length(turn) > TURNING;
    Mat end = begin;
    patch->levers = begin;
    if (turns) {
        const Mat half = matFromQuat(quatFromVector(scale(0.5 * dt, velocity.w)));
        patch->levers = mulMM(&half, &begin);
        end = mulMM(&half, &patch->levers);
    }
    double presses = 0.0;
    for (int i = patch->first; i < patch->first + patch->count; i++) {
        const int item = itemSlot(plan, i), sphere = firstSphere + getSphereA(plan, values, i);
        double* keep = scratch->kept + i * KEEP_COUNT;
        const Vec q = readSphere(spheres, sphere);
        const double radius = spheres[4 * sphere + 3];
        Vec r = mulMV(&begin, q);
        const double gap = most(height + r.z - radius, -RECOVERY_SPEED * dt);
        r.z -= radius;
        Vec v = moveLever(velocity, r);
        const double ahead = gap + dt * v.z;
        double start = ahead;
        if (turns) {
            Vec last = mulMV(&end, q);
            last.z -= radius;
            const Vec more = sub(last, r);
            start = ahead + dt * (velocity.w.x * more.y - velocity.w.y * more.x);
            v = moveLever(velocity, last);
        }
        keep[KEEP_AHEAD] = ahead;
        keep[KEEP_START] = start;
        keep[KEEP_SLIP] = dt * v.x;
        keep[KEEP_SLIP + 1] = dt * v.y;
        keep[KEEP_HOLD] = AT(item + ITEM_FRICTION);
        keep[KEEP_HOLD + 1] = AT(item + ITEM_FRICTION + 1);
        noteBefore(scratch, i, AT(item + ITEM_TOUCHED));
        presses -= least(patch->lag.u.z + (patch->lag.w.x * r.y - patch->lag.w.y * r.x), 0.0);
    }
    // what the multiplier says of contacts that it was not fitted to is a guess
    const double last = AT(patchSlot(plan, index) + PATCH_NORMAL), now = patch->k * presses;
    if (patch->carries && now > EXCESS * last) {
        patch->lag = scaleTwist(last / now, patch->lag);
    }
}

#if KERNEL_PAIRS
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

FN void preparePair(const pbdrKernelPlan* plan, const double* spheres, const double* values, int index,
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
    double presses = 0.0;
    for (int i = patch->first; i < patch->first + patch->count; i++) {
        const int item = itemSlot(plan, i), key = (int)AT(item + ITEM_KEY);
        const int sphereA = plan->bodies[of->bodyA].firstSphere + key / KEY_STEP,
                  sphereB = plan->bodies[of->bodyB].firstSphere + key % KEY_STEP;
        const double radiusA = spheres[4 * sphereA + 3], radiusB = spheres[4 * sphereB + 3];
        double* keep = scratch->kept + i * KEEP_COUNT;
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
        const Vec held = readVec(values, item + ITEM_FRICTION), hold = addScaled(held, -dot(n, held), n);
        keep[KEEP_AHEAD] = keep[KEEP_START] = most(gap, -RECOVERY_SPEED * dt) + dt * fall;
        keep[KEEP_PAIR_SLIP] = slip.x;
        keep[KEEP_PAIR_SLIP + 1] = slip.y;
        keep[KEEP_PAIR_SLIP + 2] = slip.z;
        keep[KEEP_PAIR_HOLD] = hold.x;
        keep[KEEP_PAIR_HOLD + 1] = hold.y;
        keep[KEEP_PAIR_HOLD + 2] = hold.z;
        keep[KEEP_NORMAL] = n.x;
        keep[KEEP_NORMAL + 1] = n.y;
        keep[KEEP_NORMAL + 2] = n.z;
        keep[KEEP_LEVER] = r.x;
        keep[KEEP_LEVER + 1] = r.y;
        keep[KEEP_LEVER + 2] = r.z;
        noteBefore(scratch, i, AT(item + ITEM_TOUCHED));
        presses -= least(dot(n, moveLever(patch->lag, r)), 0.0);
    }
    const double last = AT(patchSlot(plan, index) + PATCH_NORMAL), now = patch->k * presses;
    if (patch->carries && now > EXCESS * last) {
        patch->lag = scaleTwist(last / now, patch->lag);
    }
}

FN Vec readKept(const double* keep, int first)
{
    return vec(keep[first], keep[first + 1], keep[first + 2]);
}
#endif

// --- Evaluation ---

FN void clearEnd(Patch* patch)
{
    patch->loaded = 0;
    patch->gap = patch->overlap = patch->slip = patch->fresh = patch->old = patch->opened = patch->normal =
        0.0;
}

// How an item ends, with the normal force F and the end gap that it has.
FN void noteEnd(Patch* patch, const Scratch* scratch, int item, double ahead, double end, double force)
{
    if (force > 0.0) {
        const double mean = 0.5 * (ahead + end);
        const int before = (scratch->before[item >> 5] >> (item & 31)) & 1u;
        patch->loaded++;
        patch->gap = most(size(end), patch->gap);
        patch->old = before ? least(mean, patch->old) : patch->old;
        patch->opened = before ? most(mean, patch->opened) : patch->opened;
        patch->fresh = before ? patch->fresh : least(mean, patch->fresh);
        patch->normal += force;
    } else {
        patch->overlap = most(-end, patch->overlap);
    }
}

// Forces of a plane's items at y, in its axes, on A; friction and touch of each into the world's numbers. Adds
// sum |f| to *sizes.
FN Twist evaluatePlane(const pbdrKernelPlan* plan, const double* spheres, double* values, int firstSphere,
                       Twist y, Patch* patch, const Scratch* scratch, double* sizes)
{
    Vec sum = vec(0.0, 0.0, 0.0), moment = vec(0.0, 0.0, 0.0);
    double all = 0.0;
    const double k = patch->k, mu = patch->mu;
    const Twist lag = patch->lag;
    clearEnd(patch);
    for (int i = patch->first; i < patch->first + patch->count; i++) {
        const int item = itemSlot(plan, i), sphere = firstSphere + getSphereA(plan, values, i);
        const double* keep = scratch->kept + i * KEEP_COUNT;
        Vec r = mulMV(&patch->levers, readSphere(spheres, sphere));
        r.z -= spheres[4 * sphere + 3];
        const Vec move = moveLever(y, r);
        const double press = least(lag.u.z + (lag.w.x * r.y - lag.w.y * r.x), 0.0);
        const double end = keep[KEEP_START] + move.z;
        const double force = most(-k * (end + press), 0.0);
        const double slipX = keep[KEEP_SLIP] + move.x, slipY = keep[KEEP_SLIP + 1] + move.y;
        double px = keep[KEEP_HOLD] - k * slipX, py = keep[KEEP_HOLD + 1] - k * slipY;
        const double far = sqrt(px * px + py * py), bound = mu * force;
        double borne = far;
        if (far > bound) {
            const double share = bound / far;
            px *= share;
            py *= share;
            borne = bound;
        } else if (force > 0.0) {
            patch->slip = most(slipX * slipX + slipY * slipY, patch->slip);
        }
        const Vec f = vec(px, py, force);
        sum = add(sum, f);
        moment = add(moment, cross(r, f));
        all += force + borne;
        noteEnd(patch, scratch, i, keep[KEEP_AHEAD], end, force);
        AT(item + ITEM_TOUCHED) = force > 0.0 ? 1.0 : 0.0;
        AT(item + ITEM_FRICTION) = px;
        AT(item + ITEM_FRICTION + 1) = py;
    }
    *sizes += all;
    return makeTwist(sum, moment);
}

#if KERNEL_PAIRS
FN Twist evaluatePair(const pbdrKernelPlan* plan, double* values, Twist y, Patch* patch,
                      const Scratch* scratch, double* sizes)
{
    Vec sum = vec(0.0, 0.0, 0.0), moment = vec(0.0, 0.0, 0.0);
    double all = 0.0;
    const double k = patch->k, mu = patch->mu;
    clearEnd(patch);
    for (int i = patch->first; i < patch->first + patch->count; i++) {
        const int item = itemSlot(plan, i);
        const double* keep = scratch->kept + i * KEEP_COUNT;
        const Vec n = readKept(keep, KEEP_NORMAL), r = readKept(keep, KEEP_LEVER);
        const Vec move = moveLever(y, r);
        const double along = dot(n, move), press = least(dot(n, moveLever(patch->lag, r)), 0.0);
        const double end = keep[KEEP_START] + along;
        const double force = most(-k * (end + press), 0.0);
        const Vec slip = add(readKept(keep, KEEP_PAIR_SLIP), addScaled(move, -along, n));
        Vec p = addScaled(readKept(keep, KEEP_PAIR_HOLD), -k, slip);
        const double far = length(p), bound = mu * force;
        double borne = far;
        if (far > bound) {
            p = scale(bound / far, p);
            borne = bound;
        } else if (force > 0.0) {
            patch->slip = most(dot(slip, slip), patch->slip);
        }
        const Vec f = addScaled(p, force, n);
        sum = add(sum, f);
        moment = add(moment, cross(r, f));
        all += force + borne;
        noteEnd(patch, scratch, i, keep[KEEP_AHEAD], end, force);
        AT(item + ITEM_TOUCHED) = force > 0.0 ? 1.0 : 0.0;
        writeVec(values, item + ITEM_FRICTION, p);
    }
    *sizes += all;
    return makeTwist(sum, moment);
}
#endif

// --- What Newton steps and multipliers need of an item: rare, so one way for planes and pairs ---

typedef struct Item {
    Vec n, r, slip, hold; // the patch's axes
    double start;
} Item;

FN Item getItem(const pbdrKernelPlan* plan, const double* spheres, const double* values, int index,
                const Patch* patch, const Scratch* scratch, int i)
{
    const double* keep = scratch->kept + i * KEEP_COUNT;
    const pbdrKernelPatch* of = &plan->patches[index];
    Item item;
    item.start = keep[KEEP_START];
#if KERNEL_PAIRS
    if (of->plane < 0) {
        item.n = readKept(keep, KEEP_NORMAL);
        item.r = readKept(keep, KEEP_LEVER);
        item.slip = readKept(keep, KEEP_PAIR_SLIP);
        item.hold = readKept(keep, KEEP_PAIR_HOLD);
        return item;
    }
#endif
    const int sphere = plan->bodies[of->bodyA].firstSphere + getSphereA(plan, values, i);
    item.n = vec(0.0, 0.0, 1.0);
    item.r = mulMV(&patch->levers, readSphere(spheres, sphere));
    item.r.z -= spheres[4 * sphere + 3];
    item.slip = vec(keep[KEEP_SLIP], keep[KEEP_SLIP + 1], 0.0);
    item.hold = vec(keep[KEEP_HOLD], keep[KEEP_HOLD + 1], 0.0);
    return item;
}

// An item's law at y.
typedef struct Law {
    double end, force, bound, far;
    Vec p;
} Law;

FN Law applyLaw(const Item* item, const Patch* patch, Twist y)
{
    Law law;
    const Vec move = moveLever(y, item->r);
    const double along = dot(item->n, move);
    law.end = item->start + along;
    law.force = most(-patch->k * (law.end + least(dot(item->n, moveLever(patch->lag, item->r)), 0.0)), 0.0);
    law.p = addScaled(item->hold, -patch->k, add(item->slip, addScaled(move, -along, item->n)));
    law.far = length(law.p);
    law.bound = patch->mu * law.force;
    return law;
}

// Adds J^T K J, K given by rows, about A's centre: J = [1, -[r]x].
FN void addBlock(double* block, Vec k0, Vec k1, Vec k2, Vec r)
{
    const Vec rows[3] = {k0, k1, k2};
    const Vec turned[3] = {cross(r, k0), cross(r, k1), cross(r, k2)};
    const double l[3] = {r.x, r.y, r.z};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, h = (i + 2) % 3;
        const Vec low = sub(scale(l[j], rows[h]), scale(l[h], rows[j]));
        const Vec lowTurned = sub(scale(l[j], turned[h]), scale(l[h], turned[j]));
        const Vec parts[4] = {rows[i], turned[i], low, lowTurned};
        for (int part = 0; part < 4; part++) {
            double* to = block + 6 * (i + 3 * (part / 2)) + 3 * (part % 2);
            to[0] += parts[part].x;
            to[1] += parts[part].y;
            to[2] += parts[part].z;
        }
    }
}

// Adds what an item has to the Jacobian; items as near as `near` count as loaded.
FN void stiffenItem(const Item* item, const Patch* patch, Twist y, double near, double* block)
{
    const Law law = applyLaw(item, patch, y);
    const double press = least(dot(item->n, moveLever(patch->lag, item->r)), 0.0);
    const double on = law.end + press < near ? 1.0 : 0.0;
    const int rubs = law.force > 0.0, slips = law.far > law.bound;
    if (on == 0.0 && !rubs) {
        return;
    }
    // K = c 1 + (on - c) n n^T + [slipping] s (mu n - c s)^T,  s = p/|p|
    const double c = rubs ? (slips ? law.bound / law.far : 1.0) : 0.0;
    const Vec s = rubs && slips ? scale(1.0 / law.far, law.p) : vec(0.0, 0.0, 0.0);
    const Vec n = item->n, tail = addScaled(scale(patch->mu, n), -c, s), stiff = scale(on - c, n);
    Vec row0 = add(scale(stiff.x, n), scale(s.x, tail)), row1 = add(scale(stiff.y, n), scale(s.y, tail)),
        row2 = add(scale(stiff.z, n), scale(s.z, tail));
    row0.x += c;
    row1.y += c;
    row2.z += c;
    addBlock(block, row0, row1, row2, item->r);
}

// From a patch's axes to the world's: D^T block D.
FN void turnBlock(const Mat* axes, double* block)
{
    for (int part = 0; part < 4; part++) {
        double* corner = block + 18 * (part / 2) + 3 * (part % 2);
        Mat m;
        for (int i = 0; i < 3; i++) {
            m.r[i] = vec(corner[6 * i], corner[6 * i + 1], corner[6 * i + 2]);
        }
        const Mat right = mulMM(&m, axes);
        for (int j = 0; j < 3; j++) {
            const Vec column = mulTMV(axes, j == 0   ? vec(right.r[0].x, right.r[1].x, right.r[2].x)
                                            : j == 1 ? vec(right.r[0].y, right.r[1].y, right.r[2].y)
                                                     : vec(right.r[0].z, right.r[1].z, right.r[2].z));
            corner[j] = column.x;
            corner[6 + j] = column.y;
            corner[12 + j] = column.z;
        }
    }
}

#endif
