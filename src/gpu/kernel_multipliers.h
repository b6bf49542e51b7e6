// Multipliers of an island's contacts: what is left of gaps and slips, and how they take over what springs bear
// (engine/xpbdr/multipliers.c).
#ifndef PBDR_GPU_KERNEL_MULTIPLIERS_H
#define PBDR_GPU_KERNEL_MULTIPLIERS_H

#include "gpu/kernel_newton.h"

FN int sphereOf(const pbdrKernelPlan* plan, const double* values, int item)
{
    return getSphereA(readKey(values, itemSlot(plan, item) + ITEM_KEY));
}

// T becomes f_t.
BIG void holdPatch(const World* world, const Patch* patch, int index, const Scratch* scratch)
{
    const Twist y = getPatchMotion(world, patch, index);
    for (int i = patch->first; i < patch->first + patch->count; i++) {
        const Item item =
            getItem(world->plan, world->spheres, world->values, index, world->place, patch, scratch, i);
        const Law law = applyLaw(&item, patch, y);
        const Vec hold = law.far > law.bound ? scale(law.bound / law.far, law.p) : law.p;
        double* values = world->values;
        const int s = itemSlot(world->plan, i) + world->place;
        AT(s) = hold.x;
        AT(s + 1) = hold.y;
        if (!isPlane(world->plan, index)) {
            AT(s + 2) = hold.z;
        }
    }
}

// Y grows by a displacement that is fitted to the end gaps of the loaded items (engine/xpbdr/multipliers.c). On a plane only
// the motion along the normal and the two turns about tangents count: three unknowns, which about the middle of the
// contacts are one and two.
BIG void pressPlane(const World* world, Patch* patch, int index, double gap, const Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    const double* values = world->values;
    const Twist y = getPatchMotion(world, patch, index), old = patch->lag;
    const int end = patch->first + patch->count,
              firstSphere = plan->bodies[plan->patches[index].bodyA].firstSphere;
    const double deepest = -RECOVERY_SPEED * plan->timeStep;
    double count = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, syy = 0.0, se = 0.0, sex = 0.0, sey = 0.0;
    int next = sphereOf(plan, values, patch->first); // read one ahead: none is waited for
    ROLL for (int i = patch->first; i < end; i++)
    {
        const int sphere = next;
        next = sphereOf(plan, values, i + 1 < end ? i + 1 : i);
        const Start start = getStart(world->spheres, firstSphere + sphere, deepest, index, patch, scratch);
        const Vec r = start.r;
        const double e = start.end + (y.u.z + (y.w.x * r.y - y.w.y * r.x));
        if (e + getPress(old.u.z + (old.w.x * r.y - old.w.y * r.x)) < 0.0) {
            count += 1.0;
            sx += r.x;
            sy += r.y;
            sxx += r.x * r.x;
            sxy += r.x * r.y;
            syy += r.y * r.y;
            se += e;
            sex += e * r.x;
            sey += e * r.y;
        }
    }
    if (!(count > 0.0)) {
        return;
    }
    const double mx = sx / count, my = sy / count;
    const double xx = most(sxx - mx * sx, 0.0), yy = most(syy - my * sy, 0.0), xy = sxy - mx * sy;
    const double ex = sex - mx * se, ey = sey - my * se;
    double share = gap > FINE ? FIT_INERTIA : FINE_INERTIA;
    for (int attempt = 0; attempt < 3; attempt++) {
        // (u_z, w_x, w_y) about the middle: gaps are u_z + w_x y - w_y x
        const double more = share * count / patch->perGyration, a = yy + more, b = xx + more;
        const double per = 1.0 / (a * b - xy * xy), lift = se / (count + least(share, 1.0e-3) * count);
        const double wx = per * (b * ey - xy * ex), wy = per * (xy * ey - a * ex);
        Twist lag = old;
        lag.u.z += lift - (wx * my - wy * mx);
        lag.w.x += wx;
        lag.w.y += wy;
        double deepestPress = 0.0, loaded = 0.0;
        for (int i = patch->first; i < end && attempt < 2 && count < patch->count; i++) {
            const Start start = getStart(world->spheres, firstSphere + sphereOf(plan, values, i), deepest,
                                         index, patch, scratch);
            const Vec r = start.r;
            const double e = start.end + (y.u.z + (y.w.x * r.y - y.w.y * r.x));
            const double press = -(lag.u.z + (lag.w.x * r.y - lag.w.y * r.x));
            deepestPress = most(deepestPress, press);
            loaded =
                e + getPress(old.u.z + (old.w.x * r.y - old.w.y * r.x)) < 0.0 ? most(loaded, press) : loaded;
        }
        // a fit that would press others in far deeper turns less; where all are loaded there are no others
        if (!(deepestPress > REACHES * loaded + 1.0e-15)) {
            patch->lag = lag;
            return;
        }
        share = attempt == 0 ? 1.0e-1 : 1.0e3;
    }
}

#if KERNEL_PAIRS
// The fit to several contacts. y: of the patch; middle: of the loaded ones.
BIG Twist fitPair(const pbdrKernelPlan* plan, const double* values, int place, const Patch* patch, int index,
                  Twist y, Vec middle, double gap, const Scratch* scratch)
{
    const int end = patch->first + patch->count;
    double block[36], fit[6];
    for (int i = 0; i < 36; i++) {
        block[i] = 0.0;
    }
    Vec sum = vec(0.0, 0.0, 0.0), moment = vec(0.0, 0.0, 0.0);
    for (int i = patch->first; i < end; i++) {
        const Item item = getItem(plan, NULL, values, index, place, patch, scratch, i);
        const Law law = applyLaw(&item, patch, y);
        if (law.force > 0.0) {
            const Vec n = item.n, r = sub(item.r, middle), pull = scale(law.end, n);
            addBlock(block, scale(n.x, n), scale(n.y, n), scale(n.z, n), r);
            sum = add(sum, pull);
            moment = add(moment, cross(r, pull));
        }
    }
    const double linear = block[0] + block[7] + block[14];
    double share = gap > FINE ? FIT_INERTIA : FINE_INERTIA;
    for (int attempt = 0; attempt < 3; attempt++) {
        double system[36];
        for (int i = 0; i < 36; i++) {
            system[i] = block[i];
        }
        for (int i = 0; i < 3; i++) {
            system[7 * i] += least(share * linear, 1.0e-3 * linear);
            system[7 * (i + 3)] += share * linear / patch->perGyration;
            fit[i] = i == 0 ? sum.x : i == 1 ? sum.y : sum.z;
            fit[i + 3] = i == 0 ? moment.x : i == 1 ? moment.y : moment.z;
        }
        if (!solveDense(system, 6, 6, fit)) {
            return patch->lag;
        }
        const Vec turn = vec(fit[3], fit[4], fit[5]);
        const Twist lag =
            addTwist(makeTwist(sub(vec(fit[0], fit[1], fit[2]), cross(turn, middle)), turn), 1.0, patch->lag);
        // a fit that would press others in far deeper turns less
        double deepest = 0.0, loaded = 0.0;
        for (int i = patch->first; i < end && attempt < 2; i++) {
            const Item item = getItem(plan, NULL, values, index, place, patch, scratch, i);
            const double press = -dot(item.n, moveLever(lag, item.r));
            deepest = most(deepest, press);
            loaded = applyLaw(&item, patch, y).force > 0.0 ? most(loaded, press) : loaded;
        }
        if (!(deepest > REACHES * loaded + 1.0e-15)) {
            return lag;
        }
        share = attempt == 0 ? 1.0e-1 : 1.0e3;
    }
    return patch->lag;
}

#if KERNEL_QUICK
// Apart, on copies: what is rare must not take the registers of the substep around it.
RARE Twist fitApart(const pbdrKernelPlan* plan, const double* values, int place, Patch* patch, int index,
                    Twist y, Vec middle, double gap, const Scratch* scratch)
{
    return fitPair(plan, values, place, patch, index, y, middle, gap, scratch);
}
#endif

BIG void pressPair(const World* world, Patch* patch, int index, double gap, const Scratch* scratch)
{
    const Twist y = getPatchMotion(world, patch, index);
    const int end = patch->first + patch->count;
    Vec middle = vec(0.0, 0.0, 0.0), only = middle;
    double loads = 0.0;
    ROLL for (int i = patch->first; i < end; i++)
    {
        const Item item =
            getItem(world->plan, world->spheres, world->values, index, world->place, patch, scratch, i);
        const Law law = applyLaw(&item, patch, y);
        if (law.force > 0.0) {
            middle = add(middle, item.r);
            only = scale(law.end, item.n);
            loads += 1.0;
        }
    }
    if (!(loads > 0.0)) {
        return;
    }
    middle = scale(1.0 / loads, middle);
    if (loads == 1.0 && (KERNEL_MOVERS == 1 || patch->count == 1)) { // a contact on its own turns nothing
        patch->lag.u = addScaled(patch->lag.u, 1.0 / (1.0 + (gap > FINE ? FIT_INERTIA : FINE_INERTIA)), only);
        return;
    }
#if KERNEL_QUICK
    Patch copy = *patch;
    patch->lag = fitApart(world->plan, world->values, world->place, &copy, index, y, middle, gap, scratch);
#else
    patch->lag = fitPair(world->plan, world->values, world->place, patch, index, y, middle, gap, scratch);
#endif
}

#endif

FN void measureRest(const World* world, Solver* solver)
{
    double gap = 0.0, slip = 0.0;
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= countPatches(world->plan)) {
            break;
        }
        const Patch* patch = &world->patches[p];
        if (patch->active) {
            gap = most(gap, patch->gap);
            slip = most(slip, patch->slip);
        }
    }
    solver->gap = gap;
    solver->slip = slip > 0.0 ? sqrt(slip) : 0.0; // a device's root of zero is slow
}

FN void pressPatches(World* world, double gap, const Scratch* scratch)
{
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= countPatches(world->plan)) {
            break;
        }
        Patch* patch = &world->patches[p];
        if (!patch->active) {
            continue;
        }
#if KERNEL_PAIRS
        if (!isPlane(world->plan, p)) {
            pressPair(world, patch, p, gap, scratch);
            continue;
        }
#endif
        pressPlane(world, patch, p, gap, scratch);
    }
}

// The multipliers take over what the springs bear.
FN void updateMultipliers(World* world, const Solver* solver, const Scratch* scratch)
{
    // normal forces first: what is set down sinks into springs that bear nothing yet
    if (solver->gap <= SINKING * solver->slip || solver->gap <= solver->wanted) {
        EACH_PATCH
        for (int p = 0; p < KERNEL_PATCHES; p++) {
            if (p >= countPatches(world->plan)) {
                break;
            }
            if (world->patches[p].active) {
                holdPatch(world, &world->patches[p], p, scratch);
            }
        }
    }
    if (solver->gap > solver->wanted) {
        pressPatches(world, solver->gap, scratch);
    }
}

// Contacts become softer: multipliers bear the same forces, springs less.
FN void soften(World* world, Solver* solver, double factor)
{
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= countPatches(world->plan)) {
            break;
        }
        if (world->patches[p].active) {
            world->patches[p].lag = scaleTwist(factor, world->patches[p].lag);
            world->patches[p].k /= factor;
        }
    }
    solver->softness *= factor;
}

#endif
