// A substep of one world in one thread: XPBD-R for small worlds, written once for the host and the device.
//
//   candidates (kernel_search.h) --> islands --> contacts (kernel_contacts.h), Newton (kernel_solve.h) --> motion
//   (kernel_bodies.h)
//
// It is the method of engine/xpbdr without sweeps, impacts with restitution, rolling friction and sleep, which worlds of
// a kernel do not have. Before this is included: KERNEL_MOVERS, KERNEL_PATCHES, KERNEL_ITEMS, KERNEL_PAIRS.
#ifndef PBDR_GPU_KERNEL_H
#define PBDR_GPU_KERNEL_H

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

// --- The island ---

// The patches of the island's movers, ready to be solved. Returns how many there are.
FN int openPatches(World* world, const Solver* solver, Scratch* scratch)
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
        if (p >= plan->patchCount) {
            break;
        }
        const pbdrKernelPatch* of = &plan->patches[p];
        const int s = patchSlot(plan, p);
        Patch* patch = &world->patches[p];
        patch->moverA = plan->bodies[of->bodyA].mover;
        patch->moverB = of->bodyB >= 0 ? plan->bodies[of->bodyB].mover : -1;
        patch->first = (int)AT(s + PATCH_FIRST);
        patch->count = (int)AT(s + PATCH_COUNT);
        const int owner = patch->moverA >= 0 ? patch->moverA : patch->moverB;
        patch->active = patch->count > 0 && isIn(solver, owner);
        if (!patch->active) {
            continue;
        }
        count++;
        patch->k = k;
        patch->lever = sqrt(1.0 / world->movers[MOVER(owner)].perGyration);
        const double mine = AT(bodySlot(plan, of->bodyA) + BODY_FRICTION);
        Twist load = makeTwist(readVec(values, s + PATCH_LOAD), readVec(values, s + PATCH_LOAD + 3));
        patch->carries = load.u.x != 0.0 || load.u.y != 0.0 || load.u.z != 0.0 || load.w.x != 0.0 ||
                         load.w.y != 0.0 || load.w.z != 0.0;
        load = scaleTwist(1.0 / k, load);
#if KERNEL_PAIRS
        if (of->plane < 0) {
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
    double fresh, old, opened;
    int pushed;
    uint32_t loaded, lost; // movers
} Ending;

// What patches bear stays with them, or nothing does.
BIG Ending closePatches(World* world, const Solver* solver, const Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    double* values = world->values;
    Ending ending;
    ending.fresh = ending.old = ending.opened = 0.0;
    ending.loaded = ending.lost = 0u;
    ending.pushed = 0;
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        ending.pushed = ending.pushed || (isIn(solver, m) && world->movers[m].pushed);
    }
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= plan->patchCount) {
            break;
        }
        const pbdrKernelPatch* of = &plan->patches[p];
        const Patch* patch = &world->patches[p];
        if (!patch->active) {
            continue;
        }
        const int s = patchSlot(plan, p);
        const int carries = patch->loaded && least(patch->fresh, patch->old) > -IMPACT_LOST;
        Twist lag = carries ? patch->lag : noTwist();
        if (of->plane >= 0) {
            const Mat axes = getPlaneFrame(plan, of->plane);
            lag = turnTwistBack(&axes, lag);
        } else if (patch->moverA < 0) {
            lag.u = sub(lag.u, cross(lag.w, patch->between));
        }
        writeVec(values, s + PATCH_LOAD, scale(patch->k, lag.u));
        writeVec(values, s + PATCH_LOAD + 3, scale(patch->k, lag.w));
        AT(s + PATCH_NORMAL) = patch->normal;
        AT(WORLD_CONTACTS) += (double)patch->loaded;
        for (int i = patch->first; i < patch->first + patch->count; i++) {
            if (getBit(scratch->now, i) != getBit(scratch->before, i)) {
                AT(itemSlot(plan, i) + ITEM_TOUCHED) = getBit(scratch->now, i) ? 1.0 : 0.0;
            }
            if (!carries) {
                writeVec(values, itemSlot(plan, i) + ITEM_FRICTION, vec(0.0, 0.0, 0.0));
            }
        }
        const uint32_t bits =
            (patch->moverA >= 0 ? 1u << patch->moverA : 0u) | (patch->moverB >= 0 ? 1u << patch->moverB : 0u);
        ending.fresh = least(ending.fresh, patch->fresh);
        ending.old = least(ending.old, patch->old);
        ending.opened = most(ending.opened, patch->opened);
        ending.loaded |= patch->loaded ? bits : 0u;
        ending.lost |= patch->loaded > 0 && !carries ? bits : 0u;
        const int other = patch->moverA < 0 ? of->bodyA : patch->moverB < 0 ? of->bodyB : -1;
        ending.pushed = ending.pushed || (patch->loaded && other >= 0 && plan->bodies[other].moves < 0);
        const int a = bodySlot(plan, of->bodyA) + BODY_PULL;
        writeVec(values, a, add(readVec(values, a), patch->pull));
        if (of->bodyB >= 0) {
            const int b = bodySlot(plan, of->bodyB) + BODY_PULL;
            writeVec(values, b, sub(readVec(values, b), patch->pull));
        }
    }
    return ending;
}

// Solves and moves the island of some movers. Returns flags.
FN uint32_t stepIsland(World* world, uint32_t mask, Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    double* values = world->values;
    Solver solver;
    const double square = plan->timeStep * plan->timeStep;
    const Vec gravity = vec(plan->gravity[0], plan->gravity[1], plan->gravity[2]);
    solver.mask = mask;
    solver.moverCount = 0;
    solver.perStep = 1.0 / square;
    solver.softness = 1.0;
    solver.rest = REST_ACCELERATION * square;
    solver.worst = most(BAD_REST, length(gravity) * square);
    solver.gap = solver.slip = 0.0;
    solver.steps = solver.cold = solver.dirty = solver.updates = 0;
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        solver.moverCount += isIn(&solver, m);
    }
    const double bodies = (double)solver.moverCount;
    solver.hardness = least(bodies * bodies, HARDEST);
    const int patchCount = openPatches(world, &solver, scratch);
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (!isIn(&solver, m)) {
            continue;
        }
        Mover* mover = &world->movers[m];
        const int body = plan->movers[m], s = bodySlot(plan, body);
        if (patchCount > 0 && AT(s + BODY_HAS_LAST) != 0.0) {
            mover->y =
                makeTwist(readVec(values, s + BODY_LAST_STEP), readVec(values, s + BODY_LAST_STEP + 3));
        } else {
            mover->y = scaleTwist(square, getFreeAcceleration(plan, values, body, mover));
            solver.cold = 1;
        }
        mover->first = mover->y;
    }
    uint32_t flags = 0u;
    Ending ending;
    ending.fresh = ending.old = ending.opened = 0.0;
    ending.loaded = ending.lost = 0u;
    ending.pushed = 0;
    if (patchCount > 0) {
        solveIsland(world, &solver, scratch);
        measureRest(world, &solver, 1);
        ending = closePatches(world, &solver, scratch);
        const double residual = solver.forces > 0.0 ? solver.residual / solver.forces : 0.0;
        flags = !(residual <= BAD_RESIDUAL && most(solver.gap, solver.slip) <= solver.worst)
                    ? FLAG_NOT_CONVERGED
                    : 0u;
        AT(WORLD_STEPS) += (double)solver.steps;
        AT(WORLD_WORST) = most(AT(WORLD_WORST), residual);
    }
    const double old = ending.pushed ? IMPACT_OLD : IMPACT_CLOSED;
    const int impact =
        ending.fresh < -IMPACT_FRESH || ending.old < -old || (!ending.pushed && ending.opened > old);
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (isIn(&solver, m)) {
            const int loaded = (int)(ending.loaded >> m) & 1, lost = (int)(ending.lost >> m) & 1;
            moveBody(plan, values, plan->movers[m], &world->movers[m], loaded, loaded && impact, lost);
        }
    }
    return flags;
}

// --- The world ---

// Which movers make an island with the first of some. Patches with items between two of them join them.
FN uint32_t findIsland(const World* world, uint32_t left)
{
#if KERNEL_MOVERS == 1
    (void)world;
    return left;
#else
    const pbdrKernelPlan* plan = world->plan;
    const double* values = world->values;
    uint32_t island = left & (~left + 1u), last = 0u;
    while (island != last) {
        last = island;
        for (int p = 0; p < plan->patchCount; p++) {
            const pbdrKernelPatch* of = &plan->patches[p];
            if (of->bodyB < 0 || AT(patchSlot(plan, p) + PATCH_COUNT) == 0.0) {
                continue;
            }
            const int a = plan->bodies[of->bodyA].mover, b = plan->bodies[of->bodyB].mover;
            if (a >= 0 && b >= 0 && (((island >> a) | (island >> b)) & 1u) != 0u) {
                island |= (1u << a) | (1u << b);
            }
        }
    }
    return island;
#endif
}

FN uint32_t stepOnce(World* world, Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    double* values = world->values;
    uint32_t flags = 0u;
    int stale = 0;
    for (int p = 0; p < plan->patchCount; p++) {
        stale = stale || isStale(plan, values, p);
    }
    if (stale && searchItems(plan, world->spheres, values)) {
        flags |= FLAG_PAIRS_FULL;
    }
    for (int b = 0; b < plan->bodyCount; b++) {
        writeVec(values, bodySlot(plan, b) + BODY_PULL, vec(0.0, 0.0, 0.0));
    }
    AT(WORLD_CONTACTS) = 0.0;
    uint32_t left = 0u;
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (m < plan->moverCount) {
            setMover(plan, values, plan->movers[m], &world->movers[m]);
            left |= 1u << m;
        }
    }
    while (left != 0u) {
        const uint32_t island = findIsland(world, left);
        flags |= stepIsland(world, island, scratch);
        left &= ~island;
    }
    for (int b = 0; b < plan->bodyCount; b++) {
        if (plan->bodies[b].moves < 0) {
            moveDriven(plan, values, b);
        }
    }
    return flags;
}

// So many substeps of a world whose numbers begin at values.
FN void stepWorld(const pbdrKernelPlan* plan, const double* spheres, double* values, int substepCount)
{
    Scratch scratch;
    World world;
    world.plan = plan;
    world.spheres = spheres;
    world.values = values;
    uint32_t flags = 0u;
    AT(WORLD_WORST) = 0.0;
    for (int i = 0; i < substepCount; i++) {
        flags |= stepOnce(&world, &scratch);
    }
    for (int m = 0; m < plan->moverCount; m++) {
        const int body = bodySlot(plan, plan->movers[m]);
        const double sum =
            length(readVec(values, body + BODY_CENTRE)) + length(readVec(values, body + BODY_VELOCITY));
        flags |= sum < 1.0e300 ? 0u : FLAG_NOT_FINITE;
    }
    AT(WORLD_FLAGS) = (double)flags;
}

#endif
