// A substep of one world in one thread: XPBD-R for small worlds, written once for the host and the device.
//
//   candidates (kernel_search.h) --> islands --> contacts (kernel_contacts.h), Newton (kernel_solve.h) --> motion
//   (kernel_bodies.h); kernel_island.h ties the last three together
//
// It is the method of engine/xpbdr without sweeps, impacts with restitution, rolling friction and sleep, which worlds of
// a kernel do not have. Before this is included: KERNEL_MOVERS, KERNEL_PATCHES, KERNEL_ITEMS, KERNEL_PAIRS.
#ifndef PBDR_GPU_KERNEL_H
#define PBDR_GPU_KERNEL_H

#include "gpu/kernel_island.h"

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

// One substep, with items that are not stale. smooth: as far as nothing else is needed; FLAG_AGAIN if something is.
FN uint32_t stepOnce(World* world, int smooth, Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    double* values = world->values;
    uint32_t flags = 0u;
#if KERNEL_MOVERS == 1
    const int mover = bodySlot(plan, plan->movers[0]);
    if (smooth && (AT(mover + BODY_HISTORY) == 0.0 || AT(mover + BODY_HAS_INVERSE) == 0.0)) {
        return FLAG_AGAIN;
    }
#endif
#if !KERNEL_QUICK || KERNEL_PAIRS
    for (int b = 0; b < plan->bodyCount; b++) {
        writeVec(values, bodySlot(plan, b) + BODY_PULL, vec(0.0, 0.0, 0.0));
    }
#endif
    world->contacts = 0;
    world->movers[0].precesses = 0;
    uint32_t left = 0u;
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (m < plan->moverCount) {
            setMover(plan, values, plan->movers[m], &world->movers[m]);
            left |= 1u << m;
        }
    }
#if KERNEL_QUICK
    if (world->movers[0].precesses) {
        return FLAG_AGAIN;
    }
#endif
    while (left != 0u) {
        const uint32_t island = findIsland(world, left), ended = stepIsland(world, island, smooth, scratch);
        if (ended == FLAG_AGAIN) {
            return FLAG_AGAIN;
        }
        flags |= ended;
        left &= ~island;
    }
    for (int b = 0; b < plan->bodyCount; b++) {
        if (plan->bodies[b].moves < 0) {
            moveDriven(plan, values, b);
        }
    }
    return flags;
}

// What a launch counts.
typedef struct Count {
    double worst;
    int steps, contacts;
    int smooth; // nothing else was needed
    uint32_t flags;
} Count;

FN void setWorld(const pbdrKernelPlan* plan, const double* spheres, double* values, int place, int shows,
                 World* world)
{
    world->plan = plan;
    world->spheres = spheres;
    world->values = values;
    world->place = place ? ITEM_OTHER : ITEM_FRICTION;
    world->other = place ? ITEM_FRICTION : ITEM_OTHER;
    world->shows = shows;
    world->contacts = world->steps = 0;
    world->worst = 0.0;
}

FN Count stepIn(const pbdrKernelPlan* plan, const double* spheres, double* values, int place, int shows,
                int smooth)
{
    Scratch scratch;
    World world;
    Count count;
    KNOW_PLACES(values, spheres);
    setWorld(plan, spheres, values, place, shows, &world);
    count.flags = stepOnce(&world, smooth, &scratch);
    count.worst = world.worst;
    count.steps = world.steps;
    count.contacts = world.contacts;
    count.smooth = smooth;
    return count;
}

// The items of a world anew, if something has moved by its margin. Returns FLAG_PAIRS_FULL or 0.
FN uint32_t refreshWorld(const pbdrKernelPlan* plan, const double* spheres, double* values, int place)
{
    return refreshItems(plan, spheres, values, place ? ITEM_OTHER : ITEM_FRICTION) ? FLAG_PAIRS_FULL : 0u;
}

#if KERNEL_MOVERS == 1
// The inverse of the Jacobian anew, where the last substep ended.
RARE void renewInverse(const pbdrKernelPlan* plan, const double* spheres, double* values, int place)
{
    Scratch scratch;
    World world;
    Solver solver;
    KNOW_PLACES(values, spheres);
    setWorld(plan, spheres, values, place, 0, &world);
    setMover(plan, values, plan->movers[0], &world.movers[0]);
    if (openIsland(&world, 1u, 0, &solver, &scratch) > 0) {
        world.movers[0].residual = noTwist();
        findStep(&world, &solver, &scratch);
    }
}

// When an inverse is made anew. Among other bodies, where contacts change, after RENEWAL substeps: all worlds that began
// together do so in the same one, and no thread waits for another. On a plane alone, after a substep that has become
// slow: age is 1 then.
FN int isDue(int* age)
{
#if RENEWAL > 0
    *age = *age + 1 < RENEWAL ? *age + 1 : 0;
    return *age == 0;
#else
    return *age != 0;
#endif
}

// The age after a substep of so many steps.
FN int getAge(int age, int steps)
{
    return RENEWAL > 0 ? age : steps >= SLOW_STEPS;
}
#endif

#if KERNEL_DESK
// The world's inverse, from its numbers into shared memory.
FN void takeInverse(const pbdrKernelPlan* plan, const double* spheres, const double* values)
{
    double* desk = getDesk(plan, spheres);
    const int s = bodySlot(plan, plan->movers[0]) + BODY_INVERSE;
    UNROLL
    for (int k = 0; k < 36; k++) {
        desk[k * 32] = AT(s + k);
    }
}
#else
#define takeInverse(plan, spheres, values)
#endif

#if KERNEL_QUICK
// As many of a launch's substeps as are smooth: how many are left then stands in the world's numbers, and stepWorld goes on.
// The substeps that it does have the bits that stepWorld would give them. rest: a launch goes on, with what is left of it.
FN int stepQuickly(const pbdrKernelPlan* plan, const double* spheres, double* values, int substepCount,
                   int rest)
{
    int place = AT(WORLD_PLACE) != 0.0, left = rest ? (int)AT(WORLD_LEFT) : substepCount,
        contacts = (int)AT(WORLD_CONTACTS), age = (int)AT(WORLD_AGE);
    double worst = rest ? AT(WORLD_WORST) : 0.0, steps = 0.0;
    uint32_t flags = rest ? (uint32_t)AT(WORLD_FLAGS) : 0u;
    takeInverse(plan, spheres, values);
    ROLL for (; left > 0; left--)
    {
        flags |= refreshWorld(plan, spheres, values, place);
#if KERNEL_PAIRS
        if (AT(patchSlot(plan, 1) + PATCH_COUNT) > (double)KEPT) {
            break;
        }
#endif
        int next = age;
        if (isDue(&next)) {
            renewInverse(plan, spheres, values, place);
            takeInverse(plan, spheres, values);
        }
        const Count count = stepIn(plan, spheres, values, place, left == 1, 1);
        if (count.flags == FLAG_AGAIN) {
            break;
        }
        flags |= count.flags;
        worst = most(worst, count.worst);
        steps += (double)count.steps;
        contacts = count.contacts;
        age = getAge(next, count.steps);
        place = !place;
    }
    const int body = bodySlot(plan, plan->movers[0]);
    const double sum = size(AT(body + BODY_CENTRE)) + size(AT(body + BODY_CENTRE + 1)) +
                       size(AT(body + BODY_CENTRE + 2)) + bound(readVec(values, body + BODY_VELOCITY));
    AT(WORLD_FLAGS) = (double)(flags | (sum < 1.0e300 ? 0u : FLAG_NOT_FINITE));
    AT(WORLD_STEPS) += steps;
    AT(WORLD_WORST) = worst;
    AT(WORLD_CONTACTS) = (double)contacts;
    AT(WORLD_PLACE) = place ? 1.0 : 0.0;
    AT(WORLD_AGE) = (double)age;
    AT(WORLD_LEFT) = (double)left;
    return left;
}
#else
// A substep with all that may be needed, in memory of its own, which is seldom touched.
RARE Count stepInFull(const pbdrKernelPlan* plan, const double* spheres, double* values, int place, int shows)
{
    return stepIn(plan, spheres, values, place, shows, 0);
}

#if KERNEL_MOVERS == 1
// A substep as smoothly as it may be. *age: of the inverse.
FN Count stepOn(const pbdrKernelPlan* plan, const double* spheres, double* values, int place, int shows,
                int* age)
{
    if (isDue(age)) {
        renewInverse(plan, spheres, values, place);
    }
    const Count count = stepIn(plan, spheres, values, place, shows, 1);
    if (count.flags == FLAG_AGAIN) {
        *age = getAge(*age, 0);
        return stepInFull(plan, spheres, values, place, shows);
    }
    *age = getAge(*age, count.steps);
    return count;
}
#endif

// So many substeps of a world whose numbers begin at values. rest: as many as the quick kernel has left; turns: until one of
// them was smooth, since the quick kernel may go on from there. Returns how many are left then.
FN int stepWorld(const pbdrKernelPlan* plan, const double* spheres, double* values, int substepCount,
                 int rest, int turns)
{
    uint32_t flags = rest ? (uint32_t)AT(WORLD_FLAGS) : 0u;
    const int wanted = rest ? (int)AT(WORLD_LEFT) : substepCount;
    if (rest && wanted == 0) {
        return 0;
    }
    int place = AT(WORLD_PLACE) != 0.0, age = (int)AT(WORLD_AGE), left = wanted;
    Count count;
    count.contacts = (int)AT(WORLD_CONTACTS); // of a launch of none
    count.smooth = 0;
    double worst = rest ? AT(WORLD_WORST) : 0.0, steps = 0.0;
    ROLL for (; left > 0 && !(turns && count.smooth); left--)
    {
        flags |= refreshWorld(plan, spheres, values, place);
#if KERNEL_MOVERS == 1
        count = stepOn(plan, spheres, values, place, left == 1, &age);
#else
        count = stepInFull(plan, spheres, values, place, left == 1);
#endif
        flags |= count.flags;
        worst = most(worst, count.worst);
        steps += (double)count.steps;
        place = !place;
    }
    for (int m = 0; m < plan->moverCount; m++) {
        const int body = bodySlot(plan, plan->movers[m]);
        const double sum =
            length(readVec(values, body + BODY_CENTRE)) + length(readVec(values, body + BODY_VELOCITY));
        flags |= sum < 1.0e300 ? 0u : FLAG_NOT_FINITE;
    }
    AT(WORLD_FLAGS) = (double)flags;
    AT(WORLD_STEPS) += steps;
    AT(WORLD_WORST) = worst;
    AT(WORLD_CONTACTS) = (double)count.contacts;
    AT(WORLD_PLACE) = place ? 1.0 : 0.0;
    AT(WORLD_AGE) = (double)age;
    AT(WORLD_LEFT) = (double)left;
    AT(WORLD_SLOW) += rest ? (double)(wanted - left) : 0.0;
    return left;
}
#endif

#endif
