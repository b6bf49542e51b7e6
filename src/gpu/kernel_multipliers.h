// Multipliers of an island's contacts: what is left of gaps and slips, and how they take over what springs bear
// (engine/xpbdr/multipliers.c).
#ifndef PBDR_GPU_KERNEL_MULTIPLIERS_H
#define PBDR_GPU_KERNEL_MULTIPLIERS_H

#include "gpu/kernel_newton.h"

// T becomes f_t.
FN void holdPatch(const World* world, const Patch* patch, int index, Scratch* scratch)
{
    const Twist y = getPatchMotion(world, patch, index, 0.0);
    for (int i = patch->first; i < patch->first + patch->count; i++) {
        const Item item = getItem(world->plan, world->spheres, world->values, index, patch, scratch, i);
        const Law law = applyLaw(&item, patch, y);
        const Vec hold = law.far > law.bound ? scale(law.bound / law.far, law.p) : law.p;
        double* keep = scratch->kept + i * KEEP_COUNT;
#if KERNEL_PAIRS
        if (world->plan->patches[index].plane < 0) {
            keep[KEEP_PAIR_HOLD] = hold.x;
            keep[KEEP_PAIR_HOLD + 1] = hold.y;
            keep[KEEP_PAIR_HOLD + 2] = hold.z;
            continue;
        }
#endif
        keep[KEEP_HOLD] = hold.x;
        keep[KEEP_HOLD + 1] = hold.y;
    }
}

// Y grows by a displacement that is fitted to the end gaps of the loaded items (engine/xpbdr/multipliers.c).
FN void pressPatch(const World* world, Patch* patch, int index, double gap, const Scratch* scratch)
{
    const Twist y = getPatchMotion(world, patch, index, 0.0);
    const int end = patch->first + patch->count;
    Vec middle = vec(0.0, 0.0, 0.0);
    double loads = 0.0;
    for (int i = patch->first; i < end; i++) {
        const Item item = getItem(world->plan, world->spheres, world->values, index, patch, scratch, i);
        if (applyLaw(&item, patch, y).force > 0.0) {
            middle = add(middle, item.r);
            loads += 1.0;
        }
    }
    if (!(loads > 0.0)) {
        return;
    }
    middle = scale(1.0 / loads, middle);
    double block[36], fit[6];
    for (int i = 0; i < 36; i++) {
        block[i] = 0.0;
    }
    Vec sum = vec(0.0, 0.0, 0.0), moment = vec(0.0, 0.0, 0.0);
    for (int i = patch->first; i < end; i++) {
        const Item item = getItem(world->plan, world->spheres, world->values, index, patch, scratch, i);
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
            system[7 * (i + 3)] += share * linear * patch->lever * patch->lever;
            fit[i] = i == 0 ? sum.x : i == 1 ? sum.y : sum.z;
            fit[i + 3] = i == 0 ? moment.x : i == 1 ? moment.y : moment.z;
        }
        if (!solveDense(system, 6, 6, fit)) {
            return;
        }
        const Vec turn = vec(fit[3], fit[4], fit[5]);
        const Twist lag =
            addTwist(makeTwist(sub(vec(fit[0], fit[1], fit[2]), cross(turn, middle)), turn), 1.0, patch->lag);
        // a fit that would press others in far deeper turns less
        double deepest = 0.0, loaded = 0.0;
        for (int i = patch->first; i < end && attempt < 2; i++) {
            const Item item = getItem(world->plan, world->spheres, world->values, index, patch, scratch, i);
            const double press = -dot(item.n, moveLever(lag, item.r));
            deepest = most(deepest, press);
            loaded = applyLaw(&item, patch, y).force > 0.0 ? most(loaded, press) : loaded;
        }
        if (!(deepest > REACHES * loaded + 1.0e-15)) {
            patch->lag = lag;
            return;
        }
        share = attempt == 0 ? 1.0e-1 : 1.0e3;
    }
}

FN void measureRest(const World* world, Solver* solver, int overlaps)
{
    double gap = 0.0, slip = 0.0;
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= world->plan->patchCount) {
            break;
        }
        const Patch* patch = &world->patches[p];
        if (patch->active) {
            gap = most(gap, overlaps ? most(patch->gap, patch->overlap) : patch->gap);
            slip = most(slip, patch->slip);
        }
    }
    solver->gap = gap;
    solver->slip = sqrt(slip);
}

// The multipliers take over what the springs bear.
FN void updateMultipliers(World* world, const Solver* solver, Scratch* scratch)
{
    // normal forces first: what is set down sinks into springs that bear nothing yet
    const int holds = solver->gap <= SINKING * solver->slip || solver->gap <= solver->wanted;
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= world->plan->patchCount) {
            break;
        }
        Patch* patch = &world->patches[p];
        if (!patch->active) {
            continue;
        }
        if (holds) {
            holdPatch(world, patch, p, scratch);
        }
        if (solver->gap > solver->wanted) {
            pressPatch(world, patch, p, solver->gap, scratch);
        }
    }
}

// Contacts become softer: multipliers bear the same forces, springs less.
FN void soften(World* world, Solver* solver, double factor)
{
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= world->plan->patchCount) {
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
