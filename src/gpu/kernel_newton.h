// Newton's method on the contacts of one island, in one thread (engine/xpbdr/solve.c has the method, and why each number
// is what it is). All that needs the forces at some y goes through one place, the evaluation at the head of a loop: so
// the threads of a warp stay together there, whatever each is doing.
#ifndef PBDR_GPU_KERNEL_NEWTON_H
#define PBDR_GPU_KERNEL_NEWTON_H

#include "gpu/kernel_items.h"

#define REST_ACCELERATION 1.0e-8
#define STEPS 80
#define PATIENCE 10
#define UPDATES 20
#define SOFTER 100.0
#define SOFTEST 100.0
#define LEVEL 10.0
#define LEVEL_REST 1.0e-9
#define SINKING 0.1
#define UPDATE_AT 1.0e-4
#define LAGGED_AT 1.0e-6
#define ROUNDING 1.0e-9
#define ROUNDED_REST 1.0e-9
#define NEAR 1.0e-9
#define FIT_INERTIA 1.0e-3
#define FINE 1.0e-6
#define FINE_INERTIA 1.0e-6
#define REACHES 2.0

#if KERNEL_MOVERS == 1
#define MOVER(i) 0
#else
#define MOVER(i) (i)
#endif
// Movers of small worlds stand in registers.
#if KERNEL_MOVERS <= 2
#define EACH_MOVER UNROLL
#else
#define EACH_MOVER ROLL
#endif
// And so do few patches.
#if KERNEL_QUICK
#define EACH_PATCH UNROLL
#elif KERNEL_PATCHES <= 4
#define EACH_PATCH
#else
#define EACH_PATCH ROLL
#endif

// What is evaluated, and what follows.
typedef enum Mode {
    modeStart,
    modeAgain,
    modeLagged,
    modeFull,
    modeSearch,
    modeNarrow,
    modeBest,
    modeEnd
} Mode;
// Which try it is.
typedef enum Phase { phaseFirst, phaseSoft, phaseAfter, phaseClimb, phaseLast } Phase;

// A world being stepped.
typedef struct World {
    const pbdrKernelPlan* plan;
    const double* spheres;
    double* values;
    int place; // where T stands in an item (WORLD_PLACE), and where its forces go
    int other;
    int shows;           // 1: forces of items go to where wrenches are summed from (kernel_wrench.h)
    int contacts, steps; // that bear load; Newton's, in this substep
    double worst;        // residual over the sum of forces
    Mover movers[KERNEL_MOVERS];
    Patch patches[KERNEL_PATCHES];
} World;

typedef struct Solver {
    uint32_t mask; // movers of the island
    int moverCount;
    double perStep; // 1/dt^2
    double rest;    // end gaps and slips that count as zero [m]
    double worst;   // and those that do not count as converged
    double hardness, softness;
    double residual, forces;           // of the present state
    double trialResidual, trialForces; // of the one evaluated last
    double gap, slip;                  // measured last [m]
    double best;
    double wanted; // of the try: end gaps and slips
    int steps, last, idle, patience, updates;
    int lagged, cold, dirty;
} Solver;

FN int isIn(const Solver* solver, int mover)
{
    return (int)(solver->mask >> mover) & 1;
}

// A patch's motion at the state that is evaluated, in its axes.
FN Twist getPatchMotion(const World* world, const Patch* patch, int index)
{
    const Twist a = patch->moverA >= 0 ? world->movers[MOVER(patch->moverA)].at : noTwist();
    const pbdrKernelPatch* of = &world->plan->patches[index];
    if (isPlane(world->plan, index)) {
        const Mat axes = getPlaneFrame(world->plan, of->plane);
        return turnTwist(&axes, a);
    }
#if KERNEL_PAIRS
    if (patch->moverB >= 0) {
        return subtractTwist(a, world->movers[MOVER(patch->moverB)].at, patch->between);
    }
#endif
    return a;
}

// Forces, residuals and their norm at the movers' `at`. to: where the items' friction goes, or 0.
FN void evaluate(World* world, Solver* solver, int to, const Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    solver->trialForces = 0.0;
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (isIn(solver, m)) {
            Mover* mover = &world->movers[m];
            mover->residual =
                makeTwist(addScaled(mover->load.u, -solver->perStep * mover->mass, mover->at.u),
                          addScaled(mover->load.w, -solver->perStep, mulMV(&mover->inertia, mover->at.w)));
            solver->trialForces += mover->loadSize;
        }
    }
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= countPatches(plan)) {
            break;
        }
        Patch* patch = &world->patches[p];
        if (!patch->active) {
            continue;
        }
        const pbdrKernelPatch* of = &plan->patches[p];
        const Twist y = getPatchMotion(world, patch, p);
        Twist f;
#if KERNEL_PAIRS
        if (!isPlane(plan, p)) {
            f = evaluatePair(plan, world->values, world->place, to, world->shows, y, patch, scratch,
                             &solver->trialForces);
        } else
#endif
        {
            const Mat axes = getPlaneFrame(plan, of->plane);
            f = turnTwistBack(&axes, evaluatePlane(plan, world->spheres, world->values, p, world->place, to,
                                                   world->shows, y, patch, scratch, &solver->trialForces));
        }
        patch->pull = f.u;
        if (patch->moverA >= 0) {
            Mover* mover = &world->movers[MOVER(patch->moverA)];
            mover->residual = addTwist(mover->residual, 1.0, f);
        }
#if KERNEL_PAIRS
        if (patch->moverB >= 0) {
            Mover* mover = &world->movers[MOVER(patch->moverB)];
            mover->residual =
                addTwist(mover->residual, -1.0, makeTwist(f.u, add(f.w, cross(patch->between, f.u))));
        }
#endif
    }
    double square = 0.0;
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        square += isIn(solver, m) ? getNorm(&world->movers[m], world->movers[m].residual) : 0.0;
    }
    solver->trialResidual = sqrt(square);
}

// Where to evaluate: y + share step.
FN void place(World* world, const Solver* solver, double share)
{
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (isIn(solver, m)) {
            world->movers[m].at = addTwist(world->movers[m].y, share, world->movers[m].step);
        }
    }
}

FN void accept(World* world, Solver* solver)
{
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (isIn(solver, m)) {
            world->movers[m].y = world->movers[m].at;
        }
    }
    solver->residual = solver->trialResidual;
    solver->forces = solver->trialForces;
    solver->dirty = 0;
}

// --- Steps ---

// K X and X^T K of a block K about A: X turns B's motion into what A's centre of mass sees of it.
#if KERNEL_PAIRS
FN void carryColumns(double* block, Vec between)
{
    UNROLL
    for (int i = 0; i < 6; i++) {
        // -k [b]x = b x k
        const Vec turn = cross(between, vec(block[6 * i], block[6 * i + 1], block[6 * i + 2]));
        block[6 * i + 3] += turn.x;
        block[6 * i + 4] += turn.y;
        block[6 * i + 5] += turn.z;
    }
}

FN void carryRows(double* block, Vec between)
{
    UNROLL
    for (int j = 0; j < 6; j++) {
        const Vec turn = cross(between, vec(block[j], block[6 + j], block[12 + j]));
        block[18 + j] += turn.x;
        block[24 + j] += turn.y;
        block[30 + j] += turn.z;
    }
}

// A mover's place among the unknowns.
FN int getPlace(const Solver* solver, int mover)
{
    int place = 0;
    for (int m = 0; m < mover; m++) {
        place += isIn(solver, m);
    }
    return 6 * place;
}
#endif

// What a patch has in the Jacobian, about A's centre of mass, world axes. near: items as near as that count as loaded.
FN void stiffenPatch(const World* world, int index, double near, const Scratch* scratch, double block[36])
{
    const pbdrKernelPlan* plan = world->plan;
    const Patch* patch = &world->patches[index];
    const Twist y = getPatchMotion(world, patch, index);
    UNROLL
    for (int i = 0; i < 36; i++) {
        block[i] = 0.0;
    }
    ROLL for (int i = patch->first; i < patch->first + patch->count; i++)
    {
        const Item item =
            getItem(plan, world->spheres, world->values, index, world->place, patch, scratch, i);
        stiffenItem(&item, patch, y, near, block);
    }
    if (isPlane(plan, index)) {
        const Mat axes = getPlaneFrame(plan, plan->patches[index].plane);
        turnBlock(&axes, block);
    }
    UNROLL
    for (int i = 0; i < 36; i++) {
        block[i] *= patch->k;
    }
}

FN double getNear(const Solver* solver)
{
    return solver->cold && solver->steps == 0 ? NEAR : 0.0;
}

#if KERNEL_MOVERS == 1
// A body on its own: the Jacobian's sums, its factors and the step stand in registers, and its inverse stays for the next
// substeps. Returns 0 if there is no step.
FN int findStep(World* world, const Solver* solver, const Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    Mover* mover = &world->movers[0];
    double system[36];
    UNROLL
    for (int i = 0; i < 36; i++) {
        system[i] = i % 7 == 0 && i < 18 ? solver->perStep * mover->mass : 0.0;
    }
    UNROLL
    for (int i = 0; i < 3; i++) {
        system[21 + 6 * i] = solver->perStep * mover->inertia.r[i].x;
        system[22 + 6 * i] = solver->perStep * mover->inertia.r[i].y;
        system[23 + 6 * i] = solver->perStep * mover->inertia.r[i].z;
    }
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= countPatches(plan)) {
            break;
        }
        if (!world->patches[p].active) {
            continue;
        }
        double block[36];
        stiffenPatch(world, p, getNear(solver), scratch, block);
#if KERNEL_PAIRS
        if (world->patches[p].moverA < 0) { // B moves
            carryColumns(block, world->patches[p].between);
            carryRows(block, world->patches[p].between);
        }
#endif
        UNROLL
        for (int i = 0; i < 36; i++) {
            system[i] += block[i];
        }
    }
    double* values = world->values;
    const int s = bodySlot(plan, plan->movers[0]), swaps = factorSix(system);
    AT(s + BODY_HAS_INVERSE) = swaps >= 0 ? 1.0 : 0.0;
    if (swaps < 0) {
        return 0;
    }
    mover->step = solveSix(system, swaps, mover->residual);
    ROLL for (int j = 0; j < 6; j++)
    { // column by column
        const Twist column =
            solveSix(system, swaps,
                     makeTwist(vec(j == 0 ? 1.0 : 0.0, j == 1 ? 1.0 : 0.0, j == 2 ? 1.0 : 0.0),
                               vec(j == 3 ? 1.0 : 0.0, j == 4 ? 1.0 : 0.0, j == 5 ? 1.0 : 0.0)));
        writeVec(values, s + BODY_INVERSE + 6 * j, column.u);
        writeVec(values, s + BODY_INVERSE + 6 * j + 3, column.w);
    }
    return 1;
}
#else
// Newton's step with the exact Jacobian, into the movers. Returns 0 if there is none.
BIG int findStep(World* world, const Solver* solver, const Scratch* scratch)
{
    const pbdrKernelPlan* plan = world->plan;
    enum { PITCH = 6 * KERNEL_MOVERS };
    double system[PITCH * PITCH], x[PITCH];
    const int n = 6 * solver->moverCount;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            system[i * PITCH + j] = 0.0;
        }
    }
    int place = 0;
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (!isIn(solver, m)) {
            continue;
        }
        const Mover* mover = &world->movers[m];
        for (int i = 0; i < 3; i++) {
            system[(place + i) * PITCH + place + i] = solver->perStep * mover->mass;
            double* row = system + (place + 3 + i) * PITCH + place + 3;
            row[0] = solver->perStep * mover->inertia.r[i].x;
            row[1] = solver->perStep * mover->inertia.r[i].y;
            row[2] = solver->perStep * mover->inertia.r[i].z;
        }
        for (int k = 0; k < 6; k++) {
            x[place + k] = getTwistAt(mover->residual, k);
        }
        place += 6;
    }
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= countPatches(plan)) {
            break;
        }
        const Patch* patch = &world->patches[p];
        if (!patch->active) {
            continue;
        }
        double block[36];
        stiffenPatch(world, p, getNear(solver), scratch, block);
        const int a = patch->moverA >= 0 ? getPlace(solver, patch->moverA) : -1;
        const int b = patch->moverB >= 0 ? getPlace(solver, patch->moverB) : -1;
        for (int side = 0; side < 4; side++) { // AA, AB, BB, BA: what is carried to B stays so
            if (side == 1) {
                carryColumns(block, patch->between);
            } else if (side == 2) {
                carryRows(block, patch->between);
            } else if (side == 3) {
                carryColumns(block, scale(-1.0, patch->between));
            }
            const int row = side < 2 ? a : b, column = side == 0 || side == 3 ? a : b;
            if (row >= 0 && column >= 0) {
                for (int i = 0; i < 36; i++) {
                    system[(row + i / 6) * PITCH + column + i % 6] += side % 2 == 0 ? block[i] : -block[i];
                }
            }
            if (plan->patches[p].plane >= 0) {
                break;
            }
        }
    }
    if (!solveDense(system, PITCH, n, x)) {
        return 0;
    }
    place = 0;
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (isIn(solver, m)) {
            const double* step = x + place;
            world->movers[m].step = makeTwist(vec(step[0], step[1], step[2]), vec(step[3], step[4], step[5]));
            place += 6;
        }
    }
    return 1;
}
#endif

// The step with the inverse of the last substep. Returns 0 if there is none.
FN int findLaggedStep(World* world, const Solver* solver)
{
#if KERNEL_MOVERS == 1
    const double* values = world->values;
    const int s = bodySlot(world->plan, world->plan->movers[0]);
    (void)solver;
    Mover* mover = &world->movers[0];
    const Twist f = mover->residual;
    Twist step = noTwist();
#if KERNEL_DESK
    const double* desk = getDesk(world->plan, world->spheres);
    UNROLL
    for (int j = 0; j < 6; j++) {
        const double* column = desk + 6 * j * 32;
        step = addTwist(
            step, getTwistAt(f, j),
            makeTwist(vec(column[0], column[32], column[64]), vec(column[96], column[128], column[160])));
    }
    (void)values;
    (void)s;
#else
    if (AT(s + BODY_HAS_INVERSE) == 0.0) {
        return 0;
    }
    UNROLL
    for (int j = 0; j < 6; j++) {
        const int column = s + BODY_INVERSE + 6 * j;
        step =
            addTwist(step, getTwistAt(f, j), makeTwist(readVec(values, column), readVec(values, column + 3)));
    }
#endif
    mover->step = step;
    return 1;
#else
    (void)world;
    (void)solver;
    return 0;
#endif
}

#endif
