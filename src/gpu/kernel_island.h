// An island of a world in a substep: its patches are opened, solved (kernel_solve.h) and closed, its bodies moved.
#ifndef PBDR_GPU_KERNEL_ISLAND_H
#define PBDR_GPU_KERNEL_ISLAND_H

#include "gpu/kernel_solve.h"

#define STIFFNESS 30.0
#define HARDEST 3000.0
#define MOST_MASSES 3.0
#define IMPACT_FRESH 1.0e-8
#define IMPACT_OLD 1.0e-6
#define IMPACT_CLOSED 1.0e-9
#define IMPACT_LOST 1.0e-5
#define BAD_REST 1.0e-6
#define BAD_RESIDUAL 1.0e-3

// As pbdrStepFlag (pbdr/world.h): a test holds them against each other.
#define FLAG_NOT_FINITE 1u
#define FLAG_PAIRS_FULL 4u
#define FLAG_NOT_CONVERGED 8u
// A smooth substep was not enough: once more, in full.
#define FLAG_AGAIN 0x80000000u

#define LONGEST 4.0 // substeps of BODY_HISTORY
// Substeps after which an inverse is made anew: contacts with other bodies change. Those with a plane alone keep theirs
// until it has become slow, or no longer leads to a solution, and a substep in full makes another.
#if KERNEL_PAIRS
#define RENEWAL 8
#else
#define RENEWAL 0
#endif
#define SLOW_STEPS 3 // of a substep on a plane alone, after which the inverse is made anew all the same

// The patches of the island's movers, ready to be solved. leads: multipliers go on as in the last substeps. Returns
// how many there are.
FN int openPatches(World* world, const Solver* solver, int leads, Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    double* values = world->values;
    double mass = 0.0, heaviest = 0.0;
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (isIn(solver, m)) {
            mass += world->movers[m].mass;
            heaviest = most(heaviest, world->movers[m].mass);
        }
    }
    const double k = STIFFNESS * solver->hardness * least(mass, MOST_MASSES * heaviest) * solver->perStep;
    int count = 0;
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= countPatches(plan)) {
            break;
        }
        const pbdrKernelPatch* of = &plan->patches[p];
        const int s = patchSlot(plan, p);
        Patch* patch = &world->patches[p];
        patch->moverA = KERNEL_QUICK ? 0 : plan->bodies[of->bodyA].mover;
        patch->moverB = KERNEL_QUICK || of->bodyB < 0 ? -1 : plan->bodies[of->bodyB].mover;
        patch->first = (int)AT(s + PATCH_FIRST);
        patch->count = (int)AT(s + PATCH_COUNT);
        const int owner = patch->moverA >= 0 ? patch->moverA : patch->moverB;
        patch->turns = 0;
        patch->active = patch->count > 0 && isIn(solver, owner);
        if (!patch->active) {
            continue;
        }
        count++;
        patch->k = k;
        patch->perGyration = world->movers[MOVER(owner)].perGyration;
        const double mine = AT(bodySlot(plan, of->bodyA) + BODY_FRICTION);
        Twist load = readTwist(values, s + PATCH_LOAD);
        patch->carries = load.u.x != 0.0 || load.u.y != 0.0 || load.u.z != 0.0 || load.w.x != 0.0 ||
                         load.w.y != 0.0 || load.w.z != 0.0;
#if KERNEL_MOVERS == 1
        load = leads ? leadOn(values, s + PATCH_LOAD, s + PATCH_LOAD_BEFORE) : load;
#else
        (void)leads;
#endif
        load = scaleTwist(1.0 / k, load);
#if KERNEL_PAIRS
        if (!isPlane(plan, p)) {
            patch->mu = mixFriction(plan->mixing, mine, AT(bodySlot(plan, of->bodyB) + BODY_FRICTION));
            patch->between = sub(readVec(values, bodySlot(plan, of->bodyA) + BODY_CENTRE),
                                 readVec(values, bodySlot(plan, of->bodyB) + BODY_CENTRE));
            // the multiplier stands about the centre of mass of a body that moves
            load.u = patch->moverA < 0 ? add(load.u, cross(load.w, patch->between)) : load.u;
            patch->lag = load;
            preparePair(plan, world->spheres, values, p, patch, scratch);
            continue;
        }
#endif
        const Mat axes = getPlaneFrame(plan, of->plane);
        patch->mu = mixFriction(plan->mixing, mine, AT(plan->firstPlane + of->plane));
        patch->lag = turnTwist(&axes, load);
        preparePlane(plan, values, p, &world->movers[MOVER(patch->moverA)], patch, scratch);
    }
    return count;
}

// How the island ended, for its bodies.
typedef struct Ending {
    double fresh,
        old; // lowest gaps that the mean velocity would leave, of items that did not touch before and did
    double opened; // and largest
    int pushed, changed;
    int again;             // not by the quick kernel
    uint32_t loaded, lost; // movers
} Ending;

// How far the normal motion of a patch's items in this substep can be at most [m].
FN double getLargestMotion(const World* world, const Patch* patch, int index)
{
    const pbdrKernelPlan* plan = world->plan;
    const pbdrKernelBody* a = &plan->bodies[plan->patches[index].bodyA];
    const Twist y = getPatchMotion(world, patch, index);
    const double reach = STRETCH * (a->reach + a->largestRadius);
    const double linear = isPlane(plan, index) ? size(y.u.z) : size(y.u.x) + size(y.u.y) + size(y.u.z);
    return linear + reach * (size(y.w.x) + size(y.w.y) + size(y.w.z));
}

// Whether items must be looked at one by one: others are loaded than before, or the mean velocity might part or press
// them. That is rare.
FN int mustLook(const World* world, const Ending* ending, double gap)
{
    double motion = 0.0;
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= countPatches(world->plan)) {
            break;
        }
        const Patch* patch = &world->patches[p];
        if (patch->active && patch->loaded) {
            if (patch->changed || patch->turns) {
                return 1;
            }
            motion = most(motion, getLargestMotion(world, patch, p));
        } else if (patch->active && patch->changed) {
            return 1;
        }
    }
    return !(0.5 * motion + gap <= (ending->pushed ? IMPACT_OLD : IMPACT_CLOSED));
}

// What the mean velocity leaves of gaps: the lowest of items that did not touch before and of those that did, the largest
// of these, and the lowest of all.
typedef struct Look {
    double fresh, old, opened, lowest;
} Look;

// Items one by one: which are loaded, and what the mean velocity leaves of their gaps.
RARE Look lookAtItems(const World* world, int index, const Scratch* scratch)
{
    double* values = world->values;
    const Patch* patch = &world->patches[index];
    const Twist y = getPatchMotion(world, patch, index);
    Look look;
    look.fresh = look.old = look.opened = look.lowest = 0.0;
    for (int i = patch->first; i < patch->first + patch->count; i++) {
        const int s = itemSlot(world->plan, i) + ITEM_KEY, key = readKey(values, s);
        const Item item =
            getItem(world->plan, world->spheres, values, index, world->place, patch, scratch, i);
        const Law law = applyLaw(&item, patch, y);
        if (law.force > 0.0) {
            const double mean = 0.5 * (item.ahead + law.end);
            const int before = (key & TOUCHED) != 0;
            look.old = before ? least(mean, look.old) : look.old;
            look.opened = before ? most(mean, look.opened) : look.opened;
            look.fresh = before ? look.fresh : least(mean, look.fresh);
            look.lowest = least(mean, look.lowest);
        }
        writeKey(values, s, law.force > 0.0 ? key | TOUCHED : key & ~TOUCHED);
    }
    return look;
}

FN Look lookApart(const World* world, int index, const Scratch* scratch)
{
#if KERNEL_PAIRS
    return lookAtItems(world, index, scratch);
#else
    const World copy = *world; // as kernel_solve.h says
    const Scratch of = *scratch;
    return lookAtItems(&copy, index, &of);
#endif
}

// What patches bear stays with them, or nothing does.
BIG Ending closePatches(World* world, const Solver* solver, const Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    double* values = world->values;
    Ending ending;
    ending.fresh = ending.old = ending.opened = 0.0;
    ending.loaded = ending.lost = 0u;
    ending.pushed = ending.changed = ending.again = 0;
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        ending.pushed = ending.pushed || (isIn(solver, m) && world->movers[m].pushed);
    }
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= countPatches(plan)) {
            break;
        }
        const pbdrKernelPatch* of = &plan->patches[p];
        const Patch* patch = &world->patches[p];
        const int other = patch->moverA < 0 ? of->bodyA : patch->moverB < 0 ? of->bodyB : -1;
        ending.pushed =
            ending.pushed || (patch->active && patch->loaded && other >= 0 && plan->bodies[other].moves < 0);
    }
    const int looks = mustLook(world, &ending, solver->gap);
#if KERNEL_QUICK
    (void)scratch;
    if (looks || !world->patches[0].loaded) {
        ending.again = 1; // before anything is written
        return ending;
    }
#endif
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= countPatches(plan)) {
            break;
        }
        const pbdrKernelPatch* of = &plan->patches[p];
        const Patch* patch = &world->patches[p];
        if (!patch->active) {
            continue;
        }
        const int s = patchSlot(plan, p);
        ending.changed = ending.changed || patch->changed;
        double lowest = 0.0;
#if !KERNEL_QUICK
        if (looks) {
            const Look look = lookApart(world, p, scratch);
            lowest = look.lowest;
            ending.fresh = least(ending.fresh, look.fresh);
            ending.old = least(ending.old, look.old);
            ending.opened = most(ending.opened, look.opened);
        }
#endif
        const int carries = patch->loaded && lowest > -IMPACT_LOST;
        Twist lag = carries ? patch->lag : noTwist();
        if (isPlane(plan, p)) {
            const Mat axes = getPlaneFrame(plan, of->plane);
            lag = turnTwistBack(&axes, lag);
        } else if (patch->moverA < 0) {
            lag.u = sub(lag.u, cross(lag.w, patch->between));
        }
#if KERNEL_MOVERS == 1
        writeRow(values, s + PATCH_LOAD, s + PATCH_LOAD_BEFORE, scaleTwist(patch->k, lag));
#else
        writeTwist(values, s + PATCH_LOAD, scaleTwist(patch->k, lag));
#endif
        AT(s + PATCH_NORMAL) = patch->normal;
        world->contacts += patch->loaded;
        for (int i = patch->first; i < patch->first + patch->count && !carries; i++) {
            writeVec(values, itemSlot(plan, i) + world->other, vec(0.0, 0.0, 0.0));
        }
        const uint32_t bits =
            (patch->moverA >= 0 ? 1u << patch->moverA : 0u) | (patch->moverB >= 0 ? 1u << patch->moverB : 0u);
        ending.loaded |= patch->loaded ? bits : 0u;
        ending.lost |= patch->loaded > 0 && !carries ? bits : 0u;
        const int a = bodySlot(plan, of->bodyA) + BODY_PULL;
#if KERNEL_PAIRS
        writeVec(values, a, add(readVec(values, a), patch->pull));
#else
        writeVec(values, a, add(vec(0.0, 0.0, 0.0), patch->pull)); // its only patch
#endif
        if (!isPlane(plan, p)) {
            const int b = bodySlot(plan, of->bodyB) + BODY_PULL;
            writeVec(values, b, sub(readVec(values, b), patch->pull));
        }
    }
    return ending;
}

// The island of some movers, ready to be solved: its settings, patches, and where to start. leads: from where the last
// substeps lead. Returns how many patches there are.
FN int openIsland(World* world, uint32_t mask, int leads, Solver* solver, Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    const double* values = world->values;
    const double square = plan->timeStep * plan->timeStep;
    solver->mask = mask;
    solver->moverCount = 0;
    solver->perStep = plan->perStep;
    solver->softness = 1.0;
    solver->rest = REST_ACCELERATION * square;
    solver->worst = most(BAD_REST, plan->weight * square);
    solver->gap = solver->slip = 0.0;
    solver->steps = solver->cold = solver->dirty = solver->updates = 0;
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        solver->moverCount += isIn(solver, m);
    }
    const double bodies = (double)solver->moverCount;
    solver->hardness = least(bodies * bodies, HARDEST);
    const int patchCount = openPatches(world, solver, leads, scratch);
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (!isIn(solver, m)) {
            continue;
        }
        Mover* mover = &world->movers[m];
        const int body = plan->movers[m], s = bodySlot(plan, body);
        if (patchCount > 0 && AT(s + BODY_HISTORY) != 0.0) {
            mover->y = leads ? leadOn(values, s + BODY_LAST_STEP, s + BODY_STEP_BEFORE)
                             : readTwist(values, s + BODY_LAST_STEP);
        } else {
            mover->y = scaleTwist(square, getFreeAcceleration(plan, values, body, mover));
            solver->cold = 1;
        }
        mover->first = mover->at = mover->y;
    }
    return patchCount;
}

// Solves and moves the island of some movers. smooth: by solveSmoothly. Returns flags, or FLAG_AGAIN: nothing is done.
FN uint32_t stepIsland(World* world, uint32_t mask, int smooth, Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    double* values = world->values;
    Solver solver;
    const int leads = smooth && AT(bodySlot(plan, plan->movers[0]) + BODY_HISTORY) == LONGEST;
    const int patchCount = openIsland(world, mask, leads, &solver, scratch);
    if (KERNEL_QUICK && (patchCount == 0 || world->patches[0].turns)) {
        return FLAG_AGAIN;
    }
    uint32_t flags = 0u;
    Ending ending;
    ending.fresh = ending.old = ending.opened = 0.0;
    ending.loaded = ending.lost = 0u;
    ending.pushed = ending.changed = ending.again = 0;
    if (patchCount > 0) {
#if KERNEL_MOVERS == 1
        if (smooth) {
            if (!solveSmoothly(world, &solver, scratch)) {
                return FLAG_AGAIN;
            }
        } else
#endif
        {
            solveIsland(world, &solver, scratch);
            measureRest(world, &solver);
        }
        ending = closePatches(world, &solver, scratch);
        if (KERNEL_QUICK && ending.again) {
            return FLAG_AGAIN;
        }
        const double residual = solver.forces > 0.0 ? solver.residual / solver.forces : 0.0;
        flags = !(residual <= BAD_RESIDUAL && most(solver.gap, solver.slip) <= solver.worst)
                    ? FLAG_NOT_CONVERGED
                    : 0u;
        world->steps += solver.steps;
        world->worst = most(world->worst, residual);
    }
    const double old = ending.pushed ? IMPACT_OLD : IMPACT_CLOSED;
    const int impact =
        ending.fresh < -IMPACT_FRESH || ending.old < -old || (!ending.pushed && ending.opened > old);
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (isIn(&solver, m)) {
            const int loaded = (int)(ending.loaded >> m) & 1, lost = (int)(ending.lost >> m) & 1;
            const double before = AT(bodySlot(plan, plan->movers[m]) + BODY_HISTORY);
            const double history = !loaded || lost            ? 0.0
                                   : impact || ending.changed ? 1.0
                                                              : least(before + 1.0, LONGEST);
            moveBody(plan, values, plan->movers[m], &world->movers[m], loaded, loaded && impact, history);
        }
    }
    return flags;
}

#endif
