// What Newton steps and multipliers need of a contact item: rare, so one way for planes and pairs.
#ifndef PBDR_GPU_KERNEL_ITEMS_H
#define PBDR_GPU_KERNEL_ITEMS_H

#include "gpu/kernel_contacts.h"

typedef struct Item {
    Vec n, r, slip, hold; // the patch's axes
    double ahead;         // gap + dt n.v [m]
    double start;         // and with the levers of the middle
} Item;

FN Item getItem(const pbdrKernelPlan* plan, const double* spheres, const double* values, int index, int place,
                const Patch* patch, const Scratch* scratch, int i)
{
    const pbdrKernelPatch* of = &plan->patches[index];
    const int s = itemSlot(plan, i);
    Item item;
#if KERNEL_PAIRS
    if (!isPlane(plan, index)) {
        const double* keep = scratch->kept + keepSlot(patch, i);
        const Vec held = readVec(values, s + place);
        item.start = item.ahead = keep[KEEP_START];
        item.n = readKept(keep, KEEP_NORMAL);
        item.r = readKept(keep, KEEP_LEVER);
        item.slip = readKept(keep, KEEP_SLIP);
        item.hold = addScaled(held, -dot(item.n, held), item.n);
        return item;
    }
#endif
    const int sphere = plan->bodies[of->bodyA].firstSphere + getSphereA(readKey(values, s + ITEM_KEY));
    const Start start = getStart(spheres, sphere, -RECOVERY_SPEED * plan->timeStep, index, patch, scratch);
    item.n = vec(0.0, 0.0, 1.0);
    item.r = start.r;
    item.ahead = start.ahead;
    item.start = start.end;
    item.slip = vec(start.slipX, start.slipY, 0.0);
    item.hold = vec(AT(s + place), AT(s + place + 1), 0.0);
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
    law.force = most(-patch->k * (law.end + getPress(dot(item->n, moveLever(patch->lag, item->r)))), 0.0);
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
    UNROLL
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, h = (i + 2) % 3;
        const Vec low = sub(scale(l[j], rows[h]), scale(l[h], rows[j]));
        const Vec lowTurned = sub(scale(l[j], turned[h]), scale(l[h], turned[j]));
        const Vec parts[4] = {rows[i], turned[i], low, lowTurned};
        UNROLL
        for (int part = 0; part < 4; part++) {
            const int to = 6 * (i + 3 * (part / 2)) + 3 * (part % 2);
            block[to] += parts[part].x;
            block[to + 1] += parts[part].y;
            block[to + 2] += parts[part].z;
        }
    }
}

// Adds what an item has to the Jacobian; items as near as `near` count as loaded.
FN void stiffenItem(const Item* item, const Patch* patch, Twist y, double near, double* block)
{
    const Law law = applyLaw(item, patch, y);
    const double press = getPress(dot(item->n, moveLever(patch->lag, item->r)));
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
    UNROLL
    for (int part = 0; part < 4; part++) {
        const int corner = 18 * (part / 2) + 3 * (part % 2);
        Mat m;
        UNROLL
        for (int i = 0; i < 3; i++) {
            m.r[i] = vec(block[corner + 6 * i], block[corner + 6 * i + 1], block[corner + 6 * i + 2]);
        }
        const Mat right = mulMM(&m, axes);
        UNROLL
        for (int j = 0; j < 3; j++) {
            const Vec column = mulTMV(axes, j == 0   ? vec(right.r[0].x, right.r[1].x, right.r[2].x)
                                            : j == 1 ? vec(right.r[0].y, right.r[1].y, right.r[2].y)
                                                     : vec(right.r[0].z, right.r[1].z, right.r[2].z));
            block[corner + j] = column.x;
            block[corner + 6 + j] = column.y;
            block[corner + 12 + j] = column.z;
        }
    }
}

#endif
